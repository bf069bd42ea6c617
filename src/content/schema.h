/* Is a value what a JSON Schema describes? For answers that must fit one.
 *
 *     if (rf_schema_check(schema, value, arena, &err)) …   err.path says where it does not
 *
 * Known are type, enum, const; properties, required, additionalProperties; items, prefixItems,
 * minItems, maxItems; minLength, maxLength; minimum, maximum and their exclusive kinds; anyOf,
 * oneOf, allOf, not; and $ref inside the schema. All other keywords are ignored, formats and
 * patterns too. A fit that ignored some is not certain: `not` fails only by certain ones, and
 * `oneOf` only by two of them. */
#ifndef RF_CONTENT_SCHEMA_H
#define RF_CONTENT_SCHEMA_H

#include "base/json_read.h"

/* Fails with RF_EFORMAT and the path of the first thing that does not fit, and with RF_ELIMIT where
 * the schema leads too far: one that refers to itself without end, or thousands of members
 * that are each looked for among thousands. */
RF_MUST enum rf_code rf_schema_check(const struct rf_jval *schema, const struct rf_jval *value,
                                     struct rf_arena *a, struct rf_err *err);

#endif
