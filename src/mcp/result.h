/* The result of a tool as MCP spells it (CallToolResult, the same in all revisions), as a neutral
 * one:
 *
 *     text                          a text block
 *     image, audio                  the file, whatever its label says
 *     resource with text            the text, after a line with its address
 *     resource with a blob          the file, named by its address
 *     resource_link                 words that announce it, and how it can be read; `uri` is kept
 *     another type with `data`      the file; else words
 *     structuredContent             `data`, unless texts say the same
 *     isError                       success is false; the texts at the front are the error
 *     annotations, audience "user"  the block is for the person, and no model is sent it
 *     _meta, annotations            stay in `extra`
 *
 * Copies of the result's own files in its texts and its data are taken out, and named. The order of
 * the blocks is kept. It opens nothing and follows no link. */
#ifndef RF_MCP_RESULT_H
#define RF_MCP_RESULT_H

#include "content/content.h"

/* Does an object look like one? A list "content" of typed objects, and nothing that only our own
 * format has. */
bool rf_mcp_result_is(const struct rf_jval *object);

/* How a model can read what a server links to. */
struct rf_mcp_links {
    struct rf_str tool;   /* that it calls with a "uri" */
    struct rf_str server; /* and this "server"; empty: the tool knows */
};

/* Fill in error, data and blocks; `links` NULL: nobody can read them. What cannot be shown becomes
 * words that say so. `out` borrows from the object. */
void rf_mcp_result_read(const struct rf_jval *object, const struct rf_mcp_links *links,
                        struct rf_arena *a, struct rf_message *out);

#endif
