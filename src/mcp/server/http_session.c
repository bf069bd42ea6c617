/* Sessions of the legacy era, and what is kept of their streams. */
#include "mcp/server/http.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define MOST_SESSIONS 1000
#define IDLE_MS ((int64_t)30 * 60 * 1000) /* without a request or a stream */
#define LOST_MS ((int64_t)5 * 60 * 1000)  /* for a client to come back for a stream */
#define MOST_EVENT_BYTES ((size_t)16 << 20)

/* Two results of the largest kind. */
_Static_assert(MOST_EVENT_BYTES >= 2 * RF_MCP_MOST_OUT, "events that are kept");

static bool is_in_use(const struct rf_mcp_session *s)
{
    for (const struct rf_mcp_exchange *p = s->http->posts; p; p = p->next)
        if (p->session == s)
            return true;
    return false;
}

static bool make_id(char out[RF_MCP_SESSION_ID + 1])
{
    uint8_t bytes[RF_MCP_SESSION_ID / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* The one that was left alone for longest makes room. */
static void make_room(struct rf_mcp_http *h)
{
    struct rf_mcp_session *oldest = NULL;
    for (struct rf_mcp_session *s = h->sessions; s; s = s->next)
        if (!is_in_use(s))
            oldest = s;
    if (oldest)
        rf_mcp_session_free(oldest);
}

struct rf_mcp_session *rf_mcp_session_new(struct rf_mcp_http *h)
{
    if (h->session_count >= MOST_SESSIONS)
        make_room(h);
    struct rf_mcp_session *s = h->session_count < MOST_SESSIONS ? calloc(1, sizeof *s) : NULL;
    if (!s || !make_id(s->id)) {
        free(s);
        return NULL;
    }
    s->http = h;
    s->peer = rf_mcp_peer_new(h->server, &rf_mcp_http_legacy, s);
    s->used_ms = rf_now_ms();
    s->events_end = &s->events;
    s->next = h->sessions;
    h->sessions = s;
    h->session_count++;
    return s;
}

static void unlink_session(struct rf_mcp_session *s)
{
    struct rf_mcp_session **at = &s->http->sessions;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

struct rf_mcp_session *rf_mcp_session_find(struct rf_mcp_http *h, const char *id)
{
    struct rf_mcp_session *s = h->sessions;
    while (s && strcmp(s->id, id) != 0)
        s = s->next;
    if (!s)
        return NULL;
    s->used_ms = rf_now_ms();
    unlink_session(s);
    s->next = h->sessions;
    h->sessions = s;
    return s;
}

static void drop_first(struct rf_mcp_session *s)
{
    struct rf_mcp_event *e = s->events;
    s->events = e->next;
    if (!s->events)
        s->events_end = &s->events;
    s->event_bytes -= sizeof *e + e->n;
    free(e);
}

/* A post whose session goes: whoever waits is told. */
static void let_go(struct rf_mcp_exchange *p)
{
    p->session = NULL;
    if (!p->request) {
        rf_mcp_exchange_free(p);
    } else if (p->streaming && !p->done) {
        p->done = true;
        rf_httpd_finish(p->request);
    } else if (!p->done) {
        rf_mcp_http_refuse(p, 404, RF_RPC_INVALID_REQUEST, RF_STR("the session has ended"));
    }
}

void rf_mcp_session_free(struct rf_mcp_session *s)
{
    struct rf_mcp_exchange *next;
    rf_mcp_peer_free(s->peer);
    for (struct rf_mcp_exchange *p = s->http->posts; p; p = next) {
        next = p->next;
        if (p->session == s)
            let_go(p);
    }
    while (s->events)
        drop_first(s);
    unlink_session(s);
    s->http->session_count--;
    free(s);
}

void rf_mcp_sessions_expire(struct rf_mcp_http *h)
{
    int64_t now = rf_now_ms();
    struct rf_mcp_exchange *next_post;
    struct rf_mcp_session *next;
    for (struct rf_mcp_exchange *p = h->posts; p; p = next_post) {
        next_post = p->next;
        if (!p->request && now - p->lost_ms > LOST_MS) {
            rf_mcp_peer_drop(p->session->peer, p);
            rf_mcp_exchange_free(p);
        }
    }
    for (struct rf_mcp_session *s = h->sessions; s; s = next) {
        next = s->next;
        if (now - s->used_ms > IDLE_MS && !is_in_use(s))
            rf_mcp_session_free(s);
    }
}

/* Events */

uint64_t rf_mcp_session_keep(struct rf_mcp_session *s, uint64_t stream, uint64_t *last,
                             struct rf_str message)
{
    struct rf_mcp_event *e = malloc(sizeof *e + message.n);
    if (!e)
        RF_NO_MEMORY();
    *e = (struct rf_mcp_event){ .stream = stream, .number = ++*last, .n = message.n };
    memcpy(e->text, message.p, message.n);
    *s->events_end = e;
    s->events_end = &e->next;
    s->event_bytes += sizeof *e + e->n;
    while (s->event_bytes > MOST_EVENT_BYTES && s->events->next)
        drop_first(s);
    return *last;
}

static struct rf_mcp_exchange *find_stream(struct rf_mcp_session *s, uint64_t stream)
{
    for (struct rf_mcp_exchange *p = s->http->posts; p; p = p->next)
        if (p->session == s && stream && p->stream == stream)
            return p;
    return NULL;
}

/* Is all that came after this event still kept? `end` is the last event of a stream that goes on;
 * NULL: it is over, so there is one at least. */
static bool is_kept(const struct rf_mcp_session *s, uint64_t stream, uint64_t number,
                    const uint64_t *end)
{
    for (const struct rf_mcp_event *e = s->events; e; e = e->next)
        if (e->stream == stream && e->number > number)
            return e->number == number + 1;
    return end && *end == number;
}

static void replay(struct rf_mcp_exchange *p, uint64_t stream, uint64_t number)
{
    for (const struct rf_mcp_event *e = p->session->events; e; e = e->next)
        if (e->stream == stream && e->number > number)
            rf_mcp_http_write_event(p, stream, e->number, (struct rf_str){ e->text, e->n });
}

static bool read_event_id(const char *text, uint64_t *stream, uint64_t *number)
{
    struct rf_str rest = rf_str(text), first;
    int64_t a, b;
    if (!rf_str_split(&rest, '-', &first) || !rf_str_int64(first, &a) || !rf_str_int64(rest, &b) ||
        a < 0 || b < 0)
        return false;
    *stream = (uint64_t)a;
    *number = (uint64_t)b;
    return true;
}

/* The general stream, from the event after `number`. */
static void listen_from(struct rf_mcp_session *s, struct rf_mcp_exchange *get, uint64_t number)
{
    if (s->general) {
        rf_mcp_http_refuse(get, 409, RF_RPC_INVALID_REQUEST,
                           RF_STR("the session has such a stream already"));
        return;
    }
    s->general = get;
    s->general_sent = s->general_number;
    rf_mcp_http_stream(get);
    replay(get, 0, number);
}

/* The stream of a request goes on in another connection. */
static void reconnect(struct rf_mcp_exchange *live, struct rf_mcp_exchange *get)
{
    if (live->request) {
        live->request->own = NULL;
        rf_httpd_cut(live->request);
    }
    live->request = get->request;
    live->request->own = live;
    live->origin = get->origin;
    if (live->unread)
        rf_mcp_peer_go_on(live->session->peer);
    live->unread = 0;
    get->request = NULL;
    rf_mcp_exchange_free(get);
    rf_mcp_http_stream(live);
}

void rf_mcp_session_listen(struct rf_mcp_session *s, struct rf_mcp_exchange *get)
{
    const char *last = rf_httpd_header(get->request, "Last-Event-ID");
    uint64_t stream = 0, number = s->general_sent;
    get->session = s;
    if (last && !read_event_id(last, &stream, &number)) {
        rf_mcp_http_refuse(get, 400, RF_RPC_INVALID_REQUEST,
                           RF_STR("Last-Event-ID is not the id of an event"));
        return;
    }
    struct rf_mcp_exchange *live = find_stream(s, stream);
    const uint64_t *end = live ? &live->number : stream ? NULL : &s->general_number;
    if (last && !is_kept(s, stream, number, end)) {
        rf_mcp_http_refuse(get, 400, RF_RPC_INVALID_REQUEST,
                           RF_STR("what came after this Last-Event-ID is not kept any more"));
    } else if (!stream) {
        listen_from(s, get, number);
    } else if (live) {
        reconnect(live, get);
        replay(live, stream, number);
        if (live->done)
            rf_httpd_finish(live->request);
    } else {
        rf_mcp_http_stream(get);
        replay(get, stream, number);
        get->done = true;
        rf_httpd_finish(get->request);
    }
}
