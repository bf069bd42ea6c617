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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/error.h>
#include <refract/request.h>
#include <refract/str.h>

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
/* Offer also what the official conformance suite calls. */
RF_API void rf_mcp_options_conformance(struct rf_mcp_options *o);

/* Fails with RF_ENOTFOUND where a root is not a folder, and with RF_EUSAGE for a host that is not
 * known, and where no root was named and the working folder is "/". */
RF_API RF_MUST enum rf_code rf_mcp_server_new(const struct rf_mcp_options *o,
                                              struct rf_mcp_server **out, struct rf_err *err);
RF_API void rf_mcp_server_free(struct rf_mcp_server *s); /* takes NULL */

/* Serve one client over two descriptors, a message a line, until `in` ends, `out` is closed or
 * something can be read at `stop_fd` (-1: nothing). Whatever the client sends, only what it was
 * asked to do ends it. Fails with RF_EIO where the descriptors cannot be used at all. */
RF_API RF_MUST enum rf_code rf_mcp_serve_stdio(struct rf_mcp_server *s, int in, int out,
                                               int stop_fd, struct rf_err *err);

/* Serve any number of clients over Streamable HTTP, at the path /mcp. */
struct rf_mcp_http_options {
    size_t size;         /* of this struct */
    const char *address; /* "127.0.0.1:8080"; port 0 is one that is free */
    const char *token;   /* that clients send as a bearer token; NULL: none is asked for */
    /* Pages that may ask, beside those of this machine: "https://app.example". */
    const char *const *origins;
    size_t origin_count;
    /* Names that this machine is called by, beside its own and the address: "mcp.example". */
    const char *const *hosts;
    size_t host_count;
    int stop_fd; /* it ends when something can be read there; -1: never */
    /* Called once, with the URL for clients; or NULL. */
    void (*listening)(void *ctx, const char *url);
    void *ctx;
};

/* Streams end when the server does; what is under way then has a moment to be finished. Fails with
 * RF_EUSAGE where the address is none, or one that other machines can reach while no token is
 * asked for; and with RF_EIO where it cannot be listened on. */
RF_API RF_MUST enum rf_code
rf_mcp_serve_http(struct rf_mcp_server *s, const struct rf_mcp_http_options *o, struct rf_err *err);

/* What a host is given of a call, to look at: the call takes the path that one of a client of that
 * name takes, through the same tools, roots and limits.
 *
 *     if (!rf_mcp_trial_new(s, "claude-code", "read_file", arguments, &t, &err))
 *         for (i = 0; i < rf_mcp_trial_count(t); i++) …
 *     rf_mcp_trial_free(t);
 */
struct rf_mcp_trial;

/* A block of the result. What it does not have is empty or 0. */
struct rf_mcp_block {
    size_t size;        /* of this struct, to be set by the caller */
    struct rf_str type; /* "text", "image", "audio", "resource" or "resource_link" */
    struct rf_str media_type, uri, text;
    int64_t bytes;         /* of the text, or of the file that it holds */
    int64_t width, height; /* of a picture */
};

/* `arguments` is a JSON object. The server serves nobody meanwhile. A tool that fails has a result
 * too; this fails with RF_EUSAGE where there is no such tool, and with RF_EFORMAT where the
 * arguments are not JSON. */
RF_API RF_MUST enum rf_code rf_mcp_trial_new(struct rf_mcp_server *s, const char *client,
                                             const char *tool, struct rf_str arguments,
                                             struct rf_mcp_trial **out, struct rf_err *err);
RF_API void rf_mcp_trial_free(struct rf_mcp_trial *t); /* takes NULL */
/* Did the tool fail? Its blocks say why. */
RF_API bool rf_mcp_trial_failed(const struct rf_mcp_trial *t);
RF_API uint64_t rf_mcp_trial_bytes(const struct rf_mcp_trial *t); /* of the whole result, as JSON */
/* Its blocks; the strings live as long as the trial. */
RF_API size_t rf_mcp_trial_count(const struct rf_mcp_trial *t);
RF_API RF_MUST enum rf_code rf_mcp_trial_block(struct rf_mcp_trial *t, size_t i,
                                               struct rf_mcp_block *out, struct rf_err *err);
/* What became of the files in it, for rf_report_count and the rest of request.h; NULL where no
 * result was planned. It is good until the server has another trial, or this one is freed. */
RF_API struct rf_request *rf_mcp_trial_request(struct rf_mcp_trial *t);

#ifdef __cplusplus
}
#endif
#endif
