"""The cases of crash.py that need no fault.c: disks that are full, folders that may not be written, files that
are damaged, tables that are none of ours. Each is told clearly, and leaves the store as it is.
"""
import collections
import contextlib
import ctypes
import hashlib
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys

from crashing import (LONG_S, PICTURES, SOAK, Bench, Skip, Wrong, all_of, case, check_words, expect, expected,
                      hashes, look, look_for_litter, message, prepared_store, rows)

SMALL = "size=600k"
CAPABILITIES = 64
PR_CAPBSET_DROP = 24
BOTH = ("one", "two")


# Disks and folders


def without_rights():
    """Root may do everything; so it is root no more. Who is not root cannot and need not."""
    prctl = ctypes.CDLL(None).prctl
    for capability in range(CAPABILITIES):
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def judge_full(got, run):
    """Everything that failed said that the disk is full."""
    expect(got.failed, "the disk did not get full")
    for told in got.failed.values():
        check_words(told, "ENOSPC", run)


def big_lines():
    text = "0123456789abcdef" * 64
    return ["open", "new"] + [message(i).replace("message", f"{text} message") for i in range(1, 400)]


@case("a disk that gets full")
def full_disk(b):
    """A small file system in a mount namespace, where that may be made."""
    unshare = shutil.which("unshare")
    if not unshare:
        raise Skip("there is no unshare")
    ways = [[unshare, "-m"], [unshare, "-U", "-r", "-m"]]
    mount = ["mount", "-t", "tmpfs", "-o", SMALL, "none", b.folder]
    way = next((w for w in ways if subprocess.run(w + mount, capture_output=True, check=False).returncode == 0),
               None)
    if not way:
        raise Skip("nobody may mount here")
    got = subprocess.run(way + [sys.executable, __file__, b.program, b.fault, b.folder],
                         capture_output=True, text=True, timeout=LONG_S, check=False)
    expect(got.returncode == 0, got.stdout + got.stderr)
    return ""


def on_small_disk(program, fault, folder):
    """Inside of the mount namespace of full_disk. Where there is room is everything but the store."""
    place, room = pathlib.Path(folder) / "small", pathlib.Path(folder) / "room"
    place.mkdir()
    room.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"{SMALL},mode=0700", "none", place], check=True)
    b = Bench(program, fault, room)
    run, lines = place / "run", big_lines()
    run.mkdir()
    got = b.go(run, b.write_script(lines))
    judge_full(got, run)
    certain, maybe = expected(lines, got)
    with contextlib.suppress(OSError), open(place / "ballast", "wb") as f:
        while True:
            f.write(bytes(4096))
            f.flush()
    judge_full(b.go(run, b.write_script(["open", "visit"])), run)
    saved = room / "saved"
    shutil.copytree(run, saved)
    b.do(saved, "open", "visit", "gc 0")
    (session,) = look(b.store(saved)).values()
    expect(session.keys == certain and not maybe, f"messages {session.keys}; acknowledged {certain}")
    look_for_litter(b.store(saved))


@case("a limit on the size of files, as a failure")
def file_limit(b):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    run, lines = b.new(), big_lines()
    got = b.go(run, b.write_script(lines), preexec_fn=limit, restore_signals=False)
    expect(got.failed, "the limit was not met")
    for told in got.failed.values():
        expect("File too large" in told and str(b.store(run)) in told, f"not clear: {told}")
    certain, _ = expected(lines, got)
    b.do(run, "open", "visit", "gc 0")
    (session,) = look(b.store(run)).values()
    expect(session.keys == certain, f"messages {session.keys}; acknowledged {certain}")
    look_for_litter(b.store(run))


@case("a limit on the size of files, as a signal")
def file_signal(b):
    run, lines = b.new(), big_lines()
    got = b.go(run, b.write_script(lines),
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000)))
    expect(got.status == -signal.SIGXFSZ, f"status {got.status}")
    certain, maybe = expected(lines, got._replace(status=-signal.SIGKILL))
    b.do(run, "open", "visit", "gc 0")
    (session,) = look(b.store(run)).values()
    expect(session.keys in [certain, *(certain + m for m in maybe)],
           f"messages {session.keys}; acknowledged {certain}")
    look_for_litter(b.store(run))


def set_modes(store, files, folders):
    for p in [*store.rglob("*"), store]:
        p.chmod(folders if p.is_dir() else files)


@case("a folder that may not be written")
def read_only(b):
    prepared, names = prepared_store(b)
    store = b.store(prepared)
    before = hashes(store)
    for name, files, folders in (("folder", 0o600, 0o500), ("files and folder", 0o400, 0o500)):
        set_modes(store, files, folders)
        got = b.go(prepared, b.write_script(["open", f"resume {names['one']}", message(9)]),
                   preexec_fn=without_rights)
        set_modes(store, 0o600, 0o700)
        expect(len(got.failed) == 1, f"{name}: {got.failed}")
        (told,) = got.failed.values()
        expect(str(store) in told and "writable" in told, f"{name}: not clear: {told}")
        expect(hashes(store) == before, f"{name}: the store is another")
    b.do(prepared, "open", "visit")


@case("a new store where nothing may be written")
def nowhere(b):
    run = b.new()
    run.chmod(0o500)
    told = b.fails(run, ["Permission denied"], "open", preexec_fn=without_rights)
    run.chmod(0o700)
    expect(str(run) in told and not list(run.iterdir()), told)


@case("a permission that is lost and comes back")
def permission_lost(b):
    run = b.new()
    lines = ["open", "new", message(1, picture=b.picture("red.png")), "chmod 0000",
             message(3, picture=b.picture("green.png")), "chmod 0700",
             message(4, picture=b.picture("green.png")), "close", "close-store"]
    got = b.go(run, b.write_script(lines), preexec_fn=without_rights)
    expect(list(got.failed) == [5], f"failures: {got.failed}")
    expect("Permission denied" in got.failed[5] and "writable" in got.failed[5], got.failed[5])
    b.do(run, "open", "visit", "gc 0")
    (session,) = look(b.store(run)).values()
    expect(session.keys == [1, 4], f"messages {session.keys}")
    look_for_litter(b.store(run))


# Damage


def overwrite(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


@case("a damaged blob")
def damaged_blob(b):
    for damage in (lambda p: overwrite(p, 20, b"damage"), lambda p: os.truncate(p, 10),
                   lambda p: os.truncate(p, 0), lambda p: p.unlink()):
        prepared, _ = prepared_store(b)
        store = b.store(prepared)
        name = hashlib.sha256(PICTURES["blue.png"]).hexdigest()
        path = store / "blobs" / name[:2] / name[2:]
        damage(path)
        before = hashes(store)
        told = b.fails(prepared, ["is damaged", "is not in the store"], "open", "read")
        expect(name in told and str(path) in told, f"not clear: {told}")
        expect(hashes(store) == before, "the store is another")
        b.do(prepared, "open", "new", message(8, picture=b.picture("blue.png")), "close", "read")


def try_damage(b, damage, results):
    """Reads a damaged store: it says so, or has everything; and it is as damaged as before."""
    prepared, names = prepared_store(b)
    store = b.store(prepared)
    whole = {names[n]: all_of(b, n) for n in BOTH}
    damage(store / "sessions.db")
    before = hashes(store)
    got = b.go(prepared, b.write_script(["open", "read"]))
    after = hashes(store)
    expect(after == before, f"the store is another: {set(after.items()) ^ set(before.items())}; {got.failed}")
    for told in got.failed.values():
        expect(str(store) in told or "the store is damaged" in told, f"not clear: {told}")
        expect(not told.endswith("| "), f"no hint: {told}")
    if not got.failed:
        ordered = "SELECT body FROM messages WHERE session = ? ORDER BY number"
        with contextlib.closing(sqlite3.connect(store / "sessions.db")) as db:
            found = {n: [body for (body,) in rows(db, ordered, n)] for n in whole}
        expect(found == whole, "it read something else without a word")
    b.go(prepared, b.write_script(["open", "visit", f"remove {names['two']}", "gc 0"]))  # does not crash
    results["told" if got.failed else "harmless"] += 1


@case("a damaged database")
def damaged_database(b):
    prepared, _ = prepared_store(b)
    size = (b.store(prepared) / "sessions.db").stat().st_size
    results = collections.Counter()
    places = [0, 16, 24, 56, 100, 105, 300] + list(range(4096, size, 2048 if SOAK else 4096))
    for at in places:
        for data in (b"\xff" * 16, b"\0" * 64):
            def overwritten(p, at=at, data=data):
                overwrite(p, at, data)
            try:
                try_damage(b, overwritten, results)
            except Wrong as e:
                raise Wrong(f"{len(data)} bytes at {at}: {e}") from None
    for length in (50, 100, 1000, 4096, 5000, size // 2, size - 4096, size - 100):
        try:
            try_damage(b, lambda p, n=length: os.truncate(p, n), results)
        except Wrong as e:
            raise Wrong(f"{length} of {size} bytes: {e}") from None
    expect(results["told"] > 20, f"{results}")
    return f"{results['told']} told, {results['harmless']} harmless"


@case("a database that is lost")
def lost_database(b):
    for damage in (lambda p: os.truncate(p, 0), lambda p: p.unlink()):
        prepared, _ = prepared_store(b)
        store = b.store(prepared)
        before = hashes(store / "blobs")
        damage(store / "sessions.db")
        for _ in range(2):
            told = b.fails(prepared, ["the database is empty"], "open")
            expect(str(store) in told and "begin anew" in told, f"not clear: {told}")
        b.go(prepared, b.write_script(["open", "gc 0"]))
        expect(before and hashes(store / "blobs") == before, "blobs were taken away")


def change_database(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def of_somebody_else(path):
    path.unlink()
    change_database(path, "CREATE TABLE recipes (name TEXT)", "INSERT INTO recipes VALUES ('soup')")


SCHEMAS = {
    "newer": (lambda p: change_database(p, "UPDATE store_meta SET value = '1000'"), "version 1000"),
    "no number": (lambda p: change_database(p, "UPDATE store_meta SET value = 'x'"), "its version is not a number"),
    "no version": (lambda p: change_database(p, "DELETE FROM store_meta"), "does not say its version"),
    "a table is missing": (lambda p: change_database(p, "DROP TABLE media"), "\"media\" is missing"),
    "somebody else's": (of_somebody_else, "not a store of refract"),
    "no database": (lambda p: p.write_bytes(b"not a database, but long enough to be one\n" * 100),
                    "not a database of SQLite"),
}


def add_schema(name):
    @case(f"tables that are none of ours: {name}")
    def run(b):
        prepared, _ = prepared_store(b)
        store = b.store(prepared)
        damage, words = SCHEMAS[name]
        damage(store / "sessions.db")
        before = hashes(store)
        told = b.fails(prepared, [words], "open")
        expect(str(store) in told, f"it does not say where: {told}")
        expect(hashes(store) == before, "the store is another")


for each in SCHEMAS:
    add_schema(each)


if __name__ == "__main__":
    on_small_disk(*sys.argv[1:])
