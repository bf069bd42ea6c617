#!/usr/bin/env python3
"""The sessions of docs/sessions/, played: everything that they wait for comes, and the pictures in docs/ show what is on the
screen by now.

    test_played.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import pathlib
import struct
import sys
import tempfile
import zlib

import player

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def drawn_text(path):
    """The text that scripts/screenshots.py has put into a picture."""
    data, at = path.read_bytes(), 8
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if kind == b"iTXt" and body.startswith(b"Screen\0"):
            packed, rest = body[7], body[9:].split(b"\0", 2)[2]
            return (zlib.decompress(rest) if packed else rest).decode()
        at += 12 + length
    raise AssertionError(f"{path.name} has no text in it")


class Shots:
    """Called where a session takes a picture."""

    def __init__(self):
        self.wrong, self.count = [], 0

    def take(self, name, _title, terminal):
        self.count += 1
        e = terminal.emulator
        above = [] if e.other else e.scrollback()  # how much of it is seen is a matter of timing
        now, then = player.lasting("\n".join(above + e.screen())), drawn_text(DOCS / name)
        if not now.endswith(then):
            self.wrong.append(f"docs/{name} shows something else: make screenshots draws it anew\n"
                              f"--- now\n{now}\n--- in the picture\n{then}")


def played(path, refract):
    shots = Shots()
    with tempfile.TemporaryDirectory(prefix="refract-session-") as folder:
        player.play(path, refract, folder, shots.take)
    if shots.wrong or not shots.count:
        raise AssertionError("\n".join(shots.wrong) or "it takes no picture")


def main():
    passed = failed = 0
    for path in sorted((DOCS / "sessions").glob("*.txt")):
        try:
            played(path, sys.argv[1])
            passed += 1
            print(f"ok      {path.name}")
        except (AssertionError, OSError) as why:
            failed += 1
            print(f"FAILED  {path.name}: {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
