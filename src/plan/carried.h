/* Settings that several APIs have, each under a name of its own, and the neutral format does not.
 *
 * They are kept aside when a request is read. Where it goes to another API, they go along under the
 * names that they have there, if the model takes them: the fact `settings` lists those that it
 * does. What goes back to its own API is not touched here. */
#ifndef RF_PLAN_CARRIED_H
#define RF_PLAN_CARRIED_H

#include "plan/plan.h"

/* The name of a setting; NULL past the last one. */
const char *rf_carried_name(size_t setting);

/* Take one along, where the request has it. Returns why it is left out, or NULL. `unsampled` is why
 * the model does not take what steers how words are drawn, or NULL. */
const char *rf_carried_take(struct rf_plan *p, size_t setting, const char *unsampled,
                            struct rf_arena *a);

/* The type of answer that the request asks for, where that is one that the neutral format has no
 * word for; else empty. `choices`: the values of which the answer is to be one, or NULL. */
struct rf_str rf_carried_type(const struct rf_plan *p, struct rf_arena *a,
                              const struct rf_jval **choices);

/* The names of what the request asks of its own API and no other has: members of its body, and of
 * its options, of which nothing else here or in the plan tells. Empty where there are none. */
struct rf_str rf_carried_wishes(const struct rf_plan *p, struct rf_arena *a);

/* The name that the request gives to its schema, under whatever path; empty where it has none, or
 * one that is not a name everywhere. */
struct rf_str rf_carried_schema_name(const struct rf_plan *p, struct rf_arena *a);

#endif
