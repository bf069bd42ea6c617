/* PARENT/refract-run-XXXXXX, with a lock (flock) on the folder itself: shared by whoever has it,
 * exclusive for whoever takes it away. The parent is everybody's: a name there proves nothing, so a
 * folder is opened without following links and then looked at, and all that is done to it goes by
 * its descriptor. */
#include <refract/temporary.h>

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "refract-run-"
#define LETTERS 6
#define TRIES 10          /* to lock a new folder before somebody sweeps it */
#define MOST_LOOKED 20000 /* names of the parent in one sweep */
#define MOST_SWEPT 100    /* folders */
#define MOST_FILES 10000  /* in a folder: with more it is not one of ours */
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static const char *parent_folder(void)
{
    const char *named = secure_getenv("TMPDIR");
    size_t most = RF_TEMPORARY_PATH - sizeof "/" PREFIX - LETTERS;
    return named && named[0] == '/' && strlen(named) <= most ? named : "/tmp";
}

static bool is_our_name(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 &&
           strlen(name) == sizeof PREFIX - 1 + LETTERS;
}

/* Is the open folder ours alone, and still there? */
static bool is_ours(int folder)
{
    struct stat st;
    return fstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 0777) == 0700 && st.st_nlink > 0;
}

static void remove_files(int folder)
{
    int fd = dup(folder);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    int count = 0;
    for (struct dirent *e; d && count < MOST_FILES && (e = readdir(d)); count++)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(folder, e->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

/* Making */

/* False where a sweep was faster than the lock, which is the only hurry. */
static bool lock_new(struct rf_temporary *t)
{
    t->lock = open(t->path, FOLDER_FLAGS);
    if (t->lock >= 0 && flock(t->lock, LOCK_SH | LOCK_NB) == 0 && is_ours(t->lock))
        return true;
    if (t->lock >= 0)
        close(t->lock);
    return false;
}

enum rf_code rf_temporary_make(struct rf_temporary *out, struct rf_err *err)
{
    const char *parent = parent_folder();
    struct rf_temporary t;
    rf_temporary_sweep();
    for (int tried = 0; tried < TRIES; tried++) {
        snprintf(t.path, sizeof t.path, "%s/" PREFIX "XXXXXX", parent);
        if (!mkdtemp(t.path))
            break;
        if (lock_new(&t)) {
            *out = t;
            return RF_OK;
        }
        rmdir(t.path);
    }
    rf_fail_errno(err, "could not make a folder for temporary files in \"%s\"", parent);
    rf_hint(err, "Set TMPDIR to a folder that can be written to.");
    if (err)
        err->code = RF_EIO;
    return RF_EIO;
}

void rf_temporary_remove(struct rf_temporary *t)
{
    if (!t->path[0])
        return;
    remove_files(t->lock);
    rmdir(t->path);
    close(t->lock);
    t->path[0] = '\0';
}

/* Sweeping */

/* Where a lock cannot be had, for whatever reason, the folder stays. Nothing can take its place in
 * between: whoever is not its owner cannot rename it in a sticky folder, and an owner who does gets
 * an empty folder removed at most. */
static bool sweep_one(int parent, const char *name)
{
    int folder = openat(parent, name, FOLDER_FLAGS);
    bool swept = false;
    if (folder < 0)
        return false;
    if (is_ours(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0) {
        remove_files(folder);
        swept = unlinkat(parent, name, AT_REMOVEDIR) == 0;
    }
    close(folder);
    return swept;
}

void rf_temporary_sweep(void)
{
    int before = errno, looked = 0, swept = 0;
    DIR *d = opendir(parent_folder());
    for (struct dirent *e; d && looked < MOST_LOOKED && swept < MOST_SWEPT && (e = readdir(d));
         looked++)
        if (is_our_name(e->d_name))
            swept += sweep_one(dirfd(d), e->d_name);
    if (d)
        closedir(d);
    errno = before;
}
