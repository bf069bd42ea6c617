#!/usr/bin/env python3
"""Sessions whose files are in a bucket, on the command line; beside SQLite, and PostgreSQL where
there is a server: kept, sent, carried elsewhere, removed, and refused in plain words.

    test_sessions_s3.py PATH-OF-REFRACT

A file of REFRACT_FLAT_BYTES (default: 64 MiB) goes there and back in little memory. Prints a line a
case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "store"))
import s3_server
import with_postgres

PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/EWxwAAAABJ"
         "RU5ErkJggg==")
MESSAGE = {"role": "user", "content": [{"type": "text", "text": "Look"},
                                       {"type": "image", "data": PIXEL}]}
FLAT_BYTES = int(os.environ.get("REFRACT_FLAT_BYTES", 64 << 20))
MOST_GROWTH = 20 << 10  # KiB
LIMIT_S = 600


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Machine:
    """The program with folders of its own, and a store that others share."""

    made = 0

    def __init__(self, program, folder, address, blobs, env):
        Machine.made += 1
        self.program, self.folder = program, pathlib.Path(folder) / f"machine{Machine.made}"
        config = self.folder / "config" / "refract"
        config.mkdir(parents=True)
        self.config = config / "config.yaml"
        self.config.write_text(f'store: {{address: "{address}", blobs: "{blobs}"}}\n'
                               "limits: {kept_file_bytes: 8000000000}\n", encoding="utf-8")
        self.env = {**os.environ, **env, "HOME": str(self.folder),
                    "XDG_CONFIG_HOME": str(self.folder / "config"),
                    "XDG_DATA_HOME": str(self.folder / "data"),
                    "XDG_CACHE_HOME": str(self.folder / "cache")}

    def start(self, *args, stdin=subprocess.DEVNULL):
        return subprocess.Popen([self.program, *args], stdin=stdin, text=True, env=self.env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)

    def run(self, *args, given=None, status=0):
        process = self.start(*args, stdin=subprocess.PIPE)
        out, err = process.communicate(given or "", timeout=LIMIT_S)
        for text in (out, err):
            expect(s3_server.SECRET not in text and s3_server.KEY_ID not in text, "a key is shown")
        expect(process.returncode == status, f"status {process.returncode}: {out}{err}")
        return err if status else out

    def peak_kib(self, *args):
        """Most memory that a run has had; what wait4 tells would be ours before the exec."""
        process, peak = self.start(*args), 0
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
                found = re.search(r"Name:\trefract\n.*VmHWM:\s+(\d+) kB", f.read(), re.S)
            peak = max(peak, int(found.group(1)) if found else 0)
            time.sleep(0.002)
        out, err = process.communicate()
        expect(process.returncode == 0, out + err)
        return peak

    def new(self):
        return self.run("sessions", "new", given=json.dumps({"refract": 1, "messages": [MESSAGE]})).strip()


class World:
    def __init__(self, program, folder, server, address):
        self.program, self.folder, self.server, self.address = program, folder, server, address
        self.prefix = f"{os.getpid()}/{Machine.made}"

    def machine(self, blobs=None, **env):
        blobs = blobs or f"s3://{s3_server.BUCKET}/{self.prefix}"
        return Machine(self.program, self.folder, self.address, blobs,
                       {**self.server.environment, **env})

    def objects(self):
        return [k for k in self.server.control({})["objects"] if k.startswith(self.prefix)]


def a_picture_is_sent_from_another_machine(world):
    one, other = world.machine(), world.machine()
    session = one.new()
    expect(len(world.objects()) == 1, world.objects())
    body = other.run("encode", "-m", "openai:gpt-4o", "--session", session)
    expect(PIXEL in body, body)
    expect(any(other.folder.glob("cache/refract/blobs/*/*")), "it is not in the cache")
    again = len(world.server.control({})["requests"])
    other.run("encode", "-m", "openai:gpt-4o", "--session", session)
    expect(len(world.server.control({})["requests"]) == again, "it was fetched twice")


def a_session_is_carried_elsewhere_and_back(world):
    one, other = world.machine(), world.machine()
    session, tar = one.new(), world.folder / f"{Machine.made}.tar"
    other.run("sessions", "export", session, "-o", str(tar))
    folder = Machine(world.program, world.folder, world.folder / f"plain{Machine.made}", "blobs", {})
    there = folder.run("sessions", "import", str(tar)).strip()
    expect(PIXEL in folder.run("encode", "-m", "openai:gpt-4o", "--session", there), "not there")
    one.run("sessions", "rm", session)
    expect(not world.objects(), world.objects())
    back = other.run("sessions", "import", str(tar)).strip()
    expect(PIXEL in one.run("encode", "-m", "openai:gpt-4o", "--session", back), "not back")


def gc_takes_what_nothing_uses(world):
    one = world.machine()
    one.new()
    kept = world.objects()
    expect(kept, "nothing was kept")
    orphan = f"{world.prefix}/ab/{'c' * 62}"
    state = world.server.server.state
    with state.lock:
        some = state.objects[kept[0]]
        state.objects[orphan] = {**some, "time": time.time() - 7200}
        state.objects[f"{world.prefix}/of-somebody-else"] = {**some, "time": 0}
        state.uploads["old"] = {"key": orphan, "time": time.time() - 7200, "parts": {}}
    said = json.loads(one.run("sessions", "gc", "--json"))
    expect(said["leftovers"] == 2 and said["blobs"] == 0, said)
    expect(sorted(world.objects()) == sorted([*kept, f"{world.prefix}/of-somebody-else"]),
           world.objects())
    with state.lock:
        expect("old" not in state.uploads, state.uploads)
        del state.objects[f"{world.prefix}/of-somebody-else"]


def a_large_file_takes_little_memory(world):
    one, other = world.machine(), world.machine()
    large, small = one.folder / "large.bin", one.folder / "small.bin"
    with open(large, "wb") as f:
        f.write(b"\x00\x01large" + bytes(4096))
        f.truncate(FLAT_BYTES)
    small.write_bytes(b"\x00\x01small" + bytes(4096))
    peaks, ids = {}, {}
    for path in (small, large):
        document = one.folder / f"{path.stem}.json"
        document.write_text(json.dumps({"refract": 1, "messages": [{"role": "user", "content": [
            {"type": "document", "source_path": str(path)}]}]}), encoding="utf-8")
        peaks[f"put {path.stem}"] = one.peak_kib("sessions", "new", str(document))
        ids[path.stem] = one.run("sessions", "list", "-n", "1", "--json")
        session = re.search(r"\d{8}-\w{6}", ids[path.stem]).group()
        peaks[f"get {path.stem}"] = other.peak_kib("sessions", "export", session, "-o", "/dev/null")
    expect(len(world.objects()) == 2, world.objects())
    print(f"     {FLAT_BYTES >> 20} MiB: {peaks} KiB")
    for way in ("put", "get"):
        expect(peaks[f"{way} large"] - peaks[f"{way} small"] < MOST_GROWTH, peaks)


def killed_in_the_middle_nothing_half_is_seen(world):
    one = world.machine()
    one.run("sessions", "list")
    large = one.folder / "large.bin"
    with open(large, "wb") as f:
        f.write(b"\x00\x02large")
        f.truncate(64 << 20)
    document = one.folder / "large.json"
    document.write_text(json.dumps({"refract": 1, "messages": [{"role": "user", "content": [
        {"type": "document", "source_path": str(large)}]}]}), encoding="utf-8")
    before = len(world.server.control({})["requests"])
    process = one.start("sessions", "new", str(document))
    while not any("partNumber=3" in r for r in world.server.control({})["requests"][before:]):
        expect(process.poll() is None, "it ended before its third part")
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    expect(not world.objects(), world.objects())
    expect(world.server.control({})["uploads"] == 1, "no upload is left")
    expect(json.loads(one.run("sessions", "gc", "--json"))["leftovers"] == 0, "it is too young")
    expect(json.loads(one.run("sessions", "gc", "--age", "0", "--json"))["leftovers"] == 1, "stays")
    expect(world.server.control({})["uploads"] == 0, "the upload is still there")
    one.run("sessions", "new", str(document))
    expect(len(world.objects()) == 1, world.objects())


def what_is_wrong_is_said(world):
    for name, blobs, env, words in (
            ("no bucket", "s3://nowhere/x", {}, "no such bucket"),
            ("a wrong secret", None, {"AWS_SECRET_ACCESS_KEY": "other"}, "secret is not that"),
            ("another key", None, {"AWS_ACCESS_KEY_ID": "AKIDOTHER"}, "key is not known"),
            ("no keys", None, {"AWS_ACCESS_KEY_ID": ""}, "no keys for the bucket"),
            ("a wrong endpoint", None, {"AWS_ENDPOINT_URL_S3": "h:1"}, "not a web address"),
            ("nobody there", None, {"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}, "could not reach")):
        one = world.machine(blobs, **env)
        expect(words in one.run("sessions", "new", given=json.dumps({"refract": 1, "messages": [MESSAGE]}),
                                status=6 if name == "nobody there" else 8), name)
    one = world.machine("s3://x/a b")
    expect("is not the address of a bucket" in one.run("config", "check", status=8), "config check")
    world.server.control({"reset": True})


def a_new_store_does_not_take_the_blobs_of_another(world):
    one = world.machine()
    one.new()
    other = Machine(world.program, world.folder, world.folder / f"new{Machine.made}",
                    f"s3://{s3_server.BUCKET}/{world.prefix}", world.server.environment)
    expect("the database is empty" in other.run("sessions", "list", status=6), "it does")


CASES = (a_picture_is_sent_from_another_machine, a_session_is_carried_elsewhere_and_back,
         gc_takes_what_nothing_uses, killed_in_the_middle_nothing_half_is_seen,
         a_large_file_takes_little_memory, what_is_wrong_is_said,
         a_new_store_does_not_take_the_blobs_of_another)


def check(case, engine, program, server, address):
    with tempfile.TemporaryDirectory(prefix="refract-s3-") as folder:
        server.control({"reset": True})
        world = World(program, pathlib.Path(folder), server, address or folder + "/store")
        try:
            case(world)
            wrong = server.control({})["wrong"]
            expect(not wrong, f"the server objects: {wrong}")
            print(f"ok   {engine}: {case.__name__}", flush=True)
            return True
        except (AssertionError, subprocess.TimeoutExpired, ValueError) as e:
            print(f"FAIL {engine}: {case.__name__}: {e}", flush=True)
            return False


def main(program):
    program = os.path.abspath(program)
    results = []
    with s3_server.Serving() as server:
        results += [check(case, "SQLite", program, server, None) for case in CASES]
        bin_folder = with_postgres.programs()
        if not bin_folder or os.environ.get(with_postgres.VARIABLE) == "":
            print("skipped: there is no PostgreSQL")
        else:
            with with_postgres.Cluster(bin_folder) as cluster:
                for n, case in enumerate(CASES):
                    made = f"CREATE DATABASE s3_{n}"
                    subprocess.run([os.path.join(cluster.bin, "psql"), "-q", cluster.address, "-c", made],
                                   check=True, stdout=subprocess.DEVNULL)
                    address = cluster.address.replace("/postgres?", f"/s3_{n}?")
                    results.append(check(case, "PostgreSQL", program, server, address))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
