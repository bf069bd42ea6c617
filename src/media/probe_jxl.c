/* JPEG XL: a code stream of bits, lowest first, alone or in the boxes jxlc or jxlp. It starts with
 * the size (short, or long; the width often as a ratio of the height) and the orientation. */
#include "media/probe.h"

#include "media/box.h"
#include "media/exif.h"

#define HEADER_BYTES 16

struct bits {
    uint8_t bytes[HEADER_BYTES];
    unsigned at;
    bool small; /* sides are multiples of 8 up to 256 */
};

static uint32_t take(struct bits *b, unsigned n)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < n && b->at < 8 * HEADER_BYTES; i++, b->at++)
        v |= (uint32_t)(b->bytes[b->at / 8] >> b->at % 8 & 1) << i;
    return v;
}

static uint32_t take_side(struct bits *b)
{
    static const unsigned widths[] = { 9, 13, 18, 30 };

    return b->small ? (take(b, 5) + 1) * 8 : 1 + take(b, widths[take(b, 2)]);
}

static uint64_t take_width(struct bits *b, uint32_t height)
{
    static const uint8_t ratios[8][2] = { { 0, 1 }, { 1, 1 },  { 12, 10 }, { 4, 3 },
                                          { 3, 2 }, { 16, 9 }, { 5, 4 },   { 2, 1 } };
    unsigned ratio = take(b, 3);

    if (ratio > 0)
        return (uint64_t)height * ratios[ratio][0] / ratios[ratio][1];
    return take_side(b);
}

/* Where the code stream's header starts. */
static bool find_stream(struct rf_look *k, uint64_t *at)
{
    struct rf_box b;

    *at = 0;
    if (RF_SEES(k, 0, "\xff\x0a"))
        return true;
    if (rf_box_find(k, 0, k->size, "jxlc", &b))
        *at = b.body;
    else if (rf_box_find(k, 0, k->size, "jxlp", &b))
        *at = b.body + 4;
    return RF_SEES(k, *at, "\xff\x0a");
}

enum rf_code rf_probe_jxl(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct bits b = { .at = 16 };
    uint64_t at;
    size_t got;
    enum rf_code rc;

    if (!find_stream(k, &at))
        return rf_fail(err, RF_EFORMAT, "the JPEG XL holds no picture data");
    const uint8_t *p = rf_look_some(k, at, HEADER_BYTES, &got);
    for (size_t i = 0; i < got; i++)
        b.bytes[i] = p[i];
    b.small = take(&b, 1);
    uint32_t height = take_side(&b);
    uint64_t width = take_width(&b, height);
    bool all_default = take(&b, 1), extra = !all_default && take(&b, 1);
    unsigned orientation = extra ? take(&b, 3) + 1 : 1;
    if (b.at > 8 * got)
        return rf_cut_off(err, "JPEG XL header");
    rc = rf_take_size(facts, width, height, err);
    rf_orient(facts, orientation);
    return rc;
}
