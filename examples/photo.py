"""The picture photo.jpg: a lake in the evening, drawn and written as a baseline JPEG, with the standard library
alone. See ITU-T T.81, annexes F and K."""
import math
import struct

WIDTH, HEIGHT = 320, 240
HORIZON, SUN = 132, (212, 104, 26)

# Annex K: quantisation (here of both kinds of planes the one for brightness, halved), and codes.
QUANTA = [16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
          14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
          49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99]
DC = ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], list(range(12)))
AC = ([0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d], list(bytes.fromhex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a"
    "3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a929394"
    "95969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8"
    "e9eaf1f2f3f4f5f6f7f8f9fa")))


def zigzag():
    def key(place):
        y, x = divmod(place, 8)
        return x + y, (y if (x + y) % 2 else x)
    return sorted(range(64), key=key)


ORDER = zigzag()
STEPS = [max(1, q // 2) for q in QUANTA]
WAVES = [[(math.sqrt(0.125) if u == 0 else 0.5) * math.cos((2 * x + 1) * u * math.pi / 16)
          for x in range(8)] for u in range(8)]


def codes(table):
    """value -> (code, bits)"""
    out, code, values = {}, 0, iter(table[1])
    for bits, count in enumerate(table[0], 1):
        for _ in range(count):
            out[next(values)] = code, bits
            code += 1
        code <<= 1
    return out


# What is seen: sky, sun, mountains, water with the sun's reflection, a boat.

def mix(a, b, share):
    return tuple(p + (q - p) * share for p, q in zip(a, b))


def ridge(x, base, height, wide, phase):
    return base - height * abs(math.sin(x / wide + phase)) ** 0.8


def colour(x, y):
    if abs(x - 92) < 26 - (y - 176) * 0.9 and 176 <= y < 188:
        return 58, 34, 30
    if 92 <= x < 92 + (y - 130) * 0.5 and 132 <= y < 174:
        return 246, 240, 226
    if y >= HORIZON:
        deep = (y - HORIZON) / (HEIGHT - HORIZON)
        water = mix((226, 140, 92), (28, 48, 92), deep ** 0.6)
        glitter = max(0, 1 - abs(x - SUN[0]) / (10 + 46 * deep)) * (0.5 + 0.5 * math.sin(y * 1.3 + x * 0.11))
        return mix(water, (255, 226, 160), 0.8 * glitter)
    if y > ridge(x, HORIZON, 40, 54, 0.4):
        return mix((52, 58, 96), (120, 92, 112), (HORIZON - y) / 60)
    if y > ridge(x, HORIZON, 66, 90, 1.9):
        return mix((112, 96, 130), (168, 122, 128), (HORIZON - y) / 80)
    far = math.hypot(x - SUN[0], y - SUN[1])
    sky = mix((64, 92, 158), (248, 172, 104), (y / HORIZON) ** 1.4)
    return (255, 244, 206) if far < SUN[2] else mix(sky, (255, 220, 150), max(0, 1 - far / 90) * 0.7)


def planes():
    """Brightness and two differences of colour, each a list of rows around zero."""
    out = [[], [], []]
    for y in range(HEIGHT):
        rows = [[], [], []]
        for x in range(WIDTH):
            r, g, b = colour(x, y)
            light = 0.299 * r + 0.587 * g + 0.114 * b
            rows[0].append(light - 128)
            rows[1].append((b - light) / 1.772)
            rows[2].append((r - light) / 1.402)
        for plane, row in zip(out, rows):
            plane.append(row)
    return out


# Writing.

def block(plane, left, top):
    """64 quantised coefficients in zigzag order."""
    rows = [plane[top + y][left:left + 8] for y in range(8)]
    half = [[sum(w * v for w, v in zip(wave, row)) for wave in WAVES] for row in rows]
    whole = [sum(WAVES[v][y] * half[y][u] for y in range(8)) for v in range(8) for u in range(8)]
    return [round(whole[place] / STEPS[place]) for place in ORDER]


class Bits:
    def __init__(self):
        self.out, self.held, self.count = bytearray(), 0, 0

    def add(self, value, bits):
        self.held, self.count = self.held << bits | value, self.count + bits
        while self.count >= 8:
            self.count -= 8
            byte = self.held >> self.count & 0xff
            self.out += bytes([byte, 0]) if byte == 0xff else bytes([byte])
        self.held &= (1 << self.count) - 1

    def number(self, value, bits):
        self.add(value if value >= 0 else value + (1 << bits) - 1, bits)


def write_block(bits, values, before, dc, ac):
    change = values[0] - before
    size = abs(change).bit_length()
    bits.add(*dc[size])
    bits.number(change, size)
    zeros = 0
    last = max((i for i in range(1, 64) if values[i]), default=0)
    for value in values[1:last + 1]:
        if value == 0:
            zeros += 1
            continue
        while zeros > 15:
            bits.add(*ac[0xf0])
            zeros -= 16
        size = abs(value).bit_length()
        bits.add(*ac[zeros << 4 | size])
        bits.number(value, size)
        zeros = 0
    if last < 63:
        bits.add(*ac[0])


def scan():
    bits, dc, ac, seen, before = Bits(), codes(DC), codes(AC), planes(), [0, 0, 0]
    for top in range(0, HEIGHT, 8):
        for left in range(0, WIDTH, 8):
            for i, plane in enumerate(seen):
                values = block(plane, left, top)
                write_block(bits, values, before[i], dc, ac)
                before[i] = values[0]
    bits.add(0x7f, 7)
    return bytes(bits.out)


def segment(mark, data):
    return struct.pack(">BBH", 0xff, mark, len(data) + 2) + data


def table(kind, codes_of):
    return segment(0xc4, bytes([kind, *codes_of[0], *codes_of[1]]))


def jpeg():
    frame = struct.pack(">BHHB", 8, HEIGHT, WIDTH, 3) + bytes([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
    return (b"\xff\xd8" + segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0")
            + segment(0xdb, bytes([0, *(STEPS[place] for place in ORDER)])) + segment(0xc0, frame)
            + table(0x00, DC) + table(0x10, AC)
            + segment(0xda, bytes([3, 1, 0, 2, 0, 3, 0, 0, 63, 0])) + scan() + b"\xff\xd9")
