/* One call on its way: what libcurl is told (options.c), what its callbacks read, write and
 * remember (transfer.c), and what a failure is called (failures.c). Who drives it is multi.c; where
 * libcurl makes the connection at most, direct.c.
 *
 * A callback cannot return an error of ours, so the first reason to stop is kept in `stop`. */
#ifndef RF_NET_TRANSFER_H
#define RF_NET_TRANSFER_H

#include "base/loop.h"
#include "net/curl_library.h"
#include "net/direct.h"
#include "net/net.h"

enum rf_transfer_stop {
    RF_TRANSFER_GOES_ON,
    RF_TRANSFER_ENOUGH,  /* the receiver said so */
    RF_TRANSFER_NO_BODY, /* the body could not be read; `err` says why */
    RF_TRANSFER_DIED,    /* its kept connection did, and it is not sent twice */
};

struct rf_transfer {
    struct rf_net *net;
    struct rf_loop *loop;             /* of `net` */
    struct rf_transfer *next, **at;   /* all that are on their way; who points here */
    struct rf_transfer *next_waiting; /* to be added, or dropped, when libcurl has returned */
    bool added;                       /* libcurl has it */
    bool dropped;                     /* cancelled: nobody wants to hear of it */
    bool paused;                      /* the receiver takes nothing for now */
    struct rf_timer timer;            /* it is late then, unless something moved */
    struct rf_net_call call;
    CURL *easy; /* NULL: libcurl is not needed, or not yet */
    struct curl_slist *headers;
    struct rf_arena *arena;
    struct rf_net_reply *reply;
    bool is_direct;          /* HTTP is ours */
    struct rf_direct direct; /* then */
    const char *proxy;       /* or NULL */
    struct rf_rope_reader body;
    uint64_t body_read;
    bool small;                 /* libcurl has the body */
    int64_t began_ms, moved_ms; /* on rf_now_ms's clock: the call, and the last byte either way */
    size_t header_lines;
    bool connected; /* the request is being sent, or was */
    bool answered;  /* a header has come */
    bool told;      /* the receiver knows the status */
    bool refused;   /* an address may not be connected to */
    bool unwatched; /* the system does not let us wait for its connection */
    enum rf_transfer_stop stop;
    CURLcode wrong_option; /* the first that libcurl did not take */
    struct rf_err *err;
    char why[CURL_ERROR_SIZE];
};

/* Tell its handle all of the call. Fails with RF_EUSAGE and RF_ECONFIG. */
RF_MUST enum rf_code rf_transfer_set_up(struct rf_transfer *t, struct rf_err *err);
/* Tell its handle to make the connection, and no more. Fails with RF_ECONFIG. */
RF_MUST enum rf_code rf_transfer_set_up_connection(struct rf_transfer *t, struct rf_err *err);
/* Have the callbacks of `t` called for its handle: those of a connection, and all others. */
void rf_transfer_attach_connection(struct rf_transfer *t);
void rf_transfer_attach(struct rf_transfer *t);
void rf_transfer_release(struct rf_transfer *t);

/* Set the timer to the moment at which it is late. */
void rf_transfer_arm(struct rf_transfer *t);
/* Milliseconds that may pass without a byte; -1: libcurl watches the clock. */
int64_t rf_transfer_patience_ms(const struct rf_transfer *t);
/* Fails where it is late, or could only ever be. */
RF_MUST enum rf_code rf_transfer_check_time(const struct rf_transfer *t, struct rf_err *err);
/* What it ended with, `code` being libcurl's word. Fails unless all went well. */
RF_MUST enum rf_code rf_transfer_outcome(const struct rf_transfer *t, CURLcode code,
                                         struct rf_err *err);

/* May it be sent once more, where some of it may have reached the server? */
bool rf_transfer_may_repeat(const struct rf_transfer *t);
/* There is a connection to reply->peer, as far as that is known, and the request goes out now.
 * False where the call may not use it. */
bool rf_transfer_begin(struct rf_transfer *t);
/* All of the body is with the system. */
bool rf_transfer_is_sent(const struct rf_transfer *t);
/* An answer begins, perhaps not the first one. False where it has too many lines. */
bool rf_transfer_take_status(struct rf_transfer *t);
bool rf_transfer_take_header(struct rf_transfer *t, struct rf_str name, struct rf_str value);
/* Hand some of the body on. False where the receiver has enough. */
bool rf_transfer_take_bytes(struct rf_transfer *t, struct rf_str run);
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
