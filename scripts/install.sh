#!/bin/sh
# Build for a prefix and install: install.sh BUILD PREFIX. DESTDIR is put before every path.
set -eu
cd "$(dirname "$0")/.."

ONLY=installed scripts/build.sh "$1" --prefix="$2"
meson install -C "$1" --no-rebuild --quiet
[ -n "${DESTDIR:-}" ] || [ "$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig
echo "installed to ${DESTDIR:-}$2; \"make uninstall\" takes it away again"
