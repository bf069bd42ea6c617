#!/usr/bin/env python3
"""Two gateways on one PostgreSQL, one of them killed every minute. Part of `make soak`, not of `make test`.

    with_postgres.py --own soak_shared.py PATH-OF-REFRACT [SECONDS]

Every half minute there is a new key with a small budget. Clients spend it through both gateways until it is refused, while
one of the two is killed and started again. The upstream counts what each key really cost, by the tokens that it told.

No budget may be exceeded by more than the requests that were under way; what the gateways wrote down is what the upstream
told, but for those requests that a killed gateway had under way, each counted once at most. Prints a line a key, then
"N passed, N failed".
"""
import asyncio
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import LIMIT_S, REFRACT, environment

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 3600.0
DATABASE = os.environ.get("REFRACT_TEST_POSTGRES")
MODEL = "openai-chat:gpt-4o"
INPUT, OUTPUT = 2.5, 10.0  # millionths of a dollar a token
TOKENS = (1000, 200)       # of each answer
COST = TOKENS[0] * INPUT + TOKENS[1] * OUTPUT
BUDGET = 60 * COST
CLIENTS = 8
KEY_S, KILL_S = 30, 60


class Upstream:
    """Answers after a moment, and counts what each key cost: its name is the question."""

    def __init__(self):
        self.cost, self.asked = collections.Counter(), collections.Counter()

    async def start(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                body = await reader.readexactly(int(re.search(r"content-length: (\d+)", head, re.I).group(1)))
                name = re.search(rb"I am (key\d+)", body).group(1).decode()
                self.asked[name] += 1
                await asyncio.sleep(random.uniform(0.01, 0.2))
                self.cost[name] += COST
                writer.write(self.stream() if b'"stream":true' in body else self.whole())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def usage(self):
        return {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}

    def reply(self, kind, text):
        return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(text)}\r\n\r\n".encode() + text

    def whole(self):
        return self.reply("application/json", json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "usage": self.usage(),
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}],
        }).encode())

    def stream(self):
        def piece(**more):
            return b"data: " + json.dumps({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
                                           "model": "gpt-4o", **more}).encode() + b"\n\n"
        return self.reply("text/event-stream", b"".join([
            piece(choices=[{"index": 0, "delta": {"role": "assistant", "content": "Yes."}, "finish_reason": None}]),
            piece(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
            piece(choices=[], usage=self.usage()), b"data: [DONE]\n\n"]))


class Instance:
    """A gateway with a home of its own, on the database of both."""

    def __init__(self, folder, upstream, port):
        self.home, self.port, self.process = folder, port, None
        self.env = environment(folder, f"http://127.0.0.1:{upstream}")
        os.makedirs(f"{folder}/refract")
        pathlib.Path(folder, "refract/config.yaml").write_text(
            f"store: {{address: \"{DATABASE}\", blobs: database}}\nserve: {{log: {folder}/access.log}}\n"
            f"models: {{\"{MODEL}\": {{limits: {{price_input: {INPUT}, price_output: {OUTPUT}}}}}}}\n", encoding="utf-8")

    def start(self):
        self.process = subprocess.Popen([REFRACT, "serve", "--listen", f"127.0.0.1:{self.port}"], env=self.env, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=self.home)
        line = self.process.stdout.readline()
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self, how):
        self.process.send_signal(how)
        self.process.wait(LIMIT_S)

    def keys(self, *words):
        done = subprocess.run([REFRACT, "keys", *words], env=self.env, cwd=self.home, capture_output=True, text=True,
                              timeout=LIMIT_S, check=True)
        return done.stdout


class Key:
    def __init__(self, name, instance):
        self.name = name
        self.secret = instance.keys("add", name, "--budget", f"{BUDGET / 1e6:.6f}").strip()
        self.spent, self.lost, self.answers = False, 0, collections.Counter()


def is_spent(reply):
    """Or else it has to wait for what is under way."""
    return b"insufficient_quota" in reply


async def ask(port, key):
    """The status; 0: the gateway went; None: it was not there."""
    stream = random.random() < 0.5
    body = json.dumps({"model": MODEL, "stream": stream, "max_tokens": TOKENS[1],
                       "messages": [{"role": "user", "content": f"I am {key.name}. " + "word " * 900}]}).encode()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionError:
        return None
    try:
        writer.write(f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nauthorization: Bearer {key.secret}\r\n"
                     f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        reply = await asyncio.wait_for(reader.read(), LIMIT_S)
    except ConnectionError:
        return 0
    finally:
        writer.close()
    complete = b'"usage"' in reply or not reply.startswith(b"HTTP/1.1 200")
    key.spent |= is_spent(reply)
    return int(reply.split(b" ", 2)[1]) if reply and complete else 0


async def spend(key, ports):
    while not key.spent:
        status = await ask(random.choice(ports), key)
        key.answers[status] += 1
        key.lost += status == 0
        if status != 200:  # it is starting, has not seen the key yet, or others have to end first
            await asyncio.sleep(0.1)
        if sum(key.answers.values()) > 1000:
            return


async def kill_in_turn(instances, until, kills):
    turn = 0
    while time.monotonic() < until:
        await asyncio.sleep(min(KILL_S, SECONDS / 6))
        turn += 1
        one = instances[turn % 2]
        one.kill(signal.SIGKILL)
        kills.append(time.monotonic())
        one.start()


def judge(key, listed, upstream, faults):
    """`lost` answers may have been counted or not, and by what was expected of them."""
    real, told = upstream.cost[key.name], round(listed["spent"] * 1e6)
    slack = CLIENTS * COST
    print(f"{key.name}: {upstream.asked[key.name]} asked, {key.lost} lost, real {real:.0f}, written down {told}, "
          f"budget {BUDGET:.0f} (millionths of a dollar)", flush=True)
    if real > BUDGET + slack:
        faults.append(f"{key.name}: {real} is more than the budget and what was under way")
    if real < BUDGET - slack - key.lost * 4 * COST:
        faults.append(f"{key.name}: refused at {real}, long before the budget")
    if told < real - key.lost * COST - 1:
        faults.append(f"{key.name}: {told} was written down, less than {real}")
    if told > real + key.lost * 4 * COST + 1:
        faults.append(f"{key.name}: {told} was written down, more than {real}: counted twice?")
    if listed["running"]:
        faults.append(f"{key.name}: {listed['running']} requests still count as running")
    other = set(key.answers) - {None, 0, 200, 401, 429}
    if other:
        faults.append(f"{key.name}: unexpected answers {key.answers}")


async def wait_for_rest(instance):
    """What was reserved by a gateway that was killed is given back after a while."""
    for _ in range(120):
        listed = {k["name"]: k for k in map(json.loads, instance.keys("list", "--json").splitlines())}
        if not any(k["running"] for k in listed.values()):
            break
        await asyncio.sleep(1)
    return listed


async def soak(folder, faults):
    upstream = Upstream()
    await upstream.start()
    instances = [Instance(f"{folder}/{n}", upstream.port, 0) for n in "ab"]
    instances[0].keys("add", "first")  # from now on keys are asked for
    for one in instances:
        one.start()
    until, kills, keys = time.monotonic() + SECONDS, [], []
    killing = asyncio.create_task(kill_in_turn(instances, until, kills))
    while time.monotonic() < until:
        key, began = Key(f"key{len(keys)}", instances[0]), time.monotonic()
        keys.append(key)
        await asyncio.gather(*(spend(key, [i.port for i in instances]) for _ in range(CLIENTS)))
        await asyncio.sleep(max(0, min(KEY_S, SECONDS / 12) - (time.monotonic() - began)))
    await killing
    listed = await wait_for_rest(instances[0])
    for key in keys:
        judge(key, listed[key.name], upstream, faults)
    for one in instances:
        one.kill(signal.SIGTERM)
        if one.process.returncode:
            faults.append(f"told to stop, a gateway ended with {one.process.returncode}")
    print(f"{len(kills)} kills")
    return len(keys)


def main():
    if not DATABASE:
        print("skipped: PostgreSQL is not installed\n0 passed, 0 failed, 1 skipped")
        return
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        count = asyncio.run(soak(folder, faults))
    for fault in faults:
        print("FAULT  ", fault)
    print(f"{count - len(faults)} passed, {len(faults)} failed")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
