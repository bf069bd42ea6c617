/* Text out of pictures, through the worker. The pictures are drawn here, with the letters that
 * Leptonica brings along. */
#include "asking.h"

#include <leptonica/allheaders.h>

#define WORDS "The quick brown fox jumps over the lazy dog"
#define MORE_WORDS "Invoice 2024, total due 1234 euros"

static struct rf_arena *arena;

/* Two lines of text. */
static PIX *draw(int32_t paper, int32_t ink)
{
    L_BMF *letters = bmfCreate(NULL, 8);
    PIX *pix = pixCreate(900, 200, 32);
    l_int32 width, overflow;

    assert_non_null(letters);
    pixSetAllArbitrary(pix, (l_uint32)paper);
    pixSetTextline(pix, letters, WORDS, (l_uint32)ink, 40, 80, &width, &overflow);
    pixSetTextline(pix, letters, MORE_WORDS, (l_uint32)ink, 40, 130, &width, &overflow);
    bmfDestroy(&letters);
    return pix;
}

/* Takes `pix` over. */
static struct rf_str written(PIX *pix, l_int32 format)
{
    l_uint8 *bytes = NULL;
    size_t n = 0;

    assert_int_equal(pixWriteMem(&bytes, &n, pix, format), 0);
    struct rf_str out = rf_str_dup(arena, (struct rf_str){ (char *)bytes, n });
    lept_free(bytes);
    pixDestroy(&pix);
    return out;
}

#define WHITE (int32_t)0xffffff00u
#define BLACK 0x10101000

static int set_up(void **state)
{
    arena = rf_arena_new();
    setMsgSeverity(L_SEVERITY_NONE);
    return use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

static struct rf_job ask(const char *lines, struct rf_str input)
{
    return ask_worker(arena, "ocr", lines, input);
}

/* A machine without the data of a language has no OCR, and says so. */
static bool is_there(void)
{
    struct rf_err err;

    if (!rf_worker_check(rf_workers_shared(), "ocr", arena, NULL, &err))
        return true;
    print_message("skipped: %s\n", err.msg);
    return false;
}

static void assert_reads(struct rf_str picture)
{
    struct rf_job job = ask("op=text\n", picture);

    if (job.failed)
        print_error("%s\n", job.err.msg);
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.part_count, 1);
    assert_str(prop_of(&job, 0, "kind"), "text");
    struct rf_str text = job.parts[0].text;
    if (!rf_str_contains(text, RF_STR(WORDS)) || !rf_str_contains(text, RF_STR(MORE_WORDS)))
        fail_msg("read: %.*s", (int)text.n, text.p);
    assert_true(number_of(&job, 0, "confidence") > 70);
}

static void reads_png(void **state)
{
    (void)state;
    if (is_there())
        assert_reads(written(draw(WHITE, BLACK), IFF_PNG));
}

static void reads_jpeg(void **state)
{
    (void)state;
    if (is_there())
        assert_reads(written(draw(WHITE, BLACK), IFF_JFIF_JPEG));
}

static void reads_light_on_dark(void **state)
{
    (void)state;
    if (is_there())
        assert_reads(written(draw(0x20203000, WHITE), IFF_PNG));
}

/* Black on nothing would be black on black. */
static void reads_on_transparent_paper(void **state)
{
    (void)state;
    if (!is_there())
        return;
    PIX *opaque = draw(WHITE, BLACK), *pix = pixCreate(900, 200, 32);
    PIX *ink = pixConvertTo8(opaque, 0);
    pixInvert(ink, ink);
    pixSetRGBComponent(pix, ink, L_ALPHA_CHANNEL);
    pixSetSpp(pix, 4);
    pixDestroy(&opaque);
    pixDestroy(&ink);
    assert_reads(written(pix, IFF_PNG));
}

/* Words at places. */
struct word {
    const char *text;
    int x, y;
};

static PIX *draw_words(const struct word *words, size_t count)
{
    L_BMF *letters = bmfCreate(NULL, 10);
    PIX *pix = pixCreate(1800, 700, 32);
    l_int32 width, overflow;

    pixSetAllArbitrary(pix, (l_uint32)WHITE);
    for (size_t i = 0; i < count; i++)
        pixSetTextline(pix, letters, words[i].text, BLACK, words[i].x, words[i].y, &width,
                       &overflow);
    bmfDestroy(&letters);
    return pix;
}

static void rows_of_a_table_stay_together(void **state)
{
    static const struct word table[] = {
        { "Item", 60, 100 },   { "Count", 600, 100 }, { "Price", 1100, 100 },
        { "Apples", 60, 200 }, { "12", 600, 200 },    { "3.40", 1100, 200 },
        { "Pears", 60, 300 },  { "150", 600, 300 },   { "12.95", 1100, 300 },
        { "Plums", 60, 400 },  { "48", 600, 400 },    { "0.25", 1100, 400 },
    };
    (void)state;
    if (!is_there())
        return;
    struct rf_job job = ask("op=text\n", written(draw_words(table, COUNT(table)), IFF_PNG));
    struct rf_str text = job.parts[0].text;
    if (!rf_str_contains(text, RF_STR("Apples | 12 | 3.40\n")) ||
        !rf_str_contains(text, RF_STR("Pears | 150 | 12.95\n")))
        fail_msg("read: %.*s", (int)text.n, text.p);
}

static void columns_of_a_newspaper_stay_apart(void **state)
{
    static const char *const left[] = { "The council met on Monday to talk",
                                        "about the new bridge over the river",
                                        "and who should pay for it in the" };
    static const char *const right[] = { "end. In other news the harbour was",
                                         "closed for the whole of the week",
                                         "while divers looked for a bomb of" };
    struct word words[24];
    (void)state;
    if (!is_there())
        return;
    for (int i = 0; i < 12; i++) {
        words[2 * i] = (struct word){ left[i % 3], 40, 80 + 50 * i };
        words[2 * i + 1] = (struct word){ right[i % 3], 1000, 80 + 50 * i };
    }
    struct rf_job job = ask("op=text\n", written(draw_words(words, 24), IFF_PNG));
    struct rf_str text = job.parts[0].text;
    if (!rf_str_contains(text, RF_STR("on Monday to talk\nabout the new bridge")))
        fail_msg("read: %.*s", (int)text.n, text.p);
}

/* Labels of a chart, of which most are misread: some come out, and that it is unsure is said. */
static void a_chart_is_not_certain(void **state)
{
    struct rf_bytes chart;
    struct rf_err err;
    (void)state;
    if (!is_there())
        return;
    assert_int_equal(rf_bytes_file("", "examples/chart.png", &chart, &err), RF_OK);
    struct rf_job job = { .family = "ocr", .ask = RF_STR("op=text\n"), .input = &chart };
    rf_workers_run(rf_workers_shared(), &job, 1, arena);
    assert_int_equal(job.failed, RF_OK);
    assert_true(rf_str_contains(job.parts[0].text, RF_STR("Sales in thousands")));
    assert_true(number_of(&job, 0, "confidence") < 75);
}

static void no_text_is_an_empty_part(void **state)
{
    (void)state;
    if (!is_there())
        return;
    PIX *blank = pixCreate(300, 200, 32);
    pixSetAllArbitrary(blank, (l_uint32)WHITE);
    struct rf_job job = ask("op=text\n", written(blank, IFF_PNG));
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.part_count, 1);
    assert_int_equal(job.parts[0].text.n, 0);
    job = ask("op=text\n", written(pixCreate(2, 1, 32), IFF_PNG));
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(job.parts[0].text.n, 0);
}

/* 65535 x 65535, says the header: its size is in the bytes from 16 on. */
static struct rf_str huge(struct rf_str png)
{
    char *p = (char *)rf_str_dup(arena, png).p;
    memcpy(p + 16, "\0\0\xff\xff\0\0\xff\xff", 8);
    return (struct rf_str){ p, png.n };
}

static void what_cannot_be_read_fails(void **state)
{
    (void)state;
    if (!is_there())
        return;
    struct rf_str png = written(draw(WHITE, BLACK), IFF_PNG);
    assert_int_equal(ask("op=text\n", RF_STR("")).failed, RF_EFORMAT);
    assert_int_equal(ask("op=text\n", RF_STR("only some words, and no picture")).failed,
                     RF_EFORMAT);
    assert_int_equal(ask("op=text\n", written(draw(WHITE, BLACK), IFF_BMP)).failed, RF_EFORMAT);
    assert_int_equal(ask("op=text\n", (struct rf_str){ png.p, 40 }).failed, RF_EFORMAT);
    assert_int_equal(ask("op=draw\n", png).failed, RF_EUSAGE);
    assert_int_equal(ask("op=text\nlanguages=../../etc/passwd\n", png).failed, RF_EUSAGE);
    assert_int_equal(ask("op=text\nlanguages=tlh\n", png).failed, RF_ECONFIG);
    assert_int_equal(ask("op=text\n", huge(png)).failed, RF_ELIMIT);
    assert_reads(png); /* and goes on with the usual language */
}

static void cut_off_anywhere(void **state)
{
    (void)state;
    if (!is_there())
        return;
    struct rf_str files[] = { written(draw(WHITE, BLACK), IFF_PNG),
                              written(draw(WHITE, BLACK), IFF_JFIF_JPEG) };
    for (size_t i = 0; i < COUNT(files); i++)
        for (size_t part = 1; part < 8; part++) {
            struct rf_job job =
                ask("op=text\n", (struct rf_str){ files[i].p, files[i].n * part / 8 });
            if (job.failed && job.failed != RF_EFORMAT)
                fail_msg("%s", job.err.msg);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_png),
        cmocka_unit_test(reads_jpeg),
        cmocka_unit_test(reads_light_on_dark),
        cmocka_unit_test(reads_on_transparent_paper),
        cmocka_unit_test(rows_of_a_table_stay_together),
        cmocka_unit_test(columns_of_a_newspaper_stay_apart),
        cmocka_unit_test(a_chart_is_not_certain),
        cmocka_unit_test(no_text_is_an_empty_part),
        cmocka_unit_test(what_cannot_be_read_fails),
        cmocka_unit_test(cut_off_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
