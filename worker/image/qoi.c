/* QOI: | "qoif" | width 4 | height 4 | channels 1 | colour space 1 |, then chunks of one to five
 * bytes that say the next pixel by the last one, by one of 64 seen before, or whole. */
#include "worker/image/pixels.h"

#define HEADER 14

struct qoi {
    const uint8_t *p, *end;
    uint8_t last[4], seen[64][4];
    unsigned run;
};

static size_t slot(const uint8_t c[4])
{
    return (c[0] * 3u + c[1] * 5u + c[2] * 7u + c[3] * 11u) % 64;
}

static void add(uint8_t c[4], unsigned r, unsigned g, unsigned b)
{
    c[0] = (uint8_t)(c[0] + r);
    c[1] = (uint8_t)(c[1] + g);
    c[2] = (uint8_t)(c[2] + b);
}

/* Two bits of tag and six of value. */
static bool read_short(struct qoi *q, unsigned tag, unsigned value)
{
    switch (tag) {
    case 0:
        memcpy(q->last, q->seen[value], 4);
        return true;
    case 1:
        add(q->last, (value >> 4) - 2, (value >> 2 & 3) - 2, (value & 3) - 2);
        return true;
    case 2: {
        if (q->p == q->end)
            return false;
        unsigned green = value - 32, more = *q->p++;
        add(q->last, green + (more >> 4) - 8, green, green + (more & 15) - 8);
        return true;
    }
    default:
        q->run = value;
        return true;
    }
}

static bool next(struct qoi *q)
{
    if (q->run) {
        q->run--;
        return true;
    }
    if (q->p == q->end)
        return false;
    unsigned tag = *q->p++;
    size_t whole = tag == 0xfe ? 3 : tag == 0xff ? 4 : 0;
    if ((size_t)(q->end - q->p) < whole)
        return false;
    memcpy(q->last, q->p, whole);
    q->p += whole;
    if (!whole && !read_short(q, tag >> 6, tag & 63))
        return false;
    memcpy(q->seen[slot(q->last)], q->last, 4);
    return true;
}

enum rf_code rf_read_qoi(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    const uint8_t *p = rf_bytes_of(bytes);
    struct qoi q = { .last = { 0, 0, 0, 255 } };

    if (!rf_has(bytes, 0, HEADER))
        return rf_cut(err, "QOI picture's header");
    enum rf_code rc = rf_pixels_make(px, rf_be32(p + 4), rf_be32(p + 8), a, err);
    if (rc)
        return rc;
    px->alpha = p[12] == 4;
    q.p = p + HEADER;
    q.end = p + bytes.n;
    size_t count = (size_t)px->width * px->height;
    for (size_t i = 0; i < count; i++) {
        if (!next(&q)) {
            px->cut_off = true;
            return i ? RF_OK : rf_cut(err, "QOI picture");
        }
        memcpy(px->p + i * 4, q.last, 4);
    }
    return RF_OK;
}
