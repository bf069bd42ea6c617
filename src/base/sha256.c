/* SHA-256 through a libcrypto that is loaded at the first hash. Linking it would more than double
 * the time of a command that does nothing.
 *
 * Of libcrypto's two interfaces this uses the plain one. EVP sets the whole library up first, its
 * configuration, error texts and providers, which takes longer than loading it; and to forbid that
 * is no way out, since the flags hold for the process and would reach the TLS of others. */
#include "base/sha256.h"

#include "base/library.h"

#include <stdlib.h>

/* Silences the advice to use EVP. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

struct rf_sha256 {
    SHA256_CTX state;
};

static struct {
    __typeof__(SHA256_Init) *init;
    __typeof__(SHA256_Update) *update;
    __typeof__(SHA256_Final) *final;
} crypto;

static const struct rf_symbol symbols[] = {
    { "SHA256_Init", offsetof(__typeof__(crypto), init) },
    { "SHA256_Update", offsetof(__typeof__(crypto), update) },
    { "SHA256_Final", offsetof(__typeof__(crypto), final) },
};

static struct rf_library library = {
    .files = { "libcrypto.so.3", "libcrypto.so" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &crypto,
    .what = "libcrypto",
    .hint = "Install OpenSSL 3 (libssl3 or openssl-libs).",
    .code = RF_EINTERNAL,
};

enum rf_code rf_sha256_new(struct rf_sha256 **out, struct rf_err *err)
{
    enum rf_code rc = rf_library_load(&library, err);
    if (rc)
        return rc;
    struct rf_sha256 *h = malloc(sizeof *h);
    if (!h)
        RF_NO_MEMORY();
    crypto.init(&h->state);
    *out = h;
    return RF_OK;
}

void rf_sha256_add(struct rf_sha256 *h, const void *p, size_t n)
{
    crypto.update(&h->state, p, n);
}

void rf_sha256_finish(struct rf_sha256 *h, uint8_t digest[32])
{
    crypto.final(digest, &h->state);
}

void rf_sha256_free(struct rf_sha256 *h)
{
    free(h);
}

enum rf_code rf_sha256_of(struct rf_str bytes, uint8_t digest[32], struct rf_err *err)
{
    struct rf_sha256 *h;
    enum rf_code rc = rf_sha256_new(&h, err);
    if (rc)
        return rc;
    rf_sha256_add(h, bytes.p, bytes.n);
    rf_sha256_finish(h, digest);
    rf_sha256_free(h);
    return RF_OK;
}

void rf_sha256_hex(const uint8_t digest[32], char out[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 32; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
}

bool rf_sha256_read(struct rf_str hex, uint8_t digest[32])
{
    if (hex.n != 64)
        return false;
    for (size_t i = 0; i < 32; i++) {
        int high = rf_hex_digit(hex.p[2 * i]), low = rf_hex_digit(hex.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}
