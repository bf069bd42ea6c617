/* How many tokens a request has.
 *
 *     rf_count_estimated(t, tokens);   a thread: t->text, and whom to ask, if anybody
 *     rf_count_ask(x);                 the loop: its own number, else t->text
 *
 * Where the client speaks the API of the model, and its request would go as it came, the provider
 * is asked: it knows better than an estimate. It is asked once and not for long, and whatever it
 * says but a number is as good as nothing: no key and no model is left out for it, and the client
 * gets the estimate. What would be planned anew has no body that counts: that of the client is not
 * what the model would get, and ours has members that a count does not take. */
#ifndef RF_GATEWAY_COUNT_H
#define RF_GATEWAY_COUNT_H

#include "gateway/translate.h"

struct rf_gateway_exchange;

/* The request is made: t->text in the client's words, and t->path where the provider has one. */
void rf_count_estimated(struct rf_translation *t, int64_t tokens);
/* Reply with what t->path says. */
void rf_count_ask(struct rf_gateway_exchange *x);

#endif
