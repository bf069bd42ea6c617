/* DDS: | "DDS " | header 124 | header of DirectX 10, 20, where "DX10" stands in the first | pixels
 * |: a texture, in blocks of 4 x 4 or plain with masks.
 *
 * DXT1, DXT3, DXT5 and plain pixels of 8 to 32 bits, under either header; the first and largest of
 * its mipmaps. It refuses other packings (BC4 to BC7, floats) and volumes. */
#include "worker/image/pixels.h"

#define HEADER 128
#define HEADER_DX10 20
#define HAS_ALPHA 0x1
#define HAS_FOURCC 0x4

struct dds {
    struct rf_str bytes;
    size_t start;  /* of the pixels */
    unsigned kind; /* of blocks: DXT1, 3 or 5; else 0 */
    unsigned bits;
    bool alpha;
    uint32_t mask[4];
};

/* DXGI_FORMAT, with and without sRGB. */
static const struct {
    unsigned number, kind, bits;
    uint32_t mask[4];
} dx10[] = {
    { 28, 0, 32, { 0xFF, 0xFF00, 0xFF0000, 0xFF000000 } },
    { 29, 0, 32, { 0xFF, 0xFF00, 0xFF0000, 0xFF000000 } },
    { 61, 0, 8, { 0xFF, 0, 0, 0 } },
    { 71, 1, 0, { 0 } },
    { 72, 1, 0, { 0 } },
    { 74, 3, 0, { 0 } },
    { 75, 3, 0, { 0 } },
    { 77, 5, 0, { 0 } },
    { 78, 5, 0, { 0 } },
    { 87, 0, 32, { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 } },
    { 88, 0, 32, { 0xFF0000, 0xFF00, 0xFF, 0 } },
    { 91, 0, 32, { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 } },
    { 93, 0, 32, { 0xFF0000, 0xFF00, 0xFF, 0 } },
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

static bool read_blocks(const struct dds *d, struct rf_pixels *px)
{
    unsigned kind = d->kind;
    size_t size = kind == 1 ? 8 : 16, at = d->start;
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
    size_t size = d->bits / 8, at = d->start;
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

/* False where it is packed otherwise. */
static bool read_newer_header(struct dds *d)
{
    unsigned number = rf_le32(rf_bytes_of(d->bytes) + HEADER);
    for (size_t i = 0; i < sizeof dx10 / sizeof *dx10; i++) {
        if (dx10[i].number != number)
            continue;
        d->start += HEADER_DX10;
        d->kind = dx10[i].kind;
        d->bits = dx10[i].bits;
        d->alpha = d->kind || dx10[i].mask[3];
        memcpy(d->mask, dx10[i].mask, sizeof d->mask);
        return true;
    }
    return false;
}

static bool read_header(struct dds *d)
{
    const uint8_t *p = rf_bytes_of(d->bytes);
    unsigned flags = rf_le32(p + 80);
    d->start = HEADER;
    if (flags & HAS_FOURCC && memcmp(p + 84, "DX10", 4) == 0)
        return rf_has(d->bytes, HEADER, HEADER_DX10) && read_newer_header(d);
    if (flags & HAS_FOURCC) {
        d->kind = memcmp(p + 84, "DXT", 3) == 0 ? p[87] - (unsigned)'0' : 0;
        d->alpha = true;
        return d->kind == 1 || d->kind == 3 || d->kind == 5;
    }
    d->bits = rf_le32(p + 88);
    for (int i = 0; i < 4; i++)
        d->mask[i] = rf_le32(p + 92 + 4 * i);
    d->alpha = flags & HAS_ALPHA && d->mask[3];
    return d->bits >= 8 && d->bits <= 32 && d->bits % 8 == 0;
}

enum rf_code rf_read_dds(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);
    struct dds d = { .bytes = bytes };

    if (!rf_has(bytes, 0, HEADER))
        return rf_cut(err, "DDS texture's header");
    if (!read_header(&d))
        return rf_fail(err, RF_EUNSUPPORTED, "the DDS texture is packed in a way that is not read");
    uint64_t blocks_needed =
        ((uint64_t)rf_le32(p + 16) + 3) / 4 * (((uint64_t)rf_le32(p + 12) + 3) / 4);
    if (blocks_needed > bytes.n)
        return rf_cut(err, "DDS texture");
    enum rf_code rc = rf_pixels_make(px, rf_le32(p + 16), rf_le32(p + 12), a, err);
    if (rc)
        return rc;
    px->alpha = d.alpha;
    return (d.kind ? read_blocks(&d, px) : read_plain(&d, px)) ? RF_OK : rf_cut(err, "DDS texture");
}
