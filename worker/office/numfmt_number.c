/* Numbers are rounded in decimal, on the 15 digits that a spreadsheet knows, so that 1.005 with two
 * decimals is 1.01 as it is there. */
#include "worker/office/numfmt_inner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_DIGITS 340 /* of a number, before the point and after it */

void rf_numfmt_put(struct rf_numfmt_out *o, char c)
{
    if (o->n < o->room)
        o->p[o->n++] = c;
}

void rf_numfmt_put_str(struct rf_numfmt_out *o, struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        rf_numfmt_put(o, s.p[i]);
}

void rf_numfmt_put_number(struct rf_numfmt_out *o, int64_t value, int width)
{
    char text[32];
    int n = 0;
    for (; (value > 0 || n < width || !n) && n < 32; value /= 10)
        text[n++] = (char)('0' + value % 10);
    while (n > 0)
        rf_numfmt_put(o, text[--n]);
}

/* 15 digits and where the point is: 0.00123 is "123" with point -2. */
struct decimal {
    char digits[MAX_DIGITS + 20];
    int n, point;
};

static void drop_zeros(struct decimal *d)
{
    while (d->n > 0 && d->digits[d->n - 1] == '0')
        d->n--;
    if (!d->n)
        d->point = 0;
}

/* For numbers of usual size: scaled to a whole number of 15 digits. The wider type keeps the
 * product right far beyond the last of them. */
static void to_decimal_quickly(double value, struct decimal *d)
{
    static const double powers[] = { 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,  1e4,  1e5, 1e6,
                                     1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    static const long double scales[] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                          1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                          1e14L, 1e15L, 1e16L, 1e17L, 1e18L };
    int i = 0;
    while (value >= powers[i])
        i++;
    d->point = i - 3; /* digits before the point; zeros after it where negative */
    int64_t whole = (int64_t)((long double)value * scales[18 - i] + 0.5L);
    if (whole >= (int64_t)1000000000000000) {
        whole /= 10;
        d->point++;
    }
    d->n = 15;
    for (int k = 14; k >= 0; k--, whole /= 10)
        d->digits[k] = (char)('0' + whole % 10);
    drop_zeros(d);
}

static void to_decimal(double value, struct decimal *d)
{
    char text[40];

    if (value >= 1e-3 && value < 1e15) {
        to_decimal_quickly(value, d);
        return;
    }
    d->n = 0;
    snprintf(text, sizeof text, "%.14e", value);
    for (const char *p = text; *p && *p != 'e'; p++)
        if (rf_is_digit(*p))
            d->digits[d->n++] = *p;
    const char *e = strchr(text, 'e');
    d->point = (e ? (int)strtol(e + 1, NULL, 10) : 0) + 1;
    drop_zeros(d);
}

/* Half away from zero, to `decimals` digits after the point. */
static void round_decimal(struct decimal *d, int decimals)
{
    int keep = d->point + decimals;
    if (keep >= d->n)
        return;
    bool up = keep >= 0 && d->digits[keep] >= '5';
    d->n = keep > 0 ? keep : 0;
    int i = d->n;
    while (up && i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (up && i > 0) {
        d->digits[i - 1]++;
    } else if (up) {
        memmove(d->digits + 1, d->digits, (size_t)d->n);
        d->digits[0] = '1';
        d->n++;
        d->point++;
    }
    while (d->n > 0 && d->digits[d->n - 1] == '0')
        d->n--;
    if (!d->n)
        d->point = 0;
}

/* The digit `at` places left of the point (0: the last one before it); after it, negative. */
static char digit_at(const struct decimal *d, int at)
{
    int i = d->point - 1 - at;
    return i >= 0 && i < d->n ? d->digits[i] : '0';
}

/* Tokens [from, to) before the point, from the right; the leftmost place takes all digits that
 * are left. */
static void put_whole(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, size_t from,
                      size_t to, const struct decimal *d)
{
    char text[RF_NUMFMT_ROOM];
    size_t n = 0, first = to;
    int at = 0, whole = d->point > 0 ? d->point : 0;

    for (size_t i = from; i < to && first == to; i++)
        if (s->tokens[i].kind == RF_NUM_DIGIT)
            first = i;
    for (size_t i = to; i-- > from;) {
        const struct rf_numfmt_token *t = &s->tokens[i];
        if (t->kind == RF_NUM_LITERAL)
            for (size_t k = t->text.n; k-- > 0 && n < sizeof text;)
                text[n++] = t->text.p[k];
        if (t->kind == RF_NUM_PERCENT && n < sizeof text)
            text[n++] = '%';
        if (t->kind != RF_NUM_DIGIT)
            continue;
        do {
            bool pad = at >= whole;
            if (pad && t->c != '0')
                break;
            if (s->grouped && at && at % 3 == 0 && n < sizeof text)
                text[n++] = ',';
            if (n < sizeof text)
                text[n++] = digit_at(d, at);
            at++;
        } while (i == first && at < whole && at < MAX_DIGITS);
    }
    while (n > 0)
        rf_numfmt_put(o, text[--n]);
}

/* Tokens after the point. */
static void put_decimals(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, size_t from,
                         size_t to, const struct decimal *d)
{
    int at = -1, last = d->point - d->n; /* the place of the last digit that is not zero */
    for (size_t i = from; i < to; i++) {
        const struct rf_numfmt_token *t = &s->tokens[i];
        if (t->kind == RF_NUM_LITERAL)
            rf_numfmt_put_str(o, t->text);
        else if (t->kind == RF_NUM_PERCENT)
            rf_numfmt_put(o, '%');
        if (t->kind != RF_NUM_DIGIT)
            continue;
        if (t->c == '0' || at >= last)
            rf_numfmt_put(o, digit_at(d, at));
        at--;
    }
}

static int count_digits(const struct rf_numfmt_section *s, size_t from, size_t to)
{
    int n = 0;
    for (size_t i = from; i < to; i++)
        n += s->tokens[i].kind == RF_NUM_DIGIT;
    return n;
}

size_t rf_numfmt_find_token(const struct rf_numfmt_section *s, enum rf_numfmt_token_kind kind)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->tokens[i].kind == kind)
            return i;
    return s->n;
}

static bool has_point_digits(const struct rf_numfmt_section *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (s->tokens[i].kind == RF_NUM_DIGIT && s->tokens[i].c == '0')
            return true;
    return false;
}

static void put_fixed(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, size_t end,
                      struct decimal *d)
{
    size_t point = rf_numfmt_find_token(s, RF_NUM_POINT);
    if (point > end)
        point = end;
    put_whole(o, s, 0, point, d);
    if (point == end)
        return;
    if (has_point_digits(s, point, end) || d->n > d->point)
        rf_numfmt_put(o, '.');
    put_decimals(o, s, point + 1, end, d);
}

static void put_scientific(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value)
{
    size_t mark = rf_numfmt_find_token(s, RF_NUM_EXPONENT),
           point = rf_numfmt_find_token(s, RF_NUM_POINT);
    struct decimal d;
    int exponent = 0;

    if (point > mark)
        point = mark;
    int whole = count_digits(s, 0, point), decimals = count_digits(s, point, mark);
    to_decimal(value, &d);
    if (d.n) {
        exponent = d.point - 1;
        if (whole > 1)
            exponent = (int)floor((double)exponent / whole) * whole;
        d.point -= exponent;
        round_decimal(&d, decimals);
        if (d.point > (whole > 1 ? whole : 1)) {
            exponent += whole > 1 ? whole : 1;
            d.point -= whole > 1 ? whole : 1;
        }
    }
    put_fixed(o, s, mark, &d);
    rf_numfmt_put(o, 'E');
    if (exponent < 0)
        rf_numfmt_put(o, '-');
    else if (s->tokens[mark].c == '+')
        rf_numfmt_put(o, '+');
    rf_numfmt_put_number(o, exponent < 0 ? -exponent : exponent, count_digits(s, mark, s->n));
    for (size_t i = mark + 1; i < s->n; i++)
        if (s->tokens[i].kind == RF_NUM_LITERAL)
            rf_numfmt_put_str(o, s->tokens[i].text);
}

/* The nearest fraction with a denominator of at most `max`, or exactly `fixed`. */
static void nearest_fraction(double value, int64_t max, int64_t fixed, int64_t *above,
                             int64_t *below)
{
    double best = 2;
    *above = 0;
    *below = 1;
    for (int64_t q = fixed ? fixed : 1; q <= (fixed ? fixed : max); q++) {
        double p = floor(value * (double)q + 0.5);
        double miss = fabs(value - p / (double)q);
        if (miss + 1e-12 < best) {
            best = miss;
            *above = (int64_t)p;
            *below = q;
        }
    }
}

static void put_fraction(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value)
{
    size_t slash = rf_numfmt_find_token(s, RF_NUM_SLASH), before = slash;
    int places = 0, groups = 0;
    int64_t fixed = 0, above, below, max = 1;

    for (size_t i = slash + 1; i < s->n; i++) {
        const struct rf_numfmt_token *t = &s->tokens[i];
        if (t->kind == RF_NUM_DIGIT && fixed)
            fixed = fixed < 1000 ? fixed * 10 : fixed;
        else if (t->kind == RF_NUM_DIGIT)
            places++;
        else if (t->kind == RF_NUM_LITERAL && t->text.n == 1 && t->text.p[0] >= '0' &&
                 t->text.p[0] <= '9')
            fixed = fixed < 1000 ? fixed * 10 + (t->text.p[0] - '0') : fixed;
    }
    for (; before > 0 && s->tokens[before - 1].kind == RF_NUM_DIGIT; before--)
        ;
    groups = count_digits(s, 0, before);
    for (int i = 0; i < places && i < 3; i++)
        max *= 10;
    double whole = groups ? floor(value) : 0;
    if (value > 1e15) {
        rf_numfmt_put_number(o, (int64_t)1000000000000000, 0);
        return;
    }
    nearest_fraction(value - whole, max > 1 ? max - 1 : 9, fixed, &above, &below);
    if (groups && above == below) {
        whole++;
        above = 0;
    }
    if (groups && (whole > 0 || !above))
        rf_numfmt_put_number(o, (int64_t)whole, 0);
    if (groups && whole > 0 && above)
        rf_numfmt_put(o, ' ');
    if (above || !groups) {
        rf_numfmt_put_number(o, above, 0);
        rf_numfmt_put(o, '/');
        rf_numfmt_put_number(o, below, 0);
    }
}

void rf_numfmt_put_general(struct rf_numfmt_out *o, double value)
{
    char text[48];
    int n = fabs(value) < 1e15 && fabs(value) >= 1e-5 && value == floor(value)
                ? snprintf(text, sizeof text, "%.0f", value)
                : snprintf(text, sizeof text, "%.15g", value);
    rf_numfmt_put_str(o, (struct rf_str){ text, (size_t)n });
}

static void put_plain(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value)
{
    struct decimal d;
    size_t point = rf_numfmt_find_token(s, RF_NUM_POINT);

    for (int i = 0; i < s->percents && i < 4; i++)
        value *= 100;
    for (int i = 0; i < s->thousands && i < 8; i++)
        value /= 1000;
    to_decimal(value, &d);
    round_decimal(&d, count_digits(s, point, s->n));
    put_fixed(o, s, s->n, &d);
}

static void put_literals(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->tokens[i].kind == RF_NUM_GENERAL || s->tokens[i].kind == RF_NUM_TEXT)
            rf_numfmt_put_general(o, value);
        else if (s->tokens[i].kind == RF_NUM_LITERAL)
            rf_numfmt_put_str(o, s->tokens[i].text);
        else if (s->tokens[i].kind == RF_NUM_POINT)
            rf_numfmt_put(o, '.');
        else if (s->tokens[i].kind == RF_NUM_SLASH)
            rf_numfmt_put(o, '/');
    }
}

bool rf_numfmt_rounds_to_zero(const struct rf_numfmt_section *s, double value)
{
    struct decimal d;
    if (rf_numfmt_find_token(s, RF_NUM_EXPONENT) < s->n ||
        rf_numfmt_find_token(s, RF_NUM_SLASH) < s->n || !s->has_digits)
        return value == 0;
    for (int i = 0; i < s->percents && i < 4; i++)
        value *= 100;
    for (int i = 0; i < s->thousands && i < 8; i++)
        value /= 1000;
    to_decimal(value, &d);
    round_decimal(&d, count_digits(s, rf_numfmt_find_token(s, RF_NUM_POINT), s->n));
    return d.n == 0;
}

void rf_numfmt_put_section(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value)
{
    if (!s->has_digits)
        put_literals(o, s, value);
    else if (rf_numfmt_find_token(s, RF_NUM_EXPONENT) < s->n)
        put_scientific(o, s, value);
    else if (rf_numfmt_find_token(s, RF_NUM_SLASH) < s->n)
        put_fraction(o, s, value);
    else
        put_plain(o, s, value);
}
