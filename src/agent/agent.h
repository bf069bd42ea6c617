/* The inside of an agent: what it was told, where its conversation is, and what it is doing.
 *
 *     agent.c      the public calls; what is set before a question
 *     history.c       the conversation: in a session, or in memory
 *     attach.c     files that a person gives along
 *     enrich.c     what is done with a person's words before they are sent; references.c, lookup.c: files in them
 *     turn.c       the loop: ask the model, run what it calls, again
 *     compact.c    a conversation summed up, to go on with the summary
 *     exchange.c   one request and its reply, through transport.c
 *     reply.c      a reply as it is kept: whole, under the caller's names, each call with an id
 *     usage.c      what an answer took
 *     run.c        calls at once, their results in order
 *     tools.c      what the model is told of tools; those that are built in
 *     web.c        web addresses in the place of paths
 *     command*.c   those that are commands of the configuration
 */
#ifndef RF_AGENT_AGENT_H
#define RF_AGENT_AGENT_H

#include "agent/turn/enrich.h"
#include "agent/heal/heal.h"
#include "agent/turn/references.h"
#include "config/config.h"
#include "content/content.h"
#include "model/model.h"
#include "request/request.h"

#include <refract/agent.h>
#include <refract/temporary.h>

struct rf_transport;

/* Texts in the agent's arena. */
struct rf_agent_list {
    struct rf_str *items;
    size_t count, cap;
};

struct rf_agent {
    struct rf_arena *arena;         /* as long as the agent */
    struct rf_arena *question;      /* from one question to the next */
    const struct rf_config *config; /* or NULL */
    const char *cache;              /* the folder of what was worked out once; or NULL */
    struct rf_store *store;         /* or NULL */
    struct rf_session *session;     /* or NULL: not yet, or nothing is kept */
    struct rf_agent_list memory;         /* the messages, where nothing is kept */
    struct rf_str settings;         /* that the session has */
    struct rf_str old_system, old_options; /* of the session that is gone on with; options are JSON */
    bool torn;                      /* the last answer may have calls without results */
    struct rf_model *model;         /* or NULL: none was chosen */
    char *base, *root;              /* NULL: the working folder; root "": paths are free */
    struct rf_str system;
    bool no_tools, no_stream, strict;
    bool sums_up; /* the request at hand is for a summary: no files, no tools, nobody is told what is said */
    int64_t most_rounds, most_seconds, most_tokens; /* 0: the usual */
    void (*on_event)(void *ctx, const struct rf_agent_event *e);
    void *event_ctx;
    enum rf_permission (*permit)(void *ctx, struct rf_str tool, struct rf_str arguments);
    void *permit_ctx;
    struct rf_agent_list permitted; /* names of tools that may run from now on */
    struct rf_enrich *enrich;
    struct rf_references references;
    struct rf_heal *heal;
    struct rf_agent_list attached; /* blocks of the next question, as JSON */
    struct rf_agent_list kept;     /* blobs that were put for them, and no session knows of */
    struct rf_temporary *fetched;  /* folders of what was fetched from the web */
    size_t fetched_count, fetched_cap;
    struct rf_agent_list granted;  /* real paths of files that a person named: tools may read them */
    size_t granted_before;         /* how many they were before the files that are attached */
    struct rf_agent_list told;     /* what became of each file of the last request */
    int64_t told_before;           /* files of so many messages were told of by whoever asked then: */
    struct rf_agent_list sent;     /* "sha256:… WAY" of each, as it was sent last */
    struct rf_conversation *conversation; /* that `request` was built of */
    struct rf_request *request;           /* the last one, or NULL */
    struct rf_conversation *planned_conversation; /* those of rf_agent_plan */
    struct rf_request *planned;
    struct rf_transport *transport;
    int cancel_fd, timer_fd; /* something to be read at one of them: stop */
    int stop_fd;             /* something to be read here where there is at one of them */
};

/* agent.c */

void rf_agent_tell(struct rf_agent *a, const struct rf_agent_event *e);
__attribute__((format(printf, 2, 3))) void rf_agent_note(struct rf_agent *a, const char *fmt, ...);

/* Is it to stop: was it cancelled, or is its time over? */
bool rf_agent_stopped(const struct rf_agent *a);
/* The question is over: what stopped it counts no more. */
void rf_agent_calm(struct rf_agent *a);
/* Why, in words for the model. */
const char *rf_agent_stop_words(const struct rf_agent *a);
/* Fails with RF_EINTERRUPTED or RF_ELIMIT, whichever it was. */
enum rf_code rf_agent_fail_stopped(const struct rf_agent *a, struct rf_err *err);

/* Let tools read a file that a person named, wherever it is. */
void rf_agent_grant(struct rf_agent *a, const char *path);
/* announce.c: tell whoever listens that the model is told of this file. */
void rf_agent_announce(struct rf_agent *a, const struct rf_reference *r);

/* A copy at the end of the list. */
void rf_agent_list_add(struct rf_agent *a, struct rf_agent_list *t, struct rf_str text);
bool rf_agent_list_has(const struct rf_agent_list *t, struct rf_str text);

/* history.c */

/* A session, where there is a store and none was begun; and its settings, where they are others. */
RF_MUST enum rf_code rf_agent_begin(struct rf_agent *a, struct rf_err *err);
/* Go on with another session, which the agent closes. */
void rf_agent_take_session(struct rf_agent *a, struct rf_session *s);
/* Keep messages, all or none. */
RF_MUST enum rf_code rf_agent_append(struct rf_agent *a, const struct rf_str *messages, size_t count,
                                     struct rf_err *err);
/* How many there are. */
int64_t rf_agent_count(const struct rf_agent *a);
/* All of it and, where it is not empty, one message more that is not kept. To be freed. */
RF_MUST enum rf_code rf_agent_conversation(struct rf_agent *a, struct rf_str more,
                                           struct rf_conversation **out, struct rf_err *err);
/* Take over what a session says besides its messages. */
RF_MUST enum rf_code rf_agent_take_over(struct rf_agent *a, struct rf_err *err);
/* After a process died in the middle of a turn: calls without results get one that says so. */
RF_MUST enum rf_code rf_agent_mend(struct rf_agent *a, struct rf_err *err);

/* A message that answers a call, with the members of `result`, an object; or one that failed. */
struct rf_str rf_agent_result(struct rf_str call, struct rf_str name, const struct rf_jval *result,
                              struct rf_arena *arena);
struct rf_str rf_agent_failed_result(struct rf_str call, struct rf_str name, struct rf_str why,
                                     struct rf_arena *arena);

/* attach.c: a person's message: what was attached, the words, and a note for the model. */
struct rf_str rf_agent_user_message(struct rf_agent *a, const struct rf_enriched *said,
                                    struct rf_arena *arena);

/* exchange.c */

/* The request for the conversation as it is, and `more` (see above). Both are to be freed, the
 * request first. */
RF_MUST enum rf_code rf_agent_build(struct rf_agent *a, struct rf_str more,
                                    struct rf_conversation **conversation,
                                    struct rf_request **request, struct rf_err *err);

/* What became of a file, as one text to compare: where and as what it went, and what of it did not. */
struct rf_str rf_agent_way(struct rf_str delivery, struct rf_str form, struct rf_str as,
                           struct rf_str lost, struct rf_arena *arena);

/* What came back of one request. */
struct rf_exchange {
    int status;          /* of the server's answer; 0: none came */
    struct rf_str reply; /* a neutral assistant message with what had come; or empty */
    struct rf_refusal refusal; /* where the status is not 200 */
    bool offline;        /* by the model in this process: its numbers teach nothing */
};

/* Send the agent's request and tell whoever listens of what comes. The strings live in `arena`.
 * Fails with RF_EPROVIDER, RF_EINTERRUPTED and others; `out` is filled in as far as it came. A
 * refusal is no failure. */
RF_MUST enum rf_code rf_agent_exchange(struct rf_agent *a, struct rf_arena *arena,
                                       struct rf_exchange *out, struct rf_err *err);

/* turn.c */

/* Have the model answer the conversation as it is, and `more` (see above): again where a refusal
 * can be healed or waited out. `out` is filled in as far as it came; a refusal is a failure
 * here. */
RF_MUST enum rf_code rf_agent_obtain(struct rf_agent *a, struct rf_str more, struct rf_arena *arena,
                                     struct rf_exchange *out, struct rf_err *err);
/* Forget the request that was sent last. */
void rf_agent_drop_request(struct rf_agent *a);
/* The clock of one question begins. */
void rf_agent_start_clock(struct rf_agent *a);
RF_MUST enum rf_code rf_agent_fail_no_model(struct rf_err *err);

/* reply.c */

struct rf_agent_call {
    struct rf_str id, name;
    struct rf_str arguments; /* JSON: an object */
    struct rf_str malformed; /* what the model wrote where they should be; or empty */
};

struct rf_agent_reply {
    struct rf_str message; /* as it is kept; empty: nothing of it is worth keeping */
    struct rf_str text;    /* all that was said */
    struct rf_agent_call *calls;
    size_t call_count, call_cap;
    size_t left_out; /* calls that were too many */
    struct rf_str stop; /* "end", "tool_calls", …: see rf_stop_name */
    int64_t input_tokens, output_tokens; /* -1: not told */
    int64_t cost_micros; /* that the provider reports; -1: not told */
};

enum rf_agent_whole {
    RF_REPLY_WHOLE,
    RF_REPLY_CUT, /* what is not whole goes: a call whose arguments broke off */
};

/* Read a reply as rf_decode_finish wrote it. */
RF_MUST enum rf_code rf_agent_reply_read(struct rf_agent *a, struct rf_str json,
                                         enum rf_agent_whole whole, struct rf_arena *arena,
                                         struct rf_agent_reply *out, struct rf_err *err);

/* usage.c */

/* Tell what an answer took, and learn from it. */
void rf_agent_account(struct rf_agent *a, const struct rf_agent_reply *reply, bool offline);
/* Its tokens in and out for a limit: as reported, or estimated where the report is missing or too
 * low. */
int64_t rf_agent_tokens(const struct rf_agent *a, const struct rf_agent_reply *reply);

/* run.c: run the calls and keep their results, each exactly one, in the order of the calls.
 * Where the agent was stopped, the results say so and are kept all the same. */
RF_MUST enum rf_code rf_agent_run(struct rf_agent *a, const struct rf_agent_call *calls, size_t count,
                                  struct rf_arena *arena, struct rf_err *err);
/* Calls that are not run, and why. */
RF_MUST enum rf_code rf_agent_not_run(struct rf_agent *a, const struct rf_agent_call *calls,
                                      size_t count, const char *why, struct rf_arena *arena,
                                      struct rf_err *err);

#endif
