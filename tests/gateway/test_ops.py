#!/usr/bin/env python3
"""The gateway in operation: how much it holds, TLS, what it tells of itself, reloading and draining.

    test_ops.py PATH-OF-REFRACT [PART-OF-A-NAME...]
"""
import collections
import concurrent.futures
import contextlib
import http.server
import json
import os
import pathlib
import re
import resource
import signal
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request

from harness import LIMIT_S, PNG, REFRACT, WORDS, Anthropic, Chat, Gateway, b64, case, expect, main, make_certificate

MIB = 1 << 20
CALLS = [("look", {}, ("image/png", PNG), False)]


def padded(client, model, size):
    """A request of about that many bytes."""
    return client.body(model, False, WORDS + " " * (size - 1000))


def head(path, size, fields=""):
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {size}\r\n\r\n".encode()


def more(s, data):
    piece = s.recv(65536)
    expect(piece, f"the connection ended after {data}")
    return data + piece


def receive(s):
    """A whole reply: (status, its head, its body)."""
    data = b""
    while b"\r\n\r\n" not in data:
        data = more(s, data)
    top, body = data.split(b"\r\n\r\n", 1)
    fields = dict(line.lower().split(": ", 1) for line in top.decode().split("\r\n")[1:])
    while len(body) < int(fields["content-length"]):
        body = more(s, body)
    return int(top.split()[1]), fields, body


# How much it holds

@case("a body over serve.max_body is refused with the cap")
def _():
    with Gateway(config="serve: {max_body: 1MiB}\n") as g:
        r, text = g.ask("/v1/messages", padded(Anthropic(), "anthropic:claude-sonnet-4-5", 2 * MIB))
        said = json.loads(text)
        expect(r.status == 413 and said["type"] == "error" and "1048576 bytes" in said["error"]["message"], text)
        r, _ = g.ask("/v1/messages", padded(Anthropic(), "anthropic:claude-sonnet-4-5", MIB // 2))
        expect(r.status == 200, r.status)


def held(g, least):
    """Wait until the gateway holds so many bytes of bodies."""
    while int(numbers(g)[0]["refract_body_bytes_in_flight"]) < least:
        time.sleep(0.01)


@case("bodies over serve.max_in_flight get a 429 before they are sent, and are taken when others are done")
def _():
    with Gateway(config="serve: {max_in_flight: 2MiB}\n") as g:
        first = socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)
        first.sendall(head("/v1/messages", 3 * MIB // 2, "Expect: 100-continue\r\n"))
        expect(b" 100 " in first.recv(1000), "it was not taken")
        first.sendall(b" " * (3 * MIB // 2 - 1))
        held(g, 3 * MIB // 2 - 1)
        for path, kind in (("/v1/messages", "rate_limit_error"), ("/v1/chat/completions", "requests")):
            with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as late:
                late.sendall(head(path, MIB))
                status, fields, body = receive(late)
                said = json.loads(body)["error"]
                expect(status == 429 and fields["retry-after"] == "1", (status, fields))
                expect("2097152 bytes" in said["message"] and "max_in_flight" in said["message"], said)
                expect(said["type"] == kind, said)
        small = padded(Chat(), "openai-chat:gpt-4o", 10000)
        expect(g.ask("/v1/chat/completions", small)[0].status == 200, "a small one was not taken")
        first.close()
        body = json.dumps(padded(Anthropic(), "anthropic:claude-sonnet-4-5", MIB * 3 // 4)).encode()
        while (r := g.ask("/v1/messages", body))[0].status == 429:
            pass  # until the first is seen to be gone
        expect(r[0].status == 200, r[1])


@case("who tells a length and sends nothing keeps nobody out")
def _():
    with Gateway(config="serve: {max_in_flight: 2MiB}\n") as g:
        waiting = [socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) for _ in range(8)]
        for s in waiting:
            s.sendall(head("/v1/messages", MIB * 3 // 2, "Expect: 100-continue\r\n"))
            expect(b" 100 " in s.recv(1000), "it was not taken")
            s.sendall(b" " * 100)
        held(g, 800)
        r, text = g.ask("/v1/messages", padded(Anthropic(), "anthropic:claude-sonnet-4-5", MIB * 3 // 4))
        expect(r.status == 200, text)
        waiting[0].sendall(b" " * MIB)
        held(g, MIB)
        waiting[1].sendall(b" " * MIB)  # what fitted at first does not fit any more
        status, fields, body = receive(waiting[1])
        expect(status == 429 and fields["retry-after"] == "1" and b"max_in_flight" in body, (status, body))
        for s in waiting:
            s.close()


@case("a body without a length counts as it comes")
def _():
    with Gateway(config="serve: {max_in_flight: 1MiB}\n") as g:
        with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as s:
            s.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in range(3):
                s.sendall(b"80000\r\n" + b" " * 0x80000 + b"\r\n")
            s.sendall(b"0\r\n\r\n")
            status, _, body = receive(s)
            expect(status == 429 and b"max_in_flight" in body, body)
        r, text = g.ask("/v1/messages", padded(Anthropic(), "anthropic:claude-sonnet-4-5", MIB * 3 // 4))
        expect(r.status == 200, text)  # what the first one had is free again


# TLS

@case("with a certificate it speaks TLS, whole and streamed")
def _():
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(folder)
        config = f"serve: {{tls: {{certificate: {folder}/certificate.pem, key: {folder}/key.pem}}}}\n"
        trust = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
        with Gateway(config=config) as g:
            for client, last in ((Anthropic(), "message_stop"), (Chat(), "[DONE]")):
                for stream in (False, True):
                    body = json.dumps(client.body("anthropic:claude-sonnet-4-5", stream, WORDS)).encode()
                    asked = urllib.request.Request(f"https://localhost:{g.port}{client.path('', stream)}", body,
                                                   {"content-type": "application/json"})
                    with urllib.request.urlopen(asked, timeout=LIMIT_S, context=trust) as r:
                        expect((last if stream else WORDS) in r.read().decode(), (client, stream))


def serve_alone(folder, config, *options):
    """The gateway by itself; whoever asks ends it."""
    os.makedirs(folder + "/refract")
    with open(folder + "/refract/config.yaml", "w", encoding="utf-8") as f:
        f.write(config)
    return subprocess.Popen([REFRACT, "serve", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={"HOME": folder, "XDG_CONFIG_HOME": folder, "PATH": os.environ["PATH"],
                                 "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")})


@case("it listens where the configuration says, unless the command line says otherwise")
def _():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = f"serve: {{listen: '127.0.0.1:{taken.getsockname()[1]}'}}\n"
        with tempfile.TemporaryDirectory() as folder:
            _, err = serve_alone(folder, said).communicate(timeout=LIMIT_S)
            expect(f"127.0.0.1:{taken.getsockname()[1]}" in err, err)
        with tempfile.TemporaryDirectory() as folder, serve_alone(folder, said, "--listen", "127.0.0.1:0") as p:
            expect(p.stdout.readline().startswith("listening on http://127.0.0.1:"), "it does not listen")
            p.terminate()


@case("what a stream takes here is not what its provider takes, whether it is translated or passed on")
def _():
    for client in (Chat(), Anthropic()):
        overhead_of_a_stream(client)


def overhead_of_a_stream(client):
    with Gateway() as g:
        g.relay.stall = (b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
                         b'"model":"claude","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}\n\n'
                         b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
                         b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}\n\n')
        with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as s:
            body = json.dumps(client.body("anthropic:claude-sonnet-4-5", True, WORDS)).encode()
            s.sendall(head(client.path("", True), len(body)) + body)
            expect(b" 200 " in s.recv(100), "it did not begin")
            time.sleep(2)
    expect(g.log[0]["gone"] and g.log[0]["duration_us"] > 2000000 > g.log[0]["overhead_us"], g.log)


def lock(key, to):
    """The same key with a password."""
    subprocess.run(["openssl", "pkey", "-aes128", "-passout", "pass:secret", "-in", key, "-out", to], check=True, capture_output=True)


@case("a certificate that does not do is named, and nothing is served")
def _():
    with tempfile.TemporaryDirectory() as folder:
        config = f"serve: {{tls: {{certificate: {folder}/none.pem, key: {folder}/none.pem}}}}\n"
        p = serve_alone(folder, config, "--listen", "127.0.0.1:0")
        out, err = p.communicate(timeout=LIMIT_S)
        expect(p.returncode and "none.pem" in err and not out, (out, err))
    with tempfile.TemporaryDirectory() as folder:  # nobody is asked for a password
        make_certificate(folder)
        lock(f"{folder}/key.pem", f"{folder}/locked.pem")
        p = serve_alone(folder, f"serve: {{tls: {{certificate: {folder}/certificate.pem, key: {folder}/locked.pem}}}}\n",
                        "--listen", "127.0.0.1:0")
        expect(p.wait(timeout=LIMIT_S) and "without a password" in p.communicate()[1], "its key has one")


def presented(g):
    """The certificate that a new connection gets."""
    return ssl.get_server_certificate(("127.0.0.1", g.port), timeout=LIMIT_S)


def reload(g):
    """What it says of that."""
    said = ""
    g.process.send_signal(signal.SIGHUP)
    while "was reloaded" not in said and "stays in force" not in said:
        line = g.process.stderr.readline()
        expect(line, said)
        said += "" if line.startswith('{"time"') else line
    return said


@case("SIGHUP reads certificates again, for new connections; a wrong pair changes nothing")
def _():
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        make_certificate(one)
        make_certificate(two)
        name = lambda folder, model: (f"serve: {{tls: {{certificate: {folder}/certificate.pem, key: {folder}/key.pem}}}}\n"
                                      f"models: {{{model}: {{provider: anthropic, model: claude-sonnet-4-5}}}}\n")
        with Gateway(config=name(one, "mine")) as g:
            first, trust = presented(g), ssl.create_default_context(cafile=f"{one}/certificate.pem")
            with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as plain, \
                    trust.wrap_socket(plain, server_hostname="localhost") as old:
                ask = lambda: (old.sendall(b"GET /v1/models/mine HTTP/1.1\r\nHost: localhost\r\n\r\n"), receive(old))[1][0]
                expect(ask() == 200, "the first certificate")
                make_certificate(one)
                expect(presented(g) == first, "it was read before it was told to")
                expect(reload(g) == "the configuration was reloaded\n", "")
                renewed = presented(g)
                expect(renewed != first and renewed.split() == pathlib.Path(one, "certificate.pem").read_text().split(), renewed)
                expect(ask() == 200, "an old connection goes on")
                locked = pathlib.Path(one, "locked.pem")
                lock(f"{one}/key.pem", locked)
                for key, words in ((locked, "could not use the key in"),
                                   (pathlib.Path(two, "key.pem"), f'the key in "{one}/key.pem" does not belong to the certificate in '
                                                                  f'"{one}/certificate.pem"')):
                    pathlib.Path(one, "key.pem").write_text(key.read_text())
                    g.configure(name(one, "ours"))
                    said = reload(g)
                    expect(words in said and "old configuration stays" in said and "pass phrase" not in said, said)
                    expect(presented(g) == renewed and ask() == 200, "all of the old one is in force")
                g.configure(name(two, "mine"))
                expect(reload(g) == "the configuration was reloaded\n", "")
                expect(presented(g).split() == pathlib.Path(two, "certificate.pem").read_text().split(), "another file")
                g.configure("models: {mine: {provider: anthropic, model: claude-sonnet-4-5}}\n")
                said = reload(g)
                expect(said == '"serve.tls" stays as it was until the gateway is started again\nthe configuration was reloaded\n', said)
                expect(presented(g).split() == pathlib.Path(two, "certificate.pem").read_text().split() and ask() == 200, "TLS ended")


@case("handshakes that fail are counted, and connections that say nothing are not")
def _():
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(folder)
        trust = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
        with Gateway(config=f"serve: {{tls: {{certificate: {folder}/certificate.pem, key: {folder}/key.pem}}}}\n") as g:
            connect = lambda: socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S)

            def failed():
                with urllib.request.urlopen(f"https://localhost:{g.port}/metrics", timeout=LIMIT_S, context=trust) as r:
                    return int(re.search(r"\nrefract_tls_handshakes_failed_total (\d+)\n", r.read().decode()).group(1))
            connect().close()
            with connect() as s, contextlib.suppress(ssl.SSLError):
                ssl.create_default_context().wrap_socket(s, server_hostname="localhost")  # it does not know who vouches
            with connect() as s, contextlib.suppress(ConnectionError):
                s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                s.recv(100)
            wait_for(lambda: failed() == 2, "they are not counted")
            expect(failed() == 2, "one that works is counted")


@case("certificates that are renewed all the time hold up no connection")
def _():
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(folder)
        config = f"serve: {{log: {folder}/log, tls: {{certificate: {folder}/certificate.pem, key: {folder}/key.pem}}}}\n"
        trust = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
        over = threading.Event()

        def ask(_):
            for _ in range(30):
                with urllib.request.urlopen(f"https://localhost:{g.port}/v1/models", timeout=LIMIT_S, context=trust) as r:
                    expect(r.status == 200, r.status)

        def renew():
            while not over.is_set():
                reload(g)
        with Gateway(config=config) as g:
            renewing = threading.Thread(target=renew)
            renewing.start()
            try:
                with concurrent.futures.ThreadPoolExecutor(4) as pool:
                    list(pool.map(ask, range(4)))
            finally:
                over.set()
                renewing.join()


@case("a reload says what it cannot change, where that changes")
def _():
    with socket.create_server(("127.0.0.1", 0)) as s, tempfile.TemporaryDirectory() as folder:
        port = s.getsockname()[1]
        s.close()
        old = f"serve: {{listen: '127.0.0.1:{port}', traces: 'http://127.0.0.1:9'}}\n"
        with serve_alone(folder, old) as p:
            expect(p.stdout.readline() == f"listening on http://127.0.0.1:{port}\n", "it does not listen")
            for config, wanted in ((old, []), ("serve: {listen: '127.0.0.1:1', traces: 'http://127.0.0.1:9/'}\n", ["serve.listen"]),
                                   ("models: {}\n", ["serve.listen", "serve.traces"]),
                                   (old + "store: {address: 'postgres://nobody@127.0.0.1:9/x'}\n", ["store"]),
                                   (f"serve: {{listen: '127.0.0.1:{port}', traces: 'http://127.0.0.1:9',"
                                    " tls: {certificate: /a, key: /b}}\n", ["serve.tls"])):
                pathlib.Path(folder, "refract/config.yaml").write_text(config, encoding="utf-8")
                p.send_signal(signal.SIGHUP)
                said = "".join(iter(p.stderr.readline, "the configuration was reloaded\n"))
                expect(re.findall('"(.*)" stays as it was until the gateway is started again\n', said) == wanted, (wanted, said))
            p.terminate()


# The access log

def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def wait_for(what, why):
    for _ in range(LIMIT_S * 20):
        if (got := what()):
            return got
        time.sleep(0.05)
    raise AssertionError(why)


@case("each request is a line of the log: who, what, how long, and files as hash and size")
def _():
    with Gateway() as g:
        client = Anthropic()
        r, _ = g.ask("/v1/messages", client.body("openai-chat:gpt-4o", False, WORDS, CALLS))
        expect(r.status == 200, r.status)
        g.ask("/v1/chat/completions", Chat().body("nowhere:none", True, WORDS))
        g.ask("/healthz")
    expect(len(g.log) == 2, g.log)
    first, second = sorted(g.log, key=lambda line: line["status"])
    expect(first["id"] == r.headers["x-refract-request-id"] and first["status"] == 200, first)
    expect(first["client"] == "anthropic", first)
    expect(first["model"] == first["upstream"] == "openai-chat:gpt-4o", first)
    expect(first["input_tokens"] > 0 and first["output_tokens"] > 0, first)
    expect(first["bytes_in"] > 100 and first["bytes_out"] > 100, first)
    expect(0 < first["first_byte_us"] <= first["duration_us"], first)
    file = first["files"][0]
    expect(file["id"].startswith("att_") and file["bytes"] == len(PNG) and file["form"] == "original", first)
    expect(second["status"] == 404 and second["error"] == "not_found" and second["model"] == "nowhere:none", second)
    text = json.dumps(g.log)
    expect(WORDS not in text and "not-to-be-seen" not in text and b64(PNG)[:40] not in text, text)


@case("an end that is an error in the client's API alone is an error in the log")
def _():
    ended = {"candidates": [{"content": {"parts": [], "role": "model"}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    with Gateway() as g:
        g.relay.cut = True
        for stream, status in ((False, 502), (True, 200)):
            g.relay.stall = b"data: %s\r\n\r\n" % json.dumps(ended).encode() if stream else json.dumps(ended).encode()
            r, text = g.ask("/v1/chat/completions", Chat().body("google:gemini-2.5-flash", stream, WORDS))
            expect(r.status in (status, 502) and b"cannot be read" in text, (r.status, text))
    errors = [line.get("error") for line in g.log]
    expect(len(errors) == 2 and all(errors), g.log)


@case("nothing that a client writes breaks a line of the log, or steers a terminal")
def _():
    evil = 'x\n{"time":"forged"}\r\x1b[2J\x7f\u0085\u009b31m\u202eabc\u2028"\\' + "y" * 5000
    with Gateway() as g:
        g.ask("/v1/messages", Anthropic().body(evil, False, WORDS))
        header = evil.encode("latin-1", "ignore").replace(b"\n", b"").replace(b"\r", b"")
        g.ask("/v1/models/" + "%0a%1b%5b2J%ff%9b", x_evil=header)
    expect(len(g.log) == 2, g.log)
    for line in g.log:
        raw = json.dumps(line, ensure_ascii=False)
        expect(not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e]", raw) and len(raw) < 2000, raw)


# What HTTP refuses by itself: the bytes, the status, and words that the log has for it.
REFUSED = [
    (b"nonsense\r\n\r\n", 400, "first line"),
    (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505, "version"),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"Q" * 20000, 431, "too long"),
    (b"Q" * 20000, 431, "too long"),
    (b"GET / HTTP/1.1\r\n\r\n", 400, "no Host"),
    (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400, "there twice"),
    (head("/v1/messages", 5, "Content-Length: 6\r\n"), 400, "there twice"),
    (head("/v1/messages", 5, "Transfer-Encoding: chunked\r\n"), 400, "both"),
    (head("/v1/messages", 5, "Expect: cake\r\n"), 417, "100-continue"),
    (b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "only one that is taken"),
    (b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz", 400, "chunks"),
    (head("/v1/messages", 2 * MIB), 413, "1048576 bytes"),
    (b"GET /page/me HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413, "bytes"),
]


@case("what HTTP itself refuses is a line of the log with the reason, and a number, page or not")
def _():
    with Gateway(config="serve: {max_body: 1MiB}\n") as g:
        with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as slow, \
                socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as mute:
            slow.sendall(b"GET /secret-path")
            for data, status, _ in REFUSED:
                with socket.create_connection(("127.0.0.1", g.port), timeout=LIMIT_S) as s:
                    s.sendall(data)
                    expect(b" %d " % status in s.recv(1000), (data[:100], status))
            coded = g.ask("/v1/messages", b"{}", content_encoding="gzip")[0]
            expect(coded.status == 415, coded.status)
            expect(slow.recv(1000).startswith(b"HTTP/1.1 408 "), "a head that does not come")
            expect(mute.recv(1000) == b"", "who says nothing is refused nothing")
        found, text = numbers(g)
        for status in {status for _, status, _ in REFUSED} | {408, 415}:
            expect(re.search(f'refract_requests_total{{[^}}]*status="{status}"}}', text), (status, text))
    expect(len(g.log) == len(REFUSED) + 2, g.log)
    lines = [line for line in g.log if line["status"] not in (408, 415)]
    for data, status, words in REFUSED:  # loops write theirs in any order
        line = next((line for line in lines if line["status"] == status and words in line["refused"]), None)
        expect(line and re.fullmatch("req_[0-9a-f]{32}", line["id"]) and "error" not in line, (data[:100], lines))
        lines.remove(line)
    late = next(line for line in g.log if line["status"] == 408)
    expect("too slowly" in late["refused"] and "secret" not in json.dumps(g.log) and "QQQ" not in json.dumps(g.log), g.log)


@case("who asks by a foreign name is a line of the log with the path")
def _():
    with Gateway() as g:
        r, text = g.ask("/v1/models", host="elsewhere.example")
        expect(r.status == 403, (r.status, text))
    expect([(line["path"], line["status"]) for line in g.log] == [("/v1/models", 403)], g.log)


@case("probes that ask with HEAD are answered, without a body")
def _():
    with Gateway() as g:
        for path in ("/healthz", "/readyz", "/v1/models"):
            r, text = g.ask(path, method="HEAD")
            expect(r.status == 200 and not text, (path, r.status, text))
        r, _ = g.ask("/v1/messages", method="HEAD")
        expect(r.status == 405 and r.headers["allow"] == "POST", (r.status, r.headers))


@case("lines for which the disk has no room are counted, told later, and spoil no other line")
def _():
    with Gateway(config="serve: {log: {home}/log}\n") as g:
        log = pathlib.Path(g.folder.name, "log")

        def ask():
            expect(g.ask("/v1/models")[0].status == 200, "it goes on")

        def left_out():
            return int(re.search(r"refract_log_lines_left_out_total (\d+)\n", g.ask("/metrics")[1].decode()).group(1))

        resource.prlimit(g.process.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        for _ in range(20):
            ask()
        while left_out() < 5:
            time.sleep(0.02)
        expect(log.stat().st_size == 1000, log.stat())
        resource.prlimit(g.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        ask()
        while '{"left_out":' not in log.read_text():
            time.sleep(0.02)
        lines = log.read_text().splitlines()
        whole = [line for line in lines if line.endswith("}")]
        told = sum(json.loads(line).get("left_out", 0) for line in whole)
        expect(len(lines) - len(whole) == 1 and told == left_out(), (lines, left_out()))


@case("a reader of the log that stalls holds nothing up, and what was left out is counted")
def _():
    with Gateway() as g:
        # Nobody reads the pipe of standard error: 64 KiB of lines fit there, 1 MiB waits.
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: g.ask("/v1/models/none")[0].status, range(400)))
        expect(set(statuses) == {404}, set(statuses))
        expect("refract_log_lines_left_out_total 0\n" in g.ask("/metrics")[1].decode(), "lines were left out early")


@case("a reader of standard error that stalls keeps it neither from reloading nor from ending")
def _():
    with Gateway(config="models: {mine: {provider: anthropic, model: claude-sonnet-4-5}}\n") as g:
        c = g.connect()
        for _ in range(600):  # more than its pipe takes
            c.request("GET", "/v1/models/none")
            c.getresponse().read()
        g.configure("models: {mine: {provider: 7\n")
        for _ in range(40):
            g.process.send_signal(signal.SIGHUP)
            time.sleep(0.02)
        g.configure("models: {ours: {provider: anthropic, model: claude-sonnet-4-5}}\n")
        g.process.send_signal(signal.SIGHUP)
        wait_for(lambda: g.ask("/v1/models/ours")[0].status == 200, "it was not reloaded")
        g.process.send_signal(signal.SIGTERM)
        expect(g.process.wait(LIMIT_S) == 0, "it failed")
        g.process.stderr.read()


# Numbers

def numbers(g):
    r, text = g.ask("/metrics")
    expect(r.status == 200 and r.headers["content-type"].startswith("text/plain; version=0.0.4"), r.headers)
    found = {}
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            found.update([line.rsplit(" ", 1)])
    return found, text.decode()


@case("requests, tokens, files and heals are counted, and a histogram adds up")
def _():
    with Gateway() as g:
        before = numbers(g)[0]
        expect(before["refract_request_seconds_count"] == "0" and before["refract_requests_in_flight"] == "0", before)
        g.ask("/v1/messages", Anthropic().body("openai-chat:gpt-4o", False, WORDS, CALLS))
        for _ in range(3):
            g.ask("/v1/chat/completions", Chat().body("anthropic:claude-sonnet-4-5", True, WORDS))
        for i in range(5):
            g.ask("/v1/chat/completions", Chat().body(f"nowhere:made-up-{i}", True, WORDS))
        wait_for(lambda: numbers(g)[0]["refract_request_seconds_count"] == "9", "not all were counted")
        found, text = numbers(g)
        expect(found['refract_requests_total{client="anthropic",upstream="openai-chat",model="gpt-4o",status="200"}'] == "1", text)
        expect(found['refract_requests_total{client="openai-chat",upstream="anthropic",model="claude-sonnet-4-5",status="200"}']
               == "3", text)
        expect(found['refract_requests_total{client="openai-chat",upstream="",model="",status="404"}'] == "5" and "made-up" not in text,
               text)
        expect(found['refract_deliveries_total{delivery="fallback",form="original"}'] == "1", text)
        expect(int(found['refract_tokens_total{direction="input"}']) > 0 and int(found["refract_body_bytes_total"]) > 500, text)
        expect(found['refract_first_byte_seconds_bucket{le="+Inf"}'] == found["refract_first_byte_seconds_count"] == "9", text)
        buckets = [int(v) for k, v in found.items() if k.startswith("refract_request_seconds_bucket")]
        expect(buckets == sorted(buckets) and buckets[-1] == 9, buckets)
        expect(int(found["refract_connections"]) >= 1, text)


@case("a client that names hundreds of models makes no more series than there may be, and hides no status")
def _():
    with Gateway(config="serve: {log: '{home}/log'}\n") as g:
        def ask(i):
            name = "nowhere:none" if i == 350 else f"openai-chat:made-up-{i}"
            return g.ask("/v1/chat/completions", Chat().body(name, False, WORDS))[0].status
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = collections.Counter(pool.map(ask, range(351)))
        expect(statuses == {200: 350, 404: 1}, statuses)
        wait_for(lambda: numbers(g)[0]["refract_request_seconds_count"] == "351", "not all were counted")
        counts = {}
        for name, count in numbers(g)[0].items():
            if found := re.fullmatch(r'refract_requests_total\{.*status="(\d+)"\}', name):
                counts.setdefault(found.group(1), []).append(int(count))
        expect({status: sum(n) for status, n in counts.items()} == {"200": 350, "404": 1}, counts)
        expect(200 < sum(map(len, counts.values())) <= 300, counts)


# Traces

class Collector(http.server.ThreadingHTTPServer):
    """Takes OTLP over HTTP, as JSON, and keeps the bodies."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Collecting)
        self.bodies = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def spans(self):
        return [span for body in self.bodies for r in body["resourceSpans"] for s in r["scopeSpans"] for span in s["spans"]]


class Collecting(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        expect(self.path == "/v1/traces" and self.headers["content-type"] == "application/json", (self.path, self.headers))
        self.server.bodies.append(json.loads(body))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


def attributes(span):
    return {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}


@case("each exchange is a span by the conventions for generative AI, without a word of it")
def _():
    with Collector() as c:
        at = f"http://127.0.0.1:{c.server_address[1]}"
        with Gateway(config=f"serve: {{traces: {at}}}\n") as g:
            r, _ = g.ask("/v1/messages", Anthropic().body("openai-chat:gpt-4o", False, WORDS, CALLS))
            g.ask("/v1/messages", Anthropic().body("openai-chat:gpt-4o", True, WORDS),
                  traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            g.ask("/v1/messages", Anthropic().body("openai-chat:gpt-4o", True, WORDS),
                  traceparent="00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00")  # not sampled
            g.ask("/v1/messages", Anthropic().body("nowhere:none", False, WORDS), traceparent="00-nonsense")
            g.ask("/v1/models")
            g.ask("/v1/embeddings", {"model": "openai-chat:small", "input": WORDS})
        spans = c.spans()  # what was left is sent at the end
        expect(len(spans) == 4, spans)
        other = next(s for s in spans if s["name"] == "embeddings small")
        expect(attributes(other)["gen_ai.operation.name"] == "embeddings", other)
        spans.remove(other)
        ours = r.headers["x-refract-request-id"]
        first = next(s for s in spans if s["traceId"] == ours[4:])
        child = next(s for s in spans if s["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        failed = next(s for s in spans if s not in (first, child))
        has = attributes(first)
        expect(first["name"] == "chat gpt-4o" and first["kind"] == 3, first)
        expect(first["spanId"] == ours[-16:] and first["status"] == {}, first)
        expect(has["gen_ai.operation.name"] == "chat" and has["gen_ai.provider.name"] == "openai", has)
        expect(has["gen_ai.request.model"] == "gpt-4o" and has["gen_ai.response.model"].startswith("gpt-4o"), has)
        expect(int(has["gen_ai.usage.input_tokens"]) > 0 and int(has["gen_ai.usage.output_tokens"]) > 0, has)
        expect(has["http.response.status_code"] == "200" and has["refract.request.id"] == ours, has)
        expect(int(first["startTimeUnixNano"]) < int(first["endTimeUnixNano"]), first)
        expect(abs(int(first["startTimeUnixNano"]) / 1e9 - time.time()) < 3600, first)
        expect(child["parentSpanId"] == "00f067aa0ba902b7" and "parentSpanId" not in first, child)
        expect(failed["status"] == {"code": 2} and attributes(failed)["error.type"] == "not_found", failed)
        text = json.dumps(c.bodies)
        expect(WORDS not in text and "not-to-be-seen" not in text, text)
        resource = c.bodies[0]["resourceSpans"][0]["resource"]
        expect({"key": "service.name", "value": {"stringValue": "refract"}} in resource["attributes"], resource)


@case("a collector that is not there, or never answers, holds nothing up")
def _():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        for port in (9, mute.getsockname()[1]):
            with Gateway(env={"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}) as g:
                for _ in range(20):
                    body = Anthropic().body("anthropic:claude-sonnet-4-5", False, WORDS)
                    expect(g.ask("/v1/messages", body)[0].status == 200, port)


# Reloading, draining

@case("SIGHUP reloads: new requests go by the new configuration, those under way by the old one")
def _():
    with Gateway(config="models: {mine: {provider: anthropic, model: claude-sonnet-4-5}}\n") as g:
        ask = lambda: g.ask("/v1/messages", Anthropic().body("mine", False, WORDS))[0].status
        expect(ask() == 200, "the old name is not known")
        g.configure("models: {ours: {provider: anthropic, model: claude-sonnet-4-5}}\n")
        g.process.send_signal(signal.SIGHUP)
        expect(wait_for(lambda: ask() == 404, "it was not reloaded"), "")
        expect(g.ask("/v1/messages", Anthropic().body("ours", False, WORDS))[0].status == 200, "the new name is not known")
        g.says = "the configuration was reloaded\n"


@case("a key that a command printed is not used any more after a reload")
def _():
    with Gateway(config="providers: {anthropic: {key_command: [cat, '{home}/key']}}\n") as g:
        def key_sent():
            g.ask("/v1/messages", Anthropic().body("anthropic:claude-sonnet-4-5", False, WORDS))
            return re.search("x-api-key: (.*)", g.relay.heads[-1], re.IGNORECASE).group(1)
        pathlib.Path(g.folder.name, "key").write_text("the-old-one\n", encoding="utf-8")
        expect(key_sent() == "the-old-one", "it is printed")
        pathlib.Path(g.folder.name, "key").write_text("the-new-one\n", encoding="utf-8")
        expect(key_sent() == "the-old-one", "it is remembered")
        g.process.send_signal(signal.SIGHUP)
        wait_for(lambda: key_sent() == "the-new-one", "the old one is still used")
        g.says = "the configuration was reloaded\n"


@case("nor is one that a command prints which was run before it")
def _():
    command = "cat {home}/key; touch {home}/read; until [ -e {home}/go ]; do sleep 0.02; done"
    config = "providers: {anthropic: {key_command: [sh, -c, '%s']}}\n" % command
    with Gateway(config=config) as g:
        there = lambda name: pathlib.Path(g.folder.name, name)
        ask = lambda: g.ask("/v1/messages", Anthropic().body("anthropic:claude-sonnet-4-5", False, WORDS))[0].status
        there("key").write_text("the-old-one\n", encoding="utf-8")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            first = pool.submit(ask)
            wait_for(there("read").exists, "the command is not run")
            there("key").write_text("the-new-one\n", encoding="utf-8")
            g.configure(config + "models: {ours: {provider: anthropic, model: claude-sonnet-4-5}}\n")
            g.process.send_signal(signal.SIGHUP)
            wait_for(lambda: b'"ours"' in g.ask("/v1/models")[1], "it was not reloaded")
            there("go").touch()
            expect(first.result() == ask() == 200, "they were not answered")
        expect([re.search("x-api-key: (.*)", head, re.IGNORECASE).group(1) for head in g.relay.heads]
               == ["the-old-one", "the-new-one"], g.relay.heads)
        g.says = "the configuration was reloaded\n"


@case("a log of requests that a reload asks for is begun then")
def _():
    def rows():
        path = pathlib.Path(g.folder.name, "data", "refract", "sessions.db")
        g.ask("/v1/messages", Anthropic().body("anthropic:claude-sonnet-4-5", False, WORDS))
        if not path.exists():
            return 0
        with contextlib.closing(sqlite3.connect(path)) as db, contextlib.suppress(sqlite3.OperationalError):
            return db.execute("SELECT count(*) FROM requests").fetchone()[0]
        return 0  # it is being made

    with Gateway() as g:
        expect(rows() == 0, "nobody asked for it")
        g.configure("serve: {keep_requests_days: 2}\n")
        g.process.send_signal(signal.SIGHUP)
        g.says = "the configuration was reloaded\n"
        wait_for(rows, "nothing is kept")


@case("a wrong configuration changes nothing, and is told")
def _():
    with Gateway(config="models: {mine: {provider: anthropic, model: claude-sonnet-4-5}}\n") as g:
        g.configure("models: {mine: {provider: 7\n")
        g.process.send_signal(signal.SIGHUP)
        first = g.process.stderr.readline()
        while first.startswith('{"time"'):
            first = g.process.stderr.readline()
        expect("config.yaml" in first, first)
        rest = ""
        while "old configuration" not in rest:
            rest = g.process.stderr.readline()
        expect(g.ask("/v1/messages", Anthropic().body("mine", False, WORDS))[0].status == 200, "the old one is not in force")


@case("after SIGHUP the log goes on in a new file, also where the configuration is wrong")
def _():
    good = "serve: {log: '{home}/access.jsonl'}\n"
    with Gateway(config=good) as g:
        path = g.folder.name + "/access.jsonl"
        g.ask("/v1/models/none")
        wait_for(lambda: os.path.getsize(path), "nothing was logged")
        os.rename(path, path + ".1")
        g.process.send_signal(signal.SIGHUP)
        wait_for(lambda: os.path.exists(path), "it was not opened again")
        g.ask("/v1/models/none")
        wait_for(lambda: len(lines_of(path)) == 1, "nothing was logged")
        expect(len(lines_of(path + ".1")) == 1, "the old file")
        g.configure(good + "nonsense: [\n")
        os.rename(path, path + ".2")
        g.process.send_signal(signal.SIGHUP)
        wait_for(lambda: os.path.exists(path), "it was not opened again")
        g.process.send_signal(signal.SIGTERM)
        expect(g.process.wait(LIMIT_S) == 0, "it failed")
        said = g.process.stderr.read()
        expect(said.startswith("the configuration was reloaded\n") and "old configuration stays" in said, said)


@case("a line that was torn off in the file of the log stays one of its own")
def _():
    with Gateway(config="serve: {log: '{home}/access.jsonl'}\n") as g:
        path = pathlib.Path(g.folder.name, "access.jsonl")
        with path.open("w", encoding="utf-8") as f:
            f.write('{"time":"20')
        g.process.send_signal(signal.SIGHUP)
        g.says = "the configuration was reloaded\n"
        wait_for(lambda: g.process.stderr.readline() == g.says, "it was not reloaded")
        g.says = ""
        g.ask("/v1/models/none")
        wait_for(lambda: path.read_text(encoding="utf-8").count("\n") == 2, path.read_text(encoding="utf-8"))
        torn, whole = path.read_text(encoding="utf-8").splitlines()
        expect(torn == '{"time":"20' and json.loads(whole)["status"] == 404, (torn, whole))


@case("a stream goes on through a reload and ends through a drain")
def _():
    with Gateway() as g:
        g.relay.stall = b""
        c = g.connect()
        c.request("POST", "/v1/messages", json.dumps(Anthropic().body("anthropic:claude-sonnet-4-5", True, WORDS)),
                  {"content-type": "application/json"})
        wait_for(lambda: g.relay.seen, "it was not asked")
        g.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "reloaded" in g.process.stderr.readline(), "it was not reloaded")
        expect(numbers(g)[0]["refract_requests_in_flight"] == "1", "the stream is gone")
        g.process.send_signal(signal.SIGTERM)

        def refused():
            try:
                g.connect().connect()
            except ConnectionRefusedError:
                return True
            return False
        wait_for(refused, "it still listens")
        expect(g.process.poll() is None, "it did not wait for the stream")
        g.process.send_signal(signal.SIGTERM)
        expect(g.process.wait(LIMIT_S) == 0, "a second signal did not end it")


if __name__ == "__main__":
    main()
