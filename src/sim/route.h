/* Who is asked, and for which model, by the path of a call. */
#ifndef RF_SIM_ROUTE_H
#define RF_SIM_ROUTE_H

#include "base/str.h"

struct rf_arena;
struct rf_sim_dialect;

/* The provider that is asked, and the path after its name; empty where no provider has such a
 * path. `provider` is for a path that names none; or NULL. */
struct rf_str rf_sim_path_provider(const char *path, const char *provider, struct rf_str *rest);
/* What stands between two texts of a path, decoded. */
struct rf_str rf_sim_path_name(struct rf_str path, const char *before, const char *after,
                               struct rf_arena *a);

struct rf_sim_route {
    struct rf_str provider;
    struct rf_str model;                  /* where the path names it; or empty */
    bool stream;                          /* the path says so */
    const struct rf_sim_dialect *dialect; /* another than the model's own; or NULL */
};

/* The way to a conversation; false where the path is not one. */
bool rf_sim_find_route(const char *path, const char *provider, struct rf_arena *a,
                       struct rf_sim_route *out);

#endif
