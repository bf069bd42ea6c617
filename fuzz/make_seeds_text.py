#!/usr/bin/env python3
"""Write the seeds of fuzz_text: texts in several encodings, and names of parts.

They go to corpus/text/ beside this file, under their own names; other files there are kept. The
first byte of each chooses pieces and a window."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "text"
WORDS = "Grüße\r\naus der €-Zone 😀\n\nund ein Ende ohne Zeilenvorschub"

SEEDS = {
    "utf8": WORDS.encode(),
    "utf8_mark": b"\xef\xbb\xbf" + WORDS.encode(),
    "utf8_broken": b"a\xffb\xc3\n\xf0\x9f\x98 c\0d\xe2\x82",
    "utf16le_mark": b"\xff\xfe" + WORDS.encode("utf-16le"),
    "utf16be_mark": b"\xfe\xff" + WORDS.encode("utf-16be"),
    "utf16le": "plain\nletters\n".encode("utf-16le"),
    "utf16_broken": b"\xff\xfea\0\x3d\xd8b\0\0\xde\0\0c",
    "windows": "„Grüße“ – 5 €\n".encode("cp1252"),
    "long_line": b"x" * 90 + b"\n" + "ü".encode() * 60 + b"\nend\n",
    "many_lines": b"".join(b"line %d\n" % i for i in range(40)),
    "binary": bytes(range(256)),
    "part_pages": b"p=3-5,8,12-",
    "part_sheet": b"a/b#c.xlsx#sheet=Q3",
    "part_crop": b"xywh=0,0,800,600&source",
    "part_time": b"t=10.5-20.125&pictures",
}

FOLDER.mkdir(parents=True, exist_ok=True)
for number, (name, data) in enumerate(SEEDS.items()):
    (FOLDER / name).write_bytes(bytes([number * 23 % 256]) + data)
