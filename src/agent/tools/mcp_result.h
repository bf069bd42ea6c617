/* The result of a tool as MCP spells it, as a neutral one:
 *
 *     {"content": [{"type": "text", "text": "…"}, {"type": "image", "data": "…", "mimeType":
 *       "image/png"},
 *                  {"type": "resource", "resource": {"uri": "…", "text": "…"}}],
 *      "structuredContent": {…}, "isError": false}
 */
#ifndef RF_AGENT_MCP_RESULT_H
#define RF_AGENT_MCP_RESULT_H

#include "content/content.h"

/* Does an object look like one? A list "content" of typed objects, and nothing that only our own
 * format has. */
bool rf_mcp_result_is(const struct rf_jval *object);

/* Fill in output, error, data and blocks. What cannot be shown becomes words that say so. */
void rf_mcp_result_read(const struct rf_jval *object, struct rf_arena *a, struct rf_message *out);

#endif
