"""anthropic; and a server that speaks its API: PEER BASE MODEL. There a picture is beside a result."""
import sys

import anthropic
import case

peer, base, model = sys.argv[1:] or ("anthropic", "/anthropic", "claude-sonnet-4-6")
client = anthropic.Anthropic(base_url=case.SIM + base, api_key="any", max_retries=0)
TOOL = {"name": case.TOOL, "description": case.TOOL_ABOUT, "input_schema": case.SCHEMA}
PICTURE = {"type": "image",
           "source": {"type": "base64", "media_type": "image/png", "data": case.BASE64}}


def ask(messages, **more):
    return {"model": model, "max_tokens": 1000, "messages": messages, **more}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def say(text):
    messages = [{"role": "user", "content": text}]
    return text_of(client.messages.create(**ask(messages, system=case.SYSTEM)))


def streamed():
    with client.messages.stream(**ask([{"role": "user", "content": case.HELLO}])) as stream:
        text = "".join(stream.text_stream)
        case.expect(stream.get_final_message().usage.output_tokens > 0, "no usage")
    return text


def tool():
    asked = {"role": "user", "content": case.LOOK}
    said = client.messages.create(**ask([asked], tools=[TOOL]))
    call = next(block for block in said.content if block.type == "tool_use")
    inside = base == "/anthropic"
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [PICTURE] * inside}
    history = [asked, {"role": "assistant", "content": said.content},
               {"role": "user", "content": [result] + [PICTURE] * (not inside)}]
    return text_of(client.messages.create(**ask(history, tools=[TOOL])))


case.run(peer, "anthropic", anthropic.RateLimitError, plain=lambda: say(case.HELLO),
         streamed=streamed, tool=tool, error=lambda: say(case.REFUSED))
