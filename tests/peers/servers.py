#!/usr/bin/env python3
"""Start real servers on loopback, each on a free port, and stop them again.

    with servers.Simulator(refract) as sim, servers.LiteLLM(peers, sim.url) as proxy:
        print(proxy.url)

By hand, `servers.py NAME REFRACT PEERS` starts one, prints its address and stops it on Ctrl-C.
PEERS is the folder that scripts/peers.sh filled. Logs go to PEERS/log.
"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import tiny_gguf

START_SECONDS = 180


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A program that answers at `ready` once it is up. Subclasses set `command` and `env`."""

    name = ready = ""
    env = {}

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def __enter__(self):
        log = self.folder / "log"
        log.mkdir(parents=True, exist_ok=True)
        self.log = log / f"{self.name}-{self.port}.log"
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(
                self.command(), env={**os.environ, **self.env}, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True)
        try:
            self.wait()
            self.started()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sign)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def wait(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended at once: see {self.log}")
            try:
                urllib.request.urlopen(self.url + self.ready, timeout=5).read()
                return
            except urllib.error.HTTPError as e:
                if e.code < 500:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        raise RuntimeError(f"{self.name} did not answer in {START_SECONDS} s: see {self.log}")

    def started(self):
        """What is to be done once it answers."""


class Simulator(Server):
    """refract's own simulator: the strict provider that the others talk to."""

    name, ready = "sim", "/"

    def __init__(self, refract, folder, *options):
        super().__init__(folder)
        self.arguments = [str(refract), "sim", "--port", str(self.port), *options]

    def command(self):
        return self.arguments


# The models of LiteLLM: its name for the model, the path of the provider at the simulator.
LITELLM = {
    "claude-sonnet-4-5": ("anthropic/claude-sonnet-4-5", "/anthropic"),
    "gpt-4o": ("openai/gpt-4o", "/openai/v1"),
    "gpt-5-mini": ("openai/responses/gpt-5-mini", "/openai/v1"),
    "gemini-3-pro-preview": ("gemini/gemini-3-pro-preview", "/google/v1beta"),
    "gemini-2.5-flash": ("gemini/gemini-2.5-flash", "/google/v1beta"),
    "bedrock-claude": ("bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "/bedrock"),
    "bedrock-nova": ("bedrock/converse/us.amazon.nova-2-lite-v1:0", "/bedrock"),
    "mistral-medium-latest": ("mistral/mistral-medium-latest", "/mistral/v1"),
    "groq-llama": ("groq/meta-llama/llama-4-scout-17b-16e-instruct", "/groq/openai/v1"),
    "grok-4": ("xai/grok-4", "/xai/v1"),
    "command-a-vision": ("cohere_chat/command-a-vision-07-2025", "/cohere/v2/chat"),
    "openrouter/anthropic/claude-sonnet-4.5":
        ("openrouter/anthropic/claude-sonnet-4.5", "/openrouter/api/v1"),
    "qwen3-vl": ("ollama_chat/qwen3-vl:8b", "/ollama"),
}


class LiteLLM(Server):
    """LiteLLM's proxy, with the models of LITELLM behind it at `upstream`."""

    name, ready = "litellm", "/health/liveliness"
    env = {"LITELLM_TELEMETRY": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
           "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-1",
           "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}

    def __init__(self, folder, upstream):
        super().__init__(folder)
        self.upstream = upstream

    def command(self):
        config = self.log.with_suffix(".yaml")
        config.write_text(json.dumps({  # JSON is YAML
            "model_list": [{"model_name": name, "litellm_params": self.parameters(model, path)}
                           for name, (model, path) in LITELLM.items()],
            "litellm_settings": {"telemetry": False, "num_retries": 0, "request_timeout": 60},
        }, indent=1))
        return [self.folder / "litellm/bin/litellm", "--config", config, "--host", "127.0.0.1",
                "--port", str(self.port)]

    def parameters(self, model, path):
        if model.startswith("bedrock/"):
            return {"model": model, "aws_bedrock_runtime_endpoint": self.upstream + path}
        return {"model": model, "api_base": self.upstream + path, "api_key": "any"}


class Ollama(Server):
    """Ollama with the tiny models that tiny_gguf.py wrote."""

    name, ready = "ollama", "/api/version"
    models = ("tiny", "tiny-tools", "llava-tiny", "tiny-sees")

    def command(self):
        self.env = {"OLLAMA_HOST": f"127.0.0.1:{self.port}", "HOME": str(self.folder / "ollama"),
                    "OLLAMA_MODELS": str(self.folder / "ollama/models")}
        (self.folder / "ollama").mkdir(exist_ok=True)
        return [self.folder / "bin/ollama", "serve"]

    def started(self):
        for model in self.models:
            subprocess.run([self.folder / "bin/ollama", "create", model, "-f",
                            self.folder / f"gguf/{model}.Modelfile"],
                           env={**os.environ, **self.env}, check=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class LlamaServer(Server):
    """llama.cpp's own server."""

    name, ready = "llama-server", "/health"

    def command(self):
        return [self.folder / "bin/llama-server", "-m", self.folder / "gguf/tiny-tools.gguf",
                "--host", "127.0.0.1", "--port", str(self.port), "--jinja", "-c", "5000",
                "-np", "1", "--threads", "1"]


class LlamaServerSees(LlamaServer):
    """The same with an encoder of pictures."""

    name = "llama-server-mmproj"

    def command(self):
        return [*super().command(), "--mmproj", self.folder / "gguf/tiny-sight.gguf"]


class LlamaCppPython(Server):
    """The server of llama-cpp-python."""

    name, ready = "llama-cpp-python", "/v1/models"

    def command(self):
        self.env = {"LLAMA_CPP_LIB_PATH": str(self.folder / "llama/build/bin")}
        return [self.folder / "llama-cpp-python/bin/python", "-m", "llama_cpp.server",
                "--model", self.folder / "gguf/tiny-tools.gguf", "--host", "127.0.0.1",
                "--port", str(self.port), "--n_ctx", "5000", "--n_threads", "1"]


def main(name, refract, folder):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        tiny_gguf.main(pathlib.Path(folder) / "gguf")
        server = sim = stack.enter_context(Simulator(refract, folder))
        if name != "sim":
            kinds = {kind.name: kind
                     for kind in (Ollama, LlamaServer, LlamaServerSees, LlamaCppPython)}
            server = LiteLLM(folder, sim.url) if name == "litellm" else kinds[name](folder)
            stack.enter_context(server)
        print(server.url, flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
