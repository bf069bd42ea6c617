"""A browser for the tests of the page: Debian's Chromium without a window, over WebDriver, which is JSON over HTTP.

    with Browser() as b:
        b.open("http://127.0.0.1:8484/")
        b.wait("document.querySelector('.row')")
        b.keys("j")
"""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

LIMIT_S = 120  # ends what hangs; no case depends on it


def missing():
    """What is not installed; empty: all is there."""
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


class Browser:
    def __init__(self, width=1280, height=800):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env={**os.environ, "HOME": self.folder.name})
        while not (found := re.search(r"on port (\d+)\.", self.driver.stdout.readline())):
            pass
        self.port = int(found.group(1))
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.folder.name}/profile", f"--window-size={width},{height}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options, "binary": shutil.which("chromium")},
                  "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.communicate(timeout=LIMIT_S)
            self.folder.cleanup()

    def ask(self, method, path, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        address = "/session" + (f"/{self.session}" if self.session else "") + path
        c.request(method, address, json.dumps(body) if body is not None else None)
        said = json.loads(c.getresponse().read())["value"]
        c.close()
        if isinstance(said, dict) and said.get("error"):
            raise AssertionError(f"{said['error']}: {said['message'][:1000]}")
        return said

    def cdp(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *values):
        """The value of an expression."""
        return self.ask("POST", "/execute/sync", {"script": f"return ({script})", "args": list(values)})

    def wait(self, script, *values):
        """Until the expression is true, which is returned."""
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            if found := self.run(script, *values):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}\n{self.text()[:2000]}")

    def keys(self, text):
        """Press these, wherever the focus is."""
        presses = [{"type": t, "value": c} for c in text for t in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": presses}]})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def text(self, selector="body"):
        return self.run("document.querySelector(arguments[0])?.innerText || ''", selector)

    def size(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        """What the browser has logged since the last time: errors of scripts, and what the policy forbade."""
        return [e["message"] for e in self.ask("POST", "/se/log", {"type": "browser"}) if e["level"] == "SEVERE"]


ENTER, ESCAPE, PAGE_DOWN, RIGHT, DOWN = "\ue007", "\ue00c", "\ue00f", "\ue014", "\ue015"
