/* Slices of text: matching, cutting, numbers and UTF-8. */
#include "base/str.h"

#include "base/num.h"
#include "base/utf8.h"

#include "../testing.h"

static const struct glob {
    const char *name, *pattern, *s;
    bool want;
} globs[] = {
    { "the same", "gpt-5", "gpt-5", true },
    { "case does not matter", "GPT-5", "gpt-5", true },
    { "longer than the pattern", "gpt-5", "gpt-5-mini", false },
    { "shorter than the pattern", "gpt-5-mini", "gpt-5", false },
    { "a star at the end", "gpt-5*", "gpt-5-mini", true },
    { "a star for nothing", "gpt-5*", "gpt-5", true },
    { "a star at the front", "*mini", "gpt-5-mini", true },
    { "a star at the front needs the end", "*mini", "gpt-5-minis", false },
    { "a star on both sides", "*claude*", "us.anthropic.claude-sonnet", true },
    { "a star in the middle", "a*c", "abbbc", true },
    { "a star in the middle needs both ends", "a*c", "abbb", false },
    { "the last place that fits counts", "*ab", "aabab", true },
    { "several stars", "*a*b*c*", "xxaxxbxxcxx", true },
    { "several stars in order", "*a*b*c*", "xxcxxbxxaxx", false },
    { "stars alone", "***", "", true },
    { "a star matches all", "*", "anything at all", true },
    { "nothing matches nothing", "", "", true },
    { "nothing matches nothing else", "", "a", false },
    { "no question marks", "a?c", "abc", false },
    { "a question mark is itself", "a?c", "a?c", true },
    { "no brackets", "[ab]", "a", false },
    { "a text without its end", "abc*", "ab", false },
};

static void matches(void **state)
{
    const struct glob *row = *state;
    assert_int_equal(rf_glob(rf_str(row->pattern), rf_str(row->s)), row->want);
}

static void matches_by_case(void **state)
{
    (void)state;
    assert_true(rf_glob_exact(RF_STR("Claude-*"), RF_STR("Claude-opus")));
    assert_false(rf_glob_exact(RF_STR("claude-*"), RF_STR("Claude-opus")));
}

/* A pattern that makes naive matchers take for ever. */
static void matching_takes_no_time(void **state)
{
    (void)state;
    char pattern[101], text[5001];
    for (size_t i = 0; i < 100; i += 2)
        memcpy(pattern + i, "*a", 2);
    memset(text, 'a', 5000);
    text[5000] = 'b';
    assert_false(rf_glob((struct rf_str){ pattern, 100 }, (struct rf_str){ text, 5001 }));
}

static const struct split {
    const char *name, *text;
    const char *want; /* the pieces, each in <> */
} splits[] = {
    { "pieces", "a,b,c", "<a><b><c>" },
    { "one piece", "abc", "<abc>" },
    { "nothing", "", "" },
    { "empty pieces in front and between", ",a,,b", "<><a><><b>" },
    { "nothing after the last separator", "a,", "<a>" },
    { "separators alone", ",,", "<><>" },
    { "white space stays", " a , b ", "< a >< b >" },
};

static void is_split(void **state)
{
    const struct split *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = rf_str(row->text), piece, got = RF_STR("");
    while (rf_str_split(&rest, ',', &piece))
        got = rf_strf(a, "%.*s<%.*s>", RF_FMT(got), RF_FMT(piece));
    assert_str(got, row->want);
    rf_arena_free(a);
}

static const struct trim {
    const char *name;
    struct rf_str text;
    const char *want;
    bool blank;
} trims[] = {
    { "white space on both sides", B(" \t\r\n\v\fa b\n "), "a b", false },
    { "nothing to trim", B("ab"), "ab", false },
    { "white space alone", B(" \n\t "), "", true },
    { "an empty text", B(""), "", true },
    { "a space that does not break is none here", B("\xc2\xa0"), "\xc2\xa0", false },
    { "a control character is not white space", B("\x01"), "\x01", false },
};

static void is_trimmed(void **state)
{
    const struct trim *row = *state;
    assert_str(rf_str_trim(row->text), row->want);
    assert_int_equal(rf_str_blank(row->text), row->blank);
}

static void nul_is_no_white_space(void **state)
{
    (void)state;
    assert_false(rf_str_blank((struct rf_str){ "\0", 1 }));
    assert_int_equal(rf_str_trim((struct rf_str){ " \0 ", 3 }).n, 1);
}

static const struct number {
    const char *name; /* and the text */
    bool good;
    int64_t want;
} numbers[] = {
    { "0", true, 0 },
    { "-0", true, 0 },
    { "007", true, 7 },
    { "42", true, 42 },
    { "-42", true, -42 },
    { "9223372036854775807", true, INT64_MAX },
    { "-9223372036854775808", true, INT64_MIN },
    { "9223372036854775808", false, 0 },
    { "-9223372036854775809", false, 0 },
    { "92233720368547758070", false, 0 },
    { "", false, 0 },
    { "-", false, 0 },
    { "--1", false, 0 },
    { "+1", false, 0 },
    { " 1", false, 0 },
    { "1 ", false, 0 },
    { "1.0", false, 0 },
    { "0x10", false, 0 },
    { "1e3", false, 0 },
    { "\xd9\xa1", false, 0 },
};

static void is_number(void **state)
{
    const struct number *row = *state;
    int64_t n = 99;
    assert_int_equal(rf_str_int64(rf_str(row->name), &n), row->good);
    assert_true(n == (row->good ? row->want : 99));
}

static void slices_are_compared(void **state)
{
    (void)state;
    struct rf_str none = { NULL, 0 }, ab = RF_STR("ab");
    assert_true(rf_str_eq(none, RF_STR("")));
    assert_true(rf_str_is(none, ""));
    assert_true(rf_str_is(ab, "ab"));
    assert_false(rf_str_is(ab, "aB"));
    assert_false(rf_str_is(RF_STR("ab\0c"), "ab"));
    assert_true(rf_str_ieq(ab, RF_STR("aB")));
    assert_false(rf_str_ieq(RF_STR("\xc3\x84"), RF_STR("\xc3\xa4")));
    assert_false(rf_str_ieq(RF_STR("@"), RF_STR("`")));
    assert_true(rf_str_starts(ab, "a") && rf_str_starts(ab, "") && rf_str_starts(ab, "ab"));
    assert_false(rf_str_starts(ab, "abc") || rf_str_starts(none, "a"));
    assert_true(rf_str_ends(ab, "b") && rf_str_ends(ab, "") && rf_str_ends(ab, "ab"));
    assert_false(rf_str_ends(ab, "cab") || rf_str_ends(none, "a"));
    assert_true(rf_str_contains(ab, RF_STR("b")) && rf_str_contains(ab, none));
    assert_false(rf_str_contains(ab, RF_STR("abc")) || rf_str_contains(none, RF_STR("a")));
    assert_int_equal(rf_str(NULL).n, 0);
}

static void copies_end_in_nul(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    char text[] = "abc";
    struct rf_str copy = rf_str_dup(a, (struct rf_str){ text, 2 });
    memset(text, 'x', 3);
    assert_str(copy, "ab");
    assert_int_equal(copy.p[2], '\0');
    assert_string_equal(rf_cstr(a, (struct rf_str){ "abc", 1 }), "a");
    assert_string_equal(rf_cstr(a, (struct rf_str){ NULL, 0 }), "");
    assert_str(rf_strf(a, "%d-%s-%.*s", 7, "x", RF_FMT(RF_STR("yz"))), "7-x-yz");
    assert_str(rf_strf(a, "%s", ""), "");
    assert_int_equal(rf_strf(a, "%5000d", 1).n, 5000);
    rf_arena_free(a);
}

static const struct utf8 {
    const char *name;
    struct rf_str text;
    size_t valid; /* bytes */
    bool partial; /* could the rest be a beginning? */
} utf8s[] = {
    { "ASCII", B("abc"), 3, false },
    { "NUL", B("a\0b"), 3, false },
    { "two bytes", B("\xc2\x80\xdf\xbf"), 4, false },
    { "three bytes", B("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"), 12, false },
    { "four bytes", B("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), 8, false },
    { "one of two bytes", B("a\xc3"), 1, true },
    { "one of three bytes", B("a\xe2"), 1, true },
    { "two of three bytes", B("a\xe2\x82"), 1, true },
    { "one of four bytes", B("a\xf0"), 1, true },
    { "three of four bytes", B("a\xf0\x9f\x98"), 1, true },
    { "the beginning of an overlong one", B("a\xc0"), 1, false },
    { "the beginning of an overlong one of three", B("a\xe0\x9f"), 1, false },
    { "the first byte that may be overlong", B("a\xe0"), 1, true },
    { "the beginning of an overlong one of four", B("a\xf0\x8f\x80"), 1, false },
    { "the beginning of a surrogate", B("a\xed\xa0"), 1, false },
    { "the first byte that may be a surrogate", B("a\xed"), 1, true },
    { "the beginning of one past the last", B("a\xf4\x90"), 1, false },
    { "a byte that never begins one", B("a\xf5"), 1, false },
    { "a continuation", B("a\x80"), 1, false },
    { "a broken one", B("a\xe2\x41\x80"), 1, false },
    { "an overlong NUL", B("\xc0\x80"), 0, false },
    { "an error after eight letters", B("abcdefgh\xff"), 8, false },
    { "an error after nine letters",
      B("abcdefghi\xff"
        "abcdefgh"),
      9, false },
};

static void is_utf8(void **state)
{
    const struct utf8 *row = *state;
    assert_int_equal(rf_utf8_valid(row->text), row->valid);
    const unsigned char *rest = (const unsigned char *)row->text.p + row->valid;
    assert_int_equal(rf_utf8_partial(rest, row->text.n - row->valid), row->partial);
}

/* Every code point there and back, and every one that is not one refused. */
static void every_character_there_and_back(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char out[4];
        unsigned n = rf_utf8_put(c, out), want = c >= 0xd800 && c <= 0xdfff ? 0 : n;
        if (rf_utf8_char((unsigned char *)out, n) != want)
            fail_msg("U+%04X", (unsigned)c);
        for (unsigned cut = 1; want && cut < n; cut++)
            if (rf_utf8_char((unsigned char *)out, cut) != 0 ||
                !rf_utf8_partial((unsigned char *)out, cut))
                fail_msg("U+%04X cut to %u", (unsigned)c, cut);
    }
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    struct rf_str s = RF_STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };
    for (size_t max = 0; max < COUNT(want); max++)
        assert_int_equal(rf_utf8_cut(s, max).n, want[max]);
    assert_int_equal(rf_utf8_cut((struct rf_str){ NULL, 0 }, 5).n, 0);
}

static void characters_are_counted(void **state)
{
    (void)state;
    struct rf_str s = RF_STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    static const size_t want[] = { 0, 1, 3, 6, 10, 10 };
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(rf_utf8_offset(s, (int64_t)i), want[i]);
    assert_int_equal(rf_utf8_offset(s, -1), 0);
    assert_int_equal(rf_utf8_count(s), 4);
    assert_int_equal(rf_utf8_count((struct rf_str){ NULL, 0 }), 0);
}

static void sums_and_products_are_checked(void **state)
{
    (void)state;
    uint64_t u;
    size_t n;
    assert_true(rf_add_u64(UINT64_MAX - 1, 1, &u) && u == UINT64_MAX);
    assert_false(rf_add_u64(UINT64_MAX, 1, &u));
    assert_true(rf_add_size(SIZE_MAX, 0, &n) && n == SIZE_MAX);
    assert_false(rf_add_size(SIZE_MAX, 1, &n));
    assert_true(rf_mul_size(SIZE_MAX, 1, &n));
    assert_false(rf_mul_size(SIZE_MAX, 2, &n));
}

#define ROWS (COUNT(globs) + COUNT(splits) + COUNT(trims) + COUNT(numbers) + COUNT(utf8s))

static void what_stands_behind_the_last(void **state)
{
    (void)state;
    assert_str(rf_str_behind(RF_STR("a/b/c.png"), '/'), "c.png");
    assert_str(rf_str_behind(RF_STR("c.png"), '/'), "c.png");
    assert_str(rf_str_behind(RF_STR("a/"), '/'), "");
    assert_str(rf_str_behind(RF_STR(""), '/'), "");
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(matches_by_case),
        cmocka_unit_test(matching_takes_no_time),
        cmocka_unit_test(nul_is_no_white_space),
        cmocka_unit_test(what_stands_behind_the_last),
        cmocka_unit_test(slices_are_compared),
        cmocka_unit_test(copies_end_in_nul),
        cmocka_unit_test(every_character_there_and_back),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(sums_and_products_are_checked),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *at = tests;
    name_rows(at, matches, globs, COUNT(globs), sizeof *globs);
    name_rows(at += COUNT(globs), is_split, splits, COUNT(splits), sizeof *splits);
    name_rows(at += COUNT(splits), is_trimmed, trims, COUNT(trims), sizeof *trims);
    name_rows(at += COUNT(trims), is_number, numbers, COUNT(numbers), sizeof *numbers);
    name_rows(at += COUNT(numbers), is_utf8, utf8s, COUNT(utf8s), sizeof *utf8s);
    memcpy(at + COUNT(utf8s), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
