/* refract sessions export and import: a session as one tar file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "input.h"
#include "progress.h"
#include "report.h"
#include "sessions.h"
#include "whole_file.h"

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

static enum rf_code export_to_file(struct rf_session *s, const char *path, struct rf_err *err)
{
    struct rf_whole_file f;
    enum rf_code rc = rf_whole_file_open(&f, path, RF_WHOLE_FILE_REPLACE, 0600, err);
    if (rc)
        return rc;
    return rf_whole_file_close(&f, write_archive(s, f.fd, err), err);
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
    enum rf_code rc = rf_stored_read(s, args->words[1], err);
    if (rc)
        return rc;
    if (!path || strcmp(path, "-") == 0)
        return export_to_output(s->session, args, err);
    rc = export_to_file(s->session, path, err);
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
