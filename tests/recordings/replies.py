#!/usr/bin/env python3
"""Every recorded reply of a real provider, read without loss.

    replies.py PATH-OF-REFRACT

Needs REFRACT_SHARED; without it, it says so and passes. Each recorded response and stream of a dialect
that we speak is decoded, and every string of the reply's content must stand in the neutral message,
as itself or in a longer text. What is left aside on purpose is named in ASIDE, and a name there that
nothing needs is a failure too. Thoughts of the endpoints in RETURNED must go back as they came. Prints a line a provider, then "N passed, N failed".
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Where a dialect's replies are recorded: a piece of the URL, the model to name, where the content is.
DIALECTS = [
    ("anthropic", r"/v1/messages$", "anthropic:claude-sonnet-4-5", lambda b: b["content"]),
    ("bedrock", r"/converse(-stream)?$", "bedrock:anthropic.claude-x",
     lambda b: b["output"]["message"]["content"]),
    ("gemini", r":(streamG|g)enerateContent", "google:gemini-2.5-flash",
     lambda b: [c.get("content") for c in b.get("candidates", [])]),
    ("openai-responses", r"/responses$", "openai:gpt-5", lambda b: b["output"]),
    ("cohere", r"/v2/chat$", "cohere:command-a-03-2025", lambda b: b["message"]),
    ("openai-chat", r"/chat/completions$", "openai-chat:gpt-4o",
     lambda b: [c["message"] for c in b["choices"]]),
]
# Chat endpoints with an accent of their own, by folder or by the address.
ACCENTS = {"mistral": "mistral:mistral-medium-latest", "groq": "groq:llama-4",
           "openrouter": "openrouter:a/b",
           **{folder: "openai-compatible:m" for folder in (
               "cerebras", "crusoe", "deepseek", "heroku", "huggingface", "ollama", "snowflake", "zai")}}
# Those that get thoughts back in the member that they came in; the first that has any repeats the others.
RETURNED = ("openrouter:a/b", "openai-compatible:m")
THOUGHTS = ("reasoning_details", "thinking_blocks", "reasoning_content", "reasoning")

# Members that are not taken over, by dialect, and why.
ASIDE = {
    "anthropic": {"type": "a block's kind is said in our words"},
    "bedrock": {},
    "gemini": {"role": "always the model"},
    "openai-responses": {"type": "a block's kind is said in our words"},
    "cohere": {"type": "a part's kind is said in our words"},
    "openai-chat": {"type": "a part's kind is said in our words"},
}

# Recordings with a failure in them, though the server said 200: reading it must say so.
FAILURES = {
    "groq/test_tool_use_failed_error_streaming.json": "the stream ends in an error",
    "openai-chat/test_invalid_response.json": "a body that is not a reply",
}


def strings(value, key=None):
    """(key, string) for every string in a JSON value, keys of its objects included."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings(item, name)


def is_there(text, said, whole):
    """As itself, in a longer text, or as the same JSON spelled otherwise."""
    if text in said or text.strip() in whole:
        return True
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, (dict, list)) and all(s in said or s in whole
                                                   for _, s in strings(value))


def exchanges(shared, errors=False):
    for path in sorted((shared / "recordings").glob("*/*.json")):
        for exchange in json.loads(path.read_text())["exchanges"]:
            reply = exchange["response"]
            if (reply.get("status") == 200) != errors and reply.get("body"):
                yield path, exchange["request"]["url"].split("?")[0], reply["body"]


def decode(program, model, body, stream):
    args = [program, "decode", "-m", model] + (["--stream"] if stream else [])
    got = subprocess.run(args, input=body, capture_output=True, timeout=300)
    return got.returncode, got.stdout.decode(), got.stderr.decode()


def joined(details):
    """Fragments of a detail as one, without what is null or empty."""
    whole = {}
    for number, detail in enumerate(details):
        said = {k: v for k, v in detail.items() if v not in (None, "")}
        old = whole.setdefault((said["type"], said.get("index", number)), said)
        if old is not said:
            old.update({k: old.get(k, "") + said[k] for k in ("text", "signature") if k in said})
    return list(whole.values())


def thoughts(body):
    """The member of a chat reply that holds its thoughts, and what is in it; None where there are none."""
    if isinstance(body, str):
        chunks = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: {")]
        parts = [c["delta"] for chunk in chunks for c in chunk.get("choices", [])]
    else:
        parts = [body["choices"][0]["message"]]
    for name in THOUGHTS:
        found = [part[name] for part in parts if part.get(name)]
        if found and isinstance(found[0], str):
            return name, "".join(found)
        if found:
            return name, joined([detail for details in found for detail in details])
    return None


def not_returned(program, model, body, reply):
    """What is wrong with the thoughts of the request after this reply, or None."""
    came = thoughts(body)
    answers = [{"role": "tool", "tool_call_id": b["id"], "output": "o"} for b in reply["content"]
               if b["type"] == "tool_call"]
    talk = [{"role": "user", "content": "q"}, reply, *answers, {"role": "user", "content": "q"}]
    given = json.dumps({"refract": 1, "messages": talk}).encode()
    got = subprocess.run([program, "encode", "-m", model, "-"], input=given, capture_output=True,
                         timeout=60)
    message = json.loads(got.stdout)["messages"][1]
    if came and message.get(came[0]) != came[1]:
        return f"{came[0]} was {str(came[1])[:80]} and is {str(message.get(came[0]))[:80]}"
    return None


def check(program, path, dialect, model, content, body):
    """What is wrong with one reply, or None; and the names of ASIDE that were needed."""
    stream = isinstance(body, str) or "$eventstream_b64" in body
    if isinstance(body, dict) and "$eventstream_b64" in body:
        raw = base64.b64decode(body["$eventstream_b64"])
        parts = [e["payload"] for e in body["events"]]
    elif stream:
        raw, parts = body.encode(), []
    else:
        raw, parts = json.dumps(body).encode(), None
    status, out, err = decode(program, model, raw, stream)
    if status == 4 and f"{path.parent.name}/{path.name}" in FAILURES:
        return None, {("failure", f"{path.parent.name}/{path.name}")}
    if status != 0:
        return f"status {status}: {err.strip()}", set()
    if parts is None:
        parts = content(body)
    problem = model in RETURNED and not_returned(program, model, body, json.loads(out))
    if problem:
        return problem, set()
    if stream:
        return None, set()
    said = {s for _, s in strings(json.loads(out))}
    whole = "\n".join(said)
    used = set()
    for key, text in strings(parts):
        if not text or is_there(text, said, whole):
            continue
        if key in ASIDE[dialect]:
            used.add((dialect, key))
            continue
        return f"lost {key}: {text[:80]!r}", used
    return None, used


def kind_of(path, url):
    """Whose reply it is: the dialect, the model to name, where the content is; or None."""
    for dialect, pattern, model, content in DIALECTS:
        if re.search(pattern, url):
            accents = [m for name, m in ACCENTS.items() if name in (path.parent.name, *url.split("/"))
                       or f".{name}." in url]
            return dialect, accents[0] if accents and dialect == "openai-chat" else model, content
    return None


def jobs(shared):
    for path, url, body in exchanges(shared):
        if isinstance(body, dict) and ("$blob" in body or "error" in body and body["error"]):
            continue
        if isinstance(body, str) and not re.search(r"^(data|event):", body, re.M):
            continue
        found = kind_of(path, url)
        if found:
            yield path, *found, body


def main():
    shared = os.environ.get("REFRACT_SHARED")
    if not shared or not (pathlib.Path(shared) / "recordings").is_dir():
        print("skipped: REFRACT_SHARED is not set, or has no recordings")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    work = list(jobs(pathlib.Path(shared)))
    counts, used, failed = {}, set(), 0
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda job: check(program, *job), work)
        for (path, dialect, *_), (problem, names) in zip(work, results):
            used |= names
            counts[dialect] = counts.get(dialect, 0) + 1
            if problem:
                failed += 1
                print(f"FAILED  {path.parent.name}/{path.name}: {problem}")
    for dialect, count in sorted(counts.items()):
        print(f"{count:5d} replies of {dialect}")
    for dialect, names in ASIDE.items():
        for name in names:
            if (dialect, name) not in used:
                failed += 1
                print(f"FAILED  {dialect}: nothing needs {name!r} to be left aside")
    for name in FAILURES:
        if ("failure", name) not in used:
            failed += 1
            print(f"FAILED  {name}: its failure was read as none")
    print(f"{sum(counts.values()) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
