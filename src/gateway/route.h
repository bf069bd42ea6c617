/* Which model answers a request that names one, and which names there are.
 *
 * What a name means is rf_model_open's to say: a name of the configuration, PROVIDER:MODEL, or a
 * part of one. Before parts are guessed at, a bare name that the catalogue gives to a provider
 * with a key is that provider's model, as it stands: clients name models that no list has yet. */
#ifndef RF_GATEWAY_ROUTE_H
#define RF_GATEWAY_ROUTE_H

#include "base/str.h"
#include "config/config.h"
#include "model/model.h"

#include <refract/gateway.h>

struct rf_arena;

/* Open the model that answers. Fails with RF_ENOTFOUND where none does, and says which names would
 * work; and with RF_ECONFIG and RF_EIO where what is known of it cannot be read. */
RF_MUST enum rf_code rf_route_open(const struct rf_gateway_options *o, struct rf_str asked,
                                   struct rf_arena *a, struct rf_model **out, struct rf_str *why);

/* The models that can be asked for, as JSON in the shape that the clients of a dialect know: all of
 * them, or one. */
RF_MUST enum rf_code rf_route_list(const struct rf_gateway_options *o, const char *dialect,
                                   struct rf_arena *a, struct rf_str *out, struct rf_err *err);
struct rf_str rf_route_describe(const char *dialect, struct rf_str name, struct rf_arena *a);

#endif
