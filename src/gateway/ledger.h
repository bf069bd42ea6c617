/* The gateway's only way to its store: a thread with a connection of its own, so that no loop waits
 * for a database.
 *
 *     rf_ledger_admit(l, &wish, &mailbox);   may this request begin? the answer comes to the loop
 *     rf_ledger_settle(l, &settlement);      it has ended
 *
 * What has come up while a transaction ran is done in the next one, all together. The thread also
 * sees to it that the keyring has the keys that the store has, within a second or so; counts what
 * other gateways had under way when they died; and deletes what is old in the log of requests.
 *
 * The configuration in force says for how long; the store stays the one that was first opened.
 *
 * Where the store is a folder in which nothing was ever kept, nothing is made there: it is looked
 * for now and then. While a store cannot be reached keys stay as they were, requests of those that
 * have limits are not let in, and what has ended is kept in memory, up to a limit. */
#ifndef RF_GATEWAY_LEDGER_H
#define RF_GATEWAY_LEDGER_H

#include "gateway/keyring.h"
#include "gateway/pool.h"
#include "gateway/setup.h"
#include "store/accounts.h"

/* A request that waits to be let in: its exchange's, and the ledger's until it comes back. */
struct rf_ledger_wish {
    struct rf_reservation what; /* with the answer, when `job.done` is called */
    struct rf_pool_job job;     /* `done` and `ctx` are the exchange's */
    struct rf_ledger_wish *next;
};

/* Another gateway that seems to have died; it may only have lost its connection. */
#define RF_LEDGER_SUSPECTS 16
struct rf_ledger_suspect {
    char instance[RF_MARK_SIZE];
    int64_t since_ms; /* on rf_now_ms's clock */
    bool seen;        /* by the last look */
};

struct rf_ledger {
    struct rf_setups *setups; /* the one in force says what is kept, and where until it is open */
    struct rf_keyring keyring;
    char instance[RF_MARK_SIZE]; /* what other gateways know this one by */
    char *address;               /* of the store, as it was said when this began */
    /* The thread's. */
    struct rf_store *store; /* NULL: there is none yet */
    int64_t version;        /* of the keys in the keyring */
    int64_t looked_ms, forgot_ms;
    struct rf_ledger_suspect suspects[RF_LEDGER_SUSPECTS];
    size_t suspect_count;
    /* Of all threads, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct rf_ledger_wish *wishes, **last_wish;
    struct rf_ledger_entry *entries, **last_entry; /* that have ended */
    size_t waiting;                                /* bytes of them */
    bool ending;
    pthread_t thread;
};

/* Read the keys, and see to them from then on. Fails where there is a store that cannot be opened
 * or read, since it may have keys; and with RF_EIO. */
RF_MUST enum rf_code rf_ledger_open(struct rf_ledger *l, struct rf_setups *setups,
                                    struct rf_err *err);
/* No wish comes any more: those that are there have been answered when this returns. */
void rf_ledger_stop(struct rf_ledger *l);
/* Once it was stopped: what has ended since is written too. */
void rf_ledger_close(struct rf_ledger *l);

/* Is there to be a log of requests? */
bool rf_ledger_logs(const struct rf_config *c);

void rf_ledger_admit(struct rf_ledger *l, struct rf_ledger_wish *w, struct rf_mailbox *to);
/* It is copied. */
void rf_ledger_settle(struct rf_ledger *l, const struct rf_settlement *s);

#endif
