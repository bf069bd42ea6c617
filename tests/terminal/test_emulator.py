#!/usr/bin/env python3
"""The emulator that the other tests here look through: what it shows, what it refuses, what it answers; and random
writing beside tmux, where that is installed. The driver, too, with a shell.

    test_emulator.py

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from driver import PATIENCE_S, Terminal, TimedOut
from emulator import Emulator, Strange, Style

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def same(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def refuses(data, plays="kitty"):
    e = Emulator(20, 5, plays)
    try:
        e.feed(data)
    except Strange:
        return
    raise AssertionError(f"{plays} took {data[:80]!r}")


def png(width=4, height=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\xff\0\0" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PNG = base64.b64encode(png())
KITTY = b"\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2;" + PNG + b"\x1b\\"
ITERM = b"\x1b]1337;File=inline=1;size=%d;width=3;height=2;preserveAspectRatio=0:" % len(png()) + PNG + b"\x07"
SIXEL = b'\x1bPq"1;1;12;8#0;2;100;0;0#1;2;0;0;100#0!12~-#1!12B\x1b\\'

# What is written on 10 columns and 4 rows, what is then seen, and where the cursor is.
SCREENS = [
    ("text", "abc", ["abc", "", "", ""], (0, 3)),
    ("a line feed goes down only", "ab\ncd", ["ab", "  cd", "", ""], (1, 4)),
    ("a full row waits before it wraps", "0123456789", ["0123456789", "", "", ""], (0, 9)),
    ("then it wraps", "0123456789a", ["0123456789", "a", "", ""], (1, 1)),
    ("a return in the last column stays in the row", "0123456789\rX", ["X123456789", "", "", ""], (0, 1)),
    ("without wrapping the last cell is written again", "\x1b[?7l0123456789ab\x1b[?7h",
     ["012345678b", "", "", ""], (0, 9)),
    ("wide characters take two cells", "日本a", ["日本a", "", "", ""], (0, 5)),
    ("a wide one does not fit into the last cell", "012345678日", ["012345678", "日", "", ""], (1, 2)),
    ("half a wide one is none", "日\x1b[1;2Hx", [" x", "", "", ""], (0, 2)),
    ("an accent takes none", "e\u0301x", ["e\u0301x", "", "", ""], (0, 2)),
    ("a family is one", "👨\u200d👩\u200d👧x", ["👨\u200d👩\u200d👧x", "", "", ""], (0, 3)),
    ("a flag is one", "🇩🇪x", ["🇩🇪x", "", "", ""], (0, 3)),
    ("a heart made red is wide", "❤\ufe0fx", ["❤\ufe0fx", "", "", ""], (0, 3)),
    ("a hand with its colour is one", "👍🏽x", ["👍🏽x", "", "", ""], (0, 3)),
    ("up, down, right, left", "\x1b[2B\x1b[3Ca\x1b[A\x1b[2Db", ["", "  b", "   a", ""], (1, 3)),
    ("moves end at the edges", "\x1b[99;99Ha\x1b[99A\x1b[99Db", ["b", "", "", "         a"], (0, 1)),
    ("to a column and to a row", "ab\x1b[5Gc\x1b[3dd", ["ab  c", "", "     d", ""], (2, 6)),
    ("to the next and the last line", "a\x1b[Eb\x1b[Fc", ["c", "b", "", ""], (0, 1)),
    ("wipe to the end of the row", "abcdef\x1b[3G\x1b[K", ["ab", "", "", ""], (0, 2)),
    ("wipe to the cursor", "abcdef\x1b[3G\x1b[1K", ["   def", "", "", ""], (0, 2)),
    ("wipe the rest of the screen", "a\r\nb\r\nc\x1b[2;1H\x1b[J", ["a", "", "", ""], (1, 0)),
    ("wipe the screen", "a\r\nb\x1b[2J", ["", "", "", ""], (1, 1)),
    ("save and restore", "ab\x1b7\x1b[4;4Hx\x1b8c", ["abc", "", "", "   x"], (0, 3)),
    ("the other screen goes again", "ab\x1b[?1049hxyz\x1b[?1049lc", ["abc", "", "", ""], (0, 3)),
    ("an end of nothing", "a\x1b\\b", ["ab", "", "", ""], (0, 2)),
    ("an end of a sequence that was cut off", "a\x1b[12;\x1b\\b", ["ab", "", "", ""], (0, 2)),
    ("scrolling", "1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"], (3, 1)),
]

REFUSED = [
    ("a bell", b"\x07"), ("a null", b"\0"), ("a form feed", b"\x0c"), ("DEL", b"\x7f"),
    ("bytes that are not UTF-8", b"\xff\xfe"), ("half a character", b"\xe6\x97a"),
    ("C1 controls", "\u009b31m".encode()), ("marks that turn text around", "\u202etxt".encode()),
    ("a title", b"\x1b]0;owned\x07"), ("an icon name", b"\x1b]1;x\x1b\\"),
    ("the clipboard", b"\x1b]52;c;YQ==\x07"), ("a palette", b"\x1b]4;1;#ffffff\x07"),
    ("a link to a file", b"\x1b]8;;file:///etc/passwd\x07"), ("a link that runs", b"\x1b]8;;javascript:x\x07"),
    ("a link with a space", b"\x1b]8;;http://a b\x07"),
    ("a scroll region", b"\x1b[2;3r"), ("application keys", b"\x1b[?1h"), ("the mouse", b"\x1b[?1000h"),
    ("a reset", b"\x1bc"), ("a device control string", b"\x1bP$qm\x1b\\"), ("a privacy message", b"\x1b^x\x1b\\"),
    ("a blinking style", b"\x1b[5m"), ("a hidden style", b"\x1b[8m"), ("a colour over 255", b"\x1b[38;5;256m"),
    ("window controls", b"\x1b[21t"), ("a report of the terminal", b"\x1b[5n"),
    ("an escape inside a sequence", b"\x1b]8;;http://a\x1b[31m"), ("other character sets", b"\x1b(0"),
    ("a picture that is not a PNG", b"\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2;QUFB\x1b\\"),
    ("a picture from a file", b"\x1b_Ga=T,f=100,t=f,q=2,C=1,c=3,r=2;L2V0Yw==\x1b\\"),
    ("a picture that makes the terminal answer", KITTY.replace(b"q=2", b"q=0")),
    ("a picture over the edge", KITTY.replace(b"c=3", b"c=21")),
    ("a piece of over 4096 bytes", b"\x1b_Ga=T,f=100,q=2,m=1;" + b"A" * 4100 + b"\x1b\\"),
    ("a file to save", ITERM.replace(b"inline=1", b"inline=0")),
    ("a picture that the terminal does not know", ITERM), ("sixels that the terminal does not know", SIXEL),
]

ANSWERS = [
    ("kitty", b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", b"\x1b_Gi=31;OK\x1b\\"),
    ("xterm", b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", b""),
    ("sixel", b"\x1b[c", b"\x1b[?63;1;2;4;6;9;15;16;22;28;29c"),
    ("iterm", b"\x1b[>q", b"\x1bP>|iTerm2 3.5.10\x1b\\"),
    ("xterm", b"\x1b[16t", b"\x1b[6;20;10t"), ("tmux", b"\x1b[16t", b""),
    ("xterm", b"\x1b]11;?\x07", b"\x1b]11;rgb:0000/0000/0000\x07"),
    ("xterm", b"ab\x1b[6n", b"\x1b[1;3R"), ("kitty", b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
    ("xterm", b"\x1b[?2026$p", b"\x1b[?2026;0$y"), ("silent", b"\x1b[c\x1b[>q\x1b]11;?\x07", b""),
]


def shows(data, screen, cursor):
    whole, bytewise = Emulator(10, 4, "kitty"), Emulator(10, 4, "kitty")
    whole.feed(data.encode())
    for byte in data.encode():
        bytewise.feed(bytes([byte]))
    for e in (whole, bytewise):
        same((e.screen(), e.cursor), (screen, cursor))
    same(whole.unrest(), [])


def answers(plays, question, answer):
    e = Emulator(20, 5, plays)
    e.feed(question)
    same(b"".join(a for _, a in e.replies()), answer)


@case("a dumb terminal takes no escape sequence, and text")
def dumb():
    refuses(b"\x1b[m", "dumb")
    e = Emulator(20, 5, "dumb")
    e.feed(b"text\r\n")
    same(e.screen()[0], "text")


@case("the clipboard is written only where a test expects that, and never asked for")
def _():
    e = Emulator(20, 4, "kitty")
    e.may_copy = True
    e.feed(b"\x1b]52;c;aGVsbG8=\x1b\\")
    same(e.clipboard, b"hello")
    for data in (b"\x1b]52;c;?\x07", b"\x1b]52;p;aGVsbG8=\x07"):
        try:
            e.feed(data)
        except Strange:
            continue
        raise AssertionError(f"it took {data!r}")


@case("styles are those of each cell, and end one by one")
def styles():
    e = Emulator(40, 4)
    e.feed(b"\x1b[1;31mred\x1b[22m not bold\x1b[38;5;200m\x1b[48;2;1;2;3mrgb\x1b[0;94mblue\x1b[39;4mu\x1b[m.")
    same(e.cell(0, 0).style, Style(bold=True, foreground=1))
    same(e.styles("not")[0], Style(foreground=1))
    same(e.styles("rgb"), [Style(foreground=200, background=(1, 2, 3))] * 3)
    same(e.styles("blue")[0], Style(foreground=12))
    same(e.styles("u.")[0], Style(underline=True))
    same(e.unrest(), [])


@case("links are kept with their cells")
def links():
    e = Emulator(40, 4)
    e.feed(b"a\x1b]8;;https://example.org/x\x1b\\link\x1b]8;;\x1b\\b")
    same((e.links(), e.cell(0, 1).link, e.cell(0, 5).link),
         ({"https://example.org/x"}, "https://example.org/x", None))


@case("what is left behind is told")
def unrest():
    e = Emulator(40, 4)
    e.feed(b"\x1b[?25l\x1b[?2004h\x1b[?7l\x1b[1m\x1b]8;;http://a\x07\x1b[?1049h\x1b[?2026h\x1b[")
    same(len(e.unrest()), 8)


@case("what is drawn in one go is seen when it is done")
def synchronized():
    e = Emulator(10, 2, "kitty")
    e.feed(b"old\x1b[?2026h\r\x1b[Knew")
    same((e.screen()[0], e.drawn()[0]), ("old", "new"))
    e.feed(b"\x1b[?2026l")
    same((e.screen()[0], e.frames), ("new", 1))


@case("kitty's pictures, whole and in pieces, leave the cursor alone")
def kitty():
    e = Emulator(20, 5, "kitty")
    pieces = b"\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2,m=1;" + PNG[:8] + b"\x1b\\\x1b_Gm=0;" + PNG[8:] + b"\x1b\\"
    e.feed(b"ab" + KITTY + b"\r\n" + pieces)
    same([(p.row, p.column, p.columns, p.rows, p.width, p.height, p.data == png()) for p in e.pictures],
         [(0, 2, 3, 2, 4, 2, True), (1, 0, 3, 2, 4, 2, True)])
    same(e.cursor, (1, 0))
    e.feed(b"\x1b_Ga=d\x1b\\")
    same(e.pictures, [])


@case("pictures come in any pieces of bytes")
def cut_anywhere():
    for step in (3, 7, 50, 101):
        e = Emulator(20, 5, "kitty")
        data = b"text" + KITTY + b"\r\n" + KITTY + b"more"
        for at in range(0, len(data), step):
            e.feed(data[at:at + step])
        same((len(e.pictures), e.drawn()[:2]), (2, ["text", "more"]))


@case("iTerm2's pictures move the cursor after them")
def iterm():
    e = Emulator(20, 5, "iterm")
    e.feed(b"\x1b7" + ITERM)
    same((e.cursor, e.pictures[0].columns), ((1, 3), 3))
    e.feed(b"\x1b8")
    same(e.cursor, (0, 0))


@case("sixels are decoded dot by dot")
def sixels():
    e = Emulator(20, 5, "sixel", cell_size=(6, 6))
    e.feed(SIXEL)
    (p,) = e.pictures
    same((p.width, p.height, p.columns, p.rows), (12, 8, 2, 2))
    same((p.data[:4], p.data[-4:]), (b"\xff\0\0\xff", b"\0\0\xff\xff"))
    same(p.data[4 * 12 * 6 - 4:4 * 12 * 6 + 4], b"\xff\0\0\xff\0\0\xff\xff")


@case("writing over a picture is noticed, beside it is not")
def overdrawn():
    e = Emulator(20, 5, "kitty")
    e.feed(KITTY + b"\x1b[1;4Hbeside\x1b[3;1Hbelow")
    same(e.pictures[0].overdrawn, False)
    e.feed(b"\x1b[2;2Hx")
    same(e.pictures[0].overdrawn, True)


@case("a picture goes up with its rows")
def picture_scrolls():
    e = Emulator(20, 3, "kitty")
    e.feed(b"a\r\n" + KITTY + b"\r\n\n\n\nend")
    same((e.pictures[0].row, e.main.top_row), (1, 3))


@case("lines flow when the width changes, and flow back")
def reflow():
    e = Emulator(10, 4, "kitty")
    e.feed("one\r\n0123456789abc\r\n日本語日本語\r\n> ".encode())
    whole = e.everything()
    e.resize(6, 4)
    same(e.screen(), ["c", "日本語", "日本語", ">"])
    same(e.cursor, (3, 2))
    e.resize(30, 4)
    same((e.everything(), e.cursor), (whole, (3, 2)))


@case("without flowing rows are cut")
def cut():
    e = Emulator(10, 4, "xterm")
    e.feed(b"0123456789abc")
    e.resize(5, 4)
    same(e.screen(), ["01234", "abc", "", ""])


@case("lower and higher screens keep the row of the cursor")
def heights():
    e = Emulator(10, 4, "kitty")
    e.feed(b"1\r\n2\r\n3\r\n4")
    e.resize(10, 2)
    same((e.screen(), e.scrollback(), e.cursor), (["3", "4"], ["1", "2"], (1, 1)))
    e.resize(10, 5)
    same((e.screen(), e.cursor), (["1", "2", "3", "4", ""], (3, 1)))


@case("not strict: what is not known is kept, and the rest is shown")
def lenient():
    e = Emulator(20, 3, strict=False)
    e.feed(b"\x1b]0;title\x07a\x07b\x1b[?1000hc\xffd")
    same((e.screen()[0], e.title, len(e.strange)), ("abc\ufffdd", "title", 3))


def random_writing(seed):
    """Text and sequences that all terminals agree about. They do not about half a wide character: in every second
    writing there are wide ones, and all steps are even."""
    dice = random.Random(seed)
    wide = seed % 2
    words = ["日本", "한국어", "─│", "text", "日e\u0301e\u0301"] if wide else ["abc", "x", "e\u0301", "ü", "long word of text "]
    parts = []
    for _ in range(120):
        n, m = dice.randint(1, 12), dice.randint(1, 15) * 2 if wide else dice.randint(1, 30)
        column = m - 1 if wide else m
        some = [dice.choice(words), dice.choice(words) * dice.randint(1, 9), "text and more text",
                "\r\n", "\r", "\n", f"\x1b[{n}A", f"\x1b[{n}B", f"\x1b[{n}E", f"\x1b[{n}F", f"\r\x1b[{n}d",
                f"\x1b[{n};{column}H", f"\x1b[{column}G", "\x1b[K", "\x1b[2K", "\x1b[J", "\x1b[1m", "\x1b[m", "\x1b7", "\x1b8"]
        if not wide:
            some += [f"\x1b[{m}C", f"\x1b[{m}D", "\x1b[1K", "\x1b[1J", "\b"]
        parts.append(dice.choice(some))
    return "".join(parts).encode()


READ_S = 60.0  # what tmux has not read by then it will not


def tmux_shows(folder, writings, wanted, columns, rows):
    """What tmux makes of each, in a window of its own, and once more until that is what is wanted: it takes its time to read.
    The server is ours and ends with us."""
    (folder / "conf").write_text("set -g status off\n")
    tmux = ["tmux", "-S", str(folder / "socket"), "-f", str(folder / "conf")]
    env = {**os.environ, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    env.pop("TMUX", None)
    run = lambda *args: subprocess.run([*tmux, *args], env=env, capture_output=True, check=True, timeout=PATIENCE_S)
    try:
        for i, data in enumerate(writings):
            (folder / f"w{i}").write_bytes(data)
            command = f"stty raw -echo; cat '{folder}/w{i}'; : >'{folder}/done{i}'; exec sleep 1000"
            if i == 0:
                run("-u", "new-session", "-d", "-x", str(columns), "-y", str(rows), command)
            else:
                run("new-window", "-d", "-t", f":{i}", command)
        while not all((folder / f"done{i}").exists() for i in range(len(writings))):
            time.sleep(0.02)
        end = time.monotonic() + READ_S
        for i, want in enumerate(wanted):
            shown = None
            while shown != want and (shown is None or time.monotonic() < end):
                got = run("capture-pane", "-p", "-t", f":{i}").stdout.decode().split("\n")[:rows]
                shown = [line.rstrip(" ") for line in got] + [""] * (rows - len(got))
            yield shown
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, capture_output=True, timeout=PATIENCE_S)


@case("random writing looks as in tmux")
def beside_tmux():
    if not shutil.which("tmux"):
        print("note    tmux is not installed: nothing to compare with")
        return
    writings = [random_writing(seed) for seed in range(24)]
    ours = []
    for data in writings:
        e = Emulator(30, 12, "tmux")
        e.feed(data)
        ours.append(e.screen())
    with tempfile.TemporaryDirectory(prefix="refract-tmux-") as folder:
        for seed, shown in enumerate(tmux_shows(pathlib.Path(folder), writings, ours, 30, 12)):
            if ours[seed] != shown:
                raise AssertionError(f"seed {seed}: {writings[seed]!r}:\nours {ours[seed]}\ntmux {shown}")


@case("the driver types, waits, resizes, and sees what is not put back")
def driver():
    with Terminal(["sh", "-c", "stty -echo; printf 'ready '; read a; stty size; read b; exit 3"]) as t:
        t.wait_for("ready")
        t.resize(61, 17)
        t.type("x\n")
        t.wait_for("17 61")
        try:
            t.check_restored()
            raise SystemError("the driver did not see that there is no echo")
        except AssertionError as why:
            same("local modes" in str(why), True)
        t.press("Enter")
        same(t.wait_exit(), 3)


@case("the driver gives up with the screen")
def gives_up():
    with Terminal(["sh", "-c", "echo here; sleep 1000"]) as t:
        try:
            t.wait_for("there is nothing like this", timeout=0.3)
        except TimedOut as why:
            same("|here" in str(why), True)
            return
    raise AssertionError("it waited for ever")


@case("a paste is in brackets where they are wanted, and cannot end them")
def paste():
    with Terminal(["sh", "-c", "stty raw -echo; printf '\\033[?2004hok'; head -c 17 | od -An -c; "
                   "printf '\\033[?2004l'; stty sane"]) as t:
        t.wait_for("ok")
        t.paste("a\x1b[201~\nbcd")
        t.wait_exit()
        same("033   [   2   0   0   ~   a  \\r   b   c   d 033   [   2   0   1" in t.everything(), True)


def all_cases():
    for name, data, screen, cursor in SCREENS:
        yield f"screen: {name}", lambda d=data, s=screen, c=cursor: shows(d, s, c)
    for name, data in REFUSED:
        yield f"refused: {name}", lambda d=data: refuses(d)
    for plays, question, answer in ANSWERS:
        yield f"{plays} answers {question!r}", lambda p=plays, q=question, a=answer: answers(p, q, a)
    yield from CASES


def main():
    passed = failed = 0
    for name, function in all_cases():
        try:
            function()
            passed += 1
            print(f"ok      {name}")
        except (AssertionError, SystemError) as why:
            failed += 1
            print(f"FAILED  {name}: {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
