/* The catalogue's rows. An endpoint's own row has the pattern "*" and comes before its families. */
#ifndef RF_MODEL_CATALOGUE_H
#define RF_MODEL_CATALOGUE_H

#include <stddef.h>

struct rf_row {
    const char *provider, *pattern;
    const char *facts; /* NAME=VALUE, white space between them; a value has none */
};

extern const struct rf_row rf_catalogue[];
extern const size_t rf_catalogue_count;

#endif
