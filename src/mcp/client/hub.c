#include "mcp/client/hub.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FAREWELL_MS 5000 /* that ending may take when a server neither ends nor can be killed */

/* What other threads want */

static void poke(int fd)
{
    const uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0)
        if (errno != EINTR)
            return; /* it is full of pokes already */
}

void rf_mcp_job_lock(struct rf_mcp_clients *h)
{
    pthread_mutex_lock(&h->lock);
}

void rf_mcp_job_unlock(struct rf_mcp_clients *h, const struct rf_mcp_job *j)
{
    poke(j->wake);
    pthread_mutex_unlock(&h->lock);
}

void rf_mcp_job_done(struct rf_mcp_clients *h, struct rf_mcp_job *j, const struct rf_err *err)
{
    rf_mcp_job_lock(h);
    j->done = true;
    j->rc = err ? err->code : RF_OK;
    if (err)
        j->err = *err;
    rf_mcp_job_unlock(h, j);
}

static void take_answer(struct rf_mcp_clients *h, const struct rf_mcp_post *post)
{
    struct rf_mcp_link *l = &h->links[post->server];
    if (l->connection != post->connection)
        return;
    struct rf_mcp_pending *p = rf_mcp_pending_find(l, post->pending);
    if (p && p->asked && --p->asked == 0)
        rf_mcp_pending_arm(p);
    l->transport->send(l, post->message, NULL);
}

static void take_post(struct rf_mcp_clients *h, const struct rf_mcp_post *post)
{
    switch (post->kind) {
    case RF_MCP_POST_JOB:
        rf_mcp_link_job(&h->links[post->job->server], post->job);
        break;
    case RF_MCP_POST_CANCEL:
        for (size_t i = 0; i < h->count; i++)
            if (rf_mcp_link_cancel(&h->links[i], post->serial))
                break;
        break;
    case RF_MCP_POST_ANSWER:
        take_answer(h, post);
        break;
    case RF_MCP_POST_WARM:
        for (size_t i = 0; i < h->count; i++)
            rf_mcp_link_start(&h->links[i]);
        break;
    }
}

static void on_wake(void *ctx, int fd, int events)
{
    struct rf_mcp_clients *h = ctx;
    uint64_t pokes;
    (void)events;
    if (read(fd, &pokes, sizeof pokes) < 0 && errno != EAGAIN)
        return;
    pthread_mutex_lock(&h->lock);
    struct rf_mcp_post *post = h->posts;
    h->posts = NULL;
    h->last_post = &h->posts;
    pthread_mutex_unlock(&h->lock);
    while (post) {
        struct rf_mcp_post *next = post->next;
        take_post(h, post);
        rf_arena_free(post->arena);
        free(post);
        post = next;
    }
}

/* The thread */

static bool is_ending(struct rf_mcp_clients *h)
{
    pthread_mutex_lock(&h->lock);
    bool ending = h->ending;
    pthread_mutex_unlock(&h->lock);
    return ending;
}

static void step(struct rf_mcp_clients *h, int most_ms)
{
    rf_net_wait(h->net, -1, most_ms);
    rf_mcp_streams_sweep(h);
}

static void end(struct rf_mcp_clients *h)
{
    int64_t until = rf_now_ms() + FAREWELL_MS;
    for (size_t i = 0; i < h->count; i++)
        rf_mcp_link_close(&h->links[i]);
    while (rf_now_ms() < until && !(rf_mcp_processes_ended(h) && rf_mcp_farewells_said(h)))
        step(h, (int)(until - rf_now_ms()));
    rf_mcp_streams_sweep(h);
}

static void *run(void *ctx)
{
    struct rf_mcp_clients *h = ctx;
    while (!is_ending(h))
        step(h, -1);
    end(h);
    return NULL;
}

/* It hears no signals: those are the program's. False where the system has nothing left for it. */
static bool start_thread(struct rf_mcp_clients *h)
{
    sigset_t all, before;
    if (!h->net) {
        h->net = rf_net_new();
        h->loop = rf_net_loop(h->net);
        h->scratch = rf_arena_new();
        h->piece = rf_arena_alloc(h->arena, RF_MCP_PIECE);
    }
    if (h->wake < 0 || !rf_loop_watch(h->loop, h->wake, RF_LOOP_READ, on_wake, h))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    h->running = !pthread_create(&h->thread, NULL, run, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return h->running;
}

static void refuse(struct rf_mcp_post *post)
{
    struct rf_mcp_job *j = post->job;
    if (j) {
        j->done = true;
        j->rc = rf_fail(&j->err, RF_EIO, "MCP servers cannot be asked: no descriptor is left");
        poke(j->wake);
    }
    rf_arena_free(post->arena);
    free(post);
}

void rf_mcp_hub_post(struct rf_mcp_clients *h, const struct rf_mcp_post *post)
{
    struct rf_mcp_post *own = malloc(sizeof *own);
    if (!own)
        RF_NO_MEMORY();
    *own = *post;
    own->next = NULL;
    pthread_mutex_lock(&h->lock);
    if (!h->running && !start_thread(h)) {
        refuse(own);
    } else {
        if (own->kind == RF_MCP_POST_JOB)
            own->job->serial = ++h->last_serial;
        *h->last_post = own;
        h->last_post = &own->next;
        poke(h->wake);
    }
    pthread_mutex_unlock(&h->lock);
}

/* From the beginning to the end */

static struct rf_str *copy_strings(struct rf_arena *a, const struct rf_str *from, size_t count)
{
    struct rf_str *to = RF_ARRAY(a, struct rf_str, count);
    for (size_t i = 0; i < count; i++)
        to[i] = rf_str_dup(a, from[i]);
    return to;
}

struct rf_mcp_clients *rf_mcp_clients_new(const struct rf_mcp_reach *servers, size_t count,
                                          const struct rf_mcp_clients_options *options)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_clients *h = RF_NEW(a, struct rf_mcp_clients);
    h->arena = a;
    h->options = *options;
    h->options.roots = copy_strings(a, options->roots, options->root_count);
    h->last_post = &h->posts;
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&h->lock, NULL);
    h->count = count;
    h->links = RF_ARRAY(a, struct rf_mcp_link, count);
    for (size_t i = 0; i < count; i++)
        rf_mcp_link_init(&h->links[i], h, i, &servers[i]);
    return h;
}

static void join(struct rf_mcp_clients *h)
{
    pthread_mutex_lock(&h->lock);
    h->ending = true;
    poke(h->wake);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
}

void rf_mcp_clients_free(struct rf_mcp_clients *h)
{
    if (!h)
        return;
    if (h->running)
        join(h);
    for (size_t i = 0; i < h->count; i++)
        rf_mcp_link_release(&h->links[i]);
    rf_net_free(h->net);
    rf_arena_free(h->scratch);
    pthread_mutex_destroy(&h->lock);
    if (h->wake >= 0)
        close(h->wake);
    rf_arena_free(h->arena);
}

struct rf_str rf_mcp_clients_name(const struct rf_mcp_clients *h, size_t server)
{
    return h->links[server].reach.name;
}

void rf_mcp_clients_warm(struct rf_mcp_clients *h)
{
    rf_mcp_hub_post(h, &(struct rf_mcp_post){ .kind = RF_MCP_POST_WARM });
}

uint64_t rf_mcp_clients_changes(const struct rf_mcp_clients *h)
{
    return atomic_load(&h->changes);
}
