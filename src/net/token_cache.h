/* Access tokens that were given: in memory and, where that is wanted, in the cache folder for the
 * next process, readable for its owner alone. What is found there is used only where no one else
 * could have written it. */
#ifndef RF_NET_TOKEN_CACHE_H
#define RF_NET_TOKEN_CACHE_H

#include "base/str.h"

struct rf_arena;

/* The token kept under `name` (hex), where it is good until after `now` (seconds since 1970). */
bool rf_token_recall(const char *name, int64_t now, struct rf_arena *a, struct rf_str *token);
/* For this process. */
void rf_token_hold(const char *name, struct rf_str token, int64_t expires);
/* For the next ones, too. */
void rf_token_keep(const char *name, struct rf_str token, int64_t expires);

/* What comes with a token where it is more than a text: a file of that folder as it is, in `a`.
 * False where there is none, or others could have written it. One that cannot be written is not. */
bool rf_token_file_read(const char *name, struct rf_arena *a, struct rf_str *text);
void rf_token_file_write(const char *name, struct rf_str text);

#endif
