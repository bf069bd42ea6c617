/* Files that come back into sight: a model that cannot see answered in between, and the one that
 * gets this request can. The files stand in their old places, so that what was sent before
 * begins the same; one line where the sighted model takes over again says that they are there. */
#ifndef RF_PLAN_SIGHT_H
#define RF_PLAN_SIGHT_H

#include "plan/plan.h"

struct rf_sight {
    struct rf_sight_place *places; /* one a message */
};

/* The kinds (bits) that a model which takes this cannot be shown. */
unsigned rf_sight_blind(const struct rf_caps *c);

/* Which kinds the answers' models could not be shown, the plan's origins say. */
void rf_sight_init(struct rf_sight *s, const struct rf_plan *p, struct rf_arena *a);

/* What is to be said in this message; empty where nothing is. */
struct rf_str rf_sight_line(const struct rf_sight *s, const struct rf_plan *p, size_t message,
                            struct rf_arena *a);

#endif
