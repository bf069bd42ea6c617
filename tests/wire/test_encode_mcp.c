/* Results for hosts of MCP tools. */
#include "by_hand.h"

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define RESULT_OF(content) "{\"content\":[" content "],\"isError\":false}"
#define REFUSED "!a host is given the result of one call, with which this conversation does not end"

static const struct rf_asset png = BYTES("abc", RF_KIND_IMAGE, "image/png", "a.png");
static const struct rf_asset wav = BYTES("abc", RF_KIND_AUDIO, "audio/wav", "a.wav");
static const struct rf_asset pdf = BYTES("%PDF", RF_KIND_PDF, "application/pdf", "a b\"\xc3\xa9.pdf");
static const struct rf_asset notes = BYTES("say \"hi\"", RF_KIND_TEXT, "text/plain", "notes");
static const struct rf_asset url = ELSEWHERE(RF_ASSET_URL, "https://x/a.png", RF_KIND_IMAGE, "");

static struct rf_item word_list[] = { SAID("out"), JSON("[1]", false), TEXT_OF(notes) };
static struct rf_item word_items[] = { RESULT("c1", false, word_list) };
static struct rf_turn words[] = { USER(hello_items), USER(word_items) };

static struct rf_item file_list[] = { SAID("page 1"), FILE_OF(png), FILE_OF(wav), FILE_OF(pdf) };
static struct rf_item file_items[] = { RESULT("c1", false, file_list) };
static struct rf_turn files[] = { USER(file_items) };

static struct rf_item data_list[] = { JSON("{\"n\":1}", true) };
static struct rf_item data_items[] = { RESULT("c1", false, data_list) };
static struct rf_turn data[] = { USER(data_items) };

static struct rf_item beside_list[] = { JSON("{\"n\":1}", true), FILE_OF(png) };
static struct rf_item beside_items[] = { RESULT("c1", false, beside_list) };
static struct rf_turn beside[] = { USER(beside_items) };

static struct rf_item failed_list[] = { SAID("no such file"), FILE_OF(png) };
static struct rf_item failed_items[] = { RESULT("c1", true, failed_list) };
static struct rf_turn failed[] = { USER(failed_items) };

static struct rf_item link_items[] = { RESULT("c1", false, strange_list) };
static struct rf_turn linked[] = { USER(link_items) };

static struct rf_item url_list[] = { FILE_OF(url) };
static struct rf_item url_items[] = { RESULT("c1", false, url_list) };
static struct rf_turn elsewhere[] = { USER(url_items) };

static struct rf_item two_items[] = { RESULT("c1", false, data_list),
                                      RESULT("c2", false, data_list) };
static struct rf_turn two[] = { USER(two_items) };
static struct rf_turn goes_on[] = { USER(data_items), USER(hello_items) };

/* clang-format off */
static struct row rows[] = {
    { .name = "words, and nothing of what was said before",
      .plan = { TURNS(words) },
      .want = RESULT_OF(TEXT("out") "," TEXT("[1]") "," TEXT("[notes]\\nsay \\\"hi\\\"")) },
    { .name = "files in their places, others than pictures and sound as resources",
      .plan = { TURNS(files) },
      .want = RESULT_OF(TEXT("page 1") ",{\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"}"
              ",{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"},{\"type\":\"resource\","
              "\"resource\":{\"uri\":\"attachment:///a%20b%22%C3%A9.pdf\",\"mimeType\":\"application/pdf\","
              "\"blob\":\"JVBERg==\"}}") },
    { .name = "an object alone is structured content, and a text",
      .plan = { TURNS(data) },
      .want = "{\"content\":[" TEXT("{\\\"n\\\":1}") "],\"structuredContent\":{\"n\":1},\"isError\":false}" },
    { .name = "beside a picture it is a text alone",
      .plan = { TURNS(beside) },
      .want = RESULT_OF(TEXT("{\\\"n\\\":1}") ",{\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"}") },
    { .name = "a failure keeps its files",
      .plan = { TURNS(failed) },
      .want = "{\"content\":[" TEXT("no such file") ",{\"type\":\"image\",\"data\":\"YWJj\","
              "\"mimeType\":\"image/png\"}],\"isError\":true}" },
    { .name = "what only hosts know goes as it came",
      .plan = { TURNS(linked) },
      .want = RESULT_OF(TEXT("out") ",{\"type\":\"x\"}") },
    { .name = "a file that is not here is refused",
      .plan = { TURNS(elsewhere) },
      .want = "!a result of this API cannot hold this kind of file by URL: image" },
    { .name = "no result", .plan = { TURNS(hello) }, .want = REFUSED },
    { .name = "two results", .plan = { TURNS(two) }, .want = REFUSED },
    { .name = "words beside it", .plan = { TURNS(strange_turns) }, .want = REFUSED },
    { .name = "a conversation that goes on", .plan = { TURNS(goes_on) }, .want = REFUSED },
};
/* clang-format on */

static void test_body(void **state)
{
    check_row(&rf_dialect_mcp, state);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_tests(tests, test_body, rows, COUNT(rows));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
