/* A URL, fetched with care. One that a tool or a model named: only where the configuration says
 * `fetch: yes`, only from hosts that it lists or that somebody allowed, http and https only, never
 * from loopback, private, link-local, multicast or metadata addresses nor from one of this
 * machine's own (each address is checked after it was resolved), at most 50 MiB, 10 redirects, 30
 * s. Where a redirect leads is judged as the first address is.
 *
 * One that a person named is fetched because of that: nothing has to be allowed, it may be on this
 * machine or in a private network, and it has 5 minutes. Where it leads is not the person's word:
 * from outside no redirect leads inside.
 *
 * Fails as rf_net_call does, and with RF_EPERMISSION where it may not; with RF_EUSAGE where a
 * person named something that is not a web address. */
#ifndef RF_NET_FETCH_H
#define RF_NET_FETCH_H

#include "config/config.h"
#include "net/net.h"

struct rf_fetching {
    const struct rf_config *config; /* or NULL: nothing is fetched but what a person names */
    bool named;                     /* by a person */
    struct rf_str url;
    const char *folder;
    int cancel_fd; /* as in struct rf_net_call */
    /* Asked about each host that the configuration does not list, before it is looked up, with the
     * whole address; false refuses it. NULL: all are refused. */
    bool (*may_visit)(void *ctx, struct rf_str host, struct rf_str url);
    void *ctx;
};

struct rf_fetched {
    const char *path; /* a file of mode 0600 below `folder`, which the caller removes */
    uint64_t size;
    struct rf_str content_type, final_url;
    struct rf_str name; /* by the server's word, or the last step of the address; made harmless */
};

RF_MUST enum rf_code rf_fetch(struct rf_net *net, const struct rf_fetching *w, struct rf_arena *a,
                              struct rf_fetched *out, struct rf_err *err);

#endif
