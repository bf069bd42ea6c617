/* HTTP: bytes out, bytes in. It does not know what a block, a model or a provider is.
 *
 * One thread drives as many calls as it likes: each is started, is told of what comes while the
 * thread steps, and ends with its `done`. Nothing blocks but rf_net_wait and rf_net_call.
 *
 *     rc = rf_net_start(net, &call, a, &reply, &transfer, err);
 *     while (…)
 *         rf_net_wait(net, -1, -1);
 *
 *     rc = rf_net_call(net, &call, a, &reply, err); // the same for one call, to its end
 *
 * libcurl is loaded at the first call, not at program start. It makes all connections; what goes
 * over plain ones is sent and read without it (see direct.h). Connections are kept for the next
 * call, TLS is always checked, proxies come from the environment (see proxy.h). A body is read from
 * its rope while it is sent, so memory does not grow with it.
 *
 * Fails with RF_EPROVIDER (no connection, no answer in time, a broken answer), RF_EINTERRUPTED
 * (cancelled), RF_ELIMIT (the receiver had enough, `total_ms` is over), RF_EPERMISSION (no address
 * may be connected to), RF_EUSAGE (no web address, a header that cannot be sent), RF_ECONFIG
 * (libcurl is not there, a proxy would read it), and as reading the body does. A status such as 404
 * is an answer, and no failure. No message ever holds a header's value or what stands before an "@"
 * in a URL.
 *
 * Certificates that a machine trusts beside its own stand in the file that CURL_CA_BUNDLE or
 * SSL_CERT_FILE names.
 */
#ifndef RF_NET_NET_H
#define RF_NET_NET_H

#include "base/error.h"
#include "base/rope.h"
#include "base/str.h"

struct rf_arena;
struct rf_loop;
struct rf_net;      /* of one thread */
struct rf_transfer; /* a call on its way */

struct rf_net *rf_net_new(void);
void rf_net_free(struct rf_net *n); /* takes NULL; calls on their way are cancelled */

/* Have a thread load what calls are made with: for whoever waits for a disk before the first one.
 * Where it cannot be loaded, the call says so. */
void rf_net_prepare(struct rf_net *n);

/* What the calls wait for, and whatever else this thread waits for: its descriptor and its timeout
 * say when to step. */
struct rf_loop *rf_net_loop(struct rf_net *n);
/* Do what can be done now. */
void rf_net_step(struct rf_net *n);
/* Block until there is something to do, at most so long (-1: no limit), and step. True where
 * `also_fd` can be read instead (-1: none). */
bool rf_net_wait(struct rf_net *n, int also_fd, int most_ms);
/* The same without a limit, for a thread to which SIGPIPE means nothing since it is blocked there
 * or ignored: one system call instead of seven, and what comes of it at once is done, too. */
void rf_net_turn(struct rf_net *n);

struct rf_header {
    struct rf_str name, value;
};

struct rf_net_call {
    const char *method; /* NULL: POST with a body, GET without */
    const char *url;
    const struct rf_header *headers;
    size_t header_count;
    const struct rf_rope *body; /* or NULL */
    /* 0: the usual: 10 s, 10 min, 2 min. The first byte is that of the answer's body: a model
     * may think for long when its head has come. */
    int64_t connect_ms, first_byte_ms, idle_ms;
    int64_t total_ms; /* for all of it; 0: as long as it takes */
    int cancel_fd;    /* of rf_net_call: something to be read there stops it at once; -1: nothing */
    /* What came, as it comes, for any status; false stops the call. May be NULL. */
    bool (*status)(void *ctx, int status, struct rf_str content_type);
    /* A header of an answer, one that announces another among them. May be NULL. */
    void (*header)(void *ctx, struct rf_str name, struct rf_str value);
    bool (*bytes)(void *ctx, struct rf_str bytes);
    void *ctx;
    /* Of rf_net_start: it has ended, well or not; the transfer is gone. */
    void (*done)(void *done_ctx, enum rf_code rc, const struct rf_err *err);
    void *done_ctx;
    /* Asked for each address that the name resolves to, before it is connected to, and again for
     * a kept connection; false refuses it. No proxy is used then, since it would connect to what
     * nobody checked. NULL: all are fine. `address` is a struct sockaddr. */
    bool (*may_connect)(void *ctx, const void *address);
    /* Plain HTTP may go through a proxy, which reads all of it: there is no key, or the
     * configuration allows it. */
    bool plain_proxy;
    /* Whoever works on it twice does no harm. A kept connection may die of a request, or before it:
     * then it is sent once more, on a new one, where this says so or rf_net_only_reads does. */
    bool may_repeat;
};

/* Does a request of this method change nothing? */
bool rf_net_only_reads(const char *method);

struct rf_net_reply {
    int status; /* 0: none came */
    struct rf_str content_type, content_disposition, content_encoding, request_id;
    struct rf_str redirect;    /* where a whole answer leads; it is not followed. Or empty */
    int64_t retry_after_ms;    /* -1: nothing was said */
    bool peer_known;           /* who answers: not where a proxy does */
    _Alignas(8) char peer[28]; /* its struct sockaddr, one of IP */
    bool unreachable;          /* no connection could be made, which may be otherwise in a moment */
    bool sent;                 /* some of the request may have reached the server */
    bool began;                /* a byte of the body has come */
    bool overdue;              /* total_ms was over before the end */
};

/* Begin a call; `url`, `body`, `a` and `reply` must stay until it ends. Never calls back itself,
 * and may be called by any callback. `reply` is filled in as far as it came, also on a failure. Its
 * strings live in `a`. Where this fails, the call has not begun, and `done` is not called. */
RF_MUST enum rf_code rf_net_start(struct rf_net *n, const struct rf_net_call *call,
                                  struct rf_arena *a, struct rf_net_reply *reply,
                                  struct rf_transfer **out, struct rf_err *err);
/* End it without a word: nothing of it is called any more. May be called by any callback. */
void rf_net_cancel(struct rf_transfer *t);

/* Take nothing more of the answer until it is resumed: what the system has no room for waits with
 * the server, and no clock but that of `total_ms` runs. Both may be called by any callback; what
 * had been read already is handed on by resuming, or soon after. */
void rf_net_pause(struct rf_transfer *t);
void rf_net_resume(struct rf_transfer *t);

/* To its end, blocking; not in a callback. */
RF_MUST enum rf_code rf_net_call(struct rf_net *n, const struct rf_net_call *call,
                                 struct rf_arena *a, struct rf_net_reply *reply,
                                 struct rf_err *err);

#endif
