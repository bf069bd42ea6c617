/* What files and messages cost of the limits of a request. */
#ifndef RF_PLAN_COST_H
#define RF_PLAN_COST_H

#include "plan/pairing.h"
#include "plan/pieces.h"
#include "plan/question.h"

/* A file as it is decided; as a note; as its text that is known; as that which a worker has yet to
 * extract from the pages of `full`. */
struct rf_demand rf_cost_of(const struct rf_question *q, const struct rf_decision *d);
struct rf_demand rf_cost_note(const struct rf_question *q);
struct rf_demand rf_cost_text(const struct rf_question *q, const struct rf_decision *d);
struct rf_demand rf_cost_untold(const struct rf_question *q, const struct rf_decision *full);

/* Is it a document that can be sent with fewer pages? Then what all of them cost, each the same. */
bool rf_cost_is_paged(const struct rf_question *q, const struct rf_decision *d);
struct rf_demand rf_cost_pages(const struct rf_question *q, const struct rf_decision *d);

/* What the first N pieces of its text cost, N from 0 on, and then the pictures in it one after the
 * other. The language is that of all of them, and tells what words cost. */
struct rf_demand *rf_cost_pieces(const struct rf_question *q, const struct rf_decision *d,
                                 const struct rf_pieces *p);

/* Tokens that the text of a document may have that has no room otherwise; 0: all. */
int64_t rf_cost_most_words(const struct rf_question *q);

/* What texts cost is read off all of them; or it is what any text of that length costs at most. */
enum rf_scale { RF_SCALE_EXACT, RF_SCALE_LENGTH };

/* A message without its files, and what there is besides messages. */
void rf_cost_message(const struct rf_caps *c, enum rf_scale scale, const struct rf_surveyed *m,
                     const struct rf_paired *paired, struct rf_joint_message *out);
int64_t rf_cost_fixed_bytes(const struct rf_conversation *talk, enum rf_scale scale);
int64_t rf_cost_fixed_tokens(const struct rf_plan *p, enum rf_scale scale);

/* The window without the answer, in tokens as we estimate them; 0: unknown. */
int64_t rf_cost_window(const struct rf_plan *p);

#endif
