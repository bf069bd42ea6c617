/* What the gateway remembers of keys and models that are not well. Pauses are as long as they are:
 * what happens when one is over is in test_route.py. */
#include "base/clock.h"
#include "base/error.h"
#include "gateway/health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KEY RF_STR("a key")
#define MODEL RF_STR("a model")
#define LONG_MS 1000000

static const struct rf_illness refused = { RF_ERROR_AUTHENTICATION, 502, "refused", 0 };
static const struct rf_illness waits = { RF_ERROR_RATE_LIMIT, 429, "waits", 0 };
static const struct rf_illness down = { RF_ERROR_OVERLOADED, 503, "down", 0 };

static void what_is_out_says_why_and_until_when(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    assert_false(rf_health_is_out(&h, KEY, &i));
    rf_health_put_out(&h, KEY, &waits, LONG_MS);
    assert_true(rf_health_is_out(&h, KEY, &i));
    assert_int_equal(i.kind, RF_ERROR_RATE_LIMIT);
    assert_string_equal(i.words, "waits");
    assert_true(i.until_ms > rf_now_ms() + LONG_MS / 2);
    assert_false(rf_health_is_out(&h, RF_STR("a key for another"), &i));
    rf_health_put_out(&h, KEY, &waits, 0);
    assert_false(rf_health_is_out(&h, KEY, &i));
    rf_health_release(&h);
}

static void failures_in_a_row_count_and_an_answer_ends_the_row(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    for (int round = 0; round < 3; round++) {
        for (int k = 1; k < RF_HEALTH_FAILURES; k++)
            rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down);
        assert_true(rf_health_may_ask(&h, MODEL, &i));
        rf_health_worked(&h, MODEL, rf_now_ms());
    }
    assert_int_equal(h.count, 0);
    for (int k = 0; k < RF_HEALTH_FAILURES; k++)
        rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down);
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    assert_int_equal(i.status, 503);
    int64_t until = i.until_ms;
    rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down); /* it was asked before its pause */
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    assert_int_equal(i.until_ms, until);
    rf_health_worked(&h, MODEL, rf_now_ms());
    assert_true(rf_health_may_ask(&h, MODEL, &i));
    rf_health_release(&h);
}

static void an_answer_that_began_before_a_failure_tells_nothing(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    int64_t before = rf_now_ms() - 1;
    for (int k = 0; k < RF_HEALTH_FAILURES; k++)
        rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down);
    rf_health_worked(&h, MODEL, before);
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    rf_health_worked(&h, MODEL, rf_now_ms());
    assert_true(rf_health_may_ask(&h, MODEL, &i));
    rf_health_release(&h);
}

static void wait_for_trial(struct rf_health *h)
{
    struct rf_illness i;
    int64_t until = rf_now_ms() + 60000;
    enum rf_health_turn turn = RF_HEALTH_NO_TURN;
    while (turn == RF_HEALTH_NO_TURN && rf_now_ms() < until)
        turn = rf_health_may_ask(h, MODEL, &i);
    assert_int_equal(turn, RF_HEALTH_TRIAL);
}

/* Of a model whose pause is over. */
static void have_trial(struct rf_health *h)
{
    for (int k = 0; k < RF_HEALTH_FAILURES; k++)
        rf_health_failed(h, MODEL, RF_HEALTH_ASK, &down);
    wait_for_trial(h);
}

static void on_trial_a_model_is_asked_by_one_until_that_is_known(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    have_trial(&h);
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    assert_in_range(i.until_ms - rf_now_ms(), 1, 5000);
    rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down); /* not the one that tries */
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    rf_health_give_back(&h, MODEL);
    assert_int_equal(rf_health_may_ask(&h, MODEL, &i), RF_HEALTH_TRIAL);
    rf_health_failed(&h, MODEL, RF_HEALTH_TRIAL, &down);
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    assert_in_range(i.until_ms - rf_now_ms(), 5001, 10000); /* twice the first */
    rf_health_release(&h);
}

static void a_trial_of_which_nothing_is_heard_keeps_nobody_out(void **state)
{
    struct rf_health h;
    (void)state;
    rf_health_init(&h);
    have_trial(&h);
    wait_for_trial(&h);
    rf_health_release(&h);
}

static void a_reload_forgives_refused_keys_alone(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    rf_health_put_out(&h, RF_STR("refused"), &refused, LONG_MS);
    rf_health_put_out(&h, RF_STR("waits"), &waits, LONG_MS);
    for (int k = 0; k < RF_HEALTH_FAILURES; k++)
        rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down);
    rf_health_reload(&h);
    assert_false(rf_health_is_out(&h, RF_STR("refused"), &i));
    assert_true(rf_health_is_out(&h, RF_STR("waits"), &i));
    assert_false(rf_health_may_ask(&h, MODEL, &i));
    rf_health_release(&h);
}

static void tell_none(void *ctx, const char *name, const struct rf_illness *what)
{
    (void)ctx, (void)what;
    fail_msg("\"%s\" is listed", name);
}

static void what_is_over_is_forgotten_and_failures_are_not(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    rf_health_put_out(&h, KEY, &waits, 0);
    rf_health_list(&h, tell_none, NULL);
    assert_int_equal(h.count, 0);
    rf_health_put_out(&h, KEY, &waits, 0);
    rf_health_failed(&h, MODEL, RF_HEALTH_ASK, &down);
    assert_false(rf_health_is_out(&h, KEY, &i));
    assert_int_equal(h.count, 1);
    rf_health_release(&h);
}

static void clients_that_name_many_models_do_not_fill_the_memory(void **state)
{
    struct rf_health h;
    struct rf_illness i;
    (void)state;
    rf_health_init(&h);
    for (int k = 0; k < 5000; k++) {
        char name[32];
        snprintf(name, sizeof name, "model %d", k);
        rf_health_put_out(&h, rf_str(name), &down, LONG_MS);
    }
    assert_in_range(h.count, 100, 2000);
    assert_true(rf_health_is_out(&h, RF_STR("model 4999"), &i));
    assert_false(rf_health_is_out(&h, RF_STR("model 0"), &i));
    rf_health_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_out_says_why_and_until_when),
        cmocka_unit_test(failures_in_a_row_count_and_an_answer_ends_the_row),
        cmocka_unit_test(an_answer_that_began_before_a_failure_tells_nothing),
        cmocka_unit_test(on_trial_a_model_is_asked_by_one_until_that_is_known),
        cmocka_unit_test(a_trial_of_which_nothing_is_heard_keeps_nobody_out),
        cmocka_unit_test(a_reload_forgives_refused_keys_alone),
        cmocka_unit_test(what_is_over_is_forgotten_and_failures_are_not),
        cmocka_unit_test(clients_that_name_many_models_do_not_fill_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
