/* Threads, as all of ours are: they take no signals, and wait by the clock of base/clock.h. */
#ifndef RF_BASE_THREAD_H
#define RF_BASE_THREAD_H

#include "base/error.h"

#include <pthread.h>

/* A variable that each thread has. It has its place in all of them from their beginning: nothing is
 * called to reach it, and nothing is allocated or given back for it behind the thread's back. */
#define RF_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/* Start a thread with all signals blocked: they are for those who know what to do with them. Fails
 * with RF_EIO. */
RF_MUST enum rf_code rf_thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx,
                                     struct rf_err *err);

/* A condition whose deadlines are on the clock that only goes forward. */
void rf_cond_init(pthread_cond_t *c);

#endif
