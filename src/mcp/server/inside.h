/* The server from the inside: what its files share. Who may touch what: a server's lists, its peers
 * and the `peer` of a call belong to the loop's thread; what stands under `lock` to whoever holds
 * it; the rest of a call to the thread that runs it, from when it was queued until it is posted
 * back. */
#ifndef RF_MCP_SERVER_INSIDE_H
#define RF_MCP_SERVER_INSIDE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/loop.h"
#include "mcp/server/server.h"
#include "media/media.h"

#include <refract/mcp.h>
#include <refract/tools.h>

#include <pthread.h>
#include <stdatomic.h>

#define RF_MCP_MOST_OUT ((size_t)8 << 20)    /* bytes of a message that we send */
#define RF_MCP_MOST_POSTED ((size_t)1 << 20) /* bytes that threads have for the loop */
#define RF_MCP_MOST_CALLS 128                /* requests of one client at once */
#define RF_MCP_MOST_THREADS 8
#define RF_MCP_MOST_SUBSCRIPTIONS 256 /* of one client; and URIs of one of them */
#define RF_MCP_MOST_ASKS 16           /* questions of one call */

struct rf_mcp_options {
    char **roots;
    size_t root_count;
    char *host;
    bool no_cache, conformance;
    const struct rf_config *config;
};

/* A thread that runs calls. Something to be read at `cancel[0]` stops the one that it runs. */
struct rf_mcp_thread {
    struct rf_mcp_server *server;
    pthread_t thread;
    int cancel[2];
    struct rf_tools *tools; /* made when first needed, as is: */
    struct rf_model *host;  /* of the last call */
};

/* What a thread has for the loop. */
enum rf_mcp_post_kind {
    RF_MCP_POST_MESSAGE, /* to the client of `call` */
    RF_MCP_POST_DONE,    /* `call` has run */
    RF_MCP_POST_LIST,    /* a list changed */
};
struct rf_mcp_post {
    struct rf_mcp_post *next;
    enum rf_mcp_post_kind kind;
    enum rf_mcp_list list;
    struct rf_mcp_call *call;
    size_t n;
    char text[];
};

struct rf_mcp_watch; /* of files, by the system: watch_*.c */
struct rf_mcp_trial; /* one that is under way keeps what was planned: trial.c */

struct rf_mcp_server {
    char **roots; /* real paths */
    size_t root_count;
    char *host; /* or NULL: by what the client says */
    const struct rf_config *config;
    const char *cache_folder; /* or NULL */
    const struct rf_mcp_offer *offer;
    struct rf_loop *loop;
    struct rf_mcp_peer *peers;
    struct rf_mcp_watch *watch; /* made when first needed */
    uint8_t seal[32];           /* the key of what clients keep for us */
    struct rf_mcp_trial *trial; /* or NULL */

    pthread_mutex_t lock;
    pthread_cond_t work, answer, room; /* `room`: for posts */
    struct rf_mcp_call *queue, **queue_end;
    struct rf_mcp_post *posts, **post_end;
    size_t post_bytes;
    int wake[2]; /* something to be read: there are posts */
    bool ending;
    int64_t last_ask; /* the id of our last request to any client */
    struct rf_mcp_thread threads[RF_MCP_MOST_THREADS];
    size_t thread_count, idle;
};

/* Notifications that a client wants: a stream of the modern era, or what a legacy client said. */
struct rf_mcp_subscription {
    struct rf_mcp_subscription *next;
    struct rf_arena *arena;
    const struct rf_jval *id; /* of the request that opened the stream; NULL: legacy */
    void *channel;
    bool lists[RF_MCP_LIST_RESOURCES + 1];
    struct rf_str *uris;
    size_t uri_count, uri_cap;
};

struct rf_mcp_peer {
    struct rf_mcp_server *server;
    struct rf_mcp_peer *next;
    struct rf_mcp_peer_calls calls;
    void *ctx;
    struct rf_mcp_call *under_way;
    size_t busy;
    atomic_bool held;
    struct rf_arena *arena; /* of what "initialize" said */
    const struct rf_mcp_revision *revision;
    const struct rf_jval *capabilities;
    struct rf_str client;
    int log_level;        /* -1: none */
    char *roots;          /* the legacy client's answer to roots/list; NULL: not known */
    uint64_t roots_asked; /* counts how often they became unknown */
    struct rf_mcp_subscription *subscriptions;
};

/* A question of a call to its client. */
struct rf_mcp_question {
    const char *key, *method, *params;
};

enum rf_mcp_stage { RF_MCP_QUEUED, RF_MCP_RUNNING, RF_MCP_RAN };

struct rf_mcp_call {
    struct rf_mcp_server *server;
    struct rf_mcp_peer *peer; /* NULL: nobody waits for it any more */
    struct rf_mcp_call *next; /* of its peer */
    void *channel;
    struct rf_arena *arena;
    struct rf_rpc rpc;
    const struct rf_mcp_revision *revision;
    const struct rf_jval *capabilities; /* or NULL */
    struct rf_str host;                 /* of the catalogue's provider "mcp" */
    int log_level;                      /* -1: none */
    const struct rf_jval *token;        /* of progress; or NULL */
    int64_t progress;                   /* that was told last */
    void (*run)(struct rf_mcp_call *c);
    /* Where `run` gave no answer: the rest of it, in the loop's thread; or NULL. */
    void (*settle)(struct rf_mcp_peer *p, struct rf_mcp_call *c);
    const void *row;            /* the tool, prompt or resource that it is about */
    struct rf_str client_roots; /* the answer to roots/list, as it is known; or empty */
    uint64_t roots_asked;
    bool learned_roots; /* this call asked for them, in the legacy era */
    struct rf_json *w;  /* of the answer; NULL: not yet */
    struct rf_str message;
    struct rf_mcp_question questions[RF_MCP_MOST_ASKS];
    size_t question_count;
    struct rf_str state, kept;
    struct rf_mcp_thread *thread; /* that runs it */
    atomic_bool cancelled;
    /* under the lock */
    atomic_bool *held; /* its client's; NULL with `peer` */
    struct rf_mcp_call *queue_next;
    enum rf_mcp_stage stage;
    int64_t ask; /* the id of the request that it waits for; 0: none */
    char *answer;
};

/* methods.c: do what a request asks for: at once, or by queueing the call (true). */
bool rf_mcp_dispatch(struct rf_mcp_peer *p, struct rf_mcp_call *c);

/* pool.c: false where no thread can be had. */
bool rf_mcp_pool_add(struct rf_mcp_call *c);
/* Stop a call that was queued. True: it never ran, and is the caller's again. */
bool rf_mcp_pool_cancel(struct rf_mcp_call *c);
void rf_mcp_pool_end(struct rf_mcp_server *s);
/* Where a call posts more than the loop takes, the thread that runs it waits; no other does. */
void rf_mcp_post(struct rf_mcp_server *s, enum rf_mcp_post_kind kind, struct rf_mcp_call *c,
                 enum rf_mcp_list list, struct rf_str text);
/* A client reads again: look for work. */
void rf_mcp_pool_wake(struct rf_mcp_server *s);
/* Wait for the answer to the request `id` of this call: malloc'ed; NULL where it was cancelled or
 * took too long. */
char *rf_mcp_pool_wait_answer(struct rf_mcp_call *c, int64_t most_ms);

/* peer.c: what posts become. */
void rf_mcp_peer_deliver(struct rf_mcp_server *s, struct rf_mcp_post *post);
void rf_mcp_call_free(struct rf_mcp_call *c);

/* call.c */
/* The message that answers it, from what `run` left. */
void rf_mcp_call_finish(struct rf_mcp_call *c);
/* rf_mcp_call_ask within a time. */
enum rf_mcp_asked rf_mcp_call_question(struct rf_mcp_call *c, const char *key, const char *method,
                                       const char *params, int64_t most_ms,
                                       const struct rf_jval **answer, struct rf_err *err);
/* Answer with what is wrong on our side: tools/call as rf_mcp_call_fail, others by an error. */
void rf_mcp_call_broken(struct rf_mcp_call *c, struct rf_str why);
/* ttlMs and cacheScope of a result, in the modern era. */
#define RF_MCP_HOUR_MS ((int64_t)60 * 60 * 1000)
void rf_mcp_call_cacheable(struct rf_mcp_call *c, struct rf_json *w, int64_t ttl_ms);

/* seal.c: text that a client keeps for us, for one method and name. */
RF_MUST enum rf_code rf_mcp_seal(struct rf_mcp_call *c, struct rf_str text, struct rf_str *out,
                                 struct rf_err *err);
RF_MUST enum rf_code rf_mcp_unseal(struct rf_mcp_call *c, struct rf_str sealed, struct rf_str *out,
                                   struct rf_err *err);

/* trial.c: what a result was planned from and is now the trial's to free. */
void rf_mcp_trial_keep(struct rf_mcp_trial *t, struct rf_request *request,
                       struct rf_conversation *conversation, struct rf_result *read);

/* subscribe.c */
void rf_mcp_subscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c);
void rf_mcp_unsubscribe(struct rf_mcp_peer *p, struct rf_mcp_call *c);
/* subscriptions/listen: opens the stream, or refuses it. */
void rf_mcp_listen(struct rf_mcp_peer *p, struct rf_mcp_call *c);
/* End the streams of this id or, where it is NULL, of this channel; sends nothing. */
void rf_mcp_stop_listening(struct rf_mcp_peer *p, const struct rf_jval *id, const void *channel);
bool rf_mcp_is_listening(const struct rf_mcp_peer *p, const struct rf_jval *id, struct rf_arena *a);
void rf_mcp_subscriptions_close(struct rf_mcp_peer *p); /* with a last message each */
void rf_mcp_subscriptions_free(struct rf_mcp_peer *p);
void rf_mcp_tell_list(struct rf_mcp_server *s, enum rf_mcp_list list);
void rf_mcp_tell_updated(struct rf_mcp_server *s, struct rf_str uri);

/* watch_*.c: tell of changes of files, by rf_mcp_tell_updated. False where it cannot. */
extern const bool rf_mcp_can_watch;
bool rf_mcp_watch_add(struct rf_mcp_server *s, const char *path, struct rf_str uri);
void rf_mcp_watch_remove(struct rf_mcp_server *s, struct rf_str uri);
void rf_mcp_watch_free(struct rf_mcp_server *s);

/* roots.c: the folders that this call may read. */
struct rf_mcp_roots {
    const char **folders; /* real paths */
    size_t count;
};
/* Asks the client, where it has roots and they are not known. False: it has to be asked first, or
 * did not tell, which is the answer: return. */
bool rf_mcp_roots_of(struct rf_mcp_call *c, struct rf_mcp_roots *out);
/* The same for requests that cannot ask in the modern era: lists and completion. */
bool rf_mcp_roots_now(struct rf_mcp_call *c, struct rf_mcp_roots *out);
/* By what the client answered to roots/list; an empty answer: it was not asked. */
void rf_mcp_roots_known(const struct rf_mcp_server *s, struct rf_str answer, struct rf_arena *a,
                        struct rf_mcp_roots *out);
/* The root that a path, as a client wrote it, is to be opened below, and the path itself, absolute.
 * NULL: there are no roots. "file:" URIs are paths too. */
const char *rf_mcp_root_for(const struct rf_mcp_roots *roots, struct rf_str path,
                            struct rf_arena *a, struct rf_str *absolute);
/* "/a, /b and others", in at most so many bytes or with one of them. */
struct rf_str rf_mcp_roots_words(const struct rf_mcp_roots *roots, struct rf_arena *a);
bool rf_mcp_lies_in(const char *path, const char *folder);
/* Does one of them hold this absolute path, by its name or by where it leads? */
bool rf_mcp_roots_hold(const struct rf_mcp_roots *roots, const char *path);
/* The path of a "file:" URI; false where it is not one. And back. */
bool rf_mcp_path_of_uri(struct rf_str uri, struct rf_arena *a, struct rf_str *path);
struct rf_str rf_mcp_uri_of_path(struct rf_str path, struct rf_arena *a);

/* The rows of our own. */
extern const struct rf_mcp_tool rf_mcp_own_tools[];
extern const size_t rf_mcp_own_tool_count;
extern const struct rf_mcp_resource rf_mcp_file_template;
/* resources.c */
void rf_mcp_list_resources(struct rf_mcp_call *c);
void rf_mcp_resource_read(struct rf_mcp_call *c);

/* A file as the contents of a resource, which are text or a blob. */
struct rf_mcp_contents {
    const struct rf_format *format; /* or NULL */
    struct rf_str mime, bytes;
    bool is_text;
};
/* What it is, by its bytes and the name in its path. */
RF_MUST enum rf_code rf_mcp_contents_look(const struct rf_bytes *bytes, struct rf_str path,
                                          struct rf_arena *a, struct rf_mcp_contents *out,
                                          struct rf_err *err);
/* Its bytes, which tell whether it is text. */
RF_MUST enum rf_code rf_mcp_contents_read(const struct rf_bytes *bytes, struct rf_arena *a,
                                          struct rf_mcp_contents *c, struct rf_err *err);
/* Members of an object that is open. */
void rf_mcp_contents_write(struct rf_json *w, struct rf_str uri, const struct rf_mcp_contents *c,
                           struct rf_arena *a);
/* complete.c */
void rf_mcp_complete_path(struct rf_mcp_call *c);

/* lists.c */
void rf_mcp_list_tools(struct rf_mcp_call *c);
void rf_mcp_list_prompts(struct rf_mcp_call *c);
void rf_mcp_list_templates(struct rf_mcp_call *c);
const struct rf_mcp_tool *rf_mcp_tool_find(const struct rf_mcp_server *s, struct rf_str name);
const struct rf_mcp_prompt *rf_mcp_prompt_find(const struct rf_mcp_server *s, struct rf_str name);
/* By its URI, also where that fits a template. */
const struct rf_mcp_resource *rf_mcp_resource_find(const struct rf_mcp_server *s,
                                                   struct rf_str uri);
const struct rf_mcp_resource *rf_mcp_template_find(const struct rf_mcp_server *s,
                                                   struct rf_str uri_template);

#endif
