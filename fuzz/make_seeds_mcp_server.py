#!/usr/bin/env python3
"""Write the seeds of fuzz_mcp_server: what clients say to a server, a message a line.

They go to corpus/mcp_server/ beside this file, under their own names; other files there are kept."""
import json
import pathlib

from make_seeds_rpc import META, call

FOLDER = pathlib.Path(__file__).parent / "corpus" / "mcp_server"
INITIALIZE = call("initialize", {"protocolVersion": "2025-06-18", "clientInfo": {"name": "c"},
                                 "capabilities": {"roots": {}, "elicitation": {}}}, id="i")


def modern(method, params=None, **more):
    return call(method, {**(params or {}), "_meta": META}, **more)


def cancel(number):
    return call("notifications/cancelled", {"requestId": number})


SEEDS = {
    "legacy": [INITIALIZE, call("notifications/initialized"), call("ping", id=1),
               call("logging/setLevel", {"level": "debug"}, id=2), call("tools/list", id=3),
               call("resources/templates/list", {"cursor": ""}, id=4),
               call("prompts/list", {"cursor": "x"}, id=5), call("nope", id=6)],
    "queued": [INITIALIZE, call("tools/call", {"name": "read_file", "arguments": {}}, id=1),
               call("resources/list", {"cursor": "MDph"}, id=2),
               call("resources/read", {"uri": "file:///a%20b"}, id=3),
               call("tools/call", {"name": "t"}, id=1), cancel(1), cancel(2), cancel(9),
               {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}},
               call("notifications/roots/list_changed")],
    "subscribed": [INITIALIZE, call("resources/subscribe", {"uri": "test://a/y"}, id=1),
                   call("resources/subscribe", {"uri": "file:///etc/passwd"}, id=2),
                   call("resources/unsubscribe", {"uri": "test://a/y"}, id=3)],
    "modern": [modern("server/discover", id=1), modern("tools/list", id=2), modern("ping", id=3),
               modern("tools/call", {"name": "t", "requestState": "AAAA"}, id=4),
               call("tools/list", id=5)],
    "listening": [modern("subscriptions/listen", {"notifications": {
        "toolsListChanged": True, "promptsListChanged": True,
        "resourceSubscriptions": ["test://a/y", "file:///x", 7]}}, id="s"),
                  modern("subscriptions/listen", {"notifications": {}}, id=7), cancel("s")],
    "completing": [INITIALIZE, call("completion/complete", {
        "ref": {"type": "ref/resource", "uri": "file:///{path}"},
        "argument": {"name": "path", "value": "a"}}, id=1),
                   call("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"},
                                                "argument": {"name": "x", "value": ""}}, id=2)],
    "versions": [call("tools/list", {"_meta": {**META, next(iter(META)): "1900-01-01"}}, id=1),
                 call("tools/list", {"_meta": {next(iter(META)): 7}}, id=2),
                 call("initialize", {"protocolVersion": 7}, id=3)],
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, messages in SEEDS.items():
        lines = (json.dumps(m, separators=(",", ":")) for m in messages)
        (FOLDER / (name + ".jsonl")).write_text("\n".join(lines) + "\n")
    (FOLDER / "garbage.jsonl").write_bytes(b'hello\n[]\n{"jsonrpc":"2.0"\n\n\x00\xff\n7\n')
    print(len(SEEDS) + 1, "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
