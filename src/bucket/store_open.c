/* The public way to a store, with everything that blobs may be kept in. */
#include "config/store_open.h"
#include "bucket/bucket.h"

enum rf_code rf_store_open(const struct rf_config *config, struct rf_store **out,
                           struct rf_err *err)
{
    return rf_config_open_store(config, rf_bucket_open, out, err);
}
