/* Blobs of elsewhere in a folder of this machine: what was read out of a database or a bucket, as
 * blobs_folder.c keeps it, verified. Each stays until nobody has asked for it for a week.
 */
#ifndef RF_STORE_FETCHED_H
#define RF_STORE_FETCHED_H

#include "store/blobs.h"

struct rf_fetched {
    struct rf_blobs *folder;
    bool tidied;
};

void rf_fetched_init(struct rf_fetched *f, const char *cache);
void rf_fetched_release(struct rf_fetched *f);

/* The blob, where it is there and whole; then it is noted that somebody wants it. Fails with
 * RF_ENOTFOUND, RF_EFORMAT and RF_EIO. */
RF_MUST enum rf_code rf_fetched_get(struct rf_fetched *f, const struct rf_hash *hash,
                                    struct rf_arena *a, struct rf_bytes *out, struct rf_err *err);
/* Keep what comes. RF_EFORMAT where the bytes are not those of the hash; then nothing is kept. */
RF_MUST enum rf_code rf_fetched_take(struct rf_fetched *f, const struct rf_hash *hash,
                                     uint64_t size, const struct rf_blob_stream *stream,
                                     struct rf_err *err);
/* The blob is gone from where it was; what cannot be removed goes by its age. */
void rf_fetched_remove(struct rf_fetched *f, const struct rf_hash *hash);

#endif
