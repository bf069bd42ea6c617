/* DDS: | "DDS " | header 124 | pixels |: a texture, in blocks of 4 x 4 or plain with masks.
 *
 * DXT1, DXT3, DXT5 and plain pixels of 8 to 32 bits; the first and largest of its mipmaps. It
 * refuses the header of DirectX 10, volumes and the rest. */
#include "worker/image/pixels.h"

#define HEADER 128
#define HAS_ALPHA 0x1
#define HAS_FOURCC 0x4

struct dds {
    struct rf_str bytes;
    unsigned bits, flags;
    uint32_t mask[4];
};

static void put_565(uint8_t *to, unsigned v)
{
    rf_put(to, (uint8_t)((v >> 11) * 255 / 31), (uint8_t)((v >> 5 & 63) * 255 / 63),
           (uint8_t)((v & 31) * 255 / 31), 255);
}

static void mix(uint8_t *to, const uint8_t *a, const uint8_t *b, unsigned of_a, unsigned of_b)
{
    for (int i = 0; i < 3; i++)
        to[i] = (uint8_t)((a[i] * of_a + b[i] * of_b) / (of_a + of_b));
    to[3] = 255;
}

/* Two colours, two between them (or one, and a hole), and two bits for each of sixteen pixels. */
static void read_colours(const uint8_t *p, bool holes, uint8_t out[16][4])
{
    uint8_t c[4][4] = { { 0 } };
    unsigned first = rf_le16(p), second = rf_le16(p + 2);
    uint32_t index = rf_le32(p + 4);

    put_565(c[0], first);
    put_565(c[1], second);
    if (first > second || !holes) {
        mix(c[2], c[0], c[1], 2, 1);
        mix(c[3], c[0], c[1], 1, 2);
    } else {
        mix(c[2], c[0], c[1], 1, 1);
    }
    for (int i = 0; i < 16; i++)
        memcpy(out[i], c[index >> (2 * i) & 3], 4);
}

static void read_alpha3(const uint8_t *p, uint8_t out[16][4])
{
    for (int i = 0; i < 16; i++)
        out[i][3] = (uint8_t)((p[i / 2] >> (i % 2 * 4) & 15) * 17);
}

static void read_alpha5(const uint8_t *p, uint8_t out[16][4])
{
    unsigned steps = p[0] > p[1] ? 7 : 5;
    uint8_t a[8] = { p[0], p[1] };
    uint64_t index = rf_le32(p + 2) | (uint64_t)rf_le16(p + 6) << 32;

    for (unsigned i = 1; i < steps; i++)
        a[i + 1] = (uint8_t)(((steps - i) * p[0] + i * p[1]) / steps);
    if (steps == 5)
        a[7] = 255;
    for (int i = 0; i < 16; i++)
        out[i][3] = a[index >> (3 * i) & 7];
}

static void put_block(struct rf_pixels *px, uint32_t x, uint32_t y, uint8_t block[16][4])
{
    for (uint32_t i = 0; i < 16; i++) {
        if (x + i % 4 < px->width && y + i / 4 < px->height)
            memcpy(rf_pixel(px, x + i % 4, y + i / 4), block[i], 4);
    }
}

static bool read_blocks(const struct dds *d, unsigned kind, struct rf_pixels *px)
{
    size_t size = kind == 1 ? 8 : 16, at = HEADER;
    uint8_t block[16][4];

    for (uint32_t y = 0; y < px->height; y += 4) {
        for (uint32_t x = 0; x < px->width; x += 4, at += size) {
            if (!rf_has(d->bytes, at, size))
                return false;
            const uint8_t *p = rf_bytes_of(d->bytes) + at;
            read_colours(p + size - 8, kind == 1, block);
            if (kind == 3)
                read_alpha3(p, block);
            if (kind == 5)
                read_alpha5(p, block);
            put_block(px, x, y, block);
        }
    }
    return true;
}

static uint8_t channel(uint32_t mask, uint32_t v)
{
    if (!mask)
        return 0;
    unsigned shift = (unsigned)__builtin_ctz(mask);
    return (uint8_t)((uint64_t)((v & mask) >> shift) * 255 / (mask >> shift));
}

static bool read_plain(const struct dds *d, struct rf_pixels *px)
{
    size_t size = d->bits / 8, at = HEADER;
    bool grey = !d->mask[1] && !d->mask[2];

    for (size_t i = 0; i < (size_t)px->width * px->height; i++, at += size) {
        uint32_t v = 0;
        if (!rf_has(d->bytes, at, size))
            return false;
        memcpy(&v, d->bytes.p + at, size);
        uint8_t red = channel(d->mask[0], v);
        rf_put(px->p + i * 4, red, grey ? red : channel(d->mask[1], v),
               grey ? red : channel(d->mask[2], v), px->alpha ? channel(d->mask[3], v) : 255);
    }
    return true;
}

enum rf_code rf_read_dds(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);

    if (!rf_has(bytes, 0, HEADER))
        return rf_cut(err, "DDS texture's header");
    struct dds d = { bytes,
                     rf_le32(p + 88),
                     rf_le32(p + 80),
                     { rf_le32(p + 92), rf_le32(p + 96), rf_le32(p + 100), rf_le32(p + 104) } };
    bool blocks = d.flags & HAS_FOURCC;
    unsigned kind = blocks && memcmp(p + 84, "DXT", 3) == 0 ? p[87] - (unsigned)'0' : 0;
    if (blocks ? kind != 1 && kind != 3 && kind != 5 : d.bits < 8 || d.bits > 32 || d.bits % 8 != 0)
        return rf_fail(err, RF_EUNSUPPORTED, "the DDS texture is packed in a way that is not read");
    uint64_t blocks_needed =
        ((uint64_t)rf_le32(p + 16) + 3) / 4 * (((uint64_t)rf_le32(p + 12) + 3) / 4);
    if (blocks_needed > bytes.n)
        return rf_cut(err, "DDS texture");
    enum rf_code rc = rf_pixels_make(px, rf_le32(p + 16), rf_le32(p + 12), a, err);
    if (rc)
        return rc;
    px->alpha = blocks ? true : (d.flags & HAS_ALPHA) && d.mask[3];
    return (blocks ? read_blocks(&d, kind, px) : read_plain(&d, px)) ? RF_OK
                                                                     : rf_cut(err, "DDS texture");
}
