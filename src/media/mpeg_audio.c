/* MPEG audio headers. Eleven set bits are not proof of anything, so a frame counts only when the
 * next header stands where its length says. It refuses the free format, which has no lengths. */
#include "media/mpeg_audio.h"

#define MAX_ID3_TAGS 8

/* Kilobits a second: MPEG 1 layers I, II, III; MPEG 2 layer I, and layers II and III. */
static const uint16_t bitrates[5][15] = {
    { 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448 },
    { 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
    { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
    { 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256 },
    { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 },
};
static const uint16_t rates[3] = { 44100, 48000, 32000 };

static uint32_t kilobits(bool mpeg1, unsigned layer, unsigned index)
{
    if (mpeg1)
        return bitrates[layer - 1][index];
    return bitrates[layer == 1 ? 3 : 4][index];
}

bool rf_mpeg_frame(const uint8_t header[4], struct rf_mpeg_frame *out)
{
    uint32_t h = rf_be32(header);
    unsigned version = h >> 19 & 3, layer = 4 - (h >> 17 & 3);
    unsigned bits = h >> 12 & 15, rate = h >> 10 & 3, padding = h >> 9 & 1;
    bool mpeg1 = version == 3, mono = (h >> 6 & 3) == 3;

    if (h >> 21 != 0x7ff || version == 1 || layer == 4 || bits == 0 || bits == 15 || rate == 3)
        return false;
    out->sort = h & 0xfffe0c00;
    out->bitrate = kilobits(mpeg1, layer, bits) * 1000;
    out->rate = (uint32_t)rates[rate] >> (mpeg1 ? 0 : version == 2 ? 1 : 2);
    out->samples = layer == 1 ? 384 : layer == 3 && !mpeg1 ? 576 : 1152;
    if (layer == 1)
        out->length = (12 * out->bitrate / out->rate + padding) * 4;
    else
        out->length = out->samples / 8 * out->bitrate / out->rate + padding;
    out->side = 4 + (mpeg1 ? (mono ? 17 : 32) : (mono ? 9 : 17));
    return true;
}

/* Is `at` a place where sound may end: the end of the bytes, or a tag that stands there? */
static bool is_end(struct rf_look *k, uint64_t at)
{
    return at == k->size || RF_SEES(k, at, "TAG") || RF_SEES(k, at, "APETAGEX") ||
           RF_SEES(k, at, "LYRICSBEGIN");
}

static bool frame_stands(struct rf_look *k, uint64_t at, struct rf_mpeg_frame *out)
{
    const uint8_t *p = rf_look(k, at, 4);
    struct rf_mpeg_frame next;

    if (!p || !rf_mpeg_frame(p, out))
        return false;
    if (is_end(k, at + out->length))
        return true;
    p = rf_look(k, at + out->length, 4);
    return p && rf_mpeg_frame(p, &next) && next.sort == out->sort;
}

bool rf_mpeg_first(struct rf_look *k, uint64_t from, uint64_t limit, struct rf_mpeg_frame *out,
                   uint64_t *at)
{
    for (; from < limit; from++) {
        int byte = rf_look_byte(k, from);
        if (byte < 0)
            return false;
        if (byte == 0xff && frame_stands(k, from, out)) {
            *at = from;
            return true;
        }
    }
    return false;
}

static uint32_t adts_length(struct rf_look *k, uint64_t at)
{
    const uint8_t *p = rf_look(k, at, 7);

    if (!p || p[0] != 0xff || (p[1] & 0xf6) != 0xf0 || (p[2] >> 2 & 15) > 12)
        return 0;
    return (uint32_t)(p[3] & 3) << 11 | (uint32_t)p[4] << 3 | p[5] >> 5;
}

bool rf_adts_at(struct rf_look *k, uint64_t at)
{
    uint32_t length = adts_length(k, at);

    return length > 7 && (is_end(k, at + length) || adts_length(k, at + length) > 7);
}

uint64_t rf_id3_end(struct rf_look *k)
{
    uint64_t at = 0;

    for (int i = 0; i < MAX_ID3_TAGS && RF_SEES(k, at, "ID3"); i++) {
        const uint8_t *p = rf_look(k, at, 10);
        if (!p || ((p[6] | p[7] | p[8] | p[9]) & 0x80))
            break;
        at += 10 + (p[5] & 0x10 ? 10u : 0u);
        at += (uint32_t)p[6] << 21 | (uint32_t)p[7] << 14 | (uint32_t)p[8] << 7 | p[9];
    }
    return at;
}
