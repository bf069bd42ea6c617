/* Waiting for descriptors on Linux. */
#include "base/loop.h"

#include <errno.h>
#include <sys/epoll.h>

#define MOST 256

int rf_poller_open(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

static uint32_t bits_of(int events)
{
    return (events & RF_LOOP_READ ? EPOLLIN : 0u) | (events & RF_LOOP_WRITE ? EPOLLOUT : 0u) |
           (events & RF_LOOP_HANGUP ? EPOLLRDHUP : 0u);
}

/* A descriptor that was closed is forgotten by the system, which we hear of only here. */
bool rf_poller_change(int poller, int fd, int before, int events)
{
    struct epoll_event e = { .events = bits_of(events), .data.fd = fd };
    if (!events) {
        epoll_ctl(poller, EPOLL_CTL_DEL, fd, &e);
        return true;
    }
    int first = before ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    int other = before ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (epoll_ctl(poller, first, fd, &e) == 0)
        return true;
    return errno == (before ? ENOENT : EEXIST) && epoll_ctl(poller, other, fd, &e) == 0;
}

size_t rf_poller_take(int poller, int most_ms, struct rf_ready *out, size_t most)
{
    struct epoll_event events[MOST];
    int count = epoll_wait(poller, events, most < MOST ? (int)most : MOST, most_ms);
    for (int i = 0; i < count; i++) {
        uint32_t bits = events[i].events;
        int ready = (bits & EPOLLIN ? RF_LOOP_READ : 0) | (bits & EPOLLOUT ? RF_LOOP_WRITE : 0) |
                    (bits & EPOLLRDHUP ? RF_LOOP_HANGUP : 0);
        if (bits & (EPOLLERR | EPOLLHUP))
            ready = RF_LOOP_READ | RF_LOOP_WRITE | RF_LOOP_HANGUP;
        out[i] = (struct rf_ready){ events[i].data.fd, ready };
    }
    return count > 0 ? (size_t)count : 0;
}
