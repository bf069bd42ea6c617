/* The clock, and waiting for a further try: when a refused or failed call may be tried again, and
 * after how long: what the server asked for, else a growing time; both with jitter, so that many
 * who were sent away together do not come back together. */
#ifndef RF_NET_WAITING_H
#define RF_NET_WAITING_H

#include "base/error.h"
#include "content/refusal.h"

/* Sleep so long. Fails with RF_EINTERRUPTED as soon as something can be read from `cancel_fd`. */
RF_MUST enum rf_code rf_net_rest(int64_t ms, int cancel_fd, struct rf_err *err);

/* Will it pass: too many requests, an overload, a gateway without its server? */
bool rf_refusal_passes(const struct rf_refusal *r);

/* Milliseconds until the next try, after so many of them. */
int64_t rf_wait_after_refusal(const struct rf_refusal *r, int tries);
int64_t rf_wait_to_reach(int tries);

#endif
