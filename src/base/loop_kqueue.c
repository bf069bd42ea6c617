/* Waiting for descriptors on the BSDs and macOS. */
#include "base/loop.h"

#include <sys/types.h>

#include <fcntl.h>
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

/* One filter of a descriptor, where what it should be is not what it is. */
static bool change(int poller, int fd, short filter, bool before, bool after)
{
    struct kevent e;
    if (before == after)
        return true;
    EV_SET(&e, (uintptr_t)fd, filter, after ? EV_ADD : EV_DELETE, 0, 0, 0);
    return kevent(poller, &e, 1, NULL, 0, NULL) == 0 || !after;
}

bool rf_poller_change(int poller, int fd, int before, int events)
{
    return change(poller, fd, EVFILT_READ, before & RF_LOOP_READ, events & RF_LOOP_READ) &&
           change(poller, fd, EVFILT_WRITE, before & RF_LOOP_WRITE, events & RF_LOOP_WRITE);
}

size_t rf_poller_take(int poller, struct rf_ready *out, size_t most)
{
    struct kevent events[MOST];
    const struct timespec now = { 0 };
    int count = kevent(poller, NULL, 0, events, most < MOST ? (int)most : MOST, &now);
    for (int i = 0; i < count; i++)
        out[i] = (struct rf_ready){
            (int)events[i].ident,
            events[i].flags & EV_ERROR        ? RF_LOOP_READ | RF_LOOP_WRITE
            : events[i].filter == EVFILT_READ ? RF_LOOP_READ
                                              : RF_LOOP_WRITE,
        };
    return count > 0 ? (size_t)count : 0;
}
