#!/bin/sh
# Check the gateway with the vendors' own SDKs for Python, in front of the simulator: tests/gateway/sdks.py.
#
# They are packages at the versions of tests/gateway/packages.txt, which pip fetches once, into a folder below build/.
# After that no network is needed.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
packages=tests/gateway/packages.txt
python="$build/conformance/python"

skip() {
    echo "gateway: skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

if ! cmp -s $packages "$python/fetched"; then
    echo "gateway: fetching the vendors' SDKs with pip, once, into $python"
    rm -rf "$python"
    mkdir -p "$python"
    python3 -m venv "$python" >"$python.log" 2>&1 || skip "python3 has no venv (Debian: python3-venv)"
    "$python/bin/pip" install --quiet --retries 1 -r $packages >"$python.log" 2>&1 ||
        skip "pip could not fetch the packages: $(tail -n 1 "$python.log")"
    cp $packages "$python/fetched"
fi

scripts/setup.sh test
scripts/build.sh "$build" -Dtests=enabled >/dev/null
REFRACT_WORKERS=$(cd "$build" && pwd)/worker exec "$python/bin/python" tests/gateway/sdks.py "$build/refract"
