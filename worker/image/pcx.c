/* PCX: a header of 128 bytes, then each row plane by plane in runs (a byte with its two top bits
 * set says how often the next one stands), and for 256 colours a palette at the end of the file.
 *
 * 1, 2, 4 and 8 bits, one to four planes. */
#include "worker/image/pixels.h"

#define HEADER 128
#define PALETTE (256 * 3)

struct pcx {
    const uint8_t *p, *end;
    unsigned bits, planes, line; /* line: bytes of one plane of a row */
    const uint8_t *palette;      /* three bytes a colour, or NULL: grey */
};

static bool read_row(struct pcx *c, uint8_t *row)
{
    size_t n = (size_t)c->line * c->planes, at = 0;

    while (at < n) {
        if (c->p == c->end)
            return false;
        unsigned value = *c->p++, count = 1;
        if (value >= 0xc0) {
            if (c->p == c->end)
                return false;
            count = value & 0x3f;
            value = *c->p++;
        }
        for (; count && at < n; count--)
            row[at++] = (uint8_t)value;
    }
    return true;
}

static unsigned sample(const struct pcx *c, const uint8_t *row, unsigned plane, uint32_t x)
{
    unsigned each = 8 / c->bits, shift = 8 - c->bits * (x % each + 1);
    return row[(size_t)plane * c->line + x / each] >> shift & ((1u << c->bits) - 1);
}

static void put(const struct pcx *c, const uint8_t *row, uint32_t x, uint8_t *to)
{
    unsigned index = 0;

    if (c->bits == 8 && c->planes >= 3) {
        rf_put(to, row[x], row[c->line + x], row[2 * c->line + x], 255);
        return;
    }
    for (unsigned i = 0; i < c->planes; i++)
        index |= sample(c, row, i, x) << (i * c->bits);
    if (c->palette)
        rf_put(to, c->palette[index * 3], c->palette[index * 3 + 1], c->palette[index * 3 + 2],
               255);
    else
        rf_put(to, (uint8_t)(index * 255), (uint8_t)(index * 255), (uint8_t)(index * 255), 255);
}

/* After the pixels for 256 colours, in the header for up to 16; black and white without one. */
static bool find_palette(struct pcx *c, struct rf_str bytes)
{
    const uint8_t *p = rf_bytes_of(bytes);
    unsigned index_bits = c->bits * c->planes;

    if (c->bits == 8 && c->planes == 1) {
        if (bytes.n < HEADER + PALETTE + 1 || p[bytes.n - PALETTE - 1] != 12)
            return false;
        c->palette = p + bytes.n - PALETTE;
        c->end = c->palette - 1;
    } else if (index_bits > 1 && index_bits <= 4) {
        c->palette = p + 16;
    }
    return true;
}

static bool is_legal(const struct pcx *c)
{
    if (c->bits == 8)
        return c->planes == 1 || c->planes == 3 || c->planes == 4;
    return (c->bits == 1 || c->bits == 2 || c->bits == 4) && c->planes >= 1 &&
           c->bits * c->planes <= 4;
}

enum rf_code rf_read_pcx(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);

    if (!rf_has(bytes, 0, HEADER))
        return rf_cut(err, "PCX picture's header");
    struct pcx c = { p + HEADER, p + bytes.n, p[3], p[65], rf_le16(p + 66), NULL };
    int width = rf_le16(p + 8) - rf_le16(p + 4) + 1, height = rf_le16(p + 10) - rf_le16(p + 6) + 1;
    if (width <= 0 || height <= 0 || !is_legal(&c))
        return rf_fail(err, RF_EFORMAT, "the PCX picture's header is nonsense");
    if ((uint64_t)c.line * 8 < (uint64_t)width * c.bits || !find_palette(&c, bytes))
        return rf_fail(err, RF_EFORMAT, "the PCX picture is broken");
    enum rf_code rc = rf_pixels_make(px, (uint64_t)width, (uint64_t)height, a, err);
    if (rc)
        return rc;
    uint8_t *row = rf_arena_alloc(a, (size_t)c.line * c.planes);
    for (uint32_t y = 0; y < px->height; y++) {
        if (!read_row(&c, row)) {
            px->cut_off = true;
            return y ? RF_OK : rf_cut(err, "PCX picture");
        }
        for (uint32_t x = 0; x < px->width; x++)
            put(&c, row, x, rf_pixel(px, x, y));
    }
    return RF_OK;
}
