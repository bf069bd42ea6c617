#include "base/plain_run.h"

#include "base/fetch_ahead.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdbool.h>

#define AVX2 __attribute__((target("avx2")))

/* Bytes of ASCII are not negative, and controls are below a space: one comparison finds both. */
AVX2 static inline __m256i stops(const char *p)
{
    __m256i x = _mm256_loadu_si256((const void *)p);
    __m256i quote = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('"'));
    __m256i backslash = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\'));
    __m256i other = _mm256_cmpgt_epi8(_mm256_set1_epi8(' '), x);
    return _mm256_or_si256(_mm256_or_si256(quote, backslash), other);
}

AVX2 static bool is_plain_block(const char *p)
{
    __m256i first = _mm256_or_si256(stops(p), stops(p + 32));
    __m256i second = _mm256_or_si256(stops(p + 64), stops(p + 96));
    __m256i any = _mm256_or_si256(first, second);
    return _mm256_testz_si256(any, any);
}

AVX2 static size_t run(const char *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= RF_PLAIN_BLOCK && is_plain_block(p + at); at += RF_PLAIN_BLOCK)
        rf_fetch_ahead(p + at, n - at);
    return at;
}

size_t rf_plain_run(const char *p, size_t n)
{
    return __builtin_cpu_supports("avx2") ? run(p, n) : 0;
}

#else

size_t rf_plain_run(const char *p, size_t n)
{
    (void)p;
    (void)n;
    return 0;
}

#endif
