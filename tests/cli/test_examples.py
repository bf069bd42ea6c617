#!/usr/bin/env python3
"""The programs of examples/ that send, against the simulator.

    test_examples.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

import test_ask
from test_cli import LIMIT_S, expect

CONVERSATION = {"refract": 1, "messages": [{"role": "user", "content": "What is the time?"}]}
AT_ONCE = ["anthropic", "google", "openai", "openai-chat", "bedrock", "mistral", "cohere", "ollama"]
BUSY = "replies:\n  - {status: 429, message: slow down, retry_after_ms: 1}\n  - {text: Noon.}\n"
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Examples(test_ask.Ask):
    def example(self, name, *args, given=""):
        program = pathlib.Path(self.program).resolve().parent / "examples" / name
        return subprocess.run([program, *args], capture_output=True, text=True, cwd=self.folder, env=self.env,
                              input=given, timeout=LIMIT_S, check=False)

    def conversation(self):
        return self.write("conversation.json", json.dumps(CONVERSATION))


@case("many: every dialect is asked at once, and answers")
def _(t):
    with t.simulator() as address:
        models = [t.point(address, provider) for provider in AT_ONCE]
        got = t.example("many", t.conversation(), *models)
    expect(got.returncode == 0, got.stderr)
    for model in models:
        line = next((row for row in got.stdout.splitlines() if row.startswith(model + ", in ")), None)
        expect(line and "What is the time?" in line, f"{model}: {got.stdout}")
    expect(test_ask.KEY not in got.stdout + got.stderr, "the key is shown")


@case("many: one that is busy is tried again, and one that is refused does not stop the others")
def _(t):
    with t.simulator(script=BUSY) as address:
        model = t.point(address, "anthropic")
        got = t.example("many", t.conversation(), model)
        expect(got.returncode == 0 and "Noon." in got.stdout, got.stdout + got.stderr)
        expect(f"{model}: again in " in got.stderr, got.stderr)
    with t.simulator() as address:
        models = [t.point(address, "anthropic"), t.point(address, "openai")]
        del t.env["OPENAI_API_KEY"]
        got = t.example("many", t.conversation(), *models)
        expect(got.returncode == 1 and "there is no key for \"openai\"" in got.stderr, got.stderr)
        expect(models[0] + ", in " in got.stdout, got.stdout)


@case("gateway: a client of another API is answered, until standard input ends")
def _(t):
    body = {"model": "any", "max_tokens": 99, "messages": [{"role": "user", "content": "What is the time?"}]}
    program = pathlib.Path(t.program).resolve().parent / "examples" / "gateway"
    with t.simulator() as address:
        model = t.point(address, "openai")
        with subprocess.Popen([program, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              cwd=t.folder, env=t.env) as gateway:
            url = gateway.stdout.readline().strip() + "/v1/messages"
            request = urllib.request.Request(url, json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=LIMIT_S) as reply:
                answer = json.load(reply)
            gateway.stdin.close()
            expect(gateway.wait(LIMIT_S) == 0, "status")
    expect(answer["type"] == "message" and "What is the time?" in answer["content"][-1]["text"], answer)


@case("models: what every provider lists, once")
def _(t):
    with t.simulator() as address:
        for provider in AT_ONCE:
            t.point(address, provider)
        got = t.example("models")
        expect(got.returncode == 0, got.stderr)
        for name in "anthropic:claude-sonnet-5", "openai:gpt-5.4-mini", "offline":
            expect(f"{name}\t" in got.stdout, got.stdout)
    again = t.example("models")
    expect(again.stdout == got.stdout, "the lists are kept")
    expect(test_ask.KEY not in got.stdout + got.stderr, "the key is shown")


@case("own_http: a request over a plain socket")
def _(t):
    with t.simulator() as address:
        for provider in "anthropic", "bedrock", "openai-chat":
            got = t.example("own_http", t.conversation(), t.point(address, provider))
            expect(got.returncode == 0, got.stderr)
            reply = json.loads(got.stdout)
            expect(reply["role"] == "assistant" and "What is the time?" in got.stdout, got.stdout)


RELAYED = {"model": "claude", "max_tokens": 99, "messages": [{"role": "user", "content": "What is the time?"}],
           "tools": [{"name": "clock.now", "input_schema": {"type": "object"}}]}
SAID = "replies:\n  - {times: 0, text: It is noon., calls: [{name: clock_now, arguments: {zone: UTC}}]}\n"


def relay(t, provider, *options, script=SAID, status=0):
    """What it writes, and what it says beside that."""
    with t.simulator(script=script) as address:
        model = t.point(address, provider)
        got = t.example("relay", model, *options, given=json.dumps(RELAYED))
    expect(got.returncode == status, got.stderr)
    return got.stdout, got.stderr


def events(stream):
    """The messages of a stream of server-sent events, whose names are their types."""
    found = []
    for part in stream.strip().split("\n\n"):
        name, data = part.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        expect(name == "event: " + found[-1]["type"], part)
    return found


@case("relay: a reply of another API as a message, with the tools' own names")
def _(t):
    for provider in "openai-chat", "google", "openai":
        message = json.loads(relay(t, provider)[0])
        expect(message["type"] == "message" and message["stop_reason"] == "tool_use", message)
        text, call = message["content"]
        expect(text["text"] == "It is noon.", message)
        expect(call["name"] == "clock.now" and call["input"] == {"zone": "UTC"}, message)


@case("relay: the same as it streams")
def _(t):
    for provider in "openai-chat", "google", "openai":
        told = events(relay(t, provider, "--stream")[0])
        expect(told[0]["type"] == "message_start" and told[-1]["type"] == "message_stop", told)
        pieces = [e["delta"] for e in told if e["type"] == "content_block_delta"]
        expect("".join(p.get("text", "") for p in pieces) == "It is noon.", pieces)
        expect(json.loads("".join(p.get("partial_json", "") for p in pieces)) == {"zone": "UTC"}, pieces)
        names = [e["content_block"].get("name") for e in told if e["type"] == "content_block_start"]
        expect(names == [None, "clock.now"], names)


@case("relay: refusals, and what breaks off, are errors")
def _(t):
    for options in (), ("--stream",):
        out, err = relay(t, "openai-chat", *options, status=1,
                         script="replies:\n  - {status: 400, message: not like this}\n")
        expect("status: 400\n" in err and "not like this" in json.loads(out)["error"]["message"], out + err)
        out, err = relay(t, "openai-chat", *options, status=1,
                         script="replies:\n  - {status: 429, retry_after_s: 4000, message: slow down}\n")
        expect("status: 429\n" in err and "retry-after-ms: 4000000\n" in err, out + err)
        out = relay_without_key(t, *options)
        expect("there is no key" in json.loads(out)["error"]["message"], out)
    out, err = relay(t, "openai-chat", "--stream", status=1,
                     script="replies:\n  - {text: Hello and good evening to you all, cut_after_bytes: 900}\n")
    told = events(out)
    expect(told[-1]["type"] == "error" and "message_stop" not in out, out)


def relay_without_key(t, *options):
    model = t.point("http://127.0.0.1:9", "openai-chat")
    del t.env["OPENAI_API_KEY"]
    got = t.example("relay", model, *options, given=json.dumps(RELAYED))
    expect(got.returncode == 1, got.stderr)
    return got.stdout


def main():
    failed = 0
    for name, function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Examples(os.path.abspath(sys.argv[1]), folder))
                print(f"ok: {name}")
            except AssertionError as e:
                failed += 1
                print(f"FAILED: {name}: {e}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
