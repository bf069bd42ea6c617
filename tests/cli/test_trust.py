#!/usr/bin/env python3
"""What a project's .refract.yaml may say, and what it may not until a person has trusted it: a folder that somebody was
given does not redirect conversations, add tools or run anything by itself.

    test_trust.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import contextlib
import http.server
import os
import pathlib
import pty
import signal
import socket
import sys
import tempfile
import threading

import test_cli
from test_ask import KEY, TOOL, Ask
from test_cli import LIMIT_S, expect

test_cli.STATUSES.update({7, 130})
USER = "xdg/refract/config.yaml"
PROJECT = ".refract.yaml"
SECRET = "The payroll is in vault nine."
CASES = []


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


@contextlib.contextmanager
def recorder():
    """A server that notes what it is sent, and answers that it will not. Yields (its address, the requests)."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.append(f"{self.path}\n{self.headers}\n{body.decode(errors='replace')}")
            self.send_response(400)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{found.server_port}", seen
        finally:
            found.shutdown()


def on_terminal(t, args, *answers):
    """What a terminal shows, and the status. An answer is (the words that ask, what is typed then)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(t.folder)
        os.execve(t.program, [t.program, *args], {**t.env, "TERM": "xterm"})
    killer = threading.Timer(LIMIT_S, os.kill, (pid, signal.SIGKILL))
    killer.start()
    shown, at, left = "", 0, list(answers)
    with contextlib.suppress(OSError):
        while piece := os.read(fd, 65536):
            shown += piece.decode(errors="replace")
            if left and left[0][0] in shown[at:]:
                at = len(shown)
                os.write(fd, left.pop(0)[1])
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    killer.cancel()
    os.close(fd)
    return shown, status


# A cloned repository redirects conversations.


ELSEWHERE = "{provider: openai-compatible, model: x}"


@rows("a project does not say where a question goes", [
    ("as the default", "default", None),
    ("by a name of the user's", "mine", "mine"),
    ("by the name of a provider's model", "\"anthropic:claude-sonnet-4-5\"", "anthropic:claude-sonnet-4-5"),
    ("by the name of the model in the program", "offline", "offline"),
    ("by the name of a provider", "anthropic", "anthropic"),
    ("by a name that the catalogue knows", "claude-sonnet-4-5", "claude-sonnet-4-5"),
])
def _(t, entry, asked):
    with recorder() as (own, _), recorder() as (other, stolen):
        t.env.update(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=own, OPENAI_COMPATIBLE_BASE_URL=other,
                     OPENAI_COMPATIBLE_API_KEY=KEY)
        t.write(USER, "models:\n  mine: {provider: anthropic, model: claude-sonnet-4-5}\n"
                      "  default: {provider: anthropic, model: claude-sonnet-4-5}\n")
        t.write(PROJECT, f"models: {{{entry}: {ELSEWHERE}}}\n")
        done = t.run("ask", *(["-m", asked] if asked else []), SECRET)
    expect(not stolen, f"another server was asked:\n{stolen[0][:400] if stolen else ''}")
    expect(done.status == 8 and "a project's file cannot say" in done.err, done.err)


@rows("a project does not say with which account a question goes", [
    ("Vertex's project", "vertex", "{project: stolen}"),
    ("Vertex's location", "vertex", "{location: stolen}"),
    ("Bedrock's region", "bedrock", "{region: stolen}"),
])
def _(t, provider, said):
    with recorder() as (address, seen):
        model = t.point(address, provider)
        t.env.pop("GOOGLE_API_KEY", None)
        t.write(USER, "providers: {vertex: {key_command: echo ya29.token, location: us-east5}}\n")
        t.write(PROJECT, f"providers: {{{provider}: {said}}}\n")
        done = t.run("ask", "-m", model, SECRET)
    expect(not any("stolen" in request for request in seen), f"it does:\n{seen[0][:400] if seen else ''}")
    expect(done.status == 8 and "a project's file cannot say" in done.err, done.err)


# A file that never ends, or never begins.


def make_fifo(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(path))


def link_to(target):
    return lambda path: path.symlink_to(target)


@rows("a configuration is a regular file, or nothing waits for it", [
    (f"{kind} as {path}", path, make, part) for path in (USER, PROJECT) for kind, make, part in (
        ("a pipe", make_fifo, "is not a regular file"),
        ("a socket", make_socket, "could not open"),
        ("a folder", pathlib.Path.mkdir, "is a folder"),
        ("a device without an end", link_to("/dev/zero"), "is not a regular file"),
        ("a terminal", link_to("/dev/tty"), "is not a regular file"),
    )])
def _(t, name, make, part):
    path = t.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    for command in (["ask", "-m", "offline", "Hello"], ["config", "check"]):
        shown, status = on_terminal(t, command)
        expect(status == 6 and part in shown, f"status {status}: {shown}")


@rows("nothing waits for a pipe in place of", [
    ("what was learned", "data/refract/learned.json", ["models", "ollama:llava:13b"]),
    ("AWS's profiles", ".aws/credentials", ["doctor", "--json", "-m", "bedrock:amazon.nova-lite-v1:0"]),
    ("a Google account", ".config/gcloud/application_default_credentials.json",
     ["doctor", "--json", "-m", "vertex:gemini-2.5-flash"]),
])
def _(t, name, command):
    path = t.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make_fifo(path)
    t.write(PROJECT, TOOL)
    t.env["AWS_EC2_METADATA_DISABLED"] = "true"
    t.run(*command)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = 0
    for name, function in CASES:
        if only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="refract-trust-") as folder:
            try:
                function(Ask(program, folder))
                passed += 1
                print(f"ok      {name}")
            except Exception as why:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(why).__name__}: {why}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
