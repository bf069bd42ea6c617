#!/usr/bin/env python3
"""What PDFs cost, against the input tokens that real providers reported.

    pdf_tokens.py PATH-OF-REFRACT

Needs REFRACT_SHARED; without it, it says so and passes. Each recorded request that carries a PDF and whose reply
has usage is estimated with what is known of the PDF when a request is planned: how many pages it has, and their
text. An estimate may be off by 20 %, and by 50 tokens where that is more: a request for a page of three words is
mostly frame. In the median it may be off by 10 %. CONTRADICTORY names the recordings that others contradict; a
name there that nothing needs is a failure too. Prints a line a recording, then "N passed, N failed".
"""
import base64
import json
import os
import pathlib
import runpy
import statistics
import subprocess
import sys
import tempfile

MOST, FRAME, MEDIAN = 0.20, 50, 0.10
tokens = runpy.run_path(str(pathlib.Path(__file__).with_name("tokens.py")), run_name="tokens")
MATRIX = "test_multimodal_tool_return_matrix--"
CONTRADICTORY = {
    f"bedrock/pr7618.{MATRIX}direct-binary-document-bedrock_nova#1":
        "the page is 250 tokens there and 2,600 in the five other recordings of this model",
    **{f"bedrock/{MATRIX}{case}-document-bedrock_claude#{n}":
       "the document stands where this model never sees it, and was not charged"
       for case, n in (("direct-binary", 1), ("direct-url_force_download", 2))},
    f"google/{MATRIX}direct-url-document-google_gemini3#3":
        "a page inside a result is 1,102 tokens there and 520 on Vertex, of the same model",
    "google/test_google_model_document_url_input#1": "the page is 1,290 tokens there and 258 in the next recording",
}


def run(program, *args, data=None):
    got = subprocess.run([program, *args], input=data, capture_output=True, timeout=60)
    return got.stdout if got.returncode == 0 else None


def pdfs(value):
    """Every block of a neutral document that holds a PDF."""
    if isinstance(value, list):
        for item in value:
            yield from pdfs(item)
    elif isinstance(value, dict):
        if value.get("type") == "document" and str(value.get("data", "")).startswith("JVBER"):
            yield value
        for item in value.values():
            yield from pdfs(item)


def look(program, folder, known, block):
    """The block of a PDF that was read, with its pages and their text."""
    data = block["data"]
    if data not in known:
        path = pathlib.Path(folder) / f"{len(known)}.pdf"
        path.write_bytes(base64.b64decode(data.replace("-", "+").replace("_", "/") + "=="))
        told = run(program, "read", "--no-cache", "--json", "--root", folder, str(path))
        known[data] = json.loads(told)["content_blocks"][0]
    return known[data]


def count_media(told):
    return sum(message["media"] for message in told["messages"])


def estimate(program, folder, known, job):
    """All of the request as it was recorded, with its files as they are known to be."""
    _, dialect, model, body, _ = job
    whole = tokens["estimate"](program, job)
    parsed = run(program, "parse", "--from", dialect, data=json.dumps(body).encode())
    if not whole or not parsed:
        return None
    document = json.loads(parsed)
    blocks = list(pdfs(document))
    for block in blocks:
        told = look(program, folder, known, block)
        block.update({name: told[name] for name in ("page_count", "extracted_text")})
    told = run(program, "tokens", "--as-is", "--json", "-m", model, data=json.dumps(document).encode())
    if not told or not blocks:
        return None
    return whole["estimate"] - count_media(whole) + count_media(json.loads(told))


def main():
    shared = os.environ.get("REFRACT_SHARED")
    if not shared or not (pathlib.Path(shared) / "recordings").is_dir():
        print("skipped: REFRACT_SHARED is not set, or has no recordings")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    errors, needed, known, failed = [], set(), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for job in tokens["jobs"](pathlib.Path(shared)):
            name, _, model, body, reported = job
            got = None if tokens["has_reference"](body) else estimate(program, folder, known, job)
            if got is None:
                continue
            error = got / reported - 1
            off = abs(error) > MOST and abs(got - reported) > FRAME
            needed.update({name} if off else ())
            if name in CONTRADICTORY:
                continue
            errors.append(abs(error))
            failed += off
            print(f"{'FAILED' if off else 'ok':6}  {error:+7.1%}  {got:6d} for {reported:6d}  {model}  {name}")
    for name in sorted(CONTRADICTORY.keys() - needed):
        failed += 1
        print(f"FAILED  {name}: nothing contradicts it")
    if not errors or statistics.median(errors) > MEDIAN:
        failed += 1
        print("FAILED  the median is off")
    print(f"{len(errors)} requests with PDFs, the median is off by {statistics.median(errors or [1]):.1%}; "
          f"{len(CONTRADICTORY)} contradict others")
    print(f"{len(errors) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
