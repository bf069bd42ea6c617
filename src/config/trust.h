/* What a person has said of files that came with a folder: that they are trusted, or that they are
 * not. An answer holds for the bytes that it was given for, in the folder that they were in.
 *
 *     {"version": 1, "answers": [{"folder": …, "file": ".refract.yaml", "sha256": …,
 *                                 "trusted": true, "date": …}]}
 *
 * It is $XDG_DATA_HOME/refract/trusted.json, which only its owner can read and write. One that
 * others may write to, or that is damaged, says nothing. */
#ifndef RF_CONFIG_TRUST_H
#define RF_CONFIG_TRUST_H

#include "base/error.h"
#include "base/str.h"

#include <refract/config.h>

struct rf_arena;

/* A file as it was read. */
struct rf_trust_file {
    struct rf_str folder; /* its real path */
    struct rf_str name;   /* in the folder */
    struct rf_str sha256; /* of its bytes, in hex */
};

/* All of a file in the working folder. Fails with RF_EIO, RF_EFORMAT where the name of the folder
 * is not text, and with RF_EINTERNAL. */
RF_MUST enum rf_code rf_trust_file(const char *name, struct rf_str bytes, struct rf_arena *a,
                                   struct rf_trust_file *out, struct rf_err *err);

/* RF_TRUST_GIVEN, RF_TRUST_DENIED, or RF_TRUST_UNASKED; the last one also where it fails, with
 * RF_EIO, RF_EPERMISSION, RF_EFORMAT, or RF_ECONFIG for a newer version. */
RF_MUST enum rf_code rf_trust_find(const struct rf_trust_file *f, struct rf_arena *a,
                                   enum rf_trust *out, struct rf_err *err);

/* Keep one answer for all of these files, in place of earlier ones for the same bytes. What is
 * damaged is replaced. Fails with RF_EIO and RF_ECONFIG. */
RF_MUST enum rf_code rf_trust_keep(const struct rf_trust_file *files, size_t count,
                                   enum rf_trust answer, struct rf_err *err);

#endif
