/* Importing: what an archive holds goes the way of everything that is added to a session
 * (queue.h), which checks it and keeps it in one transaction. A failure leaves at most blobs
 * that nothing refers to; gc takes them.
 *
 * An archive cannot reach what is not in it: a path on this machine, or a blob that another
 * session of the store has, whose hash somebody happens to know, becomes a note. What it says
 * about owners does not count here, its parent is another store's business, and it can have a
 * file made anew for a provider but take none away from one. */
#include "base/arena.h"
#include "content/message.h"
#include "store/queue.h"
#include "store/transfer.h"

#include <stdio.h>

#define MOST_TITLE 300 /* bytes */
#define FIELDS(table) table, sizeof table / sizeof *table

static enum rf_code enter_blobs(struct rf_store *s, void *ctx, struct rf_err *err)
{
    const struct rf_import *x = ctx;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < x->count; i++)
        rc = rf_store_enter_blob(s, &x->blobs[i].row, err);
    return rc;
}

/* Messages */

/* Does the source lead to something that the archive does not have? */
static bool leads_out(const struct rf_import *x, const struct rf_source *s)
{
    return s->kind == RF_SOURCE_PATH || (s->kind == RF_SOURCE_BLOB && !rf_import_find(x, s->ref));
}

static void write_note(struct rf_import *x, struct rf_block *b)
{
    const struct rf_media *m = &b->media;
    struct rf_str name =
        rf_session_plain(m->name.n ? m->name : m->source.ref, RF_MAX_NAME_SHOWN, x->arena);
    struct rf_str note =
        rf_strf(x->arena, "[%s \"%.*s\": the session was imported without it]%s%.*s",
                rf_block_type_name(b->type), RF_FMT(name), b->text_fallback.n ? "\n" : "",
                RF_FMT(b->text_fallback));
    *b = (struct rf_block){ .type = RF_BLOCK_TEXT, .text = note };
}

static void hold_back(const struct rf_import *x, struct rf_str *blob)
{
    if (blob->n && !rf_import_find(x, *blob))
        *blob = RF_STR("");
}

/* The message without what leads out of the archive. */
static void confine(struct rf_import *x, struct rf_message *m)
{
    hold_back(x, &m->full_output);
    hold_back(x, &m->full_error);
    for (size_t i = 0; i < m->block_count; i++) {
        struct rf_block *b = &m->blocks[i];
        hold_back(x, &b->full_text);
        if (!rf_block_is_media(b->type))
            continue;
        hold_back(x, &b->media.source.blob);
        if (leads_out(x, &b->media.source))
            write_note(x, b);
    }
}

struct line {
    int64_t created_ms;
    const struct rf_jval *message;
};

static const struct rf_jfield line_fields[] = {
    { "created", RF_FIELD_INT, offsetof(struct line, created_ms), false },
    { "message", RF_FIELD_OBJECT, offsetof(struct line, message), true },
};

static int64_t not_later_than_now(int64_t ms)
{
    int64_t now = rf_epoch_ms();
    return ms > 0 && ms < now ? ms : now;
}

static enum rf_code read_line(struct rf_import *x, struct rf_str text, struct rf_err *err)
{
    const struct rf_jpath at = { .field = "message" };
    const struct rf_jval *root;
    struct line line = { 0 };
    struct rf_message m;
    struct rf_queue *q = x->session->queue;
    enum rf_code rc = rf_jval_parse(text, x->arena, &root, err);
    if (!rc)
        rc = rf_jval_fields(root, NULL, FIELDS(line_fields), x->arena, &line, err);
    if (!rc)
        rc = rf_message_read(line.message, &at, x->arena, &m, err);
    if (rc)
        return rc;
    confine(x, &m);
    rc = rf_queue_message(x->session, &m, NULL, NULL, err);
    if (!rc)
        q->messages[q->message_count - 1].created_ms = not_later_than_now(line.created_ms);
    return rc;
}

/* Settings */

struct settings {
    int64_t from;
    const struct rf_jval *body;
};

static const struct rf_jfield settings_fields[] = {
    { "from", RF_FIELD_INT, offsetof(struct settings, from), true },
    { "body", RF_FIELD_OBJECT, offsetof(struct settings, body), true },
};

/* Those that hold from message `number` on; `*next` goes past them. */
static enum rf_code read_settings(struct rf_import *x, int64_t number, size_t *index,
                                  const struct rf_jval **next, struct rf_err *err)
{
    const struct rf_jpath list = { .field = "settings" };
    while (*next) {
        const struct rf_jpath at = { .up = &list, .index = *index };
        struct settings s = { 0 };
        enum rf_code rc = rf_jval_fields(*next, &at, FIELDS(settings_fields), x->arena, &s, err);
        if (rc)
            return rc;
        if (s.from > number)
            return RF_OK;
        if (s.from < number)
            return rf_fail_at(err, RF_EFORMAT, &at, "from: settings are not in their order");
        rc = rf_session_set(x->session, rf_jval_compact(s.body, x->arena), err);
        if (rc)
            return rc;
        *next = rf_jval_next(x->head.settings, *next);
        (*index)++;
    }
    return RF_OK;
}

static enum rf_code read_lines(struct rf_import *x, struct rf_err *err)
{
    const struct rf_jval *next = x->head.settings ? rf_jval_first(x->head.settings) : NULL;
    struct rf_str line;
    int64_t number = 0;
    size_t index = 0;
    enum rf_code rc = read_settings(x, 0, &index, &next, err);
    while (!rc && rf_str_split(&x->lines, '\n', &line)) {
        if (number == x->head.messages)
            return rf_import_refuse(err, "it has more messages than it says");
        rc = read_line(x, line, err);
        number++;
        if (rc) {
            char place[64];
            snprintf(place, sizeof place, RF_TRANSFER_SESSION ", line %lld", (long long)number + 1);
            rf_err_at(err, place);
        } else {
            rc = read_settings(x, number, &index, &next, err);
        }
    }
    if (!rc && number < x->head.messages)
        rc = rf_import_refuse(err, "it has fewer messages than it says");
    if (!rc && next)
        rc = rf_import_refuse(err, "it has settings after its last message");
    return rc;
}

/* What was done with its files */

struct sent {
    struct rf_str blob;
    struct rf_sent_way way;
    int64_t at_ms;
};

static const struct rf_jfield sent_fields[] = {
    { "blob", RF_FIELD_STR, offsetof(struct sent, blob), true },
    { "provider", RF_FIELD_STR, offsetof(struct sent, way.provider), true },
    { "model", RF_FIELD_STR, offsetof(struct sent, way.model), true },
    { "delivery", RF_FIELD_STR, offsetof(struct sent, way.delivery), true },
    { "as", RF_FIELD_STR, offsetof(struct sent, way.as), false },
    { "form", RF_FIELD_STR, offsetof(struct sent, way.form), false },
    { "lost", RF_FIELD_STR, offsetof(struct sent, way.lost), false },
    { "at", RF_FIELD_INT, offsetof(struct sent, at_ms), false },
};

static enum rf_code read_sent(struct rf_import *x, struct rf_err *err)
{
    const struct rf_jval *list = x->head.sent;
    const struct rf_jpath up = { .field = "sent" };
    struct rf_jpath at = { .up = &up };
    enum rf_code rc = RF_OK;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v && !rc;
         v = rf_jval_next(list, v), at.index++) {
        struct sent s = { 0 };
        rc = rf_jval_fields(v, &at, FIELDS(sent_fields), x->arena, &s, err);
        const struct rf_import_blob *b = rc ? NULL : rf_import_find(x, s.blob);
        if (b)
            rf_queue_sent(x->session, &(struct rf_queued_sent){
                                          .hash = b->row.hash,
                                          .way = s.way,
                                          .at_ms = not_later_than_now(s.at_ms),
                                      });
    }
    return rc;
}

struct remade {
    struct rf_str blob, provider, reason;
    int64_t at_ms;
};

static const struct rf_jfield remade_fields[] = {
    { "blob", RF_FIELD_STR, offsetof(struct remade, blob), true },
    { "provider", RF_FIELD_STR, offsetof(struct remade, provider), true },
    { "reason", RF_FIELD_STR, offsetof(struct remade, reason), false },
    { "at", RF_FIELD_INT, offsetof(struct remade, at_ms), false },
};

static enum rf_code read_remade(struct rf_import *x, struct rf_err *err)
{
    const struct rf_jval *list = x->head.remade;
    const struct rf_jpath up = { .field = "remade" };
    struct rf_jpath at = { .up = &up };
    enum rf_code rc = RF_OK;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v && !rc;
         v = rf_jval_next(list, v), at.index++) {
        struct remade r = { 0 };
        rc = rf_jval_fields(v, &at, FIELDS(remade_fields), x->arena, &r, err);
        const struct rf_import_blob *b = rc ? NULL : rf_import_find(x, r.blob);
        if (b)
            rf_queue_remade(x->session, &(struct rf_queued_remade){
                                            .hash = b->row.hash,
                                            .provider = r.provider,
                                            .reason = r.reason,
                                            .at_ms = not_later_than_now(r.at_ms),
                                        });
    }
    return rc;
}

static void read_dropped(struct rf_import *x)
{
    const struct rf_jval *list = x->head.dropped;
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        const struct rf_import_blob *b =
            v->type == RF_JSTRING ? rf_import_find(x, rf_jval_text(v, x->arena)) : NULL;
        if (b)
            rf_queue_dropped(x->session, &b->row.hash);
    }
}

/* The session */

/* The new session gets the id that it had elsewhere, where it is free here. */
static enum rf_code take_id(struct rf_import *x, struct rf_err *err)
{
    struct rf_session *s = x->session;
    struct rf_sql *sql = x->store->sql;
    const char *id = rf_cstr(x->arena, x->head.id);
    bool taken = false, ours = false;
    if (!rf_id_check(id) || strlen(id) != x->head.id.n || !strchr(id, '-'))
        return rf_fail(err, RF_EFORMAT, RF_TRANSFER_SESSION ", line 1: id: this is not one");
    struct rf_str name = rf_session_lock_name(rf_str(id), x->arena);
    enum rf_code rc = sql->engine->lock(sql, name, false, &ours, err);
    if (rc || !ours)
        return rc;
    rc = rf_store_query(x->store, "SELECT 1 FROM sessions WHERE id = $1",
                        RF_VALUES(rf_sql_text(rf_str(id))), rf_sql_saw_row, &taken, err);
    if (rc || taken) {
        sql->engine->unlock(sql, name, false);
        return rc;
    }
    sql->engine->unlock(sql, rf_session_lock_name(rf_str(s->id), x->arena), false);
    memcpy(s->id, id, strlen(id) + 1);
    return RF_OK;
}

static enum rf_code keep_session(struct rf_import *x, struct rf_err *err)
{
    struct rf_session *s = x->session;
    enum rf_code rc = rf_session_begin(s, err);
    if (!rc)
        rc = read_lines(x, err);
    if (!rc)
        rc = read_sent(x, err);
    if (!rc)
        rc = read_remade(x, err);
    if (rc)
        return rc;
    read_dropped(x);
    rc = rf_session_commit(s, err);
    if (!rc) /* without this it is younger than it was, and nothing else */
        (void)!rf_sql_run(x->store->sql, "UPDATE sessions SET created = $1 WHERE id = $2",
                          RF_VALUES(rf_sql_number(not_later_than_now(x->head.created_ms)),
                                    rf_sql_text(rf_str(s->id))),
                          NULL, NULL, NULL);
    return rc;
}

static enum rf_code import_held(struct rf_import *x, struct rf_err *err)
{
    enum rf_code rc = rf_import_archive(x, err);
    if (!rc)
        rc = rf_store_transact(x->store, enter_blobs, x, err);
    if (!rc)
        rc = rf_session_new(x->store, &x->session, err);
    if (!rc)
        rc = take_id(x, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < x->count; i++)
        rf_session_took(x->session, &x->blobs[i].row.hash);
    if (x->head.titled)
        x->session->title = rf_session_plain(x->head.title, MOST_TITLE, x->session->arena);
    x->session->titled = x->session->title.n > 0;
    return keep_session(x, err);
}

enum rf_code rf_store_import(struct rf_store *s, int fd, char id[RF_SESSION_ID_SIZE],
                             struct rf_err *err)
{
    struct rf_import x = { .store = s, .arena = rf_arena_new() };
    rf_tar_in_init(&x.tar, fd, RF_TRANSFER_MOST_BYTES, RF_TRANSFER_MOST_BLOBS + 1);
    enum rf_code rc = rf_store_hold(s, err);
    if (!rc) {
        rc = import_held(&x, err);
        if (!rc)
            memcpy(id, x.session->id, RF_SESSION_ID_SIZE);
        rf_session_close(x.session);
        rf_store_release(s);
    }
    rf_arena_free(x.arena);
    return rc;
}
