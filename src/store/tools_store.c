/* The tools with a session behind them: what they read is kept in the moment they read it, and what
 * the session has can be read again by its id. Ids are those that hashes give; ids that somebody
 * chose lead nowhere here. */
#include "base/arena.h"
#include "source/read.h"
#include "store/keep.h"

static enum rf_code enter(struct rf_store *s, void *ctx, struct rf_err *err)
{
    return rf_store_enter_blob(s, ctx, err);
}

static enum rf_code keep_held(struct rf_store *s, const struct rf_bytes *bytes, struct rf_arena *a,
                              struct rf_hash *out, struct rf_err *err)
{
    struct rf_blob_row row;
    struct rf_inspection look;
    uint64_t most = (uint64_t)s->options.file_bytes;
    enum rf_code rc = rf_keep_bytes(s, *bytes, NULL, most, a, &row, &look, err);
    if (!rc)
        rc = rf_store_transact(s, enter, &row, err);
    if (!rc)
        *out = row.hash;
    return rc;
}

enum rf_code rf_store_keep(struct rf_store *s, const struct rf_bytes *bytes, struct rf_arena *a,
                           struct rf_hash *out, struct rf_err *err)
{
    if (bytes->size > (uint64_t)s->options.file_bytes)
        return rf_fail(err, RF_ELIMIT, "the file is larger than those that are kept");
    if (s->options.leave_files && bytes->kind == RF_BYTES_FILE)
        return rf_fail(err, RF_EUNSUPPORTED, "files stay where they are");
    enum rf_code rc = rf_store_hold(s, err);
    if (rc)
        return rc;
    rc = keep_held(s, bytes, a, out, err);
    rf_store_release(s);
    return rc;
}

static enum rf_code keep(void *ctx, const struct rf_bytes *bytes, struct rf_arena *a,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_session *s = ctx;
    struct rf_hash hash;
    enum rf_code rc = rf_store_keep(s->store, bytes, a, &hash, err);
    if (rc)
        return rc;
    rf_session_took(s, &hash);
    *blob = rf_hash_write(&hash, a);
    return RF_OK;
}

static enum rf_code find(void *ctx, struct rf_str id, struct rf_arena *a, struct rf_bytes *out,
                         struct rf_str *blob, struct rf_err *err)
{
    struct rf_session *s = ctx;
    struct rf_hash hash;
    struct rf_blob_row row;
    enum rf_code rc = rf_session_reach(s, id, a, &hash, err);
    if (!rc)
        rc = rf_store_find_blob(s->store, &hash, a, &row, err);
    if (!rc)
        rc = rf_blobs_get(s->store->blobs, &hash, row.object, a, out, err);
    if (!rc)
        *blob = rf_hash_write(&hash, a);
    return rc;
}

void rf_tools_session(struct rf_tools *t, struct rf_session *s)
{
    t->attachments = s ? (struct rf_attachments){ .ctx = s, .keep = keep, .find = find }
                       : (struct rf_attachments){ 0 };
}
