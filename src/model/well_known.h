/* Models to name to a person whose own does not take a file. */
#ifndef RF_MODEL_WELL_KNOWN_H
#define RF_MODEL_WELL_KNOWN_H

#include "model/model.h"

/* The model at `i`, counted from 0, by the catalogue alone; the first that serves is the one to
 * name. False after the last. All of it lives in `a`. */
bool rf_model_well_known(size_t i, struct rf_model *m, struct rf_arena *a);

#endif
