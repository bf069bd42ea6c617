/* The order in which providers are asked where none is named, and which of them have a key. */
#ifndef RF_CONFIG_USUAL_H
#define RF_CONFIG_USUAL_H

#include "base/str.h"

struct rf_config;

/* The providers by index, the first one first; NULL after the last. */
const char *rf_usual_provider(size_t i);
/* The model of it that is asked. */
const char *rf_usual_provider_model(size_t i);
/* Is its key set, or does the configuration say how it is found? */
bool rf_usual_provider_has_key(const struct rf_config *c, size_t i);
/* The same by its name; false of one that is never asked unnamed. */
bool rf_usual_has_key(const struct rf_config *c, const char *provider);

#endif
