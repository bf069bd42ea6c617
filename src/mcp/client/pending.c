/* Requests under way, and what goes with each: who asks, what it can do, how long it waits. */
#include "mcp/client/hub.h"

#include <refract/version.h>

#include <stdio.h>
#include <stdlib.h>

struct rf_mcp_pending *rf_mcp_pending_find(struct rf_mcp_link *l, int64_t id)
{
    struct rf_mcp_pending *p = l->pending;
    while (p && p->id != id)
        p = p->next;
    return p;
}

void rf_mcp_pending_forget(struct rf_mcp_pending *p)
{
    struct rf_mcp_pending **at = &p->link->pending;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    rf_timer_clear(p->link->hub->loop, &p->timer);
}

static void give_result(struct rf_mcp_link *l, struct rf_mcp_job *j, const struct rf_rpc *answer)
{
    struct rf_err err;
    if (answer->kind == RF_RPC_ERROR && answer->code == RF_MCP_VISIT_FIRST) {
        j->result_arena = rf_arena_new();
        j->result = rf_jval_copy(answer->data, j->result_arena);
    }
    if (answer->kind == RF_RPC_ERROR) {
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, answer->message, "refused %s (%lld)",
                         rf_mcp_method_words(j->method), (long long)answer->code);
        rf_mcp_job_done(l->hub, j, &err);
        return;
    }
    if (!answer->result || answer->result->type != RF_JOBJECT) {
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 },
                         "answered %s with something that is not a result",
                         rf_mcp_method_words(j->method));
        rf_mcp_job_done(l->hub, j, &err);
        return;
    }
    l->failures = 0;
    j->result_arena = rf_arena_new();
    j->result = rf_jval_copy(answer->result, j->result_arena);
    rf_mcp_job_done(l->hub, j, NULL);
}

void rf_mcp_pending_end(struct rf_mcp_pending *p, const struct rf_rpc *answer,
                        const struct rf_err *err)
{
    struct rf_mcp_link *l = p->link;
    rf_mcp_pending_forget(p);
    l->transport->drop(p);
    if (!p->job)
        p->take(l, answer, err);
    else if (answer)
        give_result(l, p->job, answer);
    else
        rf_mcp_job_done(l->hub, p->job, err);
    free(p);
}

void rf_mcp_pending_drop(struct rf_mcp_link *l, const char *method)
{
    for (struct rf_mcp_pending *p = l->pending, *next; p; p = next) {
        next = p->next;
        if (strcmp(p->method, method) != 0)
            continue;
        rf_mcp_pending_forget(p);
        l->transport->drop(p);
        free(p);
    }
}

/* Closing the stream of an answer says it over HTTP in the modern era, and a message elsewhere. */
void rf_mcp_pending_cancel(const struct rf_mcp_pending *p, const char *why)
{
    struct rf_mcp_link *l = p->link;
    struct rf_arena *a = rf_arena_new();
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)p->id);
    const struct rf_jval id = { .type = RF_JNUMBER, .span = 1, .raw = rf_str(number) };
    if (!l->reach.url || !l->revision || l->revision->era == RF_MCP_LEGACY)
        rf_mcp_link_tell(l, "notifications/cancelled",
                         rf_jval_object(
                             (struct rf_jmember[]){
                                 { "requestId", &id },
                                 { "reason", rf_jval_string(rf_str(why), a) },
                             },
                             2, a));
    rf_arena_free(a);
}

static void on_late(void *ctx)
{
    struct rf_mcp_pending *p = ctx;
    struct rf_mcp_link *l = p->link;
    struct rf_err err;
    if (p->asked)
        return; /* a person may think for as long as they like */
    rf_mcp_link_fail(l, &err, RF_ELIMIT, rf_mcp_link_strays(l),
                     "did not answer %s within %lld seconds", rf_mcp_method_words(p->method),
                     (long long)(p->patience_ms / 1000));
    rf_hint(&err, "timeout_s in its entry of the configuration gives it longer.");
    rf_mcp_pending_cancel(p, "it took too long");
    rf_mcp_pending_end(p, NULL, &err);
}

void rf_mcp_pending_arm(struct rf_mcp_pending *p)
{
    if (p->patience_ms)
        rf_timer_set(p->link->hub->loop, &p->timer, rf_now_ms() + p->patience_ms);
}

void rf_mcp_client_info_write(struct rf_json *w, const char *key)
{
    rf_json_obj(w, key);
    rf_json_str(w, "name", RF_STR("refract"));
    rf_json_str(w, "version", rf_str(rf_version()));
    rf_json_end(w);
}

void rf_mcp_capabilities_write(struct rf_json *w, const char *key, const struct rf_mcp_link *l)
{
    const struct rf_mcp_clients_options *o = &l->hub->options;
    rf_json_obj(w, key);
    if (o->root_count) {
        rf_json_obj(w, "roots");
        rf_json_end(w);
    }
    if (o->ask_model) {
        rf_json_obj(w, "sampling");
        rf_json_end(w);
    }
    if (o->ask_person) {
        rf_json_obj(w, "elicitation");
        rf_json_obj(w, "form");
        rf_json_end(w);
        rf_json_obj(w, "url");
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static bool is_plain(char c)
{
    return rf_is_alnum(c) || (c && strchr("/-._~", c));
}

static void write_root(struct rf_json *w, struct rf_str path)
{
    struct rf_str name = rf_str_behind(path, '/');
    char escape[4];
    rf_json_obj(w, NULL);
    rf_json_str_open(w, "uri");
    rf_json_part(w, RF_STR("file://"));
    for (size_t i = 0; i < path.n; i++) {
        snprintf(escape, sizeof escape, "%%%02X", (unsigned)(unsigned char)path.p[i]);
        rf_json_part(w, is_plain(path.p[i]) ? (struct rf_str){ path.p + i, 1 } : rf_str(escape));
    }
    rf_json_str_close(w);
    rf_json_str_opt(w, "name", name);
    rf_json_end(w);
}

void rf_mcp_roots_write(struct rf_json *w, const char *key,
                        const struct rf_mcp_clients_options *options)
{
    rf_json_arr(w, key);
    for (size_t i = 0; i < options->root_count; i++)
        write_root(w, options->roots[i]);
    rf_json_end(w);
}

static void write_meta(struct rf_json *w, const struct rf_mcp_link *l,
                       const struct rf_mcp_pending *p)
{
    bool modern = l->revision && l->revision->era == RF_MCP_MODERN;
    if (!modern && !p->job)
        return;
    rf_json_obj(w, "_meta");
    if (modern) {
        rf_json_str(w, RF_MCP_META_VERSION, rf_str(l->revision->name));
        rf_mcp_client_info_write(w, RF_MCP_META_CLIENT);
        rf_mcp_capabilities_write(w, RF_MCP_META_CAPABILITIES, l);
    }
    if (p->job)
        rf_json_int(w, RF_MCP_META_PROGRESS, p->id);
    rf_json_end(w);
}

void rf_mcp_link_ask(struct rf_mcp_link *l, const struct rf_mcp_request *r)
{
    struct rf_mcp_pending *p = calloc(1, sizeof *p);
    struct rf_arena *a = rf_arena_new();
    struct rf_str message;
    struct rf_err err;
    char number[24];
    if (!p)
        RF_NO_MEMORY();
    *p = (struct rf_mcp_pending){
        .link = l,
        .id = ++l->last_id,
        .method = r->method,
        .job = r->job,
        .take = r->take,
        .timer = { .due = on_late, .ctx = p },
        .patience_ms = r->patience_ms,
        .next = l->pending,
    };
    l->pending = p;
    rf_mcp_pending_arm(p);
    struct rf_json *w = rf_rpc_writer(a);
    snprintf(number, sizeof number, "%lld", (long long)p->id);
    rf_rpc_call(w, &(struct rf_jval){ .type = RF_JNUMBER, .span = 1, .raw = rf_str(number) },
                r->method);
    rf_json_obj(w, "params");
    if (r->params)
        rf_json_members(w, r->params, NULL);
    write_meta(w, l, p);
    rf_json_end(w);
    if (rf_rpc_end(w, RF_MCP_MAX_MESSAGE, &message, &err))
        rf_mcp_pending_end(p, NULL, &err);
    else
        l->transport->send(l, message, p);
    rf_arena_free(a);
}

void rf_mcp_link_tell(struct rf_mcp_link *l, const char *method, const struct rf_jval *params)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    struct rf_str message;
    struct rf_err err;
    rf_rpc_call(w, NULL, method);
    if (params)
        rf_json_value(w, "params", params);
    if (!rf_rpc_end(w, RF_MCP_MAX_MESSAGE, &message, &err))
        l->transport->send(l, message, NULL);
    rf_arena_free(a);
}
