/* A list of names, and iconv for most of them.
 *
 * UTF-16 and windows-1252 are done here, at iconv's speed (8 MB in 8 and 18 ms, iconv takes 7 and
 * 15): iconv would load a module for each, which needs Landlock; it fails at lone surrogates and at
 * the five bytes that windows-1252 leaves open; and old Office files have thousands of short
 * strings.
 *
 * Converters stay open for the next document: opening one means loading a module. A worker has one
 * thread, and they are the only state that outlives an ask. */
#include "worker/office/charset.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>

#define MAX_NAME 24
#define REPLACEMENT 0xfffdu
#define REPLACEMENT_UTF8 "\xef\xbf\xbd"

enum kind { UTF8, LATIN, UTF16LE, UTF16BE, UTF16, ICONV, NONE };

/* The names of each set in lower case, '_' as '-'; "cp" is before the numbers of Windows code
 * pages. Those from ICONV on are iconv's, which knows each by its first name. */
static const char *const charsets[] = {
    [UTF8] = "utf-8 utf8 unicode-1-1-utf-8 cp65001",
    [LATIN] = ("windows-1252 cp1252 us-ascii ascii ansi-x3.4-1968 iso-8859-1 iso8859-1 latin1 "
               "cp20127 cp28591"),
    [UTF16LE] = "utf-16le cp1200",
    [UTF16BE] = "utf-16be cp1201",
    [UTF16] = "utf-16 unicode",
    [ICONV] = "cp1250 windows-1250",
    "cp1251 windows-1251",
    "cp1253 windows-1253",
    "cp1254 windows-1254 iso-8859-9 cp28599",
    "cp1255 windows-1255",
    "cp1256 windows-1256",
    "cp1257 windows-1257",
    "cp1258 windows-1258",
    "cp874 windows-874 iso-8859-11",
    "tis-620",
    "iso-8859-2 cp28592",
    "iso-8859-3 cp28593",
    "iso-8859-4 cp28594",
    "iso-8859-5 cp28595",
    "iso-8859-6 cp28596",
    "iso-8859-7 cp28597",
    "iso-8859-8 iso-8859-8-i cp28598",
    "iso-8859-10",
    "iso-8859-13 cp28603",
    "iso-8859-14",
    "iso-8859-15 cp28605",
    "iso-8859-16",
    "koi8-r cp20866",
    "koi8-u cp21866",
    "cp437 ibm437",
    "cp850 ibm850",
    "cp852 ibm852",
    "cp866 ibm866",
    "macintosh x-mac-roman cp10000",
    "mac-cyrillic x-mac-cyrillic cp10007",
    "cp932 shift-jis sjis windows-31j",
    "euc-jp cp20932",
    "iso-2022-jp cp50220",
    "gb18030 gbk gb2312 cp936 cp54936",
    "big5-hkscs big5 cp950",
    "uhc euc-kr ks-c-5601-1987 cp949",
    "iso-2022-kr cp50225",
    "johab cp1361",
};
#define CHARSETS (sizeof charsets / sizeof *charsets)
#define UNKNOWN CHARSETS

static iconv_t converters[CHARSETS]; /* NULL: not yet opened */

/* What windows-1252 has between 0x80 and 0x9f. */
static const uint16_t latin_high[32] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

static size_t find(struct rf_str name)
{
    char lower[MAX_NAME];

    name = rf_str_trim(name);
    if (name.n == 0 || name.n >= sizeof lower)
        return UNKNOWN;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        lower[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    for (size_t i = 0; i < CHARSETS; i++) {
        struct rf_str names = rf_str(charsets[i]), one;
        while (rf_str_split(&names, ' ', &one))
            if (one.n == name.n && memcmp(one.p, lower, one.n) == 0)
                return i;
    }
    return UNKNOWN;
}

static enum kind kind_of(size_t set)
{
    return set == UNKNOWN ? NONE : set < ICONV ? (enum kind)set : ICONV;
}

bool rf_charset_known(struct rf_str charset)
{
    return find(charset) != UNKNOWN;
}

uint32_t rf_charset_latin(uint32_t byte)
{
    return byte >= 0x80 && byte < 0xa0 ? latin_high[byte - 0x80] : byte & 0xff;
}

static struct rf_str from_latin(struct rf_arena *a, struct rf_str bytes)
{
    char *out = rf_arena_alloc(a, bytes.n * 3 + 1);
    size_t n = 0;

    for (size_t i = 0; i < bytes.n; i++)
        n += rf_utf8_put(rf_charset_latin((unsigned char)bytes.p[i]), out + n);
    return (struct rf_str){ out, n };
}

/* Valid UTF-8, with U+FFFD for each byte that is not. */
static struct rf_str mend(struct rf_arena *a, struct rf_str bytes)
{
    size_t good = rf_utf8_valid(bytes), n = 0;

    if (good == bytes.n)
        return bytes;
    char *out = rf_arena_alloc(a, bytes.n * 3 + 1);
    for (;;) {
        memcpy(out + n, bytes.p, good);
        n += good;
        if (good == bytes.n)
            return (struct rf_str){ out, n };
        memcpy(out + n, REPLACEMENT_UTF8, 3);
        n += 3;
        bytes = (struct rf_str){ bytes.p + good + 1, bytes.n - good - 1 };
        good = rf_utf8_valid(bytes);
    }
}

static uint32_t unit(const char *p, enum kind kind)
{
    unsigned char first = (unsigned char)p[0], second = (unsigned char)p[1];

    return kind == UTF16BE ? (uint32_t)first << 8 | second : (uint32_t)second << 8 | first;
}

static struct rf_str from_utf16(struct rf_arena *a, struct rf_str bytes, enum kind kind)
{
    char *out = rf_arena_alloc(a, bytes.n / 2 * 3 + 4);
    size_t n = 0;

    for (size_t i = 0; i + 2 <= bytes.n; i += 2) {
        uint32_t c = unit(bytes.p + i, kind);
        if (c >= 0xd800 && c < 0xdc00 && i + 4 <= bytes.n) {
            uint32_t low = unit(bytes.p + i + 2, kind);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        n += rf_utf8_put(c >= 0xd800 && c < 0xe000 ? REPLACEMENT : c, out + n);
    }
    return (struct rf_str){ out, n };
}

static struct rf_str without_mark(struct rf_str s)
{
    return rf_str_starts(s, "\xef\xbb\xbf") ? (struct rf_str){ s.p + 3, s.n - 3 } : s;
}

static struct rf_str from_marked_utf16(struct rf_arena *a, struct rf_str bytes)
{
    if (rf_str_starts(bytes, "\xfe\xff"))
        return from_utf16(a, (struct rf_str){ bytes.p + 2, bytes.n - 2 }, UTF16BE);
    if (rf_str_starts(bytes, "\xff\xfe"))
        return from_utf16(a, (struct rf_str){ bytes.p + 2, bytes.n - 2 }, UTF16LE);
    return from_utf16(a, bytes, UTF16LE);
}

/* Convert until the input ends; a byte that cannot be converted becomes U+FFFD. */
static struct rf_str from_iconv(struct rf_arena *a, iconv_t with, struct rf_str bytes)
{
    size_t room = bytes.n * 4 + 64, left = room, in_left = bytes.n;
    char *out = rf_arena_alloc(a, room), *to = out, *in = (char *)(uintptr_t)bytes.p;

    iconv(with, NULL, NULL, NULL, NULL);
    while (in_left > 0 && iconv(with, &in, &in_left, &to, &left) == (size_t)-1) {
        if (errno == E2BIG || in_left == 0 || left < 3)
            break;
        memcpy(to, REPLACEMENT_UTF8, 3);
        to += 3;
        left -= 3;
        in++;
        in_left--;
    }
    iconv(with, NULL, NULL, &to, &left);
    return (struct rf_str){ out, (size_t)(to - out) };
}

static iconv_t opened(size_t set)
{
    char name[MAX_NAME];

    if (!converters[set]) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(charsets[set], " "), charsets[set]);
        converters[set] = iconv_open("UTF-8", name);
    }
    return converters[set];
}

/* ASCII is itself in all that iconv does here, but for the sets that switch by escape sequences. */
static bool is_plain(struct rf_str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        if ((unsigned char)bytes.p[i] >= 0x80 || bytes.p[i] == 0x1b || bytes.p[i] == 0x0e)
            return false;
    return true;
}

static struct rf_str guess(struct rf_arena *a, struct rf_str bytes)
{
    if (rf_str_starts(bytes, "\xfe\xff") || rf_str_starts(bytes, "\xff\xfe"))
        return from_marked_utf16(a, bytes);
    return rf_utf8_valid(bytes) == bytes.n ? without_mark(bytes) : from_latin(a, bytes);
}

static struct rf_str convert(struct rf_arena *a, size_t set, struct rf_str bytes)
{
    enum kind kind = kind_of(set);
    iconv_t with;

    switch (kind) {
    case UTF16LE:
    case UTF16BE:
        return from_utf16(a, bytes, kind);
    case UTF16:
        return from_marked_utf16(a, bytes);
    case UTF8:
        return mend(a, without_mark(bytes));
    case ICONV:
        with = is_plain(bytes) ? (iconv_t)-1 : opened(set);
        return with == (iconv_t)-1 ? guess(a, bytes) : from_iconv(a, with, bytes);
    case LATIN: /* so much mail claims this and is UTF-8 */
    case NONE:
        break;
    }
    return guess(a, bytes);
}

struct rf_str rf_charset_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes)
{
    return convert(a, find(charset), bytes);
}

struct rf_str rf_codepage_utf8(struct rf_arena *a, int page, struct rf_str bytes)
{
    char name[MAX_NAME];

    if (page == 1252)
        return is_plain(bytes) ? bytes : from_latin(a, bytes);
    snprintf(name, sizeof name, "cp%d", page);
    return convert(a, find(rf_str(name)), bytes);
}

struct rf_str rf_utf16le_utf8(struct rf_arena *a, struct rf_str bytes)
{
    return from_utf16(a, bytes, UTF16LE);
}

struct rf_str rf_charset_guess(struct rf_str bytes)
{
    if (rf_str_starts(bytes, "\xfe\xff"))
        return RF_STR("utf-16be");
    if (rf_str_starts(bytes, "\xff\xfe"))
        return RF_STR("utf-16le");
    return rf_utf8_valid(bytes) == bytes.n ? RF_STR("utf-8") : RF_STR("");
}
