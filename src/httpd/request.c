/* A request on its way through the library: its callbacks on one side, the handler's on the other.
 *
 * The library takes a reply before the body or after it, not in between. So a reply to a head goes
 * out at once, and the connection is closed after it where a body was announced; one that is given in
 * the middle of a body waits for its end, for as many bytes as DISCARD. While there is nothing to
 * do for a connection, it is suspended: the library does not look at it, and rf_exchange_hung_up
 * says when its client goes. */
#include "httpd/inside.h"

#include "base/clock.h"
#include "base/num.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define HELD_MS 100                  /* for what came before a client closed */
#define DISCARD ((uint64_t)16 << 20) /* bytes of a body after its refusal */
#define BLOCK 16384                  /* bytes of a stream that the library asks for at once */
#define FULL ((size_t)256 << 10)     /* bytes that wait to be sent, before a stream is full */
#define KEEP ((size_t)16 << 10)      /* room for those, kept when all were sent */

static struct rf_connection *connection_of(const struct rf_httpd_request *r)
{
    return (struct rf_connection *)(uintptr_t)((const char *)r -
                                               offsetof(struct rf_connection, now.request));
}

/* Suspended or not. */

static void suspend(struct rf_connection *c)
{
    if (!c->now.suspended)
        rf_mhd.suspend_connection(c->library);
    c->now.suspended = true;
}

/* The library looks at it again in its next run, which nothing else may cause. */
void rf_exchange_wake(struct rf_connection *c)
{
    struct rf_httpd *h = c->server;
    if (!c->now.suspended)
        return;
    c->now.suspended = false;
    rf_mhd.resume_connection(c->library);
    h->woken = true;
    rf_timer_set(h->loop, &h->timer, rf_now_ms());
}

/* The last that the handler hears of it. */
static void end(struct rf_connection *c, enum rf_httpd_ending how)
{
    bool owed = c->now.begun;
    c->now.begun = false;
    if (owed)
        c->server->handler->end(c->server->ctx, &c->now.request, how);
}

static void give_up(struct rf_connection *c)
{
    c->now.dead = true;
    end(c, RF_HTTPD_GONE);
    rf_exchange_wake(c);
}

/* For the next head, or for the rest of a request whose client has closed its sending side: the
 * library misses an end that came together with what it has read. */
static void set_deadline(struct rf_connection *c)
{
    int64_t ms = c->hung_up ? HELD_MS : c->server->options.idle_timeout_ms;
    rf_timer_set(c->server->loop, &c->deadline, rf_now_ms() + ms);
}

void rf_exchange_hung_up(struct rf_connection *c)
{
    c->hung_up = true;
    if (c->now.suspended)
        give_up(c);
    else if (!c->now.answered)
        set_deadline(c);
}

/* The head. */

void *rf_exchange_uri(void *ctx, const char *uri, struct MHD_Connection *connection)
{
    struct rf_connection *c =
        rf_mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    (void)ctx;
    free(c->now.uri);
    c->now.uri = strdup(uri);
    if (!c->now.uri)
        RF_NO_MEMORY();
    return c;
}

static void refuse(struct rf_connection *c, int status, const char *why)
{
    const struct rf_httpd *h = c->server;
    if (h->handler->refuse)
        h->handler->refuse(h->ctx, &c->now.request, status, rf_str(why));
    else
        rf_httpd_reply(&c->now.request, status,
                       (struct rf_httpd_header[]){ { "content-type", "text/plain" }, { 0 } },
                       rf_str(why));
}

static void refuse_length(struct rf_connection *c)
{
    char why[120];
    snprintf(why, sizeof why, "the body is longer than the %llu bytes that are taken here",
             (unsigned long long)c->now.request.max_body);
    refuse(c, 413, why);
}

static bool is_too_long(const struct rf_connection *c)
{
    const char *length = rf_httpd_header(&c->now.request, "content-length");
    int64_t n = 0;
    return length && (!rf_str_int64(rf_str(length), &n) || (uint64_t)n > c->now.request.max_body);
}

static void look_at_head(struct rf_connection *c, const char *method, const char *version)
{
    struct rf_exchange *e = &c->now;
    const char *why, *query = e->uri ? strchr(e->uri, '?') : NULL;
    if (c->hung_up)
        set_deadline(c);
    else
        rf_timer_clear(c->server->loop, &c->deadline);
    c->idle = false;
    e->seen = true;
    e->request = (struct rf_httpd_request){
        .method = rf_str(method),
        .path = query ? (struct rf_str){ e->uri, (size_t)(query - e->uri) } : rf_str(e->uri),
        .query = query ? rf_str(query + 1) : RF_STR(""),
        .max_body = c->server->options.max_body,
    };
    int status = rf_head_fault(c, version, &why);
    if (status) {
        refuse(c, status, why);
        return;
    }
    e->begun = true;
    c->server->handler->begin(c->server->ctx, &e->request);
    if (!e->answered && !e->dead && is_too_long(c))
        refuse_length(c);
}

/* The body, and what the library wants to know each time: how it goes on. */

static enum MHD_Result hand_over(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    rf_timer_clear(c->server->loop, &c->deadline);
    if (c->server->draining || c->lingers)
        rf_mhd.add_response_header(e->response, "Connection", "close");
    enum MHD_Result taken = rf_mhd.queue_response(c->library, e->status, e->response);
    rf_mhd.destroy_response(e->response);
    e->response = NULL;
    return taken;
}

static enum MHD_Result after_head(struct rf_connection *c)
{
    if (c->now.dead)
        return MHD_NO;
    if (!c->now.answered || !c->now.has_body)
        return MHD_YES; /* where there is no body, the next call is the last one */
    c->lingers = true;
    return hand_over(c);
}

static enum MHD_Result take_piece(struct rf_connection *c, const char *data, size_t *n)
{
    struct rf_exchange *e = &c->now;
    const struct rf_httpd *h = c->server;
    if (!e->answered && e->paused) {
        if (c->hung_up) /* and there is no saying whether the rest of the body was sent */
            give_up(c);
        else
            suspend(c);
        return e->dead ? MHD_NO : MHD_YES;
    }
    e->received += *n;
    if (!e->answered && e->received > e->request.max_body)
        refuse_length(c);
    else if (!e->answered)
        h->handler->body(h->ctx, &e->request, (struct rf_str){ data, *n });
    else if (e->received > e->request.max_body && e->received - e->request.max_body > DISCARD)
        give_up(c);
    *n = 0;
    return e->dead ? MHD_NO : MHD_YES;
}

static enum MHD_Result after_body(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    if (!e->complete && !e->answered) {
        e->complete = true;
        c->server->handler->complete(c->server->ctx, &e->request);
    }
    if (!e->answered && !e->dead && c->hung_up)
        give_up(c);
    if (e->dead)
        return MHD_NO;
    if (e->answered)
        return hand_over(c);
    suspend(c);
    return MHD_YES;
}

enum MHD_Result rf_exchange_call(void *ctx, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *n, void **call)
{
    struct rf_connection *c = *call;
    (void)ctx, (void)connection, (void)url;
    if (c->now.dead)
        return MHD_NO;
    if (c->now.seen)
        return *n ? take_piece(c, data, n) : after_body(c);
    look_at_head(c, method, version);
    return after_head(c);
}

void rf_exchange_completed(void *ctx, struct MHD_Connection *connection, void **call,
                           enum MHD_RequestTerminationCode why)
{
    struct rf_connection *c = *call;
    (void)ctx, (void)connection;
    if (!c)
        return;
    *call = NULL;
    end(c, why == MHD_REQUEST_TERMINATED_COMPLETED_OK ? RF_HTTPD_SENT : RF_HTTPD_GONE);
    if (c->now.response)
        rf_mhd.destroy_response(c->now.response);
    free(c->now.out);
    free(c->now.uri);
    c->now = (struct rf_exchange){ 0 };
    c->idle = true;
    if (c->server->draining)
        shutdown(c->fd, SHUT_RD);
    set_deadline(c);
    rf_httpd_shed(c->server);
}

/* What the handler asks. */

const char *rf_httpd_header(const struct rf_httpd_request *r, const char *name)
{
    return rf_mhd.lookup_connection_value(connection_of(r)->library, MHD_HEADER_KIND, name);
}

const char *rf_httpd_peer(const struct rf_httpd_request *r, char out[RF_HTTPD_PEER])
{
    const struct sockaddr *at =
        rf_mhd.get_connection_info(connection_of(r)->library, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
            ->client_addr;
    char host[48] = "", port[8] = "";
    socklen_t size =
        at->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    getnameinfo(at, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(out, RF_HTTPD_PEER, at->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return out;
}

void rf_httpd_pause(struct rf_httpd_request *r)
{
    connection_of(r)->now.paused = true;
}

/* A connection that waits for its reply is suspended, too, and stays so. */
void rf_httpd_resume(struct rf_httpd_request *r)
{
    struct rf_connection *c = connection_of(r);
    c->now.paused = false;
    if (!c->now.complete && !c->now.answered)
        rf_exchange_wake(c);
}

/* The reply. */

static void add_headers(struct MHD_Response *response, const struct rf_httpd_header *headers)
{
    for (; headers && headers->name; headers++) {
        char *value = strdup(headers->value);
        if (!value)
            RF_NO_MEMORY();
        for (char *p = value; *p; p++)
            if ((unsigned char)*p < ' ' || *p == 0x7f)
                *p = ' ';
        char *from = value + strspn(value, " ");
        if (*from && rf_mhd.add_response_header(response, headers->name, from) != MHD_YES)
            RF_BUG("a header that the library does not take");
        free(value);
    }
}

static void answer(struct rf_connection *c, int status, struct MHD_Response *response,
                   const struct rf_httpd_header *headers)
{
    if (c->now.answered)
        RF_BUG("a request is answered twice");
    if (!response)
        RF_NO_MEMORY();
    add_headers(response, headers);
    c->now.answered = true;
    c->now.status = (unsigned)status;
    c->now.response = response;
    rf_exchange_wake(c);
}

void rf_httpd_reply(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers,
                    struct rf_str body)
{
    answer(connection_of(r), status,
           rf_mhd.create_response_from_buffer(body.n, (void *)(uintptr_t)body.p,
                                              MHD_RESPMEM_MUST_COPY),
           headers);
}

static void take_sent(struct rf_exchange *e, size_t n)
{
    e->sent += n;
    if (e->sent < e->filled)
        return;
    e->sent = e->filled = 0;
    if (e->room <= KEEP)
        return;
    free(e->out);
    e->out = NULL;
    e->room = 0;
}

/* The library wants the next bytes of a stream. */
static ssize_t next_bytes(void *ctx, uint64_t at, char *buf, size_t most)
{
    struct rf_connection *c = ctx;
    struct rf_exchange *e = &c->now;
    size_t left = e->filled - e->sent, n = left < most ? left : most;
    (void)at;
    if (!n && !e->finished && !e->dead && c->hung_up)
        give_up(c);
    if (e->dead || (!n && e->cut))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (!n && e->finished)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (!n) {
        suspend(c);
        return 0;
    }
    memcpy(buf, e->out + e->sent, n);
    take_sent(e, n);
    if (e->full && left - n < FULL / 2) {
        e->full = false;
        if (c->server->handler->writable)
            c->server->handler->writable(c->server->ctx, &e->request);
    }
    return (ssize_t)n;
}

/* To HEAD the library would send the end of a stream. */
void rf_httpd_stream(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers)
{
    struct rf_connection *c = connection_of(r);
    if (rf_str_is(r->method, "HEAD"))
        rf_httpd_reply(r, status, headers, RF_STR(""));
    else
        answer(c, status,
               rf_mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, next_bytes, c, NULL),
               headers);
}

static void make_room(struct rf_exchange *e, size_t n)
{
    size_t need;
    if (e->sent)
        memmove(e->out, e->out + e->sent, e->filled - e->sent);
    e->filled -= e->sent;
    e->sent = 0;
    if (!rf_add_size(e->filled, n, &need))
        RF_NO_MEMORY();
    if (need <= e->room)
        return;
    e->room = need < KEEP / 16 ? KEEP / 16 : need + need / 2;
    e->out = realloc(e->out, e->room);
    if (!e->out)
        RF_NO_MEMORY();
}

bool rf_httpd_write(struct rf_httpd_request *r, struct rf_str bytes)
{
    struct rf_connection *c = connection_of(r);
    struct rf_exchange *e = &c->now;
    if (e->cut)
        return false;
    if (bytes.n > e->room - e->filled)
        make_room(e, bytes.n);
    if (bytes.n)
        memcpy(e->out + e->filled, bytes.p, bytes.n);
    e->filled += bytes.n;
    e->full = e->filled - e->sent > FULL;
    rf_exchange_wake(c);
    return !e->full;
}

void rf_httpd_finish(struct rf_httpd_request *r)
{
    connection_of(r)->now.finished = true;
    rf_exchange_wake(connection_of(r));
}

/* A client that does not read is not waited for. */
void rf_httpd_cut(struct rf_httpd_request *r)
{
    struct rf_connection *c = connection_of(r);
    c->now.cut = true;
    if (!c->now.answered || c->now.full)
        c->now.dead = true;
    if (c->now.dead && !c->now.suspended)
        shutdown(c->fd, SHUT_RDWR); /* the library then looks */
    rf_exchange_wake(c);
}
