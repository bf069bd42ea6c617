"""Files that mean harm, made in memory: each function gives the bytes of one. All are small; what is
large about them is what they claim, or what they become when somebody believes them."""
import bz2
import functools
import io
import lzma
import random
import struct
import tarfile
import zipfile
import zlib

MB = 1 << 20
CANARY = "the-words-of-another-file"  # what must never be read


# Archives.


def zipped(*members):
    """(name, bytes) each."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()


def part_of(data, name, text):
    """The document with another member in it, or another text for one that it has."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, text)
    return out.getvalue()


@functools.lru_cache(None)
def dense(n, noise):
    """n bytes of text, the first `noise` of which hardly shrink: the ratio can be chosen."""
    return random.Random(4).randbytes(noise // 2).hex().encode() + b" " * (n - noise)


def overlapping(names, data):
    """All names share the one packed member: the archive is small however many there are. Over 65,535
    of them need the 64-bit ending."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    sums = struct.pack("<III", zlib.crc32(data), len(packed), len(data))
    local = struct.pack("<4s5H", b"PK\3\4", 20, 0, 8, 0, 33) + sums + struct.pack("<HH", 1, 0) + b"x"
    body = local + packed
    directory = b"".join(
        struct.pack("<4s6H", b"PK\1\2", 20, 20, 0, 8, 0, 33) + sums
        + struct.pack("<5HII", len(name), 0, 0, 0, 0, 0, 0) + name for name in names)
    n, at, size = len(names), len(body), len(directory)
    end = b""
    if n > 65535:
        end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, n, n, size, at)
        end += struct.pack("<4sIQI", b"PK\6\7", 0, at + size, 1)
    short = min(n, 65535)
    return body + directory + end + struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, short, short, size, at, 0)


def nested_zip(depth, width):
    data = bytes(MB)
    for level in range(depth):
        data = zipped(*((f"{level}-{i}.zip", data) for i in range(width)))
    return data


def tar_gz_bomb(times):
    """A tar with one member of zeros, in gzip members that repeat."""
    member = tarfile.TarInfo("zeros")
    member.size = times * 16 * MB
    zeros = gzip_member(bytes(16 * MB))
    return gzip_member(member.tobuf(tarfile.GNU_FORMAT)) + zeros * times


def gzip_member(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def tar_bz2_bomb(times):
    member = tarfile.TarInfo("zeros")
    member.size = times * 16 * MB
    return bz2.compress(member.tobuf(tarfile.GNU_FORMAT)) + bz2.compress(bytes(16 * MB)) * times


def tar_xz_bomb(times):
    member = tarfile.TarInfo("zeros")
    member.size = times * 16 * MB
    return lzma.compress(member.tobuf(tarfile.GNU_FORMAT)) + lzma.compress(bytes(16 * MB), preset=1) * times


def tar_of_claims():
    """Sizes that wrap: 2**63 - 1, minus one, and a name that is longer than the file."""
    out = b""
    for size in (b"\x80" + b"\0\0\0" + (2 ** 63 - 1).to_bytes(8, "big"), b"\xff" * 12):
        head = bytearray(tarfile.TarInfo("claims").tobuf(tarfile.GNU_FORMAT))
        head[124:136] = size
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        out += bytes(head)
    long = tarfile.TarInfo("././@LongLink")
    long.type, long.size = b"L", 1 << 33
    return out + long.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


# XML: each takes the text that goes in front of the root element, and what stands in the text.

PRELUDE = '<?xml version="1.0" encoding="UTF-8"?>'
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELS = (PRELUDE + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'officeDocument" Target="{}"/></Relationships>')


def laughs(root):
    """A billion of them."""
    lines = ['<!ENTITY l0 "ha">']
    lines += [f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10)]
    return f"<!DOCTYPE {root} [{''.join(lines)}]>"


def external(root, path):
    return f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "file://{path}">]>'


def docx(body, front=""):
    text = f"{PRELUDE}{front}<w:document {W}><w:body>{body}</w:body></w:document>"
    return zipped(("_rels/.rels", RELS.format("word/document.xml")), ("word/document.xml", text))


def paragraph(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(text, front=""):
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    book = (f'{PRELUDE}<workbook {main} xmlns:r="{rel}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>')
    rels = (PRELUDE + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{rel}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>')
    sheet = (f'{PRELUDE}{front}<worksheet {main}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>{text}'
             '</t></is></c></row></sheetData></worksheet>')
    return zipped(("_rels/.rels", RELS.format("xl/workbook.xml")), ("xl/workbook.xml", book),
                  ("xl/_rels/workbook.xml.rels", rels), ("xl/worksheets/sheet1.xml", sheet))


def pptx_total(slides, element):
    """Slides of 30 MB in one element, at a ratio below what a single member is refused for, all the same bytes."""
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ids = "".join(f'<p:sldId id="{256 + i}" r:id="r{i}"/>' for i in range(slides))
    lists = (f'{PRELUDE}<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
             f'xmlns:r="{rel}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>')
    rels = (PRELUDE + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            + "".join(f'<Relationship Id="r{i}" Type="{rel}/slide" Target="slides/slide{i}.xml"/>'
                      for i in range(slides)) + "</Relationships>")
    slide = (b'<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:%s>' % element
             + dense(30 * MB, 600000)
             + b"</a:%s></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>" % element)
    return zip_shared(slide, [f"ppt/slides/slide{i}.xml" for i in range(slides)],
                      ("_rels/.rels", RELS.format("ppt/presentation.xml")),
                      ("ppt/presentation.xml", lists), ("ppt/_rels/presentation.xml.rels", rels))


def zip_shared(data, names, *others):
    """An archive of the others, and of many names for one member."""
    whole = zipped(*others, (names[0], data))
    end = whole.rindex(b"PK\5\6")
    count, size, at = struct.unpack("<HII", whole[end + 10:end + 20])
    directory = whole[at:at + size]
    last = directory.rindex(b"PK\1\2")
    for name in names[1:]:
        entry = bytearray(directory[last:last + 46])
        entry[28:30] = struct.pack("<H", len(name))
        directory += bytes(entry) + name.encode()
        count += 1
    return (whole[:at] + directory
            + struct.pack("<4s4HIIH", b"PK\5\6", 0, 0, count, count, len(directory), at, 0))


def opendocument(kind, body, front):
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    text = (f'{PRELUDE}{front}<office:document-content xmlns:office="{urn}:office:1.0" '
            f'xmlns:table="{urn}:table:1.0" xmlns:text="{urn}:text:1.0"><office:body><office:{kind}>'
            f'{body}</office:{kind}></office:body></office:document-content>')
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return zipped(("mimetype", mime), ("content.xml", text))


def odt(body, front=""):
    return opendocument("text", body, front)


def ods_of_repeats(sheets):
    """A row that is said to come a thousand million times, of cells that do, too."""
    many = 'table:number-{}-repeated="1000000000"'
    return opendocument("spreadsheet", "".join(
        f'<table:table table:name="S{i}"><table:table-row {many.format("rows")}><table:table-cell '
        f'{many.format("columns")} office:value-type="string"><text:p>again</text:p></table:table-cell>'
        '</table:table-row></table:table>' for i in range(sheets)), "")


def epub(text, front=""):
    box = (PRELUDE + '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
           '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>')
    opf = (PRELUDE + '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
           'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>')
    page = f'{PRELUDE}{front}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{text}</p></body></html>'
    return zipped(("mimetype", "application/epub+zip"), ("META-INF/container.xml", box), ("c.opf", opf),
                  ("a.xhtml", page))


def svg(body, front="", size='width="64" height="64"'):
    return (f'{PRELUDE}{front}<svg xmlns="http://www.w3.org/2000/svg" '
            f'xmlns:xlink="http://www.w3.org/1999/xlink" {size}>{body}</svg>').encode()


def svg_of_uses(depth):
    """Each group uses the one before ten times."""
    groups = ['<g id="g0"><rect width="9" height="9"/></g>']
    groups += [f'<g id="g{i}">{f"""<use xlink:href="#g{i - 1}"/>""" * 10}</g>' for i in range(1, depth)]
    return svg(f"<defs>{''.join(groups)}</defs><use xlink:href=\"#g{depth - 1}\"/>")


def deep(depth, begin, middle, end):
    return begin * depth + middle + end * depth


def nested_mail(depth):
    parts = []
    for i in range(depth):
        parts.append(f'Content-Type: multipart/mixed; boundary="b{i}"\r\n\r\n--b{i}\r\n')
    return ("From: a@example.org\r\nSubject: deep\r\nMIME-Version: 1.0\r\n" + "".join(parts)
            + "\r\nbottom\r\n").encode()


# PDFs.


def pdf(objects, trailer=b"/Root 1 0 R"):
    """Numbered from 1, with a table."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for i, body in enumerate(objects):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, body)
    at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at)
    return bytes(out)


def stream(data, more=b""):
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (more, len(data), data)


def one_page(content=b"", page=b"", more=(), box=b"0 0 612 792"):
    """Objects: 1 catalogue, 2 pages, 3 the page, 4 its content (an object's whole text), 5 and on `more`."""
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
                b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 4 0 R%s>>" % (box, page),
                content or stream(b""), *more])


HELLO = b"BT /F1 24 Tf 72 700 Td (readable words) Tj ET"
FONT = b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"


def flate(data):
    return zlib.compress(data, 9)


def flate_bomb(megabytes):
    """Packed twice: a stream of a few kilobytes that unpacks to so many megabytes."""
    packer = zlib.compressobj(9)
    block = b" " * (16 * MB)
    first = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)  # stands alone, so it can be repeated
    inner = first + again * (megabytes // 16 - 1) + b"\x01\0\0\xff\xff"
    return stream(flate(inner), b"/Filter[/FlateDecode/FlateDecode]")


def deep_tree(depth):
    nodes = [b"<</Type/Catalog/Pages 2 0 R>>"]
    for i in range(depth):
        parent = b"/Parent %d 0 R" % (i + 1) if i else b""
        nodes.append(b"<</Type/Pages/Count 1/Kids[%d 0 R]%s>>" % (i + 3, parent))
    nodes.append(b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 99 99]>>" % (depth + 1))
    return pdf(nodes)


def loops():
    """The tree holds itself, a form draws itself, lengths and contents point at themselves."""
    return pdf([b"<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/AcroForm<</Fields[6 0 R]>>>>",
                b"<</Type/Pages/Count 3/Kids[3 0 R 2 0 R 3 0 R]/Parent 2 0 R>>",
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents[4 0 R 3 0 R 7 0 R]"
                b"/Resources<</XObject<</X 8 0 R>>/Font 9 0 R/ExtGState<</G 10 0 R>>>>>>",
                b"<</Length 4 0 R>>stream\n/X Do\nendstream",
                b"<</First 5 0 R/Last 5 0 R/Next 5 0 R/Prev 5 0 R/Parent 5 0 R/Title(t)>>",
                b"<</Kids[6 0 R]/Parent 6 0 R/T(x)>>", b"7 0 R",
                stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]"
                       b"/Resources<</XObject<</X 8 0 R>>>>"), b"9 0 R",
                b"<</Type/ExtGState/SMask<</S/Luminosity/G 8 0 R>>>>"])


def previous_loop():
    """The table before the table is the table."""
    data = one_page(stream(HELLO), FONT)
    at = data.rindex(b"xref\n0")
    return data.replace(b"/Root", b"/Prev %d/Root" % at)


def object_streams(n, megabytes):
    """Streams of objects, each claiming a thousand million of them."""
    body = flate(b"1 0 " * (megabytes * MB // 4))
    bombs = [stream(body, b"/Type/ObjStm/N 1000000000/First %d/Extends %d 0 R/Filter/FlateDecode"
                    % (megabytes * MB, 5 + (i + 1) % n)) for i in range(n)]
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for i, text in enumerate(bombs):
        places[5 + i] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (5 + i, text)
    at, rows = len(out), b""
    for i in range(5 + n):
        rows += (struct.pack(">BIH", 1, places[i], 0) if i in places
                 else struct.pack(">BIH", 2, 5 + i % n, i))
    out += b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (
        5 + n, stream(rows, b"/Type/XRef/W[1 4 2]/Root 1 0 R/Size %d" % (5 + n)), at)
    return bytes(out)


def image_page(width, height, data, more=b"/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode"):
    picture = stream(data, b"/Type/XObject/Subtype/Image/Width %d/Height %d%s" % (width, height, more))
    return one_page(stream(b"q 500 0 0 500 0 0 cm /I Do Q"), b"/Resources<</XObject<</I 5 0 R>>>>", [picture])


def garbage_fonts():
    noise = random.Random(7)
    kinds = [(b"FontFile", b"Type1"), (b"FontFile2", b"TrueType"), (b"FontFile3", b"Type1")]
    heads = [b"%!PS-AdobeFont-1.0\n", b"\0\1\0\0\0\x20\xff\xff", b"\1\0\4\4"]
    fonts, content, more = b"", b"", []
    for i, ((key, kind), head) in enumerate(zip(kinds, heads)):
        file, descriptor = 5 + 2 * i, 6 + 2 * i
        more.append(stream(head + noise.randbytes(20000), b"/Length1 9999999/Subtype/Type1C"))
        more.append(b"<</Type/FontDescriptor/FontName/X/Flags 4/%s %d 0 R>>" % (key, file))
        fonts += (b"/F%d<</Type/Font/Subtype/%s/BaseFont/X/FirstChar 0/LastChar 255/FontDescriptor %d 0 R>>"
                  % (i, kind, descriptor))
        content += b"BT /F%d 20 Tf 72 %d Td (garbage) Tj ET\n" % (i, 700 - 50 * i)
    content += b"BT /F9 20 Tf 72 100 Td (readable words) Tj ET"
    fonts += b"/F9<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    return one_page(stream(content), b"/Resources<</Font<<%s>>>>" % fonts, more)


def garbage_streams():
    noise = random.Random(8)
    filters = [b"FlateDecode", b"LZWDecode", b"DCTDecode", b"JPXDecode", b"JBIG2Decode", b"CCITTFaxDecode",
               b"ASCII85Decode", b"RunLengthDecode"]
    more, content, names = [], b"", b""
    for i, name in enumerate(filters):
        more.append(stream(noise.randbytes(5000), b"/Type/XObject/Subtype/Image/Width 500/Height 500"
                           b"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/" + name))
        names += b"/I%d %d 0 R" % (i, 5 + i)
        content += b"q 60 0 0 60 %d 0 cm /I%d Do Q\n" % (70 * i, i)
    more.append(stream(noise.randbytes(5000), b"/Filter/FlateDecode"))
    return one_page(b"[99 0 R %d 0 R 4 0 R]" % (4 + len(more)),
                    b"/Resources<</XObject<<%s>>>>" % names, more)


# Pictures.


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows=None, colour=0, bits=8, more=b""):
    """`rows` is what the packed bytes unpack to; by default as many as ten rows have."""
    data = flate(bytes(10 * (1 + width * bits // 8)) if rows is None else rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
            + more + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def png_bomb(side):
    """Within the limit on pixels: all of it is there, in a thousandth of the bytes."""
    packer = zlib.compressobj(1)
    row = bytes(1 + side)
    data = b"".join(packer.compress(row * 64) for _ in range(side // 64)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side // 64 * 64, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def png_text_bomb():
    text = flate(b"a" * (200 * MB))
    return png(8, 8, bytes(72), more=chunk(b"zTXt", b"k\0\0" + text) + chunk(b"iCCP", b"p\0\0" + text))


def gif(width, height, frames=1, side=1):
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = (b"!\xf9\4\1\0\0\0\0," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\2\2D\1\0")
    return head + frame * frames + b";"


def bmp(width, height, bits=24, packing=0):
    return (b"BM" + struct.pack("<IHHI", 54, 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, packing, 0, 0, 0, 0, 0) + bytes(100))


def tiff(*fields, data=b"", next_at=0):
    """(tag, type, count, value) each; `data` begins at 8."""
    at = 8 + len(data)
    table = b"".join(struct.pack("<HHII", *field) for field in sorted(fields))
    return (b"II*\0" + struct.pack("<I", at) + data + struct.pack("<H", len(fields)) + table
            + struct.pack("<I", next_at))


def tiff_claims():
    return tiff((256, 4, 1, 65535), (257, 4, 1, 65535), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
                (273, 4, 1, 8), (278, 4, 1, 65535), (279, 4, 1, 100), data=bytes(100))


def tiff_bomb(side):
    """One strip, packed."""
    packed = flate(bytes(side * side))
    return tiff((256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1),
                (273, 4, 1, 8), (278, 4, 1, side), (279, 4, 1, len(packed)), data=packed)


def tiff_loop():
    """The next picture is this picture."""
    return tiff((256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
                (278, 4, 1, 8), (279, 4, 1, 64), data=bytes(64), next_at=72)


def riff(kind, *chunks):
    body = b"".join(name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for name, data in chunks)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + kind + body


def webp_claims():
    """A canvas of 2**24 - 1 pixels each way, and a picture of 16,384 that is not there."""
    side = (65534).to_bytes(3, "little")
    lossless = b"\x2f" + struct.pack("<I", 16383 | 16383 << 14) + bytes(30)
    return riff(b"WEBP", (b"VP8X", b"\0\0\0\0" + side + side), (b"VP8L", lossless))


def jpeg_claims():
    return (b"\xff\xd8\xff\xdb\0\x43\0" + bytes([1] * 64)
            + b"\xff\xc2\0\x0b\x08\xff\xff\xff\xff\1\1\x11\0"
            + b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\0"
            + (b"\xff\xda\0\x08\1\1\0\0\0\0" + b"\x00" * 8) * 20000 + b"\xff\xd9")


def pnm_claims():
    return b"P6\n65535 65535\n255\n" + bytes(300)


def qoi_claims():
    return b"qoif" + struct.pack(">IIBB", 65535, 65535, 4, 0) + b"\xfd" * 300 + b"\0" * 7 + b"\1"


def psd_claims():
    return b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 56, 65535, 65535, 8, 3) + bytes(12) + b"\0\1" + bytes(200)


def ico_claims():
    entry = struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, 0xffffffff, 22)
    return b"\0\0\1\0" + struct.pack("<H", 65535) + entry * 500


# Sound and video.


def wav_claims(rate=0xffffffff, channels=0xffff):
    form = struct.pack("<HHIIHH", 1, channels, rate, 0xffffffff, 0xffff, 16)
    return b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", 16) + form + b"data\xff\xff\xff\xff" + bytes(400)


def wav_too_long():
    """A sane head, and data that are said to be 4 GB."""
    form = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
    return b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", 16) + form + b"data\xff\xff\xff\xfe" + bytes(8000)


def box(kind, data):
    return struct.pack(">I", 8 + len(data)) + kind + data


def mp4_claims():
    """A movie of 2**32 units in tables that claim 2**32 entries, in a box of 2**63 bytes."""
    head = box(b"mvhd", bytes(12) + struct.pack(">II", 1, 0xffffffff) + bytes(80))
    tables = b"".join(box(kind, bytes(4) + b"\xff\xff\xff\xff" + bytes(8))
                      for kind in (b"stts", b"stsc", b"stco", b"stsz", b"ctts", b"stss", b"stsd"))
    track = box(b"trak", box(b"tkhd", bytes(84)) + box(b"mdia", box(b"mdhd", bytes(24)) + box(
        b"hdlr", bytes(8) + b"vide" + bytes(13)) + box(b"minf", box(b"stbl", tables))))
    return (box(b"ftyp", b"isom\0\0\2\0isommp41") + box(b"moov", head + track * 50)
            + b"\0\0\0\1mdat" + struct.pack(">Q", 2 ** 63 - 1) + bytes(100))


def mp4_depth(depth):
    """Boxes in boxes, all the way down; each says it is as long as the rest."""
    size = 8 * depth
    return box(b"ftyp", b"isom\0\0\2\0isommp41") + b"".join(
        struct.pack(">I", size - 8 * i) + (b"moov" if i == 0 else b"udta" if i % 2 else b"meta")
        for i in range(depth))


def matroska_claims():
    return (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska\x42\x87\x81\4\x42\x85\x81\2"
            + b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" + b"\x1f\x43\xb6\x75\x08\xff\xff\xff\xff" * 5000)


def mp3_claims():
    """A tag of 256 MB, then noise."""
    return b"ID3\4\0\0\x7f\x7f\x7f\x7f" + random.Random(9).randbytes(100000)
