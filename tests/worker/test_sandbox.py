#!/usr/bin/env python3
"""Files on systems that lack a part of the workers' sandbox: refused, and read with less where the person permits it.

    test_sandbox.py PATH-OF-REFRACT PATH-OF-WITHOUT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]
import media_fixtures
from test_cli import LIMIT_S, conversation, expect, png

REFUSED, REDUCED = 8, 1
ALLOW = ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "sandbox: reduced"]
WHY = {"EPERM": "refused by the system", "EACCES": "refused by the system", "ENOSYS": "not in this kernel",
       "EINVAL": "not in this kernel", "EOPNOTSUPP": "switched off in this kernel", "0": "without effect here"}
NAMESPACES = subprocess.run(["unshare", "--user", "--net", "--mount", "true"], capture_output=True).returncode == 0
ERRNOS = ["EPERM", "ENOSYS", "EINVAL", "EOPNOTSUPP"]


class System:
    """refract in a folder of its own, on a system without what `parts` names."""

    def __init__(self, refract, without, folder, parts, config=""):
        self.command = [without, *parts, "--", refract]
        self.folder = pathlib.Path(folder)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        self.env.update(HOME=folder, LC_ALL="C.UTF-8", TERM="xterm")
        (self.folder / ".config/refract").mkdir(parents=True)
        (self.folder / ".config/refract/config.yaml").write_text(config)
        (self.folder / "a.png").write_bytes(png())
        (self.folder / "a.pdf").write_bytes(media_fixtures.pdf(b"hello"))
        (self.folder / "c.json").write_bytes(conversation({"role": "user", "content": [
            {"type": "image", "source_path": "a.png"}]}))

    def run(self, *args):
        done = subprocess.run([*self.command, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env=self.env, timeout=LIMIT_S)
        expect(done.returncode != 99, done.stderr)
        return done

    def workers(self):
        done = self.run("doctor", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode, {f["name"]: f for f in lines if f["area"] == "worker"}


def lacking(parts):
    """What the worker says that it lacks, in its order."""
    said = []
    for layer in ("landlock", "seccomp"):
        for part in parts:
            name, errno = part.split("=")
            if name.split("-")[0] == layer and name != "seccomp-call":
                # a Landlock of version 0 is none
                why = WHY["ENOSYS"] if (name, errno) == ("landlock", "0") else WHY[errno]
                said.append(f"{dict(landlock='Landlock').get(layer, layer)} ({why})")
    return " and ".join(said)


def layers(parts):
    """What is in force; namespaces where this machine permits them."""
    gone = {part.split("=")[0].split("-")[0] for part in parts if not part.startswith("seccomp-call")}
    spaces = ["namespaces"] if "unshare" not in gone and NAMESPACES else []
    if spaces:
        spaces += ["no network"] * ("seccomp" in gone and "seccomp=0" not in parts)
        spaces += ["empty root"] * ("landlock" in gone)
    return (["limits"] + spaces + ["Landlock"] * ("landlock" not in gone) + ["seccomp"] * ("seccomp" not in gone))


# Every way to a file, and what stands on standard output where it is not refused.
CLAUDE = ["-m", "anthropic:claude-sonnet-4-5"]
WAYS = [["read", "--no-cache", "a.png"], ["read", "--no-cache", "a.pdf"], ["view", "a.pdf"],
        ["encode", *CLAUDE, "c.json"], ["tokens", *CLAUDE, "c.json"], ["ask", "-m", "offline", "-a", "a.png", "What?"]]


def check_refused(system, missing, ways):
    for way in ways:
        done = system.run(*way)
        expect(done.returncode == REFUSED, f"{way}: status {done.returncode}: {done.stderr}")
        expect(f" reads no files without {missing}" in done.stderr, f"{way}: {done.stderr}")
        expect(all(word in done.stderr for word in ALLOW), f"{way}: {done.stderr}")
    done = system.run("read", "--no-cache", "--json", "a.png")
    expect(done.returncode == REFUSED and missing in json.loads(done.stdout)["error"], done.stdout)


def check_reduced(system, missing, ways):
    line = f"refract: files are read in a reduced sandbox, without {missing}\n"
    for way in ways:
        done = system.run(*way)
        expect(done.returncode == 0 and done.stdout, f"{way}: status {done.returncode}: {done.stderr}")
        expect(done.stderr.count(line) == 1, f"{way}: {done.stderr}")


def check_doctor(system, status, parts, reduced):
    found, workers = system.workers()
    expect(found == status, f"doctor: status {found} instead of {status}")
    image = workers["image"]
    expect(image["layers"] == layers(parts), f"{image} instead of {layers(parts)}")
    missing = lacking(parts)
    health = "good" if not missing else "partly" if reduced else "missing"
    expect(image["health"] == health and missing in image["what"], image)
    expect(("sandbox: reduced" in image["hint"]) == bool(missing), image)


def check_system(make, parts):
    missing = lacking(parts)
    whole = make(parts)
    if not missing:
        expect(whole.run(*WAYS[0]).returncode == 0, "refused")
        check_doctor(whole, 0, parts, False)
        return
    ways = WAYS if parts in THOROUGH else WAYS[:1]
    check_refused(whole, missing, ways)
    check_doctor(whole, REFUSED, parts, False)
    reduced = make(parts, "sandbox: reduced\n")
    check_reduced(reduced, missing, ways)
    check_doctor(reduced, REDUCED, parts, True)


def doctor_shows_the_layers(make):
    for config in "", "sandbox: reduced\n":
        shown = make(["landlock=ENOSYS", "seccomp=EPERM", "unshare=EPERM"], config).run("doctor").stdout
        expect("confined by limits\n" in shown and lacking(["landlock=ENOSYS", "seccomp=EPERM"]) in shown, shown)
    shown = make([]).run("doctor").stdout
    expect("confined by limits" in shown and "Landlock, seccomp\n" in shown, shown)


def this_machine_confines_workers(make):
    """Where it does not, all tests of files fail, as the program does; this one says why."""
    status, workers = make([]).workers()
    for worker in workers.values():
        expect({"limits", "Landlock", "seccomp"} <= set(worker["layers"]) or "not installed" in worker["what"], worker)
    expect(status == 0 or any("not installed" in w["what"] for w in workers.values()), workers)


def a_project_cannot_permit_less(make):
    system = make(["landlock=EPERM"])
    (system.folder / ".refract.yaml").write_text("sandbox: reduced\n")
    done = system.run("read", "--no-cache", "a.png")
    expect(done.returncode == REFUSED, done)
    expect("reduced sandbox" not in done.stderr and ".refract.yaml:1" in done.stderr, done.stderr)


def nothing_is_said_where_nothing_is_missing(make):
    done = make([], "sandbox: reduced\n").run("read", "--no-cache", "a.png")
    expect(done.returncode == 0 and not done.stderr, done)


def other_words_are_refused(make):
    done = make([], "sandbox: none\n").run("read", "a.png")
    expect(done.returncode == REFUSED and "expected whole or reduced" in done.stderr, done)


SYSTEMS = ([[f"landlock={e}"] for e in ERRNOS] + [[f"seccomp={e}"] for e in ERRNOS]
           + [[f"landlock={e}", f"seccomp={e}"] for e in ERRNOS]
           + [["landlock-entering=EPERM"], ["landlock-rules=EACCES"], ["unshare=EPERM"], ["seccomp-call=EPERM"],
              ["landlock=EPERM", "seccomp=ENOSYS", "unshare=EPERM"]])
THOROUGH = [["landlock=EPERM"], ["seccomp=EPERM"], ["landlock=EPERM", "seccomp=EPERM"]]
PRETENDING = [["landlock-entering=0"], ["seccomp=0"]]


def main():
    refract, without = map(os.path.abspath, sys.argv[1:3])
    cases = [this_machine_confines_workers, a_project_cannot_permit_less, nothing_is_said_where_nothing_is_missing,
             other_words_are_refused, doctor_shows_the_layers]
    named = [(case.__name__.replace("_", " "), case) for case in cases]
    named += [("without " + " ".join(parts), lambda make, parts=parts: check_system(make, parts))
              for parts in SYSTEMS + PRETENDING]
    failed = 0
    for name, case in named:
        with tempfile.TemporaryDirectory() as folder:
            def make(parts, config=""):
                return System(refract, without, tempfile.mkdtemp(dir=folder), parts, config)
            try:
                case(make)
                print("ok    ", name, flush=True)
            except Exception as problem:
                failed += 1
                print("FAILED", name, "-", problem, flush=True)
    print(f"{len(named) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
