/* Bitmaps in a drawing: read as BMP files are, cut, made a PNG and named in the SVG. Windows draws
 * what is transparent in two steps, a mask (AND) and the picture (OR), which "multiply" and
 * "screen" of CSS do as well. */
#include "worker/image/gdi.h"

#include "base/base64.h"

#include <math.h>
#include <vips/vips.h>

#define FILE_HEADER 14
#define CORE_HEADER 12
#define INFO_HEADER 40
#define MAX_BITMAP_PIXELS ((uint64_t)1 << 25)

enum { ROP_BLACK = 0x00000042, ROP_WHITE = 0x00ff0062, ROP_PATTERN = 0x00f00021 };
enum { ROP_NOTHING = 0x00aa0029 };

static void put_le(uint8_t *to, uint64_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

size_t rf_gdi_header_length(struct rf_str dib)
{
    const uint8_t *p = rf_bytes_of(dib);
    uint32_t header = rf_has(dib, 0, 16) ? rf_le32(p) : 0, used = 0;

    if (header == CORE_HEADER) {
        unsigned bits = rf_le16(p + 10);
        return CORE_HEADER + (bits <= 8 ? (size_t)3 << bits : 0);
    }
    if (header < INFO_HEADER || !rf_has(dib, 0, header))
        return 0;
    unsigned bits = rf_le16(p + 14);
    used = rf_le32(p + 32);
    if (bits <= 8 && (!used || used > 1u << bits))
        used = 1u << bits;
    size_t masks = header == INFO_HEADER && rf_le32(p + 16) == 3 ? 12 : 0;
    return header + masks + (size_t)(used < 65536 ? used : 0) * 4;
}

/* The DIB as a file of its own. */
static bool read_dib(struct rf_gdi *g, struct rf_str header, struct rf_str bits,
                     struct rf_pixels *px)
{
    size_t n = FILE_HEADER + header.n + bits.n;
    uint8_t *file = rf_arena_alloc(g->arena, n);
    struct rf_err err;

    if (header.n < CORE_HEADER)
        return false;
    memset(file, 0, FILE_HEADER);
    memcpy(file, "BM", 2);
    put_le(file + 2, n);
    put_le(file + 10, FILE_HEADER + header.n);
    memcpy(file + FILE_HEADER, header.p, header.n);
    if (bits.n)
        memcpy(file + FILE_HEADER + header.n, bits.p, bits.n);
    *px = (struct rf_pixels){ .of_bytes = n };
    if (rf_read_bmp((struct rf_str){ (char *)file, n }, g->arena, px, &err))
        return false;
    return px->inner.n || (uint64_t)px->width * px->height <= MAX_BITMAP_PIXELS;
}

uint32_t rf_gdi_mean(struct rf_gdi *g, struct rf_str header, struct rf_str bits)
{
    uint64_t sum[3] = { 0 }, n;
    struct rf_pixels px;

    if (!read_dib(g, header, bits, &px) || !px.p)
        return 0x808080;
    n = (uint64_t)px.width * px.height;
    for (uint64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            sum[c] += px.p[i * 4 + (size_t)c];
    return (uint32_t)(sum[0] / n | sum[1] / n << 8 | sum[2] / n << 16);
}

/* What the pixels have of alpha stands where a BMP has nothing; colours are multiplied with it. */
static void take_alpha(const struct rf_gdi_blit *b, struct rf_pixels *px)
{
    const uint8_t *h = rf_bytes_of(b->header);
    bool top_down = b->header.n >= INFO_HEADER && (int32_t)rf_le32(h + 8) < 0;

    if (b->header.n < INFO_HEADER || rf_le16(h + 14) != 32 ||
        (uint64_t)px->width * px->height * 4 > b->bits.n)
        return;
    for (uint32_t y = 0; y < px->height; y++) {
        const char *row = b->bits.p + (size_t)(top_down ? y : px->height - 1 - y) * px->width * 4;
        for (uint32_t x = 0; x < px->width; x++) {
            uint8_t *to = rf_pixel(px, x, y), a = (uint8_t)row[x * 4 + 3];
            for (int c = 0; c < 3; c++)
                to[c] = a && to[c] < a ? (uint8_t)(to[c] * 255 / a) : a ? 255 : 0;
            to[3] = a;
        }
    }
    px->alpha = true;
}

static void take_key(uint32_t key, struct rf_pixels *px)
{
    size_t n = (size_t)px->width * px->height;

    for (size_t i = 0; i < n; i++) {
        uint8_t *p = px->p + i * 4;
        p[3] = (uint32_t)(p[0] | p[1] << 8 | p[2] << 16) == key ? 0 : 255;
    }
    px->alpha = true;
}

static uint32_t within(double v, uint32_t most)
{
    return v <= 0 ? 0 : v < most ? (uint32_t)v : most;
}

/* The part of it that is meant. */
static void cut(const struct rf_gdi_blit *b, struct rf_pixels *px)
{
    double w = fabs(b->from_w), h = fabs(b->from_h), top = b->from_y;

    if (w < 1 || h < 1)
        return;
    top = b->bottom_up ? px->height - b->from_y - h : top;
    uint32_t x = within(b->from_x, px->width - 1), y = within(top, px->height - 1);
    uint32_t new_w = within(w, px->width - x), new_h = within(h, px->height - y);
    for (uint32_t row = 0; row < new_h; row++)
        memmove(px->p + (size_t)row * new_w * 4, rf_pixel(px, x, y + row), (size_t)new_w * 4);
    px->width = new_w;
    px->height = new_h;
}

static void negate(struct rf_pixels *px)
{
    for (size_t i = 0; i < (size_t)px->width * px->height * 4; i++)
        if (i % 4 < 3)
            px->p[i] = 255 - px->p[i];
}

static bool make_png(const struct rf_pixels *px, void **out, size_t *n)
{
    VipsImage *im =
        vips_image_new_from_memory(px->p, (size_t)px->width * px->height * 4, (int)px->width,
                                   (int)px->height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *part = NULL, *rgb = NULL;
    int rc = !im || vips_extract_band(im, &part, 0, "n", px->alpha ? 4 : 3, NULL) ||
             vips_copy(part, &rgb, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) ||
             vips_pngsave_buffer(rgb, out, n, "compression", 1, NULL);

    g_clear_object(&rgb);
    g_clear_object(&part);
    g_clear_object(&im);
    return !rc;
}

/* How a picture, or its negative, meets what is there. */
static const struct operation {
    uint8_t rop;
    const char *blend;
    bool negative;
} operations[] = {
    { 0xcc, NULL, false },         { 0x33, NULL, true },
    { 0x88, "multiply", false },   { 0x22, "multiply", true },   /* AND */
    { 0xee, "screen", false },     { 0xbb, "screen", true },     /* OR */
    { 0x66, "difference", false }, { 0x99, "difference", true }, /* XOR */
};

static const struct operation another; /* drawn as a copy, which is a loss */

static const struct operation *operation(const struct rf_gdi_blit *b)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].rop == (b->rop >> 16 & 255))
            return &operations[i];
    return &another;
}

/* A square of 1 by 1, moved and stretched to where the picture is. */
static void put_image(struct rf_gdi *g, const struct rf_gdi_blit *b, const char *mime,
                      struct rf_str bytes)
{
    const struct rf_matrix to = { b->w, 0, 0, b->h, b->x, b->y };
    struct rf_matrix all = rf_gdi_matrix(g), m = rf_matrix_times(&to, &all);
    size_t n = rf_base64_length(bytes.n);
    char *text = g_malloc(n + 1);

    rf_base64_encode(bytes.p, bytes.n, text);
    rf_gdi_touch(g, m.e, m.f);
    rf_gdi_touch(g, m.e + m.a + m.c, m.f + m.b + m.d);
    rf_gdi_element(g, "image", operation(b)->blend);
    rf_buf_addf(&g->body, " width=\"1\" height=\"1\" preserveAspectRatio=\"none\" transform=\"");
    rf_gdi_put_matrix(&g->body, &m);
    rf_buf_addf(&g->body, "\"");
    if (b->alpha >= 0 && b->alpha < 255) {
        rf_buf_addf(&g->body, " opacity=\"");
        rf_gdi_number(&g->body, b->alpha / 255.0);
        rf_buf_addf(&g->body, "\"");
    }
    rf_buf_addf(&g->body, " xlink:href=\"data:%s;base64,", mime);
    rf_buf_add(&g->body, (struct rf_str){ text, n });
    rf_buf_addf(&g->body, "\"/>");
    rf_gdi_element_end(g);
    g_free(text);
}

static void put_bitmap(struct rf_gdi *g, const struct rf_gdi_blit *b)
{
    struct rf_pixels px;
    void *png = NULL;
    size_t n = 0;

    if (!read_dib(g, b->header, b->bits, &px)) {
        g->lost = true;
        return;
    }
    g->lost = g->lost || operation(b) == &another;
    if (px.inner.n) { /* a picture in another format */
        bool is_png = rf_str_starts(px.inner, "\x89PNG");
        g->lost = g->lost || operation(b)->negative;
        put_image(g, b, is_png ? "image/png" : "image/jpeg", px.inner);
        return;
    }
    px.alpha = false;
    if (b->own_alpha)
        take_alpha(b, &px);
    else if (b->key >= 0)
        take_key((uint32_t)b->key, &px);
    cut(b, &px);
    if (operation(b)->negative)
        negate(&px);
    if (make_png(&px, &png, &n))
        put_image(g, b, "image/png", (struct rf_str){ png, n });
    else
        g->lost = true;
    g_free(png);
}

/* Without a bitmap it is the brush that is put there. */
static void put_pattern(struct rf_gdi *g, const struct rf_gdi_blit *b)
{
    const struct rf_box at = { b->x, b->y, b->x + b->w, b->y + b->h };

    if (b->rop == ROP_BLACK || b->rop == ROP_WHITE) {
        rf_gdi_fill_box(g, at, b->rop == ROP_BLACK ? 0 : 0xffffff);
    } else if (b->rop == ROP_PATTERN) {
        rf_gdi_begin(g);
        rf_gdi_rectangle(g, at, 0, 0);
        rf_gdi_end(g, RF_GDI_FILL);
    } else if (b->rop != ROP_NOTHING) {
        g->lost = true;
    }
}

/* Does the outcome change with the picture's bits? */
static bool needs_picture(uint32_t rop)
{
    return (rop >> 2 ^ rop) & 0x330000;
}

void rf_gdi_blit(struct rf_gdi *g, const struct rf_gdi_blit *b)
{
    if (b->rop == ROP_NOTHING || b->w == 0 || b->h == 0)
        return;
    if (b->header.n && needs_picture(b->rop))
        put_bitmap(g, b);
    else
        put_pattern(g, b);
}
