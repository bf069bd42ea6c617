"""What crash.py and damage.py share: stores that crash.c uses, what is in them, and what must be.

A run is a folder with a store in it. crash.c is told what to do there by a script, and what it acknowledged is
an Outcome; look() says what the store has, without refract.
"""
import collections
import contextlib
import hashlib
import itertools
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import zlib

SOAK = bool(os.environ.get("REFRACT_SOAK"))
LONG_S = 300  # one run of crash.c: it hangs
# What may be told about a failure, by the way of fault.c that caused it.
WORDS = {
    "EIO": ("Input/output error", "disk I/O error"),
    "ENOSPC": ("No space left on device", "disk is full"),
    "EDQUOT": ("Disk quota exceeded", "disk is full"),
}
NOT_KNOWN = "not known whether this was kept"
ADDED = "added after the crash"
CASES = []


class Wrong(Exception):
    pass


class Skip(Exception):
    pass


def expect(truth, words):
    if not truth:
        raise Wrong(words)


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


# Messages


def png(color):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + bytes(color) * 8 for _ in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PICTURES = {"red.png": png((255, 0, 0)), "green.png": png((0, 255, 0)), "blue.png": png((0, 0, 255))}


def long_text(number):
    return "".join(f"line {i} of text {number}\n" for i in range(200))


def message(number, role="user", picture=None, long=False):
    """What is in it can be told by its first words."""
    blocks = [{"type": "text", "text": f"message {number}. {long_text(number) if long else ''}"}]
    if picture:
        blocks.append({"type": "image", "source_path": picture})
    return "append " + json.dumps({"role": role, "content": blocks})


def key_of(text):
    found = re.search(r"message (\d+)\.", text)
    return int(found.group(1)) if found else None


# Running


Outcome = collections.namedtuple("Outcome", "done failed fault status errors")


class Bench:
    """The two programs, and a folder on a fast disk with everything that cases share."""

    def __init__(self, program, fault, folder, scripts=None):
        self.program, self.fault = os.path.abspath(program), os.path.abspath(fault)
        self.folder, self.scripts = folder, scripts or folder
        self.files = folder / "files"
        self.files.mkdir()
        for name, data in PICTURES.items():
            (self.files / name).write_bytes(data)
        self.numbers = itertools.count(1)
        self.reference = None
        self.faults = 0

    def picture(self, name):
        return str(self.files / name)

    def new(self):
        """A folder for one run. The store in it is not made yet, nor what is above it."""
        path = self.folder / f"run{next(self.numbers)}"
        path.mkdir()
        return path

    @staticmethod
    def store(run):
        return run / "data" / "store"

    def write_script(self, lines):
        path = self.scripts / f"script{next(self.numbers)}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def go(self, run, script, fault=None, **how):
        env = dict(os.environ, **(fault or {}))
        if fault:
            env.update(LD_PRELOAD=str(self.fault), FAULT_FOLDER=str(run))
        got = subprocess.run([self.program, self.store(run), script], env=env, capture_output=True,
                             timeout=LONG_S, check=False, cwd=self.files, **how)
        outcome = read_outcome(got)
        bad = got.returncode not in (0, 3, -signal.SIGKILL, -signal.SIGXFSZ)
        expect(not bad, f"status {got.returncode}: {outcome.errors}")
        return outcome

    def do(self, run, *lines, **how):
        """Without a fault: everything must go well."""
        got = self.go(run, self.write_script(lines), **how)
        expect(not got.failed and got.status == 0, f"{lines}: {got.failed or got.errors}")

    def fails(self, run, words, *lines, **how):
        """Without a fault, the last line must fail, with such words and a hint."""
        got = self.go(run, self.write_script(lines), **how)
        expect(list(got.failed) == [len(lines)], f"{lines[-1]}: {got.failed or 'no failure'}")
        told = got.failed[len(lines)]
        expect(any(w in told for w in words), f"not clear: {told}")
        expect(not told.endswith("| "), f"no hint: {told}")
        return told


def read_outcome(got):
    done, failed = set(), {}
    for line in got.stdout.decode("utf-8", "replace").splitlines():
        word, number, *rest = line.split(" ", 2)
        if word == "done":
            done.add(int(number))
        else:
            failed[int(number)] = rest[0]
    errors = got.stderr.decode("utf-8", "replace")
    fault = re.search(r"^fault (.*)$", errors, re.M)
    return Outcome(done, failed, fault and fault.group(1), got.returncode, errors)


def after_power_loss(run, disk):
    """What is left in the folder of a run: fault.c says what the disk had."""
    made = run.with_name(run.name + "-after")
    tree(disk, f"d{run.stat().st_ino}.0", made)
    return made


def tree(disk, name, path):
    path.mkdir(mode=0o700)
    names = disk / name
    for line in names.read_text().splitlines() if names.exists() else []:
        inside, title = line.split(" ", 1)
        if inside[0] == "d":
            tree(disk, inside, path / title)
            continue
        data = disk / inside
        (path / title).write_bytes(data.read_bytes() if data.exists() else b"")
        (path / title).chmod(0o600)


# Looking


Session = collections.namedtuple("Session", "bodies keys title settings added dropped")


def rows(db, statement, *values):
    return db.execute(statement, values).fetchall()


def look(store):
    """All of a store, without refract; Wrong where something does not fit together."""
    sessions = {}
    with contextlib.closing(sqlite3.connect(store / "sessions.db")) as db:
        expect(rows(db, "PRAGMA integrity_check") == [("ok",)], "integrity_check")
        for table in ("messages", "media", "settings", "dropped", "sent"):
            lost = rows(db, f"SELECT session FROM {table} WHERE session NOT IN (SELECT id FROM sessions)")
            expect(not lost, f"{table} has rows of no session: {lost}")
        for session, title, count, files in rows(db, "SELECT id, title, messages, files FROM sessions"):
            sessions[session] = look_at_session(db, session, title, count, files)
        look_at_blobs(db, store)
    return sessions


def look_at_session(db, session, title, count, files):
    messages = rows(db, "SELECT number, body FROM messages WHERE session = ? ORDER BY number", session)
    expect([n for n, _ in messages] == list(range(count)), f"{session}: messages are not 0 to {count}")
    bodies = [body for _, body in messages]
    media = rows(db, "SELECT number, hash FROM media WHERE session = ?", session)
    named = {(n, h) for n, b in messages for h in re.findall(r'"sha256:([0-9a-f]{64})"', b)}
    expect(set(media) == named, f"{session}: media are not those of the messages")
    expect(len({h for _, h in media}) == files, f"{session}: counts {files} files")
    added = sum(ADDED in b for b in bodies)
    bodies = [b for b in bodies if ADDED not in b]
    settings = rows(db, "SELECT body FROM settings WHERE session = ? ORDER BY number", session)
    dropped = rows(db, "SELECT hash FROM dropped WHERE session = ?", session)
    return Session(bodies, [key_of(b) for b in bodies], title, settings, added, dropped)


def look_at_blobs(db, store):
    known = dict(rows(db, "SELECT hash, size FROM blobs"))
    for (name,) in rows(db, "SELECT DISTINCT hash FROM media"):
        path = store / "blobs" / name[:2] / name[2:]
        expect(name in known, f"blob {name} has no row")
        expect(path.exists(), f"blob {name} has no file")
        data = path.read_bytes()
        expect(hashlib.sha256(data).hexdigest() == name, f"blob {name} holds other bytes")
        expect(len(data) == known[name], f"blob {name} has another size")


def look_for_litter(store):
    """After gc, only what is used is there, and nobody else may read it."""
    with contextlib.closing(sqlite3.connect(store / "sessions.db")) as db:
        used = {h for (h,) in rows(db, "SELECT hash FROM media")}
        known = {h for (h,) in rows(db, "SELECT hash FROM blobs")}
    expect(used == known, f"blobs that nothing uses: {known - used}")
    want = {f"blobs/{h[:2]}/{h[2:]}" for h in used} | {"sessions.db", "sessions.lock"}
    found = {str(p.relative_to(store)) for p in store.rglob("*") if p.is_file()} - {"sessions.spare"}
    expect(found == want, f"files that should not be there: {found - want}; missing: {want - found}")
    for p in [store, *store.rglob("*")]:
        mode = p.stat().st_mode & 0o777
        expect(mode == (0o700 if p.is_dir() else 0o600), f"{p} has mode {mode:o}")


def hashes(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*")) if p.is_file()}


# What must be


def check_words(told, how, run, fault=""):
    """A failure that fault.c caused names the cause, the place and a way out. SQLite forgets why it could
    not open a file."""
    cause = how.split("-", 1)[0]
    expect(cause in WORDS, f"a failure without a cause: {told}")
    words = WORDS[cause] + (("it could not be opened",) if "open" in fault and "sessions.db" in fault else ())
    expect(any(w in told for w in words), f"it does not say why: {told}")
    expect(str(run) in told or "the archive" in told, f"it does not say where: {told}")
    expect(not told.endswith("| "), f"no hint: {told}")
    expect(told.startswith("unreadable:"), f"the code is another: {told}")


def expected(lines, got):
    """(what must be there, what may be there after it: each of them alone). It may where it was in flight,
    or where the failure said that nobody knows and nothing was written over it since."""
    certain, maybe, pending, in_batch = [], [], [], False
    for number, line in enumerate(lines, 1):
        word = line.split(" ", 1)[0]
        unknown = number not in got.done and number not in got.failed
        if unknown and got.status != -signal.SIGKILL:
            break  # it gave up before
        if word == "begin":
            in_batch = True
        if word == "append":
            pending.append(key_of(line))
            if number in got.failed and in_batch:
                pending.pop()
        if word == "commit" or (word == "append" and not in_batch):
            doubtful = unknown or NOT_KNOWN in got.failed.get(number, "")
            if number in got.done:
                certain, maybe = certain + pending, []
            elif doubtful:
                maybe.append(pending)
            pending, in_batch = [], False
        if unknown:
            break
    return certain, maybe


# A store to begin with


def prepared_store(b):
    """Sessions "one" and "two", which share a picture; what nobody uses; an archive of a third."""
    run, other = b.new(), b.new()
    b.do(run, "open",
         "new", message(1, picture=b.picture("red.png")), message(2, role="assistant", long=True),
         message(8, picture=b.picture("blue.png")), "close",
         "new", message(3, picture=b.picture("red.png")), message(6, long=True), "close")
    dropped = "att_" + hashlib.sha256(PICTURES["green.png"]).hexdigest()[:12]
    b.do(other, "open", "new", 'set {"system": "Be brief."}', message(7, role="assistant"),
         message(4, picture=b.picture("green.png")), message(1, picture=b.picture("red.png")),
         f"drop {dropped}", f"export {b.files / 'third.tar'}")
    sessions = {s.keys[0]: name for name, s in look(b.store(run)).items()}
    (third,) = look(b.store(other))
    return run, {"one": sessions[1], "two": sessions[3], "third": third}


def all_of(b, name):
    keys = {"one": [1, 2, 8], "two": [3, 6], "third": [7, 4, 1]}[name]
    return [b.reference[k] for k in keys]
