/* The tools with a store behind them: what they read is kept in the moment they read it, and what
 * was kept can be read again by its id. Ids are those that hashes give; ids that somebody chose
 * belong to their session, and lead nowhere here. */
#include "base/arena.h"
#include "source/read.h"
#include "store/keep.h"

#define ID_HEX ((size_t)12) /* digits of the hash in an id */

static enum rf_code enter(struct rf_store *s, void *ctx, struct rf_err *err)
{
    return rf_store_enter_blob(s, ctx, err);
}

static enum rf_code keep_held(struct rf_store *s, const struct rf_bytes *bytes, struct rf_arena *a,
                              struct rf_str *blob, struct rf_err *err)
{
    struct rf_blob_row row;
    struct rf_inspection look;
    uint64_t most = (uint64_t)s->options.file_bytes;
    enum rf_code rc = rf_keep_bytes(s, bytes, most, a, &row, &look, err);
    if (!rc)
        rc = rf_store_transact(s, enter, &row, err);
    if (!rc)
        *blob = rf_hash_write(&row.hash, a);
    return rc;
}

static enum rf_code keep(void *ctx, const struct rf_bytes *bytes, struct rf_arena *a,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_store *s = ctx;
    if (bytes->size > (uint64_t)s->options.file_bytes)
        return rf_fail(err, RF_ELIMIT, "the file is larger than those that are kept");
    if (s->options.leave_files && bytes->kind == RF_BYTES_FILE)
        return rf_fail(err, RF_EUNSUPPORTED, "files stay where they are");
    enum rf_code rc = rf_store_hold(s, err);
    if (rc)
        return rc;
    rc = keep_held(s, bytes, a, blob, err);
    rf_store_release(s);
    return rc;
}

/* Finding by the beginning of a hash. */

struct found {
    struct rf_hash hash;
    size_t count;
};

static enum rf_code take_hash(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct found *f = ctx;
    (void)count;
    if (!rf_hash_read_hex(columns[0].text, &f->hash))
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a blob has no hash");
    f->count++;
    return RF_OK;
}

static bool is_id(struct rf_str id)
{
    if (!rf_str_starts(id, "att_") || id.n != 4 + ID_HEX)
        return false;
    for (size_t i = 4; i < id.n; i++)
        if (!memchr("0123456789abcdef", id.p[i], 16))
            return false;
    return true;
}

/* 'g' comes behind every digit. */
static enum rf_code by_id(struct rf_store *s, struct rf_str id, struct rf_arena *a,
                          struct rf_hash *out, struct rf_err *err)
{
    struct found f = { 0 };
    struct rf_str from = { id.p + 4, ID_HEX }, end = rf_str_join(a, from, RF_STR("g"));
    const struct rf_sql_value range[] = { rf_sql_text(from), rf_sql_text(end) };
    enum rf_code rc =
        rf_store_query(s, "SELECT hash FROM blobs WHERE hash >= $1 AND hash < $2 LIMIT 2", range, 2,
                       take_hash, &f, err);
    if (rc)
        return rc;
    if (!f.count)
        return rf_fail(err, RF_ENOTFOUND, "there is no blob of this id");
    if (f.count > 1) {
        rf_fail(err, RF_EUSAGE, "two attachments have this id");
        rf_hint(err, "Use sha256: and the whole hash.");
        return RF_EUSAGE;
    }
    *out = f.hash;
    return RF_OK;
}

static enum rf_code find(void *ctx, struct rf_str id, struct rf_arena *a, struct rf_bytes *out,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_store *s = ctx;
    struct rf_hash hash;
    struct rf_blob_row row;
    enum rf_code rc = RF_OK;
    if (is_id(id))
        rc = by_id(s, id, a, &hash, err);
    else if (!rf_hash_read(id, &hash))
        rc = rf_fail(err, RF_ENOTFOUND, "this is no id");
    if (!rc)
        rc = rf_store_find_blob(s, &hash, a, &row, err);
    if (!rc)
        rc = rf_blobs_get(s->blobs, &hash, row.object, a, out, err);
    if (!rc)
        *blob = rf_hash_write(&hash, a);
    return rc;
}

void rf_tools_store(struct rf_tools *t, struct rf_store *s)
{
    t->attachments = (struct rf_attachments){ .ctx = s, .keep = keep, .find = find };
}
