/* BMP: | file header 14 | info header 12 to 124 | masks | palette | pixels |, rows from the bottom.
 *
 * All that Windows and OS/2 write: 1 to 32 bits, palettes, bit fields, run lengths, top-down, and a
 * JPEG or PNG inside. It refuses OS/2's two own compressions, which have not been written for
 * decades. What runs leave out is the palette's first colour. */
#include "worker/image/pixels.h"

enum compression {
    BMP_RGB,
    BMP_RLE8,
    BMP_RLE4,
    BMP_FIELDS,
    BMP_JPEG,
    BMP_PNG,
    BMP_ALPHA_FIELDS,
};

#define FILE_HEADER 14
#define CORE_HEADER 12
#define OS2_HEADER 64
#define MAX_HEADER 1024

struct field {
    uint32_t mask;
    unsigned shift;
    uint32_t top; /* the mask, moved to the right */
};

struct dib {
    struct rf_str bytes;
    uint32_t header, width, height, compression, used;
    unsigned bits;
    bool top_down;
    size_t palette_at, palette_count, palette_step, data;
    uint8_t palette[256][4];
    struct field field[4];
};

static const uint8_t *at(const struct dib *d, size_t offset)
{
    return rf_bytes_of(d->bytes) + offset;
}

static enum rf_code read_core(struct dib *d, size_t h)
{
    d->width = rf_le16(at(d, h + 4));
    d->height = rf_le16(at(d, h + 6));
    d->bits = rf_le16(at(d, h + 10));
    d->palette_step = 3;
    return RF_OK;
}

static enum rf_code read_info(struct dib *d, size_t h, struct rf_err *err)
{
    int32_t width = (int32_t)rf_le32(at(d, h + 4)), height = (int32_t)rf_le32(at(d, h + 8));

    if (width <= 0 || height == 0 || height == INT32_MIN)
        return rf_fail(err, RF_EFORMAT, "the BMP has an impossible size");
    d->top_down = height < 0;
    d->width = (uint32_t)width;
    d->height = (uint32_t)(height < 0 ? -height : height);
    d->bits = rf_le16(at(d, h + 14));
    d->palette_step = 4;
    if (d->header >= 20)
        d->compression = rf_le32(at(d, h + 16));
    if (d->header >= 36)
        d->used = rf_le32(at(d, h + 32));
    if (d->header == OS2_HEADER && d->compression > BMP_RLE4)
        return rf_fail(err, RF_EUNSUPPORTED, "the BMP is packed in a way of OS/2 that is not read");
    return RF_OK;
}

static enum rf_code read_header(struct dib *d, size_t h, struct rf_err *err)
{
    if (!rf_has(d->bytes, h, CORE_HEADER))
        return rf_cut(err, "BMP's header");
    d->header = rf_le32(at(d, h));
    if (d->header < CORE_HEADER || d->header > MAX_HEADER || !rf_has(d->bytes, h, d->header) ||
        (d->header > CORE_HEADER && d->header < 16))
        return rf_fail(err, RF_EFORMAT, "the BMP's header has an impossible length");
    return d->header == CORE_HEADER ? read_core(d, h) : read_info(d, h, err);
}

static void set_field(struct field *f, uint32_t mask)
{
    *f = (struct field){ .mask = mask };
    while (mask && !(mask & 1)) {
        mask >>= 1;
        f->shift++;
    }
    f->top = mask;
}

/* Where the colours of a pixel of 16 or 32 bits are. Returns how many bytes of masks come after
 * the header. */
static size_t read_fields(struct dib *d, size_t h)
{
    bool own = d->compression == BMP_FIELDS || d->compression == BMP_ALPHA_FIELDS;
    size_t count = d->header >= 56 || d->compression == BMP_ALPHA_FIELDS ? 4 : 3;
    static const uint32_t usual[2][3] = { { 0x7c00, 0x3e0, 0x1f }, { 0xff0000, 0xff00, 0xff } };

    if (!own || !rf_has(d->bytes, h + 40, count * 4)) {
        for (size_t i = 0; i < 3; i++)
            set_field(&d->field[i], usual[d->bits == 32][i]);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        set_field(&d->field[i], rf_le32(at(d, h + 40 + i * 4)));
    return d->header == 40 ? count * 4 : 0;
}

static enum rf_code read_palette(struct dib *d, struct rf_err *err)
{
    size_t full = d->bits <= 8 ? (size_t)1 << d->bits : 0;
    size_t count = d->used && d->header != CORE_HEADER ? d->used : full;
    size_t end = d->data > d->palette_at ? d->data : d->bytes.n;

    if (d->bits > 8)
        return RF_OK;
    if (d->used && !rf_has(d->bytes, d->palette_at, (uint64_t)d->used * d->palette_step))
        return rf_fail(err, RF_EFORMAT,
                       "the BMP says that its palette has %u colours, which are not there",
                       d->used);
    if (end > d->bytes.n)
        end = d->bytes.n;
    if (d->palette_at > end)
        return rf_cut(err, "BMP's palette");
    if (count > (end - d->palette_at) / d->palette_step)
        count = (end - d->palette_at) / d->palette_step;
    d->palette_count = count < 256 ? count : 256;
    for (size_t i = 0; i < 256; i++) {
        const uint8_t *p = i < d->palette_count ? at(d, d->palette_at + i * d->palette_step) : NULL;
        rf_put(d->palette[i], p ? p[2] : 0, p ? p[1] : 0, p ? p[0] : 0, 255);
    }
    return RF_OK;
}

static uint8_t channel(const struct field *f, uint32_t value, uint8_t otherwise)
{
    if (!f->mask)
        return otherwise;
    return (uint8_t)(((uint64_t)((value & f->mask) >> f->shift) * 255 + f->top / 2) / f->top);
}

static void put_fields(const struct dib *d, uint32_t v, uint8_t *to)
{
    rf_put(to, channel(&d->field[0], v, 0), channel(&d->field[1], v, 0),
           channel(&d->field[2], v, 0), channel(&d->field[3], v, 255));
}

static void put_pixel(const struct dib *d, const uint8_t *row, uint32_t x, uint8_t *to)
{
    switch (d->bits) {
    case 32:
        put_fields(d, rf_le32(row + (size_t)x * 4), to);
        return;
    case 24:
        rf_put(to, row[(size_t)x * 3 + 2], row[(size_t)x * 3 + 1], row[(size_t)x * 3], 255);
        return;
    case 16:
        put_fields(d, rf_le16(row + (size_t)x * 2), to);
        return;
    default: {
        unsigned each = 8 / d->bits, shift = 8 - d->bits * (x % each + 1);
        memcpy(to, d->palette[row[x / each] >> shift & ((1u << d->bits) - 1)], 4);
        return;
    }
    }
}

static size_t stride_of(uint32_t width, unsigned bits)
{
    return (size_t)(((uint64_t)width * bits + 31) / 32 * 4);
}

static uint32_t row_of(const struct dib *d, uint32_t y)
{
    return d->top_down ? y : d->height - 1 - y;
}

static enum rf_code read_rows(struct dib *d, struct rf_pixels *px, struct rf_err *err)
{
    size_t stride = stride_of(d->width, d->bits);
    uint64_t last = (uint64_t)stride * (d->height - 1) + ((uint64_t)d->width * d->bits + 7) / 8;

    if (!rf_has(d->bytes, d->data, last))
        return rf_cut(err, "BMP");
    for (uint32_t y = 0; y < d->height; y++) {
        const uint8_t *row = at(d, d->data + stride * y);
        for (uint32_t x = 0; x < d->width; x++)
            put_pixel(d, row, x, rf_pixel(px, x, row_of(d, y)));
    }
    return RF_OK;
}

struct runs {
    const uint8_t *p, *end;
    uint32_t x, y;
};

static void put_index(const struct dib *d, struct rf_pixels *px, struct runs *r, unsigned index)
{
    if (r->x < d->width && r->y < d->height)
        memcpy(rf_pixel(px, r->x, row_of(d, r->y)), d->palette[index & 255], 4);
    r->x += r->x < d->width;
}

/* `n` pixels as they are: bytes or half bytes, filled up to an even number of bytes. */
static bool read_literal(const struct dib *d, struct rf_pixels *px, struct runs *r, unsigned n)
{
    bool half = d->compression == BMP_RLE4;
    size_t bytes = half ? (n + 1) / 2 : n;

    if ((size_t)(r->end - r->p) < bytes)
        return false;
    for (unsigned i = 0; i < n; i++)
        put_index(d, px, r, half ? (i % 2 ? r->p[i / 2] & 15u : r->p[i / 2] >> 4u) : r->p[i]);
    r->p += bytes;
    r->p += bytes % 2 && r->p < r->end;
    return true;
}

/* 0: end of the row; 1: end of the picture; 2: go on elsewhere; else that many pixels. */
static bool read_escape(const struct dib *d, struct rf_pixels *px, struct runs *r, unsigned n)
{
    if (n == 1) {
        r->y = d->height;
        return true;
    }
    if (n == 0) {
        r->x = 0;
        r->y++;
        return true;
    }
    if (n > 2)
        return read_literal(d, px, r, n);
    if (r->end - r->p < 2)
        return false;
    r->x = r->x + r->p[0] < d->width ? r->x + r->p[0] : d->width;
    r->y += r->p[1];
    r->p += 2;
    return true;
}

static void read_runs(struct dib *d, struct rf_pixels *px)
{
    struct runs r = { .end = at(d, d->bytes.n) };

    for (size_t i = 0; i < (size_t)d->width * d->height; i++)
        memcpy(px->p + i * 4, d->palette[0], 4);
    r.p = d->data < d->bytes.n ? at(d, d->data) : r.end;
    while (r.y < d->height) {
        if (r.end - r.p < 2) {
            px->cut_off = r.y + 1 < d->height || r.x < d->width;
            return;
        }
        unsigned n = r.p[0], value = r.p[1];
        r.p += 2;
        if (n == 0 && !read_escape(d, px, &r, value))
            r.p = r.end;
        for (unsigned i = 0; i < n; i++)
            put_index(d, px, &r,
                      d->compression == BMP_RLE8 ? value
                      : i % 2                    ? value & 15
                                                 : value >> 4);
    }
}

static bool is_legal(const struct dib *d)
{
    switch (d->compression) {
    case BMP_RGB:
        return d->bits == 1 || d->bits == 2 || d->bits == 4 || d->bits == 8 || d->bits == 16 ||
               d->bits == 24 || d->bits == 32;
    case BMP_RLE8:
        return d->bits == 8;
    case BMP_RLE4:
        return d->bits == 4;
    case BMP_FIELDS:
    case BMP_ALPHA_FIELDS:
        return d->bits == 16 || d->bits == 32;
    default:
        return false;
    }
}

static enum rf_code read_pixels(struct dib *d, struct rf_arena *a, struct rf_pixels *px,
                                struct rf_err *err)
{
    enum rf_code rc = is_legal(d) ? RF_OK
                                  : rf_fail(err, RF_EFORMAT,
                                            "the BMP has %u bits a pixel in a packing of kind %u, "
                                            "which does not exist",
                                            d->bits, d->compression);
    if (!rc)
        rc = read_palette(d, err);
    if (!rc)
        rc = rf_pixels_make(px, d->width, d->height, a, err);
    if (rc)
        return rc;
    px->alpha = d->bits > 8 && d->field[3].mask;
    if (d->compression == BMP_RLE8 || d->compression == BMP_RLE4) {
        read_runs(d, px);
        return RF_OK;
    }
    return read_rows(d, px, err);
}

enum rf_code rf_read_bmp(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    bool file = rf_has(bytes, 0, FILE_HEADER) && memcmp(bytes.p, "BM", 2) == 0;
    size_t h = file ? FILE_HEADER : 0;
    struct dib d = { .bytes = bytes };
    enum rf_code rc = read_header(&d, h, err);

    if (rc)
        return rc;
    d.palette_at = h + d.header + read_fields(&d, h);
    if (file)
        d.data = rf_le32(at(&d, 10));
    else
        d.data = d.palette_at + (d.used        ? d.used
                                 : d.bits <= 8 ? (size_t)1 << d.bits
                                               : 0) *
                                    d.palette_step;
    if (d.compression == BMP_JPEG || d.compression == BMP_PNG) {
        px->inner = rf_from(bytes, d.data);
        return RF_OK;
    }
    return read_pixels(&d, a, px, err);
}

static bool is_all_clear(const struct rf_pixels *px)
{
    for (size_t i = 0; i < (size_t)px->width * px->height; i++) {
        if (px->p[i * 4 + 3])
            return false;
    }
    return true;
}

/* One bit a pixel: set is clear. */
static void apply_mask(const struct dib *d, struct rf_pixels *px)
{
    size_t stride = stride_of(d->width, 1);
    uint64_t from = d->data + (uint64_t)stride_of(d->width, d->bits) * d->height;

    px->alpha = rf_has(d->bytes, from, (uint64_t)stride * d->height);
    for (uint32_t y = 0; y < d->height; y++) {
        for (uint32_t x = 0; x < d->width; x++) {
            bool clear = px->alpha && at(d, from + stride * y)[x / 8] >> (7 - x % 8) & 1;
            rf_pixel(px, x, row_of(d, y))[3] = clear ? 0 : 255;
        }
    }
}

static bool is_there(const struct dib *d)
{
    return (uint64_t)stride_of(d->width, d->bits) * d->height <= d->bytes.n;
}

enum rf_code rf_read_icon_dib(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                              struct rf_err *err)
{
    struct dib d = { .bytes = bytes };
    enum rf_code rc = read_header(&d, 0, err);

    if (rc)
        return rc;
    if (d.height < 2 || d.compression == BMP_RLE8 || d.compression == BMP_RLE4)
        return rf_fail(err, RF_EFORMAT, "a picture of the icon is broken");
    d.height /= 2;
    if (!is_there(&d)) {
        d.width = px->width;
        d.height = px->height;
    }
    d.palette_at = d.header + read_fields(&d, 0);
    if (d.bits == 32 && d.compression == BMP_RGB)
        set_field(&d.field[3], 0xff000000);
    d.data = d.palette_at + (d.used        ? d.used
                             : d.bits <= 8 ? (size_t)1 << d.bits
                                           : 0) *
                                d.palette_step;
    rc = read_pixels(&d, a, px, err);
    if (!rc && (d.bits != 32 || is_all_clear(px)))
        apply_mask(&d, px);
    return rc;
}
