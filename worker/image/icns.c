/* Icons of macOS: | "icns" | length 4 |, then pictures | type 4 | length 4, this head included |
 * data |.
 *
 * New ones are PNG or JPEG 2000; old ones have red, green and blue one after the other in runs, and
 * the transparency in a picture of its own. The largest is the one to show. It refuses those of
 * 256 colours and less, which stand beside a better one. */
#include "worker/image/pixels.h"

#define MAX_PICTURES 256

static const struct old {
    const char *colours, *mask;
    uint32_t side;
    size_t skip; /* zeros before the runs */
} olds[] = {
    { "it32", "t8mk", 128, 4 },
    { "ih32", "h8mk", 48, 0 },
    { "il32", "l8mk", 32, 0 },
    { "is32", "s8mk", 16, 0 },
};
#define OLDS (sizeof olds / sizeof *olds)

struct icns {
    struct rf_str whole; /* the largest PNG or JPEG 2000 */
    uint32_t side;       /* of it, from its type: larger data of the same kind */
    struct rf_str colours[OLDS], masks[OLDS];
    uint32_t count;
};

static bool is_whole(struct rf_str data)
{
    return rf_str_starts(data, "\x89PNG") || (data.n > 12 && memcmp(data.p + 4, "jP  ", 4) == 0) ||
           rf_str_starts(data, "\xff\x4f\xff\x51");
}

/* Sides of the types that hold whole files; the number in a type's name is no help. */
static uint32_t side_of(const char *type)
{
    static const struct {
        const char *type;
        uint32_t side;
    } sides[] = {
        { "ic10", 1024 }, { "ic14", 512 }, { "ic09", 512 }, { "ic13", 256 }, { "ic08", 256 },
        { "ic07", 128 },  { "ic12", 64 },  { "icp6", 64 },  { "ic11", 32 },  { "icp5", 32 },
    };
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (memcmp(type, sides[i].type, 4) == 0)
            return sides[i].side;
    }
    return 16;
}

static void take_entry(struct icns *n, const char *type, struct rf_str data)
{
    if (is_whole(data)) {
        n->count++;
        if (side_of(type) > n->side) {
            n->side = side_of(type);
            n->whole = data;
        }
        return;
    }
    for (size_t i = 0; i < OLDS; i++) {
        if (memcmp(type, olds[i].colours, 4) == 0) {
            n->colours[i] = data;
            n->count++;
        } else if (memcmp(type, olds[i].mask, 4) == 0) {
            n->masks[i] = data;
        }
    }
}

/* n < 128: n + 1 bytes as they are; else the next one n - 125 times. */
static void read_runs(struct rf_str data, struct rf_pixels *px)
{
    const uint8_t *p = rf_bytes_of(data), *end = p + data.n;
    size_t count = (size_t)px->width * px->height, at = 0;

    while (p < end && at < count * 3) {
        unsigned head = *p++, n = head < 128 ? head + 1 : head - 125;
        for (; n && at < count * 3 && p < end; n--, at++) {
            px->p[at % count * 4 + at / count] = *p;
            p += head < 128;
        }
        p += head >= 128 && p < end;
    }
    px->cut_off = at < count * 3;
}

static enum rf_code read_old(const struct icns *n, size_t i, struct rf_arena *a,
                             struct rf_pixels *px, struct rf_err *err)
{
    size_t count = (size_t)olds[i].side * olds[i].side;
    enum rf_code rc = rf_pixels_make(px, olds[i].side, olds[i].side, a, err);

    if (rc)
        return rc;
    read_runs(rf_from(n->colours[i], olds[i].skip), px);
    px->alpha = n->masks[i].n >= count;
    for (size_t k = 0; k < count; k++)
        px->p[k * 4 + 3] = px->alpha ? rf_bytes_of(n->masks[i])[k] : 255;
    return RF_OK;
}

enum rf_code rf_read_icns(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                          struct rf_err *err)
{
    struct icns n = { 0 };
    size_t at = 8;

    for (int i = 0; i < MAX_PICTURES && rf_has(bytes, at, 8); i++) {
        uint32_t length = rf_be32(rf_bytes_of(bytes) + at + 4);
        if (length < 8 || !rf_has(bytes, at, length))
            break;
        take_entry(&n, bytes.p + at, (struct rf_str){ bytes.p + at + 8, length - 8 });
        at += length;
    }
    px->frames = n.count;
    for (size_t i = 0; i < OLDS; i++) {
        if (n.colours[i].n && olds[i].side > n.side)
            return read_old(&n, i, a, px, err);
    }
    px->inner = n.whole;
    return n.whole.n ? RF_OK : rf_fail(err, RF_EFORMAT, "the icon holds no picture that is read");
}
