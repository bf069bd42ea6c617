#!/usr/bin/env python3
"""refract serve: clients of every API, spoken to over bare HTTP, in front of the simulator.

    test_serve.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Between the gateway and the simulator stands a relay that remembers what it passed on. Prints a line a case, then
"N passed, N failed"; the status is 1 when one failed.
"""
import base64
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import media_fixtures

REFRACT = os.path.abspath(sys.argv[1])
LIMIT_S = 120  # ends what hangs; no case depends on it
CASES = []
with open(REFRACT, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()

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
        self.process.terminate()
        self.process.communicate(timeout=LIMIT_S)


class Relay(http.server.ThreadingHTTPServer):
    """Passes requests on to the simulator, and keeps their bodies in `seen`. With `stall`, it says that itself and
    then waits until the gateway is gone, which sets `gone`."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Passing)
        self.to, self.seen, self.stall, self.gone = port, [], None, threading.Event()
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
        if self.server.stall is not None:
            self.wait_for_end()
            return
        to = http.client.HTTPConnection("127.0.0.1", self.server.to, timeout=LIMIT_S)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "transfer-encoding", "expect")}
        headers["content-length"] = str(len(body))
        to.request("POST", self.path, body, headers)
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
        while self.connection.recv(4096):
            pass
        self.server.gone.set()
        self.close_connection = True


class Gateway:
    def __init__(self, *options, script=None, env=None, keys=True):
        self.folder = tempfile.TemporaryDirectory()
        home = self.folder.name
        self.sim = Sim(home, script)
        self.relay = Relay(self.sim.port)
        at = f"http://127.0.0.1:{self.relay.server_address[1]}"
        own = {k: v for k, v in os.environ.items()
               if not k.endswith(("_API_KEY", "_BASE_URL")) and not k.startswith(("AWS_", "OLLAMA_", "REFRACT_MODEL"))}
        own |= {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home + "/data",
                "XDG_CACHE_HOME": home + "/cache"}
        if keys:
            own |= {
                "ANTHROPIC_BASE_URL": at + "/anthropic", "ANTHROPIC_API_KEY": "sk-ant-not-to-be-seen",
                "OPENAI_BASE_URL": at + "/openai/v1", "OPENAI_API_KEY": "sk-not-to-be-seen",
                "GEMINI_BASE_URL": at + "/google", "GEMINI_API_KEY": "not-to-be-seen",
                "MISTRAL_BASE_URL": at + "/mistral", "MISTRAL_API_KEY": "not-to-be-seen",
                "COHERE_BASE_URL": at + "/cohere", "COHERE_API_KEY": "not-to-be-seen",
                "CO_API_URL": at + "/cohere", "OLLAMA_HOST": at + "/ollama",
                "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": at + "/bedrock", "AWS_REGION": "us-east-1",
                "AWS_BEARER_TOKEN_BEDROCK": "not-to-be-seen",
            }
        self.process = subprocess.Popen([REFRACT, "serve", "--listen", "127.0.0.1:0", *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**own, **(env or {})}, cwd=home, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on http://127.0.0.1:(\d+)\n", line)
        expect(found, line or self.process.stderr.read() if self.process.poll() is not None else line)
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.relay.stop()
        self.sim.stop()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kind else signal.SIGTERM)
        out, err = self.process.communicate(timeout=LIMIT_S)
        self.folder.cleanup()
        if not kind:
            expect(self.process.returncode == 0 and not out and not err, (self.process.returncode, out, err))

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


def shared():
    global SHARED
    SHARED = SHARED or Gateway()
    SHARED.relay.seen.clear()
    return SHARED


def read(client, stream, r, text):
    expect(r.status == 200, (r.status, text))
    expect(r.headers["content-type"] == ("text/event-stream" if stream else "application/json"), r.headers)
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


def check_text(g, client, model, stream):
    said, _, body, r = converse(g, client, model, stream)
    expect(WORDS in body and WORDS in said, (said, body))
    expect(r.headers["x-refract-delivery"] is None, r.headers)


def check_picture(g, client, model, stream):
    said, _, body, r = converse(g, client, model, stream, calls=[("look", {}, ("image/png", PNG), False)])
    expect(b64(PNG) in body.replace("\\/", "/"), body)
    expect("64x64" in said or "64 x 64" in said, said)
    expect(re.fullmatch(r"(native|fallback)/original=1", r.headers["x-refract-delivery"]), r.headers)


def check_pdf(g, client, model, stream):
    said, _, body, r = converse(g, client, model, stream, calls=[("look", {}, ("application/pdf", PDF), False)])
    delivery = r.headers["x-refract-delivery"]
    as_itself = b64(PDF) in body
    expect(as_itself == delivery.endswith("/original=1"), (delivery, body[:500]))
    expect(as_itself or "Quarterly figures" in body or "page_images" in delivery, (delivery, body))
    expect("PDF" in said or "Quarterly" in said or "page" in said or "image" in said, said)


def check_parallel(g, client, model, stream):
    calls = [("look", {"at": "left"}, "a lake", False), ("look", {"at": "right"}, "a hill", False)]
    said, _, body, _ = converse(g, client, model, stream, calls=calls)
    for words in ("left", "right", "a lake", "a hill"):
        expect(words in body, (words, body))
    expect(body.index("a lake") < body.index("a hill"), body)
    expect("a lake" in said and "a hill" in said, said)


def check_failed(g, client, model, stream):
    said, _, body, _ = converse(g, client, model, stream, calls=[("look", {}, "it is dark", True)])
    expect("it is dark" in body, body)
    if client.tells_failures:
        expect(re.search(r'"is_error":\s*true|"status":\s*"error"|[Ee]rror', body), body)


KINDS = [check_text, check_picture, check_pdf, check_parallel, check_failed]


def add_table(client, model):
    @case(f"{client.name} to {model}")
    def _():
        for check in KINDS:
            for stream in (False, True):
                try:
                    check(shared(), client, model, stream)
                except AssertionError as e:
                    raise AssertionError(f"{check.__name__}, {'streamed' if stream else 'whole'}: {e}") from e


for a_client in CLIENTS:
    for a_model in MODELS:
        add_table(a_client, a_model)


@case("two calls at once come back with ids of their own, in every client's words")
def _():
    calls = "[{name: look, arguments: {at: left}}, {name: look, arguments: {at: right}}]"
    with Gateway(script=f"replies:\n  - {{times: 0, calls: {calls}}}\n") as g:
        for client in CLIENTS:
            for model in MODELS:
                for stream in (False, True):
                    _, called, _, _ = converse(g, client, model, stream)
                    expect([(n, a) for _, n, a in called] == [("look", {"at": "left"}), ("look", {"at": "right"})],
                           (client.name, model, stream, called))
                    expect(len({i for i, _, _ in called}) == 2, called)


@case("the mark of a call goes through every client and back to its vendor, and to no other")
def _():
    calls = "{times: 0, when: {results: 0}, calls: [{name: look, arguments: {at: left}}]}"
    with Gateway(script=f"replies:\n  - {calls}\n") as g:
        for client in CLIENTS:
            for stream in (False, True):
                r, text = g.ask(client.path("google:gemini-3.5-flash", stream),
                                client.body("google:gemini-3.5-flash", stream, WORDS))
                (call_id, _, _), = read(client, stream, r, text)[1]
                if client.name in ("openai-chat", "gemini"):  # which have a place for it
                    expect(b"c2lt" in text, text)
                    continue
                expect(call_id.endswith("__thought__c2lt"), text)
                body = client.body("", False, WORDS, [("look", {}, "a lake", False)])
                body = json.loads(re.sub(r"toolu_0|call_0", call_id, json.dumps(body)))
                for model, goes in (("google:gemini-3.5-flash", True), ("openai-chat:gpt-4o", False),
                                    ("anthropic:claude-sonnet-4-5", False)):
                    r, text = g.ask(client.path(model, False), {**body, "model": model})
                    sent = g.relay.seen[-1]
                    expect(b"__thought__" not in sent and (b'"thoughtSignature":"c2lt"' in sent) == goes, sent)


# Names


@case("a model goes by its provider and name, or by a name of the catalogue")
def _():
    for name, sent in (("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"), ("gpt-5", "gpt-5"),
                       ("openai-chat:gpt-4o", "gpt-4o")):
        _, _, body, _ = converse(shared(), CLIENTS[1], name, False)
        expect(json.loads(body)["model"] == sent, body)


@case("an alias of the configuration answers under its own name")
def _():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/refract")
        pathlib.Path(folder, "refract", "config.yaml").write_text(
            "models:\n  mine: {provider: openai-chat, model: gpt-4o}\n", encoding="utf-8")
        with Gateway(env={"XDG_CONFIG_HOME": folder}) as g:
            r, text = g.ask("/v1/messages", CLIENTS[0].body("mine", False, WORDS))
            expect(json.loads(text)["model"] == "mine", text)
            expect(json.loads(g.relay.seen[-1])["model"] == "gpt-4o", g.relay.seen)
            _, text = g.ask("/v1/models")
            expect(json.loads(text)["data"][0]["id"] == "mine", text)


@case("--upstream answers whatever is asked for")
def _():
    with Gateway("--upstream", "openai-chat:gpt-4o") as g:
        for client in CLIENTS:
            said, _, body, _ = converse(g, client, "some-model-of-theirs", False)
            expect(json.loads(body)["model"] == "gpt-4o", body)


@case("without configuration and keys, offline answers in every client's words")
def _():
    with Gateway(keys=False) as g:
        for client in CLIENTS:
            for stream in (False, True):
                r, text = g.ask(client.path("offline", stream),
                                client.body("offline", stream, WORDS, [("look", {}, ("image/png", PNG), False)]))
                said, _ = read(client, stream, r, text)
                expect(WORDS in said and "64x64" in said, said)


@case("a model that is not there is not found, and names that are there are told")
def _():
    kinds = {"anthropic": "not_found_error", "openai-chat": "invalid_request_error",
             "openai-responses": "invalid_request_error", "gemini": "NOT_FOUND"}
    with Gateway(keys=False, env={"MISTRAL_API_KEY": "k"}) as g:
        for client in CLIENTS:
            for name in ("nothing-like-that", "anthropic:claude-sonnet-5"):
                r, text = g.ask(client.path(name, True), client.body(name, True, WORDS))
                kind, words = client.error(text)
                expect(r.status == 404 and kind == kinds[client.name], (r.status, text))
                expect("mistral:" in words, words)


@case("lists of models have the shape that their client knows")
def _():
    g = shared()
    r, text = g.ask("/v1/models")
    reply = json.loads(text)
    expect(reply["object"] == "list" and {"id", "object", "created", "owned_by"} <= set(reply["data"][0]), reply)
    expect(any(m["id"] == "anthropic:claude-sonnet-5" for m in reply["data"]), reply)
    reply = json.loads(g.ask("/v1/models", anthropic_version="2023-06-01")[1])
    expect(reply["has_more"] is False and reply["data"][0]["type"] == "model", reply)
    expect(reply["first_id"] == reply["data"][0]["id"], reply)
    for path in ("/v1beta/models", "/v1/models"):
        reply = json.loads(g.ask(path, x_goog_api_key="any")[1])
        expect(reply["models"][0]["name"].startswith("models/"), reply)
    r, text = g.ask("/v1/models/openai-chat:gpt-4o")
    expect(r.status == 200 and json.loads(text)["id"] == "openai-chat:gpt-4o", text)
    r, text = g.ask("/v1beta/models/nothing-like-that")
    expect(r.status == 404 and CLIENTS[3].error(text)[0] == "NOT_FOUND", text)


@case("tokens are counted without asking anybody")
def _():
    g = shared()
    r, text = g.ask("/v1/messages/count_tokens", CLIENTS[0].body("openai-chat:gpt-4o", False, WORDS))
    expect(r.status == 200 and json.loads(text)["input_tokens"] > 3, text)
    body = CLIENTS[3].body("", False, WORDS)
    for sent in (body, {"generateContentRequest": body}):
        r, text = g.ask("/v1beta/models/openai-chat:gpt-4o:countTokens", sent)
        expect(r.status == 200 and json.loads(text)["totalTokens"] > 3, text)
    expect(not g.relay.seen, g.relay.seen)


@case("Gemini's paths are served below /v1 too, escaped, and without alt=sse as a list")
def _():
    g = shared()
    client = CLIENTS[3]
    for path in ("/v1/models/openai-chat:gpt-4o:generateContent",
                 "/v1beta/models/openai-chat%3Agpt-4o:generateContent"):
        r, text = g.ask(path, client.body("", False, WORDS))
        expect(WORDS in read(client, False, r, text)[0], text)
    r, text = g.ask("/v1beta/models/openai-chat:gpt-4o:streamGenerateContent", client.body("", False, WORDS))
    expect(r.status == 200 and WORDS in client.read(json.loads(text))[0], text)


@case("what Google's SDK sends is understood: snake_case, and base64 for URLs")
def _():
    g = shared()
    png = media_fixtures.png(64, (251, 255, 254))
    data = base64.urlsafe_b64encode(png).decode()
    body = {"contents": [
        {"role": "user", "parts": [{"text": WORDS}]},
        {"role": "model", "parts": [{"function_call": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {
            "name": "look", "response": {"output": "here"},
            "parts": [{"inline_data": {"mime_type": "image/png", "data": data}}]}}]}],
        "generation_config": {"max_output_tokens": 100}, "something_new": {"a": 1}}
    r, text = g.ask("/v1beta/models/openai-chat:gpt-4o:generateContent", body)
    said, _ = read(CLIENTS[3], False, r, text)
    expect(b64(png).encode() in g.relay.seen[-1] and "64x64" in said, (said, g.relay.seen[-1]))


@case("a server that tells what a model takes is asked before the first request")
def _():
    with Gateway() as g:
        for _ in range(2):
            calls = [("look", {}, ("image/png", PNG), False)]
            _, _, body, _ = converse(g, CLIENTS[0], "ollama:gemma3", False, calls=calls)
            expect(b64(PNG) in body, body)


@case("requests come in chunks, one after the other on a connection, and many at once")
def _():
    g = shared()
    c = g.connect()
    for client in CLIENTS * 2:
        body = json.dumps(client.body("openai-chat:gpt-4o", True, WORDS)).encode()
        c.request("POST", client.path("openai-chat:gpt-4o", True), iter([body[:9], body[9:]]), encode_chunked=True,
                  headers={"transfer-encoding": "chunked"})
        r = c.getresponse()
        expect(WORDS in read(client, True, r, r.read())[0], client.name)
    c.close()
    wrong = []

    def ask(n):
        client, words = CLIENTS[n % len(CLIENTS)], f"question {n} of many"
        r, text = g.ask(client.path("openai-chat:gpt-4o", n % 2), client.body("openai-chat:gpt-4o", bool(n % 2), words))
        try:
            expect(words in read(client, n % 2, r, text)[0], text)
        except Exception as e:
            wrong.append((n, e))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(LIMIT_S)
    expect(not wrong, wrong)


@case("odd names in a path lead nowhere")
def _():
    g = shared()
    for name in ("%00", "%ff", "a%0ab", "..%2f..", "x" * 4000, "%zz", ":", "offline%00x"):
        r, text = g.ask(f"/v1beta/models/{name}:generateContent", CLIENTS[3].body("", False, WORDS))
        expect(r.status == 404 and CLIENTS[3].error(text)[0] == "NOT_FOUND", (name, r.status, text))
    expect(not g.relay.seen, g.relay.seen)


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


@case("what coding agents send is understood, whichever model answers")
def _():
    g = shared()
    clients = {"Claude Code": CLIENTS[0], "opencode": CLIENTS[1], "Codex": CLIENTS[2]}
    for agent, (path, body) in AGENTS.items():
        for model in MODELS:
            r, text = g.ask(path, {**body, "model": model}, authorization="Bearer any", anthropic_version="2023-06-01",
                            anthropic_beta="claude-code-20250219,interleaved-thinking-2025-05-14")
            said, _ = read(clients[agent], True, r, text)
            expect(b64(PNG).encode() in g.relay.seen[-1], (agent, model, g.relay.seen[-1]))
            expect("64x64" in said, (agent, model, said))


@case("a model's own thoughts come back to it under the gateway's names for it")
def _():
    path, body = AGENTS["Claude Code"]
    with Gateway() as g:
        for model in ("anthropic:claude-sonnet-4-5", "claude-sonnet-4-5"):
            r, text = g.ask(path, {**body, "model": model, "stream": False}, x_refract_explain="1")
            sent = json.loads(g.relay.seen[-1])
            expect(sent["thinking"]["type"] == "enabled", sent)
            expect(sent["messages"][1]["content"][0]["signature"] == "c2lnbmVk", sent["messages"])
            expect("thinking was" not in str(json.loads(text)["refract"]["notices"]), text)
        r, text = g.ask(path, {**body, "model": "openai-chat:gpt-4o", "stream": False}, x_refract_explain="1")
        expect(b"c2lnbmVk" not in g.relay.seen[-1], g.relay.seen[-1])
        expect("thinking was left out" in json.loads(text)["refract"]["notices"][0], text)


# What is told of files


@case("the report of deliveries comes where it is asked for")
def _():
    g = shared()
    for client in CLIENTS:
        body = client.body("openai-chat:gpt-4o", False, WORDS, [("look", {}, ("image/png", PNG), False)])
        _, text = g.ask(client.path("openai-chat:gpt-4o", False), body)
        expect("refract" not in json.loads(text), text)
        _, text = g.ask(client.path("openai-chat:gpt-4o", False), body, x_refract_explain="1")
        report = json.loads(text)["refract"]
        entry, = report["deliveries"]
        expect(report["notices"] == [], report)
        expect(entry["delivery"] == "fallback" and entry["form"] == "original" and entry["bytes"] == len(PNG), entry)
        client.whole(text)


@case("a refused file is made anew or left to words, and the client does not see the refusal")
def _():
    with Gateway(script="replies:\n  - {refuse_part: 1}\n  - {refuse_part: 1}\n") as g:
        body = CLIENTS[0].body("openai-chat:gpt-4o", True, WORDS, [("look", {}, ("image/png", PNG), False)])
        r, text = g.ask("/v1/messages", body)
        expect(WORDS in read(CLIENTS[0], True, r, text)[0], text)
        expect(len(g.relay.seen) == 3, len(g.relay.seen))
        expect(b64(PNG).encode() in g.relay.seen[0] and b64(PNG).encode() not in g.relay.seen[2], g.relay.seen[2])
        expect(r.headers["x-refract-delivery"].startswith("text/"), r.headers)


# What goes wrong


@case("what is wrong with a request is said in the client's words")
def _():
    g = shared()
    kinds = {"anthropic": "invalid_request_error", "openai-chat": "invalid_request_error",
             "openai-responses": "invalid_request_error", "gemini": "INVALID_ARGUMENT"}
    for client in CLIENTS:
        path = client.path("openai-chat:gpt-4o", False)
        for body in (b"{\"model\":", b"[]", b"", b"\xff{}", b"{\"messages\": 7, \"input\": 7, \"contents\": 7}"):
            r, text = g.ask(path, body)
            kind, words = client.error(text)
            expect(r.status == 400 and kind == kinds[client.name], (client.name, body, r.status, text))
            expect(words, text)
        r, text = g.ask(path, method="PUT")
        expect(r.status == 405 and r.headers["allow"] == "POST" and client.error(text), (r.status, text))
    for path, client in (("/v1/nothing", CLIENTS[1]), ("/v1/messages/batches", CLIENTS[0]),
                         ("/v1beta/files", CLIENTS[3])):
        r, text = g.ask(path, b"{}")
        expect(r.status == 404 and path in client.error(text)[1], (r.status, text))
    expect(not g.relay.seen, g.relay.seen)


@case("a body that is too large is refused before it is read, with the limit")
def _():
    g = shared()
    for client in CLIENTS:
        c = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
        path = client.path("openai-chat:gpt-4o", False)
        c.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n".encode())
        r = http.client.HTTPResponse(c)
        r.begin()
        text = r.read()
        expect(r.status == 413 and "67108864" in client.error(text)[1], (r.status, text))
        c.close()


@case("a head that is too long, or that two servers could understand differently, is refused in the client's words")
def _():
    g = shared()
    heads = {431: "X: " + "a" * 20000, 400: "Content-Length: 5\r\nTransfer-Encoding: chunked"}
    for client in CLIENTS:
        for status, head in heads.items():
            with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as c:
                path = client.path("openai-chat:gpt-4o", False)
                c.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode())
                r = http.client.HTTPResponse(c)
                r.begin()
                text = r.read()
                expect(r.status == status and client.error(text)[1], (r.status, text))
    expect(not g.relay.seen, g.relay.seen)


@case("a refusal of the provider has the client's status, and a key is ours")
def _():
    script = ("replies:\n  - {status: 401, times: 4}\n  - {status: 429, retry_after_s: 99, times: 4}\n"
              "  - {status: 400, message: no, times: 4}\n")
    with Gateway(script=script) as g:
        for status in (502, 429, 400):
            for client in CLIENTS:
                r, text = g.ask(client.path("openai-chat:gpt-4o", True), client.body("openai-chat:gpt-4o", True, WORDS))
                expect(r.status == status, (client.name, status, r.status, text))
                expect(client.error(text)[1], text)
                expect((r.headers["retry-after"] == "99") == (status == 429), (r.status, r.headers["retry-after"]))


@case("a provider that cannot be reached is a bad gateway")
def _():
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with Gateway(env={"ANTHROPIC_BASE_URL": url}) as g:
        r, text = g.ask("/v1/chat/completions", CLIENTS[1].body("anthropic:claude-sonnet-4-5", True, WORDS))
        expect(r.status == 502 and CLIENTS[1].error(text)[1], (r.status, text))
    closed.close()


@case("an upstream that is cut off in the middle ends with an error event in the client's words")
def _():
    with Gateway(script="replies:\n  - {times: 0, text: \"" + "word " * 400 + "\", cut_after_bytes: 3000}\n") as g:
        for client in CLIENTS:
            for model in MODELS[:4]:
                r, text = g.ask(client.path(model, True), client.body(model, True, WORDS))
                expect(r.status == 200 and b"word" in text, (r.status, text))
                expect(client.stream_error(text), text)


START = b"""event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

"""
PIECE = b"""event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}

"""


@case("a client that goes takes its upstream with it, streamed or not")
def _():
    with Gateway() as g:
        g.relay.stall = START + PIECE % b"beginning"
        for client in CLIENTS:
            for stream in (False, True):
                g.relay.gone.clear()
                c = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
                model, seen = "anthropic:claude-sonnet-4-5", len(g.relay.seen)
                c.sendall(post(client.path(model, stream), client.body(model, stream, WORDS)))
                text = b""
                while stream and b"beginning" not in text:
                    text += c.recv(4096)
                while len(g.relay.seen) == seen:
                    time.sleep(0.01)
                c.close()
                expect(g.relay.gone.wait(LIMIT_S), (client.name, stream))


@case("a client that does not read holds its upstream back")
def _():
    class Endless(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + START)
            self.connection.settimeout(1)
            sent, piece = 0, PIECE % (b"x" * 60000)
            try:
                while sent < 1 << 28:
                    self.wfile.write(piece)
                    sent += len(piece)
            except (TimeoutError, socket.timeout):
                self.server.held.set()
            self.close_connection = True

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    server.held = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Gateway(env={"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}"}) as g:
        c = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
        body = CLIENTS[1].body("anthropic:claude-sonnet-4-5", True, WORDS)
        c.sendall(post("/v1/chat/completions", body, "Connection: close\r\n"))
        expect(server.held.wait(LIMIT_S), "all of it was taken")
        expect(g.used("VmHWM") < 64 << 20, g.used("VmHWM"))
        # What came is whole, and the rest is told to be missing.
        text = b""
        while piece := c.recv(1 << 16):
            text += piece
        expect(text.count(b"x" * 60000) > 1 and b'"error"' in text[-2000:], text[-2000:])
        c.close()
    server.shutdown()
    server.server_close()


@case("large bodies take their own memory and little more, and give it back")
def _():
    data = b"%PDF-1.4\n" + os.urandom(1 << 20) * 15
    with Gateway() as g:
        client = CLIENTS[0]
        calls = [("look", {}, ("application/pdf", data), False)]
        body = json.dumps(client.body("anthropic:claude-sonnet-4-5", False, WORDS, calls))
        for _ in range(3):
            r, text = g.ask(client.path("", False), body.encode())
            expect(r.status == 200, (r.status, text))
        expect(g.used("VmHWM") < len(body) + (16 << 20), (len(body), g.used("VmHWM")))
        until = time.monotonic() + LIMIT_S
        while g.used("VmRSS") > 20 << 20:  # it is freed after its last byte has gone
            expect(time.monotonic() < until, g.used("VmRSS"))
            g.ask("/healthz")


@case("it is alive and ready, and a page in a browser is not let in")
def _():
    g = shared()
    expect(json.loads(g.ask("/healthz")[1]) == {"status": "ok"}, "healthz")
    expect(g.ask("/readyz")[0].status == 200, "readyz")
    body = CLIENTS[1].body("openai-chat:gpt-4o", False, WORDS)
    for headers in ({"origin": "https://page.example"}, {"host": "page.example"}, {"origin": "http://localhost:3000"},
                    {"origin": "null"}):
        r, text = g.ask("/v1/chat/completions", body, **headers)
        expect(r.status == 403 and CLIENTS[1].error(text)[1], (headers, r.status, text))
    expect(not g.relay.seen, g.relay.seen)


@case("told to stop, it finishes what is under way and takes nothing new")
def _():
    script = "replies:\n  - {text: \"one two three four five six seven eight nine ten\", pause_ms: 100}\n"
    with Gateway(script=script) as g:
        c = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
        c.sendall(post("/v1/messages", CLIENTS[0].body("openai-chat:gpt-4o", True, WORDS)))
        text = c.recv(4096)
        g.process.send_signal(signal.SIGTERM)
        while piece := c.recv(4096):
            text += piece
        expect(b"message_stop" in text, text)
        g.process.wait(LIMIT_S)
        try:
            socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S).close()
        except ConnectionRefusedError:
            return
        raise AssertionError("it still listens")


@case("a second signal ends it at once")
def _():
    with Gateway() as g:
        g.relay.stall = START + PIECE % b"beginning"
        c = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
        c.sendall(post("/v1/messages", CLIENTS[0].body("anthropic:claude-sonnet-4-5", True, WORDS)))
        while b"beginning" not in c.recv(4096):
            pass
        g.process.send_signal(signal.SIGTERM)
        g.process.send_signal(signal.SIGINT)
        expect(g.process.wait(LIMIT_S) == 0, "status")
        c.close()


@case("an address that others can reach is refused, and so is a model that is none")
def _():
    with tempfile.TemporaryDirectory() as home:
        for options, words in ((["--listen", "0.0.0.0:0"], "keys"), (["--listen", "nowhere"], "nowhere"),
                               (["--upstream", "nothing-like-that"], "nothing-like-that")):
            done = subprocess.run([REFRACT, "serve", *options], capture_output=True, text=True, timeout=LIMIT_S,
                                  env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home})
            expect(done.returncode == 2 and words in done.stderr and not done.stdout, (done.returncode, done.stderr))


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


if __name__ == "__main__":
    main()
