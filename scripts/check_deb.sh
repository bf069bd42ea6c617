#!/bin/sh
# The Debian packages in a clean root: check_deb.sh FOLDER [SUITE]
#
# Makes the root with debootstrap from where this system gets its packages, installs FOLDER/*.deb with what they
# need, uses them as somebody would who has just done so, purges them, and compares what is there with what was
# there before. Needs to be root. Prints a line a check, then "N passed, N failed".
set -eu
packages=$(cd "$1" && pwd)
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
suite=${2:-$own}
site=$(apt-get indextargets --format '$(RELEASE) $(SITE)' | sed -n "s/^$own //p" | head -n 1)
root=$(mktemp -d "${TMPDIR:-/tmp}/refract-root-XXXXXX")
chmod 755 "$root"
passed=0
failed=0

# Nothing is left mounted, whatever happens.
finish() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap finish EXIT
trap 'exit 130' INT TERM

inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/anna LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" "$@"
}

as_anna() {
    inside setpriv --reuid=1000 --regid=1000 --clear-groups env -C /home/anna "$@"
}

check() {
    name=$1
    shift
    if "$@" >"$root/tmp/said" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        sed 's/^/    /' "$root/tmp/said"
    fi
}

# All files but those of package management, logs and caches, and of the person.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
        -o -path ./var/cache -o -path ./var/log -o -path ./home \) -prune -o -print | sort)
}


answers() {
    as_anna refract ask -m offline "What is in @photo.jpg?" | grep 'image/jpeg'
}

converses() {
    printf 'Hello\n/quit\n' | as_anna refract chat -m offline
}

shows_manual() {
    inside man refract | grep -q 'REFRACT(1)' && inside man refract-chat | grep -q 'REFRACT-CHAT(1)' &&
        inside man 5 refract-config | grep -q 'REFRACT-CONFIG(5)'
}

completes() {
    inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader refract
        COMP_WORDS=(refract ses) COMP_CWORD=1 COMP_LINE="refract ses" COMP_POINT=11
        $(complete -p refract | sed "s/.*-F \([^ ]*\) .*/\1/"); echo "${COMPREPLY[@]}"' | grep -q sessions
}

compiles() {
    cp examples/thirty.c "$root/home/anna/thirty.c"
    inside sh -c 'cd /home/anna && cc thirty.c $(pkg-config --cflags --libs refract-sim) -o thirty && ./thirty photo.jpg'
}

reads_everything() {
    as_anna refract doctor && [ "$(as_anna refract doctor 2>/dev/null | grep -c '^[+!] worker')" = 6 ]
}

# What was installed along with them goes too, so that what is left is ours alone.
is_as_before() {
    inside apt-get purge -q -y refract librefract0 librefract-sim0 librefract-dev &&
        inside apt-get autoremove -q -y --purge &&
        files >"$root/tmp/after" &&
        ! comm -13 "$root/tmp/before" "$root/tmp/after" | grep -i refract
}

keeps_own_data() {
    [ -f "$root/home/anna/.local/share/refract/sessions.db" ]
}

debootstrap --variant=minbase "$suite" "$root" "$site" >"$packages/debootstrap.log" 2>&1 || {
    tail -n 5 "$packages/debootstrap.log" >&2
    exit 1
}
mount -t proc proc "$root/proc"
rm -f "$root"/etc/dpkg/dpkg.cfg.d/* # some systems leave manuals out
inside apt-get update -q >/dev/null
inside apt-get install -q -y --no-install-recommends man-db bash-completion gcc libc6-dev pkgconf >/dev/null 2>&1
mkdir -p "$root/home/anna" "$root/packages"
cp examples/photo.jpg "$root/home/anna/"
chown -R 1000:1000 "$root/home/anna"
cp "$packages"/*.deb "$root/packages/"
files >"$root/tmp/before"

check "the packages install" inside sh -c 'apt-get install -q -y --no-install-recommends /packages/*.deb'
check "refract --version" inside refract --version
check "every family of files has its worker" reads_everything
check "man refract" shows_manual
check "completion in bash" completes
check "refract ask -m offline" answers
check "refract chat -m offline" converses
check "a program of thirty lines against the library" compiles
check "removed without a trace" is_as_before
check "what the person did is still there" keeps_own_data
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
