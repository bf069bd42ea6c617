/* Streamable HTTP: one endpoint, both eras.
 *
 * A message is a POST. In the modern era each stands alone: headers mirror the body for proxies and
 * are checked against it, and its stream is all that there is. In the legacy era "initialize" makes
 * a session, by whose id all further messages come; a GET is its general stream, a DELETE its end.
 *
 * OAuth is not spoken: a bearer token is compared with the one that we were given. */
#include "mcp/server/http.h"

#include "base/clock.h"
#include "content/result.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_CONNECTIONS 512 /* half of the descriptors that a program usually has */
#define TICK_MS 15000        /* between signs of life on streams */
#define GRACE_MS 3000        /* for what is under way when the server is told to end */

/* Exchanges */

static struct rf_mcp_exchange *exchange_new(struct rf_mcp_http *h, struct rf_httpd_request *r)
{
    struct rf_mcp_exchange *p = calloc(1, sizeof *p);
    if (!p)
        RF_NO_MEMORY();
    *p = (struct rf_mcp_exchange){ .http = h, .request = r, .next = h->posts };
    if (p->next)
        p->next->before = p;
    h->posts = p;
    r->own = p;
    return p;
}

void rf_mcp_exchange_free(struct rf_mcp_exchange *p)
{
    *(p->before ? &p->before->next : &p->http->posts) = p->next;
    if (p->next)
        p->next->before = p->before;
    rf_mcp_peer_free(p->peer);
    free(p->body);
    free(p);
}

/* Messages */

static void take_modern(struct rf_mcp_exchange *p, const struct rf_rpc *m, struct rf_arena *a)
{
    const struct rf_jval *version = rf_mcp_meta_get(m, RF_MCP_META_VERSION);
    const struct rf_jval *can = rf_mcp_meta_get(m, RF_MCP_META_CAPABILITIES);
    const char *fault = rf_mcp_http_mirror_fault(p->request, m, a);
    if (fault) {
        rf_mcp_http_refuse(p, 400, RF_MCP_HEADER_MISMATCH, rf_str(fault));
        return;
    }
    if (m->kind != RF_RPC_REQUEST) {
        rf_mcp_http_reply(p, 202, RF_STR(""));
        return;
    }
    p->bad_meta = !version || version->type != RF_JSTRING || !can || can->type != RF_JOBJECT;
    p->peer = rf_mcp_peer_new(p->http->server, &rf_mcp_http_modern, p);
    rf_mcp_peer_take(p->peer, (struct rf_str){ p->body, p->n }, p);
}

/* The session that a header names; NULL: it was refused. */
static struct rf_mcp_session *named_session(struct rf_mcp_exchange *p)
{
    const char *id = rf_httpd_header(p->request, "Mcp-Session-Id");
    struct rf_mcp_session *s = id ? rf_mcp_session_find(p->http, id) : NULL;
    if (!id)
        rf_mcp_http_refuse(p, 400, RF_RPC_INVALID_REQUEST,
                           RF_STR("the header Mcp-Session-Id is missing: begin with initialize"));
    else if (!s)
        rf_mcp_http_refuse(p, 404, RF_RPC_INVALID_REQUEST,
                           RF_STR("there is no such session (any more): begin with initialize"));
    return s;
}

static void take_legacy(struct rf_mcp_exchange *p, const struct rf_rpc *m)
{
    struct rf_str body = { p->body, p->n };
    p->initializes = m->kind == RF_RPC_REQUEST && rf_str_is(m->method, "initialize");
    struct rf_mcp_session *s = p->initializes ? rf_mcp_session_new(p->http) : named_session(p);
    if (s && m->kind == RF_RPC_REQUEST) {
        p->session = s;
        rf_mcp_peer_take(s->peer, body, p);
    } else if (s) {
        rf_mcp_http_reply(p, 202, RF_STR(""));
        rf_mcp_peer_take(s->peer, body, NULL);
    } else if (p->initializes) {
        rf_mcp_http_refuse(p, 503, RF_RPC_INTERNAL_ERROR, RF_STR("there are too many sessions"));
    }
}

/* By the header, and where there is none, by the message. A revision that is not known is one of
 * the modern era, which says in the body again which it is. */
static bool is_modern(const struct rf_httpd_request *r, const struct rf_rpc *m)
{
    const char *version = rf_httpd_header(r, "MCP-Protocol-Version");
    const struct rf_mcp_revision *v = version ? rf_mcp_revision_find(rf_str(version)) : NULL;
    return (v && v->era == RF_MCP_MODERN) || rf_mcp_era_of(m) == RF_MCP_MODERN;
}

static bool is_known_version(const struct rf_httpd_request *r)
{
    const char *version = rf_httpd_header(r, "MCP-Protocol-Version");
    return !version || rf_mcp_revision_find(rf_str(version));
}

static void take_message(struct rf_mcp_exchange *p)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m = { 0 };
    struct rf_err err = { 0 };
    enum rf_code rc = rf_rpc_read((struct rf_str){ p->body ? p->body : "", p->n }, a, &m, &err);
    p->id = m.kind == RF_RPC_REQUEST ? m.id : NULL;
    if (rc)
        rf_mcp_http_refuse(p, 400, m.code, rf_str(err.msg));
    else if (is_modern(p->request, &m))
        take_modern(p, &m, a);
    else if (!is_known_version(p->request))
        rf_mcp_http_refuse(p, 400, RF_MCP_UNSUPPORTED_VERSION,
                           RF_STR("the MCP-Protocol-Version is not supported"));
    else
        take_legacy(p, &m);
    p->id = NULL;
    rf_arena_free(a);
}

/* GET and DELETE, which only sessions have. */
static void take_session_method(struct rf_mcp_exchange *p)
{
    bool get = rf_str_is(p->request->method, "GET");
    struct rf_mcp_session *s;
    if (!rf_httpd_header(p->request, "Mcp-Session-Id"))
        rf_mcp_http_refuse(p, 405, RF_RPC_INVALID_REQUEST, RF_STR("messages are sent with POST"));
    else if (get && !rf_mcp_http_accepts(p->request, "text/event-stream"))
        rf_mcp_http_refuse(p, 406, RF_RPC_INVALID_REQUEST,
                           RF_STR("a stream is text/event-stream, which Accept does not have"));
    else if (!(s = named_session(p)))
        return;
    else if (get)
        rf_mcp_session_listen(s, p);
    else {
        rf_mcp_session_free(s);
        rf_mcp_http_reply(p, 200, RF_STR(""));
    }
}

/* What the server of HTTP calls */

static bool is_json(const struct rf_httpd_request *r)
{
    const char *header = rf_httpd_header(r, "Content-Type");
    struct rf_str rest = rf_str(header), type;
    return header && rf_str_split(&rest, ';', &type) &&
           rf_str_ieq(rf_str_trim(type), RF_STR("application/json"));
}

static void check_post(struct rf_mcp_exchange *p)
{
    if (!is_json(p->request))
        rf_mcp_http_refuse(p, 415, RF_RPC_INVALID_REQUEST,
                           RF_STR("the Content-Type must be application/json"));
    else if (!rf_mcp_http_accepts(p->request, "application/json") ||
             !rf_mcp_http_accepts(p->request, "text/event-stream"))
        rf_mcp_http_refuse(p, 406, RF_RPC_INVALID_REQUEST,
                           RF_STR("Accept must have both application/json and text/event-stream"));
}

static void begin(void *ctx, struct rf_httpd_request *r)
{
    struct rf_mcp_exchange *p = exchange_new(ctx, r);
    const char *why;
    int status = rf_mcp_http_gate(ctx, p, &why);
    r->max_body = RF_MCP_MOST_IN;
    if (status)
        rf_mcp_http_refuse(p, status, RF_RPC_INVALID_REQUEST, rf_str(why));
    else if (rf_str_is(r->method, "POST"))
        check_post(p);
    else if (rf_str_is(r->method, "OPTIONS"))
        rf_mcp_http_reply(p, 204, RF_STR(""));
    else if (!rf_str_is(r->method, "GET") && !rf_str_is(r->method, "DELETE"))
        rf_mcp_http_refuse(p, 405, RF_RPC_INVALID_REQUEST, RF_STR("messages are sent with POST"));
}

/* `max_body` has bounded what comes here. */
static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    struct rf_mcp_exchange *p = r->own;
    (void)ctx;
    if (piece.n > p->room - p->n) {
        p->room = 2 * (p->n + piece.n);
        p->body = realloc(p->body, p->room);
        if (!p->body)
            RF_NO_MEMORY();
    }
    memcpy(p->body + p->n, piece.p, piece.n);
    p->n += piece.n;
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    struct rf_mcp_exchange *p = r->own;
    (void)ctx;
    if (!rf_str_is(r->method, "POST")) {
        take_session_method(p);
        return;
    }
    take_message(p);
    free(p->body);
    p->body = NULL;
    p->n = p->room = 0;
}

static void writable(void *ctx, struct rf_httpd_request *r)
{
    struct rf_mcp_exchange *p = r->own;
    (void)ctx;
    if (!p || !p->unread)
        return;
    p->unread = 0;
    if (p->peer || p->session)
        rf_mcp_peer_go_on(p->peer ? p->peer : p->session->peer);
}

/* A stream of a session can be gone back to; a request of which nothing was heard yet cannot. */
static void end(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how)
{
    struct rf_mcp_exchange *p = r->own;
    (void)how;
    if (!p)
        return;
    struct rf_mcp_session *s = p->session;
    writable(ctx, r);
    p->request = NULL;
    p->origin = NULL;
    if (s && s->general == p) {
        s->general = NULL;
    } else if (s && p->streaming && !p->done) {
        p->lost_ms = rf_now_ms();
        return;
    } else if (s && !p->done) {
        rf_mcp_peer_drop(s->peer, p);
    }
    bool failed = s && p->initializes && !rf_mcp_peer_revision(s->peer);
    rf_mcp_exchange_free(p);
    if (failed)
        rf_mcp_session_free(s);
}

static void refuse(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why)
{
    struct rf_mcp_exchange stray = { .http = ctx, .request = r };
    rf_mcp_http_refuse(r->own ? r->own : &stray, status, RF_RPC_INVALID_REQUEST, why);
}

/* The whole */

static void tick(void *ctx)
{
    struct rf_mcp_http *h = ctx;
    for (struct rf_mcp_exchange *p = h->posts; p; p = p->next)
        rf_mcp_http_keep_alive(p);
    rf_mcp_sessions_expire(h);
    rf_timer_set(&h->loop, &h->tick, rf_now_ms() + TICK_MS);
}

static enum rf_code check_options(const struct rf_mcp_http_options *o, bool *outside,
                                  struct rf_err *err)
{
    bool inner;
    enum rf_code rc = rf_httpd_is_loopback(o->address, &inner, err);
    if (!rc && o->token && !*o->token)
        rc = rf_fail(err, RF_EUSAGE, "the bearer token is empty");
    if (!rc && !inner && !o->token) {
        rc = rf_fail(err, RF_EUSAGE, "other machines could reach %s, and no token is asked for",
                     o->address);
        rf_hint(err, "Listen on 127.0.0.1, or name the bearer token that clients have to send: "
                     "--token-file FILE, or $REFRACT_MCP_TOKEN.");
    }
    *outside = !rc && !inner;
    return rc;
}

static void say_listening(const struct rf_mcp_http *h)
{
    char url[RF_HTTPD_PEER + 16];
    snprintf(url, sizeof url, "http://%s/mcp", rf_httpd_address(h->httpd, 0));
    if (h->options->listening)
        h->options->listening(h->options->ctx, url);
}

/* Streams end as the protocol says, and what is under way has a while. */
static void wind_up(struct rf_mcp_http *h)
{
    int64_t until = rf_now_ms() + GRACE_MS;
    for (struct rf_mcp_exchange *p = h->posts; p; p = p->next)
        if (p->peer)
            rf_mcp_peer_close(p->peer);
    for (struct rf_mcp_session *s = h->sessions; s; s = s->next)
        if (s->general)
            rf_httpd_finish(s->general->request);
    rf_httpd_drain(h->httpd);
    while (rf_httpd_connections(h->httpd) && rf_now_ms() < until) {
        rf_loop_wait(&h->loop, -1, 100);
        rf_loop_step(&h->loop);
    }
}

static void serve(struct rf_mcp_http *h)
{
    say_listening(h);
    rf_timer_set(&h->loop, &h->tick, rf_now_ms() + TICK_MS);
    while (!rf_loop_wait(&h->loop, h->options->stop_fd, -1))
        rf_loop_step(&h->loop);
    wind_up(h);
}

enum rf_code rf_mcp_serve_http(struct rf_mcp_server *server,
                               const struct rf_mcp_http_options *given, struct rf_err *err)
{
    static const struct rf_httpd_handler handler = { begin, body,   complete, writable,
                                                     end,   refuse, NULL };
    static const struct rf_httpd_options limits = { .max_connections = MOST_CONNECTIONS };
    struct rf_mcp_http_options o;
    struct rf_mcp_http h = { .server = server, .options = &o, .tick = { .due = tick } };
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_mcp_http_options, ctx), &o, err);
    if (!rc)
        rc = check_options(&o, &h.outside, err);
    if (rc)
        return rc;
    h.tick.ctx = &h;
    if (!rf_loop_init(&h.loop))
        rc = rf_fail_errno(err, "could not make a loop");
    if (!rc)
        rc = rf_mcp_server_attach(server, &h.loop, err);
    if (!rc) {
        rc = rf_httpd_start(&h.loop, o.address, &limits, &handler, &h, &h.httpd, err);
        if (!rc)
            serve(&h);
        rf_httpd_stop(h.httpd);
        while (h.sessions)
            rf_mcp_session_free(h.sessions);
        rf_timer_clear(&h.loop, &h.tick);
        rf_mcp_server_detach(server);
    }
    rf_loop_release(&h.loop);
    return rc;
}
