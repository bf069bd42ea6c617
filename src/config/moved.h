/* Where a provider was moved to: another address than its own, by the configuration or by a
 * variable. What is there may be a proxy or a simulator, so what it teaches is kept apart from
 * what the provider does. */
#ifndef RF_CONFIG_MOVED_H
#define RF_CONFIG_MOVED_H

#include "base/str.h"

struct rf_arena;
struct rf_config;

/* The variables that move a provider, with commas between them, as its own SDK reads them; NULL:
 * none do. */
const char *rf_moving_variables(struct rf_str provider);

/* The value of the first of these variables that is set and not empty; `*name` is which. */
struct rf_str rf_variable_of(const char *names, struct rf_arena *a, const char **name);

/* The address as a name for what is learned there, without what may be secret; empty where the
 * provider is where it always is. `config` may be NULL. */
struct rf_str rf_moved_to(const struct rf_config *config, struct rf_str provider,
                          struct rf_arena *a);

#endif
