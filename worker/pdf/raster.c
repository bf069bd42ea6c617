/* The look at the pixels is one pass that does little for a pixel that is as its left neighbour,
 * which on a page of text nine of ten are. */
#include "worker/pdf/raster.h"

#include <stdlib.h>
#include <string.h>

#define MANY_COLOURS 257
#define SLOTS 1024 /* of the table that colours are counted with */

/* A page of text, drawings or screenshots has four of five pixels as their left neighbours, a scan
 * with its noise one of five. */
#define FLAT_ENOUGH 0.5

static const int qualities[] = { 85, 75, 60, 45, 30 };

bool rf_raster_init(struct rf_raster *r, int width, int height)
{
    *r = (struct rf_raster){ NULL, width, height, (size_t)width * 4 };
    if (width < 1 || height < 1 || width > RF_MAX_RASTER_SIDE || height > RF_MAX_RASTER_SIDE ||
        (int64_t)width * height > RF_MAX_RASTER_PIXELS)
        return false;
    r->pixels = malloc(r->stride * (size_t)height);
    if (!r->pixels)
        return false;
    memset(r->pixels, 0xFF, r->stride * (size_t)height);
    return true;
}

void rf_raster_release(struct rf_raster *r)
{
    free(r->pixels);
    r->pixels = NULL;
}

void rf_rendered_release(struct rf_rendered *picture)
{
    free(picture->p);
    *picture = (struct rf_rendered){ 0 };
}

/* Colours that were seen, and where in the palette they are. A slot is empty where its index
 * is 0. */
struct census {
    uint32_t colours[SLOTS];
    uint16_t indices[SLOTS]; /* from 1 */
};

static unsigned slot_of(const struct census *c, uint32_t colour)
{
    unsigned at = (colour * 2654435761u) >> 22;
    while (c->indices[at] && c->colours[at] != colour)
        at = (at + 1) % SLOTS;
    return at;
}

static void count_colour(struct census *c, uint32_t colour, struct rf_raster_kind *kind)
{
    unsigned at = slot_of(c, colour);

    if (c->indices[at])
        return;
    if (kind->colours >= 256) {
        kind->colours = MANY_COLOURS;
        return;
    }
    kind->palette[kind->colours++] = colour;
    c->colours[at] = colour;
    c->indices[at] = (uint16_t)kind->colours;
}

static bool is_grey(uint32_t colour)
{
    return (colour & 0xFF) == (colour >> 8 & 0xFF) && (colour & 0xFF) == colour >> 16;
}

static uint32_t colour_at(const uint8_t *p)
{
    return (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void rf_raster_look(const struct rf_raster *r, struct rf_raster_kind *kind)
{
    struct census census = { 0 };
    int64_t changes = 0;

    *kind = (struct rf_raster_kind){ .grey = true };
    for (int y = 0; y < r->height; y++) {
        const uint8_t *row = r->pixels + (size_t)y * r->stride;
        uint32_t last = UINT32_MAX;
        for (int x = 0; x < r->width; x++) {
            uint32_t colour = colour_at(row + (size_t)x * 4);
            if (colour == last)
                continue;
            last = colour;
            changes++;
            kind->grey = kind->grey && is_grey(colour);
            if (kind->colours < MANY_COLOURS)
                count_colour(&census, colour, kind);
        }
    }
    kind->flat = 1 - (double)changes / ((double)r->width * r->height);
    if (kind->colours < MANY_COLOURS)
        qsort(kind->palette, (size_t)kind->colours, sizeof *kind->palette, by_number);
}

static bool fits(const struct rf_rendered *p, const struct rf_render_wish *wish)
{
    return !wish->max_bytes || p->n <= wish->max_bytes;
}

static bool encode_jpeg(const struct rf_raster *r, const struct rf_render_wish *wish,
                        struct rf_rendered *out)
{
    for (size_t i = 0; i < sizeof qualities / sizeof *qualities; i++) {
        if (!rf_raster_jpeg(r, qualities[i], out))
            return false;
        if (fits(out, wish))
            return true;
        rf_rendered_release(out);
    }
    return false;
}

bool rf_raster_encode(const struct rf_raster *r, const struct rf_render_wish *wish,
                      struct rf_rendered *out)
{
    struct rf_raster_kind kind;

    *out = (struct rf_rendered){ 0 };
    if (wish->png) {
        rf_raster_look(r, &kind);
        bool photograph = kind.flat < FLAT_ENOUGH && kind.colours == MANY_COLOURS;
        if (!(photograph && wish->jpeg) && rf_raster_png(r, &kind, out) && fits(out, wish))
            return true;
        rf_rendered_release(out);
    }
    return wish->jpeg && encode_jpeg(r, wish, out);
}
