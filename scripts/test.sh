#!/bin/sh
# What every change must pass: the build of gcc, its tests, and what can be read off the source, a line each.
# check.sh has the rest, which takes longer. The last line is the sum: every test, and one for each build and check.
. "$(dirname "$0")/counted.sh"

check "gcc builds it without warnings" env CC=gcc scripts/build.sh "$build" -Dtests=enabled &&
    tests "tests" "$build"
check "includes point one way" scripts/check_includes.py
check "headers compile alone, as C11 and as C++17" scripts/check_headers.sh
check "the library shows rf_ names alone" scripts/check_symbols.sh "$build"
check "the libraries keep what docs/abi.txt promises" scripts/abi.py "$build"
check "no banned functions, no branches on providers" scripts/check_words.py
sum_up
