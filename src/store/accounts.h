/* What the keys of clients may still do, and what they have done: requests are let in, counted and
 * written down, by any number of gateways on one store.
 *
 *     rf_accounts_work(store, instance, &batch, &err);   all that has come up, in one transaction
 *
 * A request that is let in leaves a reservation: that it runs, and what it is expected to take.
 * When it has ended its row in the table of requests takes that place, and what it took is counted
 * with its key. Both are known by the request's id, so doing either twice counts it once. Each key
 * is locked before anything of it is read, so two gateways never let in what only one may.
 *
 * Limits a minute are levels that sink as time passes: N at once, then one more each N-th of a
 * minute. What a budget is exceeded by is what was under way when it was reached. */
#ifndef RF_STORE_ACCOUNTS_H
#define RF_STORE_ACCOUNTS_H

#include "store/store.h"

enum rf_admission {
    RF_ADMISSION_FAILED, /* the store could not be asked */
    RF_ADMISSION_GIVEN,
    RF_ADMISSION_REVOKED,    /* the key, meanwhile */
    RF_ADMISSION_RPM,        /* too many requests in this minute */
    RF_ADMISSION_TPM,        /* too many tokens */
    RF_ADMISSION_CONCURRENT, /* too many at once */
    RF_ADMISSION_SPENT,      /* the budget is */
    RF_ADMISSION_RESERVED,   /* what is left of the budget may go to those that are under way */
};

/* A request that wants to be let in. */
struct rf_reservation {
    const char *request, *key; /* ids */
    int64_t tokens, cost;      /* that it is expected to take; millionths of a dollar */
    /* What comes out. */
    enum rf_admission verdict;
    int64_t retry_after_ms; /* where it was not let in: -1 where waiting does not help */
};

/* One that has ended. Texts are UTF-8 without NUL. */
struct rf_settlement {
    const char *request;
    const char *key, *key_name; /* "" where it had none */
    struct rf_str dialect, asked, provider, model, deliveries;
    int64_t at_ms; /* when it began */
    int64_t status, input_tokens, output_tokens, cost;
    bool estimated; /* tokens and cost are: nobody told them */
    int64_t bytes_in, bytes_out, duration_us, first_byte_us, attempts, heals;
    struct rf_str error;     /* the kind of what went wrong, also after a good status; or empty */
    bool gone;               /* the client, before the end of its reply */
    struct rf_str operation; /* empty: an answer; "count": its tokens; or the path of another */
};

struct rf_accounts_batch {
    const struct rf_settlement **settled;
    size_t settled_count;
    struct rf_reservation **wanted;
    size_t wanted_count;
    int64_t now_ms; /* since 1970 */
};

/* Write down those that have ended, then let in those that may. On a failure nothing was done, or
 * it is unknown what was; the same batch may be tried again. */
RF_MUST enum rf_code rf_accounts_work(struct rf_store *s, const char *instance,
                                      struct rf_accounts_batch *b, struct rf_err *err);

/* A gateway holds the lock of its name for as long as it lives. Fails with RF_ELIMIT where another
 * has it. */
RF_MUST enum rf_code rf_accounts_join(struct rf_store *s, const char *instance, struct rf_err *err);

/* The gateways that have reservations, and do not live: `each` is called for them. */
RF_MUST enum rf_code rf_accounts_dead(struct rf_store *s, const char *self,
                                      void (*each)(void *ctx, const char *instance), void *ctx,
                                      struct rf_err *err);
/* Count what a gateway had under way when it died as what it was expected to take. */
RF_MUST enum rf_code rf_accounts_expire(struct rf_store *s, const char *instance, int64_t now_ms,
                                        struct rf_err *err);

/* What is written of requests that began before: at most so many, the newest first, and those of
 * one millisecond by their ids. The next ones are those before the last of them. Without an id:
 * before all of that millisecond. */
struct rf_accounts_before {
    int64_t at_ms;
    struct rf_str id;
};
RF_MUST enum rf_code rf_accounts_log(struct rf_store *s, const struct rf_accounts_before *before,
                                     int64_t most,
                                     void (*each)(void *ctx, const struct rf_settlement *e),
                                     void *ctx, struct rf_err *err);
/* What is written of one: `each` is called once, or not at all. */
RF_MUST enum rf_code rf_accounts_find(struct rf_store *s, struct rf_str request,
                                      void (*each)(void *ctx, const struct rf_settlement *e),
                                      void *ctx, struct rf_err *err);
/* Delete what is written of requests that began before. */
RF_MUST enum rf_code rf_accounts_forget(struct rf_store *s, int64_t before_ms, struct rf_err *err);

#endif
