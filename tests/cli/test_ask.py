#!/usr/bin/env python3
"""`refract ask` and `refract doctor` as a script and a person see them: what goes where, in which words, with which
status; against the model in the program and against `refract sim`.

    test_ask.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. What happens when servers and
tools misbehave is in tests/agent/.
"""
import base64
import contextlib
import gzip
import http.server
import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import zipfile

import test_cli
from test_cli import LIMIT_S, MODEL, Cli, Done, expect, png
from test_read import pdf

test_cli.STATUSES.update({7, 130})
ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
KEY = "sk-never-to-be-shown-0815"
LINE = re.compile(r"^([+~!x>=|*]|\[\d+\]|model:|note:|refract:|hint:) \S.*$")
CASES = []
# provider: (model, {variable: where the simulator has it}, keys)
PROVIDERS = {
    "anthropic": (MODEL, {"ANTHROPIC_BASE_URL": "/anthropic"}, ["ANTHROPIC_API_KEY"]),
    "bedrock": ("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "/bedrock"},
                ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]),
    "google": ("google:gemini-3-pro-preview", {"GEMINI_BASE_URL": "/google"}, ["GEMINI_API_KEY"]),
    "vertex": ("vertex:gemini-2.5-flash", {"VERTEX_BASE_URL": "/vertex"}, ["GOOGLE_API_KEY"]),
    "openai": ("openai:gpt-5-mini", {"OPENAI_BASE_URL": "/openai/v1"}, ["OPENAI_API_KEY"]),
    "openai-chat": ("openai-chat:gpt-4o", {"OPENAI_BASE_URL": "/openai/v1"}, ["OPENAI_API_KEY"]),
    "xai": ("xai:grok-4", {"XAI_BASE_URL": "/xai/v1"}, ["XAI_API_KEY"]),
    "xai-chat": ("xai-chat:grok-4", {"XAI_BASE_URL": "/xai/v1"}, ["XAI_API_KEY"]),
    "groq": ("groq:meta-llama/llama-4-scout-17b-16e-instruct", {"GROQ_BASE_URL": "/groq"},
             ["GROQ_API_KEY"]),
    "openrouter": ("openrouter:openai/gpt-4o", {"OPENROUTER_BASE_URL": "/openrouter/api/v1"},
                   ["OPENROUTER_API_KEY"]),
    "cohere": ("cohere:command-a-vision-07-2025", {"CO_API_URL": "/cohere"}, ["CO_API_KEY"]),
    "mistral": ("mistral:mistral-large-latest", {"MISTRAL_BASE_URL": "/mistral"}, ["MISTRAL_API_KEY"]),
    "litellm": ("litellm:claude-sonnet-4-5", {"LITELLM_BASE_URL": "/litellm"}, ["LITELLM_API_KEY"]),
    "ollama": ("ollama:mistral-small3.2", {"OLLAMA_HOST": "/ollama"}, []),
}


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", lambda t, rest=rest: function(t, *rest)))
        return function
    return add


class Ask(Cli):
    """The program with a data folder of its own, and a picture."""

    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.env.update(XDG_DATA_HOME=str(self.folder / "data"), XDG_CACHE_HOME=str(self.folder / "cache"))
        self.write("plan.png", png())

    def ask(self, *args, status=0, **how):
        """What is true of every question: lines in the known forms, and nothing else, on standard error."""
        done = Cli.run(self, "ask", *args, **how) if status == 0 else self.fail(status, *args, **how)
        expect(done.status == status, f"status {done.status}: {done.err}")
        for line in done.err.splitlines():
            expect(LINE.match(line) or "--explain" in args, f"not a line that is known: {line!r}")
        expect(KEY not in done.err and KEY.encode() not in done.out, "the key is shown")
        return done

    def fail(self, status, *args, given=b"", **_):
        """One that fails may have said something by then."""
        process = subprocess.run([self.program, "ask", *args], input=given, capture_output=True,
                                 cwd=self.folder, env=self.env, timeout=LIMIT_S, check=False)
        done = Done(process.returncode, process.stdout, process.stderr.decode())
        expect(done.status == status, f"status {done.status}: {done.err}")
        return done

    def sessions(self):
        done = self.good("sessions", "list", "--json")
        return [json.loads(line) for line in done.out.splitlines()]

    def point(self, address, provider):
        """Have a provider be the simulator. Returns its model."""
        model, places, keys = PROVIDERS[provider]
        self.env.update({name: address + path for name, path in places.items()})
        self.env.update({name: KEY for name in keys}, AWS_REGION="us-east-1",
                        GOOGLE_CLOUD_PROJECT="p", AWS_EC2_METADATA_DISABLED="true")
        return model

    @contextlib.contextmanager
    def simulator(self, *args, script=None):
        if script is not None:
            args += "--script", self.write("script.yaml", script)
        with subprocess.Popen([self.program, "sim", "-q", *args], stdout=subprocess.PIPE, env=self.env,
                              cwd=self.folder) as process:
            try:
                yield process.stdout.readline().decode().strip()
            finally:
                process.send_signal(signal.SIGINT)


# A question, for people.


@case("a reference is announced, seen through a tool, delivered, and answered")
def _(t):
    done = t.ask("-m", "offline", "What", "is", "in", "@plan.png?")
    lines = done.err.splitlines()
    expect([line[0] for line in lines] == ["~", ">", "+", "="], done.err)
    expect(re.match(r"~ plan\.png +image +64x48, .*: announced; the model may read it$", lines[0]), lines[0])
    expect(re.match(r"> view_image plan\.png \.\.\. .*, \d+\.\d s$", lines[1]), lines[1])
    expect(re.match(r"\+ plan\.png +image +64x48 png, \d+ (B|KB), ~\d+ tokens$", lines[2]), lines[2])
    expect(re.match(r"= \d+ tokens in, \d+ out; session \d{8}-\w{6}$", lines[3]), lines[3])
    expect(done.out.startswith(b"I was given image/png 64x48") and done.out.endswith(b"\n"), done.out)
    expect(b"inside the result of view_image" in done.out, done.out)


@case("two references are two calls, and two deliveries")
def _(t):
    t.write("b.png", png(32, 32))
    done = t.ask("-m", "offline", "Compare @plan.png and @b.png")
    marks = [line[0] for line in done.err.splitlines()]
    expect(sorted(marks) == sorted("~~>>++="), done.err)


@case("-q leaves standard error empty, and the answer as it is")
def _(t):
    loud, quiet = (t.ask("-m", "offline", "--no-save", *more, "What is in @plan.png?") for more in ([], ["-q"]))
    expect(not quiet.err and quiet.out == loud.out, quiet.err)


@case("without a model offline answers, and a line says so")
def _(t):
    done = t.ask("Hello")
    expect(done.err.startswith("note: no model was named") and b"Hello" in done.out, done.err)


@rows("the model is", [
    ("what REFRACT_MODEL says", {"REFRACT_MODEL": "offline"}, ""),
    ("the one of the configuration that is called default", {},
     "models: {default: {provider: offline, model: x}}"),
])
def _(t, env, config):
    t.env.update(env)
    if config:
        t.write("xdg/refract/config.yaml", config)
    done = t.ask("--json", "Hello")
    expect(done.json()["model"] == (env.get("REFRACT_MODEL") or "offline:x"), done.out)


@case("several files are given along, in order, each with its line")
def _(t):
    t.write("notes.txt", "The pump is green.\n")
    done = t.ask("-m", "offline", "-a", "plan.png", "--attach=notes.txt", "What are these?")
    names = [line.split()[1] for line in done.err.splitlines() if line[0] == "+"]
    expect(names == ["plan.png", "notes.txt"], done.err)
    expect(b"The pump is green." in done.out and b"image/png 64x48" in done.out, done.out)


@case("a part of a file can be given along")
def _(t):
    t.write("table.csv", "a,b\n1,2\n")
    done = t.ask("-m", "offline", "-a", "plan.png#xywh=0,0,16,16", "What is this?")
    expect(b"16x16" in done.out, done.out)


@case("a file of which nothing goes has a line that says why")
def _(t):
    done = t.ask("-m", "groq:llama-3.3-70b-versatile", "-n", "-a", "plan.png", "What is this?")
    expect(re.search(r"^x plan\.png +image +not sent: .*takes no PNG images", done.err, re.M), done.err)


@case("a mail goes along as it reads, with the pictures that hang on it")
def _(t):
    picture = base64.b64encode((t.folder / "plan.png").read_bytes()).decode()
    t.write("mail.eml", "From: a@b\nSubject: pumps\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
            "--x\nContent-Type: text/plain\n\nThe pump is green.\n--x\nContent-Type: image/png; name=p.png\n"
            f"Content-Transfer-Encoding: base64\n\n{picture}\n--x--\n")
    done = t.ask("-m", "offline", "-a", "mail.eml", "What is this?")
    expect([line.split()[:2] for line in done.err.splitlines()[:2]] == [["+", "mail.eml"], ["+", "p.png"]], done.err)
    expect(b"The pump is green." in done.out and b"image/png 64x48" in done.out, done.out)
    expect(b"Content-Transfer-Encoding" not in done.out, done.out)


ATTACHED = [
    ("an archive", "bundle.zip", r"! bundle\.zip +archive +as a list of its 3 files: no API takes archives"),
    ("a folder", "src", r"! src/ +folder +as a list of its 2 entries: no API takes folders"),
    ("bytes that nobody knows", "blob.bin", r"! blob\.bin +file +as its size and its first bytes: no API takes .*"),
    ("a text in Latin-1", "old.txt", r"\+ old\.txt +text +(plain, )?\d+ B, ~\d+ tokens, from windows-1252.*"),
    ("a text in UTF-16", "wide.txt", r"\+ wide\.txt +text +(plain, )?\d+ B, ~\d+ tokens, from UTF-16"),
    ("bytes of a text", "old.txt#bytes=0-3", r"\+ old\.txt#bytes=0-3 +text +(plain, )?\d+ B, ~\d+ tokens"),
    ("bytes of bytes", "blob.bin#bytes=16-31", r"! blob\.bin#bytes=16-31 +file +as its size and .*: no API takes .*"),
    ("an empty file", "empty.txt", r"x empty\.txt +document +not sent: the file is empty"),
]


@rows("whatever is given along has one line, and one entry", [
    (f"{what}, {model}", model, name, line)
    for what, name, line in ATTACHED
    for model in ("offline", MODEL, "groq:llama-3.3-70b-versatile", "openai:gpt-5-mini")])
def _(t, model, name, line):
    with zipfile.ZipFile(t.folder / "bundle.zip", "w") as z:
        for i in range(3):
            z.writestr(f"{i}.txt", "x")
    (t.folder / "src").mkdir()
    t.write("src/a.c", "int a;\n")
    t.write("src/b.c", "int b;\n")
    t.write("blob.bin", bytes(range(256)))
    t.write("old.txt", "Die Straße ist grün.".encode("latin-1"))
    t.write("wide.txt", "Die Straße ist grün.".encode("utf-16"))
    t.write("empty.txt", b"")
    done = t.ask("-m", model, "-n", "-a", name, "What is this?")
    expect(re.fullmatch(line + "\n", done.err), done.err)
    if line.startswith(r"\+") and "#" not in name:
        text = "Die Straße ist grün.".encode()
        expect(text in done.out or base64.b64encode(text) in done.out, done.out)


@case("an archive is told of in a session too, by every model")
def _(t):
    with zipfile.ZipFile(t.folder / "bundle.zip", "w") as z:
        z.writestr("pump.txt", "x")
    t.write("old.txt", "grün".encode("latin-1"))
    t.ask("-m", "offline", "-a", "bundle.zip", "-a", "old.txt", "What is this?")
    for name in ("bundle.zip", "old.txt"):
        (t.folder / name).unlink()
    done = t.ask("-c", "-n", "-m", MODEL, "And now?")
    expect(b"pump.txt" in done.out and "grün".encode() in done.out, done.out)
    expect([line.split()[:2] for line in done.err.splitlines()] == [["!", "bundle.zip"], ["+", "old.txt"]], done.err)


@rows("a file in an archive goes as itself, and the model may read the others", [
    ("given along", ["-a", "in/bundle.zip/red.png", "What is this?"], r"^\+ red\.png +image"),
    ("packed alone", ["-a", "in/notes.txt.gz", "What is this?"], r"^\+ notes\.txt +text"),
    ("announced", ["What is in @in/bundle.zip/red.png?"], r"^> (view_image|read_file) in/bundle\.zip/red\.png (?!.*failed)"),
])
def _(t, args, want):
    (t.folder / "in").mkdir()
    with zipfile.ZipFile(t.folder / "in" / "bundle.zip", "w") as z:
        z.write(FIXTURES / "red.png", "red.png")
    (t.folder / "in" / "notes.txt.gz").write_bytes(gzip.compress(b"notes\n"))
    done = t.ask("-m", "offline", *args)
    expect(re.search(want, done.err, re.M), done.err)


@rows("pages of a PDF that are named go as they are named", [
    ("many", "1-90", ["pages 1-90 of 200"]),
    ("in the middle", "150-180", ["pages 150-180 of 200"]),
    ("to the end", "195-", ["pages 195-200 of 200"]),
    ("with a gap", "3-5,8", ["pages 3-5 of 200", "page 8 of 200"]),
])
def _(t, pages, want):
    t.write("manual.pdf", pdf([b"page %d" % i for i in range(1, 201)]))
    done = t.ask("-m", MODEL, "-n", "-a", f"manual.pdf#p={pages}", "What is this?")
    found = re.findall(r"^\+ manual\.pdf +pdf +(pages? [-\d]+ of \d+),", done.err, re.M)
    expect(found == want and len(done.err.splitlines()) == len(want), done.err)


@case("a page that a PDF does not have is said to be none")
def _(t):
    t.write("manual.pdf", pdf([b"one", b"two"]))
    t.bad(2, "manual.pdf: there is no page 3: the last is 2", "ask", "-m", "offline", "-a", "manual.pdf#p=1,3", "x")


BLIND = "models: {blind: {provider: offline, model: mole, capabilities: {vision: no, native_pdf: no}}}"


@case("a file of before is told of again where another model gets it otherwise, and only there")
def _(t):
    t.write("xdg/refract/config.yaml", BLIND)
    files = lambda done: [(f["file"]["name"], f["file"]["delivery"]) for f in done.json()["files"]]
    t.ask("-m", "offline", "--no-tools", "-a", "plan.png", "What is this?")
    expect(files(t.ask("-c", "-m", "offline", "--no-tools", "--json", "Again?")) == [], "told twice")
    expect(files(t.ask("-c", "-m", "blind", "--no-tools", "--json", "And you?")) == [("plan.png", "text")], "not told")
    done = t.ask("-c", "-m", "blind", "--no-tools", "And now?")
    expect(not re.search(r"plan\.png", done.err), done.err)
    done = t.ask("-c", "-m", "offline", "--no-tools", "And again?")
    expect(re.search(r"^\+ plan\.png +image", done.err, re.M), done.err)
    done = t.ask("-c", "-m", "blind", "--no-tools", "-a", "plan.png", "And this?")
    expect(len(re.findall(r"^x plan\.png", done.err, re.M)) == 2, done.err)


@case("a model that is blind by the configuration did not see, and the next one is told what it can see")
def _(t):
    t.write("xdg/refract/config.yaml", BLIND)
    t.ask("-m", "blind", "--no-tools", "-a", "plan.png", "What is this?")
    body = t.ask("-c", "-m", "offline", "-n", "And you?").out
    expect(b'[To be seen now, and not by the model that answered before: \\"plan.png\\"]' in body, body)
    t.write("xdg/refract/config.yaml", "")
    expect(b"To be seen now" not in t.ask("-c", "-m", "offline", "-n", "And you?").out, "nobody was blind")


@contextlib.contextmanager
def server(*replies, wait=lambda: None):
    """A server of Anthropic's API that streams these events, a few bytes at a time, when wait() has returned."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            self.rfile.read(int(self.headers["content-length"]))
            wait()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            body = b"".join(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"
                            for event in replies)
            for at in range(0, len(body), 7):
                self.wfile.write(body[at:at + 7])
                self.wfile.flush()

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{found.server_port}"
        finally:
            found.shutdown()


def saying(kind, *pieces):
    """The events of an answer of one block."""
    field = {"text": "text", "thinking": "thinking"}[kind]
    start = {"type": "message", "id": "m", "role": "assistant", "model": "x", "content": [],
             "usage": {"input_tokens": 1, "output_tokens": 1}}
    return [{"type": "message_start", "message": start},
            {"type": "content_block_start", "index": 0, "content_block": {"type": kind, field: ""}},
            *({"type": "content_block_delta", "index": 0, "delta": {"type": kind + "_delta", field: piece}}
              for piece in pieces),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"}]


def words(t, events, *args):
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(*events) as address:
        t.env["ANTHROPIC_BASE_URL"] = address
        return t.ask("-m", MODEL, "--no-save", *args, "Hello")


PIECES = ["red: \x1b", "[31mX\x1b[0m \x07\x9b1m ", "tab\tend\r", "\nl\xe4st \U0001f600 \r x"]


@case("words that a terminal would obey are made harmless in what is shown")
def _(t):
    done = words(t, saying("text", *PIECES))
    expect(done.out.decode() == "red: ?[31mX?[0m ??1m tab\tend\nl\xe4st \U0001f600 ? x\n", f"{done.out!r}")


@case("words that a terminal would obey are kept for programs, escaped")
def _(t):
    done = words(t, saying("text", *PIECES), "--json")
    expect(done.json()["answer"] == "".join(PIECES) and b"\x1b" not in done.out, done.out)


@rows("so are arguments of a call", [("in one object", "--json"), ("in lines", "--stream-json")])
def _(t, option):
    events = saying("text", "x")
    events[1]["content_block"] = {"type": "tool_use", "id": "c1", "name": "nothing", "input": {}}
    events[2]["delta"] = {"type": "input_json_delta", "partial_json": '{"a":"\x9b31m\x7f"}'}
    events[4]["delta"]["stop_reason"] = "tool_use"
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(*events) as address:
        t.env["ANTHROPIC_BASE_URL"] = address
        done = t.ask("-m", MODEL, "--no-save", option, "--max-rounds", "1", "Hello", status=5)
    expect(b"\xc2\x9b" not in done.out and b"\x7f" not in done.out, done.out)
    expect(option == "--json" or b'{"a":"\\u009b31m\\u007f"}' in done.out, done.out)


@case("a thought goes to standard error, and cannot pass for a line of ours")
def _(t):
    done = words(t, saying("thinking", "Hm.\n+ x.p", "ng image \x1b[31m"))
    expect(done.err.splitlines()[:2] == ["| Hm.", "| + x.png image ?[31m"] and not done.out, done.err)


@case("names and arguments that a terminal would obey are made harmless")
def _(t):
    name = "x\x1b]0;owned\x07.png"
    t.write(name, png())
    done = t.ask("-m", "offline", "-a", name, "What is this?")
    expect("\x1b" not in done.err and b"\x1b" not in done.out, done.err)


# What is piped in.


@case("a text that is piped in goes along, and nothing in it is a reference")
def _(t):
    done = t.ask("-m", "offline", "Sum this up.", given=b"See @plan.png for more.\n")
    expect(b"See @plan.png for more." in done.out, done.out)
    expect([line[0] for line in done.err.splitlines()] == ["+", "="], done.err)


@case("a picture that is piped in goes along as a picture")
def _(t):
    done = t.ask("-m", "offline", "What is this?", given=png(20, 10))
    expect(b"image/png 20x10" in done.out, done.out)


@rows("the question is piped in", [("without another",), ("after a dash", "-")])
def _(t, *words):
    done = t.ask("-m", "offline", *words, given=b"What is in @plan.png?")
    expect(b"image/png 64x48" in done.out, done.out)


def at_home(t):
    """A secret in a home of its own."""
    home = t.folder / "home"
    home.mkdir()
    (home / "id_rsa").write_text("nobody but me\n")
    (t.folder / "work").mkdir()
    (t.folder / "work" / "notes.txt").write_text("here\n")
    (t.folder / "work" / "link").symlink_to(home / "id_rsa")
    t.env["HOME"] = str(home)
    return home


@rows("text that is piped in reaches nothing outside of the folder",
      [("home", "@~/id_rsa"), ("a path", "@{home}/id_rsa"), ("a way up", "@../home/id_rsa"),
       ("a link", "@link"), ("a pattern", "@../home/id*"), ("a pattern over links", "@l*"),
       ("quotes", '@"~/id_rsa"')])
def _(t, reference):
    home = at_home(t)
    text = "+ see " + reference.format(home=home) + "\n"
    done = t.ask("-m", "offline", given=text.encode(), cwd=t.folder / "work")
    expect(reference.format(home=home).encode() in done.out, done.out)
    expect(b"nobody but me" not in done.out and b"System" not in done.out, done.out)
    typed = t.ask("-m", "offline", text, cwd=t.folder / "work")
    expect(reference == "@l*" or b"nobody but me" in typed.out, typed.out)


@case("a link that a person names is read, wherever it leads")
def _(t):
    home = at_home(t)
    (t.folder / "work" / "docs").mkdir()
    (t.folder / "work" / "docs" / "up").symlink_to("../../home/id_rsa")
    done = t.ask("-m", "offline", "see @docs/up", cwd=t.folder / "work")
    expect(b"nobody but me" in done.out and home.exists(), done.out)


@case("a file that text names which is piped in is announced as the text's")
def _(t):
    at_home(t)
    done = t.ask("-m", "offline", given=b"see @notes.txt", cwd=t.folder / "work")
    expect(b"[System: files that the text names, and the user did not: notes.txt" in done.out, done.out)
    expect("named in the text, not by you; the model may read it" in done.err, done.err)


@case("lines of a chat that nobody types reach nothing outside of the folder")
def _(t):
    home = at_home(t)
    lines = f"see @~/id_rsa\n/attach {home}/id_rsa\n/attach link\n/attach notes.txt\nwell?\n"
    done = t.run("chat", "-m", "offline", given=lines.encode(), cwd=t.folder / "work")
    expect(b"nobody but me" not in done.out and b"here" in done.out, done.out)
    expect(done.err.count("outside of") == 2, done.err)


@case("thousands of patterns that are piped in are counted, and what was not looked for is said")
def _(t):
    text = " ".join(f"@*/*{i}" for i in range(4096))
    for i in range(100):
        (t.folder / f"d{i}").mkdir()
    done = t.ask("-m", "offline", given=text.encode())
    expect("references of this text were not looked for" in done.err, done.err)


@case("nothing of what was piped in is left behind")
def _(t):
    t.env["TMPDIR"] = str(t.folder / "tmp")
    os.mkdir(t.env["TMPDIR"])
    t.ask("-m", "offline", "Sum this up.", given=b"Something.")
    expect(not os.listdir(t.env["TMPDIR"]), os.listdir(t.env["TMPDIR"]))


# For programs.


@case("--json is one object: the answer, and what happened")
def _(t):
    done = t.ask("-m", "offline", "--json", "What is in @plan.png?")
    found = done.json()
    expect(not done.err, done.err)
    expect(found["answer"].startswith("I was given image/png 64x48"), found)
    expect([f["type"] for f in found["files"]] == ["reference", "file"], found["files"])
    expect(found["files"][1]["file"]["delivery"] == "native", found["files"])
    expect([c["type"] for c in found["calls"]] == ["call", "result"], found["calls"])
    expect(found["calls"][0]["arguments"] == {"path": "plan.png"} and found["calls"][1]["success"], found)
    expect(found["usage"]["input_tokens"] > 0 and found["session"] == t.sessions()[0]["id"], found)


PRICED = "models: {priced: {provider: offline, model: x, limits: {price_input: 3, price_output: 15.5}}}"


@case("what an answer costs is shown where the prices are known")
def _(t):
    t.write("xdg/refract/config.yaml", PRICED)
    done = t.ask("-m", "priced", "--no-save", "Hello")
    said = re.search(r"^= (\d+) tokens in, (\d+) out, \$(\d\.\d{4})$", done.err, re.M)
    expect(said, done.err)
    cost = (int(said[1]) * 3 + int(said[2]) * 15.5) / 1e6
    expect(abs(float(said[3]) - cost) < 6e-5, (said[0], cost))
    usage = t.ask("-m", "priced", "--no-save", "--json", "Hello").json()["usage"]
    expect(abs(usage["cost_usd"] - cost) < 2e-6, (usage, cost))
    done = t.ask("-m", "offline", "--no-save", "Hello")
    expect("$" not in done.err and re.search(r"^= \d+ tokens in, \d+ out$", done.err, re.M), done.err)
    expect(t.ask("-m", "offline", "--no-save", "--json", "Hello").json()["usage"]["cost_usd"] is None, "")


@case("what a provider itself reports goes before the prices")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {\"openrouter:a/b\": {limits: {price_input: 3, price_output: 15}}}")
    chunks = [{"id": "g", "model": "a/b", "choices": [{"index": 0, "delta": {"content": "Hi"}}]},
              {"id": "g", "model": "a/b", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
               "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "cost": 1.25e-3}}]
    t.env["OPENROUTER_API_KEY"] = KEY
    with server(*chunks) as address:
        t.env["OPENROUTER_BASE_URL"] = address
        done = t.ask("-m", "openrouter:a/b", "--no-save", "--stream-json", "Hello")
    events = [json.loads(line) for line in done.out.splitlines()]
    expect([e["cost_usd"] for e in events if e["type"] == "usage"] == [0.00125], events)
    expect(events[-1]["usage"] == {"input_tokens": 10, "output_tokens": 2, "cost_usd": 0.00125}, events[-1])


@case("--stream-json is a line for each event, and the last one is the answer")
def _(t):
    done = t.ask("-m", "offline", "--stream-json", "--no-save", "What is in @plan.png?")
    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [e["type"] for e in events]
    expect(kinds[0] == "reference" and kinds[-1] == "answer" and kinds.count("sending") == 2, kinds)
    text = "".join(e["text"] for e in events if e["type"] == "text")
    expect(events[-1]["answer"] == text and events[-1]["session"] is None, events[-1])
    expect(kinds.index("call") < kinds.index("result") < kinds.index("file"), kinds)


@rows("an error for a program", [("--json",) * 2, ("--stream-json",) * 2])
def _(t, option):
    done = t.fail(6, "-m", "offline", option, "-a", "gone.png", "What is this?")
    error = json.loads(done.out.splitlines()[-1])["error"]
    expect(error["exit"] == 6 and "gone.png" in error["message"], error)
    expect(not done.err, done.err)


@case("--explain says what became of each file in JSON")
def _(t):
    done = t.ask("-m", "offline", "--explain", "-q", "-a", "plan.png", "What is this?")
    entry = json.loads(done.err)
    expect(entry["name"] == "plan.png" and entry["delivery"] == "native", entry)


@case("--dry-run prints the request, sends nothing, and keeps nothing")
def _(t):
    done = t.ask("-m", MODEL, "-n", "-a", "plan.png", "What is this?")
    body = done.json()
    expect(body["model"] == "claude-sonnet-4-5" and body["messages"][0]["content"][0]["type"] == "image", body)
    expect([tool["name"] for tool in body["tools"]][:1] == ["read_file"], body["tools"])
    expect(not t.sessions(), "a session was begun")


@case("--no-tools offers none, --system says something before all else")
def _(t):
    body = t.ask("-m", MODEL, "-n", "--no-tools", "-s", "Be brief.", "Hello").json()
    expect("tools" not in body and "Be brief." in json.dumps(body["system"]), body)


SCHEMA = {"type": "object",
          "properties": {"cities": {"type": "array", "items": {"type": "string"}}}}


@case("--thinking, --temperature, --max-output and --schema go to the model")
def _(t):
    (t.folder / "cities.json").write_text(json.dumps(SCHEMA))
    common = ["-n", "--no-tools", "--schema", "cities.json", "Hello"]
    body = t.ask("-m", "openai:gpt-5.2", "--thinking", "off", "--max-output", "99", *common).json()
    expect(body["reasoning"] == {"effort": "none"} and body["max_output_tokens"] == 99, body)
    expect(body["text"]["format"]["schema"] == SCHEMA, body)
    options = ["--temperature", "0.25", "--thinking", "high"]
    body = t.ask("-m", "ollama:qwen3", *options, *common).json()
    expect(body["think"] is True and body["options"] == {"temperature": 0.25}, body)
    expect(body["format"] == SCHEMA, body)


@rows("what is no answer's option is wrong usage", [
    ("a level", "--thinking", "most"), ("a temperature", "--temperature", "9"),
    ("a limit", "--max-output", "no"), ("a schema", "--schema", "{"),
    ("another", "--schema", "{]}"), ("a type of a field", "--schema", "name, age years"),
    ("a field twice", "--schema", "name, name int"), ("no field", "--schema", " , "),
    ("a name of none", "--schema", "name, {x}"), ("code of JSON", "--code", "--schema", "name")])
def _(t, *option):
    t.fail(2, "-m", "offline", *option, "Hello")


# Sessions.


@case("-c goes on with the last session, and with its model")
def _(t):
    t.ask("-m", "offline", "-a", "plan.png", "What is this?")
    os.remove(t.folder / "plan.png")
    done = t.ask("-c", "And before?")
    expect(b"Earlier in this conversation: image/png 64x48" in done.out, done.out)
    expect(len(t.sessions()) == 1 and "no model was named" not in done.err, done.err)


@case("--session goes on with the one that is named, and switches the model")
def _(t):
    first = t.ask("-m", "offline", "--json", "-a", "plan.png", "One").json()["session"]
    t.ask("-m", "offline", "Two")
    body = t.ask("--session", first, "-m", "openai:gpt-5-mini", "-n", "Three").json()
    expect("input_image" in json.dumps(body["input"]) and "Two" not in json.dumps(body), body)


@case("--no-save keeps nothing")
def _(t):
    done = t.ask("-m", "offline", "--no-save", "Hello")
    expect(not t.sessions() and "session" not in done.err, done.err)


# Statuses.


@rows("wrong usage is status 2", [
    ("no question", "ask needs a question"),
    ("a session and none", "--continue and --no-save do not go together", "-c", "--no-save", "x"),
    ("two sessions", "--continue and --session do not go together", "-c", "--session", "x", "y"),
    ("two ways to print", "--json and --stream-json do not go together", "--json", "--stream-json", "x"),
    ("a number that is none", "--max-rounds: \"many\" is not a number", "--max-rounds", "many", "x"),
    ("a provider nobody knows", "Did you mean anthropic?", "-m", "antropic:x", "y"),
])
def _(t, part, *args):
    if "--json" in args:
        done = t.fail(2, *args)
        expect(part in done.out.decode(), done.out)
    else:
        t.bad(2, part, "ask", *args)


@rows("a file that cannot be given along is status 6", [
    ("it is not there", "gone.png", None), ("it is empty", "empty.png", b""),
    ("it is cut off", "cut.png", png()[:40]),
])
def _(t, name, data):
    if data is not None:
        t.write(name, data)
    t.bad(6, name, "ask", "-m", "offline", "-q", "-a", name, "What is this?")
    expect(not t.sessions(), "a session was begun")


@case("no session to go on with is status 6, and a hint says what there is")
def _(t):
    t.bad(6, "begin one with the first question", "ask", "-c", "Hello")


@case("no key is status 8, the hint names the variable and offline, and the question is not kept")
def _(t):
    done = t.bad(8, "ANTHROPIC_API_KEY", "ask", "-m", MODEL, "Hello")
    expect("offline" in done.err, done.err)
    done = t.run("sessions", "list")
    expect("Hello" not in done.out.decode(), done.out)


@case("a provider that refuses is status 4, and its words are told")
def _(t):
    with t.simulator(script="replies:\n  - {status: 400, message: no such thing}\n") as address:
        done = t.ask("-m", t.point(address, "anthropic"), "Hello", status=4)
    expect("no such thing" in done.err and done.err.splitlines()[-1].startswith("hint: "), done.err)


@case("a server that is not there is tried again for as long as there is time")
def _(t):
    model = t.point("http://127.0.0.1:9", "anthropic")
    done = t.ask("-m", model, "--max-seconds", "1", "Hello", status=5)  # the five tries take 1.9 s at least
    expect("note: waiting" in done.err, done.err)


@case("a limit is status 5, and the session stays whole")
def _(t):
    script = "replies:\n  - {calls: [{name: read_file, arguments: {file_path: plan.png}}], times: 0}\n"
    with t.simulator(script=script) as address:
        model = t.point(address, "anthropic")
        done = t.ask("-m", model, "--max-rounds", "2", "Hello", status=5)
        expect(done.err.count("\n> ") + done.err.startswith("> ") == 2, done.err)
    with t.simulator() as address:
        t.point(address, "anthropic")
        t.ask("-c", "Go on.")


TOOL = """tools:
  mark: {command: [touch, marked], description: Marks., input_schema: {type: object, properties: {}}}
"""
CALLS = "replies:\n  - {calls: [{name: mark, arguments: {}}]}\n"


def with_tool(t, *args, **how):
    t.write("xdg/refract/config.yaml", TOOL)
    with t.simulator(script=CALLS) as address:
        return t.ask("-m", t.point(address, "anthropic"), *args, "Mark it.", **how)


@case("a tool that nobody can be asked about is not run: status 7, after the answer")
def _(t):
    done = with_tool(t, status=7)
    expect(not (t.folder / "marked").exists() and done.out, done.out)
    expect("permission" in done.err and "--allow mark" in done.err, done.err)


@case("--allow lets a tool run")
def _(t):
    with_tool(t, "--allow", "other", "--allow", "mark")
    expect((t.folder / "marked").exists(), "it was not run")


def on_terminal(t, args, typed):
    """What a terminal shows, and the status."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(t.folder)
        os.execve(t.program, [t.program, *args], {**t.env, "TERM": "xterm"})
    shown, sent = b"", False
    with contextlib.suppress(OSError):
        while piece := os.read(fd, 65536):
            shown += piece
            if b"(y: yes" in shown and not sent:
                os.write(fd, typed)
                sent = True
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    return shown.decode(), status


@rows("on a terminal a person is asked", [("yes", b"y\n", True), ("no", b"n\n", False),
                                         ("nothing", b"\n", False)])
def _(t, typed, runs):
    t.write("xdg/refract/config.yaml", TOOL)
    with t.simulator(script=CALLS) as address:
        shown, status = on_terminal(t, ["ask", "-m", t.point(address, "anthropic"), "Mark it."], typed)
    expect(status == 0 and "? run mark" in shown, shown)
    expect((t.folder / "marked").exists() == runs, shown)


@case("who is asked sees all that would be run: the command, whose it is, and the arguments to their end")
def _(t):
    t.write(".refract.yaml", TOOL)
    t.good("trust")
    hidden = "ls" + 200 * " " + "; rm -rf x"
    script = f"replies:\n  - {{calls: [{{name: mark, arguments: {{command: {json.dumps(hidden)}}}}}]}}\n"
    with t.simulator(script=script) as address:
        shown, _ = on_terminal(t, ["ask", "-m", t.point(address, "anthropic"), "Mark it."], b"n\n")
    asked = shown[:shown.index("(y: yes")]
    expect("; rm -rf x" in asked and "touch marked" in asked and ".refract.yaml" in asked, asked)


@case("what nobody could read is not asked about, and not run; what nobody sees is written out")
def _(t):
    t.write("xdg/refract/config.yaml", TOOL)
    for command, asked, told in (("a" * 70000, False, "too many to read"), ("l\u200bs", True, "l\\u200bs")):
        script = f"replies:\n  - {{calls: [{{name: mark, arguments: {{command: \"{command}\"}}}}]}}\n"
        with t.simulator(script=script) as address:
            shown, _ = on_terminal(t, ["ask", "-m", t.point(address, "anthropic"), "Mark it."], b"n\n")
        expect(("(y: yes" in shown) == asked and told in shown, shown[:3000])
    expect(not (t.folder / "marked").exists(), "it was run")


# Stopping.


HALF = (b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n'
        b'data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":9}}}\n\n'
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}\n\n')


def interrupt(t, times, answer, *more):
    """Interrupt a question when it was asked and what there is of the answer was said; more does not come."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        model = t.point(f"http://127.0.0.1:{server.getsockname()[1]}", "anthropic")
        with subprocess.Popen([t.program, "ask", "-m", model, *more, "Hello"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=t.folder,
                              env=t.env) as process, server.accept()[0] as connection:
            connection.recv(1)
            connection.sendall(answer)
            first = process.stdout.read(1) if answer else b""
            for _ in range(times):
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=LIMIT_S)
    return process.returncode, first + out, err.decode()


@rows("Ctrl-C leaves a session that can be gone on with", [
    ("while the answer comes", 1, HALF),
    ("before it comes", 1, b""),
    ("twice", 2, b""),
])
def _(t, times, answer):
    status, out, err = interrupt(t, times, answer)
    expect(status == 130, f"{status}: {err}")
    kept = "What was said until then" if answer else "The question"
    expect(times > 1 or re.search(rf"stopped by the user\nhint: {kept} is kept in session [0-9]+-[a-z0-9]+\. -c goes", err), err)
    with t.simulator() as address:
        t.point(address, "anthropic")
        done = t.ask("-c", "Go on.")
    expect(b"Go on." in done.out and bool(out) == bool(answer), done.out)


@case("Ctrl-C says nothing of what is kept where nothing is")
def _(t):
    status, _, err = interrupt(t, 1, HALF, "--no-save")
    expect(status == 130 and err.endswith("stopped by the user\n"), f"{status}: {err}")


# Every provider.


@rows("the same question", [(f"{name}{', in one piece' if more else ''}", name, *more)
                            for name in PROVIDERS for more in ([], ["--no-stream"])])
def _(t, provider, *more):
    with t.simulator() as address:
        done = t.ask("-m", t.point(address, provider), *more, "What is in @plan.png?")
    expect(b"image/png 64x48" in done.out, done.out)
    expect([line[0] for line in done.err.splitlines()] == ["~", ">", "+", "="], done.err)


# Doctor.


@case("doctor says where a key is and that its endpoint answers, and never shows it")
def _(t):
    with t.simulator() as address:
        t.point(address, "anthropic")
        done = t.good("doctor")
    text = done.out.decode()
    expect(re.search(r"^\+ provider anthropic +key in ANTHROPIC_API_KEY; http://\S+ answers$", text, re.M), text)
    expect(re.search(r"^! provider others +no key .*\bmistral\b", text, re.M) and KEY not in text, text)
    expect(re.search(r"^\+ provider offline +needs no key", text, re.M), text)


@case("doctor tells of an endpoint that does not answer")
def _(t):
    t.point("http://127.0.0.1:9", "groq")
    done = t.run("doctor", "-m", "groq:llama-3.3-70b-versatile", "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    found = next(line for line in lines if line["name"] == "groq")
    expect(done.status == 8 and found["health"] == "partly" and KEY not in found["what"], found)


@case("doctor -m says which key is missing: status 8")
def _(t):
    process = subprocess.run([t.program, "doctor", "-m", MODEL], capture_output=True, text=True,
                             env=t.env, cwd=t.folder, timeout=LIMIT_S, check=False)
    expect(process.returncode == 8 and "ANTHROPIC_API_KEY" in process.stdout, process.stdout)


@case("--probe needs a model")
def _(t):
    t.bad(2, "which model", "doctor", "--probe")


def probe(t, *args):
    with t.simulator(*args) as address:
        done = t.good("doctor", "--json", "--probe", "-m", t.point(address, "anthropic"))
    lines = [json.loads(line) for line in done.out.splitlines()]
    found = {(p["kind"], p["place"]): p for p in lines if p["area"] == "probe"}
    facts = t.good("models", MODEL).out.decode()
    return found, facts


@case("a probe finds that a model sees")
def _(t):
    found, facts = probe(t)
    for kind in ("image", "pdf"):
        for place in ("inside a tool result", "in a user message"):
            expect(found[kind, place]["sight"] == "seen", found[kind, place])
    expect(re.search(r"^vision +yes +learned \d{4}-\d\d-\d\d", facts, re.M), facts)


@case("a probe finds that pictures in tool results are taken and not seen, and later requests know")
def _(t):
    found, facts = probe(t, "--ignore-images")
    expect(found["image", "inside a tool result"]["sight"] == "unseen", found)
    expect(found["image", "after tool results"]["sight"] == "seen", found)
    expect(found["image", "in a user message"]["sight"] == "seen", found)
    expect(found["pdf", "inside a tool result"]["sight"] == "seen", found)
    expect(re.search(r"^unseen_inside +image +learned", facts, re.M), facts)
    again = "--port", re.search(r":(\d+)", t.env["ANTHROPIC_BASE_URL"])[1]
    with t.simulator("--ignore-images", *again) as address:
        done = t.ask("-m", t.point(address, "anthropic"), "What is in @plan.png?")
    expect(b"I was given image/png 64x48" in done.out, done.out)
    found, facts = probe(t, *again)
    expect(found["image", "inside a tool result"]["sight"] == "seen", found)
    expect(re.search(r"^unseen_inside +- +learned", facts, re.M), facts)
    del t.env["ANTHROPIC_BASE_URL"]
    expect(b" learned " not in t.good("models", MODEL).out, "a simulator taught the provider")


@rows("a library is wanted where it is needed, and no sooner", [
    ("SQLite", "libsqlite3.so.0", ["--no-save"], "", "SQLite, which keeps sessions: "),
    ("libyaml", "libyaml-0.so.2", [], "default: offline", "libyaml, which reads configurations: "),
])
def _(t, library, without, config, what):
    t.write("lib/" + library, b"")
    t.env["LD_LIBRARY_PATH"] = str(t.folder / "lib")
    t.ask("-m", "offline", *without, "Hello")
    if config:
        t.write("xdg/refract/config.yaml", config)
    done = t.ask("-m", "offline", "Hello", status=8)
    expect(f"could not load {what}" in done.err and "Install " in done.err, done.err)
    expect(all(f"). {option} needs none." in done.err for option in without), done.err)


@case("what is simulated is wanted where it is asked for, and no sooner")
def _(t):
    t.write("lib/librefract-sim.so.0", b"")
    t.env["LD_LIBRARY_PATH"] = str(t.folder / "lib")
    t.ask("-n", "-m", "offline", "Hello")
    why = "could not load librefract-sim, which has the model \"offline\": "
    expect(why in t.ask("-m", "offline", "Hello", status=4).err, "it answered")
    done = t.run("sim")
    expect(done.status == 8 and why in done.err, done.err)


# The README.


@case("README.md shows what make run prints")
def _(t):
    t.folder = ROOT
    done = t.ask("-m", "offline", "--no-save", "What is in @examples/photo.jpg?")
    text = (ROOT / "README.md").read_text()
    for line in done.err.splitlines()[:3]:
        expect(line.rsplit(",", 1)[0] in text, f"README.md does not show {line!r}")
    expect(done.out.decode()[:90] in text, f"README.md does not show {done.out[:90]!r}")


def run_cases(cases):
    program = str(pathlib.Path(sys.argv[1]).resolve())
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = 0
    for name, function in cases:
        if only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="refract-ask-") as folder:
            try:
                function(Ask(program, folder))
                passed += 1
                print(f"ok      {name}")
            except Exception as why:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(why).__name__}: {why}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
