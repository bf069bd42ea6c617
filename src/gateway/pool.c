#include "gateway/pool.h"

#include "base/loop.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

static void wake(int fd)
{
    while (write(fd, "", 1) < 0 && errno == EINTR)
        continue;
}

static void drain(int fd)
{
    char bytes[64];
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
}

/* The way back */

static void take_mail(void *ctx, int fd, int events)
{
    struct rf_mailbox *m = ctx;
    (void)events;
    drain(fd);
    pthread_mutex_lock(&m->lock);
    struct rf_pool_job *job = m->first;
    m->first = NULL;
    m->last = &m->first;
    pthread_mutex_unlock(&m->lock);
    while (job) {
        struct rf_pool_job *next = job->next;
        job->done(job->ctx); /* it may be gone then, or on its way again */
        job = next;
    }
}

void rf_mailbox_post(struct rf_pool_job *job)
{
    struct rf_mailbox *m = job->to;
    pthread_mutex_lock(&m->lock);
    job->next = NULL;
    bool first = !m->first;
    *m->last = job;
    m->last = &job->next;
    pthread_mutex_unlock(&m->lock);
    if (first)
        wake(m->wake[1]);
}

enum rf_code rf_mailbox_open(struct rf_mailbox *m, struct rf_loop *loop, struct rf_err *err)
{
    *m = (struct rf_mailbox){ .loop = loop, .last = &m->first };
    if (pipe2(m->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return rf_fail_errno(err, "could not make a pipe");
    if (!rf_loop_watch(loop, m->wake[0], RF_LOOP_READ, take_mail, m)) {
        close(m->wake[0]);
        close(m->wake[1]);
        return rf_fail(err, RF_EIO, "could not wait for a pipe");
    }
    pthread_mutex_init(&m->lock, NULL);
    return RF_OK;
}

void rf_mailbox_close(struct rf_mailbox *m)
{
    take_mail(m, m->wake[0], RF_LOOP_READ);
    rf_loop_watch(m->loop, m->wake[0], 0, NULL, NULL);
    close(m->wake[0]);
    close(m->wake[1]);
    pthread_mutex_destroy(&m->lock);
}

/* Threads */

/* The lock is held, but not while it runs. */
static void run(struct rf_pool_thread *t, struct rf_pool_job *job)
{
    struct rf_pool *p = t->pool;
    bool wanted = !job->stopped && !p->ending;
    job->thread = t;
    p->minor += job->minor;
    pthread_mutex_unlock(&p->lock);
    if (wanted)
        job->run(job->ctx, t->stop[0]);
    pthread_mutex_lock(&p->lock);
    p->minor -= job->minor;
    job->thread = NULL;
    drain(t->stop[0]);
    rf_mailbox_post(job);
}

/* The first that may run now, out of the queue; NULL: there is none. A thread that has run a minor
 * job looks here again, so the next of them is not forgotten. */
static struct rf_pool_job *take(struct rf_pool *p)
{
    struct rf_pool_job **at = &p->first;
    bool all = p->ending || p->minor < p->most / 2;
    while (*at && (*at)->minor && !all)
        at = &(*at)->next;
    struct rf_pool_job *job = *at;
    if (!job)
        return NULL;
    *at = job->next;
    p->last = job->next ? p->last : at;
    p->waiting--;
    return job;
}

static void *work(void *ctx)
{
    struct rf_pool_thread *t = ctx;
    struct rf_pool *p = t->pool;
    pthread_mutex_lock(&p->lock);
    while (p->first || !p->ending) {
        struct rf_pool_job *job = take(p);
        if (job) {
            run(t, job);
            continue;
        }
        p->idle++;
        pthread_cond_wait(&p->work, &p->lock);
        p->idle--;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* One more, where it can be had; the lock is held. */
static void start_thread(struct rf_pool *p)
{
    struct rf_pool_thread *t = &p->threads[p->count];
    if (p->count == p->most || pipe2(t->stop, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    t->pool = p;
    bool started = !rf_thread_start(&t->thread, work, t, NULL);
    p->count += started;
    if (!started) {
        close(t->stop[0]);
        close(t->stop[1]);
    }
}

size_t rf_pool_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (size_t)CPU_COUNT(&cores) : 1;
}

/* Half of them may wait for workers while the others plan. */
void rf_pool_init(struct rf_pool *p)
{
    *p = (struct rf_pool){ .last = &p->first, .most = 2 * rf_pool_cores() };
    p->most = p->most < RF_POOL_MOST_THREADS ? p->most : RF_POOL_MOST_THREADS;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
}

void rf_pool_end(struct rf_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    for (size_t i = 0; i < p->count; i++)
        wake(p->threads[i].stop[1]);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->count; i++) {
        pthread_join(p->threads[i].thread, NULL);
        close(p->threads[i].stop[0]);
        close(p->threads[i].stop[1]);
    }
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

bool rf_pool_add(struct rf_pool *p, struct rf_pool_job *job, struct rf_mailbox *back_to)
{
    pthread_mutex_lock(&p->lock);
    if (p->waiting >= p->idle)
        start_thread(p);
    bool taken = p->count > 0;
    if (taken) {
        job->to = back_to;
        job->next = NULL;
        job->stopped = false;
        *p->last = job;
        p->last = &job->next;
        p->waiting++;
        pthread_cond_signal(&p->work);
    }
    pthread_mutex_unlock(&p->lock);
    return taken;
}

void rf_pool_stop(struct rf_pool *p, struct rf_pool_job *job)
{
    pthread_mutex_lock(&p->lock);
    job->stopped = true;
    if (job->thread)
        wake(job->thread->stop[1]);
    pthread_mutex_unlock(&p->lock);
}
