#!/usr/bin/env python3
"""Servers that mean harm, beyond those that are merely broken (tests/agent/trouble_servers.py):

    hostile_servers.py PATH-OF-REFRACT [REGEX]

A row a server: what it does, to which model's client, the bytes that it says (or who says them), the exit status,
and what is said. See troubling.py for what is true of every run: it ends with a status of the contract, writes
nothing that a terminal obeys, shows and keeps the key nowhere; and the session goes on at a strict server, which takes
every message of it. Prints what trouble.py prints.
"""
import base64
import json
import pathlib
import socket
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from troubling import MODEL, Server, block, case, expect, png, response, rows, run_all, said, sse, streamed, text

CHAT, GEMINI, OLLAMA = "openai-chat:gpt-4o", "google:gemini-2.5-flash", "ollama:llava"
BEDROCK = "bedrock:anthropic.claude-3-7-sonnet-20250219-v1:0"
STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"
LINES = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson"
CHUNKED = STREAM.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
FINE = said("Fine.")
MB = 1 << 20


def chunks(*pieces):
    return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


# What each API streams.


def chat(*choices, usage=None, end="stop"):
    """Of OpenAI's chat: a chunk for each delta, then the end."""
    events = [{"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": d}]} for d in choices]
    events.append({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": end}],
                   "usage": usage or {"prompt_tokens": 1, "completion_tokens": 1}})
    return b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n"


def chat_call(name, arguments, index=0, number="c1"):
    return {"tool_calls": [{"index": index, "id": number, "type": "function",
                            "function": {"name": name, "arguments": arguments}}]}


def gemini(*parts, **more):
    event = {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}],
             "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1}, **more}
    return b"data: " + json.dumps(event).encode() + b"\r\n\r\n"


def ollama(*messages, **more):
    lines = [{"model": "m", "message": {"role": "assistant", **m}, "done": False} for m in messages]
    lines.append({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
                  "prompt_eval_count": 1, "eval_count": 1, **more})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def with_usage(**usage):
    """A good answer of Anthropic's whose counts are these."""
    return sse({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": usage}},
               *({"type": kind, "index": 0, **members} for kind, members in text("Fine.")),
               {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
               {"type": "message_stop"})


def raw(event):
    """An event whose data are these bytes, in an answer that is good otherwise."""
    return FINE.replace(b"event: content_block_stop", b"event: content_block_delta\ndata: " + event
                        + b"\n\nevent: content_block_stop", 1)


def delta(said_there):
    return b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"' + said_there + b'"}}'


# HTTP.

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
GZIPPED = zlib.compressobj(9, zlib.DEFLATED, 31)
GZIP_BOMB = GZIPPED.compress(bytes(256 * MB)) + GZIPPED.flush()


def plain(extra, body=FINE, status="200 OK"):
    """A good answer with more lines in its head."""
    return response(body, f"HTTP/1.1 {status}\r\nContent-Type: text/event-stream\r\n{extra}")


def reset(connection):
    """Half an answer, then the connection is torn down."""
    connection.sendall(response(FINE)[:-60])
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def endless(piece, head=b""):
    def say(connection):
        connection.sendall(head)
        while True:
            connection.sendall(piece)
    return say


HTTP = [
    ("a header of 10 MB", MODEL, HEAD + b"X-A: " + b"a" * (10 * MB) + b"\r\n\r\n", 4, ""),
    ("announcements without end", MODEL, endless(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 50), 4, ""),
    ("\"continue\" twice, then an answer", MODEL, b"HTTP/1.1 100 Continue\r\n\r\n" * 2 + response(FINE), 0, "Fine."),
    ("another protocol from now on", MODEL, plain("Upgrade: h2c\r\nConnection: Upgrade", status="101 Switching"), 4,
     ""),
    ("a status that there is not", MODEL, plain("X: y", status="999 Odd"), 4, ""),
    ("a status of nought", MODEL, plain("X: y", status="000 None"), 4, ""),
    ("a version that there is not", MODEL, b"HTTP/9.9 200 OK\r\n\r\n" + FINE, 4, ""),
    ("HTTP 0.9: a body alone", MODEL, FINE, 4, ""),
    ("TLS on a plain port", MODEL, b"\x15\x03\x03\0\2\2\x46" + b"\x16\x03\x01\2\0\1\0\1\xfc" + bytes(500), 4, ""),
    ("no content, with content", MODEL, plain("X: y", status="204 No Content"), 4, ""),
    ("a part of an answer that nobody asked a part of", MODEL, plain("Content-Range: bytes 5-9/1", status="206 Part"),
     4, ""),
    ("a proxy's demand for a password", MODEL, plain("Proxy-Authenticate: Basic realm=x", status="407 No"), 4, ""),
    ("a demand for another way to log in", MODEL, plain("WWW-Authenticate: NTLM\r\nWWW-Authenticate: Negotiate",
                                                        status="401 No"), 8, ""),
    ("chunks that are longer than they say", MODEL, CHUNKED + b"5\r\n" + FINE + b"\r\n0\r\n\r\n", 4, ""),
    ("chunks of minus one", MODEL, CHUNKED + b"-1\r\n" + FINE + b"\r\n0\r\n\r\n", 4, ""),
    ("a chunk with a remark of a megabyte", MODEL, CHUNKED + b"%x;" % len(FINE) + b"a" * MB + b"\r\n" + FINE
     + b"\r\n0\r\n\r\n", 4, ""),
    ("trailers without end", MODEL, chunks(FINE)[:-2] + b"X: y\r\n" * 100000 + b"\r\n", 4, ""),
    ("two lengths", MODEL, plain("Content-Length: 5"), 4, ""),
    ("a length of minus five", MODEL, HEAD + b"Content-Length: -5\r\n\r\n" + FINE, 4, ""),
    ("a length of 2^64", MODEL, HEAD + b"Content-Length: 18446744073709551617\r\n\r\n" + FINE, 4, ""),
    ("a length and chunks", MODEL, plain("Transfer-Encoding: chunked"), 4, ""),
    ("256 MB in 256 KB of gzip", MODEL, response(GZIP_BOMB, STREAM + "\r\nContent-Encoding: gzip"), 4, ""),
    ("a packing that there is not", MODEL, plain("Content-Encoding: middle-out"), 0, "Fine."),
    ("a connection that is torn down", MODEL, reset, 4, ""),
    ("an answer in a type of a picture", MODEL, response(FINE, "HTTP/1.1 200 OK\r\nContent-Type: image/png"), 0,
     "Fine."),
    ("an answer without a type", MODEL, response(FINE, "HTTP/1.1 200 OK\r\nX: y"), 0, "Fine."),
    ("a head with escapes in every line", MODEL, plain("X-\x1b[2J: \x1b]0;owned\x07\r\nrequest-id: \x1b[31m",
                                                       b'{"type":"error","error":{"type":"x","message":"m"}}',
                                                       "400 \x1b[2J"), 4, ""),
    ("an error, and that all is well", CHAT, response(b'{"error":{"message":"not at all","type":"x"}}',
                                                      "HTTP/1.1 200 OK\r\nContent-Type: application/json"), 4, ""),
    ("remarks without end", MODEL, endless(b": ping\n" * 5000, HEAD + b"\r\n"), 5, "second"),
    ("a remark a million times, then an answer", MODEL, response(b": ping\n\n" * 1000000 + FINE), 0, "Fine."),
]

# Waiting.

WAITS = [
    ("2^63 seconds", "retry-after: 9223372036854775808"),
    ("a hundred digits of them", "retry-after: " + "9" * 100),
    ("10^30 milliseconds", "retry-after-ms: 1" + "0" * 30),
    ("until the year 9999", "retry-after: Fri, 31 Dec 9999 23:59:59 GMT"),
    ("infinitely many milliseconds", "retry-after-ms: 1e999\r\nretry-after: 86401"),
]

# Streams.

STREAMS = [
    ("noughts in an answer", MODEL, raw(delta(b"a\\u0000b\0c")), 4, ""),
    ("half characters in JSON", MODEL, raw(delta(b"\\ud800 \\udfff\\ud83d")), 0, "Fine.\ufffd"),
    ("bytes that are not text", MODEL, raw(delta(b"\xff\xfe\xc0\xaf \xed\xa0\x80")), 4, "UTF-8"),
    ("100,000 arrays in each other", MODEL, raw(b"[" * 100000 + b"]" * 100000), 5, "a message of the stream"),
    ("members that come twice", MODEL, raw(b'{"type":"ping",' + delta(b"two")[1:]), 0, "Fine."),
    ("numbers that no one has", MODEL, raw(b'{"type":"content_block_delta","index":1e999,"delta":{"type":"text_delta",'
                                           b'"text":"x"}}'), 0, "Fine."),
    ("a block number of 2^31", MODEL, raw(b'{"type":"content_block_start","index":2147483647,"content_block":'
                                          b'{"type":"text","text":"far"}}'), 0, "Fine.far"),
    ("a block that never began", MODEL, sse({"type": "content_block_delta", "index": 5, "delta":
                                            {"type": "text_delta", "text": "x"}}) + FINE, 0, "Fine."),
    ("two answers in one", MODEL, FINE + said("And more."), 0, "Fine."),
    ("an answer after its end", MODEL, FINE + sse({"type": "content_block_delta", "index": 0, "delta":
                                                  {"type": "text_delta", "text": "late"}}), 0, "Fine."),
    ("events of another API", MODEL, chat({"content": "x"}), 4, ""),
    ("its own events to another API", CHAT, FINE, 4, ""),
    ("lines of JSON where events belong", CHAT, ollama({"content": "x"}), 4, ""),
    ("an error in the middle of lines", OLLAMA, ollama({"content": "half"}).partition(b"\n")[0]
     + b'\n{"error":"it broke"}\n', 4, "it broke"),
    ("done, twice, with more between", OLLAMA, ollama({"content": "a"}) + ollama({"content": "b"}), 0, "a"),
    ("two candidates", GEMINI, b"data: " + json.dumps({"candidates": [
        {"index": i, "content": {"role": "model", "parts": [{"text": f"answer {i}"}]}, "finishReason": "STOP"}
        for i in range(2)]}).encode() + b"\r\n\r\n", 0, "answer 0"),
    ("choices that are none", CHAT, b'data: {"choices":null}\n\ndata: {"choices":[null]}\n\n'
     b'data: {"choices":[{"delta":null}]}\n\n' + chat({"content": "Fine."}), 0, "Fine."),
    ("a beginning mark, and every end of line", CHAT, b"\xef\xbb\xbf" + chat({"content": "Fine."}).replace(
        b"\n\n", b"\r\r\n\n"),
     0, "Fine."),
    ("counts below nought", MODEL, with_usage(input_tokens=-5, output_tokens=-2 ** 63), 0, "Fine."),
    ("counts of 10^30", MODEL, with_usage(input_tokens=10 ** 30, output_tokens=2 ** 63), 0, "Fine."),
    ("counts that are words", CHAT, chat({"content": "Fine."}, usage={"prompt_tokens": "\x1b[2Jmany",
                                                                     "completion_tokens": [1]}), 0, "Fine."),
    ("an end that nobody knows", CHAT, chat({"content": "Fine."}, end="\x1b[2J"), 0, "Fine."),
    ("an end for calls, without calls", CHAT, chat({"content": "Fine."}, end="tool_calls"), 0, "Fine."),
    ("a picture in base64 as its words", MODEL, said("data:image/png;base64," + base64.b64encode(png()).decode()), 0,
     "data:image/png;base64,"),
    ("a picture whose name climbs and paints", GEMINI, gemini({"inlineData": {
        "mimeType": "image/png\x1b[2J", "displayName": "../../\x1b]0;owned\x07.png",
        "data": base64.b64encode(png()).decode()}}), 0, ""),
    ("a picture that is not base64", GEMINI, gemini({"inlineData": {"mimeType": "image/png", "data": "\x1b[2J!!"}}), 4,
     ""),
    ("a frame of 4 GB", BEDROCK, struct.pack(">III", 0xffffffff, 0xffffffff, 0) + bytes(4000), 4, ""),
    ("a frame whose head is longer than it", BEDROCK, struct.pack(">II", 64, 4096)
     + struct.pack(">I", zlib.crc32(struct.pack(">II", 64, 4096))) + bytes(4000), 4, ""),
]


def tools(*calls):
    """Blocks of Anthropic's with these calls, each with its own number."""
    return streamed(*(block({"type": "tool_use", "id": number, "name": name, "input": {}},
                            {"type": "input_json_delta", "partial_json": arguments})
                      for number, name, arguments in calls), stop="tool_use")


CALLS = [
    ("a name of a megabyte", MODEL, tools(("t1", "a" * MB, "{}")), 5, "called tools"),
    ("a name that is a path", MODEL, tools(("t1", "../../../bin/sh", "{}")), 5, "called tools"),
    ("a name of two lines", CHAT, chat(chat_call("read_file\n? run it", "{}"), end="tool_calls"), 5, "called tools"),
    ("no name", CHAT, chat(chat_call("", "{}"), end="tool_calls"), 5, "called tools"),
    ("one number for two", MODEL, tools(("t1", "read_file", '{"file_path":"notes.txt"}'), ("t1", "read_file", "{}")), 5,
     "called tools"),
    ("a number of a megabyte", MODEL, tools(("t" * MB, "read_file", '{"file_path":"notes.txt"}')), 5, "called tools"),
    ("arguments that are not JSON", MODEL, tools(("t1", "read_file", "rm -rf /")), 5, "called tools"),
    ("arguments that are a list", MODEL, tools(("t1", "read_file", '["notes.txt"]')), 5, "called tools"),
    ("arguments 100,000 deep", MODEL, tools(("t1", "read_file", '{"file_path":' + "[" * 100000)), 5, "called tools"),
    ("a file outside, by every spelling", MODEL, tools(*((f"t{i}", "read_file", json.dumps({"file_path": path}))
        for i, path in enumerate(("/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "/proc/self/environ",
                                  "~/.ssh/id_rsa", "notes.txt/../../../etc/passwd")))), 5, "called tools"),
    ("10,000 of them", MODEL, tools(*((f"t{i}", "read_file", "{}") for i in range(10000))), 5, "called tools"),
    ("a place of 2^31 in the list", CHAT, chat(chat_call("read_file", "{}", index=2 ** 31 - 1), end="tool_calls"), 5,
     "called tools"),
    ("a place of minus one", CHAT, chat(chat_call("read_file", "{}", index=-1), end="tool_calls"), 5, "called tools"),
    ("an end that says there are none", CHAT, chat(chat_call("read_file", '{"file_path":"notes.txt"}'), end="stop"), 5,
     "called tools"),
    ("a function of Gemini that climbs", GEMINI, gemini({"functionCall": {"name": "../\x1b[2J", "args": ["x"]}}), 5,
     "called tools"),
    ("a call of Ollama with words for arguments", OLLAMA, ollama({"content": "", "tool_calls": [
        {"function": {"name": "read_file", "arguments": "notes.txt"}}]}), 5, "called tools"),
]


def asked(t, model, answer, status, words, *args):
    with Server(answer) as server:
        t.move(server.url)
        done = t.ask("--max-rounds", "2", *args, "Hello", model=model)
    seen = done.out[:300] + done.err[:600]
    expect(done.status == status, f"status {done.status}, not {status}: {seen}")
    expect(words in done.out + done.err, f"{words!r} is not in {seen}")
    expect("root:x:" not in str(t.goes_on(MODEL, CHAT)), "a file outside was read")
    return f"{done.status}"


def stream_of(model):
    return LINES if model == OLLAMA else STREAM if model != BEDROCK else (
        "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream")


@rows("a server that says", HTTP)
def over_http(t, model, answer, status, words):
    limit = ("--max-seconds", "1") if status == 5 else ()
    return asked(t, model, answer, status, words, *limit)


@rows("a server that streams", STREAMS)
def streams(t, model, body, status, words):
    return asked(t, model, response(body, stream_of(model)), status, words)


@rows("a server that calls with", CALLS)
def calls(t, model, body, status, words):
    return asked(t, model, response(body, stream_of(model)), status, words)


@rows("a busy server that has us wait", WAITS)
def waits(t, head):
    body = b'{"type":"error","error":{"type":"rate_limit_error","message":"Slower"}}'
    with Server(plain(head, body, "429 No")) as server:
        t.move(server.url)
        t.fails(4, "Slower", "Hello")
        expect(len(server.asked) == 1, f"asked {len(server.asked)} times")


@case("a server that has us call for ever")
def loops(t):
    with Server(response(tools(("t1", "read_file", '{"file_path":"notes.txt"}')))) as server:
        t.move(server.url)
        t.fails(5, "called tools 3 times", "--max-rounds", "3", "Hello")
        expect(len(server.asked) <= 4, f"asked {len(server.asked)} times")


@rows("a redirect is not followed", [
    ("to a file", "Location: file:///etc/passwd"),
    ("to another place, with a name and a password", "Location: http://user:secret@{}/v1/messages"),
    ("to a path without a place", "Location: //{}/v1/messages"),
    ("in a line that refreshes", "Refresh: 0; url=http://{}/\r\nLocation: http://{}/"),
])
def redirected(t, head):
    with Server(response(said("stolen"))) as thief:
        where = thief.url.removeprefix("http://")
        with Server(plain(head.replace("{}", where), b"", "303 See Other")) as server:
            t.move(server.url)
            t.fails(4, "303", "Hello")
        expect(not thief.asked, "it was followed")


@case("what a server would have us remember is not remembered")
def remembered(t):
    """Cookies, that it is to be asked over TLS alone from now on, that it is elsewhere."""
    with Server(response(said("thief"))) as thief:
        port = thief.url.rpartition(":")[2]
        head = ("Set-Cookie: track=remember-me; Path=/\r\nStrict-Transport-Security: max-age=99999\r\n"
                f'Alt-Svc: h2=":{port}"; ma=99999\r\n'
                f"Refresh: 0; url={thief.url}\r\nClear-Site-Data: \"*\"")
        with Server(plain(head)) as server:
            t.move(server.url)
            for question in (("Hello",), ("-c", "And now?")):
                expect(t.ask(*question).out == "Fine.\n", "not answered")
            expect(len(server.asked) == 2 and b"cookie" not in server.asked[1].lower(), server.asked[1][:600])
        expect(not thief.asked, "it went elsewhere")
    kept = [p for p in t.folder.rglob("*") if p.is_file() and b"remember-me" in p.read_bytes()]
    expect(not kept, f"kept in {kept}")


class Impatient(Server):
    """Answers before it has read a byte of the question."""

    def read(self, connection):
        return b""


@rows("a server that answers before it was asked", [
    ("with a refusal", plain("X: y", b'{"type":"error","error":{"type":"request_too_large","message":"too large"}}',
                             "413 No"), {4}),
    ("with an answer", response(FINE), {0, 4}),
])
def impatient(t, answer, statuses):
    t.write("large.txt", "words of a large file\n" * 200000)
    with Impatient(answer) as server:
        t.move(server.url)
        done = t.ask("-a", "large.txt", "Hello")
        expect(done.status in statuses, f"{done.status} {done.err}")
    t.goes_on()


if __name__ == "__main__":
    sys.exit(run_all(*sys.argv[1:]))
