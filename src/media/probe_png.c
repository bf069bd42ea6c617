/* PNG: a signature, then chunks | length 4 | type 4 | data | checksum 4 |, the header first.
 *
 * The chunks are walked to the end, which costs little and finds what a provider would choke on: a
 * file that was cut off, or one without picture data. Checksums are not computed. */
#include "media/probe.h"

#include "media/exif.h"

#include <string.h>

#define MAX_CHUNKS 65536
#define CHUNK_FRAME 12 /* length, type and checksum */

struct png {
    uint32_t frames;
    unsigned orientation;
    bool data, end;
};

/* Colour types 0, 2, 3, 4 and 6, and the bit depths that each may have. */
static bool is_legal(unsigned depth, unsigned colour)
{
    switch (colour) {
    case 0:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case 3:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case 2:
    case 4:
    case 6:
        return depth == 8 || depth == 16;
    default:
        return false;
    }
}

static enum rf_code read_header(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 8, CHUNK_FRAME + 13);

    if (!p)
        return rf_cut_off(err, "PNG header");
    if (rf_be32(p) != 13 || memcmp(p + 4, "IHDR", 4) != 0)
        return rf_fail(err, RF_EFORMAT, "the PNG does not start with its header");
    if (!is_legal(p[16], p[17]))
        return rf_fail(err, RF_EFORMAT, "the PNG has colour type %u with bit depth %u", p[17],
                       p[16]);
    facts->unusual = p[16] == 16;
    return rf_take_size(facts, rf_be32(p + 8), rf_be32(p + 12), err);
}

static void take_chunk(struct rf_look *k, uint64_t at, const char type[4], uint64_t length,
                       struct png *png)
{
    const uint8_t *p;

    if (memcmp(type, "acTL", 4) == 0 && !png->data && (p = rf_look(k, at + 8, 4)))
        png->frames = rf_be32(p) > 1 ? 2 : 1;
    else if (memcmp(type, "eXIf", 4) == 0)
        png->orientation = rf_exif_orientation(k, at + 8, at + 8 + length);
    else if (memcmp(type, "IDAT", 4) == 0)
        png->data = true;
    else if (memcmp(type, "IEND", 4) == 0)
        png->end = true;
}

enum rf_code rf_probe_png(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    struct png png = { .frames = 1, .orientation = 1 };
    uint64_t at = 8;
    enum rf_code rc = read_header(k, facts, err);

    for (int i = 0; !rc && !png.end && i < MAX_CHUNKS; i++) {
        const uint8_t *p = rf_look(k, at, 8);
        char type[4];
        if (!p || rf_be32(p) + (uint64_t)CHUNK_FRAME > k->size - at)
            return rf_cut_off(err, "PNG");
        uint64_t length = rf_be32(p);
        memcpy(type, p + 4, 4);
        take_chunk(k, at, type, length, &png);
        at += length + CHUNK_FRAME;
    }
    if (!rc && png.end && !png.data)
        return rf_fail(err, RF_EFORMAT, "the PNG holds no picture data");
    facts->frames = png.frames;
    rf_orient(facts, png.orientation);
    return rc;
}
