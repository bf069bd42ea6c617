#!/usr/bin/env python3
"""What becomes of answers: JSON that fits a schema, code, files.

    test_answers.py PATH-OF-REFRACT [PART-OF-A-NAME]

Against the model in the program, `refract sim` and servers that say what a case has them say. Prints a line a case,
then "N passed, N failed"; the status is 1 when one failed.
"""
import contextlib
import http.server
import json
import os
import sys
import threading

from test_ask import KEY, PROVIDERS, case, expect, on_terminal, rows, run_cases, saying, words
from test_cli import MODEL
from test_read import pdf

import test_ask

CASES = test_ask.CASES
CASES.clear()
INVOICE = [b"Invoice 4711 of Example Ltd, due 2026-03-01, total 99.50"]


@contextlib.contextmanager
def server(*replies):
    """A server of Anthropic's API that streams these lists of events one after the other; what it was asked is yielded
    with its address."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in replies[len(asked) - 1]:
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


@rows("on a terminal the person is asked whether a file shall be replaced", [
    ("yes", b"y\n", 0), ("no", b"n\n", 7)])
def _(t, typed, want):
    t.write("answer.md", "mine")
    shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", "-o", "answer.md", "Hello"], typed)
    expect(status == want and "? replace answer.md" in shown, shown)
    expect(((t.folder / "answer.md").read_text() == "mine") == bool(want), shown)


@case("a file that cannot be written loses no answer")
def _(t):
    done, _ = told(t, ["It is 42."], "-o", "nowhere/answer.md", status=6)
    expect("| It is 42." in done.err and "nowhere/answer.md" in done.err, done.err)


@case("a system prompt from a file")
def _(t):
    t.write("prompt.txt", "Be brief.\nBe kind.")
    body = t.ask("-m", MODEL, "-n", "-s", "@prompt.txt", "Hello").json()
    expect("Be brief.\nBe kind." in json.dumps(body["system"], ensure_ascii=False).encode().decode("unicode_escape"), body)
    t.fail(6, "-m", "offline", "-s", "@nowhere.txt", "Hello")


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
