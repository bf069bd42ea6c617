#!/usr/bin/env python3
"""Make the files of the examples: the picture photo.jpg, the chart chart.png, the page report.pdf and the
letter minutes.docx.

    examples/make.py

They come out the same every time. Nothing but the standard library is used.
"""
import io
import pathlib
import struct
import zipfile
import zlib

import photo

HERE = pathlib.Path(__file__).resolve().parent

QUARTERS = [("Q1", 42), ("Q2", 58), ("Q3", 51), ("Q4", 76)]

# Chart: 320 x 200 pixels with a palette.

WIDTH, HEIGHT = 320, 200
PAPER, GRID, AXIS, INK, BAR, BEST = range(6)
PALETTE = [(255, 255, 255), (226, 230, 236), (120, 128, 140), (48, 54, 64), (84, 139, 204),
           (233, 140, 62)]

# Letters of 5 x 7 points, a row a number.
FONT = {
    "0": "0e 11 13 15 19 11 0e", "1": "04 0c 04 04 04 04 0e", "2": "0e 11 01 02 04 08 1f",
    "3": "1f 02 04 02 01 11 0e", "4": "02 06 0a 12 1f 02 02", "5": "1f 10 1e 01 01 11 0e",
    "6": "06 08 10 1e 11 11 0e", "7": "1f 01 02 04 08 08 08", "8": "0e 11 11 0e 11 11 0e",
    "9": "0e 11 11 0f 01 02 0c", "Q": "0e 11 11 11 15 12 0d", " ": "00 00 00 00 00 00 00",
    "S": "0f 10 10 0e 01 01 1e", "a": "00 00 0e 01 0f 11 0f", "l": "0c 04 04 04 04 04 0e",
    "e": "00 00 0e 11 1f 10 0e", "s": "00 00 0e 10 0e 01 1e", "i": "04 00 0c 04 04 04 0e",
    "n": "00 00 16 19 11 11 11", "t": "08 08 1c 08 08 09 06", "h": "10 10 16 19 11 11 11",
    "o": "00 00 0e 11 11 11 0e", "u": "00 00 11 11 11 13 0d", "d": "01 01 0d 13 11 11 0f",
    ",": "00 00 00 00 0c 04 08",
}


def box(pixels, left, top, right, bottom, colour):
    for y in range(top, bottom):
        pixels[y][left:right] = bytes([colour]) * (right - left)


def write(pixels, left, top, text, colour, scale=1):
    for letter in text:
        for y, row in enumerate(FONT[letter].split()):
            for x in range(5):
                if int(row, 16) >> (4 - x) & 1:
                    at = left + x * scale, top + y * scale
                    box(pixels, *at, at[0] + scale, at[1] + scale, colour)
        left += 6 * scale


def draw():
    pixels = [bytearray([PAPER]) * WIDTH for _ in range(HEIGHT)]
    write(pixels, 44, 12, "Sales in thousands, 2025", INK)
    floor, scale = 172, 1.6
    for value in range(0, 81, 20):
        y = floor - round(value * scale)
        box(pixels, 44, y, 304, y + 1, AXIS if value == 0 else GRID)
        write(pixels, 36 - 6 * len(str(value)), y - 3, str(value), AXIS)
    best = max(value for _, value in QUARTERS)
    for i, (name, value) in enumerate(QUARTERS):
        left, top = 62 + i * 62, floor - round(value * scale)
        box(pixels, left, top, left + 40, floor, BEST if value == best else BAR)
        write(pixels, left + 14, top - 11, str(value), INK)
        write(pixels, left + 9, floor + 8, name, INK, 2)
    return pixels


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels):
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"PLTE", bytes(sum(PALETTE, ()))) + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


# Report: one page of A4 with two of the fonts that every reader has.

HEADING = "Sales report 2025"
LINES = [
    "Sales grew in three of four quarters and ended the year at 76 thousand.",
    "The third quarter fell by seven thousand: one large order moved to the fourth.",
    "",
    "Total of the year: 227 thousand, 18 per cent more than in 2024.",
    "The chart that belongs to this page is chart.png.",
]


def page():
    text = ["BT", "/F2 22 Tf", "72 750 Td", f"({HEADING}) Tj", "/F1 12 Tf", "0 -36 Td", "18 TL"]
    text += [f"({line}) Tj T*" for line in LINES]
    return "\n".join(text + ["ET"]).encode("ascii")


def pdf():
    content = page()
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R\n"
        b"   /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        font % b"Helvetica",
        font % b"Helvetica-Bold",
        b"<< /Title (%s) /Producer (examples/make.py) >>" % HEADING.encode("ascii"),
    ]
    out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + (b"xref\n0 %d\n0000000000 65535 f \n%strailer\n"
                  b"<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
                  % (len(objects) + 1, table, len(objects) + 1, len(objects), len(out)))


# Minutes: a heading, a paragraph, a list and a table.

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def paragraph(text, style=None, list_level=None):
    marks = f'<w:pStyle w:val="{style}"/>' if style else ""
    if list_level is not None:
        marks += f'<w:numPr><w:ilvl w:val="{list_level}"/><w:numId w:val="1"/></w:numPr>'
    return f"<w:p><w:pPr>{marks}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(rows):
    cells = ("".join(f"<w:tc>{paragraph(str(cell))}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx():
    body = (paragraph("Minutes of the sales meeting", "Heading1")
            + paragraph("The fourth quarter was the best of the year.")
            + paragraph("Check the figure of Q3.", list_level=0)
            + paragraph("Send the report on Monday.", list_level=0)
            + table([("Quarter", "Sales, thousands"), *QUARTERS]))
    parts = {
        "[Content_Types].xml":
            f'<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels":
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 3, 4, 6)),
                             '<?xml version="1.0" encoding="UTF-8"?>\n' + text)
    return out.getvalue()


def main():
    (HERE / "photo.jpg").write_bytes(photo.jpeg())
    (HERE / "minutes.docx").write_bytes(docx())
    (HERE / "chart.png").write_bytes(png(draw()))
    (HERE / "report.pdf").write_bytes(pdf())


if __name__ == "__main__":
    main()
