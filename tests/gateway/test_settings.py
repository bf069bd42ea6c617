#!/usr/bin/env python3
"""What a client sets, as each upstream is told it; what cannot be told, and is said in a notice or refused.

    test_settings.py PATH-OF-REFRACT [PART-OF-A-NAME...]
"""
import json
import subprocess

from harness import LIMIT_S, PDF, PNG, REFRACT, Gateway, b64, case, expect, main, shared

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"], "additionalProperties": False}
CLAUDE, GPT, CHAT = "anthropic:claude-sonnet-4-5", "openai:gpt-5.4-mini", "openai-chat:gpt-4o"
MISTRAL = "mistral:mistral-medium-latest"
GEMINI, NOVA, OLLAMA = "google:gemini-3.5-flash", "bedrock:us.amazon.nova-pro-v1:0", "ollama:mistral-small3.2"


def function(name, **more):
    return {"type": "function", "function": {"name": name, "parameters": SCHEMA, **more}}


def messages(model, **more):
    tools = [{"name": n, "input_schema": SCHEMA} for n in ("look", "listen")]
    return "/v1/messages", {"model": model, "max_tokens": 2000, "tools": tools,
                            "messages": [{"role": "user", "content": "hi"}], **more}


def chat(model, **more):
    return "/v1/chat/completions", {"model": model, "tools": [function("look"), function("listen")],
                                    "messages": [{"role": "user", "content": "hi"}], **more}


def responses(model, **more):
    tools = [{"type": "function", "name": n, "parameters": SCHEMA} for n in ("look", "listen")]
    return "/v1/responses", {"model": model, "tools": tools, "input": "hi", **more}


def gemini(model, **more):
    tools = [{"functionDeclarations": [{"name": n, "parametersJsonSchema": SCHEMA} for n in ("look", "listen")]}]
    return f"/v1beta/models/{model}:generateContent", {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}], "tools": tools, **more}


def sent(asked):
    """(what came upstream, the notices)"""
    g = shared()
    response, reply = g.ask(*asked, x_refract_explain="1")
    expect(response.status == 200, (response.status, reply))
    return json.loads(g.relay.seen[-1]), json.loads(reply)["refract"]["notices"]


def told(asked, **want):
    body, notices = sent(asked)
    for name, value in want.items():
        expect(body.get(name) == value, (name, body.get(name), body))
    expect(not notices, notices)


def noticed(asked, words):
    body, notices = sent(asked)
    expect(any(words in n for n in notices), (notices, body))
    return body


def refused(asked, status, *words):
    g = shared()
    response, reply = g.ask(*asked)
    expect(response.status == status and all(w in reply.decode() for w in words), (response.status, reply))
    expect(not g.relay.seen, "it was sent all the same")


ONE = {"type": "auto", "disable_parallel_tool_use": True}


@case("one call at a time, from Messages")
def _():
    for model in (CHAT, GPT, MISTRAL):
        told(messages(model, tool_choice=ONE), parallel_tool_calls=False)
    for model in (GEMINI, NOVA, OLLAMA):
        noticed(messages(model, tool_choice=ONE), "the limit of one call was left out")


@case("one call at a time, from Chat and Responses")
def _():
    told(chat(CLAUDE, parallel_tool_calls=False), tool_choice=ONE)
    told(responses(CLAUDE, parallel_tool_calls=False, tool_choice="required"),
         tool_choice={"type": "any", "disable_parallel_tool_use": True})
    told(chat(GPT, parallel_tool_calls=False), parallel_tool_calls=False)


@case("thoughts leave room for the answer")
def _():
    told(chat(CLAUDE, reasoning_effort="high"), max_tokens=64000, thinking={"type": "enabled", "budget_tokens": 24576})
    told(chat(CLAUDE, reasoning_effort="high", max_tokens=4000), max_tokens=4000,
         thinking={"type": "enabled", "budget_tokens": 3000})


@case("thinking that is left to the model, and a call that is required")
def _():
    for model in "anthropic:claude-opus-4-6", "anthropic:claude-sonnet-4-6":
        told(chat(model, reasoning_effort="high", tool_choice="required"), thinking={"type": "adaptive"},
             tool_choice={"type": "any"}, output_config={"effort": "high"})
        asked = messages(model, thinking={"type": "adaptive", "display": "omitted"}, tool_choice={"type": "any"},
                         output_config={"effort": "max"})
        with Gateway(config="serve: {plan: always}\n") as g:
            response, reply = g.ask(*asked, x_refract_explain="1")
            expect(response.status == 200 and not json.loads(reply)["refract"]["notices"], reply)
            body = json.loads(g.relay.seen[-1])
        for name in "thinking", "tool_choice", "output_config":
            expect(body[name] == asked[1][name], (name, body))
        told(messages(model, thinking={"type": "enabled", "budget_tokens": 1500}, output_config={"effort": "low"}),
             thinking={"type": "enabled", "budget_tokens": 1500}, output_config={"effort": "low"})


@case("how words are drawn, by a model that is told not to think")
def _():
    for model in "openai:gpt-5.6-sol", "openai:gpt-5.4-mini":
        told(chat(model, reasoning_effort="none", temperature=0.5, top_p=0.9), temperature=0.5, top_p=0.9,
             reasoning={"effort": "none"})
        told(messages(model, thinking={"type": "disabled"}, temperature=0.5), temperature=0.5,
             reasoning={"effort": "none"})
        body = noticed(chat(model, reasoning_effort="low", temperature=0.5), "temperature was left out")
        expect("temperature" not in body, body)


@case("an answer that is shorter than an API takes")
def _():
    body = noticed(messages(GPT, max_tokens=1), "max_tokens is 16")
    expect(body["max_output_tokens"] == 16, body)


@case("some tools of those there are")
def _():
    some = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function("listen")]}}
    flat = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "listen"}]}
    names = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["listen", "hear"]}}
    for asked in chat(CLAUDE, tool_choice=some), responses(CLAUDE, tool_choice=flat), gemini(CLAUDE, toolConfig=names):
        body, notices = sent(asked)
        expect([t["name"] for t in body["tools"]] == ["listen"] and not notices, (body["tools"], notices))
    told(chat(GPT, tool_choice=some), tool_choice={**flat, "mode": "auto"})
    told(gemini(GPT, toolConfig=names), tool_choice=flat)
    told(responses(GEMINI, tool_choice=flat),
         toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["listen"]}})


@case("JSON without a schema")
def _():
    wish = {"type": "json_object"}
    told(chat(MISTRAL, response_format=wish), response_format=wish)
    told(chat(GPT, response_format=wish), text={"format": wish})
    told(responses(CHAT, text={"format": wish}), response_format=wish)
    told(gemini(CHAT, generationConfig={"responseMimeType": "application/json"}), response_format=wish)
    told(chat(OLLAMA, response_format=wish, tools=[]), format="json")
    body = noticed(chat(CLAUDE, response_format=wish), "JSON is asked for in words")
    expect("JSON" in body["system"], body)
    body, _ = sent(responses(GEMINI, text={"format": wish}))
    expect(body["generationConfig"]["responseMimeType"] == "application/json", body)


@case("a wish for JSON is said once")
def _():
    def words(body):
        return json.dumps(body).lower().replace("json_object", "").replace("application/json", "").count("json")
    wish, hi = {"type": "json_object"}, [{"role": "user", "content": "hi"}]
    system = [{"role": "system", "content": "Answer in JSON."}, *hi]
    asks = [{"role": "user", "content": "Which day is it? As Json."}]
    for said, model, count in ((hi, GPT, 1), (hi, MISTRAL, 1), (asks, GPT, 1), (asks, MISTRAL, 1), (system, MISTRAL, 1),
                               (system, GPT, 2)):  # the client's instructions, which do not count there
        body, _ = sent(chat(model, messages=said, response_format=wish, tools=[]))
        expect(words(body) == count, (model, words(body), body))
        expect(model != GPT or said == asks or body["input"][0]["role"] == "system", body)


@case("the name of a schema")
def _():
    named = {"name": "where", "schema": SCHEMA}
    asks = [chat(m, tools=[], response_format={"type": "json_schema", "json_schema": named}) for m in (GPT, MISTRAL)]
    asks += [responses(m, tools=[], text={"format": {"type": "json_schema", **named}}) for m in (CHAT, MISTRAL)]
    for asked in asks:
        body, notices = sent(asked)
        said = body["text"]["format"] if "text" in body else body["response_format"]["json_schema"]
        expect(said["name"] == "where" and not notices, (body, notices))
    body, _ = sent(chat("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", tools=[],
                        response_format={"type": "json_schema", "json_schema": named}))
    expect(body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["name"] == "where", body)
    body, _ = sent(chat(GPT, tools=[], response_format={"type": "json_schema", "json_schema": {**named, "name": "no name"}}))
    expect(body["text"]["format"]["name"] == "answer", body)
    body, _ = sent(messages(GPT, tools=[], output_config={"format": {"type": "json_schema", "schema": SCHEMA}}))
    expect(body["text"]["format"]["name"] == "answer", body)


@case("an answer of another type than JSON")
def _():
    choice = {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["dry", "wet"]}}
    snake = {"response_mime_type": "text/x.enum", "response_schema": {"type": "STRING", "enum": ["dry", "wet"]}}
    for config in choice, snake:
        body = noticed(gemini(CLAUDE, generationConfig=config), "the values to choose from are sent as words")
        expect(body["system"].endswith('alone, without quotes: ["dry","wet"]'), body)
    said = {"parts": [{"text": "Be brief."}]}
    body, _ = sent(gemini(GPT, generationConfig=choice, systemInstruction=said))
    expect(body["instructions"].startswith("Be brief.\n\nAnswer with one of") and "text" not in body, body)
    noticed(gemini(CLAUDE, generationConfig={"responseMimeType": "text/xml"}),
            "the type of the answer (text/xml) was left out: " + CLAUDE)
    told(gemini(CLAUDE, generationConfig={"responseMimeType": "text/plain"}))
    body, notices = sent(gemini(GEMINI, generationConfig=choice, tools=[]))
    expect(body["generationConfig"] == choice and not notices, (body, notices))


@case("a mark to cache the whole request")
def _():
    mark, hour = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
    body, notices = sent(messages("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", cache_control=hour))
    expect(body["messages"][-1]["content"][-1] == {"cachePoint": {"type": "default", "ttl": "1h"}} and not notices, body)
    said = [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": hour}]}]
    body, _ = sent(messages("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", cache_control=mark, messages=said))
    expect(json.dumps(body).count("cachePoint") == 1, body)
    body, _ = sent(chat(CLAUDE, cache_control=mark))
    expect(body["messages"][-1]["content"][-1]["cache_control"] == mark, body)
    with Gateway(config="serve: {plan: always}\n") as g:
        g.ask(*messages(CLAUDE, cache_control=mark))
        body = json.loads(g.relay.seen[-1])
    expect(body["cache_control"] == mark and json.dumps(body).count("cache_control") == 1, body)


@case("citations of a document, and its context")
def _():
    wishes = {"citations": {"enabled": True}, "context": "From the archive."}
    source = {"type": "base64", "media_type": "application/pdf", "data": b64(PDF)}
    said = [{"role": "user", "content": [{"type": "document", "title": "a.pdf", "source": source, **wishes},
                                         {"type": "text", "text": "hi"}]}]
    claude = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    body, notices = sent(messages(claude, messages=said))
    title, document = body["messages"][0]["content"][:2]
    expect(title == {"text": '[File "a.pdf"]'}, title)
    expect({k: document["document"][k] for k in wishes} == wishes and not notices, (document, notices))
    body, _ = sent(messages(NOVA, messages=said))
    context, document = body["messages"][0]["content"][:2]
    expect(context == {"text": '[File "a.pdf": From the archive.]'}, context)
    expect(not wishes.keys() & document["document"].keys(), body)
    file = {"format": "pdf", "name": "a", "source": {"bytes": b64(PDF)}, **wishes}
    converse = {"messages": [{"role": "user", "content": [{"document": file}, {"text": "hi"}]}]}
    for model, at in (CLAUDE, None), (claude, "document"):  # its clients have no gateway, but requests are converted
        done = subprocess.run([REFRACT, "convert", "--from", "bedrock", "-m", model], input=json.dumps(converse).encode(),
                              capture_output=True, check=True, timeout=LIMIT_S)
        document = json.loads(done.stdout)["messages"][0]["content"][0]
        document = document.get(at, document)
        expect({k: document[k] for k in wishes} == wishes, document)


@case("tools that are strict")
def _():
    tools = [function("look", strict=True)]
    body, notices = sent(chat(CLAUDE, tools=tools))
    expect(body["tools"][0].get("strict") is True and not notices, (body, notices))
    body, _ = sent(chat(GPT, tools=tools))
    expect(body["tools"][0]["strict"] is True, body)
    body, _ = sent(responses(CHAT, tools=[{"type": "function", "name": "look", "parameters": SCHEMA, "strict": True}]))
    expect(body["tools"][0]["function"]["strict"] is True, body)
    noticed(chat(NOVA, tools=tools), "the strictness of tools was left out")


# What OpenAI's two APIs have in common, and what is elsewhere in one of them.
SHARED = {"prompt_cache_key": "k", "prompt_cache_retention": "24h", "service_tier": "flex", "metadata": {"a": "b"},
          "safety_identifier": "s", "user": "u", "store": True}
PENALTIES = {"frequency_penalty": 0.5, "presence_penalty": 0.25}
CLOSED = "openai-chat:gpt-5.4-mini"  # thinks, and refuses what steers the draw of words


@case("settings of both of OpenAI's APIs")
def _():
    told(chat(GPT, **SHARED, verbosity="low"), **SHARED, text={"verbosity": "low"})
    told(responses(CHAT, **SHARED, text={"verbosity": "low"}), **SHARED, verbosity="low")
    told(chat(GPT, store=False), store=False)
    told(chat(GPT), store=False)
    told(chat(GPT, verbosity="low", response_format={"type": "json_object"}),
         text={"format": {"type": "json_object"}, "verbosity": "low"})
    body = noticed(responses(CHAT, metadata={"a": "b"}), "metadata was left out: openai-chat:gpt-4o takes it only with")
    expect("metadata" not in body, body)
    for asked in chat(GPT, logprobs=True, top_logprobs=3), responses(CHAT, top_logprobs=3):
        noticed(asked, "top_logprobs was left out")


@case("how many words are drawn from, and the seed")
def _():
    told(messages(GEMINI, top_k=40), generationConfig={"maxOutputTokens": 2000, "topK": 40})
    told(messages(OLLAMA, top_k=40), options={"num_predict": 2000, "top_k": 40})
    told(messages("cohere:command-a-03-2025", top_k=40), k=40)
    told(messages("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", top_k=40),
         additionalModelRequestFields={"top_k": 40})
    for config in {"topK": 40}, {"top_k": 40}:
        told(gemini(CLAUDE, generationConfig=config), top_k=40)
    told(chat(GEMINI, seed=0), generationConfig={"seed": 0})
    told(chat(MISTRAL, seed=7), random_seed=7)
    told(gemini(CHAT, generationConfig={"seed": 7}), seed=7)
    noticed(chat(GEMINI, seed=1 << 40), "seed was left out: google:gemini-3.5-flash does not take this one")
    for model in GPT, NOVA, "anthropic:claude-opus-4-7":
        body = noticed(gemini(model, generationConfig={"topK": 40}), "top_k was left out")
        expect("40" not in json.dumps(body), body)
    for model in CLAUDE, GPT:
        noticed(chat(model, seed=7), f"seed was left out: {model} does not take it")


@case("penalties")
def _():
    for model in MISTRAL, "cohere:command-a-03-2025":
        told(chat(model, **PENALTIES), **PENALTIES)
    told(chat(OLLAMA, **PENALTIES), options=PENALTIES)
    told(chat(CLAUDE, frequency_penalty=0, presence_penalty=0.0))
    noticed(chat("cohere:command-a-03-2025", presence_penalty=-1), "presence_penalty was left out")
    told(gemini(CHAT, generationConfig={"frequencyPenalty": 0.5}), frequency_penalty=0.5)
    for asked in chat(CLAUDE, **PENALTIES), chat(GEMINI, **PENALTIES), gemini(CLOSED, generationConfig=PENALTIES):
        _, notices = sent(asked)
        expect([n.split(" ")[0] for n in notices] == list(PENALTIES), notices)


@case("an answer that is to be gone on with")
def _():
    begun = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Well"}]
    for asked in messages(MISTRAL, messages=begun), chat(MISTRAL, messages=begun), responses(MISTRAL, input=begun):
        body, notices = sent(asked)
        expect(body["messages"][-1] == {**begun[1], "prefix": True} and not notices, (body, notices))
    told(chat(CLAUDE, messages=begun), messages=[{"role": m["role"], "content": [{"type": "text", "text": m["content"]}]}
                                                 for m in begun])
    ends = [begun[0], {"role": "assistant", "content": "Well: "}]
    expect(sent(chat(CLAUDE, messages=ends))[0]["messages"][-1]["content"][-1]["text"] == "Well:", "white space stays")
    body = noticed(chat(CLAUDE, messages=begun, reasoning_effort="high"), "with an answer with thinking")
    expect(body["messages"][-1]["role"] == "user" and "thinking" in body, body)
    for model in "cohere:command-a-03-2025", "anthropic:claude-opus-4-6", "bedrock:us.anthropic.claude-sonnet-4-6":
        for asked in chat(model, messages=begun), messages(model, messages=begun):
            body, notices = sent(asked)
            expect(body["messages"][-1]["role"] == "user" and body["messages"][-2]["role"] == "assistant", body)
            expect([n.split(":")[0] for n in notices] == ["a short user message was added"], notices)


@case("several answers are one elsewhere")
def _():
    noticed(chat(CLAUDE, n=2), "answers other than the first were left out")


@case("what the vendor keeps is refused elsewhere")
def _():
    for member, value in (("previous_response_id", "resp_1"), ("conversation", "conv_1"), ("prompt", {"id": "pmpt_1"})):
        refused(responses(CLAUDE, **{member: value}), 400, member, "invalid_request_error")
    refused(responses(CLAUDE, input=[{"type": "item_reference", "id": "msg_1"}]), 400, "input[0]")
    thought = {"type": "item_reference", "id": "rs_1"}  # Vercel's `ai` sends it for each thought of a reply
    body = noticed(responses(CLAUDE, input=[{"role": "user", "content": "hi"}, thought, {"role": "user", "content": "ho"}]),
                   "item_reference")
    expect("rs_1" not in json.dumps(body), body)


@case("what was run by tools of one API is read as JSON")
def _():
    ran = [{"role": "user", "content": "hi"},
           {"type": "local_shell_call", "call_id": "x1", "action": {"type": "exec", "command": ["ls"]}},
           {"type": "local_shell_call_output", "call_id": "x1", "output": "a lake"}]
    body, _ = sent(responses(CLAUDE, input=ran))
    expect([m["role"] for m in body["messages"]] == ["user", "assistant", "user"], body)
    expect("local_shell_call" in json.dumps(body["messages"][1]) and "a lake" in json.dumps(body["messages"][2]), body)
    body, _ = sent(responses(GPT, input=ran))
    expect(body["input"] == ran, body)


@case("a screenshot of one API's computer is a picture elsewhere")
def _():
    call = {"type": "computer_call", "call_id": "x1", "id": "cu_1", "status": "completed",
            "action": {"type": "screenshot"}, "pending_safety_checks": []}
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64," + b64(PNG)}
    ran = [{"role": "user", "content": "hi"}, call,
           {"type": "computer_call_output", "call_id": "x1", "output": shot}]
    for model in CLAUDE, CHAT, GEMINI:
        g = shared()
        _, reply = g.ask(*responses(model, input=ran), x_refract_explain="1")
        report = json.loads(reply)["refract"]["deliveries"]
        expect([(d["delivery"], d["found_in"]) for d in report] == [("native", "opaque")], (model, reply))
        body = g.relay.seen[-1].decode().replace("\\/", "/")
        expect(body.count(b64(PNG)) == 1 and "computer_call_output" in body, (model, body))
        if model == CLAUDE:
            said = json.loads(body)["messages"][2]["content"]
            expect([p["type"] for p in said] == ["text", "image"], said)
            expect(json.loads(said[0]["text"])["output"]["type"] == "computer_screenshot", said)
            expect(said[1]["source"]["data"] == b64(PNG), said)
    body, _ = sent(responses(GPT, input=ran))
    expect(body["input"] == ran, body)


@case("a request without a model")
def _():
    for path, body in messages(""), chat(""), responses(""):
        del body["model"]
        refused((path, body), 400, "model")


@case("the version of Messages that a client asks for")
def _():
    g = shared()
    for version in ("2023-01-01", None):
        g.ask(*messages(CLAUDE), **({"anthropic_version": version} if version else {}))
        expect(f"anthropic-version: {version or '2023-06-01'}" in g.relay.heads[-1].lower(), g.relay.heads[-1])


@case("what one API alone can be asked for is named where another model answers")
def _():
    servers = [{"type": "url", "url": "https://example.com/mcp", "name": "m"}]
    noticed(messages(CHAT, mcp_servers=servers), "wishes of anthropic alone were left out (mcp_servers)")
    noticed(chat(CLAUDE, web_search_options={}), "wishes of openai-chat alone were left out (web_search_options)")
    noticed(gemini(CLAUDE, safetySettings=[{"category": "HARM_CATEGORY_HATE_SPEECH", "threshold": "BLOCK_NONE"}]),
            "wishes of gemini alone were left out (safetySettings)")
    noticed(gemini(CLAUDE, tools=[{"googleSearch": {}}]), "tools of gemini alone were left out (googleSearch)")
    told(chat(CLAUDE, n=1, stream_options=None, logprobs=False, modalities=["text"]))



@case("how words are drawn and where an answer ends, where a model takes less of it")
def _():
    body = noticed(chat(CLAUDE, temperature=1.8), "temperature is 1: anthropic:claude-sonnet-4-5 does not take more")
    expect(body["temperature"] == 1, body)
    body = noticed(gemini(CLAUDE, generationConfig={"temperature": 0.5, "topP": 0.9}), "top_p was left out")
    expect("top_p" not in body and body["temperature"] == 0.5, body)
    told(chat(CLAUDE, temperature=1, top_p=0.9), top_p=0.9, temperature=None)
    told(chat(GEMINI, temperature=1.8, top_p=0.9))
    body = noticed(chat(CLAUDE, stop=["\n", "END"]), "a blank word to stop at was left out")
    expect(body["stop_sequences"] == ["END"], body)
    body = noticed(messages(CHAT, stop_sequences=list("abcdef")), "words to stop at after the first 4 were left out")
    expect(body["stop"] == list("abcd"), body)
    told(chat(CHAT, stop=["\n"]), stop=["\n"])



@case("arguments that are not JSON are told of, and not sent")
def _():
    def history(*arguments):
        calls = [{"id": f"c{i}", "type": "function", "function": {"name": "look", "arguments": a}} for i, a in enumerate(arguments)]
        return [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": calls},
                *({"role": "tool", "tool_call_id": c["id"], "content": "it failed"} for c in calls)]

    body = noticed(chat(CLAUDE, messages=history('{"at": "le')),
                   'the arguments of the call "c0" of "look" were left out: they are not a JSON object')
    expect([b["input"] for b in body["messages"][1]["content"]] == [{}], body)
    noticed(chat(CLAUDE, messages=history('{"at": "le', "[1]")), "the arguments of 2 calls were left out: they are not JSON objects")
    for fine in "", "{}", '{"at":"left"}':
        expect(not sent(chat(CLAUDE, messages=history(fine)))[1], fine)


@case("a choice at the top of a tool's schema is told in words where it is refused")
def _():
    schema = {"anyOf": [{"required": ["a"], "properties": {"a": {"type": "string"}}}, {"required": ["b"]}],
              "properties": {"b": {"type": "integer"}}, "required": ["c"], "description": "either"}
    for model in (CLAUDE, GPT, CHAT, GEMINI):
        asked = chat(model, tools=[{"type": "function", "function": {"name": "f", "parameters": schema}}])
        if model == CHAT:
            asked = messages(model, tools=[{"name": "f", "input_schema": schema}])
        body, _ = sent(asked)
        words = json.dumps(body["tools"])
        expect(('"anyOf"' in words) == (model == GEMINI), words)
        tool = body["tools"][0]
        tool = tool.get("function", tool)
        if model != GEMINI:
            given = tool.get("input_schema") or tool["parameters"]
            expect(given["properties"] == {"b": {"type": "integer"}, "a": {"type": "string"}}, given)
            expect(given["required"] == ["c"] and given["type"] == "object", given)
            expect('{"anyOf":[{"required":["a"]' in tool["description"], tool)


main()
