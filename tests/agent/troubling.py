"""What trouble.py asks with: `refract ask` in a folder of its own, against `refract sim` or against servers that
behave badly; and what is true of every run, whatever went wrong.

Every run ends, says what went wrong in words and with a hint, ends with a status of the contract, writes
no byte that a terminal would obey, and nowhere shows the key.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from test_cli import LIMIT_S, Cli, Done, expect, png  # noqa: E402; pylint: disable=wrong-import-position

KEY = "sk-ant-Zq7-never-to-be-seen-4f1d"
MODEL = "anthropic:claude-sonnet-4-5"
OTHERS = ("openai-chat:gpt-4o", "google:gemini-2.5-flash")
STATUSES = {0, 4, 5, 6, 7, 8, 130, -signal.SIGKILL, -signal.SIGINT}
PLACES = {
    "ANTHROPIC_BASE_URL": "/anthropic",
    "OPENAI_BASE_URL": "/openai/v1",
    "GEMINI_BASE_URL": "/google",
    "GROQ_BASE_URL": "/groq",
    "MISTRAL_BASE_URL": "/mistral",
    "CO_API_URL": "/cohere",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "/bedrock",
    "OLLAMA_HOST": "/ollama",
}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "CO_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK")
CASES = []
AT_ONCE = 3

# A turn of a second, as a script of the simulator: words, two calls, words.
SLOW = """
- {when: {words: whale, results: 0}, times: 0, delay_ms: 60, pause_ms: 12, text: I shall read the notes now.,
   calls: [{name: read_file, arguments: {file_path: notes.txt}}, {name: view_image, arguments: {path: red.png}}]}
- {when: {words: whale}, times: 0, delay_ms: 60, pause_ms: 12,
   text: The blue whale weighs as much as a hundred and fifty small cars do and then some more.}
"""
WHALE = "How much does the whale in notes.txt weigh?"


class Skip(Exception):
    pass


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    """A case a row; its first member is its name."""
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", lambda t, rest=rest: function(t, *rest)))
        return function
    return add


def is_obeyed(text):
    """Is there something that a terminal does rather than shows?"""
    return any(c < " " and c not in "\n\t" or "\x7f" <= c < "\xa0" for c in text)


def sse(*events):
    """Anthropic's stream of these events, as bytes."""
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def block(first, *deltas):
    return [("content_block_start", {"content_block": first}),
            *(("content_block_delta", {"delta": d}) for d in deltas), ("content_block_stop", {})]


def text(*pieces):
    return block({"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))


def thought(words):
    return block({"type": "thinking", "thinking": "", "signature": ""},
                 {"type": "thinking_delta", "thinking": words},
                 {"type": "signature_delta", "signature": "c2lnbmVk"})


def called(name, arguments):
    return block({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}},
                 {"type": "input_json_delta", "partial_json": json.dumps(arguments)})


def streamed(*blocks, stop="end_turn"):
    """An answer of these blocks."""
    return sse({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [],
                                                     "usage": {"input_tokens": 9, "output_tokens": 1}}},
               *({"type": kind, "index": i, **members} for i, b in enumerate(blocks) for kind, members in b),
               {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}},
               {"type": "message_stop"})


def said(*pieces):
    return streamed(text(*pieces))


def response(body, head="HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"):
    return f"{head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


class Server:
    """Answers each connection with bytes, however wrong they are; then it closes, or says nothing more. The last
    answer is for all further connections too. With `everywhere` it is at every address of this machine."""

    def __init__(self, *answers, stays=False, everywhere=False):
        self.answers, self.stays, self.asked = list(answers), stays, []
        self.listener = socket.create_server(("0.0.0.0" if everywhere else "127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.open.append(connection)
                threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with contextlib.suppress(OSError):
            self.asked.append(self.read(connection))
            self.answer(connection, self.answers[min(len(self.asked), len(self.answers)) - 1])
            if not self.stays:
                connection.shutdown(socket.SHUT_RDWR)
                connection.close()

    @staticmethod
    def answer(connection, answer):
        """An answer is bytes, or who says it."""
        if callable(answer):
            answer(connection)
        else:
            connection.sendall(answer)

    @staticmethod
    def read(connection):
        got, want = b"", None
        while want is None or len(got) < want:
            piece = connection.recv(65536)
            if not piece:
                break
            got += piece
            head, end, _ = got.partition(b"\r\n\r\n")
            if end and want is None:
                lengths = [line.split(b":")[1] for line in head.split(b"\r\n")
                           if line.lower().startswith(b"content-length:")]
                want = len(head) + 4 + (int(lengths[0]) if lengths else 0)
        return got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):  # wakes accept
            self.listener.shutdown(socket.SHUT_RDWR)
        for s in (self.listener, *self.open):
            s.close()


class Trouble(Cli):
    """The program with a store, a picture and a key of its own."""

    def __init__(self, program, folder, strict):
        super().__init__(program, folder)
        self.strict = strict  # where a simulator is that has no script
        self.env.update(XDG_DATA_HOME=str(self.folder / "data"), XDG_CACHE_HOME=str(self.folder / "cache"),
                        TERM="dumb", AWS_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true")
        for name in ("REFRACT_WORKERS", "REFRACT_SOURCE"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        self.env.update({name: KEY for name in KEYS})
        self.move(strict)
        self.write("red.png", png())
        self.write("notes.txt", "The blue whale weighs 150 tons.\n")

    def move(self, url):
        """Ask there from now on."""
        self.env.update({name: url + path for name, path in PLACES.items()})

    def configure(self, text):
        self.write("xdg/refract/config.yaml", text)

    @contextlib.contextmanager
    def sim(self, script):
        """A simulator that follows the script; gives the lines of its log so far."""
        path, lines = self.write("script.yaml", script), []
        with simulator(self.program, self.env, "-s", path) as (url, process):
            reader = threading.Thread(target=lambda: lines.extend(iter(process.stderr.readline, b"")), daemon=True)
            reader.start()
            old, _ = self.env["ANTHROPIC_BASE_URL"], self.move(url)
            yield lines
            self.move(old.removesuffix("/anthropic"))
            process.terminate()
            reader.join()

    def start(self, *args, **how):
        return subprocess.Popen([self.program, "ask", *args], cwd=self.folder, env={**self.env, **how.pop("env", {})},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=how.pop("stderr", subprocess.PIPE), **how)

    def finish(self, process):
        """Its end, checked against what is true of every run."""
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"it did not end: {process.communicate()}") from None
        return self.judge(process.returncode, out, err)

    @staticmethod
    def judge(status, out, err):
        out, err = out.decode(), err.decode()
        expect(status in STATUSES, f"status {status}: {out[-500:]}{err[-1500:]}")
        expect(not is_obeyed(out) and not is_obeyed(err), f"a terminal would obey: {out!r} {err!r}")
        expect(KEY not in out + err, f"the key is shown: {out}{err}")
        if status > 0:
            expect("\nrefract: " in "\n" + err, f"failed without a word: {err!r}")
        return Done(status, out, err)

    def ask(self, *args, model=MODEL, **how):
        began = time.monotonic()
        done = self.finish(self.start("-m", model, *args, **how))
        done.seconds = time.monotonic() - began
        return done

    def fails(self, status, words, *args, **how):
        return self.failed(self.ask(*args, **how), status, words)

    def failed(self, done, status, words):
        """It failed so, with these words, a hint, and a session that can be gone on with."""
        expect(done.status == status, f"status {done.status} instead of {status}: {done.out}{done.err}")
        expect(words in done.err, f"{words!r} is not in {done.err!r}")
        expect("\nhint: " in done.err, f"no hint: {done.err}")
        self.goes_on()
        return done

    def sessions(self):
        done = self.run("sessions", "list", "--json")
        expect(done.status == 0, f"the store cannot be read: {done.err}")
        return [json.loads(line)["id"] for line in done.out.splitlines()]

    def kept(self, session="last"):
        """The messages of a session; none of its bytes is the key's."""
        done = self.run("sessions", "show", session, "--json", "--full")
        expect(done.status == 0, f"it cannot be shown: {done.err}")
        expect(KEY.encode() not in done.out, "the key is in a session")
        return json.loads(done.out)["messages"]

    def goes_on(self, *models):
        """The session is valid: strict servers take it with one more question, and every call has a result."""
        old = self.env["ANTHROPIC_BASE_URL"].removesuffix("/anthropic")
        self.move(self.strict)
        for model in models or (MODEL,):
            done = self.ask("-c", "-q", "Go on.", model=model)
            expect(done.status == 0 and done.out.strip(), f"it does not go on with {model}: {done.err}")
        self.move(old)
        messages = self.kept()
        calls = [b["id"] for m in messages if m["role"] == "assistant" and isinstance(m["content"], list)
                 for b in m["content"] if b["type"] == "tool_call"]
        results = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
        expect(sorted(calls) == sorted(results), f"calls {calls}, results {results}")
        return messages

    def search_folder(self):
        """Nothing that was written anywhere has the key, and no session that is carried elsewhere."""
        if (self.folder / "data").exists() and self.sessions():
            expect(KEY.encode() not in self.run("sessions", "export", "last").out, "the key is exported")
        for path in self.folder.rglob("*"):
            if path.is_file() and KEY.encode() in path.read_bytes():
                raise AssertionError(f"the key is in {path}")


class Terminal:
    """A run on a terminal of its own."""

    def __init__(self, t, *args, model=MODEL):
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(
            [t.program, "ask", "-m", model, *args], cwd=t.folder, env=t.env, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0))
        self.seen = b""

    def read(self, seconds):
        """What comes within that time."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and select.select([self.master], [], [], left)[0]:
            self.seen += os.read(self.master, 65536)
        return self.seen

    def read_bytes(self, count):
        """Until so many came, or it has ended."""
        while len(self.seen) < count and self.process.poll() is None:
            self.read(0.01)

    def press(self, keys=b"\x03"):
        os.write(self.master, keys)

    def end(self):
        """Its status; the terminal must be as it was."""
        until = time.monotonic() + LIMIT_S
        while self.process.poll() is None:
            if time.monotonic() > until:
                self.process.kill()
                raise AssertionError(f"it did not end: {self.seen!r}")
            self.read(0.02)
        self.read(0.05)
        after = termios.tcgetattr(self.slave)
        os.close(self.slave)
        os.close(self.master)
        expect(after == self.before, "the terminal is not as it was")
        shown = self.seen.decode(errors="replace").replace("\r\n", "\n").replace("^C", "")
        expect(not is_obeyed(shown), f"the terminal was told: {shown!r}")
        expect(KEY not in shown, f"the key is shown: {shown}")
        return self.process.returncode, shown


@contextlib.contextmanager
def simulator(program, env, *args):
    with subprocess.Popen([program, "sim", *args], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        url = process.stdout.readline().decode().strip()
        try:
            expect(url.startswith("http://127.0.0.1:"), f"no simulator: {process.stderr.read1() if not url else url}")
            yield url, process
        finally:
            process.terminate()


# All of it


def run_case(program, folder, number, strict, only):
    name, function = CASES[number]
    if not re.search(only, name):
        return None
    began = time.monotonic()
    try:
        t = Trouble(program, pathlib.Path(folder) / str(number), strict)
        note = function(t) or ""
        t.search_folder()
        state = "ok"
    except Skip as e:
        note, state = str(e), "skipped"
    except AssertionError as e:
        note, state = str(e), "FAILED"
    except Exception:  # pylint: disable=broad-except
        note, state = traceback.format_exc(), "FAILED"
    print(f"{state:7} {name}: {note} {time.monotonic() - began:.1f} s", flush=True)
    return state


def run_all(program, only=""):
    """All cases, a few at once; gives the exit status."""
    program = os.path.abspath(program)
    with (tempfile.TemporaryDirectory(prefix="refract-trouble-") as folder,
          simulator(program, dict(os.environ), "-q") as (strict, _),
          concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool):
        states = list(pool.map(lambda n: run_case(program, os.path.realpath(folder), n, strict, only),
                               range(len(CASES))))
    count = {s: states.count(s) for s in ("ok", "FAILED", "skipped")}
    print(f"{count['ok']} passed, {count['FAILED']} failed, {count['skipped']} skipped")
    return 1 if count["FAILED"] or not count["ok"] else 0
