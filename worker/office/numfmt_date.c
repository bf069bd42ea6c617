/* Dates are days since an epoch, times parts of a day. The 1900 epoch has a 29 February 1900, which
 * never was. */
#include "worker/office/numfmt_inner.h"

#include <math.h>

#define LAST_SERIAL 2958466.0 /* the day after 9999-12-31 */

struct moment {
    int64_t year, month, day, weekday, seconds, milliseconds; /* of the day */
    double serial;
};

/* The proleptic Gregorian date of a day counted from 1970-01-01. */
static void civil_from_days(int64_t z, struct moment *m)
{
    z += 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    m->day = doy - (153 * mp + 2) / 5 + 1;
    m->month = mp < 10 ? mp + 3 : mp - 9;
    m->year = yoe + era * 400 + (m->month <= 2);
}

static int part_places(const struct rf_numfmt_section *s)
{
    size_t i = rf_numfmt_find_token(s, RF_NUM_SECOND_PART);
    return i < s->n ? s->tokens[i].n : 0;
}

static void to_moment(double serial, enum rf_numfmt_epoch epoch, int places, struct moment *m)
{
    if (epoch == RF_EPOCH_1904)
        serial += 1462;
    double unit = places >= 3 ? 1000 : places == 2 ? 100 : places == 1 ? 10 : 1;
    double units = floor(serial * 86400 * unit + 0.5);
    int64_t day = (int64_t)floor(units / (86400 * unit));
    double in_day = units - (double)day * 86400 * unit;

    m->serial = units / (86400 * unit);
    m->seconds = (int64_t)(in_day / unit);
    m->milliseconds = (int64_t)((in_day - (double)m->seconds * unit) * 1000 / unit);
    m->weekday = (day + 6) % 7;
    /* Day 60 is 29 February 1900, which never was; the days before it are one off. */
    civil_from_days(day - 25569 + (day < 60), m);
    if (day == 60)
        m->month = 2, m->day = 29;
    if (day == 0)
        m->year = 1900, m->month = 1, m->day = 0;
}

static const char *const month_names[] = { "January",   "February", "March",    "April",
                                           "May",       "June",     "July",     "August",
                                           "September", "October",  "November", "December" };
static const char *const day_names[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday" };

static void put_name(struct rf_numfmt_out *o, const char *name, size_t n)
{
    size_t length = strlen(name);
    rf_numfmt_put_str(o, (struct rf_str){ name, n < length ? n : length });
}

static void put_date_token(struct rf_numfmt_out *o, const struct rf_numfmt_token *t,
                           const struct moment *m, bool half_day)
{
    int64_t hour = m->seconds / 3600, minute = m->seconds / 60 % 60;
    int width = t->n > 1 ? 2 : 1;

    switch (t->kind) {
    case RF_NUM_YEAR:
        rf_numfmt_put_number(o, t->n <= 2 ? m->year % 100 : m->year, t->n <= 2 ? 2 : 4);
        break;
    case RF_NUM_MONTH:
        if (t->n <= 2)
            rf_numfmt_put_number(o, m->month, width);
        else
            put_name(o, month_names[(m->month + 11) % 12], t->n == 3 ? 3 : t->n == 5 ? 1 : 99);
        break;
    case RF_NUM_DAY:
        if (t->n <= 2)
            rf_numfmt_put_number(o, m->day, width);
        else
            put_name(o, day_names[m->weekday % 7], t->n == 3 ? 3 : 99);
        break;
    case RF_NUM_HOUR:
        if (half_day)
            hour = hour % 12 ? hour % 12 : 12;
        rf_numfmt_put_number(o, hour, width);
        break;
    case RF_NUM_MINUTE:
        rf_numfmt_put_number(o, minute, width);
        break;
    case RF_NUM_SECOND:
        rf_numfmt_put_number(o, m->seconds % 60, width);
        break;
    case RF_NUM_SECOND_PART:
        rf_numfmt_put(o, '.');
        rf_numfmt_put_number(o,
                             t->n >= 3   ? m->milliseconds
                             : t->n == 2 ? m->milliseconds / 10
                                         : m->milliseconds / 100,
                             t->n ? t->n : 1);
        break;
    case RF_NUM_AM_PM:
        rf_numfmt_put_str(o, hour >= 12 ? RF_STR("PM") : RF_STR("AM"));
        if (t->c == 'a' && o->n)
            o->n--;
        break;
    case RF_NUM_HOURS:
        rf_numfmt_put_number(o, (int64_t)floor(m->serial * 24 + 1e-9), t->n);
        break;
    case RF_NUM_MINUTES:
        rf_numfmt_put_number(o, (int64_t)floor(m->serial * 1440 + 1e-7), t->n);
        break;
    case RF_NUM_SECONDS:
        rf_numfmt_put_number(o, (int64_t)floor(m->serial * 86400 + 1e-5), t->n);
        break;
    case RF_NUM_LITERAL:
        rf_numfmt_put_str(o, t->text);
        break;
    case RF_NUM_SLASH:
        rf_numfmt_put(o, '/');
        break;
    case RF_NUM_POINT:
        rf_numfmt_put(o, '.');
        break;
    case RF_NUM_DIGIT:
    case RF_NUM_PERCENT:
    case RF_NUM_EXPONENT:
    case RF_NUM_GENERAL:
    case RF_NUM_TEXT:
        break;
    }
}

void rf_numfmt_put_date(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value,
                        enum rf_numfmt_epoch epoch)
{
    struct moment m;
    if (!(value >= 0 && value < LAST_SERIAL)) {
        rf_numfmt_put_general(o, value);
        return;
    }
    to_moment(value, epoch, part_places(s), &m);
    for (size_t i = 0; i < s->n; i++)
        put_date_token(o, &s->tokens[i], &m, rf_numfmt_find_token(s, RF_NUM_AM_PM) < s->n);
}
