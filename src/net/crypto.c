/* Of libcrypto this uses EVP, which sets the whole library up. That takes a moment; who comes
 * here is about to talk TLS, which wants the same. */
#include "net/crypto.h"

#include "base/arena.h"
#include "base/library.h"
#include "base/sha256.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

struct crypto {
    __typeof__(BIO_free) *bio_free;
    __typeof__(BIO_new_mem_buf) *bio_new;
    __typeof__(EVP_DigestSign) *sign;
    __typeof__(EVP_DigestSignInit) *sign_init;
    __typeof__(EVP_MD_CTX_free) *ctx_free;
    __typeof__(EVP_MD_CTX_new) *ctx_new;
    __typeof__(EVP_PKEY_free) *key_free;
    __typeof__(EVP_PKEY_get_base_id) *key_type;
    __typeof__(EVP_sha256) *sha256;
    __typeof__(HMAC) *hmac;
    __typeof__(PEM_read_bio_PrivateKey) *read_key;
};

static const struct rf_symbol symbols[] = {
    { "BIO_free", offsetof(struct crypto, bio_free) },
    { "BIO_new_mem_buf", offsetof(struct crypto, bio_new) },
    { "EVP_DigestSign", offsetof(struct crypto, sign) },
    { "EVP_DigestSignInit", offsetof(struct crypto, sign_init) },
    { "EVP_MD_CTX_free", offsetof(struct crypto, ctx_free) },
    { "EVP_MD_CTX_new", offsetof(struct crypto, ctx_new) },
    { "EVP_PKEY_free", offsetof(struct crypto, key_free) },
    { "EVP_PKEY_get_base_id", offsetof(struct crypto, key_type) },
    { "EVP_sha256", offsetof(struct crypto, sha256) },
    { "HMAC", offsetof(struct crypto, hmac) },
    { "PEM_read_bio_PrivateKey", offsetof(struct crypto, read_key) },
};

/* Filled once; then it does not change. */
static struct crypto crypto;
static struct rf_library library = {
    .files = { "libcrypto.so.3" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &crypto,
    .what = "libcrypto",
    .hint = "Install OpenSSL 3 (libssl3 or openssl-libs).",
    .code = RF_EINTERNAL,
};

enum rf_code rf_hmac_sha256(struct rf_str key, struct rf_str text, uint8_t out[32],
                            struct rf_err *err)
{
    enum rf_code rc = rf_library_load(&library, err);
    if (rc)
        return rc;
    if (key.n > INT_MAX || !crypto.hmac(crypto.sha256(), key.p, (int)key.n,
                                        (const unsigned char *)text.p, text.n, out, NULL))
        return rf_fail(err, RF_EINTERNAL, "libcrypto could not make a signature");
    return RF_OK;
}

enum rf_code rf_sha256_text(struct rf_str text, char hex[65], struct rf_err *err)
{
    uint8_t digest[32];
    enum rf_code rc = rf_sha256_of(text, digest, err);
    if (!rc)
        rf_sha256_hex(digest, hex);
    return rc;
}

/* An encrypted key would have somebody asked on the terminal. */
static int no_password(char *buf, int size, int writing, void *ctx)
{
    (void)buf, (void)size, (void)writing, (void)ctx;
    return -1;
}

static EVP_PKEY *read_key(struct rf_str pem)
{
    BIO *bio = pem.n && pem.n <= INT_MAX ? crypto.bio_new(pem.p, (int)pem.n) : NULL;
    EVP_PKEY *key = bio ? crypto.read_key(bio, NULL, no_password, NULL) : NULL;
    if (bio)
        crypto.bio_free(bio);
    if (key && crypto.key_type(key) != EVP_PKEY_RSA) {
        crypto.key_free(key);
        key = NULL;
    }
    return key;
}

static bool sign(EVP_PKEY *key, struct rf_str text, struct rf_arena *a, struct rf_str *out)
{
    size_t n = 0;
    const unsigned char *in = (const unsigned char *)text.p;
    EVP_MD_CTX *ctx = crypto.ctx_new();
    bool good = ctx && crypto.sign_init(ctx, NULL, crypto.sha256(), NULL, key) == 1 &&
                crypto.sign(ctx, NULL, &n, in, text.n) == 1;
    unsigned char *signature = good ? rf_arena_alloc(a, n) : NULL;
    good = good && crypto.sign(ctx, signature, &n, in, text.n) == 1;
    crypto.ctx_free(ctx);
    if (good)
        *out = (struct rf_str){ (const char *)signature, n };
    return good;
}

enum rf_code rf_rsa_sha256(struct rf_str pem, struct rf_str text, struct rf_arena *a,
                           struct rf_str *signature, struct rf_err *err)
{
    enum rf_code rc = rf_library_load(&library, err);
    if (rc)
        return rc;
    EVP_PKEY *key = read_key(pem);
    if (!key) {
        rf_fail(err, RF_ECONFIG, "the private key is not one of RSA in PEM, or it is encrypted");
        rf_hint(err, "Have a new key made for the account, and keep the file as it is.");
        return RF_ECONFIG;
    }
    if (!sign(key, text, a, signature))
        rc = rf_fail(err, RF_EINTERNAL, "libcrypto could not make a signature");
    crypto.key_free(key);
    return rc;
}
