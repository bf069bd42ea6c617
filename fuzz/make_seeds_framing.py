#!/usr/bin/env python3
"""Write the seeds of fuzz_framing: short streams of each framing, some of them wrong.

They go to corpus/framing/ beside this file, under their own names; other files there are kept."""
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "framing"
SSE, LINES, AWS, AWS_REPAIRED = (bytes([kind, 7]) for kind in range(4))


def number(value, size):
    return value.to_bytes(size, "big")


def header(name, value, kind=7):
    length = number(len(value), 2) if kind in (6, 7) else b""
    return number(len(name), 1) + name + number(kind, 1) + length + value


def frame(headers=b"", payload=b""):
    head = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    body = head + struct.pack(">I", zlib.crc32(head)) + headers + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(name, payload, kind=b"event"):
    return frame(header(b":%s-type" % kind, name) + header(b":content-type", b"application/json")
                 + header(b":message-type", kind), payload)


FRAMES = (event(b"messageStart", b'{"role":"assistant"}')
          + event(b"contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"a"}}')
          + event(b"throttlingException", b'{"message":"slow"}', b"exception"))
EVERY_TYPE = b"".join(header(b"h", bytes(size), kind) for kind, size in
                      enumerate((0, 0, 1, 2, 4, 8, 3, 3, 8, 16)))

SEEDS = {
    "sse_lf": SSE + b"event: a\ndata: 1\n\n: comment\ndata: 2\ndata: 3\n\nevent: b\n\n",
    "sse_crlf": SSE + b"event: a\r\ndata: 1\r\n\r\ndata:2\r\n\r\n",
    "sse_cr": SSE + b"event: a\rdata: 1\r\rdata\r\r",
    "sse_mixed": SSE + b"data: 1\n\rdata: 2\r\n\ndata: 3\r\r\n\n",
    "sse_mark": SSE + b"\xef\xbb\xbfdata: 1\n\n\xef\xbb\xbfdata: 2\n\n",
    "sse_open": SSE + b"data: 1\n\nevent: a\ndata: 2",
    "sse_long_name": SSE + b"event: " + b"n" * 200 + b"\ndata: [DONE]\n\n",
    "lines": LINES + b'{"a":1}\n\r\n {"a":2} \r\n{"a":3}',
    "lines_mark": LINES + b"\xef\xbb\xbf1\n2\n",
    "aws": AWS + FRAMES,
    "aws_empty": AWS + frame() + frame(),
    "aws_every_type": AWS + frame(EVERY_TYPE, b"{}"),
    "aws_error": AWS + frame(header(b":message-type", b"error") + header(b":error-code", b"c")
                             + header(b":error-message", b"why")),
    "aws_cut": AWS + FRAMES[:-7],
    "aws_wrong_head": AWS + FRAMES[:9] + b"x" + FRAMES[10:],
    "aws_wrong_body": AWS + FRAMES[:40] + b"x" + FRAMES[41:],
    "aws_repaired": AWS_REPAIRED + FRAMES,
    "aws_repaired_headers": AWS_REPAIRED + frame(EVERY_TYPE[:-3]) + frame(b"\x05ab\x07"),
    "aws_repaired_lengths": AWS_REPAIRED + b"\0\0\0\x20\0\0\0\xff" + bytes(40),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (FOLDER / name).write_bytes(data)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
