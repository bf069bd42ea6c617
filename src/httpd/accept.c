/* The door: the sockets that one server, or several in as many threads, are reached at.
 *
 * The server that opened it accepts for all of them, and gives each connection to the one that has
 * the fewest. Letting each accept for itself spreads them badly: the thread that wakes first takes
 * all that wait, and a kernel that spreads them (SO_REUSEPORT) goes by a hash, by which few
 * connections, of which agents keep each for hours, may all fall on one thread; besides, two processes
 * could then share a port by mistake. Accepting is a few microseconds a connection.
 *
 * A connection for another thread is a number in a pipe to it. */
#include "httpd/inside.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 64  /* before other work of the loop has its turn */
#define RETRY_MS 50 /* where all places are taken, or no descriptor is left */

struct rf_door *rf_door_new(const struct rf_listening *at, unsigned most, struct ssl_ctx_st *tls)
{
    struct rf_door *d = calloc(1, sizeof *d);
    if (!d)
        RF_NO_MEMORY();
    *d = (struct rf_door){ .at = *at, .most = most, .secure = tls != NULL, .tls = tls };
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

/* Under the lock. */
static struct rf_httpd *emptiest(const struct rf_door *d)
{
    struct rf_httpd *best = NULL;
    size_t least = d->most;
    for (struct rf_httpd *h = d->servers; h; h = h->next)
        if (!h->draining && rf_httpd_connections(h) < least) {
            least = rf_httpd_connections(h);
            best = h;
        }
    return best;
}

/* In the server's own thread. */
static void take_in(struct rf_httpd *h, int fd)
{
    rf_connection_new(h, fd);
    h->coming--;
}

static void on_incoming(void *ctx, int from, int events)
{
    struct rf_httpd *h = ctx;
    int fds[AT_ONCE];
    ssize_t n = read(from, fds, sizeof fds);
    (void)events;
    for (ssize_t i = 0; i < n / (ssize_t)sizeof *fds; i++)
        take_in(h, fds[i]);
}

/* False: nobody takes it now. */
static bool hand_out(struct rf_httpd *self, int fd)
{
    struct rf_door *d = self->door;
    pthread_mutex_lock(&d->lock);
    struct rf_httpd *to = emptiest(d);
    bool good = to != NULL;
    if (good)
        to->coming++;
    if (good && to != self && write(to->incoming[1], &fd, sizeof fd) != sizeof fd) {
        to->coming--;
        good = false;
    }
    pthread_mutex_unlock(&d->lock);
    if (to == self)
        take_in(self, fd);
    return good;
}

static bool has_room(struct rf_door *d)
{
    pthread_mutex_lock(&d->lock);
    bool room = emptiest(d) != NULL;
    pthread_mutex_unlock(&d->lock);
    return room;
}

static void on_waiting(void *ctx, int listening, int events)
{
    struct rf_httpd *h = ctx;
    bool more = true;
    (void)events;
    for (int i = 0; more && i < AT_ONCE; i++) {
        more = has_room(h->door);
        int fd = more ? accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
        if (fd < 0 && more && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
            break;
        if (fd >= 0 && !hand_out(h, fd))
            close(fd);
        more = fd >= 0;
    }
    if (!more) { /* otherwise the loop would turn for nothing */
        rf_loop_watch(h->loop, listening, 0, NULL, NULL);
        rf_timer_set(h->loop, &h->retry, rf_now_ms() + RETRY_MS);
    }
}

static bool watch(struct rf_httpd *h, const struct rf_listening *at)
{
    bool good = true;
    for (size_t i = 0; i < at->count; i++)
        good &= rf_loop_watch(h->loop, at->fds[i], RF_LOOP_READ, on_waiting, h);
    return good;
}

static void on_retry(void *ctx)
{
    struct rf_httpd *h = ctx;
    if (!watch(h, &h->door->at))
        rf_timer_set(h->loop, &h->retry, rf_now_ms() + RETRY_MS);
}

bool rf_door_join(struct rf_door *d, struct rf_httpd *h)
{
    bool first = !d->servers;
    h->retry = (struct rf_timer){ .due = on_retry, .ctx = h };
    if (pipe2(h->incoming, O_CLOEXEC | O_NONBLOCK) ||
        !rf_loop_watch(h->loop, h->incoming[0], RF_LOOP_READ, on_incoming, h) ||
        (first && !watch(h, &d->at)))
        return false;
    pthread_mutex_lock(&d->lock);
    h->accepts = first;
    h->door = d;
    h->next = d->servers;
    d->servers = h;
    pthread_mutex_unlock(&d->lock);
    return true;
}

void rf_door_shut(struct rf_httpd *h)
{
    if (!h->accepts)
        return;
    rf_timer_clear(h->loop, &h->retry);
    for (size_t i = 0; i < h->door->at.count; i++)
        rf_loop_watch(h->loop, h->door->at.fds[i], 0, NULL, NULL);
    rf_listening_close(&h->door->at);
    h->accepts = false;
}

void rf_door_free(struct rf_door *d)
{
    rf_tls_close(d->tls);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* A connection holds the certificate that it was begun with. */
struct ssl_st *rf_door_tls(struct rf_door *d, int fd)
{
    if (!d->secure)
        return NULL;
    pthread_mutex_lock(&d->lock);
    struct ssl_st *s = rf_tls_accept(d->tls, fd);
    pthread_mutex_unlock(&d->lock);
    return s;
}

void rf_httpd_renew(struct rf_httpd *h, struct ssl_ctx_st *tls)
{
    struct rf_door *d = h->door;
    if (!d->secure || !tls)
        RF_BUG("a certificate for a server without TLS");
    pthread_mutex_lock(&d->lock);
    struct ssl_ctx_st *old = d->tls;
    d->tls = tls;
    pthread_mutex_unlock(&d->lock);
    rf_tls_close(old);
}

static void take_out(struct rf_door *d, struct rf_httpd *h)
{
    pthread_mutex_lock(&d->lock);
    struct rf_httpd **at = &d->servers;
    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
    bool last = !d->servers;
    pthread_mutex_unlock(&d->lock);
    if (last)
        rf_door_free(d);
}

void rf_door_leave(struct rf_httpd *h)
{
    int fd;
    if (h->incoming[0] >= 0)
        rf_loop_watch(h->loop, h->incoming[0], 0, NULL, NULL);
    if (h->door) {
        rf_door_shut(h);
        take_out(h->door, h);
    }
    while (h->incoming[0] >= 0 && read(h->incoming[0], &fd, sizeof fd) == sizeof fd)
        close(fd);
    for (int i = 0; i < 2; i++)
        if (h->incoming[i] >= 0)
            close(h->incoming[i]);
}
