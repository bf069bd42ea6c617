/* The lines "key=value" that a worker answers with, looked up by key. */
#include "media/worker.h"

struct rf_str rf_prop_str(const struct rf_prop *props, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (rf_str_is(props[i].key, key))
            return props[i].value;
    return RF_STR("");
}

int64_t rf_prop_int(const struct rf_prop *props, size_t count, const char *key)
{
    int64_t n;
    return rf_str_int64(rf_prop_str(props, count, key), &n) ? n : 0;
}
