#include "bucket/bucket.h"

#include "base/arena.h"
#include "bucket/list.h"
#include "bucket/upload.h"
#include "store/blobs_kind.h"
#include "store/fetched.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_KEY 1024

struct bucket {
    struct rf_blobs blobs;
    struct rf_s3 *s3;
    struct rf_fetched fetched;
};

static struct bucket *bucket_of(struct rf_blobs *b)
{
    return (struct bucket *)b;
}

static void bucket_free(struct rf_blobs *b)
{
    struct bucket *t = bucket_of(b);
    rf_s3_free(t->s3);
    rf_fetched_release(&t->fetched);
    free(t);
}

/* "PREFIX/ab/cd…" */
struct key {
    char text[MAX_KEY];
};

static struct key key_of(const struct bucket *t, const struct rf_hash *hash)
{
    struct rf_str prefix = t->s3->place.at.prefix;
    struct key k;
    snprintf(k.text, sizeof k.text, "%.*s%s%.2s/%s", RF_FMT(prefix), prefix.n ? "/" : "", hash->hex,
             hash->hex + 2);
    return k;
}

/* The hash that a key stands for; false for one that is not a blob's. */
static bool read_key(const struct bucket *t, struct rf_str key, struct rf_hash *out)
{
    size_t skipped = t->s3->place.at.prefix.n + (t->s3->place.at.prefix.n > 0);
    char hex[RF_HASH_HEX];
    if (key.n != skipped + RF_HASH_HEX + 1 || key.p[skipped + 2] != '/')
        return false;
    memcpy(hex, key.p + skipped, 2);
    memcpy(hex + 2, key.p + skipped + 3, RF_HASH_HEX - 2);
    return rf_hash_read_hex((struct rf_str){ hex, sizeof hex }, out);
}

/* Putting. Tables say when a blob was wanted last: objects are not touched. */

static enum rf_code bucket_find(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                bool *found, int64_t *object, struct rf_err *err)
{
    struct bucket *t = bucket_of(b);
    *object = 0;
    return rf_s3_find(t->s3, rf_str(key_of(t, hash).text), size, found, err);
}

struct kept {
    struct rf_str left;
};

static enum rf_code read_kept(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct kept *k = ctx;
    (void)err;
    *got = k->left.n < n ? k->left.n : n;
    memcpy(buf, k->left.p, *got);
    k->left = (struct rf_str){ k->left.p + *got, k->left.n - *got };
    return RF_OK;
}

/* A picture that was just put is about to be sent: it is not fetched back for that. */
static void keep_copy(void *ctx, const struct rf_hash *hash, struct rf_str bytes)
{
    struct bucket *t = ctx;
    struct kept k = { bytes };
    const struct rf_blob_stream stream = { .ctx = &k, .read = read_kept, .hashed = true };
    (void)!rf_fetched_take(&t->fetched, hash, bytes.n, &stream, NULL); /* else it is fetched */
}

static enum rf_code bucket_take(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                const struct rf_blob_stream *stream, int64_t *object,
                                struct rf_err *err)
{
    struct bucket *t = bucket_of(b);
    enum rf_code rc =
        rf_s3_upload(t->s3, rf_str(key_of(t, hash).text), hash, size, stream, keep_copy, t, err);
    if (!rc)
        *object = 0;
    return rc;
}

/* Reading */

static enum rf_code read_object(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    return rf_s3_object_read(ctx, buf, n, got, err);
}

static enum rf_code is_missing(const struct bucket *t, const struct rf_hash *hash,
                               struct rf_err *err)
{
    rf_fail(err, RF_ENOTFOUND, "the blob sha256:%s is not in the bucket \"%.*s\"", hash->hex,
            RF_FMT(t->s3->place.at.bucket));
    rf_hint(err, "Where blobs were kept in a folder before, copy what is in it to the address that "
                 "\"blobs\" of the store names.");
    return RF_ENOTFOUND;
}

static enum rf_code fetch_once(struct bucket *t, const struct rf_hash *hash, struct rf_err *err)
{
    struct rf_s3_object *o;
    enum rf_code rc = rf_s3_object_open(t->s3, rf_str(key_of(t, hash).text), &o, err);
    if (rc)
        return rc;
    if (!o)
        return is_missing(t, hash, err);
    const struct rf_blob_stream stream = { .ctx = o, .read = read_object };
    rc = rf_fetched_take(&t->fetched, hash, rf_s3_object_size(o), &stream, err);
    rf_s3_object_close(o);
    return rc;
}

/* A connection may break in the middle, and a proxy return other bytes. */
static enum rf_code fetch(struct bucket *t, const struct rf_hash *hash, struct rf_err *err)
{
    enum rf_code rc;
    for (int tries = 1;; tries++) {
        rc = fetch_once(t, hash, err);
        if ((rc != RF_EIO && rc != RF_EFORMAT) || tries >= RF_S3_TRIES)
            break;
        rf_s3_rest(tries, -1);
    }
    if (rc != RF_EFORMAT)
        return rc;
    rf_fail(err, rc,
            "the blob sha256:%s is damaged: \"%s\" in the bucket \"%.*s\" holds other bytes",
            hash->hex, key_of(t, hash).text, RF_FMT(t->s3->place.at.bucket));
    rf_hint(err, "Bring the object back from a copy; or remove it, and add the file again.");
    return rc;
}

static enum rf_code bucket_get(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                               struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    struct bucket *t = bucket_of(b);
    (void)object;
    if (!rf_fetched_get(&t->fetched, hash, a, out, NULL))
        return RF_OK;
    enum rf_code rc = fetch(t, hash, err);
    return rc ? rc : rf_fetched_get(&t->fetched, hash, a, out, err);
}

/* The rest */

static bool bucket_has(struct rf_blobs *b, const struct rf_hash *hash, int64_t object)
{
    struct bucket *t = bucket_of(b);
    const struct key key = key_of(t, hash);
    const struct rf_s3_ask ask = { .method = "HEAD", .key = rf_str(key.text) };
    struct rf_arena *a = rf_arena_new();
    struct rf_s3_answer answer;
    (void)object;
    bool there = !rf_s3_call(t->s3, &ask, a, &answer, NULL) && answer.status == 200;
    rf_arena_free(a);
    return there;
}

static enum rf_code take_away(struct bucket *t, struct rf_str key, struct rf_str query,
                              struct rf_err *err)
{
    const struct rf_s3_ask ask = { .method = "DELETE", .key = key, .query = query };
    struct rf_arena *a = rf_arena_new();
    struct rf_s3_answer answer;
    enum rf_code rc = rf_s3_call(t->s3, &ask, a, &answer, err);
    rf_arena_free(a);
    return rc;
}

static enum rf_code bucket_remove(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                  struct rf_err *err)
{
    struct bucket *t = bucket_of(b);
    (void)object;
    rf_fetched_remove(&t->fetched, hash);
    return take_away(t, rf_str(key_of(t, hash).text), RF_STR(""), err);
}

struct scan {
    const struct bucket *bucket;
    struct rf_arena *arena;
    int64_t before_s;
    enum rf_code (*found)(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                          struct rf_err *err);
    void *ctx;
};

/* Objects by their key, uploads by "KEY?uploadId=…". What is not ours is left alone. */
static enum rf_code scan_entry(void *ctx, const struct rf_s3_entry *e, struct rf_err *err)
{
    const struct scan *s = ctx;
    struct rf_hash hash;
    if (!read_key(s->bucket, e->key, &hash) || e->time_s >= s->before_s)
        return RF_OK;
    rf_arena_reset(s->arena);
    const char *path = e->upload.n
                           ? rf_strf(s->arena, "%.*s?%.*s", RF_FMT(e->key), RF_FMT(e->upload)).p
                           : rf_cstr(s->arena, e->key);
    return s->found(s->ctx, path, e->upload.n ? NULL : &hash, (uint64_t)e->size, err);
}

static enum rf_code bucket_scan(struct rf_blobs *b, int64_t before_s,
                                enum rf_code (*found)(void *ctx, const char *path,
                                                      const struct rf_hash *hash, uint64_t size,
                                                      struct rf_err *err),
                                void *ctx, struct rf_err *err)
{
    struct bucket *t = bucket_of(b);
    struct scan s = { t, rf_arena_new(), before_s, found, ctx };
    enum rf_code rc = rf_s3_objects(t->s3, scan_entry, &s, err);
    if (!rc)
        rc = rf_s3_uploads(t->s3, scan_entry, &s, err);
    rf_arena_free(s.arena);
    return rc;
}

static enum rf_code bucket_discard(struct rf_blobs *b, const char *path, struct rf_err *err)
{
    struct rf_str query = rf_str(path), key;
    rf_str_split(&query, '?', &key);
    return take_away(bucket_of(b), key, query, err);
}

static const struct rf_blobs_kind kind = {
    .free = bucket_free,
    .find = bucket_find,
    .take = bucket_take,
    .get = bucket_get,
    .has = bucket_has,
    .remove = bucket_remove,
    .scan = bucket_scan,
    .discard = bucket_discard,
};

enum rf_code rf_bucket_open(const char *address, const char *cache, struct rf_blobs **out,
                            struct rf_err *err)
{
    struct rf_s3 *s3;
    enum rf_code rc = rf_s3_open(address, &s3, err);
    if (rc)
        return rc;
    struct bucket *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    t->blobs.kind = &kind;
    t->s3 = s3;
    rf_fetched_init(&t->fetched, cache);
    *out = &t->blobs;
    return RF_OK;
}
