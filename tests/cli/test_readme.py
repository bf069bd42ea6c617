#!/usr/bin/env python3
"""The README and the docs against the program: every command in them is run, every snippet is tried, every link
leads to a file and a heading, commands and options that are named in a sentence exist, and the picture shows what
`make deliveries` prints.

Commands are lines that are indented by four spaces, and blocks of sh; "$ refract …" in a block without a language is
a transcript: what it shows must be printed, in this order, and it fails where it shows an error and only there. A block
of a kind that nothing here tries is an error. At the end, things that are wrong are tried, and have to fail.

    test_readme.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGES.md")),
         *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)
WORDS = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
LINK = re.compile(r"\]\(([^)#: ]*)(?:#([^): ]*))?\)")
COMMANDS = re.compile(r"(?:\A|(?<=\n\n))((?: {4}\S.*(?:\n|\Z))+)")
SHELL_SECONDS = 300  # what takes longer hangs


def expect(good, message):
    if not good:
        raise AssertionError(message)


def run(args, **how):
    if "input" not in how:
        how["stdin"] = subprocess.DEVNULL
    return subprocess.run(args, capture_output=True, text=True, timeout=SHELL_SECONDS, **how)


class Place:
    """Where the commands of a page are run, one after the other: a folder with build/refract and the examples in it, a home
    of its own, and no keys. What one command keeps, the next one finds."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.known = known_words(program)
        (self.folder / "build").mkdir()
        (self.folder / "build" / "refract").symlink_to(program)
        (self.folder / "tests").symlink_to(ROOT / "tests")
        shutil.copytree(ROOT / "examples", self.folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        for path in (self.folder / "examples").iterdir():
            if path.suffix not in (".py", ".c", ".build"):
                (self.folder / path.name).write_bytes(path.read_bytes())
        home = self.folder / "home"
        self.env = {name: value for name, value in os.environ.items()
                    if not re.search(r"_KEY$|_TOKEN|_BASE_URL$|_HOST$|^AWS_|^GOOGLE_|^XDG_", name)}
        self.env.update({"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config"),
                         "XDG_CACHE_HOME": str(home / "cache"), "PYTHONDONTWRITEBYTECODE": "1",
                         "PATH": os.pathsep.join((str(self.folder / "build"), os.environ["PATH"]))})

    def shell(self, text, **how):
        return run(["sh", "-e", "-c", text], cwd=self.folder, env=self.env, **how)


def command_runs(place, line):
    got = place.shell(line)
    expect(got.returncode == 0, f"status {got.returncode}: {got.stderr}")
    expect(got.stdout + got.stderr, "printed nothing")


def target_exists(line):
    """Make says what it would do."""
    got = run([*shlex.split(line), "-n"], cwd=ROOT)
    expect(got.returncode == 0, got.stderr)


def script_runs(place, text):
    got = place.shell(text)
    expect(got.returncode == 0, f"status {got.returncode}: {got.stdout}{got.stderr}")


def python_runs(place, text):
    got = run([sys.executable, "-c", text], cwd=place.folder, env=place.env)
    expect(got.returncode == 0, got.stdout + got.stderr)


def lasting(text):
    """Without what is another the next time."""
    text = re.sub(r"\b\d{8}-[a-z0-9]{6}\b", "SESSION", text)
    text = re.sub(r"\b\d+\.\d+ s\b", "N s", text)
    return re.sub(r" +", " ", text)


def transcript_is_true(place, text):
    """"$ " and a command, then what it prints; "…" stands for anything."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, _, shown = part.partition("\n")
        got = place.shell(f"exec 2>&1; {line}")
        printed = iter([lasting(row) for row in got.stdout.splitlines()])
        for row in shown.splitlines():
            pattern = ".*".join(re.escape(piece) for piece in lasting(row).split("…"))
            expect(any(re.fullmatch(pattern, p) for p in printed),
                   f"{line}: no line {row!r} in what it prints, or not there:\n{got.stdout}")
        fails = re.search(r"^refract: ", shown, re.M) is not None
        expect((got.returncode != 0) == fails, f"{line}: status {got.returncode}")


def c_is_the_example(text):
    """It is built and run with the examples."""
    whole = (ROOT / "examples" / "thirty.c").read_text()
    expect(text in whole, "it does not stand in examples/thirty.c")


def example_runs(place):
    """The library in thirty lines, on a picture."""
    example = pathlib.Path(place.program).resolve().parent / "examples" / "thirty"
    got = run([example, "photo.jpg"], cwd=place.folder, env=place.env)
    expect(got.returncode == 0 and "image/jpeg 320x240" in got.stdout, got.stdout + got.stderr)


def conversation_encodes(program, document):
    got = run([program, "encode", "-m", "anthropic:claude-sonnet-4-5", "--base", str(ROOT / "examples")],
              input=json.dumps(document))
    expect(got.returncode == 0, got.stderr)


def tool_result_encodes(program, message):
    """A message of a page, in a conversation beside the files that it names."""
    call = {"type": "tool_call", "id": message["tool_call_id"], "name": message["name"],
            "arguments": {}}
    document = {"refract": 1, "messages": [{"role": "user", "content": "Look."},
                                           {"role": "assistant", "content": [call]}, message]}
    got = run([program, "encode", "-m", "anthropic:claude-sonnet-4-5", "--strict", "--base",
               str(ROOT / "examples")], input=json.dumps(document))
    expect(got.returncode == 0, got.stderr)


def report_has_its_fields(program, shown):
    """An entry of the report: the same members as one that is made now."""
    got = run([program, "encode", "-m", "anthropic:claude-sonnet-4-5", "--explain",
               str(ROOT / "examples" / "conversation.json")])
    made = [json.loads(line) for line in got.stderr.splitlines() if line.startswith("{")]
    expect(made and set(shown) <= set(made[0]), f"{sorted(shown)} and {made[:1]}")


def json_is_right(program, text):
    document = json.loads(text)
    if "messages" in document:
        conversation_encodes(program, document)
    elif "delivery" in document:
        report_has_its_fields(program, document)
    else:
        expect(document.get("role") == "tool", "JSON that nobody tries")
        tool_result_encodes(program, document)


def configuration_is_right(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ".config" / "refract" / "config.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        got = run([program, "config", "check"], cwd=folder, env={"HOME": folder})
        expect(got.returncode == 0, got.stdout + got.stderr)


def picture_is_true(program):
    files = re.search(r"^FILES \?= (.*)", (ROOT / "Makefile").read_text(), re.M)[1].split()
    with tempfile.TemporaryDirectory() as home:
        shown = run([program, "deliveries", *files], cwd=ROOT, env={"HOME": home, "COLUMNS": "100"})
    expect(shown.returncode == 0, shown.stderr)
    drawn = run([sys.executable, ROOT / "scripts" / "picture.py", "make deliveries"], input=shown.stdout)
    expect(drawn.stdout == (ROOT / "docs" / "run.svg").read_text(),
           "docs/run.svg shows something else: make bless draws it anew")


def block_case(place, kind, text):
    """What tries a block; a kind that nothing tries is an error."""
    program = place.program
    if kind == "" and text.startswith("$ "):
        return lambda: transcript_is_true(place, text)
    tries = {"sh": lambda: script_runs(place, text), "python": lambda: python_runs(place, text),
             "c": lambda: c_is_the_example(text), "json": lambda: json_is_right(program, text),
             "yaml": lambda: configuration_is_right(program, text)}
    return tries.get(kind, lambda: expect(False, f"a block of {kind!r} that nothing tries"))


def anchors(text):
    """Headings, as links name them."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M)}


def link_leads_there(page, text, path, anchor):
    target = page.parent / path if path else None
    expect(not target or target.exists(), "there is no such file")
    if anchor:
        expect(anchor in anchors(target.read_text() if target else text), "there is no such heading")


def known_words(program):
    """Commands with their options, those of a chat and paths of the gateway, targets of make, and files."""
    listed = run([program, "--help"]).stdout
    commands = {name: set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", run([program, name, "--help"]).stdout))
                for name in re.findall(r"^  (\w+) {2,}", listed, re.M)}
    said = run([program, "chat", "-m", "offline", "--no-save"], input="/help\n")
    slashes = set(re.findall(r"^(/\w+)", said.stdout + said.stderr, re.M))
    slashes |= set(re.findall(r'"GET", "(/[a-z]+)"', (ROOT / "src/gateway/front.c").read_text()))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    return commands, slashes, targets, source_names()


def source_names():
    """Folders and files of the source, by their paths and by their bare names."""
    found = set()
    for folder in ("bench", "cli", "docs", "examples", "fuzz", "include", "scripts", "src", "tests", "worker"):
        for path in (ROOT / folder, *(ROOT / folder).rglob("*")):
            found |= {str(path.relative_to(ROOT)), path.name}
    return found


def words_are_known(known, text):
    """What is named in a sentence: `refract ask -c`, `--images`, `/media drop`, `make deb`, `src/plan/fit.c`, `fit.c`."""
    commands, slashes, targets, sources = known
    every = set().union(*commands.values()) | {"--version"}
    for span in WORDS.findall(FENCE.sub("", text)):
        words = span.split()
        options = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        if words[0] == "refract" and len(words) > 1 and words[1][0] != "-":
            expect(words[1] in commands, f"`{span}`: there is no such command")
            expect(options <= commands[words[1]], f"`{span}`: there is no such option")
        elif words[0][0] == "-" and len(words[0]) > 1:
            expect(options <= every, f"`{span}`: no command has such an option")
        elif words[0] == "make" and len(words) > 1:
            expect(words[1] in targets, f"`{span}`: there is no such target")
        elif re.fullmatch(r"/[a-z]+", words[0]):
            expect(words[0] in slashes, f"`{span}`: neither a chat nor the gateway knows it")
        elif (named := re.fullmatch(r"(tests/\S+): (.+)", span)):
            expect(named[1] in sources and named[2] in (ROOT / named[1]).read_text(), f"`{span}`: there is no such test")
        elif re.fullmatch(r"(?:src|cli|tests|worker|fuzz|include)/[\w./-]*|[\w./-]+\.[ch]", span) and "NAME" not in span:
            expect(span.rstrip("/") in sources, f"`{span}`: there is no such file")


def page_cases(place, page, text):
    found = [(m.start(), f"{m[1] or 'block'} {m[2].split(chr(10))[0][:50]}", block_case(place, m[1], m[2]))
             for m in FENCE.finditer(text)]
    plain = FENCE.sub(lambda m: re.sub(r".", "#", m[0]), text)
    if "```" in plain:
        found.append((len(text), "fences", lambda: expect(False, "a fence that is not understood")))
    for m in COMMANDS.finditer(plain):
        for line in m[1].splitlines():
            line = line.strip()
            tries = target_exists if line.split()[0] == "make" else lambda l: command_runs(place, l)
            found.append((m.start(), line, lambda t=tries, l=line: t(l)))
    for _, name, function in sorted(found, key=lambda f: f[0]):
        yield f"{page.name}: {name}", function
    for m in LINK.finditer(plain):
        yield (f"{page.name}: {m[1]}{'#' + m[2] if m[2] else ''} is there",
               lambda m=m: link_leads_there(page, text, m[1], m[2]))
    yield f"{page.name}: what it names is there", lambda: words_are_known(place.known, text)


# Each of these has to be found out.
WRONG = [
    "\n\n    refract no-such-command\n",
    "\n\n    refract ask --no-such-option hello\n",
    "\n\n    make no-such-target\n",
    "```sh\nfalse\ntrue\n```\n",
    "```console\nrefract --version\n```\n",
    "``` sh\nrefract --version\n```\n",
    "```python\nassert False\n```\n",
    "```c\nint main(void) { return 2; }\n```\n",
    '```json\n{"messages": [{"role": "nobody"}]}\n```\n',
    '```json\n{"delivery": "native", "no_such_member": 1}\n```\n',
    "```yaml\nno_such_key: 1\n```\n",
    "```\n$ refract --version\nrefract of another name\n```\n",
    "```\n$ printf 'one\\ntwo\\n'\ntwo\none\n```\n",
    "```\n$ refract read no-such-file\n```\n",
    "```\n$ echo refract: no\nrefract: no\n```\n",
    "[a page](no-such-page.md)\n",
    "[a page](SECURITY.md#no-such-heading)\n",
    "`refract nonsense`\n", "`refract ask --nonsense`\n", "`--nonsense`\n", "`make nonsense`\n", "`/nonsense`\n",
    "`src/nonsense/`\n", "`nonsense.c`\n", "`tests/cli/test_readme.py: one that nobody" + " wrote`\n",
]


def is_found_out(place, text):
    for _, function in page_cases(place, ROOT / "docs" / "SECURITY.md", text):
        try:
            function()
        except (AssertionError, ValueError):
            return
    expect(False, "nobody noticed")


def cases(place):
    for page in PAGES:
        yield from page_cases(place, page, page.read_text())
    yield "the example of thirty lines runs", lambda: example_runs(place)
    yield "the picture is what make deliveries prints", lambda: picture_is_true(place.program)
    for text in WRONG:
        yield f"what is wrong is found out: {text.strip()!r}", lambda t=text: is_found_out(place, t)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="refract-readme-") as folder:
        for name, case in cases(Place(program, folder)):
            try:
                case()
                passed += 1
                print(f"ok      {name}")
            except (AssertionError, subprocess.TimeoutExpired, ValueError) as why:
                failed += 1
                print(f"FAILED  {name}: {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
