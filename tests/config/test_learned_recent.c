/* What threads have of a shared document while one of them reads it, or cannot. */
#include "base/arena.h"
#include "config/learned_recent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct rf_arena *arena;
static const struct rf_err away = { .code = RF_EIO, .msg = "away" };

/* Is it there already, and what? */
static bool has(struct rf_str address, const char *text, enum rf_code problem)
{
    struct rf_str got = { 0 };
    struct rf_err why = { 0 };
    bool there = rf_recent_take(address, arena, &got, &why);
    return there && rf_str_is(got, text) && why.code == problem;
}

static bool must_read(struct rf_str address)
{
    struct rf_str got;
    struct rf_err why;
    return !rf_recent_take(address, arena, &got, &why);
}

static void while_one_reads_the_others_have_what_was_read_before(void **state)
{
    struct rf_str at = RF_STR("postgres://one");
    (void)state;
    assert_true(must_read(at));
    rf_recent_put(at, RF_STR("old"), NULL);
    assert_true(must_read(at)); /* nobody else does: it is read anew */
    assert_true(has(at, "old", RF_OK));
    rf_recent_put(at, RF_STR("new"), NULL);
    assert_true(must_read(at));
    assert_true(has(at, "new", RF_OK));
    rf_recent_put(at, RF_STR("new"), NULL);
}

static void a_store_that_is_away_is_not_tried_by_everybody(void **state)
{
    struct rf_str at = RF_STR("postgres://two");
    (void)state;
    assert_true(must_read(at));
    rf_recent_put(at, RF_STR(""), &away);
    assert_true(has(at, "", RF_EIO));
    assert_true(has(at, "", RF_EIO));
}

static void what_was_read_outlives_the_store(void **state)
{
    struct rf_str at = RF_STR("postgres://three");
    (void)state;
    assert_true(must_read(at));
    rf_recent_put(at, RF_STR("known"), NULL);
    assert_true(must_read(at));
    rf_recent_put(at, RF_STR(""), &away);
    assert_true(has(at, "known", RF_OK));
}

static void another_store_is_another_text(void **state)
{
    (void)state;
    assert_true(must_read(RF_STR("postgres://four")));
    assert_true(must_read(RF_STR("postgres://five")));
    rf_recent_put(RF_STR("postgres://four"), RF_STR("four"), NULL); /* too late */
    rf_recent_put(RF_STR("postgres://five"), RF_STR("five"), NULL);
    assert_true(must_read(RF_STR("postgres://five")));
    assert_true(has(RF_STR("postgres://five"), "five", RF_OK));
    rf_recent_put(RF_STR("postgres://five"), RF_STR("five"), NULL);
}

static int set_up(void **state)
{
    (void)state;
    arena = rf_arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rf_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_one_reads_the_others_have_what_was_read_before),
        cmocka_unit_test(a_store_that_is_away_is_not_tried_by_everybody),
        cmocka_unit_test(what_was_read_outlives_the_store),
        cmocka_unit_test(another_store_is_another_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
