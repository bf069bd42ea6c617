#!/bin/sh
# Rewrite the golden files, and the picture in the README, from what the code does now.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
scripts/build.sh "$build"
export PYTHONDONTWRITEBYTECODE=1
python3 tests/golden/golden.py "$build/refract" --bless
# shellcheck disable=SC2086 # a list of names
COLUMNS=100 "$build/refract" deliveries $FILES >"$build/run.txt"
python3 scripts/picture.py "make deliveries" <"$build/run.txt" >"$build/run.svg"
cp "$build/run.svg" docs/run.svg
echo "Now read the difference: git diff --stat tests/golden docs"
