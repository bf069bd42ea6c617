"""mistralai."""
import case
from mistralai.client import Mistral
from mistralai.client.errors import SDKError

client = Mistral(server_url=case.SIM + "/mistral", api_key="any")
MODEL = "mistral-medium-latest"


def ask(messages, **more):
    return client.chat.complete(model=MODEL, messages=messages, **more).choices[0].message


def say(text):
    return ask([{"role": "system", "content": case.SYSTEM},
                {"role": "user", "content": text}]).content


def streamed():
    events = list(client.chat.stream(model=MODEL,
                                     messages=[{"role": "user", "content": case.HELLO}]))
    case.expect(events[-1].data.usage.total_tokens > 0, "no usage")
    return "".join(e.data.choices[0].delta.content or "" for e in events)


def tool():
    asked = {"role": "user", "content": case.LOOK}
    said = ask([asked], tools=[case.CHAT_TOOL])
    call = said.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "name": call.function.name,
              "content": [{"type": "image_url", "image_url": case.DATA_URL}]}
    return ask([asked, said, result], tools=[case.CHAT_TOOL]).content


case.run("mistralai", "mistralai", SDKError, plain=lambda: say(case.HELLO), streamed=streamed,
         tool=tool, error=lambda: say(case.REFUSED))
