/* The address of blobs in storage that speaks Amazon's S3: s3://BUCKET or s3://BUCKET/PREFIX.
 *
 * Names are of letters, digits and "-._", the prefix may have "/" in it too: all that stands in a
 * web address as it is.
 */
#ifndef RF_STORE_BUCKET_ADDRESS_H
#define RF_STORE_BUCKET_ADDRESS_H

#include "base/error.h"
#include "base/str.h"

struct rf_bucket_address {
    struct rf_str bucket;
    struct rf_str prefix; /* without "/" at its ends; empty: none */
};

/* Does it begin with s3://? */
bool rf_bucket_is_address(struct rf_str s);
/* Both are parts of `s`. Fails with RF_ECONFIG. */
RF_MUST enum rf_code rf_bucket_address_read(struct rf_str s, struct rf_bucket_address *out,
                                            struct rf_err *err);

#endif
