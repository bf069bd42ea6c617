/* What Cohere spells in its own way. */
#include "by_hand.h"

#define HEAD "{\"model\":\"the-model\",\"messages\":["
#define HELLO "{\"role\":\"user\",\"content\":\"hello\"}"
#define BODY HEAD HELLO "]"
#define END ",\"stream\":false}"
#define TOOL(name)                                                \
    "{\"type\":\"function\",\"function\":{\"name\":\"" name "\"," \
    "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}"
#define CALLS                                               \
    "\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\"," \
    "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]"
#define TEXT_PART(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define THINKING_PART(text) "{\"type\":\"thinking\",\"thinking\":\"" text "\"}"
#define ANSWERED(content) "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":" content "}"

static struct rf_tool tools[] = { { .name = RF_STR_INIT("look") },
                                  { .name = RF_STR_INIT("read") } };

static const struct rf_block closely = { .media.detail = RF_STR_INIT("high") };
static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset notes = BYTES("say \"hi\"", RF_KIND_TEXT, "text/plain", "notes");
static const struct rf_asset png_id = ELSEWHERE(RF_ASSET_FILE_ID, "f-1", RF_KIND_IMAGE, "");
static const struct rf_asset png_url = {
    .state = RF_ASSET_URL,
    .kind = RF_KIND_IMAGE,
    .ref = RF_STR_INIT("https://example.com/a.png"),
    .block = &closely,
};
static const struct rf_block wholly = { .media.detail = RF_STR_INIT("original") };
static const struct rf_asset whole_png = {
    .state = RF_ASSET_URL,
    .kind = RF_KIND_IMAGE,
    .ref = RF_STR_INIT("https://example.com/b.png"),
    .block = &wholly,
};
static const struct rf_block thought = { .thinking = { .text = RF_STR_INIT("hm") } };

static struct rf_item plan_items[] = { SAID("one"), SAID("two"), CALL("c1", "") };
static struct rf_turn plan[] = { ASSISTANT(plan_items) };
static struct rf_item silent_items[] = { CALL("c1", "") };
static struct rf_turn silent[] = { ASSISTANT(silent_items) };
static struct rf_item thinking_items[] = { THOUGHT(thought), SAID("so"), SAID("it is") };
static struct rf_turn thinking[] = { ASSISTANT(thinking_items) };
static struct rf_item pondering_items[] = { THOUGHT(thought), SAID("I look."), CALL("c1", "") };
static struct rf_turn pondering[] = { ASSISTANT(pondering_items) };

static struct rf_item strange_answer_items[] = { SAID("so"), OPAQUE(strange, "x") };
static struct rf_turn strange_answer[] = { ASSISTANT(strange_answer_items) };

static struct rf_item word_list[] = { SAID("out"), JSON("[1]", false), TEXT_OF(notes) };
static struct rf_item word_items[] = { RESULT("c1", false, word_list) };
static struct rf_turn words[] = { USER(word_items) };
static struct rf_item data_list[] = { SAID("out"), JSON("{\"n\":1}", true) };
static struct rf_item data_items[] = { RESULT("c1", false, data_list) };
static struct rf_turn data[] = { USER(data_items) };
static struct rf_item picture_list[] = { FILE_OF(png) };
static struct rf_item picture_items[] = { RESULT("c1", false, picture_list) };
static struct rf_turn picture_in_result[] = { USER(picture_items) };

static struct rf_item file_items[] = { SAID("see"), FILE_OF(png), FILE_OF(png_url) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item whole_items[] = { FILE_OF(whole_png) };
static struct rf_turn whole_file[] = { USER(whole_items) };
static struct rf_item document_items[] = { FILE_OF(pdf) };
static struct rf_turn document[] = { USER(document_items) };
static struct rf_item id_items[] = { FILE_OF(png_id) };
static struct rf_turn uploaded[] = { USER(id_items) };
static struct rf_item painter_items[] = { FILE_OF(png) };
static struct rf_turn painter[] = { ASSISTANT(painter_items) };

/* {"documents":["d"]}: those of a request. */
static const struct rf_jval cited_value[] = {
    { .type = RF_JOBJECT,
      .count = 1,
      .names = UINT32_MAX,
      .span = 4,
      .raw = RF_STR_INIT("{\"documents\":[\"d\"]}") },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("documents") },
    { .type = RF_JARRAY, .count = 1, .span = 2, .raw = RF_STR_INIT("[\"d\"]") },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("d") },
};
static const struct rf_block cited = { .type = RF_BLOCK_OPAQUE, .value = cited_value };
static struct rf_item cited_list[] = { SAID("out"), OPAQUE(cited, "d") };
static struct rf_item cited_items[] = { RESULT("c1", false, cited_list), SAID("hello"),
                                        OPAQUE(cited, "d") };
static struct rf_turn with_documents[] = { USER(cited_items) };
static struct rf_item cited_alone[] = { OPAQUE(cited, "d") };
static struct rf_turn documents_alone[] = { USER(cited_alone) };

/* clang-format off */
static struct row rows[] = {
    { .name = "settings have names of their own",
      .conversation = { .system = RF_STR_INIT("Be brief.") },
      .plan = { TURNS(hello), .max_tokens = 64, .stream = true },
      .options = "{\"temperature\": 0.5, \"top_p\": 0.9, \"stop\": [\"END\"]}",
      .want = HEAD "{\"role\":\"system\",\"content\":\"Be brief.\"}," HELLO
                   "],\"max_tokens\":64,\"temperature\":0.5,\"p\":0.9,\"stop_sequences\":[\"END\"],"
                   "\"stream\":true}" },
    { .name = "it is always said whether to stream",
      .plan = { TURNS(hello) },
      .want = BODY END },
    { .name = "tools whose use is left to the model",
      .plan = { TURNS(hello), TOOLS(tools), .tool_choice = RF_CHOICE_AUTO },
      .want = BODY ",\"tools\":[" TOOL("look") "," TOOL("read") "]" END },
    { .name = "a required call",
      .plan = { TURNS(hello), TOOLS(tools), .tool_choice = RF_CHOICE_REQUIRED },
      .want = BODY ",\"tools\":[" TOOL("look") "," TOOL("read") "],\"tool_choice\":\"REQUIRED\"" END },
    { .name = "no call",
      .plan = { TURNS(hello), TOOLS(tools), .tool_choice = RF_CHOICE_NONE },
      .want = BODY ",\"tools\":[" TOOL("look") "," TOOL("read") "],\"tool_choice\":\"NONE\"" END },
    { .name = "one tool is required by offering no other",
      .plan = { TURNS(hello), TOOLS(tools), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("read") },
      .want = BODY ",\"tools\":[" TOOL("read") "],\"tool_choice\":\"REQUIRED\"" END },
    { .name = "thinking by a budget",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"thinking\":{\"type\":\"enabled\",\"token_budget\":2048}" END },
    { .name = "thinking that is switched on",
      .caps = { .thinking = RF_THINKING_SWITCH },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"thinking\":{\"type\":\"enabled\"}" END },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = BODY ",\"thinking\":{\"type\":\"disabled\"}" END },
    { .name = "a schema goes with the format of the answer",
      .plan = { TURNS(hello) },
      .options = SCHEMA(OPEN),
      .want = BODY ",\"response_format\":{\"type\":\"json_object\",\"json_schema\":" OPEN
              "}" END },
    { .name = "words before calls are their plan",
      .plan = { TURNS(plan) },
      .want = HEAD "{\"role\":\"assistant\",\"tool_plan\":\"one\\n\\ntwo\"," CALLS "}]" END },
    { .name = "calls without words",
      .plan = { TURNS(silent) },
      .want = HEAD "{\"role\":\"assistant\"," CALLS "}]" END },
    { .name = "thoughts are content, before the text",
      .plan = { TURNS(thinking) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":[" THINKING_PART("hm") ","
              TEXT_PART("so\\n\\nit is") "]}]" END },
    { .name = "thoughts, a plan and a call",
      .plan = { TURNS(pondering) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":[" THINKING_PART("hm") "],"
              "\"tool_plan\":\"I look.\"," CALLS "}]" END },
    { .name = "what only this API can say in an answer",
      .plan = { TURNS(strange_answer) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":[" TEXT_PART("so")
              ",{\"type\":\"x\"}]}]" END },
    { .name = "a result of words is a string",
      .plan = { TURNS(words) },
      .want = HEAD ANSWERED("\"out\\n[1]\\n[notes]\\nsay \\\"hi\\\"\"") "]" END },
    { .name = "an object in a result is a document, which can be cited",
      .plan = { TURNS(data) },
      .want = HEAD ANSWERED("[" TEXT_PART("out")
              ",{\"type\":\"document\",\"document\":{\"data\":{\"n\":1}}}]") "]" END },
    { .name = "a result holds no pictures",
      .plan = { TURNS(picture_in_result) },
      .want = "!a tool message of this API cannot hold this kind of file: image" },
    { .name = "pictures of a person, with their detail",
      .plan = { TURNS(files) },
      .want = HEAD "{\"role\":\"user\",\"content\":[" TEXT_PART("see")
              ",{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,YWJj\"}},"
              "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/a.png\","
              "\"detail\":\"high\"}}]}]" END },
    { .name = "a detail that this API has no word for is the most that it has",
      .plan = { TURNS(whole_file) },
      .want = HEAD "{\"role\":\"user\",\"content\":["
                   "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/b.png\","
                   "\"detail\":\"high\"}}]}]" END },
    { .name = "there is no part for PDF",
      .plan = { TURNS(document) },
      .want = "!a message of this API cannot hold this kind of file: pdf" },
    { .name = "there are no uploaded pictures",
      .plan = { TURNS(uploaded) },
      .want = "!a message of this API cannot hold this kind of file by file id: image" },
    { .name = "an assistant shows no pictures",
      .plan = { TURNS(painter) },
      .want = "!an assistant message of this API cannot hold this kind of file: image" },
    { .name = "documents of the request leave the messages",
      .plan = { TURNS(with_documents) },
      .want = HEAD ANSWERED("[" TEXT_PART("out") "]") ",{\"role\":\"user\",\"content\":["
              TEXT_PART("hello") "]}],\"documents\":[\"d\",\"d\"]" END },
    { .name = "a message of documents alone says what they do",
      .plan = { TURNS(documents_alone) },
      .want = HEAD "{\"role\":\"user\",\"content\":[" TEXT_PART("d") "]}],\"documents\":[\"d\"]" END },
    { .name = "what only this API can say, in a result and beside it",
      .plan = { .turns = strange_turns, .turn_count = 1 },
      .want = HEAD ANSWERED("[" TEXT_PART("out") ",{\"type\":\"x\"}]") ",{\"role\":\"user\","
              "\"content\":[" TEXT_PART("see") ",{\"type\":\"x\"}]}]" END },
    { .name = "what was kept aside goes back, but for what is said already",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_budget = 9 },
      .kept = "{\"safety_mode\":\"OFF\",\"thinking\":{\"type\":\"disabled\"},\"k\":4}",
      .want = BODY ",\"thinking\":{\"type\":\"enabled\",\"token_budget\":9},\"safety_mode\":\"OFF\","
              "\"k\":4" END },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_cohere, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
