/* What a key that is limited to models or to a budget may not say in a request.
 *
 * Some APIs let a request name further models: ones to fall back to, one that a tool uses, a preset
 * that chooses. Where the client speaks the API of the model that answers, such members would go
 * along, and the model that was looked at would not be the one that answers. */
#ifndef RF_GATEWAY_SCOPE_H
#define RF_GATEWAY_SCOPE_H

#include "base/json_read.h"

struct rf_arena;
struct rf_client_key;
struct rf_pass_named;

/* Why this key may not send the body; or an empty string. `body` is an object. */
struct rf_str rf_scope_fault(const struct rf_client_key *k, const struct rf_jval *body,
                             struct rf_arena *a);

/* The same of a body of which nothing is known but what names the model that is asked for: no other
 * member is taken to be harmless. */
struct rf_str rf_scope_other_fault(const struct rf_client_key *k, const struct rf_jval *body,
                                   const struct rf_pass_named *named, struct rf_arena *a);

#endif
