/* generateContent, item by item and option by option. */
#include "by_hand.h"

#define HELLO "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}]"
#define LOOK_TOOL                                               \
    "\"tools\":[{\"functionDeclarations\":[{\"name\":\"look\"," \
    "\"description\":\"Looks.\",\"parametersJsonSchema\":"      \
    "{\"type\":\"object\",\"properties\":{}}}]}]"
#define CHOICE(rest) ",\"toolConfig\":{\"functionCallingConfig\":{" rest "}}"
#define ASKED "{\"role\":\"model\",\"parts\":["
#define CALL_1 "{\"functionCall\":{\"id\":\"c1\",\"name\":\"look\",\"args\":{}}"
#define ANSWER_1 "{\"functionResponse\":{\"id\":\"c1\",\"name\":\"look\",\"response\":"
#define ANSWER_2 "{\"functionResponse\":{\"id\":\"c2\",\"name\":\"look\",\"response\":"
#define PNG_DATA "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"YWJj\"}}"
#define FILES "https://generativelanguage.googleapis.com/v1beta/files/"
#define FILM "{\"fileData\":{\"mimeType\":\"video/mp4\",\"fileUri\":"
#define BUCKET_PART FILM "\"gs://b/a.mp4\"}}"
#define FILES_PART FILM "\"" FILES "abc\"}}"

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset notes = BYTES("hi", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset in_bucket =
    ELSEWHERE(RF_ASSET_URL, "gs://b/a.mp4", RF_KIND_VIDEO, "video/mp4");
static const struct rf_asset untyped =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a", RF_KIND_IMAGE, "");
static const struct rf_asset by_uri =
    ELSEWHERE(RF_ASSET_FILE_ID, FILES "abc", RF_KIND_VIDEO, "video/mp4");
static const struct rf_asset by_name =
    ELSEWHERE(RF_ASSET_FILE_ID, "files/abc", RF_KIND_VIDEO, "video/mp4");
static const struct rf_asset by_id = ELSEWHERE(RF_ASSET_FILE_ID, "abc", RF_KIND_VIDEO, "video/mp4");

static const struct rf_block thought = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .text = RF_STR_INIT("hm") },
};
static const struct rf_block signed_thought = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .text = RF_STR_INIT("hm"), .signature = RF_STR_INIT("c2ln") },
};

static struct rf_item call_items[] = { THOUGHT(thought), THOUGHT(signed_thought),
                                       CALL("c1", "bWFyaw=="), CALL("c2", "") };
static struct rf_item mixed_list[] = { SAID("one"), FILE_OF(png), JSON("{\"a\":1}", true),
                                       FILE_OF(in_bucket), TEXT_OF(notes) };
static struct rf_item json_list[] = { JSON("[1,2]", false) };
static struct rf_item result_items[] = { RESULT("c1", false, mixed_list),
                                         RESULT("c2", false, json_list) };
static struct rf_turn answered[] = { ASSISTANT(call_items), USER(result_items) };

static struct rf_item one_call[] = { CALL("c1", "") };
static struct rf_item text_list[] = { SAID("no such page") };
static struct rf_item failed_items[] = { RESULT("c1", true, text_list) };
static struct rf_turn failed[] = { ASSISTANT(one_call), USER(failed_items) };
static struct rf_item png_list[] = { FILE_OF(png) };
static struct rf_item png_items[] = { RESULT("c1", false, png_list) };
static struct rf_turn lone_file[] = { ASSISTANT(one_call), USER(png_items) };
static struct rf_item nameless_call[] = { CALL("", "") };
static struct rf_item nameless_items[] = { RESULT("", false, text_list) };
static struct rf_turn without_ids[] = { ASSISTANT(nameless_call), USER(nameless_items) };

static struct rf_item file_items[] = { FILE_OF(png),    FILE_OF(in_bucket), FILE_OF(untyped),
                                       FILE_OF(by_uri), FILE_OF(by_name),   FILE_OF(by_id),
                                       TEXT_OF(notes),  JSON("[1]", false) };
static struct rf_turn files[] = { USER(file_items) };

static struct row rows[] = {
    { .name = "a body says no more than it must, and nothing about the model or streaming",
      .plan = { TURNS(hello), .stream = true },
      .want = "{" HELLO "}" },
    { .name = "the system prompt is an instruction of its own",
      .conversation = { .system = RF_STR_INIT("Be brief.") },
      .plan = { TURNS(hello) },
      .want = "{\"systemInstruction\":{\"parts\":[{\"text\":\"Be brief.\"}]}," HELLO "}" },
    { .name = "a blank system prompt is left out",
      .conversation = { .system = RF_STR_INIT(" \n") },
      .plan = { TURNS(hello) },
      .want = "{" HELLO "}" },
    { .name = "options in one object, numbers as spelled",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\"]}",
      .want = "{" HELLO ",\"generationConfig\":{\"maxOutputTokens\":64,\"temperature\":1.0,"
              "\"topP\":9e-1,\"stopSequences\":[\"END\"]}}" },
    { .name = "thinking by budget",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingBudget\":2048,\"includeThoughts\":true}}}" },
    { .name = "little thinking is the low level",
      .caps = { .thinking = RF_THINKING_LEVEL },
      .plan = { TURNS(hello), .thinking_budget = 1024 },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingLevel\":\"LOW\",\"includeThoughts\":true}}}" },
    { .name = "much thinking is the high level",
      .caps = { .thinking = RF_THINKING_LEVEL },
      .plan = { TURNS(hello), .thinking_budget = 100000 },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingLevel\":\"HIGH\",\"includeThoughts\":true}}}" },
    { .name = "between the two is a level of its own, where there are three",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 8192 },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingLevel\":\"MEDIUM\",\"includeThoughts\":true}}}" },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingBudget\":0,\"includeThoughts\":false}}}" },
    { .name = "a schema, in its subset",
      .plan = { TURNS(hello) },
      .options = SCHEMA("{\"$schema\":\"x\",\"const\":1}"),
      .want = "{" HELLO ",\"generationConfig\":{\"responseMimeType\":\"application/json\","
              "\"responseJsonSchema\":{\"enum\":[1]}}}" },
    { .name = "a schema that was set since replaces its own client's format",
      .plan = { TURNS(hello) },
      .options = SCHEMA("{\"const\":1}"),
      .kept_options = "{\"responseMimeType\":\"text/plain\",\"response_schema\":{},\"topK\":4,"
                      "\"responseJsonSchema\":true,\"thinkingConfig\":{}}",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .want = "{" HELLO ",\"generationConfig\":{\"responseMimeType\":\"application/json\","
              "\"responseJsonSchema\":{\"enum\":[1]},\"topK\":4,\"thinkingConfig\":{}}}" },
    { .name = "its own client's format goes back",
      .plan = { TURNS(hello) },
      .kept_options = "{\"responseMimeType\":\"text/x.enum\",\"responseSchema\":{}}",
      .want = "{" HELLO ",\"generationConfig\":{\"responseMimeType\":\"text/x.enum\","
              "\"responseSchema\":{}}}" },
    { .name = "thinking that the model measures itself",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO ",\"generationConfig\":{\"thinkingConfig\":"
              "{\"thinkingBudget\":-1,\"includeThoughts\":true}}}" },
    { .name = "a model that does not think is not asked to",
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = "{" HELLO "}" },
    { .name = "tools without a choice",
      .plan = { TURNS(hello), TOOLS(look) },
      .want = "{" HELLO "," LOOK_TOOL "}" },
    { .name = "tool choice auto",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_AUTO },
      .want = "{" HELLO "," LOOK_TOOL CHOICE("\"mode\":\"AUTO\"") "}" },
    { .name = "tool choice none",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_NONE },
      .want = "{" HELLO "," LOOK_TOOL CHOICE("\"mode\":\"NONE\"") "}" },
    { .name = "tool choice required is any",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = "{" HELLO "," LOOK_TOOL CHOICE("\"mode\":\"ANY\"") "}" },
    { .name = "tool choice of one tool is any of a list of one",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = "{" HELLO
              "," LOOK_TOOL CHOICE("\"mode\":\"ANY\",\"allowedFunctionNames\":[\"look\"]") "}" },
    { .name = "JSON without a schema",
      .plan = { TURNS(hello), .json = true },
      .want = "{" HELLO ",\"generationConfig\":{\"responseMimeType\":\"application/json\"}}" },
    { .name = "some tools of those there are",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED, .says_allowed = true,
                .allowed = &look[0].name, .allowed_count = 1 },
      .want = "{" HELLO
              "," LOOK_TOOL CHOICE("\"mode\":\"ANY\",\"allowedFunctionNames\":[\"look\"]") "}" },
    { .name = "no tools, no choice",
      .plan = { TURNS(hello), .tool_choice = RF_CHOICE_AUTO },
      .want = "{" HELLO "}" },
    { .name = "signatures stand beside their part; several values are a list with its files after",
      .plan = { TURNS(answered) },
      .want = "{\"contents\":[" ASKED "{\"text\":\"hm\",\"thought\":true},"
              "{\"text\":\"hm\",\"thought\":true,\"thoughtSignature\":\"c2ln\"}," CALL_1
              ",\"thoughtSignature\":\"bWFyaw==\"},"
              "{\"functionCall\":{\"id\":\"c2\",\"name\":\"look\",\"args\":{}}}]},"
              "{\"role\":\"user\",\"parts\":[" ANSWER_1
              "{\"output\":[\"one\",{\"attachment\":0},{\"a\":1},{\"attachment\":1},"
              "\"[notes]\\nhi\"]},\"parts\":[" PNG_DATA "," BUCKET_PART "]}}," ANSWER_2
              "{\"output\":[1,2]}}}]}]}" },
    { .name = "a failed result says error",
      .plan = { TURNS(failed) },
      .want = "{\"contents\":[" ASKED CALL_1 "}]},{\"role\":\"user\",\"parts\":[" ANSWER_1
              "{\"error\":\"no such page\"}}}]}]}" },
    { .name = "a lone file is a list of one attachment",
      .plan = { TURNS(lone_file) },
      .want = "{\"contents\":[" ASKED CALL_1 "}]},{\"role\":\"user\",\"parts\":[" ANSWER_1
              "{\"output\":[{\"attachment\":0}]},\"parts\":[" PNG_DATA "]}}]}]}" },
    { .name = "a call without an id and its result go without one",
      .plan = { TURNS(without_ids) },
      .want = "{\"contents\":[" ASKED "{\"functionCall\":{\"name\":\"look\",\"args\":{}}}]},"
              "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"look\","
              "\"response\":{\"output\":\"no such page\"}}}]}]}" },
    { .name = "bytes inline, URLs and uploaded files by URI; a person's JSON is text",
      .plan = { TURNS(files) },
      .want = "{\"contents\":[{\"role\":\"user\",\"parts\":[" PNG_DATA "," BUCKET_PART
              ",{\"fileData\":{\"fileUri\":\"https://example.com/a\"}}," FILES_PART "," FILES_PART
              "," FILES_PART ",{\"text\":\"[notes]\\nhi\"},{\"text\":\"[1]\"}]}]}" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"contents\":[{\"role\":\"user\","
              "\"parts\":[{\"functionResponse\":{\"id\":\"c1\",\"name\":\"look\","
              "\"response\":{\"output\":[\"out\",{\"type\":\"x\"}]}}},{\"text\":\"see\"},"
              "{\"type\":\"x\"}]},{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]},"
              "{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}]}" },
    { .name = "what was kept aside, and tools of the server",
      .plan = { TURNS(hello), TOOLS(look) },
      .kept = "{\"extra_field\":{\"a\":1.50},\"tools\":[{\"index\":1,\"value\":{\"type\":\"t\"}}]}",
      .kept_options = "{\"topK\":4}",
      .want = "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}],"
              "\"tools\":[{\"functionDeclarations\":[{\"name\":\"look\","
              "\"description\":\"Looks.\",\"parametersJsonSchema\":{\"type\":\"object\","
              "\"properties\":{}}}]},{\"type\":\"t\"}],\"generationConfig\":{\"topK\":4},"
              "\"extra_field\":{\"a\":1.50}}" },
    { .name = "tools of the server alone",
      .plan = { TURNS(hello) },
      .kept = "{\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hello\"}]}],"
              "\"tools\":[{\"type\":\"t\"}]}" },
};

static void test_body(void **state)
{
    check_row(&rf_dialect_gemini, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
