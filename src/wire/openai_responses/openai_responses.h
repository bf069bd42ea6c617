/* Between the halves of reading OpenAI Responses. Of what it sends: the items of its output, and
 * the response or stream that they come in. Of what it is asked: the parts of a content, the tools,
 * and the body.
 *
 * A block's number is that of its item's place in the output, times RF_RESPONSES_PARTS, and its own
 * place in the item. Everything may be taken any number of times: the last telling holds.
 */
#ifndef RF_WIRE_OPENAI_RESPONSES_H
#define RF_WIRE_OPENAI_RESPONSES_H

#include "wire/aside.h"
#include "wire/wire.h"

#define RF_RESPONSES_PARTS ((int64_t)1 << 24)

/* What is known beside the drafts. */
struct rf_responses {
    bool wants_tools; /* a call waits for an answer */
    bool refused;
    const struct rf_draft *thought; /* the one that a piece came for last, */
    int64_t thought_part;           /* and for which of its parts */
    int64_t message;                /* number of the message that was added last, */
    struct rf_str added;            /* and what was told of it then: JSON, or empty */
};

struct rf_responses *rf_responses(struct rf_reply *r);

/* Take in an item as it is so far; the same, and close its blocks; all of the list `output`. */
void rf_responses_item(struct rf_reply *r, int64_t number, const struct rf_jval *item);
void rf_responses_item_done(struct rf_reply *r, int64_t number, const struct rf_jval *item);
void rf_responses_output(struct rf_reply *r, const struct rf_jval *output);

/* A part of a message that is text or a refusal: is it one, and its draft filled from it, and from
 * its message; NULL: as far as that was told when it was added. */
bool rf_responses_is_said(const struct rf_jval *part);
void rf_responses_said(struct rf_reply *r, int64_t number, const struct rf_jval *part,
                       const struct rf_jval *message);
/* This text is a refusal. */
void rf_responses_refused(struct rf_reply *r, struct rf_draft *d);
/* One more annotation of a text. */
void rf_responses_citation(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *a);

/* All of a text or of a call's arguments, of which pieces may have come: what is missing is added;
 * where the pieces were others it starts over, which no listener can be told. Where nothing is
 * told, the pieces stay. */
void rf_responses_text(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *all);
void rf_responses_arguments(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *all);

/* Requests. */

#define RF_RESPONSES_PROVIDER "openai" /* whose models said it, and whose file ids these are */

/* Is this part a text, whoever says it? */
bool rf_responses_is_text(const struct rf_jval *part);
/* A part of a user's or a tool's content as a block of the last message; false, and no block, where
 * it is not understood. An empty text makes no block. */
bool rf_responses_part(struct rf_builder *b, const struct rf_jval *part);
/* The same for the assistant's, of which all is understood or opaque. */
void rf_responses_said_part(struct rf_builder *b, const struct rf_jval *part);

/* The tools of the body; those of the items of the input that offer more. What models of others
 * cannot call is kept in `aside`. */
void rf_responses_tools(struct rf_builder *b, const struct rf_jval *list, struct rf_aside *aside);
void rf_responses_additional(struct rf_builder *b, const struct rf_jval *input,
                             struct rf_aside *aside);
/* Is this such an item? */
bool rf_responses_offers(const struct rf_jval *item);
/* What the conversation calls a tool, or the tool of a call, in that namespace or (NULL) in none;
 * empty where it has no name. */
struct rf_str rf_responses_name(struct rf_builder *b, const struct rf_jval *v,
                                const struct rf_jval *space);

/* The way back: how this API calls a tool, from its name in the conversation and from what was kept
 * of the tool or of a call of it. */
struct rf_responses_called {
    struct rf_str name, space; /* the namespace, or empty */
    bool custom;               /* it takes a text, not arguments */
};
struct rf_responses_called rf_responses_called(const struct rf_jval *own, struct rf_str name,
                                               struct rf_arena *a);

#endif
