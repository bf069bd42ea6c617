/* The promises that hold for any conversation and any model, as checks that abort. */
#ifndef FUZZ_PROMISES_H
#define FUZZ_PROMISES_H

#include "request/request.h"

/* Hold a request against the promises. `body` is all of its body. */
void promises_check(struct rf_request *r, struct rf_str body, bool strict, struct rf_arena *a);

/* Hold a refusal to make a request against them. */
void promises_check_refusal(const struct rf_conversation *c, const struct rf_err *err, bool strict);

#endif
