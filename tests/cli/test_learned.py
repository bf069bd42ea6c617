#!/usr/bin/env python3
"""What refusals teach, on the command line: learned, shown, used, forgotten.

    test_learned.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MODEL = "groq:some-model"
REFUSAL = {"error": {"message": "Image count 5 exceeds limit 4 per request."}}
DAY = re.compile(r"\d{4}-\d\d-\d\d$")


def expect(good, message):
    if not good:
        raise AssertionError(message)


class Cli:
    """The program with a configuration and a data folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.file = self.folder / "data" / "refract" / "learned.json"
        self.env = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder,
                    "XDG_DATA_HOME": str(self.folder / "data")}

    def start(self, *args):
        return subprocess.Popen([self.program, *args], stdin=subprocess.PIPE, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, env=self.env)

    def run(self, status, *args, given=""):
        process = self.start(*args)
        out, err = process.communicate(given, timeout=300)
        expect(process.returncode == status, f"status {process.returncode}: {out}{err}")
        return out, err

    def learn(self, model=MODEL, reply=None, *options):
        return self.run(4, "decode", "-m", model, "--learn", *options,
                        given=json.dumps(reply or REFUSAL))[1]

    def fact(self, name, model=MODEL):
        return json.loads(self.run(0, "models", model, "--json")[0])["facts"][name]

    def write(self, text):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, encoding="utf-8")


def a_refusal_teaches(cli):
    err = cli.learn()
    expect(f"note: learned of {MODEL}: max_images is 4" in err, err)
    fact = cli.fact("max_images")
    expect((fact["value"], fact["source"]) == (4, "learned"), fact)
    expect(DAY.match(fact["date"]), fact)
    expect(fact["words"] == REFUSAL["error"]["message"], fact)
    expect(cli.fact("max_images", "groq:other")["source"] == "built-in", "another model learned")
    saved = json.loads(cli.file.read_text(encoding="utf-8"))
    expect(saved["version"] == 1 and len(saved["facts"]) == 1, saved)


def it_is_shown_with_its_date(cli):
    cli.learn()
    out, _ = cli.run(0, "models", MODEL)
    expect(re.search(r"^max_images +4 +learned \d{4}-\d\d-\d\d  pictures", out, re.M), out)
    expect("max_images was learned from: Image count 5 exceeds" in out, out)
    out, _ = cli.run(0, "models", "--known")
    expect(re.search(rf"^LEARNED\n{MODEL}  max_images 4  \d{{4}}-", out, re.M), out)
    listed = json.loads(cli.run(0, "models", "--known", "--json")[0])["learned"]
    expect([(e["provider"], e["model"], e["fact"], e["value"]) for e in listed]
           == [("groq", "some-model", "max_images", 4)], listed)


def it_is_used(cli):
    """What was learned of the answer's length lowers what is asked for."""
    conversation = json.dumps({"refract": 1, "options": {"max_tokens": 9000},
                               "messages": [{"role": "user", "content": "x"}]})
    cli.learn(MODEL, {"error": {"message": "max_tokens: 9000 > 4096, which is the maximum allowed "
                                           "number of output tokens for it"}})
    out, err = cli.run(0, "encode", "-m", MODEL, given=conversation)
    expect("4096" in out and "9000" not in out, out)
    expect("max_tokens is 4096" in err, err)


def a_stream_teaches(cli):
    process = cli.start("decode", "-m", "anthropic:claude-sonnet-4-5", "--stream", "--learn")
    event = {"type": "error", "error": {"type": "invalid_request_error",
                                        "message": "prompt is too long: 210000 tokens > 190000 maximum"}}
    _, err = process.communicate(f"event: error\ndata: {json.dumps(event)}\n\n", timeout=300)
    expect("context_tokens is 190000" in err, err)


def what_stands_behind_a_router_teaches(cli):
    err = cli.learn("openrouter:some/model", {"error": {
        "message": "Provider returned error", "code": 400,
        "metadata": {"raw": json.dumps({"error": {"message": "maximum context length is 8192 tokens"}})}}})
    expect("context_tokens is 8192" in err, err)


def nothing_to_learn(cli):
    err = cli.learn(MODEL, {"error": {"message": "Internal error"}})
    expect("nothing to learn" in err, err)
    err = cli.learn(MODEL, {"error": {"type": "rate_limit_error", "message": "Image count 5 exceeds limit 4"}})
    expect("nothing to learn" in err, err)
    expect(not cli.file.exists(), "a file was made")


def without_the_option_nothing_is_learned(cli):
    cli.run(4, "decode", "-m", MODEL, given=json.dumps(REFUSAL))
    expect(not cli.file.exists(), "a file was made")


def the_configuration_stays(cli):
    (cli.folder / "refract").mkdir()
    (cli.folder / "refract" / "config.yaml").write_text(
        "models: {mine: {provider: groq, model: some-model, limits: {max_images: 2}}}\n", encoding="utf-8")
    err = cli.learn("mine")
    expect("the configuration's 2 stays" in err, err)
    expect(cli.fact("max_images", "mine") == {"value": 2, "source": "override"}, "it does not")
    _, err = cli.run(0, "models", "--forget", "mine:max_images")
    expect("1 learned fact forgotten" in err, err)


def forgetting(cli):
    two = {"error": {"message": "maximum context length is 9000 tokens"}}
    cli.learn()
    cli.learn(MODEL, two)
    cli.learn("ollama:llava:13b")
    _, err = cli.run(0, "models", "--forget", f"{MODEL}:max_images")
    expect("1 learned fact forgotten" in err, err)
    expect(cli.fact("max_images")["source"] == "built-in", "it is still known")
    expect(cli.fact("context_tokens")["value"] == 9000, "the other was forgotten too")
    expect(json.loads(cli.run(0, "models", "--json", "--forget", MODEL)[0]) == {"forgotten": 1}, "count")
    expect(cli.fact("max_images", "ollama:llava:13b")["value"] == 4, "the other model was forgotten")
    cli.run(0, "models", "--forget", "all")
    _, err = cli.run(0, "models", "--forget", "all")
    expect("nothing to forget" in err, err)
    cli.run(2, "models", "--forget", "nobody")
    cli.run(2, "models", MODEL, "--forget", "all")


def a_corrupt_file_is_said_and_set_aside(cli):
    for command in (["models", MODEL], ["models", "--known"], ["models", "--forget", "all"]):
        cli.write('{"version": 1, "facts": [{]}')
        _, err = cli.run(0, *command)
        expect("learned.json" in err and "set aside" in err, err)
        expect(not cli.file.exists(), "it is still there")
        expect(cli.file.with_name("learned.json.broken").exists(), "it is gone")
        _, err = cli.run(0, *command)
        expect("set aside" not in err, err)


def a_newer_file_is_an_error_and_left_alone(cli):
    text = '{"version": 7, "facts": "other"}'
    cli.write(text)
    for command in (["models", MODEL], ["models", "--known"], ["models", "--forget", "all"],
                    ["decode", "-m", MODEL, "--learn"]):
        _, err = cli.run(8, *command, given=json.dumps(REFUSAL))
        expect("version 7" in err and "hint: " in err, err)
    expect(cli.file.read_text(encoding="utf-8") == text, "it was changed")


def several_processes_learn_at_once(cli):
    children = [cli.start("decode", "-m", f"groq:m{i}", "--learn") for i in range(12)]
    for child in children:
        child.stdin.write(json.dumps(REFUSAL))
        child.stdin.close()
    for child in children:
        child.stdout.read(), child.stderr.read()
        expect(child.wait(timeout=300) == 4, "a child failed")
    saved = json.loads(cli.file.read_text(encoding="utf-8"))["facts"]
    expect(sorted(e["model"] for e in saved) == sorted(f"m{i}" for i in range(12)), saved)


def hostile_words_do_not_reach_the_terminal(cli):
    cli.learn(MODEL, {"error": {"message": "\x1b[31mImage count 5 exceeds limit 4\n\x07 per request."}})
    for command in (["models", MODEL], ["models", "--known"]):
        out, err = cli.run(0, *command)
        expect(not any(c < " " and c != "\n" for c in out + err), repr(out))


CASES = [a_refusal_teaches, it_is_shown_with_its_date, it_is_used, a_stream_teaches,
         what_stands_behind_a_router_teaches, nothing_to_learn,
         without_the_option_nothing_is_learned, the_configuration_stays, forgetting,
         a_corrupt_file_is_said_and_set_aside, a_newer_file_is_an_error_and_left_alone,
         several_processes_learn_at_once, hostile_words_do_not_reach_the_terminal]


def main(program):
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="refract-learned-") as folder:
            try:
                case(Cli(program, folder))
                print(f"ok      {case.__name__}")
            except AssertionError as e:
                failed += 1
                print(f"FAILED  {case.__name__}: {e}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
