/* The names that a request is shown with: who asked for which model, and who answered. Many
 * requests have the same ones, which are kept once, for as long as one of them needs them.
 *
 * A table is used by one thread at a time: its owner has a lock. */
#ifndef RF_PAGE_NAMES_H
#define RF_PAGE_NAMES_H

#include "gateway/record.h"

struct rf_arena;

struct rf_names {
    const char *client, *key, *operation, *asked, *provider, *model; /* "" where there is none */
};

/* Empty when it is zero, and when all users have dropped theirs. */
struct rf_name_table {
    struct rf_named *buckets[256];
};

/* Those of `r`, cut to what is shown of them, for one user more. */
const struct rf_names *rf_names_take(struct rf_name_table *t, const struct rf_record *r);
void rf_names_drop(struct rf_name_table *t, const struct rf_names *names); /* takes NULL */

const struct rf_names *rf_names_copy(const struct rf_names *names, struct rf_arena *a);

#endif
