#!/usr/bin/env python3
"""The kinds of tools that only OpenAI's APIs have: models of others call them, and Codex, or a client of Chat Completions,
is called as it expects.

    test_agents.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Bodies are as Codex 0.166 was seen to send them.
"""
import json

from harness import PNG, Gateway, b64, case, events, expect, main, shared

MODELS = ["anthropic:claude-sonnet-4-5", "openai-chat:gpt-4o", "google:gemini-3.5-flash", "mistral:mistral-medium-latest"]
HOME = "openai:gpt-5.4-mini"
CODE = 'text("a\n" + 1);'
TOOLS = [
    {"type": "namespace", "name": "functions", "description": "", "tools": [
        {"type": "custom", "name": "exec", "description": "Run JavaScript code",
         "format": {"type": "grammar", "syntax": "lark", "definition": "start: SOURCE"}},
        {"type": "function", "name": "wait", "description": "Waits", "strict": False,
         "parameters": {"type": "object", "properties": {"cell_id": {"type": "string"}}, "required": ["cell_id"],
                        "additionalProperties": False}}]},
    {"type": "namespace", "name": "clock", "description": "Tools for reading and waiting on time.", "tools": [
        {"type": "function", "name": "sleep", "description": "Pause", "strict": False, "parameters": {
            "type": "object", "properties": {"duration_ms": {"type": "number"}}}}]}]
GRAMMAR = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: SOURCE"}}
CHAT_TOOLS = [{"type": "custom", "custom": {"name": "exec", "description": "Run JavaScript code", "format": GRAMMAR}},
              {"type": "function", "function": {"name": "wait", "parameters": {"type": "object", "properties": {}}}}]
CALLS = json.dumps({"replies": [{"when": {"words": "chat runs", "results": 0}, "times": 0, "calls": [
    {"name": "exec", "arguments": {"input": CODE}}, {"name": "wait", "arguments": {}}]}, {"when": {"words": "weather", "results": 0}, "times": 0, "calls": [
    {"name": "functions__exec", "arguments": {"input": CODE}}, {"name": "clock__sleep", "arguments": {"duration_ms": 7}}]}]})


def gateway():
    """One for all cases, whose models call the tools when they are asked about the weather."""
    return shared(script=CALLS)


def body(model, more=(), offered=TOOLS, **options):
    return {"model": model, "tool_choice": "auto", "parallel_tool_calls": False, "store": False,
            "reasoning": {"effort": "low"}, "prompt_cache_key": "01a1", "client_metadata": {"session": "1"},
            "input": [{"type": "additional_tools", "id": "at_01", "role": "developer", "tools": offered},
                      {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "<permissions>"}]},
                      {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the weather"}]},
                      *more], **options}


def ask(g, sent, **headers):
    r, text = g.ask("/v1/responses", sent, **headers)
    expect(r.status == 200, (r.status, text))
    return text


def check_calls(output):
    custom, function = [item for item in output if item["type"].endswith("_call")]
    expect((custom["type"], custom["name"], custom["namespace"], custom["input"]) ==
           ("custom_tool_call", "exec", "functions", CODE), custom)
    expect((function["type"], function["name"], function["namespace"], json.loads(function["arguments"])) ==
           ("function_call", "sleep", "clock", {"duration_ms": 7}), function)
    return custom, function


def check_offered(upstream):
    """The tools are there, under names that every API takes, and what they take is told."""
    for words in ("functions__exec", "functions__wait", "clock__sleep", "start: SOURCE", "Tools for reading and waiting"):
        expect(words in upstream, (words, upstream))


def add(model):
    @case(f"{model}: tools reach it, and its calls are as Codex has them")
    def _():
        g = gateway()
        check_calls(json.loads(ask(g, body(model)))["output"])
        check_offered(g.relay.seen[-1].decode())

    @case(f"{model}: the same as a stream")
    def _():
        told = events(ask(gateway(), body(model, stream=True)))
        custom, _ = check_calls(told[-1][1]["response"]["output"])
        inputs = [d for e, d in told if e.startswith("response.custom_tool_call_input.")]
        expect([d["type"].rsplit(".", 1)[1] for d in inputs] == ["delta", "done"], inputs)
        expect(inputs[0]["delta"] == CODE and inputs[1]["input"] == CODE, inputs)
        expect(all(d["item_id"] == custom["id"] for d in inputs), (inputs, custom))

    @case(f"{model}: results go back to it, with a picture")
    def _():
        g = gateway()
        calls = check_calls(json.loads(ask(g, body(model)))["output"])
        results = [{"type": "custom_tool_call_output", "call_id": calls[0]["call_id"], "output": [
                        {"type": "input_text", "text": "Script completed"},
                        {"type": "input_image", "image_url": "data:image/png;base64," + b64(PNG)}]},
                   {"type": "function_call_output", "call_id": calls[1]["call_id"], "output": "slept"}]
        said = json.loads(ask(g, body(model, more=[*calls, *results])))["output"][-1]["content"][0]["text"]
        expect("64x64" in said and "Script completed" in said and "slept" in said, said)
        upstream = g.relay.seen[-1].decode()
        expect(b64(PNG) in upstream and "additional_tools" not in upstream, upstream)
        check_offered(upstream)


for a_model in MODELS:
    add(a_model)


def chat(model, more=(), **options):
    return {"model": model, "tools": CHAT_TOOLS, "messages": [{"role": "user", "content": "chat runs"}, *more], **options}


def ask_chat(g, sent):
    r, text = g.ask("/v1/chat/completions", sent, x_refract_explain="1")
    expect(r.status == 200, (r.status, text))
    return text


def check_chat_calls(calls):
    custom, function = calls
    expect((custom["type"], custom["custom"]) == ("custom", {"name": "exec", "input": CODE}), custom)
    expect((function["type"], function["function"]) == ("function", {"name": "wait", "arguments": "{}"}), function)


def gathered(text):
    """The calls of a stream."""
    calls = []
    for choice in [c for _, d in events(text)[:-1] for c in d["choices"]]:
        for t in choice["delta"].get("tool_calls", []):
            if t["index"] == len(calls):
                calls.append({k: dict(v) if isinstance(v, dict) else v for k, v in t.items()})
                continue
            for kind, member in (("custom", "input"), ("function", "arguments")):
                if kind in t:
                    calls[t["index"]][kind][member] += t[kind][member]
    return calls


def add_chat(model):
    @case(f"{model}: custom tools of Chat Completions reach it, and its calls are what they are there")
    def _():
        g = gateway()
        reply = json.loads(ask_chat(g, chat(model)))
        calls = reply["choices"][0]["message"]["tool_calls"]
        check_chat_calls(calls)
        expect(not any("tools" in n for n in reply["refract"]["notices"]), reply["refract"])
        upstream = g.relay.seen[-1].decode()
        expect("start: SOURCE" in upstream and '"custom"' not in upstream, upstream)
        check_chat_calls(gathered(ask_chat(g, chat(model, stream=True))))
        results = [{"role": "tool", "tool_call_id": c["id"], "content": f"it is {c['type']}"} for c in calls]
        said = json.loads(ask_chat(g, chat(model, [reply["choices"][0]["message"], *results])))
        expect("it is custom" in said["choices"][0]["message"]["content"], said)

    @case(f"{model}: a custom tool of Chat Completions that has to be called")
    def _():
        g = gateway()
        sent = chat(model, tool_choice={"type": "custom", "custom": {"name": "exec"}})
        ask_chat(g, {**sent, "messages": [{"role": "user", "content": "hi"}]})
        upstream = g.relay.seen[-1].decode()
        expect(upstream.count('"exec"') == 2 or '"ANY"' in upstream, upstream)


for a_model in (MODELS[0], HOME, *MODELS[2:]):
    add_chat(a_model)


@case("custom tools of Chat Completions go home as they are where everything is planned")
def _():
    with Gateway(config="serve: {plan: always}\n") as g:
        sent = chat(MODELS[1], tool_choice={"type": "custom", "custom": {"name": "exec"}})
        ask_chat(g, sent)
        upstream = json.loads(g.relay.seen[-1])
        expect((upstream["tools"], upstream["tool_choice"]) == (sent["tools"], sent["tool_choice"]), upstream)


@case("hosted tools are told as left out")
def _():
    tools = [*TOOLS, {"type": "web_search"}]
    reply = json.loads(ask(gateway(), body(MODELS[0], offered=tools), x_refract_explain="1"))
    expect(any("alone were left out (web_search)" in n for n in reply["refract"]["notices"]), reply["refract"])


@case("their own API gets them as they are")
def _():
    g = gateway()
    sent = body(HOME)
    ask(g, sent)
    upstream = json.loads(g.relay.seen[-1])
    expect({**upstream, "model": HOME} == sent, upstream)


@case("also where everything is planned")
def _():
    history = [{"type": "custom_tool_call", "call_id": "c1", "name": "exec", "namespace": "functions", "input": CODE},
               {"type": "custom_tool_call_output", "call_id": "c1", "output": "a1"},
               {"type": "function_call", "call_id": "c2", "name": "sleep", "namespace": "clock", "arguments": "{}"},
               {"type": "function_call_output", "call_id": "c2", "output": "slept"}]
    patch = {"type": "custom", "name": "apply_patch", "description": "Patches", "format": {"type": "text"}}
    with Gateway(config="serve: {plan: always}\n") as g:
        sent = body(HOME, more=history, tools=[patch, {"type": "web_search"}])
        ask(g, sent)
        upstream = json.loads(g.relay.seen[-1])
    expect(upstream["tools"] == sent["tools"], upstream["tools"])
    expect(upstream["input"][0] == sent["input"][0], upstream["input"][0])
    expect(upstream["input"][-4:] == history, upstream["input"])


if __name__ == "__main__":
    main()
