/* See lanes.h: NEON on AArch64. A mask has four bits a byte, which is what narrowing leaves. */
#ifndef RF_BASE_LANES_NEON_H
#define RF_BASE_LANES_NEON_H

#if defined(__aarch64__)

#include <arm_neon.h>

#define RF_LANES 16

typedef uint8x16_t rf_lanes;
typedef uint64_t rf_mask;

static inline rf_lanes rf_lanes_load(const char *p)
{
    return vld1q_u8((const uint8_t *)p);
}

static inline void rf_lanes_store(char *p, rf_lanes x)
{
    vst1q_u8((uint8_t *)p, x);
}

static inline rf_mask rf_lanes_narrow(uint8x16_t marks)
{
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(marks), 4)), 0);
}

static inline rf_mask rf_lanes_equal(rf_lanes x, char c)
{
    return rf_lanes_narrow(vceqq_u8(x, vdupq_n_u8((uint8_t)c)));
}

static inline rf_mask rf_lanes_stops(rf_lanes x)
{
    uint8x16_t quote = vceqq_u8(x, vdupq_n_u8('"')), backslash = vceqq_u8(x, vdupq_n_u8('\\'));
    return rf_lanes_narrow(vorrq_u8(vorrq_u8(quote, backslash), vcltq_u8(x, vdupq_n_u8(0x20))));
}

static inline rf_mask rf_lanes_high(rf_lanes x)
{
    return rf_lanes_narrow(vcgeq_u8(x, vdupq_n_u8(0x80)));
}

static inline unsigned rf_mask_first(rf_mask m)
{
    return (unsigned)__builtin_ctzll(m) / 4;
}

static inline rf_mask rf_mask_rest(rf_mask m)
{
    return m & ~(UINT64_C(15) << __builtin_ctzll(m));
}

static inline rf_mask rf_mask_from(rf_mask m, unsigned i)
{
    return m & ~UINT64_C(0) << 4 * i;
}

#endif
#endif
