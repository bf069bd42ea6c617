"""The text of a docx by python-docx, paragraphs and tables: docx_text.py FILE"""
import peer

docx = peer.library("docx")


def text(path):
    document = docx.Document(path)
    lines = [paragraph.text for paragraph in document.paragraphs]
    for table in document.tables:
        for row in table.rows:
            lines.append("\t".join(cell.text for cell in row.cells))
    return "\n".join(lines).encode()


peer.run(text)
