/* GIF: a screen, perhaps its colours, then blocks: extensions (0x21), pictures (0x2c) and the end
 * (0x3b), whose data comes in pieces of up to 255 bytes.
 *
 * Blocks are walked until a second picture is found. A long first picture ends the walk early; the
 * wish to be repeated then tells that more pictures follow. */
#include "media/probe.h"

#define MAX_PIECES 8192
#define COLOUR_TABLE 0x80

enum block { BLOCK_EXTENSION = 0x21, BLOCK_PICTURE = 0x2c, BLOCK_END = 0x3b };

struct gif {
    uint64_t at;
    unsigned pictures, pieces;
    bool loops, end;
};

static uint64_t colours(unsigned flags)
{
    return flags & COLOUR_TABLE ? (uint64_t)3 << ((flags & 7) + 1) : 0;
}

/* After the pieces of a block; false when they are cut off or too many. */
static bool skip_pieces(struct rf_look *k, struct gif *gif)
{
    while (gif->pieces++ < MAX_PIECES) {
        int length = rf_look_byte(k, gif->at);
        if (length < 0)
            return false;
        gif->at += (uint64_t)length + 1;
        if (length == 0)
            return true;
    }
    return false;
}

static bool walk_block(struct rf_look *k, struct gif *gif)
{
    int kind = rf_look_byte(k, gif->at);
    const uint8_t *p;

    if (kind == BLOCK_EXTENSION) {
        gif->loops = gif->loops || RF_SEES(k, gif->at + 1, "\xff\x0bNETSCAPE2.0");
        gif->at += 2;
        return skip_pieces(k, gif);
    }
    if (kind == BLOCK_PICTURE && (p = rf_look(k, gif->at, 10))) {
        gif->pictures++;
        gif->at += 10 + colours(p[9]) + 1;
        return skip_pieces(k, gif);
    }
    gif->end = kind == BLOCK_END;
    return false;
}

enum rf_code rf_probe_gif(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    const uint8_t *p = rf_look(k, 0, 13);
    struct gif gif = { .at = 13 };
    enum rf_code rc;

    if (!p)
        return rf_cut_off(err, "GIF header");
    gif.at += colours(p[10]);
    rc = rf_take_size(facts, rf_le16(p + 6), rf_le16(p + 8), err);
    while (!rc && gif.pictures < 2 && walk_block(k, &gif))
        continue;
    if (!rc && gif.pictures == 0)
        return rf_fail(err, RF_EFORMAT, "the GIF holds no picture");
    if (gif.pictures > 1 || (gif.loops && !gif.end))
        facts->frames = 2;
    else if (gif.end)
        facts->frames = 1;
    return rc;
}
