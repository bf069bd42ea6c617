/* What the tests of calls share: one who calls, takes what comes, and remembers it. */
#ifndef TESTS_NET_CALLER_H
#define TESTS_NET_CALLER_H

#include "base/buf.h"
#include "net/net.h"
#include "server.h"

#define MAX_TAKEN ((size_t)1 << 20)

struct world {
    struct rf_arena *arena;
    struct rf_net *net;
    struct rf_buf taken;
    struct rf_net_reply reply;
    struct rf_err err;
    int status;
    size_t take_at_most; /* 0: everything */
};

static inline struct world world_new(void)
{
    struct world w = { .arena = rf_arena_new(), .net = rf_net_new() };
    return w;
}

static inline void world_release(struct world *w)
{
    rf_net_free(w->net);
    rf_arena_free(w->arena);
}

static inline bool take_status(void *ctx, int status, struct rf_str content_type)
{
    struct world *w = ctx;
    (void)content_type;
    w->status = status;
    return true;
}

static inline bool take(void *ctx, struct rf_str bytes)
{
    struct world *w = ctx;
    rf_buf_add(&w->taken, bytes);
    return !w->take_at_most || w->taken.n < w->take_at_most;
}

/* Have every call be libcurl's from beginning to end, as those over TLS are. */
static bool through_libcurl;

/* A path of the server. libcurl alone works out that "/./" is "/". */
static inline const char *url_of(struct rf_arena *a, int port)
{
    return rf_strf(a, "http://127.0.0.1:%d%s/path?q=1", port, through_libcurl ? "/." : "").p;
}

/* Call a path of the server; `call` says the rest. */
static inline enum rf_code get(struct world *w, int port, struct rf_net_call call)
{
    if (!call.url)
        call.url = url_of(w->arena, port);
    if (!call.cancel_fd)
        call.cancel_fd = -1;
    if (!call.ctx)
        call.ctx = w;
    call.status = take_status;
    call.bytes = take;
    w->status = 0;
    w->err = (struct rf_err){ 0 };
    rf_buf_init(&w->taken, w->arena, MAX_TAKEN);
    return rf_net_call(w->net, &call, w->arena, &w->reply, &w->err);
}

static inline struct rf_str taken(struct world *w)
{
    return (struct rf_str){ w->taken.p ? w->taken.p : "", w->taken.n };
}

#define NO_CALL ((struct rf_net_call){ 0 })

/* A test must not depend on where it is run. */
static inline void forget_the_environment(void)
{
    static const char *const names[] = { "http_proxy", "https_proxy",    "HTTPS_PROXY",
                                         "all_proxy",  "ALL_PROXY",      "no_proxy",
                                         "NO_PROXY",   "CURL_CA_BUNDLE", "SSL_CERT_FILE" };
    for (size_t i = 0; i < COUNT(names); i++)
        unsetenv(names[i]);
}

#endif
