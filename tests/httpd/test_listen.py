#!/usr/bin/env python3
"""How the HTTP server of src/httpd is reached: several threads at one address, sockets that were handed over, TLS, thousands of connections.

    test_listen.py PATH-OF-SERVED

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import collections
import contextlib
import fcntl
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import warnings
import zlib

import test_httpd
from test_httpd import LIMIT_S, MIB, SANITIZED, SERVED, Served, closes, get, read_reply, read_until

test_httpd.CASES.clear()
case = test_httpd.case


def begin_sink(s):
    """Half of a body; the server has seen the head of it when this returns."""
    s.sendall(get("/sink", "Content-Length: 10", "Expect: 100-continue", method="POST"))
    read_until(s, b"", b" 100 Continue\r\n\r\n")
    s.sendall(b"12345")


# Several threads

@case("connections are spread evenly over the threads of one address")
def _():
    with Served(more=("127.0.0.1:0", 4)) as h:
        held, threads = [h.connect() for _ in range(40)], collections.Counter()
        for s in held:
            s.sendall(get("/thread"))
            threads[read_reply(s)[2]] += 1
        # One that a thread takes over just then counts twice for a moment.
        assert len(threads) == 4 and max(threads.values()) - min(threads.values()) <= 2, threads
        for s in held[::2]:
            s.close()
        for s in held[1::2]:  # and those that stay go on being answered where they are
            s.sendall(get("/hello"))
            assert read_reply(s)[2] == b"hello"
            s.close()


@case("one thread that has all of its places taken leaves the rest to the others")
def _():
    with Served(connections=3, more=("127.0.0.1:0", 2)) as h:
        held = [h.connect() for _ in range(6)]
        for s in held:
            s.sendall(get("/drip"))
            read_until(s, b"", b"drop")
        late = h.connect()
        late.sendall(get("/hello"))
        late.settimeout(0.5)
        try:
            assert not late.recv(1), "it was served"
        except TimeoutError:
            pass
        late.settimeout(LIMIT_S)
        held.pop().close()
        assert h.line() == "gone /drip"
        assert read_reply(late)[2] == b"hello"
        for s in (late, *held):
            s.close()


@case("told to end, all threads finish what is under way")
def _():
    with Served(more=("127.0.0.1:0", 3)) as h:
        busy = [h.connect() for _ in range(6)]
        for s in busy:
            begin_sink(s)
        h.process.send_signal(signal.SIGTERM)
        for s in busy:
            s.sendall(b"67890")
            assert read_reply(s)[2].startswith(b"10 ")
            s.close()
        assert h.line() == "drained"


# Sockets that were handed over

def handed_over(*listeners, pid=""):
    """Start `served` as systemd does: the sockets are descriptors from 3 on."""
    fds = [fcntl.fcntl(s.fileno(), fcntl.F_DUPFD, 3 + len(listeners)) for s in listeners]  # a shell may know those below 10 only
    moved = "".join(f"exec {i}<&{fd}; " for i, fd in enumerate(fds, 3))
    script = f'{moved}LISTEN_FDS={len(fds)} LISTEN_PID={pid or "$$"} exec "$@"'
    command = [SERVED, *["3600000"] * 2, "3600", "100", "handed-over", "2"]
    process = subprocess.Popen(["/bin/sh", "-c", script, "sh", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, pass_fds=fds)
    for fd in fds:
        os.close(fd)
    return process


def end(process):
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0 and not err, (process.returncode, out, err)


@case("a socket that was handed over is listened on, with what waits there, and stays when the server ends")
def _():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as s:
                s.sendall(get("/hello", "Connection: close"))  # before anybody is there to answer
                process = handed_over(listener)
                assert read_reply(s)[2] == b"hello"
            assert process.stdout.readline().strip() == f"127.0.0.1:{port}"
            end(process)


@case("all sockets that were handed over are listened on")
def _():
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("::1", 0), family=socket.AF_INET6) as second:
        process = handed_over(first, second)
        ports = [s.getsockname()[1] for s in (first, second)]
        said = [process.stdout.readline().strip() for _ in range(2)]
        assert said == [f"127.0.0.1:{ports[0]}", f"[::1]:{ports[1]}"], said
        for host, port in zip(("::1", "127.0.0.1", "::1"), (ports[1], *ports)):
            with socket.create_connection((host, port), timeout=LIMIT_S) as s:
                s.sendall(get("/hello", "Connection: close"))
                assert read_reply(s)[2] == b"hello"
        end(process)


@case("more sockets than there is room for are refused, and so is one among them that does not listen")
def _():
    def said(address, *given):
        p = subprocess.run([SERVED, "1", "1", "1", "1", address, "1"], capture_output=True, text=True, pass_fds=given,
                           timeout=LIMIT_S, check=False)
        assert p.returncode == 1, p
        return p.stderr
    for address in ("fd:3-40", "fd:4-3", "fd:3-", "fd:-3", "fd:3-4-5"):
        assert f'"{address}" is not an address to listen on' in said(address), address
    with socket.create_server(("127.0.0.1", 0)) as good:
        fd = fcntl.fcntl(good.fileno(), fcntl.F_DUPFD, 40)
        assert f"descriptor {fd + 1} is not a TCP socket that listens" in said(f"fd:{fd}-{fd + 1}", fd)
        os.close(fd)


@case("sockets for another process are not taken")
def _():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = handed_over(listener, pid="1")
        assert process.stdout.readline().strip() != "127.0.0.1:%d" % listener.getsockname()[1]
        end(process)


@case("what was handed over and does not listen is refused")
def _():
    def said(fd):
        p = subprocess.run([SERVED, "1", "1", "1", "1", f"fd:{fd}", "1"], capture_output=True, text=True, pass_fds=[fd],
                           timeout=LIMIT_S, check=False)
        assert p.returncode == 1 and "is not a TCP socket that listens" in p.stderr, p
    with socket.socket() as quiet, socket.socket(type=socket.SOCK_DGRAM) as other, socket.socket(socket.AF_UNIX) as local, \
            open(SERVED, "rb") as file, tempfile.TemporaryDirectory() as folder:
        local.bind(folder + "/s")
        local.listen()
        for s in (quiet, other, local, file):
            said(s.fileno())


# TLS

def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True, timeout=LIMIT_S)


FOLDER = tempfile.TemporaryDirectory()
CERTIFICATE, KEY, OTHER_KEY, KEY_OF_OTHER_KIND = (
    os.path.join(FOLDER.name, n) for n in ("certificate.pem", "key.pem", "other.pem", "kind.pem"))


def make_certificate():
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", KEY, "-out", CERTIFICATE)
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", OTHER_KEY)
    openssl("genpkey", "-algorithm", "ED25519", "-out", KEY_OF_OTHER_KIND)


class Secure(Served):
    """Each connection is TLS, checked against the certificate."""

    def __init__(self, threads=1, **how):
        super().__init__(more=("127.0.0.1:0", threads, CERTIFICATE, KEY), **how)
        self.trust = ssl.create_default_context(cafile=CERTIFICATE)

    def connect(self):
        return self.trust.wrap_socket(super().connect(), server_hostname="localhost", suppress_ragged_eofs=True)


@case("TLS: requests, pipelined ones and streams, on several threads")
def _():
    with Secure(threads=2) as h, h.connect() as s:
        for _ in range(3):
            s.sendall(get("/hello"))
            assert read_reply(s)[2] == b"hello"
        s.sendall(get("/hello") + get("/header", "X-Asked: two") + get("/source?3"))
        rest, bodies = b"", []
        for _ in range(3):
            _, _, body, rest = read_reply(s, rest)
            bodies.append(body)
        assert bodies == [b"hello", b"two", b"\0\0\0"], bodies
        s.sendall(get(f"/source?{8 * MIB}"))
        assert len(read_reply(s)[2]) == 8 * MIB


@case("TLS: bodies arrive whole, at once and slowly, and a reply to a head can be read")
def _():
    body = os.urandom(3 * MIB // 2)
    with Secure() as h:
        for path in ("/sink", "/slow-sink"):
            with h.connect() as s:
                s.sendall(get(path, f"Content-Length: {len(body)}", method="POST") + body)
                assert read_reply(s)[2] == b"%d %08x" % (len(body), zlib.adler32(body)), path
        with h.connect() as s:
            s.sendall(get("/small", f"Content-Length: {3 * MIB}", method="POST") + b"x" * (3 * MIB))
            status, _, said, _ = read_reply(s)
            assert status == 413 and b"1048576 bytes" in said, said


@case("TLS: a request that waits is answered later, and a client that goes is told of at once")
def _():
    with Secure() as h:
        with h.connect() as s:
            s.sendall(get("/drip"))
            read_until(s, b"", b"drop")
            h.ask(get("/hello"))
        assert h.line() == "gone /drip"
        with h.connect() as s:
            s.sendall(get("/hold"))
            h.ask(get("/hello"))
        assert h.line() == "gone /hold"


@case("TLS: a client that reads nothing of a stream holds up neither memory nor others")
def _():
    with Secure() as h:
        slow = h.connect()
        slow.sendall(get(f"/source?{256 * MIB}"))
        slow.recv(1000)
        for _ in range(20):
            assert h.ask(get("/hello"))[2] == b"hello"
        assert SANITIZED or h.peak_kib() < 65536, h.peak_kib()
        slow.close()
        assert h.line() == "gone /source"


@case("TLS: a handshake that does not come is not waited for longer than a head")
def _():
    with Secure(head_ms=300) as h:
        with Served.connect(h) as s:
            assert closes(s) == b""
        with Served.connect(h) as s:
            s.sendall(b"\x16\x03\x01\x02\x00\x01")
            closes(s)


@case("TLS: versions before 1.2, plain HTTP and nonsense get nothing")
def _():
    with Secure() as h:
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.load_verify_locations(CERTIFICATE)
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings(action="ignore"):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        try:
            old.wrap_socket(Served.connect(h), server_hostname="localhost").close()
            raise AssertionError("TLS 1.1 was spoken")
        except ssl.SSLError:
            pass
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            h.trust.minimum_version = h.trust.maximum_version = version
            assert h.ask(get("/hello"))[2] == b"hello"
        for bad in (get("/hello"), os.urandom(300), b"\x16\x03\x01\xff\xff" + b"\0" * 1000):
            with Served.connect(h) as s:
                s.sendall(bad)
                with contextlib.suppress(OSError):  # it may be closed already
                    s.shutdown(socket.SHUT_WR)
                assert b"hello" not in closes(s)
        assert h.ask(get("/hello"))[2] == b"hello"


@case("TLS: told to end, a stream is finished")
def _():
    with Secure(threads=2) as h:
        busy, idle = h.connect(), h.connect()
        idle.sendall(get("/hello"))
        read_reply(idle)
        begin_sink(busy)
        h.process.send_signal(signal.SIGTERM)
        assert closes(idle) == b""
        busy.sendall(b"67890")
        assert read_reply(busy)[2].startswith(b"10 ")
        busy.close()
        assert h.line() == "drained"


@case("TLS: curl trusts it, and openssl s_client speaks to it")
def _():
    with Secure() as h:
        got = subprocess.run(["curl", "-sS", "--cacert", CERTIFICATE, f"https://localhost:{h.port}/hello"], capture_output=True,
                             timeout=LIMIT_S, check=True, env={"PATH": os.environ["PATH"]})
        assert got.stdout == b"hello", got
        got = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{h.port}", "-CAfile", CERTIFICATE, "-verify_return_error",
                              "-ign_eof"], input=get("/hello", "Connection: close"), capture_output=True, timeout=LIMIT_S, check=True)
        assert b"Verification: OK" in got.stdout and b"hello" in got.stdout, got


@case("TLS: a file that is missing, empty, the wrong one or somebody else's key is named")
def _():
    empty = os.path.join(FOLDER.name, "empty.pem")
    broken = os.path.join(FOLDER.name, "broken.pem")
    open(empty, "w", encoding="ascii").close()
    with open(CERTIFICATE, encoding="ascii") as f, open(broken, "w", encoding="ascii") as out:
        out.write(f.read().replace("M", "!", 5))
    for certificate, key, words in (("/nowhere.pem", KEY, "/nowhere.pem"), (CERTIFICATE, "/nowhere.pem", "/nowhere.pem"),
                                    (empty, KEY, "empty.pem\" has no certificate"), (KEY, KEY, "key.pem\" has no certificate"),
                                    (CERTIFICATE, CERTIFICATE, "certificate.pem\" has no private key"),
                                    (broken, KEY, "could not use the certificate in"), (broken, KEY, "broken.pem"),
                                    *((CERTIFICATE, key, f'the key in "{key}" does not belong to the certificate in "{CERTIFICATE}"')
                                      for key in (OTHER_KEY, KEY_OF_OTHER_KIND))):
        p = subprocess.run([SERVED, "1", "1", "1", "1", "127.0.0.1:0", "1", certificate, key], capture_output=True, text=True,
                           timeout=LIMIT_S, check=False)
        assert p.returncode == 1 and words in p.stderr, (certificate, key, p)


# Many

def most_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else 1 << 20


def resident_kib(h):
    with open(f"/proc/{h.process.pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))


@case("ten thousand idle connections")
def _():
    count = 500 if SANITIZED else max(100, min(10000, most_descriptors() - 200))
    with Served(connections=6000, more=("127.0.0.1:0", 2)) as h:
        h.ask(get("/hello"))
        before = resident_kib(h)
        held = [h.connect() for _ in range(count)]
        for s in held:
            s.sendall(get("/hello"))
        for s in held:
            assert read_reply(s)[2] == b"hello"
        each = (resident_kib(h) - before) / count
        print(f"     {count} idle connections take {each:.1f} KiB each", flush=True)
        assert SANITIZED or each < 40, each
        assert h.ask(get("/hello"))[2] == b"hello"
        for s in held:
            s.sendall(get("/hello"))
        for s in held:
            assert read_reply(s)[2] == b"hello"
            s.close()


if __name__ == "__main__":
    make_certificate()
    sys.exit(test_httpd.main())
