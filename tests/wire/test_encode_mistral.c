/* What Mistral spells in its own way; test_encode_openai_chat.c has the rest. */
#include "by_hand.h"

#define HEAD "{\"model\":\"the-model\",\"messages\":["
#define HELLO "{\"role\":\"user\",\"content\":\"hello\"}"
#define BODY HEAD HELLO "]"
#define LOOK_TOOL                                                         \
    ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\"," \
    "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"
#define CALLS                                                       \
    ",\"tool_calls\":[{\"id\":\"abcdefgh1\",\"type\":\"function\"," \
    "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]"
#define THINKING_PART(text) \
    "{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"" text "\"}]"
#define TEXT_PART(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE_PART(url) "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" url "\"}}"
#define DOCUMENT_PART(url) "{\"type\":\"document_url\",\"document_url\":\"" url "\"}"

static struct rf_tool look[] = { { .name = RF_STR_INIT("look") } };

static const struct rf_block closely = { .media.detail = RF_STR_INIT("original") };
static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a.pdf");
static const struct rf_asset wav = BYTES("RIFF", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset mp4 = BYTES("mp4", RF_KIND_VIDEO, "video/mp4", "a.mp4");
static const struct rf_asset png_url = {
    .state = RF_ASSET_URL,
    .kind = RF_KIND_IMAGE,
    .ref = RF_STR_INIT("https://example.com/a.png"),
    .block = &closely,
};
static const struct rf_asset pdf_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.pdf", RF_KIND_PDF, "application/pdf");
static const struct rf_asset wav_url =
    ELSEWHERE(RF_ASSET_URL, "https://example.com/a.wav", RF_KIND_AUDIO, "audio/wav");
static const struct rf_asset pdf_id = ELSEWHERE(RF_ASSET_FILE_ID, "f-1", RF_KIND_PDF, "");

static const struct rf_block thought = { .thinking = { .text = RF_STR_INIT("hm") } };
static const struct rf_block signed_thought = {
    .thinking = { .text = RF_STR_INIT("so"), .signature = RF_STR_INIT("c2ln") },
};

static struct rf_item thinking_items[] = { THOUGHT(thought), SAID("one"), THOUGHT(signed_thought),
                                           SAID("two"), CALL("abcdefgh1", "") };
static struct rf_item silent_items[] = { THOUGHT(thought), CALL("abcdefgh1", "") };
static struct rf_turn thinking[] = { ASSISTANT(thinking_items) };
static struct rf_turn silent[] = { ASSISTANT(silent_items) };

static struct rf_item call_items[] = { CALL("abcdefgh1", "") };
static struct rf_item media_list[] = { SAID("out"), FILE_OF(png), FILE_OF(pdf) };
static struct rf_item result_items[] = { RESULT("abcdefgh1", false, media_list) };
static struct rf_turn results[] = { ASSISTANT(call_items), USER(result_items) };
static struct rf_item text_list[] = { SAID("out"), SAID("more") };
static struct rf_item text_result_items[] = { RESULT("abcdefgh1", false, text_list) };
static struct rf_turn text_results[] = { USER(text_result_items) };

static struct rf_item file_items[] = { FILE_OF(png_url), FILE_OF(pdf_url), FILE_OF(wav),
                                       FILE_OF(wav_url), FILE_OF(pdf_id) };
static struct rf_turn files[] = { USER(file_items) };
static struct rf_item video_items[] = { FILE_OF(mp4) };
static struct rf_turn video[] = { USER(video_items) };
static struct rf_item painter_items[] = { THOUGHT(thought), FILE_OF(png) };
static struct rf_turn painter[] = { ASSISTANT(painter_items) };

/* clang-format off */
static struct row rows[] = {
    { .name = "options in the shape of chat completions, and a plain stream",
      .caps = { .max_tokens_field = RF_STR_INIT("max_tokens"), .stream_usage = true },
      .conversation = { .system = RF_STR_INIT("Be brief.") },
      .plan = { TURNS(hello), .max_tokens = 64, .stream = true },
      .options = "{\"temperature\": 0.5, \"top_p\": 1, \"stop\": [\"END\"]}",
      .want = HEAD "{\"role\":\"system\",\"content\":\"Be brief.\"}," HELLO
                   "],\"max_tokens\":64,\"temperature\":0.5,\"top_p\":1,\"stop\":[\"END\"],"
                   "\"stream\":true}" },
    { .name = "tool choice required is any",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_REQUIRED },
      .want = BODY LOOK_TOOL ",\"tool_choice\":\"any\"}" },
    { .name = "tool choice of one tool",
      .plan = { TURNS(hello), TOOLS(look), .tool_choice = RF_CHOICE_TOOL,
                .tool_choice_name = RF_STR_INIT("look") },
      .want = BODY LOOK_TOOL
      ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"look\"}}}" },
    { .name = "thinking by effort",
      .caps = { .thinking = RF_THINKING_EFFORT },
      .plan = { TURNS(hello), .thinking_budget = 16384 },
      .want = BODY ",\"reasoning_effort\":\"high\"}" },
    { .name = "a schema of the answer",
      .plan = { TURNS(hello) },
      .options = SCHEMA(CLOSED),
      .want = BODY ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
              "\"name\":\"answer\",\"schema\":" CLOSED ",\"strict\":true}}}" },
    { .name = "thinking in other ways is not asked for",
      .caps = { .thinking = RF_THINKING_BUDGET },
      .plan = { TURNS(hello), .thinking_budget = 16384 },
      .want = BODY "}" },
    { .name = "thoughts are content, before the text",
      .plan = { TURNS(thinking) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":[" THINKING_PART("hm") "},"
              THINKING_PART("so") ",\"signature\":\"c2ln\"}," TEXT_PART("one\\n\\ntwo") "]"
              CALLS "}]}" },
    { .name = "thoughts without a text",
      .plan = { TURNS(silent) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":[" THINKING_PART("hm") "}]" CALLS "}]}" },
    { .name = "a result with media is a list, and has the tool's name",
      .plan = { TURNS(results) },
      .want = HEAD "{\"role\":\"assistant\",\"content\":null" CALLS "},"
              "{\"role\":\"tool\",\"tool_call_id\":\"abcdefgh1\",\"name\":\"look\",\"content\":["
              TEXT_PART("out") "," IMAGE_PART("data:image/png;base64,YWJj") ","
              DOCUMENT_PART("data:application/pdf;base64,JVBERg==") "]}]}" },
    { .name = "a result of text is a string",
      .plan = { TURNS(text_results) },
      .want = HEAD "{\"role\":\"tool\",\"tool_call_id\":\"abcdefgh1\",\"name\":\"look\","
                   "\"content\":\"out\\nmore\"}]}" },
    { .name = "files: pictures without detail, documents and sounds as strings, ids",
      .plan = { TURNS(files) },
      .want = HEAD "{\"role\":\"user\",\"content\":[" IMAGE_PART("https://example.com/a.png") ","
              DOCUMENT_PART("https://example.com/a.pdf") ","
              "{\"type\":\"input_audio\",\"input_audio\":\"UklGRg==\"},"
              "{\"type\":\"input_audio\",\"input_audio\":\"https://example.com/a.wav\"},"
              "{\"type\":\"file\",\"file_id\":\"f-1\"}]}]}" },
    { .name = "there is no part for video",
      .plan = { TURNS(video) },
      .want = "!a message of this API cannot hold this kind of file: video" },
    { .name = "an assistant shows no pictures, also where it thinks",
      .plan = { TURNS(painter) },
      .want = "!an assistant message of this API cannot hold this kind of file: image" },
    { .name = "what only this API can say, in a result and beside it; and who else speaks",
      .plan = { TURNS(strange_turns) },
      .want = "{\"model\":\"the-model\",\"messages\":[{\"role\":\"tool\","
              "\"tool_call_id\":\"c1\",\"name\":\"look\",\"content\":[{\"type\":\"text\","
              "\"text\":\"out\"},{\"type\":\"x\"}]},{\"role\":\"user\","
              "\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"x\"}]},"
              "{\"role\":\"system\",\"content\":\"hello\"},{\"role\":\"developer\","
              "\"content\":\"hello\"}]}" },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_mistral, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
