#!/usr/bin/env python3
"""Write the seeds of fuzz_plan: small conversations, one idea each, with one model each.

The first byte of a seed chooses the model (its letter counts from "K", 26 of them), the second is
a digit, a sum: 1 for strict mode, 2 for streaming, 4 for imported from the model's own API. They go to corpus/plan/ beside this file,
under their own names; other files there, the inputs of past bugs, are kept."""
import base64
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "plan"
sys.path.insert(0, str(HERE.parent / "tests"))
from media_fixtures import files  # noqa: E402

MODELS = ["claude", "claude-2", "bedrock-claude", "nova", "llama", "pixtral", "writer", "bedrock",
          "gemini-3", "gemini-2", "vertex", "openai", "o3-mini", "chat", "chat-audio", "xai",
          "xai-chat", "groq", "openrouter", "mistral", "ollama", "ollama-text", "litellm-claude",
          "litellm-gemini", "compatible", "cohere"]
FILES = {name: base64.b64encode(data).decode() for name, data in files().items()}
PNG = FILES["red.png"]
PNG_URL = "data:image/png;base64," + PNG


def seed(model, messages, mode="0", **fields):
    text = json.dumps({"refract": 1, **fields, "messages": messages}, ensure_ascii=False,
                      separators=(",", ":"))
    return (chr(75 + MODELS.index(model)) + mode + text).encode()


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks, **fields):
    return {"role": "assistant", **fields, "content": list(blocks)}


def tool(call="c1", *blocks, **fields):
    return {"role": "tool", "tool_call_id": call, **fields, "content_blocks": list(blocks)}


def text(words):
    return {"type": "text", "text": words}


def call(identity="c1", name="look", **fields):
    return {"type": "tool_call", "id": identity, "name": name, "arguments": {"path": "a"}, **fields}


def media(kind, file=None, **fields):
    source = {"data": FILES[file]} if file else {}
    return {"type": kind, **source, **fields}


def asked(*results, calls=(call(),)):
    return [user(text("look")), assistant(*calls), *results]


IMAGE = media("image", "red.png")
PDF = media("document", "report.pdf", name="report.pdf")
NOTES = media("document", "notes.txt", name="notes.txt")
CSV = media("document", "data.csv", name="data.csv", media_type="text/csv")
WAV = media("audio", "tone.wav")
TWO = (call("c1"), call("c2"))
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s", "id": "r1", "encrypted": "e"}
TOOL = {"name": "look", "description": "d", "input_schema": {"type": "object"}}


def thought(model, provider, name):
    """A thought that goes back to where it came from, and the wish for another."""
    said = assistant(THOUGHT, {"type": "thinking", "redacted": "r"}, text("so"), call(), origin={
        "provider": provider, "model": name})
    return seed(model, [user(text("a")), said, tool("c1")], mode="2",
                options={"thinking": {"budget_tokens": 5000}, "top_p": 0.5})


def odd(dialect, value=None, **fields):
    return {"type": "opaque", "dialect": dialect, "value": value or {"type": "x"}, **fields}


def says(speaker, words):
    return {"role": "user", "speaker": speaker, "content": [text(words)]}


SEEDS = {
    "text": seed("claude", [user(text("hi")), assistant(text("ho")), user(text("again"))]),
    "nothing": seed("chat", [user(text(" "))]),
    "begins_with_an_answer": seed("bedrock", [assistant(text("ho")), assistant(text("ho"))]),
    "picture_of_a_user": seed("openrouter", [user(text("a"), IMAGE, text("b"))]),
    "only_a_document": seed("bedrock", [user(PDF)]),
    "picture_inside": seed("claude", asked(tool("c1", text("here"), IMAGE), calls=(call(),))),
    "picture_injected": seed("chat", asked(tool("c1", IMAGE, output="out"))),
    "picture_behind_an_answer": seed("cohere", asked(tool("c1", media("image", "red.png"), {
        "type": "json", "value": {"a": 1}}))),
    "documents_of_a_request": seed("cohere", [user(text("hi"), {"type": "opaque", "dialect": "cohere", "value": {
        "documents": ["d"]}})], "4"),
    "picture_separated": seed("mistral", asked(tool("c1", media("image", "blue.jpg"), WAV))),
    "picture_beside": seed("bedrock-claude", asked(tool("c1", IMAGE, success=False, error="bad"))),
    "failed_with_picture": seed("claude", asked(tool("c1", IMAGE, NOTES, success=False))),
    "failed_and_silent": seed("ollama", asked(tool("c1", success=False))),
    "pdf_beside": seed("bedrock-claude", asked(tool("c1", PDF))),
    "pdf_nova": seed("nova", asked(tool("c1", PDF, CSV))),
    "pdf_llama": seed("llama", asked(tool("c1", PDF, IMAGE), user(text("and?")))),
    "pdf_as_note": seed("groq", asked(tool("c1", {**PDF, "extracted_text": "Hello",
                                                  "page_count": 2}))),
    "pdf_by_reference": seed("xai", asked(tool("c1", PDF), user({"type": "document",
                                                             "url": "https://a/b.pdf?x#y"}))),
    "office": seed("pixtral", asked(tool("c1", media("document", "letter.docx")))),
    "office_note": seed("gemini-3", [user(media("document", "letter.docx",
                                                text_fallback="a letter"))]),
    "text_file": seed("chat", asked(tool("c1", NOTES, CSV))),
    "text_document": seed("claude", asked(tool("c1", NOTES, CSV, media("document", "data.json")))),
    "text_file_with_picture": seed("openai", asked(tool("c1", {
        "type": "document", "data": base64.b64encode(b"a " + PNG_URL.encode() + b" b").decode()}))),
    "sound": seed("chat-audio", asked(tool("c1", WAV, media("audio", "tone.mp3")))),
    "sound_inside": seed("ollama", asked(tool("c1", WAV, IMAGE, output="o"))),
    "sound_of_a_film": seed("gemini-2", [user(media("audio", "clip.mp4"))]),
    "transcript": seed("claude", [user({**WAV, "transcript": "la la", "duration_ms": 500})]),
    "film": seed("nova", asked(tool("c1", media("video", "clip.mp4", duration_ms=1000)))),
    "gif_and_webp": seed("gemini-3", asked(tool("c1", media("image", "green.gif"),
                                                media("image", "white.webp")))),
    "bmp": seed("openai", [user(media("image", "pixel.bmp", text_fallback="a pixel"))]),
    "wrong_type": seed("writer", asked(tool("c1", media("image", "report.pdf"),
                                            media("document", "red.png")))),
    "broken_base64": seed("vertex", [user(media("image", data="iVBORw0KGgo*"),
                                          media("image", data="AAAA"))]),
    "base64_as_people_write_it": seed("claude", [user(media("image", data=PNG[:40] + "\n " + PNG[
        40:].replace("+", "-").replace("/", "_").rstrip("=")))]),
    "data_url_as_url": seed("xai-chat", [user(media("image", url=PNG_URL, detail="low"))]),
    "paths": seed("compatible", [user(media("image", source_path="a.png"),
                                      media("document", source_path="/etc/passwd", name="p"))]),
    "blob": seed("o3-mini", [user(media("image", blob="sha256:00"))]),
    "urls": seed("vertex", asked(tool("c1", media("image", url="gs://b/o.png"),
                                      media("image", url="https://a/b")))),
    "s3": seed("bedrock", [user(media("image", url="s3://b/o.png"),
                                media("image", url="s3://b/o"))]),
    "file_ids": seed("gemini-2", [user(media("document", file_id="abc", provider="google"),
                                       media("image", file_id="f", provider="openai"))]),
    "file_id_inside": seed("openai", asked(tool("c1", media("image", file_id="f",
                                                            provider="openai")))),
    "data_url_in_output": seed("claude", asked(tool("c1", output="see " + PNG_URL + " there"))),
    "base64_as_output": seed("chat", asked(tool("c1", output=PNG))),
    "base64_in_error": seed("gemini-3", asked(tool("c1", success=False, error="no: " + PNG_URL))),
    "base64_in_data": seed("bedrock-claude", asked(tool("c1", data={"shot": PNG, "n": [1]}))),
    "base64_in_json_text": seed("ollama-text", asked(tool("c1", output=json.dumps({"shot": PNG})))),
    "data_url_in_json": seed("mistral", asked(tool("c1", {"type": "json", "value": {
        "html": "<img src='" + PNG_URL + "'>"}}))),
    "base64_of_a_user": seed("litellm-gemini", [user(text("what is " + PNG_URL + "?"))]),
    "data_in_gemini": seed("gemini-3", asked(tool("c1", IMAGE, data=[1, {"a": None}], output="o"))),
    "two_calls": seed("gemini-2", asked(tool("c2", IMAGE), tool("c1"), calls=TWO)),
    "lost_result": seed("openai", asked(tool("c2", IMAGE), calls=TWO)),
    "results_without_calls": seed("litellm-claude", [tool("c9", IMAGE, name="x"), *asked(tool("c1"),
                                                                            tool("c1", IMAGE))]),
    "late_result": seed("writer", [*asked(), user(text("and?")), tool("c1", PDF, output="late")]),
    "same_ids": seed("mistral", asked(tool("c1"), tool("c1"), calls=(call(), call(), call("")))),
    "ids_and_names": seed("claude", asked(tool("ä b", name="9 x"), calls=(call("ä b", "9 x"),)),
                          tools=[TOOL, {"name": "9 x"}, {"name": "9_x"}]),
    "thinking": seed("claude", [user(text("a")), assistant(THOUGHT, call(), origin={
        "provider": "anthropic", "model": "claude-sonnet-4-5-20250929"}), tool("c1")],
        mode="2", tools=[TOOL], tool_choice={"name": "look"}, options={
            "max_tokens": 9000, "temperature": 0.5, "stop": "x",
            "thinking": {"budget_tokens": 2048}}),
    "thinking_in_chat": thought("xai-chat", "xai-chat", "grok-3-mini"),
    "thinking_as_details": thought("openrouter", "openrouter", "google/gemini-3-pro"),
    "thinking_as_blocks": thought("litellm-claude", "litellm", "claude-sonnet-4-5"),
    "picture_of_an_assistant": seed("openai", [assistant(text("x"), IMAGE,
                                                         {"type": "json", "value": 1})]),
    "speakers": seed("openai", [user(text("a")), says("system", "b"), says("developer", "c"),
                                *asked(says("system", "d"), tool("c1"))], system="s"),
    "speakers_of_chat": seed("chat", [says("developer", "a"), user(text("b")), says("system", "c")]),
    "speakers_elsewhere": seed("mistral", [user(text("a")), says("system", "b"), user(text("c"))]),
    "speakers_at_home": seed("claude", [assistant(text("a")), user(text("b")), says("system", "c"),
                                        says("system", "d"), user(text("e"))], mode="4"),
    "opaque_at_home": seed("claude", asked(tool("c1", odd("anthropic")), user(
        text("a"), odd("anthropic", {"type": "image", "source": {"data": PNG}})))),
    "opaque_items": seed("openai", [user(odd("openai-responses", {
        "type": "function_call_output", "call_id": "c9", "output": "o"}), text("a"),
        odd("openai-responses", {"type": "input_image"}))]),
    "opaque_in_gemini": seed("gemini-3", asked(tool("c1", odd("gemini"), output="o"),
                                               user(odd("gemini", 7))), mode="4"),
    "opaque_in_ollama": seed("ollama", [user(odd("ollama", 7), IMAGE)]),
    "opaque_elsewhere": seed("groq", asked(tool("c1", odd("anthropic", {"image": PNG})), user(odd(
        "anthropic", text_fallback="t")), assistant(odd("anthropic"), odd(
            "gemini", text_fallback="u")))),
    "opaque_with_base64_to_say": seed("bedrock", [user(odd("anthropic", text_fallback=PNG_URL))]),
    "opaque_alone": seed("llama", [user(odd("anthropic", text_fallback=" ")), user(odd("gemini"))]),
    "strict_fits": seed("claude", asked(tool("c1", IMAGE, PDF, NOTES)), mode="1"),
    "strict_does_not_fit": seed("groq", asked(tool("c1", PDF)), mode="1"),
    "strict_lifted": seed("ollama-text", asked(tool("c1", output="a " + PNG_URL)), mode="3"),
    "options": seed("bedrock-claude", [user(text("a"))], system="Be brief.", tools=[TOOL],
                    tool_choice="required"),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (FOLDER / name).write_bytes(data)
    print(len(SEEDS), "seeds in", FOLDER.name, "up to", max(map(len, SEEDS.values())), "bytes")


if __name__ == "__main__":
    main()
