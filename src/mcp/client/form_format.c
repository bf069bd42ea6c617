/* Formats of texts in a form: "email", "uri", "date" and "date-time", as far as a slip of the
 * finger would show. The server has the last word; other formats are any text. */
#include "mcp/client/form.h"

static size_t digits(struct rf_str s, size_t at, size_t most, int *value)
{
    size_t n = 0;
    *value = 0;
    while (n < most && at + n < s.n && rf_is_digit(s.p[at + n]))
        *value = *value * 10 + (s.p[at + n++] - '0');
    return n;
}

/* So many digits from `*at` on, between two bounds, and the sign after them; '\0': none. */
static bool take(struct rf_str s, size_t *at, size_t count, int least, int most, char sign)
{
    int value;
    if (digits(s, *at, count, &value) != count || value < least || value > most)
        return false;
    *at += count;
    if (!sign)
        return true;
    return *at < s.n && s.p[(*at)++] == sign;
}

static bool take_day(struct rf_str s, size_t *at)
{
    static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year = 0, month = 0;
    digits(s, *at, 4, &year);
    digits(s, *at + 5, 2, &month);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return take(s, at, 4, 0, 9999, '-') && take(s, at, 2, 1, 12, '-') &&
           take(s, at, 2, 1, month == 2 && !leap ? 28 : days[month - 1], '\0');
}

/* "Z", "+02:00" */
static bool take_zone(struct rf_str s, size_t *at)
{
    if (*at < s.n && (s.p[*at] == 'Z' || s.p[*at] == 'z')) {
        ++*at;
        return true;
    }
    if (*at >= s.n || (s.p[*at] != '+' && s.p[*at] != '-'))
        return false;
    ++*at;
    return take(s, at, 2, 0, 23, ':') && take(s, at, 2, 0, 59, '\0');
}

static bool is_date(struct rf_str s)
{
    size_t at = 0;
    return take_day(s, &at) && at == s.n;
}

static bool is_date_time(struct rf_str s)
{
    size_t at = 0;
    int fraction;
    if (!take_day(s, &at) || at == s.n || (s.p[at] != 'T' && s.p[at] != 't'))
        return false;
    at++;
    if (!take(s, &at, 2, 0, 23, ':') || !take(s, &at, 2, 0, 59, ':') ||
        !take(s, &at, 2, 0, 60, '\0'))
        return false;
    if (at < s.n && s.p[at] == '.') {
        size_t n = digits(s, at + 1, 9, &fraction);
        if (!n)
            return false;
        at += 1 + n;
    }
    return take_zone(s, &at) && at == s.n;
}

static bool has_blank(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
            return true;
    return false;
}

static bool is_email(struct rf_str s)
{
    struct rf_str rest = s, name;
    return !has_blank(s) && memchr(s.p, '@', s.n) && rf_str_split(&rest, '@', &name) && name.n &&
           rest.n && !memchr(rest.p, '@', rest.n) && rest.p[0] != '.' && rest.p[rest.n - 1] != '.';
}

/* A scheme, and something after it. */
static bool is_uri(struct rf_str s)
{
    size_t n = 0;
    while (n < s.n && (rf_is_alnum(s.p[n]) || memchr("+-.", s.p[n], 3)))
        n++;
    return n && rf_is_letter(s.p[0]) && n + 1 < s.n && s.p[n] == ':' && !has_blank(s);
}

static const struct {
    const char *name, *what;
    bool (*is)(struct rf_str s);
} formats[] = {
    { "email", "an e-mail address, such as ann@example.org", is_email },
    { "uri", "an address, such as https://example.org/", is_uri },
    { "date", "a date, such as 2026-11-16", is_date },
    { "date-time", "a date and time, such as 2026-11-16T09:30:00Z", is_date_time },
};

const char *rf_mcp_format_words(struct rf_str format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (rf_str_is(format, formats[i].name))
            return formats[i].what;
    return NULL;
}

bool rf_mcp_format_fits(struct rf_str format, struct rf_str text)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (rf_str_is(format, formats[i].name))
            return formats[i].is(text);
    return true;
}
