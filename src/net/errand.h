/* A key or a token that takes its time: fetched once for all who wait for it, which are told of it
 * by the loop of their net, never inside a call of theirs.
 *
 * Who fetches (key_command.c, google_token.c) has a struct rf_errand inside; who waits, a struct
 * rf_waiter. When the last one leaves, the errand is stopped. */
#ifndef RF_NET_ERRAND_H
#define RF_NET_ERRAND_H

#include "base/error.h"
#include "base/str.h"

struct rf_net;

struct rf_errand {
    struct rf_net *net;
    struct rf_errand *next, **at; /* all of the net; who points here. at is NULL: none does */
    struct rf_str name;           /* what is fetched, and how: who waits for the same shares it */
    struct rf_waiter *waiters;
    void (*stop)(struct rf_errand *e); /* nobody waits any more: end it, and free it */
};

struct rf_waiter {
    /* `secret` lives until it returns; `err` says why there is none. */
    void (*got)(void *ctx, enum rf_code rc, struct rf_str secret, const struct rf_err *err);
    void *ctx;
    struct rf_errand *errand; /* NULL: it does not wait */
    struct rf_waiter *next, **at;
};

/* The errand of that name that is on its way; or NULL. */
struct rf_errand *rf_errand_find(const struct rf_net *n, struct rf_str name);
/* From now on it can be found. */
void rf_errand_add(struct rf_net *n, struct rf_errand *e);
/* It cannot be found any more, and all who waited are told. It still has to be freed. */
void rf_errand_end(struct rf_errand *e, enum rf_code rc, struct rf_str secret,
                   const struct rf_err *err);
/* Stop it, and tell nobody. */
void rf_errand_abandon(struct rf_errand *e);

void rf_waiter_join(struct rf_waiter *w, struct rf_errand *e);
void rf_waiter_leave(struct rf_waiter *w); /* also one that does not wait */

#endif
