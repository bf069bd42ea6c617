#!/usr/bin/env python3
"""What the web page asks of the gateway, over bare HTTP: test_page_api.py PATH-OF-REFRACT [PART-OF-A-NAME...]"""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import queue
import re
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gateway"))
import harness
import media_fixtures
from harness import CHAT_END, CLIENTS, PDF, PNG, REFRACT, Gateway, case, chat_piece, converse, expect

FILES = [("look", {}, ("image/png", PNG), False), ("look", {}, ("application/pdf", PDF), False)]
ANTHROPIC, CHAT = CLIENTS[0], CLIENTS[1]


def page(g, path, method=None, body=None, **headers):
    r, text = g.ask("/page/" + path, body, method, **headers)
    said = json.loads(text) if r.headers["content-type"] == "application/json" else text
    return r, said


def requests(g, count):
    """So many requests, once they are over: that is after their clients have all of the reply."""
    while True:
        r, said = page(g, "requests")
        expect(r.status == 200, said)
        if len([e for e in said["requests"] if e["stage"] == "over"]) >= count:
            return said["requests"]


def events(g, path="events", **headers):
    """The events of a stream as they come: (name, id, data)."""
    c = g.connect()
    c.request("GET", "/page/" + path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    r = c.getresponse()
    expect(r.status == 200, r.read)
    fields = {}
    for line in r:
        line = line.decode().rstrip("\n")
        if not line and "data" in fields:
            yield fields.get("event"), fields.get("id"), json.loads(fields["data"])
        if not line:
            fields = {}
        elif not line.startswith(":"):
            name, value = line.split(": ", 1)
            fields[name] = value


@case("the page and its files are served, and may load nothing from elsewhere")
def _():
    with Gateway() as g:
        r, text = g.ask("/")
        expect(r.status == 200 and r.headers["content-type"].startswith("text/html"), r.headers)
        policy = r.headers["content-security-policy"]
        expect("default-src 'none'" in policy and "script-src 'self'" in policy, policy)
        expect(r.headers["x-content-type-options"] == "nosniff", r.headers)
        for name, kind in (("main.js", "text/javascript"), ("page.css", "text/css"), ("icon.svg", "image/svg+xml")):
            r, text = g.ask("/page/web/" + name)
            expect(r.status == 200 and r.headers["content-type"].startswith(kind) and text, name)
        expect(g.ask("/page/web/../page.c")[0].status == 404, "no other files")
        web = pathlib.Path(__file__).resolve().parents[2] / "src/page/web"
        for path in web.iterdir():
            words = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            expect("http:" not in words and "https:" not in words and "innerHTML" not in words, path)


@case("without the page there is none")
def _():
    with Gateway("--no-page") as g:
        expect(g.ask("/")[0].status == 404 and g.ask("/page/requests")[0].status == 404, "no page")


@case("a request is told of in a line, with what became of its files")
def _():
    with Gateway() as g:
        converse(g, ANTHROPIC, "openai-chat:gpt-4o", True, calls=FILES)
        entry, = requests(g, 1)
        expect(entry["stage"] == "over" and entry["status"] == 200 and entry["streamed"], entry)
        expect(entry["dialect"] == "anthropic" and (entry["provider"], entry["model"]) == ("openai-chat", "gpt-4o"), entry)
        expect(entry["input"] > 0 and entry["output"] > 0 and entry["total_us"] >= entry["first_us"] > 0, entry)
        picture, pdf = entry["files"]
        expect((picture["delivery"], picture["form"], picture["words"]) == ("fallback", "original", "64×64 PNG"), picture)
        expect(pdf["words"] == "PDF, 1 page" and pdf["why"], pdf)


@case("nothing of a request is kept while nobody looks, and all of it while somebody does")
def _():
    with Gateway() as g:
        converse(g, CHAT, "openai-chat:gpt-4o", False)
        before, = requests(g, 1)
        converse(g, CHAT, "openai-chat:gpt-4o", False)
        kept = {e["number"]: e.get("kept", False) for e in requests(g, 2)}
        while not kept[2]:  # it is told of first, and then handed over
            kept = {e["number"]: e.get("kept", False) for e in requests(g, 2)}
        expect("kept" not in before, before)
        expect(kept == {1: False, 2: True}, kept)


@case("changes come as they happen: begun, answering, over")
def _():
    with Gateway() as g:
        g.relay.stall = b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
        stream = events(g)
        name, _, hello = next(stream)
        expect(name == "hello" and len(hello["epoch"]) == 32, hello)
        c = g.connect()
        c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("openai-chat:gpt-4o", True, "Hello")))
        seen = []
        while "answers" not in seen:
            name, _, changed = next(stream)
            seen += [e["stage"] for e in changed]
        expect("cost_micros" not in changed[-1], "what it costs is not known yet")
        c.close()
        while "over" not in seen:
            name, at, changed = next(stream)
            seen += [e["stage"] for e in changed]
        expect(changed[0]["gone"], changed)
        again = events(g, last_event_id="0" * 32 + ".999")
        next(again)
        expect(next(again)[2][0]["id"] == changed[0]["id"], "of another process: everything again")


@case("a gateway that drains does not wait for who only looks")
def _():
    with Gateway() as g:
        stream = events(g)
        next(stream)
        g.process.terminate()
        g.process.wait(harness.LIMIT_S)
        expect(list(stream) == [], "the stream ends")


@case("a thread that works for a browser which has left reads nothing of its request")
def _():
    with Gateway() as g:
        for _ in range(50):
            c = g.connect()
            c.request("GET", "/page/sessions?q=" + "words" * 100)
            c.close()
        expect(page(g, "sessions")[1] == [], "it goes on")


@case("another site's page is refused, by its Host, its Origin and what the browser says")
def _():
    with Gateway() as g:
        for bad in ({"host": "evil.example"}, {"host": f"evil.example:{g.port}"}, {"origin": "http://evil.example"},
                    {"origin": "null"}, {"origin": f"http://localhost:{g.port + 1}"}, {"sec_fetch_site": "cross-site"},
                    {"sec_fetch_site": "same-site"}):
            r, said = page(g, "requests", **bad)
            expect(r.status == 403, (bad, said))
        for good in ({"host": f"localhost:{g.port}"}, {"sec_fetch_site": "same-origin"}, {"sec_fetch_site": "none"}):
            expect(page(g, "requests", **good)[0].status == 200, good)


@case("what changes something needs the page's token")
def _():
    with Gateway() as g:
        token = page(g, "me")[1]["token"]
        for bad in ({}, {"x_refract_token": "0" * 64}, {"x_refract_token": token, "origin": "http://evil.example"}):
            expect(page(g, "logout", "POST", b"", **bad)[0].status == 403, bad)
        expect(page(g, "logout", "POST", b"", x_refract_token=token)[0].status == 200, "with it")


@case("over TLS, the page's Origin is https, and no other")
def _():
    with tempfile.TemporaryDirectory() as folder:
        harness.make_certificate(folder)
        trust = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
        config = f"serve: {{tls: {{certificate: {folder}/certificate.pem, key: {folder}/key.pem}}}}\n"
        with Gateway(config=config) as g:

            def ask(method, path, **headers):
                c = http.client.HTTPSConnection("localhost", g.port, timeout=harness.LIMIT_S, context=trust)
                c.request(method, path, headers=headers)
                r = c.getresponse()
                said = r.read()
                c.close()
                return r.status, said

            token = json.loads(ask("GET", "/page/me")[1])["token"]
            for origin, want in (("https", 200), ("http", 403)):
                sent = {"Origin": f"{origin}://localhost:{g.port}", "x-refract-token": token}
                expect(ask("POST", "/page/logout", **sent)[0] == want, origin)
                expect(ask("GET", "/v1/models", Origin=sent["Origin"])[0] == want, origin)


def watched(g, client, model, stream=False, calls=FILES, text=harness.WORDS):
    """A request that somebody looked at: (its summary, what was kept of it)."""
    page(g, "requests")
    client_path = client.path(model, stream)
    r, _ = g.ask(client_path, client.body(model, stream, text, calls))
    own = r.headers["x-refract-request-id"]
    while True:
        r, said = page(g, f"requests/{own}")
        if r.status == 200 and said[0]["stage"] == "over":
            return said


def whole(stream):
    """All of a reply: (what was sent, what is said by kind, its last event)."""
    sent, said = [], {}
    for name, _, data in stream:
        if name == "end":
            return sent, said, data
        sent += data["sent"]
        for _, text, kind, _ in data["said"]:
            said[kind] = said.get(kind, "") + text
    raise AssertionError("it has no end")


def texts(parts):
    return [t for p in parts for t in (texts(p["parts"]) if "parts" in p else [p["text"]] if "text" in p else [])]


@case("one request: what the client sent, and what the model got of it")
def _():
    with Gateway() as g:
        entry, kept = watched(g, ANTHROPIC, "openai-chat:gpt-4o", True)
        client = [(m["role"], [p["kind"] for p in m["parts"]]) for m in kept["client"]["messages"]]
        expect(client == [("user", ["text"]), ("assistant", ["call", "call"]), ("tool", ["file"]), ("tool", ["file"])], client)
        model = [(m["role"], [p["kind"] for p in m["parts"]]) for m in kept["model"]["messages"]]
        expect(model[-1] == ("user", ["text", "file", "text", "file"]), model)
        expect("See file" in " ".join(texts(kept["model"]["messages"][-2]["parts"])), kept["model"]["messages"][-2])
        expect([f["delivery"] for f in kept["files"]] == ["fallback", "fallback"] and kept["files"][0]["id"].startswith("att_"),
               kept["files"])
        sent, said, end = whole(events(g, f"requests/{entry['id']}/reply"))
        expect(len(sent) > 1 and "message_stop" in sent[-1][1] and sent[0][0] <= sent[-1][0], sent)
        expect(said["text"] and said["stop"] == "end" and end == {"cut": [False, False]} and kept["refusals"] == [], (said, end))


@contextlib.contextmanager
def under_way(client, look=True, calls=FILES):
    """A request whose reply comes as it is fed: (the gateway, its connection, feed)."""
    with Gateway() as g:
        if look:
            page(g, "requests")
        g.relay.feed = queue.Queue()
        c = g.connect()
        c.request("POST", client.path("", True), json.dumps(client.body("openai-chat:gpt-4o", True, "Hello", calls)))
        try:
            yield g, c, g.relay.feed.put
        finally:
            c.close()
            g.relay.feed.put(None)


def the_one(g, stage):
    """The only request, once it is there."""
    while True:
        found = [e for e in page(g, "requests")[1]["requests"] if e["stage"] == stage]
        if found:
            return found[0]


def until(stream, words):
    """What is said, until that is in it."""
    text = ""
    while words not in text:
        name, at, data = next(stream)
        expect(name == "reply", (name, data, text))
        text += "".join(t for _, t, kind, _ in data["said"] if kind == "text")
    return text, at


@case("a reply is shown while it comes, beside what was asked, and then stays")
def _():
    for client, calls in ((ANTHROPIC, FILES), (CHAT, ())):  # translated, and passed on as it is
        with under_way(client, calls=calls) as (g, c, feed):
            feed(chat_piece("Good "))
            entry = the_one(g, "answers")
            stream = events(g, f"requests/{entry['id']}/reply")
            text, at = until(stream, "Good")
            expect(entry["kept"] and text == "Good ", (entry, text))
            now, kept = page(g, f"requests/{entry['id']}")[1]
            expect(now["stage"] == "answers" and kept["client"]["messages"][0]["parts"][0]["text"] == "Hello", kept)
            expect(len(kept["files"]) == len(calls) and kept["model"]["messages"], kept)
            expect(g.ask(f"/page/requests/{entry['id']}/thumbnails/0")[0].status == (200 if calls else 404), "its pictures")
            expect(page(g, f"requests/{entry['id']}/bodies/client")[1]["model"] == "openai-chat:gpt-4o", "its body")
            feed(chat_piece("mor<b>ning"))
            expect(until(stream, "ning")[0] == "mor<b>ning", "in pieces")
            again = events(g, f"requests/{entry['id']}/reply", last_event_id=at)
            expect(until(again, "ning")[0] == "mor<b>ning", "what was missed")
            feed(CHAT_END)
            feed(None)
            sent, said, end = whole(stream)
            expect(said == {"stop": "end"} and end == {"cut": [False, False]}, (said, end))
            expect(b"ning" in c.getresponse().read(), "the client has it")
            the_one(g, "over")
            then = page(g, f"requests/{entry['id']}")[1][1]
            expect(then == kept, "the same when it is over")
            sent, said, _ = whole(events(g, f"requests/{entry['id']}/reply"))
            expect(said == {"text": "Good mor<b>ning", "stop": "end"} and len(sent) > 2, (sent, said))
            expect((sent[0][1] == chat_piece("Good ").decode()) == (client is CHAT), sent)


@case("a reply that began before anybody looked is shown from then on")
def _():
    with under_way(CHAT, look=False) as (g, c, feed):
        feed(chat_piece("Good "))
        r = c.getresponse()
        while b"Good" not in r.readline():
            pass
        page(g, "requests")
        feed(chat_piece("morning"))
        entry = the_one(g, "answers")
        name, _, data = next(events(g, f"requests/{entry['id']}/reply"))
        expect(data["late"] and [t for _, t, *_ in data["said"]] == ["morning"], data)
        expect(page(g, f"requests/{entry['id']}")[1][1]["client"]["messages"], "what was asked is there")
        expect(entry["asked"] == "openai-chat:gpt-4o" and entry["status"] == 200, entry)


@case("bytes that are no text do not hide what comes after them")
def _():
    with under_way(CHAT, calls=()) as (g, c, feed):
        feed(chat_piece("Good "))
        own = the_one(g, "answers")["id"]
        for piece in (b": \xff\xfb \xe2\x82\n\n", chat_piece("morning"), CHAT_END, None):
            feed(piece)
        expect(b"\xff\xfb" in c.getresponse().read(), "the client has them")
        sent, said, end = whole(events(g, f"requests/{own}/reply"))
        text = "".join(t for _, t in sent)
        expect(": \ufffd\ufffd \ufffd" in text and text.endswith("[DONE]\n\n") and said["text"] == "Good morning", (text, said))
        expect(end == {"cut": [False, False]}, end)


@case("a request under way is planned as it is asked: with the client's key")
def _():
    with Gateway() as g:
        key = add_key(g, "anna", "--admin")
        while page(g, "requests")[0].status != 401:
            pass  # it is known within a second or so
        token = page(g, "me")[1]["token"]
        r, _ = page(g, "login", "POST", b"key=" + key.encode(), x_refract_token=token, content_type="application/x-www-form-urlencoded")
        admitted = {"cookie": r.headers["set-cookie"].split(";")[0]}
        page(g, "requests", **admitted)
        g.relay.feed = queue.Queue()
        c = g.connect()
        c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("openai-chat:gpt-4o", True, "Hello", ())), {"authorization": "Bearer " + key})
        g.relay.feed.put(chat_piece("Good "))
        while not (found := [e for e in page(g, "requests", **admitted)[1]["requests"] if e["stage"] == "answers"]):
            pass
        before = page(g, f"requests/{found[0]['id']}/bodies/model", **admitted)[1]
        g.relay.feed.put(CHAT_END)
        g.relay.feed.put(None)
        c.getresponse().read()
        while page(g, f"requests/{found[0]['id']}", **admitted)[1][0]["stage"] != "over":
            pass
        expect(before == page(g, f"requests/{found[0]['id']}/bodies/model", **admitted)[1], before)
        expect(before["stream_options"] == {"include_usage": True}, before)


@case("what a client left, and what broke off, stays as far as it came")
def _():
    for breaks in (lambda c, feed: c.close(), lambda c, feed: feed(None)):
        with under_way(ANTHROPIC, calls=()) as (g, c, feed):
            feed(chat_piece("Good "))
            own = the_one(g, "answers")["id"]
            stream = events(g, f"requests/{own}/reply")
            until(stream, "Good")
            breaks(c, feed)
            whole(stream)
            entry = the_one(g, "over")
            expect(entry.get("gone") or entry["error"] and entry["status"] == 200, entry)
            sent, said, _ = whole(events(g, f"requests/{own}/reply"))
            expect(said["text"] == "Good " and sent, (sent, said))


@case("a refusal and a whole reply come as they are, and of what is not kept there is nothing")
def _():
    with Gateway() as g:
        entry, _ = watched(g, CHAT, "nonsense", calls=())
        sent, said, _ = whole(events(g, f"requests/{entry['id']}/reply"))
        expect(len(sent) == 1 and "nonsense" in sent[0][1] and not said, (sent, said))
        entry, _ = watched(g, CHAT, "openai-chat:gpt-4o", calls=())
        sent, said, _ = whole(events(g, f"requests/{entry['id']}/reply"))
        expect(len(sent) == 1 and json.loads(sent[0][1])["choices"] and said["text"] and said["stop"] == "end", (sent, said))
        expect(whole(events(g, "requests/req_0/reply")) == ([], {}, {"cut": [False, False]}), "there is none")


@case("bodies are shown with their files folded to name, type, size and hash")
def _():
    with Gateway() as g:
        entry, _ = watched(g, CHAT, "anthropic:claude-sonnet-4-5")
        for side in ("client", "model"):
            r, body = page(g, f"requests/{entry['id']}/bodies/{side}")
            words = json.dumps(body, ensure_ascii=False)
            expect(r.status == 200 and harness.b64(PNG)[:60] not in words, words)
            digest = hashlib.sha256(PNG).hexdigest()
            expect(f"PNG, {len(PNG)} bytes, sha256:{digest}›" in words, words)
        expect("‹a.pdf, PDF, " in words, words)


@case("a file that hides in a text is folded in its place in the client's body")
def _():
    with Gateway() as g:
        lone, listed = f"look: data:image/png;base64,{harness.b64(PNG)} there", json.dumps({"data": harness.b64(PNG), "words": "kept"})
        for text in (lone, listed):
            entry, _ = watched(g, CHAT, "openai-chat:gpt-4o", calls=[("look", {}, text, False)])
            _, body = page(g, f"requests/{entry['id']}/bodies/client")
            words = json.dumps(body["messages"], ensure_ascii=False)
            expect(harness.b64(PNG)[:60] not in words and f"sha256:{hashlib.sha256(PNG).hexdigest()}›" in words, words)
            expect("look: " in words and " there" in words or "kept" in words, words)


@case("a long name of a model is told whole")
def _():
    with Gateway() as g:
        name = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/" + "x" * 40
        entry, _ = watched(g, CHAT, "bedrock:" + name)
        expect((entry["asked"], entry["provider"], entry["model"]) == ("bedrock:" + name, "bedrock", name), entry)


@case("files are shown as pictures of plain types, or saved")
def _():
    with Gateway() as g:
        entry, _ = watched(g, CHAT, "openai-chat:gpt-4o")
        r, data = g.ask(f"/page/requests/{entry['id']}/files/0")
        expect(data == PNG and r.headers["content-type"] == "image/png" and "content-disposition" not in r.headers, r.headers)
        r, data = g.ask(f"/page/requests/{entry['id']}/files/1")
        expect(data == PDF and r.headers["content-type"] == "application/octet-stream", r.headers)
        expect(r.headers["content-disposition"] == 'attachment; filename="file.pdf"', r.headers)
        r, _ = g.ask(f"/page/requests/{entry['id']}/files/1?named=1")  # by the page: a name of the server's would replace it
        expect(r.headers["content-disposition"] == "attachment", r.headers)
        for i in (0, 1):
            r, data = g.ask(f"/page/requests/{entry['id']}/thumbnails/{i}")
            expect(r.status == 200 and r.headers["content-type"] in ("image/png", "image/jpeg"), (i, r.status, data))
        for bad in ("files/2", "files/-1", "files/x", "files/0.0", "thumbnails/9"):
            expect(g.ask(f"/page/requests/{entry['id']}/{bad}")[0].status == 404, bad)


@case("every page of a document is shown, large or small")
def _():
    with Gateway() as g:
        document = media_fixtures.long_pdf([[b"one"], [b"two"], [b"three"]])
        entry, kept = watched(g, CHAT, "openai-chat:gpt-4o", calls=[("look", {}, ("application/pdf", document), False)])
        expect(kept["files"][0]["pages"] == 3, kept["files"])
        seen = set()
        for page_number, size in ((1, "small"), (2, "small"), (3, "large")):
            r, data = g.ask(f"/page/requests/{entry['id']}/thumbnails/0?page={page_number}&size={size}")
            expect(r.status == 200 and r.headers["content-type"] in ("image/png", "image/jpeg"), (page_number, r.status, data))
            seen.add(data)
        expect(len(seen) == 3, "three pictures")
        for bad in (4, 10 ** 9):
            r, data = g.ask(f"/page/requests/{entry['id']}/thumbnails/0?page={bad}")
            expect(r.status >= 400 and b"error" in data, (bad, r.status, data[:200]))


@case("some pages of a document are told by their number, not by that of all")
def _():
    with Gateway(config="models:\n  \"openai-chat:gpt-4o\": {limits: {max_pdf_pages: 2}}\n") as g:
        document = media_fixtures.long_pdf([[b"one"], [b"two"], [b"three"]])
        _, kept = watched(g, CHAT, "openai-chat:gpt-4o", calls=[("look", {}, ("application/pdf", document), False)])
        expect(kept["files"][0]["words"] == "PDF, 2 pages of PDF, 3 pages", kept["files"])
        sent = [p for m in kept["model"]["messages"] for p in m["parts"] if p["kind"] == "file"]
        expect([p.get("pages") for p in sent] == [2], sent)


@case("the text of a document is shown as plain text")
def _():
    docx = media_fixtures.docx(b"<script>Dear reader</script>")
    with Gateway() as g:
        body = CHAT.body("openai-chat:gpt-4o", False, "Hello")
        body["messages"][0]["content"] = [{"type": "file", "file": {
            "filename": name, "file_data": f"data:{mime};base64," + harness.b64(data)}} for name, mime, data in (
                ("letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx),
                ("notes.txt", "text/plain", b"Some <b>notes</b>.\n" * 20), ("a.pdf", "application/pdf", PDF))]
        page(g, "requests")
        r, _ = g.ask(CHAT.path("", False), body)
        own = r.headers["x-refract-request-id"]
        while g.ask(f"/page/requests/{own}/texts/0")[0].status == 410:  # it is handed over after its reply
            pass
        for i, words in ((0, b"Dear reader"), (1, b"Some <b>notes</b>.")):
            r, text = g.ask(f"/page/requests/{own}/texts/{i}")
            expect(r.status == 200 and words in text and r.headers["content-type"] == "text/plain; charset=utf-8", (i, r.status, text))
        expect(g.ask(f"/page/requests/{own}/texts/2")[0].status == 404, "a PDF is shown by its pages")


@case("what is not a picture is never given to a browser as a document")
def _():
    with Gateway() as g:
        for data in (b"<html><script>alert(1)</script>" * 9, b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' * 4):
            entry, kept = watched(g, CHAT, "openai-chat:gpt-4o", calls=[("look", {}, ("application/pdf", data), False)])
            r, _ = g.ask(f"/page/requests/{entry['id']}/files/0")
            expect(r.headers["content-type"] in ("application/octet-stream", "application/json"), r.headers)
            expect(r.headers["x-content-type-options"] == "nosniff", r.headers)


@case("a request that no model was asked for is shown as it came")
def _():
    with Gateway() as g:
        entry, kept = watched(g, ANTHROPIC, "nonsense")
        expect(entry["status"] == 404 and kept["client"]["messages"] and "model" not in kept, kept)


@case("what goes as its own text is named by what it is, and words that are cut say so")
def _():
    with Gateway(script="replies:\n  - {status: 400, message: \"" + "word " * 100 + "\", times: 0}\n") as g:
        page(g, "requests")
        body = CHAT.body("anthropic:claude-sonnet-5", False, "Read")
        body["messages"][0]["content"] = [{"type": "file", "file": {
            "filename": "a.html", "file_data": "data:text/html;base64," + harness.b64(b"<!doctype html><p>Hello</p>")}}]
        g.ask(CHAT.path("", False), body)
        entry = requests(g, 1)[0]
        expect(entry["files"][0]["words"] == "HTML", entry)
        expect(entry["error_words"].endswith("…") and len(entry["error_words"].encode()) < 220, entry)


@case("what if another model were asked")
def _():
    with Gateway() as g:
        entry, _ = watched(g, ANTHROPIC, "anthropic:claude-sonnet-4-5")
        r, plans = page(g, f"requests/{entry['id']}/models?models=openai-chat:gpt-4o,ollama:llama3.1,none-such")
        expect(r.status == 200 and len(plans) == 3, plans)
        chat, llama, wrong = plans
        expect(chat["tokens"] > 0 and [f["delivery"] for f in chat["files"]] == ["fallback", "fallback"], chat)
        expect(llama["files"][0]["form"] == "note" and llama["model_view"]["messages"], llama)
        expect("unknown model" in wrong["error"], wrong)
        r, names = page(g, "models")
        expect(r.status == 200 and isinstance(names, list), names)


@case("what if the same model were asked: what it got")
def _():
    with Gateway() as g:
        for client in (ANTHROPIC, CHAT):
            entry, kept = watched(g, client, "openai-chat:gpt-4o")
            plan, = page(g, f"requests/{entry['id']}/models?models=openai-chat:gpt-4o")[1]
            expect(plan["model_view"] == kept["model"] and plan["files"] == kept["files"], (client.name, plan, kept))


@case("requests of before are in the store's log")
def _():
    with Gateway() as g:
        add_key(g, "plain", "--rpm", "60")
        key = add_key(g, "anna")
        while g.ask("/v1/models")[0].status != 401:  # within a second or so
            pass
        admin = add_key(g, "boss", "--admin")
        while page(g, "login", "POST", b"key=" + admin.encode(), x_refract_token=page(g, "me")[1]["token"])[0].status != 200:
            pass
        r, _ = page(g, "login", "POST", b"key=" + admin.encode(), x_refract_token=page(g, "me")[1]["token"])
        cookie = r.headers["set-cookie"].split(";")[0]
        r, _ = g.ask(CHAT.path("", False), CHAT.body("openai-chat:gpt-4o", False, "Hello", FILES), authorization="Bearer " + key)
        own = r.headers["x-refract-request-id"]
        rows = []
        while not rows:  # it is written by and by
            r, rows = page(g, "older", cookie=cookie)
            expect(r.status == 200, rows)
        expect(rows[0]["id"] == own and rows[0]["key"] == "anna" and rows[0]["status"] == 200 and rows[0]["input"] > 0, rows)
        expect([f["delivery"] for f in rows[0]["files"]] == ["fallback", "fallback"], rows)
        expect(page(g, f"older?before={rows[0]['began_ms']}", cookie=cookie)[1] == [], "none before it")


def add_key(g, name, *options):
    env = {**os.environ, "HOME": g.folder.name, "XDG_CONFIG_HOME": g.folder.name, "XDG_DATA_HOME": g.folder.name + "/data"}
    done = subprocess.run([REFRACT, "keys", "add", name, *options], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@case("where clients have keys the page needs an admin's, and no other will do")
def _():
    with Gateway() as g:
        admin, plain = add_key(g, "boss", "--admin"), add_key(g, "plain")
        while page(g, "requests")[0].status != 401 or g.ask("/v1/models", authorization="Bearer " + plain)[0].status != 200:
            pass  # both are known within a second or so
        me = page(g, "me")[1]
        expect(not me["admitted"] and g.ask("/")[0].status == 200, me)
        send = {"x_refract_token": me["token"], "content_type": "application/x-www-form-urlencoded"}
        for key in (plain, "", "rfk_" + "0" * 64):
            r, said = page(g, "login", "POST", b"key=" + key.encode(), **send)
            expect(r.status == 403 and "set-cookie" not in r.headers, (key, said))
        r, said = page(g, "login", "POST", b"key=" + admin.encode(), **send)
        cookie = r.headers["set-cookie"]
        expect(r.status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie and admin not in cookie, cookie)
        cookie = cookie.split(";")[0]
        expect(page(g, "requests", cookie=cookie)[0].status == 200, "let in")
        expect(page(g, "requests", cookie=cookie, sec_fetch_site="cross-site")[0].status == 403, "not from elsewhere")
        expect(page(g, "requests", cookie="refract_page=" + "0" * 64)[0].status == 401, "not with any cookie")
        expect(page(g, "requests", authorization="Bearer " + plain)[0].status == 401, "nor with a client's key")
        page(g, "logout", "POST", b"", cookie=cookie, x_refract_token=me["token"])
        expect(page(g, "requests", cookie=cookie)[0].status == 401, "logged out")
    turned_away = [line for line in g.log if line.get("path") == "/page/login"]
    expect([line["status"] for line in turned_away] == [403] * 3 and all("admin's key" in line["refused"] for line in turned_away), g.log)
    expect({line["status"] for line in g.log if line.get("path") == "/page/requests"} == {401, 403}, g.log)
    expect("rfk_" not in json.dumps(g.log), g.log)


@case("a login at one gateway leaves that at another of the same host alone")
def _():
    with Gateway() as g, Gateway() as other:
        cookies = []
        for one in (g, other):
            key = add_key(one, "boss", "--admin").encode()
            while page(one, "requests")[0].status != 401:  # within a second or so
                pass
            r, _ = page(one, "login", "POST", b"key=" + key, x_refract_token=page(one, "me")[1]["token"])
            cookies.append(r.headers["set-cookie"].split(";")[0])
        names = {c.split("=")[0] for c in cookies}
        expect(len(names) == 2, names)
        for one in (g, other):
            expect(page(one, "requests", cookie="; ".join(cookies))[0].status == 200, "both")


@case("an admin whose key is revoked is out, and so is what it was looking at")
def _():
    with Gateway() as g:
        admin = add_key(g, "boss", "--admin")
        while page(g, "requests")[0].status != 401:
            pass
        token = page(g, "me")[1]["token"]
        r, _ = page(g, "login", "POST", b"key=" + admin.encode(), x_refract_token=token)
        cookie = r.headers["set-cookie"].split(";")[0]
        stream = events(g, cookie=cookie)
        next(stream)
        env = {**os.environ, "HOME": g.folder.name, "XDG_CONFIG_HOME": g.folder.name, "XDG_DATA_HOME": g.folder.name + "/data"}
        subprocess.run([REFRACT, "keys", "revoke", "boss"], env=env, check=True, capture_output=True)
        expect(list(stream) == [], "the stream ends")
        expect(page(g, "requests", cookie=cookie)[0].status == 401, "out")


@case("sessions are shown without a gateway, for this machine alone")
def _():
    with tempfile.TemporaryDirectory() as home:
        env = harness.environment(home, None)
        pathlib.Path(home, "data").mkdir()
        subprocess.run([REFRACT, "sessions", "new"], input=json.dumps({"refract": 1, "messages": [{"role": "user", "content": "Hello there"}]}),
                       env=env, text=True, check=True, capture_output=True)
        web = subprocess.Popen([REFRACT, "sessions", "web", "--json"], env=env, stdout=subprocess.PIPE, text=True)
        port = int(re.fullmatch(r"http://127.0.0.1:(\d+)/", json.loads(web.stdout.readline())["url"]).group(1))

        def get(path, **headers):
            c = http.client.HTTPConnection("127.0.0.1", port, timeout=harness.LIMIT_S)
            c.request("GET", path, headers=headers)
            r = c.getresponse()
            said = r.read()
            c.close()
            return r.status, said

        expect(get("/")[0] == 200 and not json.loads(get("/page/me")[1])["gateway"], "the page")
        session, = json.loads(get("/page/sessions")[1])
        expect(session["title"] == "Hello there", session)
        said = json.loads(get(f"/page/sessions/{session['id']}")[1])["said"]["messages"]
        expect(said[0]["parts"][0]["text"] == "Hello there", said)
        expect(get("/page/sessions", Host="evil.example")[0] == 403 and get("/v1/models")[0] == 404, "nothing else")
        web.terminate()
        expect(web.wait(harness.LIMIT_S) == 0, web.returncode)
        done = subprocess.run([REFRACT, "sessions", "web", "--listen", "0.0.0.0:0"], env=env, text=True, capture_output=True, check=False)
        expect(done.returncode == 2 and "other machines" in done.stderr, done)


if __name__ == "__main__":
    harness.main()
