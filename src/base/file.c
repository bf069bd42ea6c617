#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES 500 /* each TRY_MS: no process needs it for longer than some milliseconds */
#define TRY_MS 10

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

static enum rf_code check_regular(int fd, const char *path, size_t max, struct stat *st,
                                  struct rf_err *err)
{
    if (fstat(fd, st) != 0)
        return rf_fail_errno(err, "could not look at \"%s\"", path);
    if (S_ISDIR(st->st_mode))
        return rf_fail(err, RF_EIO, "\"%s\" is a folder", path);
    if (!S_ISREG(st->st_mode))
        return rf_fail(err, RF_EIO, "\"%s\" is not a regular file", path);
    if ((uintmax_t)st->st_size > max)
        return rf_fail(err, RF_ELIMIT, "\"%s\" has %jd bytes, limit is %zu", path,
                       (intmax_t)st->st_size, max);
    return RF_OK;
}

enum writers { ANYBODY, OWNER };

static enum rf_code read_regular(const char *path, enum writers writers, size_t max,
                                 struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct stat st = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return rf_fail_errno(err, "could not open \"%s\"", path);
    enum rf_code rc = check_regular(fd, path, max, &st, err);
    if (!rc && writers == OWNER && (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))))
        rc = rf_fail(err, RF_EPERMISSION, "others may write to \"%s\"", path);
    if (!rc)
        rc = read_all(fd, path, max, st.st_size > 0 ? (size_t)st.st_size : 65536, a, out, err);
    close(fd);
    return rc;
}

enum rf_code rf_file_read(const char *path, size_t max, struct rf_arena *a, struct rf_str *out,
                          struct rf_err *err)
{
    return read_regular(path, ANYBODY, max, a, out, err);
}

enum rf_code rf_file_read_own(const char *path, size_t max, struct rf_arena *a, struct rf_str *out,
                              struct rf_err *err)
{
    return read_regular(path, OWNER, max, a, out, err);
}

enum rf_code rf_input_read(const char *path, size_t max, struct rf_arena *a, struct rf_str *out,
                           struct rf_err *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", max, 65536, a, out, err);
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return rf_file_read(path, max, a, out, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rf_fail_errno(err, "could not open \"%s\"", path);
    enum rf_code rc = read_all(fd, path, max, 65536, a, out, err);
    close(fd);
    return rc;
}

/* Locking */

void rf_file_folders(const char *path, struct rf_arena *a)
{
    struct rf_str copy = rf_str_dup(a, rf_str(path));
    char *p = (char *)(uintptr_t)copy.p;
    for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(p, 0700); /* or it is there; opening the file tells */
        *slash = '/';
    }
}

static enum rf_code wait_for(int fd, const char *name, struct rf_err *err)
{
    const struct timespec pause = { 0, TRY_MS * 1000000L };
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return RF_OK;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return rf_fail_errno(err, "could not lock \"%s\"", name);
        nanosleep(&pause, NULL);
    }
    return rf_fail(err, RF_EIO, "another process does not let go of \"%s\"", name);
}

enum rf_code rf_file_lock(const char *path, struct rf_arena *a, int *fd, struct rf_err *err)
{
    const char *name = rf_strf(a, "%s.lock", path).p;
    rf_file_folders(path, a);
    int found = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum rf_code rc =
        found < 0 ? rf_fail_errno(err, "could not open \"%s\"", name) : wait_for(found, name, err);
    if (rc && found >= 0)
        close(found);
    if (!rc)
        *fd = found;
    return rc == RF_ENOTFOUND ? RF_EIO : rc;
}

/* Replacing */

static bool write_all(int fd, struct rf_str text)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text.p += n;
        text.n -= (size_t)n;
    }
    return true;
}

/* That the new name survives a loss of power; where a file system cannot promise it, nothing is
 * lost but that. */
static void sync_folder(const char *path, struct rf_arena *a)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? rf_cstr(a, (struct rf_str){ path, (size_t)(slash + 1 - path) }) : ".";
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

enum rf_code rf_file_replace(const char *path, struct rf_str text, struct rf_arena *a,
                             struct rf_err *err)
{
    const char *name = rf_strf(a, "%s.new", path).p;
    unlink(name); /* left by one that died, or put there by somebody */
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum rf_code rc = RF_OK;
    if (fd < 0)
        return rf_fail_errno(err, "could not open \"%s\"", name);
    if (!write_all(fd, text) || fsync(fd) != 0)
        rc = rf_fail_errno(err, "could not write \"%s\"", name);
    if (close(fd) != 0 && !rc)
        rc = rf_fail_errno(err, "could not write \"%s\"", name);
    if (!rc && rename(name, path) != 0)
        rc = rf_fail_errno(err, "could not replace \"%s\"", path);
    if (rc)
        unlink(name);
    else
        sync_folder(path, a);
    return rc;
}
