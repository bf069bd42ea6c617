#!/usr/bin/env python3
"""Completion in the shells themselves: bash, zsh and fish, each where it is installed.

    test_completion.py PATH-OF-REFRACT

What has to complete is read from --help. bash and zsh are typed at in a pseudo-terminal, fish is asked with
`complete -C`. Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

COMMAND = re.compile(r"^  (\w+) {2,}\S", re.M)
OPTION = re.compile(r"^  (?:-\w,|   ) --([\w-]+)", re.M)
ACTION = re.compile(r"^    (\w+)(?: [^\n]*)?$", re.M)
ARGUMENT = re.compile(r"^  (?:-\w,|   ) --([\w-]+) ([A-Z]+)", re.M)
FREE = {"ADDRESS", "DOMAIN", "GLOBS", "N", "ORIGIN", "RANGE", "SECONDS", "TEXT", "TOOL", "USD"}  # arguments that nobody can guess
LIMIT_S = 300  # what takes longer hangs
READY = "#ready#"
ANSWER = '{"message": {"role": "assistant", "content": "Yes."}, "done": true, "done_reason": "stop"}'


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Program:
    """What --help says, in a folder with a configuration and a file to complete."""

    def __init__(self, path, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/refract").symlink_to(path)
        (self.folder / "config/refract").mkdir(parents=True)
        (self.folder / "config/refract/config.yaml").write_text(
            "models:\n  mymodel: {provider: ollama, model: 'llava:13b'}\n"
            "  '$(touch hacked)': {provider: ollama, model: x}\n")
        (self.folder / "config/refract/prompts").mkdir()
        (self.folder / "config/refract/prompts/review.md").write_text("---\ndescription: $(touch hacked)\n---\nx")
        (self.folder / "config/refract/prompts/$(touch hacked).md").write_text("x")
        (self.folder / "report one.pdf").write_text("x")
        (self.folder / "somewhere").mkdir()
        keep = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")
        self.env = {k: os.environ[k] for k in keep if k in os.environ}
        self.env.update(PATH=f"{self.folder}/bin:{os.environ['PATH']}", HOME=folder, TERM="dumb",
                        XDG_CONFIG_HOME=f"{folder}/config", XDG_DATA_HOME=f"{folder}/data",
                        XDG_CACHE_HOME=f"{folder}/cache", LC_ALL="C.UTF-8", COLUMNS="100")
        self.run("ask", "-m", "offline", "A first session")
        self.run("decode", "-m", "ollama:llava:13b", "--session", "last", given=ANSWER)
        self.session = self.run("completion", "sessions").splitlines()[1].split("\t")[0]
        for shell, name in (("bash", "refract.bash"), ("zsh", "_refract"), ("fish", "refract.fish")):
            (self.folder / name).write_text(self.run("completion", shell))
        self.commands = COMMAND.findall(self.run("--help"))
        expect(len(self.commands) > 10, self.commands)

    def run(self, *args, given=""):
        done = subprocess.run(["refract", *args], input=given, capture_output=True, text=True,
                              timeout=LIMIT_S, env=self.env, cwd=self.folder, check=True)
        return done.stdout

    def options(self, command):
        return ["--" + o for o in OPTION.findall(self.run(command, "--help"))]

    def actions(self, command):
        """The indented list after the empty line; an example of the text above has two words or more."""
        text = self.run(command, "--help").split("\n\n")
        return ACTION.findall(text[-2]) if len(text) > 3 else []

    def expected(self):
        """(line, what it completes to) for everything that there is."""
        yield "refract ", self.commands
        yield "refract --", ["--help", "--version"]
        yield "refract help ", self.commands
        for command in self.commands:
            if command == "help":
                continue
            yield f"refract {command} --", self.options(command)
            if self.actions(command):
                yield f"refract {command} ", self.actions(command)
        yield from self.arguments()

    def arguments(self):
        models = ["mymodel", "offline", "anthropic:", "openrouter:"]
        yield "refract ask -m ", models
        yield "refract ask --model ", models
        yield "refract ask -q -m my", ["mymodel"]
        yield "refract models ", models
        yield "refract ask --session ", ["last", self.session]
        yield "refract ask -p ", ["review"]
        yield "refract sessions show ", ["last", self.session]
        yield "refract sessions --limit 3 show ", [self.session]
        yield "refract sessions media last ", ["drop", "keep", "lift"]
        yield "refract parse --from ", ["anthropic", "gemini", "openai-responses"]
        yield "refract sim --dialect ", ["anthropic", "openai-compatible"]


# A shell in a pseudo-terminal.


class Typed:
    def __init__(self, program, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(program.folder)
            os.execvpe(command[0], command, program.env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 500, 200, 0, 0))
        self.text = ""

    def read_until(self, mark):
        end = time.monotonic() + LIMIT_S
        while mark not in self.text:
            expect(time.monotonic() < end, f"no {mark!r} in {self.text[-2000:]!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    raise AssertionError(f"it ended: {self.text[-2000:]!r}") from None
        before, self.text = self.text.split(mark, 1)
        return before

    def type(self, text):
        data = text.encode()
        while data:
            data = data[os.write(self.fd, data):]

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


class Bash:
    """Alt-* puts all that completes into the line, and Ctrl-T writes the line down."""

    def __init__(self, program):
        self.program = program
        self.shell = Typed(program, "bash", "--norc", "--noprofile", "-i")
        setup = ["bind 'set enable-bracketed-paste off'", "source ./refract.bash",
                 r"""bind -x '"\C-t": printf %s "$READLINE_LINE" >hits'""", "PS1='#rea''dy#'"]
        self.shell.type("; ".join(setup) + "\n")
        self.shell.read_until(READY)

    def complete(self, line):
        self.shell.type(line + "\x1b*\x14\x15echo '#e''nd#'\n")
        self.shell.read_until("#end#")
        self.shell.read_until(READY)
        made = (self.program.folder / "hits").read_text()
        if made == line:
            return []
        return shlex.split(made)[len(line.split()) - (not line.endswith(" ")):]

    def close(self):
        self.shell.close()


class Zsh:
    """compadd, the one door to the list of what completes, tells what goes through it."""

    SETUP = r"""
fpath=($PWD $fpath)
autoload -Uz compinit; compinit -u -D
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    typeset -ga __hits; local -a own
    builtin compadd -A own "$@"
    __hits+=("${own[@]}")
    builtin compadd "$@"
}
__list() { __hits=(); _main_complete; compstate[insert]=; compstate[list]=; print -rl -- "${__hits[@]}" > $PWD/hits; }
zle -C __list list-choices __list
bindkey '^T' __list
unsetopt prompt_cr prompt_sp
PS1='#rea''dy#'
"""

    def __init__(self, program):
        self.program = program
        (program.folder / "setup.zsh").write_text(self.SETUP)
        self.shell = Typed(program, "zsh", "-f", "-i")
        self.shell.type("source ./setup.zsh\n")
        self.shell.read_until(READY)

    def complete(self, line):
        self.shell.type(line + "\x14\x15print '#e''nd#'\n")
        self.shell.read_until("#end#")
        self.shell.read_until(READY)
        return [row for row in (self.program.folder / "hits").read_text().split("\n") if row]

    def close(self):
        self.shell.close()


class Fish:
    """It lists what would complete a line when it is asked."""

    def __init__(self, program):
        self.program = program

    def close(self):
        pass

    def complete(self, line):
        done = subprocess.run(
            ["fish", "-c",
             f"source ./refract.fish; complete -C {shlex.quote(line)}"],
            capture_output=True, text=True, timeout=LIMIT_S, env=self.program.env,
            cwd=self.program.folder, check=False)
        expect(not done.stderr, done.stderr)
        return [row.split("\t")[0] for row in done.stdout.splitlines()]


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}


# The cases.


def check_everything(program, shell):
    """Every command, action and option, and no option that a command does not have."""
    count = 0
    for line, want in program.expected():
        got = shell.complete(line)
        missing = [word for word in want if word not in got]
        expect(not missing, f"{line!r} does not offer {missing}, but {got}")
        if line.endswith(" --"):
            expect(not set(got) - set(want) - {"-h"}, f"{line!r} offers {set(got) - set(want)}")
        count += 1
    expect(count > 25, f"only {count} lines")


def check_files(program, shell):
    """Files and folders where they are wanted, folders alone for a folder, nothing for a number."""
    for line in ("refract read rep", "refract ask -a rep", "refract sessions import rep",
                 "refract encode -m offline rep"):
        found = shell.complete(line)
        expect(any(name.startswith("report") for name in found), f"{line!r}: {found}")
    found = shell.complete("refract read --root ")
    expect(any(name.startswith("somewhere") for name in found), found)
    expect(not any(name.startswith("report") for name in found), found)
    for line in ("refract read --offset ", "refract ask --max-tokens "):
        expect(shell.complete(line) == [], f"{line!r}: {shell.complete(line)}")


def check_parts(program, shell):
    """The beginning of a name, also after a colon and an equals sign."""
    expect(shell.complete("refract sessions sh") == ["show"], shell.complete("refract sessions sh"))
    expect(shell.complete("refract ask -m my") == ["mymodel"], shell.complete("refract ask -m my"))
    found = shell.complete("refract ask --model=my")
    expect(len(found) == 1 and found[0].endswith("mymodel"), found)
    found = shell.complete("refract ask -m ollama:l")
    expect(len(found) == 1 and found[0].endswith("llava:13b"), found)


def check_arguments(program, shell):
    """Whatever an option takes is completed, unless only who types it knows."""
    for command in program.commands[:-1]:
        for option, argument in ARGUMENT.findall(program.run(command, "--help")):
            found = shell.complete(f"refract {command} --{option} ")
            expect(bool(found) != (argument in FREE), f"{command} --{option} {argument}: {found}")


def check_hostile(program, shell):
    """A name that a shell would obey is neither offered nor run."""
    for line in ("refract ask -m ", "refract ask -m '$", "refract ask -p ", "refract ask -p '$"):
        expect(not any("hacked" in name for name in shell.complete(line)), line)
    expect(not (program.folder / "hacked").exists(), "it was run")


def check_lists(program, _):
    """The lists that the scripts ask for hold nothing but names and what they are."""
    for what in ("models", "sessions", "prompts"):
        for row in program.run("completion", what).splitlines():
            name, shown = row.split("\t")
            expect(re.fullmatch(r"[\w.:/@+-]+", name) and shown.isprintable(), row)


CASES = [check_everything, check_files, check_parts, check_arguments, check_hostile]


def attempt(name, function, *args):
    try:
        function(*args)
        print(f"ok      {name}")
        return True
    except Exception as problem:  # a case that breaks has failed
        print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
        return False


def main(path):
    results = []
    with tempfile.TemporaryDirectory(prefix="refract-completion-") as folder:
        program = Program(path, folder)
        results.append(attempt("names for the scripts", check_lists, program, None))
        for name, kind in SHELLS.items():
            if not shutil.which(name):
                print(f"        {name} is not installed: not looked at")
                continue
            shell = kind(program)
            for case in CASES:
                results.append(attempt(f"{name}: {case.__doc__}", case, program, shell))
            shell.close()
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
