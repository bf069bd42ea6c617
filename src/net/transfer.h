/* One call on its way: what libcurl's callbacks read, write and remember. The loop is in net.c.
 *
 * A callback cannot return an error of ours, so the first reason to stop is kept in `stop`. */
#ifndef RF_NET_TRANSFER_H
#define RF_NET_TRANSFER_H

#include "net/curl_library.h"
#include "net/net.h"

enum rf_transfer_stop {
    RF_TRANSFER_GOES_ON,
    RF_TRANSFER_ENOUGH,  /* the receiver said so */
    RF_TRANSFER_NO_BODY, /* the body could not be read; `err` says why */
};

struct rf_transfer {
    const struct rf_net_call *call;
    CURL *easy;
    struct curl_slist *headers;
    struct rf_arena *arena;
    struct rf_net_reply *reply;
    struct rf_rope_reader body;
    uint64_t body_read;
    int64_t began_ms, moved_ms; /* on rf_now_ms's clock: the call, and the last byte either way */
    size_t header_lines;
    bool connected;             /* the request is being sent, or was */
    bool answered;              /* a header has come */
    bool told;                  /* the receiver knows the status */
    bool refused;               /* an address may not be connected to */
    enum rf_transfer_stop stop;
    CURLcode wrong_option; /* the first that libcurl did not take */
    struct rf_err err;
    char why[CURL_ERROR_SIZE];
};

/* Have the callbacks of `t` called for its handle. */
void rf_transfer_attach(struct rf_transfer *t);
void rf_transfer_release(struct rf_transfer *t);

/* All has come: a receiver that got no bytes hears of the status now. */
void rf_transfer_end(struct rf_transfer *t);

/* Set an option of the handle; the first that fails is kept. */
#define RF_TRANSFER_SET(t, option, value) \
    rf_transfer_keep(t, rf_curl.easy_setopt((t)->easy, option, value))
static inline void rf_transfer_keep(struct rf_transfer *t, CURLcode rc)
{
    if (!t->wrong_option)
        t->wrong_option = rc;
}

#endif
