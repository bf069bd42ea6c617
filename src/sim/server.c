/* The simulator as a server on 127.0.0.1: a thread a connection, so that a delay is a wait. Who
 * begins with HTTP/2 is served by http2.c, all others by libmicrohttpd. */
#include "sim/exchange.h"
#include "sim/http2.h"
#include "sim/microhttpd.h"
#include "sim/nghttp2.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 4096u
#define IDLE_S 120u  /* a connection on which nothing happens */
#define LOOK_MS 5    /* between looks at who has sent a letter or two */
#define WAITING 1024 /* connections that are not accepted yet */
#define BLOCK 65536  /* bytes that are sent at once */

struct rf_sim_server {
    struct rf_sim *sim;
    struct MHD_Daemon *daemon;
    int socket, stop; /* an eventfd that is readable once the server ends */
    struct rf_sim_bodies bodies;
    pthread_t door; /* accepts connections */
    bool open;
    pthread_mutex_t lock;
    pthread_cond_t gone;
    size_t guests; /* connections whose threads are ours */
};

/* A connection of which is unknown what it speaks. */
struct guest {
    struct rf_sim_server *server;
    int fd;
    struct sockaddr_in from;
};

/* One call of HTTP/1: made when its first line is there, freed when its answer is out. */
struct call {
    struct rf_sim_server *server;
    struct MHD_Connection *connection;
    char *uri;
    bool begun;
    struct rf_sim_exchange exchange;
};

/* The answer. */

static const char *header(void *ctx, const char *name)
{
    struct call *c = ctx;
    return rf_mhd.lookup_connection_value(c->connection, MHD_HEADER_KIND, name);
}

/* False where the server ends meanwhile. */
static bool wait_ms(const struct rf_sim_server *s, int64_t ms)
{
    struct pollfd p = { .fd = s->stop, .events = POLLIN };
    return poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms) == 0;
}

/* The next bytes of a streamed reply. */
static ssize_t next_bytes(void *ctx, uint64_t at, char *buf, size_t max)
{
    struct call *c = ctx;
    int64_t ms;
    (void)at;
    while ((ms = rf_sim_exchange_wait_ms(&c->exchange)) > 0)
        if (!wait_ms(c->server, ms))
            return MHD_CONTENT_READER_END_WITH_ERROR;
    if (ms == 0)
        return (ssize_t)rf_sim_exchange_read(&c->exchange, buf, max);
    return c->exchange.reply.cut ? MHD_CONTENT_READER_END_WITH_ERROR
                                 : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct call *c)
{
    const struct rf_sim_reply *r = &c->exchange.reply;
    bool whole = r->count <= 1 && !r->cut && (r->count == 0 || r->chunks[0].delay_ms == 0);
    if (!whole)
        return rf_mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, next_bytes, c, NULL);
    struct rf_str body = r->count ? r->chunks[0].bytes : RF_STR("");
    return rf_mhd.create_response_from_buffer(body.n, (void *)(uintptr_t)body.p,
                                              MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result respond(struct call *c)
{
    const struct rf_sim_reply *r = &c->exchange.reply;
    struct MHD_Response *response = make_response(c);
    if (!response)
        return MHD_NO;
    if (r->content_type)
        rf_mhd.add_response_header(response, "content-type", r->content_type);
    for (size_t i = 0; i < RF_SIM_HEADERS && r->headers[i][0]; i++)
        rf_mhd.add_response_header(response, r->headers[i][0], r->headers[i][1]);
    enum MHD_Result queued = rf_mhd.queue_response(c->connection, (unsigned)r->status, response);
    rf_mhd.destroy_response(response);
    return queued;
}

/* What the library calls. */

static void *begin(void *ctx, const char *uri, struct MHD_Connection *connection)
{
    struct rf_sim_server *s = ctx;
    struct call *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct call){ .server = s,
                        .connection = connection,
                        .uri = strdup(uri),
                        .exchange = { .sim = s->sim, .bodies = &s->bodies } };
    return c;
}

static enum MHD_Result on_call(void *ctx, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data, size_t *n,
                               void **call)
{
    struct call *c = *call;
    (void)ctx, (void)connection, (void)url, (void)version;
    if (!c || !c->uri)
        return MHD_NO;
    if (c->begun && *n > 0) {
        rf_sim_exchange_take(&c->exchange, data, *n);
        *n = 0;
        return MHD_YES;
    }
    if (!c->begun) {
        c->begun = true; /* the head is there, and nothing after it yet */
        return MHD_YES;
    }
    rf_sim_exchange_answer(
        &c->exchange,
        &(struct rf_sim_call){ .method = method, .path = c->uri, .header = header, .ctx = c });
    return respond(c);
}

static void on_end(void *ctx, struct MHD_Connection *connection, void **call,
                   enum MHD_RequestTerminationCode why)
{
    struct call *c = *call;
    (void)ctx, (void)connection, (void)why;
    if (!c)
        return;
    rf_sim_exchange_end(&c->exchange);
    free(c->uri);
    free(c);
    *call = NULL;
}

/* Guests. */

/* Does it begin as HTTP/2 does? False also where it says nothing, or the server ends. */
static bool speaks_http2(const struct guest *g)
{
    for (;;) {
        char first[sizeof RF_HTTP2_BEGINS - 1];
        struct pollfd p[] = { { .fd = g->fd, .events = POLLIN | POLLRDHUP },
                              { .fd = g->server->stop, .events = POLLIN } };
        if (poll(p, 2, (int)IDLE_S * 1000) <= 0 || p[1].revents)
            return false;
        ssize_t n = recv(g->fd, first, sizeof first, MSG_PEEK | MSG_DONTWAIT);
        if (n <= 0 || memcmp(first, RF_HTTP2_BEGINS, (size_t)n) != 0)
            return false;
        if ((size_t)n == sizeof first)
            return true;
        if (p[0].revents & POLLRDHUP || !wait_ms(g->server, LOOK_MS))
            return false;
    }
}

static void *receive(void *ctx)
{
    struct guest *g = ctx;
    struct rf_sim_server *s = g->server;
    if (speaks_http2(g))
        rf_http2_serve(s->sim, &s->bodies, g->fd, s->stop, (int)IDLE_S * 1000);
    else /* which closes it, whatever happens */
        rf_mhd.add_connection(s->daemon, g->fd, (struct sockaddr *)&g->from, sizeof g->from);
    free(g);
    pthread_mutex_lock(&s->lock);
    s->guests--;
    pthread_cond_signal(&s->gone);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static bool is_full(struct rf_sim_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool full = s->guests >= MAX_CONNECTIONS;
    s->guests += !full;
    pthread_mutex_unlock(&s->lock);
    return full;
}

static void invite(struct rf_sim_server *s, int fd, const struct sockaddr_in *from)
{
    pthread_t thread;
    struct guest *g = calloc(1, sizeof *g);
    if (!g)
        RF_NO_MEMORY();
    *g = (struct guest){ s, fd, *from };
    if (!pthread_create(&thread, NULL, receive, g)) {
        pthread_detach(thread);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->guests--;
    pthread_mutex_unlock(&s->lock);
    close(fd);
    free(g);
}

static void *keep_door(void *ctx)
{
    struct rf_sim_server *s = ctx;
    for (;;) {
        struct pollfd p[] = { { .fd = s->socket, .events = POLLIN },
                              { .fd = s->stop, .events = POLLIN } };
        struct sockaddr_in from;
        socklen_t n = sizeof from;
        if (poll(p, 2, -1) > 0 && p[1].revents)
            return NULL;
        int fd = accept4(s->socket, (struct sockaddr *)&from, &n, SOCK_CLOEXEC);
        if (fd >= 0 && is_full(s))
            close(fd);
        else if (fd >= 0)
            invite(s, fd, &from);
        else if (!wait_ms(s, LOOK_MS)) /* out of descriptors, say */
            return NULL;
    }
}

/* The server. */

static enum rf_code open_socket(int port, int *out, int *bound, struct rf_err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons((uint16_t)port) };
    socklen_t n = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return rf_fail_errno(err, "could not make a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, WAITING) ||
        getsockname(fd, (struct sockaddr *)&at, &n)) {
        rf_fail_errno(err, "could not listen on 127.0.0.1 port %d", port);
        err->code = RF_EIO;
        rf_hint(err, "Name another port, or 0 for one that is free.");
        close(fd);
        return RF_EIO;
    }
    *out = fd;
    *bound = ntohs(at.sin_port);
    return RF_OK;
}

static bool start(struct rf_sim_server *s)
{
    s->daemon =
        rf_mhd.start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                                MHD_USE_POLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC,
                            0, NULL, NULL, on_call, s, MHD_OPTION_URI_LOG_CALLBACK, begin, s,
                            MHD_OPTION_NOTIFY_COMPLETED, on_end, s, MHD_OPTION_CONNECTION_LIMIT,
                            MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
    s->open = s->daemon && !pthread_create(&s->door, NULL, keep_door, s);
    return s->open;
}

enum rf_code rf_sim_listen(struct rf_sim *s, int port, struct rf_sim_server **out, int *bound,
                           struct rf_err *err)
{
    int fd = -1, at = 0;
    enum rf_code rc = rf_mhd_load(err);
    if (!rc)
        rc = rf_ng_load(err);
    if (!rc && (port < 0 || port > 65535))
        rc = rf_fail(err, RF_EUSAGE, "%d is not a port: 0 to 65535", port);
    if (!rc)
        rc = open_socket(port, &fd, &at, err);
    if (rc)
        return rc;
    struct rf_sim_server *server = calloc(1, sizeof *server);
    if (!server)
        RF_NO_MEMORY();
    server->sim = s;
    server->socket = fd;
    server->stop = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->bodies.lock, NULL);
    pthread_cond_init(&server->gone, NULL);
    if (server->stop < 0 || !start(server)) {
        rf_fail_errno(err, "could not start the server");
        rf_sim_close(server);
        return err->code;
    }
    *out = server;
    *bound = at;
    return RF_OK;
}

void rf_sim_close(struct rf_sim_server *server)
{
    const uint64_t one = 1;
    if (!server)
        return;
    /* Those who wait for a delay wake up. */
    if (server->stop >= 0 && write(server->stop, &one, sizeof one) != sizeof one)
        RF_BUG("an event could not be told");
    if (server->open)
        pthread_join(server->door, NULL);
    pthread_mutex_lock(&server->lock);
    while (server->guests)
        pthread_cond_wait(&server->gone, &server->lock);
    pthread_mutex_unlock(&server->lock);
    if (server->daemon)
        rf_mhd.stop_daemon(server->daemon);
    close(server->socket);
    if (server->stop >= 0)
        close(server->stop);
    pthread_cond_destroy(&server->gone);
    pthread_mutex_destroy(&server->bodies.lock);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
