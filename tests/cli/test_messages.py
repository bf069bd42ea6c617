#!/usr/bin/env python3
"""What is said to people, in the words that it is said in: each case is a message that once was wrong.

    test_messages.py PATH-OF-REFRACT [PART-OF-A-NAME]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import socket
import sys

from test_ask import run_cases
from test_cli import expect
from test_read import pdf

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def closed_port():
    """One that nothing listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# doctor


@case("doctor does not call a server good that is not there")
def _(t):
    port = closed_port()
    t.env["OLLAMA_HOST"] = f"127.0.0.1:{port}"
    line = next(line for line in t.run("doctor").out.decode().splitlines() if " ollama " in line)
    expect(line.startswith(f"! provider ollama     needs no key; could not reach 127.0.0.1:{port}: "), line)
    done = t.run("doctor", "-m", "ollama:x", "--json")
    expect(done.status == 8, done.status)


@case("doctor says that a server without a key answers")
def _(t):
    with t.simulator() as address:
        t.point(address, "ollama")
        line = next(line for line in t.run("doctor").out.decode().splitlines() if " ollama " in line)
    expect(line == f"+ provider ollama     needs no key; {address}/ollama answers", line)


@case("doctor lists all that is wrong in the configuration, and what works without it")
def _(t):
    t.write("xdg/refract/config.yaml", "limits: {pages: lots, pagse: 3}\nfetch: perhaps\n")
    done = t.run("doctor", "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    wrong = [f["what"].partition("config.yaml")[2] for f in found if f["area"] == "config"]
    expect(done.status == 8 and wrong == [':1: limit "pages": expected a number from 1 to 10000',
                                          ':1: there is no limit "pagse"',
                                          ':2: "fetch": expected true or false'], wrong)
    expect(any(f["area"] == "worker" for f in found), found)


# Names


@case("what is piped in has one ending, which is that of its bytes")
def _(t):
    t.env.update(OPENAI_API_KEY="x")
    for given, name in ((b'{"a": 1}', "stdin.json"), (b"A line.\n", "stdin.txt"), (pdf(["A page."]), "stdin.pdf")):
        done = t.ask("-n", "-m", "openai:gpt-5.4-mini", "-a", "-", "What?", given=given)
        (file,) = [part for part in done.json()["input"][0]["content"] if part["type"] == "input_file"]
        expect(file["filename"] == name and done.err.startswith("+ stdin "), f"{file['filename']}: {done.err}")


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
