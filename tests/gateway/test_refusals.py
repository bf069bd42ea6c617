#!/usr/bin/env python3
"""Refusals of a provider that speaks the client's own API reach the client in the provider's words, whatever kind of
refusal it is."""
import gzip
import itertools

from harness import *


class Refusing(http.server.ThreadingHTTPServer):
    """A provider that answers everything with `status` and `body`."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Refusal)
        self.status, self.body, self.seen, self.more = 400, b"", [], {"retry-after": "90"}
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Refusal(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.server.seen.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(self.server.body)))
        for name, value in self.server.more.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)


# status, what the provider says, the status that the client is told
SAID = {
    "anthropic": [
        (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "no", "more": 1}}, 400),
        (404, {"type": "error", "error": {"type": "not_found_error", "message": "no", "more": 1}}, 404),
        (408, {"type": "error", "error": {"type": "timeout_error", "message": "no", "more": 1}}, 504),
        (429, {"type": "error", "error": {"type": "rate_limit_error", "message": "no", "more": 1}}, 429),
        (500, {"type": "error", "error": {"type": "api_error", "message": "no", "more": 1}}, 502),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "no", "more": 1}}, 503)],
    "openai-chat": [
        (400, {"error": {"type": "invalid_request_error", "message": "no", "more": 1}}, 400),
        (429, {"error": {"type": "tokens", "message": "no", "code": "rate_limit_exceeded", "more": 1}}, 429),
        (429, {"error": {"type": "insufficient_quota", "message": "no", "code": "insufficient_quota", "more": 1}}, 429),
        (424, {"error": {"type": "model_error", "message": "no", "more": 1}}, 502),
        (503, {"error": {"type": "server_error", "message": "no", "more": 1}}, 503),
        (504, {"error": {"type": "server_error", "message": "no", "more": 1}}, 504)],
}
MODELS_OF = {"anthropic": "anthropic:claude-sonnet-4-5", "openai-chat": "openai-chat:gpt-4o"}


@case("a refusal in the client's own API is passed on, body and all")
def _():
    for client in CLIENTS[:2]:
        for status, said, told in SAID[client.name]:
            with Refusing() as up, Gateway(env={"ANTHROPIC_BASE_URL": up.url, "OPENAI_BASE_URL": up.url}) as g:
                up.status, up.body = status, json.dumps(said).encode()
                model = MODELS_OF[client.name]
                r, text = g.ask(client.path(model, False), client.body(model, False, WORDS))
                expect((r.status, json.loads(text)) == (told, said), (status, r.status, text))
                expect(status != 429 or "retry-after" in r.headers or "quota" in str(said), r.headers)


@case("one of another API is said in the client's")
def _():
    for client, other in zip(CLIENTS[:2], reversed(CLIENTS[:2])):
        for status, said, told in SAID[other.name]:
            with Refusing() as up, Gateway(env={"ANTHROPIC_BASE_URL": up.url, "OPENAI_BASE_URL": up.url}) as g:
                up.status, up.body = status, json.dumps(said).encode()
                model = MODELS_OF[other.name]
                r, text = g.ask(client.path(model, False), client.body(model, False, WORDS))
                expect(r.status == told and b"more" not in text, (status, r.status, text))
                kind, words = client.error(text)
                expect("no" in words and (kind == "timeout_error") == (client is CLIENTS[0] and told == 504), text)
                own = r.headers["x-refract-request-id"]
                expect(own == r.headers["request-id" if client is CLIENTS[0] else "x-request-id"], r.headers)
                expect(client is not CLIENTS[0] or json.loads(text)["request_id"] == own, text)


@case("what is said of the gateway's key stays here")
def _():
    for status in (401, 402, 403):
        with Refusing() as up, Gateway(env={"ANTHROPIC_BASE_URL": up.url}) as g:
            up.status = status
            up.body = b'{"type":"error","error":{"type":"authentication_error","message":"no","account":"acct_1"}}'
            r, text = g.ask("/v1/messages", CLIENTS[0].body(MODELS_OF["anthropic"], False, WORDS))
            expect(r.status == 502 and b"acct_1" not in text, (r.status, text))


@case("what was compressed on the way, though nobody asked for that, is told as that and not read")
def _():
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    for client, stream in itertools.product(CLIENTS[:2], (False, True)):
        with Refusing() as up, Gateway(env={"OPENAI_BASE_URL": up.url}) as g:
            up.more = {"content-encoding": "gzip"}
            ask = lambda: g.ask(client.path("", stream), client.body(MODELS_OF["openai-chat"], stream, WORDS))
            up.status, up.body = 200, gzip.compress(json.dumps(whole).encode())
            r, text = ask()
            expect(r.status == 502 and 'compressed ("gzip")' in client.error(text)[1], (r.status, text))
            up.status, up.body = 429, gzip.compress(b'{"error": {"message": "too fast", "type": "requests"}}')
            r, text = ask()
            expect(r.status == 429 and client.error(text)[1] == "status 429", (r.status, text))


if __name__ == "__main__":
    main()
