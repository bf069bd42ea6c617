#!/usr/bin/env python3
"""Count the tests in the log of one `meson test` run: count_tests.py testlog.json

Prints "N passed, N failed, N skipped", after the last lines of each program that failed, without
those of its tests that passed, which would push the failure out of what is shown. cmocka
programs count with each of their tests, programs that end in a line "N passed, N failed" with
those numbers, and all others as one. A program that fails without saying where (a crash, a leak
found at its end) is one failure more.
"""
import json
import re
import sys

CMOCKA = re.compile(r"^\[\s*(PASSED|FAILED|SKIPPED)\s*\] (?:.*: )?(\d+) test\(s\)", re.M)
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
SKIPPED_STATUS = 77
PASSED = re.compile(r"ok\b|\[ RUN |\[ +OK \]")
SHOWN = 60  # lines of output


def count(text):
    """(passed, failed, skipped) as the program itself tells, or None."""
    found = CMOCKA.findall(text)
    if found:
        total = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
        for state, number in found:
            total[state] += int(number)
        return total["PASSED"], total["FAILED"], total["SKIPPED"]
    found = SUMMARY.findall(text)
    if found:
        passed, failed, skipped = found[-1]
        return int(passed), int(failed), int(skipped or 0)
    return None


def show(lines, path):
    telling = [line for line in lines if not PASSED.match(line)][-SHOWN:]
    if len(telling) < len(lines):
        print(f"(all {len(lines)} lines are in {path.replace('.json', '.txt')})")
    print("\n".join(telling))


def main(path):
    total = [0, 0, 0]
    with open(path, encoding="utf-8", errors="replace") as log:
        runs = [json.loads(line) for line in log if line.strip()]
    for run in runs:
        text = run.get("stdout", "") + "\n" + run.get("stderr", "")
        good = run["result"] in ("OK", "EXPECTEDFAIL", "SKIP")
        if run["result"] == "SKIP" or run["returncode"] == SKIPPED_STATUS:
            numbers = (0, 0, 1)
        else:
            numbers = count(text) or (int(good), 0, 0)
        if not good:
            print(f"--- {run['name']}: {run['result']}, status {run['returncode']}")
            show(text.strip().splitlines(), path)
            numbers = (numbers[0], numbers[1] or 1, numbers[2])
        total = [a + b for a, b in zip(total, numbers)]
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
