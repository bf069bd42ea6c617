#!/usr/bin/env python3
"""Everything that goes wrong around `refract ask`, end to end: trouble.py PATH-OF-REFRACT [PATH-OF-FAULT [REGEX]]

Processes that are killed at any step, servers that are busy, slow, silent, broken or false, tools that never end,
Ctrl-C at any moment, models that speak to the terminal. After each there is a session that strict servers take
with one more question; see troubling.py for what is true of every run. PATH-OF-FAULT is tests/store/fault.c as
a library; without it nothing is killed at a write.

Prints a line a case, then "N passed, N failed, N skipped"; the status is 1 when one failed.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from troubling import AT_ONCE, LIMIT_S, MODEL, OTHERS, SLOW, WHALE, Skip, Trouble, case, expect, rows, run_all

FAULT = None  # the path of the library


# Killed


def strike(t, question, number, how):
    """Ask with the n-th change of the store failing so. Gives what was said, and the messages of the session that
    is gone on with, if one was made."""
    own = Trouble(t.program, t.folder / f"{how}-{number}", t.strict)
    done = own.finish(own.start("-m", "offline", question, env={
        "LD_PRELOAD": FAULT, "FAULT_FOLDER": str(own.folder / "data"), "FAULT_AT": str(number), "FAULT_HOW": how}))
    try:
        return done, own.goes_on() if own.sessions() else []
    except AssertionError as e:
        raise AssertionError(f"{how} at change {number}: {e}") from None


def strike_all(t, how, step, judge):
    if not FAULT:
        raise Skip("fault.c is not there")
    question = "What is in @red.png?"
    trace = t.finish(t.start("-m", "offline", question, env={
        "LD_PRELOAD": FAULT, "FAULT_FOLDER": str(t.folder / "data"), "FAULT_TRACE": "1"})).err
    count = len(re.findall("^change ", trace, re.M))
    expect(count > 50, f"only {count} changes were seen: {trace}")
    numbers, kept = range(1, count + 1, step), 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done, messages in pool.map(lambda n: strike(t, question, n, how), numbers):
            judge(done)
            kept += bool(messages)
            expect(not messages or messages[0]["content"][0]["text"] in ("What is in red.png?", "Go on."), messages)
    expect(kept > len(numbers) // 3, f"only {kept} of {len(numbers)} left a session")
    return f"{len(numbers)} of {count} writes, {kept} sessions gone on with"


@case("killed at every write of a turn, and gone on with")
def killed_at_writes(t):
    return strike_all(t, "kill", 1, lambda done: expect(done.status == -signal.SIGKILL or "fault " not in done.err,
                                                        done.err))


@case("a disk that is full from some write of a turn on")
def full(t):
    return strike_all(t, "ENOSPC-stays", 7, lambda done: expect(
        done.status == 0 or done.status == 6 and "\nhint: " in done.err, f"{done.status} {done.err}"))


@case("killed at any place of a streamed turn, and gone on with")
def killed_at_places(t):
    shapes = set()
    with t.sim(SLOW):
        done = t.ask("--no-save", WHALE)
        for i in range(60):
            if i >= 12 and len(shapes) > 1:
                break  # a slow machine may need more than the first twelve
            process = t.start("-m", MODEL, WHALE, stderr=subprocess.STDOUT)
            while not t.sessions():
                time.sleep(0.02)
            process.stdout.read((len(done.out) + len(done.err)) * (i % 12) // 12)
            process.kill()
            process.communicate()
            if t.sessions():
                shapes.add(len(t.goes_on()))
    expect(len(shapes) > 1, f"it always died at the same place: {shapes}")
    return f"sessions of {sorted(shapes)} messages"


@case("nobody reads the answer")
def unread(t):
    with t.sim(SLOW):
        process = t.start("-m", MODEL, WHALE)
        process.stdout.read(5)
        process.stdout.close()
        process.stderr.read()
        expect(process.wait() in (1, -signal.SIGPIPE), process.returncode)
    t.goes_on()


@case("a call whose result nobody knows is told to the model as that")
def killed_in_a_tool(t):
    t.configure("tools: {slow: {command: [sleep, '10000'], read_only: yes, timeout_s: 10000}}\n")
    with t.sim("- {calls: [{name: slow}]}\n"):
        process = t.start("-m", MODEL, "Run it")
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until and not (t.sessions() and len(t.kept()) == 2):
            time.sleep(0.02)
        process.kill()
        t.finish(process)
    result = t.goes_on(MODEL, *OTHERS)[2]
    expect(result["role"] == "tool" and not result["success"] and "may have run" in result["error"], result)


# Tools

TOOLS = """
tools:
  forever: {command: "echo $$ > pids; sleep 10000 & echo $! >> pids; echo begun >&2; wait", read_only: yes, timeout_s: 1}
  deaf: {command: "trap '' INT TERM HUP; echo $$ > pids; while :; do sleep 1; done", read_only: yes, timeout_s: 1}
  much: {command: "yes refract | head -c 100000000", read_only: yes}
  noise: {command: "head -c 50000 /dev/urandom", read_only: yes}
  escapes: {command: "printf '\\\\033]0;owned\\\\007\\\\033[2Jred\\\\302\\\\233 x\\\\r'", read_only: yes}
  shouts: {command: "printf '\\\\033[31mno\\\\n' >&2; exit 3", read_only: yes}
  dies: {command: "kill -9 $$", read_only: yes}
  nothing: {command: "true", read_only: yes}
  missing: {command: [/no/such/program], read_only: yes}
  broken: {command: "echo '{\\"success\\": tru'", read_only: yes}
  spy: {command: "env", read_only: yes}
  changes: {command: "touch changed"}
"""


def running(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def none_runs(t):
    """Of those that wrote their number; the system takes a moment to end what was killed."""
    pids = t.folder / "pids"
    numbers = pids.read_text().split() if pids.exists() else []
    until = time.monotonic() + LIMIT_S
    while any(map(running, numbers)):
        expect(time.monotonic() < until, f"one of {numbers} still runs")
        time.sleep(0.01)


@rows("a tool that", [
    ("never ends", "forever", False, "1 s"),
    ("never ends and hears nothing", "deaf", False, "1 s"),
    ("prints 100 MB", "much", False, "33554432 bytes"),
    ("prints noise", "noise", False, ""),
    ("prints escapes", "escapes", True, "red"),
    ("fails and says so in red", "shouts", False, "no"),
    ("is killed", "dies", False, "signal"),
    ("prints nothing", "nothing", True, ""),
    ("is not there", "missing", False, "/no/such/program"),
    ("prints half an object", "broken", True, "tru"),
    ("nobody has", "unheard_of", False, "unheard_of"),
])
def tool(t, name, success, words):
    t.configure(TOOLS)
    with t.sim(f"- {{calls: [{{name: {name}}}]}}\n"):
        done = t.ask("Run it")
    expect(done.status == 0 and done.out, f"{done.status} {done.err}")
    line = next(line for line in done.err.splitlines() if line.startswith(f"> {name}"))
    expect(("failed: " in line) == (not success), line)
    result = t.goes_on(MODEL, *OTHERS)[2]
    expect(result.get("success", True) == success and words in str(result), str(result)[-1000:])
    expect(len(str(result)) < 100_000, f"{len(str(result))} characters are kept")
    none_runs(t)


@case("a tool gets no key")
def spying(t):
    t.configure(TOOLS)
    with t.sim("- {calls: [{name: spy}]}\n"):
        expect(t.ask("Run it").status == 0, "it failed")
    expect("XDG_DATA_HOME" in str(t.kept()), "the tool printed nothing")


@case("a tool that changes things is not run unasked")
def unasked(t):
    t.configure(TOOLS)
    with t.sim("- {when: {results: 0}, times: 0, calls: [{name: changes}]}\n"):
        t.fails(7, "changes", "Run it")
        expect(not (t.folder / "changed").exists(), "it ran")
        expect(t.ask("--allow", "changes", "Run it").status == 0 and (t.folder / "changed").exists(), "not run")


@case("Ctrl-C ends a tool, and what it began")
def interrupted_tool(t):
    t.configure(TOOLS.replace("timeout_s: 1", "timeout_s: 10000"))
    with t.sim("- {calls: [{name: forever}, {name: nothing}]}\n"):
        process = t.start("-m", MODEL, "Run it")
        pids = t.folder / "pids"
        while not pids.exists() or len(pids.read_text().split()) < 2:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        done = t.finish(process)
    expect(done.status == 130, f"{done.status} {done.err}")
    none_runs(t)
    expect([m["role"] for m in t.goes_on()][1:4] == ["assistant", "tool", "tool"], "results are missing")


# All of it


def main(program, fault=None, only=""):
    global FAULT  # pylint: disable=global-statement
    import trouble_secrets  # pylint: disable=import-outside-toplevel,unused-import
    import trouble_servers  # pylint: disable=import-outside-toplevel,unused-import; their cases come last
    import trouble_terminal  # pylint: disable=import-outside-toplevel,unused-import
    import trouble_ways  # pylint: disable=import-outside-toplevel,unused-import
    FAULT = fault and os.path.abspath(fault)
    return run_all(program, only)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
