#!/usr/bin/env python3
"""Make the project's own tiny media files: media_fixtures.py FOLDER

Every file is built here byte by byte, valid and as small as its format allows, and comes out the
same on every machine: nothing depends on the time, on a library's compression or on the system.
"""
import base64
import hashlib
import os
import struct
import sys
import zlib


def png(side, rgb):
    """One colour, as a palette of one entry; the deflate block is stored, not compressed."""
    rows = b"".join(b"\0" + b"\0" * ((side + 7) // 8) for _ in range(side))
    block = b"\1" + struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF) + rows
    data = b"\x78\x01" + block + struct.pack(">I", zlib.adler32(rows))

    def chunk(kind, body):
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", side, side, 1, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", bytes(rgb))
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def jpeg_bits(numbers):
    """The DC differences of one block each. Codes: 0 is seven bits, 10 is five; 0 ends a block."""
    bits = ""
    for n in numbers:
        size = 7 if abs(n) > 31 else 5
        assert (1 << size >> 1) <= abs(n) < (1 << size)
        bits += "0" if size == 7 else "10"
        bits += format(n if n > 0 else n + (1 << size) - 1, "0%db" % size) + "0"
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    return data.replace(b"\xff", b"\xff\0")


def jpeg(luma, blue, red):
    """One baseline block of 8 x 8 in one colour, three components, nothing but DC."""
    def segment(marker, body):
        return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body

    frame = struct.pack(">BHHB", 8, 8, 8, 3) + bytes([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
    dc = b"\0" + bytes([1, 1] + [0] * 14) + bytes([7, 5])
    ac = b"\x10" + bytes([1] + [0] * 15) + b"\0"
    scan = bytes([3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
    return (b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
            + segment(0xDB, b"\0" + b"\x08" * 64) + segment(0xC0, frame) + segment(0xC4, dc)
            + segment(0xC4, ac) + segment(0xDA, scan)
            + jpeg_bits([luma - 128, blue - 128, red - 128]) + b"\xff\xd9")


def gif(side, rgb):
    """LZW that never grows its codes: it starts over after every two pixels."""
    clear, end = 4, 5
    codes = [c for _ in range(side * side // 2) for c in (clear, 0, 0)] + [end]
    value = sum(c << 3 * i for i, c in enumerate(codes))
    data = value.to_bytes((3 * len(codes) + 7) // 8, "little")
    return (b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + bytes(rgb) + b"\0\0\0"
            + b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\x02" + bytes([len(data)])
            + data + b"\0;")


def webp(side, argb):
    """Lossless: five prefix codes of one symbol each, so that the pixels take no bits at all."""
    bits = []

    def put(value, n):
        bits.extend(value >> i & 1 for i in range(n))

    put(0x2F, 8)
    put(side - 1, 14)
    put(side - 1, 14)
    put(0, 1 + 3 + 1 + 1 + 1)  # no alpha, version 0, no transform, no colour cache, one code group
    alpha, red, green, blue = argb
    for symbol in (green, red, blue, alpha):
        put(0b101, 3)  # a simple code, one symbol, of eight bits
        put(symbol, 8)
    put(0b001, 3)  # the same for distances, of one bit
    put(0, 1)
    bits += [0] * (-len(bits) % 8)
    data = bytes(sum(bits[i + j] << j for j in range(8)) for i in range(0, len(bits), 8))
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def bmp(rgb):
    pixels = bytes(reversed(rgb)) + b"\0"
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, 1, 1, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
            + pixels)


def with_table(objects):
    """A PDF of these, the first its catalogue."""
    out = b"%PDF-1.4\n"
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number, body in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    return out + table + (b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
                          % (len(objects) + 1, len(out)))


def pdf(text):
    stream = b"BT /F1 18 Tf 20 60 Td (" + text + b") Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    return with_table(objects)


def long_pdf(pages):
    """Each page a list of lines."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for lines in pages:
        stream = b"BT /F1 11 Tf 50 780 Td " + b"".join(b"(%s) Tj 0 -14 Td " % line for line in lines) + b"ET"
        objects += [b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
                    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
                    b"/Resources<</Font<</F1 3 0 R>>>>>>" % (len(objects) + 1)]
        kids.append(len(objects))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(b"%d 0 R" % kid for kid in kids), len(kids))
    return with_table(objects)


def emf(records, width=100, height=100):
    """An enhanced metafile of so many pixels, a quarter of a millimetre each; records are types with
    their words."""
    body = b"".join(struct.pack(f"<II{len(words)}i", kind, 8 + 4 * len(words), *words)
                    for kind, *words in (*records, (14, 0, 16, 20)))
    return struct.pack("<II4i4i4sIIIHHIIIii2i", 1, 88, 0, 0, width - 1, height - 1, 0, 0, 25 * width,
                       25 * height, b" EMF", 0x10000, 88 + len(body), len(records) + 2, 9, 0, 0, 0,
                       0, 1000, 1000, 250, 250) + body


def wmf(records, width=100, height=100):
    """A placeable metafile of so many pixels; records are functions with their arguments as in the
    file."""
    body = b"".join(struct.pack(f"<IH{len(words)}h", 3 + len(words), kind, *words)
                    for kind, *words in (*records, (0,)))
    return (struct.pack("<IHhhhhHIH", 0x9ac6cdd7, 0, 0, 0, width, height, 96, 0, 0)
            + struct.pack("<HHHIHIH", 1, 9, 0x300, 9 + len(body) // 2, 8, 20, 0) + body)


def rc4(key, data):
    box, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def locked_pdf(text, password):
    """One page that a password opens: the standard handler of PDF 1.3, 40 bits of RC4."""
    filler = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    padded = (password + filler)[:32]
    owner = rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + struct.pack("<i", -4) + b"refract refract!").digest()[:5]
    stream = rc4(hashlib.md5(key + b"\4\0\0" + b"\0\0").digest()[:10], b"BT /F1 24 Tf 72 700 Td (%s) Tj ET" % text)
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
               b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
               b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (owner.hex().encode(), rc4(key, filler).hex().encode())]
    out, places = b"%PDF-1.3\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % at for at in places)
    return out + (b"xref\n0 7\n0000000000 65535 f \n%strailer<</Size 7/Root 1 0 R/Encrypt 6 0 R/ID[<%s><%s>]>>\n"
                  b"startxref\n%d\n%%%%EOF\n" % ((table,) + (b"refract refract!".hex().encode(),) * 2 + (len(out),)))


def aes_cbc(key, start, data):
    """AES with a key of 256 bits, each block over the one before it."""
    def double(n):
        return (n << 1 ^ (0x11b if n & 0x80 else 0)) & 0xff

    box, p, q = [0x63] * 256, 1, 1
    while True:  # p goes through all numbers, q through their inverses
        p ^= double(p)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xff
        q ^= 9 if q & 0x80 else 0
        box[p] = 0x63 ^ q ^ ((q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4)) & 0xff
        if p == 1:
            break
    words, round_constant = [list(key[i:i + 4]) for i in range(0, 32, 4)], 1
    for i in range(8, 60):
        word = words[i - 1]
        if i % 8 == 0:
            word = [box[b] for b in word[1:] + word[:1]]
            word[0] ^= round_constant
            round_constant = double(round_constant)
        elif i % 8 == 4:
            word = [box[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - 8], word)])
    keys = [sum(words[i:i + 4], []) for i in range(0, 60, 4)]

    def encrypt(block):
        block = [a ^ b for a, b in zip(block, keys[0])]
        for number in range(1, 15):
            block = [box[block[(i + 4 * (i % 4)) % 16]] for i in range(16)]
            if number < 14:
                mixed = []
                for column in (block[i:i + 4] for i in range(0, 16, 4)):
                    whole = column[0] ^ column[1] ^ column[2] ^ column[3]
                    mixed += [column[i] ^ whole ^ double(column[i] ^ column[(i + 1) % 4]) for i in range(4)]
                block = mixed
            block = [a ^ b for a, b in zip(block, keys[number])]
        return bytes(block)

    out = b""
    for i in range(0, len(data), 16):
        start = encrypt([a ^ b for a, b in zip(start, data[i:i + 16])])
        out += start
    return out


def locked_odt(text, password):
    """A letter that a password opens, as LibreOffice writes it."""
    office, salt, start = "urn:oasis:names:tc:opendocument:xmlns:", b"salt of 16 bytes", b"iv of 16 bytes.."
    content = (f'<office:document-content xmlns:office="{office}office:1.0" xmlns:text="{office}text:1.0"><office:body>'
               f"<office:text><text:p>{text}</text:p></office:text></office:body></office:document-content>").encode()
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(content) + packer.flush()
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password).digest(), salt, 1024, 32)
    fill = 16 - len(packed) % 16
    sealed = aes_cbc(key, start, packed + bytes(fill - 1) + bytes([fill]))
    field = {name: base64.b64encode(value).decode() for name, value in (
        ("check", hashlib.sha256(packed[:1024]).digest()), ("start", start), ("salt", salt))}
    manifest = (f'<m:manifest xmlns:m="{office}manifest:1.0"><m:file-entry m:full-path="content.xml" m:media-type="text/xml" '
                f'm:size="{len(content)}"><m:encryption-data m:checksum-type="{office}manifest:1.0#sha256-1k" '
                f'm:checksum="{field["check"]}"><m:algorithm m:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" '
                f'm:initialisation-vector="{field["start"]}"/><m:start-key-generation m:start-key-generation-name='
                '"http://www.w3.org/2000/09/xmldsig#sha256" m:key-size="32"/><m:key-derivation m:key-derivation-name="PBKDF2" '
                f'm:key-size="32" m:iteration-count="1024" m:salt="{field["salt"]}"/></m:encryption-data></m:file-entry>'
                "</m:manifest>").encode()
    return stored_zip([(b"mimetype", b"application/vnd.oasis.opendocument.text"), (b"content.xml", sealed),
                       (b"META-INF/manifest.xml", manifest)])


def djvu(width, height, text=b""):
    """A page of DjVu without a picture, so that it is white; its text is one zone."""
    def part(name, data):
        return name + struct.pack(">I", len(data)) + data + b"\0" * (len(data) % 2)
    chunks = part(b"INFO", struct.pack(">HHBB", width, height, 24, 0) + b"\x2c\1\x16\1")
    if text:
        zone = struct.pack(">BHHHHH", 1, 0x8000, 0x8000, 0x8000 + width, 0x8000 + height, 0x8000)
        chunks += part(b"TXTa", len(text).to_bytes(3, "big") + text + b"\1" + zone +
                       len(text).to_bytes(3, "big") + bytes(3))
    return b"AT&T" + part(b"FORM", b"DJVU" + chunks)


def rar(files):
    """Files as RAR 2.9 stores them, unpacked: each header begins with half of its CRC-32."""
    def header(kind, flags, rest):
        body = struct.pack("<BHH", kind, flags, 7 + len(rest)) + rest
        return struct.pack("<H", zlib.crc32(body) & 0xFFFF) + body
    out = b"Rar!\x1a\7\0" + header(0x73, 0, bytes(6))
    for name, data in files.items():
        facts = struct.pack("<IIBIIBBHI", len(data), len(data), 3, zlib.crc32(data), 0x5A221822, 29,
                            0x30, len(name), 0o100644)
        out += header(0x74, 0x8000, facts + name.encode()) + data
    return out + header(0x7B, 0x4000, b"")


def stored_zip(members):
    """Not packed, dated 1 January 1980."""
    out, directory = b"", b""
    for name, body in members:
        common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, zlib.crc32(body), len(body),
                             len(body), len(name), 0)
        directory += (b"PK\1\2" + struct.pack("<H", 20) + common
                      + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name)
        out += b"PK\3\4" + common + name + body
    return out + directory + b"PK\5\6" + struct.pack(
        "<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)


def docx(text):
    head = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    package = b"http://schemas.openxmlformats.org/package/2006/"
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    word = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    main = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return stored_zip([
        (b"[Content_Types].xml",
         head + b'<Types xmlns="' + package + b'content-types">'
         b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
         b'relationships+xml"/><Override PartName="/word/document.xml" ContentType="' + word
         + b'"/></Types>'),
        (b"_rels/.rels",
         head + b'<Relationships xmlns="' + package + b'relationships"><Relationship Id="r1" '
         b'Type="' + office + b'" Target="word/document.xml"/></Relationships>'),
        (b"word/document.xml",
         head + b'<w:document xmlns:w="' + main + b'"><w:body><w:p><w:r><w:t>' + text
         + b"</w:t></w:r></w:p></w:body></w:document>"),
    ])


def mp3(frames):
    """MPEG 1 layer III, mono, 32 kHz, 32 kbit/s: frames of 144 bytes, 36 ms each, all silence."""
    return (b"\xff\xfb\x18\xc0" + b"\0" * 140) * frames


def wav(samples):
    """Mono, 8 kHz, 8 bits: a square wave of 500 Hz."""
    data = bytes(0xA0 if i // 8 % 2 else 0x60 for i in range(samples))
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data"
            + struct.pack("<I", len(data)) + data)


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body


def full(kind, flags, *parts):
    return box(kind, struct.pack(">I", flags), *parts)


def mp4(picture, side, where=full(b"url ", 1)):
    """One frame of one second, which is a JPEG. `where` says that its data are in this file."""
    matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    ftyp = box(b"ftyp", b"isom", struct.pack(">I", 0), b"isom")
    entry = box(b"jpeg", b"\0" * 6, struct.pack(">H", 1), b"\0" * 16,
                struct.pack(">HHIIIH", side, side, 0x480000, 0x480000, 0, 1), b"\0" * 32,
                struct.pack(">Hh", 24, -1))
    one = struct.pack(">I", 1)

    def movie(offset):
        table = box(b"stbl", full(b"stsd", 0, one, entry), full(b"stts", 0, one, one, struct.pack(
            ">I", 1000)), full(b"stsc", 0, one, one, one, one),
            full(b"stsz", 0, struct.pack(">II", len(picture), 1)),
            full(b"stco", 0, one, struct.pack(">I", offset)))
        data = box(b"minf", full(b"vmhd", 1, b"\0" * 8),
                   box(b"dinf", full(b"dref", 0, one, where)), table)
        media = box(b"mdia", full(b"mdhd", 0, struct.pack(">IIIIHH", 0, 0, 1000, 1000, 0x55C4, 0)),
                    full(b"hdlr", 0, b"\0" * 4, b"vide", b"\0" * 12, b"\0"), data)
        track = box(b"trak", full(b"tkhd", 3, struct.pack(">IIIII", 0, 0, 1, 0, 1000), b"\0" * 16,
                                  matrix, struct.pack(">II", side << 16, side << 16)), media)
        header = full(b"mvhd", 0, struct.pack(">IIII", 0, 0, 1000, 1000),
                      struct.pack(">IH", 0x10000, 0x100), b"\0" * 10, matrix, b"\0" * 24,
                      struct.pack(">I", 2))
        return box(b"moov", header, track)

    offset = len(ftyp) + len(movie(0)) + 8
    return ftyp + movie(offset) + box(b"mdat", picture)


def avi(pictures, side, samples):
    """A film of these JPEGs, one a second, with as long a sound of 8,000 samples a second."""
    def piece(kind, *parts):
        data = b"".join(parts)
        return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def stream(kind, handler, scale, rate, length, form):
        head = struct.pack("<4s4sIHHIIIIIIIIHHHH", kind, handler, 0, 0, 0, 0, scale, rate, 0, length, 0, 0, 0,
                           0, 0, side, side)
        return piece(b"LIST", b"strl", piece(b"strh", head), piece(b"strf", form))

    seconds = len(pictures)
    main_head = struct.pack("<14I", 1000000, 0, 0, 0x10, seconds, 0, 2, 0, side, side, 0, 0, 0, 0)
    looks = struct.pack("<IiiHH4sIiiII", 40, side, side, 1, 24, b"MJPG", side * side * 3, 0, 0, 0, 0)
    sounds = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    movie = b"".join(piece(b"00dc", picture) + piece(b"01wb", samples[i * 8000:(i + 1) * 8000])
                     for i, picture in enumerate(pictures))
    heads = piece(b"LIST", b"hdrl", piece(b"avih", main_head), stream(b"vids", b"MJPG", 1, 1, seconds, looks),
                  stream(b"auds", b"\0\0\0\0", 1, 8000, len(samples), sounds))
    return piece(b"RIFF", b"AVI ", heads, piece(b"LIST", b"movi", movie))


def files():
    blue = jpeg(29, 255, 107)
    return {
        "red.png": png(8, (255, 0, 0)),
        "blue.jpg": blue,
        "green.gif": gif(8, (0, 255, 0)),
        "white.webp": webp(8, (255, 255, 255, 255)),
        "pixel.bmp": bmp((255, 128, 0)),
        "report.pdf": pdf(b"Quarterly report: all is well."),
        "notes.txt": "Notes\n\nThe café opens at nine.\n".encode(),
        "data.csv": b"name,count\napples,3\npears,5\n",
        "data.json": b'{"name": "fruit", "counts": [3, 5]}\n',
        "letter.docx": docx(b"Dear reader, this letter is short."),
        "tone.mp3": mp3(4),
        "tone.wav": wav(400),
        "clip.mp4": mp4(blue, 8),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: media_fixtures.py FOLDER")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in files().items():
        with open(os.path.join(sys.argv[1], name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
