/* What is in a bucket below the prefix: objects, and uploads that were begun and not ended. */
#ifndef RF_BUCKET_LIST_H
#define RF_BUCKET_LIST_H

#include "bucket/s3.h"

struct rf_s3_entry {
    struct rf_str key;
    int64_t size;
    int64_t time_s;       /* since 1970: last written, or begun; INT64_MAX where it is not said */
    struct rf_str upload; /* an upload's id, encoded as a query; empty: an object */
};

/* Each of them, page by page, so that memory does not grow with the bucket. Strings live until
 * `each` returns; what it fails with ends it. Servers that list no uploads have none. */
typedef enum rf_code rf_s3_each(void *ctx, const struct rf_s3_entry *e, struct rf_err *err);
RF_MUST enum rf_code rf_s3_objects(struct rf_s3 *s, rf_s3_each *each, void *ctx,
                                   struct rf_err *err);
RF_MUST enum rf_code rf_s3_uploads(struct rf_s3 *s, rf_s3_each *each, void *ctx,
                                   struct rf_err *err);

#endif
