#!/usr/bin/env python3
"""Choosing a model in a chat: what is typed narrows the list, arrows move, Enter takes, Esc leaves; lists that are missing are
asked for while it stands there.

    test_pick.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import http.server
import json
import os
import re
import sys
import tempfile
import threading
import traceback

from driver import Terminal

REFRACT = os.path.abspath(sys.argv[1])
CASES = []
NAMES = ["gpt-9", "gpt-9-mini", "o9", "text-embedding-9"] + [f"other-{i}" for i in range(30)]


def case(function):
    CASES.append(function)
    return function


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Server(http.server.ThreadingHTTPServer):
    """A list of models, which is held back until it is let go."""

    daemon_threads = True

    def __init__(self):
        self.go, self.asked = threading.Event(), 0
        self.go.set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                outer.go.wait(300)
                data = json.dumps({"data": [{"id": n, "object": "model"} for n in NAMES]}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Who asked has gone."""


def chat(server, home, *args, env=None, **how):
    env = {**(env or {}), "OPENAI_API_KEY": "of-a-test", "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1",
           "XDG_CACHE_HOME": f"{home}/cache"}
    t = Terminal([REFRACT, "chat", *(args or ("-m", "offline")), "--no-save"], cwd=home, env=env, home=home, **how)
    t.wait_for("Ctrl-D leaves")
    t.wait_for(re.compile(r"^>", re.M))
    return t


def leave(t):
    t.press("Ctrl-D")
    expect(t.wait_exit() == 0, "the chat ends")
    t.check_restored()


def open_list(t):
    """From its first row on; it begins at the model in use, which is the last."""
    t.type("/model\r")
    t.wait_for(re.compile(r"^> offline +in use", re.M))
    t.wait_for("openai:other-")
    t.press("Home")
    t.wait_for("openai:gpt-9-mini")


@case
def typed_words_narrow_and_enter_takes(server, home):
    with chat(server, home) as t:
        expect(server.asked == 0, "a start asks nobody")
        open_list(t)
        t.wait_for("type to search")
        expect(not t.sees("text-embedding-9"), "what does not converse is offered")
        t.type("gpt mini")
        t.wait_for(re.compile(r"^> openai:gpt-9-mini", re.M))
        t.wait_for(re.compile(r"  1 of \d+"))
        t.type("\r")
        t.wait_for("model: openai:gpt-9-mini")
        leave(t)


@case
def arrows_move_and_esc_leaves(server, home):
    with chat(server, home) as t:
        open_list(t)
        t.type("gpt-9")
        t.wait_for(re.compile(r"^> openai:gpt-9 ", re.M))
        t.press("Down")
        t.wait_for(re.compile(r"^> openai:gpt-9-mini", re.M))
        t.press("Up")
        t.wait_for(re.compile(r"^> openai:gpt-9 ", re.M))
        t.press("Escape")
        t.wait_gone("type to search")
        expect(not t.sees("model: openai"), "Esc takes nothing")
        t.type("Hello\r")
        t.wait_for("I was given")
        leave(t)


@case
def a_list_that_comes_late_is_put_in_and_delays_nothing(server, home):
    server.go.clear()
    with chat(server, home) as t:
        t.type("/model\r")
        t.wait_for("openai:gpt-5.4-mini")  # well known
        t.type("o9")
        t.wait_for(re.compile(r"  0 of \d+"))
        server.go.set()
        t.wait_for(re.compile(r"^> openai:o9", re.M))
        t.type("\r")
        t.wait_for("model: openai:o9")
        leave(t)


@case
def the_second_time_nobody_is_asked(server, home):
    for _ in range(2):
        with chat(server, home) as t:
            open_list(t)
            t.press("Escape")
            t.wait_gone("type to search")
            leave(t)
    expect(server.asked == 1, server.asked)


@case
def a_small_terminal_has_room_for_it(server, home):
    with chat(server, home, columns=30, rows=10) as t:
        t.type("/model\r")
        t.wait_for("openai:other-")
        t.press("Up", "Up", "Up")
        t.wait_for(re.compile(r"^> openai:other-", re.M))
        t.resize(60, 20)
        t.wait_for("type to search")
        t.press("Ctrl-C")
        t.wait_gone("type to search")
        leave(t)


@case
def tab_completes_a_name_of_the_list(server, home):
    with chat(server, home) as t:
        open_list(t)
        t.press("Escape")
        t.wait_gone("type to search")
        t.type("/model openai:gpt-9-m\t")
        t.wait_for("> /model openai:gpt-9-mini")
        t.press("Ctrl-C")
        leave(t)


@case
def a_name_of_ones_own_is_shown_as_the_model_behind_it(server, home):
    os.makedirs(f"{home}/config/refract")
    with open(f"{home}/config/refract/config.yaml", "w", encoding="utf-8") as file:
        file.write("models: {default: {provider: offline, model: x}}\n")
    with chat(server, home, "--vi") as t:
        t.wait_for(re.compile(r"^  offline:x", re.M))
        t.type("/model\r")
        t.wait_for(re.compile(r"^> default +is offline:x", re.M))
        t.press("Ctrl-C")
        t.wait_gone("type to search")
        leave(t)


@case
def it_begins_at_the_model_in_use(server, home):
    os.makedirs(f"{home}/config/refract")
    with open(f"{home}/config/refract/config.yaml", "w", encoding="utf-8") as file:
        file.write("models: {default: openai:other-7, mine: {provider: offline, model: x}}\n")
    for held in True, False:  # at first the list is not there yet
        if held:
            server.go.clear()
        with chat(server, home, "--vi") as t:
            t.type("/model\r")
            t.wait_for("type to search")
            server.go.set()
            t.wait_for(re.compile(r"^> openai:other-7 +in use", re.M))
            t.press("Ctrl-C")
            t.wait_gone("type to search")
            leave(t)


@case
def nobody_who_leaves_waits_for_a_list(server, home):
    server.go.clear()
    with chat(server, home) as t:
        t.type("/model\r")
        t.wait_until(lambda: server.asked)
        t.press("Escape")
        t.wait_gone("type to search")
        t.wait_for("asking for the lists")
        leave(t)


@case
def a_line_that_waits_for_a_list_can_be_taken_back(server, home):
    server.go.clear()
    with chat(server, home) as t:
        t.type("/model\r")
        t.wait_until(lambda: server.asked)
        t.press("Escape")
        t.wait_gone("type to search")
        t.type("Hello\r")
        t.wait_for("next: Hello")
        t.press("Ctrl-C")
        t.wait_gone("next: Hello")
        t.wait_for(re.compile(r"^> Hello$", re.M))
        server.go.set()
        t.wait_gone("asking for the lists")
        t.settle()
        expect(not t.sees("I was given"), "it was asked")
        t.press("Ctrl-C")
        t.wait_gone("> Hello")
        leave(t)


@case
def a_variable_may_name_a_part_and_nobody_is_asked_which(server, home):
    keys = {"ANTHROPIC_API_KEY": "of-a-test", "GROQ_API_KEY": "of-a-test", "REFRACT_MODEL": "sonnet"}
    with chat(server, home, "--vi", env=keys) as t:
        t.wait_for("model: anthropic:claude-sonnet-5")
        leave(t)


def main():
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as home:
            server = Server()
            try:
                function(server, home)
                print(f"ok      {function.__name__}", flush=True)
            except Exception:  # whatever it is, the others are to run
                failed += 1
                print(f"FAILED  {function.__name__}\n{traceback.format_exc()}")
            server.go.set()
            server.shutdown()
            server.server_close()
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
