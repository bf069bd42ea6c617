"""Runs refract and watches what it costs: its own memory, and that of the workers it started. Time is told, and only what
hangs fails by it: how long a file takes is a matter of the machine, and of the limits that the program itself sets.

The memory is the kernel's own high-water mark of each process, looked at every few milliseconds; the
resource usage that a parent gets mixes a process with the children that it waited for. In a build with
sanitizers memory is not checked against limits: they keep what was freed.
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import termios
import time

MB = 1 << 20
CALLER_MB = 20    # over its baseline
WORKER_MB = {"image": 2048, "pdf": 1024, "office": 1024, "legacy": 1024, "archive": 1024, "djvu": 1024, "postscript": 1024, "av": 1024, "ocr": 1024}
STARTED_MB = 192  # what a worker has before it is asked: libraries, fonts, tables
LOOK_S = 0.003
LIMIT_S = 600     # what takes longer hangs: workers are ended after a minute or two
STATUSES = {0, 2, 5, 6, 7}  # see refract(1)
MODEL = "anthropic:claude-sonnet-4-5"


def expect(good, message):
    if not good:
        raise AssertionError(message)


def high_water(pid):
    """In bytes; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def workers_of(pid):
    """{pid: family} of the workers among the children."""
    found = {}
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                children = f.read().split()
            for child in children:
                with open(f"/proc/{child}/comm", encoding="ascii", errors="replace") as f:
                    name = f.read().strip()
                if name.startswith("refract-media"):  # cut at 15 characters: ask for the rest
                    with open(f"/proc/{child}/cmdline", "rb") as f:
                        path = f.read().split(b"\0")[0].decode(errors="replace")
                    found[int(child)] = path.rpartition("-")[2]
    except OSError:
        pass
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Done:
    def __init__(self):
        self.status, self.out, self.err, self.seconds = None, b"", "", 0.0
        self.caller, self.workers = 0, {}  # bytes; {pid: (family, bytes)}

    def cost(self):
        most = max((n for _, n in self.workers.values()), default=0)
        return f"{self.seconds:.1f} s, {self.caller // MB} MB, worker {most // MB} MB"


class Machine:
    """The program in a folder of its own, with a configuration of its own."""
    known = {}  # of each program: whether it has sanitizers in it, and its baseline

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        keep = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")
        self.env = {k: os.environ[k] for k in keep if k in os.environ}
        self.env.update(HOME=str(self.folder), XDG_CONFIG_HOME=str(self.folder / "xdg"), LC_ALL="C.UTF-8")
        self.folder.mkdir(exist_ok=True)
        if program not in Machine.known:
            sanitized = b"__asan_init" in pathlib.Path(program).read_bytes()
            Machine.known[program] = sanitized, self.measure_baseline()
        self.sanitized, self.baseline = Machine.known[program]

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def measure_baseline(self):
        """What a read of a few bytes takes; the program is over too soon to be looked at, so it is made to
        wait for a password."""
        self.write("small.txt", "small\n")
        with subprocess.Popen([self.program, "read", "--password-file", "-", "small.txt"], cwd=self.folder,
                              env=self.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            process.stdin.write(b"x")
            process.stdin.flush()
            while int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
                expect(process.poll() is None, "it did not wait for a password")
                time.sleep(0.01)
            found = high_water(process.pid)
            process.stdin.close()
        (self.folder / "small.txt").unlink()
        return found

    def run(self, *args, during=None, extra=None, status=STATUSES, caller_mb=CALLER_MB):
        """Run it, and hold it against what is true of every run. `during` is called, with the process and the
        workers that are seen, each time it is looked at."""
        done, begun = Done(), time.monotonic()
        with open(self.folder / ".out", "w+b") as out, open(self.folder / ".err", "w+b") as err:
            process = subprocess.Popen([self.program, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       cwd=self.folder, env={**self.env, **(extra or {})})
            while process.poll() is None:
                self.look(process, done)
                if during:
                    during(process, done)
                if time.monotonic() - begun > LIMIT_S:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    raise AssertionError(f"still running after {time.monotonic() - begun:.0f} s")
                time.sleep(LOOK_S)
            done.seconds, done.status = time.monotonic() - begun, process.returncode
            for f in out, err:
                f.seek(0)
            done.out, done.err = out.read(), err.read().decode()
        self.check(done, args, status, caller_mb)
        return done

    def look(self, process, done):
        done.caller = max(done.caller, high_water(process.pid))
        for pid, family in workers_of(process.pid).items():
            known, before = done.workers.get(pid, (family, 0))  # one that ends has no name any more
            done.workers[pid] = (family or known, max(before, high_water(pid)))

    def check(self, done, args, status, caller_mb):
        expect(done.status in status, f"status {done.status}: {done.err[-2000:]}")
        expect(not any(c < " " and c != "\n" or "\x7f" <= c < "\xa0" for c in done.err),
               f"control characters: {done.err!r}")
        if done.status and "--json" not in args:
            expect(not done.out, f"failed, and wrote to standard output: {done.out[:200]!r}")
            lines = done.err.splitlines()
            expect(lines and lines[0].startswith("refract: "), f"no message: {done.err!r}")
            expect(len(lines) == 1 or len(lines) == 2 and lines[1].startswith("hint: "),
                   f"not an error in two lines: {done.err!r}")
        if not done.status:
            expect(done.out, "it says nothing")
        expect("crashed" not in done.err and b"crashed" not in done.out,
               f"a worker crashed: {done.err or done.out[:500]}")
        self.check_memory(done, caller_mb)
        self.check_gone(done)

    def check_memory(self, done, caller_mb):
        if self.sanitized:
            return
        expect(done.caller <= self.baseline + caller_mb * MB,
               f"{done.caller // MB} MB, and the baseline is {self.baseline // MB} MB")
        for family, n in done.workers.values():
            expect(n <= (WORKER_MB.get(family, 1024) + STARTED_MB) * MB,
                   f"the worker {family!r} had {n // MB} MB")

    def check_gone(self, done):
        """No worker outlives the one that it worked for."""
        end = time.monotonic() + LIMIT_S
        while any(is_alive(pid) for pid in done.workers):
            expect(time.monotonic() < end, f"workers are still there: {done.workers}")
            time.sleep(0.01)

    def read(self, path, *args, **how):
        return self.run("read", "--no-cache", *args, str(path), **how)


def refused(done, words):
    """An error that says why."""
    expect(done.status, f"it was read: {done.out[:300]!r}")
    expect(words in done.err, f"{done.err!r} does not hold {words!r}")


def told(done, *words):
    """A result that tells the truth: all of these words are in it."""
    expect(not done.status, f"status {done.status}: {done.err}")
    for word in words:
        expect(word.encode() in done.out, f"{done.out[:500]!r} does not hold {word!r}")


def judged(done, words):
    """Words that begin with "!" are of the error, with "?" one of them of either; others are all of the result."""
    if words.startswith("!"):
        refused(done, words[1:])
    elif words.startswith("?"):
        expect(any(word in done.err + done.out.decode() for word in words[1:].split("|")),
               f"{done.err!r} {done.out[:500]!r}")
    else:
        told(done, *words.split("|"))
