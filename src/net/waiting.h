/* The clock, and waiting for a further try: when a refused or failed call may be tried again, and after how
 * long: what the server asked for, else a growing time; both with jitter, so that many who were sent away
 * together do not come back together. */
#ifndef RF_NET_WAITING_H
#define RF_NET_WAITING_H

#include "base/error.h"
#include "base/str.h"

#include <refract/reply.h>

struct rf_arena;

/* Milliseconds on a clock that only goes on. */
int64_t rf_net_now(void);
/* Sleep so long. Fails with RF_EINTERRUPTED as soon as there is something to be read from `cancel_fd`. */
RF_MUST enum rf_code rf_net_rest(int64_t ms, int cancel_fd, struct rf_err *err);

struct rf_rebuff {
    int status;
    int64_t retry_after_ms; /* -1: nothing was said */
    enum rf_error_kind kind;
    struct rf_str code, message; /* the server's */
};

/* Fill in what the body says; `status` and what the headers said about the time are there already. */
void rf_rebuff_read(struct rf_rebuff *r, struct rf_str dialect, struct rf_str body,
                     struct rf_arena *a);

/* Will it pass: too many requests, an overload, a gateway without its server? */
bool rf_rebuff_passes(const struct rf_rebuff *r);

/* Milliseconds until the try after the given number of them. */
int64_t rf_wait_after_rebuff(const struct rf_rebuff *r, int tries);
int64_t rf_wait_to_reach(int tries);

#endif
