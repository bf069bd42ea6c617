/* Widths and steps of text, and text that cannot steer a terminal. */
#include "term/cells.h"

#include <string.h>

#include "term/buffer.h"

#include "../testing.h"

static const struct step {
    const char *name, *text;
    size_t bytes; /* of the first step; 0: all of the text */
    int cells;    /* of it */
    int all;      /* of the text */
} steps[] = {
    { "nothing", "", 0, 0, 0 },
    { "a letter", "ab", 1, 1, 2 },
    { "a letter of two bytes", "é", 0, 1, 1 },
    { "a letter with its accent", "e\u0301x", 3, 1, 2 },
    { "a letter with three marks", "o\u0302\u0323\u0301", 0, 1, 1 },
    { "a mark alone", "\u0301", 0, 0, 0 },
    { "ideographs", "日本", 3, 2, 4 },
    { "an ideograph of the second plane", "\U00020000", 0, 2, 2 },
    { "one that Unicode has not assigned yet", "\U0003fffd", 0, 2, 2 },
    { "full-width letters", "ＡＢ", 3, 2, 4 },
    { "half-width kana", "ｱｲ", 3, 1, 2 },
    { "a kana with its sound mark", "か\u3099", 0, 2, 2 },
    { "a syllable of Hangul", "한", 0, 2, 2 },
    { "one of three letters", "\u1112\u1161\u11ab", 0, 2, 2 },
    { "two of two letters", "\u1112\u1161\u1112\u1161", 6, 2, 4 },
    { "an emoji", "😀", 0, 2, 2 },
    { "a family is one", "👨\u200d👩\u200d👧\u200d👦x", 25, 2, 3 },
    { "a physician", "🧑\u200d⚕\ufe0f", 0, 2, 2 },
    { "a skin", "👍🏽", 0, 2, 2 },
    { "a skin alone", "🏽", 0, 2, 2 },
    { "a skin on a narrow hand", "☝🏽", 0, 1, 1 },
    { "a skin on no hand", "a🏽", 1, 1, 3 },
    { "a flag", "🇩🇪", 0, 2, 2 },
    { "two flags", "🇩🇪🇫🇷", 8, 2, 4 },
    { "half a flag", "🇩x", 4, 1, 2 },
    { "three halves", "🇩🇪🇫", 8, 2, 3 },
    { "the flag of a part", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 0,
      2, 2 },
    { "a heart", "❤", 0, 1, 1 },
    { "a heart as an emoji", "❤\ufe0f", 0, 2, 2 },
    { "a heart as text", "❤\ufe0e", 0, 1, 1 },
    { "a key", "1\ufe0f\u20e3x", 7, 2, 3 },
    { "a selector that asks for nothing", "a\ufe0f", 0, 1, 1 },
    { "a vowel that stands beside", "\u0915\u093f", 0, 2, 2 },
    { "at most two cells", "\u0915\u093f\u093f\u093f", 6, 2, 4 },
    { "a space without width", "\u200b", 0, 0, 0 },
    { "a joiner joins no letters", "a\u200db", 4, 1, 2 },
    { "right to left", "שלום", 2, 1, 4 },
    { "ambiguous is narrow", "±", 0, 1, 1 },
    { "a box", "─", 0, 1, 1 },
    { "a byte that is none",
      "\xff"
      "a",
      1, 1, 2 },
    { "half a character", "\xe6\x97", 1, 1, 2 },
    { "one that is too long", "\xc0\xaf", 1, 1, 2 },
    { "half of a pair", "\xed\xa0\x80", 1, 1, 3 },
    { "over the end of Unicode", "\xf4\x90\x80\x80", 1, 1, 4 },
    { "an escape is shown as one", "\033[1m", 1, 1, 4 },
    { "a mark on a control is alone", "\033\u0301", 1, 1, 1 },
    { "a mark that turns is shown as one", "\u202ea", 3, 1, 2 },
    { "tabs go to every fourth cell", "\ta\tbcd\te", 1, 4, 13 },
    { "a tab after wide ones", "日本\t", 3, 2, 8 },
};

static void stepped(void **state)
{
    const struct step *row = *state;
    struct rf_str s = { row->text, strlen(row->text) };
    int cells;
    size_t n = rf_cells_step(s, &cells);
    assert_int_equal(n, row->bytes ? row->bytes : s.n);
    assert_int_equal(cells, row->cells);
    assert_int_equal(rf_cells(s), row->all);
}

static const struct apart {
    const char *name, *text;
    int cells;
} aparts[] = {
    { "apart: letters", "a\té日", 7 },
    { "apart: accents", "e\u0301o\u0302\u0323", 2 },
    { "apart: a family", "x👨\u200d👩\u200d👧\u200d👦x", 10 },
    { "apart: a skin", "👍🏽", 4 },
    { "apart: a skin on a narrow hand", "☝🏽", 3 },
    { "apart: a flag", "🇩🇪", 2 },
    { "apart: a heart as an emoji", "❤\ufe0f", 2 },
    { "apart: controls", "\033[1m\u202ea\xff", 7 },
};

static void taken_apart(void **state)
{
    const struct apart *row = *state;
    struct rf_str s = { row->text, strlen(row->text) };
    assert_int_equal(rf_cells_apart(s), row->cells);
    assert_true(rf_cells_apart(s) >= rf_cells(s));
}

static const struct fit {
    const char *name, *text;
    int width;
    size_t bytes;
    int used;
} fits[] = {
    { "all of it", "abc", 3, 3, 3 },
    { "a part", "abc", 2, 2, 2 },
    { "nothing", "abc", 0, 0, 0 },
    { "less than nothing", "abc", -5, 0, 0 },
    { "half of a wide one does not", "日本", 3, 3, 2 },
    { "accents of the last come along", "abe\u0301\u0301c", 3, 7, 3 },
    { "a family is not cut", "a👨\u200d👩\u200d👧b", 2, 1, 1 },
    { "a tab that reaches too far", "ab\tc", 3, 2, 2 },
    { "a tab that just fits", "ab\tc", 4, 3, 4 },
};

static void fitted(void **state)
{
    const struct fit *row = *state;
    struct rf_str s = { row->text, strlen(row->text) };
    int used;
    assert_int_equal(rf_cells_fit(s, row->width, &used), row->bytes);
    assert_int_equal(used, row->used);
    assert_int_equal(rf_cells_fit(s, row->width, NULL), row->bytes);
}

static const struct clean {
    const char *name, *text, *want;
} cleans[] = {
    { "text stays", "héllo 日本 👍🏽 שלום", "héllo 日本 👍🏽 שלום" },
    { "an escape sequence", "\033[31mred\033]0;title\a", "?[31mred?]0;title?" },
    { "controls of C0",
      "a\b\r\n\x7f"
      "b",
      "a????b" },
    { "controls of C1",
      "\xc2\x9b"
      "31m\xc2\x80\xc2\x9f",
      "?31m??" },
    { "C1 as a byte",
      "\x9b"
      "31m",
      "?31m" },
    { "bytes that are not UTF-8", "\xff\xc3+\xe6\x97", "??+??" },
    { "marks that turn", "\u202aa\u202e\u2066b\u2069", "?a??b?" },
    { "marks that are letters without a shape", "\u05d0\u200f!\u200e\u061c", "\u05d0\u200f!\u200e\u061c" },
    { "lines of Unicode", "a\u2028b\u2029", "a?b?" },
    { "tabs", "a\tb\t日\tc", "a   b   日  c" },
    { "accents stay", "e\u0301", "e\u0301" },
    { "next to a line of C1", "\xc2\xa0", "\xc2\xa0" },
};

static void cleaned(void **state)
{
    const struct clean *row = *state;
    struct rf_buffer b = { 0 };
    rf_cells_clean(&b, (struct rf_str){ row->text, strlen(row->text) });
    assert_int_equal(b.n, strlen(row->want));
    assert_memory_equal(b.p, row->want, b.n);
    rf_buffer_release(&b);
}

/* NUL is a control like others. */
static void cleaned_of_nul(void **state)
{
    (void)state;
    struct rf_buffer b = { 0 };
    rf_cells_clean(&b, (struct rf_str){ "a\0b", 3 });
    assert_int_equal(b.n, 3);
    assert_memory_equal(b.p, "a?b", 3);
    rf_buffer_release(&b);
}

/* Marks without end: steps stay small, and all of it takes no time to speak of. */
static void marks_without_end(void **state)
{
    (void)state;
    size_t count = 500000;
    char *text = malloc(1 + 2 * count);
    assert_non_null(text);
    text[0] = 'a';
    for (size_t i = 0; i < count; i++)
        memcpy(text + 1 + 2 * i, "\u0301", 2);
    struct rf_str s = { text, 1 + 2 * count };
    int cells;
    assert_true(rf_cells_step(s, &cells) < 300);
    assert_int_equal(rf_cells(s), 1);
    free(text);
}

/* Any bytes at all: steps cover them, have at most two cells but for tabs, and what is cleaned has the same width
 * and no control in it. */
static void any_bytes(void **state)
{
    (void)state;
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[24];
        static const char *const pieces[] = { "\u200d", "👩", "\ufe0f", "\xe2",
                                              "\u1161", "🇩", "\t",     "\033" };
        size_t n = 0;
        while (n + 4 < sizeof text) {
            seed = seed * 1664525 + 1013904223;
            const char *piece = pieces[seed >> 29];
            if (seed >> 24 & 1) {
                memcpy(text + n, piece, strlen(piece));
                n += strlen(piece);
            } else {
                text[n++] = (char)(seed >> 16);
            }
        }
        struct rf_buffer b = { 0 };
        struct rf_str s = { text, n };
        rf_cells_clean(&b, s);
        assert_int_equal(rf_cells(rf_buffer_view(&b)), rf_cells(s));
        for (size_t i = 0; i < b.n; i++)
            assert_true((unsigned char)b.p[i] >= ' ' && b.p[i] != 127);
        for (size_t at = 0, step; at < n; at += step) {
            int cells;
            step = rf_cells_step((struct rf_str){ text + at, n - at }, &cells);
            assert_true(step > 0 && step <= n - at);
            assert_true(cells >= 0 && cells <= (text[at] == '\t' ? 4 : 2));
        }
        rf_buffer_release(&b);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(steps) + COUNT(aparts) + COUNT(fits) + COUNT(cleans) + 3];
    size_t n = 0;
    name_rows(tests, stepped, steps, COUNT(steps), sizeof *steps);
    n += COUNT(steps);
    name_rows(tests + n, taken_apart, aparts, COUNT(aparts), sizeof *aparts);
    n += COUNT(aparts);
    name_rows(tests + n, fitted, fits, COUNT(fits), sizeof *fits);
    n += COUNT(fits);
    name_rows(tests + n, cleaned, cleans, COUNT(cleans), sizeof *cleans);
    n += COUNT(cleans);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(cleaned_of_nul);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(marks_without_end);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(any_bytes);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
