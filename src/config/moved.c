#include "config/moved.h"

#include "base/arena.h"
#include "config/config.h"
#include "model/providers.h"

#include <stdlib.h>

#define MOST_BYTES 200 /* of an address; what is beyond tells no two apart */

const char *rf_moving_variables(struct rf_str provider)
{
    const struct rf_provider_row *row = rf_provider_row(provider);
    return row ? row->moved_by : NULL;
}

struct rf_str rf_variable_of(const char *names, struct rf_arena *a, const char **name)
{
    struct rf_str rest = rf_str(names), one;
    while (rf_str_split(&rest, ',', &one)) {
        const char *variable = rf_cstr(a, one), *value = getenv(variable);
        struct rf_str text = rf_str_trim(rf_str(value));
        if (!text.n)
            continue;
        *name = variable;
        return rf_str_dup(a, text);
    }
    return (struct rf_str){ 0 };
}

/* Without a user and a password, a query, a fragment, and slashes at the end. */
static struct rf_str plain(struct rf_str url)
{
    for (size_t i = url.n; i-- > 0;)
        if (url.p[i] == '@') {
            url = (struct rf_str){ url.p + i + 1, url.n - i - 1 };
            break;
        }
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] == '?' || url.p[i] == '#')
            url.n = i;
    url.n = url.n < MOST_BYTES ? url.n : MOST_BYTES;
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    return url;
}

struct rf_str rf_moved_to(const struct rf_config *config, struct rf_str provider,
                          struct rf_arena *a)
{
    const struct rf_config_provider *said = config ? rf_config_provider(config, provider) : NULL;
    const char *name;
    return plain(said && said->base_url.n
                     ? said->base_url
                     : rf_variable_of(rf_moving_variables(provider), a, &name));
}
