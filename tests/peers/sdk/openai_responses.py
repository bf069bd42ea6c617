"""openai, Responses; and xAI, which says to use it: argument PEER BASE MODEL."""
import sys

import case
import openai

peer, base, model = sys.argv[1:] or ("openai responses", "/openai/v1", "gpt-5-mini")
client = openai.OpenAI(base_url=case.SIM + base, api_key="any", max_retries=0)
TOOL = {"type": "function", "name": case.TOOL, "description": case.TOOL_ABOUT,
        "parameters": case.SCHEMA, "strict": False}


def say(text):
    return client.responses.create(model=model, instructions=case.SYSTEM, input=text)


def streamed():
    with client.responses.stream(model=model, input=case.HELLO) as stream:
        text = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        final = stream.get_final_response()
    case.expect(final.output_text == text, "the last event has another text")
    case.expect(final.usage.input_tokens_details.cached_tokens >= 0, "no usage")
    return text


def tool():
    asked = [{"role": "user", "content": case.LOOK}]
    said = client.responses.create(model=model, input=asked, tools=[TOOL])
    call = next(item for item in said.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id,
              "output": [{"type": "input_image", "image_url": case.DATA_URL, "detail": "auto"}]}
    return client.responses.create(model=model, input=[*asked, *said.output, result],
                                   tools=[TOOL]).output_text


case.run(peer, "openai", openai.RateLimitError, plain=lambda: say(case.HELLO).output_text,
         streamed=streamed, tool=tool, error=lambda: say(case.REFUSED))
