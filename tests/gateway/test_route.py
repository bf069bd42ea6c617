#!/usr/bin/env python3
"""refract serve: names, weights, fallbacks, several keys, and upstreams that fail in every way. harness.py says how it
is run."""
import collections
import concurrent.futures
import contextlib
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time

import harness
from harness import CLIENTS, LIMIT_S, PNG, REFRACT, WORDS, Gateway, case, converse, expect, read

ANTHROPIC, CHAT = CLIENTS[:2]
KEYS = {"FIRST": "first-not-to-be-seen", "SECOND": "second-not-to-be-seen", "THIRD": "third-not-to-be-seen"}
FIRST, SECOND, THIRD = KEYS.values()


class Upstream(http.server.ThreadingHTTPServer):
    """A server of Chat Completions that does what `acts` says, in turn, and answers when that is used up. An act is a
    status, (status, headers), "empty" (the account is), "dear" (it has less than the request may take), "hang" (no byte comes), "stall" (some come, and no more), "reset"
    (some come, and the connection ends), "gone" (it ends before any), "slow" (a stream that ends once `go_on` is set). With
    `by_key` they are a key's own, and the last one stays."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *acts, by_key=None):
        super().__init__(("127.0.0.1", 0), Answering)
        self.acts, self.by_key, self.lock = list(acts), by_key or {}, threading.Lock()
        self.asked = []  # (key, body)
        self.shows, self.shown = None, 0  # what it says of a model, as Ollama does; and how often it was asked
        self.over, self.go_on = threading.Event(), threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_act(self, key, body):
        with self.lock:
            self.asked.append((key, body))
            if key in self.by_key:
                return self.by_key[key]
            return self.acts.pop(0) if self.acts else "answer"

    def keys(self):
        return [key for key, _ in self.asked]

    def stop(self):
        self.over.set()
        self.go_on.set()
        self.shutdown()
        self.server_close()


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/api/show":
            self.server.shown += 1
            self.whole(200 if self.server.shows else 404, json.dumps(self.server.shows or {}).encode(), {})
            return
        key = (self.headers["authorization"] or "").removeprefix("Bearer ")
        act = self.server.next_act(key, body)
        status, headers = act if isinstance(act, tuple) else (act, {})
        if act == "empty":
            self.refuse(429, {}, "insufficient_quota")
        elif act == "repeat":
            self.refuse(400, {}, "invalid_request_error", f"Invalid value: '{body['messages'][-1]['content']}'. Give another.")
        elif act == "dear":
            self.refuse(402, {}, words="This request requires more credits, or fewer max_tokens. You requested up to "
                                       "64000 tokens, but can only afford 900.")
        elif isinstance(status, int):
            self.refuse(status, headers)
        elif act == "hang":
            self.server.over.wait(LIMIT_S)
        elif act in ("stall", "reset"):
            self.begin(body, act)
        elif act == "slow":
            self.answer(body, self.server.go_on)
        elif act == "answer":
            self.answer(body)
        self.close_connection = not isinstance(status, int) and act not in ("answer", "empty", "dear", "repeat")

    def refuse(self, status, headers, kind="refused", words=""):
        words = words or f"no, says {status}, not for {' or '.join(set(self.server.keys()))}"
        said = {"error": {"message": words, "type": kind}}
        self.whole(status, json.dumps(said).encode(), headers)

    def whole(self, status, data, headers):
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": len(data), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def begin(self, body, act):
        self.send_response(200)
        stream = body.get("stream")
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.send_header("content-length", "100000")
        self.end_headers()
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"],
                 "choices": [{"index": 0, "delta": {"role": "assistant", "content": "half"}, "finish_reason": None}]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n" if stream else b'{"id": "c",')
        self.wfile.flush()
        if act == "stall":
            self.server.over.wait(LIMIT_S)

    def answer(self, body, until=None):
        said = f"{body['model']} here"
        reply = {"id": "c", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            message = {"role": "assistant", "content": said}
            self.whole(200, json.dumps({**reply, "object": "chat.completion", "choices": [
                {"index": 0, "message": message, "finish_reason": "stop"}]}).encode(), {})
            return
        chunks = [{**reply, "object": "chat.completion.chunk", "choices": [
            {"index": 0, "delta": delta, "finish_reason": end}]}
            for delta, end in (({"role": "assistant", "content": said}, None), ({}, "stop"))]
        data = [b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks] + [b"data: [DONE]\n\n"]
        if not until:
            self.whole(200, b"".join(data), {"content-type": "text/event-stream"})
            return
        self.whole(200, data[0], {"content-type": "text/event-stream", "content-length": sum(map(len, data))})
        until.wait(LIMIT_S)
        self.wfile.write(b"".join(data[1:]))


@contextlib.contextmanager
def route(config, *options, **upstreams):
    """A gateway with this configuration, in which NAME is the address of upstreams[NAME]."""
    with tempfile.TemporaryDirectory() as folder:
        for name, upstream in upstreams.items():
            config = config.replace(f"@{name}", upstream.url)
        path = pathlib.Path(folder, "refract")
        path.mkdir()
        (path / "config.yaml").write_text(config, encoding="utf-8")
        try:
            with Gateway(*options, env={"XDG_CONFIG_HOME": folder, **KEYS}) as g:
                yield g
        finally:
            for upstream in upstreams.values():
                upstream.stop()


def ask(g, model, stream=False, client=CHAT, text=WORDS, calls=(), **headers):
    r, answer = g.ask(client.path(model, stream), client.body(model, stream, text, calls), **headers)
    expect(b"not-to-be-seen" not in answer, answer)
    expect("not-to-be-seen" not in str(r.headers), r.headers)
    return r, answer


def said(g, model, stream=False, client=CHAT, **more):
    r, answer = ask(g, model, stream, client, **more)
    return read(client, stream, r, answer)[0]


def error(g, model, status, stream=False, client=CHAT, **more):
    r, answer = ask(g, model, stream, client, **more)
    expect(r.status == status, (r.status, answer))
    return client.error(answer)[1], r


def each(items, check):
    """Several at once: most of the time they wait."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(check, items))


ONE_KEY = "providers: {groq: {base_url: \"@up\", keys: [$FIRST]}}\n"
TWO_KEYS = "providers: {groq: {base_url: \"@up\", keys: [$FIRST, $SECOND]}}\n"


# Names


@case("a name is the configuration's, a provider's, a rule's, the catalogue's, or not found with those that work")
def _():
    config = ("providers:\n  groq: {base_url: \"@up\", key: $FIRST}\n"
              "models:\n  mine: {provider: groq, model: own}\n  gpt-own: {provider: groq, model: named}\n"
              "serve:\n  rules:\n    - {match: \"gpt-4*\", model: mine}\n"
              "    - {match: \"gpt-*\", model: \"groq:second\"}\n    - {match: \"llama3:*\", model: \"groq:third\"}\n")
    with route(config, up=Upstream()) as g:
        for asked, answers in (("mine", "own"), ("groq:any/thing", "any/thing"), ("gpt-4o", "own"), ("gpt-5", "second"),
                               ("gpt-own", "named"), ("llama3:8b", "third")):
            expect(said(g, asked) == f"{answers} here", asked)
        for client in CLIENTS:
            words, _ = error(g, "nothing-known", 404, client=client)
            expect("nothing-known" in words and "mine" in words, words)
        r, text = g.ask("/v1/models")
        expect({"mine", "gpt-own"} <= {m["id"] for m in json.loads(text)["data"]}, text)


@case("--upstream takes everything, also to one of several and to fallbacks")
def _():
    up = Upstream(503, 503, 503)
    config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}}\n"
              "models: {mine: {provider: groq, model: one, fallback: [\"groq:two\"]}}\n"
              "serve: {rules: [{match: \"*\", model: \"groq:never\"}]}\n")
    with route(config, "--upstream", "mine", up=up) as g:
        expect(said(g, "whatever") == "two here", up.asked)
        expect(said(g, "groq:x") == "one here", up.asked)


@case("--upstream again names whom to ask next")
def _():
    up, other = Upstream(503, 503, 503), Upstream()
    config = 'providers: {groq: {base_url: "@up", key: $FIRST}, mistral: {base_url: "@other", key: $SECOND}}\n'
    order = ("--upstream", "groq:m", "--upstream", "mistral:n")
    with route(config, *order, up=up, other=other) as g:
        expect(said(g, "whatever") == "n here", (up.asked, other.asked))
        expect(said(g, "whatever") == "m here", (up.asked, other.asked))


@case("one of several is chosen by weight, and a conversation stays with it")
def _():
    config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}}\n"
              "models:\n  often: {provider: groq, model: often, weight: 9}\n"
              "  team: {any: [\"groq:rarely\", often]}\n")
    with route(config, up=Upstream()) as g:
        asked = [f"Conversation {i} is about something else." for i in range(120)]
        first = [said(g, "team", text=text) for text in asked]
        spread = collections.Counter(first)
        expect(set(spread) == {"often here", "rarely here"}, spread)
        expect(spread["rarely here"] < 40, spread)
        expect([said(g, "team", text=text) for text in asked[:30]] == first[:30], first)
        longer = CHAT.body("team", False, asked[0], [("look", {}, "a lake", False)])
        r, text = g.ask("/v1/chat/completions", longer)
        expect(CHAT.whole(text)[0] == first[0], text)


@case("the others of several answer where the chosen one cannot")
def _():
    up = Upstream(by_key={FIRST: 503})
    config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}, xai-chat: {base_url: \"@up\", key: $SECOND}}\n"
              "models: {team: {any: [\"groq:a\", \"xai-chat:b\"]}}\n")
    with route(config, up=up) as g:
        for i in range(8):
            expect(said(g, "team", text=f"words {i}") == "b here", up.asked)
        expect(FIRST in up.keys(), "one of eight was for the other")


@case("the configuration says where it listens, and the command line before it")
def _():
    def start(listen, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "refract")
            path.mkdir()
            (path / "config.yaml").write_text(f"serve: {{listen: \"{listen}\"}}\n", encoding="utf-8")
            env = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "HOME": folder}
            p = subprocess.Popen([REFRACT, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                 cwd=folder, text=True)
            line = p.stdout.readline()
            p.terminate()
            return line, p.communicate(timeout=LIMIT_S)[1], p.returncode

    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    line, _, status = start(address)
    expect(line == f"listening on http://{address}\n" and status == 0, line)
    line, _, status = start("0.0.0.0:0", "--listen", "127.0.0.1:0")
    expect(line.startswith("listening on http://127.0.0.1:") and status == 0, line)
    line, err, status = start("0.0.0.0:0")
    expect(not line and status == 2 and "other machines could reach" in err, (line, err, status))


@case("a server is asked once about a model, whether it tells something or not")
def _():
    config = ("providers: {openai-compatible: {base_url: \"@up\", key: $FIRST}}\n"
              "models: {mine: {provider: openai-compatible, model: own, capabilities: {server: ollama}}}\n")
    for shows in (None, {"capabilities": ["completion", "tools"], "model_info": {"llama.context_length": 8192}}):
        up = Upstream()
        up.shows = shows
        with route(config, up=up) as g:
            for client in CLIENTS:
                expect(said(g, "mine", client=client) == "own here", up.asked)
            expect(up.shown == 1 and len(up.asked) == 4, (shows, up.shown))


# Keys


@case("a key that is refused is left out, and the next one takes its place")
def _():
    for status in (401, 402, 403):
        up = Upstream(by_key={FIRST: status})
        with route(TWO_KEYS, up=up) as g:
            for client in CLIENTS:
                for stream in (False, True):
                    expect(said(g, "groq:m", stream, client) == "m here", (status, up.asked))
            expect(up.keys().count(FIRST) == 1 and up.keys().count(SECOND) == 8, (status, up.keys()))


@case("a key that is refused for one model is good for others")
def _():
    up = Upstream(403)
    with route(TWO_KEYS, up=up) as g:
        for _ in range(5):
            expect(said(g, "groq:secret") == "secret here", up.asked)
        expect(sorted(collections.Counter(up.keys()).values()) == [1, 5], up.keys())
        for _ in range(4):
            expect(said(g, "groq:open") == "open here", up.asked)
        expect(sorted(collections.Counter(up.keys()).values()) == [3, 7], up.keys())


@case("what is forbidden to one client does not take the last key from the others")
def _():
    for config in (ONE_KEY, TWO_KEYS):
        up = Upstream(by_key={FIRST: 403, SECOND: 403})
        with route(config, up=up) as g:
            for client in CLIENTS:
                words, _ = error(g, "groq:m", 502, client=client)
                expect("the gateway's key" in words and "403" in words, words)
            up.by_key = {}
            expect(said(g, "groq:m") == "m here", up.asked)


@case("a request that an account cannot pay for does not take its key from the others")
def _():
    for config, keys in ((ONE_KEY, [FIRST] * 2), (TWO_KEYS, [FIRST, SECOND, SECOND])):
        up = Upstream(*["dear"] * (len(keys) - 1))
        with route(config, up=up) as g:
            words, _ = error(g, "groq:m", 502)
            expect("fewer max_tokens" in words, words)
            expect(said(g, "groq:m") == "m here" and up.keys() == keys, up.keys())


@case("what a client wrote and a provider repeats takes neither its key nor its model from the others")
def _():
    for words in ("unauthorized", "api key not valid", "rate limit", "too many requests", "overloaded", "fewer max_tokens"):
        up = Upstream(*["repeat"] * 40)
        with route(ONE_KEY, up=up) as g:
            for client in CLIENTS[:2] * 3:  # more often than a model may fail
                r, text = ask(g, "groq:m", client=client, text=words)
                expect(r.status >= 400 and words.encode() in text, text)
            up.acts.clear()
            expect(said(g, "groq:m") == "m here", words)


@case("what a refusal says of a model is known to the others once it has helped, and not before")
def _():
    def tell(g, text, wanted):
        body = {**ANTHROPIC.body("groq:m", False, text), "temperature": 0.5}
        r, answer = g.ask("/v1/messages", body)
        expect(r.status == wanted, answer)
    for refusals, kept in ((10, True), (1, False)):
        up = Upstream(*["repeat"] * refusals)
        with route(ONE_KEY, up=up) as g:
            tell(g, "'temperature' is not supported", 400 if kept else 200)
            up.acts.clear()
            tell(g, WORDS, 200)
            end = time.monotonic() + LIMIT_S
            while not kept and "temperature" in up.asked[-1][1]:  # it is written down after the answer
                expect(time.monotonic() < end, "nothing was learned")
                tell(g, WORDS, 200)
            expect(("temperature" in up.asked[-1][1]) == kept, up.asked[-1])


@case("where all keys are refused the client hears of a bad gateway, and nobody is asked again")
def _():
    for status in (401, 402):
        up = Upstream(by_key={FIRST: status, SECOND: status})
        with route(TWO_KEYS, up=up) as g:
            for i, client in enumerate(CLIENTS):
                words, _ = error(g, "groq:m", 502, client=client)
                expect("the gateway's key" in words and str(status) in words, words)
                expect(("no, says" in words) == (i == 0), "what was said to another")
            expect(sorted(up.keys()) == [FIRST, SECOND], up.keys())


@case("a reload brings refused keys back, and not those that must wait")
def _():
    up = Upstream(by_key={FIRST: 401, SECOND: (429, {"retry-after": "90"})})
    with route("providers: {groq: {base_url: \"@up\", keys: [$FIRST, $SECOND, $THIRD]}}\n", up=up) as g:
        for _ in range(4):
            expect(said(g, "groq:m") == "m here", up.keys())
        expect(sorted(set(up.keys())) == sorted(KEYS.values()), up.keys())
        up.by_key = {}
        up.asked.clear()
        g.says = "the configuration was reloaded\n"
        g.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + LIMIT_S
        while FIRST not in up.keys() and time.monotonic() < deadline:
            expect(said(g, "groq:m") == "m here", up.keys())
        for _ in range(4):
            said(g, "groq:m")
        expect(set(up.keys()) == {FIRST, THIRD}, up.keys())


@case("the log says what failed, with the number of a key and never the key")
def _():
    up = Upstream(by_key={FIRST: 401, SECOND: 503})
    config = TWO_KEYS + ("models: {main: {provider: groq, model: m, fallback: [\"anthropic:claude-sonnet-4-5\"]}}\n")
    with route(config, up=up) as g:
        said(g, "main")
    line, = g.log
    expect(line["upstream"] == "anthropic:claude-sonnet-4-5" and line["attempts"] == len(up.asked) + 1, line)
    expect("groq:m key 2: 503" in line["failed"] and "not-to-be-seen" not in json.dumps(g.log), line)


@case("keys take turns")
def _():
    up = Upstream()
    with route("providers: {groq: {base_url: \"@up\", keys: [$FIRST, $SECOND, $THIRD]}}\n", up=up) as g:
        for _ in range(9):
            said(g, "groq:m")
        expect(collections.Counter(up.keys()) == {FIRST: 3, SECOND: 3, THIRD: 3}, up.keys())


@case("keys of each provider take turns, whoever else is asked between")
def _():
    up, other = Upstream(by_key={FIRST: 429}), Upstream()
    config = ("providers: {groq: {base_url: \"@up\", keys: [$FIRST, $SECOND]},"
              " mistral: {base_url: \"@other\", keys: [$FIRST, $SECOND]}}\n")
    with route(config, up=up, other=other) as g:
        for _ in range(8):
            said(g, "groq:m")
            said(g, "mistral:n")
        expect(collections.Counter(other.keys()) == {FIRST: 4, SECOND: 4}, other.keys())


@contextlib.contextmanager
def streaming(g, up, model):
    """While a stream is under way, which has begun; then it is let end."""
    up.by_key[FIRST] = "slow"
    c = g.connect()
    c.request("POST", CHAT.path(model, True), json.dumps(CHAT.body(model, True, WORDS)))
    r = c.getresponse()
    begun = r.read1(1000)
    yield
    up.go_on.set()
    text = begun + r.read()
    c.close()
    expect(b"[DONE]" in text, text)


@case("an answer that began before says nothing of who must wait, or does not answer, since then")
def _():
    up = Upstream()
    with route(ONE_KEY, up=up) as g:
        with streaming(g, up, "groq:m"):
            up.by_key[FIRST] = (429, {"retry-after": "600"})
            error(g, "groq:m", 429)
        up.by_key[FIRST] = "answer"
        error(g, "groq:m", 429)
    up = Upstream()
    with route(ONE_KEY, up=up) as g:
        with streaming(g, up, "groq:m"):
            up.by_key[FIRST] = (503, {"retry-after": "30"})
            for _ in range(5):
                error(g, "groq:m", 503)
        expect(len(up.asked) == 6, up.asked)
        error(g, "groq:m", 503)
        expect(len(up.asked) == 6, up.asked)


@case("a key that must wait with one model is used with others")
def _():
    up = Upstream((429, {"retry-after": "600"}))
    with route(ONE_KEY, up=up) as g:
        error(g, "groq:m", 429)
        expect(said(g, "groq:other") == "other here", up.asked)
        error(g, "groq:m", 429)
        expect(len(up.asked) == 2, up.asked)


@case("a key that must wait is not used until then")
def _():
    up = Upstream(by_key={FIRST: (429, {"retry-after": "2"})})
    with route(TWO_KEYS, up=up) as g:
        until = time.monotonic() + 2
        while FIRST not in up.keys():
            expect(said(g, "groq:m") == "m here", up.asked)
            until = time.monotonic() + 2
        for _ in range(4):
            expect(said(g, "groq:m") == "m here", up.asked)
        early = time.monotonic() < until - 0.1
        expect(not early or up.keys().count(FIRST) == 1, up.keys())
        up.by_key = {}
        time.sleep(max(0, until - time.monotonic()) + 0.1)
        for _ in range(2):
            said(g, "groq:m")
        expect(up.keys().count(FIRST) >= 2, up.keys())


@case("where all keys must wait the client is told for how long, and nobody is asked")
def _():
    up = Upstream(by_key={FIRST: (429, {"retry-after": "90"}), SECOND: (429, {"retry-after": "70"})})
    with route(TWO_KEYS, up=up) as g:
        for client in CLIENTS:
            words, r = error(g, "groq:m", 429, client=client)
            expect("429" in words and 0 < int(r.headers["retry-after"]) <= 70, (words, r.headers["retry-after"]))
        expect(sorted(up.keys()) == [FIRST, SECOND], up.keys())


@case("to wait is the better news: a refused key does not hide one that must wait")
def _():
    waits = (429, {"retry-after": "90"})
    for first, second in ((401, waits), (waits, 401), ("empty", waits), (waits, "empty")):
        with route(TWO_KEYS, up=Upstream(by_key={FIRST: first, SECOND: second})) as g:
            for _ in range(2):
                _, r = error(g, "groq:m", 429)
                expect(0 < int(r.headers["retry-after"]) <= 90, r.headers)


@case("a command may print a key, and one that fails is passed over")
def _():
    up = Upstream()
    config = ("providers: {groq: {base_url: \"@up\", keys: [{command: [\"false\"]}, {command: [echo, %s]}]}}\n" % SECOND)
    with route(config, up=up) as g:
        for _ in range(4):
            expect(said(g, "groq:m") == "m here", up.asked)
        expect(set(up.keys()) == {SECOND}, up.keys())


@case("the client is not told how a key is found, and the page not either; the log says what is wrong with it")
def _():
    config = ("providers:\n  groq: {base_url: \"@up\", keys: [{command: \"echo hush-hush; exit 3\"}]}\n"
              "  mistral: {base_url: \"@up\", keys: [{command: [printenv, hush-hush]}]}\n")
    with route(config, up=Upstream()) as g:
        for model in ("groq:m", "mistral:m"):
            for client in CLIENTS:
                words, _ = error(g, model, 502, client=client)
                expect(words == "the gateway's key for this model cannot be used", words)
        r, text = g.ask("/page/overview?since=0")
        if r.status == 200:
            expect(b"groq key 1" in text and b"hush-hush" not in text, text)
    failed = [line["failed"] for line in g.log if line.get("failed")]
    expect("groq:m key 1: " in failed[0] and "status 3" in failed[0], failed)


# Servers that are not well


@case("a server that is not well is asked again with the same key, a few times")
def _():
    def passes(status):
        up = Upstream(status, status)
        with route(TWO_KEYS, up=up) as g:
            expect(said(g, "groq:m") == "m here", (status, up.asked))
            expect(len(up.asked) == 3 and len(set(up.keys())) == 1, (status, up.keys()))

    def stays(row):
        status, told = row
        up = Upstream(by_key={FIRST: status})
        with route(ONE_KEY, up=up) as g:
            for client in (CHAT, ANTHROPIC):
                words, _ = error(g, "groq:m", told, stream=True, client=client)
                expect(str(status) in words, words)
            expect(len(up.asked) == 6, up.asked)

    each((500, 502, 503, 504, 529), passes)
    each(((500, 502), (502, 502), (503, 503), (504, 504), (529, 503)), stays)


@case("who must wait long for a server is not kept waiting")
def _():
    up = Upstream((503, {"retry-after": "50"}))
    with route(ONE_KEY, up=up) as g:
        _, r = error(g, "groq:m", 503)
        expect(r.headers["retry-after"] == "50" and len(up.asked) == 1, (r.headers, up.asked))


@case("another model answers in its place, in a request of its own")
def _():
    config = (ONE_KEY + "models: {main: {provider: groq, model: m, fallback: [\"anthropic:claude-sonnet-4-5\"]}}\n")
    config += "serve: {first_byte_seconds: 1, idle_seconds: 1}\n"

    def check(failure):
        up = Upstream(by_key={FIRST: failure})
        with route(config, up=up) as g:
            for client in CLIENTS:
                g.relay.seen.clear()
                r, text = ask(g, "main", client=client, calls=[("look", {}, ("image/png", PNG), False)],
                              x_refract_explain="1")
                words, _ = read(client, False, r, text)
                expect("64x64" in words or "64 x 64" in words, (failure, words))
                sent = json.loads(g.relay.seen[-1])
                expect(sent["model"] == "claude-sonnet-4-5" and "max_tokens" in sent, sent)
                # inside the result, as only the second takes it
                expect(r.headers["x-refract-delivery"] == "native/original=1", (client.name, r.headers))
            expect(len(up.asked) >= 1, failure)

    each((401, 429, 500, 503, 529, 404, "hang", "gone", "reset", "stall"), check)


@case("a key, a target and a fallback are gone through in order")
def _():
    up, other = Upstream(by_key={FIRST: 401, SECOND: (429, {"retry-after": "80"})}), Upstream(503, 503, 503)
    config = ("providers:\n  groq: {base_url: \"@up\", keys: [$FIRST, $SECOND]}\n"
              "  mistral: {base_url: \"@other\", key: $THIRD}\n"
              "models: {main: {provider: groq, model: m, fallback: [\"mistral:n\", \"mistral:o\"]}}\n")
    with route(config, up=up, other=other) as g:
        expect(said(g, "main") == "o here", (up.asked, other.asked))
        expect(sorted(up.keys()) == [FIRST, SECOND], up.keys())
        expect([b["model"] for _, b in other.asked] == ["n", "n", "n", "o"], other.asked)


@case("a fallback without a key is passed over, and where none is left the first refusal counts")
def _():
    up = Upstream(by_key={FIRST: 503})
    config = ONE_KEY + "models: {main: {provider: groq, model: m, fallback: [\"xai:x\", \"openrouter:y\"]}}\n"
    with route(config, up=up) as g:
        words, _ = error(g, "main", 503)
        expect("503" in words, words)


@case("what was sent and is wrong is not sent elsewhere")
def _():
    up, other = Upstream(by_key={FIRST: 400}), Upstream()
    config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}, mistral: {base_url: \"@other\", key: $THIRD}}\n"
              "models: {main: {provider: groq, model: m, fallback: [\"mistral:n\"]}}\n")
    with route(config, up=up, other=other) as g:
        error(g, "main", 400)
        expect(not other.asked, other.asked)


@case("a model that fails again and again is let alone, and asked once when its pause is over")
def _():
    up = Upstream(by_key={FIRST: (503, {"retry-after": "30"})})
    with route(ONE_KEY, up=up) as g:
        for _ in range(5):
            error(g, "groq:m", 503)
        expect(len(up.asked) == 5, up.asked)
        for client in CLIENTS:
            words, r = error(g, "groq:m", 503, client=client)
            expect("503" in words and 0 < int(r.headers["retry-after"]) <= 5, (words, r.headers))
        expect(len(up.asked) == 5, up.asked)
        error(g, "groq:other", 503)  # others are asked
        expect(len(up.asked) == 6, up.asked)
        up.by_key = {}
        deadline = time.monotonic() + LIMIT_S
        while True:
            r, text = ask(g, "groq:m")
            if r.status == 200 or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        expect(r.status == 200 and len(up.asked) == 7, (r.status, up.asked))
        expect(said(g, "groq:m") == "m here", up.asked)


@case("a trial that is refused has found the model well, and one whose client leaves is the next one's")
def _():
    def until(g, wanted):
        deadline = time.monotonic() + LIMIT_S
        while (r := ask(g, "groq:m")[0]).status != wanted and time.monotonic() < deadline:
            time.sleep(0.1)
        expect(r.status == wanted, r.status)

    def check(act):
        up = Upstream(by_key={FIRST: (503, {"retry-after": "30"})})
        with route(ONE_KEY, up=up) as g:
            for _ in range(5):
                error(g, "groq:m", 503)
            up.by_key = {FIRST: act}
            if act == "hang":
                leave(g, up)
            else:
                until(g, act[0] if isinstance(act, tuple) else act)
            up.by_key = {}
            asked, began = len(up.asked), time.monotonic()
            until(g, 200)
            expect(len(up.asked) == asked + 1 and time.monotonic() - began < 4, (act, time.monotonic() - began))

    def leave(g, up):
        deadline = time.monotonic() + LIMIT_S
        while len(up.asked) < 6 and time.monotonic() < deadline:
            c = g.connect()
            c.request("POST", CHAT.path("groq:m", False), json.dumps(CHAT.body("groq:m", False, WORDS)))
            time.sleep(0.3)
            c.close()

    each((400, 404, (429, {"retry-after": "1"}), "hang"), check)


@case("a fallback is asked at once while the first model is let alone")
def _():
    up, other = Upstream(by_key={FIRST: (503, {"retry-after": "30"})}), Upstream()
    config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}, mistral: {base_url: \"@other\", key: $THIRD}}\n"
              "models: {main: {provider: groq, model: m, fallback: [\"mistral:n\"]}}\n")
    with route(config, up=up, other=other) as g:
        for _ in range(8):
            expect(said(g, "main") == "n here", other.asked)
        expect(len(up.asked) == 5 and len(other.asked) == 8, (up.asked, other.asked))


# Time


@case("a provider that does not begin in time is a gateway's timeout")
def _():
    up = Upstream(by_key={FIRST: "hang"})
    with route(ONE_KEY + "serve: {first_byte_seconds: 1}\n", up=up) as g:
        for client in CLIENTS:
            for stream in (False, True):
                words, _ = error(g, "groq:m" if stream else "groq:n", 504, stream, client)
                expect("did not answer" in words, words)
        expect(len(up.asked) == 8, "none of them was asked twice")


@case("what has begun is not asked again: a stall and a reset end with an error in the client's words")
def _():
    for act, words in (("stall", "stopped in the middle"), ("reset", "broke off")):
        up, other = Upstream(by_key={FIRST: act}), Upstream()
        config = ("providers: {groq: {base_url: \"@up\", key: $FIRST}, mistral: {base_url: \"@other\", key: $THIRD}}\n"
                  "models: {main: {provider: groq, model: m, fallback: [\"mistral:n\"]}}\n"
                  "serve: {idle_seconds: 1}\n")
        with route(config, up=up, other=other) as g:
            for client in CLIENTS:
                r, text = ask(g, "main", True, client)
                expect(r.status == 200 and b"hal" in text, (r.status, text))
                expect(words in client.stream_error(text), (act, client.name, text))
            expect(len(up.asked) == 4 and not other.asked, (up.asked, other.asked))


@case("a model whose answers we end, since they take too long, is asked as before")
def _():
    up = Upstream(by_key={FIRST: "slow"})
    with route(ONE_KEY + "limits: {answer_seconds: 1}\n", up=up) as g:
        for _ in range(6):
            r, text = ask(g, "groq:m", True)
            expect(r.status == 200 and b"here" in text and CHAT.stream_error(text), text)
        expect(len(up.asked) == 6, up.asked)


# Secrets


@case("no key is in a reply, in what the gateway writes or in its command line")
def _():
    # Every refusal of these upstreams repeats the keys that came before; `ask` looks at every reply, the harness at
    # what is written.
    up = Upstream(401, 500, 500, 500, 400, (429, {"retry-after": "1"}), by_key={SECOND: 401})
    with route("providers: {groq: {base_url: \"@up\", keys: [$FIRST, {command: [echo, %s]}, $THIRD]}}\n" % SECOND,
               up=up) as g:
        for _ in range(6):
            for stream in (False, True):
                ask(g, "groq:m", stream)
        line = pathlib.Path(f"/proc/{g.process.pid}/cmdline")
        expect(not line.exists() or b"not-to-be-seen" not in line.read_bytes(), "the command line")
    expect(len(up.asked) > 6, up.asked)


@case("of a vendor's several APIs the client's own answers a bare name, byte for byte")
def _():
    with Gateway() as g:
        at = lambda: g.relay.heads[-1].split("\n")[0].split("/v1")[-1]
        for client, model, path in ((CLIENTS[1], "gpt-4o", "/chat/completions"), (CLIENTS[2], "gpt-4o", "/responses"),
                                    (CLIENTS[0], "gpt-4o", "/responses"), (CLIENTS[1], "gpt-5-pro", "/responses"),
                                    (CLIENTS[1], "openai:gpt-4o", "/responses")):
            converse(g, client, model, False)
            expect(at() == path, (client.name, model, at()))
        sent = json.dumps(CLIENTS[1].body("gpt-4o", False, WORDS), indent=1).encode()
        g.ask(CLIENTS[1].path("gpt-4o", False), sent)
        expect(g.relay.seen[-1] == sent, g.relay.seen[-1])


@case("an API that the configuration says something of does not stand for its sibling")
def _():
    with Gateway(config="providers: {openai: {key: $OTHER_KEY}}\n", env={"OTHER_KEY": "sk-other"}) as g:
        converse(g, CLIENTS[1], "gpt-4o", False)
        expect(g.relay.heads[-1].startswith("/openai/v1/responses\n") and "Bearer sk-other" in g.relay.heads[-1],
               g.relay.heads[-1])


if __name__ == "__main__":
    harness.main()
