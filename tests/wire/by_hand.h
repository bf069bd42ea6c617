/* Plans made by hand, for tests of single encoders: what whole conversations do not reach. A row
 * gives facts, turns and options, and the body that must come out to the last byte. */
#ifndef TESTS_WIRE_BY_HAND_H
#define TESTS_WIRE_BY_HAND_H

#include "base/arena.h"
#include "wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define SAID(words)                                      \
    {                                                    \
        .kind = RF_ITEM_TEXT, .text = RF_STR_INIT(words) \
    }
#define JSON(json, is_object)                                                     \
    {                                                                             \
        .kind = RF_ITEM_JSON, .text = RF_STR_INIT(json), .json_object = is_object \
    }
#define FILE_OF(a)                                                               \
    {                                                                            \
        .kind = RF_ITEM_MEDIA, .asset = &(a), .label = RF_STR_INIT("document 1") \
    }
#define TEXT_OF(a)                                                               \
    {                                                                            \
        .kind = RF_ITEM_TEXT_FILE, .asset = &(a), .text = RF_STR_INIT("[notes]") \
    }
#define THOUGHT(b)                              \
    {                                           \
        .kind = RF_ITEM_THINKING, .block = &(b) \
    }
#define CALL(call_id, mark)                                                 \
    {                                                                       \
        .kind = RF_ITEM_CALL, .block = &a_call, .id = RF_STR_INIT(call_id), \
        .name = RF_STR_INIT("look"), .signature = RF_STR_INIT(mark)         \
    }
#define RESULT(call_id, is_failed, list)                                                 \
    {                                                                                    \
        .kind = RF_ITEM_RESULT, .id = RF_STR_INIT(call_id), .name = RF_STR_INIT("look"), \
        .failed = is_failed, .items = list, .count = COUNT(list)                         \
    }
#define OPAQUE(b, words)                                                  \
    {                                                                     \
        .kind = RF_ITEM_OPAQUE, .block = &(b), .text = RF_STR_INIT(words) \
    }
#define SPEAKS(who, list)                                                         \
    {                                                                             \
        .role = RF_ROLE_USER, .speaker = who, .items = list, .count = COUNT(list) \
    }
#define USER(list)                                                \
    {                                                             \
        .role = RF_ROLE_USER, .items = list, .count = COUNT(list) \
    }
#define ASSISTANT(list)                                                \
    {                                                                  \
        .role = RF_ROLE_ASSISTANT, .items = list, .count = COUNT(list) \
    }
#define TURNS(list) .turns = list, .turn_count = COUNT(list)
#define TOOLS(list) .tools = list, .tool_count = COUNT(list)

#define BYTES(bytes_text, a_kind, a_mime, a_name)                             \
    {                                                                         \
        .state = RF_ASSET_BYTES, .kind = a_kind, .mime = RF_STR_INIT(a_mime), \
        .name = RF_STR_INIT(a_name), .bytes = {                               \
            .kind = RF_BYTES_MEMORY,                                          \
            .text = RF_STR_INIT(bytes_text),                                  \
            .size = sizeof(bytes_text) - 1                                    \
        }                                                                     \
    }
#define ELSEWHERE(a_state, a_ref, a_kind, a_mime)                                                \
    {                                                                                            \
        .state = a_state, .kind = a_kind, .mime = RF_STR_INIT(a_mime), .ref = RF_STR_INIT(a_ref) \
    }

struct row {
    const char *name; /* the fact it proves */
    struct rf_caps caps;
    struct rf_conversation conversation;
    struct rf_plan plan;
    const char *options;      /* JSON: temperature, top_p, stop and schema; or NULL */
    const char *kept;         /* JSON: what was kept aside of the body, and ... */
    const char *kept_options; /* ... of its options; or NULL */
    const char *want;         /* the body; or "!" and the error message */
};

/* A schema that is closed all the way down, and one that is not. */
#define CLOSED                                                                              \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]," \
    "\"additionalProperties\":false}"
#define OPEN                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"minimum\":{\"type\":\"integer\",\"minimum\":0}," \
    "\"b\":{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}}}"
/* The second, for APIs that want objects closed and take no bounds. */
#define OPEN_CLOSED                                                                          \
    "{\"type\":\"object\",\"properties\":{\"minimum\":{\"type\":\"integer\"},"                 \
    "\"b\":{\"anyOf\":[{\"type\":\"object\",\"additionalProperties\":false},"                 \
    "{\"type\":\"null\"}]}},\"additionalProperties\":false}"
/* Objects of several parts: what stands in a text of one, and in an object beside them. */
#define ALL_OF(text, beside)                                                                  \
    "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\"" beside "}},\"allOf\":[" \
    "{\"properties\":{\"a\":{\"type\":\"string\"" text "}}},{\"properties\":{\"b\":{}}}]}"

#define ORDERED(first, last)                                                            \
    "{" first "\"type\":\"object\",\"properties\":{\"propertyOrdering\":{\"type\":" \
    "\"string\"}}" last "}"

/* Objects that are named, and referred to. */
#define NAMED(name, more) "{\"type\":\"object\",\"properties\":{\"" name "\":{}}" more "}"
#define ALL_OF_REFERENCES                                                            \
    "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"}],\"$defs\":{" \
    "\"a\":" NAMED("a", "") ",\"b\":" NAMED("b", "") "}}"
#define REFERENCE(more) "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":" NAMED("a", more) "}}"
/* Closed, with more among what is required than is looked through. */
#define TEN(s) s s s s s s s s s s
#define THOUSAND(s) TEN(TEN(TEN(s)))
#define LONG                                                                    \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"        \
    "\"required\":[" THOUSAND("1,") "\"a\"],\"additionalProperties\":false}"
#define SCHEMA(schema) "{\"schema\":" schema "}"

static const struct rf_block a_call = { .type = RF_BLOCK_TOOL_CALL };
static struct rf_item hello_items[] = { SAID("hello") };
static struct rf_turn hello[] = { USER(hello_items) };

/* {"type":"x"}, which nobody knows, in a result and after it; then others speak. */
static const struct rf_jval strange_value[] = {
    { .type = RF_JOBJECT,
      .count = 1,
      .names = UINT32_MAX,
      .span = 3,
      .raw = RF_STR_INIT("{\"type\":\"x\"}") },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("type") },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("x") },
};
static const struct rf_block strange = { .type = RF_BLOCK_OPAQUE, .value = strange_value };
static struct rf_item strange_list[] = { SAID("out"), OPAQUE(strange, "{\"type\":\"x\"}") };
static struct rf_item strange_items[] = { RESULT("c1", false, strange_list), SAID("see"),
                                          OPAQUE(strange, "{\"type\":\"x\"}") };
static struct rf_turn strange_turns[] = { USER(strange_items),
                                          SPEAKS(RF_SPEAKER_SYSTEM, hello_items),
                                          SPEAKS(RF_SPEAKER_DEVELOPER, hello_items) };

static const struct rf_jval *given_json(const char *text, struct rf_arena *a)
{
    const struct rf_jval *v = NULL;
    if (text)
        assert_int_equal(rf_jval_parse(rf_str(text), a, &v, NULL), RF_OK);
    return v;
}

static void set_options(const struct row *row, struct rf_arena *a, struct rf_plan *p)
{
    const struct rf_jval *given = given_json(row->options, a);
    p->kept = given_json(row->kept, a);
    p->kept_options = given_json(row->kept_options, a);
    p->server_tools = rf_jval_get(p->kept, "tools");
    p->temperature = rf_jval_get(given, "temperature");
    p->top_p = rf_jval_get(given, "top_p");
    p->stop = rf_jval_get(given, "stop");
    p->schema = rf_jval_get(given, "schema");
}

static struct rf_str body_of(const struct rf_dialect *dialect, const struct row *row,
                             struct rf_arena *a)
{
    const struct rf_model model = { .name = RF_STR("the-model"), .caps = row->caps };
    struct rf_conversation conversation = row->conversation;
    struct rf_plan plan = row->plan;
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str body;
    struct rf_err err;
    plan.model = &model;
    plan.conversation = &conversation;
    set_options(row, a, &plan);
    conversation.options.schema = plan.schema;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    dialect->encode(&plan, &w);
    if (rf_json_finish(&w, &err))
        return rf_strf(a, "!%s", err.msg);
    assert_int_equal(rf_rope_flatten(&rope, 1 << 20, a, &body, NULL), RF_OK);
    return body;
}

/* One test: its state is the row. */
static void check_row(const struct rf_dialect *dialect, void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_string_equal(rf_cstr(a, body_of(dialect, row, a)), row->want);
    rf_arena_free(a);
}

static void name_tests(struct CMUnitTest *tests, CMUnitTestFunction run, struct row *rows,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, run, NULL, NULL, &rows[i] };
}

#endif
