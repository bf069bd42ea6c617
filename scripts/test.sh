#!/bin/sh
# Everything that must hold, a line each; details only of what fails. The last line is the sum:
# every test of both builds, and one for each build, check and run under valgrind.
set -u
cd "$(dirname "$0")/.."

build=${BUILD:-build}
sanitized="$build/sanitize"
threaded="$build/threads"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

line() { # STATE WHAT
    printf '%-7s %s\n' "$1" "$2"
}

# Run a command; it is one check.
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        line ok "$what"
        passed=$((passed + 1))
    else
        line FAILED "$what"
        sed 's/^/    /' "$log"
        failed=$((failed + 1))
        return 1
    fi
}

# Run the tests of a build folder; each of them counts. One PostgreSQL server is there for all.
tests() { # WHAT FOLDER
    rm -f "$2/meson-logs/testlog.json"
    tests/store/with_postgres.py meson test -C "$2" --no-rebuild --quiet >"$log" 2>&1
    status=$?
    if [ ! -f "$2/meson-logs/testlog.json" ]; then
        check "$1" sh -c "cat '$log'; exit 1"
        return
    fi
    scripts/count_tests.py "$2/meson-logs/testlog.json" >"$log"
    counted=$?
    sum=$(tail -n 1 "$log")
    set -- "$1" $(echo "$sum" | tr -dc '0-9 ')
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    if [ $status = 0 ] && [ $counted = 0 ]; then
        line ok "$1: $sum"
    else
        line FAILED "$1: $sum"
        sed 's/^/    /' "$log"
    fi
}

check "gcc builds it without warnings" env CC=gcc scripts/build.sh "$build" -Dtests=enabled &&
    tests "tests" "$build"
check "clang builds it without warnings" env CC=clang scripts/build.sh "$sanitized" \
    -Dtests=enabled -Db_sanitize=address,undefined -Db_lundef=false &&
    tests "tests with ASan and UBSan" "$sanitized"
# The chat has two threads; its files are read by the workers of the first build.
check "clang builds the program with TSan" env CC=clang scripts/build.sh "$threaded" \
    -Dtests=disabled -Dworkers=disabled -Db_sanitize=thread -Db_lundef=false &&
    check "TSan finds nothing in a chat" env TSAN_OPTIONS=halt_on_error=1 \
        REFRACT_WORKERS="$(cd "$build" && pwd)/worker" \
        python3 tests/terminal/test_chat.py "$threaded/refract"

check "includes point one way" scripts/check_includes.py
check "headers compile alone, as C11 and as C++17" scripts/check_headers.sh
check "the library shows rf_ names alone" scripts/check_symbols.sh "$build"
check "no banned functions, no branches on providers" scripts/check_words.py
check "valgrind finds nothing" scripts/valgrind.sh "$build"

[ -n "${REFRACT_SHARED:-}" ] ||
    line note "REFRACT_SHARED is not set: tests over its files were skipped"
if [ $skipped = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ $failed = 0 ]
