/* A new session with the beginning of another: its messages, what they refer to, the settings of
 * that time.
 *
 * The rows are copied, the blobs are shared. All of it is one transaction, and no blob can be taken
 * away meanwhile. */
#include "base/arena.h"
#include "store/store.h"

#include <inttypes.h>

struct forking {
    struct rf_session *from, *to;
    int64_t messages; /* that are wanted, then those that there are */
    bool titled;
    struct rf_session_info sum;
    struct rf_arena *arena;
};

static enum rf_code take_parent(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    struct forking *f = ctx;
    (void)count, (void)err;
    f->sum.title = rf_str_dup(f->arena, columns[0].text);
    f->titled = columns[1].number != 0;
    f->sum.parent_messages = columns[2].number;
    return RF_OK;
}

static enum rf_code read_parent(struct rf_store *s, struct forking *f, struct rf_err *err)
{
    f->sum.parent_messages = -1;
    enum rf_code rc =
        rf_sql_run(s->sql, "SELECT title, titled, messages FROM sessions WHERE id = $1",
                   RF_VALUES(rf_sql_text(f->sum.parent)), take_parent, f, err);
    if (rc)
        return rc;
    if (f->sum.parent_messages < 0)
        return rf_fail(err, RF_ENOTFOUND, "there is no session \"%s\" any more", f->from->id);
    if (f->messages > f->sum.parent_messages) {
        rf_fail(err, RF_EUSAGE, "session %s has %" PRId64 " messages, not %" PRId64, f->from->id,
                f->sum.parent_messages, f->messages);
        rf_hint(err, "Fork it at one of them, or with all of them.");
        return RF_EUSAGE;
    }
    if (f->messages >= 0)
        f->sum.parent_messages = f->messages;
    f->sum.messages = f->sum.parent_messages;
    if (!f->titled && !f->sum.messages) /* its first words are still to come */
        f->sum.title = RF_STR("");
    return RF_OK;
}

#define COPY_MESSAGES                                                                       \
    "INSERT INTO messages (session, number, mark, created, role, provider, model, "         \
    "input_tokens, output_tokens, body) "                                                   \
    "SELECT CAST($1 AS TEXT), number, mark, created, role, provider, model, input_tokens, " \
    "output_tokens, body FROM messages WHERE session = $2 AND number < $3"
#define COPY_MEDIA                                                                           \
    "INSERT INTO media (session, number, place, hash, id, kind, name, mime, width, height, " \
    "duration_ms) "                                                                          \
    "SELECT CAST($1 AS TEXT), number, place, hash, id, kind, name, mime, width, height, "    \
    "duration_ms FROM media WHERE session = $2 AND number < $3"
#define COPY_SETTINGS                               \
    "INSERT INTO settings (session, number, body) " \
    "SELECT CAST($1 AS TEXT), number, body FROM settings WHERE session = $2 AND number <= $3"
#define COPY_DROPPED                       \
    "INSERT INTO dropped (session, hash) " \
    "SELECT CAST($1 AS TEXT), hash FROM dropped WHERE session = $2"

static enum rf_code copy_rows(struct rf_store *s, const struct forking *f, struct rf_err *err)
{
    const struct rf_sql_value values[] = { rf_sql_text(f->sum.id), rf_sql_text(f->sum.parent),
                                           rf_sql_number(f->sum.messages) };
    enum rf_code rc = rf_sql_run(s->sql, COPY_MESSAGES, values, 3, NULL, NULL, err);
    if (!rc)
        rc = rf_sql_run(s->sql, COPY_MEDIA, values, 3, NULL, NULL, err);
    if (!rc)
        rc = rf_sql_run(s->sql, COPY_SETTINGS, values, 3, NULL, NULL, err);
    if (!rc)
        rc = rf_sql_run(s->sql, COPY_DROPPED, values, 2, NULL, NULL, err);
    return rc;
}

static enum rf_code take_sums(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct rf_session_info *sum = ctx;
    (void)count, (void)err;
    sum->input_tokens = columns[0].number;
    sum->output_tokens = columns[1].number;
    sum->files = columns[2].number;
    return RF_OK;
}

static enum rf_code take_origin(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    struct forking *f = ctx;
    (void)count, (void)err;
    f->sum.provider = rf_str_dup(f->arena, columns[0].text);
    f->sum.model = rf_str_dup(f->arena, columns[1].text);
    return RF_OK;
}

static enum rf_code sum_up(struct rf_store *s, struct forking *f, struct rf_err *err)
{
    const struct rf_sql_value values[] = { rf_sql_text(f->sum.id), rf_sql_text(f->sum.id) };
    enum rf_code rc = rf_sql_run(s->sql,
                                 "SELECT CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT), "
                                 "CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT), "
                                 "(SELECT COUNT(DISTINCT hash) FROM media WHERE session = $1) "
                                 "FROM messages WHERE session = $2",
                                 values, 2, take_sums, &f->sum, err);
    if (!rc)
        rc = rf_sql_run(s->sql,
                        "SELECT provider, model FROM messages WHERE session = $1 "
                        "AND (provider <> '' OR model <> '') ORDER BY number DESC LIMIT 1",
                        values, 1, take_origin, f, err);
    return rc;
}

static enum rf_code fork_rows(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct forking *f = ctx;
    f->sum = (struct rf_session_info){ .id = rf_str(f->to->id), .parent = rf_str(f->from->id) };
    f->sum.created_ms = f->sum.updated_ms = rf_epoch_ms();
    enum rf_code rc = rf_session_check_ours(f->to, err);
    if (!rc) /* a commit that broke may have left what is made once more */
        rc = rf_session_delete(s, f->sum.id, err);
    if (!rc)
        rc = read_parent(s, f, err);
    if (!rc)
        rc = copy_rows(s, f, err);
    if (!rc)
        rc = sum_up(s, f, err);
    return rc ? rc : rf_session_insert(s, &f->sum, f->titled, err);
}

static enum rf_code fork_into(struct forking *f, struct rf_err *err)
{
    struct rf_store *store = f->to->store;
    enum rf_code rc = rf_store_hold(store, err);
    if (rc)
        return rc;
    rc = rf_store_transact(store, fork_rows, f, err);
    rf_store_release(store);
    if (!rc) {
        f->to->is_new = false;
        f->to->count = f->sum.messages;
        f->to->no_files = false;
        f->to->title = rf_str_dup(f->to->arena, f->sum.title);
        f->to->titled = f->titled;
    }
    return rc;
}

enum rf_code rf_session_fork(struct rf_store *s, const char *id, int64_t messages,
                             struct rf_session **out, struct rf_err *err)
{
    struct forking f = { .messages = messages };
    enum rf_code rc = rf_session_open(s, id, false, &f.from, err);
    if (!rc)
        rc = rf_session_new(s, &f.to, err);
    f.arena = rf_arena_new();
    if (!rc)
        rc = fork_into(&f, err);
    if (rc)
        rf_session_close(f.to);
    else
        *out = f.to;
    rf_session_close(f.from);
    rf_arena_free(f.arena);
    return rc;
}
