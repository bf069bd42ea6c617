#!/usr/bin/env python3
"""refract chat in a terminal with an MCP server: its tools, what it asks the person and the model, and stopping it.

    test_chat_mcp.py PATH-OF-REFRACT [WORDS OF A CASE]...

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import pathlib
import re
import sys
import threading
import urllib.request

import test_chat_commands
from driver import answerable
from test_chat_commands import FOLDER, ask, chat, expect, home_of, leave, ready

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mcp"))
from login_server import LoginServer  # noqa: E402

SERVER = pathlib.Path(__file__).resolve().parents[1] / "mcp" / "agent_server.py"
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def with_server(*args, mode="", more=None, **how):
    entry = {"command": sys.executable, "args": [str(SERVER), mode], "allow": True, **(more or {})}
    home = home_of(**{"config.yaml": json.dumps({"mcp_servers": {"s": entry}})})
    return chat(*args, home=home, columns=120, rows=40, **how)


def answer(t, key):
    answerable(t)
    t.type(key)


@case("the prompt is there before a server is started, and /mcp starts it and says how it is")
def _():
    (FOLDER / "capabilities.json").unlink(missing_ok=True)
    with with_server() as t:
        ready(t)
        expect(not (FOLDER / "capabilities.json").exists(), "it was started before anything was asked")
        ask(t, "/mcp")
        t.wait_for(re.compile(r"\+ s  ready, \d+ tools, agent-server 1.5, MCP 2025-11-25"))
        t.wait_for("(/mcp NAME shows the tools of one)")
        expect("s__echo" not in t.everything(), "its tools are listed")
        ask(t, "/mcp s")
        t.wait_for("s__echo")
        ask(t, "/mcp x")
        t.wait_for('there is no MCP server "x"')
        t.wait_for("There are: s.")
        leave(t)


@case("a server that does not start is one line, and /mcp shows what it wrote")
def _():
    with with_server(mode="crash") as t:
        ready(t)
        ask(t, "Hello")
        t.wait_for('I was given the text "Hello".')
        expect("its tools are not offered" in t.everything(), t.everything())
        ask(t, "/mcp")
        t.wait_for("x s  failed: ended with status 1: no such database")
        t.wait_for("(/mcp NAME shows the tools of one)")
        expect(t.everything().count("no such database") == 2, t.everything())
        ask(t, "/mcp s")
        t.wait_for("agent_server.py crash")
        leave(t)


@case("a server that wants a login is logged in to: who gives it is asked about first, and then the page is named")
def _():
    with LoginServer() as server:
        home = home_of(**{"config.yaml": json.dumps({"mcp_servers": {"s": {"url": server.url, "allow": True}}})})
        with chat(home=home, columns=300, rows=40) as t:
            ready(t)
            ask(t, 's__echo {"text": "herons"}')
            t.wait_for(re.compile(r"agree to log in at 127\.0\.0\.1:\d+, where refract registers itself first"))
            t.wait_for("which is what the MCP server asks: s")
            expect("POST /register" not in server.log, "nobody had agreed")
            answer(t, "y")
            t.wait_for("open this page in your browser")
            address = re.compile(re.escape(server.server.base) + r"/authorize\?\S+")
            t.wait_until(lambda: address.search(t.everything()), what="the address of the page")
            page = address.search(t.everything())[0]
            answer(t, "y")
            threading.Thread(target=lambda: urllib.request.urlopen(page).read(), daemon=True).start()
            t.wait_for("inside the result")
            leave(t)


@case("a tool is asked about with its server named")
def _():
    with with_server(more={"allow": []}) as t:
        ready(t)
        ask(t, 's__echo {"text": "herons"}')
        t.wait_for('which is the tool "echo" of the MCP server "s"')
        answer(t, "y")
        t.wait_for('the text "herons" inside the result')
        leave(t)


@case("a form is filled in line by line, shown whole, and sent when the person agrees")
def _():
    with with_server() as t:
        ready(t)
        ask(t, "s__ask_person")
        t.wait_for("the MCP server s asks you: Who are you?")
        t.wait_for("Your name (required) (Enter answers)")
        ask(t, "Ann")
        t.wait_for("age (a whole number) (Enter answers)")
        ask(t, "old")
        t.wait_until(lambda: t.everything().count("age (a whole number)") == 2, what="asking again")
        ask(t, "7")
        t.wait_for(re.compile(r"sure \(yes or no\) \[\w+\] \(Enter answers\)"))
        t.press("Enter")
        t.wait_for("colour (one of 1: red, 2: green)")
        ask(t, "2")
        t.wait_for("which goes to the MCP server s")
        answer(t, "y")
        t.wait_for(re.compile(r"(?s)I was given.*accept.*Ann.*green"))
        leave(t)


@case("a form is declined, and given up, by a line that says so")
def _():
    for line, want in (("/decline", "decline"), ("/cancel", "cancel")):
        with with_server() as t:
            ready(t)
            ask(t, "s__ask_person")
            t.wait_for("/decline says no, /cancel gives up")
            t.wait_for("Your name (required) (Enter answers)")
            ask(t, line)
            t.wait_for(re.compile(rf'(?s)I was given.*"{want}"'))
            leave(t)


@case("Ctrl-C in the middle of a form gives it up")
def _():
    with with_server() as t:
        ready(t)
        ask(t, "s__ask_person")
        t.wait_for("Your name (required) (Enter answers)")
        t.press("Ctrl-C")
        t.wait_for("stopped")
        ask(t, "Hello")
        t.wait_for(re.compile(r'(?s)I was given.*the text "Hello"\.'))
        leave(t)


@case("a server may ask the model where the person agrees")
def _():
    with with_server() as t:
        ready(t)
        ask(t, "s__ask_model")
        t.wait_for("user: What is a heron?")
        t.wait_for("which is what the MCP server asks: s")
        answer(t, "y")
        t.wait_for(re.compile(r"(?s)I was given.*endTurn"))
        leave(t)


@case("a file for the person alone is saved where no session keeps it, and said")
def _():
    with with_server("--no-save", "--media", str(FOLDER)) as t:
        ready(t)
        ask(t, 's__for_user {"file": true}')
        t.wait_for("refract-1.png: image, 73 B, for you from s__for_user")
        t.wait_for(re.compile(r"(?s)I was given.*s__for_user"))
        expect((FOLDER / "refract-1.png").read_bytes().startswith(b"\x89PNG"), "it is not there")
        leave(t)


@case("how far a call is, is shown, and Ctrl-C cancels it at the server")
def _():
    mark = FOLDER / "cancelled"
    mark.unlink(missing_ok=True)
    with with_server() as t:
        ready(t)
        ask(t, "s__slow")
        t.wait_for("warming up")
        t.press("Ctrl-C")
        t.wait_for("stopped")
        t.wait_until(mark.exists, what="the server being told")
        leave(t)


if __name__ == "__main__":
    test_chat_commands.CASES[:] = CASES
    sys.exit(test_chat_commands.main())
