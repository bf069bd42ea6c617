#!/usr/bin/env python3
"""Clients that speak the API of the model that answers: their bytes pass, and so do those of the reply, unless a file
needs help. The upstream is a server that remembers what it was sent and says what a case tells it to."""
import http.server
import itertools
import json
import pathlib
import signal
import socket
import struct
import threading
import time
import zlib

from harness import CLIENTS, PNG, Gateway, b64, case, expect, main, media_fixtures

KEYS = {"anthropic": "sk-ant-not-to-be-seen", "openai-chat": "sk-not-to-be-seen",
        "openai-responses": "sk-not-to-be-seen", "gemini": "not-to-be-seen"}
KEY = KEYS["anthropic"]
CLIENT_KEY = "a-client-has-its-own"


class Upstream(http.server.ThreadingHTTPServer):
    """`answers` are (status, content type, pieces, how it ends), each for one request; the last stays."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.seen, self.answers = [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def says(self, *answers):
        self.seen, self.answers = [], list(answers)


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append((self.path, self.headers, body))
        answers = self.server.answers
        status, kind, pieces, ending = answers.pop(0) if len(answers) > 1 else answers[0]
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if ending == "whole":
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True


UPSTREAM = Upstream()
AT = f"http://127.0.0.1:{UPSTREAM.server_address[1]}"
ADDRESSES = {"ANTHROPIC_BASE_URL": AT, "OPENAI_BASE_URL": AT + "/v1", "GEMINI_BASE_URL": AT}
OWN = None  # a gateway for all cases that leave it as it is


def gateway():
    global OWN
    OWN = OWN or Gateway(env=ADDRESSES)
    return OWN


# What no version of our parsers has to know: members, blocks, spellings and an order of keys of the client's own.
ODD = (b'"future_field" : {"z":1,"a":[1e400,0.10,123456789012345678901234567890], "a":null},'
       b'\n\t"labels":{"b":"caf\\u00e9 \\/ \\ud83d\\ude00","a":"caf\xc3\xa9"}')
PICTURE = b64(PNG).encode()
REQUESTS = {
    "anthropic": (
        b'{ ' + ODD + b',"model" : "MODEL", "max_tokens":1000,"service_tier":"auto","messages":[{"role":"user","content":'
        b'[{"type":"hologram","voxels":[1,2,3]},{"text":"one","type":"text","cache_control":{"type":"ephemeral"}},'
        b'{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PICTURE"}}]}],'
        b'"tools":[{"type":"telepathy_20300101","name":"t"}],"stream":STREAM }\n'),
    "openai-chat": (
        b'{"logit_bias":{"50256":-100},"n":1,"audio":{"voice":"alloy","format":"wav"},"service_tier":"flex",' + ODD +
        b',"messages":[{"role":"user","content":[{"type":"hologram","voxels":[1,2,3]},{"type":"image_url","image_url":'
        b'{"url":"data:image/png;base64,PICTURE","detail":"low"}},{"type":"text","text":"one"}]}],"stream":STREAM,'
        b'"tools":[{"type":"telepathy"}],"model":"MODEL"}'),
    "openai-responses": (
        b'{"input":[{"type":"telepathy_call","id":"tc_1"},{"role":"user","content":[{"type":"hologram","voxels":[1,2,3]},'
        b'{"type":"input_image","image_url":"data:image/png;base64,PICTURE"},{"type":"input_text","text":"one"}]}],'
        + ODD + b',"include":["reasoning.encrypted_content"],"model":"MODEL","stream":STREAM}'),
    "gemini": (
        b'{"safety_settings":[],' + ODD + b',"contents":[{"role":"user","parts":[{"hologram":{"voxels":[1,2,3]}},'
        b'{"inlineData":{"mimeType":"image/png","data":"PICTURE"}},{"text":"one"}]}],"tools":[{"telepathy":{}}],'
        b'"generationConfig":{"topK":40,"futureOption":[]}}'),
}
MODELS = {"anthropic": ("anthropic", "claude-sonnet-4-5"), "openai-chat": ("openai-chat", "gpt-4o"),
          "openai-responses": ("openai", "gpt-5.4-mini"), "gemini": ("google", "gemini-3.5-flash")}

# Replies with members, events and white space that are as little known.
WHOLE = {
    "anthropic": (b'{ "id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text",'
                  b'"text":"caf\\u00e9"},{"type":"hologram","voxels":[]}],"stop_reason":"end_turn","usage":'
                  b'{"input_tokens":3,"output_tokens":1,"future_tokens":1},"future":1.50}\n\n'),
    "openai-chat": (b'{"id":"c1","object":"chat.completion","created":1,"model":"gpt-x","choices":[{"index":0,"message":'
                    b'{"role":"assistant","content":"caf\\u00e9","hologram":[ ]},"finish_reason":"stop","logprobs":null}],'
                    b'"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}'),
    "openai-responses": (b'{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-x",'
                         b'"output":[{"type":"telepathy_call","id":"tc_2"},{"type":"message","id":"m","role":"assistant",'
                         b'"status":"completed","content":[{"type":"output_text","text":"caf\\u00e9","annotations":[]}]}],'
                         b'"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}'),
    "gemini": (b'{\n  "candidates": [ {"content":{"parts":[{"text":"caf\\u00e9"},{"hologram":{}}],"role":"model"},'
               b'"finishReason":"STOP"}],\n"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}\n'),
}


def sse(*events):
    return b"".join(events)


STREAM = {
    "anthropic": [
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":'
        b'"assistant","model":"claude-x","content":[],"usage":{"input_tokens":3,"output_tokens":0}}}\n\n',
        b': keep-alive\n\n', b'event: hologram\ndata: {"type":"hologram"}\n\n',
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":'
        b'{"type":"text","text":""}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",'
        b'"text":"caf\\u00e9 one"}}\n\n',
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":'
        b'{"output_tokens":1}}\n\n',
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
    "openai-chat": [
        b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","obfuscation":"xyz","choices":'
        b'[{"index":0,"delta":{"role":"assistant","content":""}}]}\r\n\r\n',
        b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":[{"index":0,"delta":'
        b'{"content":"caf\\u00e9 one"}}]}\r\n\r\n',
        b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":[{"index":0,"delta":{},'
        b'"finish_reason":"stop"}]}\r\n\r\n',
        b'data: [DONE]\r\n\r\n'],
    "openai-responses": [
        b'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1",'
        b'"object":"response","status":"in_progress","model":"gpt-x","output":[]}}\n\n',
        b'event: response.telepathy\ndata: {"type":"response.telepathy","sequence_number":1}\n\n',
        b'event: response.output_item.added\ndata: {"type":"response.output_item.added","sequence_number":2,'
        b'"output_index":0,"item":{"type":"message","id":"m","role":"assistant","status":"in_progress","content":[]}}\n\n',
        b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":3,'
        b'"item_id":"m","output_index":0,"content_index":0,"delta":"caf\\u00e9 one"}\n\n',
        b'event: response.completed\ndata: {"type":"response.completed","sequence_number":4,"response":'
        + WHOLE["openai-responses"] + b'}\n\n'],
    "gemini": [
        b'data: {"candidates": [{"content": {"parts": [{"text": "caf\\u00e9"}],"role": "model"},"index": 0}]}\r\n\r\n',
        b'data: {"candidates": [{"content": {"parts": [{"text": " one"}],"role": "model"},"finishReason": "STOP",'
        b'"index": 0}],"usageMetadata": {"promptTokenCount": 3,"candidatesTokenCount": 1}}\r\n\r\n'],
}
JSON, EVENTS = "application/json", "text/event-stream; charset=utf-8"


def whole(name, body=None, status=200):
    return status, JSON, [WHOLE[name] if body is None else body], "whole"


def streamed(name):
    return 200, EVENTS, STREAM[name], "whole"


def written(client, stream=False, model=None, picture=PICTURE):
    """The client's bytes, and those that its provider is to be given."""
    provider, own = MODELS[client.name]
    raw = REQUESTS[client.name].replace(b"PICTURE", picture).replace(b"STREAM", b"true" if stream else b"false")
    asked = (model or f"{provider}:{own}").encode()
    return raw.replace(b"MODEL", asked), raw.replace(b"MODEL", own.encode())


def path_of(client, stream, model=None):
    return client.path(model or ":".join(MODELS[client.name]), stream)


def planned(raw):
    """What was planned and written anew is compact, and begins with what is ours."""
    return b'" : ' not in raw and b"1e400, 0.10" not in raw and b"\n\t" not in raw


def huge_png(side):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\x80" * side) * side)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", rows) + chunk(b"IEND", b""))


@case("what a client writes to its own API arrives byte for byte, and so does the reply")
def _():
    g = gateway()
    for client in CLIENTS:
        for stream in (False, True):
            UPSTREAM.says(streamed(client.name) if stream else whole(client.name))
            sent, want = written(client, stream)
            r, text = g.ask(path_of(client, stream), sent)
            (path, headers, got), = UPSTREAM.seen
            expect(got == want, (client.name, got[:600]))
            expect(int(headers["content-length"]) == len(want), headers)
            expect(client.name != "gemini" or path.startswith("/v1beta/models/gemini-3.5-flash:"), path)
            expect(r.status == 200 and text == (sse(*STREAM[client.name]) if stream else WHOLE[client.name]), text)
            expect(r.headers["content-type"] == (EVENTS if stream else JSON), r.headers)
            expect(r.headers["x-refract-delivery"] == "native/original=1" and r.headers["x-refract-request-id"] and
                   int(r.headers["x-refract-overhead-us"]) > 0, r.headers)


@case("a request that cannot be read is its provider's to judge, and with another one it is refused")
def _():
    g = gateway()
    unread = {
        "anthropic": b'{"model":"MODEL","messages":[{"role":"critic","content":"no"}],"stream":STREAM}',
        "openai-chat": b'{"model":"MODEL","messages":[{"role":"critic","content":"no"}],"stream":STREAM}',
        "openai-responses": b'{"model":"MODEL","prompt":{"id":"pmpt_1"},"stream":STREAM}',
        "gemini": b'{"contents":[{"role":"critic","parts":[{"text":"no"}]}]}',
    }
    for client in CLIENTS:
        provider, own = MODELS[client.name]
        other = "openai-chat:gpt-4o" if client.name != "openai-chat" else "anthropic:claude-sonnet-4-5"
        for stream in (False, True):
            UPSTREAM.says(streamed(client.name) if stream else whole(client.name))
            raw = unread[client.name].replace(b"STREAM", b"true" if stream else b"false")
            r, text = g.ask(path_of(client, stream), raw.replace(b"MODEL", f"{provider}:{own}".encode()))
            expect(r.status == 200 and UPSTREAM.seen[0][2] == raw.replace(b"MODEL", own.encode()), (r.status, text))
            expect(text == (sse(*STREAM[client.name]) if stream else WHOLE[client.name]), text)
        UPSTREAM.says(whole(client.name))
        r, text = g.ask(path_of(client, False, other), unread[client.name].replace(b"STREAM", b"false")
                        .replace(b"MODEL", other.encode()))
        expect(r.status == 400 and not UPSTREAM.seen and client.error(text), (r.status, text))


@case("the model is renamed wherever the body names it, and named where it does not")
def _():
    client, = (c for c in CLIENTS if c.name == "anthropic")
    own = b'"claude-sonnet-4-5"'
    rest = b'"max_tokens":9,"messages":[{"role":"user","content":"one"}]'
    rows = [
        (b'{"model":"cheap",' + rest + b',"mod\\u0065l":"dear","model":"MODEL"}',
         b'{"model":OWN,' + rest + b',"mod\\u0065l":OWN,"model":OWN}'),
        (b'{"metadata":{"model":"MODEL"},"model":"MODEL",' + rest + b'}',
         b'{"metadata":{"model":"MODEL"},"model":OWN,' + rest + b'}'),
    ]
    g = gateway()
    for sent, want in rows:
        UPSTREAM.says(whole(client.name))
        r, text = g.ask("/v1/messages", sent.replace(b"MODEL", b"anthropic:claude-sonnet-4-5"))
        expect(r.status == 200, text)
        got = UPSTREAM.seen[0][2]
        expect(got == want.replace(b"OWN", own).replace(b"MODEL", b"anthropic:claude-sonnet-4-5"), got)
    with Gateway("--upstream", "anthropic:claude-sonnet-4-5", env=ADDRESSES) as g:
        UPSTREAM.says(whole(client.name))
        for sent in (b" { " + rest + b"}", b'{"model":7,' + rest + b"}", b'{"model":"x y",' + rest + b"}"):
            r, text = g.ask("/v1/messages", sent)
            got = UPSTREAM.seen[-1][2]
            expect(r.status == 200 and json.loads(got)["model"] == "claude-sonnet-4-5", (r.status, text, got))
            expect(got.endswith(rest + b"}"), got)


@case("features that a client asks for in headers go along, and its key does not")
def _():
    g = gateway()
    rows = {"anthropic": {"anthropic-beta": "files-api-2025-04-14,future", "x-api-key": CLIENT_KEY},
            "openai-chat": {"openai-beta": "assistants=v2", "authorization": f"Bearer {CLIENT_KEY}",
                            "openai-organization": CLIENT_KEY},
            "openai-responses": {"openai-beta": "responses=v9", "authorization": f"Bearer {CLIENT_KEY}",
                                 "openai-project": CLIENT_KEY},
            "gemini": {"x-server-timeout": "90", "x-goog-api-key": CLIENT_KEY, "x-goog-user-project": CLIENT_KEY}}
    for client in CLIENTS:
        UPSTREAM.says(whole(client.name))
        r, text = g.ask(path_of(client, False), written(client)[0], **rows[client.name], cookie=CLIENT_KEY)
        (_, got, _), = UPSTREAM.seen
        feature, value = next(iter(rows[client.name].items()))
        expect(r.status == 200 and got.get_all(feature) == [value], (feature, got))
        expect(CLIENT_KEY not in str(got) and "not-to-be-seen" in str(got), got)
    UPSTREAM.says(whole("openai-chat"))
    g.ask("/v1/messages", written(CLIENTS[0], model="openai-chat:gpt-4o")[0], anthropic_beta="future")
    expect("anthropic-beta" not in UPSTREAM.seen[0][1], "another API's features go nowhere")


@case("a file with a wrong label, or too large, is helped, and what is unknown beside it stays")
def _():
    g = gateway()
    large = huge_png(4000)
    for client in CLIENTS:
        for stream in (False, True):
            UPSTREAM.says(streamed(client.name) if stream else whole(client.name))
            sent, want = written(client, stream)
            r, text = g.ask(path_of(client, stream), sent.replace(b"image/png", b"image/jpeg"))
            got = UPSTREAM.seen[0][2]
            expect(r.status == 200 and b"image/png" in got and b"image/jpeg" not in got, (r.status, text, got[:300]))
            expect(PICTURE in got and b"telepathy" in got and b"future_field" in got, got[:600])
            expect(b"hologram" in got or client.name == "openai-responses", got[:600])
            expect(got != want and planned(got), got[:300])
        UPSTREAM.says(whole(client.name))
        r, text = g.ask(path_of(client, False), written(client, picture=b64(large).encode())[0])
        got = UPSTREAM.seen[0][2]
        expect(r.status == 200 and r.headers["x-refract-delivery"].endswith("/smaller=1"), (r.headers, text))
        expect(b64(large).encode() not in got and planned(got), got[:300])


@case("a file that hides in a text is taken out, and answers of another model are not passed off as this one's")
def _():
    g = gateway()
    by_name = {c.name: c for c in CLIENTS}
    hidden = {"role": "user", "content": [{"type": "text", "text": f"data:image/png;base64,{b64(PNG)}"}]}
    thought = [{"role": "user", "content": "one"},
               {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": ""},
                                                 {"type": "text", "text": "two"}]}, {"role": "user", "content": "three"}]
    call = [{"role": "user", "content": "one"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "call_7__thought__c2lnbmVk", "type": "function",
             "function": {"name": "look", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "call_7__thought__c2lnbmVk", "content": "two"}]
    sealed = [{"role": "user", "content": "one"},
              {"role": "assistant", "content": "two", "reasoning_content": "hm", "reasoning_details": [
                  {"type": "reasoning.text", "text": "hm", "index": 0, "signature": b64(
                      b"refract\nlitellm\ngpt-4o\n\nc2ln\n\n\n")}]}, {"role": "user", "content": "three"}]
    rows = [("anthropic", [hidden], b'"data:image'), ("anthropic", thought, b'"thinking"'),
            ("openai-chat", call, b"__thought__"), ("openai-chat", sealed, b'"hm"'),
            ("openai-chat", sealed, b"reasoning_details")]
    for name, messages, gone in rows:
        UPSTREAM.says(whole(name))
        model = ":".join(MODELS[name])
        r, text = g.ask(by_name[name].path(model, False), {"model": model, "max_tokens": 99, "messages": messages})
        expect(r.status == 200 and gone not in UPSTREAM.seen[0][2], (r.status, text, UPSTREAM.seen[0][2]))


def called(ids, result="two"):
    """Turns with a call each, as Chat has them."""
    turns = [{"role": "user", "content": "one"}]
    for i in ids:
        turns += [{"role": "assistant", "content": None, "tool_calls": [
            {"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
                  {"role": "tool", "tool_call_id": i, "content": result}]
    return turns


@case("the ids of calls go back byte for byte to a server that takes them, in each turn anew where it numbers by turn")
def _():
    long = "tool_insert_level_with_spaces_3ZiChYzj8xER8HixJe7W"
    rows = [("openrouter:google/gemini-2.5-flash", [long]), ("groq:llama-3.3-70b", [long, "call_0", "call_0"]),
            ("xai-chat:grok-4", ["call-f2c77db6-d914-43cb-ae41-95765438ef68-0"]),
            ("litellm:gemini-3-pro", ["call_7__thought__c2lnbmVk", "call_7__thought__c2lnbmVk"]),
            ("openai-chat:gpt-4o", ["call_0", "call_0", "functions.look:0"])]
    providers = "".join(f"  {name}: {{base_url: '{AT}/v1'}}\n" for name in ("openrouter", "groq", "xai-chat"))
    keys = {"OPENROUTER_API_KEY": "k", "GROQ_API_KEY": "k", "XAI_API_KEY": "k", "LITELLM_API_KEY": "k",
            "LITELLM_BASE_URL": AT + "/v1"}
    with Gateway(config="providers:\n" + providers, env={**ADDRESSES, **keys}) as g:
        for model, ids in rows:
            UPSTREAM.says(whole("openai-chat"))
            sent = json.dumps({"model": model, "messages": called(ids)}).encode()
            r, text = g.ask("/v1/chat/completions", sent)
            want = sent.replace(model.encode(), model.split(":", 1)[1].encode())
            expect(r.status == 200 and UPSTREAM.seen[0][2] == want, (r.status, text, UPSTREAM.seen[0][2]))
        UPSTREAM.says(whole("openai-chat"))
        r, text = g.ask("/v1/chat/completions", {"model": "openai-chat:gpt-4o", "messages": called([long])})
        expect(r.status == 200 and long.encode() not in UPSTREAM.seen[0][2], "OpenAI takes 40 characters")


@case("a picture in a text file goes beside it, and the file keeps its place, its title and its citations")
def _():
    g, by_name = gateway(), {c.name: c for c in CLIENTS}
    text = f"# Notes\n![plot](data:image/png;base64,{b64(PNG)}) ends it"
    lifted = f"# Notes\n![plot]([image/png, {len(PNG)} bytes: see the file below]) ends it"
    says = {"title": "notes.md", "citations": {"enabled": True}}
    blocks = [{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}, **says},
              {"type": "document", "source": {"type": "content", "content": text}, **says}]
    file = {"type": "file", "file": {"filename": "notes.md",
                                     "file_data": "data:text/markdown;base64," + b64(text.encode())}}
    rows = [("anthropic", "anthropic", b) for b in blocks] + [
        ("anthropic", "openai-chat", blocks[0]), ("openai-chat", "openai-chat", file), ("openai-chat", "anthropic", file)]
    for name, to, block in rows:
        UPSTREAM.says(whole(to))
        model = ":".join(MODELS[to])
        r, answer = g.ask(by_name[name].path(model, False), {
            "model": model, "max_tokens": 99, "messages": [{"role": "user", "content": [block]}]})
        got = UPSTREAM.seen[0][2].replace(b"\\/", b"/")
        expect(r.status == 200 and json.dumps(lifted)[1:-1].encode() in got, (r.status, answer, got))
        expect(got.count(b64(PNG).encode()) == 1 and "note" not in r.headers["x-refract-delivery"], (r.headers, got))
        if name == to == "anthropic":
            document, picture = json.loads(got)["messages"][0]["content"]
            expect(document == {"type": "document", "source": {"type": "text", "media_type": "text/plain",
                                                               "data": lifted}, **says}, document)
            expect(picture["source"]["data"] == b64(PNG), picture)


@case("a picture that is no URL, or a data URL of no base64, goes as one, and an empty file is told")
def _():
    g, by_name = gateway(), {c.name: c for c in CLIENTS}
    bare, percent = b64(PNG), "data:image/png," + "".join(f"%{c:02x}" for c in PNG)

    def asked(name, block, to=None):
        to = to or name
        UPSTREAM.says(whole(to))
        model = ":".join(MODELS[to])
        user = ({"contents": [{"role": "user", "parts": [block]}]} if name == "gemini" else
                {"input": [{"role": "user", "content": [block]}]} if name == "openai-responses" else
                {"max_tokens": 99, "messages": [{"role": "user", "content": [block]}]})
        r, text = g.ask(by_name[name].path(model, False), {"model": model, **user})
        expect(r.status == 200, (r.status, text))
        return UPSTREAM.seen[0][2].replace(b"\\/", b"/"), r.headers["x-refract-delivery"]

    for url in bare, percent:
        for name, block in (("openai-chat", {"type": "image_url", "image_url": {"url": url}}),
                            ("openai-responses", {"type": "input_image", "image_url": url})):
            got, delivery = asked(name, block)
            expect(f"data:image/png;base64,{bare}".encode() in got and delivery == "native/original=1", (got, delivery))
            got, delivery = asked(name, block, "anthropic")
            expect(f'"data":"{bare}"'.encode() in got and delivery == "native/original=1", (got, delivery))
    for name, block in (
            ("openai-chat", {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,"}}),
            ("openai-responses", {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,"}),
            ("anthropic", {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": ""}}),
            ("gemini", {"inlineData": {"mimeType": "application/pdf", "data": ""}})):
        for to in name, "anthropic":
            got, delivery = asked(name, block, to)
            expect(b"was not sent: the file is empty" in got and delivery == "text/note=1", (name, to, got, delivery))


@case("a film of YouTube without a type is a video, and a sound without one a sound")
def _():
    g = gateway()
    wav = media_fixtures.wav(1)
    parts = [{"fileData": {"fileUri": "https://www.youtube.com/watch?v=x"}}, {"inlineData": {"data": b64(wav)}},
             {"text": "Well?"}]
    body = {"contents": [{"role": "user", "parts": parts}]}
    UPSTREAM.says(whole("gemini"))
    r, text = g.ask("/v1beta/models/google:gemini-3.5-flash:generateContent", body)
    got = json.loads(UPSTREAM.seen[0][2])["contents"][0]["parts"]
    expect(r.status == 200 and got[0] == parts[0], (r.status, text, got))
    expect(got[1]["inlineData"] == {"mimeType": "audio/wav", "data": b64(wav)}, got)
    UPSTREAM.says(whole("openai-chat"))
    r, text = g.ask("/v1beta/models/openai-chat:gpt-4o:generateContent", body)
    got = UPSTREAM.seen[0][2]
    expect(r.status == 200 and b"takes no video" in got and b"audio/wav" in got, (r.status, text, got))


@case("two calls of one id in a reply have different ids for a client of another API, and get their results")
def _():
    g = gateway()
    calls = [{"id": "call_0", "type": "function", "function": {"name": "look", "arguments": json.dumps({"at": n})}}
             for n in (1, 2, 3)]
    reply = {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-x", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}]}
    chunks = [{"id": "c1", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": i, **c}]}}]}
              for i, c in enumerate(calls)] + [{"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    stream = b"".join(b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks) + b"data: [DONE]\n\n"
    model = "openai-chat:gpt-4o"
    for client in CLIENTS:
        if client.name == "openai-chat":
            continue
        for streams in (False, True):
            UPSTREAM.says((200, EVENTS, [stream], "whole") if streams else
                          whole("openai-chat", json.dumps(reply).encode()))
            r, text = g.ask(client.path(model, streams), client.body(model, streams, "one"))
            expect(r.status == 200, (r.status, text))
            _, called = client.stream(text) if streams else client.whole(text)
            expect([i for i, _, _ in called] == ["call_0", "call_0_2", "call_0_3"], (client.name, streams, called))
            expect([a for _, _, a in called] == [{"at": 1}, {"at": 2}, {"at": 3}], called)
    UPSTREAM.says(whole("openai-chat"))
    ids = ["call_0", "call_0_2", "call_0_3"]
    r, text = g.ask("/v1/messages", {"model": model, "max_tokens": 99, "messages": [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": i} for i in reversed(ids)]}]})
    results = [m for m in json.loads(UPSTREAM.seen[0][2])["messages"] if m["role"] == "tool"]
    expect(all(m["tool_call_id"] == m["content"] for m in results) and len(results) == 3, results)


@case("what is said of a document stands before it where an API has no place for that")
def _():
    g, by_name = gateway(), {c.name: c for c in CLIENTS}
    document = {"type": "document", "title": "Report", "source": {
        "type": "base64", "media_type": "application/pdf", "data": b64(media_fixtures.pdf(b"Hi"))}}
    rows = [("openai-chat", document | {"context": "Mine"}, b'[File \\"Report\\": Mine]'),
            ("gemini", document | {"context": "Mine"}, b'[File \\"Report\\": Mine]'),
            ("gemini", document, b'[File \\"Report\\"]'), ("openai-chat", document, None), ("openai-responses", document, None),
            ("anthropic", document | {"context": "Mine"}, None)]
    for to, block, want in rows:
        UPSTREAM.says(whole(to))
        model = ":".join(MODELS[to])
        r, text = g.ask("/v1/messages", {"model": model, "max_tokens": 99,
                                         "messages": [{"role": "user", "content": [block]}]})
        got = UPSTREAM.seen[0][2]
        expect(r.status == 200 and (want in got if want else b"[File" not in got), (to, r.status, text, got))


@case("a thought under a seal does not pass, not even in a request that cannot be planned")
def _():
    seal = b64(b"refract\nanthropic\nclaude-sonnet-4-5\n\nc2ln\n\n\n")
    answer = {"role": "assistant", "content": None, "reasoning_details": [
        {"type": "reasoning.text", "text": "hm", "index": 0, "signature": seal}]}
    chat = next(c for c in CLIENTS if c.name == "openai-chat")
    UPSTREAM.says(whole("openai-chat"))
    r, text = gateway().ask(chat.path("openai-chat:gpt-4o", False), {"model": "openai-chat:gpt-4o",
                                                                   "messages": [answer]})
    expect(r.status == 400 and chat.error(text) and not UPSTREAM.seen, (r.status, text, UPSTREAM.seen))


@case("a refused file is replaced once, and the client does not see the refusal")
def _():
    g = gateway()
    refusals = {
        "anthropic": (b'{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.2.image.'
                      b'source.base64: Could not process image"}}'),
        "openai-chat": (b'{"error":{"message":"Invalid image data: messages[0].content[1].image_url","type":'
                        b'"invalid_request_error","param":"messages[0].content[1].image_url","code":"invalid_image"}}'),
        "openai-responses": (b'{"error":{"message":"The image data you provided does not represent a valid image.",'
                             b'"type":"invalid_request_error","param":"input[1].content[1]","code":"invalid_image"}}'),
        "gemini": (b'{"error":{"code":400,"message":"Unable to process input image.","status":"INVALID_ARGUMENT"}}'),
    }
    for client in CLIENTS:
        for stream in (False, True):
            UPSTREAM.says(whole(client.name, refusals[client.name], 400),
                          streamed(client.name) if stream else whole(client.name))
            picture = b64(media_fixtures.png(48, (len(client.name), int(stream), 9))).encode()
            sent, want = written(client, stream, picture=picture)
            r, text = g.ask(path_of(client, stream), sent)
            expect(r.status == 200 and len(UPSTREAM.seen) == 2, (client.name, r.status, text))
            first, second = (body for _, _, body in UPSTREAM.seen)
            expect(first == want and second != want and picture not in second, (client.name, second[:400]))
            expect(b"future_field" in second, second[:400])
            UPSTREAM.says(streamed(client.name) if stream else whole(client.name))
            for again, helped in ((picture, True), (b64(media_fixtures.png(48, (1, 2, 3))).encode(), False)):
                sent, want = written(client, stream, picture=again)
                r, text = g.ask(path_of(client, stream), sent)
                body = UPSTREAM.seen[-1][2]
                expect(r.status == 200 and (again not in body if helped else body == want), (client.name, body[:400]))
            expect(len(UPSTREAM.seen) == 2, "what was learned was asked again")


@case("what a model refuses besides files is left out once it has refused it, or it is told as it was first")
def _():
    g = gateway()
    refusal = (b'{"error":{"message":"Unsupported parameter: \'reasoning_effort\' is not supported with this model.",'
               b'"type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_parameter"}}')
    UPSTREAM.says(whole("openai-chat", refusal, 400), whole("openai-chat"))
    body = {"model": "openai-chat:gpt-4o", "reasoning_effort": "low", "messages": [{"role": "user", "content": "one"}]}
    r, text = g.ask("/v1/chat/completions", body)
    expect(r.status == 200 and len(UPSTREAM.seen) == 2, (r.status, text))
    expect(b"reasoning_effort" in UPSTREAM.seen[0][2] and b"reasoning_effort" not in UPSTREAM.seen[1][2], UPSTREAM.seen)
    UPSTREAM.says(whole("openai-chat", refusal, 400), whole("openai-chat", b'{"error":{"message":"no"}}', 400))
    r, text = g.ask("/v1/chat/completions", body)
    expect(r.status == 400 and text == refusal and len(UPSTREAM.seen) == 2, (r.status, text, len(UPSTREAM.seen)))


@case("a reply that comes in pieces of any size arrives as it is, and without our key")
def _():
    g = gateway()
    for client in CLIENTS:
        all_of_it = sse(*STREAM[client.name])
        for size in (1, 7, 64):
            pieces = [all_of_it[i:i + size] for i in range(0, len(all_of_it), size)]
            UPSTREAM.says((200, EVENTS, pieces, "whole"))
            r, text = g.ask(path_of(client, True), written(client, True)[0])
            expect(r.status == 200 and text == all_of_it, (client.name, size, text))
    leak = sse(*STREAM["anthropic"]).replace(b"one", KEY.encode())
    for stream, raw in ((True, leak), (False, WHOLE["anthropic"].replace(b"msg_1", KEY.encode()))):
        pieces = [raw[i:i + 5] for i in range(0, len(raw), 5)]
        UPSTREAM.says((200, EVENTS if stream else JSON, pieces, "whole"))
        r, text = g.ask("/v1/messages", written(CLIENTS[0], stream)[0])
        expect(r.status == 200 and text == raw.replace(KEY.encode(), b"[redacted]"), text)


@case("a stream that is not understood passes, and one without its last line feed too")
def _():
    g = gateway()
    for raw in (b"data: not JSON at all\n\ndata: {}\n\n", sse(*STREAM["openai-chat"]).rstrip(b"\r\n")):
        UPSTREAM.says((200, EVENTS, [raw], "whole"))
        r, text = g.ask("/v1/chat/completions", written(CLIENTS[1], True)[0])
        expect(r.status == 200 and text == raw, text)


@case("a stream that is not a text is refused in the client's words, though it has what ends an event")
def _():
    for client in CLIENTS:
        with Gateway(env=ADDRESSES) as g:
            provider, name = MODELS[client.name]
            path, body = client.path(f"{provider}:{name}", True), client.body(f"{provider}:{name}", True, "one")
            for pieces in ([b"D\x89\xdc1\n\n\xcbq"], [b"D\x89", b"\xdc1\n", b"\n\xcbq"]):
                UPSTREAM.says((200, "application/json", pieces, "whole"))
                r, text = g.ask(path, body)
                expect(r.status == 502 and client.error(text), (client.name, r.status, text))


@case("a stream that begins with an error is asked for again, and told as a refusal where that does not help")
def _():
    errors = {
        "anthropic": b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
        "openai-chat": b'data: {"error":{"message":"busy","type":"server_error","code":"server_is_overloaded"}}\n\n',
        "openai-responses": b'event: error\ndata: {"type":"error","code":"server_error","message":"busy","param":null}\n\n',
        "gemini": b'data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n',
    }
    for client in CLIENTS:
        with Gateway(env=ADDRESSES) as g:
            provider, name = MODELS[client.name]
            path, body = client.path(f"{provider}:{name}", True), client.body(f"{provider}:{name}", True, "one")
            failure = (200, "text/event-stream", [errors[client.name][:30], errors[client.name][30:]], "whole")
            UPSTREAM.says(failure, (200, "text/event-stream", STREAM[client.name], "whole"))
            r, text = g.ask(path, body)
            expect((r.status, text) == (200, b"".join(STREAM[client.name])), (client.name, r.status, text))
            expect(len(UPSTREAM.seen) == 2, (client.name, len(UPSTREAM.seen)))
            UPSTREAM.says(failure)
            r, text = g.ask(path, body)
            expect(r.status in (502, 503) and client.error(text)[1] == "busy", (client.name, r.status, text))


@case("an upstream that breaks off ends with an error in the client's words, after whole events")
def _():
    g = gateway()
    for client in CLIENTS:
        events = STREAM[client.name]
        before, cut = events[:-1], events[-1][:len(events[-1]) // 2]
        UPSTREAM.says((200, EVENTS, [*before, cut], "broken"))
        r, text = g.ask(path_of(client, True), written(client, True)[0])
        expect(r.status == 200 and text.startswith(sse(*before)), (client.name, text))
        rest = text[len(sse(*before)):].replace(b"\r\n", b"\n")
        expect(client.stream_error(rest), (client.name, rest))
        ping = b": nothing yet\n\n"  # which no decoder tells of
        UPSTREAM.says((200, EVENTS, [ping], "broken"))
        r, text = g.ask(path_of(client, True), written(client, True)[0])
        expect(r.status == 200 and text.startswith(ping), (client.name, text))
        expect(client.stream_error(text[len(ping):].replace(b"\r\n", b"\n")), (client.name, text))
        UPSTREAM.says((200, EVENTS, [], "broken"))
        r, text = g.ask(path_of(client, True), written(client, True)[0])
        expect(r.status == 502 and client.error(text), (client.name, r.status, text))
        UPSTREAM.says((200, JSON, [WHOLE[client.name][:40]], "broken"))
        r, text = g.ask(path_of(client, False), written(client)[0])
        expect(r.status == 502 and client.error(text), (client.name, r.status, text))


LONG = "word " * 3200
LONG_EVENTS = {
    "anthropic": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": LONG}},
    "openai-chat": {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
                    "choices": [{"index": 0, "delta": {"content": LONG}, "finish_reason": None}]},
    "openai-responses": {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
                         "content_index": 0, "delta": LONG},
    "gemini": {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": LONG}]}}]},
}


@case("a stream that passes is not kept")
def _():
    for client in CLIENTS:
        data = LONG_EVENTS[client.name]
        event = (f"event: {data['type']}\n" if "type" in data else "") + f"data: {json.dumps(data)}\n\n"
        first = b'event: content_block_start\ndata: {"type":"content_block_start","index":0,' \
                b'"content_block":{"type":"text","text":""}}\n\n' if client.name == "anthropic" else b""
        pieces = [first] * bool(first) + [event.encode()] * 2000  # 32 MB
        with Gateway("--no-page", env=ADDRESSES) as g:
            UPSTREAM.says((200, EVENTS, pieces, "broken"))
            before = g.used("VmHWM")
            r, text = g.ask(path_of(client, True), written(client, True)[0])
            expect(r.status == 200 and text.startswith(b"".join(pieces)), (client.name, r.status, len(text)))
            expect(client.stream_error(text[len(b"".join(pieces)):].replace(b"\r\n", b"\n")), client.name)
            expect(g.used("VmHWM") - before < 16 << 20, (client.name, (g.used("VmHWM") - before) >> 20))
@case("where it breaks off, words that could begin a key are not said twice")
def _():
    with Gateway(env=ADDRESSES) as g:  # providers that break off are left alone for a while
        for client in CLIENTS:
            check_broken_key(g, client, KEYS[client.name][:1].encode())


def check_broken_key(g, client, letter):
    events = [e.replace(b" one", letter) for e in STREAM[client.name]]
    said = next(i for i, e in enumerate(STREAM[client.name]) if b" one" in e)
    UPSTREAM.says((200, EVENTS, events[:said + 1], "broken"))
    r, text = g.ask(path_of(client, True), written(client, True)[0])
    expect(r.status == 200 and text.startswith(sse(*events[:said + 1])), (client.name, text))
    rest = text[len(sse(*events[:said + 1])):].replace(b"\r\n", b"\n")
    expect(client.stream_error(rest) and b'"%s"' % letter not in rest, (client.name, rest))


@case("a refusal has the provider's own body, unless it is about our key or not of that API")
def _():
    with Gateway(env=ADDRESSES) as g:  # keys that are refused are left alone for a while
        for client in CLIENTS:
            check_refusals(g, client)


def check_refusals(g, client):
    own = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "status": "INVALID_ARGUMENT",
                                                 "message": f"top_k: no {KEYS[client.name]}", "code": 400}},
                     indent=1).encode()
    UPSTREAM.says(whole(client.name, own, 400))
    r, text = g.ask(path_of(client, False), written(client)[0])
    expect(r.status == 400 and text == own.replace(KEYS[client.name].encode(), b"[redacted]"), (r.status, text))
    UPSTREAM.says((502, "text/html", [b"<h1>Bad Gateway</h1>"], "whole"))
    r, text = g.ask(path_of(client, False), written(client)[0])
    expect(r.status == 502 and client.error(text), (r.status, text))
    for more in (b"", b',"type":"api_error"'):
        UPSTREAM.says(whole(client.name, b'{"error":{"message":"a proxy says no","code":400' + more + b"}}", 400))
        r, text = g.ask(path_of(client, False), written(client)[0])
        expect(r.status == 400 and b"a proxy says no" in text and client.error(text)[0], (r.status, text))
    for status in (403, 401):
        UPSTREAM.says(whole(client.name, own, status))
        r, text = g.ask(path_of(client, False), written(client)[0])
        expect(r.status == 502 and b"the gateway's key" in text and client.error(text), (r.status, text))


@case("the report comes with a reply that passes, where it is asked for, and Gemini's list is one")
def _():
    g = gateway()
    for client in CLIENTS:
        UPSTREAM.says(whole(client.name))
        r, text = g.ask(path_of(client, False), written(client)[0], x_refract_explain="1")
        expect(UPSTREAM.seen[0][2] == written(client)[1], "the report is not asked of the provider")
        reply = json.loads(text)
        report = reply.pop("refract")
        expect(reply == json.loads(WHOLE[client.name]), text)
        expect([d["delivery"] for d in report["deliveries"]] == ["native"] and not report["notices"], report)
    UPSTREAM.says(whole("gemini"))
    r, text = g.ask(path_of(CLIENTS[3], True).removesuffix("?alt=sse"), written(CLIENTS[3])[0])
    expect(r.status == 200 and json.loads(text) == [json.loads(WHOLE["gemini"])], text)


@case("a configuration that wants a plan of all gets it")
def _():
    home = pathlib.Path(gateway().folder.name, "always")
    (home / "refract").mkdir(parents=True)
    (home / "refract" / "config.yaml").write_text("serve:\n  plan: always\n", encoding="utf-8")
    with Gateway(env={**ADDRESSES, "XDG_CONFIG_HOME": str(home)}) as g:
        for client in CLIENTS:
            UPSTREAM.says(whole(client.name))
            sent, want = written(client)
            r, text = g.ask(path_of(client, False), sent)
            got = UPSTREAM.seen[0][2]
            expect(r.status == 200 and got != want and planned(got) and b"future_field" in got, (r.status, text, got))


@case("what a query asks for goes on where the API has it, and a key in it goes nowhere")
def _():
    g = gateway()
    hello = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    helped = {**hello, "messages": [{"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": b64(PNG)}}]}]}
    for path, body, want in (
            ("/v1/messages?beta=true", hello, "/v1/messages?beta=true"),
            ("/v1/messages?beta=true", helped, "/v1/messages?beta=true"),
            ("/v1/messages?key=s3cret&beta=true&other=1", hello, "/v1/messages?beta=true"),
            ("/v1/messages?key=s3cret&k%65y=s3cret", hello, "/v1/messages"),
            ("/v1/messages?beta=true;key=s3cret", hello, "/v1/messages"),
            ("/v1/messages?b%65ta=true", hello, "/v1/messages?b%65ta=true"),
            ("/v1/messages?beta=%22%0d", hello, "/v1/messages?beta=%22%0d"),
            ("/v1/messages?beta=\"<", hello, "/v1/messages"),
            ("/v1/messages/count_tokens?beta=true&key=s3cret", hello, "/v1/messages/count_tokens?beta=true"),
            ("/v1/messages/batches?beta=true&key=s3cret&access_token=s3cret", {"requests": [{"params": hello}]},
             "/v1/messages/batches?beta=true")):
        UPSTREAM.says(whole("anthropic"))
        r, text = g.ask(path, body)
        expect(r.status == 200 and [p for p, _, _ in UPSTREAM.seen] == [want], (path, r.status, text, UPSTREAM.seen))
    UPSTREAM.says(whole("openai-chat"))
    r, text = g.ask("/v1/messages?beta=true", {**hello, "model": "openai-chat:gpt-4o"})
    expect(r.status == 200 and UPSTREAM.seen[0][0] == "/v1/chat/completions", (text, UPSTREAM.seen[0][0]))
    gemini = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    for path, want in (("generateContent?key=s3cret&$alt=json", "generateContent"),
                       ("streamGenerateContent?alt=sse&key=s3cret", "streamGenerateContent?alt=sse")):
        UPSTREAM.says(streamed("gemini") if "sse" in path else whole("gemini"))
        r, text = g.ask("/v1beta/models/gemini-3-pro:" + path, gemini)
        expect(r.status == 200 and UPSTREAM.seen[0][0] == "/v1beta/models/gemini-3-pro:" + want, (text, UPSTREAM.seen))


def no_doubles(pairs):
    """An object, none of whose members is there twice."""
    expect(len(dict(pairs)) == len(pairs), pairs)
    return dict(pairs)


@case("what a client says of blocks, parts and messages is said again where one file needs help")
def _():
    g, wrong = gateway(), "image/jpeg"  # of a PNG: the label alone is to be mended
    hour = {"type": "ephemeral", "ttl": "1h"}
    cited = [{"type": "char_location", "cited_text": "x", "document_index": 0, "document_title": "t",
              "start_char_index": 0, "end_char_index": 1}]
    picture = {"type": "image", "source": {"type": "base64", "media_type": wrong, "data": b64(PNG)},
               "cache_control": hour}
    tool = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [{**tool, "cache_control": hour}, {**tool, "name": "b"}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": hour},
                                                      {"type": "text", "text": "b"}, picture]},
                         {"role": "assistant", "content": [{"type": "text", "text": "c", "citations": cited}]},
                         {"role": "user", "content": [{"type": "text", "text": "d", "cache_control": hour}]}]}
    UPSTREAM.says(whole("anthropic"))
    r, text = g.ask("/v1/messages", body)
    got = json.loads(UPSTREAM.seen[0][2])
    body["messages"][0]["content"][2]["source"]["media_type"] = "image/png"
    expect(r.status == 200 and got == body, (r.status, text, got))

    picture = {"type": "image", "source": {"type": "base64", "media_type": wrong, "data": b64(PNG)}}
    for inside in ([picture], [{"type": "text", "text": "e", "cache_control": hour}, picture]):
        document = {"type": "document", "source": {"type": "content", "content": inside}, "context": "page 1",
                    "citations": {"enabled": True}, "cache_control": hour}
        UPSTREAM.says(whole("anthropic"))
        r, text = g.ask("/v1/messages", {**body, "messages": [{"role": "user", "content": [document]}]})
        got = json.loads(UPSTREAM.seen[0][2], object_pairs_hook=no_doubles)["messages"][0]["content"]
        right = {**picture, "source": {**picture["source"], "media_type": "image/png"}, "cache_control": hour}
        expect(r.status == 200 and got == [*inside[:-1], right], (r.status, text, got))

    part = {"inlineData": {"mimeType": wrong, "data": b64(PNG), "displayName": "a.png"},
            "mediaResolution": {"level": "MEDIA_RESOLUTION_HIGH"}}
    film = {"fileData": {"mimeType": "video/mp4", "fileUri": "https://youtu.be/x"}, "videoMetadata": {"fps": 0.2}}
    body = {"contents": [{"role": "user", "parts": [{"text": "x", "partMetadata": {"a": 1}}, part, film]}]}
    UPSTREAM.says(whole("gemini"))
    r, text = g.ask("/v1beta/models/gemini-3-pro:generateContent", body)
    got = json.loads(UPSTREAM.seen[0][2])
    part["inlineData"]["mimeType"] = "image/png"
    expect(r.status == 200 and got["contents"] == body["contents"], (r.status, text, got))

    url = {"url": f"data:{wrong};base64," + b64(PNG), "detail": "low", "fov": 3}
    mark = {"cache_control": hour}
    body = {"model": "openai-chat:gpt-4o", "messages": [
        {"role": "system", "content": [{"type": "text", "text": "s", **mark}]},
        {"role": "user", "name": "ada", "content": [{"type": "text", "text": "x", **mark},
                                                    {"type": "image_url", "image_url": url, **mark}]}]}
    UPSTREAM.says(whole("openai-chat"))
    r, text = g.ask("/v1/chat/completions", body)
    got = json.loads(UPSTREAM.seen[0][2])
    url["url"] = "data:image/png;base64," + b64(PNG)
    expect(r.status == 200 and got["messages"] == body["messages"], (r.status, text, got))


@case("files and marks of a model's own turn go back to it, where the request passes and where it is written anew")
def _():
    g, data = gateway(), {"mimeType": "image/png", "data": b64(PNG)}
    drawn = {"role": "model", "parts": [{"inlineData": data, "thought": True}, {"text": "here", "thoughtSignature": "c2ln"},
                                        {"inlineData": data, "thoughtSignature": "c2lnMg=="},
                                        {"fileData": {"mimeType": "image/png", "fileUri": "https://a.example/b.png"}},
                                        {"text": "", "thoughtSignature": "c2lnMw=="}]}
    for name in ("gemini-3-pro-image", "gemini-2.5-flash-image", "gemini-3.5-flash"):
        last = {"role": "user", "parts": [{"text": "make it red"}]}
        body = {"contents": [{"role": "user", "parts": [{"text": "a cat"}]}, drawn, last]}
        UPSTREAM.says(whole("gemini"))
        r, text = g.ask(f"/v1beta/models/{name}:generateContent", json.dumps(body, indent=1).encode())
        expect(r.status == 200 and UPSTREAM.seen[0][2] == json.dumps(body, indent=1).encode(), (text, UPSTREAM.seen[0][2]))
        wrong = {"inlineData": {**data, "mimeType": "image/jpeg"}}
        last["parts"].append(wrong)
        UPSTREAM.says(whole("gemini"))
        r, text = g.ask(f"/v1beta/models/{name}:generateContent", body)
        wrong["inlineData"]["mimeType"] = "image/png"
        got = json.loads(UPSTREAM.seen[0][2])
        expect(r.status == 200 and got["contents"] == body["contents"], (r.status, text, got))
        UPSTREAM.says(whole("anthropic"))
        r, text = g.ask("/v1beta/models/anthropic:claude-sonnet-4-5:generateContent", body)
        got = json.loads(UPSTREAM.seen[0][2])["messages"][1]
        expect(r.status == 200 and {c["type"] for c in got["content"]} == {"text"}, (r.status, text, got))


@case("an answer that is a sound its API knows stays where a file needs help")
def _():
    url = {"url": "data:image/jpeg;base64," + b64(PNG)}
    body = {"model": "openai-chat:gpt-4o", "messages": [
        {"role": "user", "content": "one"}, {"role": "assistant", "audio": {"id": "audio_1"}},
        {"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "image_url", "image_url": url}]}]}
    UPSTREAM.says(whole("openai-chat"))
    r, text = gateway().ask("/v1/chat/completions", body)
    got = json.loads(UPSTREAM.seen[0][2])
    url["url"] = "data:image/png;base64," + b64(PNG)
    expect(r.status == 200 and got["messages"] == body["messages"], (r.status, text, got))


@case("a call that the client ran goes with what came of it to another model of the API, without its id")
def _():
    ran = [{"type": "computer_call", "call_id": "x1", "id": "cu_1", "status": "completed",
            "action": {"type": "screenshot"}, "pending_safety_checks": []},
           {"type": "shell_call", "call_id": "x2", "id": "sh_1", "action": {"commands": ["ls"]}},
           {"type": "computer_call_output", "call_id": "x1",
            "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64," + b64(PNG)}},
           {"type": "shell_call_output", "call_id": "x2", "output": []}]
    gone = [{**ran[0], "id": "cu_01"}, {k: v for k, v in ran[1].items() if k != "id"}, *ran[2:]]
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    searched = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    body = {"model": "main", "input": [{"role": "user", "content": "hi"}, thought, searched] + ran}
    home = pathlib.Path(gateway().folder.name, "next")
    (home / "refract").mkdir(parents=True)
    (home / "refract" / "config.yaml").write_text(
        "models: {main: {provider: openai, model: gpt-5, fallback: [\"openai:gpt-5.1\"]}}\n", encoding="utf-8")
    with Gateway(env={**ADDRESSES, "XDG_CONFIG_HOME": str(home)}) as g:
        busy = b'{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}'
        UPSTREAM.says(whole("openai-responses", busy, 404), whole("openai-responses"))
        r, text = g.ask("/v1/responses", body, x_refract_explain="1")
        first, second = (json.loads(b) for _, _, b in UPSTREAM.seen)
        expect(r.status == 200 and first["model"] == "gpt-5" and first["input"] == body["input"], (text, first))
        expect(second["model"] == "gpt-5.1" and second["input"] == body["input"][:1] + gone, second)
        expect("web_search_call" in "".join(json.loads(text)["refract"]["notices"]), text)


@case("a thought without the mark that its API asks for does not pass, and its loss is told; one that is stored passes")
def _():
    g = gateway()
    unsigned = [{"role": "user", "content": "one"}, {"role": "user", "content": "three"}]
    unsigned.insert(1, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": ""},
                                                         {"type": "text", "text": "two"}]})
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
    told = {**thought, "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    sealed = {**thought, "encrypted_content": "gAAA"}

    def items(first):
        return [{"role": "user", "content": "one"}, first, {"type": "message", "id": "msg_1", "role": "assistant", "content": [
            {"type": "output_text", "text": "two"}]}, {"role": "user", "content": "three"}]

    rows = [("/v1/messages", "anthropic:claude-sonnet-4-5", {"max_tokens": 99, "messages": unsigned}, False),
            ("/v1/messages", "anthropic:claude-3-5-haiku-latest", {"max_tokens": 99, "messages": unsigned}, False),
            ("/v1/responses", "openai:gpt-5.4-mini", {"store": False, "input": items(thought)}, False),
            ("/v1/responses", "openai:gpt-5.4-mini", {"store": False, "input": items(sealed)}, True),
            ("/v1/responses", "openai:gpt-5.4-mini", {"store": False, "input": items(told)}, True),
            ("/v1/responses", "openai:gpt-5.4-mini", {"input": items(thought)}, True)]
    bare = {k: v for k, v in thought.items() if k != "id"}
    for first in told, {**told, "encrypted_content": None}, bare:
        UPSTREAM.says(whole("openai-responses"))
        wrong = {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/jpeg;base64," + b64(PNG)}]}
        r, text = g.ask("/v1/responses", {"model": "openai:gpt-5.4-mini", "store": False, "input": items(first) + [wrong]},
                        x_refract_explain="1")
        sent = json.loads(UPSTREAM.seen[0][2])["input"]
        expect(r.status == 200 and {k: v for k, v in first.items() if v is not None} in sent, (first, sent))
        expect(not any("thoughts" in n for n in json.loads(text)["refract"]["notices"]), text)
    for path, model, body, passes in rows:
        UPSTREAM.says(whole("anthropic" if path == "/v1/messages" else "openai-responses"))
        r, text = g.ask(path, {"model": model, **body}, x_refract_explain="1")
        sent, report = json.loads(UPSTREAM.seen[0][2]), json.loads(text)["refract"]
        expect(r.status == 200 and (sent == {**body, "model": model.split(":")[1]}) == passes, (model, body, sent))
        expect((b"hm" in UPSTREAM.seen[0][2] or b"gAAA" in UPSTREAM.seen[0][2]) == passes, sent)
        expect(any("thoughts were left out" in n for n in report["notices"]) != passes, report)


ONE_QUESTION = {"max_tokens": 99, "messages": [{"role": "user", "content": "one"}]}

# Two upstreams of one API: what each gives as the mark of a thought, and how a client sends it back.
REASONING = {"type": "reasoning", "id": "ID", "summary": [], "encrypted_content": "MARK"}
DETAIL = {"type": "reasoning.encrypted", "data": "MARK", "id": "ID", "format": "x-v1", "index": 0}
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "MARK"}
SAID = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "two", "annotations": []}]}
DOUBLE = {
    "openai-responses": ("openai:gpt-5.4-mini", "xai:grok-4", {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "x",
        "output": [REASONING, SAID]}, lambda mine: {"input": mine}, [REASONING, SAID]),
    "openai-chat": ("openrouter:x/y", "xai-chat:grok-4", {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "x", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": "two", "reasoning_details": [DETAIL]}}]}, lambda mine: {"messages": mine},
        [{"role": "assistant", "content": "two", "reasoning_details": [DETAIL]}]),
    "anthropic": ("anthropic:claude-sonnet-4-5", "kimi", {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
        "content": [SIGNED, {"type": "text", "text": "two"}], "usage": {"input_tokens": 1, "output_tokens": 1}},
        lambda mine: {"max_tokens": 99, "messages": mine},
        [{"role": "assistant", "content": [SIGNED, {"type": "text", "text": "two"}]}]),
}
DOUBLES = """providers:
  openai: {base_url: "@/v1", key: $OPENAI_API_KEY}
  xai: {base_url: "@/v1", key: $OPENAI_API_KEY}
  openrouter: {base_url: "@/v1", key: $OPENAI_API_KEY}
  xai-chat: {base_url: "@/v1", key: $OPENAI_API_KEY}
  openai-compatible: {base_url: "@/v1", key: $OPENAI_API_KEY}
models:
""".replace("@", AT) + "".join(
    f"  main-{name}: {{provider: {first.split(':')[0]}, model: {first.split(':')[1]}, fallback: [\"{second}\"]}}\n"
    for name, (first, second, *_) in DOUBLE.items())
DOUBLES += "  kimi: {provider: openai-compatible, model: kimi, capabilities: {dialect: anthropic, replay: signed}}\n"


def marked(value, mark):
    """The value as bytes, with this mark in it."""
    return json.dumps(value).replace("MARK", b64(mark * 8)).replace("ID", f"rs_{mark.hex() * 8}").encode()


def second_turn(g, client, first, then, marks, before=(), after=(), escaped=False):
    """Is the mark that the upstream gave for `first` in what is sent for `then`? Each is asked after these answers."""
    reply, body, history = DOUBLE[client.name][2:]
    marks = [client.name.encode() + m for m in marks]
    ask, given = [{"role": "user", "content": "one"}], b64(marks[0] * 8).encode()
    spelled = b"\\u%04x" % given[0] + given[1:] if escaped else given
    UPSTREAM.says(*before, (200, JSON, [marked(reply, marks[0]).replace(given, spelled)], "whole"))
    r, text = g.ask(client.path(first, False), {"model": first, **body(ask)})
    expect(r.status == 200 and spelled in text, (r.status, text))
    UPSTREAM.says(*after, (200, JSON, [marked(reply, marks[1])], "whole"))
    sent = body(ask + json.loads(marked(history, marks[0])) + ask)
    r, text = g.ask(client.path(then, False), {"model": then, **sent})
    got = UPSTREAM.seen[-1][2]
    expect(r.status == 200 and b"two" in got, (r.status, text, got))
    expect({**json.loads(got), "model": None} == {**sent, "model": None} or given not in got, got)
    return given in got


@case("the mark of a thought goes to the upstream that gave it, and to no other one of its API, fallbacks and reloads too")
def _():
    gone = (404, JSON, [b'{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}'],
            "whole")
    with Gateway(env=ADDRESSES, config=DOUBLES) as g:
        for client in CLIENTS[:3]:
            first, second = DOUBLE[client.name][:2]
            main = "main-" + client.name
            expect(second_turn(g, client, first, first, (b"mark-1", b"mark-2")), first)
            expect(not second_turn(g, client, first, second, (b"mark-3", b"mark-4")), second)
            expect(second_turn(g, client, second, second, (b"mark-5", b"mark-6")), second)
            expect(not second_turn(g, client, second, first, (b"mark-7", b"mark-8")), first)
            expect(not second_turn(g, client, first, second, (b"mark-f", b"mark-g"), escaped=True), second)
            twice = [second_turn(g, client, first, second, (b"a-mark", b"a-mark")) for _ in range(2)]
            expect(twice == [False, True], "the second time, both have given it")
            expect(second_turn(g, client, main, main, (b"mark-9", b"mark-a")), main)
            expect(not second_turn(g, client, main, main, (b"mark-b", b"mark-c"), after=[gone]), main)
            expect(not second_turn(g, client, main, main, (b"mark-d", b"mark-e"), before=[gone]), main)
        signed = [{"type": "content_block_start", "index": 0, "content_block": SIGNED},
                  {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "streamed-mark-1"}},
                  {"type": "content_block_stop", "index": 0}]
        UPSTREAM.says((200, EVENTS, [STREAM["anthropic"][0], *[
            b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in signed],
            *STREAM["anthropic"][-2:]], "whole"))
        r, text = g.ask("/v1/messages", {**ONE_QUESTION, "model": "anthropic:claude-sonnet-4-5", "stream": True})
        g.configure(DOUBLES + "  later: {provider: openai-compatible, model: kimi}\n")
        g.process.send_signal(signal.SIGHUP)
        g.says = "the configuration was reloaded\n"
        while g.ask("/v1/models/later")[0].status != 200:
            time.sleep(0.05)
        thought = {"role": "assistant", "content": [{**SIGNED, "signature": "MARKstreamed-mark-1"}, {"type": "text", "text": "two"}]}
        for model, goes in (("kimi", False), ("anthropic:claude-sonnet-4-5", True)):
            UPSTREAM.says(whole("anthropic"))
            r, text = g.ask("/v1/messages", {**ONE_QUESTION, "model": model, "messages": [
                ONE_QUESTION["messages"][0], thought, ONE_QUESTION["messages"][0]]})
            expect(r.status == 200 and (b"streamed-mark" in UPSTREAM.seen[0][2]) == goes, (model, text, UPSTREAM.seen))


# An answer that begins with an error of the client's, by the status or the type that the error names: how it comes.
CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "x", "choices": [
    {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
NOT_SO = {"message": "the call that was made is not so", "type": "invalid_request_error"}
FAILED_CALL = {"error": {**NOT_SO, "code": "tool_use_failed", "failed_generation": "{", "status_code": 400}}
ILL_BEGUN = [
    ("groq:m", 1, [CHUNK], FAILED_CALL),
    ("groq:m", 1, [], FAILED_CALL),
    ("openrouter:x/y", 1, [], {"error": {"message": "the call that was made is not so", "code": 400}}),
    ("anthropic:claude-sonnet-4-5", 0, [], {"type": "error", "error": NOT_SO}),
]


@case("an error of the client's that an answer begins with is one, and keeps no model out")
def _():
    config = "".join(f"  {p}: {{base_url: \"{AT}/v1\", key: $OPENAI_API_KEY}}\n" for p in ("groq", "openrouter"))
    with Gateway(env=ADDRESSES, config="providers:\n" + config) as g:
        for (model, own, before, error), stream in itertools.product(ILL_BEGUN, (True, False)):
            data = [b"data: %s\n\n" % json.dumps(e).encode() for e in before]
            data.append(b"event: error\ndata: %s\n\n" % json.dumps(error).encode())
            UPSTREAM.says((200, EVENTS, [b"".join(data)], "whole") if stream else (200, JSON, [json.dumps(error).encode()], "whole"))
            for client in CLIENTS[:3]:
                for _ in range(2):
                    UPSTREAM.seen = []
                    r, text = g.ask(client.path(model, stream), client.body(model, stream, "one"))
                    expect(r.status == 400 and b"is not so" in text and client.error(text), (model, client.name, r.status, text))
                    expect(len(UPSTREAM.seen) <= 2, (model, client.name, UPSTREAM.seen))
                    whole_error = client is CLIENTS[own] and "type" in error["error"]
                    expect(not whole_error or json.loads(text) == error, (model, text))
            UPSTREAM.says(whole(CLIENTS[own].name))
            client = CLIENTS[own]
            r, text = g.ask(client.path(model, False), client.body(model, False, "one"))
            expect(r.status == 200, "the model is not let alone")
        UPSTREAM.says((200, JSON, [b'{"error": {"message": "there are no credits", "code": 402}}'], "whole"))
        r, text = g.ask("/v1/chat/completions", CLIENTS[1].body("openrouter:x/y", False, "one"))
        expect(r.status == 502 and b"the gateway's key" in text, (r.status, text))


@case("thirty megabytes that pass are held once")
def _():
    with Gateway(env=ADDRESSES) as g:
        UPSTREAM.says(whole("anthropic"))
        g.ask("/v1/messages", written(CLIENTS[0])[0])
        before = g.used("VmRSS")
        # a text that is long, since a picture of that size needs help
        sent, want = written(CLIENTS[0])
        filler = b"word " * (6 << 20)
        r, text = g.ask("/v1/messages", sent.replace(b'"text":"one"', b'"text":"' + filler + b'"'))
        expect(r.status == 200, text)
        expect(UPSTREAM.seen[-1][2] == want.replace(b'"text":"one"', b'"text":"' + filler + b'"'), "the bytes")
        peak = g.used("VmHWM")
        expect(peak - before <= len(filler) + (8 << 20), (before, peak))


if __name__ == "__main__":
    try:
        main()
    finally:
        if OWN:
            OWN.__exit__(None)
