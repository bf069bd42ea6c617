/* Which result answers which call.
 *
 * Between an assistant message with calls and the next assistant message, each call takes the
 * first result that names it (or, without an id, the first of its tool's name). What is left over
 * is an orphan: a result whose call is not there, a second result, or one that came too late. For a
 * model without tools calls are words, and all results are orphans. */
#ifndef RF_PLAN_PAIRING_H
#define RF_PLAN_PAIRING_H

#include "model/model.h"
#include "source/survey.h"

struct rf_paired {
    long *results; /* of an assistant message: for each call the message that answers it, or -1 */
    size_t call_count;
    bool orphan; /* of a tool message: no call takes it */
};

struct rf_pairing {
    struct rf_paired *messages; /* as many as the survey has */
};

void rf_pairing_init(struct rf_pairing *p, const struct rf_survey *s, const struct rf_caps *caps,
                     struct rf_arena *a);

#endif
