/* A server that is a program of ours: one message a line on its standard input and output. It runs
 * in a session of its own, with the usual variables and those of the configuration, and with
 * none of our descriptors. Its standard error is no part of the protocol; the end of it is kept.
 *
 * It is ended by closing its input; then by SIGTERM, then by SIGKILL to all of its group. While it
 * is not reaped, its number is its own. */
#include "mcp/client/hub.h"

#include "base/spawn.h"
#include "wire/framing.h"

#include <refract/process.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 1000  /* between two ways to end it */
#define LOOK_MS 50        /* how often its end is looked for where there is no descriptor for it */
#define LAST_WORDS_MS 500 /* from the end of its output to its own end */
#define MOST_DRAINED 4096 /* pieces that are taken of a program that has ended */
#define MOST_QUEUED (2 * RF_MCP_MAX_MESSAGE) /* that it has not read yet */
#define KEPT_BUFFER ((size_t)1 << 20)        /* for the next message; more is given back */

enum stage {
    RUNNING,
    SILENT, /* its output has ended */
    INPUT_CLOSED,
    TOLD,   /* SIGTERM */
    KILLED, /* SIGKILL */
};

struct rf_mcp_process {
    struct rf_mcp_process *next;
    struct rf_mcp_clients *hub;
    struct rf_mcp_link *link; /* NULL: nobody listens any more */
    pid_t pid;
    int handle; /* that can be read at its end; -1: none */
    int in, out, err;
    enum stage stage;
    struct rf_timer timer, look;
    struct rf_framing lines;
    char *queue; /* to be written */
    size_t queue_n, queue_at, queue_cap;
};

/* Starting */

/* `ours` does not block. */
static bool make_pipe(int *ours, int *theirs, bool we_read)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0)
        return false;
    *ours = rf_spawn_aside(pair[we_read ? 0 : 1]);
    *theirs = rf_spawn_aside(pair[we_read ? 1 : 0]);
    return *ours >= 0 && *theirs >= 0 && fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool is_replaced(const struct rf_mcp_reach *r, struct rf_str line)
{
    struct rf_str name, other;
    rf_str_split(&line, '=', &name);
    for (size_t i = 0; i < r->environment_count; i++) {
        struct rf_str rest = r->environment[i];
        if (rf_str_split(&rest, '=', &other) && rf_str_eq(name, other))
            return true;
    }
    return false;
}

/* The usual, without what the configuration says otherwise, and what it says. */
static char **environment_of(const struct rf_mcp_reach *r, struct rf_arena *a)
{
    char **usual = rf_program_environment(RF_PROGRAM_TOOL, NULL, 0);
    size_t count = 0, n = 0;
    while (usual[count])
        count++;
    char **all = RF_ARRAY(a, char *, count + r->environment_count + 1);
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(r, rf_str(usual[i])))
            all[n++] = usual[i];
    for (size_t i = 0; i < r->environment_count; i++)
        all[n++] = (char *)(uintptr_t)rf_cstr(a, r->environment[i]);
    free(usual);
    return all;
}

/* An errno, or 0. */
static int spawn(const struct rf_mcp_reach *r, const int fds[3], pid_t *pid)
{
    struct rf_arena *a = rf_arena_new();
    int rc = rf_spawn_program(pid, r->argv, r->folder, fds, environment_of(r, a));
    rf_arena_free(a);
    return rc;
}

static void on_output(void *ctx, int fd, int events);
static void on_errors(void *ctx, int fd, int events);
static void on_end(void *ctx, int fd, int events);
static void on_look(void *ctx);
static void on_time(void *ctx);

static void watch(struct rf_mcp_process *p)
{
    struct rf_loop *loop = p->hub->loop;
    rf_loop_watch(loop, p->out, RF_LOOP_READ, on_output, p);
    rf_loop_watch(loop, p->err, RF_LOOP_READ, on_errors, p);
    p->handle = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (p->handle < 0 || !rf_loop_watch(loop, p->handle, RF_LOOP_READ, on_end, p))
        rf_timer_set(loop, &p->look, rf_now_ms() + LOOK_MS);
}

static enum rf_code open_process(struct rf_mcp_link *l, struct rf_err *err)
{
    struct rf_mcp_process *p = calloc(1, sizeof *p);
    int theirs[3] = { -1, -1, -1 };
    if (!p)
        RF_NO_MEMORY();
    *p = (struct rf_mcp_process){ .hub = l->hub,
                                  .link = l,
                                  .in = -1,
                                  .out = -1,
                                  .err = -1,
                                  .handle = -1,
                                  .timer = { .due = on_time, .ctx = p },
                                  .look = { .due = on_look, .ctx = p } };
    bool made = make_pipe(&p->in, &theirs[0], false) && make_pipe(&p->out, &theirs[1], true) &&
                make_pipe(&p->err, &theirs[2], true);
    int failure = made ? spawn(&l->reach, theirs, &p->pid) : errno;
    for (int i = 0; i < 3; i++)
        close_one(&theirs[i]);
    if (failure) {
        close_one(&p->in);
        close_one(&p->out);
        close_one(&p->err);
        free(p);
        rf_mcp_link_fail(l, err, RF_ECONFIG, (struct rf_str){ 0 },
                         "could not be started: \"%s\": %s", l->reach.argv[0], strerror(failure));
        if (failure == ENOENT)
            rf_hint(err, "Install it, or write its whole path as the command.");
        return RF_ECONFIG;
    }
    rf_framing_init(&p->lines, RF_FRAMING_LINES);
    p->lines.most = RF_MCP_MAX_MESSAGE;
    p->next = l->hub->processes;
    l->hub->processes = p;
    l->process = p;
    l->errors_n = 0;
    watch(p);
    return RF_OK;
}

/* Ending */

static void close_watched(struct rf_mcp_process *p, int *fd)
{
    if (*fd >= 0)
        rf_loop_watch(p->hub->loop, *fd, 0, NULL, NULL);
    close_one(fd);
}

static bool has_ended(const struct rf_mcp_process *p)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Whoever it left behind goes with it. */
static void reap(struct rf_mcp_process *p)
{
    siginfo_t info;
    struct rf_mcp_process **at = &p->hub->processes;
    kill(-p->pid, SIGKILL);
    while (waitid(P_PID, (id_t)p->pid, &info, WEXITED) != 0 && errno == EINTR)
        ;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    rf_timer_clear(p->hub->loop, &p->timer);
    rf_timer_clear(p->hub->loop, &p->look);
    close_watched(p, &p->in);
    close_watched(p, &p->out);
    close_watched(p, &p->err);
    close_watched(p, &p->handle);
    rf_framing_release(&p->lines);
    free(p->queue);
    free(p);
}

/* Nobody listens any more. */
static void close_process(struct rf_mcp_link *l)
{
    struct rf_mcp_process *p = l->process;
    if (!p)
        return;
    l->process = NULL;
    p->link = NULL;
    p->stage = INPUT_CLOSED;
    close_watched(p, &p->in);
    close_watched(p, &p->out);
    rf_timer_set(p->hub->loop, &p->timer, rf_now_ms() + PATIENCE_MS);
}

static void say_ended(const struct rf_mcp_process *p, struct rf_err *err)
{
    const struct rf_mcp_link *l = p->link;
    const char *half = p->lines.held_n ? " in the middle of a message" : "";
    struct rf_str words = rf_mcp_link_last_words(l);
    siginfo_t info = { 0 };
    if (p->stage == SILENT && !has_ended(p))
        rf_mcp_link_fail(l, err, RF_EPROVIDER, words, "closed its output%s", half);
    else if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_code == CLD_EXITED)
        rf_mcp_link_fail(l, err, RF_EPROVIDER, words, "ended with status %d%s", info.si_status,
                         half);
    else
        rf_mcp_link_fail(l, err, RF_EPROVIDER, words, "was ended by signal %d%s", info.si_status,
                         half);
    if (l->state == RF_MCP_STARTING && !words.n)
        rf_hint(err, "Run its command by hand to see why.");
}

/* One that dies of the first word is an old one, which hears another word next time. */
static void fall(struct rf_mcp_process *p)
{
    struct rf_mcp_link *l = p->link;
    struct rf_err err;
    say_ended(p, &err);
    bool of_probe = l->state == RF_MCP_STARTING && !l->without_probe && l->revision &&
                    l->revision->era == RF_MCP_MODERN;
    if (of_probe) {
        l->without_probe = true;
        l->err = err;
        rf_mcp_link_renew(l, NULL);
    } else {
        rf_mcp_link_down(l, &err);
    }
}

static bool take_errors(struct rf_mcp_process *p);
static bool take_output(struct rf_mcp_process *p);

/* What it had written is taken first; one that got away from its group may write for ever. */
static void look(struct rf_mcp_process *p)
{
    if (!has_ended(p))
        return;
    for (int i = 0; i < MOST_DRAINED && take_errors(p); i++)
        ;
    for (int i = 0; i < MOST_DRAINED && p->link && take_output(p); i++)
        ;
    if (p->link)
        fall(p);
    reap(p);
}

static void on_end(void *ctx, int fd, int events)
{
    (void)fd, (void)events;
    look(ctx);
}

static void on_look(void *ctx)
{
    struct rf_mcp_process *p = ctx;
    rf_timer_set(p->hub->loop, &p->look, rf_now_ms() + LOOK_MS);
    look(p);
}

static void on_time(void *ctx)
{
    struct rf_mcp_process *p = ctx;
    if (p->stage == SILENT && p->link) {
        fall(p);
        return;
    }
    kill(-p->pid, p->stage == INPUT_CLOSED ? SIGTERM : SIGKILL);
    p->stage = p->stage == INPUT_CLOSED ? TOLD : KILLED;
    rf_timer_set(p->hub->loop, &p->timer, rf_now_ms() + PATIENCE_MS);
}

bool rf_mcp_processes_ended(const struct rf_mcp_clients *h)
{
    return !h->processes;
}

/* What it says */

/* A part of a line may begin in the middle of a key, which nothing would find any more. */
static void drop_first_line(struct rf_mcp_link *l)
{
    const char *feed = memchr(l->errors, '\n', l->errors_n);
    size_t first = feed ? (size_t)(feed - l->errors) + 1 : l->errors_n;
    l->errors_n -= first;
    memmove(l->errors, l->errors + first, l->errors_n);
}

static void keep_errors(struct rf_mcp_link *l, const char *bytes, size_t n)
{
    if (!l->errors && !(l->errors = malloc(RF_MCP_MAX_STDERR)))
        RF_NO_MEMORY();
    bool cut = l->errors_n + n > RF_MCP_MAX_STDERR;
    size_t keep = cut ? RF_MCP_MAX_STDERR - n : l->errors_n;
    memmove(l->errors, l->errors + l->errors_n - keep, keep);
    memcpy(l->errors + keep, bytes, n);
    l->errors_n = keep + n;
    if (cut)
        drop_first_line(l);
}

/* A piece; false where there is none at the moment. */
static bool take_errors(struct rf_mcp_process *p)
{
    char *piece = p->hub->piece;
    ssize_t n = p->err >= 0 ? read(p->err, piece, RF_MCP_PIECE) : 0;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0)
        close_watched(p, &p->err);
    else if (p->link)
        keep_errors(p->link, piece, (size_t)n);
    return n > 0;
}

static void on_errors(void *ctx, int fd, int events)
{
    (void)fd, (void)events;
    take_errors(ctx);
}

static void shrink(struct rf_framing *f)
{
    if (f->held_n || f->held_cap <= KEPT_BUFFER)
        return;
    rf_framing_release(f);
    f->most = RF_MCP_MAX_MESSAGE;
}

static void take_lines(struct rf_mcp_process *p, struct rf_str bytes)
{
    struct rf_mcp_link *l = p->link;
    struct rf_frame frame;
    struct rf_err err;
    enum rf_code rc = RF_OK;
    while (p->link && rf_framing_next(&p->lines, &bytes, &frame, &rc, &err))
        rf_mcp_link_take(l, frame.data, NULL);
    if (!p->link)
        return;
    if (rc) {
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 },
                         "sent a message of more than %zu MiB", RF_MCP_MAX_MESSAGE >> 20);
        rf_mcp_link_down(l, &err);
        return;
    }
    shrink(&p->lines);
}

static void output_ended(struct rf_mcp_process *p)
{
    close_watched(p, &p->out);
    p->stage = SILENT;
    rf_timer_set(p->hub->loop, &p->timer, rf_now_ms() + LAST_WORDS_MS);
}

static bool take_output(struct rf_mcp_process *p)
{
    ssize_t n = p->out >= 0 ? read(p->out, p->hub->piece, RF_MCP_PIECE) : -1;
    if (p->out < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
        return false;
    if (n <= 0)
        output_ended(p);
    else
        take_lines(p, (struct rf_str){ p->hub->piece, (size_t)n });
    return n > 0;
}

static void on_output(void *ctx, int fd, int events)
{
    (void)fd, (void)events;
    take_output(ctx);
}

/* What we say */

static void on_room(void *ctx, int fd, int events);

/* One that does not listen any more will be found out by its end. */
static void write_queue(struct rf_mcp_process *p)
{
    while (p->in >= 0 && p->queue_at < p->queue_n) {
        ssize_t n = write(p->in, p->queue + p->queue_at, p->queue_n - p->queue_at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            rf_loop_watch(p->hub->loop, p->in, RF_LOOP_WRITE, on_room, p);
            return;
        }
        if (n < 0) {
            close_watched(p, &p->in);
            return;
        }
        p->queue_at += (size_t)n;
    }
    if (p->in >= 0)
        rf_loop_watch(p->hub->loop, p->in, 0, NULL, NULL);
    p->queue_n = p->queue_at = 0;
    if (p->queue_cap > KEPT_BUFFER) {
        free(p->queue);
        p->queue = NULL;
        p->queue_cap = 0;
    }
}

static void on_room(void *ctx, int fd, int events)
{
    (void)fd, (void)events;
    write_queue(ctx);
}

/* What was written makes room, once it is the larger part: one that reads slowly would have the
 * queue grow for ever. */
static void enqueue(struct rf_mcp_process *p, struct rf_str s)
{
    if (p->queue_at > p->queue_n / 2) {
        p->queue_n -= p->queue_at;
        memmove(p->queue, p->queue + p->queue_at, p->queue_n);
        p->queue_at = 0;
    }
    if (p->queue_n + s.n > p->queue_cap) {
        p->queue_cap = (p->queue_n + s.n) * 2;
        p->queue = realloc(p->queue, p->queue_cap);
        if (!p->queue)
            RF_NO_MEMORY();
    }
    memcpy(p->queue + p->queue_n, s.p, s.n);
    p->queue_n += s.n;
}

static void send_line(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *pending)
{
    struct rf_mcp_process *p = l->process;
    struct rf_err err;
    if (p->in < 0)
        return;
    if (p->queue_n - p->queue_at + message.n > MOST_QUEUED) {
        snprintf(l->stray, sizeof l->stray, "it does not read what it is sent");
        rf_mcp_link_fail(l, &err, RF_EPROVIDER, (struct rf_str){ 0 },
                         "does not read what it is sent");
        if (pending)
            rf_mcp_pending_end(pending, NULL, &err);
        return;
    }
    enqueue(p, message);
    enqueue(p, RF_STR("\n"));
    write_queue(p);
}

static void nothing_to_drop(struct rf_mcp_pending *p)
{
    (void)p;
}

static void nothing_to_do(struct rf_mcp_link *l)
{
    (void)l;
}

const struct rf_mcp_transport rf_mcp_stdio = {
    .open = open_process,
    .send = send_line,
    .drop = nothing_to_drop,
    .settled = nothing_to_do,
    .close = close_process,
};
