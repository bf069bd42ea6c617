/* A project's .mcp.json, which other hosts read too:
 *
 *     {"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "env": {"TOKEN":
 * "${TOKEN}"}}, "search": {"type": "http", "url": "https://…", "headers": {…}}}}
 *
 * and the variables that texts of servers name: "${NAME}", or "${NAME:-else}" with what stands for
 * one that is not set. */
#ifndef RF_CONFIG_MCP_FILE_H
#define RF_CONFIG_MCP_FILE_H

#include "config/config.h"

struct rf_yaml;

#define RF_MCP_FILE_NAME ".mcp.json"
#define RF_MCP_FILE "./" RF_MCP_FILE_NAME

bool rf_mcp_is_file(const char *path);

/* Its servers, as the map of `mcp_servers` would be. Keys of other hosts that say nothing here are
 * left out, and noted. Fails with RF_ECONFIG, and the line. */
RF_MUST enum rf_code rf_mcp_file_read(struct rf_str text, struct rf_arena *a,
                                      struct rf_problems *problems, struct rf_yaml *out,
                                      struct rf_err *err);

/* Letters, digits and "_", the first no digit. */
bool rf_mcp_is_variable(struct rf_str s);

/* The next variable that a text names from `*at` on, which moves behind it; `otherwise`, which may
 * be NULL, becomes what stands for it where it is not set, without a pointer where nothing does. */
bool rf_mcp_next_variable(struct rf_str text, size_t *at, struct rf_str *name,
                          struct rf_str *otherwise);

/* All texts of a server in which variables count. */
struct rf_texts_of {
    struct rf_str **items;
    size_t count, cap;
};
struct rf_texts_of rf_mcp_texts(struct rf_mcp_server_config *s, struct rf_arena *a);

#endif
