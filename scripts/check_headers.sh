#!/bin/sh
# Check that every header compiles alone: public ones as C11 with gcc and clang and as C++17,
# strictly and without our feature macros; those of src/ and of the workers' frame as the library is
# compiled.
set -u
cd "$(dirname "$0")/.."

bad=0
alone() { # HEADER COMPILER...
    header=$1
    shift
    printf '#include <%s>\nextern int used;\n' "$header" |
        "$@" -Wall -Wextra -Werror -Iinclude -fsyntax-only - ||
        { echo "$header does not compile alone with: $*"; bad=1; }
}

for path in include/refract/*.h; do
    header=${path#include/}
    alone "$header" gcc -x c -std=c11 -pedantic
    alone "$header" clang -x c -std=c11 -pedantic
    alone "$header" g++ -x c++ -std=c++17 -pedantic
done
for path in worker/*.h; do
    alone "$path" gcc -x c -std=c17 -D_GNU_SOURCE -Isrc -I. -Wno-unused-function
done
libpq=$(pkg-config --cflags libpq 2>/dev/null)
for path in $(find src -name "*.h"); do
    # shellcheck disable=SC2086 # several words, or none
    alone "${path#src/}" gcc -x c -std=c17 -D_GNU_SOURCE -Isrc $libpq -Wno-unused-function
done
exit $bad
