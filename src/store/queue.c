#include "store/queue.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/message.h"
#include "content/reply.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_TOKENS ((int64_t)1000000000000) /* of one answer: a million of them can be added up */
#define MOST_NAME 1000 /* bytes of a name in a column; messages have all of it */
#define MOST_WORDS 300 /* of a provider's reason */
#define MOST_TITLE 100 /* bytes of a title of our own */

void rf_queue_drop(struct rf_session *s)
{
    struct rf_arena *a = s->queue->arena;
    if (s->queue->holds)
        rf_store_release(s->store);
    rf_arena_reset(a);
    *s->queue = (struct rf_queue){ .arena = a };
}

/* Taking in */

/* What an answer cost: as it says itself, or as was read of it. */
static int64_t tokens_of(const struct rf_message *m, int64_t said, const char *name)
{
    const struct rf_jval *v = rf_jval_get(rf_jval_get(m->extra, "usage"), name);
    int64_t n = said;
    if ((!m->ending && (!v || !rf_jval_int64(v, &n))) || n < 0)
        return 0;
    return n < MOST_TOKENS ? n : MOST_TOKENS;
}

static void describe(const struct rf_message *m, struct rf_arena *a, struct rf_queued_message *out)
{
    const struct rf_usage none = { 0 }, *usage = m->ending ? &m->ending->usage : &none;
    out->role = rf_role_name(m->role);
    out->created_ms = rf_epoch_ms();
    if (m->role != RF_ROLE_ASSISTANT)
        return;
    out->provider = rf_session_plain(m->origin_provider, MOST_NAME, a);
    out->model = rf_session_plain(m->origin_model, MOST_NAME, a);
    out->input_tokens = tokens_of(m, usage->input, "input_tokens");
    out->output_tokens = tokens_of(m, usage->output, "output_tokens");
}

static enum rf_code keep(struct rf_session *s, struct rf_message *m, struct rf_queued_message *out,
                         struct rf_err *err)
{
    struct rf_arena *a = s->queue->arena;
    const struct rf_asset_place place = {
        .base = s->base,
        .root = s->root,
        .kept = s->store->options.made,
    };
    enum rf_code rc = rf_keep_message(s, m, &place, a, &out->kept, err);
    if (!rc && out->kept.body.n > RF_MAX_DOCUMENT_BYTES - s->bytes - s->queue->bytes) {
        rc = rf_fail(err, RF_ELIMIT, "session %s would have over %zu bytes", s->id,
                     RF_MAX_DOCUMENT_BYTES);
        rf_hint(err, "Begin a new conversation.");
    }
    return rc;
}

enum rf_code rf_queue_message(struct rf_session *s, const struct rf_message *m, struct rf_arena *a,
                              struct rf_message *kept, struct rf_err *err)
{
    struct rf_queue *q = s->queue;
    struct rf_queued_message queued = { 0 };
    struct rf_message as_kept = *m;
    enum rf_code rc = q->holds ? RF_OK : rf_store_hold(s->store, err);
    if (rc)
        return rc;
    if (!q->holds)
        q->opened = s->store->sql->opened;
    q->holds = true;
    rc = rf_mark_make(queued.mark, err);
    if (!rc)
        rc = keep(s, &as_kept, &queued, err);
    if (rc)
        return rc;
    if (kept)
        *kept = rf_message_copy(&as_kept, a);
    describe(m, q->arena, &queued);
    q->bytes += queued.kept.body.n;
    *RF_PUSH(q->arena, q->messages, q->message_count, q->message_cap) = queued;
    return RF_OK;
}

void rf_queue_settings(struct rf_session *s, struct rf_str settings)
{
    struct rf_queue *q = s->queue;
    size_t n = q->settings_count;
    if (rf_str_eq(settings, n ? q->settings[n - 1].body : s->settings))
        return;
    *RF_PUSH(q->arena, q->settings, q->settings_count, q->settings_cap) =
        (struct rf_queued_settings){
            .number = s->count + (int64_t)q->message_count,
            .body = settings,
        };
}

void rf_queue_sent(struct rf_session *s, const struct rf_queued_sent *sent)
{
    struct rf_queue *q = s->queue;
    const struct rf_sent_way *way = &sent->way;
    *RF_PUSH(q->arena, q->sent, q->sent_count, q->sent_cap) = (struct rf_queued_sent){
        .hash = sent->hash,
        .way = {
            .delivery = rf_session_plain(way->delivery, MOST_NAME, q->arena),
            .form = rf_session_plain(way->form, MOST_NAME, q->arena),
            .as = rf_session_plain(way->as, MOST_NAME, q->arena),
            .lost = rf_session_plain(way->lost, MOST_NAME, q->arena),
            .provider = rf_session_plain(way->provider, MOST_NAME, q->arena),
            .model = rf_session_plain(way->model, MOST_NAME, q->arena),
        },
        .at_ms = sent->at_ms,
    };
}

void rf_queue_dropped(struct rf_session *s, const struct rf_hash *hash)
{
    struct rf_queue *q = s->queue;
    *RF_PUSH(q->arena, q->dropped, q->dropped_count, q->dropped_cap) = *hash;
}

void rf_queue_remade(struct rf_session *s, const struct rf_queued_remade *remade)
{
    struct rf_queue *q = s->queue;
    *RF_PUSH(q->arena, q->remade, q->remade_count, q->remade_cap) = (struct rf_queued_remade){
        .hash = remade->hash,
        .provider = rf_session_plain(remade->provider, MOST_NAME, q->arena),
        .reason = rf_session_plain(remade->reason, MOST_WORDS, q->arena),
        .at_ms = remade->at_ms,
    };
}

/* Writing: inside of the transaction */

static enum rf_code fail_changed(const struct rf_session *s, struct rf_err *err)
{
    rf_fail(err, RF_EPERMISSION, "session %s is not what it was when it was opened", s->id);
    rf_hint(err, "Another process wrote to it or removed it meanwhile; open it again.");
    return RF_EPERMISSION;
}

static enum rf_code write_settings(struct rf_session *s, const struct rf_queued_settings *settings,
                                   struct rf_err *err)
{
    return rf_sql_run(s->store->sql,
                      "INSERT INTO settings (session, number, body) VALUES ($1, $2, $3) "
                      "ON CONFLICT (session, number) DO UPDATE SET body = excluded.body",
                      RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_number(settings->number),
                                rf_sql_text(settings->body)),
                      NULL, NULL, err);
}

/* A message may name a blob that is not there: nothing is known of it, then. */
static enum rf_code write_sent(struct rf_session *s, const struct rf_queued_sent *sent,
                               struct rf_err *err)
{
    const struct rf_sent_way *way = &sent->way;
    return rf_sql_run(
        s->store->sql,
        "INSERT INTO sent (session, hash, provider, model, delivery, as_what, form, lost, at) "
        "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 "
        "WHERE EXISTS (SELECT 1 FROM media WHERE session = $1 AND hash = $2) "
        "ON CONFLICT (session, hash, provider, model) DO UPDATE "
        "SET delivery = excluded.delivery, as_what = excluded.as_what, form = excluded.form, "
        "lost = excluded.lost, at = excluded.at",
        RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_text(rf_str(sent->hash.hex)),
                  rf_sql_text(way->provider), rf_sql_text(way->model), rf_sql_text(way->delivery),
                  rf_sql_text(way->as), rf_sql_text(way->form), rf_sql_text(way->lost),
                  rf_sql_number(sent->at_ms)),
        NULL, NULL, err);
}

static enum rf_code write_dropped(struct rf_session *s, const struct rf_hash *hash,
                                  struct rf_err *err)
{
    return rf_sql_run(
        s->store->sql, "INSERT INTO dropped (session, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_text(rf_str(hash->hex))), NULL, NULL, err);
}

static enum rf_code write_remade(struct rf_session *s, const struct rf_queued_remade *remade,
                                 struct rf_err *err)
{
    return rf_sql_run(s->store->sql,
                      "INSERT INTO refused (hash, provider, reason, at, remade) "
                      "VALUES ($1, $2, $3, $4, 1) ON CONFLICT DO NOTHING",
                      RF_VALUES(rf_sql_text(rf_str(remade->hash.hex)),
                                rf_sql_text(remade->provider), rf_sql_text(remade->reason),
                                rf_sql_number(remade->at_ms)),
                      NULL, NULL, err);
}

static enum rf_code count_file(struct rf_session *s, const struct rf_hash *hash, struct rf_err *err)
{
    bool had = false;
    enum rf_code rc =
        rf_sql_run(s->store->sql, "SELECT 1 FROM media WHERE hash = $1 AND session = $2 LIMIT 1",
                   RF_VALUES(rf_sql_text(rf_str(hash->hex)), rf_sql_text(rf_str(s->id))),
                   rf_sql_saw_row, &had, err);
    if (!rc && !had)
        s->queue->files++;
    return rc;
}

static int by_hash(const void *a, const void *b)
{
    const struct rf_blob_row *const *x = a, *const *y = b;
    return memcmp((*x)->hash.hex, (*y)->hash.hex, RF_HASH_HEX);
}

/* Once each and in the order of their hashes: of two that write the same blobs, one waits for
 * the other, and never both. */
static enum rf_code enter_blobs(struct rf_session *s, struct rf_err *err)
{
    const struct rf_queue *q = s->queue;
    const struct rf_blob_row **rows = NULL;
    size_t count = 0, cap = 0;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; i < q->message_count; i++)
        for (size_t f = 0; f < q->messages[i].kept.count; f++)
            *RF_PUSH(q->arena, rows, count, cap) = &q->messages[i].kept.files[f].row;
    if (count)
        qsort(rows, count, sizeof *rows, by_hash);
    for (size_t i = 0; !rc && i < count; i++)
        if (i == 0 || by_hash(&rows[i - 1], &rows[i]) != 0)
            rc = rf_store_enter_blob(s->store, rows[i], err);
    return rc;
}

static enum rf_code write_file(struct rf_session *s, int64_t number, int64_t place,
                               const struct rf_kept_file *f, struct rf_err *err)
{
    struct rf_arena *a = s->queue->arena;
    s->no_files = false;
    enum rf_code rc = count_file(s, &f->row.hash, err);
    if (!rc)
        rc = rf_sql_run(s->store->sql,
                        "INSERT INTO media (session, number, place, hash, id, kind, name, mime, "
                        "width, height, duration_ms) "
                        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                        RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_number(number),
                                  rf_sql_number(place), rf_sql_text(rf_str(f->row.hash.hex)),
                                  rf_sql_text(rf_session_plain(f->id, MOST_NAME, a)),
                                  rf_sql_text(rf_session_plain(f->kind, MOST_NAME, a)),
                                  rf_sql_text(rf_session_plain(f->name, MOST_NAME, a)),
                                  rf_sql_text(rf_session_plain(f->mime, MOST_NAME, a)),
                                  rf_sql_number(f->width), rf_sql_number(f->height),
                                  rf_sql_number(f->duration_ms)),
                        NULL, NULL, err);
    return rc;
}

static enum rf_code write_message(struct rf_session *s, int64_t number,
                                  const struct rf_queued_message *m, struct rf_err *err)
{
    int64_t changed = 0;
    enum rf_code rc = rf_sql_change(
        s->store->sql,
        "INSERT INTO messages (session, number, mark, created, role, provider, model, "
        "input_tokens, output_tokens, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
        "ON CONFLICT DO NOTHING",
        RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_number(number), rf_sql_text(rf_str(m->mark)),
                  rf_sql_number(m->created_ms), rf_sql_text(rf_str(m->role)),
                  rf_sql_text(m->provider), rf_sql_text(m->model), rf_sql_number(m->input_tokens),
                  rf_sql_number(m->output_tokens), rf_sql_text(m->kept.body)),
        &changed, err);
    if (!rc && changed != 1)
        rc = fail_changed(s, err);
    for (size_t i = 0; !rc && i < m->kept.count; i++)
        rc = write_file(s, number, (int64_t)i, &m->kept.files[i], err);
    return rc;
}

/* What the queue adds to the session's own row. */
static struct rf_session_info sum_up(const struct rf_session *s)
{
    const struct rf_queue *q = s->queue;
    struct rf_session_info sum = {
        .id = rf_str(s->id),
        .title = s->title,
        .updated_ms = rf_epoch_ms(),
        .messages = s->count + (int64_t)q->message_count,
        .files = q->files,
    };
    sum.created_ms = sum.updated_ms;
    for (size_t i = 0; i < q->message_count; i++) {
        const struct rf_queued_message *m = &q->messages[i];
        sum.input_tokens += m->input_tokens;
        sum.output_tokens += m->output_tokens;
        if (m->provider.n || m->model.n) {
            sum.provider = m->provider;
            sum.model = m->model;
        }
        if (!s->titled && !sum.title.n)
            sum.title = rf_session_heading(m->kept.first_words, MOST_TITLE, q->arena);
    }
    return sum;
}

static enum rf_code update_session(struct rf_session *s, const struct rf_session_info *sum,
                                   struct rf_err *err)
{
    int64_t changed = 0;
    enum rf_code rc = rf_sql_change(
        s->store->sql,
        "UPDATE sessions SET updated = $1, messages = $2, files = files + $3, used = " RF_NEXT_USE
        ", "
        "provider = CASE WHEN $4 = '' THEN provider ELSE $4 END, "
        "model = CASE WHEN $5 = '' THEN model ELSE $5 END, "
        "input_tokens = input_tokens + $6, output_tokens = output_tokens + $7, "
        "title = CASE WHEN titled = 0 THEN $8 ELSE title END WHERE id = $9 AND messages = $10",
        RF_VALUES(rf_sql_number(sum->updated_ms), rf_sql_number(sum->messages),
                  rf_sql_number(sum->files), rf_sql_text(sum->provider), rf_sql_text(sum->model),
                  rf_sql_number(sum->input_tokens), rf_sql_number(sum->output_tokens),
                  rf_sql_text(sum->title), rf_sql_text(sum->id), rf_sql_number(s->count)),
        &changed, err);
    return !rc && changed != 1 ? fail_changed(s, err) : rc;
}

static enum rf_code write_all(struct rf_session *s, struct rf_session_info *sum, struct rf_err *err)
{
    struct rf_queue *q = s->queue;
    const struct rf_queued_settings first = { .number = 0, .body = s->settings };
    enum rf_code rc = s->is_new && s->settings.n ? write_settings(s, &first, err) : RF_OK;
    q->files = 0;
    if (!rc)
        rc = enter_blobs(s, err);
    for (size_t i = 0; !rc && i < q->message_count; i++)
        rc = write_message(s, s->count + (int64_t)i, &q->messages[i], err);
    for (size_t i = 0; !rc && i < q->settings_count; i++)
        rc = write_settings(s, &q->settings[i], err);
    for (size_t i = 0; !rc && i < q->dropped_count; i++)
        rc = write_dropped(s, &q->dropped[i], err);
    for (size_t i = 0; !rc && i < q->remade_count; i++)
        rc = write_remade(s, &q->remade[i], err);
    *sum = sum_up(s);
    if (!rc)
        rc = s->is_new ? rf_session_insert(s->store, sum, s->titled, err)
                       : update_session(s, sum, err);
    return rc;
}

/* Again, after a connection broke */

static enum rf_code is_there(struct rf_session *s, bool *there, struct rf_err *err)
{
    const struct rf_queue *q = s->queue;
    if (!q->message_count)
        return RF_OK;
    size_t last = q->message_count - 1;
    return rf_sql_run(s->store->sql,
                      "SELECT 1 FROM messages WHERE session = $1 AND number = $2 AND mark = $3",
                      RF_VALUES(rf_sql_text(rf_str(s->id)), rf_sql_number(s->count + (int64_t)last),
                                rf_sql_text(rf_str(q->messages[last].mark))),
                      rf_sql_saw_row, there, err);
}

/* Without the connection the blobs were not held, either. */
static enum rf_code check_blobs(struct rf_session *s, struct rf_err *err)
{
    const struct rf_queue *q = s->queue;
    for (size_t i = 0; i < q->message_count; i++) {
        const struct rf_kept *kept = &q->messages[i].kept;
        for (size_t f = 0; f < kept->count; f++)
            if (!rf_blobs_has(s->store->blobs, &kept->files[f].row.hash, kept->files[f].row.object))
                return rf_fail(err, RF_EIO, "file %.*s was taken away before its message was kept",
                               RF_FMT(kept->files[f].id));
    }
    return RF_OK;
}

struct writing {
    struct rf_session *session;
    struct rf_session_info sum;
};

static enum rf_code write_queue(struct rf_store *store, void *ctx, struct rf_err *err)
{
    struct writing *w = ctx;
    struct rf_session *s = w->session;
    struct rf_queue *q = s->queue;
    bool there = false, only_sent = !q->message_count && !q->settings_count;
    bool broke = q->tried || (q->holds && q->opened != store->sql->opened);
    enum rf_code rc = only_sent ? RF_OK : rf_session_check_ours(s, err);
    if (!rc && q->tried)
        rc = is_there(s, &there, err);
    q->tried = true;
    if (!rc && broke && !there)
        rc = check_blobs(s, err);
    if (!rc && !there && !only_sent)
        rc = write_all(s, &w->sum, err);
    for (size_t i = 0; !rc && i < q->sent_count; i++)
        rc = write_sent(s, &q->sent[i], err);
    return rc;
}

/* The last that were queued. */
static void take_settings(struct rf_session *s)
{
    const struct rf_queue *q = s->queue;
    if (q->settings_count)
        s->settings = rf_str_dup(s->arena, q->settings[q->settings_count - 1].body);
}

/* The session as it is now that the queue was written. */
static void settle(struct rf_session *s, const struct rf_session_info *sum)
{
    const struct rf_queue *q = s->queue;
    if (q->message_count)
        s->is_new = false;
    s->count += (int64_t)q->message_count;
    s->bytes += q->bytes;
    take_settings(s);
    if (!rf_str_eq(s->title, sum->title) && sum->title.n)
        s->title = rf_str_dup(s->arena, sum->title);
}

/* A new session is kept from its first message on: until then its settings wait. */
static bool waits_for_message(struct rf_session *s)
{
    const struct rf_queue *q = s->queue;
    if (!s->is_new || q->message_count)
        return false;
    take_settings(s);
    return true;
}

enum rf_code rf_queue_commit(struct rf_session *s, struct rf_err *err)
{
    struct writing w = { .session = s };
    const struct rf_queue *q = s->queue;
    enum rf_code rc = RF_OK;
    bool empty = !q->message_count && !q->settings_count && !q->sent_count;
    if (!empty && !waits_for_message(s)) {
        rc = rf_store_transact(s->store, write_queue, &w, err);
        if (!rc)
            settle(s, &w.sum);
        else if (s->store->sql->lost)
            rf_hint(err, "It is not known whether this was kept: open the session again to see.");
    }
    rf_queue_drop(s);
    return rc;
}
