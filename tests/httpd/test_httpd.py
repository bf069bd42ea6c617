#!/usr/bin/env python3
"""The HTTP server of src/httpd, spoken to over bare sockets: bounds, slow and vanishing clients, odd requests.

    test_httpd.py PATH-OF-SERVED

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import concurrent.futures
import os
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
import zlib

SERVED = os.path.abspath(sys.argv[1])
LIMIT_S = 120  # ends what hangs; no case depends on it
SANITIZED = "detect" in os.environ.get("ASAN_OPTIONS", "") and b"__asan_init" in open(SERVED, "rb").read()
NEVER_S = 3600  # what waits for that fails
MIB = 1 << 20
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Served:
    def __init__(self, head_ms=NEVER_S * 1000, idle_ms=NEVER_S * 1000, stall_s=NEVER_S, connections=1000, more=(),
                 **how):
        self.process = subprocess.Popen([SERVED, *map(str, (head_ms, idle_ms, stall_s, connections, *more))],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kind else signal.SIGTERM)
        out, err = self.process.communicate(timeout=LIMIT_S)
        if not kind:
            assert self.process.returncode == 0 and not err, (self.process.returncode, err)

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def line(self):
        return self.process.stdout.readline().strip()

    def peak_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))

    def ask(self, request):
        """What one connection is answered, until the server closes it or has answered once."""
        with self.connect() as s:
            s.sendall(request)
            return read_reply(s)


def read_until(s, data, end):
    while end not in data:
        more = s.recv(65536)
        if not more:
            raise EOFError(data)
        data += more
    head, rest = data.split(end, 1)
    return head, rest


def read_reply(s, before=b"", head_only=False):
    """(status, headers, body, what came after it)"""
    head, data = read_until(s, before, b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
    status = int(lines[0].split()[1])
    if status == 100:
        return read_reply(s, data)
    if head_only:
        return status, headers, b"", data
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while True:
            size, data = read_until(s, data, b"\r\n")
            n = int(size, 16)
            while len(data) < n + 2:
                more = s.recv(65536)
                if not more:
                    raise EOFError(body + data)
                data += more
            body += data[:n]
            data = data[n + 2:]
            if not n:
                return status, headers, body, data
    n = int(headers["content-length"])
    while len(data) < n:
        more = s.recv(65536)
        if not more:
            raise EOFError(data)
        data += more
    return status, headers, data[:n], data[n:]


def get(path, *headers, method="GET", version="HTTP/1.1"):
    return "\r\n".join([f"{method} {path} {version}", "Host: here", *headers, "", ""]).encode("latin-1")


def closes(s):
    """Does the server close it? What it said before."""
    got = b""
    try:
        while more := s.recv(65536):
            got += more
    except ConnectionResetError:
        pass
    return got


@case("a request is answered, and the connection stays for the next")
def _():
    with Served() as h, h.connect() as s:
        for _ in range(3):
            s.sendall(get("/hello"))
            status, headers, body, rest = read_reply(s)
            assert (status, body, rest) == (200, b"hello", b"")
            assert "connection" not in headers


@case("a control character in a header of a reply becomes a space: none can be injected")
def _():
    with Served() as h:
        _, headers, _, _ = h.ask(get("/hello"))
        assert headers["x-odd"] == "one  x-injected: two" and "x-injected" not in headers, headers


@case("HEAD has the headers and no body, of a stream as well")
def _():
    with Served() as h, h.connect() as s:
        s.sendall(get("/hello", method="HEAD"))
        status, headers, _, rest = read_reply(s, head_only=True)
        assert status == 200 and headers["content-length"] == "5" and not rest
        s.sendall(get("/drip", method="HEAD"))
        assert read_reply(s, head_only=True)[0] == 200
        s.sendall(get("/hello"))
        assert read_reply(s)[2] == b"hello"


@case("pipelined requests are answered in their order")
def _():
    with Served() as h, h.connect() as s:
        s.sendall(get("/hello") + get("/header", "X-Asked: two") + get("/source?3") + get("/nowhere"))
        rest, bodies = b"", []
        for _ in range(4):
            _, _, body, rest = read_reply(s, rest)
            bodies.append(body)
        assert bodies == [b"hello", b"two", b"\0\0\0", b"nothing here"], bodies


@case("who asks is known")
def _():
    with Served() as h, h.connect() as s:
        s.sendall(get("/peer"))
        assert read_reply(s)[2].decode() == "127.0.0.1:%d" % s.getsockname()[1]


@case("HTTP/1.0 gets a stream until the connection ends")
def _():
    with Served() as h, h.connect() as s:
        s.sendall(get("/source?5", version="HTTP/1.0"))
        head, body = closes(s).split(b"\r\n\r\n", 1)
        assert b"chunked" not in head.lower() and body == b"\0" * 5


SMUGGLED = {
    "two lengths that differ": [b"Content-Length: 5", b"Content-Length: 0"],
    "two lengths that are the same": [b"Content-Length: 5", b"Content-Length: 5"],
    "a length and chunks": [b"Content-Length: 5", b"Transfer-Encoding: chunked"],
    "chunks and a length": [b"Transfer-Encoding: chunked", b"Content-Length: 5"],
    "chunks in chunks": [b"Transfer-Encoding: chunked, chunked"],
    "chunks twice": [b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"],
    "chunks that are not last": [b"Transfer-Encoding: chunked, identity"],
    "another coding": [b"Transfer-Encoding: gzip"],
    "chunks with a tail": [b"Transfer-Encoding: chunked\x0b"],
    "a list of lengths": [b"Content-Length: 5, 5"],
    "a negative length": [b"Content-Length: -5"],
    "a length with a sign": [b"Content-Length: +5"],
    "a hexadecimal length": [b"Content-Length: 0x5"],
    "a length that no number holds": [b"Content-Length: 99999999999999999999999999"],
    "a space before the colon of a length": [b"Content-Length : 5"],
    "a space before the colon of a coding": [b"Content-Length: 5", b"Transfer-Encoding : chunked"],
    "a length on a line that goes on": [b"X-Folded: a", b" Content-Length: 5", b"Content-Length: 5", b"Content-Length: 0"],
    "a name with a control character": [b"Content\x01Length: 5"],
    "a value with a bare CR": [b"X-Value: a\rContent-Length: 5"],
    "two hosts": [b"Host: there"],
    "two keys": [b"Authorization: Bearer a", b"Authorization: Bearer b"],
    "a header without a colon": [b"Nonsense"],
    "a header that goes on in a second line": [b"X-Folded: a", b"\tb"],
    "a value with a NUL": [b"X-Value: a\0b"],
    "a name with a NUL": [b"X\0: a"],
    "a line that ends in LF alone": [b"X-Value: a\nX-Other: b"],
    "an expectation that nobody can meet": [b"Expect: 200-ok"],
}


@case("what two servers could understand in two ways is refused, and what follows it is not taken for a request")
def _():
    with Served() as h:
        for name, lines in SMUGGLED.items():
            with h.connect() as s:
                s.sendall(b"\r\n".join([b"POST /small HTTP/1.1", b"Host: here", *lines, b"", b"hello"]) + get("/hello"))
                said = closes(s)
                assert re.match(rb"HTTP/1.1 4(00|13|17|31) ", said), (name, said)
                assert b" 200 " not in said and b"\r\n\r\nhello" not in said, (name, said)
        assert h.ask(get("/hello"))[2] == b"hello"


@case("a first line that is not one is refused")
def _():
    lines = [b"GET  HTTP/1.1", b"GET /hello", b"GET http://there/hello HTTP/1.1", b"GET /he\x01llo HTTP/1.1",
             b"GET /h\xc3\xb6 HTTP/1.1", b"GET /a b HTTP/1.1", b"GET * HTTP/1.1", b"GET /a HTTP/2.0",
             b"GET /a HTTQ/1.1", b"PRI * HTTP/2.0", b"GET /a\0b HTTP/1.1", b"\x16\x03\x01\x02\x00\x01\x00",
             b"GET hello HTTP/1.1", b" GET /hello HTTP/1.1"]
    with Served() as h:
        for line in lines:
            with h.connect() as s:
                s.sendall(line + b"\r\nHost: here\r\n\r\n")
                s.shutdown(socket.SHUT_WR)
                said = closes(s)
                assert b"200 OK" not in said, (line, said)
        assert h.ask(get("/hello"))[2] == b"hello"


@case("a request of HTTP/1.1 without a Host is refused")
def _():
    with Served() as h:
        assert h.ask(b"GET /hello HTTP/1.1\r\n\r\n")[0] == 400


@case("a head has a limit, in bytes and in headers")
def _():
    with Served() as h:
        assert h.ask(get("/header", "X-Asked: " + "a" * 12000))[0] == 200
        for request in (get("/header", "X-Asked: " + "a" * 20000), get("/header", "X-Asked: " + "a" * 200000),
                        get("/" + "a" * 20000), get("/" + "a" * 500000), get("/hello", *["a: b"] * 101)):
            with h.connect() as s:
                try:
                    s.sendall(request)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                said = closes(s)
                assert not said or re.match(rb"HTTP/1.1 (414|431|413) ", said), said[:200]
        with h.connect() as s:  # and one that never ends
            s.sendall(b"GET /hello HTTP/1.1\r\n")
            try:
                for _ in range(100000):
                    s.sendall(b"X-More: " + b"a" * 1000 + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass
            else:
                raise AssertionError("an endless head was taken")


@case("a body over the cap is refused with the cap, and a client that sends on can still read that")
def _():
    with Served() as h:
        with h.connect() as s:
            s.sendall(get("/small", f"Content-Length: {3 * MIB}", method="POST") + b"x" * (3 * MIB))
            status, headers, body, _ = read_reply(s)
            assert status == 413 and b"1048576 bytes" in body and headers["connection"] == "close", body
            assert closes(s) == b""
        with h.connect() as s:  # without a length, it is known on the way
            s.sendall(get("/small", "Transfer-Encoding: chunked", method="POST"))
            for _ in range(3):
                s.sendall(b"100000\r\n" + b"x" * MIB + b"\r\n")
            s.sendall(b"0\r\n\r\n")
            status, _, body, _ = read_reply(s)
            assert status == 413 and b"1048576 bytes" in body, body
        assert h.ask(get("/small", f"Content-Length: {MIB}", method="POST") + b"x" * MIB)[0] == 200


@case("a body without a length that goes on and on is cut off")
def _():
    with Served() as h, h.connect() as s:
        s.sendall(get("/small", "Transfer-Encoding: chunked", method="POST"))
        try:
            for _ in range(1000):
                s.sendall(b"100000\r\n" + b"x" * MIB + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            assert h.line() == "gone /small"
            return
        raise AssertionError("a gigabyte was taken")


@case("Expect: a body that would be refused is not sent; one that is welcome is")
def _():
    with Served() as h:
        with h.connect() as s:
            s.sendall(get("/small", f"Content-Length: {3 * MIB}", "Expect: 100-continue", method="POST"))
            assert s.recv(65536).startswith(b"HTTP/1.1 413 ")
        with h.connect() as s:
            s.sendall(get("/small", "Content-Length: 5", "Expect: 100-continue", method="POST"))
            assert s.recv(65536).startswith(b"HTTP/1.1 100 ")
            s.sendall(b"hello")
            assert read_reply(s)[2] == b"5 %08x" % zlib.adler32(b"hello")


@case("a reply to the head comes before the body, which is no request then")
def _():
    for method in ("POST", "PUT", "DELETE", "GET", "QUERY"):
        with Served() as h, h.connect() as s:
            inner = get("/hello")
            s.sendall(get("/early", f"Content-Length: {len(inner)}", method=method) + inner)
            said = closes(s)
            assert said.startswith(b"HTTP/1.1 403 ") and said.count(b"HTTP/1.1") == 1, (method, said)
    with Served() as h, h.connect() as s:  # without a body the connection stays
        s.sendall(get("/early") + get("/hello"))
        status, _, _, rest = read_reply(s)
        assert status == 403 and read_reply(s, rest)[2] == b"hello"


@case("a reply in the middle of a body comes when the body has, and the connection stays")
def _():
    with Served() as h, h.connect() as s:
        body = b"x" * (MIB // 2)
        s.sendall(get("/middle", f"Content-Length: {len(body)}", method="POST") + body + get("/hello"))
        status, _, _, rest = read_reply(s)
        assert status == 422 and read_reply(s, rest)[2] == b"hello"


@case("bodies of odd chunks arrive as they were sent")
def _():
    draw = random.Random(1)
    with Served() as h, h.connect() as s:
        for _ in range(20):
            body = draw.randbytes(draw.randrange(200000))
            sent, at = get("/sink", "Transfer-Encoding: chunked", method="POST"), 0
            while at < len(body):
                n = min(draw.choice((1, 2, 15, 16, 1000, 70000)), len(body) - at)
                sent += b"%x\r\n" % n + body[at:at + n] + b"\r\n"
                at += n
            sent += b"0\r\n\r\n"
            for cut in (sent[:100], sent[100:101], sent[101:]):
                s.sendall(cut)
            assert read_reply(s)[2] == b"%d %08x" % (len(body), zlib.adler32(body))


@case("chunks that are wrong end the request")
def _():
    for bad in (b"zz\r\nhello", b"-5\r\nhello\r\n", b"5 5\r\nhello\r\n", b"fffffffffffffffff\r\nhello\r\n", b"5\r\nhelloXX0\r\n\r\n"):
        with Served() as h, h.connect() as s:
            s.sendall(get("/small", "Transfer-Encoding: chunked", method="POST") + bad + b"0\r\n\r\n" + get("/hello"))
            said = closes(s)
            assert b" 200 " not in said[:20] and b"hello" not in said, (bad, said)


@case("half a gigabyte in and out takes no memory")
def _():
    total = (64 if SANITIZED else 512) * MIB
    with Served() as h:
        h.ask(get("/hello"))
        before = h.peak_kib()
        piece = b"x" * MIB
        with h.connect() as s:
            s.sendall(get("/sink", f"Content-Length: {total}", method="POST"))
            summed = 1
            for _ in range(total // MIB):
                s.sendall(piece)
                summed = zlib.adler32(piece, summed)
            assert read_reply(s)[2] == b"%d %08x" % (total, summed)
        with h.connect() as s:
            s.sendall(get(f"/source?{total}"))
            got = 0
            view = memoryview(bytearray(MIB))
            while n := s.recv_into(view):
                got += n
                if got > total and bytes(view[:n]).endswith(b"0\r\n\r\n"):
                    break
        if not SANITIZED:
            assert h.peak_kib() - before < 4096, (before, h.peak_kib())


@case("a client that reads nothing of a stream holds up neither memory nor others")
def _():
    with Served() as h, h.connect() as slow:
        slow.sendall(get(f"/source?{512 * MIB}"))
        slow.recv(1000)
        for _ in range(50):
            assert h.ask(get("/hello"))[2] == b"hello"
        assert SANITIZED or h.peak_kib() < 65536, h.peak_kib()
        slow.close()
        assert h.line() == "gone /source"


@case("a handler that takes pieces slowly gets all of them")
def _():
    body = os.urandom(2 * MIB)
    with Served() as h:
        for how in (f"Content-Length: {len(body)}", "Transfer-Encoding: chunked"):
            sent = body if "Length" in how else b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
            got = h.ask(get("/slow-sink", how, method="POST") + sent)
            assert got[2] == b"%d %08x" % (len(body), zlib.adler32(body))


@case("a client that goes is told of at once: waiting, streaming, sending, paused")
def _():
    def hold(s):
        s.sendall(get("/hold"))

    def hold_and_more(s):
        s.sendall(get("/hold") + get("/hello") + b"x" * 100)

    def drip(s):
        s.sendall(get("/drip"))
        read_until(s, b"", b"drop")

    def body(s):
        s.sendall(get("/sink", "Content-Length: 1000", method="POST") + b"x" * 10)

    def paused(s):
        s.sendall(get("/slow-sink", "Content-Length: 100000", method="POST") + b"x" * 70000)

    def source(s):
        s.sendall(get(f"/source?{64 * MIB}"))
        s.recv(10)

    def leave(s):
        s.close()

    def reset(s):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()

    with Served() as h:
        for go in (leave, reset):
            for begin, path in ((hold, "/hold"), (hold_and_more, "/hold"), (drip, "/drip"), (body, "/sink"),
                                (paused, "/slow-sink"), (source, "/source")):
                s = h.connect()
                begin(s)
                # A request that the server has not seen yet when its client goes never began: ask
                # something else first, which is answered after it.
                h.ask(get("/hello"))
                go(s)
                assert h.line() == "gone " + path, begin.__name__


@case("a client that goes before it was heard begins and ends all the same")
def _():
    with Served() as h:
        s = h.connect()
        s.sendall(get("/hold"))
        s.close()
        assert h.line() == "gone /hold"


@case("a stream that is cut shows that it is not whole")
def _():
    with Served() as h:
        with h.connect() as s:
            s.sendall(get("/cut"))
            said = closes(s)
            assert b"half" in said and not said.endswith(b"0\r\n\r\n"), said
            assert h.line() == "gone /cut"
        with h.connect() as s:
            s.sendall(get("/cut-whole"))
            assert closes(s) == b""
            assert h.line() == "gone /cut-whole"


@case("a head that comes letter by letter is not waited for longer than its time")
def _():
    with Served(head_ms=500) as h, h.connect() as s:
        try:
            for c in get("/hello", "X-Slow: " + "a" * 20000):
                s.sendall(bytes([c]))
                time.sleep(0.01)
        except (BrokenPipeError, ConnectionResetError):
            pass
        else:
            raise AssertionError("it was waited for")


@case("a connection that says nothing is closed: at first, and after a request")
def _():
    with Served(head_ms=300) as h, h.connect() as s:
        assert closes(s) == b""
    with Served(idle_ms=300) as h, h.connect() as s:
        s.sendall(get("/hello"))
        assert closes(s).endswith(b"hello")


@case("a head that does not come to its end is refused, and who says nothing is just closed")
def _():
    with Served(head_ms=300) as h:
        for begun in (b"G", b"GET /hello HTTP/1.1\r\nHost: localhost\r\n", b"\xff" * 100):
            with h.connect() as s:
                s.sendall(begun)
                said = closes(s)
                assert said.startswith(b"HTTP/1.1 408 ") and b"\r\nConnection: close\r\n" in said, (begun, said)
    with Served(head_ms=300, idle_ms=600_000) as h:  # also on a connection that is kept
        for requests in ([get("/hello") + b"GET /he"], [get("/hello"), b"GET /he"]):
            with h.connect() as s:
                for i, request in enumerate(requests):
                    s.sendall(request)
                    while i + 1 < len(requests) and not s.recv(4096).endswith(b"hello"):
                        pass
                said = closes(s)
                assert said.count(b"HTTP/1.1 ") == 3 - len(requests) and b"HTTP/1.1 408 " in said, said


@case("a request that waits for its answer is not timed out, and neither is a quiet stream")
def _():
    with Served(head_ms=2000, idle_ms=2000, stall_s=2) as h, h.connect() as a, h.connect() as b:
        a.sendall(get("/hold"))
        b.sendall(get("/drip"))
        read_until(b, b"", b"drop")
        time.sleep(5)
        a.settimeout(0.2)
        b.settimeout(0.2)
        for s in (a, b):
            try:
                assert s.recv(1), "it was closed"
            except TimeoutError:
                pass


@case("a body that stops coming, and a stream that nobody reads, end by themselves")
def _():
    with Served(stall_s=3) as h, h.connect() as a, h.connect() as b:
        a.sendall(get("/sink", "Content-Length: 1000", method="POST") + b"x")
        b.sendall(get(f"/source?{512 * MIB}"))
        assert h.line() == "gone /source"
        assert read_reply(a)[0] == 408


@case("a body that comes too slowly on the whole is refused, and one that keeps up is taken")
def _():
    with Served(stall_s=2) as h, h.connect() as slow, h.connect() as fast:
        slow.sendall(get("/sink", "Content-Length: 1000000", method="POST"))
        fast.sendall(get("/sink", "Content-Length: 20000", method="POST"))
        for s in (slow, fast):
            s.settimeout(0.25)
        began, answer = time.monotonic(), b""
        for i in range(20):
            fast.sendall(b"x" * 1000)
            if not answer:
                slow.sendall(b"x")
            try:
                answer = answer or slow.recv(4096)
            except TimeoutError:
                pass
        assert b" 408 " in answer and time.monotonic() - began < LIMIT_S, answer
        fast.settimeout(LIMIT_S)
        assert read_reply(fast)[0] == 200


@case("the rest of a body that was answered early does not hold its connection, or the end of the server")
def _():
    with Served(stall_s=2) as h, h.connect() as s:
        s.sendall(get("/middle", "Content-Length: 1000000", method="POST") + b"x")
        assert read_reply(s)[0] == 422
        h.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        s.settimeout(0.25)
        while time.monotonic() - began < LIMIT_S:
            try:
                s.sendall(b"x")
                if not s.recv(1):
                    break
            except TimeoutError:
                pass
        else:
            raise AssertionError("it is still there")
        assert h.line() == "drained"


@case("more connections than are allowed wait, and are served when others go")
def _():
    with Served(connections=3) as h:
        held = [h.connect() for _ in range(3)]
        for s in held:
            s.sendall(get("/hold"))
        h.process.poll()
        late = h.connect()
        late.sendall(get("/hello"))
        late.settimeout(0.5)
        try:
            assert not late.recv(1), "it was served"
        except TimeoutError:
            pass
        late.settimeout(LIMIT_S)
        held.pop().close()
        assert h.line() == "gone /hold"
        assert read_reply(late)[2] == b"hello"
        for s in held:
            s.close()


@case("where there is no room, the connection that was idle for longest makes it")
def _():
    with Served(connections=3) as h:
        held = [h.connect() for _ in range(3)]
        for s in held:
            s.sendall(get("/hello"))
            assert read_reply(s)[2] == b"hello"
        for _ in range(3):
            assert h.ask(get("/hello"))[2] == b"hello"
        assert closes(held[0]) == b""


@case("a thousand streams at once, in one thread")
def _():
    count = min(200 if SANITIZED else 900, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
    with Served(connections=2000) as h:
        held = [h.connect() for _ in range(count)]
        for s in held:
            s.sendall(get("/drip"))
        for s in held:
            read_until(s, b"", b"drop")
        assert h.ask(get("/hello"))[2] == b"hello"
        with open(f"/proc/{h.process.pid}/status", encoding="ascii") as f:
            assert re.search(r"Threads:\s+1\n", f.read())
        for s in held:
            s.close()
        for _ in held:
            assert h.line() == "gone /drip"
        assert SANITIZED or h.peak_kib() < 65536, h.peak_kib()


@case("told to end, it finishes what is under way, and closes what is idle")
def _():
    with Served() as h:
        idle, busy, sending = h.connect(), h.connect(), h.connect()
        idle.sendall(get("/hello"))
        read_reply(idle)
        busy.sendall(get(f"/source?{8 * MIB}"))
        sending.sendall(get("/sink", "Content-Length: 10", method="POST") + b"12345")
        h.ask(get("/hello"))
        h.process.send_signal(signal.SIGTERM)
        assert closes(idle) == b""
        assert len(read_reply(busy)[2]) == 8 * MIB
        assert closes(busy) == b""
        sending.sendall(b"67890")
        status, headers, body, _ = read_reply(sending)
        assert status == 200 and body.startswith(b"10 ") and headers["connection"] == "close"
        try:
            h.connect().close()
        except ConnectionRefusedError:
            pass
        else:
            raise AssertionError("it still listens")
        assert h.line() == "drained"


@case("random bytes, and requests with random faults, leave it alive")
def _():
    draw = random.Random(7)
    whole = [get("/small", "Content-Length: 5", method="POST") + b"hello", get("/source?100000"), get("/hello"),
             get("/small", "Transfer-Encoding: chunked", method="POST") + b"5\r\nhello\r\n0\r\n\r\n"]

    def one(h, seed):
        mine = random.Random(seed)
        data = bytearray(b"".join(mine.choices(whole, k=mine.randrange(1, 4))))
        for _ in range(mine.randrange(6)):
            at = mine.randrange(len(data))
            data[at:at + mine.randrange(3)] = mine.randbytes(mine.randrange(4))
        s = h.connect()
        try:
            s.sendall(bytes(data) if mine.random() < 0.9 else mine.randbytes(300))
            if mine.random() < 0.5:
                s.shutdown(socket.SHUT_WR)
                closes(s)
        except OSError:
            pass
        s.close()

    with Served() as h:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda seed: one(h, seed), [draw.randrange(1 << 30) for _ in range(600)]))
        assert h.ask(get("/hello"))[2] == b"hello"
        fds = len(os.listdir(f"/proc/{h.process.pid}/fd"))
        for _ in range(200):
            if (fds := len(os.listdir(f"/proc/{h.process.pid}/fd"))) <= 12:
                break
            time.sleep(0.1)  # those that linger
        assert fds <= 12, fds


def main():
    wanted = sys.argv[2:] or [""]
    failed = ran = 0
    for name, function in CASES:
        if not any(w in name for w in wanted):
            continue
        ran += 1
        try:
            function()
            print("ok  ", name, flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("FAIL", name, flush=True)
            traceback.print_exc(file=sys.stdout)
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
