#include "gateway/queue.h"

#include "base/thread.h"

#include <stdlib.h>
#include <time.h>

#define FIRST_ROOM ((size_t)16 << 10)
#define GATHER_NS (20 * 1000 * 1000)
#define SECOND_NS (1000 * 1000 * 1000)

enum rf_code rf_queue_start(struct rf_queue *q, size_t most, void *(*run)(void *ctx), void *ctx,
                            struct rf_err *err)
{
    *q = (struct rf_queue){ .most = most };
    pthread_mutex_init(&q->lock, NULL);
    rf_cond_init(&q->work);
    enum rf_code rc = rf_thread_start(&q->thread, run, ctx, err);
    if (rc) {
        pthread_mutex_destroy(&q->lock);
        pthread_cond_destroy(&q->work);
    }
    return rc;
}

/* False: it would be more than may wait. */
static bool make_room(struct rf_lines *w, size_t more, size_t most)
{
    size_t room = w->room ? w->room : FIRST_ROOM;
    while (room < most && room - w->n < more)
        room *= 2;
    if (room - w->n < more)
        return false;
    if (room > w->room) {
        w->p = realloc(w->p, room);
        w->room = room;
    }
    if (!w->p)
        RF_NO_MEMORY();
    return true;
}

/* So many bytes are not kept waiting for more. */
static size_t enough(const struct rf_queue *q)
{
    return q->most / 4;
}

void rf_queue_add(struct rf_queue *q, struct rf_str text, char end)
{
    struct rf_lines *w = &q->waiting;
    pthread_mutex_lock(&q->lock);
    size_t before = w->n;
    if (!make_room(w, text.n + 1, q->most)) {
        q->left_out++;
        q->all_left_out++;
    } else {
        memcpy(w->p + w->n, text.p, text.n);
        w->n += text.n;
        w->p[w->n++] = end;
    }
    if (!before || (before < enough(q) && w->n >= enough(q)))
        pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
}

void rf_queue_wake(struct rf_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->woken = true;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
}

/* What comes close together is taken together: to wake the thread for each would cost a loop more
 * than what it has to say. Under the lock. */
static void gather(struct rf_queue *q)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += GATHER_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    while (q->waiting.n && q->waiting.n < enough(q) && !q->woken && !q->ending)
        if (pthread_cond_timedwait(&q->work, &q->lock, &until))
            return;
}

uint64_t rf_queue_take(struct rf_queue *q, struct rf_lines *lines)
{
    pthread_mutex_lock(&q->lock);
    while (!q->waiting.n && !q->woken && !q->ending)
        pthread_cond_wait(&q->work, &q->lock);
    gather(q);
    struct rf_lines full = q->waiting;
    uint64_t left_out = q->left_out;
    lines->n = 0;
    q->waiting = *lines;
    *lines = full;
    q->left_out = 0;
    q->woken = false;
    pthread_mutex_unlock(&q->lock);
    return left_out;
}

bool rf_queue_is_ending(struct rf_queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool ending = q->ending;
    pthread_mutex_unlock(&q->lock);
    return ending;
}

void rf_queue_end(struct rf_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->work);
    free(q->waiting.p);
}
