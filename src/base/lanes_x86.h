/* See lanes.h: SSE2, which every 64-bit x86 has, two vectors at a time. A mask has a bit a byte. */
#ifndef RF_BASE_LANES_X86_H
#define RF_BASE_LANES_X86_H

#include <emmintrin.h>

#define RF_LANES 32

typedef struct {
    __m128i a, b;
} rf_lanes;
typedef unsigned rf_mask;

static inline rf_lanes rf_lanes_load(const char *p)
{
    return (rf_lanes){ _mm_loadu_si128((const void *)p), _mm_loadu_si128((const void *)(p + 16)) };
}

static inline void rf_lanes_store(char *p, rf_lanes x)
{
    _mm_storeu_si128((void *)p, x.a);
    _mm_storeu_si128((void *)(p + 16), x.b);
}

static inline rf_mask rf_lanes_mask(__m128i a, __m128i b)
{
    return (rf_mask)_mm_movemask_epi8(a) | (rf_mask)_mm_movemask_epi8(b) << 16;
}

static inline rf_mask rf_lanes_equal(rf_lanes x, char c)
{
    __m128i all = _mm_set1_epi8(c);
    return rf_lanes_mask(_mm_cmpeq_epi8(x.a, all), _mm_cmpeq_epi8(x.b, all));
}

static inline __m128i rf_lanes_stops16(__m128i x)
{
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x);
    return _mm_or_si128(_mm_or_si128(quote, backslash), control);
}

/* What ends a run of plain characters in a JSON string: '"', '\\' and control characters. */
static inline rf_mask rf_lanes_stops(rf_lanes x)
{
    return rf_lanes_mask(rf_lanes_stops16(x.a), rf_lanes_stops16(x.b));
}

/* What is not ASCII. */
static inline rf_mask rf_lanes_high(rf_lanes x)
{
    return rf_lanes_mask(x.a, x.b);
}

/* The index of the first byte that is marked; there must be one. */
static inline unsigned rf_mask_first(rf_mask m)
{
    return (unsigned)__builtin_ctz(m);
}

/* What is marked after the first; there must be one. */
static inline rf_mask rf_mask_rest(rf_mask m)
{
    return m & (m - 1);
}

/* What is marked from index `i` on, which is below RF_LANES. */
static inline rf_mask rf_mask_from(rf_mask m, unsigned i)
{
    return m & ~0u << i;
}

#endif
