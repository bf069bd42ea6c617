#!/usr/bin/env python3
"""The gateway and clients that mean harm: none crashes it, hangs it, or gets through.

    test_hostile.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Every refusal has the right status and the words of an API, and after each the gateway still answers.
"""
import base64
import http.server
import json
import os
import pathlib
import re
import socket
import threading
import time

from harness import CLIENTS, LIMIT_S, PNG, SANITIZED, WORDS, Gateway, b64, case, expect, main, read, shared

MODEL = "openai-chat:gpt-4o"
CHAT = CLIENTS[1]
BODY = json.dumps(CHAT.body(MODEL, False, WORDS)).encode()


def connect(g):
    return socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)


def exchange(g, data, ends=False):
    """All that comes back until the gateway closes, which it does after whatever it refuses. With `ends`, the client
    sends no more, so that nothing is waited for."""
    text = b""
    with connect(g) as c:
        try:
            c.sendall(data)
            if ends:
                c.shutdown(socket.SHUT_WR)
            while piece := c.recv(1 << 16):
                text += piece
        except OSError:  # it was refused, and closed, before all of it was sent
            pass
    return text


def statuses(text):
    """Of all replies in it."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", text)]


def request(*lines, body=BODY, path="/v1/chat/completions"):
    head = [f"POST {path} HTTP/1.1".encode(), b"Host: localhost"]
    return b"\r\n".join(head + [line if isinstance(line, bytes) else line.encode() for line in lines]) + b"\r\n\r\n" + body


def is_well(g):
    r, text = g.ask("/v1/chat/completions", BODY)
    expect(r.status == 200 and WORDS in CHAT.whole(text)[0], (r.status, text))


def refuses(g, data, *allowed):
    """It is a client's error, nothing goes upstream, and what was hidden in it is not answered."""
    before = len(g.relay.seen)
    text = exchange(g, data)
    found = statuses(text)
    expect(all(s in allowed for s in found), (data[:200], text[:500]))
    expect(b'"type":"error"' not in text, ("it was smuggled in", data[:200], text))
    expect(found or None in allowed, (data[:200], text))
    expect(len(g.relay.seen) == before, ("it went through", data[:200]))
    return text


LENGTH = f"Content-Length: {len(BODY)}"
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
SMUGGLED = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"

# Heads that two servers could understand differently. None: the connection may be closed without a word.
SMUGGLING = {
    "a length and chunks": (request(LENGTH, "Transfer-Encoding: chunked", body=CHUNKED), 400),
    "chunks and a length": (request("Transfer-Encoding: chunked", "Content-Length: 5", body=CHUNKED + SMUGGLED), 400),
    "a request after a length that is too short": (request("Content-Length: 0", "Content-Length: 5", body=SMUGGLED), 400),
    "two lengths": (request("Content-Length: 5", LENGTH), 400),
    "two lengths that are the same": (request(LENGTH, LENGTH), 400),
    "a list of lengths": (request(f"Content-Length: {len(BODY)}, {len(BODY)}"), 400),
    "a length with a sign": (request(f"Content-Length: +{len(BODY)}"), 400),
    "a negative length": (request("Content-Length: -1"), 400),
    "a length that is not a number": (request("Content-Length: 0x10"), 400),
    "a length beyond all numbers": (request("Content-Length: 99999999999999999999999"), 400, 413),
    "an empty length": (request("Content-Length:"), 400, 411),
    "two encodings": (request("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=CHUNKED), 400, 501),
    "an encoding twice": (request("Transfer-Encoding: chunked, chunked", body=CHUNKED), 400, 501),
    "an encoding that is unknown": (request("Transfer-Encoding: xchunked", body=CHUNKED), 400, 501),
    "an encoding that is not the last": (request("Transfer-Encoding: chunked, gzip", body=CHUNKED), 400, 501),
    "an encoding with a control character": (request(b"Transfer-Encoding: \x0bchunked", body=CHUNKED), 400, 501),
    "space before a colon": (request("Transfer-Encoding : chunked", body=CHUNKED), 400),
    "a folded line": (request("X-A: b", " Transfer-Encoding: chunked", LENGTH), 400),
    "a line without a colon": (request("nonsense", LENGTH), 400),
    "a bare CR in a value": (request(b"X-A: a\rTransfer-Encoding: chunked", LENGTH), 400),
    "no Host": (b"POST /v1/chat/completions HTTP/1.1\r\n" + LENGTH.encode() + b"\r\n\r\n" + BODY, 400, 403),
    "two Hosts": (request("Host: localhost", LENGTH), 400, 403),
}


@case("a query of many fields costs memory in proportion")
def _():
    with Gateway() as g:
        is_well(g)
        before = g.used("VmHWM")
        for path in ("/v1/files?", "/v1/messages?beta=true&"):
            r, text = g.ask(path + "beta=&" * 2500, b"{}")
            expect(r.status < 500, (r.status, text))
        expect(g.used("VmHWM") - before < 4 << 20, (g.used("VmHWM") - before) >> 10)


@case("what two servers could understand differently is refused, and nothing is smuggled in")
def _():
    g = shared()
    for name, (data, *allowed) in SMUGGLING.items():
        try:
            refuses(g, data, *allowed)
        except AssertionError as e:
            raise AssertionError(f"{name}: {e}") from e
    is_well(g)


@case("broken chunks end the request")
def _():
    g = shared()
    chunks = {"a size that is not a number": b"zz\r\n{}\r\n0\r\n\r\n", "a negative size": b"-2\r\n{}\r\n0\r\n\r\n",
              "a size beyond all numbers": b"f" * 40 + b"\r\n{}", "a chunk that is longer": b"2\r\n{}{}\r\n0\r\n\r\n",
              "a size with a bare LF": b"2\n{}\n0\n\n", "an endless size": b"2" * 100000,
              "an endless extension": b"2;" + b"a" * 100000 + b"\r\n{}\r\n0\r\n\r\n"}
    for name, data in chunks.items():
        text = exchange(g, request("Transfer-Encoding: chunked", body=data), ends=True)
        expect(all(s in (400, 413, 431) for s in statuses(text)), (name, text[:500]))
    expect(not g.relay.seen, g.relay.seen)
    is_well(g)


@case("a chunk with an extension is a chunk, and a pipelined request has its own reply")
def _():
    g = shared()
    body = b"%x;name=value\r\n%s\r\n0\r\nX-Trailer: a\r\n\r\n" % (len(BODY), BODY)
    text = exchange(g, request("Transfer-Encoding: chunked", body=body) + request(LENGTH, "Connection: close"))
    expect(statuses(text) == [200, 200], text[:800])
    is_well(g)


@case("heads without end are refused before they are read")
def _():
    g = shared()
    heads = {"a long line": request("X-A: " + "a" * 100000, LENGTH), "a long name": request("a" * 100000 + ": b", LENGTH),
             "many lines": request(*[f"X-{i}: {'b' * 100}" for i in range(2000)], LENGTH),
             "a long path": request(LENGTH, path="/v1/" + "a" * 100000),
             "a long query": request(LENGTH, path="/v1/chat/completions?" + "a=b&" * 30000)}
    for name, data in heads.items():
        text = exchange(g, data)
        expect(all(s in (400, 404, 414, 431) for s in statuses(text)), (name, text[:300]))
    expect(not g.relay.seen, g.relay.seen)
    is_well(g)


@case("clients that send a byte now and then hold up nobody else")
def _():
    with Gateway() as g:
        slow = [connect(g) for _ in range(200)]
        for i, c in enumerate(slow):
            c.sendall(request(LENGTH, body=b"")[:20 + i % 80] if i % 2 else request(LENGTH, body=BODY[:5]))
        began = time.monotonic()
        for client in CLIENTS:
            r, text = g.ask(client.path(MODEL, True), client.body(MODEL, True, WORDS))
            read(client, True, r, text)
        expect(time.monotonic() - began < LIMIT_S, "held up")
        for c in slow:
            c.close()


@case("clients that keep more connections than there are descriptors keep out nobody else")
def _():
    with Gateway(descriptors=256) as g:
        held = []
        for i in range(400):
            held.append(connect(g))
            held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for client in CLIENTS:
            r, text = g.ask(client.path(MODEL, True), client.body(MODEL, True, WORDS))
            read(client, True, r, text)
        for c in held:
            c.close()


PATHS = ["/v1/../v1/chat/completions", "/v1/./chat/completions", "//v1/chat/completions", "/v1//chat/completions",
         "/v1/chat/completions/", "/v1/chat/completions%00", "/v1/chat%2f..%2fcompletions", "/V1/CHAT/COMPLETIONS",
         "/v1/chat/completions;a=b", "/%2e%2e/etc/passwd", "/v1/chat/completions%0d%0aX:%20y", "/v1/chat\\completions",
         "/v1/models/../chat/completions", "/v1beta/models/../../etc/passwd", "/v1beta/models/", "/%", "/%zz", "/\xff"]


@case("tricks with paths lead to no other place")
def _():
    g = shared()
    for path in PATHS:
        data = request(LENGTH).replace(b"/v1/chat/completions", path.encode("latin-1"), 1)
        refuses(g, data, 400, 404, 405)
    for line in ("POST http://localhost/v1/chat/completions HTTP/1.1", "POST * HTTP/1.1",
                 "CONNECT example.com:443 HTTP/1.1", "POST example.com/v1/chat/completions HTTP/1.1"):
        data = request(LENGTH).replace(b"POST /v1/chat/completions HTTP/1.1", line.encode(), 1)
        text = exchange(g, data)
        expect(all(s in (400, 404, 405, 501) for s in statuses(text)), (line, text[:300]))
    for name in (".", ".."):  # a part of a path upstream
        r, text = g.ask("/v1/chat/completions", CHAT.body(f"bedrock:{name}", False, WORDS))
        expect(r.status == 404 and CHAT.error(text)[1].startswith(f'"bedrock:{name}" names no model'), text)
    expect(not g.relay.seen, g.relay.seen)
    is_well(g)


@case("what a client names does not become a header of the reply")
def _():
    g = shared()
    for name in ("a%0d%0aX-Injected:%20yes", "a%0aX-Injected:%20yes", "%0d%0a%0d%0a<script>"):
        r, text = g.ask(f"/v1beta/models/{name}:generateContent", CLIENTS[3].body("", False, WORDS))
        expect(r.status == 404 and r.headers["x-injected"] is None, (r.headers, text))
    body = {**CHAT.body(MODEL, False, WORDS), "model": "a\r\nX-Injected: yes\r\n\r\n"}
    r, text = g.ask("/v1/chat/completions", body)
    expect(r.status == 404 and r.headers["x-injected"] is None and CHAT.error(text)[1], (r.headers, text))
    r, text = g.ask("/v1/chat/completions", BODY, x_refract_explain="1\t", x_request_id="a" * 3000)
    expect(r.status == 200, (r.status, text))


@case("a model's name that is too long is refused by its length, whoever would answer, and is kept nowhere")
def _():
    for options in ((), ("--upstream", "anthropic:claude-sonnet-4-5")):
        with Gateway(*options) as g:
            count = 0
            for client in CLIENTS:
                for size in (513, 10000 if client.name == "gemini" else 1 << 20):
                    name = "openai-chat:" + "x" * (size - 12)
                    r, text = g.ask(client.path(name, False), client.body(name, False, WORDS))
                    said = client.error(text)[1]
                    expect(r.status == 400 and f"{size} bytes" in said and "512" in said and "xxx" not in said, (client.name, text[:300]))
                    count += 1
            long = "x" * 513
            for path, body in (("/v1/models/" + long, None), ("/v1beta/models/" + long, None), ("/v1/embeddings", {"model": long}),
                               ("/v1/messages/batches", {"requests": [{"custom_id": "a", "params": {"model": long}}]}),
                               (f"/v1beta/models/{long}:embedContent", {}), (f"/v1beta/models/{long}:countTokens", CLIENTS[3].body("", False, WORDS))):
                r, text = g.ask(path, body)
                expect(r.status == 400 and b"513 bytes" in text and long.encode() not in text, (path[:40], r.status, text[:300]))
                count += 1
            r, text = g.ask("/v1/chat/completions", CHAT.body("nowhere:" + "x" * 504, False, WORDS))
            expect(r.status == (200 if options else 404), (r.status, text[:300]))
            expect("xxx" not in g.ask("/metrics")[1].decode() and len(g.relay.seen) == len(options) // 2, g.relay.seen)
        expect(len(g.log) == count + 1 and [line.get("model") for line in g.log if "model" in line] == ["nowhere:" + "x" * 192], g.log)


class Listener(http.server.ThreadingHTTPServer):
    """Must not be called."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        self.called = False
        self.url = f"http://127.0.0.1:{self.server_address[1]}/picture.png"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def get_request(self):
        self.called = True
        return super().get_request()


def with_media(client, url):
    """A user's message, and a tool's result, with a picture at an address."""
    body = client.body(MODEL, False, WORDS, [("look", {}, "here", False)])
    if client.name == "anthropic":
        part = {"type": "image", "source": {"type": "url", "url": url}}
        body["messages"][0]["content"] = [part]
        body["messages"][2]["content"][0]["content"] = [part]
    elif client.name == "openai-chat":
        part = {"type": "image_url", "image_url": {"url": url}}
        body["messages"][0]["content"] = [part]
        body["messages"][2]["content"] = [part]
    elif client.name == "openai-responses":
        part = {"type": "input_image", "image_url": url}
        body["input"][0]["content"] = [part]
        body["input"][2]["output"] = [part]
    else:
        part = {"fileData": {"fileUri": url, "mimeType": "image/png"}}
        body["contents"][0]["parts"] = [part]
        body["contents"][2]["parts"][0]["functionResponse"]["parts"] = [part]
    return body


@case("the gateway fetches nothing that a client has an address of")
def _():
    g, listener = shared(), Listener()
    for client in CLIENTS:
        for model in (MODEL, "anthropic:claude-sonnet-4-5", "google:gemini-3.5-flash", "ollama:gemma3"):
            body = with_media(client, listener.url)
            g.ask(client.path(model, False), {**body, "model": model} if client.name != "gemini" else body)
    expect(not listener.called, "it was fetched")
    listener.shutdown()
    listener.server_close()


@case("the gateway reads no file that a client has a path of")
def _():
    with Gateway() as g:
        secret = pathlib.Path(g.folder.name, "secret.png")
        secret.write_bytes(PNG)
        secret.with_suffix(".txt").write_text("the order number is 7341-B", encoding="utf-8")
        for client in CLIENTS:
            for address in (f"file://{secret}", str(secret), "secret.png", f"file://{secret.with_suffix('.txt')}"):
                r, text = g.ask(client.path(MODEL, False), with_media(client, address))
                expect(r.status in (200, 400), (r.status, text))
            for words in ("Look at @secret.txt and @secret.png", f"Look at @{secret} and file://{secret}"):
                g.ask(client.path(MODEL, False), client.body(MODEL, False, words, [("look", {}, words, False)]))
        for body in g.relay.seen:
            expect(b"7341-B" not in body and b64(PNG).encode() not in body, body)


def nested(depth):
    return b"[" * depth + b"]" * depth


@case("JSON that is deep, doubled or broken is refused or read, and never more than that")
def _():
    g = shared()
    for client in CLIENTS:
        path, good = client.path(MODEL, False), json.dumps(client.body(MODEL, False, WORDS))
        bodies = {"deep": b'{"model": "%s", "x": %s}' % (MODEL.encode(), nested(100000)),
                  "open": b"[" * 1000000, "cut": good.encode()[:-1], "two": good.encode() * 2,
                  "not UTF-8": good.encode().replace(b"weather", b"w\xff\xfeather"),
                  "a NUL": good.encode() + b"\0", "nothing but space": b" " * 1000000,
                  "a number without end": b'{"model": %s}' % (b"9" * 1000000)}
        for name, body in bodies.items():
            r, text = g.ask(path, body)
            expect(r.status in (400, 404, 413) and client.error(text)[1], (client.name, name, r.status, text[:300]))
        expect(not g.relay.seen, g.relay.seen)
        # A lone surrogate is not a character, and what is doubled has one value.
        r, text = g.ask(path, good.replace("weather", "\\ud800 weather").encode())
        expect(r.status in (200, 400), (client.name, r.status, text))
        r, text = g.ask(path, (good[:-1] + ', "stream": false, "model": "' + MODEL + '"}').encode())
        expect(r.status in (200, 400), (client.name, r.status, text))
        for body in g.relay.seen:
            json.loads(body.decode())
        g.relay.seen.clear()


@case("64 MiB of nothing are refused in the end, and their memory is given back")
def _():
    with Gateway() as g:
        nothing = b" " * (1 << 26)
        for client in CLIENTS:
            r, text = g.ask(client.path(MODEL, False), nothing)
            expect(r.status == 400 and client.error(text)[1], (r.status, text))
        until = time.monotonic() + LIMIT_S
        while g.used("VmRSS") > 40 << 20:
            expect(time.monotonic() < until, g.used("VmRSS"))
            g.ask("/healthz")


@case("thousands of calls, and ids of a megabyte, are answered or refused")
def _():
    g = shared()
    for client in CLIENTS:
        calls = [("look", {"at": str(i)}, f"place {i}", False) for i in range(2000)]
        body = client.body(MODEL, False, WORDS, calls)
        r, text = g.ask(client.path(MODEL, False), body)
        expect(r.status in (200, 400, 413), (client.name, r.status, text[:300]))
        if r.status == 200:
            expect(b"place 1999" in g.relay.seen[-1], client.name)
        one = json.dumps(client.body(MODEL, False, WORDS, calls[:1]))
        for old in ("toolu_0", "call_0"):
            one = one.replace(old, "x" * (1 << 20))
        r, text = g.ask(client.path(MODEL, False), one.encode())
        expect(r.status == 200 and len(g.relay.seen[-1]) < 1 << 20 or client is CHAT, (client.name, r.status, text[:300]))
    is_well(g)


@case("an image that is a bomb, or a lie, goes no further than the worker")
def _():
    g = shared()
    huge = bytearray(PNG)
    huge[16:24] = b"\x7f\xff\xff\xff" * 2
    for data in (bytes(huge), PNG[:40], b"\x89PNG\r\n\x1a\n" + os.urandom(500), b"%PDF-1.7\n" + b"<<" * 5000):
        for client in CLIENTS:
            body = client.body(MODEL, False, WORDS, [("look", {}, ("image/png", data), False)])
            r, text = g.ask(client.path(MODEL, False), body)
            expect(r.status in (200, 400), (client.name, r.status, text[:300]))
    is_well(g)


@case("base64 that is not one is told, and is never sent as text")
def _():
    g = shared()
    wrong = base64.b64encode(os.urandom(3000)).decode()[:-1] + "!"
    for client in CLIENTS:
        body = json.dumps(client.body(MODEL, False, WORDS, [("look", {}, ("image/png", PNG), False)]))
        r, text = g.ask(client.path(MODEL, False), body.replace(b64(PNG), wrong).encode())
        expect(r.status in (200, 400), (r.status, text))
        for sent in g.relay.seen:
            expect(wrong[:200].encode() not in sent, sent[:500])
        g.relay.seen.clear()


@case("a conversation that names thousands of models in its thoughts is read as fast as any other")
def _():
    seal = lambda i: base64.b64encode(f"refract\ngroq\nmodel-{i}\n\nsigned\n\n\n".encode()).decode()
    messages = [{"role": "user", "content": "Hello"}]
    for i in range(4000):
        messages += [{"role": "assistant", "content": [{"type": "thinking", "thinking": "Well", "signature": seal(i)},
                                                       {"type": "text", "text": "Yes"}]},
                     {"role": "user", "content": "And?"}]
    body = {"model": "openai-chat:gpt-4o", "max_tokens": 100, "messages": messages}
    with Gateway() as g:
        began = time.monotonic()
        r, text = g.ask("/v1/messages", body)
        took = time.monotonic() - began
        expect(r.status == 200 and took < (30 if SANITIZED else 3), (r.status, took, text))


if __name__ == "__main__":
    main()
