/* Blobs as large objects of PostgreSQL.
 *
 * The row of a blob in the table `blobs` and its object are made in one transaction, so that no
 * object is ever without a row, and gc finds by the table what nothing uses. Two that put the same
 * bytes wait for each other at the row; the second finds the object of the first. What is read is
 * brought into a folder (fetched.h). Objects are not verified when they are put again, since that
 * would mean to fetch them. */
#include "store/blobs_kind.h"

#include "store/fetched.h"
#include "store/store.h"

#include <stdlib.h>

struct database {
    struct rf_blobs blobs;
    struct rf_sql *sql;
    struct rf_fetched fetched;
};

static struct database *database_of(struct rf_blobs *b)
{
    return (struct database *)b;
}

static void database_free(struct rf_blobs *b)
{
    struct database *d = database_of(b);
    rf_fetched_release(&d->fetched);
    free(d);
}

static struct rf_sql_value hex_value(const struct rf_hash *hash)
{
    return rf_sql_text((struct rf_str){ hash->hex, RF_HASH_HEX });
}

static enum rf_code read_number(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    int64_t *numbers = ctx;
    (void)err;
    for (size_t i = 0; i < count; i++)
        numbers[i] = columns[i].number;
    return RF_OK;
}

/* Run a query, once more where the connection turned out to be broken. Each column of its row goes
 * to `numbers`. */
static enum rf_code ask(struct database *d, const char *statement,
                        const struct rf_sql_value *values, size_t count, int64_t *numbers,
                        struct rf_err *err)
{
    bool alone = !d->sql->begun;
    enum rf_code rc = rf_sql_run(d->sql, statement, values, count, read_number, numbers, err);
    if (rc && alone && d->sql->lost)
        rc = rf_sql_run(d->sql, statement, values, count, read_number, numbers, err);
    return rc;
}

/* Putting */

static enum rf_code database_find(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                  bool *found, int64_t *object, struct rf_err *err)
{
    struct database *d = database_of(b);
    const int64_t now = rf_epoch_ms();
    int64_t row[2] = { 0 };
    enum rf_code rc = ask(d, "SELECT object, touched FROM blobs WHERE hash = $1 AND size = $2",
                          RF_VALUES(hex_value(hash), rf_sql_number((int64_t)size)), row, err);
    if (!rc && row[0] && row[1] < now - RF_BLOB_TOUCH_S * 1000)
        rc = ask(d, "UPDATE blobs SET touched = $1 WHERE hash = $2",
                 RF_VALUES(rf_sql_number(now), hex_value(hash)), row, err);
    if (rc)
        return rc;
    *found = row[0] != 0;
    *object = row[0];
    return RF_OK;
}

struct upload {
    struct database *database;
    int64_t object;
};

static enum rf_code upload_chunk(void *ctx, uint64_t offset, struct rf_str chunk,
                                 struct rf_err *err)
{
    const struct upload *u = ctx;
    return rf_sql_run(u->database->sql, "SELECT lo_put($1::oid, $2::bigint, $3::bytea)",
                      RF_VALUES(rf_sql_number(u->object), rf_sql_number((int64_t)offset),
                                { .type = RF_SQL_BYTES, .text = chunk }),
                      NULL, NULL, err);
}

/* The row is ours until the transaction ends. Where it has no object yet, it gets one. */
static enum rf_code upload(struct database *d, const struct rf_hash *hash, uint64_t size,
                           const struct rf_blob_stream *stream, int64_t *object, struct rf_err *err)
{
    struct upload u = { .database = d };
    enum rf_code rc =
        ask(d,
            "INSERT INTO blobs (hash, size, look, touched, object) VALUES ($1, $2, '', $3, 0) "
            "ON CONFLICT (hash) DO UPDATE SET touched = excluded.touched RETURNING object",
            RF_VALUES(hex_value(hash), rf_sql_number((int64_t)size), rf_sql_number(rf_epoch_ms())),
            &u.object, err);
    bool there = u.object != 0;
    if (!rc && !there)
        rc = ask(d,
                 "UPDATE blobs SET object = lo_create(0)::bigint WHERE hash = $1 RETURNING object",
                 RF_VALUES(hex_value(hash)), &u.object, err);
    if (!rc)
        rc = rf_blob_drain(stream, hash, size, there ? NULL : upload_chunk, &u, err);
    if (!rc)
        *object = u.object;
    return rc;
}

static enum rf_code database_take(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                  const struct rf_blob_stream *stream, int64_t *object,
                                  struct rf_err *err)
{
    struct database *d = database_of(b);
    if (d->sql->begun)
        return upload(d, hash, size, stream, object, err);
    enum rf_code rc = rf_sql_begin(d->sql, err);
    if (rc)
        return rc;
    rc = upload(d, hash, size, stream, object, err);
    if (!rc)
        return rf_sql_commit(d->sql, err);
    rf_sql_rollback(d->sql);
    return rc;
}

/* Reading */

struct download {
    struct database *database;
    int64_t object;
    uint64_t at;
    char *bytes; /* where the next chunk goes */
    size_t room, got;
};

static enum rf_code copy_chunk(void *ctx, const struct rf_sql_value *columns, size_t count,
                               struct rf_err *err)
{
    struct download *w = ctx;
    struct rf_str bytes = columns[0].text;
    (void)count;
    if (bytes.n > w->room)
        return rf_fail(err, RF_EIO,
                       "the database gave more of a large object than it was asked for");
    if (bytes.n)
        memcpy(w->bytes, bytes.p, bytes.n);
    w->got = bytes.n;
    return RF_OK;
}

static enum rf_code download_chunk(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err)
{
    struct download *w = ctx;
    w->bytes = buf;
    w->room = n;
    w->got = 0;
    enum rf_code rc =
        rf_sql_run(w->database->sql, "SELECT lo_get($1::oid, $2::bigint, $3::integer)",
                   RF_VALUES(rf_sql_number(w->object), rf_sql_number((int64_t)w->at),
                             rf_sql_number((int64_t)n)),
                   copy_chunk, w, err);
    if (!rc && !w->got)
        rc = rf_fail(err, RF_EFORMAT, "its large object is too short");
    if (rc)
        return rc;
    w->at += w->got;
    *got = w->got;
    return RF_OK;
}

static enum rf_code fetch(struct database *d, const struct rf_hash *hash, struct rf_err *err)
{
    int64_t row[2] = { 0 };
    struct download w = { .database = d };
    const struct rf_blob_stream stream = { .ctx = &w, .read = download_chunk };
    enum rf_code rc = ask(d, "SELECT object, size FROM blobs WHERE hash = $1",
                          RF_VALUES(hex_value(hash)), row, err);
    if (rc)
        return rc;
    if (!row[0] || row[1] < 0) {
        rf_fail(err, RF_ENOTFOUND, "the blob sha256:%s is not in the database", hash->hex);
        rf_hint(err,
                "Where blobs were kept in a folder before, name it as \"blobs\" of the store.");
        return RF_ENOTFOUND;
    }
    w.object = row[0];
    rc = rf_fetched_take(&d->fetched, hash, (uint64_t)row[1], &stream, err);
    if (rc != RF_EFORMAT)
        return rc;
    rf_fail(err, rc, "the blob sha256:%s is damaged: its large object %lld holds other bytes",
            hash->hex, (long long)row[0]);
    rf_hint(err, "Restore the database from a backup.");
    return rc;
}

static enum rf_code database_get(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                 struct rf_arena *a, struct rf_bytes *out, struct rf_err *err)
{
    struct database *d = database_of(b);
    (void)object;
    if (!rf_fetched_get(&d->fetched, hash, a, out, NULL))
        return RF_OK;
    enum rf_code rc = fetch(d, hash, err);
    return rc ? rc : rf_fetched_get(&d->fetched, hash, a, out, err);
}

/* The rest */

static bool database_has(struct rf_blobs *b, const struct rf_hash *hash, int64_t object)
{
    int64_t found = 0;
    (void)hash;
    return object &&
           !ask(database_of(b), "SELECT 1::bigint FROM pg_largeobject_metadata WHERE oid = $1::oid",
                RF_VALUES(rf_sql_number(object)), &found, NULL) &&
           found;
}

static enum rf_code database_remove(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                    struct rf_err *err)
{
    struct database *d = database_of(b);
    int64_t done;
    rf_fetched_remove(&d->fetched, hash);
    if (!object)
        return RF_OK;
    return ask(d, "SELECT lo_unlink(oid)::bigint FROM pg_largeobject_metadata WHERE oid = $1::oid",
               RF_VALUES(rf_sql_number(object)), &done, err);
}

static enum rf_code database_scan(struct rf_blobs *b, int64_t before_s,
                                  enum rf_code (*found)(void *ctx, const char *path,
                                                        const struct rf_hash *hash, uint64_t size,
                                                        struct rf_err *err),
                                  void *ctx, struct rf_err *err)
{
    (void)b, (void)before_s, (void)found, (void)ctx, (void)err;
    return RF_OK;
}

/* A scan finds nothing. */
static enum rf_code database_discard(struct rf_blobs *b, const char *path, struct rf_err *err)
{
    (void)b, (void)path, (void)err;
    return RF_OK;
}

static const struct rf_blobs_kind kind = {
    .free = database_free,
    .find = database_find,
    .take = database_take,
    .get = database_get,
    .has = database_has,
    .remove = database_remove,
    .scan = database_scan,
    .discard = database_discard,
};

struct rf_blobs *rf_blobs_database(struct rf_sql *sql, const char *cache)
{
    struct database *d = calloc(1, sizeof *d);
    if (!d)
        RF_NO_MEMORY();
    d->blobs.kind = &kind;
    d->sql = sql;
    rf_fetched_init(&d->fetched, cache);
    return &d->blobs;
}
