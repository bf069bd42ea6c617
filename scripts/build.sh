#!/bin/sh
# Configure a build folder where that has not been done, and build it: build.sh FOLDER [OPTION]...
# Options are meson's; a folder that was configured with other ones is configured again.
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
    meson setup --reconfigure "$folder" "$@"
    printf '%s\n' "$*" >"$stamp"
fi
ninja -C "$folder"
