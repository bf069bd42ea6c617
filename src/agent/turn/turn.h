/* A question and its answer: what is said, sent and kept.
 *
 *     turn.c       the loop: ask the model, run what it calls, again
 *     attach.c     files that a person gives along
 *     enrich.c     what is done with a person's words before they are sent; references.c, lookup.c,
 *                  announce.c: files in them
 *     exchange.c   one request and its reply, through transport.c
 *     answer.c     an answer that has to fit a schema
 *     reply.c      a reply as it is kept: whole, under the caller's names, each call with an id
 *     usage.c      what an answer took
 *     history.c    the conversation, and the session that keeps it
 *     sample.c     what an MCP server has the model asked
 *     compact.c    a conversation summed up, to go on with the summary
 */
#ifndef RF_AGENT_TURN_TURN_H
#define RF_AGENT_TURN_TURN_H

#include "agent/texts.h"
#include "agent/turn/enrich.h"
#include "agent/turn/history.h"
#include "agent/turn/references.h"
#include "content/reply.h"
#include "request/request.h"
#include "send/describe.h"

struct rf_agent;
struct rf_agent_call;
struct rf_transport;

/* A request, and the arena of the conversation that it was built of. */
struct rf_built {
    struct rf_arena *arena;
    struct rf_request *request; /* or NULL */
};

struct rf_asking {
    struct rf_arena *arena;    /* from one question to the next */
    struct rf_str system;      /* without a pointer: as the session has it */
    struct rf_options options; /* over those of the session */
    bool no_stream, strict;
    bool answers_only; /* the answer did not fit its schema: it is asked for again, without tools */
    bool sums_up; /* the request at hand is for a summary: no files, no tools, and what is said is
                   * told to no one */
    int64_t most_rounds, most_tokens; /* 0: the usual */
    struct rf_enrich *enrich;
    struct rf_references references;
    struct rf_transport *transport;
    struct rf_texts told; /* what became of each file of the last request */
    struct rf_built last, planned;
};

/* Files for the next question. */
struct rf_attached {
    struct rf_block *blocks;
    size_t count, cap;
    size_t granted_before; /* files that tools could read before the first of them */
    bool foreign;          /* the one that is being attached was fetched */
    bool sealed;           /* its bytes are encrypted: what is read of it stands for it */
    bool unlocking;        /* it is opened with the password */
};

/* attach.c: a person's message: what was attached, the words, and a note for the model. */
struct rf_message rf_agent_user_message(struct rf_agent *a, const struct rf_enriched *said);

/* announce.c: tell whoever listens that the model is told of this file. */
void rf_agent_announce(struct rf_agent *a, const struct rf_reference *r);

/* exchange.c */

/* What the model is told besides messages, as `out` has them. */
void rf_agent_settings(struct rf_agent *a, struct rf_arena *arena, struct rf_conversation *out);
/* The request for the conversation as it is, and `more`, which is not kept; or NULL. */
RF_MUST enum rf_code rf_agent_build(struct rf_agent *a, const struct rf_message *more,
                                    struct rf_built *out, struct rf_err *err);
void rf_built_drop(struct rf_built *b);

/* What came back of one request. */
struct rf_exchange {
    int status;                /* of the server's answer; 0: none came */
    struct rf_message reply;   /* what had come, with its ending; without one: nothing */
    struct rf_refusal refusal; /* where the status is not 200 */
    bool empty;                /* where it is 200: nothing came after it */
    bool offline;              /* by the model in this process: its numbers teach nothing */
};

/* Send the last request and tell whoever listens of what comes, which lives in `arena`. Fails with
 * RF_EPROVIDER, RF_EINTERRUPTED and others; `out` is filled in as far as it came. A refusal is not
 * a failure. */
RF_MUST enum rf_code rf_agent_exchange(struct rf_agent *a, struct rf_arena *arena,
                                       struct rf_exchange *out, struct rf_err *err);

/* turn.c */

/* Have the server tell of the model, where that is due. Fails with RF_EINTERRUPTED. */
RF_MUST enum rf_code rf_agent_describe(struct rf_agent *a, enum rf_describe_when when,
                                       struct rf_err *err);

/* Have the model answer the conversation as it is, and `more` (see above): again where a refusal
 * can be healed or waited out. `out` is filled in as far as it came; a refusal is a failure
 * here. */
RF_MUST enum rf_code rf_agent_obtain(struct rf_agent *a, const struct rf_message *more,
                                     struct rf_arena *arena, struct rf_exchange *out,
                                     struct rf_err *err);
RF_MUST enum rf_code rf_agent_fail_no_model(struct rf_err *err);

/* How messages begin that the agent says in the person's place: what a session goes on from, and
 * that an answer does not fit its schema. */
#define RF_EARLIER "[This conversation goes on from an earlier one. "
#define RF_NOT_ACCEPTED "[Not accepted: "

/* reply.c */

struct rf_agent_reply {
    struct rf_message message; /* as it is kept; without blocks: nothing of it is worth keeping */
    struct rf_str text;        /* all that was said */
    struct rf_agent_call *calls;
    size_t call_count, call_cap;
    size_t left_out;     /* calls that were too many */
    int64_t cost_micros; /* that the provider reports; -1: not told */
};

enum rf_agent_whole {
    RF_REPLY_WHOLE,
    RF_REPLY_CUT, /* what is not whole goes: a call whose arguments broke off */
};

/* What of a reply, which has an ending, is kept and run. */
void rf_agent_reply_take(struct rf_agent *a, const struct rf_message *reply,
                         enum rf_agent_whole whole, struct rf_arena *arena,
                         struct rf_agent_reply *out);

/* recognise.c */

/* Learn which program answers, where it tells. */
void rf_agent_recognise(struct rf_agent *a, const struct rf_agent_reply *reply);

/* answer.c */

/* What is answered: the text, or the JSON in it where that has to fit a schema. Fails with
 * RF_EPROVIDER where it does not; `answer` is what was looked at, and lives until the next
 * question. */
RF_MUST enum rf_code rf_agent_check_answer(struct rf_agent *a, struct rf_str text,
                                           struct rf_str *answer, struct rf_err *err);
/* Say what is wrong with it, and from here on offer no tools: an API that takes no schema beside
 * them gets it then. */
RF_MUST enum rf_code rf_agent_ask_again(struct rf_agent *a, const char *why, struct rf_err *err);

/* sample.c */

/* Have the model answer what a server asks: the params of sampling/createMessage, and its result as
 * JSON. `ctx` is the agent, whose own thread this is called in; the person has agreed. Fails as
 * asking does. */
RF_MUST enum rf_code rf_agent_sample(void *ctx, const struct rf_jval *params,
                                     struct rf_arena *arena, struct rf_str *result,
                                     struct rf_err *err);

/* usage.c */

/* Tell what an answer took, and learn from it. */
void rf_agent_account(struct rf_agent *a, const struct rf_agent_reply *reply, bool offline);
/* Its tokens in and out for a limit: as reported, or estimated where the report is missing or too
 * low. */
int64_t rf_agent_tokens(const struct rf_agent *a, const struct rf_agent_reply *reply);

#endif
