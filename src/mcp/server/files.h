/* The tools that read files, from the inside: what one call has at hand, and its ways to answer. */
#ifndef RF_MCP_SERVER_FILES_H
#define RF_MCP_SERVER_FILES_H

#include "mcp/server/inside.h"
#include "source/read.h"

struct rf_mcp_file {
    struct rf_mcp_call *call;
    struct rf_tools *tools; /* set up for this call: its root, limits, progress and cancellation */
    struct rf_mcp_roots roots;
    const char *root;            /* the one of them that `path` is below */
    struct rf_str path;          /* absolute; a part may follow it */
    const struct rf_model *host; /* what the client can show */
};

/* Find out what a call is about: the member `name` of its arguments is a path, and so
 * is what others call it: path or file_path. False: it is
 * answered, or has to come again. */
bool rf_mcp_file_open(struct rf_mcp_call *c, const char *name, struct rf_mcp_file *out);

/* Answer with what is wrong, as a failure that the model reads. */
void rf_mcp_file_fail(const struct rf_mcp_file *f, const struct rf_err *err);
/* An optional number of the arguments; -1: it was not given. False: it is not one of these, and
 * that is the answer. */
bool rf_mcp_file_number(const struct rf_mcp_file *f, const char *name, int64_t least, int64_t most,
                        int64_t *out);

/* Bytes that a result may have for the host, or usually where it has no limit. */
int64_t rf_mcp_file_most(const struct rf_mcp_file *f);

/* Answer with a result of the reading tools, as much of it as the host can show; it is freed. */
void rf_mcp_file_present(const struct rf_mcp_file *f, struct rf_result *result);

/* The tools. */
void rf_mcp_read_file(struct rf_mcp_call *c);
void rf_mcp_view_image(struct rf_mcp_call *c);
void rf_mcp_describe_file(struct rf_mcp_call *c);
void rf_mcp_pdf_pages(struct rf_mcp_call *c);

/* original.c: the file as it is, as an audio block or as an embedded resource. */
void rf_mcp_give_original(const struct rf_mcp_file *f, bool as_audio);

#endif
