/* Endpoints that were found a moment ago. To find one is to read the environment, fill in addresses
 * and check headers; a gateway does so for the same few models thousands of times a second.
 *
 * What is remembered belongs to a model that is kept (config/model_cache.h), for as long as that
 * is: so a change of the environment or of the configuration is seen as soon as one of the model.
 * An endpoint with something that was fetched or printed for it is never remembered. */
#ifndef RF_NET_FOUND_H
#define RF_NET_FOUND_H

#include "net/endpoint.h"

struct rf_found_endpoints; /* of one loop */

/* rf_endpoint_find, or what it found before. `*all` is made when it is needed. */
RF_MUST enum rf_code rf_found_endpoint(struct rf_found_endpoints **all, const struct rf_config *c,
                                       const struct rf_model *m, bool stream,
                                       struct rf_key_choice key, struct rf_arena *a,
                                       struct rf_endpoint *out, struct rf_err *err);
void rf_found_endpoints_free(struct rf_found_endpoints *all); /* takes NULL */

#endif
