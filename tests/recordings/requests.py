#!/usr/bin/env python3
"""Every recorded request that its server accepted, read and written again.

    requests.py PATH-OF-REFRACT [--out FOLDER]

Needs REFRACT_SHARED; without it, it says so and passes. Each request is parsed and encoded for the same
endpoint: every text must still be there, and the media must be the same bytes in the same order. With --out these bodies are written to FOLDER, and each
request with media converted for every endpoint of TARGETS too, one folder a target, for the checker of
'make conformance'. Prints what is wrong, then
"N passed, N failed".
"""
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SOURCES = [
    ("anthropic", r"/v1/messages$", "anthropic:{model}"),
    ("bedrock", r"/model/([^/]+)/converse(-stream)?$", "bedrock:{model}"),
    ("gemini", r"/models/([^/:]+):(streamG|g)enerateContent", "google:{model}"),
    ("openai-responses", r"/v1/responses$", "openai:{model}"),
    ("openai-chat", r"/chat/completions$", "openai-chat:{model}"),
]
ACCENTS = {"mistral": ("mistral", "mistral:{model}"), "groq": ("openai-chat", "groq:{model}"),
           "openrouter": ("openai-chat", "openrouter:{model}")}
# The checker's dialect, which is the folder too, and the model of each endpoint that is converted for.
# Claude Sonnet 4.5 takes top_p with the API version of 2023, not with the one of 2026.
TARGETS = [
    ("anthropic-2023-06-01", "anthropic:claude-sonnet-4-5"),
    ("bedrock", "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ("gemini", "google:gemini-3-pro-preview"),
    ("gemini-vertex", "vertex:gemini-2.5-flash"),
    ("openai-responses", "openai:gpt-5-mini"),
    ("openai-chat", "openai-chat:gpt-4o"),
    ("groq", "groq:meta-llama/llama-4-scout-17b-16e-instruct"),
    ("openrouter", "openrouter:anthropic/claude-sonnet-4.5"),
    ("ollama", "ollama:llava:13b"),
    ("xai", "xai-chat:grok-4"),
    ("xai-responses", "xai:grok-4"),
    ("litellm", "litellm:claude-sonnet-4-5"),
]
# Recorded requests that rightly do not go through as they were, and why.
EXCEPTIONS = {
    "bedrock/test_video_url_input#1": "a JPEG that says it is a video becomes a note",
    "google-vertex/test_google_url_input_force_download#1": "a film of 117 bytes becomes a note",
    "google/test_google_instructions_only_with_tool_calls#0": "a user who says nothing",
    "google/test_google_model_empty_user_prompt#0": "a user who says nothing",
    "openai-responses/test_openai_responses_runs_with_instructions_only#0": "a user who says nothing",
}
# What the checker holds a request against that went back to where it came from, by provider; it has no
# dialect for the others.
SAME = {"anthropic": "anthropic-2023-06-01", "bedrock": "bedrock", "google": "gemini", "groq": "groq",
        "openai": "openai-responses", "openai-chat": "openai-chat", "openrouter": "openrouter"}
# Opaque blocks come back as they were: those of betas, and those that a client spelled in its own
# way, are not in the vendors' released types.
BETA = re.compile(rb'"type":"(mcp_tool_use|mcp_tool_result|advisor_tool_result|compaction|'
                  rb'image_generation_call)"|"tool_type":')
MEDIA = re.compile(r"^(?:data:[\w/.+-]+;base64,)?([A-Za-z0-9+/_=-]{60,})$")


def fill(value, blobs):
    """Base64 that the recordings keep beside them; None where it was not kept."""
    if isinstance(value, str):
        found = re.fullmatch(r"(data:[^,]*,)?\{\{b64(url)?:([^:}]+):\d+(:omitted)?\}\}", value)
        if not found:
            return value
        if found[4] or not (blobs / found[3]).exists():
            raise LookupError(value)
        return (found[1] or "") + base64.b64encode((blobs / found[3]).read_bytes()).decode()
    if isinstance(value, list):
        return [fill(v, blobs) for v in value]
    if isinstance(value, dict):
        return {k: fill(v, blobs) for k, v in value.items()}
    return value


def media(value):
    """The hashes of all media in a body, in order."""
    if isinstance(value, str):
        found = MEDIA.match(value)
        if found:
            try:
                raw = base64.b64decode(found[1].replace("-", "+").replace("_", "/") + "==")
            except ValueError:
                return
            if raw[:4] in (b"\x89PNG", b"%PDF", b"GIF8", b"RIFF", b"ID3\x03", b"ID3\x04") or \
                    raw[:3] == b"\xff\xd8\xff" or raw[4:8] == b"ftyp":
                yield hashlib.sha256(raw).hexdigest()[:12]
    elif isinstance(value, list):
        for item in value:
            yield from media(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from media(item)


def words(value, key=None):
    """What people, tools and models said: every text of a request but thoughts, which go only to where
    they came from."""
    if isinstance(value, str):
        if key in ("text", "content", "output"):
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from words(item, key)
    elif isinstance(value, dict):
        if not value.get("thought") and value.get("type") not in ("thinking", "reasoning"):
            for name, item in value.items():
                yield from words(item, name)


def everything(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from everything(item)


def lost_words(body, result):
    """The first text of the messages that is nowhere in the result, or None."""
    said = "\n".join(everything(result))
    for part in ("messages", "contents", "input"):
        for text in words(body.get(part), "content"):
            if text.strip() not in said and not MEDIA.match(text) and not is_same_json(text, said):
                return text
    return None


def is_same_json(text, said):
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, (dict, list)) and all(s in said for s in everything(value))


def jobs(shared):
    blobs = shared / "recordings" / "_blobs"
    for path in sorted((shared / "recordings").glob("*/*.json")):
        for number, exchange in enumerate(json.loads(path.read_text())["exchanges"]):
            body, url = exchange["request"].get("body"), exchange["request"]["url"].split("?")[0]
            if exchange["response"].get("status") != 200 or not isinstance(body, dict):
                continue
            for dialect, pattern, model in SOURCES:
                found = re.search(pattern, url)
                if not found:
                    continue
                if dialect == "openai-chat":
                    dialect, model = ACCENTS.get(path.parent.name, (dialect, model))
                name = body.get("model") or (found[1] if found.groups() else "") or "x"
                name = name.replace("%3A", ":")
                try:
                    yield path, number, dialect, model.format(model=name), fill(body, blobs)
                except LookupError:
                    pass
                break


def convert(program, dialect, model, text):
    got = subprocess.run([program, "convert", "--from", dialect, "-m", model], input=text,
                         capture_output=True, timeout=60)
    return got.returncode, got.stdout, got.stderr.decode()


def check(program, job, out):
    path, number, dialect, model, body = job
    name = f"{path.parent.name}/{path.stem}#{number}"
    text = json.dumps(body).encode()
    status, result, err = convert(program, dialect, model, text)
    if status:
        return f"{name} ({dialect}): status {status}: {err.strip()[:200]}"
    lost = lost_words(body, json.loads(result))
    if lost:
        return f"{name} ({dialect}): lost {lost[:80]!r}"
    before, after = list(media(body)), list(media(json.loads(result)))
    if before != after:
        return f"{name} ({dialect}): {len(before)} media before, {len(after)} after"
    same = SAME.get(model.split(":")[0])
    if out and same and not BETA.search(result):
        (out / f"same-{same}" / f"{path.parent.name}-{path.stem}-{number}.json").write_bytes(result)
    for folder, target in TARGETS if out and before else []:
        status, result, err = convert(program, dialect, target, text)
        if status:
            return f"{name} for {target}: status {status}: {err.strip()[:200]}"
        (out / folder / f"{path.parent.name}-{path.stem}-{number}.json").write_bytes(result)
    return None


def prepare(out):
    """The folders, and what the checker takes each for, in the form of tests/golden/endpoints.tsv."""
    rows = [f"{folder}\t{model}\t{folder}\t{model.split(':', 1)[1]}\n" for folder, model in TARGETS]
    rows += [f"same-{dialect}\t-\t{dialect}\t-\n" for dialect in SAME.values()]
    for row in rows:
        (out / row.split("\t")[0]).mkdir(parents=True, exist_ok=True)
    (out / "endpoints.tsv").write_text("".join(rows))


def main():
    shared = os.environ.get("REFRACT_SHARED")
    if not shared or not (pathlib.Path(shared) / "recordings").is_dir():
        print("skipped: REFRACT_SHARED is not set, or has no recordings")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    out = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--out"] else None
    if out:
        prepare(out)
    work, failed, excepted = list(jobs(pathlib.Path(shared))), 0, set()
    with ThreadPoolExecutor(2) as pool:
        for problem in pool.map(lambda job: check(program, job, out), work):
            name = problem and problem.split(" ")[0]
            excepted |= {name} & EXCEPTIONS.keys()
            if problem and name not in EXCEPTIONS:
                failed += 1
                print(f"FAILED  {problem}")
    for name in sorted(EXCEPTIONS.keys() - excepted):
        failed += 1
        print(f"FAILED  {name}: it is no exception any more")
    print(f"{len(work) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
