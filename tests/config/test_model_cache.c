/* Models that are kept: copies are like what was kept, can be taught without the others knowing, and
 * live on when what they were made of is forgotten. */
#include "config/model_cache.h"

#include "model/model.h"

#include <refract/config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define NAME "openai-chat:gpt-4o"

static struct rf_model *opened(void)
{
    struct rf_model *m = NULL;
    struct rf_err err;
    assert_int_equal(rf_model_open(NULL, NAME, &m, &err), RF_OK);
    return m;
}

static void nothing_is_recalled_that_was_not_kept(void **state)
{
    (void)state;
    struct rf_model_cache *c = rf_model_cache_new();
    assert_null(rf_model_recall(c, RF_STR(NAME)));
    struct rf_model *m = rf_model_keep(c, RF_STR(NAME), opened());
    assert_null(rf_model_recall(c, RF_STR("openai-chat:gpt-4")));
    rf_model_close(m);
    rf_model_cache_free(c);
}

static void a_copy_that_is_taught_keeps_it_to_itself(void **state)
{
    (void)state;
    struct rf_model_cache *c = rf_model_cache_new();
    struct rf_model *m = rf_model_keep(c, RF_STR(NAME), opened());
    int64_t most = m->caps.max_images;
    assert_int_equal(rf_model_teach(m, RF_STR("max_images"), RF_STR("3"), RF_STR("2026-01-01"),
                                    RF_STR("too many"), NULL),
                     RF_OK);
    assert_int_equal(m->caps.max_images, 3);
    struct rf_model *other = rf_model_keep(c, RF_STR(NAME), opened());
    assert_int_equal(other->caps.max_images, most);
    for (size_t i = 0; i < rf_fact_count(); i++)
        assert_true(other->sources[i] != RF_FACT_LEARNED);
    rf_model_close(m);
    rf_model_close(other);
    rf_model_cache_free(c);
}

static void a_copy_lives_on(void **state)
{
    (void)state;
    struct rf_model_cache *c = rf_model_cache_new();
    struct rf_model *m = rf_model_keep(c, RF_STR(NAME), opened());
    rf_model_forget_all(c);
    assert_null(rf_model_recall(c, RF_STR(NAME)));
    rf_model_cache_free(c);
    assert_true(rf_str_is(m->caps.dialect, "openai-chat"));
    assert_true(rf_str_is(m->name, "gpt-4o"));
    rf_model_close(m);
}

static void many_names_do_not_fill_it(void **state)
{
    (void)state;
    char name[8];
    struct rf_model_cache *c = rf_model_cache_new();
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "%d", i);
        rf_model_close(rf_model_keep(c, rf_str(name), opened()));
    }
    assert_null(rf_model_recall(c, RF_STR("0")));
    rf_model_cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_recalled_that_was_not_kept),
        cmocka_unit_test(a_copy_that_is_taught_keeps_it_to_itself),
        cmocka_unit_test(a_copy_lives_on),
        cmocka_unit_test(many_names_do_not_fill_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
