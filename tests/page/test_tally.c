/* What was used, by minute, model and key: that it is bounded, and what clients cannot do to it. */
#include "page/tally.h"

#include "../testing.h"
#include "base/json_write.h"

#include <stdio.h>

static void count(struct rf_tally *t, const char *model, int status)
{
    struct rf_record r = {
        .provider = RF_STR_INIT("here"), .model = rf_str(model), .status = status, .cost_micros = -1
    };
    rf_tally_count(t, &r);
}

static const char *written(struct rf_tally *t, struct rf_arena *a)
{
    struct rf_json *w = RF_NEW(a, struct rf_json);
    struct rf_rope rope;
    struct rf_str text;
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_tally_write(t, 0, a, w, NULL);
    assert_int_equal(rf_json_finish(w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL), RF_OK);
    return rf_cstr(a, text);
}

static void models_that_never_answered_take_no_names(void **state)
{
    struct rf_tally *t = rf_tally_new();
    struct rf_arena *a = rf_arena_new();
    char name[32];
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "made-up-%u", i);
        count(t, name, 404);
    }
    count(t, "real", 200);
    count(t, "real", 503);
    const char *text = written(t, a);
    assert_null(strstr(text, "made-up"));
    assert_non_null(strstr(text, "\"here:other\",\"key\":\"no key\",\"requests\":1000,"));
    assert_non_null(strstr(text, "\"here:real\",\"key\":\"no key\",\"requests\":2,\"failed\":1,"));
    rf_arena_free(a);
    rf_tally_free(t);
}

static void more_models_than_there_are_names_are_others(void **state)
{
    struct rf_tally *t = rf_tally_new();
    struct rf_arena *a = rf_arena_new();
    char name[32];
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "real-%u", i);
        count(t, name, 200);
    }
    const char *text = written(t, a);
    assert_non_null(strstr(text, "\"here:real-0\""));
    assert_non_null(strstr(text, "\"others\""));
    assert_null(strstr(text, "\"here:real-999\""));
    rf_arena_free(a);
    rf_tally_free(t);
}

static void rows_that_are_dropped_are_told(void **state)
{
    const int64_t minute_ms = 60000;
    struct rf_tally *t = rf_tally_new();
    (void)state;
    for (int64_t i = 0; i < (int64_t)RF_TALLY_ROWS; i++)
        rf_tally_count(t, &(struct rf_record){ .began_ms = i * minute_ms, .status = 200 });
    assert_int_equal(rf_tally_kept_since(t), 0);
    rf_tally_count(
        t, &(struct rf_record){ .began_ms = (int64_t)RF_TALLY_ROWS * minute_ms, .status = 200 });
    assert_int_equal(rf_tally_kept_since(t), 2 * minute_ms); /* the oldest may miss some */
    rf_tally_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_that_never_answered_take_no_names),
        cmocka_unit_test(more_models_than_there_are_names_are_others),
        cmocka_unit_test(rows_that_are_dropped_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
