#!/bin/sh
# What test.sh leaves out because it takes longer: the tests again under the sanitizers of clang, and some under
# valgrind, a line each. The last line is the sum: every test, and one for each build and check.
. "$(dirname "$0")/counted.sh"

sanitized="$build/sanitize"
threaded="$build/threads"

# The benchmarks are built here, without running, with what is installed of other libraries: in gcc's build they would
# lie in the folder of bench.sh.
check "clang builds it without warnings, benchmarks too" env CC=clang scripts/build.sh "$sanitized" \
    -Dtests=enabled -Dbench=true -Db_sanitize=address,undefined -Db_lundef=false &&
    tests "tests with ASan and UBSan" "$sanitized"
check "gcc builds what valgrind runs" env CC=gcc scripts/build.sh "$build" -Dtests=enabled &&
    check "valgrind finds nothing" scripts/valgrind.sh "$build"
# A chat has two threads and a gateway several; their files are read by the workers of gcc's build.
check "clang builds the program with TSan" env CC=clang scripts/build.sh "$threaded" \
    -Dtests=disabled -Dworkers=disabled -Db_sanitize=thread -Db_lundef=false &&
    for what in terminal/test_chat gateway/test_serve gateway/test_route gateway/test_keys gateway/test_ops \
        page/test_page_api; do
        check "TSan finds nothing in $what" env TSAN_OPTIONS=halt_on_error=1 \
            REFRACT_WORKERS="$(cd "$build" && pwd)/worker" \
            python3 "tests/$what.py" "$threaded/refract"
    done
sum_up
