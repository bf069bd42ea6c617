/* Dollars as they are spelled, as millionths, and what tokens cost. */
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

static const struct {
    int64_t input_price, output_price, input, output, want;
} costs[] = {
    { 3000000, 15000000, 1000, 10, 3150 },
    { 3000000, 15000000, 0, 0, 0 },
    { 150000, 600000, 1, 0, 0 },
    { 150000, 600000, 4, 0, 1 },
    { 3000000, 15000000, 2000000, 1000000, 21000000 },
    { 0, 15000000, 10, 10, -1 },
    { 3000000, 0, 10, 10, -1 },
    { 3000000, 15000000, -1, 10, -1 },
    { 3000000, 15000000, 10, -1, -1 },
    { 1000000000000000, 1000000000000000, INT64_MAX, INT64_MAX, -1 },
    { 9000000000000, 1, 999999, 0, 8999991000000 },
};

static void tokens_cost(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(costs); i++) {
        struct rf_caps caps = { .price_input = costs[i].input_price,
                                .price_output = costs[i].output_price };
        int64_t got = rf_price_of(&caps, costs[i].input, costs[i].output);
        if (got != costs[i].want)
            fail_msg("row %zu: %lld", i, (long long)got);
    }
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
