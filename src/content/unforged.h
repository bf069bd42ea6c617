/* Words of others that must not be taken for ours. Our own notes to a model begin with "[System:",
 * so a server's may not: its bracket becomes a round one, and nothing else changes. */
#ifndef RF_CONTENT_UNFORGED_H
#define RF_CONTENT_UNFORGED_H

#include "base/str.h"

/* `text` itself where nothing in it begins like a note of ours; it need not be UTF-8. */
struct rf_str rf_unforged(struct rf_str text, struct rf_arena *a);

#endif
