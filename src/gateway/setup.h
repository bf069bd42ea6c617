/* What the gateway serves by: the configuration in force, and what was made of it.
 *
 *     struct rf_setup *s = rf_setup_take(&g->setups);  of an exchange, from its head to its end
 *     …
 *     rf_setup_drop(s);
 *
 * It does not change. Another configuration is another setup, which those that begin then take;
 * what is under way keeps its own, and the last one to drop it frees it. */
#ifndef RF_GATEWAY_SETUP_H
#define RF_GATEWAY_SETUP_H

#include "config/model_cache.h"
#include "gateway/marks.h"
#include "gateway/refused.h"

#include <refract/gateway.h>

#include <pthread.h>
#include <stdatomic.h>

struct rf_setup {
    atomic_uint users;
    const struct rf_config *config; /* or NULL */
    struct rf_config *own;          /* the same, where it is closed with the setup; or NULL */
    const char *upstream;           /* that answers everything; or NULL */
    const char *const *spares;      /* spare_count of them, where it does not */
    size_t spare_count;
    struct rf_offline offline;
    struct rf_model_cache *models;
    struct rf_model_cache *origins; /* that clients say have answered: any name will do there */
    struct rf_refused *refused;
    struct rf_marks *marks; /* of all setups */
    atomic_uint *turns;     /* of each provider of the configuration: its keys take turns */
};

/* The one in force; of all threads. */
struct rf_setups {
    pthread_mutex_t lock;
    struct rf_setup *current;
    struct rf_marks *marks;
};

/* One that lives as long as `o`, and has nothing to release. */
struct rf_setup rf_setup_of(const struct rf_gateway_options *o);

void rf_setups_init(struct rf_setups *all, const struct rf_gateway_options *o);
void rf_setups_release(struct rf_setups *all);

/* From now on these are in force, with a configuration that is closed when the last one drops it. */
void rf_setups_change(struct rf_setups *all, const struct rf_gateway_options *o,
                      struct rf_config *own);

struct rf_setup *rf_setup_take(struct rf_setups *all);
void rf_setup_drop(struct rf_setup *s); /* takes NULL */

#endif
