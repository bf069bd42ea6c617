#!/usr/bin/env python3
"""The examples of a tool in C and of an answer as data, against `refract sim` as several
providers: words, a picture that was drawn in memory and JSON reach each in the place that its API
has for them, and the report says where the picture went; an answer is what its schema says, or is
refused.

    test_tool.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import json
import pathlib
import subprocess
import sys

from test_ask import LIMIT_S, expect, run_cases

SCRIPT = """
replies:
  - when: {results: 0}
    calls:
      - {name: chart, arguments: {values: [10, 40, 30, 90]}}
"""
WRONG = SCRIPT.replace("90", "900")
INSIDE = " inside the result of chart"
NUMBERS = '{"values":[10,40,30,90]}'
# provider: where the picture goes
PROVIDERS = {"anthropic": "native", "bedrock": "native", "google": "native", "openai": "native",
             "openai-chat": "fallback", "groq": "fallback", "mistral": "native", "ollama": "native",
             "cohere": "fallback"}


def run(t, example, provider, script, status=0):
    program = pathlib.Path(t.program).parent / "examples" / example
    with t.simulator(script=script) as address:
        model = t.point(address, provider)
        done = subprocess.run([program, model, "How were sales?"], capture_output=True,
                              cwd=t.folder, env=t.env, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              check=False)
    expect(done.returncode == status, f"status {done.returncode}: {done.stderr}")
    return done.stdout.decode(), done.stderr.decode().splitlines()


def ask(t, provider, script):
    answer, lines = run(t, "tool", provider, script)
    return answer, [json.loads(line) for line in lines if line.startswith("{")], lines


def check_parts(t, provider, delivery):
    answer, reports, lines = ask(t, provider, SCRIPT)
    expect(lines[0] == "drawn", f"nothing was told of the tool: {lines}")
    expect([(r["name"], r["delivery"], r["as"], r["width"], r["lost"]) for r in reports]
           == [("chart.png", delivery, "image/png", 96, [])], reports)
    expect(answer.startswith("I was given image/png 96x48"), answer)
    picture = answer.split(", and the text")[0]
    expect((INSIDE in picture) == (delivery == "native"), picture)
    results = [part for part in answer.split(", the text ")[1:] if INSIDE in part]
    expect(any("The chart of the values:" in part for part in results), answer)
    expect(any(NUMBERS in part for part in results), answer)


def check_wrong_arguments(t):
    answer, reports, _ = ask(t, "anthropic", WRONG)
    expect("values[3]: expected at most 100" in answer and not reports, answer)


def check_answer(t, provider):
    answer, _ = run(t, "answer", provider, None)
    expect(answer == 'I was given the text "How were sales?". (1)\n', answer)


def check_wrong_answer(t):
    script = """replies: [{text: '{"answer": "Well.", "number": "7"}'}]"""
    answer, lines = run(t, "answer", "openai", script, status=1)
    expect(not answer and "number: expected integer, found a string" in lines[-2], lines)
    expect(lines[0].startswith("turning thinking off was left out: openai:gpt-5-mini"), lines)


CASES = [(f"a tool's words, picture and JSON: {name}",
          lambda t, name=name, place=place: check_parts(t, name, place))
         for name, place in PROVIDERS.items()]
CASES.append(("arguments that do not fit are told to the model", check_wrong_arguments))
CASES += [(f"an answer as data: {name}", lambda t, name=name: check_answer(t, name))
          for name in ("anthropic", "bedrock", "google", "openai", "openai-chat", "ollama")]
CASES.append(("an answer that does not fit is refused", check_wrong_answer))

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
