"""refract against real servers: LiteLLM's proxy, Ollama, llama.cpp's server, llama-cpp-python.

Behind LiteLLM is the simulator, whose answers say which files arrived: what refract reports as sent
whole has to be among them. The other servers run a tiny model of ours, see tiny_gguf.py.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

import known
import sdks
import servers

LIMIT_S = 300


class Wrong(Exception):
    """What is wrong with a case."""


def expect(truth, what):
    if not truth:
        raise Wrong(str(what)[:400])


class Asker:
    """`refract ask --json` in a folder with the parts, with nothing learned but from this run."""

    def __init__(self, refract, parts, data, **env):
        self.refract, self.parts, self.data = pathlib.Path(refract).resolve(), parts, data
        self.env = env

    def __call__(self, model, *arguments):
        env = {**os.environ, "XDG_DATA_HOME": self.data, "XDG_CONFIG_HOME": self.data, **self.env}
        done = subprocess.run([self.refract, "ask", "--json", "--no-save", "-m", model, *arguments],
                              env=env, cwd=self.parts, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=LIMIT_S, check=False)
        expect(done.stdout, f"status {done.returncode}: {done.stderr}")
        said = json.loads(done.stdout)
        said["status"] = done.returncode
        return said


def answered(said, words):
    expect(said["status"] == 0, said.get("error"))
    expect(words in said["answer"], f"the answer is {said['answer']!r}")


def files(said):
    return [entry["file"] for entry in said["files"] if entry["type"] == "file"]


def arrived(said):
    """All that is reported as sent as it is was seen by the provider behind the server."""
    answered(said, "I was given")
    for file in files(said):
        if file["form"] == "original":
            sha = file["id"].removeprefix("att_")
            expect(f"sha256 {sha}" in said["answer"],
                   f"{file['name']} is reported as sent, and did not arrive: {said['answer']}")


# Cases: what is asked, the arguments, and what has to hold.
LITELLM = [
    ("plain", ["--no-stream", "--no-tools", "Say hello."], arrived),
    ("streamed", ["--no-tools", "Say hello."], arrived),
    ("tool with a picture", ["What is in @chart.png?"],
     lambda said: (arrived(said), expect("image/png 320x200" in said["answer"], said["answer"]))),
    ("tool with a PDF", ["What is in @report.pdf?"], arrived),
    ("a PDF", ["--no-tools", "-a", "report.pdf", "What is it?"], arrived),
    ("sound", ["--no-tools", "-a", "tone.mp3", "What is it?"], arrived),
    ("video", ["--no-tools", "-a", "clip.mp4", "What is it?"], arrived),
]


def not_native(said):
    answered(said, "I am a tiny model.")
    expect(not any(file["form"] == "original" and file["type"] == "image" for file in files(said)),
           f"a text model was sent a picture, and that is reported as fine: {files(said)}")


def counted(said):
    answered(said, "tiny model")
    expect(said["usage"]["input_tokens"] > len(LONG) or said["notes"],
           f"{said['usage']} for {len(LONG)} tokens, and not a word")


def refused_for_length(said):
    error = json.dumps(said.get("error"))
    told = any(word in error for word in ("window", "context", "long"))
    expect(said["status"] != 0 or said["notes"], f"no error: {said}")
    expect(said["status"] == 0 or told, error)


LONG = "word " * 1200  # a byte is a token
TINY = [
    ("tools for a model without them", "tiny", ["What is in @chart.png?"],
     lambda said: answered(said, "I am a tiny model.")),
    ("a tool with a picture", "tiny-tools", ["What is in @chart.png?"],
     lambda said: answered(said, "The tool has answered.")),
    ("a picture for a text model", "llava-tiny", ["--no-tools", "-a", "chart.png", "What is it?"],
     not_native),
    ("a PDF", "tiny", ["--no-tools", "-a", "report.pdf", "What is it?"],
     lambda said: answered(said, "I am a tiny model.")),
    ("6,000 tokens", "tiny", ["--no-tools", LONG], counted),
]
LLAMA = [
    ("plain", ["--no-stream", "--no-tools", "Say hello."],
     lambda said: answered(said, "I am a tiny model.")),
    ("streamed", ["--no-tools", "Say hello."], lambda said: answered(said, "I am a tiny model.")),
    ("a tool with a picture", ["What is in @chart.png?"],
     lambda said: answered(said, "The tool has answered.")),
    ("a picture for a text model", ["--no-tools", "-a", "chart.png", "What is it?"],
     lambda said: answered(said, "I am a tiny model.")),
    ("more than its window", ["--no-tools", LONG], refused_for_length),
    ("more than its window, not streamed", ["--no-stream", "--no-tools", LONG], refused_for_length),
]


def result(run, judge):
    """None, or what is wrong."""
    try:
        judge(run())
    except (Wrong, ValueError, subprocess.TimeoutExpired) as e:
        return str(e).replace("\n", " ")
    return None


def rows_of(refract, peers, parts, data):
    """Server, model, case, and what is wrong."""
    with contextlib.ExitStack() as stack:
        sim = stack.enter_context(servers.Simulator(refract, peers))
        proxy = stack.enter_context(servers.LiteLLM(peers, sim.url))
        ask = Asker(refract, parts, data, LITELLM_BASE_URL=proxy.url, LITELLM_API_KEY="any")
        for model in servers.LITELLM:
            for name, arguments, judge in LITELLM:
                yield "LiteLLM", model, name, result(
                    lambda: ask(f"litellm:{model}", *arguments), judge)
    with servers.Ollama(peers) as ollama:
        ask = Asker(refract, parts, data, OLLAMA_HOST=ollama.url,
                    OPENAI_COMPATIBLE_BASE_URL=ollama.url + "/v1")
        for provider, shown in (("ollama", "Ollama"), ("openai-compatible", "Ollama /v1")):
            for name, model, arguments, judge in TINY:
                yield shown, model, name, result(
                    lambda: ask(f"{provider}:{model}", *arguments), judge)
    for kind in (servers.LlamaServer, servers.LlamaCppPython):
        with kind(peers) as server:
            ask = Asker(refract, parts, data, OPENAI_COMPATIBLE_BASE_URL=server.url + "/v1")
            for name, arguments, judge in LLAMA:
                yield server.name, "tiny-tools", name, result(
                    lambda: ask("openai-compatible:tiny-tools", *arguments), judge)


def main(refract, peers):
    peers = pathlib.Path(peers).resolve()
    parts = sdks.write_parts(peers / "parts")
    reasons, failed = known.Known("servers"), []
    print("## refract against real servers\n")
    print("| server | model | case | |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as data:
        for server, model, name, wrong in rows_of(refract, peers, parts, data):
            number = reasons.number(f"{server}, {model}", name) if wrong else None
            if wrong and not number:
                failed.append(f"{server}, {model}, {name}: {wrong}")
            shown = "pass" if not wrong else f"({number})" if number else "FAIL"
            print(f"| {server} | {model} | {name} | {shown} |", flush=True)
    print()
    failed += reasons.show()
    for line in failed:
        print("FAILED ", line)
    return len(failed)
