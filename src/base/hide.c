/* Moving the environment out of the block that the system shows, and closing /proc. */
#include <refract/process.h>

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The old lines stay where they are, as zeros: the system remembers where they stood, not what.
 * The C library may make another array of the lines later, or take some out, and frees none. */
static void move_environment(void)
{
    static char **moved, *lines;
    size_t n = 0, bytes = 0;
    for (; environ && environ[n]; n++)
        bytes += strlen(environ[n]) + 1;
    moved = calloc(n + 1, sizeof *moved);
    lines = malloc(bytes + 1);
    if (!moved || !lines)
        RF_NO_MEMORY();
    for (size_t i = 0, at = 0; i < n; i++) {
        size_t length = strlen(environ[i]);
        moved[i] = memcpy(lines + at, environ[i], length + 1);
        explicit_bzero(environ[i], length);
        at += length + 1;
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
