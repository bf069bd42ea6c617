/* A system on which nobody tells that a file has changed: resources cannot be followed. */
#include "mcp/server/inside.h"

const bool rf_mcp_can_watch = false;

bool rf_mcp_watch_add(struct rf_mcp_server *s, const char *path, struct rf_str uri)
{
    (void)s;
    (void)path;
    (void)uri;
    return false;
}

void rf_mcp_watch_remove(struct rf_mcp_server *s, struct rf_str uri)
{
    (void)s;
    (void)uri;
}

void rf_mcp_watch_free(struct rf_mcp_server *s)
{
    (void)s;
}
