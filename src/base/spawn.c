#include "base/spawn.h"

#include <signal.h>

int rf_spawn_alone(posix_spawnattr_t *how)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawnattr_setsigmask(how, &none);
    if (!rc)
        rc = posix_spawnattr_setsigdefault(how, &all);
    if (!rc)
        rc = posix_spawnattr_setpgroup(how, 0);
    return rc ? rc
              : posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                  POSIX_SPAWN_SETPGROUP);
}
