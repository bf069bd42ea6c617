#!/usr/bin/env python3
"""A small and strict S3 server: s3_server.py COMMAND [ARGUMENT]... runs a command beside one.

It checks every signature (version 4, computed here from the documentation and nothing of ours), every
hash, every part, and refuses what Amazon refuses; what it is not sure of, it refuses too. While the
command runs, its environment has keys, AWS_ENDPOINT_URL_S3 and, in REFRACT_TEST_S3, the address of a
bucket. The exit status is the command's.

Tests steer it by POST /_control, unsigned, with JSON:

    {"reset": true}                      forget everything but objects and uploads
    {"region": "eu-west-1"}              be in this region
    {"page": 3}                          list so many at once
    {"stuck": true}                      begin each page of a list at its beginning
    {"token": "…"}                       want this session token, or "": none
    {"faults": [{"method": "PUT", "in": "partNumber=2", "times": 2, "do": "503"}]}
    {"age": 3600}                        make all that is there so much older

Each answers with what it has: objects, uploads, requests and what was wrong with them.
"""
import base64
import calendar
import hashlib
import hmac
import http.server
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY_ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
BUCKET = "media"
SMALLEST_PART = 5 << 20
SKEW_S = 15 * 60
CHUNK = 1 << 16


def digest(data):
    return hashlib.sha256(data).hexdigest()


def quote(text, safe="-_.~"):
    return urllib.parse.quote(text, safe=safe)


class Refusal(Exception):
    def __init__(self, status, code, message="", more=""):
        super().__init__(code)
        self.status, self.code, self.message, self.more = status, code, message, more

    def body(self):
        return (f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{self.code}</Code>'
                f"<Message>{escape(self.message)}</Message>{self.more}</Error>").encode()


class Broken(Exception):
    """Close the connection without another word."""


class State:
    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.objects = {}  # key: {"path", "size", "etag", "time"}
        self.uploads = {}  # id: {"key", "time", "sums", "parts": {number: {...}}}
        self.made = 0
        self.reset()

    def reset(self):
        self.region, self.page, self.stuck, self.token, self.faults = "us-east-1", 1000, False, "", []
        self.requests, self.wrong = [], []

    def new_file(self):
        self.made += 1
        return os.path.join(self.folder, f"{self.made}")

    def kept(self):
        """The files that something stands in."""
        with self.lock:
            return {o["path"] for o in self.objects.values()} | {
                p["path"] for u in self.uploads.values() for p in u["parts"].values()}

    def fault(self, method, target):
        with self.lock:
            for f in self.faults:
                if f["times"] > 0 and f.get("method", method) == method and f.get("in", "") in target:
                    f["times"] -= 1
                    return f["do"]
        return ""

    def control(self, wish):
        with self.lock:
            if wish.get("reset"):
                self.reset()
            for name in ("region", "page", "stuck", "token", "faults"):
                setattr(self, name, wish.get(name, getattr(self, name)))
            for thing in [*self.objects.values(), *self.uploads.values()]:
                thing["time"] -= wish.get("age", 0)
            return {"objects": sorted(self.objects), "uploads": len(self.uploads),
                    "requests": self.requests, "wrong": self.wrong}


def signature(secret, date, region, text):
    key = ("AWS4" + secret).encode()
    for step in (date, region, "s3", "aws4_request", text):
        key = hmac.new(key, step.encode(), hashlib.sha256).digest()
    return key.hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "strict-s3"
    lost = False  # is the answer?

    def log_message(self, *_):
        pass

    # Who asks

    def check_signature(self, state, method, path, query):
        words = self.headers.get("authorization", "")
        m = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
                         r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})", words)
        if not m:
            raise Refusal(403, "AccessDenied", "no signature of version 4")
        key_id, date, region, names, given = m.groups()
        if key_id != KEY_ID:
            raise Refusal(403, "InvalidAccessKeyId", "The key does not exist in our records.")
        if region != state.region:
            raise Refusal(400, "AuthorizationHeaderMalformed",
                          f"the region '{region}' is wrong; expecting '{state.region}'",
                          f"<Region>{state.region}</Region>")
        signed = names.split(";")
        needed = {"host", *(n.lower() for n in self.headers if n.lower().startswith("x-amz-"))}
        if signed != sorted(signed) or not needed <= set(signed):
            raise Refusal(403, "AccessDenied", "There were headers present which were not signed")
        stamp = self.headers["x-amz-date"]
        then = time.strptime(stamp, "%Y%m%dT%H%M%SZ")
        if stamp[:8] != date:
            raise Refusal(403, "SignatureDoesNotMatch", "another day")
        if abs(time.time() - calendar.timegm(then)) > SKEW_S:
            raise Refusal(403, "RequestTimeTooSkewed", "The difference is too large.")
        if self.headers.get("x-amz-security-token", "") != state.token:
            raise Refusal(400, "ExpiredToken", "The provided token has expired.")
        pairs = sorted((quote(k), quote(v)) for k, v in query)
        canonical = "\n".join([
            method, quote(urllib.parse.unquote(path), "/-_.~"), "&".join(f"{k}={v}" for k, v in pairs),
            *(f"{n}:{' '.join(self.headers.get(n, '').split())}" for n in signed), "", names,
            self.headers["x-amz-content-sha256"]])
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, f"{date}/{region}/s3/aws4_request",
                          digest(canonical.encode())])
        if not hmac.compare_digest(signature(SECRET, date, region, text), given):
            raise Refusal(403, "SignatureDoesNotMatch", "The signature does not match.")

    # The body

    def read_body(self, half):
        """The body as a file; where it is cut, the connection is too."""
        length = self.headers.get("content-length")
        if self.command in ("PUT", "POST") and length is None:
            raise Refusal(411, "MissingContentLength")
        left, sha, path = int(length or 0), hashlib.sha256(), None
        if half:
            self.rfile.read(left // 2)
            raise Broken
        with self.server.state.lock:
            path = self.server.state.new_file()
        with open(path, "wb") as out:
            while left:
                data = self.rfile.read(min(left, CHUNK))
                if not data:
                    os.unlink(path)
                    raise Broken
                sha.update(data)
                out.write(data)
                left -= len(data)
        return path, sha

    def check_body(self, sha):
        if self.headers["x-amz-content-sha256"] != sha.hexdigest():
            raise Refusal(400, "XAmzContentSHA256Mismatch", "The body is not what was signed.")
        said = self.headers.get("x-amz-checksum-sha256")
        if said is not None and said != base64.b64encode(sha.digest()).decode():
            raise Refusal(400, "BadDigest", "The checksum is another.")
        if self.headers.get("x-amz-checksum-algorithm", "SHA256") != "SHA256":
            raise Refusal(400, "InvalidRequest", "no such checksum")

    # Answers

    def answer(self, status, body=b"", headers=None):
        if self.lost:
            raise Broken
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if "content-length" not in (headers or {}) and status != 204:
            self.send_header("content-length", str(len(body)))
        if body:
            self.send_header("content-type", "application/xml")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def break_off(self):
        """A reset, so that the other side knows at once."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def do_any(self):
        state, split = self.server.state, urllib.parse.urlsplit(self.path)
        if split.path == "/_control":
            wish = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            return self.answer(200, json.dumps(state.control(wish)).encode())
        query = urllib.parse.parse_qsl(split.query, keep_blank_values=True)
        fault = state.fault(self.command, self.path)
        self.lost = fault == "lost-answer"
        with state.lock:
            state.requests.append(f"{self.command} {self.path}")
        path = None
        try:
            path, sha = self.read_body(fault == "reset-body")
            self.fail(fault)
            self.check_signature(state, self.command, split.path, query)
            self.check_body(sha)
            _, bucket, key = (split.path + "//").split("/", 2)
            if bucket != BUCKET:
                raise Refusal(404, "NoSuchBucket", "The specified bucket does not exist")
            key = key.rstrip("/")
            if key and self.command in ("GET", "HEAD"):
                self.give(state, key, fault)
            else:
                with state.lock:
                    self.serve(state, key, dict(query), path)
        except Refusal as r:
            if not fault and r.status != 404:
                with state.lock:
                    state.wrong.append(f"{self.command} {self.path}: {r.status} {r.code}")
            more = {"x-amz-bucket-region": state.region} if r.status in (301, 400) else {}
            if r.status == 503:
                more["retry-after"] = "0"
            self.answer(r.status, b"" if self.command == "HEAD" else r.body(), more)
        except Broken:
            self.break_off()
        finally:
            if path and os.path.exists(path) and path not in state.kept():
                os.unlink(path)
        return None

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_any

    def fail(self, fault):
        refusals = {
            "500": (500, "InternalError"), "503": (503, "ServiceUnavailable"),
            "slowdown": (503, "SlowDown"), "403": (403, "AccessDenied"),
            "skew": (403, "RequestTimeTooSkewed"), "expired": (400, "ExpiredToken"),
            "401": (403, "SignatureDoesNotMatch"), "501": (501, "NotImplemented"),
            "late-error": (200, "InternalError"), "400": (400, "InvalidRequest"),
        }
        if fault == "reset":
            raise Broken
        if fault in refusals:
            raise Refusal(*refusals[fault], "You asked for <it> & got it.")

    # What is asked for

    def serve(self, state, key, q, path):
        if not key and "uploads" in q:
            self.list_uploads(state, q)
        elif not key:
            self.list_objects(state, q)
        elif self.command == "PUT" and "uploadId" in q:
            self.take_part(state, key, q, path)
        elif self.command == "PUT":
            self.take(state, key, path)
        elif self.command == "POST" and "uploadId" in q:
            self.end_upload(state, key, q, path)
        elif self.command == "POST":
            self.begin(state, key)
        elif "uploadId" in q:
            if not state.uploads.pop(q["uploadId"], None):
                raise Refusal(404, "NoSuchUpload")
            self.answer(204)
        else:
            state.objects.pop(key, None)
            self.answer(204)
    def take(self, state, key, path):
        size = os.path.getsize(path)
        etag = f'"{digest(key.encode())[:32]}"'
        state.objects[key] = {"path": path, "size": size, "etag": etag, "time": time.time()}
        self.answer(200, b"", {"etag": etag})

    def begin(self, state, key):
        if self.headers.get("x-amz-checksum-algorithm") != "SHA256":
            raise Refusal(400, "InvalidRequest", "want checksums")
        state.made += 1
        upload = f"up+load/{state.made}=&<x>"
        state.uploads[upload] = {"key": key, "time": time.time(), "parts": {}}
        self.answer(200, (f"<InitiateMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{key}</Key>"
                          f"<UploadId>{escape(upload)}</UploadId>"
                          "</InitiateMultipartUploadResult>").encode())

    def upload_of(self, state, key, q):
        upload = state.uploads.get(q["uploadId"])
        if not upload or upload["key"] != key:
            raise Refusal(404, "NoSuchUpload", "The upload may have been aborted or completed.")
        return upload

    def take_part(self, state, key, q, path):
        upload, number = self.upload_of(state, key, q), int(q["partNumber"])
        if not 1 <= number <= 10000:
            raise Refusal(400, "InvalidArgument")
        etag = f'"part{number}-{state.made}"'
        upload["parts"][number] = {"path": path, "etag": etag,
                                   "sum": self.headers.get("x-amz-checksum-sha256")}
        self.answer(200, b"", {"etag": etag})

    def end_upload(self, state, key, q, path):
        upload = self.upload_of(state, key, q)
        with open(path, encoding="utf-8") as f:
            said = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>(.*?)</ETag>"
                              r"<ChecksumSHA256>(.*?)</ChecksumSHA256></Part>", f.read())
        if not said:
            raise Refusal(400, "MalformedXML")
        parts = upload["parts"]
        for i, (number, etag, total) in enumerate(said):
            part = parts.get(int(number))
            if int(number) != i + 1 or not part or total != part["sum"] or \
                    etag.replace("&quot;", '"') != part["etag"]:
                raise Refusal(400, "InvalidPart")
            if i + 1 < len(said) and os.path.getsize(part["path"]) < SMALLEST_PART:
                raise Refusal(400, "EntityTooSmall")
        whole = state.new_file()
        with open(whole, "wb") as out:
            for i in range(len(said)):
                with open(parts[i + 1]["path"], "rb") as f:
                    shutil.copyfileobj(f, out)
                os.unlink(parts[i + 1]["path"])
        del state.uploads[q["uploadId"]]
        state.objects[key] = {"path": whole, "size": os.path.getsize(whole), "time": time.time(),
                              "etag": f'"whole-{len(said)}"'}
        self.answer(200, b"<CompleteMultipartUploadResult/>")

    def give(self, state, key, fault):
        o = state.objects.get(key)
        if not o:
            raise Refusal(404, "NoSuchKey", "The specified key does not exist.")
        self.answer(200, b"", {"content-length": str(o["size"]), "etag": o["etag"]})
        if self.command == "HEAD":
            return
        with open(o["path"], "rb") as f:
            left = o["size"] // 2 if fault == "truncate" else o["size"]
            while left:
                data = f.read(min(left, CHUNK))
                left -= len(data)
                if fault == "corrupt" and not left:
                    data = data[:-1] + bytes([data[-1] ^ 1])
                self.wfile.write(data)
                if fault == "slow":
                    time.sleep(0.05)
        if fault == "truncate":
            raise Broken

    def list_objects(self, state, q):
        if q.get("list-type") != "2" or self.command != "GET":
            raise Refusal(400, "InvalidRequest", "version 2 alone")
        prefix, token = q.get("prefix", ""), q.get("continuation-token", "")
        start = base64.b64decode(token[2:]).decode() if token and not state.stuck else ""
        keys = [k for k in sorted(state.objects) if k.startswith(prefix) and k > start]
        page = keys[:min(state.page, int(q.get("max-keys", 1000)))]
        more = ""
        if len(keys) > len(page):
            next_token = "&+" + base64.b64encode(page[-1].encode()).decode()
            more = f"<NextContinuationToken>{escape(next_token)}</NextContinuationToken>"
        self.answer(200, ('<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="x">'
                          f"<Name>{BUCKET}</Name><Prefix>{prefix}</Prefix>{more}"
                          f"<IsTruncated>{str(bool(more)).lower()}</IsTruncated>" +
                          "".join(self.entry("Contents", "LastModified", k, state.objects[k],
                                             f"<Size>{state.objects[k]['size']}</Size>")
                                  for k in page) + "</ListBucketResult>").encode())

    @staticmethod
    def entry(name, when, key, thing, more):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(thing["time"]))
        return f"<{name}><Key>{escape(key)}</Key><{when}>{stamp}</{when}>{more}</{name}>"

    def list_uploads(self, state, q):
        after = ("", "") if state.stuck else (q.get("key-marker", ""), q.get("upload-id-marker", ""))
        found = sorted((u["key"], i) for i, u in state.uploads.items()
                       if u["key"].startswith(q.get("prefix", "")) and (u["key"], i) > after)
        page, more = found[:state.page], ""
        if len(found) > len(page):
            more = (f"<NextKeyMarker>{escape(page[-1][0])}</NextKeyMarker>"
                    f"<NextUploadIdMarker>{escape(page[-1][1])}</NextUploadIdMarker>")
        self.answer(200, ("<ListMultipartUploadsResult><KeyMarker/><UploadIdMarker/>"
                          f"{more}<IsTruncated>{str(bool(more)).lower()}</IsTruncated>" +
                          "".join(self.entry("Upload", "Initiated", key, state.uploads[i],
                                             f"<UploadId>{escape(i)}</UploadId>")
                                  for key, i in page) + "</ListMultipartUploadsResult>").encode())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ValueError, BrokenPipeError)):
            super().handle_error(*_)


def environment(address):
    """What a client needs to know."""
    host, port = address[:2]
    return {"AWS_ENDPOINT_URL_S3": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1", "AWS_SESSION_TOKEN": "",
            "AWS_ENDPOINT_URL": "", "AWS_PROFILE": "", "REFRACT_TEST_S3": f"s3://{BUCKET}",
            "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


class Serving:
    """A server for `with`: .address, .control(...)"""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="refract-s3-")
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.state = State(self.folder)
        self.environment = environment(self.server.server_address)
        self.control = self.server.state.control
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(command):
    if not command:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Serving() as s:
        process = subprocess.Popen(command, env={**os.environ, **s.environment})
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
