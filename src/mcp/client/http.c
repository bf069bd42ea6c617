/* A server at an address: Streamable HTTP of both eras. Each request is a POST, which is answered
 * with JSON or with a stream of events; a stream that breaks off before the answer is gone on with
 * where its events had ids (legacy). A legacy server may also have a general stream, which is
 * followed, and a session, which is ended when we go. One of 2024 has one stream for all that it
 * says, and says there where it listens.
 *
 * Headers of the configuration go with every request; their values are in no message. Where none of
 * them says who we are, a token does that was given by a login (oauth.h). A request that is refused
 * for want of one fails with RF_REASON_KEY_REFUSED: whoever waits for it sees to the login, and
 * asks again. */
#include "mcp/client/hub.h"

#include "wire/framing.h"

#include <stdio.h>
#include <stdlib.h>

#define FOREVER_MS ((int64_t)1 << 40) /* the hub has its own clock */
#define FAREWELL_MS 1000
#define WORD_MS 10000     /* until a word has to be taken */
#define MOST_WORDS 8      /* on their way to one server at once; others wait */
#define MOST_WAITING 1000 /* of them; what is said beyond is lost, which is remembered */
#define AGAIN_MS 1000 /* until a stream is gone on with; an answer: unless the server says when */
#define MOST_AGAIN_MS 60000
#define MOST_RESUMES 100                /* of one answer */
#define MOST_REFUSAL ((size_t)64 << 10) /* bytes of an answer that is not a good one */
#define MOST_SESSION 1024
#define MOST_CHALLENGE ((size_t)8 << 10) /* bytes of all WWW-Authenticate; more are not read */

/* That nothing is asked while the general stream opens: what a server asks by it before is lost. */
#define GENERAL_MS 2000

#define OLD_MS 5000 /* until a server of 2024 has to say where it listens */

enum kind {
    ANSWER,   /* a request, whose answer comes by it */
    WORD,     /* a notification, or our answer to a request */
    GENERAL,  /* what the server says by itself */
    FAREWELL, /* the end of the session */
    OLD,      /* all that a server of 2024 says */
    LETTER,   /* a request to one of those: the answer comes by the stream */
};

struct rf_mcp_stream {
    struct rf_mcp_stream *next;
    struct rf_mcp_clients *hub;
    struct rf_mcp_link *link;       /* NULL: nobody listens any more */
    struct rf_mcp_pending *pending; /* ANSWER, LETTER */
    enum kind kind;
    struct rf_arena *arena;   /* of the body */
    struct rf_arena *attempt; /* freed with it: a stream may be resumed any number of times */
    struct rf_rope body;
    struct rf_net_reply reply;
    struct rf_transfer *transfer; /* or NULL: none is on its way */
    struct rf_framing events;
    bool is_stream;
    char *json; /* an answer that is not a stream */
    size_t json_n, json_cap;
    struct rf_timer again;
    int64_t wait_ms;
    unsigned resumes;
    bool wants_session;      /* it is "initialize" */
    bool waits;              /* WORD: others are on their way */
    struct rf_str token;     /* that it was sent with; or empty */
    struct rf_buf challenge; /* WWW-Authenticate, all of them; of the attempt's arena */
};

/* Streams */

static struct rf_mcp_stream **place_of(struct rf_mcp_stream *s)
{
    struct rf_mcp_stream **at = s->kind == FAREWELL ? &s->hub->farewells : &s->link->streams;
    while (*at != s)
        at = &(*at)->next;
    return at;
}

/* It may be called by its own transfer, so its memory goes a little later. */
static void discard(struct rf_mcp_stream *s)
{
    *place_of(s) = s->next;
    if (s->transfer)
        rf_net_cancel(s->transfer);
    rf_timer_clear(s->hub->loop, &s->again);
    if (s->pending)
        s->pending->stream = NULL;
    s->link = NULL;
    s->next = s->hub->dead;
    s->hub->dead = s;
}

void rf_mcp_streams_sweep(struct rf_mcp_clients *h)
{
    while (h->dead) {
        struct rf_mcp_stream *s = h->dead;
        h->dead = s->next;
        rf_framing_release(&s->events);
        free(s->json);
        rf_arena_free(s->attempt);
        rf_arena_free(s->arena);
        free(s);
    }
}

bool rf_mcp_farewells_said(const struct rf_mcp_clients *h)
{
    return !h->farewells;
}

/* Headers */

struct headers {
    struct rf_arena *arena;
    struct rf_header *list;
    size_t count, cap;
};

static void add_header(struct headers *h, struct rf_str name, struct rf_str value)
{
    *RF_PUSH(h->arena, h->list, h->count, h->cap) = (struct rf_header){ name, value };
}

static bool has_header(const struct headers *h, struct rf_str name)
{
    for (size_t i = 0; i < h->count; i++)
        if (rf_str_ieq(h->list[i].name, name))
            return true;
    return false;
}

/* What a modern request says of itself. */
static void add_modern(struct headers *h, const struct rf_mcp_pending *p)
{
    const struct rf_mcp_job *j = p->job;
    add_header(h, RF_STR("Mcp-Method"), rf_str(p->method));
    if (!j || !j->name.n)
        return;
    add_header(h, RF_STR("Mcp-Name"), rf_mcp_header_text(j->name, h->arena));
    if (strcmp(p->method, "tools/call") != 0)
        return;
    const struct rf_mcp_listed *t = rf_mcp_listing_find(p->link->tools, j->name);
    for (size_t i = 0; t && i < t->mirror_count; i++) {
        struct rf_str value;
        if (rf_mcp_mirror_value(&t->mirrors[i], rf_jval_get(j->params, "arguments"), h->arena,
                                &value))
            add_header(h, t->mirrors[i].header, value);
    }
}

static bool is_post(const struct rf_mcp_stream *s)
{
    return s->kind == WORD || s->kind == LETTER || (s->kind == ANSWER && !s->resumes);
}

static void add_token(struct headers *h, struct rf_mcp_stream *s)
{
    struct rf_mcp_link *l = s->link;
    s->token = rf_oauth_token(l->oauth, s->attempt);
    if (!s->token.n)
        return;
    add_header(h, RF_STR("Authorization"), rf_strf(s->attempt, "Bearer %.*s", RF_FMT(s->token)));
    if (!rf_str_eq(s->token, l->token)) {
        l->token = rf_str_dup(l->hub->arena, s->token);
        rf_secrets_add(&l->secrets, l->token);
    }
}

static void add_ours(struct headers *h, struct rf_mcp_stream *s)
{
    const struct rf_mcp_link *l = s->link;
    bool posts = is_post(s);
    if (l->oauth)
        add_token(h, s);
    if (posts)
        add_header(h, RF_STR("Content-Type"), RF_STR("application/json"));
    add_header(h, RF_STR("Accept"),
               posts ? RF_STR("application/json, text/event-stream") : RF_STR("text/event-stream"));
    if (l->revision)
        add_header(h, RF_STR("MCP-Protocol-Version"), rf_str(l->revision->name));
    if (l->revision && l->revision->era == RF_MCP_MODERN && s->pending)
        add_modern(h, s->pending);
    if (l->session.n)
        add_header(h, RF_STR("Mcp-Session-Id"), l->session);
    if (!posts && s->events.last_id_n)
        add_header(h, RF_STR("Last-Event-ID"),
                   (struct rf_str){ s->events.last_id, s->events.last_id_n });
}

/* What the configuration says of a name that is ours does not count: a request has to say what it
 * is. */
static struct headers headers_of(struct rf_mcp_stream *s)
{
    struct headers h = { .arena = s->attempt };
    const struct rf_mcp_reach *r = &s->link->reach;
    add_ours(&h, s);
    for (size_t i = 0; i < r->header_count; i++)
        if (!has_header(&h, r->headers[i].name))
            add_header(&h, r->headers[i].name, r->headers[i].value);
    return h;
}

/* What comes */

static bool on_status(void *ctx, int status, struct rf_str type)
{
    struct rf_mcp_stream *s = ctx;
    s->is_stream = status == 200 && rf_str_starts(type, "text/event-stream");
    if (s->kind == GENERAL)
        rf_mcp_link_hears(s->link);
    return true;
}

static void on_header(void *ctx, struct rf_str name, struct rf_str value)
{
    struct rf_mcp_stream *s = ctx;
    if (s->wants_session && s->link && rf_str_ieq(name, RF_STR("mcp-session-id")) &&
        value.n <= MOST_SESSION)
        s->link->session = rf_str_dup(s->link->arena, value);
    if (rf_str_ieq(name, RF_STR("www-authenticate")) &&
        s->challenge.n + 2 + value.n <= MOST_CHALLENGE) {
        rf_buf_add(&s->challenge, s->challenge.n ? RF_STR(", ") : RF_STR(""));
        rf_buf_add(&s->challenge, value);
    }
}

static struct rf_str challenge_of(const struct rf_mcp_stream *s)
{
    return (struct rf_str){ s->challenge.p, s->challenge.n };
}

static bool keep_json(struct rf_mcp_stream *s, struct rf_str bytes)
{
    bool good = s->reply.status == 200;
    if (bytes.n > (good ? RF_MCP_MAX_MESSAGE : MOST_REFUSAL) - s->json_n)
        return !good; /* of a refusal, its beginning is enough */
    if (s->json_n + bytes.n > s->json_cap) {
        s->json_cap = (s->json_n + bytes.n) * 2;
        if (s->json_cap > RF_MCP_MAX_MESSAGE)
            s->json_cap = RF_MCP_MAX_MESSAGE;
        s->json = realloc(s->json, s->json_cap);
        if (!s->json)
            RF_NO_MEMORY();
    }
    memcpy(s->json + s->json_n, bytes.p, bytes.n);
    s->json_n += bytes.n;
    return true;
}

/* Where the address of a server ends, and its paths begin. */
static struct rf_str origin_of(const char *url)
{
    const char *host = strstr(url, "://");
    return (struct rf_str){ url, host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : 0 };
}

/* Where a server of 2024 wants its messages. It gets our headers, so it is nowhere else. */
static void take_endpoint(struct rf_mcp_link *l, struct rf_str where)
{
    struct rf_str origin = origin_of(l->reach.url);
    const char *path = rf_cstr(l->arena, where);
    struct rf_err err;
    if (path[0] == '/' && path[1] != '/')
        l->endpoint = rf_str_join(l->arena, origin, where);
    else if (origin.n && rf_str_eq(origin_of(path), origin))
        l->endpoint = rf_str_dup(l->arena, where);
    if (l->endpoint.n) {
        rf_mcp_handshake_legacy(l);
        return;
    }
    rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 },
                     "wants its messages sent to another address");
    rf_mcp_link_down(l, &err);
}

/* A first event may be empty: it is there for its id. */
static void take_event(struct rf_mcp_stream *s, const struct rf_frame *frame)
{
    s->wait_ms = AGAIN_MS;
    if (s->kind == OLD && rf_str_is(frame->name, "endpoint") && !s->link->endpoint.n)
        take_endpoint(s->link, frame->data);
    else if (frame->data.n)
        rf_mcp_link_take(s->link, frame->data, s->pending);
}

static bool on_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_mcp_stream *s = ctx;
    struct rf_frame frame;
    struct rf_err err;
    enum rf_code rc = RF_OK;
    if (s->kind == FAREWELL)
        return true; /* nobody listens any more */
    if (!s->is_stream)
        return keep_json(s, bytes);
    while (s->link && rf_framing_next(&s->events, &bytes, &frame, &rc, &err))
        take_event(s, &frame);
    return !rc;
}

/* What it ended with */

/* It wants a token, or another one. */
static enum rf_code wants_login(const struct rf_mcp_stream *s, struct rf_err *err)
{
    struct rf_mcp_link *l = s->link;
    struct rf_arena *a = rf_arena_new();
    pthread_mutex_lock(&l->hub->lock);
    rf_arena_free(l->refusal_arena);
    l->refusal_arena = a;
    l->refusal = (struct rf_oauth_refusal){
        .status = s->reply.status,
        .challenge = rf_str_dup(a, challenge_of(s)),
        .used = rf_str_dup(a, s->token),
        .ring = s->reply.peer_known ? rf_ring_of(s->reply.peer) : RF_RING_OUTSIDE,
    };
    pthread_mutex_unlock(&l->hub->lock);
    rf_mcp_link_fail(l, err, RF_EPERMISSION, (struct rf_str){ 0 }, "wants %s (status %d)",
                     s->reply.status == 401 ? "a token" : "a token that allows more",
                     s->reply.status);
    rf_advise(err, RF_REASON_KEY_REFUSED,
              "Put one into its entry of the configuration, as in " RF_OAUTH_HEADER
              ", or log in on a terminal.");
    return RF_EPERMISSION;
}

static enum rf_code refused(const struct rf_mcp_stream *s, struct rf_err *err)
{
    const struct rf_mcp_link *l = s->link;
    int status = s->reply.status;
    const char *what = s->pending ? rf_mcp_method_words(s->pending->method) : "a message";
    enum rf_code code = status == 401 || status == 403 ? RF_ECONFIG : RF_EPROVIDER;
    if (l->oauth && rf_oauth_asked_for(status, challenge_of(s)))
        return wants_login(s, err);
    if (status == 401) {
        rf_mcp_link_fail(l, err, code, (struct rf_str){ 0 },
                         "does not take the token that it was sent (status 401)");
        rf_hint(err, "Check the Authorization header in its entry of the configuration.");
    } else if (status == 403) {
        rf_mcp_link_fail(l, err, code, (struct rf_str){ 0 },
                         "does not allow what it was asked for (status 403)");
        rf_hint(err, "Check the headers in the configuration of the server.");
    } else if (status >= 300 && status < 400) {
        rf_mcp_link_fail(l, err, code, (struct rf_str){ 0 }, "is not at this address (status %d)",
                         status);
        rf_hint(err, "It leads to another one, which is not followed: configure that one.");
    } else if (l->state == RF_MCP_STARTING && status != 400 && (status < 500 || status == 501)) {
        rf_mcp_link_fail(l, err, code, (struct rf_str){ 0 },
                         "does not speak MCP at this address (status %d)", status);
        rf_hint(err, "Check the url: many end in /mcp.");
    } else {
        rf_mcp_link_fail(l, err, code, (struct rf_str){ 0 }, "answered %s with status %d", what,
                         status);
    }
    return code;
}

/* The rest of what came is taken. */
static void take_rest(struct rf_mcp_stream *s)
{
    struct rf_frame frame;
    struct rf_err err;
    enum rf_code rc;
    if (s->is_stream && rf_framing_last(&s->events, &frame, &rc, &err))
        take_event(s, &frame);
    else if (!s->is_stream && s->json_n)
        rf_mcp_link_take(s->link, (struct rf_str){ s->json, s->json_n }, s->pending);
}

/* An error in the body of a refusal says more than its status. */
static bool takes_error(struct rf_mcp_stream *s)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_rpc m;
    struct rf_err err;
    struct rf_mcp_pending *p = s->pending;
    int status = s->reply.status;
    bool is = p && status != 401 && status != 403 && s->json_n &&
              !rf_rpc_read((struct rf_str){ s->json, s->json_n }, a, &m, &err) &&
              m.kind == RF_RPC_ERROR;
    if (is)
        rf_mcp_pending_end(p, &m, NULL);
    rf_arena_free(a);
    return is;
}

static void begin(struct rf_mcp_stream *s);
static void end_old(struct rf_mcp_stream *s);
static size_t count_words(const struct rf_mcp_link *l, bool waiting);

static void on_again(void *ctx)
{
    struct rf_mcp_stream *s = ctx;
    if (s->kind != OLD)
        begin(s);
    else if (!s->link->endpoint.n)
        end_old(s);
}

/* Go on after the last event, a little later. A general stream, which is always
 * resumed, may be slowed down by the server, but not made faster. */
static void go_on_later(struct rf_mcp_stream *s)
{
    int64_t wait = s->events.retry_ms >= 0 ? s->events.retry_ms : s->wait_ms;
    if (s->kind == GENERAL && wait < s->wait_ms)
        wait = s->wait_ms;
    s->resumes++;
    s->wait_ms = s->wait_ms * 2 < MOST_AGAIN_MS ? s->wait_ms * 2 : MOST_AGAIN_MS;
    rf_timer_set(s->hub->loop, &s->again,
                 rf_now_ms() + (wait < MOST_AGAIN_MS ? wait : MOST_AGAIN_MS));
}

static bool is_resumable(const struct rf_mcp_stream *s)
{
    const struct rf_mcp_revision *r = s->link->revision;
    return r && r->era == RF_MCP_LEGACY && s->is_stream && s->events.last_id_n &&
           s->resumes < MOST_RESUMES;
}

/* It begins with why, which may have a hint of its own. */
static void fail_unreached(const struct rf_mcp_stream *s, enum rf_code rc, const struct rf_err *why,
                           struct rf_err *err)
{
    rf_mcp_link_fail(s->link, err, rc, rf_str(why->msg), "did not answer");
    rf_hint(err, "%s", *why->hint ? why->hint : "Is it running? Check the url.");
}

/* The request that this was has had no answer. */
static void end_unanswered(struct rf_mcp_stream *s, enum rf_code rc, const struct rf_err *why)
{
    struct rf_mcp_link *l = s->link;
    struct rf_mcp_pending *p = s->pending;
    struct rf_err err;
    if (!rc && s->reply.status / 100 != 2)
        refused(s, &err);
    else if (s->reply.status == 200 && rc == RF_ELIMIT)
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 },
                         "sent a message of more than %zu MiB", RF_MCP_MAX_MESSAGE >> 20);
    else if (rc)
        fail_unreached(s, rc, why, &err);
    else
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, rf_str(l->stray), "sent no answer to %s",
                         rf_mcp_method_words(p->method));
    rf_mcp_pending_end(p, NULL, &err);
}

/* A session that the server does not know any more: what was asked was not done. */
static bool session_is_over(struct rf_mcp_stream *s)
{
    struct rf_mcp_link *l = s->link;
    struct rf_mcp_pending *p = s->pending;
    struct rf_mcp_job *j = p->job;
    if (s->reply.status != 404 || !l->session.n || l->state != RF_MCP_READY || !j || j->again)
        return false;
    j->again = true;
    p->job = NULL; /* its stream, and so its end, is taken by the link's */
    l->session = (struct rf_str){ 0 };
    rf_mcp_link_renew(l, j);
    return true;
}

static void end_answer(struct rf_mcp_stream *s, enum rf_code rc, const struct rf_err *err)
{
    if (!rc && s->reply.status == 200)
        take_rest(s);
    if (!s->link || !s->pending)
        return; /* it was answered */
    if (is_resumable(s))
        go_on_later(s);
    else if (rc || (!session_is_over(s) && !takes_error(s)))
        end_unanswered(s, rc, err);
}

/* A server without a general stream says so, and is not asked again. */
static void end_general(struct rf_mcp_stream *s)
{
    struct rf_mcp_link *l = s->link;
    int status = s->reply.status;
    if (status && status < 500 && !s->is_stream)
        discard(s);
    else
        go_on_later(s);
    rf_mcp_link_hears(l);
}

/* It has no other way to speak. Before it said where it listens, it is not one of 2024 at all: what
 * was wrong is what it said to "initialize". */
static void end_old(struct rf_mcp_stream *s)
{
    struct rf_mcp_link *l = s->link;
    struct rf_err err = l->err;
    if (l->endpoint.n)
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 }, "closed its stream");
    rf_mcp_link_down(l, &err);
}

/* It was taken; or it never will be answered. */
static void end_letter(struct rf_mcp_stream *s, enum rf_code rc, const struct rf_err *err)
{
    if (rc || s->reply.status / 100 != 2)
        end_unanswered(s, rc, err);
    else
        discard(s);
}

/* The newest streams are in front. */
static void begin_waiting(struct rf_mcp_link *l)
{
    struct rf_mcp_stream *oldest = NULL;
    for (struct rf_mcp_stream *s = l->streams; s; s = s->next)
        if (s->waits)
            oldest = s;
    if (!oldest || count_words(l, false) >= MOST_WORDS)
        return;
    oldest->waits = false;
    begin(oldest);
}

/* A server that does not take what it is told may wait for it. */
static void end_word(struct rf_mcp_stream *s, enum rf_code rc)
{
    struct rf_mcp_link *l = s->link;
    if (rc || s->reply.status / 100 != 2)
        snprintf(l->stray, sizeof l->stray, "it did not take what it was told (status %d)",
                 s->reply.status);
    discard(s);
    begin_waiting(l);
}

static void on_done(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct rf_mcp_stream *s = ctx;
    s->transfer = NULL;
    if (s->kind == FAREWELL) {
        discard(s);
        return;
    }
    s->link->http_status = s->reply.status;
    switch (s->kind) {
    case ANSWER:
        end_answer(s, rc, err);
        break;
    case GENERAL:
        end_general(s);
        break;
    case OLD:
        end_old(s);
        break;
    case LETTER:
        end_letter(s, rc, err);
        break;
    case WORD:
        end_word(s, rc);
        break;
    case FAREWELL:
        discard(s);
        break;
    }
}

/* Sending */

/* Of events that were cut off nothing stays but the id. */
static void begin_events(struct rf_mcp_stream *s)
{
    char id[RF_MAX_EVENT_ID];
    size_t n = s->events.last_id_n;
    memcpy(id, s->events.last_id, n);
    rf_framing_release(&s->events);
    memcpy(s->events.last_id, id, n);
    s->events.last_id_n = n;
    s->events.most = RF_MCP_MAX_MESSAGE;
    s->json_n = 0;
}

static void begin(struct rf_mcp_stream *s)
{
    struct rf_mcp_link *l = s->link;
    struct rf_err err;
    rf_arena_reset(s->attempt);
    struct headers headers = headers_of(s);
    begin_events(s);
    rf_buf_init(&s->challenge, s->attempt, MOST_CHALLENGE);
    const struct rf_net_call call = {
        .method = s->kind == FAREWELL ? "DELETE"
                  : is_post(s)        ? "POST"
                                      : "GET",
        .url = l->endpoint.n && is_post(s) ? rf_cstr(s->attempt, l->endpoint) : l->reach.url,
        .headers = headers.list,
        .header_count = headers.count,
        .body = is_post(s) ? &s->body : NULL,
        .first_byte_ms = FOREVER_MS,
        .idle_ms = FOREVER_MS,
        .total_ms = s->kind == FAREWELL ? FAREWELL_MS
                    : s->kind == WORD   ? WORD_MS
                                        : 0,
        .cancel_fd = -1,
        .status = on_status,
        .header = on_header,
        .bytes = on_bytes,
        .ctx = s,
        .done = on_done,
        .done_ctx = s,
        .plain_proxy = l->reach.plain_proxy,
    };
    enum rf_code rc = rf_net_start(s->hub->net, &call, s->attempt, &s->reply, &s->transfer, &err);
    if (rc)
        on_done(s, rc, &err);
}

static struct rf_mcp_stream *stream_new(struct rf_mcp_link *l, enum kind kind)
{
    struct rf_mcp_stream *s = calloc(1, sizeof *s);
    if (!s)
        RF_NO_MEMORY();
    *s = (struct rf_mcp_stream){ .hub = l->hub,
                                 .link = l,
                                 .kind = kind,
                                 .wait_ms = AGAIN_MS,
                                 .arena = rf_arena_new(),
                                 .attempt = rf_arena_new(),
                                 .again = { .due = on_again, .ctx = s } };
    struct rf_mcp_stream **at = kind == FAREWELL ? &l->hub->farewells : &l->streams;
    s->next = *at;
    *at = s;
    rf_framing_init(&s->events, RF_FRAMING_SSE);
    rf_rope_init(&s->body, s->arena);
    return s;
}

static size_t count_words(const struct rf_mcp_link *l, bool waiting)
{
    size_t n = 0;
    for (const struct rf_mcp_stream *s = l->streams; s; s = s->next)
        n += s->kind == WORD && s->waits == waiting;
    return n;
}

static void post(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *p)
{
    if (!p && count_words(l, true) >= MOST_WAITING) {
        snprintf(l->stray, sizeof l->stray, "it asks more than it takes answers to");
        return;
    }
    struct rf_mcp_stream *s = stream_new(l, !p ? WORD : l->endpoint.n ? LETTER : ANSWER);
    rf_rope_text(&s->body, rf_str_dup(s->arena, message));
    s->pending = p;
    if (p) {
        p->stream = s;
        s->wants_session = strcmp(p->method, "initialize") == 0;
    }
    s->waits = !p && count_words(l, false) > MOST_WORDS; /* it is one of them */
    if (!s->waits)
        begin(s);
}

static void drop(struct rf_mcp_pending *p)
{
    if (p->stream)
        discard(p->stream);
}

/* An address that does not take messages may be one of 2024, which is listened to first. */
static bool fall_back(struct rf_mcp_link *l, const struct rf_err *why)
{
    int status = l->http_status;
    if (l->endpoint.n || (status != 400 && status != 404 && status != 405))
        return false;
    struct rf_mcp_stream *s = stream_new(l, OLD);
    l->err = *why;
    rf_timer_set(l->hub->loop, &s->again, rf_now_ms() + OLD_MS);
    begin(s);
    return true;
}

static void follow_general(struct rf_mcp_link *l)
{
    if (l->endpoint.n)
        return;
    rf_timer_set(l->hub->loop, &l->general, rf_now_ms() + GENERAL_MS);
    begin(stream_new(l, GENERAL));
}

static enum rf_code open_address(struct rf_mcp_link *l, struct rf_err *err)
{
    (void)l, (void)err; /* there is no connection but that of a request */
    return RF_OK;
}

static void close_address(struct rf_mcp_link *l)
{
    while (l->streams)
        discard(l->streams);
    if (l->session.n)
        begin(stream_new(l, FAREWELL));
    l->session = (struct rf_str){ 0 };
}

const struct rf_mcp_transport rf_mcp_http = {
    .open = open_address,
    .send = post,
    .drop = drop,
    .settled = follow_general,
    .fall_back = fall_back,
    .close = close_address,
    .mirrors = true,
};
