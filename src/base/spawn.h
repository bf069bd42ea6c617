/* What a new process does not take over from this one. */
#ifndef RF_BASE_SPAWN_H
#define RF_BASE_SPAWN_H

#include <spawn.h>

/* No blocked or ignored signals, and a process group of its own: a Ctrl-C is not for it, and it can be ended
 * with all that it started. An errno, or 0. */
int rf_spawn_alone(posix_spawnattr_t *how);

#endif
