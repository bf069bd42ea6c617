#!/usr/bin/env python3
"""What takes long: large files in little memory, workers that are killed, hang or talk nonsense, and a
drawing that eats its whole time. Part of `make soak`, not of `make test`.

    large.py PATH-OF-REFRACT [WORD]...

Prints what hostile.py prints. Needs 2.5 GB of room in the folder for temporary files (TMPDIR).
"""
import os
import random
import signal
import struct
import sys
import threading
import time

import bombs
import more_bombs
from bombs import MB
from fake_worker import FRAMES, install
from hostile import conversation, run_all
from running import MODEL, expect, refused, told

KILLS = 100
CASES = []


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


# Large files.


def large_tiff(path, side, rows):
    """RGB, not packed, in strips of so many rows; the pixels are a hole in the file."""
    strips, row = -(-side // rows), side * 3
    table = 8 + 6 + 9 * 12
    places = [table + 6 + 8 * strips + i * rows * row for i in range(strips)]
    sizes = [min(rows, side - i * rows) * row for i in range(strips)]
    many = strips > 1
    fields = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, 3, table), (259, 3, 1, 1), (262, 3, 1, 2),
              (273, 4, strips, table + 6 if many else places[0]), (277, 3, 1, 3), (278, 4, 1, rows),
              (279, 4, strips, table + 6 + 4 * strips if many else sizes[0])]
    with open(path, "wb") as f:
        f.write(b"II*\0" + struct.pack("<IH", 8, len(fields))
                + b"".join(struct.pack("<HHII", *field) for field in fields) + bytes(4)
                + struct.pack("<3H", 8, 8, 8) + struct.pack(f"<{strips}I{strips}I", *places, *sizes))
        f.truncate(places[-1] + sizes[-1])


@case("a TIFF of 300 MB in strips", "image")
def _(m):
    large_tiff(m.folder / "a.tiff", 10000, 16)
    done = m.read("a.tiff")
    told(done, "10000x10000")
    return done


@case("a TIFF of 300 MB in one piece", "image")
def _(m):
    large_tiff(m.folder / "a.tiff", 10000, 10000)
    done = m.read("a.tiff")
    told(done, "10000x10000")
    return done


@case("a TIFF of 300 MB in a request", "image")
def _(m):
    large_tiff(m.folder / "a.tiff", 10000, 16)
    m.write("conversation.json", conversation(["a.tiff"]))
    done = m.run("encode", "-m", MODEL, "conversation.json", status={0})
    told(done, "image/", "10000")
    return done


def pages(count):
    """A page each, with fifty lines of text and a number."""
    lines = b"".join(b"0 -14 Td (line %d of words that fill a page, more or less) Tj\n" % i for i in range(50))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>",
               b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, b" ".join(b"%d 0 R" % (4 + 2 * i)
                                                                       for i in range(count))),
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for i in range(count):
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
                       b"/Resources<</Font<</F1 3 0 R>>>>>>" % (5 + 2 * i))
        objects.append(bombs.stream(b"BT /F1 11 Tf 72 760 Td (this is page %d)Tj\n%sET" % (i + 1, lines)))
    return bombs.pdf(objects)


@case("a PDF of 500 pages", "pdf")
def _(m):
    m.write("a.pdf", pages(500))
    told(m.read("a.pdf"), "Pages 1-20 of 500. Use page_start=20", "this is page 20\n")
    done = m.read("a.pdf", "--pages", "481-500")
    told(done, "Pages 481-500 of 500.", "this is page 500\n")
    return done


@case("a PDF of 500 pages in a request, as it is and as pictures", "pdf")
def _(m):
    m.write("a.pdf", pages(500))
    m.write("conversation.json", conversation(["a.pdf"]))
    for model in MODEL, "groq:meta-llama/llama-4-scout-17b-16e-instruct", "ollama:llama3.1":
        done = m.run("encode", "-m", model, "conversation.json", status={0})
        told(done, "a.pdf")
    return done


@case("a PDF of 20 pages that are full of text", "pdf")
def _(m):
    line = b"(%s) Tj 0 -10 Td\n" % (b"words " * 30)
    columns = b"".join(b"BT /F1 10 Tf %d 14000 Td %sET\n" % (1200 * i, line * 1390) for i in range(2))
    content = bombs.stream(bombs.flate(columns), b"/Filter/FlateDecode")
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]/Contents 3 0 R" + bombs.FONT + b">>"
    kids = b" ".join(b"%d 0 R" % (4 + i) for i in range(20))
    m.write("a.pdf", bombs.pdf([b"<</Type/Catalog/Pages 2 0 R>>",
                                b"<</Type/Pages/Count 20/Kids[%s]>>" % kids, content] + [page] * 20))
    told(m.read("a.pdf"), "Pages 1-20 of 20.", "words")
    done = m.read("a.pdf", "--pages", ",".join(str(i) for i in range(1, 13)))
    told(done, "words")
    return done


@case("a list of 20 MB of names", "archive")
def _(m):
    m.write("a.zip", bombs.zipped(*((f"{i:07}" + "x" * 993, b"x") for i in range(19999))))
    done = m.read("a.zip")
    told(done, "the text is longer than the limit and was cut", "19,999 files")
    return done


@case("a text of 1 GB")
def _(m):
    block, n = b"".join(b"line %06d of a text that is long\n" % i for i in range(32768)), 1000
    with open(m.folder / "a.txt", "wb") as f:
        for _ in range(n):
            f.write(block)
    told(m.read("a.txt"), "of 32,768,000. Use offset=", "line 000000 of")
    done = m.read("a.txt", "--offset", "32767990")
    told(done, "Lines 32767990-32768000 of 32,768,000.", "line 032767 of")
    return done


@case("a text of 1 GB in one line")
def _(m):
    with open(m.folder / "a.txt", "wb") as f:
        for _ in range(1024):
            f.write(b"a" * MB)
    done = m.read("a.txt")
    told(done, "1 long line was cut after 2000 bytes")
    return done


@case("a text of 1 GB that is not text after all")
def _(m):
    path = m.write("a.txt", "begins well\n")
    os.truncate(path, 1 << 30)
    return m.read("a.txt")


# Time.


@case("a drawing that takes for ever", "image")
def _(m):
    m.write("a.svg", bombs.svg(
        '<filter id="f" x="-900%" y="-900%" width="9000%" height="9000%"><feGaussianBlur stdDeviation="9999"/>'
        '<feMorphology radius="9999"/><feTurbulence numOctaves="9999"/></filter>'
        '<rect filter="url(#f)" width="3000" height="3000"/>', size='width="3000" height="3000"'))
    done = m.read("a.svg")
    expect(done.status in (0, 5, 6), done.status)
    return done


@case("a form that is drawn ten to the ninth times", "pdf")
def _(m):
    m.write("a.pdf", more_bombs.forms(10))
    done = m.read("a.pdf")
    expect("takes longer than 10 seconds" in done.err or "could not be read within" in done.err, done.err)
    return done


@case("100 MB of one entity in the text of a drawing", "image")
def _(m):
    m.write("a.svg", bombs.svg(f"<text>{'&a;' * 200000}</text>", more_bombs.quadratic("svg")))
    done = m.read("a.svg")
    expect("gave up on the file" in done.err or "more processor time than is allowed" in done.err, done.err)
    return done


# Workers that die.


@case(f"workers that are killed in the middle, {KILLS} times", "pdf")
def _(m):
    m.write("long.pdf", bombs.one_page(bombs.flate_bomb(1024), bombs.FONT))
    m.write("short.pdf", bombs.one_page(bombs.stream(bombs.HELLO), bombs.FONT))
    chance, wordings = random.Random(5), set()
    for i in range(KILLS):
        wait_s, seen_at = chance.uniform(0, 0.2), {}

        def kill(process, done):
            for pid in done.workers:
                first = seen_at.setdefault(pid, time.monotonic())
                if time.monotonic() - first > wait_s:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
        done = m.read("long.pdf", during=kill, status={6})
        wordings.add(done.err)
        if i % 10 == 0:
            told(m.read("short.pdf"), "readable words")
    expect(len(wordings) == 1, wordings)
    expect("was killed while it read the file" in wordings.pop(), "the message")


@case("a worker that is killed under a request", "pdf")
def _(m):
    m.write("long.pdf", bombs.one_page(bombs.flate_bomb(1024), bombs.FONT))
    m.write("conversation.json", conversation(["long.pdf"]))

    def kill(process, done):
        for pid in done.workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    done = m.run("encode", "-m", "ollama:llama3.1", "conversation.json", during=kill, status={0})
    told(done, "long.pdf")


# Workers that are none: programs of the same name that do something else.

STUBS = [  # what it does, its text, what is said
    ("ends at once", "#!/bin/sh\nexit 3\n", "does not start"),
    ("is not a program", "\x7fELF and no more", "could not start"),
    ("says nothing but noughts", "#!/bin/sh\nexec cat /dev/zero >&3\n", ""),
    ("says nothing but noise", "#!/bin/sh\nexec cat /dev/urandom >&3\n", ""),
    ("ends in the middle", FRAMES + "say(READY); say(PART, b'kind=text\\n'); say(TEXT, b'half'); os._exit(0)\n",
     "ended in the middle"),
    ("talks for ever", FRAMES + "say(READY)\nwhile True: say(TEXT, b'a' * 1000000)\n", ""),
    ("has parts for ever", FRAMES + "say(READY)\nwhile True: say(PART, b'kind=text\\npage=1\\n')\n", ""),
    ("has facts for ever", FRAMES + "say(READY)\nwhile True: say(FACT, b'pages=1')\n", ""),
    ("promises more than it sends", FRAMES + "say(READY); s.sendall(struct.pack('=II', TEXT, 2**32 - 1))\n",
     ""),
    ("fails with nonsense", FRAMES + "say(READY); say(FAIL, b'\\xff\\x1b[31m\\n' * 9999)\n", ""),
]


def stubbed(m, text):
    install(m.folder / "workers", "office", text)
    m.write("a.docx", bombs.docx(bombs.paragraph("words")))
    return {"REFRACT_WORKERS": str(m.folder / "workers")}


def add_stub(what, text, words):
    @case(f"a worker that {what}")
    def _(m):
        done = m.read("a.docx", extra=stubbed(m, text), status={5, 6, 8})
        refused(done, words)
        return done


for stub in STUBS:
    add_stub(*stub)


@case("a worker that hangs")
def _(m):
    done = m.read("a.docx", extra=stubbed(m, "#!/bin/sh\nexec sleep 1000\n"), status={5})
    refused(done, "could not be read within 60.0 seconds")
    return done


@case("a worker that is stopped, while another reads", "pdf", "image")
def _(m):
    """The caller of the stopped one waits; others do not."""
    m.write("a.pdf", bombs.one_page(bombs.flate_bomb(1024), bombs.FONT))
    m.write("a.png", bombs.png(8, 8, bytes(72)))
    stopped, problems = [], []

    def stop(process, done):
        for pid in set(done.workers) - set(stopped):
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)

    def wait():
        try:
            refused(m.read("a.pdf", during=stop, status={5}), "could not be read within")
        except AssertionError as problem:
            problems.append(problem)
    waiting = threading.Thread(target=wait)
    waiting.start()
    other = type(m)(m.program, m.folder / "other")
    other.write("a.png", bombs.png(8, 8, bytes(72)))
    told(other.read("a.png"), "8x8")
    waiting.join()
    expect(not problems, problems)


if __name__ == "__main__":
    sys.exit(run_all(os.path.abspath(sys.argv[1]), CASES, sys.argv[2:]))
