/* The running factor: what it learns, how fast, and what it does not believe. */
#include "model/calibration.h"

#include "../testing.h"

#include <math.h>

static const struct row {
    const char *name;
    int64_t estimate, reported; /* this often: */
    int times;
    double least, most; /* of the factor afterwards; 0: nothing was learned */
} rows[] = {
    { "a large request is believed at once", 10000, 12000, 1, 1.2, 1.2 },
    { "a small one moves little", 100, 120, 1, 1.009, 1.011 },
    { "small ones add up", 200, 240, 200, 1.15, 1.2 },
    { "far off is a bounded step", 10000, 40000, 1, 1.5, 1.5 },
    { "and is believed when it goes on", 10000, 28000, 60, 2.7, 2.81 },
    { "never over three", 10000, 45000, 1000, 3.0, 3.0 },
    { "never under a half", 10000, 2500, 1000, 0.5, 0.5 },
    { "absurdly many teach nothing", 1000, 50000, 5, 0, 0 },
    { "absurdly few teach nothing", 100000, 7, 5, 0, 0 },
    { "no report teaches nothing", 1000, 0, 5, 0, 0 },
    { "no estimate teaches nothing", 0, 1000, 5, 0, 0 },
    { "what is right stays", 10000, 10000, 50, 1.0, 1.0 },
};

static void learns(void **state)
{
    const struct row *row = *state;
    struct rf_calibration c = { 0 };
    for (int i = 0; i < row->times; i++)
        rf_calibration_add(&c, row->estimate, row->reported);
    assert_true(c.factor >= row->least - 1e-9 && c.factor <= row->most + 1e-9);
    assert_int_equal(c.samples, row->most > 0 ? row->times : 0);
}

static void an_outlier_is_damped(void **state)
{
    struct rf_calibration c = { 0 };
    (void)state;
    for (int i = 0; i < 20; i++)
        rf_calibration_add(&c, 5000, 5500);
    rf_calibration_add(&c, 5000, 20000);
    assert_true(c.factor > 1.1 && c.factor < 1.17);
}

static void a_stored_factor_is_not_trusted(void **state)
{
    const double bad[] = { 0, -1, 1e300, NAN, INFINITY };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct rf_calibration c = { bad[i], 7 };
        assert_int_equal(rf_calibrated(&c, 1000), 1000);
        rf_calibration_add(&c, 4000, 4400);
        assert_true(c.factor > 1.0 && c.factor < 1.1);
    }
}

static void corrects(void **state)
{
    struct rf_calibration none = { 0 }, more = { 1.25, 3 };
    (void)state;
    assert_int_equal(rf_calibrated(&none, 1000), 1000);
    assert_int_equal(rf_calibrated(&more, 1000), 1250);
    assert_int_equal(rf_calibrated(&more, 0), 0);
    assert_int_equal(rf_calibrated(&more, INT64_MAX), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(an_outlier_is_damped),
        cmocka_unit_test(a_stored_factor_is_not_trusted),
        cmocka_unit_test(corrects),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, learns, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
