#!/usr/bin/env python3
"""More files that are small and claim, or become, something large; see bombs.py for the others.

    more_bombs.py PATH-OF-REFRACT [WORD]...

A row a file: its name, the worker that reads it, the file, how it is made, and what must be said. Each is read
alone, within the limits on memory that running.py has; then a model reads it in one turn with a plain file of the
same worker, which must be read as ever. Prints what hostile.py prints.
"""
import gzip
import io
import json
import os
import struct
import sys
import zipfile

import bombs
from bombs import FONT, HELLO, MB, PRELUDE, chunk, flate, one_page, paragraph, part_of, stream
from hostile import REFUSED, TEXT_MODEL, run_all
from running import expect, judged

TURN_MB = 64  # of the caller over its baseline, in a turn: what was read is kept twice
WORDS = "words of the next file"
NEXT = {  # a plain file for each worker, whose words or size show that it was read
    "image": ("next.png", lambda: bombs.png(21, 8, bytes(22 * 8)), "21x8"),
    "pdf": ("next.pdf", lambda: one_page(stream(HELLO), FONT), "readable words"),
    "office": ("next.docx", lambda: bombs.docx(paragraph(WORDS)), WORDS),
    "legacy": ("next.docx", lambda: bombs.docx(paragraph(WORDS)), WORDS),
    "archive": ("next.txt.gz", lambda: gzip.compress(WORDS.encode()), WORDS),
    "av": ("next.wav", lambda: wav(8000), "1.0 s"),
    "": ("next.txt", lambda: WORDS.encode(), WORDS),
}


def wav(samples):
    form = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
    return bombs.riff(b"WAVE", (b"fmt ", form), (b"data", bytes(2 * samples)))


# Archives.


def zip_of_itself():
    """One member, stored, which is the archive from its first byte to its last."""
    name = b"itself.zip"
    size = 30 + len(name) + 46 + len(name) + 22
    sums = struct.pack("<III", 0, size, size)
    local = struct.pack("<4s5H", b"PK\3\4", 20, 0, 0, 0, 33) + sums + struct.pack("<HH", len(name), 0) + name
    entry = (struct.pack("<4s6H", b"PK\1\2", 20, 20, 0, 0, 0, 33) + sums
             + struct.pack("<5HII", len(name), 0, 0, 0, 0, 0, 0) + name)
    return local + entry + struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)


def deep_names():
    """Names that are folders in folders, each one deeper than the last."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for i in range(1, 1000, 3):
            z.writestr("a/" * i + "b", b"")
    return out.getvalue()


def sparse_tar():
    """GNU's sparse file: a megabyte of map, and a real size of 2**62."""
    head = bytearray(bombs.tarfile.TarInfo("sparse").tobuf(bombs.tarfile.GNU_FORMAT)[:512])
    head[156:157] = b"S"
    head[386:386 + 24] = b"%011o\0%011o\0" % (2 ** 32, 512)
    head[482] = 1  # and the map goes on
    head[483:495] = b"\x80\0\0\0" + (2 ** 62).to_bytes(8, "big")
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    more = (b"%011o\0%011o\0" % (2 ** 32, 512) * 21 + b"\1").ljust(512, b"\0")
    return bytes(head) + more * 2000


# Office documents.


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(rows, strings="", more=""):
    sheet = f"{PRELUDE}<worksheet {MAIN}><sheetData>{rows}</sheetData>{more}</worksheet>"
    book = part_of(bombs.xlsx("x"), "xl/worksheets/sheet1.xml", sheet)
    rels = (PRELUDE + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            + "".join(f'<Relationship Id="{i}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
                      f'relationships/{kind}" Target="{target}"/>'
                      for i, kind, target in (("r1", "worksheet", "worksheets/sheet1.xml"),
                                              ("r2", "sharedStrings", "sharedStrings.xml"))) + "</Relationships>")
    return part_of(part_of(book, "xl/_rels/workbook.xml.rels", rels), "xl/sharedStrings.xml",
                   f"{PRELUDE}{strings}" if strings.startswith("<!") else f"{PRELUDE}<sst {MAIN}>{strings}</sst>")


def repeated_string():
    """A string of 32,767 letters in 20,000 cells: 655 MB."""
    rows = "".join(f'<row r="{r}">' + "".join(f'<c r="{c}{r}" t="s"><v>0</v></c>' for c in "ABCDEFGHIJ") + "</row>"
                   for r in range(1, 2001))
    return workbook(rows, f"<si><t>{'again ' * 5461}</t></si>")


def far_corner():
    return workbook('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>42</v></c></row>'
                    '<row r="4294967295"><c r="ZZZZZZZ4294967295"><v>43</v></c></row>',
                    more='<mergeCells>' + '<mergeCell ref="A1:XFD1048576"/>' * 20000 + '</mergeCells>')


def laughing_strings():
    laughs = bombs.laughs("sst")
    return workbook('<row r="1"><c r="A1" t="s"><v>0</v></c></row>',
                    laughs + f"<sst {MAIN}><si><t>&l9;</t></si></sst>")


def laughing_list():
    return part_of(bombs.epub("x"), "c.opf", PRELUDE + bombs.laughs("package")
                   + '<package xmlns="http://www.idpf.org/2007/opf"><metadata>&l9;</metadata></package>')


def laughing_relations():
    return part_of(bombs.docx(paragraph("x")), "_rels/.rels", PRELUDE + bombs.laughs("Relationships")
                   + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">&l9;'
                   '</Relationships>')


def quadratic(root):
    """One entity of 500 letters; 200,000 of them are 100 MB, without an entity in an entity."""
    return f'<!DOCTYPE {root} [<!ENTITY a "{"a" * 500}">]>'


def circular_styles():
    styles = (f"{PRELUDE}<w:styles {bombs.W}>" + "".join(
        f'<w:style w:type="paragraph" w:styleId="s{i}"><w:basedOn w:val="s{(i + 1) % 5000}"/>'
        f'<w:link w:val="s{(i + 7) % 5000}"/></w:style>' for i in range(5000)) + "</w:styles>")
    body = '<w:p><w:pPr><w:pStyle w:val="s0"/></w:pPr><w:r><w:t>styled words</w:t></w:r></w:p>'
    rels = (PRELUDE + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"'
            ' Target="styles.xml"/></Relationships>')
    return part_of(part_of(bombs.docx(body), "word/styles.xml", styles), "word/_rels/document.xml.rels", rels)


def wide_cells():
    """Each of 1,000 rows says that its one cell is 2**31 - 1 columns wide."""
    row = ('<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr>' + paragraph("wide") + "</w:tc></w:tr>")
    return bombs.docx(f"<w:tbl>{row * 1000}</w:tbl>")


def chapters(count):
    """A spine that names one chapter of 200 KB so many times."""
    opf = (PRELUDE + '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
           'media-type="application/xhtml+xml"/></manifest><spine>' + '<itemref idref="a"/>' * count
           + "</spine></package>")
    return part_of(bombs.epub("chapter " * 25000), "c.opf", opf)


def spaces():
    """Spaces and tabs that are said to come two thousand million times, in each of 100 paragraphs."""
    return bombs.odt('<text:p>before<text:s text:c="2000000000"/>after</text:p>' * 100)


def wide_html():
    cell = '<td colspan="1000000000" rowspan="1000000000">x</td>'
    return (f"<!DOCTYPE html><html><body><table>{f'<tr>{cell * 100}</tr>' * 100}</table><p>after</p></body></html>"
            ).encode()


def unclosed_html():
    return ("<!DOCTYPE html><html><body><p>top" + "<b><i><a href=x><font>" * 50000 + "bottom").encode()


# Mail.


def mail_of_parts(count):
    part = "--b\r\nContent-Type: text/plain\r\n\r\npart\r\n"
    return ('From: a@example.org\r\nSubject: many\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"'
            "\r\n\r\n" + part * count + "--b--\r\n").encode()


def mail_in_mail(depth):
    return ("From: a@example.org\r\nSubject: mail\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n" * depth
            + "From: b@example.org\r\nSubject: last\r\n\r\nbottom\r\n").encode()


def mail_of_words(count):
    """A subject of encoded words that go on from line to line."""
    return ("From: a@example.org\r\nSubject: " + "=?utf-8?B?d29yZHM=?=\r\n " * count
            + "\r\nMIME-Version: 1.0\r\n\r\nbody words\r\n").encode()


# PDFs.


def forms(depth):
    """Each form draws the one before ten times."""
    more = [stream(b"0 0 1 1 re f", b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]")]
    more += [stream(b"/X Do " * 10, b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</X %d 0 R>>>>"
                    % (4 + i)) for i in range(1, depth)]
    return one_page(stream(b"/X Do"), b"/Resources<</XObject<</X %d 0 R>>>>" % (4 + depth), more)


def filters(count):
    """A stream in so many coats."""
    return one_page(stream(HELLO, b"/Filter[%s]" % (b"/ASCIIHexDecode" * count)), FONT)


def predictor():
    parms = b"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 2147483647/Colors 32/BitsPerComponent 16>>"
    return one_page(stream(flate(HELLO), parms), FONT)


def revisions(count):
    """Each table says that the one before it has the rest."""
    data = bytearray(one_page(stream(HELLO), FONT))
    before = data.rindex(b"xref\n0")
    for _ in range(count):
        at = len(data)
        data += b"xref\n0 0\ntrailer<</Size 5/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (before, at)
        before = at
    return bytes(data)


def annotations(count):
    note = b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(note)/Popup 3 0 R/Parent 3 0 R>>"
    return one_page(stream(HELLO), FONT + b"/Annots[%s]" % (note * count))


def wide_xref():
    """A table as a stream that says it has 2**31 - 1 rows of 255 bytes."""
    body = b"%PDF-1.7\n"
    return body + b"1 0 obj\n" + stream(flate(bytes(9000)), b"/Type/XRef/W[255 255 255]/Index[0 2147483647]"
                                       b"/Root 2 0 R/Size 2147483647/Filter/FlateDecode") + (
        b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % len(body))


def tiling():
    """A pattern that is painted every millionth of a point."""
    pattern = stream(b"0 0 1 1 re f", b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]"
                     b"/XStep 0.000001/YStep 0.000001/Resources<<>>")
    return one_page(stream(b"/Pattern cs /P scn 0 0 600 700 re f " + HELLO),
                    FONT.replace(b"/Font", b"/Pattern<</P 5 0 R>>/Font"), [pattern])


# Pictures.


def heif(brand, width, height, codec, config):
    """A head of ISO's boxes that says how large the picture is, and a few bytes of it."""
    box = bombs.box
    full = bytes(4)
    props = box(b"iprp", box(b"ipco", box(b"ispe", full + struct.pack(">II", width, height)) + config)
                + box(b"ipma", full + struct.pack(">IHBBB", 1, 1, 2, 1, 0x82)))
    place = box(b"iloc", full + b"\x44\0" + struct.pack(">HHHHII", 1, 1, 0, 1, 0, 64))
    entry = box(b"infe", b"\2\0\0\0" + struct.pack(">HH", 1, 0) + codec + b"\0")
    info = box(b"iinf", full + struct.pack(">H", 1) + entry)
    meta = box(b"meta", full + box(b"hdlr", full + bytes(4) + b"pict" + bytes(13)) + box(b"pitm", full + b"\0\1")
               + place + info + props)
    return box(b"ftyp", brand + bytes(4) + b"mif1" + brand) + meta + box(b"mdat", bytes(64))


def avif():
    return heif(b"avif", 2 ** 31 - 1, 2 ** 31 - 1, b"av01", bombs.box(b"av1C", b"\x81\0\x0c\0"))


def heic():
    return heif(b"heic", 2 ** 32 - 1, 2 ** 32 - 1, b"hvc1", bombs.box(b"hvcC", b"\1" + bytes(22)))


def jp2():
    """A head, and a codestream that says 2**32 - 1 pixels each way in tiles of one."""
    big = 2 ** 32 - 1
    size = struct.pack(">HIIIIIIIIH", 0, big, big, 0, 0, 1, 1, 0, 0, 1) + b"\x07\1\1"
    code = b"\xff\x4f\xff\x51" + struct.pack(">H", len(size) + 2) + size + bytes(64)
    head = bombs.box(b"jp2h", bombs.box(b"ihdr", struct.pack(">IIHBBBB", big, big, 1, 7, 7, 0, 0))
                     + bombs.box(b"colr", b"\1\0\0" + struct.pack(">I", 17)))
    return (b"\0\0\0\x0cjP  \r\n\x87\n" + bombs.box(b"ftyp", b"jp2 \0\0\0\0jp2 ") + head
            + bombs.box(b"jp2c", code))


def jxl():
    """A bare codestream whose size header has the most bits: 2**30 each way."""
    bits, value = 0, 0
    for count, number in ((1, 0), (2, 3), (30, 2 ** 30 - 1), (3, 0), (2, 3), (30, 2 ** 30 - 1), (1, 1)):
        value |= number << bits
        bits += count
    return b"\xff\x0a" + value.to_bytes(16, "little") + bytes(64)


def webp_frames(count):
    frame = (bytes(12) + b"\1\0\0\0" + b"VP8L" + struct.pack("<I", 10) + b"\x2f\0\0\0\0\x07\x10\xfd\x8f\xfe")
    anim = b"ANMF" + struct.pack("<I", len(frame)) + frame
    side = (15999).to_bytes(3, "little")
    head = b"VP8X" + struct.pack("<I", 10) + b"\2\0\0\0" + side + side + b"ANIM" + struct.pack("<I", 6) + bytes(6)
    body = head + anim * count
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def apng(count):
    """A head that says 2**31 - 1 frames, and so many of one pixel on a canvas of 8 x 8."""
    rows = flate(bytes(2))
    frames = b"".join(chunk(b"fcTL", struct.pack(">IIIIIHHBB", 2 * i + 1, 1, 1, 0, 0, 1, 100, 0, 0))
                      + chunk(b"fdAT", struct.pack(">I", 2 * i + 2) + rows) for i in range(count))
    return bombs.png(8, 8, bytes(72), more=chunk(b"acTL", struct.pack(">II", 2 ** 31 - 1, 0)) + frames)


def tiff_strips():
    """A strip a row, 2**32 - 1 of them in a table that is not there; and 65,535 samples a pixel."""
    return bombs.tiff((256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 65535, 8), (259, 3, 1, 1), (262, 3, 1, 1),
                      (273, 4, 0xffffffff, 8), (277, 3, 1, 65535), (278, 4, 1, 1), (279, 4, 0xffffffff, 8),
                      data=bytes(64))


def tiff_chain(count):
    """So many pictures of one pixel, each saying where the next is."""
    entry = [(256, 4, 1, 1), (257, 4, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
             (278, 4, 1, 1), (279, 4, 1, 1)]
    table = struct.pack("<H", len(entry)) + b"".join(struct.pack("<HHII", *e) for e in entry)
    step = len(table) + 4
    return b"II*\0" + struct.pack("<I", 16) + bytes(8) + b"".join(
        table + struct.pack("<I", 16 + (i + 1) * step if i + 1 < count else 0) for i in range(count))


def exif_loop():
    """A photo of one block whose directories of notes name each other for ever, with 65,535 entries in each."""
    entries = struct.pack("<HHII", 0x8769, 4, 1, 8) * 500
    notes = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 65535) + entries
    codes = b"".join(b"\xff\xc4\0\x14" + kind + b"\1" + bytes(16) for kind in (b"\0", b"\x10"))
    tail = (b"\xff\xdb\0\x43\0" + bytes([1] * 64) + b"\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0" + codes
            + b"\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9")
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(notes) + 2) + notes + tail


def dashes():
    """A line of a million pixels in dashes of a thousand-millionth."""
    return bombs.svg('<path d="M0 0H1000000" stroke="black" stroke-width="9" '
                     'stroke-dasharray="0.000000001 0.000000001"/>')


def patterns(depth):
    """Each pattern is filled with the one before, in tiles of a tenth."""
    made = ['<pattern id="p0" width=".1" height=".1"><rect width="9" height="9"/></pattern>']
    made += [f'<pattern id="p{i}" width=".1" height=".1"><rect width="64" height="64" fill="url(#p{i - 1})"/></pattern>'
             for i in range(1, depth)]
    return bombs.svg(f"<defs>{''.join(made)}</defs><rect width=\"64\" height=\"64\" fill=\"url(#p{depth - 1})\"/>")


# Sound and video.


def flac():
    """A head that says 2**36 - 1 samples of eight channels, and no frame."""
    info = struct.pack(">HH", 65535, 65535) + b"\xff\xff\xff" * 2
    info += (655350 << 44 | 7 << 41 | 31 << 36 | (2 ** 36 - 1)).to_bytes(8, "big") + bytes(16)
    return b"fLaC\x80" + len(info).to_bytes(3, "big") + info + bytes(400)


def ogg_page(kind, granule, number, data):
    lacing = b"\xff" * (len(data) // 255) + bytes([len(data) % 255])
    head = struct.pack("<4sBBqIII", b"OggS", 0, kind, granule, 7, number, 0) + bytes([len(lacing)]) + lacing
    return head + data


def ogg():
    """Opus whose last page says that it is the 2**63 - 1st sample."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 2, 0, 48000, 0, 0)
    tags = b"OpusTags" + struct.pack("<I", 4) + b"mine" + struct.pack("<I", 0xffffffff)
    pages = (ogg_page(2, 0, 0, head), ogg_page(0, 0, 1, tags), ogg_page(4, 2 ** 63 - 1, 2, b"\xfc\xff\xfe"))
    return b"".join(with_sum(page) for page in pages)


def with_sum(page):
    """Ogg's checksum, in its place."""
    remainder = 0
    for byte in page:
        remainder ^= byte << 24
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x04c11db7 if remainder & 1 << 31 else 0)) & 0xffffffff
    return page[:22] + struct.pack("<I", remainder) + page[26:]


def avi():
    """A list that holds itself 5,000 deep, and an index of 2**28 entries."""
    depth = b"".join(b"LIST" + struct.pack("<I", 0xffffffff) + b"hdrl" for _ in range(5000))
    return b"RIFF\xff\xff\xff\xffAVI " + depth + b"idx1\xff\xff\xff\xff" + bytes(400)


def matroska_void(count):
    """Elements that are nothing, one after the other, and then a size that is not known, all the way down."""
    head = b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska\x42\x87\x81\4\x42\x85\x81\2"
    return head + b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" + b"\xec\x80" * count + (
        b"\x11\x4d\x9b\x74\x01\xff\xff\xff\xff\xff\xff\xff" * 2000)


def mp4_samples():
    """One row of a table says 2**32 - 1 samples of 2**32 - 1 units each."""
    box = bombs.box
    sample = struct.pack(">I", 1)
    entry = box(b"sowt", bytes(6) + b"\0\1" + bytes(8) + struct.pack(">HHHHI", 2, 16, 0, 0, 8000 << 16))
    table = box(b"stbl", box(b"stsd", bytes(4) + sample + entry)
                + box(b"stts", bytes(4) + sample + b"\xff" * 8)
                + box(b"stsc", bytes(4) + sample + struct.pack(">III", 1, 0xffffffff, 1))
                + box(b"stsz", bytes(4) + struct.pack(">II", 4, 0xffffffff))
                + box(b"stco", bytes(4) + sample + struct.pack(">I", 40)))
    media = box(b"mdia", box(b"mdhd", bytes(12) + struct.pack(">II", 1, 0xffffffff) + bytes(4))
                + box(b"hdlr", bytes(8) + b"soun" + bytes(13))
                + box(b"minf", box(b"smhd", bytes(8)) + table))
    track = box(b"trak", box(b"tkhd", b"\0\0\0\7" + bytes(8) + sample + bytes(4) + b"\xff" * 4 + bytes(60)) + media)
    head = box(b"mvhd", bytes(12) + struct.pack(">II", 1, 0xffffffff) + bytes(80))
    return box(b"ftyp", b"isom\0\0\2\0isommp41") + box(b"mdat", bytes(400)) + box(b"moov", head + track)


def mp3_frames():
    """Real frames, of which the first says that 2**32 - 1 follow."""
    frame = b"\xff\xfb\x90\x64" + bytes(413)
    first = bytearray(frame)
    first[36:36 + 16] = b"Xing" + struct.pack(">III", 3, 0xffffffff, 0xffffffff)
    return bytes(first) + frame * 40


# Old Office documents.


def compound(fat, directory, version=3, shift=9):
    """A file system in a file: its head, one sector of the table, one of the directory, one of data."""
    head = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\xff"))
    head[8:76] = bytes(16) + struct.pack("<HHHHHHIIIIIIIIIII", 0x3e, version, 0xfffe, shift, 6, 0, 0, 0, 1, 1, 0,
                                         4096, 0xfffffffe, 0, 0xfffffffe, 0, 0)[:52]
    head[76:80] = struct.pack("<I", 0)
    return bytes(head) + fat.ljust(512, b"\xff") + directory.ljust(512, b"\0") + bytes(512 * 8)


def entry(name, kind, start, size, left=0xffffffff, right=0xffffffff, child=0xffffffff):
    text = name.encode("utf-16-le")
    return (text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text) + 2, kind, 1, left, right, child) + bytes(36)
            + struct.pack("<IQ", start, size))


def circular_compound(stream_name):
    """Sectors that follow themselves, a folder whose entries are each other's children, a stream of 4 GB."""
    fat = struct.pack("<IIII", 0xfffffffd, 1, 3, 2)
    directory = (entry("Root Entry", 5, 2, 4096, child=1)
                 + entry(stream_name, 2, 2, 0xffffffff, left=2, right=2, child=0)
                 + entry("1Table", 2, 2, 0xffffffff, left=1, right=1, child=1))
    return compound(fat, directory)


ROWS = [
    ("a zip that holds itself", "archive", "itself.zip", zip_of_itself, "1 file|itself.zip"),
    ("folders in folders, a thousand deep, in a zip", "archive", "folders.zip", deep_names, "333 files|a/a/a/b"),
    ("a sparse tar of 2^62 bytes", "archive", "sparse.tar", sparse_tar, "!the archive cannot be read"),
    ("a billion laughs in the strings of xlsx", "office", "strings.xlsx", laughing_strings, REFUSED),
    ("a billion laughs in the list of an epub", "office", "list.epub", laughing_list, "!" + REFUSED),
    ("a billion laughs in the relations of docx", "office", "relations.docx", laughing_relations, "relations.docx"),
    ("100 MB of one entity in docx", "office", "quadratic.docx",
     lambda: bombs.docx(paragraph("&a;" * 200000), quadratic("w:document")), "!" + REFUSED),
    ("500 times one entity in a drawing", "image", "quadratic.svg",
     lambda: bombs.svg(f"<desc>{'&a;' * 500}</desc><text>{'&a;' * 5}</text>", quadratic("svg")), "quadratic.svg"),
    ("a string of 32,767 letters in 20,000 cells", "office", "repeated.xlsx", repeated_string,
     "the text is longer than the limit and was cut"),
    ("a cell in the farthest corner, and one beyond", "office", "corner.xlsx", far_corner, "42|43"),
    ("5,000 styles that are based on each other", "office", "styles.docx", circular_styles, "styled words"),
    ("cells of 2^31 - 1 columns, docx", "office", "wide.docx", wide_cells, "| wide |"),
    ("cells of 10^9 rows and columns, html", "office", "wide.html", wide_html, "| x | x |"),
    ("200,000 elements that are never closed, html", "office", "unclosed.html", unclosed_html, "topbottom"),
    ("a chapter of 200 KB, 20,000 times", "office", "chapters.epub", lambda: chapters(20000),
     "Chapters 1-20 of 5,000"),
    ("200,000,000,000 spaces in odt", "office", "spaces.odt", spaces, "before|after"),
    ("20,000 parts in a mail", "office", "parts.eml", lambda: mail_of_parts(20000), "Subject: many|part"),
    ("5,000 mails in each other", "office", "mails.eml", lambda: mail_in_mail(5000), "nested too deep, or too many"),
    ("a subject of 50,000 encoded words", "office", "subject.eml", lambda: mail_of_words(50000), "wordswords"),
    ("a form that is drawn ten thousand times", "pdf", "forms.pdf", lambda: forms(5), "--- Page 1 ---"),
    ("a stream in 500 coats", "pdf", "filters.pdf", lambda: filters(500), "--- Page 1 ---"),
    ("rows of 2^31 - 1 columns in a stream", "pdf", "predictor.pdf", predictor, "--- Page 1 ---"),
    ("2,000 revisions", "pdf", "revisions.pdf", lambda: revisions(2000), "readable words"),
    ("200 annotations that are each other's parents", "pdf", "notes.pdf", lambda: annotations(200),
     "?readable words|gave up on the file|cannot be read"),
    ("a table of 2^31 - 1 rows of 765 bytes", "pdf", "xref.pdf", wide_xref, "!the PDF is broken"),
    ("a pattern every millionth of a point", "pdf", "tiling.pdf", tiling, "readable words"),
    ("AVIF, 2^31 - 1 pixels each way", "image", "claims.avif", avif, "!claims.avif: the "),
    ("HEIC, 2^32 - 1 pixels each way", "image", "claims.heic", heic, "!claims.heic: the "),
    ("JPEG 2000, 2^32 - 1 pixels each way in tiles of one", "image", "claims.jp2", jp2, "!claims.jp2: the "),
    ("JPEG XL, 2^30 pixels each way", "image", "claims.jxl", jxl, "!claims.jxl: the "),
    ("WebP of 1,000 frames on 16,000 x 16,000", "image", "frames.webp", lambda: webp_frames(1000),
     "!the picture has 16000 x 16000 pixels"),
    ("APNG of 2^31 - 1 frames, of which 5,000 are there", "image", "frames.png", lambda: apng(5000),
     "8x8|2147483647 frames"),
    ("TIFF of 2^32 - 1 strips and 65,535 samples", "image", "strips.tiff", tiff_strips, "!the TIFF picture is broken"),
    ("TIFF of 5,000 pictures", "image", "chain.tiff", lambda: tiff_chain(5000), "1x1|5000 frames or pages"),
    ("JPEG whose notes go in circles", "image", "exif.jpg", exif_loop, "8x8"),
    ("a line of 10^15 dashes", "image", "dashes.svg", dashes, "64x64"),
    ("patterns in patterns, ten to the sixteenth tiles", "image", "patterns.svg", lambda: patterns(8), "64x64"),
    ("FLAC of 2^36 samples, by its head", "av", "claims.flac", flac, "!nothing in the file can be decoded"),
    ("Ogg whose last page is at 2^63 - 1", "av", "claims.opus", ogg, "!nothing in the file can be decoded"),
    ("AVI, lists 5,000 deep", "av", "deep.avi", avi, "!the file is broken"),
    ("Matroska of 500,000 empty elements", "av", "void.mkv", lambda: matroska_void(500000), "!the file is broken"),
    ("MP4 of 2^32 samples in one row", "av", "samples.mp4", mp4_samples, "[Audio: samples.mp4"),
    ("MP3 that says 2^32 frames follow", "av", "frames.mp3", mp3_frames, "the file is cut off"),
    ("a compound file that goes in circles, doc", "legacy", "circles.doc",
     lambda: circular_compound("WordDocument"), "!the document is damaged"),
    ("a compound file that goes in circles, xls", "legacy", "circles.xls", lambda: circular_compound("Workbook"),
     "!the workbook is damaged"),
    ("a compound file that goes in circles, ppt", "legacy", "circles.ppt",
     lambda: circular_compound("PowerPoint Document"), "the presentation has no slides"),
    ("JSON, a million arrays deep", "", "deep.json", lambda: b"[" * 1000000 + b"]" * 1000000,
     "1 long line was cut after 2000 bytes"),
    ("one line of 20 MB, CSV", "", "line.csv", lambda: b"a," * (10 * MB), "1 long line was cut after 2000 bytes"),
    ("UTF-16 that is half characters only", "", "halves.txt", lambda: b"\xff\xfe" + b"\0\xd8" * MB, "Encoding: UTF-16"),
]


def blown(m, worker, file, make, words):
    """Read alone; then with a plain file of the same worker after it."""
    m.write(file, make())
    done = m.read(file)
    judged(done, words)
    name, make_next, told = NEXT[worker]
    m.write(name, make_next())
    both = m.run("ask", "-m", "offline", "--no-save", f"What is in @{file} and in @{name}?", status={0},
                 caller_mb=TURN_MB)
    expect(told.encode() in both.out, f"{name} was not read after it: {both.out[-600:]!r}")
    return done


# What a tool prints is looked through for files in base64, and what a model says is text: both in one pass.

TEXTS = [
    ("the beginnings of a hundred thousand files in base64, none of which goes on",
     "data:image/png;base64,iVBORw0KGgo= " * 100000),
    ("base64 of a megabyte that is cut by a wrong letter in each line", ("iVBORw0KGgo" + "A" * 65 + "!\n") * 13000),
    ("a megabyte of one letter that could be base64", "A" * MB),
    ("quotes and braces, a hundred thousand deep", '{"data":["' * 100000),
    ("percent signs, ampersands and backslashes", "\\u0041%41&#65;" * 70000),
]


def looked_through(m, text):
    tool = {"role": "tool", "tool_call_id": "c1", "name": "look", "success": True, "output": text}
    call = {"role": "assistant", "content": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}]}
    messages = [{"role": "user", "content": "Look."}, call, tool]
    m.write("conversation.json", json.dumps({"refract": 1, "messages": messages}))
    done = m.run("encode", "-m", TEXT_MODEL, "conversation.json", status={0})
    expect(json.loads(done.out)["messages"][-1]["content"], "nothing is left of it")
    return done


CASES = [(name, (worker,) if worker else (), lambda m, row=row: blown(m, *row)) for name, *row in ROWS
         for worker in row[:1]]
CASES += [(name, (), lambda m, text=text: looked_through(m, text)) for name, text in TEXTS]

if __name__ == "__main__":
    sys.exit(run_all(os.path.abspath(sys.argv[1]), CASES, sys.argv[2:]))
