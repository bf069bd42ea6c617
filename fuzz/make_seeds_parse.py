#!/usr/bin/env python3
"""Small requests of every dialect, as seeds for fuzz_parse."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "parse"
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAAA1BMVEX/AAAZ4gk3AAAAC0lEQVR4AWNgQAUA"
       "ABAAAdMV3sQAAAAASUVORK5CYII=")
URL = "data:image/png;base64," + PNG
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
FUNCTION = {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":\"1\"}"}}

CHAT = {"model": "m", "max_tokens": 9, "stop": "END", "tools": [FUNCTION], "messages": [
    {"role": "system", "content": "s"},
    {"role": "user", "content": [{"type": "text", "text": "hi"},
                                 {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}]},
    {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "See file att_1."},
    {"role": "user", "content": [{"type": "text", "text": "[f c1: \"a.png\"] This is file att_1:"},
                                 {"type": "image_url", "image_url": {"url": URL}}]}]}

CUSTOM = {"type": "custom_tool_call", "call_id": "x1", "name": "p", "input": "a"}


def output(call):
    return {"type": "function_call_output", "call_id": call, "output": "o"}


# Number of the dialect, and what only that one says.
OWN = [
    (0, {"model": "m", "max_tokens": 9, "metadata": {"user_id": "u"}, "top_k": 4,
         "tools": [{"name": "f", "input_schema": SCHEMA, "defer_loading": True},
                   {"type": "web_search_20250305", "name": "web_search"}],
         "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}, "messages": [
             {"role": "assistant", "content": "a"},
             {"role": "user", "content": [
                 {"type": "container_upload", "file_id": "f"},
                 {"type": "document", "source": {"type": "file", "file_id": "f"}, "context": "c",
                  "citations": {"enabled": True}}]},
             {"role": "system", "content": [{"type": "text", "text": "s"}, {"type": "tool_addition"}]}]}),
    (1, {"guardrailConfig": {"trace": "enabled"}, "additionalModelRequestFields": {"x": 1},
         "toolConfig": {"tools": [{"systemTool": {"name": "n"}}, {"cachePoint": {"type": "default"}}]},
         "messages": [{"role": "user", "content": [{"text": "hi"}, {"searchResult": {"title": "t"}}]},
                      {"role": "system", "content": [{"text": "s"}, {"toolRemoval": {}}]}]}),
    (2, {"model": "m", "safetySettings": [{"category": "c"}], "tools": [{"googleSearch": {}}],
         "generationConfig": {"topK": 4, "thinkingConfig": {"includeThoughts": False}},
         "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}, "contents": [
             {"role": "model", "parts": [{"text": "hm", "thought": True},
                                         {"text": "a", "thoughtSignature": "c2ln"}]},
             {"role": "user", "parts": [{"executableCode": {"code": "1"}}, {"text": "x"}]}]}),
    *[(n, {"model": "m", "n": 2, "store": True, "tools": [FUNCTION, {"type": "custom"}],
           "reasoning_effort": "low", "messages": [
               {"role": "user", "content": [{"type": "hologram"}, 7]},
               {"role": "developer", "content": "d"}, {"role": "system", "content": "s"}]})
      for n in (3, 4)],
    (5, {"model": "m", "previous_response_id": "r", "store": True, "reasoning": {"effort": "low"},
         "tools": [{"type": "function", "name": "f", "parameters": SCHEMA, "strict": True},
                   {"type": "web_search"}], "input": [
             output("c9"), {"role": "user", "content": [{"type": "input_image"}]},
             {"role": "assistant", "phase": "commentary", "content": "a"},
             {"role": "assistant", "phase": "final_answer", "content": "b"},
             CUSTOM, output("x1"), {"role": "developer", "content": "d"}]}),
    (6, {"model": "m", "keep_alive": 5, "messages": [
        {"role": "user", "content": "hi", "images": [7, PNG]}, {"role": "system", "content": "s"}]}),
    (7, {"model": "m", "documents": ["d", {"id": "e", "data": {"a": 1}}], "k": 4, "tool_choice": "NONE",
         "thinking": {"type": "disabled"}, "citation_options": {"mode": "OFF"}, "tools": [FUNCTION], "messages": [
             {"role": "user", "content": [{"type": "hologram"}, 7]}, {"role": "system", "content": "s"}]}),
]

REQUESTS = [
    {"model": "m", "max_tokens": 9, "system": [{"type": "text", "text": "s"}],
     "tools": [{"name": "f", "input_schema": SCHEMA}], "tool_choice": {"type": "tool", "name": "f"},
     "messages": [
         {"role": "user", "content": [{"type": "text", "text": "hi",
                                       "cache_control": {"type": "ephemeral"}}]},
         {"role": "assistant", "content": [
             {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
             {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]},
         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": True,
                                       "content": "no"},
                                      {"type": "image", "source": {
                                          "type": "base64", "media_type": "image/png",
                                          "data": PNG}}]}]},
    {"system": [{"text": "s"}], "toolConfig": {"tools": [{"toolSpec": {
        "name": "f", "inputSchema": {"json": SCHEMA}}}]}, "messages": [
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "status": "success", "content": [
            {"json": {"a": 1}}, {"image": {"format": "png", "source": {"bytes": PNG}}}]}}]}]},
    {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}},
                                     "thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {
            "output": ["a", {"attachment": 0}]}, "parts": [{"inlineData": {
                "mimeType": "image/png", "data": PNG}}]}}]}]},
    CHAT, CHAT,
    {"model": "m", "instructions": "s", "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "hi"},
                                     {"type": "input_image", "image_url": URL, "detail": "auto"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "o"}, {"type": "input_image", "image_url": URL}]}]},
    {"model": "m", "stream": False, "messages": [
        {"role": "user", "content": "hi", "images": [PNG]},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f",
                                                                         "arguments": {}}}]},
        {"role": "tool", "tool_name": "f", "content": "a\n[img]\nb", "images": [PNG]}]},
    {"model": "m", "stream": True, "p": 0.5, "stop_sequences": ["x"], "tools": [FUNCTION], "documents": ["d"],
     "thinking": {"type": "enabled", "token_budget": 9}, "messages": [
         {"role": "user", "content": [{"type": "text", "text": "hi"},
                                      {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}]},
         {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}], "tool_plan": "so",
          "tool_calls": [CALL], "citations": [{"start": 0}]},
         {"role": "tool", "tool_call_id": "c1", "content": [
             {"type": "text", "text": "o"}, {"type": "document", "document": {"data": {"a": 1}}}]}]},
]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, request in enumerate(REQUESTS):
        for model in range(9):
            head = bytes([number, model])
            (FOLDER / f"request_{number}_for_{model}").write_bytes(head + json.dumps(request).encode())
    for number, request in OWN:
        for model in (number, 8):
            head = bytes([number, model])
            (FOLDER / f"own_{number}_for_{model}").write_bytes(head + json.dumps(request).encode())


main()
