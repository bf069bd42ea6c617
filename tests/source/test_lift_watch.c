/* Base64 of a file in a text that is read in windows: whatever the window is, the file is in it from
 * end to end or not at all. */
#include "base/buf.h"
#include "base/limits.h"
#include "source/base64_text.h"
#include "source/lift.h"
#include "source/lines.h"

#include "files.h"

#define LINES(first_line, most, most_of_line)                                               \
    {                                                                                       \
        .first = first_line, .max_bytes = most, .max_line = most_of_line, .byte_name = "at" \
    }
#define BYTES(from, count, most)                                                      \
    {                                                                                 \
        .by_bytes = true, .first_byte = from, .byte_limit = count, .max_bytes = most, \
        .max_line = 8                                                                 \
    }

/* A PNG whose pixels are one long chunk, which is broken when it is cut. */
static struct rf_str cut_sensitive_png(struct rf_arena *a)
{
    static const char chunk[] = "\0\0\x0b\xb8IDAT", end[] = "\0\0\0\0\0\0\0\0IEND\xae\x42`\x82";
    struct rf_buf b;
    struct rf_str png;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, (struct rf_str){ PNG_BYTES, 33 });
    rf_buf_add(&b, (struct rf_str){ chunk, sizeof chunk - 1 });
    rf_buf_add(&b, (struct rf_str){ long_png(a, 3000).p + 73, 3000 });
    rf_buf_add(&b, (struct rf_str){ end, sizeof end - 1 });
    assert_int_equal(rf_buf_finish(&b, &png, NULL), RF_OK);
    return png;
}

static const struct hidden_row {
    const char *name, *before, *after;
    size_t width; /* of a line; 0: one line */
    const char *by;
    bool url_alphabet;
} hidden[] = {
    { "on a line", "one\n", "\nlast\n", 0, "", false },
    { "on a line, in the URL alphabet", "one\n", "\nlast\n", 0, "", true },
    { "in JSON", "{\"n\": 1, \"a\": \"", "\"}\n", 0, "", false },
    { "in a data URL", "a { b: url(data:image/png;base64,", ") }\nlast\n", 0, "", false },
    { "in lines of 76", "one\n", "last one\n", 76, "\n", false },
    { "in lines of 64", "one\n", "last one\n", 64, "\r\n", false },
    { "in lines of 128, set in", "data: |\n  ", "last: 1\n", 128, "\n  ", false },
    { "in lines as a string spells them", "{\"a\": \"", "\"}\n", 76, "\\n", false },
};

static struct rf_str hidden_text(const struct hidden_row *row, struct rf_arena *a)
{
    struct rf_str base64 = to_base64(a, cut_sensitive_png(a));
    if (row->url_alphabet)
        base64 = url_alphabet(a, base64);
    if (row->width)
        base64 = wrapped(a, base64, row->width, row->by);
    return rf_strf(a, "%s%.*s%s", row->before, RF_FMT(base64), row->after);
}

static void expect_no_base64(const struct rf_window *w, struct rf_str text, struct rf_arena *a)
{
    struct rf_lines lines;
    rf_lines_init(&lines, w, a);
    for (size_t at = 0; at < text.n; at += 7)
        rf_lines_feed(&lines, (struct rf_str){ text.p + at, text.n - at < 7 ? text.n - at : 7 });
    rf_lines_end(&lines);
    struct rf_str shown = rf_lift_away(lines.text, a); /* as what is whole is on its way */
    for (size_t at = 0, run; at < shown.n; at += run ? run : 1) {
        run = rf_base64_run((struct rf_str){ shown.p + at, shown.n - at });
        if (run >= RF_MIN_LIFT_BASE64)
            fail_msg("line %d of %d, byte %d, at most %zu and %zu: %.*s", (int)w->first,
                     (int)w->limit, (int)w->first_byte, w->max_bytes, w->max_line, RF_FMT(shown));
    }
}

static void check_hidden(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = hidden_text(*state, a);
    static const size_t most[] = { 200, 999, 2000, 100000 };
    for (size_t i = 0; i < COUNT(most); i++) {
        for (int64_t first = 1; first < 70; first += first < 4 ? 1 : 11) {
            struct rf_window lines = LINES(first, most[i], 1500);
            expect_no_base64(&lines, text, a);
            lines.limit = 7;
            expect_no_base64(&lines, text, a);
            lines.numbered = true;
            expect_no_base64(&lines, text, a);
        }
        for (int64_t from = 0; from < (int64_t)text.n; from += from < 300 ? 1 : 37) {
            struct rf_window bytes = BYTES(from, 0, most[i]);
            expect_no_base64(&bytes, text, a);
        }
    }
    rf_arena_free(a);
}

static void words_stand_for_a_file_that_is_cut(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = hidden_text(&hidden[0], a);
    const struct {
        struct rf_window window;
        const char *want;
    } rows[] = {
        { LINES(1, 9999, 1000),
          "one\n(base64 left out) [3076 more bytes in this line: read on with at=1004]\nlast\n" },
        { BYTES(0, 1000, 9999), "one\n(base64 left out)" },
        { BYTES(1000, 1000, 9999), "(base64 left out)" },
        { BYTES(3000, 0, 9999), "(base64 left out)\nlast\n" },
        { BYTES(4070, 0, 9999), "lFTkSuQmCC\nlast\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_lines lines;
        rf_lines_init(&lines, &rows[i].window, a);
        rf_lines_feed(&lines, text);
        rf_lines_end(&lines);
        assert_str(lines.text, rows[i].want);
    }
    rf_arena_free(a);
}

static void what_is_not_a_file_stays(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str digits = { long_png(a, 3000).p + 73, 3000 };
    struct rf_str text = to_base64(a, digits);
    const struct rf_window rows[] = { LINES(1, 9999, 1000), BYTES(0, 1000, 9999),
                                      BYTES(1000, 1000, 9999) };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_lines lines;
        rf_lines_init(&lines, &rows[i], a);
        rf_lines_feed(&lines, text);
        rf_lines_end(&lines);
        assert_int_equal(rf_base64_run(lines.text), 1000);
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(hidden) + 2] = {
        cmocka_unit_test(words_stand_for_a_file_that_is_cut),
        cmocka_unit_test(what_is_not_a_file_stays),
    };
    name_rows(tests + 2, check_hidden, hidden, COUNT(hidden), sizeof *hidden);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
