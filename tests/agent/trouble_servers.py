"""Servers that are busy, slow, silent, broken or false, and those that repeat a key: cases of trouble.py."""
import random
import signal
import socket
import time

from troubling import KEY, MODEL, OTHERS, Server, case, expect, response, rows, said, sse


# Busy servers


def waited(lines):
    return sum(b" 200 " not in line for line in lines), sum(b" 200 " in line for line in lines)


@rows("busy for a while", [
    ("429 with milliseconds", "{status: 429, retry_after_ms: 300, times: 3}", 3, 0.9),
    ("429 with seconds", "{status: 429, retry_after_s: 1}", 1, 1.0),
    ("529", "{status: 529, retry_after_ms: 100, times: 2}", 2, 0.2),
    ("503", "{status: 503, retry_after_ms: 100}", 1, 0.1),
])
def busy(t, step, refusals, least):
    with t.sim(f"- {step}\n- {{text: At last.}}\n") as lines:
        done = t.ask("Hello")
    expect(done.status == 0 and done.out == "At last.\n", f"{done.status} {done.out}{done.err}")
    expect(done.err.count("note: waiting ") == 1 and done.seconds >= least, f"{done.seconds} s: {done.err}")
    expect(waited(lines) == (refusals, 1), lines)
    expect([m["role"] for m in t.goes_on()] == ["user", "assistant"] * 2, "it is kept once")


@rows("busy for good", [
    ("429, five times", "{status: 429, retry_after_ms: 20, times: 0}", 5, "Rate limit"),
    ("overloaded, five times", "{status: 529, retry_after_ms: 20, times: 0}", 5, "Overloaded"),
    ("429 for an hour is not waited for", "{status: 429, retry_after_s: 3600, times: 0}", 1, "Rate limit"),
    ("500 may have been worked on", "{status: 500, times: 0}", 1, "Internal server error"),
])
def busy_for_good(t, step, tries, words):
    with t.sim(f"- {step}\n") as lines:
        done = t.fails(4, words, "Hello", "-a", "red.png")
    expect(waited(lines)[0] == tries, f"{done.seconds} s: {lines}")


@case("a quota that is used up is not tried again")
def quota(t):
    body = '{"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}}'
    with t.sim(f"- {{status: 429, times: 0, content_type: application/json, body: '{body}'}}\n") as lines:
        t.fails(4, "You exceeded your quota", "Hello", model="openai-chat:gpt-4o")
    expect(waited(lines)[0] == 1, lines)


@rows("busy, said in a stream that began with it", [
    ("overloaded", "overloaded_error", "Overloaded"), ("rate limit", "rate_limit_error", "Too many requests"),
])
def busy_in_stream(t, kind, words):
    error = response(sse({"type": "error", "error": {"type": kind, "message": words}}))
    with Server(error, response(said("At last."))) as server:
        t.move(server.url)
        done = t.ask("Hello")
        expect(done.status == 0 and done.out == "At last.\n", f"{done.status} {done.out}{done.err}")
        expect(len(server.asked) == 2 and f"s: {words}" in done.err, done.err)
    expect([m["role"] for m in t.goes_on()] == ["user", "assistant"] * 2, "it is kept once")


@case("many at once in a storm of 429s")
def storm(t):
    with t.sim("- {status: 429, retry_after_ms: 150, times: 4}\n- {text: Fine., times: 0}\n") as lines:
        for done in [t.finish(p) for p in [t.start("-m", MODEL, f"Question {i}") for i in range(8)]]:
            expect(done.status == 0 and done.out == "Fine.\n", f"{done.out}{done.err}")
    expect(waited(lines) == (4, 8) and len(t.sessions()) == 8, lines)


# Servers that are slow, silent, broken or false

HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
JSON_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json"
HALF = said("The answer", " is long").partition(b"event: content_block_stop")[0]
ERROR = {"type": "error", "error": {"type": "api_error", "message": "it broke inside"}}


@rows("a server that", [
    ("closes at once", b""),
    ("speaks no HTTP", b"SSH-2.0-OpenSSH_9.6\r\n"),
    ("sends a page", response(HTML, "HTTP/1.1 200 OK\r\nContent-Type: text/html")),
    ("sends a page and 404", response(HTML, "HTTP/1.1 404 Not Found\r\nContent-Type: text/html")),
    ("sends JSON of another", response(b'{"choices":[]}', JSON_HEAD)),
    ("sends zeros", response(bytes(5000))),
    ("sends noise", response(random.Random(7).randbytes(100000))),
    ("breaks off in a stream", response(HALF)),
    ("breaks off in a chunk", CHUNKED + b"fff\r\n" + HALF),
    ("says an error in a stream", response(HALF + sse(ERROR))),
    ("says nothing but an error", response(sse(ERROR))),
    ("ends before it ends", response(HALF).replace(b"Length: ", b"Length: 9")),
    ("sends a line without end", response(b"data: " + b"x" * 3_000_000)),
    ("sends lengths that cannot be", CHUNKED + b"fffffffffffffffff\r\nx"),
    ("sends a head without end", b"HTTP/1.1 200 OK\r\n" + b"X-A: y\r\n" * 200_000),
])
def broken(t, answer):
    with Server(answer) as server:
        t.move(server.url)
        t.fails(4, "refract: ", "Hello", "-a", "red.png")
        expect(len(server.asked) == 1, f"it was asked {len(server.asked)} times, and may have been paid for each")


@rows("asked once more, for an answer in one piece: a server that", [
    ("sends an empty answer", response(b"")),
    ("sends half a head", b"HTTP/1.1 200 OK\r\nContent-Ty"),
])
def empty(t, answer):
    with Server(answer) as server:
        t.move(server.url)
        done = t.fails(4, "refract: ", "Hello")
        expect("asked again for an answer in one piece" in done.err, done.err)
        expect([b'"stream":true' in a for a in server.asked] == [True, False], server.asked)


@case("nobody listens")
def nobody(t):
    with socket.socket() as taken:  # nobody else may come to listen at this port meanwhile
        taken.bind(("127.0.0.1", 0))
        t.move(f"http://127.0.0.1:{taken.getsockname()[1]}")
        done = t.ask("Hello")
    expect(done.status == 4 and "127.0.0.1" in done.err and done.err.count("note: waiting ") == 1, done.err)
    expect(not t.sessions(), "a question that nobody has seen is a session")


@rows("a time limit ends", [
    ("silence", b""),
    ("a head without a body", CHUNKED),
    ("a stream that stops", CHUNKED + b"%x\r\n" % len(HALF) + HALF + b"\r\n"),
])
def silent(t, answer):
    with Server(answer, stays=True) as server:
        t.move(server.url)
        for limit in (1, 8, 64):  # a slow machine may need more than a second to get so far
            done = t.ask("--max-seconds", str(limit), "Hello")
            if server.asked and (done.out or HALF not in answer):
                break
        t.failed(done, 5, "second")
    expect(done.seconds >= limit, f"{done.seconds} s: {done.err}")
    if HALF in answer:
        expect(done.out == "The answer is long\n", done.out)


@rows("Ctrl-C ends at once", [
    ("silence", b""),
    ("a stream that stops", CHUNKED + b"%x\r\n" % len(HALF) + HALF + b"\r\n"),
])
def interrupted(t, answer):
    with Server(answer, stays=True) as server:
        t.move(server.url)
        process = t.start("-m", MODEL, "Hello")
        while not server.asked:
            time.sleep(0.01)
        process.stdout.read(1 if answer else 0)
        process.send_signal(signal.SIGINT)
        done = t.finish(process)
        expect(done.status == 130, f"{done.status} {done.err}")
    messages = t.goes_on(MODEL, *OTHERS)
    expect(("The answer is long" in str(messages)) == bool(answer), messages)


@case("Ctrl-C ends the wait for a busy server")
def interrupted_wait(t):
    with t.sim("- {status: 429, retry_after_s: 100, times: 0}\n"):
        process = t.start("-m", MODEL, "Hello")
        while b"note: waiting " not in process.stderr.readline():
            expect(process.poll() is None, "it did not wait")
        process.send_signal(signal.SIGINT)
        done = t.finish(process)
    expect(done.status == 130, f"{done.status} {done.err}")
    t.goes_on()


@rows("a redirect is not followed, and no key goes along", [(str(n), n) for n in (301, 302, 307, 308)])
def redirected(t, status):
    with Server(response(said("stolen"))) as thief:
        head = f"HTTP/1.1 {status} Moved\r\nLocation: {thief.url}/v1/messages"
        with Server(response(b"", head)) as server:
            t.move(server.url)
            t.fails(4, str(status), "Hello")
        expect(not thief.asked, f"it was followed: {thief.asked}")


# Streams that are cut, over a socket; test_cut_stream.c cuts at every byte


@rows("a stream is cut", [(f"{model}, {n} bytes", model, n)
                          for model in (MODEL, "bedrock:anthropic.claude-3-7-sonnet-20250219-v1:0", *OTHERS,
                                        "openai:gpt-5-mini", "mistral:mistral-large-latest", "ollama:llava",
                                        "cohere:command-a-vision-07-2025")
                          for n in (0, 700)])
def cut(t, model, count):
    words = "These are words that are many enough to be cut in the middle of them, whoever says them. " * 3
    with t.sim(f"- {{times: 0, cut_after_bytes: {count}, pause_ms: 1, text: '{words}'}}\n"):
        done = t.fails(4, "refract: ", "Hello", model=model)
    expect(words.startswith(done.out.rstrip("\n")), done.out)


# Secrets


@rows("a server that says the key", [
    ("that it does not know", 401, 8), ("in a refusal", 400, 4), ("in a storm", 429, 4), ("behind a proxy", 502, 4),
])
def says_key(t, status, exit_status):
    body = f'{{"error":{{"type":"x","message":"no such header as {KEY}: retry"}}}}'.encode()
    head = f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nretry-after-ms: 10"
    with Server(response(body, head)) as server:
        t.move(server.url)
        done = t.ask("Hello")
        expect(done.status == exit_status and "no such header" in done.err, f"{done.status} {done.err}")
        expect(KEY.encode() in server.asked[0], "the key was not sent")


@rows("a server that says the key in a stream", [
    ("as an error", sse({"type": "error", "error": {"type": "x", "message": f"no such header as {KEY}"}})),
    ("as an error at its end", HALF + sse({"type": "error", "error": {"type": "x", "message": f"no {KEY}"}})),
    ("as what is not an event", f"data: {{{KEY}}}\n\n".encode()),
])
def says_key_in_stream(t, body):
    with Server(response(body)) as server:
        t.move(server.url)
        t.fails(4, "refract: ", "Hello")


@case("the command that gives the key is not shown when it fails")
def key_command(t):
    del t.env["ANTHROPIC_API_KEY"]
    command = f"echo {KEY} >&2; echo {KEY}; exit 1"
    t.configure(f'providers: {{anthropic: {{key_command: [sh, -c, "{command}"]}}}}\n')
    done = t.ask("Hello")
    expect(done.status == 8 and "hint: " in done.err, f"{done.status} {done.err}")
    (t.folder / "xdg/refract/config.yaml").unlink()
