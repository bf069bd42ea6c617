#!/usr/bin/env python3
"""Ollama, as a small server that has its ways: what it says of a model is asked once and believed, windows are asked
for, and what it cuts all the same is told.

    test_ollama.py PATH-OF-REFRACT

Prints a line a case that failed, then "N passed, N failed"; the status is 1 when one failed.
"""
import http.server
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
import zlib

REFRACT = os.path.abspath(sys.argv[1])
CASES = []
MODELS = {  # capabilities, length, parameters
    "plain": (["completion"], 32768, ""),
    "tools": (["completion", "tools"], 32768, ""),
    "llava-tiny": (["completion", "tools"], 2048, ""),
    "sees": (["completion", "vision", "tools"], 32768, ""),
    "wide": (["completion"], 131072, "stop    \"x\"\nnum_ctx                        16384"),
    "thinks": (["completion", "thinking"], 32768, ""),
    "qwen3": (["completion"], 32768, ""),
}


def png():
    """A red pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def case(function):
    CASES.append(function)
    return function


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Server(http.server.ThreadingHTTPServer):
    """A word is a token; what is over the window is cut, and nothing says so."""

    daemon_threads = True

    def __init__(self):
        self.seen, self.models, self.shows, self.deaf = [], dict(MODELS), True, False
        self.counts, self.fingerprint = 0, "fp_ollama"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.seen.append((self.path, body))
                status, answer = outer.answer(self.path, body)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, path, body):
        if path == "/api/show":
            return self.show(body["model"])
        if path == "/api/chat":
            return self.chat(body)
        if path == "/v1/chat/completions":
            return self.completions(body)
        return 404, b"404 page not found"

    def show(self, name):
        if not self.shows or name not in self.models:
            return 404, {"error": f"model '{name}' not found"}
        capabilities, length, parameters = self.models[name]
        return 200, {"capabilities": capabilities, "parameters": parameters,
                     "model_info": {"general.architecture": "llama", "llama.context_length": length}}

    def refused(self, body):
        capabilities = self.models[body["model"]][0]
        for member, need in (("tools", "tools"), ("think", "thinking")):
            if body.get(member) and need not in capabilities:
                return 400, {"error": f'"{body["model"]}" does not support {need}'}
        return None

    def chat(self, body):
        window = 4096 if self.deaf else body.get("options", {}).get("num_ctx", 4096)
        count = self.counts or min(len(json.dumps(body["messages"]).split()), window)
        done = {"model": body["model"], "message": {"role": "assistant", "content": "Fine."}, "done": True,
                "done_reason": "stop", "prompt_eval_count": count, "eval_count": 1}
        return self.refused(body) or (200, json.dumps(done).encode() + b"\n")

    def completions(self, body):
        for message in body["messages"]:
            if isinstance(message["content"], list) and any(p["type"] not in ("text", "image_url")
                                                            for p in message["content"]):
                return 400, {"error": {"message": "invalid message format", "type": "invalid_request_error"}}
        chunk = {"id": "c", "object": "chat.completion.chunk", "model": body["model"],
                 "system_fingerprint": self.fingerprint, "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": self.counts or 9, "completion_tokens": 1, "total_tokens": 0}}
        return self.refused(body) or (200, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def bodies(self, path):
        return [body for at, body in self.seen if at == path]


class Place:
    """The program with folders of its own, and the server that it asks."""

    def __init__(self, folder, server):
        self.folder, self.server = pathlib.Path(folder), server
        self.learned = self.folder / "data" / "refract" / "learned.json"
        self.env = {**os.environ, "HOME": folder, "OLLAMA_HOST": server.address,
                    "OPENAI_COMPATIBLE_BASE_URL": server.address + "/v1", "OPENAI_BASE_URL": server.address + "/v1",
                    "ANTHROPIC_BASE_URL": server.address, "OPENAI_API_KEY": "none",
                    **{f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("DATA", "CACHE", "CONFIG")}}
        (self.folder / "red.png").write_bytes(png())

    def run(self, *args, status=0):
        done = subprocess.run([REFRACT, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env=self.env, timeout=300, check=False)
        expect(done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def ask(self, model, *args, words="Hello?", status=0):
        return self.run("ask", "--no-save", "-m", model, *args, words, status=status)[1]

    def fact(self, model, name):
        return json.loads(self.run("models", model, "--json")[0])["facts"][name]

    def configure(self, text):
        file = self.folder / "config" / "refract" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@case
def no_tools_for_a_model_without_them(p):
    said = p.ask("ollama:plain")
    expect("the offer of tools was left out: ollama:plain does not take them" in said, said)
    expect("tools" not in p.server.bodies("/api/chat")[0], p.server.seen)
    said = p.ask("ollama:tools")
    expect("left out" not in said and p.server.bodies("/api/chat")[1]["tools"], said)


@case
def it_is_asked_once_a_day(p):
    p.ask("ollama:plain")
    p.ask("ollama:plain")
    expect([path for path, _ in p.server.seen] == ["/api/show", "/api/chat", "/api/chat"], p.server.seen)
    saved = json.loads(p.learned.read_text())
    for fact in saved["facts"]:
        expect(fact["source"] == "described" and fact["address"], fact)
        fact["date"] = "2020-01-01"
    p.learned.write_text(json.dumps(saved))
    p.server.models["plain"] = (["completion", "tools"], 32768, "")
    p.ask("ollama:plain")
    expect(len(p.server.bodies("/api/show")) == 2 and p.server.bodies("/api/chat")[2]["tools"], p.server.seen)
    dates = {f["date"] for f in json.loads(p.learned.read_text())["facts"] if f.get("source") == "described"}
    expect("2020-01-01" not in dates, dates)


@case
def it_is_asked_again_where_it_refuses(p):
    p.ask("ollama:tools")
    p.server.models["tools"] = (["completion"], 32768, "")
    p.ask("ollama:tools")
    expect([path for path, _ in p.server.seen[2:]] == ["/api/chat", "/api/show", "/api/chat"], p.server.seen)
    expect("tools" not in p.server.seen[-1][1], p.server.seen[-1])


@case
def a_name_is_believed_less(p):
    said = p.ask("ollama:llava-tiny", "-a", "red.png")
    expect("images" not in p.server.bodies("/api/chat")[0]["messages"][-1], p.server.seen)
    expect("x red.png" in said and "ollama:llava-tiny takes no PNG images" in said, said)
    said = p.ask("ollama:sees", "-a", "red.png")
    expect(p.server.bodies("/api/chat")[1]["messages"][-1]["images"], said)


@case
def facts_are_shown_with_their_source(p):
    expect(p.fact("ollama:llava-tiny", "vision") == {"value": True, "source": "catalogue"}, "before")
    p.ask("ollama:llava-tiny")
    vision, length = p.fact("ollama:llava-tiny", "vision"), p.fact("ollama:llava-tiny", "context_tokens")
    expect((vision["value"], vision["source"], vision["words"]) ==
           (False, "described", "/api/show: completion, tools"), vision)
    expect((length["value"], length["source"]) == (2048, "described"), length)
    expect("vision" in p.run("models", "ollama:llava-tiny")[0], "text")
    p.run("models", "--forget", "ollama:llava-tiny")
    expect(p.fact("ollama:llava-tiny", "vision")["source"] == "catalogue", "after")


@case
def the_configuration_and_refusals_count_more(p):
    p.configure("models:\n  mine: {provider: ollama, model: plain, capabilities: {tools: yes, context_tokens: 9000}}\n")
    p.ask("mine", status=4)
    expect(p.fact("mine", "tools")["source"] == "override", p.fact("mine", "tools"))
    saved = json.loads(p.learned.read_text())
    lesson = {**saved["facts"][0], "fact": "context_tokens", "value": 1000, "words": "too long"}
    del lesson["source"]
    p.learned.write_text(json.dumps({**saved, "facts": [lesson, *saved["facts"]]}))
    fact = p.fact("ollama:plain", "vision")
    expect((fact["value"], fact["source"]) == (False, "described"), fact)
    p.configure("")
    fact = p.fact("ollama:plain", "context_tokens")
    expect((fact["value"], fact["source"]) == (1000, "learned"), fact)


@case
def no_answer_is_no_failure(p):
    p.server.shows = False
    said = p.ask("ollama:tools")
    expect("error" not in said and p.server.bodies("/api/chat")[0]["tools"], said)
    expect("note: the server did not say what ollama:tools takes\n" in said, said)
    expect(p.fact("ollama:tools", "tools")["source"] == "built-in", "learned from a 404")
    expect(not p.learned.exists() or "described" not in p.learned.read_text(), "kept")


@case
def nothing_is_asked_to_encode_or_count(p):
    (p.folder / "c.json").write_text('{"refract":1,"messages":[{"role":"user","content":"hi"}]}')
    p.run("encode", "-m", "ollama:plain", "c.json")
    p.run("tokens", "-m", "ollama:plain", "c.json")
    p.run("models", "ollama:plain")
    expect(not p.server.seen, p.server.seen)


@case
def thinking_is_asked_of_those_that_think(p):
    p.ask("ollama:thinks", "--thinking", "high")
    expect(p.server.bodies("/api/chat")[0]["think"] is True, p.server.seen)
    said = p.ask("ollama:qwen3", "--thinking", "high")
    expect("thinking was left out: ollama:qwen3 does not think" in said, said)


@case
def a_window_is_asked_for(p):
    words = "word " * 6000
    p.ask("ollama:plain", words=words)
    p.ask("ollama:plain")
    p.ask("ollama:plain", "--max-output", "20000")
    windows = [body.get("options", {}).get("num_ctx") for body in p.server.bodies("/api/chat")]
    expect(windows[0] in (8192, 16384) and windows[1] is None and windows[2] == 32768, windows)
    p.ask("ollama:wide", words=words)
    expect("num_ctx" not in p.server.bodies("/api/chat")[-1].get("options", {}), "its own window does")
    p.server.models["plain"] = (["completion"], 20000, "")
    p.run("models", "--forget", "ollama:plain")
    p.ask("ollama:plain", words="word " * 9000)
    expect(p.server.bodies("/api/chat")[-1]["options"]["num_ctx"] == 20000, "at most the model's length")


@case
def what_was_cut_is_told(p):
    words = "word " * 12000
    said = p.ask("ollama:plain", words=words)
    expect("was cut" not in said, said)
    p.server.deaf = True
    said = p.ask("ollama:plain", words=words)
    expect("note: ollama:plain read 4096 of about 1" in said and "what is over its window was cut" in said, said)
    factors = [n["value"] for n in json.loads(p.learned.read_text())["calibration"] if n["key"] == "samples"]
    expect(factors == [1], "a report of what was cut has calibrated")


@case
def what_is_cut_to_fit_is_told_to_programs_too(p):
    p.server.models["plain"] = (["completion"], 2048, "")
    said = p.ask("ollama:plain", words="word " * 6000)
    expect("to fit what ollama:plain takes at once: 1 text was cut" in said, said)
    told = json.loads(p.run("ask", "--no-save", "--json", "-m", "ollama:plain", "word " * 6000)[0])["notes"]
    expect([n["text"] for n in told if n["type"] == "note" and "1 text was cut" in n["text"]], told)


@case
def a_full_window_tells_that_it_was_cut(p):
    p.server.counts = 4096
    said = p.ask("ollama:plain")
    expect("note: ollama:plain read 4096 tokens: what is over its window was cut\n" in said, said)
    p.configure("models:\n  v1: {provider: openai-compatible, model: plain, capabilities: {server: ollama}}\n")
    said = p.ask("v1")
    expect("was cut; ollama:plain would be asked for a larger one" in said, said)
    p.server.models["plain"] = (["completion"], 2048, "")
    p.run("models", "--forget", "ollama:plain")
    p.server.counts = 2048
    said = p.ask("ollama:plain")
    expect("note: ollama:plain read 2048 tokens: what is over its window was cut\n" in said, said)


@case
def another_provider_is_moved_there(p):
    for model in ("openai-chat:plain", "openai:plain", "anthropic:plain", "openai-compatible:plain"):
        expect(p.fact(model, "server")["value"] == "ollama", model)
        expect(p.fact(model, "native_pdf")["value"] is False, model)
        expect(p.fact(model, "image_inside")["value"] == "-", model)
    del p.env["OLLAMA_HOST"]
    expect(p.fact("openai-chat:plain", "server")["value"] == "-", "any address")
    for address in ("http://localhost:11434/v1", "http://10.0.0.1:11434", "127.0.0.1:11434"):
        p.env["OPENAI_BASE_URL"] = address
        expect(p.fact("openai-chat:plain", "server")["value"] == "ollama", address)
    p.env["OPENAI_BASE_URL"] = "http://localhost:1143/v1"
    expect(p.fact("openai-chat:plain", "server")["value"] == "-", "another port")
    p.env["OLLAMA_HOST"] = "http://localhost:1143/ollama/"
    expect(p.fact("openai-chat:plain", "server")["value"] == "-", "another path")
    p.env["OPENAI_BASE_URL"] = "http://localhost:1143/ollama/v1"
    expect(p.fact("openai-chat:plain", "server")["value"] == "ollama", "a path below it")


@case
def the_other_api_of_the_server(p):
    p.configure("models:\n  v1: {provider: openai-compatible, model: plain,\n"
                "       capabilities: {server: ollama, vision: yes}}\n")
    (p.folder / "a.txt").write_text("words\n")
    p.ask("v1")
    expect([path for path, _ in p.server.seen] == ["/api/show", "/v1/chat/completions"], p.server.seen)
    expect("tools" not in p.server.seen[-1][1], p.server.seen[-1])
    for name in ("native_pdf", "audio_input", "url_user"):
        expect(not p.fact("v1", name)["value"] or p.fact("v1", name)["value"] == "-", name)


@case
def it_is_known_by_its_answers(p):
    del p.env["OLLAMA_HOST"]
    said = p.ask("openai-compatible:plain", "--no-tools", "-a", "red.png")
    expect([path for path, _ in p.server.seen] == ["/v1/chat/completions", "/api/show"], p.server.seen)
    expect("note: ollama answers for openai-compatible:plain, and was asked what it takes: it has not seen the "
           "pictures; ask again\n" in said, said)
    fact = p.fact("openai-compatible:plain", "server")
    expect((fact["value"], fact["source"]) == ("ollama", "learned"), fact)
    said = p.ask("openai-compatible:plain", "--no-tools", "-a", "red.png")
    expect([path for path, _ in p.server.seen[2:]] == ["/v1/chat/completions"], p.server.seen)
    expect("image_url" not in json.dumps(p.server.seen[-1][1]) and "answers for" not in said, said)


@case
def what_it_cut_at_first_is_told(p):
    del p.env["OLLAMA_HOST"]
    p.server.counts = 4096
    said = p.ask("openai-compatible:plain", "--no-tools")
    expect("note: ollama answers for openai-compatible:plain, and was asked what it takes\n" in said, said)
    expect("was cut; ollama:plain would be asked for a larger one" in said, said)


@case
def a_server_that_does_not_sign_is_asked_nothing(p):
    del p.env["OLLAMA_HOST"]
    p.server.fingerprint = "fp_other"
    said = p.ask("openai-compatible:plain", "--no-tools")
    expect([path for path, _ in p.server.seen] == ["/v1/chat/completions"] and "answers for" not in said, said)
    p.server.fingerprint, p.server.shows = "fp_ollama", False
    said = p.ask("openai-compatible:plain", "--no-tools")
    expect("answers for" not in said and p.fact("openai-compatible:plain", "server")["value"] == "-", said)


def main():
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder, Server() as server:
            try:
                function(Place(folder, server))
            except Exception:  # a case that fails is told, and the next one runs
                failed += 1
                print(f"FAILED {function.__name__}")
                traceback.print_exc(file=sys.stdout)
            server.shutdown()
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
