/* The gateway: clients of any API in, requests for any model out.
 *
 *     struct rf_gateway_options o = { .size = sizeof o, .config = config, .stop_fd = pipe[0] };
 *     if (rf_gateway_serve(&o, &err)) …
 *
 * It takes requests for OpenAI's Chat Completions and Responses, Anthropic's Messages and Gemini's
 * generateContent over HTTP, whole and streamed, has the model that they name answer, and writes
 * its reply as the client's API would. Files in them are delivered as rf_request_build does, and
 * one that a provider refuses is made anew or replaced, so that the rest arrives.
 *
 * A line of JSON for each request goes to standard error, or to the file of the configuration's
 * "serve.log"; GET /metrics tells numbers in the text format of Prometheus.
 *
 * Keys of providers are the gateway's own, found as everywhere (refract/send.h). Once the first key
 * of refract/keys.h was made, clients need one; until then it listens where only this machine can
 * reach it, and refuses pages in this machine's browsers. It fetches nothing that a request names,
 * and reads no file. */
#ifndef REFRACT_GATEWAY_H
#define REFRACT_GATEWAY_H

#include <stddef.h>

#include <refract/config.h>
#include <refract/error.h>
#include <refract/offline.h>
#include <refract/page.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is not set is NULL or 0. All that it points to must stay until it has ended. */
struct rf_gateway_options {
    size_t size; /* of this struct */
    const struct rf_config *config;
    /* "127.0.0.1:8484"; port 0 is a free one, "fd:3" a socket that listens already, and "fd:3-4"
     * two of those. NULL: the sockets that a service manager handed over (LISTEN_FDS), the
     * configuration's "serve.listen", or 127.0.0.1:8484. */
    const char *address;
    /* The model that all requests go to, as rf_model_open takes it. NULL: the one that they
     * name. Others to ask where it does not answer: `spares`. */
    const char *upstream;
    struct rf_offline offline; /* the model "offline": refract/offline.h */
    /* A byte that comes there drains it: nothing new is accepted, and what is under way is
     * finished. A further one, or its end, ends it at once. The byte RF_GATEWAY_RELOAD reloads
     * instead. They are read. -1: nothing ends it. */
    int stop_fd;
    /* Called when it can be reached, with the URL of each of its sockets; or NULL. */
    void (*listening)(void *ctx, const char *url);
    void *ctx;
    /* Give another configuration, which is the gateway's then; or fail. Where it fails, or what it
     * gives cannot be used, the old one stays in force; what is under way keeps it in any case. The
     * certificate and its key are read again, for new connections; where they do not do, the old
     * ones stay in force with all of the old configuration. Called in the thread of
     * rf_gateway_serve; NULL: it does not reload. */
    enum rf_code (*reload)(void *ctx, struct rf_config **out, struct rf_err *err);
    /* Called after each time with why it failed, or NULL; or NULL. */
    void (*reloaded)(void *ctx, const struct rf_err *err);
    const struct rf_page_table *page; /* rf_page(), which is served at "/"; NULL: none is */
    /* Called before `reloaded` for each setting that the new configuration changes and that stays
     * as it was until the gateway is started again: "serve.listen", "serve.traces", "store", and
     * "serve.tls" where it begins or ends; or NULL. */
    void (*unchanged)(void *ctx, const char *setting);
    const char *const *spares; /* spare_count models, each of which gets a request of its own */
    size_t spare_count;
};

#define RF_GATEWAY_RELOAD 'r'

/* Serve until it is told to stop. Fails with RF_EUSAGE where the address is not one, or is one that
 * other machines can reach while clients need no keys; with RF_EIO where it cannot be listened on;
 * with RF_ECONFIG where TLS is configured without a certificate that can be used, or libssl is
 * missing; and, where the upstream or one of its spares cannot be asked, as rf_model_open does or,
 * without a key, with RF_ECONFIG. */
RF_API RF_MUST enum rf_code rf_gateway_serve(const struct rf_gateway_options *o,
                                             struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
