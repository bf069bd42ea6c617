#!/usr/bin/env python3
"""Keys of the gateway's clients: made, shown once, asked for, limited, counted.

Every case runs beside SQLite and, where REFRACT_TEST_POSTGRES names a server (tests/store/with_postgres.py), beside
PostgreSQL.
"""
import contextlib
import http.client
import itertools
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from harness import *

SERVER = os.environ.get("REFRACT_TEST_POSTGRES")
ENGINES = ["sqlite"] + (["postgres"] if SERVER and shutil.which("psql") else [])
NUMBERS = itertools.count()


class Place:
    """A configuration and a store of its own."""

    def __init__(self, engine):
        self.folder = tempfile.TemporaryDirectory()
        home = self.folder.name
        self.env = {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home + "/data",
                    "XDG_CACHE_HOME": home + "/cache"}
        self.address = None
        if engine == "postgres":
            schema = f"keys_{os.getpid()}_{next(NUMBERS)}"
            self.address = f"{SERVER}{'&' if '?' in SERVER else '?'}options=-csearch_path%3D{schema}"
            subprocess.run(["psql", "-qc", f"CREATE SCHEMA {schema}", SERVER], check=True, timeout=LIMIT_S)
            self.configure({})
        self.folder_name = home

    def configure(self, more):
        folder = pathlib.Path(self.env["XDG_CONFIG_HOME"], "refract")
        folder.mkdir(exist_ok=True)
        config = {**({"store": self.address} if self.address else {}), **more}
        (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def keys(self, *args, status=0):
        """(standard output, standard error)"""
        done = subprocess.run([REFRACT, "keys", *args], env={**os.environ, **self.env}, capture_output=True, text=True,
                              cwd=self.folder_name, timeout=LIMIT_S)
        expect(done.returncode == status, (done.returncode, done.stdout, done.stderr))
        return done.stdout, done.stderr

    def add(self, name, *options):
        return self.keys("add", name, *options)[0].strip()

    def listed(self):
        return {k["name"]: k for k in map(json.loads, self.keys("list", "--json")[0].splitlines())}


def everywhere(name):
    def add(function):
        for engine in ENGINES:
            def run(engine=engine):
                with Place(engine) as place:
                    function(place)
            CASES.append((f"{engine}: {name}", run))
        return function
    return add


# The command


@everywhere("a key is printed once, and nowhere else")
def _(place):
    out, said = place.keys("add", "anna")
    expect(re.fullmatch(r"rfk_[0-9a-f]{64}\n", out), out)
    expect(out.strip() not in said and "not shown again" in said, said)
    made = json.loads(place.keys("add", "bo", "--json")[0])
    expect(made["name"] == "bo" and re.fullmatch(r"rfk_[0-9a-f]{64}", made["key"]), made)
    for shown in (place.keys("list")[0], place.keys("list", "--json")[0]):
        expect("rfk_" not in shown and "anna" in shown and "bo" in shown, shown)
    for path in pathlib.Path(place.folder_name).rglob("*"):
        expect(not path.is_file() or out[4:20].encode() not in path.read_bytes(), path)


@everywhere("the list has the limits")
def _(place):
    place.keys("add", "anna", "--models", "claude-*,openai:gpt-4o", "--rpm", "60", "--tpm", "100000",
               "--concurrent", "4", "--budget", "12.50")
    key = place.listed()["anna"]
    expect((key["models"], key["rpm"], key["tpm"], key["concurrent"], key["budget"]) ==
           ("claude-*,openai:gpt-4o", 60, 100000, 4, 12.5), key)
    expect((key["spent"], key["requests"], key["used"], key["revoked"]) == (0, 0, None, None), key)
    shown = place.keys()[0].splitlines()
    expect(shown[0].split()[0] == "NAME" and shown[1].split()[:5] == ["anna", "never", "0", "$0", "$12.50"], shown)


@everywhere("what is not a name or a limit is refused")
def _(place):
    for args in (["add"], ["add", "an na"], ["add", "a", "b"], ["add", "a", "--rpm", "0"], ["add", "a", "--rpm", "x"],
                 ["add", "a", "--budget", "free"], ["add", "a", "--models", "a, b"],
                 ["add", "a", "--models", ""], ["list", "--rpm", "1"],
                 ["revoke"], ["rotate"]):
        place.keys(*args, status=2)
    place.add("anna")
    place.keys("add", "anna", status=2)
    place.keys("revoke", "bo", status=6)


@everywhere("a name is free again when its key was revoked")
def _(place):
    first = place.add("anna")
    place.keys("revoke", "anna")
    expect(place.listed()["anna"]["revoked"], place.listed())
    expect("revoked" in place.keys("list")[0], place.keys("list"))
    expect(place.add("anna") != first, "another key")


# The front door


def until(what, wanted):
    """Ask until it is so: what a gateway sees of its store comes within a second or so."""
    end = time.monotonic() + LIMIT_S
    while (found := what()) != wanted:
        expect(time.monotonic() < end, (found, wanted))
        time.sleep(0.05)


def status(g, client=CLIENTS[0], model="openai-chat:gpt-4o", **headers):
    return g.ask(client.path(model, False), client.body(model, False, WORDS), **headers)[0].status


@everywhere("without a key nobody needs one, and from the first on everybody does")
def _(place):
    with Gateway(env=place.env) as g:
        expect(status(g) == 200, "no key")
        expect(status(g, x_api_key="whatever") == 200, "any key")
        key = place.add("anna")
        until(lambda: status(g), 401)
        expect(status(g, x_api_key=key) == 200, "its key")
        expect(status(g, x_api_key=key[:-1]) == 401, "a part of it")
        place.keys("revoke", "anna")
        until(lambda: status(g, x_api_key=key), 401)
        expect(status(g) == 401, "the last one was revoked, and the door stays closed")


@everywhere("a key is taken wherever a client sends it, and goes no further")
def _(place):
    key = place.add("anna")
    ways = [{"Authorization": "Bearer " + key}, {"authorization": "bearer " + key}, {"x_api_key": key},
            {"x_goog_api_key": key}, {"Authorization": "Bearer sk-another", "x_api_key": key},
            {"Authorization": key + "?"} | {"x_api_key": key}]
    with Gateway(env=place.env) as g:
        for client in CLIENTS:
            for model in ("openai-chat:gpt-4o", "anthropic:claude-sonnet-4-5", "google:gemini-3.5-flash"):
                for way in ways[:4] if model[0] == "o" else ways[4:]:
                    expect(status(g, client, model, **way) == 200, (client.name, model, way))
        gemini = CLIENTS[3]
        path = gemini.path("google:gemini-3.5-flash", True) + "&key=" + key
        r, text = g.ask(path, gemini.body("google:gemini-3.5-flash", True, WORDS))
        expect(r.status == 200 and key not in text.decode(), text)
        sent = "\n".join(g.relay.heads) + b"\n".join(g.relay.seen).decode()
        expect(len(g.relay.heads) > 12 and key not in sent and "sk-another" not in sent, sent)
    log = json.dumps(g.log)
    expect(len(g.log) > 12 and "rfk_" not in log and "sk-another" not in log, log)


@everywhere("who has no key is told so in the words of its API, before its body is read")
def _(place):
    key = place.add("anna")
    place.add("bo")
    place.keys("revoke", "anna")
    with Gateway(env=place.env) as g:
        for client in CLIENTS:
            body = client.body("openai-chat:gpt-4o", False, WORDS)
            told = []
            for sent in ({}, {"x_api_key": key}, {"x_api_key": "rfk_" + "0" * 64}, {"Authorization": "Basic x"}):
                r, text = g.ask(client.path("openai-chat:gpt-4o", False), body, **sent)
                expect(r.status == 401 and r.headers["www-authenticate"] == "Bearer", (r.status, text))
                kind, words = client.error(text)
                expect(kind in ("authentication_error", "invalid_api_key", "UNAUTHENTICATED", "invalid_request_error"),
                       kind)
                expect(key not in text.decode() and "key" in words, text)
                told.append(re.sub("req_[0-9a-f]+", "", text.decode()))
            expect(told[1] == told[2], "one that was revoked and one that never was look the same")
        with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
            c.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n")
            expect(c.recv(12) == b"HTTP/1.1 401", "no byte of the body was sent")
        expect(g.ask("/v1/models")[0].status == 401, "the list of models needs one too")
        expect(g.ask("/v1/nothing")[0].status == 401, "and what is not there")
        expect(g.ask("/healthz")[0].status == 200 and g.ask("/readyz")[0].status == 200, "but not whether it lives")
        expect(not g.relay.seen, "nothing went on")


@everywhere("who asks for the numbers without a key is in the log, and probes are not")
def _(place):
    key = place.add("anna")
    with Gateway(env=place.env) as g:
        for path, headers, wanted in (("/healthz", {}, 200), ("/metrics", {}, 401), ("/metrics", {"x_api_key": "rfk_guess"}, 401),
                                      ("/metrics", {"x_api_key": key}, 200)):
            expect(g.ask(path, **headers)[0].status == wanted, (path, headers))
    expect([line["status"] for line in g.log] == [401, 401] and "guess" not in json.dumps(g.log), g.log)


@everywhere("with a key it may be called by any name")
def _(place):
    with Gateway(env=place.env) as g:
        expect(status(g, Host="gateway.example") == 403, "a name that leads here by DNS")
        expect(status(g, Host="127.0.0.1.example") == 403, "one that looks like an address")
        expect(status(g, Host="127.0.0.2") == 200, "all of 127.0.0.0/8 is this machine")
        key = place.add("anna")
        until(lambda: status(g, Host="gateway.example"), 401)
        expect(status(g, Host="gateway.example", x_api_key=key) == 200, "with a key")
        expect(status(g, Host="gateway.example", x_api_key=key, Origin="https://page.example") == 200, "and from a page")


@everywhere("other machines reach it only where there are keys")
def _(place):
    command = [REFRACT, "serve", "--listen", "0.0.0.0:0"]
    how = {"env": {**os.environ, **place.env}, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    done = subprocess.run(command, timeout=LIMIT_S, check=False, **how)
    expect(done.returncode == 2 and "Make a key" in done.stderr, done)
    place.add("anna")
    with subprocess.Popen(command, **how) as process:
        line = process.stdout.readline()
        process.terminate()
        expect(line.startswith("listening on http://0.0.0.0:"), line)


@case("sqlite: no store is made for a gateway that nobody has keys for")
def _():
    with Place("sqlite") as place:
        with Gateway(env=place.env) as g:
            expect(status(g) == 200, "it serves")
        expect(not pathlib.Path(place.folder_name, "data/refract/sessions.db").exists(), "a store")


@case("a store that cannot be read keeps the door closed")
def _():
    with Place("sqlite") as place:
        folder = pathlib.Path(place.folder_name, "data/refract")
        folder.mkdir(parents=True)
        (folder / "sessions.db").write_text("no database", encoding="utf-8")
        done = subprocess.run([REFRACT, "serve", "--listen", "127.0.0.1:0"], env={**os.environ, **place.env},
                              capture_output=True, text=True, timeout=LIMIT_S, check=False)
        expect(done.returncode == 6 and "listening" not in done.stdout, done)


# Limits

# A server that is not the vendor's own has no price unless somebody says it.
PRICED = {"models": {"openai-chat:gpt-4o": {"limits": {"price_input": 2.5, "price_output": 10}}}}


def answer(g, key, client=CLIENTS[0], model="openai-chat:gpt-4o", stream=False):
    return g.ask(client.path(model, stream), client.body(model, stream, WORDS), x_api_key=key)


@everywhere("a key that may use one model asks for another")
def _(place):
    key = place.add("anna", "--models", "claude-*,openai-chat:gpt-4o")
    with Gateway(env=place.env) as g:
        expect(status(g, model="openai-chat:gpt-4o", x_api_key=key) == 200, "PROVIDER:MODEL")
        expect(status(g, model="claude-sonnet-4-5", x_api_key=key) == 200, "a name that fits")
        g.relay.seen.clear()
        for client in CLIENTS:
            for model in ("openai-chat:gpt-4o-mini", "anthropic:claude-sonnet-4-5", "google:gemini-3.5-flash"):
                r, text = answer(g, key, client, model)
                expect(r.status == 403 and "may not" in client.error(text)[1], (model, r.status, text))
        expect(not g.relay.seen, "nothing went on")
        names = [m["id"] for m in json.loads(g.ask("/v1/models", x_api_key=key)[1])["data"]]
        expect(all(n == "openai-chat:gpt-4o" or n.startswith("claude-") for n in names), names)


NAMED = {"models": {"mine": {"provider": "openai-chat", "model": "gpt-4o"}, "again": "mine",
                    "openai-chat:gpt-4o": {"limits": {"price_input": 2.5, "price_output": 10}},
                    "team": {"any": ["mistral:mistral-large-latest", "openai-chat:gpt-4o"]},
                    "spare": {"provider": "google", "model": "gemini-3.5-flash", "fallback": ["mine"]},
                    "nobody": {"provider": "openai-compatible", "model": "m"}},
         "serve": {"rules": [{"match": "gpt-old", "model": "mine"}, {"match": "house-*", "model": "mine"}]}}
SHAPES = [({}, "/v1/models", lambda m: m["id"]), ({"anthropic_version": "2023-06-01"}, "/v1/models", lambda m: m["id"]),
          ({}, "/v1beta/models", lambda m: m["name"].removeprefix("models/"))]


def lists(g, key):
    """The names that a key is told of, where each of them can be looked at in every shape."""
    names = []
    for headers, path, name_of in SHAPES:
        reply = json.loads(g.ask(path, x_api_key=key, **headers)[1])
        listed = {name_of(m): m for m in reply.get("data", reply.get("models"))}
        expect(len(listed) == len(reply.get("data", reply.get("models"))), "a name stands there twice")
        for name, m in listed.items():
            r, text = g.ask(path + "/" + name, x_api_key=key, **headers)
            expect(r.status == 200 and json.loads(text) == m, (name, r.status, text, m))
        names.append(set(listed))
    expect(names[0] == names[1] == names[2], names)
    return names[0]


@everywhere("a list has what its key may ask for, by whatever name, and nothing else")
def _(place):
    place.configure(NAMED)
    all_, chat, few, none = (place.add("all"), place.add("chat", "--models", "openai-chat:*"),
                             place.add("few", "--models", "house-1,claude-*,mine,unknown-1"),
                             place.add("none", "--models", "nothing-*"))
    with Gateway(env=place.env) as g:
        every = lists(g, all_)
        own = {"mine", "again", "team", "spare", "gpt-old"}
        expect(own < every and "nobody" not in every and "anthropic:claude-sonnet-5" in every, every)
        got = lists(g, chat)
        expect(own < got and all(n in own or n.startswith("openai-chat:") for n in got), got)
        expect({n for n in every if n.startswith("openai-chat:")} == got - own, got)
        got = lists(g, few)
        expect({"house-1", "mine", "claude-sonnet-5"} < got, got)
        expect(all(n in ("house-1", "mine") or n.startswith("claude-") for n in got), got)
        expect(lists(g, none) == set(), "nothing")
        for key, listed in ((chat, lists(g, chat)), (few, got), (none, set())):
            for name in every | {"nobody", "house-2", "claude-sonnet-5"}:
                if name not in listed and not (key == chat and name == "house-2"):
                    expect(g.ask("/v1/models/" + name, x_api_key=key)[0].status in (403, 404), name)
        money = place.add("money", "--budget", "5")
        until(lambda: status(g, model="mine", x_api_key=money), 200)
        got = lists(g, money)
        expect({"mine", "openai-chat:gpt-4o"} < got < every, got)
        for name in [*sorted(got)[::9], *sorted(every - got)[::9], *own]:
            expect((status(g, model=name, x_api_key=money) == 403) == (name not in got), name)
        expect(status(g, model="house-1", x_api_key=few) == 200, "what is listed is answered")
        expect(status(g, model="team", x_api_key=chat) == 200, "by the one that is allowed")


@everywhere("requests a minute")
def _(place):
    key, other = place.add("anna", "--rpm", "1"), place.add("bo")
    with Gateway(env=place.env) as g:
        expect(answer(g, key)[0].status == 200, "the first")
        for client in CLIENTS:
            r, text = answer(g, key, client)
            expect(r.status == 429 and 0 < int(r.headers["retry-after"]) <= 60, (r.status, r.headers, text))
            kind, words = client.error(text)
            expect(kind in ("rate_limit_error", "requests", "RESOURCE_EXHAUSTED", "rate_limit_exceeded"), kind)
            expect('"anna"' in words and "1 requests a minute" in words, words)
        expect(answer(g, other)[0].status == 200, "another key has its own")
        expect(len(g.relay.seen) == 2, "what was refused did not go on")
    expect(place.listed()["anna"]["requests"] == 1, place.listed())


@everywhere("tokens a minute")
def _(place):
    key = place.add("anna", "--tpm", "1")
    with Gateway(env=place.env) as g:
        expect(answer(g, key)[0].status == 200, "the first")
        r, text = answer(g, key)
        expect(r.status == 429 and int(r.headers["retry-after"]) > 0 and b"tokens a minute" in text, text)
    expect(place.listed()["anna"]["tokens"] > 1, place.listed())


@everywhere("requests at once, of which one that was answered is not one")
def _(place):
    key = place.add("anna", "--concurrent", "1")
    with Gateway(env=place.env) as g:
        for _ in range(20):
            for stream in (False, True):
                r, text = g.ask("/v1/messages", CLIENTS[0].body("openai-chat:gpt-4o", stream, WORDS), x_api_key=key)
                expect(r.status == 200, text)
        g.relay.stall = b": \n\n"
        with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
            c.sendall(post("/v1/messages", CLIENTS[0].body("openai-chat:gpt-4o", True, WORDS), f"x-api-key: {key}\r\n"))
            until(lambda: place.listed()["anna"]["running"], 1)
            r, text = answer(g, key)
            expect(r.status == 429 and "retry-after" in r.headers and b"at once" in text, text)
        g.relay.stall = None
        until(lambda: answer(g, key)[0].status, 200)
    key = place.listed()["anna"]
    expect(key["running"] == 0 and key["requests"] >= 42 and key["used"], key)


@everywhere("a budget, spent as each API says it")
def _(place):
    place.configure(PRICED)
    keys = [place.add(client.name, "--budget", "0.000001") for client in CLIENTS]
    with Gateway(env=place.env) as g:
        for client, key, want in zip(CLIENTS, keys, (402, 429, 429, 429)):
            name = client.name
            expect(answer(g, key, client)[0].status == 200, "the first")
            r, text = answer(g, key, client)
            expect(r.status == want and "retry-after" not in r.headers and name.encode() in text, (r.status, text))
            expect(client.name[:6] != "openai" or b'"insufficient_quota"' in text, text)
            spent = place.listed()[name]
            expect(0.000001 < spent["spent"] < 0.01 and spent["estimated"] == 0, spent)
            r, text = answer(g, key, client, "mistral:mistral-medium-latest")
            expect(r.status == 403 and b"price" in text, text)
            r, text = answer(g, key, client, "nowhere:none")
            expect(r.status == 404 and b"openai-chat:gpt" in text and b"mistral-medium" not in text, text)


@everywhere("who leaves pays what is expected, and it is said that this is an estimate")
def _(place):
    place.configure(PRICED)
    key = place.add("anna", "--budget", "1")
    with Gateway(env=place.env) as g:
        g.relay.stall = b": \n\n"
        with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
            c.sendall(post("/v1/messages", CLIENTS[0].body("openai-chat:gpt-4o", True, WORDS), f"x-api-key: {key}\r\n"))
            until(lambda: len(g.relay.seen), 1)
        until(lambda: place.listed()["anna"]["requests"], 1)
    spent = place.listed()["anna"]
    expect(spent["estimated"] == spent["spent"] > 0, spent)


@everywhere("who leaves pays nothing where no server has seen the request, or one has refused it")
def _(place):
    place.configure(PRICED)
    for name, script in (("unreached", None), ("refused", "replies:\n  - {status: 503, times: 0, retry_after_s: 2}\n")):
        key = place.add(name, "--budget", "1")
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))  # and does not listen
            closed = {"OPENAI_BASE_URL": f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"}
            with Gateway(env=place.env | ({} if script else closed), script=script) as g:
                with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
                    body = CLIENTS[0].body("openai-chat:gpt-4o", True, WORDS)
                    c.sendall(post("/v1/messages", body, f"x-api-key: {key}\r\n"))
                    until(lambda: place.listed()[name]["running"], 1)
                    until(lambda: bool(g.relay.seen) or not script, True)
                    time.sleep(0.1)  # it waits before it is tried again
                until(lambda: place.listed()[name]["running"], 0)
        spent = place.listed()[name]
        expect((spent["requests"], spent["spent"], spent["estimated"], spent["tokens"]) == (1, 0, 0, 0), (name, spent))
        expect([(line["status"], line["attempts"] > 0) for line in g.log] == [(0, True)], g.log)


LONG, OUTPUT = 100, 0.1  # pieces of a long answer, and what it costs: 40,000 bytes, a token for each 4, $10 a million
PIECE = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
         "choices": [{"index": 0, "delta": {"role": "assistant", "content": "word " * 80}, "finish_reason": None}]}
WHOLE = PIECE | {"object": "chat.completion", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "word " * 80 * LONG}, "finish_reason": "stop"}]}


@everywhere("what was answered is paid, be the end of it told or not")
def _(place):
    place.configure(PRICED)
    stream = b"".join(b"data: " + json.dumps(PIECE).encode() + b"\n\n" for _ in range(LONG))
    cases = [(f"{client.name}-{how}", client, how)
             for client in CLIENTS[:2] for how in ("leaves", "cut", "whole")]  # translated, and passed
    keys = {name: place.add(name, "--budget", "5") for name, _, _ in cases}
    with Gateway(env=place.env) as g:
        for name, client, how in cases:
            g.relay.cut = how != "leaves"
            g.relay.stall = json.dumps(WHOLE).encode() if how == "whole" else stream
            body = client.body("openai-chat:gpt-4o", how != "whole", WORDS)
            if how != "whole" and client.name == "openai-chat":
                body["stream_options"] = {"include_usage": True}
            with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
                c.sendall(post(client.path("openai-chat:gpt-4o", False), body, f"x-api-key: {keys[name]}\r\n"))
                got = b""
                while got.count(b"word ") < 80 * LONG:
                    got += c.recv(65536) or expect(False, got)
            until(lambda: place.listed()[name]["requests"], 1)
            spent = place.listed()[name]
            expect(spent["estimated"] == spent["spent"] >= OUTPUT * 0.99, (name, spent))
            expect(spent["spent"] < OUTPUT * 1.2 and spent["tokens"] >= 9900, (name, spent))


# A stream that tells its usage at its head, too, where next to nothing has come.
HEAD = [{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [],
                                              "model": "claude-sonnet-4-5", "stop_reason": None, "stop_sequence": None,
                                              "usage": {"input_tokens": 10, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word " * 80}}


@everywhere("what has come of a stream is paid, though its head told of a token")
def _(place):
    place.configure({"models": {"anthropic:claude-sonnet-4-5": {"limits": {"price_input": 2.5, "price_output": 10}}}})
    stream = b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode())
                      for e in HEAD + [DELTA] * LONG)
    keys = [place.add(client.name, "--budget", "5") for client in CLIENTS[:2]]
    with Gateway(env=place.env) as g:
        g.relay.cut, g.relay.stall = True, stream
        for client, key in zip(CLIENTS, keys):
            answer(g, key, client, "anthropic:claude-sonnet-4-5", True)
            until(lambda: place.listed()[client.name]["requests"], 1)
            spent = place.listed()[client.name]
            expect(spent["estimated"] == spent["spent"] >= OUTPUT * 0.99, (client.name, spent))


@everywhere("what a server has taken and not answered in time is paid as expected, whoever answers it then")
def _(place):
    settings = {"serve": {"first_byte_seconds": 1}, "models": {
        "main": {"provider": "openai-chat", "model": "gpt-4o", "fallback": ["groq:unreached"]}}}
    place.configure(settings | {"models": PRICED["models"] | settings["models"]})
    keys = {model: place.add(model[:4], "--budget", "5") for model in ("openai-chat:gpt-4o", "main")}
    nobody = {"GROQ_BASE_URL": "http://127.0.0.1:9/v1", "GROQ_API_KEY": "any"}
    with Gateway(env=place.env | nobody) as g:
        g.relay.stall = b""
        for model, key in keys.items():
            r, text = answer(g, key, CLIENTS[0], model)
            expect(r.status in (502, 504), (r.status, text))
            until(lambda: place.listed()[model[:4]]["requests"], 1)
            spent = place.listed()[model[:4]]
            expect(spent["estimated"] == spent["spent"] > 0, (model, spent))


CACHE = {"price_cached": 0.25, "price_cache_write": 5}


@everywhere("tokens of a provider's cache have their own prices, and the dearest is set aside")
def _(place):
    place.configure({"models": {"openai-chat:gpt-4o": {"limits": {"price_input": 2.5, "price_output": 10, **CACHE}}}})
    usage = {"prompt_tokens": 10000, "completion_tokens": 100,
             "prompt_tokens_details": {"cached_tokens": 8000, "cache_write_tokens": 1000}}
    short = WHOLE | {"choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]}
    body = CLIENTS[0].body("openai-chat:gpt-4o", False, "word " * 4000) | {"max_tokens": 100}
    anna, bo = place.add("anna", "--budget", "1"), place.add("bo", "--budget", "1")
    with Gateway(env=place.env) as g:
        g.relay.cut, g.relay.stall = True, json.dumps(short | {"usage": usage}).encode()
        r, text = g.ask("/v1/messages", body, x_api_key=anna)
        expect(r.status == 200, text)
        until(lambda: place.listed()["anna"]["requests"], 1)
        spent = place.listed()["anna"]
        expect((spent["spent"], spent["estimated"]) == (0.0105, 0), spent)
        g.relay.cut, g.relay.stall = False, b": \n\n"
        with socket.create_connection(("127.0.0.1", g.port), LIMIT_S) as c:
            c.sendall(post("/v1/messages", body, f"x-api-key: {bo}\r\n"))
            until(lambda: len(g.relay.seen), 2)
        until(lambda: place.listed()["bo"]["requests"], 1)
        spent = place.listed()["bo"]
        read = (spent["tokens"] - 100) / 1e6
        expect(spent["estimated"] == spent["spent"] and abs(spent["spent"] - read * 5 - 0.001) < 2e-6, spent)


# More than one gateway

BUDGET, EXPECTED, THREADS = 0.006, 0.00025, 6  # dollars; what a request below is expected to take at most


def small():
    return CLIENTS[0].body("openai-chat:gpt-4o", False, WORDS) | {"max_tokens": 20}


def spend(gateways, key, answers):
    """Ask one gateway after the other until the budget is spent; one that is gone is passed over."""
    for g in itertools.cycle(gateways):
        try:
            r, text = g.ask("/v1/messages", small(), x_api_key=key)
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)
            continue
        answers.append(r.status)
        if r.status == 402:
            return
        if r.status == 429:  # others may need the rest
            time.sleep(0.05)
        expect(r.status in (200, 429), (r.status, text))


@everywhere("two gateways share a budget, and one of them is killed")
def _(place):
    place.configure(PRICED)
    key = place.add("anna", "--budget", str(BUDGET))
    answers = []
    with Gateway(env=place.env) as stays:
        dies = Gateway(env=place.env)
        try:
            dies.relay.stall = b": \n\n"  # two requests that nobody will have the answer of
            waiting = [socket.create_connection(("127.0.0.1", dies.port), LIMIT_S) for _ in range(2)]
            for c in waiting:
                c.sendall(post("/v1/messages", small(), f"x-api-key: {key}\r\n"))
            until(lambda: len(dies.relay.seen), 2)
            dies.relay.stall = None
            threads = [threading.Thread(target=spend, args=([stays, dies], key, answers)) for _ in range(THREADS)]
            for t in threads:
                t.start()
            until(lambda: answers.count(200) >= 8, True)
            dies.process.kill()
            for t in threads:
                t.join()
        finally:
            dies.__exit__(True)
        until(lambda: place.listed()["anna"]["running"], 0)
    found = place.listed()["anna"]
    expect(BUDGET <= found["spent"] <= BUDGET + (THREADS + 2) * EXPECTED, found)
    expect(EXPECTED < found["estimated"] < found["spent"], found)  # the two, and what was not written down yet
    answered = answers.count(200)
    expect(answered + 2 <= found["requests"] <= answered + 2 + THREADS, (answered, found))


class Between:
    """Passes on what a gateway and its PostgreSQL say, but nothing while it is `frozen`: neither of them hears that anything
    is wrong."""

    def __init__(self, folder):
        old = re.search(r"host=([^&]+)", SERVER).group(1)
        self.to = old + "/.s.PGSQL.5432"
        self.flows = threading.Event()
        self.flows.set()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(folder + "/.s.PGSQL.5432")
        self.socket.listen(64)
        self.address = lambda address: address.replace(old, folder)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            one = self.socket.accept()[0]
            self.flows.wait()
            other = socket.socket(socket.AF_UNIX)
            other.connect(self.to)
            for ends in ((one, other), (other, one)):
                threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, one, other):
        with contextlib.suppress(OSError):
            while piece := one.recv(65536):
                self.flows.wait()
                other.sendall(piece)
            other.shutdown(socket.SHUT_WR)


if "postgres" in ENGINES:
    @case("postgres: a store that hears and says nothing keeps nobody waiting for ever, and nothing is counted for that")
    def _():
        with Place("postgres") as place:
            key, free = place.add("anna", "--concurrent", "1"), place.add("bo")
            between = Between(place.folder_name)
            place.configure({"store": between.address(place.address)})
            with Gateway(env=place.env) as g:
                expect(answer(g, key)[0].status == answer(g, free)[0].status == 200, "it is well")
                between.flows.clear()
                r, text = answer(g, key)
                expect(r.status == 503 and b"cannot reach its database" in text, text)
                expect(r.headers["retry-after"] == "1", r.headers)
                expect(answer(g, free)[0].status == 200, "nothing is asked of the store for that one")
                between.flows.set()
                until(lambda: answer(g, key)[0].status, 200)
            found = place.listed()["anna"]
            expect(found["running"] == 0 and len(g.relay.seen) == 4, (found, g.relay.seen))


if __name__ == "__main__":
    main()
