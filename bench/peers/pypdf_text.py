"""The text of a PDF by pypdf: pypdf_text.py FILE"""
import logging

import peer

pypdf = peer.library("pypdf")
logging.disable(logging.CRITICAL)


def text(path):
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages).encode()


peer.run(text)
