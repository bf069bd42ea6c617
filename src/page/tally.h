/* Requests by minute, model and key: how many, and what they took. Bounded: the oldest minutes go
 * first, and names beyond the first few hundred are "others". */
#ifndef RF_PAGE_TALLY_H
#define RF_PAGE_TALLY_H

#include "gateway/page.h"

#define RF_TALLY_ROWS ((size_t)16384)

struct rf_arena;
struct rf_json;
struct rf_tally;

struct rf_tally *rf_tally_new(void);
void rf_tally_free(struct rf_tally *t);

/* An exchange is over. From any thread. */
void rf_tally_count(struct rf_tally *t, const struct rf_record *r);
/* Since when none is missing, in milliseconds since 1970; 0: none is at all. */
int64_t rf_tally_kept_since(struct rf_tally *t);
/* The rows since then, as the value of `key`. */
void rf_tally_write(struct rf_tally *t, int64_t since_ms, struct rf_arena *a, struct rf_json *w,
                    const char *key);

#endif
