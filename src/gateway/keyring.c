#include "gateway/keyring.h"

#include "base/arena.h"
#include "base/secrets.h"
#include "base/sha256.h"

struct rf_keyring_table {
    struct rf_arena *arena; /* of it and its keys */
    atomic_uint users;
    struct rf_client_keys keys;
};

static struct rf_keyring_table *table_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_keyring_table *t = RF_NEW(a, struct rf_keyring_table);
    t->arena = a;
    t->users = 1;
    return t;
}

static void table_drop(struct rf_keyring_table *t)
{
    if (--t->users == 0)
        rf_arena_free(t->arena);
}

void rf_keyring_init(struct rf_keyring *k)
{
    pthread_mutex_init(&k->lock, NULL);
    k->current = table_new();
    k->asks = false;
}

void rf_keyring_release(struct rf_keyring *k)
{
    table_drop(k->current);
    pthread_mutex_destroy(&k->lock);
}

enum rf_code rf_keyring_read(struct rf_keyring *k, struct rf_store *s, struct rf_err *err)
{
    struct rf_keyring_table *next = table_new(), *before = next;
    enum rf_code rc = rf_client_keys_read(s, next->arena, &next->keys, err);
    if (!rc) {
        pthread_mutex_lock(&k->lock);
        before = k->current;
        k->current = next;
        pthread_mutex_unlock(&k->lock);
        if (next->keys.had)
            k->asks = true;
    }
    table_drop(before);
    return rc;
}

/* Finding */

/* Where the digest stands, or the next one after it. How many steps that takes depends on the
 * number of keys alone. What the steps compare is hashes: to learn something of them would not help
 * to find a key. */
static size_t place_of(const struct rf_client_keys *keys, const uint8_t *digest)
{
    size_t at = 0;
    for (size_t left = keys->count; left > 1; left -= left / 2) {
        size_t half = left / 2;
        bool after = memcmp(keys->items[at + half - 1].digest, digest, RF_CLIENT_KEY_DIGEST) < 0;
        at += after ? half : 0;
    }
    return at;
}

static struct rf_str bytes_of(const uint8_t *digest)
{
    return (struct rf_str){ (const char *)digest, RF_CLIENT_KEY_DIGEST };
}

struct rf_key_holder rf_keyring_find(struct rf_keyring *k, struct rf_str sent)
{
    uint8_t digest[RF_CLIENT_KEY_DIGEST];
    if (rf_sha256_of(sent, digest, NULL))
        return (struct rf_key_holder){ 0 };
    return rf_keyring_find_digest(k, digest);
}

struct rf_key_holder rf_keyring_find_digest(struct rf_keyring *k,
                                            const uint8_t digest[RF_CLIENT_KEY_DIGEST])
{
    struct rf_key_holder who = { 0 };
    pthread_mutex_lock(&k->lock);
    who.table = k->current;
    who.table->users++;
    pthread_mutex_unlock(&k->lock);
    const struct rf_client_keys *keys = &who.table->keys;
    const struct rf_client_key *found = keys->count ? &keys->items[place_of(keys, digest)] : NULL;
    if (found && rf_secret_eq(bytes_of(digest), bytes_of(found->digest)))
        who.key = found;
    else
        rf_keyring_drop(&who);
    return who;
}

struct rf_key_holder rf_keyring_hold(const struct rf_key_holder *who)
{
    if (who->table)
        who->table->users++;
    return *who;
}

void rf_keyring_drop(struct rf_key_holder *who)
{
    if (who->table)
        table_drop(who->table);
    *who = (struct rf_key_holder){ 0 };
}
