/* The Responses API, item by item and option by option. */
#include "by_hand.h"

#define MODEL "{\"model\":\"the-model\","
#define HELLO "\"input\":[{\"role\":\"user\",\"content\":\"hello\"}]"
#define STATE ",\"store\":false"
#define LOOK_TOOL                                                                      \
    ",\"tools\":[{\"type\":\"function\",\"name\":\"look\",\"description\":\"Looks.\"," \
    "\"parameters\":{\"type\":\"object\",\"properties\":{}},\"strict\":false}]"
#define SPOKE(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"
#define CALLED \
    "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"look\",\"arguments\":\"{}\"}"
#define OUTPUT(id) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":"
#define TEXT_PART(text) "{\"type\":\"input_text\",\"text\":\"" text "\"}"
#define IMAGE_PART(detail) "{\"type\":\"input_image\",\"detail\":\"" detail "\","
#define FILE_PART "{\"type\":\"input_file\","

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_block closely = { .media.detail = RF_STR_INIT("original") };
static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset code = BYTES("x=1", RF_KIND_TEXT, "text/x-python", "a.py");
static const struct rf_asset notes = BYTES("say \"hi\"\n", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset wav = BYTES("RIFF", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset png_url = {
    .state = RF_ASSET_URL,
    .kind = RF_KIND_IMAGE,
    .ref = RF_STR_INIT("https://example.com/a.png"),
    .block = &closely,
};
static const struct rf_asset png_id = ELSEWHERE(RF_ASSET_FILE_ID, "file-1", RF_KIND_IMAGE, "");
static const struct rf_asset pdf_id = ELSEWHERE(RF_ASSET_FILE_ID, "file-2", RF_KIND_PDF, "");
static const struct rf_asset pdf_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.pdf", RF_KIND_PDF, "application/pdf");

static const struct rf_block thought = {
    .thinking = { .id = RF_STR_INIT("rs_1"),
                  .text = RF_STR_INIT("hm"),
                  .encrypted = RF_STR_INIT("ZW4=") },
};
static const struct rf_block sealed = {
    .thinking = { .id = RF_STR_INIT("rs_2"), .encrypted = RF_STR_INIT("ZW4=") },
};

static struct rf_item talk_items[] = { THOUGHT(thought), SAID("one"),    SAID("two"),
                                       THOUGHT(sealed),  CALL("c1", ""), SAID("three") };
static struct rf_turn talk[] = { ASSISTANT(talk_items) };

static struct rf_item text_list[] = { SAID("out"), JSON("{\"n\":1}", true), TEXT_OF(notes) };
static struct rf_item media_list[] = { SAID("out"), FILE_OF(png), JSON("[1]", false),
                                       FILE_OF(pdf) };
static struct rf_item result_items[] = { RESULT("c1", true, text_list),
                                         RESULT("c2", false, media_list), SAID("Go on.") };
static struct rf_turn results[] = { USER(result_items) };

static struct rf_item file_items[] = { FILE_OF(png_url), FILE_OF(png_id), FILE_OF(pdf_url),
                                       FILE_OF(pdf_id),  FILE_OF(code),   TEXT_OF(notes) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item sound_items[] = { FILE_OF(wav) };
static struct rf_turn sound[] = { USER(sound_items) };
static struct rf_item picture_items[] = { FILE_OF(png) };
static struct rf_turn painter[] = { ASSISTANT(picture_items) };

/* clang-format off */
static struct row rows[] = {
    { .name = "nothing is stored, and no more is said than must be",
      .plan = { TURNS(hello) },
      .want = MODEL HELLO STATE "}" },
    { .name = "a model that has thoughts is asked for them, encrypted",
      .caps = { .replay = RF_REPLAY_ENCRYPTED },
      .plan = { TURNS(hello) },
      .want = MODEL HELLO ",\"include\":[\"reasoning.encrypted_content\"]" STATE "}" },
    { .name = "the system prompt is the instructions",
      .conversation = { .system = RF_STR_INIT("Be \"brief\".") },
      .plan = { TURNS(hello) },
      .want = MODEL "\"instructions\":\"Be \\\"brief\\\".\"," HELLO STATE "}" },
    { .name = "a blank system prompt is left out",
      .conversation = { .system = RF_STR_INIT(" \n") },
      .plan = { TURNS(hello) },
      .want = MODEL HELLO STATE "}" },
    { .name = "options: a limit of output tokens, numbers as spelled, a stream, and no stop",
      .plan = { TURNS(hello), .max_tokens = 64, .stream = true },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\"]}",
      .want = MODEL HELLO
      ",\"max_output_tokens\":64,\"temperature\":1.0,\"top_p\":9e-1" STATE ",\"stream\":true}" },
    { .name = "tools are flat and not strict",
      .plan = { TURNS(hello), TOOLS(look) },
      .want = MODEL HELLO LOOK_TOOL STATE "}" },
    { .name = "tool choice required",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = MODEL HELLO LOOK_TOOL ",\"tool_choice\":\"required\"" STATE "}" },
    { .name = "tool choice none",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_NONE },
      .want = MODEL HELLO LOOK_TOOL ",\"tool_choice\":\"none\"" STATE "}" },
    { .name = "tool choice of one tool is flat too",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = MODEL HELLO LOOK_TOOL
      ",\"tool_choice\":{\"type\":\"function\",\"name\":\"look\"}" STATE "}" },
    { .name = "JSON without a schema is asked for in a message too",
      .plan = { TURNS(hello), .json = true, .says_json = true },
      .want = "{\"model\":\"the-model\",\"input\":[{\"role\":\"system\",\"content\":\"Answer with a "
              "JSON object alone, outside of a code block.\"},"
              "{\"role\":\"user\",\"content\":\"hello\"}],\"text\":{\"format\":{\"type\":\"json_object\"}}" STATE "}" },
    { .name = "JSON without a schema, as its own client said",
      .plan = { TURNS(hello), .json = true },
      .kept = "{\"text\":{\"format\":{\"type\":\"json_object\"},\"verbosity\":\"low\"}}",
      .want = MODEL HELLO ",\"text\":{\"format\":{\"type\":\"json_object\"},"
                          "\"verbosity\":\"low\"}}" },
    { .name = "what its own client wants to see besides",
      .caps = { .replay = RF_REPLAY_ENCRYPTED },
      .plan = { TURNS(hello) },
      .kept = "{\"include\":[\"reasoning.encrypted_content\",\"file_search_call.results\"]}",
      .want = MODEL HELLO ",\"include\":[\"reasoning.encrypted_content\",\"file_search_call.results\"]}" },
    { .name = "the same of a model without thoughts",
      .plan = { TURNS(hello) },
      .kept = "{\"include\":[\"reasoning.encrypted_content\",\"file_search_call.results\"]}",
      .want = MODEL HELLO ",\"include\":[\"file_search_call.results\"]}" },
    { .name = "nothing besides but thoughts, of which there are none",
      .plan = { TURNS(hello) },
      .kept = "{\"include\":[\"reasoning.encrypted_content\"]}",
      .want = MODEL HELLO "}" },
    { .name = "some tools of those there are",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED, .says_allowed = true,
                .allowed = &look[0].name, .allowed_count = 1 },
      .want = MODEL HELLO LOOK_TOOL ",\"tool_choice\":{\"type\":\"allowed_tools\","
      "\"mode\":\"required\",\"tools\":[{\"type\":\"function\",\"name\":\"look\"}]}" STATE "}" },
    { .name = "some tools, as its own client said",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_AUTO, .says_allowed = true },
      .kept = "{\"tool_choice\":{\"type\":\"allowed_tools\",\"tools\":[]}}",
      .want = MODEL HELLO LOOK_TOOL
      ",\"tool_choice\":{\"type\":\"allowed_tools\",\"tools\":[]}}" },
    { .name = "one call at a time",
      .plan = { TURNS(hello), TOOLS(look), .single_call = true },
      .want = MODEL HELLO LOOK_TOOL ",\"parallel_tool_calls\":false" STATE "}" },
    { .name = "no tools, no choice",
      .plan = { TURNS(hello), .tool_choice = RF_CHOICE_AUTO },
      .want = MODEL HELLO STATE "}" },
    { .name = "thinking by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 4096 },
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"medium\"}" STATE "}" },
    { .name = "no thinking",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"none\"}" STATE "}" },
    { .name = "a word of its own client's for it goes back",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 24576, .thinking_level = RF_STR_INIT("high") },
      .kept = "{\"reasoning\":{\"summary\":\"auto\",\"effort\":\"xhigh\"}}",
      .want = MODEL HELLO ",\"reasoning\":{\"summary\":\"auto\",\"effort\":\"xhigh\"}}" },
    { .name = "a level that was set since replaces that word",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 2048, .thinking_level = RF_STR_INIT("low") },
      .kept = "{\"reasoning\":{\"summary\":\"auto\",\"effort\":\"xhigh\"}}",
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}}" },
    { .name = "one that was set where its own client said none joins the rest",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 4096 },
      .kept = "{\"reasoning\":{\"summary\":\"auto\"}}",
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"medium\",\"summary\":\"auto\"}}" },
    { .name = "thinking that was turned off since",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_off = true },
      .kept = "{\"reasoning\":{\"effort\":\"minimal\"}}",
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"none\"}}" },
    { .name = "no thinking, as its own client said",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_off = true },
      .kept = "{\"reasoning\":{\"effort\":\"none\"}}",
      .want = MODEL HELLO ",\"reasoning\":{\"effort\":\"none\"}}" },
    { .name = "a schema that is closed is strict",
      .plan = { TURNS(hello) },
      .options = SCHEMA(CLOSED),
      .want = MODEL HELLO ",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"answer\","
              "\"schema\":" CLOSED ",\"strict\":true}}" STATE "}" },
    { .name = "a schema that requires too much to look through is not strict",
      .plan = { TURNS(hello) },
      .options = SCHEMA(LONG),
      .want = MODEL HELLO ",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"answer\","
              "\"schema\":" LONG ",\"strict\":false}}" STATE "}" },
    { .name = "a schema under the name that its own client gave it",
      .plan = { TURNS(hello) },
      .options = SCHEMA(OPEN),
      .kept = "{\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{},"
              "\"strict\":true},\"verbosity\":\"low\"}}",
      .want = MODEL HELLO ",\"text\":{\"format\":{\"type\":\"json_schema\",\"schema\":" OPEN
              ",\"name\":\"n\",\"strict\":true},\"verbosity\":\"low\"}}" },
    { .name = "a model that does not take an effort is not asked for one",
      .plan = { TURNS(hello), .thinking_budget = 4096 },
      .want = MODEL HELLO STATE "}" },
    { .name = "thoughts stand before what they led to; each text is a message of its own",
      .plan = { TURNS(talk) },
      .want = MODEL "\"input\":["
              "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\","
              "\"text\":\"hm\"}],\"encrypted_content\":\"ZW4=\"}," SPOKE("one") "," SPOKE("two") ","
              "{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],"
              "\"encrypted_content\":\"ZW4=\"}," CALLED "," SPOKE("three") "]" STATE "}" },
    { .name = "results: text as one string, media in a list, then what the user says",
      .plan = { TURNS(results) },
      .want = MODEL "\"input\":["
              OUTPUT("c1") "\"out\\n{\\\"n\\\":1}\\n[notes]\\nsay \\\"hi\\\"\\n\"},"
              OUTPUT("c2") "[" TEXT_PART("out") ","
              IMAGE_PART("auto") "\"image_url\":\"data:image/png;base64,YWJj\"},"
              TEXT_PART("[1]") ","
              FILE_PART "\"filename\":\"a.pdf\","
              "\"file_data\":\"data:application/pdf;base64,JVBERg==\"}]},"
              "{\"role\":\"user\",\"content\":\"Go on.\"}]" STATE "}" },
    { .name = "files: detail as given, and exactly one of URL, id and bytes",
      .plan = { TURNS(files) },
      .want = MODEL "\"input\":[{\"role\":\"user\",\"content\":["
              IMAGE_PART("original") "\"image_url\":\"https://example.com/a.png\"},"
              IMAGE_PART("auto") "\"file_id\":\"file-1\"},"
              FILE_PART "\"file_url\":\"https://example.com/a.pdf\"},"
              FILE_PART "\"file_id\":\"file-2\"},"
              FILE_PART "\"filename\":\"a.py\",\"file_data\":\"data:text/x-python;base64,eD0x\"},"
              TEXT_PART("[notes]\\nsay \\\"hi\\\"\\n") "]}]" STATE "}" },
    { .name = "there is no part for sound",
      .plan = { TURNS(sound) },
      .want = "!a message of this API cannot hold this kind of file: audio" },
    { .name = "an assistant shows no pictures",
      .plan = { TURNS(painter) },
      .want = "!an assistant message of this API cannot hold this kind of file: image" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"model\":\"the-model\",\"input\":[{\"type\":\"function_call_output\","
              "\"call_id\":\"c1\",\"output\":[{\"type\":\"input_text\",\"text\":\"out\"},"
              "{\"type\":\"x\"}]},{\"role\":\"user\",\"content\":\"see\"},{\"type\":\"x\"},"
              "{\"role\":\"system\",\"content\":\"hello\"},{\"role\":\"developer\","
              "\"content\":\"hello\"}],\"store\":false}" },
    { .name = "what was kept aside, and tools of the server",
      .plan = { TURNS(hello), TOOLS(look) },
      .kept = "{\"extra_field\":{\"a\":1.50},\"tools\":[{\"index\":1,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"input\":[{\"role\":\"user\","
              "\"content\":\"hello\"}],\"tools\":[{\"type\":\"function\",\"name\":\"look\","
              "\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\","
              "\"properties\":{}},\"strict\":false},{\"type\":\"t\"}],"
              "\"extra_field\":{\"a\":1.50}}" },
    { .name = "tools of the server alone",
      .plan = { TURNS(hello) },
      .kept = "{\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"input\":[{\"role\":\"user\","
              "\"content\":\"hello\"}],\"tools\":[{\"type\":\"t\"}]}" },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_openai_responses, state);
}

#define PART(text) "{\"type\":\"summary_text\",\"text\":\"" text "\"}"

/* A reply that was kept has them beside the text. */
static void the_parts_of_a_summary_stay_parts(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_block kept = thought;
    struct rf_item items[] = { THOUGHT(kept), SAID("one") };
    struct rf_turn turns[] = { ASSISTANT(items) };
    const struct row row = { .plan = { TURNS(turns) } };
    static const char extra[] = "{\"extra\":{\"summary\":[" PART("h") "," PART("m") "]}}";
    assert_int_equal(rf_jval_parse(rf_str(extra), a, &kept.extra, NULL), RF_OK);
    struct rf_str body = body_of(&rf_dialect_openai_responses, &row, a);
    if (!rf_str_contains(body, RF_STR("\"summary\":[" PART("h") "," PART("m") "]")))
        fail_msg("%s", rf_cstr(a, body));
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(the_parts_of_a_summary_stay_parts) };
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests_name("bodies", tests, NULL, NULL) +
           cmocka_run_group_tests_name("others", others, NULL, NULL);
}
