/* The Converse API, item by item and option by option. */
#include "by_hand.h"

#define HELLO "\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"hello\"}]}]"
#define SPEC(rest)                           \
    "{\"toolSpec\":{\"name\":\"look\"," rest \
    "\"inputSchema\":{\"json\":{\"type\":\"object\",\"properties\":{}}}}}"
#define LOOK_TOOL "\"toolConfig\":{\"tools\":[" SPEC("\"description\":\"Looks.\",") "]"
#define ASKED "{\"role\":\"assistant\",\"content\":["
#define USE "{\"toolUse\":{\"toolUseId\":\"c1\",\"name\":\"look\",\"input\":{}}}"
#define ANSWER "{\"role\":\"user\",\"content\":[{\"toolResult\":{\"toolUseId\":\"c1\","
#define BYTES_ABC "\"source\":{\"bytes\":\"YWJj\"}"
#define MORE "\"additionalModelRequestFields\":"

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset jpg = BYTES("abc", RF_KIND_IMAGE, "image/jpg", "a.jpg");
static const struct rf_asset pdf = BYTES("abc", RF_KIND_PDF, "application/pdf", "a.b.pdf");
static const struct rf_asset code = BYTES("abc", RF_KIND_TEXT, "text/x-python", "a.py");
static const struct rf_asset sheet =
    BYTES("abc", RF_KIND_OFFICE,
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a.xlsx");
static const struct rf_asset film =
    ELSEWHERE(RF_ASSET_URL, "s3://films/a.3gp", RF_KIND_VIDEO, "video/3gpp");
static const struct rf_asset sound = BYTES("abc", RF_KIND_AUDIO, "audio/mpeg", "a.mp3");
static const struct rf_asset notes = BYTES("hi", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset bitmap = BYTES("abc", RF_KIND_IMAGE, "image/bmp", "a.bmp");
static const struct rf_asset uploaded =
    ELSEWHERE(RF_ASSET_FILE_ID, "file_1", RF_KIND_IMAGE, "image/png");

static const struct rf_block thought = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .text = RF_STR_INIT("hm"), .signature = RF_STR_INIT("c2ln") },
};
static const struct rf_block unsigned_thought = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .text = RF_STR_INIT("hm") },
};
static const struct rf_block redacted = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .redacted = RF_STR_INIT("b3BhcXVl") },
};

static struct rf_item thinking_items[] = { THOUGHT(thought), THOUGHT(unsigned_thought),
                                           THOUGHT(redacted), CALL("c1", "") };
static struct rf_item result_list[] = { JSON("{\"a\":1}", true), JSON("[1]", false), FILE_OF(png),
                                        TEXT_OF(notes) };
static struct rf_item result_items[] = { RESULT("c1", false, result_list) };
static struct rf_turn answered[] = { ASSISTANT(thinking_items), USER(result_items) };

static struct rf_item call_items[] = { CALL("c1", "") };
static struct rf_item failed_list[] = { SAID("no such page") };
static struct rf_item failed_items[] = { RESULT("c1", true, failed_list) };
static struct rf_turn failed[] = { ASSISTANT(call_items), USER(failed_items) };

static struct rf_item file_items[] = { SAID("see"),    FILE_OF(jpg),           FILE_OF(pdf),
                                       FILE_OF(code),  FILE_OF(sheet),         FILE_OF(film),
                                       FILE_OF(sound), JSON("{\"a\":1}", true) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item bitmap_items[] = { FILE_OF(bitmap) };
static struct rf_turn bitmaps[] = { USER(bitmap_items) };
static struct rf_item uploaded_items[] = { FILE_OF(uploaded) };
static struct rf_turn uploads[] = { USER(uploaded_items) };

static struct row rows[] = {
    { .name = "a body says no more than it must, and nothing about the model or streaming",
      .plan = { TURNS(hello), .stream = true },
      .want = "{" HELLO "}" },
    { .name = "the system prompt is a list of texts",
      .conversation = { .system = RF_STR_INIT("Be brief.") },
      .plan = { TURNS(hello) },
      .want = "{\"system\":[{\"text\":\"Be brief.\"}]," HELLO "}" },
    { .name = "a blank system prompt is left out",
      .conversation = { .system = RF_STR_INIT(" \n") },
      .plan = { TURNS(hello) },
      .want = "{" HELLO "}" },
    { .name = "options in one object, numbers as spelled",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\"]}",
      .want = "{" HELLO ",\"inferenceConfig\":{\"maxTokens\":64,\"temperature\":1.0,"
              "\"topP\":9e-1,\"stopSequences\":[\"END\"]}}" },
    { .name = "one option alone opens the object too",
      .plan = { TURNS(hello) },
      .options = "{\"stop\": [\"END\"]}",
      .want = "{" HELLO ",\"inferenceConfig\":{\"stopSequences\":[\"END\"]}}" },
    { .name = "thinking by budget goes to the model's own fields",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO "," MORE "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2048}}}" },
    { .name = "thinking that the model measures itself",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO "," MORE "{\"thinking\":{\"type\":\"adaptive\"}}}" },
    { .name = "thinking by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 100000 },
      .want = "{" HELLO "," MORE "{\"reasoning_effort\":\"high\"}}" },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = "{" HELLO "," MORE "{\"thinking\":{\"type\":\"disabled\"}}}" },
    { .name = "a schema is a string, under a name; another's name goes back",
      .plan = { TURNS(hello) },
      .options = SCHEMA("{\"type\":\"string\"}"),
      .kept = "{\"outputConfig\":{\"textFormat\":{\"type\":\"json_schema\",\"structure\":{"
              "\"jsonSchema\":{\"name\":\"City\",\"schema\":\"{}\"}}},\"effort\":\"low\"}}",
      .want = "{" HELLO ",\"outputConfig\":{\"textFormat\":{\"type\":\"json_schema\","
              "\"structure\":{\"jsonSchema\":{\"schema\":\"{\\\"type\\\":\\\"string\\\"}\",\"name\":\"City\"}}},"
              "\"effort\":\"low\"}}" },
    { .name = "a model that does not think is not asked to",
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO "}" },
    { .name = "tool choice auto",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_AUTO },
      .want = "{" HELLO "," LOOK_TOOL ",\"toolChoice\":{\"auto\":{}}}}" },
    { .name = "tool choice none cannot be said",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_NONE },
      .want = "{" HELLO "," LOOK_TOOL "}}" },
    { .name = "tool choice required is any",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = "{" HELLO "," LOOK_TOOL ",\"toolChoice\":{\"any\":{}}}}" },
    { .name = "tool choice of one tool",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = "{" HELLO "," LOOK_TOOL ",\"toolChoice\":{\"tool\":{\"name\":\"look\"}}}}" },
    { .name = "no tools, no calls: no tool configuration, whatever is chosen",
      .plan = { TURNS(hello), .tool_choice = RF_CHOICE_AUTO },
      .want = "{" HELLO "}" },
    { .name = "thoughts go back; JSON objects as json, other JSON as text; no status unasked",
      .plan = { TURNS(answered), TOOLS(look) },
      .want = "{\"messages\":[" ASKED "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"hm\","
              "\"signature\":\"c2ln\"}}},"
              "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"hm\"}}},"
              "{\"reasoningContent\":{\"redactedContent\":\"b3BhcXVl\"}}," USE "]}," ANSWER
              "\"content\":[{\"json\":{\"a\":1}},{\"text\":\"[1]\"},"
              "{\"image\":{\"format\":\"png\"," BYTES_ABC "}},"
              "{\"text\":\"[notes]\\nhi\"}]}}]}]," LOOK_TOOL "}}" },
    { .name = "a result says how it went where the model takes that",
      .caps = { .result_status = true },
      .plan = { TURNS(answered), TOOLS(look) },
      .want = "{\"messages\":[" ASKED "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"hm\","
              "\"signature\":\"c2ln\"}}},"
              "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"hm\"}}},"
              "{\"reasoningContent\":{\"redactedContent\":\"b3BhcXVl\"}}," USE "]}," ANSWER
              "\"content\":[{\"json\":{\"a\":1}},{\"text\":\"[1]\"},"
              "{\"image\":{\"format\":\"png\"," BYTES_ABC "}},"
              "{\"text\":\"[notes]\\nhi\"}],\"status\":\"success\"}}]}]," LOOK_TOOL "}}" },
    { .name = "a failed result",
      .caps = { .result_status = true },
      .plan = { TURNS(failed), .tool_choice = RF_CHOICE_AUTO },
      .want = "{\"messages\":[" ASKED USE "]}," ANSWER
              "\"content\":[{\"text\":\"no such page\"}],\"status\":\"error\"}}]}]}" },
    { .name = "formats by type, neutral names, S3; JSON of a person is text",
      .plan = { TURNS(files) },
      .want = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"see\"},"
              "{\"image\":{\"format\":\"jpeg\"," BYTES_ABC "}},"
              "{\"document\":{\"format\":\"pdf\",\"name\":\"document 1\"," BYTES_ABC "}},"
              "{\"document\":{\"format\":\"txt\",\"name\":\"document 1\"," BYTES_ABC "}},"
              "{\"document\":{\"format\":\"xlsx\",\"name\":\"document 1\"," BYTES_ABC "}},"
              "{\"video\":{\"format\":\"three_gp\",\"source\":{\"s3Location\":"
              "{\"uri\":\"s3://films/a.3gp\"}}}},"
              "{\"audio\":{\"format\":\"mp3\"," BYTES_ABC "}},"
              "{\"text\":\"{\\\"a\\\":1}\"}]}]}" },
    { .name = "a format without a name is refused",
      .plan = { TURNS(bitmaps) },
      .want = "!a message of this API cannot hold this kind of file: image" },
    { .name = "there are no uploaded files",
      .plan = { TURNS(uploads) },
      .want = "!a message of this API cannot hold this kind of file by file id: image" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"messages\":[{\"role\":\"user\","
              "\"content\":[{\"toolResult\":{\"toolUseId\":\"c1\","
              "\"content\":[{\"text\":\"out\"},{\"type\":\"x\"}]}},{\"text\":\"see\"},"
              "{\"type\":\"x\"}]},{\"role\":\"system\",\"content\":[{\"text\":\"hello\"}]},"
              "{\"role\":\"developer\",\"content\":[{\"text\":\"hello\"}]}]}" },
    { .name = "what was kept aside, and tools of the server",
      .plan = { TURNS(hello), TOOLS(look) },
      .kept = "{\"extra_field\":{\"a\":1.50},\"tools\":[{\"index\":1,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"hello\"}]}],"
              "\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":\"look\","
              "\"description\":\"Looks.\",\"inputSchema\":{\"json\":{\"type\":\"object\","
              "\"properties\":{}}}}},{\"type\":\"t\"}]},\"extra_field\":{\"a\":1.50}}" },
    { .name = "tools of the server alone",
      .plan = { TURNS(hello) },
      .kept = "{\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"hello\"}]}],"
              "\"toolConfig\":{\"tools\":[{\"type\":\"t\"}]}}" },
};

static void test_body(void **state)
{
    check_row(&rf_dialect_bedrock, state);
}

static const struct {
    const char *mime; /* as anybody may spell it */
    enum rf_kind kind;
    const char *want;
} formats[] = {
    { "image/png", RF_KIND_IMAGE, "{\"image\":{\"format\":\"png\"," },
    { "image/gif", RF_KIND_IMAGE, "{\"image\":{\"format\":\"gif\"," },
    { "image/webp", RF_KIND_IMAGE, "{\"image\":{\"format\":\"webp\"," },
    { "text/csv", RF_KIND_TEXT, "{\"document\":{\"format\":\"csv\"," },
    { "application/msword", RF_KIND_OFFICE, "{\"document\":{\"format\":\"doc\"," },
    { "application/vnd.openxmlformats-officedocument.wordprocessingml.document", RF_KIND_OFFICE,
      "{\"document\":{\"format\":\"docx\"," },
    { "application/vnd.ms-excel", RF_KIND_OFFICE, "{\"document\":{\"format\":\"xls\"," },
    { "text/html", RF_KIND_TEXT, "{\"document\":{\"format\":\"html\"," },
    { "text/plain; charset=utf-8", RF_KIND_UNKNOWN, "{\"document\":{\"format\":\"txt\"," },
    { "text/x-markdown", RF_KIND_TEXT, "{\"document\":{\"format\":\"md\"," },
    { "video/mp4", RF_KIND_VIDEO, "{\"video\":{\"format\":\"mp4\"," },
    { "video/quicktime", RF_KIND_VIDEO, "{\"video\":{\"format\":\"mov\"," },
    { "video/x-matroska", RF_KIND_VIDEO, "{\"video\":{\"format\":\"mkv\"," },
    { "video/webm", RF_KIND_VIDEO, "{\"video\":{\"format\":\"webm\"," },
    { "video/x-flv", RF_KIND_VIDEO, "{\"video\":{\"format\":\"flv\"," },
    { "video/mpg", RF_KIND_VIDEO, "{\"video\":{\"format\":\"mpeg\"," },
    { "video/x-ms-wmv", RF_KIND_VIDEO, "{\"video\":{\"format\":\"wmv\"," },
    { "audio/opus", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"opus\"," },
    { "audio/x-wav", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"wav\"," },
    { "audio/aac", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"aac\"," },
    { "audio/flac", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"flac\"," },
    { "audio/ogg", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"ogg\"," },
    { "audio/mp4", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"m4a\"," },
    { "audio/x-matroska", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"mka\"," },
    { "audio/webm", RF_KIND_AUDIO, "{\"audio\":{\"format\":\"webm\"," },
};

static void test_every_format_has_its_name(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct rf_asset asset = { .state = RF_ASSET_URL,
                                  .ref = RF_STR("s3://b/a"),
                                  .kind = formats[i].kind,
                                  .mime = rf_str(formats[i].mime) };
        struct rf_item items[] = { FILE_OF(asset) };
        struct rf_turn turns[] = { USER(items) };
        const struct row row = { .plan = { TURNS(turns) } };
        struct rf_str body = body_of(&rf_dialect_bedrock, &row, a);
        if (!rf_str_contains(body, rf_str(formats[i].want)))
            fail_msg("%s: %s", formats[i].mime, rf_cstr(a, body));
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1];
    name_tests(tests, test_body, rows, COUNT(rows));
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(test_every_format_has_its_name);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
