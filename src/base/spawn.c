#include "base/spawn.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
#define LOWEST_DESCRIPTOR 10     /* ours, out of the way of those that a program gets */
#define SCOPE_ABSTRACT_SOCKETS 1 /* LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET */

int rf_spawn_alone(posix_spawnattr_t *how)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawnattr_setsigmask(how, &none);
    if (!rc)
        rc = posix_spawnattr_setsigdefault(how, &all);
    return rc ? rc
              : posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                  POSIX_SPAWN_SETSID);
}

struct start {
    pid_t *pid;
    const char *file;
    const posix_spawn_file_actions_t *files;
    const posix_spawnattr_t *how;
    char *const *argv, *const *environment;
    int rc;
};

/* A process within a domain of Landlock reads nothing of those outside; the domain has to forbid
 * something of its own. Before ABI 6 there is nothing that no tool needs. */
static void leave_others_alone(void)
{
    const struct {
        uint64_t files, network, scoped;
    } rules = { .scoped = SCOPE_ABSTRACT_SOCKETS };
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (fd < 0)
        return;
    syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
}

/* Root's right to trace is not there where we are not root; nothing to be taken then. */
static void *start_confined(void *ctx)
{
    struct start *s = ctx;
    prctl(PR_CAPBSET_DROP, (unsigned long)CAP_SYS_PTRACE, 0L, 0L, 0L);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0) {
        s->rc = errno;
        return NULL;
    }
    leave_others_alone();
    s->rc = posix_spawnp(s->pid, s->file, s->files, s->how, s->argv, s->environment);
    return NULL;
}

/* All of it is given up by a thread, for itself and its children; posix_spawn has no way to say
 * them. */
static int spawn_confined(struct start *s)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, start_confined, s);
    if (rc)
        return rc;
    pthread_join(thread, NULL);
    return s->rc;
}

static int prepare_files(posix_spawn_file_actions_t *files, const char *folder, const int fds[3])
{
    int rc = 0;
    for (int i = 0; i < 3 && !rc; i++)
        rc = posix_spawn_file_actions_adddup2(files, fds[i], i);
    if (!rc)
        rc = posix_spawn_file_actions_addclosefrom_np(files, 3);
    return rc || !folder ? rc : posix_spawn_file_actions_addchdir_np(files, folder);
}

int rf_spawn_program(pid_t *pid, const char *const *argv, const char *folder, const int fds[3],
                     char *const *environment)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    struct start s = { pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv, environment, 0 };
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    int rc = prepare_files(&files, folder, fds);
    if (!rc)
        rc = rf_spawn_alone(&how);
    if (!rc)
        rc = spawn_confined(&s);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

int rf_spawn_aside(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    int saved = errno;
    close(fd);
    errno = saved;
    return moved;
}
