"""What e2e.py asks with: `refract ask` against `refract sim`, with every provider's address moved there and
keys set to anything.

The simulator is as strict as the servers are, and its model says what it was given: with which hash, and inside
which result. So an answer tells what was delivered, and the simulator's log that nothing was refused.
"""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import threading
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from test_cli import LIMIT_S, Cli, Done, chunk, expect  # noqa: E402; pylint: disable=wrong-import-position

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
KEY = "anything-that-nobody-may-see"
ADDRESSES = {
    "ANTHROPIC_BASE_URL": "/anthropic",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "/bedrock",
    "GEMINI_BASE_URL": "/google",
    "VERTEX_BASE_URL": "/vertex",
    "OPENAI_BASE_URL": "/openai/v1",
    "XAI_BASE_URL": "/xai/v1",
    "GROQ_BASE_URL": "/groq",
    "OPENROUTER_BASE_URL": "/openrouter/api/v1",
    "MISTRAL_BASE_URL": "/mistral",
    "CO_API_URL": "/cohere",
    "LITELLM_BASE_URL": "/litellm",
    "OLLAMA_HOST": "/ollama",
    "OPENAI_COMPATIBLE_BASE_URL": "/openai-compatible/v1",
}
KEYS = ("ANTHROPIC_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GEMINI_API_KEY",
        "GOOGLE_OAUTH_ACCESS_TOKEN", "OPENAI_API_KEY", "XAI_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY",
        "MISTRAL_API_KEY", "CO_API_KEY", "LITELLM_API_KEY", "OPENAI_COMPATIBLE_API_KEY")
INSIDE = r" inside the result of (?P<tool>\w+) (?P<call>\w+)"
FILE = re.compile(r"(?P<mime>[a-z]+/[\w.+-]+)(?P<about>[^()]*) \(sha256 (?P<hash>[0-9a-f]{16})…\)(?:" + INSIDE + ")?")
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    """A case a row; its first member is its name."""
    def add(function):
        for row in table:
            CASES.append((f"{name}: {row[0]}", lambda t, row=row: function(t, *row)))
        return function
    return add


# Files.


def picture(number, width=64, height=48):
    """A picture like no other number's: one colour, and a band that says where it is."""
    pixel, band = bytes((number * 5 % 256, number // 51 * 40, 90)), bytes((250, 250, number % 256))
    rows_ = b"".join(b"\0" + (band if y // 4 == number % 8 else pixel) * width for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows_, 6)) + chunk(b"IEND", b""))


def noise(number, width, height):
    """A picture that does not get smaller by packing."""
    seed, data = hashlib.sha256(str(number).encode()).digest(), bytearray()
    while len(data) < height * (width * 3 + 1):
        seed = hashlib.sha512(seed).digest()
        data += seed
    for y in range(height):
        data[y * (width * 3 + 1)] = 0
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(data[:height * (width * 3 + 1)]), 0)) + chunk(b"IEND", b""))


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def given(answer):
    """The files that the answer says came with the question, in its order; and those from earlier on."""
    new, _, old = answer.partition(" Earlier in this conversation: ")
    return list(FILE.finditer(new)), list(FILE.finditer(old))


# Running.


class Simulator:
    """A server of its own for as long as a case lasts, with the lines of its log."""

    def __init__(self, program, env, *args):
        self.process = subprocess.Popen([program, "sim", "--seed", "1", *args], env=env, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stderr.readline, "")))
        self.reader.start()

    def __enter__(self):
        if not self.url.startswith("http://127.0.0.1:"):
            raise AssertionError(f"no simulator: {self.stop()}")
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        expect(self.process.returncode == 0, f"the simulator ended with {self.process.returncode}: {self.lines[-9:]}")
        return self.lines


class Living(Cli):
    """The program with a store and a configuration of its own, and all providers at one address."""

    def __init__(self, program, folder, url):
        super().__init__(program, folder)
        self.env.update(XDG_DATA_HOME=str(self.folder / "data"), XDG_CACHE_HOME=str(self.folder / "cache"),
                        AWS_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true", GOOGLE_CLOUD_PROJECT="p1")
        for name in ("REFRACT_WORKERS", "REFRACT_SOURCE"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        self.env.update({name: KEY for name in KEYS})
        self.move(url)

    def move(self, url):
        self.env.update({name: url + path for name, path in ADDRESSES.items()})

    def fixture(self, name):
        return self.write(name, (FIXTURES / name).read_bytes())

    def configure(self, text):
        self.write("xdg/refract/config.yaml", text)

    def simulator(self, script):
        """One that follows a script; ask there from now on."""
        sim = Simulator(self.program, self.env, "-s", self.write("script.yaml", script))
        self.move(sim.url)
        return sim

    def ask(self, model, *args, status=0):
        """Ask, and hold the run against what is true of every one."""
        command = [self.program, "ask", "-m", model, *args]
        p = subprocess.run(command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=LIMIT_S, check=False)
        done = Done(p.returncode, p.stdout.decode(), p.stderr.decode())
        expect(done.status == status, f"status {done.status} instead of {status}: {args}: {done.out}{done.err}")
        expect(KEY not in done.out + done.err, f"the key is shown: {done.err}")
        expect(status or done.out.strip(), f"no answer: {done.err}")
        notes = [line for line in done.err.splitlines() if line.startswith("note: ")]
        expect(len(notes) == len(set(notes)), f"said twice: {done.err}")
        return done

    def media(self, session="last"):
        done = self.good("sessions", "media", session, "--json")
        return [json.loads(line) for line in done.out.splitlines()]


def line_of(done, name):
    """The one line about a file that was delivered: what it begins with, and all of it."""
    lines = [line for line in done.err.splitlines() if re.match(rf"[+!x] {re.escape(name)} ", line)]
    expect(len(lines) == 1, f"{len(lines)} lines about {name}: {done.err}")
    return lines[0][0], lines[0]
