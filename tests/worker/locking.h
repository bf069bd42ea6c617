/* Documents that are encrypted by a test, with libcrypto and by the book: [MS-OFFCRYPTO], and part
 * 3 of OpenDocument. RC4 is written out once more, so that the worker's is checked against another.
 *
 *     struct rf_str doc = lock_agile(a, archive, &(struct agile){ "SHA512", 256, 1000, "secret" });
 */
#ifndef TESTS_WORKER_LOCKING_H
#define TESTS_WORKER_LOCKING_H

#include "asking.h"
#include "base/base64.h"
#include "packing.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define SALT "0123456789abcdef"
#define OTHER_SALT "fedcba9876543210"
#define PLAIN_VERIFIER "sixteen bytes!!!"

static inline struct rf_str front(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p, n < s.n ? n : s.n };
}

static inline struct rf_str number(struct rf_arena *a, uint32_t n)
{
    struct rf_buf b;
    rf_buf_init(&b, a, 4);
    put32(&b, n);
    return packed(&b);
}

/* ASCII as UTF-16. */
static inline struct rf_str wide(struct rf_arena *a, const char *text)
{
    struct rf_buf b;
    rf_buf_init(&b, a, 4096);
    for (; *text; text++)
        put16(&b, (unsigned char)*text);
    return packed(&b);
}

static inline struct rf_str hash_of(struct rf_arena *a, const char *name, struct rf_str first,
                                    struct rf_str second)
{
    struct rf_str both = rf_str_join(a, first, second);
    unsigned char *out = rf_arena_alloc(a, EVP_MAX_MD_SIZE);
    size_t n = 0;
    assert_true(EVP_Q_digest(NULL, name, NULL, both.p, both.n, out, &n));
    return (struct rf_str){ (char *)out, n };
}

static inline struct rf_str spun(struct rf_arena *a, const char *name, struct rf_str password,
                                 uint32_t count)
{
    struct rf_str hash = hash_of(a, name, RF_STR(SALT), password);
    for (uint32_t i = 0; i < count; i++)
        hash = hash_of(a, name, number(a, i), hash);
    return hash;
}

/* Cut, or filled with `fill`. */
static inline struct rf_str fitted(struct rf_arena *a, struct rf_str s, size_t n, int fill)
{
    char *out = rf_arena_alloc(a, n + 1);
    memset(out, fill, n);
    memcpy(out, s.p, s.n < n ? s.n : n);
    return (struct rf_str){ out, n };
}

/* Filled with zeros to whole blocks; ECB where there is no `from`. */
static inline struct rf_str aes(struct rf_arena *a, struct rf_str key, struct rf_str from,
                                struct rf_str plain)
{
    struct rf_str name = rf_strf(a, "AES-%zu-%s", key.n * 8, from.n ? "CBC" : "ECB");
    struct rf_str in = fitted(a, plain, (plain.n + 15) / 16 * 16, 0);
    EVP_CIPHER *kind = EVP_CIPHER_fetch(NULL, name.p, NULL);
    EVP_CIPHER_CTX *state = EVP_CIPHER_CTX_new();
    unsigned char *out = rf_arena_alloc(a, in.n + 16);
    int n = 0;
    assert_true(EVP_EncryptInit_ex2(state, kind, (const unsigned char *)key.p,
                                    from.n ? (const unsigned char *)from.p : NULL, NULL));
    EVP_CIPHER_CTX_set_padding(state, 0);
    assert_true(EVP_EncryptUpdate(state, out, &n, (const unsigned char *)in.p, (int)in.n));
    EVP_CIPHER_CTX_free(state);
    EVP_CIPHER_free(kind);
    return (struct rf_str){ (char *)out, (size_t)n };
}

static inline struct rf_str base64_of(struct rf_arena *a, struct rf_str s)
{
    char *out = rf_arena_alloc(a, rf_base64_length(s.n) + 1);
    return (struct rf_str){ out, rf_base64_encode(s.p, s.n, out) };
}

/* Office Open XML. */

struct agile {
    const char *hash;
    size_t bits;
    uint32_t spin;
    const char *password;
    const char *chaining; /* NULL: the usual one */
    bool changed;         /* a byte of the package, afterwards */
};

static inline struct rf_str agile_field(struct rf_arena *a, const struct agile *how,
                                        struct rf_str hash, struct rf_str purpose,
                                        struct rf_str plain)
{
    struct rf_str key = fitted(a, hash_of(a, how->hash, hash, purpose), how->bits / 8, 0x36);
    return base64_of(a, aes(a, key, RF_STR(SALT), plain));
}

/* The package's key is that many bytes of 'k'; a key of 'h' signs it. */
static inline struct rf_str agile_info(struct rf_arena *a, const struct agile *how,
                                       struct rf_str package)
{
    unsigned char signature[EVP_MAX_MD_SIZE];
    unsigned signed_n = 0;
    struct rf_str hash = spun(a, how->hash, wide(a, how->password), how->spin);
    struct rf_str key = fitted(a, RF_STR(""), how->bits / 8, 'k'), salt = RF_STR(OTHER_SALT);
    struct rf_str secret = fitted(a, RF_STR(""), hash.n, 'h');
    struct rf_str kind =
        rf_strf(a,
                "saltSize=\"16\" blockSize=\"16\" keyBits=\"%zu\" hashSize=\"%zu\" "
                "cipherAlgorithm=\"AES\" cipherChaining=\"%s\" hashAlgorithm=\"%s\"",
                how->bits, hash.n, how->chaining ? how->chaining : "ChainingModeCBC", how->hash);
    EVP_MD *md = EVP_MD_fetch(NULL, how->hash, NULL);
    HMAC(md, secret.p, (int)secret.n, (const unsigned char *)package.p, package.n, signature,
         &signed_n);
    EVP_MD_free(md);
    struct rf_str from[] = {
        hash_of(a, how->hash, salt, RF_STR("\x5f\xb2\xad\x01\x0c\xb9\xe1\xf6")),
        hash_of(a, how->hash, salt, RF_STR("\xa0\x67\x7f\x02\xb2\x2c\x84\x33"))
    };
    struct rf_str fields[] = {
        base64_of(a, salt),
        base64_of(a, aes(a, key, front(from[0], 16), secret)),
        base64_of(a,
                  aes(a, key, front(from[1], 16), (struct rf_str){ (char *)signature, signed_n })),
        base64_of(a, RF_STR(SALT)),
        agile_field(a, how, hash, RF_STR("\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79"),
                    RF_STR(PLAIN_VERIFIER)),
        agile_field(a, how, hash, RF_STR("\xd7\xaa\x0f\x6d\x30\x61\x34\x4e"),
                    hash_of(a, how->hash, RF_STR(PLAIN_VERIFIER), RF_STR(""))),
        agile_field(a, how, hash, RF_STR("\x14\x6e\x0b\xe7\xab\xac\xd0\xd6"), key),
    };
    struct rf_str xml = rf_strf(
        a,
        "<?xml version=\"1.0\"?><encryption xmlns=\"e\" xmlns:p=\"p\"><keyData %s "
        "saltValue=\"%.*s\"/><dataIntegrity encryptedHmacKey=\"%.*s\" encryptedHmacValue=\"%.*s\"/>"
        "<keyEncryptors><keyEncryptor><p:encryptedKey spinCount=\"%u\" %s saltValue=\"%.*s\" "
        "encryptedVerifierHashInput=\"%.*s\" encryptedVerifierHashValue=\"%.*s\" "
        "encryptedKeyValue=\"%.*s\"/></keyEncryptor></keyEncryptors></encryption>",
        kind.p, RF_FMT(fields[0]), RF_FMT(fields[1]), RF_FMT(fields[2]), how->spin, kind.p,
        RF_FMT(fields[3]), RF_FMT(fields[4]), RF_FMT(fields[5]), RF_FMT(fields[6]));
    return rf_str_join(a, RF_STR("\4\0\4\0\x40\0\0\0"), xml);
}

static inline struct rf_str agile_package(struct rf_arena *a, const struct agile *how,
                                          struct rf_str archive)
{
    struct rf_str key = fitted(a, RF_STR(""), how->bits / 8, 'k');
    struct rf_buf b;
    rf_buf_init(&b, a, (size_t)1 << 20);
    put32(&b, (uint32_t)archive.n);
    put32(&b, 0);
    for (uint32_t i = 0; (size_t)i * 4096 < archive.n; i++) {
        struct rf_str from = hash_of(a, how->hash, RF_STR(OTHER_SALT), number(a, i));
        struct rf_str rest = { archive.p + (size_t)i * 4096, archive.n - (size_t)i * 4096 };
        rf_buf_add(&b, aes(a, key, front(from, 16), front(rest, 4096)));
    }
    return packed(&b);
}

static inline struct rf_str lock_agile(struct rf_arena *a, struct rf_str archive,
                                       const struct agile *how)
{
    struct rf_str package = agile_package(a, how, archive);
    struct rf_str info = agile_info(a, how, package);
    if (how->changed)
        ((char *)(uintptr_t)package.p)[0]--; /* it says that the archive is shorter */
    return ole_of(
        a, (const struct member[]){ { "EncryptionInfo", info }, { "EncryptedPackage", package } },
        2);
}

/* What Windows' CryptoAPI says about it: for RC4 and for AES. */
static inline struct rf_str cryptoapi_info(struct rf_arena *a, uint32_t algorithm, uint32_t bits,
                                           struct rf_str verifier, struct rf_str hash)
{
    struct rf_buf b;
    rf_buf_init(&b, a, 4096);
    put16(&b, 4);
    put16(&b, 2);
    put32(&b, 0x24);
    put32(&b, 36);
    put32(&b, 0x24);
    put32(&b, 0);
    put32(&b, algorithm);
    put32(&b, 0x8004);
    put32(&b, bits);
    put32(&b, 0x18);
    put_zeros(&b, 8);
    rf_buf_add(&b, RF_STR("X\0\0\0")); /* the name of who did it */
    put32(&b, 16);
    rf_buf_add(&b, RF_STR(SALT));
    rf_buf_add(&b, verifier);
    put32(&b, 20);
    rf_buf_add(&b, hash);
    return packed(&b);
}

static inline struct rf_str standard_key(struct rf_arena *a, const char *password, size_t bits)
{
    struct rf_str hash = spun(a, "SHA1", wide(a, password), 50000), half[2];
    hash = hash_of(a, "SHA1", hash, number(a, 0));
    for (int k = 0; k < 2; k++) {
        int fill = k ? 0x5c : 0x36;
        struct rf_str pad = fitted(a, RF_STR(""), 64, fill);
        for (size_t i = 0; i < hash.n; i++)
            ((char *)(uintptr_t)pad.p)[i] = (char)(fill ^ hash.p[i]);
        half[k] = hash_of(a, "SHA1", pad, RF_STR(""));
    }
    return front(rf_str_join(a, half[0], half[1]), bits / 8);
}

static inline struct rf_str lock_standard(struct rf_arena *a, struct rf_str archive,
                                          const char *password, uint32_t bits)
{
    struct rf_str key = standard_key(a, password, bits), none = RF_STR("");
    struct rf_str verifier = aes(a, key, none, RF_STR(PLAIN_VERIFIER));
    struct rf_str hash = aes(a, key, none, hash_of(a, "SHA1", RF_STR(PLAIN_VERIFIER), none));
    struct rf_str size = rf_str_join(a, number(a, (uint32_t)archive.n), number(a, 0));
    struct member streams[] = {
        { "EncryptionInfo",
          cryptoapi_info(a, bits == 128 ? 0x660e : 0x6610, bits, verifier, hash) },
        { "EncryptedPackage", rf_str_join(a, size, aes(a, key, none, archive)) },
    };
    return ole_of(a, streams, 2);
}

/* RC4. */

enum rc4_kind { RC4_97, RC4_40, RC4_128 };

static inline struct rf_str rc4(struct rf_arena *a, struct rf_str key, struct rf_str bytes)
{
    unsigned s[256], j = 0;
    char *out = rf_arena_alloc(a, bytes.n + 1);
    for (unsigned i = 0; i < 256; i++)
        s[i] = i;
    for (unsigned i = 0; i < 256; i++) {
        j = (j + s[i] + (unsigned char)key.p[i % key.n]) % 256;
        unsigned was = s[i];
        s[i] = s[j], s[j] = was;
    }
    j = 0;
    for (size_t n = 0; n < bytes.n; n++) {
        unsigned i = (unsigned)(n + 1) % 256, was = s[i];
        j = (j + was) % 256;
        s[i] = s[j], s[j] = was;
        out[n] = (char)((unsigned char)bytes.p[n] ^ s[(s[i] + s[j]) % 256]);
    }
    return (struct rf_str){ out, bytes.n };
}

static inline struct rf_str rc4_key(struct rf_arena *a, enum rc4_kind kind, const char *password,
                                    uint32_t block)
{
    if (kind != RC4_97) {
        struct rf_str hash = hash_of(a, "SHA1", RF_STR(SALT), wide(a, password));
        hash = hash_of(a, "SHA1", hash, number(a, block));
        return kind == RC4_128 ? front(hash, 16) : fitted(a, front(hash, 5), 16, 0);
    }
    struct rf_str hash = front(hash_of(a, "MD5", wide(a, password), RF_STR("")), 5), mixed = { 0 };
    for (int i = 0; i < 16; i++)
        mixed = rf_str_join(a, mixed, rf_str_join(a, hash, RF_STR(SALT)));
    hash = front(hash_of(a, "MD5", mixed, RF_STR("")), 5);
    return hash_of(a, "MD5", hash, number(a, block));
}

static inline struct rf_str rc4_info(struct rf_arena *a, enum rc4_kind kind, const char *password)
{
    struct rf_str hash =
        hash_of(a, kind == RC4_97 ? "MD5" : "SHA1", RF_STR(PLAIN_VERIFIER), RF_STR(""));
    struct rf_str both =
        rc4(a, rc4_key(a, kind, password, 0), rf_str_join(a, RF_STR(PLAIN_VERIFIER), hash));
    if (kind == RC4_97)
        return rf_str_join(a, RF_STR("\1\0\1\0" SALT), both);
    return cryptoapi_info(a, 0x6801, kind == RC4_40 ? 40 : 128, front(both, 16),
                          (struct rf_str){ both.p + 16, both.n - 16 });
}

/* A stream in blocks, each with its own key. */
static inline struct rf_str rc4_stream(struct rf_arena *a, enum rc4_kind kind, const char *password,
                                       size_t block, struct rf_str plain)
{
    struct rf_buf b;
    rf_buf_init(&b, a, (size_t)1 << 20);
    for (size_t at = 0; at < plain.n; at += block)
        rf_buf_add(&b, rc4(a, rc4_key(a, kind, password, (uint32_t)(at / block)),
                           front((struct rf_str){ plain.p + at, plain.n - at }, block)));
    return packed(&b);
}

#endif
