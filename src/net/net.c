#include "net/net.h"

#include "net/errand.h"
#include "net/found.h"
#include "net/inside.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct rf_net *rf_net_new(void)
{
    struct rf_net *n = calloc(1, sizeof *n);
    if (!n)
        RF_NO_MEMORY();
    rf_loop_init(&n->loop); /* one that has no descriptor fails when it is used */
    return n;
}

void rf_net_free(struct rf_net *n)
{
    if (!n)
        return;
    if (n->prepares)
        pthread_join(n->preparation, NULL);
    while (n->errands)
        rf_errand_abandon(n->errands);
    rf_key_runs_free(n);
    rf_found_endpoints_free(n->found);
    rf_multi_free(n->multi);
    rf_loop_release(&n->loop);
    free(n);
}

static sigset_t pipe_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

void rf_quiet_begin(struct rf_quiet *q)
{
    sigset_t set = pipe_signal(), pending;
    sigpending(&pending);
    q->was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &q->before);
}

void rf_quiet_end(const struct rf_quiet *q)
{
    sigset_t set = pipe_signal();
    const struct timespec now = { 0 };
    if (!q->was_pending)
        while (sigtimedwait(&set, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
}

struct rf_loop *rf_net_loop(struct rf_net *n)
{
    return &n->loop;
}

void rf_net_step(struct rf_net *n)
{
    struct rf_quiet quiet;
    if (n->stepping)
        RF_BUG("a step inside a step");
    n->stepping = true;
    rf_quiet_begin(&quiet);
    rf_loop_step(&n->loop);
    rf_quiet_end(&quiet);
    n->stepping = false;
}

bool rf_net_wait(struct rf_net *n, int also_fd, int most_ms)
{
    if (rf_loop_wait(&n->loop, also_fd, most_ms))
        return true;
    rf_net_step(n);
    return false;
}

void rf_net_turn(struct rf_net *n)
{
    if (n->stepping)
        RF_BUG("a turn inside a step");
    n->stepping = true;
    rf_loop_turn(&n->loop, -1);
    n->stepping = false;
}

bool rf_net_only_reads(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* The blocking call */

void rf_net_note_end(void *end, enum rf_code rc, const struct rf_err *err)
{
    struct rf_net_end *e = end;
    e->over = true;
    e->rc = rc;
    if (rc)
        e->err = *err;
}

bool rf_net_reach_end(struct rf_net *n, const struct rf_net_end *end, int cancel_fd)
{
    while (!end->over)
        if (rf_net_wait(n, cancel_fd, -1))
            return false;
    return true;
}

enum rf_code rf_net_call(struct rf_net *n, const struct rf_net_call *call, struct rf_arena *a,
                         struct rf_net_reply *reply, struct rf_err *err)
{
    struct rf_net_end end = { 0 };
    struct rf_net_call own = *call;
    struct rf_transfer *t;
    own.done = rf_net_note_end;
    own.done_ctx = &end;
    enum rf_code rc = rf_net_start(n, &own, a, reply, &t, err);
    if (rc)
        return rc;
    if (!rf_net_reach_end(n, &end, call->cancel_fd)) {
        rf_net_cancel(t);
        return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
    }
    if (end.rc && err)
        *err = end.err;
    return end.rc;
}
