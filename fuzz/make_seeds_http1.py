#!/usr/bin/env python3
"""Write the seeds of fuzz_http1: short answers of HTTP/1.1, some of them wrong.

They go to corpus/http1/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "http1"
OPEN, HEAD, CLOSED = (bytes([choice, 7]) for choice in (0, 1, 2))
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

SEEDS = {
    "length": OPEN + OK + b"Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": OPEN + CHUNKED + b"3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nA: b\r\n\r\n",
    "rest": CLOSED + OK + b"\r\nhello",
    "head": HEAD + OK + b"Content-Length: 5\r\n\r\n",
    "early": OPEN + b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\n" + OK + b"Content-Length: 1\r\n\r\nx",
    "line_feeds": OPEN + b"HTTP/1.0 404\nA:b\nConnection: close\nContent-Length: 0\n\nmore",
    "no_content": OPEN + b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello",
    "both": OPEN + OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "lengths": OPEN + OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "folded": OPEN + OK + b"A: b\r\n c\r\n\r\n",
    "no_size": OPEN + CHUNKED + b"x\r\n",
    "large_size": OPEN + CHUNKED + b"ffffffffffffffff\r\n",
    "cut": CLOSED + OK + b"Content-Length: 5\r\n\r\nhel",
    "other": CLOSED + b"SSH-2.0-server\r\n",
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (FOLDER / name).write_bytes(data)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
