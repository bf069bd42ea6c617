#!/usr/bin/env python3
"""However a program ends that has the terminal, the terminal is as it was before: its modes, its screen, its cursor.

    test_restore.py PROGRAM          PROGRAM is open_tty, which ends as it is told

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import re
import signal
import subprocess
import sys
import termios
import time

from driver import PATIENCE_S, Terminal, TimedOut

PROGRAM = sys.argv[1]
CASES = []
TRIES = 5  # of what depends on answers that come in time


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def same(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


class Slowly(Terminal):
    """Answers come in pieces, one after the other, as over a slow line."""

    def __init__(self, *arguments, **more):
        self.pieces = []  # (when, bytes)
        super().__init__(*arguments, **more)

    def pump(self, seconds):
        for when, data in self.to_say:
            self.pieces += [(when, data[at:at + 200]) for at in range(0, len(data), 200)]
        self.to_say = []
        if self.pieces and self.pieces[0][0] <= time.monotonic():
            try:
                when, data = self.pieces.pop(0)
                data = data[os.write(self.master, data):]
                self.pieces[:0] = [(when, data)] if data else []
            except BlockingIOError:
                self.pieces.insert(0, (when, data))
        return super().pump(min(seconds, 0.001) if self.pieces else seconds)


def opened(*arguments, plays="xterm", **more):
    t = Slowly([PROGRAM, *arguments], plays=plays, **more)
    t.wait_for("ready")
    t.settle(0.05)
    return t


def is_raw(t):
    return not termios.tcgetattr(t.slave)[3] & termios.ICANON


def children(pid):
    return [int(child) for child in open(f"/proc/{pid}/task/{pid}/children", encoding="ascii").read().split()]


def check_restored(t):
    t.wait_restored()
    if "alternate" in t.process.args and "ready" in t.screen():
        raise AssertionError("the other screen is still shown")


# How it ends (a key, or a signal), and the status that it then has.
ENDS = [
    ("a normal end", "q", 0),
    ("exit in the middle", "x", 3),
    ("_exit, which nothing in the program sees", "u", 4),
    ("abort", "a", -signal.SIGABRT),
    ("a crash", "s", -signal.SIGSEGV),
    ("a stack that overflows", "o", -signal.SIGSEGV),
    *((number.name, number, -number) for number in (
        signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE,
        signal.SIGILL, signal.SIGABRT, signal.SIGKILL, signal.SIGUSR1, signal.SIGALRM, signal.SIGPIPE)),
]


def ends(arguments, how, status):
    with opened(*arguments) as t:
        same(is_raw(t), True)
        same(2004 in t.emulator.modes, True)
        t.type(how) if isinstance(how, str) else t.signal(how)
        same(t.wait_exit(), status)
        check_restored(t)


for name, how, status in ENDS:
    for arguments in ((), ("alternate",)):
        CASES.append((" ".join((name, *arguments)), lambda a=arguments, h=how, s=status: ends(a, h, s)))


@case("in the middle of a frame, with colours and a link")
def _():
    for number in (signal.SIGQUIT, signal.SIGKILL, signal.SIGBUS):
        with opened() as t:
            t.type("w")
            t.wait_until(lambda: 25 not in t.emulator.modes)
            t.signal(number)
            same(t.wait_exit(), -number)
            check_restored(t)


@case("SIGINT is typed as Ctrl-C")
def _():
    with opened() as t:
        t.signal(signal.SIGINT)
        t.wait_for("typed 03")
        t.type("q")
        same(t.wait_exit(), 0)
        check_restored(t)


@case("one that hangs ends at the second SIGTERM, or SIGINT")
def _():
    for number in (signal.SIGTERM, signal.SIGINT):
        with opened() as t:
            t.type("h")
            t.settle(0.05)
            t.signal(number)
            t.settle(0.1)
            same(t.process.poll(), None)
            t.signal(number)
            same(t.wait_exit(), -number)
            check_restored(t)


@case("one that hangs ends some seconds after a single SIGTERM")
def _():
    with opened() as t:
        t.type("h")
        t.settle(0.05)
        t.signal(signal.SIGTERM)
        same(t.wait_exit(), -signal.SIGTERM)
        check_restored(t)


def wait_stopped(t):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        t.pump(0.01)
        state = open(f"/proc/{t.process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0]
        if state == "T":
            return
    raise TimedOut("it does not stop")


@case("stopped by Ctrl-Z or SIGTSTP it gives the terminal back, and takes it again")
def _():
    for stop in ("\x1a", signal.SIGTSTP):
        for arguments in ((), ("alternate",)):
            shell = ["sh", "-mc", f"{PROGRAM} {' '.join(arguments)}; echo stopped; fg >/dev/null; echo ended"]
            with Terminal(shell, plays="kitty") as t:
                t.wait_for("ready")
                if isinstance(stop, str):
                    t.type(stop)
                else:
                    os.kill(children(t.process.pid)[0], stop)
                t.wait_for("continued")
                same(is_raw(t), True)
                same(2004 in t.emulator.modes, True)
                same(bool(t.emulator.other), bool(arguments))
                t.type("q")
                t.wait_for("ended")
                t.wait_exit()
                t.check_restored()
                written = t.written.decode()
                same(bool(re.search(r"2004l.*stopped.*2004h", written, re.S)), True)


@case("stopped by SIGSTOP, and another has changed the modes: it sets its own again")
def _():
    with opened() as t:
        raw = termios.tcgetattr(t.slave)
        t.signal(signal.SIGSTOP)
        wait_stopped(t)
        termios.tcsetattr(t.slave, termios.TCSANOW, t.before)
        t.signal(signal.SIGCONT)
        t.wait_for("continued")
        same(termios.tcgetattr(t.slave), raw)
        t.type("q")
        same(t.wait_exit(), 0)
        check_restored(t)


@case("another that has the terminal by then keeps its modes")
def _():
    with opened() as t:
        t.signal(signal.SIGSTOP)
        wait_stopped(t)
        theirs = termios.tcgetattr(t.slave)
        theirs[3] = theirs[3] & ~termios.ECHO | termios.ICANON
        termios.tcsetattr(t.slave, termios.TCSANOW, theirs)
        theirs = termios.tcgetattr(t.slave)
        t.signal(signal.SIGKILL)
        same(t.wait_exit(), -signal.SIGKILL)
        t.settle(0.3)
        same(termios.tcgetattr(t.slave), theirs)


@case("while it is cooked, the terminal is as before, and a kill changes nothing")
def _():
    with opened() as t:
        t.type("c")
        t.wait_for("cooked")
        t.check_restored()
        t.signal(signal.SIGKILL)
        same(t.wait_exit(), -signal.SIGKILL)
        t.settle(0.1)
        t.check_restored()


@case("nothing of it is left running")
def _():
    for end in ("q", signal.SIGKILL):
        with opened() as t:
            guard, = children(t.process.pid)
            t.type(end) if isinstance(end, str) else t.signal(end)
            t.wait_exit()
            end = time.monotonic() + PATIENCE_S
            while is_alive(guard):
                if time.monotonic() > end:
                    raise AssertionError("the guard outlives the program")
                time.sleep(0.02)


def is_alive(pid):
    try:
        state = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@case("the guard keeps no file of the program open")
def _():
    with opened() as t:
        guard, = children(t.process.pid)
        same(sorted(os.listdir(f"/proc/{guard}/fd")), ["0", "1"])


@case("what is typed at once comes whole")
def _():
    data = bytes(range(97, 123)) * 800
    with opened() as t:
        t.send(data)
        came = lambda: b"".join(re.findall(rb"typed ([0-9a-f]+)\r", t.written))
        t.wait_until(lambda: len(came()) >= 2 * len(data))
        same(bytes.fromhex(came().decode()) == data, True)


@case("the window is closed")
def _():
    with opened() as t:
        t.hang_up()
        same(t.process.wait(PATIENCE_S), -signal.SIGHUP)


@case("without a terminal it says so")
def _():
    done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          start_new_session=True)
    same((done.returncode, done.stderr), (2, "there is no terminal to draw on\n"))


@case("a new size is told")
def _():
    with opened() as t:
        t.resize(50, 11)
        t.wait_for("resized 50x11")
        t.resize(1, 1)
        t.wait_until(lambda: b"resized 2x2" in t.written)
        t.resize(80, 24)
        t.wait_until(lambda: b"resized 80x24" in t.written)
        t.type("q")
        same(t.wait_exit(), 0)


# What terminals of all kinds are found to be: 1 blocks, 2 sixel, 3 iTerm2, 4 Kitty.
KINDS = [("kitty", 4), ("iterm", 3), ("wezterm", 3), ("sixel", 2), ("xterm", 1), ("tmux", 1), ("silent", 1),
         ("slow", 4), ("liar", 1)]


def once_in_time(check):
    """A terminal that is kept from the processor for as long as a program waits for answers is taken for a silent one, and what
    it says later is typed. It is not, every time."""
    for _ in range(TRIES - 1):
        try:
            return check()
        except AssertionError as why:
            print(f"note  once more: {why}")
    return check()


def answers(plays, graphics):
    with opened("ask", plays=plays) as t:
        t.wait_for(re.compile(r"answered \d "))
        same(t.sees(f"answered {graphics} "), True)
        t.settle(0.3)
        same(t.sees("typed"), False)
        t.type("é\x1b[Aq\r")
        t.wait_for("typed c3a91b5b41710d")
        t.type("q")
        same(t.wait_exit(), 0)
        check_restored(t)


for plays, graphics in KINDS:
    CASES.append((f"{plays} says what it can, and nothing of it is typed",
                  lambda p=plays, g=graphics: once_in_time(lambda: answers(p, g))))


def background_is_told(background, light):
    with opened("ask", plays="kitty", background=background) as t:
        t.wait_for(re.compile(r"light=\d"))
        same(t.sees(f"light={light}"), True)


@case("a light background is told, a dark one too")
def _():
    for background, light in (((255, 255, 255), 1), ((0, 0, 40), 0)):
        once_in_time(lambda b=background, l=light: background_is_told(b, l))


@case("on a dumb terminal nothing is written that was not said")
def _():
    with opened("ask", "alternate", plays="dumb") as t:
        t.type("q")
        same(t.wait_exit(), 0)
        same(bytes(t.written), b"ready\r\r\n")
        t.check_restored()


def answers_late():
    with Terminal([PROGRAM, "ask"], plays="kitty") as t:
        t.wait_until(lambda: b"ready" in t.written)
        t.type("q")
        same(t.wait_exit(), 0)
        t.settle(0.1)
        os.set_blocking(t.slave, False)
        try:
            left = os.read(t.slave, 1000)
        except BlockingIOError:
            left = b""
        same(left, b"")


@case("answers that come when it has ended are not typed into the shell")
def _():
    once_in_time(answers_late)


def main():
    failed = 0
    for name, run in CASES:
        try:
            run()
            print(f"ok    {name}")
        except Exception as problem:  # a case that breaks is one that failed
            failed += 1
            print(f"FAIL  {name}: {type(problem).__name__}: {problem}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
