#!/usr/bin/env python3
"""The manual against the program: every command and every option stands in both.

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
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=60, **how)


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
