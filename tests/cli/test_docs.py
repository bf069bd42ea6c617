#!/usr/bin/env python3
"""The manual against the program: every command and every option stands in both, and examples name no others.

    test_docs.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MAN = pathlib.Path(__file__).resolve().parents[2] / "man"
COMMAND = re.compile(r"^  (\w+) +(.+)$", re.M)
OPTION = re.compile(r"^  (?:-(\w),|   ) --([\w-]+)(?: ([A-Z]+))? {2,}\S", re.M)
# .It Fl m , Fl -model Ar MODEL
MAN_OPTION = re.compile(r"^\.It Fl (?:(\w) , Fl )?-([\w-]+)(?: Ar (\w+))?$", re.M)


def expect(good, message):
    if not good:
        raise AssertionError(message)


def run(program, *args, **how):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=300, **how)


def page(name):
    return (MAN / name).read_text(encoding="utf-8")


def description(text):
    return re.search(r"^\.Nd (.*)$", text, re.M).group(1)


def check_command(program, name, summary):
    """Its page has the same summary and the same options with the same letters and arguments."""
    text = page(f"refract-{name}.1")
    expect(description(text) == summary, f"{description(text)!r} instead of {summary!r}")
    usage = run(program, name, "--help").stdout
    expect(usage.startswith(f"usage: refract {name}"), usage)
    options, described = OPTION.findall(usage), MAN_OPTION.findall(text)
    expect(("h", "help", "") in options, f"no --help among {options}")
    expect(len(usage.split("  --")) + len(usage.split(", --")) - 2 == len(options), usage)
    expect(options == described, f"the program has {options}, the manual {described}")
    synopsis = text.split(".Sh SYNOPSIS")[1].split(".Sh DESCRIPTION")[0]
    expect(f".Nm refract {name}\n" in synopsis, synopsis)
    for letter, option, argument in options:
        if option == "help":
            continue
        written = f"Fl -{option}" if not letter else f"Fl {letter}"
        expect(f"{written} Ar {argument}" in synopsis if argument else written in synopsis,
               f"{written} is missing in the synopsis")


def check_main(program, commands):
    """refract(1) lists the commands, in order and in the same words."""
    text = page("refract.1")
    described = re.findall(r"^\.It Cm (\w+)\n(.*?)(?:; see\n\.Xr refract-\1 1)?$", text, re.M)
    expect(described == commands, f"the program has {commands}, the manual {described}")
    for name, _ in commands[:-1]:
        expect(f".Xr refract-{name} 1\n" in text, f"refract-{name}(1) is not named")
    for option in ("--version", "--help"):
        expect(f"Fl -{option[2:]}\n" in text, f"{option} is not described")
        expect(run(program, option).returncode == 0, f"{option} does not work")
    for words in (["-h"], ["help"], ["help", "help"], ["help", "-h"], ["help", "--help"]):
        done = run(program, *words)
        expect(done.stdout == run(program, "--help").stdout, f"{words}: {done.stdout}{done.stderr}")


def check_chat(program):
    """refract-chat(1) describes the commands of a chat, in order, with what they take and in the words of /help."""
    done = run(program, "chat", "-m", "offline", "--no-save", input="/help\n")
    listed = re.findall(r"^(/\w+)(?: (\S.*?))? {2,}(.+)$", done.stderr + done.stdout, re.M)
    expect(len(listed) > 5, done.stdout + done.stderr)
    text = page("refract-chat.1").split(".Ss Commands\n")[1].split(".Ss ")[0]
    described = re.findall(r"^\.It Ic (/\w+) ?(.*)\n((?:(?!\.It |\.El).*\n)+)", text, re.M)
    expect([name for name, _, _ in described] == [name for name, _, _ in listed], f"{listed} and {described}")
    for (name, takes, words), (_, macros, body) in zip(listed, described):
        written = plain_words(macros)
        expect(re.findall(r"\w+", written) == re.findall(r"\w+", takes), f"{name} takes {takes!r}, not {written!r}")
        said = " ".join(plain_words(line) for line in body.splitlines())
        said = re.sub(r" ([,.;:])(?= |$)", r"\1", said)
        same = (said[0].lower() + said[1:]).startswith(words)
        expect(same or name == "/help", f"{name}: {said!r} and {words!r}")


def plain_words(line):
    """A line of the manual without its macros."""
    return " ".join(word for word in line.lstrip(".").split()
                    if word not in ("Op", "Ar", "Ic", "Ns", "Oo", "Oc", "Pa", "Xr", "Li", "Cm", "Fl", "|"))


def check_examples(program, commands):
    """What pages show as a command is one, with options that it has."""
    usages = {name: set(re.findall(r"(?<![\w-])--?\w[\w-]*", run(program, name, "--help").stdout))
              for name, _ in commands if name != "help"}
    seen = 0
    for path in sorted(MAN.iterdir()):
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"^\.(?:Ql|Dl) (refract .*)$", text, re.M)
        for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", text, re.M | re.S):
            lines += re.findall(r"\brefract [a-z]+.*", block)
        for line in (line.split("|")[0].split(" #")[0] for line in lines):
            words = line.split()
            expect(words[1] in usages, f"{path.name}: {line}: there is no such command")
            options = {w for w in words[2:] if re.match(r"--?[a-z]", w)}
            expect(options <= usages[words[1]], f"{path.name}: {line}: there is no such option")
            seen += 1
    expect(seen > 20, f"only {seen} examples were found")


def check_names(program):
    """Pages that a page refers to exist, and each is referred to by refract(1)."""
    there = {path.name for path in MAN.iterdir()}
    for name in there:
        for other, section in re.findall(r"^\.Xr (refract[\w-]*) (\d)", page(name), re.M):
            expect(f"{other}.{section}" in there, f"{name} refers to {other}({section})")
    see = page("refract.1").split(".Sh SEE ALSO")[1]
    listed = [f"{a}.{b}" for a, b in re.findall(r"^\.Xr (\S+) (\d)", see, re.M)]
    expect(sorted(listed) == sorted(there - {"refract.1"}), f"{listed} and {sorted(there)}")
    expect(listed == sorted(listed, key=lambda n: (n[-1], n)), f"not in order: {listed}")


def check_statuses(program):
    """Each exit status is described, in order."""
    text = page("refract.1").split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
    statuses = [int(n) for n in re.findall(r"^\.It (\d+)$", text, re.M)]
    expect(statuses == [0, 1, 2, 3, 4, 5, 6, 7, 8, 130], statuses)


def check_config_example(program):
    """The example of refract-config(5) is a configuration without a problem, and counts."""
    text = page("refract-config.5").split(".Sh EXAMPLES\n.Bd -literal\n")[1].split("\n.Ed\n")[0]
    with tempfile.TemporaryDirectory(prefix="refract-docs-") as folder:
        own = pathlib.Path(folder) / "refract"
        own.mkdir()
        (own / "config.yaml").write_text(text, encoding="utf-8")
        env = {**os.environ, "XDG_CONFIG_HOME": folder}
        done = run(program, "config", "check", cwd=folder, env=env)
        expect(done.returncode == 0, done.stderr)
        shown = run(program, "config", "show", cwd=folder, env=env).stdout
        expect("llava:13b" in shown and "base_url" in shown, shown)


def check_config_keys(program):
    """refract-config(5) names the keys that the program's own hints list."""
    text = page("refract-config.5")
    for document in ("x: 1", "models: {a: {x: 1}}", "providers: {ollama: {x: 1}}"):
        with tempfile.TemporaryDirectory(prefix="refract-docs-") as folder:
            (pathlib.Path(folder) / ".refract.yaml").write_text(document, encoding="utf-8")
            env = {**os.environ, "XDG_CONFIG_HOME": folder}
            done = run(program, "config", "check", cwd=folder, env=env)
        keys = re.search(r"Known here: (.*)\.$", done.stderr, re.M)
        expect(keys, done.stderr)
        for key in re.split(r", | and ", keys.group(1)):
            expect(f".Ss {key}\n" in text or f".It Li {key}\n" in text, f"{key} is not described")


def check_roff(program):
    """The pages are roff without a warning, where groff is there to say so."""
    if not shutil.which("groff"):
        print("        groff is not installed: not looked at")
        return
    for path in sorted(MAN.iterdir()):
        done = run("groff", "-mandoc", "-ww", "-z", "-Tutf8", str(path))
        expect(not done.stderr, done.stderr)


def main(program):
    commands = COMMAND.findall(run(program, "--help").stdout)
    cases = [(f"refract-{name}(1) tells what the program tells", check_command, (name, summary))
             for name, summary in commands if name != "help"]
    cases += [("refract(1) lists the commands", check_main, (commands,)),
              ("refract-chat(1) tells what /help tells", check_chat, ()),
              ("examples are commands that there are", check_examples, (commands,)),
              ("pages refer to pages that there are", check_names, ()),
              ("refract(1) describes the exit statuses", check_statuses, ()),
              ("the example of refract-config(5) works", check_config_example, ()),
              ("refract-config(5) describes every key", check_config_keys, ()),
              ("the pages are well-formed", check_roff, ())]
    failed = 0
    for name, function, args in cases:
        try:
            function(program, *args)
            print(f"ok      {name}")
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or len(commands) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
