#!/usr/bin/env python3
"""What the web page costs the gateway: bench_page.py PATH-OF-REFRACT [ROUNDS]

A thousand small requests a second go through four gateways by turns, a second each: without the page, the same again, with
the page and nobody looking, and with one viewer. Printed is the processor time that each took for a request, and what that is
more than the first one's in the same round, in percent of that and of one core: the median of all rounds, and between which
bounds it is with a probability of 95 %. What the second one has is noise, and so is as much of the others.
"""
import http.client
import http.server
import json
import math
import os
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
    """Of all its threads, those that have ended too: the kernel's clock of the process, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime(~pid << 3 | 2)


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
        """(Microseconds of a processor for a request, requests a second)"""
        counts, before, until = [0] * THREADS, cpu_s(self.process.pid), time.monotonic() + seconds
        threads = [threading.Thread(target=send, args=(self.port, until, counts, i)) for i in range(THREADS)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return (cpu_s(self.process.pid) - before) / sum(counts) * 1e6, sum(counts) / seconds

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.home.cleanup()


def bounds(values):
    """Those of the median, by the ranks of the values: they need not be spread in any way."""
    ordered, n = sorted(values), len(values)
    off = math.ceil(0.98 * math.sqrt(n))
    return ordered[max(0, n // 2 - off)], ordered[min(n - 1, (n - 1) // 2 + off)]


def report(name, us, base):
    """The median, and that of what is more than without the page in the same round."""
    usual, more = statistics.median(base), [a - b for a, b in zip(us, base)]
    middle, (least, most) = statistics.median(more), bounds(more)
    print(f"{name:17} {statistics.median(us):7.1f} us a request"
          + "".join(f"; {middle * of:+6.2f} % {what} ({least * of:+.2f} to {most * of:+.2f})"
                    for what, of in (("of that", 100 / usual), ("of a core", RATE / 1e4))), flush=True)


def main():
    refract, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    server = Threaded(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names = ("without the page", "the same again", "nobody looks", "one viewer")
    gateways = [Gateway(refract, server.server_address[1], ["--no-page"] if i < 2 else []) for i in range(len(names))]
    threading.Thread(target=view, args=(gateways[-1].port,), daemon=True).start()
    for g in gateways:
        g.measure(WARM_S)
    measured, rates = [[] for _ in names], []
    for _ in range(rounds):
        for i in random.sample(range(len(names)), len(names)):  # none of them always after the same one
            us, rate = gateways[i].measure(SLICE_S)
            measured[i].append(us)
            rates.append(rate)
    print(f"{rounds} rounds at {statistics.median(rates):.0f} requests a second")
    for name, us in zip(names, measured):
        report(name, us, measured[0])
    for g in gateways:
        g.stop()


if __name__ == "__main__":
    main()
