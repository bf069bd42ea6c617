#!/usr/bin/env python3
"""The first minutes: which model answers where none is named, and what is said about it.

    test_first.py PATH-OF-REFRACT [PART-OF-A-NAME]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import sys

from test_ask import KEY, run_cases
from test_cli import expect

CASES = []
CHANGE = "; change: refract config set default MODEL)"
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


# Without a command.


@case("a first argument with a space in it is a question, and options may follow")
def _(t):
    done = t.run("What is in plan.png?", "-m", "offline", "--no-save", "-q")
    expect(done.status == 0 and b"image/png 64x48" in done.out, done.err)
    done = t.run("Say this\ntoo", "-m", "offline", "--json", "--no-save")
    expect("this" in done.json()["answer"], done.out)


@case("-c goes on with the last chat, and --continue too")
def _(t):
    t.bad(6, '"refract chat" and "refract ask" begin one', "-c")
    t.ask("-m", "offline", "My name is Ada.")
    for option in ("-c", "--continue"):
        done = t.good(option, given=b"Hello\n")
        expect(b"Hello" in done.out, done.out)
    expect(len(t.sessions()) == 1 and t.sessions()[0]["messages"] == 6, t.sessions())


@rows("a single word is a command", [
    ("that was meant", "enocde", "Did you mean encode?"),
    ("that nobody knows", "frobnicate", '"refract help" lists the commands.'),
    ("also an empty one", "", '"refract help" lists the commands.'),
    ("or a file, which says what to do with it", "plan.png", 'It is a file: "refract view plan.png" shows it'),
])
def _(t, word, hint):
    t.bad(2, hint, word)


@case("help begins with what a person can do")
def _(t):
    lines = t.good("--help").out.decode().splitlines()
    expect(lines[0] == 'usage: refract "QUESTION"', lines[0])
    person = next(i for i, line in enumerate(lines) if "any model about any file" in line)
    program = next(i for i, line in enumerate(lines) if line.startswith("For programs"))
    expect(person < program, lines)


# Changing the configuration.

MINE = """# my models
models:
  mine: {provider: offline, model: x} # the one in the program

limits: # small
  pages: 7   # of a PDF
"""


class Config:
    def __init__(self, t, text=None, name="xdg/refract/config.yaml"):
        self.t, self.path = t, t.folder / name
        if text is not None:
            t.write(name, text)

    def text(self):
        return self.path.read_bytes().decode()

    def set(self, *words):
        return self.t.good("config", "set", *words).err


@case("config set changes a value, and nothing else")
def _(t):
    c = Config(t, MINE)
    expect(c.set("limits.pages", "9") == f"note: limits.pages is 9 ({c.path}:6)\n", "")
    expect(c.text() == MINE.replace("pages: 7", "pages: 9"), c.text())


@case("config set makes the file, its folder and what is on the way, for its owner alone")
def _(t):
    c = Config(t)
    c.set("providers.ollama.base_url", "http://127.0.0.1:11435")
    expect(c.text() == "providers:\n  ollama:\n    base_url: http://127.0.0.1:11435\n", c.text())
    expect(c.path.stat().st_mode & 0o777 == 0o600 and c.path.parent.stat().st_mode & 0o777 == 0o700, "")
    expect(sorted(p.name for p in c.path.parent.iterdir()) == ["config.yaml"], "something else is there")


@rows("config set default takes", [
    ("a model", "offline", "default: offline"),
    ("a model of a provider", "anthropic:claude-sonnet-5", "default: anthropic:claude-sonnet-5"),
    ("a name", "mine", "default: mine"),
])
def _(t, name, line):
    c = Config(t, MINE)
    c.set("default", name)
    expect(line in c.text() and "# the one in the program" in c.text(), c.text())
    done = t.ask("-n", "Hello")
    expect("no model was named" not in done.err, done.err)
    expect(t.good("config", "get", "default").out.decode().strip() == name, "")
    t.good("config", "unset", "models.default")
    expect(c.text() == MINE, c.text())


@case("a default that is another name has the facts of that model")
def _(t):
    Config(t, "models:\n  blind: {provider: anthropic, model: claude-sonnet-5, capabilities: {vision: no}}\n"
              "  default: blind\n")
    facts = t.good("models", "default").out.decode()
    expect([line for line in facts.splitlines() if line.split()[:2] == ["vision", "no"]], facts)


@rows("config set refuses", [
    ("a value that does not fit", 8, 'limit "pages": expected a number', "limits.pages", "lots"),
    ("a key that is unknown", 8, 'unknown key "limts"', "limts.pages", "5"),
    ("a key of a provider", 8, "keys do not belong in files", "providers.openai.key", "sk-123"),
    ("a model that is none", 2, 'unknown provider "nobody"', "default", "nobody:x"),
    ("what is below a text", 8, '"pages" is a text here', "limits.pages.more", "5"),
    ("an open quote", 2, "is not the name of a key", 'models."x', "5"),
    ("an empty part", 2, "is not the name of a key", "models..x", "5"),
    ("YAML that is none", 8, "the value:", "fetch.hosts", "[x"),
    ("no value", 2, "config set takes KEY VALUE", "limits.pages"),
])
def _(t, status, part, *words):
    c = Config(t, MINE)
    t.bad(status, part, "config", "set", *words)
    expect(c.text() == MINE, c.text())
    expect(KEY not in c.text(), "")


@case("names with dots stand in quotes, in the key and in the file")
def _(t):
    c = Config(t, 'models:\n  "gpt-5.4": {provider: offline, model: x}\n')
    c.set('models."gpt-5.4".model', "y z")
    expect(c.text() == 'models:\n  "gpt-5.4": {provider: offline, model: "y z"}\n', c.text())
    expect(t.good("config", "get", "models.'gpt-5.4'.model").out == b"y z\n", "")


@case("a file that is wrong can be put right, and not made worse")
def _(t):
    c = Config(t, "limits: {pages: lots, images: few}\n")
    t.bad(8, "fetch", "config", "set", "fetch", "perhaps")
    t.good("config", "set", "limits.pages", "5")
    t.bad(8, "", "config", "show")
    t.good("config", "unset", "limits.images")
    expect(c.text() == "limits: {pages: 5}\n", c.text())


@rows("config set refuses, in a file that is wrong already,", [
    ("another wrong value", "limits: {pages: abc}\n", 'limit "pages": expected a number', "limits.pages", "xyz"),
    ("the same wrong value", "limits: {pages: abc}\n", 'limit "pages": expected a number', "limits.pages", "abc"),
    ("one problem for another", "limits:\n  pages: abc\n", 'there is no limit "pagse"', "limits", "{pagse: 5}"),
    ("the same problem elsewhere", "models:\n  a: {provider: offline, model: x, hue: 1}\n  b: {provider: offline, model: x}\n",
     'unknown key "hue"', "models.b.hue", "1"),
])
def _(t, text, part, *words):
    c = Config(t, text)
    t.bad(8, part, "config", "set", *words)
    expect(c.text() == text, c.text())


@case("a line that moves is no other problem")
def _(t):
    c = Config(t, "models:\n  a: {provider: offline, model: x}\nlimits:\n  pages: abc\n")
    c.set("models.b", "{provider: offline, model: y}")
    t.good("config", "unset", "models")
    expect(c.text() == "limits:\n  pages: abc\n", c.text())


@case("a link stays a link, and the file keeps its mode")
def _(t):
    real = Config(t, MINE, "dotfiles/refract.yaml")
    c = Config(t)
    c.path.parent.mkdir(parents=True)
    c.path.symlink_to("../../dotfiles/refract.yaml")
    real.path.chmod(0o644)
    c.set("sandbox", "whole")
    expect(c.path.is_symlink() and real.text() == MINE + "sandbox: whole\n", real.text())
    expect(real.path.stat().st_mode & 0o777 == 0o644, "")
    expect(sorted(p.name for p in real.path.parent.iterdir()) == ["refract.yaml"], "something else is there")


@case("a file that is read-only stays as it is")
def _(t):
    c = Config(t, MINE)
    c.path.chmod(0o444)
    t.bad(7, "is read-only", "config", "set", "sandbox", "whole")
    expect(c.text() == MINE, c.text())


@case("lines end as they did")
def _(t):
    c = Config(t, MINE.replace("\n", "\r\n"))
    c.set("limits.line_bytes", "64")
    expect(c.text() == (MINE + "  line_bytes: 64\n").replace("\n", "\r\n"), c.text())


@case("a byte order mark is passed over")
def _(t):
    c = Config(t, "\ufefflimits: {pages: 5}\nfetch: no\n")
    c.set("fetch", "yes")
    expect(c.text() == "\ufefflimits: {pages: 5}\nfetch: yes\n", c.text())


@case("config get says what is in force, and who says so")
def _(t):
    c = Config(t, MINE)
    for key, value, place in (("limits.pages", "7", f"{c.path}:6"), ("limits.line_bytes", "", "built in"),
                              ("serve.listen", "127.0.0.1:8484", "built in"), ("serve.idle_seconds", "300", "built in"),
                              ("models.mine.model", "x", f"{c.path}:3")):
        done = t.good("config", "get", key)
        expect(done.err == f"note: {place}\n" and (done.out.decode() == value + "\n" or not value),
               f"{key}: {done.out} {done.err}")
    t.write(".refract.yaml", "limits: {pages: 3}\n")
    done = t.good("config", "get", "limits.pages")
    expect(done.out == b"3\n" and done.err == "note: ./.refract.yaml:1\n", done.err)
    expect(c.set("limits.pages", "6") == "note: limits.pages is 3 (./.refract.yaml:1)\n", "a project says less")
    t.bad(8, '"sandbox" is not set', "config", "get", "sandbox")
    t.env["OPENAI_API_KEY"] = KEY
    done = t.good("config", "get", "default")
    expect(done.out == b"openai:gpt-5.4-mini\n" and done.err == "note: not set: OPENAI_API_KEY is set\n", done.err)


@rows("config get of a key that is unknown says what was meant", [
    ("a section", 'unknown key "limts"', "Did you mean limits?", "limts.pages"),
    ("a word", 'unknown key "foo"', "Known here: models, providers, limits", "foo"),
    ("a limit", 'there is no limit "page"', "Did you mean pages?", "limits.page"),
    ("a provider", 'unknown provider "antropic"', "Did you mean anthropic?", "providers.antropic.base_url"),
    ("a key of an entry", 'unknown key "base_ulr"', "Did you mean base_url?", "providers.ollama.base_ulr"),
])
def _(t, message, hint, key):
    Config(t, MINE)
    expect(hint in t.bad(2, message, "config", "get", key).err, "")


@case("config get of a section prints its values, and all limits")
def _(t):
    c = Config(t, MINE)
    expect(t.good("config", "get", "models").json() == {"mine": {"provider": "offline", "model": "x"}}, "")
    limits = t.good("config", "get", "limits").json()
    expect(limits["pages"] == 7 and limits["answer_seconds"] == 3600, limits)
    c.path.unlink()
    expect(t.good("config", "get", "limits").json()["pages"] == 20, "nothing is set")


@case("config unset of what is not set says so")
def _(t):
    Config(t, MINE)
    t.bad(8, "does not set this key", "config", "unset", "limits.line_bytes")


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
