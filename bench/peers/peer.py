"""What the peers share: do a piece of work once, or once for each line that comes in.

    SCRIPT FILE...           once; the result goes to standard output
    SCRIPT --serve FILE...   a line "ready", then for each line of standard input the work, and a
                             line with the length of its result

Exit status 77: the library is not installed.
"""
import importlib
import sys


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        sys.exit(77)


def run(work):
    """`work` takes the arguments and returns bytes."""
    arguments = sys.argv[1:]
    if arguments[0] != "--serve":
        sys.stdout.buffer.write(work(*arguments))
        return
    print("ready", flush=True)
    for _ in sys.stdin:
        print(len(work(*arguments[1:])), flush=True)
