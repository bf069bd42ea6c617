"""What coding agents send, as it was recorded: the path that they ask, and the body."""
from harness import PNG, WORDS, b64

AGENTS = {
    "Claude Code": ("/v1/messages?beta=true", {
        "max_tokens": 32000, "temperature": 1, "stream": True,
        "system": [{"type": "text", "text": "You write code.", "cache_control": {"type": "ephemeral"}}],
        "metadata": {"user_id": "user_1_account__session_2"}, "thinking": {"type": "enabled", "budget_tokens": 31999},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "tools": [{"name": "Read", "description": "Reads a file", "cache_control": {"type": "ephemeral"},
                   "input_schema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                                    "properties": {"file_path": {"type": "string"},
                                                   "limit": {"type": "number", "exclusiveMinimum": 0}},
                                    "required": ["file_path"], "additionalProperties": False}},
                  {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "<system-reminder>now</system-reminder>"},
                                         {"type": "text", "text": WORDS, "cache_control": {"type": "ephemeral"}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "I shall read it.", "signature": "c2lnbmVk"},
                {"type": "text", "text": "I read it."},
                {"type": "tool_use", "id": "toolu_01", "name": "Read", "input": {"file_path": "/a.png"}}]},
            {"role": "user", "content": [{"tool_use_id": "toolu_01", "type": "tool_result", "content": [
                {"type": "image", "source": {"type": "base64", "data": b64(PNG), "media_type": "image/png"}}]}]}]}),
    "Codex": ("/v1/responses", {
        "instructions": "You write code.", "tool_choice": "auto", "parallel_tool_calls": False, "store": False,
        "stream": True, "reasoning": {"effort": "medium", "summary": "auto"}, "text": {"verbosity": "medium"},
        "include": ["reasoning.encrypted_content"], "prompt_cache_key": "0199",
        "input": [
            {"type": "additional_tools", "id": "at_01", "role": "developer", "tools": [
                {"type": "namespace", "name": "functions", "description": "", "tools": [
                    {"type": "custom", "name": "exec", "description": "Run JavaScript code",
                     "format": {"type": "grammar", "syntax": "lark", "definition": "start: SOURCE"}}]}]},
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "<permissions>"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": WORDS}]},
            {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "gAAAA"},
            {"type": "function_call", "name": "view_image", "arguments": "{\"path\":\"a.png\"}", "call_id": "call_v"},
            {"type": "function_call_output", "call_id": "call_v", "output": [
                {"type": "input_image", "image_url": "data:image/png;base64," + b64(PNG)}]},
            {"type": "custom_tool_call", "status": "completed", "call_id": "call_x", "name": "apply_patch",
             "input": "*** Begin Patch"},
            {"type": "custom_tool_call_output", "call_id": "call_x", "output": "Success"}],
        "tools": [{"type": "function", "name": "shell", "description": "Runs it", "strict": False,
                   "parameters": {"type": "object", "properties": {"command": {"type": "array", "items": {
                       "type": "string"}}}, "required": ["command"], "additionalProperties": False}},
                  {"type": "custom", "name": "apply_patch", "description": "Applies it",
                   "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"}},
                  {"type": "web_search"}, {"type": "local_shell"}]}),
    "opencode": ("/v1/chat/completions", {
        "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 32000, "reasoning_effort": "low",
        "messages": [
            {"role": "system", "content": "You write code."}, {"role": "user", "content": WORDS},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "Image read"},
            {"role": "user", "content": [
                {"type": "text", "text": "Attached:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + b64(PNG)}}]}],
        "tools": [{"type": "function", "function": {"name": "read", "description": "Reads it", "parameters": {
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {}}}}]}),
}
