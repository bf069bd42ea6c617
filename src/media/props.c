/* The lines "key=value" of asks and answers, looked up by key. */
#include "media/worker.h"

#include "base/limits.h"

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
    if (!rf_str_int64(rf_prop_str(props, count, key), &n) || n < 0)
        return 0;
    return n < RF_MAX_COUNT ? n : RF_MAX_COUNT;
}

int64_t rf_prop_side(const struct rf_prop *props, size_t count, const char *key)
{
    int64_t n = rf_prop_int(props, count, key);
    return n < RF_MAX_SIDE ? n : RF_MAX_SIDE;
}

struct rf_str rf_ask_value(struct rf_str ask, const char *key)
{
    struct rf_str line, name;
    while (rf_str_split(&ask, '\n', &line))
        if (rf_str_split(&line, '=', &name) && rf_str_is(name, key))
            return line;
    return RF_STR("");
}
