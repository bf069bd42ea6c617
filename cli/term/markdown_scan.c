/* What marks inside of text look like: addresses, tags, entities, the target of a link. Each scan
 * reads from the front of a text and says how much of it is one; nothing is kept, and nothing is
 * read twice.
 */
#include <string.h>
#include <strings.h>

#include "term/markdown_inside.h"

#define MAX_TARGET 2048 /* bytes of an address with its title */
#define MAX_NESTED 8    /* parentheses in an address */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_white(char c)
{
    return c == ' ' || c == '\n';
}

static bool begins(struct rf_str s, const char *what)
{
    return s.n >= strlen(what) && strncasecmp(s.p, what, strlen(what)) == 0;
}

bool rf_md_is_web(struct rf_str url)
{
    return begins(url, "http://") || begins(url, "https://");
}

size_t rf_md_tail(struct rf_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char c = (unsigned char)s.p[s.n - back];
        if (c >= 0xc0)
            return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

/* A scheme is at least two letters, digits, '+', '-' or '.', then a colon. */
static bool has_scheme(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && n < 32 && (is_letter(s.p[n]) || (n && strchr("0123456789+-.", s.p[n]))))
        n++;
    return n >= 2 && n < s.n && s.p[n] == ':';
}

size_t rf_md_scan_autolink(struct rf_str s, struct rf_str *url)
{
    size_t n = 1;
    if (s.n < 3 || !has_scheme(rf_md_from(s, 1)))
        return 0;
    while (n < s.n && n < MAX_TARGET && !is_white(s.p[n]) && s.p[n] != '<' && s.p[n] != '>')
        n++;
    if (n >= s.n || s.p[n] != '>')
        return 0;
    *url = (struct rf_str){ s.p + 1, n - 1 };
    return n + 1;
}

/* To the '>' that ends a tag; one in quotes does not. */
static size_t scan_to_end(struct rf_str s)
{
    char quote = 0;
    for (size_t n = 1; n < s.n && n < MAX_TARGET; n++) {
        if (quote)
            quote = s.p[n] == quote ? 0 : quote;
        else if (s.p[n] == '"' || s.p[n] == '\'')
            quote = s.p[n];
        else if (s.p[n] == '>')
            return n + 1;
        else if (s.p[n] == '<')
            return 0;
    }
    return 0;
}

size_t rf_md_scan_tag(struct rf_str s)
{
    if (s.n < 3 || s.p[0] != '<')
        return 0;
    if (begins(s, "<!--")) {
        const char *end = memmem(s.p + 4, s.n - 4, "-->", 3);
        return end && end - s.p < MAX_TARGET ? (size_t)(end - s.p) + 3 : 0;
    }
    size_t n = s.p[1] == '/' ? 2 : 1;
    if (n >= s.n || !is_letter(s.p[n]))
        return 0;
    while (n < s.n && (is_letter(s.p[n]) || is_digit(s.p[n]) || s.p[n] == '-'))
        n++;
    if (n >= s.n || !strchr(" \n/>", s.p[n]))
        return 0;
    return scan_to_end(s);
}

/* Punctuation at the end belongs to the sentence; so does a parenthesis that nothing in the address
 * opened. */
static size_t without_tail(struct rf_str s, size_t n)
{
    size_t opened = 0, closed = 0;
    for (size_t i = 0; i < n; i++) {
        opened += s.p[i] == '(';
        closed += s.p[i] == ')';
    }
    for (; n; n--) {
        char c = s.p[n - 1];
        if (c == ')' && closed > opened)
            closed--;
        else if (!strchr("?!.,:;*_~'\"]", c))
            break;
    }
    return n;
}

size_t rf_md_scan_address(struct rf_str s)
{
    if (!rf_md_is_web(s))
        return 0;
    size_t scheme = s.p[4] == ':' ? 7 : 8, n = scheme;
    bool has_bracket = false; /* one that closes what stands around the address ends it */
    for (; n < s.n && !is_white(s.p[n]) && !strchr("<>`|", s.p[n]); n++) {
        if (s.p[n] == ']' && !has_bracket)
            break;
        has_bracket = has_bracket || s.p[n] == '[';
    }
    n = without_tail(s, n);
    return n > scheme ? n : 0;
}

size_t rf_md_scan_entity(struct rf_str s, char *c)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {
        { "&amp;", '&' },  { "&lt;", '<' },   { "&gt;", '>' },   { "&quot;", '"' },
        { "&#39;", '\'' }, { "&#124;", '|' }, { "&nbsp;", ' ' },
    };
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (begins(s, entities[i].name)) {
            *c = entities[i].c;
            return strlen(entities[i].name);
        }
    return 0;
}

static size_t skip_white(struct rf_str s, size_t n)
{
    while (n < s.n && is_white(s.p[n]))
        n++;
    return n;
}

/* An address ends at a space or at the parenthesis that it did not open; one in <> at its '>'. */
static size_t scan_destination(struct rf_str s, size_t n, struct rf_str *url)
{
    size_t start = n, depth = 0;
    if (n < s.n && s.p[n] == '<') {
        while (++n < s.n && s.p[n] != '>' && s.p[n] != '\n' && s.p[n] != '<')
            ;
        *url = (struct rf_str){ s.p + start + 1, n - start - 1 };
        return n < s.n && s.p[n] == '>' ? n + 1 : n;
    }
    for (; n < s.n && !is_white(s.p[n]); n++) {
        if (s.p[n] == '\\' && n + 1 < s.n && !is_white(s.p[n + 1]))
            n++;
        else if (s.p[n] == '(' && ++depth > MAX_NESTED)
            break;
        else if (s.p[n] == ')' && !depth--)
            break;
    }
    *url = (struct rf_str){ s.p + start, n - start };
    return n;
}

static size_t scan_title(struct rf_str s, size_t n)
{
    char end = n < s.n ? s.p[n] : 0;
    if (end != '"' && end != '\'' && end != '(')
        return n;
    end = end == '(' ? ')' : end;
    for (n++; n < s.n && s.p[n] != end; n++)
        if (s.p[n] == '\\')
            n++;
    return n < s.n ? n + 1 : s.n;
}

size_t rf_md_scan_target(struct rf_str s, struct rf_str *url, struct rf_str *shown, bool *cut)
{
    *cut = !s.n; /* a parenthesis may follow */
    if (!s.n || s.p[0] != '(')
        return 0;
    bool is_all = s.n <= MAX_TARGET;
    s.n = is_all ? s.n : MAX_TARGET;
    size_t start = skip_white(s, 1);
    size_t n = scan_destination(s, start, url), after = skip_white(s, n);
    if (after > n)
        after = skip_white(s, scan_title(s, after));
    *cut = is_all && after >= s.n;
    if (after >= s.n || s.p[after] != ')')
        return 0;
    *shown = (struct rf_str){ s.p + start, after - start };
    while (shown->n && is_white(shown->p[shown->n - 1]))
        shown->n--;
    return after + 1;
}
