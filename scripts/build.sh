#!/bin/sh
# Configure a build folder where that has not been done, and build it: build.sh FOLDER [OPTION]...
# Options are meson's; a folder that was configured with other ones is configured again. With ONLY=installed, no more is
# built than what an installation has: no tests, no examples.
set -eu
cd "$(dirname "$0")/.."

folder=$1
shift
stamp="$folder/.options"

if [ ! -f "$folder/build.ninja" ]; then
    rm -rf "$folder/meson-private" # what an interrupted set-up left
    meson setup "$folder" "$@"
    printf '%s\n' "$*" >"$stamp"
elif [ $# != 0 ] && [ "$(cat "$stamp" 2>/dev/null)" != "$*" ]; then
    meson configure "$folder" "$@" # "setup --reconfigure" of Meson 1.0 forgets options that begin with b_
    printf '%s\n' "$*" >"$stamp"
fi
[ "${ONLY:-}" = installed ] || exec ninja -C "$folder"
# shellcheck disable=SC2046 # a word each
ninja -C "$folder" $(meson introspect --targets "$folder" | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    for path in target["filename"] if target["installed"] else []:
        print(os.path.relpath(path, sys.argv[1]))' "$folder")
