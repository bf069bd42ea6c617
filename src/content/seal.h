/* The marks of a thought (its signature, what is encrypted of it) on their way through an API that
 * did not make them: one text of base64 that any place for a mark holds, and that tells whose it
 * is. Whoever reads it back knows which model may have it, and sends it to no other.
 *
 *     base64("refract\nPROVIDER\nMODEL\nID\nSIGNATURE\nREDACTED\nENCRYPTED\n") */
#ifndef RF_CONTENT_SEAL_H
#define RF_CONTENT_SEAL_H

#include "content/build.h"

/* The seal of a thought that this model had; empty where that is not known, or its marks do not
 * fit. One of a thought without marks tells whose it is. */
struct rf_str rf_seal_make(struct rf_str provider, struct rf_str model, const struct rf_thinking *t,
                           struct rf_arena *a);

/* For a thought of the last message that is built. Where `mark` is a seal, the thought has the marks
 * that are in it, and the message the origin. A message has one: of a thought that was another
 * model's the marks are left out. False: it is not a seal, and nothing changes. */
bool rf_seal_open(struct rf_builder *b, struct rf_str mark, struct rf_thinking *t);

#endif
