/* What a refusal is to whoever sent the request: an error. */
#ifndef RF_SEND_REFUSED_H
#define RF_SEND_REFUSED_H

#include "base/error.h"
#include "content/refusal.h"

struct rf_model;

/* Fails always: with RF_ECONFIG where the key is refused, RF_ELIMIT where the conversation is too
 * long, else RF_EPROVIDER. */
RF_MUST enum rf_code rf_fail_refused(const struct rf_model *m, const struct rf_refusal *r,
                                     struct rf_err *err);
/* Add what to do about it. */
void rf_advise_refused(enum rf_error_kind kind, struct rf_err *err);

#endif
