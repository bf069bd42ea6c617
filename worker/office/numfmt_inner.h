/* What the files of the number formats share: a code that was read, and text in the making.
 * numfmt.c reads codes, numfmt_number.c writes numbers, numfmt_date.c writes dates and times. */
#ifndef RF_OFFICE_NUMFMT_INNER_H
#define RF_OFFICE_NUMFMT_INNER_H

#include "worker/office/numfmt.h"

#define RF_NUMFMT_MAX_SECTIONS 4
#define RF_NUMFMT_MAX_TOKENS 96 /* of a section */

enum rf_numfmt_token_kind {
    RF_NUM_LITERAL,
    RF_NUM_DIGIT,
    RF_NUM_POINT,
    RF_NUM_PERCENT,
    RF_NUM_EXPONENT,
    RF_NUM_SLASH,
    RF_NUM_GENERAL,
    RF_NUM_TEXT,
    RF_NUM_YEAR,
    RF_NUM_MONTH,
    RF_NUM_DAY,
    RF_NUM_HOUR,
    RF_NUM_MINUTE,
    RF_NUM_SECOND,
    RF_NUM_SECOND_PART,
    RF_NUM_AM_PM,
    RF_NUM_HOURS,
    RF_NUM_MINUTES,
    RF_NUM_SECONDS
};

struct rf_numfmt_token {
    enum rf_numfmt_token_kind kind;
    char c;             /* '0', '#' or '?'; of an exponent its sign; of AM/PM 'A', of A/P 'a' */
    unsigned char n;    /* how often a letter stands there */
    struct rf_str text; /* of a literal */
};

enum rf_numfmt_condition {
    RF_NUM_NO_CONDITION,
    RF_NUM_LESS,
    RF_NUM_LESS_EQUAL,
    RF_NUM_EQUAL,
    RF_NUM_NOT_EQUAL,
    RF_NUM_GREATER_EQUAL,
    RF_NUM_GREATER
};

struct rf_numfmt_section {
    struct rf_numfmt_token tokens[RF_NUMFMT_MAX_TOKENS];
    size_t n;
    bool is_date, grouped, has_digits, general;
    int thousands, percents; /* trailing commas, percent signs */
    enum rf_numfmt_condition condition;
    double limit;
};

struct rf_numfmt {
    struct rf_numfmt_section *sections[RF_NUMFMT_MAX_SECTIONS];
    size_t n;
    bool general;
};

struct rf_numfmt_out {
    char *p;
    size_t n, room;
};

/* Append; what does not fit is left out. */
void rf_numfmt_put(struct rf_numfmt_out *o, char c);
void rf_numfmt_put_str(struct rf_numfmt_out *o, struct rf_str s);
/* A whole number that is not negative, with zeros in front up to `width`. */
void rf_numfmt_put_number(struct rf_numfmt_out *o, int64_t value, int width);
/* Up to 15 digits, and no exponent while the number can be read without one. */
void rf_numfmt_put_general(struct rf_numfmt_out *o, double value);

/* The first token of this kind; s->n where there is none. */
size_t rf_numfmt_find_token(const struct rf_numfmt_section *s, enum rf_numfmt_token_kind kind);

/* Is it zero as the section shows it? Then it has no sign. */
bool rf_numfmt_rounds_to_zero(const struct rf_numfmt_section *s, double value);
/* Write a number that is not negative, as the section says. */
void rf_numfmt_put_section(struct rf_numfmt_out *o, const struct rf_numfmt_section *s,
                           double value);
/* Write a day and a time of it. */
void rf_numfmt_put_date(struct rf_numfmt_out *o, const struct rf_numfmt_section *s, double value,
                        enum rf_numfmt_epoch epoch);

#endif
