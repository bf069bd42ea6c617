/* Messages are added to the session and to the memory alike, so that a request is the same whether
 * a session was gone on with or just begun. */
#include "agent/turn/history.h"

#include "base/limits.h"
#include "content/message.h"
#include "content/options.h"
#include "content/reply.h"
#include "store/store.h"

void rf_history_init(struct rf_history *h, struct rf_store *store, struct rf_arena *lasting)
{
    *h = (struct rf_history){
        .arena = rf_arena_new(),
        .store = store,
        .lasting = lasting,
        .system = RF_STR(""),
    };
}

void rf_history_release(struct rf_history *h)
{
    rf_session_close(h->session);
    rf_arena_free(h->arena);
}

/* Keeping */

static enum rf_code add_all(struct rf_history *h, const struct rf_message *messages, size_t count,
                            struct rf_arena *a, struct rf_message *kept, struct rf_err *err)
{
    struct rf_session *s = h->session;
    enum rf_code rc = rf_session_begin(s, err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < count; i++)
        rc = rf_session_add_message(s, &messages[i], a, &kept[i], err);
    if (rc) {
        rf_session_rollback(s);
        return rc;
    }
    rc = rf_session_commit(s, err);
    h->stale = rc != RF_OK;
    h->torn = h->torn || h->stale;
    return rc;
}

static void take_blobs(struct rf_history *h)
{
    struct rf_hash hash;
    for (size_t i = 0; i < h->blobs.count; i++)
        if (rf_hash_read(h->blobs.items[i], &hash))
            rf_session_took(h->session, &hash);
    h->blobs.count = 0;
}

/* `ending` is what an answer took, as the session keeps it; or NULL. */
static void hold(struct rf_history *h, const struct rf_message *m, const struct rf_ending *ending)
{
    struct rf_message *held = RF_PUSH(h->arena, h->messages, h->count, h->cap);
    *held = rf_message_copy(m, h->arena);
    if (ending)
        held->ending = rf_ending_copy(ending, h->arena);
}

/* A session has a limit of its own. */
static enum rf_code make_room(struct rf_history *h, const struct rf_message *messages, size_t count,
                              struct rf_arena *a, struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_arr(&w, NULL);
    for (size_t i = 0; i < count; i++)
        rf_message_write(&messages[i], &w);
    rf_json_end(&w);
    enum rf_code rc = rf_json_finish(&w, err);
    if (!rc && rope.length > RF_MAX_DOCUMENT_BYTES - h->bytes) {
        rc = rf_fail(err, RF_ELIMIT, "the conversation would have over %zu bytes",
                     RF_MAX_DOCUMENT_BYTES);
        rf_hint(err, "Begin a new conversation, or keep this one in a session.");
    }
    if (!rc)
        h->bytes += rope.length;
    return rc;
}

/* After a commit that failed, the session may have more than is held here. What is held stays where
 * it is: requests point to it. */
static enum rf_code catch_up(struct rf_history *h, struct rf_err *err)
{
    struct rf_conversation *c;
    if (!h->stale)
        return RF_OK;
    enum rf_code rc = rf_session_conversation(h->session, &c, err);
    if (rc)
        return rc;
    for (size_t i = h->count; i < c->message_count; i++)
        hold(h, &c->messages[i], NULL);
    rf_conversation_free(c);
    h->stale = false;
    return RF_OK;
}

/* Whatever paths a message names have been looked at by whoever wrote it. */
enum rf_code rf_history_append(struct rf_history *h, const struct rf_message *messages,
                               size_t count, struct rf_err *err)
{
    struct rf_arena *scratch = rf_arena_new();
    struct rf_message *kept = RF_ARRAY(scratch, struct rf_message, count);
    enum rf_code rc = catch_up(h, err);
    if (!rc && h->session) {
        rf_session_folders(h->session, h->base, "");
        take_blobs(h);
        rc = add_all(h, messages, count, scratch, kept, err);
    } else if (!rc)
        rc = make_room(h, messages, count, scratch, err);
    for (size_t i = 0; !rc && i < count; i++)
        hold(h, h->session ? &kept[i] : &messages[i], messages[i].ending);
    rf_arena_free(scratch);
    return rc;
}

enum rf_code rf_history_begin(struct rf_history *h, const struct rf_conversation *settings,
                              struct rf_err *err)
{
    enum rf_code rc = catch_up(h, err);
    if (!rc && h->store && !h->session)
        rc = rf_session_new(h->store, &h->session, err);
    if (!rc && h->session)
        rc = rf_session_set_of(h->session, settings, err);
    if (rc)
        return rc;
    h->dialect = RF_STR("");
    h->tool_choice = RF_CHOICE_UNSET;
    return RF_OK;
}

enum rf_code rf_history_keep(struct rf_history *h, const struct rf_bytes *bytes, struct rf_arena *a,
                             struct rf_str *blob, struct rf_err *err)
{
    struct rf_hash hash;
    enum rf_code rc = rf_store_keep(h->store, bytes, a, &hash, err);
    if (rc)
        return rc;
    *blob = rf_hash_write(&hash, a);
    rf_texts_add(&h->blobs, *blob, h->lasting);
    return RF_OK;
}

/* Another session */

struct rf_str rf_history_way(struct rf_str delivery, struct rf_str form, struct rf_str as,
                             struct rf_str lost, struct rf_arena *a)
{
    return rf_strf(a, "%.*s %.*s %.*s %.*s", RF_FMT(delivery), RF_FMT(form), RF_FMT(as),
                   RF_FMT(lost));
}

static void take_sent(void *ctx, const struct rf_session_file *f)
{
    struct rf_history *h = ctx;
    struct rf_str way = rf_history_way(f->delivery, f->form, f->as, f->lost, h->lasting);
    if (f->sent_ms)
        rf_texts_add(&h->sent, rf_strf(h->lasting, "%.*s %.*s", RF_FMT(f->hash), RF_FMT(way)),
                     h->lasting);
}

bool rf_history_was_told(const struct rf_history *h, size_t message, struct rf_str sha256,
                         struct rf_str way)
{
    if ((int64_t)message >= h->told_before || !sha256.n)
        return false;
    struct rf_arena *scratch = rf_arena_new();
    bool told =
        rf_texts_has(&h->sent, rf_strf(scratch, "sha256:%.*s %.*s", RF_FMT(sha256), RF_FMT(way)));
    rf_arena_free(scratch);
    return told;
}

/* Takes the arena, which has the messages. Where it cannot be found out what was told, all is. */
static void change_session(struct rf_history *h, struct rf_session *s, struct rf_arena *arena)
{
    h->sent.count = 0;
    if (s && rf_session_files(s, take_sent, h, NULL))
        h->sent.count = 0;
    rf_session_close(h->session);
    rf_arena_free(h->arena);
    h->session = s;
    h->arena = arena;
    h->messages = NULL;
    h->count = h->cap = 0;
    h->bytes = 0;
    h->stale = false;
}

/* Takes the session, and closes it where it cannot be read. */
static enum rf_code go_on_with(struct rf_history *h, struct rf_session *s, struct rf_err *err)
{
    struct rf_conversation *c;
    enum rf_code rc = rf_session_conversation(s, &c, err);
    if (rc) {
        rf_session_close(s);
        return rc;
    }
    change_session(h, s, c->arena);
    h->messages = RF_ARRAY(h->arena, struct rf_message, c->message_count);
    h->count = h->cap = c->message_count;
    if (h->count)
        memcpy(h->messages, c->messages, h->count * sizeof *h->messages);
    h->told_before = (int64_t)h->count;
    h->system = rf_str_dup(h->lasting, c->system);
    h->options = rf_options_copy(&c->options, h->lasting);
    h->dialect = rf_str_dup(h->lasting, c->dialect);
    h->tool_choice = c->tool_choice;
    h->tool_choice_name = rf_str_dup(h->lasting, c->tool_choice_name);
    h->torn = true;
    return RF_OK;
}

enum rf_code rf_history_resume(struct rf_history *h, const char *id, struct rf_err *err)
{
    struct rf_session *s;
    if (!h->store)
        return rf_fail(err, RF_EUSAGE, "there is no store to go on with a session from");
    enum rf_code rc = rf_session_open(h->store, id, true, &s, err);
    return rc ? rc : go_on_with(h, s, err);
}

void rf_history_leave(struct rf_history *h)
{
    change_session(h, NULL, rf_arena_new());
    h->told_before = 0;
    h->system = h->dialect = RF_STR("");
    h->options = (struct rf_options){ 0 };
    h->tool_choice = RF_CHOICE_UNSET;
    h->torn = false;
}

enum rf_code rf_history_go_back(struct rf_history *h, size_t count, struct rf_err *err)
{
    struct rf_session *s;
    enum rf_code rc = catch_up(h, err);
    if (rc || count >= h->count)
        return rc;
    if (h->session) {
        rc = rf_session_fork(h->store, rf_session_id(h->session), (int64_t)count, &s, err);
        return rc ? rc : go_on_with(h, s, err);
    }
    struct rf_arena *scratch = rf_arena_new();
    h->bytes = 0;
    h->count = count;
    rc = make_room(h, h->messages, count, scratch, err);
    rf_arena_free(scratch);
    return rc;
}

/* A new session of the one message, in `a`; named as the old one. */
static enum rf_code fork_session(struct rf_history *h, const struct rf_message *first,
                                 struct rf_arena *a, struct rf_session **out,
                                 struct rf_message *kept, struct rf_str *left, struct rf_err *err)
{
    struct rf_session *s;
    struct rf_str title = rf_session_title(h->session);
    enum rf_code rc = rf_session_fork(h->store, rf_session_id(h->session), 0, &s, err);
    if (rc)
        return rc;
    rc = rf_session_add_message(s, first, a, kept, err);
    if (!rc && title.n)
        rc = rf_session_set_title(s, title, err);
    if (!rc) {
        *out = s;
        return RF_OK;
    }
    struct rf_str id = rf_str_dup(a, rf_str(rf_session_id(s)));
    rf_session_close(s);
    if (rf_store_remove(h->store, id.p, NULL, NULL))
        *left = id;
    return rc;
}

enum rf_code rf_history_restart(struct rf_history *h, const struct rf_message *first,
                                struct rf_arena *a, struct rf_str *left, struct rf_err *err)
{
    struct rf_session *s = NULL;
    struct rf_message kept = *first;
    enum rf_code rc = h->session ? fork_session(h, first, a, &s, &kept, left, err) : RF_OK;
    if (rc)
        return rc;
    change_session(h, s, rf_arena_new());
    hold(h, &kept, NULL);
    h->told_before = 1;
    h->torn = false;
    return RF_OK;
}

/* Reading */

enum rf_code rf_history_view(struct rf_history *h, const struct rf_message *more,
                             struct rf_arena *a, struct rf_conversation *out, struct rf_err *err)
{
    enum rf_code rc = catch_up(h, err);
    if (rc)
        return rc;
    struct rf_conversation c = {
        .arena = a,
        .system = h->system,
        .options = h->options,
        .dialect = h->dialect,
        .tool_choice = h->tool_choice,
        .tool_choice_name = h->tool_choice_name,
        .messages = RF_ARRAY(a, struct rf_message, h->count + 1),
        .message_count = h->count,
    };
    if (h->session && h->count)
        rc = rf_session_blobs(h->session, a, &c.blobs, err);
    if (rc)
        return rc;
    if (h->count)
        memcpy(c.messages, h->messages, h->count * sizeof *c.messages);
    if (more)
        c.messages[c.message_count++] = rf_message_copy(more, a);
    *out = c;
    return RF_OK;
}

/* Mending */

static bool is_answered(const struct rf_history *h, size_t from, struct rf_str id)
{
    for (size_t i = from; i < h->count; i++)
        if (h->messages[i].role == RF_ROLE_TOOL && rf_str_eq(h->messages[i].tool_call_id, id))
            return true;
    return false;
}

enum rf_code rf_history_mend(struct rf_history *h, struct rf_err *err)
{
    struct rf_message *results = NULL;
    size_t count = 0, cap = 0;
    enum rf_code rc = catch_up(h, err);
    if (rc || !h->torn)
        return rc;
    size_t last = h->count;
    while (last > 0 && h->messages[last - 1].role == RF_ROLE_TOOL)
        last--;
    const struct rf_message *m = last ? &h->messages[last - 1] : NULL;
    struct rf_arena *scratch = rf_arena_new();
    for (size_t i = 0; m && m->role == RF_ROLE_ASSISTANT && i < m->block_count; i++) {
        const struct rf_tool_call *call = &m->blocks[i].call;
        if (m->blocks[i].type == RF_BLOCK_TOOL_CALL && !is_answered(h, last, call->id))
            *RF_PUSH(scratch, results, count, cap) = rf_failed_result(
                call->id, call->name,
                RF_STR("what became of this call is unknown: refract ended before its result was "
                       "kept, and the tool may have run"));
    }
    rc = count ? rf_history_append(h, results, count, err) : RF_OK;
    rf_arena_free(scratch);
    h->torn = rc != RF_OK;
    return rc;
}
