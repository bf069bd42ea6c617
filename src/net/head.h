/* The head of a request as we send it ourselves, and which calls are ours to send. */
#ifndef RF_NET_HEAD_H
#define RF_NET_HEAD_H

#include "net/net.h"

/* A URL in the two parts that a request over HTTP/1.1 has. */
struct rf_web_place {
    struct rf_str authority; /* "HOST" or "HOST:PORT" */
    struct rf_str target;    /* what stands after it */
};

/* False where it is not plain HTTP, or libcurl would do more with it than split it: a password, a
 * fragment, "/../", an address in an unusual spelling. */
bool rf_web_place_read(const char *url, struct rf_web_place *out);

/* False where a header or the method has libcurl do more than send it. */
bool rf_head_fits(const struct rf_net_call *c);

/* The head, in `a`. Fails with RF_EUSAGE where a header cannot be sent. */
RF_MUST enum rf_code rf_head_write(const struct rf_net_call *c, const struct rf_web_place *place,
                                   struct rf_arena *a, struct rf_str *out, struct rf_err *err);

/* Fails with RF_EUSAGE where it is not one line. */
RF_MUST enum rf_code rf_header_check(const struct rf_header *h, struct rf_err *err);

#endif
