"""Programs that have the names of workers and say what a test has them say, in the words of src/media/protocol.h.

    install(folder, "office", FRAMES + "say(READY); say(DONE)\\n")     a program of one's own
    tell(folder, {"liar": {"text": [("part", b"kind=text\\n"), ("text", b"lies"), ("done", b"")]}}, truth)

tell() puts one program there for every family. It answers by the mark at the end of the file that it is handed:
marked(data, "liar") is such a file. Of an answer each member is a frame and its bytes, or
("raw", bytes), ("times", number, frame), ("signal", number) and ("exit", status). Where a lie says nothing about
an operation, or a file has no mark, `truth` has the answer.
"""
import sys

FAMILIES = ("image", "pdf", "office", "legacy", "archive", "djvu", "postscript", "av", "ocr")
MARK = 32  # bytes at the end of a file
FRAMES = f"#!{sys.executable} -ISB\nimport os, socket, struct\ns = socket.socket(fileno=3)\n" + """
def say(kind, data=b""):
    s.sendall(struct.pack("=II", kind, len(data)) + data)
READY, FACT, PART, TEXT, BYTES, NOTE, STEP, FAIL, DONE = range(2, 11)
"""
LIAR = FRAMES + """
import array
KINDS = dict(ready=READY, fact=FACT, part=PART, text=TEXT, bytes=BYTES, note=NOTE, step=STEP, fail=FAIL, done=DONE)

def frame(kind, data):
    return data if kind == "raw" else struct.pack("=II", KINDS[kind], len(data)) + data

def tell(what, *rest):
    if what == "times":
        s.sendall(frame(*rest[1]) * rest[0])
    elif what == "signal":
        os.kill(os.getpid(), rest[0])
    elif what == "exit":
        os._exit(rest[0])
    else:
        s.sendall(frame(what, rest[0]))

def mark_of(fd, size):
    return os.pread(fd, MARK, size - MARK).strip().decode("ascii", "replace") if fd is not None else ""

for member in HELLO:
    tell(*member)
while True:
    head, control, _, _ = s.recvmsg(8, socket.CMSG_SPACE(4))
    if len(head) < 8:
        os._exit(0)
    fds = array.array("i")
    for _, _, data in control:
        fds.frombytes(data)
    asked = b""
    length = struct.unpack("=II", head)[1]
    while len(asked) < length:
        asked += s.recv(length - len(asked))
    lines = dict(line.split("=", 1) for line in asked.decode().splitlines() if "=" in line)
    op = lines["op"] + (":" + lines["way"] if "way" in lines else "")
    mark = mark_of(fds[0] if len(fds) else None, int(lines.get("size", 0)))
    for fd in fds:
        os.close(fd)
    answers = {**TRUTH, **LIES.get(mark, {})}
    for member in answers.get(op, answers.get(lines["op"], [("done", b"")])):
        tell(*member)
"""


def install(folder, family, text):
    folder.mkdir(exist_ok=True)
    path = folder / f"refract-media-{family}"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o755)


def tell(folder, lies, truth, hello=(("ready", b""),)):
    """The programs of all families; `hello` is what they say first. Gives what refract finds them by."""
    head = f"MARK, HELLO = {MARK}, {hello!r}\nLIES = {lies!r}\nTRUTH = {truth!r}\n"
    shebang, _, rest = LIAR.partition("\n")
    for family in FAMILIES:
        install(folder, family, f"{shebang}\n{head}{rest}")
    return {"REFRACT_WORKERS": str(folder)}


def marked(data, mark):
    """A file that the program knows again; an archive has the mark as its remark."""
    end = f"\n{mark}".ljust(MARK - 1).encode() + b"\n"
    if data.startswith(b"PK"):
        data = data[:-2] + len(end).to_bytes(2, "little")
    return data + end
