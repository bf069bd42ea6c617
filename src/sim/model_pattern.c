/* A text that fits a pattern of a JSON Schema, which is a regular expression of ECMAScript.
 *
 * It is written while the pattern is read: of alternatives the first, of a class its first
 * character, of a repetition as few as it takes. Known are literals, `.`, classes and their usual
 * names, groups, alternatives, repetitions, escapes, and anchors at the ends. What looks around or
 * back (`(?=…)`, `\b`, `\1`), flags and properties other than letters and digits are not: then no
 * text is given. */
#include "base/arena.h"
#include "base/utf8.h"
#include "sim/mind.h"

#define MOST_TEXT 65536 /* bytes */
#define MOST_DEPTH 32   /* of groups */
#define MOST_RANGES 64  /* of a class */
#define MOST_TRIES 4    /* to reach a length */
#define LAST_CHARACTER 0x10FFFF

struct range {
    uint32_t first, last;
};

struct class
{
    struct range ranges[MOST_RANGES];
    size_t count;
    bool negated;
};

struct writing {
    struct rf_str pattern;
    size_t at, number, depth, muted; /* muted: it is read, and nothing is written */
    int64_t spare;                   /* characters that repetitions may have more than they need */
    bool ended;                      /* `$` was passed: nothing may follow */
    bool beyond;                     /* something is not known, or cannot be */
    struct rf_buf *out;
};

static bool more(const struct writing *w)
{
    return !w->beyond && w->at < w->pattern.n;
}

static bool take(struct writing *w, const char *words)
{
    size_t n = strlen(words);
    bool here = w->pattern.n - w->at >= n && memcmp(w->pattern.p + w->at, words, n) == 0;
    w->at += here ? n : 0;
    return here;
}

static uint32_t next_character(struct writing *w)
{
    const unsigned char *p = (const unsigned char *)w->pattern.p + w->at;
    unsigned n = rf_utf8_char(p, w->pattern.n - w->at);
    uint32_t c = n > 0 ? n == 1 ? p[0] : p[0] & (0xFFu >> (n + 1)) : 0;
    for (unsigned i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3F);
    w->beyond |= n == 0;
    w->at += n;
    return c;
}

static void put(struct writing *w, uint32_t c)
{
    char bytes[4];
    if (w->muted || w->beyond)
        return;
    rf_buf_add(w->out, (struct rf_str){ bytes, rf_utf8_put(c, bytes) });
    w->beyond = w->ended || w->out->full;
}

/* Classes */

static const struct named {
    const char *name;
    struct range ranges[5]; /* one that ends with 0 ends them */
} named[] = {
    { "d", { { '0', '9' } } },
    { "w", { { 'a', 'z' }, { 'A', 'Z' }, { '0', '9' }, { '_', '_' } } },
    { "s", { { ' ', ' ' }, { '\t', '\r' }, { 0xA0, 0xA0 }, { 0x2028, 0x2029 } } },
    { "D", { { 'a', LAST_CHARACTER }, { 0, '/' }, { ':', '`' } } },
    { "S", { { 'a', 0x9F }, { '!', '`' }, { 0xA1, 0x167F }, { 0x2030, 0x205E } } },
    { "W", { { '-', '/' }, { ' ', ',' }, { ':', '@' }, { '[', '^' }, { '{', LAST_CHARACTER } } },
    { "p{L}", { { 'a', 'z' }, { 'A', 'Z' }, { 0xC0, 0xD6 }, { 0x3B1, 0x3C9 } } },
    { "p{Ll}", { { 'a', 'z' } } },
    { "p{Lu}", { { 'A', 'Z' } } },
    { "p{N}", { { '0', '9' } } },
    { "p{Nd}", { { '0', '9' } } },
};

static void add_range(struct writing *w, struct class *c, uint32_t first, uint32_t last)
{
    w->beyond |= c->count == MOST_RANGES || last < first;
    if (!w->beyond)
        c->ranges[c->count++] = (struct range){ first, last };
}

/* After a backslash. */
static bool take_named(struct writing *w, struct class *c)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (!take(w, named[i].name))
            continue;
        for (size_t k = 0; k < 5 && named[i].ranges[k].last; k++)
            add_range(w, c, named[i].ranges[k].first, named[i].ranges[k].last);
        return true;
    }
    return false;
}

static bool contains(const struct class *c, uint32_t character)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->ranges[i].first <= character && character <= c->ranges[i].last)
            return true;
    return false;
}

/* The first of a range that can be seen; elements of a list have different ones. */
static uint32_t one_of(const struct writing *w, struct range r)
{
    if (r.first <= ' ' && r.last >= 'z')
        r = (struct range){ 'a', 'z' };
    if (r.first < ' ' && r.last > ' ')
        r.first = '!';
    return r.first + (uint32_t)(w->number % (r.last - r.first + 1));
}

static void put_class(struct writing *w, const struct class *c)
{
    static const struct range tried[] = { { 'a', 'z' }, { '0', '9' }, { ' ', '~' }, { 0xA1, 999 } };
    if (!c->negated && c->count > 0) {
        put(w, one_of(w, c->ranges[0]));
        return;
    }
    for (size_t i = 0; c->negated && i < sizeof tried / sizeof *tried; i++)
        for (uint32_t x = tried[i].first; x <= tried[i].last; x++)
            if (!contains(c, x)) {
                put(w, x);
                return;
            }
    w->beyond = true; /* `[]` */
}

/* Escapes */

static uint32_t hex(struct writing *w, size_t digits)
{
    uint32_t c = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = more(w) ? rf_hex_digit(w->pattern.p[w->at++]) : -1;
        w->beyond |= digit < 0;
        c = c << 4 | (uint32_t)(digit & 0xF);
    }
    w->beyond |= c >= 0xD800 && c <= 0xDFFF;
    return c;
}

/* A character after a backslash that stands for one. */
static uint32_t escaped(struct writing *w)
{
    static const char letters[] = "tnrfv0", meant[] = "\t\n\r\f\v";
    uint32_t c = next_character(w);
    const char *found = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
    if (found)
        return (unsigned char)meant[found - letters];
    if (c == 'x' || c == 'u')
        return hex(w, c == 'x' ? 2 : 4);
    bool plain = c >= 0x80 || !rf_is_alnum((int)c);
    w->beyond |= !plain; /* \b, \B, \k, \1 */
    return c;
}

static uint32_t class_character(struct writing *w)
{
    return take(w, "\\b") ? '\b' : take(w, "\\") ? escaped(w) : next_character(w);
}

static void read_range(struct writing *w, struct class *c)
{
    size_t start = w->at;
    if (take(w, "\\") && take_named(w, c))
        return;
    w->at = start;
    uint32_t first = class_character(w), last = first;
    if (w->pattern.n - w->at >= 2 && w->pattern.p[w->at] == '-' && w->pattern.p[w->at + 1] != ']') {
        w->at++;
        last = class_character(w);
    }
    add_range(w, c, first, last);
}

static void read_class(struct writing *w)
{
    struct class c = { .negated = take(w, "^") };
    bool closed = false;
    while (more(w) && !(closed = take(w, "]")))
        read_range(w, &c);
    w->beyond |= !closed;
    put_class(w, &c);
}

/* Atoms and what repeats them */

static void read_alternatives(struct writing *w);

static void read_group(struct writing *w)
{
    if (!take(w, "?:") && take(w, "?")) {
        take(w, "P"); /* as Python spells it */
        w->beyond |= !take(w, "<") || !more(w) || !rf_is_letter(w->pattern.p[w->at]);
        while (more(w) && !take(w, ">"))
            w->at++;
    }
    w->beyond |= ++w->depth > MOST_DEPTH;
    read_alternatives(w);
    w->depth--;
    w->beyond |= !take(w, ")");
}

static void read_escape(struct writing *w)
{
    struct class c = { 0 };
    if (take(w, "A")) /* of Python and PCRE, as \Z is */
        w->beyond |= !w->muted && w->out->n > 0;
    else if (take(w, "Z") || take(w, "z"))
        w->ended |= !w->muted;
    else if (take_named(w, &c))
        put_class(w, &c);
    else
        put(w, escaped(w));
}

static void read_atom(struct writing *w)
{
    if (take(w, "("))
        read_group(w);
    else if (take(w, "["))
        read_class(w);
    else if (take(w, "\\"))
        read_escape(w);
    else if (take(w, "."))
        put(w, one_of(w, (struct range){ 'a', 'z' }));
    else if (take(w, "^"))
        w->beyond |= !w->muted && w->out->n > 0;
    else if (take(w, "$"))
        w->ended |= !w->muted;
    else if (take(w, "*") || take(w, "+") || take(w, "?"))
        w->beyond = true; /* of nothing */
    else
        put(w, next_character(w));
}

static bool read_number(struct writing *w, int64_t *out)
{
    size_t start = w->at;
    for (*out = 0; more(w) && rf_is_digit(w->pattern.p[w->at]) && *out < MOST_TEXT; w->at++)
        *out = *out * 10 + (w->pattern.p[w->at] - '0');
    return w->at > start;
}

/* "{2}", "{2,}", "{2,5}"; anything else in braces is text. */
static bool take_counts(struct writing *w, int64_t *least, int64_t *most)
{
    size_t start = w->at;
    if (take(w, "{") && read_number(w, least)) {
        *most = *least;
        if (take(w, ",") && !read_number(w, most))
            *most = INT64_MAX;
        if (take(w, "}"))
            return true;
    }
    w->at = start;
    return false;
}

static void read_repetition(struct writing *w, int64_t *least, int64_t *most)
{
    *least = *most = 1;
    if (take(w, "*") || take(w, "+") || take(w, "?")) {
        char sign = w->pattern.p[w->at - 1];
        *least = sign == '+';
        *most = sign == '?' ? 1 : INT64_MAX;
    } else if (!take_counts(w, least, most)) {
        *least = *most = 1;
        return;
    }
    take(w, "?"); /* few of them: what is written anyway */
}

static int64_t written(const struct writing *w)
{
    return rf_utf8_count((struct rf_str){ w->out->p, w->out->n });
}

/* Once more, and how many characters that gave. */
static int64_t repeat(struct writing *w, size_t start)
{
    int64_t before = written(w);
    w->at = start;
    read_atom(w);
    return written(w) - before;
}

static void read_piece(struct writing *w)
{
    size_t start = w->at;
    int64_t least, most, n = 0;
    w->muted++;
    read_atom(w);
    read_repetition(w, &least, &most);
    w->muted--;
    size_t after = w->at;
    bool gives = !w->muted;
    for (; gives && !w->beyond && n < least; n++)
        gives = repeat(w, start) > 0;
    for (; gives && !w->beyond && n < most && w->spare > 0; n++) {
        int64_t spare = w->spare;
        w->spare = 0;
        int64_t gave = repeat(w, start);
        w->spare = spare - gave;
        gives = gave > 0;
    }
    w->at = after;
}

static void read_pieces(struct writing *w)
{
    while (more(w) && w->pattern.p[w->at] != '|' && w->pattern.p[w->at] != ')')
        read_piece(w);
}

static void read_alternatives(struct writing *w)
{
    read_pieces(w);
    for (w->muted++; take(w, "|");)
        read_pieces(w);
    w->muted--;
}

static bool write_once(const struct rf_sim_lengths *length, struct writing *w)
{
    read_alternatives(w);
    w->beyond |= w->at < w->pattern.n; /* a parenthesis too many */
    while (!w->beyond && !w->ended && written(w) < length->least)
        put(w, ' ');
    return !w->beyond;
}

bool rf_sim_pattern(struct rf_str pattern, const struct rf_sim_lengths *length, size_t number,
                    struct rf_arena *a, struct rf_str *out)
{
    int64_t spare = 0;
    for (size_t i = 0; i < MOST_TRIES; i++) {
        struct rf_buf buf;
        struct writing w = { .pattern = pattern, .number = number, .spare = spare, .out = &buf };
        rf_buf_init(&buf, a, MOST_TEXT);
        if (!write_once(length, &w))
            return false;
        *out = (struct rf_str){ buf.p, buf.n };
        if (written(&w) >= length->least)
            return written(&w) <= length->most;
        spare += length->least - written(&w);
    }
    return false;
}
