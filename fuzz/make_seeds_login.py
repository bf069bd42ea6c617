#!/usr/bin/env python3
"""Write the seeds of fuzz_login: headers, queries and addresses, one idea each.

They go to corpus/login/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "login"
SEEDS = {
    "challenge": 'Bearer error="invalid_token", scope="a b", resource_metadata="https://a.example/x"',
    "two_challenges": 'Basic realm="x", Bearer scope=read, DPoP algs="ES256"',
    "quotes": 'Bearer scope="a\\"b\\\\", error="open',
    "query": "code=c%2Bd&state=s+t&iss=https%3A%2F%2Fa.example&%zz=%4",
    "addresses": "https://a.example/mcp\nhttps://A.EXAMPLE\nhttps://a.example.evil/mcp\nhttps://a.example@evil/mcp\n"
                 "https://a.example/mc\nhttp://a.example/mcp\nhttps://a.example/mcp#x\nhttps://a.example:443/mcp",
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (FOLDER / (name + ".txt")).write_text(text)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
