/* The measure is the share of pixels that equal their left neighbour exactly. Camera noise leaves
 * few, even in a blue sky; what was drawn by a program has long runs, and keeps most of them when
 * it is shrunk. In 124 real, opaque pictures a share of 0.65 parts them: above it a PNG has 0.02 to
 * 1.5 times the bytes of the JPEG that we would write, below it 1.7 to 10 times, but for those of
 * few colours, which are better as PNG, too. JPEG also blurs the edges that drawings live by, so
 * size and sharpness agree. */
#include "worker/image/flat.h"

#include <stdint.h>
#include <string.h>

#define LOOKED_ROWS 400
#define FLAT_SHARE 0.65
#define SMALL_PIXELS 10000 /* costs next to nothing either way */
#define FEW_COLOURS 64
#define SLOTS 1024 /* of the table of colours: a power of two, well over RF_MANY_COLOURS */

struct table {
    uint32_t colour[SLOTS];
    bool used[SLOTS];
    unsigned count;
};

static void take_colour(struct table *t, uint32_t colour)
{
    size_t i = colour * 2654435761u >> 22;

    if (t->count >= RF_MANY_COLOURS)
        return;
    for (; t->used[i]; i = (i + 1) % SLOTS) {
        if (t->colour[i] == colour)
            return;
    }
    t->used[i] = true;
    t->colour[i] = colour;
    t->count++;
}

static uint32_t pixel(const uint8_t *p, int bands)
{
    uint32_t v = 0;
    for (int i = 0; i < bands; i++)
        v = v << 8 | p[i];
    return v;
}

/* Returns how many pixels equal the one before. */
static uint64_t look_at_row(const uint8_t *p, int width, int bands, struct table *t)
{
    uint32_t last = pixel(p, bands);
    uint64_t same = 0;

    take_colour(t, last);
    for (int x = 1; x < width; x++) {
        uint32_t v = pixel(p + (size_t)x * (size_t)bands, bands);
        if (v == last)
            same++;
        else
            take_colour(t, v);
        last = v;
    }
    return same;
}

static bool is_opaque(const uint8_t *p, size_t count, int bands)
{
    for (size_t i = 0; i < count; i++) {
        if (p[i * (size_t)bands + (size_t)bands - 1] != 255)
            return false;
    }
    return true;
}

static bool is_grey(const uint8_t *p, size_t count, int bands)
{
    for (size_t i = 0; bands >= 3 && i < count; i++, p += bands) {
        if (p[0] != p[1] || p[1] != p[2])
            return false;
    }
    return true;
}

static bool is_bilevel(const uint8_t *p, size_t count, int bands)
{
    for (size_t i = 0; i < count; i++, p += bands) {
        if (p[0] != 0 && p[0] != 255)
            return false;
    }
    return true;
}

void rf_flat_look(VipsImage *im, struct rf_flat *out)
{
    int width = vips_image_get_width(im), height = vips_image_get_height(im);
    int bands = vips_image_get_bands(im), step = height / LOOKED_ROWS + 1;
    size_t count = (size_t)width * (size_t)height, line = (size_t)width * (size_t)bands;
    const uint8_t *p = vips_image_get_data(im);
    struct table table = { .count = 0 };
    uint64_t same = 0, looked = 0;

    for (int y = 0; y < height; y += step, looked += (uint64_t)width)
        same += look_at_row(p + line * (size_t)y, width, bands, &table);
    out->opaque = bands % 2 == 1 || is_opaque(p, count, bands);
    out->grey = is_grey(p, count, bands);
    out->bilevel = out->grey && out->opaque && is_bilevel(p, count, bands);
    out->colours = table.count;
    out->same = (double)same / (double)looked;
    out->flat = out->same >= FLAT_SHARE || out->colours <= FEW_COLOURS || count <= SMALL_PIXELS;
}
