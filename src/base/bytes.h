/* A range of bytes that somebody will want later: in memory, in memory as base64, or in a file.
 *
 * A file is opened when it is read and not kept open, so that thousands of them cost nothing; its
 * stamp (device, inode, size, time of change) is taken when it is first looked at and checked at
 * every later opening, so that a file which changed in between is an error and never a mixture.
 *
 *     struct rf_reader r;
 *     if (!rf_reader_open(&r, &bytes, err)) { … rf_reader_read(&r, 0, buf, n, &got, err) … }
 *     rf_reader_close(&r);
 */
#ifndef RF_BASE_BYTES_H
#define RF_BASE_BYTES_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

struct rf_stamp {
    uint64_t device, inode, size;
    int64_t changed_s, changed_ns;
};
bool rf_stamp_same(const struct rf_stamp *a, const struct rf_stamp *b);

enum rf_bytes_kind {
    RF_BYTES_MEMORY, /* `text` holds the bytes */
    RF_BYTES_BASE64, /* `text` holds canonical base64 of the bytes */
    RF_BYTES_FILE,   /* `path` below `root` holds them */
};

struct rf_bytes {
    enum rf_bytes_kind kind;
    struct rf_str text;
    const char *root, *path; /* root "" : anywhere */
    struct rf_stamp stamp;
    uint64_t size;        /* of the bytes themselves, not of their encoding */
    struct rf_str sha256; /* of all of them, in hex digits, where it is known; else empty */
    /* Whose they are, as told where they came in. Bytes are foreign unless somebody says otherwise;
     * what was made of foreign bytes names the SHA-256 of those, in hex digits, where it is
     * known. */
    bool own;
    struct rf_str made_of;
};

/* Look at a file: it must be a regular one. With a root, the path (and every link on its way) must
 * stay below it; whether there is anything where it leads otherwise makes no difference. Fails with
 * RF_ENOTFOUND, RF_EIO, RF_EPERMISSION (outside the root), RF_EFORMAT (a folder, a device, a pipe).
 * The strings are borrowed. */
enum rf_code rf_bytes_file(const char *root, const char *path, struct rf_bytes *out,
                           struct rf_err *err);
/* The same for a folder: a descriptor for the caller to close. RF_EIO where it is none. */
RF_MUST enum rf_code rf_folder_open(const char *root, const char *path, int *fd,
                                    struct rf_err *err);
/* A path that is relative to `base`, which may be NULL: as it is opened. Where it leads up first,
 * from where that is, so that nothing but its own names is looked for. */
const char *rf_path_from(const char *base, struct rf_str path, struct rf_arena *a);
struct rf_bytes rf_bytes_memory(struct rf_str bytes);
/* `base64` must be canonical (see base64.h) and is not checked here but for its length. */
enum rf_code rf_bytes_base64(struct rf_str base64, struct rf_bytes *out, struct rf_err *err);

/* Reads anywhere in the range. For base64 the offsets are those of the decoded bytes. */
struct rf_reader {
    const struct rf_bytes *bytes;
    int fd;
};

enum rf_code rf_reader_open(struct rf_reader *r, const struct rf_bytes *b, struct rf_err *err);
/* Up to `n` bytes from `offset`; `*got` is less only at the end. Fails with RF_EIO, also when a
 * file is shorter than its stamp says, and with RF_EFORMAT when base64 is not valid. */
enum rf_code rf_reader_read(struct rf_reader *r, uint64_t offset, void *buf, size_t n, size_t *got,
                            struct rf_err *err);
/* Is the file the one that was opened, to this moment? RF_EIO where it has changed. */
RF_MUST enum rf_code rf_reader_check(const struct rf_reader *r, struct rf_err *err);
void rf_reader_close(
    struct rf_reader *r); /* takes one that was never opened, if zeroed with fd -1 */

/* All of the bytes, which somebody has checked are few enough; they live in `a`. Fails as opening
 * and reading do. */
RF_MUST enum rf_code rf_bytes_all(const struct rf_bytes *b, struct rf_arena *a, struct rf_str *out,
                                  struct rf_err *err);

/* SHA-256 of the whole range. */
enum rf_code rf_bytes_sha256(const struct rf_bytes *b, uint8_t digest[32], struct rf_err *err);
/* The same in hex digits, which `b` knows from then on; they live in `a`. Does nothing where it
 * knows them. */
RF_MUST enum rf_code rf_bytes_hash(struct rf_bytes *b, struct rf_arena *a, struct rf_err *err);

#endif
