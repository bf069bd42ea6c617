"""anthropic."""
import anthropic
import case

client = anthropic.Anthropic(base_url=case.SIM + "/anthropic", api_key="any", max_retries=0)
TOOL = {"name": case.TOOL, "description": case.TOOL_ABOUT, "input_schema": case.SCHEMA}
PICTURE = {"type": "image",
           "source": {"type": "base64", "media_type": "image/png", "data": case.BASE64}}


def ask(messages, **more):
    return {"model": "claude-sonnet-4-6", "max_tokens": 1000, "messages": messages, **more}


def say(text):
    messages = [{"role": "user", "content": text}]
    return client.messages.create(**ask(messages, system=case.SYSTEM)).content[0].text


def streamed():
    with client.messages.stream(**ask([{"role": "user", "content": case.HELLO}])) as stream:
        text = "".join(stream.text_stream)
        case.expect(stream.get_final_message().usage.output_tokens > 0, "no usage")
    return text


def tool():
    asked = {"role": "user", "content": case.LOOK}
    said = client.messages.create(**ask([asked], tools=[TOOL]))
    call = next(block for block in said.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [PICTURE]}
    history = [asked, {"role": "assistant", "content": said.content},
               {"role": "user", "content": [result]}]
    return client.messages.create(**ask(history, tools=[TOOL])).content[0].text


case.run("anthropic", "anthropic", anthropic.RateLimitError, plain=lambda: say(case.HELLO),
         streamed=streamed, tool=tool, error=lambda: say(case.REFUSED))
