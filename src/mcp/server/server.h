/* The MCP server, whatever its clients are connected by.
 *
 * A server belongs to the thread of one loop; so do its peers, and all callbacks. What takes time
 * (tools, files) runs in a few threads and comes back over a descriptor that the loop watches, so a
 * cancellation is heard while a tool runs.
 *
 *     rf_mcp_server_new(options, &s, &err);
 *     rf_mcp_server_attach(s, &loop, &err);
 *     struct rf_mcp_peer *p = rf_mcp_peer_new(s, &calls, ctx);
 *     rf_mcp_peer_take(p, line, NULL);       answers come by calls.send
 *     … rf_loop_wait, rf_loop_step …
 *     rf_mcp_peer_free(p);
 *     rf_mcp_server_free(s);
 *
 * For transports: a peer is one client. Over stdio there is one; over HTTP one a session in the
 * legacy era, and one a request in the modern one. `channel` is whatever the transport wants to
 * know a request by again (the POST that it came in). */
#ifndef RF_MCP_SERVER_SERVER_H
#define RF_MCP_SERVER_SERVER_H

#include "mcp/protocol.h"

struct rf_loop;
struct rf_mcp_call;
struct rf_mcp_peer;
struct rf_mcp_server;

#define RF_MCP_MOST_IN ((size_t)8 << 20) /* bytes of a message that a client may send */

/* The transport's. */
struct rf_mcp_peer_calls {
    /* A message for the client, one line without a line feed; borrowed until this returns. It
     * belongs to the request that came in on `channel`; NULL: to none, which is the general stream
     * of a session, and a stdio's only one. `last`: nothing more comes for that request; then the
     * message may be empty, where the request was cancelled and is not answered. Neither taking
     * nor freeing a peer is allowed in here. */
    void (*send)(void *ctx, void *channel, struct rf_str message, bool last);
};

/* Have the server's threads and watches report to the loop; before the first peer. */
RF_MUST enum rf_code rf_mcp_server_attach(struct rf_mcp_server *s, struct rf_loop *loop,
                                          struct rf_err *err);
/* For a transport whose only client does not read what it was sent: take nothing more from the
 * threads, which wait when they have much to say, until it goes on. */
void rf_mcp_server_pause(struct rf_mcp_server *s);
void rf_mcp_server_go_on(struct rf_mcp_server *s);
/* The loop goes before the server does: no peer is left. */
void rf_mcp_server_detach(struct rf_mcp_server *s);

struct rf_mcp_peer *rf_mcp_peer_new(struct rf_mcp_server *s, const struct rf_mcp_peer_calls *calls,
                                    void *ctx);
/* Take one message in. Each request is answered by exactly one call of `send` with `last`, now or
 * later; notifications and answers to our own requests by none. */
void rf_mcp_peer_take(struct rf_mcp_peer *p, struct rf_str message, void *channel);
/* Whoever waited on that channel is gone: what was asked there is cancelled, and nothing more is
 * sent to it. */
void rf_mcp_peer_drop(struct rf_mcp_peer *p, void *channel);
/* Its client does not read what it was sent: begin nothing for it until it does. */
void rf_mcp_peer_hold(struct rf_mcp_peer *p);
void rf_mcp_peer_go_on(struct rf_mcp_peer *p);
/* How many of its requests are still to be answered; streams of notifications do not count. */
size_t rf_mcp_peer_busy(const struct rf_mcp_peer *p);
/* The legacy revision that was agreed on by "initialize"; NULL: none. */
const struct rf_mcp_revision *rf_mcp_peer_revision(const struct rf_mcp_peer *p);
/* Streams of notifications end gracefully, each with its last message: before freeing a peer whose
 * client is still there. */
void rf_mcp_peer_close(struct rf_mcp_peer *p);
/* What it had asked for is cancelled; nothing is sent any more. */
void rf_mcp_peer_free(struct rf_mcp_peer *p); /* takes NULL */

/* What a server offers: rows. `run` is called in a thread of the server's, fills in the result and
 * may wait; it looks at rf_mcp_call_cancelled where it takes long. */
struct rf_mcp_tool {
    const char *name, *title, *description;
    const char *input_schema;  /* JSON */
    const char *output_schema; /* JSON; NULL: none */
    const char *annotations;   /* JSON; NULL: none */
    void (*run)(struct rf_mcp_call *c);
};

struct rf_mcp_prompt {
    const char *name, *title, *description;
    const char *arguments; /* a JSON array; NULL: none */
    void (*run)(struct rf_mcp_call *c);
    void (*complete)(struct rf_mcp_call *c); /* an argument; or NULL: nothing is known */
};

struct rf_mcp_resource {
    const char *uri; /* or a template with one variable: "test://template/{id}/data" */
    const char *name, *title, *description, *mime;
    void (*run)(struct rf_mcp_call *c);      /* resources/read */
    void (*complete)(struct rf_mcp_call *c); /* a template's variable; or NULL */
};

/* Offer these beside our own; the rows are borrowed. Any list may be empty. With them the server
 * says that its lists may change. */
struct rf_mcp_offer {
    const struct rf_mcp_tool *tools;
    size_t tool_count;
    const struct rf_mcp_prompt *prompts;
    size_t prompt_count;
    const struct rf_mcp_resource *resources;
    size_t resource_count;
    const struct rf_mcp_resource *templates;
    size_t template_count;
};
void rf_mcp_server_offer(struct rf_mcp_server *s, const struct rf_mcp_offer *offer);

/* Tell whoever wants to know; from any thread. */
enum rf_mcp_list { RF_MCP_LIST_TOOLS, RF_MCP_LIST_PROMPTS, RF_MCP_LIST_RESOURCES };
void rf_mcp_server_list_changed(struct rf_mcp_server *s, enum rf_mcp_list list);

/* A request under way, for those who run it. Everything here may wait, none of it fails: a call
 * that was cancelled goes nowhere. */

struct rf_mcp_server *rf_mcp_call_server(const struct rf_mcp_call *c);
struct rf_arena *rf_mcp_call_arena(struct rf_mcp_call *c);
const struct rf_mcp_revision *rf_mcp_call_revision(const struct rf_mcp_call *c);
/* params of the request, and a string among them ("" where there is none). */
const struct rf_jval *rf_mcp_call_params(const struct rf_mcp_call *c);
struct rf_str rf_mcp_call_text(struct rf_mcp_call *c, const char *name);
/* tools/call: its arguments, an object; NULL: none. */
const struct rf_jval *rf_mcp_call_arguments(const struct rf_mcp_call *c);
/* What the client says that it can do: capabilities.elicitation and so on; NULL: it cannot. */
const struct rf_jval *rf_mcp_call_capability(const struct rf_mcp_call *c, const char *name);
bool rf_mcp_call_cancelled(const struct rf_mcp_call *c);
/* Wait; false as soon as it was cancelled. */
bool rf_mcp_call_sleep(struct rf_mcp_call *c, int64_t ms);

/* The result, an object that is open: write its members. In the modern era "resultType" is there
 * already. Once a call; whatever is left open is closed. */
struct rf_json *rf_mcp_call_result(struct rf_mcp_call *c);
/* The same of tools/call with one text, as a failure that the model reads. */
void rf_mcp_call_fail(struct rf_mcp_call *c, struct rf_str why);
/* Instead of a result: an error of the protocol. "data" may be written to what is returned. */
struct rf_json *rf_mcp_call_refuse(struct rf_mcp_call *c, int64_t code, struct rf_str message);

/* How far it is: sent where the client asked for it and it is more than before. `of` 0: unknown;
 * an empty message: none. */
void rf_mcp_call_progress(struct rf_mcp_call *c, int64_t done, int64_t of, struct rf_str message);
/* A line for the client's log, where it wants lines of that level; `data` is text. */
void rf_mcp_call_log(struct rf_mcp_call *c, int level, struct rf_str data);

/* Ask the client something: "elicitation/create", "sampling/createMessage" or "roots/list", with
 * params as JSON (NULL: none). `key` names the question within this call.
 *
 * In the legacy era the request is sent, and this waits for its answer. In the modern one the
 * answer is in the request where it was asked before (ANSWERED); otherwise it is noted (ASKED), the
 * caller returns without a result, and the client is told of all questions so noted and calls
 * again. So `run` asks again from the start, in the same order. */
enum rf_mcp_asked {
    RF_MCP_ANSWERED, /* `*answer` is the result */
    RF_MCP_ASKED,    /* return without a result */
    RF_MCP_REFUSED,  /* the client answered with an error, or cannot be asked; `err` says what */
};
enum rf_mcp_asked rf_mcp_call_ask(struct rf_mcp_call *c, const char *key, const char *method,
                                  const char *params, const struct rf_jval **answer,
                                  struct rf_err *err);
/* In the modern era: what a round keeps for the next one, sealed so that a client cannot make it
 * up; it comes back in rf_mcp_call_state, empty in the first round. */
void rf_mcp_call_keep(struct rf_mcp_call *c, struct rf_str state);
struct rf_str rf_mcp_call_state(const struct rf_mcp_call *c);

#endif
