# Shared by test.sh and check.sh, which source this: a line for each check, details only of what fails, and the
# sum at the end.
set -u
cd "$(dirname "$0")/.."

build=${BUILD:-build}
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

# Run the tests of a build folder; each of them counts. One PostgreSQL server is there for all. Many wait more than they
# work, so that there is one more at a time than there are processors.
tests() { # WHAT FOLDER
    rm -f "$2/meson-logs/testlog.json"
    tests/store/with_postgres.py meson test -C "$2" --no-rebuild --quiet \
        --num-processes $(($(getconf _NPROCESSORS_ONLN) + 1)) >"$log" 2>&1
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

# The last line, and the status to end with.
sum_up() {
    [ -n "${REFRACT_SHARED:-}" ] ||
        line note "REFRACT_SHARED is not set: tests over its files were skipped"
    if [ $skipped = 0 ]; then
        echo "$passed passed, $failed failed"
    else
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ $failed = 0 ]
}
