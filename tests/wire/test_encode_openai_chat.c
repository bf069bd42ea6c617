/* Chat completions, item by item and option by option. */
#include "by_hand.h"

#define HEAD "{\"model\":\"the-model\",\"messages\":["
#define HELLO "{\"role\":\"user\",\"content\":\"hello\"}"
#define BODY HEAD HELLO "]"
#define LOOK_TOOL                                                         \
    ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\"," \
    "\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
#define CALLED(id, arguments)                                                   \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"look\"," \
    "\"arguments\":\"" arguments "\"}}"
#define ASKED(more) \
    "{\"role\":\"assistant\",\"content\":null" more ",\"tool_calls\":[" CALLED("c1", "{}") "]}"
#define ANSWERED(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":"
#define TEXT_PART(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define URL_PART(type, url) "{\"type\":\"" type "\",\"" type "\":{\"url\":\"" url "\"}}"

static struct rf_tool look[] = {
    { .name = RF_STR_INIT("look"), .description = RF_STR_INIT("Looks.") },
};

static const struct rf_block closely = { .media.detail = RF_STR_INIT("low") };
static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset wav = BYTES("RIFF", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset m4a = BYTES("ftyp", RF_KIND_AUDIO, "audio/mp4", "");
static const struct rf_asset odd = BYTES("?", RF_KIND_AUDIO, "audio/3gpp", "");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset mp4 = BYTES("mp4", RF_KIND_VIDEO, "video/mp4", "a.mp4");
static const struct rf_asset notes = BYTES("say \"hi\"\n", RF_KIND_TEXT, "text/plain", "n.txt");
static const struct rf_asset png_url = {
    .state = RF_ASSET_URL,
    .kind = RF_KIND_IMAGE,
    .ref = RF_STR_INIT("https://example.com/a.png"),
    .block = &closely,
};
static const struct rf_asset pdf_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a", RF_KIND_PDF, "application/pdf");
static const struct rf_asset pdf_id = ELSEWHERE(RF_ASSET_FILE_ID, "file-1", RF_KIND_PDF, "");
static const struct rf_asset png_id = ELSEWHERE(RF_ASSET_FILE_ID, "file-2", RF_KIND_IMAGE, "");
static const struct rf_asset wav_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.wav", RF_KIND_AUDIO, "audio/wav");

static const struct rf_block signed_thought = {
    .thinking = { .text = RF_STR_INIT("hm"), .signature = RF_STR_INIT("c2ln") },
};
static const struct rf_block plain_thought = { .thinking = { .text = RF_STR_INIT("so") } };
static const struct rf_block redacted = { .thinking = { .redacted = RF_STR_INIT("b3A=") } };
static const struct rf_block encrypted = {
    .thinking = { .id = RF_STR_INIT("rs_1"),
                  .text = RF_STR_INIT("sum"),
                  .encrypted = RF_STR_INIT("ZW4=") },
};

/* {"page":[1,"x"]}, as it was read. */
static const struct rf_jval page[] = {
    { .type = RF_JOBJECT, .count = 1, .names = UINT32_MAX, .span = 5 },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("page") },
    { .type = RF_JARRAY, .count = 2, .span = 3 },
    { .type = RF_JNUMBER, .span = 1, .raw = RF_STR_INIT("1") },
    { .type = RF_JSTRING, .span = 1, .raw = RF_STR_INIT("x") },
};
static const struct rf_block call_of_page = {
    .type = RF_BLOCK_TOOL_CALL,
    .call.arguments = page,
};

static struct rf_item thought_items[] = { THOUGHT(signed_thought), THOUGHT(plain_thought),
                                          THOUGHT(redacted), THOUGHT(encrypted), CALL("c1", "") };
static struct rf_turn thoughts[] = { ASSISTANT(thought_items) };
static struct rf_item no_words_items[] = { THOUGHT(redacted), CALL("c1", "") };
static struct rf_turn no_words[] = { ASSISTANT(no_words_items) };

static struct rf_item talk_items[] = {
    SAID("one"),
    CALL("c1", ""),
    SAID("two"),
    { .kind = RF_ITEM_CALL,
      .block = &call_of_page,
      .id = RF_STR_INIT("c2"),
      .name = RF_STR_INIT("look") },
};
static struct rf_item text_list[] = { SAID("out"), JSON("{\"n\":1}", true), TEXT_OF(notes) };
static struct rf_item media_list[] = { SAID("out"), FILE_OF(png), JSON("[1]", false),
                                       FILE_OF(pdf) };
static struct rf_item result_items[] = { RESULT("c1", true, text_list),
                                         RESULT("c2", false, media_list), SAID("This is it:"),
                                         FILE_OF(wav) };
static struct rf_turn talk[] = { ASSISTANT(talk_items), USER(result_items) };
static struct rf_item result_alone_items[] = { RESULT("c1", false, text_list) };
static struct rf_turn result_alone[] = { USER(result_alone_items) };

static struct rf_item file_items[] = { FILE_OF(png_url), FILE_OF(m4a),     FILE_OF(odd),
                                       FILE_OF(mp4),     FILE_OF(pdf_url), FILE_OF(pdf_id),
                                       FILE_OF(png_id),  TEXT_OF(notes) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item text_file_items[] = { TEXT_OF(notes) };
static struct rf_turn text_file[] = { USER(text_file_items) };
static struct rf_item sound_items[] = { FILE_OF(wav_url) };
static struct rf_turn sound[] = { USER(sound_items) };
static struct rf_item picture_items[] = { FILE_OF(png) };
static struct rf_turn painter[] = { ASSISTANT(picture_items) };

/* clang-format off */
static struct row rows[] = {
    { .name = "a body says no more than it must", .plan = { TURNS(hello) }, .want = BODY "}" },
    { .name = "the system prompt is the first message",
      .conversation = { .system = RF_STR_INIT("Be \"brief\".") },
      .plan = { TURNS(hello) },
      .want = HEAD "{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"}," HELLO "]}" },
    { .name = "a blank system prompt is left out",
      .conversation = { .system = RF_STR_INIT(" \n") },
      .plan = { TURNS(hello) },
      .want = BODY "}" },
    { .name = "options: the limit under the endpoint's name for it, numbers as spelled",
      .caps = { .max_tokens_field = RF_STR_INIT("max_completion_tokens") },
      .plan = { TURNS(hello), .max_tokens = 64 },
      .options = "{\"temperature\": 1.0, \"top_p\": 9e-1, \"stop\": [\"END\", \"\\n\"]}",
      .want = BODY ",\"max_completion_tokens\":64,\"temperature\":1.0,\"top_p\":9e-1,"
                   "\"stop\":[\"END\",\"\\n\"]}" },
    { .name = "the limit is max_tokens where the endpoint has no name for it",
      .plan = { TURNS(hello), .max_tokens = 64 },
      .want = BODY ",\"max_tokens\":64}" },
    { .name = "a stream",
      .plan = { TURNS(hello), .stream = true },
      .want = BODY ",\"stream\":true}" },
    { .name = "a stream that counts tokens only when asked to",
      .caps = { .stream_usage = true },
      .plan = { TURNS(hello), .stream = true },
      .want = BODY ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}" },
    { .name = "no stream, no options of one",
      .caps = { .stream_usage = true },
      .plan = { TURNS(hello) },
      .want = BODY "}" },
    { .name = "a tool without a schema gets an empty one",
      .plan = { TURNS(hello), TOOLS(look) },
      .want = BODY LOOK_TOOL "}" },
    { .name = "tool choice auto",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_AUTO },
      .want = BODY LOOK_TOOL ",\"tool_choice\":\"auto\"}" },
    { .name = "some tools of those there are",
      .plan = { TURNS(hello), TOOLS(look), .says_allowed = true, .allowed = &look[0].name,
                .allowed_count = 1 },
      .want = BODY LOOK_TOOL ",\"tool_choice\":{\"type\":\"allowed_tools\",\"allowed_tools\":{"
      "\"mode\":\"auto\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\"}}]}}}" },
    { .name = "JSON without a schema",
      .plan = { TURNS(hello), .json = true },
      .want = BODY ",\"response_format\":{\"type\":\"json_object\"}}" },
    { .name = "one call at a time",
      .plan = { TURNS(hello), TOOLS(look), .single_call = true },
      .want = BODY LOOK_TOOL ",\"parallel_tool_calls\":false}" },
    { .name = "tool choice none",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_NONE },
      .want = BODY LOOK_TOOL ",\"tool_choice\":\"none\"}" },
    { .name = "tool choice required",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = BODY LOOK_TOOL ",\"tool_choice\":\"required\"}" },
    { .name = "tool choice of one tool",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = BODY LOOK_TOOL
      ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"look\"}}}" },
    { .name = "no tools, no choice",
      .plan = { TURNS(hello), .tool_choice = RF_CHOICE_REQUIRED },
      .want = BODY "}" },
    { .name = "thinking by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"reasoning_effort\":\"low\"}" },
    { .name = "thinking by budget",
      .caps = { .thinking = RF_THINKING_BUDGET, .reasoning_field = RF_REASONING_BLOCKS },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2048}}" },
    { .name = "thinking that the model measures itself",
      .caps = { .thinking = RF_THINKING_ADAPTIVE },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"thinking\":{\"type\":\"adaptive\"}}" },
    { .name = "thinking that is on or off",
      .caps = { .thinking = RF_THINKING_SWITCH },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"thinking\":{\"type\":\"enabled\"}}" },
    { .name = "thinking by budget where thoughts are reasoning details",
      .caps = { .thinking = RF_THINKING_BUDGET, .reasoning_field = RF_REASONING_DETAILS },
      .plan = { TURNS(hello), .thinking_budget = 2048 },
      .want = BODY ",\"reasoning\":{\"max_tokens\":2048}}" },
    { .name = "thinking by effort where thoughts are reasoning details",
      .caps = { .thinking = RF_THINKING_EFFORT, .reasoning_field = RF_REASONING_DETAILS },
      .plan = { TURNS(hello), .thinking_budget = 20000 },
      .want = BODY ",\"reasoning\":{\"effort\":\"high\"}}" },
    { .name = "no thinking, by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = BODY ",\"reasoning_effort\":\"none\"}" },
    { .name = "no thinking, by budget",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = BODY ",\"thinking\":{\"type\":\"disabled\"}}" },
    { .name = "no thinking where thoughts are reasoning details",
      .caps = { .thinking = RF_THINKING_BUDGET, .reasoning_field = RF_REASONING_DETAILS },
      .plan = { TURNS(hello), .thinking_off = true },
      .want = BODY ",\"reasoning\":{\"effort\":\"none\"}}" },
    { .name = "a schema that is open is not strict",
      .plan = { TURNS(hello) },
      .options = SCHEMA(OPEN),
      .want = BODY ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
              "\"name\":\"answer\",\"schema\":" OPEN ",\"strict\":false}}}" },
    { .name = "a model that thinks is not asked to when nobody wants it",
      .caps = { .thinking = RF_THINKING_EFFORT, .reasoning_field = RF_REASONING_DETAILS },
      .plan = { TURNS(hello) },
      .want = BODY "}" },
    { .name = "thoughts without a field of their own are left out",
      .plan = { TURNS(thoughts) },
      .want = HEAD ASKED("") "]}" },
    { .name = "thoughts as reasoning_content",
      .caps = { .reasoning_field = RF_REASONING_CONTENT },
      .plan = { TURNS(thoughts) },
      .want = HEAD ASKED(",\"reasoning_content\":\"hm\\n\\nso\\n\\nsum\"") "]}" },
    { .name = "thoughts as reasoning",
      .caps = { .reasoning_field = RF_REASONING_PLAIN },
      .plan = { TURNS(thoughts) },
      .want = HEAD ASKED(",\"reasoning\":\"hm\\n\\nso\\n\\nsum\"") "]}" },
    { .name = "thoughts without words leave no empty string",
      .caps = { .reasoning_field = RF_REASONING_PLAIN },
      .plan = { TURNS(no_words) },
      .want = HEAD ASKED("") "]}" },
    { .name = "thoughts as reasoning_details: text with its signature, opaque data with its id",
      .caps = { .reasoning_field = RF_REASONING_DETAILS },
      .plan = { TURNS(thoughts) },
      .want = HEAD ASKED(
          ",\"reasoning_details\":["
          "{\"type\":\"reasoning.text\",\"text\":\"hm\",\"signature\":\"c2ln\"},"
          "{\"type\":\"reasoning.text\",\"text\":\"so\"},"
          "{\"type\":\"reasoning.encrypted\",\"data\":\"b3A=\"},"
          "{\"type\":\"reasoning.text\",\"text\":\"sum\",\"id\":\"rs_1\"},"
          "{\"type\":\"reasoning.encrypted\",\"data\":\"ZW4=\",\"id\":\"rs_1\"}]") "]}" },
    { .name = "thoughts as thinking_blocks",
      .caps = { .reasoning_field = RF_REASONING_BLOCKS },
      .plan = { TURNS(thoughts) },
      .want = HEAD ASKED(
          ",\"thinking_blocks\":["
          "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"},"
          "{\"type\":\"thinking\",\"thinking\":\"so\"},"
          "{\"type\":\"redacted_thinking\",\"data\":\"b3A=\"},"
          "{\"type\":\"thinking\",\"thinking\":\"sum\"}]") "]}" },
    { .name = "no thoughts, no list of them",
      .caps = { .reasoning_field = RF_REASONING_DETAILS },
      .plan = { .turns = talk, .turn_count = 1 },
      .want = HEAD "{\"role\":\"assistant\",\"content\":\"one\\n\\ntwo\",\"tool_calls\":["
              CALLED("c1", "{}") "," CALLED("c2", "{\\\"page\\\":[1,\\\"x\\\"]}") "]}]}" },
    { .name = "results: text as one string, media in a list, then what the user gets",
      .plan = { TURNS(talk) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":\"one\\n\\ntwo\",\"tool_calls\":["
              CALLED("c1", "{}") "," CALLED("c2", "{\\\"page\\\":[1,\\\"x\\\"]}") "]},"
              ANSWERED("c1") "\"out\\n{\\\"n\\\":1}\\n[notes]\\nsay \\\"hi\\\"\\n\"},"
              ANSWERED("c2") "[" TEXT_PART("out") ","
              URL_PART("image_url", "data:image/png;base64,YWJj") "," TEXT_PART("[1]") ","
              "{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\","
              "\"file_data\":\"data:application/pdf;base64,JVBERg==\"}}]},"
              "{\"role\":\"user\",\"content\":[" TEXT_PART("This is it:") ","
              "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"UklGRg==\","
              "\"format\":\"wav\"}}]}]}" },
    { .name = "a turn of results only is not a user message",
      .plan = { TURNS(result_alone) },
      .want = HEAD ANSWERED("c1")
              "\"out\\n{\\\"n\\\":1}\\n[notes]\\nsay \\\"hi\\\"\\n\"}]}" },
    { .name = "files: detail as given, sounds by format, a name with its extension, URLs and ids",
      .plan = { TURNS(files) },
      .want = HEAD "{\"role\":\"user\",\"content\":["
              "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/a.png\","
              "\"detail\":\"low\"}},"
              "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"ZnR5cA==\","
              "\"format\":\"m4a\"}},"
              "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"Pw==\","
              "\"format\":\"3gpp\"}},"
              URL_PART("video_url", "data:video/mp4;base64,bXA0") ","
              "{\"type\":\"file\",\"file\":{\"filename\":\"document 1.pdf\","
              "\"file_data\":\"https://example.com/a\"}},"
              "{\"type\":\"file\",\"file\":{\"file_id\":\"file-1\"}},"
              "{\"type\":\"file\",\"file\":{\"file_id\":\"file-2\"}},"
              TEXT_PART("[notes]\\nsay \\\"hi\\\"\\n") "]}]}" },
    { .name = "a text file alone is a string",
      .plan = { TURNS(text_file) },
      .want = HEAD "{\"role\":\"user\",\"content\":\"[notes]\\nsay \\\"hi\\\"\\n\"}]}" },
    { .name = "sound is not taken by URL",
      .plan = { TURNS(sound) },
      .want = "!a message of this API cannot hold this kind of file by URL: audio" },
    { .name = "an assistant shows no pictures",
      .plan = { TURNS(painter) },
      .want = "!an assistant message of this API cannot hold this kind of file: image" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"model\":\"the-model\",\"messages\":[{\"role\":\"tool\","
              "\"tool_call_id\":\"c1\",\"content\":[{\"type\":\"text\",\"text\":\"out\"},"
              "{\"type\":\"x\"}]},{\"role\":\"user\",\"content\":[{\"type\":\"text\","
              "\"text\":\"see\"},{\"type\":\"x\"}]},{\"role\":\"system\","
              "\"content\":\"hello\"},{\"role\":\"developer\",\"content\":\"hello\"}]}" },
    { .name = "what was kept aside, and tools of the server",
      .plan = { TURNS(hello), TOOLS(look) },
      .kept = "{\"extra_field\":{\"a\":1.50},\"tools\":[{\"index\":1,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"messages\":[{\"role\":\"user\","
              "\"content\":\"hello\"}],\"tools\":[{\"type\":\"function\","
              "\"function\":{\"name\":\"look\",\"description\":\"Looks.\","
              "\"parameters\":{\"type\":\"object\",\"properties\":{}}}},{\"type\":\"t\"}],"
              "\"extra_field\":{\"a\":1.50}}" },
    { .name = "tools of the server alone",
      .plan = { TURNS(hello) },
      .kept = "{\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]}",
      .want = "{\"model\":\"the-model\",\"messages\":[{\"role\":\"user\","
              "\"content\":\"hello\"}],\"tools\":[{\"type\":\"t\"}]}" },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_openai_chat, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
