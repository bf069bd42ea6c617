"""Gateways that others wrote, in front of one provider, with the same requests: CPU and memory beside refract's and nginx's.

bench/bench_gateway.c measures, and says how. LiteLLM's proxy translates from Messages to Chat Completions, as refract does.
Portkey does not translate that way ("messages is not supported by openai"), and passes the Messages on to a provider of
theirs; nginx passes everything on.
"""
import datetime
import json
import os
import pathlib
import subprocess
import tempfile

import servers

MODEL = "openai-chat:gpt-4o"  # as the benchmark's bodies have it


class Proxy(servers.LiteLLM):
    def command(self):
        config = self.log.with_suffix(".yaml")
        config.write_text(json.dumps({  # JSON is YAML
            "model_list": [{"model_name": MODEL, "litellm_params": {
                "model": "openai/gpt-4o", "api_base": self.upstream, "api_key": "any"}}],
            "litellm_settings": {"telemetry": False, "num_retries": 0, "request_timeout": 60,
                                 "use_chat_completions_url_for_anthropic_messages": True},
        }, indent=1))
        return [self.folder / "litellm/bin/litellm", "--config", config, "--host", "127.0.0.1", "--port", str(self.port),
                "--num_workers", "1"]


class Portkey(servers.Server):
    name, ready = "portkey", "/"
    env = {"TRUSTED_CUSTOM_HOSTS": "127.0.0.1,localhost"}

    def command(self):
        program = self.folder / "portkey/node_modules/@portkey-ai/gateway/build/start-server.js"
        return ["node", program, f"--port={self.port}", "--headless"]


def version(peers, name):
    listed = (pathlib.Path(__file__).parent / "packages" / f"{name}.txt").read_text(encoding="utf-8").split()[0]
    return listed.replace("==", "@").rsplit("@", 1)[1]


def table(rows, names):
    """Sizes across, servers down: microseconds of CPU a request, and how many times nginx's."""
    sizes = list(dict.fromkeys(name.split(":")[0] for name in rows if ": CPU a request, " in name))
    lines = ["| gateway | " + " | ".join(f"CPU a request of {s}" for s in sizes) + " | memory after |",
             "|---" * (len(sizes) + 2) + "|"]
    for name, shown in names:
        cells = []
        for size in sizes:
            value, first = rows[f"{size}: CPU a request, {name}"], rows[f"{size}: CPU a request, nginx"]
            cells.append(f"{value / 1000:.3g} ms, {value / first:.3g} ×")
        lines.append(f"| {shown} | " + " | ".join(cells) + f" | {rows['memory after all: ' + name]:.0f} MiB |")
    return "\n".join(lines)


def main(refract, peers):
    bench = pathlib.Path(os.environ.get("BENCH_GATEWAY", pathlib.Path(refract).parent / "bench/bench/bench_gateway"))
    optimized = bench.resolve().parent.parent / "refract"  # built as packages are, beside the benchmarks
    unpacked = pathlib.Path(peers).resolve() / "nginx/usr/sbin/nginx"
    nginx = unpacked if unpacked.exists() else pathlib.Path("/usr/sbin/nginx")
    if not bench.exists() or not nginx.exists():
        print(f"gateways: left out: there is no {nginx if bench.exists() else bench}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.json"
        upstream = subprocess.Popen([bench, "upstream"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = upstream.stdout.readline().strip()
        with Proxy(peers, f"http://127.0.0.1:{port}/v1") as litellm, Portkey(peers) as portkey:
            status = subprocess.run([bench, "peers", rows, port, optimized,
                                     f"LiteLLM,{litellm.port},{litellm.process.pid}",
                                     f"Portkey,{portkey.port},{portkey.process.pid}"], check=False,
                                    env={**os.environ, "BENCH_NGINX": str(nginx)}).returncode
        upstream.stdin.close()
        upstream.wait()
        if status:
            return 1
        found = {row["name"]: row["value"] for row in map(json.loads, rows.read_text(encoding="utf-8").splitlines())}
    print(f"\nGateways, {datetime.date.today()}:\n")
    print(table(found, [("nginx", "nginx, which passes on"), ("refract", "refract, which translates"),
                        ("LiteLLM", f"LiteLLM's proxy {version(peers, 'litellm')}, which translates"),
                        ("Portkey", f"Portkey {version(peers, 'portkey')}, which passes on")]))
    return 0
