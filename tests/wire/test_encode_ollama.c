/* Ollama's chat API, item by item and option by option. */
#include "by_hand.h"

#define HEAD "{\"model\":\"the-model\",\"messages\":["
#define HELLO "{\"role\":\"user\",\"content\":\"hello\"}"
#define BODY HEAD HELLO "]"
#define END ",\"stream\":false}"
#define LOOK_TOOL                                                         \
    ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\"," \
    "\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
#define CALLED(id, number, arguments) \
    "{\"id\":\"" id "\",\"function\":{" number "\"name\":\"look\",\"arguments\":" arguments "}}"
#define ANSWERED(id, more) \
    "{\"role\":\"tool\",\"content\":" more ",\"tool_name\":\"look\",\"tool_call_id\":\"" id "\"}"

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset wav = BYTES("RIFF", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset notes = BYTES("say \"hi\"\n", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset png_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.png", RF_KIND_IMAGE, "image/png");

static const struct rf_block thought = { .thinking = { .text = RF_STR_INIT("hm") } };

/* {"page":1}, as it was read. */
static const struct rf_jval page[] = {
    { .type = RF_JOBJECT, .count = 1, .names = UINT32_MAX, .span = 3 },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("page") },
    { .type = RF_JNUMBER, .span = 1, .raw = RF_STR_INIT("1") },
};
static const struct rf_block call_of_page = {
    .type = RF_BLOCK_TOOL_CALL,
    .call.arguments = page,
};

static struct rf_item talk_items[] = {
    THOUGHT(thought),
    SAID("one"),
    CALL("c1", ""),
    SAID("two"),
    { .kind = RF_ITEM_CALL,
      .block = &call_of_page,
      .id = RF_STR_INIT("c2"),
      .name = RF_STR_INIT("look") },
};
static struct rf_item text_list[] = { SAID("out"), JSON("{\"n\":1}", true), TEXT_OF(notes) };
static struct rf_item media_list[] = { SAID("out"), FILE_OF(png), SAID("more"), FILE_OF(wav) };
static struct rf_item result_items[] = { RESULT("c1", true, text_list),
                                         RESULT("c2", false, media_list), SAID("This is it:"),
                                         FILE_OF(png) };
static struct rf_turn talk[] = { ASSISTANT(talk_items), USER(result_items) };

static struct rf_item call_items[] = { CALL("c1", "") };
static struct rf_turn one_call[] = { ASSISTANT(call_items) };

static struct rf_item link_items[] = { FILE_OF(png_url) };
static struct rf_turn link_to_picture[] = { USER(link_items) };
static struct rf_item document_items[] = { FILE_OF(pdf) };
static struct rf_turn document[] = { USER(document_items) };
static struct rf_item picture_items[] = { FILE_OF(png) };
static struct rf_turn painter[] = { ASSISTANT(picture_items) };

/* clang-format off */
static struct row rows[] = {
    { .name = "it is always said whether to stream",
      .plan = { TURNS(hello) },
      .want = BODY ",\"stream\":false}" },
    { .name = "a stream",
      .plan = { TURNS(hello), .stream = true },
      .want = BODY ",\"stream\":true}" },
    { .name = "the system prompt is the first message",
      .conversation = { .system = RF_STR_INIT("Be \"brief\".") },
      .plan = { TURNS(hello) },
      .want = HEAD "{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"}," HELLO "]" END },
    { .name = "options have an object of their own",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\"]}",
      .want = BODY ",\"options\":{\"num_predict\":64,\"temperature\":1.0,\"top_p\":9e-1,"
                   "\"stop\":[\"END\"]}" END },
    { .name = "there is no tool choice",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = BODY LOOK_TOOL END },
    { .name = "thinking that is on or off",
      .caps = { .thinking = RF_THINKING_SWITCH },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"think\":true" END },
    { .name = "thinking by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 8192 },
      .want = BODY ",\"think\":\"medium\"" END },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_SWITCH },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = BODY ",\"think\":false" END },
    { .name = "a schema is the format",
      .plan = { TURNS(hello) },
      .options = SCHEMA(OPEN),
      .want = BODY ",\"format\":" OPEN END },
    { .name = "a model that cannot think is not asked to",
      .plan = { TURNS(hello), .thinking_budget = 8192 },
      .want = BODY END },
    { .name = "a model that thinks is not asked to when nobody wants it",
      .caps = { .thinking = RF_THINKING_SWITCH },
      .plan = { TURNS(hello) },
      .want = BODY END },
    { .name = "one string and one list a message; arguments are objects; several calls are counted",
      .plan = { TURNS(talk) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":\"one\\n\\ntwo\",\"thinking\":\"hm\","
              "\"tool_calls\":[" CALLED("c1", "\"index\":0,", "{}") ","
              CALLED("c2", "\"index\":1,", "{\"page\":1}") "]},"
              ANSWERED("c1", "\"out\\n{\\\"n\\\":1}\\n[notes]\\nsay \\\"hi\\\"\\n\"") ","
              ANSWERED("c2", "\"out\\n[img]\\nmore\\n[img]\",\"images\":[\"YWJj\",\"UklGRg==\"]") ","
              "{\"role\":\"user\",\"content\":\"This is it:\\n[img]\",\"images\":[\"YWJj\"]}]" END },
    { .name = "a call alone has no number, and its content is empty",
      .plan = { TURNS(one_call) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
              CALLED("c1", "", "{}") "]}]" END },
    { .name = "pictures are not taken by URL",
      .plan = { TURNS(link_to_picture) },
      .want = "!a message of this API cannot hold this kind of file by URL: image" },
    { .name = "documents are not taken",
      .plan = { TURNS(document) },
      .want = "!a message of this API cannot hold this kind of file: pdf" },
    { .name = "an assistant shows no pictures",
      .plan = { TURNS(painter) },
      .want = "!an assistant message of this API cannot hold this kind of file: image" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"model\":\"the-model\",\"messages\":[{\"role\":\"tool\","
              "\"content\":\"out\\n{\\\"type\\\":\\\"x\\\"}\",\"tool_name\":\"look\","
              "\"tool_call_id\":\"c1\"},{\"role\":\"user\","
              "\"content\":\"see\\n{\\\"type\\\":\\\"x\\\"}\"},{\"role\":\"system\","
              "\"content\":\"hello\"},{\"role\":\"developer\",\"content\":\"hello\"}],"
              "\"stream\":false}" },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_ollama, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
