/* Walking boxes. A box that claims more than there is ends where its surroundings do; one that is
 * shorter than its own header ends the walk, and so does the thousandth. */
#include "media/box.h"

#include <string.h>

#define MAX_BOXES 1024

bool rf_box_at(struct rf_look *k, uint64_t at, uint64_t end, struct rf_box *out)
{
    const uint8_t *p = at < end && end - at >= 8 ? rf_look(k, at, 8) : NULL;
    uint64_t length, header = 8;

    if (!p)
        return false;
    length = rf_be32(p);
    memcpy(out->type, p + 4, 4);
    if (length == 1) {
        p = rf_look(k, at + 8, 8);
        if (!p || end - at < 16)
            return false;
        length = rf_be64(p);
        header = 16;
    } else if (length == 0) {
        length = end - at;
    }
    if (length < header)
        return false;
    out->cut = length > end - at;
    out->body = at + header;
    out->end = out->cut ? end : at + length;
    return true;
}

bool rf_box_is(const struct rf_box *b, const char type[4])
{
    return memcmp(b->type, type, 4) == 0;
}

bool rf_box_find(struct rf_look *k, uint64_t from, uint64_t end, const char type[4],
                 struct rf_box *out)
{
    struct rf_box b;

    for (int i = 0; i < MAX_BOXES && rf_box_at(k, from, end, &b); i++) {
        if (rf_box_is(&b, type)) {
            *out = b;
            return true;
        }
        from = b.end;
    }
    return false;
}
