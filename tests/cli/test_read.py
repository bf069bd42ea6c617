#!/usr/bin/env python3
"""refract read and refract doctor as a script sees them, over files that are made here.

    test_read.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. Cases that need a worker
which is not built here are left out, and said to be.
"""
import base64
import bz2
import gzip
import io
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import media_fixtures
import test_cli
from test_cli import LIMIT_S, Cli, expect, png

test_cli.STATUSES.add(7)
FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
CASES = []


def case(name, *workers):
    def add(function):
        CASES.append((name, workers, function))
        return function
    return add


def pdf(pages, encrypt=b""):
    """So many pages, each with a line of text; one whose line is empty has none."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in pages:
        stream = b"BT /F1 24 Tf 72 700 Td (%s) Tj ET" % text if text else b""
        kids.append(b"%d 0 R" % (len(objects) + 1))
        objects.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
                       b"/Resources<</Font<</F1 3 0 R>>>>>>" % (len(objects) + 2))
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return pdf_of(objects, encrypt)


def pdf_of(objects, encrypt=b""):
    """A file of these objects, of which the first is the catalogue."""
    out, places = b"%PDF-1.4\n", []
    for i, body in enumerate(objects):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (i + 1, body)
    table = b"".join(b"%010d 00000 n \n" % at for at in places)
    return out + (b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n"
                  % (len(objects) + 1, table, len(objects) + 1, encrypt, len(out)))


def read(t, *args, **how):
    return t.good("read", "--no-cache", *args, **how).out.decode()


def result(t, *args, status=0):
    done = t.run("read", "--no-cache", "--json", *args)
    expect(done.status == status, f"status {done.status}: {done.out[:300]}")
    return done.json()


def failed(t, part, *args, status=6):
    found = result(t, *args, status=status)
    expect(found["success"] is False and found["output"] == "" and found["content_blocks"] == [], found)
    expect(part in found["error"], f"{found['error']!r} does not hold {part!r}")
    t.bad(status, part.split(". ")[0], "read", "--no-cache", *args)


# Text.


@case("a text is printed as it is")
def _(t):
    t.write("a.txt", "one\n\ttwo\n")
    expect(read(t, "a.txt") == "one\n\ttwo\n", read(t, "a.txt"))
    found = result(t, "a.txt")
    expect(found == {"name": "read_file", "success": True, "output": "one\n\ttwo\n",
                     "content_blocks": []}, found)


@case("standard input is read as any file, whole or a part of it, and its bytes are in the result")
def _(t):
    pages = pdf([b"one", b"two", b"three"])
    expect(t.good("read", "--no-cache", "-", given=b"one\ntwo\n").out == t.good("read", "--no-cache", t.write("same", "one\ntwo\n")).out, "a text")
    for args in (["-#p=2-3"], ["-", "--pages", "2-3"]):
        said = json.loads(t.good("read", "--no-cache", "--json", *args, given=pages).out)
        block, = said["content_blocks"]
        expect(block["name"] == "stdin" and block["page_range"] == [1, 3] and "source_path" not in block, block)
        expect(base64.b64decode(block["data"]) == pages, block["media_type"])
    t.bad(6, "stdin: ", "read", "--no-cache", "-", given=png()[:40])
    t.bad(2, "either", "read", "--password-file", "-", "-")


@case("a window of lines says how to go on, first")
def _(t):
    t.write("a.txt", "".join(f"line {i}\n" for i in range(1, 1205)))
    text = read(t, "a.txt", "--offset", "3", "--limit", "2")
    expect(text == "Lines 3-4 of 1,204. Use offset=5 to continue.\nline 3\nline 4\n", text)
    expect(read(t, "a.txt", "--offset", "1204") == "Lines 1204-1204 of 1,204.\nline 1204\n", text)


@case("line numbers on request")
def _(t):
    t.write("a.txt", "x\ny")
    expect(read(t, "a.txt", "-n") == "     1\tx\n     2\ty\n", read(t, "a.txt", "-n"))


@case("30 KB a read, in whole lines")
def _(t):
    t.write("a.txt", "".join(f"{i:099}\n" for i in range(1, 1001)))
    head, body = read(t, "a.txt").split("\n", 1)
    expect(head == "Lines 1-307 of 1,000. Use offset=308 to continue.", head)
    expect(len(body) == 30700, len(body))


@case("a long line is cut within its last character, with a note")
def _(t):
    t.write("a.txt", "ä" * 1001 + "x\nshort\n")
    text = read(t, "a.txt")
    expect(text == "[1 long line was cut after 2000 bytes]\n" + "ä" * 1000
           + " [3 more bytes in this line: read on with byte_offset=2000]\nshort\n", text)


def follow(t, path):
    """All of a text of one line, read as the notes of each piece say."""
    whole, at = "", 0
    while at is not None:
        text = result(t, path, *(["--byte-offset", str(at)] if at else []))["output"]
        if at:
            head, text = text.split("\n", 1)
            expect(head.startswith(f"Bytes {at}-"), head)
            on = re.search(r"Use byte_offset=(\d+) to continue\.$", head)
        else:
            on = re.search(r" \[[0-9,]+ more bytes in this line: read on with byte_offset=(\d+)\]\n$", text)
            text = text[text.index("]\n") + 2:on.start()]
        whole += text
        at = int(on[1]) if on else None
    return whole


@case("a line of 300 KB is read whole by doing what each piece says")
def _(t):
    line = json.dumps({"rows": [f"Grüße {i} 𝄞" for i in range(16000)]}, ensure_ascii=False)
    expect(len(line.encode()) > 300000, len(line.encode()))
    t.write("data.json", line)
    got = follow(t, "data.json")
    expect(got == line, (len(got), len(line)))


@case("and so is one in Latin-1, whose bytes are counted as the text is shown")
def _(t):
    line = "Straße " * 6000 + "."
    t.write("old.txt", line.encode("latin-1"))
    whole, at = "", 0
    while at is not None:
        text = result(t, "old.txt", "--byte-offset", str(at), "--byte-limit", "9999")["output"]
        head, told, text = text.split("\n", 2)
        expect("[Encoding: windows-1252" in told, told)
        on = re.search(r"Use byte_offset=(\d+) to continue\.$", head)
        whole, at = whole + text, int(on[1]) if on else None
    expect(whole == line, (len(whole), len(line)))


@case("bytes are a part of a file: #bytes=A-B, from 0, the last one too")
def _(t):
    t.write("a.txt", "0123456789")
    for part, want in [("2-4", "Bytes 2-4 of 10. Use byte_offset=5 to continue.\n234"),
                       ("7-", "Bytes 7-9 of 10.\n789"), ("0-", "0123456789")]:
        found = result(t, f"a.txt#bytes={part}")["output"]
        expect(found == want, found)
    found = result(t, "a.txt#bytes=2-4", "--byte-offset", "5")["output"]
    expect(found == "Bytes 5-7 of 10. Use byte_offset=8 to continue.\n567", found)
    failed(t, "byte_offset 10 is past the end: there are 10 bytes", "a.txt#bytes=10-", status=2)
    failed(t, "lines and bytes are asked for at once", "a.txt", "--offset", "1", "--byte-offset", "1", status=2)
    t.write("b.png", png(2, 2))
    failed(t, "a PNG file has no text (#bytes)", "b.png#bytes=0-1", status=2)


@case("bytes of a file that nobody knows come as they are written in hex")
def _(t):
    t.write("a.bin", bytes(range(256)) * 40)
    text = read(t, "a.bin#bytes=256-271")
    expect("Bytes 256-271 of 10,240. Use byte_offset=272 to continue." in text, text)
    expect("00000100  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  ................\n" in text, text)


@case("the text of a document that is cut says how to read on, and so it is read whole", "office")
def _(t):
    words = " ".join(f"word{i}" for i in range(30000))
    t.write("a.html", "<html><body><p>" + words + "</p></body></html>")
    got = follow(t, "a.html")
    expect(got.strip() == words, (len(got), len(words)))


@case("encodings: UTF-16 with its mark, Latin-1 as a guess, UTF-8 with its mark")
def _(t):
    t.write("a.txt", "\ufeffGrüße 𝄞\r\n".encode("utf-16-le"))
    expect(read(t, "a.txt") == "[Encoding: UTF-16, converted to UTF-8]\nGrüße 𝄞\n", read(t, "a.txt"))
    t.write("b.txt", "\ufeffGrüße\n".encode("utf-16-be"))
    expect(read(t, "b.txt") == "[Encoding: UTF-16, converted to UTF-8]\nGrüße\n", read(t, "b.txt"))
    t.write("c.txt", "Stra\u00dfe \u20ac\n".encode("cp1252"))
    expect("guess" in read(t, "c.txt") and read(t, "c.txt").endswith("\nStraße €\n"), read(t, "c.txt"))
    t.write("d.txt", b"\xef\xbb\xbfhello\n")
    expect(read(t, "d.txt") == "hello\n", read(t, "d.txt"))


@case("an offset past the end is wrong usage, and names the end")
def _(t):
    t.write("a.txt", "one\n")
    failed(t, "there is 1 line", "a.txt", "--offset", "9", status=2)


@case("an empty text is said to be empty; an empty picture is an error")
def _(t):
    t.write("a.txt", "")
    expect(read(t, "a.txt") == "[The file a.txt is empty.]\n", read(t, "a.txt"))
    t.write("a.png", "")
    failed(t, "a.png: the file is empty", "a.png")


@case("bytes of no known format are shown as bytes, never as text")
def _(t):
    t.write("blob", bytes(range(256)))
    text = read(t, "blob")
    expect(text.startswith("[Binary file: blob, 256 bytes, of no format that is known here."), text)
    expect("00000000  00 01 02 03" in text and "................" in text, text)
    t.write("prog", b"\x7fELF" + bytes(60))
    expect("ELF program" in read(t, "prog"), read(t, "prog"))


@case("a name that lies about a picture is refused")
def _(t):
    t.write("a.png", "<!DOCTYPE html><html><body>not found</body></html>")
    failed(t, "it is HTML, not a PNG as its name says", "a.png")


# Paths.


@case("what is not there, and what is not a file")
def _(t):
    failed(t, "nope.txt: there is no such file", "nope.txt")
    os.mkfifo(t.folder / "pipe")
    failed(t, "not a regular file", "pipe")


@case("no path leads out of the root: upwards, absolute, or by a link")
def _(t):
    inside = t.folder / "inside"
    inside.mkdir()
    t.write("secret.txt", "secret\n")
    t.write("inside/a.txt", "fine\n")
    (inside / "link").symlink_to("../secret.txt")
    (inside / "loop").symlink_to("loop")
    (inside / "good").symlink_to("a.txt")
    (inside / "up").symlink_to("..")
    for path in ("../secret.txt", str(t.folder / "secret.txt"), "link", "up/secret.txt", "/etc/passwd",
                 "/dev/zero", "/proc/self/mem"):
        done = t.run("read", "--no-cache", "--json", "--root", ".", path, cwd=inside)
        expect(done.status == 7 and b"secret\n" not in done.out, f"{path}: {done.status} {done.out}")
    expect(t.run("read", "--no-cache", "loop", cwd=inside).status == 6, "loop")
    expect(t.good("read", "--no-cache", "good", cwd=inside).out == b"fine\n", "a link within")
    expect(t.good("read", "--no-cache", "--root", "..", "../secret.txt", cwd=inside).out == b"secret\n",
           "another root")


@case("what a person names is read wherever it is; only --root confines it")
def _(t):
    inside = t.folder / "inside"
    inside.mkdir()
    t.write("secret.txt", "secret\n")
    (inside / "link").symlink_to("../secret.txt")
    for path in ("../secret.txt", str(t.folder / "secret.txt"), "link"):
        expect(t.good("read", "--no-cache", path, cwd=inside).out == b"secret\n", path)
    t.bad(7, "outside of the folder", "read", "--no-cache", "--root", ".", "../secret.txt", cwd=inside)


@case("devices and kernel files within the root are refused, or empty")
def _(t):
    done = t.run("read", "--no-cache", "--root", "/", "/dev/zero")
    expect(done.status == 6, done.err)
    expect(t.good("read", "--no-cache", "--root", "/", "/proc/self/environ").out.endswith(b"is empty.]\n"),
           "environ")


@case("a folder is listed, in order, without following links")
def _(t):
    (t.folder / "d" / "sub").mkdir(parents=True)
    t.write("d/b.txt", "x" * 1234)
    t.write("d/a\nb", "")
    (t.folder / "d" / "z").symlink_to("/etc")
    text = read(t, "d")
    expect(text == "[Folder: d, 4 entries]\n              0  a?b\n          1,234  b.txt\n"
           "         folder  sub/\n           link  z\n", text)
    expect(read(t, "d", "--limit", "1").startswith("Entries 1-1 of 4. Use offset=2 to continue.\n"),
           "cut")


@case("a file whose name really ends in a part wins; unknown parts are wrong usage")
def _(t):
    t.write("a.txt#p=1", "really\n")
    expect(read(t, "a.txt#p=1") == "really\n", "name")
    t.write("b.txt", "b\n")
    failed(t, "names no part", "b.txt#q=1", status=2)
    failed(t, "a text file has no pages (#p)", "b.txt#p=1", status=2)
    failed(t, "names no part", "b.txt#p=3-2", status=2)


@case("lines of a text, also of one in an archive; a part that it has not is told with those that it has",
      "archive")
def _(t):
    t.write("hello.py", "".join(f"line {i}\n" for i in range(1, 61)))
    expect(read(t, "hello.py#L10-12") == "Lines 10-12 of 60. Use offset=13 to continue.\n"
           "line 10\nline 11\nline 12\n", read(t, "hello.py#L10-12"))
    expect(read(t, "hello.py#L60") == "Lines 60-60 of 60.\nline 60\n", read(t, "hello.py#L60"))
    expect(read(t, "hello.py#L59-") == read(t, "hello.py#L59-L60"), "to the end")
    for part in ("L0", "L3-2", "L3-x"):
        failed(t, "names no part of a file. Of Python", f"hello.py#{part}", status=2)
    failed(t, "line 61 is past the end", "hello.py#L61", status=2)
    failed(t, "lines are named with #L10-40", "hello.py#lines=3", status=2)
    t.write("red.png", png())
    failed(t, "a PNG file has no lines (#L). Of PNG, a piece of a picture is named with #xywh=", "red.png#L3", status=2)
    with zipfile.ZipFile(t.folder / "bundle.zip", "w") as z:
        z.write(t.folder / "hello.py", "src/hello.py")
        z.writestr("data.csv", "a,b\n1,2\n")
    for name in ("bundle.zip#src/hello.py#L3", "bundle.zip/src/hello.py#L3"):
        expect(read(t, name).endswith("Lines 3-3 of 60. Use offset=4 to continue.\nline 3\n"), read(t, name))
    expect(read(t, "bundle.zip#data.csv") == read(t, "bundle.zip/data.csv"), "a member after the mark")
    failed(t, "no such file in the archive. Did you mean src/hello.py? Read the archive", "bundle.zip#helo.py")
    t.write("bundle.zip#data.csv", "really\n")
    expect(read(t, "bundle.zip#data.csv") == "really\n", "the name wins")


@case("a sheet that is not there is told with those that are", "office")
def _(t):
    spaces = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
              'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
              'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"')
    tables = "".join(f'<table:table table:name="{name}"><table:table-row><table:table-cell><text:p>in {name}</text:p>'
                     "</table:table-cell></table:table-row></table:table>" for name in ("Q1", "Q2"))
    with zipfile.ZipFile(t.folder / "book.ods", "w") as z:
        z.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        z.writestr("content.xml", f"<office:document-content {spaces}><office:body><office:spreadsheet>{tables}"
                   "</office:spreadsheet></office:body></office:document-content>")
    text = read(t, "book.ods#sheet=Q2")
    expect("in Q2" in text and "in Q1" not in text, text)
    failed(t, 'book.ods: there is no sheet "Q3"; there are "Q1", "Q2"', "book.ods#sheet=Q3", status=2)


@case("a stretch of a film is its frames and its sound", "av")
def _(t):
    picture = (FIXTURES / "blue.jpg").read_bytes()
    t.write("clip.avi", media_fixtures.avi([picture] * 6, 8, bytes(range(0, 240, 5)) * 1000))
    found = result(t, "clip.avi#t=2-4")
    blocks = found["content_blocks"]
    expect([b["name"] for b in blocks] == ["clip.avi at 2.0 s", "clip.avi at 3.0 s", "clip.avi at 4.0 s", "clip.avi"],
           found["output"])
    expect([b["type"] for b in blocks] == ["image", "image", "image", "audio"], found["output"])
    expect(blocks[3]["duration_ms"] == 2000 and "from 2000 ms to 4000 ms" in found["output"], found)
    t.write("quiet.mp4", (FIXTURES / "clip.mp4").read_bytes())
    expect([b["type"] for b in result(t, "quiet.mp4#t=0-1")["content_blocks"]] == ["image"], "without sound")
    failed(t, "it ends before that", "clip.avi#t=500-501", status=2)


@case("wrong usage")
def _(t):
    t.bad(2, "which file", "read")
    t.bad(2, "is not a number", "read", "a.txt", "--offset", "-1x")
    t.bad(6, "no folder", "read", "a.txt", "--root", "nowhere")
    t.bad(6, "password-file", "read", "a.txt", "--password-file", "nowhere")


@case("limits come from the configuration; wrong ones are told with their line")
def _(t):
    t.write(".refract.yaml", "limits: {text_bytes: 300}\n")
    t.write("a.txt", "0123456789\n" * 100)
    expect(read(t, "a.txt").startswith("Lines 1-27 of 100."), read(t, "a.txt"))
    shown = t.good("config", "show").out
    expect(b"limits:\n  text_bytes: 300\n" in shown, shown)
    t.write(".refract.yaml", "limits:\n  pages: 0\n")
    t.bad(8, ".refract.yaml:2: limit \"pages\": expected a number from 1 to 10000", "read", "a.txt")
    t.write(".refract.yaml", "limits: {page: 1}\n")
    t.bad(8, "Did you mean pages", "read", "a.txt")
    (t.folder / ".refract.yaml").unlink()


@case("control characters of a file do not reach a terminal")
def _(t):
    t.write("a.log", b"\x1b[31mred\n" * 3)
    lead, follow = pty.openpty()
    done = subprocess.run([t.program, "read", "--no-cache", "a.log"], stdout=follow, cwd=t.folder,
                          env=t.env, timeout=LIMIT_S, check=True)
    os.close(follow)
    seen = os.read(lead, 1000)
    os.close(lead)
    expect(done.returncode == 0 and b"\x1b" not in seen and b"?[31mred\r\n" in seen, seen)


# What workers read.


@case("a picture: its line, its block", "image")
def _(t):
    t.write("a.png", png(64, 48))
    line = f"[Image: a.png, 64x48, {len(png(64, 48)):,} bytes, image/png]"
    expect(read(t, "a.png").startswith(line), read(t, "a.png"))
    block = result(t, "a.png")["content_blocks"][0]
    expect(block["type"] == "image" and block["source_path"] == "a.png" and block["width"] == 64
           and block["height"] == 48 and block["media_type"] == "image/png"
           and block["text_fallback"].startswith(line), block)


@case("a picture that is cut off goes as what can be seen of it; one without a pixel is an error", "image")
def _(t):
    t.write("a.png", png(64, 48)[:-400])
    found = result(t, "a.png")
    expect(found["output"].startswith("[Note: the picture is damaged or cut off"), found["output"])
    block, = found["content_blocks"]
    expect("source_path" not in block and (block["width"], block["height"]) == (64, 48), block)
    t.write("b.png", png(64, 48)[:45])
    failed(t, "b.png: the ", "b.png")


@case("a piece of a picture; one outside of it", "image")
def _(t):
    t.write("a.png", png(64, 48))
    found = result(t, "a.png#xywh=60,40,100,100")
    block = found["content_blocks"][0]
    expect((block["width"], block["height"]) == (4, 8) and block["data"], found)
    failed(t, "outside of the picture", "a.png#xywh=64,0,5,5", status=2)


@case("a drawing: its source, and a picture", "image")
def _(t):
    t.write("a.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="4"/>')
    found = result(t, "a.svg")
    expect("<svg xmlns" in found["output"] and "9x4" in found["output"], found)
    expect(found["content_blocks"][0]["media_type"] == "image/svg+xml", found)


@case("a template of OpenDocument is read as its document", "office")
def _(t):
    out = io.BytesIO()
    names = "urn:oasis:names:tc:opendocument:xmlns"
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text-template")
        archive.writestr("content.xml", f"<office:document-content xmlns:office='{names}:office:1.0' "
                         f"xmlns:text='{names}:text:1.0'><office:body><office:text><text:p>words of a template"
                         "</text:p></office:text></office:body></office:document-content>")
    t.write("a.ott", out.getvalue())
    expect("words of a template" in read(t, "a.ott"), read(t, "a.ott"))
    t.write("b.ott", b"\0\1\2not one")
    failed(t, "its bytes are not those of OpenDocument text", "b.ott")


@case("names in an archive that are in another character set", "archive")
def _(t):
    names = ["договор аренды квартиры.txt", "счёт за электричество.txt", "отчёт о продажах за год.txt"]
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.GNU_FORMAT, encoding="cp1251") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 5
            tar.addfile(member, io.BytesIO(b"words"))
    t.write("a.tar", body.getvalue())
    listed = read(t, "a.tar")
    expect(all(name in listed for name in names) and "windows-1251" in listed.lower(), listed)
    expect("words" in read(t, "a.tar/" + names[1]), read(t, "a.tar/" + names[1]))


@case("an SVG font is its source", "image")
def _(t):
    t.write("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><defs><font id="f"><glyph unicode="a"/></font>'
            '</defs></svg>')
    found = result(t, "a.svg")
    expect("<glyph" in found["output"] and "has no size" in found["output"], found)
    expect(not found["content_blocks"], found)


@case("lines that end in a return alone")
def _(t):
    t.write("a.txt", b"one\rtwo\rthree\r")
    expect(read(t, "a.txt").split() == ["one", "two", "three"], read(t, "a.txt"))
    expect(read(t, "a.txt", "--offset", "2", "--limit", "1").strip().endswith("two"),
           read(t, "a.txt", "--offset", "2", "--limit", "1"))
    t.write("b.txt", b"one\r\ntwo\rstill two\n")
    expect("two\rstill two" in read(t, "b.txt"), read(t, "b.txt"))


@case("metafiles are pictures, and go as PNG", "image")
def _(t):
    t.write("a.emf", media_fixtures.emf([(39, 1, 0, 255, 0), (37, 1), (43, 0, 0, 50, 100)]))
    t.write("b.wmf", media_fixtures.wmf([(0x41b, 100, 50, 0, 0)], 60, 40))
    for name, size in (("a.emf", "94x94"), ("b.wmf", "60x40")):
        expect(f"[Image: {name}, {size}" in result(t, name)["output"], result(t, name))
        piece = result(t, f"{name}#xywh=0,0,10,10")["content_blocks"][0]
        expect((piece["media_type"], piece["width"]) == ("image/png", piece["height"]), piece["name"])
        done = t.run("ask", "-m", "offline", "--no-save", "-a", name, "What is this?")
        expect(b"image/png" in done.out, done.out)
    t.write("c.emf", media_fixtures.emf([])[:60])
    failed(t, "the metafile is cut off", "c.emf")


@case("parts of one PDF that are sent have lines that say which pages", "pdf")
def _(t):
    t.write("a.pdf", pdf([b"This is page %d" % i for i in range(1, 48)]))
    done = t.run("ask", "-m", "offline", "--no-save", "-a", "a.pdf#p=1-20", "-a", "a.pdf#p=47", "What is this?")
    lines = [line.split("pdf ", 2)[-1].split(", ")[0].strip() for line in done.err.splitlines() if line[0] == "+"]
    expect(lines == ["pages 1-20 of 47", "page 47 of 47"], done.err)
    done = t.run("ask", "-m", "offline", "--no-save", "-a", "a.pdf", "What is this?")
    expect("page" not in done.err, done.err)


@case("a PDF of 47 pages: twenty at once, and how to go on", "pdf")
def _(t):
    t.write("a.pdf", pdf([b"This is page %d" % i for i in range(1, 48)]))
    found = result(t, "a.pdf")
    expect(found["output"] == "Pages 1-20 of 47. Use page_start=20 to continue.", found["output"])
    block, = found["content_blocks"]
    expect(block["page_count"] == 47 and block["page_range"] == [0, 20], block)
    expect(block["extracted_text"].startswith("--- Page 1 ---\nThis is page 1\n\n--- Page 2 ---\n"),
           block["extracted_text"][:100])
    expect(block["extracted_text"].count("--- Page") == 20, block["extracted_text"])
    expect(block["text_fallback"].startswith("[PDF: a.pdf, 47 pages, "), block)
    text = read(t, "a.pdf", "--page-start", "40")
    expect(text.startswith("Pages 41-47 of 47.\n\n--- Page 41 ---\nThis is page 41\n"), text)


@case("parts of a PDF: pages from 1, several ranges, and what is past the end", "pdf")
def _(t):
    t.write("a.pdf", pdf([b"This is page %d" % i for i in range(1, 11)]))
    found = result(t, "a.pdf#p=3-4,8")
    expect(found["output"] == "Pages 3-4, 8 of 10.", found["output"])
    expect([b["page_range"] for b in found["content_blocks"]] == [[2, 4], [7, 8]], found)
    expect(read(t, "a.pdf", "--pages", "9-").startswith("Pages 9-10 of 10.\n\n--- Page 9 ---"), "9-")
    failed(t, "there is no page 12: the document ends with page 10", "a.pdf", "--page-start", "11",
           status=2)
    failed(t, "page_end must be larger", "a.pdf", "--page-start", "3", "--page-end", "3", status=2)


@case("a PDF whose Japanese fonts have no table of characters", "pdf")
def _(t):
    text = "日本語の文書です"
    stream = b"BT /F1 24 Tf 20 100 Td <%s> Tj ET" % text.encode("shift_jis").hex().encode()
    t.write("a.pdf", pdf_of([
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/DW 1000/CIDSystemInfo"
        b"<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R>>",
        b"<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0"
        b"/Ascent 800/Descent -200/CapHeight 700/StemV 80>>"]))
    expect(text in read(t, "a.pdf"), "the text is lost: is poppler-data there?")


@case("over 100 pages: a warning", "pdf")
def _(t):
    t.write("a.pdf", pdf([b"x"] * 101))
    expect("101 pages are long" in result(t, "a.pdf")["output"], "no warning")


@case("a PDF that is broken, and one that is not a PDF", "pdf")
def _(t):
    t.write("a.pdf", b"%PDF-1.4\n" + bytes(range(200)))
    failed(t, "a.pdf: ", "a.pdf")
    t.write("b.pdf", "hello\n")
    failed(t, "it is text, not a PDF as its name says", "b.pdf")


@case("a PDF over its limit", "pdf")
def _(t):
    t.write(".refract.yaml", "limits: {pdf_bytes: 1024}\n")
    t.write("a.pdf", pdf([b"x"] * 20))
    failed(t, "1,024 is the limit", "a.pdf", status=5)
    (t.folder / ".refract.yaml").unlink()


def docx(count):
    """Paragraphs with a picture after each."""
    rel = '<Relationship Id="%s" Type="x/%s" Target="%s"/>'
    body, rels = "", ""
    for n in range(1, count + 1):
        body += f'<w:p><w:r><w:t>before {n}</w:t></w:r></w:p><w:p><w:r><a:blip r:embed="i{n}"/></w:r></w:p>'
        rels += rel % (f"i{n}", "image", f"media/image{n}.png")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("_rels/.rels", "<Relationships>" + rel % ("r", "officeDocument", "word/document.xml") + "</Relationships>")
        z.writestr("word/document.xml", f"<w:document><w:body>{body}<w:p><w:r><w:t>end</w:t></w:r></w:p></w:body></w:document>")
        z.writestr("word/_rels/document.xml.rels", f"<Relationships>{rels}</Relationships>")
        for n in range(count, 0, -1):  # the order in the archive says nothing
            z.writestr(f"word/media/image{n}.png", png(n, 1))
    return out.getvalue()


def names(found):
    return [(b["type"], b["name"]) for b in found["content_blocks"]]


def xlsx(cells, shared):
    rel = '<Relationship Id="%s" Type="x/%s" Target="%s"/>'
    texts = [f"<t>{c}</t>" for c in cells]
    row = "".join(f'<c t="s"><v>{n}</v></c>' if shared else f'<c t="inlineStr"><is>{text}</is></c>'
                  for n, text in enumerate(texts))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("_rels/.rels", "<Relationships>" + rel % ("r", "officeDocument", "xl/w.xml") + "</Relationships>")
        z.writestr("xl/w.xml", '<workbook><sheet name="A" r:id="a"/></workbook>')
        z.writestr("xl/_rels/w.xml.rels", "<Relationships>" + rel % ("a", "worksheet", "s.xml")
                   + rel % ("s", "sharedStrings", "t.xml") + "</Relationships>")
        z.writestr("xl/s.xml", f"<worksheet><row>{row}</row></worksheet>")
        z.writestr("xl/t.xml", "<sst>" + "".join(f"<si>{text}</si>" for text in texts if shared) + "</sst>")
    return out.getvalue()


@case("a cell of 250 KB is there, all of it", "office")
def _(t):
    words = [f"word{n:05}" for n in range(25000)]
    for shared in (False, True):
        t.write("a.xlsx", xlsx(["left", " ".join(words), "right"], shared))
        block = result(t, "--offset", "2", "a.xlsx")["content_blocks"][0]
        text, more = block["extracted_text"].split(" [", 1)
        while more:
            at = re.search(r"byte_offset=(\d+)", more)[1]
            more, _, rest = result(t, f"a.xlsx#bytes={at}-")["output"].split("\n", 2)
            text, more = text + rest, more if "Use" in more else ""
        expect(re.findall(r"word\d+", text) == words, "words are missing")
        expect("| left | word00000" in text and "| right |" in text, text[:100])


@case("the pictures of a document follow its text, as many as one result has", "office")
def _(t):
    t.write("a.docx", docx(3))
    found = result(t, "a.docx")
    expect(names(found) == [("document", "a.docx")] + [("image", f"image{n}.png") for n in (1, 2, 3)], found)
    expect("before 2\n\n[Image: image2.png]\n\nbefore 3" in found["content_blocks"][0]["extracted_text"], found)
    expect("[Its 3 pictures follow the text.]" in found["output"], found["output"])
    t.write("b.docx", docx(14))
    found = result(t, "b.docx")
    expect(len(found["content_blocks"]) == 11, found)
    expect('[Of its 14 pictures 10 follow the text: read "b.docx#pictures=11-" for more.]' in found["output"], found)
    expect(read(t, "b.docx").count("[Image: image14.png]") == 1, "the others are named")


@case("the pictures of a document alone, and some of them", "office")
def _(t):
    t.write("b.docx", docx(14))
    found = result(t, "b.docx#pictures")
    expect(names(found) == [("image", f"image{n}.png") for n in range(1, 11)], found)
    expect(found["output"] == "[Pictures 1-10 of 14 in b.docx]\n[Read \"b.docx#pictures=11-\" for the next.]", found)
    found = result(t, "b.docx#pictures=11-")
    expect(names(found) == [("image", f"image{n}.png") for n in range(11, 15)], found)
    expect(found["output"] == "[Pictures 11-14 of 14 in b.docx]", found)
    expect(names(result(t, "b.docx#pictures=3")) == [("image", "image3.png")], "one")
    failed(t, "there is no picture 15: the last is 14", "b.docx#pictures=15", status=2)
    t.write("none.docx", docx(0))
    failed(t, "there are no pictures in it", "none.docx#pictures", status=2)
    t.write("a.pdf", pdf([b"x"]))
    failed(t, "a PDF file has no pictures inside (#pictures). Its pages hold the pictures: name those with #p=", "a.pdf#pictures",
           status=2)


@case("the pictures of a mail follow its text", "office")
def _(t):
    picture = base64.b64encode(png(3, 2)).decode()
    t.write("a.eml", "From: a@b\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
            "--x\nContent-Type: text/plain\n\nhello\n--x\nContent-Type: image/png; name=p.png\n"
            f"Content-Transfer-Encoding: base64\n\n{picture}\n--x--\n")
    found = result(t, "a.eml")
    expect("hello" in found["output"] and names(found) == [("image", "p.png")], found)
    expect(names(result(t, "a.eml#pictures")) == [("image", "p.png")], "alone")


@case("a letter", "office")
def _(t):
    t.write("a.docx", (FIXTURES / "letter.docx").read_bytes())
    found = result(t, "a.docx")
    block, = found["content_blocks"]
    expect(block["type"] == "document" and block["extracted_text"].strip(), found)
    expect(found["output"].startswith("[Word: a.docx, "), found)
    expect(block["extracted_text"] in read(t, "a.docx"), "text")


@case("web pages as they read, and as they are written", "office")
def _(t):
    t.write("a.html", "<!DOCTYPE html><title>T</title><h1>Head</h1><script>x()</script><p>Some &amp; text</p>")
    text = read(t, "a.html")
    expect("Head" in text and "Some & text" in text and "<p>" not in text and "x()" not in text, text)
    expect("<script>" in read(t, "a.html#source"), "source")
    (t.folder / "a.html.gz").write_bytes(gzip.compress((t.folder / "a.html").read_bytes()))
    expect("<script>" in read(t, "a.html.gz#source"), "source of what is packed")


def tar(mode, **files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo("inside/" + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@case("archives are listed, and files in them read by a path that goes on", "archive")
def _(t):
    with zipfile.ZipFile(t.folder / "a.zip", "w") as z:
        z.writestr("inside/one", "one\ntwo\n")
    t.write("a.tar", tar("w", one=b"one\ntwo\n"))
    t.write("a.tgz", tar("w:gz", one=b"one\ntwo\n"))
    t.write("a.tar.bz2", tar("w:bz2", one=b"one\ntwo\n"))
    t.write("a.tar.xz", tar("w:xz", one=b"one\ntwo\n"))
    t.write("a.rar", media_fixtures.rar({"inside/one": b"one\ntwo\n"}))
    for name in ("a.zip", "a.tar", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.rar"):
        text = read(t, name)
        expect("  inside/one\n" in text and f'[Read "{name}/NAME" to see a file of it.]' in text, text)
        expect("  inside/one\n" in read(t, name + "/inside"), name)
        text = read(t, name + "/inside/one")
        expect(text == f"[Unpacked from {name}]\none\ntwo\n", text)
        expect(read(t, name + "/inside/one#bytes=4-6").endswith("\ntwo\n"), name)
        failed(t, "one.txt: there is no such file in the archive. Read the archive", name + "/one.txt")
        failed(t, "one: there is no such file in the archive", name + "/../inside/one")
    failed(t, "there is no such file", "a.zip.txt/one")


@case("bytes of a known format that cannot be read are named for what they are")
def _(t):
    t.write("a.bin", b"SQLite format 3\0" + bytes(100))
    text = read(t, "a.bin")
    expect(text.startswith("[What is in it can be read when it is saved as CSV.]\n"
                           "[Binary file: a.bin, 116 bytes, SQLite 3 database. Its first bytes:]\n"), text)
    for text in text, t.good("view", "a.bin").out.decode():
        expect(text.endswith("\n[These are 64 of 116 bytes.]\n"), text)
    t.write("b.bin", b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(9))
    expect("Java class" in read(t, "b.bin"), read(t, "b.bin"))
    t.write("c.bin", b"\xca\xfe\xba\xbe\0\0\0\2" + bytes(9))
    expect("Mach-O program" in read(t, "c.bin"), read(t, "c.bin"))


@case("DjVu: its text, and pages without any as pictures", "djvu")
def _(t):
    t.write("a.djvu", media_fixtures.djvu(60, 40, b"words of a page"))
    found = result(t, "a.djvu")
    expect("--- Page 1 ---\nwords of a page" in found["output"] and not found["content_blocks"], found)
    t.write("b.djvu", bytes.fromhex(  # 16 x 16 red pixels
        "41542654464f524d0000004a444a5655494e464f0000000a00100010180064001601424734340000"
        "0015004a0102001000108af2e49eb21b6457ddf9c0c2bf004247343400000004010ffe8f42473434"
        "00000002020a"))
    found = result(t, "b.djvu")
    expect("[Its 1 picture follows the text.]" in found["output"], found)
    for block, in (found["content_blocks"], result(t, "b.djvu#pictures=1")["content_blocks"]):
        expect(block["type"] == "image" and block["media_type"] == "image/png", block)
    t.write("c.djvu", media_fixtures.djvu(60, 40)[:20])
    failed(t, "the DjVu document is cut off or damaged", "c.djvu")


@case("PostScript is read as the PDF that it prints", "postscript", "pdf", "archive")
def _(t):
    page = b"/Helvetica findfont 24 scalefont setfont 72 700 moveto (words of page %d) show showpage\n"
    program = b"%!PS-Adobe-3.0\n" + page % 1 + page % 2
    t.write("a.ps", program)
    first = t.run("read", "a.ps")
    if first.status == 7 and b"Ghostscript" in first.err:
        expect(b"Install Ghostscript (libgs10)" in first.err, first.err)
        return
    expect("words of page 2" in read(t, "a.ps#p=2"), read(t, "a.ps#p=2"))
    block = result(t, "a.ps")["content_blocks"][0]
    expect((block["media_type"], block["page_count"]) == ("application/pdf", 2), block)
    expect("%!PS-Adobe-3.0" in read(t, "a.ps#source"), read(t, "a.ps#source"))
    done = t.run("ask", "-m", "offline", "--no-save", "-a", "a.ps", "What is this?")
    expect(b"application/pdf of 2 pages" in done.out, done.out)
    t.write("b.eps.gz", gzip.compress(program))
    expect("words of page 1" in read(t, "b.eps.gz"), read(t, "b.eps.gz"))
    t.write("c.ps", b"%!PS\n(/etc/passwd) (r) file pop showpage\n")
    failed(t, "wants to open a file, which it may not", "c.ps")
    t.write("d.eps", b"\xc5\xd0\xd3\xc6" + bytes(26))
    failed(t, "the EPS file is cut off", "d.eps")


@case("the preview of an EPS file that cannot be printed", "postscript", "image")
def _(t):
    drawing = media_fixtures.wmf([(0x41b, 100, 50, 0, 0)], 60, 40)
    program = b"%!PS\nnonsense\n"
    head = b"\xc5\xd0\xd3\xc6" + struct.pack("<6IH", 30, len(program), 30 + len(program), len(drawing),
                                              0, 0, 0xffff)
    t.write("a.eps", head + program + drawing)
    found = result(t, "a.eps")
    expect("so this is the small preview that the file carries" in found["output"], found)
    expect(found["content_blocks"][0]["media_type"] == "image/wmf", found)


@case("a file in an archive is read as what it is", "archive", "image", "pdf")
def _(t):
    page = pdf([b"First", b"Second"])
    t.write("a.tar", tar("w", **{"red.png": (FIXTURES / "red.png").read_bytes(), "b.pdf": page,
                                 "fake.png": b"text", "notes.txt.gz": gzip.compress(b"notes\n")}))
    block, = result(t, "a.tar/inside/red.png")["content_blocks"]
    expect(block["type"] == "image" and block["name"] == "red.png" and block["width"] == 8, block)
    expect("Second" in read(t, "a.tar/inside/b.pdf#p=2") and "First" not in read(t, "a.tar/inside/b.pdf#p=2"), "p=2")
    expect(read(t, "a.tar/inside/notes.txt.gz").endswith("\nnotes\n"), read(t, "a.tar/inside/notes.txt.gz"))
    failed(t, "it is text, not a PNG as its name says", "a.tar/inside/fake.png")
    with zipfile.ZipFile(t.folder / "stored.zip", "w") as z:
        z.writestr("b.pdf", page)
    expect("  b.pdf\n" in read(t, "stored.zip"), read(t, "stored.zip"))
    t.write("b.pdf.gz", gzip.compress(page))
    text = read(t, "b.pdf.gz#p=1")
    expect(text.startswith("[Unpacked from b.pdf.gz]\nPage 1 of 2.") and "First" in text, text)


@case("what bzip2 packed is unpacked, and a text that begins like its name is a text", "archive")
def _(t):
    t.write("a.txt.bz2", bz2.compress(b"one\n"))
    expect(read(t, "a.txt.bz2") == "[Unpacked from a.txt.bz2]\none\n", read(t, "a.txt.bz2"))
    t.write("a.txt", "BZh is how files of bzip2 begin\n")
    expect(read(t, "a.txt") == "BZh is how files of bzip2 begin\n", read(t, "a.txt"))


@case("of several files of one name in an archive the last is read", "archive")
def _(t):
    for mode in ("w", "w:gz"):
        with tarfile.open(t.folder / "a.tar", mode) as archive:
            for data in (b"old\n", b"new\n"):
                info = tarfile.TarInfo("one")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
            info = tarfile.TarInfo("one")  # as tar writes a file that it was given twice
            info.type, info.linkname = tarfile.LNKTYPE, "one"
            archive.addfile(info)
        expect(read(t, "a.tar/one") == "[Unpacked from a.tar]\nnew\n", read(t, "a.tar/one"))


@case("sound: its length and what is in it", "av")
def _(t):
    t.write("a.wav", (FIXTURES / "tone.wav").read_bytes())
    found = result(t, "a.wav")
    block, = found["content_blocks"]
    expect(block["type"] == "audio" and block["media_type"] == "audio/wav" and block["duration_ms"] > 0,
           found)
    expect(found["output"].startswith("[Audio: a.wav, "), found)


@case("what was worked out is kept, and found again", "pdf")
def _(t):
    t.write("a.pdf", pdf([b"kept"]))
    first = t.good("read", "a.pdf").out
    expect(any((t.folder / ".cache/refract").iterdir()), "nothing was kept")
    expect(t.good("read", "a.pdf").out == first and b"kept" in first, "not the same")


@case("how far it is, on a terminal, when it takes long, and nothing elsewhere")
def _(t):
    with open(t.folder / "a.txt", "wb") as f:
        f.truncate(1 << 20)
        for _ in range(200):
            f.write(b"0123456789" * 20000)
    lead, follow = pty.openpty()
    with subprocess.Popen([t.program, "read", "--no-cache", "a.txt"], stdout=subprocess.DEVNULL,
                          stderr=follow, cwd=t.folder, env=t.env) as process:
        os.close(follow)
        seen, end = b"", time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if not select.select([lead], [], [], 1)[0]:
                continue
            try:
                piece = os.read(lead, 1000)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        expect(process.wait() == 0, "status")
    os.close(lead)
    expect(seen == b"" or (b"\rreading: " in seen and seen.endswith(b"\r")), seen)
    expect(not t.good("read", "--no-cache", "a.txt").err, "a line without a terminal")


# doctor


@case("doctor names the workers, in lines and as JSON")
def _(t):
    done = t.run("doctor", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    workers = {r["name"]: r["health"] for r in rows if r["area"] == "worker"}
    expect(list(workers) == ["image", "pdf", "office", "legacy", "archive", "djvu", "postscript", "av", "ocr"], workers)
    expect(done.status == (8 if "missing" in workers.values() else 0), done.status)
    missing = {**t.env, "REFRACT_WORKERS": str(t.folder / "nowhere")}
    lines = subprocess.run([t.program, "doctor"], capture_output=True, env=missing, cwd=t.folder,
                           timeout=LIMIT_S, check=False)
    expect(lines.returncode == 8 and lines.stdout.count(b"\nx worker") >= 5, lines.stdout)


@case("without workers, files are still told apart, and what cannot be read is said")
def _(t):
    t.env["REFRACT_WORKERS"] = str(t.folder / "nowhere")
    t.write("a.png", png(64, 48))
    expect("[Image: a.png, 64x48" in read(t, "a.png") and "not decoded here" in read(t, "a.png"), "png")
    t.write("a.pdf", pdf([b"x"]))
    expect("could not be read here" in read(t, "a.pdf"), "pdf")
    t.write("a.docx", (FIXTURES / "letter.docx").read_bytes())
    failed(t, "refract-media-office", "a.docx", status=8)
    del t.env["REFRACT_WORKERS"]


def built(program, folder):
    t = Cli(program, folder)
    rows = [json.loads(line) for line in t.run("doctor", "--json").out.splitlines()]
    return {r["name"] for r in rows if r["area"] == "worker" and r["health"] != "missing"}


def run_cases(program, cases):
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="refract-read-") as folder:
        there = built(program, folder)
    for name, workers, function in cases:
        if not set(workers) <= there:
            skipped += 1
            print(f"skipped {name}: needs {', '.join(sorted(set(workers) - there))}, not built here")
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="refract-read-") as folder:
                function(Cli(program, folder))
            print(f"ok      {name}")
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    left = f", {skipped} skipped" if skipped else ""
    print(f"{len(cases) - failed - skipped} passed, {failed} failed{left}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_cases(os.path.abspath(sys.argv[1]), CASES))
