#!/usr/bin/env python3
"""Usage: sim.py SIM_DRIVER

What the recorded servers took, the simulator takes, and what they refused, it refuses.

Every request of the recordings (REFRACT_SHARED) to an endpoint that refract speaks is handed to the simulator as
the provider it was recorded with; so is every golden request of tests/golden, all of which must be taken. Prints
the agreement per provider and what differs with its reason. Fails when a difference has no reason in DIFFERENCES,
when a reason there is no difference any more, when both refuse with another status or in other words, or when fewer
than AGREEMENT of all agree.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from requests import fill  # noqa: E402

AGREEMENT = 0.98

# Who was asked, by the URL, and the path that the simulator is asked with.
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
SOURCES = [
    (r"api\.anthropic\.com(/v1/messages)$", "anthropic"),
    (r"(/model/[^/]+/converse(?:-stream)?)$", "bedrock"),
    (r"(?:aiplatform|google-vertex)[^/]*(/.*/models/[^/:]+:(?:streamG|g)enerateContent)$", "vertex"),
    (r"googleapis\.com(/.*/models/[^/:]+:(?:streamG|g)enerateContent)$", "google"),
    (r"api\.mistral\.ai(/v1/chat/completions)$", "mistral"),
    (r"api\.cohere\.com(/v2/chat)$", "cohere"),
    (r"groq[^ ]*(/openai/v1/chat/completions)$", "groq"),
    (r"openrouter\.ai(/api/v1/chat/completions)$", "openrouter"),
    (r"api\.openai\.com(/v1/chat/completions)$", "openai-chat"),
    (r"api\.openai\.com(/v1/responses)$", "openai"),
    # Others that speak a dialect, and are not a provider of their own.
    (r"/chat/completions$", "openai-compatible"),
    (r"localhost:8787/openai/responses$", "openai"),
    (r"openai\.azure\.com/.*/responses$", "openai"),
    (r"/responses$", "xai"),
]
# Recorded exchanges that are not a request for an answer in a dialect that refract speaks.
LEFT_OUT = [
    (r"^grpc:", "gRPC, not HTTP"),
    (r"count[-_]?[tT]okens$", "counts tokens"),
    (r"/invoke$", "a raw model call, not Converse"),
    (r".", "a file, a store, a cache, a conversation or a download"),
]

# What the simulator does otherwise, and why that is right: the name of the recording, with its number.
DIFFERENCES = {
    **{f"groq/{case}#0": "the request was fine: the real model made a call that did not fit its tool"
       for case in ("test_tool_use_failed_error", "test_tool_use_failed_error_with_text")},
    **{f"openrouter/test_openrouter_errors_raised#{n}": "the request was fine: a rate limit of that day"
       for n in (0, 1, 2)},
    **{f"google-vertex/{case}": "the request was fine: the site of its URL does not let robots in" for case in (
        "test_model_sees_multiple_images--google_vertex#1",
        "test_multimodal_tool_return_matrix--direct-url-image-google_vertex#2",
        "test_multimodal_tool_return_matrix--tool_return_content-url-image-google_vertex#3")},
    **{f"openai-chat/hist.test_multimodal_tool_return_matrix--{case}-uploaded_file-image-openai_chat#1":
       "the simulator does not know what was uploaded under a file's id: here a picture, where only PDF may be"
       for case in ("direct", "tool_return_content")},
    **{f"anthropic/hist.test_multimodal_tool_return_matrix--{case}-anthropic#1":
       "an id of an uploaded file, refused without a header that the recording does not have"
       for case in ("direct-uploaded_file-document", "tool_return_content-uploaded_file-image")},
}
# Refused by both, but in other words, and why.
OTHER_WORDS = {
    "anthropic/hist.test_text_document_url_input_no_force_download#0":
        "the simulator follows no URLs, and goes by how this one ends",
}


def recorded(shared):
    """Name, URL, body, status and reply of every exchange with a JSON body; None for a body that was not kept."""
    blobs = shared / "recordings" / "_blobs"
    for path in sorted((shared / "recordings").glob("*/*.json")):
        for number, exchange in enumerate(json.loads(path.read_text())["exchanges"]):
            body = exchange["request"].get("body")
            if not isinstance(body, dict):
                continue
            try:
                body = fill(body, blobs)
            except LookupError:
                body = None
            yield (f"{path.parent.name}/{path.stem}#{number}", exchange["request"]["url"].split("?")[0], body,
                   exchange["response"].get("status"), exchange["response"].get("body"))


def route(url):
    for pattern, provider in SOURCES:
        found = re.search(pattern, url) if not url.startswith("grpc:") else None
        if found:
            path = found[1] if found.groups() else CHAT if url.endswith("completions") else RESPONSES
            return provider, path
    return None


def golden(source):
    """Name, provider, path and body of every golden request."""
    paths = {"bedrock": "/model/{}/converse", "cohere": "/v2/chat",
             "google": "/v1beta/models/{}:generateContent",
             "vertex": "/v1beta1/projects/p/locations/global/publishers/google/models/{}:generateContent",
             "anthropic": "/v1/messages", "ollama": "/api/chat", "openai": RESPONSES, "xai": RESPONSES}
    for row in (source / "tests/golden/endpoints.tsv").read_text().splitlines()[2:]:
        folder, model = row.split("\t")[:2]
        provider, name = model.split(":", 1)
        if provider == "mcp":  # hosts are given results, and nobody asks them
            continue
        path = paths.get(provider, CHAT).format(name.replace(":", "%3A"))
        for file in sorted((source / "tests/golden" / folder).glob("*.json")):
            yield f"golden/{folder}/{file.stem}", provider, path, json.loads(file.read_text())


def words(reply):
    """The message of an error, in whichever shape."""
    error = reply.get("error", reply)
    return error.get("message") if isinstance(error, dict) else error


class Simulator:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, provider, path, body):
        text = json.dumps(body).encode()
        self.process.stdin.write(f"{provider} {path} {len(text)}\n".encode() + text)
        self.process.stdin.flush()
        status, length = self.process.stdout.readline().split()
        return int(status), self.process.stdout.read(int(length)).decode(errors="replace")


def ask_goldens(simulator, source):
    """How many were asked, and how many were refused."""
    asked = failed = 0
    for name, provider, path, body in golden(source):
        got, reply = simulator.ask(provider, path, body)
        asked += 1
        if got != 200:
            failed += 1
            print(f"FAILED  {name}: {got} {reply[:300]}")
    return asked, failed


def ask_recorded(simulator, shared):
    """How many agree, and how many differ without a reason."""
    asked, same, refused, left_out, differing, failed = Counter(), Counter(), Counter(), Counter(), {}, 0
    for name, url, body, status, there in recorded(shared):
        found = route(url)
        if not found or body is None:
            left_out["its media was not kept" if found else
                     next(why for pattern, why in LEFT_OUT if re.search(pattern, url))] += 1
            continue
        got, reply = simulator.ask(*found, body)
        asked[found[0]] += 1
        refused[found[0]] += status != 200
        if (got == 200) != (status == 200):
            differing[name] = f"{status} there, {got} here: {reply[:300]}"
            continue
        same[found[0]] += 1
        said = None if status == 200 or name in OTHER_WORDS else (got, words(json.loads(reply)))
        if said and said != (status, words(there)):
            failed += 1
            print(f"FAILED  {name}: refused with {said}, where it was {(status, words(there))}")
    for name, what in sorted(differing.items()):
        failed += name not in DIFFERENCES
        print(f"{'differs' if name in DIFFERENCES else 'FAILED '} {name}: {DIFFERENCES.get(name, what)}")
    for name in sorted(DIFFERENCES.keys() - differing.keys()):
        failed += 1
        print(f"FAILED  {name}: it is not a difference any more")
    for why, count in left_out.items():
        print(f"left out: {count} ({why})")
    for provider in sorted(asked):
        print(f"{provider}: {same[provider]} of {asked[provider]} agree ({100 * same[provider] / asked[provider]:.1f} %),"
              f" {refused[provider]} of them were refused there")
    agreement = same.total() / asked.total()
    print(f"all: {same.total()} of {asked.total()} agree ({100 * agreement:.1f} %)")
    if agreement < AGREEMENT:
        failed += 1
        print(f"FAILED  that is less than {100 * AGREEMENT:.0f} %")
    return same.total(), failed


def main():
    shared = os.environ.get("REFRACT_SHARED")
    source = pathlib.Path(os.environ.get("REFRACT_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
    simulator = Simulator(sys.argv[1])
    passed, failed = ask_goldens(simulator, source)
    passed -= failed
    if shared and (pathlib.Path(shared) / "recordings").is_dir():
        agreed, wrong = ask_recorded(simulator, pathlib.Path(shared))
        print(f"{passed + agreed} passed, {failed + wrong} failed")
        sys.exit(failed + wrong > 0)
    print("recordings skipped: REFRACT_SHARED is not set, or has none")
    print(f"{passed} passed, {failed} failed, 1 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
