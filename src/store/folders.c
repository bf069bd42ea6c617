/* Folders, one step at a time: a name is synced in the folder above before the next one is made in
 * it. */
#include "store/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum rf_code rf_could_not(const char *what, const char *path, struct rf_err *err)
{
    int e = errno;
    rf_fail_errno(err, "could not %s \"%s\"", what, path);
    if (e == ENOSPC || e == EDQUOT)
        rf_hint(err, "Free some space on that disk and try again; nothing was lost.");
    else if (e == EROFS || e == EACCES || e == EPERM)
        rf_hint(err, "Make the folder writable for you, or choose another with \"store\" in the "
                     "configuration.");
    else if (e == EFBIG)
        rf_hint(err, "The file system, or a limit on this process, takes no file of that size.");
    else if (e == EIO)
        rf_hint(err, "See whether the disk is well; what was kept before is still there.");
    else
        rf_hint(err, "Name another place for the store, if this one cannot be mended.");
    if (err)
        err->code = RF_EIO;
    return RF_EIO;
}

/* A file system that cannot promise it says so by EINVAL. */
enum rf_code rf_folder_sync(const char *path, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return rf_could_not("open the folder", path, err);
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        rc = rf_could_not("write to the folder", path, err);
    close(fd);
    return rc;
}

static enum rf_code make_one(char *path, struct rf_err *err)
{
    if (mkdir(path, 0700) != 0)
        return errno == EEXIST || errno == EISDIR ? RF_OK
                                                  : rf_could_not("make the folder", path, err);
    if (chmod(path, 0700) != 0)
        return rf_could_not("set the permissions of", path, err);
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return rf_folder_sync(slash ? "/" : ".", err);
    *slash = '\0';
    enum rf_code rc = rf_folder_sync(path, err);
    *slash = '/';
    return rc;
}

/* A path that is too long for `part` is too long for the system too, which then says so. */
enum rf_code rf_folders_make(const char *path, struct rf_err *err)
{
    char part[PATH_MAX + 128];
    enum rf_code rc = RF_OK;
    struct stat st;
    snprintf(part, sizeof part, "%s", path);
    if (stat(part, &st) == 0)
        return RF_OK;
    for (char *slash = strchr(part + 1, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (stat(part, &st) != 0)
            rc = make_one(part, err);
        *slash = '/';
    }
    return rc ? rc : make_one(part, err);
}
