/* Shared spelling: names of files, efforts, and finding a dialect. */
#include "base/arena.h"
#include "wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *fact, *name, *label, *mime, *want;
} names[] = {
    { "a right extension stays", "a.pdf", "", "application/pdf", "a.pdf" },
    { "another spelling of it too", "a.JPEG", "", "image/jpeg", "a.JPEG" },
    { "a missing one is added", "report", "", "application/pdf", "report.pdf" },
    { "a wrong one does not count", "a.png", "", "application/pdf", "a.png.pdf" },
    { "no name: the label", "", "document 1", "text/csv", "document 1.csv" },
    { "no name and no label", "", "", "application/pdf", "file.pdf" },
    { "an unknown type changes nothing", "a.xyz", "", "application/x-xyz", "a.xyz" },
    { "no type changes nothing", "a.xyz", "", "", "a.xyz" },
};

static void test_filename(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(names); i++) {
        struct rf_asset asset = { .name = rf_str(names[i].name), .mime = rf_str(names[i].mime) };
        struct rf_item item = { .asset = &asset, .label = rf_str(names[i].label) };
        const char *got = rf_cstr(a, rf_wire_filename(&item, a));
        if (strcmp(got, names[i].want))
            fail_msg("%s: \"%s\", not \"%s\"", names[i].fact, got, names[i].want);
    }
    rf_arena_free(a);
}

static const struct {
    int64_t budget;
    const char *want;
} efforts[] = {
    { 1, "low" },        { 4095, "low" },   { 4096, "medium" },
    { 16383, "medium" }, { 16384, "high" }, { INT64_MAX, "high" },
};

static void test_effort(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(efforts); i++) {
        struct rf_plan p = { .thinking_budget = efforts[i].budget };
        if (!rf_str_is(rf_wire_effort(&p), efforts[i].want))
            fail_msg("%lld tokens are not %s", (long long)efforts[i].budget, efforts[i].want);
    }
    struct rf_plan asked = { .thinking_budget = 1, .thinking_level = RF_STR("high") };
    assert_true(rf_str_is(rf_wire_effort(&asked), "high"));
    asked.thinking_off = true;
    assert_true(rf_str_is(rf_wire_effort(&asked), "none"));
}

#define EMPTY "{\"type\":\"object\",\"properties\":{}"
#define A "\"properties\":{\"a\":{}}"

static const struct {
    const char *schema, *want;
} schemas[] = {
    { NULL, EMPTY "}" },
    { "{}", EMPTY "}" },
    { "{\"type\":null,\"properties\":null}", EMPTY "}" },
    { "{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{}}" },
    { "{" A ",\"required\":[\"a\"]}", "{\"type\":\"object\"," A ",\"required\":[\"a\"]}" },
    { "{\"type\":[\"object\",\"null\"]," A "}", "{\"type\":\"object\"," A "}" },
    { "{\"anyOf\":[{" A "}]}", "{\"type\":\"object\",\"anyOf\":[{" A "}],\"properties\":{}}" },
    { "{\"title\":\"t\", " A ",\"type\":\"object\"}",
      "{\"title\":\"t\"," A ",\"type\":\"object\"}" },
};

static void test_schema_has_a_type_and_properties(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(schemas); i++) {
        struct rf_tool tool = { 0 };
        struct rf_rope rope;
        struct rf_json w;
        struct rf_str got;
        if (schemas[i].schema)
            assert_int_equal(rf_jval_parse(rf_str(schemas[i].schema), a, &tool.input_schema, NULL),
                             RF_OK);
        rf_rope_init(&rope, a);
        rf_json_init(&w, &rope);
        rf_wire_schema(&w, NULL, &tool);
        assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
        assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &got, NULL), RF_OK);
        assert_string_equal(rf_cstr(a, got), schemas[i].want);
    }
    rf_arena_free(a);
}

static const struct {
    const char *name;
    const struct rf_dialect *want;
} dialects[] = {
    { "anthropic", &rf_dialect_anthropic },
    { "bedrock", &rf_dialect_bedrock },
    { "gemini", &rf_dialect_gemini },
    { "openai-chat", &rf_dialect_openai_chat },
    { "openai-responses", &rf_dialect_openai_responses },
    { "mistral", &rf_dialect_mistral },
    { "ollama", &rf_dialect_ollama },
    { "cohere", &rf_dialect_cohere },
    { "mcp", &rf_dialect_mcp },
    { "openai", NULL },
    { "Ollama", NULL },
    { "", NULL },
};

static void test_dialect_find(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(dialects); i++) {
        if (rf_dialect_find(rf_str(dialects[i].name)) != dialects[i].want)
            fail_msg("\"%s\" finds another dialect", dialects[i].name);
    }
}

static void test_text_file_that_is_not_utf8_fails(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    struct rf_err err;
    const struct rf_asset asset = { .state = RF_ASSET_BYTES,
                                    .bytes = rf_bytes_memory(RF_STR("caf\xe9")) };
    const struct rf_item item = { .kind = RF_ITEM_TEXT_FILE, .asset = &asset };
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_wire_joined(&w, NULL, &item, 1);
    assert_int_equal(rf_json_finish(&w, &err), RF_EFORMAT);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filename),
        cmocka_unit_test(test_effort),
        cmocka_unit_test(test_schema_has_a_type_and_properties),
        cmocka_unit_test(test_dialect_find),
        cmocka_unit_test(test_text_file_that_is_not_utf8_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
