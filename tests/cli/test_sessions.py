#!/usr/bin/env python3
"""Sessions on the command line: made, shown, sent, forked, carried elsewhere, removed; and what is said
when the store is locked, damaged, newer or not to be written.

    test_sessions.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed. The case with PostgreSQL
needs a server, see tests/store/with_postgres.py.
"""
import base64
import hashlib
import io
import json
import os
import pathlib
import pty
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import tarfile
import tempfile
import time

import test_cli
from test_cli import LIMIT_S, MODEL, Cli, call, conversation, expect, image, png, result

test_cli.STATUSES.add(7)
ID = re.compile(r"\d{8}-[2-9a-z]{6}")
BLIND = "groq:llama-3.3-70b-versatile"
NOBODY = 65534
SERVER = "REFRACT_TEST_POSTGRES"
CASES = []


def case(name, needs_server=False):
    def add(function):
        CASES.append((name, needs_server, function))
        return function
    return add


def rows(name, table):
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", False, lambda t, rest=rest: function(t, *rest)))
        return function
    return add


class Sessions(Cli):
    """The program with a data folder of its own, and a picture."""

    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.env["TZ"] = "UTC"
        self.move("data")
        self.write("plan.png", png())

    def move(self, name):
        """To another store."""
        self.env["XDG_DATA_HOME"] = str(self.folder / name)
        self.data = self.folder / name / "refract"

    def do(self, *args, **how):
        """What it prints."""
        return self.good("sessions", *args, **how).out.decode()

    def lines(self, *args, **how):
        """The JSON lines that it prints."""
        return [json.loads(line) for line in self.do(*args, "--json", **how).splitlines()]

    def new(self, *messages, **fields):
        return self.do("new", given=conversation(*messages, **fields)).strip()

    def looked(self, words="What is on the plan?"):
        """A session in which a tool has shown the picture."""
        return self.new({"role": "user", "content": words}, call("c1"),
                        result("c1", image("plan.png", name="plan.png")), system="Be brief.")

    def append(self, session, message, *more, **how):
        return self.do("append", session, *more, given=json.dumps(message).encode(), **how)

    def document(self, session):
        return json.loads(self.do("show", session, "--json"))

    def sql(self, statement, *values):
        with sqlite3.connect(self.data / "sessions.db") as db:
            rows = db.execute(statement, values).fetchall()
        db.close()
        return rows

    def blobs(self):
        return [p for p in (self.data / "blobs").glob("[0-9a-f][0-9a-f]/*") if p.is_file()]

    def body(self, session, model=MODEL, *more):
        return self.good("encode", "-m", model, "--session", session, *more).out

    def sends_picture(self, session, model=MODEL):
        done = self.good("encode", "-m", model, "--session", session, "--explain")
        report = done.report()
        expect(len(report) == 1, report)
        return report[0]["delivery"] in ("native", "fallback")


def digest(data):
    return hashlib.sha256(data).hexdigest()


def clean(text):
    return not any(c < " " and c != "\n" or "\x7f" <= c < "\xa0" for c in text)


# Making and showing.


@case("new prints an id, and list shows the session")
def _(t):
    one = t.looked()
    expect(ID.fullmatch(one), one)
    two = t.new({"role": "user", "content": "Another one"})
    listed = t.do("list").splitlines()
    expect(len(listed) == 3 and listed[0].startswith("ID "), listed)
    expect(listed[1].startswith(two) and listed[1].endswith("Another one"), listed)
    expect(re.match(one + r" +now +3 +1 ", listed[2]) and "What is on the plan?" in listed[2], listed)
    expect(t.good("sessions").out.decode().splitlines() == listed, "list is not the default")
    expect(t.do("list", "-n", "1").splitlines()[1:] == listed[1:2], "--limit does not count")


@case("list --json has a line for each, with everything")
def _(t):
    session = t.looked()
    reply = {"role": "assistant", "content": "A house", "usage": {"input_tokens": 70, "output_tokens": 3},
             "origin": {"provider": "anthropic", "model": "claude-sonnet-4-5"}}
    t.append(session, reply)
    (got,) = t.lines("list")
    want = {"id": session, "title": "What is on the plan?", "messages": 4, "files": 1,
            "input_tokens": 70, "output_tokens": 3, "provider": "anthropic",
            "model": "claude-sonnet-4-5", "parent": None, "parent_messages": 0, "owner": None}
    expect({k: got[k] for k in want} == want, got)
    for name in ("created", "updated"):
        expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", got[name]), got)
    expect("anthropic:claude-sonnet-4-5" in t.do("list"), "the model is not listed")


@case("without sessions, list says so")
def _(t):
    done = t.good("sessions", "list")
    expect(not done.out and "no sessions yet" in done.err, done.err)
    expect(not t.do("list", "--json"), "lines of nothing")


@case("a document without messages makes no session")
def _(t):
    t.bad(6, "no messages", "sessions", "new", given=conversation(system="Be brief."))
    expect(not t.do("list", "--json"), "it was kept")


@case("show says who said what")
def _(t):
    session = t.looked()
    t.append(session, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "A house"}],
        "origin": {"provider": "anthropic", "model": "claude-sonnet-4-5"}})
    t.append(session, call("c2"))
    t.append(session, {"role": "tool", "tool_call_id": "c2", "name": "look", "success": False,
                       "error": "it is locked"})
    shown = t.do("show", session)
    att = "att_" + digest(png())[:12]
    for line in ("What is on the plan?", "1 user", "  What is on the plan?", "2 assistant", "  > look",
                 "    {}", "3 tool look", "  seen", f"  [Image: plan.png, 64x48, 9.1 KB, {att}]",
                 "4 assistant (anthropic:claude-sonnet-4-5)", "  (thinking)", "    Hm.", "  A house",
                 "6 tool look", "  ! failed", "    it is locked"):
        expect(line in shown.splitlines(), f"{line!r} is missing in:\n{shown}")
    expect("6 messages, 1 file" in shown, shown)


@case("show wraps what is said, and cuts long results but no answers")
def _(t):
    words = "word " * 100
    session = t.new({"role": "user", "content": words}, call("c1"),
                    result("c1", output="\n".join(f"line {i}" for i in range(50))))
    t.env["COLUMNS"] = "40"
    shown = t.do("show", session)
    body = shown.split("\n1 user\n")[1]
    expect(max(map(len, body.splitlines())) <= 40, shown)
    expect(body.count("word") == 100, "words are lost")
    expect("line 19" in body and "line 20" not in body and "[30 more lines]" in body, body)
    full = t.do("show", session, "--full")
    expect("line 49" in full and "more line" not in full, full)


@case("show --json is the document, with blobs for paths")
def _(t):
    document = t.document(t.looked())
    expect(document["refract"] == 1 and document["system"] == "Be brief.", document)
    expect([m["role"] for m in document["messages"]] == ["user", "assistant", "tool"], document)
    (block,) = document["messages"][2]["content_blocks"]
    expect(block["blob"] == "sha256:" + digest(png()) and "source_path" not in block, block)
    expect(block["name"] == "plan.png", block)


@case("a title is the first words, or the one that was given")
def _(t):
    session = t.looked()
    expect(t.do("title", session) == "What is on the plan?\n", "the title")
    expect(t.do("title", session, "The house") == "", "it printed something")
    expect(t.do("title", session) == "The house\n", "the new title")
    expect(t.lines("title", session) == [{"id": session, "title": "The house"}], "as JSON")
    expect(t.lines("list")[0]["title"] == "The house", "the list")


# Adding.


@case("append adds a message, from a file or standard input")
def _(t):
    session = t.new({"role": "user", "content": "Hello"})
    expect(t.append(session, {"role": "assistant", "content": "Hi"}) == "", "it printed something")
    path = t.write("deep/m.json", json.dumps({"role": "user", "content": [image("p.png")]}))
    t.write("deep/p.png", png(10, 10))
    got = json.loads(t.do("append", session, path, "--json", cwd="/"))
    expect(got == {"id": session, "messages": 3}, got)
    blob = t.document(session)["messages"][2]["content"][0]["blob"]
    expect(blob == "sha256:" + digest(png(10, 10)), blob)


@rows("append refuses", [
    ("what is not JSON", b"{", "the message"),
    ("what is not an object", b"[]", "the message"),
    ("a message of a role nobody has", b'{"role":"robot","content":"x"}', "role"),
    ("a result without its call", b'{"role":"tool","output":"x"}', "tool_call_id"),
    ("nothing", b"", "the message"),
])
def _(t, given, part):
    session = t.new({"role": "user", "content": "Hello"})
    t.bad(6, part, "sessions", "append", session, given=given)
    expect(len(t.document(session)["messages"]) == 1, "something was added")


@case("--base and --root count")
def _(t):
    session = t.new({"role": "user", "content": "Hello"})
    t.write("deep/p.png", png(10, 10))
    t.append(session, {"role": "user", "content": [image("p.png")]}, "--base", "deep")
    expect("blob" in t.document(session)["messages"][1]["content"][0], "--base")
    t.append(session, {"role": "user", "content": [image("plan.png")]}, "--root", "deep")
    expect(len(t.lines("media", session)) == 1, "a file outside the root was taken")
    t.bad(6, "no folder", "sessions", "append", session, "--base", "nowhere")


def conversation_with(path):
    """A user's picture and a tool's, and a model's, at the same path."""
    return [{"role": "user", "content": [image(path)]},
            {"role": "assistant", "content": [{"type": "tool_call", "id": "c1", "name": "t", "arguments": {}}]},
            {"role": "tool", "tool_call_id": "c1", "name": "t", "content_blocks": [image(path)]}]


def explained(t, *args, **how):
    """Of each file: was it sent, and why not."""
    done = t.run("encode", "-m", MODEL, "--explain", *args, **how)
    return [json.loads(line) for line in done.err.splitlines()]


@rows("a path outside of the folder that a tool names needs --root",
      [("from the root on", "{outside}/secret.png"), ("a way up", "../outside/secret.png"), ("a link", "link.png")])
def _(t, path):
    outside, inside = t.folder / "outside", t.folder / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.png").write_bytes(png(12, 34))
    (inside / "link.png").symlink_to(outside / "secret.png")
    messages = conversation_with(path.format(outside=outside))
    document = inside / "c.json"
    document.write_text(json.dumps({"refract": 1, "messages": messages}))
    held = "the file is outside of the folder that may be read"
    by_user, by_tool = explained(t, str(document))
    expect(by_user["delivery"] == "native" and by_tool["reason"] == held, (by_user, by_tool))
    expect(all(f["delivery"] == "native" for f in explained(t, str(document), "--root", str(t.folder))), "--root")
    expect(all(f["reason"] == held for f in explained(t, str(document), "--root", str(inside))), "--root inside")
    session = t.good("sessions", "new", str(document)).out.decode().strip()
    stored = t.document(session)["messages"]
    expect("blob" in stored[0]["content"][0] and "blob" not in stored[2]["content_blocks"][0], stored)
    expect(explained(t, "--session", session, cwd=inside)[-1]["reason"] == held, "encode --session")
    done = t.run("ask", "-m", "offline", "--session", session, "Well?", cwd=inside)
    expect(done.out.count(b"image/png 12x34") == 1, done.out)
    taken = t.good("sessions", "new", "--root", str(t.folder), str(document)).out.decode().strip()
    expect("blob" in t.document(taken)["messages"][2]["content_blocks"][0], "sessions new --root")


@case("whether there is a file outside makes no difference to what is told")
def _(t):
    (t.folder / "inside").mkdir()
    document = t.folder / "inside" / "c.json"
    document.write_text(json.dumps({"refract": 1, "messages": conversation_with("../a.png")[1:]}))
    without = explained(t, str(document))
    (t.folder / "a.png").write_bytes(png())
    expect(explained(t, str(document)) == without, without)


@case("a message cannot take another session's file by its hash")
def _(t):
    theirs = t.new({"role": "user", "content": [image("plan.png")]})
    blob = t.document(theirs)["messages"][0]["content"][0]["blob"]
    ours = t.new({"role": "user", "content": "Hello"})
    for role, member in (("user", "content"), ("tool", "content_blocks")):
        t.append(ours, {"role": role, "tool_call_id": "c", member: [{"type": "image", "blob": blob}]})
    expect(not t.lines("media", ours), "it has the other's file")
    done = t.run("ask", "-m", "offline", "--session", ours, "Well?")
    expect(b"image/png 64x48" not in done.out, done.out)


@case("base64 that is handed in is kept as a blob")
def _(t):
    data = base64.b64encode(png()).decode()
    session = t.new({"role": "user", "content": [{"type": "image", "data": data}]})
    expect(t.sql("SELECT count(*) FROM messages WHERE body LIKE ?", f"%{data[:60]}%") == [(0,)],
           "base64 in the log")
    expect(t.blobs()[0].read_bytes() == png() and t.sends_picture(session), "the blob")


# Sending.


@case("a picture read in turn 1 is sent in turn 5, its file deleted and the model switched twice")
def _(t):
    session = t.looked()
    (t.folder / "plan.png").unlink()
    expect(t.sends_picture(session), "turn 1")
    answer = {"role": "assistant", "content": "A house"}
    for model in (BLIND, "google:gemini-3-pro-preview", MODEL):
        provider, name = model.split(":")
        t.append(session, {**answer, "origin": {"provider": provider, "model": name}})
        t.append(session, {"role": "user", "content": "And now?"})
        expect(t.sends_picture(session, model) == (model != BLIND), model)
    expect(b"iVBORw0KGgo" in t.body(session), "no picture in the body")


@case("a session made of another API's request goes back there as it came")
def _(t):
    request = {"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "ls"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [
            {"type": "text", "text": "a b"}]}]}],
        "tools": [{"type": "bash_20250124", "name": "bash"}], "metadata": {"user_id": "u"}}
    document = t.good("parse", "--from", "anthropic", given=json.dumps(request).encode()).out
    session = t.do("new", given=document).strip()
    expect(json.loads(t.body(session)) == request, t.body(session))
    asked = t.good("ask", "-n", "-m", MODEL, "--session", session, "And now?").out
    expect(b"c2ln" in asked, "the thought is not this model's any more")
    expect(b"bash_20250124" not in asked and b"user_id" not in asked, "an agent has its own tools")


@case("encode --session changes nothing in the store")
def _(t):
    session = t.looked()
    before = t.sql("SELECT * FROM sessions"), t.sql("SELECT * FROM messages"), t.sql("SELECT * FROM sent")
    for model in (MODEL, BLIND, "openai:gpt-5-mini"):
        t.body(session, model)
    after = t.sql("SELECT * FROM sessions"), t.sql("SELECT * FROM messages"), t.sql("SELECT * FROM sent")
    expect(before == after, after)


@case("the same session as a document gives the same body")
def _(t):
    document = conversation({"role": "user", "content": "What?"}, call("c1"),
                            result("c1", image("plan.png", name="plan.png")))
    session = t.do("new", given=document).strip()
    for model in (MODEL, BLIND, "openai-chat:gpt-4o"):
        want = t.good("encode", "-m", model, given=document).out
        expect(t.body(session, model) == want, f"another body for {model}")
        expect(t.body("last", model) == want, "last is another")
        expect(t.body(session[:-2], model) == want, "the beginning of an id is another")


@case("media tells how a file was sent last, when --sent said so")
def _(t):
    session = t.looked()
    expect("never" in t.do("media", session), t.do("media", session))
    t.body(session, MODEL, "--sent")
    (got,) = t.lines("media", session)
    want = {"id": "att_" + digest(png())[:12], "hash": "sha256:" + digest(png()), "kind": "image",
            "name": "plan.png", "message": 2, "bytes": len(png()), "width": 64, "height": 48,
            "dropped": False, "delivery": "native", "provider": "anthropic",
            "model": "claude-sonnet-4-5", "refused_by": None, "refusal": None, "refused": None}
    expect({k: got[k] for k in want} == want, got)
    expect(got["sent"] and "native" in t.do("media", session), got)
    time.sleep(0.01)
    t.body(session, BLIND, "--sent")
    (got,) = t.lines("media", session)
    expect((got["provider"], got["delivery"]) == ("groq", "text"), got)


@case("a file that is dropped becomes a note, until it is kept again")
def _(t):
    session = t.looked()
    att = t.lines("media", session)[0]["id"]
    for name in (att, "sha256:" + digest(png())):
        done = t.good("sessions", "media", session, "drop", name)
        expect(not done.out and "left out" in done.err, done.err)
        expect("dropped" in t.do("media", session) and "dropped" in t.do("show", session), "not shown")
        expect(not t.sends_picture(session), "it is still sent")
        (got,) = t.lines("media", session, "keep", name)
        expect(got["dropped"] is False and t.sends_picture(session), got)
    t.bad(6, f"sessions media {session}", "sessions", "media", session, "drop", "att_000000000000")


@case("a file that was refused as broken is a note for that provider, until it is lifted")
def _(t):
    session = t.looked()
    t.sql("INSERT INTO refused (hash, provider, reason, at) VALUES (?, ?, ?, ?)", digest(png()), "anthropic",
          "Could not process \x1b[31mimage", 1763200000000)
    shown = t.do("media", session)
    expect("refused by anthropic on 2025-11-15: Could not process" in shown and clean(shown), shown)
    got = t.lines("media", session)[0]
    expect(got["refused_by"] == "anthropic" and got["refused"].startswith("2025-11-15T"), got)
    expect(not t.sends_picture(session), "it is still sent")
    expect(t.sends_picture(session, "openai:gpt-5-mini"), "another provider does not get it")
    t.bad(6, '"google" did not refuse', "sessions", "media", session, "lift", got["id"], "--provider", "google")
    expect(t.lines("media", session)[0]["refused_by"] == "anthropic", "lifted for somebody else")
    done = t.good("sessions", "media", session, "lift", got["id"])
    expect("sent again" in done.err and t.sends_picture(session), done.err)


@case("decode --session adds the reply")
def _(t):
    session = t.new({"role": "user", "content": "Hello"})
    reply = {"type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
             "content": [{"type": "text", "text": "Hi"}], "usage": {"input_tokens": 9, "output_tokens": 2}}
    out = t.good("decode", "-m", MODEL, "--session", session, given=json.dumps(reply).encode()).json()
    stored = t.document(session)["messages"][1]
    expect(stored["content"] == out["content"] == [{"type": "text", "text": "Hi"}], stored)
    expect(t.lines("list")[0]["output_tokens"] == 2, "the usage")
    expect(b"Hi" in t.body(session), "it is not sent back")


@case("decode --session adds nothing that is not complete, and loses no reply")
def _(t):
    session = t.new({"role": "user", "content": "Hello"})
    refused = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
    done = t.run("decode", "-m", MODEL, "--session", session, given=refused.encode())
    expect(done.status == 4 and "nothing was added" in done.err, done.err)
    expect(len(t.document(session)["messages"]) == 1, "it was added")
    reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi"}],
             "stop_reason": "end_turn"}
    done = t.run("decode", "-m", MODEL, "--session", "20000101-aaaaaa", given=json.dumps(reply).encode())
    expect(done.status == 6 and b'"Hi"' in done.out, done.err)


# Forking, carrying, removing.


@case("fork makes a session of the first messages, and the first stays as it is")
def _(t):
    session = t.looked()
    before = t.document(session)
    whole, part = t.do("fork", session).strip(), t.lines("fork", session, "--messages", "1")[0]
    expect(part["messages"] == 1 and t.document(whole) == before, part)
    expect([m["role"] for m in t.document(part["id"])["messages"]] == ["user"], "not the first one")
    rows = {r["id"]: r for r in t.lines("list")}
    expect(rows[part["id"]]["parent"] == session and rows[part["id"]]["parent_messages"] == 1, rows)
    t.append(whole, {"role": "user", "content": "More"})
    expect(t.document(session) == before, "the first one has changed")
    expect(f"forked from {session} after 3 messages" in t.do("show", whole), "show does not say it")
    t.bad(2, "one message at least", "sessions", "fork", session, "--messages", "0")


@case("export and import carry a session to another store")
def _(t):
    session = t.looked("A \U0001f3e0 house?")
    want, body = t.document(session), t.body(session)
    expect(t.do("export", session, "-o", "s.tar") == "", "it printed something")
    path = t.folder / "s.tar"
    expect(stat.S_IMODE(path.stat().st_mode) == 0o600, oct(path.stat().st_mode))
    names = tarfile.open(path).getnames()
    expect(names[0] == "session.jsonl" and len(names) == 2, names)
    expect(t.good("sessions", "export", session).out == path.read_bytes(), "standard output has another")
    again = t.do("import", "s.tar").strip()
    expect(again != session and t.document(again) == want, "a second one in the same store")
    t.move("other")
    expect(t.do("import", "-", given=path.read_bytes()).strip() == session, "another id")
    expect(t.document(session) == want and t.body(session) == body, "it is not the same")
    expect(not [p for p in t.folder.iterdir() if "s.tar." in p.name], "a temporary file stays")


def members(path):
    with tarfile.open(path) as tar:
        return [(m, tar.extractfile(m).read()) for m in tar.getmembers()]


def tar_of(*files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for member, data in files:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


@rows("import keeps nothing of", [
    ("half a file", lambda files, raw: raw[:1200]),
    ("another file", lambda files, raw: b"PK\x03\x04" + bytes(2000)),
    ("nothing", lambda files, raw: b""),
    ("a file whose hash is another", lambda files, raw: tar_of(files[0], (files[1][0], b"other"))),
    ("messages that are not messages", lambda files, raw: tar_of((files[0][0], b"{}\n"), files[1])),
    ("a file without its blob", lambda files, raw: tar_of(files[0])),
])
def _(t, spoil):
    t.do("export", t.looked(), "-o", "s.tar")
    t.write("bad.tar", spoil(members(t.folder / "s.tar"), (t.folder / "s.tar").read_bytes()))
    t.move("other")
    done = t.run("sessions", "import", "bad.tar")
    expect(done.status == 6 and done.err.startswith("refract: "), f"{done.status}: {done.err}")
    expect(not t.do("list", "--json"), "a session was kept")


@case("import refuses a name that leads elsewhere")
def _(t):
    t.do("export", t.looked(), "-o", "s.tar")
    first, second = members(t.folder / "s.tar")
    second[0].name = "../../escaped"
    t.write("bad.tar", tar_of(first, second))
    t.bad(6, "escaped", "sessions", "import", "bad.tar")
    expect(not list(t.folder.rglob("escaped")), "it escaped")


@case("a failed export leaves what was there")
def _(t):
    session = t.looked()
    t.write("s.tar", "precious")
    for blob in t.blobs():
        blob.chmod(0o600)
        blob.write_bytes(b"damaged")
    t.bad(6, "", "sessions", "export", session, "-o", "s.tar")
    expect((t.folder / "s.tar").read_text() == "precious", "it was overwritten")
    t.bad(6, "could not write", "sessions", "export", session, "-o", "nowhere/s.tar")
    expect(not [p for p in t.folder.iterdir() if "s.tar." in p.name], "a temporary file stays")


@case("a database that is lost is not a new store, and its files are safe from gc")
def _(t):
    t.looked()
    before = t.blobs()
    for path in t.folder.rglob("sessions.db"):
        path.write_bytes(b"")
    for words in (["list"], ["gc", "--age", "0"]):
        t.bad(6, "the database is empty", "sessions", *words)
    expect(before and t.blobs() == before, "files were taken away")


@case("rm takes a session away, and the files that nothing else uses")
def _(t):
    session = t.looked()
    fork = t.do("fork", session).strip()
    done = t.good("sessions", "rm", session)
    expect(not done.out and session in done.err and "3 messages; freed 0 B, 0 files" in done.err, done.err)
    size = sum(p.stat().st_size for p in t.blobs())
    expect([r["id"] for r in t.lines("list")] == [fork] and t.sends_picture(fork), "the fork is hurt")
    expect(t.lines("rm", fork) == [{"removed": fork, "messages": 3, "files": 1, "freed": 1,
                                  "bytes": size}], "as JSON")
    expect(not t.do("list", "--json") and not t.blobs(), "something stays")
    t.bad(6, "no session", "sessions", "rm", fork)


@case("gc frees what nothing uses, once it is old enough")
def _(t):
    session = t.looked()
    unused = t.data / "blobs" / "ab" / ("cd" + "0" * 60)
    orphan = t.data / "blobs" / "ab" / ("ce" + "0" * 60)
    torn = t.data / "blobs" / "tmp" / "new-torn"
    for path in (unused, orphan, torn):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100)
    t.sql("INSERT INTO blobs VALUES (?, 100, '', ?, 0)", "abcd" + "0" * 60, int(time.time() * 1000))
    (got,) = t.lines("gc")
    expect((got["blobs"], got["leftovers"], got["kept"]) == (0, 0, 2) and orphan.exists(), got)
    time.sleep(1.1)
    (got,) = t.lines("gc", "--age", "0")
    expect(got == {"blobs": 1, "leftovers": 2, "bytes": 300, "kept": 1}, got)
    expect(not any(p.exists() for p in (unused, orphan, torn)), "they are there still")
    expect(len(t.blobs()) == 1 and "freed 0 B" in t.good("sessions", "gc").err, "the wrong ones")
    expect(t.sends_picture(session), "the picture")


# Mistakes.


@rows("wrong usage is status 2", [
    ("an action nobody knows", 'does not know "frobnicate"', "frobnicate"),
    ("an action that is nearly one", "Did you mean export?", "exprot"),
    ("no session", "needs to know which session", "show"),
    ("no file", "needs to know which file", "import"),
    ("too many words", 'unexpected argument "b"', "show", "a", "b"),
    ("more words than any takes", 'unexpected argument "e"', "media", "a", "drop", "c", "e"),
    ("an option of another action", "does not take --age", "list", "--age", "1"),
    ("a change nobody knows", "drop|keep|lift", "media", "a", "burn", "b"),
    ("a change without its file", "which file", "media", "a", "drop"),
    ("a provider for no change", "--provider", "media", "a", "--provider", "x"),
    ("a provider for another change", "--provider", "media", "a", "drop", "b", "--provider", "x"),
    ("no number", "not a whole number", "list", "-n", "x"),
    ("a number without end", "not a whole number", "gc", "--age", "9" * 30),
    ("--json without a place for the file", "-o", "export", "last"),
])
def _(t, part, *args):
    t.looked()
    if "-o" == part:
        done = t.run("sessions", *args, "--json")
        expect(done.status == 2 and done.json()["error"]["hint"] == "Name a file with -o.", done.out)
    else:
        t.bad(2, part, "sessions", *args)


@rows("an id is never a path", [(ascii(i[:20]), i) for i in (
    "../x", "/etc/passwd", "a/b", "..", "%", "' OR 1=1 --", "\x1b[31m", "x" * 500, "Ä")])
def _(t, name):
    t.looked()
    for args in (("show", name), ("rm", name), ("export", name), ("fork", name), ("media", name)):
        t.bad(2, "", "sessions", *args)
    t.bad(2, "", "encode", "-m", MODEL, "--session", name)


@case("an unknown session: what is like it, and where to look")
def _(t):
    t.bad(6, "there is no session yet", "sessions", "show", "last")
    session = t.looked()
    wrong = session[:-1] + ("a" if session[-1] != "a" else "b")
    t.bad(6, f"Did you mean {session}?", "sessions", "show", wrong)
    t.bad(6, "refract sessions list", "sessions", "show", "xyz")
    t.bad(6, f"Did you mean {session}?", "encode", "-m", MODEL, "--session", wrong)
    error = t.run("sessions", "show", wrong, "--json").json()["error"]
    expect(error["code"] == "not_found" and error["exit"] == 6, error)
    other = t.looked()
    t.bad(2, "", "sessions", "show", os.path.commonprefix([session, other]))


@case("encode: a session and a conversation are one too many, and --sent needs a session")
def _(t):
    session = t.looked()
    t.bad(2, "one more", "encode", "-m", MODEL, "--session", session, "talk.json")
    t.bad(2, "--session", "encode", "-m", MODEL, "--sent")


@case("names with escapes do not reach the terminal")
def _(t):
    name = "a\x1b[31m\x07\u009b.png"
    session = t.new({"role": "user", "content": [{"type": "text", "text": "\x1b]0;owned\x07 \x1b[2J?\nok"},
                                                 image("plan.png", name=name)]},
                    {"role": "assistant", "content": [
                        {"type": "tool_call", "id": "c1", "name": "l\x1b[1m", "arguments": {"a": "\x1b"}}]})
    t.do("title", session, "T\x1b[31m\r")
    for args in (["list"], ["show", session], ["media", session], ["title", session]):
        out = t.do(*args)
        expect(clean(out), f"{args}: {out!r}")
    expect(t.document(session)["messages"][0]["content"][1]["name"] == name, "the name was changed")


# The store.


@case("files are 0600 and folders 0700, whatever the umask")
def _(t):
    before = os.umask(0)
    try:
        t.looked()
    finally:
        os.umask(before)
    for path in [t.data, *t.data.rglob("*")]:
        want = 0o700 if path.is_dir() else 0o600
        expect(stat.S_IMODE(path.stat().st_mode) == want, f"{path}: {oct(path.stat().st_mode)}")


def await_owner(t):
    deadline = time.monotonic() + LIMIT_S
    while not t.lines("list")[0]["owner"]:
        expect(time.monotonic() < deadline, "nobody owns it")
        time.sleep(0.02)


@case("a session that somebody writes to: who it is, and everybody may read")
def _(t):
    session = t.looked()
    writer = subprocess.Popen([t.program, "sessions", "append", session], stdin=subprocess.PIPE,
                              env=t.env, cwd=t.folder)
    try:
        await_owner(t)
        message = b'{"role":"user","content":"mine"}'
        done = t.bad(7, f"process {writer.pid}", "sessions", "append", session, given=message)
        expect("hint: " in done.err, done.err)
        t.bad(7, f"process {writer.pid}", "sessions", "rm", session)
        t.bad(7, "", "sessions", "media", session, "drop", "att_" + digest(png())[:12])
        expect(f"process {writer.pid}" in t.do("show", session), "show does not say who")
        expect("in use" in t.do("list") and t.sends_picture(session), "it cannot be read")
        t.append(t.do("fork", session).strip(), {"role": "user", "content": "elsewhere"})
    finally:
        writer.kill()
        writer.communicate()
    expect(t.lines("list")[-1]["owner"] is None, "the dead one owns it still")
    t.append(session, {"role": "user", "content": "mine"})


@case("many at once: each message is there once, in an order that nobody mixes")
def _(t):
    session, others = t.looked(), [t.looked() for _ in range(4)]

    def start(to, words):
        path = t.write(f"{to}-{words}.json", json.dumps({"role": "user", "content": words}))
        return subprocess.Popen([t.program, "sessions", "append", to, path], env=t.env, cwd=t.folder,
                                stderr=subprocess.PIPE)
    children = [(words, start(session, words)) for words in map(str, range(12))]
    children += [(None, start(other, "x")) for other in others]
    ends = [(words, child.stderr.read().decode(), child.wait(timeout=LIMIT_S)) for words, child in children]
    for words, err, status in ends:
        expect(status in ((0, 7) if words else (0,)), f"{status}: {err}")
    kept = [words for words, _, status in ends if words and status == 0]
    said = [m["content"][0]["text"] for m in t.document(session)["messages"][3:]]
    expect(kept and sorted(said) == sorted(kept), f"{kept} became {said}")
    expect(all(len(t.document(o)["messages"]) == 4 for o in others), "the others")


@rows("a store that is no good is left alone", [
    ("no database", lambda db: db.write_bytes(b"this is not a database " * 500), 6),
    ("damaged pages", lambda db: spoil_pages(db), 6),
    ("a newer version", lambda db: change(db, "UPDATE store_meta SET value = '999'"), 8),
    ("somebody else's database", lambda db: replace(db, "CREATE TABLE accounts (id INTEGER)"), 6),
    ("half of a store", lambda db: change(db, "DROP TABLE messages"), 6),
])
def _(t, spoil, status):
    session = t.looked()
    db = t.data / "sessions.db"
    spoil(db)
    before = db.read_bytes()
    for args in (["list"], ["show", session], ["append", session], ["new"], ["rm", session]):
        given = conversation({"role": "user", "content": "x"}) if args == ["new"] else \
            b'{"role":"user","content":"x"}'
        done = t.run("sessions", *args, given=given)
        expect(done.status == status, f"{args}: {done.status}: {done.err}")
        expect("hint: " in done.err and str(t.data) in done.err, done.err)
    expect(db.read_bytes() == before, "it was changed")
    doctor = t.run("doctor", "--json")
    (found,) = [r for r in map(json.loads, doctor.out.splitlines()) if r["area"] == "store"]
    expect(doctor.status == 8 and found["health"] == "missing" and found["hint"], found)


def change(path, statement):
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def replace(path, statement):
    for old in path.parent.glob("sessions.db*"):
        old.unlink()
    change(path, statement)


def spoil_pages(path):
    change(path, "PRAGMA user_version")
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * (len(data) - 100))


@case("a file of the store that was damaged is not sent, and said to be")
def _(t):
    session = t.looked()
    for blob in t.blobs():
        blob.chmod(0o600)
        blob.write_bytes(png()[:-1] + b"X")
    done = t.good("encode", "-m", MODEL, "--session", session, "--explain")
    expect(done.report()[0]["delivery"] == "text", done.err)
    expect(t.run("encode", "-m", MODEL, "--session", session, "--strict").status == 6, "strict")
    t.bad(6, "", "sessions", "export", session, "-o", "s.tar")


@case("a folder that cannot be written")
def _(t):
    session = t.looked()
    as_nobody = None
    if os.geteuid() == 0:  # who may write everywhere
        for path in (t.folder, *t.folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        program = t.folder / "bin"
        shutil.copytree(pathlib.Path(t.program).parent, program, symlinks=True,
                        ignore=lambda d, names: [n for n in names if not n.startswith(("refract", "libref"))
                                                 or n.endswith(".p")])
        t.program = str(program / "refract")
        as_nobody = lambda: (os.setgid(NOBODY), os.setuid(NOBODY))
    def run(*args, given=b""):
        return subprocess.run([t.program, "sessions", *args], input=given, env=t.env, cwd=t.folder,
                              capture_output=True, preexec_fn=as_nobody, timeout=LIMIT_S, check=False)
    if run("list").returncode:
        raise AssertionError(run("list").stderr.decode())
    message = b'{"role":"user","content":"x"}'
    for path in sorted(t.data.rglob("*"), reverse=True):
        path.chmod(0o500 if path.is_dir() else 0o400)
    t.data.chmod(0o500)
    done = run("append", session, given=message)
    err = done.stderr.decode()
    expect(done.returncode in (6, 8) and "hint: " in err and not done.stdout, f"{done.returncode}: {err}")
    t.env["XDG_DATA_HOME"] = str(t.data / "deeper")
    done = run("new", given=conversation({"role": "user", "content": "x"}))
    err = done.stderr.decode()
    expect(done.returncode in (6, 8) and "hint: " in err and not done.stdout, f"{done.returncode}: {err}")
    for path in [t.data, *t.data.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)


@case("doctor looks at the store")
def _(t):
    t.looked()
    (found,) = [r for r in map(json.loads, t.run("doctor", "--json").out.splitlines())
                if r["area"] == "store"]
    expect(found["health"] == "good" and found["what"] == "1 session", found)
    expect(str(t.data) in found["name"], found)


def open_folders(t):
    """What doctor says of folders that others can get into, and how it ends."""
    done = t.run("doctor", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {r["name"]: r for r in rows if r["area"] == "folder" and r["health"] != "good"}, done.status


@rows("doctor tells of a folder that others can get into", [
    ("data, 0777", "data/refract", 0o777, "read and write to it (mode 0777)"),
    ("data, 0750", "data/refract", 0o750, "read it (mode 0750)"),
    ("data, 0702", "data/refract", 0o702, "write to it (mode 0702)"),
    ("cache, 0755", "cache/refract", 0o755, "read it (mode 0755)"),
    ("configuration, 0777", "xdg/refract", 0o777, "read and write to it (mode 0777)"),
    ("configuration, 0755", "xdg/refract", 0o755, None),
    ("a store elsewhere, 0770", "elsewhere", 0o770, "read and write to it (mode 0770)"),
])
def _(t, name, mode, says):
    t.env["XDG_CACHE_HOME"] = str(t.folder / "cache")
    t.write("xdg/refract/config.yaml", f"store: {t.folder}/elsewhere\n" if name == "elsewhere" else "")
    t.looked()
    for path in ("data/refract", "cache/refract", "xdg/refract", "elsewhere"):
        (t.folder / path).mkdir(parents=True, exist_ok=True)
        (t.folder / path).chmod(0o700)
    found, before = open_folders(t)
    expect(not found, found)
    path = t.folder / name
    path.chmod(mode)
    found, status = open_folders(t)
    if not says:
        expect(not found and status == before, found)
        return
    expect(list(found) == [str(path)] and status == (before or 1), f"{found}, status {status}")
    expect(says in found[str(path)]["what"] and found[str(path)]["hint"] == f"chmod 700 {path}", found)


@case("doctor tells of a file in the data folder that belongs to somebody else")
def _(t):
    if os.geteuid() != 0:
        print("skipped: only root can give a file away", end=" ")
        return
    t.looked()
    os.chown(t.data / "sessions.lock", NOBODY, NOBODY)
    found, status = open_folders(t)
    expect(list(found) == [str(t.data / "sessions.lock")] and status, found)
    expect("another user (65534)" in found[str(t.data / "sessions.lock")]["what"], found)


# PostgreSQL.


def configure(t, address):
    t.write("xdg/refract/config.yaml", f"store: {{address: {json.dumps(address)}}}\n")


@case("the same with PostgreSQL, and from there to SQLite", needs_server=True)
def _(t):
    server, schema = os.environ[SERVER], f"cli_{os.getpid()}"
    configure(t, f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{schema}")
    subprocess.run(["psql", "-qc", f"CREATE SCHEMA {schema}", server], check=True, timeout=LIMIT_S)
    session = t.looked()
    (t.folder / "plan.png").unlink()
    want, body = t.document(session), t.body(session, MODEL, "--sent")
    expect(t.sends_picture(session) and t.lines("media", session)[0]["delivery"] == "native", "sent")
    expect(not (t.data / "sessions.db").exists(), "it is in a file")
    writer = subprocess.Popen([t.program, "sessions", "append", session], stdin=subprocess.PIPE,
                              env=t.env, cwd=t.folder)
    try:
        await_owner(t)
        t.bad(7, f"process {writer.pid}", "sessions", "append", session, given=b"{}")
    finally:
        writer.kill()
        writer.communicate()
    t.do("export", session, "-o", "s.tar")
    (found,) = [r for r in map(json.loads, t.run("doctor", "--json").out.splitlines())
                if r["area"] == "store"]
    expect(found["name"].startswith("postgres") and found["what"] == "1 session", found)
    t.do("rm", session)
    expect(not t.do("list", "--json"), "it is there still")
    (t.folder / "xdg/refract/config.yaml").unlink()
    expect(t.do("import", "s.tar").strip() == session, "another id")
    expect(t.document(session) == want and t.body(session) == body, "it is not the same")


@case("a server that is not there is said, without its password")
def _(t):
    configure(t, f"postgres://anna:secret@/db?host={t.folder}/nowhere")
    for args in (["sessions", "list"], ["encode", "-m", MODEL, "--session", "last"]):
        done = t.bad(8, "hint: ", *args)
        expect("secret" not in done.err, done.err)


# A terminal.


def on_terminal(t, *args, stdin=None, stdout=None):
    """(the process, what its terminal shows)"""
    lead, follow = pty.openpty()
    process = subprocess.Popen([t.program, *args], stdin=stdin or subprocess.DEVNULL,
                               stdout=stdout or follow, stderr=follow, cwd=t.folder, env=t.env)
    os.close(follow)
    return process, lead


def seen(lead):
    text = b""
    try:
        while piece := os.read(lead, 65536):
            text += piece
    except OSError:  # the other side is closed
        pass
    os.close(lead)
    return text.decode()


@case("a tar file does not go to a terminal")
def _(t):
    process, lead = on_terminal(t, "sessions", "export", t.looked())
    text = seen(lead)
    expect(process.wait(timeout=LIMIT_S) == 2 and "hint: Name a file with -o." in text, text)
    expect("session.jsonl" not in text, text)


@case("what takes long says so on a terminal, and wipes it")
def _(t):
    raw = t.good("sessions", "export", t.looked()).out
    process, lead = on_terminal(t, "sessions", "import", "-", stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
    process.stdin.write(raw[:512])
    process.stdin.flush()
    begun = os.read(lead, 65536).decode()
    process.stdin.write(raw[512:])
    process.stdin.close()
    text = begun + seen(lead)
    expect(ID.search(process.stdout.read().decode()) and process.wait(timeout=LIMIT_S) == 0, text)
    expect("importing: " in text and text.endswith("\r\x1b[K"), repr(text))


@case("list cuts titles to the terminal")
def _(t):
    t.new({"role": "user", "content": "house " * 12})
    process, lead = on_terminal(t, "sessions", "list")
    text = seen(lead)
    expect(process.wait(timeout=LIMIT_S) == 0 and "…" in text, text)
    expect(max(map(len, text.splitlines())) <= 80, text)


@case("a reader that goes away")
def _(t):
    session = t.looked()
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([t.program, "sessions", "export", session], stdout=writing,
                          stderr=subprocess.PIPE, env=t.env, cwd=t.folder, timeout=LIMIT_S, check=False)
    os.close(writing)
    expect(done.returncode == 1 and not done.stderr, done.stderr)


def main(program):
    failed = skipped = 0
    for name, needs_server, function in CASES:
        if needs_server and not (os.environ.get(SERVER) and shutil.which("psql")):
            skipped += 1
            print(f"skipped {name}: {SERVER} names no server, or psql is missing")
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="refract-sessions-") as folder:
                function(Sessions(program, folder))
            print(f"ok      {name}")
        except Exception as problem:  # a case that breaks has failed
            failed += 1
            print(f"FAILED  {name}\n    {type(problem).__name__}: {problem}")
    also = f", {skipped} skipped" if skipped else ""
    print(f"{len(CASES) - failed - skipped} passed, {failed} failed{also}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
