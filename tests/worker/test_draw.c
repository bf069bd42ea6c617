/* Drawings by the image worker, of pictures that libvips makes here, and previews of real files through all of it:
 * what comes out has passed the grammar of its way, so that a sound worker is never refused. */
#include "asking.h"

#include "source/drawing.h"

#include <vips/vips.h>

#include <refract/preview.h>

static struct rf_arena *arena;
static const char *folder;

/* Two halves, the left red and the right blue, covering so much of 255. */
static struct rf_str picture_of(int width, int height, int alpha)
{
    size_t row = (size_t)width * 4, n = 0;
    uint8_t *pixels = rf_arena_alloc(arena, row);
    void *p = NULL;
    VipsImage *srgb = NULL;
    uint8_t *all = rf_arena_alloc(arena, row * (size_t)height);
    for (int x = 0; x < width; x++) {
        pixels[x * 4] = x < width / 2 ? 255 : 0;
        pixels[x * 4 + 2] = x < width / 2 ? 0 : 255;
        pixels[x * 4 + 3] = (uint8_t)alpha;
    }
    for (int y = 0; y < height; y++)
        memcpy(all + row * (size_t)y, pixels, row);
    VipsImage *im =
        vips_image_new_from_memory(all, row * (size_t)height, width, height, 4, VIPS_FORMAT_UCHAR);
    assert_int_equal(vips_copy(im, &srgb, "interpretation", VIPS_INTERPRETATION_sRGB, NULL), 0);
    assert_int_equal(vips_pngsave_buffer(srgb, &p, &n, NULL), 0);
    struct rf_str out = rf_str_dup(arena, (struct rf_str){ p, n });
    g_free(p);
    g_object_unref(srgb);
    g_object_unref(im);
    return out;
}

#define FRAME "op=draw\nway=png\ncell_width=10\ncell_height=20\n"

static const struct fit {
    const char *name;
    int width, height;
    const char *ask;
    int columns, rows, pixels_across, pixels_down;
} fits[] = {
    { "as wide as the frame", 800, 400, FRAME "columns=40\nrows=20\n", 40, 10, 400, 200 },
    { "as high as the frame", 400, 800, FRAME "columns=40\nrows=10\n", 10, 10, 100, 200 },
    { "no larger than it is", 30, 30, FRAME "columns=40\nrows=20\n", 3, 2, 30, 40 },
    { "at least a cell", 1, 1, FRAME "columns=40\nrows=20\n", 1, 1, 10, 20 },
    { "a line", 4000, 1, FRAME "columns=40\nrows=20\n", 40, 1, 400, 20 },
    { "a column", 1, 4000, FRAME "columns=40\nrows=20\n", 1, 20, 10, 400 },
    { "a piece fills the frame", 40, 20, FRAME "columns=40\nrows=20\npiece=0,0,500,500\n", 40, 10,
      400, 200 },
    { "a crop, as large as it is", 400, 400, FRAME "columns=40\nrows=20\ncrop=0,0,100,100\n", 10, 5,
      100, 100 },
    { "a piece of a crop", 400, 400,
      FRAME "columns=40\nrows=20\ncrop=0,0,100,100\npiece=0,0,500,1000\n", 20, 20, 200, 400 },
    { "cells of a screen with many pixels", 4000, 4000,
      "op=draw\nway=png\ncell_width=100\ncell_height=200\ncolumns=100\nrows=50\n"
      "piece=0,0,1000,1000\n",
      100, 50, 4000, 4050 },
    { "characters show small pictures larger", 8, 8,
      "op=draw\nway=blocks\ncolours=256\ncell_width=10\ncell_height=20\ncolumns=40\nrows=20\n", 8,
      4, 64, 32 },
};

static void test_fit(void **state)
{
    const struct fit *row = *state;
    struct rf_job job =
        ask_worker(arena, "image", row->ask, picture_of(row->width, row->height, 255));
    if (job.failed)
        fail_msg("%s", job.err.msg);
    assert_int_equal(number_of(&job, 0, "columns"), row->columns);
    assert_int_equal(number_of(&job, 0, "rows"), row->rows);
    assert_int_equal(number_of(&job, 0, "width"), row->pixels_across);
    assert_int_equal(number_of(&job, 0, "height"), row->pixels_down);
    assert_int_equal(rf_prop_int(job.facts, job.fact_count, "width"), row->width);
}

static const struct bad {
    const char *name, *ask;
} bad[] = {
    { "no way", "op=draw\ncolumns=9\nrows=9\ncell_width=10\ncell_height=20\n" },
    { "another way", "op=draw\nway=ascii\ncolumns=9\nrows=9\ncell_width=10\ncell_height=20\n" },
    { "no columns", FRAME "rows=9\n" },
    { "too many rows", FRAME "columns=9\nrows=1001\n" },
    { "a cell of no size", "op=draw\nway=png\ncolumns=9\nrows=9\ncell_width=0\ncell_height=20\n" },
    { "a cell without end",
      "op=draw\nway=png\ncolumns=9\nrows=9\ncell_width=9223372036854775807\ncell_height=20\n" },
    { "a piece outside", FRAME "columns=9\nrows=9\npiece=500,0,501,10\n" },
    { "a piece of nothing", FRAME "columns=9\nrows=9\npiece=0,0,0,10\n" },
    { "a piece in words", FRAME "columns=9\nrows=9\npiece=all\n" },
    { "a crop that is none", FRAME "columns=9\nrows=9\ncrop=1,2\n" },
};

static void test_bad(void **state)
{
    const struct bad *row = *state;
    struct rf_job job = ask_worker(arena, "image", row->ask, picture_of(8, 8, 255));
    assert_int_equal(job.failed, RF_EUSAGE);
}

/* What is not a full cell is clear, and the picture is in the upper left. */
static void the_rest_of_a_cell_is_clear(void **state)
{
    struct rf_job job =
        ask_worker(arena, "image", FRAME "columns=40\nrows=20\n", picture_of(34, 30, 255));
    VipsImage *im =
        vips_image_new_from_buffer(job.parts[0].bytes.text.p, job.parts[0].bytes.text.n, "", NULL);
    double *v = NULL;
    int n = 0;
    (void)state;
    assert_non_null(im);
    assert_int_equal(vips_image_get_width(im), 40);
    assert_int_equal(vips_image_get_height(im), 40);
    assert_int_equal(vips_getpoint(im, &v, &n, 5, 5, NULL), 0);
    assert_true(n == 4 && v[0] > 250 && v[2] < 5 && v[3] > 250);
    g_free(v);
    assert_int_equal(vips_getpoint(im, &v, &n, 30, 25, NULL), 0);
    assert_true(v[0] < 5 && v[2] > 250 && v[3] > 250);
    g_free(v);
    assert_int_equal(vips_getpoint(im, &v, &n, 37, 5, NULL), 0);
    assert_int_equal(v[3], 0);
    g_free(v);
    g_object_unref(im);
}

/* Red and blue halves are there, in each number of colours. */
static const struct colours {
    const char *name, *lines, *red, *blue;
} colours[] = {
    { "all colours", "colours=16777216\nascii=0\n", "8;2;255;0;0", "8;2;0;0;255" },
    { "256 colours", "colours=256\nascii=0\n", "8;5;196", "8;5;21" },
    { "16 colours", "colours=16\nascii=0\n", "1m", "4m" },
    { "ASCII", "colours=16777216\nascii=1\n", "8;2;255;0;0", "8;2;0;0;255" },
};

static void test_colours(void **state)
{
    const struct colours *row = *state;
    struct rf_str ask =
        rf_strf(arena, "op=draw\nway=blocks\ncell_width=10\ncell_height=20\ncolumns=8\nrows=4\n%s",
                row->lines);
    struct rf_job job = ask_worker(arena, "image", ask.p, picture_of(80, 80, 255));
    if (job.failed == RF_ECONFIG)
        skip();
    assert_int_equal(job.failed, RF_OK);
    struct rf_str text = job.parts[0].bytes.text;
    struct rf_drawing size = { .columns = 8,
                               .rows = 4,
                               .ascii = strstr(row->lines, "ascii=1") != NULL };
    assert_true(rf_str_contains(text, rf_str(row->red)));
    assert_true(rf_str_contains(text, rf_str(row->blue)));
    assert_int_equal(rf_drawing_make(RF_GRAPHICS_BLOCKS, text, &size, arena, &text, NULL), RF_OK);
}

/* Files of every sort, and sizes of every sort, in every way. */
static void what_is_drawn_is_never_refused(void **state)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_str all[] = { picture_of(1, 1, 255), picture_of(300, 7, 0), picture_of(7, 300, 128),
                            picture_of(640, 480, 255) };
    (void)state;
    rf_tools_root(tools, "");
    for (size_t i = 0; i < COUNT(all); i++) {
        const char *path = in_folder(arena, folder, "drawn.png");
        struct rf_preview *p;
        struct rf_err err;
        write_file(path, all[i]);
        assert_int_equal(rf_preview_open(tools, path, &p, &err), RF_OK);
        for (int k = 0; k < 4 * 12; k++) {
            struct rf_preview_frame f = {
                .size = sizeof f,
                .graphics = (enum rf_graphics)(1 + k % 4),
                .columns = 1 + k * 7 % 83,
                .rows = 1 + k * 5 % 31,
                .cell_width = k % 3 ? 5 + k % 11 : 0,
                .cell_height = k % 3 ? 9 + k % 17 : 0,
                .colours = k % 5   ? 1 << 24
                           : k % 2 ? 256
                                   : 16,
                .ascii = k % 7 == 0,
                .width = k % 3 ? 0 : 250,
                .height = k % 3 ? 0 : 333,
            };
            struct rf_preview_drawing d = { .size = sizeof d };
            enum rf_code rc = rf_preview_draw(p, 0, &f, &d, &err);
            if (rc && rc != RF_ECONFIG)
                fail_msg("%s, picture %zu, frame %d", err.msg, i, k);
            assert_true(rc || (d.columns <= f.columns && d.rows <= f.rows && d.bytes.n));
        }
        rf_preview_close(p);
    }
    rf_tools_free(tools);
}

static int set_up(void **state)
{
    arena = rf_arena_new();
    folder = scratch_new(arena);
    return vips_init("test_draw") || use_built_workers(state);
}

static int tear_down(void **state)
{
    stop_workers(state);
    scratch_remove(folder);
    rf_arena_free(arena);
    vips_shutdown();
    return 0;
}

int main(void)
{
    struct CMUnitTest fit_rows[COUNT(fits)], bad_rows[COUNT(bad)], colour_rows[COUNT(colours)];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_of_a_cell_is_clear),
        cmocka_unit_test(what_is_drawn_is_never_refused),
    };

    name_rows(fit_rows, test_fit, fits, COUNT(fits), sizeof *fits);
    name_rows(bad_rows, test_bad, bad, COUNT(bad), sizeof *bad);
    name_rows(colour_rows, test_colours, colours, COUNT(colours), sizeof *colours);
    int failed = cmocka_run_group_tests_name("sizes", fit_rows, set_up, NULL);
    failed += cmocka_run_group_tests_name("asks that make no sense", bad_rows, NULL, NULL);
    failed += cmocka_run_group_tests_name("colours", colour_rows, NULL, NULL);
    return failed + cmocka_run_group_tests_name("drawings", tests, NULL, tear_down);
}
