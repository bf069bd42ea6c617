"""A program in a terminal, typed at and looked at.

    with Terminal([refract, "chat", "-m", "offline"], plays="kitty", columns=100, rows=30) as t:
        t.wait_for("> ")
        t.type("What is in @photo.jpg?")
        t.press("Enter")
        t.wait_for("I was given")
        t.screen()                     rows as they are seen
        t.emulator.pictures            and everything else that the emulator knows
        t.press("Ctrl-D")
        assert t.wait_exit() == 0
        t.check_restored()             modes of the terminal and of the screen are as before

The program gets a pseudo-terminal of its own, a home of its own, no keys and no configuration. What is written
goes through the strict emulator at once: what has no business on a terminal raises in whatever waits then.
What does not come raises with the screen as it was: when the program ends, or after so long that it hangs.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

from emulator import PROFILES, Emulator

CONTROL = {f"Ctrl-{chr(c)}": bytes([c & 0x1f]) for c in range(ord("A"), ord("Z") + 1)}
KEYS = {
    **CONTROL, "Enter": b"\r", "Tab": b"\t", "Escape": b"\x1b", "Backspace": b"\x7f", "Space": b" ",
    "Up": b"\x1b[A", "Down": b"\x1b[B", "Right": b"\x1b[C", "Left": b"\x1b[D", "Home": b"\x1b[H",
    "End": b"\x1b[F", "Delete": b"\x1b[3~", "PageUp": b"\x1b[5~", "PageDown": b"\x1b[6~",
    "Alt-Enter": b"\x1b\r", "Shift-Enter": b"\x1b[13;2u", "Alt-B": b"\x1bb", "Alt-F": b"\x1bf",
    "Ctrl-Left": b"\x1b[1;5D", "Ctrl-Right": b"\x1b[1;5C", "Shift-Tab": b"\x1b[Z", "Ctrl-\\": b"\x1c",
}
PATIENCE_S = 300.0  # whatever takes longer hangs, on the slowest machine too
PASSED_ON = ("PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS")


class TimedOut(AssertionError):
    pass


def environment(profile, home, extra):
    env = {name: value for name, value in os.environ.items()
           if name in PASSED_ON or name.startswith("REFRACT_")}
    env.update({"HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data",
                "XDG_CACHE_HOME": home + "/cache", "LANG": "C.UTF-8", "TERM": profile.term})
    env.update(profile.environment)
    for name, value in (extra or {}).items():
        env[name] = value
        if value is None:
            del env[name]
    return env


def take_terminal():
    """In the child: standard input becomes its controlling terminal, and no signal is ignored because we are run in the
    background."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    def __init__(self, argv, *, plays="xterm", columns=80, rows=24, cell_size=(10, 20), env=None, cwd=None,
                 home=None, strict=True, background=None, reflow=None, stdin=None, stdout=None, stderr=None):
        """`home` is kept; without one there is a new one that goes with the terminal. stdin, stdout and stderr are
        the terminal but where something else (an open file, subprocess.PIPE) is given."""
        self.emulator = Emulator(columns, rows, plays, cell_size=cell_size, strict=strict,
                                 background=background, reflow=reflow)
        self.own_home = None if home else tempfile.mkdtemp(prefix="refract-home-")
        self.home = str(home or self.own_home)
        self.written = bytearray()  # everything that the program wrote
        self.to_say = []            # answers that are on their way: (when, bytes)
        self.master, self.slave = pty.openpty()
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [os.fspath(a) for a in argv], env=environment(self.emulator.profile, self.home, env), cwd=cwd,
            stdin=self.slave if stdin is None else stdin, stdout=self.slave if stdout is None else stdout,
            stderr=self.slave if stderr is None else stderr, start_new_session=True,
            preexec_fn=take_terminal if stdin is None else None)
        os.set_blocking(self.master, False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End what was started, and everything that it started in its session."""
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        for fd in filter(lambda fd: fd >= 0, (self.master, self.slave)):
            os.close(fd)
        self.master = self.slave = -1
        if self.own_home:
            shutil.rmtree(self.own_home, ignore_errors=True)

    # What goes in.

    def send(self, data):
        """Bytes, all of them, while what comes out meanwhile is read."""
        data = memoryview(data)
        end = time.monotonic() + PATIENCE_S
        while data:
            if time.monotonic() > end:
                raise TimedOut(f"nobody reads what is typed; {len(data)} bytes are left")
            try:
                data = data[os.write(self.master, data[:65536]):]
                end = time.monotonic() + PATIENCE_S
            except BlockingIOError:
                select.select([self.master], [self.master], [], 0.05)
            self.pump(0)

    def type(self, text):
        self.send(text.encode() if isinstance(text, str) else text)

    def press(self, *names):
        for name in names:
            self.send(KEYS[name])

    def paste(self, text):
        """As a terminal does: in brackets where the program wants them, without an end inside."""
        data = text.encode() if isinstance(text, str) else text
        if 2004 in self.emulator.modes:
            data = b"\x1b[200~" + data.replace(b"\x1b[201~", b"") + b"\x1b[201~"
        self.send(data.replace(b"\n", b"\r"))

    def set_size(self, columns, rows):
        width, height = self.emulator.cell_size
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, columns * width, rows * height))

    def resize(self, columns, rows):
        self.pump(0)
        self.emulator.resize(columns, rows)
        self.set_size(columns, rows)

    def signal(self, number):
        """To the process itself; Ctrl-C is a key."""
        self.process.send_signal(number)

    def hang_up(self):
        """The window is closed."""
        os.close(self.master)
        self.master = -1

    # What comes out.

    def pump(self, seconds):
        """Read for at most so long, or until something came. True where something did."""
        now = time.monotonic()
        while self.to_say and self.to_say[0][0] <= now:
            when, answer = self.to_say[0]
            try:
                left = answer[os.write(self.master, answer):]
            except BlockingIOError:  # what is typed has not been read yet
                left = answer
            self.to_say[:1] = [(when, left)] if left else []
            if left:
                break
        if self.to_say:
            seconds = min(seconds, max(0.005, self.to_say[0][0] - now))
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except (BlockingIOError, OSError):
            return False
        self.written += data
        self.emulator.feed(data)
        for delay, answer in self.emulator.replies():
            self.to_say.append((time.monotonic() + delay, answer))
        return bool(data)

    def wait_until(self, good, timeout=PATIENCE_S, what="it"):
        """Until good() is true. Gives the seconds since the program was started."""
        end = time.monotonic() + timeout
        while not good():
            left = end - time.monotonic()
            if left <= 0:
                raise TimedOut(f"{what} did not come in {timeout} s; the screen:\n{self.picture()}")
            ended = self.process.poll() is not None
            if not self.pump(min(left, 0.05)) and ended and not good():
                raise TimedOut(f"{what} did not come: the program ended with "
                               f"{self.process.returncode}; the screen:\n{self.picture()}")
        return time.monotonic() - self.started

    def wait_for(self, wanted, timeout=PATIENCE_S, everywhere=False):
        """Until a text, or something that a compiled pattern finds, is on the screen (or went up from it)."""
        return self.wait_until(lambda: self.sees(wanted, everywhere), timeout, repr(wanted))

    def wait_gone(self, wanted):
        return self.wait_until(lambda: not self.sees(wanted), what=f"the end of {wanted!r}")

    def sees(self, wanted, everywhere=False):
        text = self.emulator.everything() if everywhere else "\n".join(self.screen())
        if isinstance(wanted, re.Pattern):
            return bool(wanted.search(text))
        return wanted in text or wanted in text.replace("\n", " \n")  # rows are without the spaces at their ends

    def settle(self, quiet=0.2):
        """Until, for so long, nothing was written and nothing that was started here had something to do. Who only waits
        for a processor has."""
        end = time.monotonic() + PATIENCE_S
        last = time.monotonic()
        while time.monotonic() - last < quiet:
            if time.monotonic() > end:
                raise TimedOut(f"it never stops; the screen:\n{self.picture()}")
            if self.pump(0.02) or self.to_say or is_busy(self.process.pid):
                last = time.monotonic()

    def screen(self):
        return self.emulator.screen()

    def everything(self):
        return self.emulator.everything()

    def picture(self):
        """The screen with a frame, for people who read of a failure."""
        row, column = self.emulator.cursor
        lines = [f"  |{line}" for line in self.screen()]
        return "\n".join([*lines, f"  cursor: row {row}, column {column}"])

    def wait_exit(self):
        """The exit status; minus the signal that ended it."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise TimedOut(f"it does not end; the screen:\n{self.picture()}")
            self.pump(0.02)
        while self.pump(0.05):
            pass
        return self.process.returncode

    # Afterwards.

    def restored(self):
        """What is not as before; empty where all is."""
        found = self.emulator.unrest()
        names = ("input modes", "output modes", "control modes", "local modes", "speed in", "speed out", "keys")
        for name, old, new in zip(names, self.before, termios.tcgetattr(self.slave)):
            if old != new:
                found.append(f"{name}: {old} became {new}")
        return found

    def wait_restored(self):
        """Until all is as before: what puts it back may be a process of its own."""
        end = time.monotonic() + PATIENCE_S
        while self.restored() and time.monotonic() < end:
            self.pump(0.02)
        self.check_restored()

    def check_restored(self):
        found = self.restored()
        if found:
            raise AssertionError("; ".join(found))


def answerable(t):
    """Until a question is on the screen of a chat and keys are answers to it: its row is not dim any more."""
    def is_bright():
        found = [styles for at, styles in (row.find("y: yes, once") for row in t.emulator.grid.rows) if at >= 0]
        return found and not any(style.dim for style in found[0])
    t.wait_until(is_bright, what="a question that can be answered")


def stat_of(path):
    """The state and the session of a process or a thread."""
    with open(path + "/stat", encoding="ascii", errors="replace") as f:
        state, _, _, session = f.read().rpartition(")")[2].split()[:4]
    return state, int(session)


def is_busy(session):
    """Does a thread of the session run, or wait for a processor or a disk?"""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        tasks = f"/proc/{pid}/task"
        try:
            if stat_of(f"/proc/{pid}")[1] == session and any(stat_of(f"{tasks}/{task}")[0] in "RD"
                                                            for task in os.listdir(tasks)):
                return True
        except (OSError, ValueError):  # it has ended
            continue
    return False


def memory_kib(pid):
    """What a process has in memory at most, so far."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s*(\d+)", status, re.M)[1])
