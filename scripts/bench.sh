#!/bin/sh
# Build the benchmarks and run them one after the other. One that misses a goal is run again, up to
# twice, since the machine may have been busy; it fails when one misses a goal each time.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}/bench
mkdir -p "$build"
peers=$(cd "$build" && pwd)/peers
scripts/bench_peers.sh "$peers"
export PKG_CONFIG_PATH="$peers/yyjson${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PYTHONPATH="$peers/python/PyMuPDF:$peers/python/pypdfium2" NODE_PATH="$peers/node/node_modules"
[ ! -e "$peers/nginx/usr/sbin/nginx" ] || export BENCH_NGINX="$peers/nginx/usr/sbin/nginx"
scripts/optimized.sh "$build" -Dbench=true -Dtests=disabled

# The peers are Debian's packages, which are for the system's Python.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" bench/make_inputs.py "$build/bench/inputs"

json="$build/bench.json"
rm -f "$json"
status=0

measure() { # COMMAND...: its rows go to the JSON file once, those of the last time
    for again in "measured again" "measured once more" ""; do
        echo
        rm -f "$json.part"
        result=0
        "$@" --json "$json.part" || result=$?
        [ "$result" = 1 ] && [ -n "$again" ] || break # any other result is not a missed goal
        echo "a goal was missed: $again"
    done
    [ "$result" = 0 ] || status=1
    cat "$json.part" >>"$json" 2>/dev/null || true
    rm -f "$json.part"
}

for source in bench/bench_*.c; do
    measure "$build/bench/$(basename "$source" .c)"
done
if [ -e "$build/bench/bench_ask" ]; then # it can call a server
    export REFRACT_WORKERS="$build/worker"
    measure "$python" bench/bench_chat.py "$build/refract"
    echo
    "$python" bench/bench_page.py "$build/refract"
fi
echo
echo "The same as JSON, a line each: $json"
exit $status
