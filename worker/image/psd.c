/* Photoshop: | "8BPS" | version 2 | 0 6 | channels 2 | height 4 | width 4 | bits 2 | mode 2 |,
 * three sections with a length before each (colours, resources, layers), then the picture as it is
 * seen, one channel after the other: whole, or each row packed, the packed lengths of all rows
 * first.
 *
 * It reads that picture and no layers. 1, 8 and 16 bits. Transparency is there where the
 * layers' count is negative: the first channel after the colours is then the picture's. It refuses
 * 32 bits a channel and zipped pictures, which programs write into layers only. */
#include "worker/image/pixels.h"

#include <math.h>

#define HEADER 26
#define MAX_CHANNELS 56

enum mode {
    PSD_BITMAP = 0,
    PSD_GREY = 1,
    PSD_INDEXED = 2,
    PSD_RGB = 3,
    PSD_CMYK = 4,
    PSD_MULTI = 7,
    PSD_DUOTONE = 8,
    PSD_LAB = 9,
};

struct psd {
    struct rf_str bytes;
    unsigned version, channels, bits, mode;
    uint32_t width, height;
    size_t at;
    struct rf_str palette;
    bool clear; /* the channel after the colours is the transparency */
    size_t row;
};

/* A section with its length before it; the layers' is of eight bytes in large files. */
static bool take_section(struct psd *s, size_t length_bytes, struct rf_str *out)
{
    if (!rf_has(s->bytes, s->at, length_bytes))
        return false;
    const uint8_t *p = rf_bytes_of(s->bytes) + s->at;
    uint64_t n = length_bytes == 8 ? rf_be64(p) : rf_be32(p);
    s->at += length_bytes;
    if (!rf_has(s->bytes, s->at, n))
        return false;
    *out = (struct rf_str){ s->bytes.p + s->at, (size_t)n };
    s->at += (size_t)n;
    return true;
}

static bool take_sections(struct psd *s)
{
    size_t wide = s->version == 2 ? 8 : 4;
    struct rf_str resources, layers;

    if (!take_section(s, 4, &s->palette) || !take_section(s, 4, &resources) ||
        !take_section(s, wide, &layers))
        return false;
    if (rf_has(layers, wide, 2))
        s->clear = rf_bytes_of(layers)[wide] & 0x80;
    return true;
}

static unsigned colours_of(unsigned mode)
{
    switch (mode) {
    case PSD_RGB:
    case PSD_LAB:
        return 3;
    case PSD_CMYK:
        return 4;
    default:
        return 1;
    }
}

static bool is_legal(const struct psd *s)
{
    bool mode = s->mode <= PSD_CMYK || (s->mode >= PSD_MULTI && s->mode <= PSD_LAB);
    return (s->version == 1 || s->version == 2) && mode && s->channels >= colours_of(s->mode) &&
           s->channels <= MAX_CHANNELS &&
           (s->bits == 8 || s->bits == 16 || (s->bits == 1 && s->mode == PSD_BITMAP));
}

/* PackBits: n < 128: n + 1 bytes as they are; n > 128: the next byte 257 - n times. */
static void unpack(struct rf_str in, uint8_t *out, size_t n)
{
    const uint8_t *p = rf_bytes_of(in);
    size_t at = 0, from = 0;

    while (from < in.n && at < n) {
        unsigned head = p[from++];
        size_t count = head < 128 ? head + 1u : 257u - head;
        if (head == 128)
            continue;
        if (count > n - at)
            count = n - at;
        if (head < 128) {
            if (count > in.n - from)
                count = in.n - from;
            memcpy(out + at, p + from, count);
            from += count;
        } else if (from < in.n) {
            memset(out + at, p[from++], count);
        }
        at += count;
    }
}

static uint8_t sample(const struct psd *s, const uint8_t *row, uint32_t x)
{
    if (s->bits == 16)
        return row[(size_t)x * 2];
    if (s->bits == 1)
        return row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    return row[x];
}

/* A channel's row goes into R, G, B or A first; colours are made of them when all are there. */
static void take_row(const struct psd *s, const uint8_t *row, unsigned channel, uint32_t y,
                     struct rf_pixels *px)
{
    unsigned colours = colours_of(s->mode);
    unsigned to = channel == colours && s->clear && s->mode != PSD_CMYK ? 3 : channel;

    for (uint32_t x = 0; x < s->width; x++) {
        uint8_t *p = rf_pixel(px, x, y), v = sample(s, row, x);
        p[to] = v;
        if (colours == 1 && to == 0)
            p[1] = p[2] = v;
    }
}

static bool is_wanted(const struct psd *s, unsigned channel)
{
    return channel < colours_of(s->mode) ||
           (channel == colours_of(s->mode) && s->clear && s->mode != PSD_CMYK);
}

static bool read_whole(struct psd *s, struct rf_pixels *px)
{
    for (unsigned c = 0; c < s->channels && is_wanted(s, c); c++) {
        for (uint32_t y = 0; y < s->height; y++, s->at += s->row) {
            if (!rf_has(s->bytes, s->at, s->row))
                return false;
            take_row(s, rf_bytes_of(s->bytes) + s->at, c, y, px);
        }
    }
    return true;
}

static bool read_packed(struct psd *s, struct rf_arena *a, struct rf_pixels *px)
{
    size_t wide = s->version == 2 ? 4 : 2, lengths = s->at;
    uint64_t rows = (uint64_t)s->channels * s->height;
    uint8_t *row = rf_arena_alloc(a, s->row);

    if (!rf_has(s->bytes, lengths, rows * wide))
        return false;
    s->at += (size_t)rows * wide;
    for (unsigned c = 0; c < s->channels && is_wanted(s, c); c++) {
        for (uint32_t y = 0; y < s->height; y++) {
            const uint8_t *p = rf_bytes_of(s->bytes) + lengths + ((size_t)c * s->height + y) * wide;
            size_t n = wide == 4 ? rf_be32(p) : rf_be16(p);
            if (!rf_has(s->bytes, s->at, n))
                return false;
            memset(row, 0, s->row);
            unpack((struct rf_str){ s->bytes.p + s->at, n }, row, s->row);
            take_row(s, row, c, y, px);
            s->at += n;
        }
    }
    return true;
}

/* sRGB's curve. */
static uint8_t to_byte(double v)
{
    if (v <= 0)
        return 0;
    double curved = v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return curved >= 1 ? 255 : (uint8_t)(curved * 255 + 0.5);
}

static double cube(double f)
{
    return f > 6.0 / 29 ? f * f * f : (f - 16.0 / 116) * 108 / 841;
}

/* L*a*b* of D50, as Photoshop means it, to sRGB. */
static void lab_pixel(uint8_t *p)
{
    double y = (p[0] * 100 / 255.0 + 16) / 116;
    double x = 0.9642 * cube(y + (p[1] - 128) / 500.0), z = 0.8249 * cube(y - (p[2] - 128) / 200.0);

    y = cube(y);
    p[0] = to_byte(3.1339 * x - 1.6169 * y - 0.4906 * z);
    p[1] = to_byte(-0.9788 * x + 1.9161 * y + 0.0335 * z);
    p[2] = to_byte(0.0719 * x - 0.2290 * y + 1.4052 * z);
}

static void finish_pixel(const struct psd *s, uint8_t *p)
{
    if (s->mode == PSD_CMYK) { /* stored as what is left of the light */
        for (int i = 0; i < 3; i++)
            p[i] = (uint8_t)(p[i] * p[3] / 255);
        p[3] = 255;
        return;
    }
    if (s->mode == PSD_LAB)
        lab_pixel(p);
    if (s->mode == PSD_INDEXED && s->palette.n >= 768) {
        const uint8_t *colour = rf_bytes_of(s->palette) + p[0];
        rf_put(p, colour[0], colour[256], colour[512], p[3]);
    }
    if (!s->clear)
        p[3] = 255;
}

static enum rf_code read_picture(struct psd *s, struct rf_arena *a, struct rf_pixels *px,
                                 struct rf_err *err)
{
    if (!take_sections(s) || !rf_has(s->bytes, s->at, 2))
        return rf_cut(err, "Photoshop picture");
    unsigned packing = rf_be16(rf_bytes_of(s->bytes) + s->at);
    s->at += 2;
    if (packing > 1)
        return rf_fail(err, RF_EUNSUPPORTED,
                       "the Photoshop picture is packed in a way that is not read");
    enum rf_code rc = rf_pixels_make(px, s->width, s->height, a, err);
    if (rc)
        return rc;
    s->clear = s->clear && s->channels > colours_of(s->mode) && s->mode != PSD_CMYK;
    px->alpha = s->clear;
    px->bits = s->bits;
    s->row = s->bits == 1 ? (s->width + 7) / 8 : (size_t)s->width * s->bits / 8;
    if (!(packing ? read_packed(s, a, px) : read_whole(s, px)))
        return rf_cut(err, "Photoshop picture");
    for (size_t i = 0; i < (size_t)px->width * px->height; i++)
        finish_pixel(s, px->p + i * 4);
    return RF_OK;
}

enum rf_code rf_read_psd(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);

    if (!rf_has(bytes, 0, HEADER))
        return rf_cut(err, "Photoshop picture's header");
    struct psd s = { .bytes = bytes,
                     .version = rf_be16(p + 4),
                     .channels = rf_be16(p + 12),
                     .bits = rf_be16(p + 22),
                     .mode = rf_be16(p + 24),
                     .height = rf_be32(p + 14),
                     .width = rf_be32(p + 18),
                     .at = HEADER };
    if (s.bits == 32)
        return rf_fail(err, RF_EUNSUPPORTED,
                       "a Photoshop picture of 32 bits a channel is not read");
    if (!is_legal(&s))
        return rf_fail(err, RF_EFORMAT, "the Photoshop picture's header is nonsense");
    return read_picture(&s, a, px, err);
}
