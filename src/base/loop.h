/* What one thread waits for: descriptors, and moments. Nothing here blocks but rf_loop_wait.
 *
 *     rf_loop_watch(&loop, fd, RF_LOOP_READ, ready, ctx);
 *     rf_timer_set(&loop, &timer, rf_now_ms() + 100);
 *     while (…)
 *         rf_loop_wait(&loop, -1, -1), rf_loop_step(&loop);
 *
 * A program with a loop of its own waits until rf_loop_fd can be read or rf_loop_timeout_ms has
 * passed, and then steps. How descriptors are waited for is in one small file a platform,
 * loop_NAME.c. Callbacks may watch and set, and stop watching and clear, whatever they like. */
#ifndef RF_BASE_LOOP_H
#define RF_BASE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rf_loop_event {
    RF_LOOP_READ = 1,
    RF_LOOP_WRITE = 2,
    RF_LOOP_HANGUP = 4, /* the other side sends no more, although not all may have been read */
};

struct rf_watch {
    int events; /* enum rf_loop_event, or'ed; 0: this descriptor is not watched */
    void (*ready)(void *ctx, int fd, int events);
    void *ctx;
};

/* The owner fills in `due` and `ctx`, and clears it before it goes. */
struct rf_timer {
    void (*due)(void *ctx); /* the timer is not set any more then */
    void *ctx;
    int64_t at_ms; /* on rf_now_ms's clock */
    size_t place;  /* in the heap, from 1; 0: it is not set */
};

struct rf_loop {
    int fd;
    struct rf_watch *watches; /* by descriptor */
    size_t watch_cap;
    struct rf_timer **timers; /* a heap, the next one first */
    size_t timer_count, timer_cap;
    int64_t step_ms; /* when callbacks began to be called; 0: none is */
    uint64_t looks;  /* times that all descriptors were looked at, and who is ready was called */
};

/* False where the system has no descriptor left; releasing it is allowed all the same. */
bool rf_loop_init(struct rf_loop *l);
void rf_loop_release(struct rf_loop *l);

/* Have `ready` called while something can be done with `fd`; 0 events: no more. A call may come
 * although nothing can be done any more. False where the system refuses. */
bool rf_loop_watch(struct rf_loop *l, int fd, int events,
                   void (*ready)(void *ctx, int fd, int events), void *ctx);

/* rf_now_ms; in callbacks about that, without asking the system each time. */
int64_t rf_loop_now_ms(const struct rf_loop *l);

void rf_timer_set(struct rf_loop *l, struct rf_timer *t, int64_t at_ms);
void rf_timer_clear(struct rf_loop *l, struct rf_timer *t); /* also one that is not set */

/* Becomes readable when a descriptor is ready. */
int rf_loop_fd(const struct rf_loop *l);
/* Until the next timer; 0: it is due; -1: there is none. */
int rf_loop_timeout_ms(const struct rf_loop *l);
/* Call back whoever is due, once each. */
void rf_loop_step(struct rf_loop *l);
/* Block until there is something to do, `most_ms` have passed (-1: no limit), or `also_fd` (-1:
 * none) can be read, which is returned. */
bool rf_loop_wait(const struct rf_loop *l, int also_fd, int most_ms);
/* Wait until there is something to do, or `most_ms` have passed (-1: no limit), and do it: with one
 * call of the system where rf_loop_wait and rf_loop_step take two. What callbacks set timers for at
 * once is done in the same turn, too, unless that goes on and on. */
void rf_loop_turn(struct rf_loop *l, int most_ms);
/* Can something be read there now? */
bool rf_fd_readable(int fd);

/* The platform's: loop_epoll.c, loop_kqueue.c. */

struct rf_ready {
    int fd, events;
};
int rf_poller_open(void); /* or -1 */
/* `before` is what was waited for. False where the system refuses. */
bool rf_poller_change(int poller, int fd, int before, int events);
/* Those that are ready, or become so within `most_ms` (-1: no limit); how many. One with an error is
 * ready for everything. */
size_t rf_poller_take(int poller, int most_ms, struct rf_ready *out, size_t most);

#endif
