"""A server between a client and the simulator, which keeps the bodies that were accepted.

    with Tap(sim.url, folder) as tap: …    # tap.url; the bodies are folder/NNN.DIALECT.json

DIALECT is the name that the conformance checker has for what was asked; bodies of others are not
kept. GET /last tells the status and the body of the last exchange.
"""
import http.client
import http.server
import json
import pathlib
import re
import threading
import urllib.parse

DIALECTS = [  # of paths
    ("/anthropic/", "anthropic"), ("/bedrock/", "bedrock"), ("/google/", "gemini"),
    ("/vertex/", "gemini-vertex"), ("/openai/.*/responses", "openai-responses"),
    ("/openai/.*/chat/completions", "openai-chat"), ("/xai/.*/responses", "xai-responses"),
    ("/xai/.*/chat/completions", "xai"), ("/groq/", "groq"), ("/openrouter/", "openrouter"),
    ("/ollama/api/chat", "ollama"), ("/ollama/v1", "openai-chat"),
]
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Tap(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = urllib.parse.urlsplit(upstream).netloc
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.count = 0
        self.last, self.answer = {}, b""  # of the last POST
        self.lock = threading.Lock()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def keep(self, path, body):
        dialect = next((name for pattern, name in DIALECTS if re.match(pattern, path)), None)
        if dialect:
            with self.lock:
                self.count += 1
                name = f"{self.count:03}.{dialect}.json"
            (self.folder / name).write_bytes(body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        upstream = http.client.HTTPConnection(self.server.upstream)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP}
        upstream.request(self.command, self.path, body, headers)
        reply = upstream.getresponse()
        answer = reply.read()
        upstream.close()
        if self.command == "POST":
            self.server.answer = answer
            self.server.last = {"status": reply.status, "body": body.decode("utf-8", "replace")}
            if reply.status == 200:
                self.server.keep(self.path, body)
        self.answer(reply.status, reply.getheaders(), answer)

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # pylint: disable=invalid-name # as http.server wants it
        if self.path == "/last":
            self.answer(200, [], json.dumps(self.server.last).encode())
        else:
            self.forward()

    do_POST = forward

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass
