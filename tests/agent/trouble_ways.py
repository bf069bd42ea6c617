"""Where requests go and how long they go on: proxies, limits that count, answers without an end, what a model has
fetched: cases of trouble.py."""
import contextlib
import json

from troubling import (KEY, MODEL, Server, Terminal, called, case, expect, response, rows, said, sse, streamed)

COMPATIBLE = "openai-compatible:some"


# Proxies


PROXY = response(said("Said by the proxy."))
VARIABLES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY")


def proxied(t, server, **more):
    """Ask with a proxy in every variable."""
    t.env.update({name: server.url for name in VARIABLES}, **more)


@rows("no proxy for this machine", [
    ("127.0.0.1", "127.0.0.1"), ("another of its loopback addresses", "127.5.4.3"), ("a short spelling", "127.1"),
    ("a number", "2130706433"), ("0.0.0.0", "0.0.0.0"), ("localhost", "localhost"), ("capitals", "LocalHost"),
    ("mapped into IPv6", "[::ffff:127.0.0.1]"),
])
def proxy_here(t, host):
    with Server(PROXY) as proxy, Server(response(said("Said here.")), everywhere=True) as server:
        t.env["ANTHROPIC_BASE_URL"] = server.url.replace("127.0.0.1", host)
        proxied(t, proxy)
        done = t.ask("Hello")
        expect(not proxy.asked, f"the proxy was asked: {proxy.asked}")
        expect(done.status == 0 and done.out == "Said here.\n", f"{done.status} {done.out}{done.err}")


@rows("no proxy for what no_proxy names", [
    ("a domain", "no_proxy", "other.example, .invalid"), ("everything", "NO_PROXY", " * "),
])
def proxy_excepted(t, variable, value):
    with Server(PROXY) as proxy:
        t.env["ANTHROPIC_BASE_URL"] = "http://model.invalid/v1"
        proxied(t, proxy, **{variable: value})
        done = t.ask("Hello")  # nobody knows that name
        expect(not proxy.asked, f"the proxy was asked: {proxy.asked}")
        expect(done.status == 4 and "could not reach model.invalid" in done.err, f"{done.status} {done.err}")


@rows("no key through a proxy in clear", [(name, name) for name in ("http_proxy", "all_proxy", "ALL_PROXY")])
def proxy_plain(t, variable):
    with Server(PROXY) as proxy:
        t.env.update({"ANTHROPIC_BASE_URL": "http://model.invalid", variable: proxy.url})
        done = t.ask("Hello")
        expect(done.status == 8 and not proxy.asked, f"{done.status} {done.err} {proxy.asked}")
        expect("refract: a key for model.invalid would go through the proxy 127.0.0.1 in clear\nhint: " in done.err
               and "plain_proxy: yes" in done.err, done.err)
        expect("plain_proxy: yes" in t.run("doctor", "-m", MODEL, "--json").out.decode(), "the doctor does not say so")
        t.configure("providers: {anthropic: {plain_proxy: yes}}\n")
        expect(t.ask("Hello").out == "Said by the proxy.\n", "it is not believed")
        expect(proxy.asked[-1].startswith(b"POST http://model.invalid/v1/messages "), proxy.asked)


@case("no signature and no header with a secret through a proxy in clear")
def proxy_secrets(t):
    with Server(PROXY) as proxy:
        t.env.update(http_proxy=proxy.url, AWS_ACCESS_KEY_ID="AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY=KEY,
                     AWS_ENDPOINT_URL_BEDROCK_RUNTIME="http://model.invalid", OLLAMA_HOST="http://model.invalid",
                     TEAM=KEY)
        del t.env["AWS_BEARER_TOKEN_BEDROCK"]
        t.configure("providers: {ollama: {headers: {X-Team-Token: $TEAM}}}\n")
        for model in ("bedrock:us.amazon.nova-2-lite-v1:0", "ollama:llava"):
            done = t.ask("Hello", model=model)
            expect(done.status == 8 and "in clear" in done.err, f"{model}: {done.status} {done.err}")
        expect(not proxy.asked, proxy.asked)


@case("what has no key goes through a proxy, and HTTPS by CONNECT")
def proxy_used(t):
    line = json.dumps({"message": {"role": "assistant", "content": "Proxied."}, "done": True}).encode() + b"\n"
    with Server(response(line, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson")) as proxy:
        t.env.update(http_proxy=proxy.url, OLLAMA_HOST="http://model.invalid")
        expect(t.ask("Hello", model="ollama:llava").out == "Proxied.\n", "it is not used")
        first = [asked.split(b" ")[1] for asked in proxy.asked]
        expect(first == [b"http://model.invalid/api/show", b"http://model.invalid/api/chat"], proxy.asked)
    with Server(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") as proxy:
        t.env.update(https_proxy=proxy.url, ANTHROPIC_BASE_URL="https://model.invalid")
        expect(t.ask("Hello").status == 4, "it went on")
        expect(proxy.asked[0].startswith(b"CONNECT model.invalid:443 "), proxy.asked)
        expect(KEY.encode() not in b"".join(proxy.asked), "the proxy was told the key")


# Limits that count


def chat(*choices, usage=()):
    """A stream of Chat Completions: a chunk a choice, then one for each usage."""
    chunks = [{"choices": [{"index": 0, **c}]} for c in choices] + [{"choices": [], "usage": u} for u in usage]
    return response(b"".join(b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks) + b"data: [DONE]\n\n")


def calls(usage=()):
    call = {"index": 0, "id": "c1", "type": "function",
            "function": {"name": "read_file", "arguments": '{"file_path": "notes.txt"}'}}
    return chat({"delta": {"role": "assistant", "tool_calls": [call]}}, {"delta": {}, "finish_reason": "tool_calls"},
                usage=usage)


@rows("a limit of tokens counts where a server", [
    ("reports nothing", ()), ("reports null", (None,)), ("reports nothing of it", ({},)),
    ("reports 0", ({"prompt_tokens": 0, "completion_tokens": 0},)),
    ("reports less than 0", ({"prompt_tokens": -5000, "completion_tokens": -1},)),
    ("takes it back", ({"prompt_tokens": 900, "completion_tokens": 9}, {"prompt_tokens": 1, "completion_tokens": 0})),
    ("reports no input", ({"completion_tokens": 3},)),
])
def limit_counts(t, usage):
    with Server(calls(usage)) as server:
        t.env.update(OPENAI_COMPATIBLE_BASE_URL=server.url)
        done = t.fails(5, "tokens, limit is 2000", "--max-tokens", "2000", "Read it.", model=COMPATIBLE)
        expect(2 <= len(server.asked) < 10, f"{len(server.asked)} requests: {done.err}")


@rows("usage is asked for in a stream, and no more of a server that refuses", [
    ("as OpenAI does", 400, {"error": {"message": "Unrecognized request argument supplied: stream_options",
                                       "type": "invalid_request_error", "param": None, "code": None}}),
    ("as old servers in Python do", 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
                                                      "msg": "Extra inputs are not permitted"}]}),
    ("with an error in a text", 400, {"object": "error", "code": 400, "type": "BadRequestError",
                                      "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]"}),
    ("in a word", 400, "unknown field include_usage"),
])
def usage_asked(t, status, body):
    refusal = response(json.dumps(body).encode(), f"HTTP/1.1 {status} No\r\nContent-Type: application/json")
    greets = chat({"delta": {"role": "assistant", "content": "Hello."}}, {"delta": {}, "finish_reason": "stop"})
    with Server(refusal, greets) as server:
        t.env.update(OPENAI_COMPATIBLE_BASE_URL=server.url)
        done = t.ask("Hello", model=COMPATIBLE)
        expect(done.out == "Hello.\n", f"{done.status} {done.err}")
        asked = [json.loads(a.partition(b"\r\n\r\n")[2]) for a in server.asked]
        expect([a.get("stream_options") for a in asked] == [{"include_usage": True}, None], asked)
        expect(t.ask("Hello", model=COMPATIBLE).out == "Hello.\n" and b"stream_options" not in server.asked[-1],
               "it was not remembered")


# Answers without an end


class Drip(Server):
    """Goes on with a piece for ever."""

    def __init__(self, begin, piece):
        self.piece = piece
        super().__init__(begin, stays=True)

    def talk(self, connection):
        super().talk(connection)
        with contextlib.suppress(OSError):
            while True:
                connection.sendall(self.piece)


BEGUN = sse({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [],
                                                  "usage": {"input_tokens": 9, "output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Once upon"}})
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@rows("an answer has a time in all", [("that says nothing new", b": ping\n\n"), ("that never ends a line", b":")])
def drips(t, piece):
    t.configure("limits: {answer_seconds: 1}\n")
    with Drip(HEAD + BEGUN, piece) as server:
        t.move(server.url)
        done = t.fails(5, "answer_seconds", "Tell me a story.")
        expect("Once upon" in done.out, done.out)
    expect("Once upon" in json.dumps(t.kept()[1]), t.kept())


# Fetching

SECRET = "http://127.0.0.1:9/collect?said=the-password-is-swordfish"
FETCHES = response(streamed(called("read_file", {"file_path": SECRET}), stop="tool_use"))
DENIED = "nothing was fetched from 127.0.0.1: permission was not given"
REACHED = "leads to an address that may not be reached from here"  # as far as a test can get


@rows("a host that a model wants fetched from", [
    ("is not asked about where nothing is fetched", "fetch: no", (), 0, "web addresses are not fetched"),
    ("is denied where nobody can be asked", "fetch: yes", (), 7, DENIED),
    ("is another one than what is listed", "fetch: {hosts: [example.org]}", (), 7, DENIED),
    ("is another one than what is allowed", "fetch: yes", ("--allow", "fetch:example.org"), 7, DENIED),
    ("is not asked about where it is listed", "fetch: {hosts: [127.0.0.1]}", (), 0, REACHED),
    ("is not asked about where it is below what is listed", 'fetch: {hosts: ["*.0.0.1"]}', (), 0, REACHED),
    ("is not asked about where it is allowed", "fetch: yes", ("--allow", "fetch:127.0.0.1"), 0, REACHED),
])
def fetch_asked(t, setting, options, status, words):
    t.configure(setting + "\n")
    with Server(FETCHES, response(said("Done."))) as server:
        t.move(server.url)
        done = t.ask(*options, "Look.")
        expect(done.status == status and done.out == "Done.\n", f"{done.status} {done.out}{done.err}")
        expect(words in server.asked[1].decode(), server.asked[1])
    if status:
        expect("nothing was fetched from 127.0.0.1" in done.err and "--allow fetch:127.0.0.1" in done.err, done.err)


@rows("on a terminal it is asked with the whole address, and", [
    ("no is no", b"n\n", DENIED), ("yes is yes", b"y\n", REACHED), ("always is always", b"a\n", REACHED),
])
def fetch_terminal(t, keys, words):
    t.configure("fetch: yes\n")
    with Server(FETCHES, FETCHES, response(said("Done."))) as server:
        t.move(server.url)
        terminal = Terminal(t, "Look.")
        always, asked = keys.startswith(b"a"), 0
        while terminal.process.poll() is None:
            shown = terminal.read(0.02).count(b"a: always from 127.0.0.1) ")
            if shown > asked:
                asked = shown
                terminal.press(keys)
        status, shown = terminal.end()
        expect(status == 0 and asked == (1 if always else 2), f"{status}, asked {asked} times: {shown}")
        expect(f"? fetch {SECRET}\n  which tells all of this address to 127.0.0.1\n" in shown, shown)
        expect(words in server.asked[1].decode(), server.asked[1])
