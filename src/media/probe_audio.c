/* How long sound is, where a header tells it: WAV, AIFF, FLAC, MP3, Ogg, and the movie header of
 * MP4 and its relatives. What a header does not tell stays 0; sound that has no header that can be
 * read at all is an error. Nothing is decoded. */
#include "media/probe.h"

#include "media/box.h"
#include "media/mpeg_audio.h"
#include "media/ogg.h"

#include <string.h>

#define MAX_CHUNKS 1024
#define MAX_TRACKS 1024
#define MAX_OGG_TAIL ((uint64_t)64 * 1024) /* a page is never longer */
#define MAX_PADDING ((uint64_t)64 * 1024)  /* between a tag and the first frame of an MP3 */
#define MAX_COUNT ((uint64_t)1 << 48)      /* of samples or bytes: what is more is nonsense */

static int64_t milliseconds(uint64_t count, uint64_t rate)
{
    if (rate == 0 || count > MAX_COUNT)
        return 0;
    return (int64_t)((count * 1000 + rate / 2) / rate);
}

/* The data of the first RIFF (or IFF) chunk of a type: false when it is not there. */
struct chunks {
    struct rf_look *k;
    uint32_t (*number)(const uint8_t *p);
};

static bool find_chunk(const struct chunks *c, const char type[4], uint64_t *data, uint32_t *length)
{
    uint64_t at = 12;

    for (int i = 0; i < MAX_CHUNKS; i++) {
        const uint8_t *p = rf_look(c->k, at, 8);
        if (!p)
            return false;
        *length = c->number(p + 4);
        *data = at + 8;
        if (memcmp(p, type, 4) == 0)
            return true;
        at += 8 + (uint64_t)*length + (*length & 1);
    }
    return false;
}

enum rf_code rf_probe_wav(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const struct chunks c = { k, rf_le32 };
    uint64_t at;
    uint32_t length, bytes_a_second;
    const uint8_t *p = find_chunk(&c, "fmt ", &at, &length) ? rf_look(k, at, 16) : NULL;

    if (!p)
        return rf_fail(err, RF_EFORMAT, "the WAV does not describe its sound");
    bytes_a_second = rf_le32(p + 8);
    if (!find_chunk(&c, "data", &at, &length))
        return rf_fail(err, RF_EFORMAT, "the WAV holds no sound");
    uint64_t there = at < k->size ? k->size - at : 0;
    facts->duration_ms = milliseconds(length < there ? length : there, bytes_a_second);
    return RF_OK;
}

/* An extended float of 80 bits, as far as a sample rate goes. */
static uint64_t sample_rate(const uint8_t *p)
{
    int exponent = (rf_be16(p) & 0x7fff) - 16383;

    return exponent >= 0 && exponent < 32 ? rf_be64(p + 2) >> (63 - exponent) : 0;
}

enum rf_code rf_probe_aiff(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const struct chunks c = { k, rf_be32 };
    uint64_t at;
    uint32_t length;
    const uint8_t *p = find_chunk(&c, "COMM", &at, &length) ? rf_look(k, at, 18) : NULL;

    if (!p)
        return rf_fail(err, RF_EFORMAT, "the AIFF does not describe its sound");
    facts->duration_ms = milliseconds(rf_be32(p + 2), sample_rate(p + 8));
    return RF_OK;
}

/* The first block must be the description of the stream: rate 20 bits, channels 3, depth 5, samples
 * 36, from the tenth byte on. */
enum rf_code rf_probe_flac(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    uint64_t at = rf_id3_end(k);
    const uint8_t *p = rf_look(k, at, 4 + 4 + 34);

    if (!p)
        return rf_cut_off(err, "FLAC header");
    if ((p[4] & 0x7f) != 0 || (rf_be32(p + 4) & 0xffffff) != 34)
        return rf_fail(err, RF_EFORMAT, "the FLAC does not describe its sound");
    uint64_t bits = rf_be64(p + 18);
    if (bits >> 44 == 0)
        return rf_fail(err, RF_EFORMAT, "the FLAC has a sample rate of 0");
    facts->duration_ms = milliseconds(bits & 0xfffffffff, bits >> 44);
    return RF_OK;
}

/* How many frames a header in the first one tells: Xing or Info, or VBRI; 0 where there is none. */
static uint32_t told_frames(struct rf_look *k, uint64_t at, const struct rf_mpeg_frame *f)
{
    const uint8_t *p = rf_look(k, at + f->side, 12);

    if (p && (memcmp(p, "Xing", 4) == 0 || memcmp(p, "Info", 4) == 0))
        return p[7] & 1 ? rf_be32(p + 8) : 0;
    p = rf_look(k, at + 36, 18);
    return p && memcmp(p, "VBRI", 4) == 0 ? rf_be32(p + 14) : 0;
}

enum rf_code rf_probe_mp3(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    uint64_t from = rf_id3_end(k), at;
    struct rf_mpeg_frame f;

    if (from >= k->size && from > 0)
        return rf_fail(err, RF_EFORMAT, "the MP3 is cut off before its sound");
    if (!rf_mpeg_first(k, from, from + MAX_PADDING, &f, &at))
        return rf_fail(err, RF_EFORMAT, "the MP3 has no frame of sound");
    uint64_t frames = told_frames(k, at, &f);
    if (frames > 0)
        facts->duration_ms = milliseconds(frames * f.samples, f.rate);
    else
        facts->duration_ms = milliseconds((k->size - at) * 8, f.bitrate);
    return RF_OK;
}

/* The last page of the stream tells the position at its end. */
static uint64_t last_granule(struct rf_look *k, uint32_t serial)
{
    uint64_t end = k->size, at, from = end > MAX_OGG_TAIL ? end - MAX_OGG_TAIL : 0;

    while (rf_look_find_last(k, from, end, "OggS", &at)) {
        const uint8_t *p = rf_look(k, at, 18);
        uint64_t granule = p ? rf_le64(p + 6) : UINT64_MAX;
        if (p && rf_le32(p + 14) == serial && granule != UINT64_MAX)
            return granule;
        end = at;
    }
    return 0;
}

enum rf_code rf_probe_ogg(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_ogg ogg;

    if (!rf_ogg_read(k, &ogg))
        return rf_fail(err, RF_EFORMAT, "the Ogg does not describe its sound");
    uint64_t end = last_granule(k, ogg.serial);
    facts->duration_ms = milliseconds(end > ogg.skip ? end - ogg.skip : 0, ogg.rate);
    return RF_OK;
}

/* How long a track is shown, in units of the movie; 0 where it is neither sound nor video. */
static uint64_t track_length(struct rf_look *k, const struct rf_box *trak)
{
    struct rf_box tkhd, mdia, hdlr;
    const uint8_t *p;

    if (!rf_box_find(k, trak->body, trak->end, "tkhd", &tkhd) ||
        !rf_box_find(k, trak->body, trak->end, "mdia", &mdia) ||
        !rf_box_find(k, mdia.body, mdia.end, "hdlr", &hdlr) ||
        (!RF_SEES(k, hdlr.body + 8, "vide") && !RF_SEES(k, hdlr.body + 8, "soun")))
        return 0;
    p = rf_look(k, tkhd.body, 36);
    if (!p || p[0] == 1)
        return p ? rf_be64(p + 28) : 0;
    return rf_be32(p + 20) == UINT32_MAX ? 0 : rf_be32(p + 20);
}

/* The length of the longest of sound and video, whatever subtitles go on after them;
 * `otherwise` where none of them says it. */
static uint64_t shown_length(struct rf_look *k, const struct rf_box *moov, uint64_t otherwise)
{
    uint64_t longest = 0, at = moov->body;
    struct rf_box trak;

    for (int i = 0; i < MAX_TRACKS && rf_box_find(k, at, moov->end, "trak", &trak); i++) {
        uint64_t length = track_length(k, &trak);
        longest = length > longest ? length : longest;
        at = trak.end;
    }
    return longest && longest < otherwise ? longest : otherwise;
}

enum rf_code rf_probe_movie(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct rf_box moov, mvhd;
    const uint8_t *p;

    if (!rf_box_find(k, 0, k->size, "moov", &moov))
        return rf_fail(err, RF_EFORMAT, "the movie header is missing: the file may be cut off");
    if (!rf_box_find(k, moov.body, moov.end, "mvhd", &mvhd))
        return RF_OK;
    p = rf_look(k, mvhd.body, 32);
    if (!p)
        return rf_cut_off(err, "movie header");
    bool wide = p[0] == 1;
    uint32_t unit = rf_be32(p + (wide ? 20 : 12));
    uint64_t length = wide ? rf_be64(p + 24) : rf_be32(p + 16);
    if (wide || length != UINT32_MAX)
        facts->duration_ms = milliseconds(shown_length(k, &moov, length), unit);
    return RF_OK;
}
