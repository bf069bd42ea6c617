/* Safer forms of a request, for a refusal that names no file: what content, which order of turns or
 * which tools a server does not take is guessed, one fact of the model after the other, and what is
 * answered then is learned. */
#ifndef RF_AGENT_HEAL_FORMS_H
#define RF_AGENT_HEAL_FORMS_H

#include "agent/heal/heal.h"
#include "base/str.h"

struct rf_forms; /* the facts of one model that are tried, until the next answer */

/* It lives in `a`. */
struct rf_forms *rf_forms_new(struct rf_arena *a);

/* A new question: what was not answered is not learned. */
void rf_forms_begin(struct rf_forms *f);

/* The next form that changes the request, where the words lead to one: the model is as it then
 * takes it to be, and `*note` says so to a person. False: none is left. */
bool rf_forms_try(struct rf_forms *f, const struct rf_attempt *t, struct rf_arena *a,
                  struct rf_str *note);
/* The same where the words say it: what the model lacks. */
bool rf_forms_believe(struct rf_forms *f, const struct rf_attempt *t, struct rf_arena *a,
                      struct rf_str *note);

/* Nothing helped: the model is as it was, but for what was said in words. The refusal that came
 * first, or NULL where nothing was guessed. */
const struct rf_refusal *rf_forms_undo(struct rf_forms *f);

/* As rf_heal_learn. */
RF_MUST enum rf_code rf_forms_learn(struct rf_forms *f, const struct rf_request *r,
                                    struct rf_err *err);

#endif
