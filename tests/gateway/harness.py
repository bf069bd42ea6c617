"""What the tests of the gateway share: a gateway in front of a simulator, clients of every API over bare HTTP, and how
cases are run.

    TEST.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Between the gateway and the simulator stands a relay that remembers what it passed on. `main` prints a line a case, then
"N passed, N failed"; the status is 1 when one failed.
"""
import base64
import http.client
import http.server
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import media_fixtures

REFRACT = os.path.abspath(sys.argv[1])
LIMIT_S = 120  # ends what hangs; no case depends on it
CASES = []
with open(REFRACT, "rb") as program:
    PROGRAM = program.read()
SANITIZED = b"__asan_init" in PROGRAM or b"__tsan_init" in PROGRAM

PNG = media_fixtures.png(64, (200, 30, 30))
PDF = media_fixtures.pdf(b"Quarterly figures")
WORDS = "the weather in Bern"


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(str(message)[:3000])


def post(path, body, more=""):
    """The bytes of a request."""
    data = json.dumps(body).encode()
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {len(data)}\r\n\r\n".encode() + data


def b64(data):
    return base64.b64encode(data).decode()


# The other side


class Sim:
    def __init__(self, folder, script=None):
        options = []
        if script:
            path = os.path.join(folder, "script.yaml")
            pathlib.Path(path).write_text(script, encoding="utf-8")
            options = ["--script", path]
        self.process = subprocess.Popen([REFRACT, "sim", "-q", *options], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def stop(self):
        """Its status; a sanitizer ends it with one of its own, in the middle too."""
        self.process.terminate()
        self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode


class Relay(http.server.ThreadingHTTPServer):
    """Passes requests on to the simulator, and keeps their bodies in `seen` and their heads in `heads`. With
    `stall`, it says that itself and then waits until the gateway is gone, which sets `gone`; with `cut`, it goes first.
    With `feed`, a queue, it says what is put there, piece by piece, until None."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Passing)
        self.to, self.seen, self.stall, self.gone = port, [], None, threading.Event()
        self.heads, self.cut, self.feed = [], False, None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])) if self.headers["content-length"] else self.chunks()
        if not self.path.endswith("/api/show"):  # what a model takes is asked once a day
            self.server.seen.append(body)
            self.server.heads.append(f"{self.path}\n{self.headers}")
        if self.server.stall is not None:
            self.wait_for_end()
            return
        if self.server.feed is not None:
            self.pass_on(self.server.feed)
            return
        to = http.client.HTTPConnection("127.0.0.1", self.server.to, timeout=LIMIT_S)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "transfer-encoding", "expect")}
        headers["content-length"] = str(len(body))
        try:
            to.request("POST", self.path, body, headers)
        except ConnectionRefusedError:
            self.close_connection = True  # the simulator has ended, and said why itself
            return
        answer = to.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("connection", "close")
        self.close_connection = True
        self.end_headers()
        try:
            while piece := answer.read1(4096):
                self.wfile.write(piece)
        except (http.client.HTTPException, ConnectionError):
            pass  # it breaks off for the gateway too

    def pass_on(self, feed):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        try:
            while piece := feed.get():
                self.wfile.write(piece)
                self.wfile.flush()
        except ConnectionError:
            pass  # the gateway went first

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def wait_for_end(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + self.server.stall)
        self.wfile.flush()
        try:
            while not self.server.cut and self.connection.recv(4096):
                pass
        except ConnectionError:
            pass  # it went before it had read all
        self.server.gone.set()
        self.close_connection = True


def environment(home, at=None):
    """Variables of a program whose home is new, with a key for each provider, which is at `at`; None: no keys."""
    own = {k: v for k, v in os.environ.items()
           if not k.endswith(("_API_KEY", "_BASE_URL")) and not k.startswith(("AWS_", "OLLAMA_", "REFRACT_MODEL"))}
    own |= {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_CACHE_HOME": home + "/cache"}
    if not at:
        return own
    return own | {
        "ANTHROPIC_BASE_URL": at + "/anthropic", "ANTHROPIC_API_KEY": "sk-ant-not-to-be-seen",
        "OPENAI_BASE_URL": at + "/openai/v1", "OPENAI_API_KEY": "sk-not-to-be-seen",
        "GEMINI_BASE_URL": at + "/google", "GEMINI_API_KEY": "not-to-be-seen",
        "MISTRAL_BASE_URL": at + "/mistral", "MISTRAL_API_KEY": "not-to-be-seen",
        "COHERE_BASE_URL": at + "/cohere", "COHERE_API_KEY": "not-to-be-seen",
        "CO_API_URL": at + "/cohere", "OLLAMA_HOST": at + "/ollama",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": at + "/bedrock", "AWS_REGION": "us-east-1",
        "AWS_BEARER_TOKEN_BEDROCK": "not-to-be-seen",
    }


def make_certificate(folder):
    """certificate.pem and key.pem, of the name localhost."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/key.pem", "-out",
                    f"{folder}/certificate.pem"], check=True, capture_output=True, timeout=LIMIT_S)


def limit_to(descriptors):
    """What a child does before it runs, so that it has no more of them; None: nothing."""
    return descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)))


class Gateway:
    def __init__(self, *options, script=None, env=None, keys=True, config=None, descriptors=None):
        self.folder = tempfile.TemporaryDirectory()
        self.log = None  # the lines of its access log, once it has ended
        self.says = ""  # what else it must have said then on standard error
        home = self.folder.name
        if config:
            self.configure(config)
        self.sim = Sim(home, script)
        self.relay = Relay(self.sim.port)
        at = f"http://127.0.0.1:{self.relay.server_address[1]}"
        own = environment(home, at if keys else None)
        self.process = subprocess.Popen([REFRACT, "serve", "--listen", "127.0.0.1:0", *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**own, **(env or {})}, cwd=home, text=True, preexec_fn=limit_to(descriptors))
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on https?://127.0.0.1:(\d+)\n", line)
        if not found:
            self.relay.stop()
            self.sim.stop()
            self.process.kill()
            raise AssertionError(line or self.process.stderr.read())
        self.port = int(found.group(1))

    def configure(self, text):
        """Put it into the person's own configuration file; the text may name the folder as {home}."""
        path = pathlib.Path(self.folder.name, "refract", "config.yaml")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("{home}", self.folder.name), encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.relay.stop()
        simulated = self.sim.stop()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kind else signal.SIGTERM)
        out, err = self.process.communicate(timeout=LIMIT_S)
        self.folder.cleanup()
        self.log = [json.loads(line) for line in err.splitlines() if line.startswith('{"time":')]
        expect(simulated == 0, f"the simulator ended with {simulated}")
        if not kind:
            err = "".join(line for line in err.splitlines(True) if not line.startswith('{"time":'))
            expect(self.process.returncode == 0 and not out and err == self.says, (self.process.returncode, out, err))

    def used(self, what):
        """Bytes; 0 where that tells nothing: a sanitizer keeps what was freed."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        if SANITIZED or not status.exists():
            return 0
        return int(re.search(what + r":\s*(\d+) kB", status.read_text()).group(1)) << 10

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)

    def ask(self, path, body=None, method=None, **headers):
        """(response, its body)"""
        c = self.connect()
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        sent = {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
        c.request(method or ("GET" if body is None else "POST"), path, data, sent)
        r = c.getresponse()
        text = r.read()
        c.close()
        return r, text


# What clients say. Each has a conversation with calls and their results: (name, arguments, result, failed), a result
# being a text or (media type, bytes).


class Anthropic:
    name = "anthropic"
    tells_failures = True

    def path(self, model, stream):
        return "/v1/messages"

    def media(self, mime, data):
        return {"type": "document" if mime == "application/pdf" else "image",
                "source": {"type": "base64", "media_type": mime, "data": b64(data)}}

    def content(self, result):
        return {"type": "text", "text": result} if isinstance(result, str) else self.media(*result)

    def body(self, model, stream, text, calls=()):
        messages = [{"role": "user", "content": text}]
        if calls:
            messages += [
                {"role": "assistant", "content": [{"type": "tool_use", "id": f"toolu_{i}", "name": n, "input": a}
                                                  for i, (n, a, _, _) in enumerate(calls)]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{i}",
                                              "content": [self.content(r)], "is_error": failed}
                                             for i, (_, _, r, failed) in enumerate(calls)]}]
        return {"model": model, "max_tokens": 1000, "stream": stream, "messages": messages,
                "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]}

    def whole(self, text):
        reply = json.loads(text)
        expect(reply["type"] == "message", reply)
        return ("".join(b["text"] for b in reply["content"] if b["type"] == "text"),
                [(b["id"], b["name"], b["input"]) for b in reply["content"] if b["type"] == "tool_use"])

    def stream(self, text):
        blocks, types = [], []
        for event, data in events(text):
            types.append(event)
            expect(data["type"] == event, data)
            if event == "content_block_start":
                blocks.append({**data["content_block"], "json": ""})
            elif event == "content_block_delta" and data["delta"]["type"] == "text_delta":
                blocks[data["index"]]["text"] += data["delta"]["text"]
            elif event == "content_block_delta" and data["delta"]["type"] == "input_json_delta":
                blocks[data["index"]]["json"] += data["delta"]["partial_json"]
        expect(types[0] == "message_start" and types[-1] == "message_stop", types)
        return ("".join(b["text"] for b in blocks if b["type"] == "text"),
                [(b["id"], b["name"], json.loads(b["json"])) for b in blocks if b["type"] == "tool_use"])

    def error(self, text):
        reply = json.loads(text)
        expect(reply["type"] == "error", reply)
        return reply["error"]["type"], reply["error"]["message"]

    def stream_error(self, text):
        event, data = events(text)[-1]
        expect(event == "error", (event, data))
        return data["error"]["message"]


class Chat:
    name = "openai-chat"
    tells_failures = False

    def path(self, model, stream):
        return "/v1/chat/completions"

    def content(self, result):
        if isinstance(result, str):
            return {"type": "text", "text": result}
        mime, data = result
        if mime == "application/pdf":
            return {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:{mime};base64,{b64(data)}"}}
        return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{b64(data)}"}}

    def body(self, model, stream, text, calls=()):
        messages = [{"role": "user", "content": text}]
        if calls:
            messages.append({"role": "assistant", "content": None, "tool_calls": [
                {"id": f"call_{i}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
                for i, (n, a, _, _) in enumerate(calls)]})
            messages += [{"role": "tool", "tool_call_id": f"call_{i}", "content": [self.content(r)]}
                         for i, (_, _, r, _) in enumerate(calls)]
        return {"model": model, "stream": stream, "messages": messages,
                "tools": [{"type": "function", "function": {"name": "look",
                                                            "parameters": {"type": "object", "properties": {}}}}]}

    def calls(self, message):
        return [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"]))
                for c in message.get("tool_calls") or []]

    def whole(self, text):
        reply = json.loads(text)
        expect(reply["object"] == "chat.completion", reply)
        message = reply["choices"][0]["message"]
        return message["content"] or "", self.calls(message)

    def stream(self, text):
        said, calls, lines = "", {}, events(text)
        expect(lines[-1] == (None, "[DONE]"), lines[-1])
        for _, data in lines[:-1]:
            for choice in data["choices"]:
                said += choice["delta"].get("content") or ""
                for c in choice["delta"].get("tool_calls") or []:
                    call = calls.setdefault(c["index"], {"function": {"name": "", "arguments": ""}})
                    call["id"] = c.get("id") or call.get("id")
                    call["function"]["name"] += c["function"].get("name") or ""
                    call["function"]["arguments"] += c["function"].get("arguments") or ""
        return said, self.calls({"tool_calls": list(calls.values())})

    def error(self, text):
        reply = json.loads(text)["error"]
        return reply["type"], reply["message"]

    def stream_error(self, text):
        return next(data for _, data in events(text) if isinstance(data, dict) and "error" in data)["error"]["message"]


def chat_piece(text, **more):
    """A piece of a stream, as Chat Completions have it."""
    said = {"id": "x", "choices": [{"index": 0, "delta": {"content": text} if text else {}, **more}]}
    return b"data: " + json.dumps(said).encode() + b"\n\n"


CHAT_END = chat_piece("", finish_reason="stop") + b"data: [DONE]\n\n"


class Responses:
    name = "openai-responses"
    tells_failures = False

    def path(self, model, stream):
        return "/v1/responses"

    def content(self, result):
        if isinstance(result, str):
            return {"type": "input_text", "text": result}
        mime, data = result
        url = f"data:{mime};base64,{b64(data)}"
        if mime == "application/pdf":
            return {"type": "input_file", "filename": "a.pdf", "file_data": url}
        return {"type": "input_image", "image_url": url}

    def body(self, model, stream, text, calls=()):
        items = [{"role": "user", "content": text}]
        items += [{"type": "function_call", "call_id": f"call_{i}", "name": n, "arguments": json.dumps(a)}
                  for i, (n, a, _, _) in enumerate(calls)]
        items += [{"type": "function_call_output", "call_id": f"call_{i}", "output": [self.content(r)]}
                  for i, (_, _, r, _) in enumerate(calls)]
        return {"model": model, "stream": stream, "input": items,
                "tools": [{"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}]}

    def read(self, reply):
        expect(reply["object"] == "response" and reply["status"] == "completed", reply)
        return ("".join(c["text"] for o in reply["output"] if o["type"] == "message" for c in o["content"]),
                [(o["call_id"], o["name"], json.loads(o["arguments"])) for o in reply["output"]
                 if o["type"] == "function_call"])

    def whole(self, text):
        return self.read(json.loads(text))

    def stream(self, text):
        lines = events(text)
        expect([e for e, _ in (lines[0], lines[-1])] == ["response.created", "response.completed"], lines)
        said, calls = self.read(lines[-1][1]["response"])
        pieces = "".join(d["delta"] for e, d in lines if e == "response.output_text.delta")
        expect(pieces == said, (pieces, said))
        return said, calls

    error = Chat.error

    def stream_error(self, text):
        event, data = events(text)[-1]
        expect(event in ("response.failed", "error"), (event, data))
        return (data["response"]["error"] if event == "response.failed" else data)["message"]


class Gemini:
    name = "gemini"
    tells_failures = True

    def path(self, model, stream):
        return f"/v1beta/models/{model}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")

    def result(self, i, name, result, failed):
        answer = {"id": f"call_{i}", "name": name, "response": {"output": "here it is"}}
        if isinstance(result, str):
            answer["response"] = {"error" if failed else "output": result}
        else:
            answer["parts"] = [{"inlineData": {"mimeType": result[0], "data": b64(result[1])}}]
        return {"functionResponse": answer}

    def body(self, model, stream, text, calls=()):
        contents = [{"role": "user", "parts": [{"text": text}]}]
        if calls:
            contents += [
                {"role": "model", "parts": [{"functionCall": {"id": f"call_{i}", "name": n, "args": a}}
                                            for i, (n, a, _, _) in enumerate(calls)]},
                {"role": "user", "parts": [self.result(i, n, r, failed) for i, (n, _, r, failed) in enumerate(calls)]}]
        return {"contents": contents, "tools": [{"functionDeclarations": [
            {"name": "look", "parameters": {"type": "object", "properties": {}}}]}]}

    def read(self, replies):
        parts = [p for r in replies for c in r["candidates"] for p in c.get("content", {}).get("parts", [])]
        return ("".join(p.get("text", "") for p in parts),
                [(p["functionCall"].get("id"), p["functionCall"]["name"], p["functionCall"]["args"]) for p in parts
                 if "functionCall" in p])

    def whole(self, text):
        return self.read([json.loads(text)])

    def stream(self, text):
        replies = [data for _, data in events(text)]
        expect("finishReason" in replies[-1]["candidates"][0], replies[-1])
        return self.read(replies)

    def error(self, text):
        reply = json.loads(text)["error"]
        return reply["status"], reply["message"]

    def stream_error(self, text):
        return events(text)[-1][1]["error"]["message"]


def events(text):
    """(name, data) of server-sent events."""
    out = []
    for block in text.decode().strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        data = fields["data"]
        out.append((fields.get("event"), data if data == "[DONE]" else json.loads(data)))
    return out


CLIENTS = [Anthropic(), Chat(), Responses(), Gemini()]
MODELS = ["anthropic:claude-sonnet-4-5", "openai-chat:gpt-4o", "openai:gpt-5.4-mini", "google:gemini-3.5-flash",
          "mistral:mistral-medium-latest", "cohere:command-a-plus-05-2026", "bedrock:us.amazon.nova-pro-v1:0",
          "ollama:gemma3"]
SHARED = None  # a gateway for all cases that leave it as it is


def shared(**options):
    global SHARED
    SHARED = SHARED or Gateway(**options)
    SHARED.relay.seen.clear()
    return SHARED


def read(client, stream, r, text):
    expect(r.status == 200, (r.status, text))
    expect(r.headers["content-type"].split(";")[0] == ("text/event-stream" if stream else "application/json"), r.headers)
    expect(re.fullmatch(r"req_[0-9a-f]{32}", r.headers["x-refract-request-id"]), r.headers)
    expect(int(r.headers["x-refract-overhead-us"]) > 0, r.headers)
    return client.stream(text) if stream else client.whole(text)


def converse(g, client, model, stream, text=WORDS, calls=()):
    """(what is said, what is called, the upstream's body, the response)"""
    before = len(g.relay.seen)
    r, answer = g.ask(client.path(model, stream), client.body(model, stream, text, calls))
    said, called = read(client, stream, r, answer)
    expect(len(g.relay.seen) == before + 1, "one request upstream")
    body = g.relay.seen[-1]
    expect(b"not-to-be-seen" not in answer, answer)
    return said, called, body.decode(), r


def main():
    failed = 0
    chosen = [(n, f) for n, f in CASES if all(part in n for part in sys.argv[2:])]
    for name, function in chosen:
        try:
            function()
            print("ok     ", name, flush=True)
        except Exception:
            failed += 1
            print("FAILED ", name, flush=True)
            traceback.print_exc(limit=6, file=sys.stdout)
    if SHARED:
        SHARED.__exit__(None)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
