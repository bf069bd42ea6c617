/* The JSON Schema that an answer must fit, as the APIs take it. Whatever an API enforces of it, the
 * answer is checked against all of it when it is there (content/schema.h). */
#ifndef RF_WIRE_ANSWER_H
#define RF_WIRE_ANSWER_H

#include "plan/plan.h"

/* What the schema is called, where an API wants a name. */
struct rf_str rf_answer_name(const struct rf_plan *p);

/* Members of the open object, as chat completions and Responses have them: `name`, `schema`,
 * `strict`. `kept` has those that its own client gave besides the schema, or is NULL. */
void rf_answer_format(struct rf_json *w, const struct rf_plan *p, const struct rf_jval *kept);

/* The schema for an API that refuses open objects and bounds: objects are closed where that is not
 * said, but for those of an `allOf`; none are where an `allOf` refers to others. Bounds are left
 * out. `key` is NULL in an array. */
void rf_answer_closed(struct rf_json *w, const char *key, const struct rf_jval *schema);

/* Is the tool strict, and its schema one that every API takes as such? */
bool rf_answer_is_strict_tool(const struct rf_plan *p, const struct rf_tool *tool,
                              struct rf_arena *a);

#endif
