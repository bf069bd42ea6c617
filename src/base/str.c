#include "base/str.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdio.h>

bool rf_str_ends(struct rf_str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool rf_str_ieq(struct rf_str a, struct rf_str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (rf_lower(a.p[i]) != rf_lower(b.p[i]))
            return false;
    return true;
}

bool rf_str_contains(struct rf_str s, struct rf_str part)
{
    return part.n == 0 || (s.n >= part.n && memmem(s.p, s.n, part.p, part.n) != NULL);
}

bool rf_str_blank(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_space(s.p[i]))
            return false;
    return true;
}

struct rf_str rf_str_trim(struct rf_str s)
{
    while (s.n && rf_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && rf_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct rf_str rf_str_behind(struct rf_str s, char sep)
{
    size_t begin = s.n;
    while (begin > 0 && s.p[begin - 1] != sep)
        begin--;
    return begin ? (struct rf_str){ s.p + begin, s.n - begin } : s;
}

bool rf_str_split(struct rf_str *rest, char sep, struct rf_str *piece)
{
    if (!rest->n)
        return false;
    const char *end = memchr(rest->p, sep, rest->n);
    if (!end) {
        *piece = *rest;
        *rest = (struct rf_str){ rest->p + rest->n, 0 };
        return true;
    }
    *piece = (struct rf_str){ rest->p, (size_t)(end - rest->p) };
    *rest = (struct rf_str){ end + 1, rest->n - piece->n - 1 };
    return true;
}

static char as_it_is(char c)
{
    return c;
}

static bool glob(struct rf_str pattern, struct rf_str s, char (*as)(char))
{
    size_t p = 0, i = 0, star = (size_t)-1, mark = 0;
    while (i < s.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            mark = i;
        } else if (p < pattern.n && as(pattern.p[p]) == as(s.p[i])) {
            p++;
            i++;
        } else if (star != (size_t)-1) {
            p = star + 1;
            i = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

bool rf_glob(struct rf_str pattern, struct rf_str s)
{
    return glob(pattern, s, rf_lower);
}

bool rf_glob_exact(struct rf_str pattern, struct rf_str s)
{
    return glob(pattern, s, as_it_is);
}

struct rf_str rf_str_dup(struct rf_arena *a, struct rf_str s)
{
    char *p = rf_arena_grow(a, NULL, 0, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (struct rf_str){ p, s.n };
}

const char *rf_cstr(struct rf_arena *a, struct rf_str s)
{
    return rf_str_dup(a, s).p;
}

struct rf_str rf_str_joined(struct rf_arena *a, const struct rf_str *parts, size_t count)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        n += parts[i].n;
    char *p = rf_arena_grow(a, NULL, 0, n + 1);
    for (size_t i = 0; i < count; at += parts[i++].n)
        if (parts[i].n)
            memcpy(p + at, parts[i].p, parts[i].n);
    p[n] = '\0';
    return (struct rf_str){ p, n };
}

struct rf_str rf_strfv(struct rf_arena *a, const char *fmt, va_list ap)
{
    char brief[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(brief, sizeof brief, fmt, again);
    va_end(again);
    if (n < 0)
        RF_BUG("bad format");
    if ((size_t)n < sizeof brief) /* most are: they are written once */
        return rf_str_dup(a, (struct rf_str){ brief, (size_t)n });
    char *p = rf_arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    return (struct rf_str){ p, (size_t)n };
}

struct rf_str rf_strf(struct rf_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct rf_str s = rf_strfv(a, fmt, ap);
    va_end(ap);
    return s;
}

bool rf_str_int64(struct rf_str s, int64_t *out)
{
    bool negative = s.n && s.p[0] == '-';
    int64_t n = 0;
    if (s.n == (size_t)negative)
        return false;
    for (size_t i = negative; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        int64_t digit = s.p[i] - '0';
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, negative ? -digit : digit, &n))
            return false;
    }
    *out = n;
    return true;
}
