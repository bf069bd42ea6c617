/* Models to name to a person whose own does not take a file, and names that can be typed in
 * part. */
#ifndef RF_MODEL_WELL_KNOWN_H
#define RF_MODEL_WELL_KNOWN_H

#include "model/model.h"

/* The model at `i`, counted from 0, by the catalogue alone; the first that serves is the one to
 * name. False after the last. All of it lives in `a`. */
bool rf_model_well_known(size_t i, struct rf_model *m, struct rf_arena *a);

/* Names that are known without a list of the provider's, the newest of a family first; NULL after
 * the last. */
const char *rf_known_name(struct rf_str provider, size_t i);

#endif
