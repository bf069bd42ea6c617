#!/usr/bin/env python3
"""The vendors' own SDKs for Python against refract serve, in front of the simulator.

    sdks.py PATH-OF-REFRACT

scripts/gateway_conformance.sh runs it where the packages are. Prints a line a case, then "N passed, N failed"; the
status is 1 when one failed.
"""
import sys
import traceback

import anthropic
import openai
from google import genai
from google.genai import types

from harness import CLIENTS, Gateway, MODELS, PNG, WORDS, expect

LOOKED = [("look", {}, ("image/png", PNG), False)]  # a picture in a tool's result


def body(client, model):
    members = client.body(model, False, WORDS, LOOKED)
    return {k: v for k, v in members.items() if k != "stream"}


def text_of(message):
    """A model may think first."""
    return next(block.text for block in message.content if block.type == "text")


def messages(sdk, model):
    return text_of(sdk.messages.create(**body(CLIENTS[0], model)))


def messages_stream(sdk, model):
    with sdk.messages.stream(**body(CLIENTS[0], model)) as stream:
        stream.until_done()
        return text_of(stream.get_final_message())


def chat(sdk, model):
    return sdk.chat.completions.create(**body(CLIENTS[1], model)).choices[0].message.content


def chat_stream(sdk, model):
    with sdk.chat.completions.stream(**body(CLIENTS[1], model)) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().choices[0].message.content


def responses(sdk, model):
    return sdk.responses.create(**body(CLIENTS[2], model)).output_text


def responses_stream(sdk, model):
    with sdk.responses.stream(**body(CLIENTS[2], model)) as stream:
        for _ in stream:
            pass
        return stream.get_final_response().output_text


def contents():
    picture = types.FunctionResponsePart(inline_data=types.FunctionResponseBlob(mime_type="image/png", data=PNG))
    result = types.FunctionResponse(name="look", response={"output": "here"}, parts=[picture])
    return [types.Content(role="user", parts=[types.Part(text=WORDS)]),
            types.Content(role="model", parts=[types.Part(function_call=types.FunctionCall(name="look", args={}))]),
            types.Content(role="user", parts=[types.Part(function_response=result)])]


def generate(sdk, model):
    return sdk.models.generate_content(model=model, contents=contents()).text


def generate_stream(sdk, model):
    return "".join(c.text or "" for c in sdk.models.generate_content_stream(model=model, contents=contents()))


def is_answered(ask):
    def check(sdk):
        for model in MODELS:
            said = ask(sdk, model)
            expect(WORDS in said and "64x64" in said, (model, said))
    return check


def counts_messages(sdk):
    told = sdk.messages.count_tokens(model=MODELS[1], messages=body(CLIENTS[0], MODELS[1])["messages"])
    expect(told.input_tokens > 100, told)


def counts_contents(sdk):
    expect(sdk.models.count_tokens(model=MODELS[1], contents=contents()).total_tokens > 100, "tokens")


def lists(sdk):
    expect(len(list(sdk.models.list())) > 3, "models")


def is_not_found(ask, error, status):
    def check(sdk):
        try:
            ask(sdk, "nothing-like-that")
        except error as e:
            expect(getattr(e, status) == 404 and "Names that work" in str(e), e)
            return
        raise AssertionError("it is answered")
    return check


CASES = {
    "anthropic": {
        "messages": is_answered(messages), "messages, streamed": is_answered(messages_stream),
        "tokens": counts_messages, "models": lists,
        "an unknown model": is_not_found(messages, anthropic.NotFoundError, "status_code")},
    "openai": {
        "chat completions": is_answered(chat), "chat completions, streamed": is_answered(chat_stream),
        "responses": is_answered(responses), "responses, streamed": is_answered(responses_stream),
        "models": lists, "an unknown model": is_not_found(chat, openai.NotFoundError, "status_code")},
    "google-genai": {
        "content": is_answered(generate), "content, streamed": is_answered(generate_stream),
        "tokens": counts_contents, "models": lists,
        "an unknown model": is_not_found(generate, genai.errors.ClientError, "code")},
}


def main():
    passed = failed = 0
    with Gateway() as g:
        base = f"http://127.0.0.1:{g.port}"
        sdks = {"anthropic": anthropic.Anthropic(base_url=base, api_key="any", max_retries=0),
                "openai": openai.OpenAI(base_url=base + "/v1", api_key="any", max_retries=0),
                "google-genai": genai.Client(api_key="any", http_options=types.HttpOptions(base_url=base))}
        for name, checks in CASES.items():
            for what, check in checks.items():
                try:
                    check(sdks[name])
                    passed += 1
                    print(f"ok      {name}: {what}", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED  {name}: {what}", flush=True)
                    traceback.print_exc(limit=4, file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
