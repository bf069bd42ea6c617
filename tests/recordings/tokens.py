#!/usr/bin/env python3
"""Our estimates against the input tokens that real providers reported.

    tokens.py PATH-OF-REFRACT [--all]

Needs REFRACT_SHARED; without it, it says so and passes. Each recorded request that carries a file and whose
reply has usage is estimated by 'refract tokens' for the same endpoint. A provider fails where the median of
its errors is over 15 %, or where a request that OUTLIERS does not name is off by more; a name there that
nothing needs is a failure too. A file that goes by its URL or its id is not a part of it: nobody here knows how
large it is; PDFs are for pdf_tokens.py. With --all the requests without files are shown too, which nothing depends on. Prints a line a
provider, then "N passed, N failed".
"""
import json
import os
import pathlib
import re
import runpy
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MOST = 0.15
requests = runpy.run_path(str(pathlib.Path(__file__).with_name("requests.py")), run_name="requests")

# Requests whose estimate is off by more, and what is known of why. The prices in the catalogue were fitted to
# these recordings, so what is not named here is not proof for other requests.
MATRIX = "test_multimodal_tool_return_matrix--"
OUTLIERS = {
    "google/test_google_model_image_url_input#1":
        "540 x 360 pixels, reported as seven tiles by Gemini 2.0; later ones report one",
    **{name: "a film of 1.3 seconds, reported as more than one of ten" for name in (
        "bedrock/test_bedrock_cache_messages_with_video_as_last_content#0",
        f"bedrock/{MATRIX}direct-binary-video-bedrock_nova#1",
        f"bedrock/{MATRIX}tool_return_content-binary-video-bedrock_nova#1")},
    f"google/{MATRIX}direct-binary-video-google_2_5#1": "a film of 1.3 seconds, reported as two frames",
    f"google-vertex/{MATRIX}tool_return_content-binary-video-google_vertex#2":
        "a film of 1.3 seconds, reported as one frame without sound",
    "anthropic/test_text_document_as_binary_content_input#0": "57 tokens, most of them the frame",
    "bedrock/test_text_as_binary_content_input#0": "21 tokens, and a frame that costs nothing there",
}
TOKEN_NAMES = [ # of all input, and what comes on top of it
    ("promptTokenCount", ()),
    ("prompt_tokens", ()),
    ("inputTokens", ("cacheReadInputTokens", "cacheWriteInputTokens")),
    ("input_tokens", ("cache_creation_input_tokens", "cache_read_input_tokens")),
]
PDF = re.compile(r'"(?:data:application/pdf;base64,)?JVBER')
KEYS_OF_REFERENCES = {"url", "image_url", "file_id", "file_uri", "fileUri", "document_url", "s3Location", "file_url"}


def usages(value):
    """Every usage in a reply, in order."""
    if isinstance(value, list):
        for item in value:
            yield from usages(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ("usage", "usageMetadata") and isinstance(item, dict):
                yield item
            else:
                yield from usages(item)


def reported(reply):
    """The input tokens of a reply, or 0. A stream reports several times, and ends with the most."""
    if isinstance(reply, str):
        lines = re.findall(r"^data: ?(\{.*\})\s*$", reply, re.M)
        reply = [json.loads(line) for line in lines]
    most = 0
    for usage in usages(reply):
        for name, more in TOKEN_NAMES:
            if usage.get(name):
                beside = 0 if "input_tokens_details" in usage else sum(usage.get(m) or 0 for m in more)
                most = max(most, usage[name] + beside)
                break
    return most


def has_reference(value):
    """Is there a file by URL or id?"""
    if isinstance(value, list):
        return any(has_reference(v) for v in value)
    if not isinstance(value, dict):
        return False
    for name, item in value.items():
        if name in KEYS_OF_REFERENCES and not (isinstance(item, str) and item.startswith("data:")):
            if not isinstance(item, dict) or name == "s3Location" or has_reference(item):
                return True
        elif has_reference(item):
            return True
    return False


def jobs(shared):
    replies = {}
    for path, number, dialect, model, body in requests["jobs"](shared):
        if path not in replies:
            replies = {path: [e["response"].get("body") for e in json.loads(path.read_text())["exchanges"]]}
        tokens = reported(replies[path][number])
        if tokens:
            yield f"{path.parent.name}/{path.stem}#{number}", dialect, model, body, tokens


def estimate(program, job):
    name, dialect, model, body, _ = job
    got = subprocess.run([program, "tokens", "--as-is", "--json", "--from", dialect, "-m", model],
                         input=json.dumps(body).encode(), capture_output=True, timeout=300)
    if got.returncode:
        return None
    return json.loads(got.stdout)


def is_served_elsewhere(program, model, known):
    """An endpoint of another vendor that speaks the same dialect."""
    if model not in known:
        got = subprocess.run([program, "models", model, "--json"], capture_output=True, timeout=300)
        known[model] = got.returncode == 0 and json.loads(got.stdout).get("family") not in (None, "")
    return not known[model]


def main():
    shared = os.environ.get("REFRACT_SHARED")
    if not shared or not (pathlib.Path(shared) / "recordings").is_dir():
        print("skipped: REFRACT_SHARED is not set, or has no recordings")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    everything = "--all" in sys.argv[2:]
    work = list(jobs(pathlib.Path(shared)))
    errors, needed, known, elsewhere, by_reference, failed = {}, set(), {}, 0, 0, 0
    with ThreadPoolExecutor(2) as pool:
        for job, got in zip(work, pool.map(lambda job: estimate(program, job), work)):
            name, _, model, body, tokens = job
            if not got:
                if name not in requests["EXCEPTIONS"]:
                    failed += 1
                    print(f"FAILED  {name}: it has no estimate")
                continue
            files = sum(m["files"] for m in got["messages"])
            error = got["estimate"] / tokens - 1
            if everything:
                print(f"{error:+8.1%}  {got['estimate']:7d} for {tokens:7d}  {files} files  {name}")
            if not files or PDF.search(json.dumps(body)):
                continue
            if is_served_elsewhere(program, model, known):
                elsewhere += 1
            elif has_reference(body):
                by_reference += 1
            else:
                errors.setdefault(model.split(":")[0], []).append(error)
                if abs(error) > MOST and name not in OUTLIERS:
                    failed += 1
                    print(f"FAILED  {name}: {got['estimate']} for {tokens}, off by {error:+.0%}")
                elif abs(error) > MOST:
                    needed.add(name)
    for provider, found in sorted(errors.items()):
        middle = statistics.median(found)
        within = sum(abs(e) <= MOST for e in found)
        print(f"{provider:12} {len(found):3d} requests with files, median {middle:+6.1%}, "
              f"{within / len(found):4.0%} within {MOST:.0%}")
        if abs(middle) > MOST:
            failed += 1
            print(f"FAILED  {provider}: the median is off")
    for name in sorted(OUTLIERS.keys() - needed):
        failed += 1
        print(f"FAILED  {name}: it is not an outlier any more")
    print(f"{len(needed)} named outliers; not checked against anything: {by_reference} with files by URL or id, "
          f"{elsewhere} for models that nobody here knows")
    count = sum(len(found) for found in errors.values())
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
