/* Telling encodings apart, and undoing them. It refuses to guess where zero bytes or many control
 * characters say that this is not text: better a few words about a file than rubbish. */
#include "source/text_decode.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <stdlib.h>

#define MAX_LOOK ((size_t)64 * 1024)
#define CONTROLS_IN 50 /* one in so many bytes may be a control character in Latin-1 */

/* Windows-1252 from 0x80 to 0x9f; 0 where it has nothing. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

struct tally {
    size_t zeros[2];          /* at even and at odd places */
    size_t controls, strange; /* strange: holes of Windows-1252 */
};

static struct tally count(const unsigned char *p, size_t n)
{
    struct tally t = { 0 };
    for (size_t i = 0; i < n; i++) {
        unsigned char c = p[i];
        bool usual = c >= 0x20 ? c != 0x7f : (c >= 7 && c <= 13) || c == 0x1b;
        t.zeros[i & 1] += c == 0;
        t.controls += !usual;
        t.strange += c >= 0x80 && c < 0xa0 && !windows[c - 0x80];
    }
    return t;
}

static bool is_utf8(struct rf_str s, bool more)
{
    size_t valid = rf_utf8_valid(s);
    return valid == s.n ||
           (more && rf_utf8_partial((const unsigned char *)s.p + valid, s.n - valid));
}

/* Most characters of most languages written in UTF-16 without a mark have one byte that is zero. */
static enum rf_encoding utf16_without_mark(const struct tally *t, size_t n)
{
    if (n < 4 || n % 2)
        return RF_ENCODING_NONE;
    if (t->zeros[1] > n / 4 && t->zeros[0] == 0)
        return RF_ENCODING_UTF16LE;
    return t->zeros[0] > n / 4 && t->zeros[1] == 0 ? RF_ENCODING_UTF16BE : RF_ENCODING_NONE;
}

static struct rf_text_kind kind_of(struct rf_str s, bool more)
{
    const unsigned char *p = (const unsigned char *)s.p;
    struct tally t = count(p, s.n);
    if (s.n >= 2 && p[0] == 0xff && p[1] == 0xfe)
        return (struct rf_text_kind){ RF_ENCODING_UTF16LE, 2, false };
    if (s.n >= 2 && p[0] == 0xfe && p[1] == 0xff)
        return (struct rf_text_kind){ RF_ENCODING_UTF16BE, 2, false };
    size_t zeros = t.zeros[0] + t.zeros[1];
    if (zeros)
        return (struct rf_text_kind){ utf16_without_mark(&t, s.n), 0, true };
    if (t.controls > s.n / CONTROLS_IN)
        return (struct rf_text_kind){ 0 };
    if (is_utf8(s, more)) {
        bool marked = s.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0;
        return (struct rf_text_kind){ RF_ENCODING_UTF8, marked ? 3 : 0, false };
    }
    if (t.strange > s.n / CONTROLS_IN)
        return (struct rf_text_kind){ 0 };
    return (struct rf_text_kind){ RF_ENCODING_LATIN1, 0, true };
}

enum rf_code rf_text_kind(struct rf_reader *r, struct rf_text_kind *out, struct rf_err *err)
{
    size_t got = 0;
    char *buf = malloc(MAX_LOOK);
    if (!buf)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_read(r, 0, buf, MAX_LOOK, &got, err);
    if (!rc)
        *out = kind_of((struct rf_str){ buf, got }, got < r->bytes->size);
    free(buf);
    return rc;
}

/* Bytes from the front that are text as they are. */
static size_t plain_length(struct rf_str s)
{
    const char *zero = memchr(s.p, '\0', s.n);
    return rf_utf8_valid((struct rf_str){ s.p, zero ? (size_t)(zero - s.p) : s.n });
}

/* A zero byte is a character of UTF-8, and of no text. */
static size_t from_utf8(struct rf_str in, bool last, char *out, size_t *taken)
{
    const unsigned char *p = (const unsigned char *)in.p;
    size_t i = plain_length(in), n = i;
    memcpy(out, p, i);
    while (i < in.n) {
        unsigned length = p[i] ? rf_utf8_char(p + i, in.n - i) : 0;
        if (!length && !last && p[i] && rf_utf8_partial(p + i, in.n - i))
            break;
        if (length)
            memcpy(out + n, p + i, length);
        else
            rf_utf8_put(0xfffd, out + n);
        n += length ? length : 3;
        i += length ? length : 1;
    }
    *taken = i;
    return n;
}

static size_t from_latin1(struct rf_str in, char *out, size_t *taken)
{
    size_t n = 0;
    for (size_t i = 0; i < in.n; i++) {
        uint32_t c = (unsigned char)in.p[i];
        if (c >= 0x80 && c < 0xa0)
            c = windows[c - 0x80];
        char four[4];
        unsigned length = rf_utf8_put(c ? c : 0xfffd, four);
        memcpy(out + n, four, length);
        n += length;
    }
    *taken = in.n;
    return n;
}

static uint32_t unit(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static size_t from_utf16(struct rf_str in, bool big, bool last, char *out, size_t *taken)
{
    const unsigned char *p = (const unsigned char *)in.p;
    size_t i = 0, n = 0;
    while (in.n - i >= 2) {
        uint32_t c = unit(p + i, big);
        size_t step = 2;
        if (c >= 0xd800 && c < 0xdc00) {
            if (in.n - i < 4 && !last)
                break;
            uint32_t low = in.n - i >= 4 ? unit(p + i + 2, big) : 0;
            bool pair = low >= 0xdc00 && low < 0xe000;
            c = pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
            step = pair ? 4 : 2;
        } else if (!c || (c >= 0xdc00 && c < 0xe000)) {
            c = 0xfffd;
        }
        char four[4];
        unsigned length = rf_utf8_put(c, four);
        memcpy(out + n, four, length);
        n += length;
        i += step;
    }
    *taken = last ? in.n : i;
    return n;
}

size_t rf_text_decode(enum rf_encoding encoding, struct rf_str in, bool last, char *out,
                      size_t *taken)
{
    switch (encoding) {
    case RF_ENCODING_UTF16LE:
    case RF_ENCODING_UTF16BE:
        return from_utf16(in, encoding == RF_ENCODING_UTF16BE, last, out, taken);
    case RF_ENCODING_LATIN1:
        return from_latin1(in, out, taken);
    case RF_ENCODING_NONE:
    case RF_ENCODING_UTF8:
        break;
    }
    return from_utf8(in, last, out, taken);
}

enum rf_code rf_text_whole(struct rf_reader *r, struct rf_text_kind kind, struct rf_arena *a,
                           struct rf_str *out)
{
    size_t size = (size_t)r->bytes->size, got = 0, taken;
    char *in = malloc(size + 1);
    if (!in)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_read(r, 0, in, size, &got, NULL);
    if (!rc) {
        char *text = rf_arena_alloc(a, RF_TEXT_GROWTH * size + 1);
        struct rf_str rest = { in + kind.mark, got - kind.mark };
        *out = (struct rf_str){ text, rf_text_decode(kind.encoding, rest, true, text, &taken) };
    }
    free(in);
    return rc;
}
