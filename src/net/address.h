/* From a provider's row to a URL: who moved it, and what its templates are filled in with. */
#ifndef RF_NET_ADDRESS_H
#define RF_NET_ADDRESS_H

#include "base/error.h"
#include "config/config.h"
#include "model/providers.h"

struct rf_arena;

/* What {NAME} in a template stands for; empty: not known. */
struct rf_address_parts {
    struct rf_str region, project, location;
    struct rf_str model;
    bool whole; /* what stands in [brackets] is said */
};

/* Where the provider is, by `said` (which may be NULL), by a variable, by its row; NULL where
 * it is unknown. Fails with RF_ECONFIG where that is not an address, or a part of it is unknown. */
RF_MUST enum rf_code rf_address_base(const struct rf_provider_row *row,
                                     const struct rf_config_provider *said,
                                     const struct rf_address_parts *parts, struct rf_arena *a,
                                     const char **out, struct rf_err *err);

/* A template filled in. Fails with RF_ECONFIG where a part of it is not known. */
RF_MUST enum rf_code rf_address_fill(const struct rf_provider_row *row, const char *template,
                                     const struct rf_address_parts *parts, struct rf_arena *a,
                                     const char **out, struct rf_err *err);

/* A path after its base. */
const char *rf_address_join(const char *base, const char *path, struct rf_arena *a);

#endif
