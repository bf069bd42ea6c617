/* Running a command for its key: in a process group of its own, without input, with what it says
 * about itself thrown away, and killed with all it started when its time is over. */
#include "net/key_command.h"

#include "base/arena.h"
#include "base/clock.h"

#include <refract/process.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT 16384
#define KEPT 8         /* commands whose keys are remembered */
#define KEPT_MS 300000 /* for so long: some print tokens that end */
#define NOT_FOUND 127  /* the status by which shells and spawning say so */
#define REAP_MS 10     /* between looks at a child that has closed its output */

/* What was printed. */

static struct {
    pthread_mutex_t lock;
    struct {
        char *command, *key;
        int64_t until_ms;
    } entries[KEPT];
    size_t next;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool recall(struct rf_str command, struct rf_arena *a, struct rf_str *key)
{
    bool found = false;
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; i < KEPT && !found; i++) {
        found = kept.entries[i].command && rf_str_is(command, kept.entries[i].command) &&
                rf_now_ms() < kept.entries[i].until_ms;
        if (found)
            *key = rf_str_dup(a, rf_str(kept.entries[i].key));
    }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

static void forget(size_t i)
{
    if (kept.entries[i].key)
        explicit_bzero(kept.entries[i].key, strlen(kept.entries[i].key));
    free(kept.entries[i].key);
    free(kept.entries[i].command);
    kept.entries[i].key = kept.entries[i].command = NULL;
}

static void remember(struct rf_str command, struct rf_str key)
{
    pthread_mutex_lock(&kept.lock);
    size_t i = 0;
    while (i < KEPT && !(kept.entries[i].command && rf_str_is(command, kept.entries[i].command)))
        i++;
    if (i == KEPT)
        i = kept.next++ % KEPT;
    forget(i);
    kept.entries[i].command = strndup(command.p, command.n);
    kept.entries[i].key = strndup(key.p, key.n);
    if (!kept.entries[i].command || !kept.entries[i].key)
        RF_BUG("out of memory");
    kept.entries[i].until_ms = rf_now_ms() + KEPT_MS;
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
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int rc = posix_spawnp(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    return rc;
}

/* All that comes before `deadline`; false when that passes. */
static bool gather(int fd, int64_t deadline, char *buf, size_t *n)
{
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = deadline - rf_now_ms();
        if (left <= 0 || *n == MAX_OUTPUT)
            return *n == MAX_OUTPUT;
        if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
            return false;
        if (!p.revents)
            continue;
        ssize_t got = read(fd, buf + *n, MAX_OUTPUT - *n);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        *n += got > 0 ? (size_t)got : 0;
    }
}

static bool reap(pid_t pid, int64_t deadline, int *status)
{
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return true;
        if ((got < 0 && errno != EINTR) || rf_now_ms() >= deadline)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = REAP_MS * 1000000L }, NULL);
    }
}

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

static enum rf_code wait_for(pid_t pid, int fd, const char *program, int64_t timeout_ms, char *buf,
                             size_t *n, struct rf_err *err)
{
    int64_t deadline = rf_now_ms() + timeout_ms;
    int status = 0;
    if (!gather(fd, deadline, buf, n) || !reap(pid, deadline, &status)) {
        kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        return failed(err, program, "did not end within %.1f s", (double)timeout_ms / 1000);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return RF_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return failed(err, program, "could not be run: a program is not there");
    if (WIFEXITED(status))
        return failed(err, program, "failed with status %d", WEXITSTATUS(status));
    return failed(err, program, "was ended by signal %d", WTERMSIG(status));
}

static enum rf_code run(char **argv, int64_t timeout_ms, char *buf, size_t *n, struct rf_err *err)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return rf_fail_errno(err, "could not make a pipe for the key_command");
    int rc = spawn(argv, ends[1], &pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return failed(err, argv[0], "could not be run: %s", strerror(rc));
    }
    enum rf_code code = wait_for(pid, ends[0], argv[0], timeout_ms, buf, n, err);
    close(ends[0]);
    return code;
}

/* Arguments with a byte between them that none of them holds. */
static struct rf_str identity(const struct rf_str *arguments, size_t count, struct rf_arena *a)
{
    struct rf_str all = { "", 0 };
    for (size_t i = 0; i < count; i++)
        all = rf_str_join(a, rf_str_join(a, all, RF_STR("\x1f")), arguments[i]);
    return all;
}

enum rf_code rf_key_command(const struct rf_str *arguments, size_t count, int64_t timeout_ms,
                            struct rf_arena *a, struct rf_str *key, struct rf_err *err)
{
    struct rf_str command = identity(arguments, count, a), rest, line = { 0 };
    char buf[MAX_OUTPUT];
    size_t n = 0;
    if (recall(command, a, key))
        return RF_OK;
    char **argv = RF_ARRAY(a, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        argv[i] = (char *)rf_str_dup(a, arguments[i]).p;
    enum rf_code rc = run(argv, timeout_ms, buf, &n, err);
    rest = rf_str_trim((struct rf_str){ buf, n });
    rf_str_split(&rest, '\n', &line);
    line = rf_str_trim(line);
    if (!rc && !line.n)
        rc = failed(err, argv[0], "printed nothing");
    if (!rc) {
        *key = rf_str_dup(a, line);
        remember(command, *key);
    }
    explicit_bzero(buf, sizeof buf);
    return rc;
}
