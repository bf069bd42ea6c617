/* Numbers: checked arithmetic on sizes, which is false when the result does not fit; and how people
 * read them. */
#ifndef RF_BASE_NUM_H
#define RF_BASE_NUM_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool rf_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool rf_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool rf_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Its digits, at the end of `room`. */
#define RF_NUM_ROOM 24 /* bytes: for a sign, too */
struct rf_str rf_num_text(uint64_t n, char room[RF_NUM_ROOM]);

/* "1,234,567" */
struct rf_str rf_with_commas(uint64_t n, struct rf_arena *a);

#endif
