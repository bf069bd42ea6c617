/* The order is what keeps it fast and small: the loader shrinks as far as it can, rows are cropped
 * and resized as they come, and only what is left is converted to sRGB, kept, and turned.
 *
 * Colours are mixed with transparency taken into account, so that clear pixels leave no fringe.
 * Profiles are honoured where they are sound; a broken one is as good as none. */
#include "worker/image/shape.h"

#include <math.h>
#include <stdlib.h>

#define MAX_OUTPUT_PIXELS ((int64_t)1 << 26) /* whatever was asked for */
#define FILLING_NOISE 8
#define SMALL_VECTOR_SIDE 1024 /* what is drawn may as well be drawn large enough to see */

struct rect {
    uint32_t x, y, width, height;
};

/* The step's result takes the place of its input. A pointer to it, because the step is computed in
 * the same call. */
static int become(VipsImage **im, int rc, VipsImage **next)
{
    if (rc)
        return rc;
    g_object_unref(*im);
    *im = *next;
    *next = NULL;
    return 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a && (!b || a < b) ? a : b;
}

/* By what to multiply a size so that it fits; over 1 for small drawings only. */
static double fit(const struct rf_shape *wish, bool vector, uint32_t width, uint32_t height)
{
    double longest = width > height ? width : height, pixels = (double)width * height;
    double most = (double)smaller(wish->max_pixels, MAX_OUTPUT_PIXELS);
    double scale = vector && longest < SMALL_VECTOR_SIDE ? SMALL_VECTOR_SIDE / longest : 1;

    if (wish->max_side && longest * scale > (double)wish->max_side)
        scale = (double)wish->max_side / longest;
    if (pixels * scale * scale > most)
        scale = sqrt(most / pixels);
    return scale;
}

static uint32_t scaled(uint32_t n, double scale)
{
    double v = floor(n * scale + 1e-6);
    return v < 1 ? 1 : (uint32_t)v;
}

/* Where a rectangle of the picture as seen lies in the picture as stored. */
static struct rect stored(const struct rf_picture *pic, struct rect r)
{
    uint32_t w = pic->width, h = pic->height;

    switch (pic->orientation) {
    case 2:
        return (struct rect){ w - r.x - r.width, r.y, r.width, r.height };
    case 3:
        return (struct rect){ w - r.x - r.width, h - r.y - r.height, r.width, r.height };
    case 4:
        return (struct rect){ r.x, h - r.y - r.height, r.width, r.height };
    case 5:
        return (struct rect){ r.y, r.x, r.height, r.width };
    case 6:
        return (struct rect){ r.y, h - r.x - r.width, r.height, r.width };
    case 7:
        return (struct rect){ w - r.y - r.height, h - r.x - r.width, r.height, r.width };
    case 8:
        return (struct rect){ w - r.y - r.height, r.x, r.height, r.width };
    default:
        return r;
    }
}

static uint32_t clamp(double v, int limit)
{
    return v < 0 ? 0 : v > limit ? (uint32_t)limit : (uint32_t)v;
}

/* `r` is in pixels of the file; the image may have come smaller. */
static int crop(VipsImage **im, const struct rf_picture *pic, struct rect r)
{
    int w = vips_image_get_width(*im), h = vips_image_get_height(*im);
    double fx = (double)w / pic->width, fy = (double)h / pic->height;
    uint32_t left = clamp(r.x * fx, w - 1), top = clamp(r.y * fy, h - 1);
    uint32_t right = clamp(ceil((r.x + r.width) * fx), w),
             bottom = clamp(ceil((r.y + r.height) * fy), h);
    VipsImage *next = NULL;

    if (r.width == pic->width && r.height == pic->height)
        return 0;
    return become(im,
                  vips_extract_area(*im, &next, (int)left, (int)top,
                                    (int)(right > left ? right - left : 1),
                                    (int)(bottom > top ? bottom - top : 1), NULL),
                  &next);
}

static int resize(VipsImage **im, uint32_t width, uint32_t height)
{
    double h = (double)width / vips_image_get_width(*im),
           v = (double)height / vips_image_get_height(*im);
    VipsBandFormat format = vips_image_get_format(*im);
    bool alpha = vips_image_hasalpha(*im);
    VipsImage *next = NULL;

    if (fabs(h - 1) < 1e-9 && fabs(v - 1) < 1e-9)
        return 0;
    if (alpha && become(im, vips_premultiply(*im, &next, NULL), &next))
        return -1;
    if (become(im, vips_resize(*im, &next, h, "vscale", v, NULL), &next))
        return -1;
    if (!alpha)
        return 0;
    return become(im, vips_unpremultiply(*im, &next, NULL), &next) ||
           become(im, vips_cast(*im, &next, format, NULL), &next);
}

/* Most profiles say that the colours are what we take them for anyway. */
static bool is_srgb_profile(VipsImage *im)
{
    const void *p = NULL;
    size_t n = 0;

    if (vips_image_get_blob(im, VIPS_META_ICC_NAME, &p, &n))
        return true;
    return memmem(p, n, "sRGB IEC61966", 13) || memmem(p, n, "s\0R\0G\0B\0", 8) ||
           memmem(p, n, "\0s\0R\0G\0B", 8);
}

static bool is_eight_bit_rgb(VipsImage *im)
{
    VipsInterpretation as = vips_image_get_interpretation(im);
    return vips_image_get_format(im) == VIPS_FORMAT_UCHAR &&
           (as == VIPS_INTERPRETATION_sRGB || as == VIPS_INTERPRETATION_B_W);
}

static int transform(VipsImage *im, VipsImage **out)
{
    bool cmyk = vips_image_get_interpretation(im) == VIPS_INTERPRETATION_CMYK;
    int rc = -1;

    if (vips_image_get_typeof(im, VIPS_META_ICC_NAME))
        rc = vips_icc_transform(im, out, "srgb", "embedded", TRUE, "depth", 8, NULL);
    if (rc && cmyk)
        rc = vips_icc_transform(im, out, "srgb", "input_profile", "cmyk", "depth", 8, NULL);
    return rc;
}

/* The last band as eight bits, and the image without it: profiles do not cover transparency. */
static int split_alpha(VipsImage **im, VipsImage **alpha)
{
    int bands = vips_image_get_bands(*im);
    VipsImage *next = NULL;

    if (vips_extract_band(*im, alpha, bands - 1, NULL))
        return -1;
    if (vips_image_get_format(*im) != VIPS_FORMAT_UCHAR &&
        become(alpha, vips_msb(*alpha, &next, NULL), &next))
        return -1;
    return become(im, vips_extract_band(*im, &next, 0, "n", bands - 1, NULL), &next);
}

/* A profile that libvips cannot use is passed over: false. */
static bool by_profile(VipsImage **im)
{
    bool has = vips_image_get_typeof(*im, VIPS_META_ICC_NAME) != 0;
    bool cmyk = vips_image_get_interpretation(*im) == VIPS_INTERPRETATION_CMYK;
    VipsBandFormat format = vips_image_get_format(*im);
    VipsImage *colours = *im, *alpha = NULL, *next = NULL;
    int rc = 0;

    if ((!has && !cmyk) || (has && is_eight_bit_rgb(*im) && is_srgb_profile(*im)) ||
        (format != VIPS_FORMAT_UCHAR && format != VIPS_FORMAT_USHORT))
        return false;
    g_object_ref(colours);
    if (vips_image_hasalpha(colours))
        rc = split_alpha(&colours, &alpha);
    if (!rc)
        rc = become(&colours, transform(colours, &next), &next);
    if (!rc && alpha)
        rc = become(&colours, vips_bandjoin2(colours, alpha, &next, NULL), &next);
    g_clear_object(&alpha);
    vips_error_clear();
    if (!rc)
        return !become(im, 0, &colours);
    g_object_unref(colours);
    return false;
}

/* Numbers of any size, as from scientific cameras: the smallest is black and the largest white. */
static int spread(VipsImage **im)
{
    VipsBandFormat format = vips_image_get_format(*im);
    VipsInterpretation as = vips_image_get_interpretation(*im);
    bool counts = as == VIPS_INTERPRETATION_B_W || as == VIPS_INTERPRETATION_MULTIBAND ||
                  as == VIPS_INTERPRETATION_GREY16;
    VipsImage *next = NULL;

    if (!counts || format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT)
        return 0;
    return become(im, vips_scale(*im, &next, NULL), &next) ||
           become(im, vips_copy(*im, &next, "interpretation", VIPS_INTERPRETATION_B_W, NULL),
                  &next);
}

/* One or two bands are grey, three or four colours; more are of no use. */
static int keep_bands(VipsImage **im)
{
    int bands = vips_image_get_bands(*im);
    VipsInterpretation as = vips_image_get_interpretation(*im);
    bool unknown = as == VIPS_INTERPRETATION_MULTIBAND;
    VipsImage *next = NULL;

    if (bands > 5 && become(im, vips_extract_band(*im, &next, 0, "n", 3, NULL), &next))
        return -1;
    if (unknown && bands < 3)
        as = VIPS_INTERPRETATION_B_W;
    else if (unknown)
        as = vips_image_get_format(*im) == VIPS_FORMAT_USHORT ? VIPS_INTERPRETATION_RGB16
                                                              : VIPS_INTERPRETATION_sRGB;
    return unknown ? become(im, vips_copy(*im, &next, "interpretation", as, NULL), &next) : 0;
}

static int to_srgb(VipsImage **im)
{
    VipsImage *next = NULL;

    if (spread(im) || keep_bands(im))
        return -1;
    if (!by_profile(im)) {
        bool grey = vips_image_get_bands(*im) < 3;
        VipsInterpretation to = grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
        if (vips_image_get_interpretation(*im) != to &&
            become(im, vips_colourspace(*im, &next, to, NULL), &next))
            return -1;
    }
    if (vips_image_get_bands(*im) > 4 &&
        become(im, vips_extract_band(*im, &next, 0, "n", 4, NULL), &next))
        return -1;
    if (vips_image_get_format(*im) == VIPS_FORMAT_UCHAR)
        return 0;
    return become(im, vips_cast(*im, &next, VIPS_FORMAT_UCHAR, NULL), &next);
}

/* Nothing of the file's metadata goes on. That is what was asked for, and libvips' HEIF loader lets
 * go of the profile's memory together with its own image. */
static int forget(VipsImage **im)
{
    VipsImage *next = NULL;

    if (become(im, vips_copy(*im, &next, NULL), &next))
        return -1;
    char **fields = vips_image_get_fields(*im);
    for (size_t i = 0; fields && fields[i]; i++)
        vips_image_remove(*im, fields[i]);
    g_strfreev(fields);
    return 0;
}

/* Here the pixels are computed. */
static int keep_and_turn(VipsImage **im, int orientation)
{
    VipsImage *next = forget(im) ? NULL : vips_image_copy_memory(*im);

    if (!next || become(im, 0, &next))
        return -1;
    if (orientation < 2)
        return 0;
    vips_image_set_int(*im, VIPS_META_ORIENTATION, orientation);
    next = NULL;
    if (become(im, vips_autorot(*im, &next, NULL), &next))
        return -1;
    next = vips_image_copy_memory(*im);
    return next ? become(im, 0, &next) : -1;
}

static enum rf_code find_crop(const struct rf_picture *pic, const struct rf_shape *wish,
                              struct rect *r, struct rf_err *err)
{
    uint32_t width, height;

    rf_picture_seen(pic, &width, &height);
    *r = (struct rect){ 0, 0, width, height };
    if (!wish->width)
        return RF_OK;
    if (wish->x >= width || wish->y >= height || !wish->height)
        return rf_fail(err, RF_EUSAGE,
                       "the part asked for is outside the picture of %u x %u pixels", width,
                       height);
    *r = (struct rect){ wish->x, wish->y, VIPS_MIN(wish->width, width - wish->x),
                        VIPS_MIN(wish->height, height - wish->y) };
    return RF_OK;
}

enum rf_code rf_shape(const struct rf_picture *pic, const struct rf_shape *wish,
                      enum rf_strictness strict, VipsImage **out, struct rf_err *err)
{
    struct rect seen, part;
    VipsImage *im = NULL;
    enum rf_code rc = find_crop(pic, wish, &seen, err);

    if (rc)
        return rc;
    double scale = fit(wish, pic->vector, seen.width, seen.height);
    part = stored(pic, seen);
    rc = rf_picture_load(pic, scale, strict, &im, err);
    if (rc)
        return rc;
    if (crop(&im, pic, part) ||
        resize(&im, scaled(part.width, scale), scaled(part.height, scale)) || to_srgb(&im) ||
        keep_and_turn(&im, pic->orientation)) {
        g_object_unref(im);
        return rf_picture_failed(pic, err);
    }
    *out = im;
    return RF_OK;
}

/* Filling is not always of one colour: JPEG's fades in over a few rows. */
static bool is_same_row(const uint8_t *a, const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (abs(a[i] - b[i]) > FILLING_NOISE)
            return false;
    }
    return true;
}

double rf_shape_share(VipsImage *im)
{
    size_t row = (size_t)vips_image_get_width(im) * (size_t)vips_image_get_bands(im);
    const uint8_t *p = vips_image_get_data(im);
    int height = vips_image_get_height(im), y = height;

    while (y > 1 && is_same_row(p + row * (size_t)(y - 2), p + row * (size_t)(height - 1), row))
        y--;
    return y <= 1 ? 0 : (double)(y - 1) / height;
}
