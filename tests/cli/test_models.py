#!/usr/bin/env python3
"""The lists of models, from small servers that count what they are asked: what can be used here, in pages, kept for a day,
and what is said where a key is missing or wrong, a server is slow or is not there.

    test_models.py PATH-OF-REFRACT

Prints a line a case that failed, then "N passed, N failed"; the status is 1 when one failed.
"""
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.parse

REFRACT = os.path.abspath(sys.argv[1])
KEY = "sk-ant-of-this-test-0123456789"
CASES = []


def case(function):
    CASES.append(function)
    return function


def expect(good, message):
    if not good:
        raise AssertionError(message)


def openrouter(name, inputs, price):
    return {"id": name, "created": 1, "context_length": 65536, "supported_parameters": ["tools"],
            "architecture": {"input_modalities": inputs, "output_modalities": ["text"]},
            "pricing": {"prompt": price, "completion": "0.0000025", "input_cache_read": "0.00000003",
                        "input_cache_write": "0.0000002"}}


class Server(http.server.ThreadingHTTPServer):
    """Several providers at one address, each below its name."""

    daemon_threads = True

    def __init__(self):
        self.seen, self.key, self.hold, self.day = [], KEY, threading.Event(), "2026-01-02T00:00:00Z"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                outer.seen.append(self.path)
                status, answer = outer.answer(url.path, query, self.headers)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                data = json.dumps({"type": "error", "error": {"type": "not_found_error", "message": "model: x"}}).encode()
                self.send_response(404)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Who asked has gone: that is what some cases are about."""

    def answer(self, path, query, headers):
        provider, _, rest = path[1:].partition("/")
        return getattr(self, provider)(rest, query, headers)

    def anthropic(self, path, query, headers):
        if headers.get("x-api-key") != self.key:
            return 401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
        names = ["claude-sonnet-4-5", "claude-sonnet-5", "claude-haiku-4-5"]
        after = names.index(query["after_id"]) + 1 if "after_id" in query else 0
        page = [{"type": "model", "id": n, "created_at": self.day if n == "claude-sonnet-5" else "2025-09-29T00:00:00Z",
                 "max_input_tokens": 1234567} for n in names[after:after + 1]]
        return 200, {"data": page, "has_more": after + 1 < len(names), "first_id": None,
                     "last_id": page[-1]["id"] if page else None}

    def google(self, path, query, headers):
        pages = {"": (["gemini-3.5-flash"], "a b+"), "a b+": (["gemini-embedding-001"], None)}
        names, after = pages[query.get("pageToken", "")]
        return 200, {"models": [{"name": "models/" + n, "inputTokenLimit": 1048576, "supportedGenerationMethods":
                                 ["embedContent" if "embed" in n else "generateContent"]} for n in names],
                     **({"nextPageToken": after} if after else {})}

    def openai(self, path, query, headers):
        names = ["gpt-5.4-mini", "gpt-4.1", "text-embedding-3-small", "whisper-1", "gpt-image-1"]
        return 200, {"object": "list", "data": [{"id": n, "object": "model", "created": 7} for n in names]}

    def openrouter(self, path, query, headers):
        return 200, {"data": [openrouter("some/seer", ["text", "image"], "0.00000015"),
                              openrouter("some/blind", ["text"], "-1"),
                              {"id": "bad\u001b[31mname"}, {"id": 7}, "x"]}

    def api(self, path, query, headers):  # Ollama's, which is at the root
        return 200, {"models": [{"name": n} for n in ("claude-sonnet-5", "gemma3:latest")]}

    def many(self, path, query, headers):
        return 200, {"object": "list", "data": [{"id": f"m{i}", "created": 60000 - i} for i in range(60000)]}

    def kin(self, path, query, headers):
        return 200, {"data": [{"id": f"kin-{c}{c}-{i}"} for c in "abcdefgh" for i in (1, 2)]}

    def endless(self, path, query, headers):
        number = int(query.get("after_id", "m0")[1:])
        return 200, {"data": [{"id": f"m{number}"}], "has_more": True, "last_id": f"m{number + 1}"}

    def litellm(self, path, query, headers):
        modes = {"talks": "chat", "embeds": "embedding", "shouts": "a\u001b[31m b", "drones": "x" * 300}
        if path.endswith("info"):
            return 200, {"data": [{"model_name": n, "model_info": {"mode": m}} for n, m in modes.items()]}
        return 200, {"object": "list", "data": [{"id": n} for n in modes]}

    def slow(self, path, query, headers):
        self.hold.wait(300)
        return 200, {"object": "list", "data": []}

    def nonsense(self, path, query, headers):
        return 200, {"hello": "world"}

    def bedrock(self, path, query, headers):
        expect(headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential=id/"), "signed")
        if path == "inference-profiles":
            return 403, {"message": "User is not authorized to perform bedrock:ListInferenceProfiles"}
        return 200, {"modelSummaries": [
            {"modelId": "amazon.nova-pro-v1:0", "inputModalities": ["TEXT"], "outputModalities": ["TEXT"],
             "inferenceTypesSupported": ["ON_DEMAND"]},
            {"modelId": "of-a-profile", "inferenceTypesSupported": ["INFERENCE_PROFILE"]},
            {"modelId": "amazon.titan-image", "outputModalities": ["IMAGE"], "inferenceTypesSupported": ["ON_DEMAND"]}]}


class Place:
    """The program with folders of its own and no key; the server that it can be sent to."""

    def __init__(self, folder, server):
        self.folder, self.server = pathlib.Path(folder), server
        self.env = {"PATH": os.environ["PATH"], "HOME": folder, "OLLAMA_HOST": f"127.0.0.1:{closed_port()}",
                    **{f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("DATA", "CACHE", "CONFIG")}}

    def use(self, provider, variable, address, key=KEY, at=None):
        self.env[variable] = key
        self.env[address] = f"{self.server.address}/{at or provider}"

    def anthropic(self, key=KEY):
        self.use("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", key)

    def openai(self, at="openai"):
        self.use("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", at=at)

    def finish(self, *args):
        return subprocess.run([REFRACT, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env=self.env, timeout=300, check=False)

    def run(self, *args, status=0):
        done = self.finish(*args)
        expect(done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}")
        expect(KEY not in done.stdout + done.stderr, "a key is shown")
        return done.stdout

    def listed(self, *args, status=0):
        return json.loads(self.run("models", "--json", *args, status=status))

    def names(self, *args, status=0):
        return [m["name"] for m in self.listed(*args, status=status)["models"]]

    def state(self, provider, *args, status=0):
        return next(p for p in self.listed(*args, status=status)["providers"] if p["name"] == provider)

    def configure(self, text):
        file = self.folder / "config" / "refract" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


HELD = []


def closed_port():
    """One that nothing listens on, and nobody can take."""
    HELD.append(socket.socket())
    HELD[-1].bind(("127.0.0.1", 0))
    return HELD[-1].getsockname()[1]


@case
def a_missing_key_is_named_by_its_variable(p):
    del p.env["OLLAMA_HOST"]  # one that was named, and is not there, is a failure
    text = p.run("models")
    line = next(line for line in text.splitlines() if line.startswith("anthropic "))
    expect("Set ANTHROPIC_API_KEY" in line, text)
    expect("\noffline " in text, "what needs no key is there")
    expect(p.state("anthropic")["state"] == "no_key" and not p.server.seen, p.server.seen)


@case
def pages_are_read_to_the_last(p):
    p.anthropic()
    p.use("google", "GEMINI_API_KEY", "GEMINI_BASE_URL")
    names = p.names()
    expect(names[:4] == ["anthropic:claude-sonnet-5", "anthropic:claude-sonnet-4-5", "anthropic:claude-haiku-4-5",
                         "google:gemini-3.5-flash"], names)
    expect(len(p.server.seen) == 5, p.server.seen)
    expect(any("pageToken=a%20b%2B" in path for path in p.server.seen), p.server.seen)


@case
def the_second_call_is_served_from_the_cache(p):
    p.anthropic()
    first = p.listed()
    count = len(p.server.seen)
    expect(p.listed()["models"] == first["models"] and len(p.server.seen) == count, p.server.seen)
    expect(p.state("anthropic")["state"] == "kept", "")
    p.run("models", "--refresh")
    expect(len(p.server.seen) == 2 * count, p.server.seen)


@case
def another_key_has_another_list_and_no_key_is_kept(p):
    p.anthropic()
    p.run("models")
    count = len(p.server.seen)
    p.server.key = "sk-ant-other-of-this-test-9876543210"
    p.env["ANTHROPIC_API_KEY"] = p.server.key
    p.run("models")
    expect(len(p.server.seen) == 2 * count, p.server.seen)
    for file in (p.folder / "cache").rglob("*"):
        expect("of-this-test" not in str(file), file)
        expect(file.is_dir() or b"of-this-test" not in file.read_bytes(), file)


@case
def a_list_of_yesterday_is_asked_for_again_and_stays_where_that_fails(p):
    p.anthropic()
    p.run("models")
    file = next((p.folder / "cache" / "refract" / "models" / "anthropic").glob("*.json"))
    kept = json.loads(file.read_text())
    kept["fetched"] -= 90000
    file.write_text(json.dumps(kept))
    count = len(p.server.seen)
    p.server.key = "another"
    text = p.run("models")
    expect(len(p.server.seen) == count + 1 and "anthropic:claude-sonnet-5" in text, text)
    expect("invalid x-api-key; the list above is of 20" in text, text)


@case
def a_wrong_key_is_told_in_the_servers_words(p):
    p.anthropic("wrong-key-of-a-test")
    p.openai()
    text = p.run("models")
    expect("anthropic refused the request (401): invalid x-api-key" in text, text)
    expect("openai:gpt-5.4-mini" in text and "wrong-key-of-a-test" not in text, text)


@case
def nothing_but_failures_is_an_error(p):
    p.anthropic("wrong")
    done = p.finish("models")
    expect(done.returncode == 8 and "invalid x-api-key" in done.stderr, done)
    expect(p.state("anthropic", status=8)["error"]["code"] == "configuration", "")


@case
def a_server_that_never_answers_ends_with_the_limit(p):
    p.configure("limits: {answer_seconds: 1}\n")
    p.anthropic()
    p.openai(at="slow")
    state = p.state("openai")
    expect(state["state"] == "failed" and "1 s" in state["error"]["message"], state)
    expect("anthropic:claude-sonnet-5" in p.names(), "the others are there")
    p.server.hold.set()


@case
def a_server_that_is_not_there_is_told(p):
    p.anthropic()
    p.env["OPENAI_API_KEY"] = KEY
    p.env["OPENAI_BASE_URL"] = f"http://127.0.0.1:{closed_port()}/v1"
    state = p.state("openai")
    expect(state["state"] == "failed" and "could not reach 127.0.0.1" in state["error"]["message"], state)


@case
def an_answer_that_is_no_list_is_told(p):
    p.anthropic()
    p.openai(at="nonsense")
    expect("is not a list of models" in p.state("openai")["error"]["message"], "")


@case
def what_does_not_converse_is_counted(p):
    p.openai()
    text = p.run("models")
    expect("3 more are left out" in text and "1 embeddings" in text and "1 transcription" in text, text)
    expect("whisper-1" not in text, text)
    purposes = {m["model"]: m.get("purpose") for m in p.listed()["models"]}
    expect(purposes["whisper-1"] == "transcription" and purposes["gpt-5.4-mini"] is None, purposes)
    expect("ends on 2027-01-14" in text, text)


@case
def a_list_without_end_is_cut_and_that_is_told(p):
    for at, provider, count in (("many", "openai", 10000), ("endless", "anthropic", 50)):
        p.use(provider, f"{provider.upper()}_API_KEY", f"{provider.upper()}_BASE_URL", at=at)
        for _ in ("fetched", "kept"):
            names = [n for n in p.names() if n.startswith(f"{provider}:")]
            told = p.state(provider)
            expect(len(names) == count and names[0] == f"{provider}:m0", f"{len(names)} {names[:3]}")
            expect(f"only the first {count} models" in told.get("error", {}).get("message", ""), told)
    expect(len([path for path in p.server.seen if path.startswith("/endless")]) == 50, "pages")
    expect("NOT ALL OF IT" in p.run("models"), "it is not told in the table")


@case
def what_a_model_is_for_is_a_word(p):
    p.use("litellm", "LITELLM_API_KEY", "LITELLM_BASE_URL")
    purposes = {m["model"]: m.get("purpose") for m in p.listed()["models"] if m["provider"] == "litellm"}
    expect(purposes == {"talks": None, "embeds": "embedding", "shouts": "other tasks", "drones": "other tasks"}, purposes)


@case
def words_narrow_the_list(p):
    p.anthropic()
    p.openai()
    expect(p.names("SONNET", "4") == ["anthropic:claude-sonnet-4-5"], p.names("SONNET", "4"))
    expect(p.names("gpt-5") == ["openai:gpt-5.4-mini"], p.names("gpt-5"))
    done = p.run("models", "frobnicate", status=2)
    expect("gpt" not in done and "NOT LISTED" in done, done)
    expect("not set up" in p.run("models") and "not set up" not in p.run("models", "sonnet"), "all, and what was found")
    p.openai("nonsense")
    done = p.run("models", "--refresh", "sonnet")
    expect("not set up" not in done and "\nopenai " in done, "a list that did not come may have had it")
    done = p.run("models", "anthropic")
    expect("not set up" not in done, done)
    expect(p.names("haiku", "sonnet", status=2) == [], "no name holds both")


@case
def words_narrow_a_list_that_did_not_come(p):
    del p.env["OLLAMA_HOST"]  # one that was named, and is not there, is a failure
    for words, told in (("sonnet",), '"refract models anthropic:claude-sonnet-5" shows what is known of that one.'), \
                       (("claude",), "hint: Say which: anthropic:claude-"), (("claude", "zzz"), '"claude" and "zzz"'):
        done = p.finish("models", *words)
        expect(done.returncode == 2 and "Set ANTHROPIC_API_KEY" in done.stdout and "FACT" not in done.stdout, done)
        expect("refract: no model that is listed has" in done.stderr and told in done.stderr, done)
    expect("FACT" in p.run("models", "claude-sonnet-5"), "all of a name")
    p.anthropic("wrong")
    for words in ("claude",), ("claude", "zzz"), ("sonnet",):
        done = p.finish("models", *words)
        expect(done.returncode == 8 and "refused the request (401): invalid x-api-key" in done.stderr, done)


@case
def columns_are_aligned(p):
    p.anthropic()
    p.use("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL")
    lines = p.run("models").splitlines()
    head = lines[0]
    expect(head.startswith("MODEL ") and head.endswith("TAKES"), head)
    rows = [line for line in lines if line.startswith(("anthropic:", "openrouter:", "offline "))]
    at = head.index("TAKES")
    expect(len(rows) == 6 and all(row[at - 1] == " " and row[at] != " " for row in rows), lines)


@case
def what_a_list_says_is_a_fact(p):
    p.anthropic()
    p.use("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL")
    by_name = {m["name"]: m for m in p.listed()["models"]}
    seer, blind = by_name["openrouter:some/seer"], by_name["openrouter:some/blind"]
    expect(seer["price_input"] == 0.15 and seer["price_output"] == 2.5 and seer["context_tokens"] == 65536, seer)
    expect("images" in seer["takes"] and "images" not in blind["takes"] and "price_input" not in blind, blind)
    expect(len([n for n in by_name if n.startswith("openrouter:")]) == 2, by_name)
    facts = json.loads(p.run("models", "openrouter:some/blind", "--json"))["facts"]
    expect(facts["vision"]["value"] is False and facts["vision"]["source"] == "listed", facts["vision"])
    prices = {name: fact["value"] for name, fact in facts.items() if name.startswith("price_")}
    expect(prices["price_cached"] == 0.03 and prices["price_cache_write"] == 0.2, prices)
    expect(facts["price_cache_write_hour"]["source"] == "unknown", facts["price_cache_write_hour"])
    window = json.loads(p.run("models", "anthropic:claude-sonnet-5", "--json"))["facts"]["context_tokens"]
    expect(window["value"] == 1234567 and window["source"] == "listed" and len(window["date"]) == 10, window)
    p.configure("models: {'openrouter:some/blind': {provider: openrouter, model: some/blind, "
                "capabilities: {vision: yes}}}\n")
    facts = json.loads(p.run("models", "openrouter:some/blind", "--json"))["facts"]
    expect(facts["vision"]["source"] == "override", facts["vision"])


@case
def bedrock_is_signed_and_what_is_missing_is_told(p):
    p.env.update(AWS_ACCESS_KEY_ID="id", AWS_SECRET_ACCESS_KEY="secret", AWS_REGION="eu-west-1",
                 AWS_ENDPOINT_URL_BEDROCK_RUNTIME=f"{p.server.address}/bedrock")
    text = p.run("models")
    expect("bedrock:amazon.nova-pro-v1:0 " in text and "of-a-profile" not in text, text)
    expect("titan" not in text and "1 media" in text, text)
    expect("not authorized to perform bedrock:ListInferenceProfiles" in text, text)


@case
def a_name_of_ones_own_is_shown_with_the_model_behind_it(p):
    p.anthropic()
    p.configure("models: {default: {provider: anthropic, model: claude-haiku-4-5}, 'anthropic:claude-haiku-4-5': "
                "{provider: anthropic, model: claude-haiku-4-5, limits: {max_images: 7}}}\n")
    expect("default is anthropic:claude-haiku-4-5\n" in p.run("models"), p.run("models"))
    expect(p.listed()["configured"][0] == {"name": "default", "model": "anthropic:claude-haiku-4-5"}, p.listed())
    facts = json.loads(p.run("models", "default", "--json"))["facts"]
    expect(facts["max_images"] == {"value": 7, "source": "override"}, facts["max_images"])
    expect(facts["context_tokens"]["source"] == "listed", facts["context_tokens"])


def encode(p, name, status=0):
    """Which model a name stands for, and what is said."""
    given = json.dumps({"refract": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]})
    done = subprocess.run([REFRACT, "encode", "-m", name], input=given, capture_output=True, text=True, cwd=p.folder,
                          env=p.env, timeout=300, check=False)
    expect(done.returncode == status, done)
    return done.stderr


@case
def a_part_of_a_name_means_the_newest_of_the_list(p):
    p.anthropic()
    p.use("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL")
    p.openai()
    p.run("models")
    count = len(p.server.seen)
    expect(encode(p, "sonnet") == "model: anthropic:claude-sonnet-5\n", encode(p, "sonnet"))
    expect(encode(p, "sonnet-4") == "model: anthropic:claude-sonnet-4-5\n", encode(p, "sonnet-4"))
    expect(encode(p, "seer").startswith("model: openrouter:some/seer\n"), encode(p, "seer"))
    expect(encode(p, "anthropic:claude-sonnet-5") == "", "a whole name needs no word")
    expect("could be one of several models" in encode(p, "claude", 2), encode(p, "claude", 2))
    expect('unknown model "a"' in encode(p, "a", 2), "a letter is no part of a name")
    expect(len(p.server.seen) == count, "a name is not looked for on the network")


@case
def a_part_after_its_provider_is_one_of_that_providers_list(p):
    p.anthropic()
    p.openai()
    expect(encode(p, "anthropic:sonnet").startswith('note: the model "sonnet" is unknown'), "no list is kept")
    p.run("models")
    for name, meant in (("anthropic:sonnet", "claude-sonnet-5"), ("anthropic:claude-sonnet", "claude-sonnet-5"),
                        ("anthropic:sonnet-4", "claude-sonnet-4-5"), ("anthropic:HAIKU", "claude-haiku-4-5")):
        expect(encode(p, name) == f"model: anthropic:{meant}\n", encode(p, name))
    for name in "anthropic:claude-sonnet-4-0", "anthropic:claude", "openai:gpt-5.4", "openai:nothing":
        expect("model:" not in encode(p, name), f"{name} is as it is: {encode(p, name)}")
    p.configure("models: {mine: {provider: anthropic, model: sonnet}}\n")
    expect("model:" not in encode(p, "anthropic:sonnet") and "model:" not in encode(p, "mine"), "it is configured")


@case
def a_name_that_is_refused_has_those_that_are_near(p):
    p.anthropic()
    for kept in (), ("models",):
        p.run(*kept or ["--version"])
        for name, near in (("claude-sonet-5", "anthropic:claude-sonnet-5"), ("zzz-9", None)):
            done = p.finish("ask", "--no-save", "-m", "anthropic:" + name, "Hello")
            hint = done.stderr.splitlines()[-1]
            expect(done.returncode == 4 and hint.endswith("Check the model's name, and the address where it was moved."),
                   done)
            expect(hint.startswith(f"hint: Did you mean {near}?") if near else "Did you" not in hint, hint)


@case
def several_families_are_named_by_the_newest_of_each(p):
    p.openai(at="kin")
    p.run("models")
    shown = ", ".join(f"openai:kin-{c}{c}-2" for c in "abcdef")
    expect(f"Say which: {shown} and others." in encode(p, "kin", 2), encode(p, "kin", 2))


@case
def deliveries_name_the_model_behind_a_name(p):
    p.configure("models: {default: {provider: anthropic, model: claude-haiku-4-5}}\n")
    (p.folder / "a.csv").write_text("a,b\n1,2\n")
    text = p.run("deliveries", "-m", "default", "-m", "opus", "a.csv")
    expect(re.search(r"^anthropic:claude-haiku-4-5: ", text, re.M), text)
    expect(re.search(r"^anthropic:claude-opus-5: ", text, re.M), text)


@case
def the_date_of_the_list_says_what_is_newest(p):
    p.anthropic()
    p.server.day = "2024-01-02T00:00:00Z"
    p.run("models")
    expect(encode(p, "sonnet") == "model: anthropic:claude-sonnet-4-5\n", encode(p, "sonnet"))


@case
def several_providers_are_taken_in_the_order_of_the_default(p):
    for variable in ("OPENAI_API_KEY", "GROQ_API_KEY"):
        p.env[variable] = KEY
    expect(encode(p, "gpt-oss-120b") == "model: groq:openai/gpt-oss-120b\n", encode(p, "gpt-oss-120b"))
    p.use("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL")
    expect(encode(p, "sonnet") == "model: openrouter:anthropic/claude-sonnet-5\n", encode(p, "sonnet"))
    p.env["ANTHROPIC_API_KEY"] = KEY
    expect(encode(p, "sonnet") == "model: anthropic:claude-sonnet-5\n", encode(p, "sonnet"))


@case
def a_list_takes_no_name_from_a_provider_whose_list_did_not_come(p):
    p.anthropic("wrong")
    p.env["OLLAMA_HOST"] = p.server.address
    expect("ollama:claude-sonnet-5" in p.names(), "the server lists it")
    for name in ("claude-sonnet-5", "sonnet"):
        expect(encode(p, name) == "model: anthropic:claude-sonnet-5\n", encode(p, name))
    expect("model: ollama:gemma3:latest\n" in encode(p, "gemma3"), encode(p, "gemma3"))
    del p.env["ANTHROPIC_API_KEY"]
    expect("model: ollama:claude-sonnet-5\n" in encode(p, "sonnet"), "nobody else has it")


@case
def all_of_a_models_own_name_shows_its_facts(p):
    p.anthropic()
    done = json.loads(p.run("models", "claude-sonnet-5", "--json"))
    expect(done["provider"] == "anthropic" and "facts" in done, done)


@case
def a_price_has_its_day_and_is_the_vendors_alone(p):
    facts = json.loads(p.run("models", "openai:gpt-5.4-mini", "--json"))["facts"]
    expect(facts["price_input"] == {"value": 0.75, "source": "catalogue", "date": "2026-06-04", "words": ""}, facts)
    expect("0.75                      catalogue 2026-06-04" in p.run("models", "openai:gpt-5.4-mini"), "the day is shown")
    p.env["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1"
    facts = json.loads(p.run("models", "openai:gpt-5.4-mini", "--json"))["facts"]
    expect(facts["price_input"]["source"] == "unknown", "what another server takes is unknown")
    del p.env["OPENAI_BASE_URL"]
    p.configure("models: {'openai:gpt-5.4-mini': {provider: openai, model: gpt-5.4-mini, limits: {price_input: 9}}}\n")
    facts = json.loads(p.run("models", "openai:gpt-5.4-mini", "--json"))["facts"]
    expect(facts["price_input"] == {"value": 9, "source": "override"}, facts["price_input"])


@case
def the_shell_completes_names_of_the_lists(p):
    p.anthropic()
    p.env["OPENAI_API_KEY"] = KEY
    names = [line.split("\t")[0] for line in p.run("completion", "models").splitlines()]
    expect("openai:gpt-5.4-mini" in names and "anthropic:claude-sonnet-4-5" not in names, "well-known names")
    p.openai()
    p.run("models")
    count = len(p.server.seen)
    lines = p.run("completion", "models").splitlines()
    names = [line.split("\t")[0] for line in lines]
    expect("anthropic:claude-sonnet-4-5" in names and "openai:whisper-1" not in names and "anthropic:" in names, names)
    expect("anthropic:claude-sonnet-5\t1.2M window, images, PDF, tools" in lines, lines)
    expect(len(p.server.seen) == count, "nobody is asked")


@case
def what_the_catalogue_knows_is_listed_on_request(p):
    text = p.run("models", "--known")
    expect(text.startswith("PROVIDER") and "claude-*" in text and not p.server.seen, text)
    p.run("models", "--known", "word", status=2)


def main():
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            server = Server()
            try:
                function(Place(folder, server))
            except Exception:  # whatever it is, the others are to run
                failed += 1
                print(f"{function.__name__}: {traceback.format_exc()}")
            server.hold.set()
            server.shutdown()
            server.server_close()
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
