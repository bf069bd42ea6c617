/* Connections on which we speak HTTP/1.1 ourselves, and those that are kept for a further call to
 * the same place. Each is watched from its first call to its end. An idle one that can be read is
 * of no use any more, whatever it says, and is closed.
 *
 *     link = rf_link_take(&links, place);     // or rf_link_new, of a connection that was made
 *     link->user = t;
 *     …
 *     rf_link_leave(link);                    // or rf_link_close
 */
#ifndef RF_NET_LINKS_H
#define RF_NET_LINKS_H

#include "base/loop.h"
#include "base/str.h"

struct rf_transfer;

struct rf_link {
    struct rf_links *all;
    struct rf_link *next, **at; /* while it is idle; who points here */
    struct rf_transfer *user;   /* NULL: it is idle */
    int fd;
    int64_t idle_since_ms;
    uint64_t looks; /* of the loop, when it was left */
    _Alignas(8) char peer[28]; /* the struct sockaddr of the other side */
    bool peer_known;
    struct rf_str place;
};

#define RF_LINK_ROOM ((size_t)64 << 10)

struct rf_links {
    struct rf_loop *loop;
    char *room;           /* RF_LINK_ROOM bytes to read into, for whoever has its turn */
    struct rf_link *idle; /* the last that was left first */
    size_t idle_count;
    void (*ready)(struct rf_transfer *user, int events); /* events as those of the loop */
};

void rf_links_init(struct rf_links *l, struct rf_loop *loop,
                   void (*ready)(struct rf_transfer *user, int events));
void rf_links_release(struct rf_links *l); /* only idle ones are left */

/* `place` is copied, `fd` is taken. */
struct rf_link *rf_link_new(struct rf_links *l, int fd, struct rf_str place);
/* An idle one to that place; or NULL. */
struct rf_link *rf_link_take(struct rf_links *l, struct rf_str place);
/* Keep it for another call. */
void rf_link_leave(struct rf_link *link);
void rf_link_close(struct rf_link *link);

/* Have its user called for these events. False where the system refuses. */
bool rf_link_watch(struct rf_link *link, int events);

#endif
