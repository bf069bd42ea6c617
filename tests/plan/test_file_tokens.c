/* What a PDF costs by what its block says, by what a worker told, and by both. */
#include "plan/file_tokens.h"

#include "../testing.h"

static const struct rf_caps pictures_and_text = { .page_tokens = 2000,
                                                  .page_base_tokens = 1500,
                                                  .text_percent = 100 };
static const struct rf_caps pictures = { .page_tokens = 258, .text_percent = 100 };

#define TOLD(n) .known = (n)
#define WEIGHED(n, tokens) .known = (n), .weighed = true, .weight = { .plain = (tokens)*100 }
#define WORDS RF_STR_INIT("four words stand here")

static const struct row {
    const char *name;
    const struct rf_caps *caps;
    struct rf_media media;
    int64_t known; /* pages that a worker counted */
    bool weighed;
    struct rf_text_weight weight;
    int64_t pages, want;
} rows[] = {
    { "pages that a worker counted", &pictures_and_text, TOLD(10), .want = 20000 },
    { "some of them", &pictures_and_text, TOLD(10), .pages = 4, .want = 8000 },
    { "pages and their text", &pictures_and_text, WEIGHED(10, 3000), .want = 18000 },
    { "some pages have some of the text", &pictures_and_text, WEIGHED(10, 3000), .pages = 4,
      .want = 7200 },
    { "a range has some of the text", &pictures_and_text, WEIGHED(10, 3000),
      .media = { .pages = { 3, 4 } }, .want = 3600 },
    { "a scan has none", &pictures_and_text, WEIGHED(10, 0), .want = 15000 },
    { "where text costs nothing, pages tell all", &pictures, WEIGHED(10, 3000), .want = 2580 },
    { "the text of a block comes first", &pictures_and_text, WEIGHED(2, 3000),
      .media = { .page_count = 2, .extracted_text = WORDS }, .want = 3004 },
    { "a block that counted its pages", &pictures_and_text, .media = { .page_count = 3 },
      .want = 6000 },
    { "nobody told anything", &pictures_and_text, .want = 2000 },
};

static void costs(void **state)
{
    const struct row *row = *state;
    const struct rf_block block = { .type = RF_BLOCK_DOCUMENT, .media = row->media };
    const struct rf_asset f = {
        .kind = RF_KIND_PDF,
        .block = &block,
        .facts = { .pages = row->known },
        .look = { .weighed = row->weighed },
        .weight = row->weight,
    };
    assert_int_equal(rf_file_tokens(row->caps, &f, row->pages), row->want);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, costs, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
