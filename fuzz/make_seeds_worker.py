#!/usr/bin/env python3
"""Write the seeds of fuzz_worker: answers of workers, some of them wrong.

They go to corpus/worker/ beside this file, under their own names; other files there are kept."""
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "corpus" / "worker"
READY, FACT, PART, TEXT, BYTES, NOTE, STEP, FAIL, DONE = range(2, 11)


def frame(kind, payload=b"", length=None):
    return struct.pack("=II", kind, len(payload) if length is None else length) + payload


GOOD = (frame(READY) + frame(FACT, b"pages=2") + frame(TEXT, "für".encode())
        + frame(PART, b"kind=text\npage=1\n") + frame(TEXT, b"one") + frame(TEXT, b" two")
        + frame(PART, b"kind=image\npage=2\nmime=image/png\n") + frame(BYTES, b"\x89PNG" * 9)
        + frame(NOTE, b"page 2 has no text") + frame(STEP, b"2/2"))

SEEDS = {
    "good": GOOD + frame(DONE),
    "cut": GOOD[:-3],
    "behind_the_end": GOOD + frame(DONE) + frame(DONE),
    "encrypted": frame(READY) + frame(FAIL, b"encrypted\nit is\nPass the password.\n"),
    "no_start": frame(FAIL, b"config\nno data\n\n"),
    "not_utf8": frame(READY) + frame(TEXT, b"\xff") + frame(DONE),
    "bytes_without_part": frame(READY) + frame(BYTES, b"x") + frame(DONE),
    "too_long": frame(READY) + frame(FACT, b"a=b", 1 << 20),
    "not_ready": frame(FACT, b"a=b"),
    "empty_text": frame(READY) + frame(PART, b"a=b\n") + frame(TEXT) + frame(DONE),
    "controls": frame(READY, b"nothing") + frame(FACT, b"a=\x1b[31m\xc2\x9b") + frame(DONE),
}

FOLDER.mkdir(parents=True, exist_ok=True)
for name, data in SEEDS.items():
    (FOLDER / name).write_bytes(b"\x07" + data)
