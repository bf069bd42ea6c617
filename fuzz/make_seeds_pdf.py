#!/usr/bin/env python3
"""Write the seeds of fuzz_pdf: small PDF files with what the worker looks at, and places of
characters on a page.

They go to corpus/pdf/ beside this file, under their own names; other files there are kept. The
first byte of each chooses what is asked (fuzz_pdf.c)."""
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "pdf"
TEXT, PNG, JPEG, PART, PASSWORD, LAYOUT = range(6)
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def stream(data, keys=b""):
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), keys, data)


def numbered(objects):
    out, places = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    return out, places


def pdf(objects, trailer=b""):
    out, places = numbered(objects)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\n"
                  b"startxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table, len(objects) + 1, trailer,
                                                 len(out)))


def one_page(content, resources=b"", page=b"", more=(), catalog=b"", keys=b""):
    return [
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources "
        b"<< /Font << /F 5 0 R >> %s >> %s >>" % (resources, page),
        stream(content, keys),
        FONT,
        *more,
    ]


WORDS = b"BT /F 12 Tf 10 80 Td (Sales re-) Tj 0 -14 Td (port) Tj 90 0 Td [(a) -900 (b)] TJ ET"
DRAWING = (b"q 1 0 0 RG 2 w 10 10 m 90 20 l 50 50 80 90 20 90 c S 0.5 g 20 20 30 30 re f Q "
           b"/P sh /G gs /X Do BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI")
DRAWN = (b"/Shading << /P << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 9 9] /Function << "
         b"/FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >> >> /ExtGState << /G << "
         b"/ca 0.5 /BM /Multiply >> >> /XObject << /X 6 0 R >>")
IMAGE = stream(bytes(range(12)), b"/Type /XObject /Subtype /Image /Width 2 /Height 2 "
               b"/BitsPerComponent 8 /ColorSpace /DeviceRGB")
UNICODE = stream(b"1 beginbfchar <01> <05D0> endbfchar 1 beginbfrange <02> <05> <0041> endbfrange")
GLYPH = stream(b"500 0 0 0 500 500 d1 0 0 500 500 re f")


def object_stream():
    """The page tree in a packed stream, found through a packed table."""
    inner = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
             b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>"]
    head, body = b"", b""
    for number, text in enumerate(inner, 1):
        head += b"%d %d " % (number, len(body))
        body += text + b" "
    out = b"%PDF-1.5\n"
    place = len(out)
    out += b"4 0 obj\n%s\nendobj\n" % stream(zlib.compress(head + body), b"/Type /ObjStm /N 3 /First "
                                             b"%d /Filter /FlateDecode" % len(head))
    table = b"".join(struct.pack(">BHB", *row) for row in
                     [(0, 0, 255), (2, 4, 0), (2, 4, 1), (2, 4, 2), (1, place, 0), (1, len(out), 0)])
    return out + b"5 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (
        stream(table, b"/Type /XRef /W [1 2 1] /Size 6 /Root 1 0 R"), len(out))


def form():
    field = (b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ann) /Rect [10 10 90 30] /DA "
             b"(/F 9 Tf) /F 4 /P 3 0 R >>")
    remark = (b"<< /Type /Annot /Subtype /FreeText /Contents (remark) /Rect [10 40 90 60] /DA (/F 9 Tf)"
              b" /F 4 >>")
    link = b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://x/) >> >>"
    return pdf(one_page(WORDS, page=b"/Annots [6 0 R 7 0 R 8 0 R]", more=[field, remark, link],
                        catalog=b"/AcroForm << /Fields [6 0 R] /DR << /Font << /F 5 0 R >> >> >>"))


def fonts():
    wide = (b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< "
            b"/Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) "
            b"/Ordering (Identity) /Supplement 0 >> >>] /ToUnicode 8 0 R >>")
    drawn = (b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [.001 0 0 .001 0 0] "
             b"/CharProcs << /a 9 0 R >> /Encoding << /Differences [1 /a] >> /FirstChar 1 /LastChar 1 "
             b"/Widths [500] /ToUnicode 8 0 R >>")
    objects = one_page(b"BT /W 12 Tf 10 80 Td <00010002> Tj /D 9 Tf 0 -20 Td <01> Tj 3 Tr (x) Tj ET",
                       more=[wide, drawn, UNICODE, GLYPH])
    objects[2] = objects[2].replace(b"/F 5 0 R", b"/W 6 0 R /D 7 0 R")
    return pdf(objects)


def glyph(letter, left, top, width=6, height=10):
    return struct.pack("<HHHbb", ord(letter), left, top, width, height)


def line(text, left, top):
    return b"".join(glyph(letter, left + 6 * i, top) for i, letter in enumerate(text))


def seeds():
    plain, drawing = pdf(one_page(WORDS)), pdf(one_page(DRAWING, DRAWN, more=[IMAGE]))
    packed = pdf(one_page(zlib.compress(WORDS), keys=b"/Filter /FlateDecode"))
    odd = pdf(one_page(WORDS, page=b"/Rotate 90 /CropBox [10 10 90 50] /UserUnit 2"),
              b"/Info << /Title <FEFF00E9> /Author (me) >>")
    loop = pdf([b"<< /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 9 >>",
                b"<< /Type /Page /Parent 3 0 R >>"])
    locked = pdf(one_page(WORDS), b"/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O "
                 b"<%s> /U <%s> >>" % (b"00" * 32, b"11" * 32))
    return {
        "plain": (TEXT, plain), "plain_png": (PNG, plain), "plain_jpeg": (JPEG, plain),
        "plain_part": (PART, plain), "packed": (TEXT, packed), "odd": (TEXT, odd),
        "odd_png": (PNG, odd), "drawing": (TEXT, drawing), "drawing_png": (PNG, drawing),
        "drawing_jpeg": (JPEG, drawing), "objects": (TEXT, object_stream()),
        "objects_part": (PART, object_stream()), "form": (TEXT, form()), "form_png": (PNG, form()),
        "form_part": (PART, form()), "fonts": (TEXT, fonts()), "fonts_png": (PNG, fonts()),
        "loop": (TEXT, loop), "loop_part": (PART, loop), "locked": (PASSWORD, locked),
        "no_table": (PART, plain[:plain.index(b"xref")]), "cut": (TEXT, plain[:300]),
        "layout": (LAYOUT, line("Two lin-", 10, 10) + line("es and", 10, 22) + line("more", 10, 60)),
        "layout_cells": (LAYOUT, line("k", 10, 10) + line("v", 90, 10) + line("a", 10, 22)
                         + line("b", 90, 22)),
        "layout_left": (LAYOUT, line("\u202b\u05d0\u05d1 \u05d2\u202c", 10, 10) + line("x", 60, 10)),
        "layout_turned": (LAYOUT, line("\u05d0\u05d1\u05d2", 60, 10) + line(" ", 54, 10)
                          + line("\u05d3\u05d4", 40, 10) + line("12", 20, 10)),
    }


FOLDER.mkdir(parents=True, exist_ok=True)
for seed, (which, body) in seeds().items():
    (FOLDER / seed).write_bytes(bytes([which]) + body)
