#include "piped.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <refract/temporary.h>

#include "input.h"
#include "report.h"

#define MOST_BYTES ((size_t)64 << 20)
#define PATIENCE_MS 2000

/* One a process: a signal handler has to find it. */
static struct rf_temporary folder;
static char file[RF_TEMPORARY_PATH + 16];

bool rf_piped_is_meant(const char *word)
{
    return word[0] == '-' && (word[1] == '\0' || word[1] == '#');
}

bool rf_piped_is_there(void)
{
    struct stat st;
    return fstat(STDIN_FILENO, &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISREG(st.st_mode));
}

enum rf_code rf_piped_read(struct rf_str *out, struct rf_err *err)
{
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
    if (poll(&in, 1, PATIENCE_MS) == 0)
        fputs("note: waiting for standard input; </dev/null leaves it out\n", stderr);
    return rf_input_take("-", MOST_BYTES, out, err);
}

bool rf_piped_is_text(struct rf_str s)
{
    for (size_t i = 0, n; i < s.n; i += n) {
        n = rf_character((struct rf_str){ s.p + i, s.n - i });
        if (!n || s.p[i] == '\0')
            return false;
    }
    return true;
}

static bool write_all(const char *path, struct rf_str bytes)
{
    FILE *out = fopen(path, "wxe");
    if (!out)
        return false;
    bool good = fwrite(bytes.p, 1, bytes.n, out) == bytes.n;
    return fclose(out) == 0 && good;
}

const char *rf_piped_keep(struct rf_str bytes, struct rf_err *err)
{
    if (rf_temporary_make(&folder, err))
        return NULL;
    snprintf(file, sizeof file, "%s/" RF_PIPED_NAME, folder.path); /* its bytes say what it is */
    if (write_all(file, bytes))
        return file;
    rf_say(err, RF_EIO, "could not keep what was piped in as \"%s\": %s", file, strerror(errno));
    rf_say_hint(err, "Set TMPDIR to a folder that has room for it.");
    return NULL;
}

void rf_piped_drop(void)
{
    int saved = errno;
    if (file[0])
        unlink(file);
    if (folder.path[0])
        rmdir(folder.path);
    file[0] = folder.path[0] = '\0';
    errno = saved;
}
