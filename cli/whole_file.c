#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "report.h"

#define OPEN_FILES "/proc/self/fd"
#define MOST_NAMES \
    100 /* that are tried: others may be of files of somebody's own, or left behind */

static enum rf_code cannot_write(const char *path, struct rf_err *err)
{
    int why = errno;
    rf_say(err, RF_EIO, "could not write \"%s\": %s", path, strerror(why));
    errno = why;
    return RF_EIO;
}

/* A file in the folder of `path` that has no name yet, so that nothing is left of it should we be
 * killed. -1 where the file system or the system has no such files. */
static int open_nameless(const char *path, mode_t mode)
{
    char *folder = rf_input_folder_of(path);
    int fd =
        access(OPEN_FILES, X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
    free(folder);
    return fd;
}

/* Where it is in the end. A file that is replaced may be one that a link leads to; a new one is
 * never written through a link. */
static char *target_of(const char *path, enum rf_whole_file_name how)
{
    char *target = how == RF_WHOLE_FILE_REPLACE ? realpath(path, NULL) : NULL;
    if (!target && !(target = strdup(path)))
        abort();
    return target;
}

/* The next name that it may have meanwhile. False where there are no more, or the last one failed
 * for another reason than that it was taken. */
static bool next_name(struct rf_whole_file *f, int *tried)
{
    if (*tried == MOST_NAMES || (*tried > 0 && errno != EEXIST))
        return false;
    free(f->made);
    if (asprintf(&f->made, "%s.new%d", f->target, (*tried)++) < 0)
        abort();
    return true;
}

static int open_named(struct rf_whole_file *f, mode_t mode)
{
    int fd = -1;
    for (int tried = 0; fd < 0 && next_name(f, &tried);)
        fd = open(f->made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return fd;
}

enum rf_code rf_whole_file_open(struct rf_whole_file *f, const char *path,
                                enum rf_whole_file_name how, mode_t mode, struct rf_err *err)
{
    struct stat st;
    bool there = how == RF_WHOLE_FILE_REPLACE && stat(path, &st) == 0;
    *f = (struct rf_whole_file){ .path = path, .target = target_of(path, how), .how = how };
    f->special = there && !S_ISREG(st.st_mode);
    f->mode = there ? st.st_mode & 0777 : 0;
    f->fd = f->special ? open(path, O_WRONLY | O_CLOEXEC) : open_nameless(f->target, mode);
    if (f->fd < 0 && !f->special) {
        f->fd = open_named(f, mode);
        f->named = f->fd >= 0;
    }
    if (f->fd >= 0)
        return RF_OK;
    cannot_write(path, err);
    free(f->made);
    free(f->target);
    return RF_EIO;
}

static bool give_name(const struct rf_whole_file *f, const char *name)
{
    char self[sizeof OPEN_FILES + 16];
    snprintf(self, sizeof self, OPEN_FILES "/%d", f->fd);
    return f->named ? link(f->made, name) == 0
                    : linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Who may read and run the old one may the new one. */
static bool replace(struct rf_whole_file *f)
{
    if (f->mode && fchmod(f->fd, f->mode) != 0)
        return false;
    for (int tried = 0; !f->named && next_name(f, &tried);)
        f->named = give_name(f, f->made);
    if (!f->named || rename(f->made, f->target) != 0)
        return false;
    f->named = false;
    return true;
}

enum rf_code rf_whole_file_close(struct rf_whole_file *f, enum rf_code rc, struct rf_err *err)
{
    if (!rc && !f->special &&
        (fsync(f->fd) != 0 ||
         !(f->how == RF_WHOLE_FILE_NEW ? give_name(f, f->target) : replace(f))))
        rc = cannot_write(f->path, err);
    int why = errno;
    if (f->named)
        unlink(f->made);
    close(f->fd);
    free(f->made);
    free(f->target);
    errno = why;
    return rc;
}

static enum rf_code write_all(const struct rf_whole_file *f, struct rf_str rest, struct rf_err *err)
{
    while (rest.n) {
        ssize_t n = write(f->fd, rest.p, rest.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_write(f->path, err);
        rest = (struct rf_str){ rest.p + n, rest.n - (size_t)n };
    }
    return RF_OK;
}

enum rf_code rf_whole_file_write(const char *path, struct rf_str bytes, enum rf_whole_file_name how,
                                 struct rf_err *err)
{
    struct rf_whole_file f;
    enum rf_code rc = rf_whole_file_open(&f, path, how, 0666, err);
    return rc ? rc : rf_whole_file_close(&f, write_all(&f, bytes, err), err);
}
