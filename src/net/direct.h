/* HTTP/1.1 that is ours: a call over a plain connection, which libcurl makes, with its names,
 * addresses and times, and which is kept for further calls. TLS, proxies and whatever else
 * rf_direct_fits refuses is libcurl's from beginning to end.
 *
 * libcurl takes a third of the time of a short request for what a kept connection does not need:
 * options, URLs, lists of headers, polls, and a copy of the body. */
#ifndef RF_NET_DIRECT_H
#define RF_NET_DIRECT_H

#include "base/loop.h"
#include "net/head.h"
#include "net/http1.h"
#include "net/links.h"
#include "net/net.h"

#include <sys/uio.h>

#define RF_DIRECT_RUNS 16

struct rf_direct {
    struct rf_str place, head;         /* whom it asks, and the first part of the request */
    struct rf_link *link;              /* the connection; NULL: there is none */
    bool kept;                         /* it was used before */
    bool closed;                       /* the server takes no more of the request */
    bool muted;                        /* it is paused, and is not watched for what could be read */
    struct rf_timer wake;              /* to begin, or to go on after a pause */
    struct iovec runs[RF_DIRECT_RUNS]; /* that are being sent */
    size_t run_at, run_count;
    uint64_t sent; /* bytes of all of the request */
    struct rf_http1 answer;
    struct rf_str type, location; /* headers of it */
    bool heard;                   /* some byte of it came */
    bool surplus;                 /* more came than an answer */
    char *held;                   /* bytes that were read and not taken yet; malloc */
    size_t held_at, held_n;
};

/* Is this call ours, and where does it go? `proxy` is the one that it goes through, or NULL. */
bool rf_direct_fits(const struct rf_net_call *c, const char *proxy, struct rf_web_place *place);

/* Begin it: the request goes out in the next step. Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_direct_start(struct rf_transfer *t, const struct rf_web_place *place,
                                     struct rf_err *err);
void rf_direct_release(struct rf_transfer *t);
/* The handle of `t` has a connection: `fd`, which is taken. */
void rf_direct_connected(struct rf_transfer *t, int fd);
/* Hand on what comes again. */
void rf_direct_resume(struct rf_transfer *t);
/* Something can be done with the connection; events as those of the loop. */
void rf_direct_ready(struct rf_transfer *t, int events);

#endif
