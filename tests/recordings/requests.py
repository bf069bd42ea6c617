#!/usr/bin/env python3
"""Every recorded request that its server accepted, read and written again.

    requests.py PATH-OF-REFRACT [--out FOLDER]

Needs REFRACT_SHARED; without it, it says so and passes. Each request is parsed and encoded for the same
endpoint: the same roles and kinds of blocks in the same order, the same ids or a map of them one to one,
every text, and the media as the same bytes in the same order, in one step or in two. With --out these bodies are written to
FOLDER, and each request with media converted for every endpoint of TARGETS too, one folder a target, for
the checker of 'make conformance'. Prints what is wrong, then "N passed, N failed".
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

# Who was asked, by the host and the path of the request; of its groups the last is the model where the
# body names none.
SOURCES = [
    ("anthropic", r"api\.anthropic\.com/v1/messages$", "anthropic"),
    ("bedrock", r"bedrock-runtime\.[^/]*/model/([^/]+)/converse(?:-stream)?$", "bedrock"),
    ("gemini", r"aiplatform[^/]*/.*/models/([^/:]+):(?:streamG|g)enerateContent", "vertex"),
    ("gemini", r"/models/([^/:]+):(?:streamG|g)enerateContent", "google"),
    ("openai-responses", r"/v1/responses$", "openai"),
    ("cohere", r"api\.cohere\.com/v2/chat$", "cohere"),
    ("mistral", r"api\.mistral\.ai/.*/chat/completions$", "mistral"),
    ("openai-chat", r"api\.groq\.com/.*/chat/completions$", "groq"),
    ("openai-chat", r"openrouter\.ai/.*/chat/completions$", "openrouter"),
    ("openai-chat", r"api\.openai\.com/.*/chat/completions$", "openai-chat"),
    ("openai-chat", r"/chat/completions$", "openai-compatible"),
]
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
    **{f"bedrock/test_multimodal_tool_return_matrix--{case}": "Claude on Bedrock never sees a document inside "
       "a result, or is not to have it beside one" for case in (
           "direct-binary-document-bedrock_claude#1",
           "direct-uploaded_file-document-bedrock_claude#1",
           "direct-url_force_download-document-bedrock_claude#2",
           "tool_return_content-url-document-bedrock_claude#2",
           "tool_return_content-url_force_download-document-bedrock_claude#2")},
    **{f"google/test_multimodal_tool_return_matrix--direct-uploaded_file-document-google_gemini3#{n}":
       "an uploaded file inside a result is never seen" for n in (2, 3)},
    "bedrock/test_video_url_input#1": "a JPEG that says it is a video becomes a note",
    "google-vertex/test_google_url_input_force_download#1": "a film of 117 bytes becomes a note",
    "google/test_google_instructions_only_with_tool_calls#0": "a user who says nothing",
    "google/test_google_model_empty_user_prompt#0": "a user who says nothing",
    "openai-responses/test_openai_responses_runs_with_instructions_only#0": "a user who says nothing",
}
# What the checker holds a request against that went back to where it came from, by provider; it has no
# dialect for the others.
SAME = {"anthropic": "anthropic-2023-06-01", "bedrock": "bedrock", "google": "gemini", "vertex": "gemini-vertex", "groq": "groq",
        "openai": "openai-responses", "openai-chat": "openai-chat", "openrouter": "openrouter"}
# Members of a chat message that hold the thoughts of whoever sent it.
THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
# Opaque blocks and fields that only one API has come back as they were: those of betas, and those that a
# client spelled in its own way, are not in the vendors' released types.
BETA = re.compile(rb'"type":"(mcp_tool_use|mcp_tool_result|advisor_tool_result|advisor_20260301|compaction|'
                  rb'image_generation_call|tool_addition|tool_search_call)"|"(tool_type|mcp_servers|task_budget|'
                  rb'file_search_store_names|include_thoughts|any_of|(prompt|response)_template_name|'
                  rb'provider)":|"image_url":\{[^{}]*\},"cache_control":')
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


# What a request is made of: who says what kind of thing, in order, and which call it is about. Blank
# texts say nothing; what stands before the conversation is the system prompt, in whichever place.

def texts_as_parts(content):
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return [p for p in content or [] if not p.get("type", "").endswith("text") or p["text"].strip()]


def shape_anthropic(body):
    for message in body["messages"]:
        for block in texts_as_parts(message["content"]):
            yield message["role"], block["type"], block.get("id") or block.get("tool_use_id")
            if block["type"] == "tool_result":
                for part in texts_as_parts(block.get("content")):
                    yield "result", part["type"], None


def shape_bedrock(body):
    for message in body["messages"]:
        for block in message["content"]:
            kind, value = next(iter(block.items()))
            if kind == "cachePoint" or kind == "text" and not value.strip():
                continue
            yield message["role"], kind, value.get("toolUseId") if isinstance(value, dict) else None
            for part in value["content"] if kind == "toolResult" else []:
                yield "result", next(iter(part)), None


def shape_gemini(body):
    beside = {"thoughtsignature", "thought", "videometadata", "mediaresolution"}
    for content in body["contents"]:
        calls = 0
        for part in content.get("parts") or []:
            data = {k.replace("_", "").lower(): v for k, v in part.items()}
            kind, value = next(((k, v) for k, v in data.items() if k not in beside), ("", None))
            if kind == "text" and not value.strip():
                continue
            called = isinstance(value, dict) and "name" in value
            calls += called
            # Calls need no ids on this wire: those without one are told apart by their place.
            key = (value.get("id") or f"{value['name']} {calls}") if called else None
            yield content.get("role") or "user", "thought" if part.get("thought") else kind, key


def shape_responses(body):
    items = body["input"]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("type", "message") != "message":
            yield "item", item["type"], item.get("call_id") or item.get("id")
            for part in item["output"] if isinstance(item.get("output"), list) else []:
                yield "result", part["type"], None
            continue
        for part in texts_as_parts(item["content"]):
            yield item["role"], re.sub("^(in|out)put_", "", part["type"]), None


def shape_chat(body):
    for message in body["messages"]:
        for name in THOUGHTS:
            if message.get(name):
                yield message["role"], name, json.dumps(message[name])
        for part in texts_as_parts(message.get("content")):
            yield message["role"], part["type"], message.get("tool_call_id")
        for call in message.get("tool_calls") or []:
            yield message["role"], "call", call.get("id")


SHAPES = {"anthropic": shape_anthropic, "bedrock": shape_bedrock, "gemini": shape_gemini,
          "openai-responses": shape_responses}


def shape(dialect, body):
    parts = list(SHAPES.get(dialect, shape_chat)(body))
    while parts and parts[0][0] in ("system", "developer"):
        parts.pop(0)
    return parts


def first_difference(before, after):
    """Where two shapes part, or None. Ids may be others, if they are so one to one."""
    there, back = {}, {}
    for i, (a, b) in enumerate(zip(before + [None], after + [None])):
        same = a == b or (a and b and a[:2] == b[:2] and there.setdefault(a[2], b[2]) == b[2]
                          and back.setdefault(b[2], a[2]) == a[2])
        if not same:
            return f"part {i} was {a} and is {b}"
    return None if len(before) == len(after) else f"{len(before)} parts became {len(after)}"


def jobs(shared):
    blobs = shared / "recordings" / "_blobs"
    for path in sorted((shared / "recordings").glob("*/*.json")):
        for number, exchange in enumerate(json.loads(path.read_text())["exchanges"]):
            body, url = exchange["request"].get("body"), exchange["request"]["url"].split("?")[0]
            if exchange["response"].get("status") != 200 or not isinstance(body, dict):
                continue
            for dialect, pattern, provider in SOURCES:
                found = re.search(pattern, url)
                if not found:
                    continue
                name = body.get("model") or (found[1] if found.groups() else "") or "x"
                name = name.replace("%3A", ":")
                try:
                    yield path, number, dialect, f"{provider}:{name}", fill(body, blobs)
                except LookupError:
                    pass
                break


def run(program, text, *args):
    got = subprocess.run([program, *args], input=text, capture_output=True, timeout=300)
    return got.returncode, got.stdout, got.stderr.decode()


def convert(program, dialect, model, text):
    return run(program, text, "convert", "--as-is", "--from", dialect, "-m", model)


def by_document(program, dialect, model, text):
    """The same in two steps, with a conversation as JSON between them."""
    _, document, _ = run(program, text, "parse", "--from", dialect)
    return run(program, document, "encode", "--as-is", "-m", model, "-")


def check(program, job, out):
    path, number, dialect, model, body = job
    name = f"{path.parent.name}/{path.stem}#{number}"
    text = json.dumps(body).encode()
    status, result, err = convert(program, dialect, model, text)
    if status:
        return f"{name} ({dialect}): status {status}: {err.strip()[:200]}"
    if by_document(program, dialect, model, text) != (status, result, err):
        return f"{name} ({dialect}): 'parse' and 'encode' do not say what 'convert' says"
    lost = lost_words(body, json.loads(result))
    if lost:
        return f"{name} ({dialect}): lost {lost[:80]!r}"
    difference = first_difference(shape(dialect, body), shape(dialect, json.loads(result)))
    if difference:
        return f"{name} ({dialect}): {difference}"
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
        print(f"FAILED  {name}: it is not an exception any more")
    print(f"{len(work) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
