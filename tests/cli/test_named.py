#!/usr/bin/env python3
"""Files as a person names them: parts, references, web addresses, the clipboard, passwords. Driven through the program,
with the model in it and a small server on this machine.

    test_named.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import sys
import zipfile

from test_ask import FIXTURES, run_cases
from test_cli import expect
from test_read import media_fixtures

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


# Parts.


@case("lines and members are attached and referred to by the same names")
def _(t):
    t.write("hello.py", "".join(f"line {i}\n" for i in range(1, 61)))
    with zipfile.ZipFile(t.folder / "bundle.zip", "w") as z:
        z.writestr("data.csv", "a,b\n1,2\n")
    done = t.ask("-m", "offline", "-a", "hello.py#L10-12", "-a", "bundle.zip#data.csv", "What?")
    expect(b"line 10" in done.out and b"line 13" not in done.out and b"1,2" in done.out, done.out)
    expect("+ hello.py#L10-12" in done.err and "+ data.csv" in done.err, done.err)
    for name in ("hello.py#L10-12", "bundle.zip#data.csv"):
        done = t.ask("-m", "offline", f"What is in @{name}?")
        expect(f"~ {name.split('#')[0]}" in done.err and f"> read_file {name} " in done.err, done.err)
        expect((b"line 10" in done.out) == ("hello" in name) and b"line 13" not in done.out, done.out)
    done = t.ask("-m", "offline", "-a", "hello.py#lines=3", "What?", status=2)
    expect("lines are named with #L10-40" in done.err, done.err)


@case("a stretch of a film goes as frames, and as sound to a model that hears")
def _(t):
    picture = (FIXTURES / "blue.jpg").read_bytes()
    t.write("clip.avi", media_fixtures.avi([picture] * 6, 8, bytes(range(0, 240, 5)) * 1000))
    done = t.ask("-m", "offline", "-a", "clip.avi#t=2-4", "What?")
    expect("+ clip.avi at 3.0 s" in done.err and "+ clip.avi at 4.0 s" in done.err, done.err)
    expect(done.out.count(b"image/jpeg 8x8") == 2 and b"audio/wav" in done.out, done.out)


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
