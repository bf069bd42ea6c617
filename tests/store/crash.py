#!/usr/bin/env python3
"""Stores that are cut off at every write: crash.py PATH-OF-CRASH PATH-OF-FAULT [REGEX-OF-CASES]

crash.c plays a program that uses a store, fault.c makes its n-th change to the disk fail, or be the last,
for all n; then a program that knows nothing of it opens the store. Everything that was acknowledged must be
there, byte for byte; nothing that is torn; the session can be continued at once; gc leaves no litter; and what
failed said so clearly. After that: disks that are full, folders that may not be written, files that are damaged.

Prints a line a case, then "N passed, N failed, N skipped"; the status is 1 when one failed. With
REFRACT_SOAK set there are more ways to fail in each place, and longer sessions.
"""
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import sys
import tarfile
import tempfile
import threading
import time
import traceback

from crashing import (CASES, NOT_KNOWN, PICTURES, SOAK, Bench, Session, Skip, Wrong, after_power_loss, all_of,
                      case, check_words, expect, expected, key_of, long_text, look, look_for_litter, message,
                      prepared_store, rows)

AT_ONCE = 2
KILLS = ["kill", "power", "power-names"] + (["kill-after"] if SOAK else [])
ERRORS = ["EIO"] + (["ENOSPC", "EDQUOT-stays"] if SOAK else ["ENOSPC-stays"])
APPEND_WAYS = KILLS + ["kill-half", "EIO", "ENOSPC-half", "ENOSPC-stays", "EDQUOT"]
if SOAK:
    APPEND_WAYS += ["short", "EIO-half", "EIO-stays", "ENOSPC", "EDQUOT-stays"]


# Faults


class Scenario:
    """Lines that are cut off; `judge` is called with what the store has after that."""

    def __init__(self, b, lines, judge, prepared=None, visited=True):
        self.bench, self.lines, self.judge = b, lines, judge
        self.script = b.write_script(lines)
        self.prepared, self.visited = prepared, visited
        self.after = b.write_script(["open", "visit", "close-store", "open", "gc 0"])

    def start(self):
        run = self.bench.new()
        if self.prepared:
            shutil.copytree(self.prepared, run, dirs_exist_ok=True)
        return run

    def strike(self, how, number):
        """One run. False where it ended before its n-th change."""
        b, run = self.bench, self.start()
        disk = run.with_name(run.name + "-disk")
        fault = {"FAULT_AT": str(number), "FAULT_HOW": how, "FAULT_DISK": str(disk)}
        if how.startswith("power"):
            disk.mkdir()
        got = b.go(run, self.script, fault)
        try:
            killed = how.startswith(("kill", "power"))
            expect(not got.fault or (got.status == -signal.SIGKILL) == killed, f"status {got.status}")
            left = after_power_loss(run, disk) if got.fault and disk.exists() else run
            self.check(left, got, how)
        except Wrong as e:
            raise Wrong(f"{how} at {number} ({got.fault}): {e}") from None
        for folder in (run, disk, run.with_name(run.name + "-after")):
            shutil.rmtree(folder, ignore_errors=True)
        return got.fault is not None

    def check(self, run, got, how):
        b = self.bench
        for told in got.failed.values():
            check_words(told, how, run, got.fault or "")
        if self.visited:
            after = b.go(run, self.after)
            expect(not after.failed and after.status == 0, f"afterwards: {after.failed}{after.errors}")
        sessions = look(b.store(run))
        if self.visited:
            look_for_litter(b.store(run))
            expect(all(s.added == 1 for s in sessions.values()), "it was not continued")
        self.judge(self, run, got, sessions)

    def strike_all(self, how):
        """How often; at least once."""
        numbers, ended = itertools.count(1), threading.Event()

        def work():
            count = 0
            while not ended.is_set():
                if not self.strike(how, next(numbers)):
                    ended.set()
                else:
                    count += 1
            return count
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [pool.submit(work) for _ in range(AT_ONCE)]
            try:
                total = sum(j.result() for j in jobs)
            finally:
                ended.set()
        expect(total > 0, "nothing was ever changed")
        self.bench.faults += total
        return total


# Appending


def append_lines(b, long=False):
    lines = [
        "open", "new",
        message(1, picture=b.picture("red.png")),
        'set {"system": "Be brief."}',
        message(2, role="assistant", long=True),
        message(3, picture=b.picture("red.png")),
        "begin",
        message(4, picture=b.picture("green.png")),
        message(5, role="assistant"),
        message(6, long=True),
        "commit",
        "title Colors",
        message(7, role="assistant"),
        "close", "close-store", "open", "resume last",
        message(8, picture=b.picture("blue.png")),
    ]
    return lines + [message(9 + i, long=i % 5 == 0) for i in range(40 if long else 0)]


def judge_append(s, run, got, sessions):
    certain, maybe = expected(s.lines, got)
    expect(len(sessions) <= 1, f"{len(sessions)} sessions")
    session = next(iter(sessions.values()), Session([], [], "", [], 0, []))
    expect(session.keys in [certain, *(certain + m for m in maybe)],
           f"messages {session.keys}; acknowledged {certain}, in flight {maybe}")
    for key, body in zip(session.keys, session.bodies):
        expect(body == s.bench.reference[key], f"message {key} is another: {body}")
    for number, line in enumerate(s.lines, 1):
        word, _, rest = line.partition(" ")
        if word == "title" and number in got.done and certain:
            expect(session.title == rest, f"the title is {session.title}")
        if word == "set" and number in got.done and certain:
            expect((json.dumps(json.loads(rest), separators=(",", ":")),) in session.settings,
                   f"the settings are {session.settings}")


@case("nothing fails, nothing is lost")
def reference(b):
    """What every other case is checked against; itself against what was said."""
    run = b.new()
    lines = append_lines(b, long=True)
    b.do(run, *lines)
    (session,) = look(b.store(run)).values()
    expect(session.keys == [key_of(line) for line in lines if line.startswith("append")], session.keys)
    b.reference = dict(zip(session.keys, session.bodies))
    for number, name in ((1, "red.png"), (3, "red.png"), (4, "green.png"), (8, "blue.png")):
        hash_ = hashlib.sha256(PICTURES[name]).hexdigest()
        expect(f'"blob":"sha256:{hash_}"' in b.reference[number], f"message {number} has no {name}")
    for number in (2, 6):
        text = f"message {number}. {long_text(number)}".encode()
        hash_ = hashlib.sha256(text).hexdigest()
        expect(f'"full_text":"sha256:{hash_}"' in b.reference[number], f"message {number} has no text")
    return ""


@case("every change is seen")
def changes_are_seen(b):
    """What fault.c does not see cannot fail; so it is told here what there must be."""
    run = b.new()
    got = b.go(run, b.write_script(append_lines(b)), {"FAULT_TRACE": "1"})
    seen = set(re.findall(r"^change (.*)$", re.sub(r"[0-9a-f]{62}|new-\w{6}", "*", got.errors), re.M))
    name = hashlib.sha256(PICTURES["red.png"]).hexdigest()[:2]
    for call, path in (("mkdir", "data/store"), ("open", "data/store/sessions.db"),
                       ("open", "data/store/sessions.lock"), ("open", "data/store/sessions.db-wal"),
                       ("pwrite", "data/store/sessions.db-wal"), ("fdatasync", "data/store/sessions.db-wal"),
                       ("pwrite", "data/store/sessions.db"), ("fdatasync", "data/store/sessions.db"),
                       ("unlink", "data/store/sessions.db-wal"), ("open", "data/store/blobs/tmp/*"),
                       ("fchmod", "data/store/blobs/tmp/*"), ("write", "data/store/blobs/tmp/*"),
                       ("fsync", "data/store/blobs/tmp/*"), ("mkdir", f"data/store/blobs/{name}"),
                       ("rename", f"data/store/blobs/{name}/*"), ("fsync", f"data/store/blobs/{name}")):
        expect(f"{call} {run}/{path}" in seen, f"{call} {path} was not seen")


def add_append(how):
    @case(f"appending to a new store, {how}")
    def run(b):
        return Scenario(b, append_lines(b, long=SOAK), judge_append).strike_all(how)


for each in APPEND_WAYS:
    add_append(each)


# What else changes a store


def judge_sessions(names, changing):
    """`changing` gives the sessions before and after; each is whole, whatever happens."""
    def judge(s, run, got, sessions):
        before, after = changing
        named = {}
        for session, found in sessions.items():
            name = next((k for k, v in names.items() if v == session), "fork")
            named[name] = found
            expect(found.bodies == all_of(s.bench, "one" if name == "fork" else name), f"{name} is torn")
        expect(set(named) in (before, after), f"sessions: {set(named)}")
        done = all(n in got.done for n in range(1, len(s.lines) + 1))
        doubtful = any(NOT_KNOWN in told for told in got.failed.values())
        if done or (got.failed and not doubtful):
            expect(set(named) == (after if done else before), f"sessions: {set(named)}; {got.failed}")
        if "third" in named:
            expect(len(named["third"].dropped) == 1 and len(named["third"].settings) == 1,
                   "the third is without its settings, or its dropped file")
    return judge


def litter(run):
    """What an append that was cut off leaves, and a blob whose session is gone."""
    store = Bench.store(run)
    (store / "blobs" / "tmp" / "new-abcdef").write_bytes(b"half of a blob")
    for data in (b"an orphan", b"an orphan with a row"):
        name = hashlib.sha256(data).hexdigest()
        path = store / "blobs" / name[:2] / name[2:]
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
    with contextlib.closing(sqlite3.connect(store / "sessions.db")) as db:
        db.execute("INSERT INTO blobs (hash, size, look, touched, object) VALUES (?, ?, '', 0, 0)",
                   (name, len(data)))
        db.commit()


BOTH = {"one", "two"}
CHANGES = {
    "removing a session": (lambda b, names: ["open", f"remove {names['one']}"], (BOTH, {"two"})),
    "gc": (lambda b, names: ["open", "gc 0"], (BOTH, BOTH)),
    "importing": (lambda b, names: ["open", f"import {b.files / 'third.tar'}"], (BOTH, BOTH | {"third"})),
    "forking": (lambda b, names: ["open", f"fork {names['one']}", "close"], (BOTH, BOTH | {"fork"})),
}


def add_change(name, how):
    @case(f"{name}, {how}")
    def run(b):
        prepared, names = prepared_store(b)
        lines, changing = CHANGES[name]
        if name == "gc":
            litter(prepared)
        return Scenario(b, lines(b, names), judge_sessions(names, changing), prepared).strike_all(how)


for each in CHANGES:
    for way in KILLS + ERRORS:
        add_change(each, way)


def add_export(how):
    @case(f"exporting, {how}")
    def run(b):
        prepared, names = prepared_store(b)

        def judge(s, at, got, sessions):
            expect({k: v.bodies for k, v in sessions.items()} ==
                   {names[n]: all_of(b, n) for n in BOTH}, "the sessions are others")
            if 3 in got.done and not at.name.endswith("-after"):  # nobody synced it
                with tarfile.open(at / "data" / "one.tar") as tar:
                    expect(len(tar.getnames()) == 1 + 3, f"the archive has {tar.getnames()}")
        s = Scenario(b, [], judge, prepared)
        # The archive is below the folder too, so that its writes count.
        s.lines = ["open", f"resume {names['one']}", "export one.tar"]
        s.script = b.write_script(s.lines)
        return s.strike_all(how)


SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "src" / "store" / "schema.h"
NEWEST = int(re.search(r"#define RF_SCHEMA_VERSION (\d+)", SCHEMA.read_text())[1])


def add_migration(how):
    @case(f"migrating, {how}")
    def run(b):
        prepared, names = prepared_store(b)
        again = b.write_script(["migrate"])

        def version(at):
            with contextlib.closing(sqlite3.connect(b.store(at) / "sessions.db")) as db:
                ((number,),) = rows(db, "SELECT value FROM store_meta WHERE name = 'schema'")
                tables = {n for (n,) in rows(db, "SELECT name FROM sqlite_master")}
                columns = {c[1] for c in rows(db, "PRAGMA table_info(sessions)")}
                marks = {m for (m,) in rows(db, "SELECT mark FROM messages")}
            steps = int(number) - NEWEST
            expect(("colors" in tables) == ("color" in columns) == (steps > 0), f"half of version {number}")
            expect(("colors_by_color" in tables) == (marks == {"migrated"}) == (steps > 1),
                   f"half of version {number}")
            return steps

        def judge(s, at, got, sessions):
            whole = {names[n]: all_of(b, n) for n in BOTH}
            expect({k: v.bodies for k, v in sessions.items()} == whole, "the sessions are others")
            expect(version(at) == 2 or 1 not in got.done, "it was not done")
            after = b.go(at, again)
            expect(after.done == {1}, f"afterwards: {after.failed}")
            expect(version(at) == 2, "it cannot be finished")
            expect({k: v.bodies for k, v in look(b.store(at)).items()} == whole, "the sessions are others")
        return Scenario(b, ["migrate"], judge, prepared, visited=False).strike_all(how)


for each in KILLS + ERRORS:
    add_export(each)
    add_migration(each)


# All of it


def fast_folder():
    """Where syncing costs nothing: it is counted here, not waited for."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main(program, fault, only=""):
    import damage  # pylint: disable=import-outside-toplevel,unused-import; its cases come last
    count = {"ok": 0, "FAILED": 0, "skipped": 0}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="refract-crash-", dir=fast_folder()) as folder:
        b = Bench(program, fault, pathlib.Path(os.path.realpath(folder)))
        for name, run in CASES:
            if b.reference and not re.search(only, name):
                continue
            try:
                start = time.monotonic()
                note, state = run(b), "ok"
                note = f"{note} faults" if isinstance(note, int) else note or ""
                note = f"{note} {time.monotonic() - start:.1f} s".strip()
            except Skip as e:
                note, state = str(e), "skipped"
            except Wrong as e:
                note, state = str(e), "FAILED"
            except Exception:  # pylint: disable=broad-except
                note, state = traceback.format_exc(), "FAILED"
            count[state] += 1
            print(f"{state:7} {name}: {note}", flush=True)
        print(f"{b.faults} faults in {time.monotonic() - began:.0f} s")
    print(f"{count['ok']} passed, {count['FAILED']} failed, {count['skipped']} skipped")
    return 1 if count["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
