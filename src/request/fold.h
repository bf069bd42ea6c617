/* Files that were injected after tool results, put back where they came from. */
#ifndef RF_REQUEST_FOLD_H
#define RF_REQUEST_FOLD_H

#include "content/content.h"

/* Our own requests have `See file ID.` in a result and the file in a user message after all of
 * them, introduced by name. Where a conversation has both, the file becomes a block of the result
 * again, and the message and a separating turn before it go. Everything else stays. */
void rf_fold_injected(struct rf_conversation *c, struct rf_arena *a);

#endif
