/* Measured on 401 files in 35 sets (the test data of the Python package chardet 5.2.0): uchardet
 * 0.0.7 names 383 of them right, ICU 72 262 (297 when it strips markup), and in half of the time;
 * all of what uchardet misses but four files is UTF-16 and UTF-32 without a mark, which are told by
 * rf_text_kind_of. On sentences of manual pages in 14 languages it needs three bytes of a Cyrillic
 * or Greek set, and ten of one with two bytes a character; but where a few accents stand in a
 * Western text it often names a set that hardly anybody uses, so those need more evidence. */
#include "worker/office/recode.h"

#include "base/utf8.h"
#include "media/declared.h"
#include "media/text_kind.h"
#include "worker/office/charset.h"

#include <strings.h>
#include <uchardet.h>

#define SAMPLE 131072    /* bytes that are given to the detector */
#define BEFORE 200       /* of those, so many may stand before the first that counts */
#define FEW 20           /* bytes above ASCII: with fewer, what is detected is a guess */
#define MANY 100         /* as many make a rare set credible */
#define BAD_IN 20        /* one bad byte in so many above ASCII: the set is another one */
#define UTF8_BY_CHANCE 3 /* characters of UTF-8 that another set may form */

static struct rf_str front(struct rf_str s, size_t most)
{
    return (struct rf_str){ s.p, s.n < most ? s.n : most };
}

static struct rf_str from(struct rf_str s, size_t n)
{
    return n < s.n ? (struct rf_str){ s.p + n, s.n - n } : RF_STR("");
}

struct tally {
    size_t high;     /* bytes above ASCII */
    size_t first;    /* the first that is not plain */
    bool c1;         /* some are letters in the sets of Windows only */
    char kinds[128]; /* each byte above ASCII that there is, once */
    size_t kind_count;
};

static struct tally count(struct rf_str s)
{
    struct tally t = { .first = s.n };
    bool seen[256] = { false };

    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        seen[c] = true;
        t.high += c >= 0x80;
        t.c1 = t.c1 || (c >= 0x80 && c < 0xa0);
        if (t.first == s.n && (c >= 0x80 || c == 0x1b))
            t.first = i;
    }
    for (unsigned c = 0x80; c < 0x100; c++)
        if (seen[c])
            t.kinds[t.kind_count++] = (char)c;
    return t;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcasecmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Sets of ISO have control characters where those of Windows have quotes and dashes. */
static const char *with_quotes(const char *name)
{
    static const char *const pairs[][2] = {
        { "ISO-8859-1", "windows-1252" }, { "ISO-8859-15", "windows-1252" },
        { "ISO-8859-2", "windows-1250" }, { "ISO-8859-16", "windows-1250" },
        { "ISO-8859-4", "windows-1257" }, { "ISO-8859-13", "windows-1257" },
        { "ISO-8859-6", "windows-1256" }, { "ISO-8859-7", "windows-1253" },
        { "ISO-8859-8", "windows-1255" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i][0]) == 0)
            return pairs[i][1];
    return name;
}

/* What the detector says becomes what is believed; `*by` says how much. */
static struct rf_str believed(const char *name, const struct tally *t, enum rf_recoding_by *by)
{
    static const char *const rare[] = { "ISO-8859-3",  "ISO-8859-4",  "ISO-8859-10",
                                        "ISO-8859-13", "ISO-8859-14", "ISO-8859-16",
                                        "IBM852",      "IBM865",      "MAC-CENTRALEUROPE",
                                        "VISCII",      NULL };
    struct rf_str set = rf_str(t->c1 ? with_quotes(name) : name);
    bool credible = rf_charset_can(set) && strcmp(name, "UTF-8") != 0 &&
                    !(is_one_of(set.p, rare) && t->high < MANY);

    *by = credible && (t->high >= FEW || rf_charset_switches(set)) ? RF_RECODED_AS_DETECTED
                                                                   : RF_RECODED_BY_GUESS;
    return credible ? set : RF_STR("windows-1252");
}

/* What a detector says of a sample, by its usual name where that says the same; it lives in `a`. */
static struct rf_str detect(struct rf_arena *a, struct rf_str sample, const struct tally *t,
                            enum rf_recoding_by *by)
{
    uchardet_t detector = uchardet_new();
    const char *name = "";

    if (detector && !uchardet_handle_data(detector, sample.p, sample.n)) {
        uchardet_data_end(detector);
        name = rf_cstr(a, rf_str(uchardet_get_charset(detector)));
    }
    uchardet_delete(detector);
    struct rf_str set = believed(name, t, by), usual = RF_STR("windows-1252");
    struct rf_str kinds = { t->kinds, t->kind_count };
    bool same =
        kinds.n && rf_str_eq(rf_charset_utf8(a, set, kinds), rf_charset_utf8(a, usual, kinds));
    return same ? usual : set;
}

/* No character is above U+10FFFF; what stands between words is not one in both orders. */
static bool is_big_utf32(struct rf_str s)
{
    size_t i = 0;

    while (i + 4 <= s.n && !s.p[i] && (unsigned char)s.p[i + 1] <= 0x10)
        i += 4;
    return i + 4 > s.n;
}

/* A mark tells the order alone. */
static struct rf_str wide(struct rf_str head, const struct rf_text_kind *kind)
{
    if (kind->encoding == RF_ENCODING_UTF16LE)
        return RF_STR("utf-16le");
    if (kind->encoding == RF_ENCODING_UTF16BE)
        return RF_STR("utf-16be");
    return is_big_utf32(kind->mark ? front(head, kind->mark) : head) ? RF_STR("utf-32be")
                                                                     : RF_STR("utf-32le");
}

static bool is_wide(struct rf_str bytes, const struct rf_text_kind *kind)
{
    bool zeros = bytes.n >= 4 && memchr(bytes.p, '\0', 4);

    return kind->encoding == RF_ENCODING_UTF16LE || kind->encoding == RF_ENCODING_UTF16BE ||
           (kind->encoding == RF_ENCODING_OTHER && zeros);
}

static bool is_utf8(struct rf_str bytes, struct rf_str said)
{
    const char *shown = rf_charset_shown(said);
    bool other = shown && strcmp(shown, "UTF-8") != 0 && strcmp(shown, "windows-1252") != 0;
    size_t characters = 0;

    if (rf_utf8_valid(bytes) != bytes.n)
        return false;
    for (size_t i = 0; other && i < bytes.n; i++)
        characters += (unsigned char)bytes.p[i] >= 0xc0;
    return !other || characters >= UTF8_BY_CHANCE;
}

static void tell(struct rf_arena *a, struct rf_recoding *told, struct rf_str set,
                 enum rf_recoding_by by, uint64_t bad)
{
    struct rf_str name = rf_str(rf_charset_shown(set));

    if (!told)
        return;
    told->bad += bad;
    if (rf_str_is(name, "UTF-8"))
        return;
    told->by = by > told->by ? by : told->by;
    if (!rf_str_contains(told->names, name))
        told->names =
            told->names.n ? rf_strf(a, "%.*s, %.*s", RF_FMT(told->names), RF_FMT(name)) : name;
}

/* Are too many bytes not characters of a set? */
static bool is_refuted(uint64_t bad, struct rf_str bytes, const struct tally *t)
{
    return bad * BAD_IN > (t->high ? t->high : bytes.n);
}

/* The set that was said, where it is known and most bytes are characters of it. What can be read as
 * ASCII is not UTF-16, and what is nearly UTF-8 not windows-1252, whatever it says. */
static bool as_said(struct rf_arena *a, struct rf_str said, struct rf_str bytes,
                    const struct tally *t, bool nearly_utf8, struct rf_recoding *told,
                    struct rf_str *out)
{
    struct rf_str shown = rf_str(rf_charset_shown(said));
    bool is_ascii = rf_str_ieq(said, RF_STR("us-ascii")) || rf_str_ieq(said, RF_STR("ascii"));
    uint64_t bad;

    if (!rf_charset_can(said) || (is_ascii && t->high) || rf_str_starts(shown, "UTF-16") ||
        rf_str_starts(shown, "UTF-32") || (nearly_utf8 && rf_str_is(shown, "windows-1252")))
        return false;
    *out = rf_charset_count(a, said, bytes, &bad);
    if (is_refuted(bad, bytes, t))
        return false;
    tell(a, told, said, RF_RECODED_AS_SAID, bad);
    return true;
}

/* Sets of one or two bytes a character, or of escape sequences. */
static struct rf_str from_bytes(struct rf_arena *a, struct rf_str said, struct rf_str bytes,
                                struct rf_recoding *told)
{
    const struct tally t = count(bytes);
    struct rf_str sample = from(bytes, t.first > BEFORE ? t.first - BEFORE : 0), out, set;
    struct rf_str head = front(sample, RF_TEXT_HEAD);
    bool nearly_utf8 = rf_text_kind_of(head, head.n < sample.n).encoding == RF_ENCODING_UTF8;
    enum rf_recoding_by by = RF_RECODED_AS_SAID;
    uint64_t bad;

    if ((t.first == bytes.n && !rf_charset_switches(said)) || (t.high && is_utf8(bytes, said)))
        return rf_charset_utf8(a, RF_STR("utf-8"), bytes);
    if (as_said(a, said, bytes, &t, nearly_utf8, told, &out))
        return out;
    set = nearly_utf8 ? RF_STR("utf-8") : detect(a, front(sample, SAMPLE), &t, &by);
    out = rf_charset_count(a, set, bytes, &bad);
    tell(a, told, set, is_refuted(bad, bytes, &t) ? RF_RECODED_BY_GUESS : by, bad);
    return out;
}

struct rf_str rf_recode(struct rf_arena *a, struct rf_str said, struct rf_str bytes,
                        struct rf_recoding *told)
{
    struct rf_str head = front(bytes, RF_TEXT_HEAD), set, out;
    struct rf_text_kind kind = rf_text_kind_of(head, head.n < bytes.n);
    uint64_t bad;

    if (!is_wide(bytes, &kind))
        return from_bytes(a, rf_str_trim(said), bytes, told);
    set = wide(head, &kind);
    out = rf_charset_count(a, set, from(bytes, kind.mark), &bad);
    tell(a, told, set, kind.mark ? RF_RECODED_AS_SAID : RF_RECODED_AS_DETECTED, bad);
    return out;
}

void rf_recoding_say(const struct rf_recoding *told, struct rf_answer *to)
{
    static const char *const by[] = { [RF_RECODED_AS_SAID] = "said",
                                      [RF_RECODED_AS_DETECTED] = "detected",
                                      [RF_RECODED_BY_GUESS] = "guess" };

    if (told->names.n) {
        rf_answer_fact(to, "charset", "%.*s", RF_FMT(told->names));
        rf_answer_fact(to, "charset_by", "%s", by[told->by]);
    }
    if (told->bad)
        rf_answer_fact(to, "charset_bad", "%llu", (unsigned long long)told->bad);
}

void rf_office_utf8(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to)
{
    struct rf_recoding told = { 0 };
    struct rf_str text = rf_recode(ask->arena, rf_declared(bytes), bytes, &told);

    rf_recoding_say(&told, to);
    rf_answer_part(to, "kind=text");
    rf_answer_bytes(to, text.p, text.n);
}
