/* Prices of the catalogue: prices.def has them. */
#include "model/price.h"

#include "base/arena.h"

static const struct {
    const char *providers, *pattern, *input, *output, *day;
} prices[] = {
#define PRICE(...) { __VA_ARGS__ },
#include "model/prices.def"
#undef PRICE
};

static bool is_of(const char *providers, struct rf_str provider)
{
    struct rf_str list = rf_str(providers), one;
    while (rf_str_split(&list, ',', &one))
        if (rf_str_eq(one, provider))
            return true;
    return false;
}

void rf_model_take_price(struct rf_model *m)
{
    size_t i = 0, count = sizeof prices / sizeof *prices;
    while (i < count && !(is_of(prices[i].providers, m->provider) &&
                          rf_glob(rf_str(prices[i].pattern), m->name)))
        i++;
    if (i == count)
        return;
    rf_model_date(m, RF_STR("price_input"), rf_str(prices[i].input), rf_str(prices[i].day));
    rf_model_date(m, RF_STR("price_output"), rf_str(prices[i].output), rf_str(prices[i].day));
}
