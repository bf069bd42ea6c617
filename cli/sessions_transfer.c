/* refract sessions export and import: a session as one tar file.
 *
 * A file that is written gets its name when it is complete, so that what is there is never half of
 * one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <refract/refract.h>

#include "input.h"
#include "progress.h"
#include "report.h"
#include "sessions.h"

#define OPEN_FILES "/proc/self/fd"

static enum rf_code cannot_write(const char *path, struct rf_err *err)
{
    rf_say(err, RF_EIO, "could not write \"%s\": %s", path, strerror(errno));
    return RF_EIO;
}

static enum rf_code write_archive(struct rf_session *s, int fd, struct rf_err *err)
{
    struct rf_progress progress;
    rf_progress_begin(&progress, "exporting", fd);
    enum rf_code rc = rf_session_export(s, fd, err);
    rf_progress_end(&progress);
    return rc;
}

static enum rf_code export_to_output(struct rf_session *s, const struct rf_args *args,
                                     struct rf_err *err)
{
    if (!isatty(STDOUT_FILENO) && !args->json)
        return write_archive(s, STDOUT_FILENO, err);
    rf_say(err, RF_EUSAGE,
           args->json ? "with --json, standard output is not for the tar file"
                      : "a tar file is nothing for a terminal");
    rf_say_hint(err, "Name a file with -o.");
    return RF_EUSAGE;
}

/* A pipe or a device is written as it is. */
static enum rf_code export_to_special(struct rf_session *s, const char *path, struct rf_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_write(path, err);
    enum rf_code rc = write_archive(s, fd, err);
    close(fd);
    return rc;
}

/* A file in the folder of `path` that has no name yet, so that nothing is left of it should we be
 * killed. -1 where the file system or the system has no such files. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        abort();
    int fd =
        access(OPEN_FILES, X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    free(folder);
    return fd;
}

static bool give_name(int fd, const char *name)
{
    char self[sizeof OPEN_FILES + 16];
    snprintf(self, sizeof self, OPEN_FILES "/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static enum rf_code export_to_file(struct rf_session *s, const char *path, struct rf_err *err)
{
    char *made;
    if (asprintf(&made, "%s.new", path) < 0)
        abort();
    int fd = open_nameless(path);
    bool named = fd < 0;
    unlink(made); /* left by one that was killed */
    if (named)
        fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum rf_code rc = fd < 0 ? cannot_write(path, err) : write_archive(s, fd, err);
    if (!rc && (fsync(fd) != 0 || !(named || give_name(fd, made)) || rename(made, path) != 0))
        rc = cannot_write(path, err);
    if (rc && fd >= 0)
        unlink(made);
    if (fd >= 0)
        close(fd);
    free(made);
    return rc;
}

static void say_written(const struct rf_session *s, const char *path, const struct rf_args *args)
{
    if (!args->json)
        return;
    printf("{\"id\":\"%s\",\"file\":", rf_session_id(s));
    rf_print_json(stdout, rf_text(path));
    puts("}");
}

enum rf_code rf_sessions_export(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    const char *path = args->values[RF_SESSIONS_OUTPUT];
    struct stat st;
    enum rf_code rc = rf_stored_read(s, args->words[1], err);
    if (rc)
        return rc;
    if (!path || strcmp(path, "-") == 0)
        return export_to_output(s->session, args, err);
    rc = stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? export_to_special(s->session, path, err)
                                                      : export_to_file(s->session, path, err);
    if (!rc)
        say_written(s->session, path, args);
    return rc;
}

enum rf_code rf_sessions_import(struct rf_stored *s, const struct rf_args *args, struct rf_err *err)
{
    char id[RF_SESSION_ID_SIZE];
    struct rf_progress progress;
    int fd = rf_input_open(args->words[1], err);
    if (fd < 0)
        return err->code;
    rf_progress_begin(&progress, "importing", fd);
    enum rf_code rc = rf_store_import(s->store, fd, id, err);
    rf_progress_end(&progress);
    rf_input_close(fd);
    if (!rc)
        printf(args->json ? "{\"id\":\"%s\"}\n" : "%s\n", id);
    return rc;
}
