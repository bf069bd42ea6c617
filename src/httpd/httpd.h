/* HTTP/1.1 served on a loop, in its thread: as many requests at once as there are connections, and
 * no call that waits.
 *
 *     rf_httpd_start(&loop, "127.0.0.1:0", &options, &handler, ctx, &server, &err);
 *     … rf_loop_wait, rf_loop_step …
 *     rf_httpd_drain(server);  until rf_httpd_connections is 0, or for as long as one likes
 *     rf_httpd_stop(server);
 *
 * A request is `begin`, its body piece by piece, `complete`, and `end`, which comes exactly once, and
 * at once where the client is gone. Between `begin` and `end` it may be answered whenever the
 * handler likes: whole, or as a stream. A client that closes its sending side is taken to be gone.
 *
 * What never reaches a handler: heads over the limit, or with characters, repeated headers or
 * lengths by which two servers could understand two different requests; a connection that takes
 * too long over its head, or stalls. TLS is spoken where there is a certificate; HTTP/2 and
 * compression are not. */
#ifndef RF_HTTPD_HTTPD_H
#define RF_HTTPD_HTTPD_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

#define RF_HTTPD_PEER 64 /* bytes of an address */

struct rf_loop;
struct rf_httpd;
struct ssl_ctx_st;

/* Of a reply; and no other characters than those that may stand in a header: the rest becomes
 * spaces. */
struct rf_httpd_header {
    const char *name, *value;
};

struct rf_httpd_request {
    struct rf_str method;
    struct rf_str path;  /* as it was sent, escapes and all; begins with '/' */
    struct rf_str query; /* likewise, what stands after the '?' */
    uint64_t max_body;   /* `begin` may change it; a longer body is refused */
    void *own;           /* the handler's */
};

enum rf_httpd_ending {
    RF_HTTPD_SENT, /* all of the reply */
    RF_HTTPD_GONE, /* the client, or the server stops; what it asked for is wanted no more */
};

/* All of these are called by the loop's steps, `end` also by rf_httpd_stop. */
struct rf_httpd_handler {
    /* The head is there. It may be answered at once; the body is then not read. */
    void (*begin)(void *ctx, struct rf_httpd_request *r);
    /* The next bytes of the body; none come once it was answered. */
    void (*body)(void *ctx, struct rf_httpd_request *r, struct rf_str piece);
    /* All of the body is there. */
    void (*complete)(void *ctx, struct rf_httpd_request *r);
    /* The stream, to which rf_httpd_write said that it is full, takes more. NULL: never mind. */
    void (*writable)(void *ctx, struct rf_httpd_request *r);
    /* Nothing more comes; `r` is not to be used any more. */
    void (*end)(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how);
    /* Answer that the request was refused, with rf_httpd_reply. Also called for requests that never
     * began, which do not end either. NULL: it is answered with plain text. */
    void (*refuse)(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why);
    /* Where the next bytes of the body should lie, and how many fit there; `body` is then told of
     * them in that place. NULL, of the function or from it: anywhere. Not asked for all of a body. */
    char *(*room)(void *ctx, struct rf_httpd_request *r, size_t *n);
};

/* 0: what is usual. */
struct rf_httpd_options {
    unsigned max_connections; /* 1024; at that, idle ones are closed, and further ones wait */
    size_t max_head;          /* bytes of a request's first line and headers: 16 KiB */
    uint64_t max_body;        /* bytes: 64 MiB */
    int64_t head_timeout_ms;  /* from connecting until a head is whole: 15 s */
    int64_t idle_timeout_ms;  /* from a reply until the next head is whole: 75 s */
    /* Nothing of a body comes, or a client takes nothing: 60. Also what a body may take more than
     * it would at 1 KiB a second, and the rest of one that was answered early in all. One that is
     * too slow is refused with 408. */
    unsigned stall_timeout_s;
    /* Files of PEM, for TLS 1.2 and 1.3: both or neither. They are read when it is started, and by
     * rf_tls_open. */
    const char *certificate, *key;
};

/* Listen on "HOST:PORT", "[HOST]:PORT", or a PORT of 127.0.0.1; port 0 is one that is free; "fd:N" is a
 * socket that listens already, as descriptor N, and "fd:N-M" all of those. Fails with RF_EUSAGE where that is not an address,
 * RF_EIO where it cannot be listened on, and RF_ECONFIG where a file for TLS does not do or OpenSSL
 * is not there. `handler`, `ctx` and the strings of `options` are borrowed. */
RF_MUST enum rf_code rf_httpd_start(struct rf_loop *loop, const char *address,
                                    const struct rf_httpd_options *options,
                                    const struct rf_httpd_handler *handler, void *ctx,
                                    struct rf_httpd **out, struct rf_err *err);
/* One more server at the address of `first`, with its options and handler, on the loop of another
 * thread: each connection goes to the one that has the fewest. `first` accepts for all, so once that
 * drains, nobody gets more. Fails as rf_httpd_start. */
RF_MUST enum rf_code rf_httpd_join(struct rf_httpd *first, struct rf_loop *loop, void *ctx,
                                   struct rf_httpd **out, struct rf_err *err);
/* Read the certificate and the key that `options` name; *out is NULL where they name none. Fails as
 * rf_httpd_start. */
RF_MUST enum rf_code rf_tls_open(const struct rf_httpd_options *options, struct ssl_ctx_st **out,
                                 struct rf_err *err);
void rf_tls_close(struct ssl_ctx_st *tls); /* takes NULL */
/* From now on connections to the address of `h` get this certificate, on all of its servers, and
 * those that are there keep theirs. `tls` is taken. From any thread; for a server that was started
 * with a certificate. */
void rf_httpd_renew(struct rf_httpd *h, struct ssl_ctx_st *tls);
/* The address of the sockets that the service manager handed over to this process, as systemd does
 * (LISTEN_FDS, LISTEN_PID), in `out`; or NULL. */
const char *rf_httpd_handed_over(char out[RF_HTTPD_PEER]);
/* Is it an address that only this machine can reach? Fails as rf_httpd_start. */
RF_MUST enum rf_code rf_httpd_is_loopback(const char *address, bool *out, struct rf_err *err);
/* Where it listens: "127.0.0.1:40123"; of its sockets the one with this index, NULL after the last. */
const char *rf_httpd_address(const struct rf_httpd *h, size_t i);
/* Accept nothing more; connections end with the request that is under way, idle ones at once. */
void rf_httpd_drain(struct rf_httpd *h);
size_t rf_httpd_connections(const struct rf_httpd *h); /* from any thread */
/* Of connections that are over: whose client does not trust the certificate, or speaks no TLS. From
 * any thread. */
size_t rf_httpd_failed_handshakes(const struct rf_httpd *h);
/* `visit` is called for each request that has begun and not ended. It may answer it and write. */
void rf_httpd_visit(struct rf_httpd *h, void (*visit)(void *ctx, struct rf_httpd_request *r),
                    void *ctx);
/* Whoever is still there is cut off, and its request ends. Takes NULL. */
void rf_httpd_stop(struct rf_httpd *h);

/* A header of the request: NULL where there is none; the first of many. It
 * lives as long as the request. */
const char *rf_httpd_header(const struct rf_httpd_request *r, const char *name);
/* Who asks: "127.0.0.1:51234"; and the address that it reached: "127.0.0.1:8484". */
const char *rf_httpd_peer(const struct rf_httpd_request *r, char out[RF_HTTPD_PEER]);
const char *rf_httpd_reached(const struct rf_httpd_request *r, char out[RF_HTTPD_PEER]);

/* What a Host, or the part of an Origin after its "//", names: "localhost:8080" and "[::1]:8080" as
 * a name without brackets, and a port in digits or nothing. False: it is neither. */
bool rf_httpd_split_host(struct rf_str s, struct rf_str *host, struct rf_str *port);
/* Is it a name of this machine that no other resolves differently? */
bool rf_httpd_names_loopback(struct rf_str host);

/* Take no more of the body until rf_httpd_resume: at most one piece still comes. */
void rf_httpd_pause(struct rf_httpd_request *r);
void rf_httpd_resume(struct rf_httpd_request *r);

/* Answer, once a request: all of it, which is copied; or only the head, after which come writes.
 * The list of headers ends with one without a name; NULL: none. */
void rf_httpd_reply(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers,
                    struct rf_str body);
void rf_httpd_stream(struct rf_httpd_request *r, int status, const struct rf_httpd_header *headers);
/* Send this too: copied, whole, and at once where the client takes it. False: that is more than the
 * client has taken for now; write on after `writable`. */
bool rf_httpd_write(struct rf_httpd_request *r, struct rf_str bytes);
/* The stream is complete. */
void rf_httpd_finish(struct rf_httpd_request *r);
/* Something went wrong: close the connection, after what was written to a stream unless that is
 * full, so that the client sees that this is not all. Writes come to nothing; `end` still comes. */
void rf_httpd_cut(struct rf_httpd_request *r);

#endif
