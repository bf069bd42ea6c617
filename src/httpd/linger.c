#include "httpd/inside.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 64      /* connections at once, */
#define SHARE 8      /* and one for so many that may be open */
#define MOST_MS 5000 /* each */
#define MOST_BYTES ((size_t)16 << 20)
#define PIECES_A_CALL 16 /* so that one fast sender does not hold up the rest */

struct rf_lingering {
    struct rf_httpd *server;
    struct rf_lingering *next, *before;
    struct rf_timer timer;
    int fd;
    size_t discarded;
};

static void end(void *ctx)
{
    struct rf_lingering *l = ctx;
    struct rf_httpd *h = l->server;
    rf_timer_clear(h->loop, &l->timer);
    rf_loop_watch(h->loop, l->fd, 0, NULL, NULL);
    close(l->fd);
    *(l->before ? &l->before->next : &h->lingering) = l->next;
    if (l->next)
        l->next->before = l->before;
    h->lingering_count--;
    free(l);
}

static void discard(void *ctx, int fd, int events)
{
    struct rf_lingering *l = ctx;
    char bytes[16384];
    (void)events;
    for (int i = 0; i < PIECES_A_CALL; i++) {
        ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        l->discarded += n > 0 ? (size_t)n : 0;
        if (n <= 0 || l->discarded > MOST_BYTES) {
            end(l);
            return;
        }
    }
}

void rf_linger(struct rf_httpd *h, int fd)
{
    size_t share = h->options.max_connections / SHARE;
    bool fits = h->lingering_count < (share < MOST ? share : MOST);
    int copy = fits ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0)
        return;
    struct rf_lingering *l = calloc(1, sizeof *l);
    if (!l)
        RF_NO_MEMORY();
    *l = (struct rf_lingering){
        .server = h, .next = h->lingering, .timer = { .due = end, .ctx = l }, .fd = copy
    };
    if (l->next)
        l->next->before = l;
    h->lingering = l;
    h->lingering_count++;
    shutdown(copy, SHUT_WR);
    rf_timer_set(h->loop, &l->timer, rf_now_ms() + MOST_MS);
    if (!rf_loop_watch(h->loop, copy, RF_LOOP_READ, discard, l))
        end(l);
}

void rf_linger_end_all(struct rf_httpd *h)
{
    while (h->lingering)
        end(h->lingering);
}
