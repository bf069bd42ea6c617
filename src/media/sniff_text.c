/* Text: UTF-8 without control characters in its first 64 KiB, and what its own words say it is:
 * JSON, HTML, XML, SVG. Everything else is plain; CSV and Markdown cannot be told from bytes.
 *
 * It refuses other encodings, since a wire carries UTF-8 and nothing else. */
#include "media/sniff.h"

#include "base/utf8.h"
#include "media/xml.h"

#include <string.h>

#define MAX_TEXT ((uint64_t)64 * 1024)

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* No control characters but tab, line feed, form feed and carriage return. */
static bool is_text_byte(uint8_t c)
{
    return (c >= 0x20 && c != 0x7f) || is_blank(c);
}

/* Whole characters at the front of the window, all of them text; `got` when that is everything. */
static size_t text_length(const uint8_t *p, size_t got)
{
    size_t i = 0;

    while (i < got && is_text_byte(p[i])) {
        size_t n = rf_utf8_char(p + i, got - i);
        if (n == 0)
            break;
        i += n;
    }
    return i;
}

static bool is_text(struct rf_look *k)
{
    uint64_t at = 0, end = k->size < MAX_TEXT ? k->size : MAX_TEXT;
    bool more = end < k->size;
    size_t got;

    while (at < end) {
        size_t want = end - at < RF_LOOK_WINDOW ? (size_t)(end - at) : RF_LOOK_WINDOW;
        const uint8_t *p = rf_look_some(k, at, want, &got);
        size_t n = p ? text_length(p, got) : 0;
        if (n < got && !rf_utf8_partial(p + n, got - n))
            return false;
        if (n < got && at + got == end)
            return more;
        if (n == 0)
            return false;
        at += n;
    }
    return end > 0;
}

enum want {
    WANT_VALUE,
    WANT_VALUE_OR_END,
    WANT_KEY,
    WANT_KEY_OR_END,
    WANT_COLON,
    WANT_COMMA_OR_END,
    WANT_NOTHING,
};

#define MAX_DEPTH 64

struct json {
    const uint8_t *p;
    size_t n, at;
    enum want want;
    unsigned depth;
    uint64_t objects; /* a bit for each open level: set in an object, clear in an array */
};

static bool in_object(const struct json *j)
{
    return j->depth > 0 && (j->objects >> (j->depth - 1) & 1);
}

static void value_ends(struct json *j)
{
    j->want = j->depth > 0 ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static bool opens(struct json *j, uint8_t c)
{
    uint64_t bit;

    if (j->depth == MAX_DEPTH)
        return false;
    bit = (uint64_t)1 << j->depth++;
    j->objects = c == '{' ? j->objects | bit : j->objects & ~bit;
    j->want = c == '{' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
    return true;
}

static bool closes(struct json *j, uint8_t c)
{
    if (j->depth == 0 || in_object(j) != (c == '}'))
        return false;
    j->at++;
    j->depth--;
    value_ends(j);
    return true;
}

/* Moves past a string; one that the window cuts off ends with it. */
static bool skip_string(struct json *j)
{
    for (; j->at < j->n; j->at++) {
        if (j->p[j->at] == '\\')
            j->at++;
        else if (j->p[j->at] == '"') {
            j->at++;
            return true;
        } else if (j->p[j->at] < 0x20) {
            return false;
        }
    }
    return true;
}

static bool skip_word(struct json *j, const char *word)
{
    size_t n = strlen(word), left = j->n - j->at;

    if (memcmp(j->p + j->at, word, left < n ? left : n) != 0)
        return false;
    j->at += left < n ? left : n;
    return true;
}

static bool skip_number(struct json *j)
{
    size_t from = j->at;

    while (j->at < j->n && memchr("+-.0123456789eE", j->p[j->at], 15))
        j->at++;
    return j->at > from && j->p[from] != '+' && j->p[from] != '.' && j->p[from] != 'e' &&
           j->p[from] != 'E';
}

static bool scalar(struct json *j)
{
    uint8_t c = j->p[j->at];
    bool good;

    if (c == '"') {
        j->at++;
        good = skip_string(j);
    } else if (c == 't' || c == 'f' || c == 'n') {
        good = skip_word(j, c == 't' ? "true" : c == 'f' ? "false" : "null");
    } else {
        good = skip_number(j);
    }
    value_ends(j);
    return good;
}

static bool value(struct json *j)
{
    uint8_t c = j->p[j->at];

    if (c != '{' && c != '[')
        return scalar(j);
    j->at++;
    return opens(j, c);
}

static bool key(struct json *j)
{
    if (j->p[j->at++] != '"')
        return false;
    j->want = WANT_COLON;
    return skip_string(j);
}

/* One token; false when JSON cannot go on like this. */
static bool step(struct json *j)
{
    uint8_t c = j->p[j->at];
    bool end = c == '}' || c == ']';

    switch (j->want) {
    case WANT_VALUE_OR_END:
        return end ? closes(j, c) : value(j);
    case WANT_VALUE:
        return value(j);
    case WANT_KEY_OR_END:
        return end ? closes(j, c) : key(j);
    case WANT_KEY:
        return key(j);
    case WANT_COLON:
        j->at++;
        j->want = WANT_VALUE;
        return c == ':';
    case WANT_COMMA_OR_END:
        if (end)
            return closes(j, c);
        j->at++;
        j->want = in_object(j) ? WANT_KEY : WANT_VALUE;
        return c == ',';
    case WANT_NOTHING:
        return false;
    }
    return false;
}

/* Does the head read as an object or an array? All of a short text must; prose in brackets, INI
 * files and one JSON document after another do not. */
static bool is_json(struct rf_look *k, uint64_t from)
{
    size_t got;
    const uint8_t *p = rf_look_some(k, from, RF_LOOK_WINDOW, &got);
    struct json j = { .p = p, .n = got };
    bool whole = from + got == k->size;

    if (!p || (p[0] != '{' && p[0] != '['))
        return false;
    while (j.at < j.n) {
        if (memchr(" \t\r\n", j.p[j.at], 4))
            j.at++;
        else if (j.depth == MAX_DEPTH)
            return true;
        else if (!step(&j))
            return false;
    }
    return !whole || j.want == WANT_NOTHING;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Is the last character that is not a space the end of a tag? */
static bool ends_in_tag(struct rf_look *k)
{
    size_t n = k->size < RF_LOOK_WINDOW ? (size_t)k->size : RF_LOOK_WINDOW;
    const uint8_t *p = rf_look(k, k->size - n, n);

    while (p && n > 0 && is_blank(p[n - 1]))
        n--;
    return p && n > 0 && p[n - 1] == '>';
}

/* Markup without a declaration is HTML when it starts with one of the elements that HTML starts
 * with in the wild, and XML when it also ends like markup. */
static enum rf_format_id by_markup(struct rf_look *k)
{
    static const char *const html[] = { "html", "head",  "body",   "title",  "script", "style",
                                        "meta", "link",  "div",    "p",      "h1",     "h2",
                                        "span", "table", "a",      "b",      "br",     "ul",
                                        "form", "font",  "center", "iframe", "img",    NULL };
    struct rf_xml_root root;

    if (!rf_xml_root(k, &root))
        return RF_FORMAT_NONE;
    if (strcmp(root.name, "svg") == 0)
        return RF_FORMAT_SVG;
    if (strcmp(root.doctype, "html") == 0 || strcmp(root.name, "html") == 0)
        return RF_FORMAT_HTML;
    if (root.declared || root.doctype[0])
        return RF_FORMAT_XML;
    if (is_one_of(root.name, html))
        return RF_FORMAT_HTML;
    return ends_in_tag(k) ? RF_FORMAT_XML : RF_FORMAT_NONE;
}

enum rf_format_id rf_sniff_text(struct rf_look *k)
{
    uint64_t at = RF_SEES(k, 0, "\xef\xbb\xbf") ? 3 : 0;
    enum rf_format_id id;

    if (!is_text(k))
        return RF_FORMAT_NONE;
    while (at < MAX_TEXT && is_blank(rf_look_byte(k, at)))
        at++;
    if (is_json(k, at))
        return RF_FORMAT_JSON;
    id = by_markup(k);
    return id ? id : RF_FORMAT_TEXT;
}
