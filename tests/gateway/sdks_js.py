#!/usr/bin/env python3
"""Run sdks.mjs, the vendors' SDKs for JavaScript, against refract serve in front of the simulator.

    sdks_js.py PATH-OF-REFRACT FOLDER-OF-PACKAGES
"""
import pathlib
import subprocess
import sys

from harness import Gateway, PNG, b64


def main():
    here = pathlib.Path(__file__).resolve().parent
    with Gateway() as g:
        return subprocess.run(["node", here / "sdks.mjs", f"http://127.0.0.1:{g.port}",
                               pathlib.Path(sys.argv[2]).resolve(), b64(PNG)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
