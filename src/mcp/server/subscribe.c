/* Who is told of changes: streams of the modern era (subscriptions/listen), and what a legacy
 * client subscribed to. A legacy client that has begun hears of changed lists unasked.
 *
 * Files outside of a legacy client's roots are not followed. A stream cannot ask for roots: those
 * of a modern client come with its other requests, and all that a stream tells of a file is its
 * name. */
#include "mcp/server/inside.h"

#include <stdlib.h>

static const struct {
    const char *filter, *method;
} lists[] = {
    [RF_MCP_LIST_TOOLS] = { "toolsListChanged", "notifications/tools/list_changed" },
    [RF_MCP_LIST_PROMPTS] = { "promptsListChanged", "notifications/prompts/list_changed" },
    [RF_MCP_LIST_RESOURCES] = { "resourcesListChanged", "notifications/resources/list_changed" },
};
#define LISTS (sizeof lists / sizeof *lists)

static struct rf_mcp_subscription *add(struct rf_mcp_peer *p)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_subscription *s = RF_NEW(a, struct rf_mcp_subscription);
    s->arena = a;
    s->next = p->subscriptions;
    p->subscriptions = s;
    return s;
}

static void let_go(struct rf_mcp_peer *p, struct rf_mcp_subscription *s)
{
    struct rf_mcp_subscription **at = &p->subscriptions;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    for (size_t i = 0; i < s->uri_count; i++)
        rf_mcp_watch_remove(p->server, s->uris[i]);
    rf_arena_free(s->arena);
}

static size_t count(const struct rf_mcp_peer *p)
{
    size_t n = 0;
    for (const struct rf_mcp_subscription *s = p->subscriptions; s; s = s->next)
        n++;
    return n;
}

/* A URI that can change: one that was added, or a file below the roots. */
static bool can_follow(struct rf_mcp_peer *p, struct rf_str client_roots, struct rf_str uri,
                       struct rf_arena *a)
{
    struct rf_mcp_server *server = p->server;
    struct rf_mcp_roots roots;
    struct rf_str path, absolute;
    struct rf_bytes bytes;
    if (rf_mcp_resource_find(server, uri))
        return true;
    if (!rf_mcp_path_of_uri(uri, a, &path))
        return false;
    rf_mcp_roots_known(server, client_roots, a, &roots);
    const char *root = rf_mcp_root_for(&roots, path, a, &absolute);
    return root && !rf_bytes_file(root, rf_cstr(a, absolute), &bytes, NULL) &&
           rf_mcp_watch_add(server, rf_cstr(a, absolute), uri);
}

static size_t find(const struct rf_mcp_subscription *s, struct rf_str uri)
{
    size_t i = 0;
    while (i < s->uri_count && !rf_str_eq(s->uris[i], uri))
        i++;
    return i;
}

/* Also where it is followed already. */
static bool follow(struct rf_mcp_peer *p, struct rf_mcp_subscription *s, struct rf_mcp_call *c,
                   struct rf_str uri)
{
    if (find(s, uri) < s->uri_count)
        return true;
    if (s->uri_count == RF_MCP_MOST_SUBSCRIPTIONS || !can_follow(p, c->client_roots, uri, c->arena))
        return false;
    *RF_PUSH(s->arena, s->uris, s->uri_count, s->uri_cap) = rf_str_dup(s->arena, uri);
    return true;
}

/* The legacy era: one subscription, without an id. */

static struct rf_mcp_subscription *of_legacy(struct rf_mcp_peer *p)
{
    for (struct rf_mcp_subscription *s = p->subscriptions; s; s = s->next)
        if (!s->id)
            return s;
    return NULL;
}

void rf_mcp_subscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    struct rf_mcp_subscription *s = of_legacy(p);
    struct rf_str uri = rf_mcp_call_text(c, "uri");
    if (!s)
        s = add(p);
    if (follow(p, s, c, uri))
        rf_mcp_call_result(c);
    else if (s->uri_count == RF_MCP_MOST_SUBSCRIPTIONS)
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           RF_STR("there are too many subscriptions: end one first"));
    else
        rf_mcp_call_refuse(c, RF_MCP_RESOURCE_NOT_FOUND,
                           RF_STR("there is no such resource that could be followed"));
}

void rf_mcp_unsubscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    struct rf_mcp_subscription *s = of_legacy(p);
    struct rf_str uri = rf_mcp_call_text(c, "uri");
    size_t i = s ? find(s, uri) : 0;
    if (s && i < s->uri_count) {
        rf_mcp_watch_remove(p->server, uri);
        s->uris[i] = s->uris[--s->uri_count];
    }
    rf_mcp_call_result(c);
}

/* The modern era */

static void write_id(struct rf_json *w, const struct rf_mcp_subscription *s)
{
    if (!s->id)
        return;
    rf_json_obj(w, "_meta");
    rf_json_value(w, RF_MCP_META_SUBSCRIPTION, s->id);
    rf_json_end(w);
}

static void send(struct rf_mcp_peer *p, const struct rf_mcp_subscription *s, struct rf_json *w)
{
    struct rf_str text;
    if (!rf_rpc_end(w, RF_MCP_MOST_OUT, &text, NULL))
        p->calls.send(p->ctx, s->channel, text, false);
}

static void acknowledge(struct rf_mcp_peer *p, const struct rf_mcp_subscription *s,
                        struct rf_arena *a)
{
    struct rf_json *w = rf_rpc_writer(a);
    rf_rpc_call(w, NULL, "notifications/subscriptions/acknowledged");
    rf_json_obj(w, "params");
    write_id(w, s);
    rf_json_obj(w, "notifications");
    for (size_t i = 0; i < LISTS; i++)
        if (s->lists[i])
            rf_json_bool(w, lists[i].filter, true);
    if (s->uri_count) {
        rf_json_arr(w, "resourceSubscriptions");
        for (size_t i = 0; i < s->uri_count; i++)
            rf_json_str(w, NULL, s->uris[i]);
        rf_json_end(w);
    }
    send(p, s, w);
}

/* What of it can be had: our own lists never change. */
static void take_filter(struct rf_mcp_peer *p, struct rf_mcp_subscription *s, struct rf_mcp_call *c,
                        const struct rf_jval *filter)
{
    const struct rf_jval *uris = rf_jval_get(filter, "resourceSubscriptions");
    const struct rf_mcp_offer *more = p->server->offer;
    for (size_t i = 0; i < LISTS; i++)
        s->lists[i] = more && rf_jval_type(rf_jval_get(filter, lists[i].filter)) == RF_JTRUE;
    if (more && !more->prompt_count)
        s->lists[RF_MCP_LIST_PROMPTS] = false;
    for (const struct rf_jval *v = rf_jval_first(uris); v; v = rf_jval_next(uris, v))
        if (v->type == RF_JSTRING)
            follow(p, s, c, rf_jval_text(v, c->arena));
}

void rf_mcp_listen(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    const struct rf_jval *filter = rf_jval_get(c->rpc.params, "notifications");
    if (!filter || filter->type != RF_JOBJECT) {
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           RF_STR("subscriptions/listen needs the object notifications"));
        return;
    }
    if (count(p) >= RF_MCP_MOST_SUBSCRIPTIONS) {
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           RF_STR("there are too many subscriptions: cancel one first"));
        return;
    }
    const struct rf_jval *uris = rf_jval_get(filter, "resourceSubscriptions");
    if (uris && uris->count > RF_MCP_MOST_SUBSCRIPTIONS) { /* each is looked for in the loop */
        rf_mcp_call_refuse(c, RF_RPC_INVALID_PARAMS,
                           rf_strf(c->arena,
                                   "resourceSubscriptions has %zu URIs, and %d is the limit of one "
                                   "stream: open several",
                                   (size_t)uris->count, RF_MCP_MOST_SUBSCRIPTIONS));
        return;
    }
    struct rf_mcp_subscription *s = add(p);
    s->id = rf_jval_copy(c->rpc.id, s->arena);
    s->channel = c->channel;
    take_filter(p, s, c, filter);
    acknowledge(p, s, c->arena);
}

void rf_mcp_stop_listening(struct rf_mcp_peer *p, const struct rf_jval *id, const void *channel)
{
    struct rf_mcp_subscription *next;
    for (struct rf_mcp_subscription *s = p->subscriptions; s; s = next) {
        next = s->next;
        if (!s->id || (id ? !rf_rpc_same_id(s->id, id, s->arena) : s->channel != channel))
            continue;
        if (id)
            p->calls.send(p->ctx, s->channel, RF_STR(""), true);
        let_go(p, s);
    }
}

bool rf_mcp_is_listening(const struct rf_mcp_peer *p, const struct rf_jval *id, struct rf_arena *a)
{
    const struct rf_mcp_subscription *s = p->subscriptions;
    while (s && !(s->id && rf_rpc_same_id(s->id, id, a)))
        s = s->next;
    return s;
}

void rf_mcp_subscriptions_close(struct rf_mcp_peer *p)
{
    struct rf_mcp_subscription *next;
    for (struct rf_mcp_subscription *s = p->subscriptions; s; s = next) {
        struct rf_json *w = rf_rpc_writer(s->arena);
        struct rf_str text;
        next = s->next;
        if (!s->id)
            continue;
        rf_rpc_answer(w, s->id);
        rf_json_obj(w, "result");
        rf_json_str(w, "resultType", RF_STR("complete"));
        write_id(w, s);
        if (!rf_rpc_end(w, RF_MCP_MOST_OUT, &text, NULL))
            p->calls.send(p->ctx, s->channel, text, true);
        let_go(p, s);
    }
}

void rf_mcp_subscriptions_free(struct rf_mcp_peer *p)
{
    while (p->subscriptions)
        let_go(p, p->subscriptions);
}

/* Telling */

static void tell(struct rf_mcp_peer *p, const struct rf_mcp_subscription *s, const char *method,
                 struct rf_str uri)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    rf_rpc_call(w, NULL, method);
    if (uri.n || s->id) {
        rf_json_obj(w, "params");
        rf_json_str_opt(w, "uri", uri);
        write_id(w, s);
    }
    send(p, s, w);
    rf_arena_free(a);
}

void rf_mcp_tell_list(struct rf_mcp_server *server, enum rf_mcp_list list)
{
    static const struct rf_mcp_subscription legacy;
    for (struct rf_mcp_peer *p = server->peers; p; p = p->next) {
        if (p->revision)
            tell(p, &legacy, lists[list].method, RF_STR(""));
        for (struct rf_mcp_subscription *s = p->subscriptions; s; s = s->next)
            if (s->id && s->lists[list])
                tell(p, s, lists[list].method, RF_STR(""));
    }
}

/* A legacy client's roots may have changed since it subscribed. */
static bool may_hear(const struct rf_mcp_peer *p, const struct rf_mcp_subscription *s,
                     struct rf_str uri)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_roots roots;
    struct rf_str path;
    bool may = true;
    if (!s->id && p->roots && rf_mcp_path_of_uri(uri, a, &path)) {
        rf_mcp_roots_known(p->server, rf_str(p->roots), a, &roots);
        may = rf_mcp_roots_hold(&roots, rf_cstr(a, path));
    }
    rf_arena_free(a);
    return may;
}

void rf_mcp_tell_updated(struct rf_mcp_server *server, struct rf_str uri)
{
    for (struct rf_mcp_peer *p = server->peers; p; p = p->next)
        for (struct rf_mcp_subscription *s = p->subscriptions; s; s = s->next)
            if (find(s, uri) < s->uri_count && may_hear(p, s, uri))
                tell(p, s, "notifications/resources/updated", uri);
}
