#!/bin/sh
# Build the Debian packages of what is in this folder, committed or not: deb.sh FOLDER
# They are left in FOLDER. Needs what debian/control names; `scripts/setup.sh deb` installs it.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
source=$out/source

rm -rf "$source" "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
mkdir "$source"
# What is in the folder, without what was built in it.
git ls-files -z --cached --others --exclude-standard >"$out/files"
tar --null -T "$out/files" --ignore-failed-read -cf "$out/source.tar"
tar -xf "$out/source.tar" -C "$source"
rm "$out/files" "$out/source.tar"
cd "$source"
DEB_BUILD_OPTIONS="nocheck noddebs parallel=$(nproc)" \
    dpkg-buildpackage --build=binary --no-sign --jobs-try="$(nproc)" >"$out/build.log" 2>&1 || {
    tail -n 40 "$out/build.log" >&2
    echo "refract: the packages could not be built; all of it is in $out/build.log" >&2
    exit 1
}
cd "$out"
rm -rf "$source"
for package in *.deb; do
    printf '%s: %s KB\n' "$package" "$(($(stat -c %s "$package") / 1000))"
done
