#!/bin/sh
# Fetch and build the programs that `make peers` talks to: peers.sh FOLDER
#
# SDKs and frameworks come from PyPI and npm, at the versions of tests/peers/packages/; Ollama is
# built from its Go module, and llama.cpp's server from the sources in llama-cpp-python's package,
# both for the CPU alone. Where Go is too old (that of Debian 12 is), it
# fetches a newer one as a module. Each is done once; what is there is left alone. Takes twenty
# minutes and 4 GB the first time.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
packages="$here/tests/peers/packages"
mkdir -p "$1"
cd "$1"
folder=$PWD
mkdir -p bin log

ollama=v0.17.4
go_least=1.24 # that Ollama is built with
go_version=1.24.13
go_amd64=d2b048367a3d1a748b87f756fa06df12ce3b419e1d5f2a3612acb8950d615f9f
go_arm64=4d31d22f75fed99025f7b082319eabeb74106d11e343fc203b336ba2afdeb3a1
llama_cpp_python=0.3.36

step() { # NAME COMMAND…: once, with a log
    name=$1
    shift
    [ ! -e "log/$name.done" ] || return 0
    echo "peers: $name"
    if ! "$@" >"log/$name.install" 2>&1 </dev/null; then
        echo "peers: $name failed; the end of $folder/log/$name.install:" >&2
        tail -n 5 "log/$name.install" >&2
        exit 1
    fi
    touch "log/$name.done"
}

python_packages() { # NAME
    python3 -m venv "$1" && "$1/bin/pip" install -q -r "$packages/$1.txt"
}

node_packages() { # NAME
    mkdir -p "$1" && echo '{"private": true, "type": "module"}' >"$1/package.json" &&
        # shellcheck disable=SC2046 # a list of names
        npm install --no-audit --no-fund --ignore-scripts --prefix "$1" $(cat "$packages/$1.txt")
}

llama_sources() {
    python/bin/pip download -q --no-deps --no-binary llama-cpp-python -d llama \
        "llama-cpp-python==$llama_cpp_python" &&
        tar -xzf "llama/llama_cpp_python-$llama_cpp_python.tar.gz" -C llama --strip-components 1
}

# Optimised little: the models have 300 tokens, and building is what takes the time.
llama_server() {
    cmake -S llama/vendor/llama.cpp -B llama/build -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS_RELEASE=-O2 -DLLAMA_BUILD_TESTS=OFF \
        -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_OPENSSL=OFF &&
        cmake --build llama/build -j "$(nproc)" --target llama-server mtmd &&
        ln -sf "$folder/llama/build/bin/llama-server" bin/llama-server
}

# The libraries are those of llama-server.
llama_cpp_python() {
    python3 -m venv llama-cpp-python &&
        CMAKE_ARGS=-DLLAMA_BUILD=OFF llama-cpp-python/bin/pip install -q \
            "llama-cpp-python[server] @ file://$folder/llama"
}

go_is_new_enough() {
    here_is=$(go env GOVERSION 2>/dev/null) && [ -n "$here_is" ] &&
        [ "$(printf '%s\n' "$go_least" "${here_is#go}" | sort -V | head -n 1)" = "$go_least" ]
}

# The archive is that of https://go.dev/dl/, as a module, which any older Go can fetch: without the
# right to run its programs.
go_toolchain() {
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) machine=amd64 sum=$go_amd64 ;;
    Linux-aarch64) machine=arm64 sum=$go_arm64 ;;
    *)
        echo "Ollama $ollama is built with Go $go_least or newer, and here is $(go version || echo none)."
        echo "Please install one from https://go.dev/dl/, have it in PATH, and try again."
        return 1
        ;;
    esac
    module=golang.org/toolchain@v0.0.1-go$go_version.linux-$machine
    GOFLAGS=-modcacherw GONOSUMDB=golang.org/toolchain GOMODCACHE=$folder/toolchain \
        go mod download "$module" || return 1
    fetched=toolchain/cache/download/golang.org/toolchain/@v/${module#*@}.zip
    if ! echo "$sum  $fetched" | sha256sum -c --quiet; then
        echo "$module is not what it was; a Go in PATH is used instead of it"
        return 1
    fi
    rm -rf go && mv "toolchain/$module" go && rm -rf toolchain &&
        chmod -R u+x go/bin go/pkg/tool && GOTOOLCHAIN=local go/bin/go version
}

# Go's module archive lacks what llama.cpp keeps in a folder named vendor.
ollama() {
    CPATH="$folder/llama/vendor/llama.cpp/vendor" GOBIN="$folder/bin" CGO_ENABLED=1 \
        go install "github.com/ollama/ollama@$ollama"
}

# It is only unpacked: installed it would serve.
nginx() {
    apt-get download -q nginx && dpkg -x nginx_*.deb nginx && rm nginx_*.deb
}

checker() {
    cp -R "$REFRACT_SHARED/check" check && chmod -R u+w check &&
        npm ci --ignore-scripts --no-audit --no-fund --prefix check
}

for name in python frameworks litellm moto; do step "$name" python_packages "$name"; done
for name in node ai6 ai7 hosts portkey s3rver; do step "$name" node_packages "$name"; done
[ -x /usr/sbin/nginx ] || ! command -v apt-get >/dev/null || step nginx nginx
step llama-sources llama_sources
step llama-server llama_server
step llama-cpp-python llama_cpp_python
if [ ! -e log/ollama.done ] && ! go_is_new_enough; then
    step go go_toolchain
    PATH=$folder/go/bin:$PATH
fi
step ollama ollama
[ ! -d "${REFRACT_SHARED:-}/check" ] || step checker checker
