/* Folders that are not configured but found, as the XDG base directory specification says. */
#include "config/config.h"

#include "base/arena.h"

#include <stdlib.h>

const char *rf_config_cache_folder(const struct rf_config *c)
{
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (folder && folder[0] == '/')
        return rf_strf(c->arena, "%s/refract", folder).p;
    if (home && home[0] == '/')
        return rf_strf(c->arena, "%s/.cache/refract", home).p;
    return NULL;
}
