#!/usr/bin/env python3
"""Mistakes, long waits and narrow terminals: what is said, and what it looks like.

    test_mistakes.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from test_ask import saying, server
from test_cli import LIMIT_S, Cli, expect, png

CASES = []
NOTHING = b'{"refract": 1, "messages": [{"role": "user", "content": "What?"}]}'


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", lambda t, rest=rest: function(t, *rest)))
        return function
    return add


class Mistaken(Cli):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.env.update(XDG_DATA_HOME=f"{folder}/data", XDG_CACHE_HOME=f"{folder}/cache")
        self.write("talk.json", NOTHING)
        self.write("docs/photo.png", png())
        self.write("secret/photo.png", png())

    def on_terminal(self, *args, columns=80, hears=lambda text: None, **env):
        """(status, what a terminal of that width is sent). Whoever hears is told what there is by then."""
        lead, follow = pty.openpty()
        fcntl.ioctl(follow, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([self.program, *args], stdin=subprocess.DEVNULL, stdout=follow,
                                   stderr=follow, cwd=self.folder, env={**self.env, **env})
        os.close(follow)
        text = b""
        with contextlib.suppress(OSError):  # the other side is closed
            while piece := os.read(lead, 65536):
                text += piece
                hears(text)
        os.close(lead)
        return process.wait(timeout=LIMIT_S), text.decode().replace("\r\n", "\n")


@rows("a mistake says what was meant", [
    ("a file", 6, "Did you mean talk.json?", "encode", "-m", "offline", "tlak.json"),
    ("a reply", 6, "Did you mean talk.json?", "decode", "-m", "offline", "talks.json"),
    ("a request", 6, "Did you mean talk.json?", "parse", "--from", "anthropic", "tak.json"),
    ("an archive", 6, "Did you mean talk.json?", "sessions", "import", "talk.jsn"),
    ("a file in a folder", 6, "Did you mean docs/photo.png?", "read", "docs/foto.png"),
    ("a part of one", 6, "Did you mean docs/photo.png?", "read", "docs/phto.png#xywh=0,0,1,1"),
    ("an attachment", 6, "Did you mean docs/photo.png?", "ask", "-a", "docs/photo.pgn", "What?"),
    ("an action", 2, "Did you mean check? It takes path, show, check, get, set or unset.", "config", "chekc"),
    ("an action of many", 2, "Did you mean export? It takes list,", "sessions", "exprot"),
    ("a command", 2, "Did you mean completion?", "compltion"),
    ("a session before there is one", 6, '"refract chat" and "refract ask" begin one', "chat", "-c"),
    ("an option without its command", 2, "Options come after a command, as in refract ask -m MODEL -a FILE", "-m", "offline"),
    ("an option before a question", 2, "as in refract ask -m MODEL", "-a", "docs/photo.png", "hi there"),
    ("a question without quotes", 2, "hint: A question goes in quotes, or after ask: refract ask \"What ...\"",
     "What", "is", "in", "docs/photo.png"),
    ("a question of one word", 2, "hint: A question goes in quotes, or after ask: refract ask \"what?\"", "what?",
     "-a", "docs/photo.png"),
    ("a command with words after it", 2, "Did you mean sessions? A question goes in quotes", "sesions", "show", "x"),
    ("an option", 2, "Did you mean --no-save?", "ask", "--no-sav", "x"),
    ("a dialect", 2, "Did you mean anthropic? Known here: anthropic,", "parse", "--from", "antropic"),
    ("a shell", 2, "It takes bash, zsh, fish, models, sessions or prompts.", "completion", "powershell"),
    ("a provider", 2, "Did you mean mistral?", "ask", "-m", "mistrl:x", "x"),
    ("a model without its provider", 2, "Did you mean anthropic:claude-sonnet-4-5?", "ask", "-m",
     "claude-sonnet-4-5", "x"),
    ("a model that is nearly one", 2, "Did you mean anthropic:claude-sonnet-5", "ask", "-m",
     "claude-sonet", "x"),
    ("a temperature that is a word", 2, "refract: temperature: expected a number from 0 to 2\n", "ask", "--temperature",
     "abc", "x"),
    ("a system prompt of no file", 2, "--system: a file is named after the @\nhint: As in --system @prompt.txt.", "ask",
     "--system", "@", "x"),
    ("a picture in the place of a conversation", 6, 'docs/photo.png: line 1, column 1: expected a value\n'
     'hint: It is read as a conversation, in JSON; "refract deliveries docs/photo.png" says', "tokens", "-m", "offline",
     "docs/photo.png"),
    ("a number below 0", 8, 'limit "pages": expected a number from 1 to', "config", "set", "limits.pages", "-3"),
    ("a variable in the configuration", 2, "Write export ANTHROPIC_API_KEY=... in the shell", "config", "set",
     "ANTHROPIC_API_KEY", "x"),
    ("pages that are none", 2, "--pages: \"x\" names no pages", "read", "docs/photo.png", "--pages", "x"),
    ("pages backwards", 2, "counted from 1, as in --pages 3-5,8", "read", "docs/photo.png", "--pages",
     "5-3"),
    ("pages from 0", 2, "counted from 1", "read", "docs/photo.png", "--pages", "0-2"),
    ("pages with a comma too many", 2, "names no pages", "read", "docs/photo.png", "--pages", "1,"),
])
def _(t, status, part, *args):
    done = t.run(*args)
    expect(done.status == status and part in done.err, f"{done.status}: {done.err}")


@case("what an option takes is said once")
def _(t):
    expect(t.run("ask", "--temperature", "3", "x").err == "refract: temperature: expected a number from 0 to 2\n", "")


@case("names outside of the root are not given away")
def _(t):
    done = t.run("read", "--root", "docs", "secret/foto.png")
    expect(done.status in (6, 7) and "photo" not in done.err, done.err)


@case("a name that could not be shown is not offered")
def _(t):
    t.write("rep\x1b]0;x\x07ort.txt", "x")
    done = t.run("encode", "-m", "offline", "report.txt")
    expect(done.status == 6 and "Did you mean" not in done.err, done.err)


@case("a name cannot turn the text around it")
def _(t):
    done = t.run("encode", "-m", "offline", "a\u202egnp.exe\u2066")
    expect(done.status == 6 and '"a?gnp.exe?"' in done.err, done.err)


@rows("a key that is missing says how to go on", [
    ("anthropic", "anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    ("openai", "openai:gpt-5-mini", "OPENAI_API_KEY"),
    ("google", "google:gemini-3-pro-preview", "GEMINI_API_KEY"),
    ("openrouter", "openrouter:x/y", "OPENROUTER_API_KEY"),
])
def _(t, model, variable):
    done = t.run("ask", "-m", model, "Hello")
    expect(done.status == 8, done.status)
    for part in (variable, "key_command", "-m offline"):
        expect(part in done.err, f"no {part}: {done.err}")


@case("a model that is nearly one of the catalogue gets a note, and is sent")
def _(t):
    done = t.good("encode", "-m", "anthropic:claude-sonet-4-5", "talk.json")
    expect(done.json()["model"] == "claude-sonet-4-5", done.out)
    expect(done.err == 'note: the catalogue does not know the model "claude-sonet-4-5"; did you mean '
                       '"claude-sonnet-4-5"?\n', done.err)
    expect("did you mean claude-sonnet-4-5?" in t.good("models", "anthropic:claude-sonet-4-5").err, "")


WRONG = """models:
  a: {provider: anthropc, model: x}
  b: {provider: anthropic, model: x, capabilites: {vision: yes}}
  b: {provider: ollama, model: x}
  c: {provider: ollama, model: [x]}
  d: {provider: ollama, model: x, capabilities: {vision: maybe, visoin: yes}}
modles: {}
limits: {pages: lots, pagse: 3}
limits: {pages: 3}
fetch: perhaps
providers: {anthropic: {base_ulr: x}}
tools:
  frob: {comand: x}
"""
FOUND = [(2, 'unknown provider "anthropc"', "anthropic"), (3, 'unknown key "capabilites"', "capabilities"),
         (4, '"b" is given twice', "line 3"), (5, '"model": expected a text, found a list', ""),
         (6, '"maybe" is not a value for "vision"', "yes or no"), (6, 'there is no fact "visoin"', "vision"),
         (7, 'unknown key "modles"', "models"), (8, 'limit "pages": expected a number', ""),
         (8, 'there is no limit "pagse"', "pages"), (9, '"limits" is given twice', "line 8"),
         (10, '"fetch": expected true or false', ""), (11, 'unknown key "base_ulr"', "base_url"),
         (13, 'unknown key "comand"', "command")]


@case("config check finds all that is wrong, with its line")
def _(t):
    t.write("xdg/refract/config.yaml", WRONG)
    done = t.run("config", "check")
    expect(done.status == 8, done.status)
    problems = re.findall(r"^refract: (.*)(?:\nhint: (.*))?$", done.err, re.M)
    for line, what, hint in FOUND:
        expect(any(f"config.yaml:{line}: {what}" in said and hint in help for said, help in problems),
               f"{line}: {what}, {hint}: {done.err}")


@case("config check notes a model that is probably misspelled, which is not an error")
def _(t):
    t.write(".refract.yaml", "models:\n  a: {provider: anthropic, model: claude-sonet-4-5}\n")
    done = t.good("config", "check")
    expect(done.err.startswith('note: ./.refract.yaml:2: the catalogue does not know the model'), done.err)
    expect("Did you mean claude-sonnet-4-5?" in done.err, done.err)
    expect("./.refract.yaml: no problems" in done.out.decode(), done.out)


@case("config check notes what serve cannot work with")
def _(t):
    t.write("xdg/refract/config.yaml", "serve:\n  max_body: 2MiB\n  max_in_flight: 1MiB\n"
                                       "  tls: {certificate: /nowhere/c.pem, key: /nowhere/k.pem}\n"
                                       "  log: /nowhere/log.jsonl\n")
    done = t.good("config", "check")
    expect('"log": the folder of "/nowhere/log.jsonl" is not there' in done.err, done.err)
    expect('"max_in_flight" (1048576) is less than "max_body" (2097152)' in done.err, done.err)
    for name, path in (("certificate", "/nowhere/c.pem"), ("key", "/nowhere/k.pem")):
        expect(f'"tls": the file of "{name}", "{path}", is not there' in done.err, done.err)


@case("config check refuses an address that serve cannot listen on, and a store of another kind, with status 8")
def _(t):
    for text, said in (("serve:\n  listen: 8484x\n", 'config.yaml:2: "serve": "listen": "8484x" is not an address to listen on'),
                       ("\nstore: mysql://host/x\n", 'config.yaml:2: "store": there is no storage "mysql:"')):
        t.write("xdg/refract/config.yaml", text)
        for command in (("config", "check"), ("serve",)):
            done = t.run(*command)
            expect(done.status == 8 and said in done.err, (command, done))


# Waiting.


def ask_slowly(t, wait, hears=lambda text: None, **env):
    with server(*saying("text", "Late."), wait=wait) as address:
        return t.on_terminal("ask", "-m", "anthropic:claude-sonnet-4-5", "What?", hears=hears,
                             ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=address, **env)


@case("ask says that it waits, and wipes it before the answer")
def _(t):
    said = threading.Event()
    status, text = ask_slowly(t, said.wait, lambda seen: said.set() if b"answer: 1 s" in seen else None)
    expect(status == 0, text)
    expect(re.search(r"\rwaiting for the answer: \d+ s\x1b\[K\r\x1b\[K(Late\.\r\x1b\[J)?Late\.\n", text), repr(text))


@case("TERM=dumb has no line that goes away, and no colours")
def _(t):
    status, text = ask_slowly(t, lambda: time.sleep(0.8), TERM="dumb")
    expect(status == 0 and "\r" not in text and "\x1b" not in text and "Late." in text, repr(text))


# Narrow and wide terminals.


@rows("no line is wider than the terminal", [
    (f"{' '.join(args)}, {columns} columns", columns, args)
    for columns in (20, 40, 80, 200)
    for args in (("doctor",), ("sessions", "list"), ("models",), ("help",), ("ask", "--help"),
                 ("models", "anthropic:claude-sonnet-4-5"), ("completion", "--help"))])
def _(t, columns, args):
    t.good("ask", "-m", "offline", "A question that is long enough for a title that does not fit")
    _, text = t.on_terminal(*args, columns=columns)
    text = text.replace("\x1b[K", "")  # on a slow machine doctor says that it looks
    expect("\x1b" not in text, "colours")
    # A word is never broken: a name, a path, a usage line is as long as it is. Progress is drawn over itself.
    wide = [line for line in re.split(r"[\r\n]", text) if len(line) > columns and " " in line.strip()
            and not re.match(r"usage:|       refract|    ?[a-z -]|  .{0,4}--|[+!x] |[a-z_0-9]+: |anthropic:", line)]
    expect(not wide, wide)


def main(path):
    failed = 0
    for name, function in CASES:
        with tempfile.TemporaryDirectory(prefix="refract-mistakes-") as folder:
            try:
                function(Mistaken(path, folder))
                print(f"ok      {name}")
            except Exception as problem:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
