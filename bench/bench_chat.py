#!/usr/bin/env python3
"""The chat on a terminal: how soon it is ready, what a long answer costs, how soon a typed key is seen meanwhile.

    bench_chat.py PATH-OF-REFRACT [--json FILE] [--rounds N]

The terminal is a pseudo-terminal whose other end we read as fast as it comes, without looking at it as the tests do:
what is measured is the chat. The model is a thread of ours that sends bytes which were made before. Rows are those of
bench.h. The machine is taken to be noisy, as there: the best round counts.
"""
import argparse
import json
import os
import pathlib
import re
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "terminal"))
from driver import Terminal, memory_kib  # noqa: E402

TOKENS = 100_000
KEYS, KEY_ROUNDS = 40, 8
KEY = b"Z"        # in no word of the answer, and the end of no sequence that the chat writes
CTRL_U = b"\x15"
FRAME = b"\x1b[?2026h"
READY = b"Ctrl-D leaves"
READY_MS, KEY_MS, FRAMES_A_SECOND, DRAWING_BYTES = 30, 50, 65, 300
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class Bench:
    """Rows as bench.c prints and writes them; a ratio beyond its goal fails the run."""

    def __init__(self, path):
        self.json, self.missed = path, False
        print(f"{'name':<44} {'value':>10} {'unit':<6} {'ratio':>7}  {'to':<24} {'goal':>8}")

    def row(self, name, value, unit, ratio, against, goal):
        ok = ratio <= goal
        self.missed |= not ok
        print(f"{name:<44} {value:10.3f} {unit:<6} {ratio:7.2f}  {against:<24} <= {goal:5.2f}",
              "pass" if ok else "FAIL", flush=True)
        if self.json:
            with open(self.json, "a", encoding="utf-8") as f:
                f.write(json.dumps({"name": name, "value": value, "unit": unit, "ratio": ratio, "against": against,
                                    "goal": f"<= {goal:g}", "ok": ok}, separators=(",", ":")) + "\n")


def event(text, finish=None):
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}]}
    return b"data: " + json.dumps(body, separators=(",", ":")).encode() + b"\n\n"


def answer():
    """Words in paragraphs with headings, lists and code: a piece for each token."""
    pieces = []
    for i in range(TOKENS - 1):
        pieces.append(f"\n\n## part {i}\n\n" if i % 997 == 0 else
                      "\n\n```c\nint x;\n```\n\n" if i % 499 == 0 else
                      "\n- " if i % 41 == 0 else "\n\n" if i % 83 == 0 else f"w{i} ")
    return pieces + ["\n\nthe end of it"]


class Model:
    """Answers with the same bytes each time, shortly to "hello"; an endless one goes round in them until it is left."""

    def __init__(self, pieces, endless=False, pause_s=0.0):
        events = list(map(event, pieces))
        self.data, self.pause_s = (events if pause_s else [b"".join(events)]), pause_s
        self.endless = endless
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()

    def env(self):
        port = self.server.getsockname()[1]
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "key"}

    def serve(self):
        while True:
            connection = self.server.accept()[0]
            with connection:
                try:
                    self.talk(connection)
                except OSError:  # whoever asked has gone
                    pass

    def talk(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        head, _, body = head.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(body) < length:
            body += connection.recv(65536)
        long = b"at length" in body
        connection.sendall(HEAD)
        for data in self.data if long else [event("hello yourself")]:
            connection.sendall(data)
            time.sleep(self.pause_s)
        while self.endless and long:
            connection.sendall(self.data[0])
        connection.sendall(event("", "stop") + b"data: [DONE]\n\n")
        connection.shutdown(socket.SHUT_WR)


class Reader:
    """The other end of the terminal: bytes as they come."""

    def __init__(self, terminal):
        self.fd, self.count, self.frames, self.tail = terminal.master, 0, 0, b""

    def until(self, wanted, seconds=60):
        """Read until `wanted` was written; gives what is after it back to the next."""
        end = time.monotonic() + seconds
        while wanted not in self.tail:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"bench_chat: {wanted!r} did not come in {seconds} s")
            data = os.read(self.fd, 1 << 16)
            self.count += len(data)
            self.frames += data.count(FRAME)
            self.tail = self.tail[-64:] + data
        self.tail = self.tail.partition(wanted)[2]

    def for_seconds(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                data = os.read(self.fd, 1 << 16)
                self.count += len(data)
                self.frames += data.count(FRAME)
        self.tail = b""


def chat(refract, folder, model="offline", env=None):
    return Terminal([refract, "chat", "-m", model, "--images", "none"], plays="silent", columns=100, rows=40,
                    cwd=folder, env=env)


def measure_start(bench, refract, folder, rounds):
    times = []
    for _ in range(rounds):
        with chat(refract, folder) as t:
            reader = Reader(t)
            reader.until(READY)
            reader.until(b">")
            times.append((time.monotonic() - t.started) * 1e3)
    best = min(times)
    bench.row("chat: from the start to the prompt", best, "ms", best / READY_MS, f"{READY_MS} ms", 1)


def ask_time(refract, folder, env):
    """What the same answer takes when `refract ask` writes it into a pipe."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([refract, "ask", "-m", "openai-chat:gpt-4o", "--no-save", "at length"], check=True, cwd=folder,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       env={"PATH": os.environ["PATH"], "HOME": home, **env})
    return time.monotonic() - begun


def measure_answer(bench, refract, folder):
    pieces = answer()
    text = len("".join(pieces).encode())
    model = Model(pieces)
    with chat(refract, folder, "openai-chat:gpt-4o", model.env()) as t:
        reader = Reader(t)
        reader.until(READY)
        os.write(t.master, b"hello\r")  # libraries are loaded
        reader.until(b"hello yourself")
        reader.for_seconds(0.3)
        before, reader.count, reader.frames = memory_kib(t.process.pid), 0, 0
        begun = time.monotonic()
        os.write(t.master, b"at length\r")
        reader.until(b"the end of it")
        took = time.monotonic() - begun
        reader.for_seconds(0.3)
        grown = (memory_kib(t.process.pid) - before) * 1024
    plain = min(ask_time(refract, folder, model.env()) for _ in range(3))
    bench.row(f"chat: an answer of {TOKENS:,} tokens", took, "s", took / plain, "refract ask to a pipe", 2)
    bench.row("bytes written for it", reader.count / 1e6, "MB", reader.count / text, "its text", 2)
    bench.row("memory for it", grown / 1e6, "MB", grown / text, "its text", 10)


def type_keys(reader, master):
    """How long each took until it was seen, in ms."""
    times = []
    for i in range(KEYS):
        at = time.monotonic()
        os.write(master, KEY)
        reader.until(KEY, 10)
        times.append((time.monotonic() - at) * 1e3)
        reader.for_seconds(0.003 * (i % 7))  # at any time of a frame
    os.write(master, CTRL_U)
    reader.for_seconds(0.1)
    return times


def measure_keys(bench, refract, folder):
    """Keys are typed one by one while an answer comes as fast as it can."""
    model = Model(answer()[:10_000], endless=True)
    with chat(refract, folder, "openai-chat:gpt-4o", model.env()) as t:
        reader = Reader(t)
        reader.until(READY)
        os.write(t.master, b"at length\r")
        reader.until(b"w1")
        reader.frames, begun = 0, time.monotonic()
        late = min(statistics.quantiles(type_keys(reader, t.master), n=20)[-1] for _ in range(KEY_ROUNDS))
        rate = reader.frames / (time.monotonic() - begun)
    bench.row("a typed key is seen meanwhile, 95 of 100", late, "ms", late / KEY_MS, f"{KEY_MS} ms", 1)
    bench.row("drawings a second meanwhile", rate, "", rate / FRAMES_A_SECOND, f"{FRAMES_A_SECOND} a second", 1)


def measure_drawings(bench, refract, folder):
    """An answer at the pace of a real one, 100 tokens a second: what goes over the line for each drawing."""
    model = Model(answer()[:300] + ["\n\nthe end of it"], pause_s=0.01)
    with chat(refract, folder, "openai-chat:gpt-4o", model.env()) as t:
        reader = Reader(t)
        reader.until(READY)
        reader.for_seconds(0.2)
        reader.count = reader.frames = 0
        os.write(t.master, b"at length\r")
        reader.until(b"the end of it")
    each = reader.count / reader.frames
    bench.row("a drawing of one at 100 tokens a second", each, "B", each / DRAWING_BYTES, f"{DRAWING_BYTES} bytes", 1)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("refract", type=os.path.abspath)
    options.add_argument("--json")
    options.add_argument("--rounds", type=int, default=30)
    o = options.parse_args()
    bench = Bench(o.json)
    with tempfile.TemporaryDirectory(prefix="refract-bench-") as folder:
        measure_start(bench, o.refract, folder, o.rounds)
        measure_answer(bench, o.refract, folder)
        measure_drawings(bench, o.refract, folder)
        measure_keys(bench, o.refract, folder)
    sys.exit(bench.missed)


if __name__ == "__main__":
    main()
