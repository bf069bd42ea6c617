#include "model/price.h"

#include "base/arena.h"
#include "content/reply.h"

#include <inttypes.h>

#define PLACES 6 /* of a dollar that count */
#define MILLION INT64_C(1000000)
#define MOST_MICROS (MILLION * 1000 * MILLION)
#define MOST_EXPONENT 40 /* what is beyond is nothing, or far too much */

/* The digits of a number without its point, and where that stands: 0.15 is 15 with 2 places. */
struct decimal {
    int64_t digits;
    int places;
};

static bool is_digit(struct rf_str s, size_t at)
{
    return at < s.n && rf_is_digit(s.p[at]);
}

/* A digit more; those that no price needs only move the point. */
static void add_digit(struct decimal *d, char digit, bool after_point)
{
    if (d->digits > INT64_MAX / 100) {
        d->places -= !after_point;
        return;
    }
    d->digits = d->digits * 10 + (digit - '0');
    d->places += after_point;
}

static size_t read_digits(struct rf_str s, size_t at, struct decimal *d, bool after_point)
{
    while (is_digit(s, at))
        add_digit(d, s.p[at++], after_point);
    return at;
}

static bool read_exponent(struct rf_str s, size_t at, int *out)
{
    bool negative = at < s.n && s.p[at] == '-';
    int exponent = 0;
    at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
    if (!is_digit(s, at))
        return false;
    for (; is_digit(s, at); at++)
        exponent = exponent > MOST_EXPONENT ? exponent : exponent * 10 + (s.p[at] - '0');
    *out = negative ? -exponent : exponent;
    return at == s.n;
}

/* digits / 10^places, in millionths. */
static bool to_micros(const struct decimal *d, int64_t *micros)
{
    int64_t n = d->digits;
    int places = d->places - PLACES;
    for (; n && places < 0; places++)
        if (__builtin_mul_overflow(n, 10, &n))
            return false;
    int64_t last = 0;
    for (; n && places > 0; places--) {
        last = n % 10;
        n /= 10;
    }
    if (places > 0) /* nothing was left before the last place that counts */
        last = 0;
    n += last >= 5;
    *micros = n;
    return n <= MOST_MICROS;
}

static bool read_times(struct rf_str s, int power, int64_t *micros)
{
    struct decimal d = { 0 };
    int exponent = 0;
    size_t at = read_digits(s, 0, &d, false);
    if (!at)
        return false;
    if (at < s.n && s.p[at] == '.') {
        size_t begin = ++at;
        at = read_digits(s, at, &d, true);
        if (at == begin)
            return false;
    }
    if (at < s.n && (s.p[at] != 'e' && s.p[at] != 'E'))
        return false;
    if (at < s.n && !read_exponent(s, at + 1, &exponent))
        return false;
    d.places -= exponent + power;
    return to_micros(&d, micros);
}

bool rf_price_read(struct rf_str s, int64_t *micros)
{
    return read_times(s, 0, micros);
}

bool rf_price_read_token(struct rf_str s, int64_t *micros)
{
    return read_times(s, 6, micros);
}

struct rf_str rf_price_text(int64_t micros, struct rf_arena *a)
{
    struct rf_str text = rf_strf(a, "%" PRId64 ".%06" PRId64, micros / MILLION, micros % MILLION);
    while (text.p[text.n - 1] == '0')
        text.n--;
    text.n -= text.p[text.n - 1] == '.';
    return rf_str_dup(a, text);
}

/* Tokens times dollars a million, in two steps so that nothing overflows. */
static int64_t part_of(int64_t tokens, int64_t price)
{
    int64_t whole, rest = tokens % MILLION;
    if (tokens && !price)
        return -1;
    if (__builtin_mul_overflow(tokens / MILLION, price, &whole))
        return -1;
    if (__builtin_mul_overflow(rest, price, &rest) || rest > INT64_MAX - MILLION / 2)
        return -1;
    return __builtin_add_overflow(whole, (rest + MILLION / 2) / MILLION, &whole) ? -1 : whole;
}

static int64_t plus(int64_t cost, int64_t part)
{
    int64_t sum;
    return cost < 0 || part < 0 || __builtin_add_overflow(cost, part, &sum) ? -1 : sum;
}

/* Of a part of the tokens: what is told, and no more than there are. */
static int64_t some_of(int64_t tokens, int64_t all)
{
    return tokens < 0 ? 0 : tokens < all ? tokens : all;
}

static int64_t first_known(int64_t price, int64_t otherwise)
{
    return price ? price : otherwise;
}

int64_t rf_price_of(const struct rf_caps *c, const struct rf_usage *u)
{
    if (u->input < 0 || u->output < 0)
        return -1;
    int64_t cached = some_of(u->cached, u->input);
    int64_t written = some_of(u->cache_write, u->input - cached);
    int64_t hour = some_of(u->cache_write_hour, written);
    int64_t price_written = first_known(c->price_cache_write, c->price_input);
    int64_t cost = part_of(u->input - cached - written, c->price_input);
    cost = plus(cost, part_of(cached, first_known(c->price_cached, c->price_input)));
    cost = plus(cost, part_of(written - hour, price_written));
    cost = plus(cost, part_of(hour, first_known(c->price_cache_write_hour, price_written)));
    return plus(cost, part_of(u->output, c->price_output));
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t rf_price_most(const struct rf_caps *c, int64_t input_tokens, int64_t output_tokens)
{
    if (input_tokens < 0 || output_tokens < 0 || !c->price_input)
        return -1;
    int64_t written = larger(c->price_cache_write, c->price_cache_write_hour);
    int64_t price = larger(larger(c->price_input, c->price_cached), written);
    return plus(part_of(input_tokens, price), part_of(output_tokens, c->price_output));
}

bool rf_price_is_known(const struct rf_caps *c)
{
    return c->price_input && c->price_output;
}

int64_t rf_model_cost(const struct rf_model *m, int64_t input_tokens, int64_t output_tokens)
{
    struct rf_usage u = rf_no_usage;
    u.input = input_tokens;
    u.output = output_tokens;
    return rf_price_of(&m->caps, &u);
}

int64_t rf_model_usage_cost(const struct rf_model *m, const struct rf_usage *usage)
{
    struct rf_usage own;
    return rf_usage_take(usage, &own, NULL) ? -1 : rf_price_of(&m->caps, &own);
}
