"""The text of an xlsx by openpyxl in its fastest way: xlsx_text.py FILE"""
import peer

openpyxl = peer.library("openpyxl")


def text(path):
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    lines = []
    for sheet in book:
        for row in sheet.iter_rows(values_only=True):
            lines.append("\t".join("" if value is None else str(value) for value in row))
    return "\n".join(lines).encode()


peer.run(text)
