/* Exporting: everything that a session is, as it is; the same session gives the same bytes.
 *
 * What is in it is settled before anything is written: as many messages as there are now, and
 * their blobs, none of which can be taken away meanwhile. Of what was learned of its files,
 * those that a provider takes made anew go along; refusals for good stay here. */
#include "base/arena.h"
#include "base/json_write.h"
#include "store/store.h"
#include "store/tar.h"
#include "store/transfer.h"

#include <inttypes.h>
#include <stdio.h>

struct blob {
    struct rf_hash hash;
    int64_t size, object;
};

struct exporting {
    struct rf_session *session;
    struct rf_arena *arena;
    struct rf_rope rope; /* session.jsonl */
    struct rf_json json;
    int64_t messages, written, updated_ms;
    size_t bytes; /* of the messages */
    struct blob *blobs;
    size_t count, cap;
};

/* Reading. Texts are copied, as what the rope has is only borrowed. */

static struct rf_str text_of(struct exporting *x, const struct rf_sql_value *column)
{
    return rf_str_dup(x->arena, column->text);
}

static enum rf_code take_session(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct exporting *x = ctx;
    struct rf_json *w = &x->json;
    (void)count, (void)err;
    rf_json_str(w, "title", text_of(x, &columns[0]));
    rf_json_bool(w, "titled", columns[1].number != 0);
    rf_json_int(w, "created", columns[2].number);
    rf_json_int(w, "updated", columns[3].number);
    rf_json_int(w, "messages", columns[4].number);
    if (columns[5].text.n) {
        rf_json_str(w, "parent", text_of(x, &columns[5]));
        rf_json_int(w, "parent_messages", columns[6].number);
    }
    x->updated_ms = columns[3].number;
    x->messages = columns[4].number;
    return RF_OK;
}

static enum rf_code take_settings(void *ctx, const struct rf_sql_value *columns, size_t count,
                                  struct rf_err *err)
{
    struct exporting *x = ctx;
    (void)count, (void)err;
    rf_json_obj(&x->json, NULL);
    rf_json_int(&x->json, "from", columns[0].number);
    rf_json_raw(&x->json, "body", text_of(x, &columns[1]));
    rf_json_end(&x->json);
    return RF_OK;
}

static struct rf_str blob_name(struct exporting *x, const struct rf_sql_value *column)
{
    return rf_str_join(x->arena, RF_STR("sha256:"), column->text);
}

static enum rf_code take_dropped(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct exporting *x = ctx;
    (void)count, (void)err;
    rf_json_str(&x->json, NULL, blob_name(x, &columns[0]));
    return RF_OK;
}

static enum rf_code take_sent(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    static const char *const names[] = { "blob", "provider", "model", "delivery",
                                         "as",   "form",     "lost" };
    struct exporting *x = ctx;
    (void)count, (void)err;
    rf_json_obj(&x->json, NULL);
    rf_json_str(&x->json, names[0], blob_name(x, &columns[0]));
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        rf_json_str(&x->json, names[i], text_of(x, &columns[i]));
    rf_json_int(&x->json, "at", columns[7].number);
    rf_json_end(&x->json);
    return RF_OK;
}

static enum rf_code take_remade(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    struct exporting *x = ctx;
    (void)count, (void)err;
    rf_json_obj(&x->json, NULL);
    rf_json_str(&x->json, "blob", blob_name(x, &columns[0]));
    rf_json_str(&x->json, "provider", text_of(x, &columns[1]));
    rf_json_str(&x->json, "reason", text_of(x, &columns[2]));
    rf_json_int(&x->json, "at", columns[3].number);
    rf_json_end(&x->json);
    return RF_OK;
}

static enum rf_code take_blob(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct exporting *x = ctx;
    struct blob *b = RF_PUSH(x->arena, x->blobs, x->count, x->cap);
    struct rf_str name = blob_name(x, &columns[0]);
    (void)count;
    if (!rf_hash_read(name, &b->hash) || columns[1].number < 0)
        return rf_fail(err, RF_EFORMAT, "the store is damaged: a file of session %s has no blob",
                       x->session->id);
    b->size = columns[1].number;
    b->object = columns[2].number;
    rf_json_obj(&x->json, NULL);
    rf_json_str(&x->json, "blob", name);
    rf_json_int(&x->json, "size", b->size);
    rf_json_end(&x->json);
    return RF_OK;
}

/* A line of its own. */
static enum rf_code take_message(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    struct exporting *x = ctx;
    struct rf_str body = columns[1].text;
    struct rf_json w;
    (void)count;
    if (body.n > RF_TRANSFER_MOST_TEXT - x->bytes)
        return rf_fail(err, RF_ELIMIT, "session %s has more than %zu bytes of messages",
                       x->session->id, RF_TRANSFER_MOST_TEXT);
    x->bytes += body.n;
    x->written++;
    rf_json_init(&w, &x->rope);
    rf_json_obj(&w, NULL);
    rf_json_int(&w, "created", columns[0].number);
    rf_json_raw(&w, "message", text_of(x, &columns[1]));
    rf_json_end(&w);
    enum rf_code rc = rf_json_finish(&w, err);
    rf_rope_text(&x->rope, RF_STR("\n"));
    return rc;
}

/* What the first line has lists of. */
static const struct list {
    const char *name, *statement;
    rf_sql_row *take;
} lists[] = {
    { "settings",
      "SELECT number, body FROM settings WHERE session = $1 AND number <= $2 ORDER BY number",
      take_settings },
    { "dropped", "SELECT hash FROM dropped WHERE session = $1 AND $2 > 0 ORDER BY hash",
      take_dropped },
    { "sent",
      "SELECT hash, provider, model, delivery, as_what, form, lost, at FROM sent "
      "WHERE session = $1 AND $2 > 0 ORDER BY hash, provider, model",
      take_sent },
    { "remade",
      "SELECT hash, provider, reason, at FROM refused WHERE remade = 1 AND hash IN "
      "(SELECT hash FROM media WHERE session = $1 AND number < $2) ORDER BY hash, provider",
      take_remade },
    { "blobs",
      "SELECT m.hash, COALESCE(b.size, -1), COALESCE(b.object, 0) "
      "FROM (SELECT DISTINCT hash FROM media WHERE session = $1 AND number < $2) m "
      "LEFT JOIN blobs b ON b.hash = m.hash ORDER BY m.hash",
      take_blob },
};

static enum rf_code write_first_line(struct exporting *x, struct rf_err *err)
{
    struct rf_store *s = x->session->store;
    const struct rf_str id = rf_str(x->session->id);
    rf_json_init(&x->json, &x->rope);
    rf_json_obj(&x->json, NULL);
    rf_json_int(&x->json, "refract_session", RF_TRANSFER_VERSION);
    rf_json_str(&x->json, "id", id);
    enum rf_code rc = rf_store_query(
        s,
        "SELECT title, titled, created, updated, messages, parent, parent_messages FROM sessions "
        "WHERE id = $1",
        RF_VALUES(rf_sql_text(id)), take_session, x, err);
    if (!rc && !x->messages) {
        rc = rf_fail(err, RF_ENOTFOUND, "session %s has no message", id.p);
        rf_hint(err, "A session can be exported from its first message on.");
    }
    for (size_t i = 0; !rc && i < sizeof lists / sizeof *lists; i++) {
        rf_json_arr(&x->json, lists[i].name);
        rc = rf_store_query(s, lists[i].statement,
                            RF_VALUES(rf_sql_text(id), rf_sql_number(x->messages)), lists[i].take,
                            x, err);
        if (!rc)
            rf_json_end(&x->json);
    }
    if (rc)
        return rc;
    rf_json_end(&x->json);
    rc = rf_json_finish(&x->json, err);
    rf_rope_text(&x->rope, RF_STR("\n"));
    return rc;
}

static enum rf_code write_lines(struct exporting *x, struct rf_err *err)
{
    enum rf_code rc = write_first_line(x, err);
    if (!rc)
        rc = rf_store_query(
            x->session->store,
            "SELECT created, body FROM messages "
            "WHERE session = $1 AND number < $2 ORDER BY number",
            RF_VALUES(rf_sql_text(rf_str(x->session->id)), rf_sql_number(x->messages)),
            take_message, x, err);
    if (!rc && x->written != x->messages)
        rc = rf_fail(err, RF_EFORMAT,
                     "the store is damaged: session %s has %" PRId64 " of %" PRId64 " messages",
                     x->session->id, x->written, x->messages);
    return rc;
}

/* Writing */

/* Before anything is written, as far as that can be told without reading them all. */
static enum rf_code check_blobs(struct exporting *x, struct rf_err *err)
{
    struct rf_store *s = x->session->store;
    for (size_t i = 0; i < x->count; i++)
        if (!rf_blobs_has(s->blobs, &x->blobs[i].hash, x->blobs[i].object)) {
            rf_fail(err, RF_ENOTFOUND, "the blob sha256:%s is not in the store any more",
                    x->blobs[i].hash.hex);
            rf_hint(err, "Bring it back from a copy of the store, then export the session.");
            return RF_ENOTFOUND;
        }
    return RF_OK;
}

static enum rf_code write_session(struct exporting *x, struct rf_tar_out *t, struct rf_err *err)
{
    struct rf_rope_reader r;
    struct rf_str run = { 0 };
    enum rf_code rc =
        rf_tar_out_next(t, RF_TRANSFER_SESSION, x->rope.length, x->updated_ms / 1000, err);
    rf_rope_reader_init(&r, &x->rope);
    while (!rc && !(rc = rf_rope_next(&r, &run, err)) && run.n)
        rc = rf_tar_out_bytes(t, run, err);
    rf_rope_reader_release(&r);
    return rc;
}

static enum rf_code copy_bytes(const struct rf_bytes *bytes, struct rf_tar_out *t,
                               struct rf_err *err)
{
    struct rf_reader r = { .fd = -1 };
    char buf[64 * 1024];
    size_t got;
    enum rf_code rc = rf_reader_open(&r, bytes, err);
    for (uint64_t at = 0; !rc && at < bytes->size; at += got) {
        rc = rf_reader_read(&r, at, buf, sizeof buf, &got, err);
        if (!rc)
            rc = rf_tar_out_bytes(t, (struct rf_str){ buf, got }, err);
    }
    rf_reader_close(&r);
    return rc;
}

static enum rf_code write_blob(struct exporting *x, const struct blob *b, struct rf_tar_out *t,
                               struct rf_err *err)
{
    char name[sizeof RF_TRANSFER_BLOBS + RF_HASH_HEX];
    struct rf_bytes bytes;
    snprintf(name, sizeof name, RF_TRANSFER_BLOBS "%s", b->hash.hex);
    enum rf_code rc =
        rf_blobs_get(x->session->store->blobs, &b->hash, b->object, x->arena, &bytes, err);
    if (!rc && bytes.size != (uint64_t)b->size)
        rc = rf_fail(err, RF_EFORMAT, "the store is damaged: the blob sha256:%s has another size",
                     b->hash.hex);
    if (!rc)
        rc = rf_tar_out_next(t, name, bytes.size, x->updated_ms / 1000, err);
    return rc ? rc : copy_bytes(&bytes, t, err);
}

static enum rf_code export_held(struct exporting *x, int fd, struct rf_err *err)
{
    struct rf_tar_out t;
    enum rf_code rc = write_lines(x, err);
    if (!rc)
        rc = check_blobs(x, err);
    rf_tar_out_init(&t, fd);
    if (!rc)
        rc = write_session(x, &t, err);
    for (size_t i = 0; !rc && i < x->count; i++)
        rc = write_blob(x, &x->blobs[i], &t, err);
    return rc ? rc : rf_tar_out_finish(&t, err);
}

enum rf_code rf_session_export(struct rf_session *s, int fd, struct rf_err *err)
{
    struct exporting x = { .session = s, .arena = rf_arena_new() };
    rf_rope_init(&x.rope, x.arena);
    enum rf_code rc = rf_store_hold(s->store, err);
    if (!rc) {
        rc = export_held(&x, fd, err);
        rf_store_release(s->store);
    }
    rf_arena_free(x.arena);
    return rc;
}
