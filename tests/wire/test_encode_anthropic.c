/* The Messages API, item by item and option by option. */
#include "by_hand.h"

#define HEAD "{\"model\":\"the-model\",\"max_tokens\":64,"
#define GREETED "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}"
#define HELLO "\"messages\":[" GREETED "]"
#define LOOK_TOOL                                                                \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Looks.\",\"input_schema\":" \
    "{\"type\":\"object\",\"properties\":{}}}]"
#define ASKED "{\"role\":\"assistant\",\"content\":["
#define USE "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"look\",\"input\":{}}"
#define ANSWER "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\","
#define TEXT_SOURCE "\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":"
#define NOTES_BLOCK \
    "{\"type\":\"document\"," TEXT_SOURCE "\"say \\\"hi\\\"\\n\"},\"title\":\"n.txt\"}"

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset notes = BYTES("say \"hi\"\n", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset nameless = BYTES("x", RF_KIND_TEXT, "text/plain", "");
static const struct rf_asset sound = BYTES("RIFF", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset png_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.png", RF_KIND_IMAGE, "image/png");
static const struct rf_asset pdf_id = ELSEWHERE(RF_ASSET_FILE_ID, "file_1", RF_KIND_PDF, "");

static const struct rf_block thought = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .text = RF_STR_INIT("hm"), .signature = RF_STR_INIT("c2ln") },
};
static const struct rf_block held_back = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .signature = RF_STR_INIT("c2ln") },
};
static const struct rf_block redacted = {
    .type = RF_BLOCK_THINKING,
    .thinking = { .redacted = RF_STR_INIT("b3BhcXVl") },
};

static struct rf_item thinking_items[] = { THOUGHT(thought), THOUGHT(held_back), THOUGHT(redacted),
                                           CALL("c1", "") };
static struct rf_item result_list[] = { SAID("one"), FILE_OF(png), JSON("[1,\"a\"]", false),
                                        TEXT_OF(notes) };
static struct rf_item result_items[] = { RESULT("c1", false, result_list) };
static struct rf_turn answered[] = { USER(hello_items), ASSISTANT(thinking_items),
                                     USER(result_items) };

static struct rf_item call_items[] = { CALL("c1", "") };
static struct rf_item failed_list[] = {
    SAID("no such page"),
    { .kind = RF_ITEM_TEXT_FILE, .asset = &notes, .text = RF_STR_INIT("[notes]"), .plain = true },
};
static struct rf_item failed_items[] = { RESULT("c1", true, failed_list), FILE_OF(png) };
static struct rf_turn failed[] = { ASSISTANT(call_items), USER(failed_items) };

static struct rf_item file_items[] = { FILE_OF(png_url), FILE_OF(pdf), FILE_OF(pdf_id),
                                       FILE_OF(notes), TEXT_OF(nameless) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item text_file_items[] = { TEXT_OF(notes) };
static struct rf_turn text_file[] = { USER(text_file_items) };
static struct rf_item sound_items[] = { FILE_OF(sound) };
static struct rf_turn sounds[] = { USER(sound_items) };

static struct row rows[] = {
    { .name = "a body says no more than it must",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .want = HEAD HELLO "}" },
    { .name = "the system prompt is a string before the messages",
      .conversation = { .system = RF_STR_INIT("Be \"brief\".") },
      .plan = { TURNS(hello), .max_tokens = 64 },
      .want = HEAD "\"system\":\"Be \\\"brief\\\".\"," HELLO "}" },
    { .name = "a blank system prompt is left out",
      .conversation = { .system = RF_STR_INIT(" \n") },
      .plan = { TURNS(hello), .max_tokens = 64 },
      .want = HEAD HELLO "}" },
    { .name = "options: numbers as spelled, streaming only when asked for",
      .plan = { TURNS(hello), .max_tokens = 64, .stream = true },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\", \"\\n\"]}",
      .want = HEAD HELLO ",\"stop_sequences\":[\"END\",\"\\n\"],\"temperature\":1.0,"
                         "\"top_p\":9e-1,\"stream\":true}" },
    { .name = "thinking by budget",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32 },
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":32}}" },
    { .name = "thinking that the model measures itself",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32 },
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"}}" },
    { .name = "how much such a model thinks is an effort",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32,
                .thinking_level = RF_STR_INIT("medium") },
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"},"
                         "\"output_config\":{\"effort\":\"medium\"}}" },
    { .name = "a word of its own client's for it goes back",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32,
                .thinking_level = RF_STR_INIT("high") },
      .kept = "{\"output_config\":{\"effort\":\"max\"}}",
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"},"
                         "\"output_config\":{\"effort\":\"max\"}}" },
    { .name = "a level that was set since replaces that word",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32,
                .thinking_level = RF_STR_INIT("low") },
      .kept = "{\"output_config\":{\"effort\":\"max\",\"task_budget\":{\"total\":9}}}",
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"},"
                         "\"output_config\":{\"effort\":\"low\",\"task_budget\":{\"total\":9}}}" },
    { .name = "beside a budget, a word that all know is about the answer",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .conversation = { .options = { .thinking_budget = 32 } },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32,
                .thinking_level = RF_STR_INIT("low") },
      .kept = "{\"output_config\":{\"effort\":\"medium\"}}",
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"},"
                         "\"output_config\":{\"effort\":\"medium\"}}" },
    { .name = "a number that was set since replaces the most",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .conversation = { .options = { .thinking_budget = 32 } },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_budget = 32,
                .thinking_level = RF_STR_INIT("low") },
      .kept = "{\"output_config\":{\"effort\":\"xhigh\"}}",
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"adaptive\"},"
                         "\"output_config\":{\"effort\":\"low\"}}" },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .max_tokens = 64, .thinking_off = true },
      .want = HEAD HELLO ",\"thinking\":{\"type\":\"disabled\"}}" },
    { .name = "objects of a schema are closed, and bounds left out, but not properties",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(OPEN),
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
                         "\"schema\":" OPEN_CLOSED "}}}" },
    { .name = "objects stay open in allOf and beside it, where each allows what the others have",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(ALL_OF(",\"minLength\":1", "")),
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
                         "\"schema\":" ALL_OF("", ",\"additionalProperties\":false") "}}}" },
    { .name = "the order that Gemini gives properties is left out, but not one of that name",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(ORDERED("\"propertyOrdering\":[\"a\"],", "")),
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
                         "\"schema\":" ORDERED("", ",\"additionalProperties\":false") "}}}" },
    { .name = "objects that an allOf refers to stay open",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(ALL_OF_REFERENCES),
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
                         "\"schema\":" ALL_OF_REFERENCES "}}}" },
    { .name = "objects that are referred to elsewhere are closed",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(REFERENCE("")),
      .want = HEAD HELLO
      ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":" REFERENCE(
          ",\"additionalProperties\":false") "}}}" },
    { .name = "a schema that was set since replaces its own client's format",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = SCHEMA(OPEN),
      .kept = "{\"output_config\":{\"format\":{\"type\":\"x\"},\"effort\":\"low\"}}",
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"json_schema\","
                         "\"schema\":" OPEN_CLOSED "},\"effort\":\"low\"}}" },
    { .name = "its own client's format goes back",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .kept = "{\"output_config\":{\"format\":{\"type\":\"x\"},\"effort\":\"low\"}}",
      .want = HEAD HELLO ",\"output_config\":{\"format\":{\"type\":\"x\"},\"effort\":\"low\"}}" },
    { .name = "a model that thinks is not asked to when nobody wants it",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .max_tokens = 64 },
      .want = HEAD HELLO "}" },
    { .name = "a tool without a schema gets an empty one",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64 },
      .want = HEAD HELLO "," LOOK_TOOL "}" },
    { .name = "tool choice auto",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .tool_choice = RF_CHOICE_AUTO },
      .want = HEAD HELLO "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"auto\"}}" },
    { .name = "tool choice none",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .tool_choice = RF_CHOICE_NONE },
      .want = HEAD HELLO "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"none\"}}" },
    { .name = "tool choice required is any",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .tool_choice = RF_CHOICE_REQUIRED },
      .want = HEAD HELLO "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"any\"}}" },
    { .name = "tool choice of one tool",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = HEAD HELLO "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"tool\",\"name\":\"look\"}}" },
    { .name = "one call at a time",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .single_call = true },
      .want = HEAD HELLO
      "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true}}" },
    { .name = "one call of one tool",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64, .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look"), .single_call = true },
      .want = HEAD HELLO "," LOOK_TOOL ",\"tool_choice\":{\"type\":\"tool\",\"name\":\"look\","
                         "\"disable_parallel_tool_use\":true}}" },
    { .name = "no tools, no choice",
      .plan = { TURNS(hello), .max_tokens = 64, .tool_choice = RF_CHOICE_AUTO },
      .want = HEAD HELLO "}" },
    { .name = "thoughts go back as they came; a result keeps its order and has no error mark",
      .caps = { .text_documents = true, .error_text_only = true },
      .plan = { TURNS(answered), .max_tokens = 64 },
      .want =
          HEAD "\"messages\":[" GREETED "," ASKED
               "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"},"
               "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"c2ln\"},"
               "{\"type\":\"redacted_thinking\",\"data\":\"b3BhcXVl\"}," USE "]}," ANSWER
               "\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
               "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
               "\"data\":\"YWJj\"}},"
               "{\"type\":\"text\",\"text\":\"[1,\\\"a\\\"]\"}," NOTES_BLOCK "]}]}]}" },
    { .name = "a failed result is marked; a file's text is a text block where the plan says so",
      .caps = { .text_documents = true, .error_text_only = true },
      .plan = { TURNS(failed), .max_tokens = 64 },
      .want = HEAD "\"messages\":[" ASKED USE "]}," ANSWER
                   "\"content\":[{\"type\":\"text\",\"text\":\"no such page\"},"
                   "{\"type\":\"text\",\"text\":\"[notes]\\nsay \\\"hi\\\"\\n\"}],"
                   "\"is_error\":true},"
                   "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                   "\"media_type\":\"image/png\",\"data\":\"YWJj\"}}]}]}" },
    { .name = "URL, bytes and file id; text as text; a title only where there is a name",
      .caps = { .text_documents = true },
      .plan = { TURNS(files), .max_tokens = 64 },
      .want = HEAD
      "\"messages\":[{\"role\":\"user\",\"content\":["
      "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://example.com/a.png\"}},"
      "{\"type\":\"document\",\"source\":{\"type\":\"base64\","
      "\"media_type\":\"application/pdf\",\"data\":\"JVBERg==\"},\"title\":\"a.pdf\"},"
      "{\"type\":\"document\",\"source\":{\"type\":\"file\",\"file_id\":\"file_1\"}}," NOTES_BLOCK
      ",{\"type\":\"document\"," TEXT_SOURCE "\"x\"}}]}]}" },
    { .name = "a text file is plain text where no text documents are taken",
      .plan = { TURNS(text_file), .max_tokens = 64 },
      .want = HEAD "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                   "\"text\":\"[notes]\\nsay \\\"hi\\\"\\n\"}]}]}" },
    { .name = "there is no block for sound",
      .plan = { TURNS(sounds), .max_tokens = 64 },
      .want = "!a message of this API cannot hold this kind of file: audio" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns), .max_tokens = 64 },
      .want = "{\"model\":\"the-model\",\"max_tokens\":64,\"messages\":[{\"role\":\"user\","
              "\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\","
              "\"content\":[{\"type\":\"text\",\"text\":\"out\"},{\"type\":\"x\"}]},"
              "{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"x\"}]},{\"role\":\"system\","
              "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]},{\"role\":\"developer\","
              "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}]}" },
    { .name = "what was kept aside, and tools of the server",
      .plan = { TURNS(hello), TOOLS(look), .max_tokens = 64 },
      .kept = "{\"extra_field\":{\"a\":1.50},\"tools\":[{\"index\":1,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"max_tokens\":64,\"messages\":[{\"role\":\"user\","
              "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}],"
              "\"tools\":[{\"name\":\"look\",\"description\":\"Looks.\","
              "\"input_schema\":{\"type\":\"object\",\"properties\":{}}},{\"type\":\"t\"}],"
              "\"extra_field\":{\"a\":1.50}}" },
    { .name = "tools of the server alone",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .kept = "{\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"max_tokens\":64,\"messages\":[{\"role\":\"user\","
              "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}],"
              "\"tools\":[{\"type\":\"t\"}]}" },
};

static void test_body(void **state)
{
    check_row(&rf_dialect_anthropic, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
