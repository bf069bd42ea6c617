/* What was last read of what several machines learned, for the threads of this process: a store
 * that cannot be reached must not have all of them wait for it.
 *
 *     if (!rf_recent_take(address, a, &text, &problem)) {
 *         rc = … read it …
 *         rf_recent_put(address, text, rc ? &why : NULL);
 *     }
 *
 * One thread reads at a time, and meanwhile the others have what was read before; they wait only
 * for the first reading. After one that failed nobody tries for some seconds. */
#ifndef RF_CONFIG_LEARNED_RECENT_H
#define RF_CONFIG_LEARNED_RECENT_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

/* The text in `a`, or, where none could ever be read, empty and the problem, which is of RF_OK
 * otherwise. False: the caller reads it, and rf_recent_put is owed. */
bool rf_recent_take(struct rf_str address, struct rf_arena *a, struct rf_str *text,
                    struct rf_err *problem);
/* `why` it could not be read; or NULL. */
void rf_recent_put(struct rf_str address, struct rf_str text, const struct rf_err *why);

#endif
