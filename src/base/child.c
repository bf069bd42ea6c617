#include "base/child.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/spawn.h"

#include <refract/process.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ERRORS ((size_t)8 << 10) /* bytes of standard error that are kept: its end */
#define PIECE ((size_t)64 << 10)
#define LOOK_MS 50    /* how often an end is looked for where there is no descriptor for it */
#define DRAIN_MS 1000 /* for what is in the pipes when it has ended */

/* Starting */

struct running {
    pid_t pid;
    int handle;   /* that can be polled for its end; -1: none */
    int out, err; /* what it writes; -1: it has closed that */
};

static bool make_pipe(int ends[2])
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0)
        return false;
    ends[0] = rf_spawn_aside(pair[0]);
    ends[1] = rf_spawn_aside(pair[1]);
    return ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* A file without a name: nothing has to be written while the command runs. */
static int make_input(struct rf_str text)
{
    int fd = memfd_create("arguments", MFD_CLOEXEC);
    if (fd < 0 || (fd = rf_spawn_aside(fd)) < 0)
        return -1;
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        if (n > 0)
            text = (struct rf_str){ text.p + n, text.n - (size_t)n };
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* An errno, or 0. */
static int spawn(const struct rf_child *c, const int fds[3], pid_t *pid)
{
    char **environment = rf_program_environment(RF_PROGRAM_TOOL, c->variables, c->variable_count);
    int rc = rf_spawn_program(pid, c->argv, c->folder, fds, environment);
    free(environment);
    return rc;
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static enum rf_code start(const struct rf_child *c, struct running *out, struct rf_err *err)
{
    int fds[5] = { -1, -1, -1, -1, -1 }; /* input; output; errors; our ends of both */
    int pair[2] = { -1, -1 };
    fds[0] = make_input(c->input);
    bool made = fds[0] >= 0;
    for (int i = 1; i <= 2 && made; i++) {
        made = make_pipe(pair);
        fds[i] = pair[1];
        fds[i + 2] = pair[0];
    }
    int failure = made ? spawn(c, fds, &out->pid) : errno;
    close_all(fds, 3);
    if (failure) {
        close_all(fds + 3, 2);
        return rf_fail(err, RF_ECONFIG, "\"%s\" could not be started: %s", c->argv[0],
                       strerror(failure));
    }
    out->handle = (int)syscall(SYS_pidfd_open, out->pid, 0);
    out->out = fds[3];
    out->err = fds[4];
    return RF_OK;
}

/* Gathering */

struct gathering {
    const struct rf_child *command;
    struct rf_arena *arena;
    struct running process;
    char *output, *errors;
    size_t output_n, output_cap, errors_n;
    char piece[PIECE];
};

/* False when there was too much. */
static bool add_output(struct gathering *g, size_t n)
{
    size_t room = g->command->most_output - g->output_n;
    size_t taken = n < room ? n : room;
    if (g->output_n + taken > g->output_cap) {
        size_t cap = g->output_cap ? g->output_cap * 2 : PIECE;
        while (cap < g->output_n + taken)
            cap *= 2;
        g->output = realloc(g->output, cap);
        if (!g->output)
            RF_NO_MEMORY();
        g->output_cap = cap;
    }
    if (taken)
        memcpy(g->output + g->output_n, g->piece, taken);
    g->output_n += taken;
    return n <= room;
}

/* The last of it stays. */
static void add_errors(struct gathering *g, size_t n)
{
    const char *from = g->piece;
    if (n > MOST_ERRORS) {
        from += n - MOST_ERRORS;
        n = MOST_ERRORS;
    }
    size_t keep = g->errors_n + n > MOST_ERRORS ? MOST_ERRORS - n : g->errors_n;
    memmove(g->errors, g->errors + g->errors_n - keep, keep);
    memcpy(g->errors + keep, from, n);
    g->errors_n = keep + n;
}

/* All that is there at the moment; false when there was too much. The end of it closes `*fd`. */
static bool take(struct gathering *g, int *fd)
{
    while (*fd >= 0) {
        ssize_t n = read(*fd, g->piece, sizeof g->piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0) {
            close(*fd);
            *fd = -1;
        } else if (fd == &g->process.err) {
            add_errors(g, (size_t)n);
            return true; /* the other one, and the clock, are looked at in between */
        } else {
            return add_output(g, (size_t)n);
        }
    }
    return true;
}

static bool has_ended(const struct running *p)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Whoever it left behind goes with it, and what had been written is taken. One that got away
 * from its group may go on writing: that is not waited for. */
static enum rf_child_fate drain(struct gathering *g)
{
    struct running *p = &g->process;
    int64_t until = rf_now_ms() + DRAIN_MS;
    kill(-p->pid, SIGKILL);
    while (rf_now_ms() < until) {
        struct pollfd fds[] = { { .fd = p->out, .events = POLLIN },
                                { .fd = p->err, .events = POLLIN } };
        if (poll(fds, 2, 0) <= 0)
            break;
        if (!take(g, &p->out))
            return RF_CHILD_TOO_LONG;
        take(g, &p->err);
    }
    return RF_CHILD_ENDED;
}

/* Until it has ended, or has to. */
static enum rf_child_fate gather(struct gathering *g)
{
    struct running *p = &g->process;
    int64_t until = rf_now_ms() + g->command->timeout_ms;
    for (;;) {
        int64_t left = until - rf_now_ms();
        struct pollfd fds[] = { { .fd = p->out, .events = POLLIN },
                                { .fd = p->err, .events = POLLIN },
                                { .fd = p->handle, .events = POLLIN },
                                { .fd = g->command->stop_fd, .events = POLLIN } };
        int most = p->handle >= 0 ? 60000 : LOOK_MS;
        if (left <= 0)
            return RF_CHILD_TOO_SLOW;
        if (poll(fds, 4, left < most ? (int)left : most) < 0)
            continue; /* a signal: those are not for this thread */
        if (fds[3].revents)
            return RF_CHILD_STOPPED;
        if (has_ended(p))
            return drain(g);
        if (!take(g, &p->out))
            return RF_CHILD_TOO_LONG;
        take(g, &p->err);
    }
}

/* Ending: while the command is not reaped, its number is its own, and so is that of its group. */
static void end(struct running *p, struct rf_child_end *out)
{
    siginfo_t info = { 0 };
    int rc;
    kill(-p->pid, SIGKILL);
    kill(p->pid, SIGKILL);
    do
        rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED);
    while (rc != 0 && errno == EINTR);
    if (rc == 0 && info.si_code == CLD_EXITED)
        out->status = info.si_status;
    else if (rc == 0)
        out->signal = info.si_status;
    close_all((const int[]){ p->out, p->err, p->handle }, 3);
}

void rf_child_run(const struct rf_child *c, struct rf_arena *a, struct rf_child_end *out)
{
    struct gathering *g = RF_NEW(a, struct gathering);
    *out = (struct rf_child_end){ .fate = RF_CHILD_NOT_STARTED };
    g->command = c;
    g->arena = a;
    if (start(c, &g->process, &out->err))
        return;
    g->errors = rf_arena_alloc(a, MOST_ERRORS);
    out->fate = gather(g);
    end(&g->process, out);
    out->output = rf_str_dup(a, (struct rf_str){ g->output, g->output_n });
    out->errors = (struct rf_str){ g->errors, g->errors_n };
    free(g->output);
}
