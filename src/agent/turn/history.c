/* The conversation: in a session step by step, or in memory where nothing is kept. What the
 * model is told besides the messages is laid over both alike, so that a request is the same
 * whichever it is. */
#include "agent/agent.h"

#include "agent/tools/tools.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "content/message.h"
#include "content/options.h"
#include "store/store.h"

/* Writing */

static struct rf_str finish(struct rf_json *w, struct rf_arena *arena)
{
    struct rf_str text;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(w->rope, SIZE_MAX, arena, &text, NULL))
        RF_BUG("a text in memory could not be written");
    return text;
}

/* A neutral document without messages. */
static struct rf_str settings_of(struct rf_agent *a, struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(arena, struct rf_json);
    rf_rope_init(&rope, arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_int(w, "refract", 1);
    rf_json_str_opt(w, "system", a->system.n ? a->system : a->old_system);
    if (!a->no_tools && !a->sums_up)
        rf_agent_describe_tools(a, w);
    if (a->old_options.n)
        rf_json_raw(w, "options", a->old_options);
    rf_json_end(w);
    return finish(w, arena);
}

/* What a message that answers a call begins with. */
static struct rf_json *begin_result(struct rf_rope *rope, struct rf_str call, struct rf_str name,
                                    struct rf_arena *arena)
{
    struct rf_json *w = RF_NEW(arena, struct rf_json);
    rf_rope_init(rope, arena);
    rf_json_init(w, rope);
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("tool"));
    rf_json_str(w, "tool_call_id", call);
    rf_json_str(w, "name", name);
    return w;
}

struct rf_str rf_agent_result(struct rf_str call, struct rf_str name, const struct rf_jval *result,
                              struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json *w = begin_result(&rope, call, name, arena);
    for (const struct rf_jval *k = rf_jval_first(result); k; k = rf_jval_next(result, k + 1)) {
        if (rf_jval_is(k, "role") || rf_jval_is(k, "tool_call_id") || rf_jval_is(k, "name"))
            continue;
        rf_json_key(w, rf_jval_text(k, arena));
        rf_json_value(w, NULL, k + 1);
    }
    rf_json_end(w);
    return finish(w, arena);
}

struct rf_str rf_agent_failed_result(struct rf_str call, struct rf_str name, struct rf_str why,
                                     struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json *w = begin_result(&rope, call, name, arena);
    rf_json_bool(w, "success", false);
    rf_json_str(w, "error", why);
    rf_json_end(w);
    return finish(w, arena);
}

/* Keeping */

enum rf_code rf_agent_begin(struct rf_agent *a, struct rf_err *err)
{
    struct rf_str settings = settings_of(a, a->question);
    enum rf_code rc = RF_OK;
    if (!a->store)
        return RF_OK;
    if (!a->session)
        rc = rf_session_new(a->store, &a->session, err);
    if (rc || rf_str_eq(settings, a->settings))
        return rc;
    rc = rf_session_set(a->session, settings, err);
    if (!rc)
        a->settings = rf_str_dup(a->arena, settings);
    return rc;
}

static enum rf_code append_to_session(struct rf_session *s, const struct rf_str *messages,
                                      size_t count, struct rf_err *err)
{
    enum rf_code rc = rf_session_begin(s, err);
    if (rc)
        return rc;
    for (size_t i = 0; !rc && i < count; i++)
        rc = rf_session_append(s, messages[i], err);
    if (!rc)
        return rf_session_commit(s, err);
    rf_session_rollback(s);
    return rc;
}

static void take_sent(void *ctx, const struct rf_session_file *f)
{
    struct rf_agent *a = ctx;
    struct rf_str way = rf_agent_way(f->delivery, f->form, f->as, f->lost, a->question);
    if (f->sent_ms)
        rf_agent_list_add(a, &a->sent,
                          rf_strf(a->question, "%.*s %.*s", RF_FMT(f->hash), RF_FMT(way)));
}

/* Where it cannot be found out what was told, all is told. */
void rf_agent_take_session(struct rf_agent *a, struct rf_session *s)
{
    a->sent.count = 0;
    if (rf_session_files(s, take_sent, a, NULL))
        a->sent.count = 0;
    rf_session_close(a->session);
    a->session = s;
    a->settings = RF_STR("");
    a->told.count = 0;
    a->told_before = rf_session_count(s);
}

static void take_kept(struct rf_agent *a)
{
    struct rf_hash hash;
    for (size_t i = 0; i < a->kept.count; i++)
        if (rf_hash_read(a->kept.items[i], &hash))
            rf_session_took(a->session, &hash);
    a->kept.count = 0;
}

/* Whatever paths a message names have been looked at by whoever wrote it. */
enum rf_code rf_agent_append(struct rf_agent *a, const struct rf_str *messages, size_t count,
                             struct rf_err *err)
{
    if (a->session) {
        rf_session_folders(a->session, a->base, "");
        take_kept(a);
        return append_to_session(a->session, messages, count, err);
    }
    for (size_t i = 0; i < count; i++)
        rf_agent_list_add(a, &a->memory, messages[i]);
    return RF_OK;
}

/* Reading */

int64_t rf_agent_count(const struct rf_agent *a)
{
    return a->session ? rf_session_count(a->session) : (int64_t)a->memory.count;
}

static enum rf_code from_memory(struct rf_agent *a, struct rf_conversation **out,
                                struct rf_err *err)
{
    struct rf_arena *scratch = rf_arena_new();
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, scratch, RF_MAX_DOCUMENT_BYTES);
    rf_buf_add(&b, RF_STR("{\"refract\":1,\"messages\":["));
    for (size_t i = 0; i < a->memory.count; i++) {
        if (i)
            rf_buf_addc(&b, ',');
        rf_buf_add(&b, a->memory.items[i]);
    }
    rf_buf_add(&b, RF_STR("]}"));
    enum rf_code rc = rf_buf_finish(&b, &text, err);
    if (rc)
        rf_hint(err, "Begin a new conversation, or keep this one in a session.");
    else
        rc = rf_conversation_read(text, out, err);
    rf_arena_free(scratch);
    return rc;
}

static void lay_over(struct rf_agent *a, struct rf_conversation *c)
{
    struct rf_conversation said = { 0 };
    struct rf_str frame = settings_of(a, c->arena);
    struct rf_str open = { frame.p, frame.n - 1 }; /* without its brace */
    struct rf_str text = rf_str_join(c->arena, open, RF_STR(",\"messages\":[]}"));
    if (rf_content_read(text, c->arena, &said, NULL))
        RF_BUG("settings of our own cannot be read");
    c->system = said.system;
    c->tools = said.tools;
    c->tool_count = said.tool_count;
    c->options = said.options;
    c->extra = said.extra;
}

static enum rf_code add_message(struct rf_conversation *c, struct rf_str message,
                                struct rf_err *err)
{
    struct rf_message *all = RF_ARRAY(c->arena, struct rf_message, c->message_count + 1);
    const struct rf_jval *root;
    enum rf_code rc = rf_jval_parse(rf_str_dup(c->arena, message), c->arena, &root, err);
    if (!rc)
        rc = rf_message_read(root, NULL, c->arena, &all[c->message_count], err);
    if (rc)
        return rc;
    if (c->message_count)
        memcpy(all, c->messages, c->message_count * sizeof *all);
    c->messages = all;
    c->message_count++;
    return RF_OK;
}

enum rf_code rf_agent_conversation(struct rf_agent *a, struct rf_str more,
                                   struct rf_conversation **out, struct rf_err *err)
{
    struct rf_conversation *c = NULL;
    bool kept = a->session && rf_session_count(a->session) > 0;
    enum rf_code rc = kept ? rf_session_conversation(a->session, &c, err) : from_memory(a, &c, err);
    if (!rc)
        lay_over(a, c);
    if (!rc && more.n)
        rc = add_message(c, more, err);
    if (rc)
        rf_conversation_free(c);
    else
        *out = c;
    return rc;
}

enum rf_code rf_agent_take_over(struct rf_agent *a, struct rf_err *err)
{
    struct rf_conversation *c;
    struct rf_rope rope;
    struct rf_json w;
    enum rf_code rc = rf_session_conversation(a->session, &c, err);
    if (rc)
        return rc;
    a->old_system = rf_str_dup(a->arena, c->system);
    a->old_options = RF_STR("");
    if (rf_options_given(&c->options)) {
        rf_rope_init(&rope, a->arena);
        rf_json_init(&w, &rope);
        rf_json_obj(&w, NULL);
        rf_options_write(&c->options, "options", &w);
        rf_json_end(&w);
        struct rf_str text = finish(&w, a->arena); /* {"options":{…}} */
        a->old_options = (struct rf_str){ text.p + 11, text.n - 12 };
    }
    a->torn = true;
    rf_conversation_free(c);
    return RF_OK;
}

/* Mending */

static bool is_answered(const struct rf_conversation *c, size_t from, struct rf_str id)
{
    for (size_t i = from; i < c->message_count; i++)
        if (c->messages[i].role == RF_ROLE_TOOL && rf_str_eq(c->messages[i].tool_call_id, id))
            return true;
    return false;
}

enum rf_code rf_agent_mend(struct rf_agent *a, struct rf_err *err)
{
    struct rf_conversation *c;
    struct rf_agent_list results = { 0 };
    enum rf_code rc = a->torn ? rf_agent_conversation(a, RF_STR(""), &c, err) : RF_OK;
    if (rc || !a->torn)
        return rc;
    size_t last = c->message_count;
    while (last > 0 && c->messages[last - 1].role == RF_ROLE_TOOL)
        last--;
    const struct rf_message *m = last ? &c->messages[last - 1] : NULL;
    for (size_t i = 0; m && m->role == RF_ROLE_ASSISTANT && i < m->block_count; i++) {
        const struct rf_tool_call *call = &m->blocks[i].call;
        if (m->blocks[i].type != RF_BLOCK_TOOL_CALL || is_answered(c, last, call->id))
            continue;
        *RF_PUSH(a->question, results.items, results.count, results.cap) = rf_agent_failed_result(
            call->id, call->name,
            RF_STR("nobody knows what became of this call: refract ended before its result was "
                   "kept, and the tool may have run"),
            a->question);
    }
    rc = results.count ? rf_agent_append(a, results.items, results.count, err) : RF_OK;
    rf_conversation_free(c);
    a->torn = rc != RF_OK;
    return rc;
}
