#!/usr/bin/env python3
"""Write the seeds of fuzz_edit: keys, in emacs and in vi.

They go to corpus/edit/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "edit"
EMACS, VI = b"\0", b"\1"
ESC, PAUSE, LEAVE, INSERT, EMPTY = b"\x1b", b"\xff", b"\xfe", b"\xfd", b"\xfc"
UP, DOWN, RIGHT, LEFT = (ESC + b"[" + c for c in (b"A", b"B", b"C", b"D"))

SEEDS = {
    "emacs_words": EMACS + b"one two\x1bb\x1bf\x1bd\x1b\x7f\x17\x0b\x19\x15\x19\x14\x1bu",
    "emacs_rows": EMACS + "é\n漢字\x1b\r👨‍👩‍👧".encode() + UP + UP + DOWN + b"\x01\x05\x0b\x7f\x1b[3~",
    "emacs_history": EMACS + b"one\rtwo\r" + UP + UP + DOWN + b"o\x1bp\x1bn\x12o\x12\x12\x7f\x07\x12n\r",
    "emacs_keys": EMACS + b"a\t\x03b\x0f\x0c" + ESC + PAUSE + b"\x1b[99~\x1bOP\x1b[13;2u\x1b[1;5D\\\r",
    "emacs_paste": EMACS + b"\x1b[200~a\r\nb\x1b[31m\x03\x80\x1b[201~\x1b[200~/x\x1b[201~",
    "emacs_strings": EMACS + b"\x1b]0;x\x07\x1bP1$r\x1b\\\x1b_G\r\x1b[1;\x1b[D\xc3\x28\xf0\x9f\xc2\x9b",
    "emacs_from_outside": EMACS + b"ab" + INSERT + LEFT + LEAVE + EMPTY + b"x" + INSERT + b"\x12" + INSERT + LEAVE,
    "emacs_count": EMACS + b"\x1b6666666[\x1b9\x1b9\x1b9\x1b9x\r",
    "vi_commands": VI + b"one two" + ESC + PAUSE + b"0wdwbcwx" + ESC + b"yyp3xu.~rxfoDPS" + ESC + b"$d$Iy" + ESC,
    "vi_empty": VI + ESC + PAUSE + b"$x$D$p~XhlbwedwddcwG_%v:#n" + ESC,
    "vi_history": VI + b"one\rtwo\r" + ESC + PAUSE + b"kkjKJ/n\r" + ESC + b"?o" + ESC + PAUSE,
    "vi_redo": VI + b"x." + ESC + PAUSE + b"..0cw3.1" + ESC + PAUSE + b"$.3.\ri." + ESC + PAUSE + b".",
    "vi_from_outside": VI + b"abc" + ESC + PAUSE + b"d" + EMPTY + b"bc" + INSERT + b"f" + EMPTY + b"r" + INSERT + b"i",
}

FOLDER.mkdir(parents=True, exist_ok=True)
for name, data in SEEDS.items():
    (FOLDER / name).write_bytes(data)
