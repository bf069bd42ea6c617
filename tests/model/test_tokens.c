/* Token estimates, worked out by hand: a row says how. */
#include "model/tokens.h"

#include "../testing.h"

#define CLAUDE "patches/28/1568/1568"
#define CLAUDE_NEW "patches/28/2576/4784"
#define GPT_4O "openai/85/170"
#define GPT_5 "openai/70/140"
#define MINI "patches/32/0/1536/162"
#define GPT_6 "patches/32/0/2500/120"
#define GEMINI_2 "tiles/768/258/384"

static const struct picture {
    const char *name, *formula;
    int64_t width, height, want;
} pictures[] = {
    { "28 x 28 is one patch", CLAUDE, 28, 28, 1 },
    { "29 x 28 is two", CLAUDE, 29, 28, 2 },
    { "one pixel is a patch", CLAUDE, 1, 1, 1 },
    { "1000 x 1000 is 36 x 36", CLAUDE, 1000, 1000, 1296 },
    { "1092 x 1092 is 39 x 39", CLAUDE, 1092, 1092, 1521 },
    { "1568 x 784 is 56 x 28, at the cap", CLAUDE, 1568, 784, 1568 },
    { "3136 x 1568 fits to 1568 x 784", CLAUDE, 3136, 1568, 1568 },
    { "3136 x 560 fits to 1568 x 280: 56 x 10", CLAUDE, 3136, 560, 560 },
    { "1568 x 1568 is capped", CLAUDE, 1568, 1568, 1568 },
    { "8000 x 1 fits to 1568 x 1", CLAUDE, 8000, 1, 56 },
    { "newer: 1568 x 1568 is 56 x 56", CLAUDE_NEW, 1568, 1568, 3136 },
    { "newer: 2576 x 2576 is 92 x 92, capped", CLAUDE_NEW, 2576, 2576, 4784 },
    { "newer: 5152 x 1288 fits to 2576 x 644: 92 x 23", CLAUDE_NEW, 5152, 1288, 2116 },
    { "512 x 512 is one tile: 85 + 170", GPT_4O, 512, 512, 255 },
    { "1024 x 1024 fits to 768: four tiles", GPT_4O, 1024, 1024, 765 },
    { "2048 x 4096 fits to 1024 x 2048, then 768 x 1536: six tiles", GPT_4O, 2048, 4096, 1105 },
    { "600 x 600 stays: four tiles", GPT_4O, 600, 600, 765 },
    { "the newer ones cost 70 + 140 a tile", GPT_5, 1024, 1024, 630 },
    { "32 x 32 patches: 1024 x 1.2 is 1228.8", GPT_6, 1024, 1024, 1229 },
    { "32 x 32 patches: 1024 x 1.62 is 1658.88", MINI, 1024, 1024, 1659 },
    { "4096 x 4096 is capped at 1536 x 1.62", MINI, 4096, 4096, 2489 },
    { "4096 x 4096 is capped at 2500 x 1.2", GPT_6, 4096, 4096, 3000 },
    { "384 x 384 is small", GEMINI_2, 384, 384, 258 },
    { "385 x 384 is one tile", GEMINI_2, 385, 384, 258 },
    { "769 x 768 is two tiles", GEMINI_2, 769, 768, 516 },
    { "1000 x 1000 is four tiles", GEMINI_2, 1000, 1000, 1032 },
    { "a fixed price", "fixed/1120", 4000, 3000, 1120 },
    { "a fixed price of a picture whose size nobody knows", "fixed/1120", 0, 0, 1120 },
    { "no size", CLAUDE, 0, 100, -1 },
    { "a negative size", CLAUDE, -5, 100, -1 },
    { "a size that no picture has", CLAUDE, INT64_MAX, INT64_MAX, -1 },
    { "the largest size", CLAUDE, INT32_MAX, INT32_MAX, 1568 },
    { "the largest size in the largest numbers is not an overflow", "tiles/1/1000000/1", INT32_MAX,
      INT32_MAX, -1 },
    { "the largest size for tiles of 512", GPT_4O, INT32_MAX, INT32_MAX, 765 },
    { "the longest line", GPT_4O, INT32_MAX, 1, 85 + 4 * 170 },
    { "no formula", "", 100, 100, -1 },
    { "a word that is none", "squares/1/2/3", 100, 100, -1 },
    { "too few numbers", "patches/28/1568", 100, 100, -1 },
    { "too many numbers", "fixed/1/2", 100, 100, -1 },
    { "far too many numbers", "patches/1/2/3/4/5", 100, 100, -1 },
    { "a side of nothing", "patches/0/1568/1568", 100, 100, -1 },
    { "no number", "fixed/many", 100, 100, -1 },
    { "a negative number", "fixed/-1", 100, 100, -1 },
    { "a number that is too large", "fixed/1000001", 100, 100, -1 },
};

static void costs(void **state)
{
    const struct picture *row = *state;
    assert_int_equal(rf_image_tokens(rf_str(row->formula), row->width, row->height), row->want);
    if (row->want > 0)
        assert_true(rf_image_formula_valid(rf_str(row->formula)));
}

static const struct rf_caps known = {
    .image_tokens = RF_STR_INIT(CLAUDE),
    .page_tokens = 2000,
    .page_base_tokens = 1500,
    .audio_tokens_per_s = 25,
    .video_tokens_per_s = 90,
};
static const struct rf_caps unknown;
static const struct rf_caps flat = { .page_tokens = 258 };

static const struct file {
    const char *name;
    const struct rf_caps *caps;
    struct rf_measure measure;
    int64_t want;
} files[] = {
    { "a picture by its size", &known,
      { .kind = RF_KIND_IMAGE, .width = 1000, .height = 1000 }, 1296 },
    { "a picture of no known size is a usual one", &known, { .kind = RF_KIND_IMAGE }, 1296 },
    { "a picture without a formula", &unknown,
      { .kind = RF_KIND_IMAGE, .width = 100, .height = 100 }, 1500 },
    { "pages", &known, { .kind = RF_KIND_PDF, .pages = 3 }, 6000 },
    { "pages whose text is known", &known,
      { .kind = RF_KIND_PDF, .pages = 3, .text_tokens = 900 }, 5400 },
    { "pages without a text: a scan", &known,
      { .kind = RF_KIND_PDF, .pages = 3, .knows_text = true }, 4500 },
    { "a text that costs nothing of its own", &flat,
      { .kind = RF_KIND_PDF, .pages = 3, .text_tokens = 900, .knows_text = true }, 774 },
    { "pages that nobody counted, by their bytes", &known,
      { .kind = RF_KIND_PDF, .bytes = 200000 }, 8000 },
    { "a PDF by URL is a page", &known, { .kind = RF_KIND_PDF }, 2000 },
    { "pages without a price", &unknown, { .kind = RF_KIND_PDF, .pages = 2 }, 4000 },
    { "sound by its length", &known, { .kind = RF_KIND_AUDIO, .duration_ms = 4500 }, 113 },
    { "sound by its bytes", &known, { .kind = RF_KIND_AUDIO, .bytes = 160000 }, 250 },
    { "sound by URL", &known, { .kind = RF_KIND_AUDIO }, 750 },
    { "a film by its seconds", &known, { .kind = RF_KIND_VIDEO, .duration_ms = 10030 }, 900 },
    { "a short film has one frame", &known, { .kind = RF_KIND_VIDEO, .duration_ms = 40 }, 90 },
    { "a film of no known length", &unknown, { .kind = RF_KIND_VIDEO, .bytes = 2500000 }, 2630 },
    { "text by its bytes", &known, { .kind = RF_KIND_TEXT, .bytes = 4001 }, 1001 },
    { "an office file by its bytes", &known, { .kind = RF_KIND_OFFICE, .bytes = 20000 }, 1000 },
    { "absurd numbers do not overflow", &known,
      { .kind = RF_KIND_PDF, .pages = INT64_MAX, .text_tokens = INT64_MAX }, INT64_MAX },
};

static void costs_as_file(void **state)
{
    const struct file *row = *state;
    assert_int_equal(rf_media_tokens(row->caps, &row->measure), row->want);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(pictures) + COUNT(files)];
    name_rows(tests, costs, pictures, COUNT(pictures), sizeof *pictures);
    name_rows(tests + COUNT(pictures), costs_as_file, files, COUNT(files), sizeof *files);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
