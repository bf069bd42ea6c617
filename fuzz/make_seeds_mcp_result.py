#!/usr/bin/env python3
"""Write the seeds of fuzz_mcp_result: small results, one idea each.

They go to corpus/mcp_result/ beside this file, under their own names; other files there are kept."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "mcp_result"
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=")
TEXT = {"type": "text", "text": "t"}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/jpeg"}
LINK = {"type": "resource_link", "uri": "mem://a b]", "name": "n", "title": "t", "mimeType": "a/b",
        "size": 7, "description": "d"}
BLOB = {"type": "resource", "resource": {"uri": "mem://a/b.pdf?x#y", "mimeType": "application/pdf", "blob": "JVBERi0xLjQK"}}
WORDS = {"type": "resource", "resource": {"uri": "file:///n.md", "text": "inside", "_meta": {"a": 1}}}


def deep(n):
    return json.loads("[" * n + "]" * n)


SEEDS = {
    "all": {"content": [TEXT, IMAGE, {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, BLOB, WORDS, LINK]},
    "failed": {"content": [TEXT, TEXT, IMAGE, TEXT], "isError": True},
    "person": {"content": [{**IMAGE, "annotations": {"audience": ["user"]}}, {**TEXT, "annotations": {"audience": []}}]},
    "copies": {"content": [IMAGE, {"type": "text", "text": f"see data:image/png;base64,{PNG} there"}],
               "structuredContent": {"i": PNG, PNG: 1}},
    "repeated": {"content": [{"type": "text", "text": "[1, 2]"}], "structuredContent": [1, 2]},
    "wrapped": {"content": [TEXT, {"type": "text", "text": "1"}], "structuredContent": {"result": ["t", 1]}},
    "unknown": {"content": [{"type": "x", "data": "AAAA", "mimeType": "video/mp4"}, {"type": "y", "z": "A" * 200}, 7, None, []]},
    "wrong_types": {"content": [{"type": "text", "text": 1}, {"type": "image", "data": 1}, {"type": "resource", "resource": 1}],
                    "structuredContent": None, "isError": "true", "_meta": 1},
    "wrong_base64": {"content": [{"type": "image", "data": "%%%%", "mimeType": ""}]},
    "wrong_content": {"content": {"type": "text"}},
    "deep": {"content": [{**TEXT, "_meta": deep(505)}], "structuredContent": deep(508)},
    "not_an_object": [1],
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, result in SEEDS.items():
        (FOLDER / (name + ".json")).write_text(json.dumps(result, separators=(",", ":")))
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
