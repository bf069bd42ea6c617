#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end whatever the descriptor is; a size that is known saves the growing. */
static enum rf_code read_all(int fd, const char *shown, size_t max, size_t expected,
                             struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    size_t cap = expected + 1, n = 0;
    char *p = rf_arena_grow(a, NULL, 0, cap + 1);
    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rf_fail_errno(err, "could not read \"%s\"", shown);
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max)
            return rf_fail(err, RF_ELIMIT, "\"%s\" is over the limit of %zu bytes", shown, max);
        if (n == cap) {
            size_t grown = cap * 2;
            p = rf_arena_grow(a, p, cap + 1, grown + 1);
            cap = grown;
        }
    }
    p[n] = '\0';
    *out = (struct rf_str){ p, n };
    return RF_OK;
}

enum rf_code rf_file_read(const char *path, size_t max, struct rf_arena *a, struct rf_str *out,
                          struct rf_err *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", max, 65536, a, out, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rf_fail_errno(err, "could not open \"%s\"", path);
    struct stat st;
    enum rf_code rc;
    if (fstat(fd, &st) != 0)
        rc = rf_fail_errno(err, "could not look at \"%s\"", path);
    else if (S_ISDIR(st.st_mode))
        rc = rf_fail(err, RF_EIO, "\"%s\" is a folder", path);
    else if ((uintmax_t)st.st_size > max)
        rc = rf_fail(err, RF_ELIMIT, "\"%s\" has %jd bytes, limit is %zu", path,
                     (intmax_t)st.st_size, max);
    else
        rc = read_all(fd, path, max, st.st_size > 0 ? (size_t)st.st_size : 65536, a, out, err);
    close(fd);
    return rc;
}
