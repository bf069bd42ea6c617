/* Field tables, used for writing: the table that filled a struct (see rf_jval_fields) writes it
 * too, so that what can be read and what is written cannot drift apart.
 *
 * `was` is the object that the struct was read from, or NULL for one that was made by a program. A
 * field keeps the spelling of `was` where the struct still says the same (1e3 stays 1e3, an empty
 * string or a null that was given stays), and follows the struct where it does not.
 *
 *     rf_fields_write(w, RF_ROWS(tool_fields), tool, tool->extra);
 *     rf_fields_rest(w, RF_ROWS(tool_fields), tool->extra);
 */
#ifndef RF_CONTENT_FIELDS_H
#define RF_CONTENT_FIELDS_H

#include "base/json_read.h"
#include "base/json_write.h"

/* A table and how many rows it has, as two arguments. */
#define RF_ROWS(table) (table), sizeof(table) / sizeof *(table)

/* A value in `from` that says: the caller writes this field himself, after the others. */
extern const struct rf_jval rf_by_hand;

/* Write the fields of the table from the struct `from`, in the table's order. Strings and
 * numbers that are required are always written, others where the struct or `was` has them. */
void rf_fields_write(struct rf_json *w, const struct rf_jfield *fields, size_t count,
                     const void *from, const struct rf_jval *was);

/* Write the members of `was` that the table does not name, as they were. */
void rf_fields_rest(struct rf_json *w, const struct rf_jfield *fields, size_t count,
                    const struct rf_jval *was);

/* A copy of the members of `was` that the table does not name, as an object; NULL where there are
 * none. */
const struct rf_jval *rf_fields_other(const struct rf_jfield *fields, size_t count,
                                      const struct rf_jval *was, struct rf_arena *a);

/* Copy into `a` what the strings and the values at these offsets of a struct point to. */
void rf_fields_own(const size_t *strings, size_t string_count, const size_t *values,
                   size_t value_count, struct rf_arena *a, void *in);

/* A field of type RF_FIELD_VALUE for which null means that it was not given. */
void rf_null_is_absent(const struct rf_jval **field);

/* Is a list that structs are made from too long? Fails with RF_ELIMIT over RF_MAX_LIST. */
RF_MUST enum rf_code rf_list_check(const struct rf_jval *list, const struct rf_jpath *at,
                                   struct rf_err *err);

#endif
