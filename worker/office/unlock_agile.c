/* The password, hashed as often as the document says, makes three keys: two that tell whether it
 * is the right one, and one for the key of the package. The package is encrypted in segments of
 * 4096 bytes, each with a start of its own; a keyed hash over it all tells whether someone
 * changed it.
 *
 * AES in CBC mode with SHA-1 or SHA-2, as Office and LibreOffice write it. Other ciphers that the
 * standard allows, and keys in certificates, are refused. */
#include "worker/office/unlock.h"

#include "base/arena.h"
#include "base/base64.h"
#include "worker/office/cipher.h"
#include "worker/office/sax.h"

#define HEAD 8 /* bytes of version and flags before the XML, and of the size before the package */
#define SEGMENT 4096u
#define FILL 0x36     /* after what is too short for a key */
#define MAX_FIELD 128 /* bytes of a salt, a hash or a key */

struct field {
    char p[MAX_FIELD];
    size_t n;
};

/* How something is encrypted: the package, or its key by the password. */
struct how {
    bool given, known;
    char hash[16];
    size_t key_bytes;
    struct field salt;
};

struct agile {
    struct how package, password;
    int64_t spin;
    struct field verifier, verifier_hash, key; /* encrypted by the password */
    struct field hmac_key, hmac;               /* encrypted by the package's key */
};

enum { KEY_DATA = 1, INTEGRITY, ENCRYPTED_KEY };

static const struct rf_sax_word words[] = {
    { "keyData", KEY_DATA },
    { "dataIntegrity", INTEGRITY },
    { "encryptedKey", ENCRYPTED_KEY },
};

/* Left empty where it is not base64, or too long. */
static void take_field(const struct rf_sax *x, const char *name, struct field *out)
{
    struct rf_str text = rf_sax_str(x, name);
    size_t n;

    if (rf_base64_decoded_length(text.p, text.n, &n) && n <= sizeof out->p &&
        rf_base64_decode(text.p, text.n, out->p))
        out->n = n;
}

static void take_how(const struct rf_sax *x, struct how *out)
{
    struct rf_str hash = rf_sax_str(x, "hashAlgorithm");
    int64_t bits = rf_sax_int(x, "keyBits", 0);

    out->given = true;
    out->known = rf_str_is(rf_sax_str(x, "cipherAlgorithm"), "AES") &&
                 rf_str_is(rf_sax_str(x, "cipherChaining"), "ChainingModeCBC") &&
                 rf_sax_int(x, "blockSize", 0) == RF_AES_BLOCK && hash.n < sizeof out->hash &&
                 (bits == 128 || bits == 192 || bits == 256);
    if (!out->known)
        return;
    memcpy(out->hash, hash.p, hash.n);
    out->key_bytes = (size_t)bits / 8;
    take_field(x, "saltValue", &out->salt);
}

static void start(void *state, int id, struct rf_sax *x)
{
    struct agile *a = state;

    if (id == KEY_DATA) {
        take_how(x, &a->package);
    } else if (id == INTEGRITY) {
        take_field(x, "encryptedHmacKey", &a->hmac_key);
        take_field(x, "encryptedHmacValue", &a->hmac);
    } else if (id == ENCRYPTED_KEY && !a->password.given && rf_sax_attribute(x, "spinCount")) {
        take_how(x, &a->password);
        a->spin = rf_sax_int(x, "spinCount", -1);
        take_field(x, "encryptedVerifierHashInput", &a->verifier);
        take_field(x, "encryptedVerifierHashValue", &a->verifier_hash);
        take_field(x, "encryptedKeyValue", &a->key);
    }
}

static void end(void *state, int id, struct rf_sax *x)
{
    (void)state, (void)id, (void)x;
}

static struct rf_str str(const struct field *f)
{
    return (struct rf_str){ f->p, f->n };
}

/* Cut, or filled, to `n` bytes. */
static struct rf_digest fit(struct rf_str s, size_t n)
{
    struct rf_digest out = { .n = n };

    memset(out.p, FILL, sizeof out.p);
    memcpy(out.p, s.p, s.n < n ? s.n : n);
    return out;
}

/* Decrypt a field in place with a key that the password made for this purpose. */
static bool open_field(const struct how *how, struct rf_hasher *h, const struct rf_digest *spun,
                       const char purpose[static 8], struct field *f)
{
    struct rf_digest hash, key, from = fit(str(&how->salt), RF_AES_BLOCK);
    char plain[MAX_FIELD];

    rf_hash(h, rf_digest_str(spun), (struct rf_str){ purpose, 8 }, &hash);
    key = fit(rf_digest_str(&hash), how->key_bytes);
    struct rf_aes *aes = rf_aes_new(RF_AES_CBC, rf_digest_str(&key));
    f->n = aes ? rf_aes_decrypt(aes, from.p, str(f), plain) : 0;
    memcpy(f->p, plain, f->n);
    rf_aes_free(aes);
    return f->n > 0;
}

/* The package's key, in the place of what was encrypted. */
static bool open_key(struct agile *a, struct rf_hasher *h, struct rf_str password)
{
    struct rf_digest spun, digest = { 0 };
    const struct how *how = &a->password;

    rf_hash_spin(h, str(&how->salt), password, (uint32_t)a->spin, &spun);
    if (!open_field(how, h, &spun, "\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79", &a->verifier) ||
        !open_field(how, h, &spun, "\xd7\xaa\x0f\x6d\x30\x61\x34\x4e", &a->verifier_hash) ||
        !open_field(how, h, &spun, "\x14\x6e\x0b\xe7\xab\xac\xd0\xd6", &a->key))
        return false;
    struct rf_str salted = str(&a->verifier); /* as long as the salt, then filled */
    salted.n = salted.n < how->salt.n ? salted.n : how->salt.n;
    rf_hash(h, salted, RF_STR(""), &digest);
    return rf_digest_is(&digest, str(&a->verifier_hash)) && a->key.n >= a->package.key_bytes;
}

/* Where the cipher starts, for a segment or a purpose. */
static struct rf_digest start_of(const struct agile *a, struct rf_hasher *h, struct rf_str what)
{
    struct rf_digest digest;

    rf_hash(h, str(&a->package.salt), what, &digest);
    return fit(rf_digest_str(&digest), RF_AES_BLOCK);
}

static void open_segments(const struct agile *a, struct rf_hasher *h, struct rf_aes *aes,
                          const struct rf_locked_package *l, struct rf_str *out)
{
    struct rf_str body = rf_at(l->package, HEAD, l->package.n);
    char *p = rf_arena_alloc(l->arena, body.n + 1);
    size_t n = 0;

    for (uint32_t i = 0; n == (size_t)i * SEGMENT && n < body.n; i++) {
        struct rf_number number = rf_number(i);
        struct rf_digest from = start_of(a, h, (struct rf_str){ number.p, sizeof number.p });
        n += rf_aes_decrypt(aes, from.p, rf_at(body, n, SEGMENT), p + n);
    }
    *out = (struct rf_str){ p, n };
}

/* The keyed hash is over the stream as it lies there. */
static bool is_changed(const struct agile *a, struct rf_hasher *h, struct rf_aes *aes,
                       struct rf_str package)
{
    struct rf_digest from = start_of(a, h, RF_STR("\x5f\xb2\xad\x01\x0c\xb9\xe1\xf6")), digest;
    char key[MAX_FIELD], want[MAX_FIELD];
    size_t key_n, want_n, size = rf_hasher_size(h);

    if (!a->hmac.n)
        return false; /* nothing was promised */
    key_n = rf_aes_decrypt(aes, from.p, str(&a->hmac_key), key);
    from = start_of(a, h, RF_STR("\xa0\x67\x7f\x02\xb2\x2c\x84\x33"));
    want_n = rf_aes_decrypt(aes, from.p, str(&a->hmac), want);
    rf_hash_hmac(h, (struct rf_str){ key, key_n < size ? key_n : size }, package, &digest);
    return !rf_digest_is(&digest, (struct rf_str){ want, want_n });
}

static enum rf_code open_package(const struct agile *a, const struct rf_locked_package *l,
                                 struct rf_str *out, struct rf_err *err)
{
    struct rf_hasher *h = rf_hasher_new(rf_str(a->package.hash));
    struct rf_aes *aes = rf_aes_new(RF_AES_CBC, rf_at(str(&a->key), 0, a->package.key_bytes));
    enum rf_code rc = h && aes ? RF_OK : rf_locked(RF_LOCK_FOREIGN, err);

    if (!rc) {
        open_segments(a, h, aes, l, out);
        if (is_changed(a, h, aes, l->package))
            rf_answer_note(l->to, "the document is cut off, or was changed after it was encrypted");
    }
    rf_hasher_free(h);
    rf_aes_free(aes);
    return rc;
}

enum rf_code rf_unlock_agile(const struct rf_locked_package *l, struct rf_str *out,
                             struct rf_err *err)
{
    static const struct rf_sax_grammar grammar = { RF_SAX_WORDS(words), .start = start,
                                                   .end = end };
    struct agile *a = RF_NEW(l->arena, struct agile);

    if (rf_sax_bytes(&grammar, a, rf_at(l->info, HEAD, l->info.n), err))
        return rf_fail(err, RF_EFORMAT, "the document is damaged: how it is encrypted is missing");
    struct rf_hasher *h = rf_hasher_new(rf_str(a->password.hash));
    enum rf_code rc = RF_OK;
    if (!h || !a->package.known || !a->password.known || a->spin < 0 || a->spin > RF_MAX_SPIN)
        rc = rf_locked(RF_LOCK_FOREIGN, err);
    else if (!l->password.p)
        rc = rf_locked(RF_LOCK_CLOSED, err);
    else if (!open_key(a, h, l->password))
        rc = rf_locked(RF_LOCK_WRONG, err);
    rf_hasher_free(h);
    return rc ? rc : open_package(a, l, out, err);
}
