#!/usr/bin/env python3
"""What a project's .refract.yaml may say, and what it may not until a person has trusted it: a folder that somebody was
given does not redirect conversations, add tools or run anything by itself.

    test_trust.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import contextlib
import http.server
import pathlib
import sys
import tempfile
import threading

import test_cli
from test_ask import KEY, Ask
from test_cli import expect

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
