/* The memory that bodies of requests are gathered in.
 *
 * The system takes longer to hand out fresh memory for a picture than the picture takes to pass. So
 * what a large body lay in is kept for a moment, for the next one of its loop, and goes back where
 * none comes. */
#ifndef RF_GATEWAY_REUSE_H
#define RF_GATEWAY_REUSE_H

#include "base/loop.h"

#define RF_REUSE_MOST 8

struct rf_reuse {
    struct rf_loop *loop;
    struct rf_timer timer; /* when what is kept goes back */
    struct rf_reuse_room {
        char *p;
        size_t size;
    } kept[RF_REUSE_MOST];
    size_t count, bytes;
};

void rf_reuse_init(struct rf_reuse *s, struct rf_loop *loop);
void rf_reuse_release(struct rf_reuse *s);

/* Room for `least` bytes or a little more; *size is how much. */
char *rf_reuse_take(struct rf_reuse *s, size_t least, size_t *size);
/* It is not used any more. Takes NULL. */
void rf_reuse_give(struct rf_reuse *s, char *p, size_t size);

#endif
