/* What a host of MCP tools would get of files. */
#ifndef RF_CLI_MCP_DOCTOR_H
#define RF_CLI_MCP_DOCTOR_H

#include <refract/refract.h>

/* Print for each file what becomes of it, as the command deliveries does, then the blocks of the
 * result in their order, with their sizes, and what the host's limits leave. Fails as reading a
 * file does. */
RF_MUST enum rf_code rf_mcp_doctor(const struct rf_config *config, const char *host,
                                   const char *const *files, size_t count, struct rf_err *err);

#endif
