#!/bin/sh
# Take away what `make install` of this build installed: uninstall.sh BUILD
# Of folders, those that the installation made and those named after us go with them once they are empty.
set -eu
cd "$(dirname "$0")/.."
log=$1/meson-logs/install-log.txt

if [ ! -f "$log" ]; then
    echo "refract: nothing was installed from $1/" >&2
    exit 1
fi
sed '/^#/d' "$log" | tac | while IFS= read -r path; do
    if [ -d "$path" ] && [ ! -L "$path" ]; then
        rmdir "$path" 2>/dev/null || true
        continue
    fi
    rm -f "$path"
    folder=$(dirname "$path")
    [ "$(basename "$folder")" != refract ] || rmdir "$folder" 2>/dev/null || true
done
rm -f "$log"
[ "$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig
