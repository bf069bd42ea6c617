"""Pages of a PDF by PyMuPDF, as text or as pictures in files:

    pymupdf_pages.py text FILE
    pymupdf_pages.py png FILE PREFIX   the first 20, at 150 dpi
"""
import peer

pymupdf = peer.library("pymupdf")


def pages(mode, path, prefix=None):
    document = pymupdf.open(path)
    if mode == "text":
        return "\n".join(page.get_text() for page in document).encode()
    for number in range(min(20, len(document))):
        document[number].get_pixmap(dpi=150).save(f"{prefix}-{number + 1}.png")
    return b""


peer.run(pages)
