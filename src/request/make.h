/* Having things made: the recipes that a plan waits for, run by the workers. */
#ifndef RF_REQUEST_MAKE_H
#define RF_REQUEST_MAKE_H

#include "media/cache.h"
#include "request/request.h"

/* Follow all recipes of the plan that were not followed yet, several at once, and add the outcomes
 * to the assets. `made` is how many there were; a recipe that fails is an outcome too. Fails with
 * RF_ESANDBOX, and with RF_EINTERRUPTED where it was cancelled. */
RF_MUST enum rf_code rf_request_make(struct rf_request *r, size_t *made, struct rf_err *err);

/* The family of workers that makes that of such a file. */
const char *rf_make_family(const struct rf_asset *f, enum rf_make make);

#endif
