#!/usr/bin/env python3
"""End to end: what is delivered. A question through `refract ask`, over HTTP to `refract sim` as each of the
providers, which calls tools and says what it was given.

    e2e.py PATH-OF-REFRACT [PATTERN]

Prints a line a case that failed, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import concurrent.futures
import json
import os
import re
import socket
import sys
import tempfile
import time
import traceback

from living import (CASES, FIXTURES, Living, Simulator, case, expect, given, line_of, noise, picture, rows,
                    short_hash)

# Every endpoint, and how it is given what a tool returns: a picture, a PDF, a Word file, sound and video. As
# MATRIX.md says, of which "other documents" of Gemini are text: it refuses Word files.
#
#     I inside the result    A after the results    t as words
#     i, a the same, and something was made of it: pages or frames as pictures
FILES = ("red.png", "report.pdf", "letter.docx", "tone.wav", "clip.mp4")
ENDPOINTS = (
    ("anthropic:claude-sonnet-4-5", "IItti"),
    ("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", "IAAti"),
    ("bedrock:us.amazon.nova-2-lite-v1:0", "IAAtI"),
    ("bedrock:us.meta.llama4-scout-17b-instruct-v1:0", "IIItA"),
    ("bedrock:us.mistral.pixtral-large-2502-v1:0", "AIItA"),
    ("bedrock:us.writer.palmyra-x5-v1:0", "AIIta"),
    ("bedrock:qwen.qwen3-vl-235b-a22b", "AAAtA"),
    ("google:gemini-3-pro-preview", "IItAA"),
    ("google:gemini-2.5-flash", "AAtAA"),
    ("vertex:gemini-3-pro-preview", "IItAA"),
    ("vertex:gemini-2.5-flash", "AAtAA"),
    ("openai:gpt-5-mini", "IIIti"),
    ("openai:gpt-4o", "IIIti"),
    ("openai-chat:gpt-4o", "AAtta"),
    ("openai-chat:gpt-4o-audio-preview", "tttAt"),
    ("xai:grok-4", "Iitti"),
    ("xai-chat:grok-4", "Aatta"),
    ("groq:meta-llama/llama-4-scout-17b-16e-instruct", "Aatta"),
    ("groq:llama-3.3-70b-versatile", "ttttt"),
    ("openrouter:anthropic/claude-sonnet-4.5", "AAtAA"),
    ("mistral:mistral-medium-latest", "IItti"),
    ("cohere:command-a-vision-07-2025", "Aatta"),
    ("cohere:command-a-03-2025", "ttttt"),
    ("ollama:mistral-small3.2", "Iitti"),
    ("ollama:llama3.2", "ttttt"),
    ("litellm:claude-sonnet-4-5", "IItti"),
    ("litellm:gemini/gemini-3-pro-preview", "IItAA"),
    ("litellm:gpt-4o", "AAtta"),
    ("litellm:mistral/mistral-large-latest", "Aatta"),
    ("openai-compatible:some-model", "Aatta"),
    ("offline", "IItti"),
)
HASHES = {name: short_hash((FIXTURES / name).read_bytes()) for name in FILES}
MADE = {"report.pdf": '[Page 1 of 1 of "report.pdf" as a picture]', "clip.mp4": '[Frame at 0:00 of "clip.mp4"]'}
WORDS = {"letter.docx": "Dear reader, this letter is short.", "report.pdf": "Quarterly report: all is well."}


def tool_for(name):
    return "view_image" if name.endswith(".png") else "read_file"


def check_one(done, name, how, tool):
    """The file went so, says the model; and so does the line for the person."""
    mark, line = line_of(done, name)
    is_made = how in "ia"
    files = [f for f in given(done.out)[0] if (f["hash"] == HASHES[name]) != is_made]
    if how == "t":
        words = WORDS.get(name, f'"{name}"')
        expect(HASHES[name] not in done.out, f"{name} was sent: {done.out}")
        expect(words in done.out.replace("\\", "") and "was not sent" in done.out, f"no words for {name}: {done.out}")
        expect(mark == ("!" if name in WORDS else "x") and "takes no" in line, f"the line is wrong: {line}")
        return
    expect(files, f"{name} did not get there: {done.out}")
    lossy = is_made and name == "clip.mp4"
    expect(mark == ("!" if lossy else "+") and ("->" in line) == is_made, f"the line is wrong: {line}")
    expect(("; lost: all but 1 frame" in line) == lossy, f"the line is wrong: {line}")
    expect(not is_made or MADE[name] in done.out, f"nobody says what was made of {name}: {done.out}")
    inside = [f["tool"] for f in files]
    expect(inside.count(tool if how in "Ii" else None) >= 1, f"{name} went elsewhere: {done.out}")


def as_user(how):
    """Where it goes when it is attached: all kinds that go by any way go as themselves."""
    return {"I": "A", "i": "a"}.get(how, how)


@rows("one file", [(f"{model} {name}", model, name, how)
                   for model, row in ENDPOINTS for name, how in zip(FILES, row)])
def _(t, _, model, name, how):
    t.fixture(name)
    streamed = t.ask(model, "--no-save", f"What is in @{name}?")
    whole = t.ask(model, "--no-save", "--no-stream", f"What is in @{name}?")
    attached = t.ask(model, "--no-save", "--no-tools", "-a", name, "What is this?")
    expect(streamed.out == whole.out, f"streamed: {streamed.out}whole: {whole.out}")
    for done in (streamed, whole):
        check_one(done, name, how, tool_for(name))
        expect(f"\n> {tool_for(name)} {name} ... " in done.err, f"no line for the call: {done.err}")
    check_one(attached, name, as_user(how), None)


@rows("five files at once", ENDPOINTS)
def _(t, model, row):
    for name in FILES:
        t.fixture(name)
    done = t.ask(model, "What is in " + ", ".join("@" + name for name in FILES) + "?")
    for name, how in zip(FILES, row):
        check_one(done, name, how, tool_for(name))
    messages = t.good("sessions", "show", "last", "--json").json()["messages"]
    calls = [b for m in messages if m["role"] == "assistant" and isinstance(m["content"], list)
             for b in m["content"] if b["type"] == "tool_call"]
    results = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    paths = [next(iter(c["arguments"].values())) for c in calls]
    expect(paths == list(FILES), f"calls: {paths}")
    expect(results == [c["id"] for c in calls], f"{results} are not in the order of the calls")


MEETING = """
import pathlib, sys, time
me, other, answer = sys.argv[1:]
pathlib.Path(me).touch()
until = time.time() + 250
while not pathlib.Path(other).exists() and time.time() < until:
    time.sleep(0.01)
time.sleep(0.3 if answer == "first" else 0)
print(answer if pathlib.Path(other).exists() else "nobody came")
"""


@case("calls run at the same time, and their results are in the order of the calls")
def _(t):
    tool = t.write("meet.py", MEETING)
    t.configure("tools:\n" + "".join(
        f"  {name}: {{description: Waits., allow: true, command: [python3, {tool}, {name}, {other}, {name}]}}\n"
        for name, other in (("first", "second"), ("second", "first"))))
    script = ("- when: {results: 0}\n  calls:\n"
              "    - {name: first, arguments: {}}\n    - {name: second, arguments: {}}\n")
    with t.simulator(script):
        done = t.ask("anthropic:claude-sonnet-4-5", "Go.")
    results = re.findall(r'the text "([^"]*)" inside the result of (\w+) (\w+)', done.out)
    expect(results == [("first", "first", "call00001"), ("second", "second", "call00002")], done.out)


@rows("an answer that misses its schema is asked for again after calls", [
    (model,) for model, _ in ENDPOINTS if model != "offline"])
def _(t, model):
    t.write("notes.txt", "Ulm\n")
    script = ("- {when: {results: 0}, calls: [{name: read_file, arguments: {path: notes.txt}}]}\n"
              "- {when: {results: 1}, text: Ulm}\n")
    with t.simulator(script) as sim:
        done = t.ask(model, "--schema", "city", "Which city?")
        statuses = count_requests(sim)
    expect(statuses == [200, 200, 200], f"requests: {statuses} {done.err}")
    expect(list(json.loads(done.out)) == ["city"], done.out)


# A long session.

LONG = (
    ("anthropic:claude-sonnet-4-5", (2200, 240), 45),
    ("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", (640, 400), 20),
    ("groq:meta-llama/llama-4-scout-17b-16e-instruct", (640, 400), 5),
)


@rows("45 screenshots", LONG)
def _(t, model, size, most):
    first, hashes = True, []
    for i in range(45):
        data = picture(i, *size)
        hashes.append(short_hash(data))
        t.write(f"shot-{i}.png", data)
        done = t.ask(model, *([] if first else ["-c"]), f"What is on @shot-{i}.png?")
        os.remove(t.folder / f"shot-{i}.png")
        new, old = given(done.out)
        expect(len(new) == 1, f"turn {i}: {done.out}")
        expect(len(old) <= most - 1, f"turn {i}: {len(old)} earlier ones: {done.out}")
        first = False
    kept = [f["hash"] for f in old + new]
    if size[0] <= 2000:
        expect(kept == hashes[-len(kept):], f"kept {kept} of {hashes}")
    widths = {re.search(r" (\d+)x", f["about"])[1] for f in old + new}
    expect(max(map(int, widths)) <= 2000 or most <= 20, f"widths {widths}")
    expect(len(kept) >= min(most, 45) // 2, f"only {len(kept)} are left: {done.out}")


# Refusals.

DIALECTS = ("anthropic:claude-sonnet-4-5", "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "google:gemini-2.5-flash", "openai:gpt-5-mini", "openai-chat:gpt-4o", "mistral:mistral-medium-latest",
            "ollama:mistral-small3.2", "cohere:command-a-vision-07-2025")


def attach_pictures(t, count):
    """Arguments that attach them, and their hashes."""
    args, hashes = [], []
    for i in range(count):
        data = picture(i)
        t.write(f"p{i}.png", data)
        hashes.append(short_hash(data))
        args += ["-a", f"p{i}.png"]
    return args, hashes


def count_requests(sim):
    """The statuses of all requests to models; what a server was asked about a model is not among them."""
    return [int(line.split()[1]) for line in sim.stop() if not line.startswith("POST ")]


@rows("a refused part is made anew", [(f"{model} part {n}", model, n) for model in DIALECTS for n in (1, 2, 3)])
def _(t, _, model, n):
    args, hashes = attach_pictures(t, 3)
    with t.simulator(f"- refuse_part: {n}\n") as sim:
        done = t.ask(model, *args, "What are these?")
        statuses = count_requests(sim)
    new = [f["hash"] for f in given(done.out)[0]]
    expect(len(statuses) == 2 and statuses[1] == 200, f"requests: {statuses}")
    expect(len(new) == 3 and [h == w for h, w in zip(new, hashes)] == [i != n - 1 for i in range(3)],
           f"{new} of {hashes}: {done.out}{done.err}")
    expect(f"p{n - 1}.png" in "".join(x for x in done.err.splitlines() if x.startswith("note: ")), done.err)


@rows("a refused part of a result is made anew",
      [(f"{model} part {n}", model, n) for model in DIALECTS for n in (1, 3)])
def _(t, _, model, n):
    _, hashes = attach_pictures(t, 3)
    with t.simulator(f"- {{when: {{files: 3}}, refuse_part: {n}}}\n") as sim:
        done = t.ask(model, "Compare @p0.png, @p1.png and @p2.png.")
        statuses = count_requests(sim)
    new = [f["hash"] for f in given(done.out)[0]]
    expect(len(statuses) == 3 and statuses[2] == 200, f"requests: {statuses}")
    expect(len(new) == 3 and [h == w for h, w in zip(new, hashes)] == [i != n - 1 for i in range(3)],
           f"{new} of {hashes}: {done.out}{done.err}")


@rows("a part that stays refused goes, and into quarantine", [(m, m) for m in DIALECTS])
def _(t, _, model):
    args, hashes = attach_pictures(t, 3)
    with t.simulator("- {refuse_part: 2, times: 2}\n") as sim:
        done = t.ask(model, *args, "What are these?")
        again = t.ask(model, "-c", "And now?")
        statuses = count_requests(sim)
    expect([s == 200 for s in statuses] == [False, False, True, True], f"requests: {statuses}")
    for answer in (given(done.out)[0], given(again.out)[1]):
        got = [f["hash"] for f in answer]
        expect(got == [hashes[0], hashes[2]], f"{got} of {hashes}: {done.out}{again.out}")
    expect("p1.png" in done.out and "refused" in done.out, f"the model was not told: {done.out}")
    marked = [m["name"] for m in t.media() if m["refused_by"]]
    expect(marked == ["p1.png"], f"in quarantine: {t.media()}")


@rows("what healed a file is remembered", [(m, m) for m in DIALECTS])
def _(t, _, model):
    data = picture(7)
    t.write("p.png", data)
    with t.simulator(f"- {{when: {{sha256: {short_hash(data)}}}, refuse_part: 1, times: 0}}\n") as sim:
        t.ask(model, "Hello.")
        first = t.ask(model, "-c", "-a", "p.png", "What is this?")
        again = [t.ask(model, "-c", "And now?") for _ in range(2)]
        encoded = t.good("encode", "-m", model, "--session", "last").out
        t.ask(model, "-c", "--no-tools", "And now?")
        statuses = count_requests(sim)
    expect([s == 200 for s in statuses] == [True, False] + [True] * 4, f"requests: {statuses}")
    made = {given(first.out)[0][0]["hash"]} | {given(a.out)[1][0]["hash"] for a in again}
    expect(len(made) == 1 and short_hash(data) not in made, f"sent as {made}")
    expect(base64.b64encode(data) not in encoded, "encode sends it in its old form")
    file = t.media()[0]
    expect(file["refused_by"] and file["remade"], f"not told: {file}")
    expect(b"what is made of it is sent instead" in t.good("sessions", "media", "last").out, "not told to people")


@case("what healed a file for one provider changes nothing for another, and goes along in an export")
def _(t):
    data = picture(7)
    t.write("p.png", data)
    rule = f"when: {{sha256: {short_hash(data)}, provider: anthropic}}, refuse_part: 1, times: 0"
    with t.simulator(f"- {{{rule}}}\n") as sim:
        t.ask("anthropic:claude-sonnet-4-5", "-a", "p.png", "What is this?")
        other = t.ask("openai:gpt-5-mini", "-c", "And now?")
        t.good("sessions", "export", "last", "-o", "s.tar")
        t.env["XDG_DATA_HOME"] = str(t.folder / "elsewhere")
        t.good("sessions", "import", "s.tar")
        t.ask("anthropic:claude-sonnet-4-5", "-c", "And now?")
        statuses = count_requests(sim)
    expect(statuses == [400, 200, 200, 200], f"requests: {statuses}")
    expect(given(other.out)[1][0]["hash"] == short_hash(data), f"made anew for openai: {other.out}")


# As servers say it; the picture is larger than they take it to be.
SIZES = (
    ("anthropic:claude-sonnet-4-5", 400,
     "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 600000 bytes > 200000 bytes"),
    ("openai-chat:gpt-4o", 400, "Invalid image: image size is 0.6MB, which exceeds the allowed limit of 0.2MB"),
)


@rows("a size that is refused is learned", SIZES)
def _(t, model, status, message):
    data = noise(1, 400, 400)
    t.write("large.png", data)
    with t.simulator(f"- {{status: {status}, type: invalid_request_error, message: {json.dumps(message)}}}\n") as sim:
        done = t.ask(model, "-a", "large.png", "What is this?")
        t.ask(model, "--no-save", "-a", "large.png", "What is this?")
        statuses = count_requests(sim)
    expect(statuses == [status, 200, 200], f"requests: {statuses}")
    new = given(done.out)[0]
    expect(len(new) == 1 and new[0]["hash"] != short_hash(data), f"it is as it was: {done.out}")
    expect("takes less than was thought" in done.err, f"nobody was told: {done.err}")


@case("a request that is too large, and nobody says by how much")
def _(t):
    data = noise(2, 800, 800)
    t.write("large.png", data)
    with t.simulator("- {status: 413, message: Request Entity Too Large}\n") as sim:
        done = t.ask("groq:meta-llama/llama-4-scout-17b-16e-instruct", "-a", "large.png", "What is this?")
        statuses = count_requests(sim)
    new = given(done.out)[0]
    expect(statuses == [413, 200], f"requests: {statuses}")
    expect(len(new) == 1 and new[0]["hash"] != short_hash(data), f"it is as it was: {done.out}{done.err}")


@case("a count that is refused is learned, and the newest stay")
def _(t):
    args, hashes = attach_pictures(t, 3)
    message = "At most 2 image(s) may be provided in one request."
    with t.simulator(f"- {{when: {{files: 3}}, times: 0, status: 400, message: {json.dumps(message)}}}\n") as sim:
        done = t.ask("openai-compatible:some-model", *args, "What are these?")
        t.ask("openai-compatible:some-model", "-c", "And now?")
        statuses = count_requests(sim)
    expect(statuses == [400, 200, 200], f"requests: {statuses}")
    expect([f["hash"] for f in given(done.out)[0]] == hashes[1:], f"{hashes}: {done.out}")
    expect("max_images is 2 from now on" in done.err, f"nobody was told: {done.err}")


@rows("nobody says which file it is", [(f"{model} from {least} files on", model, least)
                                       for model in DIALECTS[:5] for least in (3, 4)])
def _(t, _, model, least):
    args, hashes = attach_pictures(t, 4)
    script = f"- {{when: {{files: {least}}}, times: 0, status: 400, message: Could not process image}}\n"
    with t.simulator(script) as sim:
        done = t.ask(model, "--no-tools", *args, "What are these?")
        statuses = count_requests(sim)
    new = [f["hash"] for f in given(done.out)[0]]
    expect(len(statuses) <= 4 and statuses[-1] == 200, f"requests: {statuses}")
    expect(new and set(new) < set(hashes), f"{new} of {hashes}")
    expect("was not sent" in done.out, f"the model was not told: {done.out}")


UNRELATED = (
    ("a tool's name", 400, "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    ("a role", 400, "messages: roles must alternate between \"user\" and \"assistant\""),
    ("credit", 400, "Your credit balance is too low to access the Anthropic API."),
    ("no right", 403, "Your account does not have access to this model."),
)


@rows("an unrelated refusal strips nothing", UNRELATED)
def _(t, _, status, message):
    args, hashes = attach_pictures(t, 3)
    script = f"- {{status: {status}, type: invalid_request_error, message: {json.dumps(message)}}}\n"
    with t.simulator(script) as sim:
        failed = t.ask("anthropic:claude-sonnet-4-5", *args, "What are these?", status=4)
        done = t.ask("anthropic:claude-sonnet-4-5", "-c", "Again?")
        statuses = count_requests(sim)
    expect(statuses == [status, 200], f"requests: {statuses}")
    expect(message.split("'")[0].strip() in failed.err and "hint: " in failed.err, failed.err)
    files = [f["hash"] for part in given(done.out) for f in part]
    expect(files == hashes, f"{files} of {hashes}: {done.out}")
    expect(not any(m["refused_by"] for m in t.media()), f"in quarantine: {t.media()}")


@rows("a context that is too long is trimmed", [
    ("anthropic:claude-sonnet-4-5", "prompt is too long: 208310 tokens > 20000 maximum"),
    ("openai-chat:gpt-4o", "This model's maximum context length is 20000 tokens. However, your messages resulted "
                           "in 25000 tokens. Please reduce the length of the messages."),
])
def _(t, model, message):
    refusal = f"status: 400, type: invalid_request_error, message: {json.dumps(message)}"
    script = f"- {{when: {{words: last}}, {refusal}}}\n"
    with t.simulator(script) as sim:
        for i in range(3):
            t.write(f"long-{i}.txt", f"Chapter {i}. " + "It was a dark and stormy night. " * 1200)
            t.ask(model, "--no-tools", *(["-c"] if i else []), "-a", f"long-{i}.txt", f"Read part {i}.")
        done = t.ask(model, "--no-tools", "-c", "This is the last one.")
        t.ask(model, "--no-tools", "-c", "And one more.")
        statuses = count_requests(sim)
    expect(statuses == [200, 200, 200, 400, 200, 200], f"requests: {statuses} {done.err}")
    expect("This is the last one." in done.out, done.out)
    expect(re.search(r"^note: .*(20000|too long)", done.err, re.M), f"nobody was told: {done.err}")


# Other models.


@case("a picture outlives its file, its process and two switches of the model")
def _(t):
    data, name = picture(7), "plan.png"
    t.write(name, data)
    seeing = "anthropic:claude-sonnet-4-5"
    first = t.ask(seeing, f"What is in @{name}?")
    expect([f["hash"] for f in given(first.out)[0]] == [short_hash(data)], first.out)
    os.remove(t.folder / name)
    blind = t.ask("groq:llama-3.3-70b-versatile", "-c", "And you?")
    expect(short_hash(data) not in blind.out, f"a model that cannot see was sent a picture: {blind.out}")
    for model in ("google:gemini-3-pro-preview", "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                  "openai:gpt-5-mini", "mistral:mistral-medium-latest", seeing):
        done = t.ask(model, "-c", "And you?")
        expect([f["hash"] for f in given(done.out)[1]] == [short_hash(data)], f"{model}: {done.out}{done.err}")


@case("every model goes on with what every other one said")
def _(t):
    for i, name in enumerate(FILES):
        t.fixture(name)
        t.ask(ENDPOINTS[0][0], *(["-c"] if i else []), f"What is in @{name}?")
    for model, _ in ENDPOINTS:
        t.ask(model, "-c", f"What is in @red.png? Asked of {model}.")
    t.ask(ENDPOINTS[0][0], "-c", "The end.")


@case("thoughts go to the model that had them, and to no other")
def _(t):
    script, thought = '- {when: {request: 1}, thinking: "Let me see.", text: "Seen."}\n', "Let me see."
    models = ("anthropic:claude-sonnet-4-5", "google:gemini-3-pro-preview", "openai:gpt-5-mini",
              "anthropic:claude-sonnet-4-5")
    with t.simulator(script) as sim:
        for i, model in enumerate(models):
            going_on = ["-c"] if i else []
            body = t.ask(model, *going_on, "--dry-run", "And?").out if i else ""
            expect((thought in body) == (i > 0 and model == models[0]), f"{model}: {body}")
            t.ask(model, *going_on, "And?")
        statuses = count_requests(sim)
    expect(statuses == [200] * 4, f"requests: {statuses}")


# The network.


class Trap:
    """Listens, and tells who came."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0.2)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        return self

    def came(self):
        try:
            self.listener.accept()[0].close()
            return True
        except TimeoutError:
            return False

    def __exit__(self, *_):
        self.listener.close()


@rows("addresses that others name are not fetched", [
    ("as it is", "", "openai-chat:gpt-4o", "web addresses are not fetched", 0),
    ("switched off", "fetch: false\n", "ollama:mistral-small3.2", "web addresses are not fetched", 0),
    ("switched on, and nobody is there to ask", "fetch: true\n", "ollama:mistral-small3.2", "permission was not given", 7),
    ("switched on, for this machine", "fetch: {hosts: [127.0.0.1]}\n", "ollama:mistral-small3.2",
     "may not be reached from here", 0),
])
def _(t, _, setting, model, words, status):
    with Trap() as trap:
        block = {"type": "image", "url": f"{trap.url}/tool.png"}
        result = json.dumps({"success": True, "output": "Here.", "content_blocks": [block]})
        t.write("result.json", result)
        t.configure(f"{setting}tools:\n  show: {{description: Shows., allow: true, command: [cat, result.json]}}\n")
        script = ("- when: {results: 0}\n  calls:\n    - {name: show, arguments: {}}\n"
                  f"    - {{name: read_file, arguments: {{file_path: \"{trap.url}/secret.png\"}}}}\n"
                  f"    - {{name: view_image, arguments: {{path: \"{trap.url}/secret.png\"}}}}\n")
        with t.simulator(script):
            done = t.ask(model, f"Look at {trap.url}/said.png", status=status)
        for tool in ("read_file", "view_image"):
            expect(re.search(rf'{words}[^"]*" inside the result of {tool} ', done.out), f"{tool}: {done.out}")
        expect(not trap.came(), f"somebody fetched: {done.out}{done.err}")


# Running.


def run_case(program, url, name, function):
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="refract-e2e-") as folder:
        try:
            function(Living(program, folder, url))
            return name, None, time.monotonic() - began
        except Exception as error:  # pylint: disable=broad-exception-caught
            why = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            return name, why, time.monotonic() - began


def check_log(lines):
    """Nothing that was asked of the strict server was refused."""
    refused = [line for line in lines if "200" not in line.split()]
    return "\n".join(refused[:10]) if refused or not lines else None


def main():
    program, pattern = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    cases = [c for c in CASES if re.search(pattern, c[0])]
    cases.sort(key=lambda c: not c[0].startswith("45"))  # the longest first
    with tempfile.TemporaryDirectory(prefix="refract-e2e-") as home:
        with Simulator(program, Living(program, home, "").env) as strict:
            with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
                done = list(pool.map(lambda c: run_case(program, strict.url, *c), cases))
    done.append(("nothing was refused", check_log(strict.lines), 0))
    for name, why, seconds in done:
        if why:
            print(f"FAILED {name} ({seconds:.1f} s)\n    {why}")
    failed = sum(1 for _, why, _ in done if why)
    slowest = max(done, key=lambda d: d[2])
    print(f"{len(done) - failed} passed, {failed} failed; the slowest took {slowest[2]:.1f} s: {slowest[0]}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
