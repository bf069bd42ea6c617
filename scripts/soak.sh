#!/bin/sh
# What takes too long for every run of the tests: large files in little memory, workers that are
# killed a hundred times, hang or talk nonsense; the hostile files once more; stores whose disk fails in
# every way at every write, and stores that many write to while the server is restarted, which takes minutes; and the
# gateway with upstreams that fail, and two of them on one database, for SOAK_SECONDS each, an hour.
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
echo "tests/gateway/soak.py"
REFRACT_WORKERS=$(cd "$build" && pwd)/worker python3 tests/gateway/soak.py "$build/refract" "${SOAK_SECONDS:-3600}" || status=1
echo "tests/gateway/soak_shared.py"
tests/store/with_postgres.py --own python3 tests/gateway/soak_shared.py "$build/refract" "${SOAK_SECONDS:-3600}" || status=1
exit $status
