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
#include "media/text_kind.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>

#define MAX_NAME 24
#define REPLACEMENT 0xfffdu
#define REPLACEMENT_UTF8 "\xef\xbf\xbd"

enum kind { UTF8, LATIN, UTF16LE, UTF16BE, UTF16, ICONV, NONE };

/* What people call each set, and its names in lower case, '_' as '-'; "cp" is before the numbers of
 * Windows code pages. Those from ICONV on are iconv's, which knows each by its first name. */
static const struct charset {
    const char *shown, *names;
} charsets[] = {
    [UTF8] = { "UTF-8", "utf-8 utf8 unicode-1-1-utf-8 cp65001" },
    [LATIN] = { "windows-1252", "windows-1252 cp1252 us-ascii ascii ansi-x3.4-1968 "
                                "iso-8859-1 iso8859-1 latin1 cp20127 cp28591" },
    [UTF16LE] = { "UTF-16", "utf-16le cp1200" },
    [UTF16BE] = { "UTF-16", "utf-16be cp1201" },
    [UTF16] = { "UTF-16", "utf-16 unicode" },
    [ICONV] = { "windows-1250", "cp1250 windows-1250" },
    { "windows-1251", "cp1251 windows-1251" },
    { "windows-1253", "cp1253 windows-1253" },
    { "windows-1254", "cp1254 windows-1254 iso-8859-9 cp28599" },
    { "windows-1255", "cp1255 windows-1255" },
    { "windows-1256", "cp1256 windows-1256" },
    { "windows-1257", "cp1257 windows-1257" },
    { "windows-1258", "cp1258 windows-1258" },
    { "windows-874", "cp874 windows-874 iso-8859-11" },
    { "TIS-620", "tis-620" },
    { "ISO-8859-2", "iso-8859-2 latin2 cp28592" },
    { "ISO-8859-3", "iso-8859-3 cp28593" },
    { "ISO-8859-4", "iso-8859-4 cp28594" },
    { "ISO-8859-5", "iso-8859-5 cp28595" },
    { "ISO-8859-6", "iso-8859-6 cp28596" },
    { "ISO-8859-7", "iso-8859-7 cp28597" },
    { "ISO-8859-8", "iso-8859-8 iso-8859-8-i cp28598" },
    { "ISO-8859-10", "iso-8859-10" },
    { "ISO-8859-13", "iso-8859-13 cp28603" },
    { "ISO-8859-14", "iso-8859-14" },
    { "ISO-8859-15", "iso-8859-15 latin9 cp28605" },
    { "ISO-8859-16", "iso-8859-16" },
    { "KOI8-R", "koi8-r cskoi8r koi8 cp20866" },
    { "KOI8-U", "koi8-u cp21866" },
    { "IBM437", "cp437 ibm437" },
    { "IBM850", "cp850 ibm850" },
    { "IBM852", "cp852 ibm852" },
    { "IBM855", "cp855 ibm855" },
    { "IBM866", "cp866 ibm866" },
    { "macintosh", "macintosh x-mac-roman cp10000" },
    { "x-mac-cyrillic", "mac-cyrillic x-mac-cyrillic cp10007" },
    { "x-mac-ce", "mac-centraleurope x-mac-ce cp10029" },
    { "VISCII", "viscii" },
    { "Shift_JIS", "cp932 shift-jis sjis x-sjis ms-kanji windows-31j" },
    { "EUC-JP", "euc-jp-ms euc-jp x-euc-jp cp20932 cp51932" },
    { "ISO-2022-JP", "iso-2022-jp csiso2022jp cp50220" },
    { "GB18030", "gb18030 gbk gb2312 x-gbk gb-2312-80 cp936 cp54936" },
    { "Big5", "big5-hkscs big5 x-x-big5 cp950" },
    { "EUC-TW", "euc-tw" },
    { "EUC-KR", "uhc euc-kr ks-c-5601-1987 ksc5601 cp949 windows-949" },
    { "ISO-2022-KR", "iso-2022-kr cp50225" },
    { "ISO-2022-CN", "iso-2022-cn" },
    { "Johab", "johab cp1361" },
    { "UTF-7", "utf-7 unicode-1-1-utf-7 cp65000" },
    { "UTF-32", "utf-32le cp12000" },
    { "UTF-32", "utf-32be cp12001" },
};
#define CHARSETS (sizeof charsets / sizeof *charsets)
#define UNKNOWN CHARSETS

static iconv_t converters[CHARSETS]; /* NULL: not yet opened */

/* In lower case, '_' as '-', in the spelling of the table. False where it is none. */
static bool normal(struct rf_str name, char out[MAX_NAME])
{
    static const char *const spellings[][2] = {
        { "iso8859-", "iso-8859-" }, { "latin-", "latin" }, { "x-cp", "cp" }, { "win-", "windows-" }
    };
    char lower[MAX_NAME];

    name = rf_str_trim(name);
    if (name.n == 0 || name.n >= sizeof lower)
        return false;
    for (size_t i = 0; i < name.n; i++)
        lower[i] = name.p[i] == '_' ? '-' : rf_lower(name.p[i]);
    lower[name.n] = '\0';
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        size_t n = strlen(spellings[i][0]);
        if (strncmp(lower, spellings[i][0], n) == 0)
            return (size_t)snprintf(out, MAX_NAME, "%s%s", spellings[i][1], lower + n) < MAX_NAME;
    }
    memcpy(out, lower, name.n + 1);
    return true;
}

static size_t find(struct rf_str name)
{
    char wanted[MAX_NAME];

    if (!normal(name, wanted))
        return UNKNOWN;
    for (size_t i = 0; i < CHARSETS; i++) {
        struct rf_str names = rf_str(charsets[i].names), one;
        while (rf_str_split(&names, ' ', &one))
            if (rf_str_is(one, wanted))
                return i;
    }
    return UNKNOWN;
}

static enum kind kind_of(size_t set)
{
    return set == UNKNOWN ? NONE : set < ICONV ? (enum kind)set : ICONV;
}

uint32_t rf_charset_latin(uint32_t byte)
{
    uint32_t c = byte >= 0x80 && byte < 0xa0 ? rf_windows_1252((unsigned char)byte) : 0;

    return c ? c : byte & 0xff;
}

static struct rf_str from_latin(struct rf_arena *a, struct rf_str bytes, uint64_t *bad)
{
    char *out = rf_arena_alloc(a, bytes.n * 3 + 1);
    size_t n = 0;

    for (size_t i = 0; i < bytes.n; i++) {
        uint32_t c = rf_charset_latin((unsigned char)bytes.p[i]);
        bool hole = c >= 0x80 && c < 0xa0;
        *bad += hole;
        n += rf_utf8_put(hole ? REPLACEMENT : c, out + n);
    }
    return (struct rf_str){ out, n };
}

/* Valid UTF-8, with U+FFFD for each byte that is not. */
static struct rf_str mend(struct rf_arena *a, struct rf_str bytes, uint64_t *bad)
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
        ++*bad;
        bytes = (struct rf_str){ bytes.p + good + 1, bytes.n - good - 1 };
        good = rf_utf8_valid(bytes);
    }
}

static uint32_t unit(const char *p, enum kind kind)
{
    unsigned char first = (unsigned char)p[0], second = (unsigned char)p[1];

    return kind == UTF16BE ? (uint32_t)first << 8 | second : (uint32_t)second << 8 | first;
}

static struct rf_str from_utf16(struct rf_arena *a, struct rf_str bytes, enum kind kind,
                                uint64_t *bad)
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
        bool lone = c >= 0xd800 && c < 0xe000;
        *bad += lone ? 2 : 0;
        n += rf_utf8_put(lone ? REPLACEMENT : c, out + n);
    }
    *bad += bytes.n % 2;
    return (struct rf_str){ out, n };
}

static struct rf_str without_mark(struct rf_str s)
{
    return rf_str_starts(s, "\xef\xbb\xbf") ? (struct rf_str){ s.p + 3, s.n - 3 } : s;
}

static struct rf_str from_marked_utf16(struct rf_arena *a, struct rf_str bytes, uint64_t *bad)
{
    if (rf_str_starts(bytes, "\xfe\xff"))
        return from_utf16(a, (struct rf_str){ bytes.p + 2, bytes.n - 2 }, UTF16BE, bad);
    if (rf_str_starts(bytes, "\xff\xfe"))
        return from_utf16(a, (struct rf_str){ bytes.p + 2, bytes.n - 2 }, UTF16LE, bad);
    return from_utf16(a, bytes, UTF16LE, bad);
}

/* Convert until the input ends; `width` bytes that cannot be converted become U+FFFD. */
static struct rf_str from_iconv(struct rf_arena *a, iconv_t with, size_t width, struct rf_str bytes,
                                uint64_t *bad)
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
        size_t skipped = in_left < width ? in_left : width;
        in += skipped;
        in_left -= skipped;
        *bad += skipped;
    }
    iconv(with, NULL, NULL, &to, &left);
    return (struct rf_str){ out, (size_t)(to - out) };
}

static iconv_t opened(size_t set)
{
    char name[MAX_NAME];

    if (!converters[set]) {
        const char *names = charsets[set].names;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        converters[set] = iconv_open("UTF-8", name);
    }
    return converters[set];
}

/* Sets in which characters of ASCII may stand for others. */
static bool switches(size_t set)
{
    static const char *const begin[] = { "ISO-2022", "UTF-7", "UTF-32" };

    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(charsets[set].shown, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

/* The least bytes that a character has. */
static size_t width_of(size_t set)
{
    return strcmp(charsets[set].shown, "UTF-32") == 0 ? 4 : 1;
}

/* ASCII is itself in all others. */
static bool is_plain(struct rf_str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        if ((unsigned char)bytes.p[i] >= 0x80)
            return false;
    return true;
}

static struct rf_str guess(struct rf_arena *a, struct rf_str bytes, uint64_t *bad)
{
    if (rf_str_starts(bytes, "\xfe\xff") || rf_str_starts(bytes, "\xff\xfe"))
        return from_marked_utf16(a, bytes, bad);
    return rf_utf8_valid(bytes) == bytes.n ? without_mark(bytes) : from_latin(a, bytes, bad);
}

static struct rf_str convert(struct rf_arena *a, size_t set, struct rf_str bytes, uint64_t *bad)
{
    enum kind kind = kind_of(set);
    iconv_t with;

    switch (kind) {
    case UTF16LE:
    case UTF16BE:
        return from_utf16(a, bytes, kind, bad);
    case UTF16:
        return from_marked_utf16(a, bytes, bad);
    case UTF8:
        return mend(a, without_mark(bytes), bad);
    case ICONV:
        with = is_plain(bytes) && !switches(set) ? (iconv_t)-1 : opened(set);
        return with == (iconv_t)-1 ? guess(a, bytes, bad)
                                   : from_iconv(a, with, width_of(set), bytes, bad);
    case LATIN: /* so much mail claims this and is UTF-8 */
    case NONE:
        break;
    }
    return guess(a, bytes, bad);
}

struct rf_str rf_charset_count(struct rf_arena *a, struct rf_str charset, struct rf_str bytes,
                               uint64_t *bad)
{
    *bad = 0;
    return convert(a, find(charset), bytes, bad);
}

struct rf_str rf_charset_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes)
{
    uint64_t bad;

    return rf_charset_count(a, charset, bytes, &bad);
}

struct rf_str rf_codepage_utf8(struct rf_arena *a, int page, struct rf_str bytes)
{
    char name[MAX_NAME];
    uint64_t bad = 0;

    if (page == 1252)
        return is_plain(bytes) ? bytes : from_latin(a, bytes, &bad);
    snprintf(name, sizeof name, "cp%d", page);
    return convert(a, find(rf_str(name)), bytes, &bad);
}

struct rf_str rf_utf16le_utf8(struct rf_arena *a, struct rf_str bytes)
{
    uint64_t bad = 0;

    return from_utf16(a, bytes, UTF16LE, &bad);
}

const char *rf_charset_shown(struct rf_str charset)
{
    size_t set = find(charset);

    return set == UNKNOWN ? NULL : charsets[set].shown;
}

bool rf_charset_can(struct rf_str charset)
{
    size_t set = find(charset);

    return set != UNKNOWN && (set < ICONV || opened(set) != (iconv_t)-1);
}

bool rf_charset_switches(struct rf_str charset)
{
    size_t set = find(charset);

    return set != UNKNOWN && switches(set);
}
