#!/usr/bin/env python3
"""What scripts/abi.py says where the list and the libraries differ, and what it accepts.

    test_abi.py PATH-OF-REFRACT

Each case changes the list: what that lacks is new in the libraries, and what it has more is gone.
Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("REFRACT_SOURCE", "."))
LIMIT_S = 1800
GONE = "function rf_gone@REFRACT_0.1: void (void)\n"


def abi(folder, path, *options):
    done = subprocess.run([SOURCE / "scripts/abi.py", folder, "--list", path, *options], text=True, timeout=LIMIT_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def without(text, line):
    """The list without a line, whose beginning is told."""
    less, count = re.subn(rf"^{re.escape(line)}.*\n", "", text, flags=re.MULTILINE)
    assert count == 1, line
    return less


def changed(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def shorter(text, name, size, last):
    """The list with a struct that is so large, and lacks its last member."""
    text = without(text, f"struct {name}.{last}: ")
    return re.sub(rf"^(struct {name}): \d+", rf"\1: {size}", text, flags=re.MULTILINE)


# Of a list that is right: the list of a case; what is said of it; whether it is accepted.
CASES = {
    "a list that is right": (lambda right: right, "", True),
    "a function that is new": (
        lambda right: without(right, "function rf_version@"), "new: function rf_version@REFRACT_0.1", True),
    "an enumerator that is new": (
        lambda right: without(right, "enum rf_code.RF_ESANDBOX"), "new: enum rf_code.RF_ESANDBOX", True),
    "a struct with its size grows": (
        lambda right: shorter(right, "rf_call", 56, "signature"), "new: struct rf_call: 72 bytes or more", True),
    "a struct for callbacks grows": (
        lambda right: shorter(right, "rf_probed", 40, "learned"), "new: struct rf_probed.learned: ", True),
    "a struct of the program's own grows": (
        lambda right: shorter(right, "rf_err", 1032, "path"), "broken: struct rf_err: 1032 bytes: is now 1192", False),
    "a function that is gone": (lambda right: right + GONE, "broken: function rf_gone@REFRACT_0.1", False),
    "a function of another version": (
        lambda right: changed(right, "rf_version@REFRACT_0.1", "rf_version@REFRACT_0.0"),
        "broken: function rf_version@REFRACT_0.0", False),
    "a function of another type": (
        lambda right: changed(right, "rf_version@REFRACT_0.1: const char *", "rf_version@REFRACT_0.1: char *"),
        "broken: function rf_version@REFRACT_0.1: char * (void): is now const char * (void)", False),
    "a member that moved": (
        lambda right: changed(right, "struct rf_str.n: size_t at 8", "struct rf_str.n: size_t at 16"),
        "broken: struct rf_str.n: size_t at 16: is now size_t at 8", False),
    "a value that changed": (
        lambda right: changed(right, "enum rf_code.RF_EUSAGE: 2", "enum rf_code.RF_EUSAGE: 3"),
        "broken: enum rf_code.RF_EUSAGE: 3: is now 2", False),
    "a constant that changed": (
        lambda right: changed(right, "constant RF_SESSION_ID_SIZE: 32", "constant RF_SESSION_ID_SIZE: 31"),
        "broken: constant RF_SESSION_ID_SIZE", False),
}


def problem(folder, path, right, row):
    change, words, accepted = row
    text = change(right)
    path.write_text(text)
    status, said = abi(folder, path)
    if status != bool(words) or words not in said or (words and "`make abi`" not in said):
        return f"it says, with status {status}: {said}"
    status, said = abi(folder, path, "--accept")
    if status == accepted or path.read_text() != (right if accepted else text):
        return f"accepting ends with status {status}: {said}"
    return None


def forced(folder, path, right):
    """What breaks is taken where no release had it, and by a library of another name."""
    for text, options in ((right, ["--unreleased"]), (right.replace("so.0", "so.1", 1), [])):
        path.write_text(text + GONE)
        status, said = abi(folder, path, "--accept", *options)
        if status or path.read_text() != right:
            return f"status {status}: {said}"
    return None


def main():
    folder, failed = pathlib.Path(sys.argv[1]).parent, 0
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "abi.txt"
        status, said = abi(folder, path, "--accept")
        if not path.exists():
            print(said)
            return status
        right = path.read_text()
        results = {name: problem(folder, path, right, row) for name, row in CASES.items()}
        results["a break that is meant"] = forced(folder, path, right)
    for name, why in results.items():
        failed += why is not None
        print(f"FAILED: {name}: {why}" if why else f"ok: {name}")
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
