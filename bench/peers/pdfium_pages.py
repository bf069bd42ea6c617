"""Pages of a PDF by pypdfium2, as text or as pictures in files:

    pdfium_pages.py text FILE
    pdfium_pages.py png FILE PREFIX   the first 20, at 150 dpi, which Pillow compresses
"""
import peer

pdfium = peer.library("pypdfium2")


def pages(mode, path, prefix=None):
    document = pdfium.PdfDocument(path)
    if mode == "text":
        return "\n".join(page.get_textpage().get_text_range() for page in document).encode()
    for number in range(min(20, len(document))):
        picture = document[number].render(scale=150 / 72).to_pil()
        picture.save(f"{prefix}-{number + 1}.png")
    return b""


peer.run(pages)
