#include "worker/legacy/lock.h"

#include "base/arena.h"
#include "worker/legacy/compound.h"
#include "worker/office/cryptoapi.h"

#define SHORT_KEY 5 /* bytes, all that could once be exported */
#define REPEATS 16
#define SALT 16

void rf_lock_start(const struct rf_rc4_lock *lock, uint32_t block, struct rf_rc4 *out)
{
    struct rf_number number = rf_number(block);
    struct rf_digest key;

    rf_hash(lock->hasher, rf_digest_str(&lock->base), (struct rf_str){ number.p, sizeof number.p },
            &key);
    if (lock->key_bytes == SHORT_KEY) { /* a short key is filled with zeros, and is no shorter */
        memset(key.p + SHORT_KEY, 0, 16 - SHORT_KEY);
        key.n = 16;
    } else {
        key.n = lock->key_bytes;
    }
    rf_rc4_start(out, rf_digest_str(&key));
}

char *rf_lock_decrypt(const struct rf_rc4_lock *lock, struct rf_str stream, size_t block_bytes,
                      struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, stream.n + 1);
    struct rf_rc4 rc4;

    for (uint32_t i = 0; (size_t)i * block_bytes < stream.n; i++) {
        size_t at = (size_t)i * block_bytes;
        rf_lock_start(lock, i, &rc4);
        rf_rc4_next(&rc4, stream.p + at, out + at, rf_at(stream, at, block_bytes).n);
    }
    return out;
}

/* Does block 0 turn the verifier and its hash into a pair? */
static bool fits(const struct rf_rc4_lock *lock, struct rf_str verifier, struct rf_str hash)
{
    char plain[16], want[RF_DIGEST_MAX];
    struct rf_digest digest;
    struct rf_rc4 rc4;

    rf_lock_start(lock, 0, &rc4);
    rf_rc4_next(&rc4, verifier.p, plain, sizeof plain);
    rf_rc4_next(&rc4, hash.p, want, hash.n);
    rf_hash(lock->hasher, (struct rf_str){ plain, sizeof plain }, RF_STR(""), &digest);
    return rf_digest_is(&digest, (struct rf_str){ want, hash.n });
}

/* Office 97: MD5 of the password, cut, then sixteen times with the salt. */
static void make_base_97(struct rf_rc4_lock *lock, struct rf_str salt, struct rf_str password)
{
    char mixed[REPEATS * (SHORT_KEY + SALT)];
    struct rf_digest hash;

    rf_hash(lock->hasher, password, RF_STR(""), &hash);
    for (size_t i = 0; i < REPEATS; i++) {
        memcpy(mixed + i * (SHORT_KEY + SALT), hash.p, SHORT_KEY);
        memcpy(mixed + i * (SHORT_KEY + SALT) + SHORT_KEY, salt.p, SALT);
    }
    rf_hash(lock->hasher, (struct rf_str){ mixed, sizeof mixed }, RF_STR(""), &lock->base);
    lock->base.n = SHORT_KEY;
    lock->key_bytes = 16;
}

static bool open_97(struct rf_rc4_lock *lock, struct rf_str info, struct rf_str password)
{
    make_base_97(lock, rf_at(info, 4, SALT), password);
    return fits(lock, rf_at(info, 4 + SALT, 16), rf_at(info, 4 + SALT + 16, 16));
}

static bool open_cryptoapi(struct rf_rc4_lock *lock, const struct rf_cryptoapi *how,
                           struct rf_str password)
{
    rf_hash(lock->hasher, how->salt, password, &lock->base);
    lock->key_bytes = how->key_bytes;
    return fits(lock, how->verifier, how->verifier_hash);
}

enum rf_code rf_lock_open(struct rf_rc4_lock *lock, struct rf_str info, struct rf_str password,
                          struct rf_arena *a, struct rf_err *err)
{
    bool is_97 = rf_at16(info, 0) == 1 && rf_at16(info, 2) == 1 && info.n >= 4 + SALT + 16 + 16;
    struct rf_cryptoapi how = { 0 };

    *lock = (struct rf_rc4_lock){ 0 };
    if (!is_97 && (!rf_cryptoapi_read(info, &how) || how.algorithm != RF_CRYPTOAPI_RC4))
        return rf_locked(RF_LOCK_FOREIGN, err);
    if (!password.n)
        return rf_locked(RF_LOCK_CLOSED, err);
    lock->hasher = rf_hasher_new(is_97 ? RF_STR("MD5") : RF_STR("SHA1"));
    if (!lock->hasher)
        return rf_locked(RF_LOCK_FOREIGN, err);
    password = rf_password_utf16(a, password);
    if (is_97 ? open_97(lock, info, password) : open_cryptoapi(lock, &how, password))
        return RF_OK;
    rf_lock_close(lock);
    return rf_locked(RF_LOCK_WRONG, err);
}

void rf_lock_close(struct rf_rc4_lock *lock)
{
    rf_hasher_free(lock->hasher);
    lock->hasher = NULL;
}
