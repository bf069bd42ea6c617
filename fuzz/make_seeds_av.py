#!/usr/bin/env python3
"""Write the seeds of fuzz_av: sound and video of a moment, as far as they can be written by hand.

They go to corpus/av/ beside this file, under their own names; other files there are kept. The first
byte of each chooses what is asked (fuzz_av.c)."""
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "corpus" / "av"
sys.path.insert(0, str(HERE.parent / "tests"))
from make_seeds_media import seeds as headers  # noqa: E402
from media_fixtures import files  # noqa: E402

INFO, FRAMES, FRAMES_SMALL, WAV, MP3 = range(5)


def chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def riff(kind, *chunks):
    return chunk(b"RIFF", kind + b"".join(chunks))


def group(kind, *chunks):
    return chunk(b"LIST", kind + b"".join(chunks))


def wav(code, channels, rate, bits, data, more=b"", tags=()):
    align = max(1, channels * bits // 8)
    form = struct.pack("<HHIIHH", code, channels, rate, rate * align, align, bits) + more
    info = [group(b"INFO", *[chunk(name, text) for name, text in tags])] if tags else []
    return riff(b"WAVE", chunk(b"fmt ", form), *info, chunk(b"data", data))


def avi(picture, side, count):
    main = struct.pack("<14I", 100000, 0, 0, 0x10, count, 0, 1, 0, side, side, 0, 0, 0, 0)
    head = b"vidsMJPG" + struct.pack("<10I4H", 0, 0, 0, 1, 10, 0, count, 0, 0, 0, 0, 0, side, side)
    form = struct.pack("<IiiHH4sIiiII", 40, side, side, 1, 24, b"MJPG", side * side * 3, 0, 0, 0, 0)
    movie = group(b"movi", *[chunk(b"00dc", picture)] * count)
    index = b"".join(struct.pack("<4sIII", b"00dc", 16, 4 + i * (8 + len(picture) + len(picture) % 2),
                                 len(picture)) for i in range(count))
    return riff(b"AVI ", group(b"hdrl", chunk(b"avih", main), group(
        b"strl", chunk(b"strh", head), chunk(b"strf", form))), movie, chunk(b"idx1", index))


def element(number, data):
    return bytes.fromhex(number) + struct.pack(">Q", len(data) | 1 << 56) + data


def matroska(picture, side):
    track = element("ae", element("d7", b"\1") + element("73c5", b"\1") + element("83", b"\1")
                    + element("86", b"V_MJPEG") + element("e0", element("b0", bytes([side]))
                                                          + element("ba", bytes([side]))))
    tag = element("1254c367", element("7373", element("67c8", element("45a3", b"TITLE")
                                                      + element("4487", b"red"))))
    body = (element("1549a966", element("2ad7b1", b"\x0f\x42\x40")
                    + element("4489", struct.pack(">d", 200.0)))
            + element("1654ae6b", track) + tag
            + element("1f43b675", element("e7", b"\0") + element("a3", b"\x81\0\0\x80" + picture)
                      + element("a3", b"\x81\0\x64\x80" + picture)))
    return element("1a45dfa3", element("4282", b"matroska")) + element("18538067", body)


def id3(tone):
    text = b"TIT2\0\0\0\x06\0\0\3tone\0"
    return b"ID3\3\0\0\0\0\0" + bytes([len(text)]) + text + tone


def seeds():
    own, tone = files(), bytes(range(0, 250, 5)) * 8
    out = {name.replace("-", "_"): (INFO, data[:4000]) for name, data in headers().items()
           if name in ("flac", "aiff", "mp3-xing", "aac", "vorbis", "opus", "webm", "wmv")}
    clip, wave, mp3 = own["clip.mp4"], own["tone.wav"], own["tone.mp3"]
    movie = avi(own["blue.jpg"], 8, 3)
    out.update({
        "mp4": (INFO, clip), "mp4_frames": (FRAMES, clip), "mp4_small": (FRAMES_SMALL, clip),
        "avi": (INFO, movie), "avi_frames": (FRAMES, movie),
        "mkv": (INFO, matroska(own["blue.jpg"], 8)), "mkv_frames": (FRAMES, matroska(
            own["blue.jpg"], 8)),
        "gif_frames": (FRAMES, own["green.gif"]),
        "wav": (WAV, wave), "wav_mp3": (MP3, wave),
        "wav_tags": (INFO, wav(1, 1, 8000, 8, tone, tags=[(b"INAM", b"a\nb\0"), (b"IART", b"\xff")])),
        "wav_float": (WAV, wav(3, 2, 8000, 32, tone)),
        "wav_law": (WAV, wav(7, 1, 8000, 8, tone)),
        "wav_adpcm": (WAV, wav(0x11, 1, 8000, 4, tone, b"\2\0\xf9\1")),
        "wav_cut": (INFO, wave[:60]),
        "mp3": (WAV, mp3), "mp3_tags": (INFO, id3(mp3)), "mp3_mp3": (MP3, mp3),
        "au": (WAV, struct.pack(">4sIIIII", b".snd", 24, len(tone), 3, 8000, 1) + tone),
        "voc": (WAV, b"Creative Voice File\x1a\x1a\0\x0a\1\x29\x11\1"
                + struct.pack("<I", len(tone) + 2)[:3] + b"\x83\0" + tone + b"\0"),
        "caf": (WAV, b"caff\0\1\0\0desc" + struct.pack(">Qd4sIIIII", 32, 8000.0, b"lpcm", 2, 2, 1, 1, 16)
                + b"data" + struct.pack(">QI", len(tone) + 4, 0) + tone),
    })
    return out


FOLDER.mkdir(parents=True, exist_ok=True)
for seed, (which, body) in seeds().items():
    (FOLDER / seed).write_bytes(bytes([which]) + body)
