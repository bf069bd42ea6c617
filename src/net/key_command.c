/* Running a command for its key: in a process group of its own, without input, with what it says
 * about itself thrown away, and killed with all it started when its time is over.
 *
 *     runs ── its output ends ──▶ is reaped ──▶ gone
 *       └── its time is over, or nobody waits any more: killed ──▶ is reaped ──▶ gone */
#include "net/key_command.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/inside.h"

#include <refract/process.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OUTPUT 16384
#define KEPT_MS 300000 /* for so long: some print tokens that end */
#define NOT_FOUND 127  /* the status by which shells and spawning say so */
#define REAP_MS 10     /* between looks at a child that has closed its output */

/* What was printed: by as many commands as were run in that time. */

struct printed {
    struct printed *next;
    char *command, *key;
    int64_t until_ms;
    bool refused; /* not used any more, and a secret all the same */
};

static struct {
    pthread_mutex_t lock;
    struct printed *first;
    unsigned renewals;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool recall(struct rf_str command, struct rf_arena *a, struct rf_str *key)
{
    bool found = false;
    pthread_mutex_lock(&kept.lock);
    for (const struct printed *p = kept.first; p && !found; p = p->next) {
        found = rf_str_is(command, p->command) && !p->refused && rf_now_ms() < p->until_ms;
        if (found)
            *key = rf_str_dup(a, rf_str(p->key));
    }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

/* Under the lock. */
static void forget(struct printed **at)
{
    struct printed *p = *at;
    *at = p->next;
    explicit_bzero(p->key, strlen(p->key));
    free(p->key);
    free(p->command);
    free(p);
}

/* By what the command has printed now. */
static bool is_outdated(const struct printed *p, struct rf_str command, struct rf_str key)
{
    return rf_str_is(command, p->command) && (!p->refused || rf_str_is(key, p->key));
}

/* By a command that was started after so many renewals. */
static void remember(struct rf_str command, struct rf_str key, unsigned renewals)
{
    int64_t now = rf_now_ms();
    struct printed *new = malloc(sizeof *new);
    if (!new)
        RF_NO_MEMORY();
    *new = (struct printed){ .command = strndup(command.p, command.n),
                             .key = strndup(key.p, key.n),
                             .until_ms = now + KEPT_MS };
    if (!new->command || !new->key)
        RF_NO_MEMORY();
    pthread_mutex_lock(&kept.lock);
    for (struct printed **at = &kept.first; *at;)
        if ((*at)->until_ms <= now || is_outdated(*at, command, key))
            forget(at);
        else
            at = &(*at)->next;
    new->refused = renewals != kept.renewals;
    new->next = kept.first;
    kept.first = new;
    pthread_mutex_unlock(&kept.lock);
}

static unsigned renewals(void)
{
    pthread_mutex_lock(&kept.lock);
    unsigned count = kept.renewals;
    pthread_mutex_unlock(&kept.lock);
    return count;
}

void rf_key_commands_renew(void)
{
    pthread_mutex_lock(&kept.lock);
    kept.renewals++;
    for (struct printed *p = kept.first; p; p = p->next)
        p->refused = true;
    pthread_mutex_unlock(&kept.lock);
}

/* The process. */

static int spawn(char *const *argv, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char **environment = rf_program_environment(RF_PROGRAM_KEY, NULL, 0);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_init(&attributes);
    sigset_t none, pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none); /* a step blocks SIGPIPE */
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    int rc = posix_spawnp(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    return rc;
}

/* A run. */

struct rf_key_run {
    struct rf_errand errand; /* first: it is found by it */
    struct rf_key_run *next, **at;
    struct rf_net *net;
    struct rf_arena *arena;
    const char *program;
    pid_t pid;
    int fd;      /* its output, or -1 */
    bool silent; /* there is no more of it, or none is read */
    struct rf_timer timer;
    int64_t timeout_ms, deadline_ms;
    unsigned renewals; /* before it was started */
    bool killed;
    size_t n;
    char output[MAX_OUTPUT];
};

__attribute__((format(printf, 3, 4))) static enum rf_code
failed(struct rf_err *err, const char *program, const char *fmt, ...)
{
    char why[100];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    rf_fail(err, RF_ECONFIG, "the key_command \"%s\" %s", program, why);
    rf_hint(err, "Run it by hand: it should print the key alone, without asking anything.");
    return RF_ECONFIG;
}

static void close_output(struct rf_key_run *r)
{
    if (r->fd < 0)
        return;
    rf_loop_watch(&r->net->loop, r->fd, 0, NULL, NULL);
    close(r->fd);
    r->fd = -1;
}

static void run_free(struct rf_key_run *r)
{
    close_output(r);
    rf_timer_clear(&r->net->loop, &r->timer);
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    rf_arena_free(r->arena);
    explicit_bzero(r->output, sizeof r->output);
    free(r);
}

/* With all that it started; it is reaped later. */
static void kill_run(struct rf_key_run *r)
{
    r->killed = true;
    close_output(r);
    kill(-r->pid, SIGKILL);
    rf_timer_set(&r->net->loop, &r->timer, rf_now_ms());
}

static void stop_run(struct rf_errand *e)
{
    kill_run((struct rf_key_run *)e);
}

static enum rf_code outcome(const struct rf_key_run *r, int status, struct rf_str key,
                            struct rf_err *err)
{
    if (WIFSIGNALED(status))
        return failed(err, r->program, "was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == NOT_FOUND)
        return failed(err, r->program, "could not be run: a program is not there");
    if (WEXITSTATUS(status) != 0)
        return failed(err, r->program, "failed with status %d", WEXITSTATUS(status));
    return key.n ? RF_OK : failed(err, r->program, "printed nothing");
}

static void finish_run(struct rf_key_run *r, int status)
{
    struct rf_str rest = rf_str_trim((struct rf_str){ r->output, r->n }), line = { 0 };
    struct rf_err err = { 0 };
    rf_str_split(&rest, '\n', &line);
    line = rf_str_trim(line);
    enum rf_code rc = outcome(r, status, line, &err);
    if (!rc)
        remember(r->errand.name, line, r->renewals);
    rf_errand_end(&r->errand, rc, line, &err);
    run_free(r);
}

static void fail_late(struct rf_key_run *r)
{
    struct rf_err err = { 0 };
    kill_run(r);
    failed(&err, r->program, "did not end within %.1f s", (double)r->timeout_ms / 1000);
    rf_errand_end(&r->errand, RF_ECONFIG, (struct rf_str){ 0 }, &err);
}

/* Has it ended? A program that ignores SIGCHLD does not hear how: then what was printed counts. */
static bool reap(const struct rf_key_run *r, int *status)
{
    pid_t got = waitpid(r->pid, status, WNOHANG);
    return got == r->pid || (got < 0 && errno == ECHILD);
}

/* Its time is over, or its output is and it may have ended. */
static void look_after(void *ctx)
{
    struct rf_key_run *r = ctx;
    int64_t now = rf_now_ms();
    int status = 0;
    bool gone = (r->killed || r->silent) && reap(r, &status);
    if (gone && r->killed)
        run_free(r);
    else if (gone)
        finish_run(r, status);
    else if (!r->killed && now >= r->deadline_ms)
        fail_late(r);
    else
        rf_timer_set(&r->net->loop, &r->timer,
                     r->killed || r->silent ? now + REAP_MS : r->deadline_ms);
}

static void take_output(void *ctx, int fd, int events)
{
    struct rf_key_run *r = ctx;
    (void)events;
    ssize_t got = read(fd, r->output + r->n, MAX_OUTPUT - r->n);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    r->n += got > 0 ? (size_t)got : 0;
    if (got > 0 && r->n < MAX_OUTPUT)
        return;
    rf_loop_watch(&r->net->loop, fd, 0, NULL, NULL);
    r->silent = true;
    look_after(r);
}

static enum rf_code launch(struct rf_key_run *r, char **argv, struct rf_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return rf_fail_errno(err, "could not make a pipe for the key_command");
    int rc = spawn(argv, ends[1], &r->pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return failed(err, argv[0], "could not be run: %s", strerror(rc));
    }
    r->fd = ends[0];
    fcntl(r->fd, F_SETFL, O_NONBLOCK);
    return RF_OK;
}

/* Arguments with a byte between them that none of them holds. */
static struct rf_str identity(const struct rf_key_command *c, struct rf_arena *a)
{
    struct rf_str all = { "", 0 };
    for (size_t i = 0; i < c->count; i++)
        all = rf_str_join(a, rf_str_join(a, all, RF_STR("\x1f")), c->arguments[i]);
    return all;
}

bool rf_key_command_recall(const struct rf_key_command *c, struct rf_arena *a, struct rf_str *key)
{
    return recall(identity(c, a), a, key);
}

void rf_key_command_refuse(const struct rf_key_command *c, struct rf_str key)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str command = identity(c, a);
    pthread_mutex_lock(&kept.lock);
    for (struct printed *p = kept.first; p; p = p->next)
        p->refused |= rf_str_is(command, p->command) && rf_str_is(key, p->key);
    pthread_mutex_unlock(&kept.lock);
    rf_arena_free(a);
}

size_t rf_key_command_printed(const struct rf_key_command *c, struct rf_arena *a,
                              struct rf_str **keys)
{
    struct rf_str command = identity(c, a);
    size_t count = 0, room = 0;
    *keys = NULL;
    pthread_mutex_lock(&kept.lock);
    for (const struct printed *p = kept.first; p; p = p->next)
        if (rf_str_is(command, p->command))
            *RF_PUSH(a, *keys, count, room) = rf_str_dup(a, rf_str(p->key));
    pthread_mutex_unlock(&kept.lock);
    return count;
}

static struct rf_key_run *run_new(struct rf_net *n, struct rf_str name, struct rf_arena *a)
{
    struct rf_key_run *r = calloc(1, sizeof *r);
    if (!r)
        RF_NO_MEMORY();
    r->errand = (struct rf_errand){ .name = name, .stop = stop_run };
    r->net = n;
    r->arena = a;
    r->fd = -1;
    r->timer = (struct rf_timer){ .due = look_after, .ctx = r };
    r->next = n->key_runs;
    r->at = &n->key_runs;
    if (r->next)
        r->next->at = &r->next;
    n->key_runs = r;
    return r;
}

enum rf_code rf_key_command_start(struct rf_net *n, const struct rf_key_command *c,
                                  int64_t timeout_ms, struct rf_waiter *w, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str name = identity(c, a);
    struct rf_errand *running = rf_errand_find(n, name);
    if (running) {
        rf_waiter_join(w, running);
        rf_arena_free(a);
        return RF_OK;
    }
    struct rf_key_run *r = run_new(n, name, a);
    r->renewals = renewals();
    char **argv = RF_ARRAY(a, char *, c->count + 1);
    for (size_t i = 0; i < c->count; i++)
        argv[i] = (char *)rf_str_dup(a, c->arguments[i]).p;
    enum rf_code rc = launch(r, argv, err);
    if (rc) {
        run_free(r);
        return rc;
    }
    r->program = argv[0];
    r->timeout_ms = timeout_ms;
    r->deadline_ms = rf_now_ms() + timeout_ms;
    if (!rf_loop_watch(&n->loop, r->fd, RF_LOOP_READ, take_output, r)) {
        rc = rf_fail_errno(err, "could not wait for the key_command");
        kill_run(r);
        return rc;
    }
    rf_timer_set(&n->loop, &r->timer, r->deadline_ms);
    rf_errand_add(n, &r->errand);
    rf_waiter_join(w, &r->errand);
    return RF_OK;
}

/* Those that are left were killed. */
void rf_key_runs_free(struct rf_net *n)
{
    while (n->key_runs) {
        int status;
        while (waitpid(n->key_runs->pid, &status, 0) < 0 && errno == EINTR)
            ;
        run_free(n->key_runs);
    }
}
