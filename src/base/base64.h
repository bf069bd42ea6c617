/* Base64, both ways, at the speed of memory. The fastest kernel that the processor has is chosen
 * once, at the first call: AVX-512, AVX2, SSSE3 or NEON, and portable C everywhere.
 *
 * Decoding here is strict: the standard alphabet, correct padding, nothing else. What people
 * paste (line breaks, data: prefixes, the URL alphabet, no padding) is cleaned in source/ first. */
#ifndef RF_BASE_BASE64_H
#define RF_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the encoding of n bytes, padding included. n is at most UINT64_MAX / 2. */
static inline uint64_t rf_base64_length(uint64_t n)
{
    return (n + 2) / 3 * 4;
}

/* Write rf_base64_length(n) characters to `out`; no NUL. Returns how many. */
size_t rf_base64_encode(const void *in, size_t n, char *out);

/* Bytes that `n` characters at `in` decode to, or false when the length or padding is wrong. The
 * characters themselves are not looked at, but for the padding. */
bool rf_base64_decoded_length(const char *in, size_t n, size_t *out);

/* Decode all of `in` to `out`, which holds rf_base64_decoded_length() bytes. Strict: false when any
 * character is foreign, the padding is wrong or unused bits are not zero; `out` is then undefined.
 */
bool rf_base64_decode(const char *in, size_t n, void *out);

/* Would rf_base64_decode take it? Needs no memory for what it decodes to. */
bool rf_base64_is_valid(const char *in, size_t n);

/* The kernels, for tests and benchmarks: NULL-terminated, portable first. One that is not usable
 * has no functions. */
struct rf_base64_kernel {
    const char *name;
    bool (*usable)(void);
    /* Encode a multiple of three bytes from the front; returns how many input bytes were done. Any
     * number may be left. */
    size_t (*encode)(const uint8_t *in, size_t n, char *out);
    /* Decode whole groups of four valid characters from the front; returns how many characters.
     * `n` is a multiple of four and `out_cap` at least n / 4 * 3; all of it may be written to. */
    size_t (*decode)(const char *in, size_t n, uint8_t *out, size_t out_cap);
    /* How many characters from the front are of the alphabet; any number may be left. */
    size_t (*check)(const char *in, size_t n);
};
const struct rf_base64_kernel *const *rf_base64_kernels(void);
/* Use this kernel from now on (tests and benchmarks); NULL chooses the best again. */
void rf_base64_use(const struct rf_base64_kernel *k);

#endif
