/* Base64 with the byte shuffles of x86: 16 characters at a time with SSSE3, 32 with AVX2, 64 with
 * AVX-512. The ideas are those of Wojciech Muła and Daniel Lemire (https://arxiv.org/abs/1704.00605
 * and https://arxiv.org/abs/1910.05109).
 *
 * Encoding a group of three bytes a, b, c: a shuffle makes two 16-bit words of it, ab and bc, in
 * which a multiplication shifts each of the four values to the place of its character:
 *
 *     ab = aaaaaaaa bbbbbbbb      ab >> 10 = value 1      (ab & 0x03f0) << 4 = value 2 << 8
 *     bc = bbbbbbbb cccccccc      bc >> 6  = value 3      (bc & 0x003f) << 8 = value 4 << 8
 *
 * A value becomes a character by adding an offset, which depends on its range only: ranges are
 * numbered by a saturating subtraction and a comparison, and a shuffle looks the offset up.
 *
 * Decoding goes the same way back. A character is checked by its two nibbles: each one stands for
 * the classes of characters that it may be part of, and they must have one in common.
 *
 * AVX-512 with VBMI has an instruction for each of these steps, and looks up 64 or 128 bytes.
 *
 * Nothing reads or writes outside the buffers: a loop goes on while a whole vector fits, and leaves
 * the rest to the caller. AVX-512 takes the rest too, under a mask. */
#include "base/base64_kernels.h"
#include "base/fetch_ahead.h"

#if defined(__x86_64__) || defined(__i386__)

#include <immintrin.h>

#define SSSE3 __attribute__((target("ssse3")))
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* Where the bytes of the two words of each group come from, and the way back. */
#define SPREAD 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10
#define SPREAD_FROM_4 5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14
#define GATHER 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1

/* From value to character, by range of the value: A-Z, a-z, each of the digits, '+', '/'. */
#define FORTH 'A', 'a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, '+' - 62, '/' - 63, 0, 0
/* From character to value, by high nibble; '/' goes by 1. */
#define BACK 0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0

/* Classes: 1 is "+/", 2 the digits, 4 "A" to "O" and "a" to "o", 8 "P" to "Z" and "p" to "z". */
#define CLASSES_BY_HIGH 0, 0, 1, 2, 4, 8, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0
#define CLASSES_BY_LOW 10, 14, 14, 14, 14, 14, 14, 14, 14, 14, 12, 5, 4, 4, 4, 5

static bool has_ssse3(void)
{
    return __builtin_cpu_supports("ssse3");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
}

SSSE3 static inline __m128i load16(const void *p)
{
    return _mm_loadu_si128(p);
}

SSSE3 static inline void store16(void *p, __m128i x)
{
    _mm_storeu_si128(p, x);
}

/* 12 bytes at the front of `x` to 16 characters. */
SSSE3 static inline __m128i encode16(__m128i x)
{
    x = _mm_shuffle_epi8(x, _mm_setr_epi8(SPREAD));
    __m128i odd =
        _mm_mulhi_epu16(_mm_and_si128(x, _mm_set1_epi32(0x0fc0fc00)), _mm_set1_epi32(0x04000040));
    __m128i even =
        _mm_mullo_epi16(_mm_and_si128(x, _mm_set1_epi32(0x003f03f0)), _mm_set1_epi32(0x01000010));
    __m128i v = _mm_or_si128(odd, even);
    __m128i range =
        _mm_sub_epi8(_mm_subs_epu8(v, _mm_set1_epi8(51)), _mm_cmpgt_epi8(v, _mm_set1_epi8(25)));
    return _mm_add_epi8(v, _mm_shuffle_epi8(_mm_setr_epi8(FORTH), range));
}

SSSE3 static size_t ssse3_encode(const uint8_t *in, size_t n, char *out)
{
    size_t i = 0;
    for (; n - i >= 16; i += 12, out += 16)
        store16(out, encode16(load16(in + i)));
    return i;
}

SSSE3 static inline __m128i high16(__m128i c)
{
    return _mm_and_si128(_mm_srli_epi32(c, 4), _mm_set1_epi8(15));
}

/* 0 where a character is foreign. One above 127 has no classes by its low nibble, since a shuffle
 * answers 0 to it. */
SSSE3 static inline __m128i classes16(__m128i c)
{
    return _mm_and_si128(_mm_shuffle_epi8(_mm_setr_epi8(CLASSES_BY_HIGH), high16(c)),
                         _mm_shuffle_epi8(_mm_setr_epi8(CLASSES_BY_LOW), c));
}

SSSE3 static inline bool any_zero16(__m128i x)
{
    return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128()));
}

/* 16 characters to 12 bytes at the front. */
SSSE3 static inline __m128i decode16(__m128i c)
{
    __m128i high = high16(c);
    __m128i row = _mm_add_epi8(high, _mm_cmpeq_epi8(c, _mm_set1_epi8('/')));
    __m128i v = _mm_add_epi8(c, _mm_shuffle_epi8(_mm_setr_epi8(BACK), row));
    __m128i pairs = _mm_maddubs_epi16(v, _mm_set1_epi32(0x01400140));
    __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
    return _mm_shuffle_epi8(groups, _mm_setr_epi8(GATHER));
}

SSSE3 static size_t ssse3_decode(const char *in, size_t n, uint8_t *out, size_t out_cap)
{
    size_t i = 0, o = 0;
    for (; n - i >= 16 && out_cap - o >= 16; i += 16, o += 12) {
        __m128i c = load16(in + i);
        if (any_zero16(classes16(c)))
            break;
        store16(out + o, decode16(c));
    }
    return i;
}

SSSE3 static size_t ssse3_check(const char *in, size_t n)
{
    size_t i = 0;
    while (n - i >= 16 && !any_zero16(classes16(load16(in + i))))
        i += 16;
    return i;
}

/* Bytes 4 to 27 of `x` to 32 characters. */
AVX2 static inline __m256i encode32(__m256i x)
{
    x = _mm256_shuffle_epi8(x, _mm256_setr_epi8(SPREAD_FROM_4, SPREAD));
    __m256i odd = _mm256_mulhi_epu16(_mm256_and_si256(x, _mm256_set1_epi32(0x0fc0fc00)),
                                     _mm256_set1_epi32(0x04000040));
    __m256i even = _mm256_mullo_epi16(_mm256_and_si256(x, _mm256_set1_epi32(0x003f03f0)),
                                      _mm256_set1_epi32(0x01000010));
    __m256i v = _mm256_or_si256(odd, even);
    __m256i range = _mm256_sub_epi8(_mm256_subs_epu8(v, _mm256_set1_epi8(51)),
                                    _mm256_cmpgt_epi8(v, _mm256_set1_epi8(25)));
    return _mm256_add_epi8(v, _mm256_shuffle_epi8(_mm256_setr_epi8(FORTH, FORTH), range));
}

/* A shuffle does not cross the middle of a vector, so each load starts four bytes early to have 12
 * bytes of use on either side. The first 12 bytes go alone, that there be something before. */
AVX2 static size_t avx2_encode(const uint8_t *in, size_t n, char *out)
{
    if (n < 16)
        return 0;
    store16(out, encode16(load16(in)));
    out += 16;
    size_t i = 12;
    for (; n - i >= 28; i += 24, out += 32) {
        __m256i x = _mm256_loadu_si256((const void *)(in + i - 4));
        _mm256_storeu_si256((void *)out, encode32(x));
    }
    return i;
}

AVX2 static inline __m256i load32(const void *p)
{
    return _mm256_loadu_si256(p);
}

AVX2 static inline __m256i high32(__m256i c)
{
    return _mm256_and_si256(_mm256_srli_epi32(c, 4), _mm256_set1_epi8(15));
}

AVX2 static inline __m256i classes32(__m256i c)
{
    return _mm256_and_si256(
        _mm256_shuffle_epi8(_mm256_setr_epi8(CLASSES_BY_HIGH, CLASSES_BY_HIGH), high32(c)),
        _mm256_shuffle_epi8(_mm256_setr_epi8(CLASSES_BY_LOW, CLASSES_BY_LOW), c));
}

AVX2 static inline bool any_zero32(__m256i x)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}

/* 32 characters to 12 bytes at the front of each half. */
AVX2 static inline __m256i decode32(__m256i c)
{
    __m256i high = high32(c);
    __m256i row = _mm256_add_epi8(high, _mm256_cmpeq_epi8(c, _mm256_set1_epi8('/')));
    __m256i v = _mm256_add_epi8(c, _mm256_shuffle_epi8(_mm256_setr_epi8(BACK, BACK), row));
    __m256i pairs = _mm256_maddubs_epi16(v, _mm256_set1_epi32(0x01400140));
    __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    return _mm256_shuffle_epi8(groups, _mm256_setr_epi8(GATHER, GATHER));
}

AVX2 static size_t avx2_decode(const char *in, size_t n, uint8_t *out, size_t out_cap)
{
    size_t i = 0, o = 0;
    for (; n - i >= 32 && out_cap - o >= 28; i += 32, o += 24) {
        __m256i c = load32(in + i);
        if (any_zero32(classes32(c)))
            break;
        __m256i x = decode32(c);
        store16(out + o, _mm256_castsi256_si128(x));
        store16(out + o + 12, _mm256_extracti128_si256(x, 1));
    }
    return i;
}

/* The least of the classes of 128 characters: 0 in some place where one of them is foreign. */
AVX2 static inline __m256i least_classes(const char *p)
{
    __m256i first = _mm256_min_epu8(classes32(load32(p)), classes32(load32(p + 32)));
    __m256i second = _mm256_min_epu8(classes32(load32(p + 64)), classes32(load32(p + 96)));
    return _mm256_min_epu8(first, second);
}

AVX2 static size_t avx2_check(const char *in, size_t n)
{
    size_t i = 0;
    for (; n - i >= 128 && !any_zero32(least_classes(in + i)); i += 128)
        rf_fetch_ahead(in + i, n - i);
    return i;
}

/* The same shuffles over all of a vector, group by group. */
#define SPREAD_GROUP(i) 3 * i + 1, 3 * i, 3 * i + 2, 3 * i + 1
#define GATHER_GROUP(i) 4 * i + 2, 4 * i + 1, 4 * i
#define GROUPS(f)                                                                                  \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), \
        f(15)
static const uint8_t spread_groups[64] = { GROUPS(SPREAD_GROUP) };
static const uint8_t gather_groups[64] = { GROUPS(GATHER_GROUP) };

static inline uint64_t low_bits(size_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* 48 bytes at the front of `x` to 64 characters. The shifts are by 10, 4, 22 and 16 bits. */
AVX512 static inline __m512i encode64(__m512i x)
{
    x = _mm512_permutexvar_epi8(_mm512_loadu_si512(spread_groups), x);
    x = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x3036242a1016040a), x);
    return _mm512_permutexvar_epi8(x, _mm512_loadu_si512(rf_base64_alphabet));
}

AVX512 static size_t avx512_encode(const uint8_t *in, size_t n, char *out)
{
    size_t i = 0;
    for (; n - i >= 64; i += 48, out += 64)
        _mm512_storeu_si512(out, encode64(_mm512_loadu_si512(in + i)));
    while (n - i >= 3) {
        size_t part = n - i < 48 ? (n - i) / 3 * 3 : 48;
        __m512i x = _mm512_maskz_loadu_epi8(low_bits(part), in + i);
        _mm512_mask_storeu_epi8(out, low_bits(part / 3 * 4), encode64(x));
        i += part;
        out += part / 3 * 4;
    }
    return i;
}

/* 64 entries of the table of values, with nothing but the top bit for what is foreign. */
AVX512 static inline __m512i values64(const uint8_t *table)
{
    __m512i x = _mm512_loadu_si512(table), valid = _mm512_set1_epi8(RF_BASE64_VALID);
    return _mm512_mask_sub_epi8(_mm512_set1_epi8(-128), _mm512_test_epi8_mask(x, valid), x, valid);
}

/* 64 characters to 48 bytes at the front; `foreign` marks those that are none. It is not the vector
 * that is handed out by address: gcc 12 misplaces one on the stack that AddressSanitizer fakes. */
AVX512 static inline __m512i decode64(__m512i c, __mmask64 *foreign)
{
    __m512i v =
        _mm512_permutex2var_epi8(values64(rf_base64_values), c, values64(rf_base64_values + 64));
    __m512i pairs = _mm512_maddubs_epi16(v, _mm512_set1_epi32(0x01400140));
    __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    *foreign = _mm512_movepi8_mask(_mm512_or_si512(c, v));
    return _mm512_permutexvar_epi8(_mm512_loadu_si512(gather_groups), groups);
}

AVX512 static size_t avx512_decode(const char *in, size_t n, uint8_t *out, size_t out_cap)
{
    size_t i = 0, o = 0;
    __mmask64 foreign;
    for (; n - i >= 64 && out_cap - o >= 64; i += 64, o += 48) {
        __m512i x = decode64(_mm512_loadu_si512(in + i), &foreign);
        if (foreign)
            return i;
        _mm512_storeu_si512(out + o, x);
    }
    while (n - i >= 4) {
        size_t part = n - i < 64 ? (n - i) / 4 * 4 : 64;
        __m512i c = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'), low_bits(part), in + i);
        __m512i x = decode64(c, &foreign);
        if (foreign)
            break;
        _mm512_mask_storeu_epi8(out + o, low_bits(part / 4 * 3), x);
        i += part;
        o += part / 4 * 3;
    }
    return i;
}

const struct rf_base64_kernel rf_base64_ssse3 = { "ssse3", has_ssse3, ssse3_encode, ssse3_decode,
                                                  ssse3_check };
const struct rf_base64_kernel rf_base64_avx2 = { "avx2", has_avx2, avx2_encode, avx2_decode,
                                                 avx2_check };
/* Checking is as fast as memory without it. */
const struct rf_base64_kernel rf_base64_avx512 = { "avx512", has_avx512, avx512_encode,
                                                   avx512_decode, avx2_check };

#else

static bool never(void)
{
    return false;
}

const struct rf_base64_kernel rf_base64_ssse3 = { "ssse3", never, NULL, NULL, NULL };
const struct rf_base64_kernel rf_base64_avx2 = { "avx2", never, NULL, NULL, NULL };
const struct rf_base64_kernel rf_base64_avx512 = { "avx512", never, NULL, NULL, NULL };

#endif
