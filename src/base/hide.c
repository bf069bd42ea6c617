/* Moving the environment out of the block that the system shows, and closing /proc. */
#include <refract/process.h>

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The old lines stay where they are, as zeros: the system remembers where they stood, not what.
 * The C library may make another array of the lines later, and does not free ours. */
static void move_environment(void)
{
    static char **moved;
    size_t n = 0;
    while (environ && environ[n])
        n++;
    moved = calloc(n + 1, sizeof *moved);
    if (!moved)
        RF_NO_MEMORY();
    for (size_t i = 0; i < n; i++) {
        moved[i] = strdup(environ[i]);
        if (!moved[i])
            RF_NO_MEMORY();
        explicit_bzero(environ[i], strlen(environ[i]));
    }
    environ = moved;
}

void rf_process_hide(void)
{
    static bool hidden;
    if (hidden)
        return;
    hidden = true;
    move_environment();
    prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}
