/* Base64 with NEON on AArch64: 64 characters at a time. The loads and stores that take every third
 * or fourth byte bring the groups apart and together, and a lookup in 64 bytes is one instruction,
 * so this is the portable kernel sixteen times side by side. It touches no byte that it does not
 * work on. */
#include "base/base64_kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

static bool always(void)
{
    return true;
}

static size_t neon_encode(const uint8_t *in, size_t n, char *out)
{
    const uint8x16x4_t alphabet = vld1q_u8_x4((const uint8_t *)rf_base64_alphabet);
    const uint8x16_t six = vdupq_n_u8(63);
    size_t i = 0;
    for (; n - i >= 48; i += 48, out += 64) {
        uint8x16x3_t x = vld3q_u8(in + i);
        uint8x16x4_t v;
        v.val[0] = vshrq_n_u8(x.val[0], 2);
        v.val[1] = vandq_u8(vsliq_n_u8(vshrq_n_u8(x.val[1], 4), x.val[0], 4), six);
        v.val[2] = vandq_u8(vsliq_n_u8(vshrq_n_u8(x.val[2], 6), x.val[1], 2), six);
        v.val[3] = vandq_u8(x.val[2], six);
        for (int k = 0; k < 4; k++)
            v.val[k] = vqtbl4q_u8(alphabet, v.val[k]);
        vst4q_u8((uint8_t *)out, v);
    }
    return i;
}

/* Characters to values with RF_BASE64_VALID; 0 for what is foreign. A lookup answers for 64
 * characters: the first one gives 0 for all others, the second one leaves them as they are. */
static inline uint8x16_t values(uint8x16_t c, uint8x16x4_t below_64, uint8x16x4_t from_64)
{
    return vqtbx4q_u8(vqtbl4q_u8(below_64, c), from_64, veorq_u8(c, vdupq_n_u8(64)));
}

static size_t neon_decode(const char *in, size_t n, uint8_t *out, size_t out_cap)
{
    const uint8x16x4_t below_64 = vld1q_u8_x4(rf_base64_values);
    const uint8x16x4_t from_64 = vld1q_u8_x4(rf_base64_values + 64);
    size_t i = 0;
    (void)out_cap; /* it never writes more than it decodes */
    for (; n - i >= 64; i += 64, out += 48) {
        uint8x16x4_t v = vld4q_u8((const uint8_t *)in + i);
        for (int k = 0; k < 4; k++)
            v.val[k] = values(v.val[k], below_64, from_64);
        uint8x16_t all = vandq_u8(vandq_u8(v.val[0], v.val[1]), vandq_u8(v.val[2], v.val[3]));
        if (vminvq_u8(all) < RF_BASE64_VALID)
            break;
        uint8x16_t second = vshlq_n_u8(v.val[1], 2), third = vshlq_n_u8(v.val[2], 2);
        uint8x16x3_t x;
        x.val[0] = vsriq_n_u8(vshlq_n_u8(v.val[0], 2), second, 6);
        x.val[1] = vsriq_n_u8(vshlq_n_u8(v.val[1], 4), third, 4);
        x.val[2] = vsliq_n_u8(v.val[3], v.val[2], 6);
        vst3q_u8(out, x);
    }
    return i;
}

static size_t neon_check(const char *in, size_t n)
{
    const uint8x16x4_t below_64 = vld1q_u8_x4(rf_base64_values);
    const uint8x16x4_t from_64 = vld1q_u8_x4(rf_base64_values + 64);
    size_t i = 0;
    while (n - i >= 16 && vminvq_u8(values(vld1q_u8((const uint8_t *)in + i), below_64, from_64)) >=
                              RF_BASE64_VALID)
        i += 16;
    return i;
}

const struct rf_base64_kernel rf_base64_neon = { "neon", always, neon_encode, neon_decode,
                                                 neon_check };

#else

static bool never(void)
{
    return false;
}

const struct rf_base64_kernel rf_base64_neon = { "neon", never, NULL, NULL, NULL };

#endif
