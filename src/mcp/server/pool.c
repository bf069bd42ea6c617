/* The threads that run calls, and what comes back from them.
 *
 * Threads are started when there is work and none is idle. Whatever they have for the loop is
 * posted, in order, and the loop is woken by a byte in a pipe; a thread that posts faster than the
 * loop takes waits. A call whose client does not read
 * what it was sent is passed over. */
#include "mcp/server/inside.h"

#include "base/clock.h"

#include <refract/model.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

/* Only in a thread that runs a call: nobody waits for the loop in its own. The lock is held. */
static void wait_for_room(struct rf_mcp_server *s, const struct rf_mcp_call *c, size_t n)
{
    if (!c || !c->thread || !pthread_equal(c->thread->thread, pthread_self()))
        return;
    while (s->posts && s->post_bytes + n > RF_MCP_MOST_POSTED && !s->ending &&
           !atomic_load(&c->cancelled))
        pthread_cond_wait(&s->room, &s->lock);
}

void rf_mcp_post(struct rf_mcp_server *s, enum rf_mcp_post_kind kind, struct rf_mcp_call *c,
                 enum rf_mcp_list list, struct rf_str text)
{
    struct rf_mcp_post *p = malloc(sizeof *p + text.n + 1);
    if (!p)
        RF_NO_MEMORY();
    *p = (struct rf_mcp_post){ .kind = kind, .list = list, .call = c, .n = text.n };
    if (text.n)
        memcpy(p->text, text.p, text.n);
    pthread_mutex_lock(&s->lock);
    wait_for_room(s, c, text.n);
    bool first = !s->posts;
    s->post_bytes += text.n;
    *s->post_end = p;
    s->post_end = &p->next;
    pthread_mutex_unlock(&s->lock);
    if (first)
        wake(s->wake[1]);
}

/* The next call whose client reads; the lock is held. */
static struct rf_mcp_call *take_call(struct rf_mcp_server *s)
{
    for (struct rf_mcp_call **at = &s->queue; *at; at = &(*at)->queue_next) {
        struct rf_mcp_call *c = *at;
        if (c->held && atomic_load(c->held))
            continue;
        *at = c->queue_next;
        if (!*at)
            s->queue_end = at;
        return c;
    }
    return NULL;
}

static void run_call(struct rf_mcp_thread *t, struct rf_mcp_call *c)
{
    struct rf_mcp_server *s = t->server;
    c->run(c);
    if (c->w || !c->settle)
        rf_mcp_call_finish(c);
    pthread_mutex_lock(&s->lock);
    c->stage = RF_MCP_RAN;
    c->thread = NULL;
    pthread_mutex_unlock(&s->lock);
    drain(t->cancel[0]);
    rf_mcp_post(s, RF_MCP_POST_DONE, c, RF_MCP_LIST_TOOLS, RF_STR(""));
}

static void *work(void *thread)
{
    struct rf_mcp_thread *t = thread;
    struct rf_mcp_server *s = t->server;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        struct rf_mcp_call *c = take_call(s);
        if (c) {
            c->stage = RF_MCP_RUNNING;
            c->thread = t;
            pthread_mutex_unlock(&s->lock);
            run_call(t, c);
            pthread_mutex_lock(&s->lock);
            continue;
        }
        s->idle++;
        pthread_cond_wait(&s->work, &s->lock);
        s->idle--;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* One more, where it can be had; the lock is held. */
static void start_thread(struct rf_mcp_server *s)
{
    struct rf_mcp_thread *t = &s->threads[s->thread_count];
    if (s->thread_count == RF_MCP_MOST_THREADS || pipe2(t->cancel, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    t->server = s;
    t->tools = NULL;
    t->host = NULL;
    if (pthread_create(&t->thread, NULL, work, t) == 0) {
        s->thread_count++;
        return;
    }
    close(t->cancel[0]);
    close(t->cancel[1]);
}

/* Is a thread left for one more call? One that was woken for an earlier call is still idle until it
 * takes it. The lock is held. */
static bool has_idle(const struct rf_mcp_server *s)
{
    size_t waiting = 0;
    for (const struct rf_mcp_call *c = s->queue; c && waiting < s->idle; c = c->queue_next)
        waiting += !c->held || !atomic_load(c->held);
    return waiting < s->idle;
}

bool rf_mcp_pool_add(struct rf_mcp_call *c)
{
    struct rf_mcp_server *s = c->server;
    pthread_mutex_lock(&s->lock);
    if (!has_idle(s))
        start_thread(s);
    if (!s->thread_count) {
        pthread_mutex_unlock(&s->lock);
        return false;
    }
    c->stage = RF_MCP_QUEUED;
    c->queue_next = NULL;
    *s->queue_end = c;
    s->queue_end = &c->queue_next;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    return true;
}

void rf_mcp_pool_wake(struct rf_mcp_server *s)
{
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
}

/* The lock is held. */
static bool take_out(struct rf_mcp_server *s, struct rf_mcp_call *c)
{
    struct rf_mcp_call **at = &s->queue;
    while (*at && *at != c)
        at = &(*at)->queue_next;
    if (!*at)
        return false;
    *at = c->queue_next;
    if (!*at)
        s->queue_end = at;
    return true;
}

bool rf_mcp_pool_cancel(struct rf_mcp_call *c)
{
    struct rf_mcp_server *s = c->server;
    bool ours = false;
    atomic_store(&c->cancelled, true);
    pthread_mutex_lock(&s->lock);
    c->held = NULL;
    if (c->stage == RF_MCP_QUEUED)
        ours = take_out(s, c);
    else if (c->thread)
        wake(c->thread->cancel[1]);
    pthread_cond_broadcast(&s->answer);
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
    return ours;
}

char *rf_mcp_pool_wait_answer(struct rf_mcp_call *c, int64_t most_ms)
{
    struct rf_mcp_server *s = c->server;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(most_ms / 1000);
    pthread_mutex_lock(&s->lock);
    while (!c->answer && !atomic_load(&c->cancelled) && !s->ending)
        if (pthread_cond_timedwait(&s->answer, &s->lock, &until) == ETIMEDOUT)
            break;
    char *answer = c->answer;
    c->answer = NULL;
    c->ask = 0;
    pthread_mutex_unlock(&s->lock);
    return answer;
}

static void end_thread(struct rf_mcp_thread *t)
{
    wake(t->cancel[1]);
    pthread_join(t->thread, NULL);
    close(t->cancel[0]);
    close(t->cancel[1]);
    rf_tools_free(t->tools);
    rf_model_close(t->host);
}

void rf_mcp_pool_end(struct rf_mcp_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->answer);
    pthread_cond_broadcast(&s->room);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->thread_count; i++)
        end_thread(&s->threads[i]);
    s->thread_count = 0;
}
