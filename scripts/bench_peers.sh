#!/bin/sh
# Fetch what the benchmarks compare with and the system has no package of: bench_peers.sh FOLDER
#
# yyjson, PyMuPDF and pypdfium2 come from PyPI, sharp from npm, nginx from Debian's package, which is
# only unpacked, since installed it would serve; each is fetched once, and what cannot
# be had is left out with its reason. The benchmarks find them by PKG_CONFIG_PATH, PYTHONPATH,
# NODE_PATH and BENCH_NGINX, which bench.sh sets.
set -eu
mkdir -p "$1"
cd "$1"
python=/usr/bin/python3
[ -x "$python" ] || python=python3

left_out() { # WHAT LOG
    echo "left out: $1 could not be fetched: $(grep -m 1 -i error "$2" || tail -n 1 "$2")"
}

pip_install() { # PACKAGE
    [ ! -d "python/$1" ] || return 0
    "$python" -m pip install -q --no-deps --target "python/$1" "$1" >"$1.log" 2>&1 || {
        rm -rf "python/$1"
        left_out "$1" "$1.log"
    }
}

# yyjson is two files, which a package of that name brings along. It is built as its authors build it.
make_yyjson() {
    "$python" -m pip download -q --no-deps --no-binary yyjson -d yyjson yyjson &&
        tar -xzf yyjson/yyjson-*.tar.gz -C yyjson --strip-components 2 --wildcards \
            '*/yyjson/yyjson.[ch]' &&
        ${CC:-cc} -O3 -DNDEBUG -fPIC -c yyjson/yyjson.c -o yyjson/yyjson.o &&
        ar -crs yyjson/libyyjson.a yyjson/yyjson.o &&
        printf 'Name: yyjson\nDescription: JSON\nVersion: 0\nCflags: -I%s\nLibs: -L%s -lyyjson\n' \
            "$PWD/yyjson" "$PWD/yyjson" >yyjson/yyjson.pc
}

make_nginx() {
    apt-get download -q nginx && dpkg -x nginx_*.deb nginx && rm nginx_*.deb
}

pip_install PyMuPDF
pip_install pypdfium2
if [ ! -e yyjson/yyjson.pc ] && ! pkg-config --exists yyjson; then
    make_yyjson >yyjson.log 2>&1 || left_out yyjson yyjson.log
fi
if [ ! -e nginx/usr/sbin/nginx ] && [ ! -x /usr/sbin/nginx ]; then
    make_nginx >nginx.log 2>&1 || left_out nginx nginx.log
fi
if ! command -v npm >/dev/null; then
    echo "left out: sharp needs npm, which is not installed"
elif [ ! -d node/node_modules/sharp ]; then
    npm install --no-audit --no-fund --prefix node sharp >sharp.log 2>&1 || left_out sharp sharp.log
fi
