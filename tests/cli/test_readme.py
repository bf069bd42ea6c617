#!/usr/bin/env python3
"""The README and the docs against the program: every command in them is run, every snippet is tried,
and the picture shows what `make deliveries` prints.

    test_readme.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^ {4}(build/refract .*)$", re.M)
TARGET = re.compile(r"^ {4}make( [a-z]+)?(?= |$)", re.M)
SNIPPET = re.compile(r"^```(json|yaml)\n(.*?)^```$", re.M | re.S)


def expect(good, message):
    if not good:
        raise AssertionError(message)


def run(args, **how):
    if "input" not in how:
        how["stdin"] = subprocess.DEVNULL
    return subprocess.run(args, capture_output=True, text=True, timeout=60, **how)


def command_runs(program, line, data):
    """Those of a page follow each other: what one keeps, the next one finds."""
    env = {**os.environ, "XDG_DATA_HOME": data}
    line, _, given = line.partition(" <")
    how = {"input": (ROOT / given).read_text()} if given else {}
    got = run([program, *shlex.split(line)[1:]], cwd=ROOT, env=env, **how)
    expect(got.returncode == 0, f"{line}: status {got.returncode}: {got.stderr}")
    expect(got.stdout, f"{line}: printed nothing")


def target_exists(line):
    names = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    expect(line.split()[1:2] in ([], *([n] for n in names)), f"{line}: no such target")


def tool_result_encodes(program, text):
    """A message of the README, in a conversation beside the files that it names."""
    message = json.loads(text)
    expect(message["role"] == "tool", "the README's JSON is a tool result")
    call = {"type": "tool_call", "id": message["tool_call_id"], "name": message["name"],
            "arguments": {}}
    document = {"refract": 1, "messages": [{"role": "user", "content": "Look."},
                                           {"role": "assistant", "content": [call]}, message]}
    got = run([program, "encode", "-m", "anthropic:claude-sonnet-4-5", "--strict", "--base",
               str(ROOT / "examples")], input=json.dumps(document))
    expect(got.returncode == 0, got.stderr)


def configuration_is_right(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ".refract.yaml"
        path.write_text(text)
        got = run([program, "config", "check"], cwd=folder, env={"HOME": folder})
        expect(got.returncode == 0, got.stdout + got.stderr)


def picture_is_true(program):
    files, models = (re.search(rf"^{name} \?= ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(), re.M)[1]
                     .replace("\\\n", " ").split() for name in ("FILES", "MODELS"))
    example = pathlib.Path(program).resolve().parent / "examples" / "deliveries"
    shown = run([example, *files, "--", *models], cwd=ROOT)
    expect(shown.returncode == 0, shown.stderr)
    drawn = run([sys.executable, ROOT / "scripts" / "picture.py", "make deliveries"], input=shown.stdout)
    # How many bytes a page is as a picture depends on the libraries that drew and packed it.
    now, then = (re.sub(r" *[\d,]+ bytes", " N bytes", text)
                 for text in (drawn.stdout, (ROOT / "docs" / "run.svg").read_text()))
    expect(now == then,
           "docs/run.svg shows something else: make bless draws it anew")


def cases(program, data):
    for page in PAGES:
        text = page.read_text()
        for line in COMMAND.findall(text):
            yield f"{page.name}: {line}", lambda line=line: command_runs(program, line, data)
        for match in TARGET.finditer(text):
            yield f"{page.name}: {match[0].strip()}", lambda m=match: target_exists(m[0].strip())
    for kind, text in SNIPPET.findall((ROOT / "README.md").read_text()):
        try_it = tool_result_encodes if kind == "json" else configuration_is_right
        yield f"README.md: its {kind}", lambda f=try_it, t=text: f(program, t)
    yield "the picture is what make deliveries prints", lambda: picture_is_true(program)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="refract-readme-") as data:
        for name, case in cases(program, data):
            try:
                case()
                passed += 1
                print(f"ok      {name}")
            except AssertionError as why:
                failed += 1
                print(f"FAILED  {name}: {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
