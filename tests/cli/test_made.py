#!/usr/bin/env python3
"""What is made of files for models that do not take them as they are, over files that are made here.

    test_made.py PATH-OF-REFRACT

Each file is read as a model's tool would read it, put into a conversation, and encoded for several
endpoints; what they are sent is taken apart again. Prints a line a case, then "N passed, N failed";
the status is 1 when one failed. Cases that need a worker which is not built here are left out, and said
to be.
"""
import base64
import json
import os
import struct
import sys

import test_read
from test_cli import expect, png
from test_read import FIXTURES, pdf

CASES = []
ANTHROPIC, CHAT = "anthropic:claude-sonnet-4-5", "openai-chat:gpt-4o"
GROQ, VISION, BLIND = "groq:meta-llama/llama-4-scout", "ollama:llava:13b", "ollama:llama3.1"
BOOK = [b"This is page %d of the book." % n for n in range(1, 48)]


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def asked(t, path, *args):
    """A conversation in which a tool read the file."""
    found = t.good("read", "--json", *args, str(path)).json()
    call = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {"file_path": str(path)}}
    return json.dumps({"refract": 1, "messages": [
        {"role": "user", "content": "What does it say?"},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "tool_call_id": "c1", **found}]}).encode()


def encoded(t, document, model, *args):
    """The body, and the report's entry of the one file."""
    body, report = t.encode(document, *args, model=model)
    expect(len(report) == 1, report)
    return body, report[0]


def pages_of(t, data):
    path = t.write("sent.pdf", base64.b64decode(data))
    return t.good("read", "--json", path).json()["content_blocks"][0]["page_count"]


def png_size(data):
    raw = base64.b64decode(data)
    expect(raw.startswith(b"\x89PNG"), raw[:20])
    return struct.unpack(">II", raw[16:24])


def bmp(width, height):
    row = bytes(range(256)) * (width * 3 // 256 + 1)
    stride = (width * 3 + 3) // 4 * 4
    return (b"BM" + struct.pack("<IIIIiiHHIIiiII", 54 + stride * height, 0, 54, 40, width, height, 1, 24,
                                0, stride * height, 2835, 2835, 0, 0) + row[:stride] * height)


def data_of(url):
    return url.split(",", 1)[1]


@case("twenty pages of a long PDF, read once: as a part of it where PDF is taken", "pdf")
def _(t):
    document = asked(t, t.write("book.pdf", pdf(BOOK)))
    body, entry = encoded(t, document, ANTHROPIC)
    content = body["messages"][2]["content"][0]["content"]
    expect(content[0]["text"].startswith("Pages 1-20 of 47. Use page_start=20 to continue."), content)
    expect(pages_of(t, content[-1]["source"]["data"]) == 20, "not the pages that were read")
    expect(entry["delivery"] == "native" and entry["as"] == "application/pdf", entry)
    expect("This is page" not in json.dumps(content[:-1]), "the text besides the pages")
    body, entry = encoded(t, document, CHAT)
    expect(entry["delivery"] == "fallback", entry)
    expect(body["messages"][2]["role"] == "tool" and "Pages 1-20" in body["messages"][2]["content"], body)
    file = [p for p in body["messages"][3]["content"] if p["type"] == "file"]
    expect(len(file) == 1 and pages_of(t, data_of(file[0]["file"]["file_data"])) == 20, file)


@case("as pictures of its pages where only those are taken, as many as are", "pdf")
def _(t):
    document = asked(t, t.write("book.pdf", pdf(BOOK)))
    body, entry = encoded(t, document, GROQ)
    pictures = [p for p in body["messages"][3]["content"] if p["type"] == "image_url"]
    expect(entry["as"] == "image/png x 5 pages" and len(pictures) == 5, entry)
    expect(png_size(data_of(pictures[0]["image_url"]["url"])) == (1275, 1650), "not 150 dpi")
    expect(len(json.dumps(body)) < 4 << 20, "more than the endpoint takes")
    words = [p["text"] for p in body["messages"][3]["content"] if p["type"] == "text"]
    expect('[Page 5 of 47 of "book.pdf" as a picture]' in words, words)
    expect(words[-1] == '[Not sent of "book.pdf": pages 6-20 (max_images: 5). More can be read from '
           'page_start=5 on.]' and entry["lost"] == ["pages 6-20"] and entry["limit"] == {"name": "max_images", "value": 5}, words)
    body, entry = encoded(t, document, VISION)
    message = body["messages"][2]
    expect(len(message["images"]) == 20 and message["content"].count("[img]") == 20, entry)
    expect(entry["delivery"] == "native", entry)


@case("as its text where nothing can be seen", "pdf")
def _(t):
    body, entry = encoded(t, asked(t, t.write("book.pdf", pdf(BOOK))), BLIND)
    content = body["messages"][2]["content"]
    expect(content.startswith("Pages 1-20 of 47. Use page_start=20 to continue."), content[:200])
    expect("--- Page 20 ---\nThis is page 20 of the book." in content and "page 21" not in content, content)
    expect(entry["delivery"] == "text" and "images" not in body["messages"][2], entry)


@case("what the report says that a part takes is what is counted for it", "pdf")
def _(t):
    document = asked(t, t.write("book.pdf", pdf(BOOK)), "--pages", "41-47")
    for model in (ANTHROPIC, "openai:gpt-5-mini"):
        _, entry = encoded(t, document, model)
        counted = t.good("tokens", "-m", model, "--json", given=document).json()
        media = sum(m["media"] for m in counted["messages"])
        expect(entry["tokens"] == media > 0, (model, entry, media))


@case("a later part of it says which pages it is", "pdf")
def _(t):
    document = asked(t, t.write("book.pdf", pdf(BOOK)), "--pages", "41-47")
    body, _ = encoded(t, document, ANTHROPIC)
    content = json.dumps(body["messages"][2]["content"][0]["content"])
    expect("Pages 41-47 of 47" in content, content[:300])


@case("a picture of a type that is not taken is sent as one that is", "image")
def _(t):
    document = asked(t, t.write("old.bmp", bmp(300, 200)))
    body, entry = encoded(t, document, ANTHROPIC)
    sent = [b for b in body["messages"][2]["content"][0]["content"] if b["type"] == "image"][0]["source"]
    expect(entry["as"] == sent["media_type"] in ("image/png", "image/jpeg"), entry)
    expect((entry["width"], entry["height"]) == (300, 200), entry)
    _, entry = encoded(t, document, ANTHROPIC, "--as-is")
    expect(entry["delivery"] == "text", entry)


@case("a picture that is too large is made smaller, and both sizes are said", "image")
def _(t):
    document = asked(t, t.write("wide.png", png(3000, 40)))
    body, entry = encoded(t, document, ANTHROPIC)
    content = body["messages"][2]["content"][0]["content"]
    expect((entry["width"], entry["height"]) == (2000, 26), entry)
    expect(any("3000 x 40 pixels, shown at 2000 x 26" in b.get("text", "") for b in content), content)


@case("a limit of the configuration is kept", "image")
def _(t):
    t.write("xdg/refract/config.yaml", "limits: {picture_side: 500}\n")
    _, entry = encoded(t, asked(t, t.write("wide.png", png(1000, 40))), ANTHROPIC)
    expect((entry["width"], entry["height"]) == (500, 20), entry)


@case("a video becomes frames with their times where only pictures are taken", "av")
def _(t):
    document = asked(t, t.write("clip.mp4", (FIXTURES / "clip.mp4").read_bytes()))
    body, entry = encoded(t, document, ANTHROPIC)
    content = body["messages"][2]["content"][0]["content"]
    frames = [b for b in content if b["type"] == "image"]
    expect(frames and "frame" in entry["as"] and entry["delivery"] == "native", entry)
    expect(any('[Frame at 0:00 of "clip.mp4"]' == b.get("text") for b in content), content)


@case("the text in a picture, where nothing can be seen", "image", "ocr", "pdf")
def _(t):
    body, _ = encoded(t, asked(t, t.write("book.pdf", pdf(BOOK)), "--pages", "7"), VISION)
    path = t.write("scan.png", base64.b64decode(body["messages"][2]["images"][0]))
    document = asked(t, path)
    expect(b"page 7" not in document, "it was recognised before anybody needed it")
    body, entry = encoded(t, document, BLIND)
    expect("This is page 7 of the book." in body["messages"][2]["content"], body["messages"][2])
    expect(entry["delivery"] == "text", entry)


def scanned(picture, count):
    """A PDF of so many pages that are the same PNG: what is packed in one can stand in the other as it is."""
    width, height, bits, colours = struct.unpack(">IIBB", picture[16:26])
    data, at = b"", 8
    while at < len(picture):
        size, kind = struct.unpack(">I4s", picture[at:at + 8])
        data += picture[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    space, n = {0: (b"/DeviceGray", 1), 2: (b"/DeviceRGB", 3)}[colours]
    draw = b"q 612 0 0 792 0 0 cm /I Do Q"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>",
               b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, b" ".join(b"%d 0 R" % (5 + i) for i in range(count))),
               b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace%s/BitsPerComponent %d/Filter/FlateDecode"
               b"/DecodeParms<</Predictor 15/Colors %d/BitsPerComponent %d/Columns %d>>/Length %d>>stream\n%s\nendstream"
               % (width, height, space, bits, n, bits, width, len(data), data),
               b"<</Length %d>>stream\n%s\nendstream" % (len(draw), draw)]
    objects += [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</I 3 0 R>>>>>>"] * count
    return test_read.pdf_of(objects)


@case("scanned pages are recognised, as many as one read does, and said to be", "ocr", "pdf")
def _(t):
    body, _ = encoded(t, asked(t, t.write("book.pdf", pdf(BOOK)), "--pages", "7"), VISION)
    t.write("scan.pdf", scanned(base64.b64decode(body["messages"][2]["images"][0]), 7))
    found = t.good("read", "--json", "--ocr", "scan.pdf").json()
    block = found["content_blocks"][0]
    expect(block["extracted_text"].count("This is page 7 of the book.") == 5, block["extracted_text"])
    expect(50 < block["confidence"] <= 100, block)
    words = f"recognised by OCR, may be wrong; confidence {block['confidence']} %"
    expect(f"--- Page 1 ---\n[Text {words}]\nThis is" in block["extracted_text"], block["extracted_text"])
    expect(block["extracted_text"].count("[a scanned page: its text was not recognised]") == 2, block)
    expect(words in found["output"] and "Of 2 of them no text was recognised" in found["output"], found["output"])


@case("what was made once is taken from the cache, also without the worker", "pdf")
def _(t):
    document = asked(t, t.write("book.pdf", pdf(BOOK)))
    first, _ = encoded(t, document, ANTHROPIC)
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")
    again, entry = encoded(t, document, ANTHROPIC)
    expect(first == again, entry)
    _, entry = encoded(t, document, GROQ)
    expect(entry["delivery"] == "text", entry)


@case("without the worker a request is made all the same")
def _(t):
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")
    path = t.write("old.bmp", bmp(30, 20))
    block = {"type": "image", "source_path": path}
    document = json.dumps({"refract": 1, "messages": [{"role": "user", "content": [block]}]}).encode()
    _, entry = encoded(t, document, ANTHROPIC)
    expect(entry["delivery"] == "text", entry)


@case("strict mode takes what could be made, and refuses words", "image", "pdf")
def _(t):
    document = asked(t, t.write("old.bmp", bmp(300, 200)))
    _, entry = encoded(t, document, ANTHROPIC, "--strict")
    expect(entry["delivery"] == "native", entry)
    document = asked(t, t.write("book.pdf", pdf(BOOK)))
    t.bad(3, "book.pdf", "encode", "-m", BLIND, "--strict", given=document)


if __name__ == "__main__":
    sys.exit(test_read.run_cases(os.path.abspath(sys.argv[1]), CASES))
