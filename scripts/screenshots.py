#!/usr/bin/python3
"""Pictures of terminals for the docs: plays docs/sessions/*.txt and draws what is on the screen.

    screenshots.py REFRACT [--to FOLDER] [SESSION...]

The sessions are played by tests/terminal/player.py, through a pseudo-terminal, into the emulator of the tests; here its
cells and pictures become a PNG. Each has the text of its screen in it ("Screen"), which a test holds against what
the program shows by then. Needs Pillow and the DejaVu fonts (scripts/setup.sh docs), of the system: so
it runs with the system's Python.
"""
import argparse
import io
import pathlib
import sys
import tempfile
import unicodedata

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "terminal"))
sys.dont_write_bytecode = True
import player  # noqa: E402 (it lies with the tests)

FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
SIZE, CELL_WIDTH, CELL_HEIGHT, BASE = 20, 12, 24, 19
PAD, BAR, ROUND = 18, 36, 12
SCALE = 4  # of the corners, which are drawn larger and made smaller
DARK = {"text": (201, 209, 217), "paper": (13, 17, 23), "bar": (33, 38, 45)}
LIGHT = {"text": (36, 41, 47), "paper": (255, 255, 255), "bar": (234, 238, 242)}
DOTS = ((248, 81, 73), (210, 153, 34), (63, 185, 80))
ON_DARK = [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34), (88, 166, 255), (188, 140, 255),
           (57, 197, 207), (177, 186, 196), (110, 118, 129), (255, 161, 152), (86, 211, 100), (227, 179, 65),
           (121, 192, 255), (210, 168, 255), (86, 212, 221), (240, 246, 252)]
ON_LIGHT = [(36, 41, 47), (207, 34, 46), (17, 99, 41), (154, 103, 0), (9, 105, 218), (130, 80, 223),
            (27, 124, 131), (110, 119, 129), (87, 96, 106), (164, 14, 38), (26, 127, 55), (125, 78, 0),
            (33, 139, 255), (164, 117, 249), (49, 146, 170), (140, 149, 159)]


def load(name):
    return ImageFont.truetype(str(FONTS / name), SIZE)


class Faces:
    """The fonts, by style; what the narrow one has no letter for is looked up in the wide one."""

    def __init__(self):
        self.mono = {(False, False): load("DejaVuSansMono.ttf"), (True, False): load("DejaVuSansMono-Bold.ttf")}
        self.mono[False, True] = self.upright_or("DejaVuSansMono-Oblique.ttf", False)
        self.mono[True, True] = self.upright_or("DejaVuSansMono-BoldOblique.ttf", True)
        self.other = load("DejaVuSans.ttf")
        self.known = {}

    def upright_or(self, name, bold):
        """The slanted ones are in a package of their own, and may be missing."""
        return load(name) if (FONTS / name).exists() else self.mono[bold, False]

    def has(self, font, letter):
        key = id(font), letter
        if key not in self.known:
            self.known[key] = bytes(font.getmask(letter)) != bytes(font.getmask("\U0010ffff"))
        return self.known[key]

    def find(self, letter, style):
        font = self.mono[style.bold, style.italic]
        return font if self.has(font, letter) or not self.has(self.other, letter) else self.other


FACES = None


def palette(number, sixteen):
    if number < 16:
        return sixteen[number]
    if number < 232:
        n = number - 16
        return tuple(0 if v == 0 else 55 + 40 * v for v in (n // 36, n // 6 % 6, n % 6))
    return (8 + 10 * (number - 232),) * 3


class Canvas:
    """The screen of an emulator as a picture."""

    def __init__(self, emulator, title):
        self.e, self.title = emulator, title
        light = emulator.background[0] > 127
        self.theme, self.sixteen = (LIGHT, ON_LIGHT) if light else (DARK, ON_DARK)
        self.rows = self.used_rows()
        self.width = 2 * PAD + emulator.column_count * CELL_WIDTH
        self.height = BAR + 2 * PAD + self.rows * CELL_HEIGHT
        self.image = Image.new("RGB", (self.width, self.height), self.theme["paper"])
        self.draw = ImageDraw.Draw(self.image)

    def used_rows(self):
        """Rows up to the last one with something on it; a screen that is wiped has one."""
        rows = [i + 1 for i, row in enumerate(self.e.grid.rows) if row.length()]
        below = [p.row + p.rows - self.e.grid.top_row for p in self.e.pictures]
        return min(self.e.row_count, max([1, self.e.cursor[0] + 1, *rows, *below]))

    def paint(self):
        self.bar()
        for i in range(self.rows):
            for j, cell in enumerate(self.e.grid.rows[i].cells):
                if cell:
                    self.cell(i, j, cell)
        for picture in self.e.pictures:
            self.picture(picture)
        self.cursor()
        return self.rounded()

    def bar(self):
        self.draw.rectangle((0, 0, self.width, BAR), self.theme["bar"])
        for i, colour in enumerate(DOTS):
            x = PAD + 4 + i * 22
            self.draw.ellipse((x - 6, BAR // 2 - 6, x + 6, BAR // 2 + 6), colour)
        font = FACES.mono[False, False]
        left = (self.width - font.getlength(self.title)) / 2
        self.draw.text((left, BAR // 2), self.title, self.mixed(self.theme["text"], self.theme["bar"]), font, "lm")

    @staticmethod
    def mixed(colour, paper, share=0.62):
        return tuple(round(c * share + p * (1 - share)) for c, p in zip(colour, paper))

    def colour(self, value, default):
        if value is None:
            return self.theme[default]
        return value if isinstance(value, tuple) else palette(value, self.sixteen)

    def cell(self, i, j, cell):
        x, y, style = PAD + j * CELL_WIDTH, BAR + PAD + i * CELL_HEIGHT, cell.style
        ink, paper = self.colour(style.foreground, "text"), self.colour(style.background, "paper")
        if style.inverse:
            ink, paper = paper, ink
        if style.dim:
            ink = self.mixed(ink, paper)
        wide = j + 1 < self.e.column_count and self.e.grid.rows[i].cells[j + 1] is None
        right = x + CELL_WIDTH * (2 if wide else 1)
        if paper != self.theme["paper"]:
            self.draw.rectangle((x, y, right - 1, y + CELL_HEIGHT - 1), paper)
        if not self.block(x, y, cell.text, ink, paper) and cell.text.strip():
            self.letter(x, y, cell, ink)
        for on, height in ((style.underline, BASE + 3), (style.strike, BASE - 6)):
            if on:
                self.draw.line((x, y + height, right - 1, y + height), ink, 1)

    def letter(self, x, y, cell, ink):
        text = "".join(c for c in cell.text if unicodedata.category(c) != "Cf" and c != "\ufe0f")
        font = FACES.find(text[:1], cell.style)
        self.draw.text((x, y + BASE), text, ink, font, "ls")

    def block(self, x, y, text, ink, paper):
        """Blocks, drawn as what they are: letters of a font leave gaps between them."""
        code = ord(text[0])
        if not 0x2580 <= code <= 0x259f:
            return False
        w, h = CELL_WIDTH, CELL_HEIGHT
        quarters = {0x2596: "c", 0x2597: "d", 0x2598: "a", 0x2599: "acd", 0x259a: "ad", 0x259b: "abc",
                    0x259c: "abd", 0x259d: "b", 0x259e: "bc", 0x259f: "bcd"}
        if code in quarters:
            boxes = [{"a": (0, 0, w / 2, h / 2), "b": (w / 2, 0, w, h / 2), "c": (0, h / 2, w / 2, h),
                      "d": (w / 2, h / 2, w, h)}[q] for q in quarters[code]]
        elif 0x2591 <= code <= 0x2593:
            ink = self.mixed(ink, paper, (code - 0x2590) / 4)
            boxes = [(0, 0, w, h)]
        else:
            boxes = [self.part(code, w, h)]
        for a, b, c, d in boxes:
            self.draw.rectangle((x + round(a), y + round(b), x + round(c) - 1, y + round(d) - 1), ink)
        return True

    @staticmethod
    def part(code, w, h):
        if code == 0x2580:
            return 0, 0, w, h / 2
        if code <= 0x2588:
            return 0, h - h * (code - 0x2580) / 8, w, h
        if code <= 0x258f:
            return 0, 0, w * (0x2590 - code) / 8, h
        if code == 0x2590:
            return w / 2, 0, w, h
        return (0, 0, w, h / 8) if code == 0x2594 else (w - w / 8, 0, w, h)

    def picture(self, p):
        if p.protocol == "sixel":
            image = Image.frombytes("RGBA", (p.width, p.height), p.data)
        else:
            image = Image.open(io.BytesIO(p.data)).convert("RGBA")
            image = image.resize((p.columns * CELL_WIDTH, p.rows * CELL_HEIGHT), Image.LANCZOS)
        x, y = PAD + p.column * CELL_WIDTH, BAR + PAD + (p.row - self.e.grid.top_row) * CELL_HEIGHT
        top = max(0, BAR - y)
        if top < image.height:
            image = image.crop((0, top, image.width, image.height))
            self.image.paste(image, (x, y + top), image)

    def cursor(self):
        row, column = self.e.cursor
        if 25 in self.e.modes and row < self.rows:
            x, y = PAD + column * CELL_WIDTH, BAR + PAD + row * CELL_HEIGHT
            self.draw.rectangle((x, y + 1, x + CELL_WIDTH - 1, y + CELL_HEIGHT - 2), self.theme["text"])
            cell = self.e.cell(row, column)
            if cell and cell.text.strip():
                self.letter(x, y, cell, self.theme["paper"])

    def rounded(self):
        mask = Image.new("L", (self.width * SCALE, self.height * SCALE), 0)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, self.width * SCALE - 1, self.height * SCALE - 1),
                                               ROUND * SCALE, 255)
        self.image.putalpha(mask.resize((self.width, self.height), Image.LANCZOS))
        return self.image


def main():
    global FACES
    parser = argparse.ArgumentParser(description="play the sessions of the docs, and draw their pictures")
    parser.add_argument("refract")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("sessions", nargs="*", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    FACES = Faces()

    def shot(name, title, terminal):
        text = PngInfo()
        text.add_itxt("Screen", player.lasting("\n".join(terminal.screen())), zip=True)
        Canvas(terminal.emulator, title).paint().save(given.to / name, optimize=True, pnginfo=text)
        print(f"{given.to / name}: {(given.to / name).stat().st_size:,} bytes")

    for path in given.sessions or sorted((ROOT / "docs" / "sessions").glob("*.txt")):
        with tempfile.TemporaryDirectory(prefix="refract-session-") as folder:
            player.play(path, given.refract, folder, shot)


main()
