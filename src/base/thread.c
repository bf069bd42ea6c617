#include "base/thread.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum rf_code rf_thread_start(pthread_t *out, void *(*run)(void *ctx), void *ctx, struct rf_err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(out, NULL, run, ctx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? rf_fail(err, RF_EIO, "could not start a thread: %s", strerror(failed)) : RF_OK;
}

void rf_cond_init(pthread_cond_t *c)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(c, &steady);
    pthread_condattr_destroy(&steady);
}
