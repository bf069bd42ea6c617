/* The calls of one answer, at once where there are several; their results are kept in the order of
 * the calls, in one piece.
 *
 * Whether a tool may run is asked before any of them begins, whether a host may be visited when it
 * is about to be, and whoever listens or decides hears everything from the agent's own thread. */
#include "agent/tools/tools.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <signal.h>
#include <time.h>

#define MOST_THREADS 8

struct rf_batch {
    struct rf_run *runs;
    size_t count, next; /* the next one that nobody has begun */
    pthread_t own;      /* the agent's thread */
    pthread_mutex_t lock, store;
    pthread_cond_t changed;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Asking */

static bool may(struct rf_agent *a, struct rf_str name, struct rf_str about)
{
    if (rf_agent_list_has(&a->permitted, name))
        return true;
    enum rf_permission p = a->permit ? a->permit(a->permit_ctx, name, about) : RF_PERMIT_NO;
    if (p == RF_PERMIT_ALWAYS)
        rf_agent_list_add(a, &a->permitted, name);
    return p != RF_PERMIT_NO;
}

static bool is_permitted(struct rf_agent *a, const struct rf_agent_call *call)
{
    return rf_agent_trust(a, call->name) != RF_TOOL_ASKS || may(a, call->name, call->arguments);
}

bool rf_run_ask(struct rf_run *r, struct rf_str name, struct rf_str about)
{
    struct rf_batch *b = r->batch;
    if (pthread_equal(pthread_self(), b->own))
        return may(r->agent, name, about);
    pthread_mutex_lock(&b->lock);
    r->asks = name;
    r->about = about;
    pthread_cond_broadcast(&b->changed);
    while (r->asks.n)
        pthread_cond_wait(&b->changed, &b->lock);
    bool permitted = r->permitted;
    pthread_mutex_unlock(&b->lock);
    return permitted;
}

static void answer(struct rf_batch *b, struct rf_run *r)
{
    bool permitted = may(r->agent, r->asks, r->about);
    pthread_mutex_lock(&b->lock);
    r->permitted = permitted;
    r->asks = (struct rf_str){ 0 };
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* Does what can be said before anything runs end it? */
static void ask_first(struct rf_run *r)
{
    struct rf_agent *a = r->agent;
    struct rf_agent_event e = { .type = RF_AGENT_CALL,
                                .name = r->call->name,
                                .call = r->call->id,
                                .text = r->call->arguments };
    rf_agent_tell(a, &e);
    if (rf_agent_stopped(a))
        rf_run_fail(r, "it was not run: %s", rf_agent_stop_words(r->agent));
    else if (!is_permitted(a, r->call))
        rf_run_fail(r, "it was not run: permission was not given. Go on without it, or tell the "
                       "user what it is needed for.");
}

/* Running */

static void run_one(struct rf_batch *b, struct rf_run *r)
{
    int64_t began = now_ms();
    if (!r->message.n && rf_agent_stopped(r->agent))
        rf_run_fail(r, "it was not run: %s", rf_agent_stop_words(r->agent));
    else if (!r->message.n)
        rf_tool_run(r);
    r->ms = now_ms() - began;
    pthread_mutex_lock(&b->lock);
    r->done = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void *work(void *ctx)
{
    struct rf_batch *b = ctx;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        struct rf_run *r = b->next < b->count ? &b->runs[b->next++] : NULL;
        pthread_mutex_unlock(&b->lock);
        if (!r)
            return NULL;
        run_one(b, r);
    }
}

static void tell_result(struct rf_run *r)
{
    struct rf_agent_event e = { .type = RF_AGENT_RESULT,
                                .name = r->call->name,
                                .call = r->call->id,
                                .text = r->summary,
                                .failed = r->failed,
                                .ms = r->ms };
    rf_agent_tell(r->agent, &e);
}

/* The first that asks something or is done and was not told of, or NULL once all were told of. */
static struct rf_run *next_news(struct rf_batch *b, const bool *told)
{
    struct rf_run *found = NULL;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        bool all = true;
        for (size_t i = 0; i < b->count && !found; i++) {
            all = all && told[i];
            if (!told[i] && (b->runs[i].done || b->runs[i].asks.n))
                found = &b->runs[i];
        }
        if (found || all)
            break;
        pthread_cond_wait(&b->changed, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

/* Signals are for the agent's own thread. Returns how many were started. */
static size_t start_threads(struct rf_batch *b, pthread_t *threads, size_t wanted)
{
    sigset_t all, before;
    size_t started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(&threads[started], NULL, work, b) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void run_batch(struct rf_batch *b, struct rf_arena *arena)
{
    pthread_t threads[MOST_THREADS];
    bool *told = RF_ARRAY(arena, bool, b->count);
    size_t wanted = b->count < MOST_THREADS ? b->count : MOST_THREADS;
    size_t started = b->count > 1 ? start_threads(b, threads, wanted) : 0;
    struct rf_run *r;
    if (!started)
        work(b);
    while ((r = next_news(b, told))) {
        if (r->asks.n) {
            answer(b, r);
            continue;
        }
        tell_result(r);
        told[r - b->runs] = true;
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* Keeping */

static enum rf_code keep_results(struct rf_batch *b, struct rf_agent *a, struct rf_arena *arena,
                                 struct rf_err *err)
{
    struct rf_str *messages = RF_ARRAY(arena, struct rf_str, b->count);
    for (size_t i = 0; i < b->count; i++)
        messages[i] = b->runs[i].message;
    return rf_agent_append(a, messages, b->count, err);
}

/* A result that the store does not take (a document that is too large, a source that is nonsense) is no
 * reason to lose the others, or to leave its call without one. */
static enum rf_code keep_one_by_one(struct rf_batch *b, struct rf_agent *a, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < b->count; i++) {
        struct rf_run *r = &b->runs[i];
        rc = rf_agent_append(a, &r->message, 1, err);
        if (rc != RF_EFORMAT && rc != RF_ELIMIT)
            continue;
        rf_run_fail(r, "it was run, and its result could not be kept: %s", err->msg);
        rc = rf_agent_append(a, &r->message, 1, err);
    }
    return rc;
}

enum rf_code rf_agent_run(struct rf_agent *a, const struct rf_agent_call *calls, size_t count,
                          struct rf_arena *arena, struct rf_err *err)
{
    struct rf_batch b = { .runs = RF_ARRAY(arena, struct rf_run, count),
                          .count = count,
                          .own = pthread_self() };
    struct rf_err why = { 0 };
    if (!count)
        return RF_OK;
    pthread_mutex_init(&b.lock, NULL);
    pthread_mutex_init(&b.store, NULL);
    pthread_cond_init(&b.changed, NULL);
    for (size_t i = 0; i < count; i++) {
        b.runs[i] = (struct rf_run){
            .agent = a,
            .store = &b.store,
            .call = &calls[i],
            .arena = rf_arena_new(),
            .batch = &b,
        };
        ask_first(&b.runs[i]);
    }
    run_batch(&b, arena);
    enum rf_code rc = keep_results(&b, a, arena, &why);
    if (rc == RF_EFORMAT || rc == RF_ELIMIT)
        rc = keep_one_by_one(&b, a, &why);
    if (rc && err)
        *err = why;
    for (size_t i = 0; i < count; i++) {
        if (b.runs[i].folder.path[0])
            *RF_PUSH(a->arena, a->fetched, a->fetched_count, a->fetched_cap) = b.runs[i].folder;
        rf_arena_free(b.runs[i].arena);
    }
    pthread_cond_destroy(&b.changed);
    pthread_mutex_destroy(&b.store);
    pthread_mutex_destroy(&b.lock);
    return rc;
}

enum rf_code rf_agent_not_run(struct rf_agent *a, const struct rf_agent_call *calls, size_t count,
                              const char *why, struct rf_arena *arena, struct rf_err *err)
{
    struct rf_str *messages = RF_ARRAY(arena, struct rf_str, count);
    for (size_t i = 0; i < count; i++)
        messages[i] = rf_agent_failed_result(calls[i].id, calls[i].name,
                                             rf_strf(arena, "it was not run: %s", why), arena);
    return count ? rf_agent_append(a, messages, count, err) : RF_OK;
}
