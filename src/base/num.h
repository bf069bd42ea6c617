/* Checked arithmetic on sizes: false when the result does not fit. */
#ifndef RF_BASE_NUM_H
#define RF_BASE_NUM_H

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

#endif
