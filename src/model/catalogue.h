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

/* The hosts of MCP tools, named as they name themselves; the first row is for all of them. */
extern const struct rf_row rf_hosts[];
extern const size_t rf_host_rows;

/* What a program takes of an API that is not its own: counts over the rows above. */
struct rf_surface {
    const char *server, *dialect;
    const char *facts;
};

extern const struct rf_surface rf_surfaces[];
extern const size_t rf_surface_count;

#endif
