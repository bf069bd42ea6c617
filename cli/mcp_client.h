/* The MCP servers of the configuration by hand: what they are and offer, and calling one of their
 * tools. */
#ifndef RF_CLI_MCP_CLIENT_H
#define RF_CLI_MCP_CLIENT_H

#include <refract/agent.h>
#include <refract/config.h>

struct rf_buffer;

/* How the servers of an agent are, a line each; `row` hears of it. What servers wrote is still in
 * it. */
void rf_mcp_heads(struct rf_agent *agent, void (*row)(void *ctx, struct rf_str line), void *ctx);
/* All of one of them, with its tools. False where there is none of that name. */
bool rf_mcp_details(struct rf_agent *agent, struct rf_str name,
                    void (*row)(void *ctx, struct rf_str line), void *ctx);

/* mcp_arguments.c: what a tool is called with, by the JSON schema of it, after two blanks; nothing
 * where it takes nothing. */
void rf_mcp_arguments(struct rf_buffer *out, struct rf_str schema);

/* That there are none at all; that there is none of that name. */
void rf_mcp_note_none(const struct rf_config *config);
enum rf_code rf_mcp_fail_missing(const struct rf_config *config, struct rf_agent *agent,
                                 const char *name, struct rf_err *err);

struct rf_mcp_way {
    bool json;
    bool no_save;       /* a login is not kept */
    const char *folder; /* where files of a result are saved; NULL: the working folder */
};

/* refract mcp list [SERVER], refract mcp call SERVER TOOL [JSON]: they return the exit status. */
int rf_mcp_list(const char *only, const struct rf_mcp_way *way);
int rf_mcp_try(const char *server, const char *tool, const char *arguments,
               const struct rf_mcp_way *way);

#endif
