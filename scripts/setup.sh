#!/bin/sh
# Install the system packages for a purpose: setup.sh build|test|check|deb|check-deb|fuzz|bench|docs|format|conformance|peers
#
# Says what it is going to install before it does, uses sudo only when it is not root, and asks the
# network for nothing when nothing is missing. On a system without dpkg it names what is needed and
# goes on: the build then says what it did not find. REFRACT_SETUP=0 leaves the system alone.
set -eu

build="gcc libc6-dev meson ninja-build pkgconf python3 libyaml-dev libssl-dev
libsqlite3-dev libpq-dev libcurl4-openssl-dev libmicrohttpd-dev libnghttp2-dev libedit-dev libxxhash-dev"
# What the programs that read files stand on; each is built where its libraries are.
build="$build libseccomp-dev libvips-dev libheif-dev libchafa-dev libtiff-dev libopenjp2-7-dev libpoppler-glib-dev libqpdf-dev
libjpeg-dev libdeflate-dev zlib1g-dev libzip-dev libexpat1-dev libarchive-dev libdjvulibre-dev libuchardet-dev libavformat-dev
libavcodec-dev libswscale-dev libswresample-dev libtesseract-dev libleptonica-dev tesseract-ocr-eng fonts-urw-base35 poppler-data"
# Ghostscript is loaded where it is there, and never linked.
test="$build clang g++ libcmocka-dev libgs10 postgresql openssl tmux bash-completion zsh fish chromium chromium-driver"
peers="python3-pil python3-pypdf python3-docx python3-openpyxl poppler-utils python3-pip"

case "${1:-}" in
build) want="$build" ;;
test) want="$test" ;;
check) want="$test CLANG_RUNTIME valgrind" ;;
deb) want="$build build-essential debhelper dpkg-dev git" ;;
check-deb) want="debootstrap apt-utils" ;;
fuzz) want="$build clang CLANG_RUNTIME" ;;
bench) want="$build libjansson-dev libcjson-dev curl $peers"; command -v npm >/dev/null || want="$want nodejs npm" ;;
docs) want="$build chromium chromium-driver python3-pil fonts-dejavu-core fonts-dejavu-extra" ;;
format) want="clang-format" ;;
peers)
    want="$build build-essential cmake python3-venv"
    command -v npm >/dev/null || want="$want nodejs npm"
    command -v go >/dev/null || want="$want golang-go"
    ;;
conformance) want=""; command -v npm >/dev/null || want="nodejs npm" ;;
*) echo "usage: $0 build|test|check|deb|check-deb|fuzz|bench|docs|format|conformance|peers" >&2; exit 2 ;;
esac

[ "${REFRACT_SETUP:-1}" != 0 ] || exit 0

if ! command -v dpkg-query >/dev/null; then
    shown=$(echo "$want" | sed 's/CLANG_RUNTIME/compiler-rt (the sanitizers of clang)/')
    [ -z "$want" ] ||
        echo "refract needs these packages, as Debian names them; please have them there: $shown"
    exit 0
fi

installed() {
    dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Debian keeps the sanitizers of clang in a package named after clang's version.
clang_runtime() {
    { dpkg-query -W -f='${Depends}\n' clang 2>/dev/null || apt-cache depends clang; } |
        sed -n 's/.*clang-\([0-9][0-9]*\).*/libclang-rt-\1-dev/p' | head -n 1
}

missing=""
for package in $want; do
    if [ "$package" = CLANG_RUNTIME ]; then
        runtime=$(clang_runtime)
        package=${runtime:-CLANG_RUNTIME}
    fi
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

shown=$(echo "$missing" | sed 's/CLANG_RUNTIME/libclang-rt-dev (of the same version)/; s/^ //')
echo "refract needs these system packages: $shown; installing them with apt-get"

sudo=""
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null; then
        echo "refract: not root, and there is no sudo: please install them, then try again" >&2
        exit 1
    fi
fi

$sudo apt-get update -q
case "$missing" in
*CLANG_RUNTIME*) missing=$(echo "$missing" | sed "s/CLANG_RUNTIME/$(clang_runtime)/") ;;
esac
# shellcheck disable=SC2086 # a list of names
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
