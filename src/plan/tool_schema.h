/* Schemas of tools, for models that take no choice between schemas at the top of one. */
#ifndef RF_PLAN_TOOL_SCHEMA_H
#define RF_PLAN_TOOL_SCHEMA_H

#include "content/content.h"

/* Take `anyOf`, `oneOf` and `allOf` off the top: the properties that they name go to the others,
 * and what they say is told in the description. What is required by one of several is not. */
void rf_tool_schema_flatten(struct rf_tool *tool, struct rf_arena *a);

#endif
