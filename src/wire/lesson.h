/* What a refusal teaches: "Image count 5 exceeds limit 4 per request." is max_images=4.
 *
 * A server that names a member of the request which it does not know ("stream_options") is sent it
 * no more.
 *
 * Pure: words in, one fact out. A value is taught only when it is one that such a fact can have and
 * when it is less than what was refused, as far as the words tell that. Refusals that are about a
 * person's account (rates, quotas, credits) teach nothing, whatever numbers they name.
 */
#ifndef RF_WIRE_LESSON_H
#define RF_WIRE_LESSON_H

#include "content/refusal.h"

struct rf_lesson {
    const char *fact; /* a name of facts.h */
    char value[24];   /* as the configuration would spell it */
};

/* From the words of a refusal of that kind. False where they name no limit. */
bool rf_lesson_from(enum rf_error_kind kind, struct rf_str words, struct rf_lesson *out);

#endif
