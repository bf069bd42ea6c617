/* A request under way: what those who run it can say, and the message that it becomes. */
#include "mcp/server/inside.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include <refract/version.h>

#define ANSWER_MS (10 * 60 * 1000) /* a person may be asked */

struct rf_mcp_server *rf_mcp_call_server(const struct rf_mcp_call *c)
{
    return c->server;
}

struct rf_arena *rf_mcp_call_arena(struct rf_mcp_call *c)
{
    return c->arena;
}

const struct rf_mcp_revision *rf_mcp_call_revision(const struct rf_mcp_call *c)
{
    return c->revision;
}

const struct rf_jval *rf_mcp_call_params(const struct rf_mcp_call *c)
{
    return c->rpc.params;
}

struct rf_str rf_mcp_call_text(struct rf_mcp_call *c, const char *name)
{
    const struct rf_jval *v = rf_jval_get(c->rpc.params, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, c->arena) : RF_STR("");
}

const struct rf_jval *rf_mcp_call_arguments(const struct rf_mcp_call *c)
{
    return rf_jval_get(c->rpc.params, "arguments");
}

const struct rf_jval *rf_mcp_call_capability(const struct rf_mcp_call *c, const char *name)
{
    const struct rf_jval *v = rf_jval_get(c->capabilities, name);
    return v && v->type == RF_JOBJECT ? v : NULL;
}

bool rf_mcp_call_cancelled(const struct rf_mcp_call *c)
{
    return atomic_load(&c->cancelled);
}

bool rf_mcp_call_sleep(struct rf_mcp_call *c, int64_t ms)
{
    struct pollfd p = { c->thread->cancel[0], POLLIN, 0 };
    if (!rf_mcp_call_cancelled(c))
        poll(&p, 1, (int)ms);
    return !rf_mcp_call_cancelled(c);
}

/* The answer */

static bool is_modern(const struct rf_mcp_call *c)
{
    return c->revision && c->revision->era == RF_MCP_MODERN;
}

static struct rf_json *open_result(struct rf_mcp_call *c, const char *type)
{
    c->w = rf_rpc_writer(c->arena);
    rf_rpc_answer(c->w, c->rpc.id);
    rf_json_obj(c->w, "result");
    if (!is_modern(c))
        return c->w;
    rf_json_str(c->w, "resultType", rf_str(type));
    rf_json_obj(c->w, "_meta");
    rf_json_obj(c->w, RF_MCP_META_SERVER);
    rf_json_str(c->w, "name", RF_STR("refract"));
    rf_json_str(c->w, "version", rf_str(rf_version()));
    rf_json_end(c->w);
    rf_json_end(c->w);
    return c->w;
}

struct rf_json *rf_mcp_call_result(struct rf_mcp_call *c)
{
    return open_result(c, "complete");
}

void rf_mcp_call_cacheable(struct rf_mcp_call *c, struct rf_json *w, int64_t ttl_ms)
{
    if (!is_modern(c))
        return;
    rf_json_int(w, "ttlMs", ttl_ms);
    rf_json_str(w, "cacheScope", RF_STR("private"));
}

void rf_mcp_call_fail(struct rf_mcp_call *c, struct rf_str why)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", why);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_bool(w, "isError", true);
}

struct rf_json *rf_mcp_call_refuse(struct rf_mcp_call *c, int64_t code, struct rf_str message)
{
    c->w = rf_rpc_writer(c->arena);
    rf_rpc_refuse(c->w, c->rpc.id, code, message);
    return c->w;
}

void rf_mcp_call_broken(struct rf_mcp_call *c, struct rf_str why)
{
    if (rf_str_is(c->rpc.method, "tools/call"))
        rf_mcp_call_fail(c, why);
    else
        rf_mcp_call_refuse(c, RF_RPC_INTERNAL_ERROR, why);
}

/* All questions that were noted, and what this round keeps for the next. */
static void ask_in_result(struct rf_mcp_call *c)
{
    struct rf_str sealed;
    struct rf_err err;
    if (c->kept.n && rf_mcp_seal(c, c->kept, &sealed, &err)) {
        rf_mcp_call_refuse(c, RF_RPC_INTERNAL_ERROR, rf_str(err.msg));
        return;
    }
    struct rf_json *w = open_result(c, "input_required");
    if (c->question_count) {
        rf_json_obj(w, "inputRequests");
        for (size_t i = 0; i < c->question_count; i++) {
            const struct rf_mcp_question *q = &c->questions[i];
            rf_json_obj(w, q->key);
            rf_json_str(w, "method", rf_str(q->method));
            rf_json_raw(w, "params", rf_str(q->params ? q->params : "{}"));
            rf_json_end(w);
        }
        rf_json_end(w);
    }
    if (c->kept.n)
        rf_json_str(w, "requestState", sealed);
}

void rf_mcp_call_finish(struct rf_mcp_call *c)
{
    struct rf_err err = { 0 };
    if (!c->w && is_modern(c) && (c->question_count || c->kept.n))
        ask_in_result(c);
    if (!c->w)
        rf_mcp_call_refuse(c, RF_RPC_INTERNAL_ERROR, RF_STR("the request came to no result"));
    if (!rf_rpc_end(c->w, RF_MCP_MOST_OUT, &c->message, &err))
        return;
    rf_mcp_call_broken(c, rf_strf(c->arena, "the result could not be sent: %s", err.msg));
    if (rf_rpc_end(c->w, RF_MCP_MOST_OUT, &c->message, &err))
        RF_BUG("an error that cannot be written");
}

/* On the way */

/* Send what was written in `a`, while the call goes on. */
static void send_now(struct rf_mcp_call *c, struct rf_json *w, struct rf_arena *a)
{
    struct rf_str text;
    if (!rf_rpc_end(w, RF_MCP_MOST_OUT, &text, NULL))
        rf_mcp_post(c->server, RF_MCP_POST_MESSAGE, c, RF_MCP_LIST_TOOLS, text);
    rf_arena_free(a);
}

void rf_mcp_call_progress(struct rf_mcp_call *c, int64_t done, int64_t of, struct rf_str message)
{
    if (!c->token || done <= c->progress || rf_mcp_call_cancelled(c))
        return;
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    c->progress = done;
    rf_rpc_call(w, NULL, "notifications/progress");
    rf_json_obj(w, "params");
    rf_json_value(w, "progressToken", c->token);
    rf_json_int(w, "progress", done);
    if (of)
        rf_json_int(w, "total", of);
    if (message.n && c->revision->audio)
        rf_json_str(w, "message", message);
    send_now(c, w, a);
}

void rf_mcp_call_log(struct rf_mcp_call *c, int level, struct rf_str data)
{
    if (c->log_level < 0 || level < c->log_level || rf_mcp_call_cancelled(c))
        return;
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    rf_rpc_call(w, NULL, "notifications/message");
    rf_json_obj(w, "params");
    rf_json_str(w, "level", rf_str(rf_mcp_log_level_name(level)));
    rf_json_str(w, "logger", RF_STR("refract"));
    rf_json_str(w, "data", data);
    send_now(c, w, a);
}

/* Questions */

static const char *capability_for(const char *method)
{
    return strcmp(method, "elicitation/create") == 0       ? "elicitation"
           : strcmp(method, "sampling/createMessage") == 0 ? "sampling"
                                                           : "roots";
}

static enum rf_mcp_asked note_question(struct rf_mcp_call *c, const char *key, const char *method,
                                       const char *params, const struct rf_jval **answer)
{
    *answer = rf_jval_get(rf_jval_get(c->rpc.params, "inputResponses"), key);
    if (*answer)
        return RF_MCP_ANSWERED;
    if (c->question_count < RF_MCP_MOST_ASKS)
        c->questions[c->question_count++] = (struct rf_mcp_question){ key, method, params };
    return RF_MCP_ASKED;
}

static enum rf_mcp_asked take_answer(struct rf_mcp_call *c, char *text,
                                     const struct rf_jval **answer, struct rf_err *err)
{
    struct rf_rpc m;
    if (!text) {
        rf_fail(err, RF_EINTERRUPTED, "the client did not answer");
        return RF_MCP_REFUSED;
    }
    struct rf_str kept = rf_str_dup(c->arena, rf_str(text));
    free(text);
    if (rf_rpc_read(kept, c->arena, &m, err))
        return RF_MCP_REFUSED;
    if (m.kind == RF_RPC_ERROR) {
        rf_fail_said(err, RF_EPROVIDER, m.message, "the client refused: ");
        return RF_MCP_REFUSED;
    }
    *answer = m.result;
    return RF_MCP_ANSWERED;
}

static enum rf_mcp_asked ask_and_wait(struct rf_mcp_call *c, const char *method, const char *params,
                                      int64_t most_ms, const struct rf_jval **answer,
                                      struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    pthread_mutex_lock(&c->server->lock);
    int64_t ask = c->ask = ++c->server->last_ask;
    pthread_mutex_unlock(&c->server->lock);
    struct rf_jval id = { .type = RF_JNUMBER, .span = 1, .raw = rf_strf(a, "%" PRId64, ask) };
    rf_rpc_call(w, &id, method);
    if (params)
        rf_json_raw(w, "params", rf_str(params));
    send_now(c, w, a);
    return take_answer(c, rf_mcp_pool_wait_answer(c, most_ms), answer, err);
}

enum rf_mcp_asked rf_mcp_call_question(struct rf_mcp_call *c, const char *key, const char *method,
                                       const char *params, int64_t most_ms,
                                       const struct rf_jval **answer, struct rf_err *err)
{
    if (!rf_mcp_call_capability(c, capability_for(method))) {
        rf_fail(err, RF_EUNSUPPORTED, "the client cannot be asked for %s", capability_for(method));
        return RF_MCP_REFUSED;
    }
    return is_modern(c) ? note_question(c, key, method, params, answer)
                        : ask_and_wait(c, method, params, most_ms, answer, err);
}

enum rf_mcp_asked rf_mcp_call_ask(struct rf_mcp_call *c, const char *key, const char *method,
                                  const char *params, const struct rf_jval **answer,
                                  struct rf_err *err)
{
    return rf_mcp_call_question(c, key, method, params, ANSWER_MS, answer, err);
}

void rf_mcp_call_keep(struct rf_mcp_call *c, struct rf_str state)
{
    c->kept = rf_str_dup(c->arena, state);
}

struct rf_str rf_mcp_call_state(const struct rf_mcp_call *c)
{
    return c->state;
}
