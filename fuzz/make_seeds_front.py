#!/usr/bin/env python3
"""Write the seeds of fuzz_front: requests, one idea each.

They go to corpus/front/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "front"
HOST = "Host: localhost:8484"
SEEDS = {
    "chat": f"POST /v1/chat/completions\n{HOST}\nAuthorization: Bearer rk-a\nContent-Length: 9",
    "messages": f"POST /v1/messages?beta=true\n{HOST}\nx-api-key: a\nanthropic-version: 2023-06-01",
    "count": f"POST /v1/messages/count_tokens\n{HOST}\nContent-Length: 2",
    "responses": f"POST /v1/responses\n{HOST}\nTransfer-Encoding: chunked",
    "gemini": f"POST /v1beta/models/openai-chat%3Agpt-4o:streamGenerateContent?alt=sse&key=k%2Bl\n{HOST}",
    "gemini_raw_colon": f"POST /v1/models/ollama:gemma3:4b:generateContent\n{HOST}\nx-goog-api-key: a",
    "list": f"GET /v1/models\nHost: [::1]:8484\nOrigin: http://127.0.0.1:8484",
    "describe": f"GET /v1beta/models/a/b:c\nHost: 127.0.0.1",
    "wrong_method": f"PUT /v1/models/a:countTokens\n{HOST}",
    "escapes": f"POST /v1beta/models/%00%ff%zz%2:generateContent\n{HOST}",
    "page": "GET /healthz\nHost: localhost.evil.example\nOrigin: https://evil.example",
    "hosts": "GET /readyz\nHost: [::1\nOrigin: http://[::1]:x\nX: [::1]:80\nY: :80\nZ: a:b:c",
    "smuggling": f"POST /v1/responses\n{HOST}\nContent-Length: 5\nTransfer-Encoding: chunked\nHost: b",
    "globs": f"GET /metrics\n{HOST}\nclaude-sonnet: claude-*\naaaaaaaaaaaa: *a*a*a*b",
}


BODIES = {
    "chat": b"{\"a\": 1}\n",
    "responses": b"3;x=1\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.1",
}


def request(name, text):
    first, *headers = text.split("\n")
    return "\r\n".join([first + " HTTP/1.1", *headers, "", ""]).encode() + BODIES.get(name, b"")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (FOLDER / (name + ".txt")).write_bytes(request(name, text))
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
