/* The inside of struct rf_models: the lists, and what is known of each model in them. */
#ifndef RF_CONFIG_USABLE_H
#define RF_CONFIG_USABLE_H

#include "config/lists.h"

#include <refract/models.h>

struct rf_models {
    struct rf_arena *arena; /* this lives in it */
    struct rf_usable *models;
    size_t count, cap;
    struct rf_listed_provider *providers;
    size_t provider_count, provider_cap;
};

/* A list and what became of it; both live as long as `m`, in m->arena. `why` may be NULL. */
struct rf_gathered {
    struct rf_list list;
    enum rf_list_state state;
    const struct rf_err *why;
};

struct rf_models *rf_models_new(void);
/* Room for the lists of all providers that have one, and the one model of the provider in this
 * process; returns how many. */
size_t rf_models_rows(struct rf_models *m, struct rf_gathered **out);
/* Put the lists into it, by the rows of the providers. Fails as rf_model_open does. */
RF_MUST enum rf_code rf_models_fill(struct rf_models *m, const struct rf_config *config,
                                    const struct rf_gathered *lists, size_t count,
                                    struct rf_err *err);

#endif
