/* Taking away: a session with the blobs that nothing else uses, and what is left over from
 * anywhere.
 *
 * No process puts blobs or refers to them while they are taken away (rf_store_hold_alone). Rows go
 * first, in one transaction with large objects; files go after it, and what a crash leaves of them
 * is an orphan that the next gc finds. */
#include "base/arena.h"
#include "store/spare.h"
#include "store/store.h"

struct orphan {
    struct rf_hash hash;
    int64_t size, object;
};

struct orphans {
    struct rf_arena *arena;
    struct orphan *items;
    size_t count, cap;
    struct rf_str session; /* or empty: of none */
    int64_t before_ms;
};

static enum rf_code take_orphan(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    struct orphans *v = ctx;
    (void)count;
    struct orphan orphan = { .size = columns[1].number, .object = columns[2].number };
    if (!rf_hash_read_hex(columns[0].text, &orphan.hash))
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a blob has no hash");
    *RF_PUSH(v->arena, v->items, v->count, v->cap) = orphan;
    return RF_OK;
}

/* The list is made anew with each attempt: where a commit broke, others may have used a blob of
 * it. */
static enum rf_code begin_list(struct rf_store *s, struct orphans *v, struct rf_err *err)
{
    v->count = 0;
    return rf_store_check_alone(s, err);
}

/* Rows of blobs, and their large objects: in a transaction. */
static enum rf_code delete_blobs(struct rf_store *s, const struct orphans *v, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < v->count; i++) {
        const struct orphan *orphan = &v->items[i];
        const struct rf_sql_value hash = rf_sql_text(rf_str(orphan->hash.hex));
        rc = rf_sql_run(s->sql, "DELETE FROM blobs WHERE hash = $1", &hash, 1, NULL, NULL, err);
        if (!rc)
            rc = rf_sql_run(s->sql, "DELETE FROM refused WHERE hash = $1", &hash, 1, NULL, NULL,
                            err);
        if (!rc && orphan->object)
            rc = rf_blobs_remove(s->blobs, &orphan->hash, orphan->object, err);
    }
    return rc;
}

/* Files of blobs: when their rows are gone for good. */
static enum rf_code remove_files(struct rf_store *s, const struct orphans *v, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < v->count; i++)
        if (!v->items[i].object)
            rc = rf_blobs_remove(s->blobs, &v->items[i].hash, 0, err);
    return rc;
}

/* Taking away needs some room itself: on a full disk the spare file makes it. What is left of it
 * when the store is closed becomes the next one. Freeing the files of blobs first would make room
 * too, and a failure after that would leave a session without its files. */
static bool make_room(struct rf_store *s)
{
    if (!s->sql->full || !rf_spare_give(s->spare))
        return false;
    s->sql->engine->save_room(s->sql);
    return true;
}

static enum rf_code take_away(struct rf_store *s,
                              enum rf_code (*work)(struct rf_store *s, void *ctx,
                                                   struct rf_err *err),
                              struct orphans *v, struct rf_err *err)
{
    enum rf_code rc = rf_store_transact(s, work, v, err);
    if (rc && make_room(s))
        rc = rf_store_transact(s, work, v, err);
    return rc;
}

/* A session */

enum rf_code rf_session_delete(struct rf_store *s, struct rf_str id, struct rf_err *err)
{
    static const char *const statements[] = {
        "DELETE FROM sessions WHERE id = $1",      "DELETE FROM messages WHERE session = $1",
        "DELETE FROM settings WHERE session = $1", "DELETE FROM media WHERE session = $1",
        "DELETE FROM dropped WHERE session = $1",  "DELETE FROM sent WHERE session = $1",
    };
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < sizeof statements / sizeof *statements; i++)
        rc = rf_sql_run(s->sql, statements[i], RF_VALUES(rf_sql_text(id)), NULL, NULL, err);
    return rc;
}

static enum rf_code delete_session(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct orphans *v = ctx;
    enum rf_code rc = begin_list(s, v, err);
    if (!rc)
        rc = rf_sql_run(
            s->sql,
            "SELECT hash, size, object FROM blobs b "
            "WHERE hash IN (SELECT hash FROM media WHERE session = $1) "
            "AND NOT EXISTS (SELECT 1 FROM media m WHERE m.hash = b.hash AND m.session <> $2) "
            "AND touched <= (SELECT updated FROM sessions WHERE id = $3)",
            RF_VALUES(rf_sql_text(v->session), rf_sql_text(v->session), rf_sql_text(v->session)),
            take_orphan, v, err);
    if (!rc)
        rc = rf_session_delete(s, v->session, err);
    return rc ? rc : delete_blobs(s, v, err);
}

/* The same where blobs are being added all the time: they stay, and gc takes them. */
static enum rf_code delete_rows_only(struct rf_store *s, void *ctx, struct rf_err *err)
{
    const struct orphans *v = ctx;
    return rf_session_delete(s, v->session, err);
}

static void count_orphans(const struct orphans *v, struct rf_gc *out)
{
    for (size_t i = 0; i < v->count; i++) {
        out->blobs++;
        out->bytes += v->items[i].size;
    }
}

static enum rf_code count_kept(struct rf_store *s, struct rf_gc *out, struct rf_err *err)
{
    return rf_store_query(s, "SELECT COUNT(*) FROM blobs", NULL, 0, rf_sql_take_number, &out->kept,
                          err);
}

static enum rf_code remove_session(struct rf_store *s, const char *id, struct rf_gc *out,
                                   struct rf_err *err)
{
    struct orphans v = { .arena = rf_arena_new(), .session = rf_str(id) };
    enum rf_code rc = rf_store_hold_alone(s, err);
    if (rc == RF_ELIMIT) {
        rc = take_away(s, delete_rows_only, &v, err);
    } else if (!rc) {
        rc = take_away(s, delete_session, &v, err);
        if (!rc && !remove_files(s, &v, NULL)) /* else the session is gone all the same */
            count_orphans(&v, out);
        rf_store_release_alone(s);
    }
    if (!rc)
        rc = count_kept(s, out, err);
    rf_arena_free(v.arena);
    return rc;
}

enum rf_code rf_store_remove(struct rf_store *s, const char *id, struct rf_gc *freed,
                             struct rf_err *err)
{
    struct rf_gc out = { 0 };
    char found[RF_SESSION_ID_SIZE];
    bool taken = false;
    enum rf_code rc = rf_store_find(s, id, found, err);
    if (rc)
        return rc;
    struct rf_arena *a = rf_arena_new();
    struct rf_str name = rf_session_lock_name(rf_str(found), a);
    rc = s->sql->engine->lock(s->sql, name, false, &taken, err);
    if (!rc && !taken)
        rc = rf_session_fail_locked(s, found, err);
    if (!rc)
        rc = remove_session(s, found, &out, err);
    if (taken)
        s->sql->engine->unlock(s->sql, name, false);
    rf_arena_free(a);
    if (!rc && freed)
        *freed = out;
    return rc;
}

/* Everything that is unused */

static enum rf_code delete_unused(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct orphans *v = ctx;
    enum rf_code rc = begin_list(s, v, err);
    if (!rc)
        rc = rf_sql_run(s->sql,
                        "SELECT hash, size, object FROM blobs b WHERE touched <= $1 "
                        "AND NOT EXISTS (SELECT 1 FROM media m WHERE m.hash = b.hash)",
                        RF_VALUES(rf_sql_number(v->before_ms)), take_orphan, v, err);
    return rc ? rc : delete_blobs(s, v, err);
}

struct sweep {
    struct rf_store *store;
    struct rf_gc *out;
};

/* A file that no row knows. */
static enum rf_code sweep_file(void *ctx, const char *path, const struct rf_hash *hash,
                               uint64_t size, struct rf_err *err)
{
    struct sweep *w = ctx;
    bool used = false;
    enum rf_code rc = RF_OK;
    if (hash) {
        rc = rf_sql_run(w->store->sql, "SELECT 1 FROM blobs WHERE hash = $1",
                        RF_VALUES(rf_sql_text(rf_str(hash->hex))), rf_sql_saw_row, &used, err);
        if (!rc && !used)
            rc = rf_blobs_remove(w->store->blobs, hash, 0, err);
    } else {
        rc = rf_blobs_discard(w->store->blobs, path, err);
    }
    if (rc || used)
        return rc;
    w->out->leftovers++;
    w->out->bytes += (int64_t)size;
    return RF_OK;
}

static int64_t shrink(struct rf_store *s)
{
    if (!s->sql->engine->shrink)
        return 0;
    s->sql->full = false;
    int64_t freed = s->sql->engine->shrink(s->sql);
    if (!freed && make_room(s))
        freed = s->sql->engine->shrink(s->sql);
    return freed;
}

static enum rf_code collect(struct rf_store *s, struct orphans *v, struct rf_gc *out,
                            struct rf_err *err)
{
    struct sweep sweep = { .store = s, .out = out };
    enum rf_code rc = take_away(s, delete_unused, v, err);
    if (!rc)
        rc = remove_files(s, v, err);
    count_orphans(v, out);
    if (!rc) /* whole seconds: the one that has just begun counts */
        rc = rf_blobs_scan(s->blobs, v->before_ms / 1000 + 1, sweep_file, &sweep, err);
    if (!rc)
        out->bytes += shrink(s);
    if (!rc)
        rc = count_kept(s, out, err);
    return rc;
}

enum rf_code rf_store_gc(struct rf_store *s, int64_t age_s, struct rf_gc *out, struct rf_err *err)
{
    struct rf_gc gc = { 0 };
    int64_t now = rf_epoch_ms();
    if (age_s < 0)
        return rf_fail(err, RF_EUSAGE, "an age is not negative");
    struct orphans v = { .before_ms = age_s < now / 1000 ? now - age_s * 1000 : 0 };
    enum rf_code rc = rf_store_hold_alone(s, err);
    if (rc)
        return rc;
    v.arena = rf_arena_new();
    rc = collect(s, &v, &gc, err);
    rf_store_release_alone(s);
    rf_arena_free(v.arena);
    if (!rc)
        *out = gc;
    return rc;
}
