/* What the files of this room share. */
#ifndef RF_HTTPD_INSIDE_H
#define RF_HTTPD_INSIDE_H

#include "base/loop.h"
#include "httpd/httpd.h"
#include "httpd/microhttpd.h"

struct rf_lingering;

struct rf_httpd {
    struct rf_loop *loop;
    struct rf_httpd_options options;
    const struct rf_httpd_handler *handler;
    void *ctx;
    struct MHD_Daemon *daemon;
    int library; /* the library's epoll */
    int hangups; /* one of our own, which knows of clients that are gone from paused connections */
    struct rf_timer timer; /* when the library next wants to run */
    struct rf_connection *connections;
    size_t count;
    struct rf_lingering *lingering;
    size_t lingering_count;
    bool draining;
    bool woken; /* a connection, since the library last ran */
    char address[RF_HTTPD_PEER];
};

/* A connection, and the one request that is under way on it. */
struct rf_connection {
    struct rf_httpd *server;
    struct MHD_Connection *library;
    struct rf_connection *next, *before;
    struct rf_timer deadline; /* for a whole head */
    int fd;
    bool idle;    /* between two requests */
    bool hung_up; /* the client has closed its sending side */
    bool lingers; /* was answered before all of its body was read */

    /* The request; zeroed after each. */
    struct rf_exchange {
        struct rf_httpd_request request; /* first: it is handed out */
        char *uri;
        bool seen;     /* the head was looked at */
        bool begun;    /* `begin` was called, and `end` is owed */
        bool has_body; /* by its headers */
        bool complete, paused, suspended;
        bool dead; /* it was ended; the library is still to be told */
        uint64_t received;
        bool answered;
        unsigned status;
        struct MHD_Response *response; /* until the library takes it */
        bool finished, cut, full;      /* a stream's */
        char *out;                     /* what waits to be sent: `sent` to `filled` */
        size_t sent, filled, room;
    } now;
};

/* request.c: what the library calls. */
void *rf_exchange_uri(void *ctx, const char *uri, struct MHD_Connection *connection);
enum MHD_Result rf_exchange_call(void *ctx, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *n, void **call);
void rf_exchange_completed(void *ctx, struct MHD_Connection *connection, void **call,
                           enum MHD_RequestTerminationCode why);
/* The client of a connection is gone. */
void rf_exchange_hung_up(struct rf_connection *c);
void rf_exchange_wake(struct rf_connection *c);

/* httpd.c: where the last place is taken, whoever was idle for longest makes room, so that clients
 * that keep their connections do not keep others out. */
void rf_httpd_shed(struct rf_httpd *h);

/* check.c: what is wrong with a request's head; 0: nothing, else a status and why. */
int rf_head_fault(struct rf_connection *c, const char *version, const char **why);

/* linger.c: the client of a connection that is closed may still be sending. What it sends is thrown
 * away for a while, since closing at once would take the reply from it. */
void rf_linger(struct rf_httpd *h, int fd);
void rf_linger_end_all(struct rf_httpd *h);

#endif
