/* What a server says, and what becomes of it. A message that is none, an answer to no question and
 * a notification that nobody follows are let pass: what they were is remembered for the message of
 * the call that gets no answer. */
#include "mcp/client/hub.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_STRAYS 10000               /* lines that are not messages, one after the other */
#define BABBLE_MS 10000                 /* from the first of them to a message, when it starts */
#define MOST_ASKED 16                   /* questions of one call that wait */
#define LOOKED_AT ((size_t)64 << 10)    /* bytes of a stray message */
#define LARGE_MESSAGE ((size_t)1 << 20) /* what it took is given back at once */

/* Keys are taken out before it is cut: a part of one would not be found any more. */
static void remember(struct rf_mcp_link *l, const char *what, struct rf_str text)
{
    text.n = text.n < LOOKED_AT ? text.n : LOOKED_AT;
    text = rf_secrets_redact(&l->secrets, text, l->hub->scratch);
    size_t n = text.n < 60 ? text.n : 60;
    while (n && rf_utf8_valid((struct rf_str){ text.p, n }) < n)
        n--;
    snprintf(l->stray, sizeof l->stray, "%s \"%.*s\"", what, (int)n, text.p);
}

static void take_nonsense(struct rf_mcp_link *l, struct rf_str message)
{
    remember(l, "it said something that is not a message:", message);
    if (!l->first_stray[0])
        memcpy(l->first_stray, l->stray, sizeof l->stray);
    if (++l->strays >= MOST_STRAYS)
        rf_mcp_link_babbles(l);
    else if (l->state == RF_MCP_STARTING && !l->speaks && !l->babble.place)
        rf_timer_set(l->hub->loop, &l->babble, rf_now_ms() + BABBLE_MS);
}

/* Some servers send the number back as a string. */
static struct rf_mcp_pending *pending_of(struct rf_mcp_link *l, const struct rf_jval *id)
{
    int64_t number;
    if (!id ||
        !(id->type == RF_JSTRING ? rf_str_int64(id->raw, &number) : rf_jval_int64(id, &number)))
        return NULL;
    return rf_mcp_pending_find(l, number);
}

static void take_answer(struct rf_mcp_link *l, const struct rf_rpc *m, struct rf_mcp_pending *by)
{
    struct rf_mcp_pending *p = pending_of(l, m->id);
    if (!m->id && by)
        p = by; /* an error that could not be told whose it is, but came with the answer */
    else if (!m->id && l->pending && !l->pending->next)
        p = l->pending;
    if (p)
        rf_mcp_pending_end(p, m, NULL);
    else if (m->kind == RF_RPC_ERROR)
        remember(l, "it said an error that belongs to no request:", m->message);
    else
        remember(l, "it answered a request that was not made, or twice:",
                 m->id ? m->id->raw : (struct rf_str){ 0 });
}

/* What a message that is not well formed still says: whose answer it was to be. */
static void take_broken(struct rf_mcp_link *l, const struct rf_rpc *m, struct rf_str message,
                        const struct rf_err *why)
{
    bool answer = m->kind == RF_RPC_RESULT || m->kind == RF_RPC_ERROR;
    struct rf_mcp_pending *p = answer ? pending_of(l, m->id) : NULL;
    struct rf_err err;
    if (why->code == RF_ELIMIT) { /* it was not read, so that nobody knows whose answer it was */
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, rf_str(why->msg), "sent what is not taken");
        rf_mcp_link_down(l, &err);
        return;
    }
    if (!p) {
        take_nonsense(l, message);
        return;
    }
    rf_mcp_link_fail(l, &err, RF_EPROVIDER, rf_str(why->msg), "answered %s in a wrong form",
                     rf_mcp_method_words(p->method));
    rf_mcp_pending_end(p, NULL, &err);
}

/* Notifications */

static void take_progress(struct rf_mcp_link *l, const struct rf_rpc *m)
{
    struct rf_mcp_pending *p = pending_of(l, rf_jval_get(m->params, RF_MCP_META_PROGRESS));
    struct rf_str words = rf_mcp_text(m->params, "message", l->hub->scratch);
    double progress = 0, total = 0;
    if (!p || !p->job)
        return;
    rf_jval_double(rf_jval_get(m->params, "progress"), &progress);
    rf_jval_double(rf_jval_get(m->params, "total"), &total);
    rf_mcp_pending_arm(p);
    rf_mcp_job_lock(l->hub);
    p->job->moved = true;
    p->job->progress = progress;
    p->job->total = total;
    snprintf(p->job->message, sizeof p->job->message, "%.*s", RF_FMT(words));
    p->job->message[rf_utf8_valid(rf_str(p->job->message))] = '\0';
    rf_mcp_job_unlock(l->hub, p->job);
}

static void take_notification(struct rf_mcp_link *l, const struct rf_rpc *m)
{
    if (rf_str_is(m->method, "notifications/progress"))
        take_progress(l, m);
    else if (rf_str_is(m->method, "notifications/tools/list_changed"))
        rf_mcp_tools_changed(l);
}

/* Requests */

static void answer_empty(struct rf_mcp_link *l, const struct rf_jval *id, const char *list)
{
    const struct rf_mcp_clients_options *o = &l->hub->options;
    struct rf_json *w = rf_rpc_writer(l->hub->scratch);
    struct rf_str text;
    struct rf_err err;
    rf_rpc_answer(w, id);
    rf_json_obj(w, "result");
    if (list)
        rf_mcp_roots_write(w, list, o);
    rf_json_end(w);
    if (!rf_rpc_end(w, RF_MCP_MAX_MESSAGE, &text, &err))
        l->transport->send(l, text, NULL);
}

static void refuse(struct rf_mcp_link *l, const struct rf_jval *id, enum rf_rpc_code code,
                   const char *why)
{
    struct rf_json *w = rf_rpc_writer(l->hub->scratch);
    struct rf_str text;
    struct rf_err err;
    rf_rpc_refuse(w, id, code, rf_str(why));
    if (!rf_rpc_end(w, RF_MCP_MAX_MESSAGE, &text, &err))
        l->transport->send(l, text, NULL);
}

/* The call that a question belongs to: the one whose stream it came by, or any. */
static struct rf_mcp_pending *call_of(struct rf_mcp_link *l, struct rf_mcp_pending *by)
{
    struct rf_mcp_pending *p = by && by->job ? by : l->pending;
    while (p && !p->job)
        p = p->next;
    return p;
}

static void hand_on(struct rf_mcp_link *l, const struct rf_rpc *m, struct rf_mcp_pending *p)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_asked *q = RF_NEW(a, struct rf_mcp_asked);
    *q = (struct rf_mcp_asked){ .arena = a,
                                .connection = l->connection,
                                .pending = p->id,
                                .id = rf_jval_copy(m->id, a),
                                .params = rf_jval_copy(m->params, a),
                                .method = rf_str_dup(a, m->method) };
    p->asked++;
    rf_mcp_job_lock(l->hub);
    struct rf_mcp_asked **at = &p->job->asked;
    while (*at)
        at = &(*at)->next;
    *at = q;
    rf_mcp_job_unlock(l->hub, p->job);
}

static void take_question(struct rf_mcp_link *l, const struct rf_rpc *m, struct rf_mcp_pending *by)
{
    struct rf_mcp_pending *p = call_of(l, by);
    if (!p)
        refuse(l, m->id, RF_RPC_INVALID_REQUEST, "nobody can be asked: no call is under way");
    else if (p->asked >= MOST_ASKED)
        refuse(l, m->id, RF_RPC_INVALID_REQUEST, "too many questions wait for an answer");
    else
        hand_on(l, m, p);
}

static void take_request(struct rf_mcp_link *l, const struct rf_rpc *m, struct rf_mcp_pending *by)
{
    const struct rf_mcp_clients_options *o = &l->hub->options;
    if (rf_str_is(m->method, "ping"))
        answer_empty(l, m->id, NULL);
    else if (rf_str_is(m->method, "roots/list") && o->root_count)
        answer_empty(l, m->id, "roots");
    else if ((rf_str_is(m->method, "sampling/createMessage") && o->ask_model) ||
             (rf_str_is(m->method, "elicitation/create") && o->ask_person))
        take_question(l, m, by);
    else
        refuse(l, m->id, RF_RPC_METHOD_NOT_FOUND, "the client has no such method");
}

static void take(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *by)
{
    struct rf_rpc m;
    struct rf_err err;
    if (rf_rpc_read(message, l->hub->scratch, &m, &err)) {
        take_broken(l, &m, message, &err);
        return;
    }
    l->strays = 0;
    l->speaks = true;
    rf_timer_clear(l->hub->loop, &l->babble);
    switch (m.kind) {
    case RF_RPC_REQUEST:
        take_request(l, &m, by);
        break;
    case RF_RPC_NOTIFICATION:
        take_notification(l, &m);
        break;
    case RF_RPC_RESULT:
    case RF_RPC_ERROR:
        take_answer(l, &m, by);
        break;
    }
}

void rf_mcp_link_take(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *by)
{
    struct rf_mcp_clients *h = l->hub;
    take(l, message, by);
    if (message.n < LARGE_MESSAGE) {
        rf_arena_reset(h->scratch);
    } else {
        rf_arena_free(h->scratch);
        h->scratch = rf_arena_new();
    }
}
