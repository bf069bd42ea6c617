#!/usr/bin/env python3
"""Compare what refract encodes with the golden files: golden.py REFRACT [--bless]

For every endpoint of endpoints.tsv and every conversation of in/, a folder named after the endpoint
holds the body as <conversation>.json, or <conversation>.err with exit status and message where
there is none, and deliveries.tsv, the delivery reports of all conversations. Bodies are laid out
for reading and are otherwise kept to the letter: every token is compared as it was written. --bless
rewrites the folders from what REFRACT does now, inputs included, and removes what nothing makes.

Bodies with files that were put after the results are read again too: the files must be in their
results, and the conversation must be encoded as it was.
"""
import concurrent.futures
import difflib
import json
import os
import re
import subprocess
import sys

import make_inputs

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[][{},:]')
WIDTH = 100
SHOWN = 5  # differences that are printed in full
COLUMNS = ["input", "message", "block", "name", "delivery", "as", "tokens", "reason"]


INJECTED = "] This is file "
ELSEWHERE = ["xai/urls.json"]  # holds ids of files that Responses alone cannot tell from OpenAI's


class Wrong(Exception):
    """What refract wrote is not a request body at all."""


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise Wrong("a member stands twice in one object")
    return dict(pairs)


def tokens_of(body):
    """The tokens of a body, which must be one JSON value without white space between them."""
    tokens = TOKEN.findall(body)
    if "".join(tokens) != body:
        raise Wrong("the body is not compact JSON")
    try:
        json.loads(body, object_pairs_hook=unique)
    except json.JSONDecodeError as problem:
        raise Wrong(f"the body is not one JSON value: {problem}") from problem
    return tokens


def read_value(tokens, at):
    """The value that begins at `at`, as a string or as [open, members, close], and what follows it.
    A member is its key with the colon, or "", and its value."""
    if tokens[at] not in "[{":
        return tokens[at], at + 1
    opening, members = tokens[at], []
    at += 1
    while tokens[at] not in "]}":
        key = ""
        if opening == "{":
            key = tokens[at] + ": "
            at += 2
        value, at = read_value(tokens, at)
        members.append((key, value))
        if tokens[at] == ",":
            at += 1
    return [opening, members, tokens[at]], at + 1


def flat(value):
    if isinstance(value, str):
        return value
    return value[0] + ", ".join(key + flat(inner) for key, inner in value[1]) + value[2]


def lay_out(value, indent=0, before=0):
    """On one line where it fits after `before` columns, otherwise a member a line."""
    line = flat(value)
    if isinstance(value, str) or not value[1] or indent + before + len(line) < WIDTH:
        return line
    lines = [" " * (indent + 1) + key + lay_out(inner, indent + 1, len(key))
             for key, inner in value[1]]
    return value[0] + "\n" + ",\n".join(lines) + "\n" + " " * indent + value[2]


def row(name, line):
    """A line of the delivery report as a row of the table; one from inside a text says where."""
    report = json.loads(line)
    block = report["block"] if report["block"] is not None else "-"
    where = f"{block} {report['found_in']}" if "found_in" in report else str(block)
    cells = [name, report["message"], where, report["name"], report["delivery"], report["as"],
             report["tokens"], report["reason"]]
    return "\t".join("-" if cell is None else str(cell).replace("\t", " ") for cell in cells)


def encode(refract, model, name):
    """(suffix and content of the golden file, rows of the delivery table)"""
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CONFIG_HOME")}
    run = subprocess.run([refract, "encode", "--as-is", "--root", "..", "-m", model, "--explain", f"in/{name}.json"],
                         cwd=HERE, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                         check=False, timeout=60)
    body, said = run.stdout.decode(), run.stderr.decode()
    if run.returncode != 0:
        return ("err", f"exit status {run.returncode}\n{said}{body}"), []
    try:
        value, _ = read_value(tokens_of(body), 0)
        rows = [row(name, line) for line in said.splitlines()]
    except (Wrong, ValueError) as problem:
        return ("err", f"{problem}\n{said}{body}\n"), []
    return ("json", lay_out(value) + "\n"), rows


def endpoints():
    with open(os.path.join(HERE, "endpoints.tsv"), encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    return [(folder, model) for folder, model, _, _ in rows[1:]]


def wanted(refract):
    """What the folders should hold: path to text."""
    names = sorted(make_inputs.documents())
    jobs = [(folder, model, name) for folder, model in endpoints() for name in names]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        done = list(pool.map(lambda job: encode(refract, job[1], job[2]), jobs))
    files = {}
    tables = {folder: ["\t".join(COLUMNS)] for folder, _ in endpoints()}
    for (folder, _, name), ((suffix, content), rows) in zip(jobs, done):
        files[f"{folder}/{name}.{suffix}"] = content
        tables[folder] += rows
    for folder, lines in tables.items():
        files[f"{folder}/deliveries.tsv"] = "\n".join(lines) + "\n"
    return files


def inputs():
    return {f"in/{name}": data.decode("latin-1") for name, data in make_inputs.files().items()}


def found():
    """What is there: path to text; inputs byte by byte, since not all of them are text."""
    files = {}
    for folder, _, names in os.walk(HERE):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), HERE)
            if os.sep not in path or "__pycache__" in path:
                continue
            code = "latin-1" if path.startswith("in" + os.sep) else "utf-8"
            with open(os.path.join(HERE, path), encoding=code, newline="") as file:
                files[path] = file.read()
    return files


def write_inputs():
    have, want = found(), inputs()
    for path in have:
        if path.startswith("in" + os.sep) and path not in want:
            os.remove(os.path.join(HERE, path))
    os.makedirs(os.path.join(HERE, "in", "files"), exist_ok=True)
    for path, text in want.items():
        if have.get(path) != text:
            with open(os.path.join(HERE, path), "w", encoding="latin-1", newline="") as out:
                out.write(text)


def bless(refract):
    write_inputs()
    want, have = wanted(refract), found()
    stale = [path for path in have if path not in want and not path.startswith("in" + os.sep)]
    for path in stale:
        os.remove(os.path.join(HERE, path))
    changed = [path for path, text in want.items() if have.get(path) != text]
    for path in changed:
        os.makedirs(os.path.join(HERE, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(HERE, path), "w", encoding="utf-8", newline="") as out:
            out.write(want[path])
    print(f"{len(want)} golden files: {len(changed)} written, {len(stale)} removed")


def show(path, old, new):
    if old is None or new is None:
        print(f"{path}: {'there is no such golden file' if old is None else 'nothing makes it'}")
        return
    sys.stdout.writelines(difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), path, "now", n=2))


def call(refract, given, *args):
    run = subprocess.run([refract, *args], input=given.encode(), capture_output=True, check=False,
                         timeout=60)
    return run.stdout.decode()


def goes_back(refract, model, dialect, body):
    """Is every injected file in its result when the body is read, and the body the same again?"""
    document = call(refract, body, "parse", "--from", dialect)
    again = call(refract, document, "encode", "--as-is", "-m", model, "-")
    return INJECTED not in document and json.loads(again or "null") == json.loads(body)


def not_folded(refract, want):
    """The paths of bodies whose injected files do not go back."""
    jobs = []
    for folder, model in endpoints():
        facts = json.loads(call(refract, "", "models", model, "--json"))["facts"]
        jobs += [(path, model, facts["dialect"]["value"], text) for path, text in want.items()
                 if path.startswith(folder + "/") and INJECTED in text and path not in ELSEWHERE]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        done = list(pool.map(lambda job: goes_back(refract, *job[1:]), jobs))
    return [path for (path, *_), well in zip(jobs, done) if not well]


def compare(refract):
    bodies, have = wanted(refract), found()
    want = {**inputs(), **bodies}
    different = [path for path in sorted(want.keys() | have.keys())
                 if want.get(path) != have.get(path)]
    for path in different[:SHOWN]:
        show(path, have.get(path), want.get(path))
    for path in different[SHOWN:]:
        print(f"{path}: differs")
    unfolded = not_folded(refract, bodies)
    for path in unfolded:
        print(f"{path}: its files do not go back into their results")
    failed = set(different) | set(unfolded)
    print(f"{len(want) - sum(path in want for path in failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    words = [word for word in sys.argv[1:] if word != "--bless"]
    if len(words) != 1 or len(sys.argv) > 3:
        sys.exit("usage: golden.py REFRACT [--bless]")
    refract = os.path.abspath(words[0])
    if "--bless" in sys.argv:
        bless(refract)
        return 0
    return compare(refract)


if __name__ == "__main__":
    sys.exit(main())
