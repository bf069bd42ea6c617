#include "worker/office/cipher.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "media/protocol.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

#define PIECE ((size_t)1 << 20) /* bytes that libcrypto, which counts in int, is given at a time */

enum rf_code rf_locked(enum rf_lock why, struct rf_err *err)
{
    static const char *const words[] = {
        [RF_LOCK_CLOSED] = "the document is encrypted",
        [RF_LOCK_WRONG] = "the password does not open the document",
        [RF_LOCK_FOREIGN] = "the document is encrypted in a way that is not supported",
    };

    rf_fail(err, RF_EENCRYPTED, "%s", words[why]);
    rf_hint(err, "%s",
            why == RF_LOCK_FOREIGN
                ? "Open it in its program, save it without a password, and read that file."
                : RF_WORKER_WANTS_PASSWORD);
    return RF_EENCRYPTED;
}

static void must(bool done)
{
    if (!done)
        RF_BUG("libcrypto failed");
}

/* Hashes. */

struct rf_hasher {
    EVP_MD *kind;
    EVP_MD_CTX *state;
};

static const char *known_name(struct rf_str name)
{
    static const struct {
        const char *name, *other;
    } names[] = {
        { "MD5", "MD-5" },       { "SHA1", "SHA-1" },     { "SHA256", "SHA-256" },
        { "SHA384", "SHA-384" }, { "SHA512", "SHA-512" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rf_str_ieq(name, rf_str(names[i].name)) || rf_str_ieq(name, rf_str(names[i].other)))
            return names[i].name;
    return NULL;
}

struct rf_hasher *rf_hasher_new(struct rf_str name)
{
    const char *known = known_name(name);

    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    EVP_MD *kind = known ? EVP_MD_fetch(NULL, known, NULL) : NULL;
    if (!kind)
        return NULL;
    struct rf_hasher *h = malloc(sizeof *h);
    if (!h)
        RF_BUG("out of memory");
    *h = (struct rf_hasher){ kind, EVP_MD_CTX_new() };
    must(h->state != NULL);
    return h;
}

void rf_hasher_free(struct rf_hasher *h)
{
    if (!h)
        return;
    EVP_MD_CTX_free(h->state);
    EVP_MD_free(h->kind);
    free(h);
}

size_t rf_hasher_size(const struct rf_hasher *h)
{
    return (size_t)EVP_MD_get_size(h->kind);
}

void rf_hash(struct rf_hasher *h, struct rf_str first, struct rf_str second, struct rf_digest *out)
{
    unsigned n = 0;

    must(EVP_DigestInit_ex2(h->state, h->kind, NULL) &&
         EVP_DigestUpdate(h->state, first.p, first.n) &&
         EVP_DigestUpdate(h->state, second.p, second.n) &&
         EVP_DigestFinal_ex(h->state, out->p, &n));
    out->n = n;
}

void rf_hash_spin(struct rf_hasher *h, struct rf_str salt, struct rf_str password, uint32_t count,
                  struct rf_digest *out)
{
    rf_hash(h, salt, password, out);
    for (uint32_t i = 0; i < count; i++) {
        struct rf_number number = rf_number(i);
        rf_hash(h, (struct rf_str){ number.p, sizeof number.p }, rf_digest_str(out), out);
    }
}

void rf_hash_hmac(struct rf_hasher *h, struct rf_str key, struct rf_str bytes,
                  struct rf_digest *out)
{
    unsigned n = 0;

    must(key.n <= INT32_MAX &&
         HMAC(h->kind, key.p, (int)key.n, (const unsigned char *)bytes.p, bytes.n, out->p, &n));
    out->n = n;
}

bool rf_pbkdf2(struct rf_str password, struct rf_str salt, uint32_t count, size_t size,
               struct rf_digest *out)
{
    struct rf_hasher *sha1 = rf_hasher_new(RF_STR("SHA1"));
    bool done = sha1 && size > 0 && size <= sizeof out->p && count > 0 && count <= RF_MAX_SPIN &&
                password.n <= INT32_MAX && salt.n <= INT32_MAX &&
                PKCS5_PBKDF2_HMAC(password.p, (int)password.n, (const unsigned char *)salt.p,
                                  (int)salt.n, (int)count, sha1->kind, (int)size, out->p);

    rf_hasher_free(sha1);
    out->n = done ? size : 0;
    return done;
}

/* AES. */

struct rf_aes {
    EVP_CIPHER_CTX *state;
};

static const char *aes_name(enum rf_aes_mode mode, size_t key_bytes)
{
    static const char *const names[][2] = {
        { "AES-128-CBC", "AES-128-ECB" },
        { "AES-192-CBC", "AES-192-ECB" },
        { "AES-256-CBC", "AES-256-ECB" },
    };

    if (key_bytes != 16 && key_bytes != 24 && key_bytes != 32)
        return NULL;
    return names[key_bytes / 8 - 2][mode];
}

struct rf_aes *rf_aes_new(enum rf_aes_mode mode, struct rf_str key)
{
    static const unsigned char zeros[RF_AES_BLOCK];
    const char *name = aes_name(mode, key.n);

    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    EVP_CIPHER *kind = name ? EVP_CIPHER_fetch(NULL, name, NULL) : NULL;
    if (!kind)
        return NULL;
    struct rf_aes *aes = malloc(sizeof *aes);
    if (!aes)
        RF_BUG("out of memory");
    aes->state = EVP_CIPHER_CTX_new();
    must(aes->state && EVP_DecryptInit_ex2(aes->state, kind, (const unsigned char *)key.p,
                                           mode == RF_AES_CBC ? zeros : NULL, NULL));
    EVP_CIPHER_CTX_set_padding(aes->state, 0);
    EVP_CIPHER_free(kind);
    return aes;
}

void rf_aes_free(struct rf_aes *aes)
{
    if (!aes)
        return;
    EVP_CIPHER_CTX_free(aes->state);
    free(aes);
}

size_t rf_aes_decrypt(struct rf_aes *aes, const unsigned char *start, struct rf_str bytes,
                      char *out)
{
    size_t whole = bytes.n / RF_AES_BLOCK * RF_AES_BLOCK;

    if (!EVP_DecryptInit_ex2(aes->state, NULL, NULL, start, NULL))
        return 0;
    for (size_t at = 0; at < whole;) {
        size_t step = whole - at < PIECE ? whole - at : PIECE;
        int n = 0;
        if (!EVP_DecryptUpdate(aes->state, (unsigned char *)out + at, &n,
                               (const unsigned char *)bytes.p + at, (int)step) ||
            n != (int)step)
            return 0;
        at += step;
    }
    return whole;
}

/* RC4. */

void rf_rc4_start(struct rf_rc4 *r, struct rf_str key)
{
    unsigned char j = 0;

    r->i = r->j = 0;
    for (unsigned i = 0; i < 256; i++)
        r->s[i] = (unsigned char)i;
    for (unsigned i = 0; i < 256 && key.n; i++) {
        unsigned char was = r->s[i];
        j = (unsigned char)(j + was + (unsigned char)key.p[i % key.n]);
        r->s[i] = r->s[j];
        r->s[j] = was;
    }
}

void rf_rc4_next(struct rf_rc4 *r, const char *in, char *out, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        unsigned char was = r->s[++r->i];
        r->j = (unsigned char)(r->j + was);
        r->s[r->i] = r->s[r->j];
        r->s[r->j] = was;
        out[k] = (char)(in[k] ^ r->s[(unsigned char)(r->s[r->i] + was)]);
    }
}

/* The character at the front of `s`, which moves past it. */
static uint32_t take_character(struct rf_str *s)
{
    const unsigned char *p = (const unsigned char *)s->p;
    unsigned n = rf_utf8_char(p, s->n);
    uint32_t c = n < 2 ? p[0] : p[0] & (0x7fu >> n);

    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    *s = (struct rf_str){ s->p + (n ? n : 1), s->n - (n ? n : 1) };
    return n ? c : 0xfffd;
}

struct rf_str rf_password_utf16(struct rf_arena *a, struct rf_str password)
{
    char *out = rf_arena_alloc(a, password.n * 2 + 2);
    size_t n = 0;

    while (password.n) {
        uint32_t c = take_character(&password), high = 0xd800 + ((c - 0x10000) >> 10);
        if (c >= 0x10000) {
            out[n++] = (char)high;
            out[n++] = (char)(high >> 8);
            c = 0xdc00 + (c & 0x3ff);
        }
        out[n++] = (char)c;
        out[n++] = (char)(c >> 8);
    }
    return (struct rf_str){ out, n };
}
