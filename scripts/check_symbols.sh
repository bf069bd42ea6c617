#!/bin/sh
# Check what the libraries of a build folder show: check_symbols.sh FOLDER
# All that librefract exports starts with rf_ and stands in a public header, all that the public
# headers declare is exported, and nothing global inside has another prefix.
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

nm -D --defined-only "$folder/librefract.so" | awk '{ print $NF }' | sort -u >"$tmp/exported"
nm --defined-only "$folder/librefract-core.a" 2>/dev/null |
    awk 'NF == 3 && $2 ~ /[A-TV-Z]/ { print $3 }' | sort -u >"$tmp/global"
# From RF_API to the name before the first parenthesis or semicolon, wherever the line breaks are.
cat include/refract/*.h | sed '/^ *#/d' | tr '\n' ' ' | sed 's/RF_API/\n&/g' |
    sed -n 's/^RF_API[^(;]*[ *]\([a-zA-Z0-9_]*\)[(;].*/\1/p' | sort -u >"$tmp/declared"

[ -s "$tmp/exported" ] || { echo "$folder/librefract.so exports nothing"; bad=1; }
grep -v '^rf_' "$tmp/exported" >"$tmp/foreign"
say "exported without the prefix rf_" <"$tmp/foreign"
grep -v '^rf_' "$tmp/global" >"$tmp/foreign"
say "global inside the library without the prefix rf_; make it static" <"$tmp/foreign"
comm -23 "$tmp/exported" "$tmp/declared" >"$tmp/extra"
say "exported, but no public header declares it" <"$tmp/extra"
comm -13 "$tmp/exported" "$tmp/declared" >"$tmp/absent"
say "declared in a public header, but not exported" <"$tmp/absent"
exit $bad
