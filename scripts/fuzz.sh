#!/bin/sh
# Run every fuzz target for FUZZ_SECONDS, from its seeds in fuzz/corpus and what earlier runs found
# below build/. A crash is kept there too, and its file is named. A target of a worker's family is only
# there where the family's libraries are; a crash inside one of those is theirs.
set -u
cd "$(dirname "$0")/.."

build=${BUILD:-build}/fuzz
seconds=${FUZZ_SECONDS:-60}
CC=clang scripts/build.sh "$build" -Dfuzz=true -Db_lundef=false || exit 1

passed=0 failed=0 skipped=0
for path in fuzz/fuzz_*.c; do
    target=$(basename "$path" .c)
    if [ ! -x "$build/fuzz/$target" ]; then
        echo "skipped $target: the libraries that it needs are not installed"
        skipped=$((skipped + 1))
        continue
    fi
    seeds=fuzz/corpus/${target#fuzz_}
    found="$build/found/$target"
    log="$build/$target.log"
    mkdir -p "$found"
    case $target in
    fuzz_content | fuzz_plan) words=-dict=fuzz/neutral.dict ;;
    fuzz_office) words=-dict=fuzz/office.dict ;;
    *) words= ;;
    esac
    case $target in
    fuzz_image | fuzz_pdf) leaks=0 ;; # libxml2 and poppler leak when a file is broken
    *) leaks=1 ;;
    esac
    export ASAN_OPTIONS=detect_leaks=$leaks
    # shellcheck disable=SC2086 # no word where there is no dictionary
    if "$build/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 $words \
        -artifact_prefix="$build/crash-$target-" "$found" "$seeds" >"$log" 2>&1; then
        echo "ok      $target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1 runs/p' "$log")"
        passed=$((passed + 1))
    else
        echo "FAILED  $target: see $log"
        grep -E 'ERROR|SUMMARY|Test unit written' "$log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
if [ $skipped = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ $failed = 0 ]
