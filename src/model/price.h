/* What an answer costs: prices as they are written, and dollars as millionths, so that nothing is
 * lost in sums.
 *
 *     if (rf_price_read(RF_STR("0.15"), &micros)) …        150000
 */
#ifndef RF_MODEL_PRICE_H
#define RF_MODEL_PRICE_H

#include "model/model.h"

/* Read a number of dollars ("0.15", "3", "1.5e-05") as millionths, rounded; false where it is not
 * one, is less than 0 or more than a billion. */
bool rf_price_read(struct rf_str spelled, int64_t *micros);
/* The same of what one token costs ("0.0000025"), for a million of them. */
bool rf_price_read_token(struct rf_str spelled, int64_t *micros);
/* The same number as it would be written: "0.15". */
struct rf_str rf_price_text(int64_t micros, struct rf_arena *a);

/* Set the vendor's prices, where the catalogue has them. */
void rf_model_take_price(struct rf_model *m);

/* Are the two prices known without which an answer has none? */
bool rf_price_is_known(const struct rf_caps *caps);

/* What an answer costs by the model's prices, in millionths of a dollar; -1 where input, output or
 * a price that counts are unknown. Tokens of a cache cost the same as others where their own price
 * is unknown. */
int64_t rf_price_of(const struct rf_caps *caps, const struct rf_usage *usage);
/* The most that so many tokens may cost, whatever a cache has to do with them; -1 as above. */
int64_t rf_price_most(const struct rf_caps *caps, int64_t input_tokens, int64_t output_tokens);

#endif
