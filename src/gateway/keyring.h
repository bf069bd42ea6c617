/* The keys of clients, in memory: who sends this one?
 *
 *     struct rf_key_holder who = rf_keyring_find(&keyring, sent);   at the head of a request
 *     if (!who.key) …                                               nobody's
 *     rf_keyring_drop(&who);                                        at its end
 *
 * A table does not change. Where the store has other keys by now, the ledger's thread puts another
 * table in its place, so no loop ever waits for a database; what is under way keeps its own. */
#ifndef RF_GATEWAY_KEYRING_H
#define RF_GATEWAY_KEYRING_H

#include "store/client_keys.h"

#include <pthread.h>
#include <stdatomic.h>

struct rf_keyring_table;

struct rf_keyring {
    pthread_mutex_t lock;
    struct rf_keyring_table *current;
    atomic_bool asks; /* a request needs a key */
};

/* Empty, and it asks for none. */
void rf_keyring_init(struct rf_keyring *k);
void rf_keyring_release(struct rf_keyring *k);

/* From now on these are the keys: those that the store has. Fails as reading them does, and
 * nothing has changed then. */
RF_MUST enum rf_code rf_keyring_read(struct rf_keyring *k, struct rf_store *s, struct rf_err *err);

/* A client that was let in. */
struct rf_key_holder {
    const struct rf_client_key *key; /* NULL: nobody */
    struct rf_keyring_table *table;  /* that it is in, and which is there as long as it is held */
};

/* A key that nobody has and one that was revoked take the same way as one that is in force: a hash,
 * as many steps as the number of keys asks for, one comparison of all bytes. */
struct rf_key_holder rf_keyring_find(struct rf_keyring *k, struct rf_str sent);
/* The same by its hash. */
struct rf_key_holder rf_keyring_find_digest(struct rf_keyring *k,
                                            const uint8_t digest[RF_CLIENT_KEY_DIGEST]);
/* Of somebody who holds it as long; nobody's is nobody. */
struct rf_key_holder rf_keyring_hold(const struct rf_key_holder *who);
/* Takes nobody, too. */
void rf_keyring_drop(struct rf_key_holder *who);

#endif
