/* Servers of MCP that we use: they are started when they are needed, asked, followed and ended.
 *
 *     hub = rf_mcp_clients_new(reaches, count, &options);
 *     rf_mcp_tools(hub, server, stop_fd, arena, &tools, &err);
 *     rf_mcp_call(hub, &call, arena, &result, &err);
 *     rf_mcp_clients_free(hub);
 *
 * The hub is one thread with one loop, which speaks to all of them; it starts with the first call.
 * Any thread may ask: it waits for its answer, and for nothing that another one asked. What a
 * server asks while one of its calls is under way (a form, a reply of the model) is handed to the
 * thread that waits for that call, never to the hub's.
 *
 * A server that dies, hangs or talks nonsense costs the calls that it was asked, each of which
 * fails with words that name the server and what it did; the next call starts it again, after a
 * time that grows with its failures. Nothing here trusts a server: every message, list and name is
 * bounded, and what it says is not a word of ours. Values of headers and of `environment` are in no
 * message.
 */
#ifndef RF_MCP_CLIENT_CLIENT_H
#define RF_MCP_CLIENT_CLIENT_H

#include "base/error.h"
#include "base/json_read.h"
#include "base/str.h"
#include "net/net.h"

struct rf_arena;
struct rf_mcp_clients;

#define RF_MCP_START_MS 30000    /* until a server has to be ready for calls */
#define RF_MCP_TIMEOUT_MS 120000 /* that a call may take without a sign of progress */
#define RF_MCP_MAX_MESSAGE ((size_t)64 << 20)
#define RF_MCP_MAX_TOOLS ((size_t)10000)     /* of one server */
#define RF_MCP_MAX_STDERR ((size_t)64 << 10) /* the end of what a server wrote there */

/* How a server is reached: a program that we start, or an address. All values are ready to be used:
 * variables that a configuration names have been looked up. */
struct rf_mcp_reach {
    struct rf_str name;      /* what the person calls it */
    const char *const *argv; /* the program and its arguments, ends in NULL; NULL: `url` is said */
    const struct rf_str *environment; /* "NAME=value" that it gets beside the usual variables */
    size_t environment_count;
    const char *folder; /* to run in; NULL: ours */
    const char *url;    /* of Streamable HTTP; NULL: `argv` is said */
    const struct rf_header *headers;
    size_t header_count;
    bool plain_proxy; /* as in struct rf_net_call */
    /* `url`, where no header says Authorization: how we are known to who may allow its use. What is
     * empty is found out: oauth.h. */
    struct rf_str client_id, client_secret, client_document, issuer;
    uint16_t callback_port; /* that a browser comes back to; 0: a free one */
    bool forgets_login;     /* a new login is not kept for the next process */
    int64_t start_ms;       /* 0: RF_MCP_START_MS */
    int64_t timeout_ms;     /* 0: RF_MCP_TIMEOUT_MS */
};

/* What a server asks the person or the model. */
enum rf_mcp_question_kind {
    RF_MCP_ASKS_MODEL, /* sampling/createMessage */
    RF_MCP_ASKS_FORM,  /* elicitation/create: values for a form (form.h reads it) */
    RF_MCP_ASKS_VISIT, /* elicitation/create: to open a web page; params.url. Also the hub itself,
                        * where a login is needed */
};

struct rf_mcp_question {
    enum rf_mcp_question_kind kind;
    size_t server;
    struct rf_str server_name;
    const struct rf_jval *params; /* as the server sent them; an object */
};

struct rf_mcp_clients_options {
    /* Folders that servers may know of, as absolute paths. */
    const struct rf_str *roots;
    size_t root_count;
    void *ctx; /* of questions where no call is under way, such as a login; that of a call else */
    /* Answer a question with the JSON of the result, in `a`: a CreateMessageResult, or an
     * ElicitResult: {"action":"accept","content":{…}}, {"action":"decline"}, {"action":"cancel"}.
     * A failure is told to the server as an error with the message of `err`. Called in the thread
     * that waits for the call, with the `ctx` of the call. A kind without its function is declined,
     * and not announced. Defaults of a form that `content` leaves out are added by the hub. */
    enum rf_code (*ask_model)(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                              struct rf_str *result, struct rf_err *err);
    enum rf_code (*ask_person)(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                               struct rf_str *result, struct rf_err *err);
};

/* All that is pointed to is copied. Nothing is started yet. */
struct rf_mcp_clients *rf_mcp_clients_new(const struct rf_mcp_reach *servers, size_t count,
                                          const struct rf_mcp_clients_options *options);
/* Ends the servers: their input is closed, then they are told to end, then killed with all that
 * they started. Takes NULL. No call may be under way. */
void rf_mcp_clients_free(struct rf_mcp_clients *h);

struct rf_str rf_mcp_clients_name(const struct rf_mcp_clients *h, size_t server);

/* Have all servers started now, without waiting for them. */
void rf_mcp_clients_warm(struct rf_mcp_clients *h);

/* Grows whenever the tools of a server may have changed; any thread may look. */
uint64_t rf_mcp_clients_changes(const struct rf_mcp_clients *h);

/* Tools. The hints are the server's word, which need not be true; what is not said is as the
 * protocol has it. */
struct rf_mcp_tool {
    struct rf_str name;               /* as the server calls it: any characters */
    struct rf_str title, description; /* or empty */
    struct rf_str schema;             /* of the arguments: JSON, an object */
    struct rf_str output_schema;      /* or empty */
    bool read_only, destructive, idempotent, open_world;
};

struct rf_mcp_tools {
    struct rf_mcp_tool *list; /* in the server's order */
    size_t count;
    struct rf_str instructions; /* of the server, on how to use it; or empty */
    struct rf_str *problems;    /* tools that were left out, and why: a sentence each */
    size_t problem_count;
};

/* The tools of a server, which is started where it does not run. Fails with RF_EPROVIDER where it
 * cannot be used, RF_ECONFIG where it cannot be started or wants other headers, RF_EPERMISSION
 * where it wants a login that did not come about, RF_ELIMIT where it took too long, RF_EINTERRUPTED
 * where something can be read from `stop_fd` (-1: nothing). */
RF_MUST enum rf_code rf_mcp_tools(struct rf_mcp_clients *h, size_t server, int stop_fd,
                                  struct rf_arena *a, struct rf_mcp_tools *out, struct rf_err *err);

/* A call. */
struct rf_mcp_call {
    size_t server;
    struct rf_str tool;
    const struct rf_jval *arguments; /* an object, or NULL */
    int stop_fd;                     /* something to be read there cancels it; -1: nothing does */
    /* It goes on; `total` is 0 where it is unknown, `message` may be empty. May be NULL. Called in
     * the thread that waits. */
    void (*progress)(void *ctx, double progress, double total, struct rf_str message);
    void *ctx; /* also that of the questions */
};

/* The result, a CallToolResult ("content", "isError", …; mcp/result.h reads it), in `a`. One with
 * isError is not a failure. Fails as rf_mcp_tools does, and with RF_EPROVIDER where the server
 * answers with an error or with what is not a result. */
RF_MUST enum rf_code rf_mcp_call(struct rf_mcp_clients *h, const struct rf_mcp_call *call,
                                 struct rf_arena *a, const struct rf_jval **result,
                                 struct rf_err *err);

/* Resources and prompts. Lists are JSON arrays of what the server lists, all pages after each
 * other; empty where it has no such thing. The others are the server's result: "contents" of a
 * resource, "messages" of a prompt. They fail as rf_mcp_call does. `ctx` is that of the questions
 * (NULL: the hub's). */
RF_MUST enum rf_code rf_mcp_resources(struct rf_mcp_clients *h, size_t server, int stop_fd,
                                      struct rf_arena *a, const struct rf_jval **list,
                                      struct rf_err *err);
RF_MUST enum rf_code rf_mcp_read_resource(struct rf_mcp_clients *h, size_t server,
                                          struct rf_str uri, int stop_fd, void *ctx,
                                          struct rf_arena *a, const struct rf_jval **result,
                                          struct rf_err *err);
RF_MUST enum rf_code rf_mcp_prompts(struct rf_mcp_clients *h, size_t server, int stop_fd,
                                    struct rf_arena *a, const struct rf_jval **list,
                                    struct rf_err *err);
RF_MUST enum rf_code rf_mcp_prompt(struct rf_mcp_clients *h, size_t server, struct rf_str name,
                                   const struct rf_jval *arguments, int stop_fd, struct rf_arena *a,
                                   const struct rf_jval **result, struct rf_err *err);

/* How a server is, for showing. Starts nothing and does not wait for a server. */
enum rf_mcp_state {
    RF_MCP_OFF, /* not needed so far, or it has ended */
    RF_MCP_STARTING,
    RF_MCP_READY,
    RF_MCP_FAILED, /* `why` says how; the next call tries again */
};

struct rf_mcp_status {
    enum rf_mcp_state state;
    struct rf_str why;                         /* FAILED, or why it ended last; or empty */
    struct rf_str version;                     /* of the protocol, once known; or empty */
    struct rf_str server_name, server_version; /* what it calls itself; or empty */
    size_t tools;                              /* READY: how many */
    unsigned starts;                           /* how often it was started */
    struct rf_str errors; /* the end of its standard error; control characters and all */
};
void rf_mcp_clients_status(struct rf_mcp_clients *h, size_t server, struct rf_arena *a,
                           struct rf_mcp_status *out);

#endif
