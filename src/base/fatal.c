/* A file of its own, so that librefract-sim, which has most of base/ once more, has none of it:
 * what a program sets counts for both libraries. */
#include "base/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    void (*handler)(void *ctx, const struct rf_fatal *f);
    void *ctx;
} fatal = { .lock = PTHREAD_MUTEX_INITIALIZER };

void rf_on_fatal(void (*handler)(void *ctx, const struct rf_fatal *f), void *ctx)
{
    pthread_mutex_lock(&fatal.lock);
    fatal.handler = handler;
    fatal.ctx = ctx;
    pthread_mutex_unlock(&fatal.lock);
}

/* The lock is free while the handler runs, which may never return. */
static _Noreturn void die(const struct rf_fatal *f)
{
    pthread_mutex_lock(&fatal.lock);
    void (*handler)(void *ctx, const struct rf_fatal *f) = fatal.handler;
    void *ctx = fatal.ctx;
    pthread_mutex_unlock(&fatal.lock);
    if (handler)
        handler(ctx, f);
    else
        fprintf(stderr, "refract: %s%s:%d: %s\n", f->out_of_memory ? "" : "bug at ", f->file,
                f->line, f->what);
    abort();
}

_Noreturn void rf_bug(const char *file, int line, const char *why)
{
    die(&(struct rf_fatal){ .what = why, .file = file, .line = line });
}

_Noreturn void rf_no_memory(const char *file, int line)
{
    die(&(struct rf_fatal){
        .out_of_memory = true, .what = "out of memory", .file = file, .line = line });
}
