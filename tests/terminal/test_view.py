#!/usr/bin/env python3
"""refract view in a terminal: pictures in every way of showing them, pages, text, keys, sizes, and what goes wrong.

    test_view.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

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


def view(*args, plays="kitty", **how):
    return Terminal([REFRACT, "view", *args], plays=plays, cwd=FOLDER, **how)


def leave(t, key="q"):
    t.press("Escape") if key == "Escape" else t.type(key)
    expect(t.wait_exit() == 0, "it did not end well")
    t.check_restored()


def pictures(t):
    return t.emulator.pictures


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
        t.settle()
        expect(pictures(t)[-1].data != middle, "it did not move")
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
