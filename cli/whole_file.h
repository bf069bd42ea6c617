/* A file that gets its name when it is complete, so that what is there is never half of one.
 *
 *     rc = rf_whole_file_open(&f, path, 0666, &err);
 *     … write to f.fd …
 *     rc = rf_whole_file_close(&f, rc, RF_WHOLE_FILE_NEW, &err);
 *
 * A pipe or a device is written as it is. */
#ifndef RF_CLI_WHOLE_FILE_H
#define RF_CLI_WHOLE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <refract/error.h>
#include <refract/str.h>

struct rf_whole_file {
    int fd;
    const char *path;
    char *made;   /* the name that it has meanwhile, or would have */
    bool special; /* not a regular file: nothing gets a name */
    bool named;   /* it has that name: where files without one are not to be had */
};

/* Fails with RF_EIO. */
enum rf_code rf_whole_file_open(struct rf_whole_file *f, const char *path, mode_t mode,
                                struct rf_err *err);

enum rf_whole_file_name {
    RF_WHOLE_FILE_NEW,     /* fails where there is one of that name */
    RF_WHOLE_FILE_REPLACE, /* takes its place */
};
/* Give it its name; or, where `rc` is a failure, leave nothing of it. Returns `rc`, or RF_EIO. */
enum rf_code rf_whole_file_close(struct rf_whole_file *f, enum rf_code rc,
                                 enum rf_whole_file_name how, struct rf_err *err);

/* All at once. With RF_WHOLE_FILE_NEW, errno is EEXIST after a failure for that. */
enum rf_code rf_whole_file_write(const char *path, struct rf_str bytes, enum rf_whole_file_name how,
                                 struct rf_err *err);

#endif
