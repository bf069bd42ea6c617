/* What a host of MCP tools would get of files. */
#ifndef RF_CLI_MCP_DOCTOR_H
#define RF_CLI_MCP_DOCTOR_H

#include <refract/refract.h>

struct rf_mcp_doctor {
    struct rf_config *config;
    struct rf_mcp_server *server; /* whose tool read_file is called */
    const char *client;           /* the host, as it calls itself */
    const char *host;             /* that the server was told to write for whoever asks; or NULL */
    bool json;
};

/* Print for each file what becomes of it, as the command deliveries does, then the blocks of the
 * result in their order, and what the host's limits leave; or as JSON, a line a file. Returns the
 * exit status: 1 where a file could not be read, after the others. */
int rf_mcp_doctor(const struct rf_mcp_doctor *d, const char *const *files, size_t count);

#endif
