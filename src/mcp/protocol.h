/* MCP's revisions, names and numbers: what server and client must agree on, as tables.
 *
 * There are two eras. In the legacy one (2024-11-05 to 2025-11-25) a connection begins with
 * "initialize" and keeps what was agreed. In the modern one (2026-07-28) each request says its
 * revision, and what its client can do, in its _meta; servers ask back inside of results. */
#ifndef RF_MCP_PROTOCOL_H
#define RF_MCP_PROTOCOL_H

#include "mcp/rpc.h"

enum rf_mcp_era { RF_MCP_LEGACY, RF_MCP_MODERN };

struct rf_mcp_revision {
    const char *name;
    enum rf_mcp_era era;
    bool audio;      /* blocks of sound, notes on tools, messages of progress */
    bool structured; /* structuredContent, outputSchema, titles, links to resources, elicitation */
};

/* Oldest first. */
extern const struct rf_mcp_revision rf_mcp_revisions[];
extern const size_t rf_mcp_revision_count;

const struct rf_mcp_revision *rf_mcp_revision_find(struct rf_str name); /* NULL: none */
/* What a server answers to "initialize": what was asked for, where that is a legacy revision; else
 * the newest of those. */
const struct rf_mcp_revision *rf_mcp_revision_agreed(struct rf_str asked);
const struct rf_mcp_revision *rf_mcp_revision_newest(enum rf_mcp_era era);
/* Those of an era, as an array of names, newest first. */
void rf_mcp_revisions_write(struct rf_json *w, const char *key, enum rf_mcp_era era);

/* Members of _meta. */
#define RF_MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define RF_MCP_META_CLIENT "io.modelcontextprotocol/clientInfo"
#define RF_MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define RF_MCP_META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define RF_MCP_META_SERVER "io.modelcontextprotocol/serverInfo"
#define RF_MCP_META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define RF_MCP_META_PROGRESS "progressToken"

/* Codes of errors beside those of JSON-RPC. */
enum rf_mcp_code {
    RF_MCP_RESOURCE_NOT_FOUND = -32002, /* legacy; modern servers say RF_RPC_INVALID_PARAMS */
    RF_MCP_HEADER_MISMATCH = -32020,
    RF_MCP_MISSING_CAPABILITY = -32021,
    RF_MCP_UNSUPPORTED_VERSION = -32022,
};

/* params._meta, and a member of it; NULL where there is none. */
const struct rf_jval *rf_mcp_meta(const struct rf_rpc *m);
const struct rf_jval *rf_mcp_meta_get(const struct rf_rpc *m, const char *name);

/* By the message alone: modern where its _meta names a revision or its method is one that only the
 * modern era has. */
enum rf_mcp_era rf_mcp_era_of(const struct rf_rpc *m);

/* What a request is, for a person: "the call"; a method that has no words is named. */
const char *rf_mcp_method_words(const char *method);

/* Levels of logging, as in syslog: debug is 0, emergency 7; -1 for a name that is none. */
#define RF_MCP_WARNING 3
int rf_mcp_log_level(const struct rf_jval *name);
const char *rf_mcp_log_level_name(int level);

#endif
