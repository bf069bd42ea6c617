/* A ladder: the best form first, then what costs least to give up. PNG; PNG with 256 colours where
 * only PNG may go; JPEG from high quality down to where it would be seen; then the same with fewer
 * pixels. Metadata is never written. */
#include "worker/image/encode.h"

#include "worker/image/flat.h"

#include <math.h>
#include <string.h>

#define MAX_ROUNDS 10
#define MIN_SIDE 16
#define HOPELESS 3.2 /* so many times too large at the best quality: fewer pixels look better */

static const int photo_steps[] = { 85, 75, 65, 55, 45, 0 };
static const int flat_steps[] = { 92, 85, 75, 65, 0 };

struct wish {
    bool png, jpeg, webp;
    uint64_t max_bytes;
};

static bool read_types(struct rf_str types, struct wish *w)
{
    struct rf_str type;

    w->png = w->jpeg = types.n == 0;
    while (rf_str_split(&types, ',', &type)) {
        type = rf_str_trim(type);
        w->png = w->png || rf_str_ieq(type, RF_STR("image/png"));
        w->jpeg = w->jpeg || rf_str_ieq(type, RF_STR("image/jpeg"));
        w->webp = w->webp || rf_str_ieq(type, RF_STR("image/webp"));
    }
    return w->png || w->jpeg || w->webp;
}

static bool fits(const struct wish *w, const struct rf_encoded *e)
{
    return e->p && (!w->max_bytes || e->n <= w->max_bytes);
}

static void drop(struct rf_encoded *e)
{
    g_free(e->p);
    e->p = NULL;
}

static int write_png(VipsImage *im, const struct rf_flat *look, bool palette, struct rf_encoded *e)
{
    int filter = look->flat ? VIPS_FOREIGN_PNG_FILTER_NONE : VIPS_FOREIGN_PNG_FILTER_ALL;

    drop(e);
    e->mime = "image/png";
    e->quality = 0;
    if (palette)
        return vips_pngsave_buffer(im, &e->p, &e->n, "strip", TRUE, "palette", TRUE, NULL);
    if (look->bilevel)
        return vips_pngsave_buffer(im, &e->p, &e->n, "strip", TRUE, "bitdepth", 1, NULL);
    return vips_pngsave_buffer(im, &e->p, &e->n, "strip", TRUE, "filter", filter, NULL);
}

static int write_lossy(VipsImage *im, const struct wish *w, const struct rf_flat *look, int quality,
                       struct rf_encoded *e)
{
    VipsForeignSubsample chroma =
        look->flat ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON;

    drop(e);
    e->quality = quality;
    if (w->jpeg) {
        e->mime = "image/jpeg";
        return vips_jpegsave_buffer(im, &e->p, &e->n, "strip", TRUE, "Q", quality, "subsample_mode",
                                    chroma, NULL);
    }
    e->mime = "image/webp";
    return vips_webpsave_buffer(im, &e->p, &e->n, "strip", TRUE, "Q", quality, NULL);
}

static int replace(VipsImage **im, int rc, VipsImage **next)
{
    if (rc)
        return rc;
    g_object_unref(*im);
    *im = *next;
    *next = NULL;
    return 0;
}

static int on_white(VipsImage **im)
{
    double white[] = { 255, 255, 255 };
    int bands = vips_image_get_bands(*im);
    VipsArrayDouble *background = vips_array_double_new(white, bands > 2 ? 3 : 1);
    VipsImage *next = NULL;
    int rc = vips_flatten(*im, &next, "background", background, NULL);

    vips_area_unref(VIPS_AREA(background));
    return replace(im, rc, &next);
}

/* JPEG has no holes; WebP has. */
static int try_lossy(VipsImage *im, const struct wish *w, const struct rf_flat *look,
                     struct rf_encoded *e)
{
    VipsImage *solid = im;
    const int *step = look->flat ? flat_steps : photo_steps;
    int rc = 0;

    g_object_ref(solid);
    if (w->jpeg && vips_image_hasalpha(solid))
        rc = on_white(&solid);
    for (; !rc && *step; step++) {
        rc = write_lossy(solid, w, look, *step, e);
        if (rc || fits(w, e) || (double)e->n > HOPELESS * (double)w->max_bytes)
            break;
    }
    g_object_unref(solid);
    return rc;
}

static int try_all(VipsImage *im, const struct wish *w, const struct rf_flat *look,
                   struct rf_encoded *e)
{
    bool lossy = w->jpeg || w->webp;

    if (w->png && (!lossy || look->flat || !look->opaque)) {
        if (write_png(im, look, false, e))
            return -1;
        if (fits(w, e))
            return 0;
        if (!lossy)
            return write_png(im, look, true, e);
    }
    return lossy ? try_lossy(im, w, look, e) : 0;
}

static int shrink(VipsImage **im, const struct wish *w, const struct rf_encoded *e)
{
    double factor = sqrt((double)w->max_bytes / (double)e->n) * 0.95;
    VipsImage *next = NULL;

    factor = factor < 0.2 ? 0.2 : factor > 0.85 ? 0.85 : factor;
    if (replace(im, vips_resize(*im, &next, factor, NULL), &next))
        return -1;
    next = vips_image_copy_memory(*im);
    return next ? replace(im, 0, &next) : -1;
}

/* Without what says nothing: a band of alpha that is full everywhere, two of three equal colours.
 */
static int drop_bands(VipsImage **im, const struct rf_flat *look)
{
    int bands = vips_image_get_bands(*im);
    VipsImage *next = NULL;

    if (look->opaque && bands % 2 == 0 &&
        replace(im, vips_extract_band(*im, &next, 0, "n", bands - 1, NULL), &next))
        return -1;
    if (look->grey && look->opaque && bands >= 3) {
        if (replace(im, vips_extract_band(*im, &next, 0, NULL), &next) ||
            replace(im, vips_copy(*im, &next, "interpretation", VIPS_INTERPRETATION_B_W, NULL),
                    &next))
            return -1;
    }
    return 0;
}

static enum rf_code failed(struct rf_err *err)
{
    vips_error_clear();
    return rf_fail(err, RF_EINTERNAL, "the picture could not be written");
}

enum rf_code rf_encode(VipsImage *im, struct rf_str types, uint64_t max_bytes,
                       struct rf_encoded *out, struct rf_err *err)
{
    struct wish w = { .max_bytes = max_bytes };
    struct rf_encoded e = { 0 };
    struct rf_flat look;
    enum rf_code rc = RF_OK;

    if (!read_types(types, &w))
        rc = rf_fail(err, RF_EUSAGE,
                     "pictures are written as PNG, JPEG and WebP, not as what was asked for");
    if (!rc)
        rf_flat_look(im, &look);
    if (!rc && drop_bands(&im, &look))
        rc = failed(err);
    for (int round = 0; !rc; round++) {
        if (try_all(im, &w, &look, &e))
            rc = failed(err);
        else if (fits(&w, &e))
            break;
        else if (round == MAX_ROUNDS || VIPS_MAX(im->Xsize, im->Ysize) <= MIN_SIDE)
            rc = rf_fail(err, RF_ELIMIT, "the picture does not fit into %llu bytes in any size",
                         (unsigned long long)max_bytes);
        else if (shrink(&im, &w, &e))
            rc = failed(err);
    }
    e.width = vips_image_get_width(im);
    e.height = vips_image_get_height(im);
    g_object_unref(im);
    if (rc)
        drop(&e);
    else
        *out = e;
    return rc;
}
