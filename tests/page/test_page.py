#!/usr/bin/env python3
"""The web page in a browser: test_page.py PATH-OF-REFRACT [PART-OF-A-NAME...]

Needs chromium and chromedriver (scripts/setup.sh test), and is skipped without them. axe-core, which looks for what keeps
people out, comes from npm once; where it cannot be had, that case says so and is skipped. With REFRACT_SHOTS set to a
folder, pictures of every view are put there.
"""
import contextlib
import json
import os
import pathlib
import queue
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

for folder in ("gateway", "terminal"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
import browser
import harness
import media_fixtures
from browser import DOWN, ENTER, ESCAPE, PAGE_DOWN, RIGHT, Browser
from driver import Terminal
from harness import CHAT_END, CLIENTS, PDF, PNG, REFRACT, Gateway, case, chat_piece, expect

AXE = "axe-core@4.10.3"
ANTHROPIC, CHAT = CLIENTS[0], CLIENTS[1]
EVIL = "<img src=x onerror=window.evil=1><script>window.evil=1</script>"
BROWSER = GATEWAY = None
FILES = [("look", {"path": "photo.png"}, ("image/png", PNG), False), ("look", {}, ("application/pdf", PDF), False)]


def shared():
    """One browser and one gateway for all: (browser, gateway), at the page's beginning."""
    global BROWSER, GATEWAY
    BROWSER = BROWSER or Browser()
    GATEWAY = GATEWAY or Gateway()
    at(BROWSER, GATEWAY, "")
    BROWSER.complaints()  # of the case before
    return BROWSER, GATEWAY


def at(b, g, view):
    b.open("about:blank")  # so that the address is loaded anew
    b.open(f"http://127.0.0.1:{g.port}/#/{view}")
    b.wait("document.querySelector('.live.live, .login')")
    return b


def ask(g, client=ANTHROPIC, model="openai-chat:gpt-4o", stream=True, text=harness.WORDS, calls=FILES, **headers):
    r, _ = g.ask(client.path(model, stream), client.body(model, stream, text, calls), **headers)
    return r.headers["x-refract-request-id"]


def row(own):
    return f"#row-{own}"


def kept(b, g, own):
    """Its view, once all of it is there."""
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[0] + ' .running:not(.note-of)')", row(own))
    at(b, g, f"requests/{own}")
    b.wait("document.querySelector('.columns .message')")


def shot(b, name):
    if folder := os.environ.get("REFRACT_SHOTS"):
        b.picture(os.path.join(folder, name + ".png"))


def quiet(b):
    """No script has failed, and the policy has forbidden nothing."""
    said = [m for m in b.complaints() if "thumbnails" not in m and "favicon" not in m]
    expect(not said, said)


@case("requests appear as they happen, with what became of their files")
def _():
    b, g = shared()
    g.relay.stall = b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
    c = g.connect()
    c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("openai-chat:gpt-4o", True, "Hello")))
    b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
    c.close()
    b.wait("document.querySelector('.row .chip.bad')?.innerText === 'gone'")
    g.relay.stall = None
    own = ask(g, user_agent="agent/1.0")
    b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(own))
    words = b.text(row(own))
    for part in ("agent", "anthropic", "openai-chat:gpt-4o", "200", "fallback", "original", "64×64 PNG", "PDF, 1 page",
                 "a tool result carries text only"):
        expect(part in words, (part, words))
    b.wait("document.querySelector(arguments[0] + ' img')?.naturalWidth > 0", row(own))
    quiet(b)


@case("the list is searched by the words of the reports, filtered, and paused")
def _():
    b, g = shared()
    own, other = ask(g), ask(g, CHAT, "nonsense", calls=())
    b.wait("document.querySelectorAll(arguments[0]).length === 2",
           f"{row(own)} .chip:not(.running), {row(other)} .chip:not(.running)")
    b.run("document.querySelector('[type=search]').focus()")
    b.keys("fallback 64×64")
    b.wait("!document.querySelector(arguments[0]) && document.querySelector(arguments[1])", row(other), row(own))
    b.run("(s => { s.value = ''; s.dispatchEvent(new Event('input')) })(document.querySelector('[type=search]'))")
    b.run("(s => { s.value = 'failed'; s.dispatchEvent(new Event('change')) })(document.querySelector('.tools select'))")
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[1])", row(other), row(own))
    b.run("(s => { s.value = 'all'; s.dispatchEvent(new Event('change')) })(document.querySelector('.tools select'))")
    b.run("document.activeElement.blur()")
    b.keys("p")
    paused = ask(g, calls=())
    b.wait("document.querySelector('.tools [aria-pressed=true]')?.innerText.match(/^Go on \\([1-9]/)")
    expect(not b.run("document.querySelector(arguments[0])", row(paused)), "nothing new while it is paused")
    b.keys("p")
    b.wait("document.querySelector(arguments[0])", row(paused))
    quiet(b)


def search(b, words):
    b.run("(s => { s.value = arguments[0]; s.dispatchEvent(new Event('input')) })(document.querySelector('[type=search]'))", words)


@case("what people type finds it, and where nothing is found the page says so")
def _():
    b, g = shared()
    own = ask(g)
    b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(own))
    for words in ("64x64", "64×64", "after the results", "streamed"):
        search(b, words)
        b.wait("document.querySelector(arguments[0])", row(own))
    search(b, "nothing has these words")
    b.wait("!document.querySelector('.list .row')")
    expect("No request matches" in b.text(".left"), b.text(".left"))
    b.run("[...document.querySelectorAll('.left button')].find(e => e.innerText === 'Show all').click()")
    b.wait("document.querySelector(arguments[0])", row(own))
    expect(b.run("document.activeElement.type") == "search", "who cleared it can type at once")
    quiet(b)


@case("files that have no room in a row are searched, filtered and told of")
def _():
    b, g = shared()
    body = ANTHROPIC.body("anthropic:claude-sonnet-5", False, "Hello")
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": harness.b64(PNG)}}
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}, "title": "ninth.txt"}
    body["model"] = "openai-chat:gpt-4o"
    body["messages"] = [{"role": "user", "content": [picture] * 8 + [document]}]
    r, said = g.ask(ANTHROPIC.path("", False), body)
    expect(r.status == 200, said)
    own, other = r.headers["x-refract-request-id"], ask(g, CHAT, calls=())
    b.wait("document.querySelector(arguments[0])?.innerText.includes('+6 more') && document.querySelector(arguments[1] + ' .chip.good')",
           row(own), row(other))
    expect("ninth.txt" in b.run("document.querySelector(arguments[0] + ' .row-files > .quiet').title", row(own)), "their names")
    search(b, "ninth.txt")
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[1])", row(own), row(other))
    search(b, "")
    b.run("(s => { s.value = 'changed'; s.dispatchEvent(new Event('change')) })(document.querySelector('.tools select'))")
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[1])", row(own), row(other))


@case("what was left out besides files is in the row, in the facts and in the search")
def _():
    b, g = shared()
    body = CHAT.body("openai-chat:gpt-4o", True, "Hello")
    body["messages"] = [{"role": ("user", "assistant")[i % 2], "content": f"{i} " + "word " * 2000} for i in range(201)]
    r, _ = g.ask(CHAT.path("", True), body)
    own, other = r.headers["x-refract-request-id"], ask(g, CHAT, calls=())
    b.wait("document.querySelector(arguments[0] + ' .chip.left-out')", row(own))
    b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(other))
    expect("message" in b.text(row(own)), b.text(row(own)))
    search(b, "left out")
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[1])", row(own), row(other))
    search(b, "")
    b.run("(s => { s.value = 'changed'; s.dispatchEvent(new Event('change')) })(document.querySelector('.tools select'))")
    b.wait("document.querySelector(arguments[0]) && !document.querySelector(arguments[1])", row(own), row(other))
    b.click(row(own))
    b.wait("document.querySelector('.facts')?.innerText.includes('Left out')")
    shot(b, "left-out")
    quiet(b)


@case("files keep their room in a row beside long words")
def _():
    b, g = shared()
    body = CHAT.body("anthropic:claude-sonnet-5", False, "Hello", FILES)
    body |= {"n": 2, "logit_bias": {"1": 1}, "presence_penalty": 1, "logprobs": True, "seed": 7}
    r, said = g.ask(CHAT.path("", False), body)
    expect(r.status == 200, said)
    own = r.headers["x-refract-request-id"]
    b.wait("document.querySelector(arguments[0] + ' .row-words') && document.querySelector(arguments[0] + ' .row-file')", row(own))
    for address in ("", f"requests/{own}"):
        at(b, g, address)
        b.wait("document.querySelector(arguments[0] + ' .row-file')", row(own))
        widths = b.run("[...document.querySelectorAll(arguments[0] + ' .row-files > *')].map(e => e.offsetWidth)", row(own))
        expect(min(widths) > 40, (address, widths, b.text(row(own))))


@case("a request that nobody answered says what was asked for, and why not")
def _():
    b, g = shared()
    own = ask(g, CHAT, "nonsense")
    b.wait("document.querySelector(arguments[0] + ' .chip.bad')", row(own))
    words = b.text(row(own))
    expect("nonsense" in words and "nobody answered" in words and b.run("document.querySelector(arguments[0] + ' .wrong')", row(own)), words)


@case("what is open is drawn again when it is over, kept or not")
def _():
    b, g = shared()
    g.relay.stall = b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
    c = g.connect()
    c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("openai-chat:gpt-4o", True, "Hello")))
    b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
    expect("$0" not in b.text(".row .row-cost"), "what it costs is not known yet")
    b.click(".list .row")
    b.wait("document.querySelector('#panel')?.innerText.includes('under way')")
    c.close()
    g.relay.stall = None
    b.wait("document.querySelector('.facts')?.innerText.includes('went before the end')")
    b.wait("!document.querySelector('#panel').innerText.includes('under way')")


@contextlib.contextmanager
def under_way(g, client=ANTHROPIC, calls=FILES):
    """A request whose reply comes as it is fed: (its connection, feed)."""
    g.relay.feed, c = queue.Queue(), g.connect()
    c.request("POST", client.path("", True), json.dumps(client.body("openai-chat:gpt-4o", True, "Hello", calls)))
    try:
        yield c, g.relay.feed.put
    finally:
        c.close()
        g.relay.feed.put(None)
        g.relay.feed = None


@case("a reply is read while it comes, and what is shown of it stays as it is when it is over")
def _():
    b, g = shared()
    source = axe()
    with under_way(g) as (c, feed):
        feed(chat_piece("Good "))
        b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
        words = b.text(".row:has(.chip.running)")
        expect("64×64 PNG" in words and "fallback" in words, words)
        b.click(".list .row")
        b.wait("document.querySelector('.replied .said')?.textContent === 'Good '")
        expect("under way" in b.text(".replied .chip") and b.run("document.querySelector('.replied').ariaBusy") == "true", b.text("#panel"))
        for part in ("As the model got it", "See file", "fallback"):
            expect(part in b.text("#panel"), (part, b.text("#panel")))
        b.wait("document.querySelector('#panel figure img')?.naturalWidth > 0")
        feed(chat_piece("morning " + EVIL))
        b.wait("document.querySelector('.replied .message .said').innerText.includes('onerror')")
        for scheme, width in (("light", 1280), ("dark", 1280), ("dark", 400), ("light", 400)):
            b.prefer(scheme)
            b.size(width, 800)
            b.run("document.querySelector('.replied').scrollIntoView()")
            expect(b.run("document.documentElement.scrollWidth") <= width, width)
            shot(b, f"under-way-{scheme}-{width}")
            found = findings(b, source) if source else []
            expect(not found, (scheme, width, found))
        b.size(1280, 800)
        b.run("window.same = [...document.querySelectorAll('#panel .message, #panel figure img, #panel .said')]")
        b.run("window.places = same.map(e => e.getBoundingClientRect().top)")
        feed(CHAT_END)
        feed(None)
        b.wait("document.querySelector('.facts').innerText.includes('200, as a stream')")
        b.wait("document.querySelector('.replied .message').innerText.includes('stopped: end')")
        b.wait("document.querySelector('.replied .chip').hidden && document.querySelector('.replied').ariaBusy === 'false'")
        expect(b.run("same.every(e => e.isConnected)"), "nothing is drawn again")
        expect(b.run("JSON.stringify(same.map(e => e.getBoundingClientRect().top)) === JSON.stringify(places)"), "nothing moves")
        expect(b.text("#news") == "the reply is complete", b.text("#news"))
        expect(EVIL in b.text("#panel") and not b.run("window.evil"), "words, and nothing else")
        b.keys("4")
        b.wait("document.querySelectorAll('#panel .pieces li').length > 2")
        expect(EVIL in b.text(".replied .message"), b.text("#panel"))
    quiet(b)


@case("whoever comes while a reply is under way sees what there is of it, in each part, and how it ends")
def _():
    b, g = shared()
    for client, leaves, words in ((CHAT, True, "the client left"), (ANTHROPIC, False, "broke off")):
        with under_way(g, client) as (c, feed):
            feed(chat_piece("Good morning"))
            b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
            own = b.run("document.querySelector('.row:has(.chip.running)').id").removeprefix("row-")
            at(b, g, f"requests/{own}/reply")
            b.wait("document.querySelector('.replied .message .said')?.innerText === 'Good morning' && document.querySelector('.pieces li')")
            for part, wanted in (("files", "64×64 PNG"), ("bodies", "gpt-4o"), ("attempts", "not refused so far")):
                at(b, g, f"requests/{own}/{part}")
                b.wait("document.querySelector('#panel')?.innerText.includes(arguments[0])", wanted)
            at(b, g, f"requests/{own}")
            b.wait("document.querySelector('.replied .message .said')?.innerText === 'Good morning'")
            c.close() if leaves else feed(None)
            b.wait("document.querySelector('.replied .chip.bad')?.innerText === arguments[0]", words)
            expect("Good morning" in b.text(".replied .message"), b.text("#panel"))
            at(b, g, f"requests/{own}")
            b.wait("document.querySelector('.replied .message .said')?.innerText === 'Good morning'")
            expect(b.text(".replied .chip") == words, b.text(".replied"))
    quiet(b)


def hide(b, hidden):
    """The tab is put behind another, or comes back."""
    b.run("(Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true }), "
          "document.dispatchEvent(new Event('visibilitychange')))", hidden)


@case("a hidden tab holds no connection, and has what it missed when it is looked at again")
def _():
    b, g = shared()
    own = b.cdp("Page.addScriptToEvaluateOnNewDocument", source="window.streams = []; window.EventSource = class extends EventSource {"
                "constructor(address) { super(address); streams.push(this); } };")
    at(b, g, "")
    b.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=own["identifier"])
    with under_way(g) as (c, feed):
        feed(chat_piece("Good "))
        b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
        b.click(".list .row")
        b.wait("document.querySelector('.replied .said')?.textContent === 'Good '")
        hide(b, True)
        expect(b.run("streams.map(s => s.readyState)") == [2, 2], "they are closed")
        feed(chat_piece("morning"))
        queued, g.relay.feed = g.relay.feed, None
        other = ask(g, CHAT, calls=())
        g.relay.feed = queued
        hide(b, False)
        b.wait("document.querySelector(arguments[0])", row(other))
        b.wait("document.querySelector('.replied .said')?.textContent === 'Good morning'")
        feed(CHAT_END)
    quiet(b)


@case("addresses that are none, and the way past the bar")
def _():
    b, g = shared()
    for view in ("toString", "constructor", "nonsense", "requests/x/toString"):
        at(b, g, view)
        b.wait("document.querySelector('#nav [aria-current]')?.dataset.view === 'requests'")
    at(b, g, "sessions")
    b.wait("document.querySelector('.sessions')")
    b.click(".skip")
    expect(b.run("[location.hash, document.activeElement.id]") == ["#/sessions", "main"], "the view stays")
    said = [m for m in b.complaints() if "404" not in m]
    expect(not said, said)


@case("an answer that breaks off is told from one that was refused")
def _():
    b, _ = shared()
    with Gateway(script="replies:\n  - {times: 0, text: \"" + "word " * 400 + "\", cut_after_bytes: 3000}\n") as g:
        at(b, g, "")
        own = ask(g, CHAT, calls=())
        b.wait("document.querySelector(arguments[0] + ' .chip.bad')?.innerText === 'broke off'", row(own))
        at(b, g, f"requests/{own}/attempts")
        b.wait("document.querySelector('.attempts blockquote')")
        expect("did not come to an end" in b.text("#panel") and "then it broke off" in b.text(".facts"), b.text(".detail"))


@case("an address shows its row, however far down that is")
def _():
    b, g = shared()
    own = ask(g, CHAT, calls=())
    for _ in range(30):
        ask(g, CHAT, "nonsense", calls=())
    at(b, g, f"requests/{own}")
    b.wait("(r => r && r.getBoundingClientRect().top < innerHeight - 40)(document.querySelector(arguments[0]))", row(own))


@case("a store without a gateway has sessions only, in the keys too")
def _():
    b, g = shared()
    own = new_session(g, "A question")
    served = subprocess.Popen([REFRACT, "sessions", "web"], env=environment(g), stdout=subprocess.PIPE, text=True)
    try:
        b.open(re.search(r"http://\S+", served.stdout.readline()).group(0))
        b.wait("document.querySelector(arguments[0])", row(own))
        b.keys("gr")
        b.keys("go")
        b.keys("?")
        words = b.wait("document.querySelector('dialog[open]')?.innerText")
        expect("overview" not in words and "pause" not in words, words)
        b.keys(ESCAPE)
        expect(b.text("#nav").split() == ["Sessions"] and b.run("document.querySelector('.sessions')"), b.text("#nav"))
        quiet(b)
    finally:
        served.terminate()
        served.communicate(timeout=harness.LIMIT_S)


@case("a session that is being written elsewhere is not changed, and the page says why")
def _():
    b, g = shared()
    own = new_session(g, "A question")
    with Terminal([REFRACT, "chat", "-m", "offline", "--session", own], env=environment(g), cwd=g.folder.name, home=g.folder.name) as t:
        t.wait_for("offline")
        at(b, g, f"sessions/{own}")
        b.wait("document.querySelector('.session-file p button')")
        b.click(".session-file p button")
        b.wait("document.querySelector('.detail [role=alert]').innerText.includes('being written')")
        expect(any("409" in m for m in b.complaints()), "a conflict")


@case("before the first request, the page says how clients come here")
def _():
    b, _ = shared()
    with Gateway() as g:
        at(b, g, "")
        b.wait("document.querySelector('.welcome:not([hidden])')")
        words = b.text(".welcome")
        for part in ("Claude Code", "Codex", "curl", f"base_url=\"http://127.0.0.1:{g.port}/v1\""):
            expect(part in words, (part, words))
        shot(b, "welcome")
        ask(g)
        b.wait("document.querySelector('.welcome[hidden]')")
        quiet(b)


@case("one request, part by part")
def _():
    b, g = shared()
    kept(b, g, ask(g))
    words = b.text("#panel")
    for part in ("As the client sent it", "As the model got it", "the weather in Bern", "by refract", "See file",
                 "This is file", "fallback"):
        expect(part in words, (part, words))
    for number, wanted in ((2, ["64×64 PNG", "after the results"]), (4, ["message_stop", "assistant"]),
                           (5, ["sha256:", "From the client", "\"gpt-4o\""]), (6, ["Asked once"])):
        b.keys(str(number))
        b.wait("arguments[0].every(w => document.querySelector('#panel').innerText.includes(w))", wanted)
    quiet(b)


@case("what if other models were asked: files as rows, and the one that was asked first")
def _():
    b, g = shared()
    kept(b, g, ask(g))
    b.keys("3")
    b.wait("document.querySelectorAll('.plan').length === 5")
    expect("openai-chat:gpt-4o" in b.text(".plan") and "asked" in b.text(".plan"), b.text(".plan"))
    b.run("document.querySelector('.whatif input').focus()")
    b.keys("mistral:mistral-medium-latest" + ENTER)
    b.wait("document.querySelectorAll('.plan')[1]?.innerText.includes('mistral')")
    words = b.text(".plans")
    expect("Tokens" in words and "native" in words and "note" in words, words)
    expect(b.run("document.querySelectorAll('.plan-table tr:has(.badge)').length") == 2, "a row a file")
    b.click(".plans summary")
    b.wait("document.querySelector('.plans details .message')")
    for i in range(5):
        b.run("document.querySelector('.whatif input').focus()")
        b.keys(f"openai:model-{i}" + ENTER)
    b.wait("document.querySelector('.whatif [role=status]').innerText.includes('At most 8 models')")
    b.run("localStorage.clear()")
    b.run("document.activeElement.blur()")
    shot(b, "what-if")
    b.wait("document.querySelectorAll('.plan').length === 8")
    b.click(".plan .close")
    b.wait("document.querySelector('.plan') && !document.querySelector('.plans').innerText.includes('model-4')")
    quiet(b)


@case("both sides are beside each other message by message, and what is the same is folded")
def _():
    b, g = shared()
    body = ANTHROPIC.body("openai-chat:gpt-4o", False, harness.WORDS, FILES)
    before = [{"role": ("user", "assistant")[i % 2], "content": f"number {i}"} for i in range(12)]
    body["messages"] = before + body["messages"]
    r, _ = g.ask(ANTHROPIC.path("", False), body)
    own = r.headers["x-refract-request-id"]
    b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(own))
    at(b, g, f"requests/{own}")
    b.wait("document.querySelector('.pairs .message')")
    expect("14 messages, the same on both sides" in b.text(".run.same summary"), b.text("#panel"))
    expect("number 3" not in b.text("#panel"), "they are folded")
    b.click(".run.same summary")
    b.wait("document.querySelector('.run.same').innerText.match(/number 3/g)?.length === 2")
    tops = b.run("['client', 'model'].map(side => [...document.querySelectorAll(`.${side}-side.column`)]"
                 ".filter(e => e.innerText.includes('look')).map(e => Math.round(e.getBoundingClientRect().top)))")
    expect(tops[0] and tops[0][:3] == tops[1][:3], tops)
    b.size(400, 800)
    b.wait("document.querySelector('.side-choice').offsetHeight > 0")
    shown = "[...document.querySelectorAll('.column')].filter(e => e.offsetHeight).map(e => e.classList[1])"
    expect(set(b.run(shown)) == {"model-side"}, b.run(shown))
    b.click(".side-choice button")
    expect(set(b.run(shown)) == {"client-side"}, b.run(shown))
    b.size(1280, 800)
    quiet(b)


def beside(b, g, body, client=ANTHROPIC):
    """The rows of a request's two columns: [(what the client's says, what the model's says), ...]; nothing is folded."""
    r, said = g.ask(client.path("", False), body)
    expect(r.status == 200, said)
    kept(b, g, r.headers["x-refract-request-id"])
    b.wait("document.querySelector('.pairs .message')")
    columns = b.run("['client', 'model'].map(side => [...document.querySelectorAll(`.${side}-side.column`)].map(e => e.innerText))")
    return list(zip(*columns))


def calling(model, turns):
    """A client's conversation: of each turn the calls, (id, place), and the results in their order, (id, words)."""
    body = ANTHROPIC.body(model, False, "Begin")
    for calls, results in turns:
        body["messages"] += [
            {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "look", "input": {"at": at}} for i, at in calls]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": words} for i, words in results]}]
    return body


@case("what became of a message stands beside it, whatever the ids of calls and the order of results")
def _():
    b, g = shared()
    same = calling("mistral:mistral-medium-latest", [([("toolu_1", "Bern")], [("toolu_1", "ok")]), ([("toolu_1", "Basel")], [("toolu_1", "ok")])])
    rows = beside(b, g, same)
    for client, model in rows:
        for words in ("Begin", "Bern", "Basel", "ok"):
            expect((words in client) == (words in model), rows)
    expect(len(rows) == 5 and "left out" not in str(rows), rows)
    crossed = calling("mistral:mistral-medium-latest", [([("toolu_a", "Bern"), ("toolu_b", "Basel")], [("toolu_b", "rain"), ("toolu_a", "sun")])])
    rows = beside(b, g, crossed)
    expect(len(rows) == 3 and "left out" not in str(rows), rows)
    expect(all(words in side for words in ("rain", "sun") for side in rows[2]), rows)
    shot(b, "beside-crossed")


@case("calls that a model gets as words stand beside those of the client")
def _():
    with Gateway(config="models:\n  \"openai-chat:gpt-4o\": {limits: {tools: no}}\n") as g:
        b, _ = shared()
        at(b, g, "")
        rows = beside(b, g, calling("openai-chat:gpt-4o", [([("toolu_1", "Bern")], [("toolu_1", "sun")])]))
        expect("left out" not in str(rows), rows)
        expect(all(words in side for words, row in (("Bern", rows[1]), ("sun", rows[2])) for side in row), rows)


MARKS = "[...document.querySelectorAll('.pairs .mark')].map(e => [e.closest('.column').classList[1], e.innerText, e.parentNode.innerText])"


@case("a call that goes by another name, and a long text that is cut, are marked on both sides")
def _():
    b, g = shared()
    body = CHAT.body("anthropic:claude-sonnet-5", False, "Hello", [("my.tool", {"at": "Bern"}, "sun", False)])
    body["tools"][0]["function"]["name"] = "my.tool"
    rows = beside(b, g, body, CHAT)
    expect("calls my_tool" in rows[1][1], rows)
    marks = b.run(MARKS)
    expect([(side, words) for side, words, _ in marks] == [("client-side", "not sent as it is"), ("model-side", "by refract")], marks)
    rows = beside(b, g, CHAT.body("openai-chat:gpt-4o", False, "Hello", [("cat", {}, "line of words that go on\n" * 60000, False)]), CHAT)
    marks = [(side, words) for side, words, text in b.run(MARKS) if "go on\n" in text]
    expect(marks == [("client-side", "not sent as it is"), ("model-side", "cut by refract")], marks)


@case("words that stand for a file on the client's side are told from the client's own")
def _():
    b, g = shared()
    text = json.dumps({"data": harness.b64(PNG), "words": "kept"})
    rows = beside(b, g, CHAT.body("openai-chat:gpt-4o", False, "Hello", [("look", {}, text, False)]), CHAT)
    marks = [words for side, words, text in b.run(MARKS) if side == "client-side" and "taken out" in text]
    expect(marks == ["without the file in it"], (marks, rows))


@case("what refract adds to a system prompt, or writes as one, is on the model's side")
def _():
    b, g = shared()
    for own in ("You are terse.", ""):
        body = CHAT.body("anthropic:claude-3-haiku-20240307", False, "Say it in JSON")
        body["messages"] = ([{"role": "system", "content": own}] if own else []) + body["messages"]
        body["response_format"] = {"type": "json_object"}
        rows = beside(b, g, body, CHAT)
        expect("by refract" in rows[0][1] and "JSON" in rows[0][1] and "terse" not in rows[0][1], rows)
        expect(not rows[0][0].strip() and ("System prompt" in b.text("#panel")) == bool(own), b.text("#panel"))
    shot(b, "beside-system")


@case("a request that no model was sent says so, and names no model")
def _():
    b, g = shared()
    body = calling("nonsense", [([("toolu_1", "Bern")], [("toolu_1", "sun")])])
    r, _ = g.ask(ANTHROPIC.path("", False), body)
    own = r.headers["x-refract-request-id"]
    b.wait("document.querySelector(arguments[0] + ' .chip.bad')", row(own))
    at(b, g, f"requests/{own}")
    b.wait("document.querySelector('.column .message')")
    words = b.text("#panel")
    expect("Nothing was sent to a model." in words and "What it was sent" not in words and ":nonsense" not in words, words)


@case("a request that a model refused as it came was sent")
def _():
    b, _ = shared()
    with Gateway(script="replies:\n  - {status: 400, times: 0}\n") as g:
        at(b, g, "")
        own = ask(g, CHAT, calls=())
        b.wait("document.querySelector(arguments[0] + ' .chip.bad')", row(own))
        at(b, g, f"requests/{own}")
        b.wait("document.querySelector('.column .message')")
        expect("Nothing was sent" not in b.text("#panel"), b.text("#panel"))
        b.wait("document.querySelector('.replied')?.innerText.includes('the request was refused')")
        expect(not b.run("document.querySelector('.replied .message').offsetHeight"), "no turn without words")


@case("a thought that a model does not get is marked")
def _():
    b, g = shared()
    body = ANTHROPIC.body("openai-chat:gpt-4o", False, "Begin")
    body["messages"] += [{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "Yes."}]},
                         {"role": "user", "content": "Why?"}]
    rows = beside(b, g, body)
    expect("left out" in rows[1][0] and "Hm." in rows[1][0] and "Hm." not in rows[1][1], rows)


@case("many tools are folded, and a long id of a call is cut")
def _():
    b, g = shared()
    body = calling("mistral:mistral-medium-latest", [([("toolu_" + "x" * 3000, "Bern")], [("toolu_" + "x" * 3000, "sun")])])
    body["tools"] = [{"name": f"tool_{i}", "input_schema": {"type": "object", "properties": {}}} for i in range(120)]
    beside(b, g, body)
    expect("tools: 120" in b.text("#panel") and "tool_77" not in b.text("#panel"), b.text("#panel"))
    expect("x…" in b.text("#panel") and "x" * 100 not in b.text("#panel"), b.text("#panel"))
    b.click(".tools-folded summary")
    b.wait("document.querySelector('#panel').innerText.includes('tool_77')")
    b.size(400, 800)
    out = b.run("[...document.querySelectorAll('.tabs button')].filter(e => e.getBoundingClientRect().right > 400).map(e => e.innerText)")
    shot(b, "narrow-tabs")
    b.size(1280, 800)
    expect(not out, out)


@case("figures are as people write them")
def _():
    b, g = shared()
    said = b.ask("POST", "/execute/async", {"args": [], "script": """const done = arguments[0];
        import('/page/web/format.js').then((f) => done([f.money(3), f.money(0), f.money(250), f.percent(0), f.percent(0.0002), f.percent(0.5),
            f.tokens(0, 0), f.tokens(12, 0), f.day(Date.UTC(2019, 4, 5))]));"""})
    wanted = ["$0.000003", "$0", "$0.00025", "0 %", "< 0.1 %", "50 %", "– → –", "12 → 0"]
    expect(said[:-1] == wanted and "2019" in said[-1], said)


@case("raw bodies have numbers, names and texts as they came, a line each")
def _():
    b, g = shared()
    body = '{"model": "openai-chat:gpt-4o", "seed": 9007199254740993, "2": 1, "1": [], "metadata": {}, ' \
        '"messages": [{"role": "user", "content": "a \\"b\\": [1, {2}]\\\\"}]}'
    r, said = g.ask(CHAT.path("", False), body.encode())
    own = r.headers["x-refract-request-id"]
    b.wait("document.querySelector(arguments[0] + ' .chip:not(.running)')", row(own))
    at(b, g, f"requests/{own}/bodies")
    shown = b.wait("(t => t.length > 9 && t)(document.querySelector('pre.body')?.textContent || '')")
    expect(shown == "\n".join([
        '{', '  "model": "openai-chat:gpt-4o",', '  "seed": 9007199254740993,', '  "2": 1,', '  "1": [],', '  "metadata": {},', '  "messages": [',
        '    {', '      "role": "user",', '      "content": "a \\"b\\": [1, {2}]\\\\"', '    }', '  ]', '}']), shown)


@case("arguments of a call in a reply have their numbers as they came")
def _():
    b, g = shared()
    for arguments, shown in (('{"id": 9007199254740993}', '{"id": 9007199254740993}'), ('{"id": 7}', '{\n  "id": 7\n}')):
        with under_way(g, CHAT, calls=()) as (c, feed):
            call = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "look", "arguments": arguments}}
            feed(b"data: " + json.dumps({"id": "x", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).encode() + b"\n\n")
            answers = ".row:has(.chip.running:not(.note-of))"
            b.wait("document.querySelector(arguments[0])?.innerText.includes('answers')", answers)
            b.click(answers)
            b.wait("document.querySelector('.replied .call pre')?.textContent === arguments[0]", shown)
        b.wait("!document.querySelector(arguments[0])", answers)


@case("of a file that went as its text no bytes are counted, and its name is whole")
def _():
    b, g = shared()
    body = CHAT.body("openai-chat:gpt-4o", True, "read")
    body["messages"][0]["content"] = [{"type": "file", "file": {
        "filename": "minutes.docx", "file_data": "data:application/octet-stream;base64," + harness.b64(media_fixtures.docx(b"Dear reader"))}}]
    r, _ = g.ask(CHAT.path("", True), body)
    own = r.headers["x-refract-request-id"]
    kept(b, g, own)
    b.keys("2")
    size = b.wait("document.querySelector('#panel tbody td:last-child')?.innerText")
    expect(re.fullmatch(r"\d+ K?B", size), size)
    for tab, name in (("files", ".named"), ("whatif", "tr:has(.badge) th")):
        at(b, g, f"requests/{own}/{tab}")
        b.wait("document.querySelector('#panel ' + arguments[0])", name)
        lines = b.run("(r => (r.selectNodeContents(document.querySelector('#panel ' + arguments[0]).lastChild), r.getClientRects().length))"
                      "(document.createRange())", name)
        expect(lines == 1, (tab, lines))


@case("sound can be heard")
def _():
    b, g = shared()
    sound = media_fixtures.wav(8000)
    body = CHAT.body("google:gemini-3.5-flash", True, "listen")
    body["messages"][0]["content"] = [{"type": "text", "text": "listen"}, {"type": "input_audio", "input_audio": {
        "data": harness.b64(sound), "format": "wav"}}]
    r, _ = g.ask(CHAT.path("", True), body)
    kept(b, g, r.headers["x-refract-request-id"])
    b.click(".opener")
    b.wait("document.querySelector('.viewer[open] audio')?.duration > 0")
    b.keys(ESCAPE)
    quiet(b)


@case("all of it with the keyboard")
def _():
    b, g = shared()
    first, second = ask(g), ask(g)
    b.wait("document.querySelector(arguments[0]) && document.querySelector(arguments[1])", row(first), row(second))
    b.keys("j")
    chosen = "document.querySelector('.row[aria-selected=true]')?.id"
    newest = b.wait(chosen)
    expect(b.run("document.activeElement.className === 'list' && document.activeElement.getAttribute('aria-activedescendant')") == newest,
           "a screen reader hears which, and Tab goes on from there")
    b.keys("j")
    expect(b.wait(chosen) != newest, "the next")
    b.keys("k")
    expect(b.wait(chosen) == newest, "and back")
    b.keys(ENTER)
    b.wait("document.querySelector('.detail')")
    b.keys("2")
    b.wait("document.querySelector('#tab-files')?.getAttribute('aria-selected') === 'true'")
    b.run("document.querySelector('#panel').focus()")
    b.keys("j")
    expect(b.run("document.activeElement.className") == "list", "what had the focus is gone")
    b.wait("document.querySelector('.row[aria-selected=true]')?.id !== arguments[0] && "
           "document.querySelector('.detail')", newest)
    steps = b.run("history.length")
    b.keys("jk3")
    expect(b.run("history.length") == steps, "steps through a list and between parts are not gone back through one by one")
    b.wait("document.querySelector('.detail .close')")
    b.click(".detail .close")
    b.wait("document.querySelector('.beside').hidden && document.activeElement.className === 'list'")
    b.keys(ENTER)
    b.wait("document.querySelector('.detail')")
    b.keys(ESCAPE)
    b.wait("document.querySelector('.beside').hidden && document.activeElement.className === 'list'")
    b.keys(DOWN)
    b.keys("/")
    b.wait("document.activeElement.type === 'search'")
    b.keys(ESCAPE)
    b.keys("?")
    b.wait("document.querySelector('dialog[open]')")
    b.keys(ESCAPE)
    b.wait("!document.querySelector('dialog[open]')")
    for keys, view in (("gs", "sessions"), ("go", "overview"), ("gr", "requests")):
        b.keys(keys)
        b.wait("document.querySelector('#nav [aria-current]').dataset.view === arguments[0]", view)
    quiet(b)


def environment(g):
    return {**os.environ, "HOME": g.folder.name, "XDG_CONFIG_HOME": g.folder.name, "XDG_DATA_HOME": g.folder.name + "/data",
            "XDG_CACHE_HOME": g.folder.name + "/cache"}


def refract(g, *words, text=None):
    done = subprocess.run([REFRACT, *words], env=environment(g), cwd=g.folder.name, input=text, capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return done.stdout.strip()


def real_session(g, model, *words):
    """A conversation with the simulator, as a person has it on the command line; its id."""
    at_sim = f"http://127.0.0.1:{g.relay.server_address[1]}"
    done = subprocess.run([REFRACT, "ask", "-q", "--json", "-m", model, *words], env=harness.environment(g.folder.name, at_sim), cwd=g.folder.name,
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)["session"]


def new_session(g, title, name="photo.png"):
    pathlib.Path(g.folder.name, name).write_bytes(PNG)
    document = {"refract": 1, "messages": [
        {"role": "user", "content": [{"type": "text", "text": title}, {"type": "image", "source_path": name, "name": name}]},
        {"role": "assistant", "content": "It is red."}]}
    return refract(g, "sessions", "new", text=json.dumps(document)).split()[-1]


@case("sessions are browsed, searched, looked into, and their files dropped and kept")
def _():
    b, g = shared()
    own = new_session(g, "A question about a red square")
    new_session(g, "Something else")
    at(b, g, "sessions")
    b.wait("document.querySelectorAll('.row').length >= 2")
    expect(re.fullmatch(r"\d\d:\d\d:\d\d", b.text(".row-time")), "those of today have their time")
    b.run("document.querySelector('[type=search]').focus()")
    b.keys("red square")
    b.wait("document.querySelectorAll('.row').length === 1")
    b.click(".row")
    b.wait("document.querySelector('.session-file img')?.naturalWidth > 0")
    expect("It is red." in b.text(".detail") and "photo.png" in b.text(".detail"), b.text(".detail"))
    b.wait("document.querySelector('.plan')")
    shot(b, "session")
    for word in ("Dropped: send it again", "Drop"):
        b.click(".session-file p button")
        b.wait("document.querySelector('.session-file p button')?.innerText === arguments[0]", word)
        dropped = json.loads(refract(g, "sessions", "media", own, "--json").splitlines()[0])["dropped"]
        expect(dropped == (word != "Drop"), dropped)
        b.wait("document.querySelector('.plan-table')?.innerText.includes('omitted') === arguments[0]", word != "Drop")
    expect(b.run("document.activeElement.innerText") == "Drop", "the focus stays on what was pressed")
    search(b, own[-6:])
    b.wait("document.querySelector('.row')?.id === arguments[0]", f"row-{own}")
    search(b, "")
    third = new_session(g, "One that comes while another is open")
    b.wait("document.querySelector(arguments[0])", row(third))
    r, data = g.ask(f"/page/sessions/{own}/export")
    expect(r.status == 200 and b"session.jsonl" in data, r.headers)
    quiet(b)


@case("a session that is open grows with it, and what is typed beside it stays")
def _():
    b, g = shared()
    own = real_session(g, "openai-chat:gpt-4o", "The first question")
    at(b, g, f"sessions/{own}")
    b.wait("document.querySelector('.message.assistant') && document.querySelector('.plan')")
    b.click(".turn summary")
    b.wait("document.querySelector('.turn').innerText.includes('tokens')")
    b.run("document.querySelector('.whatif input').focus()")
    b.keys("mistral")
    real_session(g, "openai-chat:gpt-4o", "--session", own, "The second question")
    b.wait("document.querySelector('.detail')?.innerText.includes('The second question')")
    expect(b.run("[document.activeElement.placeholder, document.activeElement.value]") == ["PROVIDER:MODEL", "mistral"], "it can be typed on")
    expect(b.run("document.querySelector('.turn').open") and "tokens" in b.text(".turn"), "what is read stays open")


@case("sessions are searched however many there are")
def _():
    with Gateway() as g:
        old = new_session(g, "The needle in the haystack")
        new_session(g, "hay")
        store = next(pathlib.Path(g.folder.name).rglob("*.db"))
        with contextlib.closing(sqlite3.connect(store)) as db, db:
            columns = [c[1] for c in db.execute("PRAGMA table_info(sessions)") if c[1] not in ("id", "title")]
            names = ", ".join(columns)
            for i in range(320):
                db.execute(f"INSERT INTO sessions (id, title, {names}) SELECT substr(id, 1, length(id) - 3) || ?, 'hay', {names} FROM sessions "
                           "WHERE id <> ? LIMIT 1", (f"{i:03}", old))
            db.execute("UPDATE sessions SET title = 'other', used = 0, updated = 0 WHERE id = ?", (old,))
        found = json.loads(g.ask("/page/sessions?q=needle")[1])
        expect([s["id"] for s in found] == [old], found)


@case("a search that takes longer than the list waits between two looks comes to its end")
def _():
    with Gateway() as g:
        own = new_session(g, "The needle in the haystack")
        b, _ = shared()
        script = b.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
            const real = window.fetch;
            window.searches = [];
            window.fetch = (address, options) => address !== "/page/sessions?q=needle" ? real(address, options)
                : new Promise((done, fail) => {
                    searches.push(() => done(real(address, options)));
                    options.signal.addEventListener("abort", () => fail(options.signal.reason));
                });""")
        at(b, g, "sessions")
        b.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        b.wait("document.querySelector('.row')")
        search(b, "needle")
        b.wait("searches.length === 1")
        expect(b.text(".count") == "searching …", b.text(".count"))
        time.sleep(6)  # longer than the list waits
        b.run("searches[0]()")
        b.wait("document.querySelector('.count').innerText === '1' && document.querySelector(arguments[0])", row(own))
        time.sleep(6)  # nothing is new
        expect(b.run("searches.length") == 1, b.run("searches.length"))


@case("a session tells what each turn sent, and shows every page of its files")
def _():
    b, g = shared()
    pathlib.Path(g.folder.name, "long.pdf").write_bytes(media_fixtures.long_pdf([[b"one"], [b"two"], [b"three"]]))
    pathlib.Path(g.folder.name, "letter.docx").write_bytes(media_fixtures.docx(b"Dear reader"))
    own = real_session(g, "openai-chat:gpt-4o", "-a", "long.pdf", "-a", "letter.docx", "What do they say?")
    at(b, g, f"sessions/{own}")
    b.wait("document.querySelector('.message.assistant .by')?.innerText === 'openai-chat:gpt-4o'")
    b.click(".turn summary")
    b.wait("['tokens', 'Dear reader', 'long.pdf'].every(w => document.querySelector('.turn').innerText.includes(w))")
    shot(b, "session-turn")
    b.click(".session-file .opener")
    picture = "document.querySelector('.viewer[open] .looked-at')"
    first = b.wait(f"{picture}?.naturalWidth > 500 && {picture}.src")
    expect(b.run("document.activeElement.innerText") == "Close", "nothing is saved by mistake")
    shot(b, "viewer")
    b.keys(RIGHT)
    b.wait(f"{picture}?.naturalWidth > 500 && {picture}.src !== arguments[0]", first)
    expect("page 2 of 3" in b.text(".viewer"), b.text(".viewer"))
    b.click(".viewer .after")
    b.wait("document.querySelector('.viewer .after').disabled")
    b.keys(ESCAPE)
    b.wait("!document.querySelector('.viewer[open]')")
    b.run("[...document.querySelectorAll('.session-file .opener')].at(-1).click()")
    b.wait("document.querySelector('.viewer[open] pre')?.innerText.includes('Dear reader')")
    b.run("document.querySelector('.viewer pre').append('\\n'.repeat(300))")
    b.keys(PAGE_DOWN)
    b.wait("document.querySelector('.looking').scrollTop > 100")
    b.keys(ESCAPE)
    quiet(b)


@case("attempts are told with the provider's words, and nothing of them becomes markup")
def _():
    b, _ = shared()
    script = "replies:\n  - {refuse_part: 1}\n  - {times: 0, text: \"" + EVIL.replace('"', "") + "\"}\n"
    with Gateway(script=script) as g:
        at(b, g, "")
        kept(b, g, ask(g, model="openai-chat:gpt-4o"))
        b.keys("6")
        b.wait("document.querySelector('.attempts blockquote')?.innerText.length > 10")
        words = b.text(".attempts")
        expect("asked again" in words and "200" in words and "healed" in words, words)
        shot(b, "attempts")
        b.keys("4")
        b.wait("document.querySelector('.message.assistant')?.innerText.includes('onerror')")
        at(b, g, "overview")
        b.wait("document.querySelector('.chart rect')")
        expect(b.run("[window.evil, document.querySelectorAll('main script, img[onerror]').length]") == [None, 0], "nothing of it ran")
        quiet(b)


FALLBACK = """models:
  mini: {provider: openai-chat, model: gpt-4o-mini}
  main: {provider: openai-chat, model: gpt-4o, fallback: [mini]}
"""


@case("attempts are shown while the next one is under way")
def _():
    b, _ = shared()
    with Gateway(config=FALLBACK) as g:
        at(b, g, "")
        first, second, taken = queue.Queue(), queue.Queue(), threading.Event()
        get, first.get = first.get, lambda: (taken.set(), get())[1]
        g.relay.feed, c = first, g.connect()
        c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("main", True, "Hello")))
        own = b.wait("document.querySelector('.row:has(.chip.running)')?.id").removeprefix("row-")
        at(b, g, f"requests/{own}/attempts")
        b.wait("document.querySelector('#panel')?.innerText.includes('not refused so far')")
        taken.wait(harness.LIMIT_S)
        g.relay.feed = second
        first.put(None)
        b.wait("document.querySelector('.attempts')?.innerText.includes('asked again')")
        expect("openai-chat:gpt-4o-mini" in b.text(".facts"), "who is asked now")
        second.put(chat_piece("Good morning"))
        second.put(CHAT_END)
        second.put(None)
        b.wait("document.querySelector('.attempts')?.innerText.includes('openai-chat:gpt-4o-mini answered, a fallback of main')")
        c.close()


@case("an attempt that changed nothing about a refusal has healed nothing")
def _():
    b, _ = shared()
    with Gateway(script="replies:\n  - {status: 400, times: 0}\n") as g:
        at(b, g, "")
        own = ask(g, CHAT, calls=())
        b.wait("document.querySelector(arguments[0] + ' .chip.bad')", row(own))
        at(b, g, f"requests/{own}/attempts")
        b.wait("document.querySelectorAll('.attempts li').length > 1")
        b.wait("document.querySelector(arguments[0])", row(own))
        expect("healed" not in b.text(row(own)), b.text(row(own)))


@case("a file in a reply is folded, and is in the piece that it came in")
def _():
    b, _ = shared()
    with Gateway(script="replies:\n  - {text: \"" + "QUJD" * 60000 + "\"}\n") as g:
        at(b, g, "")
        own = ask(g, CHAT, stream=False, calls=())
        b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(own))
        at(b, g, f"requests/{own}/reply")
        b.wait("document.querySelector('.pieces pre')?.textContent.includes('240,000 characters of base64')")
        expect(b.run("document.querySelectorAll('.pieces li').length") == 1, b.text(".replied"))


@case("who is not well is named as people know it, and no other provider is")
def _():
    b, _ = shared()
    with Gateway(script="replies:\n  - {status: 429, retry_after_s: 600, when: {provider: openai-chat}, times: 0}\n") as g:
        g.ask(CHAT.path("", False), CHAT.body("openai:gpt-5.4-mini", False, "Hello"))
        g.ask(CHAT.path("", False), CHAT.body("openai-chat:gpt-4o", False, "Hello"))
        at(b, g, "overview")
        b.wait("document.querySelector('.plain .chip.bad')")
        said = b.run("[...document.querySelectorAll('.plain .chip')].map(e => e.parentNode.innerText)")
        expect(any(s.startswith("well openai") and "chat" not in s for s in said), said)
        expect(any("key 1 of openai-chat, for gpt-4o" in s for s in said), said)


@case("what costs nothing is told from what has no price")
def _():
    b, _ = shared()
    prices = "models:\n  \"openai-chat:gpt-4o\": {limits: {price_input: 2.5, price_output: 10}}\n"
    for config, wanted in ((None, "has a price"), (prices, "Cost, by model")):
        with Gateway(config=config) as g:
            ask(g)
            at(b, g, "overview")
            b.wait("document.querySelector('main').innerText.includes(arguments[0])", wanted)
            cost = b.wait("document.querySelector('tbody td:nth-of-type(6)')?.innerText")
            expect((cost == "–") == (config is None) and cost != "$0", cost)


@case("the overview has what was used, by model")
def _():
    b, g = shared()
    ask(g)
    at(b, g, "overview")
    b.wait("document.querySelectorAll('.chart').length === 4 && document.querySelector('.chart rect')")
    words = b.text("main")
    for part in ("openai-chat:gpt-4o", "Requests, by model", "fallback", "By key", "no key", "well"):
        expect(part in words, (part, words))
    expect("since this gateway began" in words, words)
    expect(b.run("document.querySelector('.chart rect.part-fallback')"), "deliveries have the colours of their badges")
    b.run("document.querySelector('.overview .wide').focus()")
    before = b.text(".legend")
    ask(g)
    b.wait("document.querySelector('.legend').innerText !== arguments[0]", before)
    expect(b.run("document.activeElement.ariaLabel") == "By model", "who reads a table keeps it")
    b.run("(s => { s.value = '168'; s.dispatchEvent(new Event('change')) })(document.querySelector('.overview select'))")
    b.wait("document.querySelectorAll('.chart')[0].querySelectorAll('.times span').length >= 6")
    quiet(b)


@case("nothing that others wrote becomes markup")
def _():
    b, g = shared()
    evil = [("look", {"path": EVIL}, EVIL, False), (EVIL.replace(" ", "")[:60], {}, EVIL, True)]
    body = CHAT.body("openai-chat:gpt-4o", True, EVIL, evil)
    body["messages"].insert(0, {"role": "system", "content": EVIL})
    body["messages"].append({"role": "user", "content": [{"type": "file", "file": {
        "filename": EVIL + ".pdf", "file_data": "data:application/pdf;base64," + harness.b64(PDF)}}]})
    r, _ = g.ask(CHAT.path("", True), body, user_agent=EVIL)
    own = r.headers["x-refract-request-id"]
    wrong = ask(g, CHAT, EVIL, user_agent=EVIL)
    b.wait("document.querySelector(arguments[0])", row(wrong))
    kept(b, g, own)
    for key in "123456":
        b.keys(key)
        b.wait("document.querySelector('#panel').innerText.length > 5")
    at(b, g, f"requests/{wrong}")
    b.wait("document.querySelector('.facts')")
    session = new_session(g, EVIL, "a&b<i>.png")
    at(b, g, "sessions")
    b.wait("document.querySelector('.row')")
    at(b, g, f"sessions/{session}")
    b.wait("document.querySelector('.message')")
    expect("onerror" in b.text(".detail"), "it is shown as text")
    at(b, g, "requests/" + "%3Cimg%20src=x%20onerror=window.evil=1%3E")
    b.wait("document.querySelector('#panel .empty')")
    found = b.run("[window.evil, document.querySelectorAll('main script, img[onerror], main i:not([class])').length]")
    expect(found == [None, 0], found)


@case("ten thousand requests, of which only those in sight are there")
def _():
    with Gateway(config="serve:\n  log: '{home}/access.log'\n") as g:  # nobody reads so much of it from standard error
        body = json.dumps({"model": "none-such", "messages": []})

        def send(count):
            c = g.connect()
            for _ in range(count):
                c.request("POST", "/v1/chat/completions", body)
                c.getresponse().read()
            c.close()

        threads = [threading.Thread(target=send, args=(2500,)) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        b, _ = shared()
        at(b, g, "")
        b.wait("document.querySelector('.count').innerText === '10,000'")
        expect(b.run("document.querySelectorAll('.row').length") < 100, "few rows")
        b.run("document.querySelector('.list').scrollTo(0, 1e9)")
        b.wait("[...document.querySelectorAll('.row')].some(r => r.getAttribute('aria-posinset') === '10000')")
        expect(b.run("document.querySelectorAll('.row').length") < 100, "few rows")
        b.run("document.querySelector('[type=search]').focus()")
        b.keys("none-such")
        b.wait("document.querySelector('.count').innerText.startsWith('10,000')")
        b.run("document.querySelector('.list').focus()")
        b.keys("\ue010")  # End
        b.wait("document.querySelector('.row[aria-selected=true]')?.getAttribute('aria-posinset') === '10000'")
        quiet(b)


def axe():
    """The source of axe-core, which npm fetches once; or None."""
    kept_at = pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "refract-tests", AXE + ".js")
    if not kept_at.exists():
        with tempfile.TemporaryDirectory() as folder:
            if not shutil.which("npm"):
                return None
            done = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=False)
            packed = list(pathlib.Path(folder).glob("*.tgz"))
            if done.returncode or not packed:
                return None
            with tarfile.open(packed[0]) as archive:
                source = archive.extractfile("package/axe.min.js").read()
        kept_at.parent.mkdir(parents=True, exist_ok=True)
        kept_at.write_bytes(source)
    return kept_at.read_text(encoding="utf-8")


def findings(b, source):
    """What axe-core takes to be serious or worse, and what it says of headings."""
    b.ask("POST", "/execute/sync", {"script": source, "args": []})
    result = b.ask("POST", "/execute/async", {"script": "axe.run().then(arguments[0])", "args": []})
    return [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in result["violations"]
            if v["impact"] in ("serious", "critical") or v["id"] in ("page-has-heading-one", "heading-order", "empty-table-header")]


def restarted(g):
    """The same gateway as another process, at the same address."""
    g.process.terminate()
    g.process.communicate(timeout=harness.LIMIT_S)
    begin_again(g)


def begin_again(g):
    at_sim = f"http://127.0.0.1:{g.relay.server_address[1]}"
    g.process = subprocess.Popen([REFRACT, "serve", "--listen", f"127.0.0.1:{g.port}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=harness.environment(g.folder.name, at_sim), cwd=g.folder.name, text=True)
    expect("listening" in g.process.stdout.readline(), "it is there again")


@case("after a restart, what changes something works without loading the page again")
def _():
    with Gateway() as g:
        own = new_session(g, "A question")
        b, _ = shared()
        at(b, g, f"sessions/{own}")
        b.wait("document.querySelector('.session-file p button')")
        restarted(g)
        b.wait("document.querySelector('.live.live')")
        b.wait("document.querySelector('.session-file.dropped') || document.querySelector('.session-file p button')?.click()")
        b.wait("document.activeElement.innerText.startsWith('Dropped')")


@case("after a restart, the list has what the log has, with its days and without what is not known")
def _():
    with Gateway(config="serve: {keep_requests_days: 3}\n") as g:
        own, wrong = ask(g), ask(g, CHAT, "nonsense", calls=())
        restarted(g)
        store = next(pathlib.Path(g.folder.name).rglob("*.db"))
        with contextlib.closing(sqlite3.connect(store)) as db, db:
            db.execute("UPDATE requests SET at = at - 86400000")
        b, _ = shared()
        at(b, g, "")
        b.wait("document.querySelector(arguments[0] + ' .badge')", row(own))
        words = b.text(row(own))
        expect("$0" not in words and "fallback" in words, words)
        expect(b.run("document.querySelector(arguments[0] + ' .row-day')", row(own)), "another day has its date")
        expect("– → –" in b.text(row(wrong)) and "nonsense" in b.text(row(wrong)), b.text(row(wrong)))
        b.click(row(own))
        b.wait("document.querySelector('#panel')?.innerText.includes('from the log')")
        expect("gpt-4o" in b.text(".facts") and b.run("document.querySelector('.tabs').hidden"), b.text(".detail"))
        b.run("[...document.querySelectorAll('.tools button')].find(e => e.innerText === 'Older').click()")
        b.wait("document.querySelector('.tools [role=status]').innerText.includes('no older')")
        quiet(b)


@case("after a restart, what broke off, and what a client left, is told from what went well")
def _():
    script = "replies:\n  - {text: \"" + "word " * 400 + "\", cut_after_bytes: 3000}\n"
    with Gateway(config="serve: {keep_requests_days: 3}\n", script=script) as g:
        b, _ = shared()
        at(b, g, "")
        broke, good = ask(g, CHAT, calls=()), ask(g, CHAT, calls=())
        g.relay.stall = b'data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
        c = g.connect()
        c.request("POST", CHAT.path("", True), json.dumps(CHAT.body("openai-chat:gpt-4o", True, "Hello")))
        b.wait("document.querySelector('.row .chip.running')?.innerText === 'answers'")
        left = b.run("document.querySelector('.row:has(.chip.running)').id").removeprefix("row-")
        c.close()
        g.relay.stall = None
        chips = {broke: "broke off", left: "gone", good: "200"}
        shown = "document.querySelector(arguments[0] + ' .chip')?.innerText === arguments[1]"
        for own, words in chips.items():
            b.wait(shown, row(own), words)
        restarted(g)
        at(b, g, "")
        for own, words in chips.items():
            b.wait(shown, row(own), words)
        b.run("(s => { s.value = 'failed'; s.dispatchEvent(new Event('change')) })(document.querySelector('.tools select'))")
        b.wait("document.querySelectorAll('.list .row').length === 2 && !document.querySelector(arguments[0])", row(good))
        b.click(row(broke))
        b.wait("document.querySelector('.facts')?.innerText.includes('then it broke off')")
        quiet(b)


@case("requests that ask for no answer are told from those that do")
def _():
    b, g = shared()
    r, said = g.ask("/v1/messages/count_tokens", {"model": "openai-chat:gpt-4o", "messages": [{"role": "user", "content": "Hello"}]})
    expect(r.status == 200, said)
    counted = r.headers["x-refract-request-id"]
    r, said = g.ask("/v1/embeddings", {"model": "openai:text-embedding-3-small", "input": "Hello"})
    expect(r.status == 200, said)
    embedded = r.headers["x-refract-request-id"]
    b.wait("document.querySelector(arguments[0])?.innerText.includes('counts tokens')", row(counted))
    b.wait("document.querySelector(arguments[0])?.innerText.includes('/v1/embeddings')", row(embedded))
    search(b, "/v1/embeddings")
    b.wait("document.querySelectorAll('.list .row').length === 1")
    at(b, g, f"requests/{embedded}")
    b.wait("document.querySelector('.facts')?.innerText.includes('/v1/embeddings')")
    at(b, g, f"requests/{counted}")
    b.wait("document.querySelector('.facts')?.innerText.includes('a number of tokens')")


@case("a link to a request of before leads to its summary in the log")
def _():
    with Gateway(config="serve: {keep_requests_days: 3}\n") as g:
        own = ask(g)
        restarted(g)
        b, _ = shared()
        at(b, g, "")
        new = ask(g)
        b.wait("document.querySelector(arguments[0] + ' .chip.good')", row(new))
        at(b, g, f"requests/{own}")
        b.wait("document.querySelector('.facts')?.innerText.includes('gpt-4o')")
        expect("from the log" in b.text("#panel"), b.text(".detail"))
        at(b, g, "requests/req_none")
        b.wait("document.querySelector('#panel')?.innerText.includes('neither in memory')")


@case("a gateway that is down is the reason that is told, until it is there again")
def _():
    with Gateway(config="serve: {keep_requests_days: 3}\n") as g:
        b, _ = shared()
        at(b, g, "")
        own, other = ask(g), ask(g, CHAT, calls=())
        b.wait("document.querySelector(arguments[0] + ' .chip.good') && document.querySelector(arguments[1] + ' .chip.good')", row(own), row(other))
        g.process.terminate()
        g.process.communicate(timeout=harness.LIMIT_S)
        b.click(row(own))
        b.wait("document.querySelector('#panel')?.innerText.includes('cannot be reached')")
        expect("nobody looked" not in b.text(".detail"), b.text(".detail"))
        begin_again(g)
        b.wait("document.querySelector('#panel')?.innerText.includes('from the log')")


@case("the login form is left alone while somebody types, whatever view was shown before")
def _():
    with Gateway() as g:
        b, _ = shared()
        at(b, g, "overview")
        b.wait("document.querySelector('.overview-body .empty')?.innerText.includes('No requests in the last hour')")
        refract(g, "keys", "add", "boss", "--admin")
        b.wait("document.querySelector('.login')")
        b.wait("document.activeElement.id === 'key'")
        b.keys("half a key")
        time.sleep(6)  # longer than the overview waits between two looks
        typed = b.run("document.querySelector('#key').value")
        expect(typed == "half a key", typed)
        expect(b.run("document.querySelector('#leave').hidden && document.querySelector('#nav').hidden"), "nobody can log out")


@case("where clients have keys, the page asks for an admin's")
def _():
    with Gateway() as g:
        key = refract(g, "keys", "add", "boss", "--admin")
        while g.ask("/page/requests")[0].status != 401:  # within a second or so
            pass
        b, _ = shared()
        at(b, g, "")
        b.wait("document.querySelector('.login')")
        b.keys("rfk_wrong" + ENTER)
        b.wait("document.querySelector('.login [role=alert]').innerText.includes('not an admin')")
        if source := axe():
            expect(not findings(b, source), "the form keeps nobody out")
        shot(b, "login")
        expect(b.run("document.querySelector('.bar').offsetHeight") < 60, "the bar is as in all views")
        b.keys(key + ENTER)
        b.wait("document.querySelector('.list')")
        b.size(400, 800)
        expect(b.run("document.documentElement.scrollWidth") <= 400, "all of the bar has room")
        b.size(1280, 800)
        expect(b.run("document.cookie") == "", "no script sees the cookie")
        b.click("#leave")
        b.wait("document.querySelector('.login')")
        said = [m for m in b.complaints() if "status of 40" not in m]
        expect(not said, said)


VIEWS = {  # and what is there once all of one is
    "requests": ".row .badge", "requests/{own}": ".columns .message img", "requests/{own}/files": "tbody .badge",
    "requests/{own}/whatif": ".plan", "requests/{own}/reply": ".pieces li", "requests/{own}/bodies": ".columns pre",
    "requests/{own}/attempts": ".attempts blockquote", "sessions": ".row", "sessions/{session}": ".plan", "overview": ".chart rect",
}


def views(b, g, own, session):
    """Each view in turn, by its name."""
    for view, whole in VIEWS.items():
        at(b, g, view.format(own=own, session=session))
        b.wait("document.querySelector(arguments[0])", whole)
        yield view.replace("/", "-").replace("{own}", "one").replace("{session}", "one")
    b.click("#help")
    b.wait("document.querySelector('dialog[open]')")
    yield "help"
    at(b, g, f"requests/{own}/files")
    b.wait("document.querySelector('.opener')")
    b.click(".opener")
    b.wait("document.querySelector('.viewer[open] .looked-at')")
    yield "viewer"


@case("every view, in light, dark and narrow, keeps nobody out")
def _():
    b, _ = shared()
    source = axe()
    if not source:
        print("skipped: axe-core is not there, and npm cannot fetch it")
    with Gateway(script="replies:\n  - {refuse_part: 1}\n") as g:
        at(b, g, "")
        own, session = ask(g), new_session(g, "A question")
        kept(b, g, own)
        for scheme in ("light", "dark"):
            b.prefer(scheme)
            for width, height in ((1280, 800), (400, 800)):
                b.size(width, height)
                for name in views(b, g, own, session):
                    shot(b, f"{name}-{scheme}-{width}")
                    wide = b.run("document.documentElement.scrollWidth")
                    expect(wide <= width, (name, width, wide))
                    inner = name == "requests-one-files" and b.run("(e => [e.scrollWidth, e.clientWidth])(document.querySelector('.wide'))")
                    expect(not inner or width < 1280 or inner[0] <= inner[1], (name, inner))
                    found = findings(b, source) if source else []
                    expect(not found, (name, scheme, width, found))
    b.size(1280, 800)
    b.prefer("light")


if __name__ == "__main__":
    if browser.missing():
        print("skipped: not installed:", *browser.missing())
        sys.exit(77)
    try:
        harness.main()
    finally:
        if BROWSER:
            BROWSER.__exit__(None)
        if GATEWAY:
            GATEWAY.__exit__(None)
