/* A file that gets its name when it is complete, so that what is there is never half of one.
 *
 *     rc = rf_whole_file_open(&f, path, RF_WHOLE_FILE_NEW, 0666, &err);
 *     … write to f.fd …
 *     rc = rf_whole_file_close(&f, rc, &err); */
#ifndef RF_CLI_WHOLE_FILE_H
#define RF_CLI_WHOLE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <refract/error.h>
#include <refract/str.h>

enum rf_whole_file_name {
    RF_WHOLE_FILE_NEW,     /* fails where anything has that name, a link or a device too */
    RF_WHOLE_FILE_REPLACE, /* takes its place and mode; a pipe or a device is written to */
};

struct rf_whole_file {
    int fd;
    const char *path;
    enum rf_whole_file_name how;
    char *target; /* where the path leads to */
    char *made;   /* the name that it has meanwhile, which nobody else's file has; or NULL */
    mode_t mode;  /* of the file that is there; 0: none is */
    bool special; /* not a regular file: nothing gets a name */
    bool named;   /* it has a name: where files without one are not to be had */
};

/* Fails with RF_EIO. */
enum rf_code rf_whole_file_open(struct rf_whole_file *f, const char *path,
                                enum rf_whole_file_name how, mode_t mode, struct rf_err *err);
/* Give it its name; or, where `rc` is a failure, leave nothing of it. Returns `rc`, or RF_EIO. */
enum rf_code rf_whole_file_close(struct rf_whole_file *f, enum rf_code rc, struct rf_err *err);

/* All at once. With RF_WHOLE_FILE_NEW, errno is EEXIST after a failure for that. */
enum rf_code rf_whole_file_write(const char *path, struct rf_str bytes, enum rf_whole_file_name how,
                                 struct rf_err *err);

#endif
