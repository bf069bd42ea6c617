#!/bin/sh
# Check MCP against the official tools: the inspector, the SDKs' clients and the conformance suite's required sets
# against `refract mcp`, and our client against the suite, server-everything, server-filesystem and, where it is there, the
# reference server of $REFRACT_SHARED/mcp. tests/mcp/official.py runs them.
#
# They are npm packages at the versions of tests/mcp/packages/, and Node 24, which comes from npm too; all of it is set up
# once, below build/. After that no network is needed.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
packages=tests/mcp/packages
mcp="$build/conformance/mcp"

skip() {
    echo "mcp: skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

fetch() { # NAME: what packages/NAME.txt lists, into a folder of that name
    cmp -s "$packages/$1.txt" "$mcp/$1/fetched" && return
    echo "mcp: fetching the official tools with npm ($1), once, into $mcp/$1"
    rm -rf "${mcp:?}/$1"
    mkdir -p "$mcp/$1"
    echo '{"private": true}' >"$mcp/$1/package.json"
    # shellcheck disable=SC2046 # a list of names
    npm install --no-audit --no-fund --ignore-scripts --fetch-retries=1 --prefix "$mcp/$1" \
        $(cat "$packages/$1.txt") >"$mcp/$1.log" 2>&1 ||
        skip "npm could not fetch the packages: $(grep -i -m 1 '^npm err' "$mcp/$1.log")"
    cp "$packages/$1.txt" "$mcp/$1/fetched"
}

[ "$(uname -sm)" = "Linux x86_64" ] || skip "npm has the Node that they need for Linux on x86-64 only"
scripts/setup.sh conformance
command -v npm >/dev/null || skip "npm is not installed"
fetch node
fetch tools

scripts/setup.sh test
scripts/build.sh "$build" -Dtests=enabled >/dev/null
REFRACT_WORKERS=$(cd "$build" && pwd)/worker exec python3 tests/mcp/official.py "$build" "$mcp"
