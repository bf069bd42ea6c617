/* Where a bucket is.
 *
 * Amazon's are at https://BUCKET.s3.REGION.amazonaws.com; one whose name has a dot, for which no
 * certificate stands, at https://s3.REGION.amazonaws.com/BUCKET. Where AWS_ENDPOINT_URL_S3 or
 * AWS_ENDPOINT_URL names a server that is compatible, it is at ENDPOINT/BUCKET. Plain HTTP is spoken
 * only to an endpoint that was named so. */
#ifndef RF_BUCKET_PLACE_H
#define RF_BUCKET_PLACE_H

#include "store/bucket_address.h"

struct rf_arena;

struct rf_bucket_place {
    struct rf_bucket_address at;
    struct rf_str endpoint; /* without "/" at its end; empty: Amazon's */
    struct rf_str region;
};

/* Read the address and the environment. Strings live in `a`. Fails with RF_ECONFIG. */
RF_MUST enum rf_code rf_bucket_place_find(const char *address, struct rf_arena *a,
                                          struct rf_bucket_place *out, struct rf_err *err);
/* A region that a server named: false where it is not one, or the one that is known. */
bool rf_bucket_place_move(struct rf_bucket_place *p, struct rf_str region, struct rf_arena *a);
/* The web address of an object ("": of the bucket), with a query that is encoded already. */
const char *rf_bucket_place_url(const struct rf_bucket_place *p, struct rf_str key,
                                struct rf_str query, struct rf_arena *a);

#endif
