#!/usr/bin/env python3
"""refract mcp --http: Streamable HTTP in both eras, spoken to over bare connections.

    test_http.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import concurrent.futures
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

REFRACT = os.path.abspath(sys.argv[1])
LIMIT_S = 120  # ends what hangs; no case depends on it
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
META = "io.modelcontextprotocol/"
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Server:
    def __init__(self, *options, address="127.0.0.1:0", env=None):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self.folder.name)
        with open(os.path.join(self.root, "a.txt"), "w", encoding="utf-8") as f:
            f.write("what is in a\n")
        home = {"HOME": self.root, "XDG_CACHE_HOME": os.path.join(self.root, ".cache"),
                "XDG_CONFIG_HOME": os.path.join(self.root, ".config")}
        self.process = subprocess.Popen([REFRACT, "mcp", "--root", self.root, "--http", address, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **home, **(env or {})}, cwd=self.root, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://.*:(\d+)/mcp", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kind else signal.SIGTERM)
        out, err = self.process.communicate(timeout=LIMIT_S)
        self.folder.cleanup()
        if not kind:
            assert self.process.returncode == 0 and not out and not err, (self.process.returncode, out, err)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)

    def request(self, method="POST", body=None, path="/mcp", **headers):
        """The response, whose body is not read yet."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent.update({k.replace("_", "-"): v for k, v in headers.items()})
        data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        c.request(method, path, data, {k: v for k, v in sent.items() if v is not None})
        r = c.getresponse()
        r.connection = c
        return r

    def ask(self, *args, **kwargs):
        """(status, headers, what the body says)"""
        r = self.request(*args, **kwargs)
        data = r.read()
        r.connection.close()
        if (r.headers["Content-Type"] or "").startswith("application/json"):
            return r.status, r.headers, json.loads(data)
        return r.status, r.headers, data.decode()

    # The modern era.

    def modern_body(self, method, params=None, version=MODERN, ident=1):
        meta = {META + "protocolVersion": version, META + "clientCapabilities": {},
                META + "clientInfo": {"name": "t", "version": "0"}}
        return {"jsonrpc": "2.0", "id": ident, "method": method, "params": {**(params or {}), "_meta": meta}}

    def modern(self, method, params=None, version=MODERN, raw=False, **headers):
        params = params or {}
        mirrored = {"MCP_Protocol_Version": version, "Mcp_Method": method}
        name = params.get("uri") if method == "resources/read" else params.get("name")
        if name:
            mirrored["Mcp_Name"] = name
        mirrored.update(headers)
        body = self.modern_body(method, params, version)
        return (self.request if raw else self.ask)(body=body, **mirrored)

    # The legacy era.

    def session(self, version=LEGACY, capabilities=None):
        status, headers, said = self.ask(body=initialize(version, capabilities))
        assert status == 200 and said["result"]["protocolVersion"] == version, (status, said)
        ident = headers["Mcp-Session-Id"]
        assert re.fullmatch(r"[!-~]{16,}", ident)
        status, _, said = self.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=ident,
                                   MCP_Protocol_Version=version)
        assert (status, said) == (202, ""), (status, said)
        return ident

    def legacy(self, session, method, params=None, ident=2, raw=False, **headers):
        body = {"jsonrpc": "2.0", "id": ident, "method": method}
        if params is not None:
            body["params"] = params
        return (self.request if raw else self.ask)(body=body, Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY, **headers)

    def works(self):
        status, _, said = self.modern("tools/list")
        assert status == 200 and said["result"]["tools"], said


def initialize(version=LEGACY, capabilities=None):
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": {"name": "t", "version": "0"}}}


class Events:
    """The server-sent events of a response, one at a time."""

    def __init__(self, response):
        self.response = response
        assert response.status == 200, (response.status, response.read())
        assert response.headers["Content-Type"] == "text/event-stream", response.headers
        assert response.headers["X-Accel-Buffering"] == "no"
        self.last_id = None
        self.comments = 0

    def next(self):
        """A message, or None at the end."""
        data = None
        while line := self.response.readline().decode():
            line = line.rstrip("\n")
            if line.startswith("id: "):
                self.last_id = line[4:]
            elif line.startswith("data: "):
                data = line[6:]
            elif line.startswith(":"):
                self.comments += 1
            elif not line and data:
                return json.loads(data)
            else:
                assert not line, line
        return None

    def close(self):
        self.response.close()
        self.response.connection.close()


def code(said):
    return said["error"]["code"]


# Who may come in.

@case("a Host that is not ours is refused, whoever asks: DNS rebinding")
def _():
    with Server("--allow-host", "mcp.example") as s:
        for host in ("evil.example", "evil.example:%d" % s.port, "localhost.evil.example", "127.0.0.1.evil.example", "8.8.8.8", "",
                     "localhost:%d, evil.example" % s.port, "localhost:x", "[::1]:1,2"):
            status, _, said = s.modern("tools/list", Host=host)
            assert status in (400, 403), (host, status, said)
        for host in ("localhost", "LOCALHOST:1", f"127.0.0.1:{s.port}", "[::1]:1", "[::1]", "mcp.example", "mcp.example:443"):
            assert s.modern("tools/list", Host=host)[0] == 200, host


@case("an Origin that is not ours is refused; our own page and allowed ones are let in")
def _():
    with Server("--allow-origin", "https://app.example") as s:
        for origin in ("http://evil.example", "https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example",
                       "https://app.example.evil.example", "http://app.example", "https://app.example:444", "localhost", "file://",
                       "http://localhost", "http://localhost:6274", "http://127.0.0.1:1", f"http://[::1].evil.example:{s.port}"):
            status, headers, said = s.modern("tools/list", Origin=origin)
            assert status == 403 and code(said) == -32600, (origin, status, said)
            assert not headers["Access-Control-Allow-Origin"]
        for origin in (f"http://localhost:{s.port}", f"http://127.0.0.1:{s.port}", f"http://[::1]:{s.port}", "https://app.example"):
            status, headers, _ = s.modern("tools/list", Origin=origin)
            assert status == 200 and headers["Access-Control-Allow-Origin"] == origin, origin
        status, headers, _ = s.ask("OPTIONS", Origin="https://app.example", Access_Control_Request_Method="POST")
        assert status == 204 and "Mcp-Method" in headers["Access-Control-Allow-Headers"]
        assert s.ask("OPTIONS", Origin="http://evil.example")[0] == 403


@case("with a token nothing works without it")
def _():
    for how in ("file", "variable"):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("s3cret-token\n")
            f.flush()
            options, env = (["--token-file", f.name], {}) if how == "file" else ([], {"REFRACT_MCP_TOKEN": "s3cret-token"})
            with Server(*options, env=env) as s:
                for wrong in (None, "Bearer", "Bearer ", "Bearer s3cret-toke", "Bearer s3cret-token2", "Bearer S3cret-token",
                              "Basic s3cret-token", "s3cret-token", "Bearer " + "s3cret-token" * 2):
                    status, headers, said = s.modern("tools/list", Authorization=wrong)
                    assert status == 401 and headers["WWW-Authenticate"].startswith("Bearer"), (wrong, status)
                    assert "s3cret" not in json.dumps(said)
                assert s.modern("tools/list", Authorization="Bearer s3cret-token")[0] == 200
                assert s.modern("tools/list", Authorization="bearer  s3cret-token ")[0] == 200
                assert s.ask("GET")[0] == 401 and s.ask("DELETE")[0] == 401
                assert s.ask(body=initialize())[0] == 401


@case("an address that others reach needs a token, and then takes any number as Host")
def _():
    def fails(*options, env=None):
        p = subprocess.run([REFRACT, "mcp", *options], capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                           env={**os.environ, **(env or {})}, check=False)
        assert p.returncode == 2, p
        return p.stderr
    for address in ("0.0.0.0:0", "[::]:0"):
        said = fails("--http", address)
        assert "no token is asked for" in said and "--token-file FILE" in said, said
    for address in ("here", "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:-1", "::1:80", ":80", "127.0.0.1:x", ""):
        assert "is not an address" in fails("--http", address), address
    assert "As in refract mcp --http 127.0.0.1:8931 --allow-host" in fails("--allow-host", "x")
    assert "no token in its first line" in fails("--http", "0", "--token-file", "/dev/null")
    for option, wrong in (("--allow-host", "http://a.example/"), ("--allow-host", ""), ("--allow-origin", "a.example"),
                          ("--allow-origin", "https://a.example/"), ("--allow-origin", "https://")):
        said = fails("--http", "0", option, wrong)
        assert f'{option}: "{wrong}" is not' in said and "hint: As in" in said, said
    with Server(address="0.0.0.0:0", env={"REFRACT_MCP_TOKEN": "t"}) as s:
        assert s.modern("tools/list", Authorization="Bearer t", Host="192.0.2.1:80")[0] == 200
        assert s.modern("tools/list", Authorization="Bearer t", Host="evil.example")[0] == 403
        assert s.modern("tools/list", Host="192.0.2.1:80")[0] == 401


@case("a port that is taken is said to be")
def _():
    with Server() as s:
        p = subprocess.run([REFRACT, "mcp", "--http", f"127.0.0.1:{s.port}"], capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert p.returncode != 0 and "could not listen" in p.stderr, p


@case("other paths, methods and types are refused, each with its status")
def _():
    with Server() as s:
        assert s.ask(path="/", body=s.modern_body("tools/list"))[0] == 404
        assert s.ask(path="/mcp/", body=s.modern_body("tools/list"))[0] == 404
        for method in ("PUT", "PATCH", "TRACE", "HEAD"):
            r = s.request(method)
            assert r.status == 405 and "POST" in r.headers["Allow"], (method, r.status)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", None):
            assert s.modern("tools/list", Content_Type=kind)[0] == 415, kind
        assert s.modern("tools/list", Content_Type="Application/JSON; charset=utf-8")[0] == 200
        for accept in ("application/json", "text/event-stream", "text/html"):
            assert s.modern("tools/list", Accept=accept)[0] == 406, accept
        for accept in (None, "*/*", "text/event-stream;q=0.5, APPLICATION/json", "application/*, text/*"):
            assert s.modern("tools/list", Accept=accept)[0] == 200, accept


@case("a body over the limit is refused with the limit")
def _():
    with Server() as s:
        status, _, said = s.ask(body=b"[" * (9 << 20), MCP_Protocol_Version=MODERN)
        assert status == 413 and "8388608 bytes" in said["error"]["message"], said
        s.works()


@case("what is not a message is answered with what is wrong")
def _():
    with Server() as s:
        for body, want in ((b"", -32700), (b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"1", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600),
                           (b"[" * 5000, None)):
            for version in (MODERN, LEGACY, None):
                status, _, said = s.ask(body=body, MCP_Protocol_Version=version, Mcp_Method="x")
                ident = 1 if b'"id":1' in body else None  # as far as it can be read
                assert status == 400 and said["id"] == ident, (body[:20], status, said)
                assert want is None or code(said) == want, (body[:20], said)


# The modern era.

@case("modern: a call is answered with JSON, and nothing is kept")
def _():
    with Server() as s:
        status, headers, said = s.modern("server/discover")
        assert status == 200 and MODERN in said["result"]["supportedVersions"], said
        assert not headers["Mcp-Session-Id"]
        status, _, said = s.modern("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
        assert status == 200 and "what is in a" in json.dumps(said), said


@case("modern: headers that are missing or say something else than the body are -32020")
def _():
    call = ("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
    with Server() as s:
        for headers in ({"Mcp_Method": None}, {"Mcp_Method": "tools/list"}, {"Mcp_Method": "TOOLS/CALL"}, {"Mcp_Name": None},
                        {"Mcp_Name": "view_image"}, {"Mcp_Name": "=?base64?!!?="}, {"MCP_Protocol_Version": None},
                        {"MCP_Protocol_Version": LEGACY}, {"MCP_Protocol_Version": "1900-01-01"}):
            status, _, said = s.modern(*call, **headers)
            assert status == 400 and code(said) == -32020 and said["id"] == 1, (headers, status, said)
        wrapped = "=?base64?" + base64.b64encode(b"read_file").decode() + "?="
        assert s.modern(*call, Mcp_Name=wrapped)[0] == 200
        status, _, said = s.modern("resources/read", {"uri": f"file://{s.root}/a.txt"}, Mcp_Name="file:///etc/passwd")
        assert status == 400 and code(said) == -32020
        assert s.modern("resources/read", {"uri": f"file://{s.root}/a.txt"})[0] == 200


@case("modern: statuses of refusals")
def _():
    with Server() as s:
        status, _, said = s.modern("no/such", version=MODERN)
        assert (status, code(said)) == (404, -32601), (status, said)
        status, _, said = s.modern("tools/list", version="1900-01-01")
        assert (status, code(said)) == (400, -32022) and said["error"]["data"]["supported"], (status, said)
        status, _, said = s.ask(body={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}, MCP_Protocol_Version=MODERN, Mcp_Method="tools/list")
        assert (status, code(said)) == (400, -32602), (status, said)
        status, _, said = s.modern("tools/call", {"name": "nope", "arguments": {}})
        assert (status, code(said)) == (200, -32602), (status, said)
        for method in ("GET", "DELETE"):
            status, headers, said = s.ask(method, MCP_Protocol_Version=MODERN)
            assert status == 405 and headers["Allow"] == "POST", (status, said)


@case("modern: a notification is accepted")
def _():
    with Server() as s:
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": {META + "protocolVersion": MODERN}}}
        status, _, said = s.ask(body=body, MCP_Protocol_Version=MODERN, Mcp_Method="notifications/cancelled")
        assert (status, said) == (202, "")


@case("modern: subscriptions/listen is a stream, which ends with the server")
def _():
    with Server() as s:
        uri = f"file://{s.root}/a.txt"
        events = Events(s.modern("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}}, raw=True))
        assert events.next()["method"] == "notifications/subscriptions/acknowledged"
        with open(os.path.join(s.root, "a.txt"), "a", encoding="utf-8") as f:
            f.write("more\n")
        said = events.next()
        assert said["method"] == "notifications/resources/updated" and said["params"]["uri"] == uri, said
        assert events.last_id is None
        s.process.send_signal(signal.SIGTERM)
        while (said := events.next()) and "result" not in said:
            pass
        assert said and said["id"] == 1, said
        assert events.next() is None


@case("a stream on which nothing happens has signs of life")
def _():
    with Server() as s:
        session = s.session()
        general = Events(s.request("GET", Mcp_Session_Id=session))
        events = Events(s.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, raw=True))
        assert events.next()["method"] == "notifications/subscriptions/acknowledged"
        for stream in (events, general):
            assert stream.response.readline().startswith(b":")


@case("modern: many streams, whose clients vanish, leave nothing behind")
def _():
    with Server() as s:
        before = len(os.listdir(f"/proc/{s.process.pid}/fd"))
        for _ in range(3):
            streams = [Events(s.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, raw=True)) for _ in range(50)]
            for e in streams:
                assert e.next()["method"] == "notifications/subscriptions/acknowledged"
            for e in streams:
                e.close()
        s.works()
        deadline = time.monotonic() + LIMIT_S
        while len(os.listdir(f"/proc/{s.process.pid}/fd")) > before + 8 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(os.listdir(f"/proc/{s.process.pid}/fd")) <= before + 8


# The legacy era.

@case("legacy: a session of each revision, from initialize to DELETE")
def _():
    with Server() as s:
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            ident = s.session(version)
            for header in (version, None):
                status, _, said = s.ask(body={"jsonrpc": "2.0", "id": 5, "method": "tools/list"}, Mcp_Session_Id=ident, MCP_Protocol_Version=header)
                assert status == 200 and said["id"] == 5 and said["result"]["tools"], said
            status, _, said = s.legacy(ident, "tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
            assert status == 200 and "what is in a" in json.dumps(said)
            status, _, said = s.legacy(ident, "no/such")
            assert status == 200 and code(said) == -32601, (status, said)
            assert s.ask("DELETE", Mcp_Session_Id=ident)[0] == 200
            assert s.legacy(ident, "tools/list")[0] == 404
            assert s.ask("DELETE", Mcp_Session_Id=ident)[0] == 404


@case("legacy: without a session, with an unknown one, or a revision that nobody knows: refused")
def _():
    with Server() as s:
        ident = s.session()
        assert s.legacy(None, "tools/list")[0] == 400
        assert s.legacy("0" * 32, "tools/list")[0] == 404
        assert s.legacy(ident[:-1], "tools/list")[0] == 404
        assert s.legacy(ident.upper() + "\t", "tools/list")[0] == 404 or ident.upper() == ident
        status, _, said = s.ask(body={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, Mcp_Session_Id=ident, MCP_Protocol_Version="1900-01-01")
        assert status == 400, (status, said)
        assert s.ask("GET")[0] == 405 and s.ask("GET", Mcp_Session_Id="x")[0] == 404
        assert s.ask("GET", Mcp_Session_Id=ident, Accept="application/json")[0] == 406


@case("legacy: an initialize that fails makes no session")
def _():
    with Server() as s:
        status, headers, said = s.ask(body={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 5})
        assert "error" in said and not headers["Mcp-Session-Id"], (status, said)
        status, headers, said = s.ask(body={"jsonrpc": "2.0", "id": 1, "method": "initialize"})
        assert "error" in said and not headers["Mcp-Session-Id"], (status, said)


def asking(s, session, ident=7):
    """A call that asks the client for its roots: (its stream, the id of the question)"""
    events = Events(s.legacy(session, "tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}}, ident=ident, raw=True))
    said = events.next()
    assert said["method"] == "roots/list", said
    return events, said["id"]


def answer(s, session, ident):
    body = {"jsonrpc": "2.0", "id": ident, "result": {"roots": [{"uri": "file://" + s.root, "name": "r"}]}}
    status, _, said = s.ask(body=body, Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY)
    assert (status, said) == (202, ""), (status, said)


@case("legacy: a question to the client comes on the stream of the call, its answer in a POST")
def _():
    with Server() as s:
        session = s.session(capabilities={"roots": {}})
        events, question = asking(s, session)
        answer(s, session, question)
        said = events.next()
        assert said["id"] == 7 and "what is in a" in json.dumps(said), said
        assert events.next() is None


@case("legacy: a stream that was lost goes on in a GET with the last event's id")
def _():
    with Server() as s:
        for when in ("before", "after"):
            session = s.session(capabilities={"roots": {}})
            events, question = asking(s, session)
            seen = events.last_id
            events.close()
            if when == "before":
                answer(s, session, question)
                time.sleep(0.2)
            again = Events(s.request("GET", Mcp_Session_Id=session, Last_Event_ID=seen))
            if when == "after":
                answer(s, session, question)
            said = again.next()
            assert said["id"] == 7 and "what is in a" in json.dumps(said), (when, said)
            assert again.next() is None
            once_more = Events(s.request("GET", Mcp_Session_Id=session, Last_Event_ID=seen))
            assert once_more.next()["id"] == 7, "what is kept can be had again"
        for bad in ("x", "1", "-1-1", "99-1", "1-99", "0-5", "1-", "18446744073709551616-1"):
            assert s.ask("GET", Mcp_Session_Id=session, Last_Event_ID=bad)[0] == 400, bad
        other = s.session()
        assert s.ask("GET", Mcp_Session_Id=other, Last_Event_ID=seen)[0] == 400, "of another session"


@case("legacy: a client that takes a stream over from its own old connection gets it")
def _():
    with Server() as s:
        session = s.session(capabilities={"roots": {}})
        events, question = asking(s, session)
        again = Events(s.request("GET", Mcp_Session_Id=session, Last_Event_ID=events.last_id))
        answer(s, session, question)
        assert again.next()["id"] == 7
        try:
            assert events.next() is None
        except http.client.IncompleteRead:
            pass


@case("legacy: a stream that is taken over when its call is done ends, and the session goes on")
def _():
    with Server() as s:
        session = s.session(capabilities={"roots": {}})
        with open(os.path.join(s.root, "noise.bin"), "wb") as f:
            f.write(os.urandom(5 << 20))
        c = http.client.HTTPConnection("127.0.0.1", s.port, timeout=LIMIT_S)
        c.sock = socket.socket()
        c.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that the answer does not go out at once
        c.sock.connect(("127.0.0.1", s.port))
        body = {"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": f"file://{s.root}/noise.bin"}}
        c.request("POST", "/mcp", json.dumps(body).encode(),
                  {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY})
        events = Events(c.getresponse())
        question = events.next()["id"]
        answer(s, session, question)
        while "error" in s.legacy(session, "ping", ident=7)[2]:  # the id is in use until the call is done
            time.sleep(0.02)
        again = Events(s.request("GET", Mcp_Session_Id=session, Last_Event_ID=events.last_id))
        assert again.next()["id"] == 7 and again.next() is None
        status, _, said = s.legacy(session, "tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
        assert "what is in a" in json.dumps(said), (status, said)
        c.close()


@case("legacy: the general stream has what belongs to no request, also what came before it was opened")
def _():
    with Server() as s:
        session = s.session()
        uri = f"file://{s.root}/a.txt"
        assert "result" in s.legacy(session, "resources/subscribe", {"uri": uri})[2]

        def change():
            with open(os.path.join(s.root, "a.txt"), "a", encoding="utf-8") as f:
                f.write("more\n")

        events = Events(s.request("GET", Mcp_Session_Id=session))
        assert s.ask("GET", Mcp_Session_Id=session)[0] == 409
        change()
        assert events.next()["params"]["uri"] == uri
        seen = events.last_id
        events.close()
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:  # until the server has noticed
            change()
            r = s.request("GET", Mcp_Session_Id=session, Last_Event_ID=seen)
            if r.status == 200:
                break
            assert r.status == 409, r.status
            time.sleep(0.05)
        change()
        again = Events(r)
        assert again.next()["params"]["uri"] == uri
        assert again.last_id != seen


@case("legacy: DELETE ends streams and calls under way")
def _():
    with Server() as s:
        session = s.session(capabilities={"roots": {}})
        general = Events(s.request("GET", Mcp_Session_Id=session))
        call, _ = asking(s, session)
        assert s.ask("DELETE", Mcp_Session_Id=session)[0] == 200
        assert general.next() is None and call.next() is None
        s.works()


@case("legacy: a cancelled call ends its stream without an answer")
def _():
    with Server() as s:
        session = s.session(capabilities={"roots": {}})
        events, _ = asking(s, session)
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        assert s.ask(body=body, Mcp_Session_Id=session)[0] == 202
        assert events.next() is None


@case("legacy: more sessions than are kept: the one that was left alone for longest goes")
def _():
    with Server() as s:
        first, second = s.session(), s.session()
        listening = s.session()
        general = Events(s.request("GET", Mcp_Session_Id=listening))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: s.session(), range(990)))
        assert s.legacy(second, "tools/list")[0] == 200
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: s.session(), range(20)))
        assert s.legacy(first, "tools/list")[0] == 404
        assert s.legacy(second, "tools/list")[0] == 200
        assert s.legacy(listening, "tools/list")[0] == 200, "it has a stream"
        general.close()


# Trouble.

@case("a client that goes before its answer leaves the server well, in both eras")
def _():
    with Server() as s:
        session = s.session()
        call = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read_file", "arguments": {"file_path": "a.txt"}}}
        for body, headers in ((call, f"Mcp-Session-Id: {session}\r\n"),
                              (s.modern_body("tools/list"), f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/list\r\n")):
            data = json.dumps(body).encode()
            for _ in range(50):
                c = s.connect()
                c.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(data)}\r\n\r\n".encode() + data)
                c.close()
        s.works()
        assert s.legacy(session, "tools/list")[0] == 200


@case("half a request holds nobody up")
def _():
    with Server() as s:
        held = [s.connect() for _ in range(50)]
        for i, c in enumerate(held):
            c.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"[:20 + 4 * i])
        s.works()
        for c in held:
            c.close()


@case("many clients at once, each with its own answers")
def _():
    def one(s, i):
        session = s.session()
        for n in range(10):
            status, _, said = s.legacy(session, "tools/list", ident=f"{i}-{n}")
            assert status == 200 and said["id"] == f"{i}-{n}"
            status, _, said = s.modern("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
            assert status == 200 and "what is in a" in json.dumps(said)

    with Server() as s, concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: one(s, i), range(16)))


@case("random faults in messages and headers leave it alive")
def _():
    draw = random.Random(3)
    with Server() as s:
        session = s.session()
        bodies = [json.dumps(b).encode() for b in (
            initialize(), s.modern_body("tools/list"), s.modern_body("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}}),
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "id": 1, "result": {}})]
        for _ in range(400):
            data = bytearray(draw.choice(bodies))
            for _ in range(draw.randrange(4)):
                at = draw.randrange(len(data))
                data[at:at + draw.randrange(3)] = draw.randbytes(draw.randrange(3))
            headers = {"MCP_Protocol_Version": draw.choice((None, MODERN, LEGACY, "x")), "Mcp_Method": draw.choice((None, "tools/list", "tools/call")),
                       "Mcp_Name": draw.choice((None, "read_file", "=?base64?AA==?=")), "Mcp_Session_Id": draw.choice((None, session, session[:-1] + "g"))}
            r = s.request(draw.choice(("POST", "POST", "POST", "DELETE" if draw.random() < 0.05 else "POST")), bytes(data), **headers)
            assert r.status < 500, r.status
            r.connection.close()
        s.works()


def main():
    wanted = sys.argv[2:] or [""]
    failed = ran = 0
    for name, function in CASES:
        if not any(w in name for w in wanted):
            continue
        ran += 1
        try:
            function()
            print("ok  ", name, flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("FAIL", name, flush=True)
            traceback.print_exc(file=sys.stdout)
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
