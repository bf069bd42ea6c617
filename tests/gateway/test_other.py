#!/usr/bin/env python3
"""Paths of the vendors' APIs that refract does not know: they go to the provider of the model that is named, with its
name and our key, and come back as they are. The upstream remembers what it was asked."""
import contextlib
import gzip
import http.server
import json
import socket
import subprocess
import tempfile
import threading
import time

from harness import CLIENTS, LIMIT_S, PNG, REFRACT, Gateway, b64, case, environment, expect, main, post

KEY = "sk-not-to-be-seen"
ANTHROPIC, CHAT, RESPONSES, GEMINI = CLIENTS
BINARY = bytes(range(256)) * 40


class Upstream(http.server.ThreadingHTTPServer):
    """Answers are (status, content type, pieces, "whole" or "cut"), each for one request; the last stays."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.seen, self.answers = [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def says(self, *answers):
        self.seen, self.answers = [], list(answers)


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        self.server.seen.append((self.command, self.path, self.headers, body))
        answers = self.server.answers
        status, kind, pieces, ending = answers.pop(0) if len(answers) > 1 else answers[0]
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(status)
        if pieces and pieces[0].startswith(b"\x1f\x8b"):
            self.send_header("content-encoding", "gzip")
        if kind:
            self.send_header("content-type", kind)
        if status == 204:
            self.end_headers()
            return
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")  # or the next request would be sent, and lost, on this one
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # who asked has heard enough
            for piece in pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            if ending == "whole":
                self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_DELETE = do_PATCH = do_PUT = answer


UPSTREAM = Upstream()
AT = f"http://127.0.0.1:{UPSTREAM.server_address[1]}"
ENV = {"ANTHROPIC_BASE_URL": AT, "OPENAI_BASE_URL": AT + "/v1", "GEMINI_BASE_URL": AT, "MISTRAL_BASE_URL": AT,
       "GROQ_BASE_URL": AT, "GROQ_API_KEY": KEY}
JSON = (200, "application/json", [b'{ "object":"list","future":1.50}\n'], "whole")
CONFIG = """
models:
  mine: {provider: openai, model: text-embedding-3-large}
  away: {provider: anthropic, model: claude-sonnet-5}
  vectors: {provider: google, model: gemini-embedding-001}
"""


def gateway(*options, config=CONFIG, env=None):
    return Gateway(*options, env={**ENV, **(env or {})}, config=config)


def ask(g, path, body=None, answer=JSON, **more):
    """(response, its body, what the upstream saw)"""
    UPSTREAM.says(answer)
    r, text = g.ask(path, body, **more)
    return r, text, list(UPSTREAM.seen)


@case("a path that is not known goes to the provider of the model that the body names")
def _():
    body = b'{"input" : ["caf\\u00e9", 1e400],"model": "MODEL", "future":{"b":1,"a":null} }\n'
    rows = (
        ("mine", "/v1/embeddings", "/v1/embeddings", "text-embedding-3-large"),
        ("openai:text-embedding-3-small", "/v1/embeddings", "/v1/embeddings", "text-embedding-3-small"),
        ("text-embedding-3-small", "/v1/embeddings", "/v1/embeddings", "text-embedding-3-small"),
        ("gpt-image-1", "/v1/images/generations", "/v1/images/generations", "gpt-image-1"),
        ("groq:playai-tts", "/v1/audio/speech", "/openai/v1/audio/speech", "playai-tts"),
        ("claude-sonnet-5", "/v1/messages/future?beta=true", "/v1/messages/future?beta=true", "claude-sonnet-5"),
        ("gpt-5.4", "/v1/responses/resp_1/future%20tense", "/v1/responses/resp_1/future%20tense", "gpt-5.4"),
    )
    with gateway() as g:
        for model, path, there, name in rows:
            r, text, seen = ask(g, path, body.replace(b"MODEL", model.encode()), authorization="Bearer of-the-client")
            if "future%20tense" in path:  # a space may not stand in it
                expect(r.status == 404 and not seen, (r.status, text))
                continue
            expect((r.status, text) == (200, JSON[2][0]), (path, r.status, text))
            method, at, headers, sent = seen[0]
            expect((method, at) == ("POST", there), (method, at))
            expect(sent == body.replace(b"MODEL", name.encode()), sent)
            expect("of-the-client" not in str(headers) and "not-to-be-seen" in str(headers), headers)
            expect(r.headers["x-refract-request-id"] and r.headers["content-type"] == "application/json", r.headers)


@case("Gemini's path names the model, and so does its body")
def _():
    with gateway() as g:
        body = {"model": "models/vectors", "content": {"parts": [{"text": "one"}]}}
        for root in ("/v1beta", "/v1"):
            for name, there in (("vectors", "gemini-embedding-001"), ("imagen-4", "imagen-4"),
                                ("google:text-embedding-004", "text-embedding-004")):
                more = "".join(f"&{k}=of-the-client" for k in ("k%65y", "%6bey", "KEY", "access%5Ftoken", "apikey", "x-goog-api-key", "c=d;key"))
                r, text, seen = ask(g, f"{root}/models/{name}:embedContent?alt=json&key=of-the-client&a=b{more}", body)
                expect(r.status == 200, (r.status, text))
                method, at, headers, sent = seen[0]
                expect((method, at) == ("POST", f"/v1beta/models/{there}:embedContent?alt=json&a=b"), at)
                expect(json.loads(sent)["model"] == "models/" + there, sent)
                expect(headers["x-goog-api-key"] == "not-to-be-seen", headers)


@case("a batch names its model in each of its requests")
def _():
    with gateway() as g:
        body = {"requests": [{"custom_id": "a", "params": {"model": "claude", "messages": []}},
                             {"custom_id": "b", "params": {"messages": [{"model": "claude"}], "model": "claude"}},
                             {"custom_id": "c", "params": {"model": "another"}}]}
        r, text, seen = ask(g, "/v1/messages/batches", json.loads(json.dumps(body).replace("claude", "away")))
        want = json.loads(json.dumps(body).replace('"model": "claude"', '"model": "claude-sonnet-5"', 1))
        want["requests"][1]["params"]["model"] = "claude-sonnet-5"
        want["requests"][1]["params"]["messages"][0]["model"] = "away"
        expect(r.status == 200 and json.loads(seen[0][3]) == want, (r.status, text, seen))
        r, text, seen = ask(g, "/v1beta/models/vectors:batchEmbedContents",
                            {"requests": [{"model": "models/vectors", "content": {"parts": []}}] * 2})
        expect({e["model"] for e in json.loads(seen[0][3])["requests"]} == {"models/gemini-embedding-001"}, seen)


@case("replies come as they are: status, type, bytes, in pieces")
def _():
    answers = (
        (200, "audio/mpeg", [BINARY, BINARY], "whole"),
        (200, "text/event-stream; charset=utf-8", [b"event: future\ndata: 1\n", b"\ndata: [DONE]"], "whole"),
        (201, "application/json", [b"{}"], "whole"),
        (202, "application/json", [], "whole"),
        (204, "", [], "whole"),
    )
    with gateway() as g:
        for answer in answers:
            r, text, seen = ask(g, "/v1/audio/speech", {"model": "mine"}, answer)
            expect((r.status, text) == (answer[0], b"".join(answer[2])), (answer, r.status, text[:100]))
            expect(not answer[2] or r.headers["content-type"] == answer[1], (answer, r.headers))
            expect(len(seen) == 1, seen)
        expect(b"sk-not-to-be-seen" not in
               ask(g, "/v1/embeddings", {"model": "mine"}, (200, "text/plain", [b"you are sk-not-to", b"-be-seen!"],
                                                            "whole"))[1], "our key came back")
    # In any order: a line is written once its last byte is gone, when the next request may be answered already.
    expect(sorted((line["path"], line["status"]) for line in g.log) ==
           [("/v1/audio/speech", status) for status in (200, 200, 201, 202, 204)] + [("/v1/embeddings", 200)], g.log)
    expect({(line["client"], line["upstream"]) for line in g.log} == {("openai-chat", "openai:text-embedding-3-large")},
           g.log)


@case("a reply in a coding says so")
def _():
    with gateway() as g:
        packed = gzip.compress(JSON[2][0])
        r, text, _ = ask(g, "/v1/embeddings", {"model": "mine"}, (200, "application/json", [packed], "whole"))
        expect(r.headers["content-encoding"] == "gzip" and text == packed, (r.headers, text))


@case("a reply that breaks off is cut off")
def _():
    with gateway() as g:
        UPSTREAM.says((200, "application/json", [b'{"half":'], "cut"))
        data = post("/v1/embeddings", {"model": "mine"})
        with socket.create_connection(("127.0.0.1", g.port)) as s:
            s.sendall(data)
            text = b""
            while piece := s.recv(4096):
                text += piece
        expect(b'{"half":' in text and not text.endswith(b"0\r\n\r\n"), text)


@case("refusals are told as those of a model: in the provider's words, or ours where it is our key")
def _():
    refused = b'{"error":{"message":"too many inputs","type":"invalid_request_error","param":"input","code":null}}'
    with gateway() as g:
        r, text, _ = ask(g, "/v1/embeddings", {"model": "mine"}, (400, "application/json", [refused], "whole"))
        expect((r.status, text) == (400, refused), (r.status, text))
        r, text, seen = ask(g, "/v1/embeddings", {"model": "mine"}, (429, "application/json", [refused], "whole"))
        expect(r.status == 429 and r.headers["retry-after"], (r.status, r.headers))
    with gateway() as g:
        r, text, seen = ask(g, "/v1/embeddings", {"model": "mine"}, (401, "application/json", [refused], "whole"))
        expect(r.status == 502 and b"gateway's key" in text and len(seen) == 1, (r.status, text))
    with gateway() as g:
        r, text, seen = ask(g, "/v1/embeddings", {"model": "mine"}, (302, "text/html", [b"elsewhere"], "whole"))
        expect(r.status == 502, (r.status, text))


@case("the next key is asked with where one has to wait")
def _():
    config = CONFIG + "providers:\n  openai: {keys: [$FIRST_KEY, $SECOND_KEY]}\n"
    with gateway(config=config, env={"FIRST_KEY": "one", "SECOND_KEY": "two"}) as g:
        UPSTREAM.says((429, "application/json", [b"{}"], "whole"), JSON)
        r, text = g.ask("/v1/embeddings", {"model": "mine"})
        expect((r.status, text) == (200, JSON[2][0]), (r.status, text))
        expect({h["authorization"] for _, _, h, _ in UPSTREAM.seen} == {"Bearer one", "Bearer two"}, UPSTREAM.seen)


@case("what a path says of a key holds for that path alone")
def _():
    refused = b'{"error":{"message":"missing scope","type":"invalid_request_error","param":null,"code":null}}'
    config = CONFIG + "providers:\n  openai-chat: {keys: [$FIRST_KEY, $SECOND_KEY]}\n"
    for status in (401, 403, 429):
        with gateway(config=config, env={"FIRST_KEY": "one", "SECOND_KEY": "two"}) as g:
            UPSTREAM.says((status, "application/json", [refused], "whole"))
            r, text = g.ask("/v1/batches", {"model": "openai-chat:gpt-4o"})
            expect(r.status == (429 if status == 429 else 502), (r.status, text))
            expect({h["authorization"] for _, _, h, _ in UPSTREAM.seen} == {"Bearer one", "Bearer two"}, UPSTREAM.seen)
            UPSTREAM.says((400, "application/json", [refused], "whole"))
            r, text = g.ask("/v1/chat/completions", {"model": "openai-chat:gpt-4o", "messages": []})
            expect(r.status == 400 and UPSTREAM.seen, (status, r.status, text))


@case("what may have been done is not done again, here or elsewhere; what only reads may be")
def _():
    config = CONFIG + "  main: {provider: openai-chat, model: m, fallback: [\"groq:n\"]}\n"
    ill = (500, "application/json", [b"{}"], "whole")
    with gateway("--upstream", "main", config=config) as g:
        for status in (500, 503, 404):
            r, text, seen = ask(g, "/v1/batches", {"input_file_id": "f"}, (status, "application/json", [b"{}"], "whole"))
            expect(r.status == (502 if status == 500 else status) and len(seen) == 1, (status, r.status, seen))
        for _ in range(8):  # nor is the model let alone for it
            ask(g, "/v1/batches", {"input_file_id": "f"}, ill)
        UPSTREAM.says(ill, ill, JSON)
        r, text = g.ask("/v1/batches/b")
        expect((r.status, len(UPSTREAM.seen)) == (200, 3), (r.status, UPSTREAM.seen))
        UPSTREAM.says(ill, ill, ill, JSON)
        r, text = g.ask("/v1/batches/b")
        expect((r.status, len(UPSTREAM.seen)) == (200, 4), (r.status, UPSTREAM.seen))
    with gateway("--upstream", "main", config=config, env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}) as g:
        r, text, seen = ask(g, "/v1/batches", {"input_file_id": "f"})
        expect((r.status, text, len(seen)) == (200, JSON[2][0], 1), (r.status, text, seen))


class Dying(http.server.ThreadingHTTPServer):
    """Answers the first request, and closes the connections of all others when it has read them."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Vanishing)
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Vanishing(Answering):
    def answer(self):
        self.rfile.read(int(self.headers["content-length"] or 0))
        self.server.seen.append((self.command, self.client_address))
        if len(self.server.seen) > 1:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST = do_DELETE = answer


@case("a kept connection that dies of a request is not followed by another, unless that only reads")
def _():
    for method, times in (("POST", 1), ("DELETE", 1), ("GET", 2)):
        server = Dying()
        env = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1"}
        with gateway("--upstream", "openai:gpt-5.4", env=env) as g:
            c = g.connect()  # which one thread serves, as its connection upstream
            for i in range(2):
                c.request("POST" if not i else method, "/v1/batches", b"{}" if method == "POST" else None)
                r = c.getresponse()
                r.read()
                expect(r.status == (502 if i else 200), (method, i, r.status))
            c.close()
        expect([m for m, _ in server.seen] == ["POST"] + [method] * times, server.seen)
        expect(server.seen[0][1] == server.seen[1][1], ("the same connection", server.seen))
        server.shutdown()


@case("a model of another API does not get it")
def _():
    with gateway() as g:
        for client, path, model in ((CHAT, "/v1/embeddings", "away"), (ANTHROPIC, "/v1/messages/batches", "mine"),
                                    (GEMINI, "/v1beta/models/away:embedContent", ""),
                                    (CHAT, "/v1/embeddings", "offline:x"),
                                    (CHAT, "/v1/ocr", "mistral:mistral-ocr-latest"),
                                    (RESPONSES, "/v1/responses/r/cancel", "google:gemini-3.5-flash")):
            r, text, seen = ask(g, path, {"model": model})
            expect(r.status == 404 and not seen and "API" in client.error(text)[1], (path, r.status, text))


@case("without a model it goes where everything goes, or nowhere")
def _():
    form = b'--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--x--\r\n'
    rows = (("GET", "/v1/files?limit=2", None), ("DELETE", "/v1/files/file-1", None), ("POST", "/v1/uploads", b"{}"),
            ("POST", "/v1/audio/transcriptions", form), ("POST", "/v1/responses/r_1/cancel", b""))
    with gateway() as g:
        for method, path, body in rows:
            r, text, seen = ask(g, path, body, method=method)
            expect(r.status == 404 and not seen and path.split("?")[0] in CHAT.error(text)[1], (path, r.status, text))
    rule = CONFIG + 'serve: {rules: [{match: "*", model: mine}]}\n'
    for g in (gateway("--upstream", "openai:gpt-5.4"), gateway(config=rule)):
        with g:
            for method, path, body in rows:
                kind = "multipart/form-data; boundary=x" if body == form else "application/json"
                r, text, seen = ask(g, path, body, method=method, content_type=kind)
                expect((r.status, text) == (200, JSON[2][0]), (path, r.status, text))
                expect((seen[0][0], seen[0][1], seen[0][3]) == (method, path, body or b""), seen)
                expect(seen[0][2]["content-type"] == kind, seen[0][2])


@case("nothing leads out of the provider's API")
def _():
    with gateway("--upstream", "openai:gpt-5.4") as g:
        for path in ("/v1/../admin", "/v1/%2e%2e/admin", "/v1/.%2E/admin", "/v1/a/../../admin", "/v1//admin",
                     "/v1/a//b", "/v1/a%2fb", "/v1/a%5cb", "/v1/a\\b", "/v1/%252e%252e/a", "/v1/a/", "/v1/./a",
                     "/v1/a%00", "/v1/a%0d%0ab", "/v1/a%3fb", "/v1/a%23b", "/v1/{model}", "/v1/[a]", "/v1/%ff",
                     "/v1", "/v1x/a", "/v2/a", "/admin", "/v1@elsewhere.example/a", "//elsewhere.example/v1/a"):
            UPSTREAM.says(JSON)
            with socket.create_connection(("127.0.0.1", g.port)) as s:
                s.sendall(post(path, {"model": "x"}, "Connection: close\r\n"))
                text = b""
                while piece := s.recv(4096):
                    text += piece
            expect(text.split()[1] in (b"400", b"404"), (path, text))
            expect(not UPSTREAM.seen, (path, UPSTREAM.seen))
        for path in ("http://elsewhere.example/v1/files", "/v1/files?a=b#c"):
            UPSTREAM.says(JSON)
            with socket.create_connection(("127.0.0.1", g.port)) as s:
                s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                text = s.recv(4096)
            expect(text.split()[1] in (b"400", b"404") and not UPSTREAM.seen, (path, text, UPSTREAM.seen))


@contextlib.contextmanager
def with_key(*limits, options=()):
    """A gateway that asks for keys, and a key with these limits."""
    with tempfile.TemporaryDirectory() as home:
        env = {"XDG_DATA_HOME": home}
        made = subprocess.run([REFRACT, "keys", "add", "anna", *limits], env={**environment(home), **env}, text=True,
                              capture_output=True, check=True, timeout=LIMIT_S)
        with gateway(*options, env=env) as g:
            yield g, made.stdout.strip()


@case("a key for some models asks for them alone")
def _():
    with with_key("--models", "mine,google:*", options=()) as (g, key):
        for path, body, status in (
                ("/v1/embeddings", {"model": "mine", "input": ["a", "b"]}, 200),
                ("/v1beta/models/google:e:embedContent", {"model": "models/e"}, 200),
                ("/v1/embeddings", {"model": "openai:text-embedding-3-small"}, 403),
                ("/v1/embeddings", {"model": "mine", "Model": "another"}, 403),
                ("/v1beta/models/google:e:batchEmbedContents", {"requests": [{"model": "models/google:e"}]}, 200),
                ("/v1beta/models/google:e:batchEmbedContents", {"requests": [{"model": "models/another"}]}, 403),
                ("/v1/future", {"model": "mine", "input": [{"model": "another"}]}, 403),
                ("/v1/future", {"model": "mine", "input": [{"model": "mine"}]}, 403),
                ("/v1/future", {"model": "mine", "input": [[{"Models": ["another"]}]]}, 403),
                ("/v1/future", {"model": "mine", "messages": [{"fallback_models": ["another"]}]}, 403)):
            r, text, seen = ask(g, path, body, x_api_key=key)
            expect(r.status == status and len(seen) == (status == 200), (path, body, r.status, text))
            expect(key not in str(seen), "the client's key goes no further")
        batch = b'{"requests": [{"model": "models/another"}]}'
        for body, kind in ((batch, "Application/JSON"), (batch, "text/json"), (batch, "text/plain"), (b"[" + batch + b"]", "application/json"),
                           (batch.replace(b"]}", b"],}"), "application/json"), (b"/**/" + batch, "application/json; charset=utf-8")):
            r, text, seen = ask(g, "/v1beta/models/google:e:batchEmbedContents", body, x_api_key=key, content_type=kind)
            expect(r.status == 403 and not seen, (body, kind, r.status, text))
        r, text, seen = ask(g, "/v1/embeddings", b'{"model": "mine"}', x_api_key=key, content_type="Application/JSON;charset=utf-8")
        expect(r.status == 200, ("a type has no case", r.status, text))
        expect(ask(g, "/v1/embeddings", {"model": "mine"})[0].status == 401, "without a key")
    with with_key("--models", "openai:*", options=("--upstream", "openai:gpt-5.4")) as (g, key):
        r, text, seen = ask(g, "/v1/files", x_api_key=key)
        expect(r.status == 403 and not seen and b"names none" in text, (r.status, text))


@case("a body that names a model a hundred thousand times is read as fast as any other")
def _():
    with with_key("--models", "mine") as (g, key):
        for body in (b'{' + b'"model":"mine",' * 100000 + b'"a":1}',
                     b'{"model":"mine","requests":[' + b'{"model":"mine"},' * 100000 + b'{}]}'):
            began = time.monotonic()
            r, text, seen = ask(g, "/v1/future", body, x_api_key=key)
            expect(r.status == 200 and b"mine" not in seen[0][3], (r.status, text))
            expect(time.monotonic() - began < 20, "it takes the square of its length")


@case("a key whose tokens or money are counted does not get past that")
def _():
    for limit in (("--budget", "5"), ("--tpm", "100000")):
        with with_key(*limit) as (g, key):
            r, text, seen = ask(g, "/v1/embeddings", {"model": "mine"}, authorization="Bearer " + key)
            expect(r.status == 403 and not seen and b"limit of tokens or money" in text, (limit, r.status, text))


@case("requests a minute and at once count")
def _():
    with with_key("--rpm", "2") as (g, key):
        statuses = [ask(g, "/v1/embeddings", {"model": "mine"}, x_api_key=key)[0].status for _ in range(3)]
        expect(statuses == [200, 200, 429], statuses)
    with with_key("--concurrent", "1") as (g, key):
        statuses = [ask(g, "/v1/embeddings", {"model": "mine"}, x_api_key=key)[0].status for _ in range(5)]
        expect(statuses == [200] * 5, statuses)


@case("counting tokens is a request like others, and costs nothing")
def _():
    body = {"model": "anthropic:claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hello"}]}
    count = lambda g, key: g.ask("/v1/messages/count_tokens", body, x_api_key=key)[0].status
    with with_key("--rpm", "2") as (g, key):
        statuses = [count(g, key) for _ in range(3)]
        expect(statuses == [200, 200, 429], statuses)
    with with_key("--tpm", "1", "--budget", "0.01", "--concurrent", "1") as (g, key):
        statuses = [count(g, key) for _ in range(5)]
        expect(statuses == [200] * 5, statuses)


CLAUDE = b'{"messages" : [{"role":"user","content":"Hello"}],"model": "MODEL", "future":{"b":1,"a":null} }\n'
CONTENTS = b'{"contents": [{"role":"user","parts":[{"text":"Hello"}]}], "future": 1e400}'
COUNT = lambda member: (200, "application/json", [b'{ "%s" : 1234, "future":1.50}\n' % member.encode()], "whole")


@case("a provider that has the client's API counts tokens itself")
def _():
    config = CONFIG + "  small: {provider: google, model: gemini-3-flash}\n"
    inner = b'{"generateContentRequest":{"model":"models/NAME",%s}' % CONTENTS[1:]
    rows = (("away", "/v1/messages/count_tokens", CLAUDE.replace(b"MODEL", b"away"), "/v1/messages/count_tokens",
             CLAUDE.replace(b"MODEL", b"claude-sonnet-5"), "input_tokens"),
            ("small", "/v1beta/models/small:countTokens", CONTENTS, "/v1beta/models/gemini-3-flash:countTokens",
             CONTENTS, "totalTokens"),
            ("small", "/v1/models/small:countTokens", inner.replace(b"NAME", b"small"),
             "/v1beta/models/gemini-3-flash:countTokens", inner.replace(b"NAME", b"gemini-3-flash"), "totalTokens"))
    with gateway(config=config) as g:
        for name, path, body, there, as_sent, member in rows:
            answer = COUNT(member)
            r, text, seen = ask(g, path, body, answer=answer, authorization="Bearer of-the-client", anthropic_beta="b")
            expect((r.status, text) == (200, answer[2][0]), (path, r.status, text))
            method, at, headers, sent = seen[0]
            expect((method, at, sent, len(seen)) == ("POST", there, as_sent, 1), (method, at, sent, len(seen)))
            expect("of-the-client" not in str(headers) and "not-to-be-seen" in str(headers), headers)
            expect(name != "away" or headers["anthropic-beta"] == "b", headers)


@case("what a provider fails to count is estimated, asked for once, and held against nobody")
def _():
    fails = [(status, "application/json", [b'{"type":"error","error":{"type":"x","message":"no"}}'], "whole")
             for status in (400, 401, 402, 403, 404, 429, 500, 503, 529, 201)]
    fails += [(200, "application/json", [b"{}"], "whole"), (200, "text/html", [b"<p>"], "whole"),
              (200, "application/json", [b'{"input_tokens":"1234"}'], "whole"),
              (200, "application/json", [b'{"input_tokens":-1234}'], "whole"),
              (200, "application/json", [b'{"input_tokens":', b" " * 99999, b"1234}"], "whole"),
              (200, "application/json", [b'{"input_tokens":1234}'], "cut"), (204, None, [], "whole")]
    said = (200, "application/json", [b'{"type":"message","id":"m","role":"assistant","model":"c","content":[],'
                                      b'"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}'], "whole")
    body = CLAUDE.replace(b"MODEL", b"away")
    with gateway() as g:
        for answer in fails * 2:
            r, text, seen = ask(g, "/v1/messages/count_tokens", body, answer=answer)
            expect(r.status == 200 and 3 < json.loads(text)["input_tokens"] < 100, (answer, r.status, text))
            expect(len(seen) == 1, (answer, len(seen)))
        r, text, seen = ask(g, "/v1/messages", {**json.loads(body), "max_tokens": 9}, answer=said)
        expect(r.status == 200 and len(seen) == 1, (r.status, text))
    with gateway(env={"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}) as g:
        for _ in range(7):
            r, text, seen = ask(g, "/v1/messages/count_tokens", body)
            expect(r.status == 200 and json.loads(text)["input_tokens"] > 3 and not seen, (r.status, text))


@case("a count that does not come in time is estimated, and clients may go before")
def _():
    body = CLAUDE.replace(b"MODEL", b"away")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with gateway(env={"ANTHROPIC_BASE_URL": at}) as g:
            for _ in range(3):
                c = g.connect()
                c.request("POST", "/v1/messages/count_tokens", body)
                time.sleep(0.2)
                c.close()
            began = time.monotonic()
            r, text = g.ask("/v1/messages/count_tokens", body)
            expect(r.status == 200 and json.loads(text)["input_tokens"] > 3, (r.status, text))
            expect(5 < time.monotonic() - began < 20, time.monotonic() - began)


@case("what would be changed for the model, or goes to another API, is estimated")
def _():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": b64(PNG)}}
    body = {"model": "away", "messages": [{"role": "user", "content": [picture]}]}
    with gateway() as g:
        r, text, seen = ask(g, "/v1/messages/count_tokens", body, answer=COUNT("input_tokens"))
        expect(r.status == 200 and json.loads(text)["input_tokens"] != 1234 and not seen, (r.status, text))
        r, text, seen = ask(g, "/v1/messages/count_tokens", {**body, "model": "openai:gpt-5.4"},
                            answer=COUNT("input_tokens"))
        expect(r.status == 200 and json.loads(text)["input_tokens"] != 1234 and not seen, (r.status, text))
        r, text, seen = ask(g, "/v1/messages/count_tokens", {**body, "messages": 5}, answer=COUNT("input_tokens"))
        expect(r.status == 400 and not seen, (r.status, text))


@case("methods that no API has are refused, and so are those of paths that are known")
def _():
    with gateway("--upstream", "openai:gpt-5.4") as g:
        for method, path, status in (("TRACE", "/v1/files", (404, 405, 501)), ("OPTIONS", "/v1/files", (404,)),
                                     ("PUT", "/v1/responses", (405,)), ("DELETE", "/v1/models/x", (405,))):
            r, text, seen = ask(g, path, None, method=method)
            expect(r.status in status and not seen, (method, path, r.status, text))


if __name__ == "__main__":
    main()
