#!/usr/bin/env python3
"""JSON on a terminal: whatever its strings hold, nothing in it is obeyed; in a pipe it is the same to the byte.

    test_json.py PATH-OF-REFRACT [WORD OF A CASE...]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from driver import Terminal

REFRACT = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-json-"))
# A colour, a title and a device's answer in C1 controls, DEL, and a mark that turns what follows around.
HARM = "red\u009b31m title\u009d0;mine\u009c who\u009bc\u007f turned\u202etxt.exe\u2066"
SPELLED = "".join(c if " " <= c < "\u007f" else f"\\u{ord(c):04x}" for c in HARM)
HOME = FOLDER / "home"
ENV = {**os.environ, "HOME": str(HOME), "XDG_DATA_HOME": str(HOME / "data"), "XDG_CONFIG_HOME": str(HOME / "config"),
       "XDG_CACHE_HOME": str(HOME / "cache")}
CONVERSATION = {"refract": 1, "messages": [
    {"role": "user", "content": HARM},
    {"role": "assistant", "content": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {HARM: HARM}}]},
    {"role": "tool", "tool_call_id": "c1", "name": "look", "success": True, "content": HARM},
]}
REPLY = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
         "content": [{"type": "text", "text": HARM}], "usage": {"input_tokens": 1, "output_tokens": 1}}
REQUEST = {"model": "gpt-4o", "messages": [{"role": "user", "content": HARM}]}


def write(name, what):
    (FOLDER / name).write_text(what if isinstance(what, str) else json.dumps(what, ensure_ascii=False))


def commands():
    """What prints JSON that somebody else's text is in."""
    for name, what in (("conversation.json", CONVERSATION), ("reply.json", REPLY), ("request.json", REQUEST),
                       ("harm.txt", HARM)):
        write(name, what)
    return {
        "encode": ["encode", "-m", "anthropic:claude-sonnet-4-5", "conversation.json"],
        "decode": ["decode", "-m", "anthropic:claude-sonnet-4-5", "reply.json"],
        "parse": ["parse", "--from", "openai-chat", "request.json"],
        "convert": ["convert", "--from", "openai-chat", "-m", "anthropic:claude-sonnet-4-5", "request.json"],
        "read --json": ["read", "--json", "harm.txt"],
        "sessions show --json": ["sessions", "show", "--json", "last"],
        "ask --dry-run": ["ask", "--dry-run", "-m", "anthropic:claude-sonnet-4-5", HARM],
        "ask --json": ["ask", "--no-save", "--json", "-m", "offline", HARM],
        "ask --stream-json": ["ask", "--no-save", "--stream-json", "-m", "offline", HARM],
    }


def on_terminal(args):
    """All that it writes there; the terminal raises at what it would obey."""
    with Terminal([REFRACT, *args], cwd=FOLDER, home=HOME) as t:
        status = t.wait_exit()
        shown = t.written.decode()
        assert status == 0, f"it ended with {status}: {shown}"
        return shown


def in_pipe(*args):
    done = subprocess.run([REFRACT, *args], cwd=FOLDER, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def check(args):
    for line in in_pipe(*args).split("\n"):
        json.loads(line or "null")
    shown = on_terminal(args)
    assert SPELLED in shown, f"the text is not shown: {shown}"


def main():
    HOME.mkdir()
    cases = commands()
    in_pipe("sessions", "new", "conversation.json")
    words, passed, failed = sys.argv[2:], 0, 0
    for name, args in cases.items():
        if words and not all(w in name for w in words):
            continue
        try:
            check(args)
            passed += 1
            print(f"ok   {name}")
        except Exception as e:
            failed += 1
            print(f"FAIL {name}: {type(e).__name__}: {e}")
    shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
