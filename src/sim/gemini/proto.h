/* Google's JSON is the JSON of protocol buffers: every message has known fields, in camelCase or in
 * snake_case, and a name that is not among them is refused wherever it stands. */
#ifndef RF_SIM_GEMINI_PROTO_H
#define RF_SIM_GEMINI_PROTO_H

#include "sim/strict.h"

/* Hold all of a request against the messages it is made of; false with the refusal. */
bool rf_sim_gemini_proto(struct rf_sim_request *r, const struct rf_jval *body,
                         struct rf_sim_refusal *out);

/* A field by its camelCase name, in either spelling; NULL where it is absent or null. */
const struct rf_jval *rf_sim_gemini_get(const struct rf_jval *message, const char *name);

/* Bytes may come in the standard or in the URL-safe alphabet, padded or not. */
bool rf_sim_gemini_decode(struct rf_sim_request *r, struct rf_str base64, struct rf_str *bytes,
                          const struct rf_format **format);

#endif
