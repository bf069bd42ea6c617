/* The MCP servers of the configuration by hand: what they are and offer, and calling one of their
 * tools. */
#ifndef RF_CLI_MCP_CLIENT_H
#define RF_CLI_MCP_CLIENT_H

#include <refract/agent.h>

/* How the servers of an agent are, a line at a time; `row` hears of each. What servers wrote is still
 * in it. */
void rf_mcp_lines(struct rf_agent *agent, void (*row)(void *ctx, struct rf_str line), void *ctx);

struct rf_mcp_way {
    bool json;
    bool no_save; /* a login is not kept */
};

/* refract mcp list, refract mcp call SERVER TOOL [JSON]: they return the exit status. */
int rf_mcp_list(const struct rf_mcp_way *way);
int rf_mcp_try(const char *server, const char *tool, const char *arguments,
               const struct rf_mcp_way *way);

#endif
