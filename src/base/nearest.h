/* The names nearest to one that does not exist: for hints.
 *
 *     rf_nearest_init(&n, given);
 *     rf_nearest_offer(&n, RF_STR("vision"));
 *     if (n.count) … n.names[0] is the best
 */
#ifndef RF_BASE_NEAREST_H
#define RF_BASE_NEAREST_H

#include "base/str.h"

struct rf_arena;

#define RF_NEAREST_KEPT 3

struct rf_nearest {
    struct rf_str given;
    struct rf_str names[RF_NEAREST_KEPT]; /* best first; borrowed from the offers */
    unsigned scores[RF_NEAREST_KEPT];     /* the less, the nearer */
    size_t count;
};

void rf_nearest_init(struct rf_nearest *n, struct rf_str given);

/* Keeps the name when it is near enough and among the best. */
void rf_nearest_offer(struct rf_nearest *n, struct rf_str name);
/* The same for a name that is compared as `as`, such as a pattern without its stars. */
void rf_nearest_offer_as(struct rf_nearest *n, struct rf_str as, struct rf_str name);

/* The edits that make `name` a beginning of `text`; `*length` is how long that beginning is.
 * Names that are too long to be compared are as far as can be. */
unsigned rf_nearest_edits(struct rf_str name, struct rf_str text, size_t *length);

/* "Did you mean A, B or C? " with those that are as near as the best; "" where nothing is. */
const char *rf_nearest_question(const struct rf_nearest *n, struct rf_arena *a);

#endif
