/* Keys of clients as a gateway reads them: all that are in force, with their hashes and limits.
 *
 * The row "client_keys" of store_meta is a number that grows with every change of them, so that who
 * keeps a copy knows when to read again. What keys have used changes it not. */
#ifndef RF_STORE_CLIENT_KEYS_H
#define RF_STORE_CLIENT_KEYS_H

#include "store/ids.h"
#include "store/store.h"

#include <refract/keys.h>

#define RF_CLIENT_KEY_PREFIX "rfk_"
#define RF_CLIENT_KEY_DIGEST 32

struct rf_client_key {
    uint8_t digest[RF_CLIENT_KEY_DIGEST]; /* SHA-256 of the key */
    const char *id;                       /* what the tables know it by */
    const char *name;
    struct rf_str models;                        /* patterns with commas between them; empty: all */
    int64_t rpm, tpm, concurrent, budget_micros; /* 0: no limit */
    bool admin;
};

/* In the order of their digests. */
struct rf_client_keys {
    struct rf_client_key *items;
    size_t count, cap;
    bool had; /* there are some, or there were */
};

/* 0 until the first key was made. */
RF_MUST enum rf_code rf_client_keys_version(struct rf_store *s, int64_t *out, struct rf_err *err);
RF_MUST enum rf_code rf_client_keys_read(struct rf_store *s, struct rf_arena *a,
                                         struct rf_client_keys *out, struct rf_err *err);

/* May it ask for this model? `asked` is the name in the client's words. Upper case is not lower
 * case here, since it is not where a name is looked up: another model may answer it. */
bool rf_client_key_allows(const struct rf_client_key *k, struct rf_str asked,
                          struct rf_str provider, struct rf_str model);

#endif
