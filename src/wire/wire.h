/* The wire: a plan in, a request body out. One file a dialect, each one const struct rf_dialect.
 *
 * A dialect makes no decisions: which file goes where, what a note says and in which order turns
 * come is in the plan, and what differs between endpoints of one dialect is in the model's facts.
 * No provider's name is ever compared here.
 */
#ifndef RF_WIRE_WIRE_H
#define RF_WIRE_WIRE_H

#include "base/json_write.h"
#include "content/build.h"
#include "content/reply.h"
#include "plan/plan.h"
#include "wire/framing.h"

struct rf_dialect {
    const char *name; /* the value of the fact `dialect` */
    /* Write one request body. Failures stick to `w`. */
    void (*encode)(const struct rf_plan *p, struct rf_json *w);
    /* Take in a whole response. An error body ends as r->error. */
    void (*decode)(const struct rf_jval *body, struct rf_reply *r);
    /* How streams are cut, and taking in one message of one. `data` is NULL for the chat wires'
     * [DONE], and for an exception without any. Sets r->complete when the stream says that it is
     * over. */
    enum rf_framing_kind framing;
    void (*event)(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r);
    /* Read a request body. Fails with RF_EFORMAT and the path of what is wrong. */
    enum rf_code (*parse)(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err);
    /* All has come, or no more will: what can be told at the end only. May be NULL. */
    void (*finish)(struct rf_reply *r);
    /* Writing replies: respond.h. */
    const struct rf_replies *replies;
};

struct rf_replies;

/* Those of each dialect: DIALECT/respond.c. */
extern const struct rf_replies rf_anthropic_replies;
extern const struct rf_replies rf_openai_responses_replies;
