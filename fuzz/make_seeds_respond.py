#!/usr/bin/env python3
"""Sequences of events, and messages, as seeds for fuzz_respond."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "respond"
MODELS = ["anthropic", "bedrock", "google", "openai", "openai-chat", "mistral", "ollama", "cohere"]
TYPES = ["begin", "start", "text", "thinking", "arguments", "signature", "citation", "media", "end", "usage",
         "stop", "error", "done"]
KINDS = [None, "text", "thinking", "tool_call", "image", "document", "audio", "video", "opaque", "json", "other"]
OWN, MESSAGE, NAMED, CARRIES = 64, 128, 16, 32
CITATION = '{"url":"http://a.example","title":"t","start":0,"end":1}'


def text(words):
    return bytes([len(words.encode())]) + words.encode()


def event(kind_of_event, block=0, kind=None, words="", names=None, carries=None, number=None):
    what = TYPES.index(kind_of_event) | (NAMED if names else 0) | (CARRIES if carries else 0)
    which = block | KINDS.index(kind) << 2 if number is None else number
    return (bytes([what, which]) + text(words) + b"".join(text(n) for n in names or ())
            + (text(json.dumps(carries)) if carries else b""))


def message(*blocks, **rest):
    return {"role": "assistant", "content": list(blocks), **rest}


CALL = {"type": "tool_call", "id": "c", "name": "f", "arguments": {}}
SEQUENCES = {
    "plain": [event("begin", names=("r1", "m", "")),
              event("start", 0, "thinking"), event("thinking", 0, "thinking", "hm"),
              event("signature", 0, "thinking", "c2ln"), event("end", 0, "thinking"),
              event("text", 1, "text", "hi"), event("citation", 1, "text", CITATION), event("end", 1, "text"),
              event("start", 2, "tool_call", names=("c1", "f", "")),
              event("arguments", 2, "tool_call", '{"a":'), event("arguments", 2, "tool_call", "1}"),
              event("end", 2, "tool_call"), event("stop", number=2), event("usage", number=7)],
    "interleaved": [event("start", 0, "tool_call", names=("c1", "f", "")),
                    event("start", 1, "tool_call", names=("c2", "g", "")),
                    event("arguments", 1, "tool_call", "{}"), event("text", 2, "text", "a"),
                    event("thinking", 3, "thinking", "b"), event("text", 2, "text", "c"),
                    event("signature", 3, "thinking", "c2ln"), event("arguments", 0, "tool_call", "{")],
    "files": [event("media", 0, "image", "iVBORw0KGgo=", names=("", "image/png", "")),
              event("end", 0, "image"),
              event("media", 1, "audio", "", names=("", "audio/wav", "http://a.example/b.wav")),
              event("text", 1, "audio", "said"), event("end", 1, "audio")],
    "odd": [event("end", 0, "text"), event("text", 0, None, "late"), event("text", 1, "other", "x"),
            event("start", 2, "opaque"), event("done"), event("text", 0, "text", "never")],
    "late": [event("signature", 0, "tool_call", "c2ln"), event("start", 0, "tool_call", names=("c", "f", "")),
             event("thinking", 1, "thinking", "a"), event("text", 2, "text", "b"),
             event("signature", 1, "thinking", "c2ln"), event("end", 1, "thinking")],
    "failed": [event("text", 0, "text", "so f"), event("error", number=3, words="slow down")],
    "refused": [event("error", number=4, words="busy", names=("overloaded", "", ""))],
    "told": [event("start", 0, "tool_call", carries=message(CALL)), event("end", 0, "tool_call"),
             event("done", carries=message(CALL, usage={"input_tokens": 3}))],
}
REPLY = message({"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "hi", "citations": [{"source": "s", "text": "t"}]}, CALL,
                {"type": "image", "media_type": "image/png", "data": "iVBORw0KGgo="},
                origin={"provider": "anthropic", "model": "m"}, stop_reason="tool_calls",
                usage={"input_tokens": 3, "output_tokens": 2, "reasoning_tokens": 1}, id="r", model="m",
                extra={"container": {"id": "c"}})


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(MODELS):
        for at, (label, events) in enumerate(SEQUENCES.items()):
            own = OWN if (number + at) % 2 else 0
            (FOLDER / f"{name}_{label}").write_bytes(bytes([number | own]) + b"".join(events))
        (FOLDER / f"{name}_message").write_bytes(bytes([number | MESSAGE]) + json.dumps(REPLY).encode())


main()
