#!/usr/bin/env python3
"""Write the seeds of fuzz_image: pictures of a few pixels in every format that can be written by
hand.

They go to corpus/image/ beside this file, under their own names; other files there are kept. The
first byte of each chooses a reader or an ask (fuzz_image.c)."""
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "image"
sys.path.insert(0, str(HERE.parent / "tests"))
from media_fixtures import emf, files, wmf  # noqa: E402

BMP, ICO, ICNS, TGA, PCX, QOI, PSD, DDS, PNM, TIFF, JP2 = range(11)
INFO, CONVERT, CROP, FRAME, DRAW_PNG, DRAW_SIXEL, DRAW_BLOCKS, EMF, WMF = range(22, 31)


def bmp_header(width, height, bits, packing=0, colours=0, size=40, more=b""):
    return struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, packing, 0, 0, 0, colours,
                       0) + more


def bmp(header, palette, pixels):
    offset = 14 + len(header) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(pixels), 0, 0, offset) + header + palette + pixels


def icon(pictures):
    out, body = struct.pack("<HHH", 0, 1, len(pictures)), b""
    for width, height, data in pictures:
        out += struct.pack("<BBBBHHII", width, height, 0, 0, 1, 24, len(data),
                           6 + 16 * len(pictures) + len(body))
        body += data
    return out + body


def chunk(kind, data):
    return kind + struct.pack(">I", len(data) + 8) + data


def tga(kind, width, height, bits, flags, data, colour_map=b"", colours=0):
    return struct.pack("<BBBHHBHHHHBB", 0, colours > 0, kind, 0, colours, 24 if colours else 0, 0,
                       0, width, height, bits, flags) + colour_map + data


def pcx(bits, planes, line, data, end=b""):
    return (struct.pack("<BBBBHHHHHH", 10, 5, 1, bits, 0, 0, 3, 1, 72, 72) + bytes(range(48)) + b"\0"
            + struct.pack("<BHH", planes, line, 1)).ljust(128, b"\0") + data + end


def psd(packing, mode, channels, depth, data):
    return (b"8BPS\0\1" + b"\0" * 6 + struct.pack(">HIIHH", channels, 1, 2, depth, mode)
            + b"\0" * 12 + struct.pack(">H", packing) + data)


def dds(fourcc, bits, data):
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    return (b"DDS " + struct.pack("<IIIIIII", 124, 0x1007, 4, 4, 0, 0, 1) + b"\0" * 44
            + struct.pack("<II4sI4I", 32, 4 if fourcc else 0x41, fourcc or b"\0\0\0\0", bits, *masks)
            + struct.pack("<IIIII", 0x1000, 0, 0, 0, 0) + data)


def tiff(mark, fields, data=b""):
    """Fields of one long each; those below zero are places in the data."""
    order = "<" if mark == b"II" else ">"
    start = 8 + 2 + 12 * len(fields) + 4
    out = mark + struct.pack(order + "HIH", 42, 8, len(fields))
    for tag, value in fields:
        out += struct.pack(order + "HHII", tag, 4, 1, value if value >= 0 else start - 1 - value)
    return out + struct.pack(order + "I", 0) + data


TIFF_PLAIN = [(256, 2), (257, 2), (258, 8), (259, 1), (262, 1), (273, -1), (277, 1), (278, 2),
              (279, 4)]
TIFF_TWELVE = [(256, 2), (257, 2), (258, 12), (259, 1), (262, 1), (273, -1), (277, 1), (278, 2),
               (279, 6)]
TIFF_TILES = [(256, 16), (257, 16), (258, 8), (259, 1), (262, 2), (277, 3), (284, 2), (322, 16),
              (323, 16), (324, -1), (325, 256)]
SVG = (b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 3 3"><defs>'
       b'<linearGradient id="g"><stop stop-color="red"/></linearGradient></defs><rect width="3" '
       b'height="2" fill="url(#g)"/><path d="M0 0L3 3Z"/><use href="#g"/></svg>')


def seeds():
    palette = b"\0\0\0\0\0\xff\0\0\xff\0\0\0"
    own = files()
    dib = bmp_header(2, 2, 24) + b"\0\0\xff\xff\0\0\0\0\x40\0\0\0"
    out = {
        "bmp_24": (BMP, bmp(bmp_header(1, 2, 24), b"", b"\xff\0\0\0\0\0\xff\0")),
        "bmp_top": (BMP, bmp(bmp_header(1, -2, 24), b"", b"\xff\0\0\0\0\0\xff\0")),
        "bmp_1": (BMP, bmp(bmp_header(2, 1, 1, 0, 3), palette, b"\x40\0\0\0")),
        "bmp_4": (BMP, bmp(bmp_header(3, 1, 4, 0, 3), palette, b"\x12\0\0\0")),
        "bmp_runs": (BMP, bmp(bmp_header(3, 2, 8, 1, 3), palette,
                              b"\3\0\0\0\0\3\1\2\0\0\0\2\1\0\2\1\0\1")),
        "bmp_runs4": (BMP, bmp(bmp_header(6, 2, 4, 2, 3), palette, b"\6\x12\0\0\0\3\x12\x10\0\1")),
        "bmp_16": (BMP, bmp(bmp_header(2, 1, 16), b"", b"\xff\x7f\x1f\0")),
        "bmp_fields": (BMP, bmp(bmp_header(1, 1, 32, 3, 0, 56, struct.pack(
            "<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)), b"", b"\0\xff\0\x80")),
        "bmp_core": (BMP, bmp(struct.pack("<IHHHH", 12, 2, 1, 1, 1), b"\0\0\0\xff\xff\xff",
                              b"\x40\0\0\0")),
        "dib": (INFO, dib),
        "ico": (ICO, icon([(2, 1, dib)])),
        "ico_png": (ICO, icon([(8, 8, own["red.png"]), (2, 1, dib)])),
        "ico_second": (ICO + 11, icon([(8, 8, own["red.png"]), (2, 1, dib)])),
        "icns_png": (ICNS, b"icns" + struct.pack(">I", 16 + len(own["red.png"]))
                     + chunk(b"ic07", own["red.png"])),
        "icns_runs": (ICNS, b"icns\0\0\0\x40" + chunk(b"is32", b"\xff\1\xff\2\5abcdef\xff\3")
                      + chunk(b"s8mk", b"\x80" * 256)),
        "tga": (TGA, tga(2, 2, 1, 24, 0x20, b"\0\0\xff\xff\0\0")),
        "tga_runs": (TGA, tga(10, 2, 2, 24, 0, b"\x81\0\0\xff\1\0\xff\0\0\0\xff")),
        "tga_map": (TGA, tga(9, 2, 1, 8, 0, b"\0\1\x80\0", b"\1\2\3\4\5\6", 2)),
        "tga_grey": (TGA, tga(3, 2, 1, 8, 0, b"\0\xff")),
        "tga_16": (TGA, tga(2, 2, 1, 16, 0, b"\xff\x7f\0\x80")),
        "tga_32": (TGA, tga(2, 2, 1, 32, 8, b"\1\2\3\0\4\5\6\0")),
        "pcx": (PCX, pcx(8, 3, 4, b"\xc4\xff" * 6)),
        "pcx_map": (PCX, pcx(8, 1, 4, b"\xc4\1\1\2\3\4", b"\x0c" + bytes(range(256)) * 3)),
        "pcx_planes": (PCX, pcx(1, 4, 2, b"\xc1\xf0\0" * 8)),
        "qoi": (QOI, b"qoif\0\0\0\3\0\0\0\1\3\0\xfe\xff\0\0\xc0\xfe\0\0\xff" + b"\0" * 7 + b"\1"),
        "qoi_all": (QOI, b"qoif\0\0\0\4\0\0\0\2\4\0\xff\1\2\3\4\x6a\xa8\x77\x05\xc1" + b"\0" * 7
                    + b"\1"),
        "psd": (PSD, psd(0, 3, 3, 8, b"\xff\0\0\0\0\xff")),
        "psd_runs": (PSD, psd(1, 3, 3, 8, b"\0\2\0\2\0\3\xff\xff\xff\0\1\0\xff")),
        "psd_cmyk": (PSD, psd(0, 4, 4, 8, bytes(8))),
        "psd_bits": (PSD, psd(0, 0, 1, 1, b"\x80")),
        "psd_16": (PSD, psd(0, 1, 1, 16, b"\0\1\2\3")),
        "dds_1": (DDS, dds(b"DXT1", 0, b"\0\xf8\x1f\0\x1b\x1b\x1b\x1b")),
        "dds_3": (DDS, dds(b"DXT3", 0, bytes(8) + b"\0\xf8\x1f\0\x1b\x1b\x1b\x1b")),
        "dds_5": (DDS, dds(b"DXT5", 0, b"\xff\0\x88\xc6\xfa\x88\xc6\xfa\0\xf8\x1f\0\x1b\x1b\x1b\x1b")),
        "dds_plain": (DDS, dds(None, 32, bytes(range(64)))),
        "pnm_1": (PNM, b"P1\n# a comment\n2 1\n10"),
        "pnm_2": (PNM, b"P2 2 1 3 0 3"),
        "pnm_3": (PNM, b"P3 2 1 255 255 0 0  0 0 255"),
        "pnm_4": (PNM, b"P4 2 1\n\x40"),
        "pnm_5": (PNM, b"P5 2 1 65535\n\0\0\xff\xff"),
        "pnm_6": (PNM, b"P6 1 2 255\n\xff\0\0\0\xff\0"),
        "tiff_12": (TIFF, tiff(b"II", TIFF_TWELVE, bytes(range(6)))),
        "tiff_tiles": (TIFF, tiff(b"MM", TIFF_TILES, bytes(256))),
        "tiff": (INFO, tiff(b"II", TIFF_PLAIN, b"\0\x40\x80\xff")),
        "jp2": (JP2, b"\xff\x4f\xff\x51\0\x29\0\0" + struct.pack(">8I", 2, 2, 0, 0, 2, 2, 0, 0)
                + b"\0\1\7\1\1\xff\x52\0\x0c\0\0\0\1\0\0\4\4\0\1\xff\x5c\0\4\x40\x40\xff\x90\0\x0a"
                  b"\0\0\0\0\0\0\0\1\xff\x93\0\xff\xd9"),
        "emf": (EMF, emf([
            (17, 8), (9, 10, -10), (11, 100, 100), (12, 0, 100), (33,), (30, 0, 0, 20, 100),
            (39, 1, 2, 0xff, 4), (37, 1), (38, 2, 1, 3, 0, 0xff00), (37, 2), (43, 0, 0, 50, 100),
            (44, 0, 0, 9, 9, 2, 2), (42, 1, 2, 3, 4), (47, 0, 0, 9, 9, 9, 5, 0, 5), (34, -1),
            (3, 0, 0, 0, 0, 3, 0, 0, 5, 5, 0, 5), (91, 0, 0, 0, 0, 1, 3, 3, 0, 5 << 16, 5),
            (85, 0, 0, 0, 0, 4, 0, 1, 2, 3), (92, 0, 0, 0, 0, 2, 0, 9, 0x206),
            (35, 0, 0x3f800000, -1082130432, 0, 0, 0), (36, 0x3f800000, 0, 0, 0x3f800000, 0, 0, 2),
            (59,), (27, 1, 1), (54, 5, 5), (61,), (60,), (63, 0, 0, 0, 0), (67, 5),
            (75, 64, 5, 32, 1, 2, 32, 0, 0, 9, 9, 0, 0, 3, 3, 3, 3, 9, 9)])),
        "emf_text": (EMF, emf([
            (82, 1, -40, 0, 450, 0, 700, 1, 0, 0x720041, 0x610069, 0x6c), (37, 1), (22, 6), (24, 255),
            (84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 76, 6, 0, 0, 9, 9, 84, 0x480048, 0, 30, 30),
            (108, 1, 1, 2, 0x300, 1, 0, 0, 0x4848)])),
        "emf_bitmap": (EMF, emf([
            (81, 0, 0, 99, 99, 0, 0, 0, 0, 2, 1, 80, 40, 120, 8, 0, 0xcc0020, 100, 100, 40, 2, 1,
             0x180001, 0, 0, 0, 0, 0, 0, -65536, 0),
            (114, 0, 0, 99, 99, 0, 0, 9, 9, 0x1ff0000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 108, 40, 148, 4,
             1, 1, 40, 1, 1, 0x200001, 0, 0, 0, 0, 0, 0, 0x7f7f0000),
            (118, 0, 0, 9, 9, 2, 1, 1, 0, 0, 0x7f00, 0, 9, 9, 0, 0x7f00, 0, 1)])),
        "emf_asked": (CONVERT, emf([(43, 0, 0, 50, 100)])),
        "wmf": (WMF, wmf([
            (0x103, 8), (0x20b, 10, 0), (0x20c, -10, 10), (0x2fc, 0, 0xff, 0, 0), (0x12d, 0),
            (0x2fa, 1, 2, 0, 255, 0), (0x12d, 1), (0x41b, 0, 10, 5, 0), (0x418, 9, 9, 0, 0),
            (0x81a, 0, 5, 5, 0, 9, 9, 0, 0), (0x61c, 2, 2, 9, 9, 0, 0), (0x324, 3, 0, 0, 5, 0, 5, 5),
            (0x538, 1, 3, 0, 0, 5, 0, 5, 5), (0x1e,), (0x416, 9, 9, 0, 0), (0x415, 5, 5, 1, 1),
            (0x214, 1, 1), (0x213, 5, 5), (0x127, -1), (0x41f, 255, 0, 1, 1), (0x1f0, 0)])),
        "wmf_text": (WMF, wmf([
            (0x2fb, -9, 0, 0, 0, 700, 1, 2 << 8, 0, 0, 0x7953, 0x626d, 0x6c6f, 0), (0x12d, 0),
            (0x521, 2, 0x6261, 5, 5), (0xa32, 5, 5, 2, 4, 0, 0, 9, 9, 0x6261, 4, 4)])),
        "wmf_bitmap": (WMF, wmf([
            (0xf43, 0x20, 0xcc, 0, 1, 2, 0, 0, 99, 99, 0, 0, 40, 0, 2, 0, 1, 0, 1, 24, *[0] * 12, 0, -1,
             0, 0),
            (0x940, 0x21, 0xf0, 0, 0, 0, 9, 9, 0, 0), (0x61d, 0x42, 0, 9, 9, 0, 0),
            (0x142, 5, 0, 40, 0, 1, 0, 1, 0, 1, 24, *[0] * 12, 0, 0)])),
        "svg": (CONVERT, SVG),
        "svg_info": (INFO, SVG),
        "svg_drawn": (DRAW_BLOCKS, SVG),
        "png_cut": (CONVERT, own["red.png"][:-20]),
        "jpg_cut": (INFO, own["blue.jpg"][:-6]),
        "hdr": (CONVERT, b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\1\2\3\x80\1\2\3\x81"),
    }
    for name, data in own.items():
        if name.split(".")[1] in ("png", "jpg", "gif", "webp", "bmp"):
            for ask, number in (("info", INFO), ("convert", CONVERT), ("crop", CROP),
                                ("frame", FRAME), ("png", DRAW_PNG), ("sixel", DRAW_SIXEL),
                                ("blocks", DRAW_BLOCKS)):
                out[f"{name.replace('.', '_')}_{ask}"] = number, data
    return out


FOLDER.mkdir(parents=True, exist_ok=True)
for seed, (which, body) in seeds().items():
    (FOLDER / seed).write_bytes(bytes([which]) + body)
