"""Plays a session that is written down: what to type, what to wait for, when to take a picture.

    play(path, refract, folder, shot)

A session is a text file; a line is one thing to do, "#" begins a remark.

    plays kitty                 which terminal it is (terminals.py); before "run", as the next seven
    size 96 30                  columns and rows
    light                       a light background
    file photo.jpg              copied from examples/ into the folder where the session is played
    pages handbook.pdf 47       a PDF of so many pages is made there
    report annual.pdf           one with figures, charts and tables (paper.py)
    env COLORTERM=truecolor     a variable
    sim chat.yaml               the simulator answers for every provider, with this script
    run refract chat -m offline a program; "refract" is the one that is played, from a shell as well ("run sh -i")
    type What is this?          keys; without Enter
    press Enter Ctrl-C          keys by name (driver.py)
    paste photo.jpg             as a terminal pastes
    resize 60 20
    wait I was given            until it is on the screen
    gone working                until it is there no longer
    see pages 1-20 of 47        it was on the screen at some time: it is there, or went up
    prompt                      until the shell has the terminal again
    still                       until nothing changes
    picture chat.png The title  shot(name, title, terminal) is called
    exit 0                      until the program ends, with this status and the terminal as it was

Whatever does not come raises, with the line that waited for it.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import paper
from driver import Terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESSES = {"ANTHROPIC_BASE_URL": "/anthropic", "OPENAI_BASE_URL": "/openai/v1", "GEMINI_BASE_URL": "/google",
             "GROQ_BASE_URL": "/groq", "MISTRAL_BASE_URL": "/mistral/v1", "XAI_BASE_URL": "/xai/v1"}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY")


def pdf(pages):
    """A handbook: on each page its number, and a few lines."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>",
               f"<< /Type /Pages /Count {pages} /Kids [{' '.join(f'{4 + 2 * i} 0 R' for i in range(pages))}] >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for i in range(pages):
        lines = [f"Chapter {i // 5 + 1}, page {i + 1}", "", f"Section {i + 1}.1: what to check before the start.",
                 f"The pump of stage {i + 1} runs at {40 + i} bar and is looked at every {i % 7 + 2} weeks.",
                 "A valve that drips is replaced, and the replacement is written down."]
        text = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F 14 Tf 20 TL 60 760 Td {text} ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * i} 0 R "
                       "/Resources << /Font << /F 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return pdf_of(objects)


def pdf_of(objects):
    """A PDF of these objects, the first of which is its catalogue."""
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}{end}".encode()


class Player:
    def __init__(self, path, refract, folder, shot):
        self.path, self.refract = pathlib.Path(path), os.path.abspath(refract)
        self.home, self.folder, self.shot = pathlib.Path(folder) / "home", pathlib.Path(folder) / "files", shot
        self.how, self.env, self.terminal, self.sim = {"columns": 96, "rows": 30, "cell_size": (12, 24)}, {}, None, None
        self.env["PS1"] = "$ "
        self.env["PATH"] = os.pathsep.join((os.path.dirname(self.refract), os.environ.get("PATH", os.defpath)))
        self.home.mkdir()
        self.folder.mkdir()

    def play(self):
        try:
            for number, line in enumerate(self.path.read_text().splitlines(), 1):
                if line.strip() and not line.startswith("#"):
                    self.do(number, line)
        finally:
            self.end()

    def do(self, number, line):
        word, _, rest = line.partition(" ")
        try:
            getattr(self, "do_" + word)(rest)
        except AssertionError as why:
            raise AssertionError(f"{self.path.name}:{number}: {line}: {why}") from None

    def end(self):
        if self.terminal:
            self.terminal.close()
        if self.sim:
            self.sim.terminate()
            self.sim.wait()
            self.sim.stdout.close()

    def do_plays(self, rest):
        self.how["plays"] = rest

    def do_size(self, rest):
        self.how["columns"], self.how["rows"] = map(int, rest.split())

    def do_light(self, _rest):
        self.how["background"] = (255, 255, 255)

    def do_file(self, rest):
        shutil.copy(ROOT / "examples" / rest, self.folder / rest)

    def do_pages(self, rest):
        name, count = rest.split()
        (self.folder / name).write_bytes(pdf(int(count)))

    def do_report(self, rest):
        (self.folder / rest).write_bytes(pdf_of(paper.report()))

    def do_env(self, rest):
        name, _, value = rest.partition("=")
        self.env[name] = value

    def do_sim(self, rest):
        self.sim = subprocess.Popen([self.refract, "sim", "-q", "--seed", "1", "-s", str(self.path.parent / rest)],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        address = re.search(r"http://127\.0\.0\.1:\d+", self.sim.stdout.readline())[0]
        self.env.update({name: address + path for name, path in ADDRESSES.items()})
        self.env.update({name: "not-needed-here" for name in KEYS})

    def do_run(self, rest):
        argv = shlex.split(rest)
        argv[0] = self.refract if argv[0] == "refract" else argv[0]
        before, self.terminal = self.terminal, None
        if before:
            before.close()
        self.terminal = Terminal(argv, env=self.env, cwd=self.folder, home=self.home, **self.how)

    def do_type(self, rest):
        self.terminal.type(rest)

    def do_press(self, rest):
        self.terminal.press(*rest.split())

    def do_paste(self, rest):
        self.terminal.paste(rest)

    def do_resize(self, rest):
        self.terminal.resize(*map(int, rest.split()))

    def do_wait(self, rest):
        self.terminal.wait_for(rest)

    def do_gone(self, rest):
        self.terminal.wait_gone(rest)

    def do_see(self, rest):
        self.terminal.wait_for(rest, everywhere=True)

    def do_prompt(self, _rest):
        t = self.terminal
        t.wait_until(lambda: t.screen()[t.emulator.cursor[0]] == "$", what="the shell")

    def do_still(self, _rest):
        self.terminal.settle(0.4)

    def do_picture(self, rest):
        name, _, title = rest.partition(" ")
        self.terminal.settle(0.3)
        self.shot(name, title, self.terminal)

    def do_exit(self, rest):
        status = self.terminal.wait_exit()
        if status != int(rest):
            raise AssertionError(f"status {status}; the screen:\n{self.terminal.picture()}")
        self.terminal.check_restored()


def play(path, refract, folder, shot):
    Player(path, refract, folder, shot).play()


VARIES = [
    (re.compile(r"\b\d{8}-[a-z0-9]{6}\b"), "SESSION"),
    (re.compile(r"\b(?:\d+:)?\d+(?:\.\d+)? ?(?:ms|s|min)\b"), "N s"),
    (re.compile(r"[\d,.]+ (?:bytes|KB|MB)\b"), "N bytes"),
    (re.compile(r"~?[\d,.]+k? tokens\b"), "N tokens"),
    (re.compile(r"[\d,.]+k? of [\d,.]+[kM]? \([\d.]+ ?%\)"), "N of N"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?\b"), "DATE"),
    (re.compile(r"[\u2580-\u259f]+"), " "),
    (re.compile(r"  +"), " "),
]


def lasting(text):
    """A screen without what is another the next time: times, ids, sizes and blocks that depend on libraries."""
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
