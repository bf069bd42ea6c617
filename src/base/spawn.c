#include "base/spawn.h"

#include "base/error.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

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

/* Root's right to trace is not there where we are not root; nothing to be taken then. */
static void *start_confined(void *ctx)
{
    struct start *s = ctx;
    prctl(PR_CAPBSET_DROP, (unsigned long)CAP_SYS_PTRACE, 0L, 0L, 0L);
    s->rc = prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
                ? posix_spawnp(s->pid, s->file, s->files, s->how, s->argv, s->environment)
                : errno;
    return NULL;
}

/* Both are given up by a thread, for itself and its children; posix_spawn has no way to say them. */
int rf_spawn_confined(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
                      const posix_spawnattr_t *how, char *const *argv, char *const *environment)
{
    struct start s = { pid, file, files, how, argv, environment, 0 };
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, start_confined, &s);
    if (rc)
        return rc;
    pthread_join(thread, NULL);
    return s.rc;
}
