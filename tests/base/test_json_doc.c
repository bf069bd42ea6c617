/* JSON as a program reads it. JSON in the rows has ' for ". */
#include <refract/json.h>

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct rf_jdoc *read_text(const char *with)
{
    char text[256];
    struct rf_jdoc *d;
    struct rf_err err;
    size_t n = strlen(with);
    assert_true(n < sizeof text);
    for (size_t i = 0; i < n; i++)
        text[i] = with[i] == '\'' ? '"' : with[i];
    if (rf_jdoc_read((struct rf_str){ text, n }, &d, &err))
        fail_msg("%s: %s", with, err.msg);
    memset(text, 'x', sizeof text); /* what was read is the document's own */
    return d;
}

static void assert_text(struct rf_str got, const char *want)
{
    if (got.n != strlen(want) || memcmp(got.p, want, got.n) != 0)
        fail_msg("got %.*s, wanted %s", (int)got.n, got.p, want);
}

static void values_are_found_by_name_and_place(void **state)
{
    (void)state;
    struct rf_jdoc *d = read_text("{'a':[1,{'b':'x\\ny'}],'n':null,'a\\u0062':true,'e':{}}");
    const struct rf_jval *root = rf_jdoc_root(d), *a = rf_jval_get(root, "a");
    assert_int_equal(rf_jval_type(root), RF_JOBJECT);
    assert_int_equal(rf_jval_count(root), 4);
    assert_int_equal(rf_jval_count(a), 2);
    assert_text(rf_jdoc_text(d, rf_jval_get(rf_jval_at(a, 1), "b")), "x\ny");
    assert_int_equal(rf_jval_type(rf_jval_get(root, "ab")), RF_JTRUE);
    assert_true(rf_jval_get(root, "n") != NULL);
    assert_text(rf_jdoc_write(d, a), "[1,{\"b\":\"x\\ny\"}]");
    assert_null(rf_jval_first(rf_jval_get(root, "e")));
    rf_jdoc_free(d);
}

/* A path that leads nowhere ends in nothing, wherever it left. */
static void what_is_not_there_is_nothing(void **state)
{
    (void)state;
    struct rf_jdoc *d = read_text("[1]");
    const struct rf_jval *none = rf_jval_get(rf_jval_at(rf_jdoc_root(d), 7), "x");
    int64_t whole;
    double number;
    assert_null(none);
    assert_null(rf_jval_get(rf_jdoc_root(d), "x"));
    assert_null(rf_jval_at(none, 0));
    assert_null(rf_jval_first(none));
    assert_null(rf_jval_next(none, none));
    assert_null(rf_jval_value(none));
    assert_int_equal(rf_jval_type(none), RF_JNULL);
    assert_int_equal(rf_jval_count(none), 0);
    assert_false(rf_jval_is(none, ""));
    assert_false(rf_jval_int64(none, &whole));
    assert_false(rf_jval_double(none, &number));
    assert_int_equal(rf_jdoc_text(d, none).n, 0);
    assert_int_equal(rf_jdoc_text(d, rf_jdoc_root(d)).n, 0);
    assert_int_equal(rf_jdoc_write(d, none).n, 0);
    assert_null(rf_jdoc_root(NULL));
    rf_jdoc_free(d);
    rf_jdoc_free(NULL);
}

static void lists_and_objects_are_walked(void **state)
{
    (void)state;
    struct rf_jdoc *d = read_text("{'a':[1,[2,3],4],'b':{'c':5}}");
    const struct rf_jval *root = rf_jdoc_root(d), *list = rf_jval_get(root, "a");
    size_t count = 0;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        count++;
    assert_int_equal(count, 3);
    const struct rf_jval *key = rf_jval_first(root);
    assert_true(rf_jval_is(key, "a"));
    key = rf_jval_next(root, rf_jval_value(key));
    assert_true(rf_jval_is(key, "b"));
    assert_null(rf_jval_next(root, rf_jval_value(key)));
    rf_jdoc_free(d);
}

static void numbers_are_numbers_in_every_locale(void **state)
{
    (void)state;
    struct rf_jdoc *d = read_text("[12, 12.0, -1.5e2, 1.5, '3']");
    const struct rf_jval *list = rf_jdoc_root(d);
    static const double want[] = { 12, 12, -150, 1.5 };
    int64_t whole;
    double number;
    setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < 4; i++) {
        assert_true(rf_jval_double(rf_jval_at(list, i), &number));
        assert_true(number == want[i]);
        assert_int_equal(rf_jval_int64(rf_jval_at(list, i), &whole), i < 2);
    }
    assert_false(rf_jval_double(rf_jval_at(list, 4), &number));
    setlocale(LC_ALL, "C");
    rf_jdoc_free(d);
}

static void what_is_not_json_fails(void **state)
{
    (void)state;
    static const char *const wrong[] = { "", " ", "{", "[1,]", "'a'", "{\"a\":1}}", "\"\377\"" };
    struct rf_jdoc *d;
    struct rf_err err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(rf_jdoc_read((struct rf_str){ wrong[i], strlen(wrong[i]) }, &d, &err),
                         RF_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_name_and_place),
        cmocka_unit_test(what_is_not_there_is_nothing),
        cmocka_unit_test(lists_and_objects_are_walked),
        cmocka_unit_test(numbers_are_numbers_in_every_locale),
        cmocka_unit_test(what_is_not_json_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
