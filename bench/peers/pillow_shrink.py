"""A picture of at most SIDE pixels by Pillow, as a JPEG:

    pillow_shrink.py draft|thumbnail|resize SIDE FILE

`draft` has the decoder leave out what is not needed, which is the fastest way there is;
`thumbnail` and `resize` are what is usually written.
"""
import io

import peer

Image = peer.library("PIL.Image")
QUALITY = 85


def shrink(mode, side, path):
    picture = Image.open(path)
    scale = min(1, int(side) / max(picture.size))
    size = tuple(round(length * scale) for length in picture.size)
    if mode == "draft":
        picture.draft("RGB", size)
    if mode == "resize":
        picture = picture.resize(size, Image.LANCZOS)
    else:
        picture.thumbnail(size)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


peer.run(shrink)
