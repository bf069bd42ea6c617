#!/usr/bin/env python3
"""Write the conversations that the golden bodies are made from: make_inputs.py [FOLDER]

Thirty of them are a grid: a tool returns a file of each kind, in each of five ways. The others hold
what the grid does not. They name the files of tests/fixtures; what that folder lacks (a second
PDF, files that lie about themselves) is made here. Everything comes out the same on every machine.
"""
import base64
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = "../../fixtures/"

sys.path.insert(0, os.path.join(HERE, ".."))
import media_fixtures  # noqa: E402

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def tool(name, words, argument):
    schema = {"type": "object", "properties": {argument: {"type": "string"}},
              "required": [argument]}
    return {"name": name, "description": words, "input_schema": schema}


READ = tool("read_file", "Read a file of the project.", "path")
FETCH = tool("fetch_page", "Fetch a page of the web.", "url")


def conversation(*messages, **members):
    document = {"refract": 1, "system": "You read files and answer in one sentence.",
                "tools": [READ, FETCH], "options": {"max_tokens": 1024}}
    document.update(members)
    document["messages"] = list(messages)
    return {key: value for key, value in document.items() if value is not None}


def text(words):
    return {"type": "text", "text": words}


def as_json(value):
    return {"type": "json", "value": value}


def user(*blocks):
    return {"role": "user", "content": blocks[0] if isinstance(blocks[0], str) else list(blocks)}


def assistant(*blocks, **members):
    content = blocks[0] if isinstance(blocks[0], str) else list(blocks)
    return {"role": "assistant", **members, "content": content}


def call(number, name="read_file", **members):
    arguments = members.pop("arguments", {"path": f"file {number}"})
    return {"type": "tool_call", "id": f"call_{number}", "name": name, "arguments": arguments,
            **members}


def result(number, output, *blocks, name="read_file", **members):
    message = {"role": "tool", "tool_call_id": f"call_{number}", "name": name, **members}
    if output is not None:
        message["output"] = output
    if blocks:
        message["content_blocks"] = list(blocks)
    return message


def file(kind, path, **members):
    """A block that names a fixture, or with `data=` the bytes themselves."""
    data = members.pop("data", None)
    if data is None:
        return {"type": kind, "source_path": FIXTURES + path, **members}
    return {"type": kind, "data": base64.b64encode(data).decode(), "name": path, **members}


PNG = file("image", "red.png", media_type="image/png", text_fallback="A red square.")
JPEG = file("image", "blue.jpg", media_type="image/jpeg", detail="low")
PDF = file("document", "report.pdf", media_type="application/pdf", page_count=1,
           text_fallback="The quarterly report, one page.")
TXT = file("document", "notes.txt", media_type="text/plain")
CSV = file("document", "data.csv", media_type="text/csv", text_fallback="A table of fruit.")
LETTER = file("document", "letter.docx", media_type=DOCX, text_fallback="A short letter.")
MP3 = file("audio", "tone.mp3", media_type="audio/mpeg", duration_ms=144,
           text_fallback="A tone, a seventh of a second.")
WAV = file("audio", "tone.wav", media_type="audio/wav", transcript="Beep.")
CLIP = file("video", "clip.mp4", media_type="video/mp4", duration_ms=1000, width=8, height=8,
            text_fallback="A blue square for a second.")

# Of each kind two files that differ.
KINDS = {
    "image": (PNG, JPEG),
    "pdf": (PDF, file("document", "minutes.pdf", data=media_fixtures.pdf(b"Minutes of a meeting."),
                      extracted_text="Minutes of a meeting.")),
    "text": (TXT, CSV),
    "docx": (LETTER, file("document", "answer.docx", data=media_fixtures.docx(b"Dear writer."),
                          extracted_text="Dear writer.")),
    "audio": (MP3, WAV),
    "video": (CLIP, file("video", "still.mp4", duration_ms=1000,
                         data=media_fixtures.mp4(media_fixtures.jpeg(29, 255, 105), 8))),
}


def one(kind):
    return conversation(user("What is in the file?"), assistant(call(1)),
                        result(1, "One file.", KINDS[kind][0]))


def several(kind):
    return conversation(user("What is in the files?"), assistant(text("Let me see."), call(1)),
                        result(1, "Two files.", *KINDS[kind]))


def mixed(kind):
    """Text, JSON and media in turn. JSON that is no object has no place of its own on Bedrock."""
    first, second = KINDS[kind]
    value = [1, 2.5, None] if kind in ("text", "audio") else {"rows": [1, 2.5, None]}
    return conversation(
        user("What did you find?"), assistant(call(1)),
        result(1, "Found two files.", text("This is the first:"), first, as_json(value),
               second if kind == "image" else PNG, text("That is all."),
               data={"found": 2, "complete": True}, files_changed=["log.txt"]))


def parallel(kind):
    """Two calls at once; the second tool may be done first."""
    first, second = KINDS[kind]
    results = [result(1, "The first.", first),
               result(2, "", second, name="fetch_page", success=True)]
    if kind in ("pdf", "video"):
        results.reverse()
    return conversation(
        user("Compare them."),
        assistant(text("I need both."), call(1),
                  call(2, "fetch_page", arguments={"url": "https://example.com/"})),
        *results)


def failed(kind):
    return conversation(
        user("What is in the file?"), assistant(call(1)),
        result(1, "Read 12 blocks." if kind in ("image", "text") else "", KINDS[kind][0],
               success=False, error="the disk failed, this is as far as it came"))


GRID = {"one": one, "several": several, "mixed": mixed, "parallel": parallel, "failed": failed}


def user_parts():
    """Every kind in a message of the user."""
    return conversation(
        user(text("Look at all of these:"), PNG, file("image", "white.webp"), PDF, TXT, CSV,
             file("document", "data.json"), LETTER, MP3, WAV, CLIP, as_json({"page": 3}),
             text("What have they in common?")))


def thought(provider, model, question, *thoughts, **members):
    """A question and its answer, thought about by one model."""
    return [user(question), assistant(*thoughts, text(f"{question[:-1]}: yes."), **members,
                                      origin={"provider": provider, "model": model})]


THINK = {"max_tokens": 4096, "thinking": {"budget_tokens": 2048}}


def thinking():
    """Each model gets back its own thoughts, and nobody else's."""
    def words(said, **members):
        return {"type": "thinking", "thinking": said, **members}

    claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    scout = "meta-llama/llama-4-scout-17b-16e-instruct"
    mark = base64.b64encode(b"a mark of gemini-3-pro-preview").decode()
    turns = [
        *thought("anthropic", "claude-sonnet-4-5-20250929", "Is it red?",
                 words("Red is what it is.", signature="c2lnbmVkIGJ5IGFudGhyb3BpYw=="),
                 {"type": "thinking", "redacted": "cmVkYWN0ZWQgYnkgYW50aHJvcGlj"}),
        *thought("anthropic", "claude-opus-4-1", "Is it dark red?",
                 words("Another model thought this.", signature="c2lnbmVkIGJ5IG9wdXM=")),
        *thought("bedrock", claude, "Is it green?",
                 words("Green is what it is.", signature="c2lnbmVkIGJ5IGJlZHJvY2s="),
                 {"type": "thinking", "redacted": "cmVkYWN0ZWQgYnkgYmVkcm9jaw=="}),
        *thought("openai", "gpt-5-mini", "Is it blue?",
                 words("Blue is what it is.", id="rs_1", encrypted="gAAAA-openai")),
        *thought("xai", "grok-4", "Is it pink?",
                 words("Pink is what it is.", id="rs_2", encrypted="gAAAA-xai")),
        *thought("xai-chat", "grok-4", "Is it grey?", words("Grey is what it is.")),
        *thought("groq", scout, "Is it black?", words("Black is what it is.")),
        *thought("openrouter", "anthropic/claude-sonnet-4.5", "Is it white?",
                 words("White is what it is.", signature="c2lnbmVkIGJ5IG9wZW5yb3V0ZXI="),
                 {"type": "thinking", "encrypted": "b3BlbnJvdXRlcg==", "id": "r-2"}),
        *thought("litellm", "claude-sonnet-4-5", "Is it brown?",
                 words("Brown is what it is.", signature="c2lnbmVkIGJ5IGxpdGVsbG0=")),
        *thought("mistral", "mistral-medium-latest", "Is it gold?", words("Gold is what it is.")),
        *thought("ollama", "llama3.2", "Is it teal?", words("Teal is what it is.")),
        user("Is it lilac? Look it up."),
        assistant(words("Lilac, I think.", signature=mark), call(1, signature=mark),
                  call(2, "fetch_page", arguments={"url": "https://example.com/"}),
                  origin={"provider": "google", "model": "gemini-3-pro-preview"}),
        result(1, "Lilac it is."), result(2, "No page.", name="fetch_page", success=False),
        assistant("Yes.", origin={"provider": "google", "model": "gemini-3-pro-preview"}),
        user("Is it orange? Look it up."),
        assistant(words("I shall look it up.", id="rs_3", encrypted="gAAAA-openai-too",
                        signature="c2lnbmVkIHRvbw=="), call(3),
                  origin={"provider": "openai", "model": "gpt-5-mini"}),
        result(3, "Orange it is.", JPEG),
        assistant("Yes.", origin={"provider": "openai", "model": "gpt-5-mini"}),
        user("Which colour is it, then?"),
    ]
    return conversation(*turns, options=THINK)


CALLED_THERE = {"type": "reasoning.server_tool_call", "tool_name": "openrouter:fusion",
                "arguments": "{}", "result": "A shade of gold."}


def thinking_received():
    """Thoughts go back in the member of the message that they came in."""
    router, claude = "openrouter", "anthropic/claude-sonnet-4.5"
    listed = {"type": "thinking", "field": "reasoning_details"}
    return conversation(
        *thought("litellm", "gpt-4o", "Is it red?", {
            "type": "thinking", "thinking": "Red.", "field": "reasoning_content"}),
        *thought("litellm", "gpt-4o", "Is it green?", {
            "type": "thinking", "thinking": "Green.", "signature": "c2lnbmVk",
            "field": "thinking_blocks"}),
        *thought(router, claude, "Is it blue?",
                 {"type": "thinking", "thinking": "Blue.", "field": "reasoning"},
                 {**listed, "encrypted": "c2VhbGVk", "id": "r-1", "extra": {"index": 0}}),
        *thought(router, claude, "Is it gold?",
                 {**listed, "thinking": "Gold.", "signature": "c2lnbmVk",
                  "extra": {"format": "anthropic-claude-v1", "index": 0}},
                 {"type": "opaque", "dialect": "openai-chat", "value": CALLED_THERE}),
        user("Thanks."))


def thinking_mid_turn():
    """One model's call is answered; only that model can go on thinking."""
    return conversation(
        user("Is it red?"),
        assistant({"type": "thinking", "thinking": "I shall look.", "signature": "c2lnbmVk"},
                  text("Let me see."), call(1),
                  origin={"provider": "anthropic", "model": "claude-sonnet-4-5"}),
        result(1, "Here it is.", PNG), tool_choice="required", options=THINK)


CITY = {"type": "object", "required": ["city", "people"], "properties": {
    "city": {"type": "string", "minLength": 1}, "people": {"type": "integer", "minimum": 0},
    "mayor": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]}},
    "$defs": {"person": {"type": "object", "additionalProperties": False,
                         "required": ["name"], "properties": {"name": {"const": "Ada"}}}}}


def options():
    """All that can be asked of an answer, without tools: how much thinking, and a schema."""
    return conversation(user("Which city is largest?"), tools=None, options={
        "max_tokens": 9000, "temperature": 0.5, "top_p": 0.9, "stop": ["END", "STOP"],
        "thinking": {"level": "medium"}, "schema": CITY})


def options_off():
    """No thinking, and a schema beside tools."""
    return conversation(user("Which city is largest?"), options={
        "thinking": {"off": True}, "schema": CITY})


def tool_choice():
    """A tool that must be called, under a name that is legal nowhere."""
    odd = tool("files.read all!", "Read all files.", "path")
    return conversation(
        user("Read it again."), assistant(call(1, "files.read all!")),
        result(1, "Nothing new.", name="files.read all!"), assistant("Nothing new."),
        user("Again."),
        tools=[READ, odd], tool_choice={"name": "files.read all!"})


def tool_choice_words(choice):
    return conversation(user("Read it."), tool_choice=choice)


def no_tools():
    """The tools of the history are gone."""
    return conversation(
        user("What is in the files?"),
        assistant(call(1), call(2, "fetch_page", arguments={"url": "https://example.com/"})),
        result(1, "One file.", PNG), result(2, "A page.", name="fetch_page"),
        assistant("A red square."), user("And now?"), tools=None, tool_choice="auto")


def orphans():
    """A result without a call, calls without a result, one id twice, and a result too late."""
    return conversation(
        result(9, "From before the beginning.", PNG),
        user("What is in the files?"),
        assistant(text("I read three."), call(1), call(1), call("c:3/#")),
        result(1, "The first."), result(1, "The second.", JPEG), result(1, "One too many."),
        result(8, "Nobody asked.", PDF, success=False, error="and it failed"),
        result(7, "Nobody asked for this either.", success=False), result(6, None),
        assistant(call(4)),
        user("Never mind."),
        assistant("As you like."),
        result(4, "Too late."),
        user("What did they say?"))


def remote(kind, where, **members):
    return {"type": kind, "url": where, **members}


def urls():
    """Files that are somewhere else."""
    def uploaded(kind, provider, file_id, **members):
        return {"type": kind, "file_id": file_id, "provider": provider, **members}

    elsewhere = [
        remote("image", "https://example.com/red.png?size=8"),
        remote("image", "https://example.com/picture", text_fallback="Some picture."),
        remote("document", "https://example.com/report.pdf", page_count=2),
        remote("document", "https://example.com/notes.txt", media_type="text/plain"),
        remote("video", "https://example.com/clip.mp4", duration_ms=60000),
        remote("image", "gs://bucket/blue.jpg", media_type="image/jpeg"),
        remote("document", "gs://bucket/report.pdf"),
        remote("image", "s3://bucket/red.png"),
        remote("image", "s3://bucket/picture"),
        remote("document", "s3://bucket/report.pdf", text_fallback="A report."),
        remote("video", "s3://bucket/clip.mp4"),
        uploaded("image", "anthropic", "file_011", media_type="image/png"),
        uploaded("document", "anthropic", "file_012", media_type="application/pdf"),
        uploaded("image", "openai", "file-021", media_type="image/png"),
        uploaded("document", "openai", "file-022", name="plan.pdf"),
        uploaded("document", "openai-chat", "file-031", media_type="application/pdf"),
        uploaded("document", "google", "files/041", media_type="application/pdf"),
        uploaded("document", "xai", "file-051", media_type="application/pdf"),
    ]
    return conversation(user(text("Look:"), *elsewhere), assistant(call(1)),
                        result(1, "The same files:", *elsewhere))


RED = base64.b64encode(media_fixtures.png(8, (255, 0, 0))).decode()
RED_URL = "data:image/png;base64," + RED


def hidden_base64():
    """Files as base64 where text should be."""
    page = base64.b64encode(media_fixtures.pdf(b"Minutes of a meeting.")).decode()
    beep = base64.b64encode(media_fixtures.wav(80)).decode()
    return conversation(
        user("What do they show?"), assistant(call(1), call(2), call(3)),
        result(1, RED_URL),
        result(2, "A screenshot.", as_json({"name": "screen", "picture": {"base64": RED}}),
               data=[{"page": "data:application/pdf;base64," + page}, "short"]),
        result(3, json.dumps({"status": "done", "image": RED_URL}),
               text(f"![red]({RED_URL})\n![beep](data:audio/wav;base64,{beep})\nThat is all."),
               as_json({"markdown": f"before ![red]({RED_URL}) behind"})))


def hidden_base64_elsewhere():
    """The same in what a user says and in what a tool says when it failed."""
    return conversation(
        user(text(f"This is it: {RED_URL} and it is red."), as_json({"picture": RED})),
        assistant(call(1)),
        result(1, RED, success=False, error=f"could not draw {RED_URL} again"))


def lying():
    """Files that are not what they say."""
    return conversation(
        user(text("What is wrong with these?"),
             {"type": "image", "source_path": "files/page.png", "media_type": "image/png"}),
        assistant(call(1)),
        result(1, "Seven files.",
               {"type": "image", "source_path": "files/photo.jpg", "media_type": "image/jpeg"},
               {"type": "image", "source_path": "files/page.png", "media_type": "image/png",
                "text_fallback": "A page that was saved as a picture."},
               {"type": "image", "source_path": "files/empty.png", "media_type": "image/png"},
               {"type": "document", "source_path": "files/missing.pdf",
                "text_fallback": "The report of last year."},
               {"type": "document", "source_path": FIXTURES + "red.png"},
               {"type": "image", "data": "bm8gaW1hZ2U", "name": "odd\"name\n[TOOL x].png"},
               {"type": "document", "source_path": FIXTURES + "notes.txt",
                "media_type": "application/pdf", "name": "notes.pdf"}))


LYING_FILES = {
    "photo.jpg": media_fixtures.png(8, (255, 0, 0)),
    "page.png": b"<!DOCTYPE html>\n<html><title>Not found</title><p>Not found.</html>\n",
    "empty.png": b"",
}


def gif_bmp():
    gif, bmp = file("image", "green.gif"), file("image", "pixel.bmp", text_fallback="One pixel.")
    return conversation(user(text("Look:"), gif, bmp), assistant(call(1)),
                        result(1, "The same:", gif, bmp))


def user_after_tools():
    """What the user adds while the tools run stands behind everything that they return."""
    return conversation(
        user("Compare it."), assistant(call(1)), result(1, "One file.", PNG),
        user(text("And compare it with this:"), PDF), user("Be brief."))


def system_only():
    return {"refract": 1, "system": "Say hello in French.", "messages": []}


def plain():
    """No files at all; an answer comes first, results are empty or none but white space."""
    return conversation(
        assistant("Hello."), user("Hi."), user("Read a and b."),
        assistant(text("Reading."), text(" "), call(1), call(2, arguments={})),
        result(1, None), result(2, " \n", success=False),
        assistant(text("a is empty."), text("b failed.")), user("\u201eThanks\u201c \U0001f600"))


def call_first():
    """The beginning of the conversation was cut off."""
    return conversation(assistant(call(1)), result(1, "One file.", PNG), assistant("It is red."),
                        assistant(text("I look again."), call(2)), result(2, "Another.", JPEG))


def stream():
    return conversation(user("Tell me."),
                        options={"max_tokens": 100, "stop": ["END"], "stream": True})


def documents():
    """Every conversation by name."""
    all_of_them = {f"{kind}-{case}": make(kind) for kind in KINDS for case, make in GRID.items()}
    for make in (user_parts, thinking, thinking_received, thinking_mid_turn, options, options_off,
                 tool_choice, no_tools, orphans, urls, hidden_base64, hidden_base64_elsewhere,
                 lying, gif_bmp, user_after_tools, plain, system_only, call_first, stream):
        all_of_them[make.__name__.replace("_", "-")] = make()
    for choice in ("none", "required"):
        all_of_them[f"tool-choice-{choice}"] = tool_choice_words(choice)
    return all_of_them


def files():
    """What belongs into the folder: name to bytes."""
    written = {f"{name}.json": json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"
               for name, document in documents().items()}
    written.update({f"files/{name}": data for name, data in LYING_FILES.items()})
    return written


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "in")
    os.makedirs(os.path.join(folder, "files"), exist_ok=True)
    for name, data in files().items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
