#!/usr/bin/env python3
"""Servers that refuse the form of a request in real servers' words and name no file: the next safer
form is sent, and what helped is known to the next process.

    forms.py PATH-OF-REFRACT

Prints a line a failure, then "N passed, N failed"; the status is 1 when one failed.
"""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
CALL = {"index": 0, "id": "callno001", "type": "function",
        "function": {"name": "view_image", "arguments": '{"path": "red.png"}'}}


def parts(body):
    """Every part of every content that is a list."""
    return [p for m in body["messages"] if isinstance(m.get("content"), list) for p in m["content"]]


def roles(body):
    return [m["role"] for m in body["messages"]]


def has_file(body):
    return any(p["type"] == "file" for p in parts(body))


def has_media(body):
    return any(p["type"] != "text" for p in parts(body))


def has_list_in_result(body):
    return any(m["role"] == "tool" and isinstance(m["content"], list) for m in body["messages"])


def has_user_after_tool(body):
    return ("tool", "user") in zip(roles(body), roles(body)[1:])


def has_tools(body):
    return "tools" in body


PDF, PICTURE = ["-a", "report.pdf", "What is it?"], ["What is in @red.png?"]

# name, what is refused, with which words, model, arguments, requests of the first process and of the second, facts
CASES = (
    ("Ollama's /v1: no PDF", has_file, "invalid message format", "openai-chat:tiny", PDF, 2, 1,
     {"native_pdf": "no"}),
    ("llama.cpp without pictures", has_media, "unsupported content[].type", "openai-chat:tiny", PDF, 3, 1,
     {"native_pdf": "no", "vision": "no"}),
    ("a result must be a string", has_list_in_result,
     "json: cannot unmarshal array into Go struct field .messages.content of type string",
     "litellm:claude-tiny", PICTURE, 3, 2, {"image_inside": "-", "pdf_inside": "-"}),
    ("Mistral's order", has_user_after_tool, "Unexpected role 'user' after role 'tool'",
     "openai-compatible:tiny", PICTURE, 3, 2, {"after": "separated"}),
    ("no tools", has_tools, "registry.ollama.ai/library/tiny:latest does not support tools",
     "openai-compatible:tiny", ["Hello"], 2, 1, {"tools": "no"}),
    ("blind, in so many words", has_media, "this model does not support images", "openai-compatible:tiny",
     ["-a", "red.png", "What is it?"], 2, 1, {"vision": "no"}),
)


class Server(http.server.ThreadingHTTPServer):
    """Chat completions. `refuses` tells of a body and its number what is wrong with it, or None."""

    def __init__(self, refuses):
        super().__init__(("127.0.0.1", 0), Handler)
        self.refuses, self.asked = refuses, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked += 1
        words = self.server.refuses(body, self.server.asked)
        if words:
            self.answer(400, "application/json", json.dumps({"error": {"message": words}}))
            return
        calls = "tools" in body and "tool" not in roles(body) and "red.png?" in json.dumps(body)
        delta = {"tool_calls": [CALL]} if calls else {"content": "Fine."}
        chunks = [{"choices": [{"index": 0, "delta": delta}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]}]
        text = "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"
        self.answer(200, "text/event-stream", text)

    def answer(self, status, kind, text):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Home:
    """A folder with files, and the program in it with nothing learned."""

    def __init__(self, program, folder, server):
        self.program, self.folder = program, pathlib.Path(folder)
        for name in ("red.png", "report.pdf"):
            shutil.copy(FIXTURES / name, folder)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        self.env = {**os.environ, "HOME": folder, "XDG_DATA_HOME": f"{folder}/data", "XDG_CONFIG_HOME": folder,
                    "XDG_CACHE_HOME": f"{folder}/cache"}
        for name in ("OPENAI", "OPENAI_COMPATIBLE", "LITELLM"):
            self.env |= {f"{name}_BASE_URL": url, f"{name}_API_KEY": "any"}

    def ask(self, model, args):
        return subprocess.run([self.program, "ask", "--no-save", "-m", model, *args], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def learned(self):
        path = self.folder / "data" / "refract" / "learned.json"
        facts = json.loads(path.read_text())["facts"] if path.exists() else []
        return {f["fact"]: f["value"] for f in facts}


def check_case(program, folder, refused, words, model, args, first, then, facts):
    server = Server(lambda body, number: words if refused(body) else None)
    home = Home(program, folder, server)
    done = home.ask(model, args)
    expect(done.returncode == 0 and "Fine." in done.stdout, f"{done.returncode} {done.stderr}")
    expect(server.asked == first, f"{server.asked} requests, not {first}: {done.stderr}")
    expect(words in done.stderr, f"it is not told: {done.stderr}")
    expect(home.learned() == facts, f"learned {home.learned()}, not {facts}")
    server.asked = 0
    done = home.ask(model, args)
    expect(done.returncode == 0 and server.asked == then, f"{server.asked} requests, not {then}: {done.stderr}")
    expect(words not in done.stderr, f"it is told again: {done.stderr}")
    if facts.get("vision") == "no":
        expect("\n+ " not in "\n" + done.stderr, f"words are not said to be words: {done.stderr}")
    server.shutdown()


def check_never(program, folder):
    """A server that refuses everything: few requests, the first words, nothing learned."""
    server = Server(lambda body, number: f"invalid message format, number {number}")
    home = Home(program, folder, server)
    done = home.ask("openai-chat:tiny", ["-a", "report.pdf", "-a", "red.png", "What is it?"])
    expect(done.returncode == 4, f"{done.returncode} {done.stderr}")
    expect(server.asked == 3, f"{server.asked} requests: {done.stderr}")
    last = [line for line in done.stderr.splitlines() if line.startswith("refract: ")]
    expect(last and last[0].endswith("number 1"), done.stderr)
    expect(home.learned() == {}, f"learned {home.learned()}")
    server.shutdown()


def main():
    program, failed = os.path.abspath(sys.argv[1]), 0
    cases = [(name, lambda p, f, row=row: check_case(p, f, *row)) for name, *row in CASES]
    cases.append(("nothing helps", check_never))
    for name, check in cases:
        with tempfile.TemporaryDirectory(prefix="refract-forms-") as folder:
            try:
                check(program, folder)
            except AssertionError as why:
                failed += 1
                print(f"FAILED {name}\n    {why}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
