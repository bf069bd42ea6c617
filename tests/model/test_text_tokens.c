/* Tokens of texts and JSON: what pieces a text is cut into, and what a family's facts change. */
#include "model/tokens.h"

#include "../testing.h"

static const struct rf_caps plain = { .text_percent = 100 };
static const struct rf_caps half_more = { .text_percent = 150,
                                          .cjk_percent = 80,
                                          .script_percent = 30 };
static const struct rf_caps single_digits = { .text_percent = 100, .token_digits = 1 };
static const struct rf_caps nobody_knows = { 0 };
static const struct rf_caps absurd = { .text_percent = -5, .token_digits = INT64_MAX };

static const struct rf_caps other_languages = { .text_percent = 100, .language_percent = 200 };

#define TEN(text) text text text text text text text text text text
#define LATIN "sit amet, erat vel "
#define ENGLISH "sit with the dog, "
#define CODE "sit.amet(erat,vel) "

static const struct row {
    const char *name;
    const struct rf_caps *caps;
    struct rf_str text;
    int64_t want;
} rows[] = {
    { "no text costs nothing", &plain, B(""), 0 },
    { "a short word is one token", &plain, B("word"), 1 },
    { "a space belongs to the word after it", &plain, B("two words"), 2 },
    { "a sentence is its words and its stop", &plain, B("What is the capital of France?"), 7 },
    { "a long word is a little more", &plain, B(TEN(" information")), 14 },
    { "a word without end is cut into pieces", &plain, B(TEN("abcdefghijklmnopqrst")),
      (145 + 188 * 25 + 99) / 100 },
    { "a capital begins a piece", &plain, B("readFileOrFolder"), 4 },
    { "capitals before a word end with it", &plain, B("HTTPServer"), 3 },
    { "words in capitals cost more", &plain, B("RESPONSE"), 3 },
    { "three digits are a token", &plain, B("123456"), 2 },
    { "a digit is a token", &single_digits, B("123456"), 6 },
    { "a space before a number is a token of its own", &plain, B("12 345"), 3 },
    { "a line feed and its indentation", &plain, B("a\n        b"), 4 },
    { "empty lines are one", &plain, B("a\n\n\nb"), 3 },
    { "a rule is cheap", &plain, B("--------------------"), 2 },
    { "JSON: a mark right before a word is half of it", &plain, B("{\"a\":\"b\"}"), 7 },
    { "base64 is dear", &plain, B("8Fq2mV0xT5uYbK3hZ7wQe9RdL1sNp4Gc"), 23 },
    { "a long name is words", &plain, B("getUserAccountInformationByIdentifierOfOwner"), 9 },
    { "a hash is less dear", &plain, B("9f86d081884c7d659a2feaa0c55ad015"), 18 },
    { "a path is words", &plain, B("src/wire/plan/base/test/made/file/read"), 13 },
    { "a Chinese character is a token", &plain, B("\xe4\xbb\x8a\xe5\xa4\xa9\xe5\xa5\xbd"), 3 },
    { "a family may have them cheaper", &half_more, B("\xe4\xbb\x8a\xe5\xa4\xa9\xe5\xa5\xbd"), 3 },
    { "Korean counts as Chinese", &plain, B("\xed\x95\x9c\xea\xb5\xad"), 2 },
    { "six Cyrillic letters", &plain, B("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82"), 3 },
    { "and where they are cheaper", &half_more,
      B("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82"), 2 },
    { "an accent is part of a word", &plain, B("caf\xc3\xa9"), 2 },
    { "a pictograph is rare", &plain, B("\xf0\x9f\x98\x80"), 3 },
    { "half a character is not a reason to stop", &plain, B("\xf0\x9f"), 5 },
    { "any bytes will do", &plain, B("\0\xff\0"), 5 },
    { "a family's percentage", &half_more, B("What is the capital of France?"), 11 },
    { "the usual is a little more than plain", &nobody_knows, B(TEN(" word")), 11 },
    { "words of another language are cut", &other_languages, B(TEN(LATIN)), 90 },
    { "and by half where nobody knows how", &plain, B(TEN(LATIN)), 70 },
    { "English words are not", &other_languages, B(TEN(ENGLISH)), 50 },
    { "ten words tell no language", &other_languages, B(LATIN LATIN), 10 },
    { "code is not a language", &other_languages, B(TEN(CODE)), 68 },
    { "facts that make no sense are the usual", &absurd, B("123456"), 2 },
};

static void costs(void **state)
{
    const struct row *row = *state;
    assert_int_equal(rf_text_tokens(row->caps, row->text), row->want);
}

static const struct json_row {
    const char *name, *json;
    int64_t want;
} json_rows[] = {
    { "an empty object is a token", "{}", 1 },
    { "white space is not sent", "{ 'type' :   'object' }", 5 },
    { "and costs the same without", "{'type':'object'}", 5 },
    { "numbers", "[1, 22, 333]", 7 },
    { "true, false and null", "[true, false, null]", 7 },
    { "as deep as it goes", "[[[[[[]]]]]]", 6 },
};

static void costs_as_json(void **state)
{
    const struct json_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v = NULL;
    assert_int_equal(rf_jval_parse(quoted(a, row->json), a, &v, NULL), RF_OK);
    assert_int_equal(rf_json_tokens(&plain, v), row->want);
    assert_int_equal(rf_json_tokens(&plain, NULL), 0);
    rf_arena_free(a);
}

static void is_kept_as_text(void **state)
{
    static const char *const bad[] = {
        "", "1", "1,2,3,4,5,6", "1,2,3,4,5,6,-7", "1,2,3,4,5,6,x", "1,2,3,4,5,6,7,8,9"
    };
    struct rf_text_weight w = { 0 }, back;
    char text[RF_WEIGHT_TEXT];
    (void)state;
    rf_text_weigh(RF_STR("caf\xc3\xa9 12345 " TEN(LATIN)), &w);
    assert_true(w.foreign > 0);
    for (int i = 0; i < 2; i++, w.foreign = 0) {
        rf_text_weight_write(&w, text);
        assert_true(rf_text_weight_read(rf_str(text), &back));
        assert_memory_equal(&back, &w, sizeof w);
    }
    rf_text_weight_scale(&back, 3, 1);
    assert_int_equal(back.plain, 3 * w.plain);
    rf_text_weight_scale(&back, 1, 3);
    assert_memory_equal(&back, &w, sizeof w);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(rf_text_weight_read(rf_str(bad[i]), &back));
}

/* The same text after itself costs twice as much, and no byte is looked at again and again. */
static void is_linear(void **state)
{
    enum { LARGE = 1 << 22 };
    char *text = malloc(LARGE);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LARGE; i++)
        text[i] = "abc-"[i % 4];
    int64_t half = rf_text_tokens(&plain, (struct rf_str){ text, LARGE / 2 });
    int64_t all = rf_text_tokens(&plain, (struct rf_str){ text, LARGE });
    assert_true(all >= 2 * half - 2 && all <= 2 * half + 2);
    free(text);
}

/* Random texts of a few characters each, which make the most of every rule, with each family's
 * prices; and lists of small values. */
static void costs_no_more_than_its_length_says(void **state)
{
    static const struct rf_caps *const families[] = { &plain, &half_more, &single_digits,
                                                      &nobody_knows, &other_languages };
    static const char characters[] = "a aB9.,\n\t\"-=\xff\xc3\xa9\xe4\xb8\xad\xd0\xb4\xf0\x9f";
    unsigned random = 1;
    char text[64], json[2 * sizeof text + 2];
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const struct rf_caps *c = families[(size_t)i % COUNT(families)];
        size_t n = (size_t)i / 7 % sizeof text, from = (size_t)i / 11 % (COUNT(characters) - 4);
        for (size_t k = 0; k < n; k++) {
            random = random * 1664525u + 1013904223u;
            text[k] = characters[from + (random >> 16) % 4];
        }
        assert_true(rf_text_tokens(c, (struct rf_str){ text, n }) <= rf_most_tokens(c, n));
    }
    for (size_t i = 0; i < COUNT(families); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_jval *v = NULL;
        for (size_t k = 0; k < sizeof text; k++)
            memcpy(json + 2 * k, k ? ",7" : "[7", 2);
        memcpy(json + 2 * sizeof text, "]", 2);
        assert_int_equal(rf_jval_parse(rf_str(json), a, &v, NULL), RF_OK);
        assert_true(rf_json_tokens(families[i], v) <= rf_most_tokens(families[i], v->raw.n));
        rf_arena_free(a);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(json_rows) + 3];
    name_rows(tests, costs, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), costs_as_json, json_rows, COUNT(json_rows), sizeof *json_rows);
    tests[COUNT(rows) + COUNT(json_rows)] = (struct CMUnitTest)cmocka_unit_test(is_linear);
    tests[COUNT(rows) + COUNT(json_rows) + 1] =
        (struct CMUnitTest)cmocka_unit_test(is_kept_as_text);
    tests[COUNT(rows) + COUNT(json_rows) + 2] =
        (struct CMUnitTest)cmocka_unit_test(costs_no_more_than_its_length_says);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
