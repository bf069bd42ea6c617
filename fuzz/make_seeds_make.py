#!/usr/bin/env python3
"""Write the seeds of fuzz_make: calls of constructors as the target reads them from its input.

They go to corpus/make/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "make"
SAID, ASKED, RESULT = 0, 1, 2
TEXTS = ["bytes", "base64", "path", "url", "file_id", "blob", "id", "name", "provider", "media_type",
         "detail", "extracted_text", "transcript"]
NUMBERS = ["size_bytes", "width", "height", "page_count", "first", "end", "duration_ms"]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
NOWHERE = b"\xff"
BLOB = "sha256:" + "0f" * 32


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return bytes([len(s)]) + s


def add(where, what, *rest):
    return bytes([1, where, 0, 0]) + b"ge" + bytes([what]) + b"".join(rest)


def file(where, kind=0, **fields):
    out = bytes([0, kind])
    for name, value in fields.items():
        if name in TEXTS:
            out += bytes([TEXTS.index(name)]) + text(value)
        else:
            out += bytes([13 + NUMBERS.index(name), value % 256])
    return add(where, 2, out + bytes([31]))


def call(what, *texts):
    return b"\0" + b"".join(text(t) for t in (*texts, "", "", "")[:3]) + bytes([what])


SEEDS = {
    "result": call(0, "out") + add(RESULT, 0, text("words")) + add(RESULT, 7, text('{"url":"u"}'))
    + add(RESULT, 1, text('{"a":[1]}')) + file(RESULT, bytes=PNG, name="a.png", detail="low")
    + add(RESULT, 6, text("a picture")) + call(2, '{"n":1}') + call(3, "a/b") + call(3, "c\u00e9"),
    "failed": call(1, "no") + file(RESULT, path="shot.png"),
    "sources": file(RESULT, url="https://a.example/b.pdf", first=1, end=4)
    + file(RESULT, 4, file_id="f", provider="openai", blob=BLOB, transcript="la")
    + file(RESULT, base64="iVBORw0KGgo=") + file(RESULT, 5, blob=BLOB, duration_ms=9),
    "conversation": call(4, "Be brief.") + call(5, "look", "Looks.", '{"type":"object"}')
    + call(6) + add(ASKED, 0, text("Hi")) + call(7, "openai", "m")
    + add(SAID, 3, text("hm"), text("s"), text("r"))
    + add(SAID, 4, text("c1"), text("look"), text('{"at":1}')) + add(SAID, 5, text('"x"'))
    + call(0, "seen") + call(8, "c1", "look"),
    "wrong_fields": file(RESULT, bytes=PNG, page_count=3) + file(RESULT, path="a.pdf", first=3, end=2)
    + file(RESULT, path="a\0b") + file(RESULT, bytes=PNG, path="a") + file(RESULT, name="a")
    + file(RESULT, path="a.png", width=200) + file(RESULT, url="x") + file(RESULT, 1, path="a"),
    "wrong_text": add(RESULT, 0, text(b"a\xff")) + add(RESULT, 0, NOWHERE) + add(RESULT, 1, text("[1,"))
    + add(RESULT, 1, text("[" * 200)) + add(RESULT, 3, text("hm")) + add(RESULT, 7, text("{}"))
    + add(RESULT, 0, text("x")) + add(RESULT, 7, text('{"start":"a"}')) + add(SAID, 0, text("x")),
    "wrong_size": bytes([1, RESULT, 255, 254]) + b"ge" + bytes([3]) + text("a") * 3
    + bytes([1, RESULT, 0, 0]) + b"ge" + bytes([2, 253, 0, 31]),
}

FOLDER.mkdir(parents=True, exist_ok=True)
for name, data in SEEDS.items():
    (FOLDER / name).write_bytes(data)
