#!/usr/bin/env python3
"""refract tokens: what is counted, and how it is told.

    test_tokens.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import json
import os
import pathlib
import sys

import test_cli
from test_cli import expect, png

MODEL = "anthropic:claude-sonnet-4-5"
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def talk(*messages, **more):
    return json.dumps({"refract": 1, **more, "messages": list(messages)}).encode()


def user(*content):
    return {"role": "user", "content": list(content)}


def text(words):
    return {"type": "text", "text": words}


def picture(width, height):
    data = base64.b64encode(png(width, height)).decode()
    return {"type": "image", "media_type": "image/png", "data": data}


def count(t, document, *args, model=MODEL):
    return t.good("tokens", "-m", model, "--json", *args, given=document).json()


@case("the parts add up to the estimate, and without reports that is the total")
def adds_up(t):
    tool = {"name": "look", "description": "Look at it.", "input_schema": {"type": "object"}}
    got = count(t, talk(user(text("Hello there."), picture(56, 56)), system="Be brief.", tools=[tool]))
    parts = sum(m["text"] + m["media"] for m in got["messages"])
    expect(got["estimate"] == parts + got["system"] + got["tools"] + got["request"], got)
    expect(got["total"] == got["estimate"], got)
    expect(all(got[part] > 0 for part in ("system", "tools", "request", "context", "reserve")), got)
    expect(got["messages"][0]["media"] == 4 and got["messages"][0]["files"] == 1, got)


@case("base64 that hides in a text is counted as the picture that is sent")
def hidden(t):
    data = "data:image/png;base64," + base64.b64encode(png(280, 280) + b"\0" * 3000).decode()
    call = {"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}
    got = count(t, talk(user(text("Look.")), {"role": "assistant", "content": [call]},
                        {"role": "tool", "tool_call_id": "c1", "output": "Here: " + data}))
    expect([m["role"] for m in got["messages"]] == ["user", "assistant", "tool"], got)
    expect(got["messages"][2]["media"] == 100 and got["messages"][2]["text"] < 100, got)


@case("a file that a model does not take is counted as the note that it gets")
def note(t):
    got = count(t, talk(user(picture(1000, 1000))), "--as-is", model="ollama:llama3.1")
    expect(got["messages"][0]["media"] == 0 and 0 < got["messages"][0]["text"] < 200, got)
    expect(got["context"] == 0, got)


@case("a text file that is written out is read")
def text_file(t):
    t.write("notes.txt", "to the " * 500)
    block = {"type": "document", "media_type": "text/plain", "source_path": "notes.txt"}
    got = count(t, talk(user(block)), model="openai-chat:gpt-4o")
    expect(1000 <= got["messages"][0]["media"] <= 1100, got)


@case("pages by their number, and better by their text")
def pages(t):
    t.write("a.pdf", b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n")
    block = {"type": "document", "media_type": "application/pdf", "source_path": "a.pdf", "page_count": 3}
    plain = count(t, talk(user(block)), "--as-is")["messages"][0]["media"]
    known = count(t, talk(user({**block, "extracted_text": "to the " * 50})), "--as-is")["messages"][0]["media"]
    expect(plain == 6000 and known == 3 * 1585 + 100, (plain, known))


@case("the configuration may set what things cost")
def configured(t):
    before = count(t, talk(user(text("to the " * 50))))["estimate"]
    t.write("xdg/refract/config.yaml",
            f'models:\n  "{MODEL}":\n    capabilities:\n      text_percent: 200\n      message_tokens: 50\n')
    after = count(t, talk(user(text("to the " * 50))))["estimate"]
    expect(after == before + 100 + 50 - 3, (before, after))


FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
COUNTERS = (MODEL, "bedrock:us.amazon.nova-2-lite-v1:0", "google:gemini-3-pro-preview", "openai:gpt-5-mini",
            "openai-chat:gpt-4o", "groq:llama-3.3-70b-versatile", "mistral:mistral-medium-latest", "ollama:llava:13b")


@case("what the report says of each file adds up to what the messages hold of files")
def report_adds_up(t):
    t.write("notes.txt", "to the point\n" * 300)
    for name in ("red.png", "report.pdf", "letter.docx", "tone.wav", "clip.mp4"):
        t.write(name, (FIXTURES / name).read_bytes())
    files = [{"type": kind, "source_path": name} for kind, name in (
        ("image", "red.png"), ("document", "report.pdf"), ("document", "letter.docx"), ("audio", "tone.wav"),
        ("video", "clip.mp4"), ("document", "notes.txt"))]
    call = {"type": "tool_call", "id": "c1", "name": "read", "arguments": {}}
    document = talk(user(text("Look."), *files), {"role": "assistant", "content": [call]},
                    {"role": "tool", "tool_call_id": "c1", "name": "read", "content_blocks": files})
    for model in COUNTERS:
        done = t.good("encode", "-m", model, "--explain", given=document)
        words = {"text", "recognised_text", "transcript", "note"}  # they are among the text of the messages
        told = sum(entry["tokens"] for entry in done.report() if entry["form"] not in words)
        got = count(t, document, model=model)
        held = sum(m["media"] for m in got["messages"])
        expect(told == held, f"{model}: {told} in the report, {held} in the messages")
        parts = held + sum(m["text"] for m in got["messages"]) + got["system"] + got["tools"] + got["request"]
        expect(parts == got["estimate"], got)


@case("for a person it is a line a message, then the total and the window")
def lines(t):
    out = t.good("tokens", "-m", MODEL, given=talk(user(text("Hello."), picture(56, 56)))).out.decode()
    rows = [line.split() for line in out.splitlines()]
    expect(rows[1][:2] == ["1", "user"] and rows[1][3:] == ["4", "of", "them", "in", "1", "file"], out)
    expect([row[0] for row in rows[2:]] == ["total", "answer", "window", "verdict:"], out)
    expect(out.endswith("verdict: it fits: 0% of the window\n"), out)


@case("a request of an API is counted as it is")
def imported(t):
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello there."}]}).encode()
    got = count(t, body, "--from", "openai-chat", model="openai-chat:gpt-4o")
    expect(8 <= got["total"] <= 12, got)


@case("failures are told as elsewhere")
def failures(t):
    t.bad(2, "which model", "tokens", given=b"{}")
    t.bad(6, "nothing.json", "tokens", "-m", MODEL, "nothing.json")
    done = t.run("tokens", "-m", MODEL, "--json", given=b"{")
    expect(done.status == 6 and json.loads(done.out)["error"]["exit"] == 6, done.out)


if __name__ == "__main__":
    test_cli.CASES[:] = CASES
    sys.exit(test_cli.main(os.path.abspath(sys.argv[1])))
