/* A blob on its way into a bucket: in one request where it is short, else in parts. */
#ifndef RF_BUCKET_UPLOAD_H
#define RF_BUCKET_UPLOAD_H

#include "bucket/s3.h"
#include "store/blobs.h"

#define RF_S3_PART ((size_t)8 << 20) /* bytes of a part; up to so many go in one request */

/* Bring the stream to `key`. It is held in memory part by part; one of a single part is given to
 * `kept` (or NULL) when it is there. Where this fails, no object has appeared, and what the server
 * has of it is taken away or, should that fail too, listed as an upload. */
RF_MUST enum rf_code rf_s3_upload(struct rf_s3 *s, struct rf_str key, const struct rf_hash *hash,
                                  uint64_t size, const struct rf_blob_stream *stream,
                                  void (*kept)(void *ctx, const struct rf_hash *hash,
                                               struct rf_str bytes),
                                  void *ctx, struct rf_err *err);
/* Is an object of that size there? */
RF_MUST enum rf_code rf_s3_find(struct rf_s3 *s, struct rf_str key, uint64_t size, bool *found,
                                struct rf_err *err);

#endif
