/* The calls of one answer, at once where there are several; their results stand in the order of the
 * calls.
 *
 * Whether a tool may run is asked before any of them begins, whether a host may be visited when it
 * is about to be, and whoever listens or decides hears everything from the agent's own thread. */
#include "agent/tools/tools.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <signal.h>

#define MOST_THREADS 8
#define MOST_FOR_PERSON ((size_t)2000)  /* bytes of a text that a server means for the person */
#define MOST_UNKEPT ((size_t)100 << 10) /* the same where no session has the rest */

struct rf_batch {
    struct rf_arena *arena; /* of this */
    struct rf_toolbox *box;
    struct rf_run *runs;
    struct rf_message *results; /* of the runs */
    size_t count, next;         /* the next one that was not begun */
    pthread_t own;              /* the agent's thread */
    pthread_mutex_t lock, store;
    pthread_cond_t changed;
};

/* Asking */

static bool may(struct rf_toolbox *t, struct rf_str name, struct rf_str about)
{
    if (rf_texts_has(&t->permitted, name))
        return true;
    enum rf_permission p = t->permit ? t->permit(t->permit_ctx, name, about) : RF_PERMIT_NO;
    if (p == RF_PERMIT_ALWAYS)
        rf_texts_add(&t->permitted, name, t->arena);
    return p != RF_PERMIT_NO;
}

static bool is_permitted(struct rf_toolbox *t, const struct rf_agent_call *call)
{
    return rf_toolbox_trust(t, call->name) != RF_TOOL_ASKS || may(t, call->name, call->text);
}

void rf_run_own(struct rf_run *r, void (*what)(void *ctx), void *ctx)
{
    struct rf_batch *b = r->batch;
    if (pthread_equal(pthread_self(), b->own)) {
        what(ctx);
        return;
    }
    pthread_mutex_lock(&b->lock);
    r->own = what;
    r->own_ctx = ctx;
    pthread_cond_broadcast(&b->changed);
    while (r->own)
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

static void do_own(struct rf_batch *b, struct rf_run *r)
{
    r->own(r->own_ctx);
    pthread_mutex_lock(&b->lock);
    r->own = NULL;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

struct asking {
    struct rf_toolbox *box;
    struct rf_str name, about;
    bool permitted;
};

static void ask(void *ctx)
{
    struct asking *q = ctx;
    q->permitted = may(q->box, q->name, q->about);
}

bool rf_run_ask(struct rf_run *r, struct rf_str name, struct rf_str about)
{
    struct asking q = { r->box, name, about, false };
    rf_run_own(r, ask, &q);
    return q.permitted;
}

/* Telling how far one is */

static void tell_step(struct rf_run *r, const struct rf_run_step *step)
{
    struct rf_agent_event e = { .type = RF_AGENT_PROGRESS,
                                .name = r->call->name,
                                .call = r->call->id,
                                .text = { step->words, step->n },
                                .done = step->done,
                                .of = step->of };
    rf_listener_tell(r->box->listener, &e);
}

void rf_run_progress(struct rf_run *r, int64_t done, int64_t of, struct rf_str words)
{
    struct rf_batch *b = r->batch;
    struct rf_run_step step = { .news = true, .done = done, .of = of };
    words = rf_utf8_cut(words, sizeof step.words);
    memcpy(step.words, words.n ? words.p : "", words.n);
    step.n = words.n;
    if (pthread_equal(pthread_self(), b->own)) {
        tell_step(r, &step);
        return;
    }
    pthread_mutex_lock(&b->lock);
    r->step = step;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void pass_on_step(struct rf_batch *b, struct rf_run *r)
{
    pthread_mutex_lock(&b->lock);
    const struct rf_run_step step = r->step;
    r->step.news = false;
    pthread_mutex_unlock(&b->lock);
    tell_step(r, &step);
}

/* Before anything runs */

static void fail_stopped(struct rf_run *r)
{
    rf_run_fail(r, "it was not run: %s", rf_halt_words(r->box->halt));
}

/* Does what can be said before anything runs end it? */
static void ask_first(struct rf_run *r)
{
    struct rf_agent_event e = {
        .type = RF_AGENT_CALL, .name = r->call->name, .call = r->call->id, .text = r->call->text
    };
    rf_listener_tell(r->box->listener, &e);
    if (rf_halt_due(r->box->halt))
        fail_stopped(r);
    else if (!is_permitted(r->box, r->call))
        rf_run_fail(r, "it was not run: permission was not given. Go on without it, or tell the "
                       "user what it is needed for.");
}

/* Running */

static void run_one(struct rf_batch *b, struct rf_run *r)
{
    int64_t began = rf_now_ms();
    if (!r->answered && rf_halt_due(r->box->halt))
        fail_stopped(r);
    else if (!r->answered)
        rf_tool_run(r);
    r->ms = rf_now_ms() - began;
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

static void tell_text_for_person(const struct rf_run *r, struct rf_str text)
{
    struct rf_str front = rf_utf8_cut(text, r->session ? MOST_FOR_PERSON : MOST_UNKEPT);
    if (front.n == text.n)
        rf_listener_note(r->box->listener, "%.*s, for you: %.*s", RF_FMT(r->call->name),
                         RF_FMT(text));
    else
        rf_listener_note(r->box->listener, "%.*s, for you: %.*s [the first %zu of %zu bytes%s]",
                         RF_FMT(r->call->name), RF_FMT(front), front.n, text.n,
                         r->session ? "; the session has all of them" : "");
}

/* What a server means for the person is told to them; a model does not see it. */
static void tell_for_person(const struct rf_run *r, const struct rf_block *b)
{
    const struct rf_media *m = &b->media;
    struct rf_agent_event e = {
        .type = RF_AGENT_FOR_PERSON, .name = r->call->name, .call = r->call->id, .block = b
    };
    if (b->type == RF_BLOCK_TEXT)
        tell_text_for_person(r, b->text);
    if (!rf_block_is_media(b->type))
        return;
    rf_listener_note(r->box->listener, "%.*s, for you: a file (%.*s)%s", RF_FMT(r->call->name),
                     RF_FMT(m->media_type.n ? m->media_type : m->name),
                     r->session ? ", which is kept in the session" : "");
    if (!r->session)
        rf_listener_tell(r->box->listener, &e);
}

static void tell_result(struct rf_run *r)
{
    struct rf_agent_event e = { .type = RF_AGENT_RESULT,
                                .name = r->call->name,
                                .call = r->call->id,
                                .text = r->summary,
                                .failed = r->result->failed,
                                .ms = r->ms,
                                .reason = r->reason };
    rf_listener_tell(r->box->listener, &e);
    for (size_t i = 0; i < r->result->block_count; i++)
        if (rf_block_is_for_person(&r->result->blocks[i]))
            tell_for_person(r, &r->result->blocks[i]);
    if (!r->result->files_changed || !r->result->files_changed->count)
        return;
    struct rf_agent_event changed = { .type = RF_AGENT_CHANGED,
                                      .name = r->call->name,
                                      .call = r->call->id,
                                      .text = rf_jval_compact(r->result->files_changed, r->kept) };
    rf_listener_tell(r->box->listener, &changed);
}

enum news {
    NOTHING,
    OWN,
    STEP,
    DONE,
};

static enum news news_of(const struct rf_run *r)
{
    return r->own ? OWN : r->step.news ? STEP : r->done ? DONE : NOTHING;
}

/* The first that wants something done or is done and was not told of; else one that has gone on, so
 * that none that does so often keeps others waiting; or NULL once all were told of. */
static struct rf_run *next_news(struct rf_batch *b, const bool *told, enum news *what)
{
    struct rf_run *found = NULL;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        bool all = true;
        for (size_t i = 0; i < b->count; i++) {
            enum news news = told[i] ? NOTHING : news_of(&b->runs[i]);
            all = all && told[i];
            if (news == NOTHING || (found && (*what != STEP || news == STEP)))
                continue;
            found = &b->runs[i];
            *what = news;
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

static void run_all(struct rf_batch *b)
{
    pthread_t threads[MOST_THREADS];
    bool *told = RF_ARRAY(b->arena, bool, b->count);
    size_t wanted = b->count < MOST_THREADS ? b->count : MOST_THREADS;
    size_t started = b->count > 1 ? start_threads(b, threads, wanted) : 0;
    struct rf_run *r;
    enum news what;
    if (!started)
        work(b);
    while ((r = next_news(b, told, &what))) {
        if (what == OWN)
            do_own(b, r);
        else if (what == STEP)
            pass_on_step(b, r);
        else
            tell_result(r);
        told[r - b->runs] = what == DONE;
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

struct rf_batch *rf_batch_run(struct rf_toolbox *t, struct rf_session *session,
                              const struct rf_agent_call *calls, size_t count)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_batch *b = RF_NEW(a, struct rf_batch);
    *b = (struct rf_batch){
        .arena = a,
        .box = t,
        .runs = RF_ARRAY(a, struct rf_run, count),
        .results = RF_ARRAY(a, struct rf_message, count),
        .count = count,
        .own = pthread_self(),
    };
    pthread_mutex_init(&b->lock, NULL);
    pthread_mutex_init(&b->store, NULL);
    pthread_cond_init(&b->changed, NULL);
    for (size_t i = 0; i < count; i++) {
        b->runs[i] = (struct rf_run){
            .box = t,
            .batch = b,
            .session = session,
            .store = &b->store,
            .call = &calls[i],
            .kept = rf_arena_new(),
            .result = &b->results[i],
        };
        ask_first(&b->runs[i]);
    }
    run_all(b);
    return b;
}

const struct rf_message *rf_batch_results(const struct rf_batch *b)
{
    return b->results;
}

void rf_batch_free(struct rf_batch *b)
{
    struct rf_toolbox *t = b->box;
    for (size_t i = 0; i < b->count; i++) {
        if (b->runs[i].folder.path[0])
            *RF_PUSH(t->arena, t->fetched, t->fetched_count, t->fetched_cap) = b->runs[i].folder;
        for (size_t k = 0; k < b->runs[i].named.count; k++)
            if (!rf_texts_has(&t->named, b->runs[i].named.items[k]))
                rf_texts_add(&t->named, b->runs[i].named.items[k], t->arena);
        rf_result_free(b->runs[i].held);
        rf_arena_free(b->runs[i].kept);
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->store);
    pthread_mutex_destroy(&b->lock);
    rf_arena_free(b->arena);
}
