#!/usr/bin/env python3
"""Texts, web pages and mail in other character sets than UTF-8, as a script sees them: read, attached, in a request.

    test_charsets.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. All files are made here.
"""
import base64
import gzip
import json
import os
import random
import re
import struct
import sys
import zipfile
import zlib

import test_cli
from test_cli import MODEL, expect
from test_read import CASES as NOT_OURS, case, read, result, run_cases

NOT_OURS.clear()
test_cli.STATUSES.add(7)

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний."
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。"
CHINESE = "话说天下大势，分久必合，合久必分。周末七国分争，并入于秦。及秦灭之后，楚、汉分争，又并入于汉。"
TAIWANESE = "話說天下大勢，分久必合，合久必分。周末七國分爭，并入於秦。及秦滅之後，楚、漢分爭，又并入於漢。"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았다."
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική."
HEBREW = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג."
POLISH = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem " \
         "i sumieniem i powinni postępować wobec innych w duchu braterstwa. Zażółć gęślą jaźń, łódź, źrebię, ćma."
GERMAN = "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt. " \
         "Größere Höhen, süße Früchte, müde Füße, kühle Flüsse, schöne Gärten, öffentliche Plätze, übermäßig böse."
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม"

# Python's name, what is said of it, a text that tells it without more.
SETS = [
    ("cp932", "Shift_JIS", JAPANESE), ("euc_jp", "EUC-JP", JAPANESE), ("iso2022_jp", "ISO-2022-JP", JAPANESE),
    ("gb18030", "GB18030", CHINESE), ("big5", "Big5", TAIWANESE), ("euc_kr", "EUC-KR", KOREAN),
    ("iso2022_kr", "ISO-2022-KR", KOREAN), ("koi8_r", "KOI8-R", RUSSIAN), ("cp1251", "windows-1251", RUSSIAN),
    ("iso8859_5", "ISO-8859-5", RUSSIAN), ("cp866", "IBM866", RUSSIAN), ("mac_cyrillic", "x-mac-cyrillic", RUSSIAN),
    ("iso8859_7", "ISO-8859-7", GREEK), ("cp1255", "windows-1255", HEBREW), ("iso8859_2", "ISO-8859-2", POLISH),
    ("cp1250", "windows-1250", POLISH), ("cp1252", "windows-1252", GERMAN), ("tis_620", "TIS-620", THAI),
]


def text_of(data):
    """What was read without what is said about it."""
    return "".join(line + "\n" for line in data.splitlines() if not line.startswith("["))


def encoding(data):
    found = re.search(r"^\[Encoding: (.*)\]$", data, re.M)
    return found[1] if found else ""


@case("texts that do not say which set they are in", "office")
def _(t):
    for codec, name, text in SETS:
        t.write("a.txt", (text + "\n").encode(codec))
        found = read(t, "a.txt")
        expect(text_of(found) == text + "\n", (codec, found))
        expect(encoding(found) == f"{name} (detected), converted to UTF-8", (codec, found))


@case("pages that do not say it are pages, not their source", "office")
def _(t):
    for codec, name, text in SETS:
        t.write("a.html", f"<html><head><title>x</title></head><body><p>{text}</p></body></html>".encode(codec))
        found = read(t, "a.html")
        expect(text_of(found).strip() == text, (codec, found))
        expect(encoding(found) == f"{name} (detected), converted to UTF-8", (codec, found))
        source = read(t, "a.html#source")
        expect("<p>" + text in source and encoding(source).startswith(name), (codec, source))


SAID = [
    ("a.html", '<meta charset="{}"><p>{}'),
    ("a.html", "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset={}'><body>{}"),
    ("a.html", '<script charset="us-ascii" src=x></script><meta name=a content=b><meta charset={}>{}'),
    ("a.html", '<?xml version="1.0" encoding="{}"?>\n<html><body>{}</body></html>'),
    ("a.xml", '<?xml version="1.0" encoding="{}"?>\n<a>{}</a>\n'),
    ("a.css", '@charset "{}";\n/* {} */\n'),
    ("a.py", "#!/usr/bin/python\n# -*- coding: {} -*-\nx = '{}'\n"),
    ("a.txt", "# vim: set fileencoding={}:\n{}\n"),
    ("a.el", ";;; -*- coding: {}-unix; mode: x -*-\n;; {}\n"),
    ("a.po", 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n"{}"\n'),
]


@case("what a text says of itself counts, also where a few letters would not tell", "office")
def _(t):
    for name, form in SAID:
        for said, codec, text in [("iso-8859-5", "iso8859_5", "да"), ("Shift_JIS", "cp932", "猫"),
                                  ("macintosh", "mac_roman", "é"), ("ISO-8859-15", "iso8859_15", "5 €"),
                                  ("johab", "johab", KOREAN)]:
            t.write(name, form.format(said, text).encode(codec))
            found = read(t, name)
            expect(text in found, (name, said, found))
            expect(encoding(found).lower() == f"{said}, converted to UTF-8".lower(), (name, said, found))


@case("sets have many names", "office")
def _(t):
    for said, codec, text in [("ISO_8859-5", "iso8859_5", "да"), ("iso8859-5", "iso8859_5", "да"),
                              ("x-cp1251", "cp1251", "да"), ("win-1251", "cp1251", "да"), ("latin-2", "latin2", "ł"),
                              ("x-sjis", "cp932", "猫"), ("ks_c_5601-1987", "euc_kr", "한국")]:
        t.write("a.html", f"<meta charset={said}><p>{text}".encode(codec))
        expect(read(t, "a.html").endswith(f"\n{text}\n") and "guess" not in read(t, "a.html"), (said, read(t, "a.html")))


@case("what a text says and its bytes refute does not count", "office")
def _(t):
    t.write("a.html", ("<meta charset=utf-8><p>" + RUSSIAN).encode("cp1251"))
    expect(RUSSIAN in read(t, "a.html"), read(t, "a.html"))
    t.write("a.html", ("<meta charset=shift_jis><p>" + RUSSIAN).encode())
    expect(read(t, "a.html") == RUSSIAN + "\n", read(t, "a.html"))
    t.write("a.html", ("<meta charset=utf-16><p>" + GERMAN).encode("cp1252"))
    expect(GERMAN in read(t, "a.html"), read(t, "a.html"))
    t.write("a.html", "<meta charset=no-such-set><p>plain")
    expect(read(t, "a.html") == "plain\n", read(t, "a.html"))
    t.write("a.txt", ("The coding KOI8-R is not that of this text.\n" + RUSSIAN).encode("cp1251"))
    expect(RUSSIAN in read(t, "a.txt"), read(t, "a.txt"))
    t.write("a.html", b"\xef\xbb\xbf" + ("<meta charset=koi8-r><p>" + RUSSIAN).encode())
    expect(read(t, "a.html") == RUSSIAN + "\n", read(t, "a.html"))


@case("UTF-16 and UTF-32, with a mark and without, as texts and as pages", "office")
def _(t):
    for text in (JAPANESE, RUSSIAN, GERMAN, CHINESE, KOREAN):
        for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
            for mark in ("", "\ufeff"):
                name = codec[:6].upper()
                t.write("a.txt", (mark + text + "\n").encode(codec))
                found = read(t, "a.txt")
                expect(text_of(found) == text + "\n" and encoding(found).startswith(name), (codec, mark, found))
                t.write("a.html", f"{mark}<html><body><p>{text}</body></html>\n".encode(codec))
                found = read(t, "a.html")
                expect(text_of(found).strip() == text and encoding(found).startswith(name), (codec, mark, found))


@case("UTF-32 that begins with a character whose last byte is zero", "office")
def _(t):
    for codec in ("utf-32-le", "utf-32-be"):
        for first in "\u3000\u4e00\U0001f600":
            t.write("a.txt", (first + JAPANESE + "\n").encode(codec))
            expect(text_of(read(t, "a.txt")) == first + JAPANESE + "\n", (codec, first, read(t, "a.txt")))


@case("a few letters are converted, and said to be a guess", "office")
def _(t):
    t.write("a.txt", "Ein Café in Köln\n".encode("latin-1"))
    found = read(t, "a.txt")
    expect(text_of(found) == "Ein Café in Köln\n", found)
    expect(encoding(found) == "windows-1252, converted to UTF-8, which is a guess: the bytes do not say", found)


@case("UTF-8 with a few bad bytes stays UTF-8, and they are counted")
def _(t):
    for data, text, bad in [((RUSSIAN + "\n").encode()[:-3] + b"\n", RUSSIAN[:-1] + "\ufffd\n", 1),
                            (RUSSIAN.encode() + b" \xff\xfe\n", RUSSIAN + " \ufffd\ufffd\n", 2)]:
        t.write("a.txt", data)
        found = read(t, "a.txt")
        expect(not encoding(found), found)
        if bad == 2:
            expect("[Note: 2 bytes are not UTF-8: U+FFFD stands for them]" in found, found)
            expect(text_of(found) == text, found)


@case("a text that is plain for long is judged where it stops to be", "office")
def _(t):
    t.write("a.txt", b"plain words\n" * 9000 + (RUSSIAN + "\n").encode("koi8-r"))
    found = read(t, "a.txt", "--offset", "8999")
    expect(RUSSIAN in found and encoding(found).startswith("KOI8-R"), found)


@case("bytes that are not characters of the set are counted, and stand as U+FFFD", "office")
def _(t):
    body = (JAPANESE * 3).encode("euc_jp") + b"\xff\xff\n"
    t.write("a.txt", body)
    found = read(t, "a.txt")
    expect("[Note: 2 bytes are not EUC-JP: U+FFFD stands for them]" in found, found)
    expect(text_of(found) == JAPANESE * 3 + "\ufffd\ufffd\n", found)
    t.write("a.html", b"<meta charset=euc-jp><p>" + body)
    found = read(t, "a.html")
    expect("[Note: 2 bytes are not EUC-JP: U+FFFD stands for them]" in found, found)


@case("a character that UTF-32 cannot have is one U+FFFD, and the rest is read", "office")
def _(t):
    for codec in ("utf-32-le", "utf-32-be"):
        t.write("a.txt", (RUSSIAN + "\n").encode(codec) * 3000 + "\ud800".encode(codec, "surrogatepass")
                + "after it\n".encode(codec))
        found = read(t, "a.txt", "--offset", "3000")
        expect("[Note: 4 bytes are not UTF-32: U+FFFD stands for them]" in found, found)
        expect(found.endswith("]\n" + RUSSIAN + "\n\ufffdafter it\n"), found)


@case("bytes do not become text because a set has letters for them")
def _(t):
    noise = random.Random(7)
    files = {
        "noise": noise.randbytes(5000), "little noise": noise.randbytes(60),
        "packed": zlib.compress(noise.randbytes(300) * 9)[2:],
        "numbers": struct.pack("<900i", *range(0, 90000, 100)),
        "numbers that are letters": struct.pack("<500I", *range(1000, 1500)), "halves": struct.pack("<500h", *range(-250, 250)),
        "floats": struct.pack("<400d", *(i / 7 for i in range(400))),
        "sound": bytes(128 + int(100 * ((i % 50) / 25 - 1)) for i in range(4000)),
        "zeros": bytes(1000), "a word and zeros": b"word" + bytes(100),
    }
    for what, data in files.items():
        t.write("a.dat", data)
        found = read(t, "a.dat")
        expect(found.startswith("[Binary file: a.dat, "), (what, found[:200]))


NO_TEXT = [
    ('<html><head><title>Manual</title></head><frameset><frame src="a.html"><frame src="b.html"><frame src=c.html>'
     "<noframes>Get a browser.</noframes></frameset></html>",
     '[Note: the page has no text, only the title "Manual": a frameset of 3 pages: a.html, b.html, c.html]'),
    ('<html><body><div id="root"></div><script src="app.js"></script><script>go()</script></body></html>',
     "[Note: the page has no text: its text may be made by 2 scripts: app.js]"),
    ("<html><body><noscript>You need scripts.</noscript><script src=/x.js></script></body></html>",
     "[Note: the page has no text: its text may be made by 1 script: /x.js]"),
    ("<html><body><img src=a.png><img src=b.png><map><area href=c.html></map></body></html>",
     "[Note: the page has no text: 2 pictures: a.png, b.png; 1 link: c.html]"),
    ("<html><body><applet code=Game.class></applet><iframe src=http://x/y></iframe></body></html>",
     "[Note: the page has no text: it shows 1 other page: http://x/y; 1 embedded object: Game.class]"),
    ("<html><body> </body></html>", "[Note: the page has no text]"),
]


@case("a page without text says what it has", "office")
def _(t):
    for page, note in NO_TEXT:
        t.write("a.html", page)
        found = read(t, "a.html")
        expect(note in found.splitlines(), (note, found))
    for page in ["<p>Some text.</p><script>x()</script>", "<html><noscript/><p>Some text.</p>", "<html><noscript><p>Some text.",
                 "<html>Some text.<noscript></noscript>"]:
        t.write("a.html", page)
        expect(read(t, "a.html") == "Some text.\n", (page, read(t, "a.html")))
    expect("You need scripts." in (t.write("a.html", NO_TEXT[2][0]) and read(t, "a.html")), "noscript")


def mail(head, body, codec="ascii"):
    return (head + "\r\n\r\n").encode("ascii" if isinstance(body, bytes) else codec) + (
        body if isinstance(body, bytes) else body.encode(codec))


@case("mail: the set of a part, by its field, by a page's own words, by detection", "office")
def _(t):
    head = "From: a@x\r\nSubject: s\r\nMIME-Version: 1.0\r\n"
    quoted = "".join(f"={b:02X}" for b in RUSSIAN.encode("koi8-r"))
    for parts in [
        mail(head + "Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: 8bit", RUSSIAN, "koi8-r"),
        mail(head + "Content-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: quoted-printable", quoted),
        mail(head + "Content-Type: text/plain; charset=\"KOI8-R\"\r\nContent-Transfer-Encoding: base64",
             base64.encodebytes(RUSSIAN.encode("koi8-r"))),
        mail(head + "Content-Type: text/plain", RUSSIAN, "koi8-r"),
        mail(head + "Content-Type: text/plain; charset=us-ascii", RUSSIAN, "koi8-r"),
        mail(head + "Content-Type: text/html", "<meta charset=koi8-r><p>" + RUSSIAN, "koi8-r"),
        mail(head + "Content-Type: text/html; charset=koi8-r", "<p>" + RUSSIAN, "koi8-r"),
        mail(head + "Content-Type: multipart/mixed; boundary=x", b"--x\r\nContent-Type: message/rfc822\r\n\r\n"
             + mail("Subject: t\r\nContent-Type: text/plain; charset=koi8-r", RUSSIAN, "koi8-r") + b"\r\n--x--\r\n"),
    ]:
        t.write("a.eml", parts)
        found = read(t, "a.eml")
        expect(RUSSIAN in found and "Subject: s" in found, (parts[:200], found))
        expect(encoding(found).startswith("KOI8-R"), (parts[:200], found))


@case("mail: encoded words, also those that cut a character, and fields that are not encoded", "office")
def _(t):
    def words(text, codec, size):
        raw = text.encode(codec)
        return " ".join(f"=?{codec}?B?{base64.b64encode(raw[i:i + size]).decode()}?="
                        for i in range(0, len(raw), size))
    for subject, text in [(words("猫の話です", "utf-8", 4), "猫の話です"), (words("猫の話です", "shift_jis", 3), "猫の話です"),
                          ("=?iso-2022-jp?B?GyRCRy0bKEI=?= and =?koi8-r?Q?=C4=C1?=", "猫 and да"),
                          ("=?gb2312?Q?=D6=D0?=\r\n =?gb2312?Q?=B9=FA?=", "中国")]:
        t.write("a.eml", mail(f"From: a@x\r\nSubject: {subject}", "body"))
        expect(f"Subject: {text}\n" in read(t, "a.eml"), (subject, read(t, "a.eml")))
    t.write("a.eml", "From: a@x\r\nSubject: Вопрос\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\nДа\r\n"
            .encode("koi8-r"))
    found = read(t, "a.eml")
    expect("Subject: Вопрос\n" in found and "\nДа\n" in found, found)


@case("attached, named by a conversation or read by a tool, a text is the same", "office")
def _(t):
    for codec, name, text in [SETS[0], SETS[5], SETS[8], ("utf-32-le", "UTF-32", RUSSIAN),
                              ("utf-32", "UTF-32", CHINESE), ("utf-32-be", "UTF-32", GERMAN)]:
        t.write("a.txt", text.encode(codec))
        done = t.run("ask", "-m", MODEL, "-n", "-a", "a.txt", "What is this?")
        expect(done.status == 0, done.err)
        expect(text in json.dumps(json.loads(done.out), ensure_ascii=False), (codec, done.out))
        expect(f", from {name}\n" in done.err and done.err.startswith("+ a.txt"), (codec, done.err))
        expect(text in result(t, "a.txt")["output"], codec)
        block = {"type": "document", "media_type": "text/plain", "source_path": "a.txt"}
        document = json.dumps({"refract": 1, "messages": [{"role": "user", "content": [block]}]}).encode()
        body, report = t.encode(document)
        expect(text in json.dumps(body, ensure_ascii=False) and not report[0]["lost"], (codec, body, report))
    t.write("b.txt", (JAPANESE * 3).encode("euc_jp") + b"\xff\xff\n")
    done = t.run("ask", "-m", MODEL, "-n", "-a", "b.txt", "What is this?")
    expect(done.err.startswith("! b.txt") and "lost: 2 bytes that are not EUC-JP" in done.err, done.err)
    done = t.bad(3, "2 bytes that are not EUC-JP would be lost", "ask", "-m", MODEL, "--strict", "-n", "-a", "b.txt", "x")
    expect("takes it" not in done.err, done.err)


@case("markup that is attached says that it is UTF-8", "office")
def _(t):
    declared = '<?xml version="1.0" encoding="{0}"?>\n<html><head><meta charset="{0}"></head><p>' + JAPANESE + "</p></html>"
    for said, codec in [("Shift_JIS", "cp932"), ("EUC-JP", "euc_jp"), ("utf-16", "utf-16")]:
        t.write("a.html", declared.format(said).encode(codec))
        done = t.run("ask", "-m", MODEL, "-n", "-a", "a.html", "What is this?")
        texts = [block["source"]["data"] for block in json.loads(done.out)["messages"][0]["content"] if "source" in block]
        expect(texts == [declared.format("utf-8")], (said, done.out))
        expect(f'encoding="{said}"' in read(t, "a.html#source"), said)
    for name, text in [("a.txt", "See <meta charset=Shift_JIS>: "), ("a.html", "<html><meta name=charset content=x><p>")]:
        t.write(name, (text + JAPANESE).encode("cp932"))
        done = t.run("ask", "-m", MODEL, "-n", "-a", name, "What is this?")
        expect(text.encode() in done.out, done.out)


@case("files in an archive are converted too", "office", "archive")
def _(t):
    with zipfile.ZipFile(t.folder / "a.zip", "w") as z:
        z.writestr("a.html", f"<html><p>{JAPANESE}</p></html>".encode("cp932"))
        z.writestr("b.txt", RUSSIAN.encode("koi8-r"))
    found = read(t, "a.zip/a.html")
    expect(JAPANESE in found and "<p>" not in found and "Shift_JIS (detected)" in found, found)
    found = read(t, "a.zip/b.txt")
    expect(RUSSIAN in found and "KOI8-R (detected)" in found, found)


@case("a text in an archive is attached as the same file beside it is", "office", "archive")
def _(t):
    files = {"a.html": f"<html><p>{JAPANESE}</p></html>".encode("cp932"), "b.txt": RUSSIAN.encode("koi8-r"),
             "c.txt": b"", "d.txt": b"plain\n"}
    with zipfile.ZipFile(t.folder / "a.zip", "w") as z:
        for name, data in files.items():
            t.write(name, data)
            t.write(name + ".gz", gzip.compress(data))
            z.writestr(name, data)
    for name in files:
        alone = t.run("ask", "-m", MODEL, "-n", "-a", name, "What is this?")
        for packed in [f"a.zip/{name}"] + [f"{name}.gz"] * bool(files[name]):
            done = t.run("ask", "-m", MODEL, "-n", "-a", packed, "What is this?")
            same = re.sub(rb"att_[0-9a-f]+", b"", done.out) == re.sub(rb"att_[0-9a-f]+", b"", alone.out)
            expect(done.status == 0 and same and done.err == alone.err, (packed, done.out, alone.out, done.err))
    done = t.run("ask", "-m", MODEL, "-n", "-a", "a.zip/d.txt#bytes=0-2", "What is this?")
    expect(b"[Unpacked from a.zip]" in done.out, done.out)


@case("mail that is not UTF-8 is attached as it reads", "office")
def _(t):
    t.write("a.eml", mail("From: a@x\r\nSubject: s\r\nContent-Type: text/html; charset=koi8-r", "<p>" + RUSSIAN, "koi8-r"))
    done = t.run("ask", "-m", MODEL, "-n", "-a", "a.eml", "What is this?")
    body = json.dumps(json.loads(done.out), ensure_ascii=False)
    expect(RUSSIAN in body and "<p>" not in body, done.out)


@case("a text over the limit is not converted, and says so", "office")
def _(t):
    t.write(".refract.yaml", "limits: {office_bytes: 1024}\n")
    t.write("a.txt", (RUSSIAN * 20 + "\n").encode("koi8-r"))
    found = read(t, "a.txt")
    expect('[Note: over 1,024 bytes ("office_bytes") the character set is not looked for]' in found, found)
    expect("windows-1252" in encoding(found) and "guess" in encoding(found), found)


@case("without a worker a text in another set is read as windows-1252, and said to be a guess")
def _(t):
    t.env["REFRACT_WORKERS"] = str(t.folder / "none")
    t.write("a.txt", GERMAN.encode("latin-1"))
    found = read(t, "a.txt")
    expect(GERMAN in found and "windows-1252" in encoding(found) and "guess" in encoding(found), found)
    expect('[Note: the character set is not known: the program "refract-media-office" is not installed]' in found, found)
    done = t.run("ask", "-m", MODEL, "-n", "-a", "a.txt", "What is this?")
    expect("from windows-1252, which is a guess" in done.err, done.err)


if __name__ == "__main__":
    sys.exit(run_cases(os.path.abspath(sys.argv[1]), NOT_OURS))
