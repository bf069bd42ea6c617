"""cohere: the second version of its chat. Pictures go in user messages."""
import case
import cohere

client = cohere.ClientV2(base_url=case.SIM + "/cohere", api_key="any")
MODEL = "command-a-vision-07-2025"


def ask(messages, **more):
    return client.chat(model=MODEL, messages=messages, **more).message


def say(text):
    return ask([{"role": "system", "content": case.SYSTEM},
                {"role": "user", "content": text}]).content[0].text


def streamed():
    events = list(client.chat_stream(model=MODEL,
                                     messages=[{"role": "user", "content": case.HELLO}]))
    case.expect(events[-1].delta.usage.tokens.output_tokens > 0, "no usage")
    return "".join(e.delta.message.content.text for e in events if e.type == "content-delta")


def tool():
    asked = {"role": "user", "content": case.LOOK}
    said = ask([asked], tools=[case.CHAT_TOOL])
    call = said.tool_calls[0]
    history = [asked, said, {"role": "tool", "tool_call_id": call.id, "content": "See below."},
               {"role": "assistant", "content": "Let me see."},
               {"role": "user", "content": [{"type": "image_url",
                                             "image_url": {"url": case.DATA_URL}}]}]
    return ask(history, tools=[case.CHAT_TOOL]).content[0].text


case.run("cohere", "cohere", cohere.TooManyRequestsError, plain=lambda: say(case.HELLO),
         streamed=streamed, tool=tool, error=lambda: client.chat(
             model=MODEL, messages=[{"role": "user", "content": case.REFUSED}],
             request_options={"max_retries": 0}))
