"""What a client hears: a reply of each API, whole or as a stream of events, read into one Heard.

Read as the vendors' SDKs do, and stricter: every member that they need has to be there.
"""
import dataclasses
import json

from speak import Call


@dataclasses.dataclass
class Heard:
    text: str = ""
    calls: list = dataclasses.field(default_factory=list)
    thought: str = ""
    mark: str = ""
    marks: list = dataclasses.field(default_factory=list)  # of the calls
    details: list = dataclasses.field(default_factory=list)  # of the thought, as chat completions have them
    stop: str = ""  # "end", "calls", "length"
    given: int = 0  # tokens
    made: int = 0


def expect(good, what):
    if not good:
        raise AssertionError(str(what)[:2000])


def events(data):
    """(name, data) of server-sent events."""
    expect(data.endswith(b"\n\n"), data[-200:])
    out = []
    for block in data.decode().strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        said = fields["data"]
        out.append((fields.get("event"), said if said == "[DONE]" else json.loads(said)))
    return out


# Anthropic


def messages(reply):
    expect(reply["type"] == "message" and reply["role"] == "assistant" and reply["id"] and reply["model"], reply)
    out = Heard(stop={"end_turn": "end", "tool_use": "calls", "max_tokens": "length"}[reply["stop_reason"]],
                given=reply["usage"]["input_tokens"], made=reply["usage"]["output_tokens"])
    for b in reply["content"]:
        if b["type"] == "text":
            out.text += b["text"]
        elif b["type"] == "thinking":
            out.thought += b["thinking"]
            out.mark = b["signature"]
        else:
            expect(b["type"] == "tool_use", b)
            out.calls.append(Call(b["id"], b["name"], b["input"]))
    return out


def messages_stream(data):
    lines = events(data)
    reply, inputs = lines[0][1]["message"], {}
    expect([e for e, _ in lines[:1] + lines[-1:]] == ["message_start", "message_stop"], lines)
    for event, d in lines:
        expect(d["type"] == event, d)
        if event == "content_block_start":
            expect(d["index"] == len(reply["content"]), d)
            reply["content"].append(d["content_block"])
        elif event == "content_block_delta":
            block, delta = reply["content"][d["index"]], d["delta"]
            if delta["type"] == "input_json_delta":
                inputs[d["index"]] = inputs.get(d["index"], "") + delta["partial_json"]
            elif delta["type"] == "signature_delta":
                block["signature"] = delta["signature"]
            else:
                field = {"text_delta": "text", "thinking_delta": "thinking"}[delta["type"]]
                block[field] += delta[field]
        elif event == "message_delta":
            reply |= d["delta"]
            reply["usage"] |= d["usage"]
    for i, words in inputs.items():
        reply["content"][i]["input"] = json.loads(words or "{}")
    return messages(reply)


# Chat completions


def chat(reply):
    expect(reply["object"] == "chat.completion" and reply["id"] and reply["created"] and reply["model"], reply)
    choice, = reply["choices"]
    message, usage = choice["message"], reply["usage"]
    expect(message["role"] == "assistant" and choice["index"] == 0, choice)
    expect(usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], usage)
    out = Heard(text=message["content"] or "", thought=message.get("reasoning_content") or "",
                stop={"stop": "end", "tool_calls": "calls", "length": "length"}[choice["finish_reason"]],
                given=usage["prompt_tokens"], made=usage["completion_tokens"],
                details=message.get("reasoning_details") or [])
    for c in message.get("tool_calls") or []:
        expect(c["type"] == "function", c)
        out.calls.append(Call(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])))
        out.marks.append(c.get("extra_content", {}).get("google", {}).get("thought_signature", ""))
    return out


def chat_stream(data):
    lines = events(data)
    expect(lines[-1] == (None, "[DONE]"), lines[-1])
    message = {"role": "", "content": "", "reasoning_content": ""}
    details = {}
    choice, calls, reply = {"index": 0, "message": message}, [], {"object": "chat.completion"}
    for _, d in lines[:-1]:
        expect(d["object"] == "chat.completion.chunk", d)
        expect(bool(d["choices"]) or d["usage"], d)
        expect(not d["choices"] or d.get("usage") is None, d)
        reply |= {k: v for k, v in d.items() if k not in ("choices", "object") and v is not None}
        for c in d["choices"]:
            delta = c["delta"]
            choice["finish_reason"] = c["finish_reason"]
            for member in ("role", "content", "reasoning_content"):
                message[member] += delta.get(member) or ""
            for t in delta.get("tool_calls") or []:
                if t["index"] == len(calls):
                    expect(t["id"] and t["type"] == "function" and t["function"]["name"], t)
                    calls.append({**t, "function": {**t["function"], "arguments": ""}})
                calls[t["index"]]["function"]["arguments"] += t["function"].get("arguments") or ""
            for t in delta.get("reasoning_details") or []:
                known = details.setdefault(t["index"], {"type": t["type"]})
                expect(known["type"] == t["type"], ("two details have one index", known, t))
                known |= {k: known.get(k, "") + v for k, v in t.items() if k not in ("type", "index")}
    message["reasoning_details"] = list(details.values())
    return chat({**reply, "choices": [{**choice, "message": {**message, "tool_calls": calls}}]})


# Responses


def responses(reply):
    expect(reply["object"] == "response" and reply["id"] and reply["created_at"] and reply["model"], reply)
    usage = reply["usage"]
    expect(usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"], usage)
    out = Heard(given=usage["input_tokens"], made=usage["output_tokens"])
    for o in reply["output"]:
        if o["type"] == "message":
            expect(o["role"] == "assistant" and o["id"], o)
            out.text += "".join(c["text"] for c in o["content"] if c["type"] == "output_text")
        elif o["type"] == "reasoning":
            out.thought += "".join(s["text"] for s in o["summary"])
            out.thought += "".join(s["text"] for s in o.get("content") or [])
            out.mark = o.get("encrypted_content") or ""
        else:
            expect(o["type"] == "function_call", o)
            out.calls.append(Call(o["call_id"], o["name"], json.loads(o["arguments"])))
    short = reply["status"] == "incomplete" and reply["incomplete_details"]["reason"] == "max_output_tokens"
    expect(short or reply["status"] == "completed", reply)
    out.stop = "length" if short else "calls" if out.calls else "end"
    return out


def responses_stream(data):
    lines = events(data)
    expect([d["sequence_number"] for _, d in lines] == list(range(len(lines))), lines)
    expect(lines[0][0] == "response.created" and lines[-1][0] in ("response.completed", "response.incomplete"), lines)
    out = responses(lines[-1][1]["response"])
    pieces = "".join(d["delta"] for e, d in lines if e == "response.output_text.delta")
    expect(pieces == out.text, (pieces, out.text))
    return out


# Gemini


def gemini(*replies):
    out = Heard()
    for r in replies:
        expect(r["modelVersion"] and r["responseId"], r)
        usage = r.get("usageMetadata", {})
        out.given = usage.get("promptTokenCount", out.given)
        out.made = usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0) or out.made
        candidate, = r["candidates"]
        for p in candidate.get("content", {}).get("parts", []):
            if "functionCall" in p:
                out.calls.append(Call(p["functionCall"].get("id"), p["functionCall"]["name"],
                                      p["functionCall"].get("args", {})))
                out.marks.append(p.get("thoughtSignature", ""))
            elif p.get("thought"):
                out.thought += p["text"]
                out.mark = p.get("thoughtSignature", out.mark)
            else:
                out.text += p["text"]
        out.stop = {"STOP": "end", "MAX_TOKENS": "length"}.get(candidate.get("finishReason"), "")
    out.stop = "calls" if out.stop == "end" and out.calls else out.stop
    return out


def gemini_stream(data):
    return gemini(*[d for _, d in events(data)])


WHOLE = {"anthropic": messages, "openai-chat": chat, "openai-responses": responses, "gemini": gemini}
STREAM = {"anthropic": messages_stream, "openai-chat": chat_stream, "openai-responses": responses_stream,
          "gemini": gemini_stream}


def read(dialect, stream, data):
    out = STREAM[dialect](data) if stream else WHOLE[dialect](json.loads(data))
    expect(out.stop and out.given > 0 and out.made > 0, out)
    return out
