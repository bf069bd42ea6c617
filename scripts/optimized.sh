#!/bin/sh
# Build a folder as packages are built: optimized.sh FOLDER [OPTION]...
#
# It is built twice. The first build counts what becomes of requests, with the gateway's table of translations: every API
# to every other. The second is laid out by those counts, and across files. Options are meson's. Compilers other than gcc
# keep their counts in other ways: with them, the folder is built once and as ever, and that is said.
set -eu
cd "$(dirname "$0")/.."

folder=$1
shift
if ! ${CC:-cc} -v 2>&1 | grep -q '^gcc version'; then
    echo "optimized.sh: ${CC:-cc} is not gcc: built without counts" >&2
    exec scripts/build.sh "$folder" "$@"
fi

second="-Db_lto=true -Db_pgo=use"
[ "$(cat "$folder/.options" 2>/dev/null)" = "${*:+$* }$second" ] && ninja -C "$folder" -n | grep -q 'no work to do' && exit
# The counts of another state of the sources mean nothing.
find "$folder" -name '*.gcda' -delete 2>/dev/null || true
ONLY=installed scripts/build.sh "$folder" "$@" -Db_lto=true -Db_pgo=generate
REFRACT_WORKERS=$(cd "$folder" && pwd)/worker python3 tests/gateway/test_table.py "$folder/refract" \
    >"$folder/training.log" 2>&1 || true
echo "counted what becomes of requests: $(tail -n 1 "$folder/training.log")"
find "$folder" -name '*.gcda' | grep -q . || {
    echo "optimized.sh: nothing was counted; $folder/training.log says why" >&2
    exit 1
}
# shellcheck disable=SC2086 # a word each
scripts/build.sh "$folder" "$@" $second
