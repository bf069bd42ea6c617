/* Tools that take a text, which OpenAI's APIs call custom: for models of other APIs they are tools
 * with one argument, "input", whose calls are put back into that form for the client. */
#ifndef RF_WIRE_CUSTOM_H
#define RF_WIRE_CUSTOM_H

#include "content/content.h"

/* The schema: an object with a text, "input". */
const struct rf_jval *rf_custom_schema(struct rf_arena *a);
/* What the description says of the grammar that the text must follow; empty where there is none. */
struct rf_str rf_custom_grammar(struct rf_str syntax, struct rf_str definition, struct rf_arena *a);
/* The text of a call. A model that did not give it said something all the same: all of that. */
struct rf_str rf_custom_input(const struct rf_block *call, struct rf_arena *a);

#endif
