#!/usr/bin/env python3
"""What keys with limits may not say: no member of a request gets them a model that they are not allowed."""
import contextlib

from harness import *

CHAT = {"model": "openai-chat:gpt-4o", "messages": [{"role": "user", "content": WORDS}]}
RESPONSES = {"model": "openai:gpt-5.4-mini", "input": WORDS}
MESSAGES = {"model": "anthropic:claude-sonnet-4-5", "max_tokens": 100, "messages": CHAT["messages"]}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": WORDS}]}]}
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages",
         "gemini": "/v1beta/models/google:gemini-3.5-flash:generateContent"}
ALLOWED = "openai-chat:gpt-4o,openai:gpt-5.4-mini,anthropic:claude-sonnet-4-5,google:gemini-3.5-flash"

NAMING = [
    ("chat", CHAT | {"models": ["openai/o1-pro"], "route": "fallback"}),
    ("chat", CHAT | {"Model": "o1-pro"}),
    ("chat", CHAT | {"fallbacks": [{"gpt-4o": ["o1-pro"]}]}),
    ("chat", CHAT | {"extra_body": {"models": ["o1-pro"]}}),
    ("chat", CHAT | {"preset": "expensive"}),
    ("chat", CHAT | {"plugins": [{"id": "auto-router", "allowed_models": ["o1-pro"]}]}),
    ("responses", RESPONSES | {"tools": [{"type": "image_generation", "model": "gpt-image-1"}]}),
    ("messages", MESSAGES | {"tools": [{"type": "advisor_20260301", "name": "advisor", "model": "claude-opus-4-8"}]}),
    ("gemini", GEMINI | {"generationConfig": {"routingConfig": {"manualMode": {"modelName": "gemini-pro"}}}}),
]
HARMLESS = [
    ("chat", CHAT | {"tools": [{"type": "function", "function": {
        "name": "look", "parameters": {"type": "object", "properties": {"model": {"type": "string"}}}}}]}),
    ("chat", CHAT | {"metadata": {"model": "a car"}}),
    ("chat", CHAT | {"messages": [{"role": "user", "content": [{"type": "text", "text": "models"}]}]}),
    ("responses", RESPONSES | {"model": "openai:gpt-5.4-mini", "background": False}),
    ("gemini", GEMINI | {"model": "models/gemini-pro"}),
]


@contextlib.contextmanager
def gateway(*limits, **more):
    """One that asks for keys, and a key with these limits."""
    with tempfile.TemporaryDirectory() as home:
        env = {"XDG_DATA_HOME": home}
        made = subprocess.run([REFRACT, "keys", "add", "anna", *limits], env={**environment(home), **env}, text=True,
                              capture_output=True, check=True, timeout=LIMIT_S)
        with Gateway(env=env | more.pop("env", {}), **more) as g:
            yield g, made.stdout.strip()


@case("a key for some models cannot name others beside them")
def _():
    with gateway("--models", ALLOWED) as (g, key):
        for which, body in NAMING:
            r, text = g.ask(PATHS[which], body, x_api_key=key)
            expect(r.status == 403 and b"may not name further models" in text, (r.status, text, body))
        expect(not g.relay.seen, g.relay.seen)


@case("what only looks like a model's name is taken")
def _():
    with gateway("--models", ALLOWED) as (g, key):
        for which, body in HARMLESS:
            r, text = g.ask(PATHS[which], body, x_api_key=key)
            expect(r.status == 200, (r.status, text, body))
        expect(b"gemini-pro" not in b"".join(g.relay.seen), g.relay.seen)


@case("a model that is named twice, or in other letters, is the one that was looked at")
def _():
    with gateway("--models", ALLOWED) as (g, key):
        for first, second, status in (("openai-chat:gpt-4o", "o1-pro", 403), ("o1-pro", "openai-chat:gpt-4o", 200)):
            body = f'{{"model":"{first}","mod\\u0065l":"{second}","messages":[{{"role":"user","content":"hi"}}]}}'
            r, text = g.ask(PATHS["chat"], body.encode(), x_api_key=key)
            expect(r.status == status, (r.status, text))
        expect(b"o1-pro" not in b"".join(g.relay.seen), g.relay.seen)


@case("a name in other letters is not the one that the key allows")
def _():
    config = "models: {claude-cheap: {provider: openai-chat, model: gpt-4o}}\n" \
             "serve: {rules: [{match: 'claude-*', model: 'anthropic:claude-opus-4-8'}]}"
    with gateway("--models", "claude-cheap,openai:gpt-5.4-mini", config=config) as (g, key):
        for model, status in (("claude-cheap", 200), ("CLAUDE-CHEAP", 403), ("Claude-cheap", 403),
                              ("openai:gpt-5.4-mini", 200), ("openai:GPT-5.4-mini", 403)):
            r, text = g.ask(PATHS["chat"], CHAT | {"model": model}, x_api_key=key)
            expect(r.status == status, (model, r.status, text))
        expect(b"opus" not in b"".join(g.relay.seen), g.relay.seen)


@case("a budget is not spent on models that were not priced, or after the reply")
def _():
    with gateway("--budget", "5") as (g, key):
        for which, body in NAMING[:1] + [("responses", RESPONSES | {"background": True})]:
            r, text = g.ask(PATHS[which], body, x_api_key=key)
            expect(r.status == 403, (r.status, text, body))
        expect(not g.relay.seen, g.relay.seen)


@case("a model that answers in place of another is one that the key allows")
def _():
    config = "models: {fast: {provider: openai-chat, model: gpt-4o, fallback: [slow]},\n" \
             "         slow: {provider: anthropic, model: claude-sonnet-4-5}}"
    away = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    for models, status in (("openai-chat:gpt-4o", 502), ("openai-chat:*,anthropic:*", 200), ("fast", 200)):
        with gateway("--models", models, config=config, env=away) as (g, key):
            r, text = g.ask(PATHS["chat"], CHAT | {"model": "fast"}, x_api_key=key)
            expect(r.status == status and len(g.relay.seen) == (status == 200), (models, r.status, text))


@case("of the models that one name stands for, those that the key allows answer")
def _():
    config = "models: {team: {any: ['openai-chat:gpt-4o', 'anthropic:claude-sonnet-4-5']}}"
    with gateway("--models", "anthropic:*", config=config) as (g, key):
        for i in range(12):  # conversations are spread by how they begin
            body = CHAT | {"model": "team", "messages": [{"role": "user", "content": f"{i} {WORDS}"}]}
            r, text = g.ask(PATHS["chat"], body, x_api_key=key)
            expect(r.status == 200, (i, r.status, text))
        expect(all(b"claude-sonnet-4-5" in body for body in g.relay.seen), g.relay.seen)
        r, text = g.ask(PATHS["chat"], CHAT, x_api_key=key)
        expect(r.status == 403 and b"may not ask" in text, (r.status, text))


@case("who asks for a model that is not there is told of those that the key allows, and of no variable")
def _():
    with gateway("--models", "openai-chat:*") as (g, key):
        for name in ("openai-chat:", "groq:llama", "nothing"):
            r, text = g.ask(PATHS["chat"], CHAT | {"model": name}, x_api_key=key)
            words = json.loads(text)["error"]["message"]
            expect(r.status == 404 and "The key is for openai-chat:*" in words, words)
            expect("anthropic:" not in words and "_API_KEY" not in words, words)


@case("a key without such limits says what it likes")
def _():
    with gateway("--rpm", "1000") as (g, key):
        r, text = g.ask(PATHS["responses"], RESPONSES | {"background": True}, x_api_key=key)
        expect(r.status == 200 and b'"background": true' in g.relay.seen[-1], (r.status, text))


if __name__ == "__main__":
    main()
