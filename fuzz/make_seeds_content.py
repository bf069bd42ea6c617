#!/usr/bin/env python3
"""Write the seeds of fuzz_content: small conversations, one idea each, some of them wrong.

They go to corpus/content/ beside this file, under their own names; other files there are kept."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "content"


def document(messages=(), **fields):
    return json.dumps({"refract": 1, **fields, "messages": list(messages)}, ensure_ascii=False)


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks, **fields):
    return {"role": "assistant", **fields, "content": list(blocks)}


def tool(**fields):
    return {"role": "tool", "tool_call_id": "c1", **fields}


def block(kind, **fields):
    return {"type": kind, **fields}


TEXT = block("text", text="hi")
CALL = block("tool_call", id="c1", name="f", arguments={"path": "a.png", "n": [1, None]})

SEEDS = {
    "empty": document(),
    "shorthand": document([{"role": "user", "content": "hi"},
                           {"role": "assistant", "content": ""}]),
    "system": document([user(TEXT)], system="Be brief.\n\u00e4\U0001f600"),
    "tools": document(tools=[{"name": "f", "description": "d", "input_schema": {"type": "object"},
                              "x": 1}, {"name": "g"}], tool_choice={"name": "g", "y": 2}),
    "choice_auto": document(tool_choice="auto"),
    "choice_required": document(tool_choice="required", tools=[]),
    "options": document(options={"max_tokens": 4096, "temperature": 0.1, "top_p": 1.0,
                                 "stop": ["a", "b"], "thinking": {"budget_tokens": 2048, "x": []},
                                 "stream": False, "seed": 7}),
    "stop_string": document(options={"stop": "\n\"\\"}),
    "nulls": document([tool(data=None, output=None, success=None, content_blocks=None,
                            content=None)], system=None, tools=None, options=None),
    "unknown_fields": document([{**user({**TEXT, "cache": {"ttl": "5m"}}), "x": [[], {}]}],
                               **{"": "no name", "y\n\u20ac": -1.5e-7}),
    "citations": document([assistant(block("text", text="t",
                                           citations=[{"url": "u", "start": 0}]))]),
    "opaque": document([user(block("opaque", dialect="d", value=[1], text_fallback="t")),
                        assistant(block("opaque", dialect="", value=None)),
                        tool(content_blocks=[block("opaque", dialect="d", value={"a": "b"})])]),
    "speakers": document([{**user(TEXT), "speaker": name}
                          for name in ("user", "system", "developer", "", None)]),
    "wrong_speaker": document([{**user(TEXT), "speaker": "judge"}]),
    "json": document([user(block("json", value={"a": [1, "2", None, True]}))]),
    "image_path": document([user(block("image", source_path="a.png", media_type="image/png",
                                       width=640, height=480, size_bytes=24312, name="a",
                                       detail="low", text_fallback="a dog", id="i"))]),
    "image_data": document([user(block("image", data="iVBORw0KGgo="))]),
    "image_file_id": document([user(block("image", file_id="f", provider="p", url=""))]),
    "document": document([user(block("document", blob="sha256:00", page_count=9, page_range=[0, 3],
                                     extracted_text="t", size_bytes=5))]),
    "audio": document([user(block("audio", url="https://a/b", duration_ms=1500, transcript="t"))]),
    "video": document([user(block("video", url="gs://b/o", duration_ms=9, width=1, height=2))]),
    "thinking": document([assistant(block("thinking", thinking="t", signature="s", id="i"),
                                    block("thinking", redacted="r", encrypted="e"),
                                    origin={"provider": "p", "model": "m", "x": 1})]),
    "calls": document([user(TEXT), assistant(TEXT, CALL), tool(output="o")]),
    "tool_failed": document([tool(name="f", success=False, error="e", output="")]),
    "tool_full": document([tool(output="o", data={"a": 1}, files_changed=["x"], content_blocks=[
        TEXT, block("json", value=1), block("image", source_path="a")])]),
    "tool_alias": document([tool(content="o"), tool(content=[TEXT])]),
    "spellings": '{"refract":1.0,"messages":[{"role":"user","content":[{"type":"im\\u0061ge",'
                 '"url":"\\ud83d\\ude00\\/","width":10.00,"height":-0}]}],"x":[1E+5,-0.0]}',
    "lone_surrogate": '{"refract":1,"messages":[{"role":"user","content":"\\ud800"}],"\\udc00":1}',
    "wrong_type": document([user(block("imagee"))]),
    "wrong_sources": document([user(block("image", url="u", data="aGk="))]),
    "wrong_arguments": document([assistant({**CALL, "arguments": "{}"})]),
    "wrong_version": '{"refract":2,"messages":[]}',
    "wrong_twice": '{"refract":1,"messages":[],"messages":[]}',
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (FOLDER / (name + ".json")).write_text(text, encoding="utf-8")
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
