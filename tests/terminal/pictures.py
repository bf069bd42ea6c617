"""The three ways in which terminals are sent pictures, read as strictly as they are documented: what is sent becomes a
Picture, and what breaks the protocol raises Strange. Nothing is drawn here.
"""
import base64
import binascii
import dataclasses
import re
import struct
import zlib

MAX_PIXELS = 40_000_000


class Strange(AssertionError):
    """Something was written that has no business on a terminal."""


@dataclasses.dataclass
class Picture:
    protocol: str         # "kitty", "iterm", "sixel"
    row: int              # counted from the first row that ever was, scrollback included
    column: int
    columns: int          # cells that it covers
    rows: int
    width: int            # pixels that were sent
    height: int
    data: bytes           # the file for kitty and iterm, width * height * 4 bytes of RGBA for sixel
    number: int = 0       # kitty's id
    overdrawn: bool = False  # something was written or wiped where it is


def need(good, message):
    if not good:
        raise Strange(message)


def png_size(data):
    """Width and height of a whole PNG file: every chunk with its sum, to the end."""
    need(data[:8] == b"\x89PNG\r\n\x1a\n", f"a picture that is not a PNG: {data[:16]!r}")
    at, size = 8, None
    while True:
        need(at + 12 <= len(data), "a PNG that ends early")
        length, kind = struct.unpack_from(">I4s", data, at)
        need(at + 12 + length <= len(data), "a PNG with a chunk over its end")
        (crc,) = struct.unpack_from(">I", data, at + 8 + length)
        need(zlib.crc32(data[at + 4:at + 8 + length]) == crc, f"a PNG with a wrong sum in {kind!r}")
        if kind == b"IHDR":
            size = struct.unpack_from(">II", data, at + 8)
        at += 12 + length
        if kind == b"IEND":
            need(at == len(data) and size, "a PNG with something after its end")
            return size


def decoded(text):
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as why:
        raise Strange(f"base64 that is none: {text[:40]!r}: {why}") from None


class Kitty:
    """Kitty's graphics protocol: APC G keys ; data ST, in pieces of at most 4096 bytes."""

    KEYS = frozenset(b"a f t i p q C c r m s v d z".split())

    def __init__(self):
        self.keys, self.pieces = None, []

    def take(self, body):
        """The keys and the whole data of a command, or None where more is to come."""
        control, _, data = body.partition(b";")
        keys = {}
        for pair in filter(None, control.split(b",")):
            name, equals, value = pair.partition(b"=")
            need(equals and name in self.KEYS, f"kitty: the key {pair!r}")
            need(re.fullmatch(rb"-?[0-9]{1,10}|[A-Za-z]", value), f"kitty: the value of {pair!r}")
            keys[name] = value
        need(len(data) <= 4096, f"kitty: a piece of {len(data)} bytes")
        more = keys.pop(b"m", b"0")
        need(more in (b"0", b"1"), "kitty: m is 0 or 1")
        if self.keys is None:
            self.keys, self.pieces = keys, []
        else:
            need(set(keys) <= {b"q"}, f"kitty: keys in a later piece: {sorted(keys)}")
        need(more == b"0" or len(data) % 4 == 0, "kitty: a piece that is not a multiple of 4")
        self.pieces.append(data)
        if more == b"1":
            return None
        keys, self.keys = self.keys, None
        return keys, decoded(b"".join(self.pieces))

    @property
    def unfinished(self):
        return self.keys is not None


def iterm(body):
    """OSC 1337 ; File = arguments : data. Gives the arguments and the bytes."""
    match = re.fullmatch(rb"File=([A-Za-z]+=[^;:]*(?:;[A-Za-z]+=[^;:]*)*):([A-Za-z0-9+/=]*)", body)
    need(match, f"iterm: {body[:60]!r}")
    arguments = dict(pair.split(b"=", 1) for pair in match[1].split(b";"))
    known = {b"name", b"size", b"width", b"height", b"preserveAspectRatio", b"inline", b"doNotMoveCursor"}
    need(set(arguments) <= known, f"iterm: arguments {sorted(set(arguments) - known)}")
    need(arguments.get(b"inline") == b"1", "iterm: a file that is saved instead of shown")
    for side in (b"width", b"height"):
        need(re.fullmatch(rb"[1-9][0-9]{0,3}", arguments.get(side, b"")), f"iterm: {side!r} in cells")
    data = decoded(match[2])
    need(b"size" not in arguments or arguments[b"size"] == b"%d" % len(data), "iterm: a wrong size")
    return arguments, data


SIXEL = re.compile(rb'"(\d+);(\d+)(?:;(\d+);(\d+))?|#(\d+)(?:;([12]);(\d+);(\d+);(\d+))?'
                   rb'|!(\d+)([?-~])|([?-~])|(\$)|(-)|([\r\n ]+)')


def sixel(body):
    """What stands after the q: width, height, RGBA. What is drawn must lie within the size that is announced."""
    pens, bands, band, pen, x, announced, at = {}, [], {}, 0, 0, None, 0
    while at < len(body):
        match = SIXEL.match(body, at)
        need(match, f"sixel: {body[at:at + 20]!r} at {at}")
        at = match.end()
        if match[1]:
            announced = (int(match[3] or 0), int(match[4] or 0))
        elif match[5]:
            pen = int(match[5])
            need(pen < 1024, f"sixel: colour {pen}")
            if match[6]:
                need(match[6] == b"2" and max(int(match[i]) for i in (7, 8, 9)) <= 100, "sixel: RGB to 100")
                pens[pen] = tuple(round(int(match[i]) * 2.55) for i in (7, 8, 9))
        elif match[11] or match[12]:
            count = int(match[10] or 1)
            need(0 < count and x + count <= 10_000, f"sixel: {x + count} pixels in a row")
            band.setdefault(pen, []).append((x, count, (match[11] or match[12])[0] - 63))
            x += count
        elif match[13]:
            x = 0
        elif match[14]:
            bands.append(band)
            band, x = {}, 0
    if band:
        bands.append(band)
    return sixel_pixels(bands, pens, announced)


def sixel_pixels(bands, pens, announced):
    width = max((x + n for band in bands for runs in band.values() for x, n, _ in runs), default=0)
    height = 6 * len(bands)
    if announced and announced[0]:
        need(width <= announced[0] and height < announced[1] + 6,
             f"sixel: announced {announced}, drawn {(width, height)}")
        width, height = announced
    need(0 < width * height <= MAX_PIXELS, f"sixel: {width}x{height} pixels")
    pixels = bytearray(4 * width * height)
    for number, band in enumerate(bands):
        for pen, runs in band.items():
            need(pen in pens, f"sixel: colour {pen} was never said")
            dot = bytes((*pens[pen], 255))
            for x, count, bits in runs:
                for y in range(6):
                    row = number * 6 + y
                    if bits >> y & 1 and row < height:
                        begin = 4 * (row * width + x)
                        pixels[begin:begin + 4 * count] = dot * count
    return width, height, bytes(pixels)
