/* PDF: the version in its first line, and whether it is encrypted.
 *
 * A PDF is read from its end: "startxref" gives the offset of the last cross-reference table,
 * after which "trailer" and a dictionary stand, or of a stream, which starts with that dictionary.
 * A file that is encrypted says so there, under /Encrypt. Where the offset is wrong, which happens,
 * the last trailer in the file's last 64 KiB will do.
 *
 * Nothing is decompressed or repaired, and what cannot be found is taken for not encrypted. */
#include "media/probe.h"
#include "media/sniff.h"

#define MAX_FRONT 1024
#define MAX_TAIL ((uint64_t)64 * 1024)
#define MAX_DICTIONARY ((uint64_t)64 * 1024)
#define MAX_SECTIONS 4096
#define MAX_SPACE 1024
#define ENTRY 20 /* bytes of one line of a table */

struct scan {
    struct rf_look *k;
    uint64_t at, end;
};

static int peek(const struct scan *s)
{
    return s->at < s->end ? rf_look_byte(s->k, s->at) : -1;
}

static bool is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0;
}

static void skip_space(struct scan *s)
{
    for (int i = 0; i < MAX_SPACE && is_space(peek(s)); i++)
        s->at++;
}

static bool take_number(struct scan *s, uint64_t *out)
{
    uint64_t v = 0, from;

    skip_space(s);
    for (from = s->at; rf_is_digit(peek(s)) && v < (uint64_t)1 << 48; s->at++)
        v = v * 10 + (uint64_t)(peek(s) - '0');
    *out = v;
    return s->at > from;
}

static void skip_string(struct scan *s)
{
    int depth = 0, c;

    for (; (c = peek(s)) >= 0; s->at++) {
        if (c == '\\')
            s->at++;
        else if (c == '(')
            depth++;
        else if (c == ')' && --depth == 0)
            break;
    }
}

static bool ends_name(int c)
{
    return c < 0 || is_space(c) || c == '/' || c == '<' || c == '>' || c == '[' || c == '(';
}

/* Stands the key /Encrypt here, with a value that is not null? */
static bool is_encrypt(struct scan s)
{
    if (!RF_SEES(s.k, s.at, "/Encrypt") || !ends_name(rf_look_byte(s.k, s.at + 8)))
        return false;
    s.at += 8;
    skip_space(&s);
    return !RF_SEES(s.k, s.at, "null");
}

/* Has the dictionary that starts at `at` a key /Encrypt? */
static bool says_encrypted(struct rf_look *k, uint64_t at)
{
    struct scan s = { k, at, at + MAX_DICTIONARY };
    int depth = 0, c;

    skip_space(&s);
    if (!RF_SEES(k, s.at, "<<"))
        return false;
    do {
        bool opens = RF_SEES(k, s.at, "<<"), closes = RF_SEES(k, s.at, ">>");
        c = peek(&s);
        if (c == '(')
            skip_string(&s);
        else if (c == '/' && depth == 1 && is_encrypt(s))
            return true;
        depth += opens - closes;
        s.at += opens || closes ? 2 : 1;
    } while (c >= 0 && depth > 0);
    return false;
}

/* Over the sections of a table to its trailer: "FIRST COUNT", then COUNT lines. */
static bool table_says_encrypted(struct rf_look *k, uint64_t at)
{
    struct scan s = { k, at + 4, k->size };
    uint64_t first, count;

    for (int i = 0; i < MAX_SECTIONS && take_number(&s, &first) && take_number(&s, &count); i++) {
        skip_space(&s);
        s.at += count * ENTRY;
    }
    if (!rf_look_find(k, s.at, s.at + MAX_FRONT, "trailer", &at))
        return false;
    return says_encrypted(k, at + 7);
}

/* At the offset of a table, or of "N N obj" and the dictionary of a stream. */
static bool section_says_encrypted(struct rf_look *k, uint64_t at)
{
    struct scan s = { k, at, k->size };
    uint64_t number;

    skip_space(&s);
    if (RF_SEES(k, s.at, "xref"))
        return table_says_encrypted(k, s.at);
    if (!take_number(&s, &number) || !take_number(&s, &number))
        return false;
    skip_space(&s);
    return RF_SEES(k, s.at, "obj") && says_encrypted(k, s.at + 3);
}

static bool is_encrypted(struct rf_look *k, uint64_t header)
{
    uint64_t tail = k->size > MAX_TAIL ? k->size - MAX_TAIL : 0, at, offset;
    struct scan s = { k, 0, k->size };

    if (rf_look_find_last(k, tail, k->size, "trailer", &at) && says_encrypted(k, at + 7))
        return true;
    if (!rf_look_find_last(k, tail, k->size, "startxref", &at))
        return false;
    s.at = at + 9;
    if (!take_number(&s, &offset))
        return false;
    return section_says_encrypted(k, offset) ||
           (header > 0 && section_says_encrypted(k, offset + header));
}

enum rf_code rf_probe_pdf(struct rf_look *k, struct rf_facts *facts, struct rf_err *err)
{
    uint64_t at;
    const uint8_t *p;

    if (!rf_look_find(k, 0, MAX_FRONT, "%PDF-", &at))
        return rf_fail(err, RF_EFORMAT, "the PDF has no header");
    p = rf_look(k, at + 5, 3);
    if (p && rf_is_digit(p[0]) && p[1] == '.' && rf_is_digit(p[2])) {
        facts->pdf_major = (uint8_t)(p[0] - '0');
        facts->pdf_minor = (uint8_t)(p[2] - '0');
    }
    facts->encrypted = is_encrypted(k, at);
    return RF_OK;
}

/* With something before its header. Text that only talks about PDF has no end like one. */
bool rf_fits_pdf(struct rf_look *k)
{
    uint64_t at, tail = k->size > MAX_FRONT ? k->size - MAX_FRONT : 0;

    return rf_look_find(k, 0, MAX_FRONT, "%PDF-", &at) &&
           (rf_look_find_last(k, tail, k->size, "startxref", &at) ||
            rf_look_find_last(k, tail, k->size, "%%EOF", &at));
}
