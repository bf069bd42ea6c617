#!/bin/sh
# Check what the libraries of a build folder show: check_symbols.sh FOLDER
# All that librefract and librefract-sim export starts with rf_ and is in a public header,
# librefract-sim's in sim.h, or is marked RF_SHARED, which librefract shows to librefract-sim alone
# and under a version of its own; all that the public headers declare is exported, and nothing global
# inside has another prefix. No variable of a thread is allocated at its first use, as in a library
# that is loaded late unless src/base/thread.h declares it: whoever starts the next thread gives it
# back, which ThreadSanitizer takes for a race and ends the program for.
set -u
cd "$(dirname "$0")/.."

folder=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
say() { # MESSAGE, with names on standard input
    while read -r name; do
        echo "$name: $1"
        bad=1
    done
}
# MARK HEADER...: from the mark to the name before the first parenthesis or semicolon, wherever the
# line breaks are.
marked() {
    mark=$1
    shift
    cat "$@" | sed '/^ *#/d' | tr '\n' ' ' | sed "s/$mark/\n&/g" |
        sed -n "s/^$mark[^(;]*[ *]\([a-zA-Z0-9_]*\)[(;].*/\1/p" | sort -u
}
# LIBRARY: NAME@@VERSION of each function that it shows; the versions themselves are symbols, too.
shown() {
    nm -D --defined-only --with-symbol-versions "$folder/$1.so" | awk '$2 != "A" { print $NF }' |
        sort -u
}
library() { # NAME VERSION, with the names that it should export on standard input
    cat >"$tmp/declared"
    shown "$1" | grep -v '@@REFRACT_PRIVATE$' >"$tmp/versioned"
    grep -v "@@$2\$" "$tmp/versioned" >"$tmp/foreign"
    say "exported by $1 without its version $2" <"$tmp/foreign"
    sed 's/@.*//' "$tmp/versioned" | sort -u >"$tmp/exported"
    nm --defined-only "$folder/$1-core.a" 2>/dev/null |
        awk 'NF == 3 && $2 ~ /[A-TV-Z]/ { print $3 }' | sort -u >"$tmp/global"
    [ -s "$tmp/exported" ] || { echo "$folder/$1.so exports nothing"; bad=1; }
    grep -v '^rf_' "$tmp/exported" >"$tmp/foreign"
    say "exported by $1 without the prefix rf_" <"$tmp/foreign"
    grep -v '^rf_' "$tmp/global" >"$tmp/foreign"
    say "global inside $1 without the prefix rf_; make it static" <"$tmp/foreign"
    comm -23 "$tmp/exported" "$tmp/declared" >"$tmp/extra"
    say "exported by $1, but no public header declares it" <"$tmp/extra"
    comm -13 "$tmp/exported" "$tmp/declared" >"$tmp/absent"
    say "declared in a public header, but $1 does not export it" <"$tmp/absent"
}

for name in librefract librefract-sim; do
    readelf --relocs --wide "$folder/$name.so" | grep -E 'DTPMOD|TLSDESC' | awk '{ print $3 }' \
        >"$tmp/late"
    say "$name has variables of threads that are allocated late; declare them RF_THREAD_LOCAL" <"$tmp/late"
done
marked RF_SHARED src/*/*.h >"$tmp/shared"
marked RF_API include/refract/sim.h >"$tmp/sim"
marked RF_API include/refract/*.h | comm -23 - "$tmp/sim" >"$tmp/core"
library librefract REFRACT_0.1 <"$tmp/core"
library librefract-sim REFRACT_SIM_0.1 <"$tmp/sim"
shown librefract | sed -n 's/@@REFRACT_PRIVATE$//p' >"$tmp/private"
comm -3 "$tmp/private" "$tmp/shared" | tr -d '\t' >"$tmp/foreign"
say "marked RF_SHARED, or REFRACT_PRIVATE in src/librefract.map, but not both" <"$tmp/foreign"
nm -D --undefined-only "$folder/librefract-sim.so" | awk '{ print $NF }' | sed 's/@.*//' |
    sort -u >"$tmp/taken"
comm -13 "$tmp/taken" "$tmp/shared" >"$tmp/absent"
say "shared, but librefract-sim has one of its own" <"$tmp/absent"
exit $bad
