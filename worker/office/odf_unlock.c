/* AES-256 in CBC mode with a key of PBKDF2, as all programs have written it since 2010. Blowfish,
 * which came before, libcrypto keeps in a module that is not loaded; the packages of AES-GCM and
 * Argon2 that came after are not read either. Only the text is opened: pictures stay closed. */
#include "worker/office/odf_unlock.h"

#include "base/arena.h"
#include "base/base64.h"
#include "worker/office/cipher.h"
#include "worker/office/sax.h"

#include <libdeflate.h>

#define MAX_FIELD 64
#define MAX_CONTENT ((size_t)256 << 20)
#define CHECKED ((size_t)1024) /* bytes that the checksum is over */

struct field {
    char p[MAX_FIELD];
    size_t n;
};

struct how {
    bool here, encrypted, known; /* here: inside of the entry for the content */
    int64_t size, count, key_bytes;
    char start[8], check[8]; /* the hash of the password, and that of the checksum */
    struct field salt, from, checksum;
};

enum { ENTRY = 1, DATA, ALGORITHM, DERIVATION, START_KEY };

static const struct rf_sax_word words[] = {
    { "file-entry", ENTRY },
    { "encryption-data", DATA },
    { "algorithm", ALGORITHM },
    { "key-derivation", DERIVATION },
    { "start-key-generation", START_KEY },
};

static void take_field(const struct rf_sax *x, const char *name, struct field *out)
{
    struct rf_str text = rf_sax_str(x, name);
    size_t n;

    if (rf_base64_decoded_length(text.p, text.n, &n) && n <= sizeof out->p &&
        rf_base64_decode(text.p, text.n, out->p))
        out->n = n;
}

/* The hash that a name stands for; they come with different addresses before them. */
static void take_hash(struct rf_str name, char out[8])
{
    bool sha256 = rf_str_ends(name, "#sha256") || rf_str_ends(name, "#sha256-1k");

    memcpy(out, sha256 ? "SHA256" : "SHA1", sha256 ? 7 : 5);
}

static void take_derivation(struct how *h, const struct rf_sax *x)
{
    struct rf_str name = rf_sax_str(x, "key-derivation-name");

    h->known = h->known && (rf_str_is(name, "PBKDF2") || rf_str_ends(name, "#pbkdf2"));
    h->count = rf_sax_int(x, "iteration-count", 0);
    h->key_bytes = rf_sax_int(x, "key-size", 16);
    take_field(x, "salt", &h->salt);
}

static void start(void *state, int id, struct rf_sax *x)
{
    struct how *h = state;

    if (id == ENTRY) {
        struct rf_str path = rf_sax_str(x, "full-path");
        h->here = rf_str_is(path, "content.xml") || rf_str_is(path, "encrypted-package");
        if (h->here)
            h->size = rf_sax_int(x, "size", 0);
    } else if (!h->here) {
        return;
    } else if (id == DATA) {
        h->encrypted = true;
        take_hash(RF_STR(""), h->start);
        take_hash(rf_sax_str(x, "checksum-type"), h->check);
        take_field(x, "checksum", &h->checksum);
    } else if (id == ALGORITHM) {
        h->known = rf_str_ends(rf_sax_str(x, "algorithm-name"), "#aes256-cbc");
        take_field(x, "initialisation-vector", &h->from);
    } else if (id == DERIVATION) {
        take_derivation(h, x);
    } else if (id == START_KEY) {
        take_hash(rf_sax_str(x, "start-key-generation-name"), h->start);
    }
}

static void end(void *state, int id, struct rf_sax *x)
{
    struct how *h = state;
    (void)x;

    if (id == ENTRY)
        h->here = false;
}

static struct rf_str str(const struct field *f)
{
    return (struct rf_str){ f->p, f->n };
}

static bool hash_of(const char *name, struct rf_str bytes, struct rf_digest *out)
{
    struct rf_hasher *hasher = rf_hasher_new(rf_str(name));

    if (hasher)
        rf_hash(hasher, bytes, RF_STR(""), out);
    rf_hasher_free(hasher);
    return hasher != NULL;
}

/* What was packed, without the bytes that fill its last block; empty where the password does not
 * fit. */
static struct rf_str decrypt(const struct how *h, struct rf_str password, struct rf_str bytes,
                             struct rf_arena *a)
{
    struct rf_digest hash, key, sum;
    char *p = rf_arena_alloc(a, bytes.n + 1);

    if (!hash_of(h->start, password, &hash) ||
        !rf_pbkdf2(rf_digest_str(&hash), str(&h->salt), (uint32_t)h->count, (size_t)h->key_bytes,
                   &key))
        return RF_STR("");
    struct rf_aes *aes = rf_aes_new(RF_AES_CBC, rf_digest_str(&key));
    size_t n = aes ? rf_aes_decrypt(aes, (const unsigned char *)h->from.p, bytes, p) : 0;
    rf_aes_free(aes);
    size_t fill = n ? (unsigned char)p[n - 1] : 0;
    if (fill == 0 || fill > RF_AES_BLOCK)
        return RF_STR("");
    n -= fill;
    if (!hash_of(h->check, (struct rf_str){ p, n < CHECKED ? n : CHECKED }, &sum) ||
        !rf_digest_is(&sum, str(&h->checksum)))
        return RF_STR("");
    return (struct rf_str){ p, n };
}

static enum rf_code unpack(const struct how *h, struct rf_str packed, struct rf_arena *a,
                           struct rf_str *out, struct rf_err *err)
{
    size_t size = (size_t)h->size, used, got;

    if (size > MAX_CONTENT || (size > RF_UNZIP_FREE_RATIO && size / RF_UNZIP_MAX_RATIO > packed.n))
        return rf_fail(err, RF_ELIMIT, "the text of the document would have %zu bytes", size);
    char *p = rf_arena_alloc(a, size + 1);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater)
        RF_BUG("out of memory");
    enum libdeflate_result done =
        libdeflate_deflate_decompress_ex(inflater, packed.p, packed.n, p, size, &used, &got);
    libdeflate_free_decompressor(inflater);
    if (done != LIBDEFLATE_SUCCESS)
        return rf_fail(err, RF_EFORMAT, "\"content.xml\" in the archive is damaged");
    *out = (struct rf_str){ p, got };
    return RF_OK;
}

static bool is_known(const struct how *h)
{
    return h->known && h->from.n == RF_AES_BLOCK && h->key_bytes == 32 && h->count > 0 &&
           h->count <= RF_MAX_SPIN && h->size >= 0;
}

enum rf_code rf_odf_unlock(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_str *content,
                           struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), .start = start,
                                                   .end = end };
    int64_t manifest = rf_unzip_find(zip, RF_STR("META-INF/manifest.xml"));
    struct rf_str password = rf_ask_str(ask, "password"), bytes;
    struct how *h = RF_NEW(ask->arena, struct how);

    if (manifest < 0 || rf_sax_member(&grammar, h, zip, manifest, err) || !h->encrypted)
        return RF_OK;
    if (!is_known(h))
        return rf_locked(RF_LOCK_FOREIGN, err);
    if (!password.n)
        return rf_locked(RF_LOCK_CLOSED, err);
    enum rf_code rc =
        rf_unzip_read(zip, rf_unzip_find(zip, RF_STR("content.xml")), MAX_CONTENT, &bytes, err);
    if (rc)
        return rc;
    bytes = decrypt(h, password, bytes, ask->arena);
    return bytes.n ? unpack(h, bytes, ask->arena, content, err) : rf_locked(RF_LOCK_WRONG, err);
}
