/* One client: its messages in, its requests under way, and what is sent to it. */
#include "mcp/server/inside.h"

#include <inttypes.h>
#include <stdlib.h>

struct rf_mcp_peer *rf_mcp_peer_new(struct rf_mcp_server *s, const struct rf_mcp_peer_calls *calls,
                                    void *ctx)
{
    struct rf_mcp_peer *p = calloc(1, sizeof *p);
    if (!p)
        RF_NO_MEMORY();
    p->server = s;
    p->calls = *calls;
    p->ctx = ctx;
    p->log_level = -1;
    p->next = s->peers;
    s->peers = p;
    return p;
}

void rf_mcp_call_free(struct rf_mcp_call *c)
{
    free(c->answer);
    rf_arena_free(c->arena);
}

static void send(struct rf_mcp_peer *p, void *channel, struct rf_str message, bool last)
{
    p->calls.send(p->ctx, channel, message, last);
}

/* Nobody waits for it any more; whoever runs it finds out. */
static void detach(struct rf_mcp_call *c)
{
    struct rf_mcp_call **at = &c->peer->under_way;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->peer->busy--;
    c->peer = NULL;
}

static void give_up(struct rf_mcp_call *c)
{
    detach(c);
    if (rf_mcp_pool_cancel(c))
        rf_mcp_call_free(c);
}

void rf_mcp_peer_drop(struct rf_mcp_peer *p, void *channel)
{
    struct rf_mcp_call *next;
    for (struct rf_mcp_call *c = p->under_way; c; c = next) {
        next = c->next;
        if (c->channel == channel)
            give_up(c);
    }
    rf_mcp_stop_listening(p, NULL, channel);
}

void rf_mcp_peer_hold(struct rf_mcp_peer *p)
{
    atomic_store(&p->held, true);
}

void rf_mcp_peer_go_on(struct rf_mcp_peer *p)
{
    atomic_store(&p->held, false);
    rf_mcp_pool_wake(p->server);
}

size_t rf_mcp_peer_busy(const struct rf_mcp_peer *p)
{
    return p->busy;
}

const struct rf_mcp_revision *rf_mcp_peer_revision(const struct rf_mcp_peer *p)
{
    return p->revision;
}

void rf_mcp_peer_close(struct rf_mcp_peer *p)
{
    rf_mcp_subscriptions_close(p);
}

void rf_mcp_peer_free(struct rf_mcp_peer *p)
{
    if (!p)
        return;
    while (p->under_way)
        give_up(p->under_way);
    rf_mcp_subscriptions_free(p);
    struct rf_mcp_peer **at = &p->server->peers;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    rf_arena_free(p->arena);
    free(p->roots);
    free(p);
}

/* Messages in */

static struct rf_mcp_call *new_call(struct rf_mcp_peer *p, struct rf_str message, void *channel)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_call *c = RF_NEW(a, struct rf_mcp_call);
    c->server = p->server;
    c->peer = p;
    c->held = &p->held;
    c->channel = channel;
    c->arena = a;
    c->log_level = -1;
    c->progress = -1;
    c->message = rf_str_dup(a, message);
    return c;
}

static struct rf_mcp_call *find(struct rf_mcp_peer *p, const struct rf_jval *id, struct rf_arena *a)
{
    for (struct rf_mcp_call *c = p->under_way; c; c = c->next)
        if (rf_rpc_same_id(c->rpc.id, id, a))
            return c;
    return NULL;
}

static void cancel(struct rf_mcp_peer *p, const struct rf_rpc *m, struct rf_arena *a)
{
    const struct rf_jval *id = rf_jval_get(m->params, "requestId");
    struct rf_mcp_call *c = find(p, id, a);
    if (c) {
        send(p, c->channel, RF_STR(""), true);
        give_up(c);
    } else if (id) {
        rf_mcp_stop_listening(p, id, NULL);
    }
}

static void take_notification(struct rf_mcp_peer *p, const struct rf_rpc *m, struct rf_arena *a)
{
    if (rf_str_is(m->method, "notifications/cancelled"))
        cancel(p, m, a);
    if (rf_str_is(m->method, "notifications/roots/list_changed")) {
        free(p->roots);
        p->roots = NULL;
        p->roots_asked++;
    }
}

/* The answer to a question of one of our calls. One that nobody asked is passed over. */
static void take_answer(struct rf_mcp_peer *p, const struct rf_rpc *m, struct rf_str text)
{
    struct rf_mcp_server *s = p->server;
    int64_t id;
    if (!rf_jval_int64(m->id, &id) || id <= 0)
        return;
    pthread_mutex_lock(&s->lock);
    for (struct rf_mcp_call *c = p->under_way; c; c = c->next)
        if (c->ask == id && !c->answer)
            c->answer = strndup(text.p, text.n);
    pthread_cond_broadcast(&s->answer);
    pthread_mutex_unlock(&s->lock);
}

/* A request that is answered at once. */
static void answer_now(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    rf_mcp_call_finish(c);
    send(p, c->channel, c->message, true);
}

static void take_request(struct rf_mcp_peer *p, struct rf_mcp_call *c)
{
    if (p->busy >= RF_MCP_MOST_CALLS)
        rf_mcp_call_refuse(c, RF_RPC_INTERNAL_ERROR,
                           rf_strf(c->arena,
                                   "%d requests are under way already: wait for an answer first",
                                   RF_MCP_MOST_CALLS));
    else if (find(p, c->rpc.id, c->arena) || rf_mcp_is_listening(p, c->rpc.id, c->arena))
        rf_mcp_call_refuse(c, RF_RPC_INVALID_REQUEST,
                           RF_STR("a request with this id is under way already"));
    else if (rf_mcp_dispatch(p, c)) {
        c->next = p->under_way;
        p->under_way = c;
        p->busy++;
        if (rf_mcp_pool_add(c))
            return;
        detach(c);
        rf_mcp_call_refuse(c, RF_RPC_INTERNAL_ERROR, RF_STR("no thread could be started"));
    }
    if (c->w)
        answer_now(p, c);
    rf_mcp_call_free(c);
}

void rf_mcp_peer_take(struct rf_mcp_peer *p, struct rf_str message, void *channel)
{
    struct rf_mcp_call *c = new_call(p, message, channel);
    struct rf_err err = { 0 };
    enum rf_code rc = rf_rpc_read(c->message, c->arena, &c->rpc, &err);
    if (!rc && c->rpc.kind == RF_RPC_REQUEST) {
        take_request(p, c);
        return;
    }
    if (rc && c->rpc.kind == RF_RPC_REQUEST) {
        rf_mcp_call_refuse(c, c->rpc.code, rf_str(err.msg));
        answer_now(p, c);
    } else if (!rc && c->rpc.kind == RF_RPC_NOTIFICATION) {
        take_notification(p, &c->rpc, c->arena);
    } else if (!rc) {
        take_answer(p, &c->rpc, c->message);
    }
    rf_mcp_call_free(c);
}

/* Posts of the threads */

static void take_done(struct rf_mcp_call *c)
{
    struct rf_mcp_peer *p = c->peer;
    if (p) {
        if (c->learned_roots && c->roots_asked == p->roots_asked && !p->roots)
            p->roots = strndup(c->client_roots.p, c->client_roots.n);
        if (!c->w) {
            c->settle(p, c);
            rf_mcp_call_finish(c);
        }
        detach(c);
        send(p, c->channel, c->message, true);
    }
    rf_mcp_call_free(c);
}

void rf_mcp_peer_deliver(struct rf_mcp_server *s, struct rf_mcp_post *post)
{
    struct rf_str text = { post->text, post->n };
    switch (post->kind) {
    case RF_MCP_POST_MESSAGE:
        if (post->call->peer)
            send(post->call->peer, post->call->channel, text, false);
        break;
    case RF_MCP_POST_DONE:
        take_done(post->call);
        break;
    case RF_MCP_POST_LIST:
        rf_mcp_tell_list(s, post->list);
        break;
    }
}
