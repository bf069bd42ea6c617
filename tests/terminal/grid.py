"""The cells of one screen of the emulator, the rows that went up from it, and the cursor."""
import collections
import functools

import characters

MAX_SCROLLBACK = 300_000
MAX_TOUCHED = 4096

Style = collections.namedtuple("Style", "bold dim italic underline inverse strike foreground background",
                               defaults=(False,) * 6 + (None, None))
Cell = collections.namedtuple("Cell", "text style link")
BLANK = Cell(" ", Style(), None)


@functools.lru_cache(maxsize=20_000)
def plain_cell(c, style, link):
    return Cell(c, style, link)


class Row:
    """Cells from the left; after a wide one there is None. `wrapped`: the next row belongs to it."""

    __slots__ = ("cells", "wrapped")

    def __init__(self, columns, style=Style()):
        self.cells = [BLANK if style == Style() else Cell(" ", Style(background=style.background), None)] * columns
        self.wrapped = False

    def copy(self):
        other = Row(0)
        other.cells, other.wrapped = list(self.cells), self.wrapped
        return other

    def text(self, strip=True):
        whole = "".join(c.text for c in self.cells if c)
        return whole.rstrip(" ") if strip else whole

    def find(self, text):
        """Where `text` begins, in cells, and the styles of its cells; -1 where it is not."""
        at = self.text().find(text)
        if at < 0:
            return -1, []
        count, first, found = 0, None, []
        for i, cell in enumerate(self.cells):
            if cell and at <= count < at + len(text):
                first = i if first is None else first
                found.append(cell.style)
            count += len(cell.text) if cell else 0
        return first, found

    def length(self):
        n = len(self.cells)
        while n and self.cells[n - 1] == BLANK:
            n -= 1
        return n


class Grid:
    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = [Row(columns) for _ in range(rows)]
        self.gone = collections.deque(maxlen=MAX_SCROLLBACK)
        self.top_row = 0  # rows that ever went up: the number of the first one on the screen
        self.row = self.column = 0  # the column may be one after the last: the next character wraps
        self.overwritten = 0
        self.touch = collections.deque(maxlen=MAX_TOUCHED)
        self.last = None  # where the last character went

    def note(self, row, first, last):
        self.overwritten += 1
        self.touch.append((self.overwritten, self.top_row + row, first, last))

    def touched(self, since):
        return [(row, first, last) for number, row, first, last in self.touch if number > since]

    def line_feed(self):
        self.last = None
        if self.row + 1 < len(self.rows):
            self.row += 1
            return
        self.gone.append(self.rows.pop(0))
        self.top_row += 1
        self.rows.append(Row(self.columns))

    def scroll_down_to(self, more):
        for _ in range(more):
            self.line_feed()

    def last_cell(self):
        return self.rows[self.last[0]].cells[self.last[1]] if self.last else None

    def put(self, cell, width, wraps):
        if self.column + width > self.columns:
            if wraps:
                self.rows[self.row].wrapped = True
                self.line_feed()
                self.column = 0
            else:
                self.column = self.columns - width
        row, at = self.rows[self.row], self.column
        self.split(row, at)
        self.split(row, at + width)
        row.cells[at] = cell
        if width == 2:
            row.cells[at + 1] = None
        if at + width == self.columns:
            row.wrapped = False
        self.note(self.row, at, at + width)
        self.column += width
        self.last = (self.row, at)

    def put_plain(self, text, style, link):
        """Characters of one cell each, a row's worth at a time."""
        at = 0
        while at < len(text):
            if self.column >= self.columns:
                self.rows[self.row].wrapped = True
                self.line_feed()
                self.column = 0
            piece = text[at:at + self.columns - self.column]
            row, first, last = self.rows[self.row], self.column, self.column + len(piece)
            self.split(row, first)
            self.split(row, last)
            row.cells[first:last] = [plain_cell(c, style, link) for c in piece]
            if last == self.columns:
                row.wrapped = False
            self.note(self.row, first, last)
            self.column = last
            self.last = (self.row, last - 1)
            at += len(piece)

    @staticmethod
    def split(row, at):
        """Half of a wide character goes: the other half is gone, too."""
        if 0 < at < len(row.cells) and row.cells[at] is None:
            row.cells[at - 1] = row.cells[at] = BLANK

    def join(self, c, clusters):
        """A character that belongs to the one before it. It may make that one wide."""
        if not self.last:
            return
        (row, at), cells = self.last, self.rows[self.last[0]].cells
        before = cells[at]
        if before is None:
            return
        cells[at] = before._replace(text=before.text + c)
        had = 2 if at + 1 < self.columns and cells[at + 1] is None else 1
        if clusters and characters.joined_width(cells[at].text, had) > had and self.column < self.columns:
            self.split(self.rows[row], self.column + 1)
            cells[at + 1] = None
            self.column += 1

    def erase(self, row, first, last, style):
        if first >= last:
            return
        self.split(self.rows[row], first)
        self.split(self.rows[row], last)
        self.rows[row].cells[first:last] = Row(last - first, style).cells
        self.rows[row].wrapped = False
        self.note(row, first, last)

    def erase_line(self, what, style):
        at = min(self.column, self.columns - 1)
        self.last = None
        self.erase(self.row, at if what == 0 else 0, at + 1 if what == 1 else self.columns, style)

    def erase_screen(self, what, style):
        if what == 3:
            self.gone.clear()
            return
        if what in (0, 1):
            self.erase_line(what, style)
        for i in range(self.row + 1 if what == 0 else 0, self.row if what == 1 else len(self.rows)):
            self.erase(i, 0, self.columns, style)

    def resize(self, columns, rows, reflow):
        self.last = None
        if reflow and columns != self.columns:
            self.flow(columns, rows)
        else:
            self.cut(columns)
        self.columns = columns
        self.column = min(self.column, columns)
        while len(self.rows) > rows:
            if self.row < len(self.rows) - 1 and not self.rows[-1].length():
                self.rows.pop()
            else:
                self.gone.append(self.rows.pop(0))
                self.top_row += 1
                self.row = max(0, self.row - 1)
        while len(self.rows) < rows:
            if reflow and self.gone:
                self.rows.insert(0, self.gone.pop())
                self.cut_row(self.rows[0], columns)
                self.top_row -= 1
                self.row += 1
            else:
                self.rows.append(Row(columns))

    def cut(self, columns):
        for row in self.rows:
            self.cut_row(row, columns)

    def cut_row(self, row, columns):
        self.split(row, columns)
        row.cells = (row.cells + [BLANK] * columns)[:columns]

    def flow(self, columns, rows):
        """Lines are wrapped anew, those that went up as well; the cursor stays in its place of the text."""
        before, out, line, mark = [*self.gone, *self.rows], [], [], None
        at = len(self.gone) + self.row
        while len(before) > at + 1 and not before[-1].length():
            before.pop()
        for i, row in enumerate(before):
            if i == at:
                mark = len(line) + self.column
            line += row.cells if row.wrapped else row.cells[:row.length()]
            if row.wrapped and i + 1 < len(before):
                continue
            new, place = wrapped(line, columns, mark)
            if mark is not None and place is not None:
                cursor, mark = (len(out) + place[0], place[1]), None
            out += new
            line = []
        top = max(0, cursor[0] - rows + 1, len(out) - rows)
        top = min(top, cursor[0])
        gone_before = self.top_row - len(self.gone)
        self.gone = collections.deque(out[:top], MAX_SCROLLBACK)
        self.rows = out[top:]
        self.top_row = gone_before + top
        self.row, self.column = cursor[0] - top, cursor[1]


def wrapped(line, columns, mark):
    """One line as rows of `columns` cells, and where the cell `mark` came to be (row, column)."""
    rows, row, place = [], [], None
    for i, cell in enumerate(line):
        wide = i + 1 < len(line) and line[i + 1] is None
        if cell is not None and len(row) + 1 + wide > columns:
            rows.append(row)
            row = []
        if i == mark:
            place = (len(rows), len(row))
        row.append(cell)
    if mark is not None and place is None:
        over = len(row) + mark - len(line)
        place = (len(rows), min(over, columns - 1))
    rows.append(row)
    out = []
    for i, cells in enumerate(rows):
        new = Row(0)
        new.cells, new.wrapped = (cells + [BLANK] * columns)[:columns], i + 1 < len(rows)
        out.append(new)
    return out, place
