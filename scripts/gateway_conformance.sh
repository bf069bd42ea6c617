#!/bin/sh
# Check the gateway with the vendors' own SDKs, in front of the simulator: those for Python (tests/gateway/sdks.py),
# those for JavaScript and Vercel's ai (tests/gateway/sdks.mjs); and the bodies and replies of its table of translations
# (tests/gateway/test_table.py) with the checker in $REFRACT_SHARED/check, where conformance.sh has set it up.
#
# They are packages at the versions of tests/gateway/packages*.txt, which pip and npm fetch once, into folders below
# build/. After that no network is needed.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
python="$build/conformance/python"
node="$build/conformance/node"
check="$build/conformance/check"
table="$build/conformance/table"
passed=0 failed=0 skipped=0

skip() {
    echo "skipped gateway: $1"
    skipped=$((skipped + 1))
}

fetch_python() {
    packages=tests/gateway/packages.txt
    cmp -s $packages "$python/fetched" && return 0
    echo "gateway: fetching the vendors' SDKs with pip, once, into $python"
    rm -rf "$python"
    mkdir -p "$python"
    python3 -m venv "$python" >"$python.log" 2>&1 &&
        "$python/bin/pip" install --quiet --retries 1 -r $packages >"$python.log" 2>&1 &&
        cp $packages "$python/fetched"
}

fetch_node() {
    packages=tests/gateway/packages_js.txt
    cmp -s $packages "$node/fetched" && return 0
    echo "gateway: fetching the vendors' SDKs with npm, once, into $node"
    rm -rf "$node"
    mkdir -p "$node"
    echo '{"private": true}' >"$node/package.json"
    # shellcheck disable=SC2046 # a list of names
    npm install --no-audit --no-fund --ignore-scripts --fetch-retries=1 --prefix "$node" \
        $(cat $packages) >"$node.log" 2>&1 && cp $packages "$node/fetched"
}

# Run something that ends with "N passed, N failed", and count.
count() { # COMMAND…
    log="$build/conformance/gateway.log"
    "$@" >"$log" 2>&1 || true
    cat "$log"
    good=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$log")
    bad=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$log")
    passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
}

# The checker on what the table kept.
check_table() {
    rm -rf "$table"
    REFRACT_TABLE="$table" python3 tests/gateway/test_table.py "$build/refract" >"$build/conformance/gateway.log" 2>&1 ||
        { tail -n 3 "$build/conformance/gateway.log"; failed=$((failed + 1)); }
    for kind in request whole stream; do
        option=
        [ $kind = request ] || option=--reply
        [ $kind != stream ] || option=--reply-stream
        for folder in "$table/$kind"/*; do
            dialect=$(basename "$folder")
            case $kind-$dialect in request-mistral | request-cohere) continue ;; esac # it has no such types
            log="$build/conformance/gateway.log"
            # shellcheck disable=SC2086 # no word where it is a request
            node "$check/check.mjs" --no-roundtrip $option "$dialect" "$folder"/* >"$log" 2>&1 </dev/null || true
            good=$(grep -c '^ok ' "$log" || true) bad=$(grep -c '^FAIL ' "$log" || true)
            passed=$((passed + good)) failed=$((failed + bad))
            if [ "$bad" = 0 ] && [ "$good" != 0 ]; then
                echo "ok      table, $kind: $good conform as $dialect"
            else
                echo "FAILED  table, $kind: $bad do not conform as $dialect"
                grep -A 3 '^FAIL ' "$log" | head -n 40
            fi
        done
    done
}

scripts/setup.sh test
scripts/build.sh "$build" -Dtests=enabled >/dev/null
REFRACT_WORKERS=$(cd "$build" && pwd)/worker
export REFRACT_WORKERS

if fetch_python; then
    count "$python/bin/python" tests/gateway/sdks.py "$build/refract"
else
    skip "pip could not fetch the packages: $(tail -n 1 "$python.log")"
fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip "node and npm are not installed"
elif fetch_node; then
    count python3 tests/gateway/sdks_js.py "$build/refract" "$node"
else
    skip "npm could not fetch the packages: $(tail -n 1 "$node.log")"
fi
if [ -d "$check/node_modules" ]; then
    check_table
else
    skip "the checker is not set up (REFRACT_SHARED/check)"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
