/* Dollars as they are spelled, as millionths, and what tokens cost. */
#include "content/reply.h"
#include "model/price.h"

#include "model/facts.h"

#include "../testing.h"

static const struct {
    const char *spelled;
    int64_t micros; /* -1: is not a price */
    const char *text;
} prices[] = {
    { "0", 0, "0" },
    { "3", 3000000, "3" },
    { "0.15", 150000, "0.15" },
    { "0.150", 150000, "0.15" },
    { "12.5", 12500000, "12.5" },
    { "0.000001", 1, "0.000001" },
    { "0.0000014", 1, "0.000001" },
    { "0.0000015", 2, "0.000002" },
    { "0.0000005", 1, "0.000001" },
    { "0.00000049", 0, "0" },
    { "0.00000009", 0, "0" },
    { "1e-6", 1, "0.000001" },
    { "1.5E-05", 15, "0.000015" },
    { "2e+2", 200000000, "200" },
    { "0e99", 0, "0" },
    { "1e-99999999999999999999", 0, "0" },
    { "0.1234567890123456789012345678901234567890", 123457, "0.123457" },
    { "1000000000", 1000000000000000, "1000000000" },
    { "1000000001", -1, NULL },
    { "100000000000000000000000000000", -1, NULL },
    { "1e30", -1, NULL },
    { "", -1, NULL },
    { ".", -1, NULL },
    { ".5", -1, NULL },
    { "5.", -1, NULL },
    { "-1", -1, NULL },
    { "+1", -1, NULL },
    { "1e", -1, NULL },
    { "1e-", -1, NULL },
    { "1.2.3", -1, NULL },
    { "$3", -1, NULL },
    { "3 ", -1, NULL },
    { "nan", -1, NULL },
    { "0x10", -1, NULL },
};

static void prices_are_read(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(prices); i++) {
        int64_t micros = -1;
        bool good = rf_price_read(rf_str(prices[i].spelled), &micros);
        if (good != (prices[i].micros >= 0) || (good && micros != prices[i].micros))
            fail_msg("\"%s\" is %lld", prices[i].spelled, (long long)micros);
        if (good)
            assert_str(rf_price_text(micros, a), prices[i].text);
    }
    rf_arena_free(a);
}

/* Dollars for a million tokens, times 1000000. */
#define CLAUDE 3000000, 15000000, 300000, 3750000, 6000000
#define GPT 2500000, 10000000, 1250000, 0, 0
#define PLAIN(input, output) input, output, 0, 0, 0

static const struct {
    const char *name;
    int64_t price_input, price_output, price_cached, price_written, price_hour;
    int64_t input, output, cached, written, hour, want, most;
} costs[] = {
    { "input and output", PLAIN(3000000, 15000000), 1000, 10, -1, -1, -1, 3150, 3150 },
    { "nothing", PLAIN(3000000, 15000000), 0, 0, 0, 0, 0, 0, 0 },
    { "less than half of a millionth", PLAIN(150000, 600000), 1, 0, -1, -1, -1, 0, 0 },
    { "more than half of one", PLAIN(150000, 600000), 4, 0, -1, -1, -1, 1, 1 },
    { "more than a million of tokens", PLAIN(3000000, 15000000), 2000000, 1000000, -1, -1, -1,
      21000000, 21000000 },
    { "the price of input is unknown", PLAIN(0, 15000000), 10, 10, -1, -1, -1, -1, -1 },
    { "the price of output is unknown", PLAIN(3000000, 0), 10, 10, -1, -1, -1, -1, -1 },
    { "it is unknown, and there is none", PLAIN(3000000, 0), 1000, 0, -1, -1, -1, 3000, 3000 },
    { "input was not told", PLAIN(3000000, 15000000), -1, 10, -1, -1, -1, -1, -1 },
    { "output was not told", PLAIN(3000000, 15000000), 10, -1, -1, -1, -1, -1, -1 },
    { "too much", PLAIN(1000000000000000, 1000000000000000), INT64_MAX, INT64_MAX, -1, -1, -1, -1,
      -1 },
    { "much", PLAIN(9000000000000, 1), 999999, 0, -1, -1, -1, 8999991000000, 8999991000000 },
    { "what a cache gives is a part of the input", CLAUDE, 10000, 100, 9000, -1, -1, 7200, 61500 },
    { "what it takes is, too", CLAUDE, 10000, 100, 5000, 4000, -1, 21000, 61500 },
    { "for an hour it costs more", CLAUDE, 10000, 100, 5000, 4000, 3000, 27750, 61500 },
    { "some take nothing over the input", GPT, 10000, 100, 4000, 5000, -1, 21000, 26000 },
    { "unknown prices are those of the input", PLAIN(3000000, 15000000), 10000, 0, 5000, 4000, 2000,
      30000, 30000 },
    { "parts that are more than the whole", CLAUDE, 1000, 0, 2000, 3000, 4000, 300, 6000 },
};

static void tokens_cost(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(costs); i++) {
        const struct rf_caps caps = { .price_input = costs[i].price_input,
                                      .price_output = costs[i].price_output,
                                      .price_cached = costs[i].price_cached,
                                      .price_cache_write = costs[i].price_written,
                                      .price_cache_write_hour = costs[i].price_hour };
        const struct rf_usage u = { .size = sizeof u,
                                    .input = costs[i].input,
                                    .output = costs[i].output,
                                    .cached = costs[i].cached,
                                    .cache_write = costs[i].written,
                                    .cache_write_hour = costs[i].hour };
        int64_t got = rf_price_of(&caps, &u);
        int64_t most = rf_price_most(&caps, costs[i].input, costs[i].output);
        if (got != costs[i].want || most != costs[i].most)
            fail_msg("%s: %lld, at most %lld", costs[i].name, (long long)got, (long long)most);
    }
}

static void the_catalogue_has_prices_of_caches(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("anthropic"), RF_STR("claude-sonnet-5"), a, &err),
                     RF_OK);
    assert_int_equal(m.caps.price_input, 0); /* that is of the vendor's own address alone */
    rf_model_take_price(&m);
    assert_int_equal(m.caps.price_input, 2000000);
    assert_int_equal(m.caps.price_cached, 200000);
    assert_int_equal(m.caps.price_cache_write, 2500000);
    assert_int_equal(m.caps.price_cache_write_hour, 4000000);
    /* A caller that does not know of the last member yet. */
    const struct rf_usage u = { .size = offsetof(struct rf_usage, cache_write_hour),
                                .input = 1000,
                                .cached = 0,
                                .cache_write = 1000,
                                .cache_write_hour = 1000 };
    assert_int_equal(rf_model_usage_cost(&m, &u), 2500);
    rf_arena_free(a);
}

static void a_price_is_a_fact(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("openai"), RF_STR("gpt-5"), a, &err), RF_OK);
    assert_int_equal(m.caps.price_input, 0); /* the catalogue has none */
    assert_int_equal(
        rf_model_set(&m, RF_STR("price_input"), RF_STR("0.15"), RF_FACT_OVERRIDE, &err), RF_OK);
    assert_int_equal(m.caps.price_input, 150000);
    assert_str(rf_fact_text(rf_fact_find(RF_STR("price_input")), &m.caps, a), "0.15");
    assert_int_equal(
        rf_model_set(&m, RF_STR("price_input"), RF_STR("cheap"), RF_FACT_OVERRIDE, &err),
        RF_ECONFIG);
    assert_string_equal(err.hint, "It takes dollars such as 0.15; 0 is unknown.");
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_read),
        cmocka_unit_test(tokens_cost),
        cmocka_unit_test(a_price_is_a_fact),
        cmocka_unit_test(the_catalogue_has_prices_of_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
