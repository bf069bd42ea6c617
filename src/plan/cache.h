/* Marks up to which a prompt is worth caching, as other APIs' requests have them.
 *
 * They are kept aside when a request is read ("cache_control", "cachePoint"). Where the endpoint
 * has such marks they are written again at the end of the message that they stood in: a block
 * inside a tool result may not carry one, the result may. Where the endpoint's own client set them
 * on blocks, they stay on those, as they are. */
#ifndef RF_PLAN_CACHE_H
#define RF_PLAN_CACHE_H

#include "plan/plan.h"

/* The mark among what an API of its own was told of a block, or NULL. */
const struct rf_jval *rf_cache_own(const struct rf_jval *own);

/* Has the message a mark, in whatever place? */
bool rf_cache_marked(const struct rf_message *m);

/* Set the marks of system prompt and tools, and leave as many in the turns as may be: the last
 * ones. */
void rf_plan_cache(struct rf_plan *p);

#endif
