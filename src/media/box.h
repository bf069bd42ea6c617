/* Boxes of the ISO base media file format, which MP4, HEIF, JPEG 2000 and JPEG XL are made of:
 *
 *     | length 4 | type 4 | (length 8, when the first is 1) | body … |
 */
#ifndef RF_MEDIA_BOX_H
#define RF_MEDIA_BOX_H

#include "media/look.h"

struct rf_box {
    char type[4];
    uint64_t body, end; /* end never lies outside of what it was looked for in */
    bool cut;           /* its length says that it goes on after that */
};

/* The box at `at`. False at `end`, and when what stands there is no box. */
bool rf_box_at(struct rf_look *k, uint64_t at, uint64_t end, struct rf_box *out);
/* The first box of a type in [from, end). */
bool rf_box_find(struct rf_look *k, uint64_t from, uint64_t end, const char type[4],
                 struct rf_box *out);
bool rf_box_is(const struct rf_box *b, const char type[4]);

#endif
