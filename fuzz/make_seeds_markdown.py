#!/usr/bin/env python3
"""Write the seeds of fuzz_markdown: texts as models write them, and as they should not.

They go to corpus/markdown/ beside this file, under their own names; other files there are kept. The first three
bytes of each choose the columns, the terminal and where the text is cut."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "markdown"

SEEDS = {
    "emphasis": "*a* _b_ **c** ***d*** ~~e~~ `f` **g *h** i* snake_case 2*3*4 \\*j\\*",
    "links": "[a](http://b.c \"d\") <http://e.f> https://g.h/i_(j). ![k](l.png) [m [n](o) p](q) [![r](s)](t)",
    "headings": "# One\n## Two ##\nThree\n===\nFour\n---\n",
    "lists": "- a\n  - b\n    1. c\n- [x] d\n\n10) e\n\n    f\n-\n",
    "quotes": "> a\n> > b\nc\n>\n> - d\n> ```\n> e\n",
    "code": "```c\nint a;\t/* b */\n\n```\n~~~\nc\n\n    d\n\n\n    e\n",
    "table": "x:\n| a | b |\n|:-:|--:|\n| **c** | d \\| e |\n| f<br>g |\n| h | i | j |\n",
    "table_narrow": "| name | value | a long header |\n|---|---|---|\n" + "| one | two three four | five |\n" * 40,
    "wide": "日本語のテキスト、**重要**です。 ❤️ 🇩🇪 👨‍👩‍👧 e\u0301\u0301 שלום",
    "unclosed": "**a *b `c ~~d [e](http://f ![g <h \\",
    "hostile": "\033]0;t\a\033[2J **\u009b31m** [a](http://b\033c) <javascript:d> \u202ee",
    "long_paragraph": "some words **and bold** with [a link](http://a.b/c) " * 40,
    "long_word": "x" * 2500,
    "long_row": "| a | b |\n|---|---|\n| " + "c" * 4200 + " | d |\n",
    "deep": "> - " * 20 + "a\n" + " " * 60 + "b\n",
    "html": "<details>\n<summary class=\"*a*\">b</summary>\n<!-- *c* -->\n</details>\n",
    "returns": "a\r\nb\r\rc  \r\nd\\\r\ne",
}

FOLDER.mkdir(parents=True, exist_ok=True)
for number, (name, text) in enumerate(SEEDS.items()):
    chosen = bytes([number * 37 % 120, (0x15, 0x1d, 0x04, 0x02, 0x10)[number % 5], number * 5])
    (FOLDER / name).write_bytes(chosen + text.encode())
(FOLDER / "broken").write_bytes(b"\x14\x15\x03a\xffb\xc3\n\xf0\x9f\x98 **c\0d** \xe2\x82")
