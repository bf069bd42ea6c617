#include "source/base64_text.h"

#include "base/arena.h"
#include "base/base64.h"

/* Of wrapped base64: 76 and 64 are usual, longer ones are believed from the second full line on. */
#define COMMON_LINE 80

static bool is_standard(char c)
{
    return rf_is_alnum(c) || c == '+' || c == '/';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool rf_is_data_url(struct rf_str url)
{
    return url.n >= 5 && rf_str_ieq((struct rf_str){ url.p, 5 }, RF_STR("data:"));
}

bool rf_data_url(struct rf_str s, struct rf_str *mime, struct rf_str *payload)
{
    static const char marker[] = ";base64";
    size_t n = sizeof marker - 1;
    if (!rf_is_data_url(s))
        return false;
    struct rf_str head = { s.p + 5, s.n - 5 < 200 ? s.n - 5 : 200 };
    const char *comma = memchr(head.p, ',', head.n);
    if (!comma)
        return false;
    head.n = (size_t)(comma - head.p);
    if (head.n < n || !rf_str_ieq((struct rf_str){ head.p + head.n - n, n }, rf_str(marker)))
        return false;
    head.n -= n;
    *mime = RF_STR("");
    rf_str_split(&head, ';', mime);
    *payload = (struct rf_str){ comma + 1, (size_t)(s.p + s.n - comma - 1) };
    return true;
}

size_t rf_base64_run(struct rf_str s)
{
    size_t i = 0, padding = 0;
    while (i < s.n && (is_standard(s.p[i]) || s.p[i] == '-' || s.p[i] == '_'))
        i++;
    while (i + padding < s.n && padding < 2 && s.p[i + padding] == '=')
        padding++;
    return i + padding;
}

/* Does nothing stand here that a word of a sentence could have after it? */
static bool is_end(struct rf_str s, size_t at)
{
    return at == s.n || (s.p[at] && strchr("\r\n\"'<>()[]{}\\", s.p[at]));
}

/* A line break as a program spells it inside of a string. */
static bool is_escaped_break(struct rf_str s, size_t at)
{
    return s.n - at >= 2 && s.p[at] == '\\' && (s.p[at + 1] == 'n' || s.p[at + 1] == 'r');
}

/* Where the next line begins; `at` where none ends here. */
static size_t next_line(struct rf_str s, size_t at)
{
    size_t next = at;
    bool broken = false;
    while (next < s.n && (is_space(s.p[next]) || is_escaped_break(s, next))) {
        broken |= s.p[next] != ' ' && s.p[next] != '\t';
        next += s.p[next] == '\\' ? 2 : 1;
    }
    return broken ? next : at;
}

size_t rf_base64_block(struct rf_str s)
{
    size_t line = rf_base64_run(s), end = line, run = line;
    if (line > RF_BASE64_LONGEST || line % 4)
        return line;
    while (run && run == line && s.p[end - 1] != '=') {
        size_t next = next_line(s, end);
        run = rf_base64_run((struct rf_str){ s.p + next, s.n - next });
        bool last = run < line && (end > line || line <= COMMON_LINE) && is_end(s, next + run);
        if (next == end || !run || (run != line && !last))
            break;
        end = next + run;
    }
    return end;
}

bool rf_base64_is_cut(struct rf_str s)
{
    size_t at = next_line(s, 0), n = rf_base64_run((struct rf_str){ s.p + at, s.n - at });
    at = next_line(s, at + n);
    at += at < s.n && s.p[at] == '\\'; /* half of a break */
    return at == s.n && (!n || n >= RF_BASE64_SHORTEST);
}

/* Some programs set bits of the last character that mean nothing, and others decode it all the
 * same. */
static char without_spare_bits(char last, size_t padding)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = last ? strchr(alphabet, last) : NULL;
    size_t spare = padding == 2 ? 15 : padding == 1 ? 3 : 0;
    return at ? alphabet[(size_t)(at - alphabet) & ~spare] : last;
}

static bool has_spare_bits(struct rf_str s)
{
    size_t padding = 0;
    while (padding < 2 && padding < s.n && s.p[s.n - padding - 1] == '=')
        padding++;
    char last = padding < s.n ? s.p[s.n - padding - 1] : '\0';
    return last != without_spare_bits(last, padding);
}

/* Nothing to change: only the alphabet, and padding at the end. The decoder checks the rest. */
static bool is_canonical(struct rf_str s)
{
    return s.n % 4 == 0 && !has_spare_bits(s) && !memchr(s.p, '\n', s.n) &&
           !memchr(s.p, '-', s.n) && !memchr(s.p, '_', s.n) && !memchr(s.p, '\r', s.n) &&
           !memchr(s.p, ' ', s.n) && !memchr(s.p, '\t', s.n) && !memchr(s.p, '\\', s.n);
}

enum rf_code rf_base64_clean(struct rf_str text, struct rf_arena *a, struct rf_str *out,
                             struct rf_err *err)
{
    if (!text.n || is_canonical(text)) {
        *out = text;
        return RF_OK;
    }
    char *p = rf_arena_alloc(a, text.n + 4);
    size_t n = 0;
    bool padded = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        padded |= c == '=';
        if (is_escaped_break(text, i))
            i++;
        if (is_space(c) || c == '=' || text.p[i] != c)
            continue;
        c = c == '-' ? '+' : c == '_' ? '/' : c;
        if (padded || !is_standard(c))
            return rf_fail(err, RF_EFORMAT, "the base64 holds a foreign character at %zu", i);
        p[n++] = c;
    }
    if (n % 4 == 1)
        return rf_fail(err, RF_EFORMAT, "the base64 is cut off");
    if (n)
        p[n - 1] = without_spare_bits(p[n - 1], (4 - n % 4) % 4);
    while (n % 4)
        p[n++] = '=';
    *out = (struct rf_str){ p, n };
    return RF_OK;
}
