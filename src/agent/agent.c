/* The public calls, and what is set before a question is asked. The loop is in turn.c. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Stopping: a counter that a signal handler may write to, and a clock; one descriptor says that
 * either of them has something to be read. */

static bool watch(int stop_fd, int fd)
{
    struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
    return fd >= 0 && epoll_ctl(stop_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

static bool open_stops(struct rf_agent *a)
{
    a->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    a->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    a->stop_fd = epoll_create1(EPOLL_CLOEXEC);
    return a->stop_fd >= 0 && watch(a->stop_fd, a->cancel_fd) && watch(a->stop_fd, a->timer_fd);
}

static bool is_readable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int got;
    do
        got = poll(&p, 1, 0);
    while (got < 0 && errno == EINTR);
    return got > 0;
}

bool rf_agent_stopped(const struct rf_agent *a)
{
    return is_readable(a->stop_fd);
}

const char *rf_agent_stop_words(const struct rf_agent *a)
{
    return is_readable(a->cancel_fd) ? "the user stopped here"
                                     : "the time for this question is over";
}

enum rf_code rf_agent_fail_stopped(const struct rf_agent *a, struct rf_err *err)
{
    if (is_readable(a->cancel_fd)) {
        rf_fail(err, RF_EINTERRUPTED, "stopped by the user");
        rf_hint(err, "What was said until then is kept.");
        return RF_EINTERRUPTED;
    }
    rf_fail(err, RF_ELIMIT, "the time for this question is over: %jd seconds",
            (intmax_t)a->most_seconds);
    rf_hint(err, "All of it is kept: ask on, or raise the limit.");
    return RF_ELIMIT;
}

void rf_agent_calm(struct rf_agent *a)
{
    const struct itimerspec never = { 0 };
    uint64_t count;
    while (read(a->cancel_fd, &count, sizeof count) < 0 && errno == EINTR)
        continue;
    timerfd_settime(a->timer_fd, 0, &never, NULL);
}

void rf_agent_cancel(struct rf_agent *a)
{
    const uint64_t one = 1;
    int saved = errno;
    while (write(a->cancel_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    errno = saved;
}

/* Making and freeing */

enum rf_code rf_agent_new(const struct rf_config *config, struct rf_store *store,
                          struct rf_agent **out, struct rf_err *err)
{
    struct rf_agent *a = calloc(1, sizeof *a);
    if (!a)
        RF_BUG("out of memory");
    a->config = config;
    a->cache = config ? rf_config_cache_folder(config) : NULL;
    a->store = store;
    a->arena = rf_arena_new();
    a->question = rf_arena_new();
    a->transport = rf_transport_new();
    a->enrich = rf_enrich_new();
    a->heal = rf_heal_new();
    a->references.config = config;
    a->system = a->old_system = a->old_options = a->settings = RF_STR("");
    rf_enrich_add_prompt(a->enrich, RF_ENRICH_REFERENCES, rf_references_step, &a->references);
    if (!open_stops(a)) {
        enum rf_code rc = rf_fail_errno(err, "could not make the descriptors of an agent");
        rf_agent_free(a);
        return rc;
    }
    *out = a;
    return RF_OK;
}

static void close_descriptor(int fd)
{
    if (fd >= 0)
        close(fd);
}

void rf_agent_free(struct rf_agent *a)
{
    if (!a)
        return;
    rf_request_free(a->request);
    rf_conversation_free(a->conversation);
    rf_request_free(a->planned);
    rf_conversation_free(a->planned_conversation);
    rf_session_close(a->session);
    rf_model_close(a->model);
    rf_enrich_free(a->enrich);
    rf_references_release(&a->references);
    rf_heal_free(a->heal);
    rf_transport_free(a->transport);
    for (size_t i = 0; i < a->fetched_count; i++)
        rf_temporary_remove(&a->fetched[i]);
    rf_temporary_sweep();
    close_descriptor(a->cancel_fd);
    close_descriptor(a->timer_fd);
    close_descriptor(a->stop_fd);
    rf_arena_free(a->question);
    rf_arena_free(a->arena);
    free(a->base);
    free(a->root);
    free(a);
}

/* Setting */

enum rf_code rf_agent_model(struct rf_agent *a, const char *name, struct rf_err *err)
{
    struct rf_model *m;
    enum rf_code rc = rf_model_open(a->config, name, &m, err);
    if (rc)
        return rc;
    /* What was built for the model before points to it. */
    rf_request_free(a->request);
    rf_conversation_free(a->conversation);
    rf_request_free(a->planned);
    rf_conversation_free(a->planned_conversation);
    a->request = a->planned = NULL;
    a->conversation = a->planned_conversation = NULL;
    rf_model_close(a->model);
    a->model = m;
    if (rf_model_problem(m))
        rf_agent_note(a, "%s", rf_model_problem(m)->msg);
    return RF_OK;
}

enum rf_code rf_agent_resume(struct rf_agent *a, const char *id, struct rf_err *err)
{
    struct rf_session *s;
    if (!a->store)
        return rf_fail(err, RF_EUSAGE, "there is no store to go on with a session from");
    enum rf_code rc = rf_session_open(a->store, id, true, &s, err);
    if (rc)
        return rc;
    rf_agent_take_session(a, s);
    return rf_agent_take_over(a, err);
}

struct rf_session *rf_agent_session(struct rf_agent *a)
{
    return a->session;
}

static void set_string(char **at, const char *value)
{
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        RF_BUG("out of memory");
    free(*at);
    *at = copy;
}

void rf_agent_folders(struct rf_agent *a, const char *base, const char *root)
{
    set_string(&a->base, base);
    set_string(&a->root, root ? root : base);
}

void rf_agent_system(struct rf_agent *a, struct rf_str system)
{
    a->system = rf_str_dup(a->arena, system);
}

void rf_agent_no_tools(struct rf_agent *a)
{
    a->no_tools = true;
}

void rf_agent_no_stream(struct rf_agent *a)
{
    a->no_stream = true;
}

void rf_agent_offline(struct rf_agent *a, struct rf_offline offline)
{
    a->transport->offline = offline;
}

void rf_agent_strict(struct rf_agent *a)
{
    a->strict = true;
}

void rf_agent_limits(struct rf_agent *a, int64_t rounds, int64_t seconds, int64_t tokens)
{
    a->most_rounds = rounds > 0 ? rounds : 0;
    a->most_seconds = seconds > 0 ? seconds : 0;
    a->most_tokens = tokens > 0 ? tokens : 0;
}

void rf_agent_listen(struct rf_agent *a,
                     void (*on_event)(void *ctx, const struct rf_agent_event *e), void *ctx)
{
    a->on_event = on_event;
    a->event_ctx = ctx;
}

void rf_agent_permit(struct rf_agent *a,
                     enum rf_permission (*ask)(void *ctx, struct rf_str tool,
                                               struct rf_str arguments),
                     void *ctx)
{
    a->permit = ask;
    a->permit_ctx = ctx;
}

void rf_agent_enrich(struct rf_agent *a, int priority,
                     bool (*step)(void *ctx, struct rf_str text, struct rf_enriched *out),
                     void *ctx)
{
    rf_enrich_add(a->enrich, priority, step, ctx);
}

struct rf_request *rf_agent_last_request(struct rf_agent *a)
{
    return a->request;
}

/* What the rest of the room shares */

void rf_agent_tell(struct rf_agent *a, const struct rf_agent_event *e)
{
    if (a->on_event)
        a->on_event(a->event_ctx, e);
}

void rf_agent_note(struct rf_agent *a, const char *fmt, ...)
{
    struct rf_arena *scratch = rf_arena_new();
    va_list ap;
    va_start(ap, fmt);
    struct rf_agent_event e = { .type = RF_AGENT_NOTE, .text = rf_strfv(scratch, fmt, ap) };
    va_end(ap);
    rf_agent_tell(a, &e);
    rf_arena_free(scratch);
}

void rf_agent_list_add(struct rf_agent *a, struct rf_agent_list *t, struct rf_str text)
{
    *RF_PUSH(a->arena, t->items, t->count, t->cap) = rf_str_dup(a->arena, text);
}

bool rf_agent_list_has(const struct rf_agent_list *t, struct rf_str text)
{
    for (size_t i = 0; i < t->count; i++)
        if (rf_str_eq(t->items[i], text))
            return true;
    return false;
}

void rf_agent_grant(struct rf_agent *a, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real) && !rf_agent_list_has(&a->granted, rf_str(real)))
        rf_agent_list_add(a, &a->granted, rf_str(real));
}
