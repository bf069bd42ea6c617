/* The inside of rf_blobs: what a folder, a database and a bucket each do for blobs.c. */
#ifndef RF_STORE_BLOBS_KIND_H
#define RF_STORE_BLOBS_KIND_H

#include "store/blobs.h"

#define RF_BLOB_CHUNK ((size_t)1 << 20) /* bytes that are moved at once */
#define RF_BLOB_TOUCH_S 60              /* a use is noted when the last was longer ago */

struct rf_blobs_kind {
    void (*free)(struct rf_blobs *);
    /* Is the blob there, whole? Then it is noted that somebody wants it. */
    enum rf_code (*find)(struct rf_blobs *, const struct rf_hash *, uint64_t size, bool *found,
                         int64_t *object, struct rf_err *);
    /* Keep a blob that was not found. RF_EFORMAT where the bytes are not those of the hash. */
    enum rf_code (*take)(struct rf_blobs *, const struct rf_hash *, uint64_t size,
                         const struct rf_blob_stream *, int64_t *object, struct rf_err *);
    enum rf_code (*get)(struct rf_blobs *, const struct rf_hash *, int64_t object,
                        struct rf_arena *, struct rf_bytes *out, struct rf_err *);
    bool (*has)(struct rf_blobs *, const struct rf_hash *, int64_t object);
    enum rf_code (*remove)(struct rf_blobs *, const struct rf_hash *, int64_t object,
                           struct rf_err *);
    enum rf_code (*scan)(struct rf_blobs *, int64_t before_s,
                         enum rf_code (*found)(void *ctx, const char *path,
                                               const struct rf_hash *hash, uint64_t size,
                                               struct rf_err *err),
                         void *ctx, struct rf_err *);
    enum rf_code (*discard)(struct rf_blobs *, const char *path, struct rf_err *);
};

/* The first member of each kind's own struct. */
struct rf_blobs {
    const struct rf_blobs_kind *kind;
};

/* Read the stream to its end, chunk by chunk, each given to `each` (or NULL), and check all of it
 * against the hash: RF_EFORMAT. */
RF_MUST enum rf_code rf_blob_drain(const struct rf_blob_stream *stream, const struct rf_hash *hash,
                                   uint64_t size,
                                   enum rf_code (*each)(void *ctx, uint64_t offset,
                                                        struct rf_str chunk, struct rf_err *err),
                                   void *ctx, struct rf_err *err);

#endif
