#!/usr/bin/env python3
"""Check that includes point one way.

A room of src/ may include itself and the rooms above it in ROOMS, sim/ of those what SIM_KNOWS. The
workers include their own, and of src/ what WORKERS_KNOW; cli/ and examples/ include public headers
and their own: cli/term/ nothing of cli/ but itself; public headers include public headers and
standard C only.
"""
import pathlib
import re
import sys

ROOMS = ["base", "content", "media", "source", "model", "store", "config", "plan", "wire",
         "request", "net", "bucket", "send", "httpd", "mcp", "agent", "gateway", "page", "sim"]
STANDARD = {"inttypes.h", "limits.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h"}
OUTSIDE = ["cli", "examples"]
ALONE = "term"  # the terminal, below cli/
WORKERS_KNOW = ["base", "media"]
SIM_KNOWS = ["base", "media", "model", "config", "httpd", "sim"]  # a library of its own
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)

root = pathlib.Path(__file__).resolve().parent.parent


def sources(folder):
    return sorted(p for p in (root / folder).rglob("*.[ch]"))


def includes(path):
    """(line, is it in quotes, name) of each #include."""
    text = path.read_text(encoding="utf-8")
    for m in INCLUDE.finditer(text):
        yield text.count("\n", 0, m.start(2)) + 1, m.group(1) == '"', m.group(2)


def fault_in_room(room, quoted, name):
    if not quoted:
        return "our own headers are included in quotes" if (root / "src" / name).exists() else None
    target = name.split("/")[0]
    if "/" not in name or target not in ROOMS:
        return 'write it from src/, as in "base/str.h"'
    if ROOMS.index(target) > ROOMS.index(room) or (room == "sim" and target not in SIM_KNOWS):
        return f"{room}/ may not know {target}/"
    return None


def fault_outside(folder, path, quoted, name):
    if quoted and (".." in name or not (root / folder / name).exists()):
        return f'only <refract/...> is known here, and {folder}/ itself: "NAME.h" or "FOLDER/NAME.h"'
    if quoted and path.parent.name == ALONE and not name.startswith(ALONE + "/"):
        return f"{folder}/{ALONE}/ knows nothing but itself"
    return None


def fault_in_worker(quoted, name):
    target = name.split("/")[0]
    if not quoted or target in WORKERS_KNOW or (target == "worker" and (root / name).exists()):
        return None
    return 'workers know "base/...", "media/..." and "worker/..." alone'


def fault_in_public(quoted, name):
    if not quoted and (name in STANDARD or (root / "include" / name).exists()):
        return None
    return "public headers include <refract/...> and standard C only"


def faults():
    for path in sources("src"):
        room = path.relative_to(root / "src").parts[0]
        if room not in ROOMS:
            yield path, 1, "no such room", "ROOMS in scripts/check_includes.py lists them"
            continue
        for line, quoted, name in includes(path):
            yield path, line, name, fault_in_room(room, quoted, name)
    for folder in OUTSIDE:
        for path in sources(folder):
            for line, quoted, name in includes(path):
                yield path, line, name, fault_outside(folder, path, quoted, name)
    for path in sources("worker"):
        for line, quoted, name in includes(path):
            yield path, line, name, fault_in_worker(quoted, name)
    for path in sources("include"):
        for line, quoted, name in includes(path):
            yield path, line, name, fault_in_public(quoted, name)


def main():
    bad = [f for f in faults() if f[3]]
    for path, line, name, why in bad:
        print(f"{path.relative_to(root)}:{line}: {name}: {why}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
