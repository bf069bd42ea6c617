#!/usr/bin/env python3
"""make install and make uninstall: what lands where, that it works from there, and that it goes again.

    test_install.py PATH-OF-REFRACT

Installs the build that PATH-OF-REFRACT is in below a folder of its own. Prints a line a case, then "N passed, N
failed"; the status is 1 when one failed.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from test_cli import LIMIT_S, expect

BUILD = pathlib.Path(sys.argv[1]).resolve().parent
TREE = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, **how)
    expect(done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


class Installed:
    """DESTDIR with the build's own prefix in it."""

    def __init__(self, folder):
        self.top = pathlib.Path(folder) / "destination"
        self.env = {**os.environ, "DESTDIR": str(self.top)}
        run("meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", env=self.env)
        self.program = next(self.top.rglob("bin/refract"))
        self.prefix = self.program.parents[1]
        self.library = next(self.top.rglob("librefract.so.0")).parent
        self.env.update({"LD_LIBRARY_PATH": str(self.library), "XDG_DATA_HOME": folder,
                         "REFRACT_WORKERS": str(self.prefix / "libexec/refract")})


def check_files(at):
    """Programs, libraries, headers, pkg-config, a manual for each page in man/, completions for three shells."""
    there = files(at.prefix)
    expect("bin/refract" in there, there)
    for header in (TREE / "include/refract").iterdir():
        expect(f"include/refract/{header.name}" in there, f"{header.name} is missing")
    for page in (TREE / "man").iterdir():
        expect(f"share/man/man{page.suffix[1:]}/{page.name}" in there, f"{page.name} is missing")
    for completion in ("bash-completion/completions/refract", "zsh/site-functions/_refract",
                       "fish/vendor_completions.d/refract.fish"):
        expect(f"share/{completion}" in there, f"{completion} is missing")
    for name in ("refract", "refract-sim"):
        for file in (f"lib{name}.so.0", f"lib{name}.so", f"pkgconfig/{name}.pc"):
            expect(any(f.endswith("/" + file) for f in there), f"{file} is missing")
    strange = [f for f in there if f.split("/")[0] not in ("bin", "include", "lib", "lib64", "libexec", "share")]
    expect(not strange, strange)


def check_runs(at):
    """The program, with its workers, from where it is now."""
    expect(run(str(at.program), "--version", env=at.env).startswith("refract "), "no version")
    if not list(at.prefix.glob("libexec/refract/refract-media-image")):
        print("        the image worker was not built: not looked at")
        return
    text = run(str(at.program), "read", str(TREE / "examples/photo.jpg"), env=at.env)
    expect("photo.jpg" in text, text)


def check_pkg_config(at):
    """A program against the installed libraries, as pkg-config says."""
    if not shutil.which("pkg-config"):
        print("        pkg-config is not installed: not looked at")
        return
    env = {**at.env, "PKG_CONFIG_SYSROOT_DIR": str(at.top),
           "PKG_CONFIG_LIBDIR": str(at.library / "pkgconfig")}
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "refract-sim", env=env))
    program = at.top / "thirty"
    run(os.environ.get("CC", "cc"), str(TREE / "examples/thirty.c"), "-o", str(program), *flags)
    said = run(str(program), str(TREE / "examples/photo.jpg"), env=env)
    program.unlink()
    expect("image/jpeg" in said, said)


FAKES = {  # that write down what they are asked
    "ninja": 'echo "ninja $*" >>"$LOG"\n',
    "meson": 'echo "meson $*" >>"$LOG"\n[ "$1" != introspect ] || exec "$MESON" introspect --targets "$BUILT"\n',
}


def check_what_is_built(at):
    """Only what is installed is built for it: no tests, no fuzz targets, no examples."""
    fakes, folder, log = at.top.parent / "fakes", at.top.parent / "new", at.top.parent / "log"
    fakes.mkdir()
    for name, text in FAKES.items():
        (fakes / name).write_text("#!/bin/sh\n" + text)
        (fakes / name).chmod(0o755)
    folder.mkdir()
    (folder / "build.ninja").touch()
    run(str(TREE / "scripts/install.sh"), str(folder), "/usr",
        env={**at.env, "PATH": f"{fakes}:{os.environ['PATH']}", "LOG": str(log), "BUILT": str(BUILD),
             "MESON": shutil.which("meson")})
    lines = log.read_text().splitlines()
    (ninja,) = [line.split() for line in lines if line.startswith("ninja ")]
    targets = [os.path.relpath(folder / word, BUILD) for word in ninja[3:]]
    expect("refract" in targets and any(name.startswith("librefract.so") for name in targets), targets)
    expect(not [name for name in targets if name.split("/")[0] in ("tests", "fuzz", "examples", "bench")], targets)
    expect(any(line.startswith("meson install ") for line in lines), lines)


def check_uninstall(at):
    """Nothing is left: no file, no folder of ours."""
    run(str(TREE / "scripts/uninstall.sh"), str(BUILD))
    expect(files(at.top) == [], files(at.top))
    ours = [str(p) for p in at.top.rglob("refract")]
    expect(not ours, ours)
    again = subprocess.run([str(TREE / "scripts/uninstall.sh"), str(BUILD)], capture_output=True, text=True)
    expect(again.returncode == 1 and "nothing was installed" in again.stderr, again.stderr)


def main():
    failed = 0
    cases = [check_files, check_runs, check_pkg_config, check_what_is_built, check_uninstall]
    with tempfile.TemporaryDirectory(prefix="refract-install-") as folder:
        at = Installed(folder)
        for function in cases:
            try:
                function(at)
                print(f"ok      {function.__doc__.splitlines()[0]}")
            except Exception as problem:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {function.__doc__.splitlines()[0]}\n    {type(problem).__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
