/* The outline of a JSON value: which keys it has and what they hold, for who cannot read it
 * whole.
 *
 *     (all): object, 2 keys
 *     /users: array, 1,234 elements
 *     /total: number
 *     /users/0: object, 3 keys
 *
 * Each line begins with the JSON Pointer (RFC 6901) of what it is about. What is near the root
 * comes first, of an array its first element, and what does not fit is left out.
 */
#ifndef RF_SOURCE_OUTLINE_H
#define RF_SOURCE_OUTLINE_H

#include "base/json_read.h"

/* At most `most` bytes, whole lines. */
struct rf_str rf_outline(const struct rf_jval *v, size_t most, struct rf_arena *a);

/* The value at a pointer. Fails with RF_EUSAGE where it is not a pointer, and with RF_ENOTFOUND and
 * the step at which it leads nowhere. */
RF_MUST enum rf_code rf_pointer_find(const struct rf_jval *root, struct rf_str pointer,
                                     const struct rf_jval **out, struct rf_err *err);

#endif
