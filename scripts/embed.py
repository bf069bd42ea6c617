#!/usr/bin/env python3
"""Write files as a table of C, for the page: embed.py OUT.c FILE...

The table is rf_page_files of src/page/page.h.
"""
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
WIDTH = 24


def literal(data):
    """The bytes as numbers, a row of them a line."""
    for at in range(0, len(data), WIDTH):
        yield "    " + ", ".join(map(str, data[at:at + WIDTH])) + ","


def main():
    out, *names = sys.argv[1:]
    lines, rows = ['#include "page/page.h"', ""], []
    for i, name in enumerate(names):
        path = pathlib.Path(name)
        data = path.read_bytes()
        lines += [f"static const unsigned char file_{i}[] = {{ /* {path.name} */", *literal(data), "};"]
        rows.append(f'    {{ "{path.name}", "{TYPES[path.suffix]}", file_{i}, {len(data)} }},')
    lines += ["const struct rf_page_file rf_page_files[] = {", *rows, "    { NULL, NULL, NULL, 0 },", "};", ""]
    pathlib.Path(out).write_text("\n".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
