/* Whole files into memory, and small ones replaced as a whole. */
#ifndef RF_BASE_FILE_H
#define RF_BASE_FILE_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

/* All of a regular file; any other kind is refused, and not waited for. Fails with RF_ENOTFOUND,
 * RF_EIO, and with RF_ELIMIT where it is longer than `max`. */
RF_MUST enum rf_code rf_file_read(const char *path, size_t max, struct rf_arena *a,
                                  struct rf_str *out, struct rf_err *err);
/* The same of a file that nobody else can have written: it is this user's, and no other may write
 * to it. Fails with RF_EPERMISSION too. */
RF_MUST enum rf_code rf_file_read_own(const char *path, size_t max, struct rf_arena *a,
                                      struct rf_str *out, struct rf_err *err);
/* The same of what a person named: a pipe or a device is read too, and standard input where `path`
 * is "-". */
RF_MUST enum rf_code rf_input_read(const char *path, size_t max, struct rf_arena *a,
                                   struct rf_str *out, struct rf_err *err);

/* Make the folders on the way to `path`, for their owner alone; opening the file tells whether they
 * are there then. */
void rf_file_folders(const char *path, struct rf_arena *a);

/* Lock what is at `path`, which need not be there; folders on the way are made. "PATH.lock" is what
 * is locked, and stays; closing `*fd` unlocks it. Fails with RF_EIO. */
RF_MUST enum rf_code rf_file_lock(const char *path, struct rf_arena *a, int *fd,
                                  struct rf_err *err);

/* Put a file in the place of `path`, for its owner's eyes alone. Whoever dies on the way leaves the
 * old one. It has to be locked: "PATH.new" is where it is written. Fails with RF_EIO. */
RF_MUST enum rf_code rf_file_replace(const char *path, struct rf_str text, struct rf_arena *a,
                                     struct rf_err *err);

#endif
