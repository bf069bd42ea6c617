#!/usr/bin/env python3
"""What the simulator answers in every dialect, as files for the checker of 'make conformance'.

    simulated.py PATH-OF-REFRACT OUT

Each provider is asked for a text, a call, thoughts and thoughts before a call, whole and streamed,
and for something that it refuses. OUT gets a folder for each of KINDS, and beside it a list of its
files: the dialect of the checker, a colon and the path. Prints what was not answered as it was
asked.
"""
import json
import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

KINDS = ("whole", "stream", "error")
KEYS = {"x-api-key": "k", "x-goog-api-key": "k", "authorization": "Bearer k",
        "anthropic-version": "2023-06-01"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ABOUT = {"name": "weather", "description": "The weather of a city."}
TALK = [{"role": "user", "content": "Hello?"}]
FUNCTION = {"type": "function", "function": {**ABOUT, "parameters": SCHEMA}}


def chat(call, think, **more):
    return {"messages": TALK, **({"tools": [FUNCTION], "tool_choice": "required"} if call else {}),
            **({"reasoning_effort": "high"} if think else {}), **more}


def responses(call, think):
    tools = {"tools": [{"type": "function", **ABOUT, "parameters": SCHEMA}],
             "tool_choice": "required"}
    return {"input": "Hello?", **(tools if call else {}),
            **({"reasoning": {"effort": "high"}} if think else {})}


def anthropic(call, think):
    return {"messages": TALK, "max_tokens": 4096,
            **({"tools": [{**ABOUT, "input_schema": SCHEMA}]} if call else {}),
            **({"tool_choice": {"type": "any"}} if call and not think else {}),
            **({"thinking": {"type": "enabled", "budget_tokens": 1024}} if think else {})}


def bedrock(call, think):
    tools = [{"toolSpec": {**ABOUT, "inputSchema": {"json": SCHEMA}}}]
    config = {"tools": tools, **({} if think else {"toolChoice": {"any": {}}})}
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    return {"messages": [{"role": "user", "content": [{"text": "Hello?"}]}],
            **({"toolConfig": config} if call else {}),
            **({"additionalModelRequestFields": thinking, "inferenceConfig": {"maxTokens": 4096}}
               if think else {})}


def gemini(call, think):
    return {"contents": [{"role": "user", "parts": [{"text": "Hello?"}]}],
            **({"tools": [{"functionDeclarations": [{**ABOUT, "parametersJsonSchema": SCHEMA}]}],
                "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}} if call else {}),
            **({"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
               if think else {})}


def ollama(call, think):
    question = "Read plan.txt." if call else "Hello?"  # a call cannot be asked for
    reader = {"type": "function", "function": {"name": "read_file", "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}
    return {"messages": [{"role": "user", "content": question}], "think": think,
            **({"tools": [reader]} if call else {})}


def ollama_chat(call, think):
    asked = ollama(call, False)
    del asked["think"]
    return {**asked, "reasoning_effort": "high" if think else "none"}


def ollama_responses(call, think):
    asked = ollama_chat(call, think)
    tools = [{"type": "function", **tool["function"]} for tool in asked.get("tools", ())]
    return {"input": asked["messages"], "reasoning": {"effort": asked["reasoning_effort"]},
            **({"tools": tools} if tools else {})}


def cohere(call, think):
    return {"messages": TALK,
            **({"tools": [FUNCTION], "tool_choice": "REQUIRED"} if call else {}),
            **({"thinking": {"type": "enabled"}} if think else {})}


# Provider, what the checker calls its replies, path, path of a stream, model, body.
GEMINI = "/models/gemini-3-pro-preview"
CLAUDE = "/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0"
ASKED = [
    ("anthropic", "anthropic-2023-06-01", "/v1/messages", None, "claude-sonnet-4-20250514",
     anthropic),
    ("bedrock", "bedrock", CLAUDE + "/converse", CLAUDE + "/converse-stream", None, bedrock),
    ("google", "gemini", f"/v1beta{GEMINI}:generateContent",
     f"/v1beta{GEMINI}:streamGenerateContent?alt=sse", None, gemini),
    ("vertex", "gemini-vertex", f"/v1/publishers/google{GEMINI}:generateContent",
     f"/v1/publishers/google{GEMINI}:streamGenerateContent?alt=sse", None, gemini),
    ("openai", "openai-responses", "/v1/responses", None, "gpt-5", responses),
    ("openai-chat", "openai-chat", "/v1/chat/completions", None, "gpt-5", chat),
    ("groq", "groq", "/openai/v1/chat/completions", None, "openai/gpt-oss-120b", chat),
    ("openrouter", "openrouter", "/api/v1/chat/completions", None, "openai/gpt-5", chat),
    ("xai", "xai-responses", "/v1/responses", None, "grok-4", responses),
    ("xai-chat", "xai", "/v1/chat/completions", None, "grok-3-mini", chat),
    ("litellm", "litellm", "/v1/chat/completions", None, "anthropic/claude-sonnet-4-20250514",
     chat),
    ("openai-compatible", "openai-chat", "/v1/chat/completions", None, "m", chat),
    ("mistral", "mistral", "/v1/chat/completions", None, "magistral-medium-latest",
     lambda call, think: chat(call, False, **({"prompt_mode": "reasoning"} if think else {}))),
    ("ollama", "ollama", "/api/chat", None, "qwen3:8b", ollama),
    ("ollama", "openai-chat", "/v1/chat/completions", None, "qwen3:8b", ollama_chat),
    ("ollama", "openai-responses", "/v1/responses", None, "qwen3:8b", ollama_responses),
    ("cohere", None, "/v2/chat", None, "command-a-reasoning-08-2025", cohere),
]
# What is answered and not checked, and why.
UNCHECKED = {
    ("cohere", None): "the checker does not know this dialect",
    ("xai", "error"): "the checker expects an error of OpenAI here, which xAI does not send",
}


def ask(address, path, body):
    request = urllib.request.Request(address + path, json.dumps(body).encode(),
                                     {**KEYS, "content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


class Out:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lists = {kind: [] for kind in KINDS}
        self.count = self.failed = 0

    def add(self, kind, provider, dialect, name, status, want, content):
        self.count += 1
        if status != want:
            self.failed += 1
            print(f"FAILED  {name}: {status} instead of {want}: {content[:300]!r}")
            return
        path = self.folder / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if (provider, kind) not in UNCHECKED and (provider, None) not in UNCHECKED:
            self.lists[kind].append(f"{dialect}:{path}")

    def finish(self):
        for kind, files in self.lists.items():
            (self.folder / f"{kind}.files").write_text("\n".join(files) + "\n")
        print(f"{self.count - self.failed} answered, {self.failed} failed")
        return self.failed > 0


def ask_provider(address, out, provider, dialect, path, stream_path, model, body):
    named = {"model": model} if model else {}
    wants_stream = {} if stream_path else {"stream": True}
    whole = {"stream": False} if not stream_path else {}
    for call in (False, True):
        for think in (False, True):
            asked = {**named, **body(call, think)}
            kind = ("call" if call else "text") + ("-thoughts" if think else "")
            name = f"{provider}-{dialect}-{kind}"
            out.add("whole", provider, dialect, name + ".json",
                    *answer(address, f"/{provider}{path}", {**asked, **whole}, 200))
            out.add("stream", provider, dialect, name + ".stream",
                    *answer(address, f"/{provider}{stream_path or path}",
                            {**asked, **wants_stream}, 200))
    broken = {**named, **body(False, False), **whole}
    for part in ("messages", "contents", "input"):
        if part in broken:
            broken[part] = 3
    out.add("error", provider, dialect, f"{provider}-{dialect}-refusal.json",
            *refusal(address, f"/{provider}{path}", broken))


def answer(address, path, body, want):
    status, content = ask(address, path, body)
    return status, want, content


def refusal(address, path, body):
    status, content = ask(address, path, body)
    return status, status if 400 <= status < 500 else 400, content


def main():
    refract, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    out = Out(folder)
    sim = subprocess.Popen([refract, "sim", "-q", "--seed", "1"], stdout=subprocess.PIPE, text=True)
    try:
        address = sim.stdout.readline().strip()
        for row in ASKED:
            ask_provider(address, out, *row)
    finally:
        sim.terminate()
        sim.wait(timeout=60)
    sys.exit(out.finish())


if __name__ == "__main__":
    main()
