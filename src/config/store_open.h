/* The store that the configuration names, for those who have no HTTP. The public rf_store_open,
 * which has, is in bucket/store_open.c. */
#ifndef RF_CONFIG_STORE_OPEN_H
#define RF_CONFIG_STORE_OPEN_H

#include "store/store.h"

struct rf_config;

/* As rf_store_open and, without a `bucket`, as rf_store_make: RF_ENOTFOUND. */
RF_MUST enum rf_code rf_config_open_store(const struct rf_config *config, rf_bucket_opener *bucket,
                                          struct rf_store **out, struct rf_err *err);

#endif
