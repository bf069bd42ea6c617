#!/usr/bin/env python3
"""Workers that a file has taken over (tests/worker/liar.c) have no say about any other; and none is left behind.

    test_workers.py PATH-OF-REFRACT PATH-OF-THE-LIAR

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. Cases that need a worker which is
not built here are left out, and said to be.
"""
import contextlib
import ctypes
import io
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import zipfile

import test_read
from test_cli import LIMIT_S, MODEL, USER, call, chunk, conversation, expect, image, png, result

LIAR = os.path.abspath(sys.argv[2])
OTHERS = 24  # more than there are workers at once, so that one that was taken over is asked again
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
CASES = []


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def saying(words, number=0):
    """A picture that is like no other, with words in it."""
    whole = png()
    return whole[:-12] + chunk(b"tEXt", b"Comment\0%s %d" % (words, number)) + whole[-12:]


def set_up(t):
    """The liar reads pictures; the other workers are those of the build, and nothing is kept."""
    expect(os.access(LIAR, os.X_OK), "the liar is not there")
    folder = t.folder / "workers"
    folder.mkdir()
    (folder / "refract-media-image").symlink_to(LIAR)
    built = pathlib.Path(t.program).parent / "worker"
    for family in ("office", "pdf"):
        if (built / family / f"refract-media-{family}").exists():
            (folder / f"refract-media-{family}").symlink_to(built / family / f"refract-media-{family}")
    t.env.update(REFRACT_WORKERS=str(folder), XDG_CACHE_HOME=str(t.folder / "cache"),
                 XDG_DATA_HOME=str(t.folder / "data"))
    t.write("taking.png", saying(b"take over"))


def pictures(t, count=OTHERS):
    return [image(t.write(f"{n}.png", saying(b"plain", n)), name=f"{n}.png") for n in range(count)]


def hold(report):
    """Nobody was lied about."""
    lies = [entry for entry in report if "a lie" in json.dumps(entry)]
    expect(not lies, f"{len(lies)} of {len(report)}: {lies[:1]}")
    expect(len(report) > 8, report)


@case("the person's files after one of a tool")
def _(t):
    set_up(t)
    own = {"role": "user", "content": pictures(t)}
    hold(t.encode(conversation(USER, call("c1"), result("c1", image("taking.png")), own))[1])


@case("a tool's files after one of the same tool")
def _(t):
    set_up(t)
    hold(t.encode(conversation(USER, call("c1"), result("c1", image("taking.png"), *pictures(t))))[1])


@case("a tool's files after one of another tool")
def _(t):
    set_up(t)
    other = {**result("c2", *pictures(t)), "name": "other"}
    hold(t.encode(conversation(USER, call("c1", "c2"), result("c1", image("taking.png")), other))[1])


@case("files that a request of another API carries")
def _(t):
    set_up(t)
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")
    body, _ = t.encode(conversation({"role": "user", "content": [image("taking.png"), *pictures(t)]}))
    t.env["REFRACT_WORKERS"] = str(t.folder / "workers")
    done = t.good("convert", "--from", "anthropic", "-m", "openai:gpt-5-mini", "--explain",
                  given=json.dumps(body).encode())
    hold(done.report())


@case("the files of a session that was kept")
def _(t):
    set_up(t)
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")  # nothing is examined yet
    document = conversation(USER, call("c1"), result("c1", image("taking.png")),
                            {"role": "user", "content": pictures(t)})
    session = t.good("sessions", "new", given=document).out.decode().split()[0]
    t.env["REFRACT_WORKERS"] = str(t.folder / "workers")
    hold(t.good("encode", "-m", MODEL, "--session", session, "--explain").report())


@case("the pictures in a document, which is the person's", "office")
def _(t):
    set_up(t)
    document = deck([saying(b"take over")] + [saying(b"plain", n) for n in range(OTHERS)])
    hold(t.encode(json.dumps({"refract": 1, "messages": [
        USER, call("c1"), {"role": "tool", "tool_call_id": "c1", **read(t, document)}]}).encode())[1])


def read(t, document):
    return t.good("read", "--json", t.write("deck.docx", document) + "#pictures").json()


def deck(files):
    """A text document that holds these pictures."""
    runs = "".join(
        f'<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill>'
        f'<a:blip r:embed="p{n}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
        f'</w:p>' for n in range(len(files)))
    links = "".join(f'<Relationship Id="p{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
                    f'relationships/image" Target="media/{n}.png"/>' for n in range(len(files)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as z:
        z.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                   '<Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" '
                   'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
                   '</Types>')
        z.writestr("_rels/.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                   '<Relationship Id="d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
                   'officeDocument" Target="word/document.xml"/></Relationships>')
        z.writestr("word/_rels/document.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/'
                   f'2006/relationships">{links}</Relationships>')
        z.writestr("word/document.xml", '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/'
                   'main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
                   'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
                   'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
                   'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
                   f'<w:body>{runs}</w:body></w:document>')
        for n, data in enumerate(files):
            z.writestr(f"word/media/{n}.png", data)
    return packed.getvalue()


# None is left behind. Here we are the process that orphans fall to, and we wait for none of them.


def stat_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
    except OSError:
        return []


def orphans(but=()):
    """The states of the processes that have fallen to us."""
    found = [stat_of(entry.name) for entry in pathlib.Path("/proc").iterdir()
             if entry.name.isdigit() and int(entry.name) not in but]
    return [s[0] for s in found if len(s) > 1 and s[1] == str(os.getpid())]


def left_behind():
    """How many are there when all have ended."""
    end = time.monotonic() + LIMIT_S
    while any(state != "Z" for state in orphans()) and time.monotonic() < end:
        time.sleep(0.01)
    count = len(orphans())
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return count


def expect_none(name):
    count = left_behind()
    expect(not count, f"{name}: {count} were left behind")


@case("ten reads leave no process behind")
def _(t):
    set_up(t)
    for n in range(10):
        t.good("read", t.write(f"{n}.png", saying(b"plain", n)))
    expect_none("read")


@case("a command that fails leaves none behind")
def _(t):
    set_up(t)
    document = conversation({"role": "user", "content": pictures(t, 3)}, USER)
    t.run("encode", "-m", "no:such-model", given=document)
    t.write("broken.png", png()[:60])
    t.run("read", "broken.png", "taking.png", "missing.png")
    t.run("doctor", "--json")
    expect_none("failures")


def comm_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    return ""


@contextlib.contextmanager
def while_busy(t, *args):
    """A command that has a picture looked at."""
    with subprocess.Popen([t.program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, cwd=t.folder, env=t.env) as process:
        end = time.monotonic() + LIMIT_S
        while not any(stat_of(entry.name)[1:2] == [str(process.pid)] and comm_of(entry.name) == "refract-media-i"
                      for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()):
            expect(time.monotonic() < end, "no worker was started")
            time.sleep(0.01)
        yield process


def interrupted(t, number, *args):
    """Ended by a signal while a worker is busy."""
    with while_busy(t, *args) as process:
        while process.poll() is None:
            process.send_signal(number)
            time.sleep(0.05)
        return process.returncode


@case("a command that a signal ends leaves none behind")
def _(t):
    set_up(t)
    t.write("slow.png", saying(b"take your time"))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # whoever started us may ignore it
        status = interrupted(t, number, "read", "slow.png")
        expect(status == -number, f"status {status} for {number.name}")
        expect_none(number.name)
    # A second signal would end it at once, with nobody to wait for its worker.
    with while_busy(t, "ask", "-m", "offline", "-a", "slow.png", "What is it?") as process:
        while not is_caught(process.pid, signal.SIGINT):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
    expect(process.returncode == 128 + signal.SIGINT, f"status {process.returncode}")
    expect_none("ask")


def is_caught(pid, number):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("SigCgt:")[2].split()[0], 16) >> number - 1 & 1


def stopped(t, *question):
    """What a question tells of that is stopped by one signal."""
    with while_busy(t, "ask", "-m", "offline", "--stream-json", *question) as process:
        while not is_caught(process.pid, signal.SIGINT):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=LIMIT_S)[0]
    expect(process.returncode == 130, f"{process.returncode}: {out}")
    expect_none("ask")
    return [json.loads(line) for line in out.splitlines()]


@case("one signal stops a tool whose file takes long")
def _(t):
    set_up(t)
    t.write("slow.png", saying(b"take your time"))
    told = [event for event in stopped(t, "What is in slow.png?") if event["type"] == "result"]
    expect([event["text"] for event in told] == ["slow.png: reading the file was stopped"], told)


@case("one signal stops a request whose file takes long")
def _(t):
    set_up(t)
    t.write("slow.bmp", b"BM" + struct.pack("<IIIIiiHHIIiiII", 58, 0, 54, 40, 1, 1, 1, 24, 0, 4, 0, 0, 0, 0) +
            bytes(4) + b"take your time to convert")
    told = stopped(t, "-a", "slow.bmp", "What is it?")
    expect([event["type"] for event in told] == ["error"], told)


if __name__ == "__main__":
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0) != 0:
        print("skipped all: this system has no subreapers")
        sys.exit(77)
    sys.exit(test_read.run_cases(os.path.abspath(sys.argv[1]), CASES))
