#!/usr/bin/env python3
"""Real files: every row of the shared corpus through `refract read --json`, against what other tools
measured.

    read.py PATH-OF-REFRACT [PATTERN]

Good files must be read, with the right size, pages, length and first words; what needs a password must
say so, and open with it; what is broken must fail with words, or say that part of it is missing;
nothing may crash, hang or tell what other files hold. Where we differ on purpose, EXCEPTIONS says why. Needs
REFRACT_SHARED; without it the test is skipped (exit status 77). With PATTERN, only rows whose path holds
it are read, and what was found is shown.
"""
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

SKIPPED = 77
LIMIT_S = 300
STATUSES = {0, 2, 5, 6, 8}
ENOUGH = 0.8  # share of the first words that must be found: tools differ in what they call a word

# Rows whose truth is not ours, by a part of their path: what is not compared, and why.
EXCEPTIONS = {
    "bug344-too-large-viewbox.svg": ("size", "librsvg refuses it, as the list says, and its source is read"),
    "filter-conv-kernel-matrix-length.svg": ("reading", "librsvg breaks over it, as the list says"),
    "5a8e356204ee91c20769f52171c1df04c7a21bf6-1": ("reading", "its data ends before the first row: libnsgif "
                                                   "refuses it, Pillow shows it black"),
    "crash-4fb027452e6988530aa5dabee76eecacb3b79f8a.j2k": ("error", "OpenJPEG reads its one pixel"),
    "tika__testJXL.jxl": ("reading", "Debian 12's libjxl does not know its splines"),
    "no_cursors.cur": ("reading", "a list of no pictures is not a picture"),
    "testEXCEL.strict.xlsx": ("pages", "the list's tool does not know strict documents"),
    "testEXCEL-formats.xls": ("words", "the list has numbers as stored, not as shown"),
    "testEXCEL_dateFormats.xls": ("words", "the list has dates as stored, not as shown"),
    "testEXCEL_poi.xlsx": ("words", "the list has numbers as stored, not as shown"),
    "testEXCEL-charts.xls": ("words", "the list has numbers as stored, not as shown"),
    "Doc1_ole.doc": ("words", "the list's tool writes [pic] for a picture"),
    "testMSG_chinese.msg": ("words", "the list's tool took Big5 for Latin-1"),
    "testWordPerfect_42.doc": ("reading", "WordPerfect is not among the formats"),
    "testFontAfterBufferedText.rtf": ("words", "the list's tool lost the letters"),
    "testRTFControls.rtf": ("words", "the list's tool left out dashes and spaces"),
    "testRTFJapanese.rtf": ("words", "the list's tool lost the letters"),
    "testRTFTableCellSeparation.rtf": ("words", "the list's tool lost the letters"),
    "testRTFWindowsCodepage1250.rtf": ("words", "the list's tool lost the letters"),
}

# Passwords that the list does not have, and first words where it could not see them, by a part of the path.
PASSWORDS = {
    "protected_normal_case.docx": ("password", "This is a sample Word document"),
    "testWORD_protected_passtika.docx": ("tika", "This is an encrypted Word 2007 File."),
    "tika__password.xls": ("password", "A ZIP bomb is a variant of mail-bombing."),
    "testEXCEL_protected_passtika.xls": ("tika", "This is an Encrypted Excel spreadsheet."),
    "testWORD_protected_passtika.doc": ("tika", "This is an encrypted Word 2007 File."),
    "testPPT_protected_passtika.pptx": ("tika", "This is an encrypted PowerPoint 2007 slide."),
    "testEXCEL_protected_passtika.xlsx": ("tika", "This is an Encrypted Excel spreadsheet."),
    "testEXCEL_protected_passtika_2.xlsx": ("tika", "This is an Encrypted Excel spreadsheet with a "
                                            "ChunkedCipherInputStream."),
}

# What the list's tool takes for words of a presentation: names of its designs.
DESIGNS = re.compile(r"(?:1_)?(?:Office Theme|Default Design|Thème Office)")


class Row:
    def __init__(self, fields):
        self.path, self.kind = fields["path"], fields["kind"]
        self.expect, self.note = fields["expect"], fields["note"] or ""
        self.truth = {}
        for piece in (fields["truth"] or "").split("; "):
            key, _, value = piece.partition("=")
            self.truth[key.strip()] = value
        if "password=" in self.note:
            self.truth.setdefault("password", self.note.split("password=")[1].split(";")[0])
        for part, (password, first) in PASSWORDS.items():
            if part in self.path:
                self.truth.update(password=password, first_words=first)

    def exception(self):
        """(the part of its path that excepts it, what is not compared); None and "" for most."""
        for part, (what, _) in EXCEPTIONS.items():
            if part in self.path:
                return part, what
        return None, ""


class Read:
    """One run of the program."""

    def __init__(self, program, root, row, folder, password=None):
        self.faults = []
        command = [program, "read", "--json", "--root", str(root), str(root / row.path)]
        feed = None
        if password is not None:
            command[2:2] = ["--password-file", "-"]
            feed = (password + "\n").encode()
        env = {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, env=env, input=feed)
        except subprocess.TimeoutExpired:
            self.status, self.result = -1, {}
            self.faults.append(f"took longer than {LIMIT_S} s")
            return
        self.status = done.returncode
        if self.status not in STATUSES:
            self.faults.append(f"exit status {self.status}: {done.stderr.decode()[-300:]}")
        try:
            self.result = json.loads(done.stdout)
        except ValueError:
            self.result = {}
            self.faults.append("no JSON on standard output")
        if b"root:x:0" in done.stdout:
            self.faults.append("another file's content came along")

    @property
    def success(self):
        return self.result.get("success", False)

    @property
    def error(self):
        return self.result.get("error", "")

    @property
    def blocks(self):
        return self.result.get("content_blocks", [])

    @property
    def block(self):
        return self.blocks[0] if self.blocks else {}

    @property
    def text(self):
        texts = [b.get("extracted_text", "") for b in self.blocks]
        return "\n".join([self.result.get("output", "")] + texts)


def words(text):
    """Without marks of Markdown, control characters and marks of the direction of writing."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf"))
    return [w for w in re.split(r"[\s|#*_\\`>\[\]()-]+", text) if w]


def has_words(want, text):
    """Are most of the words there, those at their ends cut off by the list left out?"""
    wanted = words(want)
    if not wanted:
        return True
    there, whole = set(words(text)), "".join(words(text))
    found = sum(w in there or w in whole for w in wanted)
    return found >= ENOUGH * len(wanted) or found >= len(wanted) - 1


def check_size(row, read):
    truth = row.truth
    if "width" not in truth or "height" not in truth:
        return
    want = [truth.get("display", f"{truth['width']}x{truth['height']}").split(" ")[0]]
    want += truth.get("dims_other", "").split(";")  # where the list's tools do not agree
    size = re.search(r", (\d+x\d+), [\d,]+ bytes", read.result.get("output", ""))
    if not size or size.group(1) not in want:
        yield f"size is {size and size.group(1)}, not {want[0]}"


def check_pages(row, read):
    for key in ("pages", "slides", "nsheets"):
        want = row.truth.get(key)
        if want and want.isdigit() and read.block.get("page_count", 0) != int(want):
            yield f"{read.block.get('page_count', 0)} {key}, not {want}"


def check_length(row, read):
    want = row.truth.get("duration_s")
    if not want:
        return
    got, want = read.block.get("duration_ms", 0) / 1000, float(want)
    if abs(got - want) > max(0.1, want * 0.03):
        yield f"{got} s, not {want} s"
    for key in ("audio", "video"):
        codec = row.truth.get(key, "").split(" ")[0]
        if codec and codec not in read.text:
            yield f"{key} {codec} is not named"


def check_words(row, read):
    first = row.truth.get("first_words", "")
    if row.path.endswith(".ppt"):
        first = DESIGNS.sub("", first)
    if first and not has_words(first, read.text):
        yield f"first words {first!r}, found {read.text[:200]!r}"
    subject = row.truth.get("subject", "")
    if subject and not has_words(subject, read.text):
        yield f"subject {subject!r} is not there"
    for name in re.findall(r"'([^']*)'", row.truth.get("sheets", "")):
        if not has_words(name, read.text):
            yield f"sheet {name!r} is not named"


CHECKS = {"size": check_size, "pages": check_pages, "length": check_length, "words": check_words}


def check_good(row, read, left_out):
    if not read.success:
        return [] if left_out == "reading" else [f"not read: {read.error}"]
    return [fault for name, check in CHECKS.items() if name != left_out
            for fault in check(row, read)]


def says_why(read):
    """A failure with words, or bytes that are shown as bytes, or a part that is said to be one."""
    output = read.result.get("output", "")
    if not read.success:
        return len(read.error) > 10
    return "[Note: " in output or (not read.blocks and "[Binary file: " in output)


def check(program, root, row, folder):
    _, left_out = row.exception()
    read = Read(program, root, row, folder)
    faults = list(read.faults)
    if row.expect == "ok":
        faults += check_good(row, read, left_out)
    elif row.expect == "password":
        if read.success or not re.search("encrypted|password", read.error):
            faults.append(f"does not say that it is encrypted: {read.error}")
        if "password" in row.truth and left_out != "password":
            opened = Read(program, root, row, folder, row.truth["password"])
            faults += opened.faults + check_good(row, opened, left_out)
            closed = Read(program, root, row, folder, "not " + row.truth["password"])
            if closed.success or "password does not open" not in closed.error:
                faults.append(f"does not say that the password is wrong: {closed.error}")
    elif row.expect == "error" and left_out != "error" and not says_why(read):
        faults.append(f"read without a word: {read.text[:200]!r}")
    return faults, read


def rows(shared, pattern):
    with open(shared / "corpus/MANIFEST.tsv", encoding="utf-8", newline="") as f:
        for fields in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            if pattern in fields["path"]:
                yield Row(fields)


def main(program, pattern):
    if not os.environ.get("REFRACT_SHARED"):
        print("REFRACT_SHARED is not set: skipped")
        return SKIPPED
    shared = pathlib.Path(os.environ["REFRACT_SHARED"])
    counts, failed, used = collections.Counter(), 0, set()
    with tempfile.TemporaryDirectory(prefix="refract-corpus-") as folder:
        config = pathlib.Path(folder) / "refract"
        config.mkdir()
        (config / "config.yaml").write_text("limits: {ocr_pages: 0}\n", encoding="utf-8")
        root = (shared / "corpus").resolve()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            todo = list(rows(shared, pattern))
            for row, (faults, read) in zip(todo, pool.map(
                    lambda row: check(program, root, row, folder), todo)):
                used.add(row.exception()[0])
                counts[row.kind] += 1
                failed += bool(faults)
                for fault in faults:
                    print(f"FAILED  {row.path} ({row.expect}): {fault}")
                if pattern:
                    print(f"{row.path}\n{json.dumps(read.result, ensure_ascii=False)[:1000]}\n")
    if not pattern:
        for part in sorted(set(EXCEPTIONS) - used):
            failed += 1
            print(f"FAILED  the exception for {part} is not needed")
        print("ok      " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    print(f"{sum(counts.values()) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
