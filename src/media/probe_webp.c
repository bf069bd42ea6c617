/* WebP: RIFF chunks | type 4 | length 4 | data, padded to even |. The first is a lossy picture
 * (VP8), a lossless one (VP8L), or a header (VP8X) before pictures, frames and EXIF. */
#include "media/probe.h"

#include "media/exif.h"

#include <inttypes.h>
#include <string.h>

#define MAX_CHUNKS 1024
#define HAS_EXIF 0x08
#define HAS_ANIMATION 0x02
#define FIRST_DATA 20 /* after "RIFF", a length, "WEBP" and the first chunk's own header */

static enum rf_code read_lossy(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, FIRST_DATA, 10);

    if (!p)
        return rf_cut_off(err, "WebP header");
    if ((p[0] & 1) || memcmp(p + 3, "\x9d\x01\x2a", 3) != 0)
        return rf_fail(err, RF_EFORMAT, "the WebP has no key frame");
    return rf_take_size(facts, rf_le16(p + 6) & 0x3fff, rf_le16(p + 8) & 0x3fff, err);
}

static enum rf_code read_lossless(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, FIRST_DATA, 5);
    uint32_t bits;

    if (!p)
        return rf_cut_off(err, "WebP header");
    if (p[0] != 0x2f)
        return rf_fail(err, RF_EFORMAT, "the WebP has no lossless header");
    bits = rf_le32(p + 1);
    return rf_take_size(facts, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1, err);
}

/* After the header: is there a picture at all, and how is it turned? */
static enum rf_code read_rest(struct rf_look *k, unsigned flags, struct rf_facts *facts,
                              struct rf_err *err)
{
    uint64_t at = FIRST_DATA + 10;
    unsigned orientation = 1;
    bool picture = false, done = false;

    for (int i = 0; !done && i < MAX_CHUNKS; i++) {
        const uint8_t *p = rf_look(k, at, 8);
        if (!p)
            break;
        uint32_t length = rf_le32(p + 4);
        bool exif = memcmp(p, "EXIF", 4) == 0;
        if (memcmp(p, "VP8", 3) == 0 || memcmp(p, "ANMF", 4) == 0)
            picture = true;
        if (exif)
            orientation = rf_exif_orientation(k, at + 8, at + 8 + length);
        done = picture && (exif || !(flags & HAS_EXIF));
        at += 8 + (uint64_t)length + (length & 1);
    }
    if (!picture)
        return rf_fail(err, RF_EFORMAT, "the WebP holds no picture data");
    rf_orient(facts, orientation);
    return RF_OK;
}

static enum rf_code read_extended(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, FIRST_DATA, 10);
    unsigned flags;

    if (!p)
        return rf_cut_off(err, "WebP header");
    flags = p[0];
    facts->frames = flags & HAS_ANIMATION ? 2 : 1;
    facts->width = rf_le24(p + 4) + 1;
    facts->height = rf_le24(p + 7) + 1;
    return read_rest(k, flags, facts, err);
}

enum rf_code rf_probe_webp(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, FIRST_DATA);

    if (!p)
        return rf_cut_off(err, "WebP header");
    if (rf_le32(p + 4) + (uint64_t)8 > k->size)
        return rf_fail(err, RF_EFORMAT,
                       "the WebP is cut off: %" PRIu64 " of its %" PRIu64 " bytes are there",
                       k->size, rf_le32(p + 4) + (uint64_t)8);
    facts->frames = 1;
    if (memcmp(p + 12, "VP8 ", 4) == 0)
        return read_lossy(k, facts, err);
    if (memcmp(p + 12, "VP8L", 4) == 0)
        return read_lossless(k, facts, err);
    if (memcmp(p + 12, "VP8X", 4) == 0)
        return read_extended(k, facts, err);
    return rf_fail(err, RF_EFORMAT, "the WebP does not start with a picture or a header");
}
