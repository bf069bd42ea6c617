/* Errors: what they say survives long and hostile names, and stays one line of UTF-8. */
#include "base/error.h"

#include "base/json_read.h"
#include "base/utf8.h"

#include "../testing.h"

#include <errno.h>

static const struct code {
    const char *name; /* the code's own */
    enum rf_code code;
} codes[] = {
    { "ok", RF_OK },
    { "internal", RF_EINTERNAL },
    { "usage", RF_EUSAGE },
    { "unsupported", RF_EUNSUPPORTED },
    { "provider", RF_EPROVIDER },
    { "limit", RF_ELIMIT },
    { "unreadable", RF_EIO },
    { "not_found", RF_ENOTFOUND },
    { "malformed", RF_EFORMAT },
    { "encrypted", RF_EENCRYPTED },
    { "permission", RF_EPERMISSION },
    { "configuration", RF_ECONFIG },
    { "interrupted", RF_EINTERRUPTED },
    { "internal", (enum rf_code)99 },
};

static void has_its_name(void **state)
{
    const struct code *row = *state;
    assert_string_equal(rf_code_name(row->code), row->name);
}

static const struct control {
    const char *name, *text, *want;
} controls[] = {
    { "nothing to clean", "plain \xc3\xa9 \xe2\x82\xac", "plain \xc3\xa9 \xe2\x82\xac" },
    { "an escape sequence", "\x1b[31mred\x1b[0m", "?[31mred?[0m" },
    { "line breaks and tabs", "a\nb\rc\td", "a?b?c?d" },
    { "DEL", "a\x7f", "a?" },
    { "the C1 characters in UTF-8", "\xc2\x80\xc2\x9b\xc2\x9f", "??????" },
    { "the first character after C1 stays", "\xc2\xa0", "\xc2\xa0" },
    { "half a C1 character at the end", "a\xc2", "a\xc2" },
    { "nothing", "", "" },
};

static void is_cleaned(void **state)
{
    const struct control *row = *state;
    char text[64];
    snprintf(text, sizeof text, "%s", row->text);
    rf_clean_controls(text);
    assert_string_equal(text, row->want);
    struct rf_err err;
    assert_int_equal(rf_fail(&err, RF_EIO, "%s", row->text), RF_EIO);
    assert_string_equal(err.msg, row->want);
    rf_hint(&err, "%s", row->text);
    assert_string_equal(err.hint, row->want);
    rf_err_at(&err, row->text);
    struct rf_arena *a = rf_arena_new();
    assert_string_equal(err.msg, *row->want ? rf_strf(a, "%s: %s", row->want, row->want).p : "");
    rf_arena_free(a);
}

static const struct said {
    const char *name, *text, *want, *line;
} saids[] = {
    { "lines stay lines", "a\r\n\tb\n\nc\n", "x: a\nb\nc", "a b c" },
    { "a carriage return is a space", "a\rb\tc", "x: a b c", "a b c" },
    { "other controls do not", "\x1b[2J\x7f\xc2\x9b", "x: ?[2J???", "?[2J???" },
    { "nothing", "", "x: ", "" },
};

static void is_said(void **state)
{
    const struct said *row = *state;
    struct rf_err err;
    char text[64];
    assert_int_equal(rf_fail_said(&err, RF_EPROVIDER, rf_str(row->text), "%s", "x: "),
                     RF_EPROVIDER);
    assert_string_equal(err.msg, row->want);
    snprintf(text, sizeof text, "%s", row->text);
    rf_clean_words(text);
    assert_string_equal(text, row->line);
}

/* Only the words have lines, and a place has none. */
static void a_name_makes_no_line(void **state)
{
    struct rf_err err;
    char words[2000];
    (void)state;
    rf_fail_said(&err, RF_EPROVIDER, RF_STR("a\nb"), "%s ", "na\nme");
    rf_err_at(&err, "pla\nce");
    assert_string_equal(err.msg, "pla?ce: na?me a\nb");
    memset(words, 'w', sizeof words);
    memcpy(words + sizeof err.msg - 3, "\xc3\xa9", 2);
    rf_fail_said(&err, RF_EPROVIDER, (struct rf_str){ words, sizeof words }, "%s", "x");
    assert_int_equal(strlen(err.msg), sizeof err.msg - 2);
}

static const struct number {
    const char *name;
    int number;
    enum rf_code code;
    const char *want;
} numbers[] = {
    { "not there", ENOENT, RF_ENOTFOUND, "could not open \"x\": No such file or directory" },
    { "a file where a folder should be", ENOTDIR, RF_ENOTFOUND,
      "could not open \"x\": Not a directory" },
    { "no permission", EACCES, RF_EIO, "could not open \"x\": Permission denied" },
    { "an error of the disk", EIO, RF_EIO, "could not open \"x\": Input/output error" },
    { "interrupted by a signal", EINTR, RF_EINTERRUPTED,
      "could not open \"x\": Interrupted system call" },
};

static void has_words_of_the_system(void **state)
{
    const struct number *row = *state;
    struct rf_err err;
    errno = row->number;
    assert_int_equal(rf_fail_errno(&err, "could not open \"%s\"", "x"), row->code);
    assert_int_equal(err.code, row->code);
    assert_string_equal(err.msg, row->want);
    errno = row->number;
    assert_int_equal(rf_fail_errno(NULL, "could not open \"%s\"", "x"), row->code);
}

static void a_failure_replaces_the_one_before(void **state)
{
    (void)state;
    struct rf_err err;
    assert_int_equal(rf_fail(&err, RF_EIO, "first"), RF_EIO);
    rf_hint(&err, "Do %d things.", 2);
    assert_string_equal(err.hint, "Do 2 things.");
    assert_int_equal(rf_fail(&err, RF_ELIMIT, "second %d", 7), RF_ELIMIT);
    assert_int_equal(err.code, RF_ELIMIT);
    assert_string_equal(err.msg, "second 7");
    assert_string_equal(err.hint, "");
    rf_err_at(&err, "config.yaml:3");
    assert_string_equal(err.msg, "config.yaml:3: second 7");
    rf_err_at(&err, "");
    assert_string_equal(err.msg, "config.yaml:3: second 7");
}

static void a_place_can_be_taken_off_again(void **state)
{
    struct rf_err err;
    const struct rf_jpath up = { .field = "content" }, at = { .up = &up, .index = 1 };
    (void)state;
    assert_int_equal(rf_fail_at(&err, RF_EFORMAT, &at, "no: such"), RF_EFORMAT);
    assert_string_equal(err.msg, "content[1]: no: such");
    assert_string_equal(err.path, "content[1]");
    rf_err_without_place(&err);
    assert_string_equal(err.msg, "no: such");
    rf_err_without_place(&err);
    assert_string_equal(err.msg, "no: such");
    assert_string_equal(err.path, "content[1]");
    assert_int_equal(rf_fail(&err, RF_EIO, "another"), RF_EIO);
    assert_string_equal(err.path, "");
}

static void nobody_has_to_ask_why(void **state)
{
    (void)state;
    assert_int_equal(rf_fail(NULL, RF_EFORMAT, "%s", "x"), RF_EFORMAT);
    rf_hint(NULL, "Nothing.");
    rf_err_at(NULL, "place");
}

/* Names of 200 characters of three bytes, shifted, so that every cut through one is tried. */
static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    char name[1024];
    for (size_t shift = 0; shift < 3; shift++) {
        struct rf_err err;
        memset(name, 'x', shift);
        for (size_t i = 0; i < 200; i++)
            memcpy(name + shift + 3 * i, "\xe2\x82\xac", 4);
        assert_int_equal(rf_fail(&err, RF_EIO, "%s", name), RF_EIO);
        rf_hint(&err, "%s", name);
        assert_int_equal(rf_utf8_valid(rf_str(err.msg)), strlen(err.msg));
        assert_int_equal(rf_utf8_valid(rf_str(err.hint)), strlen(err.hint));
        assert_true(strlen(err.msg) > sizeof err.msg - 5);
        assert_true(strlen(err.hint) > sizeof err.hint - 5);
        rf_err_at(&err, "p");
        assert_int_equal(rf_utf8_valid(rf_str(err.msg)), strlen(err.msg));
        errno = ENOENT;
        assert_int_equal(rf_fail_errno(&err, "%s", name), RF_ENOTFOUND);
        assert_int_equal(rf_utf8_valid(rf_str(err.msg)), strlen(err.msg));
    }
}

/* A path may be longer than a message; what happened must not be what is cut off. */
static void a_long_name_does_not_hide_what_happened(void **state)
{
    (void)state;
    char name[4096];
    struct rf_err err;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    errno = EACCES;
    assert_int_equal(rf_fail_errno(&err, "could not open \"%s\"", name), RF_EIO);
    assert_true(rf_str_ends(rf_str(err.msg), ": Permission denied"));
    assert_true(rf_str_starts(rf_str(err.msg), "could not open \"xxx"));
}

static void bug(const void *arg)
{
    (void)arg;
    RF_BUG("a test");
}

static void a_bug_aborts(void **state)
{
    (void)state;
    assert_true(aborts(bug, NULL));
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_failure_replaces_the_one_before),
        cmocka_unit_test(a_place_can_be_taken_off_again),
        cmocka_unit_test(nobody_has_to_ask_why),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(a_long_name_does_not_hide_what_happened),
        cmocka_unit_test(a_bug_aborts),
        cmocka_unit_test(a_name_makes_no_line),
    };
    struct CMUnitTest
        tests[COUNT(codes) + COUNT(controls) + COUNT(saids) + COUNT(numbers) + COUNT(others)];
    struct CMUnitTest *at = tests;
    name_rows(at, has_its_name, codes, COUNT(codes), sizeof *codes);
    name_rows(at += COUNT(codes), is_cleaned, controls, COUNT(controls), sizeof *controls);
    name_rows(at += COUNT(controls), is_said, saids, COUNT(saids), sizeof *saids);
    name_rows(at += COUNT(saids), has_words_of_the_system, numbers, COUNT(numbers),
              sizeof *numbers);
    memcpy(at + COUNT(numbers), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
