/* What the official conformance suite calls: tools, prompts and resources with the names, answers
 * and questions that it expects (@modelcontextprotocol/conformance, 0.2.0-alpha.12). They are
 * offered under the hidden option --conformance alone, and read no file. */
#ifndef RF_MCP_SERVER_FIXTURES_H
#define RF_MCP_SERVER_FIXTURES_H

#include "mcp/server/server.h"

extern const struct rf_mcp_offer rf_mcp_fixtures;

#endif
