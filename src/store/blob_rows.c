/* The table of blobs: entering one and finding one.
 *
 * A blob has one row, however many sessions refer to it. The row of a large object is made with
 * it, by blobs_database.c; then entering it adds the look. */
#include "base/arena.h"
#include "store/store.h"

enum rf_code rf_store_enter_blob(struct rf_store *s, const struct rf_blob_row *row,
                                 struct rf_err *err)
{
    return rf_sql_run(
        s->sql,
        "INSERT INTO blobs (hash, size, look, touched, object) VALUES ($1, $2, $3, $4, $5) "
        /* A look of the same version depends on the bytes alone, and may know more by now. */
        "ON CONFLICT (hash) DO UPDATE SET touched = excluded.touched, look = CASE WHEN "
        "substr(blobs.look, 1, 5) = substr(excluded.look, 1, 5) THEN blobs.look "
        "ELSE excluded.look END",
        RF_VALUES(rf_sql_text(rf_str(row->hash.hex)), rf_sql_number(row->size),
                  rf_sql_text(row->look), rf_sql_number(rf_epoch_ms()), rf_sql_number(row->object)),
        NULL, NULL, err);
}

struct learned {
    struct rf_str hex, look;
};

static enum rf_code keep_look(struct rf_store *s, void *ctx, struct rf_err *err)
{
    const struct learned *l = ctx;
    return rf_sql_run(s->sql, "UPDATE blobs SET look = $1 WHERE hash = $2",
                      RF_VALUES(rf_sql_text(l->look), rf_sql_text(l->hex)), NULL, NULL, err);
}

void rf_store_learn_look(struct rf_store *s, const struct rf_hash *hash,
                         const struct rf_inspection *look)
{
    struct rf_arena *a = rf_arena_new();
    struct learned l = { rf_str(hash->hex), rf_inspection_write(look, a) };
    enum rf_code rc = rf_store_transact(s, keep_look, &l, NULL);
    (void)rc; /* else it is found out again */
    rf_arena_free(a);
}

struct wanted {
    struct rf_arena *arena;
    struct rf_blob_row *row;
    bool found;
};

static enum rf_code take_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                             struct rf_err *err)
{
    struct wanted *w = ctx;
    (void)count, (void)err;
    w->row->size = columns[0].number;
    w->row->object = columns[1].number;
    w->row->look = rf_str_dup(w->arena, columns[2].text);
    w->found = true;
    return RF_OK;
}

enum rf_code rf_store_find_blob(struct rf_store *s, const struct rf_hash *hash, struct rf_arena *a,
                                struct rf_blob_row *out, struct rf_err *err)
{
    struct rf_blob_row row = { .hash = *hash };
    struct wanted w = { .arena = a, .row = &row };
    enum rf_code rc = rf_store_query(s, "SELECT size, object, look FROM blobs WHERE hash = $1",
                                     RF_VALUES(rf_sql_text(rf_str(hash->hex))), take_row, &w, err);
    if (rc)
        return rc;
    if (!w.found)
        return rf_fail(err, RF_ENOTFOUND, "there is no blob sha256:%s in the store", hash->hex);
    *out = row;
    return RF_OK;
}
