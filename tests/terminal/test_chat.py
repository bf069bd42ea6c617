#!/usr/bin/env python3
"""refract chat in a terminal: typing, streaming, stopping, permission, pictures, pages, sizes, and models that lie.

    test_chat.py PATH-OF-REFRACT

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
import threading
import time

from driver import PATIENCE_S, Terminal, answerable, environment, memory_kib
from player import pdf
from streamer import Say, Streamer

REFRACT = os.path.abspath(sys.argv[1])
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SLOW = any(os.environ.get(name) for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"))
CASES = []
KEY_S = 0.05  # see chat/loop.c
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-chat-"))
MODEL = "openai-chat:gpt-4o"
TOOLS = """tools:
  remove_it:
    description: removes a thing
    command: [echo, removed]
    input_schema: {type: object, properties: {what: {type: string}}}
  nap:
    description: takes a while
    command: [sleep, "1000"]
    allow: yes
"""


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(message)


def chat(*args, env=None, home=None, model="offline", **how):
    return Terminal([REFRACT, "chat", "-m", model, *args], cwd=FOLDER, env=env, home=home, **how)


def ready(t):
    t.wait_for("Ctrl-D leaves")
    t.wait_for(re.compile(r"^>", re.M))


def ask(t, text):
    t.type(text)
    t.press("Enter")


def rest(t, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        t.pump(0.05)


def leave(t):
    t.press("Ctrl-D")
    expect(t.wait_exit() == 0, "it did not end well")
    t.check_restored()


def home_with_tools():
    home = pathlib.Path(tempfile.mkdtemp(prefix="refract-home-", dir=FOLDER))
    (home / "config" / "refract").mkdir(parents=True)
    (home / "config" / "refract" / "config.yaml").write_text(TOOLS)
    return home


@case("a question, its answer, the status line, and the way back")
def _():
    with chat() as t:
        ready(t)
        ask(t, "hello")
        t.wait_for('I was given the text "hello".')
        t.wait_for(re.compile(r"offline · [\d,]+ of 200,000 tokens \(\d+%\) · \d{8}-\w+"))
        expect("> hello" in t.everything(), t.picture())
        leave(t)
        expect("--session" in t.everything(), t.picture())


@case("what was made of a file is called converted, and what was lost is told")
def _():
    fixtures = EXAMPLES.parent / "tests" / "fixtures"
    for name in ("pixel.bmp", "clip.mp4"):
        (FOLDER / name).write_bytes((fixtures / name).read_bytes())
    with chat("--images", "none", columns=140) as t:
        ready(t)
        ask(t, "What is in @pixel.bmp?")
        t.wait_for(re.compile(r"▸ view_image pixel\.bmp → \d+x\d+, converted, \d+ B, \d+\.\d s"))
        t.wait_for("I was given image/")
        ask(t, "What is in @clip.mp4?")
        t.wait_for(re.compile(r"▸ read_file clip\.mp4 → .*, converted to frames, \d+ B; lost: all but 1 frame, \d"))
        leave(t)


@case("a picture: its call is one line with the delivery, and a thumbnail in each way of terminals")
def _():
    for plays, way in (("kitty", "kitty"), ("iterm", "iterm"), ("sixel", "sixel")):
        with chat("--images", way, plays=plays, rows=40) as t:
            ready(t)
            ask(t, "What is in @photo.jpg?")
            t.wait_for("[Image: photo.jpg, 320x240]")
            t.wait_for("I was given image/jpeg")
            expect(re.search(r"▸ view_image photo.jpg → 320x240, native, 11 KB, \d+\.\d s", t.everything()), t.picture())
            expect(len(t.emulator.pictures) == 1, f"{way}: {t.emulator.pictures}")
            leave(t)
    with chat("--images", "none") as t:
        ready(t)
        ask(t, "What is in @photo.jpg?")
        t.wait_for("[Image: photo.jpg, 320x240]")
        expect(not t.emulator.pictures, "a picture was drawn")
        leave(t)


@case("NO_COLOR holds for pictures of blocks too")
def _():
    with chat("--images", "blocks", plays="xterm", env={"NO_COLOR": "1"}) as t:
        ready(t)
        ask(t, "/attach photo.jpg")
        t.wait_for("[Image: photo.jpg, 320x240]")
        t.settle()
        coloured = re.findall(rb"\x1b\[(?:[0-9;]*;)?[34]8;[0-9;]*m|\x1b\[(?:3|4|9|10)[0-7]m", bytes(t.written))
        expect(not coloured, coloured[:5])
        expect(any(c in t.everything() for c in "\u2580\u2584\u2588"), t.picture())
        leave(t)


@case("what the terminal answers is what pictures are shown with")
def _():
    with chat(plays="kitty", rows=40) as t:
        ready(t)
        t.settle()
        ask(t, "What is in @photo.jpg?")
        t.wait_for("I was given image/jpeg")
        expect(len(t.emulator.pictures) == 1, t.picture())
        leave(t)


@case("a PDF over two reads: the line, three lines of text, and how to go on")
def _():
    with chat("--images", "none", columns=100, rows=40) as t:
        ready(t)
        ask(t, "Read @book.pdf")
        t.wait_for("[PDF: book.pdf, pages 1-20 of 30]")
        t.wait_for("(/view, /pages 21-30)")
        t.wait_for("I was given application/pdf")
        ask(t, "/pages")
        t.wait_for("[PDF: book.pdf, pages 21-30 of 30]")
        t.wait_for("with book.pdf#p=21-30")
        leave(t)


@case("a document that is read twice, in one round or two: each part stands under the call that brought it")
def _():
    with Streamer() as s:
        calls = [("read_file", {"file_path": "book.pdf", "page_start": at, "page_end": at + 2}) for at in (0, 4)]
        s.says["apart"] = Say(["Both are read."], calls=calls, at_once=1)
        s.says["together"] = Say(["Both were read."], calls=calls)
        for word, end in (("apart", "Both are read."), ("together", "Both were read.")):
            with chat("--images", "none", model=MODEL, env=s.env(), columns=100, rows=40) as t:
                ready(t)
                ask(t, word)
                t.wait_for(end)
                lines = [line for line in t.everything().splitlines() if line.startswith(("▸", "[PDF"))]
                want = ["▸ read_file book.pdf page_start=0", "[PDF: book.pdf, pages 1-2 of 30]",
                        "▸ read_file book.pdf page_start=4", "[PDF: book.pdf, pages 5-6 of 30]"]
                expect(len(lines) == 4 and all(a.startswith(b) for a, b in zip(lines, want)), f"{word}:\n{t.everything()}")
                leave(t)


@case("typing and streaming do not wait for each other, and a line that is entered meanwhile waits")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(40)], pause_s=0.02, gate=threading.Event())
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word3")
            t.type("typed meanwhile")
            t.wait_for("> typed meanwhile")
            t.press("Enter")
            t.wait_for("next: typed meanwhile")
            t.press("Up")
            t.wait_for("> typed meanwhile")
            t.press("Enter")
            expect("word39" not in t.everything(), t.picture())
            s.says["story"].gate.set()
            t.wait_for("You said: typed meanwhile")
            rows = t.everything()
            expect(rows.index("word39") < rows.index("> typed meanwhile"), rows)
            leave(t)


def type_left_slowly(t):
    """Into "typd", its bytes apart from each other, but never as far as the KEY_S after which Escape is a key of its own. Where
    we were kept from typing in time, once more."""
    late = True
    while late:
        t.press("Ctrl-U")
        t.type("typd")
        t.wait_for("> typd")
        before, late = time.monotonic(), False
        for byte in (b"\x1b", b"[", b"D"):
            now = time.monotonic()
            t.send(byte)
            late = late or time.monotonic() - before >= KEY_S
            before = now
            t.pump(0.01)


@case("a key whose bytes come one by one stays a key while an answer streams")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(4000)], pause_s=0.001, gate=threading.Event())
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word3")
            type_left_slowly(t)
            t.type("e")
            t.wait_for("> typed")
            t.press("Ctrl-C")
            t.wait_for("stopped")
            s.says["story"].gate.set()
            t.press("Ctrl-C")
            t.wait_gone("> typed")
            leave(t)


@case("what is said while an answer comes is an aside: it stands below and goes up after it")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(40)], gate=threading.Event())
        with chat(model=MODEL, env=s.env(), rows=50) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word3")
            ask(t, "/help")
            t.wait_for("leave; the session is kept")
            s.says["story"].gate.set()
            t.wait_for("word39")
            t.settle()
            rows = t.everything()
            expect(rows.index("word39") < rows.index("> /help") < rows.index("leave; the session"), rows)
            leave(t)


@case("Ctrl-C stops the answer, keeps the session and what waits; it empties the line; twice it leaves")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(10)], gate=threading.Event())
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word5")
            ask(t, "and then")
            t.wait_for("next: and then")
            t.press("Ctrl-C")
            t.wait_for("stopped. What was said until then is kept in session ")
            t.wait_for("> and then")
            expect(len(s.asked) == 1, s.asked)
            t.press("Ctrl-C")
            t.wait_gone("> and then")
            ask(t, "go on")
            t.wait_for("You said: go on")
            t.press("Ctrl-C")
            t.wait_for("Ctrl-C again leaves")
            t.wait_gone("Ctrl-C again leaves")
            t.type("\x03\x03")
            expect(t.wait_exit() == 0, "it did not end well")
            t.check_restored()


@case("Ctrl-C while ask waits leaves nothing of the line that says so, and of its own echo")
def _():
    with Streamer() as s:
        s.says["late"] = Say(["never"], wait_s=1000)
        with Terminal([REFRACT, "ask", "-m", MODEL, "late"], cwd=FOLDER, env=s.env()) as t:
            t.wait_for(re.compile(r"waiting for the answer: \d+ s"))
            t.press("Ctrl-C")
            expect(t.wait_exit() == 130, t.picture())
            t.wait_for(re.compile(r"^refract: stopped by the user *$", re.M))
            expect("^C" not in t.everything() and "waiting" not in t.everything(), t.picture())


@case("Ctrl-C at any moment: before the first byte, in a thought, in a call, at a question")
def _():
    with Streamer() as s:
        s.says["late"] = Say(["never"], wait_s=1000)
        s.says["think"] = Say(["never"], thoughts=["thought "] * 2, gate=threading.Event())
        s.says["sleep"] = Say(["never"], calls=[("nap", {})])
        s.says["remove"] = Say(["after all"], calls=[("remove_it", {"what": "all"})])
        with chat(model=MODEL, env=s.env(), home=home_with_tools()) as t:
            ready(t)
            for word, sign in (("late", "works"), ("think", "thinking"), ("sleep", "nap, "), ("remove", "y: yes")):
                ask(t, word)
                t.wait_for(sign)
                t.press("Ctrl-C")
                t.wait_for(re.compile(r"^stopped", re.M))
                t.press("Ctrl-L")
                t.wait_gone("stopped")
            ask(t, "hello")
            t.wait_for("You said: hello")
            leave(t)
        with chat("--no-save", model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "think")
            t.wait_for("thinking")
            t.press("Ctrl-C")
            t.wait_for(re.compile(r"^stopped$", re.M))
            leave(t)


@case("a tool that changes things: all of it is shown, what is typed is not an answer, y runs it once")
def _():
    with Streamer() as s:
        s.says["remove"] = Say(["it is gone"], calls=[("remove_it", {"what": "all \x1b[2J of it"})])
        with chat(model=MODEL, env=s.env(), home=home_with_tools(), rows=40) as t:
            ready(t)
            ask(t, "remove")
            answerable(t)
            t.type("xy")  # what is typed with other keys is not an answer
            t.wait_for("> xy")
            expect("▸ remove_it" not in t.everything(), t.picture())
            t.press("Ctrl-U")
            t.wait_gone("> xy")
            answerable(t)
            t.type("y")
            t.wait_for("yes, once\n▸ remove_it")
            t.wait_for("it is gone")
            ask(t, "remove")
            answerable(t)
            t.type("n")
            t.wait_for("it was not run: permission")
            leave(t)


@case("a thought is one line; Ctrl-O shows it, and the next ones as they come")
def _():
    with Streamer() as s:
        s.says["think"] = Say(["**Done.**"], thoughts=["First I look.\n", "Then I leap."])
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "think")
            t.wait_for(re.compile(r"✻ thought for \d+ s, 26 characters \(Ctrl-O shows\)"))
            t.wait_for("Done.")
            expect("First I look" not in t.everything(), t.picture())
            t.press("Ctrl-O")
            t.wait_for("│ First I look.\n│ Then I leap.")
            ask(t, "think again")
            t.wait_until(lambda: t.everything().count("│ Then I leap.") == 2)
            leave(t)


@case("a model cannot steer the terminal, whatever it writes")
def _():
    with Streamer() as s:
        evil = "a\x1b]0;owned\x07b\x1b[2J\x1b[H\x9b31mc \x1bP1q\x1b\\ [x](javascript:alert(1)) ‮ d\r\n\n" + "x" * 10000 + "\n\nend"
        s.says["evil"] = Say([evil[i:i + 7] for i in range(0, len(evil), 7)], together=50)
        s.says["refuse"] = Say(status=400)
        with chat(model=MODEL, env=s.env(), columns=90) as t:
            ready(t)
            before = t.emulator.title
            ask(t, "evil")
            t.wait_for(re.compile(r"^end$", re.M))
            expect(t.emulator.title == before, "the title changed")
            expect(not [u for u in t.emulator.links() if not u.startswith("http")], t.emulator.links())
            ask(t, "refuse")
            t.wait_for("no ?[2J thanks")
            leave(t)


@case("a path that is pasted is attached and shown; other pastes are text")
def _():
    with chat("--images", "none") as t:
        ready(t)
        shutil.copy(FOLDER / "photo.jpg", FOLDER / "my photo.jpg")
        t.paste(f"{FOLDER}/photo.jpg")
        t.wait_for("[Image: photo.jpg, 320x240]")
        t.wait_for("with photo.jpg")
        t.paste(f"'{FOLDER}/my photo.jpg'\nfile://{FOLDER}/my%20photo.jpg\n{FOLDER}/my\\ photo.jpg")
        t.wait_for("with photo.jpg, my photo.jpg, my photo.jpg, my photo.jpg")
        t.paste("two lines\nof text with /etc/passwd in it")
        t.wait_for("> two lines\n  of text with /etc/passwd in it")
        t.press("Enter")
        t.wait_for("I was given image/jpeg")
        leave(t)


@case("a long paste is sent whole, and its first rows stand in the scrollback")
def _():
    with Streamer() as s:
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            t.paste("\n".join(f"row {i}" for i in range(3000)))
            t.wait_for("[pasted: 3000 lines, ")
            t.press("Enter")
            t.wait_for("You said: row 0 row 1 ")
            rows = t.everything()
            expect("  row 39\n  … 2,960 more rows\n" in rows and "row 40\n" not in rows, rows)
            expect(s.asked[-1].endswith("row 2998\nrow 2999"), s.asked[-1][-50:])
            leave(t)


@case("Ctrl-C takes back files that would go along, once the line is empty")
def _():
    with chat("--images", "none") as t:
        ready(t)
        t.paste("photo.jpg")
        t.wait_for("with photo.jpg")
        t.type("a word")
        t.press("Ctrl-C")
        t.wait_gone("a word")
        t.settle()
        expect(t.sees("with photo.jpg"), t.picture())
        t.press("Ctrl-C")
        t.wait_for("no file goes along any more")
        t.settle()
        expect(not t.sees("with photo.jpg") and not t.sees("again leaves"), t.picture())
        ask(t, "hello")
        t.wait_for('I was given the text "hello".')
        leave(t)


@case("what was typed comes back where there is no key")
def _():
    with chat(model="anthropic:claude-sonnet-4-5") as t:
        ready(t)
        ask(t, "dear model")
        t.wait_for("there is no key")
        t.wait_for("ANTHROPIC_API_KEY")
        t.wait_until(lambda: t.screen().count("> dear model") == 2, what="the line as it was typed")
        t.press("Ctrl-C")
        leave(t)


@case("a provider that has no time is waited for in one line, whatever the number of tries")
def _():
    with Streamer() as s:
        s.says["busy"] = Say(status=429)
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "busy?")
            t.wait_until(lambda: len(s.asked) >= 3, what="the third try")
            t.wait_for(f"{MODEL} is asked again in")
            expect(len(re.findall(r"^note: waiting", t.everything(), re.M)) == 1, t.picture())
            t.press("Ctrl-C")
            t.wait_for("stopped. The question is kept in session ")
            ask(t, "busy still?")
            t.wait_until(lambda: len(re.findall(r"^note: waiting", t.everything(), re.M)) == 2, what="the next question's line")
            t.press("Ctrl-C")
            t.wait_until(lambda: t.everything().count("stopped.") == 2)
            leave(t)


@case("a session goes on where it was left, with what was said last")
def _():
    home = home_with_tools()
    with chat(home=home) as t:
        ready(t)
        ask(t, "remember me")
        t.wait_for('the text "remember me"')
        leave(t)
        session = re.search(r"--session (\S+)", t.everything())[1]
    with Terminal([REFRACT, "chat", "-c"], cwd=FOLDER, home=home) as t:
        t.wait_for(f"session {session}: remember me, 2 messages")
        t.wait_for("> remember me\n\nI was given the text")
        ask(t, "and this")
        t.wait_for('the text "and this"')
        t.wait_for(re.compile(rf"^  offline · .*tokens .* · {session}", re.M))
        leave(t)


@case("sizes: narrow, tiny, wide, and changed while an answer comes")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(60)], pause_s=0.02, gate=threading.Event())
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story 中文字符 wide")
            for columns, rows in ((20, 10), (5, 3), (200, 50), (40, 12)):
                rest(t, 0.2)
                t.resize(columns, rows)
                rest(t, 0.2)
            s.says["story"].gate.set()
            t.wait_for("word59")
            t.settle()
            t.type("still 中文 here")
            t.wait_for("> still 中文 here")
            t.press("Ctrl-U")
            leave(t)


@case("a window that changes while an answer comes leaves each word of it once, where lines are wrapped anew")
def _():
    words = [f"word{i:03d}" for i in range(120)]
    for plays in ("kitty", "iterm", "tmux"):
        for sizes in ([(50, 24)], [(31, 24)], [(50, 24), (80, 24)], [(120, 30)], [(60, 30), (45, 30)]):
            with Streamer() as s:
                gate = threading.Event()
                s.says["story"] = Say([word + " " for word in words] + ["end."], gate=gate)
                with chat(model=MODEL, env=s.env(), plays=plays) as t:
                    ready(t)
                    ask(t, "a story")
                    t.wait_for(words[-1])
                    for size in sizes:
                        t.resize(*size)
                        rest(t, 0.2)
                    gate.set()
                    t.wait_for("end.")
                    t.wait_gone("Ctrl-C stops")
                    text = re.sub(r"\s+", "", str(t.everything()))
                    wrong = [word for word in words if text.count(word) != 1]
                    expect(not wrong, f"{plays} {sizes}: {wrong}\n{t.picture()}")
                    leave(t)


@case("/tokens adds up: what this model reported of itself has a row")
def _():
    with Streamer() as s:
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "hello")
            t.wait_for(re.compile(r"[1-9][\d,]* of 128,000 tokens"))
            ask(t, "/tokens")
            t.wait_for("% of the window")
            rows = dict(re.findall(r"^([a-z]+) +([\d,]+)", t.everything(), re.M))
            count = {name: int(number.replace(",", "")) for name, number in rows.items()}
            parts = sum(count.get(name, 0) for name in ("system", "tools", "frame", "user", "assistant", "tool", "files"))
            expect(rows["window"] == "128,000", rows)
            expect(parts == count["estimate"] and count["total"] > parts, rows)
            leave(t)


STATUS = re.compile(r"offline · ([\d,]+) of 200,000 tokens \((\d+)%\) · ")


@case("the status line, /tokens, chat -c and refract tokens tell one number")
def _():
    home = home_with_tools()
    (FOLDER / "pages.pdf").write_bytes(pdf(12))
    with chat(home=home, rows=60) as t:
        ready(t)
        ask(t, "/attach pages.pdf")
        t.wait_for("pages.pdf")
        ask(t, "What is in @photo.jpg?")
        t.wait_for("the result of view_image call00001.")
        t.settle()
        shown = [STATUS.search("\n".join(t.screen())).groups()]
        ask(t, "/tokens")
        t.wait_for("of the window")
        shown.append((re.search(r"^total +([\d,]+)", t.everything(), re.M)[1],
                      re.search(r"it fits: (\d+)% of the window", t.everything())[1]))
        leave(t)
    with Terminal([REFRACT, "chat", "-c"], cwd=FOLDER, home=home) as t:
        t.wait_for("> What is in photo.jpg?")
        t.wait_for(re.compile(r"[1-9][\d,]* of 200,000 tokens"))
        shown.append(STATUS.search("\n".join(t.screen())).groups())
        leave(t)
    told = subprocess.run([REFRACT, "tokens", "-m", "offline", "--session", "last"], cwd=FOLDER,
                          env=environment(t.emulator.profile, t.home, None), capture_output=True, text=True, check=True).stdout
    shown.append((f'{int(re.search(r"^total +([0-9]+)", told, re.M)[1]):,}',
                  re.search(r"it fits: (\d+)% of the window", told)[1]))
    expect(len(set(shown)) == 1 and int(shown[0][0].replace(",", "")) > 20000, shown)


@case("nothing is lost at the end of a row where a terminal draws a family as its members")
def _():
    with Streamer() as s:
        s.says["kin"] = Say(["The 👨‍👩‍👧‍👦 family, the 👩‍💻 and the 👍🏽 are all at home.\n\nThat is all."])
        for plays in ("xterm", "kitty"):
            with chat(model=MODEL, env=s.env(), plays=plays, columns=20, rows=30) as t:
                ready(t)
                ask(t, "kin")
                t.wait_for("That is all.")
                t.settle()
                words = "".join(t.everything().split())
                expect("family,the👩‍💻andthe👍🏽areallathome.Thatisall.>" in words, f"{plays}:\n{t.picture()}")
                t.type("typed")
                t.wait_for("> typed")
                t.press("Ctrl-U")
                leave(t)


@case("SIGTERM and a window that is closed, in the middle of an answer")
def _():
    with Streamer() as s:
        s.says["story"] = Say([f"word{i} " for i in range(10)], gate=threading.Event())
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word3")
            t.signal(signal.SIGTERM)
            t.wait_exit()
            t.check_restored()
        with chat(model=MODEL, env=s.env()) as t:
            ready(t)
            ask(t, "a story")
            t.wait_for("word3")
            t.hang_up()
            t.process.wait(PATIENCE_S)


@case("100,000 pieces come through whole, and memory stays that of the text")
def _():
    with Streamer() as s:
        count = 10000 if SLOW else 100000
        s.says["long"] = Say([f"w{i} " if i % 50 else f"\n\n## Part {i}\n\n" for i in range(count)], together=100)
        with chat(model=MODEL, env=s.env(), columns=100, rows=30) as t:
            ready(t)
            before = memory_kib(t.process.pid)
            ask(t, "long")
            t.wait_for(f"w{count - 1}")
            t.type("typed")
            t.wait_for("> typed")
            grown = memory_kib(t.process.pid) - before
            expect(SLOW or grown < 40 << 10, f"memory grew by {grown} KiB")
            t.press("Ctrl-U")  # Ctrl-C would stop an answer that has not quite ended, and leave the line
            t.wait_gone("> typed")
            leave(t)


@case("without a terminal, lines are questions; refract alone is usage there and a chat on a terminal")
def _():
    home = tempfile.mkdtemp(dir=FOLDER)
    env = {**os.environ, "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    done = subprocess.run([REFRACT, "chat", "-m", "offline"], input="hello\n/nonsense\n/quit\nnot asked\n", text=True,
                          capture_output=True, env=env, cwd=FOLDER, timeout=PATIENCE_S)
    expect(done.stdout == 'I was given the text "hello".\n', done.stdout)
    expect(done.returncode == 0 and "nonsense" in done.stderr and "\x1b" not in done.stderr, done.stderr)
    alone = subprocess.run([REFRACT], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    expect(alone.returncode == 2, alone)
    with Terminal([REFRACT], cwd=FOLDER, env={"REFRACT_MODEL": "offline"}) as t:
        ready(t)
        leave(t)
    with Terminal([REFRACT, "chat", "-m", "offline"], plays="dumb", cwd=FOLDER) as t:
        t.wait_for(">")
        ask(t, "hello")
        t.wait_for('I was given the text "hello".')
        t.wait_for(re.compile(r"^>$", re.M))
        expect(b"\x1b" not in t.written, bytes(t.written))
        leave(t)


BLIND = """models:
  blind: {provider: offline, model: offline, capabilities: {native_pdf: no, vision: no}}
"""


@case("where a call's line has no room for what came of it, nothing stands before the comma, and no comma")
def _():
    home = pathlib.Path(tempfile.mkdtemp(prefix="refract-home-", dir=FOLDER))
    (home / "config" / "refract").mkdir(parents=True)
    (home / "config" / "refract" / "config.yaml").write_text(BLIND)
    for columns in (60, 80, 100):
        with chat(model="blind", home=home, columns=columns) as t:
            ready(t)
            ask(t, "read @book.pdf")
            t.wait_for(re.compile(r"▸ read_file book\.pdf → \w"), everywhere=True)
            t.wait_for("inside the result", everywhere=True)
            expect("→ ," not in str(t.everything()), t.picture())
            leave(t)


@case("/explain does not say that more was sent of a file than there is, and names types in words")
def _():
    home = pathlib.Path(tempfile.mkdtemp(prefix="refract-home-", dir=FOLDER))
    (home / "config" / "refract").mkdir(parents=True)
    (home / "config" / "refract" / "config.yaml").write_text(
        "models:\n  pages: {provider: offline, model: offline, capabilities: {native_pdf: no}}\n")
    with chat(model="pages", home=home, columns=100) as t:
        ready(t)
        ask(t, "/attach book.pdf#p=1-2")
        t.wait_for("book.pdf")
        ask(t, "What is this?")
        t.wait_for("I was given")
        ask(t, "/explain")
        t.wait_for(re.compile(r"PNG image.*sent, made of \d+ KB"))
        expect("image/png," not in str(t.screen()) and not re.search(r"sent of", str(t.screen())), t.picture())
        leave(t)


KEYS = {"ANTHROPIC_API_KEY": "x", "OPENAI_API_KEY": "y", "XAI_API_KEY": "z"}


@case("with several keys it asks once which model shall answer, and keeps that")
def _():
    home = pathlib.Path(tempfile.mkdtemp(prefix="refract-home-", dir=FOLDER))
    with Terminal([REFRACT, "chat"], cwd=FOLDER, home=str(home), env=KEYS) as t:
        t.wait_for("Several keys are set. Which model shall answer?")
        t.wait_for("  1  anthropic:claude-sonnet-5 (ANTHROPIC_API_KEY is set)")
        t.wait_for("(1 to 3; Enter takes 1)")
        ask(t, "7")
        t.wait_for(re.compile(r"takes 1\) 7\s+that is not one of them \(1 to 3; Enter takes 1\)"))
        ask(t, "12")
        t.wait_for(re.compile(r"takes 1\) 12\s+that is not one of them \(1 to 3; Enter takes 1\)"))
        ask(t, "2")
        ready(t)
        t.wait_for("model: openai:gpt-5.4-mini (kept;")
        leave(t)
    with Terminal([REFRACT, "chat"], cwd=FOLDER, home=str(home), env=KEYS) as t:
        ready(t)
        t.wait_for("openai:gpt-5.4-mini ·")
        expect("Several keys" not in str(t.everything()), t.everything())
        leave(t)


@case("it does not ask which model where one is named, or where there is one key")
def _():
    for args, env, part in ((["-m", "offline"], KEYS, "offline ·"),
                            ([], {"OPENAI_API_KEY": "y"}, "model: openai:gpt-5.4-mini (OPENAI_API_KEY is set;")):
        with Terminal([REFRACT, "chat", *args], cwd=FOLDER, env=env) as t:
            ready(t)
            t.wait_for(part)
            expect("Several keys" not in str(t.everything()), t.everything())
            leave(t)


def main():
    passed = failed = 0
    wanted = sys.argv[2:]
    shutil.copy(EXAMPLES / "photo.jpg", FOLDER / "photo.jpg")
    (FOLDER / "book.pdf").write_bytes(pdf(30))
    for name, function in CASES:
        if wanted and not any(w in name for w in wanted):
            continue
        began = time.monotonic()
        try:
            function()
            passed += 1
            print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}", flush=True)
    shutil.rmtree(FOLDER)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
