/* Adding to a session: messages, settings, whole conversations, one by one or in batches.
 *
 * A message is checked before anything is kept, and it is kept whole or not at all. */
#include "base/arena.h"
#include "base/limits.h"
#include "content/message.h"
#include "store/queue.h"

static enum rf_code may_write(const struct rf_session *s, struct rf_err *err)
{
    if (s->to_write)
        return RF_OK;
    rf_fail(err, RF_EPERMISSION, "session %s was opened to be read", s->id);
    rf_hint(err, "Open it to be written.");
    return RF_EPERMISSION;
}

/* Batches */

enum rf_code rf_session_begin(struct rf_session *s, struct rf_err *err)
{
    if (s->in_batch)
        return rf_fail(err, RF_EUSAGE, "a batch was begun already for session %s", s->id);
    s->in_batch = true;
    return RF_OK;
}

enum rf_code rf_session_commit(struct rf_session *s, struct rf_err *err)
{
    if (!s->in_batch)
        return rf_fail(err, RF_EUSAGE, "no batch was begun for session %s", s->id);
    s->in_batch = false;
    return rf_queue_commit(s, err);
}

void rf_session_rollback(struct rf_session *s)
{
    s->in_batch = false;
    rf_queue_drop(s);
}

/* What is not part of a batch is one of its own. */
static enum rf_code finish(struct rf_session *s, enum rf_code rc, struct rf_err *err)
{
    if (s->in_batch)
        return rc;
    if (!rc)
        return rf_queue_commit(s, err);
    rf_queue_drop(s);
    return rc;
}

/* Messages */

enum rf_code rf_session_add_message(struct rf_session *s, const struct rf_message *m,
                                    struct rf_arena *a, struct rf_message *kept, struct rf_err *err)
{
    enum rf_code rc = may_write(s, err);
    return rc ? rc : finish(s, rf_queue_message(s, m, a, kept, err), err);
}

/* The text is copied. */
static enum rf_code parse(struct rf_str text, struct rf_arena *a, const struct rf_jval **out,
                          struct rf_err *err)
{
    if (text.n > RF_MAX_DOCUMENT_BYTES)
        return rf_fail(err, RF_ELIMIT, "it has %zu bytes, limit is %zu", text.n,
                       RF_MAX_DOCUMENT_BYTES);
    return rf_jval_parse(rf_str_dup(a, text), a, out, err);
}

enum rf_code rf_session_append(struct rf_session *s, struct rf_str message, struct rf_err *err)
{
    struct rf_arena *a = s->queue->arena;
    const struct rf_jval *v;
    struct rf_message m;
    enum rf_code rc = may_write(s, err);
    if (rc)
        return rc;
    rc = parse(message, a, &v, err);
    if (!rc)
        rc = rf_message_read(v, NULL, a, &m, err);
    if (rc)
        rf_err_at(err, "the message");
    else
        rc = rf_queue_message(s, &m, NULL, NULL, err);
    return finish(s, rc, err);
}

/* Settings */

static enum rf_code write_settings(const struct rf_conversation *c, struct rf_arena *a,
                                   struct rf_str *out, struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_settings_write(c, &w);
    enum rf_code rc = rf_json_finish(&w, err);
    return rc ? rc : rf_rope_flatten(&rope, RF_MAX_DOCUMENT_BYTES, a, out, err);
}

enum rf_code rf_session_set_of(struct rf_session *s, const struct rf_conversation *c,
                               struct rf_err *err)
{
    struct rf_str body;
    enum rf_code rc = may_write(s, err);
    if (rc)
        return rc;
    rc = write_settings(c, s->queue->arena, &body, err);
    if (!rc)
        rf_queue_settings(s, body);
    return finish(s, rc, err);
}

static enum rf_code check_frame(const struct rf_jval *document, struct rf_err *err)
{
    const struct rf_jval *version = rf_jval_get(document, "refract");
    const struct rf_jval *messages = rf_jval_get(document, "messages");
    int64_t number;
    if (document->type != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "expected an object, found %s",
                       rf_jtype_name(document->type));
    if (version && (!rf_jval_int64(version, &number) || number != 1)) {
        rf_fail(err, RF_EFORMAT, "refract: unknown version %.*s", RF_FMT(version->raw));
        rf_hint(err, "This program reads version 1.");
        return RF_EFORMAT;
    }
    if (messages && messages->type != RF_JNULL && messages->count) {
        rf_fail(err, RF_EFORMAT, "messages: settings hold none");
        rf_hint(err, "Append messages one by one, or add the whole conversation.");
        return RF_EFORMAT;
    }
    return RF_OK;
}

enum rf_code rf_session_set(struct rf_session *s, struct rf_str settings, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    const struct rf_jval *v;
    enum rf_code rc = parse(settings, a, &v, err);
    if (!rc)
        rc = check_frame(v, err);
    if (!rc)
        rc = rf_settings_read(v, a, &c, err);
    if (rc)
        rf_err_at(err, "the settings");
    else
        rc = rf_session_set_of(s, &c, err);
    rf_arena_free(a);
    return rc;
}

/* Whole conversations */

static enum rf_code queue_messages(struct rf_session *s, const struct rf_conversation *c,
                                   struct rf_err *err)
{
    for (size_t i = 0; i < c->message_count; i++) {
        enum rf_code rc = rf_queue_message(s, &c->messages[i], NULL, NULL, err);
        if (rc) {
            rf_err_at(err, rf_strf(s->queue->arena, "messages[%zu]", i).p);
            return rc;
        }
    }
    return RF_OK;
}

enum rf_code rf_session_add(struct rf_session *s, struct rf_conversation *c, struct rf_err *err)
{
    struct rf_queue *q = s->queue;
    size_t messages = q->message_count, changes = q->settings_count, bytes = q->bytes;
    struct rf_str settings;
    enum rf_code rc = may_write(s, err);
    if (rc)
        return rc;
    rc = write_settings(c, q->arena, &settings, err);
    if (!rc && !rf_str_is(settings, "{}"))
        rf_queue_settings(s, settings);
    if (!rc)
        rc = queue_messages(s, c, err);
    if (rc) { /* what the batch had before stays */
        q->message_count = messages;
        q->settings_count = changes;
        q->bytes = bytes;
    }
    return finish(s, rc, err);
}
