#!/usr/bin/env python3
"""What the simulator refuses, and on what each rule rests: the table of docs/SIMULATOR.md.

    sim_rules.py           print the table
    sim_rules.py --write   put it into docs/SIMULATOR.md
    sim_rules.py --check   fail where the one in there is another; and, where REFRACT_SHARED has
                           recordings, where a rule says "recorded" and is not, or is and does not

The source of a rule stands beside it in the code, as the words "source: NAME" in a comment before
the refusal; where there is none, the one in the comment at the head of the file holds, and else it
rests on documents.
"""
import glob
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/SIMULATOR.md"
BEGIN, END = "<!-- rules -->\n", "<!-- end of the rules -->\n"
REFUSES = re.compile(r"\b(?:rf_sim_(?:refuse|bad|constraint|openai_refuse|mistral_refuse|"
                     r"mistral_shape)|REFUSE)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:[A-Z][A-Za-z0-9_]*)?\s*"(?:[^"\\\n]|\\.)*")*'
                      r"(?:\s*PRId64)?")
MACRO = re.compile(r'"\s*([A-Z][A-Za-z0-9_]*)\s*"')
SOURCE = re.compile(r"source: ([a-z]+)")
PLACE = re.compile(r"%[-.*0-9]*(?:z|j|l)*[a-z]")
NAMES = {"openai": "OpenAI, both", "openai_chat": "Chat Completions",
         "openai_responses": "Responses", "anthropic": "Anthropic", "bedrock": "Bedrock",
         "cohere": "Cohere", "gemini": "Gemini", "mistral": "Mistral", "ollama": "Ollama",
         "keys": "keys"}
SOURCES = ("recorded", "documented", "reported", "code")


def closing(text, start):
    """The end of the parenthesis that opens before `start`."""
    depth, i = 1, start
    while depth:
        string = STRING.match(text, i)
        if string:
            i = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return i


def words(arguments):
    """The texts of a call that are said: sentences, and not codes."""
    for literal in LITERALS.finditer(arguments):
        joined = MACRO.sub(lambda m: "d" if m.group(1) == "PRId64" else "%s",
                           literal.group(0).replace("PRId64", 'PRId64 ""').replace('"" "', '"'))
        text = "".join(STRING.findall(joined))
        said = text.replace('\\"', '"').replace("\\n", "").strip()
        sentence = said.count(" ") + said[:1].isupper() > 1
        if sentence and re.search("[a-z]", re.sub(r"'[^']*'", "", said)):
            yield said


def rules():
    """(dialect, source, format) of every refusal, in the order of the code."""
    found = []
    for path in sorted(glob.glob(str(ROOT / "src/sim/*/*.c"))):
        text = pathlib.Path(path).read_text()
        head = COMMENT.match(text)
        usual = SOURCE.search(head.group(0)) if head else None
        for call in REFUSES.finditer(text):
            arguments = COMMENT.sub("", text[call.end():closing(text, call.end())])
            before = text[max(text.rfind(c, 0, call.start()) for c in ";{}"):call.start()]
            own = SOURCE.search(before)
            source = (own or usual).group(1) if own or usual else "documented"
            for said in words(arguments):
                row = (pathlib.Path(path).parent.name, source, said)
                if row not in found:
                    found.append(row)
    return found


def table():
    lines = ["| API | it says | source |", "|---|---|---|"]
    for dialect, source, said in rules():
        assert source in SOURCES, f"{said}: there is no source called {source}"
        shown = PLACE.sub("…", said).replace("%%", "%").replace("|", "\\|").replace("``", "")
        lines.append(f"| {NAMES[dialect]} | {shown} | {source} |")
    return "\n".join(lines) + "\n"


# Whose refusals are in a dialect, by the host or the name of the provider.
HOSTS = {"anthropic": "anthropic", "bedrock": "amazonaws|^bedrock", "gemini": "googleapis|^google",
         "openai": "openai|groq|openrouter", "mistral": "mistral", "cohere": "cohere"}


def recorded():
    """(host or provider, message) of every recorded refusal."""
    shared, found = pathlib.Path(os.environ.get("REFRACT_SHARED", "/nowhere")), set()
    known = shared / "spec/provider-errors.tsv"
    for row in known.read_text().splitlines()[1:] if known.exists() else ():
        provider, _, message = row.split("\t")[:3]
        found.add((provider, message.strip()))
    for path in shared.glob("recordings/**/*.json"):
        for exchange in json.loads(path.read_bytes()).get("exchanges", []):
            reply = exchange.get("response", {})
            if reply.get("status", 200) >= 400:
                host = exchange["request"]["url"].split("/")[2]
                found.update((host, text.strip()) for text in texts(reply.get("body")))
    return found


def texts(body):
    """Every string in a body."""
    if isinstance(body, str):
        yield body
    children = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    for child in children:
        yield from texts(child)


def pattern(said):
    """Of a refusal, with anything in its holes and a place before it."""
    pieces = [re.escape(piece) for piece in PLACE.split(said)]
    return re.compile(r"(?:.*: )?" + ".+?".join(pieces), re.S)


def wrong_sources():
    messages = recorded()
    if not messages:
        print("sim_rules: the recordings are not here (REFRACT_SHARED): sources are not checked")
        return
    for dialect, source, said in rules():
        hosts = re.compile(HOSTS.get(dialect.split("_")[0], "$."))
        is_recorded = any(hosts.search(host) and pattern(said).fullmatch(m)
                          for host, m in messages)
        if is_recorded != (source == "recorded"):
            yield f"{dialect}: {said}: {'was' if is_recorded else 'was not'} recorded"


def main():
    page = PAGE.read_text() if PAGE.exists() else BEGIN + END
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    whole = before + BEGIN + table() + END + after
    if "--write" in sys.argv:
        PAGE.write_text(whole)
    elif "--check" in sys.argv:
        bad = list(wrong_sources())
        if whole != page:
            bad.append("docs/SIMULATOR.md has another table: scripts/sim_rules.py --write")
        print("\n".join(bad) or f"{len(rules())} rules and their sources agree")
        sys.exit(bool(bad))
    else:
        print(table(), end="")


if __name__ == "__main__":
    main()
