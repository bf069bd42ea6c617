/* The limits of the configuration, given to the tools. */
#include "config/config.h"

#include <refract/tools.h>

void rf_tools_configure(struct rf_tools *t, const struct rf_config *c)
{
    for (size_t i = 0; i < RF_LIMIT_COUNT; i++)
        if (c->limits[i].place.file &&
            rf_tools_set_limit(t, rf_limit_rows[i].name, c->limits[i].value, NULL))
            RF_BUG("a limit that the configuration should not have taken");
}
