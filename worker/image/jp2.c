/* JPEG 2000, by OpenJPEG: in boxes (JP2) or bare.
 *
 * libvips 8.14 would read it too, but decodes a picture that is not cut into tiles once for every
 * piece of it (12 million pixels take 1350 ms of processor time there, 640 ms here), and refuses
 * components of different sizes. Here it is decoded once; a very large one at half or a quarter of
 * its size, which the format is made for. Components of different size, depth and sign become eight
 * bits of R, G, B and A. */
#include "worker/image/pixels.h"

#include <openjpeg.h>

#define WHOLE_PIXELS ((uint64_t)1 << 24) /* more than this is decoded smaller */
#define MAX_REDUCE 5
#define MAX_BITS 31
#define MAX_COARSER 4 /* colours may have a quarter of the first component's sides */
#define THREADS 2

struct input {
    struct rf_str bytes;
    size_t at;
};

static OPJ_SIZE_T read_some(void *to, OPJ_SIZE_T n, void *context)
{
    struct input *in = context;
    size_t left = in->bytes.n - in->at, count = n < left ? n : left;

    if (!count)
        return (OPJ_SIZE_T)-1;
    memcpy(to, in->bytes.p + in->at, count);
    in->at += count;
    return count;
}

static OPJ_OFF_T skip(OPJ_OFF_T n, void *context)
{
    struct input *in = context;
    size_t left = in->bytes.n - in->at, count = n < 0 ? 0 : (uint64_t)n < left ? (size_t)n : left;

    in->at += count;
    return count || !n ? (OPJ_OFF_T)count : -1;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *context)
{
    struct input *in = context;

    if (to < 0 || (uint64_t)to > in->bytes.n)
        return OPJ_FALSE;
    in->at = (size_t)to;
    return OPJ_TRUE;
}

static opj_stream_t *open_stream(struct input *in)
{
    opj_stream_t *s = opj_stream_default_create(OPJ_TRUE);

    if (!s)
        return NULL;
    opj_stream_set_user_data(s, in, NULL);
    opj_stream_set_user_data_length(s, in->bytes.n);
    opj_stream_set_read_function(s, read_some);
    opj_stream_set_skip_function(s, skip);
    opj_stream_set_seek_function(s, seek);
    return s;
}

/* The header, with pixels where `decode`; `reduce` halves the size so many times. */
static opj_image_t *read_image(struct rf_str bytes, unsigned reduce, bool decode)
{
    struct input in = { .bytes = bytes };
    bool bare = rf_str_starts(bytes, "\xff\x4f\xff\x51");
    opj_codec_t *codec = opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    opj_stream_t *stream = open_stream(&in);
    opj_image_t *image = NULL;
    opj_dparameters_t how;

    opj_set_default_decoder_parameters(&how);
    how.cp_reduce = reduce;
    bool good = codec && stream && opj_setup_decoder(codec, &how) &&
                opj_codec_set_threads(codec, THREADS) && opj_read_header(stream, codec, &image);
    if (good && decode)
        good = opj_decode(codec, stream, image) && opj_end_decompress(codec, stream);
    if (!good && image) {
        opj_image_destroy(image);
        image = NULL;
    }
    if (stream)
        opj_stream_destroy(stream);
    if (codec)
        opj_destroy_codec(codec);
    return image;
}

/* A component's value as eight bits; components may be smaller than the picture. */
static uint8_t sample(const opj_image_comp_t *c, uint32_t x, uint32_t y, const struct rf_pixels *px)
{
    uint32_t cx = (uint32_t)((uint64_t)x * c->w / px->width),
             cy = (uint32_t)((uint64_t)y * c->h / px->height);
    int64_t v = c->data[(size_t)cy * c->w + cx], top = ((int64_t)1 << c->prec) - 1;

    v += c->sgnd ? (int64_t)1 << (c->prec - 1) : 0;
    v = v < 0 ? 0 : v > top ? top : v;
    return (uint8_t)(c->prec == 8 ? v : c->prec > 8 ? v >> (c->prec - 8) : v * 255 / top);
}

static uint8_t clamp(double v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)(v + 0.5);
}

static void from_ycc(uint8_t *p)
{
    double y = p[0], cb = p[1] - 128, cr = p[2] - 128;

    p[0] = clamp(y + 1.402 * cr);
    p[1] = clamp(y - 0.344136 * cb - 0.714136 * cr);
    p[2] = clamp(y + 1.772 * cb);
}

static void put_rows(const opj_image_t *image, struct rf_pixels *px)
{
    const opj_image_comp_t *c = image->comps;
    unsigned colours = image->numcomps >= 3 ? 3 : 1;
    bool halved = colours == 3 && (c[1].w < c[0].w || c[1].h < c[0].h);
    bool ycc = colours == 3 && (image->color_space == OPJ_CLRSPC_SYCC ||
                                (halved && image->color_space != OPJ_CLRSPC_SRGB));

    px->alpha = image->numcomps == colours + 1;
    for (uint32_t y = 0; y < px->height; y++) {
        for (uint32_t x = 0; x < px->width; x++) {
            uint8_t *p = rf_pixel(px, x, y);
            for (unsigned i = 0; i < 3; i++)
                p[i] = i < colours ? sample(&c[i], x, y, px) : p[0];
            if (ycc)
                from_ycc(p);
            p[3] = px->alpha ? sample(&c[colours], x, y, px) : 255;
        }
    }
}

static bool is_usable(const opj_image_t *image, bool decoded)
{
    if (!image->numcomps || !image->comps[0].w || !image->comps[0].h)
        return false;
    for (unsigned i = 0; i < image->numcomps; i++) {
        const opj_image_comp_t *c = &image->comps[i];
        if (!c->prec || c->prec > MAX_BITS || c->dx > image->comps[0].dx * MAX_COARSER ||
            c->dy > image->comps[0].dy * MAX_COARSER || (decoded && (!c->data || !c->w || !c->h)))
            return false;
    }
    return true;
}

static void keep_profile(const opj_image_t *image, struct rf_arena *a, struct rf_pixels *px)
{
    if (image->icc_profile_buf && image->icc_profile_len && image->numcomps >= 3)
        px->profile = rf_str_dup(
            a, (struct rf_str){ (const char *)image->icc_profile_buf, image->icc_profile_len });
}

static enum rf_code decode(struct rf_str bytes, unsigned reduce, struct rf_arena *a,
                           struct rf_pixels *px, struct rf_err *err)
{
    opj_image_t *image = read_image(bytes, reduce, true);

    if (!image)
        return rf_fail(err, RF_EFORMAT, "the JPEG 2000 picture is broken or cut off");
    enum rf_code rc = is_usable(image, true)
                          ? rf_pixels_make(px, image->comps[0].w, image->comps[0].h, a, err)
                          : rf_fail(err, RF_EFORMAT, "the JPEG 2000 picture is broken");
    if (!rc) {
        put_rows(image, px);
        keep_profile(image, a, px);
    }
    opj_image_destroy(image);
    return rc;
}

enum rf_code rf_read_jp2(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                         struct rf_err *err)
{
    opj_image_t *image = read_image(bytes, 0, false);
    unsigned reduce = 0;

    px->of_bytes = SIZE_MAX; /* an empty page takes next to nothing */
    if (!image || !is_usable(image, false)) {
        if (image)
            opj_image_destroy(image);
        return rf_fail(err, RF_EFORMAT, "the JPEG 2000 picture's header is broken");
    }
    uint64_t width = image->comps[0].w, height = image->comps[0].h;
    px->bits = image->comps[0].prec;
    opj_image_destroy(image);
    if (width > RF_MAX_OWN_PIXELS || height > RF_MAX_OWN_PIXELS / width)
        return rf_pixels_make(px, width, height, a, err);
    while (reduce < MAX_REDUCE && (width >> reduce) * (height >> reduce) > WHOLE_PIXELS)
        reduce++;
    enum rf_code rc = decode(bytes, reduce, a, px, err);
    if (rc && reduce) /* it may not hold so many sizes */
        rc = decode(bytes, 0, a, px, err);
    px->full_width = (uint32_t)width;
    px->full_height = (uint32_t)height;
    return rc;
}
