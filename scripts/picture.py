#!/usr/bin/env python3
"""A terminal's text as an SVG picture: picture.py TITLE <TEXT >SVG

One <text> a line in a monospaced face, words of the delivery coloured. The same text gives the same
bytes, so that a test can tell whether a picture still shows what the program prints.
"""
import re
import sys
from html import escape

CHAR, LINE, PAD, BAR = 8.4, 20, 20, 34
COLOURS = {"native": "#3fb950", "fallback": "#58a6ff", "text": "#d29922", "omitted": "#f85149"}


def coloured(line):
    def paint(match):
        return f'{match[1]}<tspan fill="{COLOURS[match[2]]}">{match[2]}</tspan>'

    return re.sub(r"^(  \S+ +)(native|fallback|text|omitted)\b", paint, escape(line, quote=False))


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    width = round(max(map(len, lines)) * CHAR + 2 * PAD)
    height = BAR + len(lines) * LINE + PAD
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}" role="img">')
    print(f"<title>{escape(sys.argv[1])}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
    for i, colour in enumerate(("#f85149", "#d29922", "#3fb950")):
        print(f'<circle cx="{PAD + 4 + i * 18}" cy="17" r="5.5" fill="{colour}"/>')
    print('<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" '
          'font-size="14" fill="#c9d1d9" xml:space="preserve">')
    for i, line in enumerate(lines):
        if line:
            bold = "" if line.startswith(" ") else ' font-weight="bold"'
            print(f'<text x="{PAD}" y="{BAR + 14 + i * LINE}"{bold}>{coloured(line)}</text>')
    print("</g>\n</svg>")


main()
