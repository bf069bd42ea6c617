/* Tar archives of plain files, as POSIX.1-1988 has them ("ustar"): written and read from front to
 * back, a file's bytes in pieces of any size, nothing held but one header.
 *
 *     rf_tar_in_init(&t, fd, most_bytes, most_files);
 *     while (!(rc = rf_tar_in_next(&t, &file, &more, err)) && more)
 *         … rf_tar_in_read(&t, buf, n, &got, err) …
 *
 * The reader believes nothing: RF_EFORMAT for anything but a plain file with a relative name that
 * leads nowhere, for a wrong checksum, for an archive that is cut off or that something stands
 * after; RF_ELIMIT for more than it was told; RF_EIO.
 */
#ifndef RF_STORE_TAR_H
#define RF_STORE_TAR_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

#define RF_TAR_NAME 100                             /* bytes of a name at most */
#define RF_TAR_MOST_BYTES (((uint64_t)1 << 33) - 1) /* of one file: what its header has room for */

struct rf_tar_out {
    int fd;
    uint64_t left; /* bytes of the file that are still to come */
    unsigned fill; /* zeros after it */
};

void rf_tar_out_init(struct rf_tar_out *t, int fd);
/* The next file. A name that is too long, or bytes that the last file still lacks, are a bug.
 * RF_ELIMIT over RF_TAR_MOST_BYTES. */
RF_MUST enum rf_code rf_tar_out_next(struct rf_tar_out *t, const char *name, uint64_t size,
                                     int64_t time_s, struct rf_err *err);
RF_MUST enum rf_code rf_tar_out_bytes(struct rf_tar_out *t, struct rf_str bytes,
                                      struct rf_err *err);
RF_MUST enum rf_code rf_tar_out_finish(struct rf_tar_out *t, struct rf_err *err);

struct rf_tar_in {
    int fd;
    uint64_t most_bytes; /* of all files together */
    uint64_t most_files;
    uint64_t left; /* bytes of the file that were not read yet */
    unsigned fill;
};

struct rf_tar_file {
    char name[RF_TAR_NAME + 1];
    uint64_t size;
};

void rf_tar_in_init(struct rf_tar_in *t, int fd, uint64_t most_bytes, uint64_t most_files);
/* Go on to the next file, whatever of the last one was not read; `*more` is false at the end. */
RF_MUST enum rf_code rf_tar_in_next(struct rf_tar_in *t, struct rf_tar_file *out, bool *more,
                                    struct rf_err *err);
/* Up to `n` bytes of it; `*got` is 0 at its end only. */
RF_MUST enum rf_code rf_tar_in_read(struct rf_tar_in *t, void *buf, size_t n, size_t *got,
                                    struct rf_err *err);

#endif
