#!/usr/bin/env python3
"""Write the seeds of fuzz_rpc: small messages, one idea each.

They go to corpus/rpc/ beside this file, under their own names; other files there are kept."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "rpc"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"}}


def call(method, params=None, **more):
    m = {"jsonrpc": "2.0", "method": method, **more}
    return m if params is None else {**m, "params": params}


SEEDS = {
    "initialize": call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                      "clientInfo": {"name": "c", "version": "1"}}, id=1),
    "initialized": call("notifications/initialized"),
    "discover": call("server/discover", {"_meta": META}, id="a"),
    "call": call("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"},
                                "_meta": {**META, "progressToken": 7}}, id=2),
    "listen": call("subscriptions/listen", {"notifications": {"toolsListChanged": True},
                                            "_meta": META}, id=3),
    "cancelled": call("notifications/cancelled", {"requestId": 2, "reason": "why"}),
    "result": {"jsonrpc": "2.0", "id": 1, "result": {"roots": [{"uri": "file:///a"}]}},
    "error": {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m", "data": [1]}},
    "batch": [call("ping", id=1)],
    "wrong_id": call("ping", id=[1]),
    "wrong_params": call("ping", [1], id=1),
    "wrong_both": {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
    "wrong_version": {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    "wrong_depth": json.loads("[" * 140 + "]" * 140),
}
SPELLED = {
    "wrong_half": b'{"jsonrpc":"2.0","id":1,',
    "wrong_garbage": b"Listening on port 8080",
    "spelled_id": b'{"jsonrpc":"2.0","id":"\\u0041\\ud800","method":"\\u0070ing"}',
    "fraction": b'{"jsonrpc":"2.0","id":1.50e3,"method":"ping"}',
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, message in SEEDS.items():
        (FOLDER / (name + ".json")).write_text(json.dumps(message, separators=(",", ":")))
    for name, text in SPELLED.items():
        (FOLDER / (name + ".json")).write_bytes(text)
    print(len(SEEDS) + len(SPELLED), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
