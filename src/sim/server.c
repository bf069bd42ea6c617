/* The simulator as a server on 127.0.0.1: a thread a connection, so that a delay is a wait. Bodies
 * are held in memory, so many bytes at most in one and in all of them together. */
#include "base/arena.h"
#include "sim/microhttpd.h"
#include "sim/sim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_BODY ((size_t)200 << 20)
#define MAX_ALL_BODIES ((size_t)1 << 30)
#define MAX_CONNECTIONS 4096u
#define IDLE_S 120u  /* a connection on which nothing happens */
#define WAITING 1024 /* connections that are not accepted yet */
#define BLOCK 65536  /* bytes that are sent at once */

struct rf_sim_server {
    struct rf_sim *sim;
    struct MHD_Daemon *daemon;
    int socket, stop; /* an eventfd that is readable once the server ends */
    pthread_mutex_t lock;
    size_t held; /* bytes of all bodies */
};

/* One call: made when its first line is there, freed when its answer is out. */
struct exchange {
    struct rf_sim_server *server;
    struct MHD_Connection *connection;
    char *uri;
    char *body;
    size_t n, cap;
    bool begun;
    int refused; /* the body is too much: this status; or 0 */
    struct rf_arena *arena;
    struct rf_sim_reply reply;
    size_t chunk, done; /* of the reply: which, and how much of it is out */
    bool waited;        /* for this chunk */
};

/* Room in all bodies together. */
static bool hold(struct rf_sim_server *s, size_t more)
{
    pthread_mutex_lock(&s->lock);
    bool fits = more <= MAX_ALL_BODIES - s->held;
    s->held += fits ? more : 0;
    pthread_mutex_unlock(&s->lock);
    return fits;
}

static void let_go(struct exchange *e)
{
    pthread_mutex_lock(&e->server->lock);
    e->server->held -= e->cap;
    pthread_mutex_unlock(&e->server->lock);
    free(e->body);
    e->body = NULL;
    e->n = e->cap = 0;
}

static void take(struct exchange *e, const char *data, size_t n)
{
    if (e->refused)
        return;
    if (n > MAX_BODY - e->n) {
        e->refused = 413;
    } else if (n > e->cap - e->n) {
        size_t cap = e->cap ? e->cap : BLOCK;
        while (cap - e->n < n)
            cap *= 2;
        char *grown = hold(e->server, cap - e->cap) ? realloc(e->body, cap) : NULL;
        if (grown) {
            e->body = grown;
            e->cap = cap;
        } else {
            e->refused = 503;
        }
    }
    if (e->refused) {
        let_go(e);
        return;
    }
    memcpy(e->body + e->n, data, n);
    e->n += n;
}

/* The answer. */

static const char *header(void *ctx, const char *name)
{
    struct exchange *e = ctx;
    return rf_mhd.lookup_connection_value(e->connection, MHD_HEADER_KIND, name);
}

/* False where the server ends meanwhile. */
static bool wait_ms(const struct rf_sim_server *s, int64_t ms)
{
    struct pollfd p = { .fd = s->stop, .events = POLLIN };
    return ms <= 0 || poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms) == 0;
}

/* The next bytes of a streamed reply. */
static ssize_t next_bytes(void *ctx, uint64_t at, char *buf, size_t max)
{
    struct exchange *e = ctx;
    (void)at;
    while (e->chunk < e->reply.count) {
        const struct rf_sim_chunk *c = &e->reply.chunks[e->chunk];
        if (!e->waited && !wait_ms(e->server, c->delay_ms))
            return MHD_CONTENT_READER_END_WITH_ERROR;
        e->waited = true;
        size_t left = c->bytes.n - e->done, n = left < max ? left : max;
        if (n > 0) {
            memcpy(buf, c->bytes.p + e->done, n);
            e->done += n;
            return (ssize_t)n;
        }
        e->chunk++;
        e->done = 0;
        e->waited = false;
    }
    return e->reply.cut ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct exchange *e)
{
    struct rf_sim_reply *r = &e->reply;
    bool whole = r->count <= 1 && !r->cut && (r->count == 0 || r->chunks[0].delay_ms == 0);
    if (!whole)
        return rf_mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, next_bytes, e, NULL);
    struct rf_str body = r->count ? r->chunks[0].bytes : RF_STR("");
    return rf_mhd.create_response_from_buffer(body.n, (void *)(uintptr_t)body.p,
                                              MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result respond(struct exchange *e)
{
    struct rf_sim_reply *r = &e->reply;
    struct MHD_Response *response = make_response(e);
    if (!response)
        return MHD_NO;
    if (r->content_type)
        rf_mhd.add_response_header(response, "content-type", r->content_type);
    for (size_t i = 0; i < RF_SIM_HEADERS && r->headers[i][0]; i++)
        rf_mhd.add_response_header(response, r->headers[i][0], r->headers[i][1]);
    enum MHD_Result queued = rf_mhd.queue_response(e->connection, (unsigned)r->status, response);
    rf_mhd.destroy_response(response);
    return queued;
}

static void answer(struct exchange *e, const char *method)
{
    const struct rf_sim_call call = {
        .method = method,
        .path = e->uri,
        .header = header,
        .ctx = e,
        .body = { e->body ? e->body : "", e->n },
    };
    e->arena = rf_arena_new();
    if (e->refused) {
        e->reply = (struct rf_sim_reply){ .status = e->refused, .content_type = "text/plain" };
        rf_sim_chunk(&e->reply, e->arena,
                     rf_strf(e->arena,
                             "refract sim: a body has at most %zu bytes, and all at once %zu\n",
                             MAX_BODY, MAX_ALL_BODIES));
        return;
    }
    rf_sim_answer(e->server->sim, &call, e->arena, &e->reply);
}

/* What the library calls. */

static void *begin(void *ctx, const char *uri, struct MHD_Connection *connection)
{
    struct exchange *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->server = ctx;
    e->connection = connection;
    e->uri = strdup(uri);
    return e;
}

static enum MHD_Result on_call(void *ctx, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data, size_t *n,
                               void **exchange)
{
    struct exchange *e = *exchange;
    (void)ctx, (void)connection, (void)url, (void)version;
    if (!e || !e->uri)
        return MHD_NO;
    if (e->begun && *n > 0) {
        take(e, data, *n);
        *n = 0;
        return MHD_YES;
    }
    if (!e->begun) {
        e->begun = true; /* the head is there, and nothing after it yet */
        return MHD_YES;
    }
    answer(e, method);
    return respond(e);
}

static void on_end(void *ctx, struct MHD_Connection *connection, void **exchange,
                   enum MHD_RequestTerminationCode why)
{
    struct exchange *e = *exchange;
    (void)ctx, (void)connection, (void)why;
    if (!e)
        return;
    let_go(e);
    rf_arena_free(e->arena);
    free(e->uri);
    free(e);
    *exchange = NULL;
}

/* The server. */

static enum rf_code open_socket(int port, int *out, int *bound, struct rf_err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons((uint16_t)port) };
    socklen_t n = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
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

static struct MHD_Daemon *start(struct rf_sim_server *s)
{
    return rf_mhd.start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL,
        NULL, on_call, s, MHD_OPTION_LISTEN_SOCKET, s->socket, MHD_OPTION_URI_LOG_CALLBACK, begin,
        s, MHD_OPTION_NOTIFY_COMPLETED, on_end, s, MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
}

enum rf_code rf_sim_listen(struct rf_sim *s, int port, struct rf_sim_server **out, int *bound,
                           struct rf_err *err)
{
    int fd = -1, at = 0;
    enum rf_code rc = rf_mhd_load(err);
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
    server->daemon = server->stop < 0 ? NULL : start(server);
    if (!server->daemon) {
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
    if (server->daemon)
        rf_mhd.stop_daemon(server->daemon); /* closes the socket too */
    else
        close(server->socket);
    if (server->stop >= 0)
        close(server->stop);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
