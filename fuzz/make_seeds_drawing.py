#!/usr/bin/env python3
"""Write the seeds of fuzz_drawing: small drawings of each way, some of them with what does not belong there.

They go to corpus/drawing/ beside this file, under their own names; other files there are kept."""
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "drawing"
BLOCKS, SIXEL, ITERM, KITTY, ASCII = 1, 2, 3, 4, 6


def head(way, columns, rows, width, height):
    """The way, the cells, and the pixels of one."""
    return bytes([way, columns - 1 + (rows - 1) * 16, width - 1 + (height - 1) * 16])


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes((width + 1) * height))) + chunk(b"IEND", b""))


SEEDS = {
    "blocks": head(BLOCKS, 2, 2, 8, 8)
    + b"\x1b[0m\x1b[38;2;1;2;3;48;2;4;5;6m\xe2\x96\x80\xe2\x96\x88\n\x1b[38;5;17m\xe2\x96\x84 \x1b[0m",
    "blocks_16": head(BLOCKS, 2, 1, 8, 8) + b"\x1b[91;40m\xe2\x96\x80\x1b[39;49m\x1b[7m ",
    "blocks_title": head(BLOCKS, 2, 1, 8, 8) + b"\x1b]0;x\x07 ",
    "blocks_cursor": head(BLOCKS, 2, 1, 8, 8) + b"\x1b[2A  ",
    "ascii": head(ASCII, 4, 1, 8, 8) + b"\x1b[31m@#\x1b[0m~ ",
    "sixel": head(SIXEL, 1, 1, 4, 12) + b'\x1bP0;1;0q"1;1;4;12#0;2;100;0;0#0!4~$#1??-~~\x1b\\',
    "sixel_wide": head(SIXEL, 1, 1, 4, 6) + b"\x1bPq!5~\x1b\\",
    "sixel_behind": head(SIXEL, 1, 1, 4, 6) + b"\x1bPq~\x1b\\\x1b[2J",
    "kitty": head(KITTY, 1, 1, 8, 8) + png(8, 8),
    "kitty_size": head(KITTY, 1, 1, 8, 8) + png(9, 8),
    "iterm": head(ITERM, 2, 1, 4, 8) + png(8, 8),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (FOLDER / name).write_bytes(data)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
