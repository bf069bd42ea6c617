#include "media/declared.h"

#include <string.h>
#include <strings.h>

#define FRONT 4096 /* bytes in which a set may be named */

static struct rf_str front(struct rf_str s)
{
    return (struct rf_str){ s.p, s.n < FRONT ? s.n : FRONT };
}

static struct rf_str from(struct rf_str s, size_t n)
{
    return n < s.n ? (struct rf_str){ s.p + n, s.n - n } : RF_STR("");
}

/* Where `part`, in lower case, stands in `s`; s.n where it does not. */
static size_t find(struct rf_str s, const char *part)
{
    size_t n = strlen(part), i = 0;

    while (i + n <= s.n && strncasecmp(s.p + i, part, n) != 0)
        i++;
    return i + n <= s.n ? i : s.n;
}

static bool is_in_name(char c)
{
    return rf_is_alnum(c) || c == '-' || c == '_' || c == '.';
}

struct rf_str rf_declared_after(struct rf_str s, const char *word)
{
    size_t n = 0;

    s = from(s, find(s, word) + strlen(word));
    while (s.n && memchr(" \t\r\n=\"':", s.p[0], 8))
        s = from(s, 1);
    while (n < s.n && is_in_name(s.p[n]))
        n++;
    return (struct rf_str){ s.p, n };
}

static struct rf_str up_to(struct rf_str s, char end)
{
    const char *at = s.n ? memchr(s.p, end, s.n) : NULL;

    return at ? (struct rf_str){ s.p, (size_t)(at - s.p) } : s;
}

struct rf_str rf_declared_by_xml(struct rf_str text)
{
    struct rf_str head = front(text);

    return rf_str_starts(head, "<?xml") ? rf_declared_after(up_to(head, '>'), "encoding")
                                        : RF_STR("");
}

struct rf_str rf_declared_by_meta(struct rf_str text)
{
    struct rf_str head = front(text), name = RF_STR("");

    while (!name.n && (head = from(head, find(head, "<meta"))).n) {
        name = rf_declared_after(up_to(head, '>'), "charset");
        head = from(head, 5);
    }
    return name;
}

static struct rf_str said_by_line(struct rf_str line)
{
    struct rf_str name = rf_declared_after(line, "coding:");

    return name.n ? name : rf_declared_after(line, "coding=");
}

/* As Python reads it; editors may add how lines end: "coding: euc-jp-unix". */
static struct rf_str said_by_first_lines(struct rf_str head)
{
    static const char *const ends[] = { "-unix", "-dos", "-mac" };
    struct rf_str first = up_to(head, '\n'), second = up_to(from(head, first.n + 1), '\n');
    struct rf_str name = said_by_line(first);

    name = name.n ? name : said_by_line(second);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (rf_str_ends(name, ends[i]))
            name.n -= strlen(ends[i]);
    return name;
}

struct rf_str rf_declared(struct rf_str text)
{
    struct rf_str head = front(text), name = rf_declared_by_meta(head);

    if (!name.n)
        name = rf_declared_by_xml(head);
    if (!name.n && rf_str_starts(head, "@charset"))
        name = rf_declared_after(up_to(head, ';'), "charset");
    if (!name.n)
        name = said_by_first_lines(head);
    if (!name.n)
        name = rf_declared_after(up_to(from(head, find(head, "\"content-type:")), '\n'), "charset");
    return name;
}
