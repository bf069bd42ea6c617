/* A URL that a tool or a model named, fetched with care: only where the configuration says `fetch: true`,
 * http and https only, never from loopback, private, link-local, multicast or metadata addresses (each
 * address is checked after it was resolved, and each redirect again), at most 50 MiB, 10 redirects, 30 s. */
#ifndef RF_NET_FETCH_H
#define RF_NET_FETCH_H

#include "config/config.h"
#include "net/net.h"

struct rf_fetched {
    const char *path; /* a file of mode 0600 below `folder`, which the caller removes */
    uint64_t size;
    struct rf_str content_type, final_url;
};

RF_MUST enum rf_code rf_fetch(struct rf_net *net, const struct rf_config *c, struct rf_str url,
                              const char *folder, int cancel_fd, struct rf_arena *a,
                              struct rf_fetched *out, struct rf_err *err);

/* May a tool's URL lead to this address (a struct sockaddr)? */
bool rf_fetch_may_reach(const void *address);

#endif
