/* HEIF, HEIC and AVIF, by libheif.
 *
 * libvips 8.14 would read them through the same library, but asks for bytes past the end of files
 * that libheif reads all the same (pictures of cameras, a few bytes short), and gives their pixels
 * in no smaller size. Here a picture of more pixels than may be kept is halved as it is copied out
 * of libheif, which decodes it whole: 200 million pixels take 0.9 GB there. It is turned and
 * cropped as the file says; what EXIF says of that does not count in this format. */
#include "worker/image/pixels.h"

#include <libheif/heif.h>

#define MAX_SIDE 32768
#define MAX_DECODED ((uint64_t)1 << 28) /* pixels that libheif is let decode */
#define MAX_IMAGES 10000
#define MAX_PROFILE ((size_t)4 << 20)
#define THREADS 2

static enum rf_code failed(struct heif_error e, struct rf_err *err)
{
    if (e.subcode == heif_suberror_End_of_data)
        return rf_cut(err, "HEIC picture");
    if (e.code == heif_error_Memory_allocation_error)
        return rf_fail(err, RF_ELIMIT, "the HEIC picture needs more memory than it may have");
    if (e.code == heif_error_Unsupported_feature || e.code == heif_error_Unsupported_filetype)
        return rf_fail(err, RF_EUNSUPPORTED, "this sort of HEIC picture cannot be read (%.120s)",
                       e.message);
    return rf_fail(err, RF_EFORMAT, "the HEIC picture is broken (%.120s)", e.message);
}

/* The picture of that number, or the one that the file says is its main one. */
static struct heif_error find(struct heif_context *in, struct rf_arena *a, struct rf_pixels *px,
                              struct heif_image_handle **out)
{
    int count = heif_context_get_number_of_top_level_images(in);
    heif_item_id *ids;

    px->frames = count > 0 && count < MAX_IMAGES ? (uint32_t)count : 1;
    if (px->frame < 0 || px->frame >= (int64_t)px->frames || px->frames == 1)
        return heif_context_get_primary_image_handle(in, out);
    ids = RF_ARRAY(a, heif_item_id, px->frames);
    heif_context_get_list_of_top_level_image_IDs(in, ids, (int)px->frames);
    return heif_context_get_image_handle(in, ids[px->frame], out);
}

static void take_profile(const struct heif_image_handle *h, struct rf_arena *a,
                         struct rf_pixels *px)
{
    size_t n = heif_image_handle_get_raw_color_profile_size(h);
    char *p = n && n <= MAX_PROFILE ? rf_arena_alloc(a, n) : NULL;

    if (p && heif_image_handle_get_raw_color_profile(h, p).code == heif_error_Ok)
        px->profile = (struct rf_str){ p, n };
}

/* Rows of R, G, B and perhaps A. */
struct rows {
    const uint8_t *p;
    size_t stride;
    uint32_t width, height, bands;
};

/* The mean of a channel of `n` x `n` pixels, of as many as there are at the edges. */
static uint8_t mean(const struct rows *in, uint32_t x, uint32_t y, uint32_t n, uint32_t band)
{
    uint32_t right = n < in->width - x ? n : in->width - x, sum = 0;
    uint32_t below = n < in->height - y ? n : in->height - y;
    const uint8_t *p = in->p + y * in->stride + (size_t)x * in->bands + band;

    for (uint32_t k = 0; k < below; k++, p += in->stride)
        for (uint32_t i = 0; i < right; i++)
            sum += p[i * in->bands];
    return (uint8_t)(sum / (right * below));
}

static void copy_row(const struct rows *in, uint32_t y, uint8_t *to)
{
    const uint8_t *p = in->p + y * in->stride;

    for (uint32_t x = 0; x < in->width; x++, p += in->bands, to += 4)
        rf_put(to, p[0], p[1], p[2], in->bands == 4 ? p[3] : 255);
}

static void shrink_row(const struct rows *in, uint32_t y, uint32_t n, uint8_t *to)
{
    for (uint32_t x = 0; x < in->width; x += n, to += 4)
        rf_put(to, mean(in, x, y, n, 0), mean(in, x, y, n, 1), mean(in, x, y, n, 2),
               in->bands == 4 ? mean(in, x, y, n, 3) : 255);
}

static enum rf_code take_rows(const struct rows *in, struct rf_arena *a, struct rf_pixels *px,
                              struct rf_err *err)
{
    uint32_t n = 1;

    while ((uint64_t)in->width * in->height / n / n > RF_MAX_OWN_PIXELS)
        n++;
    px->of_bytes = SIZE_MAX; /* a plain one packs as small as it likes, and is decoded already */
    enum rf_code rc = rf_pixels_make(px, (in->width + n - 1) / n, (in->height + n - 1) / n, a, err);
    for (uint32_t y = 0; !rc && y < px->height; y++) {
        if (n == 1)
            copy_row(in, y, rf_pixel(px, 0, y));
        else
            shrink_row(in, y * n, n, rf_pixel(px, 0, y));
    }
    px->full_width = n > 1 ? in->width : 0;
    px->full_height = n > 1 ? in->height : 0;
    return rc;
}

/* The size of what was decoded is the one that counts: it is turned. */
static enum rf_code take_image(const struct heif_image *im, struct rf_arena *a,
                               struct rf_pixels *px, struct rf_err *err)
{
    int stride = 0, width = heif_image_get_width(im, heif_channel_interleaved);
    int height = heif_image_get_height(im, heif_channel_interleaved);
    const uint8_t *p = heif_image_get_plane_readonly(im, heif_channel_interleaved, &stride);
    uint32_t bands = px->alpha ? 4 : 3;

    if (!p || width <= 0 || height <= 0 || stride / (int)bands < width)
        return rf_fail(err, RF_EFORMAT, "the HEIC picture is broken");
    const struct rows in = { p, (size_t)stride, (uint32_t)width, (uint32_t)height, bands };
    return take_rows(&in, a, px, err);
}

static enum rf_code decode(const struct heif_image_handle *h, struct rf_arena *a,
                           struct rf_pixels *px, struct rf_err *err)
{
    int width = heif_image_handle_get_width(h), height = heif_image_handle_get_height(h);
    int bits = heif_image_handle_get_luma_bits_per_pixel(h);
    struct heif_image *im = NULL;

    if (width <= 0 || height <= 0)
        return rf_fail(err, RF_EFORMAT, "the picture has no size");
    if ((uint64_t)width * (uint64_t)height > MAX_DECODED)
        return rf_fail(err, RF_ELIMIT, "the picture has %d x %d pixels, the limit is %d million",
                       width, height, (int)(MAX_DECODED / 1000000));
    px->alpha = heif_image_handle_has_alpha_channel(h);
    px->bits = bits > 0 ? (unsigned)bits : 8;
    take_profile(h, a, px);
    struct heif_error e = heif_decode_image(
        h, &im, heif_colorspace_RGB,
        px->alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB, NULL);
    enum rf_code rc = e.code ? failed(e, err) : take_image(im, a, px, err);
    heif_image_release(im);
    return rc;
}

enum rf_code rf_read_heif(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                          struct rf_err *err)
{
    struct heif_context *in = heif_context_alloc();
    struct heif_image_handle *h = NULL;
    enum rf_code rc;

    if (!in)
        RF_NO_MEMORY();
    heif_context_set_maximum_image_size_limit(in, MAX_SIDE);
    heif_context_set_max_decoding_threads(in, THREADS);
    struct heif_error e = heif_context_read_from_memory_without_copy(in, bytes.p, bytes.n, NULL);
    if (!e.code)
        e = find(in, a, px, &h);
    if (e.code)
        rc = failed(e, err);
    else if (px->frame >= (int64_t)px->frames)
        rc = rf_fail(err, RF_EUSAGE, "the picture has %u frames", px->frames);
    else
        rc = decode(h, a, px, err);
    heif_image_handle_release(h);
    heif_context_free(in);
    return rc;
}
