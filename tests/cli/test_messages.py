#!/usr/bin/env python3
"""What is said to people, in the words that it is said in: each case is a message that once was wrong.

    test_messages.py PATH-OF-REFRACT [PART-OF-A-NAME]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import io
import json
import re
import socket
import sys
import zipfile

from test_ask import run_cases
from test_cli import expect
from test_mistakes import Mistaken
from test_read import pdf

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


HELD = []


def closed_port():
    """One that nothing listens on, and nobody can take."""
    HELD.append(socket.socket())
    HELD[-1].bind(("127.0.0.1", 0))
    return HELD[-1].getsockname()[1]


# doctor


def provider(t, name):
    """What doctor says of one: how it is, and why."""
    found = [json.loads(line) for line in t.run("doctor", "--json").out.splitlines()]
    (one,) = [f for f in found if f["area"] == "provider" and f["name"] == name]
    return one["health"], one["what"]


@case("doctor does not call a server good that is not there")
def _(t):
    port = closed_port()
    t.env["OLLAMA_HOST"] = f"127.0.0.1:{port}"
    health, what = provider(t, "ollama")
    expect(health == "partly" and what.startswith(f"needs no key; could not reach 127.0.0.1:{port}: "), what)
    done = t.run("doctor", "-m", "ollama:x", "--json")
    expect(done.status == 8, done.status)


@case("doctor says that a server without a key answers")
def _(t):
    with t.simulator() as address:
        t.point(address, "ollama")
        expect(provider(t, "ollama") == ("good", f"needs no key; {address}/ollama answers"), provider(t, "ollama"))


@case("doctor lists all that is wrong in the configuration, and what works without it")
def _(t):
    t.write("xdg/refract/config.yaml", "limits: {pages: lots, pagse: 3}\nfetch: perhaps\n")
    done = t.run("doctor", "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    wrong = [f["what"].partition("config.yaml")[2] for f in found if f["area"] == "config"]
    expect(done.status == 8 and wrong == [':1: limit "pages": expected a number from 1 to 10000',
                                          ':1: there is no limit "pagse"',
                                          ':2: "fetch": expected true or false'], wrong)
    expect(any(f["area"] == "worker" for f in found), found)


# Parts


def sheets(name):
    """A spreadsheet with one sheet."""
    main = "http://schemas.openxmlformats.org"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("[Content_Types].xml", f'<Types xmlns="{main}/package/2006/content-types"/>')
        z.writestr("xl/workbook.xml",
                   f'<workbook xmlns="{main}/spreadsheetml/2006/main" '
                   f'xmlns:r="{main}/officeDocument/2006/relationships"><sheets><sheet name="{name}" sheetId="1" '
                   'r:id="r1"/></sheets></workbook>')
        z.writestr("xl/_rels/workbook.xml.rels",
                   f'<Relationships xmlns="{main}/package/2006/relationships"><Relationship Id="r1" '
                   f'Type="{main}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
                   '</Relationships>')
        z.writestr("xl/worksheets/sheet1.xml",
                   f'<worksheet xmlns="{main}/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><v>1</v></c>'
                   '</row></sheetData></worksheet>')
    return out.getvalue()


@case("a part that a file does not have is named once, as people call it")
def _(t):
    t.write("book.xlsx", sheets("Q3"))
    t.write("a.py", "def f(): pass\n")
    for part, words in (("book.xlsx#sheet=Nope", 'refract: book.xlsx: there is no sheet "Nope"; there are "Q3"'),
                        ("a.py#p=3", "refract: a.py: a Python file has no pages (#p)"),
                        ("a.py#sheet=x", "refract: a.py: a Python file has no sheets (#sheet)"),
                        ("plan.png#t=1-2", "refract: plan.png: a PNG file has no seconds (#t)")):
        for args in (["read", part], ["ask", "-m", "offline", "-a", part, "What?"]):
            done = t.run(*args)
            expect(done.status == 2 and done.err.splitlines()[0] == words, done.err)


@case("a part that names nothing says which parts there are, and a line how many")
def _(t):
    t.write("book.xlsx", sheets("Q3"))
    t.write("a.py", "def f():\n    pass\n")
    for part, words in (("book.xlsx#Sheet1", ['refract: book.xlsx: there is no sheet "Sheet1"; there are "Q3"']),
                        ("book.xlsx#zz=1", ['refract: book.xlsx: "#zz=1" names no part of a file', "#sheet=Q3."]),
                        ("a.py#L9-12", ["refract: a.py: line 9 is past the end: there are 2 lines"])):
        for args in (["read", part], ["ask", "-m", "offline", "-a", part, "What?"]):
            done = t.run(*args)
            expect(done.status == 2 and all(word in done.err for word in words), done.err)
    expect(t.good("read", "book.xlsx#q3").out == t.good("read", "book.xlsx#sheet=Q3").out, "a sheet by its name alone")


# What is no file


@case("a person is not told to read a folder, and who fetches an address is said")
def _(t):
    for args in (["view"], ["read"], ["deliveries"], ["ask", "-m", "offline", "What?", "-a"]):
        done = t.run(*args, "nope.png")
        expect(done.status == 6 and done.err == "refract: nope.png: there is no such file\n", done.err)
        address = "ftp://127.0.0.1/a.png" if "-a" in args else "https://127.0.0.1/a.png"
        done = t.run(*args, address)
        expect(done.status == 6 and done.err == "refract: a.png: it is an address, which is not fetched here\n"
               "hint: Only a question (ask -a) and a chat fetch addresses, and only those that begin with https:// or "
               "http://.\n", done.err)
    t.write("docs/a.txt", "words\n")
    expect(t.run("view", "docs").err == "refract: docs: it is a folder\n", t.run("view", "docs").err)
    for name in "docs", "docs/", f"{t.folder}/docs":
        done = t.good("deliveries", "-m", "openai:gpt-4o", name)
        expect(b"\n  docs/ (a listing)  native" in done.out, done.out)


# Facts


@case("a limit that is not known does not read as none allowed")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {mine: {provider: ollama, model: x, limits: {max_documents: 0}}}\n")
    facts = t.good("models", "mine").out.decode()
    lines = {line.split()[0]: line.split("  ")[1:] for line in facts.splitlines() if line}
    value = {name: next(word.strip() for word in words if word.strip()) for name, words in lines.items() if words}
    expect(value["max_images"] == "not known" and value["max_documents"] == "no limit", facts)
    expect(t.good("models", "mine", "--json").json()["facts"]["max_images"]["value"] == 0, "for a program it is 0")


# Requests


@case("a request on a terminal does not drown in base64, and is whole in a pipe")
def _(t):
    args = ["ask", "-n", "-m", "anthropic:claude-sonnet-5", "-a", "plan.png", "What?"]
    whole = t.good(*args).out.decode()
    data = json.loads(whole)["messages"][0]["content"][0]["source"]["data"]
    _, shown = Mistaken.on_terminal(t, *args)
    expect(f'"data":"{data[:48]}...({len(data) - 48} more)"' in shown.replace("\n", ""), shown[:2000])
    expect(data not in shown.replace("\n", "") and len(shown) < len(whole), len(shown))


# A server that is not there


@case("a server that is not there is told of once, and leaves no session")
def _(t):
    port = closed_port()
    t.env.update(ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=f"http://127.0.0.1:{port}")
    done = t.ask("-m", "anthropic:claude-sonnet-5", "Hello", status=4)
    why = f"could not reach 127.0.0.1:{port}: Failed to connect to 127.0.0.1 port {port}: "
    first, second, hint = done.err.splitlines()
    expect(re.match(r"note: waiting \d\.\d s: " + re.escape(why), first) and second.startswith("refract: " + why),
           done.err)
    expect(hint == "hint: Check the address and that the server runs." and not t.sessions(), done.err)


@case("a chat with a server that is not there leaves no session either, and one that was answered does")
def _(t):
    t.env.update(ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=f"http://127.0.0.1:{closed_port()}")
    t.run("chat", "-m", "anthropic:claude-sonnet-5", given=b"Hello\n")
    expect(not t.sessions(), t.sessions())
    t.run("chat", "-m", "anthropic:claude-sonnet-5", given=b"Hello\n/model offline\nHello\n")
    expect(len(t.sessions()) == 1, t.sessions())


@case("a session that was there stays, whoever is not")
def _(t):
    t.ask("-m", "offline", "Hello")
    t.env.update(ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=f"http://127.0.0.1:{closed_port()}")
    t.ask("-c", "-m", "anthropic:claude-sonnet-5", "Go on", status=4)
    expect([s["messages"] for s in t.sessions()] == [3], t.sessions())


# Names


@case("what is piped in has one ending, which is that of its bytes")
def _(t):
    t.env.update(OPENAI_API_KEY="x")
    for given, name in ((b'{"a": 1}', "stdin.json"), (b"A line.\n", "stdin.txt"), (pdf([b"A page."]), "stdin.pdf")):
        done = t.ask("-n", "-m", "openai:gpt-5.4-mini", "-a", "-", "What?", given=given)
        (file,) = [part for part in done.json()["input"][0]["content"] if part["type"] == "input_file"]
        expect(file["filename"] == name and done.err.startswith("+ stdin "), f"{file['filename']}: {done.err}")


# Options


@case("an option of another command is named as that")
def _(t):
    for given in ("--max-tokens", "--max-output=5", "--schema"):
        done = t.bad(2, 'unknown option "' + given.split("=")[0], "chat", given, "5")
        expect('It is an option of "refract ask".' in done.err, done.err)


@case("--max-tokens that an answer goes over says what limits an answer")
def _(t):
    done = t.ask("-m", "offline", "--no-save", "--max-tokens", "5", "Hello")
    expect(done.err.splitlines()[-1].startswith("note: this took 12 tokens: --max-tokens ends calls"), done.err)
    expect("--max-output N does" in done.err, done.err)
    for more in ["--max-tokens", "5000"], ["--max-tokens", "5", "-q"]:
        expect("note:" not in t.ask("-m", "offline", "--no-save", *more, "Hello").err, more)


@case("--allow of a tool that there is not says which there are")
def _(t):
    t.write("xdg/refract/config.yaml", "tools: {build: {command: [make], description: Build it.}}\n")
    for run in (lambda *args: t.ask("-m", "offline", *args, "Hello"),
                lambda *args: t.good("chat", "-m", "offline", *args, given=b"Hello\n")):
        notes = [line for line in run("--allow", "biuld", "--allow", "build", "--allow", "fetch:example.org",
                                      "--allow", "read_file").err.splitlines() if line.startswith("note:")]
        expect(len(notes) == 1 and notes[0].startswith("note: --allow biuld: there is no tool of that name; there are "
                                                       "build, read_file, "), notes)


@case("what is not kept is not said to be")
def _(t):
    script = "replies:\n  - {calls: [{name: read_file, arguments: {file_path: plan.png}}], times: 0}\n"
    with t.simulator(script=script) as address:
        t.point(address, "anthropic")
        for more, hint in ([], "hint: All of it is kept: ask on, or raise the limit."), \
                          (["--no-save"], "hint: Raise the limit."):
            done = t.ask("-m", "anthropic:claude-sonnet-5", *more, "--max-rounds", "1", "Hello", status=5)
            expect(done.err.splitlines()[-1] == hint, done.err)


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
