/* Programs are looked for in $REFRACT_WORKERS alone where that is set; else beside this library
 * and beside the running program, where a build tree has them in worker/FAMILY/; else where they
 * are installed. A program that somebody else could have put there, or could change, is not
 * started.
 *
 * A worker starts with an environment of a few lines, /dev/null at 0, 1 and 2, its socket at 3,
 * nothing else open, and a session of its own, so that ^C in a terminal does not reach it. */
#include "media/worker_process.h"

#include "base/spawn.h"
#include "media/protocol.h"

#include <refract/process.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOWEST_DESCRIPTOR 10 /* ours, out of the way of those that a worker gets */
#define WAIT_ID_PIDFD ((idtype_t)3)
#define MAX_ALIVE ((size_t)256) /* workers that are waited for when the process ends */

/* Finding */

/* Ours or root's, and nobody else may write it. */
static bool is_trusted(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid == 0 || st.st_uid == geteuid()) && !(st.st_mode & S_IWOTH) &&
           access(path, X_OK) == 0;
}

static bool is_at(char path[PATH_MAX], const char *folder, size_t folder_n, const char *below,
                  const char *family)
{
    int n =
        snprintf(path, PATH_MAX, "%.*s%s/refract-media-%s", (int)folder_n, folder, below, family);
    return n > 0 && n < PATH_MAX && is_trusted(path);
}

/* In the folder itself, or in one of the family's name below it. */
static bool is_in(char path[PATH_MAX], const char *folder, size_t folder_n, const char *below,
                  const char *family)
{
    char deeper[64];
    snprintf(deeper, sizeof deeper, "%s/%s", below, family);
    return is_at(path, folder, folder_n, below, family) ||
           is_at(path, folder, folder_n, deeper, family);
}

static bool is_beside(char path[PATH_MAX], const char *file, const char *family)
{
    const char *slash = strrchr(file, '/');
    return file[0] == '/' && slash && is_in(path, file, (size_t)(slash - file), "/worker", family);
}

static bool is_beside_library(char path[PATH_MAX], const char *family)
{
    static const char here;
    Dl_info info;
    char real[PATH_MAX];
    return dladdr(&here, &info) && info.dli_fname && realpath(info.dli_fname, real) &&
           is_beside(path, real, family);
}

static bool is_beside_program(char path[PATH_MAX], const char *family)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return false;
    program[n] = '\0';
    return is_beside(path, program, family);
}

static enum rf_code find(const char *family, char path[PATH_MAX], struct rf_err *err)
{
    const char *folder = secure_getenv("REFRACT_WORKERS");
    bool found = folder && *folder
                     ? is_in(path, folder, strlen(folder), "", family)
                     : is_beside_library(path, family) || is_beside_program(path, family) ||
                           is_in(path, RF_WORKER_DIR, strlen(RF_WORKER_DIR), "", family);
    if (found)
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "the program \"refract-media-%s\" is not installed", family);
    rf_advise(err, RF_REASON_NO_WORKER,
              "Install it to \"%s\", or name its folder in REFRACT_WORKERS.",
              folder && *folder ? folder : RF_WORKER_DIR);
    return RF_ECONFIG;
}

/* Those that live */

/* For the end of the process, which may come in a signal handler: so there is no lock. `pid` is 0
 * in a place that is free, and less in one that is being filled. */
static struct {
    _Atomic pid_t pid;
    atomic_int handle;
} alive[MAX_ALIVE];
static _Atomic pid_t owner; /* whose children they are */

void rf_processes_forget(void)
{
    for (size_t i = 0; i < MAX_ALIVE; i++)
        alive[i].pid = 0;
    owner = getpid();
}

/* Where there is no place left, it is not waited for when the process ends. */
static void enter(const struct rf_process *p)
{
    for (size_t i = 0; i < MAX_ALIVE; i++) {
        pid_t none = 0;
        if (!atomic_compare_exchange_strong(&alive[i].pid, &none, -1))
            continue;
        alive[i].handle = p->handle;
        alive[i].pid = p->pid;
        return;
    }
}

static void leave(const struct rf_process *p)
{
    for (size_t i = 0; i < MAX_ALIVE; i++)
        if (alive[i].pid == p->pid) {
            alive[i].pid = 0;
            return;
        }
}

/* Starting */

static int prepare_files(posix_spawn_file_actions_t *files, int socket)
{
    int rc = 0;
    for (int fd = 0; fd < 3 && !rc; fd++)
        rc = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(files, socket, RF_WORKER_SOCKET);
    return rc ? rc : posix_spawn_file_actions_addclosefrom_np(files, RF_WORKER_SOCKET + 1);
}

/* An errno, or 0. */
static int spawn(const char *path, enum rf_sandbox least, int socket, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    char reduced[] = RF_WORKER_REDUCED;
    char *argv[] = { (char *)(uintptr_t)path, least == RF_SANDBOX_REDUCED ? reduced : NULL, NULL };
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    rc = posix_spawnattr_init(&how);
    if (!rc) {
        char **environment = rf_program_environment(RF_PROGRAM_WORKER, NULL, 0);
        rc = prepare_files(&files, socket);
        if (!rc)
            rc = rf_spawn_alone(&how);
        if (!rc)
            rc = posix_spawn(pid, path, &files, &how, argv, environment);
        free(environment);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Both ends, the worker's out of the way of the descriptors that it will be given. */
static bool make_pair(int pair[2])
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        pair[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    close(ends[0]);
    close(ends[1]);
    if (pair[0] >= 0 && pair[1] >= 0)
        return true;
    int saved = errno;
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    errno = saved;
    return false;
}

/* No signal of ours comes between its start and its entry. An errno, or 0. */
static int spawn_entered(const char *path, enum rf_sandbox least, const int pair[2],
                         struct rf_process *out)
{
    sigset_t all, before;
    pid_t pid;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failure = spawn(path, least, pair[1], &pid);
    if (!failure) {
        *out = (struct rf_process){ pid, (int)syscall(SYS_pidfd_open, pid, 0), pair[0] };
        enter(out);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

enum rf_code rf_process_start(const char *family, enum rf_sandbox least, struct rf_process *out,
                              struct rf_err *err)
{
    char path[PATH_MAX];
    int pair[2];
    enum rf_code rc = find(family, path, err);
    if (rc)
        return rc;
    if (!make_pair(pair))
        return rf_fail_errno(err, "could not make a socket for \"%s\"", path);
    int failure = spawn_entered(path, least, pair, out);
    close(pair[1]);
    if (failure) {
        close(pair[0]);
        return rf_fail(err, RF_ECONFIG, "could not start \"%s\": %s", path, strerror(failure));
    }
    return RF_OK;
}

/* Ending */

/* False when it was reaped by somebody else, so that its number may be a stranger's. */
static bool is_ours(const struct rf_process *p)
{
    if (p->handle >= 0)
        return syscall(SYS_pidfd_send_signal, p->handle, 0, NULL, 0) == 0;
    siginfo_t info;
    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static bool kill_group(const struct rf_process *p)
{
    if (!is_ours(p))
        return false;
    kill(-p->pid, SIGKILL);
    kill(p->pid, SIGKILL);
    return true;
}

/* False when somebody else has waited for it. */
static bool wait_for(const struct rf_process *p, siginfo_t *info)
{
    int rc;
    do
        rc = p->handle >= 0 ? waitid(WAIT_ID_PIDFD, (id_t)p->handle, info, WEXITED)
                            : waitid(P_PID, (id_t)p->pid, info, WEXITED);
    while (rc != 0 && errno == EINTR);
    return rc == 0;
}

void rf_process_kill(const struct rf_process *p)
{
    kill_group(p);
}

struct rf_process_end rf_process_end(struct rf_process *p)
{
    struct rf_process_end end = { 0 };
    siginfo_t info = { 0 };
    end.known = kill_group(p) && wait_for(p, &info);
    if (end.known && info.si_code == CLD_EXITED)
        end.status = info.si_status;
    else if (end.known)
        end.signal = info.si_status;
    leave(p);
    close(p->socket);
    if (p->handle >= 0)
        close(p->handle);
    return end;
}

void rf_process_end_workers(void)
{
    int error = errno;
    siginfo_t info;
    for (size_t i = 0; owner == getpid() && i < MAX_ALIVE; i++) {
        struct rf_process p = { .pid = alive[i].pid, .handle = alive[i].handle };
        if (p.pid > 0)
            kill_group(&p);
    }
    for (size_t i = 0; owner == getpid() && i < MAX_ALIVE; i++) {
        struct rf_process p = { .pid = alive[i].pid, .handle = alive[i].handle };
        if (p.pid > 0)
            wait_for(&p, &info);
    }
    errno = error;
}

bool rf_process_idle(const struct rf_process *p)
{
    char byte;
    return recv(p->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

bool rf_process_alive(const struct rf_process *p)
{
    char byte;
    ssize_t said = recv(p->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return said > 0 || (said < 0 && errno == EAGAIN);
}
