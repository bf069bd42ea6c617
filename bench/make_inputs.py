#!/usr/bin/env python3
"""Make the files that the benchmarks read: make_inputs.py FOLDER

    report.pdf    50 pages of text, kerned as typesetters do it, with a small drawing on some
    letter.docx   prose with headings and a few tables, about 500 KB of text
    book.xlsx     20,000 rows of names, numbers, amounts, dates and notes
    photo.jpg     12 megapixels; it needs Pillow, and is left out without
    photo.json    a conversation whose tool returned the photo
    refract/config.yaml limits such that `refract read` reads all of a file

They come out the same every time, but for the noise in the photo.
"""
import io
import pathlib
import random
import sys
import zipfile
import zlib

PAGES, LINES = 50, 46
CHARACTERS, TABLES = 500_000, 5
ROWS = 20_000
WIDTH, HEIGHT = 4000, 3000

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
KINDS = "application/vnd.openxmlformats-officedocument."
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def make_words(rng):
    """Words that look like some: consonants and vowels in turns."""
    return ["".join(rng.choice("bcdfglmnprstvw" if i % 2 == 0 else "aeiou")
                    for i in range(rng.randint(2, 10))) for _ in range(3000)]


def sentence(rng, words, count):
    return " ".join(rng.choices(words, k=count)).capitalize() + "."


# PDF

def kerned(text, rng):
    """A line as an array of pieces with small moves between them."""
    pieces, at = [], 0
    while at < len(text):
        end = at + rng.randint(2, 6)
        pieces.append("(%s)" % text[at:end])
        at = end
    return "[" + "".join(p + str(rng.choice((-12, 8, 15, 28))) for p in pieces) + "] TJ T*"


def drawing(rng):
    bars = ["%d 60 22 %d re f" % (80 + 30 * i, rng.randint(10, 70)) for i in range(12)]
    return "0.3 0.5 0.8 rg\n" + "\n".join(bars) + "\n0 g 0.7 w 70 60 m 450 60 l S"


def page_content(number, rng, words):
    lines = ["BT /F2 15 Tf 72 780 Td (Chapter %d) Tj ET" % number,
             "BT /F1 10.5 Tf 72 750 Td 14 TL"]
    lines += [kerned(sentence(rng, words, 12), rng) for _ in range(LINES)]
    lines.append("ET")
    if number % 5 == 0:
        lines.append(drawing(rng))
    return zlib.compress("\n".join(lines).encode())


def pdf(rng, words):
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    for font in ("Times-Roman", "Helvetica-Bold"):
        objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
                       % font)
    objects = [o.encode() for o in objects]
    kids = []
    for number in range(1, PAGES + 1):
        data = page_content(number, rng, words)
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream"
                       % (len(data), data))
        kids.append(len(objects) + 1)
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                       b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % len(objects))
    objects[1] = (b"<< /Type /Pages /Count %d /Kids [%s] >>"
                  % (PAGES, b" ".join(b"%d 0 R" % k for k in kids)))
    return join_pdf(objects)


def join_pdf(objects):
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % o for o in offsets)
    out += (b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (len(objects) + 1, start))
    return bytes(out)


# Office

def package(main, parts, links):
    """A zip of `parts`, {name: (type, text)}, whose main part is named."""
    types = "".join('<Override PartName="/%s" ContentType="%s"/>' % (name, KINDS + mime + "+xml")
                    for name, (mime, _) in parts.items())
    folder, file = main.split("/")
    files = {
        "[Content_Types].xml":
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            f'"application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>',
        "_rels/.rels": relationships(f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" '
                                     f'Target="{main}"/>'),
        f"{folder}/_rels/{file}.rels": relationships(links),
    }
    files.update((name, text) for name, (_, text) in parts.items())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 3, 4, 6)), HEAD + text,
                             zipfile.ZIP_DEFLATED)
    return out.getvalue()


def relationships(inside):
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inside}</Relationships>'


def paragraph(runs, style=None):
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return "<w:p>%s%s</w:p>" % (look, "".join(
        '<w:r>%s<w:t xml:space="preserve">%s</w:t></w:r>' % ("<w:rPr><w:b/></w:rPr>" if bold else "",
                                                            text) for text, bold in runs))


def table(rng, words):
    rows = "".join("<w:tr>%s</w:tr>" % "".join(
        "<w:tc><w:tcPr/>%s</w:tc>" % paragraph([(rng.choice(words), False)]) for _ in range(5))
        for _ in range(20))
    return ("<w:tbl><w:tblPr/><w:tblGrid>" + '<w:gridCol w:w="1800"/>' * 5 + f"</w:tblGrid>{rows}"
            "</w:tbl>")


def docx(rng, words):
    body, length, tables = [], 0, 0
    while length < CHARACTERS:
        if rng.random() < 0.05:
            body.append(paragraph([(sentence(rng, words, 5), False)], "Heading1"))
        runs = [(sentence(rng, words, rng.randint(5, 20)) + " ", rng.random() < 0.3)
                for _ in range(rng.randint(1, 6))]
        body.append(paragraph(runs))
        length += sum(len(text) for text, _ in runs)
        if length > (tables + 1) * CHARACTERS / TABLES:
            body.append(table(rng, words))
            tables += 1
    text = (f'<w:document xmlns:w="{WORD}"><w:body>{"".join(body)}<w:sectPr/></w:body>'
            "</w:document>")
    styles = (f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:default="1" w:styleId='
              '"Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId='
              '"Heading1"><w:name w:val="heading 1"/></w:style></w:styles>')
    return package("word/document.xml", {
        "word/document.xml": ("wordprocessingml.document.main", text),
        "word/styles.xml": ("wordprocessingml.styles", styles),
    }, f'<Relationship Id="r1" Type="{OFFICE}/styles" Target="styles.xml"/>')


def xlsx_rows(rng, words, shared):
    yield "<row r=\"1\">%s</row>" % "".join(
        '<c r="%s1" t="s"><v>%d</v></c>' % (column, shared(name)) for column, name in
        zip("ABCDE", ("name", "count", "price", "when", "note")))
    for r in range(2, ROWS + 2):
        yield (f'<row r="{r}"><c r="A{r}" t="s"><v>{shared(rng.choice(words))}</v></c>'
               f'<c r="B{r}"><v>{rng.randint(0, 10**6)}</v></c>'
               f'<c r="C{r}" s="1"><v>{rng.random() * 1000!r}</v></c>'
               f'<c r="D{r}" s="2"><v>{43831 + rng.random() * 2000!r}</v></c>'
               f'<c r="E{r}" t="s"><v>{shared(sentence(rng, words, 4))}</v></c></row>')


def xlsx(rng, words):
    index = {}
    rows = "".join(xlsx_rows(rng, words, lambda text: index.setdefault(text, len(index))))
    strings = "".join(f"<si><t>{text}</t></si>" for text in index)
    styles = (f'<styleSheet xmlns="{SHEET}"><fonts count="1"><font/></fonts><fills count="1"><fill>'
              '<patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
              '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/>'
              '<xf numFmtId="4" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/>'
              '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
              "</cellStyles></styleSheet>")
    book = (f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="Stock" sheetId="1" r:id="r1"/></sheets></workbook>')
    links = "".join(f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"/>'
                    for name, kind, target in (("r1", "worksheet", "worksheets/sheet1.xml"),
                                               ("r2", "sharedStrings", "sharedStrings.xml"),
                                               ("r3", "styles", "styles.xml")))
    return package("xl/workbook.xml", {
        "xl/workbook.xml": ("spreadsheetml.sheet.main", book),
        "xl/worksheets/sheet1.xml": ("spreadsheetml.worksheet", f'<worksheet xmlns="{SHEET}">'
                                     f"<sheetData>{rows}</sheetData></worksheet>"),
        "xl/sharedStrings.xml": ("spreadsheetml.sharedStrings",
                                 f'<sst xmlns="{SHEET}">{strings}</sst>'),
        "xl/styles.xml": ("spreadsheetml.styles", styles),
    }, links)


# Photo

def photo():
    """Soft shapes in three colours with the grain of a sensor; None without Pillow."""
    try:
        from PIL import Image, ImageFilter
    except ImportError:
        return None
    size = WIDTH, HEIGHT
    shapes = Image.effect_mandelbrot((WIDTH // 4, HEIGHT // 4), (-2, -1.1, 0.9, 1.1), 60)
    shapes = shapes.filter(ImageFilter.GaussianBlur(1)).resize(size, Image.BICUBIC)
    bands = [shapes] + [picture.resize(size) for picture in
                        (Image.linear_gradient("L"), Image.radial_gradient("L"))]
    grain = Image.effect_noise(size, 24).convert("RGB")
    out = io.BytesIO()
    Image.blend(Image.merge("RGB", bands), grain, 0.25).save(out, "JPEG", quality=90)
    return out.getvalue()


CONVERSATION = """{"refract":1,"options":{"max_tokens":1024},"messages":[
{"role":"user","content":"Look at it."},
{"role":"assistant","content":[{"type":"tool_call","id":"c1","name":"look","arguments":{}}]},
{"role":"tool","tool_call_id":"c1","output":"Here:","content_blocks":[
{"type":"image","source_path":"photo.jpg"}]}]}
"""

# One model that takes no picture over 1568 pixels, as the others in the comparison are asked for.
CONFIGURATION = """limits: {pages: 10000, document_text_bytes: 2097152, picture_side: 1568}
models:
  eyes:
    provider: anthropic
    model: claude-sonnet-4-5
    limits: {max_image_side: 1568}
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(4)
    words = make_words(rng)
    (folder / "report.pdf").write_bytes(pdf(rng, words))
    (folder / "letter.docx").write_bytes(docx(rng, words))
    (folder / "book.xlsx").write_bytes(xlsx(rng, words))
    (folder / "photo.json").write_text(CONVERSATION)
    (folder / "refract").mkdir(exist_ok=True)
    (folder / "refract" / "config.yaml").write_text(CONFIGURATION)
    picture = photo()
    if picture:
        (folder / "photo.jpg").write_bytes(picture)


if __name__ == "__main__":
    main()
