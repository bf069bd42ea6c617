/* Blobs in a bucket of storage that speaks Amazon's S3.
 *
 *     s3://BUCKET/PREFIX/ab/cd…    a blob whose hash begins with abcd, as a folder has it
 *
 *     rc = rf_bucket_open("s3://media/refract", cache, &blobs, err);
 *
 * Keys, region and address come from the environment, as for Amazon's own tools: place.h. A blob is
 * there whole or not at all: an object appears when its last byte has come and its hash was right.
 * What is read is brought into the folder `cache` and verified (store/fetched.h).
 *
 * Calls fail with RF_ECONFIG (no such bucket, no keys, keys that may not do this, a clock that is
 * wrong), with RF_EIO where the server cannot be reached or does not do it after some tries, and as
 * store/blobs.h says. */
#ifndef RF_BUCKET_BUCKET_H
#define RF_BUCKET_BUCKET_H

#include "store/store.h"

/* An rf_bucket_opener: fails with RF_ECONFIG where the address is wrong, or an endpoint that the
 * environment names is. */
RF_MUST enum rf_code rf_bucket_open(const char *address, const char *cache, struct rf_blobs **out,
                                    struct rf_err *err);

#endif
