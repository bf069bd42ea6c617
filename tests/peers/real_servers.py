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
import urllib.request

import known
import sdks
import servers
import tap
import tiny_gguf

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


def unseen_and_told(said):
    answered(said, "I am a tiny model.")
    expect("has not seen the pictures" in json.dumps(said["notes"]), said["notes"])


def seen(said, words, between, server):
    """The picture was sent as it is, and its tokens are in the server's count: without it, the
    same body has fewer."""
    answered(said, words)
    body = json.loads(between.last["body"])
    with_pictures = [message for message in body["messages"] if message.pop("images", None)]
    expect(len(with_pictures) == 1, f"{len(with_pictures)} messages with pictures: {files(said)}")
    for message in with_pictures:
        message["content"] = message["content"].replace("[img]", "")
    request = urllib.request.Request(server.url + "/api/chat",
                                     json.dumps({**body, "stream": False}).encode())
    with urllib.request.urlopen(request, timeout=LIMIT_S) as reply:
        without = json.load(reply)["prompt_eval_count"]
    read = json.loads(between.answer.splitlines()[-1])["prompt_eval_count"]
    expect(read - without >= tiny_gguf.IMAGE_TOKENS, f"{read} tokens, and {without} without it")


def sent_whole(said, words):
    answered(said, words)
    expect([file["form"] for file in files(said)] == ["original"], files(said))


def counted(said):
    answered(said, "tiny model")
    expect(said["usage"]["input_tokens"] > len(LONG) or "was cut" in json.dumps(said["notes"]),
           f"{said['usage']} for {len(LONG)} tokens, and not a word: {said['notes']}")


def refused_for_length(said):
    error = json.dumps(said.get("error"))
    told = any(word in error for word in ("window", "context", "long"))
    expect(said["status"] != 0 or "was cut" in json.dumps(said["notes"]), f"no error: {said}")
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
SEES = [
    ("a picture", ["--no-tools", "-a", "chart.png", "What is it?"], "I am a tiny model."),
    ("a tool with a picture", ["What is in @chart.png?"], "The tool has answered."),
]
UNKNOWN = [  # its address says nothing: what answers is found out by the first answer
    ("6,000 tokens", "tiny", ["--no-tools", LONG], counted),
    ("a picture for a text model", "llava-tiny", ["--no-tools", "-a", "chart.png", "What is it?"],
     unseen_and_told),
    ("a picture once more", "llava-tiny", ["--no-tools", "-a", "chart.png", "What is it?"],
     not_native),
]
LLAMA_SEES = [
    ("a picture", ["--no-tools", "-a", "chart.png", "What is it?"],
     lambda said: sent_whole(said, "I am a tiny model.")),
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
    yield from rows_of_ollama(refract, peers, parts, data)
    yield from rows_of_llama(refract, peers, parts, data)


def rows_of_ollama(refract, peers, parts, data):
    with servers.Ollama(peers) as ollama:
        ask = Asker(refract, parts, data, OLLAMA_HOST=ollama.url, ANTHROPIC_BASE_URL=ollama.url,
                    ANTHROPIC_API_KEY="any", OPENAI_COMPATIBLE_BASE_URL=ollama.url + "/v1")
        for provider, shown in (("ollama", "Ollama"), ("openai-compatible", "Ollama /v1"),
                                ("anthropic", "Ollama /v1/messages")):
            for name, model, arguments, judge in TINY:
                yield shown, model, name, result(
                    lambda: ask(f"{provider}:{model}", *arguments), judge)
        with tap.Tap(ollama.url, peers / "log/tap") as between:
            ask = Asker(refract, parts, data, OLLAMA_HOST=between.url)
            for name, arguments, words in SEES:
                yield "Ollama", "tiny-sees", name, result(
                    lambda: ask("ollama:tiny-sees", *arguments),
                    lambda said: seen(said, words, between, ollama))
        ask = Asker(refract, parts, data, OPENAI_BASE_URL=ollama.url + "/v1", OPENAI_API_KEY="any")
        for name, model, arguments, judge in UNKNOWN:
            yield "Ollama /v1, not known as such", model, name, result(
                lambda: ask(f"openai-chat:{model}", *arguments), judge)


def rows_of_llama(refract, peers, parts, data):
    for kind, cases in ((servers.LlamaServer, LLAMA), (servers.LlamaServerSees, LLAMA_SEES),
                        (servers.LlamaCppPython, LLAMA)):
        with kind(peers) as server:
            ask = Asker(refract, parts, data, OPENAI_COMPATIBLE_BASE_URL=server.url + "/v1")
            for name, arguments, judge in cases:
                yield server.name, "tiny-tools", name, result(
                    lambda: ask("openai-compatible:tiny-tools", *arguments), judge)


def main(refract, peers):
    peers = pathlib.Path(peers).resolve()
    parts = sdks.write_parts(peers / "parts")
    tiny_gguf.main(peers / "gguf")
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
