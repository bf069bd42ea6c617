"""A thousand real files, out of packages of PyPI, npm and Debian, through `refract read`.

Each is read, or refused with a reason; nothing may crash, hang, or succeed with nothing. The words
of documents are compared with what python-docx, python-pptx and pypdf find. The packages are those
whose test files or documents are worth reading; nothing of them is kept in the project.
"""
import collections
import concurrent.futures
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import urllib.parse
import urllib.request

import docx
import known
import pptx
import pypdf
from pip._internal.models.index import PyPI

WANT = 1000
PER_COMPARED, PER_KIND, PER_PACKAGE_AND_KIND, PER_OTHER_KIND = 150, 35, 20, 2
LIMIT_S = 120
ENOUGH = 0.9  # of the other program's words have to be there
MAX_BYTES = 30 << 20
STATUSES = {0, 2, 3, 5, 6, 8}

PYPI = """python-docx python-pptx pypdf pdfminer.six pikepdf pillow mutagen extract-msg markitdown
mammoth pdfplumber chardet charset-normalizer odfpy xlrd docx2python striprtf oletools tinytag
pillow-heif mail-parser py7zr rarfile openpyxl EbookLib icalendar feedparser pydub wand audioread
camelot-py docxcompose docxtpl""".split()
NPM = """pdf-parse@1.1.1 pdf2json textract mammoth officeparser exceljs docx exif-js
iconv-lite mailparser libmime pdfjs-dist jsdom image-size""".split()
DEBIAN = """debian-reference-ja developers-reference-ja maint-guide-ja debian-faq-zh-cn
gnuplot-doc libreoffice-common sound-theme-freedesktop ghostscript-doc imagemagick-6-doc
xournalpp gimp-help-de xplanet-images openclipart-png""".split()

# What people hand over; of other kinds a few are read too.
MAIN = set("""pdf docx pptx xlsx doc xls ppt odt ods odp rtf html htm xhtml eml msg epub csv tsv txt
xml png jpg jpeg gif webp tif tiff bmp ico heic heif hif avif jp2 j2k svg psd djvu emf wmf eps ps
tga pcx ppm mp3 wav ogg oga opus flac m4a aac wma aif aiff ac3 wv ape mp4 mkv webm avi mov ts zip 7z
rar tar gz bz2 xz zst tgz ics mbox json5 docm dotx pptm xlsm xlsb ott""".split())

# Program text says nothing about reading files.
LEFT_OUT = set("""py pyc pyi c h cc cpp hpp js mjs cjs ts map json toml cfg ini yml yaml in am m4 mk
po mo pot sh md rst lock css scss gitignore typed pxd pyx tmpl j2 license cmake sub
guess""".split())


def fetch(folder):
    """Download and unpack what is not there yet. Returns the folders, by package."""
    packages = [("pypi", name) for name in PYPI] + [("npm", name) for name in NPM] + \
        [("debian", name) for name in DEBIAN]
    for kind, name in packages:
        target = folder / kind / re.sub(r"\W", "-", name)
        if target.exists():
            continue
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            try:
                FETCH[kind](name, pathlib.Path(temporary))
                shutil.copytree(pathlib.Path(temporary) / "out", target, symlinks=True)
            except (subprocess.SubprocessError, OSError, ValueError) as e:
                print(f"left out: {kind} {name}: {str(e)[:160]}")
    return sorted(path for kind in FETCH for path in (folder / kind).glob("*"))


def quietly(*command, cwd):
    subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=300)


def unpack(folder, pattern, *command):
    archive = next(iter(folder.glob(pattern)), None)
    if archive is None:
        raise OSError("no archive came")
    (folder / "out").mkdir()
    quietly(*command, archive, *(["-C", "out"] if command[0] == "tar" else ["out"]), cwd=folder)


def from_pypi(name, folder):
    """The newest source archive: pip itself would build its metadata first."""
    index = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"],
                           capture_output=True, text=True, check=False).stdout.strip()
    page = f"{index or PyPI.simple_url}/{name.lower().replace('.', '-')}/"
    with urllib.request.urlopen(page, timeout=60) as reply:
        text = reply.read().decode()
    links = re.findall(r'href="([^"#]+-(\d[^"#/]*)\.(?:tar\.gz|zip))[#"]', text)
    link = max(links, key=lambda found: [int(n) for n in re.findall(r"\d+", found[1])])[0]
    archive = folder / link.rsplit("/", 1)[1]
    with urllib.request.urlopen(urllib.parse.urljoin(page, link)) as reply:
        archive.write_bytes(reply.read())
    shutil.unpack_archive(archive, folder / "out")


def from_npm(name, folder):
    quietly("npm", "pack", "--silent", name, cwd=folder)
    unpack(folder, "*.tgz", "tar", "-xf")


def from_debian(name, folder):
    quietly("apt-get", "download", "-q", name, cwd=folder)
    unpack(folder, "*.deb", "dpkg-deb", "-x")


FETCH = {"pypi": from_pypi, "npm": from_npm, "debian": from_debian}


def kind_of(path):
    suffix = path.suffix.lower().lstrip(".")
    return suffix if re.fullmatch(r"[a-z0-9]{1,6}", suffix) else ""


def choose(folders):
    """At least WANT files of many kinds, the same ones every time."""
    by_kind = collections.defaultdict(list)
    for folder in folders:
        counted = collections.Counter()
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
            kind = kind_of(path)
            if not kind or kind in LEFT_OUT or not 0 < path.stat().st_size <= MAX_BYTES:
                continue
            counted[kind] += 1
            if kind in OTHERS or counted[kind] <= PER_PACKAGE_AND_KIND:
                by_kind[kind].append(path)
    def most(kind):
        return PER_COMPARED if kind in OTHERS else PER_KIND if kind in MAIN else PER_OTHER_KIND

    return [path for kind in sorted(by_kind) for path in by_kind[kind][:most(kind)]]


# What other programs find.


def docx_words(path):
    return " ".join(paragraph.text for paragraph in docx.Document(path).paragraphs)


def pptx_words(path):
    return " ".join(shape.text_frame.text for slide in pptx.Presentation(path).slides
                    for shape in slide.shapes if shape.has_text_frame)


def pdf_words(path):
    return " ".join(page.extract_text() for page in pypdf.PdfReader(path).pages[:20])


OTHERS = {"docx": docx_words, "pptx": pptx_words, "pdf": pdf_words}


def words(text):
    """Words and how often; where a script has no spaces, its characters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return collections.Counter(re.findall(r"[\u3040-\u9fff]|[^\W\d_]{2,}", plain))


def share(path, text):
    """How many of the other program's words are in ours, from 0 to 1; None where it has none."""
    try:
        theirs = words(OTHERS[kind_of(path)](path))
    except Exception:  # pylint: disable=broad-except # a file that the other cannot read
        return None
    total = sum(theirs.values())
    return sum((theirs & words(text)).values()) / total if total >= 5 else None


def read(refract, path):
    """What became of a file: (outcome, detail)."""
    try:
        done = subprocess.run([refract, "read", "--no-cache", "--root", path.parent, path],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S,
                              check=False)
    except subprocess.TimeoutExpired:
        return "WRONG", f"not read in {LIMIT_S} s"
    text = done.stdout.decode("utf-8", "replace")
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in STATUSES:
        return "WRONG", f"status {done.returncode}: {said[-200:]}"
    if done.returncode:
        reason = said.splitlines()[0] if said else ""
        return ("refused", reason) if path.name in said and len(reason) > len(path.name) + 15 \
            else ("WRONG", f"refused without a reason: {reason}")
    if not text.strip() and path.read_bytes().strip():
        return "WRONG", "read, and nothing came"
    found = share(path, text) if kind_of(path) in OTHERS else None
    if found is None:
        return "read", ""
    return ("compared", f"{found:.2f}") if found >= ENOUGH else \
        ("WORDS", f"{found:.0%} of the words that the other program finds")


def main(refract, peers):
    peers = pathlib.Path(peers).resolve()
    folder = peers / "files"
    folder.mkdir(exist_ok=True)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    chosen = choose(fetch(folder))
    outcomes = collections.defaultdict(collections.Counter)
    known_rows, findings, reasons = known.Known("files"), [], collections.Counter()
    refract = str(pathlib.Path(refract).resolve())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (outcome, detail) in zip(chosen, pool.map(lambda p: read(refract, p), chosen)):
            if outcome == "WORDS" and known_rows.number(path.name, "words"):
                outcome = "known"
            outcomes[kind_of(path)][outcome] += 1
            outcomes[kind_of(path)]["read"] += outcome in ("compared", "known")
            if outcome in ("WRONG", "WORDS"):
                findings.append(f"{path.relative_to(folder)}: {detail}")
            elif outcome == "refused":
                said = detail.removeprefix("refract: ").replace(path.name, kind_of(path))
                reasons[re.sub(r"\d+", "N", said)] += 1
    print(f"## {len(chosen)} files of others\n")
    print("| kind | read | words compared | refused, with a reason | wrong |\n|---|---|---|---|---|")
    outcomes["all"] = sum(outcomes.values(), collections.Counter())
    for kind, row in sorted(outcomes.items(), key=lambda item: sum(item[1].values())):
        print(f"| {kind} | {row['read']} | {row['compared'] or ''} | {row['refused']} | "
              f"{row['WRONG'] + row['WORDS']} |")
    print()
    for reason, count in reasons.most_common():
        print(f"{count:4} {reason}")
    print()
    findings += known_rows.show()
    for finding in findings:
        print("FAILED ", finding)
    (peers / "log/files.json").write_text(json.dumps(findings, indent=1))
    return len(findings) + (len(chosen) < WANT)
