#!/usr/bin/env python3
"""Files that name other files and addresses, in every way that their formats have: nothing of what they name is
opened, shown, kept or called for.

    external_references.py PATH-OF-REFRACT [WORD]...

A row a file: its name, the worker that reads it, the file, how it is made of the places that it names, and what of
its own must be read, so that no case passes because nobody looked into the file. The places are a text and a
picture, beside the file and outside of its folder, by name, by path, by file: and by an address of this machine
where somebody counts who calls. What is read must be the same, byte for byte, when nothing is at these places.
Prints what hostile.py prints.
"""
import base64
import io
import os
import pathlib
import re
import socket
import struct
import sys
import tarfile
import threading
import zipfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "terminal"),
                str(pathlib.Path(__file__).resolve().parents[1])]
import bombs
import media_fixtures
from bombs import CANARY, FONT, HELLO, PRELUDE, paragraph, part_of, stream
from driver import Terminal
from hostile import run_all
from running import expect, judged

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
URN = "urn:oasis:names:tc:opendocument:xmlns"
OWN = "words of its own"


class Listener:
    """Counts who calls."""

    def __init__(self):
        self.calls = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.count, daemon=True).start()

    def count(self):
        while True:
            connection, _ = self.socket.accept()
            self.calls += 1
            connection.close()


LISTENER = Listener()


def places(folder, word):
    """What a file may name: `word` is "secret", or "absent" for what is not there."""
    outside = folder.parent / (folder.name + "-outside")
    found = []
    for kind in "txt", "png":
        name = f"{word}.{kind}"
        found += [name, f"../{outside.name}/{name}", str(outside / name), f"file://{folder / name}",
                  f"http://{LISTENER.address}/{name}"]
    return found


def each(template, refs):
    """A piece of text for each place; "{}" is the place, "{n}" its number."""
    return "".join(template.replace("{n}", str(i)).replace("{}", ref) for i, ref in enumerate(refs))


# Drawings.


def svg_images(refs):
    return bombs.svg('<rect width="9" height="9"/>' + each(
        '<image href="{}" xlink:href="{}" width="64" height="64"/><feImage href="{}"/>', refs))


def svg_uses(refs):
    return bombs.svg('<rect width="9" height="9"/>' + each(
        '<use href="{}#a" xlink:href="{}"/><rect width="64" height="64" fill="url({}#p)" mask="url({})"/>'
        '<text><tref xlink:href="{}"/></text>', refs))


def svg_styles(refs):
    style = "<style>" + each('@import url("{}");@font-face{font-family:f{n};src:url("{}")}\n', refs) + (
        each("rect{fill:url({});cursor:url({}),auto}\n", refs)) + "</style>"
    front = each('<?xml-stylesheet type="text/css" href="{}"?>\n', refs)
    return bombs.svg(style + '<rect width="9" height="9"/><text font-family="f2" y="30">t</text>', front)


def svg_entities(refs):
    """External ones that stand in the text, and a set of rules from elsewhere."""
    front = "<!DOCTYPE svg [" + each('<!ENTITY e{n} SYSTEM "{}">', refs) + "]>"
    return bombs.svg('<rect width="9" height="9"/>' + each("<text>&e{n};</text>", refs), front)


# Pages.


def html(refs):
    return ("<!DOCTYPE html><html><head>" + each(
        '<link rel="stylesheet" href="{}"><link rel="import" href="{}"><meta http-equiv="refresh" content="0;url={}">'
        '<base href="{}"><script src="{}"></script><style>@import "{}";</style>', refs)
        + f"</head><body><p>{OWN}</p>" + each(
            '<img src="{}" srcset="{} 2x"><iframe src="{}"></iframe><object data="{}"></object><embed src="{}">'
            '<video src="{}" poster="{}"></video><body background="{}"><input type="image" src="{}">', refs)
        + "</body></html>").encode()


def xhtml(refs):
    return (PRELUDE + f'<!DOCTYPE html PUBLIC "x" "{refs[3]}" [' + each('<!ENTITY % p{n} SYSTEM "{}"> %p{n};'
            '<!ENTITY e{n} SYSTEM "{}">', refs) + ']><html xmlns="http://www.w3.org/1999/xhtml" '
            f'xmlns:xi="http://www.w3.org/2001/XInclude"><body><p>{OWN}</p>'
            + each('<p>&e{n};</p><xi:include href="{}" parse="text"/>', refs) + "</body></html>").encode()


def epub(refs):
    opf = (PRELUDE + '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
           'media-type="application/xhtml+xml"/>' + each('<item id="x{n}" href="{}" '
           'media-type="application/xhtml+xml"/>', refs) + '</manifest><spine><itemref idref="a"/>'
           + each('<itemref idref="x{n}"/>', refs) + "</spine></package>")
    body = OWN + each('<img src="{}"/><iframe src="{}"/>', refs)
    return part_of(bombs.epub(body), "c.opf", opf)


def epub_container(refs):
    box = (PRELUDE + '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
           '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/>'
           + each('<rootfile full-path="{}" media-type="application/oebps-package+xml"/>', refs)
           + "</rootfiles></container>")
    return part_of(bombs.epub(OWN), "META-INF/container.xml", box)


# Office Open XML.


def relations(own, kinds, refs):
    """The relations of a part: its own (id, kind, target), and of each kind two to every place: as one that is outside
    of the package, and as one that is not."""
    made = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{kind}" Target="{target}"/>' for i, kind, target in own)
    for kind in kinds:
        made += each(f'<Relationship Id="{kind}{{n}}" Type="{OFFICE}/{kind}" Target="{{}}" TargetMode="External"/>'
                     f'<Relationship Id="in{kind}{{n}}" Type="{OFFICE}/{kind}" Target="{{}}"/>', refs)
    return f'{PRELUDE}<Relationships xmlns="{PACKAGE}">{made}</Relationships>'


DRAWING = ('xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
           'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
           'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
           f'xmlns:r="{OFFICE}"')


def picture(how, relation):
    return (f'<w:r><w:drawing {DRAWING}><wp:inline><wp:docPr id="1" name="p"/><a:graphic><a:graphicData><pic:pic>'
            f'<pic:blipFill><a:blip r:{how}="{relation}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
            "</wp:inline></w:drawing></w:r>")


def docx(refs):
    body = paragraph(OWN) + "<w:p>" + each(picture("link", "image{n}") + picture("embed", "inimage{n}"), refs) + "</w:p>"
    body += each(f'<w:altChunk xmlns:r="{OFFICE}" r:id="aFChunk{{n}}"/><w:subDoc xmlns:r="{OFFICE}" '
                 'r:id="subDocument{n}"/>', refs)
    kinds = ("image", "aFChunk", "subDocument", "hyperlink", "attachedTemplate", "oleObject", "styles", "settings",
             "footnotes", "header", "comments")
    return part_of(bombs.docx(body), "word/_rels/document.xml.rels", relations((), kinds, refs))


def docx_fields(refs):
    return bombs.docx(paragraph(OWN) + each(
        '<w:p><w:fldSimple w:instr="INCLUDETEXT &quot;{}&quot;"><w:r><w:t>x</w:t></w:r></w:fldSimple>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INCLUDEPICTURE "{}" \\d</w:instrText></w:r>'
        '<w:r><w:instrText>DDEAUTO cmd "{}"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>', refs))


def docx_package(refs):
    """The relations of the whole, which name the document, name others too; and its styles have entities."""
    styles = PRELUDE + "<!DOCTYPE w:styles [" + each('<!ENTITY e{n} SYSTEM "{}">', refs) + (
        f"]><w:styles {bombs.W}>") + each("<w:style>&e{n};</w:style>", refs) + "</w:styles>"
    data = part_of(bombs.docx(paragraph(OWN)), "_rels/.rels",
                   relations((("r1", "officeDocument", "word/document.xml"),), ("customXml", "thumbnail"), refs))
    data = part_of(data, "word/styles.xml", styles)
    return part_of(data, "word/_rels/document.xml.rels", relations((("s1", "styles", "styles.xml"),), (), refs))


def xlsx(refs):
    book = bombs.xlsx(OWN + each("</t></is></c><c t=\"str\"><f>WEBSERVICE(\"{}\")+IMPORTDATA(\"{}\")+"
                                 "'[{}]S'!A1+cmd|'{}'!A1</f><v>x</v></c><c t=\"inlineStr\"><is><t>", refs))
    kinds = ("externalLink", "connections", "sharedStrings", "worksheet", "styles", "theme", "queryTable")
    book = part_of(book, "xl/_rels/workbook.xml.rels",
                   relations((("r1", "worksheet", "worksheets/sheet1.xml"),), kinds, refs))
    link = ('<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><ddeLink ddeService="cmd" '
            f'ddeTopic="{refs[2]}"/></externalLink>')
    return part_of(part_of(book, "xl/externalLinks/externalLink1.xml", PRELUDE + link), "xl/connections.xml",
                   PRELUDE + "<connections>" + each('<connection><webPr url="{}"/></connection>', refs) + "</connections>")


def pptx(refs):
    slide = ('<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.'
             f'openxmlformats.org/drawingml/2006/main" xmlns:r="{OFFICE}"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r>'
             f"<a:t>{OWN}</a:t></a:r></a:p></p:txBody></p:sp>" + each(
                 '<p:pic><p:nvPicPr><p:nvPr><a:videoFile r:link="video{n}"/></p:nvPr></p:nvPicPr><p:blipFill>'
                 '<a:blip r:link="image{n}" r:embed="inimage{n}"/></p:blipFill></p:pic>', refs)
             + "</p:spTree></p:cSld></p:sld>")
    show = ('<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
            f'xmlns:r="{OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="r1"/>' + each('<p:sldId id="3{n}" r:id="slide{n}"/>'
            '<p:sldId id="4{n}" r:id="inslide{n}"/>', refs) + "</p:sldIdLst></p:presentation>")
    return bombs.zipped(
        ("_rels/.rels", bombs.RELS.format("ppt/presentation.xml")), ("ppt/presentation.xml", PRELUDE + show),
        ("ppt/_rels/presentation.xml.rels", relations((("r1", "slide", "slides/slide1.xml"),), ("slide",), refs)),
        ("ppt/slides/slide1.xml", PRELUDE + slide),
        ("ppt/slides/_rels/slide1.xml.rels", relations((), ("image", "video", "audio", "notesSlide"), refs)))


# OpenDocument.


def linked(data):
    """With the prefix that links have, and the one of drawings."""
    text = zipfile.ZipFile(io.BytesIO(data)).read("content.xml").decode()
    return part_of(data, "content.xml", text.replace(
        "xmlns:office=", f'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:draw="{URN}:drawing:1.0" '
        f'xmlns:presentation="{URN}:presentation:1.0" xmlns:office=', 1))


def odt(refs):
    return linked(bombs.odt(f"<text:p>{OWN}</text:p>" + each(
        '<text:p><draw:frame><draw:image xlink:href="{}" xlink:actuate="onLoad"/></draw:frame><draw:frame>'
        '<draw:object xlink:href="{}"/></draw:frame></text:p><text:section><text:section-source xlink:href="{}"/>'
        '<office:dde-source office:dde-application="soffice" office:dde-topic="{}"/></text:section>', refs)))


def ods(refs):
    return linked(bombs.opendocument("spreadsheet", each(
        '<table:table table:name="S{n}"><table:table-source xlink:href="{}" table:mode="copy-all"/><table:table-row>'
        f'<table:table-cell office:value-type="string"><text:p>{OWN}</text:p><table:cell-range-source xlink:href="{{}}"/>'
        '</table:table-cell></table:table-row></table:table>', refs), ""))


def odp(refs):
    return linked(bombs.opendocument("presentation", "<draw:page><draw:frame><draw:text-box>"
                                     f"<text:p>{OWN}</text:p></draw:text-box></draw:frame>" + each(
                                         '<draw:frame><draw:image xlink:href="{}"/></draw:frame><presentation:sound '
                                         'xlink:href="{}"/><draw:frame><draw:plugin xlink:href="{}"/></draw:frame>', refs)
                                     + "</draw:page>", ""))


def flat_odt(refs):
    data = zipfile.ZipFile(io.BytesIO(odt(refs))).read("content.xml").decode()
    data = data.replace("document-content", "document").replace(
        "<office:document ", '<office:document office:mimetype="application/vnd.oasis.opendocument.text" ', 1)
    return data.encode()


def rtf(refs):
    return ("{\\rtf1\\ansi{\\*\\template " + refs[2] + "}{\\*\\filetbl" + each("{\\file\\fid{n} {}}", refs) + "}" + OWN + each(
        '{\\field{\\*\\fldinst INCLUDEPICTURE "{}" \\\\d}{\\fldrslt x}}{\\field{\\*\\fldinst INCLUDETEXT "{}"}{\\fldrslt x}}'
        "{\\object\\objautlink\\objupdate{\\*\\objclass htmlfile}{\\*\\objdata "
        "0105000001000000}}{\\*\\subdocument{n} {}}", refs) + "}").encode()


# PDFs.


def pdf_name(ref):
    return b"(%s)" % ref.encode()


def pdf_actions(refs):
    actions = b"".join(b"<</Type/Annot/Subtype/Link/Rect[0 0 99 99]/A<</S/%s%s>>>>" % (kind, key + pdf_name(ref))
                       for ref in refs for kind, key in (
                           (b"Launch", b"/F"), (b"URI", b"/URI"), (b"GoToR", b"/D[0/Fit]/F"), (b"GoToE", b"/F"),
                           (b"SubmitForm", b"/F"), (b"ImportData", b"/F"), (b"Sound", b"/F"),
                           (b"JavaScript", b"/JS")))
    data = bombs.one_page(stream(HELLO), FONT + b"/AA<</O<</S/Launch/F%s>>>>/Annots[%s]" % (pdf_name(refs[2]), actions))
    return data.replace(b"<</Type/Catalog", b"<</OpenAction<</S/URI/URI%s>>/Type/Catalog" % pdf_name(refs[4]))


def pdf_streams(refs):
    """Streams whose bytes are in another file: contents, a picture, a font, an embedded file; and a page of another."""
    outside = [stream(b"", b"/F%s/FFilter[]" % pdf_name(ref)) for ref in refs]
    pictures = [stream(b"", b"/Type/XObject/Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray/F"
                       + pdf_name(ref)) for ref in refs]
    forms = [stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Ref<</F%s/Page 0>>" % pdf_name(ref)) for ref in refs]
    names = b"".join(b"/X%d %d 0 R" % (i, 6 + len(refs) + i) for i in range(2 * len(refs)))
    content = b"[5 0 R %s]" % b" ".join(b"%d 0 R" % (6 + i) for i in range(len(refs)))
    draw = HELLO + b"".join(b"q 99 0 0 99 0 0 cm /X%d Do Q " % i for i in range(2 * len(refs)))
    return bombs.one_page(content, FONT.replace(b"/Font", b"/XObject<<%s>>/Font" % names),
                          [stream(draw), *outside, *pictures, *forms])


def pdf_forms(refs):
    """A form in XML with entities from elsewhere, and the same in what is said about the document."""
    xml = PRELUDE + "<!DOCTYPE x [" + each('<!ENTITY e{n} SYSTEM "{}">', refs) + "]>"
    xfa = xml + "<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'>" + each("<a href='{}'>&e{n};</a>", refs) + "</xdp:xdp>"
    data = bombs.one_page(stream(HELLO), FONT, [stream(xfa.encode()), stream(xfa.encode(), b"/Type/Metadata/Subtype/XML")])
    return data.replace(b"<</Type/Catalog", b"<</AcroForm<</XFA 5 0 R/Fields[]>>/Metadata 6 0 R/Type/Catalog")


# Mail.


def eml(refs):
    parts = "".join(
        f'--b\r\nContent-Type: message/external-body; access-type={kind}; name="{ref}"; directory="{ref}"; URL="{ref}"'
        "\r\n\r\nContent-Type: text/plain\r\n\r\n\r\n" for ref in refs for kind in ("local-file", "URL", "anon-ftp"))
    page = html(refs).decode()
    return ("From: a@example.org\r\nSubject: refs\r\nMIME-Version: 1.0\r\nX-Face: x\r\nContent-Type: multipart/related; "
            f'boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: {refs[3]}\r\n\r\n{page}\r\n{parts}'
            "--b--\r\n").encode()


# Sound and video.


def box(kind, *parts):
    return media_fixtures.box(kind, *parts)


def jpeg():
    return media_fixtures.jpeg(100, 100, 200)


def mp4(refs):
    """Its data, it says, are at the first address."""
    return media_fixtures.mp4(jpeg(), 8, media_fixtures.full(b"url ", 0, refs[2].encode() + b"\0"))


def mp4_net(refs):
    return media_fixtures.mp4(jpeg(), 8, media_fixtures.full(b"url ", 0, refs[4].encode() + b"\0"))


def mov_alias(refs):
    """An alias of a Macintosh, with the whole path and the one that is relative."""
    path = refs[2].encode()
    more = struct.pack(">hH", 2, len(path)) + path + b"\0" * (len(path) % 2)
    more += struct.pack(">hH", 18, len(path)) + path + b"\0" * (len(path) % 2) + struct.pack(">hH", -1, 0)
    alias = bytes(4) + struct.pack(">HH", 150 + len(more), 2) + bytes(142) + more
    return media_fixtures.mp4(jpeg(), 8, media_fixtures.full(b"alis", 0, alias)).replace(b"ftypisom", b"ftypqt  ", 1)


def mov_others(refs):
    """Beside its own track it says that the film is elsewhere."""
    whole = media_fixtures.mp4(jpeg(), 8)
    others = box(b"rmra", *(box(b"rmda", box(b"rdrf", bytes(4), b"url ", struct.pack(">I", len(ref)), ref.encode()))
                            for ref in refs))
    return whole + box(b"moov", others)


def id3(refs):
    """Covers and lyrics that are links: their type is "-->"."""
    frames = b"".join(kind + struct.pack(">I", len(data)) + b"\0\0" + data for ref in refs for kind, data in (
        (b"APIC", b"\0-->\0\3\0" + ref.encode()), (b"WXXX", b"\0x\0" + ref.encode()), (b"LINK", b"TIT2" + ref.encode()),
        (b"WOAF", ref.encode())))
    size = len(frames)
    head = b"ID3\3\0\0" + bytes(size >> 7 * i & 127 for i in (3, 2, 1, 0))
    return head + frames + media_fixtures.mp3(20)


def element(number, data):
    return number + (0x10000000 | len(data)).to_bytes(4, "big") + data


def matroska(refs):
    """A segment that says which files come before and after it, with chapters that play others; its sound is PCM."""
    info = element(b"\x15\x49\xa9\x66", element(b"\x2a\xd7\xb1", b"\x0f\x42\x40")
                   + element(b"\x44\x89", struct.pack(">d", 100.0)) + element(b"\x4d\x80", b"x") + element(b"\x57\x41", b"x")
                   + b"".join(element(number, ref.encode()) for ref in refs
                              for number in (b"\x73\x84", b"\x3c\x83\xab", b"\x3e\x83\xbb")))
    track = element(b"\xae", element(b"\xd7", b"\1") + element(b"\x73\xc5", b"\1") + element(b"\x83", b"\2")
                    + element(b"\x86", b"A_PCM/INT/LIT")
                    + b"".join(element(b"\x3a\x96\x97", ref.encode()) + element(b"\x3b\x40\x40", ref.encode()) for ref in refs)
                    + element(b"\xe1", element(b"\xb5", struct.pack(">d", 8000.0)) + element(b"\x9f", b"\1")
                              + element(b"\x62\x64", b"\x10")))
    cluster = element(b"\x1f\x43\xb6\x75", element(b"\xe7", b"\0") + element(b"\xa3", b"\x81\0\0\x80" + bytes(1600)))
    head = element(b"\x1a\x45\xdf\xa3", element(b"\x42\x82", b"matroska") + element(b"\x42\x87", b"\4")
                   + element(b"\x42\x85", b"\2"))
    return head + element(b"\x18\x53\x80\x67", info + element(b"\x16\x54\xae\x6b", track) + cluster)


def playlist(template, head="", tail=""):
    return lambda refs: (head + each(template, refs) + tail).encode()


M3U8 = playlist("#EXTINF:1,\n{}\n", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n", "#EXT-X-ENDLIST\n")


# Archives and pictures.


def zip_links(refs):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("own.txt", OWN)
        for i, ref in enumerate(refs):
            link = zipfile.ZipInfo(f"link{i}")
            link.create_system, link.external_attr = 3, 0o120777 << 16
            z.writestr(link, ref)
            z.writestr(f"../../{ref}", b"")
    return out.getvalue()


def tar_links(refs):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as t:
        t.addfile(tarfile.TarInfo("own.txt"))
        for i, ref in enumerate(refs):
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                link = tarfile.TarInfo(f"link{i}")
                link.type, link.linkname = kind, ref
                t.addfile(link)
            t.addfile(tarfile.TarInfo(f"../../{ref}"))
    return out.getvalue()


def psd(refs):
    """Layers that are linked files, and a clipping path by its address."""
    block = b"".join(b"liFE" + struct.pack(">I", 3) + bytes([9]) + b"unique-id" + ref.encode() for ref in refs)
    layers = b"8BIMlnkE" + struct.pack(">I", len(block)) + block
    links = b"".join(b"8BIM" + struct.pack(">H", 1035) + b"\0\0" + struct.pack(">I", len(ref) + len(ref) % 2)
                     + ref.encode() + b"\0" * (len(ref) % 2) for ref in refs)
    return (b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 3, 8, 8, 8, 3) + bytes(4)
            + struct.pack(">I", len(links)) + links + struct.pack(">I", 8 + len(layers)) + bytes(8) + layers
            + b"\0\0" + b"\x80" * 192)


def jpeg_notes(refs):
    """What is said about a photo in XML, with entities from elsewhere and links."""
    xml = "<!DOCTYPE x [" + each('<!ENTITY e{n} SYSTEM "{}">', refs) + "]><x:xmpmeta xmlns:x='adobe:ns:meta/'>" + each(
        "<a rdf:resource='{}'>&e{n};</a>", refs) + "</x:xmpmeta>"
    data = b"http://ns.adobe.com/xap/1.0/\0" + xml.encode()
    return jpeg()[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg()[2:]


def png_notes(refs):
    text = "<!DOCTYPE x [" + each('<!ENTITY e{n} SYSTEM "{}">', refs) + "]><x>" + each("&e{n};", refs) + "</x>"
    return bombs.png(8, 8, bytes(72), more=bombs.chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + text.encode())
                     + bombs.chunk(b"tEXt", b"profile\0" + refs[2].encode()))


def tiff_notes(refs):
    text = "".join(refs).encode() + b"\0"
    return bombs.tiff((256, 4, 1, 8), (257, 4, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
                      (278, 4, 1, 8), (279, 4, 1, 64), (700, 1, len(text), 72), (269, 2, len(text), 72),
                      (50827, 2, len(text), 72), data=bytes(64) + text + b"\0" * (len(text) % 2))


ROWS = [
    ("SVG: pictures", "image", "images.svg", svg_images, "64x64"),
    ("SVG: uses, masks and paints of another file", "image", "uses.svg", svg_uses, "64x64"),
    ("SVG: style sheets and fonts", "image", "styles.svg", svg_styles, "64x64"),
    ("SVG: external entities", "image", "entities.svg", svg_entities, "?64x64|the SVG picture is broken"),
    ("HTML: everything that loads", "office", "page.html", html, OWN),
    ("XHTML: entities, parameters, XInclude", "office", "page.xhtml", xhtml, OWN),
    ("EPUB: chapters and pictures elsewhere", "office", "book.epub", epub, OWN),
    ("EPUB: books elsewhere", "office", "books.epub", epub_container, OWN),
    ("DOCX: pictures, chunks, parts, templates, objects", "office", "parts.docx", docx, OWN),
    ("DOCX: fields that include", "office", "fields.docx", docx_fields, OWN),
    ("DOCX: relations of the whole, entities in styles", "office", "whole.docx", docx_package, OWN),
    ("XLSX: links, connections, functions, DDE", "office", "book.xlsx", xlsx, OWN),
    ("PPTX: slides, pictures, films", "office", "show.pptx", pptx, OWN),
    ("ODT: pictures, objects, sections, DDE", "office", "text.odt", odt, OWN),
    ("ODS: tables and ranges elsewhere", "office", "sheet.ods", ods, OWN),
    ("ODP: pictures, sounds, plug-ins", "office", "show.odp", odp, OWN),
    ("flat ODT", "office", "text.fodt", flat_odt, OWN),
    ("RTF: fields, objects, templates", "office", "text.rtf", rtf, OWN),
    ("PDF: actions", "pdf", "actions.pdf", pdf_actions, "readable words"),
    ("PDF: streams in other files", "pdf", "streams.pdf", pdf_streams, "readable words"),
    ("PDF: forms and metadata in XML", "pdf", "forms.pdf", pdf_forms, "readable words"),
    ("mail: bodies elsewhere, a page that loads", "office", "mail.eml", eml, OWN),
    ("a web archive, which is text to us", "", "page.mht", eml, "Content-Location: "),
    ("MP4: data in another file", "av", "file.mp4", mp4, "8x8"),
    ("MP4: data at an address", "av", "net.mp4", mp4_net, "8x8"),
    ("QuickTime: data after an alias", "av", "alias.mov", mov_alias, "!nothing in the file can be decoded"),
    ("QuickTime: the film is elsewhere", "av", "others.mov", mov_others, "8x8"),
    ("MP3: covers and lyrics that are links", "av", "tags.mp3", id3, "[Audio: tags.mp3"),
    ("Matroska: segments before and after", "av", "linked.mkv", matroska, "[Audio: linked.mkv"),
    ("HLS under its own name", "", "play.m3u8", M3U8, "#EXTM3U"),
    ("HLS that says it is a video", "av", "play.mp4", M3U8, "!play.mp4"),
    ("HLS that says it is sound", "av", "play.mp3", M3U8, "!play.mp3"),
    ("DASH", "", "play.mpd", playlist('<Period><BaseURL>{}</BaseURL></Period>', PRELUDE + "<MPD>", "</MPD>"), "<MPD>"),
    ("FFmpeg's list of files, as a video", "av", "concat.mkv", playlist("file '{}'\n", "ffconcat version 1.0\n"),
     "!concat.mkv"),
    ("ASX", "", "play.asx", playlist('<Entry><Ref href="{}"/></Entry>', "<ASX version=\"3\">", "</ASX>"), "<Entry>"),
    ("PLS", "", "play.pls", playlist("File{n}={}\n", "[playlist]\nNumberOfEntries=10\n"), "[playlist]"),
    ("XSPF", "", "play.xspf", playlist("<track><location>{}</location></track>", PRELUDE + '<playlist version="1">',
                                       "</playlist>"), "<track>"),
    ("a cue sheet", "", "disc.cue", playlist('FILE "{}" WAVE\n  TRACK {n} AUDIO\n', 'TITLE "own"\n'), "TRACK 1 AUDIO"),
    ("SDP that says it is a video", "av", "play.mov", playlist("a=control:{}\n", "v=0\no=- 0 0 IN IP4 127.0.0.1\n"
                                                              "s=x\nm=video 9 RTP/AVP 96\n"), "!play.mov"),
    ("KML: network links", "", "map.kml", playlist("<NetworkLink><Link><href>{}</href></Link></NetworkLink>", PRELUDE
                                                   + '<kml xmlns="http://www.opengis.net/kml/2.2">', "</kml>"),
     "<NetworkLink>"),
    ("GPX: links", "", "way.gpx", playlist('<wpt lat="1" lon="1"><link href="{}"/></wpt>', PRELUDE + "<gpx>", "</gpx>"),
     "<gpx>"),
    ("XML: a document type, entities, XInclude, a stylesheet", "", "data.xml", lambda refs: (
        PRELUDE + each('<?xml-stylesheet href="{}"?>', refs) + "<!DOCTYPE a [" + each('<!ENTITY e{n} SYSTEM "{}">', refs)
        + f"]><a>{OWN}" + each('&e{n};<xi:include href="{}"/>', refs) + "</a>").encode(), OWN),
    ("Markdown: pictures and pages inside", "", "notes.md", playlist("![x]({}) <img src='{}'> [[{}]]\n", OWN + "\n"), OWN),
    ("TeX: inputs", "", "paper.tex", playlist("\\input{{}}\\includegraphics{{}}\\verbatiminput{{}}\n", OWN + "\n"), OWN),
    ("JSON: references", "", "data.json", playlist('{"$ref":"{}"},', '{"own":"words","all":[', "0]}"), "own"),
    ("YAML: includes", "", "data.yaml", playlist("- !include {}\n- !!python/object/apply:os.system ['cat {}']\n",
                                                 "own: words\n"), "own: words"),
    ("CSV: formulas", "", "data.csv", playlist("=WEBSERVICE(\"{}\"),=cmd|'/C cat {}'!A1\n", "own,words\n"), "own,words"),
    ("shortcuts: .url", "", "link.url", playlist("URL={}\nIconFile={}\n", "[InternetShortcut]\n"), "[InternetShortcut]"),
    ("shortcuts: .desktop", "", "link.desktop", playlist("Exec=cat {}\nIcon={}\nURL={}\n", "[Desktop Entry]\n"),
     "[Desktop Entry]"),
    ("ImageMagick's language, as a picture", "image", "draw.png", playlist(
        "image over 0,0 0,0 '{}'\n", "push graphic-context\nviewbox 0 0 64 64\n", "pop graphic-context\n"), "!draw.png"),
    ("ImageMagick's scripts, as a drawing", "image", "script.svg", playlist(
        '<read filename="{}"/>', PRELUDE + "<image>", "</image>"), "!script.svg"),
    ("ZIP: links and names that go up", "archive", "links.zip", zip_links, "own.txt"),
    ("TAR: links and names that go up", "archive", "links.tar", tar_links, "own.txt"),
    ("Photoshop: linked layers", "image", "layers.psd", psd, "8x8"),
    ("JPEG: entities in what is said about it", "image", "notes.jpg", jpeg_notes, "8x8"),
    ("PNG: entities in what is said about it", "image", "notes.png", png_notes, "8x8"),
    ("TIFF: names of originals", "image", "notes.tiff", tiff_notes, "8x8"),
]
SECRETS = [CANARY.encode()] + [base64.b64encode(b"x" * skip + CANARY.encode())[4 * (skip > 0):-4] for skip in range(3)]
DRAWN = ("image", "pdf")  # what view shows as a picture


def secret_files(folder):
    outside = folder.parent / (folder.name + "-outside")
    outside.mkdir()
    red = b"".join(b"\0" + b"\xff\0\0" * 16 for _ in range(16))
    data = {"secret.txt": CANARY.encode(), "secret.png": bombs.png(16, 16, red, colour=2, more=bombs.chunk(
        b"tEXt", b"c\0" + CANARY.encode()))}
    for name, content in data.items():
        for place in folder, outside:
            (place / name).write_bytes(content)
    return outside


def without(text):
    """What is the same when nothing is there; packed files differ by a few bytes."""
    return re.sub(rb"[\d,]+ bytes", b"N bytes", text.replace(b"secret", b"absent"))


def drawn(m, file):
    """The picture that view draws."""
    with Terminal([m.program, "view", file], plays="kitty", cwd=m.folder, home=m.folder / "home") as t:
        t.wait_until(lambda: t.emulator.pictures, what="a picture")
        t.type("q")
        expect(t.wait_exit() == 0, "it did not end well")
        return t.emulator.pictures[-1].data if t.emulator.pictures else None


def search(folder):
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith("secret."):
            data = path.read_bytes()
            expect(not any(secret in data for secret in SECRETS), f"what it names is in {path}")


def names(m, worker, file, make, words):
    outside = secret_files(m.folder)
    try:
        m.write(file, make(places(m.folder, "absent")))
        without_it = m.read(file)
        picture = drawn(m, file) if worker in DRAWN and not words.startswith("!") and not without_it.status else None
        m.write(file, make(places(m.folder, "secret")))
        done = m.read(file)
        judged(done, words)
        expect(without(done.out) == without(without_it.out) and done.status == without_it.status,
               f"it is read otherwise when the places are there: {done.out[:600]!r}, not {without_it.out[:600]!r}")
        expect(picture is None or drawn(m, file) == picture, "it is drawn otherwise when the places are there")
        m.run("ask", "-m", "offline", "--no-tools", "-a", file, "What is in it?", status={0, 6})
        for path in m.folder.glob("secret.*"):  # that model reads whatever it hears of, where it may
            path.unlink()
        m.run("ask", "-m", "offline", f"What is in @{file}?", status={0})
        search(m.folder)
        expect(not LISTENER.calls, f"{LISTENER.calls} calls")
    finally:
        for path in outside.iterdir():
            path.unlink()
        outside.rmdir()
    return done


CASES = [(row[0], (row[1],) if row[1] else (), lambda m, row=row: names(m, *row[1:])) for row in ROWS]

if __name__ == "__main__":
    sys.exit(run_all(os.path.abspath(sys.argv[1]), CASES, sys.argv[2:]))
