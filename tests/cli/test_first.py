#!/usr/bin/env python3
"""The first minutes: which model answers where none is named, and what is said about it.

    test_first.py PATH-OF-REFRACT [PART-OF-A-NAME]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import sys

from test_ask import KEY, run_cases
from test_cli import expect

CASES = []
CHANGE = "; change it with refract config set default MODEL)"
TALK = b'{"refract": 1, "messages": [{"role": "user", "content": "What?"}]}'


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", lambda t, rest=rest: function(t, *rest)))
        return function
    return add


# A model without asking.


@rows("the provider whose key is set answers", [
    ("anthropic", "anthropic", "anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY is set"),
    ("openai", "openai", "openai:gpt-5.4-mini", "OPENAI_API_KEY is set"),
    ("google", "google", "google:gemini-3.5-flash", "GEMINI_API_KEY is set"),
    ("openrouter", "openrouter", "openrouter:anthropic/claude-sonnet-5", "OPENROUTER_API_KEY is set"),
    ("xai", "xai", "xai:grok-4.3", "XAI_API_KEY is set"),
    ("groq", "groq", "groq:openai/gpt-oss-120b", "GROQ_API_KEY is set"),
    ("mistral", "mistral", "mistral:mistral-medium-latest", "MISTRAL_API_KEY is set"),
    ("cohere", "cohere", "cohere:command-a-plus-05-2026", "CO_API_KEY is set"),
    ("bedrock", "bedrock", "bedrock:global.amazon.nova-2-lite-v1:0", "AWS_ACCESS_KEY_ID is set"),
    ("litellm", "litellm", "litellm:gpt-5.4-mini", "LITELLM_BASE_URL is set"),
    ("ollama", "ollama", "ollama:gemma3", "OLLAMA_HOST is set"),
])
def _(t, provider, model, why):
    with t.simulator() as address:
        t.point(address, provider)
        done = t.ask("--no-save", "Hello")
    expect(done.err.splitlines()[0] == f"model: {model} ({why}{CHANGE}", done.err)
    expect(b"Hello" in done.out, done.out)


@case("of several keys the first counts, and the others are named")
def _(t):
    t.env.update(OPENAI_API_KEY=KEY, XAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY)
    first = t.ask("-n", "Hello").err.splitlines()[0]
    expect(first == "model: anthropic:claude-sonnet-5 (ANTHROPIC_API_KEY is set, as are keys for openai "
                    "and xai" + CHANGE, first)
    del t.env["ANTHROPIC_API_KEY"]
    first = t.ask("-n", "Hello").err.splitlines()[0]
    expect(first == "model: openai:gpt-5.4-mini (OPENAI_API_KEY is set, as is a key for xai" + CHANGE, first)


@case("a command for a key counts as a key, and is not run for it")
def _(t):
    t.write("xdg/refract/config.yaml", "providers: {google: {key_command: [touch, ran]}}\n")
    first = t.ask("-n", "Hello").err.splitlines()[0]
    expect(first == "model: google:gemini-3.5-flash (the configuration has a command for its key" + CHANGE, first)
    expect(not (t.folder / "ran").exists(), "it was run")


@rows("a key counts by the variable that the configuration names", [
    ("that is set", "MINE", "model: anthropic:claude-sonnet-5 (MINE is set" + CHANGE),
    ("that is not", "OTHER", "note: no model was named"),
])
def _(t, variable, line):
    t.env["MINE"] = KEY
    t.write("xdg/refract/config.yaml", f"providers: {{anthropic: {{key: ${variable}}}}}\n")
    expect(t.ask("-n", "Hello").err.startswith(line), "")


@rows("what was logged in elsewhere does not choose", [
    ("Amazon", ".aws/credentials", "[default]\naws_access_key_id = a\naws_secret_access_key = b\n"),
    ("Google", ".config/gcloud/application_default_credentials.json", '{"type": "authorized_user"}'),
])
def _(t, name, text):
    t.write(name, text)
    expect(t.ask("-n", "Hello").err.startswith("note: no model was named"), "")


@case("without a key offline answers, and a line says which to set")
def _(t):
    done = t.ask("Hello")
    expect(done.err.splitlines()[0] ==
           "note: no model was named, and no key is set (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...): "
           "offline answers, which says what it was given; set a key, or name a model with -m", done.err)


@rows("nothing is said of a model that was named", [
    ("by -m", ["-m", "offline"], {}, ""),
    ("by REFRACT_MODEL", [], {"REFRACT_MODEL": "offline"}, ""),
    ("by the configuration", [], {}, "models: {default: {provider: offline, model: offline}}\n"),
    ("quietly", ["-q"], {"REFRACT_MODEL": "", "ANTHROPIC_API_KEY": KEY}, ""),
])
def _(t, args, env, config):
    t.env.update({"OPENAI_API_KEY": KEY, **env})
    t.write("xdg/refract/config.yaml", config)
    expect("model" not in t.ask("-n", *args, "Hello").err, "")


@rows("requests are written for the same model", [
    ("encode", ["encode"], b'"contents"', None),
    ("convert", ["convert", "--from", "openai-chat"], b'"contents"',
     b'{"model": "gpt-4o", "messages": [{"role": "user", "content": "What?"}]}'),
    ("tokens", ["tokens"], b"window              1048576", None),
])
def _(t, args, part, given):
    t.bad(2, "needs to know which model", *args, given=given or TALK)
    t.env["GEMINI_API_KEY"] = KEY
    done = t.good(*args, given=given or TALK)
    expect(done.err == f"model: google:gemini-3.5-flash (GEMINI_API_KEY is set{CHANGE}\n", done.err)
    expect(part in done.out, done.out)


# A file by its bare name.


@case("a picture that a question names is announced, and seen, in a new home with a key")
def _(t):
    with t.simulator() as address:
        t.point(address, "anthropic")
        done = t.ask("What is in plan.png?")
    marks = [line.split()[0] for line in done.err.splitlines()]
    expect(marks == ["model:", "~", ">", "+", "="], done.err)
    expect("plan.png" in done.err.splitlines()[1] and b"I was given image/png 64x48" in done.out, done.err)


@rows("a bare name is a name where", [
    ("it was piped in", ["--no-save"], b"What is in plan.png?"),
    ("there is no such file", ["--no-save", "What is in photo.png?"], b""),
    ("references are off", ["--no-save", "What is in plan.png?"], b"", "references: {enabled: no}\n"),
])
def _(t, args, given, config=""):
    t.write("xdg/refract/config.yaml", config)
    done = t.ask("-m", "offline", *args, given=given)
    expect("announced" not in done.err, done.err)


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
