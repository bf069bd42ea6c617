/* Windows metafiles through the worker: records written out by hand, drawn in 100 x 100 pixels, of
 * which a few are looked at. */
#include "asking.h"
#include "packing.h"

#include <vips/vips.h>

#define RED 0xff0000ffu
#define BLUE 0x0000ffffu
#define WHITE 0xffffffffu
#define BLACK 0x000000ffu
#define CYAN 0x00ffffffu
#define YELLOW 0xffff00ffu
#define SIDE 100

static struct rf_arena *arena;

/* A record of EMF: its type and words. One of WMF: its function and words of 16 bits. */
struct record {
    uint32_t type;
    size_t n;
    int32_t words[40];
};

/* 100 x 100 pixels of 0.25 mm. */
static void put_emf_header(struct rf_buf *b, int32_t frame)
{
    const int32_t words[] = { 1,       88, 0, 0, 99, 99, 0, 0,    frame, frame, 0x464d4520,
                              0x10000, 0,  0, 9, 0,  0,  0, 1000, 1000,  250,   250 };

    for (size_t i = 0; i < COUNT(words); i++)
        put32(b, (uint32_t)words[i]);
}

static struct rf_str emf_of(const struct record *records, size_t n, int32_t frame)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 100000);
    put_emf_header(&b, frame);
    for (size_t i = 0; i < n && records[i].type; i++) {
        put32(&b, records[i].type);
        put32(&b, (uint32_t)records[i].n * 4 + 8);
        for (size_t k = 0; k < records[i].n; k++)
            put32(&b, (uint32_t)records[i].words[k]);
    }
    return packed(&b);
}

static struct rf_str wmf_of(const struct record *records, size_t n, bool placeable)
{
    struct rf_buf b;

    rf_buf_init(&b, arena, 100000);
    if (placeable) {
        const unsigned head[] = { 0xcdd7, 0x9ac6, 0, 0, 0, SIDE, SIDE, 96, 0, 0, 0 };
        for (size_t i = 0; i < COUNT(head); i++)
            put16(&b, head[i]);
    }
    const unsigned head[] = { 1, 9, 0x300, 0, 0, 8, 0, 0, 0 };
    for (size_t i = 0; i < COUNT(head); i++)
        put16(&b, head[i]);
    for (size_t i = 0; i < n && records[i].type; i++) {
        put32(&b, (uint32_t)records[i].n + 3);
        put16(&b, records[i].type);
        for (size_t k = 0; k < records[i].n; k++)
            put16(&b, (unsigned)records[i].words[k]);
    }
    put32(&b, 3);
    put16(&b, 0);
    return packed(&b);
}

static VipsImage *drawn(struct rf_str file)
{
    struct rf_job job =
        ask_worker(arena, "image", "op=convert\ntypes=image/png\nmax_side=100\n", file);
    VipsImage *im = NULL, *rgb = NULL;

    if (job.failed)
        fail_msg("%s", job.err.msg);
    struct rf_str png = job.parts[0].bytes.text;
    im = vips_image_new_from_buffer(png.p, png.n, "", NULL);
    assert_non_null(im);
    assert_int_equal(vips_colourspace(im, &rgb, VIPS_INTERPRETATION_sRGB, NULL), 0);
    g_object_unref(im);
    assert_int_equal(vips_image_get_width(rgb), SIDE);
    return rgb;
}

static uint32_t pixel(VipsImage *im, int x, int y)
{
    double *v = NULL;
    int n = 0;

    assert_int_equal(vips_getpoint(im, &v, &n, x, y, NULL), 0);
    double last = n > 2 ? v[2] : v[0], middle = n > 2 ? v[1] : v[0];
    uint32_t out = (uint32_t)v[0] << 24 | (uint32_t)middle << 16 | (uint32_t)last << 8 | 255;
    g_free(v);
    return out;
}

/* The darkest of a square of 40. */
static int darkest(VipsImage *im, int x, int y)
{
    VipsImage *part = NULL;
    double found = 0;

    assert_int_equal(vips_extract_area(im, &part, x, y, 40, 40, NULL), 0);
    assert_int_equal(vips_min(part, &found, NULL), 0);
    g_object_unref(part);
    return (int)found;
}

#define W(...)                                            \
    sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t), \
    {                                                     \
        __VA_ARGS__                                       \
    }
#define STOCK(n) (int32_t)(0x80000000u + (n))
#define EMF_BRUSH(slot, colour)    \
    { 39, W(slot, 0, colour, 0) }, \
    {                              \
        37, W(slot)                \
    }
#define EMF_NO_PEN      \
    {                   \
        37, W(STOCK(8)) \
    }
#define EMF_END          \
    {                    \
        14, W(0, 16, 20) \
    }
#define REGION(...) /* of one box */ 32, 1, 1, 16, 0, 0, 0, 0, __VA_ARGS__
#define DIB_2 /* red and blue */ 40, 2, 1, 0x180001, 0, 0, 0, 0, 0, 0, (int32_t)0xffff0000u, 0

static const struct {
    const char *name;
    struct record records[10];
    struct {
        int x, y;
        uint32_t colour;
    } seen[2];
} emfs[] = {
    { "a rectangle of a brush",
      { EMF_BRUSH(1, 0xff), EMF_NO_PEN, { 43, W(0, 0, 50, 100) }, EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "points of 16 bits",
      { EMF_BRUSH(1, 0xff),
        EMF_NO_PEN,
        { 86, W(0, 0, 0, 0, 4, 0, 50, 50 | 100 << 16, 100 << 16) },
        EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "y goes up, in other units",
      { { 17, W(8) },
        { 9, W(10, -10) },
        { 11, W(100, 100) },
        { 12, W(0, 100) },
        EMF_BRUSH(1, 0xff0000),
        { 43, W(0, 0, 10, 5) },
        EMF_END },
      { { 50, 75, BLUE }, { 50, 25, WHITE } } },
    { "the world turns it by a quarter",
      { { 35, W(0, 0x3f800000, (int32_t)0xbf800000u, 0, 0x42c80000, 0) },
        EMF_BRUSH(1, 0xff),
        EMF_NO_PEN,
        { 43, W(0, 0, 100, 50) },
        EMF_END },
      { { 75, 50, RED }, { 25, 50, WHITE } } },
    { "what is clipped is not seen, until the context is restored",
      { { 33, W(0) },
        { 30, W(0, 0, 20, 100) },
        EMF_BRUSH(1, 0xff),
        { 43, W(0, 0, 50, 100) },
        { 34, W(-1) },
        EMF_END },
      { { 10, 50, RED }, { 35, 50, WHITE } } },
    { "a path is filled",
      { EMF_BRUSH(1, 0xff),
        { 59, 0, { 0 } },
        { 43, W(0, 0, 50, 100) },
        { 60, 0, { 0 } },
        { 62, W(0, 0, 0, 0) },
        EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "a line of a pen",
      { { 38, W(1, 0, 20, 0, 0xff0000) },
        { 37, W(1) },
        { 27, W(0, 50) },
        { 54, W(100, 50) },
        EMF_END },
      { { 50, 50, BLUE }, { 50, 80, WHITE } } },
    { "a line of dashes",
      { { 95, W(1, 0, 0, 0, 0, 0x10207, 20, 0, 0xff0000, 0, 2, 40, 60) },
        { 37, W(1) },
        { 27, W(0, 50) },
        { 54, W(100, 50) },
        EMF_END },
      { { 20, 50, BLUE }, { 70, 50, WHITE } } },
    { "an ellipse",
      { EMF_BRUSH(1, 0xff), EMF_NO_PEN, { 42, W(0, 0, 100, 100) }, EMF_END },
      { { 50, 50, RED }, { 3, 3, WHITE } } },
    { "a pie against the clock",
      { EMF_BRUSH(1, 0xff), EMF_NO_PEN, { 47, W(0, 0, 100, 100, 100, 50, 0, 50) }, EMF_END },
      { { 50, 25, RED }, { 50, 75, WHITE } } },
    { "a region of a brush that was always there",
      { { 71, W(0, 0, 99, 99, 48, STOCK(4), REGION(0, 0, 50, 100)) }, EMF_END },
      { { 25, 50, BLACK }, { 75, 50, WHITE } } },
    { "what is there, turned round",
      { { 20, W(6) }, EMF_BRUSH(1, 0xff), EMF_NO_PEN, { 43, W(0, 0, 50, 100) }, EMF_END },
      { { 25, 50, BLACK }, { 75, 50, WHITE } } },
    { "a brush, turned round",
      { { 20, W(4) }, EMF_BRUSH(1, 0xffff00), EMF_NO_PEN, { 43, W(0, 0, 50, 100) }, EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "what is there without a brush",
      { { 20, W(3) }, EMF_BRUSH(1, 0xffff00), EMF_NO_PEN, { 43, W(0, 0, 50, 100) }, EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "what is there, or a brush turned round",
      { EMF_BRUSH(1, 0),
        { 43, W(0, 0, 50, 100) },
        { 20, W(12) },
        EMF_BRUSH(2, 0xffff00),
        { 43, W(0, 0, 100, 100) },
        EMF_END },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
};

static const struct {
    const char *name;
    bool placeable;
    struct record records[10];
    struct {
        int x, y;
        uint32_t colour;
    } seen[2];
} wmfs[] = {
    { "a rectangle, by the box of the file",
      true,
      { { 0x02fc, W(0, 0xff, 0, 0) }, { 0x012d, W(0) }, { 0x041b, W(100, 50, 0, 0) } },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "a rectangle, by its window",
      false,
      { { 0x0103, W(8) },
        { 0x020b, W(0, 0) },
        { 0x020c, W(1000, 1000) },
        { 0x02fc, W(0, 0xff, 0, 0) },
        { 0x012d, W(0) },
        { 0x041b, W(1000, 500, 0, 0) } },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "a window whose y goes up",
      true,
      { { 0x020b, W(10, 0) },
        { 0x020c, W(-10, 10) },
        { 0x02fc, W(0, 0xff, 0, 0) },
        { 0x012d, W(0) },
        { 0x041b, W(0, 10, 5, 0) } },
      { { 50, 75, RED }, { 50, 25, WHITE } } },
    { "an object takes the place of one that was deleted",
      true,
      { { 0x02fc, W(0, 0xff, 0, 0) },
        { 0x02fc, W(0, 0, 0xff, 0) },
        { 0x01f0, W(0) },
        { 0x02fc, W(0, 0, 0xff, 0) },
        { 0x012d, W(0) },
        { 0x041b, W(100, 50, 0, 0) } },
      { { 25, 50, BLUE }, { 75, 50, WHITE } } },
    { "polygons",
      true,
      { { 0x02fc, W(0, 0xff, 0, 0) },
        { 0x012d, W(0) },
        { 0x0538, W(1, 4, 0, 0, 50, 0, 50, 100, 0, 100) } },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
    { "a bitmap that is stretched",
      true,
      { { 0x0f43,
          W(0x20, 0xcc, 0, 1, 2, 0, 0, 100, 100, 0, 0, /* and the bitmap */
            40, 0, 2, 0, 1, 0, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xffff, 0, 0) } },
      { { 5, 50, RED }, { 95, 50, BLUE } } },
    { "a brush is put without a bitmap",
      true,
      { { 0x02fc, W(0, 0xff, 0, 0) }, { 0x012d, W(0) }, { 0x061d, W(0x21, 0xf0, 100, 50, 0, 0) } },
      { { 25, 50, RED }, { 75, 50, WHITE } } },
};

static void records_of_emf_are_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(emfs); i++) {
        VipsImage *im = drawn(emf_of(emfs[i].records, COUNT(emfs[i].records), 2500));
        print_message("%s\n", emfs[i].name);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(pixel(im, emfs[i].seen[k].x, emfs[i].seen[k].y),
                             emfs[i].seen[k].colour);
        g_object_unref(im);
    }
}

static void records_of_wmf_are_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wmfs); i++) {
        VipsImage *im = drawn(wmf_of(wmfs[i].records, COUNT(wmfs[i].records), wmfs[i].placeable));
        print_message("%s\n", wmfs[i].name);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(pixel(im, wmfs[i].seen[k].x, wmfs[i].seen[k].y),
                             wmfs[i].seen[k].colour);
        g_object_unref(im);
    }
}

/* StretchDIBits: 18 words, then a header of 40 bytes and a row of two pixels. */
static struct rf_str emf_with_bitmap(int32_t rop)
{
    const int32_t head[] = { 81, 128, 0,  0,   99, 99, 0,   0,   0,   0,    2,
                             1,  80,  40, 120, 8,  0,  rop, 100, 100, DIB_2 };
    struct rf_buf b;

    rf_buf_init(&b, arena, 100000);
    put_emf_header(&b, 2500);
    for (size_t i = 0; i < COUNT(head); i++)
        put32(&b, (uint32_t)head[i]);
    put32(&b, 14);
    put32(&b, 20);
    put_zeros(&b, 12);
    return packed(&b);
}

static void bitmaps_are_drawn(void **state)
{
    static const struct {
        int32_t rop;
        uint32_t left, right;
    } rows[] = {
        { 0xcc0020, RED, BLUE },    { 0x330008, CYAN, YELLOW }, /* turned round */
        { 0x220326, CYAN, YELLOW },                             /* the paper without it */
        { 0x8800c6, RED, BLUE },    { 0xbb0226, WHITE, WHITE }, /* or turned round */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        VipsImage *im = drawn(emf_with_bitmap(rows[i].rop));
        print_message("%06x\n", (unsigned)rows[i].rop);
        assert_int_equal(pixel(im, 5, 50), rows[i].left);
        assert_int_equal(pixel(im, 95, 50), rows[i].right);
        g_object_unref(im);
    }
}

static void texts_are_drawn(void **state)
{
    const struct record emf[] = {
        { 82, W(1, -40, 0, 0, 0, 400, 0, 0, 'A' | 'r' << 16, 'i' | 'a' << 16, 'l') },
        { 37, W(1) },
        { 84, W(0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 76, 0, 0, 0, 0, 0, 80, 'H' | 'H' << 16, 30, 30) },
        EMF_END,
    };
    const struct record wmf[] = { { 0x0209, W(0, 0) },
                                  { 0x02fb, W(-40, 0, 0, 0, 400, 0, 0, 0, 0, 0) },
                                  { 0x012d, W(0) },
                                  { 0x0a32, W(0, 0, 2, 0, 'H' | 'H' << 8, 30, 30) } };
    const struct rf_str files[] = { emf_of(emf, COUNT(emf), 2500), wmf_of(wmf, COUNT(wmf), true) };

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        VipsImage *im = drawn(files[i]);
        assert_true(darkest(im, 0, 0) < 100);
        assert_true(darkest(im, 30, 0) < 100);
        assert_int_equal(darkest(im, 0, 60), 255);
        g_object_unref(im);
    }
}

static void damage_and_loss_are_said(void **state)
{
    const struct record records[] = {
        EMF_BRUSH(1, 0xff), { 43, W(0, 0, 50, 100) }, { 53, W(0, 0, 0, 0) }, EMF_END
    };
    struct rf_str whole = emf_of(records, COUNT(records), 2500), cut = whole;
    struct rf_job job = ask_worker(arena, "image", "op=info\n", whole);

    (void)state;
    assert_int_equal(job.failed, RF_OK);
    assert_str(fact_of(&job, "format"), "emf");
    assert_true(is_noted(&job, "some parts of the drawing are of sorts that cannot be shown"));
    cut.n -= 30;
    job = ask_worker(arena, "image", "op=info\n", cut);
    assert_int_equal(job.failed, RF_OK);
    assert_str(fact_of(&job, "damaged"), "1");
    assert_true(is_noted(&job, "it is shown as far as it goes"));
}

#define DRAWN                \
    EMF_BRUSH(1, 0xff),      \
    {                        \
        43, W(0, 0, 50, 100) \
    }

/* Each draws something too. */
static const struct {
    const char *name;
    struct record records[8];
} losses[] = {
    { "the frame of a region",
      { DRAWN, { 72, W(0, 0, 99, 99, 48, 1, 2, 2, REGION(0, 0, 50, 100)) }, EMF_END } },
    { "a region of a brush that is none",
      { DRAWN, { 71, W(0, 0, 99, 99, 48, 7, REGION(0, 0, 50, 100)) }, EMF_END } },
    { "a region with boxes that are not there",
      { DRAWN, { 74, W(0, 0, 99, 99, 48, 32, 1, 2, 32, 0, 0, 0, 0, 0, 0, 50, 100) }, EMF_END } },
    { "what is there turned round, and a pen", { { 20, W(5) }, DRAWN, EMF_END } },
    { "polygons that are not there", { DRAWN, { 8, W(0, 0, 99, 99, 99, 99) }, EMF_END } },
    { "a polygon with points that are not there",
      { DRAWN, { 8, W(0, 0, 99, 99, 1, 3, 3, 0, 0, 50, 50) }, EMF_END } },
    { "a line with points that are not there",
      { DRAWN, { 4, W(0, 0, 99, 99, 3, 0, 0, 50, 50) }, EMF_END } },
    { "a curve with a point too many",
      { DRAWN, { 2, W(0, 0, 99, 99, 5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4) }, EMF_END } },
    { "mixed lines with points that are not there",
      { DRAWN, { 56, W(0, 0, 99, 99, 3, 0, 0, 50, 50) }, EMF_END } },
    { "a gradient with corners that are not there",
      { DRAWN, { 118, W(0, 0, 99, 99, 99, 1, 0) }, EMF_END } },
};

static bool says_lost(struct rf_str file)
{
    struct rf_job job = ask_worker(arena, "image", "op=info\n", file);

    assert_int_equal(job.failed, RF_OK);
    return is_noted(&job, "some parts of the drawing are of sorts that cannot be shown");
}

static struct rf_str emf_with_holes(size_t count)
{
    const struct record hole = { 29, W(60, 60, 70, 70) }, drawing[] = { DRAWN, EMF_END };
    struct record all[64] = { 0 };

    for (size_t i = 0; i < count; i++)
        all[i] = hole;
    memcpy(all + count, drawing, sizeof drawing);
    return emf_of(all, count + COUNT(drawing), 2500);
}

static void loss_is_never_quiet(void **state)
{
    const struct record polygons[] = { { 0x041b, W(100, 50, 0, 0) },
                                       { 0x0538, W(1, 9, 0, 0, 50, 0) } };
    const struct record points[] = { { 0x041b, W(100, 50, 0, 0) }, { 0x0325, W(9, 0, 0, 50, 0) } };

    (void)state;
    for (size_t i = 0; i < COUNT(losses); i++)
        if (!says_lost(emf_of(losses[i].records, COUNT(losses[i].records), 2500)))
            fail_msg("%s is lost quietly", losses[i].name);
    for (size_t i = 0; i < COUNT(emfs); i++)
        if (says_lost(emf_of(emfs[i].records, COUNT(emfs[i].records), 2500)))
            fail_msg("%s is not lost", emfs[i].name);
    assert_true(says_lost(wmf_of(polygons, COUNT(polygons), true)));
    assert_true(says_lost(wmf_of(points, COUNT(points), true)));
    assert_true(says_lost(emf_with_bitmap(0x440328))); /* and not what is there */
    assert_false(says_lost(emf_with_bitmap(0x330008)));
    assert_false(says_lost(emf_with_holes(32)));
    assert_true(says_lost(emf_with_holes(33)));
}

static void what_is_not_drawn_is_refused(void **state)
{
    const struct record liar[] = { { 3, W(0, 0, 0, 0, 0x7fffffff, 1, 1) }, EMF_END };
    const struct record plus[] = { { 70, W(16, 0x2b464d45, 0, 0, 0) }, EMF_END };
    const struct record long_one[] = { { 43, W(0, 0, 50, 100) } };
    const struct record endless[] = { { 0x0324, W(30000, 1, 1) } };
    struct rf_str empty = emf_of(liar, 0, 2500), false_length = emf_of(long_one, 1, 2500);
    struct rf_str spoiled = rf_str_dup(arena, false_length);
    const struct {
        struct rf_str bytes;
        enum rf_code code;
        const char *words;
    } rows[] = {
        { empty, RF_EFORMAT, "the metafile is cut off" },
        { { empty.p, 80 }, RF_EFORMAT, "" },
        { emf_of(plus, COUNT(plus), 2500), RF_EUNSUPPORTED, "EMF+ alone" },
        { spoiled, RF_EFORMAT, "the metafile is cut off" },
        { { wmf_of(endless, 1, true).p, 30 }, RF_EFORMAT, "" },
    };

    (void)state;
    memcpy((char *)(uintptr_t)spoiled.p + 92, "\xff\xff\xff\x7f", 4);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_job job = ask_worker(arena, "image", "op=info\n", rows[i].bytes);
        assert_int_equal(job.failed, rows[i].code);
        if (!strstr(job.err.msg, rows[i].words))
            fail_msg("\"%s\" does not say \"%s\"", job.err.msg, rows[i].words);
    }
    assert_int_equal(ask_worker(arena, "image", "op=info\n", emf_of(liar, 2, 2500)).failed, RF_OK);
}

/* 21 km wide. */
static void huge_paper_is_drawn_small(void **state)
{
    const struct record records[] = { EMF_BRUSH(1, 0xff), { 43, W(0, 0, 50, 100) }, EMF_END };
    struct rf_job job = ask_worker(arena, "image", "op=convert\ntypes=image/png\nmax_side=100\n",
                                   emf_of(records, COUNT(records), 0x7fffffff));

    (void)state;
    assert_int_equal(job.failed, RF_OK);
    assert_int_equal(number_of(&job, 0, "width"), 100);
    assert_str(fact_of(&job, "width"), "20000");
}

static int set_up(void **state)
{
    arena = rf_arena_new();
    return vips_init("test_metafile") ? -1 : use_built_workers(state);
}

static int tear_down(void **state)
{
    rf_arena_free(arena);
    return stop_workers(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_emf_are_drawn),  cmocka_unit_test(records_of_wmf_are_drawn),
        cmocka_unit_test(bitmaps_are_drawn),         cmocka_unit_test(texts_are_drawn),
        cmocka_unit_test(damage_and_loss_are_said),  cmocka_unit_test(what_is_not_drawn_is_refused),
        cmocka_unit_test(huge_paper_is_drawn_small), cmocka_unit_test(loss_is_never_quiet),
    };

    return cmocka_run_group_tests_name("metafiles", tests, set_up, tear_down);
}
