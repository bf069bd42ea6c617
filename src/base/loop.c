#include "base/loop.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/num.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_CAP ((size_t)16)
#define BATCH 128 /* descriptors that are asked for at once */
#define ROUNDS 8  /* of timers in a turn */

bool rf_loop_init(struct rf_loop *l)
{
    *l = (struct rf_loop){ .fd = rf_poller_open() };
    return l->fd >= 0;
}

void rf_loop_release(struct rf_loop *l)
{
    if (l->fd >= 0)
        close(l->fd);
    free(l->watches);
    free(l->timers);
    *l = (struct rf_loop){ .fd = -1 };
}

static void *grown(void *items, size_t size, size_t need, size_t *cap)
{
    size_t bytes, next = *cap ? *cap : FIRST_CAP;
    while (next < need)
        next *= 2;
    void *p = rf_mul_size(next, size, &bytes) ? realloc(items, bytes) : NULL;
    if (!p)
        RF_NO_MEMORY();
    *cap = next;
    return p;
}

/* Descriptors */

bool rf_loop_watch(struct rf_loop *l, int fd, int events,
                   void (*ready)(void *ctx, int fd, int events), void *ctx)
{
    size_t before = l->watch_cap, at = (size_t)fd;
    if (at >= before) {
        if (!events)
            return true;
        l->watches = grown(l->watches, sizeof *l->watches, at + 1, &l->watch_cap);
        for (size_t i = before; i < l->watch_cap; i++)
            l->watches[i] = (struct rf_watch){ 0 };
    }
    struct rf_watch *w = &l->watches[at];
    if (w->events != events && !rf_poller_change(l->fd, fd, w->events, events))
        return false;
    *w = (struct rf_watch){ events, ready, ctx };
    return true;
}

/* Timers: a binary heap, in which the one at `i` is due no later than those at 2i and 2i + 1. */

static struct rf_timer **at(struct rf_loop *l, size_t place)
{
    return &l->timers[place - 1];
}

static void put(struct rf_loop *l, struct rf_timer *t, size_t place)
{
    *at(l, place) = t;
    t->place = place;
}

static void settle(struct rf_loop *l, struct rf_timer *t, size_t place)
{
    for (; place > 1 && (*at(l, place / 2))->at_ms > t->at_ms; place /= 2)
        put(l, *at(l, place / 2), place);
    for (size_t next; (next = 2 * place) <= l->timer_count; place = next) {
        if (next < l->timer_count && (*at(l, next + 1))->at_ms < (*at(l, next))->at_ms)
            next++;
        if ((*at(l, next))->at_ms >= t->at_ms)
            break;
        put(l, *at(l, next), place);
    }
    put(l, t, place);
}

void rf_timer_set(struct rf_loop *l, struct rf_timer *t, int64_t at_ms)
{
    t->at_ms = at_ms;
    if (!t->place) {
        if (l->timer_count == l->timer_cap)
            l->timers = grown(l->timers, sizeof *l->timers, l->timer_count + 1, &l->timer_cap);
        t->place = ++l->timer_count;
    }
    settle(l, t, t->place);
}

void rf_timer_clear(struct rf_loop *l, struct rf_timer *t)
{
    size_t place = t->place;
    if (!place)
        return;
    struct rf_timer *last = *at(l, l->timer_count--);
    if (last != t)
        settle(l, last, place);
    t->place = 0;
}

/* Waiting */

int rf_loop_fd(const struct rf_loop *l)
{
    return l->fd;
}

int rf_loop_timeout_ms(const struct rf_loop *l)
{
    if (!l->timer_count)
        return -1;
    int64_t left = l->timers[0]->at_ms - rf_now_ms();
    return left <= 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

int64_t rf_loop_now_ms(const struct rf_loop *l)
{
    return l->step_ms ? l->step_ms : rf_now_ms();
}

static void take_descriptors(struct rf_loop *l, int most_ms)
{
    struct rf_ready ready[BATCH];
    size_t count = rf_poller_take(l->fd, most_ms, ready, BATCH);
    l->step_ms = rf_now_ms();
    for (size_t i = 0; i < count; i++) {
        const struct rf_watch w = l->watches[ready[i].fd];
        int events = ready[i].events & w.events;
        if (events) /* nobody before this one had it removed */
            w.ready(w.ctx, ready[i].fd, events);
    }
    l->looks += count < BATCH;
    l->step_ms = 0;
}

/* As many as were set at the start: one that is set again each time does not hold up the step.
 * False: none was due. */
static bool take_timers(struct rf_loop *l)
{
    bool any = false;
    l->step_ms = rf_now_ms();
    for (size_t left = l->timer_count; left && l->timer_count; left--) {
        struct rf_timer *t = l->timers[0];
        if (t->at_ms > l->step_ms)
            break;
        rf_timer_clear(l, t);
        t->due(t->ctx);
        any = true;
    }
    l->step_ms = 0;
    return any;
}

void rf_loop_step(struct rf_loop *l)
{
    take_descriptors(l, 0);
    take_timers(l);
}

static int time_to_wait(const struct rf_loop *l, int most_ms)
{
    int ms = rf_loop_timeout_ms(l);
    return ms < 0 || (most_ms >= 0 && most_ms < ms) ? most_ms : ms;
}

void rf_loop_turn(struct rf_loop *l, int most_ms)
{
    take_descriptors(l, time_to_wait(l, most_ms));
    for (int round = 0; round < ROUNDS && take_timers(l); round++)
        continue;
}

bool rf_loop_wait(const struct rf_loop *l, int also_fd, int most_ms)
{
    struct pollfd fds[] = { { .fd = l->fd, .events = POLLIN },
                            { .fd = also_fd, .events = POLLIN } };
    return poll(fds, 2, time_to_wait(l, most_ms)) > 0 && fds[1].revents;
}

bool rf_fd_readable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int got;
    do
        got = poll(&p, 1, 0);
    while (got < 0 && errno == EINTR);
    return got > 0;
}
