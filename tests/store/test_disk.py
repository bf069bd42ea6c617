#!/usr/bin/env python3
"""A store on a disk that is full, and on one that is read-only: what is kept can be listed, shown and exported, and
on a full one it can be taken away.

    test_disk.py PATH-OF-REFRACT

The disk is a tmpfs of a few megabytes in a mount namespace of our own. Prints a line a case, then "N passed, N failed".
"""
import ctypes
import io
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

REFRACT = os.path.abspath(sys.argv[1])
CLONE_NEWNS, CLONE_NEWUSER, MS_RDONLY, MS_REMOUNT, MNT_DETACH = 0x20000, 0x10000000, 1, 32, 2
LIBC = ctypes.CDLL(None, use_errno=True)
IO_ERROR = 6
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def expect(good, message):
    if not good:
        raise AssertionError(message)


def system(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def enter_own_namespaces():
    user, group = os.getuid(), os.getgid()
    system(LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS), "no namespaces of our own")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        pathlib.Path("/proc/self", name).write_text(text)


class Disk:
    """A small disk with a store of three sessions on it, each with a file of its own, and room beside it for outputs."""

    def __init__(self, folder):
        self.beside = pathlib.Path(folder)
        self.root = self.beside / "disk"
        self.root.mkdir()
        system(LIBC.mount(b"none", os.fsencode(self.root), b"tmpfs", 0, b"size=4m"), "a tmpfs")
        self.store = self.root / "refract"
        self.env = {**os.environ, "HOME": str(self.beside), "XDG_DATA_HOME": str(self.root),
                    "XDG_CACHE_HOME": str(self.beside / "cache"), "XDG_CONFIG_HOME": str(self.beside / "config")}
        self.ids = [self.add(i) for i in range(3)]

    def add(self, number):
        (self.beside / "file.bin").write_bytes(bytes([number]) * 200000)
        words = {"role": "user", "content": [{"type": "text", "text": f"number {number}"},
                                             {"type": "document", "source_path": "file.bin"}]}
        (self.beside / "new.json").write_text(json.dumps({"refract": 1, "messages": [words]}))
        return self.good("new", "new.json").decode().strip()

    def run(self, *args):
        return subprocess.run([REFRACT, "sessions", *args], env=self.env, cwd=self.beside, stdin=subprocess.DEVNULL,
                              capture_output=True)

    def good(self, *args):
        done = self.run(*args)
        expect(done.returncode == 0, f"{args}: status {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def fill(self):
        with open(self.root / "fill", "wb", buffering=0) as f:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        f.write(bytes(size))
                except OSError:
                    pass
        expect(os.statvfs(self.root).f_bavail == 0, "the disk is not full")

    def freeze(self):
        system(LIBC.mount(b"none", os.fsencode(self.root), b"tmpfs", MS_REMOUNT | MS_RDONLY, None), "read-only")

    def leave_log(self, title):
        """What a killed process leaves: a change that is in the log alone. Nobody has made an index of the log."""
        aside = self.beside / "aside"
        db = sqlite3.connect(self.store / "sessions.db")
        db.execute("UPDATE sessions SET title = ?, titled = 1", (title,))
        db.commit()
        shutil.copytree(self.store, aside, ignore=shutil.ignore_patterns("*-shm"))
        db.close()
        shutil.rmtree(self.store)
        shutil.copytree(aside, self.store)
        expect((self.store / "sessions.db-wal").stat().st_size > 0, "there is no log")

    def read_all(self):
        """All that can be read of the store."""
        archive = tarfile.open(fileobj=io.BytesIO(self.good("export", self.ids[0])))
        self.good("export", self.ids[0], "-o", str(self.beside / "out.tar"))
        return {"list": self.good("list", "--json"), "show": self.good("show", "--json", self.ids[1]),
                "media": self.good("media", "--json", self.ids[2]),
                "export": {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}}

    def expect_same(self, before):
        after = self.read_all()
        for name, was in before.items():
            expect(after[name] == was, f"{name}: {was} became {after[name]}")


@case("a full disk: all can be read")
def _(d):
    before = d.read_all()
    d.fill()
    d.expect_same(before)


@case("a full disk: what a log holds is read too")
def _(d):
    d.leave_log("from the log")
    d.fill()
    titles = [json.loads(line)["title"] for line in d.good("list", "--json").splitlines()]
    expect(titles == ["from the log"] * 3, titles)


@case("a full disk: rm frees the files of a session")
def _(d):
    d.fill()
    d.good("rm", d.ids[1])
    free = os.statvfs(d.root)
    expect(free.f_bavail * free.f_bsize >= 200000, "nothing was freed")
    rest = [json.loads(line)["id"] for line in d.good("list", "--json").splitlines()]
    expect(rest == [d.ids[2], d.ids[0]], rest)
    d.good("show", d.ids[0])
    d.good("rm", d.ids[0])


@case("a disk that gets full again and again: rm works each time")
def _(d):
    for number, session in enumerate(d.ids):
        d.fill()
        d.good("rm", session)
        expect(len(list(d.store.glob("blobs/??/*"))) == 2 - number, "its file is still there")


@case("a full disk: rm of a session that has no files, and gc")
def _(d):
    (d.beside / "new.json").write_text(json.dumps({"refract": 1, "messages": [
        {"role": "user", "content": f"{i} " + "word " * 1000} for i in range(300)]}))
    long = d.good("new", "new.json").decode().strip()
    d.fill()
    long_file = (d.store / "sessions.db").stat().st_size
    d.good("rm", long)
    rest = [json.loads(line)["id"] for line in d.good("list", "--json").splitlines()]
    expect(sorted(rest) == sorted(d.ids), rest)
    d.fill()
    d.good("gc")
    expect((d.store / "sessions.db").stat().st_size < long_file - 500000, "the database is as long as before")
    for session in d.ids:
        d.good("show", session)


@case("a full disk: gc frees what nothing uses")
def _(d):
    db = sqlite3.connect(d.store / "sessions.db")
    db.execute("DELETE FROM media WHERE session = ?", (d.ids[0],))
    db.execute("UPDATE blobs SET touched = 1")
    db.commit()
    db.close()
    d.fill()
    d.good("gc", "--age", "0")
    expect(len(list(d.store.glob("blobs/??/*"))) == 2, "its file is still there")


@case("a full disk: nothing can be added, and that is said")
def _(d):
    d.fill()
    done = d.run("new", "new.json")
    expect(done.returncode == IO_ERROR and b"is full" in done.stderr and b"hint:" in done.stderr, done)
    expect(len(d.good("list", "--json").splitlines()) == 3, "there are others now")


@case("a read-only disk: all can be read")
def _(d):
    before = d.read_all()
    d.freeze()
    d.expect_same(before)


@case("a read-only disk: what a log holds is read too")
def _(d):
    d.leave_log("from the log")
    d.freeze()
    titles = [json.loads(line)["title"] for line in d.good("list", "--json").splitlines()]
    expect(titles == ["from the log"] * 3, titles)
    d.good("export", d.ids[0])


@case("a read-only disk: a folder with signs in its name")
def _(d):
    odd = d.root / "what? 100%25 #1"
    d.store.parent.joinpath(odd).mkdir()
    shutil.move(d.store, odd / "refract")
    d.env["XDG_DATA_HOME"] = str(odd)
    d.freeze()
    expect(len(d.good("list", "--json").splitlines()) == 3, "they are not there")


@case("a read-only disk: rm, gc and new say so")
def _(d):
    d.freeze()
    for args in (("rm", d.ids[0]), ("gc",), ("new", "new.json"), ("title", d.ids[0], "another")):
        done = d.run(*args)
        said = done.stderr.decode()
        expect(done.returncode == IO_ERROR and "read-only" in said and "hint:" in said, f"{args}: {done}")


def main():
    try:
        enter_own_namespaces()
    except OSError as e:
        print(f"skipped: {e}")
        return 0
    passed = failed = 0
    for name, function in CASES:
        with tempfile.TemporaryDirectory(prefix="refract-disk-") as folder:
            try:
                function(Disk(folder))
                passed += 1
                print(f"ok      {name}")
            except Exception as problem:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
            LIBC.umount2(os.fsencode(folder + "/disk"), MNT_DETACH)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
