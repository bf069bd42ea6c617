#!/usr/bin/env python3
"""refract chat in a terminal: commands about what is written, asked again, copied and paid for; long pastes; prompts.

    test_chat_commands.py PATH-OF-REFRACT [WORDS OF A CASE]...

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from driver import PATIENCE_S, Terminal
from streamer import Say, Streamer, nobody

REFRACT = os.path.abspath(sys.argv[1])
CASES = []
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-chat-"))
MODEL = "openai-chat:gpt-4o"


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(message)


def chat(*args, model="offline", **how):
    return Terminal([REFRACT, "chat", "-m", model, *args], cwd=FOLDER, **how)


def ready(t):
    t.wait_for("Ctrl-D leaves")
    t.wait_for(re.compile(r"^>", re.M))


def ask(t, text):
    t.type(text)
    t.press("Enter")


def leave(t):
    t.press("Ctrl-D")
    expect(t.wait_exit() == 0, "it did not end well")
    t.check_restored()


def home_of(**files):
    home = pathlib.Path(tempfile.mkdtemp(prefix="refract-home-", dir=FOLDER))
    for name, text in files.items():
        path = home / "config" / "refract" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return home


def run(home, *args, more=(), **how):
    env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": f"{home}/data", "XDG_CONFIG_HOME": f"{home}/config",
           "XDG_CACHE_HOME": f"{home}/cache", **dict(more)}
    how = {"stdin": subprocess.DEVNULL, **how} if "input" not in how else how
    return subprocess.run([REFRACT, *args], capture_output=True, text=True, env=env, cwd=FOLDER, timeout=PATIENCE_S,
                          **how)


def sessions(home):
    done = run(home, "sessions", "list")
    expect(done.returncode == 0, done.stderr)
    return done.stdout


def program(name, script):
    path = FOLDER / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


@case("/new begins another session and names the one that is kept")
def _():
    home = home_of()
    with chat(home=home, columns=120) as t:
        ready(t)
        ask(t, "the first one")
        t.wait_for('I was given the text "the first one".')
        ask(t, "/new")
        t.wait_for(re.compile(r"a new session; \d{8}-\w+ \(the first one\) is kept, /resume \d{8}-\w+ goes back"))
        first = re.search(r"a new session; (\S+)", t.everything()).group(1)
        ask(t, "the second one")
        t.wait_for('I was given the text "the second one".')
        ask(t, f"/resume {first}")
        t.wait_for(re.compile(r"(?s)the second one.*I was given the text \"the first one\""))
        leave(t)
    listed = sessions(home)
    expect("the first one" in listed and "the second one" in listed, listed)


@case("/retry asks again in a fork, and the answer before is kept in its session")
def _():
    home = home_of()
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home, columns=120) as t:
        s.says["colour"] = Say(["Red."])
        ready(t)
        ask(t, "which colour?")
        t.wait_for("Red.")
        s.says["colour"] = Say(["Blue."])
        ask(t, "/retry")
        t.wait_for("once more: which colour?")
        t.wait_for("Blue.")
        t.wait_for(re.compile(r"the answer before is kept in session \d{8}-\w+"))
        old = re.search(r"kept in session (\S+)", t.everything()).group(1)
        ask(t, "/session")
        t.wait_for(f"forked from {old} after 1 message")
        ask(t, f"/resume {old}")
        t.wait_for(re.compile(r"(?s)Blue.*Red\."))
        leave(t)


@case("/retry before anything was asked, and after a refusal in the same session")
def _():
    with Streamer() as s, chat(model=MODEL, env=s.env(), columns=120) as t:
        ready(t)
        ask(t, "/retry")
        t.wait_for("nothing was asked yet")
        s.says["colour"] = Say(status=400)
        ask(t, "which colour?")
        t.wait_for("thanks")
        s.says["colour"] = Say(["Blue."])
        ask(t, "/retry")
        t.wait_for("Blue.")
        expect("the answer before is kept" not in t.everything(), t.picture())
        leave(t)


@case("/retry leaves the files that wait for the next question, and shows them")
def _():
    (FOLDER / "waits.txt").write_text("not for this one\n")
    with Streamer() as s, chat(model=MODEL, env=s.env(), columns=120) as t:
        s.says["colour"] = Say(["Red."])
        ready(t)
        ask(t, "which colour?")
        t.wait_for("Red.")
        ask(t, "/attach waits.txt")
        t.wait_for("with waits.txt")
        s.says["colour"] = Say(["Blue."])
        ask(t, "/retry")
        t.wait_for(re.compile(r"(?s)Blue\..*the answer before is kept"))
        expect("not for this one" not in str(s.requests[-1]), s.requests[-1])
        t.wait_for("with waits.txt")
        s.says["now"] = Say(["Read."])
        ask(t, "and now?")
        t.wait_for("Read.")
        expect("not for this one" in str(s.requests[-1]), s.requests[-1])
        t.wait_gone("with waits.txt")
        leave(t)


@case("a session that was there before stays, though /retry in it reaches no server")
def _():
    home = home_of()
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home, columns=120) as t:
        s.says["colour"] = Say(status=400)
        ready(t)
        ask(t, "which colour?")
        t.wait_for("thanks")
        leave(t)
    kept = sessions(home)
    expect("which colour?" in kept, kept)
    for lines in (("/resume 1", "/retry"), ("/resume 1", "/retry", "/retry")):
        with nobody() as gone, chat(model=MODEL, env=gone, home=home, columns=120) as t:
            ready(t)
            for n, line in enumerate(lines):
                ask(t, line)
                t.wait_for(re.compile(r"(?s)(refract: could not reach.*){%d}" % n if n else "which colour.?, 1 message"))
            leave(t)
        expect(sessions(home) == kept, sessions(home))


@case("a question that no server has seen leaves no session, also where it was asked again")
def _():
    home = home_of()
    with nobody() as gone, chat(model=MODEL, env=gone, home=home, columns=120) as t:
        ready(t)
        for n, line in enumerate(("which colour?", "/retry"), 1):
            ask(t, line)
            t.wait_for(re.compile(r"(?s)(refract: could not reach.*){%d}" % n))
        leave(t)
    expect("which colour?" not in sessions(home), sessions(home))


@case("/edit and Ctrl-G: the editor gets the text, has the terminal as it was, and its text is in the line")
def _():
    editor = program("editor", 'stty -a > "$1.modes"; cp "$1.modes" modes; cp "$1" given; '
                               'printf "from the editor\\nin two lines\\n" > "$1"\n')
    with chat(env={"VISUAL": editor + " ", "EDITOR": "false"}) as t:
        ready(t)
        t.type("a draft")
        t.press("Ctrl-G")
        t.wait_for(re.compile(r"> from the editor\s+in two lines"))
        expect((FOLDER / "given").read_text() == "a draft\n", "the draft was not given")
        modes = (FOLDER / "modes").read_text().split()
        expect("icanon" in modes and "echo" in modes, "the editor had a raw terminal")
        t.press("Enter")
        t.wait_for("I was given the text \"from the editor")
        ask(t, "/edit")
        t.wait_for(re.compile(r"(?s)I was given.*> from the editor\s+in two lines"))
        expect((FOLDER / "given").read_text() == "from the editor\nin two lines\n", "not the last question")
        t.press("Ctrl-C")
        ask(t, "/edit begin with this")
        t.wait_for(re.compile(r"(?s)begin with this.*> from the editor"))
        expect((FOLDER / "given").read_text() == "begin with this\n", (FOLDER / "given").read_text())
        t.press("Ctrl-C")
        leave(t)


@case("an editor that fails is said, and the text is as it was")
def _():
    broken = program("broken", 'echo lost > "$1"; stty raw -echo; exit 3\n')
    for editor, words in ((broken, "failed with status 3"), ("/none/such", "could not be started")):
        with chat(env={"EDITOR": editor}, columns=120) as t:
            ready(t)
            t.type("a draft")
            t.press("Ctrl-G")
            t.wait_for(words)
            t.wait_for(re.compile(r"^> a draft$", re.M))
            t.press("Enter")
            t.wait_for('I was given the text "a draft".')
            leave(t)


ANSWER = ["Here:\n\n```python\nprint(1)\n```\n\nand\n\n~~~~\nplain\n~~~\nstill\n~~~~\n\ndone\n"]


@case("/copy: the answer or one of its code blocks, through the terminal or by the desktop's program")
def _():
    bin_folder = FOLDER / "bin"
    bin_folder.mkdir(exist_ok=True)
    program("bin/wl-copy", f'cat > "{FOLDER}/copied"\n')
    with Streamer() as s, chat(model=MODEL, env=s.env(), columns=120) as t:
        s.says["code"] = Say(ANSWER)
        t.emulator.may_copy = True
        ready(t)
        ask(t, "/copy")
        t.wait_for("there is no answer yet to copy")
        ask(t, "code")
        t.wait_for("done")
        ask(t, "/copy")
        t.wait_for(re.compile(r"\+ copied the last answer: 15 lines, \d+ B, through the terminal, where"))
        expect(t.emulator.clipboard == "".join(ANSWER).encode(), t.emulator.clipboard)
        ask(t, "/copy 1")
        t.wait_for("+ copied code block 1 of 2, python: 1 line, 9 B")
        expect(t.emulator.clipboard == b"print(1)\n", t.emulator.clipboard)
        ask(t, "/copy 2")
        t.wait_for("+ copied code block 2 of 2: 3 lines")
        expect(t.emulator.clipboard == b"plain\n~~~\nstill\n", t.emulator.clipboard)
        ask(t, "/copy 3")
        t.wait_for("x the last answer has 2 code blocks")
        s.says["list"] = Say(["- first\n\n  ```sh\n  if true; then\n      ls\n  fi\n  ```\n"])
        ask(t, "list")
        t.wait_for("first")
        ask(t, "/copy 1")
        t.wait_for("+ copied code block 1 of 1, sh: 3 lines")
        expect(t.emulator.clipboard == b"if true; then\n    ls\nfi\n", t.emulator.clipboard)
        leave(t)
    env = {"WAYLAND_DISPLAY": "wayland-9", "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    with chat(env=env) as t:
        t.emulator.may_copy = True
        ready(t)
        ask(t, "hello")
        t.wait_for('I was given the text "hello".')
        ask(t, "/copy")
        t.wait_for(re.compile(r"\+ copied the last answer: 1 line, \d+ B$", re.M))
        expect((FOLDER / "copied").read_text() == 'I was given the text "hello".', "the program got something else")
        leave(t)


@case("/system shows, sets and takes away what the model is told, and the session keeps it")
def _():
    home = home_of()
    with Streamer() as s, chat("-s", "Be brief.", model=MODEL, env=s.env(), home=home, columns=120) as t:
        ready(t)
        ask(t, "/system")
        t.wait_for(re.compile(r"^Be brief\.$", re.M))
        ask(t, "/system Answer in French.")
        t.wait_for("this is the system prompt from the next question on")
        ask(t, "/system")
        t.wait_for(re.compile(r"^Answer in French\.$", re.M))
        ask(t, "hello there")
        t.wait_for(re.compile(r"(?s)> hello there.*hello there"))
        t.wait_for(re.compile(r"tokens.*\d{8}-"))
        expect(s.requests[-1]["messages"][0] == {"role": "system", "content": "Answer in French."}, s.requests[-1])
        (FOLDER / "told.txt").write_text("Answer in rhymes.\n")
        ask(t, "/system @nowhere.txt")
        t.wait_for('could not read "nowhere.txt"')
        ask(t, "/system @-")
        t.wait_for("/system takes a file, and not the input of the chat")
        ask(t, "/system @told.txt")
        ask(t, "/system")
        t.wait_for(re.compile(r"^Answer in rhymes\.$", re.M))
        ask(t, "/system -")
        t.wait_for("no system prompt from the next question on")
        ask(t, "and now")
        t.wait_for(re.compile(r"(?s)> and now.*and now"))
        t.wait_until(lambda: len(s.requests) >= 2)
        expect(s.requests[-1]["messages"][0]["role"] == "user", s.requests[-1])
        ask(t, "/system")
        t.wait_for("there is no system prompt")
        leave(t)


PRICES = 'models:\n  "openai-chat:gpt-4o": {limits: {price_input: 2.5, price_output: 10}}\n'


@case("/cost: what a cache gives has a price of its own")
def _():
    prices = PRICES.replace("price_output: 10", "price_output: 10, price_cached: 1")
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home_of(**{"config.yaml": prices}), columns=120) as t:
        usage = {"prompt_tokens": 2000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1500}}
        s.says["first"] = Say(["One."], usage=usage)
        ready(t)
        ask(t, "first")
        t.wait_for("One.")
        ask(t, "/cost")
        t.wait_for(re.compile(r"1 +2,000 in +100 out +1,500 cached +\$0\.003[78]  first"))  # 0.00125 + 0.0015 + 0.001
        t.wait_for("openai-chat:gpt-4o: $2.5 for a million tokens in, $10 out, $1 cached")
        expect(not t.sees("at the full price"), "no word of that")


@case("/cost: tokens of each question and in all, what they cost, and what is not known")
def _():
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home_of(**{"config.yaml": PRICES}), columns=120) as t:
        usage = {"prompt_tokens": 2000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1500}}
        s.says["first"], s.says["second"] = Say(["One."], usage=usage), Say(["Two."], usage=usage)
        ready(t)
        ask(t, "/cost")
        t.wait_for("nothing was answered in this session yet")
        ask(t, "first")
        t.wait_for("One.")
        ask(t, "second")
        t.wait_for("Two.")
        ask(t, "/cost")
        t.wait_for(re.compile(r"1 +2,000 in +100 out +1,500 cached +\$0\.0060  first"))
        t.wait_for(re.compile(r"2 +2,000 in +100 out +1,500 cached +\$0\.0060  second"))
        t.wait_for(re.compile(r"total +4,000 in +200 out +3,000 cached +\$0\.01\d+"))
        t.wait_for("openai-chat:gpt-4o: $2.5 for a million tokens in, $10 out")
        t.wait_for("what was cached is counted at the full price")
        expect(not t.sees("chat: all answers"), "the session is all")
        ask(t, "/retry")
        t.wait_for("once more: second")
        t.wait_until(lambda: len(s.requests) == 3)
        ask(t, "/cost")
        t.wait_for(re.compile(r"total +4,000 in +200 out +3,000 cached +\$0\.01\d+(?s:.*)"
                              r"chat +6,000 in +300 out +4,500 cached +\$0\.018\d"))
        ask(t, "/new")
        ask(t, "/cost")
        t.wait_for(re.compile(r"nothing was answered in this session yet\s+chat +6,000 in +300 out"))
        leave(t)
    with chat("--no-save", columns=120) as t:
        ready(t)
        ask(t, "hello")
        t.wait_for('I was given the text "hello".')
        ask(t, "/cost")
        t.wait_for(re.compile(r"1 .* in .* out +\d cached +\$\?  hello"))
        t.wait_for("the price is not known of offline:offline")
        ask(t, "/new")
        t.wait_for("nothing is kept of the one before")
        ask(t, "/cost")
        t.wait_for("nothing was answered in this session yet")
        ask(t, "/exit")
        expect(t.wait_exit() == 0, "it did not end well")
        t.check_restored()


@case("a session is called by the first line of its first question, and by the name that it is given")
def _():
    home = home_of()
    words = "What would you say about a question that is so long that no list of sessions could ever show all of it?"
    with chat(home=home, columns=140) as t:
        ready(t)
        t.type(words)
        t.press("Alt-Enter")
        ask(t, "and a second line")
        t.wait_for("I was given the text")
        ask(t, "/resume")
        t.wait_for(re.compile(r"1 +\S+ +now +What would you say .* could ever show all… \(this one\)"))
        ask(t, "/session title Long questions")
        t.wait_for(": Long questions")
        ask(t, "more")
        t.wait_for('I was given the text "more".')
        ask(t, "/resume")
        t.wait_for(re.compile(r"1 +\S+ +now +Long questions \(this one\)"))
        ask(t, "/resume 99")
        t.wait_for(re.compile(r'there is no session "99"\s+hint: /resume lists 1 to 1; or give an id\.'))
        leave(t)
    expect("Long questions" in sessions(home), sessions(home))


LONG = "".join(f"line {i:04}\n" for i in range(1, 121))
LABEL = "[pasted: 120 lines, 1.2 KB]"


@case("a long paste is one character of the line, is sent whole, and comes back from the history as one")
def _():
    with Streamer() as s, chat(model=MODEL, env=s.env(), columns=100) as t:
        s.says["look"] = Say(["Seen."])
        s.says["again"] = Say(["Seen again."])
        ready(t)
        t.type("look: ")
        t.paste(LONG)
        t.wait_for(f"> look: {LABEL}")
        t.type(" and ")
        t.paste("x" * 2500)
        t.wait_for(f"> look: {LABEL} and [pasted: 1 line, 2.5 KB]")
        t.press("Backspace")
        t.wait_for(re.compile(rf"> look: {re.escape(LABEL)} and\s*$", re.M))
        t.paste("short\ntwo")
        t.wait_for(re.compile(rf"> look: {re.escape(LABEL)} and short\s+two", re.M))
        t.press("Up", "Home", *["Right"] * 6)
        t.wait_until(lambda: t.emulator.grid.column == 2 + len("look: "), what="the cursor before it")
        t.press("Right")
        t.wait_until(lambda: t.emulator.grid.column == 2 + len("look: " + LABEL), what="the cursor after it")
        t.press("Down", "Enter")
        t.wait_for("Seen.")
        expect(s.asked[-1] == f"look: {LONG} and short\ntwo", s.asked[-1])
        t.press("Up")
        t.wait_for(re.compile(rf"(?s)Seen\..*> look: {re.escape(LABEL)} and short"))
        t.press("Up", "Home", "Delete", "Delete", "Delete", "Delete")
        t.type("again")
        t.press("Enter")
        t.wait_for("Seen again.")
        expect(s.asked[-1] == f"again: {LONG} and short\ntwo", s.asked[-1])
        leave(t)


@case("an editor is shown a paste unfolded, and what it left alone is folded again")
def _():
    editor = program("appends", 'cp "$1" given; printf "more\\n" >> "$1"\n')
    with Streamer() as s, chat(model=MODEL, env={**s.env(), "EDITOR": editor}, columns=100) as t:
        s.says["look"] = Say(["Seen."])
        ready(t)
        t.type("look: ")
        t.paste(LONG.strip())
        t.wait_for(LABEL)
        t.press("Ctrl-G")
        t.wait_for(re.compile(rf"> look: {re.escape(LABEL)}\s+more"))
        expect((FOLDER / "given").read_text() == f"look: {LONG}", "the editor did not get all of it")
        t.press("Enter")
        t.wait_for("Seen.")
        expect(s.asked[-1] == f"look: {LONG}more", s.asked[-1])
        leave(t)


REVIEW = """---
description: looks for mistakes
---
Review @$1 for $$2 mistakes; mind: $2.
"""


@case("a prompt of one's own: its arguments, its errors, Tab, /help, and the command that comes before it")
def _():
    home = home_of(**{"prompts__review.md": REVIEW, "prompts__all.md": "Say: $@", "prompts__plain.md": "Just this.\n",
                      "prompts__new.md": "never", "prompts__bad name.md": "never", "prompts__x.txt": "never"})
    (FOLDER / "code.c").write_text("int main;\n")
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home, columns=120, rows=40) as t:
        for word in ("Review", "Say", "Just"):
            s.says[word] = Say([f"{word}ed."])
        ready(t)
        ask(t, "/help")
        t.wait_for(re.compile(r"/review +looks for mistakes"))
        t.wait_for(re.compile(r"/all +a prompt of yours"))
        t.wait_for(re.compile(r"/new +a prompt of yours \(not used here: /new is a command; ask -p new has it\)"))
        t.type("/rev")
        t.press("Tab")
        t.wait_for("> /review ")
        t.type("code")
        t.press("Enter")
        t.wait_for('the prompt "review" needs $2, and was given 1 argument')
        ask(t, '/review code.c "the style of it"')
        t.wait_for("Reviewed.")
        said = s.requests[-1]["messages"][-1]["content"]
        expect(said[0]["text"] == "Review code.c for $2 mistakes; mind: the style of it.", said)
        expect("code.c (text" in said[1]["text"], said)
        ask(t, "/review a b c")
        t.wait_for('the prompt "review" has no place for "c": its last one is $2')
        ask(t, "/all  it's  \"all\" ")
        t.wait_for("Sayed.")
        expect(s.asked[-1] == "Say: it's  \"all\"", s.asked[-1])
        ask(t, "/plain and more")
        t.wait_for("Justed.")
        expect(s.asked[-1] == "Just this.\n\nand more", s.asked[-1])
        ask(t, "/new")
        t.wait_for("/new is a command, and not your prompt of that name")
        t.wait_for("a new session")
        ask(t, "/revue")
        t.wait_for('there is no command "/revue"')
        leave(t)


@case("ask -p asks with a prompt, and says which one is near or what is missing")
def _():
    home = home_of(**{"prompts__review.md": REVIEW.replace("@", ""), "prompts__open.md": "---\nnot ended\n\n$1"})
    done = run(home, "ask", "-m", "offline", "-p", "review", "it", "the style")
    expect(done.stdout == 'I was given the text "Review it for $2 mistakes; mind: the style.".\n', done)
    done = run(home, "ask", "-m", "offline", "-p", "open", "x")
    expect("not ended" in done.stdout and done.returncode == 0, done)
    for args, words in ((("review", "x"), 'the prompt "review" needs $2'), (("revew",), "Did you mean review?"),
                        (("../x",), "cannot be the name of a prompt"), (("other",), "prompts/other.md")):
        done = run(home, "ask", "-m", "offline", "-p", *args)
        expect(done.returncode in (2, 6) and words in done.stderr and not done.stdout, done)
    done = run(home, "ask", "-m", "offline", "-p", "review", "a", "b", input="piped in\n")
    expect("Review a for $2" in done.stdout and "piped in" in done.stdout + done.stderr, done)
    done = run(home, "completion", "prompts")
    expect(done.stdout == "open\ta prompt of yours\nreview\tlooks for mistakes\n", done)
    done = run(home, "chat", "-m", "offline", input="/review a\n/review a b\n")
    expect("needs $2" in done.stdout + done.stderr and "mind: b." in done.stdout, done)


@case("a prompt names files outside of the folder only by what was typed")
def _():
    home = home_of(**{"prompts__peek.md": "Look at @~/secret.txt", "prompts__see.md": "Look at @$1"})
    (home / "secret.txt").write_text("nobody but me\n")
    with Streamer() as s, chat(model=MODEL, env=s.env(), home=home, columns=120) as t:
        s.says["Look"] = Say(["Looked."])
        ready(t)
        ask(t, "/peek")
        t.wait_for("Looked.")
        expect("secret.txt (text" not in str(s.requests[-1]), s.requests[-1])
        ask(t, "/see ~/secret.txt")
        t.wait_for(re.compile(r"(?s)Looked\..*Looked\."))
        expect("secret.txt (text" in str(s.requests[-1]), s.requests[-1])
        leave(t)


@case("what is typed after a prompt is typed too where the terminal can do nothing")
def _():
    home = home_of(**{"prompts__see.md": "Look at @$1"})
    (home / "secret.txt").write_text("nobody but me\n")
    with Streamer() as s, chat(model=MODEL, env={**s.env(), "TERM": "dumb"}, home=home, columns=120) as t:
        s.says["Look"] = Say(["Looked."])
        t.wait_for(re.compile(r"^>", re.M))
        ask(t, "/see ~/secret.txt")
        t.wait_for("Looked.")
        expect("secret.txt (text" in str(s.requests[-1]), s.requests[-1])
        t.press("Ctrl-D")
        expect(t.wait_exit() == 0, "it did not end well")
    with Streamer() as s:
        s.says["Look"] = Say(["Looked."])
        done = run(home, "chat", "-m", MODEL, input="/see ~/secret.txt\n", more=s.env())
        expect("Looked." in done.stdout and "secret.txt (text" not in str(s.requests[-1]), s.requests[-1])


def main():
    passed = failed = 0
    wanted = sys.argv[2:]
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
