/* Number formats of spreadsheets: "#,##0.00;[Red](#,##0.00)", "dd.mm.yyyy", "0.0E+00", "# ?/?".
 *
 *     const struct rf_numfmt *f = rf_numfmt_parse(arena, RF_STR("0.0%"));
 *     n = rf_numfmt_write(f, 0.125, 0, text, sizeof text);        // "12.5%"
 *
 * A number is shown as the program would in a column that is wide enough, in English. Two
 * liberties: General shows up to 15 digits, and the date that follows the system's settings
 * (built-in 14) is written year first. A code that makes no sense is General. Colours, padding
 * and fill are left out. */
#ifndef RF_OFFICE_NUMFMT_H
#define RF_OFFICE_NUMFMT_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>

#define RF_NUMFMT_MAX_CODE 512 /* longer codes are General */
#define RF_NUMFMT_ROOM 640     /* enough for what a code can write; more is cut */

struct rf_numfmt;

const struct rf_numfmt *rf_numfmt_parse(struct rf_arena *a, struct rf_str code);
/* The code of a built-in format; empty where the number means none. */
struct rf_str rf_numfmt_builtin(int64_t id);
bool rf_numfmt_is_general(const struct rf_numfmt *f);

enum rf_numfmt_epoch { RF_EPOCH_1900, RF_EPOCH_1904 }; /* the day that dates are counted from */

/* Write `value`; returns the length. No NUL is written. */
size_t rf_numfmt_write(const struct rf_numfmt *f, double value, enum rf_numfmt_epoch epoch,
                       char *out, size_t room);

#endif
