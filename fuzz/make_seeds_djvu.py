#!/usr/bin/env python3
"""Write the seeds of fuzz_djvu: pages with text, and one with a picture.

They go to corpus/djvu/ beside this file, under their own names; other files there are kept. The
first byte of each chooses what is asked (the table in fuzz_djvu.c)."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "djvu"
sys.path.insert(0, str(HERE.parent / "tests"))
from media_fixtures import djvu  # noqa: E402

TEXT, PICTURES, LATER, MEDIA = range(4)
RED = bytes.fromhex(  # 16 x 16 pixels
    "41542654464f524d0000004a444a5655494e464f0000000a00100010180064001601424734340000"
    "0015004a0102001000108af2e49eb21b6457ddf9c0c2bf004247343400000004010ffe8f42473434"
    "00000002020a")


def seeds():
    return {
        "text": (TEXT, djvu(60, 40, b"words of a page")),
        "later": (LATER, djvu(60, 40, b"words of a page")),
        "white": (PICTURES, djvu(60, 40)),
        "red": (PICTURES, RED),
        "red_alone": (MEDIA, RED),
        "cut": (TEXT, RED[:40]),
    }


FOLDER.mkdir(parents=True, exist_ok=True)
for seed, (which, body) in seeds().items():
    (FOLDER / seed).write_bytes(bytes([which]) + body)
