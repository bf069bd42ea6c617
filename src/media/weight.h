/* What a text consists of, as far as that tells how many tokens it is: the same for every model, which
 * then has prices of its own (model/tokens.h). It can be kept beside a file, so that a long text is gone
 * through once.
 */
#ifndef RF_MEDIA_WEIGHT_H
#define RF_MEDIA_WEIGHT_H

#include "base/str.h"

#include <stdint.h>

#define RF_MOST_DIGITS 4

struct rf_text_weight {
    int64_t plain;                   /* words, punctuation and the like: hundredths of a token */
    int64_t numbers[RF_MOST_DIGITS]; /* pieces of numbers when a token holds up to 1, 2, … digits */
    int64_t cjk, scripts;            /* characters: of East Asia, and of scripts that are not Latin */
};

/* Add a text to the sum; linear, some 4 ms a megabyte. */
void rf_text_weigh(struct rf_str text, struct rf_text_weight *sum);

#endif
