/* What the files of this room share: the page of a process, and one visit to it.
 *
 *     page.c      the table for the gateway; visits: found, admitted, answered
 *     routes.c    which function answers which path
 *     logins.c    who may look
 *     web.c       the files that a browser loads, embedded by the build from web/
 *     ring.c      exchanges, as the gateway tells of them; files.c: what became of their files
 *     events.c    changes of them, as they happen; older.c: those of the store's log
 *     one.c       one of them, by view.c as conversations; bodies.c: as bytes; media.c: its files
 *     reply.c     its reply, as it comes
 *     what_if.c   the same for other models
 *     sessions.c  those of the store; serve.c: these alone, without a gateway
 *     tally.c     what was used, by minute; overview.c: that, and which upstreams fail
 *
 * A visit is one HTTP request, of one loop. Those that read a store, plan a request or have a file
 * converted are answered by a thread of the gateway's pool. */
#ifndef RF_PAGE_PAGE_H
#define RF_PAGE_PAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "base/loop.h"
#include "gateway/page.h"
#include "page/logins.h"
#include "page/ring.h"
#include "page/tally.h"
#include "store/ids.h"

struct rf_page {
    const struct rf_page_host *host;
    struct rf_ring *ring;
    struct rf_tally *tally;
    struct rf_page_logins logins;
    char epoch[RF_MARK_SIZE]; /* of this process: versions of other processes do not count */
};

#define RF_PAGE_MOST_WORDS 2 /* that stand for '*' in a route */
#define RF_PAGE_MOST_HEADERS 12

struct rf_reply_place {
    size_t sent, said; /* bytes of both texts of struct rf_seen */
};

struct rf_page_visit {
    struct rf_page_loop *loop;
    struct rf_page *page;
    struct rf_httpd_request *request; /* NULL: the browser is gone */
    struct rf_arena *arena;
    const struct rf_page_route *route; /* NULL: it was answered at once */
    struct rf_str words[RF_PAGE_MOST_WORDS];
    struct rf_str query;
    struct rf_buf body;
    struct rf_pool_job job;
    bool working; /* in a thread */
    int stop_fd;  /* readable once the browser is gone */
    /* The reply. */
    int status; /* 0: 200 */
    const char *type;
    struct rf_str out;
    struct rf_httpd_header headers[RF_PAGE_MOST_HEADERS]; /* besides those that all replies have */
    size_t header_count;
    /* Of a stream. */
    struct rf_timer timer;
    uint64_t version;
    struct rf_kept_exchange *kept; /* whose reply it is, or NULL */
    struct rf_reply_place place;   /* in that, up to which it was sent */
    int64_t wrote_ms;
    bool streaming, full;
};

enum rf_page_manner {
    RF_PAGE_AT_ONCE,
    RF_PAGE_IN_THREAD,
    RF_PAGE_STREAM, /* `run` begins it */
};

enum rf_page_access {
    RF_PAGE_FOR_ADMINS, /* where clients need keys */
    RF_PAGE_FOR_ALL,    /* what is needed to log in */
};

struct rf_page_route {
    const char *method, *path; /* '*' is any one word between slashes */
    enum rf_page_manner manner;
    void (*run)(struct rf_page_visit *v);
    enum rf_page_access access;
};

/* The one that a visit asks for, with its words set; NULL: there is none. */
const struct rf_page_route *rf_page_find(struct rf_page_visit *v);

/* Replies. A refusal is {"error": words}. */
void rf_page_header(struct rf_page_visit *v, const char *name, const char *value);
void rf_page_refuse(struct rf_page_visit *v, int status, struct rf_str words);
void rf_page_fail(struct rf_page_visit *v, const struct rf_err *err);
/* A failure and what to do about it, in one line. */
struct rf_str rf_page_words(struct rf_page_visit *v, const struct rf_err *err);
/* JSON: begin, write, end. */
struct rf_json *rf_page_json(struct rf_page_visit *v);
void rf_page_json_end(struct rf_page_visit *v, struct rf_json *w);

/* A field of the query, decoded; empty where it is not there. */
struct rf_str rf_page_field(struct rf_page_visit *v, const char *name);

/* web.c */
struct rf_page_file {
    const char *name, *type;
    const unsigned char *p;
    size_t n;
};
extern const struct rf_page_file rf_page_files[]; /* ends without a name; made by the build */

/* The routes' functions, by their files. */
void rf_page_web(struct rf_page_visit *v);
void rf_page_me(struct rf_page_visit *v);
void rf_page_login(struct rf_page_visit *v);
void rf_page_logout(struct rf_page_visit *v);
void rf_page_events(struct rf_page_visit *v);
void rf_page_requests(struct rf_page_visit *v);
void rf_page_older(struct rf_page_visit *v);
void rf_page_request(struct rf_page_visit *v);
void rf_page_reply(struct rf_page_visit *v);
void rf_page_body(struct rf_page_visit *v);
void rf_page_file(struct rf_page_visit *v);
void rf_page_thumbnail(struct rf_page_visit *v);
void rf_page_text(struct rf_page_visit *v);
void rf_page_what_if(struct rf_page_visit *v);
void rf_page_models(struct rf_page_visit *v);
void rf_page_sessions(struct rf_page_visit *v);
void rf_page_session(struct rf_page_visit *v);
void rf_page_session_models(struct rf_page_visit *v);
void rf_page_session_file(struct rf_page_visit *v);
void rf_page_session_thumbnail(struct rf_page_visit *v);
void rf_page_session_text(struct rf_page_visit *v);
void rf_page_session_drop(struct rf_page_visit *v);
void rf_page_session_keep(struct rf_page_visit *v);
void rf_page_session_export(struct rf_page_visit *v);
void rf_page_overview(struct rf_page_visit *v);

/* events.c, of all streams. The timer of one has its look at what is new: it ends where it does not
 * go on, writes, and looks again after a while. */
bool rf_page_goes_on(struct rf_page_visit *v);
void rf_page_write(struct rf_page_visit *v, struct rf_str bytes);
void rf_page_look_again(struct rf_page_visit *v, int64_t after_ms);
/* The id of the last event that the browser has: of this connection, or of one that it closed
 * itself, as the field "since"; or empty. */
struct rf_str rf_page_last_event(struct rf_page_visit *v);
/* It has room again. */
void rf_page_events_writable(struct rf_page_visit *v);
void rf_page_entry_write(struct rf_json *w, const struct rf_ring_entry *e);

#endif
