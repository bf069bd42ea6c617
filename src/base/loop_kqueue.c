/* Waiting for descriptors on the BSDs and macOS. */
#include "base/loop.h"

#include <sys/types.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/event.h>
#include <time.h>

#define MOST 256

int rf_poller_open(void)
{
    int fd = kqueue();
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* The filter for what is read tells of an end in any case, and of bytes from so many on. */
#define NO_BYTES INT_MAX

static bool change(int poller, int fd, short filter, bool before, bool after, int least)
{
    struct kevent e;
    if (!before && !after)
        return true;
    EV_SET(&e, (uintptr_t)fd, filter, after ? EV_ADD : EV_DELETE, least ? NOTE_LOWAT : 0, least, 0);
    return kevent(poller, &e, 1, NULL, 0, NULL) == 0 || !after;
}

bool rf_poller_change(int poller, int fd, int before, int events)
{
    const int input = RF_LOOP_READ | RF_LOOP_HANGUP;
    return change(poller, fd, EVFILT_READ, before & input, events & input,
                  events & RF_LOOP_READ ? 1 : NO_BYTES) &&
           change(poller, fd, EVFILT_WRITE, before & RF_LOOP_WRITE, events & RF_LOOP_WRITE, 0);
}

static int events_of(const struct kevent *e)
{
    if (e->flags & EV_ERROR)
        return RF_LOOP_READ | RF_LOOP_WRITE | RF_LOOP_HANGUP;
    if (e->filter == EVFILT_WRITE)
        return RF_LOOP_WRITE;
    return RF_LOOP_READ | (e->flags & EV_EOF ? RF_LOOP_HANGUP : 0);
}

size_t rf_poller_take(int poller, int most_ms, struct rf_ready *out, size_t most)
{
    struct kevent events[MOST];
    const struct timespec limit = { most_ms / 1000, most_ms % 1000 * 1000000L };
    int count = kevent(poller, NULL, 0, events, most < MOST ? (int)most : MOST,
                       most_ms < 0 ? NULL : &limit);
    for (int i = 0; i < count; i++)
        out[i] = (struct rf_ready){ (int)events[i].ident, events_of(&events[i]) };
    return count > 0 ? (size_t)count : 0;
}
