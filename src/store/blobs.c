/* What is the same wherever blobs are kept: names, and putting. Bytes are hashed once, where that
 * was not done before, and moved only where they are not there yet. A file keeps its stamp from the
 * look at it to the last byte that moves, or is not kept; so nothing gets a name that is not its
 * own. What comes as a stream is hashed while it moves. */
#include "store/blobs.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "store/blobs_kind.h"

#include <stdlib.h>

#define PREFIX "sha256:"

bool rf_hash_read_hex(struct rf_str hex, struct rf_hash *out)
{
    if (hex.n != RF_HASH_HEX)
        return false;
    for (size_t i = 0; i < hex.n; i++)
        if (!rf_is_digit(hex.p[i]) && !(hex.p[i] >= 'a' && hex.p[i] <= 'f'))
            return false;
    memcpy(out->hex, hex.p, RF_HASH_HEX);
    out->hex[RF_HASH_HEX] = '\0';
    return true;
}

bool rf_hash_read(struct rf_str blob, struct rf_hash *out)
{
    const size_t n = sizeof PREFIX - 1;
    return rf_str_starts(blob, PREFIX) &&
           rf_hash_read_hex((struct rf_str){ blob.p + n, blob.n - n }, out);
}

struct rf_str rf_hash_write(const struct rf_hash *hash, struct rf_arena *a)
{
    return rf_strf(a, PREFIX "%s", hash->hex);
}

void rf_blobs_free(struct rf_blobs *b)
{
    if (b)
        b->kind->free(b);
}

static enum rf_code other_bytes(const struct rf_hash *hash, struct rf_err *err)
{
    return rf_fail(err, RF_EFORMAT, "the bytes of the blob " PREFIX "%s are not those of its name",
                   hash->hex);
}

enum rf_code rf_blob_drain(const struct rf_blob_stream *stream, const struct rf_hash *hash,
                           uint64_t size,
                           enum rf_code (*each)(void *ctx, uint64_t offset, struct rf_str chunk,
                                                struct rf_err *err),
                           void *ctx, struct rf_err *err)
{
    struct rf_sha256 *h = NULL;
    uint8_t digest[32];
    char hex[RF_HASH_HEX + 1], *buf = malloc(RF_BLOB_CHUNK);
    if (!buf)
        RF_NO_MEMORY();
    enum rf_code rc = stream->hashed ? RF_OK : rf_sha256_new(&h, err);
    for (uint64_t at = 0; !rc && at < size;) {
        size_t want = size - at < RF_BLOB_CHUNK ? (size_t)(size - at) : RF_BLOB_CHUNK, got = 0;
        rc = stream->read(stream->ctx, buf, want, &got, err);
        if (!rc && got == 0)
            rc = rf_fail(err, RF_EIO, "the bytes of a blob end too early");
        if (rc)
            break;
        if (h)
            rf_sha256_add(h, buf, got);
        if (each)
            rc = each(ctx, at, (struct rf_str){ buf, got }, err);
        at += got;
    }
    if (!rc && h) {
        rf_sha256_finish(h, digest);
        rf_sha256_hex(digest, hex);
        if (memcmp(hex, hash->hex, RF_HASH_HEX) != 0)
            rc = other_bytes(hash, err);
    }
    rf_sha256_free(h);
    free(buf);
    return rc;
}

/* Putting */

struct source {
    struct rf_reader reader;
    uint64_t at;
};

static enum rf_code read_source(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct source *s = ctx;
    enum rf_code rc = rf_reader_read(&s->reader, s->at, buf, n, got, err);
    if (rc)
        return rc;
    s->at += *got;
    return rf_reader_check(&s->reader, err);
}

static enum rf_code hash_of(const struct rf_bytes *bytes, struct rf_hash *out, struct rf_err *err)
{
    uint8_t digest[32];
    if (rf_hash_read_hex(bytes->sha256, out))
        return RF_OK;
    enum rf_code rc = rf_bytes_sha256(bytes, digest, err);
    if (!rc)
        rf_sha256_hex(digest, out->hex);
    return rc;
}

static enum rf_code take_source(struct rf_blobs *b, const struct rf_bytes *bytes,
                                const struct rf_hash *hash, int64_t *object, struct rf_err *err)
{
    struct source s = { .reader = { .fd = -1 } };
    const struct rf_blob_stream stream = { .ctx = &s, .read = read_source, .hashed = true };
    enum rf_code rc = rf_reader_open(&s.reader, bytes, err);
    if (!rc)
        rc = b->kind->take(b, hash, bytes->size, &stream, object, err);
    rf_reader_close(&s.reader);
    return rc;
}

/* A file that is not long is read once, into `*held`. */
static enum rf_code hold(const struct rf_bytes *bytes, char **held, struct rf_bytes *out,
                         struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    size_t got = 0;
    *out = *bytes;
    if (bytes->kind == RF_BYTES_MEMORY || bytes->size > RF_BLOB_CHUNK)
        return RF_OK;
    *held = malloc(bytes->size ? (size_t)bytes->size : 1);
    if (!*held)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_open(&r, bytes, err);
    if (!rc)
        rc = rf_reader_read(&r, 0, *held, (size_t)bytes->size, &got, err);
    if (!rc)
        rc = rf_reader_check(&r, err);
    if (!rc)
        *out = rf_bytes_memory((struct rf_str){ *held, got });
    out->sha256 = bytes->sha256;
    rf_reader_close(&r);
    return rc;
}

enum rf_code rf_blobs_put(struct rf_blobs *b, const struct rf_bytes *bytes, uint64_t most,
                          struct rf_hash *hash, int64_t *object, struct rf_err *err)
{
    struct rf_bytes source;
    struct rf_hash name;
    char *held = NULL;
    int64_t number = 0;
    bool found = false;
    if (bytes->size > most)
        return rf_fail(err, RF_ELIMIT, "%llu bytes are more than the limit of %llu for one file",
                       (unsigned long long)bytes->size, (unsigned long long)most);
    enum rf_code rc = hold(bytes, &held, &source, err);
    if (!rc)
        rc = hash_of(&source, &name, err);
    if (!rc)
        rc = b->kind->find(b, &name, source.size, &found, &number, err);
    if (!rc && !found)
        rc = take_source(b, &source, &name, &number, err);
    if (!rc) {
        *hash = name;
        *object = number;
    }
    free(held);
    return rc;
}

enum rf_code rf_blobs_take(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                           const struct rf_blob_stream *stream, int64_t *object, struct rf_err *err)
{
    bool found = false;
    int64_t number = 0;
    enum rf_code rc = b->kind->find(b, hash, size, &found, &number, err);
    if (!rc && found)
        rc = rf_blob_drain(stream, hash, size, NULL, NULL, err);
    else if (!rc)
        rc = b->kind->take(b, hash, size, stream, &number, err);
    if (!rc)
        *object = number;
    return rc;
}

/* The rest is the kind's own. */

enum rf_code rf_blobs_get(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                          struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    return b->kind->get(b, hash, object, a, out, err);
}

bool rf_blobs_has(struct rf_blobs *b, const struct rf_hash *hash, int64_t object)
{
    return b->kind->has(b, hash, object);
}

enum rf_code rf_blobs_remove(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                             struct rf_err *err)
{
    return b->kind->remove(b, hash, object, err);
}

enum rf_code rf_blobs_scan(struct rf_blobs *b, int64_t before_s,
                           enum rf_code (*found)(void *ctx, const char *path,
                                                 const struct rf_hash *hash, uint64_t size,
                                                 struct rf_err *err),
                           void *ctx, struct rf_err *err)
{
    return b->kind->scan(b, before_s, found, ctx, err);
}

enum rf_code rf_blobs_discard(struct rf_blobs *b, const char *path, struct rf_err *err)
{
    return b->kind->discard(b, path, err);
}
