#!/bin/sh
# What takes too long for every run of the tests: large files in little memory, workers that are
# killed a hundred times, hang or talk nonsense; the hostile files once more; stores whose disk fails in
# every way at every write, and stores that many write to while the server is restarted. Takes minutes.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}
scripts/build.sh "$build" -Dtests=enabled
export PYTHONDONTWRITEBYTECODE=1
status=0
for script in large hostile; do
    echo "tests/hostile/$script.py"
    python3 "tests/hostile/$script.py" "$build/refract" || status=1
done
echo "tests/store/crash.py"
REFRACT_SOAK=1 python3 tests/store/crash.py "$build/tests/store_crash" \
    "$build/tests/libstore_fault.so" || status=1
echo "tests/store/test_stress.c"
tests/store/with_postgres.py --own "$build/tests/store_test_stress" || status=1
exit $status
