/* Office 2007: SHA-1 fifty thousand times, AES-128 or more in ECB mode. */
#include "worker/office/unlock.h"

#include "base/arena.h"
#include "worker/office/cipher.h"
#include "worker/office/cryptoapi.h"

#define SPIN 50000
#define SIZE 8 /* bytes of the package's size, in front of it */

/* Two hashes, of the password's hash over 0x36 and over 0x5c, make the key. */
static struct rf_digest standard_key(const struct rf_cryptoapi *how, struct rf_str password)
{
    struct rf_hasher *sha1 = rf_hasher_new(RF_STR("SHA1"));
    struct rf_digest hash = { 0 }, half = { 0 }, key = { .n = how->key_bytes };
    struct rf_number block = rf_number(0);

    if (!sha1)
        return (struct rf_digest){ 0 };
    rf_hash_spin(sha1, how->salt, password, SPIN, &hash);
    rf_hash(sha1, rf_digest_str(&hash), (struct rf_str){ block.p, sizeof block.p }, &hash);
    for (size_t k = 0; k < 2; k++) {
        char pad[64];
        memset(pad, k ? 0x5c : 0x36, sizeof pad);
        for (size_t i = 0; i < hash.n; i++)
            pad[i] = (char)(pad[i] ^ hash.p[i]);
        rf_hash(sha1, (struct rf_str){ pad, sizeof pad }, RF_STR(""), &half);
        memcpy(key.p + k * half.n, half.p, half.n);
    }
    rf_hasher_free(sha1);
    return key;
}

static bool fits(struct rf_aes *aes, const struct rf_cryptoapi *how)
{
    struct rf_hasher *sha1 = rf_hasher_new(RF_STR("SHA1"));
    struct rf_digest digest = { 0 };
    char verifier[16], hash[32];

    if (sha1 && rf_aes_decrypt(aes, NULL, how->verifier, verifier) &&
        rf_aes_decrypt(aes, NULL, how->verifier_hash, hash))
        rf_hash(sha1, (struct rf_str){ verifier, sizeof verifier }, RF_STR(""), &digest);
    rf_hasher_free(sha1);
    return rf_digest_is(&digest, (struct rf_str){ hash, sizeof hash });
}

static enum rf_code unlock_standard(const struct rf_locked_package *l, struct rf_str *out,
                                    struct rf_err *err)
{
    struct rf_cryptoapi how;

    if (!rf_cryptoapi_read(l->info, &how) || how.algorithm != RF_CRYPTOAPI_AES)
        return rf_locked(RF_LOCK_FOREIGN, err);
    if (!l->password.p)
        return rf_locked(RF_LOCK_CLOSED, err);
    struct rf_digest key = standard_key(&how, l->password);
    struct rf_aes *aes = rf_aes_new(RF_AES_ECB, rf_digest_str(&key));
    enum rf_code rc = aes && fits(aes, &how) ? RF_OK : rf_locked(RF_LOCK_WRONG, err);
    if (!rc) {
        struct rf_str body = rf_at(l->package, SIZE, l->package.n);
        char *p = rf_arena_alloc(l->arena, body.n + 1);
        *out = (struct rf_str){ p, rf_aes_decrypt(aes, NULL, body, p) };
    }
    rf_aes_free(aes);
    return rc;
}

/* What comes after the archive fills the last block. */
static struct rf_str without_filling(struct rf_str package, struct rf_str archive)
{
    uint64_t size = (uint64_t)rf_at32(package, 4) << 32 | rf_at32(package, 0);

    return (struct rf_str){ archive.p, size < archive.n ? (size_t)size : archive.n };
}

static bool read_stream(struct rf_compound *c, const char *name, struct rf_str *out)
{
    return rf_compound_read(c, rf_compound_find(c, RF_COMPOUND_ROOT, name), out);
}

enum rf_code rf_unlock_package(const struct rf_ask *ask, struct rf_compound *c,
                               struct rf_answer *to, struct rf_str *out, struct rf_err *err)
{
    struct rf_str password = rf_ask_str(ask, "password"), archive = { 0 };
    struct rf_locked_package l = { .arena = ask->arena, .to = to };
    enum rf_code rc;

    if (!read_stream(c, "EncryptionInfo", &l.info))
        return rf_locked(RF_LOCK_FOREIGN, err); /* rights that a server gives, for one */
    if (password.n)
        l.password = rf_password_utf16(ask->arena, password);
    if (!read_stream(c, "EncryptedPackage", &l.package) || l.package.n < SIZE)
        return rf_fail(err, RF_EFORMAT, "the document is cut off");
    if (rf_at16(l.info, 0) == 4 && rf_at16(l.info, 2) == 4)
        rc = rf_unlock_agile(&l, &archive, err);
    else
        rc = unlock_standard(&l, &archive, err);
    if (!rc)
        *out = without_filling(l.package, archive);
    return rc;
}
