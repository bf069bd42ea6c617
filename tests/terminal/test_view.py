#!/usr/bin/env python3
"""refract view in a terminal: pictures in every way of showing them, pages, text, keys, sizes, and what goes wrong.

    test_view.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from documents import docx, eml, pptx
from driver import PATIENCE_S, Terminal
from player import pdf

REFRACT = os.path.abspath(sys.argv[1])
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
CASES = []
# Files to look at, made once.
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-view-"))


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(message)


def make_files():
    shutil.copy(EXAMPLES / "photo.jpg", FOLDER / "photo.jpg")
    (FOLDER / "book.pdf").write_bytes(pdf(30))
    (FOLDER / "notes.txt").write_text("".join(f"line {i}: the quick brown fox\n" for i in range(1, 200)))
    (FOLDER / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
    (FOLDER / "steer.txt").write_bytes(b"before \x1b]0;owned\x07\x1b[2J\x1b[31m\x9b5n after\n")
    shutil.copy(EXAMPLES / "photo.jpg", FOLDER / "a\x1b[2Jb.jpg")
    chart = (EXAMPLES / "chart.png").read_bytes()
    (FOLDER / "annual.docx").write_bytes(docx(chart))
    (FOLDER / "deck.pptx").write_bytes(pptx(chart, ["Sales of the year", "The chart", "Thank you"]))
    (FOLDER / "sales.eml").write_bytes(eml(chart))
    (FOLDER / "read.md").write_text("# Read me\n\nSome *words* and `code`.\n\n- one\n- two\n\n| A | B |\n|---|---|\n"
                                     "| 1 | 2 |\n")
    (FOLDER / "page.html").write_text("<html><body><h1>Page</h1><p>Some <em>words</em></p><ul><li>one</ul></body>"
                                       "</html>")


def view(*args, plays="kitty", **how):
    return Terminal([REFRACT, "view", *args], plays=plays, cwd=FOLDER, **how)


def leave(t, key="q"):
    t.press("Escape") if key == "Escape" else t.type(key)
    expect(t.wait_exit() == 0, "it did not end well")
    t.check_restored()


def pictures(t):
    return t.emulator.pictures


def row_of(picture):
    """On the other screen, whose rows are counted from far away."""
    return picture.row % (1 << 40)


def by_protocol(protocol, plays):
    def check():
        with view("photo.jpg", plays=plays) as t:
            t.wait_until(lambda: pictures(t), what="a picture")
            t.wait_for("photo.jpg")
            p = pictures(t)[-1]
            expect(p.protocol == protocol, p)
            expect(p.columns <= 80 and p.rows <= 23, p)
            expect(abs(p.columns * 10 / (p.rows * 20) - 4 / 3) < 0.2, f"out of shape: {p}")
            leave(t)
    return check


for _protocol, _plays in (("kitty", "kitty"), ("iterm", "iterm"), ("sixel", "sixel")):
    case(f"a picture by {_protocol}, in its shape, where the terminal says that it can")(by_protocol(_protocol, _plays))


@case("a terminal without graphics shows blocks in colours")
def _():
    with view("photo.jpg", plays="xterm") as t:
        t.wait_for("photo.jpg")
        t.settle()
        expect(not pictures(t), "a picture that nobody can show")
        drawn = [row for row in t.screen()[:-1] if row.strip()]
        expect(len(drawn) > 10, t.screen())
        leave(t)


@case("of a page in blocks the line at the bottom says how to read it")
def _():
    for plays, name, says in (("xterm", "book.pdf", True), ("kitty", "book.pdf", False), ("xterm", "photo.jpg", False)):
        with view(name, plays=plays) as t:
            t.wait_for("? help")
            t.settle()
            expect(t.sees("t text  ? help") == says, f"{plays}, {name}:\n{t.picture()}")
            t.type("t")
            t.wait_until(lambda: not t.sees("t text"))
            leave(t)


@case("--images none, and a terminal without colours, show the text")
def _():
    for args, env in ((["--images", "none"], None), ([], {"NO_COLOR": "1"})):
        with view(*args, "book.pdf", plays="xterm", env=env) as t:
            t.wait_for("book.pdf")
            t.settle()
            if args:
                t.wait_for("Chapter 1, page 1")
            leave(t)


@case("next, previous, first, last and jump go through the pages")
def _():
    with view("book.pdf") as t:
        t.wait_for("page 1 of 30")
        t.press("Right")
        t.wait_for("page 2 of 30")
        t.type(" ")
        t.wait_for("page 3 of 30")
        t.press("PageUp")
        t.wait_for("page 2 of 30")
        t.press("End")
        t.wait_for("page 30 of 30")
        t.press("Right")
        t.wait_for("this is the last page")
        t.press("Home")
        t.wait_for("page 1 of 30")
        t.type("g17")
        t.wait_for("page: 17")
        t.press("Enter")
        t.wait_for("page 17 of 30")
        t.type("g99")
        t.press("Enter")
        t.wait_for('there is no page "99": they are 1 to 30')
        leave(t)


@case("only the page that is shown is on the screen")
def _():
    with view("book.pdf") as t:
        t.wait_until(lambda: pictures(t), what="a picture")
        for page in range(2, 6):
            t.press("Right")
            t.wait_for(f"page {page} of 30")
            t.settle()
        expect(len(pictures(t)) == 1, pictures(t))
        leave(t)


@case("--page begins there, and a part has its own pages")
def _():
    with view("--page", "12", "book.pdf") as t:
        t.wait_for("page 12 of 30")
        leave(t)
    with view("book.pdf#p=5-7") as t:
        t.wait_for("page 1 of 3 (5)")
        leave(t)


@case("search finds words on later pages, again and backwards")
def _():
    with view("book.pdf") as t:
        t.wait_for("page 1 of 30")
        t.type("/STAGE 21")
        t.press("Enter")
        t.wait_for("found:")
        t.type("t")
        t.wait_for("page 21 of 30")
        t.wait_for("The pump of stage 21")
        t.type("/chapter 2")
        t.press("Enter")
        t.wait_for("page 6 of 30")
        t.type("n")
        t.wait_for("page 7 of 30")
        t.type("N")
        t.wait_for("page 6 of 30")
        t.type("/unheard of")
        t.press("Enter")
        t.wait_for("not found: unheard of")
        leave(t)


@case("zoom shows a piece, moves in it, and comes back")
def _():
    with view("photo.jpg") as t:
        t.wait_until(lambda: pictures(t), what="a picture")
        whole = pictures(t)[-1].data
        t.type("+")
        t.wait_for("150 %")
        t.settle()
        middle = pictures(t)[-1].data
        expect(middle != whole, "the same picture")
        t.press("Right")
        t.wait_until(lambda: pictures(t) and pictures(t)[-1].data != middle, what="another piece")
        t.type("0")
        t.wait_gone("150 %")
        t.settle()
        expect(pictures(t)[-1].data == whole, "not the whole picture again")
        leave(t)


@case("text scrolls by lines and screens")
def _():
    with view("notes.txt", rows=12) as t:
        t.wait_for("line 1: the quick")
        t.press("Down")
        t.wait_for("line 2 of 199")
        t.type(" ")
        t.wait_for("line 11 of 199")
        t.press("Up")
        t.wait_for("line 10 of 199")
        leave(t)


@case("a resize draws it anew, in the new size")
def _():
    with view("book.pdf") as t:
        t.wait_until(lambda: pictures(t), what="a picture")
        t.resize(40, 12)
        t.wait_until(lambda: pictures(t) and pictures(t)[-1].rows <= 11, what="a smaller picture")
        t.resize(120, 40)
        t.wait_until(lambda: pictures(t) and pictures(t)[-1].rows > 20, what="a larger picture")
        t.wait_for("book.pdf")
        leave(t)


@case("a screen of one row and three columns is not a reason to fall over")
def _():
    with view("photo.jpg", plays="xterm", columns=3, rows=1) as t:
        t.settle()
        t.resize(1, 1)
        t.settle()
        leave(t)


@case("help lists the keys")
def _():
    with view("photo.jpg") as t:
        t.wait_for("? help")
        t.type("?")
        t.wait_for("next page")
        t.type("x")
        t.wait_gone("next page")
        leave(t, "Escape")


@case("what a file or its name says does not reach the terminal")
def _():
    with view("steer.txt") as t:  # the emulator is strict: a title or a query raises
        t.wait_for("before ?]0;owned??[2J?[31m")
        leave(t)
    with view("a\x1b[2Jb.jpg") as t:
        t.wait_for("a__2Jb.jpg")
        leave(t)


@case("a paste, a mouse and unknown keys are not letters")
def _():
    with view("book.pdf") as t:
        t.wait_for("page 1 of 30")
        t.paste("qqqq\nqqq")
        t.send(b"\x1b[<0;10;10Mq"[:-1])
        t.send(b"\x1b[15~\x1b[1;5P")
        t.press("Right")
        t.wait_for("page 2 of 30")
        leave(t)


@case("Ctrl-C, SIGTERM and a terminal that goes away leave everything as it was")
def _():
    with view("photo.jpg") as t:
        t.wait_for("photo.jpg")
        t.press("Ctrl-C")
        expect(t.wait_exit() == 0, "Ctrl-C")
        t.check_restored()
    with view("photo.jpg") as t:
        t.wait_for("photo.jpg")
        t.signal(signal.SIGTERM)
        t.wait_exit()
        t.check_restored()
    with view("photo.jpg") as t:
        t.wait_for("photo.jpg")
        t.hang_up()
        expect(t.process.wait(PATIENCE_S) != 0, "it did not notice")


@case("a file that is missing or broken is an error before the screen changes")
def _():
    for name, words in (("nowhere.png", "nowhere.png"), ("broken.png", "broken.png")):
        with view(name) as t:
            expect(t.wait_exit() == 6, f"{name}: another status")
            expect(any(words in row for row in t.screen()), t.screen())
            t.check_restored()


@case("a document has its headings, tables and lists, and its pictures where they stand")
def _():
    with view("annual.docx", rows=40) as t:
        t.wait_for("The end.")
        t.wait_until(lambda: pictures(t), what="the picture")
        rows = [row.rstrip() for row in t.screen()]
        expect(rows[0] == "Annual report" and "# " not in "\n".join(rows), t.picture())
        expect("Quarter │ Sales" in rows and "Q2      │ 58" in rows, t.picture())
        words, below = rows.index('[Image: chart.png, "by quarter"]'), rows.index("Figures")
        picture = pictures(t)[-1]
        expect(row_of(picture) == words + 1 and below > words + picture.rows, f"{picture.row} and {t.picture()}")
        t.type("t")
        t.wait_for("# Annual report")
        t.wait_for("| Q2 | 58 |")
        t.type("t")
        t.wait_gone("# Annual")
        t.type("/best of\r")
        t.wait_for("The fourth quarter was the best of the year.")
        leave(t)
    for plays, way in (("sixel", "sixel"), ("iterm", "iterm")):
        with view("annual.docx", "--images", way, plays=plays, rows=40) as t:
            t.wait_until(lambda: pictures(t), what="the picture")
            leave(t)
    with view("annual.docx", "--images", "none", rows=40) as t:
        t.wait_for(re.compile(r"by quarter.*\n\s*\n.*Figures"))
        leave(t)


@case("a picture in a document scrolls with it, a piece at a time")
def _():
    with view("annual.docx", rows=10) as t:
        t.wait_until(lambda: pictures(t), what="the picture")
        whole = pictures(t)[-1]
        t.press(*["Down"] * (row_of(whole) + 1))
        t.wait_for(f"line {row_of(whole) + 2} of")
        t.wait_until(lambda: pictures(t) and pictures(t)[-1].data != whole.data, what="the piece")
        expect(pictures(t)[-1].rows == whole.rows - 1, f"{whole.rows} and {pictures(t)[-1].rows}")
        leave(t)


@case("slides are shown one by one, and --page is one of them")
def _():
    with view("deck.pptx") as t:
        t.wait_for("slide 1 of 3 (Sales of the year)")
        t.press("Right")
        t.wait_for("slide 2 of 3 (The chart)")
        t.wait_until(lambda: pictures(t), what="the picture")
        t.type("/thank\r")
        t.wait_for("slide 3 of 3 (Thank you)")
        t.press("Home")
        t.wait_for("slide 1 of 3")
        leave(t)
    with view("deck.pptx", "--page", "2") as t:
        t.wait_for("slide 2 of 3 (The chart)")
        leave(t)
    done = subprocess.run([REFRACT, "view", "deck.pptx", "-p", "3"], capture_output=True, text=True, cwd=FOLDER,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    expect(done.stdout == "[Slides: deck.pptx, 3 slides]\n# Thank you\n", done)


@case("mail, Markdown and HTML are read as they are meant")
def _():
    with view("sales.eml", rows=40) as t:
        t.wait_for(re.compile(r"From: anna@example.com\s*\n.*To: ben@example.com\s*\n"))
        t.wait_for("• chart.png (image/png")
        t.wait_for("[Image: chart.png]")
        t.wait_until(lambda: pictures(t), what="the picture")
        expect("## Hello" not in t.picture(), t.picture())
        leave(t)
    for name, head in (("read.md", "Read me"), ("page.html", "Page")):
        with view(name) as t:
            t.wait_for("• one")
            expect(t.screen()[0].rstrip() == head and "*" not in t.picture(), t.picture())
            leave(t)
    done = subprocess.run([REFRACT, "view", "sales.eml"], capture_output=True, text=True, cwd=FOLDER,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    expect("## Hello\n" in done.stdout and done.returncode == 0, done)


@case("without a terminal it prints the line and the text")
def _():
    done = subprocess.run([REFRACT, "view", "book.pdf#p=2"], capture_output=True, text=True, cwd=FOLDER,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    expect(done.returncode == 0 and done.stdout.startswith("[PDF: book.pdf, page 2 of 30]\n"), done.stdout)
    expect("Chapter 1, page 2" in done.stdout and "\x1b" not in done.stdout, done.stdout)


def main():
    failed = 0
    make_files()
    for name, function in CASES:
        try:
            function()
            print(f"ok      {name}")
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    shutil.rmtree(FOLDER)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
