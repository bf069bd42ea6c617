#!/usr/bin/env python3
"""refract sim: the server, spoken to over sockets as somebody else's program would.

    test_sim.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from test_cli import LIMIT_S, expect, png

CASES = []
REFRACT = os.path.abspath(sys.argv[1])
KEY = {"x-api-key": "sk-not-to-be-seen", "content-type": "application/json"}


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Sim:
    def __init__(self, *options):
        self.process = subprocess.Popen([REFRACT, "sim", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode().strip()
        self.port = int(line.rsplit(":", 1)[1]) if line else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, err = self.process.communicate(timeout=LIMIT_S)
        self.err = err.decode()
        return self.process.returncode

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)

    def ask(self, body, path="/anthropic/v1/messages", headers=KEY, connection=None):
        c = connection or self.connect()
        c.request("POST", path, body if isinstance(body, bytes) else json.dumps(body), headers)
        r = c.getresponse()
        return r, r.read()


def question(text="Hello?", **more):
    return {"model": "claude-sonnet-4-5", "max_tokens": 999, "messages": [{"role": "user", "content": text}], **more}


def script(folder, text):
    path = os.path.join(folder, "script.yaml")
    with open(path, "w") as f:
        f.write(text)
    return path


@case("an answer, and a line about it without the key")
def _(folder):
    with Sim() as sim:
        r, body = sim.ask(question())
        expect(r.status == 200 and r.headers["content-type"] == "application/json", r.status)
        expect("Hello?" in json.loads(body)["content"][0]["text"], body)
        status = sim.stop()
    expect(status == 0, status)
    expect("anthropic:claude-sonnet-4-5 200" in sim.err and "sk-not" not in sim.err, sim.err)


@case("quiet says nothing, and an interrupt ends it")
def _(folder):
    with Sim("-q") as sim:
        sim.ask(question())
        expect(sim.stop(signal.SIGINT) == 0 and sim.err == "", sim.err)


@case("a stream comes in pieces on a connection that is used again")
def _(folder):
    with Sim() as sim:
        c = sim.connect()
        for _ in range(3):
            r, body = sim.ask(question(stream=True), connection=c)
            expect(r.status == 200 and r.headers["transfer-encoding"] == "chunked", r.headers)
            expect(body.startswith(b"event: message_start\ndata: {") and b"event: message_stop" in body, body)
        c.close()


@case("a function of a namespace is called with it, whole and streamed")
def _(folder):
    tool = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
    body = {"model": "gpt-5", "input": "Look.", "client_metadata": {"client": "a test"},
            "tools": [{"type": "namespace", "name": "eyes", "description": "", "tools": [tool]}],
            "tool_choice": "required"}
    key = {"authorization": "Bearer any", "content-type": "application/json"}
    with Sim() as sim:
        for stream in (False, True):
            r, answer = sim.ask({**body, "stream": stream}, "/openai/v1/responses", key)
            expect(r.status == 200 and b'"name":"look","namespace":"eyes"' in answer, answer)
        bad = {**body, "tools": [{"type": "namespace", "name": "eyes", "tools": [{"type": "function"}]}]}
        r, answer = sim.ask(bad, "/openai/v1/responses", key)
        expect(r.status == 400 and b"tools[0].tools[0].name" in answer, answer)


@case("a picture of megabytes is taken")
def _(folder):
    data = base64.b64encode(png(1000, 1000)).decode()
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    with Sim() as sim:
        r, body = sim.ask(question([block]))
        expect(r.status == 200 and b"image/png 1000x1000" in body, body)


@case("a body over the limit is refused, and the server goes on")
def _(folder):
    with Sim("-q") as sim:
        c = sim.connect()
        c.putrequest("POST", "/v1/messages")
        c.putheader("content-length", str(201 << 20))
        c.endheaders()
        piece = bytes(1 << 20)
        for _ in range(201):
            c.send(piece)
        r = c.getresponse()
        expect(r.status == 413, r.status)
        c.close()
        expect(sim.ask(question())[0].status == 200, "after")


@case("refusals, keys, paths and methods")
def _(folder):
    with Sim("-q") as sim:
        expect(sim.ask({}, headers={})[0].status == 401, "no key")
        expect(sim.ask({})[0].status == 400, "no fields")
        expect(sim.ask(b"\xff\xfe")[0].status == 400, "no JSON")
        expect(sim.ask({}, path="/nothing")[0].status == 404, "no path")
        c = sim.connect()
        c.request("GET", "/v1/messages", headers=KEY)
        expect(c.getresponse().status == 405, "GET")
        r, body = sim.ask({"messages": []}, "/model/us.amazon.nova-lite-v1%3A0/converse", {"authorization": "x"})
        expect(r.status == 400 and r.headers["x-amzn-errortype"] == "ValidationException", body)


@case("429 has its retry-after")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {status: 429, retry_after_s: 2}\n")) as sim:
        r, _ = sim.ask(question())
        expect(r.status == 429 and r.headers["retry-after"] == "2", r.headers)
        expect(sim.ask(question())[0].status == 200, "once")


@case("what is said may have several lines")
def _(folder):
    with Sim("-q", "-s", script(folder, '- text: |\n    # One\n\n    two\n- {text: "a\\tb\\nc"}\n')) as sim:
        said = [json.loads(sim.ask(question())[1])["content"][0]["text"] for _ in range(2)]
        expect(said == ["# One\n\ntwo\n", "a\tb\nc"], said)


@case("delays are waited for, and do not hold up others")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {delay_ms: 700, when: {words: short}}\n"
                                        "- {delay_ms: 3600000, when: {words: long}}\n")) as sim:
        held = sim.connect()
        held.request("POST", "/v1/messages", json.dumps(question("long")), KEY)
        start = time.monotonic()
        sim.ask(question("short"))
        expect(time.monotonic() - start >= 0.7, "it did not wait")


@case("a stream that is cut ends without its end")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {cut_after_bytes: 300}\n")) as sim:
        c = sim.connect()
        c.request("POST", "/v1/messages", json.dumps(question(stream=True)), KEY)
        r = c.getresponse()
        try:
            r.read()
            expect(False, "it had an end")
        except (http.client.IncompleteRead, ConnectionError) as e:
            expect(len(getattr(e, "partial", b"")) <= 300, e)


@case("a stall does not keep the server from ending")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {stall_after_bytes: 50, stall_ms: 600000}\n")) as sim:
        c = sim.connect()
        c.request("POST", "/v1/messages", json.dumps(question(stream=True)), KEY)
        expect(len(c.getresponse().read(50)) == 50, "the first bytes")
        expect(sim.stop() == 0, "another status")


@case("clients that go away in the middle")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {pause_ms: 20, times: 0}\n")) as sim:
        for _ in range(10):
            s = socket.create_connection(("127.0.0.1", sim.port))
            body = json.dumps(question(stream=True)).encode()
            s.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-length: %d\r\n\r\n" % len(body)
                      + body)
            s.recv(10)
            s.close()
        s = socket.create_connection(("127.0.0.1", sim.port))
        s.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        s.close()
        expect(sim.ask(question())[0].status == 200, "after")


@case("many at once")
def _(folder):
    with Sim("-q") as sim:
        got = []
        threads = [threading.Thread(target=lambda: got.append(sim.ask(question(stream=True))[0].status)) for _ in range(40)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        expect(got == [200] * 40, got)


# HTTP/2, by hand: frames, and headers that are spelled out.

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE = 0, 1, 3, 4, 8
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Http2:
    def __init__(self, sim):
        self.socket = socket.create_connection(("127.0.0.1", sim.port), timeout=LIMIT_S)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 28)))
        self.left = b""

    def ask(self, stream, body, path="/anthropic/v1/messages"):
        heads = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "127.0.0.1", **KEY}
        spelled = b"".join(b"\0" + bytes([len(n)]) + n.encode() + bytes([len(v)]) + v.encode() for n, v in heads.items())
        body = json.dumps(body).encode()
        pieces = [body[at:at + 16384] for at in range(0, len(body), 16384)]
        self.socket.sendall(frame(HEADERS, END_HEADERS, stream, spelled))
        for piece in pieces:
            self.socket.sendall(frame(DATA, END_STREAM if piece is pieces[-1] else 0, stream, piece))

    def next(self):
        """The next frame, as kind, flags, stream and payload; None where the connection is closed."""
        while True:
            n = 9 + int.from_bytes(self.left[:3], "big")
            if len(self.left) >= n:
                got, self.left = self.left[:n], self.left[n:]
                return got[3], got[4], int.from_bytes(got[5:9], "big"), got[9:]
            more = self.socket.recv(65536)
            if not more:
                return None
            self.left += more

    def answers(self, count):
        """So many streams to their ends, in the order of these: {stream: (head, body or None if it was reset)}."""
        heads, bodies, ended = {}, {}, {}
        while len(ended) < count:
            kind, flags, stream, payload = self.next()
            if kind == HEADERS:
                heads[stream] = payload
            if kind == DATA:
                bodies[stream] = bodies.get(stream, b"") + payload
            if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                ended[stream] = (heads[stream], None if kind == RST_STREAM else bodies.get(stream, b""))
        return ended


STATUS_200 = b"\x88"  # of the table that all have


@case("HTTP/2: answers on one connection, and HTTP/1 beside it")
def _(folder):
    with Sim("-q") as sim:
        h = Http2(sim)
        h.ask(1, question())
        h.ask(3, question("x" * 60000))
        for head, body in h.answers(2).values():
            expect(head[:1] == STATUS_200 and json.loads(body)["content"], (head, body))
        plain, text = sim.ask(question())
        expect(plain.version == 11 and json.loads(text)["content"], "HTTP/1")


@case("HTTP/2: delays are waited for, and do not hold up others of the connection")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {delay_ms: 700, when: {words: short}}\n"
                                        "- {delay_ms: 3600000, when: {words: long}}\n")) as sim:
        h = Http2(sim)
        start = time.monotonic()
        h.ask(1, question("long", stream=True))
        h.ask(3, question("short", stream=True))
        (stream, (_, body)), = h.answers(1).items()
        expect(stream == 3 and b"message_stop" in body, (stream, body))
        expect(time.monotonic() - start >= 0.7, "it did not wait")


@case("HTTP/2: a stream that is cut is reset")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {cut_after_bytes: 300}\n")) as sim:
        h = Http2(sim)
        h.ask(1, question(stream=True))
        (head, body), = h.answers(1).values()
        expect(head[:1] == STATUS_200 and body is None, (head, body))


@case("HTTP/2: clients that talk nonsense or go away")
def _(folder):
    with Sim("-q", "-s", script(folder, "- {delay_ms: 3600000, when: {words: long}, times: 0}\n")) as sim:
        for nonsense in (b"PRI nonsense after all\r\n\r\n" * 9, PREFACE + b"\xff" * 99, PREFACE[:20], b"PR",
                         PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, b"\xff" * 40)):
            with socket.create_connection(("127.0.0.1", sim.port), timeout=LIMIT_S) as s:
                s.sendall(nonsense)
                s.shutdown(socket.SHUT_WR)
                while s.recv(65536):
                    pass
        gone, waits = Http2(sim), Http2(sim)
        gone.ask(1, question("long"))
        gone.socket.close()
        waits.ask(1, question("long"))
        expect(sim.ask(question())[0].status == 200, "the server goes on")
        expect(sim.stop() == 0, "it ends although somebody waits")


@case("it listens on loopback alone")
def _(folder):
    with Sim("-q") as sim:
        with open("/proc/net/tcp") as f:
            rows = [line.split()[1] for line in f if line.split()[1].endswith(":%04X" % sim.port)]
        expect(rows and all(row.startswith("0100007F:") for row in rows), rows)


@case("a port that is taken, a port that is none, a wrong script")
def _(folder):
    def fails(*options):
        done = subprocess.run([REFRACT, "sim", *options], capture_output=True, text=True, timeout=LIMIT_S)
        expect(done.stdout == "", done.stdout)
        return done.returncode, done.stderr
    with Sim("-q") as sim:
        status, err = fails("-p", str(sim.port))
        expect(status in (1, 6) and "could not listen on 127.0.0.1 port %d" % sim.port in err, (status, err))
    status, err = fails("-p", "70000")
    expect(status == 2 and '"70000" is not a number from' in err, (status, err))
    status, err = fails("-d", "nobody")
    expect(status == 2 and "no provider and no dialect" in err, (status, err))
    status, err = fails("-s", script(folder, '- {text: "a\\e[31m"}\n'))
    expect(status == 8 and "control character" in err, err)
    status, err = fails("-s", script(folder, "- {txt: a}\n"))
    expect(status == 8 and 'unknown key "txt"' in err, (status, err))


def main():
    failed = 0
    for name, function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(folder)
                print("ok    ", name)
            except Exception as e:  # noqa: BLE001 - a case that breaks is one that failed
                failed += 1
                print("FAILED", name, "\n      ", type(e).__name__, e)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
