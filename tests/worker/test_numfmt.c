/* Number formats: the code, the number, what is shown. The rows are what spreadsheet programs show. */
#include "worker/office/numfmt.h"

#include "../testing.h"

static const struct {
    const char *code;
    double value;
    const char *want;
} rows[] = {
    { "General", 0.1 + 0.2, "0.3" },
    { "General", 123456789012345, "123456789012345" },
    { "0", 2.5, "3" },
    { "0", -0.4, "0" },
    { "0.00", 1.005, "1.01" },
    { "0.00", 9.995, "10.00" },
    { "0.00", 0, "0.00" },
    { "#.##", 0.5, ".5" },
    { "0.0##", 1.25, "1.25" },
    { "#,##0", 1234567, "1,234,567" },
    { "#,##0.00", -1234.5, "-1,234.50" },
    { "000", 7, "007" },
    { "0,000", 7, "0,007" },
    { "0.0,", 12345, "12.3" },
    { "0.0,,\" M\"", 12345678, "12.3 M" },
    { "0%", 0.126, "13%" },
    { "0.0%", 0.126, "12.6%" },
    { "0.00E+00", 12345, "1.23E+04" },
    { "0.00E+00", 0.00012, "1.20E-04" },
    { "##0.0E+0", 12345, "12.3E+3" },
    { "0E+0", 9.6, "1E+1" },
    { "# ?/?", 2.5, "2 1/2" },
    { "# ?\?/??", 3.14159, "3 14/99" },
    { "?/8", 0.375, "3/8" },
    { "# ?/?", 3, "3" },
    { "#,##0;(#,##0)", -1234, "(1,234)" },
    { "0;-0;\"none\"", 0, "none" },
    { ";;;", 5, "" },
    { "[Red]0.0;[Blue]-0.0", -2, "-2.0" },
    { "[>=1000]#,##0,\"k\";0", 5400, "5k" },
    { "[>=1000]#,##0,\"k\";0", 54, "54" },
    { "[$€-407] #,##0.00", 12, "€ 12.00" },
    { "_(\"$\"* #,##0.00_)", 12, "$12.00" },
    { "(000) 000-0000", 5551234567, "(555) 123-4567" },
    { "0\" of \"0", 12, "1 of 2" },
    { "yyyy-mm-dd", 45292, "2024-01-01" },
    { "yyyy-mm-dd", 60, "1900-02-29" },
    { "yyyy-mm-dd", 1, "1900-01-01" },
    { "dd.mm.yy", 43363, "20.09.18" },
    { "d-mmm-yyyy", 43363, "20-Sep-2018" },
    { "dddd, mmmm d", 43363, "Thursday, September 20" },
    { "h:mm AM/PM", 0.75, "6:00 PM" },
    { "h:mm AM/PM", 0, "12:00 AM" },
    { "hh:mm:ss", 0.5 + 1.0 / 86400, "12:00:01" },
    { "mm:ss.0", 61.25 / 86400, "01:01.3" },
    { "[h]:mm", 1.5, "36:00" },
    { "[mm]:ss", 0.0425, "61:12" },
    { "h\"h\" m\"m\"", 0.0625, "1h 30m" },
    { "yyyy-mm-dd", -5, "-5" },
    { "yyyy-mm-dd", 1e9, "1000000000" },
    { "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45292, "Monday, January 01, 2024" },
    { "\"", 5, "" },
    { "[", 5, "" },
    { "0.", 5, "5" },
};

static void shows_as_a_spreadsheet_does(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[RF_NUMFMT_ROOM];
        const struct rf_numfmt *f = rf_numfmt_parse(a, rf_str(rows[i].code));
        size_t n = rf_numfmt_write(f, rows[i].value, RF_EPOCH_1900, text, sizeof text);
        if (!rf_str_is((struct rf_str){ text, n }, rows[i].want))
            fail_msg("%s of %.15g: got \"%.*s\", want \"%s\"", rows[i].code, rows[i].value, (int)n,
                     text, rows[i].want);
    }
    rf_arena_free(a);
}

static void counts_from_1904(void **state)
{
    char text[RF_NUMFMT_ROOM];
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_numfmt *f = rf_numfmt_parse(a, rf_numfmt_builtin(14));
    size_t n = rf_numfmt_write(f, 0, RF_EPOCH_1904, text, sizeof text);
    assert_true(rf_str_is((struct rf_str){ text, n }, "1904-01-01"));
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_as_a_spreadsheet_does),
        cmocka_unit_test(counts_from_1904),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
