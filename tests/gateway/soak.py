#!/usr/bin/env python3
"""The gateway for an hour, with upstreams that fail in every way. Part of `make soak`, not of `make test`.

    soak.py PATH-OF-REFRACT [SECONDS]

Clients of every API ask models of every API, whole and streamed, with pictures and documents. Between the gateway and the
simulator stands a relay that resets, stalls, sends half of a body, garbage, and storms of 429. Some clients read slowly,
some leave. The configuration is reloaded every ten seconds, every other time a wrong one, and workers are killed.

Every request that its client waited for has to end with a whole answer or with an error in the client's own words, and
neither memory nor descriptors may grow. Prints a line a minute, then "N passed, N failed".
"""
import asyncio
import collections
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import harness
import media_fixtures
from harness import CLIENTS, LIMIT_S, MODELS, PDF, PNG, REFRACT, environment

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 3600.0
CLIENT_COUNT = 24
RELOAD_S, KILL_S, STORM_EVERY_S, STORM_S = 10, 7, 60, 4
PATIENCE_S = 3  # of the gateway with its upstreams, as configured
LARGE = media_fixtures.png(700, (20, 90, 160)) + bytes(400_000)  # with a tail, which pictures may have
WRONG = "serve: {rules: 7}\n"

# The relay

# What becomes of a request, and how often. "fine" has the rest.
FATES = {"reset": 3, "half": 3, "cut": 3, "late": 4, "silent": 1, "stuck": 1, "garbage": 1, "page": 1,
         "500": 3, "503": 2, "529": 2, "429": 2}
STORM = time.monotonic()


def fate():
    if (time.monotonic() - STORM) % STORM_EVERY_S > STORM_EVERY_S - STORM_S:
        return "429"
    at = random.uniform(0, 100)
    for name, share in FATES.items():
        if at < share:
            return name
        at -= share
    return "fine"


class Relay:
    """Passes requests on to the simulator, unless their fate is another."""

    def __init__(self, to):
        self.to, self.fates, self.tasks = to, collections.Counter(), set()

    async def start(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)  # nobody else holds it
        task.add_done_callback(self.tasks.discard)
        try:
            while await self.exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            pass  # the soak is over; streams of asyncio would print that
        finally:
            writer.close()

    async def exchange(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode("latin-1").lower().split("\r\n")[1:] if line)
        if fields.get("expect"):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        chosen = fate()
        self.fates[chosen] += 1
        if chosen == "reset":
            reset(writer)
            return False
        if chosen == "silent":
            await reader.read()  # until the gateway has had enough
            return False
        if chosen.isdigit():
            writer.write(refusal(int(chosen)))
            await writer.drain()
            return True
        if chosen in ("garbage", "page"):
            text = os.urandom(300) if chosen == "garbage" else b"<html><body>Bad gateway</body></html>"
            kind = "application/json" if chosen == "garbage" else "text/html"
            writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(text)}\r\n\r\n".encode() + text)
            await writer.drain()
            return True
        if chosen == "late":
            await asyncio.sleep(random.uniform(0, PATIENCE_S / 2))
        return await self.pass_on(head, body, reader, writer, chosen)

    async def pass_on(self, head, body, reader, writer, chosen):
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith((b"expect:", b"connection:"))]
        sim_reader, sim_writer = await asyncio.open_connection("127.0.0.1", self.to)
        sim_writer.write(b"\r\n".join(lines[:-2] + [b"connection: close", b"", b""]) + body)
        answer = await sim_reader.read()
        sim_writer.close()
        if chosen == "fine" or chosen == "late":
            writer.write(answer)
            await writer.drain()
            return False  # the simulator's head says that it closes
        writer.write(answer[:random.randrange(1, len(answer))])
        await writer.drain()
        if chosen == "half":
            reset(writer)
        elif chosen == "stuck":
            await reader.read()
        return False


def reset(writer):
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


def refusal(status):
    text = json.dumps({"error": {"message": f"the relay says {status}", "type": "api_error", "code": status}}).encode()
    more = "retry-after: 1\r\n" if status == 429 else ""
    head = f"HTTP/1.1 {status} No\r\ncontent-type: application/json\r\n{more}content-length: {len(text)}\r\n\r\n"
    return head.encode() + text


# Clients


KINDS = [(), (), (("look", {}, ("image/png", PNG), False),), (("look", {}, ("application/pdf", PDF), False),),
         (("look", {"at": "left"}, "a lake", False), ("look", {"at": "right"}, ("image/png", PNG), True)),
         (("look", {}, ("image/png", LARGE), False),)]


class Tally:
    def __init__(self):
        self.ends, self.faults, self.asked = collections.Counter(), [], 0

    def fault(self, *what):
        self.faults.append(" ".join(str(w)[:400] for w in what))
        if len(self.faults) <= 20:
            print("FAULT  ", self.faults[-1], flush=True)


async def read_reply(reader, slow):
    """(status, whether it is a stream, body, whether that is all of it)"""
    async def take(n):
        out = b""
        while len(out) < n:
            if slow:
                await asyncio.sleep(0.02)
            piece = await reader.read(min(n - len(out), 512 if slow else 1 << 16))
            if not piece:
                raise ConnectionResetError
            out += piece
        return out
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
    status, streamed = int(head.split(" ", 2)[1]), "event-stream" in fields["content-type"]
    body = b""
    try:
        if "content-length" in fields:
            body = await take(int(fields["content-length"]))
        else:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += await take(size)
                await reader.readexactly(2)
            await reader.readexactly(2)
    except (ConnectionError, asyncio.IncompleteReadError):
        return status, streamed, body, False
    return status, streamed, body, True


def judge(tally, client, model, stream, status, streamed, body, complete):
    """Was it an answer, or an error in the client's words?"""
    try:
        if status == 200 and streamed:
            try:
                client.stream(body)
                end = "streamed"
            except Exception:
                client.stream_error(body)
                end = "stream ended with an error"
        elif status == 200:
            client.whole(body)
            end = "whole"
        else:
            client.error(body)
            end = str(status)
        complete or end == "stream ended with an error" or tally.fault(client.name, model, "cut off:", status, body[-300:])
        tally.ends[end] += 1
    except Exception as e:
        tally.fault(client.name, model, stream, status, repr(e), body[-300:])


async def converse(port, tally):
    client, model, stream = random.choice(CLIENTS), random.choice(MODELS), random.random() < 0.5
    body = json.dumps(client.body(model, stream, "What is it?", random.choice(KINDS))).encode()
    way = random.choices(["reads", "slow", "leaves"], [90, 5, 5])[0]
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    tally.asked += 1
    writer.write(f"POST {client.path(model, stream)} HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n"
                 f"content-length: {len(body)}\r\n\r\n".encode() + body)
    try:
        if way == "leaves":
            await asyncio.sleep(random.uniform(0, 0.1))
            tally.ends["client left"] += 1
            return
        status, *rest = await asyncio.wait_for(read_reply(reader, way == "slow"), LIMIT_S)
        judge(tally, client, model, stream, status, *rest)
        if status == 429:
            await asyncio.sleep(0.2)
    except asyncio.TimeoutError:
        tally.fault(client.name, model, "no end within", LIMIT_S, "s")
    except (ConnectionError, asyncio.IncompleteReadError) as e:
        tally.fault(client.name, model, "no reply at all:", repr(e))
    finally:
        writer.close()


async def keep_asking(port, tally, until):
    while time.monotonic() < until:
        await converse(port, tally)


# Trouble


async def reload(process, home, good, until):
    path, turn = pathlib.Path(home, "refract/config.yaml"), 0
    while time.monotonic() < until:
        await asyncio.sleep(RELOAD_S)
        turn += 1
        path.write_text(WRONG if turn % 2 else good + f"# {turn}\n", encoding="utf-8")
        process.send_signal(signal.SIGHUP)


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().split("(", 1)[1].rsplit(") ", 1)
        except (OSError, IndexError, ValueError):
            continue
        if int(rest.split()[1]) == pid and name.startswith("refract-media"):
            found.append(int(stat.parent.name))
    return found


async def kill_workers(process, tally, until):
    while time.monotonic() < until:
        await asyncio.sleep(KILL_S)
        for pid in children(process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
                tally.ends["(workers killed)"] += 1
            except ProcessLookupError:
                pass


# Growth


def sample(pid):
    """(resident bytes, descriptors)"""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    kib = int(status.split("VmRSS:")[1].split()[0])
    return kib << 10, len(os.listdir(f"/proc/{pid}/fd"))


async def watch(process, sim, tally, samples, began, until):
    minute = 0
    while time.monotonic() < until:
        await asyncio.sleep(2)
        for name, running in (("gateway", process), ("simulator", sim.process)):
            if running.poll() is not None:
                tally.fault("the", name, "ended with", running.returncode)
                return
        samples.append(sample(process.pid))
        if (time.monotonic() - began) // 60 > minute:
            minute += 1
            rss, fds = samples[-1]
            print(f"minute {minute:3}: {tally.asked} asked, {len(tally.faults)} faults, {rss >> 20} MiB, {fds} descriptors",
                  flush=True)


def middle(values):
    return sorted(values)[len(values) // 2]


def check_growth(samples, after, tally):
    """The last quarter beside the second, and what is left when nobody asks any more."""
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter:2 * quarter], samples[-quarter:]
    for i, what, slack in ((0, "bytes", 16 << 20), (1, "descriptors", 16)):
        before, now = middle([s[i] for s in early]), middle([s[i] for s in late])
        print(f"{what}: {before} in the second quarter, {now} in the last, {after[i]} at the end")
        if now > before * 1.25 + slack:
            tally.fault(what, "grew from", before, "to", now)
    if after[1] > 96:
        tally.fault(after[1], "descriptors are left")


async def settle(process):
    """What it holds once idle connections have been closed, or it stays as it is for long."""
    best = sample(process.pid)
    for _ in range(100):
        await asyncio.sleep(1)
        now = sample(process.pid)
        best = min(best, now, key=lambda s: (s[1], s[0]))
        if now[1] <= 48:
            return now
    return best


async def soak(home, sim, tally):
    relay = Relay(sim.port)
    await relay.start()
    good = f"serve: {{first_byte_seconds: {PATIENCE_S}, idle_seconds: {PATIENCE_S}, log: {home}/access.log}}\n"
    os.makedirs(f"{home}/refract")
    pathlib.Path(home, "refract/config.yaml").write_text(good, encoding="utf-8")
    process = subprocess.Popen([REFRACT, "serve", "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=open(f"{home}/said", "wb"), cwd=home, text=True,
                               env=environment(home, f"http://127.0.0.1:{relay.port}"))
    port = int(process.stdout.readline().rsplit(":", 1)[1])
    began = time.monotonic()
    until, samples = began + SECONDS, []
    await asyncio.gather(reload(process, home, good, until), kill_workers(process, tally, until),
                         watch(process, sim, tally, samples, began, until),
                         *(keep_asking(port, tally, until) for _ in range(CLIENT_COUNT)))
    if process.poll() is None:
        check_growth(samples, await settle(process), tally)
        process.send_signal(signal.SIGTERM)
        if process.wait(LIMIT_S) != 0:
            tally.fault("told to stop, it ended with", process.returncode)
    print("fates of requests upstream:", dict(relay.fates.most_common()))
    print("how requests ended:", dict(tally.ends.most_common()))
    said = pathlib.Path(home, "said").read_text(encoding="utf-8", errors="replace")
    refused = said.count("the old configuration stays in force")
    print(f"wrong configurations refused: {refused}")
    if not refused:
        tally.fault("no wrong configuration was refused:", said[-300:])


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as home:
        sim = harness.Sim(home)
        try:
            asyncio.run(soak(home, sim, tally))
        finally:
            sim.stop()
    answered = tally.asked - len(tally.faults)
    print(f"{answered} passed, {len(tally.faults)} failed")
    sys.exit(1 if tally.faults else 0)


if __name__ == "__main__":
    main()
