/* What a refusal of a bucket's server means: whether another try helps, and what to tell. */
#ifndef RF_BUCKET_REFUSED_H
#define RF_BUCKET_REFUSED_H

#include "bucket/place.h"

struct rf_s3_refusal {
    const char *method;
    int status;
    struct rf_str code, words; /* of its body; empty where it had none */
};

/* Read the body of a refusal; strings live in `a`. */
void rf_s3_refusal_read(struct rf_s3_refusal *r, struct rf_str body, struct rf_arena *a);
/* Another try may succeed. */
bool rf_s3_refusal_passes(const struct rf_s3_refusal *r);
/* The keys were good for some time, which is over. */
bool rf_s3_refusal_expired(const struct rf_s3_refusal *r);
/* Fails with RF_ECONFIG or RF_EIO. */
RF_MUST enum rf_code rf_s3_refusal_fail(const struct rf_s3_refusal *r,
                                        const struct rf_bucket_place *p, struct rf_err *err);

#endif
