#!/usr/bin/env python3
"""Calls over Streamable HTTP that take their time: streams, cancellation, clients that do not read.

    test_http_calls.py PATH-OF-HTTP_TOOLS [PART-OF-A-NAME...]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import re
import signal
import sys

import test_http
from test_http import Events, MODERN, Server, case

test_http.CASES.clear()
PROGRESS = {"progressToken": "p"}
with open(sys.argv[1], "rb") as program:
    SANITIZED = b"__asan_init" in program.read()


def call(s, tool, arguments=None, **meta):
    """A modern call, whose answer is not read yet."""
    body = s.modern_body("tools/call", {"name": tool, "arguments": arguments or {}})
    body["params"]["_meta"].update(meta)
    return s.request(body=body, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name=tool)


def send(s, tool, *headers):
    """The same on a bare connection, from which nothing was read."""
    body = s.modern_body("tools/call", {"name": tool, "arguments": {}})
    body["params"]["_meta"].update(PROGRESS)
    data = json.dumps(body).encode()
    c = s.connect()
    head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"MCP-Protocol-Version: {MODERN}",
            "Mcp-Method: tools/call", f"Mcp-Name: {tool}", f"Content-Length: {len(data)}", *headers, "", ""]
    c.sendall("\r\n".join(head).encode() + data)
    return c


def peak_kib(s):
    with open(f"/proc/{s.process.pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


@case("modern: progress makes a stream, without ids, which ends with the result")
def _():
    with Server() as s:
        events = Events(call(s, "steps", **PROGRESS))
        said = [events.next() for _ in range(4)]
        assert [m.get("method") for m in said] == ["notifications/progress"] * 3 + [None], said
        assert said[3]["id"] == 1 and "all steps" in json.dumps(said[3])
        assert events.next() is None and events.last_id is None
        r = call(s, "steps")
        assert r.status == 200 and r.headers["Content-Type"] == "application/json", "nobody asked for progress"


@case("modern: a client that closes the connection cancels its call")
def _():
    with Server() as s:
        c = send(s, "wait")
        assert s.process.stdout.readline() == "waiting\n"
        c.close()
        assert s.process.stdout.readline() == "cancelled\n"
        s.works()


@case("legacy: a client that is lost before anything was heard cancels its call; DELETE cancels, too")
def _():
    with Server() as s:
        for how in ("lost", "deleted"):
            session = s.session()
            body = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "wait", "arguments": {}}}
            data = json.dumps(body).encode()
            c = s.connect()
            c.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: {session}\r\n"
                       f"Content-Length: {len(data)}\r\n\r\n").encode() + data)
            assert s.process.stdout.readline() == "waiting\n"
            if how == "deleted":
                assert s.ask("DELETE", Mcp_Session_Id=session)[0] == 200
                assert c.recv(65536).startswith(b"HTTP/1.1 404 ")
            c.close()
            assert s.process.stdout.readline() == "cancelled\n"


@case("a call that takes long becomes a stream with signs of life, in both eras")
def _():
    with Server() as s:
        session = s.session()
        modern = call(s, "slow", {"ms": 18000})
        legacy = s.legacy(session, "tools/call", {"name": "slow", "arguments": {"ms": 18000}}, ident=9, raw=True)
        for r, ident in ((modern, 1), (legacy, 9)):
            events = Events(r)
            said = events.next()
            assert said["id"] == ident and "at last" in json.dumps(said) and events.comments, said
            assert events.next() is None
        assert events.last_id == "1-1"


@case("a client that does not read is cut off before it takes memory, and nobody waits for it")
def _():
    with Server() as s:
        s.works()
        before = peak_kib(s)
        for _ in range(3):
            c = send(s, "flood")
            s.works()
            assert s.process.stdout.readline() == "cancelled\n"
            c.close()
        if not SANITIZED:  # a sanitizer keeps what was freed
            assert peak_kib(s) - before < 128 << 10, (before, peak_kib(s))
        s.works()


@case("told to end, it finishes what can be finished soon, and cancels the rest")
def _():
    with Server() as s:
        soon = send(s, "slow")
        late = send(s, "wait")
        assert s.process.stdout.readline() == "waiting\n"
        s.process.send_signal(signal.SIGTERM)
        assert b"at last" in soon.recv(65536)
        assert s.process.stdout.readline() == "cancelled\n"
        assert late.recv(65536) == b""


if __name__ == "__main__":
    sys.exit(test_http.main())
