#!/usr/bin/env python3
"""What a run that was killed leaves behind, and that the next one removes it, and nothing else.

    test_killed.py PATH-OF-REFRACT [WORD OF A CASE...]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import fcntl
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

REFRACT = os.path.abspath(sys.argv[1])
CASES = []
OTHER = 65534  # nobody


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Deaf(http.server.ThreadingHTTPServer):
    """A provider that takes a question and says nothing."""

    daemon_threads = True

    def __init__(self):
        asked = self.asked = threading.Event()
        ended = self.ended = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.set()
                ended.wait()

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.ended.set()
        self.shutdown()
        super().__exit__(*_)


class Place:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.tmp = self.folder / "tmp"
        self.tmp.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.tmp), "HOME": folder, "OPENAI_API_KEY": "none",
                    **{f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("DATA", "CACHE", "CONFIG")}}

    def ask(self, given=None, model="offline"):
        return subprocess.Popen([REFRACT, "ask", "-q", "-m", model, "What is it?"], env=self.env, cwd=self.folder,
                                stdin=subprocess.DEVNULL if given is None else given, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def good(self):
        process = self.ask()
        _, said = process.communicate()
        expect(process.returncode == 0, said.decode())

    def left(self):
        return sorted(str(p.relative_to(self.tmp)) for p in self.tmp.rglob("*"))

    def plant(self, name, mode=0o700):
        """A folder with a file in it, as a killed run leaves it."""
        path = self.tmp / name
        path.mkdir()
        (path / "stdin.txt").write_text("a secret")
        path.chmod(mode)
        return path


def waiting_run(p, server):
    """A run with something piped in, that has asked and waits."""
    config = p.folder / "config" / "refract"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.yaml").write_text(
        f"providers: {{openai-compatible: {{base_url: 'http://127.0.0.1:{server.server_address[1]}/v1'}}}}\n")
    given = p.folder / "given.txt"
    given.write_text("what was piped in\n" * 100)
    with open(given, "rb") as f:
        run = p.ask(f, "openai-compatible:deaf")
    while not server.asked.wait(0.05):
        expect(run.poll() is None, run.stderr.read().decode() if run.poll() is not None else "")
    return run


@case("a run that is killed, and the next one")
def _(p):
    with Deaf() as server:
        run = waiting_run(p, server)
        expect(any(name.endswith("stdin") for name in p.left()), f"nothing was kept: {p.left()}")
        run.send_signal(signal.SIGKILL)
        run.communicate()
    expect(p.left(), "a killed process has cleaned up")
    p.good()
    expect(not p.left(), f"it is still there: {p.left()}")


@case("the files of a run that lives stay")
def _(p):
    with Deaf() as server:
        run = waiting_run(p, server)
        before = p.left()
        p.good()
        expect(p.left() == before, f"{before} became {p.left()}")
        run.send_signal(signal.SIGTERM)
        run.communicate()
    expect(not p.left(), f"a run that was ended has left {p.left()}")


@case("a folder that somebody has locked stays")
def _(p):
    path = p.plant("refract-run-abcdef")
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    p.good()
    expect(path.exists(), "it is gone")
    os.close(lock)
    p.good()
    expect(not path.exists(), "it is still there")


@case("what is not one of our folders stays: other names, links, files, folders that others can enter")
def _(p):
    kept = [p.plant("refract-run-abcde"), p.plant("refract-run-abcdefg"), p.plant("refract-abcdef"),
            p.plant("elsewhere"), p.plant("refract-run-opened", 0o755)]
    (p.tmp / "refract-run-afile1").write_text("a file")
    (p.tmp / "refract-run-alink1").symlink_to(p.tmp / "elsewhere")
    before = p.left()
    p.good()
    expect(p.left() == before and len(kept) == 5, f"{before} became {p.left()}")


@case("a folder in one of ours is not entered, nor is a link in it followed")
def _(p):
    victim = p.plant("victim")
    path = p.plant("refract-run-abcdef")
    (path / "deeper").mkdir()
    (path / "deeper" / "file").write_text("not ours")
    (path / "link").symlink_to(victim / "stdin.txt")
    (path / "folder").symlink_to(victim)
    p.good()
    expect((path / "deeper" / "file").exists() and (victim / "stdin.txt").exists(), p.left())


@case("an export that is killed leaves nothing but, at most, what the next one removes")
def _(p):
    out = p.folder / "out"
    out.mkdir()
    (p.folder / "big.bin").write_bytes(bytes(50_000_000))
    (p.folder / "new.json").write_text(json.dumps({"refract": 1, "messages": [
        {"role": "user", "content": [{"type": "document", "source_path": "big.bin"}]}]}))

    def sessions(*args):
        return subprocess.Popen([REFRACT, "sessions", *args], env=p.env, cwd=p.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL)

    def is_writing(pid):
        try:
            return any(os.readlink(fd).startswith(str(out)) for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            return False
    expect(sessions("new", "new.json").wait() == 0, "there is no session")
    for _ in range(3):
        export = sessions("export", "last", "-o", "out/session.tar")
        while export.poll() is None and not is_writing(export.pid):
            pass
        export.kill()
        export.wait()
    expect(sessions("export", "last", "-o", "out/session.tar").wait() == 0, "it could not be exported")
    expect(os.listdir(out) == ["session.tar"], f"there are {os.listdir(out)}")


@case("what belongs to another user stays")
def _(p):
    if os.geteuid() != 0:
        print("skipped: only root can give a folder away", end=" ")
        return
    path = p.plant("refract-run-abcdef")
    os.chown(path, OTHER, OTHER)
    p.good()
    expect((path / "stdin.txt").exists(), "it is gone")


def main():
    words, passed, failed = sys.argv[2:], 0, 0
    for name, function in CASES:
        if not all(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory(prefix="refract-killed-") as folder:
            try:
                function(Place(folder))
                passed += 1
                print(f"ok      {name}")
            except Exception as problem:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
