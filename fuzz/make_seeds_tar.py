#!/usr/bin/env python3
"""Write the seeds of fuzz_tar: short archives, good ones and such as must be refused.

They go to corpus/tar/ beside this file, under their own names; other files there are kept."""
import io
import pathlib
import tarfile

FOLDER = pathlib.Path(__file__).parent / "corpus" / "tar"
AS_IT_IS, REPAIRED = (bytes([kind, 99]) for kind in range(2))
HASH = "0123456789abcdef" * 4


def archive(*files, form=tarfile.USTAR_FORMAT, **fields):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for field, value in fields.items():
                setattr(info, field, value)
            tar.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return out.getvalue()[:1024 * (2 + len(files))]


SESSION = ("session.jsonl", b'{"refract_session":1}\n')
BLOB = ("blobs/" + HASH, b"x" * 700)
GOOD = archive(SESSION, BLOB)

SEEDS = {
    "good": AS_IT_IS + GOOD,
    "good_gnu": AS_IT_IS + archive(SESSION, form=tarfile.GNU_FORMAT),
    "empty_file": AS_IT_IS + archive(("empty", b"")),
    "nothing_in_it": AS_IT_IS + bytes(1024),
    "cut_in_header": AS_IT_IS + GOOD[:300],
    "cut_in_file": AS_IT_IS + GOOD[:520],
    "cut_before_end": AS_IT_IS + GOOD[:1024],
    "one_block_of_end": AS_IT_IS + GOOD[:1024] + bytes(512),
    "behind_the_end": AS_IT_IS + GOOD + bytes(512) + b"more",
    "wrong_checksum": AS_IT_IS + GOOD[:10] + b"x" + GOOD[11:],
    "repaired": REPAIRED + GOOD[:10] + b"x" + GOOD[11:],
    "up": REPAIRED + archive(("../up", b"1")),
    "absolute": REPAIRED + archive(("/etc/passwd", b"1")),
    "link": REPAIRED + archive(("link", b""), type=tarfile.SYMTYPE, linkname="/etc"),
    "hard_link": REPAIRED + archive(("link", b""), type=tarfile.LNKTYPE, linkname="x"),
    "device": REPAIRED + archive(("device", b""), type=tarfile.CHRTYPE),
    "folder": REPAIRED + archive(("folder", b""), type=tarfile.DIRTYPE),
    "pax": REPAIRED + archive(("n\u00e4me" * 40, b"1"), form=tarfile.PAX_FORMAT),
    "size_base_256": REPAIRED + GOOD[:124] + b"\x80" + bytes(10) + b"\x01" + GOOD[136:],
    "size_huge": REPAIRED + GOOD[:124] + b"777777777777" + GOOD[136:],
    "size_no_number": REPAIRED + GOOD[:124] + b"0000 0000008" + GOOD[136:],
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        (FOLDER / name).write_bytes(data)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
