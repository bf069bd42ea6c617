#!/usr/bin/env python3
"""Workers that lie, on a terminal: whatever a worker that a file has taken over says, it steers no terminal, speaks in
nobody else's name, and is believed in nothing that cannot be.

    lying_workers.py PATH-OF-REFRACT [WORD]...

A row a lie: its name, the file that it is told about, what is said instead of the truth (fake_worker.py), the exit
statuses of a read, and words that must then be seen, or with "!" must not. Each lie is told to `read`, `ask` and
`view`, and all of them one after the other in one `chat`, on terminals whose strict emulator raises at every
sequence that is not ours. Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "terminal"),
                str(pathlib.Path(__file__).resolve().parents[1])]
import bombs
import fake_worker
import media_fixtures
from driver import Terminal, memory_kib
from fake_worker import marked
from running import expect

REFRACT = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="refract-lies-"))
ENV = {"REFRACT_WORKERS": str(FOLDER / "workers")}
MOST_KIB = 96 << 10  # of the program, whatever is said to it
SANITIZED = b"__asan_init" in pathlib.Path(REFRACT).read_bytes()
AT_ONCE = 3

# What has no business on a terminal.
STEERS = ("\x1b[2J\x1b[1;1H\x1b[?1049h\x1b[31m" "\x1b]0;owned\x07\x1b]2;owned\x1b\\" "\x1b]52;c;b3duZWQ=\x07"
          "\x1b]8;;file:///etc/passwd\x1b\\click\x1b]8;;\x1b\\" "\x1bP$q\"p\x1b\\\x1bP0;0;0q#0~\x1b\\"
          "\x1b_Ga=T,t=f,f=100;L2V0Yy9wYXNzd2Q=\x1b\\" "\x1b^pm\x1b\\\x1bXsos\x1b\\" "\x1b[6n\x1b[c\x1b[21t\x1b[5i"
          "\x1bc\x07\x08\x08\x7f\x0e\x0f\x0b\x0c").encode()
C1 = "\u009b2J\u009d0;owned\u009c\u0090q\u009c\u009f\u0085\u008d".encode()
UNSEEN = "\u202e\u2066\u200f\u061c\u200b\u2060\u00ad\ufeff\U000e0041\ufff9".encode()
ALL = STEERS + C1 + UNSEEN
NO_TEXT = b"\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80"
# What refract itself says, in the words of ask and of chat.
OURS = ("\r\n+ other.png      image  64x48 png, 1 KB, ~1 tokens\nrefract: all files are in order\n"
        "? run remove_it {}\n  y: yes, once   n: no   a: always remove_it, with any arguments\n"
        "> remove_it ... removed, 0.0 s\n= 1 tokens in, 1 out; session owned\n").encode()

PART = ("part", b"kind=text\npage=1\n")
DONE = ("done", b"")
PICTURE = bombs.png(21, 8, bytes(22 * 8))
DRAWN = b"kind=drawing\ncolumns=3\nrows=1\nwidth=21\nheight=8\n"
SIXELS = b"\x1bPq\"1;1;21;8#0;2;0;0;0#0!21~-!21B\x1b\\"
FACTS = ("width=64", "height=48", "frames=1", "format=png", "bits=8", "pages=2", "title=true title", "duration_ms=1000",
         "container=wav", "audio=pcm 8000 Hz 1 ch", "sound=1", "letters=9", "weight=9")
TRUTH = {  # of every family: their operations have the same names, and facts that nobody asks for are passed over
    "info": [*(("fact", fact.encode()) for fact in FACTS), DONE],
    "text": [("fact", b"pages=1"), PART, ("text", b"true words\n"), DONE],
    "utf8": [("fact", b"charset=KOI8-R"), PART, ("bytes", b"true words\n"), DONE],
    "list": [("fact", b"files=1"), PART, ("text", b"ZIP archive: true.txt\n"), DONE],
    "draw:png": [("part", DRAWN), ("bytes", PICTURE), DONE],
    "draw:sixel": [("part", DRAWN), ("bytes", SIXELS), DONE],
    "draw:blocks": [("part", DRAWN), ("bytes", "\x1b[38;5;1m▀\x1b[0m▀ ".encode()), DONE],
    "render": [("part", b"kind=image\npage=1\nmime=image/png\nwidth=21\nheight=8\n"), ("bytes", PICTURE), DONE],
}


def words(*frames):
    """An answer with a text; the same to whoever asks for text."""
    return {op: [("fact", b"pages=1"), *frames, DONE] for op in ("text", "list")}


def said(data):
    """A text with these bytes in its middle."""
    return words(PART, ("text", b"before " + data + b" after\n"))


def picture(**about):
    """The facts of a picture, some of them false."""
    facts = {"width": 64, "height": 48, "frames": 1, "format": "png", "bits": 8, **about}
    return {"info": [("fact", f"{k}={v}".encode("utf-8", "surrogateescape")) for k, v in facts.items()] + [DONE]}


def drawing(data, about=DRAWN):
    return {f"draw:{way}": [("part", about), ("bytes", data), DONE] for way in ("png", "sixel", "blocks")}


def shape(columns, rows, width=21, height=8):
    about = f"kind=drawing\ncolumns={columns}\nrows={rows}\nwidth={width}\nheight={height}\n".encode()
    return {op: [("part", about), *answer[1:]] for op, answer in TRUTH.items() if op.startswith("draw")}


def everywhere(*frames):
    return {op: list(frames) for op in TRUTH}


def failed(code, message, hint=b""):
    return everywhere(("fail", code + b"\n" + message + b"\n" + hint + b"\n"))


def docx():
    return bombs.docx(bombs.paragraph("words"))


def pdf():
    return bombs.one_page(bombs.stream(bombs.HELLO), bombs.FONT)


def png():
    return bombs.png(64, 48, bytes(65 * 48))


def wav():
    return media_fixtures.wav(8000)


def text():
    return "Straße und Gärten\n".encode("latin-1")


def archive():
    return bombs.zipped(("a.txt", b"a"))


HUGE = 10 ** 30
ROWS = [
    ("the truth, about a picture", "png", {}, {0}, "64x48"),
    ("the truth, about a PDF", "pdf", {}, {0}, "true words"),
    ("the truth, about a document", "docx", {}, {0}, "true words"),
    # Texts.
    ("a text that steers", "docx", said(STEERS), {0}, "before"),
    ("a page that steers", "pdf", said(STEERS), {0}, "before"),
    ("a list that steers", "zip", said(STEERS), {0}, "before"),
    ("C1 controls in UTF-8", "docx", said(C1), {0}, "before"),
    ("a text of noughts", "docx", said(bytes(500)), {0}, "before"),
    ("marks that turn, hide and join", "docx", said(UNSEEN), {0}, "before"),
    ("a text that is not text", "docx", said(NO_TEXT), {6}, "makes no sense"),
    ("half a character in each of two pieces", "docx", words(PART, ("text", b"\xe2\x96"), ("text", b"\x80")), {6},
     "makes no sense"),
    ("our own lines as a text", "docx", said(OURS), {0}, "before"),
    ("our own lines as a page", "pdf", said(OURS), {0}, "before"),
    ("a text before any part", "docx", words(("text", b"nowhere\n"), PART, ("text", b"somewhere\n")), {0}, "somewhere"),
    ("a row without end", "docx", said(b"x" * 900000), {0}, "x"),
    ("marks upon one letter without end", "docx", said("a".encode() + "\u0301".encode() * 50000), {0}, "before"),
    # Texts that were converted, and what is said of them.
    ("the truth, about a text in another character set", "txt", {}, {0}, "true words"),
    ("a converted text that steers", "txt", {"utf8": [PART, ("bytes", b"before\n" + ALL + b"\nafter\n"), DONE]}, {0},
     "before"),
    ("a converted text that is not text", "txt", {"utf8": [PART, ("bytes", b"before\n" + NO_TEXT), DONE]}, {0},
     "are not UTF-8"),
    ("a character set that steers", "txt", {"utf8": [
        ("fact", b"charset=" + ALL), ("fact", b"charset_by=" + ALL), ("fact", b"charset_bad=%d" % HUGE), PART,
        ("bytes", b"before\n"), DONE]}, {0}, "before"),
    ("a text that became nothing", "txt", {"utf8": [DONE]}, {0}, "which is a guess"),
    ("a text that became two", "txt", {"utf8": [PART, ("bytes", b"one"), PART, ("bytes", b"two"), DONE]}, {0},
     "which is a guess"),
    # Names and what is said about a file.
    ("a title that steers", "docx", words(("part", b"kind=text\npage=1\ntitle=" + ALL), ("text", b"x\n")), {0}, "x"),
    ("facts that steer", "wav", {"info": [("fact", b"duration_ms=1000"), *(
        ("fact", key + b"=" + ALL) for key in (b"container", b"audio", b"video", b"tag.title", b"tag.\x1b[2J")), DONE]},
     {0}, "Audio"),
    ("facts with noughts", "wav", {"info": [("fact", b"audio=a\0b"), DONE]}, {6}, "makes no sense"),
    ("a type that steers", "docx", words(("fact", b"mime=application/x-" + ALL), PART, ("text", b"x\n")), {0}, "x"),
    ("a picture inside whose name climbs and steers", "docx", words(PART, ("text", b"before\n"), (
        "part", b"kind=image\nname=../../../etc/\x1b[2Jpasswd\xe2\x80\xae\nmime=image/png\nalt=\x1b]0;owned\x07"),
        ("bytes", PICTURE)), {0}, "before"),
    ("a part of a kind that there is not", "docx", words(("part", b"kind=" + ALL), ("text", b"x\n")), {0}, "x"),
    ("lines that are not lines", "docx", words(("part", b"=\n==\nkind"), ("text", b"x\n")), {6}, "makes no sense"),
    # Notes, steps, failures.
    ("notes that steer", "docx", words(("note", ALL), PART, ("text", b"x\n")), {0}, "x"),
    ("a note in our own lines", "docx", words(("note", OURS), PART, ("text", b"x\n")), {0}, "x"),
    ("20,000 notes", "docx", words(("times", 20000, ("note", b"again")), PART, ("text", b"last\n")), {0}, ""),
    ("20,000 steps backwards", "docx", words(("times", 20000, ("step", b"9223372036854775807/-1")), PART,
                                              ("text", b"last\n")), {0}, "last"),
    ("steps that are not numbers", "docx", words(("step", b"\x1b[2J/x")), {6}, "makes no sense"),
    ("a failure that steers", "docx", failed(b"format", ALL, b"hint " + ALL), {6}, "refract: "),
    ("a failure in our own lines", "docx", failed(b"format", OURS), {6}, ""),
    ("a failure of 60 KB", "docx", failed(b"format", b"long " * 12000), {6}, "long"),
    ("a failure of the person's own making", "docx", failed(b"permission", b"not given"), {6}, "not given"),
    ("a failure without words", "docx", failed(b"", b""), {6}, "makes no sense"),
    # Numbers.
    ("a picture of less than nothing", "png", picture(width=-5, height=-2 ** 63, frames=-1, bits=-8), {0, 6}, ""),
    ("a picture of 10^30", "png", picture(width=HUGE, height=HUGE, frames=HUGE), {0, 6}, ""),
    ("a picture of 2^63 - 1", "png", picture(width=2 ** 63 - 1, height=2 ** 63 - 1, frames=2 ** 63 - 1), {0, 6}, ""),
    ("a picture of no numbers", "png", picture(width="\x1b[2J", height="0x40", format="\x1b]0;owned\x07"), {0, 6}, ""),
    ("a PDF of minus one page", "pdf", {"info": [("fact", b"pages=-1"), DONE]}, {0, 6}, ""),
    ("a PDF of 10^18 pages", "pdf", {"info": [("fact", b"pages=%d" % 10 ** 18), DONE]}, {0, 5, 6}, ""),
    ("pages that nobody asked for", "pdf", words(*(frame for n in (-9, 0, 2 ** 63 - 1, 10 ** 30) for frame in (
        ("part", b"kind=text\npage=%d\n" % n), ("text", b"page\n")))), {0, 6}, ""),
    ("a sound of minus a second", "wav", {"info": [("fact", b"duration_ms=-1000"), DONE]}, {0}, "Audio"),
    ("a document of 10^18 pages", "docx", words(("fact", b"pages=%d" % 10 ** 18), ("fact", b"pictures=-1"), PART,
                                                ("text", b"x\n")), {0, 5, 6}, ""),
    # Drawings.
    ("a drawing that steers", "png", drawing(STEERS), {0}, ""),
    ("a drawing that has a terminal read a file", "png", drawing(b"\x1b_Ga=T,t=f;L2V0Yy9wYXNzd2Q=\x1b\\"), {0}, ""),
    ("a drawing with more after its end", "png", {
        "draw:png": [("part", DRAWN), ("bytes", PICTURE + STEERS), DONE],
        "draw:sixel": [("part", DRAWN), ("bytes", SIXELS + STEERS), DONE],
        "draw:blocks": [("part", DRAWN), ("bytes", "▀▀▀".encode() + STEERS), DONE]}, {0}, ""),
    ("sixels over the edge", "png", drawing(b"\x1bPq\"1;1;99999;99999#0!99999~-\x1b\\"), {0}, ""),
    ("sixels without end", "png", drawing(b"\x1bPq" + b"~" * 100000), {0}, ""),
    ("sixels with a sequence in them", "png", drawing(b"\x1bPq#0~\x1b]0;owned\x07~\x1b\\"), {0}, ""),
    ("colours that are none", "png", drawing("\x1b[38;5;999m▀\x1b[5i▀▀".encode()), {0}, ""),
    ("letters for blocks", "png", drawing(b"own"), {0}, ""),
    ("a drawing of no size", "png", shape(0, 0), {0}, ""),
    ("a drawing of less than none", "png", shape(-3, -1, -21, -8), {0}, ""),
    ("a drawing of 2^31 columns", "png", shape(2 ** 31 + 3, 2 ** 32 + 1, 2 ** 32 + 21, 2 ** 33 + 8), {0}, ""),
    ("a drawing that is larger than it says", "png", drawing(bombs.png(60000, 60000)), {0}, ""),
    ("a page that is not a picture", "pdf", {"render": [("part", b"kind=image\nmime=image/png\n"), ("bytes", STEERS), DONE]},
     {0}, ""),
    ("a drawing without bytes", "png", drawing(b""), {0}, ""),
    # Frames.
    ("bytes before any part", "docx", words(("bytes", b"x")), {6}, "makes no sense"),
    ("ready, again", "docx", words(("ready", b""), PART, ("text", b"x\n")), {6}, "makes no sense"),
    ("done, twice", "docx", words(PART, ("text", b"x\n"), DONE), {0, 6}, ""),
    ("a failure after the end", "docx", words(PART, ("text", b"x\n"), DONE, ("fail", b"format\nlate\n\n")), {0, 6},
     "!late"),
    ("an answer for a file that nobody asked about", "docx", words(PART, ("text", b"x\n"), DONE, PART,
                                                                   ("text", b"unasked\n")), {0, 6}, "!unasked"),
    ("a question instead of an answer", "docx", words(("raw", b"\1\0\0\0\4\0\0\0op=x")), {6}, "makes no sense"),
    ("a frame of no kind", "docx", words(("raw", b"\x63\0\0\0\0\0\0\0")), {6}, "makes no sense"),
    ("a frame of 4 GB", "docx", words(("raw", b"\4\0\0\0\xff\xff\xff\xff")), {6}, "makes no sense"),
    ("half a head", "docx", {"text": [("raw", b"\4\0\0"), ("exit", 0)]}, {6}, "ended in the middle"),
    ("half a frame", "docx", {"text": [PART, ("raw", b"\5\0\0\0\x10\0\0\0half"), ("exit", 0)]}, {6},
     "ended in the middle"),
    ("20,000 frames of nothing", "docx", words(PART, ("times", 20000, ("text", b"")), ("text", b"last\n")), {0},
     "last"),
    # Ends.
    ("an end by SIGTRAP", "docx", everywhere(("signal", int(signal.SIGTRAP))), {6}, "gave up on the file"),
    ("an end by SIGKILL", "docx", everywhere(("signal", int(signal.SIGKILL))), {6}, "was killed"),
    ("an end without a word", "docx", everywhere(("exit", 71)), {6}, "ended in the middle"),
]
MAKERS = {"docx": docx, "pdf": pdf, "png": png, "wav": wav, "zip": archive, "txt": text}


def file_of(number):
    return f"lie{number:02}.{ROWS[number][1]}"


def make_files():
    for number, (_, kind, *_) in enumerate(ROWS):
        (FOLDER / file_of(number)).write_bytes(marked(MAKERS[kind](), f"lie{number:02}"))
    (FOLDER / "true.docx").write_bytes(docx())
    fake_worker.tell(FOLDER / "workers", {f"lie{n:02}": row[2] for n, row in enumerate(ROWS)}, TRUTH)


def run(*args, plays="kitty", **how):
    return Terminal([REFRACT, *args], plays=plays, cwd=FOLDER, env={**ENV, **how.pop("env", {})}, **how)


def fits(t):
    return SANITIZED or memory_kib(t.process.pid) < MOST_KIB


def ends(t, statuses):
    status = t.wait_exit()
    expect(status in statuses, f"status {status}:\n{t.picture()}")
    expect(t.emulator.title == "", f"the title is {t.emulator.title!r}")
    expect(not t.emulator.links(), t.emulator.links())
    t.check_restored()
    return t.everything()


def holds(seen, wanted):
    if wanted.startswith("!"):
        expect(wanted[1:] not in seen, f"{wanted[1:]!r} is seen:\n{seen[:1500]}")
    else:
        expect(wanted in " ".join(seen.split("\n")), f"{wanted!r} is not seen:\n{seen[:1500]}")


def alone(seen):
    """What stands at the beginning of a line as only refract writes it."""
    return re.findall(r"^(?:\+ other\.png|\? run remove_it|> remove_it|refract: all files|= 1 .* session owned).*", seen,
                      re.M)


def read(number):
    _, _, _, statuses, wanted = ROWS[number]
    with run("read", "--no-cache", file_of(number), columns=200) as t:
        holds(ends(t, statuses), wanted)


def ask(number):
    """What is said about a file goes to standard error, and is ours; the answer is a model's. The session goes on."""
    home = FOLDER / f"home{number}"
    with (open(FOLDER / f"answer{number}", "wb") as answer,
          run("ask", "-m", "offline", f"What is in @{file_of(number)}?", columns=200, stdout=answer, home=home) as t):
        seen = ends(t, {0})
    expect(not alone(seen), f"said in our name: {alone(seen)}")
    expect("> read_file" in seen or "> view_image" in seen, f"nobody looked:\n{seen[:600]}")
    with run("ask", "-m", "offline", "-c", "-q", "And now?", home=home) as t:
        ends(t, {0})


def view(number, plays):
    with run("view", file_of(number), plays=plays) as t:
        t.wait_until(lambda: t.process.poll() is not None or t.sees("? help"), what="the line at the bottom")
        t.settle(0.05)
        if t.process.poll() is None:
            expect(fits(t), f"{memory_kib(t.process.pid)} KiB")
            t.type("t")
            t.settle(0.05)
            t.type("q")
        ends(t, {0, 5, 6})


def told(number):
    read(number)
    ask(number)
    for plays in ("kitty", "sixel", "xterm") if ROWS[number][1] == "png" else ("kitty",):
        view(number, plays)


def chat(plays):
    """All of them in one conversation, with the truth about a file after each."""
    with run("chat", "-m", "offline", plays=plays, columns=120, rows=40) as t:
        t.wait_for("Ctrl-D leaves")
        for number in range(len(ROWS)):
            t.type(f"/attach {file_of(number)}")
            t.press("Enter")
            t.wait_for(re.compile(r"^>$", re.M))
            t.settle(0.05)
        expect(not alone(t.everything()), f"said in our name: {alone(t.everything())}")
        t.type("What are these?")
        t.press("Enter")
        t.wait_for("I was given", everywhere=True)
        t.settle()
        t.type("/attach true.docx")
        t.press("Enter")
        t.wait_for("with true.docx")
        expect(fits(t), f"{memory_kib(t.process.pid)} KiB")
        t.press("Ctrl-C", "Ctrl-D")
        expect(t.wait_exit() == 0, "it did not end well")
        expect(t.emulator.title == "", t.emulator.title)
        t.check_restored()


def boasts(name, hello, status):
    """What a worker says of its own sandbox."""
    facts = [("fact", key + b"=" + ALL) for key in (b"layers", b"missing")]
    env = fake_worker.tell(FOLDER / name, {}, {**TRUTH, "check": [*facts, DONE]}, [*hello(facts)])
    with run("doctor", env=env, columns=200, rows=60) as t:
        ends(t, {0, 1, 8})
    with run("read", "--no-cache", "true.docx", env=env, columns=200) as t:
        ends(t, {status})


HELLOS = [
    ("ready, and more than that", lambda facts: [("ready", STEERS + C1)], 0),
    ("facts, then a failure of its sandbox", lambda facts: [*facts, ("fail", b"sandbox\n" + ALL + b"\nhint " + C1)], 8),
    ("a failure of the file before there is one", lambda facts: [("fail", b"format\n" + OURS)], 6),
    ("a text before it is ready", lambda facts: [PART, ("text", STEERS)], 6),
]
CASES = [(f"all of them in a chat, {plays}", lambda plays=plays: chat(plays)) for plays in ("kitty", "xterm")]
CASES += [(f"{row[0]}, {row[1]}", lambda n=n: told(n)) for n, row in enumerate(ROWS)]
CASES += [(f"of itself: {row[0]}", lambda n=n, row=row: boasts(f"boast{n}", *row[1:])) for n, row in enumerate(HELLOS)]


def passes(name, function):
    began = time.monotonic()
    try:
        function()
        print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    except Exception as problem:  # a case that breaks has failed
        print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}", flush=True)
        return False


def main():
    chosen = [(name, f) for name, f in CASES if not sys.argv[2:] or any(word in name for word in sys.argv[2:])]
    make_files()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        good = list(pool.map(lambda case: passes(*case), chosen))
    shutil.rmtree(FOLDER)
    print(f"{good.count(True)} passed, {good.count(False)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
