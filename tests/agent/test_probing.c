/* The files of a probe carry their code in sight and sound alone; and a call in a few words. */
#include "testing.h"

#include "agent/probe_files.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "media/media.h"
#include "source/inspect.h"

#include <refract/agent.h>

static const struct {
    const char *name;
    struct rf_str (*make)(const char *code, struct rf_arena *a);
    const char *mime;
} files[] = {
    { "picture", rf_probing_picture, "image/png" },
    { "PDF", rf_probing_pdf, "application/pdf" },
    { "sound", rf_probing_sound, "audio/wav" },
};

static bool holds(struct rf_str s, const char *part)
{
    return memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static void test_files_are_what_they_say(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct rf_str bytes = files[i].make("864209", a);
        struct rf_bytes range = rf_bytes_memory(bytes);
        struct rf_inspection look;
        assert_int_equal(rf_inspect(&range, a, &look, NULL), RF_OK);
        assert_non_null(look.format);
        assert_string_equal(look.format->mime, files[i].mime);
        assert_int_equal(look.problem, RF_OK);
        assert_false(holds(bytes, "864209"));
    }
    rf_arena_free(a);
}

static void test_other_codes_are_other_files(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct rf_str one = files[i].make("864209", a), same = files[i].make("864209", a);
        struct rf_str other = files[i].make("864208", a);
        assert_true(rf_str_eq(one, same));
        assert_false(rf_str_eq(one, other));
    }
    rf_arena_free(a);
}

static void test_pdf_holds_no_text(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str pdf = rf_probing_pdf("864209", a);
    (void)state;
    assert_false(holds(pdf, "BT") || holds(pdf, "Tj") || holds(pdf, "/Font"));
    rf_arena_free(a);
}

static void test_codes_are_fresh_digits(void **state)
{
    char one[RF_PROBE_DIGITS + 1], other[RF_PROBE_DIGITS + 1];
    size_t same = 0;
    (void)state;
    rf_probing_code(one);
    for (size_t i = 0; i < 20; i++) {
        rf_probing_code(other);
        assert_int_equal(strspn(other, "0123456789"), RF_PROBE_DIGITS);
        assert_int_equal(strlen(other), RF_PROBE_DIGITS);
        same += strcmp(one, other) == 0;
    }
    assert_true(same < 3);
}

static void test_calls_in_a_few_words(void **state)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "a file alone", "{\"path\":\"a.png\"}", "a.png" },
        { "the file first", "{\"page_start\":3,\"file_path\":\"q3.pdf\"}", "q3.pdf page_start=3" },
        { "other values as JSON", "{\"a\":[1, 2],\"b\":null,\"c\":\"x y\"}",
          "a=[1,2] b=null c=x y" },
        { "nothing", "{}", "" },
        { "no object", "[1]", "" },
        { "no JSON", "{\"a\":", "" },
    };
    char words[RF_CALL_WORDS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rf_agent_call_words((struct rf_str){ cases[i].arguments, strlen(cases[i].arguments) },
                            words);
        assert_string_equal(words, cases[i].want);
    }
}

static void test_long_calls_are_cut(void **state)
{
    char arguments[40000], words[RF_CALL_WORDS];
    size_t n = (size_t)snprintf(arguments, sizeof arguments, "{\"text\":\"");
    (void)state;
    while (n < 20000)
        n += (size_t)snprintf(arguments + n, sizeof arguments - n, "\xc3\xa4");
    n += (size_t)snprintf(arguments + n, sizeof arguments - n, "\"");
    for (int i = 0; n < 39000; i++)
        n += (size_t)snprintf(arguments + n, sizeof arguments - n, ",\"key%d\":%d", i, i);
    n += (size_t)snprintf(arguments + n, sizeof arguments - n, "}");
    rf_agent_call_words((struct rf_str){ arguments, n }, words);
    assert_true(strlen(words) > 100 && strlen(words) < RF_CALL_WORDS);
    assert_non_null(strstr(words, "\xc3\xa4…"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_what_they_say),
        cmocka_unit_test(test_other_codes_are_other_files),
        cmocka_unit_test(test_pdf_holds_no_text),
        cmocka_unit_test(test_codes_are_fresh_digits),
        cmocka_unit_test(test_calls_in_a_few_words),
        cmocka_unit_test(test_long_calls_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
