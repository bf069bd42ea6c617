/* The threads that do what takes time, and the way back to the loops.
 *
 * A job is run once, in one of a few threads, and comes back to the loop that gave it: `done` is
 * called there, always. What they share is theirs while they run. */
#ifndef RF_GATEWAY_POOL_H
#define RF_GATEWAY_POOL_H

#include "base/error.h"

#include <pthread.h>

struct rf_loop;

#define RF_POOL_MOST_THREADS 16

struct rf_pool_job {
    /* In a thread. Something can be read at `stop_fd` when nobody wants it any more. */
    void (*run)(void *ctx, int stop_fd);
    void (*done)(void *ctx); /* in the loop, also where it was stopped before it ran */
    void *ctx;
    bool minor; /* no more than half of the threads run such jobs, so that others need not wait */
    /* The pool's. */
    struct rf_mailbox *to;
    struct rf_pool_job *next;
    struct rf_pool_thread *thread; /* that runs it, or NULL */
    bool stopped;
};

/* What has come back for one loop. */
struct rf_mailbox {
    struct rf_loop *loop;
    pthread_mutex_t lock;
    struct rf_pool_job *first, **last;
    int wake[2];
};

/* Fails with RF_EIO. */
RF_MUST enum rf_code rf_mailbox_open(struct rf_mailbox *m, struct rf_loop *loop,
                                     struct rf_err *err);
/* All that has come back is done first. */
void rf_mailbox_close(struct rf_mailbox *m);

/* A job comes back, to job->to: its `done` is called there. From any thread. */
void rf_mailbox_post(struct rf_pool_job *job);

struct rf_pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct rf_pool_job *first, **last;
    size_t waiting, idle, most; /* jobs, threads, threads that may be */
    size_t minor;               /* jobs of this kind that run */
    bool ending;
    struct rf_pool_thread {
        struct rf_pool *pool;
        pthread_t thread;
        int stop[2];
    } threads[RF_POOL_MOST_THREADS];
    size_t count;
};

/* Cores that this process may use: a unit, a container or taskset may leave it few. */
size_t rf_pool_cores(void);

void rf_pool_init(struct rf_pool *p);
/* What runs is stopped, what waits is not run; all of it comes back. */
void rf_pool_end(struct rf_pool *p);

/* False where no thread can be had: it does not run, and does not come back. */
bool rf_pool_add(struct rf_pool *p, struct rf_pool_job *job, struct rf_mailbox *back_to);
/* Nobody wants it any more. It comes back soon. */
void rf_pool_stop(struct rf_pool *p, struct rf_pool_job *job);

#endif
