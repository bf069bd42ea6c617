/* Base64: the choice of the kernel, the kernel in portable C, and the ends.
 *
 * A kernel does as much of the front as it can without leaving the buffers; what it leaves is done
 * by the portable one, and the last group, the only one that may be padded, by hand. So the rules
 * about padding and unused bits stand in one place and every kernel stays a plain loop.
 *
 * Nothing here skips a character: white space, '-' and '_' are foreign like any other. */
#include "base/base64_kernels.h"

#include <stdatomic.h>

const char rf_base64_alphabet[64] = {
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P',
    'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f',
    'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
    'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/',
};

/* clang-format off */
const uint8_t rf_base64_values[256] = {
    ['+'] = 126, ['/'] = 127,
    ['0'] = 116, 117, 118, 119, 120, 121, 122, 123, 124, 125,
    ['A'] = 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76,
    ['N'] = 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89,
    ['a'] = 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102,
    ['n'] = 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115,
};
/* clang-format on */

static uint32_t value(char c)
{
    return rf_base64_values[(uint8_t)c];
}

static size_t portable_encode(const uint8_t *in, size_t n, char *out)
{
    size_t i = 0;
    for (; n - i >= 3; i += 3, out += 4) {
        uint32_t x = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
        out[0] = rf_base64_alphabet[x >> 18];
        out[1] = rf_base64_alphabet[x >> 12 & 63];
        out[2] = rf_base64_alphabet[x >> 6 & 63];
        out[3] = rf_base64_alphabet[x & 63];
    }
    return i;
}

static size_t portable_decode(const char *in, size_t n, uint8_t *out, size_t out_cap)
{
    size_t i = 0;
    (void)out_cap; /* it never writes more than it decodes */
    for (; n - i >= 4; i += 4, out += 3) {
        uint32_t a = value(in[i]), b = value(in[i + 1]);
        uint32_t c = value(in[i + 2]), d = value(in[i + 3]);
        if (!(a & b & c & d & RF_BASE64_VALID))
            break;
        uint32_t x = (a & 63) << 18 | (b & 63) << 12 | (c & 63) << 6 | (d & 63);
        out[0] = (uint8_t)(x >> 16);
        out[1] = (uint8_t)(x >> 8);
        out[2] = (uint8_t)x;
    }
    return i;
}

static size_t portable_check(const char *in, size_t n)
{
    size_t i = 0;
    while (i < n && value(in[i]))
        i++;
    return i;
}

static bool always(void)
{
    return true;
}

static const struct rf_base64_kernel portable = { "portable", always, portable_encode,
                                                  portable_decode, portable_check };

/* From slow to fast: the last one that is usable is the best. */
static const struct rf_base64_kernel *const kernels[] = {
    &portable, &rf_base64_neon, &rf_base64_ssse3, &rf_base64_avx2, &rf_base64_avx512, NULL,
};

/* Set at the first call. Threads that race for it choose the same. */
static _Atomic(const struct rf_base64_kernel *) chosen;

const struct rf_base64_kernel *const *rf_base64_kernels(void)
{
    return kernels;
}

static const struct rf_base64_kernel *best(void)
{
    size_t i = sizeof kernels / sizeof *kernels - 2;
    while (!kernels[i]->usable())
        i--;
    return kernels[i];
}

void rf_base64_use(const struct rf_base64_kernel *k)
{
    atomic_store_explicit(&chosen, k ? k : best(), memory_order_relaxed);
}

static const struct rf_base64_kernel *kernel(void)
{
    const struct rf_base64_kernel *k = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!k) {
        k = best();
        rf_base64_use(k);
    }
    return k;
}

/* The last group of one or two bytes. */
static void encode_rest(const uint8_t *in, size_t n, char out[4])
{
    uint32_t x = (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0);
    out[0] = rf_base64_alphabet[x >> 18];
    out[1] = rf_base64_alphabet[x >> 12 & 63];
    out[2] = n > 1 ? rf_base64_alphabet[x >> 6 & 63] : '=';
    out[3] = '=';
}

size_t rf_base64_encode(const void *in, size_t n, char *out)
{
    const uint8_t *p = in;
    if (n == 0)
        return 0;
    size_t done = kernel()->encode(p, n, out);
    done += portable_encode(p + done, n - done, out + done / 3 * 4);
    if (done < n)
        encode_rest(p + done, n - done, out + done / 3 * 4);
    return (size_t)rf_base64_length(n);
}

bool rf_base64_decoded_length(const char *in, size_t n, size_t *out)
{
    size_t pad = 0;
    if (n % 4 != 0)
        return false;
    while (pad < n && pad < 3 && in[n - 1 - pad] == '=')
        pad++;
    if (pad > 2)
        return false;
    *out = n / 4 * 3 - pad;
    return true;
}

/* The last group, of which `pad` characters are padding. */
static bool decode_last(const char in[4], size_t pad, uint8_t *out)
{
    char full[4] = { in[0], in[1], pad > 1 ? 'A' : in[2], pad > 0 ? 'A' : in[3] };
    uint8_t bytes[3];
    if (portable_decode(full, 4, bytes, sizeof bytes) != 4)
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (i < 3 - pad)
            out[i] = bytes[i];
        else if (bytes[i] != 0)
            return false;
    }
    return true;
}

bool rf_base64_decode(const char *in, size_t n, void *out)
{
    uint8_t *p = out;
    size_t size;
    if (!rf_base64_decoded_length(in, n, &size))
        return false;
    if (n == 0)
        return true;
    size_t whole = n - 4; /* all but the last group */
    size_t done = kernel()->decode(in, whole, p, size);
    done += portable_decode(in + done, whole - done, p + done / 4 * 3, size - done / 4 * 3);
    return done == whole && decode_last(in + whole, n / 4 * 3 - size, p + whole / 4 * 3);
}

bool rf_base64_is_valid(const char *in, size_t n)
{
    uint8_t last[3];
    size_t size;
    if (!rf_base64_decoded_length(in, n, &size))
        return false;
    if (n == 0)
        return true;
    size_t whole = n - 4, done = kernel()->check(in, whole);
    done += portable_check(in + done, whole - done);
    return done == whole && decode_last(in + whole, n / 4 * 3 - size, last);
}
