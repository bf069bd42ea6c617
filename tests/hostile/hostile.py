#!/usr/bin/env python3
"""Files that mean harm, and places that are not files: none may take more than its time and memory, none
may end or hang the one who reads it, and each gets a plain error or a result that tells the truth.

    hostile.py PATH-OF-REFRACT [WORD]...

With words, only the cases whose names hold one of them. Prints a line a case with what it cost, then
"N passed, N failed[, N skipped]"; the status is 1 when one failed. What every run is checked against is in
running.py; the files are in bombs.py, and those that take long in large.py.
"""
import base64
import itertools
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

import bombs
from bombs import CANARY, MB
from running import LIMIT_S, MODEL, Machine, expect, judged, told

TEXT_MODEL = "ollama:llama3.1"
CASES = []  # (name, workers, function)
BOMBS = []  # (worker, file, make) of those that a conversation can hold without taking long


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def bomb(name, worker, file, make, words, quick=True):
    """One file; see judged() for `words`. Those that are not `quick` are left out of the conversation at the end."""
    def run(m):
        path = m.write(file, make())
        done = m.read(file)
        path.unlink()
        judged(done, words)
        return done
    CASES.append((name, (worker,), run))
    if quick:
        BOMBS.append((worker, file, make))


# Archives.

bomb("a document that unpacks to a thousand times its size", "office", "ratio.docx",
     lambda: bombs.docx(bombs.paragraph("a" * (64 * MB))), "!a decompression bomb")
bomb("slides of 30 MB each that share their bytes, 1.8 GB in all", "office", "total.pptx",
     lambda: bombs.pptx_total(60, b"skipped"), "unpacks to more than 1024 MB|Slides 1-20 of 60")
bomb("a slide with 30 MB of text, which is cut", "office", "text.pptx",
     lambda: bombs.pptx_total(1, b"t"), "the text is longer than the limit and was cut|--- Slide 1 ---")
bomb("archives in archives in archives are listed, not opened", "archive", "nested.zip",
     lambda: bombs.nested_zip(5, 10), "10 files|4-9.zip")
bomb("200,000 names of one member", "archive", "many.zip",
     lambda: bombs.overlapping([b"%07d.txt" % i for i in range(200000)], b"x"), "1 file, 0 folders")
bomb("25,000 members", "archive", "members.zip",
     lambda: bombs.zipped(*((f"{i:07}.txt", b"") for i in range(25000))),
     "only the first 20000 of 25000 members are listed")
bomb("200,000 members in what should be a document", "office", "many.docx",
     lambda: bombs.overlapping([b"word/%07d.xml" % i for i in range(200000)], b"x"), "!the limit is 100000")
bomb("60,000 members that lie on each other, 1.2 TB if one believes them", "archive", "overlap.zip",
     lambda: bombs.overlapping([b"%07d.txt" % i for i in range(60000)], bytes(20 * MB)),
     "1 file, 0 folders")
bomb("a tar of 2 GB in 2 MB of gzip", "archive", "bomb.tar.gz", lambda: bombs.tar_gz_bomb(128),
     "the list may not be whole")
bomb("2 GB of zeros in 2 MB of gzip", "archive", "bomb.gz", lambda: bombs.gzip_member(bytes(16 * MB)) * 128,
     "!over the limit of 16777216 bytes")
bomb("a tar in bzip2", "archive", "bomb.tar.bz2", lambda: bombs.tar_bz2_bomb(64),
     "the list may not be whole|packed with bzip2")
bomb("a tar in xz", "archive", "bomb.tar.xz", lambda: bombs.tar_xz_bomb(64),
     "the list may not be whole|packed with xz")
bomb("a tar whose sizes overflow", "archive", "claims.tar", bombs.tar_of_claims,
     "!the archive cannot be read")

# XML.

REFUSED = "the XML declares entities, which are refused"
bomb("a billion laughs in docx", "office", "laughs.docx",
     lambda: bombs.docx(bombs.paragraph("&l9;"), bombs.laughs("w:document")), "!" + REFUSED)
bomb("a billion laughs in xlsx", "office", "laughs.xlsx",
     lambda: bombs.xlsx("&l9;", bombs.laughs("worksheet")), REFUSED)
bomb("a billion laughs in odt", "office", "laughs.odt",
     lambda: bombs.odt("<text:p>&l9;</text:p>", bombs.laughs("x")), "!" + REFUSED)
bomb("a billion laughs in epub", "office", "laughs.epub",
     lambda: bombs.epub("&l9;", bombs.laughs("html")), "laughs.epub")
bomb("a billion laughs in svg", "image", "laughs.svg",
     lambda: bombs.svg("<text>&l9;</text>", bombs.laughs("svg")), "!the SVG picture is broken")
bomb("100,000 tables in each other, docx", "office", "tables.docx",
     lambda: bombs.docx(bombs.deep(100000, "<w:tbl><w:tr><w:tc>", bombs.paragraph("bottom"),
                                   "</w:tc></w:tr></w:tbl>")), "!nested too deeply")
bomb("100,000 tables in each other, odt", "office", "tables.odt",
     lambda: bombs.odt(bombs.deep(100000, "<table:table><table:table-row><table:table-cell>",
                                  "<text:p>bottom</text:p>",
                                  "</table:table-cell></table:table-row></table:table>")), "nested too deeply")
bomb("100,000 tables in each other, html", "office", "tables.html",
     lambda: ("<!DOCTYPE html><html><body>" + bombs.deep(100000, "<table><tr><td>", "bottom",
                                                         "</td></tr></table>")).encode(), "bottom")
bomb("100,000 tables in each other, rtf", "office", "tables.rtf",
     lambda: b"{\\rtf1 top" + b"\\trowd\\cellx100\\intbl\\itap99 x\\cell\\row" * 100000 + b"}", "top")
bomb("a million elements deep", "office", "deep.docx",
     lambda: bombs.docx(bombs.deep(1000000, "<w:x>", bombs.paragraph("bottom"), "</w:x>")),
     "!nested too deeply")
bomb("a million groups deep, rtf", "office", "deep.rtf",
     lambda: b"{\\rtf1 top " + b"{\\b " * 1000000 + b"bottom" + b"}" * 1000001, "top bottom")
bomb("a run of 2 GB in 20 bytes, rtf", "office", "claims.rtf",
     lambda: b"{\\rtf1 top \\bin2147483647 x\\u-99999999999 bottom}", "the document is cut off|top")
bomb("300,000 lists, quotes and boxes deep, html", "office", "deep.html",
     lambda: ("<!DOCTYPE html><html><body>" + bombs.deep(300000, "<ul><li><blockquote><div>", "bottom", "")
              ).encode(), "bottom")
bomb("20,000 messages in each other", "office", "deep.eml", lambda: bombs.nested_mail(20000),
     "nested too deep")
bomb("a thousand million rows of a thousand million cells in one", "office", "repeats.ods",
     lambda: bombs.ods_of_repeats(1), "a row that repeats is shown 1000 times at most", quick=False)
bomb("a drawing that uses itself ten to the eleventh times", "image", "uses.svg",
     lambda: bombs.svg_of_uses(12), "?uses.svg", quick=False)
bomb("a drawing of 10 to the 9th pixels each way", "image", "huge.svg",
     lambda: bombs.svg("<rect width='9' height='9'/>", size='width="999999999" height="999999999"'),
     "huge.svg")
bomb("a drawing 200,000 groups deep", "image", "deep.svg",
     lambda: bombs.svg(bombs.deep(200000, "<g>", "<rect width='9' height='9'/>", "</g>")),
     "!the SVG picture is broken")

# PDFs.

bomb("a page of 350,000 km", "pdf", "box.pdf",
     lambda: bombs.one_page(bombs.stream(bombs.HELLO), bombs.FONT, box=b"0 0 1000000000 1000000000"),
     "readable")
bomb("a page whose box is not a box", "pdf", "nan.pdf",
     lambda: bombs.one_page(bombs.stream(bombs.HELLO), bombs.FONT, box=b"-1e38 nan 1e38 9999999999999999"),
     "readable words")
bomb("a tree of pages that is 50,000 deep", "pdf", "tree.pdf", lambda: bombs.deep_tree(50000),
     "Page 1 of 1.", quick=False)
bomb("references that go in circles", "pdf", "loops.pdf", bombs.loops, "page 3 could not be read")
bomb("a table that comes before itself", "pdf", "previous.pdf", bombs.previous_loop, "readable words")
bomb("streams of a thousand million objects that extend each other", "pdf", "objects.pdf",
     lambda: bombs.object_streams(20, 8), "!the PDF is broken")
bomb("1 GB of content in 2 KB", "pdf", "flate.pdf",
     lambda: bombs.one_page(bombs.flate_bomb(1024), bombs.FONT),
     "?takes longer than 10 seconds|could not be read within|--- Page 1 ---", quick=False)
bomb("2,000,000,000 pages, by what it says", "pdf", "count.pdf",
     lambda: bombs.pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2000000000/Kids[3 0 R]>>",
                        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"]), "!no page was found")
bomb("a picture of 65535 x 65535 pixels on a page", "pdf", "image.pdf",
     lambda: bombs.image_page(65535, 65535, bombs.flate(bytes(MB))), "a scanned page")
bomb("a JBIG2 picture of 65535 x 65535 pixels on a page", "pdf", "jbig2.pdf",
     lambda: bombs.image_page(65535, 65535, b"\0\0\0\0\x30\0\1\0\0\0\x13\0\0\xff\xff\0\0\xff\xff" + bytes(11)
                              + b"\0\0\0\1\x26\0\1\0\0\0\x20\0\0\xff\xff\0\0\xff\xff" + bytes(40),
                              b"/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode"),
     "a scanned page")
bomb("fonts that are noise", "pdf", "fonts.pdf", bombs.garbage_fonts, "readable words")
bomb("streams that are noise", "pdf", "streams.pdf", bombs.garbage_streams, "--- Page 1 ---")
bomb("2,000,000 states saved and none restored", "pdf", "saves.pdf",
     lambda: bombs.one_page(bombs.stream(b"q " * 2000000 + bombs.HELLO), bombs.FONT),
     "?the worker \"pdf\" gave up|readable words")
bomb("arrays 2,000,000 deep in the content", "pdf", "arrays.pdf",
     lambda: bombs.one_page(bombs.stream(b"[" * 2000000 + bombs.HELLO), bombs.FONT), "--- Page 1 ---")
bomb("dictionaries 500,000 deep in a page", "pdf", "dictionaries.pdf",
     lambda: bombs.one_page(bombs.stream(bombs.HELLO), bombs.FONT + b"/X" + b"[<</A" * 500000),
     "readable words")
bomb("2,000,000 lines of text on a page", "pdf", "glyphs.pdf",
     lambda: bombs.one_page(bombs.stream(bombs.flate(
         b"BT /F1 1 Tf " + b"(aaaaaaaaaa bbbbbbb) Tj " * 2000000 + b"ET"), b"/Filter/FlateDecode"),
         bombs.FONT), "aaaaaaaaaa bbbbbbb")

# Pictures.

bomb("PNG, 65535 x 65535 by its head", "image", "claims.png", lambda: bombs.png(65535, 65535),
     "!the picture has 65535 x 65535 pixels")
bomb("GIF, 65535 x 65535 by its head", "image", "claims.gif", lambda: bombs.gif(65535, 65535), "claims.gif")
bomb("BMP, 65535 x 65535 by its head", "image", "claims.bmp", lambda: bombs.bmp(65535, 65535),
     "!65535 x 65535 pixels")
bomb("BMP, packed, 65535 x 65535 by its head", "image", "packed.bmp", lambda: bombs.bmp(65535, 65535, 8, 1),
     "!65535 x 65535 pixels")
bomb("BMP, as negative as can be", "image", "negative.bmp", lambda: bombs.bmp(-2 ** 31, -2 ** 31),
     "!an impossible size")
bomb("TIFF, 65535 x 65535 by its head", "image", "claims.tiff", bombs.tiff_claims,
     "!the picture has 65535 x 65535 pixels")
bomb("WebP, 65535 x 65535 by its head", "image", "claims.webp", bombs.webp_claims,
     "!the WebP picture is broken")
bomb("JPEG, 65535 x 65535 by its head, in 20,000 passes", "image", "claims.jpg", bombs.jpeg_claims,
     "!the JPEG picture is broken")
bomb("PPM, 65535 x 65535 by its head", "image", "claims.ppm", bombs.pnm_claims, "!65535 x 65535 pixels")
bomb("QOI, 65535 x 65535 by its head", "image", "claims.qoi", bombs.qoi_claims, "!65535 x 65535 pixels")
bomb("PSD, 65535 x 65535 by its head", "image", "claims.psd", bombs.psd_claims, "!65535 x 65535 pixels")
bomb("ICO of 65535 pictures of 4 GB", "image", "claims.ico", bombs.ico_claims, "!claims.ico")
bomb("PNG, 256 million pixels in 1 MB", "image", "bomb.png", lambda: bombs.png_bomb(16000), "16000x16000")
bomb("PNG with 400 MB of remarks in 400 KB", "image", "remarks.png", bombs.png_text_bomb, "8x8")
bomb("TIFF, 64 million pixels in one strip of 60 KB", "image", "bomb.tiff", lambda: bombs.tiff_bomb(8000),
     "8000x8000")
bomb("TIFF whose next picture is itself", "image", "loop.tiff", bombs.tiff_loop, "8x8")
bomb("GIF of 20,000 frames", "image", "frames.gif", lambda: bombs.gif(8000, 8000, 20000), "frames or pages")

# Sound and video.

bomb("WAV with 65535 channels at 4 GHz", "av", "claims.wav", bombs.wav_claims, "!the file is broken")
bomb("WAV of 4 GB, by what it says", "av", "long.wav", bombs.wav_too_long, "0.5 s|the file is cut off")
bomb("MP4 of 2^63 bytes, with tables of 2^32 rows", "av", "claims.mp4", bombs.mp4_claims,
     "!the file is broken")
bomb("MP4, 100,000 boxes deep", "av", "deep.mp4", lambda: bombs.mp4_depth(100000), "!neither sound nor video")
bomb("Matroska with clusters of 2^35 bytes", "av", "claims.mkv", bombs.matroska_claims,
     "!neither sound nor video")
bomb("MP3 with a tag of 256 MB", "av", "claims.mp3", bombs.mp3_claims, "!the file is broken")


# What a document may not reach, or cost.


@case("sheets that are asked for one by one cost no more than all at once", "office")
def _(m):
    m.write("a.ods", bombs.ods_of_repeats(20))
    done = m.read("a.ods#p=1,2,3,4,5,6,7,8,9,10,11,12")
    told(done, "of 20.", "cut")
    return done


@case("no document reads another file", "office", "image")
def _(m):
    secret = m.write("secret.txt", CANARY)
    files = {
        "x.docx": bombs.docx(bombs.paragraph("&x;"), bombs.external("w:document", secret)),
        "x.xlsx": bombs.xlsx("&x;", bombs.external("worksheet", secret)),
        "x.odt": bombs.odt("<text:p>&x;</text:p>", bombs.external("x", secret)),
        "x.epub": bombs.epub("&x;", bombs.external("html", secret)),
        "x.svg": bombs.svg("<text>&x;</text>", bombs.external("svg", secret)),
        "y.svg": bombs.svg(f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret}" '
                           'parse="text"/>'),
        "x.html": f'<!DOCTYPE html><html><body><iframe src="{secret}"></iframe>a</body></html>'.encode(),
    }
    for name, data in files.items():
        m.write(name, data)
        done = m.read(name, "--json")
        expect(CANARY.encode() not in done.out and CANARY not in done.err, f"{name}: {done.out[:500]!r}")


def colours(data):
    """Those of an 8-bit PNG, by what its rows hold."""
    expect(data.startswith(b"\x89PNG"), data[:16])
    width, height, bits, kind = struct.unpack(">IIBB", data[16:26])
    body, palette, at = b"", None, 8
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            body += data[at + 8:at + 8 + n]
        if data[at + 4:at + 8] == b"PLTE":
            palette = data[at + 8:at + 8 + n]
        at += 12 + n
    return (width, height, bits, kind), palette, zlib.decompress(body)


@case("no drawing shows another file", "image")
def _(m):
    red = b"".join(b"\0" + b"\xff\0\0" * 16 for _ in range(16))
    path = m.write("red.png", bombs.png(16, 16, red, colour=2))
    plain = bombs.svg("<rect width='1' height='1'/>", size='width="16" height="16"')
    shown = []
    for href in "", str(path), f"file://{path}", "red.png":
        data = plain if not href else bombs.svg(
            f"<rect width='1' height='1'/><image xlink:href=\"{href}\" href=\"{href}\" width=\"16\" "
            'height="16"/>', size='width="16" height="16"')
        m.write("a.svg", data)
        blocks = json.loads(m.read("a.svg#xywh=0,0,16,16", "--json").out)["content_blocks"]
        shown.append(colours(base64.b64decode(blocks[0]["data"])))
    expect(all(one == shown[0] for one in shown), "the other picture can be seen")


# Places that are not files.


@case("pipes, devices, sockets and kernel files are refused at once")
def _(m):
    os.mkfifo(m.folder / "pipe.txt")
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(m.folder / "socket.png"))
    for path in (m.folder / "pipe.txt", m.folder / "socket.png", "/dev/zero", "/dev/tty", "/dev/null",
                 "/dev/full", "/dev/random", "/dev/stdin"):
        done = m.read(path, "--root", "/")
        expect(done.status in (5, 6), f"{path}: {done.status} {done.out[:200]!r}")
    bound.close()
    done = m.read("/proc/self/mem", "--root", "/")
    told(done, "is empty")
    for path in "/proc/self/fd/0", "/proc/self/exe", "/proc/self/cwd/x", "/proc/1/root/etc/passwd":
        m.read(path, "--root", str(m.folder))


@case("a folder with the name of a file is a folder")
def _(m):
    for name in "a.png", "a.pdf", "a.docx", "a.wav":
        (m.folder / name).mkdir()
        told(m.read(name), "[Folder: ")


@case("no path leads out: upwards, absolute, by links, by magic links")
def _(m):
    m.write("outside.txt", CANARY)
    inside = m.folder / "root"
    (inside / "sub").mkdir(parents=True)
    (inside / "up").symlink_to("..")
    (inside / "to").symlink_to(m.folder / "outside.txt")
    (inside / "slash").symlink_to("/")
    (inside / "magic").symlink_to("/proc/self/cwd/outside.txt")
    (inside / "loop").symlink_to("loop")
    tried = ["../outside.txt", "sub/../../outside.txt", "up/outside.txt", "to", "magic", "loop", "/etc/passwd",
             str(m.folder / "outside.txt"), f"slash{m.folder}/outside.txt", "/proc/self/cwd/outside.txt",
             "sub/" + "../" * 500 + "etc/passwd", "root/to", "up/root/to", f"/proc/{os.getpid()}/root/etc/passwd"]
    for path in tried:
        done = m.read(inside / path if not path.startswith("/") else path, "--root", str(inside), status={6, 7})
        expect(CANARY not in done.err, done.err)


def swapped(swap):
    """A process that swaps until it is ended."""
    child = os.fork()
    if not child:
        signal.alarm(LIMIT_S)
        try:
            while True:
                swap()
        finally:
            os._exit(1)
    return child


def end(child):
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@case("a link that is swapped 300 times over never shows what lies outside")
def _(m):
    inside, seen = m.folder / "root", {"inside": 0, "refused": 0}
    for folder, text in (m.folder / "outside", CANARY), (inside / "good", "inside"):
        folder.mkdir(parents=True)
        (folder / "file").write_text(text)

    def swap():
        for target in "good/file", "../outside/file":
            os.symlink(target, inside / ".new")
            os.rename(inside / ".new", inside / "link")
        for target in "good", "../outside":
            os.symlink(target, inside / ".new")
            os.rename(inside / ".new", inside / "folder")
    swap()
    child = swapped(swap)
    try:
        for i in itertools.count():
            if i >= 300 and all(seen.values()):
                break
            expect(i < 30000, f"no race: {seen}")
            done = subprocess.run([m.program, "read", "--no-cache", "--root", str(inside),
                                   str(inside / ("link" if i % 2 else "folder/file"))], cwd=m.folder, env=m.env,
                                  capture_output=True, timeout=LIMIT_S, check=False)
            expect(done.returncode in (0, 6, 7), f"status {done.returncode}: {done.stderr!r}")
            expect(CANARY.encode() not in done.stdout + done.stderr, "the outside was read")
            seen["refused" if done.returncode else "inside"] += 1
    finally:
        end(child)


# Files that change.


@case("files that change, shrink and grow while they are read", "image", "pdf", "office")
def _(m):
    wide = b"".join(b"\0" + os.urandom(3 * 600) for _ in range(600))
    text = b"".join(b"line %d\n" % i for i in range(400000))
    pages = bombs.one_page(bombs.stream(bombs.HELLO * 2000), bombs.FONT)
    files = {"a.txt": text, "a.png": bombs.png(600, 600, wide, colour=2), "a.pdf": pages,
             "a.docx": bombs.docx(bombs.paragraph("words ") * 20000)}
    for name, data in files.items():
        path = m.write(name, data)

        def change(path=path, data=data):
            for n in 0, len(data) // 2, len(data), len(data) * 2:
                with open(path, "r+b") as f:
                    f.truncate(n)
                    f.write(data[:n])
                time.sleep(0.004)
        child = swapped(change)
        try:
            for _ in range(12):
                m.read(name)
        finally:
            end(child)
        m.write(name, data)
        told(m.read(name), "" if name == "a.png" else "line" if name == "a.txt" else "words")


# Names.


@case("names that hold line feeds and escapes reach no terminal", "office")
def _(m):
    evil = "a\nb\x1b[31m\x1b]0;title\x07\x9b\u202e.txt"
    m.write(evil, "text\n")
    m.write(evil[:-4] + ".png", b"no picture")
    with zipfile.ZipFile(m.folder / "names.zip", "w") as z:
        z.writestr(evil, "x")
    m.write("title.docx", bombs.docx(bombs.paragraph("\x85\u009b31m red")))
    for args in ([evil], [evil[:-4] + ".png"], ["names.zip"], ["."], ["no\x1b[31m\nsuch"], ["title.docx"],
                 [evil, "--json"]):
        lead, follow = pty.openpty()
        with subprocess.Popen([m.program, "read", "--no-cache", *args], stdin=subprocess.DEVNULL, stdout=follow,
                              stderr=follow, cwd=m.folder, env=m.env) as process:
            os.close(follow)
            seen = drain(lead)
            expect(process.wait(timeout=LIMIT_S) in (0, 6), f"{args}: {process.returncode}")
        said = seen.decode().replace("\r\n", "\n")
        expect(said and not any(c < " " and c not in "\n\t" or "\x7f" <= c < "\xa0" for c in said),
               f"{args}: {said!r}")


def drain(lead):
    seen = b""
    while True:
        try:
            piece = os.read(lead, 65536)
        except OSError:  # the other end is gone
            break
        if not piece:
            break
        seen += piece
    os.close(lead)
    return seen


# All of it in one conversation.


def kind_of(file):
    suffix = file.rpartition(".")[2]
    if suffix in ("png", "gif", "bmp", "tiff", "webp", "jpg", "ppm", "qoi", "psd", "ico", "svg"):
        return "image"
    return {"wav": "audio", "mp3": "audio", "mp4": "video", "mkv": "video"}.get(suffix, "document")


def conversation(names):
    blocks = [{"type": kind_of(name), "source_path": name, "name": name} for name in names]
    messages = [{"role": "user", "content": "Look at these."}]
    for i, block in enumerate(blocks):
        call = {"type": "tool_call", "id": f"c{i}", "name": "look", "arguments": {}}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "name": "look", "success": True, "output": "",
                         "content_blocks": [block]})
    return json.dumps({"refract": 1, "messages": messages})


def encode_all(m, there, model):
    names = []
    for worker, file, make in BOMBS:
        if worker in there:
            m.write(file, make())
            names.append(file)
    m.write("conversation.json", conversation(names))
    done = m.run("encode", "-m", model, "conversation.json", status={0})
    said = list(results(json.loads(done.out)))
    # The window is finite: the oldest exchanges, of two messages each, may be left out, and that is said.
    gone = re.search(rb"The first (\d+) messages of this conversation were left out", done.out)
    left = len(names) - (int(gone[1]) - 1) // 2 if gone else len(names)
    expect(len(said) == left, f"{len(said)} results for {left} files")
    missing = [name for name, text in zip(names[-left:], said) if not text]
    expect(not missing, f"nothing is said about {missing}")
    return done


def results(body):
    """What each result of a tool holds, of both APIs that are asked here."""
    for message in body["messages"]:
        if message["role"] == "tool":
            yield message["content"]
        elif message["role"] == "user" and isinstance(message["content"], list):
            yield from (part["content"] for part in message["content"] if part["type"] == "tool_result")


@case("a conversation that holds them all is a request with a word about each, for a model with eyes",
      "image", "pdf", "office", "av")
def _(m):
    return encode_all(m, {"image", "pdf", "office", "av"}, MODEL)


@case("and for a model without eyes", "image", "pdf", "office", "av")
def _(m):
    return encode_all(m, {"image", "pdf", "office", "av"}, TEXT_MODEL)


def built(program, folder):
    m = Machine(program, folder)
    rows = [json.loads(line) for line in m.run("doctor", "--json", status={0, 8}).out.splitlines()]
    return {row["name"] for row in rows if row["area"] == "worker" and row["health"] != "missing"}


def run_all(program, cases, words):
    """Run those that a word of the command line names; used by large.py, too."""
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="refract-hostile-") as folder:
        there = built(program, folder)
    for name, workers, function in cases:
        if words and not any(word in name for word in words):
            continue
        if not set(workers) <= there:
            skipped += 1
            print(f"skipped {name}: needs {', '.join(sorted(set(workers) - there))}, not built here")
            continue
        begun = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="refract-hostile-") as folder:
                done = function(Machine(program, folder))
            cost = done.cost() if done else f"{time.monotonic() - begun:.1f} s"
            print(f"ok      {name} ({cost})", flush=True)
            passed += 1
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_all(os.path.abspath(sys.argv[1]), CASES, sys.argv[2:]))
