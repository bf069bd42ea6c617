/* Blobs: bytes under the name of their SHA-256, written once and never changed.
 *
 * In a folder: blobs/ab/cd…(60 more), written to blobs/tmp/ first, synced, renamed, the folder
 * synced. Or in a PostgreSQL database as large objects, or in a bucket of S3 (bucket/bucket.h);
 * then reading one brings it into a folder of the cache. What is read is verified: a blob whose
 * bytes have changed is RF_EFORMAT, once and for all of this process as long as the file keeps its
 * stamp.
 */
#ifndef RF_STORE_BLOBS_H
#define RF_STORE_BLOBS_H

#include "base/bytes.h"
#include "store/sql.h"

struct rf_arena;
struct rf_blobs;

#define RF_HASH_HEX 64

/* A hash as it stands in the tables: 64 lower-case hex digits; in messages with "sha256:" before
 * it. */
struct rf_hash {
    char hex[RF_HASH_HEX + 1];
};

/* Read "sha256:…"; false where it is not one. */
bool rf_hash_read(struct rf_str blob, struct rf_hash *out);
/* The same without "sha256:", as a column has it: a path is made of it, so nobody's table is
 * believed. */
bool rf_hash_read_hex(struct rf_str hex, struct rf_hash *out);
/* "sha256:…" */
struct rf_str rf_hash_write(const struct rf_hash *hash, struct rf_arena *a);

/* Blobs in `folder`, which is made (0700) at the first put. */
struct rf_blobs *rf_blobs_folder(const char *folder);
/* Blobs in the database behind `sql` (PostgreSQL); `cache` is a folder for those that are read. */
struct rf_blobs *rf_blobs_database(struct rf_sql *sql, const char *cache);
void rf_blobs_free(struct rf_blobs *b);

/* Keep the bytes, unless they are there already; they are hashed where their hash is not known.
 * `*object` is the number of the large object, or 0. Fails with RF_ELIMIT over `most` bytes, with
 * RF_EIO (also a full disk) and with whatever reading the bytes fails with; then nothing is left
 * after but perhaps a file in tmp/, which gc removes. */
RF_MUST enum rf_code rf_blobs_put(struct rf_blobs *b, const struct rf_bytes *bytes, uint64_t most,
                                  struct rf_hash *hash, int64_t *object, struct rf_err *err);
/* The same for bytes that come one after the other, `size` of them, and must be the blob `hash`.
 * They are read to their end in any case. RF_EFORMAT where they are others. */
struct rf_blob_stream {
    void *ctx;
    /* Up to `n` bytes; none is a failure of its own. */
    enum rf_code (*read)(void *ctx, void *buf, size_t n, size_t *got, struct rf_err *err);
    bool hashed; /* the bytes were before, and `read` fails where they are not the same any more */
};
RF_MUST enum rf_code rf_blobs_take(struct rf_blobs *b, const struct rf_hash *hash, uint64_t size,
                                   const struct rf_blob_stream *stream, int64_t *object,
                                   struct rf_err *err);
/* The bytes of a blob as a file, verified. The strings of `out` live in `a`. Fails with
 * RF_ENOTFOUND, RF_EFORMAT (damaged) and RF_EIO. */
RF_MUST enum rf_code rf_blobs_get(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                  struct rf_arena *a, struct rf_bytes *out, struct rf_err *err);
/* Is it there? Looks at its name only. */
bool rf_blobs_has(struct rf_blobs *b, const struct rf_hash *hash, int64_t object);
/* Take one away; one that is not there is not a failure. */
RF_MUST enum rf_code rf_blobs_remove(struct rf_blobs *b, const struct rf_hash *hash, int64_t object,
                                     struct rf_err *err);
/* Everything that was last written before `before_s` (seconds since 1970): a blob with its hash, or
 * a left-over of a torn write with NULL. `path` is a file's; a bucket has words of its own for
 * rf_blobs_discard. Stops with what `found` fails with. In a database: nothing. */
RF_MUST enum rf_code rf_blobs_scan(struct rf_blobs *b, int64_t before_s,
                                   enum rf_code (*found)(void *ctx, const char *path,
                                                         const struct rf_hash *hash, uint64_t size,
                                                         struct rf_err *err),
                                   void *ctx, struct rf_err *err);
/* Take away a left-over that a scan found. */
RF_MUST enum rf_code rf_blobs_discard(struct rf_blobs *b, const char *path, struct rf_err *err);

#endif
