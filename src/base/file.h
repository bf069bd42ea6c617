/* Whole files into memory, and regular files opened safely. */
#ifndef RF_BASE_FILE_H
#define RF_BASE_FILE_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

/* All of a file, or of standard input where `path` is "-". Fails with RF_ENOTFOUND, RF_EIO, and with
 * RF_ELIMIT where it is longer than `max`. */
RF_MUST enum rf_code rf_file_read(const char *path, size_t max, struct rf_arena *a,
                                  struct rf_str *out, struct rf_err *err);

#endif
