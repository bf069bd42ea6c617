"""Sessions with their files in S3 servers that others wrote: moto, which checks signatures here, and
s3rver, which checks none of version 4 and lists no uploads.

A picture and a file of three parts are put, got by another machine, kept by gc and removed.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import urllib.parse
import urllib.request

import known
import servers

BUCKET = "media"
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/EWxwAAAABJ"
         "RU5ErkJggg==")
LONG_BYTES = 20 << 20
LIMIT_S = 300


class Moto(servers.Server):
    """Its first requests are free: they make a user, who then has to sign."""

    name, ready = "moto", "/moto-api/"
    env = {"INITIAL_NO_AUTH_ACTION_COUNT": "4"}
    secret_counts = True

    def command(self):
        return [self.folder / "moto/bin/moto_server", "-H", "127.0.0.1", "-p", str(self.port)]

    def ask(self, service, method, path, **fields):
        scope = f"any/20260101/us-east-1/{service}/aws4_request"
        request = urllib.request.Request(
            self.url + path, urllib.parse.urlencode(fields).encode() if fields else None, method=method,
            headers={"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, "
                                      "Signature=none"})
        return urllib.request.urlopen(request, timeout=LIMIT_S).read().decode()

    def started(self):
        self.ask("iam", "POST", "/", Action="CreateUser", UserName="u", Version="2010-05-08")
        said = self.ask("iam", "POST", "/", Action="CreateAccessKey", UserName="u",
                        Version="2010-05-08")
        self.keys = [re.search(f"<{name}>(.*?)</{name}>", said).group(1)
                     for name in ("AccessKeyId", "SecretAccessKey")]
        rights = {"Version": "2012-10-17",
                  "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
        self.ask("iam", "POST", "/", Action="PutUserPolicy", UserName="u", PolicyName="p",
                 PolicyDocument=json.dumps(rights), Version="2010-05-08")
        self.ask("s3", "PUT", f"/{BUCKET}")


class S3rver(servers.Server):
    name, ready = "s3rver", "/"
    keys = ["S3RVER", "S3RVER"]
    secret_counts = False

    def command(self):
        return [self.folder / "s3rver/node_modules/.bin/s3rver", "-d",
                tempfile.mkdtemp(prefix="s3rver-", dir=self.folder / "log"), "-a", "127.0.0.1",
                "-p", str(self.port), "--configure-bucket", BUCKET]


class Machine:
    """refract with folders of its own, and one store for all."""

    def __init__(self, refract, folder, name, server, secret):
        self.refract, self.folder = pathlib.Path(refract).resolve(), pathlib.Path(folder) / name
        (self.folder / "refract").mkdir(parents=True)
        (self.folder / "refract/config.yaml").write_text(
            f'store: {{address: "{folder}/store", blobs: "s3://{BUCKET}/a/b"}}\n', encoding="utf-8")
        self.env = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder),
                    "XDG_CACHE_HOME": str(self.folder / "cache"), "AWS_REGION": "us-east-1",
                    "AWS_ENDPOINT_URL_S3": server.url, "AWS_ACCESS_KEY_ID": server.keys[0],
                    "AWS_SECRET_ACCESS_KEY": secret, "NO_PROXY": "127.0.0.1"}

    def __call__(self, *args, given=""):
        done = subprocess.run([self.refract, *args], env=self.env, cwd=self.folder, input=given,
                              text=True, capture_output=True, timeout=LIMIT_S, check=False)
        return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"


def document(folder):
    path = pathlib.Path(folder) / "long.bin"
    with open(path, "wb") as f:
        f.write(b"\x00\x01")
        f.truncate(LONG_BYTES)
    return json.dumps({"refract": 1, "messages": [{"role": "user", "content": [
        {"type": "text", "text": "Look"}, {"type": "image", "data": PIXEL},
        {"type": "document", "source_path": str(path)}]}]})


def cases(refract, server, folder):
    """(name, what is wrong or "")"""
    one, other = (Machine(refract, folder, n, server, server.keys[1]) for n in ("one", "other"))
    if server.secret_counts:
        stranger = Machine(refract, folder, "stranger", server, "wrong")
        said = stranger("sessions", "new", given=document(folder))
        yield "a wrong secret", "" if "secret is not that of the key" in said else said
    said = one("sessions", "new", given=document(folder)).strip()
    yield "put", "" if re.fullmatch(r"\d{8}-\w{6}", said) else said
    tar = pathlib.Path(folder) / "out.tar"
    said = other("sessions", "export", "last", "-o", str(tar))
    whole = tar.exists() and tar.stat().st_size > LONG_BYTES
    yield "got elsewhere", "" if whole else said or "the file is short"
    said = one("sessions", "gc", "--age", "0", "--json")
    yield "gc", "" if '"leftovers":0' in said and '"kept":2' in said else said
    one("sessions", "rm", "last")
    back = other("sessions", "import", str(tar)).strip()
    said = one("encode", "-m", "openai:gpt-4o", "--session", back)
    yield "removed, and put back", "" if PIXEL in said else said


def main(refract, peers):
    reasons, failed = known.Known("buckets"), []
    print("## Files of sessions in S3 servers\n\n| server | case | |\n|---|---|---|")
    for kind in (Moto, S3rver):
        with kind(peers) as server, tempfile.TemporaryDirectory() as folder:
            for name, wrong in cases(refract, server, folder):
                number = reasons.number(server.name, name) if wrong else None
                if wrong and not number:
                    failed.append(f"{server.name}, {name}: {wrong}")
                shown = "pass" if not wrong else f"({number})" if number else "FAIL"
                print(f"| {server.name} | {name} | {shown} |", flush=True)
    print()
    failed += reasons.show()
    for line in failed:
        print("FAILED ", line)
    return len(failed)
