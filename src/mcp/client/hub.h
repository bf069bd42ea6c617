/* The inside of the hub, which only its files know:
 *
 *     calls.c      what any thread calls: it makes a job, waits for it, and answers questions
 *     hub.c        the thread, and what others post to it
 *     link.c       one server: its life, and the jobs that wait for it
 *     pending.c    requests under way
 *     incoming.c   what a server says
 *     handshake.c  from a fresh connection to one that is ready: era, revision, tools
 *     tools.c      the list of tools, read; mirror.c: their arguments that are headers, too
 *     stdio.c      a program that we started;  http.c: an address
 *
 * A job belongs to the thread that waits for it, all else to the hub's thread. What both look at in
 * a job is under the hub's lock. */
#ifndef RF_MCP_CLIENT_HUB_H
#define RF_MCP_CLIENT_HUB_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/secrets.h"
#include "mcp/client/client.h"
#include "mcp/client/oauth.h"
#include "mcp/protocol.h"

#include <pthread.h>
#include <stdatomic.h>

struct rf_mcp_process;
struct rf_mcp_stream;

/* A question of a server, on its way to the thread that waits for the call. */
struct rf_mcp_asked {
    struct rf_mcp_asked *next;
    struct rf_arena *arena; /* that it lives in */
    unsigned connection;    /* that it came by */
    int64_t pending;        /* the request that it came with */
    const struct rf_jval *id, *params;
    struct rf_str method;
};

enum rf_mcp_job_kind {
    RF_MCP_JOB_REQUEST,
    RF_MCP_JOB_TOOLS,
    RF_MCP_JOB_STATUS,
};

struct rf_mcp_job {
    /* Filled in by who waits. */
    enum rf_mcp_job_kind kind;
    size_t server;
    const char *method;           /* REQUEST */
    const struct rf_jval *params; /* the same: an object, without _meta; or NULL */
    struct rf_str name;           /* the same: of the tool, resource or prompt; or empty */
    const char *needs;      /* the same: a capability, without which it is not asked; or NULL */
    struct rf_arena *arena; /* TOOLS, STATUS: that the answer goes to */
    struct rf_mcp_tools *tools;
    struct rf_mcp_status *status;

    /* The hub's. */
    uint64_t serial;
    struct rf_mcp_job *next; /* that waits for its server */
    bool again;              /* it was asked once, of a session that had ended */

    /* Of both. */
    int wake; /* can be read when there is something new */
    bool done;
    enum rf_code rc;
    struct rf_err err;
    struct rf_arena *result_arena;
    /* REQUEST; NULL: the server lacks what it `needs`. Of a failure with RF_MCP_VISIT_FIRST: the
     * data of the error. */
    const struct rf_jval *result;
    bool moved; /* there is progress to tell */
    double progress, total;
    char message[256];
    struct rf_mcp_asked *asked;
};

/* A request that was sent. */
struct rf_mcp_pending {
    struct rf_mcp_pending *next;
    struct rf_mcp_link *link;
    int64_t id;
    const char *method;
    struct rf_mcp_job *job; /* NULL: it is the hub's own, and `take` hears of it: */
    /* `answer` is NULL where none came, which `err` explains; it is gone then. */
    void (*take)(struct rf_mcp_link *l, const struct rf_rpc *answer, const struct rf_err *err);
    struct rf_timer timer; /* it takes too long then */
    int64_t patience_ms;   /* 0: as long as it takes */
    unsigned asked;        /* questions that are not answered yet: time does not count then */
    struct rf_mcp_stream *stream; /* HTTP: that the answer comes by */
};

/* An argument of a tool that is sent as a header, too. */
struct rf_mcp_mirror {
    struct rf_str header; /* with its prefix */
    struct rf_str *path;  /* keys, from the arguments in */
    size_t depth;
};

struct rf_mcp_listed {
    struct rf_mcp_tool tool;
    struct rf_mcp_mirror *mirrors;
    size_t mirror_count, mirror_cap;
};

struct rf_mcp_listing {
    struct rf_arena *arena;
    struct rf_mcp_listed *tools;
    size_t count, cap;
    struct rf_str *problems;
    size_t problem_count, problem_cap;
    uint16_t *slots; /* a table of the tools by their names: one more than the index, or 0 */
    size_t seen;     /* also those that were left out */
    size_t pages, bytes;
    bool failed;          /* a page did not come */
    struct rf_str cursor; /* of the page that was asked for last */
};

/* How a link's messages travel. */
struct rf_mcp_transport {
    RF_MUST enum rf_code (*open)(struct rf_mcp_link *l, struct rf_err *err);
    /* `p` is the request that `message` is; NULL: nothing is answered to it. */
    void (*send)(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *p);
    /* Nobody waits for the answer any more. */
    void (*drop)(struct rf_mcp_pending *p);
    /* A legacy server was told that its client is ready. */
    void (*settled)(struct rf_mcp_link *l);
    /* "initialize" failed: is there another way, which is being gone? May be NULL. */
    bool (*fall_back)(struct rf_mcp_link *l, const struct rf_err *why);
    void (*close)(struct rf_mcp_link *l);
    bool mirrors; /* arguments as headers */
};
extern const struct rf_mcp_transport rf_mcp_stdio, rf_mcp_http;

struct rf_mcp_link {
    struct rf_mcp_clients *hub;
    size_t index;
    struct rf_mcp_reach reach; /* all of it in the hub's arena */
    const struct rf_mcp_transport *transport;
    struct rf_secrets secrets; /* values that are in no message */

    enum rf_mcp_state state;
    unsigned connection, starts;
    unsigned failures;       /* one after the other, without a result in between */
    int64_t not_before_ms;   /* the next start */
    struct rf_err err;       /* why it ended last; code 0: it did not */
    bool without_probe;      /* it died of "server/discover" */
    struct rf_mcp_job *jobs; /* that wait until it is ready, or for its list */
    struct rf_mcp_pending *pending;
    int64_t last_id;
    struct rf_timer timer;   /* OFF: to start again; STARTING: it takes too long */
    struct rf_timer silence; /* STARTING: nothing was said to "server/discover" */
    struct rf_timer babble;  /* STARTING: what it said so far was not a message */
    struct rf_timer relist;
    struct rf_timer general; /* STARTING: until the general stream is waited for no longer */

    /* Of this connection. */
    struct rf_arena *arena;
    const struct rf_mcp_revision *revision;
    const struct rf_jval *capabilities; /* the server's; or NULL */
    struct rf_str server_name, server_version, instructions;
    struct rf_mcp_listing *listing; /* that is being made; or NULL */
    int64_t listen_wait_ms; /* until changes are listened for again; -1: the server cannot */
    bool discovered_again;  /* with a revision that the server proposed */
    bool list_stale;        /* it changed again meanwhile */
    unsigned lists;         /* that were made before it was ready */
    int64_t listed_ms;      /* when the last one was whole; 0: none was */
    int64_t relist_wait_ms; /* from then until the next one */
    bool speaks;            /* it has said a message */
    size_t strays;          /* lines since the last message that were none */
    char stray[128];        /* the last of them, or of the answers to no question */
    char first_stray[128];  /* since it was started: what is passed over is told with its tools */

    struct rf_mcp_listing *tools; /* the last whole list; or NULL */
    char *errors;                 /* the end of its standard error; or NULL */
    size_t errors_n;

    struct rf_mcp_process *process; /* stdio */
    /* HTTP. */
    struct rf_mcp_stream *streams;
    struct rf_str session;  /* or empty */
    struct rf_str endpoint; /* that messages go to, of a server of 2024; or empty: to its address */
    int http_status;        /* of the last answer; 0: none came */
    struct rf_oauth *oauth; /* NULL: the configuration says who we are */
    struct rf_str token;    /* the last that was sent; it is in no message */
    /* The last request that was refused for want of a better token; under the hub's lock. */
    struct rf_arena *refusal_arena; /* NULL: there was none */
    struct rf_oauth_refusal refusal;
};

enum rf_mcp_post_kind {
    RF_MCP_POST_JOB,
    RF_MCP_POST_CANCEL, /* the job of `serial` */
    RF_MCP_POST_ANSWER, /* to a question */
    RF_MCP_POST_WARM,
};

/* What another thread wants of the hub's. */
struct rf_mcp_post {
    struct rf_mcp_post *next;
    enum rf_mcp_post_kind kind;
    struct rf_mcp_job *job; /* JOB */
    uint64_t serial;        /* CANCEL */
    size_t server;          /* ANSWER, with: */
    unsigned connection;
    int64_t pending;
    struct rf_arena *arena; /* the message's */
    struct rf_str message;
};

struct rf_mcp_clients {
    struct rf_arena *arena;
    struct rf_mcp_link *links;
    size_t count;
    struct rf_mcp_clients_options options;
    _Atomic uint64_t changes;

    pthread_mutex_t lock;
    pthread_t thread;
    bool running, ending;
    int wake;
    struct rf_mcp_post *posts, **last_post;
    uint64_t last_serial;

    /* The thread's. */
    struct rf_net *net;
    struct rf_loop *loop;
    struct rf_arena *scratch;               /* of the message that is being taken */
    struct rf_mcp_process *processes;       /* also those that are ending */
    struct rf_mcp_stream *farewells, *dead; /* sessions that are being ended; streams to be freed */
    char *piece;                            /* that pipes are read with */
};

/* An error that goes away when the person has opened the pages that it names. */
#define RF_MCP_VISIT_FIRST (-32042)
#define RF_MCP_PIECE ((size_t)64 << 10)

/* hub.c */
void rf_mcp_hub_post(struct rf_mcp_clients *h, const struct rf_mcp_post *post);
/* The job has its answer, or `err` says why not (err NULL: all is well). It is gone then. */
void rf_mcp_job_done(struct rf_mcp_clients *h, struct rf_mcp_job *j, const struct rf_err *err);
/* What changed of a job, under the lock, and waking who waits. */
void rf_mcp_job_lock(struct rf_mcp_clients *h);
void rf_mcp_job_unlock(struct rf_mcp_clients *h, const struct rf_mcp_job *j);

/* link.c */
void rf_mcp_link_init(struct rf_mcp_link *l, struct rf_mcp_clients *h, size_t index,
                      const struct rf_mcp_reach *reach);
void rf_mcp_link_release(struct rf_mcp_link *l);
void rf_mcp_link_start(struct rf_mcp_link *l); /* unless it is started already */
void rf_mcp_link_job(struct rf_mcp_link *l, struct rf_mcp_job *j);
bool rf_mcp_link_cancel(struct rf_mcp_link *l, uint64_t serial);
/* The general stream is open, or there is none: what the server asks by it is heard from now on. */
void rf_mcp_link_hears(struct rf_mcp_link *l);
/* All that was waited for is known. */
void rf_mcp_link_ready(struct rf_mcp_link *l);
/* It cannot be used any more: whoever waits is told, and the connection is closed. */
void rf_mcp_link_down(struct rf_mcp_link *l, const struct rf_err *err);
/* Its session is over, through no fault of its own: begin another. `j` (or NULL) waits for it. */
void rf_mcp_link_renew(struct rf_mcp_link *l, struct rf_mcp_job *j);
/* Close without a word about why: the hub ends. */
void rf_mcp_link_close(struct rf_mcp_link *l);
/* Fail with `MCP server "NAME" …`, and the server's words after it. */
__attribute__((format(printf, 5, 6))) enum rf_code
rf_mcp_link_fail(const struct rf_mcp_link *l, struct rf_err *err, enum rf_code code,
                 struct rf_str words, const char *fmt, ...);
/* The last lines that it wrote to its standard error. */
struct rf_str rf_mcp_link_last_words(const struct rf_mcp_link *l);

/* Nothing of what it says is a message: it cannot be used. */
void rf_mcp_link_babbles(struct rf_mcp_link *l);
/* What may explain that no answer comes: what it said instead. */
struct rf_str rf_mcp_link_strays(const struct rf_mcp_link *l);

/* pending.c */
struct rf_mcp_request {
    const char *method;
    const struct rf_jval *params; /* or NULL */
    struct rf_mcp_job *job;       /* or NULL: */
    void (*take)(struct rf_mcp_link *l, const struct rf_rpc *answer, const struct rf_err *err);
    int64_t patience_ms;
};
void rf_mcp_link_ask(struct rf_mcp_link *l, const struct rf_mcp_request *r);
/* A notification. */
void rf_mcp_link_tell(struct rf_mcp_link *l, const char *method, const struct rf_jval *params);
struct rf_mcp_pending *rf_mcp_pending_find(struct rf_mcp_link *l, int64_t id);
/* It has its answer: who waits is told, and it is gone. */
void rf_mcp_pending_end(struct rf_mcp_pending *p, const struct rf_rpc *answer,
                        const struct rf_err *err);
/* The same without a word to anybody. It still has to be freed. */
void rf_mcp_pending_forget(struct rf_mcp_pending *p);
/* Tell the server that the answer is not wanted any more. */
void rf_mcp_pending_cancel(const struct rf_mcp_pending *p, const char *why);
/* Its time begins anew. */
void rf_mcp_pending_arm(struct rf_mcp_pending *p);
/* Forget all that ask with this method. */
void rf_mcp_pending_drop(struct rf_mcp_link *l, const char *method);
/* What the client can do, for the server. */
void rf_mcp_capabilities_write(struct rf_json *w, const char *key, const struct rf_mcp_link *l);
void rf_mcp_client_info_write(struct rf_json *w, const char *key);
/* The folders that servers may know of. */
void rf_mcp_roots_write(struct rf_json *w, const char *key,
                        const struct rf_mcp_clients_options *options);

/* incoming.c: one message; `by` is the request that it came with (NULL: a general stream). The
 * link may be down afterwards: its `connection` is another one then. */
void rf_mcp_link_take(struct rf_mcp_link *l, struct rf_str message, struct rf_mcp_pending *by);

/* handshake.c */
void rf_mcp_handshake_begin(struct rf_mcp_link *l);
void rf_mcp_handshake_legacy(struct rf_mcp_link *l); /* say "initialize" */
/* The tools, again: now, or when the list that is being made is whole. */
void rf_mcp_tools_list(struct rf_mcp_link *l);
/* The server says that they are others now. */
void rf_mcp_tools_changed(struct rf_mcp_link *l);
bool rf_mcp_link_can(const struct rf_mcp_link *l, const char *capability, const char *detail);

/* tools.c */
/* A copy of a member that is a string; empty where there is none. */
struct rf_str rf_mcp_text(const struct rf_jval *object, const char *name, struct rf_arena *a);
struct rf_mcp_listing *rf_mcp_listing_new(void);
void rf_mcp_listing_free(struct rf_mcp_listing *g); /* takes NULL */
__attribute__((format(printf, 2, 3))) void rf_mcp_listing_problem(struct rf_mcp_listing *g,
                                                                  const char *fmt, ...);
/* A page of it. False: it is the last. */
bool rf_mcp_listing_add(struct rf_mcp_listing *g, const struct rf_jval *result, bool mirrors);
bool rf_mcp_listing_same(const struct rf_mcp_listing *one, const struct rf_mcp_listing *other);
/* What was wrong with `other`, where that is not known of `g` yet. False: it was. */
bool rf_mcp_listing_blame(struct rf_mcp_listing *g, const struct rf_mcp_listing *other);
const struct rf_mcp_listed *rf_mcp_listing_find(const struct rf_mcp_listing *g, struct rf_str name);
void rf_mcp_listing_copy(const struct rf_mcp_link *l, struct rf_arena *a, struct rf_mcp_tools *out);

/* mirror.c: the arguments that a schema wants as headers. False where it says so in a way that is
 * not allowed; `why` has room for 200 characters. */
bool rf_mcp_mirrors_read(const struct rf_jval *schema, struct rf_arena *a,
                         struct rf_mcp_listed *out, char why[200]);
/* The value of the header; false where there is nothing to send. */
bool rf_mcp_mirror_value(const struct rf_mcp_mirror *m, const struct rf_jval *arguments,
                         struct rf_arena *a, struct rf_str *out);
/* A text as a header may hold it. */
struct rf_str rf_mcp_header_text(struct rf_str text, struct rf_arena *a);

/* stdio.c, http.c: of the whole hub. */
bool rf_mcp_processes_ended(const struct rf_mcp_clients *h);
void rf_mcp_streams_sweep(struct rf_mcp_clients *h);
bool rf_mcp_farewells_said(const struct rf_mcp_clients *h);

#endif
