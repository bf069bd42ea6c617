/* What opens documents that need a password: hashes, AES, RC4, and words for those that stay
 * closed. Shared by the families office and legacy.
 *
 *     struct rf_hasher *h = rf_hasher_new("SHA512");
 *     rf_hash(h, salt, password, &digest);
 *     rf_hasher_free(h);
 *
 * A thin layer over libcrypto, which is made ready when first needed: it reads no configuration
 * and loads no module, so that it works inside the sandbox. RC4 is written out here, since
 * libcrypto keeps it in a module. Nothing here encrypts.
 */
#ifndef RF_OFFICE_CIPHER_H
#define RF_OFFICE_CIPHER_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define RF_DIGEST_MAX 64
#define RF_AES_BLOCK 16
#define RF_MAX_SPIN 10000000 /* how often a password is hashed at most, as the standard has it */

struct rf_arena;

/* Fail with RF_EENCRYPTED and a hint. */
enum rf_lock {
    RF_LOCK_CLOSED,  /* there was no password */
    RF_LOCK_WRONG,   /* it was another one */
    RF_LOCK_FOREIGN, /* encrypted in a way that is not known here */
};
enum rf_code rf_locked(enum rf_lock why, struct rf_err *err);

/* Hashes. */

struct rf_digest {
    unsigned char p[RF_DIGEST_MAX];
    size_t n;
};

struct rf_hasher;

/* "MD5", "SHA1", "SHA256", "SHA384", "SHA512"; with a dash or in small letters too. NULL for
 * others. */
struct rf_hasher *rf_hasher_new(struct rf_str name);
void rf_hasher_free(struct rf_hasher *h); /* takes NULL */
size_t rf_hasher_size(const struct rf_hasher *h);
/* Of both, one after the other. `out` may be what `second` is. */
void rf_hash(struct rf_hasher *h, struct rf_str first, struct rf_str second, struct rf_digest *out);
/* Of salt and password, then `count` times of a counter and the hash before it. */
void rf_hash_spin(struct rf_hasher *h, struct rf_str salt, struct rf_str password, uint32_t count,
                  struct rf_digest *out);
void rf_hash_hmac(struct rf_hasher *h, struct rf_str key, struct rf_str bytes,
                  struct rf_digest *out);

static inline struct rf_str rf_digest_str(const struct rf_digest *d)
{
    return (struct rf_str){ (const char *)d->p, d->n };
}

/* Is `d` what `bytes` begin with? */
static inline bool rf_digest_is(const struct rf_digest *d, struct rf_str bytes)
{
    return d->n && bytes.n >= d->n && memcmp(bytes.p, d->p, d->n) == 0;
}

/* A number in four bytes, the low one first, as it goes into hashes. */
struct rf_number {
    char p[4];
};
static inline struct rf_number rf_number(uint32_t n)
{
    return (struct rf_number){ { (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24) } };
}

/* A key by PBKDF2 with SHA-1; false where the sizes make no sense. */
bool rf_pbkdf2(struct rf_str password, struct rf_str salt, uint32_t count, size_t size,
               struct rf_digest *out);

/* AES, without padding. */

struct rf_aes;

enum rf_aes_mode { RF_AES_CBC, RF_AES_ECB };

/* NULL for a key that has not 16, 24 or 32 bytes. */
struct rf_aes *rf_aes_new(enum rf_aes_mode mode, struct rf_str key);
void rf_aes_free(struct rf_aes *aes); /* takes NULL */
/* As many whole blocks as there are in `bytes`; returns their bytes, 0 where it failed. `start`
 * has RF_AES_BLOCK bytes, and is not looked at for ECB. */
size_t rf_aes_decrypt(struct rf_aes *aes, const unsigned char *start, struct rf_str bytes,
                      char *out);

/* RC4. */

struct rf_rc4 {
    unsigned char s[256], i, j;
};
void rf_rc4_start(struct rf_rc4 *r, struct rf_str key);
/* Both ways; `out` may be `in`. */
void rf_rc4_next(struct rf_rc4 *r, const char *in, char *out, size_t n);

/* A password as most formats hash it; what is not UTF-8 in it is U+FFFD. In the arena. */
struct rf_str rf_password_utf16(struct rf_arena *a, struct rf_str password);

#endif
