#!/usr/bin/env python3
"""Long conversations: no limit is passed, the newest files are kept, and every file that made room says so.

    test_window.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. Cases that need a worker
which is not built here are left out, and said to be.
"""
import base64
import hashlib
import json
import re
import os
import random
import struct
import sys
import zlib

import test_read
from test_cli import chunk, expect, png
from test_read import pdf

CASES = []
TURNS = 45


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def screenshot(seed):
    """2560 x 1440 pixels in some 900 KB: a flat surface, and a quarter of it noise."""
    source = random.Random(seed)
    noise = source.randbytes(700 * 1280)
    rows = []
    for y in range(1440):
        row = bytearray(2560)
        if y < 700:
            row[:1280] = noise[y * 1280:(y + 1) * 1280]
        rows.append(b"\0" + bytes(row))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2560, 1440, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b""))


def marathon(turns, blocks):
    messages = [{"role": "user", "content": "Watch the screen."}]
    for i in range(turns):
        call = {"type": "tool_call", "id": f"c{i}", "name": "look", "arguments": {}}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "name": "look", "output": f"screen {i}",
                         "content_blocks": [blocks[i % len(blocks)]]})
    return json.dumps({"refract": 1, "messages": messages}).encode()


def shots(t):
    return [{"type": "image", "source_path": t.write(f"shot{n}.png", screenshot(n)), "id": f"shot{n}"}
            for n in range(3)]


def held(t, model, most_images, most_bytes):
    """The marathon at one endpoint: within its limits, and the newest kept. Returns the report."""
    body, report = t.encode(marathon(TURNS, shots(t)), model=model)
    sent = [e for e in report if e["delivery"] in ("native", "fallback")]
    notes = [e for e in report if e["delivery"] == "omitted"]
    expect(len(report) == TURNS and len(sent) + len(notes) == TURNS, [e["delivery"] for e in report])
    expect(len(sent) <= most_images, f"{len(sent)} pictures")
    expect(len(json.dumps(body)) <= most_bytes, f"{len(json.dumps(body))} bytes")
    expect(report[-1] in sent and report[-2] in sent, "the newest is not there")
    first = report.index(sent[0])
    expect(all(e in sent for e in report[first:]), "a newer one made room for an older one")
    expect(all(e["limit"] for e in notes), "a note that does not say which limit it was")
    said = json.dumps(body).count("is no longer sent")
    expect(said == len(notes), f"{said} notes for {len(notes)} files")
    return report


@case("45 screenshots at an endpoint with a limit of bytes", "image")
def _(t):
    report = held(t, "anthropic:claude-sonnet-4-5", 100, 32 << 20)
    expect({e["limit"]["name"] for e in report if e["limit"]} == {"max_body_bytes"}, report[0])
    expect(all(max(e["width"], e["height"]) <= 2000 for e in report if e["delivery"] == "native"), "too large")


@case("and with a limit of pictures, of one picture, and of both", "image")
def _(t):
    held(t, "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", 20, 64 << 20)
    held(t, "groq:meta-llama/llama-4-scout", 5, 4 << 20)
    t.write("xdg/refract/config.yaml",
            "models: {four: {provider: openai-compatible, model: x, limits: {max_images: 4}}}\n")
    report = held(t, "four", 4, 64 << 20)
    expect(report[0]["limit"] == {"name": "max_images", "value": 4}, report[0])


def prefixes(t, model, turns, blocks):
    """How often what was sent before changed, over so many turns."""
    changes, count, last = 0, 0, None
    for n in range(1, turns + 1):
        body, _ = t.encode(marathon(n, blocks), "--as-is", model=model)
        parts = [json.dumps(m) for m in body["messages"]]
        changes += last is not None and digest(parts[:count]) != last
        count, last = len(parts), digest(parts)
    return changes


def digest(parts):
    return hashlib.sha256("".join(parts).encode()).digest()


@case("between two batches what was sent before is the same, over 200 turns")
def _(t):
    blocks = [{"type": "image", "id": "a", "data": base64.b64encode(png()).decode()}]
    changes = prefixes(t, "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200, blocks)
    expect(25 <= changes <= 45, f"{changes} changes")


@case("of twenty pages those reach a model with a small window that fit, with the hint how to go on", "pdf")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {small: {provider: anthropic, model: claude-x, "
            "limits: {context_tokens: 32000}}}\n")
    book = [b"Page %d. " % n + b"word " * 200 for n in range(1, 48)]
    found = t.good("read", "--json", t.write("book.pdf", pdf(book))).json()
    call = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {}}
    document = json.dumps({"refract": 1, "messages": [
        {"role": "user", "content": "Read."}, {"role": "assistant", "content": [call]},
        {"role": "tool", "tool_call_id": "c1", **found}]}).encode()
    body, report = t.encode(document, model="small")
    expect(report[0]["delivery"] in ("native", "text"), report)
    expect("page_start=" in json.dumps(body["messages"][2]), body["messages"][2])
    expect(report[0]["limit"]["name"] == "context_tokens", report)
    if report[0]["delivery"] == "native":
        said = json.dumps(body["messages"][2]["content"], ensure_ascii=False)
        last = int(re.search(r"\[Pages 1-(\d+) of 47 of", said)[1])
        expect(8 < last < 20 and report[0]["lost"] == [f"pages {last + 1}-20"], said[:500])
        expect(f": pages {last + 1}-20 (context_tokens: " in said, said[:500])


@case("results make room, then exchanges, and both say so")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {small: {provider: openai-compatible, model: x, "
            "limits: {context_tokens: 20000}}}\n")
    messages = [{"role": "user", "content": "Go."}]
    for i in range(12):
        call = {"type": "tool_call", "id": f"c{i}", "name": "look", "arguments": {}}
        messages += [{"role": "assistant", "content": [call]},
                     {"role": "tool", "tool_call_id": f"c{i}", "name": "look", "output": "that " * 4000}]
    body, _ = t.encode(json.dumps({"refract": 1, "messages": messages}).encode(), model="small")
    text = json.dumps(body)
    expect("was left out to fit what this model takes at once" in text, text[:500])
    expect(text.count("that ") < 20000 and text.count("that ") >= 8000, text.count("that "))
    calls = [c["id"] for m in body["messages"] for c in m.get("tool_calls") or []]
    answers = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
    expect(calls == answers and calls[-1] == "c11", calls)


def results_of_text(count, words):
    """Exchanges with nothing but text."""
    messages = [{"role": "user", "content": "Go."}]
    for i in range(count):
        call = {"type": "tool_call", "id": f"c{i}", "name": "look", "arguments": {}}
        messages += [{"role": "assistant", "content": [call]},
                     {"role": "tool", "tool_call_id": f"c{i}", "name": "look", "output": "word " * words}]
    return json.dumps({"refract": 1, "messages": messages}).encode()


@case("the person is told what made room, as the model is")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {small: {provider: openai-compatible, model: x, "
            "limits: {context_tokens: 4000}}}\n")
    pasted = json.dumps({"refract": 1, "messages": [{"role": "user", "content": "word " * 9000}]}).encode()
    front = "note: to fit what openai-compatible:x takes at once: "
    for document, words in ((pasted, "1 text was cut"), (results_of_text(20, 600), "messages were left out")):
        done = t.good("encode", "-m", "small", t.write("talk.json", document))
        line = next((l for l in done.err.splitlines() if l.startswith(front)), "")
        expect(words in line, done.err)
    few = t.good("encode", "-m", "small", t.write("talk.json", results_of_text(2, 9)))
    expect("to fit" not in few.err, few.err)


@case("text alone is checked against the bytes of a request, where no window is known")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {small: {provider: openai-compatible, model: x, "
            "limits: {max_body_bytes: 100000}}}\n")
    body, _ = t.encode(results_of_text(20, 2000), model="small")
    text = json.dumps(body)
    expect(len(text) <= 100000, len(text))
    expect("was left out to fit what this model takes at once" in text, text[:500])
    expect(text.count("word ") >= 4000, text.count("word "))


@case("a text file that is too long is sent by its beginning")
def _(t):
    t.write("xdg/refract/config.yaml", "models: {small: {provider: openai-compatible, model: x, "
            "limits: {context_tokens: 20000}}}\n")
    t.write("long.log", b"".join(b"%d: something happened\n" % n for n in range(20000)))
    document = json.dumps({"refract": 1, "messages": [{"role": "user", "content": [
        {"type": "text", "text": "What happened?"},
        {"type": "document", "source_path": "long.log"}]}]}).encode()
    body, report = t.encode(document, model="small")
    text = json.dumps(body)
    expect(report[0]["delivery"] == "text" and report[0]["limit"]["name"] == "context_tokens", report)
    expect("Its first " in text and "200: something happened" in text, text[:500])
    expect("20000: something" not in text, "all of it was sent")
    picture = base64.b64encode(screenshot(1)[:60000])
    t.write("long.log", b"1: it looked so\n" + picture + b"\n2: and so on\n" * 20000)
    body, _ = t.encode(document, model="small")
    text = json.dumps(body)
    expect("it looked so" in text and "(base64 left out)" in text, text[:500])
    expect(picture[3000:3060].decode() not in text, "base64 as text")


@case("a summary carries notes for all files")
def _(t):
    blocks = [{"type": "image", "id": "a", "data": base64.b64encode(png()).decode()}]
    body, report = t.encode(marathon(2, blocks), "--no-media", model="anthropic:claude-sonnet-4-5")
    expect([e["delivery"] for e in report] == ["omitted", "omitted"], report)
    expect(json.dumps(body).count("was not sent: this request carries no files") == 2, body)


if __name__ == "__main__":
    sys.exit(test_read.run_cases(os.path.abspath(sys.argv[1]), CASES))
