#include "net/links.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_IDLE 64
#define MOST_IDLE_MS (118 * 1000) /* routers forget a silent connection, and tell nobody */

void rf_links_init(struct rf_links *l, struct rf_loop *loop,
                   void (*ready)(struct rf_transfer *user, int events))
{
    *l = (struct rf_links){ .loop = loop, .room = malloc(RF_LINK_ROOM), .ready = ready };
    if (!l->room)
        RF_NO_MEMORY();
}

void rf_links_release(struct rf_links *l)
{
    while (l->idle)
        rf_link_close(l->idle);
    free(l->room);
}

struct rf_link *rf_link_new(struct rf_links *l, int fd, struct rf_str place)
{
    struct rf_link *link = calloc(1, sizeof *link + place.n);
    if (!link)
        RF_NO_MEMORY();
    memcpy(link + 1, place.p, place.n);
    link->all = l;
    link->fd = fd;
    link->place = (struct rf_str){ (char *)(link + 1), place.n };
    return link;
}

static void take_out(struct rf_link *link)
{
    *link->at = link->next;
    if (link->next)
        link->next->at = link->at;
    link->at = NULL;
    link->all->idle_count--;
}

void rf_link_close(struct rf_link *link)
{
    if (link->at)
        take_out(link);
    rf_loop_watch(link->all->loop, link->fd, 0, NULL, NULL);
    close(link->fd);
    free(link);
}

/* Whatever can be read, its end among it, is not meant for a call to come. Of that the loop has
 * told on_ready, where it has looked since the link was left: not by the look that may have been
 * under way then, but by the next. */
static bool is_used_up(const struct rf_link *link)
{
    char byte;
    if (link->all->loop->looks >= link->looks + 2)
        return false;
    return recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
           (errno != EAGAIN && errno != EWOULDBLOCK);
}

struct rf_link *rf_link_take(struct rf_links *l, struct rf_str place)
{
    int64_t oldest = rf_loop_now_ms(l->loop) - MOST_IDLE_MS;
    for (struct rf_link *link = l->idle, *next; link; link = next) {
        next = link->next;
        bool fits = rf_str_ieq(link->place, place);
        if (link->idle_since_ms < oldest || (fits && is_used_up(link))) {
            rf_link_close(link);
        } else if (fits) {
            take_out(link);
            return link;
        }
    }
    return NULL;
}

static void close_last(struct rf_links *l)
{
    struct rf_link *link = l->idle;
    while (link->next)
        link = link->next;
    rf_link_close(link);
}

void rf_link_leave(struct rf_link *link)
{
    struct rf_links *l = link->all;
    link->user = NULL;
    if (!rf_link_watch(link, RF_LOOP_READ)) {
        rf_link_close(link);
        return;
    }
    if (l->idle_count == MOST_IDLE)
        close_last(l);
    link->idle_since_ms = rf_loop_now_ms(l->loop);
    link->looks = l->loop->looks;
    link->next = l->idle;
    link->at = &l->idle;
    if (link->next)
        link->next->at = &link->next;
    l->idle = link;
    l->idle_count++;
}

static void on_ready(void *ctx, int fd, int events)
{
    struct rf_link *link = ctx;
    (void)fd;
    if (link->user)
        link->all->ready(link->user, events);
    else
        rf_link_close(link);
}

bool rf_link_watch(struct rf_link *link, int events)
{
    return rf_loop_watch(link->all->loop, link->fd, events, on_ready, link);
}
