/* A table of names, and iconv behind it.
 *
 * Converters stay open for the next document: opening one means loading a module. A worker has one
 * thread, and the table is the only state that outlives an ask. */
#include "worker/office/charset.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>

#define MAX_NAME 24
#define REPLACEMENT 0xfffdu
#define REPLACEMENT_UTF8 "\xef\xbf\xbd"

enum kind { UTF8, LATIN, UTF16LE, UTF16BE, UTF16, ICONV };

static struct charset {
    const char *name; /* in lower case, '_' as '-' */
    enum kind kind;
    const char *iconv; /* the C library's name */
    int page;          /* as Windows counts; 0: none */
    iconv_t open;      /* NULL: not yet */
} charsets[] = {
    { "utf-8", UTF8, NULL, 65001, NULL },
    { "utf8", UTF8, NULL, 0, NULL },
    { "unicode-1-1-utf-8", UTF8, NULL, 0, NULL },
    { "us-ascii", LATIN, NULL, 20127, NULL },
    { "ascii", LATIN, NULL, 0, NULL },
    { "ansi-x3.4-1968", LATIN, NULL, 0, NULL },
    { "iso-8859-1", LATIN, NULL, 28591, NULL },
    { "iso8859-1", LATIN, NULL, 0, NULL },
    { "latin1", LATIN, NULL, 0, NULL },
    { "windows-1252", LATIN, NULL, 1252, NULL },
    { "cp1252", LATIN, NULL, 0, NULL },
    { "utf-16le", UTF16LE, NULL, 1200, NULL },
    { "utf-16be", UTF16BE, NULL, 1201, NULL },
    { "utf-16", UTF16, NULL, 0, NULL },
    { "unicode", UTF16, NULL, 0, NULL },
    { "windows-1250", ICONV, "CP1250", 1250, NULL },
    { "windows-1251", ICONV, "CP1251", 1251, NULL },
    { "windows-1253", ICONV, "CP1253", 1253, NULL },
    { "windows-1254", ICONV, "CP1254", 1254, NULL },
    { "windows-1255", ICONV, "CP1255", 1255, NULL },
    { "windows-1256", ICONV, "CP1256", 1256, NULL },
    { "windows-1257", ICONV, "CP1257", 1257, NULL },
    { "windows-1258", ICONV, "CP1258", 1258, NULL },
    { "windows-874", ICONV, "CP874", 874, NULL },
    { "tis-620", ICONV, "TIS-620", 0, NULL },
    { "cp1250", ICONV, "CP1250", 0, NULL },
    { "cp1251", ICONV, "CP1251", 0, NULL },
    { "iso-8859-2", ICONV, "ISO-8859-2", 28592, NULL },
    { "iso-8859-3", ICONV, "ISO-8859-3", 28593, NULL },
    { "iso-8859-4", ICONV, "ISO-8859-4", 28594, NULL },
    { "iso-8859-5", ICONV, "ISO-8859-5", 28595, NULL },
    { "iso-8859-6", ICONV, "ISO-8859-6", 28596, NULL },
    { "iso-8859-7", ICONV, "ISO-8859-7", 28597, NULL },
    { "iso-8859-8", ICONV, "ISO-8859-8", 28598, NULL },
    { "iso-8859-8-i", ICONV, "ISO-8859-8", 0, NULL },
    { "iso-8859-9", ICONV, "CP1254", 28599, NULL },
    { "iso-8859-10", ICONV, "ISO-8859-10", 0, NULL },
    { "iso-8859-11", ICONV, "CP874", 0, NULL },
    { "iso-8859-13", ICONV, "ISO-8859-13", 28603, NULL },
    { "iso-8859-14", ICONV, "ISO-8859-14", 0, NULL },
    { "iso-8859-15", ICONV, "ISO-8859-15", 28605, NULL },
    { "iso-8859-16", ICONV, "ISO-8859-16", 0, NULL },
    { "koi8-r", ICONV, "KOI8-R", 20866, NULL },
    { "koi8-u", ICONV, "KOI8-U", 21866, NULL },
    { "ibm437", ICONV, "CP437", 437, NULL },
    { "cp437", ICONV, "CP437", 0, NULL },
    { "ibm850", ICONV, "CP850", 850, NULL },
    { "cp850", ICONV, "CP850", 0, NULL },
    { "ibm852", ICONV, "CP852", 852, NULL },
    { "ibm866", ICONV, "CP866", 866, NULL },
    { "cp866", ICONV, "CP866", 0, NULL },
    { "macintosh", ICONV, "MACINTOSH", 10000, NULL },
    { "x-mac-roman", ICONV, "MACINTOSH", 0, NULL },
    { "x-mac-cyrillic", ICONV, "MAC-CYRILLIC", 10007, NULL },
    { "shift-jis", ICONV, "CP932", 932, NULL },
    { "sjis", ICONV, "CP932", 0, NULL },
    { "windows-31j", ICONV, "CP932", 0, NULL },
    { "cp932", ICONV, "CP932", 0, NULL },
    { "euc-jp", ICONV, "EUC-JP", 20932, NULL },
    { "iso-2022-jp", ICONV, "ISO-2022-JP", 50220, NULL },
    { "gb2312", ICONV, "GB18030", 936, NULL },
    { "gbk", ICONV, "GB18030", 0, NULL },
    { "gb18030", ICONV, "GB18030", 54936, NULL },
    { "cp936", ICONV, "GB18030", 0, NULL },
    { "big5", ICONV, "BIG5-HKSCS", 950, NULL },
    { "big5-hkscs", ICONV, "BIG5-HKSCS", 0, NULL },
    { "cp950", ICONV, "BIG5-HKSCS", 0, NULL },
    { "euc-kr", ICONV, "UHC", 949, NULL },
    { "ks-c-5601-1987", ICONV, "UHC", 0, NULL },
    { "cp949", ICONV, "UHC", 0, NULL },
    { "iso-2022-kr", ICONV, "ISO-2022-KR", 50225, NULL },
    { "johab", ICONV, "JOHAB", 1361, NULL },
};

/* What windows-1252 has between 0x80 and 0x9f. */
static const uint16_t latin_high[32] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

static struct charset *find(struct rf_str name)
{
    char lower[MAX_NAME];

    name = rf_str_trim(name);
    if (name.n == 0 || name.n >= sizeof lower)
        return NULL;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        lower[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
        if (rf_str_is((struct rf_str){ lower, name.n }, charsets[i].name))
            return &charsets[i];
    return NULL;
}

static struct charset *find_page(int page)
{
    for (size_t i = 0; page && i < sizeof charsets / sizeof *charsets; i++)
        if (charsets[i].page == page)
            return &charsets[i];
    return NULL;
}

bool rf_charset_known(struct rf_str charset)
{
    return find(charset) != NULL;
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

/* Convert until the input ends; a byte that fits nowhere becomes U+FFFD. */
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

static iconv_t opened(struct charset *set)
{
    if (!set->open)
        set->open = iconv_open("UTF-8", set->iconv);
    return set->open;
}

/* ASCII is itself in all that iconv does here, but for the sets that switch by escape sequences. */
static bool plain(const struct charset *set, struct rf_str bytes)
{
    if (set && (set->kind == UTF16LE || set->kind == UTF16BE || set->kind == UTF16))
        return false;
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

static struct rf_str convert(struct rf_arena *a, struct charset *set, struct rf_str bytes)
{
    if (plain(set, bytes))
        return bytes;
    if (!set)
        return guess(a, bytes);
    switch (set->kind) {
    case UTF8:
        return mend(a, without_mark(bytes));
    case LATIN: /* so much mail claims this and is UTF-8 */
        return guess(a, bytes);
    case UTF16LE:
    case UTF16BE:
        return from_utf16(a, bytes, set->kind);
    case UTF16:
        return from_marked_utf16(a, bytes);
    case ICONV:
        break;
    }
    iconv_t with = opened(set);
    return with == (iconv_t)-1 ? guess(a, bytes) : from_iconv(a, with, bytes);
}

struct rf_str rf_charset_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes)
{
    return convert(a, find(charset), bytes);
}

struct rf_str rf_codepage_utf8(struct rf_arena *a, int page, struct rf_str bytes)
{
    if (page == 1252)
        return plain(NULL, bytes) ? bytes : from_latin(a, bytes);
    return convert(a, find_page(page), bytes);
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
