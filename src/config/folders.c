/* Folders that are not configured but found, as the XDG base directory specification says: a path
 * that is not absolute does not count. */
#include "config/config.h"

#include "base/arena.h"

#include <stdlib.h>

static const char *folder(struct rf_arena *a, const char *variable, const char *below_home)
{
    const char *named = getenv(variable), *home = getenv("HOME");
    if (named && named[0] == '/')
        return rf_strf(a, "%s/refract", named).p;
    if (home && home[0] == '/')
        return rf_strf(a, "%s/%s/refract", home, below_home).p;
    return NULL;
}

const char *rf_folder_data(struct rf_arena *a)
{
    return folder(a, "XDG_DATA_HOME", ".local/share");
}

const char *rf_folder_cache(struct rf_arena *a)
{
    return folder(a, "XDG_CACHE_HOME", ".cache");
}

const char *rf_config_cache_folder(const struct rf_config *c)
{
    return c->cache_folder;
}
