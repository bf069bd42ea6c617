"""The terminals that the emulator plays: what each shows, what it calls itself, and what it answers.

    kitty       Kitty's pictures; knows sequences of characters; lines flow when the window changes
    iterm       iTerm2's pictures
    wezterm     all three kinds, of which it does iTerm2's best
    sixel       xterm with sixels
    xterm       xterm without pictures
    tmux        what tmux answers itself, whatever is around it
    dumb        no escape sequence at all
    silent      shows everything an xterm does, and never answers
    slow        kitty, over a line on which each answer takes most of a second
    liar        answers with what no terminal says: endless numbers, controls, half sequences
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Profile:
    name: str
    term: str
    environment: tuple = ()   # pairs, beside TERM
    pictures: frozenset = frozenset()
    attributes: bytes = b""   # to CSI c
    version: bytes = b""      # to CSI > q
    capabilities: bytes = b"" # to OSC 1337 ; Capabilities
    cell_answer: bool = True  # to CSI 16 t
    background: tuple = (0, 0, 0)
    clusters: bool = True     # sequences of characters are one
    reflow: bool = True       # lines are wrapped anew when the width changes
    synchronized: bool = True
    links: bool = True
    delay: float = 0.0        # seconds before an answer
    answers: bool = True
    lies: bool = False


PROFILES = {p.name: p for p in (
    Profile("kitty", "xterm-kitty", (("COLORTERM", "truecolor"),), frozenset({"kitty"}),
            b"\x1b[?62;52;c", b"\x1bP>|kitty(0.36.4)\x1b\\"),
    Profile("iterm", "xterm-256color", (("COLORTERM", "truecolor"), ("TERM_PROGRAM", "iTerm.app")),
            frozenset({"iterm"}), b"\x1b[?64;1;2;6;17;18;21;22c", b"\x1bP>|iTerm2 3.5.10\x1b\\",
            b"\x1b]1337;Capabilities=T3LcFSy\x07"),
    Profile("wezterm", "xterm-256color", (("COLORTERM", "truecolor"), ("TERM_PROGRAM", "WezTerm")),
            frozenset({"kitty", "iterm", "sixel"}), b"\x1b[?65;4;6;18;22c", b"\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\"),
    Profile("sixel", "xterm-256color", (), frozenset({"sixel"}),
            b"\x1b[?63;1;2;4;6;9;15;16;22;28;29c", b"\x1bP>|XTerm(390)\x1b\\",
            clusters=False, reflow=False, synchronized=False),
    Profile("xterm", "xterm-256color", (), frozenset(), b"\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c",
            b"\x1bP>|XTerm(379)\x1b\\", clusters=False, reflow=False, synchronized=False),
    Profile("tmux", "tmux-256color", (("TMUX", "/nowhere/default,1,0"), ("TERM_PROGRAM", "tmux")),
            frozenset(), b"\x1b[?1;2c", b"\x1bP>|tmux 3.3a\x1b\\", cell_answer=False),
    Profile("dumb", "dumb", answers=False, synchronized=False, links=False),
    Profile("silent", "xterm-256color", answers=False),
    Profile("slow", "xterm-kitty", (("COLORTERM", "truecolor"),), frozenset({"kitty"}),
            b"\x1b[?62;52;c", b"\x1bP>|kitty(0.36.4)\x1b\\", delay=0.7),
    Profile("liar", "xterm-256color", (), frozenset(), b"\x1b[?" + b"4" * 3000 + b";c",
            b"\x1bP>|\x1b]0;owned\x07kitty\x1b\\", b"\x1b]1337;Capabilities=" + b"F" * 9000 + b"\x07",
            lies=True),
)}

MODES_ASKED = {25, 7, 1049, 2004, 2026}


class Answers:
    """What a terminal says to a question; None where it says nothing."""

    def __init__(self, emulator):
        self.emulator = emulator
        self.profile = emulator.profile

    def attributes(self):
        return self.profile.attributes

    def version(self):
        return self.profile.version

    def size(self, what):
        """CSI 14 t: the window in pixels; 16: a cell; 18: the window in cells."""
        e = self.emulator
        width, height = e.cell_size
        if self.profile.lies:
            return b"\x1b[6;99999999999;-1t"
        if what == 14 and self.profile.cell_answer:
            return b"\x1b[4;%d;%dt" % (e.row_count * height, e.column_count * width)
        if what == 16 and self.profile.cell_answer:
            return b"\x1b[6;%d;%dt" % (height, width)
        return b"\x1b[8;%d;%dt" % (e.row_count, e.column_count) if what == 18 else b""

    def colour(self, which, rgb, end):
        if self.profile.lies:
            return b"\x1b]%d;rgb:zz/%s" % (which, b"f" * 500) + end
        return b"\x1b]%d;rgb:%s" % (which, b"/".join(b"%02x%02x" % (c, c) for c in rgb)) + end

    def capabilities(self):
        return self.profile.capabilities

    def kitty(self, number):
        if "kitty" in self.profile.pictures:
            return b"\x1b_Gi=%s;OK\x1b\\" % number
        return b"\x1b_Gi=%s;E" % number + b"x" * 20000 + b"\x1b\\" if self.profile.lies else b""

    def position(self):
        row, column = self.emulator.cursor
        return b"\x1b[%d;%dR" % (row + 1, column + 1)

    def mode(self, number):
        known = number in MODES_ASKED and (number != 2026 or self.profile.synchronized)
        state = (1 if number in self.emulator.modes else 2) if known else 0
        return b"\x1b[?%d;%d$y" % (number, state)
