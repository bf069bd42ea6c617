/* Marks up to which a prompt is worth caching, as requests have them.
 *
 * They are kept aside when a request is read ("cache_control", "cachePoint"). Where the endpoint
 * has such marks they are written again where they stood, whichever API they came from: on the
 * block, or at the end of what stands for it. A block inside a tool result may not carry one, the
 * result may; where texts alone may, that of a file moves to the text beside it; a mark that
 * belongs to no block stands at the end of its message, and one of a whole request at the end of
 * the last. The system prompt stays in the blocks that it had, so that what changes after a mark
 * does not come before it. */
#ifndef RF_PLAN_CACHE_H
#define RF_PLAN_CACHE_H

#include "plan/plan.h"

/* The first mark in what was kept aside of a block, a message or a tool; or NULL. */
const struct rf_jval *rf_cache_mark(const struct rf_jval *extra);

/* The mark of a message, its own before the last of its blocks; or NULL. */
const struct rf_jval *rf_cache_mark_of(const struct rf_message *m);

/* Set the marks of system prompt and tools, and leave as many in the turns as may be: the last
 * ones. */
void rf_plan_cache(struct rf_plan *p, struct rf_arena *a);

#endif
