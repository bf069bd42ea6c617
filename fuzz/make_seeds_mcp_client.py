#!/usr/bin/env python3
"""Write the seeds of fuzz_mcp_client: what servers say, a message a line.

They go to corpus/mcp_client/ beside this file, under their own names; other files there are kept."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "mcp_client"
META = "io.modelcontextprotocol/"
DISCOVER = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}},
            "instructions": "i", "_meta": {META + "serverInfo": {"name": "n", "version": "1"}}}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}}
SCHEMA = {"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": "X"}, "d": {
    "type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}}}
TOOLS = {"tools": [{"name": "a", "title": "A", "description": "d", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
                   {"name": "b", "inputSchema": {"oneOf": [SCHEMA]}}, {"name": "c", "inputSchema": 5}, 7]}
FORM = {"message": "m", "requestedSchema": {"type": "object", "required": ["t"], "properties": {
    "t": {"type": "string", "minLength": 1, "format": "email", "default": "a@b.example"},
    "n": {"type": "number", "minimum": 1, "maximum": 5, "default": 2.5}, "i": {"type": "integer", "default": 3},
    "b": {"type": "boolean", "default": True}, "e": {"type": "string", "enum": ["p", "q"], "enumNames": ["P", "Q"], "default": "q"},
    "o": {"type": "string", "oneOf": [{"const": "p", "title": "P"}]},
    "m": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["p", "q"]}, "default": ["p", "q"]},
    "k": {"type": "array", "items": {"anyOf": [{"const": "p", "title": "P"}]}}}}}


def result(n, value):
    return {"jsonrpc": "2.0", "id": n, "result": value}


def error(n, code, message="m", **more):
    return {"jsonrpc": "2.0", "id": n, "error": {"code": code, "message": message, **more}}


def told(method, params=None, **more):
    return {"jsonrpc": "2.0", "method": method, **more, **({"params": params} if params else {})}


CALL = {"content": [{"type": "text", "text": "t"}]}
SEEDS = {
    "modern": [result(1, DISCOVER), told("notifications/subscriptions/acknowledged", {}), result(3, TOOLS), result(4, CALL)],
    "legacy": [error(1, -32601), result(2, INITIALIZE), result(3, {**TOOLS, "nextCursor": "c"}), result(4, TOOLS), result(5, CALL)],
    "version": [error(1, -32022, data={"supported": ["2026-07-28", "2030-01-01"]}), error(2, -32601)],
    "asks": [error(1, -1), result(2, INITIALIZE), result(3, TOOLS), told("ping", id=1), told("roots/list", id="r"),
             told("elicitation/create", FORM, id=2), told("sampling/createMessage", {"messages": []}, id=3), result(4, CALL)],
    "progress": [error(1, -1), result(2, INITIALIZE), result(3, TOOLS),
                 told("notifications/progress", {"progressToken": 4, "progress": 1, "total": 2.5, "message": "step"}),
                 told("notifications/tools/list_changed"), result("4", CALL)],
    "wrong": [result(9, {}), result(1, 5), error(None, -32700), result(2, {"protocolVersion": 7}), result(3, "x")],
    "no_list": [result(1, DISCOVER), error(2, -32601), error(3, -32603)],
    "form": [FORM],
}
SPELLED = {"garbage": b"Listening on port 8080\n[]\n{}\n\xff\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\"\n"}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, messages in SEEDS.items():
        (FOLDER / name).write_text("".join(json.dumps(m, separators=(",", ":")) + "\n" for m in messages))
    for name, text in SPELLED.items():
        (FOLDER / name).write_bytes(text)
    print(len(SEEDS) + len(SPELLED), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
