#!/usr/bin/env python3
"""Compare what the libraries of a build folder promise with docs/abi.txt: abi.py FOLDER [--accept [--unreleased]]

A line is one promise: a function and its type, the size of a struct, the place of a member, the value of an enumerator
or of a constant, the name that programs load a library by. What was promised and is not kept breaks programs that are
compiled already. --accept writes the list anew and refuses that, unless a library has another name (soversion in
meson.build) or, with --unreleased, no release has had it.

The symbols are those of the libraries; the types are those that the compiler sees in the public headers, as it writes
them down for debuggers. A struct that is "or more" bytes may grow at its end: it begins with its size, or is only ever
handed to callbacks by the library."""
import argparse
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ("librefract.so", "librefract-sim.so")
HEADERS = sorted(p.name for p in (ROOT / "include/refract").glob("*.h"))


def output(*command, **how):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, **how)
    if done.returncode:
        sys.exit("failed: " + shlex.join(command))
    return done.stdout


# What is there


def names(library):
    """What the library is loaded by, and its symbols with their versions."""
    soname = re.search(r"soname: \[(.*)\]", output("readelf", "-Wd", library)).group(1)
    lines = output("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines()
    symbols = [line.split()[-1].split("@@") for line in lines if line.split()[-2] != "A"]
    return soname, {name: version for name, version in symbols if version != "REFRACT_PRIVATE"}


def compiled(text, *options):
    """A file of all public headers and `text`, given to the compiler."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    source = "".join(f"#include <refract/{name}>\n" for name in HEADERS) + text
    return output(*compiler, "-std=c17", f"-I{ROOT}/include", "-x", "c", "-", *options, input=source)


def entries(functions):
    """The debug information of the headers, with a variable for each function: a list of dictionaries."""
    text = "".join(f"__typeof__(&{name}) abi_{name};\n" for name in functions)
    with tempfile.TemporaryDirectory() as folder:
        compiled(text, "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-c", "-o", folder + "/abi.o")
        lines = output("readelf", "-W", "--debug-dump=info", folder + "/abi.o").splitlines()
    found, open_entries = {}, []
    for line in lines:
        if start := re.match(r" *<(\w+)><(\w+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", line):
            depth, place, tag = int(start[1], 16), int(start[2], 16), start[3]
            entry = found[place] = {"tag": tag, "children": []}
            del open_entries[depth:]
            if open_entries:
                open_entries[-1]["children"].append(entry)
            open_entries.append(entry)
        elif attribute := re.match(r" *<\w+> +DW_AT_(\w+) *: *(.*)", line):
            value = re.sub(r"^(\([^)]*\) *)*:? *", "", attribute[2].strip())
            open_entries[-1][attribute[1]] = value
    for entry in found.values():
        if place := re.match(r"<0x(\w+)>", entry.get("type", "")):
            entry["type"] = found[int(place[1], 16)]
    return list(found.values())


# What it says


def spelled(entry):
    """A type as C spells it."""
    if entry is None:
        return "void"
    inner, tag = entry.get("type"), entry["tag"]
    if tag in ("structure_type", "enumeration_type", "union_type"):
        return tag.split("_")[0].replace("structure", "struct").replace("enumeration", "enum") + " " + entry["name"]
    if tag == "pointer_type":
        if inner and inner["tag"] == "subroutine_type":
            return spelled(inner).replace(" (", " (*)(", 1)
        return spelled(inner) + ("*" if spelled(inner).endswith("*") else " *")
    if tag == "const_type":
        return spelled(inner) + "const" if inner and inner["tag"] == "pointer_type" else "const " + spelled(inner)
    if tag == "array_type":
        last = [int(c["upper_bound"], 0) + 1 if "upper_bound" in c else int(c["count"], 0) for c in entry["children"]]
        return spelled(inner) + "".join(f"[{n}]" for n in last)
    if tag == "subroutine_type":
        given = [spelled(c.get("type")) for c in entry["children"] if c["tag"] == "formal_parameter"]
        return f"{spelled(inner)} ({', '.join(given) or 'void'})"
    return entry["name"]  # a typedef, or a type of C


def held_by_callers(functions):
    """The structs that programs keep or fill: what functions take and return, and what that points to."""
    held = {}

    def visit(entry):
        if not entry or entry["tag"] == "subroutine_type":
            return
        if entry["tag"] == "structure_type":
            if entry["name"] in held or "declaration" in entry:
                return
            held[entry["name"]] = entry
            for member in entry["children"]:
                visit(member.get("type"))
        elif entry["tag"] != "typedef":
            visit(entry.get("type"))

    for function in functions:
        returned = function.get("type")
        if returned and returned["tag"] != "pointer_type":
            visit(returned)
        for parameter in function["children"]:
            visit(parameter.get("type"))
    return held


def struct_lines(entry, is_held):
    members = [m for m in entry["children"] if m["tag"] == "member"]
    grows = not is_held or members[0]["name"] == "size"
    name = "struct " + entry["name"]
    yield name, f"{entry['byte_size']} bytes" + (" or more" if grows else "")
    for m in members:
        yield f"{name}.{m['name']}", f"{spelled(m['type'])} at {int(m.get('data_member_location', '0'), 0)}"


def promises(folder):
    """The list, as a dictionary of what is promised to how."""
    out, versions = {}, {}
    for library in LIBRARIES:
        soname, symbols = names(str(folder / library))
        out["library " + library] = soname
        versions.update(symbols)
    everything = entries(versions)
    functions = {e["name"][4:]: e["type"]["type"] for e in everything
                 if e["tag"] == "variable" and e.get("name", "").startswith("abi_")}
    held = held_by_callers(functions.values())
    for name in sorted(functions):
        out[f"function {name}@{versions[name]}"] = spelled(functions[name])
    ours = [e for e in everything if e.get("name", "").startswith("rf_") and "declaration" not in e]
    for e in sorted(ours, key=lambda e: e["name"]):
        if e["tag"] == "structure_type":
            out.update(struct_lines(e, e["name"] in held))
        if e["tag"] == "enumeration_type":
            out.update((f"enum {e['name']}.{value['name']}", value["const_value"]) for value in e["children"])
    constants = re.findall(r'^#define (RF_\w+) ([-"(\d].*)', compiled("", "-E", "-dM"), re.MULTILINE)
    out.update(sorted(("constant " + name, value) for name, value in constants if name != "RF_VERSION"))
    return out


# What became of it


def is_kept(old, new):
    if old == new:
        return True
    was, now = re.match(r"(\d+) bytes or more$", old), re.match(r"(\d+) bytes or more$", new)
    return bool(was and now and int(was[1]) < int(now[1]))


def compare(old, new):
    """The promises that are broken, and those that are new, a line each."""
    broken = [f"{key}: {value}: {'is now ' + new[key] if key in new else 'is gone'}"
              for key, value in old.items() if key not in new or not is_kept(value, new[key])]
    added = [f"{key}: {value}" for key, value in new.items()
             if key not in old or (value != old[key] and is_kept(old[key], value))]
    return broken, added


def accept(path, broken, new, old, unreleased):
    renamed = any(key.startswith("library ") and new.get(key) != value for key, value in old.items())
    if broken and not renamed and not unreleased:
        print(*broken, sep="\n")
        print(f"That breaks programs: {path.name} stays as it is. Raise `soversion` in meson.build, or, for what no\n"
              "release has had: scripts/abi.py FOLDER --accept --unreleased")
        return 1
    path.write_text("".join(f"{key}: {value}\n" for key, value in new.items()))
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path, help="a build")
    options.add_argument("--accept", action="store_true", help="write the list anew")
    options.add_argument("--unreleased", action="store_true", help="what breaks was in no release")
    options.add_argument("--list", type=pathlib.Path, default=ROOT / "docs/abi.txt", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if struct.calcsize("P") != 8:
        print("skipped: the list is of 64-bit systems")
        return 0
    lines = asked.list.read_text().splitlines() if asked.list.exists() else []
    old, new = dict(line.split(": ", 1) for line in lines), promises(asked.folder)
    broken, added = compare(old, new)
    if asked.accept:
        return accept(asked.list, broken, new, old, asked.unreleased)
    for what, which in (("broken", broken), ("new", added)):
        for line in which:
            print(f"{what}: {line}")
    if broken or added:
        print("The libraries are not what docs/abi.txt says. `make abi` accepts what is new, and refuses what breaks.")
    return bool(broken or added)


if __name__ == "__main__":
    sys.exit(main())
