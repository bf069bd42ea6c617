/* Replies that a client is given as they came, since it speaks the API of the model that answered.
 *
 *     the upstream's bytes ──▶ decoded beside it: tokens, errors, why it stopped
 *              └──▶ whole events of them ──▶ the client
 *
 * They are not touched, so the model's name in them is the upstream's: APIs answer with other names
 * than they were asked with anyway ("gpt-4o" is "gpt-4o-2024-08-06"), and no client can rely on its
 * own. An event is handed on when all of it is there, so that a stream that breaks off can still
 * end with an error in the client's words.
 *
 * Of other paths of the API (other.h) nothing is decoded, and bytes are handed on as they come.
 * What breaks off there is cut off: how such a stream would tell of an error is not known. */
#ifndef RF_GATEWAY_PASS_H
#define RF_GATEWAY_PASS_H

#include "base/buf.h"
#include "send/raw.h"

struct rf_gateway_exchange;

/* What is kept of a reply while it passes. */
struct rf_passing {
    struct rf_buf held; /* an event of which only the beginning has come */
};

/* How the exchange's request is sent besides the usual: with the client's headers that may go to
 * this API, and its reply as it comes where the request goes as it came. */
struct rf_send_raw rf_pass_prepare(struct rf_gateway_exchange *x);

/* Does the reply pass? */
bool rf_pass_is(const struct rf_gateway_exchange *x);
/* An event of it, as decoded. */
void rf_pass_event(struct rf_gateway_exchange *x, const struct rf_event *e);
/* The end of one that was not streamed and is an answer: where it passes, the client gets it. */
void rf_pass_whole(struct rf_gateway_exchange *x);

#endif
