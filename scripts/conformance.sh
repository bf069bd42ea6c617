#!/bin/sh
# Check bodies against the vendors' own SDK types, with the checker in $REFRACT_SHARED/check: the
# golden requests, recorded ones converted from each API to every other, recorded replies written as
# those of each API, and what the simulator answers. An endpoints.tsv beside requests says which
# dialect a folder is checked as.
# The checker and its packages are set up once, below build/; after that no network is needed.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
golden=tests/golden
check="$build/conformance/check"

bodies=$(find $golden -mindepth 2 -name '*.json' ! -path '*/in/*' | wc -l)
skip() {
    echo "conformance: skipped: $1"
    echo "0 passed, 0 failed, $bodies skipped"
    exit 0
}

[ -d "${REFRACT_SHARED:-}/check" ] || skip "the checker is not here (REFRACT_SHARED/check)"
scripts/setup.sh conformance
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"

if ! cmp -s "$REFRACT_SHARED/check/package-lock.json" "$check/node_modules/.lock"; then
    echo "conformance: fetching the vendors' SDK types with npm, once, into $check"
    rm -rf "$check"
    mkdir -p "$check"
    cp -R "$REFRACT_SHARED/check/." "$check/"
    chmod -R u+w "$check"
    (cd "$check" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >npm.log 2>&1) ||
        skip "npm could not fetch the packages: $(grep -i -m 1 '^npm err' "$check/npm.log")"
    cp "$check/package-lock.json" "$check/node_modules/.lock"
fi

log="$build/conformance/log"
passed=0 failed=0 skipped=0
tab=$(printf '\t')

# Check some bodies, and count them.
check() { # NAME, WHAT THEY CONFORM AS, ARGUMENTS OF THE CHECKER
    name=$1 as=$2
    shift 2
    status=0
    node "$check/check.mjs" "$@" >"$log" 2>&1 </dev/null || status=$?
    good=$(grep -c '^ok ' "$log" || true)
    bad=$(grep -c '^FAIL ' "$log" || true)
    [ $status = 0 ] || [ "$bad" != 0 ] || bad=1 # it could not read a body, or broke down
    passed=$((passed + good)) failed=$((failed + bad))
    if [ "$bad" = 0 ]; then
        echo "ok      $name: $good conform as $as"
    else
        echo "FAILED  $name: $bad do not conform as $as"
        awk '/^(ok|FAIL) / { bad = /^FAIL/ } /conform$/ { next } bad { print "    " $0 }' "$log"
    fi
}

# Check the bodies below a folder, as its endpoints.tsv says.
check_all() { # ROOT
    root=$1
    while IFS="$tab" read -r folder _ dialect model; do
        case "$folder" in '' | '#'* | folder) continue ;; esac
        set -- "$root/$folder"/*.json
        [ -f "$1" ] || { echo "FAILED  $folder: it has no bodies"; failed=$((failed + 1)); continue; }
        if [ "$dialect" = - ]; then
            echo "skipped $folder: the checker has no such dialect"
            skipped=$((skipped + $#))
            continue
        fi
        [ "$model" = - ] || set -- --model "$model" "$dialect" "$@"
        [ "$model" != - ] || set -- "$dialect" "$@"
        check "$folder" "$dialect" "$@"
    done <"$root/endpoints.tsv"
}

check_all "$golden"

# Recorded requests with media, converted from each API to every other.
if [ -d "$REFRACT_SHARED/recordings" ]; then
    converted="$build/conformance/converted"
    scripts/setup.sh build
    scripts/build.sh "$build" >/dev/null
    rm -rf "$converted"
    echo "conformance: converting the recorded requests into $converted"
    if python3 tests/recordings/requests.py "$build/refract" --out "$converted" >"$log" 2>&1; then
        check_all "$converted"
    else
        cat "$log"
        failed=$((failed + 1))
    fi
fi

# Recorded replies, written as those of every API.
if [ -d "$REFRACT_SHARED/recordings" ]; then
    replies="$build/conformance/replies"
    rm -rf "$replies"
    echo "conformance: writing the recorded replies into $replies"
    python3 tests/recordings/respond.py "$build/refract" "$replies" || failed=$((failed + 1))
    # The lists name the dialect of each file: dialect:path. No path has a space.
    check 'whole replies' 'what each API sends' --reply - $(cat "$replies/whole.files")
    check 'streams' 'what each API sends' --reply-stream - $(cat "$replies/stream.files")
    check 'errors' 'what each API sends' --reply --error - $(cat "$replies/error.files")
    check 'streams that fail' 'what each API sends' --reply-stream --error - \
        $(cat "$replies/broken.files")
fi

# What the simulator answers.
simulated="$build/conformance/simulated"
scripts/build.sh "$build" >/dev/null
rm -rf "$simulated"
echo "conformance: asking the simulator into $simulated"
python3 tests/recordings/simulated.py "$build/refract" "$simulated" || failed=$((failed + 1))
check "the simulator's replies" 'what each API sends' --reply - $(cat "$simulated/whole.files")
check "the simulator's streams" 'what each API sends' --reply-stream - \
    $(cat "$simulated/stream.files")
check "the simulator's errors" 'what each API sends' --reply --error - \
    $(cat "$simulated/error.files")

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
