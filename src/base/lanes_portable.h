/* See lanes.h: eight bytes in an integer. A mask has the top bit of each byte that is marked; no
 * carry goes from one byte to the next, so that it is exact in either order of bytes. */
#ifndef RF_BASE_LANES_PORTABLE_H
#define RF_BASE_LANES_PORTABLE_H

#include <stdint.h>
#include <string.h>

#define RF_LANES 8
#define RF_LANES_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define RF_LANES_ALL(byte) (UINT64_C(0x0101010101010101) * (byte))

typedef uint64_t rf_lanes;
typedef uint64_t rf_mask;

static inline rf_lanes rf_lanes_load(const char *p)
{
    rf_lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline void rf_lanes_store(char *p, rf_lanes x)
{
    memcpy(p, &x, sizeof x);
}

/* Bytes below `limit`, which is at most 128. */
static inline rf_mask rf_lanes_below(rf_lanes x, unsigned limit)
{
    rf_lanes above = (x & RF_LANES_ALL(0x7f)) + RF_LANES_ALL(0x80 - limit);
    return ~(above | x) & RF_LANES_ALL(0x80);
}

static inline rf_mask rf_lanes_equal(rf_lanes x, char c)
{
    return rf_lanes_below(x ^ RF_LANES_ALL((unsigned char)c), 1);
}

static inline rf_mask rf_lanes_stops(rf_lanes x)
{
    return rf_lanes_below(x, 0x20) | rf_lanes_equal(x, '"') | rf_lanes_equal(x, '\\');
}

static inline rf_mask rf_lanes_high(rf_lanes x)
{
    return x & RF_LANES_ALL(0x80);
}

static inline unsigned rf_mask_first(rf_mask m)
{
    return (unsigned)(RF_LANES_BIG ? __builtin_clzll(m) : __builtin_ctzll(m)) / 8;
}

static inline rf_mask rf_mask_rest(rf_mask m)
{
    return RF_LANES_BIG ? m ^ UINT64_C(1) << 63 >> __builtin_clzll(m) : m & (m - 1);
}

static inline rf_mask rf_mask_from(rf_mask m, unsigned i)
{
    return m & (RF_LANES_BIG ? ~UINT64_C(0) >> 8 * i : ~UINT64_C(0) << 8 * i);
}

#endif
