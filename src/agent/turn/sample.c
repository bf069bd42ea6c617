/* What an MCP server has the model asked while one of its tools runs (sampling/createMessage).
 *
 * The request is the server's alone: nothing of the conversation goes along, no tools are offered,
 * and what is said is told to no one but the server. What it costs counts as any answer does. */
#include "agent/agent.h"
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "content/message.h"
#include "send/refused.h"

#include <refract/reply.h>

#define MOST_TOKENS 4096
#define MOST_MESSAGES 100

static int64_t tokens_of(const struct rf_jval *params)
{
    const struct rf_jval *v = rf_jval_get(params, "maxTokens");
    int64_t n;
    return v && v->type == RF_JNUMBER && rf_str_int64(v->raw, &n) && n > 0 && n < MOST_TOKENS
               ? n
               : MOST_TOKENS;
}

static enum rf_code read_question(const struct rf_jval *params, struct rf_arena *a,
                                  struct rf_conversation *out, struct rf_err *err)
{
    const struct rf_jval *list = rf_jval_get(params, "messages");
    const struct rf_jval *system = rf_jval_get(params, "systemPrompt");
    size_t count = list && list->type == RF_JARRAY ? list->count : 0;
    if (!count || count > MOST_MESSAGES)
        return rf_fail(err, RF_EFORMAT, "the server asks with %s", count ? "too much" : "nothing");
    *out =
        (struct rf_conversation){ .arena = a, .messages = RF_ARRAY(a, struct rf_message, count) };
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        out->messages[out->message_count++] = rf_served_message(v, a);
    if (system && system->type == RF_JSTRING)
        out->system = rf_jval_text(system, a);
    out->options.max_tokens = tokens_of(params);
    return RF_OK;
}

static enum rf_code build(struct rf_agent *a, const struct rf_conversation *c,
                          struct rf_request **out, struct rf_err *err)
{
    struct rf_request_options *o = rf_request_options_new();
    o->cancel_fd = a->halt.fd;
    if (a->workspace.cache)
        rf_request_options_cache(o, a->workspace.cache);
    if (a->workspace.config)
        rf_request_options_configure(o, a->workspace.config);
    if (!a->asking.no_stream)
        rf_request_options_stream(o);
    enum rf_code rc = rf_request_build(c, a->model, o, out, err);
    rf_request_options_free(o);
    return rc;
}

static struct rf_str result_of(const struct rf_agent *a, const struct rf_agent_reply *reply,
                               struct rf_arena *arena)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    bool cut = reply->message.ending->stop == RF_STOP_LENGTH;
    rf_rope_init(&rope, arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str(&w, "role", RF_STR("assistant"));
    rf_json_obj(&w, "content");
    rf_json_str(&w, "type", RF_STR("text"));
    rf_json_str(&w, "text", reply->text);
    rf_json_end(&w);
    rf_json_str(&w, "model", a->model->name);
    rf_json_str(&w, "stopReason", cut ? RF_STR("maxTokens") : RF_STR("endTurn"));
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, arena, &text, NULL))
        RF_BUG("a reply cannot be written");
    return text;
}

/* The request takes the place of the last one while it is sent. */
static enum rf_code send(struct rf_agent *a, struct rf_request *request, struct rf_arena *arena,
                         struct rf_agent_reply *reply, struct rf_err *err)
{
    struct rf_built last = a->asking.last;
    struct rf_exchange x;
    a->asking.last = (struct rf_built){ .request = request };
    a->asking.sums_up = true;
    enum rf_code rc = rf_agent_exchange(a, arena, &x, err);
    if (!rc && x.status != 200)
        rc = rf_fail_refused(a->model, &x.refusal, err);
    if (!rc) {
        rf_agent_reply_take(a, &x.reply, RF_REPLY_WHOLE, arena, reply);
        rf_agent_account(a, reply, x.offline);
    }
    a->asking.sums_up = false;
    a->asking.last = last;
    return rc;
}

enum rf_code rf_agent_sample(void *ctx, const struct rf_jval *params, struct rf_arena *arena,
                             struct rf_str *result, struct rf_err *err)
{
    struct rf_agent *a = ctx;
    struct rf_conversation c;
    struct rf_request *request = NULL;
    struct rf_agent_reply reply;
    if (!a->model)
        return rf_agent_fail_no_model(err);
    enum rf_code rc = read_question(params, arena, &c, err);
    if (!rc)
        rc = build(a, &c, &request, err);
    if (!rc)
        rc = send(a, request, arena, &reply, err);
    if (!rc)
        *result = result_of(a, &reply, arena);
    rf_request_free(request);
    return rc;
}
