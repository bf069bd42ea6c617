#!/usr/bin/env python3
"""Write the seeds of fuzz_postscript: EPS files with each sort of preview.

They go to corpus/postscript/ beside this file, under their own names; other files there are kept."""
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "postscript"


def dos(*places, rest=b"%!PS\nwmfTIFF"):
    return b"\xc5\xd0\xd3\xc6" + struct.pack("<6IH", *places, 0xffff) + rest


def epsi(size, digits):
    return (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BeginPreview: " + size + b"\n" + digits
            + b"%%EndPreview\nshowpage\n")


SEEDS = {
    "plain": b"%!PS\nshowpage\n",
    "tiff": dos(30, 5, 35, 3, 38, 4),
    "wmf": dos(30, 5, 35, 3, 0, 0),
    "outside": dos(90, 5, 35, 0xffffffff, 0xffffffff, 4),
    "bits": epsi(b"4 2 1 2", b"% A0\n%50\n"),
    "bytes": epsi(b"2 2 8 2", b"% A0FF\n%5001\n"),
    "large": epsi(b"16384 16384 8 2", b"% A0FF\n"),
}

FOLDER.mkdir(parents=True, exist_ok=True)
for seed, body in SEEDS.items():
    (FOLDER / seed).write_bytes(body)
