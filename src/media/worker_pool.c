/* Workers that wait for a file lie in a list, the last used first, that all threads share. Who
 * takes one has it for itself, so the lock is never held while something is waited for.
 *
 * A worker belongs to the group of the first file that it gets. The groups are the person's own
 * files and, of all others, each file by its hash, with what was made of it: pages that are drawn,
 * pictures that lay in a document. A file of which no hash is known is alone in its group, and its
 * worker ends with the ask. Since the examination of a file and what is made of it come in several
 * asks, workers of the last few foreign files are kept for those. Where foreign files come one
 * after another, a spare that has seen none is started ahead of the next.
 *
 * A process for each file by a fork of one that has seen none was measured instead: it is 2 to 12
 * times 0.1 ms away from the work, a warm worker a quarter of it. */
#include "media/worker_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_IDLE 12            /* workers that are kept warm, of all families */
#define MAX_IDLE_FOREIGN 4     /* those among them that have seen a foreign file */
#define MAX_JOBS_OF_WORKER 100 /* then it is replaced: libraries leak */

const char *const rf_families[] = { "image", "pdf",        "office", "legacy", "archive",
                                    "djvu",  "postscript", "av",     "ocr",    NULL };

struct rf_workers {
    pthread_mutex_t lock;
    pid_t owner; /* the process that they are children of */
    struct rf_worker *idle;
    size_t idle_count;
    long busy, processors;
    enum rf_sandbox least;
    struct rf_loop loop; /* for the next who waits; made where `has_loop` */
    bool has_loop;
};

/* The list */

static struct rf_workers shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct rf_workers *rf_workers_shared(void)
{
    return &shared;
}

static void drop(struct rf_worker *w)
{
    if (w->memory >= 0)
        close(w->memory);
    free(w);
}

struct rf_process_end rf_worker_end(struct rf_worker *w)
{
    struct rf_process_end end = rf_process_end(&w->process);
    drop(w);
    return end;
}

static void drop_loop(struct rf_workers *w)
{
    if (w->has_loop)
        rf_loop_release(&w->loop);
    w->has_loop = false;
}

/* After a fork the workers are the parent's: forget them, and leave them alone. */
static void forget_if_forked(struct rf_workers *w)
{
    if (w->owner == getpid())
        return;
    while (w->idle) {
        struct rf_worker *next = w->idle->next;
        close(w->idle->process.socket);
        if (w->idle->process.handle >= 0)
            close(w->idle->process.handle);
        drop(w->idle);
        w->idle = next;
    }
    rf_processes_forget();
    drop_loop(w); /* the parent's too: what is watched in one is in the other */
    w->idle_count = 0;
    w->busy = 0;
    w->owner = getpid();
    w->processors = sysconf(_SC_NPROCESSORS_ONLN);
}

static void lock(struct rf_workers *w)
{
    pthread_mutex_lock(&w->lock);
    forget_if_forked(w);
}

/* Groups */

static const struct rf_group own_group = { "own" }, unused = { "" };

static bool is_own(const struct rf_group *g)
{
    return strcmp(g->name, own_group.name) == 0;
}

/* Whose file it is. Where there is none, nobody can have been taken over by it. */
static struct rf_group group_of(const struct rf_job *job)
{
    const struct rf_bytes *input = job->input;
    struct rf_group g = { "" };
    if (!input || input->own)
        return own_group;
    struct rf_str hash = input->made_of.n ? input->made_of : job->sha256;
    if (hash.n == RF_GROUP_LENGTH)
        memcpy(g.name, hash.p, hash.n);
    return g;
}

/* Out of the list */

static struct rf_worker *unlink_at(struct rf_workers *w, struct rf_worker **at)
{
    struct rf_worker *found = *at;
    *at = found->next;
    w->idle_count--;
    return found;
}

static struct rf_worker *unlink_idle(struct rf_workers *w, const char *family,
                                     const struct rf_group *g)
{
    for (struct rf_worker **at = &w->idle; *at; at = &(*at)->next)
        if (strcmp((*at)->family, family) == 0 && strcmp((*at)->group.name, g->name) == 0)
            return unlink_at(w, at);
    return NULL;
}

/* A spare may have said its first word. */
static bool is_alive(const struct rf_worker *w)
{
    return w->ready ? rf_process_idle(&w->process) : rf_process_alive(&w->process);
}

/* An idle worker of the family, of the group or a spare, that is still alive and confined as is
 * wanted now; or NULL. */
static struct rf_worker *take_idle(struct rf_workers *w, const char *family,
                                   const struct rf_group *g)
{
    for (;;) {
        lock(w);
        struct rf_worker *found = *g->name ? unlink_idle(w, family, g) : NULL;
        if (!found)
            found = unlink_idle(w, family, &unused);
        bool fits = found && found->least == w->least;
        pthread_mutex_unlock(&w->lock);
        if (!found || (fits && is_alive(found)))
            return found;
        rf_worker_end(found);
    }
}

/* The one that is too many, or NULL: of the foreign ones, or of all, the one that was used least
 * recently. */
static struct rf_worker *unlink_surplus(struct rf_workers *w)
{
    struct rf_worker **last = NULL, **last_foreign = NULL;
    size_t foreign = 0;
    for (struct rf_worker **at = &w->idle; *at; at = &(*at)->next) {
        last = at;
        if (is_own(&(*at)->group))
            continue;
        last_foreign = at;
        foreign++;
    }
    if (foreign > MAX_IDLE_FOREIGN)
        return unlink_at(w, last_foreign);
    return w->idle_count > MAX_IDLE ? unlink_at(w, last) : NULL;
}

struct rf_worker *rf_pool_put(struct rf_workers *w, struct rf_worker *one)
{
    bool nameless = one->jobs && !*one->group.name;
    if (one->jobs >= MAX_JOBS_OF_WORKER || nameless)
        return one;
    lock(w);
    one->next = w->idle;
    w->idle = one;
    w->idle_count++;
    struct rf_worker *out = unlink_surplus(w);
    pthread_mutex_unlock(&w->lock);
    return out;
}

void rf_workers_stop(struct rf_workers *w)
{
    for (;;) {
        lock(w);
        struct rf_worker *one = w->idle ? unlink_at(w, &w->idle) : NULL;
        drop_loop(w);
        pthread_mutex_unlock(&w->lock);
        if (!one)
            return;
        rf_worker_end(one);
    }
}

void rf_workers_permit(struct rf_workers *w, enum rf_sandbox least)
{
    lock(w);
    w->least = least;
    pthread_mutex_unlock(&w->lock);
}

static enum rf_sandbox least_of(struct rf_workers *w)
{
    lock(w);
    enum rf_sandbox least = w->least;
    pthread_mutex_unlock(&w->lock);
    return least;
}

bool rf_pool_enter(struct rf_workers *w, size_t busy)
{
    lock(w);
    bool may = !busy || w->busy < w->processors;
    w->busy += may;
    pthread_mutex_unlock(&w->lock);
    return may;
}

void rf_pool_leave(struct rf_workers *w)
{
    lock(w);
    if (w->busy > 0)
        w->busy--;
    pthread_mutex_unlock(&w->lock);
}

bool rf_pool_take_loop(struct rf_workers *w, struct rf_loop *out)
{
    lock(w);
    bool found = w->has_loop;
    *out = w->loop;
    w->has_loop = false;
    pthread_mutex_unlock(&w->lock);
    return found || rf_loop_init(out);
}

void rf_pool_put_loop(struct rf_workers *w, struct rf_loop *l)
{
    lock(w);
    struct rf_loop surplus = w->loop;
    bool full = w->has_loop;
    w->loop = *l;
    w->has_loop = true;
    pthread_mutex_unlock(&w->lock);
    if (full)
        rf_loop_release(&surplus);
}

static enum rf_code start_worker(struct rf_workers *pool, const char *family,
                                 struct rf_worker **out, struct rf_err *err)
{
    size_t n = strlen(family) + 1;
    struct rf_process process;
    enum rf_sandbox least = least_of(pool);
    enum rf_code rc = rf_process_start(family, least, &process, err);
    if (rc)
        return rc;
    struct rf_worker *w = calloc(1, sizeof *w + n);
    if (!w)
        RF_NO_MEMORY();
    *w = (struct rf_worker){
        .process = process, .family = (char *)(w + 1), .memory = -1, .least = least
    };
    memcpy(w + 1, family, n);
    *out = w;
    return RF_OK;
}

enum rf_code rf_pool_take(struct rf_workers *w, const struct rf_job *job, struct rf_worker **out,
                          struct rf_err *err)
{
    struct rf_group group = group_of(job);
    struct rf_worker *one = take_idle(w, job->family, &group);
    enum rf_code rc = one ? RF_OK : start_worker(w, job->family, &one, err);
    if (rc)
        return rc;
    one->group = group;
    *out = one;
    return RF_OK;
}

/* Has another foreign file left its worker, and is there no spare for the next one? */
static bool lacks_spare(struct rf_workers *w, const char *family, const struct rf_group *g)
{
    bool foreign = false, spare = false;
    lock(w);
    for (const struct rf_worker *one = w->idle; one; one = one->next) {
        if (strcmp(one->family, family) != 0)
            continue;
        bool other = !is_own(&one->group) && strcmp(one->group.name, g->name) != 0;
        spare = spare || !one->jobs;
        foreign = foreign || (one->jobs && other);
    }
    pthread_mutex_unlock(&w->lock);
    return foreign && !spare;
}

struct rf_worker *rf_pool_keep_spare(struct rf_workers *w, const struct rf_job *job)
{
    struct rf_worker *spare;
    struct rf_group group = group_of(job);
    bool started = !is_own(&group) && lacks_spare(w, job->family, &group) &&
                   !start_worker(w, job->family, &spare, NULL);
    return started ? rf_pool_put(w, spare) : NULL;
}
