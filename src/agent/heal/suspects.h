/* Which files of a request a refusal may be about, by its words: a place in the body, a URL or an id that it
 * names, or the kind of file that it speaks of; then by decoding them here. What to do about it is heal.h's. */
#ifndef RF_AGENT_SUSPECTS_H
#define RF_AGENT_SUSPECTS_H

#include "content/refusal.h"
#include "request/request.h"

enum rf_suspicion {
    RF_SUSPECT_NONE,  /* it is about something else */
    RF_SUSPECT_PLACE, /* it names the place, or the file: one of these */
    RF_SUSPECT_KIND,  /* it is about such files: one of these */
    RF_SUSPECT_VAGUE, /* it says nothing at all: one of these only where something else speaks against it */
};

struct rf_suspects {
    enum rf_suspicion suspicion;
    size_t *decisions; /* of the plan, in order, each once */
    size_t count, cap;
};

void rf_suspects_find(const struct rf_request *r, const struct rf_refusal *refusal,
                      struct rf_arena *a, struct rf_suspects *out);

/* Keep those for which `stays` (as many) holds; where that would leave none, all stay. */
void rf_suspects_narrow(struct rf_suspects *s, const bool *stays);

/* Have the newest of them decoded here, and keep those that cannot be; false, and all stay, where there are none
 * such. What nobody here can tell counts as sound. */
bool rf_suspects_decode(const struct rf_request *r, struct rf_suspects *s, struct rf_arena *a);

/* The fact of a model that says it takes no files of the kind that the words say it does not take ("vision", …);
 * NULL where they do not say that. */
const char *rf_suspects_unseen(struct rf_str words);

#endif
