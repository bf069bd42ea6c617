"""A model on loopback that says what a test tells it to, piece by piece: for what the simulator is too polite to say.

    with Streamer() as s:
        s.says["story"] = Say(pieces=["Once ", "upon"], pause_s=0.1)
        Terminal([...], env=s.env())

A question that holds the word gets that answer; any other is repeated.
"""
import contextlib
import dataclasses
import http.server
import json
import socket
import threading
import time


@dataclasses.dataclass
class Say:
    pieces: list = dataclasses.field(default_factory=list)
    thoughts: list = dataclasses.field(default_factory=list)
    calls: list = dataclasses.field(default_factory=list)  # (name, arguments), these as a dict or as JSON
    at_once: int = 100    # calls in one round; the pieces come when all have their results
    pause_s: float = 0.0
    wait_s: float = 0.0   # before the first byte
    status: int = 200
    together: int = 1     # pieces in one write
    gate: threading.Event = None  # the last piece waits for it
    usage: dict = dataclasses.field(
        default_factory=lambda: {"prompt_tokens": 1200, "completion_tokens": 50, "total_tokens": 1250})


def question(messages):
    """What a person said last, and how many results came after it. After results may come their files."""
    text, results = "", 0
    for m in messages:
        results += m["role"] == "tool"
        content = m["content"]
        said = content if isinstance(content, str) else " ".join(p.get("text", "") for p in content or [])
        if m["role"] == "user" and "This is file att_" not in said:
            text, results = said, 0
    return text, results


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def piece(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def line(self, delta, finish=None, usage=None):
        event = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        if usage:
            event["usage"] = usage
        return b"data: " + json.dumps(event).encode() + b"\n\n"

    def refuse(self, status):
        body = json.dumps({"error": {"message": "no \x1b[2J thanks", "type": "invalid_request_error"}}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, deltas, pause_s, together, gate):
        lines = [self.line(d) for d in deltas]
        for i in range(0, len(lines), together):
            if gate and i + together >= len(lines):
                gate.wait()
            self.piece(b"".join(lines[i:i + together]))
            time.sleep(pause_s)

    def talk(self, say, results):
        calls = [(name, a if isinstance(a, str) else json.dumps(a))
                 for name, a in say.calls[results:results + say.at_once]]
        deltas = [{"reasoning_content": t} for t in say.thoughts if not results]
        deltas += [{"tool_calls": [{"index": i, "id": f"c{results + i}", "type": "function",
                                    "function": {"name": name, "arguments": arguments}}]}
                   for i, (name, arguments) in enumerate(calls)]
        deltas += [] if calls else [{"content": p} for p in say.pieces]
        self.stream(deltas, say.pause_s, say.together, say.gate)
        self.piece(self.line({}, "tool_calls" if calls else "stop", say.usage))
        self.piece(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, results = question(body["messages"])
        self.server.asked.append(text)
        self.server.requests.append(body)
        say = next((s for word, s in self.server.says.items() if word in text), Say([f"You said: {text[:200]}"]))
        time.sleep(say.wait_s)
        if say.status != 200:
            self.refuse(say.status)
            return
        try:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.talk(say, results)
        except OSError:  # whoever asked has gone
            self.close_connection = True


def env_at(port):
    return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "key"}


@contextlib.contextmanager
def nobody():
    """The variables of a server that is not there; no other can come to its port meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield env_at(taken.getsockname()[1])


class Streamer:
    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.says, self.server.asked, self.server.requests = {}, [], []
        self.says, self.asked, self.requests = self.server.says, self.server.asked, self.server.requests
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def env(self):
        return env_at(self.server.server_address[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
