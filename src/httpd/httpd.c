/* The server: where it listens, its connections, and when the library runs.
 *
 * The library waits with an epoll of its own, which the loop watches, and says by when it wants to
 * run in any case. It forgets a connection while that is suspended, so a second epoll knows all of
 * them by whether their client has gone, and asks nothing else. */
#include "httpd/inside.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING 1024                 /* connections that are not accepted yet */
#define POOL ((size_t)64 << 10)      /* bytes that the library has for a connection */
#define POOL_STEP ((size_t)16 << 10) /* and reads at once */
#define HANGUPS 64

/* Addresses. */

static enum rf_code not_an_address(const char *address, struct rf_err *err)
{
    rf_fail(err, RF_EUSAGE, "\"%s\" is not an address to listen on", address);
    rf_hint(err, "Write 127.0.0.1:PORT, [::1]:PORT or only a PORT; 0 is one that is free.");
    return RF_EUSAGE;
}

static enum rf_code resolve(const char *address, struct addrinfo **out, struct rf_err *err)
{
    struct rf_str all = rf_str(address), port = rf_str_behind(all, ':'), host;
    const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                     .ai_socktype = SOCK_STREAM };
    char name[256];
    int64_t number;
    host = port.n < all.n ? (struct rf_str){ all.p, all.n - port.n - 1 } : RF_STR("127.0.0.1");
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = (struct rf_str){ host.p + 1, host.n - 2 };
    else if (memchr(host.p, ':', host.n))
        return not_an_address(address, err);
    if (!host.n || host.n >= sizeof name || !rf_str_int64(port, &number) || number < 0 ||
        number > 65535)
        return not_an_address(address, err);
    snprintf(name, sizeof name, "%.*s", (int)host.n, host.p);
    int failed = getaddrinfo(name, port.p, &wanted, out);
    if (!failed)
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "\"%s\" is not an address to listen on: %s", address,
            gai_strerror(failed));
    return RF_EUSAGE;
}

enum rf_code rf_httpd_is_loopback(const char *address, bool *out, struct rf_err *err)
{
    struct addrinfo *at;
    enum rf_code rc = resolve(address, &at, err);
    if (rc)
        return rc;
    bool inner = true;
    for (const struct addrinfo *i = at; i; i = i->ai_next)
        if (i->ai_family == AF_INET6)
            inner &= IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)(void *)i->ai_addr)->sin6_addr);
        else
            inner &=
                ntohl(((struct sockaddr_in *)(void *)i->ai_addr)->sin_addr.s_addr) >> 24 == 127;
    freeaddrinfo(at);
    *out = inner;
    return RF_OK;
}

static bool bound_name(int fd, char out[RF_HTTPD_PEER])
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[48], port[8];
    if (getsockname(fd, (struct sockaddr *)&at, &n) ||
        getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV))
        return false;
    snprintf(out, RF_HTTPD_PEER, at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

static enum rf_code open_socket(const char *address, char name[RF_HTTPD_PEER], int *out,
                                struct rf_err *err)
{
    struct addrinfo *at;
    enum rf_code rc = resolve(address, &at, err);
    if (rc)
        return rc;
    const int on = 1;
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
                !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, WAITING) &&
                bound_name(fd, name);
    if (!good) {
        rf_fail_errno(err, "could not listen on %s", address);
        rf_hint(err, "Name another port, or 0 for one that is free.");
        if (err)
            err->code = RF_EIO;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(at);
    *out = fd;
    return good ? RF_OK : RF_EIO;
}

/* Connections. */

/* Whether it is the head that does not come, or a whole request: the library sees an end. */
static void too_late(void *ctx)
{
    struct rf_connection *c = ctx;
    shutdown(c->fd, SHUT_RDWR);
}

void rf_httpd_shed(struct rf_httpd *h)
{
    struct rf_connection *oldest = NULL;
    if (h->count < h->options.max_connections)
        return;
    for (struct rf_connection *c = h->connections; c; c = c->next)
        if (c->idle && (!oldest || c->deadline.at_ms < oldest->deadline.at_ms))
            oldest = c;
    if (oldest)
        shutdown(oldest->fd, SHUT_RDWR);
}

static void enter(struct rf_httpd *h, struct MHD_Connection *library, void **context)
{
    struct rf_connection *c = calloc(1, sizeof *c);
    if (!c)
        RF_NO_MEMORY();
    *c = (struct rf_connection){
        .server = h,
        .library = library,
        .next = h->connections,
        .deadline = { .due = too_late, .ctx = c },
        .fd = rf_mhd.get_connection_info(library, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
    };
    struct epoll_event e = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = c };
    if (c->next)
        c->next->before = c;
    h->connections = c;
    h->count++;
    *context = c;
    rf_httpd_shed(h);
    rf_timer_set(h->loop, &c->deadline, rf_now_ms() + h->options.head_timeout_ms);
    if (epoll_ctl(h->hangups, EPOLL_CTL_ADD, c->fd, &e) || h->draining)
        shutdown(c->fd, SHUT_RDWR);
}

static void leave(struct rf_httpd *h, struct rf_connection *c)
{
    struct epoll_event e = { 0 };
    epoll_ctl(h->hangups, EPOLL_CTL_DEL, c->fd, &e);
    if (c->lingers)
        rf_linger(h, c->fd);
    rf_timer_clear(h->loop, &c->deadline);
    *(c->before ? &c->before->next : &h->connections) = c->next;
    if (c->next)
        c->next->before = c->before;
    if (h->count-- >= h->options.max_connections)
        h->woken = true; /* the library had stopped accepting, and looks when it runs next */
    free(c->now.uri);    /* of a head that never was whole */
    free(c);
}

static void on_connection(void *ctx, struct MHD_Connection *library, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        enter(ctx, library, context);
    else if (*context)
        leave(ctx, *context);
}

/* On the loop. */

static void run(struct rf_httpd *h)
{
    MHD_UNSIGNED_LONG_LONG ms = 0;
    h->woken = false;
    rf_mhd.run(h->daemon);
    if (h->woken || rf_mhd.get_timeout(h->daemon, &ms) == MHD_YES)
        rf_timer_set(h->loop, &h->timer, rf_now_ms() + (int64_t)ms);
    else
        rf_timer_clear(h->loop, &h->timer);
}

static void on_ready(void *ctx, int fd, int events)
{
    (void)fd, (void)events;
    run(ctx);
}

static void on_due(void *ctx)
{
    run(ctx);
}

static void on_hangups(void *ctx, int fd, int events)
{
    struct epoll_event gone[HANGUPS];
    int n = epoll_wait(fd, gone, HANGUPS, 0);
    (void)ctx, (void)events;
    for (int i = 0; i < n; i++)
        rf_exchange_hung_up(gone[i].data.ptr);
}

/* The server. */

static void fill_in(struct rf_httpd_options *o)
{
    static const struct rf_httpd_options usual = { 1024, 16 << 10, 64 << 20, 15000, 75000, 60 };
    o->max_connections = o->max_connections ? o->max_connections : usual.max_connections;
    o->max_head = o->max_head ? o->max_head : usual.max_head;
    o->max_body = o->max_body ? o->max_body : usual.max_body;
    o->head_timeout_ms = o->head_timeout_ms ? o->head_timeout_ms : usual.head_timeout_ms;
    o->idle_timeout_ms = o->idle_timeout_ms ? o->idle_timeout_ms : usual.idle_timeout_ms;
    o->stall_timeout_s = o->stall_timeout_s ? o->stall_timeout_s : usual.stall_timeout_s;
}

/* The socket is the library's where this succeeds. */
static bool start(struct rf_httpd *h, int fd)
{
    h->hangups = epoll_create1(EPOLL_CLOEXEC);
    if (h->hangups < 0)
        return false;
    h->daemon = rf_mhd.start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, rf_exchange_call, h,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
        rf_exchange_uri, h, MHD_OPTION_NOTIFY_COMPLETED, rf_exchange_completed, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_CONNECTION_LIMIT,
        h->options.max_connections, MHD_OPTION_CONNECTION_TIMEOUT, h->options.stall_timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, POOL, MHD_OPTION_CONNECTION_MEMORY_INCREMENT, POOL_STEP,
        MHD_OPTION_END);
    if (!h->daemon)
        return false;
    h->library = rf_mhd.get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return rf_loop_watch(h->loop, h->library, RF_LOOP_READ, on_ready, h) &&
           rf_loop_watch(h->loop, h->hangups, RF_LOOP_READ, on_hangups, h);
}

enum rf_code rf_httpd_start(struct rf_loop *loop, const char *address,
                            const struct rf_httpd_options *options,
                            const struct rf_httpd_handler *handler, void *ctx,
                            struct rf_httpd **out, struct rf_err *err)
{
    struct rf_httpd *h = calloc(1, sizeof *h);
    int fd = -1;
    if (!h)
        RF_NO_MEMORY();
    *h = (struct rf_httpd){ .loop = loop,
                            .options = *options,
                            .handler = handler,
                            .ctx = ctx,
                            .library = -1,
                            .hangups = -1,
                            .timer = { .due = on_due, .ctx = h } };
    fill_in(&h->options);
    enum rf_code rc = rf_mhd_load(err);
    if (!rc)
        rc = open_socket(address, h->address, &fd, err);
    if (!rc && !start(h, fd))
        rc = rf_fail_errno(err, "could not start the server");
    if (rc) {
        if (fd >= 0 && !h->daemon)
            close(fd);
        rf_httpd_stop(h);
        return rc;
    }
    *out = h;
    return RF_OK;
}

const char *rf_httpd_address(const struct rf_httpd *h)
{
    return h->address;
}

size_t rf_httpd_connections(const struct rf_httpd *h)
{
    return h->count;
}

void rf_httpd_drain(struct rf_httpd *h)
{
    if (h->draining)
        return;
    h->draining = true;
    int fd = rf_mhd.quiesce_daemon(h->daemon);
    if (fd >= 0)
        close(fd);
    for (struct rf_connection *c = h->connections; c; c = c->next)
        if (!c->now.seen)
            shutdown(c->fd, SHUT_RD);
}

void rf_httpd_stop(struct rf_httpd *h)
{
    if (!h)
        return;
    if (h->library >= 0)
        rf_loop_watch(h->loop, h->library, 0, NULL, NULL);
    if (h->hangups >= 0)
        rf_loop_watch(h->loop, h->hangups, 0, NULL, NULL);
    for (struct rf_connection *c = h->connections; c; c = c->next)
        rf_exchange_wake(c); /* the library ends none that is suspended */
    if (h->daemon)
        rf_mhd.stop_daemon(h->daemon);
    rf_timer_clear(h->loop, &h->timer);
    rf_linger_end_all(h);
    if (h->hangups >= 0)
        close(h->hangups);
    free(h);
}
