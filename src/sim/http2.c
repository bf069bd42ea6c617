#include "sim/http2.h"

#include "base/arena.h"
#include "sim/nghttp2.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_STREAMS 1000 /* at the same time, on one connection */
#define MAX_HEADS 65536  /* bytes of a call's headers */
#define WINDOW (1 << 20) /* bytes that a client may send ahead in a call */
#define BLOCK 65536

struct head {
    struct rf_str name, value; /* both end with NUL */
};

/* One call: made when its first header is there, freed when its stream is closed. */
struct stream {
    struct stream *next, **link;
    struct rf_sim_exchange exchange;
    struct rf_arena *arena; /* of the headers */
    struct head *heads;
    size_t count, cap, head_bytes;
    int32_t id;
    bool waits; /* for the time of its next bytes */
};

struct connection {
    struct rf_sim *sim;
    struct rf_sim_bodies *bodies;
    int fd;
    nghttp2_session *session;
    struct stream *streams;
    const uint8_t *out; /* what could not be sent yet */
    size_t left;
};

static const char *head_of(void *ctx, const char *name)
{
    const struct stream *s = ctx;
    for (size_t i = 0; i < s->count; i++)
        if (rf_str_is(s->heads[i].name, name))
            return s->heads[i].value.p;
    return strcmp(name, "host") == 0 ? head_of(ctx, ":authority") : NULL;
}

static struct stream *find(struct connection *c, int32_t id)
{
    struct stream *s = c->streams;
    while (s && s->id != id)
        s = s->next;
    return s;
}

static void end_stream(struct stream *s)
{
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    rf_sim_exchange_end(&s->exchange);
    rf_arena_free(s->arena);
    free(s);
}

/* The reply. */

static ssize_t next_bytes(nghttp2_session *session, int32_t id, uint8_t *buf, size_t max,
                          uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct stream *s = source->ptr;
    int64_t wait = rf_sim_exchange_wait_ms(&s->exchange);
    (void)session, (void)id, (void)ctx;
    if (wait == 0)
        return (ssize_t)rf_sim_exchange_read(&s->exchange, (char *)buf, max);
    s->waits = wait > 0;
    if (s->waits)
        return NGHTTP2_ERR_DEFERRED;
    if (s->exchange.reply.cut)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the stream is reset */
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    return 0;
}

static nghttp2_nv named(const char *name, const char *value)
{
    return (nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name,
                         .namelen = strlen(name),
                         .value = (uint8_t *)(uintptr_t)value,
                         .valuelen = strlen(value) };
}

static int answer(struct connection *c, struct stream *s)
{
    const char *method = head_of(s, ":method"), *path = head_of(s, ":path");
    const struct rf_sim_call call = {
        .method = method ? method : "", .path = path ? path : "", .header = head_of, .ctx = s
    };
    const struct rf_sim_reply *r = &s->exchange.reply;
    const nghttp2_data_provider body = { .source.ptr = s, .read_callback = next_bytes };
    nghttp2_nv heads[RF_SIM_HEADERS + 2];
    size_t count = 0;
    rf_sim_exchange_answer(&s->exchange, &call);
    heads[count++] = named(":status", rf_strf(s->arena, "%d", r->status).p);
    if (r->content_type)
        heads[count++] = named("content-type", r->content_type);
    for (size_t i = 0; i < RF_SIM_HEADERS && r->headers[i][0]; i++)
        heads[count++] = named(r->headers[i][0], r->headers[i][1]);
    return rf_ng.submit_response(c->session, s->id, heads, count, &body);
}

/* What the library calls. */

static int on_begin_heads(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct connection *c = ctx;
    (void)session;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        RF_NO_MEMORY();
    *s = (struct stream){ .next = c->streams,
                          .link = &c->streams,
                          .exchange = { .sim = c->sim, .bodies = c->bodies },
                          .arena = rf_arena_new(),
                          .id = frame->hd.stream_id };
    if (s->next)
        s->next->link = &s->next;
    c->streams = s;
    return 0;
}

static int on_head(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                   size_t name_n, const uint8_t *value, size_t value_n, uint8_t flags, void *ctx)
{
    struct stream *s = find(ctx, frame->hd.stream_id);
    (void)session, (void)flags;
    if (!s)
        return 0;
    s->head_bytes += name_n + value_n;
    if (s->head_bytes > MAX_HEADS)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    *RF_PUSH(s->arena, s->heads, s->count, s->cap) = (struct head){
        rf_str_dup(s->arena, (struct rf_str){ (const char *)name, name_n }),
        rf_str_dup(s->arena, (struct rf_str){ (const char *)value, value_n }),
    };
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t n, void *ctx)
{
    struct stream *s = find(ctx, id);
    (void)session, (void)flags;
    if (s)
        rf_sim_exchange_take(&s->exchange, (const char *)data, n);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct stream *s = find(ctx, frame->hd.stream_id);
    bool carries = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    (void)session;
    return s && carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) ? answer(ctx, s) : 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t why, void *ctx)
{
    struct stream *s = find(ctx, id);
    (void)session, (void)why;
    if (s)
        end_stream(s);
    return 0;
}

/* The connection. */

static bool begin(struct connection *c)
{
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MAX_STREAMS },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
    };
    nghttp2_session_callbacks *calls;
    if (rf_ng.session_callbacks_new(&calls))
        return false;
    rf_ng.session_callbacks_set_on_begin_headers_callback(calls, on_begin_heads);
    rf_ng.session_callbacks_set_on_header_callback(calls, on_head);
    rf_ng.session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
    rf_ng.session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    rf_ng.session_callbacks_set_on_stream_close_callback(calls, on_close);
    bool begun = !rf_ng.session_server_new(&c->session, calls, c);
    rf_ng.session_callbacks_del(calls);
    return begun && !rf_ng.submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
                                           sizeof settings / sizeof *settings);
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* As much as the client takes now; false where it is gone. */
static bool send_ready(struct connection *c)
{
    for (;;) {
        if (!c->left) {
            ssize_t n = rf_ng.session_mem_send(c->session, &c->out);
            if (n <= 0)
                return n == 0;
            c->left = (size_t)n;
        }
        ssize_t sent = send(c->fd, c->out, c->left, MSG_NOSIGNAL);
        if (sent < 0)
            return would_block();
        c->out += sent;
        c->left -= (size_t)sent;
    }
}

/* What has come; false where the client is gone, or does not speak HTTP/2 after all. */
static bool receive(struct connection *c)
{
    uint8_t buf[BLOCK];
    ssize_t n = recv(c->fd, buf, sizeof buf, 0);
    if (n < 0)
        return would_block();
    return n > 0 && rf_ng.session_mem_recv(c->session, buf, (size_t)n) == n;
}

/* Let those go on whose time has come; returns how long until there is more to send, or -1 where
 * nobody waits for that. */
static int wake(struct connection *c)
{
    int64_t next = -1;
    for (struct stream *s = c->streams; s; s = s->next) {
        if (!s->waits)
            continue;
        int64_t ms = rf_sim_exchange_wait_ms(&s->exchange);
        s->waits = ms > 0;
        if (!s->waits) {
            rf_ng.session_resume_data(c->session, s->id);
            ms = 0;
        }
        if (next < 0 || ms < next)
            next = ms;
    }
    return next > INT32_MAX ? INT32_MAX : (int)next;
}

static void serve(struct connection *c, int stop, int idle_ms)
{
    for (;;) {
        if (!send_ready(c) ||
            (!rf_ng.session_want_read(c->session) && !rf_ng.session_want_write(c->session)))
            return;
        int ms = wake(c);
        struct pollfd p[] = {
            { .fd = c->fd, .events = (short)(c->left ? POLLIN | POLLOUT : POLLIN) },
            { .fd = stop, .events = POLLIN },
        };
        int ready = poll(p, 2, ms < 0 ? idle_ms : ms);
        if ((ready < 0 && errno != EINTR) || p[1].revents)
            return;
        if (ready == 0 && ms < 0)
            return;
        if (p[0].revents & (POLLIN | POLLHUP | POLLERR) && !receive(c))
            return;
    }
}

void rf_http2_serve(struct rf_sim *sim, struct rf_sim_bodies *bodies, int fd, int stop, int idle_ms)
{
    struct connection c = { .sim = sim, .bodies = bodies, .fd = fd };
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NONBLOCK) && begin(&c))
        serve(&c, stop, idle_ms);
    while (c.streams)
        end_stream(c.streams);
    rf_ng.session_del(c.session);
    close(fd);
}
