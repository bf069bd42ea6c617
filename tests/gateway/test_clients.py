#!/usr/bin/env python3
"""The lines of the README for clients of the gateway: where each says that the gateway is, the client is answered.

    test_clients.py PATH-OF-REFRACT [PART-OF-A-NAME...]
"""
import pathlib
import re

from agents import AGENTS
from harness import CLIENTS, PNG, WORDS, b64, case, expect, main, read, shared

README = pathlib.Path(__file__).resolve().parent.parent.parent.joinpath("README.md").read_text(encoding="utf-8")
BY_NAME = {c.name: c for c in CLIENTS}

# What a client adds to the address that it is given, in whose words it asks, and what it sends.
ROWS = {
    "Claude Code": ("/v1/messages?beta=true", "anthropic", AGENTS["Claude Code"][1]),
    "Codex": ("/responses", "openai-responses", AGENTS["Codex"][1]),
    "opencode": ("/chat/completions", "openai-chat", AGENTS["opencode"][1]),
    "OpenAI's SDKs": ("/chat/completions", "openai-chat", None),
    "Anthropic's SDKs": ("/v1/messages", "anthropic", None),
    "Google's SDKs": ("/v1beta/models/{model}:streamGenerateContent?alt=sse", "gemini", None),
}


def address(row):
    """The path of the address in the README's row."""
    line, = [line for line in README.splitlines() if line.startswith(f"| {row} | ") and "8484" in line]
    found = re.search(r"http://127\.0\.0\.1:8484([\w/]*)", line)
    expect(found, line)
    return found.group(1).rstrip("/")


def add(row, path, dialect, body):
    @case(f"{row}: answered where the README sends it")
    def _():
        client, model = BY_NAME[dialect], "anthropic:claude-sonnet-4-5" if "openai" in dialect else "openai-chat:gpt-4o"
        sent = body or client.body(model, True, WORDS, [("look", {}, ("image/png", PNG), False)])
        if dialect != "gemini":
            sent = {**sent, "model": model}
        g = shared()
        r, text = g.ask(address(row) + path.format(model=model), sent, authorization="Bearer any")
        said, _ = read(client, True, r, text)
        expect("64x64" in said and b64(PNG).encode() in g.relay.seen[-1], said)


for a_row, what in ROWS.items():
    add(a_row, *what)

if __name__ == "__main__":
    main()
