/* What a text consists of, as far as that tells how many tokens it is: the same for every model,
 * which then has prices of its own (model/tokens.h). It can be kept beside a file, so that a
 * long text is gone through once. */
#ifndef RF_MEDIA_WEIGHT_H
#define RF_MEDIA_WEIGHT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define RF_MOST_DIGITS 4
/* What a byte weighs at most, in hundredths of a token: of `plain`, and of words of `foreign`. */
#define RF_MOST_PLAIN 220
#define RF_MOST_FOREIGN 100

struct rf_text_weight {
    int64_t plain;                   /* words, punctuation and the like: hundredths of a token */
    int64_t numbers[RF_MOST_DIGITS]; /* of numbers when a token holds up to 1, 2, … digits */
    int64_t cjk, scripts; /* characters: of East Asia, and of scripts that are not Latin */
    int64_t foreign; /* words of other languages in Latin letters, at the price of English ones */
};

/* Add a text to the sum; linear, some 5 ms a megabyte. Whether it is English is told from all of
 * it. */
void rf_text_weigh(struct rf_str text, struct rf_text_weight *sum);

/* A text that is weighed piece by piece: what its beginning weighs is known after each. Set to
 * zero, it is one of nothing. */
struct rf_weighing {
    struct rf_text_weight sum; /* as if it were English */
    int64_t words, price;      /* in small letters */
    int64_t read, english;     /* of them: with a space after, and small English ones */
};
void rf_weighing_add(struct rf_weighing *w, struct rf_str piece);
struct rf_text_weight rf_weighing_now(const struct rf_weighing *w);

/* A weight times `n` and divided by `of`, which is not 0: that of so many pages of a document. */
void rf_text_weight_scale(struct rf_text_weight *w, int64_t n, int64_t of);

/* "1200,4,3,2,2,0,0", all of it in this order, `foreign` only where there is any; both ways.
 * False where it is not a weight. */
#define RF_WEIGHT_TEXT 200 /* bytes that are enough, with the NUL */
void rf_text_weight_write(const struct rf_text_weight *w, char out[RF_WEIGHT_TEXT]);
bool rf_text_weight_read(struct rf_str text, struct rf_text_weight *out);

#endif
