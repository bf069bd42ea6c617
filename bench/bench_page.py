#!/usr/bin/env python3
"""What the web page costs the gateway: bench_page.py PATH-OF-REFRACT [ROUNDS]

A thousand small requests a second go through three gateways by turns, a second each: without the page, with it and nobody
looking, and with one viewer. Printed is the processor time that each took for a request, and what the page added to that in
the same round, in percent and of one core. These are medians: what else the machine does changes a round by more than that.
"""
import http.client
import http.server
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RATE = 1000  # requests a second
THREADS = 8
SLICE_S, WARM_S = 1, 12  # after so long the page's memory is as large as it gets
ANSWER = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}).encode()
BODY = json.dumps({"model": "openai-chat:gpt-4o", "max_tokens": 99, "messages": [{"role": "user", "content": "Hello " * 100}]}).encode()


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER) + ANSWER)


class Threaded(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def cpu_s(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(t.read_text(encoding="ascii").split()[0]) for t in tasks) / 1e9


def send(port, until, counts, i):
    """Messages of Anthropic's clients, at this thread's share of the rate."""
    c = http.client.HTTPConnection("127.0.0.1", port)
    due = time.monotonic()
    while due < until:
        time.sleep(max(0, due - time.monotonic()))
        c.request("POST", "/v1/messages", BODY, {"content-type": "application/json"})
        c.getresponse().read()
        counts[i] += 1
        due += THREADS / RATE


def view(port):
    """Look, as a browser does."""
    c = http.client.HTTPConnection("127.0.0.1", port)
    c.request("GET", "/page/events")
    r = c.getresponse()
    try:
        while r.read1(65536):
            pass
    except (OSError, http.client.HTTPException):
        pass


class Gateway:
    def __init__(self, refract, upstream, options):
        self.home = tempfile.TemporaryDirectory()
        home = self.home.name
        env = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home,
               "OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"http://127.0.0.1:{upstream}/v1"}
        self.process = subprocess.Popen([refract, "serve", "--listen", "127.0.0.1:0", *options], env=env, cwd=home,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def measure(self, seconds):
        """Microseconds of a processor for a request."""
        counts, before, until = [0] * THREADS, cpu_s(self.process.pid), time.monotonic() + seconds
        threads = [threading.Thread(target=send, args=(self.port, until, counts, i)) for i in range(THREADS)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return (cpu_s(self.process.pid) - before) / sum(counts) * 1e6

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.home.cleanup()


def report(name, us, base):
    """The medians, and that of what is more than without the page in the same round."""
    more = statistics.median(a - b for a, b in zip(us, base))
    usual = statistics.median(base)
    print(f"{name:17} {statistics.median(us):7.1f} us a request; {more:+6.1f} us, {100 * more / usual:+5.1f} %, "
          f"{100 * more * RATE / 1e6:+5.2f} % of a core at {RATE} a second", flush=True)


def main():
    refract, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30
    server = Threaded(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names = ("without the page", "nobody looks", "one viewer")
    gateways = [Gateway(refract, server.server_address[1], ["--no-page"] if n == names[0] else []) for n in names]
    threading.Thread(target=view, args=(gateways[2].port,), daemon=True).start()
    for g in gateways:
        g.measure(WARM_S)
    measured = [[], [], []]
    for _ in range(rounds):
        for i in random.sample(range(3), 3):  # none of them always after the same one
            measured[i].append(gateways[i].measure(SLICE_S))
    for name, us in zip(names, measured):
        report(name, us, measured[0])
    for g in gateways:
        g.stop()


if __name__ == "__main__":
    main()
