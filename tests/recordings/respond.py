#!/usr/bin/env python3
"""Recorded replies, written as the replies of every API.

    respond.py PATH-OF-REFRACT OUT

Needs REFRACT_SHARED. Each recorded reply, whole or streamed, is decoded and written again as the
API that sent it writes its own, as a body and as a stream; and one of each kind (blocks, why it
stopped, where it came from) as every other API. Errors are the recorded ones and one of each kind,
also in the middle of a stream. OUT gets a folder for each of KINDS, and beside it a list of its
files for the checker of 'make conformance'. Prints what could not be written, and what was left
out and why.
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from replies import decode, exchanges, jobs, kind_of

# Our dialects, and what the checker calls them.
DIALECTS = {
    "anthropic": "anthropic", "bedrock": "bedrock", "gemini": "gemini", "mistral": "mistral",
    "ollama": "ollama", "openai-chat": "openai-chat", "openai-responses": "openai-responses",
    "cohere": None,
}
KINDS = ("whole", "stream", "error", "broken")
ERRORS = ("authentication", "permission", "rate_limit", "overloaded", "context_too_long",
          "too_large", "bad_media", "unsupported", "not_found", "other")
# Replies that are not written, by what stands in the message, and why.
LEFT_OUT = {
    r'"type": "(mcp_tool_use|mcp_tool_result|advisor_tool_result)"':
        "blocks of betas come back as they were, and are in no released type",
    r'"stop_reason_original": "(queued|in_progress)"': "it is not a reply yet",
    r'"stop_reason_original": "MODEL_ARMOR"': "the vendor's type does not have this reason",
    r'"provider": "openai-compatible", .*("stop_reason": "unknown"|"service_tier": "provisioned")':
        "another vendor's chat completion that is not quite one",
}
# Chat completions of these are checked as what their own vendor sends.
ACCENTS = {"groq", "openrouter"}
# What is written and not checked, by its kind and the beginning of its name.
UNCHECKED = {
    ("broken", "mistral-"): "how a stream of this API fails is not recorded",
    ("error", "anthropic-error-too_large"): "the server says request_too_large, which is in no released type",
    ("broken", "anthropic-error-too_large"): "the server says request_too_large, which is in no released type",
}
# Files that were left out of the recordings; and a picture for each.
OMITTED = re.compile(rb"\{\{b64:[^}]*omitted\}\}")
PICTURE = (b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5E"
           b"rkJggg==")


def run(program, *args, given):
    got = subprocess.run([program, *args], input=given, capture_output=True, timeout=300)
    return got.returncode, got.stdout, got.stderr.decode()


def raw(body):
    """The bytes that came over the wire, and whether they are a stream."""
    if isinstance(body, str):
        return body.encode(), True
    if "$eventstream_b64" in body:
        return base64.b64decode(body["$eventstream_b64"]), True
    return json.dumps(body).encode(), False


def recorded(program, shared):
    """(name, dialect, message) of every recorded reply, errors included."""
    work = [(path, dialect, model, body) for path, dialect, model, _, body in jobs(shared)]
    for path, url, body in exchanges(shared, errors=True):
        found = kind_of(path, url)
        if found and isinstance(body, dict) and "$blob" not in body:
            work.append((path, *found[:2], body))

    def read(numbered):
        number, (path, dialect, model, body) = numbered
        came, stream = raw(body)
        _, out, _ = decode(program, model, OMITTED.sub(PICTURE, came), stream)
        provider = model.split(":")[0]
        if provider == "mistral":
            dialect = provider
        name = f"{provider}-{path.parent.name}-{path.stem}-{number}"
        return name, dialect, json.loads(out) if out else None

    with ThreadPoolExecutor(2) as pool:
        for name, dialect, message in pool.map(read, enumerate(work)):
            if message:
                yield name, dialect, message


def shape(dialect, message):
    """Replies of the same shape say the same kinds of things."""
    marks = ("citations", "signature", "redacted", "encrypted", "malformed_arguments", "url",
             "data")
    blocks = {(b["type"], *(m for m in marks if m in b)) for b in message["content"]}
    return (dialect, tuple(sorted(blocks)), len(message["content"]) > 2,
            message.get("stop_reason"), message.get("error", {}).get("kind"))


def failures(messages):
    """An error of each kind: alone, and after what had been said of one reply of each dialect."""
    first = {}
    for _, dialect, message in messages:
        if message["content"] and "error" not in message:
            first.setdefault(dialect, message)
    for kind in ERRORS:
        error = {"kind": kind, "message": f"this is {kind}"}
        yield f"error-{kind}", {"role": "assistant", "content": [], "error": error}
        for dialect, message in first.items():
            yield f"error-{kind}-after-{dialect}", {**message, "error": error}


def written(program, out, dialect, name, message, streamed):
    """Write one; what is wrong, or None."""
    args = ["respond", "--as", dialect] + (["--stream"] if streamed else [])
    status, body, err = run(program, *args, given=json.dumps(message).encode())
    if status or not body:
        return f"{name} as {dialect}: status {status}: {err.strip()}"
    refused = "\nstatus: " in f"\n{err}"
    if refused != ("error" in message and not (streamed and message["content"])):
        return f"{name} as {dialect}: {err.strip() or 'no status'} and {body[:80]}"
    if refused and streamed:
        return None  # the same body once more
    kind = ("error" if refused else "broken" if "error" in message and streamed
            else "stream" if streamed else "whole")
    (out / kind / f"{dialect}-{name}").write_bytes(body)
    return None


def writable(program):
    """The dialects that can be written."""
    for dialect, checker in DIALECTS.items():
        status, _, err = run(program, "respond", "--as", dialect,
                             given=b'{"role": "assistant", "content": []}')
        if status:
            print(f"skipped {dialect}: {err.strip()}")
            continue
        if not checker:
            print(f"skipped {dialect}: it is written, but the checker has no such dialect")
        yield dialect


def work_for(messages, can):
    """(dialect, name, message) of all that is to be written."""
    seen, left_out = set(), dict.fromkeys(LEFT_OUT, 0)
    for name, dialect, message in messages:
        why = next((p for p in LEFT_OUT if re.search(p, json.dumps(message))), None)
        if why:
            left_out[why] += 1
            continue
        new = shape(dialect, message) not in seen
        seen.add(shape(dialect, message))
        for target in can:
            if target == dialect or new:
                yield target, name, message
    for why, count in left_out.items():
        print(f"left out: {count} replies: {LEFT_OUT[why]}")
    for name, message in failures(messages):
        for target in can:
            yield target, name, message


def checker_of(dialect, path):
    """The name goes on with that of the provider."""
    accent = path.name.removeprefix(f"{dialect}-").split("-")[0]
    return accent if dialect == "openai-chat" and accent in ACCENTS else DIALECTS[dialect]


def write_lists(out, can):
    """What the checker is to read, each file with its dialect."""
    for (kind, name), why in UNCHECKED.items():
        print(f"skipped {name}*, {kind}: {why}")
    for kind in KINDS:
        unchecked = tuple(name for of, name in UNCHECKED if of == kind)
        files = [f"{checker_of(dialect, path)}:{path}\n" for dialect in can if DIALECTS[dialect]
                 for path in sorted((out / kind).glob(f"{dialect}-*")) if not path.name.startswith(unchecked)]
        (out / f"{kind}.files").write_text("".join(files))


def main():
    shared = pathlib.Path(os.environ["REFRACT_SHARED"])
    program, out = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    for kind in KINDS:
        (out / kind).mkdir(parents=True)
    can, failed = list(writable(program)), 0
    work = list(work_for(list(recorded(program, shared)), can))
    with ThreadPoolExecutor(2) as pool:
        for problem in pool.map(lambda w: written(program, out, *w[0], w[1]),
                                [(job, streamed) for job in work for streamed in (False, True)]):
            if problem:
                failed += 1
                print(f"FAILED  {problem}")
    write_lists(out, can)
    print(f"{2 * len(work)} written, {failed} failed")
    sys.exit(failed > 0)


main()
