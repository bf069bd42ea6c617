#!/usr/bin/env python3
"""Run refract and its simulator against programs that others wrote, and print the tables.

    run.py REFRACT PEERS [real_servers] [sdks] [files] [hosts] [coding_agents] [gateways] [buckets]

PEERS is the folder that scripts/peers.sh filled. Without a section, all run. The status is 1 where
something fails that is not in known.tsv.
"""
import importlib
import sys

SECTIONS = ("real_servers", "sdks", "files", "hosts", "coding_agents", "gateways", "buckets")


def main(refract, peers, *sections):
    failed = 0
    for name in sections or SECTIONS:
        failed += importlib.import_module(name).main(refract, peers)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
