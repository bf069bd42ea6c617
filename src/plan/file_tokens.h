/* What a file costs that is sent as itself: the one estimate that reports, room and counts are
 * made of. */
#ifndef RF_PLAN_FILE_TOKENS_H
#define RF_PLAN_FILE_TOKENS_H

#include "plan/plan.h"

/* Input tokens. Of a document, `pages` are those that are sent; 0: all that the block is about. */
int64_t rf_file_tokens(const struct rf_caps *c, const struct rf_asset *f, int64_t pages);
/* The same of an item that a file is sent as: MEDIA or TEXT_FILE, with the heading and the frame
 * around a text. */
int64_t rf_item_tokens(const struct rf_caps *c, const struct rf_item *item);

#endif
