/* PNG, written by hand around libdeflate: a page has few colours and long runs, so what counts is
 * to write few bits (one to eight a pixel through a palette, or grey) and a fast compressor.
 * Libdeflate does a page in half of zlib's time. */
#include "worker/pdf/raster.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/* Of libdeflate. On pages of text and drawings, 3 takes less time than 1 and 6, and what 6 saves is
 * 4 % of the bytes. */
#define LEVEL 3
#define CHUNK_FRAME 12
#define HEADER_LENGTH 13

enum colour_type { GREY = 0, RGB = 2, PALETTE = 3 };
enum filter { NONE = 0, SUB = 1 };

struct png {
    const struct rf_raster *raster;
    const struct rf_raster_kind *kind;
    enum colour_type type;
    enum filter filter;
    unsigned bits;   /* a pixel */
    size_t row;      /* bytes of one, without its filter's */
    uint8_t *at;     /* where the next chunk goes */
    uint8_t *packed; /* the rows, filtered */
};

static void put32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

/* A chunk whose `n` bytes of data already come after its first eight. */
static void close_chunk(struct png *png, const char *type, size_t n)
{
    put32(png->at, (uint32_t)n);
    memcpy(png->at + 4, type, 4);
    put32(png->at + 8 + n, libdeflate_crc32(0, png->at + 4, n + 4));
    png->at += n + CHUNK_FRAME;
}

/* As few bits as will do. A page in grey with many shades needs no palette. */
static void choose_type(struct png *png)
{
    const struct rf_raster_kind *k = png->kind;

    if (k->colours <= 16 || (!k->grey && k->colours <= 256)) {
        png->type = PALETTE;
        png->bits = k->colours <= 2 ? 1 : k->colours <= 4 ? 2 : k->colours <= 16 ? 4 : 8;
    } else {
        png->type = k->grey ? GREY : RGB;
        png->bits = k->grey ? 8 : 24;
    }
    png->filter = png->type == RGB && k->flat < 0.5 ? SUB : NONE;
    png->row = ((size_t)png->raster->width * png->bits + 7) / 8;
}

/* The palette is in order, so a colour is found by halving. */
static unsigned index_of(const struct rf_raster_kind *k, uint32_t colour)
{
    unsigned low = 0, high = (unsigned)k->colours;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (k->palette[middle] <= colour)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void pack_grey(const struct png *png, const uint8_t *from, uint8_t *to)
{
    for (int x = 0; x < png->raster->width; x++)
        to[x] = from[(size_t)x * 4];
}

static void pack_rgb(const struct png *png, const uint8_t *from, uint8_t *to)
{
    for (int x = 0; x < png->raster->width; x++, from += 4, to += 3) {
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
    }
}

static void pack_palette(const struct png *png, const uint8_t *from, uint8_t *to)
{
    uint32_t last = UINT32_MAX;
    unsigned index = 0, room = 8;

    memset(to, 0, png->row);
    for (int x = 0; x < png->raster->width; x++, from += 4) {
        uint32_t colour = (uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 | from[0];
        if (colour != last)
            index = index_of(png->kind, last = colour);
        room -= png->bits;
        *to = (uint8_t)(*to | index << room);
        if (!room) {
            room = 8;
            to++;
        }
    }
}

/* What differs from the pixel on the left. In place, from the right. */
static void filter_sub(uint8_t *row, size_t n, size_t step)
{
    for (size_t i = n; i-- > step;)
        row[i] = (uint8_t)(row[i] - row[i - step]);
}

static bool pack(struct png *png)
{
    const struct rf_raster *r = png->raster;
    uint8_t *to = png->packed = malloc((png->row + 1) * (size_t)r->height);

    for (int y = 0; to && y < r->height; y++, to += png->row + 1) {
        const uint8_t *from = r->pixels + (size_t)y * r->stride;
        to[0] = (uint8_t)png->filter;
        if (png->type == GREY)
            pack_grey(png, from, to + 1);
        else if (png->type == RGB)
            pack_rgb(png, from, to + 1);
        else
            pack_palette(png, from, to + 1);
        if (png->filter == SUB)
            filter_sub(to + 1, png->row, png->bits / 8);
    }
    return png->packed != NULL;
}

static void write_header(struct png *png)
{
    uint8_t *p = png->at + 8;

    put32(p, (uint32_t)png->raster->width);
    put32(p + 4, (uint32_t)png->raster->height);
    p[8] = (uint8_t)(png->type == PALETTE ? png->bits : 8);
    p[9] = (uint8_t)png->type;
    p[10] = p[11] = p[12] = 0;
    close_chunk(png, "IHDR", HEADER_LENGTH);
}

static void write_palette(struct png *png)
{
    uint8_t *p = png->at + 8;

    for (int i = 0; i < png->kind->colours; i++, p += 3) {
        p[0] = (uint8_t)(png->kind->palette[i] >> 16);
        p[1] = (uint8_t)(png->kind->palette[i] >> 8);
        p[2] = (uint8_t)png->kind->palette[i];
    }
    close_chunk(png, "PLTE", (size_t)png->kind->colours * 3);
}

static bool write_all(struct png *png, struct libdeflate_compressor *z, struct rf_rendered *out)
{
    size_t packed = (png->row + 1) * (size_t)png->raster->height;
    size_t bound = libdeflate_zlib_compress_bound(z, packed);
    uint8_t *p = malloc(8 + 4 * CHUNK_FRAME + HEADER_LENGTH + 768 + bound);

    if (!p)
        return false;
    memcpy(p, "\x89PNG\r\n\x1a\n", 8);
    png->at = p + 8;
    write_header(png);
    if (png->type == PALETTE)
        write_palette(png);
    close_chunk(png, "IDAT", libdeflate_zlib_compress(z, png->packed, packed, png->at + 8, bound));
    close_chunk(png, "IEND", 0);
    *out = (struct rf_rendered){ "image/png", p, (size_t)(png->at - p) };
    return true;
}

bool rf_raster_png(const struct rf_raster *r, const struct rf_raster_kind *kind,
                   struct rf_rendered *out)
{
    struct png png = { .raster = r, .kind = kind };
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(LEVEL);
    bool ok;

    choose_type(&png);
    ok = z && pack(&png) && write_all(&png, z, out);
    libdeflate_free_compressor(z);
    free(png.packed);
    return ok;
}
