/* Prices of the catalogue: prices.def has them. */
#include "model/price.h"

#include "base/arena.h"

static const struct {
    const char *providers, *pattern, *input, *output, *cached, *written, *written_hour, *day;
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

static void take(struct rf_model *m, const char *fact, const char *price, const char *day)
{
    if (price)
        rf_model_date(m, rf_str(fact), rf_str(price), rf_str(day));
}

void rf_model_take_price(struct rf_model *m)
{
    size_t i = 0, count = sizeof prices / sizeof *prices;
    while (i < count && !(is_of(prices[i].providers, m->provider) &&
                          rf_glob(rf_str(prices[i].pattern), m->name)))
        i++;
    if (i == count)
        return;
    take(m, "price_input", prices[i].input, prices[i].day);
    take(m, "price_output", prices[i].output, prices[i].day);
    take(m, "price_cached", prices[i].cached, prices[i].day);
    take(m, "price_cache_write", prices[i].written, prices[i].day);
    take(m, "price_cache_write_hour", prices[i].written_hour, prices[i].day);
}
