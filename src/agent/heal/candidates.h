/* Which files of a request a refusal may be about: the candidates, by its words (a place in the
 * body, a URL or an id that it names, the kind of file that it speaks of), then by decoding them
 * here. What to do about it is heal.h's. */
#ifndef RF_AGENT_HEAL_CANDIDATES_H
#define RF_AGENT_HEAL_CANDIDATES_H

#include "content/refusal.h"
#include "request/request.h"

enum rf_candidates_by {
    RF_CANDIDATES_NONE,  /* it is about something else */
    RF_CANDIDATES_PLACE, /* it names the place, or the file: one of these */
    RF_CANDIDATES_KIND,  /* it is about such files: one of these */
    RF_CANDIDATES_VAGUE, /* it says nothing: one of these only where something else points to it */
};

struct rf_candidates {
    enum rf_candidates_by by;
    size_t *decisions; /* of the plan, in order, each once */
    size_t count, cap;
};

void rf_candidates_find(const struct rf_request *r, const struct rf_refusal *refusal,
                        struct rf_arena *a, struct rf_candidates *out);

/* Keep those for which `stays` (as many) holds; where that would leave none, all stay. */
void rf_candidates_narrow(struct rf_candidates *c, const bool *stays);

/* Have the newest of them decoded here, and keep those that cannot be; false, and all stay, where
 * there are none such. What cannot be told here counts as sound. */
bool rf_candidates_decode(const struct rf_request *r, struct rf_candidates *c, struct rf_arena *a);

#endif
