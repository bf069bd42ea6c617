"""A server of MCP over HTTP that wants a login, and who gives it: one tool, "echo". For tests in Python:

    with LoginServer() as s: … s.url … s.log
"""
import contextlib
import http.server
import json
import threading
import urllib.parse

VERSION = "2026-07-28"
TOOL = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object", "properties": {
    "text": {"type": "string"}}}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, body=None, **headers):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        base, path = self.server.base, urllib.parse.urlsplit(self.path)
        self.server.log.append(f"GET {path.path}")
        if path.path == "/.well-known/oauth-protected-resource/mcp":
            self.say(200, {"resource": base + "/mcp", "authorization_servers": [base]})
        elif path.path == "/.well-known/oauth-authorization-server":
            self.say(200, {"issuer": base, "authorization_endpoint": base + "/authorize",
                           "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
                           "code_challenge_methods_supported": ["S256"]})
        elif path.path == "/authorize":
            asked = urllib.parse.parse_qs(path.query)
            back = urllib.parse.urlencode({"code": "the-code", "state": asked["state"][0]})
            self.say(302, Location=f"{asked['redirect_uri'][0]}?{back}")
        else:
            self.say(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.log.append(f"POST {self.path}")
        if self.path == "/register":
            self.say(201, {"client_id": "the-client"})
        elif self.path == "/token":
            self.say(200, {"access_token": "secret-token", "token_type": "Bearer", "expires_in": 3600})
        elif self.headers["Authorization"] != "Bearer secret-token":
            self.server.log.append("refused")
            self.say(401, {"error": "invalid_token"}, WWW_Authenticate="Bearer")
        else:
            self.answer(json.loads(body))

    def answer(self, message):
        results = {"server/discover": {"supportedVersions": [VERSION], "capabilities": {"tools": {}}},
                   "tools/list": {"tools": [TOOL]},
                   "tools/call": {"content": [{"type": "text", "text": str(message["params"].get("arguments"))}]}}
        result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **results[message["method"]]}
        self.say(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


class LoginServer(contextlib.AbstractContextManager):
    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.log = self.log = []
        self.server.base = f"http://127.0.0.1:{self.server.server_port}"
        self.url = self.server.base + "/mcp"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
