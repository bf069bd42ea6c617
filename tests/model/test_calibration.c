/* The running factor: what it learns, how fast, and what it does not believe. */
#include "model/calibration.h"

#include "../testing.h"

#include <math.h>

static const struct row {
    const char *name;
    struct rf_estimate estimate;
    int64_t reported; /* this often: */
    int times;
    double least, most; /* of the factor afterwards; 0: nothing was learned */
} rows[] = {
    { "a large request is believed at once", { 10000, 0 }, 12000, 1, 1.2, 1.2 },
    { "a small one moves little", { 100, 0 }, 120, 1, 1.009, 1.011 },
    { "small ones add up", { 200, 0 }, 240, 200, 1.15, 1.2 },
    { "far off is a bounded step", { 10000, 0 }, 40000, 1, 1.5, 1.5 },
    { "and is believed when it goes on", { 10000, 0 }, 28000, 60, 2.7, 2.81 },
    { "never over three", { 10000, 0 }, 45000, 1000, 3.0, 3.0 },
    { "never under a half", { 10000, 0 }, 2500, 1000, 0.5, 0.5 },
    { "absurdly many teach nothing", { 1000, 0 }, 50000, 5, 0, 0 },
    { "absurdly few teach nothing", { 100000, 0 }, 7, 5, 0, 0 },
    { "no report teaches nothing", { 1000, 0 }, 0, 5, 0, 0 },
    { "no estimate teaches nothing", { 0, 0 }, 1000, 5, 0, 0 },
    { "what is right stays", { 10000, 0 }, 10000, 50, 1.0, 1.0 },
    { "files that cost more teach that", { 1000, 50000 }, 60000, 1, 1.176, 1.177 },
    { "less is that of the text", { 10000, 10000 }, 18000, 1, 0.8, 0.8 },
    { "and of a short text moves little", { 100, 10000 }, 10080, 1, 0.98, 1.0 },
    { "less than the files cost teaches nothing", { 5000, 200000 }, 150000, 9, 0, 0 },
    { "files alone that cost less teach nothing", { 0, 200000 }, 100000, 9, 0, 0 },
};

static void learns(void **state)
{
    const struct row *row = *state;
    struct rf_calibration c = { 0 };
    for (int i = 0; i < row->times; i++)
        rf_calibration_add(&c, &row->estimate, row->reported);
    assert_true(c.factor >= row->least - 1e-9 && c.factor <= row->most + 1e-9);
    assert_int_equal(c.samples, row->most > 0 ? row->times : 0);
}

static void an_outlier_is_damped(void **state)
{
    struct rf_calibration c = { 0 };
    (void)state;
    for (int i = 0; i < 20; i++)
        rf_calibration_add(&c, &(struct rf_estimate){ .text = 5000 }, 5500);
    rf_calibration_add(&c, &(struct rf_estimate){ .text = 5000 }, 20000);
    assert_true(c.factor > 1.1 && c.factor < 1.17);
}

static void a_stored_factor_is_not_trusted(void **state)
{
    const double bad[] = { 0, -1, 1e300, NAN, INFINITY };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct rf_calibration c = { bad[i], 7 };
        assert_int_equal(rf_calibrated(&c, &(struct rf_estimate){ .text = 1000 }), 1000);
        rf_calibration_add(&c, &(struct rf_estimate){ .text = 4000 }, 4400);
        assert_true(c.factor > 1.0 && c.factor < 1.1);
    }
}

static const struct correction {
    double factor; /* 0: none */
    struct rf_estimate estimate;
    int64_t want;
} corrections[] = {
    { 0, { 1000, 0 }, 1000 },
    { 1.25, { 1000, 0 }, 1250 },
    { 1.25, { 0, 0 }, 0 },
    { 1.25, { INT64_MAX, 0 }, INT64_MAX },
    { 1.25, { 1000, 2000 }, 3750 },
    { 0.5, { 1000, 0 }, 500 },
    { 0.5, { 1000, 200000 }, 200500 }, /* a document is not made small */
};

static void corrects(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(corrections); i++) {
        const struct rf_calibration c = { corrections[i].factor, corrections[i].factor > 0 };
        assert_int_equal(rf_calibrated(&c, &corrections[i].estimate), corrections[i].want);
    }
}

/* What fits into the room that is left fits into the window, whatever it is made of. */
static void what_fits_the_room_fits_the_window(void **state)
{
    (void)state;
    for (int percent = 50; percent <= 300; percent += 10)
        for (int64_t window = 100; window < 3000000; window = window * 3 + 7)
            for (int64_t tenths = 0; tenths <= 10; tenths++) {
                const struct rf_calibration c = { percent / 100.0, 9 };
                int64_t room = rf_calibrated_room(&c, window);
                struct rf_estimate e = { .files = room * tenths / 10 };
                e.text = room - e.files;
                assert_true(rf_calibrated(&c, &e) <= window + 1); /* rounded up */
            }
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(an_outlier_is_damped),
        cmocka_unit_test(a_stored_factor_is_not_trusted),
        cmocka_unit_test(corrects),
        cmocka_unit_test(what_fits_the_room_fits_the_window),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, learns, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
