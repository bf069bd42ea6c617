/* Whose the marks are that clients send back: signatures and encrypted thoughts, which the upstream
 * that gave them takes, and every other one of the same API refuses.
 *
 *     rf_marks_note(m, model, block);            of an answer, as it comes
 *     c = rf_marks_apply(m, c, model, a);        before a request is built
 *
 * A seal tells whose a mark is where it was given through another API (content/seal.h). One that
 * passed as it came is known here by its hash: the last 16,384 are, in memory, whatever
 * configuration is in force. One that is not known may be anybody's, and so is one that two
 * upstreams gave. All of it may be called by any thread. */
#ifndef RF_GATEWAY_MARKS_H
#define RF_GATEWAY_MARKS_H

#include "content/content.h"
#include "model/model.h"

struct rf_marks;

struct rf_marks *rf_marks_new(void);
void rf_marks_free(struct rf_marks *m); /* takes NULL */

/* The model's upstream gave the marks of the block. What it takes to read them is in `a`. */
void rf_marks_note(struct rf_marks *m, const struct rf_model *from, const struct rf_block *block,
                   struct rf_arena *a);

/* The conversation itself; or a copy in `a`, where an answer has a mark of another upstream than
 * this model's: it is said to be nobody's that we know, and its marks go nowhere. */
const struct rf_conversation *rf_marks_apply(struct rf_marks *m, const struct rf_conversation *c,
                                             const struct rf_model *to, struct rf_arena *a);

#endif
