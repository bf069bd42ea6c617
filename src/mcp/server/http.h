/* Streamable HTTP from the inside: what its files share. All of it belongs to the loop's thread.
 *
 * An exchange is an HTTP request under way, and the channel by which the server knows what it
 * asked. In the modern era it has a peer of its own, and a client that goes away cancels it. In the
 * legacy era it belongs to a session, whose events are numbered and kept for a while: a client that
 * lost a stream comes back for the rest with Last-Event-ID. */
#ifndef RF_MCP_SERVER_HTTP_H
#define RF_MCP_SERVER_HTTP_H

#include "httpd/httpd.h"
#include "mcp/server/inside.h"

#define RF_MCP_SESSION_ID 32 /* characters */

struct rf_mcp_http {
    struct rf_mcp_server *server;
    const struct rf_mcp_http_options *options;
    struct rf_loop loop;
    struct rf_httpd *httpd;
    bool outside; /* other machines can reach it */
    struct rf_timer tick;
    struct rf_mcp_exchange *posts;
    struct rf_mcp_session *sessions; /* the one that was used last is first */
    size_t session_count;
};

struct rf_mcp_event {
    struct rf_mcp_event *next;
    uint64_t stream, number;
    size_t n;
    char text[];
};

struct rf_mcp_session {
    struct rf_mcp_http *http;
    struct rf_mcp_session *next;
    char id[RF_MCP_SESSION_ID + 1];
    struct rf_mcp_peer *peer;
    int64_t used_ms;
    struct rf_mcp_exchange *general; /* the stream of what belongs to no request; or NULL */
    uint64_t general_number;         /* of the last event there: it is stream 0 */
    uint64_t general_sent;           /* the same, of those that were sent to anybody */
    uint64_t streams;                /* how many there were */
    struct rf_mcp_event *events, **events_end;
    size_t event_bytes;
};

struct rf_mcp_exchange {
    struct rf_mcp_http *http;
    struct rf_mcp_exchange *next, *before;
    struct rf_httpd_request *request; /* NULL: the connection was lost, and it may be resumed */
    const char *origin;               /* that was allowed; or NULL */
    struct rf_mcp_session *session;   /* legacy */
    struct rf_mcp_peer *peer;         /* modern: its own */
    const struct rf_jval *id;         /* of the request, while it is looked at; or NULL */
    bool bad_meta;                    /* modern: what every request says is not there */
    bool initializes, streaming, done;
    uint64_t stream, number; /* legacy: of its stream, and of the last event there */
    int64_t lost_ms;         /* when the connection was lost */
    size_t unread;           /* bytes written since its client stopped reading; 0: it reads */
    char *body;
    size_t n, room;
};

/* http_check.c: who may come in. 0, or a status, and why. */
int rf_mcp_http_gate(struct rf_mcp_http *h, struct rf_mcp_exchange *p, const char **why);
/* What is wrong with the headers by which proxies know a modern request; NULL: nothing. */
const char *rf_mcp_http_mirror_fault(const struct rf_httpd_request *r, const struct rf_rpc *m,
                                     struct rf_arena *a);
/* May it be answered with either JSON or a stream? */
bool rf_mcp_http_accepts(const struct rf_httpd_request *r, const char *type);

/* http_stream.c: what is sent. */
extern const struct rf_mcp_peer_calls rf_mcp_http_modern, rf_mcp_http_legacy;
void rf_mcp_http_reply(struct rf_mcp_exchange *p, int status, struct rf_str json);
void rf_mcp_http_refuse(struct rf_mcp_exchange *p, int status, int64_t code, struct rf_str why);
void rf_mcp_http_stream(struct rf_mcp_exchange *p);
void rf_mcp_http_write_event(struct rf_mcp_exchange *p, uint64_t stream, uint64_t number,
                             struct rf_str message);
void rf_mcp_http_keep_alive(struct rf_mcp_exchange *p);

/* http_session.c */
struct rf_mcp_session *rf_mcp_session_new(struct rf_mcp_http *h); /* NULL: there are too many */
struct rf_mcp_session *rf_mcp_session_find(struct rf_mcp_http *h, const char *id);
/* Its requests under way end. */
void rf_mcp_session_free(struct rf_mcp_session *s);
void rf_mcp_sessions_expire(struct rf_mcp_http *h);
/* Number an event of a stream, and keep it for a client that comes back. */
uint64_t rf_mcp_session_keep(struct rf_mcp_session *s, uint64_t stream, uint64_t *last,
                             struct rf_str message);
/* The GET of a session: its general stream, or the rest of one that was lost. */
void rf_mcp_session_listen(struct rf_mcp_session *s, struct rf_mcp_exchange *get);

/* http.c */
void rf_mcp_exchange_free(struct rf_mcp_exchange *p);

#endif
