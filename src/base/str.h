/* Strings as slices, and the few things done to them. Nothing here allocates but into an arena. */
#ifndef RF_BASE_STR_H
#define RF_BASE_STR_H

#include <refract/str.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct rf_arena;

/* A literal as a slice; usable in static initialisers through RF_STR_INIT. */
#define RF_STR_INIT(lit)        \
    {                           \
        "" lit, sizeof(lit) - 1 \
    }
#define RF_STR(lit) ((struct rf_str)RF_STR_INIT(lit))

static inline struct rf_str rf_str(const char *s)
{
    return (struct rf_str){ s ? s : "", s ? strlen(s) : 0 };
}

static inline bool rf_str_eq(struct rf_str a, struct rf_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Most texts that differ do so in their first byte, for which no length is needed. */
static inline bool rf_str_is(struct rf_str a, const char *b)
{
    return a.n ? b && *a.p == *b && rf_str_eq(a, rf_str(b)) : !b || !*b;
}

/* Of ASCII, whatever the locale says. */
static inline bool rf_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool rf_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool rf_is_alnum(int c)
{
    return rf_is_letter(c) || rf_is_digit(c);
}

static inline bool rf_is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char rf_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int rf_hex_digit(int c)
{
    return rf_is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static inline bool rf_str_starts(struct rf_str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}
bool rf_str_ends(struct rf_str s, const char *suffix);
/* ASCII case is ignored. */
bool rf_str_ieq(struct rf_str a, struct rf_str b);
bool rf_str_contains(struct rf_str s, struct rf_str part);
/* No character but ASCII white space. */
bool rf_str_blank(struct rf_str s);
struct rf_str rf_str_trim(struct rf_str s);

/* Cut the next piece up to `sep` off the front of `rest`; false when nothing is left. */
bool rf_str_split(struct rf_str *rest, char sep, struct rf_str *piece);

/* What stands after the last `sep`; all of it where there is none. */
struct rf_str rf_str_behind(struct rf_str s, char sep);

/* Does `s` match `pattern`, in which '*' stands for any run of characters? ASCII case is
 * ignored. */
bool rf_glob(struct rf_str pattern, struct rf_str s);
/* The same, and letters are told apart by their case. */
bool rf_glob_exact(struct rf_str pattern, struct rf_str s);

/* Copies in the arena, each with a NUL after it. */
struct rf_str rf_str_dup(struct rf_arena *a, struct rf_str s);
const char *rf_cstr(struct rf_arena *a, struct rf_str s);
__attribute__((format(printf, 2, 3))) struct rf_str rf_strf(struct rf_arena *a, const char *fmt,
                                                            ...);
struct rf_str rf_strfv(struct rf_arena *a, const char *fmt, va_list ap);

/* All after each other, whatever bytes they hold, with a NUL after them: RF_JOINED(a, x, y, z). */
struct rf_str rf_str_joined(struct rf_arena *a, const struct rf_str *parts, size_t count);
#define RF_JOINED(a, ...)                                    \
    rf_str_joined(a, (const struct rf_str[]){ __VA_ARGS__ }, \
                  sizeof((const struct rf_str[]){ __VA_ARGS__ }) / sizeof(struct rf_str))
static inline struct rf_str rf_str_join(struct rf_arena *a, struct rf_str first,
                                        struct rf_str second)
{
    return RF_JOINED(a, first, second);
}

/* A decimal number that is all of `s`; false when it is not one or does not fit. */
bool rf_str_int64(struct rf_str s, int64_t *out);

#endif
