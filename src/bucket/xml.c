#include "bucket/xml.h"

#include "base/arena.h"

#define MAX_CODE 0x7f /* of a character that is written as its number: nothing of ours needs more */

/* Where the bytes are in `s`; s.n where they are not. */
static size_t find(struct rf_str s, struct rf_str what)
{
    const char *at = what.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

static struct rf_str after(struct rf_str s, size_t n)
{
    return (struct rf_str){ s.p + n, s.n - n };
}

/* Move `s` to what stands after the "<name" of the next such tag; false where there is none. */
static bool find_tag(struct rf_str *s, struct rf_str name)
{
    for (;;) {
        const char *open = s->n ? memchr(s->p, '<', s->n) : NULL;
        if (!open)
            return false;
        *s = after(*s, (size_t)(open - s->p) + 1);
        bool fits = s->n > name.n && memcmp(s->p, name.p, name.n) == 0;
        if (fits && (s->p[name.n] == '>' || s->p[name.n] == '/' || rf_is_space(s->p[name.n]))) {
            *s = after(*s, name.n);
            return true;
        }
    }
}

bool rf_xml_next(struct rf_str *rest, const char *name, struct rf_str *inside)
{
    struct rf_str s = *rest, end;
    if (!find_tag(&s, rf_str(name)))
        return false;
    const char *close = memchr(s.p, '>', s.n);
    if (!close)
        return false;
    bool empty = close > s.p && close[-1] == '/';
    s = after(s, (size_t)(close - s.p) + 1);
    *inside = (struct rf_str){ s.p, 0 };
    if (!empty) {
        end = s;
        do { /* the end tag: "</" and the name */
            size_t at = find(end, RF_STR("</"));
            if (at == end.n)
                return false;
            inside->n = (size_t)(end.p - s.p) + at;
            end = after(end, at + 2);
        } while (!rf_str_starts(end, name) || end.n <= strlen(name) || end.p[strlen(name)] != '>');
        s = after(end, strlen(name) + 1);
    }
    *rest = s;
    return true;
}

/* The character that "&…;" at the front of `s` stands for, and the length of that; 0: none. */
static size_t take_entity(struct rf_str s, char *out)
{
    static const struct {
        struct rf_str name;
        char is;
    } known[] = {
        { RF_STR_INIT("&amp;"), '&' },   { RF_STR_INIT("&lt;"), '<' },
        { RF_STR_INIT("&gt;"), '>' },    { RF_STR_INIT("&quot;"), '"' },
        { RF_STR_INIT("&apos;"), '\'' },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rf_str_starts(s, known[i].name.p)) {
            *out = known[i].is;
            return known[i].name.n;
        }
    if (!rf_str_starts(s, "&#"))
        return 0;
    bool hex = s.n > 2 && s.p[2] == 'x';
    int code = 0;
    size_t i = hex ? 3 : 2;
    for (; i < s.n && code <= MAX_CODE && rf_hex_digit(s.p[i]) >= 0; i++)
        code = code * (hex ? 16 : 10) + rf_hex_digit(s.p[i]);
    *out = (char)code;
    return i < s.n && s.p[i] == ';' && code > 0 && code <= MAX_CODE ? i + 1 : 0;
}

struct rf_str rf_xml_get(struct rf_str s, const char *name, struct rf_arena *a)
{
    struct rf_str inside;
    if (!rf_xml_next(&s, name, &inside))
        return RF_STR("");
    char *out = rf_arena_alloc(a, inside.n + 1);
    size_t n = 0;
    while (inside.n) {
        size_t taken = inside.p[0] == '&' ? take_entity(inside, &out[n]) : 0;
        if (!taken) {
            out[n] = inside.p[0];
            taken = 1;
        }
        n++;
        inside = after(inside, taken);
    }
    return (struct rf_str){ out, n };
}
