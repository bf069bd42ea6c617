#!/usr/bin/env python3
"""Small replies and streams of every dialect, as seeds for fuzz_decode."""
import json
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "decode"
ORDER = ["anthropic", "bedrock", "google", "openai", "openai-chat", "openrouter", "mistral", "ollama", "cohere"]


def sse(*messages, done=False):
    text = "".join(f"event: {m.get('type', 'x')}\ndata: {json.dumps(m)}\n\n" for m in messages)
    return (text + ("data: [DONE]\n\n" if done else "")).encode()


def frame(name, payload):
    headers = b""
    for key, value in ((":event-type", name), (":message-type", "event")):
        headers += bytes([len(key)]) + key.encode() + b"\7" + struct.pack(">H", len(value))
        headers += value.encode()
    body = json.dumps(payload).encode()
    head = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    rest = head + struct.pack(">I", zlib.crc32(head)) + headers + body
    return rest + struct.pack(">I", zlib.crc32(rest))


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}
CHAT = {"id": "x", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
    "role": "assistant", "content": "hi", "reasoning_content": "hm", "tool_calls": [CALL]}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}
CHUNKS = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": "h"}}]},
          {"choices": [{"index": 0, "delta": {"tool_calls": [
              {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}]}}]},
          {"choices": [{"index": 0, "delta": {"tool_calls": [
              {"index": 0, "function": {"arguments": "}"}}]}, "finish_reason": "tool_calls"}]}]

REPLIES = {
    "anthropic": {"id": "m", "type": "message", "model": "x", "role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "hi", "citations": [{"type": "page_location", "cited_text": "a"}]},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 2}},
    "bedrock": {"output": {"message": {"role": "assistant", "content": [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}, {"text": "hi"},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]}}, "stopReason": "tool_use",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}},
    "google": {"candidates": [{"content": {"role": "model", "parts": [
        {"text": "hm", "thought": True}, {"text": "hi"},
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}]},
        "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}},
    "openai": {"id": "r", "object": "response", "status": "completed", "output": [
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}],
         "encrypted_content": "e"},
        {"type": "message", "id": "m", "role": "assistant", "content": [
            {"type": "output_text", "text": "hi", "annotations": []}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}},
    "openai-chat": CHAT,
    "openrouter": {**CHAT, "choices": [{"finish_reason": "stop", "message": {
        "content": "hi", "reasoning_details": [{"type": "reasoning.encrypted", "data": "e"}]}}]},
    "mistral": CHAT,
    "ollama": {"model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 3,
               "message": {"role": "assistant", "content": "hi", "thinking": "hm", "tool_calls": [
                   {"function": {"name": "f", "arguments": {"a": 1}}}]}},
    "cohere": {"id": "m", "finish_reason": "TOOL_CALL", "message": {
        "role": "assistant", "tool_plan": "hi", "tool_calls": [CALL],
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}],
        "citations": [{"start": 0, "end": 2, "text": "hi", "type": "TEXT_CONTENT", "sources": [
            {"type": "tool", "id": "c:0", "tool_output": {"a": 1}}]}]},
        "usage": {"billed_units": {"input_tokens": 3}, "tokens": {"input_tokens": 3, "output_tokens": 2}}},
}

STREAMS = {
    "anthropic": sse(
        {"type": "message_start", "message": {"id": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"}),
    "bedrock": frame("messageStart", {"role": "assistant"})
    + frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "hi"}})
    + frame("contentBlockStop", {"contentBlockIndex": 0})
    + frame("messageStop", {"stopReason": "end_turn"}),
    "google": sse(REPLIES["google"]),
    "openai": sse({"type": "response.created", "response": {"id": "r"}},
                  {"type": "response.output_item.added", "output_index": 0, "item": {
                      "type": "message", "id": "m", "content": []}},
                  {"type": "response.output_text.delta", "output_index": 0, "content_index": 0,
                   "delta": "hi"},
                  {"type": "response.completed", "response": REPLIES["openai"]}),
    "openai-chat": sse(*CHUNKS, done=True),
    "openrouter": b": PROCESSING\n\n" + sse(*CHUNKS, done=True),
    "mistral": sse(*CHUNKS, done=True),
    "ollama": b'{"message":{"content":"h"}}\n{"message":{"content":"i"},"done":true}\n',
    "cohere": sse(
        {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "hi"}}}},
        {"type": "content-end", "index": 0},
        {"type": "citation-start", "index": 0, "delta": {"message": {"citations": {
            "start": 0, "end": 2, "text": "hi", "sources": [{"type": "document", "id": "d:0"}]}}}},
        {"type": "citation-end", "index": 0},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "so"}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {
            "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {
            "function": {"arguments": "{}"}}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {}}}),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(ORDER):
        error = json.dumps({"error": {"type": "overloaded_error", "message": "busy"}}).encode()
        reply = json.dumps(REPLIES[name]).encode()
        (FOLDER / f"{name}_reply").write_bytes(bytes([number, 3]) + reply)
        (FOLDER / f"{name}_stream").write_bytes(bytes([128 + number, 3]) + STREAMS[name])
        (FOLDER / f"{name}_error").write_bytes(bytes([number, 0]) + error)
        (FOLDER / f"{name}_cut").write_bytes(bytes([128 + number, 1]) + STREAMS[name][:-9])


main()
