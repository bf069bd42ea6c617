#include "mcp/protocol.h"

const struct rf_mcp_revision rf_mcp_revisions[] = {
    { "2024-11-05", RF_MCP_LEGACY, false, false }, { "2025-03-26", RF_MCP_LEGACY, true, false },
    { "2025-06-18", RF_MCP_LEGACY, true, true },   { "2025-11-25", RF_MCP_LEGACY, true, true },
    { "2026-07-28", RF_MCP_MODERN, true, true },
};
const size_t rf_mcp_revision_count = sizeof rf_mcp_revisions / sizeof *rf_mcp_revisions;

const struct rf_mcp_revision *rf_mcp_revision_find(struct rf_str name)
{
    for (size_t i = 0; i < rf_mcp_revision_count; i++)
        if (rf_str_is(name, rf_mcp_revisions[i].name))
            return &rf_mcp_revisions[i];
    return NULL;
}

const struct rf_mcp_revision *rf_mcp_revision_newest(enum rf_mcp_era era)
{
    size_t i = rf_mcp_revision_count - 1;
    while (i && rf_mcp_revisions[i].era != era)
        i--;
    return &rf_mcp_revisions[i];
}

const struct rf_mcp_revision *rf_mcp_revision_agreed(struct rf_str asked)
{
    const struct rf_mcp_revision *r = rf_mcp_revision_find(asked);
    return r && r->era == RF_MCP_LEGACY ? r : rf_mcp_revision_newest(RF_MCP_LEGACY);
}

void rf_mcp_revisions_write(struct rf_json *w, const char *key, enum rf_mcp_era era)
{
    rf_json_arr(w, key);
    for (size_t i = rf_mcp_revision_count; i-- > 0;)
        if (rf_mcp_revisions[i].era == era)
            rf_json_str(w, NULL, rf_str(rf_mcp_revisions[i].name));
    rf_json_end(w);
}

const struct rf_jval *rf_mcp_meta(const struct rf_rpc *m)
{
    return rf_jval_get(m->params, "_meta");
}

const struct rf_jval *rf_mcp_meta_get(const struct rf_rpc *m, const char *name)
{
    return rf_jval_get(rf_mcp_meta(m), name);
}

enum rf_mcp_era rf_mcp_era_of(const struct rf_rpc *m)
{
    if (rf_mcp_meta_get(m, RF_MCP_META_VERSION) || rf_str_is(m->method, "server/discover") ||
        rf_str_is(m->method, "subscriptions/listen"))
        return RF_MCP_MODERN;
    return RF_MCP_LEGACY;
}

const char *rf_mcp_method_words(const char *method)
{
    static const char *const words[][2] = {
        { "initialize", "the first message" },
        { "server/discover", "the first message" },
        { "tools/list", "the question which tools it has" },
        { "tools/call", "the call" },
        { "resources/list", "the question which resources it has" },
        { "resources/read", "the request for a resource" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], method) == 0)
            return words[i][1];
    return method;
}

static const char *const log_levels[] = { "debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency" };
#define LOG_LEVELS ((int)(sizeof log_levels / sizeof *log_levels))

int rf_mcp_log_level(const struct rf_jval *name)
{
    for (int i = 0; i < LOG_LEVELS; i++)
        if (rf_jval_is(name, log_levels[i]))
            return i;
    return -1;
}

const char *rf_mcp_log_level_name(int level)
{
    return level >= 0 && level < LOG_LEVELS ? log_levels[level] : "";
}
