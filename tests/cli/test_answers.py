#!/usr/bin/env python3
"""What becomes of answers: JSON that fits a schema, code, files; Markdown, sources, what the model made, on a terminal and in a pipe.

    test_answers.py PATH-OF-REFRACT [PART-OF-A-NAME]

Against the model in the program, `refract sim` and servers that say what a case has them say. Prints a line a case,
then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import contextlib
import http.server
import json
import struct
import sys
import threading

from test_ask import KEY, PROVIDERS, ROOT, case, expect, on_terminal, rows, run_cases, saying
from test_cli import MODEL, png
from test_read import pdf

import test_ask

sys.path.insert(0, str(ROOT / "tests" / "terminal"))
from driver import Terminal  # noqa: E402 (it lies with the tests of terminals)

CASES = test_ask.CASES
CASES.clear()
INVOICE = [b"Invoice 4711 of Example Ltd, due 2026-03-01, total 99.50"]


@contextlib.contextmanager
def server(*replies):
    """A server of Anthropic's API that streams these lists of events one after the other; a function among them is called
    when all before it is sent. What it was asked is yielded with its address."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in replies[len(asked) - 1]:
                if callable(event):
                    event()
                    continue
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{found.server_port}", asked
        finally:
            found.shutdown()


def told(t, texts, *args, status=0):
    """The program when a model says these texts one after the other, and the requests that it got."""
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(*(saying("text", text) for text in texts)) as (address, asked):
        t.env["ANTHROPIC_BASE_URL"] = address
        return t.ask("-m", MODEL, "--no-save", *args, "Which?", status=status), asked


# Schemas.

FIELDS = "vendor, due date: when it is to be paid, total number, items string[], copies int, paid bool"
SCHEMA = {"type": "object", "required": ["cities"],
          "properties": {"cities": {"type": "array", "items": {"type": "string"}}}}


@rows("JSON by the fields that it has, of a file, by whatever the provider calls a schema", [
    (name, name) for name in PROVIDERS])
def _(t, provider):
    t.write("invoice.pdf", pdf(INVOICE))
    with t.simulator() as address:
        done = t.ask("-m", t.point(address, provider), "--no-save", "--schema", FIELDS, "-a", "invoice.pdf")
    found = json.loads(done.out)
    expect(list(found) == ["vendor", "due", "total", "items", "copies", "paid"], found)
    kinds = [type(found[name]) for name in ("vendor", "due", "items", "copies", "paid")]
    expect(kinds == [str, str, list, int, bool] and isinstance(found["total"], (int, float)), found)


@case("fields in short are a schema in which all are required, and nothing else is")
def _(t):
    body = t.ask("-m", "openai:gpt-5.2", "-n", "--no-tools", "--schema", FIELDS, "Hello").json()
    made = body["text"]["format"]
    expect(made["strict"] is True and made["schema"]["additionalProperties"] is False, made)
    expect(made["schema"]["properties"]["due"] == {
        "description": "when it is to be paid", "type": "string", "format": "date"}, made)
    expect(made["schema"]["properties"]["items"] == {"type": "array", "items": {"type": "string"}}, made)
    lines = "name: the whole name, as it is written\nage int"
    body = t.ask("-m", "openai:gpt-5.2", "-n", "--no-tools", "--schema", lines, "Hello").json()
    fields = body["text"]["format"]["schema"]["properties"]
    expect(fields["name"]["description"] == "the whole name, as it is written", fields)
    expect(fields["age"] == {"type": "integer"}, fields)


@case("a file of that name is the schema; one that is not there is not taken for a field")
def _(t):
    t.write("name", json.dumps(SCHEMA))
    body = t.ask("-m", "openai:gpt-5.2", "-n", "--no-tools", "--schema", "name", "Hello").json()
    expect(body["text"]["format"]["schema"] == SCHEMA, body)
    done = t.fail(6, "-m", "offline", "--schema", "cities.json", "Hello")
    expect("cities.json" in done.err, done.err)


@case("an answer that does not fit is asked for once more, with what is wrong and without tools")
def _(t):
    done, asked = told(t, ['{"cities": ["Ulm", 7]}', '```json\n{"cities": ["Ulm"]}\n```'], "--schema", json.dumps(SCHEMA))
    expect(done.out == b'{"cities": ["Ulm"]}\n', done.out)
    expect("note: the answer does not fit the schema: cities[1]: expected string, found a number; it is asked for once "
           "more" in done.err, done.err)
    expect("tools" in asked[0] and "tools" not in asked[1], asked)
    expect("cities[1]: expected string" in json.dumps(asked[1]["messages"][-1]), asked[1])


@case("one that does not fit then is a failure with the place in it; it is not on standard output")
def _(t):
    done, asked = told(t, ["Ulm", '{"cities": "Ulm"}'], "--schema", json.dumps(SCHEMA), status=4)
    expect("refract: the answer does not fit the schema: cities: expected array, found a string" in done.err, done.err)
    expect(not done.out and '| {"cities": "Ulm"}' in done.err and len(asked) == 2, (done.out, done.err))
    done, _ = told(t, ["Ulm", "Ulm"], "--json", "--schema", json.dumps(SCHEMA), status=4)
    expect(done.json()["error"]["exit"] == 4, done.out)


@case("a model that takes no schema is told in words")
def _(t):
    done = t.ask("-m", "groq:llama-3.3-70b-versatile", "-n", "-s", "Be brief.", "--schema", "name", "Hello")
    said = done.json()["messages"][0]
    expect(said["role"] == "system" and said["content"].startswith("Be brief.\n\nAnswer with JSON alone"), said)
    expect(said["content"].endswith('"required":["name"],"additionalProperties":false}'), said)


# Code.

CODE = "Like this:\n\n1. First\n\n   ~~~python\n   def f():\n       return '```'\n   ~~~\n\n```\nsecond\n```\n"


@case("--code gives the first code block, without what stands around it")
def _(t):
    done, _ = told(t, [CODE], "--code")
    expect(done.out == b"def f():\n    return '```'\n", done.out)
    done, _ = told(t, [CODE], "--code", "--json")
    expect(done.json()["answer"] == "def f():\n    return '```'\n", done.out)


@case("an answer without code is a failure, which shows it")
def _(t):
    done, _ = told(t, ["There is none."], "--code", status=4)
    expect(not done.out and "| There is none." in done.err and "has no code block" in done.err, done.err)


# Files.


@case("-o writes the answer to a file, and nothing to standard output")
def _(t):
    done, _ = told(t, ["All of it: \x1b[1m"], "-o", "answer.md")
    expect(not done.out and "note: the answer is in answer.md" in done.err, done.err)
    expect((t.folder / "answer.md").read_bytes() == b"All of it: \x1b[1m\n", "not as it was said")
    expect(not list(t.folder.glob("*.new")), "something is left")


@case("-o does not write over a file unless it is told to, and says so before anything is asked")
def _(t):
    t.write("answer.md", "mine")
    done, asked = told(t, ["theirs"], "-o", "answer.md", status=7)
    expect(not asked and "--force" in done.err and (t.folder / "answer.md").read_text() == "mine", done.err)
    told(t, ["theirs"], "-o", "answer.md", "--force")
    expect((t.folder / "answer.md").read_text() == "theirs\n", "not written")
    told(t, ["x"], "-o", "/dev/null")


@case("a file that is replaced keeps its mode and the link to it, and no other file is touched")
def _(t):
    for name in ("answer.md", "answer.md.new", "answer.md.new0"):
        t.write(name, "mine")
    (t.folder / "answer.md").chmod(0o750)
    (t.folder / "link").symlink_to("answer.md")
    told(t, ["theirs"], "-o", "link", "--force")
    expect((t.folder / "link").is_symlink() and (t.folder / "answer.md").read_text() == "theirs\n", "not written")
    expect((t.folder / "answer.md").stat().st_mode & 0o777 == 0o750, "another mode")
    expect({p.name for p in t.folder.glob("answer*")} == {"answer.md", "answer.md.new", "answer.md.new0"}
           and (t.folder / "answer.md.new0").read_text() == "mine", "others")


@rows("on a terminal the person is asked whether a file shall be replaced", [
    ("yes", b"y\n", 0), ("no", b"n\n", 7)])
def _(t, typed, want):
    t.write("answer.md", "mine")
    shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", "-o", "answer.md", "Hello"], typed)
    expect(status == want and "? replace answer.md" in shown, shown)
    expect(((t.folder / "answer.md").read_text() == "mine") == bool(want), shown)


@rows("a file that cannot be written is told before anything is asked", [
    ("no such folder", "nowhere/answer.md"), ("a folder", ".")])
def _(t, path):
    done, asked = told(t, ["It is 42."], "-o", path, status=6)
    expect(not asked and f'could not write "{path}"' in done.err and "Nothing was asked." in done.err, done.err)


@case("a system prompt from a file")
def _(t):
    t.write("prompt.txt", "Be brief.\nBe kind.")
    body = t.ask("-m", MODEL, "-n", "-s", "@prompt.txt", "Hello").json()
    expect("Be brief.\nBe kind." in json.dumps(body["system"], ensure_ascii=False).encode().decode("unicode_escape"), body)
    t.fail(6, "-m", "offline", "-s", "@nowhere.txt", "Hello")


# Settings of the configuration.

@rows("how a model is asked is said under its own name, and counts under a part of it and in its session", [
    ("its own name", '"anthropic:claude-sonnet-5": {max_tokens: 77, system: Be terse.}', ["-m", "anthropic:claude-sonnet-5"]),
    ("a part of it", '"anthropic:claude-sonnet-5": {max_tokens: 77, system: Be terse.}', ["-m", "claude-sonnet-5"]),
    ("a session", 'default: {provider: offline, model: offline, max_tokens: 77, system: Be terse.}', ["-c"]),
    ("a name that comes before it", 'default: "anthropic:claude-sonnet-5", '
     '"anthropic:claude-sonnet-5": {max_tokens: 77, system: Be terse.}', [])])
def _(t, models, args):
    t.write("xdg/refract/config.yaml", "models: {%s}\n" % models)
    if "-c" in args:
        t.ask("One.")
    body = t.ask(*args, "-n", "Two.").out.decode()
    expect("77" in body and "Be terse." in body, body)
    expect("Be terse." not in t.ask(*args, "-n", "-s", "", "Two.").out.decode(), "an empty prompt is one")


SETTINGS = """models:
  brief: {provider: anthropic, model: claude-sonnet-4-5, max_tokens: 3000, temperature: 0.25, thinking: off, system: Be brief.}
  "anthropic:claude-sonnet-4-5": {temperature: 1, thinking: 2048}
"""


@case("how a model is asked stands in the configuration; what is said on the command line goes before it")
def _(t):
    t.write("xdg/refract/config.yaml", SETTINGS)
    body = t.ask("-m", "brief", "-n", "Hello").json()
    expect(body["max_tokens"] == 3000 and body["temperature"] == 0.25, body)
    expect(body["thinking"] == {"type": "disabled"} and body["system"] == "Be brief.", body)
    body = t.ask("-m", "brief", "-n", "--max-output", "9000", "--temperature", "0.5", "-s", "Be kind.", "Hello").json()
    expect(body["max_tokens"] == 9000 and body["temperature"] == 0.5 and body["system"] == "Be kind.", body)
    body = t.ask("-m", "brief", "-n", "--thinking", "low", "--max-output", "9000", "Hello").json()
    expect(body["thinking"] == {"type": "enabled", "budget_tokens": 2048}, body)
    body = t.ask("-m", MODEL, "-n", "Hello").json()
    expect(body["thinking"]["budget_tokens"] == 2048 and "system" not in body and body["max_tokens"] != 3000, body)


@case("a session keeps no settings of a model: another one has its own")
def _(t):
    t.write("xdg/refract/config.yaml", SETTINGS + "  loud: {provider: openai, model: gpt-5.2, system: Be loud.}\n")
    with t.simulator() as address:
        t.point(address, "anthropic")
        t.ask("-m", "brief", "Hello")
    body = t.ask("-c", "-m", "loud", "-n", "Hello").json()
    expect(body["instructions"] == "Be loud." and "temperature" not in body, body)


@case("a setting that is wrong is named with its line: status 8")
def _(t):
    t.write("xdg/refract/config.yaml", 'models:\n  "groq:x":\n    temperature: hot\n')
    done = t.fail(8, "-m", "offline", "Hello")
    expect('config.yaml:3: "hot" is not a value for "temperature"' in done.err, done.err)


# Markdown.

MARKDOWN = "# Title\n\nA **bold** word.\n\n```python\nreturn 1  # one\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def terminal(t, *args, env=None, **how):
    """The program on a terminal of its own, until it ends. Returns the terminal, closed."""
    with Terminal([t.program, *args], cwd=t.folder, home=t.folder, env={**t.env, **(env or {})}, **how) as screen:
        expect(screen.wait_exit() == 0, screen.screen())
        screen.check_restored()
        return screen


def rendered(t, *args, env=None, **how):
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(saying("text", MARKDOWN[:20], MARKDOWN[20:])) as (address, _):
        return terminal(t, "ask", "-m", MODEL, "--no-save", "-q", *args, "Hello",
                        env={"ANTHROPIC_BASE_URL": address, **(env or {})}, **how)


@case("on a terminal Markdown is shown in colours, with a table and code in the colours of its language")
def _(t):
    screen = rendered(t)
    text = "\n".join(screen.screen())
    expect("Title\n\nA bold word.\n\npython\nreturn 1  # one\n\na   │ b\n────┼────\n1   │ 2" in text, text)
    written = bytes(screen.written)
    expect(b"\x1b[35mreturn\x1b[39m \x1b[33m1\x1b[39m  \x1b[2m# one\x1b[22m" in written, written)
    expect(b"\x1b[1mbold\x1b[22m" in written, written)
    light = rendered(t, env={"COLORFGBG": "0;15"}, plays="kitty")
    expect(b"\x1b[38;5;25mreturn" in bytes(light.written), bytes(light.written))


@rows("what has come is there before its row is full, and nothing is there twice in the end", [
    ("a paragraph", "A **bold** wo", "A bold wo", "rd", "A bold word"),
    ("a row that is full", "x" * 80, "x" * 80, "yz", "x" * 80 + "\nyz"),
    ("a table", "| a | b |\n|---|---|\n| 1 ", "1   │", "| long |\n", "a   │ b\n────┼─────\n1   │ long"),
    ("more than the screen has", "".join(f"| a{n} | b |\n" if n != 1 else "|-|-|\n" for n in range(50)), "a49", "\n",
     "a48 │ b\na49 │ b")])
def _(t, first, seen, rest, whole):
    go_on, events = threading.Event(), saying("text", first, rest)
    events.insert(3, go_on.wait)
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(events) as (address, _):
        with Terminal([t.program, "ask", "-m", MODEL, "--no-save", "-q", "Hello"], cwd=t.folder, home=t.folder,
                      env={**t.env, "ANTHROPIC_BASE_URL": address}) as screen:
            try:
                screen.wait_for(seen)
            finally:
                go_on.set()
            expect(screen.wait_exit() == 0, screen.screen())
            e = screen.emulator
            text = "\n".join(line.rstrip() for line in e.scrollback() + e.screen()).strip()
    expect(text.endswith(whole) and text.count(whole) == 1 and text.count("a49") <= 1, text)


@rows("as it was written", [
    ("with --plain", ["--plain"], {}), ("on a terminal that can do nothing", [], {"TERM": "dumb"})])
def _(t, args, env):
    written = bytes(rendered(t, *args, env=env).written)
    expect(written.replace(b"\r", b"").decode() == MARKDOWN, written)


@case("without colours where those are not wanted, and with its marks where code has no colour")
def _(t):
    screen = rendered(t, env={"NO_COLOR": "1"})
    expect(not any(b"\x1b[3%d" % n in bytes(screen.written) for n in range(1, 9)), bytes(screen.written))
    expect("```python" in "\n".join(screen.screen()), screen.screen())


@rows("what is said of files has marks in colour", [
    ("where colours are wanted", {}, b"\x1b[32m+\x1b[39m notes.txt"), ("and not where not", {"NO_COLOR": "1"}, b"+ notes.txt")])
def _(t, env, line):
    t.write("notes.txt", "The blue whale weighs 150 tons.\n")
    screen = terminal(t, "ask", "-m", "offline", "--no-save", "-a", "notes.txt", "Hello", env=env)
    expect(b"\n" + line in bytes(screen.written) or bytes(screen.written).startswith(line), bytes(screen.written))


@case("in a pipe as it was written")
def _(t):
    done, _ = told(t, [MARKDOWN])
    expect(done.out.decode() == MARKDOWN, done.out)


# Sources.


def block(number, text, *citations):
    """The events of a text with what it cites."""
    return [{"type": "content_block_start", "index": number, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": number, "delta": {"type": "text_delta", "text": text}},
            *({"type": "content_block_delta", "index": number, "delta": {"type": "citations_delta", "citation": citation}}
              for citation in citations),
            {"type": "content_block_stop", "index": number}]


WIKI = {"type": "web_search_result_location", "url": "https://example.org/lake", "title": "The \x1blake", "cited_text": "252 m"}
REPORT = {"type": "page_location", "cited_text": "1,400\nboats", "document_index": 0, "document_title": "report.pdf",
          "start_page_number": 2, "end_page_number": 3}
WORDS = saying("text", "")
CITED = [WORDS[0], *block(0, "It is 252 m deep", WIKI), *block(1, ", and has "), *block(2, "1,400 boats", REPORT, WIKI),
         *block(3, "."), *WORDS[-2:]]
LISTED = '[1] The ?lake, https://example.org/lake\n[2] report.pdf: "1,400 boats"'


@case("sources are numbers in the text on a terminal, with the sources below")
def _(t):
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(CITED) as (address, _):
        screen = terminal(t, "ask", "-m", MODEL, "--no-save", "-q", "Hello", env={"ANTHROPIC_BASE_URL": address})
    text = "\n".join(screen.screen())
    expect("It is 252 m deep [1], and has 1,400 boats [1][2].\n\n" + LISTED in text, text)


@case("the number of a source is no part of the code or the table before it")
def _(t):
    events = [WORDS[0], *block(0, "```\ncode\n```", WIKI), *block(1, "\n\n| a |\n|---|\n| b |", REPORT), *WORDS[-2:]]
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(events) as (address, _):
        screen = terminal(t, "ask", "-m", MODEL, "--no-save", "-q", "Hello", env={"ANTHROPIC_BASE_URL": address})
    text = "\n".join(screen.screen())
    expect("code\n\n[1]\n\na\n───\nb\n\n[2]\n\n[1] The" in text, text)


@case("in a pipe the text stays as it is, and sources are on standard error")
def _(t):
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(CITED, CITED, CITED) as (address, _):
        t.env["ANTHROPIC_BASE_URL"] = address
        done = t.ask("-m", MODEL, "--no-save", "Hello")
        expect(done.out == b"It is 252 m deep, and has 1,400 boats.\n" and LISTED in done.err, (done.out, done.err))
        found = t.ask("-m", MODEL, "--no-save", "--json", "Hello").json()["citations"]
        expect([c["title"] for c in found] == ["The \x1blake", "report.pdf", "The \x1blake"], found)
        lines = t.ask("-m", MODEL, "--no-save", "--stream-json", "Hello").out.splitlines()
    expect(sum(json.loads(line)["type"] == "citation" for line in lines) == 3, lines)


# What the model made.

PICTURE = png(40, 30)


def drawing(*files):
    """What Gemini streams for an answer with files in it."""
    parts = [{"text": "Here it is: "},
             *({"inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}} for mime, data in files)]
    reply = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
             "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8}}
    return "replies:\n  - {times: 0, content_type: text/event-stream, body: %s}\n" % json.dumps(
        "data: " + json.dumps(reply) + "\n\n")


@case("pictures that the model makes are saved beside one, under the next number that is free")
def _(t):
    with t.simulator(script=drawing(("image/png", PICTURE), ("image/png", PICTURE))) as address:
        model = t.point(address, "google")
        done = t.ask("-m", model, "Draw.")
        session = done.err.split("session ")[1].strip()
        first = t.folder / f"refract-{session}-1.png"
        expect(f"* ./{first.name}: image, {len(PICTURE) / 1000:.1f} KB, made by the model" in done.err, done.err)
        expect(first.read_bytes() == PICTURE and done.out == b"Here it is: \n", done.out)
        again = t.ask("-c", "-m", model, "Again.", "--json").json()["made"]
        names = [f"./refract-{session}-{n}.png" for n in (3, 4)]
        expect([f["path"] for f in again] == names and again[0]["media_type"] == "image/png"
               and again[0]["bytes"] == len(PICTURE) and again[0]["kind"] == "image", again)
        done = t.ask("-m", model, "--no-save", "-q", "Draw.")
    expect(not done.err and (t.folder / "refract-2.png").read_bytes() == PICTURE, done.err)


@case("a name that leads elsewhere is taken, and not followed")
def _(t):
    (t.folder / "refract-1.png").symlink_to("/dev/full")
    (t.folder / "refract-2.png").symlink_to("nowhere")
    (t.folder / "refract-3.png").mkdir()
    with t.simulator(script=drawing(("image/png", PICTURE))) as address:
        t.ask("-m", t.point(address, "google"), "--no-save", "Draw.")
    expect((t.folder / "refract-4.png").read_bytes() == PICTURE and not (t.folder / "nowhere").exists(), "elsewhere")


@case("--media says where; a folder that is not there is wrong before anything is asked")
def _(t):
    (t.folder / "out").mkdir()
    with t.simulator(script=drawing(("image/png", PICTURE))) as address:
        model = t.point(address, "google")
        t.ask("-m", model, "--no-save", "--media", "out", "Draw.")
        expect((t.folder / "out" / "refract-1.png").exists(), list(t.folder.iterdir()))
        t.fail(6, "-m", model, "--no-save", "--media", "nowhere", "Draw.")
        if test_ask.os.getuid():
            (t.folder / "out").chmod(0o500)
            done = t.ask("-m", model, "--no-save", "--media", "out", "Draw.", status=6)
            expect("could not write" in done.err and b"Here it is" in done.out, done.err)


@case("samples without a header become a sound that can be played")
def _(t):
    samples = bytes(range(200))
    with t.simulator(script=drawing(("audio/L16;codec=pcm;rate=16000", samples))) as address:
        made = t.ask("-m", t.point(address, "google"), "--no-save", "--json", "Sing.").json()["made"]
    data = (t.folder / "refract-1.wav").read_bytes()
    expect(made[0]["media_type"] == "audio/wav" and made[0]["kind"] == "audio", made)
    expect(data[:4] == b"RIFF" and data[8:16] == b"WAVEfmt " and data[44:] == samples, data[:44])
    expect(struct.unpack("<IHHIIHH", data[16:36]) == (16, 1, 1, 16000, 32000, 2, 16), data[:44])
    expect(struct.unpack("<4sI", data[36:44]) == (b"data", len(samples)) and len(data) == 8 + struct.unpack("<I", data[4:8])[0],
           data[:44])


@case("chat saves them too, shows the picture, and says where it is")
def _(t):
    with t.simulator(script=drawing(("image/png", PICTURE))) as address:
        model = t.point(address, "google")
        with Terminal([t.program, "chat", "-m", model, "--no-save"], cwd=t.folder, home=t.folder, env=t.env,
                      plays="kitty") as screen:
            screen.wait_for("Ctrl-D leaves")
            screen.type("Draw.")
            screen.press("Enter")
            screen.wait_for("* ./refract-1.png: image")
            screen.wait_for("[Image: refract-1.png, 40x30]")
            screen.wait_until(lambda: screen.emulator.pictures, what="a picture")
            screen.press("Ctrl-D")
            expect(screen.wait_exit() == 0, screen.screen())
    expect((t.folder / "refract-1.png").read_bytes() == PICTURE, "not what it drew")


@case("chat has sources as numbers, and lists them below")
def _(t):
    t.env["ANTHROPIC_API_KEY"] = KEY
    with server(CITED) as (address, _):
        with Terminal([t.program, "chat", "-m", MODEL, "--no-save"], cwd=t.folder, home=t.folder,
                      env={**t.env, "ANTHROPIC_BASE_URL": address}) as screen:
            screen.wait_for("Ctrl-D leaves")
            screen.type("Hello")
            screen.press("Enter")
            screen.wait_for("It is 252 m deep [1], and has 1,400 boats [1][2].\n\n" + LISTED)


@case("a chat without a terminal saves them and says so")
def _(t):
    with t.simulator(script=drawing(("image/png", PICTURE))) as address:
        model = t.point(address, "google")
        done = test_ask.Cli.run(t, "chat", "-m", model, "--no-save", given=b"Draw.\n")
    expect("* ./refract-1.png: image" in done.err and (t.folder / "refract-1.png").exists(), done.err)


# What tools changed.

CHANGING = """tools:
  edit:
    {command: "echo '{\\"output\\":\\"done\\",\\"files_changed\\":[\\"a.c\\",\\"b.c\\"]}'", description: Edits., allow: yes}
"""


@case("the files that a tool changed are one line")
def _(t):
    t.write("xdg/refract/config.yaml", CHANGING)
    script = "replies:\n  - {calls: [{name: edit, arguments: {}}]}\n"
    with t.simulator(script=script) as address:
        done = t.ask("-m", t.point(address, "anthropic"), "--no-save", "Edit.")
    expect("\n* a.c, b.c: changed by edit\n" in done.err, done.err)
    with t.simulator(script=script) as address:
        calls = t.ask("-m", t.point(address, "anthropic"), "--no-save", "--json", "Edit.").json()["calls"]
    expect(calls[-1]["type"] == "changed" and calls[-1]["files"] == ["a.c", "b.c"], calls)


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
