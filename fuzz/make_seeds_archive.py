#!/usr/bin/env python3
"""Write the seeds of fuzz_archive: small archives of the formats that can be written here.

They go to corpus/archive/ beside this file, under their own names; other files there are kept. The
first byte of each chooses what is asked (the table in fuzz_archive.c)."""
import bz2
import gzip
import io
import lzma
import pathlib
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "archive"
sys.path.insert(0, str(HERE.parent / "tests"))
from media_fixtures import rar  # noqa: E402

ALL, FILE, IN_FOLDER, LOCKED = range(4)
FILES = {"a/": b"", "a/one.txt": b"hello", "\x1b[31mred": b"x"}


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in FILES.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 3, 4, 6)), data,
                             zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tar(**options):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **options) as archive:
        for name in ("a/one.txt", "b" * 120, "ü"):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 3, 86400
            archive.addfile(info, io.BytesIO(b"abc"))
    return out.getvalue()[:6144]


def seeds():
    gnu, pax = tar(format=tarfile.GNU_FORMAT), tar(format=tarfile.PAX_FORMAT)
    return {
        "zip": (ALL, zipped()),
        "zip_file": (FILE, zipped()),
        "zip_folder": (IN_FOLDER, zipped()),
        "zip_locked": (LOCKED, zipped()),
        "tar": (ALL, gnu),
        "tar_pax": (FILE, pax),
        "tar_gz": (FILE, gzip.compress(gnu, mtime=0)),
        "tar_bz2": (ALL, bz2.compress(gnu)),
        "tar_xz": (IN_FOLDER, lzma.compress(gnu)),
        "gzip": (ALL, gzip.compress(b"hello", mtime=0)),
        "gzip_cut": (ALL, b"\x1f\x8b\x08\x08\0\0\0\0\0\3name.txt\0\3\0\0\0\0\0\0\0\0\0"),
        "bzip2_cut": (ALL, b"BZh91AY&SY"),
        "rar": (FILE, rar({"a/one.txt": b"hello"})),
        "ar": (ALL, b"!<arch>\none.txt/        0           0     0     644     6         `\nhello\n"),
    }


FOLDER.mkdir(parents=True, exist_ok=True)
for name, (ask, data) in seeds().items():
    (FOLDER / name).write_bytes(bytes([ask]) + data)
