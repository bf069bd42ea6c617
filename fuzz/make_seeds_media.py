#!/usr/bin/env python3
"""Write the seeds of fuzz_media: make_seeds_media.py [FOLDER]

Each is a tiny file that the project makes itself, after one byte that chooses a probe to force
(0 forces none). The default folder is corpus/media beside this script.
"""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))
from media_fixtures import box, files, full, stored_zip  # noqa: E402

EXIF = b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0" + b"\0" * 4


def tiff(order, magic):
    if magic == 42:
        fields = [(256, 4, 5), (257, 4, 7), (274, 4, 6)]
        return (order.encode() * 2)[:2] + struct.pack(
            ("<" if order == "I" else ">") + "HIH" + "HHII" * 3 + "I", 42, 8, 3,
            *[n for tag, kind, value in fields for n in (tag, kind, 1, value)], 0)
    mark = "<" if order == "I" else ">"
    return (order.encode() * 2)[:2] + struct.pack(
        mark + "HHHQQ" + "HHQQ" * 2 + "Q", 43, 8, 0, 16, 2, 256, 16, 1, 5, 257, 16, 1, 7, 0)


def heif(brand):
    size = full(b"ispe", 0, struct.pack(">II", 6, 4))
    turn = box(b"irot", b"\1")
    list_ = full(b"ipma", 0, struct.pack(">I", 1), b"\0\1\2\1\x82")
    properties = box(b"iprp", box(b"ipco", size, turn), list_)
    meta = full(b"meta", 0, full(b"pitm", 0, b"\0\1"), properties)
    return box(b"ftyp", brand, b"\0" * 4, b"mif1", brand) + meta


def compound(names):
    """A header, the table of chains, a directory, and one sector of a stream."""
    entries = b""
    for i, name in enumerate(["Root Entry"] + names):
        text = name.encode("utf-16le") + b"\0\0"
        right = i + 1 if 0 < i < len(names) else 0xFFFFFFFF
        child = 1 if i == 0 else 0xFFFFFFFF
        entries += (text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), 2, 1, 0xFFFFFFFF,
                                                        right, child)
                    + b"\0" * 36 + struct.pack("<IQ", 2, 4096))
    header = (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack(
        "<HHHH", 62, 3, 0xFFFE, 9) + b"\0" * 16 + struct.pack("<I", 1) + b"\0" * 24
        + struct.pack("<I", 0)).ljust(512, b"\xff")
    table = struct.pack("<III", 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE).ljust(512, b"\xff")
    return header + table + entries.ljust(512, b"\0") + b"\x09\x08\2\0\0\6\x2f\0\2\0\0\0"


def ogg(packet, granule):
    def page(flags, position, data):
        return (b"OggS\0" + bytes([flags]) + struct.pack("<QIII", position, 7, 0, 0)
                + bytes([1, len(data)]) + data)

    return page(2, 0, packet) + page(4, granule, b"x")


def asf(kind):
    tail = bytes.fromhex("cf11a8fd00805f5c442b")
    stream = bytes.fromhex("9107dcb7b7a9cf118ee600c00c205365") + struct.pack("<Q", 40) + kind + tail
    return (bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
            + struct.pack("<QIBB", 30 + len(stream), 1, 1, 2) + stream)


def seeds():
    own = files()
    out = {name.replace(".", "-"): data for name, data in own.items()}
    out.update({
        "jpeg-exif": own["blue.jpg"][:2] + b"\xff\xe1\0\x22Exif\0\0" + EXIF + own["blue.jpg"][2:],
        "png-exif": own["red.png"][:33] + b"\0\0\0\x1aeXIf" + EXIF + b"\0" * 4
                    + own["red.png"][33:],
        "webp-extended": b"RIFF\x3e\0\0\0WEBPVP8X\x0a\0\0\0\x0a\0\0\0\x0f\0\0\7\0\0"
                         b"ANMF\0\0\0\0EXIF\x18\0\0\0" + EXIF,
        "tiff-little": tiff("I", 42),
        "tiff-big": tiff("M", 42),
        "bigtiff": tiff("I", 43),
        "icon": b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\x28\0\0\0\x16\0\0\0" + b"\0" * 40,
        "avif": heif(b"avif"),
        "heic": heif(b"heic"),
        "jp2": b"\0\0\0\x0cjP  \r\n\x87\n"
               + box(b"jp2h", box(b"ihdr", b"\0\0\0\4\0\0\0\x08" + b"\0" * 6)),
        "jxl": b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"jxlc", b"\xff\x0a\x18\0\x8e\7"),
        "psd": b"8BPS\0\1" + b"\0" * 6 + b"\0\3\0\0\0\4\0\0\0\x08\0\x08\0\3",
        "svg": b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><!-- c -->'
               b'<svg width="8cm" height="50%" viewBox="0 0 30 40"/>',
        "html": b"<!doctype html><title>x</title>",
        "pdf-encrypted": b"%PDF-1.6\n7 0 obj<</Type/XRef/ID[(a\\)b)<00>]/Encrypt 5 0 R>>stream\n"
                         b"startxref\n9\n%%EOF\n",
        "odt": stored_zip([(b"mimetype", b"application/vnd.oasis.opendocument.text")]),
        "xls": compound(["Workbook"]),
        "ppt": compound(["PowerPoint Document", "EncryptedSummary"]),
        "flac": b"fLaC\0\0\0\x22" + b"\0" * 10 + b"\x0a\xc4\x42\xf0\0\0\xac\x44" + b"\0" * 16,
        "aiff": b"FORM\0\0\0\x1eAIFFCOMM\0\0\0\x12\0\1\0\0\x1f\x40\0\x08\x40\x0b\xfa" + b"\0" * 7,
        "mp3-xing": b"ID3\4\0\0\0\0\0\1\0\xff\xfb\x18\xc0" + b"\0" * 17
                    + b"Xing\0\0\0\1\0\0\1\0" + b"\0" * 111,
        "aac": b"\xff\xf1\x50\x80\1\x3f\xfc\0\0" * 2,
        "vorbis": ogg(b"\1vorbis\0\0\0\0\1\x40\x1f\0\0", 8000),
        "opus": ogg(b"OpusHead\1\1\x38\1\x80\xbb\0\0\0\0\0", 48312),
        "webm": b"\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x8a\x16\x54\xae\x6b\x85"
                b"\xae\x83\x83\x81\2",
        "wmv": asf(bytes.fromhex("c0ef19bc4d5b")),
    })
    return out


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus", "media")
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds().items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(b"\0" + data)


if __name__ == "__main__":
    main()
