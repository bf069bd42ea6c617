/* The options of a conversation, between their struct and their JSON. */
#ifndef RF_CONTENT_OPTIONS_H
#define RF_CONTENT_OPTIONS_H

#include "content/content.h"

/* Fill `out` from the object `v` that stands at `at`. Fails with RF_EFORMAT and the path. */
RF_MUST enum rf_code rf_options_read(const struct rf_jval *v, const struct rf_jpath *at,
                                     struct rf_arena *a, struct rf_options *out,
                                     struct rf_err *err);

/* Is there anything to write? */
bool rf_options_given(const struct rf_options *o);
void rf_options_write(const struct rf_options *o, const char *key, struct rf_json *w);

/* Is anything said about thinking? */
bool rf_options_thinking_given(const struct rf_options *o);

/* A level and a number of thinking tokens say the same, each in its way: "low", "medium" or "high"
 * for a number, and a number for such a word (0: it is not one). */
struct rf_str rf_thinking_level(int64_t budget);
int64_t rf_thinking_budget(struct rf_str level);

/* Set one by its name to a JSON value, or take it back where that is empty: what
 * rf_conversation_option says of it. What it points to lives in `a`. Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_options_set(struct rf_options *o, const char *name, struct rf_str value,
                                    struct rf_arena *a, struct rf_err *err);

/* Those that `over` gives, in the place of the others. */
void rf_options_lay_over(struct rf_options *under, const struct rf_options *over);

/* A copy that needs nothing of what `o` was read from. */
struct rf_options rf_options_copy(const struct rf_options *o, struct rf_arena *a);

#endif
