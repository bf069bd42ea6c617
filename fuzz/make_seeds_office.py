#!/usr/bin/env python3
"""Write the seeds of fuzz_office: small documents of every format that the family reads.

They go to corpus/office/ beside this file, under their own names; other files there are kept. The
first byte of each chooses what is asked (the table in fuzz_office.c)."""
import io
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "office"
sys.path.insert(0, str(HERE.parent / "tests"))
from locking import agile, open_document, standard  # noqa: E402
from media_fixtures import docx, png, stored_zip  # noqa: E402

(TEXT, HTML, MAIL, PICTURES, MEDIA, MEMBERS, MEMBERS_SOME, MEMBERS_SHEET, MEMBERS_MEDIA,
 MEMBERS_LOCKED, STREAMS_LOCKED, UTF8) = range(12)
TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def members(files):
    """As fuzz_office packs them itself."""
    return b"\n--\n".join(name.encode() + b"\n" + (data if isinstance(data, bytes)
                                                   else data.encode())
                          for name, data in files.items())


def relations(**targets):
    return "<Relationships>%s</Relationships>" % "".join(
        f'<Relationship Id="{name}" Type="{TYPE}{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items())


def word(body, **more):
    return {
        "_rels/.rels": relations(r=("officeDocument", "word/document.xml")),
        "word/document.xml": '<w:document xmlns:w="w"><w:body>%s</w:body></w:document>' % body,
        **more,
    }


def paragraph(text, marks=""):
    return f"<w:p>{marks}<w:r><w:t>{text}</w:t></w:r></w:p>"


WORD_PARTS = {
    "word/_rels/document.xml.rels": relations(
        s=("styles", "styles.xml"), n=("numbering", "/word/numbering.xml"),
        f=("footnotes", "footnotes.xml"), c=("comments", "comments.xml"),
        h=("header", "h.xml"), i=("image", "media/i.png"), l=("hyperlink", "http://a.org/")),
    "word/styles.xml": '<w:styles><w:style w:type="paragraph" w:styleId="H"><w:name '
                       'w:val="heading 1"/></w:style><w:style w:styleId="K"><w:basedOn '
                       'w:val="H"/></w:style></w:styles>',
    "word/numbering.xml": '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0">'
                          '<w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText '
                          'w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="2">'
                          '<w:abstractNumId w:val="1"/></w:num></w:numbering>',
    "word/footnotes.xml": '<w:footnotes><w:footnote w:id="7">%s</w:footnote></w:footnotes>'
                          % paragraph("foot"),
    "word/comments.xml": '<w:comments><w:comment w:id="0" w:author="Ann">%s</w:comment>'
                         '</w:comments>' % paragraph("why?"),
    "word/h.xml": "<w:hdr>%s</w:hdr>" % paragraph("top"),
    "word/media/i.png": png(2, (1, 2, 3)),
}

WORD_BODIES = {
    "heading": paragraph("A", '<w:pPr><w:pStyle w:val="K"/></w:pPr>')
               + paragraph("B", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
    "list": paragraph("a", '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>'
                           "</w:pPr>") * 3,
    "table": "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>%s</w:tc><w:tc>"
             "<w:tbl><w:tr><w:tc>%s</w:tc></w:tr></w:tbl></w:tc></w:tr><w:tr><w:tc><w:tcPr>"
             "<w:vMerge/></w:tcPr></w:tc></w:tr></w:tbl>" % (paragraph("a|b"), paragraph("in")),
    "notes": '<w:p><w:r><w:footnoteReference w:id="7"/><w:commentReference w:id="0"/>'
             '<w:tab/><w:br/><w:noBreakHyphen/><w:sym w:char="F0B7"/></w:r></w:p>',
    "links": '<w:p><w:hyperlink r:id="l"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:r><w:fldChar '
             'w:fldCharType="begin"/><w:instrText>HYPERLINK "http://b"</w:instrText><w:fldChar '
             'w:fldCharType="separate"/><w:t>there</w:t><w:fldChar w:fldCharType="end"/></w:r>'
             "</w:p>",
    "changes": "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old"
               "</w:delText></w:r></w:del></w:p><w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"
               "<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r></w:p>",
    "box": "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>%s</w:txbxContent>"
           "</mc:Choice><mc:Fallback/></mc:AlternateContent><wp:docPr descr=\"a dog\"/><a:blip "
           'r:embed="i"/></w:r></w:p>' % paragraph("box"),
    "fields": '<w:p><w:fldSimple w:instr="HYPERLINK &quot;http://c&quot;"><w:r><w:t>x</w:t></w:r>'
              "</w:fldSimple></w:p>",
    "odd": paragraph("&lt;&#65;&#x1F600;&amp;<![CDATA[<x>]]>") + "<!-- c --><?p i?></w:r>",
}

SLIDES = {
    "_rels/.rels": relations(r=("officeDocument", "ppt/presentation.xml")),
    "ppt/presentation.xml": '<p:presentation><p:sldIdLst><p:sldId r:id="b"/><p:sldId r:id="a"/>'
                            "</p:sldIdLst></p:presentation>",
    "ppt/_rels/presentation.xml.rels": relations(a=("slide", "slides/1.xml"),
                                                 b=("slide", "slides/2.xml")),
    "ppt/slides/1.xml": '<p:sld show="0"><p:sp><p:txBody><a:p><a:r><a:t>loose</a:t></a:r></a:p>'
                        "</p:txBody></p:sp></p:sld>",
    "ppt/slides/2.xml": '<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
                        "<p:txBody><a:p><a:r><a:t>T</a:t></a:r></a:p></p:txBody></p:sp><p:sp>"
                        '<p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>x</a:t></a:r></a:p></p:txBody>'
                        "</p:sp><p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>k"
                        "</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl><c:chart r:id=\"c\"/>"
                        "</p:graphicFrame></p:sld>",
    "ppt/slides/_rels/2.xml.rels": relations(n=("notesSlide", "../n.xml"), c=("chart", "../c.xml")),
    "ppt/n.xml": '<p:notes><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr>'
                 "<p:txBody><a:p><a:r><a:t>say</a:t></a:r></a:p></p:txBody></p:sp></p:notes>",
    "ppt/c.xml": "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>C</a:t></a:r></a:p></c:title>"
                 '<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>24</c:v></c:pt>'
                 "</c:strCache></c:strRef></c:tx><c:cat><c:strCache><c:pt idx=\"1\"><c:v>May"
                 '</c:v></c:pt></c:strCache></c:cat><c:val><c:numCache><c:pt idx="0"><c:v>0.3'
                 "</c:v></c:pt></c:numCache></c:val></c:ser></c:chart></c:chartSpace>",
}

MORE_SLIDES = {
    **SLIDES,
    "ppt/_rels/presentation.xml.rels": relations(a=("slide", "slides/1.xml"),
                                                 b=("slide", "slides/2.xml"),
                                                 c=("commentAuthors", "authors.xml")),
    "ppt/authors.xml": '<p:cmAuthorLst><p:cmAuthor id="1" name="Ann"/></p:cmAuthorLst>',
    "ppt/slides/2.xml": '<p:sld><p:pic><p:nvPicPr><p:cNvPr descr="a dog"/></p:nvPicPr><a:blip '
                        'r:embed="i"/></p:pic><p:graphicFrame><dgm:relIds r:dm="d"/>'
                        "</p:graphicFrame><mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p>"
                        '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:rPr>'
                        '<a:hlinkClick r:id="l"/></a:rPr><a:t>x</a:t></a:r><a:br/><a:fld><a:t>2'
                        "</a:t></a:fld></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback/>"
                        "</mc:AlternateContent></p:sld>",
    "ppt/slides/_rels/2.xml.rels": relations(i=("image", "../m/i.png"), d=("diagramData", "../d.xml"),
                                             o=("comments", "../o.xml"))
    .replace("</Relationships>", f'<Relationship Id="l" Type="{TYPE}hyperlink" TargetMode="External" '
             'Target="http://x/"/></Relationships>'),
    "ppt/d.xml": "<dgm:dataModel><a:p><a:r><a:t>box</a:t></a:r></a:p></dgm:dataModel>",
    "ppt/o.xml": '<p:cmLst><p:cm authorId="1"><p:text>hm</p:text></p:cm></p:cmLst>',
}

BOOK = {
    "_rels/.rels": relations(r=("officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": '<workbook><workbookPr date1904="1"/><sheets><sheet name="S1" r:id="a"/>'
                       '<sheet name="S2" state="hidden" r:id="b"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": relations(a=("worksheet", "s1.xml"), b=("worksheet", "s2.xml"),
                                            s=("sharedStrings", "t.xml"), y=("styles", "y.xml")),
    "xl/t.xml": "<sst><si><t>name</t></si><si><r><t>a</t></r><r><t>|b</t></r><rPh><t>no</t></rPh>"
                "</si></sst>",
    "xl/y.xml": '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]#,##0.00;(0)"/>'
                '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd hh:mm:ss AM/PM"/></numFmts>'
                '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf '
                'numFmtId="165"/><xf numFmtId="12"/><xf numFmtId="11"/></cellXfs></styleSheet>',
    "xl/s1.xml": '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1'
                 '</v></c></row><row r="3"><c r="A3" s="1"><v>45000.5</v></c><c s="2"><f>A1*2</f>'
                 '<v>-1234.5</v></c><c s="3"><v>1.75</v></c><c s="4"><v>0.333</v></c><c s="5"><v>'
                 '1e10</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><v>x</v></c>'
                 '</row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>',
    "xl/s2.xml": '<x:worksheet><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>in</x:t></x:is>'
                 '</x:c><x:c t="d"><x:v>2024-02-29T12:00:00</x:v></x:c></x:row></x:sheetData>'
                 "</x:worksheet>",
}


MORE_BOOK = {
    **BOOK,
    "xl/s1.xml": '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData><hyperlinks><hyperlink '
                 'ref="A1" r:id="l"/></hyperlinks><drawing r:id="d"/></worksheet>',
    "xl/_rels/s1.xml.rels": relations(o=("comments", "o.xml"), d=("drawing", "d.xml"),
                                      l=("hyperlink", "http://x/")),
    "xl/o.xml": '<comments><commentList><comment ref="A1"><text><r><t>hm</t></r></text></comment>'
                "</commentList></comments>",
    "xl/d.xml": "<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>box</a:t></a:r></a:p></xdr:txBody>"
                '</xdr:sp><xdr:pic><a:blip r:embed="i"/></xdr:pic><c:chart r:id="c"/></xdr:wsDr>',
    "xl/_rels/d.xml.rels": relations(c=("chart", "c.xml")),
    "xl/c.xml": SLIDES["ppt/c.xml"],
}


def formats():
    """A sheet whose cells have one number each in many formats."""
    codes = ["0.0E+00", "# ?/?", "# ??/16", "@", "[h]:mm:ss", "mmss.0", "d. mmmm yyyy", "0%",
             "\"x\"0;;-", "[&gt;100]0;0.0", "#,##0,,", "_(* #,##0_)", "[$-407]ddd", "General"]
    return {
        **BOOK,
        "xl/y.xml": "<styleSheet><numFmts>%s</numFmts><cellXfs>%s</cellXfs></styleSheet>" % (
            "".join(f'<numFmt numFmtId="{200 + i}" formatCode="{code.replace(chr(34), "&quot;")}"/>'
                    for i, code in enumerate(codes)),
            "".join(f'<xf numFmtId="{200 + i}"/>' for i in range(len(codes)))),
        "xl/s1.xml": "<worksheet><sheetData><row>%s</row></sheetData></worksheet>" % "".join(
            f'<c s="{i}"><v>{value}</v></c>' for i in range(len(codes))
            for value in (0, -1.25, 45123.756, 1e300)),
    }


def odf(kind, body):
    return {
        "mimetype": "application/vnd.oasis.opendocument." + kind,
        "content.xml": "<office:document-content xmlns:office='o'><office:automatic-styles>"
                       "<text:list-style style:name='N'><text:list-level-style-number "
                       "text:level='1' style:num-format='1'/></text:list-style>"
                       "</office:automatic-styles><office:body>%s</office:body>"
                       "</office:document-content>" % body,
        "META-INF/manifest.xml": "<m:manifest><m:file-entry/></m:manifest>",
    }


ODT = ("<office:text><text:h text:outline-level='2'>H</text:h><text:tracked-changes><text:p>gone"
       "</text:p></text:tracked-changes><text:list text:style-name='N'><text:list-item><text:p>a"
       "</text:p></text:list-item></text:list><text:p>a<text:s text:c='3'/><text:tab/><text:a "
       "xlink:href='http://x/'>b</text:a><text:note><text:note-citation>1</text:note-citation>"
       "<text:note-body><text:p>why</text:p></text:note-body></text:note><office:annotation>"
       "<text:p>hm</text:p></office:annotation></text:p><table:table><table:table-row>"
       "<table:table-cell table:number-columns-spanned='2'><text:p>c</text:p></table:table-cell>"
       "<table:covered-table-cell/></table:table-row></table:table></office:text>")
ODS = ("<office:spreadsheet><table:table table:name='S1'><table:table-row><table:table-cell>"
       "<text:p>k</text:p></table:table-cell><table:table-cell "
       "table:number-columns-repeated='16000'/></table:table-row><table:table-row "
       "table:number-rows-repeated='3'><table:table-cell office:value='3'/></table:table-row>"
       "</table:table><table:table table:name='S2'/></office:spreadsheet>")
ODP = ("<office:presentation><draw:page draw:name='p'><draw:frame presentation:class='title'>"
       "<draw:text-box><text:p>T</text:p></draw:text-box></draw:frame><presentation:notes>"
       "<text:p>say</text:p></presentation:notes></draw:page><draw:page/></office:presentation>")
EPUB = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": "<container><rootfiles><rootfile full-path='b/p.opf'/></rootfiles>"
                              "</container>",
    "b/p.opf": "<package><metadata><dc:title>Book</dc:title></metadata><manifest><item id='2' "
               "href='c%202.xhtml' media-type='application/xhtml+xml'/><item id='1' "
               "href='c1.xhtml'/></manifest><spine><itemref idref='1'/><itemref idref='2' "
               "linear='no'/></spine></package>",
    "b/c1.xhtml": "<html><head><title>F</title></head><body><h1>1</h1></body></html>",
    "b/c 2.xhtml": "<html><body><p>2&nbsp;</p></body></html>",
}

HTML_TEXT = (b"<!DOCTYPE html><html><head><meta charset=iso-8859-2><title>A &amp; B</title></head>"
             b"<body><h2>Head</h2><ul><li>a<ol start=3><li>b</ol></ul><table><tr><th colspan=2>k"
             b"<tr><td>a|b<td>1<br>2</table><a href='http://x.org/a'>here</a><pre>a  b\n c</pre>"
             b"<script>if (a<b) c</script><img alt='A dog'><p hidden>e</p><div style='display:none'"
             b">f</div>&lt;&eacute;&#8364;&#x20ac;&#150;&nosuch; R&D \xb1<!-- d --><blockquote>q")
MAIL_TEXT = (b"From: A <a@x>\r\nTo: b@x\r\nDate: Mon, 1 Jan 2024 10:00:00 +0100\r\nSubject: "
             b"=?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?Q?_aus_K=F6ln?=\r\nContent-Type: multipart/"
             b"mixed; boundary=\"m\"\r\n\r\n--m\r\nContent-Type: multipart/alternative; boundary=n"
             b"\r\n\r\n--n\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "
             b"quoted-printable\n\ncaf=C3=A9 lo=\nng\n--n\nContent-Type: text/html\n\n<p>no</p>\n"
             b"--n--\n--m\nContent-Type: message/rfc822\n\nSubject: t\n\nbody\n--m\nContent-Type: "
             b"application/pdf; name=\"x.pdf\"\nContent-Disposition: attachment; filename*="
             b"utf-8''%c3%bc.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\nAAAA\n--m--\n")
RTF_TEXT = (rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}{\info{"
            rb"\title T}}{\stylesheet{\s1 S;}}\pard\outlinelevel0 Head\par\pard a\emdash b\~c\line "
            rb"\f0 \'e9{\f1 \'e9}\uc1 \u8364?\u-10179?\u-8704?x\trowd\intbl a\cell b\cell\row\pard"
            rb"{\listtext 1.\tab}one\par{\field{\*\fldinst HYPERLINK " b'"http://x/"'
            rb"}{\fldrslt here}}{\footnote why}{\pict ff}{\*\x y}{\v h}\bin3 }{{b}\par}")
FLAT = ("<?xml version='1.0'?><office:document xmlns:office='o'><office:body>" + ODT
        + "</office:body></office:document>")


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 3, 4, 6)), data,
                             zipfile.ZIP_DEFLATED)
    return out.getvalue()


def seeds():
    out = {"word_" + name: (MEMBERS, members(word(body, **WORD_PARTS)))
           for name, body in WORD_BODIES.items()}
    out.update({
        "word_zip": (TEXT, docx(b"Dear reader, this letter is short.")),
        "word_packed": (TEXT, zipped(word(WORD_BODIES["table"], **WORD_PARTS))),
        "word_media": (MEMBERS_MEDIA, members(word(WORD_BODIES["box"], **WORD_PARTS))),
        "slides": (MEMBERS, members(SLIDES)),
        "slides_some": (MEMBERS_SOME, members(SLIDES)),
        "book": (MEMBERS, members(BOOK)),
        "book_formats": (MEMBERS, members(formats())),
        "book_sheet": (MEMBERS_SHEET, members(BOOK)),
        "odt": (MEMBERS, members(odf("text", ODT))),
        "ods": (MEMBERS, members(odf("spreadsheet", ODS))),
        "ods_sheet": (MEMBERS_SHEET, members(odf("spreadsheet", ODS))),
        "odp": (MEMBERS_SOME, members(odf("presentation", ODP))),
        "odt_media": (MEDIA, stored_zip([(b"mimetype", b"application/vnd.oasis.opendocument.text"),
                                         (b"Pictures/a.png", png(2, (1, 2, 3)))])),
        "odt_title": (MEMBERS, members({**odf("text", ODT), "meta.xml": "<office:meta><dc:title>T"
                                        "</dc:title></office:meta>"})),
        "slides_more": (MEMBERS, members(MORE_SLIDES)),
        "book_more": (MEMBERS, members(MORE_BOOK)),
        "word_utf16": (MEMBERS, members({**word(""), "word/document.xml": (
            '<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="w"><w:p><w:t>\u20ac</w:t>'
            "</w:p></w:document>").encode("utf-16")})),
        "word_entities": (MEMBERS, members({**word(""), "word/document.xml": (
            "<!DOCTYPE d [<!ENTITY a 'x'>]><w:document><w:p><w:t>&a;</w:t></w:p></w:document>")})),
        "epub": (MEMBERS, members(EPUB)),
        "flat": (TEXT, FLAT.encode()),
        "html": (HTML, HTML_TEXT),
        "html_told": (TEXT, HTML_TEXT),
        "html_utf16": (HTML, b"\xff\xfe" + "<p>ü</p>".encode("utf-16le")),
        "mail": (MAIL, MAIL_TEXT),
        "mail_html": (TEXT, b"Subject: s\nFrom: a@x\nContent-Type: text/html\n\n<h1>T</h1><p>x"),
        "rtf": (TEXT, RTF_TEXT),
        "html_said": (HTML, "<meta http-equiv=x content='text/html; charset=koi8-r'><p>да".encode("koi8-r")),
        "html_lies": (HTML, "<meta charset=utf-8><meta charset=euc-jp><p>猫である".encode("cp932")),
        "html_frames": (HTML, b"<title>t</title><frameset><frame src=a><frame src='b'></frameset><script src=c>"),
        "mail_words": (MAIL, b"From: a@x\nSubject: =?utf-8?B?54w=?= =?utf-8?B?qw==?= =?koi8-r?Q?=C4=C1?= \xc4\xc1\n"
                       b"Content-Type: text/plain; charset=us-ascii\n\n\xc4\xc1\n"),
        "text_sjis": (UTF8, "吾輩は猫である。名前はまだ無い。".encode("cp932")),
        "text_escapes": (UTF8, "吾輩は猫である。".encode("iso2022_jp")),
        "text_shifts": (UTF8, "모든 인간은".encode("iso2022_kr")),
        "text_russian": (UTF8, "# coding: koi8-r\nСъешь же ещё этих мягких булок\n".encode("koi8-r")),
        "text_broken": (UTF8, "Съешь же ещё".encode() + b"\xff\xfe"),
        "text_wide": (UTF8, "ab ü\n".encode("utf-32-le")),
        "text_utf16": (UTF8, "吾輩は猫である。名前は 無い。\n".encode("utf-16-be")),
        "encrypted": (TEXT, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504),
    })
    letter = stored_zip([(name.encode(), data.encode()) for name, data in word(
        paragraph("x" * 4000)).items()])
    out.update({
        "locked_agile": (STREAMS_LOCKED, members(agile(letter))),
        "locked_standard": (STREAMS_LOCKED, members(standard(docx(b"Dear reader")))),
        "locked_odt": (MEMBERS_LOCKED, members(open_document(
            "text", odf("text", ODT)["content.xml"].encode()))),
    })
    return out


FOLDER.mkdir(parents=True, exist_ok=True)
for name, (ask, data) in seeds().items():
    (FOLDER / name).write_bytes(bytes([ask]) + data)
