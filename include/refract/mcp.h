/* The Model Context Protocol: lend the reading tools to any host.
 *
 *     struct rf_mcp_options *o = rf_mcp_options_new();
 *     rf_mcp_options_root(o, "/srv/project");
 *     if (rf_mcp_server_new(o, &server, &err) || rf_mcp_serve_stdio(server, 0, 1, -1, &err)) …
 *     rf_mcp_server_free(server);
 *     rf_mcp_options_free(o);
 *
 * The server has the tools read_file, view_image, describe_file and pdf_pages, and offers the files
 * below its roots as resources. It speaks every revision of the protocol from 2024-11-05 to
 * 2026-07-28. What a host can show of a result, and how much of it, is a row of the catalogue like
 * that of a model ("mcp:claude-code"): files are converted to what it takes. */
#ifndef REFRACT_MCP_H
#define REFRACT_MCP_H

#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_mcp_options; /* a bag of settings: new, set, use, free */
struct rf_mcp_server;

RF_API struct rf_mcp_options *rf_mcp_options_new(void);
RF_API void rf_mcp_options_free(struct rf_mcp_options *o); /* takes NULL */
/* One more folder that may be read (default: the working folder alone). Relative paths are looked
 * for in each, in this order. The roots that a client names narrow these, and never widen them. */
RF_API void rf_mcp_options_root(struct rf_mcp_options *o, const char *folder);
/* Write for this host, whatever the client says that it is: "claude-code", or any other name of
 * the catalogue's provider "mcp". */
RF_API void rf_mcp_options_host(struct rf_mcp_options *o, const char *host);
/* Take the limits of the configuration and keep what is converted in its cache. It has to stay as
 * long as the server. */
RF_API void rf_mcp_options_configure(struct rf_mcp_options *o, const struct rf_config *c);

/* Keep nothing, and take nothing that was kept. */
RF_API void rf_mcp_options_no_cache(struct rf_mcp_options *o);

/* Fails with RF_ENOTFOUND where a root is not a folder, and with RF_EUSAGE for a host that is not
 * known. */
RF_API RF_MUST enum rf_code rf_mcp_server_new(const struct rf_mcp_options *o,
                                              struct rf_mcp_server **out, struct rf_err *err);
RF_API void rf_mcp_server_free(struct rf_mcp_server *s); /* takes NULL */

/* Serve one client over two descriptors, a message a line, until `in` ends, `out` is closed or
 * something can be read at `stop_fd` (-1: nothing). Whatever the client sends, only what it was
 * asked to do ends it. Fails with RF_EIO where the descriptors cannot be used at all. */
RF_API RF_MUST enum rf_code rf_mcp_serve_stdio(struct rf_mcp_server *s, int in, int out,
                                               int stop_fd, struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
