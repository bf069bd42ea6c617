/* What the files of this room share. */
#ifndef RF_HTTPD_INSIDE_H
#define RF_HTTPD_INSIDE_H

#include "base/listen_address.h"
#include "base/loop.h"
#include "httpd/httpd.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct rf_lingering;
struct ssl_st;

/* head.c: a request's head in one piece of memory, in which each part ends in a NUL. */
struct rf_head {
    struct rf_httpd_header *headers;
    size_t count;
    char *text;
    struct rf_str method, path, query; /* where the first line has none: "", "/" and "" */
    bool old;                          /* HTTP/1.0 */
    bool chunked, has_body, expects, closes;
    uint64_t length; /* of a body that is not chunked */
    int status;      /* what it is refused with, and why; 0: it is not */
    const char *why;
};
/* How long the head at the beginning of `bytes` is, of which `looked` have been looked at before; 0:
 * not all of it is there. */
size_t rf_head_end(struct rf_str bytes, size_t looked);
/* Of a head that may have been cut off where it is too long. */
void rf_head_parse(struct rf_str bytes, struct rf_head *h);
void rf_head_release(struct rf_head *h); /* also one of zeros */
const char *rf_head_value(const struct rf_head *h, const char *name);

/* entity.c: a body as it comes. */
enum rf_entity_state {
    RF_ENTITY_BYTES, /* `left` of a body, or of a chunk */
    RF_ENTITY_SIZE,  /* of a chunk; then what is between it and the next */
    RF_ENTITY_EXTENSION,
    RF_ENTITY_SIZE_END,
    RF_ENTITY_CHUNK_CR,
    RF_ENTITY_CHUNK_LF,
    RF_ENTITY_FIELD, /* after the last chunk: the first byte of a line */
    RF_ENTITY_FIELD_REST,
    RF_ENTITY_FIELD_LF,
    RF_ENTITY_LAST_LF,
    RF_ENTITY_DONE, /* these two are last */
    RF_ENTITY_WRONG,
};
struct rf_entity {
    enum rf_entity_state state;
    bool chunked;
    uint64_t left;
    size_t line; /* bytes of the line that is being read */
};
void rf_entity_begin(struct rf_entity *b, const struct rf_head *h);
/* Take some of `bytes`, up to the end of a piece of the body, and say how many were taken. */
size_t rf_entity_take(struct rf_entity *b, struct rf_str bytes, struct rf_str *piece);
/* So many of RF_ENTITY_BYTES came another way. */
void rf_entity_took(struct rf_entity *b, uint64_t n);

/* Sockets that listen, and their addresses. */
struct rf_listening {
    int fds[RF_LISTEN_MOST];
    char names[RF_LISTEN_MOST][RF_HTTPD_PEER];
    size_t count;
};

/* The sockets that servers are reached at; accept.c. */
struct rf_door {
    struct rf_listening at;
    unsigned most;        /* connections of each server */
    bool secure;          /* TLS is spoken */
    pthread_mutex_t lock; /* of what follows */
    struct rf_httpd *servers;
    struct ssl_ctx_st *tls; /* of the next connections */
};

/* Bytes that are received at once, unless a handler has room for more: what else comes with a head
 * of a large body is copied to there. */
#define RF_HTTPD_SCRATCH ((size_t)16 << 10)

struct rf_httpd {
    struct rf_loop *loop;
    struct rf_httpd_options options;
    const struct rf_httpd_handler *handler;
    void *ctx;
    struct rf_door *door;
    struct rf_httpd *next; /* at the same door */
    bool accepts;          /* for all of them */
    struct rf_timer retry;
    int incoming[2]; /* connections that another server has accepted for this one */
    struct rf_connection *connections;
    struct rf_connection *due;   /* those that go on in the next turn */
    struct rf_timer timer;       /* has them go on */
    char *scratch;               /* what is received is looked at here first */
    atomic_size_t count, coming; /* connections, and those that are accepted and not here yet */
    atomic_size_t failed_handshakes;
    struct rf_lingering *lingering;
    size_t lingering_count;
    atomic_bool draining;
    char date[40]; /* of replies, and of which second it is */
    int64_t date_s;
};

/* Bytes that wait: from `at` to `n`. */
struct rf_waiting {
    char *p;
    size_t at, n, room;
};

/* A connection, and the one request that is under way on it. */
struct rf_connection {
    struct rf_httpd *server;
    struct rf_connection *next, *before;
    struct rf_connection *next_due, **due_at; /* where it is in that list; NULL: it is not */
    struct rf_timer timer; /* looks at the deadline, which may have been put off since */
    int64_t deadline_ms;   /* 0: none */
    int fd;
    int watched; /* enum rf_loop_event */
    struct ssl_st *tls;
    struct rf_waiting in, out;
    size_t looked; /* bytes of `in` in which there is no end of a head */
    bool idle;     /* between two requests */
    bool moved;    /* a byte, since the deadline was looked at */
    bool blocked;  /* the client takes no more for now */
    bool hung_up;  /* the client has closed its sending side */
    bool closes;   /* after the reply */
    bool lingers;  /* then: more of its body may still come */

    /* The request; zeroed after each. */
    struct rf_exchange {
        struct rf_httpd_request request;
        struct rf_head head;
        struct rf_entity entity;
        bool seen;     /* the head was looked at */
        bool reading;  /* its body is read, unless it was answered before */
        bool begun;    /* `begin` was called, and `end` is owed */
        bool complete; /* all of the body has come */
        bool paused, answered;
        bool dead; /* the connection is closed as soon as nobody calls from it */
        uint64_t received;
        int64_t waited_ms;        /* since when the body is waited for; 0: it is not, for now */
        uint64_t received_before; /* of it, until then */
        int64_t answered_ms;      /* since when only the rest of the body is waited for; or 0 */
        bool chunked, finished, cut, full; /* a reply's */
    } now;
};

/* connection.c: one that was accepted; its descriptor is the server's from here on. */
void rf_connection_new(struct rf_httpd *h, int fd);
/* Have it go on in the next turn of the loop. */
void rf_connection_wake(struct rf_connection *c);
/* Close it at once; its request ends. */
void rf_connection_drop(struct rf_connection *c);
void rf_connection_go_on(void *server); /* those that are due */

/* reply.c: what still has to go out before anything else may. */
void rf_reply_continue(struct rf_connection *c);
bool rf_reply_is_full(const struct rf_connection *c);

/* waiting.c */
void rf_waiting_add(struct rf_waiting *w, struct rf_str bytes);
/* So many more bytes, which the caller writes. */
char *rf_waiting_take(struct rf_waiting *w, size_t n);
void rf_waiting_release(struct rf_waiting *w);
static inline struct rf_str rf_waiting_rest(const struct rf_waiting *w)
{
    return w->p ? (struct rf_str){ w->p + w->at, w->n - w->at } : RF_STR("");
}

/* httpd.c: where the last place is taken, whoever was idle for longest makes room, so that clients
 * that keep their connections do not keep others out. */
void rf_httpd_shed(struct rf_httpd *h);

/* listen.c: all sockets of that address. Fails as rf_httpd_start. */
RF_MUST enum rf_code rf_listen(const char *address, struct rf_listening *out, struct rf_err *err);
void rf_listening_close(struct rf_listening *l);
/* The own address of a socket; false: it has none. */
bool rf_listening_name(int fd, char out[RF_HTTPD_PEER]);

/* accept.c. Freed when the last server leaves; by hand where none came. It takes `tls`, which may
 * be NULL. */
struct rf_door *rf_door_new(const struct rf_listening *at, unsigned most, struct ssl_ctx_st *tls);
void rf_door_free(struct rf_door *d);
/* The first one accepts for all. False, with errno, where the system refuses. */
bool rf_door_join(struct rf_door *d, struct rf_httpd *h);
/* Accept nothing more, where this is the server that accepts. */
void rf_door_shut(struct rf_httpd *h);
void rf_door_leave(struct rf_httpd *h);
/* NULL: TLS is not spoken. */
struct ssl_st *rf_door_tls(struct rf_door *d, int fd);

/* tls.c: TLS by libssl; rf_tls_open is in httpd.h. */
struct ssl_st *rf_tls_accept(struct ssl_ctx_st *tls, int fd);
/* Did it say something, and not come to the end of its handshake? */
bool rf_tls_failed(struct ssl_st *s);
/* Say goodbye, where that can be done at once. */
void rf_tls_end(struct ssl_st *s);
/* As recv and send do on a socket that does not block. */
ssize_t rf_tls_read(struct ssl_st *s, char *to, size_t most);
ssize_t rf_tls_write(struct ssl_st *s, struct rf_str bytes);
/* Was more read of the socket than was asked for? */
bool rf_tls_holds(const struct ssl_st *s);

/* linger.c: the client of a connection that is closed may still be sending. What it sends is thrown
 * away for a while, since closing at once would take the reply from it. */
void rf_linger(struct rf_httpd *h, int fd);
void rf_linger_end_all(struct rf_httpd *h);

#endif
