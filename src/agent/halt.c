/* A counter that a signal handler may write to, and a clock; one descriptor says that either of
 * them has something to be read. */
#include "agent/halt.h"

#include "base/loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static bool watch(int stop_fd, int fd)
{
    struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
    return fd >= 0 && epoll_ctl(stop_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

enum rf_code rf_halt_open(struct rf_halt *h, struct rf_err *err)
{
    h->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    h->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    h->fd = epoll_create1(EPOLL_CLOEXEC);
    if (h->fd >= 0 && watch(h->fd, h->cancel_fd) && watch(h->fd, h->timer_fd))
        return RF_OK;
    return rf_fail_errno(err, "could not make the descriptors of an agent");
}

void rf_halt_close(struct rf_halt *h)
{
    const int fds[] = { h->cancel_fd, h->timer_fd, h->fd };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void rf_halt_start(struct rf_halt *h)
{
    struct itimerspec when = { .it_value.tv_sec = (time_t)h->most_seconds };
    timerfd_settime(h->timer_fd, 0, &when, NULL); /* 0 seconds: never */
}

void rf_halt_calm(struct rf_halt *h)
{
    const struct itimerspec never = { 0 };
    uint64_t count;
    while (read(h->cancel_fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
    timerfd_settime(h->timer_fd, 0, &never, NULL);
}

void rf_halt_cancel(struct rf_halt *h)
{
    const uint64_t one = 1;
    int saved = errno;
    while (write(h->cancel_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    errno = saved;
}

bool rf_halt_due(const struct rf_halt *h)
{
    return rf_fd_readable(h->fd);
}

const char *rf_halt_words(const struct rf_halt *h)
{
    return rf_fd_readable(h->cancel_fd) ? "the user stopped here"
                                        : "the time for this question is over";
}

enum rf_code rf_halt_fail(const struct rf_halt *h, struct rf_err *err)
{
    if (rf_fd_readable(h->cancel_fd))
        return rf_fail(err, RF_EINTERRUPTED, "stopped by the user");
    rf_fail(err, RF_ELIMIT, "the time for this question is over: %jd seconds",
            (intmax_t)h->most_seconds);
    rf_hint(err, "Raise the limit.");
    return RF_ELIMIT;
}
