#!/bin/sh
# Build the benchmarks and run them one after the other. Fails when one of them misses a goal.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}/bench
mkdir -p "$build"
peers=$(cd "$build" && pwd)/peers
scripts/peers.sh "$peers"
export PKG_CONFIG_PATH="$peers/yyjson${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PYTHONPATH="$peers/python/PyMuPDF:$peers/python/pypdfium2" NODE_PATH="$peers/node/node_modules"
scripts/build.sh "$build" -Dbench=true -Dtests=disabled

# The peers are Debian's packages, which are for the system's Python.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" bench/make_inputs.py "$build/bench/inputs"

json="$build/bench.json"
rm -f "$json"
status=0
for source in bench/bench_*.c; do
    echo
    "$build/bench/$(basename "$source" .c)" --json "$json" || status=1
done
if [ -e "$build/bench/bench_ask" ]; then # it can call a server
    echo
    REFRACT_WORKERS="$build/worker" "$python" bench/bench_chat.py "$build/refract" --json "$json" || status=1
fi
echo
echo "The same as JSON, a line each: $json"
exit $status
