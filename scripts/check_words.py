#!/usr/bin/env python3
"""Check for words that have no place in the code: functions that src/base/banned.h bans (also in
tests and tools, which are built without it), and comparisons with a provider's name outside the
tables that list providers and models."""
import pathlib
import re
import sys

FOLDERS = ["src", "cli", "examples", "tests", "fuzz", "bench", "worker"]
TABLES = {"src/model/catalogue.c", "src/model/providers.c"}
PROVIDERS = ["anthropic", "bedrock", "cohere", "google", "groq", "litellm", "mistral", "ollama", "openai",
             "openai-chat", "openrouter", "vertex", "xai", "xai-chat"]
COMPARISON = re.compile(
    r"\b(?:strn?cmp|strn?casecmp|strstr|memcmp|rf_str_\w+|rf_glob)\s*\([^;]*?"
    r'"(?:' + "|".join(PROVIDERS) + r')[:"]')
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)

root = pathlib.Path(__file__).resolve().parent.parent


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def banned_call():
    text = (root / "src/base/banned.h").read_text(encoding="utf-8")
    names = " ".join(re.findall(r"^#pragma GCC poison (.*)$", text, re.M)).split()
    return re.compile(r"\b(" + "|".join(names) + r")\s*\(")


def matches(pattern, text):
    for m in pattern.finditer(text):
        yield text.count("\n", 0, m.start()) + 1, m


def faults():
    banned = banned_call()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            name = str(path.relative_to(root))
            text = path.read_text(encoding="utf-8", errors="replace")
            for line, m in matches(banned, COMMENT_OR_STRING.sub(blank, text)):
                yield f"{name}:{line}: {m.group(1)} is banned, src/base/banned.h says what to use"
            if folder != "src" or name in TABLES:
                continue
            for line, _ in matches(COMPARISON, text):
                yield f"{name}:{line}: compares with a provider's name; make it a row of a table"


def main():
    found = list(faults())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
