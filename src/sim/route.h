/* Who is asked, and for which model, by the path of a call. */
#ifndef RF_SIM_ROUTE_H
#define RF_SIM_ROUTE_H

#include "base/str.h"

struct rf_arena;

struct rf_sim_route {
    struct rf_str provider;
    struct rf_str model; /* where the path names it; or empty */
    bool stream;         /* the path says so */
};

/* False where no provider has such a path. `provider` is for a path that names none; or NULL. */
bool rf_sim_find_route(const char *path, const char *provider, struct rf_arena *a,
                       struct rf_sim_route *out);

#endif
