#!/usr/bin/env python3
"""`--strict`: what it refuses, what passes, and what it says; and the words for what was made where it is not given.

    test_strict.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. Cases that need a worker which is
not built here are left out, and said to be.
"""
import json
import os
import subprocess
import sys

import test_read
from test_cli import expect, png
from test_made import ANTHROPIC, BLIND, BOOK, CHAT, GROQ, asked, bmp
from test_read import FIXTURES, pdf

GEMINI = "google:gemini-2.5-pro"
CASES = []


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def given(t, name):
    """A file of the fixtures, or one that is made here."""
    made = {"wide.png": lambda: png(3000, 40), "old.bmp": lambda: bmp(300, 200), "book.pdf": lambda: pdf(BOOK),
            "long.pdf": lambda: pdf(BOOK * 3), "half.png": lambda: png(640, 480)[:-400]}
    t.write(name, made[name]() if name in made else (FIXTURES / name).read_bytes())


# file, part of it, model, worker, what is said
REFUSED = [
    ("a film", "clip.mp4", "", ANTHROPIC, "av", "google:gemini-3.5-flash takes it. Without strict mode some of its frames"),
    ("pages as pictures", "book.pdf", "#p=1-3", GROQ, "pdf",
     "anthropic:claude-sonnet-5 takes it. Without strict mode pictures of its pages are sent"),
    ("text for a PDF", "book.pdf", "", BLIND, "pdf", "anthropic:claude-sonnet-5 takes it. Without strict mode its text"),
    ("text for an office file", "letter.docx", "", ANTHROPIC, "office", "openai:gpt-5.4-mini takes it. Without"),
    ("fewer pages", "long.pdf", "", ANTHROPIC, "pdf", "would be lost"),
    ("a picture as words", "wide.png", "", BLIND, "ocr", "anthropic:claude-sonnet-5 takes it"),
    ("sound", "tone.wav", "", ANTHROPIC, "av", "google:gemini-3.5-flash takes it. Without strict mode a note"),
    ("a damaged picture", "half.png", "", ANTHROPIC, "image", "part of it"),
]


def refused(name, part, model, said):
    def check(t):
        given(t, name)
        done = t.bad(3, said, "ask", "-n", "--strict", "-m", model, "-a", name + part, "What is it?")
        expect(done.err.startswith(f'refract: "{name}" (') and f"cannot be sent to {model} as it is: " in done.err,
               done.err)
        expect("hint: This model takes " in done.err, done.err)
        t.good("ask", "-n", "-m", model, "-a", name + part, "What is it?")
    return check


for _name, _file, _part, _model, _worker, _said in REFUSED:
    CASES.append((f"refused: {_name}", (_worker,), refused(_file, _part, _model, _said)))

PASSES = [
    ("a picture that is made smaller", "wide.png", "", ANTHROPIC, "image"),
    ("a picture of another type", "old.bmp", "", ANTHROPIC, "image"),
    ("the pages that were named", "book.pdf", "#p=1-3", ANTHROPIC, "pdf"),
    ("a text file", "notes.txt", "", CHAT, "image"),
    ("a film where it is taken", "clip.mp4", "", GEMINI, "av"),
]


def passes(name, part, model):
    def check(t):
        given(t, name)
        done = t.good("ask", "-n", "--strict", "-m", model, "-a", name + part, "What is it?")
        expect(done.err.startswith(f"+ {name}"), done.err)
    return check


for _name, _file, _part, _model, _worker in PASSES:
    CASES.append((f"passes: {_name}", (_worker,), passes(_file, _part, _model)))


@case("it is refused before a worker is asked")
def _(t):
    given(t, "clip.mp4")
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")
    t.bad(3, "clip.mp4", "ask", "-n", "--strict", "-m", "offline", "-a", "clip.mp4", "What is it?")


@case("a question that is refused is not kept", "av")
def _(t):
    given(t, "clip.mp4")
    t.bad(3, "clip.mp4", "ask", "--strict", "-m", "offline", "-a", "clip.mp4", "What is it?")
    expect(not t.good("sessions", "list", "--json").out, "it was kept")
    t.good("ask", "-m", "offline", "-a", "clip.mp4", "What is it?")
    expect(t.good("sessions", "list", "--json").out, "it was not kept")


@case("programs get the place, people the file", "av")
def _(t):
    given(t, "clip.mp4")
    done = t.run("ask", "-n", "--strict", "--json", "-m", ANTHROPIC, "-a", "clip.mp4", "What is it?")
    error = done.json()["error"]
    expect((done.status, error["exit"], error["code"]) == (3, 3, "unsupported"), error)
    expect(error["path"] == "messages[0].content[0]" and error["message"].startswith('"clip.mp4" (video/mp4)'), error)
    document = asked(t, "clip.mp4")
    done = t.bad(3, "messages[2].content_blocks[0]: \"clip.mp4\"", "encode", "--strict", "-m", CHAT, given=document)
    expect("bedrock:us.amazon.nova-pro-v1:0 takes it." in done.err, done.err)


@case("as it is or not", "image")
def _(t):
    given(t, "old.bmp")
    block = {"type": "image", "source_path": "old.bmp"}
    document = json.dumps({"refract": 1, "messages": [{"role": "user", "content": [block]}]}).encode()
    t.good("encode", "--strict", "-m", ANTHROPIC, given=document)
    t.bad(3, "BMP image", "encode", "--strict", "--as-is", "-m", ANTHROPIC, given=document)


@case("a chat refuses too, and keeps nothing of it", "av")
def _(t):
    given(t, "clip.mp4")
    done = subprocess.run([t.program, "chat", "--strict", "-m", "offline"], input=b"/attach clip.mp4\nWhat is it?\n",
                          capture_output=True, cwd=t.folder, env=t.env, check=False)
    expect(b'"clip.mp4" (MP4 video) cannot be sent to offline:offline as it is' in done.stderr, done.stderr)
    expect(done.returncode == 3 and not t.good("sessions", "list", "--json").out, done.returncode)


@case("what a tool brings is refused in the middle of a turn", "av")
def _(t):
    given(t, "clip.mp4")
    done = t.run("ask", "--strict", "-m", "offline", "What is in @clip.mp4?")
    expect(done.status == 3 and 'refract: "clip.mp4" (MP4 video)' in done.err, done.err)


@case("tokens say which pages made room", "pdf")
def _(t):
    given(t, "long.pdf")
    block = {"type": "document", "source_path": "long.pdf"}
    t.write("c.json", json.dumps({"refract": 1, "messages": [{"role": "user", "content": [block]}]}))
    shown = t.good("tokens", "-m", ANTHROPIC, "c.json").out.decode()
    expect("  long.pdf: fewer pages; lost: pages 101-141 (max_pdf_pages: 100)\n" in shown, shown)


@case("an entry tells form, loss and place, and a session remembers them", "av")
def _(t):
    given(t, "clip.mp4")
    done = t.good("ask", "--json", "-m", "offline", "-a", "clip.mp4", "What is it?")
    (entry,) = [f["file"] for f in done.json()["files"]]
    expect((entry["form"], entry["place"], entry["delivery"]) == ("frames", "messages[0].content[0]", "native"), entry)
    expect(entry["lost"] and entry["lost"][0].startswith("all but "), entry)
    (kept,) = [json.loads(line) for line in t.good("sessions", "media", "last", "--json").out.splitlines()]
    expect((kept["form"], kept["lost"]) == (entry["form"], entry["lost"]), kept)
    shown = t.good("sessions", "media", "last").out.decode()
    expect("converted to frames as JPEG image x " in shown and f"; lost: {entry['lost'][0]}" in shown, shown)
    expect("native" not in shown, shown)
    again = t.good("ask", "--json", "-c", "-m", "offline", "And?")
    expect(again.json()["files"] == [], "it was told again")


if __name__ == "__main__":
    sys.exit(test_read.run_cases(os.path.abspath(sys.argv[1]), CASES))
