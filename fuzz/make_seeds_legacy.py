#!/usr/bin/env python3
"""Write the seeds of fuzz_legacy: small documents as Office 97 to 2003 and Outlook wrote them.

They go to corpus/legacy/ beside this file, under their own names; other files there are kept. The
first byte of each chooses what the rest is (fuzz_legacy.c)."""
import pathlib
import struct
import zlib

from locking import blocks, info_128, info_97, key_128, key_97, rc4

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "legacy"
WHOLE, BOOK, STREAMS = range(3)  # plus one of these
SOME, PASSWORD = 3, 6
NONE, END = 0xFFFFFFFF, 0xFFFFFFFE


def streams(files):
    """As fuzz_legacy packs them itself."""
    return b"\n--\n".join(name.encode() + b"\n" + data for name, data in files.items())


def padded(data, to=512):
    return data + b"\0" * (-len(data) % to)


def entry(name, kind, following, child, start, size):
    text = name.encode("utf-16le") + b"\0\0"
    return (text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, NONE, following,
                                                child)
            + b"\0" * 36 + struct.pack("<IQ", start, size))


def compound(files):
    """A table, the streams (none is small), the directory."""
    table, body, entries = [0xFFFFFFFD], b"", []
    for number, (name, data) in enumerate(files.items(), 1):
        start, count = len(table), len(padded(data)) // 512
        table += [start + i + 1 for i in range(count - 1)] + [END] * (count > 0)
        body += padded(data)
        entries.append(entry(name, 2, number + 1 if number < len(files) else NONE, NONE,
                             start, len(data)))
    directory = padded(entry("Root Entry", 5, NONE, 1, END, 0) + b"".join(entries))
    start, count = len(table), len(directory) // 512
    table += [start + i + 1 for i in range(count - 1)] + [END]
    header = (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
              + struct.pack("<HHHHH", 62, 3, 0xFFFE, 9, 6) + b"\0" * 10
              + struct.pack("<IIIIIIIII", 1, start, 0, 0, END, 0, END, 0, 0)).ljust(512, b"\xff")
    return header + struct.pack("<%dI" % len(table), *table).ljust(512, b"\xff") + body + directory


def record(number, body=b""):
    return struct.pack("<HH", number, len(body)) + body


def workbook(before=b"", version=0x600):
    """A sheet with a text, a number, a date, a share, a formula's text and packed numbers."""
    head = record(0x809, struct.pack("<HH", version, 5) + b"\0" * 12) + before
    head += record(0x22, b"\0\0") + record(0x42, b"\xe4\x04")
    head += record(0x41E, b"\xa4\0\x08\0\0yyyy\\-mm")
    for number in (0, 14, 10, 164):
        head += record(0xE0, struct.pack("<HH", 0, number))
    tail = record(0xFC, b"\2\0\0\0\2\0\0\0\4\0\0name\2\0\1\xac\x20") + record(0x3C, b"\1\xe9\0")
    tail += record(0xA)
    place = len(head) + 4 + 11 + len(tail)
    head += record(0x85, struct.pack("<IBBBB", place, 0, 0, 3, 0) + b"Old") + tail
    sheet = record(0x809, struct.pack("<HH", version, 16) + b"\0" * 12)
    for body in (b"\0\0\1\0\0\0\0\0\0\0", b"\0\0\2\0\0\0\1\0\0\0"):
        sheet += record(0xFD, body)
    sheet += record(0x27E, b"\1\0\1\0\1\0\x22\xbf\2\0")
    sheet += record(0x203, b"\1\0\2\0\2\0" + struct.pack("<d", 0.125))
    sheet += record(0xBD, b"\2\0\0\0\3\0\1\0\xc0\x5c\3\0\2\0\0\0\1\0")
    sheet += record(0x204, b"\3\0\0\0\0\0\5\0\0label") + record(0x205, b"\3\0\1\0\0\0\1\0")
    sheet += record(6, b"\4\0\1\0\0\0\0\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0\0")
    sheet += record(0x207, b"\2\0\0ok") + record(0xE5, b"\1\0\0\0\1\0\0\0\1\0") + record(0xA)
    return head + sheet


WORDS = (b"See \x13HYPERLINK \"http://x/\"\x14here\x15.\r\xdcber\x0b uns\ra\x07b\x07\x07\x02\x05\r"
         b"foot\r")


def word(flags=0, text=WORDS):
    head = struct.pack("<HH", 0xA5EC, 0xC1) + b"\0" * 6 + struct.pack("<H", flags)
    head = head.ljust(0x4C, b"\0") + struct.pack("<III", len(text) - 5, 5, 0)
    return (head.ljust(0x1A2, b"\0") + struct.pack("<II", 0, 21)).ljust(0x400, b"\0") + text


def word_table(text=WORDS, wide=False):
    place = 0x400 if wide else 0x400 * 2 | 0x40000000
    count = len(text) // 2 if wide else len(text)
    return b"\2" + struct.pack("<IIIHIH", 16, 0, count, 0, place, 0)


def slide_record(head, number, body):
    return struct.pack("<HHI", head, number, len(body)) + body


def slides():
    box = (slide_record(0, 0xF9F, b"\0\0\0\0") + slide_record(0, 0xFA8, b"Title")
           + slide_record(0, 0xF9F, b"\1\0\0\0")
           + slide_record(0, 0xFA0, "one\r€".encode("utf-16le")))
    place = slide_record(0, 0x3F3, struct.pack("<IIIII", 1, 0, 1, 256, 0)) + box
    return (slide_record(15, 0x3E8, slide_record(0, 0xFBA, "e".encode("utf-16le"))
                         + slide_record(15, 0xFF0, place))
            + slide_record(15, 0x3EE, slide_record(15, 0xF00D, box))
            + slide_record(15, 0x3F0, slide_record(15, 0xF00D, box)))


def lzfu(text):
    """As Outlook packs RTF, but nothing is packed."""
    body = b"".join(b"\0" + text[i:i + 8] for i in range(0, len(text), 8))
    return struct.pack("<IIII", len(body) + 12, len(text), 0x75465A4C, zlib.crc32(body)) + body


MESSAGE = {
    "__properties_version1.0": b"12345678901234567890123456789012",
    "__substg1.0_0037001F": "Hi".encode("utf-16le"),
    "__substg1.0_0C1A001E": b"M\xfcller",
    "__substg1.0_0E04001E": b"you",
}
RTF = rb"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}text\par{\*\htmltag72 </p>}}"


def locked_workbook(key, info):
    """Heads of records are not encrypted, and some bodies."""
    plain = workbook(record(0x2F, b"\1\0" + info))
    out, at = bytearray(blocks(key, 1024, plain)), 0
    while at < len(plain):
        kind, size = struct.unpack_from("<HH", plain, at)
        shown = 4 + size if kind in (0x809, 0x2F) else 8 if kind == 0x85 else 4
        out[at:at + shown] = plain[at:at + shown]
        at += 4 + size
    return bytes(out)


def locked_word(key, info):
    text = b"Secret\r"
    plain = bytearray(word(0x300, text))
    plain[14:18] = struct.pack("<I", len(info))
    plain[0x4C:0x54] = struct.pack("<II", len(text), 0)
    plain[0x1A2:0x1A6] = struct.pack("<I", len(info))
    table = info + word_table(text)
    return {"WordDocument": bytes(plain[:68]) + blocks(key, 512, bytes(plain))[68:],
            "1Table": info + blocks(key, 512, table)[len(info):]}


def locked_slides(key, info):
    """The document, its slide, and how they are encrypted; the directory; the edit that leads to
    it."""
    place = slide_record(0, 0x3F3, struct.pack("<IIIII", 2, 0, 0, 256, 0))
    text = slide_record(0, 0xF9F, b"\4\0\0\0") + slide_record(0, 0xFA8, b"Secret")
    objects = [slide_record(15, 0x3E8, slide_record(15, 0xFF0, place)),
               slide_record(15, 0x3EE, slide_record(15, 0xF00D, text))]
    stream, directory = b"filling.", struct.pack("<I", 1 | 3 << 20)
    for i, data in enumerate([rc4(key(i + 1), data) for i, data in enumerate(objects)]
                             + [slide_record(15, 0x2F14, info)]):
        directory += struct.pack("<I", len(stream))
        stream += data
    edit = struct.pack("<IIIIIIII", 0, 0, 0, len(stream), 1, 0, 0, 3)
    stream += slide_record(0, 0x1772, directory)
    user = b"\x14\0\0\0\xdf\xc4\xd1\xf3" + struct.pack("<I", len(stream))
    user += b"\0\0\xf4\3\3\0\0\0\x08\0\0\0"
    return {"PowerPoint Document": stream + slide_record(0, 0xFF5, edit),
            "Current User": slide_record(0, 0xFF6, user)}


def seeds():
    doc = {"WordDocument": word(), "0Table": word_table()}
    wide = WORDS.decode("latin-1").encode("utf-16le")
    ppt = {"PowerPoint Document": slides(), "Current User": b"12345678901234567890"}
    return {
        "xls": (WHOLE, compound({"Workbook": workbook()})),
        "xls_sheet": (WHOLE + SOME, compound({"Book": workbook()})),
        "xls_stream": (BOOK, workbook()),
        "xls_old": (BOOK, workbook(version=0x500)),
        "xls_encrypted": (BOOK, workbook(record(0x2F, b"\0\0\1\2\3\4"))),
        "xls_streams": (STREAMS + SOME, streams({"Workbook": workbook()})),
        "doc": (WHOLE, compound(doc)),
        "doc_streams": (STREAMS, streams(doc)),
        "doc_wide": (STREAMS, streams({"WordDocument": word(text=wide),
                                       "0Table": word_table(wide, True)})),
        "doc_encrypted": (STREAMS, streams({"WordDocument": word(0x100)})),
        "ppt": (WHOLE, compound(ppt)),
        "ppt_streams": (STREAMS, streams(ppt)),
        "msg": (WHOLE, compound({**MESSAGE, "__substg1.0_10130102": b"<p>text</p>"})),
        "msg_plain": (STREAMS, streams({**MESSAGE, "__substg1.0_1000001E": b"text"})),
        "msg_rtf": (STREAMS, streams({**MESSAGE, "__substg1.0_10090102": lzfu(RTF)})),
        "xls_locked": (BOOK + PASSWORD, locked_workbook(key_97, info_97())),
        "xls_locked_128": (STREAMS + PASSWORD, streams({"Workbook": locked_workbook(
            key_128, info_128())})),
        "doc_locked": (STREAMS + PASSWORD, streams(locked_word(key_97, info_97()))),
        "ppt_locked": (STREAMS + PASSWORD, streams(locked_slides(key_128, info_128()))),
        "encrypted": (STREAMS, streams({"EncryptedPackage": b"x"})),
        "cut": (WHOLE, compound(doc)[:512]),
    }


FOLDER.mkdir(parents=True, exist_ok=True)
for name, (ask, data) in seeds().items():
    (FOLDER / name).write_bytes(bytes([ask]) + data)
