"""A client of MCP servers that writes and reads the wire itself: a message a line over the pipes of
a program. It waits for what comes, and only what hangs is ended by the clock."""
import json
import os
import queue
import subprocess
import threading

LIMIT_S = 180
PREFIX = "io.modelcontextprotocol/"


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def meta(capabilities=None, version="2026-07-28", name="test", **more):
    return {PREFIX + "protocolVersion": version,
            PREFIX + "clientCapabilities": capabilities or {},
            PREFIX + "clientInfo": {"name": name, "version": "0"}, **more}


class Wire:
    """with Wire([program, "mcp"]) as c: c.call("tools/list")"""

    def __init__(self, command, cwd=None, env=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=cwd,
                                        env={**os.environ, **(env or {})})
        self.lines, self.other, self.last = queue.Queue(), [], 0
        self.said = b""
        self.threads = [threading.Thread(target=self._read, daemon=True),
                        threading.Thread(target=self._errors, daemon=True)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _errors(self):
        self.said = self.process.stderr.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with self.lines.mutex:  # a case may have had it wait
            self.lines.maxsize = 1 << 30
            self.lines.not_full.notify_all()
        for thread in self.threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def next(self, limit=LIMIT_S):
        """The next message, or None at the end."""
        line = self.lines.get(timeout=limit)
        if line is None:
            return None
        expect(line.endswith(b"\n"), f"a line without its end: {line[-80:]}")
        message = json.loads(line)
        expect(message.get("jsonrpc") == "2.0", message)
        return message

    def wait_for(self, fits):
        """The first message that fits; those before it are kept in `other`."""
        for i, message in enumerate(self.other):
            if fits(message):
                return self.other.pop(i)
        while True:
            message = self.next()
            expect(message is not None, f"the server ended: {self.said}")
            if fits(message):
                return message
            self.other.append(message)

    def ask(self, method, params=None):
        """Send a request; its id."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.last

    def answer(self, number):
        return self.wait_for(lambda m: m.get("id") == number and "method" not in m)

    def call(self, method, params=None):
        """The whole answer."""
        return self.answer(self.ask(method, params))

    def result(self, method, params=None):
        answer = self.call(method, params)
        expect("result" in answer, f"{method}: {answer}")
        return answer["result"]

    def error(self, method, params=None):
        answer = self.call(method, params)
        expect("error" in answer, f"{method}: {str(answer)[:300]}")
        return answer["error"]

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def notified(self, method):
        return self.wait_for(lambda m: m.get("method") == method and "id" not in m)["params"]

    def initialize(self, version="2025-11-25", capabilities=None, name="test"):
        result = self.result("initialize", {"protocolVersion": version,
                                            "capabilities": capabilities or {},
                                            "clientInfo": {"name": name, "version": "0"}})
        self.notify("notifications/initialized")
        return result

    def tool(self, name, arguments=None, **more):
        return self.result("tools/call", {"name": name, "arguments": arguments or {}, **more})

    def end(self):
        """Close the input, and wait for the end; the status."""
        self.process.stdin.close()
        return self.process.wait(timeout=LIMIT_S)


class Modern(Wire):
    """The same in the modern era: each request says who asks."""

    def __init__(self, *args, capabilities=None, **more):
        super().__init__(*args, **more)
        self.meta = meta(capabilities)

    def ask(self, method, params=None):
        params = params or {}
        return super().ask(method, {**params, "_meta": {**self.meta, **params.get("_meta", {})}})


def texts(result):
    return "\n".join(b["text"] for b in result["content"] if b["type"] == "text")


def of_type(result, kind):
    return [b for b in result["content"] if b["type"] == kind]
