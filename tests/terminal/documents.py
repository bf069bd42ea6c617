"""Office files and mail with headings, a table and a picture, as small as they can be: for what looks at documents."""
import base64
import io
import zipfile

TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
MAIN = "application/vnd.openxmlformats-officedocument.{}.main+xml"


def package(main, kind, files, parts):
    """`parts`: by the folder and name of a part, what it refers to, as (id, kind, target)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("[Content_Types].xml", f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType='
                   '"application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="rels" '
                   'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                   f'<Override PartName="/{main}" ContentType="{MAIN.format(kind)}"/></Types>')
        for (folder, name), targets in {("", ""): [("r1", "officeDocument", main)], **parts}.items():
            rows = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/{k}" Target="{t}"/>' for i, k, t in targets)
            z.writestr(f"{folder}_rels/{name}.rels", f'<Relationships xmlns="{RELATIONS}">{rows}</Relationships>')
        for name, data in files.items():
            z.writestr(name, data)
    return out.getvalue()


def docx(picture):
    def paragraph(text, style=""):
        chosen = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{chosen}<w:r><w:t>{text}</w:t></w:r></w:p>"

    def table(*rows):
        cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    space = (f'xmlns:w="{WORD}" xmlns:r="{OFFICE}" xmlns:wp="{DRAWING}/wordprocessingDrawing" '
             f'xmlns:a="{DRAWING}/main" xmlns:pic="{DRAWING}/picture"')
    drawn = ('<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="c" descr="by quarter"/><a:graphic>'
             f'<a:graphicData uri="{DRAWING}/picture"><pic:pic><pic:blipFill><a:blip r:embed="r9"/></pic:blipFill>'
             "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>")
    body = (paragraph("Annual report", "H1") + paragraph("The fourth quarter was the best of the year.") + drawn +
            paragraph("Figures", "H2") + table(("Quarter", "Sales"), ("Q1", "42"), ("Q2", "58")) +
            paragraph("The end."))
    styles = "".join(f'<w:style w:type="paragraph" w:styleId="H{i}"><w:name w:val="heading {i}"/></w:style>'
                     for i in (1, 2))
    files = {"word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
             "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>", "word/media/chart.png": picture}
    return package("word/document.xml", "wordprocessingml.document", files,
                   {("word/", "document.xml"): [("r9", "image", "media/chart.png"), ("r8", "styles", "styles.xml")]})


def pptx(picture, titles):
    """A slide for each title; the second has the picture."""
    space = f'xmlns:p="{SLIDES}" xmlns:a="{DRAWING}/main" xmlns:r="{OFFICE}"'
    count = range(1, len(titles) + 1)

    def slide(number, title):
        drawn = ('<p:pic><p:nvPicPr><p:cNvPr id="9" name="c"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill>'
                 '<a:blip r:embed="r2"/></p:blipFill><p:spPr/></p:pic>')
        text = ('<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
                f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp>")
        return (f"<p:sld {space}><p:cSld><p:spTree>{text}{drawn if number == 2 else ''}</p:spTree></p:cSld></p:sld>")

    ids = "".join(f'<p:sldId id="{255 + i}" r:id="r{i}"/>' for i in count)
    files = {"ppt/presentation.xml": f"<p:presentation {space}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
             "ppt/media/chart.png": picture,
             **{f"ppt/slides/slide{i}.xml": slide(i, t) for i, t in zip(count, titles)}}
    return package("ppt/presentation.xml", "presentationml.presentation", files,
                   {("ppt/", "presentation.xml"): [(f"r{i}", "slide", f"slides/slide{i}.xml") for i in count],
                    ("ppt/slides/", "slide2.xml"): [("r2", "image", "../media/chart.png")]})


def eml(picture):
    return (b"From: anna@example.com\nTo: ben@example.com\nSubject: Sales\nDate: Mon, 16 Nov 2026 10:00:00 +0000\n"
            b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
            b"--x\nContent-Type: text/html\n\n<h2>Hello</h2><p>See <b>the chart</b>.</p>\n"
            b"--x\nContent-Type: image/png; name=chart.png\nContent-Disposition: attachment; filename=chart.png\n"
            b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(picture) + b"\n--x--\n")
