/* A result with everything that an MCP server can return, for every endpoint of the catalogue and
 * every host: nothing is lost, nothing goes twice, and no text holds base64.
 *
 * Once as it is, for a table of who gets what where, and once with what workers make of it. */
#include "mcp/result.h"

#include <refract/refract.h>

#include "base/base64.h"
#include "base/limits.h"
#include "request/request.h"
#include "source/base64_text.h"
#include "source/lift.h"
#include "testing.h"

#define FILES 3 /* a picture, a sound and a document, in this order */

/* Each stands in the result once, but for the picture. */
static const char *const marks[] = { "first-words", "inside-of-a-resource", "mem://far/linked.bin",
                                     "a-structured-fact", "last-words" };

static struct rf_str as_base64(const char *name, struct rf_arena *a)
{
    char bytes[4096];
    const char *path = rf_strf(a, "%s/tests/fixtures/%s", getenv("REFRACT_SOURCE"), name).p;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, sizeof bytes, file), length = (size_t)rf_base64_length(n);
    fclose(file);
    char *text = rf_arena_alloc(a, length + 1);
    rf_base64_encode(bytes, n, text);
    return (struct rf_str){ text, length };
}

/* The label of the picture lies, and it is there again: in the data, and in what repeats the data. */
static struct rf_str everything(bool failed, struct rf_arena *a)
{
    struct rf_str png = as_base64("red.png", a), mp3 = as_base64("tone.mp3", a);
    struct rf_str pdf = as_base64("report.pdf", a);
    const char *text =
        "{'content':[{'type':'text','text':'first-words'},"
        "{'type':'image','data':'%.*s','mimeType':'image/jpeg'},"
        "{'type':'audio','data':'%.*s','mimeType':'audio/mpeg','_meta':{'a':1}},"
        "{'type':'resource','resource':{'uri':'mem://report.pdf','mimeType':'application/pdf',"
        "'blob':'%.*s'}},"
        "{'type':'resource','resource':{'uri':'mem://n.md','mimeType':'text/markdown',"
        "'text':'inside-of-a-resource'}},"
        "{'type':'resource_link','uri':'mem://far/linked.bin','name':'linked.bin'},"
        "{'type':'text','text':'{\\\"fact\\\":\\\"a-structured-fact\\\",\\\"picture\\\":\\\"%.*s\\\"}'},"
        "{'type':'image','data':'%.*s','mimeType':'image/png','annotations':{'audience':['user']}},"
        "{'type':'text','text':'last-words'}],"
        "'structuredContent':{'fact':'a-structured-fact','picture':'%.*s'},'isError':%s}";
    return rf_strf(a, quoted(a, text).p, RF_FMT(png), RF_FMT(mp3), RF_FMT(pdf), RF_FMT(png),
                   RF_FMT(as_base64("blue.jpg", a)), RF_FMT(png), failed ? "true" : "false");
}

/* A model called a tool, and this came back. */
static struct rf_conversation conversation_of(struct rf_str result, struct rf_arena *a)
{
    const struct rf_jval *object;
    struct rf_block *said = RF_NEW(a, struct rf_block);
    struct rf_message *messages = RF_ARRAY(a, struct rf_message, 2);
    *said = (struct rf_block){ .type = RF_BLOCK_TOOL_CALL,
                               .call = { .id = RF_STR("c1"), .name = RF_STR("look") } };
    messages[0] =
        (struct rf_message){ .role = RF_ROLE_ASSISTANT, .blocks = said, .block_count = 1 };
    messages[1] = (struct rf_message){ .role = RF_ROLE_TOOL, .tool_call_id = RF_STR("c1") };
    assert_int_equal(rf_jval_parse(result, a, &object, NULL), RF_OK);
    rf_mcp_result_read(object, NULL, a, &messages[1]);
    return (struct rf_conversation){ .arena = a, .messages = messages, .message_count = 2 };
}

static struct rf_request *build(const struct rf_model *m, bool failed, bool as_is,
                                struct rf_arena *a)
{
    const struct rf_request_options o = { .as_is = as_is, .cancel_fd = -1 };
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    struct rf_request *r;
    struct rf_err err;
    *c = conversation_of(everything(failed, a), a);
    if (rf_request_build(c, m, &o, &r, &err))
        fail_msg("%.*s:%.*s: %s", RF_FMT(m->provider), RF_FMT(m->name), err.msg);
    return r;
}

/* What holds everywhere */

static size_t count_in(struct rf_str text, struct rf_str part)
{
    size_t n = 0;
    for (const char *at; (at = memmem(text.p, text.n, part.p, part.n)); n++) {
        text.n -= (size_t)(at + part.n - text.p);
        text.p = at + part.n;
    }
    return n;
}

static void check_text(const struct rf_model *m, struct rf_str text, struct rf_arena *a)
{
    struct rf_str before, after;
    struct rf_block found;
    bool hides = rf_lift_text(text, a, &before, &found, &after);
    for (size_t at = 0, run; !hides && at < text.n; at += run ? run : 1) {
        run = rf_base64_run((struct rf_str){ text.p + at, text.n - at });
        hides = run >= RF_MIN_LIFT_BASE64;
    }
    if (hides)
        fail_msg("%.*s:%.*s: base64 in \"%.*s\"", RF_FMT(m->provider), RF_FMT(m->name),
                 RF_FMT(text));
}

static void check_items(const struct rf_model *m, const struct rf_item *items, size_t n,
                        struct rf_arena *a)
{
    for (size_t i = 0; i < n; i++) {
        check_text(m, items[i].text, a);
        if (items[i].kind == RF_ITEM_MEDIA)
            assert_true(items[i].asset->mime.n && items[i].asset->format &&
                        rf_str_is(items[i].asset->mime, items[i].asset->format->mime));
        check_items(m, items[i].items, items[i].count, a);
    }
}

/* How often a file is sent as it is. */
static size_t count_media(const struct rf_item *items, size_t n, const struct rf_asset *asset)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (items[i].kind == RF_ITEM_MEDIA && items[i].asset == asset) +
               count_media(items[i].items, items[i].count, asset);
    return sum;
}

static void check_file(const struct rf_request *r, const struct rf_decision *d)
{
    const struct rf_model *m = r->plan.model;
    size_t sent = 0, parts = d->made ? d->made->count : 0;
    for (size_t t = 0; t < r->plan.turn_count; t++) {
        const struct rf_turn *turn = &r->plan.turns[t];
        sent += count_media(turn->items, turn->count, d->part->asset);
        for (size_t k = 0; k < parts; k++)
            sent += count_media(turn->items, turn->count, &d->made->parts[k].asset);
    }
    bool words = rf_decision_is_words(d) && d->words.n && !rf_decision_is_sent(d) && !sent;
    bool media = rf_decision_is_sent(d) && sent == (d->made ? parts : 1) && sent;
    if (!words && !media)
        fail_msg("%.*s:%.*s: %.*s is sent %zu times, %s", RF_FMT(m->provider), RF_FMT(m->name),
                 RF_FMT(d->part->asset->mime), sent, rf_delivery_name(d->delivery));
}

static void check(const struct rf_request *r, bool failed)
{
    const struct rf_plan *p = &r->plan;
    struct rf_arena *a = rf_arena_new();
    struct rf_str body;
    assert_int_equal(rf_rope_flatten(&r->body, SIZE_MAX, a, &body, NULL), RF_OK);
    assert_int_equal(p->decision_count, FILES);
    assert_str(p->decisions[0].part->asset->mime, "image/png");
    for (size_t i = 0; i < FILES; i++)
        check_file(r, &p->decisions[i]);
    for (size_t i = 0; i < p->turn_count; i++)
        check_items(p->model, p->turns[i].items, p->turns[i].count, a);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (count_in(body, rf_str(marks[i])) != 1)
            fail_msg("%.*s:%.*s: \"%s\" stands %zu times in %.*s", RF_FMT(p->model->provider),
                     RF_FMT(p->model->name), marks[i], count_in(body, rf_str(marks[i])),
                     RF_FMT(body));
    assert_int_equal(count_in(body, RF_STR("[image/png, 99 bytes: the file att_")), 1);
    assert_int_equal(count_in(body, RF_STR("For the person alone")), 1);
    assert_int_equal(count_in(body, as_base64("blue.jpg", a)), 0);
    assert_true(count_in(body, as_base64("red.png", a)) <= 1);
    for (size_t i = 0; failed && i < p->turn_count; i++)
        if (p->turns[i].count && p->turns[i].items[0].kind == RF_ITEM_RESULT)
            assert_true(p->turns[i].items[0].failed);
    rf_arena_free(a);
}

/* How: succeeded and failed, as they are; and the same with workers. */
static void check_model(const char *provider, const char *name, int ways)
{
    for (int i = 0; i < ways; i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model m;
        assert_int_equal(rf_model_init(&m, rf_str(provider), rf_str(name), a, NULL), RF_OK);
        struct rf_request *r = build(&m, i & 1, i < 2, a);
        check(r, i & 1);
        rf_request_free(r);
        rf_arena_free(a);
    }
}

/* A name that the pattern matches. */
static void check_family(const char *provider, const char *pattern, int ways)
{
    char name[200];
    snprintf(name, sizeof name, "%s", pattern);
    for (char *p = name; *p; p++)
        *p = *p == '*' ? '1' : *p;
    check_model(provider, name, ways);
}

static void everything_reaches_everybody(void **state)
{
    (void)state;
    for (size_t i = 0; i < rf_provider_count(); i++)
        check_model(rf_provider_name(i), "nobody-knows", 4);
    for (size_t i = 0; i < rf_family_count(); i++)
        check_family(rf_family_provider(i), rf_family_pattern(i), 2);
    check_model("mcp", "nobody-knows", 4);
    for (size_t i = 0; i < rf_host_count(); i++)
        check_family("mcp", rf_host_name(i), 2);
}

/* One bad file is words, and all else goes. */
static void bad_base64_is_words(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_request_options o = { .as_is = true, .cancel_fd = -1 };
    const char *result =
        "{'content':[{'type':'image','data':'%%%not base64','mimeType':'image/png'},"
        "{'type':'text','text':'and this'}]}";
    struct rf_conversation c = conversation_of(quoted(a, result), a);
    struct rf_request *r;
    struct rf_model m;
    struct rf_str body;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("mcp"), RF_STR("codex"), a, NULL), RF_OK);
    assert_int_equal(rf_request_build(&c, &m, &o, &r, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&r->body, SIZE_MAX, a, &body, NULL), RF_OK);
    assert_true(rf_str_contains(body, RF_STR("is not shown: its base64 is not valid")));
    assert_true(rf_str_contains(body, RF_STR("and this")));
    assert_false(rf_str_contains(body, RF_STR("%%%not")));
    rf_request_free(r);
    rf_arena_free(a);
}

/* Who gets what where */

static const struct row {
    const char *name, *model;
    const char *well, *failed; /* picture, sound, document */
} rows[] = {
    { "anthropic", "anthropic:claude-sonnet-4-5", "native text native", "fallback text fallback" },
    { "bedrock-claude", "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "native text fallback", "fallback text fallback" },
    { "bedrock-nova", "bedrock:us.amazon.nova-2-lite-v1:0", "native text fallback",
      "native text fallback" },
    { "bedrock-llama", "bedrock:us.meta.llama4-scout-17b-instruct-v1:0", "native text native",
      "native text native" },
    { "bedrock-pixtral", "bedrock:us.mistral.pixtral-large-2502-v1:0", "fallback text native",
      "fallback text native" },
    { "bedrock-writer", "bedrock:us.writer.palmyra-x5-v1:0", "fallback text native",
      "fallback text native" },
    { "bedrock-qwen", "bedrock:qwen.qwen3-vl-235b-a22b", "fallback text fallback",
      "fallback text fallback" },
    { "google-gemini-3", "google:gemini-3-pro-preview", "native fallback native",
      "native fallback native" },
    { "google-gemini-2", "google:gemini-2.5-flash", "fallback fallback fallback",
      "fallback fallback fallback" },
    { "vertex-gemini-3", "vertex:gemini-3-pro-preview", "native fallback native",
      "native fallback native" },
    { "vertex-gemini-2", "vertex:gemini-2.5-flash", "fallback fallback fallback",
      "fallback fallback fallback" },
    { "openai", "openai:gpt-5-mini", "native text native", "native text native" },
    { "openai-gpt-4o", "openai:gpt-4o", "native text native", "native text native" },
    { "openai-chat", "openai-chat:gpt-4o", "fallback text fallback", "fallback text fallback" },
    { "openai-chat-audio", "openai-chat:gpt-4o-audio-preview", "text fallback text",
      "text fallback text" },
    { "xai", "xai:grok-4", "native text text", "native text text" },
    { "xai-chat", "xai-chat:grok-4", "fallback text text", "fallback text text" },
    { "groq", "groq:meta-llama/llama-4-scout-17b-16e-instruct", "fallback text text",
      "fallback text text" },
    { "openrouter", "openrouter:anthropic/claude-sonnet-4.5", "fallback fallback fallback",
      "fallback fallback fallback" },
    { "mistral", "mistral:mistral-medium-latest", "native text native", "native text native" },
    { "cohere-vision", "cohere:command-a-vision-07-2025", "fallback text text",
      "fallback text text" },
    { "cohere-text", "cohere:command-a-03-2025", "text text text", "text text text" },
    { "ollama-vision", "ollama:mistral-small3.2", "native text text", "native text text" },
    { "ollama-text", "ollama:llama3.2", "text text text", "text text text" },
    { "litellm-claude", "litellm:claude-sonnet-4-5", "native text native", "native text native" },
    { "litellm-gemini", "litellm:gemini/gemini-3-pro-preview", "native fallback native",
      "native fallback native" },
    { "litellm-mistral", "litellm:mistral/mistral-large-latest", "fallback text text",
      "fallback text text" },
    { "litellm-gpt", "litellm:gpt-4o", "fallback text fallback", "fallback text fallback" },
    { "openai-compatible", "openai-compatible:some-model", "fallback text text",
      "fallback text text" },
    { "mcp-claude-code", "mcp:claude-code", "native text text", "native text text" },
    { "mcp-gemini-cli", "mcp:gemini-cli", "native text native", "native text native" },
    { "mcp-claude-desktop", "mcp:claude-desktop", "native text text", "native text text" },
    { "mcp-codex", "mcp:codex", "native text text", "native text text" },
    { "mcp-goose", "mcp:goose", "native text text", "native text text" },
    { "mcp-vscode", "mcp:vscode", "native text text", "native text text" },
    { "mcp-opencode", "mcp:opencode", "native text text", "native text text" },
    { "mcp-openai-agents", "mcp:openai-agents", "native text text", "native text text" },
    { "mcp-anyone", "mcp:anyone", "native text text", "native text text" },
};

static void deliveries_of(const struct row *row, bool failed, const char *want)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str name = rf_str(row->model), provider, got = RF_STR("");
    struct rf_model m;
    rf_str_split(&name, ':', &provider);
    assert_int_equal(rf_model_init(&m, provider, name, a, NULL), RF_OK);
    struct rf_request *r = build(&m, failed, true, a);
    for (size_t i = 0; i < r->plan.decision_count; i++)
        got = rf_strf(a, "%.*s%s%s", RF_FMT(got), i ? " " : "",
                      rf_delivery_name(r->plan.decisions[i].delivery));
    assert_str(got, want);
    rf_request_free(r);
    rf_arena_free(a);
}

static void as_it_should(void **state)
{
    const struct row *row = *state;
    deliveries_of(row, false, row->well);
    deliveries_of(row, true, row->failed);
}

int main(void)
{
    const struct CMUnitTest all[] = { cmocka_unit_test(everything_reaches_everybody),
                                      cmocka_unit_test(bad_base64_is_words) };
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, as_it_should, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests_name("all", all, NULL, NULL) +
           cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
