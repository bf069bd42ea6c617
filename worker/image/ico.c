/* Icons and cursors: | 0 | 1 or 2 | count |, then for each picture | width 1 | height 1 | colours 1
 * | 0 | planes 2 | bits 2 | length 4 | offset 4 |.
 *
 * A picture is a PNG or a BMP without its file header. The largest is the one to show. What the
 * list says about sizes is not believed where the picture itself says otherwise. */
#include "worker/image/pixels.h"

#define HEAD 6
#define ENTRY 16

static const uint8_t *entry(struct rf_str bytes, size_t i)
{
    return rf_bytes_of(bytes) + HEAD + i * ENTRY;
}

/* Sizes first, then colours; 0 stands for 256. */
static uint32_t rank(const uint8_t *e)
{
    uint32_t width = e[0] ? e[0] : 256, height = e[1] ? e[1] : 256;
    unsigned bits = rf_le16(e + 6);
    return width * height * 64 + (bits < 63 ? bits : 63);
}

static size_t choose(struct rf_str bytes, size_t count, int64_t frame)
{
    size_t best = 0;

    if (frame >= 0)
        return (size_t)frame;
    for (size_t i = 1; i < count; i++) {
        if (rank(entry(bytes, i)) > rank(entry(bytes, best)))
            best = i;
    }
    return best;
}

enum rf_code rf_read_ico(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    size_t count = rf_has(bytes, 0, HEAD) ? rf_le16(rf_bytes_of(bytes) + 4) : 0;
    struct rf_str picture;

    if (!count)
        return rf_fail(err, RF_EFORMAT, "the icon holds no picture");
    if (!rf_has(bytes, HEAD, count * ENTRY))
        return rf_cut(err, "icon");
    px->frames = (uint32_t)count;
    if (px->frame >= (int64_t)count)
        return rf_fail(err, RF_EUSAGE, "the icon holds %zu pictures", count);
    const uint8_t *e = entry(bytes, choose(bytes, count, px->frame));
    if (!rf_has(bytes, rf_le32(e + 12), 1))
        return rf_cut(err, "icon");
    picture = rf_from(bytes, rf_le32(e + 12));
    if (rf_str_starts(picture, "\x89PNG")) {
        px->inner = picture;
        return RF_OK;
    }
    px->width = e[0] ? e[0] : 256;
    px->height = e[1] ? e[1] : 256;
    return rf_read_icon_dib(picture, a, px, err);
}
