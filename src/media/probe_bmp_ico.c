/* BMP: a file header of 14 bytes and an information header, whose length tells its kind: 12 is
 * OS/2's with short numbers, all others start like Windows'. A negative height means top-down.
 *
 * ICO and CUR: a list of pictures; the largest counts, and a side of 0 means 256. */
#include "media/probe.h"
#include "media/sniff.h"

#define MAX_ICONS 1024

enum compression { UNCOMPRESSED = 0, BITFIELDS = 3, ALPHA_BITFIELDS = 6 };

struct bmp {
    uint64_t data; /* where the pixels start */
    int64_t width, height;
    unsigned bits;
    uint32_t compression;
};

static bool is_depth(unsigned bits)
{
    return bits <= 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32 ||
           bits == 64;
}

static bool read_header(struct rf_look *k, struct bmp *out)
{
    const uint8_t *p = rf_look(k, 0, 26);

    if (!p)
        return false;
    out->data = rf_le32(p + 10);
    out->compression = UNCOMPRESSED;
    if (rf_le32(p + 14) == 12) {
        out->width = rf_le16(p + 18);
        out->height = rf_le16(p + 20);
        out->bits = rf_le16(p + 24);
        return true;
    }
    p = rf_look(k, 0, 34);
    if (!p)
        return false;
    out->width = (int32_t)rf_le32(p + 18);
    out->height = (int32_t)rf_le32(p + 22);
    out->bits = rf_le16(p + 28);
    out->compression = rf_le32(p + 30);
    return true;
}

/* Are all the rows there, each filled up to four bytes? Of compressed ones that is unknown. */
static bool is_complete(const struct bmp *bmp, const struct rf_facts *facts, uint64_t size)
{
    uint64_t row = ((uint64_t)facts->width * bmp->bits + 31) / 32 * 4;

    if (bmp->compression != UNCOMPRESSED && bmp->compression != BITFIELDS &&
        bmp->compression != ALPHA_BITFIELDS)
        return true;
    return bmp->data <= size && row <= (size - bmp->data) / facts->height;
}

enum rf_code rf_probe_bmp(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct bmp bmp;
    enum rf_code rc;

    if (!read_header(k, &bmp))
        return rf_cut_off(err, "BMP header");
    if (bmp.width < 0)
        return rf_fail(err, RF_EFORMAT, "the BMP has a negative width");
    if (!is_depth(bmp.bits))
        return rf_fail(err, RF_EFORMAT, "the BMP has %u bits a pixel", bmp.bits);
    rc = rf_take_size(facts, (uint64_t)bmp.width,
                      (uint64_t)(bmp.height < 0 ? -bmp.height : bmp.height), err);
    if (!rc && !is_complete(&bmp, facts, k->size))
        return rf_cut_off(err, "BMP");
    return rc;
}

enum rf_code rf_probe_ico(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, 6);
    unsigned count = p ? rf_le16(p + 4) : 0;

    if (!p)
        return rf_cut_off(err, "icon's header");
    if (count == 0)
        return rf_fail(err, RF_EFORMAT, "the icon holds no picture");
    for (unsigned i = 0; i < count && i < MAX_ICONS; i++) {
        p = rf_look(k, 6 + 16 * (uint64_t)i, 16);
        if (!p)
            return rf_cut_off(err, "icon's header");
        uint32_t width = p[0] ? p[0] : 256, height = p[1] ? p[1] : 256;
        if (rf_le32(p + 12) >= k->size)
            return rf_cut_off(err, "icon");
        if (width * height > facts->width * facts->height) {
            facts->width = width;
            facts->height = height;
        }
    }
    return RF_OK;
}

/* Text may start with "BM"; the length of the second header tells them apart. */
bool rf_fits_bmp(struct rf_look *k)
{
    const uint8_t *p = RF_SEES(k, 0, "BM") ? rf_look(k, 14, 4) : NULL;

    return p && rf_le32(p) >= 12 && rf_le32(p) <= 1024;
}

/* The first of at least one picture must follow the list of them. */
bool rf_fits_ico(struct rf_look *k)
{
    const uint8_t *p = NULL;

    if (RF_SEES(k, 0, "\0\0\1\0") || RF_SEES(k, 0, "\0\0\2\0"))
        p = rf_look(k, 0, 22);
    return p && rf_le16(p + 4) > 0 && rf_le32(p + 14) > 0 &&
           rf_le32(p + 18) >= 6u + 16u * rf_le16(p + 4);
}
