/* What a new process does not take over from this one. */
#ifndef RF_BASE_SPAWN_H
#define RF_BASE_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* No blocked or ignored signals, and a session of its own: a Ctrl-C is not for it, it has no
 * terminal to speak to, and it can be ended with all that it started. An errno, or 0. */
int rf_spawn_alone(posix_spawnattr_t *how);

/* posix_spawnp for a program that gets nothing by being started: no set-user-id program gives it
 * rights (no_new_privs), root's right to trace is taken from it, and where Landlock can it reads
 * nothing of processes that it did not start. What stays to root is reading the environment of
 * others, which the kernel allows to whoever may administrate the system. */
int rf_spawn_confined(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
                      const posix_spawnattr_t *how, char *const *argv, char *const *environment);

#endif
