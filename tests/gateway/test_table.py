#!/usr/bin/env python3
"""The table of translations: every client's API × every upstream's × what can be said, whole and streamed.

    test_table.py PATH-OF-REFRACT [PART-OF-A-NAME...]

speak.py writes what a client sends, arrived.py reads what came upstream, heard.py what went back. One gateway and one
simulator serve all cases; the simulator is as strict as the real servers are, so whatever is answered is legal there.
With REFRACT_TABLE=FOLDER the bodies and replies are kept in it, as the conformance checker wants them.
"""
import dataclasses
import json
import os
import pathlib
import re

import arrived
import heard
import speak
from harness import case, expect, main, media_fixtures, shared
from speak import Call, Media, Request, Result, Said

PNG = Media("image/png", media_fixtures.png(64, (200, 30, 30)), "red.png")
PDF = Media("application/pdf", media_fixtures.pdf(b"Quarterly figures"), "a.pdf")
WAV = Media("audio/wav", pathlib.Path(__file__).parent.parent.joinpath("fixtures", "tone.wav").read_bytes(), "a.wav")


@dataclasses.dataclass
class Upstream:
    """An API, a model of it, and what of a client's it has a place for."""
    dialect: str
    model: str
    inside: str = ""  # what a tool's result may hold, of "picture pdf sound"
    takes: str = "picture"  # what it takes at all
    failures: bool = False  # says by itself that a call failed
    thinks: bool = True
    signs: bool = False  # its thoughts have marks that it wants back
    choices: str = "auto none required look"
    caches: bool = False


UPSTREAMS = [
    Upstream("anthropic", "anthropic:claude-sonnet-4-5", "picture pdf", "picture pdf", True, signs=True, caches=True),
    Upstream("openai-chat", "openai-chat:gpt-4o", "", "picture pdf", thinks=False),
    Upstream("openai-responses", "openai:gpt-5.4-mini", "picture pdf", "picture pdf", signs=True),
    Upstream("gemini", "google:gemini-3.5-flash", "picture pdf", "picture pdf sound", True, signs=True),
    Upstream("mistral", "mistral:mistral-medium-latest", "picture pdf", "picture pdf", thinks=False),
    Upstream("cohere", "cohere:command-a-plus-05-2026", choices="none required"),
    Upstream("bedrock", "bedrock:us.amazon.nova-pro-v1:0", "picture", "picture pdf", True, thinks=False,
             choices="auto required look", caches=True),
    Upstream("ollama", "ollama:mistral-small3.2", "picture", thinks=False, choices=""),
]

SCRIPT = """replies:
  - {when: {words: call both, results: 0}, times: 0, calls: [
      {name: look, arguments: {at: left}}, {name: look, arguments: {at: right}}]}
  - {when: {words: think first, results: 0}, times: 0, thinking: "I weigh it.", text: "It is heavy.", calls: [
      {name: look, arguments: {at: left}}]}
  - {when: {words: think only, results: 0}, times: 0, thinking: "I weigh it.", text: "It is heavy."}
  - {when: {words: call oddly, results: 0}, times: 0, calls: [
      {id: "functions.look:0", name: look, arguments: {at: left}}]}
"""
KEPT = os.environ.get("REFRACT_TABLE")


class Exchange:
    """One request of a client, what came upstream of it, and what the client heard."""

    def __init__(self, client, upstream, stream, request, edit=lambda body: body):
        g = shared(script=SCRIPT)
        path = client_path(client, upstream.model, stream)
        body = edit(client.body(upstream.model, stream, request))
        response, reply = g.ask(path, body)
        expect(response.status == 200, (response.status, reply, body))
        # What passes as it came may be refused, and is planned then.
        expect(len(g.relay.seen) in ((1, 2) if client.name == upstream.dialect else (1,)), len(g.relay.seen))
        self.sent, self.reply, self.response = g.relay.seen[-1].decode(), reply, response
        keep(client, upstream, stream, self, passes(body, self.sent))
        self.arrived = arrived.read(upstream.dialect, self.sent)
        self.heard = heard.read(client.name, stream, reply)
        expect(b"not-to-be-seen" not in reply and "not-to-be-seen" not in self.sent, "a key is shown")
        check_ids(client, self.heard.calls)

    def delivery(self):
        return self.response.headers["x-refract-delivery"] or ""


def client_path(client, model, stream):
    paths = {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses"}
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return paths.get(client.name, f"/v1beta/models/{model}:{verb}")


def passes(body, sent):
    """Did it arrive as it was written, but for the model's name?"""
    given = json.loads(body) if isinstance(body, (bytes, str)) else body
    return {**given, "model": ""} == {**json.loads(sent), "model": ""}


def keep(client, upstream, stream, x, passed):
    """For the checker: a body, unless it is as speak.py wrote it and says nothing of ours, and a reply."""
    if not KEPT:
        return
    names = [("stream" if stream else "whole", client.name, "sse" if stream else "json", x.reply)]
    if not passed:
        names.append(("request", upstream.dialect, "json", x.sent.encode()))
    for what, dialect, ending, data in names:
        folder = pathlib.Path(KEPT, what, dialect)
        folder.mkdir(parents=True, exist_ok=True)
        folder.joinpath(f"{len(list(folder.iterdir())):04}-{upstream.dialect}.{ending}").write_bytes(data)


def check_ids(client, calls):
    """Ids that a client's own API would give out, no two the same."""
    for c in calls:
        plain = c.id.split("__thought__")[0]  # a mark may be as long as it is
        expect(plain and re.fullmatch(arrived.IDS[client.name], plain), ("not an id of the client's API", c))
    expect(len({c.id for c in calls}) == len(calls), ("an id twice", calls))


def results(*calls, parts=("a lake",), failed=False):
    return ("results", *[Result(c, list(parts), failed) for c in calls])


LEFT, RIGHT = Call("call_left", "look", {"at": "left"}), Call("call_right", "look", {"at": "right"})
ASKED = ("user", "What is there?")


def looked(*parts, failed=False):
    return Request([ASKED, ("model", Said(calls=[LEFT])), results(LEFT, parts=parts, failed=failed)])


def result_of(x, n=0):
    return x.arrived.of("result")[n]


# What can be said. Each is given (client, upstream, stream) and may raise.


def plain_text(client, upstream, stream):
    request = Request([("user", "What is seven?"), ("model", Said("A number.")), ("user", "And eight ≠ „nine“?")],
                      system="Answer in rhymes.")
    x = Exchange(client, upstream, stream, request)
    said = [(i.role, i.text) for i in x.arrived.items]
    expect(said == [("user", "What is seven?"), ("assistant", "A number."), ("user", "And eight ≠ „nine“?")], said)
    expect(x.arrived.system == "Answer in rhymes.", x.arrived.system)
    expect(sorted(x.arrived.tools) == ["listen", "look"], x.arrived.tools)
    expect("And eight ≠ „nine“?" in x.heard.text and x.heard.stop == "end", x.heard)
    expect(not x.delivery() and not x.heard.calls, x.heard)


def in_place(x, upstream, kind):
    """A file is inside its result where the API has room for it there, else in a user message after all results."""
    inside = [p for r in x.arrived.of("result") for p in r.inside if p.kind == "media"]
    beside = x.arrived.of("media")
    expect(bool(inside) == (kind in upstream.inside), ("inside", [i.mime for i in inside], x.sent[:600]))
    expect(bool(beside) != bool(inside), ("beside", beside))
    expect(all(i.role == "user" for i in beside), beside)
    expect(x.arrived.of("result")[0].inside, ("a result that says nothing", x.sent[:600]))
    return inside + beside


def picture(client, upstream, stream):
    x = Exchange(client, upstream, stream, looked(PNG))
    found, = in_place(x, upstream, "picture")
    expect(found.data == PNG.data and found.mime == "image/png", found.mime)
    expect(re.search(r"64 ?x ?64", x.heard.text), x.heard.text)
    expect(re.fullmatch(r"(native|fallback)/original=1", x.delivery()), x.delivery())


def pdf(client, upstream, stream):
    x = Exchange(client, upstream, stream, looked("Here it is.", PDF))
    expect(any("Here it is." in t for t in x.arrived.texts()), x.arrived.texts())
    if "pdf" in upstream.takes:
        found, = in_place(x, upstream, "pdf")
        expect(found.data == PDF.data and found.mime == PDF.mime, found.mime)
        expect(x.delivery().endswith("/original=1"), x.delivery())
    else:
        expect(all(m.mime.startswith("image/") for m in x.arrived.media()), x.arrived.media())
        expect(x.arrived.media() or any("Quarterly figures" in t for t in x.arrived.texts()), x.sent)
        expect("original" not in x.delivery(), x.delivery())


def sound(client, upstream, stream):
    x = Exchange(client, upstream, stream, looked(WAV))
    if "sound" in upstream.takes:
        found, = in_place(x, upstream, "sound")
        expect(found.data == WAV.data, found.mime)
    else:
        expect(not x.arrived.media(), x.arrived.media())
        expect(any("audio/" in t or "sound" in t for t in x.arrived.texts()), x.arrived.texts())
        expect(x.delivery() and "original" not in x.delivery(), x.delivery())


def parallel(client, upstream, stream):
    question = ("user", "Please call both.")
    first = Exchange(client, upstream, stream, Request([question]))
    calls = first.heard.calls
    expect([(c.name, c.arguments) for c in calls] == [("look", {"at": "left"}), ("look", {"at": "right"})], calls)
    expect(first.heard.stop == "calls", first.heard)
    # The answers come in another order, and each has a file.
    blue = Media("image/png", media_fixtures.png(32, (30, 30, 200)), "blue.png")
    answers = ("results", Result(calls[1], ["a hill", blue]), Result(calls[0], ["a lake", PNG]))
    x = Exchange(client, upstream, stream, Request([question, ("model", Said(calls=calls)), answers]))
    asked = x.arrived.of("call")
    expect([c.arguments for c in asked] == [{"at": "left"}, {"at": "right"}], asked)
    words = {r.id: json.dumps([p.text for p in r.inside], ensure_ascii=False) for r in x.arrived.of("result")}
    expect("a lake" in words[asked[0].id] and "a hill" in words[asked[1].id], (asked, words))
    expect({m.data for m in x.arrived.media()} == {PNG.data, blue.data}, x.arrived.media())
    last = max(i.turn for i in x.arrived.of("result"))
    expect(all(m.turn > last or m.role == "user" and m.turn == last for m in x.arrived.of("media")), x.sent[:600])


def failed(client, upstream, stream):
    x = Exchange(client, upstream, stream, looked("it is dark", failed=client.tells_failures))
    words = " ".join(p.text for p in result_of(x).inside)
    expect("it is dark" in words, words)
    if client.tells_failures:
        expect(result_of(x).failed if upstream.failures else "rror" in words, x.sent[:600])
    else:
        expect(not result_of(x).failed, x.sent[:600])


def failed_with_file(client, upstream, stream):
    x = Exchange(client, upstream, stream, looked("it is dark", PNG, failed=client.tells_failures))
    words = " ".join(p.text for p in result_of(x).inside)
    expect(not client.tells_failures or result_of(x).failed or "rror" in words, x.sent[:600])
    expect([m.data for m in x.arrived.media()] == [PNG.data], x.arrived.media())


def thinking(client, upstream, stream):
    request = Request([("user", "Please think only.")], thinks=upstream.thinks)
    x = Exchange(client, upstream, stream, request)
    expect(x.heard.text == "It is heavy." and x.heard.stop == "end", x.heard)
    if upstream.thinks:
        expect(x.heard.thought == "I weigh it.", x.reply)


def thinking_goes_back(client, upstream, stream):
    """What was thought before a call goes back to who thought it, signature and all; and to no other."""
    if not upstream.thinks:
        return
    question = ("user", "Please think first.")
    first = Exchange(client, upstream, stream, Request([question], thinks=True)).heard
    said = Said(first.text, first.calls, first.thought, first.mark, first.marks, first.details)
    turns = [question, ("model", said), results(*first.calls)]
    x = Exchange(client, upstream, stream, Request(turns, thinks=True))
    marks = {i.mark for i in x.arrived.items if i.mark}
    expect(marks or not upstream.signs, x.sent)
    expect("cmVmcmFjdA" not in x.sent and "__thought__" not in x.sent, x.sent)
    for other in UPSTREAMS:
        if other is not upstream:
            sent = Exchange(client, other, stream, Request(turns)).sent
            expect(not any(json.dumps(m) in sent for m in marks), (other.dialect, marks, sent))
            expect("cmVmcmFjdA" not in sent and "__thought__" not in sent, (other.dialect, sent))
            expect("I weigh it." not in sent or client.name != "openai-chat", (other.dialect, sent))


def choice(client, upstream, stream):
    for wanted in ("auto", "none", "required", "look"):
        x = Exchange(client, upstream, stream, Request([ASKED], choice=wanted))
        got = x.arrived.choice
        if wanted in upstream.choices.split():
            expect(got == wanted or (wanted == "auto" and not got), (wanted, got))
            expect(wanted not in ("required", "look") or x.heard.calls, (wanted, x.heard))
            expect(wanted != "look" or [c.name for c in x.heard.calls] == ["look"], x.heard)
        elif wanted == "none":
            expect(not x.arrived.tools or not got, x.sent)
        if wanted == "none":
            expect(not x.heard.calls, x.heard)


def odd_ids(client, upstream, stream):
    calls = [Call(i, "look", {"at": str(n)}) for n, i in enumerate(client.odd_ids)]
    answers = ("results", *[Result(c, [f"place {n}"]) for n, c in enumerate(calls)])
    x = Exchange(client, upstream, stream, Request([ASKED, ("model", Said(calls=calls)), answers]))
    for n, c in enumerate(x.arrived.of("call")):
        found, = [r for r in x.arrived.of("result") if r.id == c.id]
        expect(c.arguments == {"at": str(n)} and f"place {n}" in found.inside[0].text, (c, found))


def odd_ids_of_model(client, upstream, stream):
    """Ids that a model made up are legal for the client, and are its own again when they come back."""
    question = ("user", "Please call oddly.")
    if client.name == upstream.dialect or upstream.dialect in ("anthropic", "bedrock"):
        return  # whose ids are words
    first = Exchange(client, upstream, stream, Request([question]))
    x = Exchange(client, upstream, stream, Request([question, ("model", Said(calls=first.heard.calls)),
                                                    results(*first.heard.calls)]))
    expect(len(x.arrived.of("result")) == 1, x.sent)


def empty_result(client, upstream, stream):
    for parts in ((), ("",)):
        x = Exchange(client, upstream, stream, looked(*parts))
        expect(len(x.arrived.of("result")) == 1, x.sent)


def lone_file(client, upstream, stream):
    for file, kind in ((PNG, "picture"), (PDF, "pdf")):
        x = Exchange(client, upstream, stream, Request([("user", file)], tools=[]))
        if kind in upstream.takes:
            expect([m.data for m in x.arrived.media()] == [file.data], x.sent[:600])
        expect(x.arrived.items[0].role == "user" and not x.arrived.tools, x.sent[:600])


def stable_prefix(client, upstream, stream):
    """The same history is the same bytes, so that a provider's prompt cache has it."""
    turns = [*looked("a lake", PNG).turns, ("model", Said("A lake.")), ("user", "And then?")]
    one = Exchange(client, upstream, stream, Request(turns[:3], system="Answer in rhymes."))
    two = Exchange(client, upstream, stream, Request(turns, system="Answer in rhymes."))
    member = {"openai-responses": "input", "gemini": "contents"}.get(upstream.dialect, "messages")
    before, after = json.loads(one.sent)[member], json.loads(two.sent)[member]
    expect(after[:len(before)] == before, (before, after))


def cache_marks(client, upstream, stream):
    if client.name != "anthropic":
        return
    request = Request([ASKED], system="Answer in rhymes.", cached=True)
    x = Exchange(client, upstream, stream, request)
    expect(x.arrived.marks == (3 if upstream.caches else 0), (x.arrived.marks, x.sent))
    expect(upstream.caches or "cache_control" not in x.sent, x.sent)


KINDS = [plain_text, picture, pdf, sound, parallel, failed, failed_with_file, thinking, thinking_goes_back, choice,
         odd_ids, odd_ids_of_model, empty_result, lone_file, stable_prefix, cache_marks]


def add(client, upstream, kind):
    @case(f"{client.name} to {upstream.dialect}: {kind.__name__.replace('_', ' ')}")
    def _():
        for stream in (False, True):
            try:
                kind(client, upstream, stream)
            except Exception as e:
                e.args = (f"{'streamed' if stream else 'whole'}: {e}",)
                raise


for a_client in speak.CLIENTS.values():
    for an_upstream in UPSTREAMS:
        for a_kind in KINDS:
            add(a_client, an_upstream, a_kind)

if __name__ == "__main__":
    main()
