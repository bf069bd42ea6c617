/* Opening many models of one provider: what is read from files is read once.
 *
 *     rc = rf_known_load(&k, config, a, err);
 *     k.list = …;
 *     rc = rf_known_open(&k, name, scratch, &model, err);
 */
#ifndef RF_CONFIG_MODEL_OPEN_H
#define RF_CONFIG_MODEL_OPEN_H

#include "config/learned.h"
#include "config/lists.h"
#include "model/model.h"

struct rf_known {
    const struct rf_config *config; /* or NULL: the catalogue alone is known */
    struct rf_learned learned;
    struct rf_list list; /* of the provider; empty: none is kept */
};

/* Everything but the list, in `a`. Fails as rf_model_open does. */
RF_MUST enum rf_code rf_known_load(struct rf_known *k, const struct rf_config *c,
                                   struct rf_arena *a, struct rf_err *err);
/* A model of the list's provider, in `a`. */
RF_MUST enum rf_code rf_known_open(const struct rf_known *k, struct rf_str name, struct rf_arena *a,
                                   struct rf_model *m, struct rf_err *err);

#endif
