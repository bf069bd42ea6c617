#!/usr/bin/env python3
"""The example that has everything in memory: what it reads, builds, reads back and sends.

    test_memory.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import subprocess
import sys

from test_ask import LIMIT_S, expect, run_cases

EXAMPLES = pathlib.Path(os.environ["REFRACT_SOURCE"]) / "examples"
REST = {"success": True, "output": "", "files_changed": ["index.json"],
        "content_blocks": [{"type": "text", "text": "This is the file:"},
                           {"type": "json", "value": {"checked": True}}]}
SEES, READS = "anthropic:claude-sonnet-4-5", "groq:llama-3.3-70b-versatile"


def run(t, name, data):
    program = pathlib.Path(t.program).parent / "examples" / "memory"
    return subprocess.run([program, name, SEES, READS], input=data, capture_output=True,
                          cwd=t.folder, env=t.env, timeout=LIMIT_S, check=False)


def check(t, name, said, file, sent):
    data = (EXAMPLES / name).read_bytes()
    done = run(t, name, data)
    expect(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
    lines = done.stdout.decode().splitlines()
    expect(lines[0] == f"read: {said}", lines[0])
    expect(lines[1] == f"file: {file}, {len(data)} bytes", lines[1])
    expect(json.loads(lines[2].removeprefix("rest: ")) == REST, lines[2])
    expect([line.split(": ")[1].split()[0] for line in lines[3:]] == sent, lines[3:])


def check_empty(t):
    done = run(t, "none.png", b"")
    expect(done.returncode == 1 and b"the file has no source" in done.stderr, done.stderr)


CASES = [
    ("a picture", lambda t: check(t, "chart.png", "[Image: latest, 320x200, 928 bytes, image/png]",
                                  "image chart.png, image/png", ["+", "!"])),
    ("a document", lambda t: check(t, "report.pdf", "Page 1 of 1.",
                                   "document report.pdf, application/pdf", ["+", "!"])),
    ("an empty file", check_empty),
]

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
