/* What a new process does not take over from this one. */
#ifndef RF_BASE_SPAWN_H
#define RF_BASE_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* No blocked or ignored signals, and a session of its own: a Ctrl-C is not for it, it has no
 * terminal to speak to, and it can be ended with all that it started. An errno, or 0. */
int rf_spawn_alone(posix_spawnattr_t *how);

/* Start a program in `folder` (NULL: ours) with these three for its standard input, output and
 * errors, and no other descriptor. It is alone as above and gets nothing by being started: no
 * set-user-id program gives it rights (no_new_privs), root's right to trace is taken from it,
 * and where Landlock can it reads nothing of processes that it did not start. What stays to root
 * is reading the environment of others, which the kernel allows to whoever may administrate the
 * system. An errno, or 0. */
int rf_spawn_program(pid_t *pid, const char *const *argv, const char *folder, const int fds[3],
                     char *const *environment);

/* The descriptor under a number that is out of the way of those three, and closed in programs;
 * -1 and errno. The old one is closed in any case. */
int rf_spawn_aside(int fd);

#endif
