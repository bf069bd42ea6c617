#!/usr/bin/env python3
"""refract serve: clients of every API, in front of the simulator. harness.py says how it is run."""
import base64
import gzip
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import harness
from agents import AGENTS
from harness import (CLIENTS, LIMIT_S, MODELS, PDF, PNG, REFRACT, WORDS, Gateway, b64, case, converse, events, expect,
                     post, read, shared)
import media_fixtures


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
                if client.name == "gemini":  # which has a place for it
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


@case("a chat stream tells of its tokens where it is asked to, in a chunk of their own")
def _():
    chat = next(c for c in CLIENTS if c.name == "openai-chat")
    for model in MODELS:
        body = chat.body(model, True, WORDS)
        for asks in (True, False, None):
            body.pop("stream_options", None)
            if asks is not None:
                body["stream_options"] = {"include_usage": asks}
            r, text = shared().ask(chat.path(model, True), body)
            chunks = [d for _, d in events(text)[:-1]]
            told = [c for c in chunks if c.get("usage")]
            expect(r.status == 200 and told == (chunks[-1:] if asks else []), (model, asks, told))
            expect([c for c in chunks if not c["choices"]] == told, (model, chunks))


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


@case("Gemini's paths are served below /v1 and /v1alpha too, escaped, and without alt=sse as a list")
def _():
    g = shared()
    client = CLIENTS[3]
    for path in ("/v1/models/openai-chat:gpt-4o:generateContent", "/v1alpha/models/openai-chat:gpt-4o:generateContent",
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
        try:
            r, text = g.ask(client.path("openai-chat:gpt-4o", n % 2),
                            client.body("openai-chat:gpt-4o", bool(n % 2), words))
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
    for name in ("%00", "%ff", "a%0ab", "..%2f..", "x" * 500, "%zz", ":", "offline%00x"):
        r, text = g.ask(f"/v1beta/models/{name}:generateContent", CLIENTS[3].body("", False, WORDS))
        expect(r.status == 404 and CLIENTS[3].error(text)[0] == "NOT_FOUND", (name, r.status, text))
    expect(not g.relay.seen, g.relay.seen)


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
            expect(not client.name.startswith("openai") or json.loads(text)["error"]["code"] is None, text)
        for model in (5, ["openai-chat:gpt-4o"], False) if client.name != "gemini" else ():  # its path has the model
            r, text = g.ask(path, {"model": model, "messages": [], "input": ""})
            kind, words = client.error(text)
            expect((r.status, kind) == (400, kinds[client.name]) and words.startswith("model: expected a string, found"), text)
        r, text = g.ask(path, method="PUT")
        expect(r.status == 405 and r.headers["allow"] == "POST" and client.error(text), (r.status, text))
        expect(client.name != "gemini" or json.loads(text)["error"]["code"] == 405, text)
        r, text = g.ask(path, gzip.compress(b"{}"), content_encoding="gzip")
        expect(r.status == 415 and '"gzip"' in client.error(text)[1], (r.status, text))
    for path, client in (("/v1/nothing", CLIENTS[1]), ("/v1/messages/batches", CLIENTS[0]),
                         ("/v1beta/files", CLIENTS[3])):
        r, text = g.ask(path, b"{}")
        expect(r.status == 404 and path in client.error(text)[1], (r.status, text))
        expect(b"model_not_found" not in text, text)
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
        kind, words = client.error(text)
        expect(r.status == 413 and "67108864" in words, (r.status, text))
        expect(client is not CLIENTS[0] or kind == "request_too_large", text)
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
    for status, reply in ((502, "status: 401"), (429, "status: 429, retry_after_s: 99"),
                          (400, "status: 400, message: no")):
        with Gateway(script=f"replies:\n  - {{times: 0, {reply}}}\n") as g:
            for client in CLIENTS:
                r, text = g.ask(client.path("openai-chat:gpt-4o", True), client.body("openai-chat:gpt-4o", True, WORDS))
                expect(r.status == status, (client.name, status, r.status, text))
                expect(client.error(text)[1], text)
                expect((r.headers["retry-after"] in ("98", "99")) == (status == 429),
                       (r.status, r.headers["retry-after"]))


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


def numbered(i):
    """The text of a piece of a stream, from which its place in it can be told."""
    return f"{i:08d}" * 7500


@case("a client that does not read holds its upstream back")
def _():
    class Endless(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + START)
            self.connection.settimeout(1)
            try:
                for i in range(5000):
                    self.wfile.write(PIECE % numbered(i).encode())
            except (TimeoutError, socket.timeout):
                self.server.held.set()
            self.close_connection = True

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    server.held = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Gateway(env={"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}"}) as g:
        c = g.connect()
        body = CLIENTS[1].body("anthropic:claude-sonnet-4-5", True, WORDS)
        c.request("POST", "/v1/chat/completions", json.dumps(body))
        expect(server.held.wait(LIMIT_S), "all of it was taken")
        expect(g.used("VmHWM") < 64 << 20, g.used("VmHWM"))
        # What came is whole and in order, and the rest is told to be missing.
        text = c.getresponse().read()
        said = "".join(choice["delta"].get("content") or "" for _, data in events(text) if isinstance(data, dict)
                       for choice in data.get("choices", []))
        pieces = len(said) // len(numbered(0))
        expect(pieces > 1 and said == "".join(map(numbered, range(pieces))), (pieces, len(said), said[-100:]))
        expect("error" in events(text)[-1][1], text[-2000:])
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
        converse(g, client, "anthropic:claude-sonnet-4-5", False)
        before = g.used("VmRSS")
        for _ in range(3):
            r, text = g.ask(client.path("", False), body.encode())
            expect(r.status == 200, (r.status, text))
        expect(g.used("VmHWM") <= before + len(body) + (8 << 20), (before, len(body), g.used("VmHWM")))
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


@case("a second signal ends it at once, which clients and the log are told")
def _():
    model = "anthropic:claude-sonnet-4-5"
    with Gateway() as g:
        g.relay.stall = START + PIECE % b"beginning"
        asked = []
        for client in CLIENTS:
            for stream in (True, False):
                c = g.connect()
                c.request("POST", client.path(model, stream), json.dumps(client.body(model, stream, WORDS)))
                asked.append((client, c, stream and c.getresponse()))
        while len(g.relay.seen) < len(asked):
            time.sleep(0.01)
        g.process.send_signal(signal.SIGTERM)
        g.process.send_signal(signal.SIGINT)
        for client, c, stream in asked:
            r = stream or c.getresponse()
            text = r.read()
            words = client.stream_error(text) if stream else client.error(text)[1]
            expect(r.status == (200 if stream else 503) and words == "the gateway was stopped", (client.name, r.status, text))
            c.close()
        expect(g.process.wait(LIMIT_S) == 0, "status")
    told = [(line["status"], line.get("stopped"), line.get("gone"), line.get("error")) for line in g.log]
    expect(sorted(told, key=str) == [(200, True, None, "other")] * 4 + [(503, True, None, "overloaded")] * 4, g.log)


@case("an address that others can reach is refused, and so is a model that is none, or has no key")
def _():
    with tempfile.TemporaryDirectory() as home:
        for status, options, words in ((2, ["--listen", "0.0.0.0:0"], "keys"), (2, ["--listen", "nowhere"], "nowhere"),
                                       (2, ["--upstream", "nothing-like-that"], "nothing-like-that"),
                                       (2, ["--upstream", "offline"] * 9, "8 times"),
                                       (8, ["--upstream", "offline", "--upstream", "groq:m"], "GROQ_API_KEY")):
            env = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
            done = subprocess.run([REFRACT, "serve", *options], capture_output=True, text=True, timeout=LIMIT_S,
                                  env={**env, "HOME": home, "XDG_CONFIG_HOME": home})
            expect(done.returncode == status and words in done.stderr and not done.stdout, (done.returncode, done.stderr))


if __name__ == "__main__":
    harness.main()
