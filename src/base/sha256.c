/* SHA-256 through a libcrypto that is loaded at the first hash. Linking it would more than double
 * the time of a command that does nothing.
 *
 * Of libcrypto's two interfaces this uses the plain one. EVP sets the whole library up first, its
 * configuration, error texts and providers, which takes longer than loading it; and to forbid that
 * is no way out, since the flags hold for the process and would reach the TLS of others. */
#include "base/sha256.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Silences the advice to use EVP. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

struct rf_sha256 {
    SHA256_CTX state;
};

/* Filled once, at the first hash. */
static struct {
    pthread_once_t once;
    __typeof__(SHA256_Init) *init;
    __typeof__(SHA256_Update) *update;
    __typeof__(SHA256_Final) *final;
    char missing[200]; /* why it cannot be used; "" when it can */
} crypto = { .once = PTHREAD_ONCE_INIT };

static void load(void)
{
    static const char *const names[] = { "libcrypto.so.3", "libcrypto.so" };
    void *lib = NULL;
    for (size_t i = 0; !lib && i < sizeof names / sizeof *names; i++)
        lib = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (lib) {
        crypto.init = (__typeof__(crypto.init))dlsym(lib, "SHA256_Init");
        crypto.update = (__typeof__(crypto.update))dlsym(lib, "SHA256_Update");
        crypto.final = (__typeof__(crypto.final))dlsym(lib, "SHA256_Final");
    }
    if (!crypto.init || !crypto.update || !crypto.final) {
        const char *why = dlerror();
        snprintf(crypto.missing, sizeof crypto.missing, "%s", why ? why : "it has no SHA-256");
    }
}

enum rf_code rf_sha256_new(struct rf_sha256 **out, struct rf_err *err)
{
    pthread_once(&crypto.once, load);
    if (crypto.missing[0]) {
        enum rf_code rc =
            rf_fail(err, RF_EINTERNAL, "could not load libcrypto: %s", crypto.missing);
        rf_hint(err, "Install OpenSSL 3 (libssl3 or openssl-libs).");
        return rc;
    }
    struct rf_sha256 *h = malloc(sizeof *h);
    if (!h)
        RF_BUG("out of memory");
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

void rf_sha256_hex(const uint8_t digest[32], char out[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 32; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
}
