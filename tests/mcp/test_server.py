#!/usr/bin/env python3
"""`refract mcp` over stdio, as clients of both eras meet it on the wire: every method, the four
tools on real little files, resources and roots, and clients that misbehave.

    test_server.py PATH-OF-REFRACT [CASE]

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import io
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
import textwrap
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import media_fixtures  # noqa: E402
from wire import LIMIT_S, PREFIX, Modern, Wire, expect, meta, of_type, texts  # noqa: E402

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
TOOLS = ["read_file", "view_image", "describe_file", "pdf_pages"]
PARSE, INVALID, NO_METHOD, PARAMS = -32700, -32600, -32601, -32602


def pdf(pages):
    """One with so many pages, a line of text on each."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", None,
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for n in range(1, pages + 1):
        text = b"BT /F1 24 Tf 40 150 Td (This is page %d) Tj ET" % n
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text))
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents %d 0 R "
                       b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects))
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, b" ".join(kids))
    out, places = b"%PDF-1.4\n", []
    for i, body in enumerate(objects):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, body)
    table = b"".join(b"%010d 00000 n \n" % p for p in places)
    return (out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1) + table
            + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (len(places) + 1, len(out)))


def chunk(kind, body):
    """Of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


class Setting:
    """A folder with files, and how the server is started on it."""

    def __init__(self, program, folder):
        self.program = program
        # A sanitizer keeps what was freed.
        self.memory_tells = (pathlib.Path("/proc/self/status").exists()
                             and b"_asan_" not in pathlib.Path(program).read_bytes()
                             and b"_tsan_" not in pathlib.Path(program).read_bytes())
        self.base = pathlib.Path(folder).resolve()
        self.root = self.base / "root"
        self.root.mkdir()
        self.env = {"XDG_CACHE_HOME": str(self.base / "cache"),
                    "XDG_CONFIG_HOME": str(self.base / "config"),
                    "HOME": str(self.base)}

    def write(self, name, data):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def start(self, *arguments, kind=Wire, roots=None, **more):
        roots = [self.root] if roots is None else roots
        command = [self.program, "mcp", *(a for r in roots for a in ("--root", str(r)))]
        return kind([*command, *arguments], cwd=self.root, env=self.env, **more)

    def legacy(self, *arguments, version="2025-11-25", capabilities=None, name="test", **more):
        client = self.start(*arguments, **more)
        client.initialize(version, capabilities, name)
        return client

    def modern(self, *arguments, capabilities=None, **more):
        return self.start(*arguments, kind=Modern, capabilities=capabilities, **more)


# Both eras


def each_revision_is_agreed_on(s):
    for version in LEGACY:
        with s.start() as c:
            result = c.initialize(version)
            expect(result["protocolVersion"] == version, result)
            expect(result["serverInfo"]["name"] == "refract", result)
            expect(c.result("ping") == {}, "ping")
            tools = c.result("tools/list")["tools"]
            expect([t["name"] for t in tools] == TOOLS, tools)
            expect(all(("annotations" in t) == (version >= "2025-03-26") for t in tools), tools)
            expect(all(("title" in t) == (version >= "2025-06-18") for t in tools), tools)


def an_unknown_revision_gets_the_newest_legacy_one(s):
    for version in ["1999-01-01", "2026-07-28", ""]:
        with s.start() as c:
            expect(c.initialize(version)["protocolVersion"] == LEGACY[-1], version)


def initialize_needs_a_version(s):
    with s.start() as c:
        expect(c.error("initialize", {})["code"] == PARAMS, "no version")
        expect(c.error("initialize", {"protocolVersion": 1})["code"] == PARAMS, "a number")
        c.initialize()


def nothing_is_served_before_it_is_known_who_asks(s):
    with s.start() as c:
        expect(c.result("ping") == {}, "ping")
        error = c.error("tools/list")
        expect(error["code"] == PARAMS and "initialize" in error["message"], error)


def discover_tells_all(s):
    with s.modern() as c:
        result = c.result("server/discover")
        expect(result["resultType"] == "complete", result)
        expect(result["supportedVersions"] == ["2026-07-28"], result)
        expect(result["ttlMs"] >= 0 and result["cacheScope"] in ("public", "private"), result)
        expect(set(result["capabilities"]) == {"tools", "resources", "logging", "completions"},
               result)
        expect(result["_meta"][PREFIX + "serverInfo"]["name"] == "refract", result)
        expect(len(result["instructions"]) < 2048, "instructions over 2 KB")


def modern_requests_say_who_asks(s):
    with s.start() as c:
        whole = meta()
        for missing in ("protocolVersion", "clientCapabilities"):
            part = {k: v for k, v in whole.items() if k != PREFIX + missing}
            error = c.error("server/discover", {"_meta": part})
            expect(error["code"] == PARAMS and missing in error["message"], error)
        expect(c.error("server/discover")["code"] == PARAMS, "no _meta at all")
        for version in ["1900-01-01", "2025-11-25"]:
            error = c.error("tools/list", {"_meta": meta(version=version)})
            expect(error["code"] == -32022, error)
            expect(error["data"] == {"supported": ["2026-07-28"], "requested": version}, error)


def each_era_has_methods_of_its_own(s):
    with s.modern() as c:
        for method in ("ping", "logging/setLevel", "resources/subscribe", "prompts/list", "nope"):
            expect(c.error(method)["code"] == NO_METHOD, method)
    with s.legacy() as c:
        for method in ("prompts/list", "prompts/get", "tasks/list", "nope", ""):
            expect(c.error(method)["code"] == NO_METHOD, method)


def both_eras_on_one_connection(s):
    s.write("a.txt", "hello")
    with s.legacy() as c:
        params = {"name": "read_file", "arguments": {"file_path": "a.txt"}}
        expect("resultType" not in c.result("tools/call", params), "legacy")
        modern = c.result("tools/call", {**params, "_meta": meta()})
        expect(modern["resultType"] == "complete", modern)


def lists_are_alike_and_cacheable(s):
    with s.modern() as c:
        once, again = c.result("tools/list"), c.result("tools/list")
        expect(once == again, "tools/list differs")
        for method in ("tools/list", "resources/list", "resources/templates/list"):
            result = c.result(method)
            expect(result["resultType"] == "complete" and result["ttlMs"] >= 0, result)
            expect(result["cacheScope"] in ("public", "private"), result)
        templates = c.result("resources/templates/list")["resourceTemplates"]
        expect(templates[0]["uriTemplate"] == "file:///{path}", templates)


def tools_are_described_as_hosts_want_it(s):
    with s.modern() as c:
        for tool in c.result("tools/list")["tools"]:
            expect(re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", tool["name"]), tool["name"])
            expect(len(tool["description"].encode()) < 2048, tool["name"])
            expect(tool["inputSchema"]["type"] == "object" and tool["title"], tool)
            expect(set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"]),
                   tool)
            hints = tool["annotations"]
            expect(hints["readOnlyHint"] is True and hints["openWorldHint"] is False, hints)
            expect(("outputSchema" in tool) == (tool["name"] == "describe_file"), tool)


# The tools


def read_file_reads_text(s):
    s.write("a.txt", "one\ntwo\nthree\n")
    for c in (s.legacy(), s.modern()):
        with c:
            result = c.tool("read_file", {"file_path": "a.txt"})
            whole = "[Text: a.txt, 3 lines, 14 bytes]\none\ntwo\nthree\n"
            expect(result["content"] == [{"type": "text", "text": whole}], result)
            expect(not result.get("isError"), result)
            part = texts(c.tool("read_file", {"file_path": "a.txt", "offset": 2, "limit": 1}))
            expect(part == "[Text: a.txt, 3 lines, 14 bytes] Lines 2-2 of 3. Use offset=3 to continue.\n"
                   "two\n", part)
            part = texts(c.tool("read_file", {"file_path": "a.txt", "byte_offset": 4}))
            expect(part == "[Text: a.txt, 14 bytes] Bytes 4-13 of 14.\ntwo\nthree\n", part)
            whole = c.tool("read_file", {"file_path": str(s.root / "a.txt")})
            expect(whole["content"] == result["content"], "by its absolute path")
            uri = c.tool("read_file", {"file_path": (s.root / "a.txt").as_uri()})
            expect(uri["content"] == result["content"], "by its URI")


def long_text_is_cut_with_a_hint(s):
    s.write("long.txt", "".join(f"line {n} of a long text\n" for n in range(20000)))
    for host, most in (("codex-mcp-client", 12000), ("claude-code", 45000)):
        with s.legacy(name=host) as c:
            text = texts(c.tool("read_file", {"file_path": "long.txt"}))
            expect(len(text.encode()) < most, f"{host}: {len(text)}")
            go_on = re.search(r"Use offset=(\d+) to continue", text)
            expect(go_on, text[:200])
            more = texts(c.tool("read_file", {"file_path": "long.txt",
                                              "offset": int(go_on.group(1))}))
            expect(f"line {int(go_on.group(1)) - 1} of" in more, more[:200])


def text_that_grows_as_json_is_read_to_its_end(s):
    whole = json.dumps([{"n": n, "words": ["a", "b\\", '"']} for n in range(1500)], indent=1)
    s.write("lines.json", whole)
    s.write("line.json", whole.replace("\n", ""))
    for host in ("codex-mcp-client", "claude-code"):
        with s.legacy(name=host) as c:
            for name, argument, first in (("lines.json", "offset", 1), ("line.json", "byte_offset", 0)):
                seen, hints = "", [first]
                while hints:
                    text = texts(c.tool("read_file", {"file_path": name, argument: int(hints[0])}))
                    expect("Cut to fit" not in text, text[-200:])
                    head, _, body = text.partition("\n")
                    hints = re.findall(f"Use {argument}=(\\d+) to continue", head)
                    seen += body
                expect(seen.rstrip("\n") == (s.root / name).read_text(), f"{host} {name}")


def base64_of_a_picture_is_never_text(s):
    rows = b"".join(b"\0" + bytes(i * j & 255 for i in range(600)) for j in range(200))
    picture = base64.b64encode(media_fixtures.png(200, (1, 2, 3))[:33]
                               + struct.pack(">I", len(rows)) + b"IDAT" + rows).decode()
    s.write("one.txt", f"one\n{picture}\nlast\n")
    s.write("url.css", f"a {{ b: url(data:image/png;base64,{picture}) }}\nlast\n")
    s.write("mail.txt", "one\n" + "\n".join(textwrap.wrap(picture, 76)) + "\nlast\n")
    with s.modern() as c:
        for name in ("one.txt", "url.css", "mail.txt"):
            for window in ({}, {"offset": 2}, {"offset": 500, "limit": 20}, {"byte_offset": 10},
                           {"byte_offset": 50000}, {"byte_offset": 100, "byte_limit": 5000}):
                text = texts(c.tool("read_file", {"file_path": name, **window}))
                long = re.search(r"[A-Za-z0-9+/]{64}", text)
                expect(not long, f"{name} {window}: {text[:400]}")


def pictures_are_shown(s):
    s.write("red.png", media_fixtures.png(16, (255, 0, 0)))
    s.write("blue.jpg", media_fixtures.jpeg(29, 255, 107))
    s.write("lying.jpg", media_fixtures.png(16, (0, 255, 0)))
    s.write("pixel.bmp", media_fixtures.bmp((1, 2, 3)))
    with s.modern() as c:
        for name, mime in (("red.png", "image/png"), ("blue.jpg", "image/jpeg"),
                           ("lying.jpg", "image/png"), ("pixel.bmp", "image/png")):
            for tool, argument in (("view_image", "path"), ("read_file", "file_path")):
                result = c.tool(tool, {argument: name})
                expect(result["content"][0]["type"] == "text", "a text comes first")
                (image,) = of_type(result, "image")
                expect(image["mimeType"] == mime, f"{name}: {image['mimeType']}")
                data = base64.b64decode(image["data"], validate=True)
                expect(data.startswith(b"\x89PNG" if mime == "image/png" else b"\xff\xd8"), name)
                expect("structuredContent" not in result, "beside a picture")


def office(part, body, sides):
    """A document with a picture of each of these sides; `body` is what it says of one."""
    rel = '<Relationship Id="%s" Type="x/%s" Target="%s"/>'
    out, folder, name = io.BytesIO(), part.split("/")[0], part.split("/")[1]
    rels = "".join(rel % (f"i{n}", "image", f"media/image{n}.png") for n in range(1, len(sides) + 1))
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("[Content_Types].xml", "<Types/>")
        z.writestr("_rels/.rels", f"<Relationships>{rel % ('r', 'officeDocument', part)}</Relationships>")
        z.writestr(part, body % "".join(f'<w:p><w:r><a:blip r:embed="i{n}"/></w:r></w:p>'
                                        for n in range(1, len(sides) + 1)))
        z.writestr(f"{folder}/_rels/{name}.rels", f"<Relationships>{rels}</Relationships>")
        for n, side in enumerate(sides, 1):
            z.writestr(f"{folder}/media/image{n}.png", media_fixtures.png(side, (255, 0, 0)))
    return out.getvalue()


def captions_of(result):
    """What stands before each picture, and words for one that was shown before."""
    blocks = result["content"]
    for before, block in zip(blocks, blocks[1:]):
        expect(block["type"] != "image" or before["type"] == "text", f"no caption: {texts(result)}")
    return [b["text"] for b in blocks if b["type"] == "text" and "; " in b["text"]
            and re.search(r"; (no\. \d|the same)", b["text"])]


def each_picture_has_its_caption(s):
    size = len(media_fixtures.png(16, (255, 0, 0)))
    s.write("a.docx", office("word/document.xml", "<w:document><w:body>%s</w:body></w:document>",
                             [16, 8, 16]))
    s.write("none.pptx", office("ppt/presentation.xml", "<p:presentation>%s</p:presentation>", [16]))
    for host in ("test", "claude-code", "codex-mcp-client"):
        with s.legacy(name=host) as c:
            result = c.tool("read_file", {"file_path": "a.docx"})
            captions = captions_of(result)
            expect(len(of_type(result, "image")) == 2 and len(captions) == 3, captions)
            expect(captions[0] == f"[Image: image1.png, in a.docx; no. 1, 16 x 16 pixels, {size} bytes]",
                   captions)
            expect("image2.png, in a.docx; no. 2, 8 x 8 pixels" in captions[1], captions)
            expect(captions[2] == "[Image: image3.png, in a.docx; the same picture as no. 1 above]",
                   captions)
            result = c.tool("read_file", {"file_path": "none.pptx"})
            expect(len(of_type(result, "image")) == 1 == len(captions_of(result)) - 1, texts(result))


def a_result_stays_within_what_hosts_take(s):
    noise = os.urandom(1)[0]
    rows = b"".join(bytes([0]) + bytes((noise * i * j + i ^ j) & 255 for i in range(3 * 900))
                    for j in range(900))
    s.write("big.png", b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", 900, 900, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
    with s.modern() as c:
        number = c.ask("tools/call", {"name": "view_image", "arguments": {"path": "big.png"}})
        answer = c.answer(number)
        expect(len(json.dumps(answer)) < 1_000_000, "over 1 MB")
        expect(of_type(answer["result"], "image"), answer)


def a_pdf_is_its_text_and_its_pages(s):
    s.write("three.pdf", pdf(3))
    with s.modern() as c:
        result = c.tool("read_file", {"file_path": "three.pdf"})
        expect(result["content"][0]["type"] == "text", result["content"][0])
        expect("This is page 3" in texts(result), texts(result))
        expect(of_type(result, "image"), "no picture of a page")
        expect(all(b["type"] in ("text", "image", "resource_link") for b in result["content"]),
               [b["type"] for b in result["content"]])


def pages_of_two_types_are_told(s):
    noise = bytes((i * i * 7 + i // 300 * 31) & 255 for i in range(300 * 200 * 3))
    text = b"BT /F1 24 Tf 40 150 Td (This is page 2) Tj ET"
    drawn = b"q 300 0 0 200 0 0 cm BI /W 300 /H 200 /CS /RGB /BPC 8 ID " + noise + b"\nEI Q"
    s.write("two.pdf", pdf(2).replace(b"<< /Length %d >>\nstream\n%s" % (len(text), text),
                                      b"<< /Length %d >>\nstream\n%s" % (len(drawn), drawn)))
    with s.modern() as c:
        result = c.tool("read_file", {"file_path": "two.pdf"})
        types = [b["mimeType"] for b in of_type(result, "image")]
        expect(types == ["image/png", "image/jpeg"], types)
        expect("is shown as image/png or image/jpeg x 2 pages: " in texts(result), texts(result))


def each_range_of_a_pdf_comes_with_its_pages(s):
    s.write("ten.pdf", pdf(10))
    with s.modern() as c:
        for part, pages in (("2,4", [2, 4]), ("1-3,5-6", [1, 2, 3, 5, 6])):
            result = c.tool("read_file", {"file_path": f"ten.pdf#p={part}"})
            shown = re.findall(r"\[Page (\d+) of 10 of \"ten.pdf\" as a picture; no", texts(result))
            expect(shown == [str(n) for n in pages], texts(result))
            expect(len(of_type(result, "image")) == len(pages), texts(result))
            expect("not sent" not in texts(result).lower(), texts(result))


def long_documents_go_on_by_one_hint(s):
    line = "the quick brown fox jumps over the lazy dog, and runs on"
    pages = [[f"{page}.{i}: {line}".encode() for i in range(40)] for page in range(1, 13)]
    s.write("long.pdf", media_fixtures.long_pdf(pages))
    with s.legacy(name="codex-mcp-client") as c:
        seen, at = "", 0
        for _ in range(12):
            text = texts(c.tool("read_file", {"file_path": "long.pdf", "page_start": at}))
            hints = re.findall(r"Use (\S+) to continue", text)
            seen += text
            if not hints:
                break
            expect(len(hints) == 1 and hints[0].startswith("page_start="), text[:300])
            at = int(hints[0].split("=")[1])
        for page in range(1, 13):
            expect(f"{page}.0: {line}" in seen and f"{page}.39: {line}" in seen, f"page {page}")
        part, seen = "3-11", []
        while part:
            text = texts(c.tool("read_file", {"file_path": f"long.pdf#p={part}"}))
            seen += [n for n in range(1, 13) if re.search(rf"\b{n}\.39: {line}", text)]
            part = next(iter(re.findall(r"Use #p=(\S+) to continue", text)), None)
            expect(not part or part.endswith("11"), text[:200])
        expect(seen == list(range(3, 12)), seen)
    settings = s.base / "config/refract/config.yaml"  # a page is more than one read gives
    settings.parent.mkdir(parents=True)
    settings.write_text("limits: {document_text_bytes: 1024}")
    with s.legacy(name="codex-mcp-client") as c:
        text = texts(c.tool("read_file", {"file_path": "long.pdf"}))
        (hint,) = re.findall(r"Use (.+) to continue", text)
        expect(hint.startswith("page_start=0, page_end=1, offset="), text[:300])
        more = texts(c.tool("read_file", {"file_path": "long.pdf", **{
            name: int(value) for name, value in (a.split("=") for a in hint.split(", "))}}))
        expect("Lines " in more and "Pages 1-" not in more, more[:300])
    with s.legacy(name="gemini-cli-mcp-client") as c:
        text = texts(c.tool("read_file", {"file_path": "long.pdf"}))
        expect("Lines " not in text and "offset=" not in text, text[:300])


def follow(c, path):
    """All texts of a file or folder, by every hint of how to go on."""
    calls, seen = [{"file_path": path}], []
    for call in calls:
        text = texts(c.tool("read_file", call))
        expect(len(calls) < 200 and "Cut to fit" not in text and "Its text, the first" not in text
               and "not sent" not in text.lower() and "not shown" not in text.lower(),
               f"{call}: {text[:600]}")
        seen.append(text)
        for hint in re.findall(r"(?:Use|read on with) ((?:#p=[\d,-]*\d|\w+=\d+)(?:, \w+=\d+)*)", text):
            hint = dict(a.split("=") for a in hint.split(", "))
            part = hint.pop("#p", None)
            name = path.partition("#")[0] + f"#p={part}" if part else call["file_path"]
            go_on = {"file_path": name, **{k: int(v) for k, v in hint.items()}}
            if go_on not in calls:
                calls.append(go_on)
    return "\n".join(seen)


def following_the_hints_reads_to_the_end(s):
    def small_print(pages, count):
        """So that all lines are on the page; with what becomes more as JSON."""
        lines = [[b"token p%dl%d of \"a page\"" % (page, i) + b" and more" * 4 for i in range(count)]
                 for page in range(1, pages + 1)]
        made = media_fixtures.long_pdf(lines)
        return made.replace(b"/F1 11 Tf", b"/F1 .5 Tf").replace(b" 0 -14 Td", b" 0 -.8 Td")
    s.write("dense.pdf", small_print(3, 700))
    s.write("many.pdf", small_print(30, 90))
    for i in range(2500):
        s.write(f"folder/a file with a long name {i:05}.txt", "")
    pages = {"dense.pdf": (range(1, 4), 700), "many.pdf": (range(1, 31), 90),
             "many.pdf#p=3-20": (range(3, 21), 90),
             "many.pdf#p=3,9,20-28": ((3, 9, *range(20, 29)), 90),
             "many.pdf#p=1,3,5,7,9,11,13,15": (range(1, 16, 2), 90)}
    for host in ("other", "codex-mcp-client"):
        with s.legacy(name=host) as c:
            for path, (numbers, count) in pages.items():
                seen = set(re.findall(r"token (p\d+l\d+) ", follow(c, path)))
                missing = {f"p{n}l{i}" for n in numbers for i in range(count)} - seen
                expect(not missing, f"{host}, {path}: {len(missing)}, {sorted(missing)[:9]}")
            seen = re.findall(r"name (\d{5})", follow(c, "folder"))
            expect(seen == [f"{i:05}" for i in range(2500)], f"{host}: {len(seen)} entries")


def every_picture_of_a_document_is_shown(s):
    def noise(size, number):
        rows = b"".join(b"\0" + random.Random(number * 1000 + y).randbytes(3 * size) for y in range(200))
        return (b"\x89PNG\r\n\x1a\n"
                + chunk(b"IHDR", struct.pack(">IIBBBBB", size, 200, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
    path = s.write("pictures.docx", media_fixtures.docx(b"Dear reader"))
    with zipfile.ZipFile(path, "a") as z:  # those that make a result full, and small ones
        for n in range(1, 25):
            z.writestr(f"word/media/image{n}.png", noise(300 if n < 13 else 20, n))
    for host in ("other", "codex-mcp-client"):
        with s.legacy(name=host) as c:
            name, shown, calls = "pictures.docx", 0, 0
            while name:
                result = c.tool("read_file", {"file_path": name})
                expect(not re.search(r'"image\d+\.png" .* is not shown', texts(result)), texts(result))
                shown += len(of_type(result, "image"))
                calls += 1
                hint = re.search(r'[Rr]ead "[^"]*(pictures\.docx#pictures=(\d+)-)"', texts(result))
                expect(not hint or int(hint.group(2)) == shown + 1, f"{shown}: {texts(result)}")
                name = hint and hint.group(1)
            expect(shown == 24 and calls < 7, f"{host}: {shown} in {calls} calls")


def pdf_pages_shows_pages(s):
    s.write("ten.pdf", pdf(10))
    with s.legacy() as c:
        result = c.tool("pdf_pages", {"path": "ten.pdf"})
        expect(len(of_type(result, "image")) == 4, [b["type"] for b in result["content"]])
        expect(result["content"][0]["type"] == "text", "a text comes first")
        expect(texts(result).startswith("[PDF: ten.pdf, pages 1-4 of 10"), texts(result))
        expect("page_start=4" in texts(result), texts(result))
        result = c.tool("pdf_pages", {"path": "ten.pdf", "page_start": 8, "page_end": 20})
        expect(len(of_type(result, "image")) == 2, texts(result))
        expect("[Page 9 of ten.pdf; no. 1, 1250 x 833 pixels, " in texts(result) and "page_start=" not in texts(result), texts(result))
        small = c.tool("pdf_pages", {"path": "ten.pdf", "page_end": 1, "resolution": 36})
        large = c.tool("pdf_pages", {"path": "ten.pdf", "page_end": 1, "resolution": 150})
        data = [base64.b64decode(of_type(r, "image")[0]["data"]) for r in (small, large)]
        widths = [int.from_bytes(d[16:20], "big") for d in data]
        expect(all(d.startswith(b"\x89PNG") for d in data) and widths == [150, 625], widths)


def pages_in(result):
    """The numbers in the captions, each of which stands before a picture."""
    blocks = result["content"][1:]
    expect([b["type"] for b in blocks] == ["text", "image"] * (len(blocks) // 2), blocks)
    return [int(re.match(r"\[Page (\d+) of", b["text"]).group(1)) for b in blocks[::2]]


def pdf_pages_shows_every_range(s):
    s.write("many.pdf", pdf(40))
    with s.legacy() as c:
        for part, pages, hint in (("2,4", [2, 4], None), ("3-4,9,1", [3, 4, 9, 1], None),
                                  ("7", [7], "page_start=7"), ("38-", [38, 39, 40], None),
                                  ("1-30,35", range(1, 21), "#p=21-30,35"),
                                  ("31-,2-19", [*range(31, 41), *range(2, 12)], "#p=12-19")):
            result = c.tool("pdf_pages", {"path": f"many.pdf#p={part}"})
            expect(pages_in(result) == list(pages), f"{part}: {texts(result)}")
            hints = re.findall(r"Use (\S+) to continue", texts(result))
            expect(hints == ([hint] if hint else []), f"{part}: {hints}")
        expect(", pages 3-4, 9, 1 of 40 as" in texts(
            c.tool("pdf_pages", {"path": "many.pdf#p=3-4,9,1"})), "the line that says what")
        result = c.tool("pdf_pages", {"path": "many.pdf#p=2,4", "page_start": 10, "page_end": 12})
        expect(pages_in(result) == [11, 12], "arguments count first")
        result = c.tool("pdf_pages", {"path": "many.pdf#p=2,41"})
        expect(result["isError"] and "there is no page 41: the last is 40" in texts(result), result)


def pdf_pages_numbers_pages_as_they_are(s):
    wide = pdf(3).replace(b"[0 0 300 200] /Contents 6", b"[0 0 99999999 200] /Contents 6")
    s.write("wide.pdf", wide)  # its second page is too wide to be drawn
    with s.legacy() as c:
        result = c.tool("pdf_pages", {"path": "wide.pdf"})
        expect(pages_in(result) == [1, 3], texts(result))
        expect("page 2 could not be read" in texts(result), texts(result))


def pdf_pages_says_what_is_wrong(s):
    s.write("one.pdf", pdf(1))
    s.write("a.txt", "hello")
    with s.legacy() as c:
        for arguments, words in (({"path": "a.txt"}, "not a PDF"),
                                 ({"path": "one.pdf", "page_start": 5}, "no page 6: the last is 1"),
                                 ({"path": "one.pdf", "page_start": "x"}, "page_start must be"),
                                 ({"path": "one.pdf", "resolution": 1}, "resolution must be"),
                                 ({"path": "none.pdf"}, "no such file"), ({}, "path is missing")):
            result = c.tool("pdf_pages", arguments)
            expect(result["isError"] is True and words in texts(result), f"{arguments}: {result}")


def notes_are_for_a_host(s):
    """It has no ids to ask by, and is not a model."""
    s.write("tone.wav", media_fixtures.wav(800))
    s.write("letter.docx", media_fixtures.docx(b"Dear reader"))
    s.write("clip.mp4", (pathlib.Path(__file__).parent.parent / "fixtures/clip.mp4").read_bytes())
    s.write("large.png", b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", 2500, 2500, 1, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(2500 * (1 + 313)))) + chunk(b"IEND", b""))
    with s.legacy() as c:
        for name, words in (("tone.wav", "This host shows images (png, jpeg, gif, webp) and text."),
                            ("tone.wav", 'read_file with as="audio" gives it'),
                            ("tone.wav", "no transcribe command is configured"),
                            ("letter.docx", "Dear reader"), ("clip.mp4", '"clip.mp4#t=0-10"'),
                            ("clip.mp4", "takes no video/mp4"),
                            ("large.png", '"large.png#xywh=0,0,800,600"')):
            result = c.tool("read_file", {"file_path": name})
            text = texts(result)
            links = [b["uri"] for b in of_type(result, "resource_link")]
            expect(links == ([(s.root / name).as_uri()] if name == "tone.wav" else []), links)
            expect(words in text, f"{name}: {text}")
            expect("att_" not in text and "model" not in text and "sent" not in text, text)


def each_failure_says_what_to_do(s):
    s.write("folder/x", "x")
    s.write("text.pdf", "hello, hello\n")
    s.write("cut.png", media_fixtures.png(16, (255, 0, 0))[:20])
    s.write("red.png", media_fixtures.png(16, (255, 0, 0)))
    cases = [("read_file", {}, '{"file_path": "docs/a.pdf"}'), ("pdf_pages", {"path": "folder"}, "lists it"),
             ("view_image", {"path": "folder"}, "lists it"),
             ("read_file", {"file_path": "folder", "as": "original"}, "lists it"),
             ("read_file", {"file_path": "text.pdf"}, 'as="original" gives the text'),
             ("describe_file", {"path": "cut.png"}, "may have a better copy"),
             ("read_file", {"file_path": "cut.png"}, "may have a better copy"),
             ("read_file", {"file_path": "red.png", "as": "audio"}, "leave as out"),
             ("read_file", {"file_path": "red.png", "as": "x"}, "without it the file is read"),
             ("read_file", {"file_path": "https://a.example/x.pdf"}, "save what is there to a file first"),
             ("read_file", {"file_path": "none"}, "Read the folder"),
             ("pdf_pages", {"path": "red.png"}, "read_file reads it"),
             ("view_image", {"path": "text.pdf"}, "gives the text"),
             ("read_file", {"file_path": "pipe"}, "a socket. Nothing can be read from it here."),
             ("read_file", {"file_path": "x/" * 2500}, "file_path is too long")]
    os.mkfifo(s.root / "pipe")
    with s.legacy() as c:
        for tool, arguments, words in cases:
            result = c.tool(tool, arguments)
            expect(result["isError"] is True and words in texts(result), f"{tool} {arguments}: {result}")
        given = c.tool("read_file", {"file_path": "text.pdf", "as": "original"})
        expect("hello, hello" in json.dumps(given), given)
        expect("tools/list" in c.error("tools/call", {"name": "none"})["message"], "an unknown tool")


def no_password_is_asked_for(s):
    s.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"sesame"))
    with s.legacy() as c:
        for tool, name in (("read_file", "file_path"), ("pdf_pages", "path")):
            text = texts(c.tool(tool, {name: "locked.pdf"}))
            expect("is encrypted" in text and "save a copy without the password" in text, text)
            expect(re.search(r"\.\s+The user can open it", text), text)
            expect("Do not ask for its password" in text and "Give the password" not in text, text)


def describe_file_tells_facts(s):
    s.write("red.png", media_fixtures.png(16, (255, 0, 0)))
    s.write("ten.pdf", pdf(10))
    s.write("tone.wav", media_fixtures.wav(800))
    s.write("a.txt", "hello\n")
    s.write("folder/x", "x")
    s.write("letter.docx", media_fixtures.docx(b"Dear reader"))
    cases = {"red.png": {"kind": "image", "mime_type": "image/png", "width": 16, "height": 16},
             "ten.pdf": {"kind": "pdf", "mime_type": "application/pdf", "pages": 10,
                         "page_word": "page"},
             "tone.wav": {"kind": "audio", "mime_type": "audio/wav"},
             "a.txt": {"kind": "text", "mime_type": "text/plain", "size_bytes": 6},
             "letter.docx": {"kind": "office"},
             "locked.pdf": {"kind": "pdf", "summary": "[PDF: locked.pdf, encrypted]", "encrypted": True},
             "locked.odt": {"kind": "office", "encrypted": True},
             "two.zip": {"kind": "archive", "mime_type": "application/zip", "entries": 2,
                         "summary": "[Archive: two.zip, 2 files]"},
             "folder": {"kind": "folder", "entries": 1}}
    with zipfile.ZipFile(s.root / "two.zip", "w") as z:
        z.writestr("a.txt", "a")
        z.writestr("b.txt", "b")
    s.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"sesame"))
    s.write("locked.odt", media_fixtures.locked_odt("Nobody else reads this.", b"sesame"))
    with s.modern() as c:
        schema = next(t for t in c.result("tools/list")["tools"]
                      if t["name"] == "describe_file")["outputSchema"]
        for name, facts in cases.items():
            result = c.tool("describe_file", {"path": name})
            told = result["structuredContent"]
            expect(json.loads(texts(result)) == told, "the text is the same")
            expect(facts.items() <= told.items(), f"{name}: {told}")
            expect(set(schema["required"]) <= set(told) <= set(schema["properties"]), told)
        expect("pages" not in c.tool("describe_file", {"path": "letter.docx"})["structuredContent"],
               "a text that flows has no pages")
        expect(c.tool("describe_file", {"path": "none"})["isError"] is True, "none")
        advice = c.tool("describe_file", {"path": "locked.pdf"})["structuredContent"]["advice"]
        expect("save a copy without the password" in advice, advice)
    with s.legacy(version="2024-11-05") as c:
        result = c.tool("describe_file", {"path": "a.txt"})
        expect("structuredContent" not in result and "hello" not in texts(result), result)


def originals_come_when_asked_for(s):
    sound = media_fixtures.wav(800)
    s.write("tone.wav", sound)
    s.write("data.bin", bytes(range(256)))
    s.write("huge.bin", b"\0" * (2 << 20))
    with s.modern() as c:
        plain = c.tool("read_file", {"file_path": "tone.wav"})
        expect(not of_type(plain, "audio"), "sound that nobody asked for")
        (audio,) = of_type(c.tool("read_file", {"file_path": "tone.wav", "as": "audio"}), "audio")
        expect(base64.b64decode(audio["data"]) == sound and audio["mimeType"] == "audio/wav",
               audio["mimeType"])
        (file,) = of_type(c.tool("read_file", {"file_path": "data.bin", "as": "original"}),
                          "resource")
        expect(base64.b64decode(file["resource"]["blob"]) == bytes(range(256)), file)
        expect(file["resource"]["uri"] == (s.root / "data.bin").as_uri(), file)
        s.write("a.json", '{"a": "\u00e4"}')
        (file,) = of_type(c.tool("read_file", {"file_path": "a.json", "as": "original"}), "resource")
        (read,) = c.result("resources/read", {"uri": (s.root / "a.json").as_uri()})["contents"]
        expect(file["resource"] == read and read["text"] == '{"a": "\u00e4"}', file)
        s.write("long.txt", "a line\n" * 20000)
        long = c.tool("read_file", {"file_path": "long.txt", "as": "original"})
        expect(of_type(long, "resource_link") and not of_type(long, "resource"), long["content"][0])
        huge = c.tool("read_file", {"file_path": "huge.bin", "as": "original"})
        (link,) = of_type(huge, "resource_link")
        expect(link["size"] == 2 << 20 and link["uri"].endswith("/huge.bin"), link)
        for wrong in ("data.bin", "none.bin"):
            result = c.tool("read_file", {"file_path": wrong, "as": "audio"})
            expect(result["isError"] is True, wrong)
        expect(c.tool("read_file", {"file_path": "data.bin", "as": "film"})["isError"], "as film")


def a_path_goes_by_either_name(s):
    s.write("red.png", media_fixtures.png(16, (255, 0, 0)))
    s.write("one.pdf", pdf(1))
    with s.legacy() as c:
        for tool, file in (("read_file", "red.png"), ("view_image", "red.png"),
                           ("describe_file", "red.png"), ("pdf_pages", "one.pdf")):
            for given in ({"path": file}, {"file_path": file}, {"path": file, "file_path": file},
                          {"path": None, "file_path": file}):
                result = c.tool(tool, given)
                expect(not result.get("isError"), f"{tool} {given}: {result}")
            result = c.tool(tool, {"path": file, "file_path": "other"})
            expect(result["isError"] and "name different files" in texts(result), result)


def pages_that_cannot_be_are_told(s):
    s.write("ten.pdf", pdf(10))
    with s.legacy() as c:
        for arguments, words in (
                ({"page_start": -1}, ("found -1. Pages count from 0", "from 0 to")),
                ({"page_end": 0}, ("larger than", "from 1 to")),
                ({"page_start": 1.5}, ("whole number", "whole number")),
                ({"page_start": 3, "page_end": 2}, ("larger than", "larger than")),
                ({"page_start": 10}, ("no page 11", "no page 11"))):
            for tool, said in zip(("read_file", "pdf_pages"), words):
                result = c.tool(tool, {"path": "ten.pdf", **arguments})
                expect(result["isError"] and said in texts(result),
                       f"{tool} {arguments}: {texts(result)}")


def bad_files_are_results_and_no_errors(s):
    s.write("cut.png", media_fixtures.png(64, (1, 2, 3))[:60])
    s.write("text.pdf", "this is not a PDF")
    with s.legacy() as c:
        for name in ("cut.png", "text.pdf", "none.txt", "none/none.txt", "\0", "a\nb"):
            result = c.tool("read_file", {"file_path": name})
            expect(result["isError"] is True and len(texts(result)) > 10, f"{name!r}: {result}")
        for arguments in ({}, {"file_path": 7}, {"file_path": ""}, {"file_path": None}):
            result = c.tool("read_file", arguments)
            expect(result["isError"] is True and "file_path" in texts(result), result)


def wrong_calls_are_errors(s):
    with s.modern() as c:
        for params in ({"name": "nope"}, {}, {"name": 7}, {"name": "x" * 5000},
                       {"name": "read_file", "arguments": []},
                       {"name": "read_file", "arguments": "a.txt"},
                       {"name": "read_attachment", "arguments": {"id": "att_1"}}):
            error = c.error("tools/call", params)
            expect(error["code"] == PARAMS and len(error["message"]) < 300, error)


# Roots


def paths_stay_below_the_roots(s):
    (s.base / "secret.txt").write_text("secret")
    s.write("a.txt", "hello")
    os.symlink(s.base / "secret.txt", s.root / "link.txt")
    os.symlink(s.base, s.root / "up")
    for c in (s.legacy(), s.modern()):
        with c:
            for path in ("../secret.txt", str(s.base / "secret.txt"), "link.txt", "up/secret.txt",
                         "/etc/passwd", str(s.root) + "/../secret.txt", str(s.root) + "x/a",
                         "file:///etc/passwd", f"file://{s.root}/%2e%2e/secret.txt"):
                for tool, name in (("read_file", "file_path"), ("describe_file", "path"),
                                   ("view_image", "path"), ("pdf_pages", "path")):
                    result = c.tool(tool, {name: path})
                    expect(result["isError"] is True and '"secret"' not in json.dumps(result),
                           f"{tool} {path}: {result}")
                result = c.tool("read_file", {"file_path": path, "as": "original"})
                expect(result["isError"] is True, path)
            for uri in ("file:///etc/passwd", (s.base / "secret.txt").as_uri(),
                        s.root.as_uri() + "/../secret.txt", s.root.as_uri() + "/link.txt"):
                error = c.error("resources/read", {"uri": uri})
                expect(error["code"] in (PARAMS, -32002), error)


def several_roots(s):
    other = s.base / "other"
    other.mkdir()
    (other / "b.txt").write_text("from the other")
    s.write("a.txt", "from the first")
    with s.legacy(roots=[s.root, other]) as c:
        for path, words in (("a.txt", "from the first"), ("b.txt", "from the other"),
                            (str(other / "b.txt"), "from the other")):
            expect(words in texts(c.tool("read_file", {"file_path": path})), path)
        names = [r["name"] for r in c.result("resources/list")["resources"]]
        expect(names == ["a.txt", "b.txt"], names)


def listed(c):
    """The URIs of all pages of resources/list, a list a page."""
    pages, cursor = [], None
    while cursor is not None or not pages:
        result = c.result("resources/list", {} if cursor is None else {"cursor": cursor})
        pages.append([r["uri"] for r in result["resources"]])
        cursor = result.get("nextCursor")
    return pages


def roots_in_one_another_are_listed_once(s):
    inner = pathlib.Path(s.write("in/a.txt", "a")).parent
    hidden = pathlib.Path(s.write(".hidden/b.txt", "b")).parent
    s.write("c.txt", "c")
    for roots in ([inner, s.root, hidden], [s.root, hidden, inner, s.root]):
        with s.modern(roots=roots) as c:
            names = sorted(u.rsplit("/", 1)[1] for page in listed(c) for u in page)
            expect(names == ["a.txt", "b.txt", "c.txt"], names)


def a_root_that_fills_a_page(s):
    for n in range(200):
        s.write(f"first/{n:03}.txt", "")
    s.write("second/last.txt", "")
    with s.modern(roots=[s.root / "first", s.root / "second"]) as c:
        pages = listed(c)
        expect([len(p) for p in pages] == [200, 1], pages)


def a_root_that_is_not_there(s):
    with s.start(roots=[s.base / "none"]) as c:
        expect(c.next() is None and c.process.wait(LIMIT_S) != 0, "it should have ended")
        c.threads[1].join()
        expect(b"there is no folder" in c.said, c.said)


def the_whole_disk_is_nobodys_default(s):
    with Wire([s.program, "mcp"], cwd="/", env=s.env) as c:
        expect(c.next() is None and c.process.wait(LIMIT_S) == 2, "it should have ended")
        c.threads[1].join()
        expect(b"no folder was named" in c.said and b"--root DIR" in c.said, c.said)


def models_are_told_the_roots(s):
    with s.legacy() as c:
        result = texts(c.tool("read_file", {"file_path": "/etc/passwd"}))
        expect(f"Files may be read below {s.root}." in result and "--root DIR" in result, result)
        error = c.error("resources/read", {"uri": "file:///etc/passwd"})
        expect(f"Files may be read below {s.root}." in error["message"], error)
    other = s.base / "other"
    other.mkdir()
    with s.legacy(roots=[s.root, other]) as c:
        for tool, name in (("read_file", "file_path"), ("describe_file", "path"), ("pdf_pages", "path"),
                           ("view_image", "path")):
            result = texts(c.tool(tool, {name: "/etc/passwd"}))
            expect(f"Files may be read below {s.root}, {other}. The user can add one: --root DIR" in result, result)
    for named, words in ((s.root, f"Files may be read below {s.root}. The host has named these"),
                         (other, f"No file may be read: the server reads below {s.root}, and none of that")):
        with s.modern(capabilities={"roots": {}}) as c:
            given = {"roots": {"roots": [{"uri": named.as_uri()}]}}
            result = texts(c.tool("read_file", {"file_path": "/etc/passwd"}, inputResponses=given))
            expect(words in result, result)
    with s.start(roots=[s.root, s.base]) as c:
        said = c.initialize()["instructions"]
        expect(said.endswith(f"below {s.root}, {s.base}."), said)


def progress_does_not_flood(s):
    s.write("long.txt", b"a line of a long text\n" * 4_000_000)
    with s.modern() as c:
        c.tool("read_file", {"file_path": "long.txt"}, _meta={"progressToken": 1})
        told = [m["params"]["progress"] for m in c.other]
        expect(0 < len(told) <= 102 and told == sorted(set(told)), f"{len(told)}: {told[:5]}")


def the_host_may_be_named(s):
    s.write("long.txt", "".join(f"line {n} of a long text\n" for n in range(20000)))
    with s.legacy("--host", "codex", name="claude-code") as c:
        expect(len(texts(c.tool("read_file", {"file_path": "long.txt"}))) < 12000, "as for Codex")
    with s.start("--host", "nobody") as c:
        expect(c.next() is None and c.process.wait(LIMIT_S) == 2, "an unknown host")
        c.threads[1].join()
        expect(b"nobody" in c.said and b"claude-code" in c.said, c.said)


def answer_roots(c, roots):
    question = c.wait_for(lambda m: m.get("method") == "roots/list")
    c.send({"jsonrpc": "2.0", "id": question["id"],
            "result": {"roots": [{"uri": pathlib.Path(r).as_uri()} for r in roots]}})


def roots_of_a_client_narrow(s):
    s.write("in/a.txt", "inside")
    s.write("b.txt", "outside")
    with s.legacy(capabilities={"roots": {"listChanged": True}}) as c:
        def read(path, roots=None):
            number = c.ask("tools/call", {"name": "read_file", "arguments": {"file_path": path}})
            if roots is not None:
                answer_roots(c, roots)
            return c.answer(number)["result"]
        expect("inside" in texts(read(str(s.root / "in/a.txt"), [s.root / "in"])), "in it")
        expect("inside" in texts(read("a.txt")), "relative to the client's root")
        expect(read(str(s.root / "b.txt"))["isError"] is True, "outside of it")
        names = [r["name"] for r in c.result("resources/list")["resources"]]
        expect(names == ["a.txt"], names)
        for method in ("resources/read", "resources/subscribe"):
            error = c.error(method, {"uri": (s.root / "b.txt").as_uri()})
            expect(error["code"] == -32002, error)
        c.notify("notifications/roots/list_changed")
        expect(read("b.txt", ["/", "/etc"])["isError"] is False, "wider ones are bounded by ours")
        expect(read("/etc/passwd")["isError"] is True, "and do not widen them")
        c.notify("notifications/roots/list_changed")
        expect(read("b.txt", ["/etc"])["isError"] is True, "none in common")
        c.notify("notifications/roots/list_changed")
        expect(read("b.txt", [])["isError"] is False, "none at all")


def a_client_that_refuses_to_tell_its_roots(s):
    s.write("a.txt", "hello")
    with s.legacy(capabilities={"roots": {}}) as c:
        number = c.ask("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
        question = c.wait_for(lambda m: m.get("method") == "roots/list")
        c.send({"jsonrpc": "2.0", "id": 999, "result": {"roots": []}})
        c.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}})
        refused = c.answer(number)["result"]
        expect(refused["isError"] is True and "did not name its roots" in texts(refused), refused)
        number = c.ask("resources/read", {"uri": (s.root / "a.txt").as_uri()})
        question = c.wait_for(lambda m: m.get("method") == "roots/list")
        c.send({"jsonrpc": "2.0", "id": question["id"], "result": {}})
        error = c.answer(number)["error"]
        expect("did not name its roots" in error["message"], error)
        number = c.ask("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
        answer_roots(c, [s.root])
        expect("hello" in texts(c.answer(number)["result"]), "it is asked again, and tells")


def roots_in_the_modern_era_come_in_a_second_round(s):
    s.write("in/a.txt", "inside")
    s.write("b.txt", "outside")
    with s.modern(capabilities={"roots": {}}) as c:
        params = {"name": "read_file", "arguments": {"file_path": str(s.root / "b.txt")}}
        first = c.result("tools/call", params)
        expect(first["resultType"] == "input_required", first)
        ((key, question),) = first["inputRequests"].items()
        expect(question["method"] == "roots/list", question)
        answer = {key: {"roots": [{"uri": (s.root / "in").as_uri()}]}}
        second = c.result("tools/call", {**params, "inputResponses": answer})
        expect(second["resultType"] == "complete" and second["isError"] is True, second)
        wide = {key: {"roots": [{"uri": s.root.as_uri()}]}}
        for roots, failed in ((wide, False), (answer, True), (wide, False), ({key: {}}, True)):
            result = c.result("tools/call", {**params, "inputResponses": roots})
            expect(result["isError"] is failed, f"{roots}: each request has its own")
        expect(c.result("tools/call", params)["resultType"] == "input_required", "nothing is kept")


# Resources


def resources_are_listed_in_pages(s):
    for n in range(450):
        s.write(f"{n % 7}/{n:03}.txt", str(n))
    s.write(".hidden/x.txt", "x")
    s.write("z \u00e4#%.txt", "odd")
    with s.modern() as c:
        pages = listed(c)
        uris = [u for page in pages for u in page]
        expect(len(uris) == len(set(uris)) == 451 and len(pages) == 3, [len(p) for p in pages])
        expect(not any("hidden" in u for u in uris), "a hidden file")
        text = c.result("resources/read", {"uri": uris[-1]})["contents"][0]["text"]
        expect(text == "odd", text)
        expect(c.result("resources/list", {"cursor": ""})["resources"], "the empty cursor")


def bad_cursors_are_refused(s):
    with s.modern() as c:
        for method in ("tools/list", "resources/list", "resources/templates/list"):
            for cursor in ("nope", "AAAA", 7, base64.b64encode(b"x:y").decode(), "!" * 9000,
                           base64.b64encode(b"1:x").decode()):
                expect(c.error(method, {"cursor": cursor})["code"] == PARAMS, (method, cursor))


def resources_are_read(s):
    s.write("a.json", '{"a": 1}')
    s.write("b.bin", bytes(range(256)))
    s.write("big.bin", b"x" * (6 << 20))
    for c, missing in ((s.legacy(), -32002), (s.modern(), PARAMS)):
        with c:
            (one,) = c.result("resources/read", {"uri": (s.root / "a.json").as_uri()})["contents"]
            expect(one["text"] == '{"a": 1}' and one["mimeType"] == "application/json", one)
            (one,) = c.result("resources/read", {"uri": (s.root / "b.bin").as_uri()})["contents"]
            expect(base64.b64decode(one["blob"]) == bytes(range(256)), one)
            for uri in ((s.root / "none").as_uri(), s.root.as_uri(), "http://x/y", "file:x"):
                expect(c.error("resources/read", {"uri": uri})["code"] == missing, uri)
            error = c.error("resources/read", {"uri": (s.root / "big.bin").as_uri()})
            expect("read_file" in error["message"], error)
            expect(c.error("resources/read", {})["code"] == PARAMS, "no uri")


def paths_are_completed(s):
    s.write("alpha.txt", "")
    s.write("alps/x", "")
    s.write("beta.txt", "")
    os.mkfifo(s.root / "alarm")  # neither can be read
    (s.root / "almost").symlink_to("/etc/passwd")
    (s.root / "also").symlink_to("alps")
    with s.legacy() as c:
        def complete(value, name="path", uri="file:///{path}"):
            return c.result("completion/complete", {
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": name, "value": value}})["completion"]
        root = str(s.root)[1:]
        expect(complete("al")["values"] == [root + "/alpha.txt", root + "/alps/", root + "/also/"],
               complete("al"))
        expect(complete(root + "/b")["values"] == [root + "/beta.txt"], complete(root + "/b"))
        expect(complete("/" + root + "/alps/")["values"] == [root + "/alps/x"], "in a folder")
        expect(complete(root[:4])["values"] == [root + "/"], "on the way to the root")
        expect(complete("../")["values"] == [] and complete("/etc/")["values"] == [], "outside")
        expect(complete("al", name="other")["values"] == [], "another argument")
        for params in ({}, {"ref": {"type": "ref/prompt", "name": "x"}},
                       {"ref": {"type": "ref/resource", "uri": "x"},
                        "argument": {"name": "path", "value": ""}}):
            expect(c.error("completion/complete", params)["code"] == PARAMS, params)


def changes_are_told_of(s):
    path = pathlib.Path(s.write("a.txt", "one"))
    other = pathlib.Path(s.write("b.txt", "one"))
    with s.legacy() as c:
        expect(c.result("resources/subscribe", {"uri": path.as_uri()}) == {}, "subscribe")
        expect(c.result("resources/subscribe", {"uri": path.as_uri()}) == {}, "twice")
        path.write_text("two")
        expect(c.notified("notifications/resources/updated") == {"uri": path.as_uri()}, "written")
        other.replace(path)
        expect(c.notified("notifications/resources/updated") == {"uri": path.as_uri()}, "replaced")
        expect(c.result("resources/unsubscribe", {"uri": path.as_uri()}) == {}, "unsubscribe")
        error = c.error("resources/subscribe", {"uri": (s.root / "none").as_uri()})
        expect(error["code"] == -32002, error)
        expect(c.error("resources/subscribe", {"uri": "file:///etc/passwd"})["code"] == -32002,
               "outside")


def only_what_lies_in_the_clients_roots_is_followed(s):
    inner = pathlib.Path(s.write("in/a.txt", "one"))
    outer = pathlib.Path(s.write("b.txt", "one"))
    with s.legacy(capabilities={"roots": {"listChanged": True}}) as c:
        number = c.ask("resources/subscribe", {"uri": outer.as_uri()})
        answer_roots(c, [inner.parent])
        expect(c.answer(number)["error"]["code"] == -32002, "outside of roots that were not known")
        expect(c.result("resources/subscribe", {"uri": inner.as_uri()}) == {}, "inside")
        c.notify("notifications/roots/list_changed")
        number = c.ask("resources/subscribe", {"uri": outer.as_uri()})
        answer_roots(c, [s.root])
        expect(c.answer(number)["result"] == {}, "wider ones")
        c.notify("notifications/roots/list_changed")
        number = c.ask("resources/list")
        answer_roots(c, [inner.parent])
        c.answer(number)
        outer.write_text("two")
        inner.write_text("two")
        told = c.notified("notifications/resources/updated")
        expect(told == {"uri": inner.as_uri()}, told)
        c.notify("notifications/roots/list_changed")
        number = c.ask("resources/subscribe", {"uri": inner.as_uri()})
        question = c.wait_for(lambda m: m.get("method") == "roots/list")
        c.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}})
        expect("did not name its roots" in c.answer(number)["error"]["message"], "refused")


def streams_of_notifications(s):
    path = pathlib.Path(s.write("a.txt", "one"))
    uri = path.as_uri()
    with s.modern() as c:
        expect(c.error("subscriptions/listen")["code"] == PARAMS, "no filter")
        error = c.error("subscriptions/listen", {"notifications": {
            "resourceSubscriptions": ["file:///none"] * 257}})
        expect(error["code"] == PARAMS and "257 URIs" in error["message"], error)
        c.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions":
                                                         ["file:///none"] * 256}})
        told = c.notified("notifications/subscriptions/acknowledged")
        expect(told["notifications"] == {}, told)
        number = c.ask("subscriptions/listen", {"notifications": {
            "resourceSubscriptions": [uri, "file:///etc/passwd", uri], "promptsListChanged": True}})
        told = c.notified("notifications/subscriptions/acknowledged")
        expect(told == {"_meta": {PREFIX + "subscriptionId": number},
                        "notifications": {"resourceSubscriptions": [uri]}}, told)
        c.send({"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {"_meta": c.meta}})
        error = c.answer(number)["error"]
        expect(error["code"] == INVALID and "under way" in error["message"], error)
        path.write_text("two")
        told = c.notified("notifications/resources/updated")
        expect(told == {"uri": uri, "_meta": {PREFIX + "subscriptionId": number}}, told)
        c.notify("notifications/cancelled", {"requestId": number})
        expect(c.result("tools/list")["tools"], "it goes on")
        number = c.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})
        c.notified("notifications/subscriptions/acknowledged")
        c.process.send_signal(signal.SIGTERM)
        result = c.answer(number)["result"]
        expect(result["resultType"] == "complete"
               and result["_meta"][PREFIX + "subscriptionId"] == number, result)
        expect(c.process.wait(LIMIT_S) == 0, "the end")


def a_program_of_ones_own_serves_too(s):
    s.write("a.txt", "hello")
    example = pathlib.Path(s.program).parent / "examples" / "serve_tools"
    with Wire([str(example), str(s.root)], cwd=s.base, env=s.env) as c:
        c.initialize()
        expect("hello" in texts(c.tool("read_file", {"file_path": "a.txt"})), "a result")
        expect(c.end() == 0, "the status")


# On the way


def progress_only_grows(s):
    s.write("many.pdf", pdf(60))
    with s.modern() as c:
        number = c.ask("tools/call", {"name": "pdf_pages", "_meta": {"progressToken": "p"},
                                      "arguments": {"path": "many.pdf", "page_end": 20}})
        answer = c.answer(number)
        expect(of_type(answer["result"], "image"), answer)
        told = [m["params"] for m in c.other if m.get("method") == "notifications/progress"]
        expect(told and all(p["progressToken"] == "p" for p in told), told)
        values = [p["progress"] for p in told]
        expect(values == sorted(set(values)), values)
        c.other.clear()
        c.tool("pdf_pages", {"path": "many.pdf", "page_start": 30, "page_end": 50})
        expect(not c.other, f"nobody asked for {c.other[:1]}")


def logging_is_sent_where_it_is_wanted(s):
    with s.legacy() as c:
        c.tool("read_file", {"file_path": "none"})
        expect(not c.other, "nobody asked")
        expect(c.error("logging/setLevel", {"level": "loud"})["code"] == PARAMS, "loud")
        expect(c.result("logging/setLevel", {"level": "info"}) == {}, "info")
        c.tool("read_file", {"file_path": "none"})
        told = c.notified("notifications/message")
        expect(told["level"] == "warning" and "none" in told["data"], told)
    with s.modern() as c:
        c.tool("read_file", {"file_path": "none"})
        expect(not c.other, "nobody asked")
        c.tool("read_file", {"file_path": "none"}, _meta={PREFIX + "logLevel": "debug"})
        expect(c.notified("notifications/message")["logger"] == "refract", "a message")
        c.tool("read_file", {"file_path": "none"}, _meta={PREFIX + "logLevel": "error"})
        expect(not c.other, "a warning is not an error")


def a_call_that_waits_keeps_no_other_waiting(s):
    s.write("a.txt", "hello")
    with s.legacy("--conformance", capabilities={"elicitation": {}}) as c:
        for n in range(6):
            slow = {"jsonrpc": "2.0", "id": f"slow {n}", "method": "tools/call", "params": {
                "name": "test_elicitation", "arguments": {"message": "?"}}}
            fast = {"jsonrpc": "2.0", "id": f"fast {n}", "method": "tools/call", "params": {
                "name": "read_file", "arguments": {"file_path": "a.txt"}}}
            c.tool("read_file", {"file_path": "a.txt"})
            c.raw(json.dumps(slow).encode() + b"\n" + json.dumps(fast).encode() + b"\n")
            expect("hello" in texts(c.answer(f"fast {n}")["result"]), n)


def what_is_cancelled_is_not_answered(s):
    s.write("many.pdf", pdf(400))
    for c in (s.legacy(), s.modern()):
        with c:
            numbers = [c.ask("tools/call", {"name": "pdf_pages", "arguments": {
                "path": "many.pdf", "page_start": 20 * n, "page_end": 20 * n + 20,
                "resolution": 300}}) for n in range(16)]
            for number in numbers[1:]:
                c.notify("notifications/cancelled", {"requestId": number, "reason": "enough"})
            c.answer(c.ask("tools/list"))
            before = {m.get("id") for m in c.other}  # done before its cancellation came
            c.answer(numbers[0])
            c.tool("pdf_pages", {"path": "many.pdf", "page_start": 380})
            after = {m.get("id") for m in c.other} - before
            expect(not after & set(numbers[1:]), after)
            c.notify("notifications/cancelled", {"requestId": 12345})
            c.notify("notifications/cancelled", {})
            expect(c.result("tools/list")["tools"], "it goes on")


# Bad clients


def garbage_does_not_end_it(s):
    rows = [(b"hello", PARSE), (b'{"jsonrpc":"2.0",', PARSE), (b"\xff\xfe\x00", PARSE),
            (b"[]", INVALID), (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID),
            (b"7", INVALID), (b"null", INVALID), (b'{"id":1,"method":"ping"}', INVALID),
            (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', INVALID),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID),
            (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}', PARAMS),
            (b"[" * 100000, INVALID), (b'{"a":' * 200 + b"1" + b"}" * 200, INVALID)]
    with s.legacy() as c:
        for line, code in rows:
            c.raw(line + b"\n")
            error = c.wait_for(lambda m: "error" in m)
            expect(error["error"]["code"] in (code, PARSE), f"{line[:60]}: {error}")
            expect(len(error["error"]["message"]) < 600, error)
        c.raw(b"\n  \n\r\n")
        c.raw(b'{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":"x","error":{}}\n')
        c.raw(b'{"jsonrpc":"2.0","method":"notifications/unknown","params":{"a":[1]}}\n')
        c.raw(b'{"jsonrpc":"2.0","id":"ping","method":"ping"}\r\n')
        expect(c.answer("ping")["result"] == {} and not c.other, c.other)


def a_line_without_an_end_is_bounded(s):
    with s.legacy() as c:
        piece = b"x" * (1 << 20)
        c.raw(b'{"jsonrpc":"2.0","id":1,"method":"')
        for _ in range(200):
            c.raw(piece)
        error = c.wait_for(lambda m: "error" in m)["error"]
        expect(error["code"] == INVALID and "longer than" in error["message"], error)
        if s.memory_tells:
            status = pathlib.Path(f"/proc/{c.process.pid}/status").read_text()
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))
            expect(peak < 120_000, f"{peak} kB")
        c.raw(b'"}\n')
        expect(c.result("ping") == {} and not c.other, c.other)


def half_a_message_at_the_end(s):
    with s.legacy() as c:
        c.raw(b'{"jsonrpc":"2.0","id":9,"meth')
        expect(c.end() == 0, "the status")
        expect(c.next()["error"]["code"] == PARSE and c.next() is None, "one error")


def requests_at_the_end_are_answered(s):
    s.write("a.txt", "hello")
    with s.legacy() as c:
        number = c.ask("tools/call", {"name": "read_file", "arguments": {"file_path": "a.txt"}})
        c.process.stdin.close()
        expect("hello" in texts(c.answer(number)["result"]), "an answer")
        expect(c.next() is None and c.process.wait(LIMIT_S) == 0, "the end")


def a_flood_is_bounded_and_answered(s):
    s.write("many.pdf", pdf(40))
    with s.legacy() as c:
        call = {"name": "pdf_pages", "arguments": {"path": "many.pdf"}}
        numbers = [c.ask("tools/call", call) for _ in range(1000)]
        refused = [m for m in (c.answer(n) for n in numbers) if "error" in m]
        expect(all("under way" in m["error"]["message"] for m in refused), refused[:1])
        expect(len(refused) < 1000 and c.result("ping") == {}, len(refused))


def an_id_is_used_once_at_a_time(s):
    s.write("many.pdf", pdf(40))
    with s.legacy() as c:
        call = {"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": {
            "name": "pdf_pages", "arguments": {"path": "many.pdf", "page_end": 20}}}
        c.send(call)
        c.send(call)
        answers = [c.answer("same"), c.answer("same")]
        expect(sum("error" in a for a in answers) <= 1 and any("result" in a for a in answers),
               [a.get("error") for a in answers])


def a_client_that_does_not_read(s):
    s.write("noise.bin", os.urandom(500_000))
    uri = (s.root / "noise.bin").as_uri()
    with s.legacy() as c:
        # Each answer is 667 KB; nothing is read until the end.
        c.lines.maxsize = 1
        numbers = [c.ask("resources/read", {"uri": uri}) for _ in range(100)]
        for number in numbers:
            expect("result" in c.answer(number), number)


def calls_wait_for_a_client_that_does_not_read(s):
    s.write("long.txt", b"a line of a long text\n" * 2_000_000)
    with s.legacy() as c:
        c.lines.maxsize = 1
        token = "t" * 1_000_000  # each step of a hundred says it again
        number = c.ask("tools/call", {"name": "read_file", "arguments": {"file_path": "long.txt"},
                                      "_meta": {"progressToken": token}})
        told = 0
        while (message := c.next()).get("id") != number:
            told += message["params"]["progressToken"] == token
            if told == 1 and s.memory_tells:
                time.sleep(1)  # in which one that does not wait would read to the end
                status = pathlib.Path(f"/proc/{c.process.pid}/status").read_text()
                peak = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))
                expect(peak < 70_000, f"{peak} kB")
        expect(told > 50 and "result" in message, told)


def it_ends_with_its_input_and_by_signals(s):
    with s.start() as c:
        expect(c.end() == 0 and c.next() is None, "no input at all")
    for number in (signal.SIGTERM, signal.SIGINT):
        with s.legacy() as c:
            c.process.send_signal(number)
            expect(c.process.wait(LIMIT_S) == 0, number)
            expect(c.next() is None, "nothing more is said")
    s.write("many.pdf", pdf(400))
    with s.legacy() as c:
        c.ask("tools/call", {"name": "pdf_pages", "arguments": {
            "path": "many.pdf", "page_end": 20, "resolution": 600}})
        c.process.send_signal(signal.SIGTERM)
        expect(c.process.wait(LIMIT_S) == 0, "in the middle of a call")


def a_person_is_told_whom_it_is_for(s):
    screen, terminal = os.openpty()
    process = subprocess.Popen([s.program, "mcp"], stdin=terminal, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=s.root, env={**os.environ, **s.env})
    expect(b"for a host to start" in process.stderr.readline(), "no word for a person")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=LIMIT_S)
    expect(process.returncode == 0 and out == b"", f"{process.returncode} {out}")
    os.close(screen)
    os.close(terminal)


def its_output_may_be_closed(s):
    out, into = os.pipe()
    process = subprocess.Popen([s.program, "mcp"], stdin=subprocess.PIPE, stdout=into, cwd=s.root,
                               env={**os.environ, **s.env})
    os.close(into)
    os.close(out)
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    expect(process.wait(LIMIT_S) == 0, "it should have ended")
    process.stdin.close()


def many_calls_do_not_make_it_grow(s):
    s.write("a.txt", "hello")
    if not s.memory_tells:
        return
    with s.legacy() as c:
        def rounds(count):
            for _ in range(count):
                c.tool("read_file", {"file_path": "a.txt"})
            text = pathlib.Path(f"/proc/{c.process.pid}/status").read_text()
            open_files = len(os.listdir(f"/proc/{c.process.pid}/fd"))
            return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)), open_files
        before, files = rounds(1000)
        after, files_after = rounds(10000)
        expect(after < before + 2000, f"{before} kB, then {after} kB")
        # Each of the eight threads has two; one may be started while another is still busy with the end of a call.
        expect(files_after <= files + 14, f"{files} descriptors, then {files_after}")


CASES = [(f.__name__.replace("_", " "), f) for f in (
    each_revision_is_agreed_on, an_unknown_revision_gets_the_newest_legacy_one,
    initialize_needs_a_version, nothing_is_served_before_it_is_known_who_asks,
    discover_tells_all, modern_requests_say_who_asks, each_era_has_methods_of_its_own,
    both_eras_on_one_connection, lists_are_alike_and_cacheable,
    tools_are_described_as_hosts_want_it, read_file_reads_text, long_text_is_cut_with_a_hint,
    text_that_grows_as_json_is_read_to_its_end, base64_of_a_picture_is_never_text,
    pictures_are_shown,
    each_picture_has_its_caption,
    a_result_stays_within_what_hosts_take, a_pdf_is_its_text_and_its_pages,
    pages_of_two_types_are_told,
    each_range_of_a_pdf_comes_with_its_pages,
    long_documents_go_on_by_one_hint,
    following_the_hints_reads_to_the_end,
    every_picture_of_a_document_is_shown,
    pdf_pages_shows_pages, pdf_pages_shows_every_range,
    pdf_pages_numbers_pages_as_they_are,
    pdf_pages_says_what_is_wrong, notes_are_for_a_host,
    each_failure_says_what_to_do,
    no_password_is_asked_for, describe_file_tells_facts,
    a_path_goes_by_either_name, pages_that_cannot_be_are_told,
    originals_come_when_asked_for, bad_files_are_results_and_no_errors, wrong_calls_are_errors,
    paths_stay_below_the_roots, several_roots, roots_in_one_another_are_listed_once,
    a_root_that_fills_a_page, a_root_that_is_not_there,
    the_whole_disk_is_nobodys_default, models_are_told_the_roots, progress_does_not_flood,
    the_host_may_be_named, roots_of_a_client_narrow, a_client_that_refuses_to_tell_its_roots,
    roots_in_the_modern_era_come_in_a_second_round, resources_are_listed_in_pages,
    bad_cursors_are_refused, resources_are_read, paths_are_completed, changes_are_told_of,
    only_what_lies_in_the_clients_roots_is_followed, streams_of_notifications,
    a_program_of_ones_own_serves_too, progress_only_grows,
    a_call_that_waits_keeps_no_other_waiting,
    logging_is_sent_where_it_is_wanted, what_is_cancelled_is_not_answered,
    garbage_does_not_end_it, a_line_without_an_end_is_bounded, half_a_message_at_the_end,
    requests_at_the_end_are_answered, a_flood_is_bounded_and_answered,
    an_id_is_used_once_at_a_time, a_client_that_does_not_read,
    calls_wait_for_a_client_that_does_not_read,
    it_ends_with_its_input_and_by_signals, a_person_is_told_whom_it_is_for,
    its_output_may_be_closed, many_calls_do_not_make_it_grow)]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    passed = failed = 0
    for name, function in CASES:
        if only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="refract-mcp-") as folder:
            try:
                function(Setting(program, folder))
                passed += 1
                print(f"ok      {name}", flush=True)
            except Exception as why:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(why).__name__}: {str(why)[:1500]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
