/* Base64 as people write it: data URLs taken apart, text made canonical, and how far it goes. */
#include "source/base64_text.h"

#include "files.h"

static const struct url {
    const char *name, *text;
    const char *want; /* TYPE|PAYLOAD; NULL: it is none */
} urls[] = {
    { "a data URL", "data:image/png;base64,QUJD", "image/png|QUJD" },
    { "all that follows is payload", "data:image/png;base64,QUJD, and more",
      "image/png|QUJD, and more" },
    { "parameters go", "data:text/plain;charset=utf-8;base64,QUJD", "text/plain|QUJD" },
    { "no type", "data:;base64,QUJD", "|QUJD" },
    { "no payload", "data:image/png;base64,", "image/png|" },
    { "capitals", "DATA:Image/PNG;BASE64,QUJD", "Image/PNG|QUJD" },
    { "no base64", "data:text/plain,hello", NULL },
    { "base64 as a word of its own", "data:base64,QUJD", NULL },
    { "base64 that is not last", "data:image/png;base64;x=y,QUJD", NULL },
    { "no comma", "data:image/png;base64", NULL },
    { "another scheme", "http://example.com/;base64,QUJD", NULL },
    { "something in front", " data:image/png;base64,QUJD", NULL },
    { "too short", "data", NULL },
    { "nothing", "", NULL },
    { "a comma that is far away",
      "data:"
      "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
      "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
      "23"
      "4567890123456789;base64,QUJD",
      NULL },
};

static void url_row(void **state)
{
    const struct url *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str mime, payload;
    bool is_url = rf_data_url(rf_str(row->text), &mime, &payload);
    assert_int_equal(is_url, row->want != NULL);
    if (is_url)
        assert_str(rf_strf(a, "%.*s|%.*s", RF_FMT(mime), RF_FMT(payload)), row->want);
    rf_arena_free(a);
}

static const struct clean {
    const char *name, *text;
    const char *want; /* or "!" and the message */
} cleans[] = {
    { "nothing to do", "QUJDRA==", "QUJDRA==" },
    { "nothing", "", "" },
    { "white space", " QU\nJD\r\n\tRA == ", "QUJDRA==" },
    { "white space alone", " \n", "" },
    { "line breaks as escapes", "QUJD\\nRA==\\r\\n", "QUJDRA==" },
    { "the URL alphabet", "-_-_", "+/+/" },
    { "padding of one is added", "QUJDREU", "QUJDREU=" },
    { "padding of two is added", "QUJDRA", "QUJDRA==" },
    { "too little padding", "QUJDRA=", "QUJDRA==" },
    { "a foreign character", "QUJD!A==\n", "!the base64 holds a foreign character at 4" },
    { "a backslash that is not a line break", "QUJD\\tRA",
      "!the base64 holds a foreign character at 4" },
    { "bits that mean nothing, before two signs of padding", "QUJDQR==", "QUJDQQ==" },
    { "and before one, or none that is written", "QUJDQUJ=", "QUJDQUI=" },
    { "the same without padding", "QUJDQUJ", "QUJDQUI=" },
    { "a character too many", "QUJDR", "!the base64 is cut off" },
    { "data after padding", "QQ==QUJD\n", "!the base64 holds a foreign character at 4" },
    { "NUL-like text", "QUJD%00", "!the base64 holds a foreign character at 4" },
};

static void clean_row(void **state)
{
    const struct clean *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str out;
    struct rf_err err;
    if (rf_base64_clean(rf_str(row->text), a, &out, &err))
        out = rf_strf(a, "!%s", err.msg);
    assert_str(out, row->want);
    rf_arena_free(a);
}

static void canonical_text_is_not_copied(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = to_base64(a, long_png(a, 10000)), out;
    assert_int_equal(rf_base64_clean(text, a, &out, NULL), RF_OK);
    assert_ptr_equal(out.p, text.p);
    rf_arena_free(a);
}

#define LINE76 "0123456789012345678901234567890123456789012345678901234567890123456789012345"
#define LINE128 LINE76 "0123456789012345678901234567890123456789012345678901"

static const struct extent {
    const char *name, *text;
    size_t run, block;
} extents[] = {
    { "nothing", "", 0, 0 },
    { "letters, digits and signs of both alphabets", "aZ09+/-_", 8, 8 },
    { "up to a space", "abcd efgh", 4, 4 },
    { "padding", "ab==cd", 4, 4 },
    { "not more than two of padding", "ab===", 4, 4 },
    { "padding alone", "==", 2, 2 },
    { "something else first", "!abc", 0, 0 },
    { "lines", LINE76 "\n" LINE76 "\nabc=\n", 76, 158 },
    { "lines that end in two characters", LINE76 "\r\n" LINE76 "\r\nabcd", 76, 160 },
    { "lines with escaped breaks", LINE76 "\\n" LINE76 "\\nabcd\\n\"", 76, 160 },
    { "indented lines", LINE76 "\n  " LINE76 "\n  abcd", 76, 162 },
    { "the last line is full", LINE76 "\n" LINE76, 76, 153 },
    { "one line", LINE76 "\n", 76, 76 },
    { "words on the next line", LINE76 "\nThank you.", 76, 76 },
    { "words after a space", LINE76 " thanks", 76, 76 },
    { "words after two full lines", LINE76 "\n" LINE76 "\nthank you", 76, 153 },
    { "a longer line does not belong to it", LINE76 "\n" LINE128, 76, 76 },
    { "padding ends it", "abc=\nabcd\n", 4, 4 },
    { "a line that no group of four fills", "abcde\nabcde\n", 5, 5 },
    { "long lines", LINE128 "\n" LINE128 "\nabcd", 128, 262 },
    { "a word after one long line", LINE128 "\nthanks", 128, 128 },
    { "lines that are too long", LINE128 "0123\n" LINE128 "0123\n", 132, 132 },
};

static void extent_row(void **state)
{
    const struct extent *row = *state;
    assert_int_equal(rf_base64_run(rf_str(row->text)), row->run);
    assert_int_equal(rf_base64_block(rf_str(row->text)), row->block);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(canonical_text_is_not_copied) };
    struct CMUnitTest tests[COUNT(urls) + COUNT(cleans) + COUNT(extents) + COUNT(others)];
    struct CMUnitTest *at = tests;
    name_rows(at, url_row, urls, COUNT(urls), sizeof *urls);
    name_rows(at += COUNT(urls), clean_row, cleans, COUNT(cleans), sizeof *cleans);
    name_rows(at += COUNT(cleans), extent_row, extents, COUNT(extents), sizeof *extents);
    memcpy(at + COUNT(extents), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
