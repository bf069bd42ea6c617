#!/usr/bin/env python3
"""MCP servers for the tests of the client, good and bad: servers.py MODE [--http].

A mode is words with "+" between them: legacy or modern, and what else is wrong or special about it.
Over HTTP the port is the first line of standard output; the server ends when its input does.
"""
import http.server
import json
import os
import queue
import select
import signal
import sys
import threading
import time

MODE = set(sys.argv[1].split("+"))
OUT = sys.stdout.buffer
LOCK = threading.Lock()
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


def result_text(text):
    return {"content": [{"type": "text", "text": text}]}


def tools():
    if "many" in MODE:
        return [{"name": f"tool{i}", "inputSchema": {"type": "object"}} for i in range(3000)]
    listed = [{"name": n, "description": f"does {n}", "annotations": {"readOnlyHint": True},
               "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}
              for n in ("echo", "special")]
    if "odd" in MODE:
        listed += [{"name": "text", "inputSchema": "string"}, {"inputSchema": {}}, 5,
                   {"name": "echo", "inputSchema": {}}, {"name": "bare"},
                   {"name": "späße and/slashes", "inputSchema": {"type": "object"}},
                   {"name": "task", "inputSchema": {}, "execution": {"taskSupport": "required"}}]
    if "mirror" in MODE:
        listed[0]["inputSchema"]["properties"]["x"]["x-mcp-header"] = "X"
        deep = {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}
        listed[0]["inputSchema"]["properties"]["deep"] = deep
        listed[0]["inputSchema"]["examples"] = ["x-mcp-header"]
        listed.append({"name": "unsafe", "inputSchema": {"type": "object", "properties": {
            "y": {"type": "number", "x-mcp-header": "Y"}}}})
        listed.append({"name": "hidden", "inputSchema": {"type": "object", "oneOf": [
            {"properties": {"y": {"type": "string", "x-mcp-header": "Y"}}}]}})
    if "twins" in MODE:
        listed += [{"name": "twin"}] * 20000
    if "changes" in MODE and State.changed:
        listed.append({"name": "later", "inputSchema": {"type": "object"}})
    return listed


class State:
    changed = flooding = False
    lists = streams = 0
    stopped, asked = threading.Event(), threading.Event()


def page(params):
    every = tools()
    if "pages" not in MODE and "many" not in MODE and "round" not in MODE:
        return {"tools": every}
    size = 1000 if "many" in MODE else 1
    at = int(params.get("cursor") or 0)
    answer = {"tools": every[at:at + size]}
    if "round" in MODE:
        answer["nextCursor"] = "1"
    elif at + size < len(every):
        answer["nextCursor"] = str(at + size)
    return answer


def count(what):
    """How often they are listed, or a stream is begun, within a while."""
    before = getattr(State, what)
    time.sleep(1.5)
    found = getattr(State, what) - before
    return f"few {what}" if found < 20 else f"{found} {what}"


def flood(notify):
    while True:
        notify("notifications/tools/list_changed", {})
        time.sleep(0.01)


def list_tools(params, notify):
    State.lists += 1
    if "fails-later" in MODE and State.changed:
        return {"error": {"code": -32603, "message": "no list today"}}
    if "floods-lists" in MODE:
        if not State.flooding:
            State.flooding = True
            threading.Thread(target=flood, args=(notify,), daemon=True).start()
        if "counted" not in MODE:
            time.sleep(0.1)
    answer = {"result": page(params)}
    if "while-listing" in MODE and not State.changed:
        State.changed = True
        notify("notifications/tools/list_changed", {})
    return answer


def identity(params):
    name = "test server"
    capabilities = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
    if params.get("_meta", {}).get(META + "protocolVersion"):
        return {"resultType": "complete", "supportedVersions": [MODERN], "ttlMs": 0, "cacheScope": "private",
                "capabilities": capabilities, "instructions": "Be kind.",
                "_meta": {META + "serverInfo": {"name": name, "version": "1"}}}
    return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
            "serverInfo": {"name": name, "version": "1"}, "instructions": "Be kind."}


def ask_back(params, ask):
    """Questions to the client while a call is under way; their answers as text."""
    form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {
        "name": {"type": "string"}, "age": {"type": "integer", "default": 7}}}}
    kinds = [("ping", {}), ("roots/list", {}), ("elicitation/create", form),
             ("sampling/createMessage", {"messages": [], "maxTokens": 1}), ("no/such", {})]
    return " ".join(json.dumps(ask(m, p), sort_keys=True) for m, p in kinds)


def ask_often(send):
    """Forty questions at once, whose answers are not taken before the last was asked; how many came."""
    for i in range(40):
        ASKED[f"ping{i}"] = None
        send({"jsonrpc": "2.0", "id": f"ping{i}", "method": "ping"})
    State.asked.set()
    with ASKED.ready:
        ASKED.ready.wait_for(lambda: all(v is not None for v in ASKED.values()), 30)
        return str(sum(v is not None for v in ASKED.values()))


def rounds(params):
    """The same in the modern era: first the questions, then the result of their answers."""
    if params.get("requestState") != "two":
        asked = {"a": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {
            "type": "object", "properties": {"name": {"type": "string"}}}}},
            "r": {"method": "roots/list"}}
        state = "two" if params.get("requestState") == "one" else "one"
        return {"resultType": "input_required", "inputRequests": asked, "requestState": state}
    return dict(result_text(json.dumps(params["inputResponses"], sort_keys=True)), resultType="complete")


def call(params, ask, notify):
    name, arguments = params.get("name"), params.get("arguments") or {}
    token = params.get("_meta", {}).get("progressToken")
    if name == "special" and "asks" in MODE:
        return result_text(ask_back(params, ask))
    if name == "special" and "rounds" in MODE:
        return rounds(params)
    if name == "special" and "visit" in MODE and not State.changed:
        State.changed = True
        return {"first": [{"mode": "url", "message": "Log in", "url": "https://x.example/", "elicitationId": "1"}]}
    if name == "special" and "progress" in MODE:
        for i in range(3):
            notify("notifications/progress", {"progressToken": token, "progress": i + 1, "total": 3,
                                              "message": f"step {i + 1}"})
            time.sleep(0.02)
    if name == "special" and "flood" in MODE:
        for i in range(20000):
            notify("notifications/progress", {"progressToken": token, "progress": i})
            notify("notifications/tools/list_changed", {})
            notify("notifications/message", {"level": "info", "data": "x" * 50})
    if name == "special" and "counted" in MODE:
        return result_text(count("streams" if "ending" in MODE else "lists"))
    if name == "special" and "changes" in MODE:
        State.changed = True
        notify("notifications/tools/list_changed", {})
    if name == "special" and "environment" in MODE:
        return result_text(json.dumps({"env": sorted(os.environ), "cwd": os.getcwd(), "fds": sorted(os.listdir("/proc/self/fd")),
                                       "said": os.environ.get("SAID")}))
    if name not in ("echo", "special"):
        return None
    return result_text(f"{name} {arguments.get('x', '')}")


def answer(m, ask, notify):
    """The result of a request, or an error."""
    method, params = m["method"], m.get("params") or {}
    modern = "modern" in MODE
    if method == ("server/discover" if modern else "initialize"):
        return {"result": identity(params)}
    if modern and method != "initialize" and META + "clientCapabilities" not in params.get("_meta", {}):
        return {"error": {"code": -32602, "message": "no _meta"}}
    if method == "tools/list":
        return list_tools(params, notify)
    if method == "tools/call":
        got = call(params, ask, notify)
        if got and "first" in got:
            return {"error": {"code": -32042, "message": "log in first", "data": {"elicitations": got["first"]}}}
        return {"result": got} if got else {"error": {"code": -32602, "message": "no such tool"}}
    if method == "resources/list":
        return {"result": {"resources": [{"uri": "mem://a", "name": "a"}]}}
    if method == "resources/read" and "rounds" in MODE:
        return {"result": rounds(params)}
    if method == "resources/read":
        return {"result": {"contents": [{"uri": params["uri"], "text": "inside"}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


# stdio


def say(m, end=b"\n"):
    with LOCK:
        OUT.write(json.dumps(m).encode() + end)
        OUT.flush()


def raw(data):
    with LOCK:
        OUT.write(data)
        OUT.flush()


class Asked(dict):
    def __init__(self):
        super().__init__()
        self.ready = threading.Condition()


ASKED = Asked()


def ask_stdio(method, params):
    with ASKED.ready:
        key = f"q{len(ASKED)}"
        ASKED[key] = None
    say({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
    with ASKED.ready:
        ASKED.ready.wait_for(lambda: ASKED[key] is not None)
        return ASKED[key]


def began(m):
    return {"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": m["params"]["_meta"]["progressToken"], "progress": 1}}


def misbehave(m):
    """What a bad server does to a call of "special"; true where that is all."""
    if "web" in MODE:
        return True
    if m.get("method") == "server/discover" and "dies-of-probe" in MODE:
        sys.exit(4)
    if m.get("method") == "server/discover" and "mute" in MODE:
        return True
    if m.get("method") == "tools/list" and "list-fails" in MODE:
        say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32603, "message": "no list today"}})
        return True
    if m.get("method") != "tools/call" or m["params"]["name"] != "special":
        return False
    ok = {"jsonrpc": "2.0", "id": m["id"], "result": result_text("fine")}
    if "dies" in MODE:
        print("about to die", file=sys.stderr, flush=True)
        os._exit(3)
    if "killed" in MODE:
        os.kill(os.getpid(), signal.SIGKILL)
    if "half" in MODE:
        raw(json.dumps(ok).encode()[:20])
        os._exit(0)
    if "closes" in MODE:
        os.close(1)
        time.sleep(60)
    if "long" in MODE:
        try:
            for _ in range(1024):
                raw(b"x" * (1 << 20))
        except BrokenPipeError:
            os._exit(0)
    if "silent" in MODE:
        say(began(m))
        return True
    if "wrong-id" in MODE:
        say(dict(ok, id=m["id"] + 1000))
        return True
    if "twice" in MODE:
        say(ok)
        say(ok)
        return True
    if "text-id" in MODE:
        say(dict(ok, id=str(m["id"])))
        return True
    if "garbage" in MODE:
        raw(b"Listening on port 8080\n\xff\xfe\x00\n[1,2]\n{}\n\n{\"jsonrpc\":\"2.0\"\n")
    if "stray-secret" in MODE:
        raw(b"x" * 50 + os.environ["SAID"].encode() + b"\n")
        return True
    if "babble" in MODE:
        for _ in range(200):
            raw(b"this is not MCP\n" * 100)
        return True
    if "values" in MODE:  # of which each would take many times its bytes
        raw(json.dumps(dict(ok, result={"content": [], "structuredContent": {"x": None}})).encode()
            .replace(b"null", b"[" + b"1," * (20 << 20) + b"1]") + b"\n")
        return True
    if "no-result" in MODE:
        say(dict(ok, result=5))
        return True
    if "empty-result" in MODE:
        say(dict(ok, result={}))
        return True
    if "odd-kind" in MODE:
        say(dict(ok, result={"resultType": "postponed", "content": []}))
        return True
    if "bad-error" in MODE:
        say({"jsonrpc": "2.0", "id": m["id"], "error": "no"})
        return True
    if "null-error" in MODE:
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}})
        return True
    if "client-key" in MODE:
        say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": 1, "message": "bad key s3cret-of-the-client"}})
        return True
    if "secret" in MODE:
        say({"jsonrpc": "2.0", "id": m["id"], "error": {"code": 1, "message": "bad key " + os.environ["SAID"]}})
        return True
    return False


def take_stdio(m):
    if "method" not in m:
        with ASKED.ready:
            ASKED[m["id"]] = m.get("result", m.get("error"))
            ASKED.ready.notify_all()
        return
    if m["method"] == "notifications/cancelled":
        sys.stderr.write(f"cancelled {m['params']['requestId']}\n")  # in one piece
    if "id" not in m or misbehave(m):
        return
    if m["method"] == "subscriptions/listen" and "modern" in MODE:
        say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
             "params": {"_meta": {META + "subscriptionId": m["id"]}, "notifications": m["params"]["notifications"]}})
        return
    notify = lambda method, params: say({"jsonrpc": "2.0", "method": method, "params": params})
    say(dict({"jsonrpc": "2.0", "id": m["id"]}, **answer(m, ask_stdio, notify)))


def serve_stdio():
    if "stubborn" in MODE:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "tells-all" in MODE:
        print(f"key {os.environ['SAID']}\n" * 5000 + "all is said", file=sys.stderr, flush=True)
    if "web" in MODE:
        raw(b"Serving HTTP on 0.0.0.0 port 8000\n")
    if "pid" in MODE:
        print(os.getpid(), file=sys.stderr, flush=True)
    for line in sys.stdin:
        threading.Thread(target=take_stdio, args=(json.loads(line),), daemon=True).start()
        if "dies-of-probe" in MODE and "discover" in line:
            os._exit(4)
    while "stubborn" in MODE:
        time.sleep(60)


# HTTP


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions, held, letters = set(), [], queue.Queue()

    def log_message(self, *args):
        pass

    def reply(self, status, body=b"", kind="application/json", more=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()

    def event(self, m, ident=None):
        text = (f"id: {ident}\n" if ident else "") + "event: message\ndata: " + (json.dumps(m) if m else "") + "\n\n"
        self.wfile.write(text.encode())
        self.wfile.flush()

    def fault(self, m):
        """Modern requests say what they are; a number of checks, as the protocol has them."""
        h, params = self.headers, m.get("params") or {}
        if "modern" not in MODE:
            if m.get("method") != "initialize" and h.get("Mcp-Session-Id") not in self.sessions:
                return 404 if h.get("Mcp-Session-Id") else 400
            return None
        mirrored = None
        if "mirror" in MODE and m.get("method") == "tools/call" and params.get("name") == "echo":
            x = params["arguments"].get("x")
            want = {"plain": "plain", "späße": "=?base64?c3DDpMOfZQ==?=", None: None}[x]
            n = params["arguments"].get("deep", {}).get("n")
            mirrored = h.get("Mcp-Param-X") != want or h.get("Mcp-Param-N") != (str(n) if n is not None else None)
        if m.get("method") == "initialize":
            return 400
        if (h.get("MCP-Protocol-Version") != MODERN or h.get("Mcp-Method") != m["method"] or mirrored
                or (m["method"] == "tools/call" and h.get("Mcp-Name") != params["name"])):
            return 400
        return None

    def take_letter(self, m):
        """A server of 2024: what is posted is answered on the one stream."""
        if self.path != "/messages?session=1":
            return self.reply(405)
        self.reply(202, b"Accepted", "text/plain")
        if "id" in m and not (m["method"] == "tools/call" and m["params"]["name"] == "special" and "ends" in MODE):
            self.letters.put(dict({"jsonrpc": "2.0", "id": m["id"]}, **answer(m, None, lambda *a: None)))
        elif "id" in m:
            self.letters.put(None)
        return None

    def serve_letters(self):
        self.begin_stream()
        where = "http://other.example/messages" if "foreign" in MODE else "/messages?session=1"
        self.wfile.write(f"event: endpoint\ndata: {where}\n\n".encode())
        while (m := self.letters.get()) is not None:
            self.event(m)

    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "old" in MODE:
            return self.take_letter(m)
        if "locked" in MODE and self.headers.get("Authorization") != "Bearer open-sesame":
            return self.reply(401, b"who are you, " + self.headers.get("Authorization", "").encode())
        if "deaf" in MODE:
            return self.reply(404)
        if "broken" in MODE:
            return self.reply(500, b"<html>oops</html>", "text/html")
        if "fragile" in MODE and m.get("method") == "server/discover":
            return self.reply(500)
        fault = self.fault(m)
        if fault:
            error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "wrong headers"}}
            return self.reply(fault, json.dumps(error).encode())
        if "id" not in m or "method" not in m:
            if m.get("method") == "notifications/cancelled":
                sys.stderr.write(f"cancelled {m['params']['requestId']}\n")  # in one piece
                State.stopped.set()
            if "method" not in m:
                if "pings" in MODE:
                    State.asked.wait()
                with ASKED.ready:
                    ASKED[m["id"]] = m.get("result", m.get("error"))
                    ASKED.ready.notify_all()
            return self.reply(202)
        self.answer(m)

    def answer(self, m):
        special = m["method"] == "tools/call" and m["params"]["name"] == "special"
        if m["method"] == "subscriptions/listen":
            return self.listen(m)
        if special and "leaks" in MODE:
            return self.reply(400, ("bad header: " + self.headers["Authorization"]).encode())
        if special and "forgets" in MODE and not State.changed:
            State.changed = True
            self.sessions.clear()
            return self.reply(404)
        if special and "huge" in MODE:
            return self.huge()
        if special and "silent" in MODE:
            self.begin_stream()
            self.event(began(m))
            while select.select([self.connection], [], [], 60)[0] and self.connection.recv(1):
                pass
            sys.stderr.write("stream closed\n")
            if "modern" in MODE:
                State.stopped.set()
            return None
        if special and "cut" in MODE:
            return self.begin_stream()
        if special and "ending" in MODE and "counted" not in MODE:
            return self.end_soon()
        if special and "resumed" in MODE:
            self.held.append(m["id"])
            self.begin_stream()
            self.wfile.write(b"retry: 10\n")
            return self.event(None, "first")
        if m["method"] == "initialize":
            self.sessions.add("session-1")
        if "sse" not in MODE:
            whole = dict({"jsonrpc": "2.0", "id": m["id"]}, **answer(m, None, lambda *a: None))
            return self.reply(200, json.dumps(whole).encode(), more=[("Mcp-Session-Id", "session-1")])
        self.send_stream(m)

    def send_stream(self, m):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Mcp-Session-Id", "session-1")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        notify = lambda method, params: self.event({"jsonrpc": "2.0", "method": method, "params": params})

        def ask(method, params):
            with ASKED.ready:
                key = f"q{len(ASKED)}"
                ASKED[key] = None
            self.event({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
            with ASKED.ready:
                ASKED.ready.wait_for(lambda: ASKED[key] is not None)
                return ASKED[key]
        if "pings" in MODE and m["method"] == "tools/call" and m["params"]["name"] == "special":
            return self.event({"jsonrpc": "2.0", "id": m["id"], "result": result_text(ask_often(self.event))})
        self.event(dict({"jsonrpc": "2.0", "id": m["id"]}, **answer(m, ask, notify)))

    def end_soon(self):
        """A stream that says nothing but that it may be gone on with at once."""
        State.streams += 1
        self.begin_stream()
        self.wfile.write(b"retry: 0\n")
        self.event(None, "same")

    def huge(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        try:
            for _ in range(1024):
                self.wfile.write(b" " * (1 << 20))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def listen(self, m):
        self.begin_stream()
        self.event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "_meta": {META + "subscriptionId": m["id"]}, "notifications": {}}})
        while not State.changed:
            time.sleep(0.01)
        self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {
            "_meta": {META + "subscriptionId": m["id"]}}})
        time.sleep(60)

    def do_GET(self):
        if "deaf" in MODE:
            self.begin_stream()
            time.sleep(60)
        if "old" in MODE:
            return self.serve_letters()
        if "ending" in MODE and (self.headers.get("Last-Event-ID") or "counted" in MODE):
            return self.end_soon()
        if self.headers.get("Last-Event-ID") == "first" and self.held:
            self.begin_stream()
            return self.event({"jsonrpc": "2.0", "id": self.held.pop(), "result": result_text("resumed")}, "second")
        if "changes" not in MODE or "modern" in MODE:
            return self.reply(405)
        self.begin_stream()
        while not State.changed:
            time.sleep(0.01)
        self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        time.sleep(60)

    def do_DELETE(self):
        if self.headers.get("Mcp-Session-Id") in self.sessions:
            sys.stderr.write("session ended\n")
        self.reply(200)


def serve_http():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    if "silent" in MODE:
        State.stopped.wait()  # what has to be heard of it may still be on its way


if __name__ == "__main__":
    serve_http() if "--http" in sys.argv else serve_stdio()
    os._exit(0)
