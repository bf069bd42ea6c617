/* What became of a file, in the words of the report: as what it went, and what of it did not go.
 *
 * Worked out once for each decision. The report, the line for a person, the note for the model
 * and strict mode all take it from here. */
#ifndef RF_PLAN_ACCOUNT_H
#define RF_PLAN_ACCOUNT_H

#include "plan/plan.h"

/* Fill in `form` and `lost`. */
void rf_account(struct rf_decision *d, struct rf_arena *a);

/* Does it go as the same kind of thing: a picture as a picture, a document as a document? */
bool rf_account_keeps_kind(const struct rf_decision *d);

/* Did all of it go, as the same kind of thing? What was not made yet is taken to come out as it
 * was ordered. */
bool rf_account_is_faithful(const struct rf_decision *d);

/* How many pictures go along with the text of a document. */
int64_t rf_account_pictures(const struct rf_decision *d);

/* "pages 21-120, sound"; empty where nothing was lost. */
struct rf_str rf_account_lost(const struct rf_decision *d, struct rf_arena *a);
/* The same as a session keeps it, with "; " between. */
struct rf_str rf_account_lost_list(const struct rf_decision *d, struct rf_arena *a);

#endif
