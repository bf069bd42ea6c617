/* Pictures through the worker: small ones written out by hand for the formats that are our own, and
 * others that libvips makes here. What comes back is decoded again and its pixels are looked at. */
#include "asking.h"

#include "base/crc32.h"

#include <vips/vips.h>

static struct rf_arena *arena;

static struct rf_job ask(const char *lines, struct rf_str input)
{
    return ask_worker(arena, "image", lines, input);
}

/* The first part, decoded; free with g_object_unref. */
static VipsImage *decoded(const struct rf_job *job)
{
    VipsImage *im = NULL, *rgba = NULL;

    if (job->failed)
        fail_msg("%s", job->err.msg);
    assert_int_equal(job->part_count, 1);
    struct rf_str bytes = job->parts[0].bytes.text;
    im = vips_image_new_from_buffer(bytes.p, bytes.n, "", NULL);
    assert_non_null(im);
    assert_int_equal(vips_image_get_width(im), number_of(job, 0, "width"));
    assert_int_equal(vips_image_get_height(im), number_of(job, 0, "height"));
    assert_int_equal(vips_colourspace(im, &rgba, VIPS_INTERPRETATION_sRGB, NULL), 0);
    g_object_unref(im);
    return rgba;
}

/* 0xRRGGBBAA */
static uint32_t pixel(VipsImage *im, int x, int y)
{
    double *v = NULL;
    int n = 0;

    assert_int_equal(vips_getpoint(im, &v, &n, x, y, NULL), 0);
    uint32_t out = (uint32_t)v[0] << 24 | (uint32_t)v[1] << 16 | (uint32_t)v[2] << 8 |
                   (n > 3 ? (uint32_t)v[3] : 255);
    g_free(v);
    return out;
}

static bool is_near(uint32_t a, uint32_t b)
{
    for (int i = 0; i < 32; i += 8) {
        if (abs((int)(a >> i & 255) - (int)(b >> i & 255)) > 40)
            return false;
    }
    return true;
}

/* Pictures by hand: the first and the last pixel tell them apart. */

#define RED 0xff0000ffu
#define GREEN 0x00ff00ffu
#define BLUE 0x0000ffffu
#define WHITE 0xffffffffu
#define BLACK 0x000000ffu
#define BMP_HEAD "BM\0\0\0\0\0\0\0\0"
#define Z4 "\0\0\0\0"
#define Z20 Z4 Z4 Z4 Z4 Z4
#define DDS(width, format) \
    "DDS \x7c\0\0\0\7\x10\0\0\1\0\0\0" width "\0\0\0" Z20 Z20 Z4 Z4 Z4 Z4 "\x20\0\0\0" format Z20
#define DX10(width, number) DDS(width, "\4\0\0\0DX10" Z20) number "\0\0\0\3\0\0\0" Z4 "\1\0\0\0" Z4

static const struct by_hand {
    const char *name;
    struct rf_str bytes;
    const char *format;
    unsigned width, height;
    uint32_t first, last;
} by_hand[] = {
    { "BMP of 24 bits has its rows from the bottom",
      B(BMP_HEAD
        "\x36\0\0\0\x28\0\0\0\1\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\xff\0\0\0\0\0\xff\0"),
      "bmp", 1, 2, RED, BLUE },
    { "BMP with a negative height has them from the top",
      B(BMP_HEAD
        "\x36\0\0\0\x28\0\0\0\1\0\0\0\xfe\xff\xff\xff\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\0\0\xff\0\0\0\0\0\xff\0"),
      "bmp", 1, 2, BLUE, RED },
    { "BMP of one bit with a palette",
      B(BMP_HEAD
        "\x3e\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0"
        "\0\0\0\0\0\xff\0\0\xff\0\0\0\x40\0\0\0"),
      "bmp", 2, 1, GREEN, BLUE },
    { "BMP in runs",
      B(BMP_HEAD
        "\x3e\0\0\0\x28\0\0\0\3\0\0\0\2\0\0\0\1\0\x08\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0"
        "\0\0\0\0\0\0\xff\0\0\xff\0\0\3\0\0\0\3\1\0\1"),
      "bmp", 3, 2, GREEN, RED },
    { "BMP with bit fields and alpha",
      B(BMP_HEAD
        "\x46\0\0\0\x38\0\0\0\1\0\0\0\1\0\0\0\1\0\x20\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\xff\0\0\0\0\xff\0\0\0\0\xff\0\0\0\0\xff\0\xff\0\x80"),
      "bmp", 1, 1, 0x00ff0080, 0x00ff0080 },
    { "an icon's mask makes holes",
      B("\0\0\1\0\1\0\1\1\0\0\1\0\x18\0\x30\0\0\0\x16\0\0\0"
        "\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\xff\xff\0\0\0\0\x40\0\0\0"),
      "ico", 2, 1, RED, 0x0000ff00 },
    { "QOI", B("qoif\0\0\0\3\0\0\0\1\3\0\xfe\xff\0\0\xc0\xfe\0\0\xff\0\0\0\0\0\0\0\1"), "qoi", 3, 1,
      RED, BLUE },
    { "Targa from the top", B("\0\0\2\0\0\0\0\0\0\0\0\0\2\0\1\0\x18\x20\0\0\xff\xff\0\0"), "tga", 2,
      1, RED, BLUE },
    { "Targa in runs, from the bottom",
      B("\0\0\x0a\0\0\0\0\0\0\0\0\0\2\0\2\0\x18\0\x81\0\0\xff\x81\0\xff\0"), "tga", 2, 2, GREEN,
      RED },
    { "plain bits without space", B("P1\n# a comment\n2 1\n10"), "pnm", 2, 1, BLACK, WHITE },
    { "a small largest value is white", B("P2 2 1 3 0 3"), "pnm", 2, 1, BLACK, WHITE },
    { "plain colours", B("P3 2 1 255 255 0 0  0 0 255"), "pnm", 2, 1, RED, BLUE },
    { "raw bits", B("P4 2 1\n\x40"), "pnm", 2, 1, WHITE, BLACK },
    { "raw values of two bytes", B("P5 2 1 65535\n\0\0\xff\xff"), "pnm", 2, 1, BLACK, WHITE },
    { "raw colours", B("P6 1 2 255\n\xff\0\0\0\xff\0"), "pnm", 1, 2, RED, GREEN },
    { "a picture of Photoshop, whole",
      B("8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\x08\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\0\0\0\0\xff"),
      "psd", 2, 1, RED, BLUE },
    { "a picture of Photoshop, packed",
      B("8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\x08\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
        "\0\2\0\2\0\3\xff\xff\xff\0\1\0\xff"),
      "psd", 2, 1, RED, 0xff00ffff },
    { "a texture with masks",
      B(DDS("\2", "\x41\0\0\0" Z4
                  "\x20\0\0\0\0\0\xff\0\0\xff\0\0\xff\0\0\0\0\0\0\xff") "\0\0\xff\xff\xff\0\0\xff"),
      "dds", 2, 1, RED, BLUE },
    { "a texture of DirectX 10", B(DX10("\2", "\x1d") "\xff\0\0\xff\0\0\xff\xff"), "dds", 2, 1, RED,
      BLUE },
    { "one the other way round", B(DX10("\1", "\x57") "\0\0\xff\xff"), "dds", 1, 1, RED, RED },
    { "one in blocks", B(DX10("\2", "\x47") "\0\xf8\x1f\0\4\0\0\0"), "dds", 2, 1, RED, BLUE },
};

static void test_by_hand(void **state)
{
    const struct by_hand *row = *state;
    struct rf_job job = ask("op=convert\ntypes=image/png\n", row->bytes);
    VipsImage *im = decoded(&job);

    assert_str(fact_of(&job, "format"), row->format);
    assert_int_equal(rf_prop_int(job.facts, job.fact_count, "width"), row->width);
    assert_int_equal(rf_prop_int(job.facts, job.fact_count, "height"), row->height);
    assert_int_equal(pixel(im, 0, 0), row->first);
    uint32_t last = pixel(im, (int)row->width - 1, (int)row->height - 1);
    if (row->last & 255) /* what is clear has no colour to speak of */
        assert_int_equal(last, row->last);
    else
        assert_int_equal(last & 255, 0);
    g_object_unref(im);
}

/* Broken ones say what is wrong. */

static const struct broken {
    const char *name;
    struct rf_str bytes;
    enum rf_code code;
    const char *words;
} broken[] = {
    { "nothing", B(""), RF_EFORMAT, "empty" },
    { "a page of HTML", B("<!DOCTYPE html><title>x</title>"), RF_EFORMAT, "not a picture" },
    { "BMP whose pixels are missing",
      B(BMP_HEAD
        "\x36\0\0\0\x28\0\0\0\1\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\xff\0"),
      RF_EFORMAT, "cut off" },
    { "BMP of four thousand million pixels",
      B(BMP_HEAD
        "\x36\0\0\0\x28\0\0\0\xff\xff\0\0\xff\xff\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\0\0\xff\0"),
      RF_ELIMIT, "65535 x 65535" },
    { "BMP with a palette that is not there",
      B(BMP_HEAD
        "\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\0\0"
        "\0\0\0\0\0\0\0\0"),
      RF_EFORMAT, "palette" },
    { "QOI that ends after its header", B("qoif\0\0\0\3\0\0\0\1\3\0"), RF_EFORMAT, "cut off" },
    { "PNM of no size", B("P6 0 4 255\nxxxx"), RF_EFORMAT, "no size" },
    { "PNM with a size that does not fit a number", B("P6 99999999999 4 255\nxxxx"), RF_EFORMAT,
      "nonsense" },
    { "an icon whose picture lies past its end",
      B("\0\0\1\0\1\0\1\1\0\0\1\0\x18\0\x30\0\0\0\x16\xff\xff\0\0\0\0\0"), RF_EFORMAT, "" },
    { "Photoshop with a section longer than the file",
      B("8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\x08\0\3\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\1"),
      RF_EFORMAT, "cut off" },
    { "SVG whose entities grow",
      B("<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY a \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\">"
        "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"
        "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">"
        "<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">"
        "<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">]>"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><text>&f;</text></svg>"),
      RF_EFORMAT, "SVG" },
    { "a texture in blocks that are not read", B(DX10("\1", "\x62") Z20), RF_EUNSUPPORTED,
      "packed" },
    { "a texture that ends after its header", B(DX10("\1", "\x1c")), RF_EFORMAT, "cut off" },
    { "SVG that is a thread",
      B("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"90000\"/>"), RF_ELIMIT,
      "9 x 90000: too thin" },
    { "SVG without a size", B("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), RF_EUNSUPPORTED,
      "the SVG has no size" },
};

static void test_broken(void **state)
{
    const struct broken *row = *state;
    static const char *const asks[] = { "op=info\n", "op=convert\nmax_side=100\n" };

    for (size_t i = 0; i < COUNT(asks); i++) {
        struct rf_job job = ask(asks[i], row->bytes);
        assert_int_equal(job.failed, row->code);
        if (!strstr(job.err.msg, row->words))
            fail_msg("\"%s\" does not say \"%s\"", job.err.msg, row->words);
    }
}

/* Pictures by libvips. */

static struct rf_str saved(VipsImage *im, const char *suffix)
{
    void *p = NULL;
    size_t n = 0;

    if (vips_image_write_to_buffer(im, suffix, &p, &n, NULL))
        fail_msg("%s", vips_error_buffer());
    struct rf_str out = rf_str_dup(arena, (struct rf_str){ p, n });
    g_free(p);
    return out;
}

/* Left half red, right half blue. */
static VipsImage *halves(int width, int height)
{
    uint8_t *p = rf_arena_alloc(arena, (size_t)width * (size_t)height * 3);

    for (int i = 0; i < width * height; i++)
        p[i * 3 + (i % width < width / 2 ? 0 : 2)] = 255;
    VipsImage *raw = vips_image_new_from_memory(p, (size_t)width * (size_t)height * 3, width,
                                                height, 3, VIPS_FORMAT_UCHAR);
    VipsImage *im = NULL;
    assert_int_equal(vips_copy(raw, &im, "interpretation", VIPS_INTERPRETATION_sRGB, NULL), 0);
    g_object_unref(raw);
    return im;
}

/* What a camera sees of nothing: noise, always the same. */
static VipsImage *noise(int width, int height)
{
    size_t n = (size_t)width * (size_t)height * 3;
    uint8_t *p = rf_arena_alloc(arena, n);
    uint32_t seed = 1;

    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = (uint8_t)(96 + (seed >> 26));
    }
    VipsImage *im = vips_image_new_from_memory(p, n, width, height, 3, VIPS_FORMAT_UCHAR);
    vips_image_init_fields(im, width, height, 3, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
                           VIPS_INTERPRETATION_sRGB, 1, 1);
    return im;
}

static struct rf_str file_of(VipsImage *im, const char *suffix)
{
    struct rf_str out = saved(im, suffix);
    g_object_unref(im);
    return out;
}

static void turned_pictures_are_seen_upright(void **state)
{
    VipsImage *im = halves(40, 20), *copy = NULL;
    (void)state;

    vips_copy(im, &copy, NULL);
    vips_image_set_int(copy, VIPS_META_ORIENTATION, 6);
    struct rf_str jpeg = file_of(copy, ".jpg[Q=95]");
    g_object_unref(im);
    struct rf_job job = ask("op=info\n", jpeg);
    assert_str(fact_of(&job, "width"), "20");
    assert_str(fact_of(&job, "height"), "40");
    job = ask("op=convert\n", jpeg);
    im = decoded(&job);
    assert_true(is_near(pixel(im, 10, 2), RED));
    assert_true(is_near(pixel(im, 10, 37), BLUE));
    assert_false(rf_str_contains(job.parts[0].bytes.text, RF_STR("Exif")));
    g_object_unref(im);
    job = ask("op=convert\ncrop=0,24,20,10\n", jpeg);
    im = decoded(&job);
    assert_int_equal(vips_image_get_width(im), 20);
    assert_int_equal(vips_image_get_height(im), 10);
    assert_true(is_near(pixel(im, 3, 3), BLUE));
    g_object_unref(im);
    assert_int_equal(ask("op=convert\ncrop=20,0,5,5\n", jpeg).failed, RF_EUSAGE);
    assert_int_equal(ask("op=convert\ncrop=1,2,3\n", jpeg).failed, RF_EUSAGE);
}

/* All of these hold the same picture and have to look the same. */
static void every_format_looks_the_same(void **state)
{
    static const char *const suffixes[] = { ".png",
                                            ".png[interlace]",
                                            ".jpg[Q=95]",
                                            ".gif",
                                            ".webp[Q=95]",
                                            ".tif",
                                            ".tif[compression=lzw,tile]",
                                            ".tif[compression=jpeg,Q=95]",
                                            ".jp2[Q=90]" };
    (void)state;

    for (size_t i = 0; i < COUNT(suffixes); i++) {
        struct rf_str bytes = file_of(halves(200, 100), suffixes[i]);
        struct rf_job job = ask("op=convert\nmax_side=50\n", bytes);
        VipsImage *im = decoded(&job);
        assert_int_equal(vips_image_get_width(im), 50);
        assert_int_equal(vips_image_get_height(im), 25);
        assert_true(is_near(pixel(im, 5, 12), RED));
        assert_true(is_near(pixel(im, 44, 12), BLUE));
        g_object_unref(im);
        job = ask("op=info\n", bytes);
        assert_int_equal(job.failed, RF_OK);
        assert_str(fact_of(&job, "frames"), "1");
        assert_int_equal(job.note_count, 0);
    }
}

static void print_colours_become_screen_colours(void **state)
{
    VipsImage *im = halves(64, 32), *cmyk = NULL;
    (void)state;

    assert_int_equal(vips_colourspace(im, &cmyk, VIPS_INTERPRETATION_CMYK, NULL), 0);
    g_object_unref(im);
    struct rf_job job = ask("op=convert\ntypes=image/jpeg\n", file_of(cmyk, ".jpg[Q=95]"));
    im = decoded(&job);
    assert_int_equal(vips_image_get_bands(im), 3);
    assert_true(pixel(im, 5, 5) >> 24 > 180 && (pixel(im, 5, 5) >> 8 & 255) < 90);
    g_object_unref(im);
}

static void deep_pictures_become_eight_bits(void **state)
{
    VipsImage *im = halves(64, 32), *deep = NULL;
    (void)state;

    assert_int_equal(vips_colourspace(im, &deep, VIPS_INTERPRETATION_RGB16, NULL), 0);
    g_object_unref(im);
    struct rf_str png = file_of(deep, ".png");
    struct rf_job job = ask("op=info\n", png);
    assert_str(fact_of(&job, "bits"), "16");
    job = ask("op=convert\n", png);
    im = decoded(&job);
    assert_int_equal(vips_image_get_format(im), VIPS_FORMAT_UCHAR);
    assert_int_equal(pixel(im, 0, 0), RED);
    g_object_unref(im);
}

/* Some cameras end their files with a box that is a few bytes longer than what is there. */
static void a_heif_file_may_be_a_few_bytes_short(void **state)
{
    struct rf_str whole = file_of(halves(300, 200), ".avif");
    struct rf_str open = rf_str_join(arena, whole,
                                     (struct rf_str){ "\0\0\0\x10"
                                                      "free",
                                                      8 });
    (void)state;

    for (int i = 0; i < 2; i++) {
        struct rf_job job = ask("op=info\n", i ? open : whole);
        assert_int_equal(job.failed, RF_OK);
        assert_str(fact_of(&job, "width"), "300");
        assert_str(fact_of(&job, "bits"), "8");
        job = ask("op=convert\nmax_side=150\n", i ? open : whole);
        VipsImage *im = decoded(&job);
        assert_int_equal(vips_image_get_height(im), 100);
        assert_true(is_near(pixel(im, 20, 50), RED));
        g_object_unref(im);
    }
    whole.n -= 20;
    assert_int_equal(ask("op=info\n", whole).failed, RF_EFORMAT);
}

static void drawings_are_png_and_photographs_jpeg(void **state)
{
    struct rf_str drawing = file_of(halves(300, 200), ".png"),
                  photo = file_of(noise(300, 200), ".png");
    struct rf_job job = ask("op=convert\n", drawing);
    (void)state;

    assert_str(prop_of(&job, 0, "mime"), "image/png");
    job = ask("op=convert\n", photo);
    assert_str(prop_of(&job, 0, "mime"), "image/jpeg");
    job = ask("op=convert\ntypes=image/jpeg\n", drawing);
    assert_str(prop_of(&job, 0, "mime"), "image/jpeg");
    job = ask("op=convert\ntypes=image/png\n", photo);
    assert_str(prop_of(&job, 0, "mime"), "image/png");
    job = ask("op=convert\ntypes=image/webp\n", photo);
    assert_str(prop_of(&job, 0, "mime"), "image/webp");
    assert_int_equal(ask("op=convert\ntypes=image/x-other\n", photo).failed, RF_EUSAGE);
}

/* Half of it clear. */
static void holes_stay_or_become_white(void **state)
{
    uint8_t *p = rf_arena_alloc(arena, 120 * 120 * 4);
    (void)state;

    for (int i = 0; i < 120 * 120; i++)
        memcpy(p + i * 4, i % 120 < 60 ? "\0\0\0\0" : "\0\xff\0\xff", 4);
    VipsImage *raw = vips_image_new_from_memory(p, 120 * 120 * 4, 120, 120, 4, VIPS_FORMAT_UCHAR);
    vips_image_init_fields(raw, 120, 120, 4, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
                           VIPS_INTERPRETATION_sRGB, 1, 1);
    struct rf_str png = file_of(raw, ".png");
    struct rf_job job = ask("op=convert\nmax_side=60\n", png);
    VipsImage *im = decoded(&job);
    assert_str(fact_of(&job, "alpha"), "1");
    assert_int_equal(pixel(im, 2, 30) & 255, 0);
    assert_true(is_near(pixel(im, 57, 30), GREEN));
    g_object_unref(im);
    job = ask("op=convert\ntypes=image/jpeg\n", png);
    im = decoded(&job);
    assert_true(is_near(pixel(im, 2, 30), WHITE));
    assert_true(is_near(pixel(im, 110, 30), GREEN));
    g_object_unref(im);
}

static void limits_are_kept(void **state)
{
    struct rf_str photo = file_of(noise(600, 400), ".jpg[Q=95]");
    struct rf_job job = ask("op=convert\nmax_pixels=10000\n", photo);
    (void)state;

    assert_true(number_of(&job, 0, "width") * number_of(&job, 0, "height") <= 10000);
    assert_true(number_of(&job, 0, "width") >= 120);
    for (int64_t max = 50000; max > 2000; max /= 3) {
        char lines[64];
        snprintf(lines, sizeof lines, "op=convert\nmax_bytes=%lld\n", (long long)max);
        job = ask(lines, photo);
        assert_int_equal(job.failed, RF_OK);
        assert_true(job.parts[0].bytes.size <= (uint64_t)max);
    }
    job = ask("op=convert\nmax_bytes=20000\ntypes=image/png\n", photo);
    assert_int_equal(job.failed, RF_OK);
    assert_true(job.parts[0].bytes.size <= 20000);
    assert_int_equal(ask("op=convert\nmax_bytes=10\n", photo).failed, RF_ELIMIT);
}

static void frames_are_counted_and_chosen(void **state)
{
    VipsImage *shades[3], *tall = NULL, *im;
    int delay[] = { 10, 10, 10 };
    (void)state;

    for (int i = 0; i < 3; i++) {
        VipsImage *half = halves(40, 30);
        vips_linear1(half, &shades[i], i == 2 ? 1.0 : 0.2, 0, "uchar", TRUE, NULL);
        g_object_unref(half);
    }
    assert_int_equal(vips_arrayjoin(shades, &tall, 3, "across", 1, NULL), 0);
    vips_image_set_int(tall, VIPS_META_PAGE_HEIGHT, 30);
    vips_image_set_array_int(tall, "delay", delay, 3);
    struct rf_str gif = file_of(tall, ".gif");
    for (int i = 0; i < 3; i++)
        g_object_unref(shades[i]);
    struct rf_job job = ask("op=info\n", gif);
    assert_str(fact_of(&job, "frames"), "3");
    assert_str(fact_of(&job, "height"), "30");
    job = ask("op=convert\n", gif);
    im = decoded(&job);
    assert_true(pixel(im, 0, 0) >> 24 < 100);
    g_object_unref(im);
    job = ask("op=convert\nframe=3\n", gif);
    im = decoded(&job);
    assert_true(pixel(im, 0, 0) >> 24 > 200);
    g_object_unref(im);
    assert_true(ask("op=convert\nframe=8\n", gif).failed);
}

static void what_is_cut_off_is_said(void **state)
{
    struct rf_str jpeg = file_of(noise(200, 200), ".jpg"), png = file_of(noise(200, 200), ".png");
    struct rf_job job;
    (void)state;

    jpeg.n /= 2;
    job = ask("op=info\n", jpeg);
    assert_int_equal(job.failed, RF_OK);
    assert_str(fact_of(&job, "damaged"), "1");
    assert_true(is_noted(&job, "cut off"));
    job = ask("op=convert\n", jpeg);
    assert_true(is_noted(&job, "cut off"));
    png.n /= 2;
    job = ask("op=info\n", png);
    assert_true(job.failed || is_noted(&job, "cut off"));
    png.n = 40;
    job = ask("op=info\n", png);
    assert_int_equal(job.failed, RF_EFORMAT);
    assert_non_null(strstr(job.err.msg, "cut off"));
}

/* Pixels that cannot be read at all are never taken for a damaged picture, however often one asks. */
static void a_spoiled_png_is_refused_every_time(void **state)
{
    struct rf_str png = file_of(halves(8, 8), ".png");
    char *data = memmem(png.p, png.n, "IDAT", 4);
    (void)state;

    assert_non_null(data);
    memset(data + 4, 0xff, 8);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(ask("op=info\n", png).failed, RF_EFORMAT);
        assert_int_equal(ask("op=convert\nmax_side=100\n", png).failed, RF_EFORMAT);
    }
}

static void put_be32(char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (char)(v >> (24 - 8 * i));
}

static void a_bomb_is_refused_by_its_header(void **state)
{
    char png[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\2\0\0\0....\0\0\0\4IDAT\0\0\0\0....";
    struct rf_job job;
    (void)state;

    put_be32(png + 16, 65535);
    put_be32(png + 20, 65535);
    put_be32(png + 29, rf_crc32(png + 12, 17));
    job = ask("op=info\n", (struct rf_str){ png, sizeof png - 1 });
    assert_int_equal(job.failed, RF_ELIMIT);
    assert_non_null(strstr(job.err.msg, "65535 x 65535"));
}

#define SVG "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' "

static void drawings_are_drawn_in_any_size(void **state)
{
    struct rf_str svg =
        RF_STR(SVG "width='20' height='10'><rect width='10' height='10' fill='red'/></svg>");
    struct rf_job job = ask("op=info\n", svg);
    (void)state;

    assert_str(fact_of(&job, "width"), "20");
    assert_str(fact_of(&job, "height"), "10");
    job = ask("op=convert\n", svg);
    assert_int_equal(number_of(&job, 0, "width"), 1024);
    job = ask("op=convert\nmax_side=100\n", svg);
    VipsImage *im = decoded(&job);
    assert_int_equal(vips_image_get_width(im), 100);
    assert_int_equal(pixel(im, 20, 20), RED);
    assert_int_equal(pixel(im, 80, 20) & 255, 0);
    g_object_unref(im);
    job = ask("op=convert\nmax_side=200\n",
              RF_STR(SVG "width='90000' height='90000'><rect width='9' height='9'/></svg>"));
    assert_int_equal(job.failed, RF_OK);
}

/* One that is there, and one that would be asked for over the network. */
static void a_drawing_reads_no_other_file(void **state)
{
    const char *source = getenv("REFRACT_SOURCE");
    assert_non_null(source);
    struct rf_job job = ask("op=convert\nmax_side=50\n",
                            rf_strf(arena,
                                    SVG "width='50' height='50'><image width='50' height='50' "
                                        "xlink:href='file://%s/tests/fixtures/red.png'/><image "
                                        "width='50' height='50' "
                                        "xlink:href='http://127.0.0.1:9/x.png'/></svg>",
                                    source));
    VipsImage *im = decoded(&job);
    (void)state;

    assert_int_equal(pixel(im, 25, 25) & 255, 0);
    g_object_unref(im);
}

static int set_up(void **state)
{
    arena = rf_arena_new();
    return vips_init("test_image") || use_built_workers(state);
}

static int tear_down(void **state)
{
    stop_workers(state);
    rf_arena_free(arena);
    vips_shutdown();
    return 0;
}

int main(void)
{
    struct CMUnitTest rows[COUNT(by_hand)], bad[COUNT(broken)];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_pictures_are_seen_upright),
        cmocka_unit_test(every_format_looks_the_same),
        cmocka_unit_test(print_colours_become_screen_colours),
        cmocka_unit_test(deep_pictures_become_eight_bits),
        cmocka_unit_test(drawings_are_png_and_photographs_jpeg),
        cmocka_unit_test(holes_stay_or_become_white),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(frames_are_counted_and_chosen),
        cmocka_unit_test(what_is_cut_off_is_said),
        cmocka_unit_test(a_spoiled_png_is_refused_every_time),
        cmocka_unit_test(a_bomb_is_refused_by_its_header),
        cmocka_unit_test(drawings_are_drawn_in_any_size),
        cmocka_unit_test(a_drawing_reads_no_other_file),
        cmocka_unit_test(a_heif_file_may_be_a_few_bytes_short),
    };

    name_rows(rows, test_by_hand, by_hand, COUNT(by_hand), sizeof *by_hand);
    name_rows(bad, test_broken, broken, COUNT(broken), sizeof *broken);
    int failed = cmocka_run_group_tests_name("pictures by hand", rows, set_up, NULL);
    failed += cmocka_run_group_tests_name("broken pictures", bad, NULL, NULL);
    return failed + cmocka_run_group_tests_name("pictures", tests, NULL, tear_down);
}
