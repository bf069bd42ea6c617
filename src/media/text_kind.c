/* Marks first, then zero bytes, which only UTF-16 and UTF-32 have; then UTF-8, of which a few bytes
 * may be wrong; and whatever else has few control characters is in one of the sets of one or two
 * bytes a character, or switches by escape sequences. Which one takes more than a look at single
 * bytes: that is for a worker. */
#include "media/text_kind.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

#define CONTROLS_IN 50        /* one in so many bytes may be a control character */
#define CONTROLS_IN_OTHER 200 /* the same where the encoding is not known either */
#define BLANKS_IN 25          /* one in so many bytes is one between words of letters */
#define BLANKS_IN_UNITS 40
#define LEAST_UTF16 16
#define GOOD_FOR_BAD 4 /* characters of UTF-8 that make up for a byte that is none */

/* 0 where it has nothing. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

uint32_t rf_windows_1252(unsigned char byte)
{
    return windows[byte & 0x1f];
}

struct tally {
    size_t zeros[2];         /* at even and at odd places */
    size_t controls, shifts; /* shifts: those by which ISO-2022-KR changes sets */
    size_t strange;          /* holes of windows-1252 */
    size_t blanks, high;
};

static struct tally count(const unsigned char *p, size_t n)
{
    struct tally t = { 0 };
    for (size_t i = 0; i < n; i++) {
        unsigned char c = p[i];
        bool usual = c >= 0x20 ? c != 0x7f : (c >= 7 && c <= 13) || c == 0x1b;
        t.zeros[i & 1] += c == 0;
        t.controls += !usual;
        t.shifts += c == 0x0e || c == 0x0f;
        t.strange += c >= 0x80 && c < 0xa0 && !rf_windows_1252(c);
        t.blanks += c == ' ' || c == '\n';
        t.high += c >= 0x80;
    }
    return t;
}

/* Sets of two bytes a character: does nearly every byte with the high bit begin a pair? */
static bool is_paired(const unsigned char *p, size_t n)
{
    size_t pairs = 0, odd = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (p[i] < 0x80)
            continue;
        bool pair = p[i] > 0x80 && p[i] < 0xff && p[i + 1] >= 0x40 && p[i + 1] != 0x7f;
        pairs += pair;
        odd += !pair;
        i += pair;
    }
    return odd <= pairs / 20;
}

static bool is_mostly_utf8(struct rf_str s, bool more)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t good = 0, bad = 0, i = 0;
    if (rf_utf8_valid(s) == s.n)
        return true;
    while (i < s.n) {
        unsigned length = rf_utf8_char(p + i, s.n - i);
        if (!length && more && rf_utf8_partial(p + i, s.n - i))
            break;
        good += length > 1;
        bad += !length;
        i += length ? length : 1;
    }
    return good >= GOOD_FOR_BAD * bad;
}

static uint32_t unit(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* Most characters of most languages that are written in UTF-16 have one byte that is zero. */
static bool has_zeros_of_utf16(const struct tally *t, size_t n, bool big)
{
    return n >= 4 && t->zeros[!big] > n / 4 && t->zeros[big] == 0;
}

static bool is_text_unit(uint32_t c)
{
    bool control =
        c < 0x20 ? c != '\t' && c != '\n' && c != '\f' && c != '\r' : c >= 0x7f && c < 0xa0;
    return !control && !(c >= 0xe000 && c < 0xf900) && !(c >= 0xfdd0 && c < 0xfdf0) && c < 0xfff0;
}

static bool is_blank_unit(uint32_t c)
{
    return c == ' ' || c == '\n' || (c >= 0x3000 && c <= 0x3002) || c == 0xff0c;
}

static bool has_blanks(size_t blanks, size_t units)
{
    return blanks >= units / BLANKS_IN_UNITS && blanks > 0;
}

/* Others have what parts words and sentences, and no unit that a text would not have. */
static bool is_utf16(const unsigned char *p, size_t n, bool big)
{
    size_t blanks = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint32_t c = unit(p + i, big);
        bool high = c >= 0xd800 && c < 0xdc00, low = c >= 0xdc00 && c < 0xe000;
        uint32_t next = i + 3 < n ? unit(p + i + 2, big) : 0xdc00;
        if (!is_text_unit(c) || low || (high && (next < 0xdc00 || next >= 0xe000)))
            return false;
        blanks += is_blank_unit(c);
        i += high ? 2 : 0;
    }
    return n >= LEAST_UTF16 && has_blanks(blanks, n / 2);
}

/* Numbers of 32 bits look like letters where they are neither small nor large. */
static bool is_utf32(const unsigned char *p, size_t n, bool big)
{
    size_t blanks = 0;
    for (size_t i = 0; i + 3 < n; i += 4) {
        uint32_t high = unit(p + i + (big ? 0 : 2), big), low = unit(p + i + (big ? 2 : 0), big);
        if (high > 0x10 || (!high && (!is_text_unit(low) || (low >= 0xd800 && low < 0xe000))))
            return false;
        blanks += !high && is_blank_unit(low);
    }
    return n >= 8 && n % 4 == 0 && has_blanks(blanks, n / 4);
}

static enum rf_encoding wide(const struct tally *t, const unsigned char *p, size_t n)
{
    if (is_utf32(p, n, false) || is_utf32(p, n, true))
        return RF_ENCODING_OTHER;
    if (n % 2 == 0 && (has_zeros_of_utf16(t, n, false) || is_utf16(p, n, false)))
        return RF_ENCODING_UTF16LE;
    return n % 2 == 0 && (has_zeros_of_utf16(t, n, true) || is_utf16(p, n, true))
               ? RF_ENCODING_UTF16BE
               : RF_ENCODING_NONE;
}

static bool by_mark(struct rf_str s, struct rf_text_kind *out)
{
    static const struct {
        struct rf_str mark;
        enum rf_encoding encoding;
    } marks[] = {
        { RF_STR_INIT("\xff\xfe\0\0"), RF_ENCODING_OTHER },
        { RF_STR_INIT("\0\0\xfe\xff"), RF_ENCODING_OTHER },
        { RF_STR_INIT("\xff\xfe"), RF_ENCODING_UTF16LE },
        { RF_STR_INIT("\xfe\xff"), RF_ENCODING_UTF16BE },
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct rf_str m = marks[i].mark;
        if (s.n >= m.n && memcmp(s.p, m.p, m.n) == 0) {
            *out = (struct rf_text_kind){ marks[i].encoding, (unsigned)m.n, false };
            return true;
        }
    }
    return false;
}

struct rf_text_kind rf_text_kind_of(struct rf_str s, bool more)
{
    const unsigned char *p = (const unsigned char *)s.p;
    struct tally t = count(p, s.n);
    struct rf_text_kind kind = { 0 };
    if (by_mark(s, &kind))
        return kind;
    bool switches = s.n && memmem(s.p, s.n, "\x1b$", 2);
    size_t controls = t.controls - (switches ? t.shifts : 0);
    if (t.zeros[0] || t.zeros[1] || controls > s.n / CONTROLS_IN) {
        kind.encoding = wide(&t, p, s.n);
        kind.guessed = kind.encoding != RF_ENCODING_NONE;
        return kind;
    }
    if (is_mostly_utf8(s, more) && !(switches && !t.high)) {
        kind.encoding = RF_ENCODING_UTF8;
        kind.mark = s.n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        return kind;
    }
    if (controls <= s.n / CONTROLS_IN_OTHER &&
        (t.strange <= s.n / CONTROLS_IN || t.blanks >= s.n / BLANKS_IN || is_paired(p, s.n)))
        kind = (struct rf_text_kind){ RF_ENCODING_OTHER, 0, true };
    return kind;
}
