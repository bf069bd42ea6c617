"""How wide characters are on a terminal, as terminals see it: not as the program under test does, whose tables are
its own. Python's tables of Unicode say what is wide and what combines.

Two kinds of terminals are played: those that take a sequence of characters which people see as one (a family, a flag, a
heart made red) as one of two cells, and those that know single characters only.
"""
import unicodedata

JOINER, EMOJI_STYLE = "\u200d", "\ufe0f"
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_skin(c):
    return "\U0001f3fb" <= c <= "\U0001f3ff"


def is_flag_half(c):
    return "\U0001f1e6" <= c <= "\U0001f1ff"


def is_jamo_end(c):
    return "\u1160" <= c <= "\u11ff" or "\ud7b0" <= c <= "\ud7ff"


def width(c):
    """Cells of one character: 0, 1 or 2."""
    if c < "\u0300":
        return 1
    if unicodedata.category(c) in ("Mn", "Me", "Cf") or is_jamo_end(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def joins(before, c):
    """Does `c` belong to the cell that holds `before`, on a terminal that knows sequences?"""
    if before.endswith(JOINER) and unicodedata.category(c) == "So":
        return True
    if is_skin(c):
        return unicodedata.category(before[0]) == "So"
    return is_flag_half(c) and len(before) == 1 and is_flag_half(before)


def joined_width(text, had):
    """Cells of what is now in a cell that had `had` before the last character joined it."""
    if text[-1] == EMOJI_STYLE and unicodedata.category(text[0]) in ("So", "Sm", "Po", "Nd", "Sk"):
        return 2
    if len(text) == 2 and is_flag_half(text[0]):
        return 2
    return had
