"""A strict terminal: what a program writes becomes a screen, and what it has no business writing raises Strange.

    e = Emulator(80, 24, plays="kitty")
    e.feed(b"\\x1b[1mHello\\x1b[m\\r\\n")
    e.screen()      -> ["Hello", "", …]         the rows, without the spaces at their ends
    e.cell(0, 0)    -> Cell(text="H", style=Style(bold=True, …), link=None)
    e.pictures      -> [Picture(protocol="kitty", row=…, columns=…)]
    e.replies()     -> [(seconds to wait, bytes)]      what it answers to questions
    e.unrest()      -> []                       what is not as it was before: modes, styles, the other screen

It knows what refract may write and nothing else: SEQUENCES is the list. A wrong byte of UTF-8, a control character, a mark that
turns the direction, a link to anything but http(s), a title, a picture in a protocol that this terminal does not
show: all raise. With strict=False (for shells and other programs) what is not known is skipped and kept in `strange`.
"""
import base64
import codecs
import collections
import re

import characters
from grid import Cell, Grid, Style
from pictures import Kitty, Picture, Strange, iterm, need, png_size, sixel
from terminals import PROFILES, Answers

__all__ = ["Emulator", "Strange", "Style", "Cell", "Picture", "PROFILES"]

TEXT = re.compile(rb"[\x20-\x7e\x80-\xff]+")
CSI = re.compile(rb"\x1b\[([<-?]?)([0-9:;]*)([ -/]?)([@-~])")
CSI_BEGUN = re.compile(rb"\x1b(\[[<-?]?[0-9:;]{0,5000}[ -/]?)?\x1b?\Z")
CUT_OFF = re.compile(rb"\x1b(?:\[[<-?]?[0-9:;]{0,5000}[ -/]?)?(?=\x1b\\)")
STRING = re.compile(rb"\x07|\x1b\\|\x1b(?!\\|\Z)|[\x00-\x06\x08-\x1a\x1c-\x1f]")
MAX_STRING = 64 << 20
MODES = {7, 25, 1049, 2004, 2026}
AT_REST = {7, 25}
LINK = re.compile(r"https?://[!-~]{1,2000}")

SGR_ON = {1: ("bold", True), 2: ("dim", True), 3: ("italic", True), 4: ("underline", True),
          7: ("inverse", True), 9: ("strike", True), 23: ("italic", False), 24: ("underline", False),
          27: ("inverse", False), 29: ("strike", False), 39: ("foreground", None), 49: ("background", None)}


class Emulator:
    def __init__(self, columns=80, rows=24, plays="xterm", *, cell_size=(10, 20), strict=True,
                 background=None, reflow=None):
        self.profile = PROFILES[plays]
        self.column_count, self.row_count = columns, rows
        self.cell_size = cell_size
        self.strict, self.strange = strict, []
        self.background = background or self.profile.background
        self.may_copy, self.clipboard = False, None  # what the program put there, where a person asked it to
        self.reflow = self.profile.reflow if reflow is None else reflow
        self.main, self.other = Grid(columns, rows), None
        self.style, self.link, self.saved = Style(), None, None
        self.modes = set(AT_REST)
        self.pictures, self.title, self.frames = [], "", 0
        self.shown_before = None  # what is seen while the program draws in one go
        self.waiting, self.kitty = bytearray(), Kitty()
        self.searched = 0
        self.utf8 = codecs.getincrementaldecoder("utf-8")("strict" if strict else "replace")
        self.answers, self.answered = Answers(self), collections.deque()

    # What is on it.

    @property
    def grid(self):
        return self.other or self.main

    @property
    def cursor(self):
        """Row and column, from 0; after the last column it stands on it."""
        return self.grid.row, min(self.grid.column, self.column_count - 1)

    def screen(self):
        """What is seen: rows of text. While the program draws in one go (mode 2026), what was before."""
        return [row.text() for row in self.shown_before or self.grid.rows]

    def drawn(self):
        """The rows as they are by now, seen or not."""
        return [row.text() for row in self.grid.rows]

    def scrollback(self):
        return [row.text() for row in self.main.gone]

    def everything(self):
        """The scrollback and the screen, without empty rows at the end; what was wrapped by the terminal itself is one line."""
        lines, whole = [], ""
        for row in [*self.main.gone, *self.main.rows]:
            whole += row.text(strip=not row.wrapped)
            if not row.wrapped:
                lines.append(whole)
                whole = ""
        return "\n".join(lines).rstrip("\n")

    def cell(self, row, column):
        return self.grid.rows[row].cells[column]

    def styles(self, text):
        """The styles of the cells of `text` where it is first seen on the screen."""
        for row in self.grid.rows:
            at, cells = row.find(text)
            if at >= 0:
                return cells
        raise AssertionError(f"{text!r} is not on the screen")

    def links(self):
        return {c.link for row in [*self.main.gone, *self.grid.rows] for c in row.cells if c and c.link}

    def unrest(self):
        """What is not as a program must leave it."""
        found = []
        if self.other:
            found.append("the other screen is on")
        found += [f"mode {m} is {'on' if m in self.modes else 'off'}"
                  for m in sorted(self.modes ^ AT_REST) if m != 1049]
        if self.style != Style():
            found.append(f"text is written {self.style}")
        if self.link:
            found.append(f"a link is open: {self.link}")
        if self.waiting or self.kitty.unfinished:
            found.append(f"an escape sequence has no end: {bytes(self.waiting[:40])!r}")
        return found

    def replies(self):
        out = list(self.answered)
        self.answered.clear()
        return out

    # What is written.

    def feed(self, data):
        self.waiting += data
        if self.profile.term == "dumb" and b"\x1b" in data and self.strict:
            raise Strange(f"an escape sequence on a dumb terminal: {bytes(data)[:80]!r}")
        at = 0
        try:
            while at < len(self.waiting):
                used = self.step(at)
                if not used:
                    break
                at += used
                self.searched = 0
        finally:
            del self.waiting[:at]
            self.searched = max(0, self.searched - at)
            self.searched = max(0, self.searched - at)

    def odd(self, message):
        if self.strict:
            raise Strange(message)
        self.strange.append(message)

    def step(self, at):
        """Do the first thing; how many bytes it was, 0 where its end is not here yet."""
        match = TEXT.match(self.waiting, at)
        if match:
            try:
                self.write(self.utf8.decode(match[0]))
            except UnicodeDecodeError as why:
                raise Strange(f"no UTF-8: {match[0][:60]!r}: {why.reason}") from None
            return len(match[0])
        if self.utf8.getstate()[0]:
            self.utf8.reset()
            self.odd(f"half a character before {bytes(self.waiting[at:at + 10])!r}")
        if self.waiting[at] == 0x1b:
            return self.escape(at)
        self.control(self.waiting[at])
        return 1

    def control(self, byte):
        grid = self.grid
        if byte == 0x0d:
            grid.column = 0
        elif byte == 0x0a:
            grid.line_feed()
        elif byte == 0x08:
            grid.column = max(0, min(grid.column, grid.columns - 1) - 1)
        elif byte == 0x09:
            grid.column = min((grid.column // 8 + 1) * 8, grid.columns - 1)
        else:
            self.odd(f"the control character {byte:#04x}")

    def write(self, text):
        grid = self.grid
        before = grid.overwritten
        if text.isascii() and 7 in self.modes:
            grid.put_plain(text, self.style, self.link)
            text = ""
        for c in text:
            if "\x7f" <= c < "\xa0" or c in characters.TURNING:
                self.odd(f"the character U+{ord(c):04X}")
                continue
            cells = characters.width(c)
            last = grid.last_cell()
            if cells == 0 or (self.profile.clusters and last and characters.joins(last.text, c)):
                grid.join(c, self.profile.clusters)
            else:
                grid.put(Cell(c, self.style, self.link), cells, 7 in self.modes)
        self.over_pictures(before)

    def over_pictures(self, since):
        """Something was written or wiped: pictures that were there are no longer whole."""
        if not self.pictures:
            return
        for row, first, last in self.grid.touched(since):
            for p in self.pictures:
                if p.row <= row < p.row + p.rows and p.column < last and first < p.column + p.columns:
                    p.overdrawn = True

    def escape(self, at):
        match = CSI.match(self.waiting, at)
        if match:
            self.csi(*(bytes(g) for g in match.groups()))
            return len(match[0])
        kind = bytes(self.waiting[at + 1:at + 2])
        if kind in (b"]", b"P", b"_"):
            return self.string(at, kind)
        if kind in (b"7", b"8"):
            self.save() if kind == b"7" else self.restore()
            return 2
        if kind == b"\\":
            return 2
        cut = CUT_OFF.match(self.waiting, at)  # by what a guard writes after a kill: an end of whatever there was
        if cut:
            return len(cut[0])
        if CSI_BEGUN.match(self.waiting, at):
            return 0
        self.odd(f"the escape sequence {bytes(self.waiting[at:at + 12])!r}")
        return 2

    def string(self, at, kind):
        match = STRING.search(self.waiting, max(at + 2, self.searched))
        if not match:
            need(len(self.waiting) - at < MAX_STRING, "a sequence without an end")
            self.searched = max(at + 2, len(self.waiting) - 1)
            return 0
        if match[0] not in (b"\x07", b"\x1b\\") or (match[0] == b"\x07" and kind != b"]"):
            self.odd(f"a control character in a sequence: {bytes(self.waiting[at:match.end()])[-40:]!r}")
            return match.end() - at
        body = bytes(self.waiting[at + 2:match.start()])
        {b"]": self.osc, b"P": self.dcs, b"_": self.apc}[kind](body, bytes(match[0]))
        return match.end() - at

    # Sequences.

    def csi(self, private, numbers, middle, final):
        values = [int(n) if n else 0 for n in numbers.split(b";")] if b":" not in numbers else None
        act = SEQUENCES.get((private + middle + final).decode())
        if act is None or values is None:
            self.odd(f"CSI {(private + numbers + middle + final).decode()}")
        else:
            act(self, values)

    def move(self, rows, columns):
        grid = self.grid
        grid.row = max(0, min(grid.row + rows, self.row_count - 1))
        grid.column = max(0, min(min(grid.column, self.column_count - 1) + columns, self.column_count - 1))

    def go(self, row, column):
        self.grid.row = max(0, min(row, self.row_count - 1))
        self.grid.column = max(0, min(column, self.column_count - 1))

    def erase(self, what, values):
        need(values[0] in ((0, 1, 2) if what == "K" else (0, 1, 2, 3)), f"CSI {values[0]} {what}")
        before = self.grid.overwritten
        if what == "K":
            self.grid.erase_line(values[0], self.style)
        else:
            self.grid.erase_screen(values[0], self.style)
        self.over_pictures(before)

    def sgr(self, values):
        values = collections.deque(values)
        while values:
            n = values.popleft()
            if n == 0:
                self.style = Style()
            elif n in SGR_ON:
                self.style = self.style._replace(**dict([SGR_ON[n]]))
            elif n == 22:
                self.style = self.style._replace(bold=False, dim=False)
            elif n in (38, 48):
                name = "foreground" if n == 38 else "background"
                self.style = self.style._replace(**{name: self.colour(values)})
            elif 30 <= n <= 37 or 90 <= n <= 97:
                self.style = self.style._replace(foreground=n - 30 if n < 40 else n - 82)
            elif 40 <= n <= 47 or 100 <= n <= 107:
                self.style = self.style._replace(background=n - 40 if n < 50 else n - 92)
            else:
                self.odd(f"SGR {n}")

    def colour(self, values):
        kind = values.popleft() if values else None
        count = {5: 1, 2: 3}.get(kind, 0)
        got = [values.popleft() for _ in range(min(count, len(values)))]
        if not count or len(got) != count or max(got) > 255:
            self.odd(f"a colour of kind {kind}: {got}")
            return None
        return got[0] if kind == 5 else tuple(got)

    def mode(self, values, on):
        for n in values:
            if n not in MODES:
                self.odd(f"mode {n}")
                continue
            if n == 1049:
                self.alternate(on)
            if n == 2026 and self.profile.synchronized:
                self.shown_before = [row.copy() for row in self.grid.rows] if on else None
                self.frames += not on
            (self.modes.add if on else self.modes.discard)(n)

    def alternate(self, on):
        if on and not self.other:
            self.save()
            self.other = Grid(self.column_count, self.row_count)
            self.other.row, self.other.column = self.main.row, self.main.column
            self.other.top_row = 1 << 40  # its rows are none of the main screen's
        elif not on and self.other:
            self.pictures = [p for p in self.pictures if p.row < 1 << 40]
            self.other = None
            self.restore()

    def save(self):
        self.saved = (self.grid.row, self.grid.column, self.style)

    def restore(self):
        row, column, self.style = self.saved or (0, 0, Style())
        self.grid.row, self.grid.column = min(row, self.row_count - 1), min(column, self.column_count)

    def say(self, answer):
        if answer and self.profile.answers:
            self.answered.append((self.profile.delay, answer))

    def osc(self, body, end):
        number, _, rest = body.partition(b";")
        if number == b"8":
            self.open_link(rest)
        elif number in (b"10", b"11") and rest == b"?":
            light = tuple(255 - c for c in self.background)
            self.say(self.answers.colour(int(number), self.background if number == b"11" else light, end))
        elif number == b"52" and self.may_copy and rest.startswith(b"c;") and rest != b"c;?":
            self.clipboard = base64.b64decode(rest[2:], validate=True)
        elif number == b"1337" and rest == b"Capabilities":
            self.say(self.answers.capabilities())
        elif number == b"1337":
            self.iterm_picture(rest)
        else:
            if number in (b"0", b"2"):
                self.title = rest.decode("utf-8", "replace")
            self.odd(f"OSC {body[:60]!r}")

    def open_link(self, rest):
        _, separator, address = rest.decode("utf-8", "replace").partition(";")
        if address and not (separator and LINK.fullmatch(address)):
            self.odd(f"a link to {address!r}")
            return
        self.link = address or None

    def dcs(self, body, _end):
        match = re.match(rb"[0-9;]*q", body)
        if not match:
            self.odd(f"DCS {body[:60]!r}")
            return
        self.can("sixel")
        width, height, pixels = sixel(body[match.end():])
        cell_width, cell_height = self.cell_size
        rows = -(-height // cell_height)
        self.place("sixel", -(-width // cell_width), rows, width, height, pixels)
        self.grid.scroll_down_to(rows - 1)

    def apc(self, body, _end):
        if body[:1] != b"G":
            self.odd(f"APC {body[:60]!r}")
            return
        took = self.kitty.take(body[1:])
        if took is None:
            return
        keys, data = took
        action = keys.get(b"a", b"t")
        if action == b"q":
            need(b"i" in keys, "kitty: a question without a number")
            self.say(self.answers.kitty(keys[b"i"]))
        elif action == b"d":
            self.can("kitty")
            self.delete(keys)
        else:
            self.can("kitty")
            self.kitty_picture(keys, action, data)

    def delete(self, keys):
        what = keys.get(b"d", b"a").lower()
        need(what in (b"a", b"i"), f"kitty: d={what!r}")
        number = int(keys.get(b"i", 0))
        here = (1 << 40) if self.other else 0
        self.pictures = [p for p in self.pictures if p.protocol != "kitty" or
                         (p.row < here if what == b"a" else p.number != number)]

    def kitty_picture(self, keys, action, data):
        need(action == b"T", f"kitty: a={action!r}")
        need(keys.get(b"f") == b"100" and keys.get(b"t", b"d") == b"d", "kitty: a PNG, in the sequence itself")
        need(keys.get(b"q") == b"2", "kitty: answers that nobody waits for (q=2)")
        width, height = png_size(data)
        columns, rows = int(keys.get(b"c", 0)), int(keys.get(b"r", 0))
        need(columns > 0 and rows > 0, "kitty: the cells that it takes")
        self.place("kitty", columns, rows, width, height, data, int(keys.get(b"i", 0)))
        if keys.get(b"C") != b"1":
            self.grid.scroll_down_to(rows - 1)
            self.grid.column = min(self.grid.column + columns, self.column_count - 1)

    def iterm_picture(self, rest):
        arguments, data = iterm(rest)
        self.can("iterm")
        width, height = png_size(data)
        columns, rows = int(arguments[b"width"]), int(arguments[b"height"])
        self.place("iterm", columns, rows, width, height, data)
        if arguments.get(b"doNotMoveCursor") != b"1":
            self.grid.scroll_down_to(rows - 1)
            self.grid.column = min(self.grid.column + columns, self.column_count - 1)

    def can(self, protocol):
        need(protocol in self.profile.pictures, f"{protocol} on a terminal that does not show it")

    def place(self, protocol, columns, rows, width, height, data, number=0):
        """A picture at the cursor. One that is wider than the screen is wrong; one that is too high scrolls it (the
        terminals do that after it; so it is counted from the row where it began)."""
        column = min(self.grid.column, self.column_count - 1)
        need(column + columns <= self.column_count, f"{protocol}: a picture over the right edge")
        self.pictures.append(Picture(protocol, self.grid.top_row + self.grid.row, column, columns, rows,
                                     width, height, data, number))

    def resize(self, columns, rows):
        for grid in filter(None, (self.main, self.other)):
            grid.resize(columns, rows, self.reflow and grid is self.main)
        self.column_count, self.row_count = columns, rows
        self.shown_before = None


def one(values):
    return values[0] or 1


SEQUENCES = {
    "A": lambda e, v: e.move(-one(v), 0),
    "B": lambda e, v: e.move(one(v), 0),
    "C": lambda e, v: e.move(0, one(v)),
    "D": lambda e, v: e.move(0, -one(v)),
    "E": lambda e, v: (e.move(one(v), 0), setattr(e.grid, "column", 0)),
    "F": lambda e, v: (e.move(-one(v), 0), setattr(e.grid, "column", 0)),
    "G": lambda e, v: e.go(e.grid.row, one(v) - 1),
    "d": lambda e, v: e.go(one(v) - 1, e.cursor[1]),
    "H": lambda e, v: e.go(one(v) - 1, (v[1] or 1) - 1 if len(v) > 1 else 0),
    "J": lambda e, v: e.erase("J", v),
    "K": lambda e, v: e.erase("K", v),
    "m": lambda e, v: e.sgr(v),
    "?h": lambda e, v: e.mode(v, True),
    "?l": lambda e, v: e.mode(v, False),
    "c": lambda e, v: e.say(e.answers.attributes()),
    ">q": lambda e, v: e.say(e.answers.version()),
    "t": lambda e, v: e.say(e.answers.size(v[0])) if v[0] in (14, 16, 18) else e.odd(f"CSI {v} t"),
    "n": lambda e, v: e.say(e.answers.position()) if v[0] == 6 else e.odd(f"CSI {v} n"),
    "?$p": lambda e, v: e.say(e.answers.mode(v[0])),
}
