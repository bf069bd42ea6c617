/* Containers of sound and video, looked into as far as it takes to tell sound from pictures. Each
 * walk is bounded; what a container does not say in its first headers, we do not know. */
#include "media/sniff.h"

#include "media/box.h"
#include "media/mpeg_audio.h"
#include "media/ogg.h"

#include <string.h>

#define MAX_BRANDS 64
#define MAX_ELEMENTS 512
#define MAX_OBJECTS 64
#define MAX_TRACKS 64

enum rf_format_id rf_sniff_riff(struct rf_look *k)
{
    if (RF_SEES(k, 0, "FORM") && (RF_SEES(k, 8, "AIFF") || RF_SEES(k, 8, "AIFC")))
        return RF_FORMAT_AIFF;
    if (RF_SEES(k, 8, "WAVE") &&
        (RF_SEES(k, 0, "RIFF") || RF_SEES(k, 0, "RF64") || RF_SEES(k, 0, "BW64")))
        return RF_FORMAT_WAV;
    if (!RF_SEES(k, 0, "RIFF"))
        return RF_FORMAT_NONE;
    if (RF_SEES(k, 8, "WEBP"))
        return RF_FORMAT_WEBP;
    return RF_SEES(k, 8, "AVI ") ? RF_FORMAT_AVI : RF_FORMAT_NONE;
}

/* By the first letters of a brand; the more particular rows come first. "crx " is a camera's raw
 * file, which calls itself an MP4 too. */
static const struct {
    char prefix[5];
    enum rf_format_id id;
} brands[] = {
    { "avif", RF_FORMAT_AVIF }, { "avis", RF_FORMAT_AVIF }, { "heic", RF_FORMAT_HEIC },
    { "heix", RF_FORMAT_HEIC }, { "heim", RF_FORMAT_HEIC }, { "heis", RF_FORMAT_HEIC },
    { "hevc", RF_FORMAT_HEIC }, { "hevx", RF_FORMAT_HEIC }, { "M4A ", RF_FORMAT_M4A },
    { "M4B ", RF_FORMAT_M4A },  { "M4P ", RF_FORMAT_M4A },  { "F4A ", RF_FORMAT_M4A },
    { "qt  ", RF_FORMAT_MOV },  { "3g", RF_FORMAT_3GP },    { "M4V", RF_FORMAT_MP4 },
    { "mp4", RF_FORMAT_MP4 },   { "iso", RF_FORMAT_MP4 },   { "avc", RF_FORMAT_MP4 },
    { "dash", RF_FORMAT_MP4 },  { "MSNV", RF_FORMAT_MP4 },  { "f4v ", RF_FORMAT_MP4 },
    { "F4V ", RF_FORMAT_MP4 },  { "hvc1", RF_FORMAT_MP4 },  { "mif", RF_FORMAT_HEIF },
    { "msf", RF_FORMAT_HEIF },
};

static enum rf_format_id by_brand(const uint8_t *brand)
{
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++) {
        if (memcmp(brand, brands[i].prefix, strlen(brands[i].prefix)) == 0)
            return brands[i].id;
    }
    return RF_FORMAT_NONE;
}

/* The main brand decides, but for "some picture" (mif1, msf1), which the others make precise. */
static enum rf_format_id by_brands(struct rf_look *k, const struct rf_box *ftyp)
{
    const uint8_t *p = rf_look(k, ftyp->body, 4);
    enum rf_format_id best = p ? by_brand(p) : RF_FORMAT_NONE;
    uint64_t at = ftyp->body + 8;

    if (!p || memcmp(p, "crx ", 4) == 0)
        return RF_FORMAT_NONE;
    for (int i = 0; i < MAX_BRANDS && at + 4 <= ftyp->end; i++, at += 4) {
        if (best && best != RF_FORMAT_HEIF)
            return best;
        p = rf_look(k, at, 4);
        enum rf_format_id id = p ? by_brand(p) : RF_FORMAT_NONE;
        if (!best || id == RF_FORMAT_AVIF || id == RF_FORMAT_HEIC)
            best = id;
    }
    return best;
}

/* Has the movie tracks of sound, and none of pictures? Each track names its handler. */
static bool movie_is_sound(struct rf_look *k)
{
    struct rf_box moov, track, media, handler;
    bool sound = false;
    uint64_t at;

    if (!rf_box_find(k, 0, k->size, "moov", &moov))
        return false;
    at = moov.body;
    for (int i = 0; i < MAX_TRACKS && rf_box_find(k, at, moov.end, "trak", &track); i++) {
        at = track.end;
        if (!rf_box_find(k, track.body, track.end, "mdia", &media) ||
            !rf_box_find(k, media.body, media.end, "hdlr", &handler))
            continue;
        if (RF_SEES(k, handler.body + 8, "vide"))
            return false;
        sound = sound || RF_SEES(k, handler.body + 8, "soun");
    }
    return sound;
}

/* QuickTime before there were brands starts with a movie or its data. */
enum rf_format_id rf_sniff_boxes(struct rf_look *k)
{
    struct rf_box b, next;
    enum rf_format_id id;

    if (!rf_box_at(k, 0, k->size, &b))
        return RF_FORMAT_NONE;
    if (rf_box_is(&b, "ftyp")) {
        id = by_brands(k, &b);
        return id == RF_FORMAT_MP4 && movie_is_sound(k) ? RF_FORMAT_M4A : id;
    }
    if (rf_box_is(&b, "moov") && rf_box_at(k, b.body, b.end, &next) &&
        (rf_box_is(&next, "mvhd") || rf_box_is(&next, "cmov")))
        return RF_FORMAT_MOV;
    if ((rf_box_is(&b, "mdat") || rf_box_is(&b, "wide") || rf_box_is(&b, "free")) &&
        rf_box_find(k, 0, k->size, "moov", &next))
        return RF_FORMAT_MOV;
    return RF_FORMAT_NONE;
}

struct element {
    uint32_t id;
    uint64_t body, end;
};

/* A number of one to eight bytes: the zeros before its first bit, which belongs to it, count them.
 * That bit stands for `*unit`. */
static bool read_number(struct rf_look *k, uint64_t *at, uint64_t *out, uint64_t *unit)
{
    int first = rf_look_byte(k, *at);
    unsigned n = 1;

    if (first <= 0)
        return false;
    while (!(first & (0x100 >> n)))
        n++;
    const uint8_t *p = rf_look(k, *at, n);
    if (!p)
        return false;
    *out = 0;
    for (unsigned i = 0; i < n; i++)
        *out = *out << 8 | p[i];
    *unit = (uint64_t)1 << 7 * n;
    *at += n;
    return true;
}

/* Names keep the first bit, lengths do not. A length of all ones is unknown: such an element
 * reaches to the end of what it is in. */
static bool element_at(struct rf_look *k, uint64_t at, uint64_t end, struct element *out)
{
    uint64_t id, length, unit;

    if (at >= end || !read_number(k, &at, &id, &unit) || id > UINT32_MAX ||
        !read_number(k, &at, &length, &unit) || at > end)
        return false;
    length -= unit;
    *out = (struct element){ (uint32_t)id, at, end };
    if (length != unit - 1 && length < end - at)
        out->end = at + length;
    return true;
}

static bool find_element(struct rf_look *k, uint64_t from, uint64_t end, uint32_t id,
                         struct element *out)
{
    for (int i = 0; i < MAX_ELEMENTS && element_at(k, from, end, out); i++) {
        if (out->id == id)
            return true;
        from = out->end;
    }
    return false;
}

enum ebml_id {
    EBML_HEADER = 0x1a45dfa3,
    EBML_DOCTYPE = 0x4282,
    SEGMENT = 0x18538067,
    TRACKS = 0x1654ae6b,
    TRACK = 0xae,
    TRACK_TYPE = 0x83,
};
enum track_type { TRACK_NONE, TRACK_VIDEO, TRACK_AUDIO };

/* Has it tracks of sound, and no others? */
static bool sound_only(struct rf_look *k, uint64_t from)
{
    struct element segment, tracks, track, type;
    bool sound = false;

    if (!find_element(k, from, k->size, SEGMENT, &segment) ||
        !find_element(k, segment.body, segment.end, TRACKS, &tracks))
        return false;
    uint64_t at = tracks.body;
    for (int i = 0; i < MAX_TRACKS && find_element(k, at, tracks.end, TRACK, &track); i++) {
        at = track.end;
        int t = find_element(k, track.body, track.end, TRACK_TYPE, &type)
                    ? rf_look_byte(k, type.body)
                    : TRACK_NONE;
        if (t == TRACK_VIDEO)
            return false;
        sound = sound || t == TRACK_AUDIO;
    }
    return sound;
}

enum rf_format_id rf_sniff_matroska(struct rf_look *k)
{
    struct element header, type;

    if (!RF_SEES(k, 0, "\x1a\x45\xdf\xa3") || !element_at(k, 0, k->size, &header) ||
        !find_element(k, header.body, header.end, EBML_DOCTYPE, &type))
        return RF_FORMAT_NONE;
    if (RF_SEES(k, type.body, "webm"))
        return sound_only(k, header.end) ? RF_FORMAT_WEBM_AUDIO : RF_FORMAT_WEBM;
    if (RF_SEES(k, type.body, "matroska"))
        return sound_only(k, header.end) ? RF_FORMAT_MKA : RF_FORMAT_MKV;
    return RF_FORMAT_NONE;
}

enum rf_format_id rf_sniff_ogg(struct rf_look *k)
{
    struct rf_ogg ogg;

    return rf_ogg_read(k, &ogg) ? ogg.format : RF_FORMAT_NONE;
}

#define ASF_HEADER "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
#define ASF_STREAM "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65"
#define ASF_VIDEO "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"

/* The header is a list of objects; a stream's says of what sort it is. */
enum rf_format_id rf_sniff_asf(struct rf_look *k)
{
    uint64_t at = 30;

    if (!RF_SEES(k, 0, ASF_HEADER))
        return RF_FORMAT_NONE;
    for (int i = 0; i < MAX_OBJECTS; i++) {
        const uint8_t *p = rf_look(k, at, 24);
        uint64_t length = p ? rf_le64(p + 16) : 0;
        if (length < 24 || length > k->size)
            break;
        if (RF_SEES(k, at, ASF_STREAM) && RF_SEES(k, at + 24, ASF_VIDEO))
            return RF_FORMAT_WMV;
        at += length;
    }
    return RF_FORMAT_WMA;
}

enum rf_format_id rf_sniff_mpeg_audio(struct rf_look *k)
{
    uint64_t tag = rf_id3_end(k), at;
    struct rf_mpeg_frame frame;

    if (RF_SEES(k, tag, "fLaC"))
        return RF_FORMAT_FLAC;
    if (rf_adts_at(k, tag))
        return RF_FORMAT_AAC;
    if (tag > 0)
        return RF_FORMAT_MP3;
    return rf_mpeg_first(k, 0, 1, &frame, &at) ? RF_FORMAT_MP3 : RF_FORMAT_NONE;
}

/* The length of the frame of AC-3, or E-AC-3, that begins with these bytes; 0 where none does. A
 * frame of AC-3 has a rate from a table, in three sampling rates. */
static uint64_t ac3_length(const uint8_t *p)
{
    static const uint16_t kilobits[] = { 32,  40,  48,  56,  64,  80,  96,  112, 128, 160,
                                         192, 224, 256, 320, 384, 448, 512, 576, 640 };
    unsigned sampling = p[4] >> 6, rate = p[4] >> 1 & 31, version = p[5] >> 3;

    if (p[0] != 0x0b || p[1] != 0x77 || version > 16)
        return 0;
    if (version > 10)
        return 2 * ((uint64_t)(p[2] & 7) << 8 | p[3]) + 2;
    if (sampling > 2 || rate >= sizeof kilobits / sizeof *kilobits)
        return 0;
    uint64_t kb = kilobits[rate];
    return sampling == 0 ? kb * 4 : sampling == 2 ? kb * 6 : 2 * (kb * 320 / 147 + (p[4] & 1));
}

/* Two frames, one after the other, or one that ends the file. */
bool rf_fits_ac3(struct rf_look *k)
{
    const uint8_t *p = rf_look(k, 0, 6);
    uint64_t next = p ? ac3_length(p) : 0;

    if (!next)
        return false;
    p = rf_look(k, next, 6);
    return next == k->size || (p && ac3_length(p));
}
